// The contact problem of a step: what rows require, its solution, friction of joints that follows its load.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/block.h"
#include "mechanics/constraint.h"
#include "mechanics/response.h"
#include "scheme/stepper_internal.h"
#include "scheme/wedge.h"

// As block k of the list.
static void set_contact_block(stepper *s, const contact_element *e, int row_index, int k) {
  const contact_material *of = &e->material;
  int size = contact_row_count(s->m, e), directions = s->settings.directions;
  if (contact_rolls(e))
    block_list_set(&s->problem.blocks, k,
                   block_of_rolling(row_index, s->m->planar, of->friction, of->rolling, of->spinning));
  else if (size == 3 && directions)
    block_list_set(&s->problem.blocks, k, block_of_polygon(row_index, of->friction, directions));
  else block_list_set(&s->problem.blocks, k, block_of_contact(row_index, size, of->friction));
}

static void add_friction_blocks(stepper *s, double dt) {
  for (int i = 0; i < s->m->friction_count; i++)
    block_list_add(&s->problem.blocks, stepper_friction_block(&s->friction, s->m, i, s->t + dt, dt));
}

bool stepper_prepare_storage(stepper *s, carom_error *error) {
  int row_count = s->m->row_count;
  block_list_begin(&s->problem.blocks, row_count);
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = s->contacts->elements[i];
    for (int k = 0; k < e->point_count; k++) {
      set_contact_block(s, e, row_count, s->problem.blocks.count++);
      row_count += contact_row_count(s->m, e);
    }
  }
  s->friction.row0 = row_count;
  add_friction_blocks(s, s->settings.step);
  row_count += s->m->friction_count;
  return stepper_make_storage(s, row_count, error);
}

// Where no force while sliding fits, the step finds an impact without collision. Collisions are no paradox: there the
// normal rate is much larger than what the forces change in a step. A slip that the ledger takes for sticking has no
// direction.
//
// Most contacts lift whatever the direction of their slip is: where W is at hand, that is looked at first.
static bool lifts(const stepper *s, int first, int size, double friction) {
  if (s->problem.crowded) return false;
  double along = 0;
  for (int i = 1; i < size; i++) along += fabs(stepper_entry(s, first, first + i));
  return friction * along <= stepper_entry(s, first, first);
}

static paradoxes paradoxes_of(stepper *s, int from, int to) {
  const mechanism *m = s->m;
  paradoxes found = {0};
  for (int k = from; k < to; k++) {
    const contact_element *e = s->near.element_of[s->near.active[k]];
    int first = s->near.active_row[k], size = contact_sliding_rows(m, e);
    (void)stepper_coming(s, k);
    if (!contact_rubs(e) || lifts(s, first, size, e->material.friction)) continue;
    const double *rate = s->problem.rate_before + first;
    if (fabs(rate[0]) > 2 * fabs(s->problem.rate_free[first] - rate[0])) continue;
    double slip = size == 2 ? fabs(rate[1]) : sqrt(rate[1] * rate[1] + rate[2] * rate[2]);
    if (impact_sticks(slip, contact_still(m, 1e-9 * (fabs(rate[0]) + slip)))) continue;
    double way[2] = {rate[1] / slip, size == 3 ? rate[2] / slip : 0};
    const double W[3] = {stepper_entry(s, first, first), stepper_entry(s, first, first + 1),
                         size == 3 ? stepper_entry(s, first, first + 2) : 0};
    double resistance = paradox_resistance(size, W, e->material.friction, way);
    paradox_note(&found, resistance, s->problem.q[first]);
  }
  return found;
}

// Threads only ever set what they find.
static void look_at_points(void *context, int from, int to) {
  stepper *s = context;
  paradoxes found = paradoxes_of(s, from, to);
  if (found.inconsistent) __atomic_store_n(&s->paradoxes.inconsistent, true, __ATOMIC_RELAXED);
  if (found.indeterminate) __atomic_store_n(&s->paradoxes.indeterminate, true, __ATOMIC_RELAXED);
}

enum { POINTS_SHARE = 128 };  // the fewest points that a thread takes
void stepper_look_for_paradox(stepper *s) {
  crew_run(s->contacts->crew, s->near.active_count, POINTS_SHARE, look_at_points, s);
}

