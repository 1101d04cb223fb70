// The list of surfaces.
#include "build/surface.h"

#include <string.h>

extern const surface_type surface_point, surface_sphere, surface_box, surface_plane;

static const surface_type *const all[] = {
    &surface_point,
    &surface_sphere,
    &surface_box,
    &surface_plane,
};
enum { COUNT = sizeof all / sizeof *all };
_Static_assert((int)COUNT <= (int) OPTION_MEMBERS_MAX, "more members than a reader has room for");

const surface_type *const *surface_types(int *count) {
  *count = COUNT;
  return all;
}

int surface_tables(const option_table *tables[OPTION_MEMBERS_MAX]) {
  for (int i = 0; i < COUNT; i++) tables[i] = all[i]->table;
  return COUNT;
}

const surface_type *surface_find(const char *kind) {
  for (int i = 0; i < COUNT; i++)
    if (kind && strcmp(all[i]->table->name, kind) == 0) return all[i];
  return NULL;
}
