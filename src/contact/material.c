#include "contact/material.h"

#include <math.h>

typedef struct complaint {
  const char *owner, *law, *material;
  fault *to;
} complaint;

static bool lacks(const complaint *c, const char *hint, const char *what) {
  return fault_set(c->to, CAROM_ERROR_MODEL, (part_id){0}, hint, "'%s': law %s of material '%s' %s", c->owner, c->law,
                   c->material, what);
}

static bool resolve_point(contact_material *m, const double radius[2], bool curved, const complaint *c) {
  if (m->normal.stiffness > 0) return true;
  if (!m->has_solids)
    return lacks(c, "add stiffness: to the material, or solid:, or young: and poisson:", "needs a stiffness or solids");
  if (m->normal.exponent != 1.5)
    return lacks(c, "add stiffness:, or leave out exponent:", "computes a stiffness from solids only for exponent 1.5");
  if (curved) return m->normal.modulus = solid_modulus(m->solids), true;
  if (radius[0] == 0 || radius[1] == 0)
    return lacks(c, "add stiffness: to the material",
                 "needs a stiffness: a corner has no radius of curvature, and a curve has many");
  m->normal.stiffness = stiffness_hertz(m->solids, radius);
  if (isnan(m->normal.stiffness))
    return lacks(c, "add stiffness: to the material",
                 "cannot compute a stiffness: the contact of these surfaces is not a point contact");
  // a hollow surface and one that fills nine tenths of it
  if (radius[0] * radius[1] < 0 && fabs(radius[0] + radius[1]) < 0.1 * fmax(fabs(radius[0]), fabs(radius[1])))
    m->remarks |= REMARK_CONFORMAL;
  return true;
}

static bool resolve_line(contact_material *m, const double radius[2], const complaint *c) {
  if (!m->has_solids) return lacks(c, "add solid: to the material, or young: and poisson:", "needs solids");
  double sum = radius[0] + radius[1], difference = radius[0] * radius[1] < 0 ? -sum : sum;  // a hollow one is negative
  if (!isfinite(difference) || radius[0] == 0 || radius[1] == 0 || !(difference > 0))
    return lacks(c, "use a law with a stiffness", "needs two parallel cylinders, one beside or inside the other");
  m->normal.difference = difference;
  m->normal.modulus = solid_modulus(m->solids);
  return true;
}

static bool resolve_friction(const contact_material *m, const char *owner, fault *f) {
  if (m->friction > 0 && m->tangential.type->set_valued)
    return fault_set(f, CAROM_ERROR_MODEL, (part_id){0}, "use friction_law: brown-mcphee, or method moreau or event",
                     "'%s': this method needs a friction force that is a function of speed, and law %s of material "
                     "'%s' is set-valued",
                     owner, m->tangential.type->name, m->name);
  return true;
}

bool material_resolve_area(const contact_material *m, const char *owner, fault *f) {
  const normal_law_type *type = m->normal.type;
  complaint c = {owner, type->name, m->name, f};
  if (!type->elastic && !type->lambda)
    return lacks(&c, "use law: lankarani-nikravesh or another law with a restitution, or law: hooke",
                 "has no form for a pressure over an area, which the key 'foundation' asks for");
  return resolve_friction(m, owner, f);
}

bool material_resolve(contact_material *m, const double radius[2], bool line, bool curved, const char *owner,
                      fault *f) {
  const normal_law_type *type = m->normal.type;
  if (!type)
    return fault_set(f, CAROM_ERROR_MODEL, (part_id){0}, "add material: NAME with a stiffness",
                     "'%s' has no material, and this method needs its stiffness", owner);
  complaint c = {owner, type->name, m->name, f};
  if (!resolve_friction(m, owner, f)) return false;
  switch (type->contact) {
    case LAW_POINT: return resolve_point(m, radius, curved, &c);
    case LAW_LINE:
      return line ? resolve_line(m, radius, &c)
                  : lacks(&c, "use a law for point contact", "is for parallel cylinders, and these surfaces are not");
    case LAW_LINEAR: return m->normal.stiffness > 0 || lacks(&c, "add stiffness: to the material", "needs a stiffness");
    case LAW_OWN: return true;
  }
  return false;
}
