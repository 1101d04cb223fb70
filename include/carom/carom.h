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

#include "carom/bifurcation.h"
#include "carom/define.h"
#include "carom/export.h"
#include "carom/fit.h"
#include "carom/law.h"
#include "carom/record.h"
#include "carom/status.h"
#include "carom/study.h"
#include "carom/sweep.h"
#include "carom/version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct carom_model carom_model;  // compiled once, immutable; threads can share it
typedef struct carom_sim carom_sim;      // the mutable state of one simulation; used by one thread at a time

// --- models ----------------------------------------------------------------------------------------------------------

// Each function returns null on failure and fills the error.
CAROM_API carom_model *carom_model_load(const char *path, const carom_setting *settings, int count, carom_error *error);
CAROM_API carom_model *carom_model_parse(const char *text, const char *name, carom_error *error);
CAROM_API carom_model *carom_model_parse_with(const char *text, const char *name, const carom_setting *settings,
                                              int count, carom_error *error);
CAROM_API carom_model *carom_model_compile(const carom_def *def, carom_error *error);
CAROM_API void carom_model_destroy(carom_model *model);

// Properties of a model.
typedef struct carom_model_info {
  const char *title, *source, *method, *integrator;
  carom_space space;
  carom_coordinates coordinates;
  int bodies, joints, loop_joints, constraints, forces, drives;
  int coordinates_count, speeds;  // of the state
  int assembly_levels;            // of divide and conquer, see carom_model_def.response; 0: not used
  int freedom;                    // degrees of freedom without the driven ones
  int constraint_rows, redundant_rows;
  int surfaces;            // that can touch others
  long possible_pairs;     // of surfaces that may touch
  bool finds_pairs;        // too many to be listed: contacts are found as surfaces come near
  int neighbour_pairs;     // pairs of surfaces that could touch, left out because a joint connects their bodies
  long nonexistent_pairs;  // pairs left out because their contact does not exist, such as two planes
  double length;           // the size of the largest moving body, which small tolerances are taken from [m]
  double activation;       // contacts become active below this gap; 0 if the method has no such gap [m]
  double penetration_max;  // bound of the penetration at first contact; 0 if the method has none [m]
  double end;              // [s]
  // Result of the assembly.
  double violation_before, violation_after;  // largest constraint violation before and after
  int assembly_iterations;
  const char *moved_joint;      // a joint whose given coordinate was changed; may be null
  double moved_from, moved_to;  // of the joint with the largest change
  int moved_count;              // number of changed coordinates
  // The given speed that was changed most: either of a joint, or of a body and its key (`omega` or `velocity`). Those
  // that do not apply are null.
  const char *changed_joint, *changed_body, *changed_key;
  double changed_from, changed_to;
  int changed_count;  // number of given speeds that were changed
  double step;        // of a method with equal steps; 0: the method chooses them [s]
} carom_model_info;
CAROM_API carom_model_info carom_model_get_info(const carom_model *model);
// About how large the record of a whole run becomes, as far as that is known before it.
typedef struct carom_record_size {
  double rows;       // recorded times; 0 if each step is recorded and the method chooses its steps
  double row_bytes;  // of one of them, without touches
  double touches;    // touching points at a time, a guess: three per body, two in the plane; 0 if they are not recorded
  double touch_bytes;                        // of one of them
  double bytes;                              // of the whole file without compression; 0 if the rows are not known
  double compressed_least, compressed_most;  // with compression, which depends on the motion
} carom_record_size;
CAROM_API carom_record_size carom_model_record_size(const carom_model *model);
CAROM_API const char *carom_model_body_name(const carom_model *model, int i);  // 0 is ground
// How heavy and how large a body is, to notice values in a wrong unit.
typedef struct carom_body_size {
  double mass;        // [kg]
  double size;        // largest edge of the box around what is attached to it; 0 if nothing is [m]
  double gyration;    // radius of gyration, in space about the axis of largest inertia; 0 without inertia [m]
  double com[3];      // mass centre in body axes [m]
  double inertia[6];  // about the mass centre: xx yy zz xy xz yz; planar: zz [kg·m²]
  bool from_shape;    // mass, mass centre and inertia follow from its shapes
} carom_body_size;
// Modes of a flexible body, 0 if it is rigid, and the frequency of each as its basis was computed [rad/s].
CAROM_API int carom_model_body_modes(const carom_model *model, int i);
CAROM_API double carom_model_body_frequency(const carom_model *model, int i, int mode);
// Contact places of a flexible body, and what its modes make of static loads there.
typedef struct carom_interface {
  const char *name;  // null after the last place
  int loads;         // unit loads at the place: of a marker along its normal, of a stretch at its nodes
  int modes;         // static modes that were kept for them
  double missing;    // largest part of the displacement under one of these loads that the modes miss [-]
} carom_interface;
CAROM_API carom_interface carom_model_body_interface(const carom_model *model, int i, int place);
CAROM_API carom_body_size carom_model_body_size(const carom_model *model, int i);  // 0 is ground
// Smallest gap of a contact at the start [m]; for a stop of a joint that turns [rad].
CAROM_API double carom_model_start_gap(const carom_model *model, int contact);
CAROM_API const char *carom_model_start_gap_unit(const carom_model *model, int contact);
CAROM_API const char *carom_model_joint_name(const carom_model *model, int i);
CAROM_API const char *carom_model_joint_kind(const carom_model *model, int i);
CAROM_API bool carom_model_joint_closes_loop(const carom_model *model, int i);
CAROM_API int carom_model_joint_coordinates(const carom_model *model,
                                            int i);  // their number; 0 if there is no such joint
