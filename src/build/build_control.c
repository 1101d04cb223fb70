// States and signals of a model: names, numbers, expressions in the order in which they need each other.
#include <math.h>
#include <string.h>

#include "build/builder.h"
#include "mechanics/signal.h"

// --- names and numbers -----------------------------------------------------------------------------------------------

static bool check_free_name(builder *b, const part *p, const carom_function *f) {
  const function_origin *origin = f->origin;
  bool parameter = origin && origin->names && parameters_find(origin->names, p->name);
  if (!parameter && strcmp(p->name, "t") != 0) return true;
  return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole, "give it another name",
                      "'%s' is the name of %s already", p->name, parameter ? "a parameter" : "the time");
}

#define REFUSE(key, hint, ...) \
  source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, &state_table, key), hint, __VA_ARGS__)

// The unit of a number of a state as it is written; DIM_ANY if it has none.
static dimension written_unit(const part *p, const char *key, int k) {
  for (int i = 0; p->places.dims && i < state_table.count; i++)
    if (strcmp(state_table.options[i].key, key) == 0 && p->places.dims[i] && p->places.each[i].source)
      return p->places.dims[i][k];
  return DIM_ANY;
}

static bool find_unit(builder *b, const part *p, const carom_state_def *d, model_state *to) {
  char text[32];
  dimension of_initial = written_unit(p, "initial", 0);
  if (!d->unit) {
    to->unit = of_initial == DIM_ANY ? "" : arena_copy_text(b->memory, dimension_text(of_initial, text));
    return true;
  }
  double factor;
  dimension dim;
  bool plain = strcmp(d->unit, "1") == 0;
  if (!plain && unit_product(d->unit, &factor, &dim) != strlen(d->unit))
    return REFUSE("unit", NULL, "'%s' is not a unit", d->unit);
  if (!plain && factor != 1) return REFUSE("unit", "a column is in SI units", "'%s' is not an SI unit", d->unit);
  to->unit = arena_copy_text(b->memory, d->unit);
  return true;
}

static bool check_units(builder *b, const part *p, const carom_state_def *d, const model_state *to) {
  const struct {
    const char *key;
    int count;
  } numbers[] = {{"initial", 1}, {"limits", d->limits.count}, {"reset_to", d->reset_to.count}, {"scale", 1}};
  dimension wanted = dimension_of_unit(to->unit);
  char complaint[DIMENSION_COMPLAINT];
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < numbers[i].count; k++) {
      dimension got = written_unit(p, numbers[i].key, k);
      if (!dimension_equal(wanted, got))
        return REFUSE(numbers[i].key, NULL, "'%s' must be %s", numbers[i].key,
                      dimension_complaint(wanted, got, complaint));
    }
  return true;
}

// Times that a run to the end does not meet.
static void note_resets(builder *b, const part *p, carom_numbers resets) {
  double end = b->def->model.end;
  for (int i = 0; i < resets.count; i++)
    if (!(resets.items[i] > 0 && resets.items[i] <= end))
      builder_note_at(b, builder_place(p, &state_table, "reset_at"),
                      "state '%s' is not reset at %g s: the run is from 0 to %g s", p->name, resets.items[i], end);
}

static bool name_state(builder *b, const part *p, model_state *to) {
  const carom_state_def *d = p->content;
  *to = (model_state){.name = arena_copy_text(b->memory, p->name),
                      .initial = d->initial,
                      .scale = d->scale,
                      .low = -INFINITY,
                      .high = INFINITY,
                      .reset_to = d->reset_to.count ? d->reset_to.items[0] : d->initial};
  if (!d->rate.text && !d->rate.call && !d->rate.origin && d->rate.constant == 0)
    return REFUSE("rate", NULL, "state '%s' has no rate", p->name);
  if (!check_free_name(b, p, &d->rate) || !find_unit(b, p, d, to) || !check_units(b, p, d, to)) return false;
  if (d->reset_to.count && !d->reset_at.count)
    return REFUSE("reset_to", "add the times, 'reset_at', or leave it out", "'%s' has 'reset_to', but never resets",
                  p->name);
  if (d->reset_to.count > 1)
    return REFUSE("reset_to", NULL, "'reset_to' of '%s' takes one number, not %d", p->name, d->reset_to.count);
  carom_numbers resets = builder_numbers(b, d->reset_at);
  to->resets = resets.items, to->reset_count = resets.count;
  note_resets(b, p, resets);
  if (!d->limits.count) return true;
  if (d->limits.count != 2 || !(d->limits.items[0] < d->limits.items[1]))
    return REFUSE("limits", NULL, "'limits' of '%s' must be two numbers, the lower first", p->name);
  to->low = d->limits.items[0], to->high = d->limits.items[1];
  bool starts = d->initial >= to->low && d->initial <= to->high,
       resets_within = to->reset_to >= to->low && to->reset_to <= to->high;
  if (starts && resets_within) return true;
  return REFUSE(starts ? "reset_to" : "initial", NULL, "'%s' of '%s' is beyond its limits",
                starts ? "reset_to" : "initial", p->name);
}

