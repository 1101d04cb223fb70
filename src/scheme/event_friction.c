// Dry friction of ideal joints, event by event. A friction sticks or slips. Where it sticks its row is held as a
// constraint's, and its event is that the effort it takes reaches f_max; where it slips it pushes with -f_max against
// its way, and its event is that it comes to a standstill. At a standstill a box in the problem of modes decides:
//   -f_max ≤ f ≤ f_max,   γ̇ = 0 inside, f opposed to γ̇ at the bounds.
// In an impact a constant limit gives no percussion; one that follows the load does, μ r times the percussion it
// carries.
#include <math.h>
#include <string.h>

#include "mechanics/constraint.h"
#include "mechanics/dry_friction.h"
#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "mechanics/tree.h"
#include "scheme/event_internal.h"

void event_friction_create(event *s) {
  s->joint = ARENA_ARRAY(&s->w.memory, event_joint, s->w.m->friction_count + 1);
  for
    EACH_JOINT(i, s)
  *event_joint_point(s, i) = (event_point){
      .rows = 2, .first = 1, .friction = 1, .mode = MODE_STICK, .way = {1, 0}, .force = {s->w.m->frictions[i].limit}};
  s->friction_loaded = friction_depends_on_load(s->w.m);
}

bool event_friction_sticks(const event *s) {
  for
    EACH_JOINT(i, s)
  if (event_joint_point(s, i)->mode == MODE_STICK) return true;
  return false;
}

// --- motion in fixed modes -------------------------------------------------------------------------------------------

void event_friction_push(event *s) {
  for
    EACH_JOINT(i, s) {
      const event_point *c = event_joint_point(s, i);
      s->w.x->friction_effort[i] = c->mode == MODE_SLIP ? -c->force[0] * c->way[0] : 0;
    }
}

// Slipping friction and the load it comes from depend on each other. Returns true if they agree, as well as the load is
// known.
bool event_friction_agrees(event *s, int turn) {
  bool agrees = true;
  if (!s->friction_loaded) return true;
  const double agreement = s->redundant ? RESPONSE_HELD_NOISE : 1e-12;
  tree_inverse(s->w.m, s->w.x, s->w.x->udot, s->w.x->speed_work[0]);
  for
    EACH_JOINT(i, s) {
      event_point *c = event_joint_point(s, i);
      if (!(s->w.m->frictions[i].coefficient > 0)) continue;
      double found = friction_limit(s->w.m, s->w.x, &s->w.m->frictions[i]);
      agrees &= friction_meets_load(&s->joint[i].search, &c->force[0], found, agreement, c->mode != MODE_SLIP, turn);
    }
  return agrees;
}

void event_friction_show(event *s) {
  for
    EACH_JOINT(i, s) {
      const event_point *c = event_joint_point(s, i);
      s->w.x->friction_effort[i] = c->force[1];
      s->w.x->friction_slip[i] = c->mode == MODE_STICK ? 0 : c->way[0] > 0 ? 1 : -1;
    }
}

// --- modes -----------------------------------------------------------------------------------------------------------

// What moves slips on, and so does what has just come loose; the rest is up to the problem of modes. What a drive moves
// never sticks: friction turns round with the speed.
void event_friction_prepare(event *s, const event_instant *instant) {
  for
    EACH_JOINT(i, s) {
      event_point *c = event_joint_point(s, i);
      event_kind kind = instant->point == watcher_first_joint(&s->w) + i ? instant->kind : EVENT_NONE;
      bool driven = s->w.m->frictions[i].drive >= 0, moves = fabs(c->rate[1]) > s->still, seizes = kind == EVENT_SEIZE;
      bool decided = !driven && kind != EVENT_LOOSEN && (!moves || seizes);
      if (driven && seizes) c->way[0] = -c->way[0];
      else if (kind == EVENT_LOOSEN) c->way[0] = c->force[1] > 0 ? -1 : 1;
      else if (moves && !decided) c->way[0] = c->rate[1] > 0 ? 1 : -1;
      c->size = decided ? c->rows : 0;
      c->mode = decided ? MODE_STICK : MODE_SLIP;
      s->joint[i].limit_decided = c->force[0];
    }
}

