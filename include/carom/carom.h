// carom: contact-impact dynamics of multibody systems.
//
//   carom_error error = {0};
//   carom_model *model = carom_model_load("pendulum.yaml", NULL, 0, &error);
//   carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
//   if (!sim) return fprintf(stderr, "%s\n", error.text), 1;
//   while (carom_sim_time(sim) < 1 && carom_sim_step(sim, 1, &error) == CAROM_OK)
//     printf("%g %g\n", carom_sim_time(sim), carom_sim_read(sim, carom_model_signal(model, "hinge.q")));
//   carom_sim_destroy(sim);
//   carom_model_destroy(model);
#ifndef CAROM_H
#define CAROM_H

#include <stddef.h>

#include "carom/define.h"
#include "carom/export.h"
#include "carom/law.h"
#include "carom/status.h"
#include "carom/version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_model carom_model;  // compiled once, never changes; may be shared by threads
typedef struct carom_sim carom_sim;      // all that moves; one a thread

// --- models -------------------------------------------------------------------------------------------------------

// `name=value`: a parameter of the model, or the path of any key (`coordinates=absolute`, `integrator.rtol=1e-10`).
typedef struct carom_setting {
  const char *name, *value;
} carom_setting;

// Each returns null after filling the error.
CAROM_API carom_model *carom_model_load(const char *path, const carom_setting *settings, int count, carom_error *error);
CAROM_API carom_model *carom_model_parse(const char *text, const char *name, carom_error *error);
CAROM_API carom_model *carom_model_compile(const carom_def *def, carom_error *error);
CAROM_API void carom_model_destroy(carom_model *model);

// What a model is.
typedef struct carom_model_info {
  const char *title, *source, *method, *integrator;
  carom_space space;
  carom_coordinates coordinates;
  int bodies, joints, loop_joints, constraints, forces, drives;
  int coordinates_count, speeds;           // of the state
  int freedom;                             // degrees of freedom, those that are driven left out
  int constraint_rows, redundant_rows;
  int neighbour_pairs;                     // surfaces that do not touch since a joint connects their bodies
  double length;                           // a typical size of the model, which small tolerances are taken from [m]
  double activation;                       // gap at which a contact takes part in a step; 0: the method has no such gap [m]
  double penetration_max;                  // bound of the penetration at first contact; 0: the method has none [m]
  double end;                              // [s]
  // What assembly found and did.
  double violation_before, violation_after;  // largest constraint violation of the given start, and what is left
  int assembly_iterations;
  const char *moved_joint;                 // a joint whose given coordinate had to give way, or null
  double moved_from, moved_to;             // the one that moved most
  int moved_count;                         // how many did
  const char *changed_joint;               // a joint whose given speed had to give way, or null
  double changed_from, changed_to;
} carom_model_info;
CAROM_API carom_model_info carom_model_get_info(const carom_model *model);
CAROM_API const char *carom_model_body_name(const carom_model *model, int i);   // 0 is ground
// How heavy and how large a body is, to see at a glance whether units were meant.
typedef struct carom_body_size {
  double mass;                             // [kg]
  double size;                             // largest edge of the box around what is attached to it; 0: nothing is [m]
  double gyration;                         // radius of gyration, in space about the axis of largest inertia; 0: none [m]
} carom_body_size;
CAROM_API carom_body_size carom_model_body_size(const carom_model *model, int i);  // 0 is ground
// Least gap between the surfaces of a contact at the start [m], of a stop that turns [rad].
CAROM_API double carom_model_start_gap(const carom_model *model, int contact);
CAROM_API const char *carom_model_start_gap_unit(const carom_model *model, int contact);
CAROM_API const char *carom_model_joint_name(const carom_model *model, int i);
CAROM_API const char *carom_model_joint_kind(const carom_model *model, int i);
CAROM_API bool carom_model_joint_closes_loop(const carom_model *model, int i);

// The parts of a model as its file names them: "bodies" (without ground), "joints", "constraints", "forces", "drives".
typedef struct carom_part {
  const char *name;                        // null beyond the last
  const char *kind;                        // empty where there is only one
  const char *between[2];                  // bodies; of a drive or a force along a joint: the joint, null; else null
  const char *detail;                      // of a contact: how its surfaces meet; else null
} carom_part;
CAROM_API carom_part carom_model_part(const carom_model *model, const char *section, int i);

// Warnings about the contacts of a model, one per kind: laws of continuous contact that are used beyond their range, and
// surfaces of which no two can touch.
typedef struct carom_remark {
  const char *name, *text;                 // null beyond the last
  int count;                               // of contacts, or of pairs that are left out
  const char *contact;                     // the first of them
  double prescribed, achieved;             // its restitution, where the law is the subject [-]
} carom_remark;
CAROM_API carom_remark carom_model_remark(const carom_model *model, int i);

