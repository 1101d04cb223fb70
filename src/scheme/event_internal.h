// What the files of scheme `event` share: the state, the modes of its contact points, and the steps of its work.
#ifndef SCHEME_EVENT_INTERNAL_H
#define SCHEME_EVENT_INTERNAL_H

#include "mechanics/dry_friction.h"
#include "mechanics/response.h"
#include "scheme/event.h"
#include "scheme/wedge.h"
#include "scheme/watcher.h"
#include "solve/groups.h"
#include "solve/problem_dump.h"

// A point is open, or closed and sticking, or closed and slipping (which is also what one without friction does).
typedef enum contact_mode { MODE_OPEN, MODE_STICK, MODE_SLIP } contact_mode;

// Of a small slip in the instant under way: it may be stopped, it was stopped just now, it could not be stopped.
typedef enum event_slip_end { SLIP_MAY_END, SLIP_ENDS, SLIP_GOES_ON } event_slip_end;

// What is remembered of a slip that may die away.
typedef struct event_fade {
  double steepest;      // speed at which the integrator's Jacobian was last taken [m/s]
  int lingers;          // steps in a row that ended with next to no slip,
  double lingers_from;  // the speed after the first of them [m/s]
  bool creeps;          // it lingers and goes on; see follow_slip in event_ways.c
  double asked_at;      // the speed when it last seemed to end; 0: it has not since it last stuck or was open [m/s]
} event_fade;

// Rolling, or in space spinning, against which a contact resists with a moment of up to `length` times its normal
// force. It is held or goes on, as sliding sticks or slips; speeds are angular [rad/s].
typedef struct event_turn {
  int row, size;  // of its rows, counted from the point's normal
  double length;  // [m]
  bool held;
  bool stood;                // it did not turn when modes were last decided
  double way[2], along[2];   // of the turning, as those of a slip
  double turning;            // likewise
  double rate[2], force[2];  // as last observed; force: moments [N·m]
  double share[2];           // moments when modes were last decided
  event_slip_end slip_end;
  event_fade fade;
} event_turn;
enum { EVENT_TURNS = 2 };

// A contact point, or the dry friction of an ideal joint, which is a point that is always closed: it has no normal row,
// and its limit takes the place of the normal force, with a coefficient of friction of 1. Joints stand behind all
// points (watcher_first_joint).
typedef struct event_point {
  const contact_element *e;  // null for a joint
  int rows;                  // one without friction, two in the plane, three in space
  int all_rows;              // with those that resist turning
  int turn_count;
  event_turn turn[EVENT_TURNS];
  int first;                        // of its rows: 0, the normal; of a joint 1
  double friction, restitution[2];  // normal and tangential
  contact_mode mode;
  int axis;           // in space the first tangent is across this axis while it is closed
  double way[2];      // of slip, a unit vector along the tangents, as the phase or the step began
  double along[2];    // likewise in the state at hand
  double turning;     // how fast slip across would have to be to turn it, in space [m/s]
  bool steered;       // `along` is an unknown of the integrator's stage, see event_slips.c
  int guided;         // bit k: joints and constraints hold its row k, which takes no force
  bool returns;       // its restitution acts in the impact under way
  int row;            // of its normal in the problem at hand, if it takes part; of a joint, the one before its own
  int unknown, size;  // likewise in the problem of modes, and how many rows it has there; 0: its mode is known
  double gap, rate[3], force[3];  // as last observed; of a joint force[0] is its limit
  bool absent;                    // likewise: it stands for no place of contact
  contact_feature feature;        // that it is held to, where places come and go
  double within;                  // how far it is within it, as last evaluated; infinite elsewhere [m]
  bool guards;                    // it is the guard of its pair (contact_follow), which never closes,
  bool alone;                     // and no place of the pair is followed
  double share[3];                // its force when modes were last decided
  double resistance;              // against sinking in while it slips, over that without friction [-]
  bool stood;                     // it did not move when modes were last decided
  event_slip_end slip_end;
  bool idles;       // closed without force when modes were last decided
  bool has_shared;  // another share of the load was found for it in this step
  double slack;     // how far its friction may go beyond the limit since then, see event_finds_another_share [N]
  int breaks;       // how often in a row its reserve of friction has run out at one instant
  double broke_at;  // last [s]
  bool may_jam;     // it resisted when modes were last decided
  event_fade fade;
  bool has_lifted;
  double lifted_at;   // when its force last vanished [s]
  double held_until;  // infinitely many small impacts, summed up, last till then; 0: none do [s]
  double percussion;  // of a joint, its limit in an impact under way
} event_point;

