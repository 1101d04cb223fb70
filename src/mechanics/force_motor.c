// A motor along a joint's coordinate. It is asked for an effort a(t, state), which it limits to ±L(t, state) and
// follows with a lag T:
//   T τ̇ = clip(a, ±L) - τ,   without a lag τ = clip(a, ±L).
// τ is a state of the model, without a name of its own.
#include <math.h>

#include "mechanics/coordinate.h"
#include "mechanics/force.h"
#include "mechanics/function.h"

static bool is_limited(const force *f) { return !function_is_constant(&f->f[1]) || f->f[1].constant > 0; }

static double clip(double a, double most) { return a > most ? most : a < -most ? -most : a; }

static void apply(const mechanism *m, motion *x, const force *f) {
  double asked = function_value(m, x, &f->f[0]), effort = asked, rate = coordinate_rate(m, x, f->of);
  if (is_limited(f)) effort = clip(asked, fmax(0, function_value(m, x, &f->f[1])));
  if (f->state >= 0) {
    x->inner_rate[f->state] = (effort - x->inner[f->state]) / f->lag;
    effort = x->inner[f->state];
  }
  coordinate_push(m, x, f->of, effort);
  force_book(x, 0, 0, effort * rate);
  double *out = x->force_outputs + f->output;
  out[0] = effort, out[1] = effort * rate, out[2] = asked;
}

static void find_power(const mechanism *m, const motion *x, const force *f, const double *u, double powers[]) {
  powers[POWER_APPLIED] += x->force_outputs[f->output] * coordinate_spread_rate(m, x, f->of, u);
}

static const char *const outputs[] = {"effort", "power", "asked"};
static const char *const units[] = {"", "W", ""};  // efforts have that of the coordinate

static const option options[] = {
    {.key = "motor",
     .type = OPTION_TEXT,
     .offset = FORCE_OPTION(joint),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "The joint, or one of its coordinates such as `cylinder.q1`."},
    {.key = "effort",
     .type = OPTION_FUNCTION,
     .offset = FORCE_OPTION(effort),
     .dim = DIM_ANY,
     .flags = OPTION_REQUIRED,
     .help = "The effort that it is asked for, positive in the direction of the coordinate; may depend on t, state, "
             "signals and states."},
    {.key = "limit",
     .type = OPTION_FUNCTION,
     .offset = FORCE_OPTION(limit),
     .dim = DIM_ANY,
     .flags = OPTION_POSITIVE,
     .help = "The largest effort in both directions; may depend on t and state, as a curve over the speed does. "
             "Default: none."},
    {.key = "lag",
     .type = OPTION_NUMBER,
     .offset = FORCE_OPTION(lag),
     .dim = DIM_TIME,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Time constant with which the effort follows, from zero at the start; 0: it follows at once."},
};
static const option_table table = {
    .name = "motor",
    .summary =
        "A motor along one coordinate of a joint, with a limit and a first-order lag. Reports its effort, its power "
        "and what it was asked for.",
    .example = "knee: {motor: knee, effort: torque, limit: 5 N*m, lag: 10 ms}",
    .size = sizeof(carom_force_def),
    .options = options,
    .count = OPTION_COUNT(options),
};

const force_type force_motor = {"motor",        apply, find_power, outputs, units, 3, .acts = FORCE_ALONG_COORDINATE,
                                .table = &table};
