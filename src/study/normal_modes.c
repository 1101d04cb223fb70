// Vibrations about a position or a steady motion: the linearised equations in the directions that constraints and
// closed contacts leave,
//   ẏ = w + N y,    ẇ = -K y - C w + F_z z,    ż = Z_q y + Z_u w + Z_z z,
// in coordinates in which the mass matrix is one, and the eigenvalues of this first-order system (theory.md, 15). C
// holds the gyroscopic terms, and N what turning axes add: displacements of a joint with a quaternion are along axes of
// its body.
#include "study/normal_modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "math/eigen.h"
#include "mechanics/dynamics.h"
#include "mechanics/flexible.h"
#include "study/balance.h"

// --- what moves ------------------------------------------------------------------------------------------------------

// The accelerations, and the forces of rows that go with them: with K = 0 and σ = 1 a step is an acceleration. Of a
// motion the rows have a bias instead of an error to close.
static bool find_forces(balance *b, double *imbalance) {
  statics *s = b->s;
  const int all = s->n + s->states;
  for (int i = 0; s->moves && i < s->m->row_count; i++) s->value[i] = s->x->rows[i].quad;
  memset(b->slopes.by_place, 0, (size_t)all * (size_t)all * sizeof *b->slopes.by_place);
  if (!statics_find_space(s, NULL, &b->space)) return false;
  balance_system t = balance_make(b);
  if (!balance_solve(b, &t, 1))
    return error_set(s->error, CAROM_ERROR_STUDY, "the forces of the contacts at this position were not found"), false;
  *imbalance = 0;
  for (int i = 0; i < s->n; i++) *imbalance = fmax(*imbalance, fabs(b->delta[i]));
  return true;
}

// Rigid contacts that carry a force stay closed and, with friction, stick. Contacts with a law act by it alone. Joints
// whose friction is below its limit stick.
static bool *find_held(balance *b) {
  statics *s = b->s;
  bool *held = ARENA_ARRAY(&s->memory, bool, s->row_count + 1);
  for (int i = 0; i < s->contact_count; i++) {
    const static_contact *c = &s->contacts[i];
    const bool closed = statics_is_closed(s, b->r, i);
    for (int k = 0; k < c->size; k++) {
      held[c->row + k] = closed && (k == 0 || contact_rubs(c->e));
      if (!isnan(c->law_force)) b->r[c->row + k] = 0;
    }
  }
  for (int i = 0; i < s->m->friction_count; i++) {
    const int row = s->row_count - s->m->friction_count + i;
    held[row] = fabs(b->r[row]) < s->m->frictions[i].limit;
  }
  return held;
}

// --- the first-order system ------------------------------------------------------------------------------------------

// N = Lᵀ Ω L⁻ᵀ in the free space, with δ̇ = δu + Ω δ: of a quaternion's node Ω δ = -ω × δ, ω in the axes of the body.
// Returns null if it is zero.
static double *turning_axes(balance *b) {
  statics *s = b->s;
  const mechanism *m = s->m;
  const int n = s->n, f = b->space.free_count;
  double *all = ARENA_ARRAY(&s->memory, double, (long)n *n + 1), *carried = NULL;
  bool any = false;
  int *place = ARENA_ARRAY(&s->memory, int, m->nv + 1);  // among the free speeds
  for (int i = 0; i < n; i++) place[s->speed[i]] = i;
  for (int i = 1; i < m->node_count; i++) {
    const node *at = &m->nodes[i];
    if (m->planar || at->nq == at->nv || m->driven[at->v]) continue;
    const int v = at->v + at->type->quaternion_v, k = place[v];
    const vec3 w = vec3_of(s->u + v);
    any |= vec3_dot(w, w) > 0;
    const double turn[3][3] = {{0, w.z, -w.y}, {-w.z, 0, w.x}, {w.y, -w.x, 0}};
    for (int row = 0; row < 3; row++) memcpy(all + (long)(k + row) * n + k, turn[row], sizeof turn[row]);
  }
  if (!any) return NULL;
  for (int i = 0; i < n; i++) statics_lower(s, all + (long)i * n);  // Ω L⁻ᵀ
  carried = ARENA_ARRAY(&s->memory, double, (long)n *n + 1);
  for (int i = 0; i < n; i++)
    for (int k = i; k < n; k++) statics_add(n, s->L[(long)k * n + i], all + (long)k * n, carried + (long)i * n);
  double *N = ARENA_ARRAY(&s->memory, double, (long)f *f + 1), *work = ARENA_ARRAY(&s->memory, double, (long)n *n + 1);
  balance_project(n, f, b->space.free, carried, work, N);
  return N;
}

