// What a page shows first: the few plots that tell the story of a model. What a run holds is in its columns' ranges;
// names and the scene say what the columns are.
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

enum { CURVES_MAX = 6, GROUPS_MAX = 2, ORBITS_MAX = 4, UNITS_MAX = 16 };
static const double FLAT =
    1e-6;  // of its own size: a curve that changes by less is drawn as a straight line, by page and paper alike
static const double ALIKE =
    10;  // ranges up to so many times each other share a plot; beyond, the small one would lie flat
static const double FULL_TURN = 2 * 3.14159265358979323846;

typedef struct unit_scale {
  const char *unit;
  double largest;  // that any coordinate, speed or place has in this unit
} unit_scale;

typedef struct chooser {
  report *r;
  json_writer *w;
  const report_run *run;
  const report_table *joints, *contacts;
  double steps;
  unit_scale units[UNITS_MAX];
  int unit_count;
} chooser;

typedef struct column_list {
  const report_table *table;
  int *columns;
  int count;
} column_list;

// --- what is a quantity and what is rounding -------------------------------------------------------------------------

static double largest_of(const report_column *c) {
  return c->range.min <= c->range.max ? fmax(fabs(c->range.min), fabs(c->range.max)) : 0;
}
static double span_of(const report_column *c) { return c->range.min <= c->range.max ? c->range.max - c->range.min : 0; }

static unit_scale *scale_of(chooser *p, const char *unit) {
  for (int i = 0; i < p->unit_count; i++)
    if (strcmp(p->units[i].unit, unit) == 0) return &p->units[i];
  if (p->unit_count == UNITS_MAX) return NULL;
  p->units[p->unit_count] = (unit_scale){unit, 0};
  return &p->units[p->unit_count++];
}

static void note_largest(chooser *p, const char *unit, double x) {
  unit_scale *s = scale_of(p, unit);
  if (s && isfinite(x)) s->largest = fmax(s->largest, x);
}

// A model at rest has no large number of its own: then its size counts, a radian, and either of them in the time of the
// run.
static void measure_units(chooser *p) {
  double length = json_get_number(p->run->scene, "length", 1), time = fmax(p->run->t1 - p->run->t0, DBL_MIN);
  note_largest(p, "m", length), note_largest(p, "m/s", length / time);
  note_largest(p, "rad", 1), note_largest(p, "rad/s", 1 / time);
  static const char *const tables[] = {"joints", "bodies", "contacts"};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    const report_table *t = report_find_table(p->run, tables[i]);
    for (int k = 0; t && k < t->column_count; k++) note_largest(p, t->columns[k].unit, largest_of(&t->columns[k]));
  }
}

// Each step rounds by at most eps of the largest number of that unit; n steps, all in one direction, by n eps of it.
// What stays below may be nothing but that.
static bool is_rounding(chooser *p, const report_column *c) {
  const unit_scale *s = scale_of(p, c->unit);
  return !(span_of(c) > p->steps * DBL_EPSILON * (s ? s->largest : largest_of(c)));
}

static bool changes(chooser *p, const report_column *c) {
  return !is_rounding(p, c) && span_of(c) > FLAT * largest_of(c);
}

// --- names of columns ------------------------------------------------------------------------------------------------

// Whether a column's last part is the word, alone or followed by a number.
static bool is_quantity(const char *name, const char *word) {
  const char *dot = strrchr(name, '.');
  size_t length = strlen(word);
  if (!dot || strncmp(dot + 1, word, length) != 0) return false;
  for (const char *c = dot + 1 + length; *c; c++)
    if (!isdigit((unsigned char)*c)) return false;
  return true;
}

static int column_of(report *r, const report_table *t, const char *owner, const char *quantity) {
  return report_find_column(t, arena_print(r->memory, "%s.%s", owner, quantity));
}

static const char *owner_of(report *r, const char *name) {
  const char *dot = strrchr(name, '.');
  return arena_print(r->memory, "%.*s", (int)(dot - name), name);
}

// The speed of a coordinate. Four coordinates of an orientation have three speeds, so that those behind them stand one
// place earlier, and of the four none has a speed of its own.
static int speed_of(report *r, const report_table *t, int q) {
  const char *name = t->columns[q].name, *owner = owner_of(r, name), *number = strrchr(name, '.') + 2;
  if (!*number) return column_of(r, t, owner, "u");
  int k = atoi(number), coordinates = 0, speeds = 0;
  while (column_of(r, t, owner, arena_print(r->memory, "q%d", coordinates)) >= 0) coordinates++;
  while (column_of(r, t, owner, arena_print(r->memory, "u%d", speeds)) >= 0) speeds++;
  if (coordinates == speeds) return column_of(r, t, owner, arena_print(r->memory, "u%d", k));
  return k < 4 ? -1 : column_of(r, t, owner, arena_print(r->memory, "u%d", k - 1));
}

