// The shapes of flexible bodies: the basis of modes, seen from the marker that carries the body, and with it stiffness,
// damping and inertia, and how each marker moves.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build/flexible_builder.h"
#include "flex/modes.h"
#include "math/vectors.h"
#include "mechanics/spanning.h"

enum { TURN_PLACES = 17 };   // along a beam with given functions, where its turns are looked at
enum { TURN_NODES = 2000 };  // of a body of finite elements, about
enum { DRAWN_PLACES = 33 };  // along a beam that is drawn

static place modes_place(const flexible_builder *fb, const char *key) {
  return flexible_place(fb, fb->d->modes->origin, &modes_table, key);
}

flex_place flexible_section(const flexible_builder *fb, double x) {
  return fb->given_count ? given_place(fb->given_count, fb->given, x) : beam_place(&fb->beam, &fb->e, x);
}

// --- markers ---------------------------------------------------------------------------------------------------------

// A marker that no name was given for belongs to a joint, a constraint, a force or a surface.
static place marker_origin(const builder *b, const mechanism *m, int index) {
  const carom_def *def = b->def;
  if (index < def->markers.count) return builder_place(&def->markers.items[index], &marker_table, "at");
  for (int i = 0; i < m->joint_count; i++)
    if (m->joints[i].first == index || m->joints[i].second == index) return def->joints.items[i].places.whole;
  for (int i = 0; i < m->constraint_count; i++)
    if (m->constraints[i].first == index || m->constraints[i].second == index)
      return def->constraints.items[i].places.whole;
  for (int i = 0; i < m->force_count; i++)
    if (m->forces[i].first == index || m->forces[i].second == index) return def->forces.items[i].places.whole;
  for (int i = 0; i < def->surfaces.count; i++)
    if (b->surface_marker[i] == index) return def->surfaces.items[i].places.whole;
  return (place){0};
}

// The x of the section of a beam at a point. Rounding beyond the ends is taken off.
static double section_x(const flexible_builder *fb, vec3 p) { return fmin(fmax(p.x, 0), fb->beam.length); }

// What of the body moves a point: the section of a beam, or the material of a solid there. Returns false if it is
// outside.
static bool place_at(const flexible_builder *fb, vec3 p, flex_place *to) {
  if (fb->e.node_mass) return flexible_imported_place(fb, p, to);
  if (fb->is_solid) return planar_solid_place(&fb->solid, &fb->e, (vec2){p.x, p.y}, to);
  *to = flexible_section(fb, section_x(fb, p));
  return true;
}

static bool check_inside(builder *b, const mechanism *m, const flexible_builder *fb, int body_index) {
  for (int i = 0; i < m->marker_count; i++) {
    const vec3 p = m->markers[i].local.p;
    flex_place ignored;
    if (m->markers[i].body != body_index || place_at(fb, p, &ignored)) continue;
    return source_error(b->error, CAROM_ERROR_MODEL, marker_origin(b, m, i),
                        "put it on a rigid body that is fixed to the solid",
                        "a marker at [%.4g, %.4g, %.4g] m is outside the solid '%s'", p.x, p.y, p.z, fb->p->name);
  }
  return true;
}

static bool check_markers(builder *b, const mechanism *m, const flexible_builder *fb, int body_index) {
  const double L = fb->beam.length;
  if (fb->is_solid) return check_inside(b, m, fb, body_index);
  for (int i = 0; i < m->marker_count; i++) {
    const double x = m->markers[i].local.p.x;
    if (m->markers[i].body != body_index || (x >= -1e-9 * L && x <= L * (1 + 1e-9))) continue;
    return source_error(
        b->error, CAROM_ERROR_MODEL, marker_origin(b, m, i), "put it on a rigid body that is fixed to the beam",
        "a marker at x = %.4g m is not on the beam '%s', which goes from 0 to %.4g m", x, fb->p->name, L);
  }
  return true;
}

static bool joint_holds(const mechanism *m, const joint *j) { return joint_in(j->type, m->planar)->row_count > 0; }

// Whether loads act at a marker: of a joint that holds something, a constraint or a force.
static bool is_loaded(const mechanism *m, int index) {
  for (int i = 0; i < m->joint_count; i++)
    if (joint_holds(m, &m->joints[i]) && (m->joints[i].first == index || m->joints[i].second == index)) return true;
  for (int i = 0; i < m->constraint_count; i++)
    if (!m->constraints[i].term_count && (m->constraints[i].first == index || m->constraints[i].second == index))
      return true;
  for (int i = 0; i < m->force_count; i++)
    if (m->forces[i].first == index || m->forces[i].second == index) return true;
  return false;
}

