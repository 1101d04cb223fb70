// Which point of an element stands for which place of contact, where places come and go.
#include "runs.h"

#include "contact/pairs.h"
#include "contact/state.h"
#include "sim.h"

// --- points and places -----------------------------------------------------------------------------------------------

enum { POINTS = 4 };

// The places of the element under test: the first part of the feature of each; the second tells the one it may have
// moved to.
static int place_count, places[POINTS][2];

static int list_places(const mechanism *m, const motion *x, const contact_element *e, contact_touch *to) {
  (void)m, (void)x, (void)e;
  for (int i = 0; i < place_count; i++)
    to[i] = (contact_touch){.feature = {{places[i][0], places[i][1], 0}}, .gap = places[i][0], .n = {0, 1, 0}};
  return place_count;
}

static bool moves_on(const contact_feature *vanished, const contact_feature *place) {
  return vanished->part[0] == place->part[0];
}

static const contact_type type = {.name = "test", .touches = list_places, .continues = moves_on};

typedef struct subject {
  run r;
  contact_element e;
  contact_feature held[POINTS];
  contact_point points[POINTS];
} subject;

static bool open_subject(subject *s) {
  if (!run_open_text(
          &s->r, "space: planar\nbodies: {a: {mass: 1, inertia: 1}}\njoints: {f: {free: [ground, a]}}\nend: 1\n", ""))
    return false;
  s->e = (contact_element){.name = "test", .type = &type, .point_count = POINTS};
  for (int k = 0; k < POINTS; k++) s->held[k] = CONTACT_NO_FEATURE;
  return true;
}

// Finds the places again and remembers them.
static void find_again(subject *s) {
  contact_feature now[POINTS];
  contact_place_touches(&s->r.model->m, s->r.sim->x, &s->e, s->held, NULL, now, s->points);
  memcpy(s->held, now, sizeof now);
}

// The point that stands for a place, -1: none.
static int point_of(const subject *s, int feature) {
  for (int k = 0; k < POINTS; k++)
    if (!s->points[k].absent && s->points[k].gap == feature) return k;
  return -1;
}

static void a_place_keeps_its_point(void) {
  subject s;
  if (!open_subject(&s)) return;
  place_count = 3, places[0][0] = 7, places[1][0] = 3, places[2][0] = 5;
  find_again(&s);
  CHECK_EQUAL(point_of(&s, 3), 0);  // in the order of features, not in that of the list
  CHECK_EQUAL(point_of(&s, 5), 1);
  CHECK_EQUAL(point_of(&s, 7), 2);
  CHECK(s.points[3].absent && isinf(s.points[3].gap));
  place_count = 2, places[0][0] = 7, places[1][0] = 5;
  find_again(&s);
  CHECK_EQUAL(point_of(&s, 5), 1);
  CHECK_EQUAL(point_of(&s, 7), 2);
  CHECK(s.points[0].absent);
  place_count = 4, places[0][0] = 5, places[1][0] = 1, places[2][0] = 7, places[3][0] = 9;
  find_again(&s);
  CHECK_EQUAL(point_of(&s, 1), 0);  // the point that was given free
  CHECK_EQUAL(point_of(&s, 5), 1);
  CHECK_EQUAL(point_of(&s, 7), 2);
  CHECK_EQUAL(point_of(&s, 9), 3);
  CHECK(!s.points[0].absent);
  run_close(&s.r);
}

static void a_place_that_moves_on_keeps_its_point(void) {
  subject s;
  if (!open_subject(&s)) return;
  memset(places, 0, sizeof places);
  place_count = 2, places[0][0] = 3, places[1][0] = 5;
  find_again(&s);
  place_count = 2, places[0][0] = 5, places[0][1] = 1, places[1][0] = 1;
  find_again(&s);
  CHECK_EQUAL(point_of(&s, 5), 1);
  CHECK_EQUAL(point_of(&s, 1), 0);
  CHECK_EQUAL(s.held[1].part[1], 1);
  memset(places, 0, sizeof places);
  run_close(&s.r);
}

// --- in runs ---------------------------------------------------------------------------------------------------------

