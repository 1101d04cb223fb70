// Boxes and hulls on each other, face to face, edge to edge, corner to face.
#include "colliding.h"
#include "long.h"
#include "runs.h"

#include "contact/contact.h"
#include "sim.h"

static int closed_points(const run *r, const char *element) {
  const contact_world *w = &r->model->contacts;
  static contact_point points[1024];
  contact_evaluate(w, &r->model->m, r->sim->x, points);
  int count = 0;
  for (int i = 0; i < w->element_count; i++)
    for (int k = 0; strcmp(w->elements[i].name, element) == 0 && k < w->elements[i].point_count; k++)
      count += points[w->elements[i].point0 + k].gap < 1e-9;
  return count;
}

// Runs a stack from where it is to `end`. Each second every face between two boxes must have `corners` closed points,
// and the top must be where it was to 1e-8 m. The log says how far it was away from there, and how deep the boxes
// overlap at the end.
static void stack_stays(run *r, int count, int corners, double end) {
  char face[32], top[8];
  snprintf(top, sizeof top, "b%d", count);
  const double began = carom_sim_time(r->sim), x = run_read(r, "%s.x", top), y = run_read(r, "%s.y", top),
               z = run_read(r, "%s.z", top);
  double moved = 0, deepest = 0;
  int other = 0;
  for (double t = began + 1; t < end + 0.5 && run_to(r, t); t += 1) {
    moved = fmax(
        moved, hypot(hypot(run_read(r, "%s.x", top) - x, run_read(r, "%s.y", top) - y), run_read(r, "%s.z", top) - z));
    for (int i = 1; i < count; i++)
      snprintf(face, sizeof face, "s%d-s%d", i, i + 1), other += closed_points(r, face) != corners;
  }
  for (int i = 1; i < count; i++) deepest = fmax(deepest, -run_read(r, "s%d-s%d.gap", i, i + 1));
  printf(
      "    %d boxes, %g s to %g s: the top moved by at most %.1e m, overlap %.1e m, %d faces with other than %d "
      "points, %ld unsolved\n",
      count, began, carom_sim_time(r->sim), moved, deepest, other, corners, carom_sim_summary(r->sim).unsolved);
  CHECK_LE(moved, 1e-8);
  CHECK_LE(deepest, 1e-8);
  CHECK_EQUAL(other, 0);
  CHECK_EQUAL(carom_sim_summary(r->sim).unsolved, 0);
}

// Ten boxes on each other, turned and shifted a little: each face keeps the corners of its overlap, and nothing moves.
static void a_stack_rests(void) {
  run r;
  if (!run_open_text(&r,
                     "gravity: [0, 0, -9.81]\n"
                     "bodies: {'b{i}': {repeat: {i: [1, 10]}, mass: 1, inertia: [0.00166, 0.00166, 0.00166]}}\n"
                     "joints: {'f{i}': {repeat: {i: [1, 10]}, free: [ground, 'b{i}'], at: [0.003*sin(i), 0.003*cos(i), "
                     "0.1*i - 0.05]}}\n"
                     "surfaces:\n"
                     "  floor: {plane: ground, material: m}\n"
                     "  's{i}': {repeat: {i: [1, 10]}, box: 'b{i}', size: [0.1, 0.1, 0.1], rotate: {axis: z, angle: 5 "
                     "deg*i}, material: m}\n"
                     "materials: {m: {friction: 0.5}}\n"
                     "method: {moreau: {step: 1e-3}}\nend: 2\n",
                     ""))
    return;
  double x = run_read(&r, "b10.x"), z = run_read(&r, "b10.z");
  int corners = closed_points(&r, "s4-s5");
  CHECK(corners >= 4 && corners <= 8);
  run_to(&r, 1);
  CHECK_NEAR(run_read(&r, "b10.x"), x, 1e-8);
  CHECK_NEAR(run_read(&r, "b10.z"), z, 1e-8);
  CHECK_EQUAL(closed_points(&r, "s4-s5"), corners);
  CHECK_NEAR(run_read(&r, "s1-s2.fn"), 9 * 9.81, 1e-6);
  if (long_form()) stack_stays(&r, 10, corners, 60);
  CHECK_LE(carom_sim_summary(r.sim).deepest_penetration, 1e-8);
  run_close(&r);
}

