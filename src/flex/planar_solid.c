#include "flex/planar_solid.h"

#include <string.h>

// Radon's seven points: exact up to degree five, the mass of a straight triangle being of degree four.
enum { TRIANGLE_POINTS = 7 };
#define A 0.470142064105115090
#define B 0.101286507323456339
static const double at_r[TRIANGLE_POINTS] = {1. / 3, A, 1 - 2 * A, A, B, 1 - 2 * B, B};
static const double at_s[TRIANGLE_POINTS] = {1. / 3, A, A, 1 - 2 * A, B, B, 1 - 2 * B};
#undef A
#undef B
static const double weight[TRIANGLE_POINTS] = {0.225,
                                               0.132394152788506181,
                                               0.132394152788506181,
                                               0.132394152788506181,
                                               0.125939180544827152,
                                               0.125939180544827152,
                                               0.125939180544827152};

// Gauss's three points along each direction of a quadrilateral: exact up to degree five.
enum { LINE_POINTS = 3, QUAD_POINTS = LINE_POINTS * LINE_POINTS };
static const double line_at[LINE_POINTS] = {-0.774596669241483377, 0, 0.774596669241483377};
static const double line_weight[LINE_POINTS] = {5. / 9, 8. / 9, 5. / 9};

enum { NODES_MOST = 8 };

// One element: triangles first, then quadrilaterals.
typedef struct cell {
  const int *nodes;
  int count;  // of nodes: 6 or 8
} cell;

static int cell_count(const triangle_mesh *m) { return m->triangle_count + m->quad_count; }

static cell cell_of(const triangle_mesh *m, int k) {
  if (k < m->triangle_count) return (cell){m->triangles[k], 6};
  return (cell){m->quads[k - m->triangle_count], 8};
}

static int point_count(cell c) { return c.count == 6 ? TRIANGLE_POINTS : QUAD_POINTS; }

// Where point k of an element is. Returns its weight.
static double point_at(cell c, int k, double *r, double *s) {
  if (c.count == 6) {
    *r = at_r[k], *s = at_s[k];
    return weight[k] / 2;
  }
  *r = line_at[k % LINE_POINTS], *s = line_at[k / LINE_POINTS];
  return line_weight[k % LINE_POINTS] * line_weight[k / LINE_POINTS];
}

// One element at one pair of its coordinates.
typedef struct spot {
  vec2 at;
  double jacobian;  // area over that of the element's coordinates
  double shape[NODES_MOST], along_x[NODES_MOST], along_y[NODES_MOST];
  vec2 along_r, along_s;
} spot;

static spot spot_of(const triangle_mesh *m, cell c, double r, double s) {
  spot p = {0};
  double along_r[NODES_MOST], along_s[NODES_MOST];
  if (c.count == 6) triangles_shape(r, s, p.shape, along_r, along_s);
  else quads_shape(r, s, p.shape, along_r, along_s);
  for (int k = 0; k < c.count; k++) {
    const vec2 node = m->nodes[c.nodes[k]];
    p.at = vec2_axpy(p.at, p.shape[k], node);
    p.along_r = vec2_axpy(p.along_r, along_r[k], node);
    p.along_s = vec2_axpy(p.along_s, along_s[k], node);
  }
  p.jacobian = vec2_cross(p.along_r, p.along_s);
  for (int k = 0; k < c.count; k++) {
    p.along_x[k] = (along_r[k] * p.along_s.y - along_s[k] * p.along_r.y) / p.jacobian;
    p.along_y[k] = (along_s[k] * p.along_r.x - along_r[k] * p.along_s.x) / p.jacobian;
  }
  return p;
}

static flex_place place_of(const flex_elements *e, cell c, const spot *p) {
  flex_place place = {.at = vec2_in_space(p->at), .count = 2 * c.count};
  for (int k = 0; k < c.count; k++) {
    const int *freedom = e->freedoms[c.nodes[k]];
    place.freedom[2 * k] = freedom[0], place.freedom[2 * k + 1] = freedom[1];
    place.shape[2 * k] = (vec3){p->shape[k], 0, 0}, place.shape[2 * k + 1] = (vec3){0, p->shape[k], 0};
    place.turn[2 * k] = (vec3){0, 0, -p->along_y[k] / 2}, place.turn[2 * k + 1] = (vec3){0, 0, p->along_x[k] / 2};
  }
  return place;
}

