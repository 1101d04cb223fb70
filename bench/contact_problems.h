// Contact problems that carom's solvers and the peers' are measured on: plain arrays, the same numbers for all.
#ifndef BENCH_CONTACT_PROBLEMS_H
#define BENCH_CONTACT_PROBLEMS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A linear congruential generator, upper bits: the same numbers everywhere.
typedef struct dice {
  uint64_t state;
} dice;

static inline double dice_uniform(dice *d) {
  d->state = d->state * 6364136223846793005u + 1442695040888963407u;
  return (double)(d->state >> 11) * 0x1p-53;
}

static inline double dice_normal(dice *d) {
  double radius = sqrt(-2 * log(dice_uniform(d) + 1e-300));
  return radius * cos(6.283185307179586 * dice_uniform(d));
}

// 0 ≤ w = M z + q ⊥ z ≥ 0 with M = A Aᵀ/n + 0.1 (row by row; it is symmetric). Lengths of five hundred and less.
typedef struct lcp_data {
  int n;
  double *M, *q;
} lcp_data;

static inline lcp_data lcp_random(int n, int seed) {
  dice d = {(uint64_t)(1000 * seed + n)};
  lcp_data p = {n, malloc((size_t)n * (size_t)n * sizeof(double)), malloc((size_t)n * sizeof(double))};
  double *A = malloc((size_t)n * (size_t)n * sizeof *A);
  for (long i = 0; i < (long)n * n; i++) A[i] = dice_normal(&d);
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < n; j++) {
      double sum = 0;
      for (long k = 0; k < n; k++) sum += A[i * n + k] * A[j * n + k];
      p.M[i * n + j] = sum / n + (i == j ? 0.1 : 0);
    }
    p.q[i] = dice_normal(&d);
  }
  free(A);
  return p;
}

static inline void lcp_free(lcp_data *p) { free(p->M), free(p->q); }

// Contacts with friction between free bodies of mass 1 and inertia 0.1, one in five with the ground. Row r of side s
// of a contact: J[s][r], six velocities (linear first); body −1 is the ground.
typedef struct scene_data {
  int contacts, bodies;
  int (*body)[2];
  double (*J)[2][3][6];
  double *q, *mu;
} scene_data;

static const double scene_inverse_mass[6] = {1, 1, 1, 10, 10, 10};

// Two tangents to the normal frame[0].
static inline void scene_tangents(double frame[3][3]) {
  double *n = frame[0], *t = frame[1], *b = frame[2];
  int flat = fabs(n[2]) > 0.9;
  t[0] = flat ? 0 : -n[1], t[1] = flat ? -n[2] : n[0], t[2] = flat ? n[1] : 0;
  double length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
  for (int k = 0; k < 3; k++) t[k] /= length;
  b[0] = n[1] * t[2] - n[2] * t[1], b[1] = n[2] * t[0] - n[0] * t[2], b[2] = n[0] * t[1] - n[1] * t[0];
}

static inline void scene_frame(dice *d, int upright, double frame[3][3]) {
  double *n = frame[0], length;
  for (int k = 0; k < 3; k++) n[k] = dice_normal(d);
  if (upright) n[0] *= 0.3, n[1] *= 0.3, n[2] = 1;
  length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  for (int k = 0; k < 3; k++) n[k] /= length;
  scene_tangents(frame);
}

// A direction f acting at an arm.
static inline void scene_row(double sign, const double *f, const double *arm, double row[6]) {
  for (int k = 0; k < 3; k++) row[k] = sign * f[k];
  row[3] = sign * (arm[1] * f[2] - arm[2] * f[1]);
  row[4] = sign * (arm[2] * f[0] - arm[0] * f[2]);
  row[5] = sign * (arm[0] * f[1] - arm[1] * f[0]);
}

