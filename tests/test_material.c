// Materials: from words to laws with their parameters, from solids and radii to stiffness, and what is refused.
#include "carom/carom.h"
#include "check.h"
#include "build/model_internal.h"

static const double plane = INFINITY;

// --- stiffness -------------------------------------------------------------------------------------------------------

static void hertz_stiffness_is_that_of_the_papers(void) {
  const solid steel[2] = {{.young = 207e9, .poisson = 0.3}, {.young = 207e9, .poisson = 0.3}};
  const solid hard[2] = {{.young = 210e9, .poisson = 0.3}, {.young = 210e9, .poisson = 0.3}};
  // printed with three digits: half of the last
  CHECK_NEAR(stiffness_hertz(steel, (double[2]){0.05, plane}), 3.39e10, 0.005e10);
  CHECK_NEAR(stiffness_hertz(steel, (double[2]){plane, 0.05}), 3.39e10, 0.005e10);
  CHECK_NEAR(stiffness_hertz(steel, (double[2]){0.0095, -0.01}), 6.61e10, 0.005e10);
  CHECK_NEAR(stiffness_hertz(hard, (double[2]){0.01, plane}), 1.538461538e10, 0.5e1);
}

// Two spheres: E* = 1/(0.84/2 + 0.75/3) by hand, R = 2·3/5.
static void hertz_stiffness_follows_its_formula(void) {
  const solid pair[2] = {{.young = 2, .poisson = 0.4}, {.young = 3, .poisson = 0.5}};
  double K = 4.0 / 3 / (0.42 + 0.25) * sqrt(1.2);
  CHECK_NEAR(stiffness_hertz(pair, (double[2]){2, 3}), K, 1e-15 * K);
  CHECK(isnan(stiffness_hertz(pair, (double[2]){plane, plane})));
  CHECK(isnan(stiffness_hertz(pair, (double[2]){0, plane})));
  CHECK(isnan(stiffness_hertz(pair, (double[2]){0.02, -0.01})));
  CHECK(isnan(stiffness_hertz(pair, (double[2]){0.01, -0.01})));
}

static void common_solids_are_plausible(void) {
  int count;
  const solid *all = solid_list(&count);
  CHECK(count >= 10);
  for (int i = 0; i < count; i++) {
    // a sound wave in a rod, √(E/ρ), goes at 400 m/s in soft plastics and 10 km/s in ceramics
    double wave = sqrt(all[i].young / all[i].density);
    CHECK(wave > 400 && wave < 1e4 && all[i].poisson > 0.1 && all[i].poisson < 0.5 && *all[i].source);
    CHECK(solid_find(all[i].name) == &all[i]);
  }
}

// --- materials of a model --------------------------------------------------------------------------------------------

static carom_model *ball_with(const char *sections, const char *material, carom_error *error) {
  char text[2000];
  snprintf(text, sizeof text,
           "space: planar\nparameters: {k: 2e6, mu: 0.3}\nbodies: {ball: {mass: 1, inertia: 0.1}}\n"
           "joints: {fall: {free: [ground, ball], at: [0, 1]}}\n%s\n"
           "surfaces:\n  ball: {sphere: ball, radius: 0.05, material: m}\n  floor: {plane: ground, material: m}\n"
           "materials:\n  m: {%s}\nmethod: {moreau: {step: 1e-3}}\n",
           sections, material);
  return carom_model_parse(text, "ball", error);
}

// The material of the only contact; false where the model was refused.
static bool material_of(const char *sections, const char *words, contact_material *m, carom_model **model) {
  carom_error error = {0};
  *model = ball_with(sections, words, &error);
  if (!CHECK(*model != NULL)) return printf("%s\n", error.text), false;
  *m = (*model)->contacts.elements[0].material;
  return true;
}

static bool resolves(contact_material *m, double first, double second) {
  fault f = {0};
  bool ok = material_resolve(m, (double[2]){first, second}, true, false, "contact", &f);
  if (!ok) printf("      %s\n", f.error.text);
  return ok;
}

