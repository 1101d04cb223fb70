// The hand-derived slider-crank: its equations checked against differences of its energy and its gaps, two crank
// revolutions from table 1 and from omega3 = -75 held against the laws of the scheme in every step, the order of the
// scheme, and the steps per second that the engine is compared with.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "hand_slider_crank.h"

static const double two_revolutions = 0.14;  // [s]
static const long revolution_steps = 14000;  // of 1e-5 s

static int failures;

// One line for each claim, and a count of those that do not hold; a NaN holds nothing.
static void claim(const char *what, double value, double bound) {
  bool holds = value <= bound;
  printf("  %s %.2e (at most %.0e)%s\n", what, value, bound, holds ? "" : "  FAILED");
  failures += !holds;
}

static double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void apply3(double M[3][3], const double u[3], double out[3]) {
  for (int i = 0; i < 3; i++) out[i] = dot3(M[i], u);
}

static double kinetic_energy(double M[3][3], const double u[3]) {
  double momentum[3];
  apply3(M, u, momentum);
  return 0.5 * dot3(u, momentum);
}

// ---- the equations, from the positions of the bodies alone ------------------------------------------------------

// Lagrangian from positions and velocities of the three centres of mass; no mass matrix in it.
static double lagrangian(const hand_parameters *p, const double q[3], const double u[3]) {
  double jx = p->l1 * cos(q[0]), jy = p->l1 * sin(q[0]);  // the crank's end, and its velocity
  double jvx = -jy * u[0], jvy = jx * u[0];
  double rx = p->l2 * cos(q[1]), ry = p->l2 * sin(q[1]);  // the rod from there
  double rvx = -ry * u[1], rvy = rx * u[1];
  double v1 = (jvx * jvx + jvy * jvy) / 4;
  double v2 = pow(jvx + rvx / 2, 2) + pow(jvy + rvy / 2, 2);
  double v3 = pow(jvx + rvx, 2) + pow(jvy + rvy, 2);
  double T =
      0.5 * (p->m1 * v1 + p->m2 * v2 + p->m3 * v3 + p->J1 * u[0] * u[0] + p->J2 * u[1] * u[1] + p->J3 * u[2] * u[2]);
  return T - p->g * (p->m1 * jy / 2 + p->m2 * (jy + ry / 2) + p->m3 * (jy + ry));
}

// Mixed second difference of L along two of the six directions (q1…q3, u1…u3); fourth order by one extrapolation.
static double second_difference(const hand_parameters *p, const hand_state *x, int i, int j, double e) {
  double sum = 0;
  for (int si = -1; si <= 1; si += 2)
    for (int sj = -1; sj <= 1; sj += 2) {
      double z[6] = {x->q[0], x->q[1], x->q[2], x->u[0], x->u[1], x->u[2]};
      z[i] += si * e, z[j] += sj * e;
      sum += si * sj * lagrangian(p, z, z + 3);
    }
  return sum / (4 * e * e);
}
static double mixed(const hand_parameters *p, const hand_state *x, int i, int j) {
  double e = 4e-3;
  return (4 * second_difference(p, x, i, j, e / 2) - second_difference(p, x, i, j, e)) / 3;
}
static double first(const hand_parameters *p, const hand_state *x, int i) {
  double d[2], e = 4e-3;
  for (int k = 0; k < 2; k++, e /= 2) {
    double up[6] = {x->q[0], x->q[1], x->q[2], x->u[0], x->u[1], x->u[2]}, down[6];
    memcpy(down, up, sizeof up);
    up[i] += e, down[i] -= e;
    d[k] = (lagrangian(p, up, up + 3) - lagrangian(p, down, down + 3)) / (2 * e);
  }
  return (4 * d[1] - d[0]) / 3;
}