// A candidate only since it was closed before: nothing strikes, and it closes its gap over ten steps. At once, it would
// have to change its rate by gap/h within a step, by a force of its own size.
enum { STEPS_TO_CLOSE = 10 };
static bool has_opened(const stepper *s, int point) {
  return s->rule->ahead == 0 && s->near.points[point].gap > s->contacts->activation;
}

// The gap that a rule may close in a step. An overlap, which curved surfaces leave, is closed over a whole step; in a
// shorter one the same acceleration closes a part of it. Closed at once, it would need a force without bound.
static double gap_to_close(const stepper *s, int point, double dt) {
  double gap = s->near.points[point].gap;
  if (gap >= 0) return gap;
  double part = fmin(1, dt / s->settings.step);
  return gap * part * part;
}

static bool is_only_point(const stepper *s, int k) {
  const contact_element *e = s->near.element_of[s->near.active[k]];
  bool before = k > 0 && s->near.element_of[s->near.active[k - 1]] == e,
       after = k + 1 < s->near.active_count && s->near.element_of[s->near.active[k + 1]] == e;
  return !before && !after;
}

// Rows where they are evaluated are half a step behind those at the end: a contact that lasts would be held late, which
// drives fast turning. From where the last step has evaluated them they have turned by γ_A - γ_R at the same velocity
// of the bodies, and go on so. Not known where a contact slides, of its rows along the surface: these have other
// tangents in each step. A point in another place has other rows. Two points of a pair cannot both stick with turns of
// their own, since the way between them has one length: there rows along the surface go without.
static void find_onward(stepper *s, int k) {
  int point = s->near.active[k], first = s->near.active_row[k],
      size = contact_row_count(s->m, s->near.element_of[point]);
  int sliding = contact_sliding_rows(s->m, s->near.element_of[point]);
  for (int i = first; i < first + size; i++) s->problem.onward[i] = 0;
  if (!stepper_turns(s, s->near.element_of[point], point) || !(s->shown.last[point].lasts || s->dt == 0)) return;
  for (int i = 0; i < (is_only_point(s, k) ? sliding : 1); i++) {
    double turn = (1 + s->even.excess) * (s->problem.rate_before[first + i] - s->problem.rate_R[3 * point + i]);
    if (isfinite(turn)) s->problem.onward[first + i] = (1 - s->rule->place) * turn;
  }
}

// Forces change the rate by γ_F - γ_A. A row that turns has another rate at the same velocity of the bodies, γ_A - γ_R;
// not known of a point that was apart. Where overlap is not removed, nothing lifts a body that rests, a rebound dies
// out within the overlap, and every rate counts.
double stepper_rate_made(const stepper *s, int k) {
  if (!s->settings.remove_overlap) return 0;
  int point = s->near.active[k], first = s->near.active_row[k];
  double forced = s->problem.rate_free[first] - s->problem.rate_before[first],
         turn = s->problem.rate_before[first] - s->problem.rate_R[3 * point];
  return fabs(forced) + (s->shown.last[point].lasts && isfinite(turn) ? fabs(turn) : 0);
}

// q = γ_F + what the rule requires of a contact of this material, with its rates at the ends of the step. Its rows
// along which it slides are so many, a constant where that is the number of most.
BLOCK void require_sliding(const int size, stepper *s, int k, const contact_material *of, double dt) {
  int point = s->near.active[k], first = s->near.active_row[k];
  double rate[3];
  for (int i = 0; i < size; i++) rate[i] = stepper_rate_at_start(s, first + i);
  stepper_contact c = {of, size, gap_to_close(s, point, dt), rate, stepper_rate_made(s, k), dt};
  s->rule->require(&c, s->problem.q + first);
  if (has_opened(s, point)) s->problem.q[first] = s->near.points[point].gap / (STEPS_TO_CLOSE * s->settings.step);
  for (int i = first; i < first + size; i++) s->problem.q[i] += s->problem.rate_free[i] + s->problem.onward[i];
}

static void require(stepper *s, int k, const contact_material *of, double dt) {
  const contact_element *e = s->near.element_of[s->near.active[k]];
  int first = s->near.active_row[k], size = contact_sliding_rows(s->m, e);
  if (size == 2) require_sliding(2, s, k, of, dt);
  else require_sliding(size, s, k, of, dt);
  if (!contact_rolls(e)) return;
  int end = first + contact_row_count(s->m, e);
  for (int i = first + size; i < end; i++) s->problem.q[i] = s->problem.rate_free[i];  // turning has no restitution
}

