// Dry friction of ideal joints, event by event. A friction sticks or slips. Where it sticks its row is held as a
// constraint's, and its event is that the effort it takes reaches f_max; where it slips it pushes with -f_max against its
// way, and its event is that it comes to a standstill. At a standstill a box in the problem of modes decides:
//   -f_max ≤ f ≤ f_max,   γ̇ = 0 inside, f opposed to γ̇ at the bounds.
// In an impact a constant limit gives no percussion; one that follows the load does, μ r times the percussion it carries.
#include <math.h>
#include <string.h>

#include "mechanics/constraint.h"
#include "mechanics/dry_friction.h"
#include "mechanics/dynamics.h"
#include "mechanics/response.h"
#include "mechanics/tree.h"
#include "scheme/event_internal.h"

void event_friction_create(event *s) {
  s->friction = ARENA_ARRAY(&s->w.memory, event_friction, s->w.m->friction_count + 1);
  for (int i = 0; i < s->w.m->friction_count; i++)
    s->friction[i] = (event_friction){.mode = MODE_STICK, .way = 1, .limit = s->w.m->frictions[i].limit,
                                       .driven = s->w.m->frictions[i].drive >= 0};
  s->friction_loaded = friction_depends_on_load(s->w.m);
}

bool event_friction_sticks(const event *s) {
  for (int i = 0; i < s->w.m->friction_count; i++)
    if (s->friction[i].mode == MODE_STICK) return true;
  return false;
}

// --- motion in fixed modes ----------------------------------------------------------------------------------------

void event_friction_add_rows(event *s) {
  s->friction_row0 = s->w.x->row_total;
  friction_add_rows(s->w.m, s->w.x);
}

void event_friction_push(event *s) {
  for (int i = 0; i < s->w.m->friction_count; i++) {
    const event_friction *f = &s->friction[i];
    s->w.x->friction_effort[i] = f->mode == MODE_SLIP ? -f->limit * f->way : 0;
  }
}

void event_friction_hold(event *s) {
  for (int i = 0; i < s->w.m->friction_count; i++)
    if (s->friction[i].mode == MODE_STICK) s->held.row[s->held.n++] = s->friction_row0 + i;
}

void event_friction_observe(event *s) {
  for (int i = 0; i < s->w.m->friction_count; i++) s->friction[i].rate = s->rate[s->friction_row0 + i];
}

void event_friction_take_forces(event *s) {
  for (int i = 0; i < s->w.m->friction_count; i++) {
    event_friction *f = &s->friction[i];
    f->force = f->mode == MODE_STICK ? s->lambda[s->friction_row0 + i] : -f->limit * f->way;
  }
}

void event_friction_keep_shares(event *s) {
  for (int i = 0; i < s->w.m->friction_count; i++) {
    event_friction *f = &s->friction[i];
    f->share = f->decided ? s->problem_r[f->unknown] : 0;
  }
}

void event_friction_recall_shares(event *s) {
  for (int i = 0; i < s->w.m->friction_count; i++) s->lambda[s->friction_row0 + i] = s->friction[i].share;
}

bool event_friction_holds(const event *s, int i) {
  const event_friction *f = &s->friction[i];
  return f->mode == MODE_STICK && fabs(f->share) < (1 - 1e-6) * f->limit;
}

// Slipping friction and the load it comes from depend on each other. Returns true if they agree, as well as the load is known.
bool event_friction_agrees(event *s, int turn) {
  bool agrees = true;
  if (!s->friction_loaded) return true;
  const double agreement = s->redundant ? RESPONSE_HELD_NOISE : 1e-12;
  tree_inverse(s->w.m, s->w.x, s->w.x->udot, s->w.x->speed_work[0]);
  for (int i = 0; i < s->w.m->friction_count; i++) {
    event_friction *f = &s->friction[i];
    if (!(s->w.m->frictions[i].coefficient > 0)) continue;
    double found = friction_limit(s->w.m, s->w.x, &s->w.m->frictions[i]);
    agrees &= friction_meets_load(&f->search, &f->limit, found, agreement, f->mode != MODE_SLIP, turn);
  }
  return agrees;
}

double event_friction_power(const event *s) {
  double power = 0;
  for (int i = 0; i < s->w.m->friction_count; i++)
    if (s->friction[i].mode == MODE_SLIP) power -= s->friction[i].force * s->friction[i].rate;
  return power;
}

void event_friction_show(event *s) {
  for (int i = 0; i < s->w.m->friction_count; i++) {
    const event_friction *f = &s->friction[i];
    s->w.x->friction_effort[i] = f->force;
    s->w.x->friction_slip[i] = f->mode == MODE_STICK ? 0 : f->way > 0 ? 1 : -1;
  }
}

// --- modes --------------------------------------------------------------------------------------------------------

// What a drive moves never sticks: friction turns round with the speed.
static void slip_with_drive(const event *s, event_friction *f, bool turns) {
  f->decided = false;
  f->mode = MODE_SLIP;
  if (turns) f->way = -f->way;
  else if (fabs(f->rate) > s->still) f->way = f->rate > 0 ? 1 : -1;
}

