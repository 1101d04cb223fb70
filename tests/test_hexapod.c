// The hexapod of models/hexapod-flat.yaml and models/hexapod-stairs.yaml, and its plans by scripts/hexapod.
#include "long.h"
#include "runs.h"

#include "sim.h"

enum { LEGS = 6 };

static const double degree = 0.017453292519943295;

// --- the plan --------------------------------------------------------------------------------------------------------

static bool next_number(const char **at, double *value) {
  char *end;
  *value = strtod(*at, &end);
  const bool found = end != *at;
  *at = *end == ',' ? end + 1 : end;
  return found;
}

// Two tables agree in all text up to a unit in the last of seven decimals, which the C library may round otherwise.
static void check_same_table(const char *a, const char *b) {
  FILE *first = fopen(a, "r"), *second = fopen(b, "r");
  char line[2][1024];
  int rows = 0;
  while (CHECK(first && second)) {
    const bool more = fgets(line[0], sizeof line[0], first), other = fgets(line[1], sizeof line[1], second);
    if (!CHECK_EQUAL(more, other) || !more) break;
    rows++;
    if (!strchr("0123456789", line[0][0])) {
      CHECK_TEXT(line[0], line[1]);
      continue;
    }
    const char *at[2] = {line[0], line[1]};
    double x, y;
    bool same = true;
    while (next_number(&at[0], &x)) same &= next_number(&at[1], &y) && fabs(x - y) < 1.5e-7;
    if (!CHECK(same)) {
      printf("      %s, line %d differs from what scripts/hexapod writes: run it\n", b, rows);
      break;
    }
  }
  CHECK_LE(100, rows);
  if (first) fclose(first);
  if (second) fclose(second);
}

static void tables_are_those_of_the_script(void) {
  char command[8192];
  if (system("python3 -c 1 2>/dev/null")) SKIP("there is no python3");
  snprintf(command, sizeof command, "%s/scripts/hexapod '%s'", CHECK_SOURCE_DIR, check_scratch_dir());
  if (!CHECK_EQUAL(system(command), 0)) return;
  check_same_table(scratch("hexapod-flat.csv"), CHECK_SOURCE_DIR "/models/hexapod-flat.csv");
  check_same_table(scratch("hexapod-stairs.csv"), CHECK_SOURCE_DIR "/models/hexapod-stairs.csv");
}

// --- what a walk did -------------------------------------------------------------------------------------------------

// The stairs of models/hexapod-stairs.yaml; on the floor there are none.
static const double RISE = 0.085, TREAD = 0.145, FOOT = 0.025, STIFFNESS = 2e7;
enum { RISES = 6 };

typedef struct stance {
  double least, most;    // sideways, of the foot
  double radius, swing;  // from the axis of the hip to the foot, and the largest angle of the hip
  bool stands;
} stance;

typedef struct walk {
  bool stairs, stepped;  // stepped: under a time stepper
  stance foot[LEGS];
  double begin, x, y, z;       // of the body: x at the start, its place at the end
  double roll, pitch, yaw;     // the largest [rad]
  double touch_speed;          // the largest speed at which a foot reaches the ground
  double slip_mean;            // sideways range of feet over r (1 - cos φ), mean over all stances
  double slip_excess;          // largest of range - 2 r (1 - cos φ): this foot may slip for its opposite one, too
  double edge;                 // the least distance of a foot that lands from an edge or a riser
  double load, torque, force;  // the largest load of a foot, and of the drives of the left front leg
  int stances;
  double drive_work;
  carom_summary summary;
} walk;

static void note_attitude(run *r, walk *w) {
  const double a = run_read(r, "body.qw"), b = run_read(r, "body.qx"), c = run_read(r, "body.qy"),
               d = run_read(r, "body.qz");
  w->roll = fmax(w->roll, fabs(atan2(2 * (a * b + c * d), 1 - 2 * (b * b + c * c))));
  w->pitch = fmax(w->pitch, fabs(asin(2 * (a * c - b * d))));
  w->yaw = fmax(w->yaw, fabs(atan2(2 * (a * d + b * c), 1 - 2 * (c * c + d * d))));
}