// d/dt (y, w, z) = A (y, w, z); states that rest at a limit do not change.
static double *make_matrix(balance *b, int *size) {
  statics *s = b->s;
  arena *a = &s->memory;
  const int n = s->n, all = n + s->states, f = b->space.free_count, m = 2 * f + s->states;
  double *A = ARENA_ARRAY(a, double, (long)m *m + 1), *work = ARENA_ARRAY(a, double, (long)n *n + 1);
  double *K = ARENA_ARRAY(a, double, (long)f *f + 1), *column = ARENA_ARRAY(a, double, n + 1);
  for (int kind = 0; kind < 2; kind++) {
    const double *slopes = kind ? b->slopes.by_speed : b->slopes.by_place;
    balance_project(n, f, b->space.free, balance_weigh(b, slopes, all, 1), work, K);
    for (int i = 0; i < f; i++)
      for (int k = 0; k < f; k++) A[(long)(f + i) * m + kind * f + k] = K[(long)i * f + k];
    for (int z = 0; z < s->states; z++) {  // Z_q and Z_u
      memcpy(column, slopes + (long)(n + z) * all, (size_t)n * sizeof *column);
      statics_lower(s, column);
      for (int k = 0; k < f && !s->held[z]; k++)
        A[(long)(2 * f + z) * m + kind * f + k] = statics_dot(n, b->space.free + (long)k * n, column);
    }
  }
  const double *N = s->moves ? turning_axes(b) : NULL;
  for (int i = 0; i < f; i++) {
    A[(long)i * m + f + i] = 1;
    for (int k = 0; N && k < f; k++) A[(long)i * m + k] = N[(long)i * f + k];
  }
  for (int z = 0; z < s->states; z++) {  // F_z and Z_z
    if (s->held[z]) continue;
    for (int i = 0; i < n; i++) column[i] = b->slopes.by_place[(long)i * all + n + z];
    statics_lower(s, column);
    for (int i = 0; i < f; i++) A[(long)(f + i) * m + 2 * f + z] = statics_dot(n, b->space.free + (long)i * n, column);
    for (int k = 0; k < s->states; k++)
      if (!s->held[k]) A[(long)(2 * f + k) * m + 2 * f + z] = b->slopes.by_place[(long)(n + k) * all + n + z];
  }
  *size = m;
  return A;
}

// --- shapes ----------------------------------------------------------------------------------------------------------

static int count_rows(const mechanism *m) {
  int count = m->joint_nv + m->state_count;
  for (int i = 1; i < m->node_count; i++) count += m->nodes[i].modes;
  return count;
}

static void add_row(carom_modes *to, const char *name, const char *unit) {
  to->names[to->row_count] = name, to->units[to->row_count++] = unit;
}

static void name_joint(carom_modes *to, const mechanism *m, const joint *j) {
  const joint_space *space = joint_in(j->type, m->planar);
  const char *kinds = m->planar ? j->type->kinds_planar : j->type->kinds_spatial;
  const bool quaternion = space->nq != space->nv;
  for (int k = 0; k < space->nv; k++) {
    const bool slides = quaternion ? k >= 3 : kinds[k] == 't';
    const char letter = quaternion ? 'u' : 'q';
    const char *name = space->nv == 1 ? arena_print(&to->memory, "%s.%c", j->name, letter)
                                      : arena_print(&to->memory, "%s.%c%d", j->name, letter, k);
    add_row(to, name, slides ? "m" : "rad");
  }
}

static void name_rows(carom_modes *to, const mechanism *m) {
  const int count = count_rows(m);
  to->names = ARENA_ARRAY(&to->memory, const char *, count + 1);
  to->units = ARENA_ARRAY(&to->memory, const char *, count + 1);
  for (int i = 0; i < m->joint_count; i++) name_joint(to, m, &m->joints[i]);
  for (int i = 1; i < m->node_count; i++)
    for (int k = 0; k < m->nodes[i].modes; k++)
      add_row(to, arena_print(&to->memory, "%s.mode%d", m->bodies[m->nodes[i].body].name, k + 1),
              m->nodes[i].flex->kinds[k] == 't' ? "m" : "rad");
  for (int i = 0; i < m->state_count; i++)
    add_row(to, m->states[i].name ? arena_copy_text(&to->memory, m->states[i].name) : "lag",
            m->states[i].unit ? arena_copy_text(&to->memory, m->states[i].unit) : "");
}

