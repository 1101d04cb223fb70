// Mistakes of those who know other programs, and how a message helps them on.
#include <stdio.h>
#include <string.h>

#include "carom/carom.h"
#include "check.h"

static carom_error error;

static const char good[] =
    "space: planar\n"
    "bodies: {a: {mass: 1, inertia: 1}}\n"
    "markers: {tip: {on: a, at: [1, 0]}}\n"
    "joints: {j: {prismatic: [ground, a]}}\n"
    "surfaces: {ball: {sphere: a, radius: 0.1, material: m}, floor: {plane: ground, at: [0, -1], material: m}}\n"
    "materials: {m: {restitution: 0.5, friction: 0.2}}\n"
    "forces: {push: {force: a, components: [1, 0]}}\n"
    "method: {moreau: {step: 1 ms}}\n"
    "end: 1 s\n";

static carom_model *load(const char *text, const carom_setting *settings, int count) {
  error = (carom_error){0};
  write_text(scratch("model.yaml"), text);
  return carom_model_load(scratch("model.yaml"), settings, count, &error);
}

static carom_model *load_with(const char *was, const char *now) {
  char text[4000];
  const char *at = strstr(good, was);
  if (!CHECK(at)) return NULL;
  snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, now, at + strlen(was));
  return load(text, NULL, 0);
}

static void hints(const char *was, const char *now, const char *hint) {
  carom_model *model = load_with(was, now);
  bool right = CHECK(!model) && CHECK(error.status == CAROM_ERROR_MODEL) && CHECK(error.line > 0);
  if (right) right = CHECK_CONTAINS(error.text, "hint: ") && CHECK_CONTAINS(error.text, hint);
  if (!right) printf("    for: %s\n%s\n", now, error.text);
  carom_model_destroy(model);
}

static void words_of_others_are_known(void) {
  carom_model *model = load_with("end: 1 s", "end: 2 s");
  if (!CHECK(model)) printf("%s\n", error.text);
  carom_model_destroy(model);
  hints("friction: 0.2", "mu: 0.2", "'mu' is called 'friction' here");
  hints("restitution: 0.5", "e: 0.5", "'e' is called 'restitution' here");
  hints("friction: 0.2", "E: 1", "'E' is called 'young' here");
  hints("friction: 0.2", "Coefficient-of-Friction: 0.2", "is called 'friction' here");
  hints("radius: 0.1", "diameter: 0.2", "the radius is half of it");
  hints("radius: 0.1", "radius: 0.1, mu: 0.3", "belongs to a material");
  hints("end: 1 s", "duration: 1 s", "'duration' is called 'end' here");
  hints("end: 1 s", "dt: 1 ms", "method: {moreau: {step");
  hints("step: 1 ms", "dt: 1 ms", "'dt' is called 'step' here");
  hints("step: 1 ms", "step: 1 ms, end: 1", "'end' stands at the top of the file");
  hints("space: planar", "planar: true", "write 'space: planar'");
  hints("space: planar\n", "gravity: [0, -9.81]\n", "a model in the plane begins with 'space: planar'");
  hints("bodies:", "links:", "'links' is called 'bodies' here");
  hints("inertia: 1", "moment_of_inertia: 1", "'moment_of_inertia' is called 'inertia' here");
  hints("inertia: 1", "inertia: 1, position: [0, 1]", "a body stands where its joints put it");
  hints("inertia: 1", "inertia: 1, at: [0, 1]", "a body stands where its joints put it");
  hints("components: [1, 0]", "components: [1, 0], at: [1, 0]", "make a marker and name it");
  hints("components: [1, 0]", "components: [1, 0], position: [1, 0]", "make a marker and name it");
  hints("force: a, components: [1, 0]", "spring: [ground, a], stiffness: 1, at: [1, 0]", "make a marker and name it");
  hints("force: a, components: [1, 0]", "torque: a, components: [1], at: [1, 0]",
        "a torque acts on its body as a whole");
  hints("inertia: 1", "inertia: 1, velocity: [0, 1]", "initial: {BODY:");
  hints("inertia: 1", "inertia: 1, fixed: true", "what does not move belongs to 'ground'");
  hints("prismatic: [ground, a]", "free: [ground, a], q: [0, 0, 1]",
        "a free joint places its body by 'at' and 'rotate'");
  hints("prismatic: [ground, a]", "prismatic: [ground, a], q: 1", "initial: {JOINT: {q:");
  hints("components: [1, 0]", "vector: [1, 0]", "'vector' is called 'components' here");
  hints("mass: 1", "mas: 1", "did you mean 'mass'?");  // a slip of the pen is still one
}

