// Bodies whose mass, mass centre and inertia follow from their shapes.
#include "check.h"

#include "carom/carom.h"

// --- models ----------------------------------------------------------------------------------------------------------

static carom_model *model_of(const char *space, const char *body, carom_error *error) {
  char text[2000];
  snprintf(
      text, sizeof text,
      "space: %s\nsolids: {mine: {young: 1 GPa, poisson: 0.3}}\nbodies: {b: %s}\njoints: {j: {free: [ground, b]}}\n",
      space, body);
  return carom_model_parse(text, "m", error);
}

static carom_body_size size_of(const char *space, const char *body) {
  carom_error error = {0};
  carom_model *m = model_of(space, body, &error);
  if (!CHECK(m)) printf("%s\n", error.text);
  carom_body_size size = m ? carom_model_body_size(m, 1) : (carom_body_size){0};
  CHECK(size.from_shape);
  carom_model_destroy(m);
  return size;
}

typedef struct expected {
  double mass, com[3], inertia[6];
} expected;

static void check_size(const char *space, const char *body, expected e) {
  carom_body_size s = size_of(space, body);
  double length = 0, scale = 0;
  for (int k = 0; k < 3; k++) length = fmax(length, fabs(e.com[k])), scale = fmax(scale, e.inertia[k]);
  CHECK_NEAR(s.mass, e.mass, 1e-14 * e.mass);
  for (int k = 0; k < 3; k++) CHECK_NEAR(s.com[k], e.com[k], 1e-14 * length);
  for (int k = 0; k < 6; k++) CHECK_NEAR(s.inertia[k], e.inertia[k], 2e-14 * scale);
}

static void refuses(const char *space, const char *body, const char *what, const char *hint) {
  carom_error error = {0};
  carom_model *m = model_of(space, body, &error);
  if (!CHECK(!m && strstr(error.text, what) && (!hint || strstr(error.text, hint)))) printf("%s\n", error.text);
  carom_model_destroy(m);
}

// --- closed forms ----------------------------------------------------------------------------------------------------

static void solids_have_their_mass(void) {
  double v = 4 * M_PI / 3 * 1e-3, m = 1000 * v;
  check_size("spatial", "{density: 1000, shape: {sphere: 10 cm, at: [1, 2, 3]}}",
             (expected){m, {1, 2, 3}, {0.004 * m, 0.004 * m, 0.004 * m}});
  m = 500 * 0.6;
  check_size("spatial", "{density: 500, shape: {box: [1, 2, 0.3]}}",
             (expected){m, {0}, {m * 4.09 / 12, m * 1.09 / 12, m * 5.0 / 12}});
  m = 7800 * M_PI * 0.01 * 2;
  check_size("spatial", "{solid: steel, shape: {cylinder: [10 cm, 2 m], axis: x}}",
             (expected){m, {0}, {0.005 * m, m * (0.01 / 4 + 4 / 12.0), m * (0.01 / 4 + 4 / 12.0)}});
  m = 1000 * M_PI * 0.04 * 0.6 / 3;
  check_size(
      "spatial", "{density: 1000, shape: {cone: [20 cm, 60 cm], axis: -z, at: [0, 0, 1]}}",
      (expected){
          m, {0, 0, 1.15}, {m * (0.15 * 0.04 + 0.0375 * 0.36), m * (0.15 * 0.04 + 0.0375 * 0.36), 0.3 * 0.04 * m}});
  m = 1000 * 4 * M_PI / 3 * 0.5 * 0.4 * 0.3;
  check_size("spatial", "{density: 1000, shape: {ellipsoid: [50 cm, 40 cm, 30 cm], rotate: {axis: z, angle: 90 deg}}}",
             (expected){m, {0}, {m * 0.34 / 5, m * 0.25 / 5, m * 0.41 / 5}});
  m = 2000 / 6.0 * 2;
  check_size(
      "spatial", "{density: 2000, shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 2], [0.1, 0.1, 0.1]]}}",
      (expected){
          m, {0.25, 0.25, 0.5}, {m * 3 * 5 / 80, m * 3 * 5 / 80, m * 3 * 2 / 80, m / 80, m * 2 / 80, m * 2 / 80}});
  m = 1000 * M_PI * 0.01;
  check_size("spatial", "{density: 1000, shape: {disc: 1, thickness: 1 cm, axis: x}}",
             (expected){m, {0}, {m / 2, m * (0.25 + 1e-4 / 12), m * (0.25 + 1e-4 / 12)}});
}

