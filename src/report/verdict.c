// How far to trust a run, one check per line: what was found, what it means for motion and forces, and what to change.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "report/verdict.h"

static void put_check(verdict *v, carom_check c, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void put_check(verdict *v, carom_check c, const char *format, ...) {
  char sentence[800];
  va_list args;
  va_start(args, format);
  vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  c.sentence = arena_copy_text(v->memory, sentence);
  if (!c.unit) c.unit = "1";
  *ARENA_PUSH(v->memory, v->checks, v->count, v->capacity) = c;
}

static carom_level level_of(double value, double good, double tolerable) {
  return value <= good ? CAROM_GOOD : value <= tolerable ? CAROM_DOUBTFUL : CAROM_BAD;
}

// --- numbers for people ----------------------------------------------------------------------------------------------

// 0.0000062 m: '6.2 µm'.
static const char *quantity(arena *memory, double x, const char *unit) {
  static const char *const prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G"};
  enum { NONE = 4, LAST = sizeof prefixes / sizeof *prefixes - 1 };
  if (!isfinite(x) || x == 0) return arena_print(memory, "%g %s", x, unit);
  double two_digits = strtod(arena_print(memory, "%.1e", x), NULL);  // 999.7 µm is 1 mm
  int k = (int)fmin(LAST, fmax(0, NONE + floor(log10(fabs(two_digits)) / 3 + 1e-9)));
  return arena_print(memory, "%g %s%s", strtod(arena_print(memory, "%.1e", x * pow(10, -3 * (k - NONE))), NULL),
                     prefixes[k], unit);
}

// Below the smallest prefix a length is rounding, whatever its digits.
static const char *up_to(arena *memory, double x, const char *unit) {
  if (fabs(x) < 1e-12) return arena_print(memory, "below 1 p%s", unit);
  return quantity(memory, x, unit);
}

static const char *percent(arena *memory, double share) {
  if (share > 0 && share < 1e-6) return "below 0.0001 %";
  return arena_print(memory, "%g %%", strtod(arena_print(memory, "%.1e", 100 * share), NULL));
}

// 12345: '12 345', with a narrow space that does not break.
static const char *count_text(arena *memory, double count) {
  const char *digits = arena_print(memory, "%.0f", count);
  arena_text t = {0};
  for (size_t left = strlen(digits); left; digits++, left--) {
    arena_append(memory, &t, "%c", *digits);
    if (left % 3 == 1 && left > 1) arena_append(memory, &t, "\u202f");
  }
  return t.text;
}

static const char *several(arena *memory, double count, const char *one, const char *many) {
  return arena_print(memory, "%s %s", count_text(memory, count), count == 1 ? one : many);
}

// --- lines -----------------------------------------------------------------------------------------------------------

// What makes this method more accurate.
static const char *finer(const verdict_facts *run) {
  const char *own = carom_method_get_advice(run->method).accuracy;
  if (own) return own;
  const json_value *integrator = json_get(json_get(run->scene, "options"), "integrator");
  return strcmp(json_get_text(integrator, "type"), "rk4") == 0 ? "take a shorter step" : "tighten rtol and atol";
}

static void judge_end(verdict *v, const verdict_facts *run) {
  carom_check c = {.key = "end", .title = "How it ended", .value = run->t1, .unit = "s", .limit = NAN};
  const char *status = json_get_text(run->summary, "status"), *why = json_get_text(run->summary, "error");
  const char *at = arena_print(v->memory, "t = %.6g s", run->t1);
  if (!run->summary) {
    c.level = CAROM_DOUBTFUL;
    bool now = run->running;
    put_check(
        v, c,
        now ? "The run is still going; this report shows it up to %s. Make the report again when the run has ended."
            : "The run was killed; this report shows it up to %s. There is no summary, so energy, constraints and "
              "solver were not checked.",
        at);
  } else if (strcmp(status, "done") == 0) {
    c.level = CAROM_GOOD;
    put_check(v, c, "The run reached its end, %s.", at);
  } else if (strcmp(status, "interrupted") == 0) {
    c.level = CAROM_DOUBTFUL;
    put_check(v, c, "The run was interrupted at %s. The results up to then are complete, and the run can be resumed.",
              at);
  } else {
    c.level = CAROM_BAD;
    put_check(v, c, "The run failed at %s%s%s", at, *why ? ": " : ".", why);
  }
}

// What comes after the first such number may follow from it.
static void judge_numbers(verdict *v, const verdict_facts *run) {
  const json_value *first = json_get(run->summary, "non_finite");
  double count = json_get_number(json_get(run->summary, "warnings"), "non_finite", 0);
  if (!first || !(count > 0)) return;
  carom_check c = {
      .key = "non_finite", .title = "Numbers that are not finite", .level = CAROM_BAD, .value = count, .limit = 0};
  put_check(v, c,
            "Column '%s' is not a finite number at t = %.6g s (%s in all). Do not trust what depends on it: look for "
            "an overflow, a division "
            "by zero or a function outside its domain.",
            json_get_text(first, "column"), json_get_number(first, "t", NAN), several(v->memory, count, "row", "rows"));
}

// The limits of the scheme as the run had them; what an older record does not say is taken from the scheme as it is
// now.
static void find_energy_limits(const verdict_facts *run, double *warn, double *bad) {
  carom_method_advice own = carom_method_get_advice(run->method);
  *bad = json_get_number(run->summary, "energy_limit", own.energy_limit);
  *warn = json_get_number(run->summary, "energy_warn", own.energy_warn);
}

static void judge_energy(verdict *v, const verdict_facts *run) {
  double value = json_get_number(run->summary, "energy_imbalance", NAN), warn, bad;
  find_energy_limits(run, &warn, &bad);
  carom_check c = {.key = "energy",
                   .title = "Energy balance",
                   .value = value,
                   .limit = value > bad ? bad : warn,
                   .level = level_of(value, warn, bad)};
  const char *found = percent(v->memory, value);
  if (!isfinite(value))
    put_check(v, c,
              "The energy balance is not a finite number. Do not trust any result after the first non-finite value.");
  else if (c.level == CAROM_GOOD)
    put_check(
        v, c,
        "Relative energy error %s, within the limit of %s for this method. Speeds and losses are about as accurate.",
        found, percent(v->memory, warn));
  else if (c.level == CAROM_DOUBTFUL)
    put_check(v, c,
              "Relative energy error %s. A good run of this method stays below %s; above %s do not trust it. Speeds, "
              "losses and "
              "impact times have errors of about this size: %s, and check whether the results change.",
              found, percent(v->memory, warn), percent(v->memory, bad), finer(run));
  else
    put_check(v, c,
              "Relative energy error %s, above the limit of %s for this method. Do not trust "
              "speeds and forces: %s, or check for a singular position or a jump in a force or motion.",
              found, percent(v->memory, bad), finer(run));
}

static void judge_constraints(verdict *v, const verdict_facts *run) {
  double value = json_get_number(run->summary, "constraint_violation", NAN);
  double length = json_get_number(run->scene, "length", 1), good = 1e-6 * length;
  carom_check c = {.key = "constraints",
                   .title = "Constraint violation",
                   .value = value,
                   .limit = good,
                   .unit = "m",
                   .level = level_of(value, good, 1e-3 * length)};
  const char *apart = up_to(v->memory, value, "m"), *size = quantity(v->memory, length, "m");
  const char *loops = carom_method_get_advice(run->method).loops;
  if (!isfinite(value)) put_check(v, c, "The record has no constraint violation, so this could not be checked.");
  else if (value == 0)
    put_check(v, c,
              "No violation is possible: joint coordinates satisfy every joint exactly, and no joint closes a loop.");
  else if (value <= good)
    put_check(v, c,
              "Largest constraint violation %s, in a model of size %s. Loops stay closed, and joint forces are "
              "reliable.",
              apart, size);
  else
    put_check(
        v, c,
        "Largest constraint violation %s, in a model of size %s. Joint forces are unreliable to the same degree: %s%s.",
        apart, size, loops ? arena_print(v->memory, "%s, or ", loops) : "", finer(run));
}

// Without a bound of the scheme's own: a tenth of the smallest clearance, or a thousandth of the model.
static double penetration_limit(const verdict_facts *run, double bound, const char **of) {
  const json_value *contacts = json_get(run->scene, "contacts");
  double smallest = INFINITY;
  for (int i = 0; contacts && i < contacts->count; i++) {
    double clearance = json_get_number(&contacts->items[i], "clearance", 0);
    if (clearance > 0) smallest = fmin(smallest, clearance);
  }
  *of = bound > 0            ? "the given bound"
        : isfinite(smallest) ? "a tenth of the smallest clearance"
                             : "a thousandth of the model size";
  if (bound > 0) return bound;
  return isfinite(smallest) ? 0.1 * smallest : 1e-3 * json_get_number(run->scene, "length", 1);
}

// What detects contacts earlier, unless the run did that already.
static const char *earlier(const verdict_facts *run, const char *advice) {
  const char *entry = json_get_text(json_get(json_get(run->scene, "options"), "method"), "entry");
  return advice && entry && *entry && strstr(advice, entry) ? NULL : advice;
}

static void judge_penetration(verdict *v, const verdict_facts *run) {
  const json_value *contact = json_get(run->summary, "contact");
  const char *of;
  double value = json_get_number(contact, "worst_initial_penetration", 0),
         bound = json_get_number(contact, "penetration_bound", 0);
  double limit = penetration_limit(run, bound, &of);
  carom_check c = {.key = "penetration",
                   .title = "Penetration",
                   .value = value,
                   .limit = limit,
                   .unit = "m",
                   .level = level_of(value, limit, bound > 0 ? 10 * limit : INFINITY)};
  carom_method_advice own = carom_method_get_advice(run->method);
  bool good = value <= limit;
  const char *deep = value == 0 ? "none" : up_to(v->memory, value, "m");
  const char *meaning = good && own.force_laws ? "contact forces start from zero, as the law requires"
                        : good                 ? "impact times and clearances are as in the model"
                        : own.force_laws       ? "contact forces started with a jump and added energy: "
                                               : "impacts were detected late, which shifts impact times and rebounds: ";
  const char *entry = earlier(run, own.entry), *advice = good ? ""
                                                         : entry
                                                             ? arena_print(v->memory, "%s, or %s", entry, finer(run))
                                                             : finer(run);
  put_check(v, c, "Penetration at first contact: %s; limit %s (%s). So %s%s.", deep, quantity(v->memory, limit, "m"),
            of, meaning, advice);
}

// Rigid contact leaves open how points share a load: even two points that stick to one body, in the force along their
// line.
static bool shares_loads(const verdict_facts *run) {
  const json_value *contacts = json_get(run->scene, "contacts");
  double points = 0;
  for (int i = 0; contacts && i < contacts->count; i++) points += json_get_number(&contacts->items[i], "points", 1);
  return points > 1;
}

static void judge_solver(verdict *v, const verdict_facts *run) {
  const json_value *solver = json_get(run->summary, "solver");
  double solves = json_get_number(solver, "solves", 0), unsolved = json_get_number(solver, "unsolved", 0);
  if (!(solves > 0)) return;  // forces by laws, or nothing ever touched
  double residual = json_get_number(solver, "worst_residual", 0);
  double tolerance = json_get_number(json_get(json_get(run->scene, "options"), "method"), "tolerance", NAN);
  carom_check c = {.key = "solver",
                   .title = "Contact problems",
                   .value = residual,
                   .limit = tolerance,
                   .level = unsolved > 0 ? CAROM_BAD : CAROM_GOOD};
  double impossible = json_get_number(solver, "impossible", 0);
  if (impossible > 0)
    put_check(v, c,
              "%s of %s have no solution: every combination of open, stick and slip was tried. The contacts require "
              "motions that contradict each other. Do not trust the forces of those steps.",
              count_text(v->memory, impossible), several(v->memory, solves, "contact problem", "contact problems"));
  else if (unsolved > 0)
    put_check(v, c,
              "%s of %s could not be solved to tolerance. Do not trust the forces of those steps: %s, or save the "
              "problems with dump: "
              "and examine them with `carom solve`.",
              count_text(v->memory, unsolved), several(v->memory, solves, "contact problem", "contact problems"),
              finer(run));
  else
    put_check(
        v, c,
        "%s solved to tolerance: contact forces, gaps and friction satisfy "
        "their laws.%s",
        solves == 1 ? "The one contact problem was"
                    : arena_print(v->memory, "All %s contact problems were", count_text(v->memory, solves)),
        shares_loads(run)
            ? " Where several points hold one body, only the sum of their forces is determined, not the force of each."
            : "");
}

// The scene names the contacts that a warning is about.
static bool has_remark(const verdict_facts *run, const char *name) {
  const json_value *remarks = json_get(run->scene, "remarks");
  for (int i = 0; remarks && i < remarks->count; i++)
    if (strcmp(json_get_text(&remarks->items[i], "name"), name) == 0) return true;
  return false;
}

typedef struct warning_words {
  const char *name, *title;
  const char *before, *one, *many, *after;  // before, 12 many, after
} warning_words;

static const warning_words known_warnings[] = {
    {"restart", "Restarts", "The integrator restarted from a checkpoint ", "time", "times",
     ". Only the last digits differ from an uninterrupted run."},
    {"projection", "Projection", "In ", "step", "steps",
     " the constraints could not be satisfied to tolerance: check the constraint violation, and check for a position "
     "in which the mechanism locks or branches."},
    {"initial", "Initial values", "", "kind of given initial values", "kinds of given initial values",
     " had to be changed so that the mechanism can be assembled. `carom check` shows the changes."},
    {"step_too_large", "Step too large", "", "contact was", "contacts were",
     " found deeper than a clearance, a body or half the way between stops, or not at all: impacts may have been "
     "missed. Take a shorter step."},
    {"chatter", "Chatter", "", "contact that should rest opens and closes",
     "times a contact that should rest began to open and close",
     " again and again within a few steps: its forces are those of single steps, only their means count, and the body "
     "may "
     "creep. Take a shorter step; if that does not help, restitution 0."},
    {"fallback", "Iteration failed", "In ", "step", "steps",
     " the iteration found no contact forces, also after the step was halved: they are those of complementarity at "
     "each "
     "instant instead. Take a shorter step."},
    {"inconsistent", "Painlevé: no force", "In ", "step", "steps",
     " of sliding or impact no finite contact force satisfies the laws of rigid contact: an impact without collision "
     "ended the "
     "sliding, or an impact was computed without restitution. The motion after it depends on that choice. Method "
     "compliant does not need it."},
    {"indeterminate", "Painlevé: several motions", "In ", "step", "steps",
     " of sliding more than one motion satisfies the laws of rigid contact; the one with lift-off was tried first. "
     "Method compliant has a unique motion."},
    {"friction_unsettled", "Joint friction", "In ", "step", "steps",
     " the friction of a joint and its load did not converge: several loads are possible, or none. Give the joint a "
     "constant "
     "friction_torque or friction_force, or less friction."},
    {"unsettled", "Undecided instants", "At ", "instant", "instants",
     " contact modes or impacts were not determined uniquely: the motion after it is one of several possible ones."},
    {"penetration", "Penetration above the bound", "", "contact was", "contacts were",
     " first detected deeper than the bound, which adds energy."},
    {"energy_gain", "Energy gained", "", "impact", "impacts",
     " added energy, which Newton's law of impact with friction can do: check their loss in the table of impacts, or "
     "use impact: poisson under method event. Under methods lcp-position and lcp-velocity take a shorter step."},
    {"restitution", "Restitution differs", "", "contact has", "contacts have",
     " a law whose achieved restitution differs from the nominal one: compare `e` and `e set` in the table of "
     "impacts."},
    {"conformal", "Conformal surfaces", "", "contact has", "contacts have",
     " Hertz's stiffness between nearly conformal surfaces, which is outside its range: peak forces are unreliable. "
     "Give a stiffness, or use law: johnson."},
    {"curvature", "Curvature out of range", "In ", "step", "steps",
     " of a contact a surface was flat or sharp where it touched, so that Hertz's stiffness has no value there: a "
     "bound took its place, and "
     "forces are unreliable. Give a stiffness, or a shape that is curved there."},
    {"no_contact", "No contact", "", "pair of surfaces is", "pairs of surfaces are",
     " left out: bodies pass through each other. `carom check` says why."},
    {"rigid_surface", "Rigid surface", "", "surface on a flexible body does", "surfaces on flexible bodies do",
     " not deform with it: forces and indentation there are those of a rigid shape. Use a surface 'boundary', or "
     "points "
     "along the body."},
    {"missed_load", "Missed load", "", "contact place has", "contact places have",
     " static loads that the modes of the body follow only in part. `carom check` says how much."},
};

static const warning_words *find_warning(const char *name) {
  for (size_t k = 0; k < sizeof known_warnings / sizeof *known_warnings; k++)
    if (strcmp(known_warnings[k].name, name) == 0) return &known_warnings[k];
  return NULL;
}

// When it happened first, and between what, where the summary says.
static const char *first_time(verdict *v, const verdict_facts *run, const char *name) {
  const json_value *first = json_get(run->summary, name);
  double t = json_get_number(first, "t", NAN);
  const char *contact = json_get_text(first, "contact");
  if (!isfinite(t)) return "";
  const char *where = contact && *contact ? arena_print(v->memory, ": %s,", contact) : "";
  return arena_print(v->memory, " First%s at %s.", where, quantity(v->memory, t, "s"));
}

// Motion and forces are as the law says, but rigid friction would hold.
static void judge_creep(verdict *v, const verdict_facts *run) {
  const json_value *creep = json_get(run->summary, "creep");
  double distance = json_get_number(creep, "distance", 0);
  if (!(distance > 0)) return;
  carom_check c = {
      .key = "creep", .title = "Creep", .level = CAROM_DOUBTFUL, .value = distance, .limit = 0, .unit = "m"};
  put_check(v, c,
            "'%s' crept %s while it stuck, the most of all pairs. Friction under compliant holds by sliding slower "
            "than v0 = %s: a smaller "
            "v0 creeps less, the friction laws dahl and lugre hold, and methods moreau and event do not creep.",
            json_get_text(creep, "pair"), quantity(v->memory, distance, "m"),
            quantity(v->memory, json_get_number(creep, "v0", NAN), "m/s"));
}

// Displacements are linear in the modal coordinates, up to second order along a beam.
static void judge_deformation(verdict *v, const verdict_facts *run) {
  const json_value *most = json_get(run->summary, "large_deformation");
  const double turn = json_get_number(most, "turn", 0), turn_limit = json_get_number(most, "turn_limit", NAN);
  const double strain = json_get_number(most, "strain", 0), strain_limit = json_get_number(most, "strain_limit", NAN);
  const bool turned = !(turn <= turn_limit);
  if (!(turn > 0)) return;
  carom_check c = {.key = "large_deformation",
                   .title = "Large deformation",
                   .level = CAROM_DOUBTFUL,
                   .value = turned ? turn : strain,
                   .limit = turned ? turn_limit : strain_limit,
                   .unit = turned ? "rad" : ""};
  put_check(
      v, c,
      "Flexible bodies deformed beyond their theory, which is for turns up to %.3g degrees and strains up to %.3g "
      "%%: %s. Split a body that turns into several that are fixed to each other; a material at such strains is "
      "not linear.",
      turn_limit * 180 / M_PI, strain_limit * 100, json_get_text(most, "bodies"));
}

// Every other warning that was counted.
static void judge_warnings(verdict *v, const verdict_facts *run) {
  const json_value *warnings = json_get(run->summary, "warnings");
  for (int i = 0; warnings && i < warnings->count; i++) {
    const json_value *w = &warnings->items[i];
    if (!w->key || !(w->number > 0) || strcmp(w->key, "energy") == 0 || strcmp(w->key, "unsolved") == 0 ||
        strcmp(w->key, "non_finite") == 0 || strcmp(w->key, "creep") == 0 || strcmp(w->key, "large_deformation") == 0)
      continue;
    if (has_remark(run, w->key)) continue;  // judge_laws says more
    const warning_words *known = find_warning(w->key);
    carom_check c = {.key = w->key,
                     .title = known ? known->title : "Warning",
                     .level = CAROM_DOUBTFUL,
                     .value = w->number,
                     .limit = 0};
    if (known)
      put_check(v, c, "%s%s%s%s", known->before, several(v->memory, w->number, known->one, known->many), known->after,
                first_time(v, run, w->key));
    else put_check(v, c, "Warning '%s' occurred %s.", w->key, several(v->memory, w->number, "time", "times"));
  }
}

static const char *remark_title(const char *name) {
  const warning_words *known = find_warning(name);
  return known ? known->title : "Law beyond its range";
}

// Laws of continuous contact that are used beyond their range.
static void judge_laws(verdict *v, const verdict_facts *run) {
  const json_value *remarks = json_get(run->scene, "remarks");
  for (int i = 0; remarks && i < remarks->count; i++) {
    const json_value *remark = &remarks->items[i];
    double count = json_get_number(remark, "count", 1);
    const char *name = json_get_text(remark, "name"), *contact = json_get_text(remark, "contact");
    carom_check c = {.key = name, .title = remark_title(name), .level = CAROM_DOUBTFUL, .value = count, .limit = 0};
    const char *whose = count > 1
                            ? arena_print(v->memory, "'%s' and %s more", contact, count_text(v->memory, count - 1))
                            : arena_print(v->memory, "'%s'", contact);
    put_check(v, c, "%s: %s.", whose, json_get_text(remark, "text"));
  }
}

verdict verdict_judge(arena *memory, const verdict_facts *facts) {
  verdict v = {.memory = memory};
  judge_end(&v, facts);
  if (facts->summary) {
    judge_numbers(&v, facts);
    judge_energy(&v, facts);
    judge_constraints(&v, facts);
    if (facts->can_touch) judge_penetration(&v, facts), judge_solver(&v, facts);
    judge_warnings(&v, facts);
    judge_creep(&v, facts);
    judge_deformation(&v, facts);
  }
  judge_laws(&v, facts);
  return v;
}

void report_put_verdict(report *r, json_writer *w, const report_run *run) {
  static const char *const levels[] = {"good", "warn", "bad"};
  verdict_facts facts = {.summary = run->summary,
                         .scene = run->scene,
                         .method = record_get_text(run->in, "method"),
                         .t1 = run->t1,
                         .running = !run->summary && record_is_running(run->in),
                         .can_touch = run->impact_source >= 0};
  verdict v = verdict_judge(r->memory, &facts);
  json_open(w, "verdict", '[');
  for (int i = 0; i < v.count; i++) {
    const carom_check *c = &v.checks[i];
    json_open(w, NULL, '{');
    json_put_text(w, "key", c->key);
    json_put_text(w, "level", levels[c->level]);
    json_put_text(w, "title", c->title);
    json_put_number(w, "value", c->value);
    json_put_text(w, "unit", c->unit);
    json_put_number(w, "limit", c->limit);
    json_put_text(w, "sentence", c->sentence);
    json_close(w, '}');
  }
  json_close(w, ']');
}
