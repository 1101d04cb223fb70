// Beams of finite elements: static deflections, frequencies with their orders, and the bases of modes made of them.
#include "flexible.h"

#include "flex/given.h"

static const double clamped_free[] = {1.8751040687, 4.6940911330, 7.8547574382};
static const double free_free[] = {4.7300407449, 7.8532046241, 10.9956078380};

// The frequency of bending that belongs to β L.
static double bending_frequency(const beam *b, double beta_L) {
  const beam_section s = constant_section(b->context, 0);
  return beta_L * beta_L / (b->length * b->length) * sqrt(b->young * s.second_z / (b->density * s.area));
}

// --- statics ---------------------------------------------------------------------------------------------------------

// F L³ / 3 EI of the freedoms themselves, and of a basis that has the static mode of the load.
static void tip_deflection_is_exact(void) {
  const double force = 7;
  for (int elements = 1; elements <= 64; elements *= 2) {
    flexible f;
    CHECK(start(&f, planar_beam(elements, false), CLAMPED));
    const flex_place tip = beam_place(&f.b, &f.e, f.b.length);
    const double exact = force * pow(f.b.length, 3) / (3 * f.b.young * square_section.second_z);
    double *load = numbers(&f, f.e.freedom_count), *x = numbers(&f, f.e.freedom_count), deflection = 0;
    elements_load(&tip, (vec3){0, force, 0}, VEC3_ZERO, load);
    flexibility_apply(&f.memory, &f.a, load, x);
    CHECK_NEAR(elements_displacement(&tip, x).y / exact, 1, 1e-9);
    CHECK_NEAR(elements_turn(&tip, x).z / (1.5 * exact / f.b.length), 1, 1e-9);
    const reduction r = reduce(&f, true);
    const flex_modes m = with_static(&f, &r, 2, 1, load);
    for (int i = 0; i < m.count; i++) {
      const double phi = elements_displacement(&tip, m.phi + i * f.e.freedom_count).y;
      deflection += force * phi * phi / (m.omega[i] * m.omega[i]);
    }
    CHECK_NEAR(deflection / exact, 1, 1e-9);
    if (elements == 64) printf("    relative error %.1e at 64 elements\n", deflection / exact - 1);
    finish(&f);
  }
}

// F L³/3EI + F L/κGA, in both directions across the beam; F L/EA along it; T L/GJ about it.
static void loads_in_space_deflect_with_shear(void) {
  flexible f;
  CHECK(start(&f, space_beam(4, true), CLAMPED));
  const beam_section s = constant_section(f.b.context, 0);
  const double L = f.b.length, E = f.b.young, G = f.b.shear;
  const flex_place tip = beam_place(&f.b, &f.e, L);
  double *load = numbers(&f, f.e.freedom_count), *x = numbers(&f, f.e.freedom_count);
  elements_load(&tip, (vec3){3, 5, 7}, (vec3){2, 0, 0}, load);
  flexibility_apply(&f.memory, &f.a, load, x);
  const vec3 d = elements_displacement(&tip, x), turn = elements_turn(&tip, x);
  CHECK_NEAR(d.x / (3 * L / (E * s.area)), 1, 1e-12);
  CHECK_NEAR(d.y / (5 * (L * L * L / (3 * E * s.second_z) + L / (G * s.shear_y))), 1, 1e-11);
  CHECK_NEAR(d.z / (7 * (L * L * L / (3 * E * s.second_y) + L / (G * s.shear_z))), 1, 1e-11);
  CHECK_NEAR(turn.x / (2 * L / (G * s.torsion)), 1, 1e-12);
  CHECK_NEAR(turn.y / (-7 * L * L / (2 * E * s.second_y)), 1, 1e-11);
  CHECK_NEAR(turn.z / (5 * L * L / (2 * E * s.second_z)), 1, 1e-11);
  finish(&f);
}