// A word that is known, but in another place.
static void keys_of_other_parts_lead_there(void) {
  static const char *const load_is = "force: a, components: [1, 0]";
  hints(load_is, "spring: [ground, a], stiffness: 1, length: 0.5", "'length' is called 'rest' here");
  hints(load_is, "damper: [ground, a], damping: 1", "a damper is a spring without stiffness");
  hints("end: 1 s", "drives: {d: {joint: j, effort: 5}}", "forces: {NAME: {along: JOINT, effort: ...}}");
  hints("end: 1 s", "drives: {d: {joint: j, torque: 5}}", "forces: {NAME: {along: JOINT, effort: ...}}");
  hints("end: 1 s", "contacts: {c: {sphere: a, radius: 0.1}}", "surfaces: {NAME: {sphere: BODY");
  hints("end: 1 s", "contacts: {c: {surfaces: [ball, floor]}}", "'surfaces' is called 'between' here");
  hints("inertia: 1", "density: 7800", "give 'mass', 'inertia' and 'com', or a density with the shapes");
  hints("inertia: 1", "inertia: 1, shape: {cuboid: [1, 2]}", "'cuboid' is called 'box' here");
  hints("inertia: 1", "inertia: 1, shape: {stl: part.stl}", "'stl' is called 'mesh' here");
  hints("inertia: 1", "volume: 1", "the mass follows from 'shape:' and 'density:'");
  hints("{moreau: {step: 1 ms}}", "{event: {step: 1 ms}}", "this method finds its steps itself");
  hints("space: planar", "space: 2D", "'2D' is called 'planar' here");
  hints("space: planar", "space: planr", "did you mean 'planar'?");
}

static void names_of_other_parts_lead_there(void) {
  hints("prismatic: [ground, a]", "prismatic: [grund, a]", "did you mean 'ground'?");
  hints("plane: ground", "plane: Ground", "did you mean 'ground'?");
  hints("prismatic: [ground, a]", "prismatic: [world, a]", "the body that does not move is called 'ground'");
  hints("end: 1 s", "contacts: {c: {between: [a, floor]}}", "'a' is a body; its surface is 'ball'");
  hints("end: 1 s", "contacts: {c: {between: [ball, ground]}}", "'ground' is a body; its surface is 'floor'");
  hints("end: 1 s", "drives: {d: {joint: a, motion: t}}", "'a' is a body; its joint is 'j'");
  hints("end: 1 s", "initial: {a: {q: 1}}", "'a' is a body; its joint is 'j'");
  hints("end: 1 s", "initial: {j: {velocity: [1, 0]}}", "'j' is a joint, and takes 'q' and 'u'");
  hints("force: a, components: [1, 0]", "spring: [ground, j], stiffness: 1", "'j' is a joint; name a body or a marker");
  hints("materials: {m: {restitution: 0.5, friction: 0.2}}", "markers2: {}", "did you mean 'markers'?");
  hints("prismatic: [ground, a]", "prismatic: [ground, a], limits: [0, 1], material: M", "did you mean 'm'?");
  carom_model *model = load(
      "space: planar\nbodies: {a: {mass: 1, inertia: 1}}\n"
      "joints: {j: {prismatic: [ground, a], limits: [0, 1], material: steel}}\nmethod: event\n",
      NULL, 0);
  CHECK(!model);
  CHECK_CONTAINS(error.text, "add it: 'materials: {steel: {restitution:");
}