// Coordinates whose course the model prescribes: they show the drive and nothing of the run.
static bool is_driven(chooser *p, const char *name) {
  const json_value *drives = json_get(p->run->scene, "drives");
  for (int i = 0; drives && i < drives->count; i++) {
    const report_column *driven = report_driven_column(p->r, p->run, &drives->items[i]);
    if (driven && strcmp(name, driven->name) == 0) return true;
  }
  return false;
}

static bool has_clearance(chooser *p, const char *joint) {
  const json_value *joints = json_get(p->run->scene, "joints");
  for (int i = 0; joints && i < joints->count; i++)
    if (strcmp(json_get_text(&joints->items[i], "name"), joint) == 0)
      return json_get_number(&joints->items[i], "clearance", 0) > 0;
  return false;
}

// --- lists of columns ------------------------------------------------------------------------------------------------

static column_list start_list(chooser *p, const report_table *t) {
  return (column_list){t, t ? ARENA_ARRAY(p->r->memory, int, t->column_count) : NULL, 0};
}

// Columns of a table that change, of one quantity and unit; NULL for any.
static column_list list_changing(chooser *p, const report_table *t, const char *word, const char *unit) {
  column_list list = start_list(p, t);
  for (int k = 0; t && k < t->column_count; k++) {
    const report_column *c = &t->columns[k];
    if ((!word || is_quantity(c->name, word)) && (!unit || strcmp(c->unit, unit) == 0) && changes(p, c))
      list.columns[list.count++] = k;
  }
  return list;
}

static void keep_if(column_list *list, bool (*wanted)(chooser *, const report_table *, int), chooser *p) {
  int count = 0;
  for (int i = 0; i < list->count; i++)
    if (wanted(p, list->table, list->columns[i])) list->columns[count++] = list->columns[i];
  list->count = count;
}

// Of many alike some from the first to the last, evenly.
static void thin_out(column_list *list) {
  if (list->count <= CURVES_MAX) return;
  for (int i = 0; i < CURVES_MAX; i++) list->columns[i] = list->columns[(long)i * (list->count - 1) / (CURVES_MAX - 1)];
  list->count = CURVES_MAX;
}

// The columns with the largest numbers, in their order.
static void keep_largest(column_list *list) {
  while (list->count > CURVES_MAX) {
    int least = 0;
    for (int i = 1; i < list->count; i++)
      if (largest_of(&list->table->columns[list->columns[i]]) < largest_of(&list->table->columns[list->columns[least]]))
        least = i;
    memmove(list->columns + least, list->columns + least + 1, sizeof(int) * (size_t)(--list->count - least));
  }
}

static bool turns_round(chooser *p, const report_table *t, int q) {
  (void)p;
  return strcmp(t->columns[q].unit, "rad") == 0 && span_of(&t->columns[q]) >= FULL_TURN;
}
static bool swings(chooser *p, const report_table *t, int q) { return !turns_round(p, t, q); }

// Whether the angular speed shows more than the angle: the angle makes full turns, or it is part of an orientation in
// space.
static bool is_told_by_speed(chooser *p, const report_table *t, int u) {
  const char *owner = owner_of(p->r, t->columns[u].name), *number = strrchr(t->columns[u].name, '.') + 2;
  int q = column_of(p->r, t, owner, arena_print(p->r->memory, "q%s", number));
  return q >= 0 && (strcmp(t->columns[q].unit, "rad") != 0 || turns_round(p, t, q) || p->contacts);
}

// --- plots -----------------------------------------------------------------------------------------------------------

static void put_reference(json_writer *w, const char *key, const report_table *t, int column) {
  json_open(w, key, '[');
  json_put_text(w, NULL, t->name);
  json_put_integer(w, NULL, column);
  json_close(w, ']');
}

static void put_time_plot(json_writer *w, const char *title, const column_list *list) {
  json_open(w, NULL, '{');
  json_put_text(w, "title", title);
  json_put_text(w, "kind", "time");
  json_open(w, "columns", '[');
  for (int i = 0; i < list->count; i++) put_reference(w, NULL, list->table, list->columns[i]);
  json_close(w, ']');
  json_put_text(w, "unit", list->table->columns[list->columns[0]].unit);
  json_close(w, '}');
}