// Each point has up to six functions of time whose sign change is an event: its gap while open; while closed its
// normal force, and the reserve of its friction (sticking) or its speed along the way it slips; then also its
// resistance, since where that vanishes forces grow beyond all bounds (Painlevé's dynamic jam). A slip in space that
// lingers near zero is found from step to step. A closed point that is held to features has a fourth: how far it is
// within them. Rolling and spinning have one each, as sliding: the reserve of the moment (it begins) or the speed (it
// ends). The friction of a joint has one: its reserve (it comes loose) or its speed (it seizes).
typedef enum event_kind {
  EVENT_NONE,
  EVENT_TOUCH,
  EVENT_LIFT,
  EVENT_BREAK,
  EVENT_STOP,
  EVENT_LINGER,
  EVENT_JAM,
  EVENT_LOOSEN,
  EVENT_SEIZE,
  EVENT_PLACE,
  EVENT_TURN,
  EVENT_CEASE
} event_kind;
enum { EVENT_FIRST_TURN = 4, EVENT_FUNCTIONS = EVENT_FIRST_TURN + EVENT_TURNS };
// A resistance so near to none that forces have grown a millionfold. No trajectory but this one comes as near.
#define EVENT_JAMMED 1e-6

// The friction of a joint and its load.
typedef struct event_joint {
  friction_search search;  // where limit and load are made to agree
  double limit_decided;    // with which modes were decided
  vec3 force0, torque0;    // the reaction to the forces alone, in an impact
} event_joint;

// The factor of a matrix of held rows, and its last solution. It serves as long as the same rows of the same points are
// held. It is that of independent rows; the others, which these hold as well, keep their share of the load.
enum { EVENT_SHARES = 32 };  // ways to share a load that are followed
typedef struct event_factor {
  int n, held, parts;       // independent rows, held rows and points that take part; no rows: there is no factor
  int *row, *part, *pivot;  // the held rows, and the points
  int *order;               // which of the rows: first the independent ones, then those that depend on them
  double *LU, *scale, *z;   // scale and solution by held row
  int shares;               // forces of held rows that change no acceleration: how many, and these, orthonormal
  double *share, *before;   // before: forces to be near to
} event_factor;

// How a solution with a factor changed in its last turns, and what that did: to its independent rows, one behind the
// other.
enum { EVENT_TURNS_KEPT = 12 };
typedef struct event_descent {
  int count;
  double *change, *effect;  // count vectors of so many rows; effects are orthonormal
  double *z, *r;            // the solution and what it misses
  double *z_before, *r_before;
} event_descent;

typedef enum event_sharing { SHARING_UNKNOWN, SHARING_NONE, SHARING_FOUND } event_sharing;

// A row whose force is -share times that of a normal row.
typedef struct event_follower {
  int row, column;  // its own, and the column of the normal row in the matrix at hand
  double share;
} event_follower;

// Slips in space whose direction is stiff, and the response to a unit force along each of their tangents.
typedef struct event_slips {
  int count;
  int *part;         // which of the points that take part
  double t;          // of the step that the responses belong to [s]
  double *speeds;    // 2 per point, of nv each
  double *coupling;  // rates of all their tangents, 2 count x 2 count
  double *friction;  // force of each [N]
  double *gradient;  // of its angle with respect to its rates, 2 each [rad·s/m]
  double *off;       // by how much its direction differs from that of the rates, where it is steered [rad]
  double *A, *b;     // the system of the angles
  int *pivot;
} event_slips;

typedef struct event_instant {
  event_kind kind;
  int point;
  int turn;  // which of its turnings
} event_instant;
static const event_instant NO_EVENT = {.kind = EVENT_NONE, .point = -1};