static void shapes_of_values_are_explained(void) {
  CHECK(!load_with("end: 1 s", "record: {touches: maybe}"));
  CHECK_CONTAINS(error.text, "'touches' must be a number, or one of auto, false, true, not 'maybe'");
  CHECK(!load_with("surfaces: {", "surfaces: {rock: {mesh: a, points: [[0, 0]], triangles: [[1, 2, 3, 4]]}, "));
  CHECK_CONTAINS(error.text, "'triangles' must be lists of three numbers");
  hints("end: 1 s", "contacts: {c: [ball, floor]}", "as in landing: {between: [ball, floor]");
  hints("end: 1 s", "contacts: [[ball, floor]]", "each entry has a name: contacts: {landing:");
  hints("end: 1 s", "outputs: [j.q]", "each entry has a name: outputs: {");
  hints("end: 1 s", "gravity: 9.81", "write the components: [x, y]");
  CHECK_CONTAINS(error.text, "not a single number");
  hints("restitution: 0.5", "restitution: [0.5, 0.2]", "Coefficient of restitution.");
  hints("force: a, components: [1, 0]", "spring: a, stiffness: 5", "write two names: [first, second]");
  hints("material: m}, floor", "material: {restitution: 0.5}}, floor", "give a name here");
  hints("{moreau: {step: 1 ms}}", "moreau", "as in method: {moreau: {step:");
  hints("end: 1 s", "end: 1 sec", "did you mean 's'?");
  hints("end: 1 s", "end: 1,5", "a decimal number has a point");
  hints("end: 1 s", "drives: {d: {joint: j}}", "as in motor: {joint: crank, motion:");
}

