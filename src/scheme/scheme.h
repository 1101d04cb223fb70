// A scheme is how time advances. Each is one member of this family; a sim runs any of them through these functions.
#ifndef SCHEME_SCHEME_H
#define SCHEME_SCHEME_H

#include <stddef.h>

#include "base/fields.h"
#include "base/interrupt.h"
#include "carom/define.h"
#include "contact/state.h"
#include "ledger/energy.h"
#include "ledger/impact.h"
#include "mechanics/flexible_rate.h"
#include "mechanics/mechanism.h"
#include "text/option.h"
#include "solve/solver.h"

// What a scheme works on, and where it starts.
typedef struct scheme_setup {
  const char *method;  // the member's name, for messages
  const mechanism *m;
  motion *x;
  contact_state *contacts;
  impact_ledger *impacts;
  const void *options;  // the member's own struct
  const carom_integrator_def *integrator;
  struct problem_dump *dump;  // for the chain of solvers; the sim looks whether it could save all. May be null
  interrupt *stop;            // a step that is interrupted fails; may be null
  const crew *crew;           // shares loops over many bodies and contacts; may be null
} scheme_setup;

// A contact that has trouble, and when: of a permanent element its number, and -1; of another pair its surfaces.
typedef struct contact_first {
  double t;  // [s]
  int key[2];
} contact_first;

// What a run with rigid contact should not hide.
typedef struct contact_trouble {
  long leaps;                 // episodes found deeper than a clearance or a body, or not at all: the step is too large
  contact_first missed;       // the first of them
  long chatters;              // times that a contact began to open and close again and again within a few steps
  contact_first chattering;   // the first of them
  long fallbacks;             // steps whose forces no iteration found, taken with those of complementarity
  contact_first fallback;     // the first of them
  long too_deep;              // episodes first met deeper than the bound
  long curvature;             // steps of a contact whose stiffness follows from a curvature that is zero or infinite
  long inconsistent;          // steps of a sliding contact that no finite force can keep from sinking (Painlevé)
  long indeterminate;         // steps of a sliding contact where lifting off and being pressed both fit
  long friction_unsettled;    // steps in which the friction of a joint and the load it comes from did not agree
  long unsettled;             // instants that went on with modes or impacts still undecided
  long gains;                 // steps whose impacts added energy, as Newton's law with friction may
  double gained;              // by them together [J]
  double gained_at;           // when the first was [s]
  long accumulations;         // of infinitely many impacts that were summed up
  double accumulation_error;  // the most that has moved a point by [m]
} contact_trouble;

static inline void contact_trouble_gain(contact_trouble *trouble, double energy, double t) {
  if (trouble->gains++ == 0) trouble->gained_at = t;
  trouble->gained += energy;
}

// Counts trouble of an element at a time; `first` keeps the first.
static inline void contact_count_trouble(const contact_world *w, const contact_element *e, double t, long *count,
                                         contact_first *first) {
  bool permanent = e->slot < w->element_count;
  if ((*count)++ == 0)
    *first = (contact_first){t, {permanent ? e->slot : e->surface[0], permanent ? -1 : e->surface[1]}};
}

typedef struct scheme_start {
  double t;
  const double *q, *u;
} scheme_start;

// Of the whole run, also of one that was resumed.
typedef struct scheme_stats {
  long steps, rejected, evaluations, projection_failures;
  double projection_energy;   // what moving positions back onto constraints put in [J]
  double overlap_energy;      // what moving bodies apart that overlap put in [J]
  double violation;           // the largest |Φ| at the end of a step, where the scheme looks at every step; else 0
  const chain_tally *solves;  // of contact problems, or null
  contact_trouble trouble;
  contact_searches searches;    // of common normals
  long leaps_at_end;            // in the last half step; the next step counts them among its troubles
  contact_first missed_at_end;  // the first of these
  double deepest_at_end;        // the largest penetration at the end, which no step has booked yet [m]
  double entered_at_end;        // likewise, of contacts that no step has detected yet [m]
} scheme_stats;

// One contact point as signals show it: its gap at the time shown; its forces at that instant or as means over the
// step, and whether it took part.
typedef struct scheme_contact {
  double gap, normal_force, tangential_force[2];
  double mean_force;         // of a scheme that averages them: normal forces, over a stated time [N]
  double turning_moment[3];  // of rolling and spinning friction, under rigid contact; in the plane the first alone
  bool active, slides;
  bool lasts;                  // it follows the surface, and does not just strike it
  const contact_point *point;  // the frame that the forces are in
} scheme_contact;