// Keys of a material that no method reads with the laws it has, one a sentence with its place; null beyond the last.
CAROM_API const char *carom_model_note(const carom_model *model, int i);

// Signals are all scalars of a model that have a name: `hinge.q`, `link.x`, `spring.force`, `energy.kinetic`.
CAROM_API int carom_model_signal_count(const carom_model *model);
CAROM_API const char *carom_model_signal_name(const carom_model *model, int signal);
CAROM_API const char *carom_model_signal_unit(const carom_model *model, int signal);
// "mean" where the model's method gives the mean over the step that the time is in (forces, efforts, multipliers and
// accelerations of a time stepper), else "instant". Null for a signal that is not there.
CAROM_API const char *carom_model_signal_sampling(const carom_model *model, int signal);
CAROM_API int carom_model_signal(const carom_model *model, const char *name);  // -1 when there is none

// --- simulations --------------------------------------------------------------------------------------------------

CAROM_API carom_sim *carom_sim_create(const carom_model *model, carom_error *error);
CAROM_API void carom_sim_destroy(carom_sim *sim);
// One internal step, never beyond t_stop and exactly onto it when reached. A t_stop that is now takes no step. Returns
// CAROM_ERROR_USAGE for one that is before now or not finite. After a failure the sim is at the last state it can go on from.
CAROM_API carom_status carom_sim_step(carom_sim *sim, double t_stop, carom_error *error);
// Steps until t_end, with the same rules. Fails with CAROM_ERROR_INTEGRATOR when steps are so short that it would never arrive.
CAROM_API carom_status carom_sim_advance(carom_sim *sim, double t_end, carom_error *error);
// Asks `go_on` about ten times a second, also within a step; when it returns false, the step ends with CAROM_INTERRUPTED.
// Null: never asks.
CAROM_API void carom_sim_set_interrupt(carom_sim *sim, bool (*go_on)(void *context), void *context);
CAROM_API double carom_sim_time(const carom_sim *sim);
CAROM_API double carom_sim_read(carom_sim *sim, int signal);  // NaN for a signal that is not there

// Accelerations at the present state, for a program that steps by itself. Null when they do not exist.
CAROM_API const double *carom_sim_accelerations(carom_sim *sim);

typedef struct carom_summary {
  carom_status status;
  double t;                        // [s]
  long steps, rejected, evaluations;
  double wall_s, steps_per_s;
  double energy_imbalance;         // relative to the largest energy that went through [-]
  double energy_warn;              // above this the run is doubtful [-]
  double energy_limit;             // above this it is not to be trusted [-]
  double constraint_violation;     // largest |Φ| met at the end of a step
  long contact_episodes;
  double worst_initial_penetration, deepest_penetration;  // [m]
  double penetration_bound;        // of the first; 0: the method has none [m]
  long too_deep;                   // contacts first met deeper than that
  long solves, unsolved;           // contact problems
  long impossible;                 // of the unsolved: those that have no solution, as trying every combination showed
  struct {
    const char *name;              // of a stage of the chain of solvers, null beyond the last
    long tried, solved;
  } stages[8];
  double worst_residual;           // largest of all contact problems, solved or not; does not depend on units [-]
  double worst_residual_mixed;     // the same by the formula of publications, which mixes the units of r and u [-]
  long step_too_large;             // contacts found deeper than a clearance or a body, or only after both were through: impacts
                                   // have been missed
  long inconsistent;               // steps of a sliding contact that no finite force fits (Painlevé's paradox)
  long indeterminate;              // steps of a sliding contact that more than one motion fits (the same)
  long friction_unsettled;         // steps in which the friction of a joint and the load it comes from did not agree
  long unsettled;                  // instants of method event that went on with modes or impacts still undecided
  long energy_gains;               // steps whose contacts added energy, as Newton's restitution with friction may
  double energy_gained;            // by them [J]
  long accumulations;              // of infinitely many impacts, each summed up in closed form (method event)
  double accumulation_error;       // at most so far has that moved a point [m]
  long unbalanced;                 // 1 when the energy does not balance as well as the scheme should: above energy_warn
  long restarts;                   // of a multistep integrator, from a checkpoint
  long projection_failures;        // steps whose constraints could not be met to tolerance
  long other_restitution;          // contacts whose law gives back another restitution than it is given
  long conformal;                  // contacts with Hertz's stiffness between surfaces that nearly fit into each other
  long non_finite;                 // rows and energy balances with a number that is not finite
  const char *non_finite_column;   // the first such column, valid as long as the model; null: none
  double non_finite_t;             // and its time [s]
  long no_contact;                 // pairs of surfaces left out (at least 1) in a model whose surfaces cannot touch at all
  long initial_changes;            // kinds of given initial values (coordinates, speeds) that had to give way
} carom_summary;
CAROM_API carom_summary carom_sim_summary(const carom_sim *sim);

