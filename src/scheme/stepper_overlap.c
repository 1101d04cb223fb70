// Overlap that is left at the end of a step is removed. A contact is first met when it is closed already, up to half a
// step of its approach deep, and its percussion stops the velocity only. Here positions are moved apart; no velocity
// changes:
//
//   Δq = M⁻¹ Gᵀ λ,   0 ≤ λ ⊥ G_N Δq + ε d λ + b ≥ 0  for the normal rows of active points,   G Δq = 0  for constraint
//   rows
//
// with rows and M where the step has evaluated them, b from the gaps that the velocities lead to, g(q_R) + (1-θ)Δt γ_E,
// and d = W_ii. Of all displacements that remove the overlap this is the least by the kinetic metric. The softness ε
// gives the problem a solution also where bodies have no room to move apart, and a unique one where points repeat each
// other, such as four corners of a face.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "mechanics/block.h"
#include "mechanics/dynamics.h"
#include "scheme/stepper_internal.h"

static const double SOFTNESS = 1e-3;
// A part of the overlap stays until the next step: what the solution and the linearised gaps err by does not open a
// contact.
static const double REMOVED = 0.9;
// Small problems are solved exactly. For large ones few sweeps are enough: the next step goes on with what is left.
static const double TOLERANCE = 1e-8;
enum { SWEEPS = 10, STEPS_OF_ERROR = 4 };

// How deep a point may stay, so that neither rounding nor what the tolerance leaves of rates opens it: the residual
// bounds the rates of all rows together.
static double allowance(const stepper *s, double dt) {
  double sum = 0;
  for (int k = 0; k < s->near.active_count; k++)
    sum += s->problem.q[s->near.active_row[k]] * s->problem.q[s->near.active_row[k]];
  return s->contacts->activation + STEPS_OF_ERROR * dt * s->problem.solver.tolerance * sqrt(sum);
}

// How far a point is above the depth that it may keep, where the velocities lead to; negative: it is too deep. With
// restitution its rate changes sign from step to step until it has died out. The point keeps so deep that it does not
// leave the overlap on the way: each rebound would become a flight of its own, and a ball would never come to rest.
static double height(const stepper *s, int k, double dt, double allowed) {
  double rate = s->problem.rate_after[s->near.active_row[k]], turn = s->problem.onward[s->near.active_row[k]];
  return s->near.points[s->near.active[k]].gap + (1 - s->rule->place) * dt * (rate + 0.5 * turn) + allowed +
         dt * fabs(rate + turn);
}

typedef struct height_job {
  const stepper *s;
  double dt, allowed;
} height_job;

static void find_heights_of(void *context, int from, int to) {
  const height_job *j = context;
  for (int k = from; k < to; k++) {
    int coming = stepper_coming(j->s, k);
    if (coming >= 0) FETCH(j->s->near.points[coming].gap);
    j->s->overlap.height[k] = height(j->s, k, j->dt, j->allowed);
  }
}

enum { SHARE = 128 };  // the fewest points that a thread takes
static void find_heights(stepper *s, double dt, double allowed) {
  crew_run(s->contacts->crew, s->near.active_count, SHARE, find_heights_of, &(height_job){s, dt, allowed});
}

static double deepest(const stepper *s) {
  double depth = 0;
  for (int k = 0; k < s->near.active_count; k++)
    if (-s->overlap.height[k] > depth) depth = -s->overlap.height[k];
  return depth;
}

// A point far above may count as one at many times the deepest overlap: none moves as far, and residuals are relative
// to all of them. Nothing is required of a row that nothing can move.
static double requirement(const stepper *s, int k) {
  static const double FAR = 10;
  double above = s->overlap.height[k];
  if (above >= 0) return fmin(above, FAR * s->overlap.depth);
  return stepper_entry(s, s->near.active_row[k], s->near.active_row[k]) > 0 ? REMOVED * above : 0;
}

// The row of all rows that is row i of this problem: the constraints, then one normal row for each active point.
static int row_of(const stepper *s, int i) { return i < s->m->row_count ? i : s->near.active_row[i - s->m->row_count]; }

