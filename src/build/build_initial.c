// Fills the arrays of given initial values, with which assembly works, from the definition.
#include <math.h>
#include <string.h>

#include "build/builder.h"
#include "mechanics/flexible.h"
#include "mechanics/joint.h"

#define MANY_TURNS 12.6  // [rad]

// What the coordinates of a joint are, or its speeds, in their order.
static const char *order_hint(builder *b, const joint_type *type, bool planar, bool speeds) {
  const char *kinds = planar ? type->kinds_planar : type->kinds_spatial;
  static const char *const places[] = {"", "travel", "x, y", "x, y, z"};
  arena_text list = {0};
  for (size_t i = 0, n; kinds && kinds[i]; i += n) {
    n = strspn(kinds + i, (char[]){kinds[i], '\0'});
    arena_append(b->memory, &list, "%s", i ? ", " : "");
    if (kinds[i] == 'q')
      arena_append(b->memory, &list, "%s",
                   speeds ? "angular velocity x, y, z in the axes of the second" : "quaternion w, x, y, z");
    else if (kinds[i] == 'a') arena_append(b->memory, &list, "%s", n == 1 ? "angle" : "the angles, first to last");
    else arena_append(b->memory, &list, "%s", places[n <= 3 ? n : 0]);
  }
  return list.text ? arena_print(b->memory, "in this order: %s%s", speeds && kinds[0] != 'q' ? "the rates of " : "",
                                 list.text)
                   : NULL;
}

static bool take_numbers(builder *b, const part *p, const char *key, carom_numbers n, int wanted, double *to,
                         bool *given, const char *hint) {
  if (!n.items) return true;
  if (n.count != wanted)
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, &initial_table, key), hint,
                        "'%s' of '%s' takes %d number%s, not %d", key, p->name, wanted, wanted == 1 ? "" : "s",
                        n.count);
  for (int k = 0; k < wanted; k++) to[k] = n.items[k], given[k] = true;
  return true;
}

// An angle of many turns is most likely in degrees.
static void note_turns(builder *b, const part *p, const char *key, carom_numbers n, const joint_type *type,
                       bool planar) {
  const char *kinds = planar ? type->kinds_planar : type->kinds_spatial;
  for (int k = 0; k < n.count && kinds && kinds[k]; k++) {
    if (kinds[k] != 'a' || !(fabs(n.items[k]) > MANY_TURNS)) continue;
    builder_note_at(b, builder_place(p, &initial_table, key),
                    "'%s' of '%s' is %g rad, which is %.1f turns; degrees need their unit: %g deg", key, p->name,
                    n.items[k], n.items[k] / 6.283185307179586, n.items[k]);
    return;
  }
}

static bool is_turned(const carom_initial_def *d) {
  return d->rotate[0] != 0 || d->rotate[1] != 0 || d->rotate[2] != 0 || d->rotate[3] != 0;
}

// Coordinates are given in one form, and orientation and position apart only where a joint has them.
static bool check_forms(builder *b, const part *p, const joint_type *type, bool planar) {
  const carom_initial_def *d = p->content;
  const char *apart = is_turned(d) ? "rotate" : d->at.items ? "at" : NULL;
  bool has_quaternion = !planar && type->quaternion_q >= 0, has_place = has_quaternion && type->spatial.nq == 7;
  const char *second = d->q.items && d->guess.items ? "guess" : d->q.items || d->guess.items ? apart : NULL;
  if (second)
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, &initial_table, second), NULL,
                        "'%s' has both '%s' and '%s'", p->name, d->q.items ? "q" : "guess", second);
  const char *wrong = is_turned(d) && !has_quaternion ? "rotate" : d->at.items && !has_place ? "at" : NULL;
  return !wrong ||
         source_error(
             b->error, CAROM_ERROR_MODEL, builder_place(p, &initial_table, wrong), order_hint(b, type, planar, false),
             "'rotate' is for free and spherical joints in space, 'at' for free ones; give 'q' of '%s'", p->name);
}

