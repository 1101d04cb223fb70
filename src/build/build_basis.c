// The basis of shapes of a flexible body: eigenmodes and static modes, or given functions, seen from the marker that
// carries the body; and with it stiffness and damping.
#include <math.h>
#include <string.h>

#include "build/flexible_builder.h"
#include "flex/imported.h"
#include "flex/reduction.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/vectors.h"

enum { TURN_PLACES = 17 };   // along a beam with given functions, where its turns are looked at
enum { TURN_NODES = 2000 };  // of a body of finite elements, about

static place modes_place(const flexible_builder *fb, const char *key) {
  return flexible_place(fb, fb->d->modes->origin, &modes_table, key);
}

// --- elements --------------------------------------------------------------------------------------------------------

// A node at every marker.
static void place_nodes(builder *b, const mechanism *m, flexible_builder *fb, int body_index) {
  for (int i = 0; i < m->marker_count; i++)
    if (m->markers[i].body == body_index) beam_put_node(b, fb, flexible_section_x(fb, m->markers[i].local.p));
}

static int node_at(const flexible_builder *fb, double x) {
  int best = 0;
  for (int k = 1; k < fb->e.node_count; k++)
    if (fabs(fb->e.nodes[k].x - x) < fabs(fb->e.nodes[best].x - x)) best = k;
  return best;
}

// --- loads -----------------------------------------------------------------------------------------------------------

static bool joint_holds(const mechanism *m, const joint *j) { return joint_in(j->type, m->planar)->row_count > 0; }

// Whether a joint that holds something has this marker.
static bool is_joined(const mechanism *m, int index) {
  for (int i = 0; i < m->joint_count; i++)
    if (joint_holds(m, &m->joints[i]) && (m->joints[i].first == index || m->joints[i].second == index)) return true;
  return false;
}

// Whether loads act at a marker: of a joint that holds something, a constraint or a force.
static bool is_loaded(const mechanism *m, int index) {
  if (is_joined(m, index)) return true;
  for (int i = 0; i < m->constraint_count; i++)
    if (!m->constraints[i].term_count && (m->constraints[i].first == index || m->constraints[i].second == index))
      return true;
  for (int i = 0; i < m->force_count; i++)
    if (m->forces[i].first == index || m->forces[i].second == index) return true;
  return false;
}

static bool is_same_place(const flexible_builder *fb, vec3 a, vec3 b) {
  if (!fb->is_solid) return fabs(flexible_section_x(fb, a) - flexible_section_x(fb, b)) <= 1e-9 * fb->beam.length;
  return vec3_norm(vec3_sub(a, b)) == 0;
}

// Whether a joint carries the body where its axes are.
static bool is_carried(const mechanism *m, const flexible_builder *fb, int body_index) {
  for (int i = 0; i < m->marker_count; i++)
    if (m->markers[i].body == body_index && is_joined(m, i) && is_same_place(fb, m->markers[i].local.p, fb->from))
      return true;
  return false;
}

// Whether a marker is a place with loads of its own: no earlier marker has them, and no joint carries the body there.
static bool is_load_place(const mechanism *m, const flexible_builder *fb, int index) {
  const int body_index = m->markers[index].body;
  const vec3 p = m->markers[index].local.p;
  if (!is_loaded(m, index) || (fb->is_carried && is_same_place(fb, p, fb->from))) return false;
  for (int i = 0; i < index; i++)
    if (m->markers[i].body == body_index && is_loaded(m, i) && is_same_place(fb, p, m->markers[i].local.p))
      return false;
  return true;
}

// Shapes beside the eigenmodes, rows of freedom_count numbers.
typedef struct shape_list {
  double *rows;
  int count, capacity;
} shape_list;

// A row of zeros at the end of the list.
static double *push_shape(arena *memory, const flex_elements *e, shape_list *to) {
  const size_t size = (size_t)e->freedom_count * sizeof *to->rows;
  if (to->count == to->capacity) to->rows = arena_grow(memory, to->rows, (size_t)to->count, &to->capacity, size);
  return to->rows + (long)to->count++ * e->freedom_count;
}

static void add_static_shape(builder *b, const reduction *r, const flex_place *at, vec3 force, vec3 torque,
                             shape_list *to) {
  arena *scratch = &b->model->scratch;
  double *x = push_shape(scratch, r->e, to);
  double *load = ARENA_ARRAY(scratch, double, r->e->freedom_count);
  elements_load(at, force, torque, load);
  reduction_deform(scratch, r, load, x);
}

