// Units that depend on a coordinate: a joint that turns has angles and torques, one that slides lengths and forces.
#include <string.h>

#include "build/builder.h"
#include "mechanics/coordinate.h"
#include "mechanics/flexible.h"
#include "mechanics/force.h"
#include "mechanics/joint.h"

static const char *because(builder *b, const char *joint_name, bool slides) {
  return arena_print(b->memory, "since '%s' %s", joint_name, slides ? "slides" : "turns");
}

wanted_unit builder_unit_along(builder *b, const mechanism *m, coordinate of, const char *key) {
  if (of.joint < 0) return ANY_UNIT;
  bool slides = coordinate_slides(m, of), motion = strcmp(key, "motion") == 0;
  dimension dim = motion ? (slides ? DIM_LENGTH : DIM_ANGLE) : slides ? DIM_FORCE : DIM_TORQUE;
  return (wanted_unit){dim, key, because(b, m->joints[of.joint].name, slides)};
}

// The unit in which the k-th number of an option was written; DIM_ANY without one.
static dimension written(const part *p, const option_table *table, const char *key, int k) {
  for (int i = 0; p->places.dims && i < table->count; i++)
    if (strcmp(table->options[i].key, key) == 0 && p->places.dims[i]) return p->places.dims[i][k];
  return DIM_ANY;
}

static bool check(builder *b, const part *p, const option_table *table, const char *key, int k, dimension wanted,
                  const char *why) {
  dimension got = written(p, table, key, k);
  if (dimension_equal(wanted, got)) return true;
  char complaint[DIMENSION_COMPLAINT], advice[DIMENSION_ADVICE];
  return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, table, key),
                      dimension_advice(wanted, got, "", false, advice), "'%s' of '%s' must be %s%s%s", key, p->name,
                      dimension_complaint(wanted, got, complaint), why ? ", " : "", why ? why : "");
}

// Modal coordinates are lengths, and those of twists angles.
static bool check_modes(builder *b, const mechanism *m, const part *p) {
  const carom_initial_def *d = p->content;
  const int i = names_find(&b->bodies, p->name);
  const flexible_body *f = i > 0 ? m->bodies[i].flex : NULL;
  for (int k = 0; f && k < f->modes; k++) {
    const bool turns = f->kinds[k] == 'a';
    const char *why = turns ? "since this mode is a twist" : NULL;
    if (k < d->modes.count && !check(b, p, &initial_table, "modes", k, turns ? DIM_ANGLE : DIM_LENGTH, why))
      return false;
    if (k < d->mode_rates.count && !check(b, p, &initial_table, "mode_rates", k, turns ? DIM_RATE : DIM_SPEED, why))
      return false;
  }
  return true;
}

// Coordinates: lengths, angles, and quaternions, which have no unit; their rates. A list of another length is refused
// later, with the order of its numbers.
static bool check_initial(builder *b, const mechanism *m, const part *p) {
  const carom_initial_def *d = p->content;
  int i = names_find(&b->joints, p->name);
  if (i < 0) return true;
  const joint_type *type = m->joints[i].type;
  const joint_space *space = joint_in(type, m->planar);
  const char *kinds = m->planar ? type->kinds_planar : type->kinds_spatial;
  for (int k = 0; k < space->nq; k++) {
    dimension wanted = kinds[k] == 't' ? DIM_LENGTH : kinds[k] == 'a' ? DIM_ANGLE : DIM_NONE;
    const char *why = kinds[k] == 'q' ? NULL : because(b, p->name, kinds[k] == 't');
    if (d->q.count == space->nq && !check(b, p, &initial_table, "q", k, wanted, why)) return false;
    if (d->guess.count == space->nq && !check(b, p, &initial_table, "guess", k, wanted, why)) return false;
  }
  for (int k = 0; k < space->nv && d->u.count == space->nv; k++) {
    bool slides = space->nq != space->nv ? k >= 3 : kinds[k] == 't';
    if (!check(b, p, &initial_table, "u", k, slides ? DIM_SPEED : DIM_RATE, because(b, p->name, slides))) return false;
  }
  return true;
}

static bool check_limits(builder *b, const mechanism *m, const part *p, int index) {
  const carom_joint_def *d = p->content;
  if (!d->limits.count) return true;
  bool slides = coordinate_slides(m, (coordinate){index, 0});
  for (int k = 0; k < d->limits.count; k++)
    if (!check(b, p, builder_joint_table(p->kind), "limits", k, slides ? DIM_LENGTH : DIM_ANGLE,
               because(b, p->name, slides)))
      return false;
  return true;
}

static bool check_force(builder *b, const mechanism *m, const part *p, const force *f) {
  const force_type *type = f->type;
  if (!type->unit) return true;
  const carom_force_def *d = p->content;
  bool along = f->of.joint >= 0, slides = along && coordinate_slides(m, f->of);
  const char *why = along ? because(b, m->joints[f->of.joint].name, slides) : NULL;
  for (int k = 0; k < d->stiffness.count; k++)
    if (!check(b, p, type->table, "stiffness", k, type->unit(FORCE_STIFFNESS, k, d->stiffness.count, slides), why))
      return false;
  for (int k = 0; k < d->damping.count; k++)
    if (!check(b, p, type->table, "damping", k, type->unit(FORCE_DAMPING, k, d->damping.count, slides), why))
      return false;
  return check(b, p, type->table, "rest", 0, type->unit(FORCE_REST, 0, 1, slides), why);
}

bool builder_check_units(builder *b, const mechanism *m) {
  const carom_def *def = b->def;
  if (!def->text) return true;  // numbers in code have no unit
  for (int i = 0; i < def->joints.count; i++)
    if (!check_limits(b, m, &def->joints.items[i], i)) return false;
  for (int i = 0; i < def->forces.count; i++)
    if (!check_force(b, m, &def->forces.items[i], &m->forces[i])) return false;
  for (int i = 0; i < def->initials.count; i++)
    if (!check_initial(b, m, &def->initials.items[i]) || !check_modes(b, m, &def->initials.items[i])) return false;
  return true;
}