typedef struct event {
  watcher w;
  carom_event_def options;
  bool grows;            // matrices and problems grow with the points that touch
  bool counts_turns;     // of joints that are measured between markers
  bool resists_turning;  // some contact does, or may
  bool forces_change;    // with time, by themselves, and the integrator chooses its steps
  double pace;           // how long the next step may be if the whole state rests; 0: not known yet [s]
  bool settled;          // modes belong to the state
  bool jacobian_is_new;  // the integrator takes a new one in this step
  double still;          // a speed below this is none [m/s]
  double held_on_at;     // the last instant at which a point was held beyond its limit; NaN: none [s]
  double together;       // breaks within this time of each other count as at one instant [s]
  double standing;       // and below so many times that where modes are decided, see set_tolerances
  double brief;          // a slip that ends within this way ends at once [m]
  double still_turn;     // the same of turning [rad/s]
  double brief_turn;     // [rad]
  double lightest;       // mass of a body [kg]
  event_point *point;    // contact points, then joints
  event_joint *joint;
  int *part, part_count;  // points that take part: they have rows in the problem at hand. Behind them, all joints.
  int closed_count;
  bool redundant;                   // closed points share their load in more than one way
  double *share;                    // reactions of constraints when modes were last decided
  bool friction_loaded;             // some limit of a joint follows the load
  bool disagrees;                   // and did not come to agree with it in this step
  int row_capacity;                 // of vectors over rows
  int problem_rows, problem_parts;  // that there is room for in matrices and problems, and how many points
  bool out_of_memory;               // for a larger problem
  // rows: free accelerations, reactions, rates
  double *noise;       // rounding error of the accelerations
  double force_noise;  // and of the forces [N]
  double *W, *a, *lambda, *rate, *rate_after;
  bool has_matrix;  // W is that of the state at hand
  // Of a scheme that gives the normal forces: all forces on the rows (into s->lambda) under the free accelerations
  // s->a. Null: they follow from the rows that are held.
  bool (*prescribe)(struct event *s);
  event_follower *follower;  // of the matrix of held rows that is written
  response_held held;        // those that the present modes hold
  bool keeps_factors;
  bool looks;  // forces are looked at, and not only what they do
  event_factor factor[3],
      spare;  // of normals, of what sticks, and of what sticks with friction that follows; where none is kept
  event_descent descent;
  double *response;  // rates of the rows under reactions
  bool relaxes;      // Newton's iteration knows what is stiff, see event_slips.c
  bool steers;       // and finds the directions of stiff slips as unknowns
  event_slips slips;
  response_repeat repeat;  // of the normal rows of the points that take part,
  bool *wedged;            // which wedge each other
  // problems for the solvers
  block_list blocks;  // one per constraint row, one per point that takes part and joint, or one per row of these
  double *problem_W, *problem_q, *problem_r, *problem_u, *compression, *softness;
  solve_groups groups;  // of blocks that do not interact
  solve_workspace *workspace;
  solve_settings solver;
  chain_tally tally;
  long evaluations, projection_failures;
} event;

static inline bool event_is_closed(const event_point *p) { return p->mode != MODE_OPEN; }

enum { EVENT_SLIDING = 7 };  // bits of `guided` of normal and tangents
static inline bool event_is_guided(const event_point *c, int k) { return c->guided >> k & 1; }

// Of a vector along one or two tangents or axes.
static inline double event_length(int size, const double *v) { return size == 1 ? fabs(v[0]) : hypot(v[0], v[1]); }

static inline double event_slip_speed(const event_point *c) {
  return c->rows == 1 ? 0 : event_length(c->rows - 1, c->rate + 1);
}

static inline bool event_rubs(const event_point *c) { return c->rows > 1 && c->friction > 0; }

// Whether a slip in space is about to end: within γ_T²/2a against a deceleration a. In the plane a slip does not turn,
// and its end is located at little cost.
static inline bool event_slip_ends(const event *s, const event_point *c, double speed, double deceleration) {
  return c->mode == MODE_SLIP && c->rows == 3 && event_rubs(c) && !(c->guided & EVENT_SLIDING) && deceleration > 0 &&
         speed * speed <= 2 * s->brief * deceleration;
}

// The unit vector along v of one or two components, into both.
static inline void event_point_along(int size, const double *v, double way[2], double along[2]) {
  double length = event_length(size, v);
  way[0] = along[0] = v[0] / length, way[1] = along[1] = size == 2 ? v[1] / length : 0;
}

// It slips along the tangents like this.
static inline void event_set_way(event_point *c, const double *along) {
  event_point_along(c->rows - 1, along, c->way, c->along);
}

// for EACH_TURN(t, c): what a point resists turning by.
#define EACH_TURN(t, c) (event_turn *t = (c)->turn; t < (c)->turn + (c)->turn_count; t++)

