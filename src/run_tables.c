// Which signals go into which table of a record, and how large the record becomes.
#include "run.h"

#include <math.h>
#include <string.h>

#include "mechanics/signal.h"
#include "scene.h"

const char *const run_group_names[GROUP_COUNT] = {"time",   "joints",      "bodies", "markers",  "reactions", "forces",
                                                  "drives", "multipliers", "energy", "contacts", "outputs"};

int run_group_of(const carom_model *model, int i) {
  static const int groups[SIGNAL_SECTIONS] = {
      [SIGNALS_OF_ENERGY] = GROUP_ENERGY, [SIGNALS_OF_CONTACTS] = GROUP_CONTACTS, [SIGNALS_OF_OUTPUTS] = GROUP_OUTPUTS};
  signal_place at = model_signal_place(model, i);
  if (at.section != SIGNALS_OF_MECHANISM) return groups[at.section];
  switch (model->m.signals[i].kind) {
    case SIGNAL_TIME: return GROUP_TIME;
    case SIGNAL_JOINT_Q:
    case SIGNAL_JOINT_XYZ:
    case SIGNAL_JOINT_U:
    case SIGNAL_JOINT_A: return GROUP_JOINTS;
    case SIGNAL_BODY_POSITION:
    case SIGNAL_BODY_QUATERNION:
    case SIGNAL_BODY_VELOCITY:
    case SIGNAL_BODY_OMEGA:
    case SIGNAL_BODY_ACCELERATION:
    case SIGNAL_BODY_ALPHA:
    case SIGNAL_MODE:
    case SIGNAL_MODE_RATE: return GROUP_BODIES;
    case SIGNAL_MARKER_POSITION:
    case SIGNAL_MARKER_VELOCITY:
    case SIGNAL_MARKER_ACCELERATION: return GROUP_MARKERS;
    case SIGNAL_REACTION_FORCE:
    case SIGNAL_REACTION_TORQUE:
    case SIGNAL_FRICTION_EFFORT:
    case SIGNAL_FRICTION_SLIP: return GROUP_REACTIONS;
    case SIGNAL_FORCE: return GROUP_FORCES;
    case SIGNAL_DRIVE_EFFORT:
    case SIGNAL_DRIVE_POWER: return GROUP_DRIVES;
    case SIGNAL_MULTIPLIER: return GROUP_MULTIPLIERS;
    case SIGNAL_STATE:
    case SIGNAL_COMPUTED:
    case SIGNAL_CALLED: return GROUP_OUTPUTS;
    case SIGNAL_KINETIC:
    case SIGNAL_GRAVITY:
    case SIGNAL_SPRING:
    case SIGNAL_STRAIN: return GROUP_ENERGY;
  }
  return GROUP_OUTPUTS;
}

bool run_is_in_csv(const carom_model *model, int i) {
  int g = run_group_of(model, i);
  if (g == GROUP_TIME || g == GROUP_ENERGY || g == GROUP_OUTPUTS) return true;
  if (g == GROUP_CONTACTS) {  // less what is for the eye
    int k = model_signal_place(model, i).kind;
    return k < CONTACT_SLIP || k == CONTACT_Z;
  }
  if (g != GROUP_JOINTS && g != GROUP_BODIES) return false;
  signal_kind kind = model->m.signals[i].kind;
  return kind == SIGNAL_JOINT_Q || kind == SIGNAL_JOINT_U || kind == SIGNAL_BODY_POSITION ||
         kind == SIGNAL_BODY_QUATERNION || kind == SIGNAL_MODE;
}

// Coordinates of a body that a joint leaves free, and reactions of that joint: its pose and motion once more, and zero.
static bool repeats_body(const mechanism *m, const signal *s) {
  switch (s->kind) {
    case SIGNAL_JOINT_Q:
    case SIGNAL_JOINT_U:
    case SIGNAL_JOINT_A:
    case SIGNAL_REACTION_FORCE:
    case SIGNAL_REACTION_TORQUE: break;
    default: return false;
  }
  const joint *j = &m->joints[s->index];
  const joint_space *space = m->planar ? &j->type->planar : &j->type->spatial;
  return m->markers[j->first].body == GROUND && space->nv == (m->planar ? 3 : 6);
}

bool run_is_recorded(const carom_model *model, int i) {
  if (model_signal_place(model, i).section != SIGNALS_OF_MECHANISM) return true;
  const signal *s = &model->m.signals[i];
  if (s->kind == SIGNAL_JOINT_XYZ) return false;  // jumps by a turn, and only says again what the quaternion says
  if (model->record.bodies == CAROM_RECORD_ALL) return true;
  switch (s->kind) {
    case SIGNAL_BODY_VELOCITY:
    case SIGNAL_BODY_OMEGA: return model->record.bodies == CAROM_RECORD_MOTION;
    case SIGNAL_BODY_ACCELERATION:
    case SIGNAL_BODY_ALPHA: return false;
    default: return !repeats_body(&model->m, s);
  }
}

// --- size ------------------------------------------------------------------------------------------------------------