// How far to trust a run, line by line: the verdict that the report shows too. Null after reporting.
typedef enum carom_level { CAROM_GOOD, CAROM_DOUBTFUL, CAROM_BAD } carom_level;
typedef struct carom_check {
  const char *key, *title;         // null beyond the last
  carom_level level;
  double value, limit;             // what was found, and up to where it is good; NaN: none
  const char *unit;
  const char *sentence;            // what it means, and where it is not good what to do
} carom_check;
typedef struct carom_verdict carom_verdict;
CAROM_API carom_verdict *carom_judge(const carom_model *model, const carom_summary *summary, carom_error *error);
CAROM_API carom_check carom_verdict_check(const carom_verdict *verdict, int i);
CAROM_API carom_level carom_verdict_level(const carom_verdict *verdict);  // of the worst line
CAROM_API void carom_verdict_destroy(carom_verdict *verdict);

// A thousand sims on one model. Each runs on one thread from start to end; results do not depend on the number of threads.
typedef struct carom_batch {
  int count, threads;
  double t_end;                    // not negative [s]
  void *context;
  // Varies the start. If the last carom_sim_set_joint in it fails, the sim does not run, and its summary has that status.
  // May be null.
  void (*before)(void *context, int index, carom_sim *sim);
  // Takes results, also of a sim that failed on the way; is not called for one that could not start. May be null.
  void (*after)(void *context, int index, carom_sim *sim);
  carom_error *errors;             // one per sim: why it failed, or empty. May be null.
} carom_batch;
// Fills one summary per sim (`summaries` may be null); its status says how the sim ended. Returns CAROM_OK if all sims were
// tried, whatever became of them, and CAROM_ERROR_USAGE or CAROM_ERROR_MEMORY if none was.
CAROM_API carom_status carom_batch_run(const carom_model *model, const carom_batch *batch, carom_summary *summaries,
                                       carom_error *error);
// Starts a sim anew at its present time with other coordinates and speeds of a joint (each may be null: as they are); loops are
// closed again. After a failure the sim is as it was before the call.
CAROM_API carom_status carom_sim_set_joint(carom_sim *sim, const char *joint, const double *q, const double *u,
                                           carom_error *error);

// --- runs ---------------------------------------------------------------------------------------------------------

typedef struct carom_progress {
  double t, t_end;                 // [s]
  double wall_s;
  long steps;
} carom_progress;

typedef struct carom_run_options {
  const char *record;              // HDF5 file, or null
  const char *csv;                 // CSV file ("-": standard output), or null
  bool csv_units;                  // whether the second line of the CSV file has the units
  // HDF5 file of an earlier run of the same model, to go on from its last checkpoint; may be null. If it is `record` as well,
  // that file is continued: written beside it with its rows in front, and moved to its place at the end.
  const char *resume;
  bool force;                      // replace files that carom did not write
  double end;                      // not negative; 0: the model's [s]
  // Called about ten times a second, also within a step and between rows of one step; returning false interrupts the run.
  // May be null.
  bool (*progress)(void *context, const carom_progress *progress);
  void *context;
} carom_run_options;

// Runs a model to its end. Whatever happens, what was computed is in the files and the summary is filled.
CAROM_API carom_status carom_run(const carom_model *model, const carom_run_options *options, carom_summary *summary,
                                 carom_error *error);

// Files that are written. The library writes over a file only if that is of the kind it writes (a record, a report, a CSV file
// with a header of carom's own), or with `force`, and never over one that it reads; carom_run, carom_export_csv and carom_report
// return CAROM_ERROR_USAGE otherwise. Empty files, pipes and devices are written to. A program that writes files of these
// kinds beside the library uses the same guard.
typedef enum carom_file { CAROM_FILE_RECORD, CAROM_FILE_CSV, CAROM_FILE_PAGE, CAROM_FILE_COMPARISON } carom_file;
typedef struct carom_output {
  const char *path;                // "-" is the standard output
  carom_file kind;
  const char *const *inputs;       // files that it must not be, under any name; entries may be null
  int input_count;
  bool force;                      // replace a file of another kind, but no input
} carom_output;
CAROM_API carom_status carom_output_check(const carom_output *output, carom_error *error);
// Checks, then writes the whole file. If that fails, an old file is left as it was.
CAROM_API carom_status carom_output_write(const carom_output *output, const char *text, size_t length, carom_error *error);
CAROM_API const char *carom_model_file(const carom_model *model, int i);  // the model's file, then those it includes; null beyond