// Points that this step moves.
static void mark_points(stepper *s) {
  for (int k = 0; k < s->near.active_count; k++) s->near.moved[s->near.active[k]] |= s->overlap.height[k] < 0;
}

static void list_blocks(stepper *s) {
  stepper_overlap *o = &s->overlap;
  int constraints = s->m->row_count;
  block_list_begin(&o->blocks, constraints);
  for (int i = 0; i < constraints; i++) o->q[i] = 0;
  for (int k = 0; k < s->near.active_count; k++) {
    block_list_add(&o->blocks, block_of_contact(constraints + k, 1, 0));
    o->q[constraints + k] = requirement(s, k);
  }
}

// Normal rows are the first of their blocks, and so of each piece: pieces of the contact problem serve as they are.
static solve_problem problem_in_pieces(stepper *s) {
  stepper_overlap *o = &s->overlap;
  const response_pieces *of = &s->problem.pieces;
  int rows = o->blocks.count;
  solve_problem p = block_list_problem(&o->blocks, rows, NULL, o->q);
  for (int i = 0; i < rows; i++) o->own[i] = of->own[row_of(s, i)];
  for (int i = 0; i < rows; i++) {
    double entry = stepper_entry(s, row_of(s, i), row_of(s, i)), soft = i < s->m->row_count ? 0 : SOFTNESS * entry;
    o->own[i] += soft, o->diagonal[i] = entry + soft;
  }
  p.W = matrix_factored(rows, rows, o->blocks.start, of->velocity_count,
                        (matrix_pieces){of->first, of->at, of->width, of->offset, of->J},
                        (matrix_pieces){of->first, of->at, of->width, of->offset, of->response});
  p.W.own = o->own, p.W.diagonal = o->diagonal;
  return p;
}

static solve_problem dense_problem(stepper *s) {
  stepper_overlap *o = &s->overlap;
  int rows = o->blocks.count;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) o->W[(long)i * rows + j] = stepper_entry(s, row_of(s, i), row_of(s, j));
  for (int i = s->m->row_count; i < rows; i++) o->W[(long)i * (rows + 1)] *= 1 + SOFTNESS;
  return block_list_problem(&o->blocks, rows, o->W, o->q);
}

static carom_status solve(stepper *s, carom_error *error) {
  stepper_overlap *o = &s->overlap;
  solve_settings settings = solve_settings_default();
  settings.tolerance = TOLERANCE, settings.iterations = SWEEPS, settings.polish = settings.warm_start = false;
  solve_solution to = {o->r, o->u};
  if (!s->problem.crowded) {
    chain_tally unread = {.worst_residual = INFINITY};  // no problem is the worst, of which more would be found
    solve_problem p = dense_problem(s);
    s->problem.storage.workspace->stop = s->stop;
    (void)solve_chain(&p, &settings, s->problem.storage.workspace, &to, &unread);
  } else {
    solve_problem p = problem_in_pieces(s);
    s->rest.formed = false;  // islands become those of this problem
    if (!islands_find(&s->problem.islands, &p, error)) return CAROM_ERROR_MEMORY;
    islands_sweep(&s->problem.islands, &p, &settings, s->stop, &to);
  }
  if (interrupted(s->stop)) return error_set(error, CAROM_INTERRUPTED, "interrupted at t = %g s", s->t);
  return CAROM_OK;
}

// How far the removal moves surfaces beside their velocities: where pairs have come from counts that.
static void find_shift(stepper *s) {
  const mechanism *m = s->m;
  tree_spread(m, s->x, s->overlap.displacement);
  for (int i = 1; i < m->node_count; i++) {
    const double *by = s->x->links[i].A;
    double way = vec3_norm(block_linear(m, by)) + vec3_norm(block_angular(m, by)) * m->length;
    if (way > s->overlap.shift) s->overlap.shift = way;
  }
}