static bool is_refused(contact_material m, double first, double second, const char *words) {
  fault f = {0};
  bool ok = material_resolve(&m, (double[2]){first, second}, true, false, "contact", &f);
  return CHECK(!ok) && CHECK(strstr(f.error.text, words) != NULL || (f.hint && strstr(f.hint, words)));
}

static void presets_make_a_sound_material(void) {
  contact_material m;
  carom_model *model;
  if (!material_of("", "restitution: 0.9, friction: 0.2, solid: steel", &m, &model)) return;
  CHECK(strcmp(m.normal.type->name, "lankarani-nikravesh") == 0 &&
        strcmp(m.tangential.type->name, "brown-mcphee") == 0);
  CHECK_NEAR(m.normal.exponent, 1.5, 0);
  CHECK_NEAR(m.normal.lambda, 0.75 * 0.19, 1e-15);
  CHECK_NEAR(m.achieved, 0.913177, 0.5e-6);
  CHECK(m.normal.stiffness == 0 && m.remarks == 0 && !m.normal.pulls);
  CHECK_NEAR(m.tangential.still, 0.2, 0);
  CHECK_NEAR(m.tangential.v0, 1e-3, 1e-18);
  CHECK(resolves(&m, 0.05, plane));
  CHECK_NEAR(m.normal.stiffness, 3.39e10, 0.005e10);
  carom_model_destroy(model);
}

static void solids_come_from_the_table_the_section_or_moduli(void) {
  contact_material m;
  carom_model *model;
  const char *mine = "solids: {mine: {young: 3 GPa, poisson: 0.4, density: 1200}, copper: {young: 1, poisson: 0}}";
  if (material_of(mine, "solid: [mine, bronze]", &m, &model)) {
    CHECK(m.has_solids && m.solids[0].young == 3e9 && m.solids[0].poisson == 0.4 && m.solids[1].young == 111e9);
    carom_model_destroy(model);
  }
  if (material_of(mine, "solid: copper", &m, &model)) {  // one's own goes before the common one
    CHECK(m.solids[0].young == 1 && m.solids[1].young == 1);
    carom_model_destroy(model);
  }
  if (material_of("", "young: [2 GPa, 3e9], poisson: 0.25", &m, &model)) {
    CHECK(m.solids[0].young == 2e9 && m.solids[1].young == 3e9 && m.solids[0].poisson == 0.25);
    CHECK(m.solids[1].poisson == 0.25);
    carom_model_destroy(model);
  }
}

static void expressions_know_their_variables_and_parameters(void) {
  contact_material m;
  carom_model *model;
  const char *words =
      "law: expression, force: 'k*delta^1.2 + 10*rate*delta/approach', friction: mu, "
      "friction_law: expression, coefficient: 'mu*tanh(speed/1e-3) + 1e-6*fn'";
  if (!material_of("", words, &m, &model)) return;
  CHECK(resolves(&m, 0, 0));
  double F = 2e6 * pow(1e-3, 1.2) + 10 * 0.5 * 1e-3 / 2;
  CHECK_NEAR(normal_force(&m.normal, 1e-3, 0.5, 2), F, 1e-14 * F);
  double f[2];
  m.tangential.type->force(&m.tangential, 100, (double[2]){0, 2e-3}, NULL, f, NULL);
  CHECK_NEAR(f[0], 0, 0);
  CHECK_NEAR(f[1], -100 * (0.3 * tanh(2) + 1e-4), 1e-13);
  CHECK(isnan(m.achieved) && m.remarks == 0);
  carom_model_destroy(model);
}

