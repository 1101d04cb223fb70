// Programs that misuse the C interface get a message and keep what they had.
#include "runs.h"

// A body on a joint, in code; methods and forces are for the tests to add.
static carom_def *define_hinge(void) {
  carom_model_def about = carom_model_default(CAROM_PLANAR);
  carom_def *def = carom_def_create(&about);
  carom_body_def body = carom_body_default();
  body.mass = 1, body.inertia[2] = 1;
  carom_joint_def joint = carom_joint_default();
  joint.between[0] = "ground", joint.between[1] = "b";
  carom_def_body(def, "b", &body);
  carom_def_joint(def, "j", "revolute", &joint);
  return def;
}

static void is_refused(carom_def *def, const char *said) {
  carom_error error = {0};
  carom_model *model = carom_model_compile(def, &error);
  CHECK(model == NULL);
  CHECK_EQUAL(error.status, CAROM_ERROR_MODEL);
  CHECK_CONTAINS(error.message, said);
  carom_model_destroy(model);
  carom_def_destroy(def);
}

static const char *method_of(carom_def *def, double *activation) {
  carom_error error = {0};
  carom_model *model = carom_model_compile(def, &error);
  static char name[32];
  name[0] = 0;
  if (CHECK(model)) {
    carom_model_info info = carom_model_get_info(model);
    snprintf(name, sizeof name, "%s", info.method);
    *activation = info.activation;
  }
  carom_model_destroy(model);
  carom_def_destroy(def);
  return name;
}

// Every method of the family by its name, with its defaults where it has them all; an unknown name changes nothing.
static void a_method_is_chosen_by_name(void) {
  double activation;
  const char *name;
  int chosen = 0;
  for (int i = 0; (name = carom_family_member("methods", i, NULL)); i++) {
    carom_def *def = define_hinge();
    CHECK_EQUAL(carom_def_method(def, name, NULL), CAROM_OK);
    carom_moreau_def moreau = carom_moreau_default();
    moreau.step = 1e-3, moreau.activation = 0.25;
    carom_stewart_trinkle_def stewart_trinkle = carom_stewart_trinkle_default();
    stewart_trinkle.step = 1e-3, stewart_trinkle.activation = 0.25;
    carom_iterative_def iterative = carom_iterative_default();
    iterative.step = 1e-3;  // and no gap of activation
    carom_lcp_def lcp = carom_lcp_position_default();
    lcp.step = 1e-3;  // likewise
    const void *options = strcmp(name, "moreau") == 0            ? (const void *)&moreau
                          : strcmp(name, "stewart-trinkle") == 0 ? (const void *)&stewart_trinkle
                          : strcmp(name, "iterative") == 0       ? (const void *)&iterative
                          : strncmp(name, "lcp-", 4) == 0        ? (const void *)&lcp
                                                                 : NULL;
    if (options) CHECK_EQUAL(carom_def_method(def, name, options), CAROM_OK);
    CHECK_EQUAL(carom_def_method(def, "mureau", NULL), CAROM_ERROR_USAGE);
    CHECK_EQUAL(carom_def_method(def, NULL, NULL), CAROM_ERROR_USAGE);
    CHECK_TEXT(method_of(def, &activation), name);
    CHECK_NEAR(activation, options && options != &iterative && options != &lcp ? 0.25 : 0, 0);
    chosen++;
  }
  CHECK(chosen >= 4);
  carom_def *def = define_hinge();
  carom_def_method(def, "moreau", NULL);
  is_refused(def, "'step' of 'moreau'");
  CHECK_TEXT(method_of(define_hinge(), &activation), "smooth");
}