// A box that turns slowly on another, pushed over its edge: corners of both faces and crossings of edges come and go.
static const char turning[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {b: {mass: 1, inertia: [0.00166, 0.00166, 0.00166]}}\n"
    "joints: {f: {free: [ground, b], at: [0.013, 0.007, 0.1]}}\n"
    "initial: {b: {omega: [0, 0, 3], velocity: [0.03, 0.02, 0]}}\n"
    "surfaces:\n"
    "  low: {box: ground, size: [0.1, 0.1, 0.1], material: m}\n"
    "  high: {box: b, size: [0.08, 0.11, 0.1], material: m}\n"
    "materials: {m: {friction: 1e-3}}\n"
    "method: {moreau: {step: 1e-3}}\nend: 1\n";

// A point that acts in two steps has not moved farther than its body can, a place that a step finds where another point
// was a step before is that point. Returns how many points have come or gone.
static int compare_points(const run *r, const scheme_contact *before, const vec3 *at_before, double way) {
  const scheme_contact *now = r->sim->type->contacts(r->sim->scheme);
  int count = r->model->contacts.point_count, changes = 0;
  for (int p = 0; p < count; p++) {
    if (now[p].active != before[p].active) changes++;
    if (!now[p].active) continue;
    for (int q = 0; q < count; q++) {
      if (!before[q].active) continue;
      double moved = vec3_norm(vec3_sub(now[p].point->at, at_before[q]));
      if (q == p) CHECK_LE(moved, way);
      else CHECK(moved > 1e-9 || before[p].active);
    }
  }
  return changes;
}

// Corners of a face that turns by 3 mrad in a step move by no more than 0.1 m times that; crossings move faster where
// edges are nearly parallel, but not by the distance of two corners.
static void points_of_a_turning_box_keep_their_places(void) {
  run r;
  if (!run_open_text(&r, turning, "")) return;
  int count = r.model->contacts.point_count, changes = 0;
  CHECK_EQUAL(count, 9);  // two faces have eight corners; one point is for methods that follow places
  scheme_contact before[64] = {{0}};
  vec3 at[64];
  for (int k = 1; k <= 900 && run_to(&r, k * 1e-3); k++) {
    CHECK(sim_evaluate(r.sim, &r.error));
    const scheme_contact *now = r.sim->type->contacts(r.sim->scheme);
    if (k > 1) changes += compare_points(&r, before, at, 0.01);
    for (int p = 0; p < count; p++) {
      before[p] = now[p];
      if (now[p].point) at[p] = now[p].point->at;
    }
  }
  CHECK_LE(6, changes);
  printf("    %d changes\n", changes);
  run_close(&r);
}

// Which point stands for which place depends on the past, so that a checkpoint has to hold it.
static void a_resumed_run_has_the_same_points(void) {
  run r;
  if (!run_open_text(&r, turning, "")) return;
  const double cuts[] = {0.031, 0.1, 0.307, 0.6};
  int count = r.model->contacts.point_count, others = 0;
  for (int i = 0; i < 4 && run_to(&r, cuts[i]); i++) {
    double *row = calloc((size_t)sim_checkpoint_size(r.sim), sizeof *row);
    carom_sim *resumed = carom_sim_create(r.model, &r.error);
    if (CHECK(row && resumed)) {
      sim_checkpoint(r.sim, row);
      CHECK(sim_resume(resumed, row, &r.error) == CAROM_OK);
      CHECK(memcmp(resumed->contacts->held, r.sim->contacts->held, (size_t)count * sizeof(contact_feature)) == 0);
      contact_point fresh[64];
      contact_evaluate(&r.model->contacts, &r.model->m, r.sim->x, fresh);
      for (int p = 0; p < count; p++) others += fresh[p].absent != !contact_is_feature(&r.sim->contacts->held[p]);
      double t = cuts[i] + 0.05;
      CHECK(carom_sim_advance(resumed, t, &r.error) == CAROM_OK && run_to(&r, t));
      for (int s = 0; s < carom_model_signal_count(r.model); s++)
        CHECK(memcmp(&(double){carom_sim_read(resumed, s)}, &(double){carom_sim_read(r.sim, s)}, sizeof(double)) == 0);
      CHECK(memcmp(resumed->contacts->held, r.sim->contacts->held, (size_t)count * sizeof(contact_feature)) == 0);
    }
    carom_sim_destroy(resumed);
    free(row);
  }
  CHECK_LE(1, others);  // without the past points would stand for other places
  run_close(&r);
}

// A ball that rolls down a hill of triangles has one point from triangle to triangle, also where the hill is so steep
// that its normal turns away from the axis of the field.
static void a_rolling_ball_keeps_its_point(void) {
  enum { N = 31 };
  static char text[20000];
  int used = snprintf(
      text, sizeof text,
      "bodies: {b: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\njoints: {b: {free: [ground, b]}}\n"
      "gravity: [0, 0, -9.81]\nmaterials: {m: {restitution: 0, friction: 0.8}}\n"
      "initial: {b: {q: [1, 0, 0, 0, 0.1, 0.1, 0.043], velocity: [0.2, 0.2, -0.02]}}\n"
      "surfaces:\n  s: {sphere: b, radius: 5 cm, material: m}\n"
      "  hill: {height_field: ground, at: [-0.5, -0.5, 0], columns: %d, spacing: [5 cm, 5 cm], material: m, heights: [",
      N);
  for (int i = 0; i < N * N; i++) {
    double x = 0.05 * (i % N) - 0.5, y = 0.05 * (i / N) - 0.5;  // NOLINT(bugprone-integer-division): rows
    used += snprintf(text + used, sizeof text - (size_t)used, "%s%.4f", i ? ", " : "", -0.5 * (x * x + y * y));
  }
  snprintf(text + used, sizeof text - (size_t)used, "]}\nmethod: {moreau: {step: 1e-3}}\n");
  run r;
  if (!run_open_text(&r, text, "")) return;
  double steepest = 1;
  for (int k = 1; k <= 140 && run_to(&r, k * 5e-3); k++) {
    CHECK(sim_evaluate(r.sim, &r.error));
    const scheme_contact *now = r.sim->type->contacts(r.sim->scheme);
    if (now[0].active) steepest = fmin(steepest, now[0].point->n.z);
    for (int p = 1; p < r.model->contacts.point_count; p++) CHECK(!now[p].active);
  }
  printf("    steepest normal %.3f\n", steepest);
  CHECK_LE(steepest, 0.87);
  run_close(&r);
}

// --- places by the pose alone ----------------------------------------------------------------------------------------

static int searches;

static int count_search(const contact_element *e, pose first, contact_touch *to) {
  searches++;
  return contact_flat_pair.touches_at(e, first, to);
}

static void check_same_places(const contact_point *a, const contact_point *b, int count) {
  for (int k = 0; k < count; k++) {
    CHECK(a[k].absent == b[k].absent && a[k].gap == b[k].gap);
    CHECK(memcmp(&a[k].at, &b[k].at, sizeof a[k].at) == 0 && memcmp(&a[k].n, &b[k].n, sizeof a[k].n) == 0);
  }
}

// Places are searched once while a body stands on another, also where its position changes by less than rounding.
// Whether they were known makes no difference.
static void places_are_kept_while_the_pose_stays(void) {
  run r;
  if (!run_open_text(&r,
                     "bodies: {'b{i}': {repeat: {i: [1, 2]}, mass: 1, inertia: [1, 1, 1]}}\n"
                     "joints: {f1: {free: [ground, b1]}, f2: {free: [ground, b2], at: [0, 0.01, 0.1]}}\n"
                     "surfaces: {'s{i}': {repeat: {i: [1, 2]}, box: 'b{i}', size: [0.1, 0.1, 0.1], rotate: {axis: z, "
                     "angle: 0.2*i}, material: m}}\n"
                     "materials: {m: {}}\nmethod: {moreau: {step: 1e-3}}\nend: 1\n",
                     ""))
    return;
  const mechanism *m = &r.model->m;
  motion *x = r.sim->x;
  contact_element e = r.model->contacts.elements[0];
  contact_type counted = contact_flat_pair;
  counted.touches_at = count_search, e.type = &counted;
  contact_touch known[CONTACT_POINTS_MAX];
  contact_memo memo = {.count = -1, .touches = known};
  contact_point kept[CONTACT_POINTS_MAX], anew[CONTACT_POINTS_MAX];
  vec3 *place = &x->links[m->bodies[m->markers[e.first].body].node].p;
  const struct {
    double shift;
    int searches;
  } steps[] = {{0, 1}, {0, 1}, {1e-17, 1}, {0, 1}, {1e-9, 2}, {0, 2}, {-1e-3, 3}};
  searches = 0;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    place->x += steps[i].shift;
    contact_place_touches(m, x, &e, NULL, &memo, NULL, kept);
    CHECK_EQUAL(searches, steps[i].searches);
    e.type = &contact_flat_pair;
    contact_place_touches(m, x, &e, NULL, NULL, NULL, anew);
    e.type = &counted;
    check_same_places(kept, anew, e.point_count);
    CHECK(!kept[3].absent && fabs(kept[3].gap) < 1e-2);
  }
  run_close(&r);
}

int main(void) {
  RUN(places_are_kept_while_the_pose_stays);
  RUN(a_place_keeps_its_point);
  RUN(a_place_that_moves_on_keeps_its_point);
  RUN(points_of_a_turning_box_keep_their_places);
  RUN(a_resumed_run_has_the_same_points);
  RUN(a_rolling_ball_keeps_its_point);
  return check_summary();
}