static inline scene_data scene_empty(int contacts, int bodies) {
  scene_data s = {0,
                  bodies,
                  calloc((size_t)contacts, sizeof *s.body),
                  calloc((size_t)contacts, sizeof *s.J),
                  calloc(3 * (size_t)contacts, sizeof *s.q),
                  calloc((size_t)contacts, sizeof *s.mu)};
  return s;
}

// A contact of body a with body b, with arms from their centres; its rows of q from the velocities of the bodies.
static inline void scene_add(scene_data *s, int a, int b, double frame[3][3], double arm[2][3], double mu,
                             double (*v)[6]) {
  int c = s->contacts++;
  s->mu[c] = mu;
  s->body[c][0] = a, s->body[c][1] = b;
  for (int side = 0; side < 2; side++)
    for (int r = 0; r < 3; r++) {
      if (s->body[c][side] < 0) continue;
      scene_row(side ? -1 : 1, frame[r], arm[side], s->J[c][side][r]);
      for (int k = 0; k < 6; k++) s->q[3 * c + r] += s->J[c][side][r][k] * v[s->body[c][side]][k];
    }
}

static inline scene_data scene_random(int contacts, int bodies) {
  dice d = {(uint64_t)(7 * contacts + bodies)};
  scene_data s = scene_empty(contacts, bodies);
  double(*v)[6] = calloc((size_t)bodies, sizeof *v);
  for (int i = 0; i < bodies; i++)
    for (int k = 0; k < 6; k++) v[i][k] = 0.3 * dice_normal(&d) - (k == 2);
  for (int c = 0; c < contacts; c++) {
    int other = dice_uniform(&d) < 0.2 ? -1 : (int)(dice_uniform(&d) * bodies);
    if (other == c % bodies) other = -1;
    double frame[3][3], arm[2][3];
    scene_frame(&d, other < 0, frame);
    for (int k = 0; k < 3; k++)
      arm[0][k] = -0.5 * frame[0][k] + 0.1 * dice_normal(&d), arm[1][k] = 0.5 * frame[0][k] + 0.1 * dice_normal(&d);
    scene_add(&s, c % bodies, other, frame, arm, 0.5, v);
  }
  free(v);
  return s;
}

// Velocities of bodies at rest after a step of free fall, and a little more: what a settled pile makes of a step.
static inline double (*scene_settling(dice *d, int bodies, double noise))[6] {
  double(*v)[6] = calloc((size_t)bodies, sizeof *v);
  for (int i = 0; i < bodies; i++)
    for (int k = 0; k < 6; k++) v[i][k] = noise * dice_normal(d) - (k == 2 ? 9.81e-3 : 0);
  return v;
}