typedef struct step_problem {
  stepper *s;
  double dt;
} step_problem;

// And the blocks of the points, which follow those of the constraints.
static void require_points(void *context, int from, int to) {
  const step_problem *p = context;
  for (int k = from; k < to; k++) {
    int coming = stepper_coming(p->s, k);
    if (coming >= 0) FETCH(p->s->near.points[coming].gap), FETCH(p->s->shown.last[coming].lasts);
    if (coming >= 0) fetch(&p->s->problem.rate_R[3 * coming], 3 * sizeof(double));
    const contact_element *e = p->s->near.element_of[p->s->near.active[k]];
    set_contact_block(p->s, e, p->s->near.active_row[k], p->s->m->row_count + k);
    find_onward(p->s, k);
    require(p->s, k, &e->material, p->dt);
  }
}

static bool drop_restitution(void *context) {
  const step_problem *p = context;
  stepper *s = p->s;
  bool any = false;
  for (int k = 0; k < s->near.active_count; k++) {
    contact_material of = s->near.element_of[s->near.active[k]]->material;
    of.restitution = of.tangential_restitution = 0;
    double before = s->problem.q[s->near.active_row[k]];
    require(s, k, &of, p->dt);
    any |= s->problem.q[s->near.active_row[k]] != before;
  }
  response_clear(s->m, s->x, s->problem.q);
  return any;
}

static solve_info solve_problem_of_step(stepper *s, const solve_problem *problem, double dt) {
  solve_solution solution = {s->problem.P, s->problem.xi};
  wedge_problem w = {.problem = problem,
                     .islands = s->problem.crowded ? &s->problem.islands : NULL,
                     .stop = s->stop,
                     .drop = drop_restitution,
                     .context = &(step_problem){s, dt}};
  return wedge_solve(&w, &s->problem.solver, s->problem.storage.workspace, &solution, &s->problem.tally,
                     &s->paradoxes.inconsistent);
}

static carom_status solve_step(stepper *s, double dt, carom_error *error) {
  const solve_problem *problem = stepper_problem(s);
  if (!s->problem.crowded) s->problem.storage.workspace->stop = s->stop;
  solve_info info = solve_problem_of_step(s, problem, dt);
  if (info.status == SOLVE_INTERRUPTED) return error_set(error, CAROM_INTERRUPTED, "interrupted at t = %g s", s->t);
  if (!isfinite(info.residual))
    return error_set(error, CAROM_ERROR_SINGULAR, "the contact problem is not finite at t = %g s; %s", s->t,
                     stepper_advice(s));
  return CAROM_OK;
}

// Of a crowd without constraints: no row is held by joints.
static bool all_move(const stepper *s) {
  for (int i = 0; i < s->x->row_total; i++)
    if (!(s->problem.pieces.diagonal[i] > 0)) return false;
  return true;
}

// A direction of friction in which joints and constraints let nothing move takes no force. Without this any force up to
// μ P_N would solve the problem there.
static void release_held(stepper *s) {
  if (s->problem.crowded && !s->m->row_count && all_move(s)) return;
  for (int k = 0; k < s->near.active_count; k++) {
    const contact_element *e = s->near.element_of[s->near.active[k]];
    int first = s->near.active_row[k], size = contact_row_count(s->m, e);
    for (int i = first + 1; i < first + size; i++) {
      bool may_be_held = s->m->row_count || !(stepper_entry(s, i, i) > 0);  // without constraints: by joints alone
      if (may_be_held && stepper_hold(s, i)) s->problem.P[i] = 0;
    }
  }
}

// Rates and W at once, where rows are taken as pairs.
static bool form_at_once(stepper *s, double dt) {
  if (!stepper_takes_pairs(s)) return false;
  if (stepper_take_pairs(s)) return true;
  stepper_write_rows(s, dt);
  return false;
}

// Else W, without the rows that constraints hold.
static carom_status form_problem(stepper *s, carom_error *error) {
  carom_status formed = stepper_form_matrix(s, error);
  if (formed != CAROM_OK) return formed;
  if (s->m->row_count) response_clear(s->m, s->x, s->problem.q);
  release_held(s);
  return stepper_finish_matrix(s, error);
}

