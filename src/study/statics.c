#include "study/statics.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "mechanics/constraint.h"
#include "mechanics/control.h"
#include "mechanics/dry_friction.h"
#include "mechanics/dynamics.h"
#include "mechanics/flexible.h"
#include "mechanics/rows.h"
#include "mechanics/tree.h"

// --- creation --------------------------------------------------------------------------------------------------------

bool statics_speed_slides(const mechanism *m, int speed) {
  const node *n = &m->nodes[m->speed_node[speed]];
  const char *kinds = m->planar ? n->type->kinds_planar : n->type->kinds_spatial;
  const int k = speed - n->v;
  if (n->flex && speed >= n->modal_v) return n->flex->kinds[speed - n->modal_v] == 't';
  return n->nq == n->nv ? kinds[k] == 't' : k >= 3;
}

double statics_speed_scale(const mechanism *m, int speed) {
  const node *n = &m->nodes[m->speed_node[speed]];
  const double plain = statics_speed_slides(m, speed) ? m->length : 1;
  if (!n->flex || speed < n->modal_v) return plain;
  const double size = n->flex->size[speed - n->modal_v];
  return size > 0 ? plain / size : plain;
}

static carom_status refuse(const carom_sim *sim, carom_error *error) {
  const mechanism *m = &sim->model->m;
  if (sim->recording)
    return error_set(error, CAROM_ERROR_USAGE, "the sim is recorded: end the record before its state is changed");
  if (sim->model->contacts.crowd)
    return error_set(error, CAROM_ERROR_USAGE,
                     "the model has more pairs of surfaces than are listed (%ld), and statics takes listed ones alone; "
                     "leave out pairs under 'contacts', or run the model with damping",
                     sim->model->contacts.possible);
  for (int i = 0; i < m->friction_count; i++)
    if (m->frictions[i].coefficient > 0)
      return error_set(error, CAROM_ERROR_USAGE,
                       "friction of joint '%s' follows its load, which statics does not take into account; set its "
                       "coefficient to 0 and give a limit",
                       m->joints[m->frictions[i].of.joint].name);
  for (int i = 0; i < m->callback_count; i++)
    if (m->callbacks[i].every > 0)
      return error_set(error, CAROM_ERROR_USAGE,
                       "callback '%s' is called at a fixed rate: its outputs do not follow positions. Leave out "
                       "'every', so that it is called at each evaluation",
                       m->callbacks[i].name);
  return sim_check_bound(sim, error);
}

static bool count_speeds(statics *s) {
  const mechanism *m = s->m;
  s->speed = ARENA_ARRAY(&s->memory, int, m->nv + 1), s->scale = ARENA_ARRAY(&s->memory, double, m->nv + 1);
  for (int i = 0; i < m->nv; i++)
    if (!m->driven[i]) s->scale[s->n] = statics_speed_scale(m, i), s->speed[s->n++] = i;
  if (s->n <= STATICS_MOST) return true;
  return error_set(s->error, CAROM_ERROR_USAGE, "the model has %d speeds, and statics takes at most %d", s->n,
                   STATICS_MOST),
         false;
}

static void find_friction(statics *s) {
  const contact_state *c = s->sim->contacts;
  s->friction = s->m->friction_count > 0;
  for (int i = 0; i < c->element_count; i++)
    s->friction |= contact_rubs(c->elements[i]) || contact_rolls(c->elements[i]);
}

static void make_room(statics *s) {
  const mechanism *m = s->m;
  const contact_state *c = s->sim->contacts;
  const int n = s->n + 1, all = m->nv + 1;
  arena *a = &s->memory;
  s->row_room = m->row_count + c->row_count + m->friction_count;
  s->q = ARENA_ARRAY(a, double, m->nq + 1), s->z = ARENA_ARRAY(a, double, s->states + 1);
  s->zdot = ARENA_ARRAY(a, double, s->states + 1), s->held = ARENA_ARRAY(a, bool, s->states + 1);
  s->points = ARENA_ARRAY(a, contact_point, c->point_slots + 1);
  s->normal = ARENA_ARRAY(a, double, c->point_slots + 1);
  s->contacts = ARENA_ARRAY(a, static_contact, c->point_slots + 1);
  s->L = ARENA_ARRAY(a, double, n *n), s->Q = ARENA_ARRAY(a, double, n);
  s->A = ARENA_ARRAY(a, double, (s->row_room + 1) * n), s->value = ARENA_ARRAY(a, double, s->row_room + 1);
  s->step = ARENA_ARRAY(a, double, n), s->step_u = ARENA_ARRAY(a, double, n);
  s->work[0] = ARENA_ARRAY(a, double, all), s->work[1] = ARENA_ARRAY(a, double, all);
  s->u = ARENA_ARRAY(a, double, all);
}

