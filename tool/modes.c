// carom modes: how a model vibrates about a position or a steady motion.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "load.h"
#include "progress.h"
#include "talk.h"

typedef struct modes_args {
  const char *model, *record;
  setting_list settings;
  bool equilibrium, at_rest, shapes, json, force;
} modes_args;

#define AT(field) offsetof(modes_args, field)
static const arg modes_table[] = {
    {.name = "MODEL", .kind = ARG_OPERAND, .offset = AT(model), .required = true, .help = "the model file"},
    {.name = "--set",
     .kind = ARG_SETTING,
     .value = "NAME=VALUE",
     .offset = AT(settings),
     .help = "change a parameter or any key: coordinates=absolute"},
    {.name = "--equilibrium",
     .kind = ARG_FLAG,
     .offset = AT(equilibrium),
     .help = "about the equilibrium that is reached from the start (default: about the start, with its speeds)"},
    {.name = "--at-rest",
     .kind = ARG_FLAG,
     .offset = AT(at_rest),
     .help = "about the position of the start, at rest: speeds are left out, and drives stay where they are"},
    {.name = "--shapes", .kind = ARG_FLAG, .offset = AT(shapes), .help = "print the shape of each mode"},
    {.name = "--output",
     .letter = 'o',
     .kind = ARG_TEXT,
     .value = "FILE",
     .offset = AT(record),
     .help = "HDF5 file in which each mode moves; `carom report FILE` shows it"},
    {.name = "--json", .kind = ARG_FLAG, .offset = AT(json), .help = "print one JSON object"},
    {.name = "--force", .kind = ARG_FLAG, .offset = AT(force), .help = "replace a file that carom did not write"},
};
#undef AT

static int run_modes(int argc, char **argv);
const command command_modes = {
    "modes",
    "Find eigenvalues, damping ratios and shapes of small vibrations.",
    "About the start with its speeds, gyroscopic terms among them; with --equilibrium or --at-rest drives stay where\n"
    "they are. Rigid contacts that carry a force stay closed, and stick if they have friction; contacts with a force\n"
    "law act by it. A warning tells where the start is no equilibrium and no steady motion.",
    modes_table,
    sizeof modes_table / sizeof *modes_table,
    run_modes};

static void print_shape(const carom_modes *modes, int i) {
  for (int k = 0; carom_modes_name(modes, k); k++) {
    double im, re = carom_modes_shape(modes, i, k, &im), size = hypot(re, im);
    if (!(size > 1e-9)) continue;
    printf("       %-24s %10.6f %-4s", carom_modes_name(modes, k), fabs(im) > 1e-6 * size ? size : re,
           carom_modes_unit(modes, k));
    if (fabs(im) > 1e-6 * size) printf(" at %.4g deg", atan2(im, re) * 57.29577951308232);
    printf("\n");
  }
}

static void print_modes(const modes_args *a, const carom_modes *modes) {
  printf("mode   frequency [Hz]   omega [rad/s]   damping ratio   eigenvalue [1/s]\n");
  for (int i = 0; i < carom_modes_count(modes); i++) {
    const carom_mode m = carom_modes_get(modes, i);
    printf("%4d   %14.6g   %13.6g   %13.4g   %.6g", i + 1, m.frequency, m.omega, m.damping, m.real);
    if (m.imaginary > 0) printf(" +- %.6g i", m.imaginary);
    printf("%s\n", m.real > 1e-9 * m.omega ? "  unstable" : m.omega == 0 ? "  no restoring force" : "");
    if (a->shapes) print_shape(modes, i);
  }
  if (!carom_modes_count(modes)) printf("nothing can move\n");
  if (carom_modes_speed(modes) > 0) printf("about a motion with speeds up to %.6g 1/s\n", carom_modes_speed(modes));
}

static int print_json(const carom_modes *modes) {
  const int length = carom_modes_json(modes, NULL, 0);
  char *text = malloc((size_t)length + 1);
  if (!text) return tell_out_of_memory();
  carom_modes_json(modes, text, length + 1);
  printf("%s\n", text);
  free(text);
  return 0;
}

// Accelerations this small beside those of gravity, of one unit of length or of the speeds are an equilibrium or a
// steady motion; the others are 1e-6 of what they are measured by.
static void warn_of_state(const carom_modes *modes) {
  const double speed = carom_modes_speed(modes), imbalance = carom_modes_imbalance(modes);
  char text[400] = "";
  if (imbalance >= 1e-6 * fmax(1, speed * speed))
    snprintf(text, sizeof text,
             "the start is no equilibrium%s: it accelerates by up to %.3g (rad or m)/s^2, and the modes are those of "
             "forces that do not balance; give --equilibrium%s",
             speed > 0 ? " and no steady motion in the coordinates of its joints" : "", imbalance,
             speed > 0 ? " or --at-rest" : "");
  else if (carom_modes_change(modes) >= 1e-6)
    snprintf(
        text, sizeof text,
        "the linearised equations change while the model moves (by %.2g of their coefficients within 0.05 rad): the "
        "eigenvalues are those of this instant, and do not tell whether the motion is stable",
        carom_modes_change(modes));
  if (*text) fprintf(stderr, "%swarning:%s %s\n", style(stderr, STYLE_WARNING), style(stderr, STYLE_PLAIN), text);
}

static bool go_on(void *context) {
  (void)context;
  return !progress_must_end();
}

static carom_modes *find_modes(const modes_args *a, carom_sim *sim, carom_error *error) {
  if (a->equilibrium && carom_sim_equilibrium(sim, NULL, error) != CAROM_OK) return NULL;
  return a->equilibrium || a->at_rest ? carom_sim_modes_at_rest(sim, error) : carom_sim_modes(sim, error);
}

static int find(const modes_args *a, const carom_model *model) {
  carom_error error = {0};
  carom_sim *sim = carom_sim_create(model, &error);
  int code = 0;
  progress_watch_signals();
  if (sim) carom_sim_set_interrupt(sim, go_on, NULL);
  carom_modes *modes = sim ? find_modes(a, sim, &error) : NULL;
  if (!modes) code = tell_error(&error);
  if (modes && a->record && carom_modes_record(modes, sim, a->record, a->force, &error) != CAROM_OK)
    code = tell_error(&error);
  if (modes) warn_of_state(modes);
  if (modes && a->json) code = print_json(modes) ? 1 : code;
  else if (modes) print_modes(a, modes);
  if (modes && a->record && !code && !a->json) printf("to see them   carom report %s\n", a->record);
  carom_modes_destroy(modes);
  carom_sim_destroy(sim);
  return code;
}

static int run_modes(int argc, char **argv) {
  modes_args a = {0};
  int code = args_parse(&command_modes, argc, argv, &a);
  carom_model *model = code < 0 ? load_model(a.model, &a.settings, NULL, &code) : NULL;
  if (model) code = find(&a, model);
  carom_model_destroy(model);
  settings_free(&a.settings);
  return code;
}