// Points of which each body touches others with about so many, if it lies among them: half the number of its neighbours
// in a pile of spheres or discs, or the corners of a face on a face in the plane.
enum { TOUCHES_SPATIAL = 3, TOUCHES_PLANAR = 2 };
static const double compressed_least = 0.1, compressed_most = 0.7;  // as measured on the models that come with carom

// How often something is written in a time: at the start, at each interval, and at the end.
static double count_times(const carom_model *model, double every, double duration) {
  double between = every > 0 ? every : carom_model_get_info(model).step;
  return between > 0 ? 1 + ceil(duration / between * (1 - 1e-9)) : 0;
}

static double count_touches(arena *memory, const carom_model *model) {
  const contact_world *w = &model->contacts;
  const mechanism *m = &model->m;
  bool *has_surface = ARENA_ARRAY(memory, bool, m->body_count);
  double bodies = 0, joints = 0, most = 0;
  for (int i = 0; i < w->surface_count; i++) {
    int body = m->markers[w->surfaces[i].marker].body;
    if (body != GROUND && !has_surface[body]) has_surface[body] = true, bodies++;
  }
  for (int i = 0; i < w->element_count; i++) {
    const contact_element *e = &w->elements[i];
    if (!contact_is_of_surfaces(e)) joints += 0.5 * e->point_count;
    else most += e->point_count;
  }
  double touches = bodies * (m->planar ? TOUCHES_PLANAR : TOUCHES_SPATIAL);
  return joints + (w->crowd ? touches : fmin(touches, most));
}

static double text_length(arena *memory, const carom_model *model) {
  double length = (double)strlen(scene_write(memory, model));
  const document *text = model->def ? model->def->text : NULL;
  for (int i = 0; text && i < text->source_count; i++) length += (double)strlen(text->sources[i]->text);
  for (int i = 0; i < model->contacts.surface_count; i++)
    length += 2.0 * (double)strlen(model->contacts.surfaces[i].name) + 16;
  for (int i = 0; i < model->contacts.element_count; i++)
    length += (double)strlen(model->contacts.elements[i].name) * model->contacts.elements[i].point_count;
  return length;
}

// All tables of signals: what one row of each takes, and what they take together.
static void add_frames(arena *memory, const carom_model *model, carom_record_size *size) {
  const char **names[GROUP_COUNT];
  int counts[GROUP_COUNT] = {0};
  for (int g = 0; g < GROUP_COUNT; g++) names[g] = ARENA_ARRAY(memory, const char *, sim_signal_count(model) + 1);
  for (int i = 0; i < sim_signal_count(model); i++)
    if (run_is_recorded(model, i))
      names[run_group_of(model, i)][counts[run_group_of(model, i)]++] = carom_model_signal_name(model, i);
  for (int g = 0; g < GROUP_COUNT; g++) {
    if (!counts[g]) continue;
    record_table t = {.columns = names[g], .column_count = counts[g]};
    size->row_bytes += (double)sizeof(double) * counts[g];
    size->bytes += record_table_size(&t, size->rows);
  }
}

static void add_touches(arena *memory, const carom_model *model, double duration, carom_record_size *size) {
  record_table tables[2];
  if (!run_touch_tables(model, tables)) return;
  double times = count_times(model, run_touch_interval(model), duration);
  size->touches = count_touches(memory, model);
  size->touch_bytes = (double)sizeof(float) * tables[1].column_count;
  size->bytes += record_table_size(&tables[0], times) + record_table_size(&tables[1], times * size->touches);
}

// The rows of impacts are not known; few runs have more than fit into one chunk.
static void add_others(const carom_model *model, int checkpoint_size, double duration, carom_record_size *size) {
  double between = model->record.checkpoint, checkpoints = between > 0 ? ceil(duration / between) + 1 : 1;
  record_table state = {.column_count = checkpoint_size};
  record_table impacts = {.columns = impact_columns, .units = impact_units, .column_count = IMPACT_COLUMN_COUNT};
  size->bytes += record_table_size(&state, checkpoints);
  if (contact_can_touch(&model->contacts)) size->bytes += record_table_size(&impacts, 1);
}

carom_record_size run_record_size(const carom_model *model, int checkpoint_size, double duration) {
  carom_record_size size = {.rows = count_times(model, model->record.every, duration)};
  jmp_buf out_of_memory;
  arena memory = {0};
  if (!setjmp(out_of_memory)) {
    memory = arena_create(&out_of_memory);
    add_frames(&memory, model, &size);
    add_touches(&memory, model, duration, &size);
    add_others(model, checkpoint_size, duration, &size);
    size.bytes += record_text_size(text_length(&memory, model));
  }
  double touches = run_touch_interval(model);
  if (!size.rows || (touches >= 0 && !count_times(model, touches, duration))) size.bytes = 0;
  size.compressed_least = compressed_least * size.bytes, size.compressed_most = compressed_most * size.bytes;
  arena_free(&memory);
  return size;
}

carom_record_size carom_model_record_size(const carom_model *model) {
  carom_sim *sim = carom_sim_create(model, NULL);
  int checkpoint = sim ? sim_checkpoint_size(sim) : model->m.nq + model->m.nv;
  carom_sim_destroy(sim);
  return run_record_size(model, checkpoint, model->about.end);
}
