// Functions from points: `tables:` of a model, inline or from CSV files, and what a drive by them must not do.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "build/builder.h"
#include "mechanics/instant.h"
#include "text/cells.h"
#include "text/expr_parse.h"

enum { TABLE_BYTES_MAX = 64 << 20 };

// Points as they are given, in SI units.
typedef struct table_points {
  double *of[2];  // x and y
  int counts[2], capacities[2];
  dimension dim[2];  // DIM_ANY of plain numbers
} table_points;

typedef struct table_reader {
  builder *b;
  const part *p;
  const carom_table_def *d;
  table_points points;
  // of a CSV file
  const char *path;
  int cells;  // of its first line
  int column[2];
  double factor[2];
} table_reader;

static place place_of(const table_reader *r, const char *key) { return builder_place(r->p, &table_table, key); }

#define REFUSE(r, key, hint, ...) source_error((r)->b->error, CAROM_ERROR_MODEL, place_of(r, key), hint, __VA_ARGS__)

static void add_number(table_reader *r, int way, double x) {
  table_points *p = &r->points;
  *ARENA_PUSH(&r->b->model->scratch, p->of[way], p->counts[way], p->capacities[way]) = x;
}

// --- inline ----------------------------------------------------------------------------------------------------------

// The unit that the numbers of one column have; those without a unit fit it.
static bool take_dimension(table_reader *r, const char *key, int way, dimension d) {
  dimension *sofar = &r->points.dim[way];
  char first[32], second[32];
  if (*sofar != DIM_ANY && !dimension_equal(*sofar, d))
    return REFUSE(r, key, NULL, "the %s of table '%s' are in %s and in %s", way ? "ordinates" : "abscissas", r->p->name,
                  dimension_text(*sofar, first), dimension_text(d, second));
  if (*sofar == DIM_ANY) *sofar = d;
  return true;
}

static const dimension *written_units(const table_reader *r, const char *key) {
  for (int i = 0; r->p->places.dims && i < table_table.count; i++)
    if (strcmp(table_table.options[i].key, key) == 0) return r->p->places.dims[i];
  return NULL;
}

static bool take_points(table_reader *r) {
  const dimension *units = written_units(r, "points");
  if (r->d->points.count % 2)
    return REFUSE(r, "points", "as in [[0, 0], [1 s, 30 deg]]", "table '%s' has an x without its y", r->p->name);
  for (int i = 0; i < r->d->points.count; i++) {
    if (units && units[i] != DIM_ANY && !take_dimension(r, "points", i % 2, units[i])) return false;
    add_number(r, i % 2, r->d->points.items[i]);
  }
  return true;
}

// --- CSV files -------------------------------------------------------------------------------------------------------

// The column of a name in the first line, with or without its unit, or of a number. Returns false after reporting.
static bool find_column(table_reader *r, const cells *c, const char *header, const char *name, int *column) {
  char cell[CELL_MAX], short_name[CELL_MAX], unit[CELL_MAX];
  double number;
  *column = -1;
  for (int i = 0; header && cells_read(c, header, i, cell); i++) {
    cells_split_name(cell, short_name, unit);
    if (strcmp(cell, name) != 0 && strcmp(short_name, name) != 0) continue;
    if (*column >= 0)
      return REFUSE(r, "columns", "give the number of the column, from 1 on",
                    "'%s', line %d: columns %d and %d have the name '%s'", r->path, c->line, *column + 1, i + 1, name);
    *column = i;
  }
  bool by_number = cells_number(name, &number) && number >= 1 && number <= 10000 && number == floor(number);
  if (*column < 0 && by_number) *column = (int)number - 1;
  return true;
}

static bool find_columns(table_reader *r, const cells *c, const char *header) {
  char cell[CELL_MAX];
  for (int way = 0; way < 2; way++) {
    const char *name = r->d->columns.count ? r->d->columns.items[way] : way ? "2" : "1";
    if (!find_column(r, c, r->d->columns.count ? header : NULL, name, &r->column[way])) return false;
    if (r->column[way] < 0 || (header && !cells_read(c, header, r->column[way], cell)))
      return REFUSE(
          r, "columns",
          header ? "names are those of the first line" : "the file has no line of names; give numbers from 1 on",
          "'%s' has no column '%s'", r->path, name);
  }
  return true;
}