CAROM_API int carom_model_joint_speeds(const carom_model *model, int i);
// How many signals a callback reads and how many outputs it sets; -1 if the model names no such callback.
CAROM_API int carom_model_callback_inputs(const carom_model *model, const char *callback);
CAROM_API int carom_model_callback_outputs(const carom_model *model, const char *callback);

// The i-th part of a section: "bodies" (without ground), "joints", "constraints", "forces", "drives", "contacts",
// "states", "signals" (those that the section `signals` computes), "callbacks", "outputs".
typedef struct carom_part {
  const char *name;        // null after the last part
  const char *kind;        // empty if the section has only one kind
  const char *between[2];  // two bodies; a drive or a force along a joint has the joint and null; may be null
  const char *detail;  // of a contact the kind of the pair; of a signal or output its unit, of a state unit, start and
                       // limits, of a callback what it reads and gives; null for other parts
} carom_part;
CAROM_API carom_part carom_model_part(const carom_model *model, const char *section, int i);

// Warnings about the contacts of a model, one per kind: laws of continuous contact that are used beyond their range,
// surfaces of which no two can touch, and contact places whose loads the modes of a body miss.
typedef struct carom_remark {
  const char *name, *text;      // null after the last warning
  int count;                    // of contacts, or of pairs that are left out
  const char *contact;          // the first of them
  double prescribed, achieved;  // restitution of the first, if the warning is about a law [-]
} carom_remark;
CAROM_API carom_remark carom_model_remark(const carom_model *model, int i);

// Notes on keys that have no effect and on unusual values, such as a clearance larger than the joint: one sentence
// each, with its place. Returns null after the last.
CAROM_API const char *carom_model_note(const carom_model *model, int i);