// To the time t, 10 ms on. Of a time stepper the means over these, because a step may answer for an impact; its steps
// take 1 ms.
static bool advance(run *r, double t, walk *w) {
  const int parts = w->stepped ? 10 : 1;
  double torque = 0, force = 0;
  for (int k = parts - 1; k >= 0; k--) {
    if (!run_to(r, t - 1e-3 * k)) return false;
    torque += run_read(r, "swing1.effort") / parts;
    force += run_read(r, "lift1.effort") / parts;
  }
  w->torque = fmax(w->torque, fabs(torque)), w->force = fmax(w->force, fabs(force));
  return true;
}

// How far a foot that turns about its hip moves sideways, from the middle of its swing to the end.
static double arc_of(const stance *s) { return s->radius * (1 - cos(s->swing)); }

static void end_stance(stance *s, walk *w) {
  if (s->stands) {
    const double arc = arc_of(s), range = s->most - s->least;
    w->slip_excess = fmax(w->slip_excess, range - 2 * arc);
    w->slip_mean += range / arc;
    w->stances++;
  }
  s->stands = false;
}

// Of a foot and the ground below it: the gap, and the load.
static void read_ground(run *r, const walk *w, int leg, double *gap, double *load) {
  *gap = run_read(r, "floor-foot%d.gap", leg), *load = run_read(r, "floor-foot%d.fn", leg);
  for (int k = 1; w->stairs && k <= RISES; k++) {
    char name[32];
    if (k < RISES) snprintf(name, sizeof name, "step%d-foot%d", k, leg);
    else snprintf(name, sizeof name, "landing-foot%d", leg);
    *gap = fmin(*gap, run_read(r, "%s.gap", name));
    *load += run_read(r, "%s.fn", name);
  }
}

static double distance_from_edge(const walk *w, double x) {
  const double place = x / TREAD - 0.5;  // risers are at whole numbers
  const double nearest = fmin(fmax(round(place), 0), RISES - 1);
  return w->stairs ? fabs(place - nearest) * TREAD : INFINITY;
}

// A foot stands from where it touches to where it is a millimetre above the ground.
static void note_foot(run *r, int leg, stance *s, walk *w) {
  double gap, load;
  const double x = run_read(r, "foot%d.x", leg), y = run_read(r, "foot%d.y", leg), z = run_read(r, "foot%d.z", leg);
  read_ground(r, w, leg, &gap, &load);
  w->load = fmax(w->load, load);
  if (gap > 1e-3) {
    end_stance(s, w);
    return;
  }
  if (!s->stands) {
    *s = (stance){.least = y, .most = y, .stands = true};
    w->edge = fmin(w->edge, distance_from_edge(w, x));
  }
  const double dx = x - run_read(r, "hip%d.x", leg), dy = y - run_read(r, "hip%d.y", leg),
               dz = z - run_read(r, "hip%d.z", leg);
  s->least = fmin(s->least, y), s->most = fmax(s->most, y);
  s->swing = fmax(s->swing, fabs(run_read(r, "hip%d.q", leg)));
  const double pitch =
      -asin(2 * (run_read(r, "body.qw") * run_read(r, "body.qy") - run_read(r, "body.qx") * run_read(r, "body.qz")));
  s->radius = fmax(s->radius, hypot(dx * cos(pitch) + dz * sin(pitch), dy));
}

static void note_touch(void *context, const impact *i) {
  double *speed = context;
  *speed = fmax(*speed, i->approach_speed);
}