// Lagrange: M = ∂²L/∂u², h = ∂L/∂q − (∂²L/∂u∂q) u. Differences with e = 4e-3, extrapolated, err by e⁴ ≈ 3e-10 and by
// rounding 1e-16/e² ≈ 1e-11 of the sizes involved, hence 1e-8 of the largest entry. Gaps likewise by first
// differences.
static void check_equations(const hand_slider_crank *s) {
  const hand_state states[] = {{{0.3, -0.7, 0.015}, {2, -1.5, 3}},
                               {{2.1, 0.4, -0.2}, {-1, 4, -2}},
                               {{5.5, 0.2, 0.9}, {3, 1, 0.5}},
                               {{0, 0, 0}, {1.5, -0.75, 0}}};
  double mass = 0, force = 0, normal = 0, tangent = 0;
  for (int n = 0; n < 4; n++) {
    const hand_state *x = &states[n];
    double M[3][3], h[3], gN[4], gT[4], wN[4][3], wT[4][3];
    hand_mass(s, x->q, M);
    hand_forces(s, x->q, x->u, h);
    hand_gaps(s, x->q, gN, gT);
    hand_directions(s, x->q, wN, wT);
    for (int i = 0; i < 3; i++) {
      double lagrange = first(&s->p, x, i);
      for (int j = 0; j < 3; j++) {
        mass = fmax(mass, fabs(M[i][j] - mixed(&s->p, x, 3 + i, 3 + j)) / s->M22);
        lagrange -= mixed(&s->p, x, 3 + i, j) * x->u[j];
      }
      force = fmax(force, fabs(h[i] - lagrange) / s->weight1);
      double up[4], down[4], upT[4], downT[4], q[3], e = 1e-5;
      memcpy(q, x->q, sizeof q);
      q[i] += e, hand_gaps(s, q, up, upT);
      q[i] -= 2 * e, hand_gaps(s, q, down, downT);
      for (int k = 0; k < 4; k++) {
        normal = fmax(normal, fabs(wN[k][i] - (up[k] - down[k]) / (2 * e)) / s->p.l2);
        tangent = fmax(tangent, fabs(wT[k][i] - (upT[k] - downT[k]) / (2 * e)) / s->p.l2);
      }
    }
  }
  printf("equations against differences of the Lagrangian and of the gaps\n");
  claim("mass matrix (90)-(94)", mass, 1e-8);
  claim("forces (95)-(97)", force, 1e-8);
  claim("normal directions", normal, 1e-9);
  claim("tangential directions", tangent, 1e-9);
}

// ---- a run held against the laws of the scheme ------------------------------------------------------------------

typedef struct tally {
  long steps, mode[HAND_MODES], stage[HAND_STAGES], impacts;
  double first_impact, first_corner;  // [s], negative: never
  double balance;                     // (41), relative to the sizes in it
  double energy;                      // change of kinetic energy less what percussions and forces booked, relative
  double normal_law, tangent_law;     // (67) and (68), relative to the speeds in the problem
  double deepest;                     // deepest penetration at a midpoint [m]
  double dissipated;                  // booked by contact [J]
  unsigned before;                    // corners with a percussion in the step before
} tally;

// Laws (67) and (68) at one active corner, each as a distance from its graph; percussions scaled to velocities by
// 1/m3.
static void check_laws(const hand_slider_crank *s, double gammaN[2], double gammaT[2], double PN, double PT, tally *t) {
  double xiN = gammaN[1] + s->p.restitution_normal * gammaN[0];
  double xiT = gammaT[1] + s->p.restitution_tangent * gammaT[0];
  double scale = s->p.m3, bound = s->p.friction * PN / scale, speed = fabs(gammaN[0]) + fabs(gammaT[0]) + PN / scale;
  double tangent = PT / scale - fmax(-bound, fmin(bound, PT / scale - xiT));
  t->normal_law = fmax(t->normal_law, fabs(fmin(xiN, PN / scale)) / speed);
  t->tangent_law = fmax(t->tangent_law, fabs(tangent) / speed);
}