// Takes out of a list what shares a plot with its first.
static column_list take_alike(chooser *p, column_list *list) {
  column_list group = start_list(p, list->table);
  double first = span_of(&list->table->columns[list->columns[0]]);
  int rest = 0;
  for (int i = 0; i < list->count; i++) {
    double span = span_of(&list->table->columns[list->columns[i]]);
    bool alike = span <= ALIKE * first && first <= ALIKE * span;
    if (alike) group.columns[group.count++] = list->columns[i];
    else list->columns[rest++] = list->columns[i];
  }
  list->count = rest;
  return group;
}

// One plot, or where sizes differ too much some, the first of which begins with the first column.
static bool put_time_plots(chooser *p, const char *title, column_list list) {
  bool any = list.count > 0;
  for (int i = 0; i < GROUPS_MAX && list.count; i++) {
    column_list group = take_alike(p, &list);
    thin_out(&group);
    bool alone = i == 0 && list.count == 0;
    const char *name = group.table->columns[group.columns[0]].name;
    put_time_plot(
        p->w, alone ? title : arena_print(p->r->memory, group.count > 1 ? "%s: %s, …" : "%s: %s", title, name), &group);
  }
  return any;
}

static void put_curve(json_writer *w, const char *title, const char *kind, const report_table *t, int x, int y,
                      double circle, bool equal) {
  if (x < 0 || y < 0) return;
  json_open(w, NULL, '{');
  json_put_text(w, "title", title);
  json_put_text(w, "kind", kind);
  put_reference(w, "x", t, x);
  put_reference(w, "y", t, y);
  if (circle > 0) json_put_number(w, "circle", circle);
  if (equal) json_put_flag(w, "equal", true);
  json_close(w, '}');
}

// What the model names itself is what it is about. A number that stays the same is one too: that it stays.
static void put_outputs(chooser *p) {
  const report_table *t = report_find_table(p->run, "outputs");
  column_list moving = start_list(p, t), steady = start_list(p, t);
  for (int k = 0; t && k < t->column_count; k++) {
    const report_column *c = &t->columns[k];
    column_list *list = span_of(c) > FLAT * largest_of(c) ? &moving : &steady;
    if (!c->range.constant && c->range.min <= c->range.max) list->columns[list->count++] = k;
  }
  put_time_plots(p, "Outputs", moving);
  if (steady.count) thin_out(&steady), put_time_plot(p->w, "Outputs that stay", &steady);
}

static void put_motion(chooser *p) {
  column_list travel = list_changing(p, p->joints, "q", "m"), angles = list_changing(p, p->joints, "q", "rad");
  keep_if(&angles, swings, p);
  bool any = put_time_plots(p, "Travel of joints", travel);
  any |= put_time_plots(p, "Angles of joints", angles);
  if (any) return;
  column_list places = start_list(p, report_find_table(p->run, "bodies"));
  for (int k = 0; places.table && k < places.table->column_count; k++) {
    const report_column *c = &places.table->columns[k];
    if (strcmp(c->unit, "m") == 0 && changes(p, c)) places.columns[places.count++] = k;
  }
  put_time_plots(p, "Places of bodies", places);
}

static void put_speeds(chooser *p) {
  if (p->contacts) put_time_plots(p, "Velocities of joints", list_changing(p, p->joints, "u", "m/s"));
  column_list spin = list_changing(p, p->joints, "u", "rad/s");
  keep_if(&spin, is_told_by_speed, p);
  put_time_plots(p, "Angular velocities of joints", spin);
}

static column_list list_pressed(chooser *p) {
  column_list list = start_list(p, p->contacts);
  for (int k = 0; p->contacts && k < p->contacts->column_count; k++) {
    const report_column *c = &p->contacts->columns[k];
    if (is_quantity(c->name, "fn") && largest_of(c) > 0) list.columns[list.count++] = k;
  }
  return list;
}

// Contacts that ever touched, the hardest first where there are many. Friction goes along where it is not lost beside
// the normal force.
static void put_contact_forces(chooser *p) {
  column_list forces = list_pressed(p), gaps = start_list(p, p->contacts);
  keep_largest(&forces);
  int normal = forces.count;
  for (int i = 0; i < normal; i++) {
    const report_column *fn = &p->contacts->columns[forces.columns[i]];
    const char *owner = owner_of(p->r, fn->name);
    int gap = column_of(p->r, p->contacts, owner, "gap"), ft = column_of(p->r, p->contacts, owner, "ft");
    if (gap >= 0 && changes(p, &p->contacts->columns[gap])) gaps.columns[gaps.count++] = gap;
    if (ft >= 0 && normal <= CURVES_MAX / 2 && ALIKE * largest_of(&p->contacts->columns[ft]) > largest_of(fn))
      forces.columns[forces.count++] = ft;
  }
  if (forces.count) put_time_plot(p->w, "Contact forces", &forces);
  put_time_plots(p, "Gaps", gaps);
}