// What moves slips on, and so does what has just come loose; the rest is up to the problem of modes.
void event_friction_prepare(event *s, const event_instant *instant) {
  for (int i = 0; i < s->w.m->friction_count; i++) {
    event_friction *f = &s->friction[i];
    bool mine = instant->point == watcher_first_joint(&s->w) + i;
    if (f->driven) {
      slip_with_drive(s, f, mine && instant->kind == EVENT_SEIZE);
      continue;
    }
    f->decided = !(mine && instant->kind == EVENT_LOOSEN) &&
                 (!(fabs(f->rate) > s->still) || (mine && instant->kind == EVENT_SEIZE));
    f->limit_decided = f->limit;
    if (mine && instant->kind == EVENT_LOOSEN) f->way = f->force > 0 ? -1 : 1;
    else if (!f->decided) f->way = f->rate > 0 ? 1 : -1;
    f->mode = f->decided ? MODE_STICK : MODE_SLIP;
  }
}

int event_friction_add_boxes(event *s, int n, int *of) {
  for (int i = 0; i < s->w.m->friction_count; i++) {
    event_friction *f = &s->friction[i];
    if (!f->decided) continue;
    f->unknown = n;
    of[n] = s->friction_row0 + i;
    block_list_add(&s->blocks, block_of_friction(n++, f->limit));
  }
  return n;
}

void event_friction_read(event *s, double scale) {
  for (int i = 0; i < s->w.m->friction_count; i++) {
    event_friction *f = &s->friction[i];
    if (!f->decided) continue;
    double force = s->problem_r[f->unknown], start = s->problem_u[f->unknown];
    bool slips = fabs(force) >= (1 - 1e-9) * f->limit && fabs(start) > 1e-9 * scale;
    f->mode = slips ? MODE_SLIP : MODE_STICK;
    if (slips) f->way = start > 0 ? 1 : -1;
  }
}

// Modes were decided with limits from the load before. Returns true if they are the same with those that the modes
// bring about.
bool event_friction_is_settled(event *s) {
  if (!s->friction_loaded) return true;
  event_set(s, s->w.t, s->w.y);
  event_take_closed(s);
  if (!event_accelerate(s)) return true;  // told when it is tried again
  bool settled = true;
  for (int i = 0; i < s->w.m->friction_count; i++) {
    const event_friction *f = &s->friction[i];
    if (!f->decided || (f->mode == MODE_STICK && fabs(f->force) <= fmin(f->limit, f->limit_decided))) continue;
    settled &= fabs(f->limit - f->limit_decided) <= 1e-9 * f->limit;
  }
  return settled;
}

// --- impacts ------------------------------------------------------------------------------------------------------

void event_friction_add_percussions(event *s, int row) {
  for (int i = 0; i < s->w.m->friction_count; i++) {
    block_list_add(&s->blocks, block_of_friction(row + i, s->friction[i].percussion));
    s->problem_q[row + i] = s->rate[row + i];
  }
}

void event_friction_begin_impact(event *s) {
  const mechanism *m = s->w.m;
  for (int i = 0; i < m->friction_count; i++) s->friction[i].percussion = 0;
  if (!s->friction_loaded) return;
  memset(s->w.x->udot, 0, (size_t)m->nv * sizeof *s->w.x->udot);
  memset(s->w.x->lambda, 0, (size_t)m->row_count * sizeof *s->w.x->lambda);
  tree_inverse(m, s->w.x, s->w.x->udot, s->w.x->speed_work[0]);
  for (int i = 0; i < m->friction_count; i++)
    dynamics_reaction(m, s->w.x, m->frictions[i].of.joint, &s->friction[i].force0, &s->friction[i].torque0);
}

// Reactions are linear in forces and accelerations: with the percussions added to the one and the jump of speeds in place
// of the other, what is more than before is the percussion that the joint carries.
bool event_friction_agrees_in_impact(event *s, int turn) {
  const mechanism *m = s->w.m;
  motion *x = s->w.x;
  bool agrees = true;
  if (!s->friction_loaded) return true;
  memcpy(x->udot, response_to(m, x, s->lambda, x->row_total), (size_t)m->nv * sizeof *x->udot);
  memcpy(x->lambda, s->lambda, (size_t)m->row_count * sizeof *x->lambda);
  constraint_push(m, x, s->lambda, x->row_total);
  tree_inverse(m, x, x->udot, x->speed_work[0]);
  for (int i = 0; i < m->friction_count; i++) {
    event_friction *f = &s->friction[i];
    vec3 F, T;
    dynamics_reaction(m, x, m->frictions[i].of.joint, &F, &T);
    double found = friction_of_load(m, x, &m->frictions[i], vec3_sub(F, f->force0), vec3_sub(T, f->torque0));
    int row = s->friction_row0 + i;
    bool fits = friction_fits(s->lambda[row], f->percussion, found, s->problem_u[row], s->W[(long)row * x->row_total + row]);
    agrees &= friction_meets_load(&f->search, &f->percussion, found, 1e-12, fits, turn);
  }
  for (int i = 0; i < x->row_total; i++) s->lambda[i] = -s->lambda[i];
  constraint_push(m, x, s->lambda, x->row_total);
  for (int i = 0; i < x->row_total; i++) s->lambda[i] = -s->lambda[i];
  return agrees;
}

double event_friction_end_impact(event *s) {
  double loss = 0;
  for (int i = 0; i < s->w.m->friction_count; i++) {
    int row = s->friction_row0 + i;
    loss -= 0.5 * (s->rate[row] + s->rate_after[row]) * s->lambda[row];
    s->friction[i].percussion = 0;
  }
  flow_book(s->w.core, s->w.y, POWER_FRICTION, loss);
  return loss;
}