// Signals are the named scalars of a model: `hinge.q`, `link.x`, `spring.force`, `energy.kinetic`.
CAROM_API int carom_model_signal_count(const carom_model *model);
CAROM_API const char *carom_model_signal_name(const carom_model *model, int signal);
CAROM_API const char *carom_model_signal_unit(const carom_model *model, int signal);
// Returns "mean" if the method gives the mean over a step (forces, efforts, multipliers and accelerations of a time
// stepper), otherwise "instant". Returns null if there is no such signal.
CAROM_API const char *carom_model_signal_sampling(const carom_model *model, int signal);
CAROM_API int carom_model_signal(const carom_model *model, const char *name);  // -1 if there is no such signal
// Writes what is known about the model as one JSON object, with or without its signals. Returns its length like
// snprintf.
CAROM_API int carom_model_json(const carom_model *model, bool signals, char *text, int size);

// --- simulations -----------------------------------------------------------------------------------------------------

CAROM_API carom_sim *carom_sim_create(const carom_model *model, carom_error *error);
CAROM_API void carom_sim_destroy(carom_sim *sim);
// Takes one internal step, at most to t_stop. Takes no step if t_stop is the current time. Returns CAROM_ERROR_USAGE if
// t_stop is before the current time or not finite. After a failure the sim holds the last valid state.
CAROM_API carom_status carom_sim_step(carom_sim *sim, double t_stop, carom_error *error);
// Takes steps until t_end, with the same rules. Returns CAROM_ERROR_INTEGRATOR if the steps are too short to reach
// t_end.
CAROM_API carom_status carom_sim_advance(carom_sim *sim, double t_end, carom_error *error);
// Sets a function that is called about ten times per second, also within a step. If it returns false, the step ends
// with CAROM_INTERRUPTED. May be null.
CAROM_API void carom_sim_set_interrupt(carom_sim *sim, bool (*go_on)(void *context), void *context);
CAROM_API double carom_sim_time(const carom_sim *sim);
CAROM_API double carom_sim_read(carom_sim *sim, int signal);  // NaN if there is no such signal

// Coordinates and speeds of the current state: so many as carom_model_info says. The pointers stay valid as long as the
// sim, and show the new numbers after each step.
CAROM_API const double *carom_sim_coordinates(const carom_sim *sim);
CAROM_API const double *carom_sim_speeds(const carom_sim *sim);
// Accelerations of the current state. Returns null if they do not exist.
CAROM_API const double *carom_sim_accelerations(carom_sim *sim);