// The rates of all rows at speeds along the free ones: joints outside the tree follow.
static void tell_rates(statics *s, const double *speeds, const double *z, double *out) {
  const mechanism *m = s->m;
  motion *x = s->x;
  int used = 0;
  dynamics_set(m, x, x->t, s->q, s->u);
  memset(x->u, 0, (size_t)m->nv * sizeof *x->u);  // rates beside those of the motion
  for (int i = 0; i < s->n; i++) x->u[s->speed[i]] = speeds[i];
  dynamics_positions_velocities(m, x);
  for (int i = 0; i < m->joint_count; i++)
    for (int k = 0; k < joint_in(m->joints[i].type, m->planar)->nv; k++) out[used++] = x->joint_u[m->joints[i].v + k];
  for (int i = 1; i < m->node_count; i++)
    for (int k = 0; k < m->nodes[i].modes; k++) out[used++] = x->u[m->nodes[i].modal_v + k];
  for (int i = 0; i < m->state_count; i++) out[used++] = z[i];
}

// δ = L⁻ᵀ V y of one part of an eigenvector.
static void expand(balance *b, const double *y, double *delta) {
  const int n = b->s->n;
  memset(delta, 0, (size_t)n * sizeof *delta);
  for (int i = 0; i < b->space.free_count; i++) statics_add(n, y[i], b->space.free + (long)i * n, delta);
  statics_upper(b->s, delta);
}

// Both parts turned and scaled so that the largest row is one, in rows and in speeds.
static void normalise(int count, double *re, double *im, int n, double *delta_re, double *delta_im) {
  int most = 0;
  for (int i = 0; i < count; i++)
    if (hypot(re[i], im[i]) > (1 + 1e-9) * hypot(re[most], im[most])) most = i;
  const double a = count ? re[most] : 1, c = count ? im[most] : 0, square = a * a + c * c;
  if (!(square > 0)) return;
  const double ca = a / square, cc = -c / square;
  for (int i = 0; i < count + n; i++) {
    double *x = i < count ? &re[i] : &delta_re[i - count], *y = i < count ? &im[i] : &delta_im[i - count];
    const double u = *x * ca - *y * cc, v = *x * cc + *y * ca;
    *x = u, *y = v;
  }
  if (count) re[most] = 1, im[most] = 0;
}

// Damping below 1e-12 is the rounding of none.
static void keep_mode(carom_modes *to, balance *b, double real, double imaginary, const double *re, const double *im) {
  statics *s = b->s;
  const int n = s->n, f = b->space.free_count;
  mode *m = &to->modes[to->count++];
  const double omega = hypot(real, imaginary);
  if (fabs(real) <= 1e-12 * omega) real = 0;
  m->about = (carom_mode){.real = real,
                          .imaginary = imaginary,
                          .omega = omega,
                          .frequency = imaginary / (2 * M_PI),
                          .damping = omega > 0 && real != 0 ? -real / omega : 0};
  m->re = ARENA_ARRAY(&to->memory, double, to->row_count + 1),
  m->im = ARENA_ARRAY(&to->memory, double, to->row_count + 1);
  m->delta_re = ARENA_ARRAY(&to->memory, double, n + 1), m->delta_im = ARENA_ARRAY(&to->memory, double, n + 1);
  expand(b, re, m->delta_re), expand(b, im, m->delta_im);
  tell_rates(s, m->delta_re, re + 2 * f, m->re), tell_rates(s, m->delta_im, im + 2 * f, m->im);
  normalise(to->row_count, m->re, m->im, n, m->delta_re, m->delta_im);
}

static int by_frequency(const void *a, const void *b) {
  const carom_mode *x = &((const mode *)a)->about, *y = &((const mode *)b)->about;
  if (x->omega != y->omega) return x->omega < y->omega ? -1 : 1;
  return (x->real > y->real) - (x->real < y->real);
}

static double stiffest_of(const balance *b, const double *A, int size) {
  double stiffest = 0;
  const int f = b->space.free_count;
  for (int i = 0; i < f; i++)
    for (int k = 0; k < f; k++) stiffest = fmax(stiffest, fabs(A[(long)(f + i) * size + k]));
  return stiffest;
}

