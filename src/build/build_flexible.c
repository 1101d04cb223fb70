// Flexible bodies in the mechanism: where their axes are, their inertia, how each marker moves with the modes, and what
// is drawn.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "build/flexible_builder.h"
#include "flex/imported.h"
#include "math/vectors.h"
#include "mechanics/spanning.h"

enum { DRAWN_PLACES = 33 };  // along a beam that is drawn

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

double flexible_section_x(const flexible_builder *fb, vec3 p) { return fmin(fmax(p.x, 0), fb->beam.length); }

bool flexible_place_at(const flexible_builder *fb, vec3 p, flex_place *to) {
  if (fb->e.node_mass) return flexible_imported_place(fb, p, to);
  if (fb->is_solid) return flexible_solid_place(fb, p, to);
  *to = flexible_section(fb, flexible_section_x(fb, p));
  return true;
}

static bool is_told_before(const mechanism *m, int marker) {
  for (int i = 0; i < marker; i++)
    if (m->markers[i].body == m->markers[marker].body &&
        vec3_norm(vec3_sub(m->markers[i].local.p, m->markers[marker].local.p)) == 0)
      return true;
  return false;
}

// A marker that is farther from the middle of its set than the nodes of the set are follows them all the same.
static void tell_far_sets(builder *b, const mechanism *m, const flexible_builder *fb, int body_index) {
  double way;
  for (int i = 0; i < m->marker_count; i++) {
    const char *set =
        m->markers[i].body == body_index ? flexible_imported_far_set(fb, m->markers[i].local.p, &way) : NULL;
    if (!set || is_told_before(m, i)) continue;
    const vec3 p = m->markers[i].local.p;
    builder_note_at(
        b, marker_origin(b, m, i),
        "body '%s': the marker%s%s%s at [%.4g, %.4g, %.4g] m follows the set of nodes '%s', whose middle is "
        "%.4g m away, as if a rigid arm led there",
        fb->p->name, m->markers[i].name ? " '" : "", m->markers[i].name ? m->markers[i].name : "",
        m->markers[i].name ? "'" : "", p.x, p.y, p.z, set, way);
  }
}