static void put_drive_efforts(chooser *p) {
  if (!report_find_table(p->run, "outputs"))
    put_time_plots(p, "Efforts of drives", list_changing(p, report_find_table(p->run, "drives"), "effort", NULL));
}

// The round inner part of a joint with clearance, as the scene has it. Returns NULL if it is a slider, or no such
// joint.
static const json_value *round_joint(const chooser *p, const json_value *contact) {
  const json_value *joints = json_get(p->run->scene, "joints");
  double index = json_get_number(contact, "joint", -1);
  if (!joints || !(index >= 0 && index < joints->count) || !(json_get_number(contact, "clearance", 0) > 0)) return NULL;
  const json_value *joint = &joints->items[(int)index];
  return json_get_number(joint, "width", 0) > 0 ? NULL : joint;
}

static bool has_axis(const json_value *joint) {
  const json_value *axis = json_get(joint, "axis");
  return axis && axis->kind == JSON_LIST;
}

// Journals in their clearance, and the loop of the hardest contact that has a law: where contact is rigid, what it
// penetrates is an error.
static int put_contact_portraits(chooser *p) {
  const json_value *contacts = json_get(p->run->scene, "contacts");
  const report_table *t = p->contacts;
  int orbits = 0, fn = -1;
  for (int i = 0; t && contacts && i < contacts->count; i++) {
    const json_value *c = &contacts->items[i];
    const char *owner = json_get_text(c, "name");
    double clearance = json_get_number(c, "clearance", 0);
    const json_value *round = round_joint(p, c);
    bool ball = round && !has_axis(round);  // seen from the side: it mostly hangs or rests along z
    int x = column_of(p->r, t, owner, "x"), y = column_of(p->r, t, owner, ball ? "z" : "y");
    if (round && x >= 0 && y >= 0 && orbits < ORBITS_MAX) {
      put_curve(p->w, arena_print(p->r->memory, "Orbit of %s in its clearance", owner), "orbit", t, x, y, clearance,
                false);
      orbits++;
    }
    int force = column_of(p->r, t, owner, "fn");
    if (*json_get_text(c, "law") && force >= 0 &&
        largest_of(&t->columns[force]) > (fn < 0 ? 0 : largest_of(&t->columns[fn])))
      fn = force;
  }
  if (fn >= 0) {
    const char *owner = owner_of(p->r, t->columns[fn].name);
    put_curve(p->w, arena_print(p->r->memory, "Force over gap of %s", owner), "xy", t, column_of(p->r, t, owner, "gap"),
              fn, 0, false);
  }
  return orbits;
}

// How interesting the phase portrait of a coordinate is; 0 if not at all. An oscillation gives a closed curve, and a
// joint with clearance shows its impacts.
enum { TO_AND_FRO = 2 };
static int portrait_rank(chooser *p, int q, int u) {
  const report_column *x = &p->joints->columns[q], *y = &p->joints->columns[u];
  if (!changes(p, x) || !changes(p, y) || is_driven(p, x->name)) return 0;
  bool returns = fmin(-y->range.min, y->range.max) * ALIKE > span_of(y);
  return 1 + TO_AND_FRO * returns + has_clearance(p, owner_of(p->r, x->name));
}

// An orientation has no coordinate to draw its speed over: two of its three speeds instead, the polhode seen from one
// side.
static void put_polhode(chooser *p) {
  column_list spin = list_changing(p, p->joints, "u", "rad/s");
  for (int i = 0; i + 1 < spin.count; i++) {
    const char *owner = owner_of(p->r, p->joints->columns[spin.columns[i]].name);
    if (strcmp(owner, owner_of(p->r, p->joints->columns[spin.columns[i + 1]].name)) != 0) continue;
    put_curve(p->w, arena_print(p->r->memory, "Angular velocity of %s", owner), "xy", p->joints, spin.columns[i],
              spin.columns[i + 1], 0, true);
    return;
  }
}