// --- elements --------------------------------------------------------------------------------------------------------

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Equal elements, and a node at every marker: the nearest inner node moves there unless another marker has it, else
// there is one more.
static void place_nodes(builder *b, const mechanism *m, flexible_builder *fb, int body_index) {
  const int equal = fb->beam.elements;
  const double L = fb->beam.length, h = L / equal;
  double *nodes = ARENA_ARRAY(b->memory, double, equal + 1 + m->marker_count);
  bool *taken = ARENA_ARRAY(&b->model->scratch, bool, equal + 1);
  int count = equal + 1;
  for (int k = 0; k <= equal; k++) nodes[k] = L * k / equal;
  for (int i = 0; i < m->marker_count; i++) {
    if (m->markers[i].body != body_index) continue;
    const double x = section_x(fb, m->markers[i].local.p);
    const int near = (int)lround(x / h);
    bool there = false;
    for (int k = 0; k < count; k++) there |= fabs(nodes[k] - x) <= 1e-9 * L;
    if (!there && near > 0 && near < equal && !taken[near]) nodes[near] = x, there = true;
    if (!there) nodes[count++] = x;
    taken[near] |= fabs(nodes[near] - x) <= 1e-9 * L;
  }
  qsort(nodes, (size_t)count, sizeof *nodes, by_size);
  fb->beam.nodes = nodes, fb->beam.elements = count - 1;
}

static int node_at(const flexible_builder *fb, double x) {
  int best = 0;
  for (int k = 1; k < fb->e.node_count; k++)
    if (fabs(fb->e.nodes[k].x - x) < fabs(fb->e.nodes[best].x - x)) best = k;
  return best;
}

static bool is_same_place(const flexible_builder *fb, vec3 a, vec3 b) {
  if (!fb->is_solid) return fabs(section_x(fb, a) - section_x(fb, b)) <= 1e-9 * fb->beam.length;
  return vec3_norm(vec3_sub(a, b)) == 0;
}

// Whether an earlier marker, or the place that carries the body, has the loads of this one.
static bool is_listed(const mechanism *m, const flexible_builder *fb, int index) {
  const vec3 p = m->markers[index].local.p;
  if (is_same_place(fb, p, fb->from)) return true;
  for (int i = 0; i < index; i++)
    if (m->markers[i].body == m->markers[index].body && is_loaded(m, i) && is_same_place(fb, p, m->markers[i].local.p))
      return true;
  return false;
}

// A force along and a torque about each axis, at every loaded place but the one that carries the body; of a solid
// forces alone. Returns how many loads.
static int list_loads(builder *b, const mechanism *m, const flexible_builder *fb, int body_index, double **loads) {
  static const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int n = fb->e.freedom_count;
  int count = 0;
  *loads = ARENA_ARRAY(&b->model->scratch, double, (long)6 * m->marker_count * n);
  for (int i = 0; fb->d->modes->static_modes && i < m->marker_count; i++) {
    flex_place at;
    if (m->markers[i].body != body_index || !is_loaded(m, i) || is_listed(m, fb, i)) continue;
    place_at(fb, m->markers[i].local.p, &at);
    for (int k = 0; k < (fb->is_solid && fb->e.planar ? 2 : 6); k++) {
      if (fb->e.planar && (k == 2 || k == 3 || k == 4)) continue;
      elements_load(&at, k < 3 ? axes[k] : VEC3_ZERO, k < 3 ? VEC3_ZERO : axes[k - 3], *loads + (long)count++ * n);
    }
  }
  return count;
}

// --- the basis -------------------------------------------------------------------------------------------------------

static bool too_many(builder *b, const flexible_builder *fb, int count) {
  return source_error(b->error, CAROM_ERROR_MODEL, modes_place(fb, "count"), "keep fewer modes, or take more elements",
                      "body '%s' has no more than %d modes, not %d", fb->p->name, count, fb->d->modes->count);
}

// Freedoms of the section that carries a clamped beam; null for a body that is free.
static const bool *hold_root(builder *b, const flexible_builder *fb) {
  if (fb->is_solid || fb->d->modes->support != CAROM_CLAMPED) return NULL;
  bool *held = ARENA_ARRAY(&b->model->scratch, bool, fb->e.freedom_count);
  const int *root = fb->e.freedoms[node_at(fb, fb->from.x)];
  for (int k = 0; k < 6; k++)
    if (root[k] >= 0) held[root[k]] = true;
  return held;
}