bool statics_open(statics *s, carom_sim *sim, bool moves, carom_error *error) {
  arena memory = s->memory;
  *s = (statics){.sim = sim, .m = &sim->model->m, .x = sim->x, .memory = memory, .error = error, .moves = moves};
  s->states = s->m->state_count, s->has_law = sim->type->rest != NULL;
  if (refuse(sim, error) != CAROM_OK || !count_speeds(s)) return false;
  find_friction(s);
  make_room(s);
  sim_show_end(sim);
  memcpy(s->q, s->x->q, (size_t)s->m->nq * sizeof *s->q);
  memcpy(s->z, s->x->inner, (size_t)s->states * sizeof *s->z);
  if (moves) memcpy(s->u, s->x->u, (size_t)s->m->nv * sizeof *s->u);
  if (motion_reserve_rows(s->m, s->x, s->row_room - s->m->row_count)) return true;
  return error_set(error, CAROM_ERROR_MEMORY, "out of memory for the rows of contacts"), false;
}

// --- forces ----------------------------------------------------------------------------------------------------------

void statics_move(const statics *s, const double *q, const double *delta, double factor, double *to) {
  double *all = s->work[0];
  memset(all, 0, (size_t)s->m->nv * sizeof *all);
  for (int i = 0; i < s->n; i++) all[s->speed[i]] = factor * delta[i];
  memmove(to, q, (size_t)s->m->nq * sizeof *to);
  dynamics_move(s->m, to, all);
  dynamics_normalize(s->m, to);
}

// At rest drives keep their coordinates where they are, and do not move.
static void put(statics *s, const double *q, const double *u, const double *z) {
  const mechanism *m = s->m;
  motion *x = s->x;
  dynamics_set(m, x, x->t, q, s->u);
  if (!s->moves)
    memset(x->u, 0, (size_t)m->nv * sizeof *x->u), memset(x->drive_udot, 0, (size_t)m->nv * sizeof *x->drive_udot);
  memset(x->friction_effort, 0, (size_t)m->friction_count * sizeof *x->friction_effort);
  for (int i = 0; u && i < s->n; i++) x->u[s->speed[i]] += u[i];
  memcpy(x->inner, z, (size_t)s->states * sizeof *z);
  rows_clear(m, x);
  dynamics_positions_velocities(m, x);
}

// What acts along the free speeds: Q = τ + Jᵀ F - h.
static bool apply(statics *s, double *Q, double *zdot) {
  motion *x = s->x;
  double *inverse = s->work[1];
  x->refused = false, x->bad_callback = 0;
  if (s->has_law) s->sim->type->rest(s->sim->scheme, s->normal);
  dynamics_apply_forces(s->m, x);
  memset(s->work[0], 0, (size_t)s->m->nv * sizeof *s->work[0]);
  tree_inverse(s->m, x, s->work[0], inverse);
  for (int i = 0; i < s->n; i++) Q[i] = x->tau[s->speed[i]] - inverse[s->speed[i]];
  for (int i = 0; i < s->states; i++) zdot[i] = x->inner_rate[i];
  return !x->bad_callback && number_all_finite(Q, (size_t)s->n) && number_all_finite(zdot, (size_t)s->states);
}

// The rows of the contacts that take part, and of the frictions of joints.
static void add_rows(statics *s) {
  for (int i = 0; i < s->contact_count; i++)
    contact_add_rows(s->m, s->x, s->contacts[i].e, &s->points[s->contacts[i].slot]);
  if (s->m->friction_count) friction_add_rows(s->m, s->x);
}