static bool take_unit(table_reader *r, const char *key, int way, const char *text) {
  double factor = 1;
  dimension d = DIM_ANY;
  size_t length = strlen(text);
  bool plain = length == 0 || strcmp(text, "1") == 0 || strcmp(text, "-") == 0;
  if (!plain && unit_product(text, &factor, &d) != length)
    return REFUSE(r, key, strcmp(key, "file") == 0 ? "give 'units' of both columns instead" : NULL,
                  "'%s' is not a unit", text);
  r->factor[way] = factor, r->points.dim[way] = d;
  return true;
}

// `t_ms` or `t/ms` may be a name or a name with a unit: it is read as a name, and the user is told.
static void note_unit_in_name(table_reader *r, const char *cell) {
  const char *slash = strchr(cell, '/'), *end = slash ? slash : strrchr(cell, '_');
  double factor;
  dimension d;
  if (!end || end == cell || !end[1] || unit_product(end + 1, &factor, &d) != strlen(end + 1) || factor == 1) return;
  builder_note_at(r->b, place_of(r, "file"),
                  "table '%s' reads column '%s' of '%s' in SI units: if '%s' is its unit, give 'units'", r->p->name,
                  cell, r->path, end + 1);
}

// The unit of a column: that of its name in the first line and that of a line between names and numbers. Both lines
// may be null.
static bool take_unit_of_file(table_reader *r, const cells *c, int way, const char *header, const char *line) {
  char cell[CELL_MAX], name[CELL_MAX], unit[CELL_MAX] = "";
  if (header && cells_read(c, header, r->column[way], cell)) cells_split_name(cell, name, unit);
  if (!take_unit(r, "file", way, unit)) return false;
  if (!line) {
    if (header && !*unit) note_unit_in_name(r, cell);
    return true;
  }
  double factor = r->factor[way];
  dimension d = r->points.dim[way];
  if (!cells_read(c, line, r->column[way], cell))
    return REFUSE(r, "file", NULL, "'%s', line %d: the unit of column %d is missing", r->path, c->line,
                  r->column[way] + 1);
  if (!take_unit(r, "file", way, cell)) return false;
  if (!*unit || (factor == r->factor[way] && dimension_equal(d, r->points.dim[way]))) return true;
  return REFUSE(r, "file", "give 'units'", "'%s', line %d: column '%s' is in '%s' by its name and in '%s' here",
                r->path, c->line, name, unit, cell);
}

// Units that are given win over those of the file. Where they differ the user is told: the file may have changed.
static void note_other_unit(table_reader *r, const cells *c, int way, const char *header, const char *line) {
  char cell[CELL_MAX], name[CELL_MAX] = "", unit[CELL_MAX] = "";
  double factor = 1;
  dimension d = DIM_ANY;
  if (header && cells_read(c, header, r->column[way], cell)) cells_split_name(cell, name, unit);
  if (line && cells_read(c, line, r->column[way], cell)) snprintf(unit, sizeof unit, "%s", cell);
  if (!*unit || unit_product(unit, &factor, &d) != strlen(unit)) return;
  if (factor == r->factor[way] && dimension_equal(d, r->points.dim[way])) return;
  builder_note_at(r->b, place_of(r, "units"),
                  "table '%s' reads column '%s' of '%s' in '%s' as 'units' says, and the file says '%s'", r->p->name,
                  name, r->path, r->d->units.items[way], unit);
}

// Units that are given, or else those of the file.
static bool take_units(table_reader *r, const cells *c, const char *header, const char *line) {
  for (int way = 0; way < 2; way++) {
    bool ok = r->d->units.count ? take_unit(r, "units", way, r->d->units.items[way])
                                : take_unit_of_file(r, c, way, header, line);
    if (!ok) return false;
    if (r->d->units.count) note_other_unit(r, c, way, header, line);
  }
  return true;
}

