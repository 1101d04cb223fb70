#include "hand_slider_crank.h"

#include <math.h>
#include <stdbool.h>

// Where corner i+1 sits in the slider's own frame: (reach a, side b) with these signs.
static const double reach_of[HAND_CORNERS] = {-1, +1, -1, +1};
static const double side_of[HAND_CORNERS] = {+1, +1, -1, -1};

hand_parameters hand_parameters_default(void) {
  hand_parameters p = {
      .l1 = 0.153,
      .l2 = 0.306,
      .a = 0.05,
      .b = 0.025,
      .c = 0.001,
      .m1 = 0.038,
      .m2 = 0.038,
      .m3 = 0.076,
      .J1 = 7.4e-5,
      .J2 = 5.9e-4,
      .J3 = 2.7e-6,
      .g = 9.81,
      .restitution_normal = 0.4,
      .restitution_tangent = 0,
      .friction = 0.01,
  };
  p.activation = 1e-10 * (p.l1 + p.l2);
  return p;
}

hand_state hand_state_default(void) { return (hand_state){.q = {0, 0, 0}, .u = {150, -75, 0}}; }

hand_slider_crank hand_slider_crank_make(hand_parameters p) {
  return (hand_slider_crank){
      .p = p,
      .M11 = p.J1 + (p.m1 / 4 + p.m2 + p.m3) * p.l1 * p.l1,
      .M22 = p.J2 + (p.m2 / 4 + p.m3) * p.l2 * p.l2,
      .M33 = p.J3,
      .coupling = (p.m2 / 2 + p.m3) * p.l1 * p.l2,
      .weight1 = (p.m1 / 2 + p.m2 + p.m3) * p.g * p.l1,
      .weight2 = (p.m2 / 2 + p.m3) * p.g * p.l2,
      .half_guide = p.b + p.c,
  };
}

void hand_mass(const hand_slider_crank *s, const double q[3], double M[3][3]) {
  double M12 = s->coupling * cos(q[1] - q[0]);
  double mass[3][3] = {{s->M11, M12, 0}, {M12, s->M22, 0}, {0, 0, s->M33}};
  for (int i = 0; i < 9; i++) M[i / 3][i % 3] = mass[i / 3][i % 3];
}

void hand_forces(const hand_slider_crank *s, const double q[3], const double u[3], double h[3]) {
  double swing = s->coupling * sin(q[1] - q[0]);
  h[0] = +swing * u[1] * u[1] - s->weight1 * cos(q[0]);
  h[1] = -swing * u[0] * u[0] - s->weight2 * cos(q[1]);
  h[2] = 0;
}

void hand_gaps(const hand_slider_crank *s, const double q[3], double normal[4], double tangent[4]) {
  const hand_parameters *p = &s->p;
  double x = p->l1 * cos(q[0]) + p->l2 * cos(q[1]), y = p->l1 * sin(q[0]) + p->l2 * sin(q[1]);
  for (int i = 0; i < HAND_CORNERS; i++) {
    double a = reach_of[i] * p->a, b = side_of[i] * p->b;
    normal[i] = s->half_guide - side_of[i] * (y + a * sin(q[2]) + b * cos(q[2]));
    tangent[i] = x + a * cos(q[2]) - b * sin(q[2]);
  }
}

void hand_directions(const hand_slider_crank *s, const double q[3], double normal[4][3], double tangent[4][3]) {
  const hand_parameters *p = &s->p;
  for (int i = 0; i < HAND_CORNERS; i++) {
    double a = reach_of[i] * p->a, b = side_of[i] * p->b;
    normal[i][0] = -side_of[i] * p->l1 * cos(q[0]);
    normal[i][1] = -side_of[i] * p->l2 * cos(q[1]);
    normal[i][2] = -side_of[i] * (a * cos(q[2]) - b * sin(q[2]));
    tangent[i][0] = -p->l1 * sin(q[0]);
    tangent[i][1] = -p->l2 * sin(q[1]);
    tangent[i][2] = -a * sin(q[2]) - b * cos(q[2]);
  }
}

double hand_energy(const hand_slider_crank *s, const hand_state *x) {
  const double *q = x->q, *u = x->u;
  double M12 = s->coupling * cos(q[1] - q[0]);
  return 0.5 * (s->M11 * u[0] * u[0] + s->M22 * u[1] * u[1] + s->M33 * u[2] * u[2]) + M12 * u[0] * u[1] +
         s->weight1 * sin(q[0]) + s->weight2 * sin(q[1]);
}