// The energy density is ½ (b (εx + εy)² + G (εx - εy)² + G γ²): three strains with a stiffness each.
static void add_stiffness(arena *memory, const planar_solid *b, flex_elements *e, const flex_place *place,
                          const spot *p, double volume) {
  const double nu = b->poisson, shear = b->young / (2 * (1 + nu));
  const double bulk = b->plane_strain ? shear / (1 - 2 * nu) : b->young / (2 * (1 - nu));
  double sum[2 * NODES_MOST], difference[2 * NODES_MOST], gamma[2 * NODES_MOST];
  for (int k = 0; 2 * k < place->count; k++) {
    sum[2 * k] = difference[2 * k] = gamma[2 * k + 1] = p->along_x[k];
    sum[2 * k + 1] = gamma[2 * k] = p->along_y[k];
    difference[2 * k + 1] = -p->along_y[k];
  }
  elements_add_strain(memory, e, place->count, place->freedom, sum, volume * bulk);
  elements_add_strain(memory, e, place->count, place->freedom, difference, volume * shear);
  elements_add_strain(memory, e, place->count, place->freedom, gamma, volume * shear);
}

int planar_solid_folded(const triangle_mesh *m) {
  for (int i = 0; i < cell_count(m); i++) {
    const cell c = cell_of(m, i);
    for (int k = 0; k < point_count(c); k++) {
      double r, s;
      point_at(c, k, &r, &s);
      if (!(spot_of(m, c, r, s).jacobian > 0)) return i;
    }
  }
  return -1;
}

void planar_solid_elements(arena *memory, const planar_solid *b, flex_elements *e) {
  const triangle_mesh *m = &b->mesh;
  int points = 0;
  for (int i = 0; i < cell_count(m); i++) points += point_count(cell_of(m, i));
  elements_create(memory, e, m->node_count, (bool[6]){true, true}, points);
  for (int i = 0; i < m->node_count; i++) e->nodes[i] = vec2_in_space(m->nodes[i]);
  for (int i = 0, p = 0; i < cell_count(m); i++) {
    const cell c = cell_of(m, i);
    for (int k = 0; k < point_count(c); k++) {
      double r, s;
      const double share = point_at(c, k, &r, &s);
      const spot at = spot_of(m, c, r, s);
      const flex_place place = place_of(e, c, &at);
      const double volume = b->thickness * at.jacobian * share;
      e->points[p++] = (mass_point){b->density * volume, place};
      add_stiffness(memory, b, e, &place, &at, volume);
    }
  }
  elements_assemble(memory, e);
}

// Newton's iteration for the coordinates of a point. Returns how far they are outside the element.
static double find_spot(const triangle_mesh *m, cell c, vec2 at, spot *p) {
  double r = c.count == 6 ? 1. / 3 : 0, s = r;
  for (int i = 0; i < 20; i++) {
    *p = spot_of(m, c, r, s);
    const vec2 off = vec2_sub(at, p->at);
    const double dr = vec2_cross(off, p->along_s) / p->jacobian, ds = vec2_cross(p->along_r, off) / p->jacobian;
    r += dr, s += ds;
    if (!(fabs(r) + fabs(s) < 4)) return INFINITY;  // far outside, where a curved element folds
    if (fabs(dr) + fabs(ds) < 1e-14) break;
  }
  *p = spot_of(m, c, r, s);
  return c.count == 6 ? fmax(fmax(-r, -s), r + s - 1) : fmax(fabs(r), fabs(s)) - 1;
}

// Whether a point is outside the box around the nodes, with as much again around it, which holds curved sides.
static bool is_far(const triangle_mesh *m, cell c, vec2 at) {
  vec2 low = m->nodes[c.nodes[0]], high = low;
  for (int k = 1; k < c.count; k++) {
    const vec2 p = m->nodes[c.nodes[k]];
    low = (vec2){fmin(low.x, p.x), fmin(low.y, p.y)}, high = (vec2){fmax(high.x, p.x), fmax(high.y, p.y)};
  }
  const double margin = fmax(high.x - low.x, high.y - low.y) / 2;
  return at.x < low.x - margin || at.x > high.x + margin || at.y < low.y - margin || at.y > high.y + margin;
}

bool planar_solid_place(const planar_solid *b, const flex_elements *e, vec2 at, flex_place *to) {
  double least = 5e-3;
  bool found = false;
  for (int i = 0; i < cell_count(&b->mesh); i++) {
    const cell c = cell_of(&b->mesh, i);
    spot p;
    if (is_far(&b->mesh, c, at)) continue;
    const double outside = find_spot(&b->mesh, c, at, &p);
    if (!(outside < least)) continue;
    least = outside, found = true;
    *to = place_of(e, c, &p);
  }
  return found;
}

// Coordinates of the nodes of an element.
static void node_at(cell c, int k, double *r, double *s) {
  static const double triangle[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}};
  static const double quad[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}};
  const double *at = c.count == 6 ? triangle[k] : quad[k];
  *r = at[0], *s = at[1];
}

