#include "hand_chain.h"

#include <math.h>
#include <stdlib.h>

// The links of chain_model.h, in their own axes from their joints.
static const double LENGTH = 0.1, MASS = 0.1, TO_CENTRE = -0.05, GRAVITY = 9.81;
static const double JX = 1e-4 + 0.1 * 0.05 * 0.05, JY = 1e-4 + 0.1 * 0.05 * 0.05, JZ = 1e-5;

typedef struct v3 {
  double x, y, z;
} v3;

// An articulated inertia [J H; Hᵀ M]: J and M symmetric as xx yy zz xy xz yz, H row by row.
typedef struct inertia {
  double J[6], H[9], M[6];
} inertia;

// Everything in world axes, about the joint of the link.
typedef struct link {
  v3 ex, ez;         // axes of the link; its y axis is that of its joint
  v3 s;              // the joint's axis
  v3 r;              // from the joint before to this one
  v3 w;              // angular velocity
  v3 c_turn, c_way;  // acceleration beside that of the link before, if no speed changed
  inertia I;         // of the link, then with all beyond it
  v3 p_turn, p_way;  // the force that takes
  v3 U_turn, U_way;  // I S
  double D, tau;     // S · U, and what is left for the joint to do
} link;

struct hand_chain {
  int count;
  link *links;
};