hand_mode hand_mode_of(unsigned corners) {
  switch (corners) {
    case 0: return HAND_FREE;
    case 1:
    case 2:
    case 4:
    case 8: return HAND_CORNER;
    case 1 | 2:
    case 4 | 8: return HAND_FACE;
    case 1 | 8:
    case 2 | 4: return HAND_OPPOSITE;
    default: return HAND_WEDGED;
  }
}

// ---- the contact problem ----------------------------------------------------------------------------------------
//
// In the unknowns P_N and P_T problem (85) reads, for the active corners,
//     ξN = bN + wNᵀ M⁻¹ Σ(wN P_N + wT P_T),   0 ≤ ξN ⊥ P_N ≥ 0,
//     ξT = bT + wTᵀ M⁻¹ Σ(wN P_N + wT P_T),   −P_T ∈ μ P_N Sgn(ξT),
// with b = wᵀ(u_A + M⁻¹hΔt + ε u_A). A corner is open (no unknown), slips (P_T = ∓μ P_N: one unknown, one equation ξN
// = 0) or sticks (two of each). Wherever solutions exist one of them is basic, and as all directions lie in three
// dimensions a basic solution has at most three unknowns: that bounds the enumeration.

typedef struct corner {
  double wN[3], wT[3];  // directions (106)–(113)
  double iN[3], iT[3];  // M⁻¹ times the directions
  double bN, bT;        // the constant part of ξN and ξT [m/s]
  double PN, PT;        // percussions [N·s]
} corner;

typedef struct contact_problem {
  int count;
  double friction;
  corner at[HAND_CORNERS];
} contact_problem;

typedef enum corner_state { OPEN, SLIP_FORWARD, SLIP_BACKWARD, STICK, CORNER_STATES } corner_state;

static inline double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// P_T of a slipping corner, per P_N: forward slip (ξT > 0) pulls backward.
static inline double slip_pull(corner_state state, double friction) {
  return state == SLIP_FORWARD ? -friction : friction;
}

static bool separates(const contact_problem *c) {
  for (int i = 0; i < c->count; i++)
    if (c->at[i].bN < 0) return false;
  return true;
}

// All of one or two active corners slip as bT points; exact signs, so that what passes is a solution to rounding.
static bool slips(contact_problem *c) {
  if (c->count > 2) return false;
  double D[2][2], column[2][3], pull[2], P[2];
  for (int j = 0; j < c->count; j++) {
    corner *k = &c->at[j];
    pull[j] = k->bT > 0 ? -c->friction : c->friction;
    for (int d = 0; d < 3; d++) column[j][d] = k->iN[d] + pull[j] * k->iT[d];
    for (int i = 0; i < c->count; i++) D[i][j] = dot3(c->at[i].wN, column[j]);
  }
  if (c->count == 1) {
    P[0] = -c->at[0].bN / D[0][0];
    if (!(P[0] >= 0)) return false;
  } else {
    double det = D[0][0] * D[1][1] - D[0][1] * D[1][0];
    P[0] = (D[0][1] * c->at[1].bN - D[1][1] * c->at[0].bN) / det;
    P[1] = (D[1][0] * c->at[0].bN - D[0][0] * c->at[1].bN) / det;
    if (!(P[0] >= 0 && P[1] >= 0)) return false;
  }
  for (int i = 0; i < c->count; i++) {
    double xi = c->at[i].bT;
    for (int j = 0; j < c->count; j++) xi += P[j] * dot3(c->at[i].wT, column[j]);
    if (!(xi * pull[i] <= 0)) return false;
  }
  for (int i = 0; i < c->count; i++) c->at[i].PN = P[i], c->at[i].PT = pull[i] * P[i];
  return true;
}

