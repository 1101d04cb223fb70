#include "memory.h"

#include "text/option_read.h"

static carom_error error;

typedef struct inner {
  double depth;
} inner;

typedef struct thing {
  double mass, length;
  int count, kind;
  bool fixed;
  const char *note, *pair[2];
  carom_names names;
  double point[3], axis[3], rotation[4], inertia[6];
  carom_numbers values;
  carom_points corners;
  carom_function force, gravity[3];
  inner inner;
} thing;

#define AT(member) offsetof(thing, member)
static const option inner_options[] = {
    {"depth", OPTION_NUMBER, offsetof(inner, depth), DIM_LENGTH, 0, "2 mm", NULL, NULL, "Depth."}};
static const option_table inner_table = {"hole", "A hole.", NULL, sizeof(inner), inner_options, 1};
static const option options[] = {
    {"mass", OPTION_NUMBER, AT(mass), DIM_MASS, OPTION_POSITIVE | OPTION_REQUIRED, NULL, NULL, NULL, "Mass."},
    {"length", OPTION_NUMBER, AT(length), DIM_LENGTH, OPTION_NOT_NEGATIVE, "0.5 mm", NULL, NULL, "Length."},
    {"count", OPTION_INTEGER, AT(count), DIM_NONE, 0, "3", NULL, NULL, "Count."},
    {"kind", OPTION_WORD, AT(kind), DIM_NONE, 0, "bdf", "adams|bdf|rk4", NULL, "Kind."},
    {"fixed", OPTION_FLAG, AT(fixed), DIM_NONE, 0, "true", NULL, NULL, "Fixed."},
    {"note", OPTION_TEXT, AT(note), DIM_NONE, 0, "none", NULL, NULL, "Note."},
    {"between", OPTION_PAIR, AT(pair), DIM_NONE, OPTION_SUBJECT, NULL, NULL, NULL, "Bodies."},
    {"of", OPTION_NAMES, AT(names), DIM_NONE, 0, NULL, NULL, NULL, "Names."},
    {"at", OPTION_POINT, AT(point), DIM_LENGTH, 0, "[1, 2, 3]", NULL, NULL, "Place."},
    {"axis", OPTION_AXIS, AT(axis), DIM_NONE, 0, "z", NULL, NULL, "Axis."},
    {"rotation", OPTION_ROTATION, AT(rotation), DIM_NONE, 0, NULL, NULL, NULL, "Rotation."},
    {"inertia", OPTION_INERTIA, AT(inertia), DIM_INERTIA, OPTION_NOT_NEGATIVE, NULL, NULL, NULL, "Inertia."},
    {"values", OPTION_NUMBERS, AT(values), DIM_ANY, 0, NULL, NULL, NULL, "Values."},
    {"corners", OPTION_POINTS, AT(corners), DIM_LENGTH, 0, NULL, NULL, NULL, "Corners."},
    {"force", OPTION_FUNCTION, AT(force), DIM_FORCE, 0, "5 N", NULL, NULL, "Force."},
    {"gravity", OPTION_FUNCTIONS, AT(gravity), DIM_ACCELERATION, 0, "[0, -9.81]", NULL, NULL, "Gravity."},
    {"hole", OPTION_TABLE, AT(inner), DIM_NONE, 0, NULL, NULL, &inner_table, "Hole."},
};
static const option_table table = {"revolute",    "A joint.", "joint: {revolute: [a, b]}",
                                   sizeof(thing), options,    sizeof options / sizeof *options};
static const option_table plain_table = {"fixed", "Another joint.", NULL, sizeof(inner), inner_options, 1};
static const option_table *const family[] = {&table, &plain_table};

static const value *parse(const char *text) {
  memset(&error, 0, sizeof error);
  const document *d = document_load(&memory, "m", text, strlen(text), NULL, 0, &error);
  if (!d) printf("    %s\n", error.text);
  return d ? d->root : NULL;
}

// Reads the map under `x:`.
static bool read_thing(const char *text, bool planar, thing *t) {
  const value *root = parse(text);
  option_reader r = {.memory = &memory, .error = &error, .planar = planar};
  static const char *const others[] = {"shape", NULL};
  return root && option_read(&r, &table, value_get(root, "x"), t, others, NULL);
}

