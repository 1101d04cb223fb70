// Dry masonry of polygons under moreau and event: bricks that overhang, and an arch. Each stands above the limit of
// statics and falls below it.
#include "long.h"
#include "runs.h"

#include "sim.h"

static const double pi = 3.14159265358979324;

enum { ROOM = 40000 };
static char text[ROOM];
static int used;

__attribute__((format(printf, 1, 2))) static void put(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  used += vsnprintf(text + used, (size_t)(ROOM - used), format, arguments);
  va_end(arguments);
}

static const char *method = "{moreau: {step: 1e-3}}";

static bool rests_in_few_steps(void) { return strcmp(method, "event") == 0; }

static void begin(double friction) {
  used = 0;
  put("space: planar\nmaterials: {stone: {restitution: 0, friction: %.17g}}\nmethod: %s\n", friction, method);
}

// --- bricks ----------------------------------------------------------------------------------------------------------

// From the table upwards each reaches 1/2n, ..., 1/4, 1/2 of its length beyond the one below, all times a factor.
static bool open_bricks(run *r, int count, double factor) {
  const double length = 1, height = 0.1;
  begin(0.5);
  put("bodies: {\"b{i}\": {repeat: {i: [1, %d]}, mass: 10, inertia: %.17g}}\n", count,
      10 * (length * length + height * height) / 12);
  put("joints: {\"b{i}\": {repeat: {i: [1, %d]}, free: [ground, \"b{i}\"]}}\n", count);
  put("surfaces:\n  table: {polygon: ground, points: [[-3, -1], [0, -1], [0, 0], [-3, 0]], material: stone}\n");
  put("  \"s{i}\": {repeat: {i: [1, %d]}, polygon: \"b{i}\", points: [[-0.5, -0.05], [0.5, -0.05], [0.5, 0.05], [-0.5, "
      "0.05]], material: "
      "stone}\n",
      count);
  put("initial:\n");
  double end = 0;
  for (int i = 1; i <= count; i++) {
    end += factor * length / 2 / (count - i + 1);
    put("  b%d: {q: [0, %.17g, %.17g]}\n", i, end - length / 2, height * (i - 0.5));
  }
  return run_open_text(r, text, NULL);
}

static void bricks_stand_below_the_largest_overhang(void) {
  for (int count = 4; count <= 10; count += 6) {
    run r;
    if (!open_bricks(&r, count, 0.99)) return;
    double x = run_read(&r, "b%d.x", count), y = run_read(&r, "b%d.y", count);
    run_to(&r, long_form() || rests_in_few_steps() ? 10 : 1);
    double moved = hypot(run_read(&r, "b%d.x", count) - x, run_read(&r, "b%d.y", count) - y);
    printf("    the top of %d moved by %.1e m in %g s\n", count, moved, carom_sim_time(r.sim));
    CHECK_LE(moved, rests_in_few_steps()
                        ? 1e-10
                        : 1e-12);  // rounding of the forces, 1e-14 of the weight, integrated twice over 10 s
    CHECK_LE(carom_sim_summary(r.sim).deepest_penetration, 1e-12);
    run_close(&r);
  }
}

static void bricks_fall_beyond_the_largest_overhang(void) {
  for (int count = 4; count <= 10; count += 6) {
    run r;
    if (!open_bricks(&r, count, 1.01)) return;
    double y = run_read(&r, "b%d.y", count), t = 0;
    while (t < 5 && y - run_read(&r, "b%d.y", count) < 0.1 && run_to(&r, t + 0.05)) t += 0.05;
    printf("    the top of %d was 0.1 m down after %.2f s\n", count, t);
    CHECK_LE(t, 4.99);
    run_close(&r);
  }
}

// --- an arch ---------------------------------------------------------------------------------------------------------

typedef struct stone {
  double x, y, mass, inertia;  // its mass centre
  double corners[4][2];        // about it
} stone;

static stone cut_stone(int k, int count, double thickness) {
  stone s = {0};
  double p[4][2], area = 0;
  for (int i = 0; i < 4; i++) {
    double angle = pi * (k + (i == 2 || i == 3)) / count, radius = 1 + (i == 1 || i == 2 ? 0.5 : -0.5) * thickness;
    p[i][0] = radius * cos(angle), p[i][1] = radius * sin(angle);
  }
  for (int i = 0; i < 4; i++) {
    const double *a = p[i], *b = p[(i + 1) % 4];
    double c = a[0] * b[1] - b[0] * a[1];
    area += c / 2, s.x += (a[0] + b[0]) * c / 6, s.y += (a[1] + b[1]) * c / 6;
  }
  s.x /= area, s.y /= area, s.mass = 2000 * area;
  for (int i = 0; i < 4; i++) s.corners[i][0] = p[i][0] - s.x, s.corners[i][1] = p[i][1] - s.y;
  for (int i = 0; i < 4; i++) {
    const double *a = s.corners[i], *b = s.corners[(i + 1) % 4];
    double c = a[0] * b[1] - b[0] * a[1];
    s.inertia += 2000 * c * (a[0] * a[0] + a[0] * b[0] + b[0] * b[0] + a[1] * a[1] + a[1] * b[1] + b[1] * b[1]) / 12;
  }
  return s;
}

