// How far to trust a run, line by line: what was found, what it means for motion and forces, and what to change where it is not good.
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

// --- numbers for people -------------------------------------------------------------------------------------------

// 0.0000062 m: '6.2 µm'.
static const char *quantity(arena *memory, double x, const char *unit) {
  static const char *const prefixes[] = {"p", "n", "µ", "m", "", "k", "M", "G"};
  enum { NONE = 4, LAST = sizeof prefixes / sizeof *prefixes - 1 };
  if (!isfinite(x) || x == 0) return arena_print(memory, "%g %s", x, unit);
  double two_digits = strtod(arena_print(memory, "%.1e", x), NULL);     // 999.7 µm is 1 mm
  int k = (int)fmin(LAST, fmax(0, NONE + floor(log10(fabs(two_digits)) / 3 + 1e-9)));
  return arena_print(memory, "%g %s%s", strtod(arena_print(memory, "%.1e", x * pow(10, -3 * (k - NONE))), NULL), prefixes[k], unit);
}

// Below the smallest prefix a length is rounding, whatever its digits.
static const char *up_to(arena *memory, double x, const char *unit) {
  if (fabs(x) < 1e-12) return arena_print(memory, "less than 1 p%s", unit);
  return arena_print(memory, "at most %s", quantity(memory, x, unit));
}

static const char *percent(arena *memory, double share) {
  if (share > 0 && share < 1e-6) return "Less than 0.0001 %";  // begins a sentence
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

// --- lines --------------------------------------------------------------------------------------------------------

static bool has_method(const verdict_facts *run, const char *name) {
  return run->method && strcmp(run->method, name) == 0;
}

// What makes this method more accurate.
static const char *finer(const verdict_facts *run) {
  if (has_method(run, "moreau")) return "take a shorter step";
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
    put_check(v, c, now ? "The run is still going; this is what there is up to %s. Make the report anew when it has ended."
                         : "The run was killed; this is what there is up to %s, and nobody has judged it as a whole.", at);
  } else if (strcmp(status, "done") == 0) {
    c.level = CAROM_GOOD;
    put_check(v, c, "The run reached the end that the model asks for, %s.", at);
  } else if (strcmp(status, "interrupted") == 0) {
    c.level = CAROM_DOUBTFUL;
    put_check(v, c, "The run was interrupted at %s; what was computed until then is whole, and a run can go on from it.", at);
  } else {
    c.level = CAROM_BAD;
    put_check(v, c, "The run failed at %s%s%s", at, *why ? ": " : ".", why);
  }
}

// The limits of the scheme as the run had them. An old record has one limit, or none.
static void find_energy_limits(const verdict_facts *run, double *warn, double *bad) {
  bool moreau = has_method(run, "moreau");
  *bad = json_get_number(run->summary, "energy_limit", moreau ? 0.05 : 1e-3);
  *warn = json_get_number(run->summary, "energy_warn", moreau ? fmin(0.01, *bad) : *bad);
}

static void judge_energy(verdict *v, const verdict_facts *run) {
  double value = json_get_number(run->summary, "energy_imbalance", NAN), warn, bad;
  find_energy_limits(run, &warn, &bad);
  carom_check c = {.key = "energy", .title = "Energy balance", .value = value, .limit = value > bad ? bad : warn,
                   .level = level_of(value, warn, bad)};
  const char *found = percent(v->memory, value);
  if (!isfinite(value))
    put_check(v, c, "The energy could not be balanced: some of it was not finite, and no number after that can be trusted.");
  else if (c.level == CAROM_GOOD)
    put_check(v, c, "%s of the largest energy at play is unaccounted for, within the %s that this method may leave. Speeds and losses are "
                    "accurate to about that.", found, percent(v->memory, warn));
  else if (c.level == CAROM_DOUBTFUL)
    put_check(v, c, "%s of the largest energy at play is unaccounted for. A good run of this method stays below %s, and above %s it is not to "
                    "be trusted. Speeds, losses and times of impacts are off by about as much: %s, and see whether the results stay.",
              found, percent(v->memory, warn), percent(v->memory, bad), finer(run));
  else
    put_check(v, c, "%s of the largest energy at play is unaccounted for, more than the %s that this method may leave at most. Do not trust "
                    "speeds and forces: %s, or look for a singular position or a jump.", found, percent(v->memory, bad), finer(run));
}