// Writes tables of a run's HDF5 file as CSV, "-" to the standard output; also while the run is still going. The options may be null.
typedef struct carom_export_options {
  const char *table;               // null: all that have a row for each recorded time, side by side
  bool units;                      // put the units in the second line
  bool force;                      // replace a file that carom did not write
} carom_export_options;
CAROM_API carom_status carom_export_csv(const char *run, const char *out, const carom_export_options *options, carom_error *error);
// The tables of a run's HDF5 file.
CAROM_API carom_status carom_export_list(const char *run, void (*each)(void *context, const char *name, int columns,
                                         long rows), void *context, carom_error *error);

// One self-contained HTML file that shows runs: the first, and how the others differ from it. The page is that of viewer/,
// with comments where the data goes; `carom report` has it built in.
typedef struct carom_report_page {
  const char *text;
  size_t length;
  void (*progress)(void *context, const char *doing);  // called before each pass over a table; may be null
  void *context;
  bool force;                      // replace a file that is no report
} carom_report_page;
CAROM_API carom_status carom_report(const char *const *runs, int count, const carom_report_page *page, const char *path,
                                    carom_error *error);

// Runs of one model held against the first of them: trajectories on common times, impacts matched in the ledgers, energies,
// cost. As a table to read, as one sentence and as one JSON object, all alive until it is destroyed. Null after reporting.
// Two runs agree if no joint coordinate differs by more than 1 % of its range in the first run (or, of one that hardly moves,
// 1e-5 of the largest range of its unit) at any time that both have.
typedef struct carom_comparison carom_comparison;
typedef struct carom_skipped {
  const char *method, *reason;     // a method that could not be run, and why
} carom_skipped;
CAROM_API carom_comparison *carom_compare(const char *const *runs, int count, const carom_skipped *skipped, int skipped_count,
                                          carom_error *error);
CAROM_API const char *carom_comparison_sentence(const carom_comparison *c);  // they agree, or from when on and in what they differ
CAROM_API const char *carom_comparison_text(const carom_comparison *c);
CAROM_API const char *carom_comparison_json(const carom_comparison *c);
CAROM_API void carom_comparison_destroy(carom_comparison *c);

// For a program whose only HDF5 files are carom's, before anything else: leaves out HDF5's own clean-up at exit, which
// complains on the standard error after a damaged file.
CAROM_API void carom_skip_exit_cleanup(void);

// The summary as one JSON object. Returns the length it has or would have, as snprintf does.
CAROM_API int carom_summary_json(const carom_summary *summary, char *text, int size);

// --- contact problems ---------------------------------------------------------------------------------------------

typedef struct carom_solve_options {
  const char *solver;              // a name of the family "solvers", or "all" that suit
  double tolerance;                // residual, independent of units, at which a problem counts as solved [-]
  int iterations;                  // most sweeps, pivots or steps; 0: the solver's own limit
  bool count_solutions;            // solver "enumerate" goes on after the first
} carom_solve_options;
CAROM_API carom_solve_options carom_solve_default(void);

typedef struct carom_solve_result {
  const char *solver;
  const char *stage;               // of a chain: the solver that found it
  const char *status;              // in words
  bool solved;
  int iterations;
  double residual;                 // computed independently of the solvers, does not depend on units [-]
  double residual_mixed;           // by the formula of publications, which mixes the units of r and u [-]
  double seconds;
  int solutions;                   // distinct ones, where they were counted
  int rows, blocks;
  const double *r, *u;             // percussions and velocities, u = W r + q; valid during the call
} carom_solve_result;

// Solves the contact problem in a file (text as of Siconos, FCLIB's HDF5, or one that carom wrote) and reports each
// solver's result. That a solver failed is a result, not an error. Null options are the default ones.
CAROM_API carom_status carom_solve_file(const char *path, const carom_solve_options *options,
                                        void (*each)(void *context, const carom_solve_result *result), void *context,
                                        carom_error *error);

// --- the reference ------------------------------------------------------------------------------------------------

// Writes the reference page of the model file (Markdown), made from the tables that read it.
CAROM_API void carom_reference_write(void (*write)(void *context, const char *text), void *context);
// Names and one-line summaries of a family ("joints", "constraints", "forces", "methods", "integrators", "solvers",
// "laws", "solids", "functions", "units"); null at the end. The name of a function is its whole line, `sqrt(x): square root`, and its
// summary empty.
CAROM_API const char *carom_family_member(const char *family, int i, const char **summary);

#ifdef __cplusplus
}
#endif
#endif
