// Scheme `compliant` (papers 000 and 001, the continuous formulation): surfaces press into each other and push back by
// a force law; everything is smooth motion on the integrators. What takes care is the start of contact, since a step
// that lands deep inside a surface meets a force that no motion has earned. By the option `entry`: the instants of
// touch, release and parting are found, and integration starts anew there (locate); a step that enters deeper than the
// bound is refused, as by the error control (reject; 000, procedure 2); back to the interpolated instant of touch, and
// anew (restart; 000, procedure 1); no control (none).
#ifndef SCHEME_COMPLIANT_H
#define SCHEME_COMPLIANT_H

#include "scheme/scheme.h"

extern const scheme_type scheme_compliant;
extern const scheme_about compliant_about;
// Fills in defaults that depend on the size of the model.
void compliant_complete(void *options, double length);

#endif