// Ten equal boxes exactly above each other, whose edges coincide: four points per face, and after the first step the
// percussions of the last one are accepted as they are.
static void a_plain_stack_is_solved_once(void) {
  run r;
  if (!run_open_text(&r,
                     "gravity: [0, 0, -9.81]\n"
                     "bodies: {'b{i}': {repeat: {i: [1, 10]}, mass: 8, inertia: [0.0533, 0.0533, 0.0533]}}\n"
                     "joints: {'f{i}': {repeat: {i: [1, 10]}, free: [ground, 'b{i}'], at: [0, 0, 0.2*i - 0.1]}}\n"
                     "surfaces:\n"
                     "  floor: {plane: ground, material: m}\n"
                     "  's{i}': {repeat: {i: [1, 10]}, box: 'b{i}', size: [0.2, 0.2, 0.2], material: m}\n"
                     "materials: {m: {friction: 0.5}}\n"
                     "method: {moreau: {step: 1e-3}}\nend: 0.2\n",
                     ""))
    return;
  run_to(&r, 0.01);
  long iterations = carom_sim_summary(r.sim).iterations;
  run_to(&r, 0.2);
  CHECK_EQUAL(closed_points(&r, "s4-s5"), 4);
  CHECK_NEAR(run_read(&r, "s1-s10.gap"), 1.6, 1e-12);  // far apart, and so looked at only to be shown
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  CHECK_LE(carom_sim_summary(r.sim).iterations - iterations, 200);  // 30 000 where corners come and go
  if (long_form()) stack_stays(&r, 10, 4, 60);
  CHECK_NEAR(run_read(&r, "b10.z"), 1.9, 1e-12);
  CHECK_LE(carom_sim_summary(r.sim).deepest_penetration, 1e-12);
  run_close(&r);
}

// Boxes that fall on each other from small heights, side by side by a tenth: each lands with its four corners, overlap
// is removed, nothing walks away, and then nothing moves.
static void boxes_fall_and_settle(int count) {
  run r;
  char settings[32];
  snprintf(settings, sizeof settings, "n=%d", count);
  if (!run_open_text(&r,
                     "parameters: {n: 5}\n"
                     "bodies: {'b{i}': {repeat: {i: [1, n]}, mass: 1, inertia: [0.00166, 0.00166, 0.00166]}}\n"
                     "joints: {'f{i}': {repeat: {i: [1, n]}, free: [ground, 'b{i}'], at: [0.01*sin(i), 0.01*cos(2*i), "
                     "0.102*i - 0.05]}}\n"
                     "surfaces:\n  floor: {plane: ground, material: m}\n"
                     "  's{i}': {repeat: {i: [1, n]}, box: 'b{i}', size: [0.1, 0.1, 0.1], material: m}\n"
                     "materials: {m: {friction: 0.5}}\nmethod: {moreau: {step: 1e-3}}\n",
                     settings))
    return;
  run_to(&r, 0.5);
  CHECK_LE(carom_sim_summary(r.sim).deepest_penetration,
           1e-4 * count);  // a step of the speed of the last impact, 0.27 m/s of five boxes
  double x = run_read(&r, "b%d.x", count), y = run_read(&r, "b%d.y", count), z = run_read(&r, "b%d.z", count);
  printf("    after 0.5 s the top of %d is %.1e m beside and %.1e m above its place\n", count,
         hypot(x - 0.01 * sin(count), y - 0.01 * cos(2 * count)), z - 0.1 * count + 0.05);
  CHECK_NEAR(x, 0.01 * sin(count), 1e-8);
  CHECK_NEAR(y, 0.01 * cos(2 * count), 1e-8);
  CHECK_NEAR(z, 0.1 * count - 0.05, 1e-8);
  stack_stays(&r, count, 4, long_form() ? 60.5 : 1.5);
  run_close(&r);
}