carom_status stepper_find_overlap(stepper *s, double dt, carom_error *error) {
  stepper_overlap *o = &s->overlap;
  double *lambda = s->even.turn, zero = 0;
  if (!s->settings.remove_overlap) return CAROM_OK;
  find_heights(s, dt, allowance(s, dt));
  o->depth = deepest(s);
  if (o->depth == 0) return CAROM_OK;
  list_blocks(s);
  carom_status solved = solve(s, error);
  if (solved != CAROM_OK) return solved;
  memset(lambda, 0, (size_t)s->x->row_total * sizeof *lambda);
  for (int i = 0; i < o->blocks.count; i++) lambda[row_of(s, i)] = o->r[i], zero += 0 * o->r[i];
  if (zero != 0) return CAROM_OK;  // not finite: positions stay
  stepper_displace(s, lambda, o->displacement);
  o->moves = true;
  if (s->contacts->pool) find_shift(s);
  mark_points(s);
  return CAROM_OK;
}

static double stored_energy(stepper *s) {
  s->x->level = LEVEL_NONE;
  dynamics_show_state(s->m, s->x);
  return s->x->kinetic + s->x->potentials[POTENTIAL_GRAVITY] + s->x->potentials[POTENTIAL_SPRING] +
         s->x->potentials[POTENTIAL_STRAIN];
}

// Bodies that deform are pressed together by a removal, and what they store comes back as speed. So that no energy
// comes from nothing, removals add no more than half of what contacts and dampers have taken; of the rest a part comes
// back in later steps, where a percussion acts on a place that moves away from the other surface first. A place with
// the stiffness k and the mass m that meets the surface at v loses ½ m v², and to move it out of ½ v Δt takes
// ⅛ k v² Δt²: not more than half of that as long as ω Δt ≤ √2.
static double room(const stepper *s) {
  const double taken = s->impacts->loss_normal + s->impacts->loss_tangential + s->books.accounts[POWER_DAMPER];
  return 0.5 * taken - s->overlap.energy;
}

// Modes that are damped by the method itself, implicit beyond the midpoint, lose energy that no book has.
static bool is_limited(const stepper *s) { return s->x->flexible && s->settings.modal_theta <= 0.5; }

// Moves the given part of the way, and returns by how much the stored energy exceeds `before`.
static double move_part(stepper *s, double part, double before) {
  for (int i = 0; i < s->m->nv; i++) s->displacement[i] = part * s->overlap.displacement[i];
  memcpy(s->x->q, s->overlap.from, (size_t)s->m->nq * sizeof *s->overlap.from);
  dynamics_move_shared(s->m, s->x, s->x->q, s->displacement);
  return stored_energy(s) - before;
}

// The part α of the way on which the stored energy grows by `most`:  α g + ½ α² h = most,  where all of the way adds
// g + ½ h and half of it ½ g + ⅛ h. Returns the growth; none where no part of the way is found.
static double move_within(stepper *s, double most, double added, double before) {
  const double half = move_part(s, 0.5, before), g = 4 * half - added, h = 4 * (added - 2 * half),
               root = g * g + 2 * h * most;
  const double part = root >= 0 ? 2 * most / (g + sqrt(root)) : 0;
  if (most > 0 && part > 0 && part < 1) {
    const double grown = move_part(s, part, before);
    if (grown <= most * (1 + 1e-6)) return grown;
  }
  return move_part(s, 0, before);
}

// What moving the positions adds to the stored energy: of a crowd of free bodies on which no forces act the work
// against gravity.
void stepper_remove_overlap(stepper *s) {
  double lift, before = 0;
  bool lifts = s->m->force_count == 0 && tree_steady_lift(s->m, s->x, s->overlap.displacement, &lift);
  if (!lifts) before = stored_energy(s);
  memcpy(s->overlap.from, s->x->q, (size_t)s->m->nq * sizeof *s->overlap.from);
  dynamics_move_shared(s->m, s->x, s->x->q, s->overlap.displacement);
  double added = lifts ? lift : stored_energy(s) - before;
  if (is_limited(s) && added > room(s)) added = move_within(s, room(s), added, before);
  stepper_take_positions(s);
  s->overlap.energy += added;
  s->x->level = LEVEL_NONE;
}