static bool walk_along(run *r, double end, bool stepped, walk *w) {
  *w = (walk){.slip_excess = -1,
              .edge = INFINITY,
              .stairs = carom_model_signal(r->model, "step1-foot1.gap") >= 0,
              .begin = run_read(r, "body.x"),
              .stepped = stepped};
  r->sim->impacts.close = note_touch, r->sim->impacts.context = &w->touch_speed;
  for (int k = 1; k <= lround(end / 0.01); k++) {
    if (!advance(r, 0.01 * k, w)) return false;
    note_attitude(r, w);
    for (int leg = 1; leg <= LEGS; leg++) note_foot(r, leg, &w->foot[leg - 1], w);
  }
  for (int leg = 0; leg < LEGS; leg++) end_stance(&w->foot[leg], w);
  w->slip_mean /= w->stances;
  w->x = run_read(r, "body.x"), w->y = run_read(r, "body.y"), w->z = run_read(r, "body.z");
  w->drive_work = run_read(r, "energy.drive");
  w->summary = carom_sim_summary(r->sim);
  return true;
}

static void print_walk(const walk *w) {
  printf(
      "    at %.3f, %.4f, %.3f m; roll %.3f, pitch %.2f, yaw %.2f deg; touches at %.3f m/s; slip %.2f r(1 - cos), %.1f "
      "mm beyond two arcs\n",
      w->x, w->y, w->z, w->roll / degree, w->pitch / degree, w->yaw / degree, w->touch_speed, w->slip_mean,
      1e3 * w->slip_excess);
  printf(
      "    load %.0f N, torque %.1f N m, force %.0f N, work %.2f J, energy error %.1e, penetration %.2e m, %.1f mm "
      "from edges\n",
      w->load, w->torque, w->force, w->drive_work, w->summary.energy_imbalance, w->summary.deepest_penetration,
      1e3 * w->edge);
}