static void a_stack_that_falls_settles(void) { boxes_fall_and_settle(long_form() ? 10 : 5); }

// n bricks of length 1 stand with overhangs 1/2·(1, 1/2, 1/3, …) times 0.99, and fall with 1.01: top brick first.
static void bricks_overhang_as_statics_says(void) {
  for (int falls = 0; falls < 2; falls++) {
    run r;
    char text[2048];
    snprintf(text, sizeof text,
             "parameters: {s: %g}\n"
             "gravity: [0, 0, -9.81]\n"
             "bodies: {'b{i}': {repeat: {i: [1, 4]}, mass: 1, inertia: [0.02, 0.085, 0.1]}}\n"
             "joints:\n"
             "  f4: {free: [ground, b4], at: [s*25/24 - 0.5, 0, 0.45]}\n  f3: {free: [ground, b3], at: [s*13/24 - 0.5, "
             "0, 0.35]}\n"
             "  f2: {free: [ground, b2], at: [s*7/24 - 0.5, 0, 0.25]}\n  f1: {free: [ground, b1], at: [s/8 - 0.5, 0, "
             "0.15]}\n"
             "surfaces:\n"
             "  table: {box: ground, at: [-0.5, 0, 0.05], size: [1, 1, 0.1], material: m}\n"
             "  'b{i}': {repeat: {i: [1, 4]}, box: 'b{i}', size: [1, 0.4, 0.1], material: m}\n"
             "materials: {m: {friction: 0.5}}\n"
             "method: {moreau: {step: 1e-3}}\nend: 2\n",
             falls ? 1.01 : 0.99);
    if (!run_open_text(&r, text, "")) continue;
    double z = run_read(&r, "b4.z");
    run_to(&r, 1);
    double down = z - run_read(&r, "b4.z");
    if (falls) CHECK(down > 1e-3);
    else CHECK_LE(fabs(down), 1e-9);
    run_close(&r);
  }
}

// Without friction and loss, whatever touches: an edge on a face, two edges, a corner on a face.
static void colliding_boxes_keep_momentum_and_energy(void) {
  for (int k = 0; k < COLLIDING_TURNS; k++)
    for (int shape = 0; shape < COLLIDING_SHAPES; shape++) {
      run r;
      if (!open_colliding(&r, k, shape, "1", "{moreau: {step: 1e-4}}")) continue;
      run_to(&r, 0.8);
      close_collided(&r);
    }
}

// A box on a box that is turned by 45° tips at its outline.
static void a_box_tips_at_its_outline(void) {
  for (int tips = 0; tips < 2; tips++) {
    char text[2048];
    run r;
    snprintf(text, sizeof text,
             "gravity: [9.81*%g, 0, -9.81]\n"
             "bodies: {b: {mass: 1, inertia: [0.015, 0.015, 0.005]}}\n"
             "joints: {f: {free: [ground, b], at: [0, 0, 0.2]}}\n"
             "surfaces:\n"
             "  b: {box: b, size: [0.2, 0.2, 0.4], rotate: {axis: z, angle: 45 deg}, material: m}\n"
             "  table: {box: ground, at: [0, 0, -0.1], size: [1, 1, 0.2], material: m}\n"
             "materials: {m: {friction: 1}}\nmethod: {moreau: {step: 1e-3}}\n",
             (tips ? 1.01 : 0.99) * 0.1 * sqrt(2) / 0.2);
    if (!run_open_text(&r, text, "")) continue;
    run_to(&r, 0.5);
    if (tips) CHECK(run_read(&r, "b.x") > 1e-3);
    else CHECK_LE(fabs(run_read(&r, "b.x")), 1e-9);
    run_close(&r);
  }
}