bool statics_forces(statics *s, const double *q, const double *u, const double *z, const double *r, double *F,
                    double *zdot) {
  put(s, q, u, z);
  contact_state_evaluate(s->sim->contacts, s->m, s->x, s->points);
  if (!apply(s, F, zdot)) return false;
  add_rows(s);
  dynamics_transposed_rows(s->m, s->x, r, s->row_count, s->work[0]);
  for (int i = 0; i < s->n; i++) F[i] += s->work[0][s->speed[i]];
  return true;
}

// --- at one place ----------------------------------------------------------------------------------------------------

// Of laws only points that are pressed and rub: their normal forces are among Q.
static void choose_contacts(statics *s, double near) {
  const contact_state *c = s->sim->contacts;
  s->contact_count = 0;
  s->row_count = s->m->row_count;
  CONTACT_EACH_POINT(c, p) {
    const contact_element *e = c->element_of[p];
    const contact_point *at = &s->points[p];
    if (at->absent || !(at->gap <= near)) continue;
    if (s->has_law && !(s->normal[p] > 0 && contact_rubs(e))) continue;
    const int size = contact_row_count(s->m, e);
    s->contacts[s->contact_count++] = (static_contact){
        .e = e, .slot = p, .row = s->row_count, .size = size, .law_force = s->has_law ? s->normal[p] : NAN};
    s->row_count += size;
  }
  s->row_count += s->m->friction_count;
}

// A is found row by row as Aᵀ e_i.
static void fill_rows(statics *s) {
  double *unit = ARENA_ARRAY(&s->memory, double, s->row_count + 1);
  for (int i = 0; i < s->row_count; i++) {
    unit[i] = 1;
    dynamics_transposed_rows(s->m, s->x, unit, s->row_count, s->work[0]);
    unit[i] = 0;
    for (int k = 0; k < s->n; k++) s->A[(long)i * s->n + k] = s->work[0][s->speed[k]];
    s->value[i] = i < s->m->row_count ? s->x->rows[i].phi : 0;
  }
  for (int i = 0; i < s->contact_count; i++)
    s->value[s->contacts[i].row] = isnan(s->contacts[i].law_force) ? s->points[s->contacts[i].slot].gap : 0;
}

// Adds Σ_b m_b ℓ² J_bᵀ J_b of the angular velocities of all bodies, ℓ the largest radius of gyration of what a speed
// turns: two speeds turn together what hangs on the outer of their nodes. M of a chain of n links has a condition that
// grows with n⁴, and the sum one that does not depend on n.
static double turn_of(const statics *s, int v, int w) {
  double sum = 0;
  for (int k = 0; k < (s->m->planar ? 1 : 3); k++) sum += s->x->S[6 * v + k] * s->x->S[6 * w + k];
  return sum;
}

static void add_turning(statics *s, double *M) {
  const mechanism *m = s->m;
  double *mass = ARENA_ARRAY(&s->memory, double, m->node_count + 1), square = m->length * m->length;
  for (int i = m->node_count - 1; i > 0; i--) {
    mass[i] += m->nodes[i].mass;
    if (m->nodes[i].parent != GROUND) mass[m->nodes[i].parent] += mass[i];
    for (int v = m->nodes[i].v; v < m->nodes[i].v + m->nodes[i].nv; v++)
      if (mass[i] * turn_of(s, v, v) > 0)
        square = fmax(square, M[(long)v * (m->nv + 1)] / (mass[i] * turn_of(s, v, v)));
  }
  for (int i = m->node_count - 1; i > 0; i--)
    for (int v = m->nodes[i].v; v < m->nodes[i].v + m->nodes[i].nv; v++)
      for (int j = i; j != GROUND; j = m->nodes[j].parent)
        for (int w = m->nodes[j].v; w < m->nodes[j].v + m->nodes[j].nv; w++) {
          const double sum = mass[i] * square * turn_of(s, v, w);
          M[(long)v * m->nv + w] += sum;
          if (j != i) M[(long)w * m->nv + v] += sum;
        }
}

