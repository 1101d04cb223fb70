// The boundary of a flexible planar solid as a contact surface, and the sides of a beam.
#include <math.h>
#include <string.h>

#include "build/flexible_builder.h"
#include "build/surface.h"
#include "mechanics/flexible_boundary.h"

bool builder_is_boundary(const builder *b, int marker) {
  for (int i = 0; i < b->def->surfaces.count; i++)
    if (b->surface_marker[i] == marker) return surface_find(b->def->surfaces.items[i].kind)->by_boundary;
  return false;
}

const flex_interface *flexible_boundary_side(const flexible_builder *fb, const carom_surface_def *d) {
  return d->side ? interfaces_find(&fb->interfaces, d->side) : NULL;
}

// --- the chain -------------------------------------------------------------------------------------------------------

typedef struct chain_builder {
  flexible_builder *fb;
  arena *memory;
  bool *taken;  // nodes of the surface
  int *vertex;  // of each node one more than its number among the vertices; 0: none
  int *place, *next, *before, count;
} chain_builder;

static int add_vertex(chain_builder *c, int node) {
  if (c->vertex[node]) return c->vertex[node] - 1;
  flexible_builder *fb = c->fb;
  if (!fb->touched_as[node]) fb->touched[fb->touched_count++] = node, fb->touched_as[node] = fb->touched_count;
  c->place[c->count] = fb->touched_as[node] - 1, c->next[c->count] = c->before[c->count] = -1;
  c->vertex[node] = ++c->count;
  return c->count - 1;
}

static void add_line(chain_builder *c, int from, int to) {
  if (c->taken[from]) add_vertex(c, from);
  if (c->taken[to]) add_vertex(c, to);
  if (!c->taken[from] || !c->taken[to]) return;
  int a = add_vertex(c, from), b = add_vertex(c, to);
  c->next[a] = b, c->before[b] = a;
}

static void take_nodes(chain_builder *c, const flex_interface *side) {
  const triangle_mesh *m = &c->fb->solid.mesh;
  for (int i = 0; !side && i < m->boundary_count; i++)
    for (int k = 0; k < 3; k++) c->taken[m->boundary[i][k]] = true;
  for (int i = 0; side && i < side->count; i++) c->taken[side->nodes[i]] = true;
}

// Each side of the mesh has a node in its middle: two lines.
static polyline chain_of(builder *b, flexible_builder *fb, const flex_interface *side) {
  const triangle_mesh *m = &fb->solid.mesh;
  const int most = 2 * m->boundary_count + 1;
  arena *scratch = &b->model->scratch;
  chain_builder c = {.fb = fb, .memory = b->memory};
  c.taken = ARENA_ARRAY(scratch, bool, m->node_count), c.vertex = ARENA_ARRAY(scratch, int, m->node_count);
  c.place = ARENA_ARRAY(b->memory, int, most), c.next = ARENA_ARRAY(b->memory, int, most);
  c.before = ARENA_ARRAY(b->memory, int, most);
  if (!fb->touched_as)
    fb->touched = ARENA_ARRAY(scratch, int, m->node_count), fb->touched_as = ARENA_ARRAY(scratch, int, m->node_count);
  take_nodes(&c, side);
  for (int i = 0; i < m->boundary_count; i++)
    add_line(&c, m->boundary[i][0], m->boundary[i][2]), add_line(&c, m->boundary[i][2], m->boundary[i][1]);
  return (polyline){.count = c.count, .place = c.place, .next = c.next, .before = c.before};
}

static void reach(vec2 p, vec2 *low, vec2 *high) {
  *low = (vec2){fmin(low->x, p.x), fmin(low->y, p.y)}, *high = (vec2){fmax(high->x, p.x), fmax(high->y, p.y)};
}

static vec2 touched_at(const flexible_builder *fb, int k) {
  return fb->is_solid ? fb->solid.mesh.nodes[fb->touched[k]] : fb->sides[k];
}