typedef struct carom_summary {
  carom_status status;
  double t;  // [s]
  long steps, rejected, evaluations;
  double wall_s, steps_per_s;
  double energy_imbalance;      // relative energy error, see docs/theory.md [-]
  double energy_warn;           // above this the run is doubtful [-]
  double energy_limit;          // above this do not trust the run [-]
  double constraint_violation;  // largest |Φ| at the end of a step [m] or [rad]
  // An episode is a pair of surfaces, from the first touch of any of its points to the parting of the last one.
  long contact_episodes;
  long contact_impacts;              // points that closed with a positive approach speed
  double worst_initial_penetration;  // where contacts were first detected, or at the end where no step has detected
                                     // them yet [m]
  double deepest_penetration;        // [m]
  double penetration_bound;          // bound of worst_initial_penetration; 0 if the method has none [m]
  long too_deep;                     // contacts first detected deeper than the bound
  long solves, unsolved;             // contact problems
  long iterations;                   // of the solvers, over all problems; one sweep over all contacts is one
  long impossible;                   // unsolved problems that provably have no solution
  struct {
    const char *name;  // solver in the chain of solvers; null after the last
    long tried, solved;
  } stages[8];
  double worst_residual;        // largest of all contact problems, solved or not; does not depend on units [-]
  double worst_residual_mixed;  // of the same problem by the formula of publications, which mixes units of r and u [-]
  long step_too_large;       // contacts detected deeper than a clearance, a body or half the way between stops, or only
                             // after the bodies had passed through each other: impacts were missed
  char missed_contact[256];  // the name of the first, or of its two surfaces; empty if there is none
  double missed_t;           // and its time [s]
  long chatters;  // times that a contact which should rest began to open and close again and again (time stepping)
  char chatter_contact[256];  // the first of these contacts
  double chatter_t;           // and when that was noticed [s]
  long fallbacks;  // steps whose contact forces were not found by iteration: complementarity gave them (method
                   // iterative)
  char fallback_contact[256];  // the first of these contacts
  double fallback_t;           // and its time [s]
  long inconsistent;           // steps in which no finite force exists for a sliding contact (Painlevé paradox)
  long indeterminate;          // steps in which a sliding contact has more than one solution (Painlevé paradox)
  long friction_unsettled;     // steps in which the friction of a joint and its load did not converge
  long unsettled;              // instants of method event at which modes or impacts were not determined
  long energy_gains;           // steps whose contacts added energy, which Newton's law of impact with friction can do
  double energy_gained;        // energy added in these steps [J]
  double energy_gained_t;      // time of the first such step [s]
  long creeps;   // 1 if a pair crept: it counts as sticking, but its friction law holds it by sliding below v0 (method
                 // compliant)
  double creep;  // how far the pair that crept most has crept in all [m]
  double creep_v0;            // v0 of its friction law [m/s]
  char creep_pair[256];       // its name
  long large_deformations;    // flexible bodies that turned or were strained by more than their theory allows
  double largest_turn;        // of these bodies [rad]
  double turn_limit;          // above which it counts; 0 if no body did [rad]
  double largest_strain;      // of these bodies [-]
  double strain_limit;        // [-]
  char deformed[256];         // the bodies, each with its largest turn or strain
  long accumulations;         // accumulations of impacts, each summed in closed form (method event)
  double accumulation_error;  // largest position error of these sums [m]
  long normal_searches;       // evaluations of the common normal of two smooth surfaces in steps
  long normal_iterations;     // iterations of Newton's method in these
  long normal_fallbacks;  // evaluations that searched in all directions: Newton's method failed, or the overlap is deep
  long unbalanced;        // 1 if the energy error is above energy_warn
  long restarts;          // restarts of a multistep integrator from a checkpoint
  long projection_failures;       // steps whose constraints could not be satisfied to tolerance
  long other_restitution;         // contacts whose law achieves another restitution than the nominal one
  long conformal;                 // contacts with Hertz's stiffness between nearly conformal surfaces
  long curvature;                 // steps of a contact with Hertz's stiffness where a curvature is zero or infinite
  long non_finite;                // rows and energy balances with a number that is not finite
  const char *non_finite_column;  // the first such column, valid as long as the model; may be null
  double non_finite_t;            // and its time [s]
  long no_contact;  // number of pairs left out (at least 1) if no pair of surfaces can touch, or if their contact does
                    // not exist and a body moves
  long rigid_surfaces;   // surfaces on flexible bodies that are large, but do not deform with them
  long missed_loads;     // contact places of flexible bodies whose modes miss too much of a static load there
  long initial_changes;  // kinds of given initial values (coordinates, speeds) that assembly changed
} carom_summary;
CAROM_API carom_summary carom_sim_summary(const carom_sim *sim);

// The verdict on a run, as in the report: a list of checks. carom_judge returns null on failure.
typedef enum carom_level { CAROM_GOOD, CAROM_DOUBTFUL, CAROM_BAD } carom_level;
typedef struct carom_check {
  const char *key, *title;  // null after the last check
  carom_level level;
  double value, limit;  // measured value and its limit; NaN if there is none
  const char *unit;
  const char *sentence;  // what the value means and, if it is not good, what to do
} carom_check;
typedef struct carom_verdict carom_verdict;
CAROM_API carom_verdict *carom_judge(const carom_model *model, const carom_summary *summary, carom_error *error);
CAROM_API carom_check carom_verdict_check(const carom_verdict *verdict, int i);
CAROM_API carom_level carom_verdict_level(const carom_verdict *verdict);  // the worst level of all checks
CAROM_API void carom_verdict_destroy(carom_verdict *verdict);

