// What a row of a sweep keeps of its run: the last, the smallest, the largest value of a signal, its mean and root mean
// square over time, or its value at a time.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/word.h"
#include "study/sweep.h"

static const char *const kinds[TAKE_KINDS] = {"last", "min", "max", "mean", "rms", "at"};

// --- reading ---------------------------------------------------------------------------------------------------------

static bool read_time(arena *memory, const char *text, double *time, carom_error *error) {
  dimension dim;
  const expr *e = sweep_constant(memory, text, &dim, error);
  if (!e) return false;
  *time = expr_value(e, NULL);
  if ((dim == DIM_ANY || dimension_equal(dim, DIM_TIME)) && *time >= 0) return true;
  return error_set(error, CAROM_ERROR_USAGE, "'%s' is not a time of the run", text), false;
}

// One item such as `max(hinge.q)`.
static bool read_take(arena *memory, const char *item, sweep_take *to, carom_error *error) {
  const char *open = strchr(item, '('), *close = open ? strrchr(item, ')') : NULL;
  if (!open || !close || close[1] || close == open + 1)
    return error_set(error, CAROM_ERROR_USAGE, "'%s' is not what a sweep can take; write max(SIGNAL), for example",
                     item),
           false;
  const char *kind = sweep_trimmed(memory, item, open);
  int k = 0;
  while (k < TAKE_KINDS && strcmp(kinds[k], kind) != 0) k++;
  if (k == TAKE_KINDS) {
    const char *near = word_nearest(kind, kinds, TAKE_KINDS);
    return error_set(error, CAROM_ERROR_USAGE, "a sweep takes last, min, max, mean, rms or at, not '%s'%s%s%s", kind,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : ""),
           false;
  }
  *to = (sweep_take){.kind = (take_kind)k, .name = item};
  const char *comma = memchr(open, ',', (size_t)(close - open));
  if ((k == TAKE_AT) != (comma != NULL))
    return error_set(error, CAROM_ERROR_USAGE,
                     k == TAKE_AT ? "'%s' needs a time: at(SIGNAL, 0.5 s)" : "'%s' has a comma: give one signal", item),
           false;
  to->signal = sweep_trimmed(memory, open + 1, comma ? comma : close);
  return k != TAKE_AT || read_time(memory, sweep_trimmed(memory, comma + 1, close), &to->time, error);
}

// Outputs are the last signals of a model. Each is taken in every way but at a time.
static int take_outputs(arena *memory, const carom_model *model, sweep_take **takes) {
  int count = 0;
  for (int i = 0; carom_model_part(model, "outputs", i).name; i++) count++;
  *takes = ARENA_ARRAY(memory, sweep_take, count * (int)TAKE_AT + 1);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < TAKE_AT; k++) {
      const char *signal = arena_copy_text(memory, carom_model_part(model, "outputs", i).name);
      (*takes)[i * TAKE_AT + k] =
          (sweep_take){.kind = (take_kind)k, .signal = signal, .name = arena_print(memory, "%s(%s)", kinds[k], signal)};
    }
  return count * TAKE_AT;
}

int sweep_takes_read(arena *memory, const char *text, const carom_model *model, sweep_take **takes,
                     carom_error *error) {
  if (!text) return take_outputs(memory, model, takes);
  char **items;
  int count = sweep_split(memory, text, ',', &items);
  *takes = ARENA_ARRAY(memory, sweep_take, count);
  for (int i = 0; i < count; i++)
    if (!read_take(memory, items[i], &(*takes)[i], error)) return -1;
  return count;
}

// The end itself is a row of every run; a time written in another unit may differ from it by rounding.
bool sweep_takes_reach(const sweep_take *takes, int count, const carom_model *model, carom_error *error) {
  const double end = carom_model_get_info(model).end;
  for (int i = 0; i < count; i++)
    if (takes[i].kind == TAKE_AT && takes[i].time > end * (1 + 1e-12))
      return error_set(error, CAROM_ERROR_USAGE, "%s: the run ends at %g s; take an earlier time, or run longer",
                       takes[i].name, end),
             false;
  return true;
}

// --- during a run ----------------------------------------------------------------------------------------------------

taking taking_create(arena *memory, const sweep_take *takes, int count) {
  return (taking){.takes = takes,
                  .count = count,
                  .signals = ARENA_ARRAY(memory, int, count + 1),
                  .values = ARENA_ARRAY(memory, double, count + 1),
                  .sums = ARENA_ARRAY(memory, double, count + 1)};
}

bool taking_begin(taking *k, const carom_model *model, carom_error *error) {
  k->begun = false;
  for (int i = 0; i < k->count; i++) {
    k->signals[i] = carom_model_signal(model, k->takes[i].signal);
    if (k->signals[i] >= 0) continue;
    return error_set(error, CAROM_ERROR_USAGE,
                     "%s: the model has no signal '%s'; 'carom check MODEL --signals' lists them", k->takes[i].name,
                     k->takes[i].signal),
           false;
  }
  return true;
}

int taking_needs(const taking *k, int *signals) {
  int count = 0;
  for (int i = 0; i < k->count; i++)
    if (k->takes[i].kind != TAKE_LAST) signals[count++] = k->signals[i];
  return count;
}

static void begin_at(taking *k, int i, double t, double value) {
  take_kind kind = k->takes[i].kind;
  k->sums[i] = kind == TAKE_MEAN || kind == TAKE_RMS ? 0 : kind == TAKE_AT && t != k->takes[i].time ? NAN : value;
}

// From the row before to this one.
static void add(taking *k, int i, double t, double value) {
  double before = k->values[i], dt = t - k->t, time = k->takes[i].time;
  switch (k->takes[i].kind) {
    case TAKE_LAST: k->sums[i] = value; break;
    case TAKE_MIN: k->sums[i] = value < k->sums[i] || isnan(value) ? value : k->sums[i]; break;
    case TAKE_MAX: k->sums[i] = value > k->sums[i] || isnan(value) ? value : k->sums[i]; break;
    case TAKE_MEAN: k->sums[i] += 0.5 * dt * (before + value); break;
    // that of the square of a straight line
    case TAKE_RMS: k->sums[i] += dt / 3 * (before * before + before * value + value * value); break;
    default:
      // at the end a time that differs by rounding
      if (dt > 0 && time > k->t && time <= t * (1 + 1e-12)) k->sums[i] = before + (value - before) * (time - k->t) / dt;
  }
}

void taking_row(taking *k, double t, const double *signals) {
  for (int i = 0; i < k->count; i++) {
    double value = signals[k->signals[i]];
    if (k->begun) add(k, i, t, value);
    else begin_at(k, i, t, value);
    k->values[i] = value;
  }
  if (!k->begun) k->start = t;
  k->t = t, k->begun = true;
}

double taking_result(const taking *k, int i) {
  take_kind kind = k->takes[i].kind;
  double span = k->t - k->start;
  if (!k->begun) return NAN;
  if (kind != TAKE_MEAN && kind != TAKE_RMS) return k->sums[i];
  if (!(span > 0)) return kind == TAKE_MEAN ? k->values[i] : fabs(k->values[i]);
  return kind == TAKE_MEAN ? k->sums[i] / span : sqrt(k->sums[i] / span);
}