// Of two eigenvalues zero, a motion without a restoring force, one is kept, and of a complex pair the first.
static bool find_modes(carom_modes *to, balance *b) {
  statics *s = b->s;
  int size;
  double *A = make_matrix(b, &size);
  double *real = ARENA_ARRAY(&s->memory, double, size + 1), *imaginary = ARENA_ARRAY(&s->memory, double, size + 1),
         *vectors = ARENA_ARRAY(&s->memory, double, (long)size *size + 1),
         *none = ARENA_ARRAY(&s->memory, double, size + 1);
  const double zero = sqrt(balance_rounding(b, stiffest_of(b, A, size)));
  to->modes = ARENA_ARRAY(&to->memory, mode, size + 1);
  if (!eigen_general(&s->memory, size, A, real, imaginary, vectors))
    return error_set(s->error, CAROM_ERROR_STUDY, "the eigenvalues of the linearised equations were not found"), false;
  int zeros = 0, held = 0;
  for (int i = 0; i < s->states; i++) held += s->held[i];
  for (int i = 0; i < size; i++) {
    const double *v = vectors + (long)i * size;
    if (imaginary[i] < 0) continue;
    if (hypot(real[i], imaginary[i]) <= zero) {
      if (imaginary[i] > 0 || zeros++ % 2 == held % 2) keep_mode(to, b, 0, 0, v, none);
    } else {
      keep_mode(to, b, real[i], imaginary[i], v, imaginary[i] > 0 ? v + size : none);
    }
  }
  qsort(to->modes, (size_t)to->count, sizeof *to->modes, by_frequency);
  return true;
}

// --- steady motions --------------------------------------------------------------------------------------------------

static double largest(const double *a, long count) {
  double most = 0;
  for (long i = 0; i < count; i++) most = fmax(most, fabs(a[i]));
  return most;
}