// A sim with many bodies shares its steps between so many threads, the calling one among them; 1 from its creation.
// Results do not depend on their number, bit by bit. Only methods that step in time (moreau) use more than one, and
// small models gain nothing. Threads wait actively for work during a step: more of them than there are processors makes
// it slower.
CAROM_API carom_status carom_sim_set_threads(carom_sim *sim, int threads, carom_error *error);

// Many sims on one model, on several threads. Each sim runs on one thread; results do not depend on the number of
// threads.
typedef struct carom_batch {
  int count, threads;
  double t_end;  // not negative [s]
  void *context;
  // Varies the start. If a carom_sim_set_joint in it fails and the joint is not set by a later one, the sim does not
  // run, its summary has that status, and its error names all joints that could not be set. May be null.
  void (*before)(void *context, int index, carom_sim *sim);
  // Reads results, also of a sim that failed during the run. Not called for a sim that could not start. May be null.
  void (*after)(void *context, int index, carom_sim *sim);
  carom_error *errors;  // one per sim: why it failed, or empty. May be null.
  // Called about ten times a second by each thread, also within steps. If it returns false, all sims end with
  // CAROM_INTERRUPTED: those that run as well as those that have not begun. May be null.
  bool (*go_on)(void *context);
} carom_batch;
// Fills one summary per sim (`summaries` may be null); its status says how the sim ended. Returns CAROM_OK if all sims
// were tried, whatever became of them, CAROM_INTERRUPTED if go_on ended the batch, and CAROM_ERROR_USAGE or
// CAROM_ERROR_MEMORY if none was tried.
CAROM_API carom_status carom_batch_run(const carom_model *model, const carom_batch *batch, carom_summary *summaries,
                                       carom_error *error);
// Sets coordinates and speeds of a joint at the current time (`q` or `u` may be null and then stays as it is), closes
// loops and restarts the sim. After a failure the sim is unchanged.
CAROM_API carom_status carom_sim_set_joint(carom_sim *sim, const char *joint, const double *q, const double *u,
                                           carom_error *error);

// Sets a state of the model at the current time and restarts the sim. Returns CAROM_ERROR_USAGE if there is none of
// that name, or if the value is beyond its limits. After a failure the sim is unchanged.
CAROM_API carom_status carom_sim_set_state(carom_sim *sim, const char *state, double value, carom_error *error);

// Binds a function to a callback that the model names (section `callbacks`). Each sim has functions and contexts of its
// own, and no step is taken before all callbacks are bound.
//
// `call` sets the outputs from the inputs, both in the order of the model; outputs that it does not set are 0. It
// returns false to end the run, and an output that is not finite ends it as well; an integrator tries shorter steps
// first. The outputs must depend on t, the inputs and `context` alone.
//
// Functions that are called at each evaluation must not remember anything: integrators evaluate steps that they give
// up. One that is called at a fixed rate may: its memory is then `memory_count` numbers that `save` writes and
// `restore` reads, or `remembers` is set, and the sim can be neither saved, restored nor resumed. It is called once at
// each instant, also if the step that begins there is interrupted and taken again. Functions that are due at the same
// instant are called in the order of the model, and each sees the outputs of those before it.
typedef struct carom_callback {
  bool (*call)(void *context, double t, const double *inputs, double *outputs);
  void *context;
  bool remembers;
  int memory_count;
  void (*save)(void *context, double *memory);
  void (*restore)(void *context, const double *memory);
} carom_callback;
// Restarts the sim at the current time. After a failure the sim is unchanged.
CAROM_API carom_status carom_sim_bind(carom_sim *sim, const char *callback, const carom_callback *bound,
                                      carom_error *error);