// x of A x = r for n ≤ 3 by elimination with complete pivoting; false where A is singular to working accuracy.
static bool solve_small(int n, double A[3][3], double r[3], double x[3]) {
  int order[3] = {0, 1, 2};
  double first = 0;
  for (int k = 0; k < n; k++) {
    int row = k, col = k;
    for (int i = k; i < n; i++)
      for (int j = k; j < n; j++)
        if (fabs(A[i][j]) > fabs(A[row][col])) row = i, col = j;
    double pivot = A[row][col];
    if (k == 0) first = fabs(pivot);
    if (!(fabs(pivot) > 1e-13 * first)) return false;
    for (int j = 0; j < n; j++) {
      double t = A[k][j];
      A[k][j] = A[row][j], A[row][j] = t;
    }
    double t = r[k];
    r[k] = r[row], r[row] = t;
    for (int i = 0; i < n; i++) {
      double v = A[i][k];
      A[i][k] = A[i][col], A[i][col] = v;
    }
    int o = order[k];
    order[k] = order[col], order[col] = o;
    for (int i = k + 1; i < n; i++) {
      double f = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= f * A[k][j];
      r[i] -= f * r[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    double sum = r[k];
    for (int j = k + 1; j < n; j++) sum -= A[k][j] * x[order[j]];
    x[order[k]] = sum / A[k][k];
  }
  return true;
}

// Percussions that hold every corner in its supposed state, signs not yet looked at.
static bool percussions_of(contact_problem *c, const corner_state state[]) {
  const double *row[3];
  double column[3][3], A[3][3], r[3], x[3];
  int n = 0;
  for (int i = 0; i < c->count; i++) {
    const corner *k = &c->at[i];
    if (state[i] == OPEN) continue;
    if (n + (state[i] == STICK) >= 3) return false;
    double pull = state[i] == STICK ? 0 : slip_pull(state[i], c->friction);
    for (int d = 0; d < 3; d++) column[n][d] = k->iN[d] + pull * k->iT[d];
    row[n] = k->wN, r[n++] = -k->bN;
    if (state[i] != STICK) continue;
    for (int d = 0; d < 3; d++) column[n][d] = k->iT[d];
    row[n] = k->wT, r[n++] = -k->bT;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) A[i][j] = dot3(row[i], column[j]);
  if (!solve_small(n, A, r, x)) return false;
  n = 0;
  for (int i = 0; i < c->count; i++) {
    corner *k = &c->at[i];
    k->PN = state[i] == OPEN ? 0 : x[n++];
    k->PT = state[i] == OPEN ? 0 : state[i] == STICK ? x[n++] : slip_pull(state[i], c->friction) * k->PN;
  }
  return true;
}

// By how much the percussions miss the two laws, as a velocity: percussions count by the velocity they cause.
static double violation(const contact_problem *c) {
  double change[3] = {0, 0, 0}, worst = 0;
  for (int i = 0; i < c->count; i++)
    for (int d = 0; d < 3; d++) change[d] += c->at[i].iN[d] * c->at[i].PN + c->at[i].iT[d] * c->at[i].PT;
  for (int i = 0; i < c->count; i++) {
    const corner *k = &c->at[i];
    double xiN = k->bN + dot3(k->wN, change), xiT = k->bT + dot3(k->wT, change);
    double PN = dot3(k->wN, k->iN) * k->PN, PT = dot3(k->wT, k->iT) * k->PT;
    double bound = c->friction * dot3(k->wT, k->iT) * fmax(k->PN, 0);
    // min(ξN, PN) and PT − clamp(PT − ξT, ±μPN) vanish exactly where the laws hold
    double normal = fabs(fmin(xiN, PN)), tangent = fabs(PT - fmax(-bound, fmin(bound, PT - xiT)));
    worst = fmax(worst, fmax(normal, tangent));
  }
  return worst;
}

// Every combination of corner states; the least violation wins, the first among equals, so that open goes before slip
// and slip before stick. Solved means to 1e-9 of the speeds in the problem: far above the rounding of three unknowns
// whose matrix passed the pivot test on the paths met here, far below any speed that matters.
static bool enumerate(contact_problem *c) {
  corner_state state[HAND_CORNERS] = {OPEN, OPEN, OPEN, OPEN};
  double speed = 0, least = INFINITY;
  contact_problem best = *c;
  for (int i = 0; i < c->count; i++) speed = fmax(speed, fmax(fabs(c->at[i].bN), fabs(c->at[i].bT)));
  int combinations = 1 << (2 * c->count);
  for (int code = 0; code < combinations && least > 1e-15 * speed; code++) {
    for (int i = 0; i < c->count; i++) state[i] = (corner_state)(code >> (2 * i) & 3);
    if (!percussions_of(c, state)) continue;
    double v = violation(c);
    if (v < least) least = v, best = *c;
  }
  *c = best;
  return least <= 1e-9 * speed;
}

static hand_stage solve_contact(contact_problem *c) {
  if (separates(c)) return HAND_SEPARATING;
  if (slips(c)) return HAND_SLIPPING;
  return enumerate(c) ? HAND_ENUMERATED : HAND_UNSOLVED;
}

// ---- the step ---------------------------------------------------------------------------------------------------

// What both kinds of step know at the midpoint.
typedef struct midpoint {
  double s1, c1, s2, c2, y;   // sines and cosines of θ1, θ2; height of the slider's centre [m]
  double A11, A12, A22, A33;  // M⁻¹ [1/(kg·m²)]
} midpoint;

static inline void apply_inverse(const midpoint *m, const double w[3], double out[3]) {
  out[0] = m->A11 * w[0] + m->A12 * w[1];
  out[1] = m->A12 * w[0] + m->A22 * w[1];
  out[2] = m->A33 * w[2];
}

// Rows of one corner, with γ_A restituted: b = wᵀ(v + ε u_A), where v is the velocity without contact.
static void corner_rows(const hand_slider_crank *s, const midpoint *m, double s3, double c3, int i, const double uA[3],
                        const double v[3], corner *k) {
  const hand_parameters *p = &s->p;
  double side = side_of[i], a = reach_of[i] * p->a, b = side * p->b;
  k->wN[0] = -side * p->l1 * m->c1, k->wN[1] = -side * p->l2 * m->c2, k->wN[2] = -side * (a * c3 - b * s3);
  k->wT[0] = -p->l1 * m->s1, k->wT[1] = -p->l2 * m->s2, k->wT[2] = -a * s3 - b * c3;
  apply_inverse(m, k->wN, k->iN);
  apply_inverse(m, k->wT, k->iT);
  k->bN = dot3(k->wN, v) + p->restitution_normal * dot3(k->wN, uA);
  k->bT = dot3(k->wT, v) + p->restitution_tangent * dot3(k->wT, uA);
  k->PN = k->PT = 0;
}

// The slider is near a wall: find the active corners, solve for their percussions, add them to the velocity v.
static void touch(const hand_slider_crank *s, const midpoint *m, double theta3, const double uA[3], double v[3],
                  hand_step_info *info) {
  const hand_parameters *p = &s->p;
  contact_problem c;
  c.count = 0, c.friction = p->friction;
  int name[HAND_CORNERS];
  unsigned active = 0;
  double s3 = sin(theta3), c3 = cos(theta3);
  for (int i = 0; i < HAND_CORNERS; i++) {
    double gap = s->half_guide - side_of[i] * (m->y + reach_of[i] * p->a * s3) - p->b * c3;
    if (gap > p->activation) continue;
    active |= 1u << i;
    name[c.count] = i;
    corner_rows(s, m, s3, c3, i, uA, v, &c.at[c.count++]);
  }
  info->active = active;
  info->mode = hand_mode_of(active);
  info->stage = HAND_NO_CONTACT;
  if (!active) return;
  info->stage = solve_contact(&c);
  for (int i = 0; i < c.count; i++) {
    corner *k = &c.at[i];
    for (int d = 0; d < 3; d++) v[d] += k->iN[d] * k->PN + k->iT[d] * k->PT;
    info->normal[name[i]] = k->PN, info->tangent[name[i]] = k->PT;
  }
}

static inline void clear(hand_step_info *info) {
  if (!info->active) return;
  *info = (hand_step_info){0};
}

void hand_step(const hand_slider_crank *s, double dt, hand_state *x, hand_step_info *info) {
  const double *uA = x->u, half = dt / 2;
  double q1 = x->q[0] + half * uA[0], q2 = x->q[1] + half * uA[1], q3 = x->q[2] + half * uA[2];
  midpoint m;
  m.s1 = sin(q1), m.c1 = cos(q1);
  m.s2 = sin(q2), m.c2 = cos(q2);
  m.y = s->p.l1 * m.s1 + s->p.l2 * m.s2;

  // M, h and M⁻¹ at the midpoint, (90)–(97); the mass matrix couples only θ1 and θ2
  double M12 = s->coupling * (m.c1 * m.c2 + m.s1 * m.s2), swing = s->coupling * (m.s2 * m.c1 - m.c2 * m.s1);
  double h1 = +swing * uA[1] * uA[1] - s->weight1 * m.c1, h2 = -swing * uA[0] * uA[0] - s->weight2 * m.c2;
  double inverse = 1 / (s->M11 * s->M22 - M12 * M12);
  m.A11 = s->M22 * inverse, m.A12 = -M12 * inverse, m.A22 = s->M11 * inverse;
  double v[3] = {uA[0] + dt * (m.A11 * h1 + m.A12 * h2), uA[1] + dt * (m.A12 * h1 + m.A22 * h2), uA[2]};

  // no corner reaches further than b + a|θ3| from the slider's centre line: most flights need no sine of θ3
  clear(info);
  if (s->half_guide - fabs(m.y) - s->p.b - s->p.a * fabs(q3) <= s->p.activation) {
    m.A33 = 1 / s->M33;
    touch(s, &m, q3, uA, v, info);
  }

  x->q[0] = q1 + half * v[0], x->q[1] = q2 + half * v[1], x->q[2] = q3 + half * v[2];
  x->u[0] = v[0], x->u[1] = v[1], x->u[2] = v[2];
}