static void wanted_restitution_becomes_damping(void) {
  contact_material m;
  carom_model *model;
  if (!material_of("", "restitution: 0.4, restitution_is: achieved, law: hunt-crossley, stiffness: 1e8", &m, &model))
    return;
  CHECK_NEAR(m.normal.lambda, normal_lambda_for(0.4), 0);
  CHECK_NEAR(m.achieved, 0.4, 1e-14);
  CHECK(m.restitution == 0.4 && m.remarks == 0);
  carom_model_destroy(model);
}

static void laws_beyond_their_range_are_remarked(void) {
  contact_material m;
  carom_model *model;
  if (material_of("", "restitution: 0.4, stiffness: 1e8", &m, &model)) {
    CHECK(m.remarks == REMARK_RESTITUTION);
    carom_model_destroy(model);
  }
  if (material_of("", "restitution: 0.4, stiffness: 1e8, law: hertz", &m, &model)) {  // gives back everything
    CHECK(m.remarks == REMARK_RESTITUTION && m.achieved == 1);
    carom_model_destroy(model);
  }
  if (material_of("", "stiffness: 1e8, law: hertz", &m, &model)) {
    CHECK(m.remarks == 0);
    carom_model_destroy(model);
  }
  if (material_of("", "restitution: 0.4, stiffness: 1e8, law: flores", &m, &model)) {
    CHECK(m.remarks == 0);
    carom_model_destroy(model);
  }
  if (material_of("", "restitution: 0.9, solid: steel", &m, &model)) {
    contact_material roomy = m;
    CHECK(resolves(&m, 0.0095, -0.01) && m.remarks == REMARK_CONFORMAL);
    CHECK(resolves(&roomy, 0.008, -0.01) && roomy.remarks == 0);
    carom_model_destroy(model);
  }
}

// Told of a model once a kind, and only where a law is read.
static void remarks_are_told_of_a_model(void) {
  static const char text[] =
      "space: planar\nbodies: {a: {mass: 1, inertia: 0.1}, b: {mass: 1, inertia: 0.1}}\n"
      "joints: {a: {free: [ground, a], at: [0, 1]}, b: {free: [ground, b], at: [2, 1]}}\n"
      "surfaces: {a: {sphere: a, radius: 0.05}, b: {sphere: b, radius: 0.05}, floor: {plane: ground, material: m}}\n"
      "contacts: {left: {between: [a, floor]}, right: {between: [b, floor]}}\n"
      "materials: {m: {restitution: 0.4, stiffness: 1e8}}\nmethod: %s\n";
  char model_text[1000];
  for (int compliant = 0; compliant < 2; compliant++) {
    carom_error error = {0};
    snprintf(model_text, sizeof model_text, text, compliant ? "compliant" : "event");
    carom_model *model = carom_model_parse(model_text, "balls", &error);
    if (!CHECK(model != NULL)) return;
    carom_remark r = carom_model_remark(model, 0);
    CHECK((r.name != NULL) == compliant);
    CHECK(carom_model_remark(model, 1).name == NULL);
    if (compliant) {
      CHECK(r.count == 2 && strcmp(r.contact, "left") == 0 && strcmp(r.name, "restitution") == 0);
      CHECK(r.prescribed == 0.4);
      CHECK_NEAR(r.achieved, 0.7016, 0.5e-4);
    }
    carom_model_destroy(model);
  }
}

