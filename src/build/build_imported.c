// Flexible bodies of matrices that another program wrote: their files, elements and mass.
#include <math.h>
#include <string.h>

#include "build/flexible_builder.h"
#include "flex/calculix.h"
#include "flex/imported.h"
#include "flex/matrix_market.h"

enum { BYTES_MAX = 1 << 30 };

static place key_place(const flexible_builder *fb, const char *key) {
  return flexible_place(fb, fb->d->finite_elements->origin, &finite_elements_table, key);
}

// The bytes of the file with the name of the matrices and an ending.
static bool read_file(builder *b, const flexible_builder *fb, const char *ending, const char **path, file_bytes *to) {
  const place at = key_place(fb, "matrices");
  const char *name = arena_print(b->memory, "%s%s", fb->d->finite_elements->matrices, ending);
  *path = builder_path(b, at, name);
  if (!builder_read_file(b, at, *path, BYTES_MAX, "coarsen the mesh", to)) return false;
  builder_keep_file(b, name, *path, to);
  return true;
}

static bool refuse(builder *b, const flexible_builder *fb, const char *path, const char *why) {
  return source_error(b->error, CAROM_ERROR_MODEL, key_place(fb, "matrices"), NULL, "'%s': %s", path, why);
}

static bool read_market(builder *b, flexible_builder *fb, imported_body *to) {
  arena *scratch = &b->model->scratch;
  char why[LINES_WHY];
  const char *path;
  file_bytes bytes;
  return read_file(b, fb, ".nodes", &path, &bytes) &&
         (node_table_read(bytes.items, bytes.length, scratch, to, why) || refuse(b, fb, path, why)) &&
         read_file(b, fb, ".mass.mtx", &path, &bytes) &&
         (matrix_market_read(bytes.items, bytes.length, scratch, &to->mass, why) || refuse(b, fb, path, why)) &&
         read_file(b, fb, ".stiffness.mtx", &path, &bytes) &&
         (matrix_market_read(bytes.items, bytes.length, scratch, &to->stiffness, why) || refuse(b, fb, path, why));
}

static bool read_calculix(builder *b, flexible_builder *fb, imported_body *to) {
  arena *scratch = &b->model->scratch;
  char why[LINES_WHY];
  const char *path;
  file_bytes bytes;
  return read_file(b, fb, ".dof", &path, &bytes) &&
         (calculix_rows_read(bytes.items, bytes.length, scratch, to, why) || refuse(b, fb, path, why)) &&
         read_file(b, fb, ".inp", &path, &bytes) &&
         (calculix_deck_read(bytes.items, bytes.length, scratch, &to->nodes, why) || refuse(b, fb, path, why)) &&
         read_file(b, fb, ".mas", &path, &bytes) &&
         (calculix_matrix_read(bytes.items, bytes.length, scratch, to->row_count, &to->mass, why) ||
          refuse(b, fb, path, why)) &&
         read_file(b, fb, ".sti", &path, &bytes) &&
         (calculix_matrix_read(bytes.items, bytes.length, scratch, to->row_count, &to->stiffness, why) ||
          refuse(b, fb, path, why));
}

// Each load case by its name: NAME.CASE.load has its forces, NAME.CASE.stiffness.mtx or NAME.CASE.sti the matrix.
static bool read_cases(builder *b, flexible_builder *fb, imported_body *to) {
  const carom_finite_elements_def *d = fb->d->finite_elements;
  arena *scratch = &b->model->scratch;
  char why[LINES_WHY];
  const char *path;
  file_bytes bytes;
  to->cases = ARENA_ARRAY(scratch, imported_case, d->loads.count), to->case_count = d->loads.count;
  for (int i = 0; i < d->loads.count; i++) {
    imported_case *c = &to->cases[i];
    c->name = d->loads.items[i];
    if (!read_file(b, fb, arena_print(scratch, ".%s.load", c->name), &path, &bytes)) return false;
    if (!imported_forces_read(bytes.items, bytes.length, scratch, c, why)) return refuse(b, fb, path, why);
    const bool calculix = d->format == CAROM_CALCULIX;
    const char *ending = arena_print(scratch, calculix ? ".%s.sti" : ".%s.stiffness.mtx", c->name);
    if (!read_file(b, fb, ending, &path, &bytes)) return false;
    if (calculix ? !calculix_matrix_read(bytes.items, bytes.length, scratch, to->row_count, &c->stiffness, why)
                 : !matrix_market_read(bytes.items, bytes.length, scratch, &c->stiffness, why))
      return refuse(b, fb, path, why);
  }
  return true;
}

// What loads do to its stiffness is known of load cases alone.
static bool check_loads(builder *b, const flexible_builder *fb) {
  if (fb->d->finite_elements->loads.count || fb->d->geometric_stiffness == CAROM_GEOMETRIC_NO) return true;
  if (fb->d->geometric_stiffness == CAROM_GEOMETRIC_YES)
    return flexible_refuse(b, fb, builder_place(fb->p, &body_table, "geometric_stiffness"),
                           "give 'loads' of 'finite_elements', or leave it out",
                           "imported matrices have geometric stiffness from load cases, and there are none");
  builder_note_at(b, key_place(fb, "matrices"),
                  "body '%s': imported matrices without 'loads' have no geometric stiffness; loads along it and its "
                  "rotation do not change how it bends ('geometric_stiffness: no' accepts that)",
                  fb->p->name);
  return true;
}