static bool eigen_basis(builder *b, const mechanism *m, flexible_builder *fb, int body_index, flex_modes *to) {
  const carom_modes_def *d = fb->d->modes;
  double *loads;
  flexibility a;
  if (!fb->is_solid) {
    place_nodes(b, m, fb, body_index);
    beam_elements(&b->model->scratch, &fb->beam, &fb->e);
  }
  const int supported = fb->e.planar ? 3 : 6, load_count = list_loads(b, m, fb, body_index, &loads);
  if (d->count > fb->e.freedom_count - supported) return too_many(b, fb, fb->e.freedom_count - supported);
  if (!flexibility_create(&b->model->scratch, &fb->e, hold_root(b, fb), &a) ||
      !modes_with_static(&b->model->scratch, &a, d->count, load_count, loads, to))
    return flexible_refuse(b, fb, fb->p->places.whole, "look for a size or a modulus of the wrong order",
                           "its eigenmodes cannot be computed");
  flex_place carried;
  if (!place_at(fb, fb->from, &carried))
    return flexible_refuse(b, fb, fb->p->places.whole, "move the shape, or add a joint at a place inside it",
                           "its origin, where its axes are, is outside the solid");
  elements_see_from(&fb->e, &carried, to->count, to->phi);
  fb->phi = to->phi;
  return true;
}

// Takes off what the marker that carries the body has of each function: displacement, and the slope of deflections.
static void see_from(flexible_builder *fb) {
  for (int i = 0; i < fb->given_count; i++) {
    beam_shape *s = &fb->shapes[i];
    const jet j = beam_function_jet(&s->f, fb->from.x);
    const bool turns = fb->given[i].along == GIVEN_Y || fb->given[i].along == GIVEN_Z;
    s->from = fb->from.x, s->value = j.v, s->slope = turns ? j.d : 0;
  }
}

// The coordinates are those of the functions, whatever modes they make. `to` receives these modes.
static bool given_basis(builder *b, flexible_builder *fb, flex_modes *to) {
  const int n = fb->given_count;
  see_from(fb);
  given_elements(&b->model->scratch, &fb->beam, n, fb->given, &fb->e);
  fb->phi = ARENA_ARRAY(b->memory, double, n *n);
  for (int i = 0; i < n; i++) fb->phi[i * (n + 1)] = 1;
  for (int i = 1; i <= n; i++) {
    if (!modes_of_shapes(&b->model->scratch, &fb->e, i, fb->phi, to))
      return flexible_refuse(b, fb, modes_place(fb, fb->shapes[i - 1].key), NULL,
                             "the frequencies of its shape functions cannot be computed");
    if (to->count < i)
      return flexible_refuse(b, fb, fb->shapes[i - 1].at, "take it out",
                             "this shape function moves the body without deforming it, or depends on those before it");
  }
  return true;
}

// --- stiffness, damping, sizes ---------------------------------------------------------------------------------------

// The largest displacement of a shape among the points that carry the mass; of a twist the largest turn.
static double largest_of(const flexible_builder *fb, const double *phi, bool turn) {
  double most = 0;
  for (int p = 0; p < fb->e.point_count; p++) {
    const flex_place *at = &fb->e.points[p].place;
    const vec3 moved = turn ? elements_turn(at, phi) : elements_displacement(at, phi);
    most = fmax(most, vec3_norm(moved));
  }
  for (int k = 0; !turn && k < fb->e.node_count; k++) {
    const flex_place at = elements_node(&fb->e, k);
    most = fmax(most, vec3_norm(elements_displacement(&at, phi)));
  }
  return most;
}

static bool is_twist(const flexible_builder *fb, int i) { return fb->given_count && fb->given[i].along == GIVEN_TWIST; }

// The coordinate of an eigenmode is its largest displacement.
static void scale_shapes(flexible_builder *fb, int modes) {
  for (int i = 0; !fb->given_count && i < modes; i++) {
    double *phi = fb->phi + (long)i * fb->e.freedom_count;
    const double most = largest_of(fb, phi, false);
    for (int k = 0; k < fb->e.freedom_count; k++) phi[k] /= most;
  }
}