// Every method says how well its energy must balance, and what to do about it.
static void a_method_gives_advice(void) {
  const char *name;
  for (int i = 0; (name = carom_family_member("methods", i, NULL)); i++) {
    carom_method_advice advice = carom_method_get_advice(name);
    CHECK(advice.known && advice.energy_warn > 0 && advice.energy_warn <= advice.energy_limit);
    CHECK_EQUAL(advice.force_laws, strcmp(name, "compliant") == 0);
    if (!advice.required) continue;
    // with what is required its defaults make a model
    char text[256];
    int key = (int)strcspn(advice.required, "=");
    snprintf(text, sizeof text,
             "bodies: {b: {mass: 1, inertia: 1}}\njoints: {j: {revolute: [ground, b]}}\nspace: planar\n"
             "method: {%s: {%.*s: %s}}\n",
             name, key, advice.required, advice.required + key + 1);
    carom_error error = {0};
    carom_model *model = carom_model_parse(text, name, &error);
    CHECK(model);
    carom_model_destroy(model);
  }
  CHECK_TEXT(carom_method_get_advice("moreau").accuracy, "take a shorter step");
  CHECK_TEXT(carom_method_get_advice("moreau").required, "step=1e-4");
  CHECK_NEAR(carom_method_get_advice("moreau").energy_limit, 0.05, 0);
  CHECK(!carom_method_get_advice("event").loops);
  CHECK(!carom_method_get_advice("mureau").known && !carom_method_get_advice(NULL).known);
}

static void options_of_methods_are_checked(void) {
  static const double steps[] = {0, -1e-3, NAN, INFINITY};
  for (int i = 0; i < 4; i++) {
    carom_def *def = define_hinge();
    carom_moreau_def moreau = carom_moreau_default();
    moreau.step = steps[i];
    carom_def_moreau(def, &moreau);
    is_refused(def, "'step' of 'moreau'");
  }
  carom_def *def = define_hinge();
  carom_moreau_def moreau = carom_moreau_default();
  moreau.step = 1e-3, moreau.activation = NAN;
  carom_def_moreau(def, &moreau);
  is_refused(def, "'activation' of 'moreau'");

  carom_event_def event = carom_event_default();
  event.impact = 7;
  carom_def_event(def = define_hinge(), &event);
  is_refused(def, "'impact' of 'event'");
  event = carom_event_default();
  event.accumulation = -1;
  carom_def_event(def = define_hinge(), &event);
  is_refused(def, "'accumulation' of 'event'");

  carom_compliant_def compliant = carom_compliant_default();
  compliant.entry = -1;
  carom_def_compliant(def = define_hinge(), &compliant);
  is_refused(def, "'entry' of 'compliant'");
  compliant = carom_compliant_default();
  compliant.penetration_max = NAN;
  carom_def_compliant(def = define_hinge(), &compliant);
  is_refused(def, "'penetration_max' of 'compliant'");
}

// What a method that is not used was given does not matter.
static void options_of_other_methods_may_be_empty(void) {
  carom_def *def = define_hinge();
  carom_moreau_def empty = carom_moreau_default();
  carom_compliant_def compliant = carom_compliant_default();
  carom_def_moreau(def, &empty);
  carom_def_compliant(def, &compliant);
  carom_error error = {0};
  carom_model *model = carom_model_compile(def, &error);
  if (!CHECK(model != NULL)) printf("%s\n", error.text);
  carom_model_destroy(model);
  carom_def_destroy(def);
}

enum { INPUTS = 1000 };
static double sum_of_inputs;

static void add_up(void *context, double t, const double *inputs, double *output) {
  (void)context, (void)t;
  sum_of_inputs = 0;
  for (int i = 0; i < INPUTS; i++) sum_of_inputs += inputs[i];
  output[0] = -sum_of_inputs;
}

static void a_force_may_name_many_inputs(void) {
  const char *names[INPUTS];
  for (int i = 0; i < INPUTS; i++) names[i] = "j.q";
  carom_def *def = define_hinge();
  carom_force_def force = carom_force_default();
  force.joint = "j", force.call = add_up, force.inputs = (carom_names){names, INPUTS};
  carom_def_force(def, "many", "user", &force);
  const double q = 0.01;
  carom_initial_def initial = {.q = {&q, 1}};
  carom_def_initial(def, "j", &initial);
  carom_error error = {0};
  carom_model *model = carom_model_compile(def, &error);
  carom_sim *sim = model ? carom_sim_create(model, &error) : NULL;
  if (CHECK(sim != NULL)) CHECK_NEAR(carom_sim_read(sim, carom_model_signal(model, "j.a")), -INPUTS * q, 1e-9);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  carom_def_destroy(def);

  names[3] = NULL;
  def = define_hinge();
  carom_def_force(def, "many", "user", &force);
  is_refused(def, "null");
}