// for EACH_PART(k, s): the points that take part, event_part(s, k).
#define EACH_PART(k, s) (int k = 0; k < (s)->part_count; k++)
// for EACH_ACTING(k, s): these, then the joints, likewise. for EACH_JOINT(i, s): these alone, event_joint_point(s, i).
#define EACH_ACTING(k, s) (int k = 0; k < (s)->part_count + (s)->w.m->friction_count; k++)
#define EACH_JOINT(i, s)  (int i = 0; i < (s)->w.m->friction_count; i++)
static inline event_point *event_part(const event *s, int k) { return &s->point[s->part[k]]; }
static inline event_point *event_joint_point(const event *s, int i) {
  return &s->point[watcher_first_joint(&s->w) + i];
}

// --- event.c ---------------------------------------------------------------------------------------------------------

void event_open_point(watcher *w, int p);  // see watcher_type

// For a scheme that moves in the same modes: its struct begins with this one's, and it changes what it does otherwise.
extern const watcher_type event_watched;
bool event_prepare(watcher *w, const scheme_setup *setup, carom_error *error);
carom_status event_begin(watcher *w, carom_error *error);
void event_destroy(void *scheme);
carom_status event_step(void *scheme, double t_stop, carom_error *error);
bool event_result(void *scheme, carom_error *error);
scheme_stats event_stats(const void *scheme);
bool event_resumes_exactly(const void *scheme);
void event_memory(void *scheme, fields *f);
void event_point_memory(void *scheme, int p, fields *f);

// --- event_frames.c: tangents that do not switch -----------------------------------------------------------------------

// The tangents of a point that was just evaluated: in space those of a closed point go on smoothly.
void event_set_frame(event *s, int p);
// After a step: other tangents where these have come near to an axis along the normal.
void event_renew_frame(event *s, int p);

// --- event_ways.c: ways of slips and turnings, and how they die away ---------------------------------------------------

// The direction `to` of a slip in space with this rate along its tangents, whose way was known. Returns how fast slip
// across would have to be to turn it.
double event_find_way(double still, const double *rate, const double way[2], double to[2]);
// Whether a slip or turning has stayed slower than `slow` for many steps without getting faster.
bool event_lingers(event_fade *f, double slow, double speed);
bool event_may_ask(event_fade *f, double speed);
bool event_outruns_jacobian(const event *s, event_fade *f, double speed);
// The ways as they are after a step, for the next one. Makes an instant of what seems to end.
void event_follow_ways(event *s, event_instant *instant);

// --- event_turning.c: what resists rolling and spinning ---------------------------------------------------------------

// Describes how a point of the element resists turning.
void event_turns_open(const mechanism *m, const contact_element *e, event_point *c);
void event_turns_fields(event_point *c, fields *f);
// Closes a point: it slips and turns as it moves if that is faster than so many times `still`, or without friction.
void event_close(const event *s, event_point *c, double times);
// Rates from s->rate; moments from s->lambda. The second returns the power that turning takes.
void event_turns_observe(const event *s, event_point *c);
double event_turns_take_forces(const event *s, event_point *c);
void event_turns_guide(event_point *c);                         // what joints hold does not turn
void event_turns_recall(const event *s, const event_point *c);  // shares into s->lambda
// What turning takes off the resistance of its normal row W to penetration.
double event_turns_yield(const event_point *c, const double *W);
// The directions of turning that go with these rates.
void event_turns_find_ways(const event *s, event_point *c, const double *rate);
// The largest moment per normal force along a row, counted from the normal; 0: none.
double event_turn_length(const event_point *c, int k);
// The block of a point from row n on; `moves`: what slips or turns takes no unknown force there.
solve_block event_block(const event *s, const event_point *c, int n, bool moves);
// Whether a turning begins or goes on, from the solution of the problem of modes, of n rows. `scale`: of accelerations.
void event_turns_read(event *s, int p, int n, const event_instant *instant, double scale);
void event_turns_share(event_point *c, const double *r);
// Turnings that end at once are held from now on. Says whether there is one. The second lets those that cannot be held
// go on.
bool event_turns_stop(event *s, event_point *c);
bool event_turns_let_go_on(event_point *c);
// Ways as they are now; as follow_slips in event.c. Returns true if it is time to ask whether a turning ends.
bool event_turns_follow(event *s, int p, bool may_ask, bool *renew);
// The function of time that ends its mode.
double event_turn_value(const event_point *c, const event_turn *t);

