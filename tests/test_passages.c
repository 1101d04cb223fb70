// Impacts that a step of a time stepper does not see: each is counted, and nothing else is. Steps do not look for the
// time of impact here (test_tunnelling.c).
#include "runs.h"

#include "mechanics/dynamics.h"
#include "sim.h"

static long leaps_of(const char *text, const char *given, double end) {
  run r;
  char settings[256];
  snprintf(settings, sizeof settings, "method.moreau.time_of_impact=false %s", given ? given : "");
  if (!run_open_text(&r, text, settings)) return -1;
  run_to(&r, end);
  long leaps = carom_sim_summary(r.sim).step_too_large;
  run_close(&r);
  return leaps;
}

// One sphere passes another within half a step: in the first of the run, in the middle, in the last.
static void passages_are_seen_in_every_half_step(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "parameters: {gap: 1, offset: 0}\n"
      "bodies: {a: {mass: 1, inertia: 1e-4}, b: {mass: 1, inertia: 1e-4}}\n"
      "joints: {ja: {free: [ground, a]}, jb: {free: [ground, b]}}\n"
      "surfaces: {a: {sphere: a, radius: 0.01, material: m}, b: {sphere: b, radius: 0.01, material: m}}\n"
      "materials: {m: {restitution: 1}}\n"
      "initial: {ja: {u: [0, 1000, 0]}, jb: {q: [0, gap, offset]}}\n"
      "method: {moreau: {step: 10 ms}}\n";
  CHECK(leaps_of(text, "gap=1", 0.02) == 1);   // 10 m a step; before the first midpoint
  CHECK(leaps_of(text, "gap=1", 0.01) == 1);   // and with one step in all
  CHECK(leaps_of(text, "gap=8", 0.02) == 1);   // between two midpoints
  CHECK(leaps_of(text, "gap=8", 0.01) == 1);   // after the midpoint of the only step
  CHECK(leaps_of(text, "gap=18", 0.02) == 1);  // after that of the last
  CHECK(leaps_of(text, "gap=18", 0.03) == 1);  // which is counted once
  CHECK(leaps_of(text, "gap=100", 0.03) == 0);
  // off the centre, by less than the diameter: a passage from a thousandth of it on
  CHECK(leaps_of(text, "gap=8 offset=0.02-4e-5", 0.02) == 1);
  CHECK(leaps_of(text, "gap=8 offset=0.02-1e-5", 0.02) == 0);
}

// A ball through a thin box, past its corner, and a ball that rolls over it: the way is exact where the box does not
// turn.
static void passages_through_boxes_are_seen(void) {
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "parameters: {gap: 1, offset: 0}\n"
      "bodies: {a: {mass: 1, inertia: [1e-4, 1e-4, 1e-4]}, b: {mass: 1, inertia: [1e-4, 1e-4, 1e-4]}}\n"
      "joints: {ja: {free: [ground, a]}, jb: {free: [ground, b], at: [gap, offset, 0]}}\n"
      "surfaces: {a: {sphere: a, radius: 0.01, material: m}, b: {box: b, size: [0.01, 0.5, 0.5], material: m}}\n"
      "materials: {m: {restitution: 1}}\n"
      "initial: {a: {velocity: [1000, 0, 0]}}\n"
      "method: {moreau: {step: 10 ms}}\n";
  CHECK(leaps_of(text, "gap=1", 0.02) == 1);
  CHECK(leaps_of(text, "gap=8", 0.02) == 1);
  CHECK(leaps_of(text, "gap=8", 0.01) == 1);
  CHECK(leaps_of(text, "gap=18", 0.03) == 1);
  CHECK(leaps_of(text, "gap=100", 0.03) == 0);
  CHECK(leaps_of(text, "gap=8 offset=0.26-4e-5", 0.02) == 1);  // by the edge
  CHECK(leaps_of(text, "gap=8 offset=0.26+1e-5", 0.02) == 0);
}