// The hull of a regular polygon in the plane z = 0 and, above it or below, of the same one again or of a tip.
static void add_solid(char *text, size_t size, int corners, double turn, double height, bool tip) {
  const double radius = 0.1;
  size_t n = strlen(text);
  n += (size_t)snprintf(text + n, size - n, "[");
  for (int k = 0; k < corners; k++) {
    double at = turn + 2 * M_PI * k / corners, x = radius * cos(at), y = radius * sin(at);
    n += (size_t)snprintf(text + n, size - n, "[%.15g, %.15g, 0], ", x, y);
    if (!tip) n += (size_t)snprintf(text + n, size - n, "[%.15g, %.15g, %g], ", x, y, height);
  }
  snprintf(text + n, size - n, "%s]", !tip ? "" : height > 0 ? "[0, 0, 0.4]" : "[0, 0, -0.4]");
}

// A push along `way`, in the plane, of a body with the height 0.2 of its centre; `share` 1: it tips at the distance
// `edge` of its outline.
static void stands_or_tips(const char *below, const char *solid, double way, double edge, double share) {
  static char text[20000];
  run r;
  double push = 9.81 * share * edge / 0.2;
  snprintf(text, sizeof text,
           "gravity: [%.15g, %.15g, -9.81]\n"
           "bodies: {b: {mass: 1, inertia: [0.015, 0.015, 0.005]}}\n"
           "joints: {f: {free: [ground, b], at: [0, 0, 0.2]}}\n"
           "surfaces:\n  b: {hull: b, at: [0, 0, -0.2], points: %s, material: m}\n  table: {%s, material: m}\n"
           "materials: {m: {friction: 1}}\nmethod: {moreau: {step: 1e-3}}\n",
           push * cos(way), push * sin(way), solid, below);
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, 0.3);
  double moved = hypot(run_read(&r, "b.x"), run_read(&r, "b.y"));
  if (share > 1) CHECK(moved > 2e-4);
  else CHECK_LE(moved, 1e-9);
  run_close(&r);
}

// A prism of 32 sides on a box, pushed towards a corner, towards the middle of a side and elsewhere.
static void a_prism_of_many_sides_tips_at_its_outline(void) {
  char solid[8000] = "";
  add_solid(solid, sizeof solid, 32, 0, 0.4, false);
  for (int k = 0; k < 4; k++) {
    double way = (k % 2 ? 2 * k + 1 : 16 * k) * M_PI / 32, edge = k % 2 ? 0.1 * cos(M_PI / 32) : 0.1;
    stands_or_tips("box: ground, at: [0, 0, -0.1], size: [1, 1, 0.2]", solid, way, edge, 0.99);
    stands_or_tips("box: ground, at: [0, 0, -0.1], size: [1, 1, 0.2]", solid, way, edge, 1.01);
  }
}

// Two pyramids base to base, with 63 corners each, one of them turned: 126 crossings of edges are more than a pair
// keeps.
static void pyramids_of_many_sides_tip_at_their_outline(void) {
  static char solid[8000], below[8000];
  snprintf(solid, sizeof solid, "%s", ""), snprintf(below, sizeof below, "hull: ground, points: ");
  add_solid(solid, sizeof solid, 63, 0, 0.4, true);
  add_solid(below, sizeof below, 63, M_PI / 63, -0.4, true);
  double edge = 0.1 * cos(M_PI / 63);  // the outline is within 0.2 % of it in every direction
  stands_or_tips(below, solid, 2.1, edge, 0.99);
  stands_or_tips(below, solid, 2.1, edge, 1.01);
}

