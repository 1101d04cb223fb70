// Bases of beams and discs against the finite elements they come from: static loads, pulses, compressed interfaces.
#include "flexible.h"

#include "flex/planar_solid.h"

typedef struct contact_case {
  const char *name;
  arena memory;
  flex_elements e;
  reduction r;
  double *load;  // a unit load at the contact place
  flex_modes all;
} contact_case;

static void take(contact_case *c, const bool *held, const flex_place *frame, bool is_carried, const flex_place *place,
                 vec3 along) {
  CHECK(reduction_create(&c->memory, &c->e, held, frame, is_carried, &c->r));
  c->load = ARENA_ARRAY(&c->memory, double, c->e.freedom_count);
  elements_load(place, along, VEC3_ZERO, c->load);
  CHECK(modes_eigen(&c->memory, &c->r.eigen, c->e.freedom_count, &c->all));
}

// A clamped beam that is touched at its tip, from above.
static void beam_case(contact_case *c) {
  const beam b = planar_beam(24, false);
  *c = (contact_case){.name = "beam", .memory = arena_create(NULL)};
  beam_elements(&c->memory, &b, &c->e);
  bool *held = ARENA_ARRAY(&c->memory, bool, c->e.freedom_count);
  for (int k = 0; k < 6; k++)
    if (c->e.freedoms[0][k] >= 0) held[c->e.freedoms[0][k]] = true;
  const flex_place root = beam_place(&b, &c->e, 0), tip = beam_place(&b, &c->e, b.length);
  take(c, held, &root, true, &tip, (vec3){0, 1, 0});
}

// A free disc that is touched at its rim.
static void disc_of(contact_case *c, int rings) {
  *c = (contact_case){.name = "disc", .memory = arena_create(NULL)};
  const planar_solid b = {triangles_disc(&c->memory, 0.1, rings), .thickness = 0.01, .young = 2e8, .poisson = 0.3,
                          .density = 1000};
  flex_place middle, rim;
  planar_solid_elements(&c->memory, &b, &c->e);
  CHECK(planar_solid_place(&b, &c->e, (vec2){0, 0}, &middle) && planar_solid_place(&b, &c->e, (vec2){0, -0.1}, &rim));
  take(c, NULL, &middle, false, &rim, (vec3){0, 1, 0});
}

static void disc_case(contact_case *c) { disc_of(c, 3); }
// With so many freedoms that stiffness is sparse.
static void large_disc_case(contact_case *c) { disc_of(c, 4); }

static double along_load(const contact_case *c, const double *x) {
  double sum = 0;
  for (int k = 0; k < c->e.freedom_count; k++) sum += c->load[k] * x[k];
  return sum;
}

// The displacement of the contact place along a static unit load, in a basis.
static double displacement_in(const contact_case *c, const flex_modes *modes) {
  double sum = 0;
  for (int i = 0; i < modes->count; i++) {
    const double phi = along_load(c, modes->phi + (long)i * c->e.freedom_count);
    sum += phi * phi / (modes->omega[i] * modes->omega[i]);
  }
  return sum;
}

static flex_modes with_contact(contact_case *c, int eigen_count) {
  flex_modes m = {0};
  double *x = ARENA_ARRAY(&c->memory, double, c->e.freedom_count);
  reduction_deform(&c->memory, &c->r, c->load, x);
  CHECK(reduction_basis(&c->memory, &c->r, eigen_count, 1, x, &m));
  return m;
}

// The error of the displacement falls with the number of modes, and is what the indicator says. What all modes of the
// elements give is exact.
static void indicator_is_the_static_error(void) {
  void (*const cases[])(contact_case *) = {beam_case, disc_case, large_disc_case};
  for (int k = 0; k < 3; k++) {
    contact_case c;
    cases[k](&c);
    CHECK((k == 2) == !c.r.eigen.factor);
    const double exact = displacement_in(&c, &c.all);
    double last = 1;
    for (int count = 1; count <= 20; count++) {
      flex_modes m = c.all;
      m.count = count;
      const double error = 1 - displacement_in(&c, &m) / exact;
      const reduction_miss miss = reduction_missing(&c.memory, &c.r, &m, c.load);
      CHECK_NEAR(miss.part, error, 1e-8);
      CHECK_NEAR(miss.compliance / exact, 1, 1e-8);
      CHECK_LE(error, last + 1e-12);  // a mode that does not move the place changes nothing
      last = error;
    }
    CHECK(last < 0.7 && last > 1e-9);
    for (int count = 0; count <= 8; count += 4) {
      const flex_modes m = with_contact(&c, count);
      CHECK_LE(fabs(reduction_missing(&c.memory, &c.r, &m, c.load).part), 1e-8);
      CHECK_NEAR(displacement_in(&c, &m) / exact, 1, 1e-8);
    }
    arena_free(&c.memory);
  }
}

// --- pulses ----------------------------------------------------------------------------------------------------------