// A box through a thin box has 16 points and is one passage; a box that bounces off with a long step is none.
static void passages_of_boxes_are_counted_once(void) {
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "parameters: {gap: 1, offset: 0, v: 1000}\n"
      "bodies: {a: {mass: 1, inertia: [1e-4, 1e-4, 1e-4]}, b: {mass: 1, inertia: [1e-4, 1e-4, 1e-4]}}\n"
      "joints: {ja: {free: [ground, a]}, jb: {free: [ground, b], at: [gap, offset, 0]}}\n"
      "surfaces: {a: {box: a, size: [0.02, 0.02, 0.02], material: m}, b: {box: b, size: [0.01, 0.5, 0.5], material: "
      "m}}\n"
      "materials: {m: {restitution: 1}}\n"
      "initial: {a: {velocity: [v, 0, 0]}}\n"
      "method: {moreau: {step: 10 ms}}\n";
  CHECK(leaps_of(text, "gap=1", 0.02) == 1);
  CHECK(leaps_of(text, "gap=8", 0.01) == 1);
  CHECK(leaps_of(text, "gap=100", 0.03) == 0);
  CHECK(leaps_of(text, "gap=8 offset=0.26+1e-5", 0.02) == 0);
  CHECK(leaps_of(text, "gap=0.0502 v=0.5", 0.3) == 0);  // it is found 2 mm deep
}

// Outlines that touch in several places: boxes 1 mm thick that move 10 mm a step, and a bar that enters a fork and
// leaves through its back.
static void passages_of_outlines_are_seen(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "parameters: {gap: 1, offset: 0, v: 10, turn: 0}\n"
      "bodies: {a: {mass: 1, inertia: 1e-4}, b: {mass: 1, inertia: 1e-4}}\n"
      "joints: {ja: {free: [ground, a]}, jb: {free: [ground, b]}}\n"
      "surfaces: {a: {box: a, size: [1 mm, 0.1], material: m}, b: {%s, material: m}}\n"
      "materials: {m: {restitution: 1}}\n"
      "initial: {ja: {q: [turn, 0, 0], u: [0, v, 0]}, jb: {q: [0, gap, offset]}}\n"
      "method: {moreau: {step: 1 ms}}\n";
  const char *shapes[] = {"box: b, size: [1 mm, 0.1]",
                          "polygon: b, points: [[-2 mm, -60 mm], [1 mm, -60 mm], [1 mm, 60 mm], [-2 mm, 60 mm], [-2 "
                          "mm, 55 mm], [0, 55 mm], [0, -55 mm], "
                          "[-2 mm, -55 mm]]"};
  for (int k = 0; k < 2; k++) {
    char model[2000];
    snprintf(model, sizeof model, text, shapes[k]);
    double reach = k ? 0.11 : 0.1;
    char settings[100];
    CHECK_EQUAL(leaps_of(model, "gap=0.02", 5e-3), 1);
    CHECK_EQUAL(leaps_of(model, "gap=0.02 turn=0.02", 5e-3), 1);
    CHECK_EQUAL(leaps_of(model, "gap=3e-3", 1e-3), 1);
    CHECK_EQUAL(leaps_of(model, "gap=0.5", 5e-3), 0);
    snprintf(settings, sizeof settings, "gap=0.02 offset=%g-1e-5", reach);
    CHECK_EQUAL(leaps_of(model, settings, 5e-3), 1);
    snprintf(settings, sizeof settings, "gap=0.02 offset=%g+1e-5", reach);
    CHECK_EQUAL(leaps_of(model, settings, 5e-3), 0);
    CHECK_EQUAL(leaps_of(model, "gap=0.0042 v=0.5", 0.05), 0);  // it bounces off, found up to 0.5 mm deep
  }
}