#define CALL_EVERY_LEAST 1e-12  // of the end: shorter intervals are rounding of the time

static bool name_callback(builder *b, const part *p, mechanism *m, callback *to) {
  const carom_callback_def *d = p->content;
  const char **outputs = ARENA_ARRAY(b->memory, const char *, d->outputs.count + 1);
  place at = builder_place(p, &callback_table, "outputs");
  if (!d->outputs.count)
    return source_error(b->error, CAROM_ERROR_MODEL, at, NULL, "callback '%s' has no outputs", p->name);
  for (int k = 0; k < d->outputs.count; k++) {
    outputs[k] = arena_copy_text(b->memory, d->outputs.items[k]);
    bool bad = !*outputs[k] || strchr(outputs[k], '.');
    for (int i = 0; i < k; i++) bad |= strcmp(outputs[i], outputs[k]) == 0;
    if (bad)
      return source_error(b->error, CAROM_ERROR_MODEL, at, NULL,
                          "callback '%s': the output '%s' is empty, has a dot or stands twice", p->name, outputs[k]);
  }
  double least = CALL_EVERY_LEAST * b->def->model.end;
  if (d->every > 0 && d->every < least)
    return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, &callback_table, "every"), NULL,
                        "callback '%s': 'every' is %g s, which makes %.1e calls until the end at %g s; give it %g s or "
                        "more, or 0 for a call at each evaluation",
                        p->name, d->every, b->def->model.end / d->every, b->def->model.end, least);
  *to = (callback){.name = arena_copy_text(b->memory, p->name),
                   .outputs = outputs,
                   .output0 = m->called_count,
                   .output_count = d->outputs.count,
                   .every = d->every};
  m->called_count += d->outputs.count;
  return true;
}

bool builder_name_control(builder *b, mechanism *m) {
  const part_list *states = &b->def->states, *signals = &b->def->signals;
  m->states = ARENA_ARRAY(b->memory, model_state, states->count + m->force_count + 1);
  m->computed = ARENA_ARRAY(b->memory, computed, signals->count + 1);
  m->state_count = states->count, m->computed_count = signals->count;
  for (int i = 0; i < states->count; i++)
    if (!name_state(b, &states->items[i], &m->states[i])) return false;
  for (int i = 0; i < m->force_count; i++)
    if (m->forces[i].lag > 0) {
      m->forces[i].state = m->state_count;
      m->states[m->state_count++] =
          (model_state){.unit = "", .scale = 1, .low = -INFINITY, .high = INFINITY, .lag = m->forces[i].lag};
    }
  const part_list *callbacks = &b->def->callbacks;
  m->callbacks = ARENA_ARRAY(b->memory, callback, callbacks->count + 1);
  m->callback_count = callbacks->count;
  for (int i = 0; i < callbacks->count; i++)
    if (!name_callback(b, &callbacks->items[i], m, &m->callbacks[i])) return false;
  for (int i = 0; i < signals->count; i++) {
    const part *p = &signals->items[i];
    if (!check_free_name(b, p, p->content)) return false;
    m->computed[i] = (computed){.name = arena_copy_text(b->memory, p->name), .unit = ""};
  }
  return true;
}

// --- expressions -----------------------------------------------------------------------------------------------------

typedef enum progress { TO_DO, UNDER_WAY, DONE } progress;

struct computing {
  progress *how_far, *called;  // of computed signals, and of callbacks
  int *order, count;
};

static bool fail_circle(builder *b, const part *p, const char *what) {
  return source_error(b->error, CAROM_ERROR_MODEL, p->places.whole,
                      "a state in between, with a rate, makes it a feedback",
                      "%s '%s' depends on itself, directly or through others", what, p->name);
}

// The list of signals has their units.
static void set_unit(mechanism *m, int index, const char *unit) {
  signal *all = (signal *)m->signals;
  m->computed[index].unit = unit;
  for (int i = 0; i < m->signal_count; i++)
    if (all[i].kind == SIGNAL_COMPUTED && all[i].index == index) all[i].unit = unit;
}

bool builder_compute(builder *b, int index) {
  struct computing *c = b->computing;
  mechanism *m = &b->model->m;
  const part *p = &b->def->signals.items[index];
  if (c->how_far[index] == DONE) return true;
  if (c->how_far[index] == UNDER_WAY) return fail_circle(b, p, "signal");
  c->how_far[index] = UNDER_WAY;
  if (!builder_function(b, p->content, LEVEL_VELOCITY, ANY_UNIT, &m->computed[index].f)) return false;
  set_unit(m, index, builder_function_unit(b, p->content, &m->computed[index].f));
  c->how_far[index] = DONE;
  c->order[c->count++] = index;
  return true;
}

// Of two signals with one name expressions see the first.
static bool check_output_names(builder *b, const part *p, const callback *c, int index) {
  const mechanism *m = &b->model->m;
  for (int k = 0; k < c->output_count; k++) {
    const char *name = arena_print(b->memory, "%s.%s", c->name, c->outputs[k]);
    const signal *s = &m->signals[names_find(&b->signals, name)];
    if (s->kind != SIGNAL_CALLED || s->index != index)
      return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, &callback_table, "outputs"),
                          "rename the callback or its output",
                          "callback '%s': '%s' is the name of another signal already", p->name, name);
  }
  return true;
}