// The sets of nodes that markers follow.
static bool find_attached(builder *b, flexible_builder *fb) {
  const carom_names *names = &fb->d->finite_elements->attach;
  flex_place ignored;
  fb->attached = ARENA_ARRAY(&b->model->scratch, const flex_interface *, names->count);
  for (int i = 0; i < names->count; i++) {
    const flex_interface *set = interfaces_find(&fb->interfaces, names->items[i]);
    if (!set)
      return source_error(b->error, CAROM_ERROR_MODEL, key_place(fb, "attach"), flexible_interface_names(b, fb),
                          "body '%s': there is no set of nodes '%s' beside its matrices", fb->p->name, names->items[i]);
    if (!imported_place(&b->model->scratch, &fb->e, set, fb->e.nodes[set->nodes[0]], &ignored))
      return source_error(b->error, CAROM_ERROR_MODEL, key_place(fb, "attach"), "name a set of a face",
                          "body '%s': the nodes of '%s' lie on a line, so that their turn is not known", fb->p->name,
                          names->items[i]);
    fb->attached[fb->attached_count++] = set;
  }
  return true;
}

static vec3 mean_of(const flex_elements *e, const flex_interface *set) {
  vec3 sum = VEC3_ZERO;
  for (int i = 0; i < set->count; i++) sum = vec3_add(sum, e->nodes[set->nodes[i]]);
  return vec3_scale(1. / set->count, sum);
}

// Outside are points that are farther from the box around the nodes than a thousandth of its size.
static bool is_outside(const flex_elements *e, vec3 p) {
  vec3 low = e->nodes[0], high = low;
  for (int k = 1; k < e->node_count; k++) {
    const vec3 q = e->nodes[k];
    low = (vec3){fmin(low.x, q.x), fmin(low.y, q.y), fmin(low.z, q.z)};
    high = (vec3){fmax(high.x, q.x), fmax(high.y, q.y), fmax(high.z, q.z)};
  }
  const double m = 1e-3 * vec3_norm(vec3_sub(high, low));
  return p.x < low.x - m || p.y < low.y - m || p.z < low.z - m || p.x > high.x + m || p.y > high.y + m ||
         p.z > high.z + m;
}

// The set whose middle is nearest, and how far that is; null if markers follow no sets.
static const flex_interface *nearest_set(const flexible_builder *fb, vec3 p, double *way) {
  const flex_interface *best = NULL;
  *way = INFINITY;
  for (int i = 0; i < fb->attached_count; i++) {
    const double to_it = vec3_norm(vec3_sub(mean_of(&fb->e, fb->attached[i]), p));
    if (to_it < *way) *way = to_it, best = fb->attached[i];
  }
  return best;
}

bool flexible_imported_place(const flexible_builder *fb, vec3 p, flex_place *to) {
  double ignored;
  const flex_interface *best = nearest_set(fb, p, &ignored);
  return (best || !is_outside(&fb->e, p)) && imported_place(fb->scratch, &fb->e, best, p, to);
}

const char *flexible_imported_far_set(const flexible_builder *fb, vec3 p, double *way) {
  const flex_interface *set = nearest_set(fb, p, way);
  double radius = 0;
  for (int i = 0; set && i < set->count; i++)
    radius = fmax(radius, vec3_norm(vec3_sub(fb->e.nodes[set->nodes[i]], mean_of(&fb->e, set))));
  return set && *way > radius * (1 + 1e-9) ? set->name : NULL;
}

static body_mass mass_of(arena *scratch, const flex_elements *e) {
  floating_body body;
  floating_create(scratch, e, 0, NULL, NULL, &body);
  const flex_inertia *of = &body.inertia;
  const vec3 c = vec3_scale(1 / of->mass, of->first);
  const double *s = of->second.m, at[3] = {c.x, c.y, c.z};
  double spread[9];
  for (int k = 0; k < 9; k++) spread[k] = s[k] - of->mass * at[k / 3] * at[k % 3];
  return (body_mass){.mass = of->mass,
                     .com = c,
                     .inertia = {spread[4] + spread[8], spread[0] + spread[8], spread[0] + spread[4], -spread[1],
                                 -spread[2], -spread[5]},
                     .from_shape = true};
}

// A given mass is known to some digits; a wrong unit or a part that is missing is off by more than 1e-3.
static bool check_mass(builder *b, const flexible_builder *fb, const body_mass *have) {
  static const double DIGITS = 1e-3;
  const double given = fb->d->mass;
  if (given == 0 || fabs(have->mass - given) <= DIGITS * given) return true;
  return source_error(b->error, CAROM_ERROR_MODEL, builder_place(fb->p, &body_table, "mass"),
                      "look at 'mass' and 'length' of 'finite_elements', the units of the matrices, or leave it out",
                      "body '%s': its matrices have a mass of %.6g kg, not %.6g kg", fb->p->name, have->mass, given);
}

bool builder_finite_elements(builder *b, flexible_builder *fb, body_mass *mass) {
  const carom_finite_elements_def *d = fb->d->finite_elements;
  imported_body from = {0};
  char why[LINES_WHY];
  if (b->def->model.space == CAROM_PLANAR)
    return flexible_refuse(b, fb, fb->p->places.whole, "leave out 'space: planar'",
                           "imported matrices are for models in space");
  if (!(d->format == CAROM_CALCULIX ? read_calculix(b, fb, &from) : read_market(b, fb, &from))) return false;
  if (!read_cases(b, fb, &from)) return false;
  fb->scratch = &b->model->scratch;
  imported_result made = {0};
  if (!imported_elements(fb->scratch, &from, d->length, d->mass, &made, why))
    return source_error(b->error, CAROM_ERROR_MODEL, key_place(fb, "matrices"), NULL, "body '%s': %s", fb->p->name,
                        why);
  fb->e = made.e, fb->interfaces = made.interfaces, fb->loads = made.loads;
  if (!find_attached(b, fb) || !check_loads(b, fb)) return false;
  *mass = mass_of(fb->scratch, &fb->e);
  return check_mass(b, fb, mass);
}