static void refuses(const char *method, const char *words) {
  char text[1024];
  carom_error error = {0};
  snprintf(
      text, sizeof text,
      "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {f: {free: [ground, a], at: [0, 0, 2]}}\n"
      "surfaces: {crate: {box: a, size: [1, 1, 1], material: m}, table: {box: ground, size: [1, 1, 1], material: m}}\n"
      "materials: {m: {restitution: 0.5, stiffness: 1e6}}\nmethod: %s\n",
      method);
  carom_model *model = carom_model_parse(text, "test", &error);
  CHECK(!model);
  CHECK_CONTAINS(error.text, "crate-table");
  CHECK_CONTAINS(error.text, words);
  carom_model_destroy(model);
}

static void compliant_refuses_flat_faces_without_a_foundation(void) { refuses("compliant", "'foundation'"); }

// On a plane compliant runs a box, whose law is that of a corner, and bodies without faces.
static void compliant_refuses_faces_on_a_plane(void) {
  static const struct {
    const char *surface;
    bool runs, planar;
  } cases[] = {
      {"box: a, size: [1, 1, 1]", true, false},
      {"capsule: a, radius: 0.1, length: 1", true, false},
      {"sphere: a, radius: 0.1", true, false},
      {"cylinder: a, radius: 0.1, length: 1", false, false},
      {"cone: a, radius: 0.1, height: 1", false, false},
      {"hull: a, points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]", false, false},
      {"box: a, size: [1, 1]", true, true},
      {"hull: a, points: [[0, 0], [1, 0], [0, 1]]", false, true},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[1024];
    carom_error error = {0};
    snprintf(text, sizeof text,
             "%sbodies: {a: {mass: 1, inertia: %s}}\njoints: {f: {free: [ground, a], at: %s}}\n"
             "surfaces: {crate: {%s, material: m}, floor: {plane: ground, material: m}}\n"
             "materials: {m: {restitution: 0.5, law: hunt-crossley, stiffness: 1e6}}\nmethod: compliant\n",
             cases[k].planar ? "space: planar\n" : "", cases[k].planar ? "1" : "[1, 1, 1]",
             cases[k].planar ? "[0, 2]" : "[0, 0, 2]", cases[k].surface);
    carom_model *model = carom_model_parse(text, "test", &error);
    if (!CHECK((model != NULL) == cases[k].runs)) printf("      %s\n%s\n", cases[k].surface, error.text);
    if (!cases[k].runs) CHECK_CONTAINS(error.text, "'crate-floor'");
    if (!cases[k].runs) CHECK_CONTAINS(error.text, "use method moreau or event");
    carom_model_destroy(model);
  }
}

// In the plane boxes, hulls and capsules touch by their outlines.
static void planar_boxes_rest_on_each_other(void) {
  static const char *const tops[] = {"box: b, size: [0.2, 0.2]",
                                     "hull: b, points: [[-0.1, -0.1], [0.1, -0.1], [0, 0.2]]",
                                     "capsule: b, radius: 0.1, length: 0.2"};
  for (int k = 0; k < 3; k++) {
    char text[1024];
    run r;
    snprintf(text, sizeof text,
             "space: planar\ngravity: [0, -9.81]\n"
             "bodies: {a: {mass: 1, inertia: 0.01}, b: {mass: 1, inertia: 0.01}}\n"
             "joints: {fa: {free: [ground, a], at: [0, 0.1]}, fb: {free: [ground, b], at: [0.02, 0.3]}}\n"
             "surfaces: {floor: {plane: ground, material: m}, a: {box: a, size: [0.4, 0.2], material: m}, b: {%s, "
             "material: m}}\n"
             "materials: {m: {friction: 0.5}}\nmethod: {moreau: {step: 1e-3}}\n",
             tops[k]);
    if (!run_open_text(&r, text, "")) continue;
    run_to(&r, 0.5);
    CHECK_NEAR(run_read(&r, "b.y"), 0.3, 1e-9);
    CHECK_NEAR(run_read(&r, "a-b.fn"), 9.81, 1e-6);
    run_close(&r);
  }
}