// Everything the scheme promises about the step from `a` to `e`, from the equations as the paper writes them.
static void check_step(const hand_slider_crank *s, double dt, const hand_state *a, const hand_state *e,
                       const hand_step_info *info, tally *t) {
  double q[3], M[3][3], h[3], gN[4], gT[4], wN[4][3], wT[4][3], momentum[3], jump[3], sum[3];
  for (int i = 0; i < 3; i++)
    q[i] = a->q[i] + dt / 2 * a->u[i], jump[i] = e->u[i] - a->u[i], sum[i] = e->u[i] + a->u[i];
  hand_mass(s, q, M);
  hand_forces(s, q, a->u, h);
  hand_gaps(s, q, gN, gT);
  hand_directions(s, q, wN, wT);
  apply3(M, jump, momentum);
  double force_work = 0.5 * dt * dot3(sum, h), contact_work = 0, size = 0;
  for (int i = 0; i < 3; i++) momentum[i] -= dt * h[i], size = fmax(size, M[i][i] * fabs(a->u[i]));
  for (int k = 0; k < HAND_CORNERS; k++) {
    double PN = info->normal[k], PT = info->tangent[k];
    for (int i = 0; i < 3; i++) momentum[i] -= wN[k][i] * PN + wT[k][i] * PT;
    contact_work += 0.5 * (dot3(wN[k], sum) * PN + dot3(wT[k], sum) * PT);
    if (!(info->active >> k & 1)) continue;
    t->deepest = fmax(t->deepest, -gN[k]);
    check_laws(s, (double[]){dot3(wN[k], a->u), dot3(wN[k], e->u)}, (double[]){dot3(wT[k], a->u), dot3(wT[k], e->u)},
               PN, PT, t);
  }
  for (int i = 0; i < 3; i++) t->balance = fmax(t->balance, fabs(momentum[i]) / size);
  double before = kinetic_energy(M, a->u), after = kinetic_energy(M, e->u);
  t->energy = fmax(t->energy, fabs(after - before - force_work - contact_work) / before);
  t->dissipated -= contact_work;
}

// An impact: percussion in some corner where the step before had none in any corner of that wall.
static void count_step(const hand_step_info *info, double time, tally *t) {
  unsigned struck = 0;
  for (int k = 0; k < HAND_CORNERS; k++) struck |= (info->normal[k] > 0 ? 1u : 0u) << k;
  for (unsigned wall = 3; wall <= 12; wall <<= 2) {
    if (!(struck & wall) || (t->before & wall)) continue;
    if (!t->impacts++) t->first_impact = time;
  }
  if (info->mode == HAND_CORNER && t->first_corner < 0) t->first_corner = time;
  t->before = struck;
  t->steps++, t->mode[info->mode]++, t->stage[info->stage]++;
}

static tally checked_run(const hand_slider_crank *s, long steps, hand_state *x) {
  tally t = {.first_impact = -1, .first_corner = -1};
  hand_step_info info = {0};
  double dt = two_revolutions / (double)steps;
  for (long n = 0; n < steps; n++) {
    hand_state before = *x;
    hand_step(s, dt, x, &info);
    check_step(s, dt, &before, x, &info, &t);
    count_step(&info, ((double)n + 0.5) * dt, &t);
  }
  return t;
}