// Keys that no method reads with the laws there are, and only those: restitution and friction serve rigid methods.
static void what_has_no_effect_is_noted(void) {
  static const struct {
    const char *words, *key, *why;
  } cases[] = {
      {"damping: 3, stiffness: 1e6", "'damping'", "law lankarani-nikravesh does not use it"},
      {"length: 3 mm, stiffness: 1e6", "'length'", "law lankarani-nikravesh does not use it"},
      {"law: hooke, stiffness: 1e6, solid: steel", "'solid'", "law hooke does not use it"},
      {"law: hertz, stiffness: 1e6, young: 1e9, poisson: 0.3", "'young'", "the stiffness is given"},
      {"law: hertz, stiffness: 1e6, pulls: true", "'pulls'", "law hertz never pulls"},
      {"stiffness: 1e6, friction: 0.1, stribeck: 1 mm/s", "'stribeck'", "friction law brown-mcphee does not use it"},
      {"stiffness: 1e6, friction: 0.1, static_friction: 0.2, friction_law: coulomb", "'static_friction'",
       "friction law coulomb does not use it"},
      {"stiffness: 1e6, friction_law: dahl, v0: 1 mm/s, v1: 2 mm/s", "'v1'", "friction law dahl does not use it"},
      {"restitution: 0.7, tangential_restitution: 0.1, friction: 0.2, law: kelvin-voigt, stiffness: 1e6, damping: 3",
       NULL, NULL},
      {"law: hertz, solid: steel, friction_law: lugre, static_friction: 0.1, viscous: 1, stribeck: 1 mm/s", NULL, NULL},
      {"law: johnson, solid: steel, length: 1 cm, pulls: true", NULL, NULL},
  };
  for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
    carom_error error = {0};
    carom_model *model = ball_with("", cases[i].words, &error);
    if (!CHECK_TEXT(error.text, "")) continue;
    const char *note = carom_model_note(model, 0);
    if (!cases[i].key) CHECK_TEXT(note, NULL);
    else if (CHECK_CONTAINS(note, cases[i].key)) {
      CHECK_CONTAINS(note, cases[i].why);
      CHECK_CONTAINS(note, "ball:10: ");
    }
    carom_model_destroy(model);
  }
}

static void line_contacts_take_cylinders(void) {
  contact_material m;
  carom_model *model;
  if (!material_of("", "law: johnson, length: 20 mm, solid: steel, restitution: 0.9", &m, &model)) return;
  contact_material outer = m;
  CHECK(resolves(&m, 0.0095, -0.01) && resolves(&outer, 0.02, 0.01));
  CHECK_NEAR(m.normal.difference, 0.0005, 1e-17);
  CHECK_NEAR(outer.normal.difference, 0.03, 1e-17);
  CHECK_NEAR(m.normal.modulus, 207e9 / (2 * 0.91), 1);
  // 100 N put through Johnson's formula by hand: F' = 5000 N/m, E* = 113.736 GPa
  double per = 5000 / (M_PI * 207e9 / 1.82), delta = per * (log(4 * 0.0005 / per) - 1);
  CHECK_NEAR(normal_force(&m.normal, delta, 0, 1), 100, 1e-11);
  is_refused(outer, 0.02, plane, "two parallel cylinders");
  is_refused(outer, 0.02, -0.01, "two parallel cylinders");
  carom_model_destroy(model);
}

static void what_a_contact_lacks_is_told(void) {
  contact_material m;
  carom_model *model;
  is_refused((contact_material){.name = "none"}, 1, 1, "no material");
  if (material_of("", "restitution: 0.9", &m, &model)) {
    is_refused(m, 0.05, plane, "stiffness");
    carom_model_destroy(model);
  }
  if (material_of("", "restitution: 0.9, solid: steel", &m, &model)) {
    is_refused(m, 0, plane, "corner");
    is_refused(m, plane, plane, "not a point contact");
    m.normal.exponent = 2;
    is_refused(m, 0.05, plane, "exponent 1.5");
    carom_model_destroy(model);
  }
  if (material_of("", "law: hooke, solid: steel", &m, &model)) {
    is_refused(m, 0.05, plane, "stiffness");
    carom_model_destroy(model);
  }
  if (material_of("", "restitution: 0.9, stiffness: 1e9, friction: 0.1, friction_law: coulomb", &m, &model)) {
    is_refused(m, 0.05, plane, "function of speed");
    m.friction = 0;
    CHECK(resolves(&m, 0.05, plane));  // nothing rubs
    carom_model_destroy(model);
  }
}

// --- in code ---------------------------------------------------------------------------------------------------------