static const char ball[] =
    "space: planar\n"
    "bodies: {ball: {mass: 1, inertia: 0.1}}\n"
    "joints: {fall: {free: [ground, ball], at: [0, 0.1]}}\n"
    "surfaces: {ball: {sphere: ball, radius: 0.1, material: m}, floor: {plane: ground, material: m}}\n"
    "materials: {m: {restitution: 0.5, stiffness: 1e7}}\n"
    "initial: {fall: {q: [0, 0, 0.1]}}\n";

static void time_does_not_go_back(void) {
  static const char *const methods[] = {"method: {moreau: {step: 1e-3}}\n", "method: event\n", "method: compliant\n"};
  static const double wrong[] = {NAN, -1, 0, 0.0499, INFINITY, -INFINITY};
  for (int k = 0; k < 3; k++) {
    char text[2048];
    snprintf(text, sizeof text, "%s%s", ball, methods[k]);
    run r;
    if (!run_open_text(&r, text, NULL)) return;
    run_to(&r, 0.05);
    double y = run_read(&r, "ball.y");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
      CHECK_EQUAL(carom_sim_step(r.sim, wrong[i], &r.error), CAROM_ERROR_USAGE);
      CHECK_CONTAINS(r.error.message, "cannot step to");
      CHECK_EQUAL(carom_sim_advance(r.sim, wrong[i], &r.error), CAROM_ERROR_USAGE);
      CHECK_NEAR(carom_sim_time(r.sim), 0.05, 0);
      CHECK_NEAR(run_read(&r, "ball.y"), y, 0);
    }
    CHECK_EQUAL(carom_sim_step(r.sim, 0.05, &r.error), CAROM_OK);  // no step to take
    CHECK_EQUAL(carom_sim_advance(r.sim, 0.05, &r.error), CAROM_OK);
    CHECK_NEAR(carom_sim_time(r.sim), 0.05, 0);
    run_to(&r, 0.06);
    CHECK_NEAR(run_read(&r, "ball.y"), 0.2 - 0.5 * 9.81 * 0.06 * 0.06, 1e-9);
    run_close(&r);
  }
}

static void the_end_of_a_run_is_checked(void) {
  static const double wrong[] = {NAN, -1, INFINITY};
  run r;
  if (!run_open_text(&r, ball, "method=event")) return;
  for (int i = 0; i < 3; i++) {
    carom_run_options options = {.end = wrong[i]};
    CHECK_EQUAL(carom_run(r.model, &options, NULL, &r.error), CAROM_ERROR_USAGE);
    CHECK_CONTAINS(r.error.message, "the end is");
  }
  run_close(&r);
}

// A point mass on a slide that turns about its end: without a lever it has no inertia, and no motion. It is pressed
// against a floor all the while.
static const char lever[] =
    "space: planar\n"
    "bodies: {arm: {}, bob: {mass: 1}}\n"
    "joints: {turn: {revolute: [ground, arm]}, slide: {prismatic: [arm, bob], axis: x}}\n"
    "surfaces: {bob: {sphere: bob, radius: 0.1, material: m}, floor: {plane: ground, at: [0, -0.1], material: m}}\n"
    "materials: {m: {restitution: 0.5, stiffness: 1e5}}\n"
    "initial: {slide: {q: 1}, turn: {q: 0.01}}\n"
    "method: compliant\n";

static void a_restart_that_fails_changes_nothing(void) {
  static const char *const settings[] = {"integrator=adams", "integrator=erk", "integrator=bdf"};
  for (int i = 0; i < 3; i++) {
    run a, b;
    if (!run_open_text(&a, lever, settings[i])) return;
    if (!run_open_text(&b, lever, settings[i])) {
      run_close(&a);
      return;
    }
    run_to(&a, 0.3), run_to(&b, 0.3);
    double force = run_read(&a, "bob-floor.fn");
    CHECK_EQUAL(carom_sim_set_joint(a.sim, "slide", &(double){0}, NULL, &a.error), CAROM_ERROR_SINGULAR);
    CHECK_CONTAINS(a.error.message, "there is no motion");
    CHECK_NEAR(run_read(&a, "bob-floor.fn"), force, 0);
    CHECK_NEAR(run_read(&a, "bob-floor.fn"), run_read(&b, "bob-floor.fn"), 0);
    run_to(&a, 0.6), run_to(&b, 0.6);
    CHECK_NEAR(run_read(&a, "bob.y"), run_read(&b, "bob.y"), 0);
    CHECK_NEAR(run_read(&a, "slide.q"), run_read(&b, "slide.q"), 0);
    CHECK_LE(-0.01, run_read(&a, "bob.y"));  // the floor holds it
    run_close(&a), run_close(&b);
  }
}