void event_friction_read(event *s, double scale) {
  for
    EACH_JOINT(i, s) {
      event_point *c = event_joint_point(s, i);
      if (!c->size) continue;
      double force = s->problem_r[c->unknown + 1], start = s->problem_u[c->unknown + 1];
      bool slips = fabs(force) >= (1 - 1e-9) * c->force[0] && fabs(start) > 1e-9 * scale;
      c->mode = slips ? MODE_SLIP : MODE_STICK;
      if (slips) c->way[0] = start > 0 ? 1 : -1;
    }
}

// Modes were decided with limits from the load before. Returns true if they are the same with those that the modes
// bring about, as well as the load is known.
bool event_friction_is_settled(event *s) {
  if (!s->friction_loaded) return true;
  event_set(s, s->w.t, s->w.y);
  event_take_closed(s);
  if (!event_accelerate(s)) return true;  // told when it is tried again
  const double agreement = s->redundant ? RESPONSE_HELD_NOISE : 1e-9;
  bool settled = true;
  for
    EACH_JOINT(i, s) {
      const event_point *c = event_joint_point(s, i);
      double limit = c->force[0], decided = s->joint[i].limit_decided;
      if (!c->size || (c->mode == MODE_STICK && fabs(c->force[1]) <= fmin(limit, decided))) continue;
      settled &= fabs(limit - decided) <= agreement * limit;
    }
  return settled;
}

// --- impacts ---------------------------------------------------------------------------------------------------------

void event_friction_begin_impact(event *s) {
  const mechanism *m = s->w.m;
  for
    EACH_JOINT(i, s) event_joint_point(s, i)->percussion = 0;
  if (!s->friction_loaded) return;
  memset(s->w.x->udot, 0, (size_t)m->nv * sizeof *s->w.x->udot);
  memset(s->w.x->lambda, 0, (size_t)m->row_count * sizeof *s->w.x->lambda);
  tree_inverse(m, s->w.x, s->w.x->udot, s->w.x->speed_work[0]);
  for
    EACH_JOINT(i, s) dynamics_reaction(m, s->w.x, m->frictions[i].of.joint, &s->joint[i].force0, &s->joint[i].torque0);
}

// Reactions are linear in forces and accelerations: with the percussions added to the one and the jump of speeds in
// place of the other, what is more than before is the percussion that the joint carries.
bool event_friction_agrees_in_impact(event *s, int turn) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  bool agrees = true;
  if (!s->friction_loaded) return true;
  memcpy(x->udot, response_to(m, x, s->lambda, x->row_total), (size_t)m->nv * sizeof *x->udot);
  memcpy(x->lambda, s->lambda, (size_t)m->row_count * sizeof *x->lambda);
  constraint_push(m, x, s->lambda, x->row_total);
  tree_inverse(m, x, x->udot, x->speed_work[0]);
  for
    EACH_JOINT(i, s) {
      event_joint *j = &s->joint[i];
      event_point *c = event_joint_point(s, i);
      vec3 F, T;
      dynamics_reaction(m, x, m->frictions[i].of.joint, &F, &T);
      double found = friction_of_load(m, x, &m->frictions[i], vec3_sub(F, j->force0), vec3_sub(T, j->torque0));
      int row = c->row + 1;
      bool fits =
          friction_fits(s->lambda[row], c->percussion, found, s->problem_u[row], s->W[(long)row * (x->row_total + 1)]);
      agrees &= friction_meets_load(&j->search, &c->percussion, found, 1e-12, fits, turn);
    }
  for (int i = 0; i < x->row_total; i++) s->lambda[i] = -s->lambda[i];
  constraint_push(m, x, s->lambda, x->row_total);
  for (int i = 0; i < x->row_total; i++) s->lambda[i] = -s->lambda[i];
  return agrees;
}

double event_friction_end_impact(event *s) {
  double loss = 0;
  for
    EACH_JOINT(i, s) {
      int row = event_joint_point(s, i)->row + 1;
      loss -= 0.5 * (s->rate[row] + s->rate_after[row]) * s->lambda[row];
      event_joint_point(s, i)->percussion = 0;
    }
  flow_book(s->w.core, s->w.y, POWER_FRICTION, loss);
  return loss;
}