static bool check_inside(builder *b, const mechanism *m, const flexible_builder *fb, int body_index) {
  if (fb->e.node_mass) tell_far_sets(b, m, fb, body_index);
  else if (!flexible_check_attached(b, m, fb, body_index)) return false;
  for (int i = 0; i < m->marker_count; i++) {
    const vec3 p = m->markers[i].local.p;
    flex_place ignored;
    if (m->markers[i].body != body_index || builder_is_boundary(b, i) || flexible_place_at(fb, p, &ignored)) continue;
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

bool flexible_has_second_order(const flexible_builder *fb) {
  const int asked = fb->d->geometric_stiffness;
  if (fb->beam.rod) return false;
  if (fb->e.node_mass) return asked != CAROM_GEOMETRIC_NO && fb->d->finite_elements->loads.count > 0;
  return asked == CAROM_GEOMETRIC_YES || (asked == CAROM_GEOMETRIC_AUTOMATIC && !fb->is_solid);
}

// ∂² of the displacement of a place over the modal coordinates, modes².
static void second_at(const flexible_builder *fb, arena *scratch, const flex_place *at, vec3 *second) {
  const int n = fb->flex.modes;
  if (!fb->is_solid) {
    foreshorten(&(foreshortening){fb, scratch}, at->at, second);
    return;
  }
  vec3 *psi = ARENA_ARRAY(scratch, vec3, fb->fields.count);
  fb->fields.at(fb->fields.context, at, psi);
  for (int i = 0; i < n * n; i++) {
    second[i] = VEC3_ZERO;
    for (int k = 0; k < fb->fields.count; k++)
      second[i] = vec3_axpy(second[i], fb->fields.square[(long)k * n * n + i], psi[k]);
  }
}

// φᵀ G φ of each load case of an imported body.
static void imported_geometric(builder *b, const flexible_builder *fb, double *to) {
  const int n = fb->flex.modes, free = fb->e.freedom_count;
  double *force = ARENA_ARRAY(&b->model->scratch, double, free);
  for (int c = 0; c < fb->cases.count; c++)
    for (int i = 0; i < n; i++) {
      symmetric_multiply(&fb->loads[c].geometric, fb->phi + (long)i * free, force);
      for (int j = 0; j < n; j++) to[((long)c * n + i) * n + j] = vectors_dot(free, force, fb->phi + (long)j * free);
    }
}

// The fields of second-order displacements: of beams from those of pairs of modes, of solids from load cases.
static bool find_fields(builder *b, flexible_builder *fb) {
  const int n = fb->flex.modes;
  if (!fb->is_solid) {
    foreshortening *context = ARENA_NEW(b->memory, foreshortening);
    second_order *second = ARENA_NEW(b->memory, second_order);
    *context = (foreshortening){fb, b->memory}, *second = (second_order){foreshorten, context};
    return floating_fields_of_pairs(b->memory, &fb->e, n, second, &fb->fields);
  }
  load_cases *c = &fb->cases;
  c->stiffness = ARENA_ARRAY(&b->model->scratch, double, (long)c->count *n *n);
  if (fb->e.node_mass) imported_geometric(b, fb, c->stiffness);
  else
    planar_solid_geometric(&b->model->scratch, &fb->solid, &fb->e, c->count, c->deformation, n, fb->phi, c->stiffness);
  return load_cases_fields(b->memory, &fb->e, n, c, &fb->fields);
}

static vec3 twice(vec3 a, vec3 b, vec3 off) { return vec3_cross(a, vec3_cross(b, off)); }

// A marker moves with its section, beside whose axis it may be: by φ + ψ × s, and to second order by g and by
// ½ (ψ_i × (ψ_j × s) + ψ_j × (ψ_i × s)), as a turn by ψ moves s. Null at the section that carries the body: modes do
// not move it.
static const marker_shape *shape_of(builder *b, const flexible_builder *fb, const marker *k) {
  const int n = fb->flex.modes;
  flex_place section;
  if (fb->is_solid ? vec3_norm(vec3_sub(k->local.p, fb->from)) == 0 : flexible_section_x(fb, k->local.p) == fb->from.x)
    return NULL;
  flexible_place_at(fb, k->local.p, &section);
  const vec3 off = vec3_sub(k->local.p, section.at);
  vec3 *shift = ARENA_ARRAY(b->memory, vec3, n), *turn = ARENA_ARRAY(b->memory, vec3, n), *second = NULL;
  for (int i = 0; i < n; i++) {
    const double *phi = fb->phi + (long)i * fb->e.freedom_count;
    turn[i] = elements_turn(&section, phi);
    shift[i] = vec3_add(elements_displacement(&section, phi), vec3_cross(turn[i], off));
  }
  if (fb->fields.count) {
    second = ARENA_ARRAY(b->memory, vec3, n * n);
    second_at(fb, &b->model->scratch, &section, second);
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
  fb->from = from, fb->flex.extent = extent_of(fb);
  if (!builder_basis(b, m, fb, body_index)) return false;
  if (flexible_has_second_order(fb) && !find_fields(b, fb))
    return flexible_refuse(b, fb, fb->p->places.whole, "keep fewer modes",
                           "its geometric stiffness cannot be computed");
  const floating_fields *fields = fb->fields.count ? &fb->fields : NULL;
  floating_create(b->memory, &fb->e, fb->flex.modes, fb->phi, fields, &fb->flex.inertia);
  return builder_damping(b, fb);
}

// Where the joints of a tree carry flexible bodies; `held` is set for those that have one.
static void take_frames(const builder *b, const mechanism *tree, vec3 *from, bool *held) {
  for (int i = 1; i < tree->node_count; i++) {
    const node *n = &tree->nodes[i];
    const flexible_builder *fb = &b->flexibles[n->body - 1];
    if (!fb->p || n->joint < 0 || held[n->body]) continue;
    from[n->body] = fb->is_solid ? n->outer.p : (vec3){flexible_section_x(fb, n->outer.p), 0, 0}, held[n->body] = true;
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

static bool are_same(const double *a, const double *b, int count) {
  return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

// Equal bodies, as the links of a chain, share what an evaluation reads: it stays in the cache.
static void share_tables(builder *b, int body_index) {
  flexible_body *of = &b->flexibles[body_index - 1].flex;
  for (int i = 0; i < body_index - 1; i++) {
    const flexible_body *other = &b->flexibles[i].flex;
    if (!b->flexibles[i].p || !floating_is_same(&of->inertia, &other->inertia)) continue;
    const int size = of->modes * of->modes;
    of->inertia = other->inertia;
    if (are_same(of->stiffness, other->stiffness, size)) of->stiffness = other->stiffness;
    if (are_same(of->damping, other->damping, size)) of->damping = other->damping;
    return;
  }
}

static bool is_same_shape(const marker_shape *a, const marker_shape *b, int modes) {
  const size_t size = (size_t)modes * sizeof *a->shift;
  return memcmp(a->shift, b->shift, size) == 0 && memcmp(a->turn, b->turn, size) == 0 && !a->second == !b->second &&
         (!a->second || memcmp(a->second, b->second, (size_t)modes * size) == 0);
}

// The shape of an earlier marker, if it is the same, so that both share what an evaluation reads. May be null.
static const marker_shape *shared_shape(const builder *b, const mechanism *m, int index, const marker_shape *s) {
  const int modes = b->flexibles[m->markers[index].body - 1].flex.modes;
  for (int k = 0; s && k < index; k++) {
    const marker *other = &m->markers[k];
    if (other->shape && b->flexibles[other->body - 1].flex.modes == modes && is_same_shape(other->shape, s, modes))
      return other->shape;
  }
  return s;
}

static bool find_bases(builder *b, const mechanism *m) {
  vec3 *from = ARENA_ARRAY(&b->model->scratch, vec3, m->body_count);
  if (!find_frames(b, m, from)) return false;
  for (int i = 1; i < m->body_count; i++) {
    flexible_builder *fb = &b->flexibles[i - 1];
    if (fb->p && (!check_markers(b, m, fb, i) || !find_basis(b, m, fb, i, from[i]))) return false;
    if (fb->p) flexible_fill_boundary(b, fb), share_tables(b, i);
  }
  b->bases_found = true;
  builder_tell_missed(b);
  builder_tell_rigid_surfaces(b, m);
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
    if (on != GROUND && b->flexibles[on - 1].p && !builder_is_boundary(b, k))
      m->markers[k].shape = shared_shape(b, m, k, shape_of(b, &b->flexibles[on - 1], &m->markers[k]));
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
  if (fb->fields.count) to->second = ARENA_ARRAY(b->memory, double, places *n *n);
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
