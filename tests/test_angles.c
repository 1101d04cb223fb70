// Body-fixed angles x, y, z (Euler 1-2-3) of joints with a quaternion: at the start, as signals and in C.
#include "runs.h"

#define PI 3.141592653589793

#define TWO                                                                        \
  "space: spatial\ngravity: [0, 0, 0]\n"                                           \
  "bodies: {a: {mass: 1, inertia: [1, 2, 3]}, b: {mass: 1, inertia: [1, 2, 3]}}\n" \
  "joints: {base: {free: [ground, a]}, ball: {spherical: [a, b]}}\n"

static void joints_start_at_angles(void) {
  static const char *const how[] = {"coordinates=joint", "coordinates=absolute"};
  for (int k = 0; k < 2; k++) {
    run r;
    if (!run_open_text(&r,
                       TWO "initial: {base: {rotate: {xyz: [10 deg, -80 deg, 170 deg]}, at: [1, 2 mm, 3]}, ball: "
                           "{rotate: {xyz: [2, 0.5, -1]}, u: [1, 0, 0]}}\n",
                       how[k]))
      return;
    double base[3] = {10 * PI / 180, -80 * PI / 180, 170 * PI / 180}, ball[3] = {2, 0.5, -1};
    for (int i = 0; i < 3; i++) {
      CHECK_NEAR(run_read(&r, "base.xyz%d", i), base[i], 1e-14);  // rounding of a matrix, over cos 80°
      CHECK_NEAR(run_read(&r, "ball.xyz%d", i), ball[i], 1e-14);
    }
    CHECK_NEAR(run_read(&r, "base.q4"), 1, 1e-15);
    CHECK_NEAR(run_read(&r, "base.q5"), 0.002, 1e-15);
    CHECK_NEAR(run_read(&r, "ball.u0"), 1, 1e-14);
    CHECK_TEXT(carom_model_signal_unit(r.model, carom_model_signal(r.model, "ball.xyz2")), "rad");
    run_close(&r);
  }
}

// The three turns one after the other, each about an axis of the body, by markers that stand still.
static void angles_are_turns_about_axes_of_the_body(void) {
  run r;
  if (!run_open_text(
          &r, TWO "markers: {tip: {on: a, at: [1, 0, 0]}}\ninitial: {base: {rotate: {xyz: [0.3, 0.5, 0.7]}}}\n", NULL))
    return;
  // X(0.3) Y(0.5) Z(0.7) applied to the x axis
  double x = cos(0.7), y = sin(0.7), x2 = cos(0.5) * x, z2 = -sin(0.5) * x;
  CHECK_NEAR(run_read(&r, "tip.x"), x2, 1e-15);
  CHECK_NEAR(run_read(&r, "tip.y"), cos(0.3) * y - sin(0.3) * z2, 1e-15);
  CHECK_NEAR(run_read(&r, "tip.z"), sin(0.3) * y + cos(0.3) * z2, 1e-15);
  run_close(&r);
}

// q and -q, and all angles but the two where only a sum or a difference exists.
static void quaternions_and_angles_go_back_and_forth(void) {
  double worst = 0;
  for (int i = 0; i < 2000; i++) {
    double xyz[3] = {fmod(2.3 * i, 2 * PI) - PI, (fmod(0.37 * i, 2) - 1) * 0.499999 * PI, fmod(1.7 * i, 2 * PI) - PI},
           q[4], back[3];
    carom_quaternion_from_xyz(xyz, q);
    for (int k = 0; k < 4; k++) q[k] *= i % 2 ? 1 : -3;
    carom_quaternion_to_xyz(q, back);
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(xyz[k] - back[k]) * cos(xyz[1]));
  }
  CHECK_NEAR(worst, 0, 4e-15);
}

static void at_90_degrees_the_turn_is_kept(void) {
  for (int side = -1; side <= 1; side += 2)
    for (int i = 0; i < 50; i++) {
      double xyz[3] = {0.11 * i, side * PI / 2, 0.3}, q[4], back[3], again[4];
      carom_quaternion_from_xyz(xyz, q);
      carom_quaternion_to_xyz(q, back);
      CHECK(back[0] == 0);
      CHECK_NEAR(back[1], side * PI / 2, 2e-8);  // a sine of nearly one: the square root of the rounding
      CHECK_NEAR(remainder(back[2] - (xyz[2] + side * xyz[0]), 2 * PI), 0, 1e-14);
      carom_quaternion_from_xyz(back, again);
      double same = 0;
      for (int k = 0; k < 4; k++) same += q[k] * again[k];
      CHECK_NEAR(fabs(same), 1, 1e-14);
    }
}

