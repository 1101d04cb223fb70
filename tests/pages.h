// Reports as test subjects: a page is made from a run and read back. And runs made by hand, for what no model gives.
#ifndef CAROM_TESTS_PAGES_H
#define CAROM_TESTS_PAGES_H

#include "example.h"
#include "memory.h"

#include <stdint.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/json.h"
#include "ledger/impact.h"
#include "record/record.h"

static const char page_text[] =
    "<!doctype html><title>carom</title><body><p>before</p><!--carom-data--><p>script</p>"
    "<!--carom-blobs--><p>after</p></body>";
static const carom_report_page page = {.text = page_text, .length = sizeof page_text - 1};

// --- a page read back ------------------------------------------------------------------------------------------------

typedef struct opened_page {
  char *text;
  size_t length;
  const json_value *json;
} opened_page;

CHECK_UNUSED_OK static opened_page open_page(const char *path) {
  opened_page p = {0};
  struct stat about;
  FILE *f = fopen(path, "rb");
  if (!CHECK(f && stat(path, &about) == 0)) return p;
  p.length = (size_t)about.st_size;
  p.text = arena_alloc(&memory, p.length + 1, 1);
  CHECK_EQUAL(fread(p.text, 1, p.length, f), p.length);
  fclose(f);
  static const char start[] = "<script type=\"application/json\" id=\"carom-run\">";
  char *from = strstr(p.text, start), *to = from ? strstr(from, "</script>") : NULL;
  if (!CHECK(to)) return p;
  from += sizeof start - 1;
  char *words = arena_print(&memory, "%.*s", (int)(to - from), from);
  p.json = json_read(&memory, words);
  CHECK(p.json);
  return p;
}

CHECK_UNUSED_OK static const json_value *run_of(const opened_page *p, int i) {
  const json_value *runs = json_get(p->json, "runs");
  return runs && i < runs->count ? &runs->items[i] : NULL;
}

CHECK_UNUSED_OK static int digit(char c) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? (int)(at - digits) : -1;
}

// A blob, decoded and inflated.
CHECK_UNUSED_OK static unsigned char *read_blob(const opened_page *p, int number, size_t *size) {
  char *from = strstr(p->text, arena_print(&memory, "<script type=\"text/plain\" id=\"carom-blob-%d\">", number));
  *size = 0;
  if (!CHECK(from)) return NULL;
  from = strchr(from, '>') + 1;
  size_t length = strcspn(from, "<"), used = 0;
  unsigned char *packed = arena_alloc(&memory, length + 4, 1);
  for (size_t i = 0; i + 3 < length; i += 4) {
    int d[4];
    for (int k = 0; k < 4; k++) d[k] = digit(from[i + k]) < 0 ? 0 : digit(from[i + k]);
    packed[used++] = (unsigned char)(d[0] << 2 | d[1] >> 4);
    if (from[i + 2] != '=') packed[used++] = (unsigned char)(d[1] << 4 | d[2] >> 2);
    if (from[i + 3] != '=') packed[used++] = (unsigned char)(d[2] << 6 | d[3]);
  }
  uLongf room = 64 << 20;
  unsigned char *bytes = arena_alloc(&memory, room, 1);
  CHECK_EQUAL(uncompress(bytes, &room, packed, used), Z_OK);
  *size = room;
  return bytes;
}

// A column of a page as doubles.
CHECK_UNUSED_OK static double *read_column(const opened_page *p, const json_value *column, long *count) {
  *count = (long)json_get_number(column, "count", 0);
  double *x = ARENA_ARRAY(&memory, double, *count + 1);
  const json_value *constant = json_get(column, "constant");
  for (long i = 0; constant && i < *count; i++) x[i] = constant->number;
  if (constant) return x;
  size_t size, at = (size_t)json_get_number(column, "at", 0);
  const char *type = json_get_text(column, "type");
  size_t width = strcmp(type, "f64") == 0 ? 8 : 4, n = (size_t)*count;
  unsigned char *bytes = read_blob(p, (int)json_get_number(column, "blob", -1), &size);
  if (!bytes || !CHECK_LE(at + n * width, size)) return x;
  for (size_t i = 0; i < n; i++) {
    uint64_t bits = 0;
    for (size_t k = 0; k < width; k++) bits |= (uint64_t)bytes[at + k * n + i] << (8 * k);
    float f;
    uint32_t half = (uint32_t)bits;
    if (width == 8) memcpy(&x[i], &bits, 8);
    else if (strcmp(type, "u32") == 0) x[i] = half;
    else memcpy(&f, &half, 4), x[i] = f;
  }
  return x;
}

CHECK_UNUSED_OK static const json_value *find_named(const json_value *list, const char *name) {
  for (int i = 0; list && i < list->count; i++)
    if (strcmp(json_get_text(&list->items[i], "name"), name) == 0) return &list->items[i];
  return NULL;
}

CHECK_UNUSED_OK static const json_value *table_of(const json_value *run, const char *name) {
  return find_named(json_get(run, "tables"), name);
}