// An ellipsoid through a thin cylinder, and past it.
static void passages_of_smooth_bodies_are_seen(void) {
  static const char text[] =
      "gravity: [0, 0, 0]\n"
      "parameters: {gap: 1, offset: 0}\n"
      "bodies: {a: {mass: 1, inertia: [1e-4, 1e-4, 1e-4]}, b: {mass: 1, inertia: [1e-4, 1e-4, 1e-4]}}\n"
      "joints: {ja: {free: [ground, a]}, jb: {free: [ground, b], at: [gap, offset, 0]}}\n"
      "surfaces: {a: {ellipsoid: a, semi_axes: [0.01, 0.02, 0.03], material: m}, b: {cylinder: b, radius: 0.01, "
      "length: 0.5, material: m}}\n"
      "materials: {m: {restitution: 1}}\n"
      "initial: {a: {velocity: [1000, 0, 0]}}\n"
      "method: {moreau: {step: 10 ms}}\n";
  CHECK(leaps_of(text, "gap=1", 0.02) == 1);
  CHECK(leaps_of(text, "gap=8", 0.01) == 1);
  CHECK(leaps_of(text, "gap=18", 0.03) == 1);
  CHECK(leaps_of(text, "gap=100", 0.03) == 0);
  CHECK(leaps_of(text, "gap=8 offset=0.03-4e-5", 0.02) == 1);
  CHECK(leaps_of(text, "gap=8 offset=0.03+1e-5", 0.02) == 0);
}

// Where rows of the last step are evaluated, the spheres overlap and have passed the point where they are nearest, so
// that they part: no step saw them approach. At 100 m/s a sphere goes 50 mm in half a step, and its way through the
// other is 80 mm long.
static void passages_are_seen_from_within_the_overlap(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "parameters: {x: 1, offset: 0}\n"
      "bodies: {a: {mass: 1, inertia: 1e-4}, b: {mass: 1, inertia: 1e-4}}\n"
      "joints: {ja: {free: [ground, a]}, jb: {free: [ground, b]}}\n"
      "surfaces: {a: {sphere: a, radius: 0.02, material: m}, b: {sphere: b, radius: 0.02, material: m}}\n"
      "materials: {m: {restitution: 1}}\n"
      "initial: {ja: {u: [0, 100, 0]}, jb: {q: [0, x, offset]}}\n"
      "method: {moreau: {step: 1 ms}}\n";
  static const char *const offsets[] = {"0", "0.01", "0.03"};
  for (int i = 0; i < 3; i++) {
    char settings[64];
    snprintf(settings, sizeof settings, "x=0.045 offset=%s", offsets[i]);
    CHECK(leaps_of(text, settings, 1e-3) == 1);
    CHECK(leaps_of(text, settings, 2e-3) == 1);
    snprintf(settings, sizeof settings, "x=0.145 offset=%s", offsets[i]);
    CHECK(leaps_of(text, settings, 2e-3) == 1);
    CHECK(leaps_of(text, settings, 5e-3) == 1);
    snprintf(settings, sizeof settings, "x=0.1 offset=%s", offsets[i]);
    CHECK(leaps_of(text, settings, 1.1e-3) ==
          1);  // they still overlap at the end, by 10 mm past the nearest point, and part
    snprintf(settings, sizeof settings, "x=0.045 offset=%s method.moreau.step=1e-5", offsets[i]);
    CHECK(leaps_of(text, settings, 1e-3) == 0);  // the impact is met
  }
  CHECK(leaps_of(text, "x=0.045 offset=0.041", 1e-3) == 0);
}

// Whether the judge of a run that ends at a time complains of penetration.
static bool warns_of_penetration(const char *text, const char *settings, double end, double depth) {
  run r;
  carom_error error = {0};
  if (!run_open_text(&r, text, settings)) return false;
  run_to(&r, end);
  carom_summary s = carom_sim_summary(r.sim);
  CHECK_NEAR(s.worst_initial_penetration, depth, 1e-12);
  carom_verdict *verdict = carom_judge(r.model, &s, &error);
  bool warned = false;
  for (int i = 0; verdict && carom_verdict_check(verdict, i).key; i++) {
    carom_check c = carom_verdict_check(verdict, i);
    warned |= strcmp(c.key, "penetration") == 0 && c.level > CAROM_GOOD;
  }
  carom_verdict_destroy(verdict);
  run_close(&r);
  return warned;
}