static void a_program_gives_angles(void) {
  carom_error error = {0};
  carom_model_def about = carom_model_default(CAROM_SPATIAL);
  carom_def *def = carom_def_create(&about);
  carom_body_def body = carom_body_default();
  body.mass = 1, body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
  carom_joint_def joint = carom_joint_default();
  joint.between[0] = "ground", joint.between[1] = "a";
  double at[3] = {4, 5, 6}, xyz[3] = {1, -0.4, 2.5};
  carom_initial_def start = {.at = {at, 3}};
  carom_quaternion_from_xyz(xyz, start.rotate);
  carom_def_body(def, "a", &body);
  carom_def_joint(def, "base", "free", &joint);
  carom_def_initial(def, "base", &start);
  run r = {.model = carom_model_compile(def, &error)};
  r.sim = r.model ? carom_sim_create(r.model, &error) : NULL;
  if (CHECK(r.sim)) {
    for (int k = 0; k < 3; k++) CHECK_NEAR(run_read(&r, "base.xyz%d", k), xyz[k], 1e-14);
    CHECK_NEAR(run_read(&r, "a.z"), 6, 1e-15);
  } else {
    printf("      %s\n", error.text);
  }
  run_close(&r);
  carom_def_destroy(def);
}

// Angles are a signal like others; a record has them where an output names them.
static void outputs_have_angles(void) {
  carom_error error = {0};
  size_t size;
  if (!CHECK(write_text(
          scratch("model.yaml"), TWO
          "initial: {ball: {rotate: {xyz: [0, 0, 0.5]}, u: [0, 0, 1]}}\noutputs: {yaw: ball.xyz2, roll: base.xyz0*2}\n"
          "record: {every: 0.1}\nend: 0.2\n")))
    return;
  carom_model *model = example_load_path(scratch("model.yaml"), NULL, &error);
  carom_run_options to = {.csv = scratch("angles.csv")};
  if (CHECK(model) && CHECK(carom_run(model, &to, NULL, &error) == CAROM_OK)) {
    char *text = read_file(scratch("angles.csv"), &size);
    CHECK_CONTAINS(text, "yaw");
    CHECK(text && !strstr(text, "ball.xyz2"));
    free(text);
  }
  carom_model_destroy(model);
}

static void wrong_forms_are_refused(void) {
  static const struct {
    const char *initial, *said;
  } wrong[] = {
      {"base: {q: [1, 0, 0, 0, 0, 0, 0], rotate: {xyz: [0, 0, 0]}}", "'base' has both 'q' and 'rotate'"},
      {"base: {guess: [1, 0, 0, 0, 0, 0, 0], at: [0, 0, 0]}", "'base' has both 'guess' and 'at'"},
      {"ball: {at: [0, 0, 0]}", "'at' for free ones; give 'q' of 'ball'"},
      {"base: {at: [0, 0]}", "'at' of 'base' takes 3 numbers, not 2"},
      {"base: {at: [0, 0, 1 rad]}", "a length"},
      {"base: {rotate: {xyz: [0, 0]}}", "'rotate'"},
      {"base: {rotate: {quaternion: [0, 0, 0, 0]}}", "must not be zero"},
      {"base: {xyz: [0, 0, 0]}", "rotate: {xyz: [a, b, c]} for angles"},
      {"a: {rotate: {xyz: [0, 0, 0]}}", "there is no joint 'a'"},
  };
  char text[1024];
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    run r;
    snprintf(text, sizeof text, "%sinitial: {%s}\n", TWO, wrong[i].initial);
    CHECK(write_text(scratch("model.yaml"), text));
    CHECK(!run_try(&r, scratch("model.yaml"), NULL));
    CHECK_CONTAINS(r.error.text, wrong[i].said);
    run_close(&r);
  }
  run r;
  CHECK(write_text(scratch("model.yaml"),
                   "space: planar\nbodies: {a: {mass: 1, inertia: 1}}\njoints: {base: {free: [ground, a]}}\ninitial: "
                   "{base: {rotate: 30 deg}}\n"));
  CHECK(!run_try(&r, scratch("model.yaml"), NULL));
  CHECK_CONTAINS(r.error.text, "in this order: angle, x, y");
  run_close(&r);
}

int main(void) {
  RUN(joints_start_at_angles);
  RUN(angles_are_turns_about_axes_of_the_body);
  RUN(quaternions_and_angles_go_back_and_forth);
  RUN(at_90_degrees_the_turn_is_kept);
  RUN(a_program_gives_angles);
  RUN(outputs_have_angles);
  RUN(wrong_forms_are_refused);
  return check_summary();
}