CHECK_UNUSED_OK static const json_value *axis_of(const json_value *run, const json_value *table) {
  const json_value *axes = json_get(run, "axes");
  int i = (int)json_get_number(table, "axis", -1);
  return axes && i >= 0 && i < axes->count ? &axes->items[i] : NULL;
}

CHECK_UNUSED_OK static const json_value *check_named(const json_value *run, const char *key) {
  const json_value *verdict = json_get(run, "verdict");
  for (int i = 0; verdict && i < verdict->count; i++)
    if (strcmp(json_get_text(&verdict->items[i], "key"), key) == 0) return &verdict->items[i];
  return NULL;
}

CHECK_UNUSED_OK static int occurrences(const char *text, const char *part) {
  int n = 0;
  for (const char *at = text; (at = strstr(at, part)); at++) n++;
  return n;
}

CHECK_UNUSED_OK static carom_status report_on(const char *run, const char *to, carom_error *error) {
  return carom_report(&run, 1, &page, to, error);
}

// A model run into a file, and its report read back.
CHECK_UNUSED_OK static opened_page run_and_report(carom_model *model, const char *name) {
  carom_error error = {0};
  const char *run = scratch(arena_print(&memory, "%s.h5", name)),
             *html = scratch(arena_print(&memory, "%s.html", name));
  if (!CHECK(model)) return (opened_page){0};
  CHECK(carom_run(model, &(carom_run_options){.record = run}, NULL, &error) == CAROM_OK);
  carom_model_destroy(model);
  if (!CHECK(report_on(run, html, &error) == CAROM_OK)) printf("%s\n", error.text);
  return open_page(html);
}

// --- records made by hand --------------------------------------------------------------------------------------------

enum { COLUMNS = 40 };

typedef struct synthetic {
  long rows;
  double (*value)(long row, int column);
  long impacts;
  const char *summary;  // null: the writer dies
  const record_text *texts;
  int text_count;
  double offset, shift;  // of the coordinate [rad], of the impacts [s]
  double step;
} synthetic;

CHECK_UNUSED_OK static double smooth_value(long row, int column) {
  double t = 1e-3 * (double)row;
  double slow = sin((1 + 0.1 * column) * t);
  if (column == 1 && row == 77777) return 5;            // a single spike
  if (column == 2 && row % 20000 == 19999) return NAN;  // and holes
  return column == 3 ? 7 : slow;
}

CHECK_UNUSED_OK static double noise_value(long row, int column) {
  uint64_t x = (uint64_t)row * 6364136223846793005u + (uint64_t)column * 1442695040888963407u + 1;
  x ^= x >> 31, x *= 0x9e3779b97f4a7c15u, x ^= x >> 29;
  return (double)x * 0x1p-64;
}

CHECK_UNUSED_OK static void write_impacts(record *r, int table, const synthetic *s) {
  for (long i = 0; i < s->impacts; i++) {
    impact row = {.point = (double)(i % 3),
                  .start = s->step * (double)(s->rows * (2 * i + 1) / (2 * s->impacts)) + s->shift,
                  .impulse_normal = 1 + 0.5 * sin((double)i)};
    row.end = row.start + 3 * s->step;
    record_append(r, table, (const double *)&row, NULL);
  }
}

// Tables of times, of COLUMNS angles and, where wanted, of impacts.
CHECK_UNUSED_OK static record *create_synthetic(const char *path, bool impacts, const record_text *texts,
                                                int text_count) {
  static const char *const t[] = {"t"}, *const second[] = {"s"};
  static char names[COLUMNS][16];
  const char *columns[COLUMNS], *units[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) {
    snprintf(names[k], sizeof names[k], "j%d.q", k);
    columns[k] = names[k], units[k] = "rad";
  }
  record_table tables[] = {{"time", t, second, 1, NULL, false},
                           {"joints", columns, units, COLUMNS, NULL, false},
                           {"impacts", impact_columns, impact_units, IMPACT_COLUMN_COUNT, NULL, false}};
  carom_error error = {0};
  record *r = record_create(path, tables, impacts ? 3 : 2, texts, text_count, NULL, &error);
  CHECK(r);
  return r;
}

CHECK_UNUSED_OK static bool write_synthetic(const char *path, const synthetic *s) {
  carom_error error = {0};
  record *r = create_synthetic(path, s->impacts > 0, s->texts, s->text_count);
  if (!r) return false;
  double row[COLUMNS];
  for (long i = 0; i < s->rows; i++) {
    double time = s->step * (double)i;
    for (int k = 0; k < COLUMNS; k++) row[k] = s->value(i, k) + s->offset;
    if (record_append(r, 0, &time, &error) != CAROM_OK || record_append(r, 1, row, &error) != CAROM_OK) break;
  }
  write_impacts(r, 2, s);
  if (s->summary) return CHECK(record_finish(r, s->summary, &error) == CAROM_OK);
  record_abandon(r);
  return true;
}

#endif