// How many numbers a start has is not enough to know what they are.
static void the_order_of_a_start_is_told(void) {
  static const struct {
    const char *space, *joint, *values, *hint;
  } cases[] = {
      {"spatial", "free: [ground, b]", "q: [0, 0, 1]", "in this order: quaternion w, x, y, z, x, y, z"},
      {"spatial", "free: [ground, b]", "u: [0]",
       "in this order: angular velocity x, y, z in the axes of the second, x, y, z"},
      {"planar", "free: [ground, b]", "q: [1, 2]", "in this order: angle, x, y"},
      {"planar", "free: [ground, b]", "u: [1, 2]", "in this order: the rates of angle, x, y"},
      {"spatial", "spherical: [ground, b]", "guess: [1, 2, 3]", "in this order: quaternion w, x, y, z"},
      {"spatial", "cylindrical: [ground, b]", "q: [1]", "in this order: angle, travel"},
      {"spatial", "universal: [ground, b]", "q: [1]", "in this order: the angles, first to last"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[1000];
    bool planar = strcmp(cases[i].space, "planar") == 0;
    snprintf(text, sizeof text,
             "space: %s\nbodies: {b: {mass: 1, inertia: %s}}\njoints: {j: {%s}}\ninitial: {j: {%s}}\n", cases[i].space,
             planar ? "1" : "[1, 1, 1]", cases[i].joint, cases[i].values);
    carom_model *model = load(text, NULL, 0);
    CHECK(!model);
    if (!CHECK(strstr(error.text, cases[i].hint))) printf("%s\n", error.text);
    carom_model_destroy(model);
  }
}

// Millimetres taken for metres, or the other way round.
static void a_clearance_larger_than_its_joint_is_noted(void) {
  static const struct {
    const char *joint, *note;
  } cases[] = {
      {"revolute: [ground, a], clearance: 100 mm, radius: 8 mm, material: m",
       "model.yaml:4: the clearance of 'j', 0.1 m, is larger than its radius, 0.008 m"},
      {"prismatic: [ground, a], clearance: 0.1, width: 0.05, length: 0.2, material: m",
       "is larger than its width, 0.05 m"},
      {"revolute: [ground, a], clearance: 0.1 mm, radius: 8 mm, material: m", NULL},
      {"prismatic: [ground, a], clearance: 1 mm, width: 0.05, length: 0.2, material: m", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    carom_model *model = load_with("prismatic: [ground, a]", cases[i].joint);
    if (!CHECK(model)) printf("%s\n", error.text);
    const char *note = model ? carom_model_note(model, 0) : NULL;
    CHECK(!note == !cases[i].note);
    if (note && cases[i].note) CHECK_CONTAINS(note, cases[i].note);
    carom_model_destroy(model);
  }
}

static void angles_of_many_turns_are_noted(void) {
  static const struct {
    const char *joint, *start, *note;
  } cases[] = {
      {"revolute: [ground, a]", "q: 45", "'q' of 'j' is 45 rad, which is 7.2 turns; degrees need their unit: 45 deg"},
      {"revolute: [ground, a]", "guess: -90", "'guess' of 'j' is -90 rad"},
      {"free: [ground, a], at: [0, 9]", "q: [30, 0, 5]", "'q' of 'j' is 30 rad"},
      {"free: [ground, a], at: [0, 9]", "q: [1, 30, 30]", NULL},
      {"revolute: [ground, a]", "q: 45 deg", NULL},
      {"prismatic: [ground, a]", "q: 45", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[600];
    snprintf(text, sizeof text, "%s}}\ninitial: {j: {%s", cases[i].joint, cases[i].start);
    carom_model *model = load_with("prismatic: [ground, a]", text);
    if (!CHECK(model)) printf("%s\n", error.text);
    const char *note = model ? carom_model_note(model, 0) : NULL;
    if (!CHECK(!note == !cases[i].note)) printf("  %s: %s\n", cases[i].start, note);
    if (note && cases[i].note) CHECK_CONTAINS(note, cases[i].note);
    carom_model_destroy(model);
  }
}

static void bodies_are_values_of_their_key(void) {
  hints("sphere: a,", "sphere: a, body: a,", "{sphere: NAME}");
  hints("force: a,", "force: a, body: a,", "{force: NAME}");
  hints("prismatic: [ground, a]", "prismatic: , body1: ground, body2: a", "{prismatic: [first, second]}");
}

static void kinds_of_others_are_known(void) {
  hints("prismatic: [ground, a]", "slider: [ground, a]", "'slider' is called 'prismatic' here");
  hints("prismatic: [ground, a]", "type: prismatic, bodies: [ground, a]", "{prismatic: ...}");
  hints("prismatic: [ground, a]", "type: slider", "'slider' is called 'prismatic' here");
  hints("sphere: a", "circle: a", "'circle' is called 'sphere' here");
  hints("{moreau: {step: 1 ms}}", "nsc", "'nsc' is called 'moreau' here");
  hints("{moreau: {step: 1 ms}}", "{smc: {}}", "'smc' is called 'compliant' here");
}

// `on` is true to YAML 1.1, so a tool may write it as `true`.
static void a_marker_names_its_body_by_either_word(void) {
  carom_model *model = load_with("{on: a, at: [1, 0]}", "{body: a, at: [1, 0]}");
  if (CHECK(model)) CHECK(carom_model_signal(model, "tip.x") >= 0);
  else printf("%s\n", error.text);
  carom_model_destroy(model);
  hints("{on: a,", "{true: a,", "write 'body'");
  model = load_with("{on: a,", "{on: a, body: a,");
  CHECK(!model);
  CHECK_CONTAINS(error.text, "'on' and 'body' are the same key");
  model = load_with("{on: a,", "{body: b,");
  CHECK(!model);
  CHECK_CONTAINS(error.text, "there is no body 'b'");
  CHECK_EQUAL(error.line, 3);
  model = load_with("{on: a, at: [1, 0]}", "{at: [1, 0]}");
  CHECK(!model);
  CHECK_CONTAINS(error.text, "'on' is missing in marker");
}

static void set_is(const char *name, const char *value, const char *message, const char *hint) {
  carom_setting setting = {name, value};
  carom_model *model = load(good, &setting, 1);
  if (!message) {
    if (!CHECK(model)) printf("    %s: %s\n", name, error.text);
  } else if (CHECK(!model)) {
    CHECK_CONTAINS(error.text, message);
    CHECK_CONTAINS(error.text, hint);
  }
  carom_model_destroy(model);
}

static void set_names_parts_that_are_there(void) {
  set_is("bodies.a.mass", "2", NULL, NULL);
  set_is("forces.push.components", "[2, 0]", NULL, NULL);
  set_is("forces.pull", "{force: a, components: [0, 1]}", NULL, NULL);  // a new one, as a whole
  set_is("initial.j.u", "2", NULL, NULL);
  set_is("record.every", "0.1", NULL, NULL);
  set_is("bodies.b.mass", "2", "there is no 'b' in 'bodies'", "--set 'bodies.b={...}'");
  set_is("surfaces.bal.radius", "2", "there is no 'bal' in 'surfaces'", "did you mean 'ball'?");
  set_is("materials.n.friction", "2", "there is no 'n' in 'materials'", "a new one is set as a whole");
  set_is("joints.jj.axis", "x", "there is no 'jj' in 'joints'", "hint");
  set_is("method.moreu.step", "1 ms", "'moreu' is neither a parameter nor a key", "did you mean 'moreau'?");
  set_is("method.moreau.stp", "1 ms", "'stp' is neither a parameter nor a key", "did you mean 'step'?");
  set_is("method.dt", "1 ms", "'dt' is neither a parameter nor a key", "'dt' is called 'step' here");
  set_is("drives.m", "{joint: j}", "'motion' is missing", "add --set drives.m.motion=...");
  set_is("drives", "{m: {joint: j}}", "'motion' is missing", "add --set drives.m.motion=...");
  set_is("method", "stewart-trinkle", "'step' is missing", "add --set method.stewart-trinkle.step=...");
  set_is("method.step", "1 ms", "'step' occurs twice", "write --set method.moreau.step=...");
  set_is("constraints.rod.length", "1", "there is no 'rod' in 'constraints'", "a new one");
}

// Notes of a model, in one text.
static const char *notes_of(const char *text) {
  static char all[4000];
  carom_model *model = load(text, NULL, 0);
  size_t used = 0;
  all[0] = '\0';
  if (!CHECK(model)) printf("%s\n", error.text);
  const char *note;
  for (int i = 0; model && (note = carom_model_note(model, i)); i++)
    used += (size_t)snprintf(all + used, sizeof all - used, "%s\n", note);
  carom_model_destroy(model);
  return all;
}

#define ONE_BODY "space: planar\nbodies: {a: {mass: 1, inertia: 1}}\nend: 1\n"
#define FREE     "joints: {f: {free: [ground, a]}}\n"

static void tolerances_below_rounding_are_noted(void) {
  CHECK_CONTAINS(notes_of(ONE_BODY FREE "integrator: {rtol: 1e-20}\n"),
                 "rtol of 1e-20 is below the rounding of numbers, 2.2e-16, and has no effect beside atol, 1e-08");
  CHECK_CONTAINS(notes_of(ONE_BODY FREE "integrator: {rtol: 1e-20, atol: 1e-20}\n"),
                 "most runs will end with an error");
  CHECK_TEXT(notes_of(ONE_BODY FREE "integrator: {rtol: 1e-15, atol: 1e-20}\n"), "");
  CHECK_TEXT(notes_of(ONE_BODY FREE "integrator: {type: rk4, step: 1e-3, rtol: 1e-20}\n"), "");  // it has no tolerance
  CHECK_TEXT(notes_of(ONE_BODY FREE "integrator: {rtol: 1e-20}\nmethod: {moreau: {step: 1e-3}}\n"), "");
}

static void free_joints_that_only_measure_are_noted(void) {
  static const char *const coordinates[] = {"joint", "absolute"};
  for (int i = 0; i < 2; i++) {
    char text[400];
    snprintf(text, sizeof text,
             ONE_BODY "coordinates: %s\njoints: {f: {free: [ground, a]}, g: {free: [ground, a], at: [1, 0]}}\n",
             coordinates[i]);
    CHECK_CONTAINS(notes_of(text), "joint 'g' is free, and other joints place its bodies already");
    CHECK(!strstr(notes_of(text), "joint 'f'"));
  }
  CHECK_CONTAINS(notes_of(ONE_BODY "joints: {f: {free: [ground, a]}, h: {revolute: [ground, a]}}\n"),
                 "joint 'f' is free");
  CHECK_TEXT(notes_of(ONE_BODY "joints: {f: {free: [ground, a]}}\n"), "");
}

// --- names of signals ------------------------------------------------------------------------------------------------

#define BALL_FLOOR                                                                                         \
  "space: planar\n"                                                                                        \
  "bodies: {ball: {mass: 1, inertia: 1}, ball-2: {mass: 1, inertia: 1}}\n"                                 \
  "joints: {fall: {free: [ground, ball], at: [0, 0.1]}, fall-2: {free: [ground, ball-2], at: [3, 0.2]}}\n" \
  "surfaces: {ball: {sphere: ball, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n"      \
  "materials: {m: {restitution: 0}}\n"                                                                     \
  "method: {moreau: {step: 1 ms}}\n"                                                                       \
  "end: 0.1 s\n"

static double last_output(const char *text) {
  carom_model *model = load(text, NULL, 0);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  double value = NAN;
  if (!CHECK(sim)) printf("%s\n", error.text);
  else if (CHECK_EQUAL(carom_sim_advance(sim, 0.1, &error), CAROM_OK))
    value = carom_sim_read(sim, carom_model_signal(model, "o"));
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return value;
}

static void names_with_a_minus_can_be_read(void) {
  CHECK_NEAR(last_output(BALL_FLOOR "outputs: {o: signal(ball-floor.fn)}\n"), 9.81, 1e-9);
  CHECK_NEAR(last_output(BALL_FLOOR "outputs: {o: 2*signal( ball-floor.fn ) - 1 N}\n"), 18.62, 1e-9);
  CHECK_NEAR(last_output(BALL_FLOOR "outputs: {o: signal(ball-2.x) - ball.x}\n"), 3, 1e-12);
  CHECK_NEAR(last_output(BALL_FLOOR "forces: {lift: {force: ball-2, components: [0, 9.81*signal(ball-2.x)/3]}}\n"
                                    "outputs: {o: signal(ball-2.y)}\n"),
             0.2, 1e-12);
  CHECK_NEAR(last_output(BALL_FLOOR "outputs: {o: signal(t)}\n"), 0.1, 1e-12);
}

// A constant before a minus is no beginning of a name: the expression stays a constant, whose range is checked.
static void constants_before_a_minus_stay_constants(void) {
  carom_model *model = load(BALL_FLOOR "constraints: {rod: {distance: [ball, ball-2], length: pi-4}}\n", NULL, 0);
  CHECK(!model);
  CHECK_CONTAINS(error.text, "the length must be positive");
  carom_model_destroy(model);
}

static void names_with_a_minus_are_explained(void) {
  static const struct {
    const char *text, *hint;
  } cases[] = {
      {"ball-floor.fn", "write signal(ball-floor.fn)"},
      {"1 N + ball-floor.fn*2", "write signal(ball-floor.fn)"},
      {"floor-ball.fn", "did you mean signal(ball-floor.fn)?"},
      {"signal(floor-ball.fn)", "did you mean signal(ball-floor.fn)?"},
      {"ball-2.y", "write signal(ball-2.y)"},
      {"signal()", "the name of a signal is missing"},
      {"signal(ball.x", "this '(' is not closed"},
      {"bal.x", "did you mean 'ball.x'?"},
      {"anvil.speed", "carom check MODEL --signals"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[4000];
    snprintf(text, sizeof text, BALL_FLOOR "outputs: {o: \"%s\"}\n", cases[i].text);
    carom_model *model = load(text, NULL, 0);
    CHECK(!model);
    if (!CHECK(strstr(error.text, cases[i].hint))) printf("  %s: %s\n", cases[i].text, error.text);
    carom_model_destroy(model);
  }
}

// The example of the guide, in the model that it is for.
static void the_guide_shows_how_to_write_them(void) {
  char *guide = read_file(CHECK_SOURCE_DIR "/docs/guide.md", NULL),
       *model_text = read_file(CHECK_SOURCE_DIR "/models/bouncing-ball.yaml", NULL);
  char *line = guide ? strstr(guide, "outputs: {weights: signal(") : NULL, text[8000];
  if (!CHECK(line && model_text)) return;
  snprintf(text, sizeof text, "%s%.*s\n", model_text, (int)strcspn(line, "\n"), line);
  carom_model *model = load(text, NULL, 0);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  if (!CHECK(sim)) printf("%s\n", error.text);
  else if (CHECK_EQUAL(carom_sim_advance(sim, 10, &error), CAROM_OK)) {  // it came to rest after 8.6 s
    CHECK_NEAR(carom_sim_read(sim, carom_model_signal(model, "weights")), 9.81 / 9.80665, 1e-9);
    CHECK_NEAR(carom_sim_read(sim, carom_model_signal(model, "above")), 0, 1e-5);
  }
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  free(guide), free(model_text);
}

int main(void) {
  RUN(names_with_a_minus_can_be_read);
  RUN(constants_before_a_minus_stay_constants);
  RUN(names_with_a_minus_are_explained);
  RUN(the_guide_shows_how_to_write_them);
  RUN(words_of_others_are_known);
  RUN(keys_of_other_parts_lead_there);
  RUN(names_of_other_parts_lead_there);
  RUN(shapes_of_values_are_explained);
  RUN(the_order_of_a_start_is_told);
  RUN(a_clearance_larger_than_its_joint_is_noted);
  RUN(angles_of_many_turns_are_noted);
  RUN(bodies_are_values_of_their_key);
  RUN(kinds_of_others_are_known);
  RUN(a_marker_names_its_body_by_either_word);
  RUN(set_names_parts_that_are_there);
  RUN(tolerances_below_rounding_are_noted);
  RUN(free_joints_that_only_measure_are_noted);
  return check_summary();
}