// The width falls to a quarter: EI(x) = EI₀ (1 - k x/L) with k = 3/4, and the tip sinks by F ∫ (L-x)²/EI dx.
static beam_section wedge(const void *context, double x) {
  const beam *b = context;
  beam_section s = square_section;
  const double share = 1 - 0.75 * x / b->length;
  s.area *= share, s.second_z *= share;
  return s;
}

static double wedge_error(int elements) {
  beam b = planar_beam(elements, false);
  b.section = wedge, b.context = &b;
  flexible f;
  CHECK(start(&f, b, CLAMPED));
  const flex_place tip = beam_place(&f.b, &f.e, b.length);
  double *load = numbers(&f, f.e.freedom_count), *x = numbers(&f, f.e.freedom_count);
  elements_load(&tip, (vec3){0, 1, 0}, VEC3_ZERO, load);
  flexibility_apply(&f.memory, &f.a, load, x);
  // With s = 1 - kx and a = 1 - k that is ∫ (s-a)²/s ds / k³ from a to 1, for L = 1.
  const double k = 0.75, a = 1 - k;
  const double integral = ((1 - a * a) / 2 - 2 * a * (1 - a) - a * a * log(a)) / (k * k * k);
  const double exact = pow(b.length, 3) / (b.young * square_section.second_z) * integral;
  const double error = elements_displacement(&tip, x).y / exact - 1;
  finish(&f);
  return error;
}

// Displacements are a minimum of energy: a coarse mesh is too stiff.
static void tapered_beam_converges_with_order_four(void) {
  const double coarse = wedge_error(8), fine = wedge_error(16), finer = wedge_error(32);
  CHECK(coarse < 0);
  CHECK_NEAR(log2(coarse / fine), 4, 0.1);
  CHECK_NEAR(log2(fine / finer), 4, 0.1);
}

// --- frequencies -----------------------------------------------------------------------------------------------------

typedef double error_of(int elements, int mode);

// From above, with the order; prints what is reached at 64 elements.
static void check_order(error_of *error, int mode, double order, double within, double at_64) {
  const double e8 = error(8, mode), e16 = error(16, mode), e32 = error(32, mode), e64 = error(64, mode);
  CHECK(e32 > 0);
  CHECK_NEAR(log2(e8 / e16), order, within);
  CHECK_NEAR(log2(e16 / e32), order, within);
  CHECK_LE(fabs(e64), at_64);
  printf("    mode %d: orders %.3f %.3f, relative error %.1e at 64 elements\n", mode + 1, log2(e8 / e16),
         log2(e16 / e32), e64);
}

static double frequency_error(beam b, support s, int mode, double exact) {
  flexible f;
  CHECK(start(&f, b, s));
  flex_modes m;
  CHECK(modes_eigen(&f.memory, &f.a, mode + 1, &m));
  const double error = m.omega[mode] / exact - 1;
  finish(&f);
  return error;
}

// Slender, so that stretch comes far behind the first modes.
static double cantilever_error(int elements, int mode) {
  const beam b = planar_beam(elements, false);
  return frequency_error(b, CLAMPED, mode, bending_frequency(&b, clamped_free[mode]));
}

static double free_error(int elements, int mode) {
  const beam b = planar_beam(elements, false);
  return frequency_error(b, FREE, mode, bending_frequency(&b, free_free[mode]));
}

// The next term of the error is of order six: it changes the order by up to 0.16 (β h)² with h of the coarsest mesh.
static double order_within(double beta_L) { return 0.2 * beta_L * beta_L / 64; }

static void frequencies_of_bending_have_order_four(void) {
  for (int mode = 0; mode < 3; mode++) check_order(cantilever_error, mode, 4, order_within(clamped_free[mode]), 1e-6);
  for (int mode = 0; mode < 3; mode++) check_order(free_error, mode, 4, order_within(free_free[mode]), 1e-6);
}

