// carom laws: every force law, what restitution comes out of it, and its curves.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "outputs.h"
#include "talk.h"

typedef struct laws_args {
  const char *law, *csv, *friction_csv, *restitution, *stiffness, *damping, *mass, *speed;
  bool force;
} laws_args;

#define AT(field) offsetof(laws_args, field)
static const arg laws_table[] = {
    {.name = "--csv",
     .kind = ARG_TEXT,
     .value = "FILE",
     .offset = AT(csv),
     .help = "write an impact under each normal law: time, penetration, its rate, force"},
    {.name = "--friction-csv",
     .kind = ARG_TEXT,
     .value = "FILE",
     .offset = AT(friction_csv),
     .help = "write sliding back and forth under each friction law: time, travel, speed, force"},
    {.name = "--law", .kind = ARG_TEXT, .value = "NAME", .offset = AT(law), .help = "this law only"},
    {.name = "--restitution",
     .kind = ARG_TEXT,
     .value = "E",
     .offset = AT(restitution),
     .help = "nominal restitution of the formulas (default: 0.7)"},
    {.name = "--stiffness",
     .kind = ARG_TEXT,
     .value = "K",
     .offset = AT(stiffness),
     .help = "K of the impact (default: steel on steel)"},
    {.name = "--damping",
     .kind = ARG_TEXT,
     .value = "D",
     .offset = AT(damping),
     .help = "D of kelvin-voigt (default: that of a free oscillation with the restitution)"},
    {.name = "--mass",
     .kind = ARG_TEXT,
     .value = "M",
     .offset = AT(mass),
     .help = "mass of the impact (default: a sphere of steel, 10 mm in radius)"},
    {.name = "--speed",
     .kind = ARG_TEXT,
     .value = "V",
     .offset = AT(speed),
     .help = "speed of the impact (default: 1 m/s)"},
    {.name = "--force", .kind = ARG_FLAG, .offset = AT(force), .help = "replace files that carom did not write"},
};
#undef AT

static int run_laws(int argc, char **argv);
const command command_laws = {
    "laws",
    "Show force laws: equations, restitution, curves.",
    "Without a file it prints every law with its equation, source and range, and the restitution that each normal law\n"
    "achieves for a nominal one. Numbers are in SI units.",
    laws_table,
    sizeof laws_table / sizeof *laws_table,
    run_laws};

// --- tables ----------------------------------------------------------------------------------------------------------

static void print_law(const carom_law *l) {
  printf("%s%s%s\n    %s\n    source  %s\n    range   %s\n", style(stdout, STYLE_STRONG), l->name,
         style(stdout, STYLE_PLAIN), l->equation, l->source, l->range);
}

static bool is_wanted(const carom_law *l, const char *name) { return !name || strcmp(l->name, name) == 0; }

static void print_laws(carom_law_family family, const char *title, const char *only) {
  carom_law l;
  bool begun = false;
  for (int i = 0; (l = carom_law_get(family, i)).name; i++) {
    if (!is_wanted(&l, only)) continue;
    if (!begun) printf("%s\n\n", title);
    begun = true;
    print_law(&l);
  }
  if (begun) printf("\n");
}

static void print_restitution(const char *only) {
  static const double given[] = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1};
  enum { COUNT = sizeof given / sizeof *given };
  bool begun = false;
  carom_law l;
  for (int i = 0; (l = carom_law_get(CAROM_NORMAL_LAWS, i)).name; i++) {
    if (!is_wanted(&l, only)) continue;
    if (!begun) {
      printf("Achieved restitution for each nominal one (- if the law has none)\n\n%-20s", "");
      for (int k = 0; k < COUNT; k++) printf(" %6.2f", given[k]);
      printf("\n");
    }
    begun = true;
    printf("%-20s", l.name);
    for (int k = 0; k < COUNT; k++) {
      double e = carom_law_achieved(l.name, given[k]);
      if (isnan(e)) printf(" %6s", "-");
      else printf(" %6.4f", e);
    }
    printf("\n");
  }
}

// --- numbers of the command line -------------------------------------------------------------------------------------

// Leaves the number as it is where there is no word. False after complaining.
static bool take(const char *word, const char *what, double *x, double most) {
  if (!word) return true;
  char *end;
  double number = strtod(word, &end);
  if (end == word || *end || !(number > 0 && number <= most)) {
    usage_error("laws", "'%s' is not a %s", word, what);
    return false;
  }
  *x = number;
  return true;
}

static bool take_impact(const laws_args *a, carom_impact *impact) {
  *impact = carom_impact_default();
  impact->material.restitution = 0.7;
  carom_material_def *m = &impact->material;
  return take(a->restitution, "restitution from 0 to 1", &m->restitution, 1) &&
         take(a->stiffness, "stiffness", &m->stiffness, HUGE_VAL) &&
         take(a->damping, "damping", &m->damping, HUGE_VAL) && take(a->mass, "mass", &impact->mass, HUGE_VAL) &&
         take(a->speed, "speed", &impact->speed, HUGE_VAL);
}

// --- curves ----------------------------------------------------------------------------------------------------------

typedef struct curve {
  FILE *to;
  const char *law;
  double restitution;
} curve;

static void write_impact(void *context, double t, double delta, double rate, double force) {
  const curve *c = context;
  fprintf(c->to, "%s,%.17g,%.17g,%.17g,%.17g,%.17g\n", c->law, c->restitution, t, delta, rate, force);
}

static void write_slide(void *context, double t, double x, double v, double force) {
  const curve *c = context;
  fprintf(c->to, "%s,%.17g,%.17g,%.17g,%.17g\n", c->law, t, x, v, force);
}