static void set_box(const flexible_builder *fb, polyline *l) {
  l->low = (vec2){INFINITY, INFINITY}, l->high = (vec2){-INFINITY, -INFINITY};
  for (int v = 0; v < l->count; v++) reach(touched_at(fb, l->place[v]), &l->low, &l->high);
}

// How thick a solid is, by the box around all of it.
static double solid_thickness(const flexible_builder *fb) {
  const triangle_mesh *m = &fb->solid.mesh;
  vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
  for (int k = 0; k < m->node_count; k++) reach(m->nodes[k], &low, &high);
  return fmin(high.x - low.x, high.y - low.y);
}

// --- sides of a beam -------------------------------------------------------------------------------------------------

// As given, or that of a rectangle: √(12 I/A).
static double beam_thickness(const flexible_builder *fb, const carom_surface_def *d, double x) {
  const beam_section s = fb->beam.section(fb->beam.context, x);
  return d->thickness > 0 ? d->thickness : sqrt(12 * s.second_z / s.area);
}

static void add_place(flexible_builder *fb, polyline *l, int *place, vec2 at) {
  fb->sides[fb->touched_count] = at;
  place[l->count++] = fb->touched_count++;
}

// The lower side in the direction of the axis, the upper one against it, so that the beam is on their left; both
// together go around it. One place for each end of an element, of those that the beam is given with: nodes that markers
// ask for do not move them. Returns how thin the beam is.
static double chain_beam(builder *b, flexible_builder *fb, const carom_surface_def *d, polyline *l) {
  const int n = fb->d->beam->elements, most = 2 * (n + 1);
  const bool upper = d->side && strcmp(d->side, "top") == 0, lower = d->side && !upper, closed = !d->side;
  int *place = ARENA_ARRAY(b->memory, int, most), *next = ARENA_ARRAY(b->memory, int, most),
      *before = ARENA_ARRAY(b->memory, int, most);
  double thin = INFINITY;
  if (!fb->sides) fb->sides = ARENA_ARRAY(&b->model->scratch, vec2, (long)b->def->surfaces.count * most);
  *l = (polyline){.place = place, .next = next, .before = before};
  for (int k = 0; k < most; k++) {
    const bool below = k <= n;
    const double x = fb->beam.length * (below ? k : most - 1 - k) / n, thick = beam_thickness(fb, d, x);
    thin = fmin(thin, thick);
    if (below ? !upper : !lower) add_place(fb, l, place, (vec2){x, below ? -thick / 2 : thick / 2});
  }
  for (int v = 0; v < l->count; v++) next[v] = v + 1, before[v] = v - 1;
  next[l->count - 1] = closed ? 0 : -1, before[0] = closed ? l->count - 1 : -1;
  return thin;
}

static bool is_beam_side(const char *side) { return !side || strcmp(side, "top") == 0 || strcmp(side, "bottom") == 0; }

// --- the surface -----------------------------------------------------------------------------------------------------

static bool make_solid_chain(builder *b, const part *p, flexible_builder *fb, polyline *line) {
  const carom_surface_def *d = p->content;
  const place at = builder_place(p, surface_find(p->kind)->table, "side");
  const flex_interface *side = flexible_boundary_side(fb, d);
  if (d->thickness > 0)
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, surface_find(p->kind)->table, "thickness"),
                        "leave it out", "'%s': 'thickness' is for sides of beams, and '%s' is a solid", p->name, d->on);
  if (d->side && !side)
    return source_error(b->error, CAROM_ERROR_MODEL, at, flexible_interface_names(b, fb),
                        "'%s': the boundary of '%s' has no part '%s'", p->name, d->on, d->side);
  *line = chain_of(b, fb, side);
  if (!line->count)
    return source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "'%s': no node of '%s' is on the boundary of '%s'",
                        p->name, d->side, d->on);
  return true;
}

