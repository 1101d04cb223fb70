// The members of the family. A new scheme is one line here, beside its own files.
#include "scheme/registry.h"

#include <string.h>

#include "scheme/compliant.h"
#include "scheme/event.h"
#include "scheme/iterative.h"
#include "scheme/lcp_position.h"
#include "scheme/lcp_velocity.h"
#include "scheme/moreau.h"
#include "scheme/smooth.h"
#include "scheme/stewart_trinkle.h"

static const scheme_type *const members[] = {
    &scheme_smooth,    &scheme_moreau,    &scheme_stewart_trinkle, &scheme_event,
    &scheme_compliant, &scheme_iterative, &scheme_lcp_position,    &scheme_lcp_velocity,
};

// A test program may define a list of its own, with null after the last, that has members beside these.
extern const scheme_type *const scheme_test_members[] __attribute__((weak));

const scheme_type *const *scheme_types(int *count) {
  *count = sizeof members / sizeof *members;
  if (!scheme_test_members) return members;
  for (*count = 0; scheme_test_members[*count];) ++*count;
  return scheme_test_members;
}

const scheme_type *scheme_find(const char *name) {
  int count;
  const scheme_type *const *list = scheme_types(&count);
  for (int i = 0; name && i < count; i++)
    if (strcmp(list[i]->name, name) == 0) return list[i];
  return NULL;
}
