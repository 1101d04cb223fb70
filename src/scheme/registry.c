// The members of the family. A new scheme is one line here, beside its own files.
#include "scheme/registry.h"

#include <string.h>

#include "scheme/compliant.h"
#include "scheme/event.h"
#include "scheme/moreau.h"
#include "scheme/smooth.h"

static const scheme_type *const members[] = {
    &scheme_smooth,
    &scheme_moreau,
    &scheme_event,
    &scheme_compliant,
};

const scheme_type *const *scheme_types(int *count) {
  *count = sizeof members / sizeof *members;
  return members;
}

const scheme_type *scheme_find(const char *name) {
  for (size_t i = 0; name && i < sizeof members / sizeof *members; i++)
    if (strcmp(members[i]->name, name) == 0) return members[i];
  return NULL;
}