static bool factor_mass(statics *s) {
  const int n = s->n, nv = s->m->nv;
  double *M = ARENA_ARRAY(&s->memory, double, (long)nv *nv + 1);
  tree_mass_matrix(s->m, s->x, M);
  if (s->by_turning) add_turning(s, M);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) s->L[(long)i * n + k] = M[(long)s->speed[i] * nv + s->speed[k]];
  for (int i = 0; i < n; i++)
    if (!(s->L[(long)i * n + i] > 0))
      return error_set(s->error, CAROM_ERROR_SINGULAR, "joint '%s' moves no mass: its position has no statics",
                       s->m->nodes[s->m->speed_node[s->speed[i]]].joint < 0
                           ? s->m->bodies[s->m->nodes[s->m->speed_node[s->speed[i]]].body].name
                           : s->m->joints[s->m->nodes[s->m->speed_node[s->speed[i]]].joint].name),
             false;
  if (dense_cholesky(n, s->L, n, 1e-14, NULL)) return true;
  return error_set(s->error, CAROM_ERROR_SINGULAR, "the mass matrix is singular here"), false;
}

// Of a state: whether it rests at a limit.
static void find_held(statics *s) {
  for (int i = 0; i < s->states; i++) {
    const model_state *z = &s->m->states[i];
    const double free_rate = control_free_rate(s->m, s->x, i);
    s->held[i] = (s->z[i] <= z->low && free_rate < 0) || (s->z[i] >= z->high && free_rate > 0);
  }
}

bool statics_evaluate(statics *s, double near) {
  arena_mark mark = arena_get_mark(&s->memory);
  put(s, s->q, NULL, s->z);
  contact_state_evaluate(s->sim->contacts, s->m, s->x, s->points);
  if (!apply(s, s->Q, s->zdot)) {
    if (s->x->bad_callback) sim_blame_callback(s->sim, s->x->bad_callback, s->x->t, s->error);
    error_set(s->error, CAROM_ERROR_SINGULAR, "the forces at rest are not finite; " NOT_FINITE_ADVICE);
    return false;
  }
  find_held(s);
  choose_contacts(s, near);
  add_rows(s);
  fill_rows(s);
  const bool good = factor_mass(s);
  arena_release(&s->memory, mark);
  return good;
}

bool statics_is_closed(const statics *s, const double *r, int contact) {
  const static_contact *c = &s->contacts[contact];
  bool carries = false;
  if (!isnan(c->law_force) || s->points[c->slot].gap > 1e-8 * s->m->length) return false;
  for (int i = 0; i < s->contact_count; i++) carries |= s->contacts[i].e == c->e && r[s->contacts[i].row] > 0;
  return carries;
}

// --- derivatives -----------------------------------------------------------------------------------------------------

// Differences reach 2 ε. They are of fourth order: with ε = 1e-4 of the scale, curvatures at a hundredth of the scale
// leave 1e-8, and rounding 1e-12. Laws of contact change within a penetration, and friction laws within v0: there the
// steps are a fiftieth of these.
static void choose_steps(statics *s) {
  const contact_state *c = s->sim->contacts;
  double fastest = 1;  // forces of gyroscopes are quadratic in the speeds: beside large ones a step may be as large
  for (int i = 0; i < s->m->nv; i++) fastest = fmax(fastest, fabs(s->u[i]) / statics_speed_scale(s->m, i));
  for (int i = 0; i < s->n; i++) s->step[i] = 1e-4 * s->scale[i], s->step_u[i] = fastest * s->step[i];
  if (!s->has_law) return;
  rows_clear(s->m, s->x);
  double *mu = ARENA_ARRAY(&s->memory, double, s->m->row_count + BLOCK_ROWS_MAX);
  CONTACT_EACH_POINT(c, p) {
    const contact_element *e = c->element_of[p];
    const contact_point *at = &s->points[p];
    if (at->absent || fabs(at->gap) > 1e-2 * s->m->length) continue;
    const double depth = fmax(fabs(at->gap), 1e-9 * s->m->length), v0 = e->material.tangential.v0;
    rows_clear(s->m, s->x);
    const int size = contact_add_rows(s->m, s->x, e, at);
    for (int k = 0; k < size && k < 3; k++) {
      mu[s->m->row_count + k] = 1;
      dynamics_transposed_rows(s->m, s->x, mu, s->m->row_count + size, s->work[0]);
      mu[s->m->row_count + k] = 0;
      for (int i = 0; i < s->n; i++) {
        const double w = fabs(s->work[0][s->speed[i]]);
        if (!(w > 0)) continue;
        if (k == 0) s->step[i] = fmin(s->step[i], 0.02 * depth / w);
        if (contact_rubs(e) && v0 > 0) s->step_u[i] = fmin(s->step_u[i], 0.02 * v0 / w);
      }
    }
  }
  rows_clear(s->m, s->x);
}