// Room for the options of any scheme, so that a definition and a model hold them by value.
typedef union scheme_options {
  max_align_t align;
  unsigned char bytes[128];
} scheme_options;

// What a model asks of a scheme.
typedef struct scheme_request {
  const void *options;
  const carom_integrator_def *integrator;
  const mechanism *m;
  const contact_world *contacts;
  int redundant;  // constraint rows that follow from others
  flexible_fastest fastest;
} scheme_request;

// Why a scheme cannot run a model, and which words of the model file say so.
typedef struct scheme_refusal {
  enum { REFUSED_METHOD, REFUSED_INTEGRATOR, REFUSED_CONTACT, REFUSED_JOINT_FRICTION } where;
  int index;         // of the contact, or of the joint
  const char *hint;  // may be null
  char text[512];
} scheme_refusal;

// What the options of a scheme say about contact.
typedef struct scheme_contact_options {
  bool can_separate, separate;  // surfaces that overlap at the start
  double activation;            // contacts become active below this gap; 0 if the scheme has no such gap [m]
  double penetration_max;       // bound of the penetration at the first detection of a contact; 0 if there is none [m]
  const char *dump;             // where contact problems are saved; null: nowhere
  int dump_every;               // so many of them; 0: those that are not solved
} scheme_contact_options;

// What a scheme says about itself before it runs: its section of a model file, what it can run, what makes it more
// accurate.
typedef struct scheme_about {
  const option_table *table;       // of its options; scheme_options has room for their struct
  const option_synonym *synonyms;  // what others call it; may be null
  bool integrates;                 // on an integrator of the family
  bool needs_laws;                 // contact forces come from laws, and surfaces penetrate; otherwise contact is rigid
  bool knows_joint_friction;       // dry friction of ideal joints
  bool averages;     // it shows normal forces that are averaged over some of the last steps, beside its own
  bool predicts;     // contact forces come from a prediction: also at rest they are off by a share of the step's square
  bool finds_pairs;  // pairs of surfaces come and go while it runs; otherwise all are permanent
  // Fills in defaults that depend on the size of the model. May be null.
  void (*complete)(void *options, double length);
  scheme_contact_options (*contact)(const void *options, double length);  // may be null; then all are zero
  // Chooses the integrator if the model does not name one. May be null; then it is adams.
  void (*choose_integrator)(carom_integrator_def *integrator, const mechanism *m, const contact_world *contacts);
  // Whether it can run with these settings (of the request only options and integrator are known), and then this model.
  // Returns false and says why not. May be null if it always can.
  bool (*accepts_settings)(const scheme_request *request, scheme_refusal *why);
  bool (*accepts_model)(const scheme_request *request, scheme_refusal *why);
  // A sentence about a model that it runs, but not well. Returns false if there is none. May be null.
  bool (*advises)(const scheme_request *request, char *text, int size);
  // Advice, in the imperative.
  const char *required;  // an option that must be given, with a value to begin with: "step=1e-4"; may be null
  const char *accuracy;  // what makes a run more accurate; null if that is up to the integrator
  const char *loops;     // what else keeps loops closed; may be null
  const char *entry;     // what detects contacts earlier, beside accuracy; may be null
} scheme_about;