// A bar clamped at one end: ω = (2k-1) π/2 √(E/ρ) / L. Bending is taken away: it is in the same basis.
static double stretch_error(int elements, int mode) {
  const beam b = planar_beam(elements, false);
  return frequency_error(b, CLAMPED_AXIAL, mode, (2 * mode + 1) * M_PI / 2 * sqrt(b.young / b.density) / b.length);
}

// ω = (2k-1) π/2 √(G J / ρ I_p) / L
static double twist_error(int elements, int mode) {
  const beam b = space_beam(elements, false);
  const beam_section s = constant_section(b.context, 0);
  const double speed = sqrt(b.shear * s.torsion / (b.density * (s.second_y + s.second_z)));
  return frequency_error(b, CLAMPED_TWIST, mode, (2 * mode + 1) * M_PI / 2 * speed / b.length);
}

static void stretch_and_twist_have_order_two(void) {
  for (int mode = 0; mode < 2; mode++) check_order(stretch_error, mode, 2, 0.02, 3e-4);
  for (int mode = 0; mode < 2; mode++) check_order(twist_error, mode, 2, 0.02, 3e-4);
}

// Timoshenko's beam on two pins: w = sin kx, θ = B cos kx with k = mode π/L leaves a quadratic equation for ω²,
//   ρA ρI ω⁴ - (ρA (EI k² + S) + ρI S k²) ω² + EI S k⁴ = 0,  S = κGA.
static double pinned_frequency(const beam *b, int mode) {
  const beam_section s = constant_section(b->context, 0);
  const double k = (mode + 1) * M_PI / b->length, S = b->shear * s.shear_y, EI = b->young * s.second_z;
  const double rA = b->density * s.area, rI = b->density * s.second_z;
  const double a = rA * rI, p = (rA * (EI * k * k + S) + rI * S * k * k) / 2, c = EI * S * pow(k, 4);
  return sqrt(c / (p + sqrt(p * p - a * c)));
}

static double shear_error(int elements, int mode) {
  beam b = planar_beam(elements, true);
  b.context = &deep_section;
  return frequency_error(b, PINNED, mode, pinned_frequency(&b, mode));
}

static double slender_shear_error(int elements, int mode) {
  const beam b = planar_beam(elements, true);
  return frequency_error(b, PINNED, mode, pinned_frequency(&b, mode));
}

// Depth 1/5 of the length: elements are shorter than the beam is deep from 8 elements on. Depth 1/1000: never.
static void frequencies_with_shear_have_order_two_in_deep_beams(void) {
  for (int mode = 0; mode < 2; mode++) check_order(shear_error, mode, 2, 0.05, 3e-5 * (mode + 1) * (mode + 1));
  for (int mode = 0; mode < 2; mode++) check_order(slender_shear_error, mode, 4, 0.1, 1e-6);
}

// --- bases -----------------------------------------------------------------------------------------------------------

// K r = 0 and rᵀ M r' is the inertia of the rigid body, from a beam of which nothing is symmetric.
static void motions_without_strain_have_the_rigid_inertia(void) {
  flexible f;
  CHECK(start(&f, space_beam(5, true), FREE));
  const int n = f.e.freedom_count;
  const beam_section s = constant_section(f.b.context, 0);
  double *rigid = numbers(&f, 6 * n), inertia[36] = {0};
  CHECK_EQUAL(elements_rigid(&f.e, rigid), 6);
  for (int r = 0; r < 6; r++)
    for (int i = 0; i < n; i++) {
      double force = 0, size = 0;
      for (int k = 0; k < n; k++) {
        const double term = symmetric_value(&f.e.stiffness, i, k) * rigid[r * n + k];
        force += term, size += fabs(term);
        for (int q = 0; q < 6; q++)
          inertia[r * 6 + q] += rigid[q * n + i] * symmetric_value(&f.e.mass, i, k) * rigid[r * n + k];
      }
      CHECK_LE(fabs(force), 1e-13 * size);
    }
  const double L = f.b.length, m = f.b.density * s.area * L, J = f.b.density * L;
  CHECK_NEAR(inertia[0] / m, 1, 1e-13);
  CHECK_NEAR(inertia[14] / m, 1, 1e-13);
  CHECK_NEAR(inertia[21] / (J * (s.second_y + s.second_z)), 1, 1e-13);
  CHECK_NEAR(inertia[28] / (m * L * L / 3 + J * s.second_y), 1, 1e-13);
  CHECK_NEAR(inertia[35] / (m * L * L / 3 + J * s.second_z), 1, 1e-13);
  CHECK_NEAR(inertia[11] / (m * L / 2), 1, 1e-13);   // along y, about z
  CHECK_NEAR(inertia[16] / (-m * L / 2), 1, 1e-13);  // along z, about y
  finish(&f);
}