// The whole state of a sim: motion, states, method, ledgers. It can be put back into the same sim or into another one
// of the same model, as often as needed. A sim that could not be restored is of no use. Integrators with a history
// (adams, bdf, ida) start again; the others, and time stepping, go on bit by bit. carom_sim_save returns null on
// failure.
typedef struct carom_snapshot carom_snapshot;
CAROM_API carom_snapshot *carom_sim_save(carom_sim *sim, carom_error *error);
CAROM_API carom_status carom_sim_restore(carom_sim *sim, const carom_snapshot *snapshot, carom_error *error);
CAROM_API void carom_snapshot_destroy(carom_snapshot *snapshot);
CAROM_API bool carom_sim_resumes_exactly(const carom_sim *sim);  // it goes on bit by bit after carom_sim_restore
// Back to the start of the model. What callbacks remember stays as it is: the program sets it back.
CAROM_API carom_status carom_sim_reset(carom_sim *sim, carom_error *error);

// --- runs ------------------------------------------------------------------------------------------------------------

typedef struct carom_progress {
  double t, t_end;  // [s]
  double wall_s;
  long steps;
} carom_progress;

typedef struct carom_run_options {
  const char *record;  // HDF5 file; may be null
  const char *csv;     // CSV file, "-" for standard output; may be null
  bool csv_units;      // whether the second line of the CSV file has the units
  // HDF5 file of an earlier run of the same model; the run continues from its last checkpoint. May be null. If it is
  // also `record`, the rows before the checkpoint are kept: a new file is written beside it and replaces it at the end.
  const char *resume;
  bool force;   // replace files that carom did not write
  double end;   // not negative; 0 stands for the `end` of the model [s]
  int threads;  // of the sim (carom_sim_set_threads); 0 stands for one
  // Called once before the first step, to bind callbacks; a failure ends the run. May be null.
  carom_status (*prepare)(void *context, carom_sim *sim, carom_error *error);
  // Called about ten times a second, also within a step and between rows of one step; returning false interrupts the
  // run. May be null.
  bool (*progress)(void *context, const carom_progress *progress);
  // Called before the first step with a sentence for the user: a file may become larger than CAROM_RECORD_LARGE, or
  // than its disk. May be null.
  void (*warn)(void *context, const char *sentence);
  // Rows at equal intervals instead of one at each step of an integrator that chooses its steps; 0 leaves them as they
  // are. Rows that the model asks for by `record.every`, and those of time steppers, do not change.
  long even_rows;
  // Called with each row that the run records or would record: the time and the values of all signals. May be null.
  void (*row)(void *context, double t, const double *signals);
  // The signals that `row` needs, by their numbers: others are not read, and their values are of no use. With none a
  // run is as fast as one without rows. The last row has all signals, and comes once more if it had not. Null for all.
  const int *row_signals;
  int row_signal_count;
  void *context;
} carom_run_options;

#define CAROM_RECORD_LARGE 1e10  // [bytes]

// Runs a model to its end. Also after a failure the files hold what was computed and the summary is filled.
CAROM_API carom_status carom_run(const carom_model *model, const carom_run_options *options, carom_summary *summary,
                                 carom_error *error);

// Records a sim that a program steps itself: from now on each step that carom_sim_step and carom_sim_advance take is
// written as in a run of the model, at the intervals of its section `record`, the present state first. Callbacks are
// bound before. Reports, exports and comparisons read the file as that of any run. Joints, states and callbacks may be
// set between steps; the sim cannot be restored or reset while it is recorded. If a row cannot be written, the step
// returns CAROM_ERROR_FILE, and so does each one after it.
typedef struct carom_record_options {
  const char *record;  // HDF5 file; may be null
  const char *csv;     // CSV file, "-" for standard output; may be null
  bool csv_units;      // whether the second line of the CSV file has the units
  bool force;          // replace files that carom did not write
} carom_record_options;
CAROM_API carom_status carom_sim_record(carom_sim *sim, const carom_record_options *options, carom_error *error);
// Writes the present state, a checkpoint and the summary, and closes the files. The status of the summary, which may be
// null, is that of the last step; the function returns that of the files. Contacts that touch end their episodes here.
// carom_sim_destroy ends a record as well.
CAROM_API carom_status carom_sim_end_record(carom_sim *sim, carom_summary *summary, carom_error *error);

