// The boundary of a flexible planar solid as a contact surface.
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

// Its box; and how thick the body is, by the box around all of it.
static double measure(const flexible_builder *fb, polyline *l) {
  const triangle_mesh *m = &fb->solid.mesh;
  vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
  l->low = low, l->high = high;
  for (int v = 0; v < l->count; v++) reach(m->nodes[fb->touched[l->place[v]]], &l->low, &l->high);
  for (int k = 0; k < m->node_count; k++) reach(m->nodes[k], &low, &high);
  return fmin(high.x - low.x, high.y - low.y);
}

bool builder_boundary(builder *b, const part *p, int body, contact_surface *to) {
  const surface_type *type = surface_find(p->kind);
  const carom_surface_def *d = p->content;
  const place at = builder_place(p, type->table, p->kind);
  flexible_builder *fb = b->flexibles && body != GROUND ? &b->flexibles[body - 1] : NULL;
  if (!fb || !fb->p || !fb->d->solid_2d)
    return source_error(b->error, CAROM_ERROR_MODEL, at, "give the body a solid_2d and modes, or take another surface",
                        "'%s' is the boundary of a flexible planar solid, and '%s' is none", p->name, d->on);
  if (names_find(&b->markers, d->on) >= 0)
    return source_error(b->error, CAROM_ERROR_MODEL, at, "name the body",
                        "'%s': a boundary is that of a body, and "
                        "'%s' is a marker",
                        p->name, d->on);
  const flex_interface *side = flexible_boundary_side(fb, d);
  if (d->side && !side)
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, type->table, "side"),
                        flexible_interface_names(b, fb), "'%s': the boundary of '%s' has no part '%s'", p->name, d->on,
                        d->side);
  polyline *line = ARENA_NEW(b->memory, polyline);
  *line = chain_of(b, fb, side);
  if (!line->count)
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, type->table, "side"), NULL,
                        "'%s': no node of '%s' is on the boundary of '%s'", p->name, d->side, d->on);
  to->thickness = measure(fb, line);
  line->depth = to->thickness / 2;
  to->boundary = line;
  if (line->count > CONTACT_POINTS_MAX)
    builder_note_at(b, at,
                    "'%s' has %d nodes, of which at most %d touch another surface at once: the nearest; name a "
                    "'side' or stretch with fewer if more of them can touch",
                    p->name, line->count, CONTACT_POINTS_MAX);
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
  vec3 *psi = ARENA_ARRAY(&b->model->scratch, vec3, fields);
  for (int k = 0; k < count; k++) {
    const int *freedom = fb->e.freedoms[fb->touched[k]];
    at[k] = fb->solid.mesh.nodes[fb->touched[k]];
    for (int i = 0; i < n; i++) {
      const double *phi = fb->phi + (long)i * fb->e.freedom_count;
      shift[k * n + i] = (vec2){phi[freedom[0]], phi[freedom[1]]};
    }
    if (!fields) continue;
    const flex_place place = elements_node(&fb->e, fb->touched[k]);
    fb->fields.at(fb->fields.context, &place, psi);
    for (int i = 0; i < fields; i++) field[k * fields + i] = vec2_of(psi[i]);
  }
  *to = (flexible_boundary){count, at, shift, field};
  fb->flex.boundary = to;
}