static bool holds_numbers(const table_reader *r, const cells *c, const char *line) {
  char cell[CELL_MAX];
  double x;
  for (int way = 0; line && way < 2; way++)
    if (!cells_read(c, line, r->column[way], cell) || !cells_number(cell, &x)) return false;
  return true;
}

// More cells than the first line has are most likely decimal commas.
static bool check_cells(const table_reader *r, const cells *c, const char *line) {
  int cells = cells_count(c, line);
  if (cells <= r->cells) return true;
  return REFUSE(r, "file", c->separator == ',' ? "decimal numbers need a point" : NULL,
                "'%s', line %d: %d cells, and the first line has %d", r->path, c->line, cells, r->cells);
}

static bool take_line(table_reader *r, const cells *c, const char *line) {
  char cell[CELL_MAX];
  if (!check_cells(r, c, line)) return false;
  for (int way = 0; way < 2; way++) {
    double x;
    if (!cells_read(c, line, r->column[way], cell))
      return REFUSE(r, "file", NULL, "'%s', line %d: column %d is missing", r->path, c->line, r->column[way] + 1);
    if (!cells_number(cell, &x))
      return REFUSE(r, "file", NULL, "'%s', line %d: '%s' is not a number", r->path, c->line, cell);
    add_number(r, way, x * r->factor[way]);
  }
  return true;
}

static bool take_file(table_reader *r) {
  file_bytes content = {0};
  char cell[CELL_MAX];
  double x;
  place at = place_of(r, "file");
  r->path = builder_path(r->b, at, r->d->file);
  r->factor[0] = r->factor[1] = 1;
  if (!builder_read_file(r->b, at, r->path, TABLE_BYTES_MAX, "take fewer points", &content)) return false;
  if (memchr(content.items, 0, content.length)) return REFUSE(r, "file", NULL, "'%s' is not a text", r->path);
  builder_keep_file(r->b, r->d->file, r->path, &content);
  cells c = {.next = content.items};
  const char *line = cells_next_line(&c), *header = NULL;
  if (line) r->cells = cells_count(&c, line);
  if (line && cells_read(&c, line, 0, cell) && !cells_number(cell, &x)) header = line;
  if (line && !find_columns(r, &c, header)) return false;
  if (header) line = cells_next_line(&c);
  bool has_units = header && line && !holds_numbers(r, &c, line);
  if (!take_units(r, &c, header, has_units ? line : NULL)) return false;
  if (has_units) line = cells_next_line(&c);
  for (; line; line = cells_next_line(&c))
    if (!take_line(r, &c, line)) return false;
  return true;
}

// --- one table -------------------------------------------------------------------------------------------------------

static bool check_definition(const table_reader *r) {
  const carom_table_def *d = r->d;
  if (!d->file == !d->points.count)
    return REFUSE(r, d->file ? "file" : "type", NULL, "table '%s' needs either 'points' or 'file'", r->p->name);
  if (d->columns.count && d->columns.count != 2)
    return REFUSE(r, "columns", NULL, "'columns' of table '%s' must be two", r->p->name);
  if (d->units.count && d->units.count != 2)
    return REFUSE(r, "units", NULL, "'units' of table '%s' must be two", r->p->name);
  if (!d->file && (d->columns.count || d->units.count))
    return REFUSE(r, d->columns.count ? "columns" : "units", NULL, "table '%s' has no 'file' that this could belong to",
                  r->p->name);
  if (d->slopes.count && d->type != CAROM_TABLE_CLAMPED)
    return REFUSE(r, "slopes", "give it type: clamped",
                  "table '%s' has slopes, and only those of type clamped are given", r->p->name);
  if (d->slopes.count && d->slopes.count != 2)
    return REFUSE(r, "slopes", NULL, "'slopes' of table '%s' must be two", r->p->name);
  if (!expr_is_function(r->p->name)) return true;
  return source_error(r->b->error, CAROM_ERROR_MODEL, r->p->places.whole, "give it another name",
                      "'%s' is a built-in function", r->p->name);
}