static void presets(void) {
  thing t;
  memset(&t, 0xAB, sizeof t);
  option_defaults(&table, &t);
  CHECK_NEAR(t.mass, 0, 0);
  CHECK_NEAR(t.length, 0.5e-3, 0);
  CHECK_EQUAL(t.count, 3);
  CHECK_EQUAL(t.kind, 1);
  CHECK(t.fixed);
  CHECK_TEXT(t.note, "none");
  CHECK(!t.pair[0] && t.names.count == 0);
  CHECK(t.point[0] == 1 && t.point[1] == 2 && t.point[2] == 3);
  CHECK(t.axis[2] == 1 && t.rotation[0] == 1 && t.rotation[3] == 0);
  CHECK_NEAR(t.force.constant, 5, 0);
  CHECK_NEAR(t.gravity[1].constant, -9.81, 0);
  CHECK_NEAR(t.inner.depth, 2e-3, 0);
}

static void every_type_is_read(void) {
  thing t;
  bool ok = read_thing(
      "parameters: {l: 2 m, n: 4, mode: rk4, off: false, name: wheel}\n"
      "x: {mass: 2*n, length: l/2, count: n + 1, kind: mode, fixed: off, note: free text, between: [ground, name],\n"
      "    of: [a, 'name'], at: [l, 0, 1 mm], axis: [0, 3, 4], rotation: {axis: -z, angle: 90 deg},\n"
      "    inertia: [1, 2, 3, 0.1, -0.2, 0.3], values: [1, l], corners: [[1 mm, 0, l], [0, 2, 3]], force: 3*n, "
      "gravity: [0, 't*2', -g0],\n"
      "    hole: {depth: 1 cm}, shape: anything}\n",
      false, &t);
  if (!CHECK(ok)) printf("    %s\n", error.text);
  CHECK_NEAR(t.mass, 8, 0);
  CHECK_NEAR(t.length, 1, 0);
  CHECK_EQUAL(t.count, 5);
  CHECK_EQUAL(t.kind, 2);
  CHECK(!t.fixed);
  CHECK_TEXT(t.note, "free text");
  CHECK_TEXT(t.pair[1], "wheel");
  CHECK_EQUAL(t.names.count, 2);
  CHECK_TEXT(t.names.items[1], "name");  // in quotes: not the parameter
  CHECK(t.point[0] == 2 && t.point[1] == 0 && t.point[2] == 1e-3);
  CHECK_NEAR(t.axis[1], 0.6, 1e-16);
  CHECK_NEAR(t.axis[2], 0.8, 1e-16);
  CHECK_NEAR(t.rotation[0], sqrt(0.5), 1e-15);
  CHECK_NEAR(t.rotation[3], -sqrt(0.5), 1e-15);
  CHECK(t.inertia[2] == 3 && t.inertia[4] == -0.2);
  CHECK(t.values.count == 2 && t.values.items[1] == 2);
  CHECK(t.corners.count == 2 && t.corners.items[0][0] == 1e-3 && t.corners.items[0][2] == 2 &&
        t.corners.items[1][1] == 2);
  CHECK(t.force.constant == 12 && !t.force.text);
  CHECK_TEXT(t.gravity[1].text, "t*2");
  const function_origin *origin = t.gravity[1].origin;
  if (CHECK(origin)) {
    CHECK_EQUAL(origin->at.line, 4);
    CHECK_EQUAL(origin->dim, DIM_ACCELERATION);
    CHECK_TEXT(origin->key, "gravity");
    CHECK(parameters_find(origin->names, "l"));
  }
  CHECK_NEAR(t.gravity[2].constant, -9.80665, 0);
  CHECK_NEAR(t.inner.depth, 0.01, 0);
}

static void planar_and_spatial(void) {
  thing t;
  CHECK(
      read_thing("x: {mass: 1, at: [1, 2], rotation: 60 deg, inertia: 3, gravity: [0, 1], axis: [0, 2]}\n", true, &t));
  CHECK(t.point[1] == 2 && t.point[2] == 0);
  CHECK_NEAR(t.rotation[0], cos(acos(-1) / 6), 1e-15);
  CHECK_NEAR(t.rotation[3], 0.5, 1e-15);
  CHECK(t.inertia[0] == 0 && t.inertia[2] == 3);
  CHECK(t.axis[1] == 1);
  CHECK(read_thing("x: {mass: 1, inertia: 3, of: one, axis: y, values: 7}\n", false, &t));
  CHECK(t.inertia[0] == 3 && t.inertia[2] == 3 && t.names.count == 1 && t.values.count == 1 && t.axis[1] == 1);
}