// φᵀ M φ' = 1 or 0, and φᵀ K φ' = ω² or 0.
static void check_basis(const flex_elements *e, const flex_modes *m) {
  const int n = e->freedom_count;
  for (int i = 0; i < m->count; i++)
    for (int j = 0; j <= i; j++) {
      double mass = 0, stiffness = 0;
      for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
          const double product = m->phi[i * n + a] * m->phi[j * n + b];
          mass += product * symmetric_value(&e->mass, a, b),
              stiffness += product * symmetric_value(&e->stiffness, a, b);
        }
      CHECK_NEAR(mass, i == j, 1e-9);
      CHECK_NEAR(stiffness / (m->omega[i] * m->omega[j]), i == j, 1e-7);
      CHECK(j == i || m->omega[j] <= m->omega[i] * (1 + 1e-9));
    }
}

// A round beam bends equally along y and z: two modes of one frequency. The rule makes the first of them that along y,
// the freedom that comes first, and both positive at the tip.
static void equal_frequencies_have_one_basis(void) {
  beam b = space_beam(6, false);
  b.context = &round_section;
  flexible f;
  CHECK(start(&f, b, CLAMPED));
  flex_modes m;
  CHECK(modes_eigen(&f.memory, &f.a, 6, &m));
  check_basis(&f.e, &m);
  const flex_place tip = beam_place(&f.b, &f.e, b.length);
  for (int pair = 0; pair < 2; pair++) {
    const vec3 first = elements_displacement(&tip, m.phi + 2 * pair * f.e.freedom_count);
    const vec3 second = elements_displacement(&tip, m.phi + (2 * pair + 1) * f.e.freedom_count);
    CHECK_NEAR(m.omega[2 * pair] / m.omega[2 * pair + 1], 1, 1e-10);
    CHECK(first.y > 0 && second.z > 0);
    CHECK_LE(fabs(first.z), 1e-9 * first.y);
    CHECK_LE(fabs(second.y), 1e-9 * second.z);
  }
  finish(&f);
}

