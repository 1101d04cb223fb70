// The walking hexapod of models/hexapod-flat.yaml and its plan by scripts/hexapod.
#include "long.h"
#include "runs.h"

enum { LEGS = 6, MOST_STANCES = 32 };

// --- the plan
// ---------------------------------------------------------------------------------------------------------

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
}

// --- what a walk did
// ----------------------------------------------------------------------------------------------------

typedef struct stance {
  double least, most;    // sideways, of the foot
  double radius, swing;  // from the axis of the hip to the foot, and the largest angle of the hip
  bool stands;
} stance;

typedef struct walk {
  double x, y;              // of the body, at the end
  double roll, pitch, yaw;  // the largest [rad]
  double touch_speed;       // the largest speed at which a foot reaches the ground
  double slip_mean;         // sideways range of feet over r (1 - cos φ), mean over all stances
  double slip_excess;       // largest of range - 2 r (1 - cos φ)
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

static void end_stance(stance *s, walk *w) {
  if (s->stands) {
    const double arc = s->radius * (1 - cos(s->swing)), range = s->most - s->least;
    w->slip_excess = fmax(w->slip_excess, range - 2 * arc);
    w->slip_mean += range / arc;
    w->stances++;
  }
  s->stands = false;
}

// A foot stands from where it touches to where it is a millimetre above the ground.
static void note_foot(run *r, int leg, stance *s, walk *w) {
  const double gap = run_read(r, "floor-foot%d.gap", leg), y = run_read(r, "foot%d.y", leg);
  if (gap > 1e-3) {
    end_stance(s, w);
    return;
  }
  if (!s->stands) *s = (stance){.least = y, .most = y, .stands = true};
  s->least = fmin(s->least, y), s->most = fmax(s->most, y);
  s->swing = fmax(s->swing, fabs(run_read(r, "hip%d.q", leg)));
  s->radius = fmax(
      s->radius, hypot(run_read(r, "foot%d.x", leg) - run_read(r, "hip%d.x", leg), y - run_read(r, "hip%d.y", leg)));
}

// The speed of the last sample before the foot touches.
static void note_touch(run *r, int leg, double *gap, double *speed, walk *w) {
  const double now = run_read(r, "floor-foot%d.gap", leg);
  if (*gap > 1e-7 && now <= 1e-7) w->touch_speed = fmax(w->touch_speed, *speed);
  *gap = now, *speed = -run_read(r, "foot%d.vz", leg);
}

static bool walk_along(run *r, double end, walk *w) {
  stance stances[LEGS] = {0};
  double gap[LEGS] = {0}, speed[LEGS] = {0};
  *w = (walk){.slip_excess = -1};
  for (int k = 1; k <= lround(end / 1e-3); k++) {
    if (!run_to(r, 1e-3 * k)) return false;
    for (int leg = 1; leg <= LEGS; leg++) note_touch(r, leg, &gap[leg - 1], &speed[leg - 1], w);
    if (k % 10) continue;
    note_attitude(r, w);
    for (int leg = 1; leg <= LEGS; leg++) note_foot(r, leg, &stances[leg - 1], w);
  }
  for (int leg = 0; leg < LEGS; leg++) end_stance(&stances[leg], w);
  w->slip_mean /= w->stances;
  w->x = run_read(r, "body.x"), w->y = run_read(r, "body.y");
  w->drive_work = run_read(r, "energy.drive");
  w->summary = carom_sim_summary(r->sim);
  return true;
}

static void check_at_rest(run *r) {
  static const char *const speeds[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  for (int k = 0; k < 6; k++) CHECK_NEAR(run_read(r, "body.%s", speeds[k]), 0, 1e-3);
}

static void walks_on_a_floor(void) {
  const double degree = acos(-1) / 180;
  run r;
  walk w;
  if (!run_open(&r, "hexapod-flat", NULL)) return;
  const carom_model_info about = carom_model_get_info(r.model);
  CHECK_LE(18, about.redundant_rows);
  check_at_rest(&r);
  if (walk_along(&r, about.end, &w)) {
    check_at_rest(&r);
    CHECK_LE(1.5, w.x);
    CHECK_LE(fabs(w.y), 0.03 * w.x);
    CHECK_LE(w.roll, 2 * degree);
    CHECK_LE(w.pitch, 2 * degree);
    CHECK_LE(w.yaw, 3 * degree);
    CHECK_LE(w.touch_speed, 0.1);
    CHECK_LE(6 * 5, w.stances);
    CHECK_LE(w.slip_excess, 3e-3);
    CHECK_LE(0.5, w.slip_mean);
    CHECK_LE(w.slip_mean, 2);
    CHECK_LE(w.summary.deepest_penetration, 2e-4);
    CHECK_LE(fabs(w.summary.energy_imbalance), 0.01);
    CHECK_EQUAL(w.summary.unsolved, 0);
    printf(
        "    %.3f m ahead, %.1f mm aside; roll %.3f, pitch %.3f, yaw %.2f deg; touches at %.3f m/s; slip %.2f r(1 - "
        "cos), %.1f mm beyond 2 r(1 - cos)\n",
        w.x, 1e3 * w.y, w.roll / degree, w.pitch / degree, w.yaw / degree, w.touch_speed, w.slip_mean,
        1e3 * w.slip_excess);
  }
  run_close(&r);
}

int main(void) {
  RUN(tables_are_those_of_the_script);
  RUN(walks_on_a_floor);
  return check_summary();
}