// D = Σ 2 ζ ω (M v)(M v)ᵀ over the modes v, or Rayleigh's. `modal_mass` is that of the coordinates.
static void fill_damping(builder *b, const flexible_builder *fb, const flex_modes *of, const double *modal_mass,
                         const double *stiffness, double *damping) {
  const carom_structural_damping_def *d = fb->d->damping;
  const int n = of->count;
  if (!d) return;
  for (int k = 0; k < n * n; k++) damping[k] = d->mass * modal_mass[k] + d->stiffness * stiffness[k];
  if (!(d->ratio > 0)) return;
  double *impulse = ARENA_ARRAY(b->memory, double, n);
  for (int v = 0; v < n; v++) {
    for (int i = 0; i < n; i++) {
      if (!fb->given_count) {
        impulse[i] = v == i ? sqrt(stiffness[i * (n + 1)]) / of->omega[i] : 0;  // 1 / its scale
        continue;
      }
      impulse[i] = 0;
      for (int j = 0; j < n; j++) impulse[i] += modal_mass[i * n + j] * of->phi[v * n + j];
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) damping[i * n + j] += 2 * d->ratio * of->omega[v] * impulse[i] * impulse[j];
  }
}

static void fill_matrices(builder *b, flexible_builder *fb, const flex_modes *of) {
  const int n = of->count, free = fb->e.freedom_count;
  double *K = ARENA_ARRAY(b->memory, double, n *n), *M = ARENA_ARRAY(b->memory, double, n *n);
  double *D = ARENA_ARRAY(b->memory, double, n *n), *rate = ARENA_ARRAY(b->memory, double, n);
  const long size = elements_image_size(&fb->e);
  double *images = ARENA_ARRAY(&b->model->scratch, double, n *size);
  double *momentum = ARENA_ARRAY(&b->model->scratch, double, free);
  for (int i = 0; i < n; i++) elements_image(&fb->e, fb->phi + (long)i * free, images + i * size);
  for (int i = 0; i < n; i++) {
    symmetric_multiply(&fb->e.mass, fb->phi + (long)i * free, momentum);
    for (int j = 0; j < n; j++) {
      M[i * n + j] = vectors_dot(free, momentum, fb->phi + (long)j * free);
      if (!fb->given_count && i != j) continue;  // eigenmodes are not coupled
      K[i * n + j] = elements_product(&fb->e, fb->phi + (long)i * free, images + i * size, images + j * size);
    }
  }
  for (int i = 0; i < n; i++) rate[i] = sqrt(K[i * (n + 1)] / M[i * (n + 1)]);
  fill_damping(b, fb, of, M, K, D);
  fb->flex.stiffness = K, fb->flex.damping = D, fb->flex.rate = rate;
}

static void fill_sizes(builder *b, flexible_builder *fb, const flex_modes *of) {
  const int n = of->count, every = 1 + fb->e.node_count / TURN_NODES;
  const int places = fb->given_count ? TURN_PLACES : (fb->e.node_count + every - 1) / every;
  char *kinds = arena_alloc(b->memory, (size_t)n + 1, 1);
  double *size = ARENA_ARRAY(b->memory, double, n);
  vec3 *turns = ARENA_ARRAY(b->memory, vec3, (long)places * n);
  for (int i = 0; i < n; i++) {
    kinds[i] = is_twist(fb, i) ? 'a' : 't';
    size[i] = largest_of(fb, fb->phi + (long)i * fb->e.freedom_count, is_twist(fb, i));
  }
  for (int k = 0; k < places; k++) {
    flex_place at = {0};
    place_at(fb, fb->given_count ? (vec3){fb->beam.length * k / (places - 1), 0, 0} : fb->e.nodes[k * every], &at);
    for (int i = 0; i < n; i++) turns[k * n + i] = elements_turn(&at, fb->phi + (long)i * fb->e.freedom_count);
  }
  fb->flex.kinds = kinds, fb->flex.size = size, fb->flex.turns = turns, fb->flex.place_count = places;
  fb->flex.omega = memcpy(ARENA_ARRAY(b->memory, double, n), of->omega, (size_t)n * sizeof *of->omega);
}

// --- second-order displacements --------------------------------------------------------------------------------------

typedef struct foreshortening {
  const flexible_builder *fb;
  arena *scratch;
} foreshortening;

static void foreshorten(const void *context, vec3 x, vec3 *g) {
  const foreshortening *c = context;
  const flexible_builder *fb = c->fb;
  const int n = fb->flex.modes;
  const arena_mark mark = arena_get_mark(c->scratch);
  double *along = ARENA_ARRAY(c->scratch, double, n *n);
  if (fb->given_count) given_foreshortening(&fb->beam, n, fb->given, fb->from.x, x.x, along);
  else beam_foreshortening(c->scratch, &fb->beam, &fb->e, n, fb->phi, fb->from.x, x.x, along);
  for (int k = 0; k < n * n; k++) g[k] = (vec3){along[k], 0, 0};
  arena_release(c->scratch, mark);
}