// What is called at a fixed rate reads signals that are there already, so that its outputs may be among them.
bool builder_call(builder *b, int index) {
  struct computing *c = b->computing;
  mechanism *m = &b->model->m;
  const part *p = &b->def->callbacks.items[index];
  const carom_callback_def *d = p->content;
  callback *to = &m->callbacks[index];
  bool at_rate = to->every > 0;
  if (c->called[index] == DONE || (c->called[index] == UNDER_WAY && at_rate)) return true;
  if (c->called[index] == UNDER_WAY) return fail_circle(b, p, "callback");
  if (!check_output_names(b, p, to, index)) return false;
  c->called[index] = UNDER_WAY;
  int *inputs = ARENA_ARRAY(b->memory, int, d->inputs.count + 1);
  for (int k = 0; k < d->inputs.count; k++) {
    const char *name = d->inputs.items[k];
    int i = inputs[k] = names_find(&b->signals, name);
    if (i < 0 || i >= m->signal_count || m->signals[i].level > LEVEL_VELOCITY)
      return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, &callback_table, "inputs"),
                          i < 0 ? "'carom check MODEL --signals' lists the names that there are"
                                : "it depends on forces, which may depend on the callback",
                          "callback '%s': there is no signal '%s' that it could read", p->name, name);
    const signal *s = &m->signals[i];
    if (signal_is_of_joint(s)) m->joints[s->index].watched = true;
    if (!at_rate && s->kind == SIGNAL_COMPUTED && !builder_compute(b, s->index)) return false;
    if (!at_rate && s->kind == SIGNAL_CALLED && !builder_call(b, s->index)) return false;
  }
  to->inputs = inputs, to->input_count = d->inputs.count;
  c->called[index] = DONE;
  if (!at_rate) c->order[c->count++] = -1 - index;
  return true;
}

static const char *describe_state(builder *b, const model_state *s) {
  arena_text text = {0};
  arena_append(b->memory, &text, "%s%sstarts at %.6g", s->unit, *s->unit ? ", " : "", s->initial);
  if (s->low > -INFINITY || s->high < INFINITY)
    arena_append(b->memory, &text, ", limits %.6g and %.6g", s->low, s->high);
  if (s->reset_count == 1) arena_append(b->memory, &text, ", set to %.6g at %.6g s", s->reset_to, s->resets[0]);
  if (s->reset_count > 1) arena_append(b->memory, &text, ", set to %.6g at %d times", s->reset_to, s->reset_count);
  return text.text;
}

static const char *describe_callback(builder *b, const callback *c) {
  arena_text text = {0};
  arena_append(b->memory, &text, "from %s", c->input_count ? "" : "nothing");
  for (int k = 0; k < c->input_count; k++)
    arena_append(b->memory, &text, "%s%s", k ? ", " : "", b->model->m.signals[c->inputs[k]].name);
  for (int k = 0; k < c->output_count; k++) arena_append(b->memory, &text, "%s%s", k ? ", " : " to ", c->outputs[k]);
  if (c->every > 0) arena_append(b->memory, &text, "; every %.6g s", c->every);
  else arena_append(b->memory, &text, "; at each evaluation");
  return text.text;
}

static void describe_control(builder *b, const mechanism *m) {
  b->model->state_details = ARENA_ARRAY(b->memory, const char *, m->state_count + 1);
  b->model->callback_details = ARENA_ARRAY(b->memory, const char *, m->callback_count + 1);
  for (int i = 0; i < b->def->states.count; i++) b->model->state_details[i] = describe_state(b, &m->states[i]);
  for (int i = 0; i < m->callback_count; i++) b->model->callback_details[i] = describe_callback(b, &m->callbacks[i]);
}

bool builder_control(builder *b, mechanism *m) {
  struct computing *c = b->computing = ARENA_NEW(b->memory, struct computing);
  c->how_far = ARENA_ARRAY(b->memory, progress, m->computed_count + 1);
  c->called = ARENA_ARRAY(b->memory, progress, m->callback_count + 1);
  c->order = ARENA_ARRAY(b->memory, int, m->computed_count + m->callback_count + 1);
  for (int i = 0; i < m->callback_count; i++)
    if (!builder_call(b, i)) return false;
  for (int i = 0; i < m->computed_count; i++)
    if (!builder_compute(b, i)) return false;
  m->control_order = c->order, m->control_count = c->count;
  for (int i = 0; i < b->def->states.count; i++) {
    const carom_state_def *d = b->def->states.items[i].content;
    dimension dim = dimension_of_unit(m->states[i].unit);
    wanted_unit wanted = {dim == DIM_ANY ? DIM_ANY : dimension_product(dim, DIM_TIME, -1), "rate",
                          "per second of the state's unit"};
    if (!builder_function(b, &d->rate, LEVEL_VELOCITY, wanted, &m->states[i].rate)) return false;
  }
  describe_control(b, m);
  return true;
}