// Deformations under a force along and a torque about each axis at a marker; of a solid at a point under forces alone.
static void add_marker_shapes(builder *b, const mechanism *m, const flexible_builder *fb, int marker,
                              const reduction *r, shape_list *to) {
  static const vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  flex_place at;
  flexible_place_at(fb, m->markers[marker].local.p, &at);
  for (int k = 0; k < (fb->is_solid && fb->e.planar && !at.wide.count ? 2 : 6); k++) {
    if (fb->e.planar && (k == 2 || k == 3 || k == 4)) continue;
    add_static_shape(b, r, &at, k < 3 ? axes[k] : VEC3_ZERO, k < 3 ? VEC3_ZERO : axes[k - 3], to);
  }
}

// The same at every loaded place but the one that carries the body.
static void add_static_shapes(builder *b, const mechanism *m, const flexible_builder *fb, int body_index,
                              const reduction *r, shape_list *to) {
  for (int i = 0; i < m->marker_count; i++)
    if (m->markers[i].body == body_index && is_load_place(m, fb, i)) add_marker_shapes(b, m, fb, i, r, to);
}

// Static modes of the contact places that `interface` names. Returns false if they cannot be computed.
static bool add_contact_shapes(builder *b, flexible_builder *fb, const reduction *r, shape_list *to) {
  arena *scratch = &b->model->scratch;
  const size_t row = (size_t)r->e->freedom_count * sizeof(double);
  for (int i = 0; i < fb->contact_count; i++) {
    flexible_contact *c = &fb->contacts[i];
    double *shapes;
    if (c->is_surface) continue;
    c->result.modes = c->directions;
    for (int k = 0; k < c->directions; k++) add_static_shape(b, r, &c->at, c->along[k], VEC3_ZERO, to);
    if (!c->stretch) continue;
    c->result.modes = reduction_compress(scratch, r, c->stretch, fb->d->modes->interface_tolerance, &shapes);
    for (int k = 0; k < c->result.modes; k++)
      memcpy(push_shape(scratch, r->e, to), shapes + (long)k * r->e->freedom_count, row);
    if (c->result.modes < 0) return false;
  }
  return true;
}

// Whether a marker is at a place of its own, apart from earlier ones and from that of the body's axes.
static bool is_own_place(const builder *b, const mechanism *m, const flexible_builder *fb, int index) {
  const vec3 p = m->markers[index].local.p;
  if (builder_is_boundary(b, index) || is_same_place(fb, p, fb->from)) return false;
  for (int i = 0; i < index; i++)
    if (m->markers[i].body == m->markers[index].body && is_same_place(fb, p, m->markers[i].local.p)) return false;
  return true;
}

// The deformations of load cases: those that are given with imported matrices; else inertia forces, and those that may
// act at any marker, so that its displacement of second order is exact.
static void take_cases(builder *b, const mechanism *m, flexible_builder *fb, int body_index, const reduction *r) {
  arena *scratch = &b->model->scratch;
  const long n = r->e->freedom_count;
  shape_list cases = {0};
  double *inertia;
  const int given = fb->d->finite_elements ? fb->d->finite_elements->loads.count : 0;
  const int count = given ? given : load_cases_inertia(scratch, r->e, &inertia);
  for (int i = 0; i < count; i++) {
    double *x = push_shape(scratch, r->e, &cases);
    reduction_deform(scratch, r, given ? fb->loads[i].forces : inertia + i * n, x);
  }
  for (int i = 0; !given && i < m->marker_count; i++)
    if (m->markers[i].body == body_index && is_own_place(b, m, fb, i)) add_marker_shapes(b, m, fb, i, r, &cases);
  elements_see_from(r->e, &r->frame, cases.count, cases.rows);
  fb->cases.count = cases.count, fb->cases.deformation = cases.rows;
}

// --- the basis -------------------------------------------------------------------------------------------------------

static bool too_many(builder *b, const flexible_builder *fb, int count) {
  return source_error(b->error, CAROM_ERROR_MODEL, modes_place(fb, "count"), "keep fewer modes, or take more elements",
                      "body '%s' has no more than %d modes, not %d", fb->p->name, count, fb->d->modes->count);
}

// Freedoms of the section that carries a clamped beam; null for a body that is free.
static const bool *hold_root(builder *b, const flexible_builder *fb) {
  const int support = fb->d->modes->support;
  const bool clamped = support == CAROM_CLAMPED || (support == CAROM_CRAIG_BAMPTON && fb->is_carried);
  if (fb->is_solid || !clamped) return NULL;
  bool *held = ARENA_ARRAY(&b->model->scratch, bool, fb->e.freedom_count);
  const int *root = fb->e.freedoms[node_at(fb, fb->from.x)];
  for (int k = 0; k < 6; k++)
    if (root[k] >= 0) held[root[k]] = true;
  return held;
}