// A pyramid of bricks 1 x 0.5 x 0.5, `base` in the lowest row, each on two: four points for each pair of faces, so that
// 24 rows hold the six freedoms of a brick. 4 base + 4 base (base − 1) contacts.
static inline scene_data scene_bricks(int base, double mu, double noise) {
  dice d = {(uint64_t)base};
  scene_data s = scene_empty(4 * base * base, base * (base + 1) / 2);
  double(*v)[6] = scene_settling(&d, s.bodies, noise), up[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  for (int row = 0, first = 0, below = 0; row < base; below = first, first += base - row, row++)
    for (int i = 0; i < base - row; i++)
      for (int point = 0; point < (row ? 8 : 4); point++) {
        // the lowest row stands on its corners, the others on halves of the two below
        int right = row && point >= 4, far = (point & 2) > 0;
        double x = row ? 0.5 * (right + far - 1) : far - 0.5, y = point & 1 ? 0.25 : -0.25;
        double arm[2][3] = {{x, y, -0.25}, {right ? x - 0.5 : x + 0.5, y, 0.25}};
        scene_add(&s, first + i, row ? below + i + right : -1, up, arm, mu, v);
      }
  free(v);
  return s;
}

// Cannon balls of radius 0.5: a square of base x base on the ground, and on each square the next, each ball on four;
// balls of the lowest layer touch their neighbours too.
static inline scene_data scene_balls(int base, double mu, double noise) {
  int balls = base * (base + 1) * (2 * base + 1) / 6;
  dice d = {(uint64_t)base};
  scene_data s = scene_empty(4 * balls + 3 * base * base, balls);
  double(*v)[6] = scene_settling(&d, balls, noise);
  for (int layer = 0, first = 0, below = 0; layer < base;
       below = first, first += (base - layer) * (base - layer), layer++) {
    int n = base - layer;
    for (int i = 0; i < n * n; i++)
      for (int k = 0; k < (layer ? 4 : 3); k++) {
        int x = i % n, y = i / n, other = -1;
        double normal[3] = {0, 0, 1};
        if (layer) {
          other = below + x + (k & 1) + (y + (k >> 1)) * (n + 1);
          normal[0] = k & 1 ? -0.5 : 0.5, normal[1] = k & 2 ? -0.5 : 0.5, normal[2] = sqrt(0.5);
        } else if (k) {
          if (k == 1 ? x + 1 == n : y + 1 == n) continue;
          other = i + (k == 1 ? 1 : n);
          normal[0] = k == 1 ? -1 : 0, normal[1] = k == 1 ? 0 : -1, normal[2] = 0;
        }
        double frame[3][3], arm[2][3];
        memcpy(frame[0], normal, sizeof normal);
        scene_tangents(frame);
        for (int j = 0; j < 3; j++) arm[0][j] = -0.5 * normal[j], arm[1][j] = 0.5 * normal[j];
        scene_add(&s, first + i, other, frame, arm, mu, v);
      }
  }
  free(v);
  return s;
}

// Other bodies in the same places: masses and inertias up to `masses` times as large or small, coefficients of friction
// between 1/friction and `friction` times what they were, velocities changed by `noise`. A body of mass m is one of
// mass 1 whose rows are divided by √m.
static inline void scene_vary(scene_data *s, int seed, double masses, double friction, double noise) {
  dice d = {(uint64_t)seed};
  double *root = calloc((size_t)s->bodies, sizeof *root), (*v)[6] = calloc((size_t)s->bodies, sizeof *v);
  for (int i = 0; i < s->bodies; i++) {
    root[i] = pow(masses, dice_uniform(&d) - 0.5);
    for (int k = 0; k < 6; k++) v[i][k] = noise * dice_normal(&d);
  }
  for (int c = 0; c < s->contacts; c++) {
    s->mu[c] *= pow(friction, 2 * dice_uniform(&d) - 1);
    for (int side = 0; side < 2; side++)
      for (int r = 0; s->body[c][side] >= 0 && r < 3; r++)
        for (int k = 0; k < 6; k++) {
          s->q[3 * c + r] += s->J[c][side][r][k] * v[s->body[c][side]][k];
          s->J[c][side][r][k] /= root[s->body[c][side]];
        }
  }
  free(root), free(v);
}

// W between two contacts, row by row; 0 when no body is common to them.
static inline int scene_block(const scene_data *s, int a, int b, double W[9]) {
  int meet = 0;
  memset(W, 0, 9 * sizeof *W);
  for (int p = 0; p < 2; p++)
    for (int o = 0; o < 2; o++) {
      if (s->body[a][p] < 0 || s->body[a][p] != s->body[b][o]) continue;
      meet = 1;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          for (int k = 0; k < 6; k++) W[3 * i + j] += s->J[a][p][i][k] * scene_inverse_mass[k] * s->J[b][o][j][k];
    }
  return meet;
}

static inline void scene_free(scene_data *s) { free(s->body), free(s->J), free(s->q), free(s->mu); }

static const int lcp_sizes[] = {10, 20, 50, 100, 200, 500};
static const int scene_sizes[][2] = {{100, 100}, {1000, 1000}, {100, 40}, {1000, 400}};
enum { LCP_SIZES = 6, LCP_SEEDS = 5, SCENE_SIZES = 4 };

#endif
