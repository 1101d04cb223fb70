// The members of the family of schemes in tests that go over all of them: those of the library, in its order, and those
// of tests.
#include "scheme/compliant.h"
#include "scheme/event.h"
#include "scheme/iterative.h"
#include "scheme/lcp_position.h"
#include "scheme/lcp_velocity.h"
#include "scheme/moreau.h"
#include "scheme/smooth.h"
#include "scheme/stewart_trinkle.h"
#include "scheme_euler.h"

extern const scheme_type *const scheme_test_members[];
const scheme_type *const scheme_test_members[] = {
    &scheme_smooth,    &scheme_moreau,       &scheme_stewart_trinkle, &scheme_event, &scheme_compliant,
    &scheme_iterative, &scheme_lcp_position, &scheme_lcp_velocity,    &scheme_euler, NULL,
};