// The freedoms that a place follows.
static void mark_place(const flex_place *at, bool *marked) {
  for (int k = 0; k < at->count; k++)
    if (vec3_norm(at->shape[k]) > 0 || vec3_norm(at->turn[k]) > 0) marked[at->freedom[k]] = true;
  for (int k = 0; k < at->wide.count; k++) marked[at->wide.freedom[k]] = true;
}

// Those of all places where joints, constraints and forces attach.
static const bool *find_joined(builder *b, const mechanism *m, const flexible_builder *fb, int body_index) {
  bool *joined = ARENA_ARRAY(&b->model->scratch, bool, fb->e.freedom_count);
  for (int i = 0; i < m->marker_count; i++) {
    flex_place at = {0};
    if (m->markers[i].body != body_index || !is_loaded(m, i)) continue;
    if (flexible_place_at(fb, m->markers[i].local.p, &at)) mark_place(&at, joined);
  }
  return joined;
}

// The basis of Craig and Bampton, with further shapes.
static bool joined_basis(builder *b, const mechanism *m, const flexible_builder *fb, int body_index, const reduction *r,
                         const shape_list *further, flex_modes *to) {
  arena *scratch = &b->model->scratch;
  const size_t row = (size_t)fb->e.freedom_count * sizeof(double);
  flex_modes modes;
  if (!modes_craig_bampton(scratch, &r->eigen, find_joined(b, m, fb, body_index), fb->d->modes->count, &modes))
    return false;
  shape_list all = {0};
  for (int i = 0; i < modes.count; i++)
    memcpy(push_shape(scratch, r->e, &all), modes.phi + (long)i * fb->e.freedom_count, row);
  for (int i = 0; i < further->count; i++)
    memcpy(push_shape(scratch, r->e, &all), further->rows + (long)i * fb->e.freedom_count, row);
  return modes_of_shapes(scratch, r->e, all.count, all.rows, to);
}