// Semicircular, mean radius 1 m, on two fixed springers.
static bool open_arch(run *r, int count, double thickness, double friction) {
  stone s[32];
  double inner = 1 - thickness, outer = 1 + thickness;
  begin(friction);
  put("bodies:\n");
  for (int k = 0; k < count; k++) {
    s[k] = cut_stone(k, count, thickness);
    put("  b%d: {mass: %.17g, inertia: %.17g}\n", k + 1, s[k].mass, s[k].inertia);
  }
  put("joints: {\"b{i}\": {repeat: {i: [1, %d]}, free: [ground, \"b{i}\"]}}\ninitial:\n", count);
  for (int k = 0; k < count; k++) put("  b%d: {q: [0, %.17g, %.17g]}\n", k + 1, s[k].x, s[k].y);
  put("surfaces:\n  s0: {polygon: ground, points: [[%g, -0.3], [%g, -0.3], [%g, 0], [%g, 0]], material: stone}\n",
      inner, outer, outer, inner);
  put("  s%d: {polygon: ground, points: [[%g, -0.3], [%g, -0.3], [%g, 0], [%g, 0]], material: stone}\n", count + 1,
      -outer, -inner, -inner, -outer);
  for (int k = 0; k < count; k++) {
    put("  s%d: {polygon: b%d, material: stone, points: [", k + 1, k + 1);
    for (int i = 0; i < 4; i++) put("%s[%.17g, %.17g]", i ? ", " : "", s[k].corners[i][0], s[k].corners[i][1]);
    put("]}\n");
  }
  put("contacts: {\"joint{i}\": {repeat: {i: [0, %d]}, between: [\"s{i}\", \"s{i+1}\"]}}\n", count);
  return run_open_text(r, text, NULL);
}

// The largest gap of a joint.
static double widest_joint(run *r, int count) {
  double widest = 0;
  for (int k = 0; k <= count; k++) widest = fmax(widest, run_read(r, "joint%d.gap", k));
  return widest;
}

// The critical thickness, from linear programming over the joints' end points.
static const struct {
  int stones;
  double thickness;
} critical[] = {{9, 0.101525}, {21, 0.106695}};

static void an_arch_stands_above_its_critical_thickness(void) {
  for (int k = 0; k < 2; k++) {
    run r;
    const int count = critical[k].stones, crown = (count + 1) / 2;
    if (!open_arch(&r, count, 1.02 * critical[k].thickness, 1)) return;
    double y = run_read(&r, "b%d.y", crown), widest = 0;
    for (int i = 1; i <= (long_form() || rests_in_few_steps() ? 500 : 20); i++) {
      if (!run_to(&r, 0.02 * i)) break;
      widest = fmax(widest, widest_joint(&r, count));
    }
    double moved = fabs(run_read(&r, "b%d.y", crown) - y);
    printf("    joints of %d stones open by at most %.1e m, the crown moved by %.1e m in %g s\n", count, widest, moved,
           carom_sim_time(r.sim));
    CHECK_LE(widest, 1e-12);
    CHECK_LE(moved, 1e-12);
    run_close(&r);
  }
}

static void an_arch_falls_below_its_critical_thickness(void) {
  for (int k = 0; k < 2; k++) {
    run r;
    const int count = critical[k].stones, crown = (count + 1) / 2;
    if (!open_arch(&r, count, 0.98 * critical[k].thickness, 1)) return;
    double y = run_read(&r, "b%d.y", crown), t = 0;
    while (t < 3 && y - run_read(&r, "b%d.y", crown) < 0.5 && run_to(&r, t + 0.05)) t += 0.05;
    printf("    the crown of %d stones was 0.5 m down after %.2f s\n", count, t);
    CHECK_LE(t, 2.99);
    run_close(&r);
  }
}

// At a thickness of 0.2 it needs a friction of 0.308988: below that the stones slide.
static void an_arch_slides_below_its_critical_friction(void) {
  for (int slides = 0; slides < 2; slides++) {
    run r;
    if (!open_arch(&r, 9, 0.2, slides ? 0.300 : 0.315)) return;
    double y = run_read(&r, "b5.y");
    run_to(&r, long_form() ? (slides ? 3 : 10) : !slides && rests_in_few_steps() ? 10 : 0.4);
    double moved = fabs(run_read(&r, "b5.y") - y);
    printf("    friction %g: the crown moved by %.1e m in %g s\n", slides ? 0.300 : 0.315, moved,
           carom_sim_time(r.sim));
    if (slides) CHECK(moved > (long_form() ? 0.01 : 1e-4));
    else CHECK_LE(moved, 1e-12);
    run_close(&r);
  }
}

int main(void) {
  RUN(bricks_stand_below_the_largest_overhang);
  RUN(bricks_fall_beyond_the_largest_overhang);
  RUN(an_arch_stands_above_its_critical_thickness);
  RUN(an_arch_falls_below_its_critical_thickness);
  RUN(an_arch_slides_below_its_critical_friction);
  RUN_LONG(bricks_stand_below_the_largest_overhang, 60);
  RUN_LONG(bricks_fall_beyond_the_largest_overhang, 60);
  RUN_LONG(an_arch_stands_above_its_critical_thickness, 120);
  RUN_LONG(an_arch_falls_below_its_critical_thickness, 60);
  RUN_LONG(an_arch_slides_below_its_critical_friction, 60);
  method = "event";
  RUN(bricks_stand_below_the_largest_overhang);
  RUN(bricks_fall_beyond_the_largest_overhang);
  RUN(an_arch_stands_above_its_critical_thickness);
  RUN(an_arch_falls_below_its_critical_thickness);
  RUN(an_arch_slides_below_its_critical_friction);
  return check_summary();
}