// Of beams alone.
static bool has_second_order(const flexible_builder *fb) { return fb->d->geometric_stiffness && !fb->is_solid; }

static vec3 twice(vec3 a, vec3 b, vec3 off) { return vec3_cross(a, vec3_cross(b, off)); }

// A marker moves with its section, beside whose axis it may be: by φ + ψ × s, and to second order by g and by
// ½ (ψ_i × (ψ_j × s) + ψ_j × (ψ_i × s)), as a turn by ψ moves s. Null at the section that carries the body: modes do
// not move it.
static const marker_shape *shape_of(builder *b, const flexible_builder *fb, const marker *k) {
  const int n = fb->flex.modes;
  flex_place section;
  if (fb->is_solid ? vec3_norm(vec3_sub(k->local.p, fb->from)) == 0 : section_x(fb, k->local.p) == fb->from.x)
    return NULL;
  place_at(fb, k->local.p, &section);
  const vec3 off = vec3_sub(k->local.p, section.at);
  vec3 *shift = ARENA_ARRAY(b->memory, vec3, n), *turn = ARENA_ARRAY(b->memory, vec3, n), *second = NULL;
  for (int i = 0; i < n; i++) {
    const double *phi = fb->phi + (long)i * fb->e.freedom_count;
    turn[i] = elements_turn(&section, phi);
    shift[i] = vec3_add(elements_displacement(&section, phi), vec3_cross(turn[i], off));
  }
  if (has_second_order(fb)) {
    second = ARENA_ARRAY(b->memory, vec3, n * n);
    foreshorten(&(foreshortening){fb, b->memory}, section.at, second);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        const vec3 both = vec3_add(twice(turn[i], turn[j], off), twice(turn[j], turn[i], off));
        second[i * n + j] = vec3_axpy(second[i * n + j], 0.5, both);
      }
  }
  marker_shape *s = ARENA_NEW(b->memory, marker_shape);
  *s = (marker_shape){shift, turn, second};
  return s;
}

// --- all -------------------------------------------------------------------------------------------------------------