// Rounding of a step: 1e-16 times some ten operations times the condition of M (M22/M33 ≈ 3e3) bounds (41) and the
// energy by 1e-12, the laws by 1e-11, as velocities of the light slider enter them.
static void report_run(const hand_slider_crank *s, double omega3) {
  hand_state x = hand_state_default();
  x.u[2] = omega3;
  double start = hand_energy(s, &x);
  tally t = checked_run(s, revolution_steps, &x);
  printf("two crank revolutions, dt 1e-5 s, omega3 = %g: %ld steps\n", omega3, t.steps);
  printf("  modes: free %ld, one corner %ld, face %ld, opposite corners %ld, wedged %ld\n", t.mode[0], t.mode[1],
         t.mode[2], t.mode[3], t.mode[4]);
  printf("  solved by: no contact %ld, P = 0 %ld, slip %ld, enumeration %ld; unsolved %ld\n", t.stage[0], t.stage[1],
         t.stage[2], t.stage[3], t.stage[4]);
  printf("  impacts %ld, the first at %.5f s, first single corner at %.5f s (negative: never), deepest gap %.3e m\n",
         t.impacts, t.first_impact, t.first_corner, -t.deepest);
  double lost = start - hand_energy(s, &x);
  printf("  energy %.9f J, lost %.9f J, of it by contact %.9f J, by the scheme %.9f J\n", start, lost, t.dissipated,
         lost - t.dissipated);
  claim("momentum balance (41)", t.balance, 1e-12);
  claim("energy booked against kinetic energy", t.energy, 1e-12);
  claim("normal law (67)", t.normal_law, 1e-11);
  claim("friction law (68)", t.tangent_law, 1e-11);
  claim("unsolved", (double)t.stage[HAND_UNSOLVED], 0);
  printf("  theta %.15g %.15g %.15g\n  omega %.15g %.15g %.15g\n", x.q[0], x.q[1], x.q[2], x.u[0], x.u[1], x.u[2]);
}

// ---- the order of the scheme ------------------------------------------------------------------------------------

static void rate(const hand_slider_crank *s, const double z[6], double out[6]) {
  double M[3][3], h[3];
  hand_mass(s, z, M);
  hand_forces(s, z, z + 3, h);
  double det = M[0][0] * M[1][1] - M[0][1] * M[0][1];
  for (int i = 0; i < 3; i++) out[i] = z[3 + i];
  out[3] = (M[1][1] * h[0] - M[0][1] * h[1]) / det;
  out[4] = (M[0][0] * h[1] - M[0][1] * h[0]) / det;
  out[5] = 0;
}

static hand_state runge_kutta(const hand_slider_crank *s, hand_state x, double dt) {
  double z[6] = {x.q[0], x.q[1], x.q[2], x.u[0], x.u[1], x.u[2]}, k[4][6], y[6];
  const double ahead[4] = {0, 0.5, 0.5, 1};
  for (int n = 0; n < 4; n++) {
    for (int i = 0; i < 6; i++) y[i] = z[i] + (n ? ahead[n] * dt * k[n - 1][i] : 0);
    rate(s, y, k[n]);
  }
  for (int i = 0; i < 6; i++) z[i] += dt / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  return (hand_state){{z[0], z[1], z[2]}, {z[3], z[4], z[5]}};
}

static double least_gap(const hand_slider_crank *s, const hand_state *x) {
  double normal[4], tangent[4], least = INFINITY;
  hand_gaps(s, x->q, normal, tangent);
  for (int i = 0; i < 4; i++) least = fmin(least, normal[i]);
  return least;
}

// The motion the scheme converges to, past the first impact but not the second: fourth-order flight in steps of 1e-6
// s, the instant of impact by bisection.
static hand_state limit_motion(const hand_slider_crank *s, double t_end, double *impact) {
  const double dt = 1e-6;
  hand_state x = hand_state_default();
  long steps = lround(t_end / dt);
  *impact = -1;
  for (long n = 0; n < steps; n++) {
    hand_state next = runge_kutta(s, x, dt);
    if (*impact < 0 && least_gap(s, &next) < 0) {
      double low = 0, high = dt;
      for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        hand_state probe = runge_kutta(s, x, middle);
        if (least_gap(s, &probe) < 0) high = middle;
        else low = middle;
      }
      *impact = (double)n * dt + high;
      hand_step_info info = {0};
      x = runge_kutta(s, x, high);
      hand_step(s, 0, &x, &info);
      next = runge_kutta(s, x, dt - high);
    }
    x = next;
  }
  return x;
}

static hand_state run(const hand_slider_crank *s, long steps, double t_end, double omega3) {
  hand_state x = hand_state_default();
  hand_step_info info = {0};
  x.u[2] = omega3;
  for (long n = 0; n < steps; n++) hand_step(s, t_end / (double)steps, &x, &info);
  return x;
}