// --- event_modes.c: motion in fixed modes ----------------------------------------------------------------------------

// The motion takes a state; positions and velocities are known.
void event_set(event *s, double t, const double *y);
// Says which points take part: those that `which` holds for; NULL: all.
void event_take(event *s, bool (*which)(const event *s, const event_point *c));
void event_take_closed(event *s);
// Rows for the points that take part, behind the constraints'.
void event_add_rows(event *s);
// Accelerations and reactions in the present modes, everything in the motion. Points that take part but are open get
// rows and no force. Returns false if it is singular there.
bool event_accelerate(event *s);
// Gap and rates of every point at the motion's state.
void event_observe(event *s);
// The rates of the rows (into s->rate), and the direction of slip that goes with them.
void event_find_rates(event *s);
// Rows and M of the points that take part, for impulses at the motion's state; W is not formed. Returns false if M is
// singular there.
bool event_prepare_rows(event *s);
// W and the free accelerations (into s->a) of all rows that take part. Returns false if it is singular there.
bool event_free_accelerations(event *s);
// Finds the normal rows that repeat others and replaces them in s->W and v; v and enough as in response_repeat_find.
void event_replace_repeats(event *s, double *v, double enough);
// Finds the directions of friction in which joints and constraints let nothing move, and decouples them; for W as
// response_problem leaves it and the rates or accelerations q. They take no force: any up to the limit of friction
// would fit.
void event_find_guided(event *s, double *W, double *q);
// --- event_held.c: rows that are held --------------------------------------------------------------------------------

// Which rows are held: those of constraints and normals of closed points; also tangents of points and frictions that
// stick and turnings that are held; also tangents of points that begin to slip, and turnings that begin. Or, where
// normal forces are given, all that stick and no normals.
typedef enum event_hold { HOLD_NORMALS, HOLD_STICKING, HOLD_ONSET, HOLD_TANGENTS } event_hold;
// W of the rows `of`, n of them in their order, into A; `coupled`: the column of a slipping point's normal row carries
// its friction.
void event_write_rows(event *s, int n, const int *of, bool coupled, double *A);
// The reactions that change the held rows by rhs; `coupled`: friction of slipping points follows their normal ones;
// `what` says which rows are held. Where the reactions are not unique, those nearest to `lambda` as given.
bool event_solve_held(event *s, const double *rhs, event_hold what, bool coupled, double *lambda);
// The same with the factor of a state nearby, without W. Where the reactions are not unique, rows that depend on others
// keep those of `lambda` as given, and are held by the others to 1e-9 of the largest of rhs, or to `enough`. Returns
// false if there is no factor that serves.
bool event_solve_as_before(event *s, const double *rhs, event_hold what, bool coupled, double enough, double *lambda);
// The speeds under a unit impulse along a row and what the held rows react, after accelerations were found; with the
// factor of these.
void event_respond_held(event *s, int row, double *speeds);
event_factor event_factor_create(event *s, int rows, int parts);
event_descent event_descent_create(event *s, int rows);
// Whether held rows repeat each other, so that reactions are not unique.
bool event_is_redundant(event *s);
// Whether the reactions that were found last for rates of held rows leave none of these faster than `limit`. They do
// where rows contradict each other: a drive moves two points against each other that stick.
bool event_rows_stand(const event *s, double limit);

// --- event_modes.c ---------------------------------------------------------------------------------------------------

// Positions, then the velocities of the rows held, back onto constraints and closed contacts.
bool event_project(event *s, double t, double *y, event_hold what);
// The percussions (into s->lambda) that take the rates of the held rows of the points that take part to zero; `coupled`
// as above.
bool event_arrest(event *s, event_hold what, bool coupled);

// --- event_places.c: places of contact that come and go --------------------------------------------------------------

void event_evaluate_point(event *s, int p);  // of an element whose places come and go
void event_evaluate(event *s);               // every point that is live
// Finds the places anew, for the positions that the motion holds. Returns a point that has lost its place while closed,
// or that has a new place which touches: the modes have to be decided. -1: none.
int event_renew_places(event *s);

// --- event_slips.c: what is stiff in sliding -------------------------------------------------------------------------