// Output files. The library replaces an existing file only if it is of the kind it writes (a record, a report, a CSV
// file with a header of carom) or with `force`, and never a file that it reads. Otherwise carom_run, carom_export_csv
// and carom_report return CAROM_ERROR_USAGE. Empty files, pipes and devices are written to. A program that writes such
// files itself can use these checks.
typedef enum carom_file {
  CAROM_FILE_RECORD,
  CAROM_FILE_CSV,
  CAROM_FILE_PAGE,
  CAROM_FILE_COMPARISON,
  CAROM_FILE_MODEL  // of carom_fit_write_model
} carom_file;
typedef struct carom_output {
  const char *path;  // of a CSV file, "-" is the standard output; the other kinds need a name
  carom_file kind;
  const char *const *inputs;  // input files, which must not be replaced; entries may be null
  int input_count;
  bool force;  // also replace a file of another kind, except an input
} carom_output;
CAROM_API carom_status carom_output_check(const carom_output *output, carom_error *error);
// Checks, then writes the whole file. If writing fails, an existing file is unchanged.
CAROM_API carom_status carom_output_write(const carom_output *output, const char *text, size_t length,
                                          carom_error *error);
// The model file, then the files it includes, then mesh files, then files of tables; null after the last.
CAROM_API const char *carom_model_file(const carom_model *model, int i);

// Writes tables of a record as CSV, to standard output if `out` is "-". Also works while the run is still going.
// `options` may be null.
typedef struct carom_export_options {
  const char *table;  // NULL if all tables with one row per recorded time are written side by side; of a file
                      // without times, as that of a sweep, the first table
  bool units;         // put the units in the second line
  bool force;         // replace a file that carom did not write
} carom_export_options;
CAROM_API carom_status carom_export_csv(const char *run, const char *out, const carom_export_options *options,
                                        carom_error *error);
// The same in another form: "csv"; "mat", a MAT file of level 5 for MATLAB, Octave and SciPy with a struct for each
// table; "gltf", a binary glTF file with the bodies as they are drawn and their motion; "vtk", a collection for
// ParaView, with a file for each recorded time in a folder beside it. Of these only "csv" may go to standard output,
// and they have no units. `options` may be null.
CAROM_API carom_status carom_export(const char *run, const char *form, const char *out,
                                    const carom_export_options *options, carom_error *error);
// Lists the tables of a record.
CAROM_API carom_status carom_export_list(const char *run,
                                         void (*each)(void *context, const char *name, int columns, long rows),
                                         void *context, carom_error *error);

// Writes one self-contained HTML file that shows runs: the first, and the differences of the others. `page` may be
// null.
typedef struct carom_report_page {
  const char *text;  // another page than that of viewer/, with comments where the data is inserted; may be null
  size_t length;
  void (*progress)(void *context, const char *doing);  // called before each pass over a table; may be null
  void *context;
  bool force;  // replace a file that is not a report
} carom_report_page;
CAROM_API carom_status carom_report(const char *const *runs, int count, const carom_report_page *page, const char *path,
                                    carom_error *error);

// Compares runs of one model with the first of them: trajectories at common times, matched impacts, energies, cost.
// Returns null on failure. Table, sentence and JSON object stay valid until the comparison is destroyed. Two runs agree
// if no joint coordinate differs by more than 1 % of its range in the first run at any common time. For a coordinate
// that hardly moves the limit is 1e-5 of the largest range of its unit.
typedef struct carom_comparison carom_comparison;
typedef struct carom_skipped {
  const char *method, *reason;  // a method that could not be run, and why
} carom_skipped;
CAROM_API carom_comparison *carom_compare(const char *const *runs, int count, const carom_skipped *skipped,
                                          int skipped_count, carom_error *error);