static double crank_angle(const hand_slider_crank *s, long steps) { return run(s, steps, two_revolutions, 0).q[0]; }

// Largest error in the angles, and in the angular speeds relative to 150 rad/s.
static double error_at(const hand_slider_crank *s, long steps, double t_end, const hand_state *limit) {
  hand_state x = run(s, steps, t_end, 0);
  double worst = 0;
  for (int i = 0; i < 3; i++) worst = fmax(worst, fmax(fabs(x.q[i] - limit->q[i]), fabs(x.u[i] - limit->u[i]) / 150));
  return worst;
}

// Mean error over step counts from `steps` up to its double, evenly spread: after an impact the error of one run
// depends on where in its step the impact fell, which the mean levels out.
static double mean_error(const hand_slider_crank *s, long steps, double t_end, const hand_state *limit) {
  enum { RUNS = 256 };
  double sum = 0;
  for (long k = 0; k < RUNS; k++) sum += error_at(s, steps + steps * k / RUNS, t_end, limit);
  return sum / RUNS;
}

static void claim_ratios(const char *what, const double error[], int count) {
  printf("  %s:", what);
  for (int i = 0; i < count; i++) printf(" %.3e", error[i]);
  printf("\n   ratios:");
  for (int i = 1; i < count; i++) {
    double ratio = error[i - 1] / error[i];
    bool holds = fabs(ratio - 2) <= 0.2;
    printf(" %.3f%s", ratio, holds ? "" : " FAILED");
    failures += !holds;
  }
  printf(" (2 within 0.2)\n");
}

// Flight and impact against the limit motion; the whole run, whose impacts accumulate, by the change of θ1 from each
// step size to its half, which shrinks as the error does.
static void check_order(const hand_slider_crank *s) {
  enum { HALVINGS = 6 };
  const double flight_end = 0.002, impact_end = 0.005;  // the limit motion strikes at 0.0026925 and at 0.0056126
  double impact, error[HALVINGS];
  hand_state flight = limit_motion(s, flight_end, &impact);
  printf("order from table 1's start\n");
  for (int i = 0; i < HALVINGS; i++) error[i] = error_at(s, 100L << i, flight_end, &flight);
  claim_ratios("error in the first flight", error, HALVINGS);
  hand_state after = limit_motion(s, impact_end, &impact);
  printf("  first impact of the limit motion at %.9f s\n", impact);
  for (int i = 0; i < HALVINGS; i++) error[i] = mean_error(s, 200L << i, impact_end, &after);
  claim_ratios("mean error past the first impact", error, HALVINGS);
  double coarse = crank_angle(s, 14000);
  for (int i = 0; i < HALVINGS - 1; i++) {
    double fine = crank_angle(s, 28000L << i);
    error[i] = fabs(fine - coarse), coarse = fine;
  }
  claim_ratios("change of theta1 after two revolutions, from dt = 1e-5", error, HALVINGS - 1);
}

// ---- speed ------------------------------------------------------------------------------------------------------

typedef struct task {
  hand_slider_crank s;
  double omega3;
  hand_state end;
} task;

static void revolve_twice(void *context) {
  task *t = context;
  t->end = run(&t->s, revolution_steps, two_revolutions, t->omega3);
}

int main(void) {
  hand_slider_crank s = hand_slider_crank_make(hand_parameters_default());
  check_equations(&s);
  report_run(&s, 0);
  report_run(&s, -75);
  check_order(&s);
  for (int i = 0; i < 2; i++) {
    task t = {.s = s, .omega3 = i ? -75 : 0};
    double seconds = clock_median(revolve_twice, &t, 0.1);
    printf("hand slider-crank, omega3 = %g: %.2f million steps a second (%.1f ns a step, theta1 at the end %.12g)\n",
           t.omega3, (double)revolution_steps / seconds * 1e-6, seconds / (double)revolution_steps * 1e9, t.end.q[0]);
  }
  if (failures) printf("%d claims failed\n", failures);
  return failures ? 1 : 0;
}
