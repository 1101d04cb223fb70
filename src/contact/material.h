// How two surfaces meet: what rigid methods read, and the force laws of continuous contact.
#ifndef CONTACT_MATERIAL_H
#define CONTACT_MATERIAL_H

#include "contact/law.h"
#include "contact/solid.h"
#include "mechanics/fault.h"

// What a law is used beyond, as bits.
enum {
  REMARK_RESTITUTION = 1,  // prescribed and achieved restitution are more than a tenth apart
  REMARK_CONFORMAL = 2,    // Hertz's stiffness of surfaces that nearly fit into each other
};

typedef struct contact_material {
  double restitution;             // Newton's, normal [-]
  double tangential_restitution;  // [-]
  double friction;                // Coulomb's coefficient [-]
  bool resists_turning;           // rolling, or in space spinning, is above 0
  const char *name;
  double rolling, spinning;  // largest moments against turning over the normal force [m]
  normal_law normal;         // stiffness 0 and modulus 0 until resolved, unless given outright; type null where a
  friction_law tangential;   // stop has no material at all
  double foundation;         // stiffness per area of surfaces that touch with an area; 0: none [N/m³]
  bool has_solids;
  solid solids[2];
  double achieved;  // restitution that the normal law will give back; NaN if it is not known beforehand [-]
  int remarks;
} contact_material;

// For methods that press surfaces in: the stiffness of a contact with these radii (as stiffness_hertz takes them), and
// whether its laws are functions at all. `line`: they touch along a line, as cylinders do. `curved`: the radii depend
// on where they touch, and the stiffness is found there, from the modulus. Returns false and sets the fault to what
// `owner` lacks.
bool material_resolve(contact_material *m, const double radius[2], bool line, bool curved, const char *owner, fault *f);
// The same of surfaces that touch with an area, for which the foundation is the stiffness.
bool material_resolve_area(const contact_material *m, const char *owner, fault *f);

#endif