// A contact that the last half step enters is as late as one that a step detects there.
static void runs_that_end_inside_are_doubtful(void) {
  static const char wall[] =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "bodies: {a: {mass: 1, inertia: 1}}\n"
      "joints: {ja: {free: [ground, a]}}\n"
      "surfaces: {a: {point: a, material: m}, w: {plane: ground, at: [0.5, 0], rotate: 90 deg, material: m}}\n"
      "materials: {m: {restitution: 1}}\n"
      "initial: {ja: {u: [0, 300, 0]}}\n"
      "method: {moreau: {step: 1 ms}}\n";
  static const char stop[] =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "bodies: {a: {mass: 1, inertia: 1}}\n"
      "joints: {ja: {prismatic: [ground, a], axis: x, limits: [-0.1, 0.05], material: m}}\n"
      "materials: {m: {restitution: 1}}\n"
      "initial: {ja: {u: 100}}\n"
      "method: {moreau: {step: 1 ms}}\n";
  CHECK(warns_of_penetration(wall, NULL, 2e-3, 0.1));
  CHECK(warns_of_penetration(wall, NULL, 3e-3, 0.25));  // where the next step detects it
  CHECK(!warns_of_penetration(wall, "initial.ja.u=[0,0.1,0]", 5.002, 5e-5));
  CHECK(warns_of_penetration(stop, NULL, 0.7e-3, 0.02));
  CHECK(warns_of_penetration(stop, "coordinates=absolute", 0.7e-3, 0.02));
  CHECK(!warns_of_penetration(stop, NULL, 0.4e-3, 0));
}

// A ball dropped from 0.5 m is 4.4 m below the floor after one step of 1 s.
static void one_step_through_the_floor_is_seen(void) {
  static const char text[] =
      "bodies: {ball: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
      "joints: {f: {free: [ground, ball], at: [0, 0, 0.5]}}\n"
      "surfaces: {ball: {sphere: ball, radius: 0.05, material: m}, floor: {plane: ground, material: m}}\n"
      "materials: {m: {restitution: 0.8}}\n"
      "method: {moreau: {step: 1 s}}\n";
  CHECK(leaps_of(text, NULL, 1) == 1);
  CHECK(leaps_of(text, "method.moreau.step=1e-3", 1) == 0);
}

// A point has no size: the mechanism's, here the 0.5 m from which it falls, stands for it.
static void a_point_through_the_floor_is_seen(void) {
  static const char text[] =
      "bodies: {b: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
      "joints: {f: {free: [ground, b], at: [0, 0, 0.5]}}\n"
      "surfaces: {p: {point: b, material: m}, floor: {plane: ground, material: m}}\n"
      "materials: {m: {restitution: 0.8}}\n"
      "method: {moreau: {step: 1 s}}\n";
  run r;
  CHECK(leaps_of(text, NULL, 1) == 1);                        // 4.4 m below, and no step has seen it
  CHECK(leaps_of(text, "method.moreau.step=0.4", 0.4) == 1);  // 0.28 m below, and faster than 3 m/s
  CHECK(leaps_of(text, "method.moreau.step=0.5", 1) == 1);    // found 1.95 m below
  for (int k = 0; k < 20; k++)                                // at the end it may be anywhere, also a little below
    CHECK(leaps_of(text, "method.moreau.step=5e-3", 0.3 + 5e-3 * k) == 0);
  if (!run_open_text(&r, text, NULL)) return;
  run_to(&r, 1);
  CHECK_NEAR(carom_sim_summary(r.sim).deepest_penetration, 9.81 / 2 - 0.5, 1e-12);
  run_close(&r);
}