static double stiff_spring(void *context, double delta, double rate, double approach) {
  (void)rate, (void)approach;
  return *(const double *)context * delta;
}

static carom_model *compile_ball(const carom_material_def *material, carom_error *error) {
  carom_model_def about = carom_model_default(CAROM_PLANAR);
  carom_def *def = carom_def_create(&about);
  carom_body_def body = carom_body_default();
  body.mass = 1, body.inertia[2] = 0.1;
  carom_joint_def joint = carom_joint_default();
  joint.between[0] = "ground", joint.between[1] = "ball", joint.at[1] = 1;
  carom_surface_def ball = carom_surface_default(), floor = carom_surface_default();
  ball.on = "ball", ball.radius = 0.1, ball.material = floor.material = "m", floor.on = "ground";
  carom_moreau_def moreau = carom_moreau_default();
  moreau.step = 1e-3;
  carom_def_body(def, "ball", &body);
  carom_def_joint(def, "fall", "free", &joint);
  carom_def_surface(def, "ball", "sphere", &ball);
  carom_def_surface(def, "floor", "plane", &floor);
  carom_def_material(def, "m", material);
  carom_solid_def own = carom_solid_default();
  own.young = 5e9, own.poisson = 0.2;
  carom_def_solid(def, "own", &own);
  carom_def_moreau(def, &moreau);
  carom_model *model = carom_model_compile(def, error);
  carom_def_destroy(def);
  return model;
}

static void programs_give_laws_as_functions(void) {
  double k = 3e5;
  carom_error error = {0};
  carom_material_def d = carom_material_default();
  d.law = "expression", d.call = stiff_spring, d.context = &k;
  d.friction = 0.1, d.friction_law = "expression", d.coefficient = CAROM_EXPRESSION("0.1*tanh(speed/1e-3)");
  carom_model *model = compile_ball(&d, &error);
  if (!CHECK(model != NULL)) return;
  const contact_material *m = &model->contacts.elements[0].material;
  CHECK_NEAR(normal_force(&m->normal, 1e-3, 0, 1), 300, 1e-12);
  carom_model_destroy(model);

  static const char *const names[] = {"own"};
  d = carom_material_default();
  d.solid = (carom_names){names, 1};
  model = compile_ball(&d, &error);
  if (!CHECK(model != NULL)) return;
  CHECK(model->contacts.elements[0].material.solids[1].young == 5e9);
  carom_model_destroy(model);

  d.stiffness = -1;
  CHECK(compile_ball(&d, &error) == NULL && strstr(error.text, "stiffness") != NULL);
}

// A program's struct has no places; what differs from its preset was meant.
static void what_has_no_effect_is_noted_in_code(void) {
  carom_error error = {0};
  carom_material_def d = carom_material_default();
  d.damping = 3, d.stiffness = 1e6;
  carom_model *model = compile_ball(&d, &error);
  if (!CHECK_TEXT(error.text, "")) return;
  CHECK_CONTAINS(carom_model_note(model, 0), "'damping' of material");
  CHECK(!carom_model_note(model, 1) && !carom_model_note(model, -1));
  carom_model_destroy(model);
}

int main(void) {
  RUN(hertz_stiffness_is_that_of_the_papers);
  RUN(hertz_stiffness_follows_its_formula);
  RUN(common_solids_are_plausible);
  RUN(presets_make_a_sound_material);
  RUN(solids_come_from_the_table_the_section_or_moduli);
  RUN(expressions_know_their_variables_and_parameters);
  RUN(wanted_restitution_becomes_damping);
  RUN(laws_beyond_their_range_are_remarked);
  RUN(remarks_are_told_of_a_model);
  RUN(what_has_no_effect_is_noted);
  RUN(line_contacts_take_cylinders);
  RUN(what_a_contact_lacks_is_told);
  RUN(programs_give_laws_as_functions);
  RUN(what_has_no_effect_is_noted_in_code);
  return check_summary();
}