static int write_impacts(const laws_args *a, FILE *to, FILE *talk) {
  carom_law l;
  fprintf(to, "%s\n", CAROM_IMPACT_CSV);
  fprintf(talk, "%-20s %10s %10s %12s %12s %12s\n", "", "prescribed", "achieved", "deepest m", "peak N", "duration s");
  for (int i = 0; (l = carom_law_get(CAROM_NORMAL_LAWS, i)).name; i++) {
    if (!is_wanted(&l, a->law) || l.own) continue;
    carom_impact impact;
    carom_impact_result result;
    carom_error error = {0};
    if (!take_impact(a, &impact)) return EXIT_USAGE;
    if (carom_law_fit(l.name, &impact, &error) != CAROM_OK) return tell_error(&error);
    curve c = {to, l.name, impact.material.restitution};
    if (carom_law_impact(&impact, write_impact, &c, &result, &error) != CAROM_OK) return tell_error(&error);
    fprintf(talk, "%-20s %10.4f %10.4f %12.5g %12.5g %12.5g\n", l.name, c.restitution, result.restitution,
            result.deepest, result.peak, result.duration);
  }
  return 0;
}

static int write_slides(const laws_args *a, FILE *to) {
  carom_law l;
  fprintf(to, "%s\n", CAROM_SLIDE_CSV);
  for (int i = 0; (l = carom_law_get(CAROM_FRICTION_LAWS, i)).name; i++) {
    if (!is_wanted(&l, a->law) || l.own) continue;
    carom_slide slide = carom_slide_default();
    carom_error error = {0};
    slide.material.friction_law = l.name;
    curve c = {.to = to, .law = l.name};
    if (carom_law_slide(&slide, write_slide, &c, &error) != CAROM_OK) return tell_error(&error);
  }
  return 0;
}

// In memory first: what cannot be made or written leaves an old file as it was.
static int write_file(const laws_args *a, const char *path, bool friction) {
  if (strcmp(path, "-") == 0) return friction ? write_slides(a, stdout) : write_impacts(a, stdout, stderr);
  char *text = NULL;
  size_t length = 0;
  carom_error error = {0};
  carom_output output = {.path = path, .kind = CAROM_FILE_CSV, .force = a->force};
  if (carom_output_check(&output, &error) != CAROM_OK) return tell_error(&error);
  FILE *to = open_memstream(&text, &length);
  if (!to) return usage_error("laws", "out of memory");
  int code = friction ? write_slides(a, to) : write_impacts(a, to, stdout);
  if (fclose(to) != 0 && code == 0) code = usage_error("laws", "out of memory");
  if (code == 0 && carom_output_write(&output, text, length, &error) != CAROM_OK) code = tell_error(&error);
  free(text);
  return code;
}

// ------------------------------------------------------------------------------------------------------------------

static int count_named(carom_law_family family, const char *name) {
  int count = 0;
  carom_law l;
  for (int i = 0; (l = carom_law_get(family, i)).name; i++) count += is_wanted(&l, name);
  return count;
}

static bool is_own(carom_law_family family, const char *name) {
  bool own = false;
  carom_law l;
  for (int i = 0; (l = carom_law_get(family, i)).name; i++) own |= is_wanted(&l, name) && l.own;
  return own;
}

static int unknown_law(const char *name) {
  const char *names[64], *near;
  int count = 0;
  for (int i = 0; count < 64 && (names[count] = carom_family_member("laws", i, NULL)); i++) count++;
  near = carom_nearest_word(name, names, count);
  if (near) return usage_error("laws", "there is no law '%s'; did you mean '%s'?", name, near);
  return usage_error("laws", "there is no law '%s'", name);
}

static int check_args(const laws_args *a) {
  carom_impact impact;
  if (!take_impact(a, &impact)) return EXIT_USAGE;
  if (!a->law) return 0;
  if (!count_named(CAROM_NORMAL_LAWS, a->law) && !count_named(CAROM_FRICTION_LAWS, a->law)) return unknown_law(a->law);
  if ((a->csv && is_own(CAROM_NORMAL_LAWS, a->law)) || (a->friction_csv && is_own(CAROM_FRICTION_LAWS, a->law)))
    return usage_error("laws", "law %s has a curve only in a model", a->law);
  if (a->csv && !count_named(CAROM_NORMAL_LAWS, a->law))
    return usage_error("laws", "%s is a law of friction: use --friction-csv", a->law);
  if (a->friction_csv && !count_named(CAROM_FRICTION_LAWS, a->law))
    return usage_error("laws", "%s is a law of the normal force: use --csv", a->law);
  return 0;
}

static int run_laws(int argc, char **argv) {
  laws_args a = {0};
  int code = args_parse(&command_laws, argc, argv, &a);
  if (code >= 0) return code;
  code = check_args(&a);
  if (code) return code;
  output_list outputs = {.force = a.force};
  outputs_add(&outputs, a.csv, CAROM_FILE_CSV);
  outputs_add(&outputs, a.friction_csv, CAROM_FILE_CSV);
  code = outputs_check(&outputs);
  if (code >= 0) return code;
  code = 0;
  if (code == 0 && a.csv) code = write_file(&a, a.csv, false);
  if (code == 0 && a.friction_csv) code = write_file(&a, a.friction_csv, true);
  if (code || a.csv || a.friction_csv) return code;
  print_laws(CAROM_NORMAL_LAWS, "Normal force", a.law);
  print_laws(CAROM_FRICTION_LAWS, "Friction", a.law);
  print_restitution(a.law);
  return 0;
}