// q̈ + ω² q = sin νt up to t = π/ν, and nothing after it; from rest.
static double answer(double omega, double nu, double t) {
  const double end = M_PI / nu, a = 1 / (omega * omega - nu * nu);
  if (t <= end) return a * (sin(nu * t) - nu / omega * sin(omega * t));
  const double q = -a * nu / omega * sin(omega * end), rate = a * nu * (-1 - cos(omega * end));
  return q * cos(omega * (t - end)) + rate / omega * sin(omega * (t - end));
}

static double displacement_at(const contact_case *c, const flex_modes *modes, double nu, double t) {
  double sum = 0;
  for (int i = 0; i < modes->count; i++) {
    const double phi = along_load(c, modes->phi + (long)i * c->e.freedom_count);
    sum += phi * phi * answer(modes->omega[i], nu, t);
  }
  return sum;
}

static double largest_error(const contact_case *c, const flex_modes *modes, double nu) {
  double most = 0;
  for (int k = 0; k <= 400; k++) {
    const double t = 2 * M_PI / nu * k / 400;  // twice as long as the pulse
    most = fmax(most, fabs(displacement_at(c, modes, nu, t) - displacement_at(c, &c->all, nu, t)));
  }
  return most;
}

// A half-sine pulse of two periods of the last mode that is kept: without a static mode the error is that of the static
// load up to a factor of two. With it, what is left is the vibration that the kinks of the pulse start: at each of the
// two every mode ω that is left out swings by (ν/ω)/(1 - (ν/ω)²) of its static part, and the basis swings likewise. So
// the error is at most 4 (ν/ω)/(1 - (ν/ω)²) of the static one; it is small where the next frequency is far, as behind
// the first mode of a beam.
static void check_pulse(void (*make)(contact_case *), int count) {
  contact_case c;
  make(&c);
  for (int kept = 1; kept <= count; kept++) {
    flex_modes m = c.all;
    m.count = kept;
    const double nu = m.omega[kept - 1] / 4;
    const reduction_miss miss = reduction_missing(&c.memory, &c.r, &m, c.load);
    const flex_modes more = with_contact(&c, kept);
    const double predicted = miss.part * miss.compliance, plain = largest_error(&c, &m, nu);
    const double corrected = largest_error(&c, &more, nu), ratio = nu / c.all.omega[kept];
    CHECK(plain > 0.5 * predicted && plain < 2 * predicted);
    CHECK_LE(corrected, 4 * ratio / (1 - ratio * ratio) * predicted);
    CHECK_LE(corrected, plain / 2);
    if (kept > 1 && kept < count) continue;
    printf("    %s, %d modes: misses %.3g; error %.3g of that, with the static mode %.3g\n", c.name, kept, miss.part,
           plain / predicted, corrected / predicted);
    if (ratio < 0.05) CHECK_LE(corrected, plain / 10);
  }
  arena_free(&c.memory);
}

static void static_modes_follow_pulses(void) { check_pulse(beam_case, 8); }
static void static_modes_follow_pulses_on_discs(void) { check_pulse(disc_case, 7); }

// --- stretches -------------------------------------------------------------------------------------------------------

static bool is_low(const void *context, vec3 at) { return at.y <= *(const double *)context; }

// The fewer modes are left out, the less is missed of a load at any node; with all of them nothing is.
static void interfaces_are_compressed(void) {
  static const double tolerances[] = {0.5, 0.3, 0.2, 0};
  contact_case c;
  disc_case(&c);
  const planar_solid b = {.mesh = triangles_disc(&c.memory, 0.1, 3)};
  const double low = -0.07;
  const flex_interface rim =
      interface_of_sides(&c.memory, "rim", b.mesh.nodes, b.mesh.boundary_count, (const int(*)[3])b.mesh.boundary);
  const flex_interface foot = interface_part(&c.memory, "foot", &rim, c.e.nodes, is_low, &low);
  double last = 1;
  int kept = 0;
  for (int i = 0; i < 4; i++) {
    double *shapes, worst = 0;
    flex_modes m;
    const int count = reduction_compress(&c.memory, &c.r, &foot, tolerances[i], &shapes);
    CHECK(count >= kept && count <= foot.count);
    CHECK(reduction_basis(&c.memory, &c.r, 3, count, shapes, &m));
    for (int k = 0; k < foot.count; k++) {
      double *load = ARENA_ARRAY(&c.memory, double, c.e.freedom_count);
      const flex_place at = elements_node(&c.e, foot.nodes[k]);
      elements_load(&at, foot.normals[k], VEC3_ZERO, load);
      worst = fmax(worst, reduction_missing(&c.memory, &c.r, &m, load).part);
    }
    printf("    tolerance %.2g: %d of %d, misses %.2g\n", tolerances[i], count, foot.count, worst);
    CHECK_LE(worst, last);
    last = worst, kept = count;
  }
  CHECK_EQUAL(kept, foot.count);
  CHECK_LE(last, 1e-8);
  arena_free(&c.memory);
}

int main(void) {
  RUN(indicator_is_the_static_error);
  RUN(static_modes_follow_pulses);
  RUN_OPTIMISED(static_modes_follow_pulses_on_discs);
  RUN(interfaces_are_compressed);
  return check_summary();
}