static bool fill_joint_initial(builder *b, const mechanism *m, const part *p, initial_state *s) {
  const carom_initial_def *d = p->content;
  bool turned = is_turned(d);
  if (!d->q.items && !d->u.items && !d->guess.items && !turned && !d->at.items) return true;
  int i = names_find(&b->joints, p->name);
  if (i < 0)
    return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, builder_hint(b, p->name, &b->def->joints, NULL),
                        "'q', 'u', 'guess', 'rotate' and 'at' belong to joints, and there is no joint '%s'", p->name);
  const joint *j = &m->joints[i];
  const joint_space *space = joint_in(j->type, m->planar);
  if (!check_forms(b, p, j->type, m->planar)) return false;
  bool ignored[JOINT_MAX_COORDINATES];
  const char *order = order_hint(b, j->type, m->planar, false);
  if (!take_numbers(b, p, "guess", d->guess, space->nq, s->q + j->q, ignored, order)) return false;
  if (!take_numbers(b, p, "q", d->q, space->nq, s->q + j->q, s->q_given + j->q, order)) return false;
  if (turned)
    for (int k = 0, e = j->q + j->type->quaternion_q; k < 4; k++) s->q[e + k] = d->rotate[k], s->q_given[e + k] = true;
  int at = j->q + space->nq - 3;
  if (d->at.items && !take_numbers(b, p, "at", d->at, 3, s->q + at, s->q_given + at, "the components along x, y, z"))
    return false;
  if ((d->q.items || d->guess.items || turned) && space->nq != space->nv) {
    const double *e = s->q + j->q + j->type->quaternion_q;
    if (!(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] > 1e-12))
      return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, &initial_table, "q"), NULL,
                          "the quaternion of '%s' is zero", p->name);
    joint_normalize(j->type, m->planar, s->q + j->q);
  }
  note_turns(b, p, "q", d->q, j->type, m->planar);
  note_turns(b, p, "guess", d->guess, j->type, m->planar);
  return take_numbers(b, p, "u", d->u, space->nv, s->u + j->v, s->u_given + j->v,
                      order_hint(b, j->type, m->planar, true));
}

static bool fill_body_initial(builder *b, const mechanism *m, const part *p, initial_state *s) {
  const carom_initial_def *d = p->content;
  if (!d->omega.items && !d->velocity.items && !d->turn.items && !d->shift.items) return true;
  int i = names_find(&b->bodies, p->name);
  if (i < 1)
    return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, builder_hint(b, p->name, &b->def->bodies, NULL),
                        "'omega', 'velocity', 'turn' and 'shift' belong to bodies, and there is no body '%s'", p->name);
  double *v = s->body_velocity + 6 * i, *shift = s->body_shift + 6 * i;
  bool *v_given = s->body_velocity_given + 6 * i, *shift_given = s->body_shift_given + 6 * i;
  int angular = m->planar ? 2 : 0;
  const char *axes =
      m->planar ? "in the plane a turn is one number, and a translation has x, y" : "the components along x, y, z";
  return take_numbers(b, p, "omega", d->omega, m->planar ? 1 : 3, v + angular, v_given + angular, axes) &&
         take_numbers(b, p, "velocity", d->velocity, m->planar ? 2 : 3, v + 3, v_given + 3, axes) &&
         take_numbers(b, p, "turn", d->turn, m->planar ? 1 : 3, shift + angular, shift_given + angular, axes) &&
         take_numbers(b, p, "shift", d->shift, m->planar ? 2 : 3, shift + 3, shift_given + 3, axes);
}

// Those of body `body_index` stand behind those of the bodies before it.
static bool fill_modes_initial(builder *b, const mechanism *m, const part *p, initial_state *s) {
  const carom_initial_def *d = p->content;
  if (!d->modes.items && !d->mode_rates.items) return true;
  const int i = names_find(&b->bodies, p->name);
  const place at = builder_place(p, &initial_table, d->modes.items ? "modes" : "mode_rates");
  if (i < 1 || !m->bodies[i].flex)
    return source_error(b->error, CAROM_ERROR_MODEL, at, NULL,
                        "'modes' and 'mode_rates' belong to flexible bodies, and '%s' is none", p->name);
  int first = 0;
  const int count = m->bodies[i].flex->modes;
  for (int k = 1; k < i; k++) first += m->bodies[k].flex ? m->bodies[k].flex->modes : 0;
  bool *ignored = ARENA_ARRAY(b->memory, bool, count);
  const char *hint = "one per mode, in the order in which 'carom check --signals' lists them";
  return take_numbers(b, p, "modes", d->modes, count, s->modes + first, ignored, hint) &&
         take_numbers(b, p, "mode_rates", d->mode_rates, count, s->mode_rates + first, ignored, hint);
}