static double largest_difference(const double *a, const double *b, long count) {
  double most = 0;
  for (long i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

// How much the coefficients of the equations change while the motion goes on for 0.05 rad, or of the size of the model,
// relative to the largest of their kind and to the speed: zero if the linearised equations are those of all times.
static bool find_change(carom_modes *to, balance *b, double near) {
  statics *s = b->s;
  arena *a = &s->memory;
  const int n = s->n, all = n + s->states;
  const long square = (long)n * n, rows = (long)s->row_count * n;
  const double t = s->x->t, dt = 0.05 / to->fastest;
  double *K = balance_weigh(b, b->slopes.by_place, all, 1), *C = balance_weigh(b, b->slopes.by_speed, all, 1),
         *A = ARENA_ARRAY(a, double, rows + 1), *q = ARENA_ARRAY(a, double, s->m->nq + 1),
         *delta = ARENA_ARRAY(a, double, s->m->nv + 1), *r = ARENA_ARRAY(a, double, s->row_count + 1);
  memcpy(A, s->A, (size_t)rows * sizeof *A), memcpy(r, b->r, (size_t)s->row_count * sizeof *r);
  memcpy(q, s->q, (size_t)s->m->nq * sizeof *q);
  for (int i = 0; i < s->m->nv; i++) delta[i] = dt * s->u[i];
  dynamics_move(s->m, s->q, delta), dynamics_normalize(s->m, s->q);
  s->x->t = t + dt;
  const int count = s->row_count;
  const bool good = statics_evaluate(s, near) && statics_differentiate(s, r, &b->slopes) && statics_evaluate(s, near);
  if (good) {
    const double *K2 = balance_weigh(b, b->slopes.by_place, all, 1), *C2 = balance_weigh(b, b->slopes.by_speed, all, 1);
    to->change = fmax(largest_difference(K, K2, square) / fmax(largest(K, square), to->fastest * to->fastest),
                      largest_difference(C, C2, square) / fmax(largest(C, square), to->fastest));
    to->change = count == s->row_count
                     ? fmax(to->change, largest_difference(A, s->A, rows) / fmax(largest(A, rows), 1e-300))
                     : 1;
  }
  memcpy(s->q, q, (size_t)s->m->nq * sizeof *q);
  s->x->t = t;
  return good;
}

// Closed contacts may roll, which is not in these equations.
static bool check_motion(statics *s, const bool *held) {
  for (int i = 0; i < s->contact_count; i++)
    if (held[s->contacts[i].row])
      return error_set(s->error, CAROM_ERROR_STUDY,
                       "the model moves while a contact is closed, and modes about such motions are not known; leave "
                       "speeds out (--at-rest, carom_sim_modes_at_rest), begin at rest, or give --equilibrium"),
             false;
  return true;
}

// Closed contacts are those within the accuracy of an equilibrium.
static bool linearise(carom_modes *to, statics *s) {
  balance b;
  const int all = s->n + s->states;
  const double near = 1e-8 * s->m->length;
  balance_open(&b, s);
  b.slopes.by_speed = ARENA_ARRAY(&s->memory, double, (long)all *all + 1);
  if (!statics_evaluate(s, near) || !find_forces(&b, &to->imbalance)) return false;
  const bool *held = find_held(&b);
  if (s->moves && (!check_motion(s, held) || !statics_differentiate(s, b.r, &b.slopes) || !statics_evaluate(s, near) ||
                   !find_change(to, &b, near) || !statics_evaluate(s, near)))
    return false;
  if (!statics_differentiate(s, b.r, &b.slopes) || !statics_evaluate(s, near) || !statics_find_space(s, held, &b.space))
    return false;
  to->q = ARENA_ARRAY(&to->memory, double, s->m->nq + 1);
  memcpy(to->q, s->q, (size_t)s->m->nq * sizeof *to->q);
  to->n = s->n, to->speed = ARENA_ARRAY(&to->memory, int, s->n + 1);
  memcpy(to->speed, s->speed, (size_t)s->n * sizeof *to->speed);
  to->scale = ARENA_ARRAY(&to->memory, double, s->n + 1);
  memcpy(to->scale, s->scale, (size_t)s->n * sizeof *to->scale);
  name_rows(to, s->m);
  return find_modes(to, &b);
}

// The largest speed, those of drives among them.
static double speed_of(carom_sim *sim) {
  const mechanism *m = &sim->model->m;
  double most = 0;
  sim_show_end(sim);
  for (int i = 0; i < m->nv; i++) most = fmax(most, fabs(sim->x->u[i]) / statics_speed_scale(m, i));
  return most;
}

// A model that has come to rest under a time stepper keeps speeds of rounding [1/s].
static const double STILL = 1e-8;

static carom_modes *modes_about(carom_sim *sim, bool at_rest, carom_error *error) {
  carom_error own;
  error = error_use(error, &own);
  jmp_buf out_of_memory;
  carom_modes *to = calloc(1, sizeof *to);
  statics *s = calloc(1, sizeof *s);
  motion *before = motion_create(&sim->model->m, sim->model->contacts.inner_count, error);
  if (!to || !s || !before || setjmp(out_of_memory)) {
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the modes of %d speeds", sim->model->m.nv);
  } else {
    sim_keep(sim, before);
    to->memory = arena_create(&out_of_memory), s->memory = arena_create(&out_of_memory);
    to->fastest = at_rest ? 0 : speed_of(sim);
    if (to->fastest < STILL) to->fastest = 0;
    if (statics_open(s, sim, to->fastest > 0, error)) linearise(to, s);
    if (s->m) statics_close(s);
    to->memory.out_of_memory = NULL;
  }
  if (before) sim_go_back(sim, before);
  if (s) arena_free(&s->memory);
  free(s);
  motion_destroy(before);
  if (error->status == CAROM_OK) return to;
  carom_modes_destroy(to);
  return NULL;
}

carom_modes *carom_sim_modes(carom_sim *sim, carom_error *error) { return modes_about(sim, false, error); }
carom_modes *carom_sim_modes_at_rest(carom_sim *sim, carom_error *error) { return modes_about(sim, true, error); }

// --- reading ---------------------------------------------------------------------------------------------------------

void carom_modes_destroy(carom_modes *modes) {
  if (modes) arena_free(&modes->memory);
  free(modes);
}

int carom_modes_count(const carom_modes *modes) { return modes->count; }
double carom_modes_imbalance(const carom_modes *modes) { return modes->imbalance; }
double carom_modes_speed(const carom_modes *modes) { return modes->fastest; }
double carom_modes_change(const carom_modes *modes) { return modes->change; }

carom_mode carom_modes_get(const carom_modes *modes, int i) {
  return i >= 0 && i < modes->count ? modes->modes[i].about : (carom_mode){NAN, NAN, NAN, NAN, NAN};
}

const char *carom_modes_name(const carom_modes *modes, int row) {
  return row >= 0 && row < modes->row_count ? modes->names[row] : NULL;
}

const char *carom_modes_unit(const carom_modes *modes, int row) {
  return row >= 0 && row < modes->row_count ? modes->units[row] : NULL;
}

double carom_modes_shape(const carom_modes *modes, int i, int row, double *imaginary) {
  const bool there = i >= 0 && i < modes->count && row >= 0 && row < modes->row_count;
  if (imaginary) *imaginary = there ? modes->modes[i].im[row] : NAN;
  return there ? modes->modes[i].re[row] : NAN;
}