// q = γ_F + what is required for contact rows, γ_F + Φ_t for constraints; then W, and the first solve.
carom_status stepper_solve(stepper *s, double dt, carom_error *error) {
  const mechanism *m = s->m;
  motion *x = s->x;
  bool formed = form_at_once(s, dt);
  if (!formed) {
    response_rates(m, x, s->u_R, s->problem.rate_before);
    response_rates(m, x, s->u_free, s->problem.rate_free);
  }
  memcpy(s->problem.q, s->problem.rate_free, (size_t)x->row_total * sizeof *s->problem.q);
  block_list_begin(&s->problem.blocks, m->row_count);
  for (int i = 0; i < m->row_count; i++) s->problem.q[i] += x->rows[i].phi_t;
  s->problem.blocks.count += s->near.active_count;
  crew_run(s->contacts->crew, s->near.active_count, POINTS_SHARE, require_points, &(step_problem){s, dt});
  add_friction_blocks(s, dt);
  if (s->problem.solver.dump) problem_dump_step(s->problem.solver.dump, s->steps + 1);
  carom_status status = formed ? CAROM_OK : form_problem(s, error);
  return status == CAROM_OK ? solve_step(s, dt, error) : status;
}

// Again and again with the friction of joints that the last solution's load gives, until the two agree. They need not
// where contacts and joints hold the same motion: more than one load fits then, and the solvers may find now this one,
// now that.
carom_status stepper_settle_friction(stepper *s, double dt, carom_error *error) {
  const mechanism *m = s->m;
  carom_status status = CAROM_OK;
  for (int turn = 0; status == CAROM_OK; turn++) {
    stepper_mean_accelerations(s, s->u_end, dt, s->x->udot);
    if (stepper_friction_agrees(&s->friction, m, s->x, s->problem.P, s->x->udot, dt, s->x->speed_work[1], turn))
      return CAROM_OK;
    if (turn == FRICTION_TURNS) break;
    s->problem.blocks.count -= m->friction_count;
    add_friction_blocks(s, dt);
    status = solve_step(s, dt, error);
    if (status == CAROM_OK) response_add(m, s->x, s->problem.P, s->u_free, s->u_end);
  }
  s->friction.unsettled = status == CAROM_OK;
  return status;
}

// --- steps of another length -----------------------------------------------------------------------------------------

double stepper_excess(const stepper *s, double dt, double dt_before) {
  double between = s->rule->place * dt + (1 - s->rule->place) * dt_before;
  if (!(between > 0)) return INFINITY;
  return fabs(between - dt) > 1e-9 * dt ? dt / between - 1 : 0;
}

static void evaluate_constraints_at(stepper *s, double t) {
  if (s->m->row_count == 0) return;
  s->x->t = t;
  constraints_evaluate(s->m, s->x);
}

// By how much rows have turned since the step before evaluated them, or since the start: u_A fits the constraints and
// the contacts that last there, and what they have turned by is found as a rate of theirs.
static void find_turns(stepper *s) {
  const mechanism *m = s->m;
  motion *x = s->x;
  evaluate_constraints_at(s, s->t);
  for (int i = 0; i < m->row_count; i++) s->even.turn[i] = s->problem.rate_before[i] + x->rows[i].phi_t;
  for (int k = 0; k < s->near.active_count; k++) {
    int p = s->near.active[k], first = s->near.active_row[k];
    int sliding = contact_sliding_rows(m, s->near.element_of[p]), size = contact_row_count(m, s->near.element_of[p]);
    for (int i = 0; i < size; i++)
      s->even.turn[first + i] = i < sliding ? s->problem.rate_before[first + i] - s->problem.rate_R[3 * p + i] : 0;
  }
}