// σx, σy, τ of the strains at a spot.
static void stress_at(const planar_solid *b, const flex_elements *e, cell c, const spot *p, const double *x,
                      double to[3]) {
  const double nu = b->poisson, shear = b->young / (2 * (1 + nu));
  const double bulk = b->plane_strain ? shear / (1 - 2 * nu) : b->young / (2 * (1 - nu));
  double ex = 0, ey = 0, gamma = 0;
  for (int k = 0; k < c.count; k++) {
    const int *freedom = e->freedoms[c.nodes[k]];
    const double u = x[freedom[0]], v = x[freedom[1]];
    ex += p->along_x[k] * u, ey += p->along_y[k] * v, gamma += p->along_y[k] * u + p->along_x[k] * v;
  }
  to[0] = bulk * (ex + ey) + shear * (ex - ey), to[1] = bulk * (ex + ey) - shear * (ex - ey), to[2] = shear * gamma;
}

void planar_solid_stress(arena *scratch, const planar_solid *b, const flex_elements *e, const double *x,
                         double (*stress)[3]) {
  const arena_mark mark = arena_get_mark(scratch);
  int *elements = ARENA_ARRAY(scratch, int, e->node_count);
  memset(stress, 0, (size_t)e->node_count * sizeof *stress);
  for (int i = 0; i < cell_count(&b->mesh); i++) {
    const cell c = cell_of(&b->mesh, i);
    for (int k = 0; k < c.count; k++) {
      double r, s, here[3];
      node_at(c, k, &r, &s);
      const spot p = spot_of(&b->mesh, c, r, s);
      stress_at(b, e, c, &p, x, here);
      elements[c.nodes[k]]++;
      for (int j = 0; j < 3; j++) stress[c.nodes[k]][j] += here[j];
    }
  }
  for (int i = 0; i < e->node_count; i++)
    for (int j = 0; j < 3 && elements[i]; j++) stress[i][j] /= elements[i];
  arena_release(scratch, mark);
}

// ∂u/∂x, ∂u/∂y, ∂v/∂x, ∂v/∂y at a spot.
static void gradient_at(const flex_elements *e, cell c, const spot *p, const double *x, double to[4]) {
  memset(to, 0, 4 * sizeof *to);
  for (int k = 0; k < c.count; k++) {
    const double u = x[e->freedoms[c.nodes[k]][0]], v = x[e->freedoms[c.nodes[k]][1]];
    to[0] += p->along_x[k] * u, to[1] += p->along_y[k] * u, to[2] += p->along_x[k] * v, to[3] += p->along_y[k] * v;
  }
}

static void add_geometric(const double stress[3], double volume, int modes, const double (*gradient)[4], double *to) {
  const double x = volume * stress[0], y = volume * stress[1], xy = volume * stress[2];
  for (int i = 0; i < modes; i++) {
    const double *g = gradient[i];
    const double turned[4] = {x * g[0] + xy * g[1], xy * g[0] + y * g[1], x * g[2] + xy * g[3], xy * g[2] + y * g[3]};
    for (int j = 0; j < modes; j++)
      for (int k = 0; k < 4; k++) to[i * modes + j] += turned[k] * gradient[j][k];
  }
}

void planar_solid_geometric(arena *scratch, const planar_solid *b, const flex_elements *e, int count,
                            const double *deformations, int modes, const double *phi, double *to) {
  const arena_mark mark = arena_get_mark(scratch);
  double(*gradient)[4] = arena_alloc(scratch, (size_t)modes, sizeof *gradient);
  memset(to, 0, (size_t)count * (size_t)modes * (size_t)modes * sizeof *to);
  for (int i = 0; i < cell_count(&b->mesh); i++) {
    const cell c = cell_of(&b->mesh, i);
    for (int k = 0; k < point_count(c); k++) {
      double r, s, stress[3];
      const double share = point_at(c, k, &r, &s);
      const spot p = spot_of(&b->mesh, c, r, s);
      const double volume = b->thickness * p.jacobian * share;
      for (int m = 0; m < modes; m++) gradient_at(e, c, &p, phi + (long)m * e->freedom_count, gradient[m]);
      for (int a = 0; a < count; a++) {
        stress_at(b, e, c, &p, deformations + (long)a * e->freedom_count, stress);
        add_geometric(stress, volume, modes, (const double(*)[4])gradient, to + (long)a * modes * modes);
      }
    }
  }
  arena_release(scratch, mark);
}

int planar_solid_cells(const planar_solid *b) { return cell_count(&b->mesh); }

vec3 planar_solid_strain(const planar_solid *b, const flex_elements *e, int index, const double *x) {
  const cell c = cell_of(&b->mesh, index);
  const double middle = c.count == 6 ? 1. / 3 : 0;
  const spot p = spot_of(&b->mesh, c, middle, middle);
  double along_x = 0, along_y = 0, shear = 0;
  for (int k = 0; k < c.count; k++) {
    const double u = x[e->freedoms[c.nodes[k]][0]], v = x[e->freedoms[c.nodes[k]][1]];
    along_x += p.along_x[k] * u, along_y += p.along_y[k] * v, shear += p.along_y[k] * u + p.along_x[k] * v;
  }
  return (vec3){(along_x + along_y) / 2, (along_x - along_y) / 2, shear / 2};
}
