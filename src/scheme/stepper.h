// The core of time steppers: drives, free velocity, candidates, contact problem, solution, books, and what is shown of
// a step. A scheme over it is a rule and a table of options. One step goes from A to E over Δt, with everything
// evaluated at one place R on the way:
//   q_R = q_A ⊕ θΔt u_A,   u_F = u_A + Δt M⁻¹ h(q_R, u_A, t_R)          the free velocity
//   M (u_E - u_F) = W P
//   ξ = γ_E + what the rule requires  for each contact row,   γ_E = 0  for each constraint row
//   0 ≤ ξ_N ⊥ P_N ≥ 0,   -P_T ∈ μ P_N Sgn(ξ_T)
//   q_E = q_R ⊕ (1-θ)Δt u_E,   z_E = z_A + Δt ż(q_R, u_A, z_A, t_R)       the states of the model
// Stiffness K and damping D of flexible bodies may act implicitly, at q_A + ϑ (q_E - q_A) and u_A + ϑ (u_E - u_A). As
// q_E - q_A = Δt u_A + (1-θ)Δt (u_E - u_A), this is the same with the forces -K (q_R + (ϑ-θ)Δt u_A) - D u_A, and
//   M + ϑΔt D + ϑ(1-θ)Δt² K   in place of M.
#ifndef SCHEME_STEPPER_H
#define SCHEME_STEPPER_H

#include "scheme/scheme.h"

// A contact point of a step, as its rule sees it.
typedef struct stepper_contact {
  const contact_material *of;
  int rows;            // the first is the normal one
  double gap;          // at q_R; of an overlap the part that belongs to this step [m or rad]
  const double *rate;  // γ_A of the rows, at the start
  double made;         // the change of the normal rate that forces and the turning of the row make in one step
  double dt;           // [s]
} stepper_contact;

typedef struct stepper_rule {
  // θ, from 0 to below 1: rows and forces are evaluated after this part of the step. Up to there positions follow u_A,
  // then u_E.
  double place;
  // What the rows of a contact require at the end of the step, beside their rates γ_E there: ξ = γ_E + required.
  void (*require)(const stepper_contact *c, double *required);
  // Points take part when their gap at q_R is at most the activation distance and this many steps of the fastest
  // approach. 0: the activation distance alone.
  double ahead;
} stepper_rule;

typedef struct stepper_settings {
  double step;          // [s]
  bool project;         // positions back onto the constraints after each step
  bool remove_overlap;  // bodies that overlap are moved apart after each step
  bool time_of_impact;  // steps are shorter where fast bodies would pass through others
  int directions;       // of polygonal friction cones in space; 0: the cones are round
  bool midpoint;        // velocities and states in forces are those of the middle of the step; otherwise of its start
  double tolerance;     // of the contact problem's residual; 0: the default [-]
  double modal_theta;   // ϑ: stiffness and damping of flexible bodies act after this part of the step; 0: explicitly
} stepper_settings;

// What a scheme over this core can run, by its step and ϑ; see scheme_about. `who` is its name for messages.
bool stepper_accepts_theta(const char *who, double modal_theta, scheme_refusal *why);
bool stepper_accepts_step(const scheme_request *request, const char *who, double step, double modal_theta,
                          scheme_refusal *why);

// Creates the state of a scheme; null after reporting. The rule must outlive it.
void *stepper_create(const stepper_rule *rule, const stepper_settings *settings, const scheme_setup *setup,
                     const scheme_start *start, carom_error *error);

// The functions of every scheme over this core, to stand in its scheme_type beside name, about, energy and create.
void stepper_destroy(void *scheme);
carom_status stepper_step(void *scheme, double t_stop, carom_error *error);
long stepper_fly(void *scheme, double t_stop, long most);
carom_status stepper_show(void *scheme, double t, carom_error *error);
void stepper_show_end(void *scheme);
bool stepper_result(void *scheme, carom_error *error);
double stepper_time(const void *scheme);
double stepper_began(const void *scheme);
const double *stepper_state(const void *scheme);
const double *stepper_accounts(const void *scheme);
scheme_stats stepper_stats(const void *scheme);
bool stepper_resumes_exactly(const void *scheme);
double stepper_next_step(const void *scheme);
const scheme_contact *stepper_contacts(const void *scheme);
const scheme_contact *stepper_loads(const void *scheme);
void stepper_memory(void *scheme, fields *f);
carom_status stepper_restored(void *scheme, carom_error *error);
void stepper_point_memory(void *scheme, int slot, fields *f);
void stepper_pairs_changed(void *scheme);

#define STEPPER_FUNCTIONS                                                                                         \
  .knows_contact = true, .gives_means = true, .tracks_constraints = true, .destroy = stepper_destroy,             \
  .step = stepper_step, .fly = stepper_fly, .show = stepper_show, .show_end = stepper_show_end,                   \
  .result = stepper_result, .time = stepper_time, .began = stepper_began, .state = stepper_state,                 \
  .accounts = stepper_accounts, .stats = stepper_stats, .resumes_exactly = stepper_resumes_exactly,               \
  .next_step = stepper_next_step, .contacts = stepper_contacts, .loads = stepper_loads, .memory = stepper_memory, \
  .restored = stepper_restored, .point_memory = stepper_point_memory, .pairs_changed = stepper_pairs_changed

#endif
