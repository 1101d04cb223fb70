#include "hand_manipulator.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { POINTS = 8 };  // Gauss's on [-1, 1], exact up to degree 15; the integrands have degree 10 at most
static const double at[POINTS] = {-0.9602898564975363, -0.7966664774136267, -0.5255324099163290, -0.1834346424956498,
                                  0.1834346424956498,  0.5255324099163290,  0.7966664774136267,  0.9602898564975363};
static const double weight[POINTS] = {0.1012285362903763, 0.2223810344533745, 0.3137066458778873, 0.3626837833783620,
                                      0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};

hand_manipulator hand_manipulator_default(void) {
  return (hand_manipulator){
      .link = {{.length = 0.545, .EA = 7.3e10 * 9e-4, .EI = 7.3e10 * 1.69e-8, .line_mass = 2700 * 9e-4, .end_mass = 1},
               {.length = 0.675, .EA = 7.3e10 * 4e-4, .EI = 7.3e10 * 3.33e-9, .line_mass = 2700 * 4e-4, .end_mass = 3}},
      .g = 9.81};
}

// --- the plan --------------------------------------------------------------------------------------------------------

static const double change[3] = {1. / 6, 1. / 3, 1. / 2};

// In units of 45 degrees, from the coefficients of 1, t, t², t³.
void hand_manipulator_plan(double t, double angle[3]) {
  static const double cubics[4][4] = {{-1, 0, 0, 72}, {0, -18, 108, -144}, {-8, 54, -108, 72}, {1, 0, 0, 0}};
  int part = 0;
  while (part < 3 && t >= change[part]) part++;
  const double *c = cubics[part];
  angle[0] = M_PI / 4 * (c[0] + t * (c[1] + t * (c[2] + t * c[3])));
  angle[1] = M_PI / 4 * (c[1] + t * (2 * c[2] + t * 3 * c[3]));
  angle[2] = M_PI / 4 * (2 * c[2] + t * 6 * c[3]);
}

// --- points ----------------------------------------------------------------------------------------------------------

// A point in motion: where it is, how it moves with each coordinate (∂r/∂q_k, which is also ∂ṙ/∂q̇_k), and what of its
// acceleration does not depend on q̈.
typedef struct moving {
  double complex with[HAND_MODES], bias;
} moving;

// What carries a link: its joint, and the angle of its axes with the rate, the bias of its acceleration, and how it
// changes with each coordinate.
typedef struct carrier {
  moving joint;
  double theta, rate, bias, with[HAND_MODES];
} carrier;

// ρ and its derivatives at s = x/L.
typedef struct local {
  double complex rho, with_u, with_w, rate, curved;
} local;

// b'² = (9 s² - 9 s³ + 2.25 s⁴) / L², so that g = -(3 s³ - 2.25 s⁴ + 0.45 s⁵) / L.
static local shape_at(const hand_link *l, double s, double u, double w, double udot, double wdot) {
  const double a = s * s, b = s * s * (1.5 - 0.5 * s);
  const double g = -s * s * s * (3 - 2.25 * s + 0.45 * s * s) / l->length;
  return (local){.rho = l->length * s + a * u + 0.5 * g * w * w + I * b * w,
                 .with_u = a,
                 .with_w = g * w + I * b,
                 .rate = a * udot + (g * w + I * b) * wdot,
                 .curved = g * wdot * wdot};
}

// r = joint + e^{iθ} ρ:  r̈ = joint'' + e^{iθ} (i θ̈ ρ - θ̇² ρ + 2 i θ̇ ρ̇ + ρ̈)
static moving point_at(const hand_link *l, const carrier *c, int first, double s, const double *q, const double *u) {
  const local p = shape_at(l, s, q[first], q[first + 1], u[first], u[first + 1]);
  const double complex turn = cexp(I * c->theta);
  moving r = c->joint;
  for (int k = 0; k < HAND_MODES; k++) r.with[k] += turn * I * c->with[k] * p.rho;
  r.with[first] += turn * p.with_u, r.with[first + 1] += turn * p.with_w;
  r.bias += turn * (I * c->bias * p.rho - c->rate * c->rate * p.rho + 2 * I * c->rate * p.rate + p.curved);
  return r;
}