bool builder_boundary(builder *b, const part *p, int body, contact_surface *to) {
  const surface_type *type = surface_find(p->kind);
  const carom_surface_def *d = p->content;
  const place at = builder_place(p, type->table, p->kind);
  flexible_builder *fb = b->flexibles && body != GROUND ? &b->flexibles[body - 1] : NULL;
  if (!fb || !fb->p || !(fb->d->solid_2d || fb->d->beam))
    return source_error(b->error, CAROM_ERROR_MODEL, at,
                        "give the body a solid_2d or a beam, and modes, or take another surface",
                        "'%s' is the boundary of a flexible planar solid or beam, and '%s' is none", p->name, d->on);
  if (names_find(&b->markers, d->on) >= 0)
    return source_error(b->error, CAROM_ERROR_MODEL, at, "name the body",
                        "'%s': a boundary is that of a body, and "
                        "'%s' is a marker",
                        p->name, d->on);
  if (!fb->is_solid && !is_beam_side(d->side))
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, type->table, "side"),
                        "'top' is the side of positive y, 'bottom' the other one", "'%s': a beam has no side '%s'",
                        p->name, d->side);
  polyline *line = ARENA_NEW(b->memory, polyline);
  if (fb->is_solid && !make_solid_chain(b, p, fb, line)) return false;
  to->thickness = fb->is_solid ? solid_thickness(fb) : chain_beam(b, fb, d, line);
  set_box(fb, line);
  line->depth = to->thickness / 2;
  to->boundary = line;
  if (line->count > CONTACT_POINTS_MAX)
    builder_note_at(b, at, "'%s' has %d nodes, of which at most %d touch another surface at once: the nearest; %s",
                    p->name, line->count, CONTACT_POINTS_MAX,
                    fb->is_solid ? "name a 'side' or stretch with fewer if more of them can touch"
                                 : "take fewer elements if more of them can touch");
  return true;
}

// --- its modes -------------------------------------------------------------------------------------------------------

void flexible_fill_boundary(builder *b, flexible_builder *fb) {
  if (!fb->touched_count) return;
  const int n = fb->flex.modes, count = fb->touched_count;
  flexible_boundary *to = ARENA_NEW(b->memory, flexible_boundary);
  const int fields = fb->fields.count;
  vec2 *at = ARENA_ARRAY(b->memory, vec2, count), *shift = ARENA_ARRAY(b->memory, vec2, (long)count * n);
  vec2 *field = ARENA_ARRAY(b->memory, vec2, (long)count * fields);
  double *turn = fields && !fb->is_solid ? ARENA_ARRAY(b->memory, double, (long)count *n) : NULL;
  vec3 *given = ARENA_ARRAY(&b->model->scratch, vec3, fields), *psi = ARENA_ARRAY(&b->model->scratch, vec3, fields);
  for (int k = 0; k < count; k++) {
    at[k] = touched_at(fb, k);
    const flex_place place = fb->is_solid ? elements_node(&fb->e, fb->touched[k]) : flexible_section(fb, at[k].x);
    for (int i = 0; i < n; i++) {
      const double *phi = fb->phi + (long)i * fb->e.freedom_count;
      const vec3 moved = elements_displacement(&place, phi), turned = elements_turn(&place, phi);
      shift[k * n + i] = (vec2){moved.x, moved.y};
      if (!fb->is_solid) shift[k * n + i].x -= turned.z * at[k].y;  // beside the axis
      if (turn) turn[k * n + i] = turned.z;
    }
    if (!fields) continue;
    fb->fields.at(fb->fields.context, &place, given);
    field_basis_sum(&fb->flex.inertia.basis, 3, (const double *)given, (double *)psi);
    for (int i = 0; i < fields; i++) field[k * fields + i] = vec2_of(psi[i]);
  }
  *to = (flexible_boundary){count, at, shift, field, turn};
  fb->flex.boundary = to;
}