// Modes of a free body carry no momentum. Bases with static modes, and of a supported body that of Craig and Bampton,
// deflect exactly under loads at the interface, and the indicator says so.
static void static_loads_are_not_missed(void) {
  for (int s = 0; s < 2; s++) {
    flexible f;
    CHECK(start(&f, planar_beam(12, false), s ? FREE : CLAMPED));
    const int n = f.e.freedom_count;
    const flex_place tip = beam_place(&f.b, &f.e, f.b.length), near = beam_place(&f.b, &f.e, 0.3 * f.b.length);
    double *loads = numbers(&f, 3 * n);
    elements_load(&tip, (vec3){0, 1, 0}, VEC3_ZERO, loads);
    elements_load(&tip, VEC3_ZERO, (vec3){0, 0, 1}, loads + n);
    elements_load(&near, (vec3){1, 1, 0}, VEC3_ZERO, loads + 2 * n);
    flex_modes plain, joined;
    const reduction r = reduce(&f, !s);
    CHECK(modes_eigen(&f.memory, &f.a, 3, &plain));
    const flex_modes more = with_static(&f, &r, 3, 2, loads);
    bool interface[3 * 13] = {0};
    for (int k = 0; k < 6; k++)
      if (f.e.freedoms[12][k] >= 0) interface[f.e.freedoms[12][k]] = true;
    CHECK(modes_craig_bampton(&f.memory, &f.a, interface, 3, &joined));
    CHECK_EQUAL(plain.count, 3);
    CHECK_EQUAL(more.count, 5);
    CHECK_EQUAL(joined.count, s ? 3 : 6);  // three of the interface, which move a free body without strain
    check_basis(&f.e, &plain);
    check_basis(&f.e, &more);
    check_basis(&f.e, &joined);
    double last = 1;
    for (int count = 1; count < 12; count++) {  // fewer and fewer are missed
      flex_modes m;
      CHECK(modes_eigen(&f.memory, &f.a, count, &m));
      const double missing = reduction_missing(&f.memory, &r, &m, loads).part;
      CHECK(missing > 1e-9 && missing < last * (1 + 1e-9));
      last = missing;
    }
    for (int i = 0; i < 2; i++) {
      CHECK_LE(fabs(reduction_missing(&f.memory, &r, &more, loads + i * n).part), 1e-8);
      if (!s) CHECK_LE(fabs(reduction_missing(&f.memory, &r, &joined, loads + i * n).part), 1e-8);
    }
    CHECK(reduction_missing(&f.memory, &r, &more, loads + 2 * n).part > 1e-3);
    double *rigid = numbers(&f, 6 * n);
    const int rigid_count = s ? elements_rigid(&f.e, rigid) : 0;
    for (int row = 0; row < rigid_count; row++)
      for (int i = 0; i < joined.count; i++) {
        double momentum = 0, mass = 0;
        for (int a = 0; a < n; a++)
          for (int b = 0; b < n; b++) {
            momentum += rigid[row * n + a] * symmetric_value(&f.e.mass, a, b) * joined.phi[i * n + b];
            mass += rigid[row * n + a] * symmetric_value(&f.e.mass, a, b) * rigid[row * n + b];
          }
        CHECK_LE(fabs(momentum), 1e-9 * sqrt(mass));
      }
    finish(&f);
  }
}

// Whatever the eigenmodes are, with the static mode of a load its deflection is exact: of a body that a joint carries
// that of the clamped one, of a free body that with inertia relief.
static void static_modes_are_exact_on_any_basis(void) {
  for (int k = 0; k < 4; k++) {
    flexible f;
    const bool carried = k % 2;
    CHECK(start(&f, planar_beam(12, false), k < 2 ? FREE : CLAMPED));
    const flex_place tip = beam_place(&f.b, &f.e, f.b.length);
    const int n = f.e.freedom_count;
    double *load = numbers(&f, n), *x = numbers(&f, n), deflection = 0, exact;
    elements_load(&tip, (vec3){0, 1, 0}, VEC3_ZERO, load);
    const reduction r = reduce(&f, carried);
    const flex_modes m = with_static(&f, &r, 2, 1, load);
    CHECK_EQUAL(m.count, 3);
    reduction_deform(&f.memory, &r, load, x);
    if (carried) exact = pow(f.b.length, 3) / (3 * f.b.young * square_section.second_z);
    else {  // all modes of the free beam
      flexible whole;
      flex_modes all;
      CHECK(start(&whole, planar_beam(12, false), FREE));
      CHECK(modes_eigen(&whole.memory, &whole.a, n, &all));
      exact = 0;
      for (int i = 0; i < all.count; i++)
        exact += pow(elements_displacement(&tip, all.phi + i * n).y / all.omega[i], 2);
      finish(&whole);
    }
    const reduction_miss miss = reduction_missing(&f.memory, &r, &m, load);
    CHECK_LE(fabs(miss.part), 1e-9);
    CHECK_NEAR(miss.compliance / exact, 1, 1e-9);
    for (int i = 0; i < m.count && k != 2; i++) {  // seen from the root, or in the mean axes of a free body
      const flex_place root = beam_place(&f.b, &f.e, 0);
      if (carried) elements_see_from(&f.e, &root, 1, m.phi + i * n);
      deflection += pow(elements_displacement(&tip, m.phi + i * n).y / m.omega[i], 2);
    }
    if (k != 2) CHECK_NEAR(deflection / exact, 1, 1e-9);
    finish(&f);
  }
}