static double extent_of(const flexible_builder *fb) {
  if (!fb->is_solid) return fb->beam.length;
  vec3 low = fb->e.nodes[0], high = low;
  for (int k = 1; k < fb->e.node_count; k++) {
    const vec3 p = fb->e.nodes[k];
    low = (vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
    high = (vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
  }
  return fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
}

static bool find_basis(builder *b, const mechanism *m, flexible_builder *fb, int body_index, vec3 from) {
  flex_modes basis = {0};
  fb->from = from;
  if (!(fb->given_count ? given_basis(b, fb, &basis) : eigen_basis(b, m, fb, body_index, &basis))) return false;
  const int n = fb->flex.modes = basis.count;
  if (n > FLEXIBLE_MODES_MAX)
    return source_error(b->error, CAROM_ERROR_MODEL, modes_place(fb, "count"), "keep fewer modes",
                        "body '%s' has %d modes; at most %d are supported", fb->p->name, n, FLEXIBLE_MODES_MAX);
  fb->flex.extent = extent_of(fb);
  scale_shapes(fb, n);
  fill_matrices(b, fb, &basis);
  fill_sizes(b, fb, &basis);
  const foreshortening context = {fb, b->memory};
  const second_order second = {foreshorten, &context};
  if (!floating_create(b->memory, &fb->e, n, fb->phi, has_second_order(fb) ? &second : NULL, &fb->flex.inertia))
    return flexible_refuse(b, fb, fb->p->places.whole, "keep fewer modes",
                           "its geometric stiffness cannot be computed");
  return true;
}

// Where the joints of a tree carry flexible bodies; `held` is set for those that have one.
static void take_frames(const builder *b, const mechanism *tree, vec3 *from, bool *held) {
  for (int i = 1; i < tree->node_count; i++) {
    const node *n = &tree->nodes[i];
    const flexible_builder *fb = &b->flexibles[n->body - 1];
    if (!fb->p || n->joint < 0 || held[n->body]) continue;
    from[n->body] = fb->is_solid ? n->outer.p : (vec3){section_x(fb, n->outer.p), 0, 0}, held[n->body] = true;
  }
}

// The tree says by which marker a joint carries each body. It does not depend on what bodies are made of. Bodies that
// only joints with clearance hold are carried as if these had none: that mechanism gives the start.
static bool find_frames(builder *b, const mechanism *m, vec3 *from) {
  const arena_mark mark = arena_get_mark(b->memory);
  bool *held = ARENA_ARRAY(&b->model->scratch, bool, m->body_count);
  for (int ideal = 0; ideal < 2; ideal++) {
    mechanism tree = *m;
    fault f = {0};
    tree.joints = ARENA_ARRAY(b->memory, joint, m->joint_count + 1);
    memcpy(tree.joints, m->joints, (size_t)m->joint_count * sizeof *m->joints);
    for (int i = 0; ideal && i < m->joint_count; i++) tree.joints[i].loose = false;
    if (!mechanism_compile(&tree, builder_known_joints(b), NULL, b->memory, &f)) return builder_fault(b, &f);
    take_frames(b, &tree, from, held);
  }
  arena_release(b->memory, mark);
  return true;
}

static bool find_bases(builder *b, const mechanism *m) {
  vec3 *from = ARENA_ARRAY(&b->model->scratch, vec3, m->body_count);
  if (!find_frames(b, m, from)) return false;
  for (int i = 1; i < m->body_count; i++) {
    flexible_builder *fb = &b->flexibles[i - 1];
    if (fb->p && (!check_markers(b, m, fb, i) || !find_basis(b, m, fb, i, from[i]))) return false;
  }
  b->bases_found = true;
  return true;
}

static double without_rounding(double x, double size) { return fabs(x) > 1e-12 * size ? x : 0; }

// The mass centre of a symmetric body is off by rounding.
static void fill_body(const flexible_builder *fb, body *to) {
  const flex_inertia *of = &fb->flex.inertia.inertia;
  const vec3 c = vec3_scale(1 / of->mass, of->first);
  const double size = fb->flex.extent;
  to->flex = &fb->flex, to->mass = of->mass;
  to->com = (vec3){without_rounding(c.x, size), without_rounding(c.y, size), without_rounding(c.z, size)};
}

bool builder_flexible(builder *b, mechanism *m) {
  if (!b->flexibles) return true;
  if (!b->bases_found && !find_bases(b, m)) return false;
  for (int i = 1; i < m->body_count; i++)
    if (b->flexibles[i - 1].p) fill_body(&b->flexibles[i - 1], &m->bodies[i]);
  for (int k = 0; k < m->marker_count; k++) {
    const int on = m->markers[k].body;
    if (on != GROUND && b->flexibles[on - 1].p)
      m->markers[k].shape = shape_of(b, &b->flexibles[on - 1], &m->markers[k]);
  }
  return true;
}

// --- drawing ---------------------------------------------------------------------------------------------------------

const drawn_beam *builder_drawn_beam(builder *b, int index) {
  if (!b->flexibles || !b->flexibles[index].p || b->flexibles[index].is_solid) return NULL;
  const flexible_builder *fb = &b->flexibles[index];
  const int n = fb->flex.modes, places = DRAWN_PLACES;
  drawn_beam *to = ARENA_NEW(b->memory, drawn_beam);
  *to = (drawn_beam){.place_count = places, .modes = n};
  to->x = ARENA_ARRAY(b->memory, double, places);
  to->shift = ARENA_ARRAY(b->memory, vec3, places * n), to->turn = ARENA_ARRAY(b->memory, vec3, places * n);
  if (fb->d->geometric_stiffness) to->second = ARENA_ARRAY(b->memory, double, places *n *n);
  vec3 *g = ARENA_ARRAY(&b->model->scratch, vec3, n * n);
  for (int k = 0; k < places; k++) {
    const flex_place at = flexible_section(fb, to->x[k] = fb->beam.length * k / (places - 1));
    for (int i = 0; i < n; i++) {
      const double *phi = fb->phi + (long)i * fb->e.freedom_count;
      to->shift[k * n + i] = elements_displacement(&at, phi), to->turn[k * n + i] = elements_turn(&at, phi);
    }
    if (!to->second) continue;
    foreshorten(&(foreshortening){fb, &b->model->scratch}, at.at, g);
    for (int i = 0; i < n * n; i++) to->second[k * n * n + i] = g[i].x;
  }
  builder_beam_stress(b, fb, to);
  const beam_section section = fb->beam.section(fb->beam.context, 0);  // of a rectangle the depth is √(12 I/A)
  to->width = fmax(sqrt(12 * section.second_z / section.area), 0.01 * fb->beam.length);
  return to;
}