// A joint at 10 rad/s goes from 0 to 1.5 rad in one step, and its stop is at 1 rad. The next step finds it at 2.25 rad.
static void a_stop_that_is_passed_is_seen(void) {
  static const char *const coordinates[] = {"joint", "absolute"};
  for (int i = 0; i < 2; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "space: planar\n"
             "gravity: [0, 0]\n"
             "bodies: {a: {mass: 1, inertia: 1}}\n"
             "joints: {j: {revolute: [ground, a], limits: [-1, 1], material: m}}\n"
             "materials: {m: {restitution: 1}}\n"
             "initial: {j: {q: 0, u: 10}}\n"
             "method: {moreau: {step: 0.15}}\n"
             "coordinates: %s\n",
             coordinates[i]);
    CHECK(leaps_of(text, NULL, 0.15) == 1);
    CHECK(leaps_of(text, NULL, 0.3) == 1);
    CHECK(leaps_of(text, "method.moreau.step=1e-2", 0.3) == 0);
    for (int k = 0; k < 10; k++) CHECK(leaps_of(text, "method.moreau.step=1e-2", 0.085 + 5e-3 * k) == 0);
  }
}

// A journal with 1 mm of clearance is 0.5 mm beyond it after one step, and would be found 1.25 mm beyond it in the
// next.
static void a_journal_that_leaves_its_bearing_is_seen(void) {
  static const char text[] =
      "space: planar\n"
      "gravity: [0, 0]\n"
      "bodies: {b: {mass: 1, inertia: 1e-3}}\n"
      "joints: {h: {revolute: [ground, b], clearance: 1 mm, radius: 10 mm, material: m}}\n"
      "materials: {m: {restitution: 0.8, friction: 0.1}}\n"
      "initial: {b: {velocity: [1.5, 0]}}\n"
      "method: {moreau: {step: 1 ms}}\n";
  run r;
  CHECK(leaps_of(text, NULL, 1e-3) == 1);
  CHECK(leaps_of(text, NULL, 2e-3) == 1);
  for (int k = 0; k < 20; k++) CHECK(leaps_of(text, "method.moreau.step=1e-4", 1e-3 + 1e-4 * k) == 0);
  if (!run_open_text(&r, text, NULL)) return;
  run_to(&r, 1e-3);
  CHECK_NEAR(carom_sim_summary(r.sim).deepest_penetration, 0.5e-3, 1e-12);
  run_close(&r);
}

// Spheres that settle touch and part in every step; each contact is dealt with.
static void settling_spheres_are_no_passages(void) {
  static const char text[] =
      "parameters: {r: 4 cm}\n"
      "bodies: {'p{i}': {repeat: {i: [1, 4]}, mass: 0.3 kg, inertia: [2e-4, 2e-4, 2e-4]}}\n"
      "joints:\n"
      "  f1: {free: [ground, p1], at: [0, 0, 0.06]}\n"
      "  f2: {free: [ground, p2], at: [0.09, 0, 0.06]}\n"
      "  f3: {free: [ground, p3], at: [0.045, 0.08, 0.06]}\n"
      "  f4: {free: [ground, p4], at: [0.045, 0.03, 0.2]}\n"
      "surfaces:\n"
      "  p{i}: {repeat: {i: [1, 4]}, sphere: 'p{i}', radius: r, material: m}\n"
      "  floor: {plane: ground, material: m}\n"
      "materials: {m: {friction: 0.4, restitution: 0.3}}\n"
      "method: {moreau: {step: 1 ms}}\n";
  CHECK(leaps_of(text, "method.moreau.step=1e-2", 1) == 0);
  CHECK(leaps_of(text, "method.moreau.step=1e-3", 1) == 0);
  CHECK(leaps_of(text, "method.moreau.step=1e-4", 1) == 0);
  CHECK(leaps_of(text, "method.moreau.step=1e-5", 0.5) == 0);
}