static void judge_constraints(verdict *v, const verdict_facts *run) {
  double value = json_get_number(run->summary, "constraint_violation", NAN);
  double length = json_get_number(run->scene, "length", 1), good = 1e-6 * length;
  carom_check c = {.key = "constraints", .title = "Constraint violation", .value = value, .limit = good, .unit = "m",
             .level = level_of(value, good, 1e-3 * length)};
  const char *apart = up_to(v->memory, value, "m"), *size = quantity(v->memory, length, "m");
  if (!isfinite(value))
    put_check(v, c, "The record does not say how far joints came apart, so nobody can tell whether the mechanism held together.");
  else if (value == 0)
    put_check(v, c, "No joint can come apart: the coordinates leave it no way to, or nothing closes a loop.");
  else if (value <= good)
    put_check(v, c, "Where joints close loops they are apart by %s in a model of %s: the mechanism holds together, and the forces in "
                     "its joints are those of closed loops.", apart, size);
  else
    put_check(v, c, "Where joints close loops they are apart by %s in a model of %s, and the forces in them are as rough: %s%s.", apart, size,
              has_method(run, "moreau") ? "keep project: true, or " : has_method(run, "event") ? "" : "use constraints: project, or ",
              finer(run));
}

// Without a bound of the scheme's own: a tenth of the smallest clearance, or a thousandth of the model.
static double penetration_limit(const verdict_facts *run, double bound, const char **of) {
  const json_value *contacts = json_get(run->scene, "contacts");
  double smallest = INFINITY;
  for (int i = 0; contacts && i < contacts->count; i++) {
    double clearance = json_get_number(&contacts->items[i], "clearance", 0);
    if (clearance > 0) smallest = fmin(smallest, clearance);
  }
  *of = bound > 0 ? "the bound that was set" : isfinite(smallest) ? "a tenth of the smallest clearance" : "a thousandth of the model's size";
  if (bound > 0) return bound;
  return isfinite(smallest) ? 0.1 * smallest : 1e-3 * json_get_number(run->scene, "length", 1);
}

static void judge_penetration(verdict *v, const verdict_facts *run) {
  const json_value *contact = json_get(run->summary, "contact");
  const char *of;
  double value = json_get_number(contact, "worst_initial_penetration", 0), bound = json_get_number(contact, "penetration_bound", 0);
  double limit = penetration_limit(run, bound, &of);
  carom_check c = {.key = "penetration", .title = "Penetration", .value = value, .limit = limit, .unit = "m",
             .level = level_of(value, limit, bound > 0 ? 10 * limit : INFINITY)};
  bool good = value <= limit, by_law = has_method(run, "compliant");
  const char *deep = value == 0 ? "not at all" : up_to(v->memory, value, "m");
  const char *meaning = good && by_law    ? "contact forces grow from zero, as their law means them to."
                        : good            ? "impacts come when bodies meet, and clearances are what the model says."
                        : by_law          ? "forces began as if a spring had been pushed in beforehand and do work that no motion gave: use entry: locate, or tighten rtol."
                        : has_method(run, "event") ? "impacts come late by as much. Their times and what rebounds from them shift: tighten rtol and atol."
                                          : "impacts come late by as much. Their times and what rebounds from them shift: take a shorter step, or method event.";
  put_check(v, c, "When they met, surfaces were %s inside each other, against %s (%s): %s", deep, quantity(v->memory, limit, "m"), of, meaning);
}

static void judge_solver(verdict *v, const verdict_facts *run) {
  const json_value *solver = json_get(run->summary, "solver");
  double solves = json_get_number(solver, "solves", 0), unsolved = json_get_number(solver, "unsolved", 0);
  if (!(solves > 0)) return;  // forces by laws, or nothing ever touched
  double residual = json_get_number(solver, "worst_residual", 0);
  double tolerance = json_get_number(json_get(json_get(run->scene, "options"), "method"), "tolerance", NAN);
  carom_check c = {.key = "solver", .title = "Contact problems", .value = residual, .limit = tolerance, .level = unsolved > 0 ? CAROM_BAD : CAROM_GOOD};
  double impossible = json_get_number(solver, "impossible", 0);
  if (impossible > 0)
    put_check(v, c, "%s of %s have no solution: every combination of open, stick and slip was tried, and what touches is asked for motions that "
                    "exclude each other. The forces of those steps are not to be trusted.", count_text(v->memory, impossible),
              several(v->memory, solves, "contact problem", "contact problems"));
  else if (unsolved > 0)
    put_check(v, c, "%s of %s could not be solved to tolerance, and the forces of those steps are not to be trusted: %s, or save them with dump: "
                     "and look with `carom solve`.", count_text(v->memory, unsolved), several(v->memory, solves, "contact problem", "contact problems"), finer(run));
  else
    put_check(v, c, "%s solved to tolerance: no contact pulls, none lets anything in, friction stays within Coulomb's bound. The forces "
                     "are those of the model.", solves == 1 ? "The one contact problem was"
                     : arena_print(v->memory, "All %s contact problems were", count_text(v->memory, solves)));
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
  const char *before, *one, *many, *after;   // before, 12 many, after
} warning_words;