// By how much they turn in this step at the speeds u_A, from their accelerations where no speed changes. That moving
// constraints change their rate is in q already.
static void foresee_turns(stepper *s, double dt) {
  const mechanism *m = s->m;
  motion *x = s->x;
  for (int i = 0; i < m->row_count; i++) s->even.turn[i] = -x->rows[i].phi_t;
  evaluate_constraints_at(s, s->t);
  for (int i = 0; i < m->row_count; i++) s->even.turn[i] += x->rows[i].phi_t;
  for (int i = m->row_count; i < x->row_total; i++) s->even.turn[i] = 0;
  for (int k = 0; k < s->near.active_count; k++) {
    int p = s->near.active[k];
    contact_set_bias(m, x, s->near.element_of[p], &s->near.points[p], p - s->near.element_of[p]->point0,
                     s->near.active_row[k]);
  }
  memset(x->udot, 0, (size_t)m->nv * sizeof *x->udot);
  centre_add_centripetal(m, x->q, x->u, -1, x->udot);
  if (s->sweeps) tree_kinematics_again(m, x);
  tree_inverse(m, x, x->udot, x->speed_work[1]);
  for (int i = 0; i < x->row_total; i++) s->even.turn[i] += dt * constraint_row_acceleration(m, x, &x->rows[i]);
}

// The turning of rows is answered by percussions that belong to the time between the two places. For the forces in this
// step it counts as much as it would in a step of that length, γ_A += excess · turn; where no time has passed, as much
// as it will be in this step. A contact that lasts keeps its rate: what restitution makes of the turning is no force,
// and the rate closes the overlap that turning has left.
static void turn_evenly(stepper *s, double dt) {
  const mechanism *m = s->m;
  motion *x = s->x;
  bool foreseen = isinf(s->even.excess);
  double part = foreseen ? 1 : s->even.excess;
  if (foreseen) foresee_turns(s, dt);
  else find_turns(s);
  memcpy(s->even.q, s->problem.q, (size_t)x->row_total * sizeof *s->even.q);
  for (int i = 0; i < m->row_count; i++) s->even.q[i] += part * s->even.turn[i];
  evaluate_constraints_at(s, s->t + dt);
  for (int k = 0; k < s->near.active_count; k++) {
    int p = s->near.active[k], first = s->near.active_row[k], size = contact_sliding_rows(m, s->near.element_of[p]);
    const contact_material *of = &s->near.element_of[p]->material;
    if ((s->dt > 0 && !s->shown.last_before[p].active) || contact_state_is_new(s->contacts, p)) continue;
    double required[3];
    stepper_contact c = {of, size, fmax(0, s->near.points[p].gap), (const double[3]){0, 0, 0}, 0, dt};
    s->rule->require(&c, required);
    for (int i = first; i < first + size; i++) {
      double before = s->problem.rate_R[3 * p + i - first], turn = s->even.turn[i];
      if (!(fabs(before) <= fabs(turn))) continue;  // it strikes or leaves
      s->even.q[i] = s->problem.rate_free[i] + part * turn - before + required[i - first];
    }
  }
  response_clear(m, x, s->even.q);
}

static void exchange_problems(stepper *s) {
  double *P = s->problem.P, *q = s->problem.q, *u = s->u_end;
  s->problem.P = s->even.P, s->even.P = P;
  s->problem.q = s->even.q, s->even.q = q;
  s->u_end = s->even.u, s->even.u = u;
}

static carom_status solve_and_respond(stepper *s, double dt, carom_error *error) {
  carom_status status = solve_step(s, dt, error);
  if (status == CAROM_OK) response_add(s->m, s->x, s->problem.P, s->u_free, s->u_end);
  return status;
}

// Friction under load follows the forces, not the percussions of the step, whose problem is solved with it once more.
carom_status stepper_solve_evenly(stepper *s, double dt, carom_error *error) {
  chain_tally tally = s->problem.tally;
  problem_dump *dump = s->problem.solver.dump;
  paradoxes found = s->paradoxes;
  turn_evenly(s, dt);
  memcpy(s->even.P, s->problem.P, (size_t)s->x->row_total * sizeof *s->problem.P);
  s->problem.solver.dump = NULL;
  exchange_problems(s);
  carom_status status = solve_and_respond(s, dt, error);
  if (status == CAROM_OK && s->friction.loaded) status = stepper_settle_friction(s, dt, error);
  exchange_problems(s);
  s->problem.solver.dump = dump;
  if (s->problem.tally.unsolved == tally.unsolved) s->even.P_mean = s->even.P;
  s->problem.tally = tally, s->paradoxes = found;
  if (status != CAROM_OK || !s->friction.loaded) return status;
  s->problem.blocks.count -= s->m->friction_count;
  add_friction_blocks(s, dt);
  return solve_and_respond(s, dt, error);
}