// A sphere that has passed through a box before a checkpoint does not pass through it once more when the run is
// resumed.
static void a_resumed_run_knows_where_bodies_were(void) {
  static const char text[] =
      "bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}\njoints: {f: {free: [ground, ball], at: [0, 0, 0.5]}}\n"
      "surfaces: {ball: {sphere: ball, radius: 1 cm, material: m}, slab: {box: ground, size: [1, 1, 0.01], material: "
      "m}}\n"
      "materials: {m: {}}\ngravity: [0, 0, 0]\ninitial: {ball: {velocity: [0, 0, -120]}}\nmethod: {moreau: {step: 1 "
      "ms}}\n";
  run r;
  if (!run_open_text(&r, text, "method.moreau.time_of_impact=false")) return;
  run_to(&r, 8e-3);
  carom_sim *resumed = carom_sim_create(r.model, &r.error);
  double *row = calloc((size_t)sim_checkpoint_size(r.sim), sizeof *row);
  sim_checkpoint(r.sim, row);
  CHECK(sim_resume(resumed, row, &r.error) == CAROM_OK);
  CHECK_EQUAL(carom_sim_summary(resumed).step_too_large, 1);
  CHECK(carom_sim_advance(resumed, 12e-3, &r.error) == CAROM_OK);
  carom_summary s = carom_sim_summary(resumed);
  CHECK_EQUAL(s.step_too_large, 1);
  CHECK_TEXT(s.missed_contact, "ball-slab");
  CHECK_NEAR(s.missed_t, 0.5 / 120, 1e-3);  // within the step
  free(row);
  carom_sim_destroy(resumed);
  run_close(&r);
}

// The first passage has its contact and time in the summary, as JSON and in the words of the verdict; also at the end
// of a run, and of a joint.
static void a_passage_names_its_contact(void) {
  static const char text[] =
      "space: planar\ngravity: [0, 0]\nbodies: {a: {mass: 1, inertia: 1e-4}, b: {mass: 1, inertia: 1e-4}, c: {mass: 1, "
      "inertia: 1}}\n"
      "joints: {ja: {free: [ground, a]}, jb: {free: [ground, b]}, jc: {revolute: [ground, c], limits: [-1, 1], "
      "material: m}}\n"
      "surfaces: {ball: {sphere: a, radius: 0.01, material: m}, pin: {sphere: b, radius: 0.01, material: "
      "m}}\nmaterials: {m: {restitution: 1}}\n"
      "parameters: {v: 1000, spin: 0}\ninitial: {ja: {u: [0, v, 0]}, jb: {q: [0, 8, 0]}, jc: {u: spin}}\nmethod: "
      "{moreau: {step: 10 ms, time_of_impact: false}}\n";
  static const struct {
    const char *settings, *contact;
    double end, t;
  } all[] = {{"", "ball-pin", 0.05, 8e-3},
             {"", "ball-pin", 0.01, 8e-3},
             {"v=0 spin=150", "jc_max", 0.05, 0.02},
             {"v=1", "", 0.05, 0}};
  for (int i = 0; i < 4; i++) {
    run r;
    char json[4096];
    carom_error error = {0};
    if (!run_open_text(&r, text, all[i].settings)) return;
    run_to(&r, all[i].end);
    carom_summary s = carom_sim_summary(r.sim);
    CHECK_TEXT(s.missed_contact, all[i].contact);
    CHECK_NEAR(s.missed_t, all[i].t, 0.011);
    carom_summary_json(&s, json, sizeof json);
    CHECK_EQUAL(strstr(json, "\"step_too_large\": {\"contact\": \"") != NULL, i < 3);
    carom_verdict *verdict = carom_judge(r.model, &s, &error);
    for (int k = 0; verdict && carom_verdict_check(verdict, k).key; k++) {
      carom_check c = carom_verdict_check(verdict, k);
      if (i < 3 && strcmp(c.key, "step_too_large") == 0)
        CHECK(strstr(c.sentence, all[i].contact) != NULL && strstr(c.sentence, " at ") != NULL);
    }
    carom_verdict_destroy(verdict);
    run_close(&r);
  }
}