// A load twice gives one static mode, and a shape without strain none.
static void dependent_shapes_are_left_out(void) {
  flexible f;
  CHECK(start(&f, planar_beam(4, false), CLAMPED));
  const int n = f.e.freedom_count;
  const flex_place tip = beam_place(&f.b, &f.e, f.b.length);
  double *loads = numbers(&f, 2 * n), *rigid = numbers(&f, 6 * n);
  elements_load(&tip, (vec3){0, 1, 0}, VEC3_ZERO, loads);
  elements_load(&tip, (vec3){0, -2, 0}, VEC3_ZERO, loads + n);
  const reduction r = reduce(&f, true);
  flex_modes m = with_static(&f, &r, 2, 2, loads);
  CHECK_EQUAL(m.count, 3);
  CHECK(modes_of_shapes(&f.memory, &f.e, elements_rigid(&f.e, rigid), rigid, &m));
  CHECK_EQUAL(m.count, 0);
  CHECK(modes_eigen(&f.memory, &f.a, 1000, &m));
  CHECK_EQUAL(m.count, 12);
  finish(&f);
}

// Beams with nothing to hold them together.
static void what_is_not_definite_is_refused(void) {
  beam b = planar_beam(3, false);
  b.young = 0;
  flexible f;
  CHECK(!start(&f, b, CLAMPED));
  finish(&f);
  b = planar_beam(3, false);
  b.density = 0;
  flex_modes m;
  CHECK(start(&f, b, CLAMPED) && !modes_eigen(&f.memory, &f.a, 2, &m));
  finish(&f);
}

// --- given shape functions -------------------------------------------------------------------------------------------

// (x/L)² along the beam and 3/2 (x/L)² - 1/2 (x/L)³ across it, for the length 0.5 m.
static void square(const void *context, double x, double jet[3]) {
  const double L = *(const double *)context;
  jet[0] = x * x / (L * L), jet[1] = 2 * x / (L * L), jet[2] = 2 / (L * L);
}
static void cubic(const void *context, double x, double jet[3]) {
  const double L = *(const double *)context, s = x / L;
  jet[0] = 1.5 * s * s - 0.5 * s * s * s, jet[1] = (3 * s - 1.5 * s * s) / L, jet[2] = (3 - 3 * s) / (L * L);
}