static void put_phase_portraits(chooser *p, int most) {
  int done[2] = {-1, -1};
  for (int n = 0; n < most; n++) {
    int best = 0, at = -1, speed = -1;
    for (int q = 0; p->joints && q < p->joints->column_count; q++) {
      if (!is_quantity(p->joints->columns[q].name, "q") || q == done[0]) continue;
      int u = speed_of(p->r, p->joints, q), rank = u >= 0 ? portrait_rank(p, q, u) : 0;
      if (rank > best) best = rank, at = q, speed = u;
    }
    if (at < 0 && n == 0) put_polhode(p);
    if (at < 0 || (n > 0 && best <= TO_AND_FRO)) return;
    done[n] = at;
    put_curve(p->w, arena_print(p->r->memory, "Phase portrait of %s", p->joints->columns[at].name), "xy", p->joints, at,
              speed, 0, false);
  }
}

// Two of three places that move most, first that which comes first.
static void put_path_of(chooser *p, const char *name, const report_table *t, const int *columns) {
  int least = 0, first, second;
  for (int k = 1; k < 3; k++)
    if (columns[k] < 0 ||
        (columns[least] >= 0 && span_of(&t->columns[columns[k]]) < span_of(&t->columns[columns[least]])))
      least = k;
  first = columns[least == 0 ? 1 : 0], second = columns[least == 2 ? 1 : 2];
  if (first < 0 || second < 0 || !changes(p, &t->columns[first]) || !changes(p, &t->columns[second])) return;
  put_curve(p->w, arena_print(p->r->memory, "Path of %s", name), "xy", t, first, second, 0, true);
}

// The first of a table's markers or bodies that moves.
static bool put_first_path(chooser *p, const report_table *t) {
  for (int k = 0; t && k < t->column_count; k++) {
    if (!is_quantity(t->columns[k].name, "x") || !changes(p, &t->columns[k])) continue;
    const char *owner = owner_of(p->r, t->columns[k].name);
    put_path_of(p, owner, t, (const int[]){k, column_of(p->r, t, owner, "y"), column_of(p->r, t, owner, "z")});
    return true;
  }
  return false;
}

// Of a marker that the model names, of a joint that leaves two directions free, or of a body that hangs on a ball
// joint.
static void put_path(chooser *p) {
  if (put_first_path(p, report_find_table(p->run, "markers"))) return;
  column_list travel = list_changing(p, p->joints, "q", "m");
  for (int i = 0; i + 1 < travel.count; i++) {
    const char *owner = owner_of(p->r, p->joints->columns[travel.columns[i]].name);
    if (strcmp(owner, owner_of(p->r, p->joints->columns[travel.columns[i + 1]].name)) != 0) continue;
    bool third =
        i + 2 < travel.count && strcmp(owner, owner_of(p->r, p->joints->columns[travel.columns[i + 2]].name)) == 0;
    put_path_of(p, owner, p->joints,
                (const int[]){travel.columns[i], travel.columns[i + 1], third ? travel.columns[i + 2] : -1});
    return;
  }
  bool any_angle = list_changing(p, p->joints, "q", "rad").count > 0;
  if (!travel.count && !any_angle) put_first_path(p, report_find_table(p->run, "bodies"));
}

static void put_energy_plot(json_writer *w, const report_run *run) {
  const report_table *t = report_find_table(run, "energy");
  int residual = report_find_column(t, "energy.imbalance");
  if (!t) return;
  json_open(w, NULL, '{');
  json_put_text(w, "title", "Energy");
  json_put_text(w, "kind", "energy");
  json_open(w, "columns", '[');
  for (int k = 0; k < t->column_count; k++)
    if (k != residual) put_reference(w, NULL, t, k);
  json_close(w, ']');
  if (residual >= 0) put_reference(w, "residual", t, residual);
  else json_put_null(w, "residual");
  json_close(w, '}');
}

void report_put_plots(report *r, json_writer *w, const report_run *run) {
  chooser p = {.r = r,
               .w = w,
               .run = run,
               .joints = report_find_table(run, "joints"),
               .contacts = report_find_table(run, "contacts"),
               .steps = fmax(json_get_number(run->summary, "steps", 0), (double)run->rows)};
  measure_units(&p);
  json_open(w, "plots", '[');
  put_outputs(&p);
  put_motion(&p);
  if (p.contacts) put_contact_forces(&p);
  put_speeds(&p);
  put_drive_efforts(&p);
  int orbits = put_contact_portraits(&p);
  put_path(&p);
  put_phase_portraits(&p, orbits > 1 ? 1 : 2);
  put_energy_plot(w, run);
  json_close(w, ']');
}