static bool check_points(const table_reader *r) {
  const table_points *p = &r->points;
  const char *key = r->d->file ? "file" : "points";
  if (p->counts[0] < 2)
    return REFUSE(r, key, NULL, "table '%s' has %d point%s; it needs two or more", r->p->name, p->counts[0],
                  p->counts[0] == 1 ? "" : "s");
  for (int i = 0; i < p->counts[0]; i++) {
    if (!isfinite(p->of[0][i]) || !isfinite(p->of[1][i]))
      return REFUSE(r, key, NULL, "point %d of table '%s' is not finite", i + 1, r->p->name);
    if (i && p->of[0][i] <= p->of[0][i - 1])
      return REFUSE(r, key, NULL, "the abscissas of table '%s' must increase: point %d has %.10g after %.10g",
                    r->p->name, i + 1, p->of[0][i], p->of[0][i - 1]);
  }
  return true;
}

static bool check_slopes(const table_reader *r) {
  const dimension *units = written_units(r, "slopes"), *of = r->points.dim;
  if (!units || of[0] == DIM_ANY || of[1] == DIM_ANY) return true;
  dimension wanted = dimension_product(of[1], of[0], -1);
  char complaint[DIMENSION_COMPLAINT];
  for (int k = 0; k < r->d->slopes.count; k++)
    if (!dimension_equal(wanted, units[k]))
      return REFUSE(r, "slopes", NULL, "'slopes' must be %s", dimension_complaint(wanted, units[k], complaint));
  return true;
}

static bool make_table(builder *b, const part *p, named_curve *to) {
  table_reader r = {.b = b, .p = p, .d = p->content, .points = {.dim = {DIM_ANY, DIM_ANY}}};
  static const double level[2] = {0, 0};
  if (!check_definition(&r) || !(r.d->file ? take_file(&r) : take_points(&r)) || !check_points(&r) || !check_slopes(&r))
    return false;
  const double *slopes = r.d->slopes.count ? r.d->slopes.items : level;
  *to = (named_curve){.name = arena_copy_text(b->memory, p->name),
                      .x = r.points.dim[0],
                      .y = r.points.dim[1],
                      .curve = curve_create(b->memory, (curve_kind)r.d->type, r.points.counts[0], r.points.of[0],
                                            r.points.of[1], slopes)};
  return true;
}

bool builder_tables(builder *b) {
  const part_list *list = &b->def->tables;
  b->tables = names_create(b->memory);
  if (!builder_names(b, &b->tables, list, "tables", 0)) return false;
  named_curve *curves = ARENA_ARRAY(b->memory, named_curve, list->count + 1);
  for (int i = 0; i < list->count; i++)
    if (!make_table(b, &list->items[i], &curves[i])) return false;
  b->curves = curves;
  return true;
}

const named_curve *builder_table(void *context, const char *name) {
  const builder *b = context;
  int i = names_find(&b->tables, name);
  return i < 0 ? NULL : &b->curves[i];
}

// --- motions that jump -----------------------------------------------------------------------------------------------

// Where the expression of a motion shows it, a jump is an error before the run.
static bool check_motion(builder *b, driven of, const carom_function *from) {
  enum { MOST = 100000 };
  const function_origin *origin = from->origin;
  double t = 0, end = b->def->model.end;
  motion_jump jump;
  char text[256];
  for (int i = 0; i < MOST && of.f->e; i++) {
    t = expr_next_kink(of.f->e, t + 2 * instant_rounding(t), NULL);
    if (!(t < end)) break;
    if (!driven_jumps_at(of, t, &jump)) continue;
    motion_jump_explain(&jump, b->def->scheme->name, text, sizeof text);
    return source_error(b->error, CAROM_ERROR_MODEL, origin ? origin->at : (place){0}, motion_jump_hint, "%s", text);
  }
  return true;
}

bool builder_check_motions(builder *b, const mechanism *m) {
  if (!b->def->scheme->about->integrates) return true;
  for (int i = 0; i < m->drive_count; i++)
    if (!check_motion(b, driven_get(m, i), &((const carom_drive_def *)b->def->drives.items[i].content)->motion))
      return false;
  for (int i = 0; i < b->def->constraints.count; i++)
    if (!check_motion(b, driven_get(m, m->drive_count + i),
                      &((const carom_constraint_def *)b->def->constraints.items[i].content)->value))
      return false;
  return true;
}