// One column of derivatives: of (F, ż) along a displacement, a speed or a state, each of size `step`.
typedef enum slope_kind { BY_PLACE, BY_SPEED, BY_STATE } slope_kind;

static bool difference(statics *s, const double *r, slope_kind kind, int k, double step, double *at, double *column) {
  static const double factors[] = {1, -1, 2, -2}, weights[] = {8, -8, -1, 1};
  const int all = s->n + s->states;
  double *q = at, *u = q + s->m->nq, *z = u + s->n, *F = z + s->states;
  memset(column, 0, (size_t)all * sizeof *column);
  for (int i = 0; i < 4; i++) {
    memcpy(z, s->z, (size_t)s->states * sizeof *z);
    memset(u, 0, (size_t)s->n * sizeof *u);
    u[k < s->n ? k : 0] = kind == BY_STATE ? 0 : 1;
    statics_move(s, s->q, u, kind == BY_PLACE ? factors[i] * step : 0, q);
    if (kind == BY_STATE) z[k] += factors[i] * step;
    if (kind == BY_SPEED) u[k] = factors[i] * step;
    if (!statics_forces(s, q, kind == BY_SPEED ? u : NULL, z, r, F, F + s->n)) return false;
    for (int j = 0; j < all; j++) column[j] += weights[i] * F[j] / (12 * step);
  }
  return true;
}

double statics_state_scale(const statics *s, int k) {
  const double size = fmax(fabs(s->z[k]), s->m->states[k].scale);
  return size > 0 ? size : 1;
}

bool statics_interrupted(statics *s) {
  return interrupted(&s->sim->stop) && (error_set(s->error, CAROM_INTERRUPTED, "interrupted"), true);
}

bool statics_differentiate(statics *s, const double *r, statics_slopes *to) {
  const int all = s->n + s->states;
  arena_mark mark = arena_get_mark(&s->memory);
  double *at = ARENA_ARRAY(&s->memory, double, s->m->nq + 2 * s->n + 3 * s->states + 4),
         *column = ARENA_ARRAY(&s->memory, double, all + 1);
  bool good = true;
  choose_steps(s);
  for (int k = 0; k < all && good; k++) {
    const bool state = k >= s->n;
    if (statics_interrupted(s)) return false;
    good = difference(s, r, state ? BY_STATE : BY_PLACE, state ? k - s->n : k,
                      state ? 1e-4 * statics_state_scale(s, k - s->n) : s->step[k], at, column);
    for (int i = 0; i < all; i++) to->by_place[(long)i * all + k] = column[i];
    if (!to->by_speed || !good) continue;
    memset(column, 0, (size_t)all * sizeof *column);
    good = state || difference(s, r, BY_SPEED, k, s->step_u[k], at, column);
    for (int i = 0; i < all; i++) to->by_speed[(long)i * all + k] = column[i];
  }
  arena_release(&s->memory, mark);
  if (!good)
    error_set(s->error, CAROM_ERROR_SINGULAR, "the forces beside this position are not finite; " NOT_FINITE_ADVICE);
  return good;
}