void event_slips_create(event *s, int most);
// See flow_settings.relax.
bool event_relax(void *context, double gamma, double *u);
void event_steer(void *context, bool on);  // see ode_problem.steer

// --- event_impact.c --------------------------------------------------------------------------------------------------

// The solution of the problem in s->blocks, problem_q and W into problem_r and problem_u. `w` is NULL if there is no
// restitution to drop.
solve_info event_solve(event *s, int n, const double *W, wedge_problem *w);
// The same where problem_r holds forces that may be near the solution.
solve_info event_solve_near(event *s, int n, const double *W);
void event_set_impact_problem(event *s, bool elastic);
// Room for a problem of so many rows and points that take part, from the arena.
void event_allocate_problem(event *s, int rows, int parts);
// Room for the solvers, for the points that take part. Returns false after reporting.
bool event_make_workspace(event *s, carom_error *error);
// In a crowd both grow with what touches. Returns false if memory ran out.
bool event_reserve_problem(event *s);
// Whether the percussions that event_arrest has found take far more energy than there is: a drive moves points against
// each other that nearly stand, and the rows repeat each other but for that.
bool event_arrest_is_singular(event *s);
// The velocities after the percussions s->lambda, and their books. `strikes`: not to stop small hops.
void event_respond(event *s, bool strikes);
// An impact of all points that touch. `change`: of the normal rates, the largest.
carom_status event_strike(event *s, double *change, carom_error *error);

// --- event_decide.c --------------------------------------------------------------------------------------------------

carom_status event_decide(event *s, const event_instant *instant, carom_error *error);
bool event_finds_another_share(event *s, const event_instant *instant, carom_error *error);
// Counts how often a point has broken loose at one instant. Returns true if it is held from now on beyond its limit,
// which is a warning.
bool event_holds_on(event *s, const event_instant *instant);

// --- event_share.c: which share of a heap's load the points take -----------------------------------------------------

// Forces and accelerations at the state that the scheme has reached, as looks at it find them. The rows stay. Returns
// false if there are none.
bool event_look_at_forces(event *s);
// Takes the solution of a factor along its shares, z += Q y, to the middle.
void event_go_to_middle(const event *s, const event_factor *f);
// A share of the load that fits the present modes at the state that the scheme has reached, the middle of all where
// there are many, into the shares of the points. SHARING_UNKNOWN where no factor of the held rows is kept; SHARING_NONE
// where none fits.
event_sharing event_share_anew(event *s);

// --- event_settle.c --------------------------------------------------------------------------------------------------

void event_observe_state(event *s);  // that the scheme has reached
bool event_touches(const event *s, const event_point *c);
bool event_is_struck(event *s);  // two surfaces touch and approach
// Impacts, then new modes. `instant` says what brought it about.
carom_status event_settle(event *s, const event_instant *instant, carom_error *error);

// --- event_friction.c: dry friction of ideal joints ------------------------------------------------------------------

void event_friction_create(event *s);
bool event_friction_sticks(const event *s);      // any of them
void event_friction_push(event *s);              // efforts of those that slip, before forces are applied
bool event_friction_agrees(event *s, int turn);  // limits with the load; else they have changed
void event_friction_show(event *s);              // to the signals
void event_friction_prepare(event *s, const event_instant *instant);  // which modes are known
void event_friction_begin_impact(event *s);                           // no percussion yet
bool event_friction_agrees_in_impact(event *s, int turn);  // percussions in s->lambda with the load they bring
double event_friction_end_impact(event *s);                // books what they took, and returns it
void event_friction_read(event *s, double scale);          // modes from the solution of their problem
bool event_friction_is_settled(event *s);

// --- event_locate.c --------------------------------------------------------------------------------------------------

// For the watcher, see watcher_type.
bool event_look(watcher *w);
double event_value(const watcher *w, int function, const watch_look *at);
double event_find(watcher *w, int function, int k);
event_kind event_kind_of(const event *s, int function);
double event_force_tolerance(const event *s);  // a force below this is rounding [N]
bool event_is_unchanged(watcher *w);
bool event_is_even(const watcher *w);

// event_pace.c
bool event_forces_change(const mechanism *m);  // drives, forces over time, callbacks
double event_pace_limit(const event *s, double t_stop);
bool event_rests(const event *s);  // the whole state, while forces on it change
void event_pace_take(event *s);    // after a step, before its modes change

#endif