// A capsule from a cylinder and a ball cut in two, by the known moments of a half ball: 83/320 m r² about its own
// centre.
static void a_capsule_has_its_mass(void) {
  double r = 0.3, l = 0.8, cylinder = 1000 * M_PI * r * r * l, half = 1000 * 2 * M_PI / 3 * r * r * r,
         away = l / 2 + 3 * r / 8;
  double across = cylinder * (r * r / 4 + l * l / 12) + 2 * half * (83.0 / 320 * r * r + away * away);
  double along = cylinder * r * r / 2 + 2 * half * 0.4 * r * r, m = cylinder + 2 * half;
  check_size("spatial", "{density: 1000, shape: {capsule: [30 cm, 80 cm], axis: y}}",
             (expected){m, {0}, {across, along, across}});
  check_size("spatial", "{density: 1000, shape: {link: 80 cm, width: 60 cm, from: [-40 cm, 0, 0]}}",
             (expected){m, {0}, {along, across, across}});
}

// ∫₀¹ xⁿ (1 - x^(2/e))^(m e/2) dx by the midpoint rule.
static double integral(double e, int n, int m) {
  enum { N = 200000 };
  double sum = 0;
  for (int i = 0; i < N; i++) sum += pow((i + 0.5) / N, n) * pow(1 - pow((i + 0.5) / N, 2 / e), m * e / 2) / N;
  return sum;
}

// Against integrals over slices: at each height z a superellipse, scaled by (1 - |z/c|^(2/e1))^(e1/2).
static void a_superellipsoid_has_its_mass(void) {
  double a = 0.5, b = 0.4, c = 0.3, box = 8 * a * b * c, e1 = 0.6, e2 = 1.4;
  double volume = box * integral(e2, 0, 1) * integral(e1, 0, 2);
  double xx = box * a * a * integral(e2, 2, 1) * integral(e1, 0, 4),
         zz = box * c * c * integral(e2, 0, 1) * integral(e1, 2, 2);
  carom_body_size got =
      size_of("spatial", "{density: 1, shape: {superellipsoid: [0.5, 0.4, 0.3], exponents: [0.6, 1.4]}}");
  CHECK_NEAR(got.mass, volume, 1e-6 * volume);
  CHECK_NEAR(got.inertia[0], xx * b * b / (a * a) + zz, 1e-6 * (xx + zz));
  CHECK_NEAR(got.inertia[1], xx + zz, 1e-6 * (xx + zz));
  CHECK_NEAR(got.inertia[2], xx * (1 + b * b / (a * a)), 1e-6 * (xx + zz));
}

static void planar_shapes_have_the_mass_of_plates(void) {
  double m = 1000 * 0.01 * M_PI * 0.04;
  check_size("planar", "{density: 1000, thickness: 1 cm, shape: {sphere: 20 cm, at: [1, 2]}}",
             (expected){m, {1, 2}, {0, 0, m * 0.02}});
  check_size("planar", "{density: 1000, shape: {disc: 20 cm, thickness: 1 cm}}", (expected){m, {0}, {0, 0, m * 0.02}});
  check_size("planar", "{density: 1000, shape: {cylinder: [20 cm, 1 cm]}}", (expected){m, {0}, {0, 0, m * 0.02}});
  m = 2700 * 0.005 * 0.3 * 0.1;
  check_size("planar", "{density: 2700, thickness: 5 mm, shape: {box: [30 cm, 10 cm], rotate: 30 deg}}",
             (expected){m, {0}, {0, 0, m * 0.1 / 12}});
  m = 1000 * 0.01 * 0.5;  // right triangle with legs 1: inertia m (a² + b²)/18
  check_size("planar", "{density: 1000, thickness: 1 cm, shape: {polygon: [[0, 0], [0, 1], [1, 0]]}}",
             (expected){m, {1 / 3.0, 1 / 3.0}, {0, 0, m * 2 / 18}});
  // a rectangle of l by 2r and two half discs
  double l = 0.8, r = 0.3, box = 10 * 2 * r * l, half = 10 * M_PI * r * r / 2, c = 4 * r / (3 * M_PI), away = l / 2 + c;
  double inertia = box * (l * l + 4 * r * r) / 12 + 2 * (half * (r * r / 2 - c * c) + half * away * away);
  check_size("planar", "{density: 1000, thickness: 1 cm, shape: {capsule: [30 cm, 80 cm]}}",
             (expected){box + 2 * half, {0}, {0, 0, inertia}});
  check_size("planar", "{density: 1000, thickness: 1 cm, shape: {link: [0, 80 cm], width: 60 cm}}",
             (expected){box + 2 * half, {0, 0.4}, {0, 0, inertia}});
}

// A dumbbell of two balls of different densities and a bar, with an ornament that does not count.
static void shapes_add_up(void) {
  double ball = 4 * M_PI / 3 * 1e-3, a = 1000 * ball, b = 3000 * ball, rod = 1000 * 0.01 * 0.01, m = a + b + rod;
  double x = (b * 1 + rod * 0.5) / m, along = 0.004 * (a + b) + rod * 2e-4 / 12;
  double across =
      0.004 * (a + b) + rod * (1 + 1e-4) / 12 + a * x * x + b * (1 - x) * (1 - x) + rod * (0.5 - x) * (0.5 - x);
  check_size("spatial",
             "{density: 1000, shape: [{sphere: 10 cm}, {sphere: 10 cm, at: [1, 0, 0], density: 3000}, "
             "{box: [1, 1 cm, 1 cm], at: [0.5, 0, 0], density: 100000/100}, {box: [9, 9, 9], massless: true}]}",
             (expected){m, {x}, {along, across, across}});
  a = 1000 * ball;
  check_size("spatial", "{shape: [{sphere: 10 cm, density: 1000}, {link: [1, 0, 0]}]}",
             (expected){a, {0}, {0.004 * a, 0.004 * a, 0.004 * a}});
}

