// How far to trust a run, line by line, each in one sentence.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/report.h"

typedef struct check {
  const char *key, *title, *level;
  double value, limit;       // NaN: none
  const char *unit;
} check;

static void put_check(json_writer *w, const check *c, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void put_check(json_writer *w, const check *c, const char *format, ...) {
  char sentence[400];
  va_list args;
  va_start(args, format);
  vsnprintf(sentence, sizeof sentence, format, args);
  va_end(args);
  json_open(w, NULL, '{');
  json_put_text(w, "key", c->key);
  json_put_text(w, "level", c->level);
  json_put_text(w, "title", c->title);
  json_put_number(w, "value", c->value);
  json_put_text(w, "unit", c->unit ? c->unit : "1");
  json_put_number(w, "limit", c->limit);
  json_put_text(w, "sentence", sentence);
  json_close(w, '}');
}

static const char *level_of(double value, double good, double tolerable) {
  return value <= good ? "good" : value <= tolerable ? "warn" : "bad";
}

static void judge_end(json_writer *w, const report_run *run) {
  check c = {.key = "end", .title = "How it ended", .value = run->t1, .unit = "s", .limit = NAN};
  const char *status = json_get_text(run->summary, "status"), *why = json_get_text(run->summary, "error");
  if (!run->summary) {
    c.level = "warn";
    bool now = record_is_running(run->in);
    put_check(w, &c, now ? "The run is still going; this is what there is up to t = %.6g s."
                         : "The run was killed; this is what there is up to t = %.6g s.", run->t1);
  } else if (strcmp(status, "done") == 0) {
    c.level = "good";
    put_check(w, &c, "The run reached its end at t = %.6g s.", run->t1);
  } else if (strcmp(status, "interrupted") == 0) {
    c.level = "warn";
    put_check(w, &c, "The run was interrupted at t = %.6g s; what was computed until then is whole.", run->t1);
  } else {
    c.level = "bad";
    put_check(w, &c, "The run failed at t = %.6g s%s%s", run->t1, *why ? ": " : ".", why);
  }
}

// As the summary of a run judges it.
static double balance_limit(const report_run *run) {
  if (strcmp(record_get_text(run->in, "method") ? record_get_text(run->in, "method") : "", "moreau") == 0) return 0.05;
  const json_value *integrator = json_get(json_get(run->scene, "options"), "integrator");
  return fmax(1e-3, 1e4 * json_get_number(integrator, "rtol", 0));
}

static void judge_energy(json_writer *w, const report_run *run) {
  double value = json_get_number(run->summary, "energy_imbalance", NAN), limit = balance_limit(run);
  bool flagged = json_get_number(json_get(run->summary, "warnings"), "energy", 0) > 0;
  check c = {.key = "energy", .title = "Energy balance", .value = value, .limit = limit,
             .level = flagged ? "bad" : level_of(value, limit, limit)};
  if (isfinite(value))
    put_check(w, &c, "%.2g of the largest energy that went through is unaccounted for; with this method it should stay "
                     "below %.2g.", value, limit);
  else
    put_check(w, &c, "The energy could not be balanced.");
}

static void judge_constraints(json_writer *w, const report_run *run) {
  double value = json_get_number(run->summary, "constraint_violation", NAN);
  double length = json_get_number(run->scene, "length", 1), good = 1e-6 * length;
  check c = {.key = "constraints", .title = "Constraint violation", .value = value, .limit = good, .unit = "m",
             .level = level_of(value, good, 1e-3 * length)};
  if (value == 0) put_check(w, &c, "Every joint holds by construction, or there is nothing to violate.");
  else put_check(w, &c, "Joints that close loops are apart by at most %.2g m, of a model about %.2g m large.", value, length);
}

// Without a bound of the scheme's own: a tenth of the smallest clearance, or a thousandth of the model.
static double penetration_limit(const report_run *run, double bound, const char **of) {
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

static void judge_contact(json_writer *w, const report_run *run) {
  const json_value *contact = json_get(run->summary, "contact"), *solver = json_get(run->summary, "solver");
  const char *of;
  double value = json_get_number(contact, "worst_initial_penetration", 0);
  double bound = json_get_number(contact, "penetration_bound", 0), limit = penetration_limit(run, bound, &of);
  check depth = {.key = "penetration", .title = "Penetration", .value = value, .limit = limit, .unit = "m",
                 .level = level_of(value, limit, bound > 0 ? 10 * limit : INFINITY)};
  put_check(w, &depth, "Surfaces were found at most %.2g m deep in each other when they met; %s is %.2g m.", value, of, limit);

  if (!(json_get_number(solver, "solves", 0) > 0)) return;  // forces by laws, or nothing ever touched
  double solves = json_get_number(solver, "solves", 0), unsolved = json_get_number(solver, "unsolved", 0);
  double residual = json_get_number(solver, "worst_residual", 0);
  double tolerance = json_get_number(json_get(json_get(run->scene, "options"), "method"), "tolerance", NAN);
  check solved = {.key = "solver", .title = "Contact problems", .value = residual, .limit = tolerance,
                  .level = unsolved > 0 ? "bad" : "good"};
  if (unsolved > 0)
    put_check(w, &solved, "%.0f of %.0f contact problems could not be solved to tolerance: forces there are not to be trusted.",
              unsolved, solves);
  else
    put_check(w, &solved, "All %.0f contact problems were solved; the worst residual is %.2g.", solves, residual);
}

// The scene names the contacts that a warning is about.
static bool has_remark(const report_run *run, const char *name) {
  const json_value *remarks = json_get(run->scene, "remarks");
  for (int i = 0; remarks && i < remarks->count; i++)
    if (strcmp(json_get_text(&remarks->items[i], "name"), name) == 0) return true;
  return false;
}

// Every other warning that was counted.
static void judge_warnings(json_writer *w, const report_run *run) {
  static const struct {
    const char *name, *title, *sentence;
  } known[] = {
      {"restart", "Restarts", "%.0f time(s) the integrator began anew from a checkpoint, which costs it its history."},
      {"projection", "Projection", "In %.0f step(s) the constraints could not be met to tolerance."},
      {"initial", "Initial values", "%.0f kind(s) of given initial values had to give way so that the mechanism closes."},
      {"step_too_large", "Step too large", "%.0f contact(s) were found deeper than a clearance or a body: impacts may have been missed."},
      {"inconsistent", "Painlevé: no force", "In %.0f step(s) of sliding no finite contact force fits; an impact without collision stood in."},
      {"indeterminate", "Painlevé: several motions", "In %.0f step(s) of sliding more than one motion fits."},
      {"friction_unsettled", "Joint friction", "In %.0f step(s) the friction of a joint and the load it comes from did not agree: several loads fit, or none."},
      {"unsettled", "Undecided instants", "At %.0f instant(s) modes or impacts were still undecided when the motion went on."},
      {"penetration", "Met too deep", "%.0f contact(s) were first met deeper than their bound: such forces are not earned by any motion."},
      {"energy_gain", "Energy gained", "%.0f impact(s) added energy, as Newton's restitution with friction may."},
      {"restitution", "Another restitution", "%.0f contact(s) have a law that gives back another restitution than it is given."},
      {"conformal", "Surfaces that nearly fit", "%.0f contact(s) have Hertz's stiffness between surfaces that nearly fit into each other."},
  };
  const json_value *warnings = json_get(run->summary, "warnings");
  for (int i = 0; warnings && i < warnings->count; i++) {
    const json_value *v = &warnings->items[i];
    if (!v->key || !(v->number > 0) || strcmp(v->key, "energy") == 0 || strcmp(v->key, "unsolved") == 0) continue;
    if (has_remark(run, v->key)) continue;  // judge_laws says more
    size_t k = 0;
    while (k < sizeof known / sizeof *known && strcmp(known[k].name, v->key) != 0) k++;
    bool is_known = k < sizeof known / sizeof *known;
    check c = {.key = v->key, .title = is_known ? known[k].title : "Warning", .level = "warn", .value = v->number, .limit = 0};
    char sentence[300];
    // the format is one of the constants above
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(sentence, sizeof sentence, is_known ? known[k].sentence : "It was counted %.0f time(s).", v->number);
#pragma GCC diagnostic pop
    if (is_known) put_check(w, &c, "%s", sentence);
    else put_check(w, &c, "'%s': %s", v->key, sentence);
  }
}

static const char *remark_title(const char *name) {
  static const char *const titles[][2] = {{"restitution", "Another restitution"}, {"conformal", "Surfaces that nearly fit"}};
  for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
    if (strcmp(titles[i][0], name) == 0) return titles[i][1];
  return "Law beyond its range";
}

// Laws of continuous contact that are used beyond their range.
static void judge_laws(json_writer *w, const report_run *run) {
  const json_value *remarks = json_get(run->scene, "remarks");
  for (int i = 0; remarks && i < remarks->count; i++) {
    const json_value *v = &remarks->items[i];
    double count = json_get_number(v, "count", 1);
    const char *name = json_get_text(v, "name");
    check c = {.key = name, .title = remark_title(name), .level = "warn", .value = count, .limit = 0};
    if (count > 1)
      put_check(w, &c, "'%s' and %.0f more: %s", json_get_text(v, "contact"), count - 1, json_get_text(v, "text"));
    else
      put_check(w, &c, "'%s': %s", json_get_text(v, "contact"), json_get_text(v, "text"));
  }
}

void report_put_verdict(report *r, json_writer *w, const report_run *run) {
  (void)r;
  json_open(w, "verdict", '[');
  judge_end(w, run);
  if (run->summary) {
    judge_energy(w, run);
    judge_constraints(w, run);
    if (run->impact_source >= 0) judge_contact(w, run);
    judge_warnings(w, run);
  }
  judge_laws(w, run);
  json_close(w, ']');
}