// A ball and a box through a closed slab of triangles, and through a height field: 0.3 m a step. One that lands, slides
// and turns on them is none.
static void passages_through_triangles_are_seen(void) {
  static const char *const floors[] = {
      "mesh: ground, points: [[-1, -1, -0.005], [1, -1, -0.005], [1, 1, -0.005], [-1, 1, -0.005], [-1, -1, 0.005], [1, "
      "-1, 0.005], [1, 1, 0.005], "
      "[-1, 1, 0.005]], triangles: [1, 3, 2, 1, 4, 3, 5, 6, 7, 5, 7, 8, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 4, 8, "
      "3, 8, 7, 4, 1, 5, 4, 5, 8]",
      "height_field: ground, at: [-1, -1, 0], columns: 3, spacing: 1, heights: [0, 0, 0, 0, 0, 0, 0, 0, 0]"};
  static const char *const shapes[] = {"sphere: b, radius: 0.1", "box: b, size: [0.2, 0.2, 0.1]"};
  for (int k = 0; k < 4; k++) {
    char text[2048];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\nparameters: {speed: 300, along: 0, spin: 0}\nbodies: {b: {mass: 1, inertia: "
             "[0.01, 0.01, 0.01]}}\n"
             "joints: {f: {free: [ground, b], at: [-0.5037, 0.0021, 0.6]}}\ninitial: {b: {velocity: [along, 0, "
             "-speed], omega: [0, spin, 0]}}\n"
             "surfaces: {s: {%s, material: m}, floor: {%s, material: m}}\nmaterials: {m: {friction: 0.2}}\nmethod: "
             "{moreau: {step: 1e-3}}\n",
             shapes[k / 2], floors[k % 2]);
    if (!CHECK_EQUAL((int)leaps_of(text, "", 0.02), 1)) printf("      %s, %s\n", shapes[k / 2], floors[k % 2]);
    if (!CHECK_EQUAL((int)leaps_of(text, "speed=1 along=1 spin=5", 0.9), 0))
      printf("      %s, %s\n", shapes[k / 2], floors[k % 2]);
  }
}

static double gap_of(const run *r, const double *q, const double *u, contact_point *least) {
  static contact_point points[64];
  const mechanism *m = &r->model->m;
  dynamics_set(m, r->sim->x, 0, q, u);
  dynamics_positions_velocities(m, r->sim->x);
  contact_evaluate(&r->model->contacts, m, r->sim->x, points);
  const contact_element *e = &r->model->contacts.elements[0];
  *least = points[e->point0];
  for (int k = 1; k < e->point_count; k++)
    if (points[e->point0 + k].gap < least->gap) *least = points[e->point0 + k];
  return least->gap;
}

// The least gap on the way of two bodies that turn while they move is that of looking at many places: a turn of up to
// 0.03 is followed to its square, 0.1 m · 0.03² = 9e-5 m. As if they did not turn, it would be wrong by millimetres,
// and bodies that part in a tumble would be passages.
static void the_way_of_bodies_that_turn_is_followed(void) {
  enum { LOOKS = 100 };
  const double time = 1e-3, graze = 5e-5, error = 1e-4;
  run r;
  if (!run_open_text(&r,
                     "bodies: {a: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}, b: {mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
                     "joints: {f: {free: [ground, a], at: [0, 0, 1]}, g: {free: [ground, b]}}\n"
                     "surfaces: {s: {box: a, size: [0.12, 0.09, 0.06], material: m}, t: {box: b, size: [0.12, 0.09, "
                     "0.06], material: m}}\n"
                     "materials: {m: {}}\nmethod: {moreau: {step: 1e-3}}\n",
                     ""))
    return;
  const mechanism *m = &r.model->m;
  const contact_element *e = &r.model->contacts.elements[0];
  int seen = 0;
  check_seed = 8;
  for (int i = 0; i < 20000; i++) {
    double q[14], u[12], at[14], way[12];
    for (int k = 0; k < 14; k++) q[k] = k % 7 < 4 ? uniform(-1, 1) : k < 7 ? uniform(-0.08, 0.08) : 0;
    q[6] -= 1;  // the joint is there
    for (int k = 0; k < 12; k++) u[k] = k % 6 < 3 ? uniform(-10, 10) : uniform(-2, 2);
    for (int k = 0; k < 14; k += 7) {
      double n = sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3]);
      for (int j = 0; j < 4; j++) q[k + j] /= n;
    }
    contact_point before, after, between;
    double least = INFINITY;
    if (!(fabs(gap_of(&r, q, u, &after)) < 1e-3)) continue;
    for (int k = 0; k <= LOOKS; k++) {
      memcpy(at, q, sizeof at);
      for (int j = 0; j < 12; j++) way[j] = -(1 - (double)k / LOOKS) * time * u[j];
      dynamics_move(m, at, way);
      double gap = gap_of(&r, at, u, k == 0 ? &before : k == LOOKS ? &after : &between);
      least = fmin(least, gap);
    }
    if (!(before.gap > 0)) continue;
    double found = e->type->nearest(m, r.sim->x, e, &before, &after, time, graze);
    if (found >= -graze && least >= -graze - error) continue;
    seen++;
    CHECK_NEAR(found, least, error);
  }
  CHECK_LE(20, seen);
  run_close(&r);
}