// Whether they agree, or when and where they start to differ.
CAROM_API const char *carom_comparison_sentence(const carom_comparison *c);
CAROM_API const char *carom_comparison_text(const carom_comparison *c);
CAROM_API const char *carom_comparison_json(const carom_comparison *c);
CAROM_API void carom_comparison_destroy(carom_comparison *c);

// Turns off HDF5's own clean-up at exit, which prints to standard error after a damaged file. Call it first, and only
// in a program that uses HDF5 only through carom.
CAROM_API void carom_skip_exit_cleanup(void);

// Writes the summary as one JSON object. Returns its length like snprintf.
CAROM_API int carom_summary_json(const carom_summary *summary, char *text, int size);

// --- contact problems ------------------------------------------------------------------------------------------------

typedef struct carom_solve_options {
  const char *solver;    // a name of the family "solvers", or "all" for every suitable one
  double tolerance;      // residual, independent of units, at which a problem counts as solved [-]
  int iterations;        // limit of sweeps, pivots or steps; 0 stands for the default of the solver. The chain applies
                         // it to each solver that iterates, not to pivoting, which ends by itself
  bool count_solutions;  // solver "enumerate" finds all solutions
} carom_solve_options;
CAROM_API carom_solve_options carom_solve_default(void);

typedef struct carom_solve_result {
  const char *solver;
  const char *stage;   // solver of the chain that found the solution
  const char *status;  // in words
  bool solved;
  int iterations;
  double residual;        // computed independently of the solvers, does not depend on units [-]
  double residual_mixed;  // by the formula of publications, which mixes the units of r and u [-]
  double seconds;
  int solutions;        // number of distinct solutions, if counted
  const char *limited;  // solver that the limit of `iterations` ended before the problem was solved; NULL if none
  int rows, blocks;
  const double *r, *u;  // percussions and velocities, u = W r + q; valid during the call
} carom_solve_result;

// Solves the contact problem in a file (Siconos text, FCLIB HDF5, or written by carom) and reports the result of each
// solver. A solver that fails is a result, not an error. `options` may be null and then has the defaults.
CAROM_API carom_status carom_solve_file(const char *path, const carom_solve_options *options,
                                        void (*each)(void *context, const carom_solve_result *result), void *context,
                                        carom_error *error);

// --- the reference ---------------------------------------------------------------------------------------------------

// Writes the reference page of the model file (Markdown) from the tables that read the file.
CAROM_API void carom_reference_write(void (*write)(void *context, const char *text), void *context);
// Names and one-line summaries of a family ("joints", "constraints", "forces", "methods", "integrators", "solvers",
// "laws", "solids", "functions", "units"); null after the last. The name of a function is a whole line, `sqrt(x):
// square root`, and its summary is empty.
CAROM_API const char *carom_family_member(const char *family, int i, const char **summary);
// The candidate that a mistyped word was probably meant to be, upper and lower case alike; null if none is near enough.
CAROM_API const char *carom_nearest_word(const char *word, const char *const *candidates, int count);

// What a method says about its runs. Advice is in the imperative and without a full stop; it is null if there is none.
typedef struct carom_method_advice {
  bool known;       // there is a method of this name
  bool contact;     // it runs models with contact
  bool force_laws;  // contact forces come from laws; otherwise contact is rigid
  double energy_warn,
      energy_limit;      // relative energy error above which a run is doubtful, and bad; loose tolerances raise both
  const char *required;  // an option that must be given, with a value to begin with: "step=1e-4"
  const char *accuracy;  // what makes a run more accurate; null if that is up to the integrator
  const char *loops;     // what else keeps loops closed
  const char *entry;     // what detects contacts earlier
} carom_method_advice;
CAROM_API carom_method_advice carom_method_get_advice(const char *method);  // `method` may be null

#ifdef __cplusplus
}
#endif
#endif
