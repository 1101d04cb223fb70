// Geometric stiffness of planar solids: how loads and rotation change the way they bend, against beams and closed
// forms.
#include <math.h>
#include <string.h>

#include "carom/study.h"
#include "flex/imported.h"
#include "flex/load_cases.h"
#include "flex/matrix_market.h"
#include "flex/modes.h"
#include "flex/planar_solid.h"
#include "math/dense.h"
#include "mechanics/tree.h"
#include "runs.h"
#include "sim.h"

// --- a strip that is a beam ------------------------------------------------------------------------------------------

// The beam of models/spin-up.yaml as a solid: EA = 2.8e7 N, EI = EA h²/12, 1.2 kg/m.
#define STRIP                                                                                                   \
  "space: planar\ngravity: [0, 0]\n"                                                                            \
  "parameters: {T: 15, speed: 6, P: 0, h: sqrt(12*1.4e4/2.8e7)}\n"                                              \
  "bodies:\n  beam:\n"                                                                                          \
  "    solid_2d: {rectangle: [10, h], elements: 40, thickness: 1, young: 2.8e7/h, poisson: 0, density: 1.2/h, " \
  "attach: [left]}\n"                                                                                           \
  "    modes: {count: 3, support: craig-bampton}\n"                                                             \
  "    geometric_stiffness: yes\n"                                                                              \
  "    damping: {stiffness: 1e-5}\n"                                                                            \
  "markers: {root: {on: beam, at: [-5, 0]}, tip: {on: beam, at: [5, 0]}}\n"

// Deflection and shortening of the tip while it is spun up, at the same instants as those of the beam.
static void a_strip_is_spun_up_as_a_beam(void) {
  static const char text[] = STRIP
      "joints: {hub: {revolute: [ground, root]}}\n"
      "drives: {motor: {joint: hub, motion: \"if(t < T, speed/T*(t^2/2 + (T/(2*pi))^2*(cos(2*pi*t/T) - 1)), "
      "speed*(t - T/2))\"}}\n"
      "outputs:\n"
      "  deflection: tip.y*cos(hub.q) - tip.x*sin(hub.q)\n"
      "  shortening: 10 - tip.x*cos(hub.q) - tip.y*sin(hub.q)\n"
      "method: smooth\nintegrator: {type: bdf, rtol: 1e-7, atol: 1e-8}\nend: 20 s\n";
  static const char *const outputs[] = {"deflection", "shortening"};
  double largest[2] = {0}, apart[2] = {0};
  run beam, strip;
  if (!run_open(&beam, "spin-up", NULL)) return;
  if (run_open_text(&strip, text, NULL)) {
    for (double t = 0.1; t < 20.01; t += 0.1) {
      if (!run_to(&beam, t) || !run_to(&strip, t)) break;
      for (int k = 0; k < 2; k++) {
        const double a = run_read(&beam, outputs[k]), b = run_read(&strip, outputs[k]);
        largest[k] = fmax(largest[k], fabs(a)), apart[k] = fmax(apart[k], fabs(a - b));
      }
    }
    for (int k = 0; k < 2; k++) {
      printf("    largest %s %.4g m, differences at most %.1e of it\n", outputs[k], largest[k], apart[k] / largest[k]);
      CHECK_LE(apart[k], 1e-3 * largest[k]);
    }
    CHECK_LE(0.5, largest[0]);
    run_close(&strip);
  }
  run_close(&beam);
}

// A cantilever under the force P along its axis and a small one F across it bends as a column does:
//   F/P (L - tanh(kL)/k) with k² = P/EI,  and tan instead of tanh for a push.
static double column(double L, double EI, double P, double F) {
  const double k = sqrt(fabs(P) / EI);
  if (P == 0) return F * L * L * L / (3 * EI);
  return P > 0 ? F / P * (L - tanh(k * L) / k) : F / P * (L - tan(k * L) / k);
}

static double rest(run *r, const char *output) {
  carom_equilibrium e;
  carom_error error = {0};
  if (!CHECK(carom_sim_equilibrium(r->sim, &e, &error) == CAROM_OK)) printf("      %s\n", error.text);
  return run_read(r, output);
}

// The push that buckles it is π²EI/4L² = 345 N.
static void a_pull_stiffens_and_a_push_softens(void) {
  static const double along[] = {-300, -100, 0, 100, 1000};
  for (int i = 0; i < 5; i++) {
    char settings[64];
    run r;
    snprintf(settings, sizeof settings, "parameters.P=%g", along[i]);
    if (!run_open_text(&r,
                       STRIP "joints: {clamp: {fixed: [ground, root]}}\n"
                             "forces: {pull: {force: tip, components: [P, 0.01]}}\nmethod: smooth\nend: 1 s\n",
                       settings))
      return;
    const double bent = rest(&r, "tip.y"), exact = column(10, 1.4e4, along[i], 0.01);
    printf("    %5g N: deflection %.4g of the closed form\n", along[i], bent / exact);
    CHECK_NEAR(bent / exact, 1, 1e-3);
    run_close(&r);
  }
}