static inline v3 add(v3 a, v3 b) { return (v3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline v3 scale(double k, v3 a) { return (v3){k * a.x, k * a.y, k * a.z}; }
static inline v3 axpy(v3 a, double k, v3 b) { return (v3){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z}; }
static inline double dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline v3 cross(v3 a, v3 b) { return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
static inline v3 symmetric_times(const double *A, v3 a) {
  return (v3){A[0] * a.x + A[3] * a.y + A[4] * a.z, A[3] * a.x + A[1] * a.y + A[5] * a.z,
              A[4] * a.x + A[5] * a.y + A[2] * a.z};
}
static inline v3 times(const double *A, v3 a) {
  return (v3){A[0] * a.x + A[1] * a.y + A[2] * a.z, A[3] * a.x + A[4] * a.y + A[5] * a.z,
              A[6] * a.x + A[7] * a.y + A[8] * a.z};
}
static inline v3 transposed_times(const double *A, v3 a) {
  return (v3){A[0] * a.x + A[3] * a.y + A[6] * a.z, A[1] * a.x + A[4] * a.y + A[7] * a.z,
              A[2] * a.x + A[5] * a.y + A[8] * a.z};
}

hand_chain *hand_chain_create(int links) {
  hand_chain *c = malloc(sizeof *c);
  link *all = calloc((size_t)links, sizeof *all);
  if (!c || !all) {
    free(c);
    free(all);
    return NULL;
  }
  *c = (hand_chain){links, all};
  return c;
}

void hand_chain_destroy(hand_chain *c) {
  if (c) free(c->links);
  free(c);
}

// Inertia of the link about its joint, and the force of its turning.
static inline void find_body(link *l) {
  v3 k = scale(MASS * TO_CENTRE, l->ez), x = scale(JX, l->ex), y = scale(JY, l->s), z = scale(JZ, l->ez);
  inertia *I = &l->I;
  I->J[0] = x.x * l->ex.x + y.x * l->s.x + z.x * l->ez.x, I->J[1] = x.y * l->ex.y + y.y * l->s.y + z.y * l->ez.y;
  I->J[2] = x.z * l->ex.z + y.z * l->s.z + z.z * l->ez.z, I->J[3] = x.x * l->ex.y + y.x * l->s.y + z.x * l->ez.y;
  I->J[4] = x.x * l->ex.z + y.x * l->s.z + z.x * l->ez.z, I->J[5] = x.y * l->ex.z + y.y * l->s.z + z.y * l->ez.z;
  const double H[9] = {0, -k.z, k.y, k.z, 0, -k.x, -k.y, k.x, 0};
  for (int i = 0; i < 9; i++) I->H[i] = H[i];
  for (int i = 0; i < 6; i++) I->M[i] = i < 3 ? MASS : 0;
  l->p_turn = cross(l->w, symmetric_times(I->J, l->w));
  l->p_way = cross(l->w, cross(l->w, k));
}

static void find_links(hand_chain *c, const double *q, const double *u) {
  v3 ex = {1, 0, 0}, s = {0, 1, 0}, ez = {0, 0, 1}, w = {0, 0, 0};
  for (int i = 0; i < c->count; i++) {
    link *l = &c->links[i];
    double cq = cos(q[i]), sq = sin(q[i]);
    l->r = scale(i ? -LENGTH : 0, ez);
    l->s = s;
    l->c_turn = scale(u[i], cross(w, s));
    l->c_way = cross(w, cross(w, l->r));
    v3 x = axpy(scale(cq, ex), -sq, ez);
    ez = axpy(scale(sq, ex), cq, ez), ex = x;
    w = axpy(w, u[i], s);
    l->ex = ex, l->ez = ez, l->w = w;
    find_body(l);
  }
}

// J, H, M of `I` -= U Uᵀ/D
static inline void take_joint(inertia *I, v3 a, v3 b, double inverse) {
  v3 ka = scale(inverse, a), kb = scale(inverse, b);
  I->J[0] -= ka.x * a.x, I->J[1] -= ka.y * a.y, I->J[2] -= ka.z * a.z;
  I->J[3] -= ka.x * a.y, I->J[4] -= ka.x * a.z, I->J[5] -= ka.y * a.z;
  I->H[0] -= ka.x * b.x, I->H[1] -= ka.x * b.y, I->H[2] -= ka.x * b.z;
  I->H[3] -= ka.y * b.x, I->H[4] -= ka.y * b.y, I->H[5] -= ka.y * b.z;
  I->H[6] -= ka.z * b.x, I->H[7] -= ka.z * b.y, I->H[8] -= ka.z * b.z;
  I->M[0] -= kb.x * b.x, I->M[1] -= kb.y * b.y, I->M[2] -= kb.z * b.z;
  I->M[3] -= kb.x * b.y, I->M[4] -= kb.x * b.z, I->M[5] -= kb.y * b.z;
}

// `to` += Tᵀ I T with T = [1 0; -r× 1]:  H' = H + r× M,  J' = J + r× Hᵀ - H' r×
static inline void add_shifted(const inertia *I, v3 r, inertia *to) {
  const double *H = I->H, *M = I->M;
  double G[9] = {H[0] + r.y * M[4] - r.z * M[3], H[1] + r.y * M[5] - r.z * M[1], H[2] + r.y * M[2] - r.z * M[5],
                 H[3] + r.z * M[0] - r.x * M[4], H[4] + r.z * M[3] - r.x * M[5], H[5] + r.z * M[4] - r.x * M[2],
                 H[6] + r.x * M[3] - r.y * M[0], H[7] + r.x * M[1] - r.y * M[3], H[8] + r.x * M[5] - r.y * M[4]};
  to->J[0] += I->J[0] + r.y * H[2] - r.z * H[1] - G[1] * r.z + G[2] * r.y;
  to->J[1] += I->J[1] + r.z * H[3] - r.x * H[5] + G[3] * r.z - G[5] * r.x;
  to->J[2] += I->J[2] + r.x * H[7] - r.y * H[6] - G[6] * r.y + G[7] * r.x;
  to->J[3] += I->J[3] + r.y * H[5] - r.z * H[4] + G[0] * r.z - G[2] * r.x;
  to->J[4] += I->J[4] + r.y * H[8] - r.z * H[7] - G[0] * r.y + G[1] * r.x;
  to->J[5] += I->J[5] + r.z * H[6] - r.x * H[8] - G[3] * r.y + G[4] * r.x;
  for (int i = 0; i < 9; i++) to->H[i] += G[i];
  for (int i = 0; i < 6; i++) to->M[i] += M[i];
}

static void find_inertias(hand_chain *c) {
  for (int i = c->count - 1; i >= 0; i--) {
    link *l = &c->links[i];
    l->U_turn = symmetric_times(l->I.J, l->s), l->U_way = transposed_times(l->I.H, l->s);
    l->D = dot(l->s, l->U_turn), l->tau = -dot(l->s, l->p_turn);
    if (i == 0) return;
    link *parent = l - 1;
    inertia I = l->I;
    take_joint(&I, l->U_turn, l->U_way, 1 / l->D);
    v3 turn =
        axpy(add(l->p_turn, add(symmetric_times(I.J, l->c_turn), times(I.H, l->c_way))), l->tau / l->D, l->U_turn);
    v3 way = axpy(add(l->p_way, add(transposed_times(I.H, l->c_turn), symmetric_times(I.M, l->c_way))), l->tau / l->D,
                  l->U_way);
    add_shifted(&I, l->r, &parent->I);
    parent->p_turn = add(parent->p_turn, add(turn, cross(l->r, way)));
    parent->p_way = add(parent->p_way, way);
  }
}

// Weight is an acceleration of ground.
static void find_accelerations(hand_chain *c, double *udot) {
  v3 turn = {0, 0, 0}, way = {0, 0, GRAVITY};
  for (int i = 0; i < c->count; i++) {
    const link *l = &c->links[i];
    way = add(way, add(cross(turn, l->r), l->c_way)), turn = add(turn, l->c_turn);
    udot[i] = (l->tau - dot(l->U_turn, turn) - dot(l->U_way, way)) / l->D;
    turn = axpy(turn, udot[i], l->s);
  }
}

void hand_chain_accelerate(hand_chain *c, const double *q, const double *u, double *udot) {
  find_links(c, q, u);
  find_inertias(c);
  find_accelerations(c, udot);
}