// Many points share the load of a can in more ways than one. However they do, friction at the rim of radius R brakes
// the spin at μ m g R/I until all points stop together; those of the rim lie between 0.998 R and R.
static void a_spinning_can_comes_to_rest(void) {
  run r;
  const double spin = 20, I = 0.005, brake = 0.3 * 9.81 * 0.05 / I;
  if (!run_open_text(&r,
                     "bodies: {can: {mass: 1, inertia: [0.01, 0.01, 0.005]}}\n"
                     "joints: {fly: {free: [ground, can], at: [0, 0, 0.1]}}\n"
                     "surfaces: {floor: {plane: ground, material: m}, can: {cylinder: can, radius: 0.05, length: 0.2, "
                     "material: m}}\n"
                     "materials: {m: {restitution: 0, friction: 0.3}}\n"
                     "initial: {fly: {u: [0, 0, 20, 0, 0, 0]}}\nmethod: event\n",
                     ""))
    return;
  if (CHECK(run_to(&r, 1))) {
    double half = M_PI + atan(run_read(&r, "can.qz") / run_read(&r, "can.qw"));
    CHECK_NEAR(2 * half, spin * spin / (2 * brake), 2e-3 * spin * spin / (2 * brake));
    CHECK_NEAR(run_read(&r, "fly.u2"), 0, 1e-9);
    double imbalance = run_read(&r, "energy.imbalance");  // of the integration, in its first steps
    CHECK_NEAR(imbalance, 0, 1e-5);
    CHECK_NEAR(run_read(&r, "energy.friction") - imbalance, 0.5 * I * spin * spin, 1e-9);
  }
  run_close(&r);
}

// With an activation distance bodies meet that far apart, and not where the balls around them do: cubes of 0.1 m bounce
// 0.05 m apart, 0.15 m between their origins.
static void an_activation_distance_is_that_of_the_faces(void) {
  run r;
  if (!run_open_text(&r,
                     "gravity: [0, 0, 0]\n"
                     "bodies: {a: {mass: 1, inertia: [0.01, 0.01, 0.01]}, b: {mass: 1, inertia: [0.01, 0.01, 0.01]}}\n"
                     "joints: {fa: {free: [ground, a]}, fb: {free: [ground, b], at: [0, 0, -0.4]}}\n"
                     "surfaces: {a: {box: a, size: [0.1, 0.1, 0.1], material: m}, b: {box: b, size: [0.1, 0.1, 0.1], "
                     "material: m}}\n"
                     "materials: {m: {restitution: 1}}\n"
                     "initial: {b: {velocity: [0, 0, 1]}}\n"
                     "method: {moreau: {step: 1 ms, activation: 0.05}}\n",
                     NULL))
    return;
  run_to(&r, 0.24);
  CHECK_NEAR(run_read(&r, "b.vz"), 1, 1e-12);
  run_to(&r, 0.26);
  CHECK_NEAR(run_read(&r, "b.vz"), 0, 1e-12);
  CHECK_NEAR(run_read(&r, "a.vz"), 1, 1e-12);
  run_close(&r);
}

int main(void) {
  RUN(an_activation_distance_is_that_of_the_faces);
  RUN(a_stack_rests);
  RUN(a_stack_that_falls_settles);
  RUN(a_plain_stack_is_solved_once);
  RUN(bricks_overhang_as_statics_says);
  RUN(colliding_boxes_keep_momentum_and_energy);
  RUN(a_box_tips_at_its_outline);
  RUN(a_prism_of_many_sides_tips_at_its_outline);
  RUN(pyramids_of_many_sides_tip_at_their_outline);
  RUN(compliant_refuses_flat_faces_without_a_foundation);
  RUN(compliant_refuses_faces_on_a_plane);
  RUN(planar_boxes_rest_on_each_other);
  RUN(a_spinning_can_comes_to_rest);
  RUN_LONG(a_stack_rests, 120);
  RUN_LONG(a_plain_stack_is_solved_once, 60);
  RUN_LONG(a_stack_that_falls_settles, 120);
  return check_summary();
}