static bool eigen_basis(builder *b, const mechanism *m, flexible_builder *fb, int body_index, flex_modes *to) {
  const carom_modes_def *d = fb->d->modes;
  arena *scratch = &b->model->scratch;
  if (!fb->is_solid) {
    place_nodes(b, m, fb, body_index);
    beam_elements(scratch, &fb->beam, &fb->e);
  }
  flex_place frame;
  reduction r;
  shape_list shapes = {0};
  const int supported = fb->beam.rod ? 1 : fb->e.planar ? 3 : 6;
  if (d->count > fb->e.freedom_count - supported) return too_many(b, fb, fb->e.freedom_count - supported);
  if (!flexible_place_at(fb, fb->from, &frame))
    return flexible_refuse(b, fb, fb->p->places.whole, "move the shape, or add a joint at a place inside it",
                           "its origin, where its axes are, is outside the solid");
  bool good = reduction_create(scratch, &fb->e, hold_root(b, fb), &frame, fb->is_carried, &r);
  if (!builder_interface(b, m, fb, body_index)) return false;
  const bool joined = d->support == CAROM_CRAIG_BAMPTON;
  if (joined && !d->static_modes)
    return flexible_refuse(b, fb, modes_place(fb, "static_modes"), "take it out, or choose another 'support'",
                           "the basis of Craig and Bampton has static shapes: 'static_modes' cannot be false");
  if (good && d->static_modes) {
    if (!joined) add_static_shapes(b, m, fb, body_index, &r, &shapes);
    good = add_contact_shapes(b, fb, &r, &shapes);
  }
  if (joined) good = good && joined_basis(b, m, fb, body_index, &r, &shapes, to);
  else good = good && reduction_basis(scratch, &r, d->count, shapes.count, shapes.rows, to);
  if (!good)
    return flexible_refuse(b, fb, fb->p->places.whole, "look for a size or a modulus of the wrong order",
                           "its eigenmodes cannot be computed");
  flexible_find_missed(b, fb, &r, to);
  if (fb->is_solid && flexible_has_second_order(fb)) take_cases(b, m, fb, body_index, &r);
  elements_see_from(&fb->e, &frame, to->count, to->phi);
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

static void fill_matrices(builder *b, flexible_builder *fb, const flex_modes *of) {
  const int n = of->count, free = fb->e.freedom_count;
  double *K = ARENA_ARRAY(b->memory, double, n *n), *M = ARENA_ARRAY(b->memory, double, n *n);
  double *rate = ARENA_ARRAY(b->memory, double, n);
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
  fb->flex.stiffness = K, fb->flex.rate = rate, fb->modal_mass = M;
}

// The strains of a beam in a mode, over a short way from x on: stretch, and what bending adds at the outer fibres of a
// rectangular section, √(3 I/A) from the axis.
static vec3 beam_strain(const flexible_builder *fb, double x, double way, const double *phi) {
  const beam_section s = fb->beam.section(fb->beam.context, x);
  const flex_place a = flexible_section(fb, x), b = flexible_section(fb, x + way);
  const vec3 moved = vec3_sub(elements_displacement(&b, phi), elements_displacement(&a, phi));
  const vec3 bent = vec3_sub(elements_turn(&b, phi), elements_turn(&a, phi));
  const double half_y = sqrt(3 * s.second_z / s.area), half_z = sqrt(3 * s.second_y / s.area);
  return (vec3){moved.x / way, bent.z / way * half_y, bent.y / way * half_z};
}

// At both ends of every element of a beam, and in the middles of elements of a solid, of many some.
static void fill_strains(builder *b, flexible_builder *fb, int modes) {
  const int parts = fb->given_count ? TURN_PLACES - 1 : fb->e.node_count - 1, free = fb->e.freedom_count;
  const int every = fb->is_solid ? 1 + planar_solid_cells(&fb->solid) / TURN_NODES : 1;
  const int places = fb->is_solid ? (planar_solid_cells(&fb->solid) + every - 1) / every : 2 * parts;
  vec3 *strains = ARENA_ARRAY(b->memory, vec3, (long)places * modes);
  for (int k = 0; k < places; k++)
    for (int i = 0; i < modes; i++) {
      vec3 *to = &strains[k * modes + i];
      const double *phi = fb->phi + (long)i * free;
      if (fb->is_solid) {
        *to = planar_solid_strain(&fb->solid, &fb->e, k * every, phi);
        continue;
      }
      const double from = fb->given_count ? fb->beam.length * (k / 2) / parts : fb->e.nodes[k / 2].x;
      const double end = fb->given_count ? fb->beam.length * (k / 2 + 1) / parts : fb->e.nodes[k / 2 + 1].x;
      const double way = 0.01 * (end - from);
      *to = beam_strain(fb, k % 2 ? end - way : from, way, phi);
    }
  fb->flex.strains = strains, fb->flex.strain_count = places;
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
    flexible_place_at(fb, fb->given_count ? (vec3){fb->beam.length * k / (places - 1), 0, 0} : fb->e.nodes[k * every],
                      &at);
    for (int i = 0; i < n; i++) turns[k * n + i] = elements_turn(&at, fb->phi + (long)i * fb->e.freedom_count);
  }
  fill_strains(b, fb, n);
  fb->flex.kinds = kinds, fb->flex.size = size, fb->flex.turns = turns, fb->flex.place_count = places;
  fb->flex.omega = memcpy(ARENA_ARRAY(b->memory, double, n), of->omega, (size_t)n * sizeof *of->omega);
}

bool builder_basis(builder *b, const mechanism *m, flexible_builder *fb, int body_index) {
  flex_modes basis = {0};
  fb->is_carried = is_carried(m, fb, body_index);
  if (fb->given_count && !builder_interface(b, m, fb, body_index)) return false;
  if (!(fb->given_count ? given_basis(b, fb, &basis) : eigen_basis(b, m, fb, body_index, &basis))) return false;
  const int n = fb->flex.modes = basis.count;
  if (n > FLEXIBLE_MODES_MAX)
    return source_error(b->error, CAROM_ERROR_MODEL, modes_place(fb, "count"), "keep fewer modes",
                        "body '%s' has %d modes; at most %d are supported", fb->p->name, n, FLEXIBLE_MODES_MAX);
  scale_shapes(fb, n);
  fill_matrices(b, fb, &basis);
  fill_sizes(b, fb, &basis);
  return true;
}

// --- damping ---------------------------------------------------------------------------------------------------------