static void check_at_rest(run *r, double speed) {
  static const char *const speeds[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  for (int k = 0; k < 6; k++) CHECK_NEAR(run_read(r, "body.%s", speeds[k]), 0, speed);
}

// What both walks promise under every method: with `whole`, of a walk to its end.
static void check_walk(const walk *w, bool whole) {
  CHECK_LE(w->touch_speed, 0.1);
  CHECK_LE(w->yaw, 3 * degree);
  CHECK_LE(w->slip_excess, 3e-3);
  CHECK_LE(FOOT, w->edge);
  CHECK_EQUAL(w->summary.unsolved + w->summary.too_deep + w->summary.step_too_large + w->summary.projection_failures +
                  w->summary.inconsistent + w->summary.indeterminate + w->summary.energy_gains + w->summary.non_finite +
                  w->summary.unbalanced + w->summary.chatters,
              0);
  if (!whole) return;
  CHECK_LE(6 * 5, w->stances);
  CHECK_LE(0.5, w->slip_mean);
  CHECK_LE(w->slip_mean, 2);
  CHECK_LE(fabs(w->y), 0.03 * (w->x - w->begin));
}

static void check_flat(const walk *w, bool whole) {
  check_walk(w, whole);
  CHECK_LE(w->roll, 2 * degree);
  CHECK_LE(w->pitch, 2 * degree);
  if (!whole) return;
  CHECK_LE(1.5, w->x - w->begin);
}

// On the landing: as high above it as above the floor at the start.
static void check_stairs(const walk *w, bool whole) {
  check_walk(w, whole);
  if (!whole) return;
  CHECK_NEAR(w->pitch, atan2(RISE, TREAD), 1 * degree);
  CHECK_NEAR(w->z, 0.2097 + RISES * RISE, 1e-3);
}

// All six feet stand on the landing, or, of a rigid one that the others hold up, a hair's breadth above it.
static void check_on_landing(run *r) {
  for (int leg = 1; leg <= LEGS; leg++) {
    CHECK_LE(run_read(r, "landing-foot%d.gap", leg), 1e-4);
    CHECK_LE((RISES - 0.5) * TREAD + FOOT, run_read(r, "foot%d.x", leg));
  }
}

// As in figure 5 of the paper.
static void check_harder(const walk *flat, const walk *stairs) {
  CHECK_LE(flat->torque, stairs->torque);
  CHECK_LE(flat->force, stairs->force);
}

static const char *const models[] = {"hexapod-flat", "hexapod-stairs"};
static const char compliant[] = "method=compliant";

static bool take_walk(int model, const char *settings, double part, walk *w) {
  run r;
  if (!run_open(&r, models[model], settings)) return false;
  const carom_model_info about = carom_model_get_info(r.model);
  CHECK_LE(18, about.redundant_rows);
  check_at_rest(&r, 1e-3);
  const bool done = walk_along(&r, part * about.end, !settings, w);
  // Under compliant it settles slowly; a rigid one stands.
  if (done && part == 1) check_at_rest(&r, settings ? 1e-3 : 1e-9);
  if (done && part == 1 && w->stairs) check_on_landing(&r);
  if (done) print_walk(w);
  run_close(&r);
  return done;
}

static void walks_and_climbs_under_moreau(void) {
  walk w[2];
  for (int k = 0; k < 2; k++) {
    if (!take_walk(k, NULL, 1, &w[k])) return;
    CHECK_LE(w[k].summary.deepest_penetration, 2e-4);
    CHECK_LE(fabs(w[k].summary.energy_imbalance), 0.01);
  }
  check_flat(&w[0], true);
  check_stairs(&w[1], true);
  check_harder(&w[0], &w[1]);
}

// The deepest penetration is that of the largest load, (F/K)^(2/3), within a factor of two; feet touch more softly than
// that.
static void check_compliance(const walk *w) {
  const double expected = pow(w->load / STIFFNESS, 2.0 / 3);
  CHECK_LE(w->summary.worst_initial_penetration, w->summary.penetration_bound);
  CHECK_LE(0.5 * expected, w->summary.deepest_penetration);
  CHECK_LE(w->summary.deepest_penetration, 2 * expected);
  CHECK_LE(fabs(w->summary.energy_imbalance), 1e-4);
}

// The material of models/parts/hexapod.yaml at the largest speed of touchdown that is allowed. Without weight the ball
// keeps its speed after the bounce.
static void feet_hardly_bounce(void) {
  run r;
  char text[1024];
  snprintf(
      text, sizeof text,
      "gravity: [0, 0, 0]\n"
      "bodies: {foot: {mass: 5, inertia: [0.01, 0.01, 0.01]}}\n"
      "joints: {fly: {free: [ground, foot], at: [0, 0, %g + 1e-4]}}\n"
      "surfaces: {foot: {sphere: foot, radius: %g, material: rubber}, floor: {plane: ground, material: rubber}}\n"
      "materials: {rubber: {friction: 0.7, restitution: 0.05, restitution_is: achieved, law: flores, stiffness: %g}}\n"
      "initial: {foot: {velocity: [0, 0, -0.1]}}\n"
      "method: compliant\n",
      FOOT, FOOT, STIFFNESS);
  if (!run_open_text(&r, text, NULL)) return;
  if (run_to(&r, 1)) {
    CHECK_LE(0, run_read(&r, "foot.vz"));
    CHECK_LE(run_read(&r, "foot.vz"), 0.1 * 0.1);
  }
  run_close(&r);
}

static void compliant_feet_walk_as_rigid_ones(void) {
  const double part = long_form() ? 1 : 0.25;
  walk soft[2], rigid;
  for (int k = 0; k < 2; k++) {
    if (!take_walk(k, compliant, part, &soft[k]) || !take_walk(k, NULL, part, &rigid)) return;
    check_compliance(&soft[k]);
    CHECK_NEAR(soft[k].drive_work, rigid.drive_work, 0.1 * rigid.drive_work);
    CHECK_LE(hypot(hypot(soft[k].x - rigid.x, soft[k].y - rigid.y), soft[k].z - rigid.z), 0.05);
  }
  check_flat(&soft[0], part == 1);
  check_stairs(&soft[1], part == 1);
  if (part == 1) check_harder(&soft[0], &soft[1]);
}

int main(void) {
  RUN(tables_are_those_of_the_script);
  RUN(walks_and_climbs_under_moreau);
  RUN(feet_hardly_bounce);
  RUN(compliant_feet_walk_as_rigid_ones);
  RUN_LONG(compliant_feet_walk_as_rigid_ones, 240);
  return check_summary();
}
