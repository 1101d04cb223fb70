// The table of touches: a row for each point that touches, at times of its own. The times are in a second table, each
// with the first of its rows and how many there are, so that times without a touch are known too. Surfaces are numbers
// into a list among the texts of the record. Where touch is between the sides of a joint, the list has two entries for
// it behind all surfaces.
#include "run.h"

#include <math.h>

#include "base/error.h"
#include "record/touch_rows.h"

enum { ROWS_AT_ONCE = 256 };

static const char *const columns_spatial[] = {"a",        "b",        "point",    "at_x", "at_y",    "at_z",
                                              "normal_x", "normal_y", "normal_z", "gap",  "force_x", "force_y",
                                              "force_z",  "fn",       "ft",       "slip"};
static const char *const units_spatial[] = {"1", "1", "1", "m", "m", "m", "1", "1",
                                            "1", "m", "N", "N", "N", "N", "N", "1"};
static const char *const columns_planar[] = {"a",   "b",       "point",   "at_x", "at_y", "normal_x", "normal_y",
                                             "gap", "force_x", "force_y", "fn",   "ft",   "slip"};
static const char *const units_planar[] = {"1", "1", "1", "m", "m", "1", "1", "m", "N", "N", "N", "N", "1"};
// Of a time stepper, what acts is a mean over the step, with the normal that belongs to it. In space there is a z
// behind each y.
#define INSTANT "instant"
#define MEAN    "mean"
static const char *const sampling_spatial[] = {INSTANT, INSTANT, INSTANT, INSTANT, INSTANT, INSTANT, MEAN, MEAN,
                                               MEAN,    INSTANT, MEAN,    MEAN,    MEAN,    MEAN,    MEAN, MEAN};
static const char *const sampling_planar[] = {INSTANT, INSTANT, INSTANT, INSTANT, INSTANT, MEAN, MEAN,
                                              INSTANT, MEAN,    MEAN,    MEAN,    MEAN,    MEAN};
static const char *const sampling_instant[] = {INSTANT, INSTANT, INSTANT, INSTANT, INSTANT, INSTANT, INSTANT, INSTANT,
                                               INSTANT, INSTANT, INSTANT, INSTANT, INSTANT, INSTANT, INSTANT, INSTANT};
static const char *const time_columns[] = {"t", "first", "count"}, *const time_units[] = {"s", "1", "1"};
enum {
  TIME_COLUMNS = 3,
  SPATIAL_COLUMNS = sizeof columns_spatial / sizeof *columns_spatial,
  PLANAR_COLUMNS = sizeof columns_planar / sizeof *columns_planar
};

double run_touch_interval(const carom_model *model) {
  double touches = model->record.touches;
  if (!contact_can_touch(&model->contacts) || touches == CAROM_TOUCHES_NEVER) return -1;
  if (touches == CAROM_TOUCHES_AUTO && !model->contacts.crowd) return -1;
  return touches > 0 ? touches : model->record.every;
}

int run_touch_tables(const carom_model *model, record_table tables[2]) {
  bool planar = model->m.planar;
  if (run_touch_interval(model) < 0) return 0;
  tables[0] =
      (record_table){.name = "touch_times", .columns = time_columns, .units = time_units, .column_count = TIME_COLUMNS};
  tables[1] = (record_table){.name = "touches",
                             .columns = planar ? columns_planar : columns_spatial,
                             .units = planar ? units_planar : units_spatial,
                             .column_count = planar ? PLANAR_COLUMNS : SPATIAL_COLUMNS,
                             .single = true,
                             .sampling = !model->scheme->gives_means ? sampling_instant
                                         : planar                    ? sampling_planar
                                                                     : sampling_spatial};
  return 2;
}

static void list_side(run *r, arena_text *list, const contact_element *e, int marker) {
  const mechanism *m = &r->model->m;
  arena_append(&r->memory, list, "%s\t%d\t-1", e->name, m->markers[marker].body);
  for (int k = 0; e->point_count > 1 && k < e->point_count; k++)
    arena_append(&r->memory, list, "\t%s", contact_point_name(m, e, k));
  arena_append(&r->memory, list, "\n");
}

// A line each: name, body, shape and, of a joint, the names of its points, with tabs between.
const char *run_list_touch_surfaces(run *r) {
  const contact_world *w = &r->model->contacts;
  arena_text list = {0};
  arena_append(&r->memory, &list, "%s", "");
  for (int i = 0; i < w->surface_count; i++)
    arena_append(&r->memory, &list, "%s\t%d\t%d\n", w->surfaces[i].name,
                 r->model->m.markers[w->surfaces[i].marker].body, (int)w->surfaces[i].shape);
  int next = w->surface_count, *sides = ARENA_ARRAY(&r->memory, int, w->element_count + 1);
  for (int i = 0; i < w->element_count; i++) {
    const contact_element *e = &w->elements[i];
    if (contact_is_of_surfaces(e)) continue;
    sides[i] = next, next += 2;
    list_side(r, &list, e, e->first), list_side(r, &list, e, e->second);
  }
  r->touches.sides = sides;
  return list.text;
}