static const warning_words known_warnings[] = {
    {"restart", "Restarts", "The integrator began anew from a checkpoint ", "time", "times",
     ", which costs it its history there: the last digits differ from those of a run in one piece, nothing else."},
    {"projection", "Projection", "In ", "step", "steps",
     " the constraints could not be met to tolerance: look at the constraint violation, and for a position in which the mechanism locks or branches."},
    {"initial", "Initial values", "", "kind of given initial values", "kinds of given initial values",
     " had to give way so that the mechanism closes: it does not start quite as the model says. `carom check` tells from where."},
    {"step_too_large", "Step too large", "", "contact was", "contacts were",
     " found deeper than a clearance or a body: impacts may have been missed. Take a shorter step."},
    {"inconsistent", "Painlevé: no force", "In ", "step", "steps",
     " of sliding no finite contact force fits the laws of rigid bodies; an impact without collision stood in. The motion before is sound, "
     "after it depends on that choice: method compliant has none to make."},
    {"indeterminate", "Painlevé: several motions", "In ", "step", "steps",
     " of sliding more than one motion fits the laws of rigid bodies, and lifting off was tried first. Method compliant tells them apart."},
    {"friction_unsettled", "Joint friction", "In ", "step", "steps",
     " the friction of a joint and the load it comes from did not agree: several loads fit, or none. Give the joint a constant "
     "friction_torque or friction_force, or less friction."},
    {"unsettled", "Undecided instants", "At ", "instant", "instants",
     " modes or impacts were still undecided when the motion went on: what follows may be one of several motions."},
    {"penetration", "Met too deep", "", "contact was", "contacts were",
     " first met deeper than the bound: such forces are not earned by any motion. Use entry: locate, or tighten rtol."},
    {"energy_gain", "Energy gained", "", "impact", "impacts",
     " added energy, as Newton's restitution with friction may: look at their loss in the table, or take impact: poisson under method event."},
    {"restitution", "Another restitution", "", "contact has", "contacts have",
     " a law that gives back another restitution than it is given: compare `e` and `e set` in the table of impacts."},
    {"conformal", "Surfaces that nearly fit", "", "contact has", "contacts have",
     " Hertz's stiffness between surfaces that nearly fit into each other: peak forces are a guess. Give a stiffness, or law: johnson."},
    {"no_contact", "No contact", "", "pair of surfaces is", "pairs of surfaces are",
     " left out, and no other pair can touch: bodies pass through each other. `carom check` names the joint."},
};

static const warning_words *find_warning(const char *name) {
  for (size_t k = 0; k < sizeof known_warnings / sizeof *known_warnings; k++)
    if (strcmp(known_warnings[k].name, name) == 0) return &known_warnings[k];
  return NULL;
}

// Every other warning that was counted.
static void judge_warnings(verdict *v, const verdict_facts *run) {
  const json_value *warnings = json_get(run->summary, "warnings");
  for (int i = 0; warnings && i < warnings->count; i++) {
    const json_value *w = &warnings->items[i];
    if (!w->key || !(w->number > 0) || strcmp(w->key, "energy") == 0 || strcmp(w->key, "unsolved") == 0) continue;
    if (has_remark(run, w->key)) continue;  // judge_laws says more
    const warning_words *known = find_warning(w->key);
    carom_check c = {.key = w->key, .title = known ? known->title : "Warning", .level = CAROM_DOUBTFUL, .value = w->number, .limit = 0};
    if (known) put_check(v, c, "%s%s%s", known->before, several(v->memory, w->number, known->one, known->many), known->after);
    else put_check(v, c, "'%s' was counted %s.", w->key, several(v->memory, w->number, "time", "times"));
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
    const char *whose = count > 1 ? arena_print(v->memory, "'%s' and %s more", contact, count_text(v->memory, count - 1)) : arena_print(v->memory, "'%s'", contact);
    put_check(v, c, "%s: %s.", whose, json_get_text(remark, "text"));
  }
}

verdict verdict_judge(arena *memory, const verdict_facts *facts) {
  verdict v = {.memory = memory};
  judge_end(&v, facts);
  if (facts->summary) {
    judge_energy(&v, facts);
    judge_constraints(&v, facts);
    if (facts->can_touch) judge_penetration(&v, facts), judge_solver(&v, facts);
    judge_warnings(&v, facts);
  }
  judge_laws(&v, facts);
  return v;
}

void report_put_verdict(report *r, json_writer *w, const report_run *run) {
  static const char *const levels[] = {"good", "warn", "bad"};
  verdict_facts facts = {.summary = run->summary, .scene = run->scene, .method = record_get_text(run->in, "method"), .t1 = run->t1,
                         .running = !run->summary && record_is_running(run->in), .can_touch = run->impact_source >= 0};
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