// --- an imported body ------------------------------------------------------------------------------------------------

static const char *read_text(arena *memory, const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (!CHECK(f)) return NULL;
  fseek(f, 0, SEEK_END);
  *size = (size_t)ftell(f);
  rewind(f);
  char *text = arena_alloc(memory, *size + 1, 1);
  const bool whole = fread(text, 1, *size, f) == *size;
  fclose(f);
  return whole ? text : NULL;
}

// The matrices of models/blade.yaml, with those of its load case.
static bool read_blade(arena *memory, imported_result *to) {
  static const char *const endings[] = {".nodes", ".mass.mtx", ".stiffness.mtx", ".pull.load", ".pull.stiffness.mtx"};
  char why[LINES_WHY] = "", name[64], path[512];
  imported_case pull = {.name = "pull"};
  imported_body from = {.cases = &pull, .case_count = 1};
  bool good = true;
  for (int i = 0; i < 5 && good; i++) {
    snprintf(name, sizeof name, "models/parts/blade%s", endings[i]);
    size_t size = 0;
    const char *text = check_source(name, path, sizeof path) ? read_text(memory, path, &size) : NULL;
    good = text && (i == 0   ? node_table_read(text, size, memory, &from, why)
                    : i == 3 ? imported_forces_read(text, size, memory, &pull, why)
                             : matrix_market_read(text, size, memory,
                                                  i == 1   ? &from.mass
                                                  : i == 2 ? &from.stiffness
                                                           : &pull.stiffness,
                                                  why));
  }
  return CHECK(good && imported_elements(memory, &from, 1, 1, to, why));
}

// Adds the stiffness of springs that hold a place against shifts and turns.
static void hold(const flex_place *p, int n, double *A) {
  static const double SHIFTS = 1e14, TURNS = 1e10;  // that of the blade is 1e10 N/m
  for (int i = 0; i < p->wide.count; i++)
    for (int j = 0; j < p->wide.count; j++)
      A[p->wide.freedom[i] * n + p->wide.freedom[j]] +=
          SHIFTS * vec3_dot(p->wide.shape[i], p->wide.shape[j]) + TURNS * vec3_dot(p->wide.turn[i], p->wide.turn[j]);
}

// The deflection of its right face under a force of 0.01 N along z and a pull, by the matrices themselves, with the
// left face held as the model holds it: (K + G pull/1 kN) u = F.
static double deflection_of_matrices(arena *memory, const imported_result *b, double pull) {
  const int n = b->e.freedom_count;
  const flex_interface *left = interfaces_find(&b->interfaces, "left"),
                       *right = interfaces_find(&b->interfaces, "right");
  double *A = ARENA_ARRAY(memory, double, (long)n *n), *load = ARENA_ARRAY(memory, double, n);
  double *u = ARENA_ARRAY(memory, double, n);
  flex_place tip, root;
  if (!CHECK(imported_place(memory, &b->e, right, (vec3){0.5, 0, 0}, &tip) &&
             imported_place(memory, &b->e, left, VEC3_ZERO, &root)))
    return NAN;
  elements_load(&tip, (vec3){0, 0, 0.01}, VEC3_ZERO, load);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i * n + j] =
          symmetric_value(&b->e.stiffness, i, j) + pull / 1000 * symmetric_value(&b->loads[0].geometric, i, j);
  hold(&root, n, A);
  memcpy(u, load, (size_t)n * sizeof *u);
  if (!CHECK(dense_cholesky(n, A, n, 0, NULL))) return NAN;
  dense_cholesky_solve(n, A, n, u);
  return elements_displacement(&tip, u).z;
}

// The push that buckles it is 3.6 kN.
static void an_imported_blade_is_a_column(void) {
  static const double along[] = {0, -2000, -1000, 1000, 20000};
  arena memory = arena_create(NULL);
  imported_result blade = {0};
  if (!read_blade(&memory, &blade)) return;
  for (int i = 0; i < 5; i++) {
    char text[1024];
    run r;
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\nbodies:\n  blade:\n"
             "    finite_elements: {matrices: %s, attach: [left, right], loads: [pull]}\n    modes: {count: 12}\n"
             "markers: {tip: {on: blade, at: [0.5, 0, 0]}}\njoints: {clamp: {fixed: [ground, blade]}}\n"
             "forces: {pull: {force: tip, components: [%g, 0, 0.01]}}\nmethod: smooth\nend: 1 s\n",
             CHECK_SOURCE_DIR "/models/parts/blade", along[i]);
    if (!run_open_text(&r, text, NULL)) break;
    const double bent = rest(&r, "tip.z"), exact = deflection_of_matrices(&memory, &blade, along[i]);
    run_close(&r);
    printf("    %6g N: deflection %.4g m, that of the matrices times %.6f\n", along[i], bent, bent / exact);
    CHECK_NEAR(bent / exact, 1, 1e-3);
  }
  arena_free(&memory);
}

// --- works of loads --------------------------------------------------------------------------------------------------