// A line each: both surfaces and the name, with tabs between.
const char *run_list_touch_pairs(run *r) {
  const contact_world *w = &r->model->contacts;
  arena_text list = {0};
  arena_append(&r->memory, &list, "%s", "");
  for (int i = 0; i < w->element_count; i++) {
    const contact_element *e = &w->elements[i];
    char text[CONTACT_NAME];
    const contact_element unnamed = {.surface = {e->surface[0], e->surface[1]}};
    if (contact_is_of_surfaces(e) && strcmp(e->name, contact_name(w, &unnamed, text)) != 0)
      arena_append(&r->memory, &list, "%d\t%d\t%s\n", e->surface[0], e->surface[1], e->name);
  }
  return list.text;
}

// The numbers of its surfaces, that of the first body first.
static void number_surfaces(const run *r, const contact_element *e, double *row) {
  const contact_world *w = &r->model->contacts;
  if (!contact_is_of_surfaces(e)) {
    row[0] = r->touches.sides[e->slot], row[1] = row[0] + 1;
    return;
  }
  bool first = w->surfaces[e->surface[0]].marker == e->first;
  row[0] = e->surface[!first], row[1] = e->surface[first];
}

static double *put_vector(double *row, vec3 v, bool planar) {
  *row++ = v.x, *row++ = v.y;
  if (!planar) *row++ = v.z;
  return row;
}

// A point that follows the other surface without a force, or just leaves it, touches while its gap is closed.
static bool touches(const run *r, const scheme_contact *c) {
  return c->active && c->point && (c->normal_force != 0 || c->gap <= r->model->contacts.activation);
}

static carom_status write_touch(run *r, const contact_element *e, int k, const scheme_contact *c) {
  bool planar = r->model->m.planar;
  double row[SPATIAL_COLUMNS],
      *next = row + 3,
      ft = planar ? fabs(c->tangential_force[0]) : hypot(c->tangential_force[0], c->tangential_force[1]);
  const contact_point *p = c->point;
  vec3 force = vec3_scale(c->normal_force, p->n);
  for (int i = 0; i < (planar ? 1 : 2); i++) force = vec3_axpy(force, c->tangential_force[i], p->t[i]);
  number_surfaces(r, e, row);
  row[2] = k;
  next = put_vector(next, p->at, planar);
  next = put_vector(next, p->n, planar);
  *next++ = c->gap;
  next = put_vector(next, force, planar);
  *next++ = c->normal_force, *next++ = ft;
  *next++ = c->normal_force == 0 && ft == 0 ? 0 : 1 + c->slides;
  return record_append(r->file, r->touches.table, row, r->error);
}

carom_status run_write_touches(run *r) {
  touch_log *l = &r->touches;
  carom_sim *sim = r->sim;
  if (l->table < 0 || sim->x->t <= l->last) return CAROM_OK;
  double time[TIME_COLUMNS] = {l->last = sim->x->t, (double)l->rows};
  const scheme_contact *points =
      sim_evaluate(sim, NULL) && sim->type->contacts ? sim->type->contacts(sim->scheme) : NULL;
  carom_status status = CAROM_OK;
  for (int i = 0; points && i < sim->contacts->element_count; i++) {
    const contact_element *e = sim->contacts->elements[i];
    for (int k = 0; k < e->point_count && status == CAROM_OK; k++) {
      if (!touches(r, &points[e->point0 + k])) continue;
      status = write_touch(r, e, k, &points[e->point0 + k]);
      l->rows++;
    }
  }
  time[2] = (double)l->rows - time[1];
  return status == CAROM_OK ? record_append(r->file, l->times, time, r->error) : status;
}

// The rows of one time, which get other numbers if rows before them were lost.
static carom_status copy_time(run *r, int table, int width, double time[TIME_COLUMNS]) {
  touch_log *l = &r->touches;
  long first = (long)time[1], count = (long)time[2];
  carom_status status = CAROM_OK;
  for (long i = 0; i < count && status == CAROM_OK; i += ROWS_AT_ONCE) {
    double block[ROWS_AT_ONCE * SPATIAL_COLUMNS];
    long n = count - i < ROWS_AT_ONCE ? count - i : ROWS_AT_ONCE;
    status = record_read(r->earlier, table, first + i, n, block, r->error);
    for (long k = 0; k < n && status == CAROM_OK; k++)
      status = record_append(r->file, l->table, block + k * width, r->error);
  }
  time[1] = (double)l->rows;
  l->rows += count;
  l->last = time[0];
  return status == CAROM_OK ? record_append(r->file, l->times, time, r->error) : status;
}

carom_status run_copy_touches(run *r, double t) {
  if (r->touches.table < 0) return CAROM_OK;
  int times = record_find_table(r->earlier, "touch_times"), table = record_find_table(r->earlier, "touches");
  int width = record_get_table(r->earlier, table).column_count;
  long most = record_rows(r->earlier, table);
  double next = 0;
  carom_status status = CAROM_OK;
  for (long i = 0; i < record_rows(r->earlier, times) && status == CAROM_OK; i++) {
    double time[TIME_COLUMNS];
    status = record_read(r->earlier, times, i, 1, time, r->error);
    if (status != CAROM_OK || time[0] > t || (time[0] == t && !schedule_has(&r->touch_times, t))) break;
    if (!touch_rows_follow(time[1], time[2], most, &next))
      return error_set(r->error, CAROM_ERROR_FILE,
                       "'%s' cannot be continued: rows of its table 'touches' are missing or belong to two times; "
                       "resume into a new file",
                       r->options->resume);
    status = copy_time(r, table, width, time);
  }
  return status;
}