// A quaternion turns a vector: v' = q v q*.
static void turn(const double q[4], const double v[3], double out[3]) {
  const double *u = q + 1;
  double c[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  double d[3] = {u[1] * c[2] - u[2] * c[1], u[2] * c[0] - u[0] * c[2], u[0] * c[1] - u[1] * c[0]};
  for (int i = 0; i < 3; i++) out[i] = v[i] + 2 * (q[0] * c[i] + d[i]);
}

static void rotations(void) {
  thing t;
  double y[3];
  // Turned 90 degrees about z and then about the new x: the body's z ends along +x.
  CHECK(read_thing("x: {mass: 1, rotation: {euler: [90 deg, 90 deg, 0]}}\n", false, &t));
  turn(t.rotation, (double[]){0, 0, 1}, y);
  CHECK_NEAR(y[0], 1, 1e-15);
  CHECK_NEAR(y[1], 0, 1e-15);
  // About x and then about the new y, which is z: the body's z goes to -y by the first, then to x.
  CHECK(read_thing("x: {mass: 1, rotation: {xyz: [90 deg, 90 deg, 0]}}\n", false, &t));
  turn(t.rotation, (double[]){0, 0, 1}, y);
  CHECK_NEAR(y[0], 1, 1e-15);
  CHECK(read_thing("x: {mass: 1, rotation: {quaternion: [2, 0, 0, 2]}}\n", false, &t));
  CHECK_NEAR(t.rotation[0], sqrt(0.5), 1e-15);
}

static void fails(const char *entry, bool planar, int column, const char *message) {
  thing t;
  char text[400];
  snprintf(text, sizeof text, "x: %s\n", entry);
  if (CHECK(!read_thing(text, planar, &t))) {
    bool ok = CHECK_EQUAL(error.line, 1);
    ok &= CHECK_EQUAL(error.column, column);
    ok &= CHECK_CONTAINS(error.text, message);
    if (!ok) printf("%s\n", error.text);
  } else {
    printf("    for: %s\n", entry);
  }
}

static void mistakes_stand_at_their_place(void) {
  fails("{length: 1}", false, 1, "'mass' is missing in revolute");
  fails("{mass: 1, lenght: 2}", false, 14, "unknown key 'lenght' in revolute");
  fails("{mass: 1, lenght: 2}", false, 14, "did you mean 'length'?");
  fails("{mass: 1, colour: red}", false, 14, "its keys are mass, length");
  fails("{mass: 1, length:2}", false, 14, "a blank is needed after ':'");
  fails("{mass: [1]}", false, 11, "'mass' must be a number, not a list");
  fails("{mass: }", false, 5, "'mass' has no value");
  fails("{mass: 3 m}", false, 11, "'mass' must be a mass in kg, not a length in m");
  fails("{mass: 54 deg}", false, 11, "not an angle in rad");
  fails("{mass: -1}", false, 11, "'mass' must be positive, not -1");
  fails("{mass: 0}", false, 11, "'mass' must be positive, not 0");
  fails("{mass: 1, length: -1 mm}", false, 22, "must not be negative");
  fails("{mass: 1/0}", false, 12, "division by zero");
  fails("{mass: 1e308*10}", false, 16, "not a finite number");
  fails("{mass: foo}", false, 11, "unknown name 'foo'");
  fails("{mass: 1, count: 1.5}", false, 21, "a whole number");
  fails("{mass: 1, count: 1e10}", false, 21, "a whole number");
  fails("{mass: 1, kind: bfd}", false, 20, "must be one of adams, bdf, rk4, not 'bfd'");
  fails("{mass: 1, kind: bfd}", false, 20, "did you mean 'bdf'?");
  fails("{mass: 1, fixed: 3}", false, 21, "true or false");
  fails("{mass: 1, note: [a]}", false, 20, "must be text, not a list");
  fails("{mass: 1, between: [a]}", false, 23, "must have two names, not 1");
  fails("{mass: 1, between: a}", false, 23, "a list of two names");
  fails("{mass: 1, at: [1, 2]}", false, 18, "must have 3 components in a spatial model, not 2");
  fails("{mass: 1, at: [1, 2, 3]}", true, 18, "must have 2 components in a planar model, not 3");
  fails("{mass: 1, at: [1, 2, 3 kg]}", false, 25, "must be a length in m, not a mass in kg");
  fails("{mass: 1, at: 3}", false, 18, "a list of 3 numbers");
  fails("{mass: 1, axis: w}", false, 20, "not 'w'");
  fails("{mass: 1, axis: [0, 0, 0]}", false, 20, "must not be zero");
  fails("{mass: 1, rotation: 3}", false, 24, "a rotation such as");
  fails("{mass: 1, rotation: {angle: 3}}", false, 24, "{euler: [a, b, c]}");
  fails("{mass: 1, rotation: {axis: z, angle: 3 m}}", false, 41,
        "must be an angle or a plain number, not a length in m");
  fails("{mass: 1, rotation: {quaternion: [0, 0, 0, 0]}}", false, 37, "must not be zero");
  fails("{mass: 1, inertia: [1, 2]}", false, 23, "[xx, yy, zz]");
  fails("{mass: 1, inertia: [1, 2, -3]}", false, 30, "must not be negative");
  fails("{mass: 1, inertia: [1, 2, 3]}", true, 23, "one number in a planar model");
  fails("{mass: 1, force: 3 kg}", false, 21, "must be a force in N, not a mass in kg");
  fails("{mass: 1, force: sin(t}", false, 24, "not closed");
  fails("{mass: 1, force: sni(t)}", false, 21, "unknown function");
  fails("{mass: 1, force: if(t < 1, 2, 3)}", false, 23, "must be in quotes");
  fails("{mass: 1, gravity: [0, 1]}", false, 23, "3 components");
  fails("{mass: 1, hole: {dpeth: 3}}", false, 21, "did you mean 'depth'?");
  fails("{mass: 1, hole: 3}", false, 20, "'hole' must be a map, not text");
  fails("[1]", false, 4, "'x' must be a map, not a list");
}

static int member(const char *text, thing *t, option_places *places) {
  const value *root = parse(text);
  option_reader r = {.memory = &memory, .error = &error};
  return root ? option_read_member(&r, "joint", family, 2, value_get(root, "x"), t, NULL, places) : -2;
}

static void members(void) {
  thing t;
  option_places places;
  CHECK_EQUAL(member("x: {revolute: [a, b], mass: 2}\n", &t, &places), 0);
  CHECK_TEXT(t.pair[1], "b");
  CHECK_EQUAL(places.whole.column, 1);
  CHECK_EQUAL(places.each[0].column, 29);  // mass
  CHECK_EQUAL(places.each[6].column, 15);  // between, as the subject
  CHECK(!places.each[1].source);
  CHECK_EQUAL(member("x: {revolute: {between: [a, b], mass: 2}}\n", &t, NULL), 0);
  CHECK_TEXT(t.pair[0], "a");
  CHECK_EQUAL(member("x: {revolute: {between: [a, b]}, mass: 2}\n", &t, NULL), 0);
  CHECK_EQUAL(member("x: fixed\n", &t, NULL), 1);
  CHECK_EQUAL(member("x: {fixed: }\n", &t, NULL), 1);
  CHECK_EQUAL(member("x: {fixed: {depth: 3}}\n", &t, NULL), 1);
  CHECK_EQUAL(member("parameters: {w: fixed}\nx: w\n", &t, NULL), 1);
  CHECK_EQUAL(member("x: {revolute: [a, b], mass: 1, fixed: false}\n", &t, NULL), 0);  // here `fixed` is an option
  CHECK(!t.fixed);

  CHECK_EQUAL(member("x: {revolut: [a, b]}\n", &t, NULL), -1);
  CHECK_TEXT(error.text,
             "m:1:1: error: this joint has no kind: it must be one of revolute, fixed\n  x: {revolut: [a, b]}\n"
             "  ^\n  hint: did you mean 'revolute'?");
  CHECK_EQUAL(member("x: fixd\n", &t, NULL), -1);
  CHECK_CONTAINS(error.text, "did you mean 'fixed'?");
  CHECK_EQUAL(member("x: [a]\n", &t, NULL), -1);
  CHECK_CONTAINS(error.text, "must be a map, not a list");
  CHECK_EQUAL(member("x: {fixed: 3}\n", &t, NULL), -1);
  CHECK_CONTAINS(error.text, "must be a map of options");
  CHECK_EQUAL(member("x: {revolute: {mass: 1}, mass: 2}\n", &t, NULL), -1);
  CHECK_CONTAINS(error.text, "'mass' occurs twice");
  CHECK_EQUAL(member("x: revolute\n", &t, NULL), -1);
  CHECK_CONTAINS(error.text, "'mass' is missing");
  CHECK_EQUAL(error.column, 4);
}

static void two_members_at_once(void) {
  static const option_table other = {"slider", "", NULL, sizeof(inner), inner_options, 1};
  static const option_table *const both[] = {&plain_table, &other};
  const value *root = parse("x: {fixed: {}, slider: {}}\n");
  option_reader r = {.memory = &memory, .error = &error};
  inner t;
  CHECK_EQUAL(option_read_member(&r, "joint", both, 2, value_get(root, "x"), &t, NULL, NULL), -1);
  CHECK_CONTAINS(error.text, "more than one kind");
}

static void command_line_keys(void) {
  const assignment set = {"lenght", "2"};
  memset(&error, 0, sizeof error);
  const char *text = "parameters: {lengthy: 2}\nmass: 1\n";
  const document *d = document_load(&memory, "m", text, strlen(text), &set, 1, &error);
  option_reader r = {.memory = &memory, .error = &error};
  thing t;
  CHECK(d && !option_read(&r, &table, d->root, &t, NULL, NULL));
  CHECK_CONTAINS(error.text, "--set:1:1: error: 'lenght' is neither a parameter nor a key");
  CHECK_CONTAINS(error.text, "did you mean 'length'?");
}

static bool checks(const thing *t, bool planar) {
  memset(&error, 0, sizeof error);
  option_reader r = {.memory = &memory, .error = &error, .planar = planar};
  return option_check(&r, &table, t, "crank");
}

static void structs_filled_in_code(void) {
  thing good, t;
  option_defaults(&table, &good);
  good.mass = 1;
  good.pair[0] = "a", good.pair[1] = "b";
  CHECK(checks(&good, false));
  t = good, t.mass = 0;
  CHECK(!checks(&t, false));
  CHECK_TEXT(error.text, "error: 'mass' of 'crank' must be positive");
  t = good, t.length = -1;
  CHECK(!checks(&t, false));
  t = good, t.mass = NAN;
  CHECK(!checks(&t, false));
  t = good, t.kind = 3;
  CHECK(!checks(&t, false));
  t = good, t.point[1] = INFINITY;
  CHECK(!checks(&t, false));
  t = good, t.axis[0] = 1;
  CHECK(!checks(&t, false));
  t = good, t.rotation[0] = 0;
  CHECK(!checks(&t, false));
  t = good, t.inertia[0] = -1;
  CHECK(!checks(&t, false));
  CHECK(checks(&t, true));  // only zz matters in a plane
  t = good, t.force.constant = NAN;
  CHECK(!checks(&t, false));
  t.force.text = "t";
  CHECK(checks(&t, false));
  t = good, t.inner.depth = NAN;
  CHECK(!checks(&t, false));
  t = good, t.names = (carom_names){NULL, 2};
  CHECK(!checks(&t, false));
}

static void append(void *context, const char *text) { strcat(context, text); }

static void the_reference_page(void) {
  static char page[20000];
  page[0] = '\0';
  option_document(&table, (option_sink){append, page});
  CHECK_CONTAINS(page, "### `revolute`\n\nA joint.\n\n```yaml\njoint: {revolute: [a, b]}\n```\n");
  CHECK_CONTAINS(page, "| `mass` | number [kg], > 0 | required | Mass. |\n");
  CHECK_CONTAINS(page, "| `kind` | `adams`, `bdf`, `rk4` | `bdf` | Kind. |\n");
  CHECK_CONTAINS(page, "| `length` | number [m], >= 0 | `0.5 mm` | Length. |\n");
  CHECK_CONTAINS(page, "Bodies. May be written as the value of `revolute`. |");
  CHECK_CONTAINS(page, "#### `hole`");
}

int main(void) {
  RUN(presets);
  RUN(every_type_is_read);
  RUN(planar_and_spatial);
  RUN(rotations);
  RUN(mistakes_stand_at_their_place);
  RUN(members);
  RUN(two_members_at_once);
  RUN(command_line_keys);
  RUN(structs_filled_in_code);
  RUN(the_reference_page);
  return check_summary();
}