// The modal mass of a body that nothing carries: I_ff - I_fr I_rr⁻¹ I_rf, its rigid motion left to itself.
static bool free_mass(builder *b, const flexible_builder *fb, double *mass) {
  arena *scratch = &b->model->scratch;
  static const int in_space[] = {0, 1, 2, 3, 4, 5}, in_plane[] = {2, 3, 4};  // of (ω, v)
  const int n = fb->flex.modes, all = 6 + n, rigid = fb->e.planar ? 3 : 6, *row = fb->e.planar ? in_plane : in_space;
  double *M = ARENA_ARRAY(scratch, double, all *all), *bias = ARENA_ARRAY(scratch, double, all), L[36], x[6];
  const double *zero = ARENA_ARRAY(scratch, double, n);
  floating_state state;
  floating_state_create(scratch, &fb->flex.inertia, NULL, &state);
  floating_evaluate(&fb->flex.inertia, VEC3_ZERO, zero, zero, &state);
  floating_write(&fb->flex.inertia, &state, M, bias);
  for (int i = 0; i < rigid; i++)
    for (int j = 0; j < rigid; j++) L[i * rigid + j] = M[row[i] * all + row[j]];
  if (!dense_cholesky(rigid, L, rigid, 1e-14, NULL)) return false;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < rigid; k++) x[k] = M[row[k] * all + 6 + i];
    dense_cholesky_solve(rigid, L, rigid, x);
    for (int j = 0; j < n; j++) {
      mass[i * n + j] = M[(6 + i) * all + 6 + j];
      for (int k = 0; k < rigid; k++) mass[i * n + j] -= x[k] * M[row[k] * all + 6 + j];
    }
  }
  return true;
}

// D = Σ 2 ζ ω (M v)(M v)ᵀ over the modes v of K v = ω² M v with vᵀ M v = 1. With K = L Lᵀ these are v = ω L⁻ᵀ y for the
// unit vectors y of L⁻¹ M L⁻ᵀ y = ω⁻² y, so that M v = L y / ω.
static bool add_ratio(builder *b, int n, double ratio, const double *M, const double *K, double *D) {
  arena *scratch = &b->model->scratch;
  double *L = ARENA_ARRAY(scratch, double, n *n), *A = ARENA_ARRAY(scratch, double, n *n);
  double *values = ARENA_ARRAY(scratch, double, n), *impulse = ARENA_ARRAY(scratch, double, n);
  memcpy(L, K, (size_t)n * (size_t)n * sizeof *L);
  memcpy(A, M, (size_t)n * (size_t)n * sizeof *A);
  if (!dense_cholesky(n, L, n, 0, NULL)) return false;
  for (int side = 0; side < 2; side++)  // rows, then columns: A := L⁻¹ Aᵀ twice
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        double *x = side ? &A[i * n + j] : &A[j * n + i];
        for (int k = 0; k < i; k++) *x -= L[i * n + k] * (side ? A[k * n + j] : A[j * n + k]);
        *x /= L[i * n + i];
      }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) A[i * n + j] = A[j * n + i] = (A[i * n + j] + A[j * n + i]) / 2;
  if (!eigen_symmetric(scratch, n, A, values) || !(values[0] > 0)) return false;
  for (int v = 0; v < n; v++) {
    const double omega = 1 / sqrt(values[v]);
    for (int i = 0; i < n; i++) {
      impulse[i] = 0;
      for (int k = 0; k <= i; k++) impulse[i] += L[i * n + k] * A[v * n + k] / omega;
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) D[i * n + j] += 2 * ratio * omega * impulse[i] * impulse[j];
  }
  return true;
}

static bool find_damping(builder *b, flexible_builder *fb) {
  const carom_structural_damping_def *d = fb->d->damping;
  const int n = fb->flex.modes;
  double *D = ARENA_ARRAY(b->memory, double, n *n), *M = fb->modal_mass;
  const double *K = fb->flex.stiffness;
  fb->flex.damping = D;
  if (!d) return true;
  for (int k = 0; k < n * n; k++) D[k] = d->mass * M[k] + d->stiffness * K[k];
  if (!(d->ratio > 0)) return true;
  if ((fb->is_carried || free_mass(b, fb, M)) && add_ratio(b, n, d->ratio, M, K, D)) return true;
  return flexible_refuse(b, fb, flexible_place(fb, d->origin, &structural_damping_table, "ratio"),
                         "use Rayleigh's factors 'mass' and 'stiffness'", "its modes for damping cannot be computed");
}

static bool is_diagonal(int n, const double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i != j && A[i * n + j] != 0) return false;
  return true;
}

bool builder_damping(builder *b, flexible_builder *fb) {
  if (!find_damping(b, fb)) return false;
  flexible_body *f = &fb->flex;
  f->uncoupled = is_diagonal(f->modes, f->stiffness) && is_diagonal(f->modes, f->damping);
  return true;
}