// --- batches ---------------------------------------------------------------------------------------------------------

typedef struct counts {
  int after;
  bool recovers;
} counts;

static void start_each(void *context, int index, carom_sim *sim) {
  const counts *c = context;
  const double q[3] = {0, 0, index == 1 ? NAN : 0.1 * index};
  carom_sim_set_joint(sim, index == 2 ? "nothing" : "fall", q, NULL, NULL);
  if (c->recovers) carom_sim_set_joint(sim, "fall", (double[3]){0, 0, 1}, NULL, NULL);
}

static void count_after(void *context, int index, carom_sim *sim) {
  (void)index, (void)sim;
  ((counts *)context)->after++;
}

static void a_batch_reports_starts_that_fail(void) {
  run r;
  if (!run_open_text(&r, ball, "method=event")) return;
  carom_summary s[4];
  carom_error errors[4];
  counts c = {0};
  carom_batch batch = {.count = 4,
                       .threads = 1,
                       .t_end = 0.1,
                       .context = &c,
                       .before = start_each,
                       .after = count_after,
                       .errors = errors};
  CHECK_EQUAL(carom_batch_run(r.model, &batch, s, &r.error), CAROM_OK);
  for (int i = 0; i < 4; i++) {
    bool fails = i == 1 || i == 2;
    CHECK_EQUAL(s[i].status, fails ? CAROM_ERROR_USAGE : CAROM_OK);
    CHECK_EQUAL(errors[i].status, s[i].status);
    CHECK_NEAR(s[i].t, fails ? 0 : 0.1, 0);
  }
  CHECK_CONTAINS(errors[1].message, "not finite");
  CHECK_CONTAINS(errors[2].message, "there is no joint 'nothing'");
  CHECK_TEXT(errors[0].text, "");
  CHECK_EQUAL(c.after, 2);

  c = (counts){.recovers =
                   true};  // of each joint the last start counts; a name that no joint has is not set by another
  CHECK_EQUAL(carom_batch_run(r.model, &batch, s, &r.error), CAROM_OK);
  CHECK_EQUAL(c.after, 3);
  CHECK_EQUAL(s[2].status, CAROM_ERROR_USAGE);
  run_close(&r);
}

static void a_batch_refuses_ends_that_are_none(void) {
  static const double wrong[] = {NAN, -1, INFINITY};
  run r;
  if (!run_open_text(&r, ball, "method=event")) return;
  carom_summary s[2];
  for (int i = 0; i < 3; i++) {
    carom_batch batch = {.count = 2, .threads = 2, .t_end = wrong[i]};
    CHECK_EQUAL(carom_batch_run(r.model, &batch, s, &r.error), CAROM_ERROR_USAGE);
    CHECK_CONTAINS(r.error.message, "end of a batch");
  }
  carom_batch batch = {.count = 2, .threads = 2, .t_end = 0};
  CHECK_EQUAL(carom_batch_run(r.model, &batch, s, &r.error), CAROM_OK);
  CHECK_EQUAL(s[1].steps, 0);
  run_close(&r);
}

// Given velocities of free bodies are set body by body: one matrix for all of them would take 2 GB here. A constraint
// connects two of them.
static void many_bodies_start_with_their_velocities(void) {
  static const char text[] =
      "bodies: {\"b{i}\": {repeat: {i: [1, 2000]}, mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {\"b{i}\": {repeat: {i: [1, 2000]}, free: [ground, \"b{i}\"], at: [3*i, 0, 0]}}\n"
      "constraints: {rod: {distance: [b7, b8], length: 3}}\n"
      "initial: {\"b{i}\": {repeat: {i: [1, 2000]}, velocity: [0, i, 1], omega: [0, 2*i, 0]}}\n"
      "method: smooth\n";
  run r;
  if (!run_open_text(&r, text, NULL)) return;
  for (int i = 1; i <= 2000; i += i < 20 ? 1 : 90) {
    bool fine = CHECK_NEAR(run_read(&r, "b%d.vx", i), 0, 1e-12) & CHECK_NEAR(run_read(&r, "b%d.vy", i), i, 1e-9) &
                CHECK_NEAR(run_read(&r, "b%d.vz", i), 1, 1e-12);
    if (!(fine & CHECK_NEAR(run_read(&r, "b%d.wy", i), 2 * i, 1e-9))) printf("      body %d\n", i);
  }
  run_close(&r);
}