// F·ψ of one field.
static double work_along(const flex_elements *e, const floating_fields *f, int field, const double *load) {
  double sum = 0;
  vec3 psi[16];
  for (int i = 0; i < e->node_count; i++) {
    const flex_place at = elements_node(e, i);
    f->at(f->context, &at, psi);
    sum += load[e->freedoms[i][0]] * psi[field].x + load[e->freedoms[i][1]] * psi[field].y;
  }
  return sum;
}

// F·g_ij = -K_G,ij for every load case, also where some depend on others.
static void works_of_loads_are_exact(void) {
  enum { MODES = 3 };
  arena memory = arena_create(NULL);
  planar_solid solid = {.thickness = 0.1, .young = 1e7, .poisson = 0.3, .density = 1000};
  flex_elements e;
  flexibility a;
  flex_modes m;
  solid.mesh = triangles_rectangle(&memory, 1, 0.2, 6, 2);
  planar_solid_elements(&memory, &solid, &e);
  if (!CHECK(flexibility_create(&memory, &e, NULL, &a) && modes_eigen(&memory, &a, MODES, &m))) return;
  double *loads;
  const int count = load_cases_inertia(&memory, &e, &loads), n = e.freedom_count;
  load_cases c = {.count = count, .deformation = ARENA_ARRAY(&memory, double, (long)count *n)};
  c.stiffness = ARENA_ARRAY(&memory, double, count *MODES *MODES);
  for (int i = 0; i < count; i++) flexibility_apply(&memory, &a, loads + (long)i * n, c.deformation + (long)i * n);
  planar_solid_geometric(&memory, &solid, &e, count, c.deformation, MODES, m.phi, c.stiffness);
  floating_fields f;
  CHECK(load_cases_fields(&memory, &e, MODES, &c, &f));
  CHECK_EQUAL(count, 6);
  CHECK(f.count > 0 && f.count < count);  // a free body is not stressed by its own acceleration
  for (int k = 0; k < count; k++) {
    double most = 0, off = 0, size = 0;
    for (int i = 0; i < MODES * MODES; i++) {
      double work = 0;
      for (int j = 0; j < f.count; j++)
        work += f.square[j * MODES * MODES + i] * work_along(&e, &f, j, loads + (long)k * n);
      const double K = c.stiffness[k * MODES * MODES + i];
      most = fmax(most, fabs(K)), off = fmax(off, fabs(work + K));
    }
    for (int i = 0; i < count * MODES * MODES; i++) size = fmax(size, fabs(c.stiffness[i]));
    printf("    load %d: geometric stiffness up to %.1e of the largest, works off by %.1e of that\n", k, most / size,
           off / size);
    CHECK_LE(off, 1e-10 * size);
  }
  arena_free(&memory);
}

// --- a plate in free flight ------------------------------------------------------------------------------------------

// Momentum and energy of a plate that vibrates and tumbles; the forms of the kinetic energy agree with the equations.
static void a_tumbling_plate_keeps_momentum_and_energy(void) {
  static const char text[] =
      "space: planar\ngravity: [0, 0]\nbodies:\n  plate:\n"
      "    solid_2d: {rectangle: [0.4, 0.1], elements: 4, thickness: 0.01, young: 1e7, poisson: 0.3, density: 1000}\n"
      "    modes: {count: 4}\n    geometric_stiffness: yes\n"
      "joints: {fly: {free: [ground, plate]}}\n"
      "initial: {plate: {modes: [5 mm, 1 mm, 1 mm, 0]}, fly: {u: [20, 0.2, 0.1]}}\n"
      "method: smooth\nintegrator: {type: adams, rtol: 1e-12, atol: 1e-14}\nend: 10 s\n";
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  const double period = 2 * M_PI / carom_model_body_frequency(r.model, 1, 0);
  const double energy = run_read(&r, "energy.kinetic") + run_read(&r, "energy.strain");
  vec3 before[2], after[2];
  tree_momentum(&r.model->m, r.sim->x, &before[0], &before[1]);
  if (CHECK(run_to(&r, 100 * period))) {
    const double later = run_read(&r, "energy.kinetic") + run_read(&r, "energy.strain");
    tree_momentum(&r.model->m, r.sim->x, &after[0], &after[1]);
    const double error[3] = {vec3_norm(vec3_sub(after[0], before[0])) / vec3_norm(before[0]),
                             vec3_norm(vec3_sub(after[1], before[1])) / vec3_norm(before[1]), later / energy - 1};
    printf("    relative errors: momentum %.1e, angular momentum %.1e, energy %.1e\n", error[0], error[1], error[2]);
    CHECK_LE(error[0], 1e-10);
    CHECK_LE(error[1], 1e-10);
    CHECK_LE(fabs(error[2]), 1e-9);
  }
  run_close(&r);
}

int main(void) {
  RUN(a_strip_is_spun_up_as_a_beam);
  RUN(a_pull_stiffens_and_a_push_softens);
  RUN(an_imported_blade_is_a_column);
  RUN(works_of_loads_are_exact);
  RUN(a_tumbling_plate_keeps_momentum_and_energy);
  return check_summary();
}