// ∫ρA φ² is 1/5 and 33/140 of the mass; ∫EA φ'² = 4 EA / 3L and ∫EI φ''² = 3 EI / L³; the end is foreshortened by ½
// 6/5L q².
static void given_shapes_have_their_integrals(void) {
  arena memory = arena_create(NULL);
  beam b = planar_beam(3, false);
  b.length = 0.5;
  const given_shape shapes[] = {{GIVEN_AXIAL, square, &b.length}, {GIVEN_Y, cubic, &b.length}};
  const double L = b.length, mass = b.density * square_section.area * L;
  const double EA = b.young * square_section.area, EI = b.young * square_section.second_z;
  flex_elements e;
  given_elements(&memory, &b, 2, shapes, &e);
  CHECK_NEAR(symmetric_value(&e.mass, 0, 0) / (mass / 5), 1, 1e-14);
  CHECK_NEAR(symmetric_value(&e.mass, 1, 1) / (mass * 33 / 140), 1, 1e-14);
  CHECK_NEAR(symmetric_value(&e.stiffness, 0, 0) / (4 * EA / (3 * L)), 1, 1e-14);
  CHECK_NEAR(symmetric_value(&e.stiffness, 1, 1) / (3 * EI / (L * L * L)), 1, 1e-14);
  CHECK(symmetric_value(&e.mass, 0, 1) == 0 && symmetric_value(&e.stiffness, 0, 1) == 0);
  double g[4];
  given_foreshortening(&b, 2, shapes, 0, L, g);
  CHECK_NEAR(g[3], -1.2 / L, 1e-14 / L);
  CHECK(g[0] == 0 && g[1] == 0);
  const flex_place end = given_place(2, shapes, L);
  CHECK_NEAR(end.shape[0].x, 1, 1e-15);
  CHECK_NEAR(end.shape[1].y, 1, 1e-15);
  CHECK_NEAR(end.turn[1].z, 1.5 / L, 1e-15 / L);
  floating_body body;
  const double phi[] = {1, 0, 0, 1};
  floating_create(&memory, &e, 2, phi, NULL, &body);
  CHECK_NEAR(body.inertia.mass / mass, 1, 1e-14);
  CHECK_NEAR(body.inertia.shift[1].y / (mass * (0.5 - 0.125)), 1, 1e-14);
  CHECK_NEAR(body.inertia.moment[1].m[1] / (mass * L * (0.375 - 0.1)), 1, 1e-14);  // ∫ x φ_y dm
  arena_free(&memory);
}

// A cubic is what a cantilever does under a load at its end: given, or as the one element of a mesh, it gives the same
// static mode. In space along z, with its slope about -y.
static void given_shapes_agree_with_elements(void) {
  flexible f;
  CHECK(start(&f, space_beam(1, false), CLAMPED));
  const given_shape shape = {GIVEN_Z, cubic, &f.b.length};
  flex_elements e;
  given_elements(&f.memory, &f.b, 1, &shape, &e);
  const flex_place tip = beam_place(&f.b, &f.e, f.b.length), given_tip = given_place(1, &shape, f.b.length);
  double *load = numbers(&f, f.e.freedom_count), *x = numbers(&f, f.e.freedom_count);
  elements_load(&tip, (vec3){0, 0, 1}, VEC3_ZERO, load);
  flexibility_apply(&f.memory, &f.a, load, x);
  const double q = 1 / symmetric_value(&e.stiffness, 0, 0);
  CHECK_NEAR(elements_displacement(&tip, x).z / elements_displacement(&given_tip, &q).z, 1, 1e-12);
  CHECK_NEAR(elements_turn(&tip, x).y / elements_turn(&given_tip, &q).y, 1, 1e-12);
  double momentum = 0;
  for (int i = 0; i < f.e.freedom_count; i++)
    for (int k = 0; k < f.e.freedom_count; k++) momentum += x[i] * symmetric_value(&f.e.mass, i, k) * x[k];
  CHECK_NEAR(momentum / (q * q * symmetric_value(&e.mass, 0, 0)), 1, 1e-12);
  finish(&f);
}

int main(void) {
  RUN(given_shapes_have_their_integrals);
  RUN(given_shapes_agree_with_elements);
  RUN(tip_deflection_is_exact);
  RUN(loads_in_space_deflect_with_shear);
  RUN(tapered_beam_converges_with_order_four);
  RUN(frequencies_of_bending_have_order_four);
  RUN(stretch_and_twist_have_order_two);
  RUN(frequencies_with_shear_have_order_two_in_deep_beams);
  RUN(motions_without_strain_have_the_rigid_inertia);
  RUN(equal_frequencies_have_one_basis);
  RUN(static_loads_are_not_missed);
  RUN(static_modes_are_exact_on_any_basis);
  RUN(dependent_shapes_are_left_out);
  RUN(what_is_not_definite_is_refused);
  return check_summary();
}