// A surface whose material does not exist is told as that, also if the other one has another material.
static void a_missing_material_is_named(void) {
  run r;
  static const char text[] =
      "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {f: {free: [ground, b]}}\n"
      "surfaces: {ball: {sphere: b, radius: 0.1, material: steel}, floor: {plane: ground, material: stel}}\nmaterials: "
      "{steel: {friction: 0.3}}\n"
      "method: {moreau: {step: 1 ms}}\n";
  CHECK(write_text(scratch("model.yaml"), text) && !run_try(&r, scratch("model.yaml"), NULL));
  CHECK_CONTAINS(r.error.text, "there is no material 'stel'");
  CHECK_CONTAINS(r.error.text, "steel");
  CHECK_EQUAL(r.error.line, 3);
  CHECK_EQUAL(r.error.column, (int)(strstr(text, "stel}") - strstr(text, "surfaces:")) + 1);
  run_close(&r);
}

// A contact is told as its name has it: the surface that is named first comes first, with its body.
static void bodies_of_a_contact_are_in_the_order_of_its_name(void) {
  run r;
  static const char text[] =
      "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {f: {free: [ground, b], at: [0, 0, 1]}}\n"
      "surfaces: {floor: {plane: ground, material: m}, ball: {sphere: b, radius: 0.1, material: m}}\nmaterials: {m: "
      "{friction: 0.3}}\n"
      "method: {moreau: {step: 1 ms}}\n";
  if (!run_open_text(&r, text, NULL)) return;
  carom_part p = carom_model_part(r.model, "contacts", 0);
  CHECK_TEXT(p.name, "floor-ball");
  CHECK_TEXT(p.between[0], "ground");
  CHECK_TEXT(p.between[1], "b");
  run_close(&r);
}

// What is remarked of a law is counted by pairs, of a crowd as of a list, and names the first pair.
static void remarks_count_pairs(void) {
  static const char *const text =
      "bodies: {\"b{i}\": {repeat: {i: [1, n]}, mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {\"f{i}\": {repeat: {i: [1, n]}, free: [ground, \"b{i}\"], at: [i, 0, 0.5]}}\n"
      "surfaces: {floor: {plane: ground, material: m}, \"s{i}\": {repeat: {i: [1, n]}, sphere: \"b{i}\", radius: 0.4, "
      "material: m}}\n"
      "materials: {m: {restitution: 0.5, law: lankarani-nikravesh, stiffness: 1e8}}\n"
      "parameters: {n: 3}\nmethod: compliant\n";
  static const int bodies[] = {3, 80};  // at most 64 pairs are listed
  for (int i = 0; i < 2; i++) {
    run r;
    char settings[16];
    snprintf(settings, sizeof settings, "n=%d", bodies[i]);
    if (!run_open_text(&r, text, settings)) return;
    carom_remark remark = carom_model_remark(r.model, 0);
    CHECK_TEXT(remark.name, "restitution");
    CHECK_TEXT(remark.contact, "floor-s1");
    CHECK_EQUAL(remark.count, bodies[i] + bodies[i] * (bodies[i] - 1) / 2);
    CHECK_EQUAL(carom_sim_summary(r.sim).other_restitution, remark.count);
    run_close(&r);
  }
}

int main(void) {
  RUN(many_bodies_start_with_their_velocities);
  RUN(a_missing_material_is_named);
  RUN(bodies_of_a_contact_are_in_the_order_of_its_name);
  RUN(remarks_count_pairs);
  RUN(options_of_methods_are_checked);
  RUN(a_method_is_chosen_by_name);
  RUN(a_method_gives_advice);
  RUN(options_of_other_methods_may_be_empty);
  RUN(a_force_may_name_many_inputs);
  RUN(time_does_not_go_back);
  RUN(the_end_of_a_run_is_checked);
  RUN(a_restart_that_fails_changes_nothing);
  RUN(a_batch_reports_starts_that_fail);
  RUN(a_batch_refuses_ends_that_are_none);
  return check_summary();
}