// A bar on a hinge in the plane hits a disc by its turn alone: 0.25 rad a step, and 2.5 rad. Where it stops short of
// the disc, or the disc is beyond its end, nothing is passed.
static void passages_by_a_turn_alone_are_seen_in_the_plane(void) {
  static const char text[] =
      "space: planar\ngravity: [0, 0]\nparameters: {at: 0.9, around: 0.5, spin: 25}\n"
      "bodies: {bar: {mass: 1, inertia: 0.1}}\njoints: {hinge: {revolute: [ground, bar]}}\n"
      "surfaces: {bar: {box: bar, size: [2, 0.01], material: m}, disc: {%s, at: [at*cos(around), at*sin(around)], "
      "material: m}}\n"
      "contacts: {c: {between: [bar, disc]}}\nmaterials: {m: {restitution: 1}}\ninitial: {hinge: {u: spin}}\nmethod: "
      "{moreau: {step: 10 ms}}\n";
  static const char *const discs[] = {
      "sphere: ground, radius: 0.01", "curve: ground, points: [[0.01, 0], [0, 0.01], [-0.01, 0], [0, -0.01]]",
      "polygon: ground, points: [[-0.01, -0.01], [0.01, -0.01], [0, 0], [0.01, 0.01], [-0.01, 0.01]]"};
  for (int i = 0; i < 3; i++) {
    char model[1024];
    snprintf(model, sizeof model, text, discs[i]);
    CHECK_EQUAL(leaps_of(model, "", 0.04), 1);
    CHECK_EQUAL(leaps_of(model, "spin=250 around=1.2", 0.01), 1);
    CHECK_EQUAL(leaps_of(model, "spin=-25 around=-0.5", 0.04), 1);
    CHECK_EQUAL(leaps_of(model, "", 0.01), 0);
    CHECK_EQUAL(leaps_of(model, "at=1.05", 0.04), 0);
    CHECK_EQUAL(leaps_of(model, "spin=0.1 around=0.05", 0.04), 0);
  }
}

int main(void) {
  RUN(the_way_of_bodies_that_turn_is_followed);
  RUN(a_resumed_run_knows_where_bodies_were);
  RUN(a_passage_names_its_contact);
  RUN(passages_are_seen_in_every_half_step);
  RUN(passages_through_boxes_are_seen);
  RUN(passages_of_boxes_are_counted_once);
  RUN(passages_of_outlines_are_seen);
  RUN(passages_of_smooth_bodies_are_seen);
  RUN(passages_are_seen_from_within_the_overlap);
  RUN(runs_that_end_inside_are_doubtful);
  RUN(one_step_through_the_floor_is_seen);
  RUN(a_point_through_the_floor_is_seen);
  RUN(a_stop_that_is_passed_is_seen);
  RUN(a_journal_that_leaves_its_bearing_is_seen);
  RUN(settling_spheres_are_no_passages);
  RUN(passages_through_triangles_are_seen);
  RUN(passages_by_a_turn_alone_are_seen_in_the_plane);
  return check_summary();
}