// --- equations of motion ---------------------------------------------------------------------------------------------

typedef struct equations {
  double M[HAND_MODES][HAND_MODES], f[HAND_MODES];
} equations;

static double scalar(double complex a, double complex b) { return creal(conj(a) * b); }

static void add_mass(equations *e, double mass, double g, const moving *p) {
  for (int i = 0; i < HAND_MODES; i++) {
    for (int j = 0; j < HAND_MODES; j++) e->M[i][j] += mass * scalar(p->with[i], p->with[j]);
    e->f[i] -= mass * scalar(p->with[i], p->bias + I * g);
  }
}

// ∫ a'² dx = 4/(3 L),  ∫ b''² dx = 3/L³
static void add_link(equations *e, const hand_manipulator *m, int index, const carrier *c, const double *q,
                     const double *u) {
  const hand_link *l = &m->link[index];
  const int first = 2 * index;
  for (int k = 0; k < POINTS; k++) {
    const moving p = point_at(l, c, first, 0.5 + 0.5 * at[k], q, u);
    add_mass(e, 0.5 * weight[k] * l->line_mass * l->length, m->g, &p);
  }
  const moving end = point_at(l, c, first, 1, q, u);
  add_mass(e, l->end_mass, m->g, &end);
  e->f[first] -= 4 * l->EA / (3 * l->length) * q[first];
  e->f[first + 1] -= 3 * l->EI / (l->length * l->length * l->length) * q[first + 1];
}

// M is positive definite.
static void solve(equations *e, double *x) {
  for (int k = 0; k < HAND_MODES; k++)
    for (int i = k + 1; i < HAND_MODES; i++) {
      const double factor = e->M[i][k] / e->M[k][k];
      for (int j = k; j < HAND_MODES; j++) e->M[i][j] -= factor * e->M[k][j];
      e->f[i] -= factor * e->f[k];
    }
  for (int i = HAND_MODES - 1; i >= 0; i--) {
    x[i] = e->f[i];
    for (int j = i + 1; j < HAND_MODES; j++) x[i] -= e->M[i][j] * x[j];
    x[i] /= e->M[i][i];
  }
}

// At an instant of the plan a step uses the side that it is on.
static void rates_of(const hand_manipulator *m, const double plan[3], const double *q, const double *u, double *udot) {
  const double slope = 1.5 / m->link[0].length;  // b'(L)
  carrier c = {.theta = plan[0], .rate = plan[1], .bias = plan[2]};
  equations e = {0};
  add_link(&e, m, 0, &c, q, u);
  carrier second = {.joint = point_at(&m->link[0], &c, 0, 1, q, u)};
  second.theta = slope * q[1], second.rate = slope * u[1], second.bias = 0, second.with[1] = slope;
  add_link(&e, m, 1, &second, q, u);
  solve(&e, udot);
}

void hand_manipulator_step(const hand_manipulator *m, double h, hand_manipulator_state *s) {
  static const double stage[4] = {0, 0.5, 0.5, 1}, share[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  double qdot[HAND_MODES] = {0}, udot[HAND_MODES] = {0}, dq[HAND_MODES] = {0}, du[HAND_MODES] = {0};
  double end = (floor(s->t / h + 1e-6) + 1) * h;
  for (int k = 0; k < 3; k++)
    if (s->t < change[k] && end > change[k]) end = change[k];
  h = end - s->t;
  for (int i = 0; i < 4; i++) {
    double q[HAND_MODES], u[HAND_MODES], plan[3];
    for (int k = 0; k < HAND_MODES; k++)
      q[k] = s->q[k] + h * stage[i] * qdot[k], u[k] = s->u[k] + h * stage[i] * udot[k];
    hand_manipulator_plan(i == 3 ? end : s->t + stage[i] * h, plan);
    memcpy(qdot, u, sizeof qdot);
    rates_of(m, plan, q, u, udot);
    for (int k = 0; k < HAND_MODES; k++) dq[k] += share[i] * qdot[k], du[k] += share[i] * udot[k];
  }
  for (int k = 0; k < HAND_MODES; k++) s->q[k] += h * dq[k], s->u[k] += h * du[k];
  s->t = end;
}
