// carom equilibrium: where a model comes to rest.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "load.h"
#include "progress.h"
#include "talk.h"

typedef struct equilibrium_args {
  const char *model;
  setting_list settings;
  bool json;
} equilibrium_args;

#define AT(field) offsetof(equilibrium_args, field)
static const arg equilibrium_table[] = {
    {.name = "MODEL", .kind = ARG_OPERAND, .offset = AT(model), .required = true, .help = "the model file"},
    {.name = "--set",
     .kind = ARG_SETTING,
     .value = "NAME=VALUE",
     .offset = AT(settings),
     .help = "change a parameter or any key: coordinates=absolute"},
    {.name = "--json", .kind = ARG_FLAG, .offset = AT(json), .help = "print one JSON object"},
};
#undef AT

static int run_equilibrium(int argc, char **argv);
const command command_equilibrium = {
    "equilibrium",
    "Find where a model comes to rest, by a damped motion from its start.",
    "Drives stay where they are at the start. Contacts act by their force laws, or under methods with rigid contact "
    "by\n"
    "complementarity. With friction more than one equilibrium exists: the result is where the damped motion sticks.\n"
    "Exit code 0 if it was found, 1 if the model does not come to rest.",
    equilibrium_table,
    sizeof equilibrium_table / sizeof *equilibrium_table,
    run_equilibrium};

static void print_signal(const carom_model *model, carom_sim *sim, const char *name, bool degrees) {
  const int signal = carom_model_signal(model, name);
  if (signal < 0) return;
  const double value = carom_sim_read(sim, signal);
  const char *unit = carom_model_signal_unit(model, signal);
  printf("  %-24s %.9g %s", name, value, strcmp(unit, "1") == 0 ? "" : unit);
  if (degrees && strcmp(unit, "rad") == 0) printf("  (%.6g deg)", value * 57.29577951308232);
  printf("\n");
}

static void print_positions(const carom_model *model, carom_sim *sim) {
  char name[512];
  for (int i = 0; carom_model_joint_name(model, i); i++) {
    const int count = carom_model_joint_coordinates(model, i);
    for (int k = 0; k < count; k++) {
      if (count == 1) snprintf(name, sizeof name, "%s.q", carom_model_joint_name(model, i));
      else snprintf(name, sizeof name, "%s.q%d", carom_model_joint_name(model, i), k);
      print_signal(model, sim, name, true);
    }
  }
  for (int i = 1; i <= carom_model_get_info(model).bodies; i++)
    for (int k = 0; k < carom_model_body_modes(model, i); k++) {
      snprintf(name, sizeof name, "%s.mode%d", carom_model_body_name(model, i), k + 1);
      print_signal(model, sim, name, false);
    }
  for (int i = 0; carom_model_part(model, "states", i).name; i++)
    print_signal(model, sim, carom_model_part(model, "states", i).name, false);
  for (int i = 0; carom_model_part(model, "contacts", i).name; i++) {
    snprintf(name, sizeof name, "%s.fn", carom_model_part(model, "contacts", i).name);
    print_signal(model, sim, name, false);
  }
  for (int i = 0; carom_model_part(model, "outputs", i).name; i++)
    print_signal(model, sim, carom_model_part(model, "outputs", i).name, true);
}

static void print_stability(const carom_equilibrium *e) {
  printf("%d degree%s of freedom: ", e->freedoms, e->freedoms == 1 ? "" : "s");
  if (!e->freedoms) printf("held by drives, constraints and contacts");
  else if (e->unstable) printf("UNSTABLE in %d of them", e->unstable);
  else if (e->neutral) printf("stable or neutral");
  else printf("stable");
  if (e->neutral) printf(", no restoring force in %d", e->neutral);
  printf("; found in %d step%s, acceleration left %.2g\n", e->iterations, e->iterations == 1 ? "" : "s", e->residual);
  if (e->closed)
    printf("%d contact point%s carr%s a force\n", e->closed, e->closed == 1 ? "" : "s", e->closed == 1 ? "ies" : "y");
  if (e->friction)
    printf(
        "with friction more than one equilibrium exists: this is the one that a damped motion from the start "
        "reaches\n");
}

static int print_json(const carom_equilibrium *e, carom_sim *sim) {
  const int length = carom_equilibrium_json(e, sim, NULL, 0);
  char *text = malloc((size_t)length + 1);
  if (!text) return tell_out_of_memory();
  carom_equilibrium_json(e, sim, text, length + 1);
  printf("%s\n", text);
  free(text);
  return 0;
}

// What the search has found so far, and how it is shown.
typedef struct watch {
  carom_equilibrium found;
  progress shown;
} watch;

static bool go_on(void *context) {
  watch *w = context;
  if (w->shown.visible)
    fprintf(stderr, "\r\033[K%d steps of damped motion, the last one of %.2g", w->found.iterations, w->found.step);
  w->shown.started = true;
  fflush(stderr);
  return !progress_must_end();
}

static int find(const equilibrium_args *a, const carom_model *model) {
  carom_error error = {0};
  watch w = {.shown = {.visible = is_terminal(stderr)}};
  carom_sim *sim = carom_sim_create(model, &error);
  int code = 0;
  progress_watch_signals();
  if (sim) carom_sim_set_interrupt(sim, go_on, &w);
  const bool found = sim && carom_sim_equilibrium(sim, &w.found, &error) == CAROM_OK;
  progress_clear(&w.shown);
  w.shown.visible = false;
  if (!found) code = tell_error(&error);
  else if (a->json) code = print_json(&w.found, sim);
  else print_positions(model, sim), print_stability(&w.found);
  carom_sim_destroy(sim);
  return code;
}

static int run_equilibrium(int argc, char **argv) {
  equilibrium_args a = {0};
  int code = args_parse(&command_equilibrium, argc, argv, &a);
  carom_model *model = code < 0 ? load_model(a.model, &a.settings, NULL, &code) : NULL;
  if (model) code = find(&a, model);
  carom_model_destroy(model);
  settings_free(&a.settings);
  return code;
}