static void a_program_can_give_a_density(void) {
  carom_model_def about = carom_model_default(CAROM_SPATIAL);
  carom_def *def = carom_def_create(&about);
  carom_shape_def shape = carom_shape_default();
  shape.kind = "box", shape.size[0] = 1, shape.size[1] = 2, shape.size[2] = 3;
  carom_body_def body = carom_body_default();
  body.density = 10, body.shapes = &shape, body.shape_count = 1;
  carom_def_body(def, "b", &body);
  carom_joint_def joint = carom_joint_default();
  joint.between[0] = "ground", joint.between[1] = "b";
  carom_def_joint(def, "j", "free", &joint);
  carom_error error = {0};
  carom_model *m = carom_model_compile(def, &error);
  if (CHECK(m)) CHECK_NEAR(carom_model_body_size(m, 1).inertia[0], 60 * 13.0 / 12, 1e-12);
  carom_model_destroy(m);
  carom_def_destroy(def);
  def = carom_def_create(&about);
  body.mass = 1;
  carom_def_body(def, "b", &body);
  carom_def_joint(def, "j", "free", &joint);
  CHECK(!carom_model_compile(def, &error) && strstr(error.text, "'mass' and a density"));
  carom_def_destroy(def);
}

static void contradictions_are_refused(void) {
  refuses("spatial", "{mass: 1, density: 1000, shape: {sphere: 1}}", "'mass' and a density",
          "give 'mass', 'inertia' and 'com'");
  refuses("spatial", "{inertia: 1, solid: steel, shape: {sphere: 1}}", "'inertia' and a density", NULL);
  refuses("spatial", "{com: [0, 0, 0], shape: {sphere: 1, density: 1}}", "'com' and a density", NULL);
  refuses("spatial", "{mass: 0, density: 1, shape: {sphere: 1}}", "'mass' and a density", NULL);
  refuses("spatial", "{density: 1}", "a density needs a shape", "shape: {sphere");
  refuses("spatial", "{density: 1, solid: steel, shape: {sphere: 1}}", "both a density and a solid", NULL);
  refuses("spatial", "{solid: stel, shape: {sphere: 1}}", "there is no solid 'stel'", "did you mean 'steel'");
  refuses("spatial", "{solid: mine, shape: {sphere: 1}}", "its solid has no density", "section 'solids'");
  refuses("spatial", "{density: 1, shape: {link: 1}}", "a link has a mass only with a 'width'", "massless: true");
  refuses("spatial", "{density: 1, shape: {disc: 1}}", "a disc has a mass only with a 'thickness'", NULL);
  refuses("spatial", "{density: 1, shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}",
          "must not lie in one plane", NULL);
  refuses("spatial", "{mass: 1, inertia: 1, shape: {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}",
          "must not lie in one plane", NULL);
  refuses("spatial", "{density: 1, thickness: 1, shape: {sphere: 1}}", "no 'thickness' in a spatial model", NULL);
  refuses("spatial", "{density: 1, shape: {sphere: 1, thickness: 1}}", "no 'thickness' in a spatial model", NULL);
  refuses("spatial", "{density: 1, shape: {sphere: 1, massless: true}}", "none of its shapes has a mass", NULL);
  refuses("spatial", "{density: 0, shape: {sphere: 1}}", "'density' must be positive", NULL);
  refuses("planar", "{density: 1, shape: {sphere: 1}}", "a density needs the thickness", "add 'thickness:'");
  refuses("planar", "{density: 1 kg/m^2, thickness: 1, shape: {sphere: 1}}", "'density' must be", NULL);
  refuses("planar", "{density: 1, thickness: 1, shape: {polygon: [[0, 0], [2, 2], [2, 0], [0, 1]]}}", "crosses itself",
          NULL);
  refuses("planar", "{density: 1, thickness: 1, shape: {polygon: [[0, 0], [1, 1], [2, 2]]}}", "no area", NULL);
}

int main(void) {
  RUN(solids_have_their_mass);
  RUN(a_capsule_has_its_mass);
  RUN(a_superellipsoid_has_its_mass);
  RUN(planar_shapes_have_the_mass_of_plates);
  RUN(shapes_add_up);
  RUN(a_program_can_give_a_density);
  RUN(contradictions_are_refused);
  return check_summary();
}