bool builder_check_shifts(builder *b, const mechanism *m) {
  for (int i = 0; i < b->def->initials.count; i++) {
    const part *p = &b->def->initials.items[i];
    const carom_initial_def *d = p->content;
    if (!d->turn.items && !d->shift.items) continue;
    int body = names_find(&b->bodies, p->name);
    const node *n = body > 0 ? &m->nodes[m->bodies[body].node] : NULL;
    if (n && n->joint >= 0)
      return source_error(
          b->error, CAROM_ERROR_MODEL, builder_place(p, &initial_table, d->shift.items ? "shift" : "turn"), NULL,
          "joint '%s' carries '%s', so give q of that joint: 'shift' and 'turn' are for bodies that only joints with "
          "clearance hold",
          m->joints[n->joint].name, p->name);
  }
  return true;
}

void builder_take_own(builder *b, const mechanism *m, initial_state *ideal) {
  const bool *given = ideal->body_velocity_given;
  ideal->body_velocity_given = ARENA_ARRAY(b->memory, bool, 6 * m->body_count);
  for (int i = 1; i < m->body_count; i++) {
    bool floats = m->nodes[m->bodies[i].node].joint < 0;
    for (int k = 6 * i; k < 6 * i + 6; k++) ideal->body_velocity_given[k] = given[k] && !floats;
  }
}

bool builder_initial(builder *b, const mechanism *m, initial_state *s) {
  s->q = ARENA_ARRAY(b->memory, double, m->joint_nq + 1), s->u = ARENA_ARRAY(b->memory, double, m->joint_nv + 1);
  s->q_given = ARENA_ARRAY(b->memory, bool, m->joint_nq + 1),
  s->u_given = ARENA_ARRAY(b->memory, bool, m->joint_nv + 1);
  s->body_velocity = ARENA_ARRAY(b->memory, double, 6 * m->body_count);
  s->body_velocity_given = ARENA_ARRAY(b->memory, bool, 6 * m->body_count);
  s->modes = ARENA_ARRAY(b->memory, double, m->nv + 1), s->mode_rates = ARENA_ARRAY(b->memory, double, m->nv + 1);
  s->body_shift = ARENA_ARRAY(b->memory, double, 6 * m->body_count);
  s->body_shift_given = ARENA_ARRAY(b->memory, bool, 6 * m->body_count);
  for (int i = 0; i < m->joint_count; i++) joint_reset(m->joints[i].type, m->planar, s->q + m->joints[i].q);
  for (int i = 0; i < b->def->initials.count; i++) {
    const part *p = &b->def->initials.items[i];
    if (!fill_joint_initial(b, m, p, s) || !fill_body_initial(b, m, p, s) || !fill_modes_initial(b, m, p, s))
      return false;
    if (names_find(&b->joints, p->name) < 0 && names_find(&b->bodies, p->name) < 0)
      return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole,
                          builder_hint(b, p->name, &b->def->joints, &b->def->bodies), "there is no joint or body '%s'",
                          p->name);
  }
  return true;
}

bool *builder_known_joints(builder *b) {
  bool *wanted = ARENA_ARRAY(b->memory, bool, b->def->joints.count + 1);
  for (int i = 0; i < b->def->initials.count; i++) {
    const carom_initial_def *d = b->def->initials.items[i].content;
    int j = names_find(&b->joints, b->def->initials.items[i].name);
    if (j >= 0 && (d->q.items || d->at.items || is_turned(d))) wanted[j] = true;
  }
  return wanted;
}