typedef struct scheme_type {
  const char *name;
  const scheme_about *about;
  bool knows_contact;
  energy_limits energy;  // how well the energy must balance
  // It looks at constraint violations itself. Where it does not project, it looks when they have grown by a tenth: the
  // largest that it tells may be a tenth too small.
  bool tracks_constraints;
  bool gives_means;  // forces, efforts, multipliers and accelerations are means over the step
  void *(*create)(const scheme_setup *setup, const scheme_start *start, carom_error *error);
  void (*destroy)(void *scheme);
  // One step, not beyond t_stop. Afterwards the motion holds the new state. After a failure the scheme's state is one
  // to go on from (that before the step, or at an instant within it), and the motion may hold another until show_end.
  carom_status (*step)(void *scheme, double t_stop, carom_error *error);
  // At most so many steps without contact in which weight alone does work: steps that a sim need not look at.
  // They end before t_stop. Returns how many; the motion then holds the state behind them. May be null.
  long (*fly)(void *scheme, double t_stop, long most);
  // Puts the state at a time within the last step into the motion.
  carom_status (*show)(void *scheme, double t, carom_error *error);
  void (*show_end)(void *scheme);  // back to the end of the step
  // Completes what the motion shows, only when someone reads it: accelerations, multipliers, efforts, powers and
  // reactions (motion.result), contact loads, energies. Before the first step a time stepper shows what a trial step
  // finds. Returns false if they do not exist. A scheme that knows more than that they are not finite sets the error,
  // which may be null.
  bool (*result)(void *scheme, carom_error *error);
  double (*time)(const void *scheme);
  // When the last step began. Null where states within a step balance as well as those at its ends.
  double (*began)(const void *scheme);
  const double *(*state)(const void *scheme);     // at the end of the step: q, u, what else it integrates
  const double *(*accounts)(const void *scheme);  // of the state the motion holds, one per power
  scheme_stats (*stats)(const void *scheme);
  bool (*resumes_exactly)(const void *scheme);
  double (*next_step)(const void *scheme);
  const scheme_contact *(*contacts)(const void *scheme);  // one per contact point, after `result`; may be null
  // The same of a scheme whose forces belong to the last step, without `result`: forces, and whether a point is active,
  // slides and lasts; not its gap and place. Returns null before the first step. May be null.
  const scheme_contact *(*loads)(const void *scheme);
  // Statics, of a scheme whose contact forces come from laws; null of others. What it remembers of contacts becomes
  // that of bodies at rest where the motion is, whose positions are known, so that the forces that are applied next do
  // not depend on how the bodies came there. `normal` gets the normal force of each point, by slot [N].
  void (*rest)(void *scheme, double *normal);
  // What it goes on with beside motion and ledgers: its state and accounts, modes, starts of solvers, what it shows of
  // contacts, counts. After a load `restored` puts the motion there, and its integrator, which loses its history and
  // starts again; see resumes_exactly. Neither allocates. `restored` fails if there is no motion from there.
  void (*memory)(void *scheme, fields *f);
  carom_status (*restored)(void *scheme, carom_error *error);
  // The same of one point of a pair that is not permanent, by its slot, and of its element. Null if all are permanent.
  void (*point_memory)(void *scheme, int slot, fields *f);
  // The pairs that are live are others now, which contact_state_set has changed: what is new is to be remembered. Null
  // likewise.
  void (*pairs_changed)(void *scheme);
} scheme_type;

// Whether modes of flexible bodies stay stable under a fixed step: its product with the fastest rate is at most
// `limit`. Otherwise refuses with mode, frequency and the step that is needed. `who` is the name for messages, `where`
// and `hint` as in a refusal.
bool scheme_accepts_step(const scheme_request *request, const char *who, double step, double limit, int where,
                         const char *hint, scheme_refusal *why);

// Says which points and pair the slots of an element are in the ledger.
void scheme_name_points(const contact_state *c, const mechanism *m, const contact_element *e, impact_ledger *impacts);
// Books what contact_refresh or contact_state_set has changed: closes the episodes of pairs that ended, and names the
// points of new ones. The ledger must have all slots (contact_state.reserve).
void scheme_book_changes(const contact_state *c, const mechanism *m, impact_ledger *impacts);

// A scheme put back to where it was, or one like it there. With motion_copy, or the motion's state put back, it goes on
// bit by bit where it resumes exactly.
int scheme_memory_size(const scheme_type *type, void *scheme, contact_state *c);
void scheme_save(const scheme_type *type, void *scheme, contact_state *c, double *memory);
carom_status scheme_restore(const scheme_type *type, void *scheme, contact_state *c, const mechanism *m,
                            const double *memory, carom_error *error);
// The part of it for the pairs that are live but not permanent: counts or saves them with what a scheme remembers of
// their points, or makes them live again. `memory_of` and `changed` are point_memory and pairs_changed of a
// scheme_type.
carom_status scheme_pair_fields(void (*memory_of)(void *scheme, int slot, fields *f), void (*changed)(void *scheme),
                                void *scheme, contact_state *c, const mechanism *m, fields *f, carom_error *error);

// Parts of the memory that schemes have in common.
void scheme_trouble_fields(contact_trouble *trouble, fields *f);
void scheme_tally_fields(chain_tally *tally, fields *f);
void scheme_contact_fields(scheme_contact *c, fields *f);  // all but the frame
void scheme_place_fields(contact_point *p, fields *f);     // where the point is,
void scheme_frame_fields(contact_point *p, fields *f);     // and its axes
void scheme_search_fields(contact_searches *c, fields *f);
void scheme_vector_field(vec3 *v, const char *name, fields *f);
void scheme_start_field(contact_state *c, int slot, fields *f);  // what the search for its normal begins with
void scheme_feature_field(contact_feature *held, fields *f);
void scheme_feature_fields(contact_state *c, int slot, fields *f);  // the features that a point is held to

#endif
