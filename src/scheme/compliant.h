// Scheme `compliant` (papers 000 and 001, the continuous formulation): surfaces press into each other and push back by a
// force law; everything is smooth motion on the integrators. What takes care is the start of contact, since a step that
// lands deep inside a surface meets a force that no motion has earned.
#ifndef SCHEME_COMPLIANT_H
#define SCHEME_COMPLIANT_H

#include "scheme/scheme.h"
#include "scheme/flow.h"

typedef enum compliant_entry {
  ENTRY_LOCATE,    // the instants of touch, release and parting are found, and integration starts anew there
  ENTRY_REJECT,    // a step that enters deeper than the bound is refused, as by the error control (000, procedure 2)
  ENTRY_RESTART,   // back to the interpolated instant of touch, and anew (000, procedure 1)
  ENTRY_NONE,      // no control
} compliant_entry;

typedef struct compliant_settings {
  flow_settings flow;
  compliant_entry entry;
  double penetration_max;   // of a contact when it is first met [m]
  double approach_min;      // what a law that divides by the speed of approach is given at least [m/s]
  bool approach_by_energy;  // and at least the speed that the stored elastic energy would give
} compliant_settings;

extern const scheme_type scheme_compliant;
extern const scheme_about compliant_about;
compliant_settings compliant_settings_from(const scheme_setup *setup);

#endif