double statics_extent(statics *s) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 0;
  put(s, s->q, NULL, s->z);
  for (int i = 1; i < s->m->node_count; i++) {
    const vec3 p = s->x->links[i].p;
    const double at[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; k++) low[k] = fmin(low[k], at[k]), high[k] = fmax(high[k], at[k]);
  }
  for (int k = 0; k < 3; k++) most = fmax(most, high[k] - low[k]);
  return s->m->length + most;
}

void statics_close(statics *s) { rows_clear(s->m, s->x), s->x->level = LEVEL_NONE; }

// --- where it can move -----------------------------------------------------------------------------------------------

void statics_lower(const statics *s, double *x) {
  for (int i = 0; i < s->n; i++) {
    for (int k = 0; k < i; k++) x[i] -= s->L[(long)i * s->n + k] * x[k];
    x[i] /= s->L[(long)i * s->n + i];
  }
}

void statics_upper(const statics *s, double *x) {
  for (int i = s->n - 1; i >= 0; i--) {
    for (int k = i + 1; k < s->n; k++) x[i] -= s->L[(long)k * s->n + i] * x[k];
    x[i] /= s->L[(long)i * s->n + i];
  }
}

// A row A δ = (A L⁻ᵀ) y.
static void scale_rows(const statics *s, statics_space *to) {
  for (int i = 0; i < s->row_count; i++) {
    double *row = to->rows + (long)i * s->n, sum = 0, most = 0;
    memcpy(row, s->A + (long)i * s->n, (size_t)s->n * sizeof *row);
    for (int k = 0; k < s->n; k++) most = fmax(most, fabs(row[k]) / s->L[(long)k * s->n + k]);
    statics_lower(s, row);
    for (int k = 0; k < s->n; k++) sum += row[k] * row[k];
    to->length[i] = sqrt(sum) > 1e-12 * most ? sqrt(sum) : 0;
    for (int k = 0; k < s->n; k++) row[k] = to->length[i] > 0 ? row[k] / to->length[i] : 0;
  }
}

static bool holds_rows(const statics *s, const bool *held) {
  bool holds = s->m->row_count > 0;
  for (int r = s->m->row_count; held && r < s->row_count; r++) holds |= held[r];
  return holds;
}

// Eigenvectors of Gᵀ G with G the rows that are held: those of eigenvalue zero are free. Rows have length one, and what
// is below 1e-14 of the largest eigenvalue, 1e-7 of the longest direction, is rounding.
bool statics_find_space(statics *s, const bool *held, statics_space *to) {
  const int n = s->n;
  arena *a = &s->memory;
  *to = (statics_space){.rows = ARENA_ARRAY(a, double, (long)s->row_count *n + 1),
                        .length = ARENA_ARRAY(a, double, s->row_count + 1),
                        .free = ARENA_ARRAY(a, double, (long)n *n + 1),
                        .fixed = ARENA_ARRAY(a, double, (long)n *n + 1),
                        .stretch = ARENA_ARRAY(a, double, n + 1)};
  double *S = ARENA_ARRAY(a, double, (long)n *n + 1), *values = ARENA_ARRAY(a, double, n + 1);
  scale_rows(s, to);
  if (!holds_rows(s, held)) {
    for (int i = 0; i < n; i++) to->free[(long)i * (n + 1)] = 1;
    to->free_count = n, to->whole = true;
    return true;
  }
  if (statics_interrupted(s)) return false;
  for (int r = 0; r < s->row_count; r++) {
    const double *row = to->rows + (long)r * n;
    if (r >= s->m->row_count && !(held && held[r])) continue;
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++) S[(long)i * n + k] += row[i] * row[k];
  }
  if (!eigen_symmetric(a, n, S, values))
    return error_set(s->error, CAROM_ERROR_SINGULAR, "the constraint equations are not finite here"), false;
  for (int i = 0; i < n; i++) {
    const bool fixed = values[i] > 1e-14 * values[n - 1] && values[i] > 1e-14;
    if (fixed) to->stretch[to->fixed_count] = values[i];
    memcpy((fixed ? to->fixed : to->free) + (long)(fixed ? to->fixed_count++ : to->free_count++) * n, S + (long)i * n,
           (size_t)n * sizeof *S);
  }
  return true;
}
