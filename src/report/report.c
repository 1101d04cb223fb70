// A page that shows runs: the built page of viewer/ with the data put in.
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/output.h"
#include "carom/carom.h"
#include "record/own.h"
#include "report/compare.h"
#include "report/page.h"

// The whole page stays below this, whatever the runs; the texts of a page and its words around the data take their
// part.
enum { PAGE_MOST = 20000000, WORDS_MOST = 500000 };
// Where the page takes its words and, behind its script, its numbers.
static const char words_marker[] = "<!--carom-data-->", blobs_marker[] = "<!--carom-blobs-->";

// --- runs ------------------------------------------------------------------------------------------------------------

// A file's name without folder and extension; a number is added when another run has it already.
static const char *name_run(const report *r, int index) {
  const char *file = r->runs[index].file, *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
  const char *dot = strrchr(base, '.');
  int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
  const char *name = arena_print(r->memory, "%.*s", length, base);
  for (int again = 2, i = 0; i < index; i++)
    if (strcmp(r->runs[i].name, name) == 0) name = arena_print(r->memory, "%.*s (%d)", length, base, again++), i = -1;
  return name;
}

// Which of a contact's points, in words; its number in a record that has no words for it.
static const char *point_word(report *r, const json_value *contact, int k) {
  const json_value *names = json_get(contact, "point_names");
  const char *name = names && names->kind == JSON_LIST && k < names->count ? names->items[k].text : NULL;
  return name && *name ? name : arena_print(r->memory, "%d", k + 1);
}

// Contact points by name: the contact's, and which of them where it has several.
static void name_points(report *r, report_run *run) {
  const json_value *contacts = json_get(run->scene, "contacts");
  int capacity = 0;
  for (int i = 0; contacts && contacts->kind == JSON_LIST && i < contacts->count; i++) {
    double points = json_get_number(&contacts->items[i], "points", 1);
    int count = points >= 1 && points <= 64 ? (int)points : 1;
    for (int k = 0; k < count; k++) {
      const char *owner = json_get_text(&contacts->items[i], "name");
      report_point *p = ARENA_PUSH(r->memory, run->points, run->point_count, capacity);
      *p = (report_point){
          .name = count > 1 ? arena_print(r->memory, "%s %s", owner, point_word(r, &contacts->items[i], k)) : owner,
          .contact = i,
          .index = k};
    }
  }
}

static int by_number(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

// Old records do not name their points.
static const char *name_of(report *r, const report_run *run, double number) {
  point_name name;
  if (!run->names || !point_names_find(run->names, r->memory, number, &name))
    return arena_print(r->memory, "point %.0f", number);
  return *name.point ? arena_print(r->memory, "%s %s", name.pair, name.point) : name.pair;
}

void report_name_impacts(report *r, report_run *run) {
  double *numbers = ARENA_ARRAY(r->memory, double, run->impact_count + 1);
  int count = 0, distinct = 0, capacity = run->point_count;
  for (int i = 0; i < run->impact_count; i++)
    if (!(run->impacts[i].number < run->listed_points)) numbers[count++] = run->impacts[i].number;
  qsort(numbers, (size_t)count, sizeof *numbers, by_number);
  for (int i = 0; i < count; i++) {
    if (distinct && numbers[distinct - 1] == numbers[i]) continue;
    numbers[distinct++] = numbers[i];
    *ARENA_PUSH(r->memory, run->points, run->point_count, capacity) =
        (report_point){.name = name_of(r, run, numbers[i]), .contact = -1, .index = -1};
  }
  for (int i = 0; i < run->impact_count; i++) {
    double number = run->impacts[i].number;
    const double *at =
        number < run->listed_points ? NULL : bsearch(&number, numbers, (size_t)distinct, sizeof *numbers, by_number);
    run->impacts[i].point = at ? run->listed_points + (int)(at - numbers) : number >= 0 ? (int)number : -1;
  }
}

bool report_open_run(report *r, int index, const char *file) {
  report_run *run = &r->runs[index];
  run->file = file;
  run->in = record_open(file, r->error);
  if (!run->in) return false;
  run->name = name_run(r, index);
  run->scene = json_read(r->memory, record_get_text(run->in, "scene"));
  if (run->scene && run->scene->kind != JSON_MAP) run->scene = NULL;
  run->summary = json_read(r->memory, record_get_text(run->in, "summary"));
  if (run->summary && run->summary->kind != JSON_MAP) run->summary = NULL;
  name_points(r, run);
  run->listed_points = run->point_count;
  run->names = point_names_read(r->memory, run->in);
  return true;
}

// What each run may take of the page, once its texts are in.
static size_t room_for_each(const report *r, size_t page_length) {
  size_t words = page_length + WORDS_MOST;
  for (int i = 0; i < r->run_count; i++)
    for (int k = 0; k < record_text_count(r->runs[i].in); k++)
      words += 2 * strlen(record_get_text_at(r->runs[i].in, k).text);
  size_t left = words < PAGE_MOST ? (PAGE_MOST - words) / 4 * 3 / (size_t)r->run_count : 0;
  return left > REPORT_SMALLEST ? left : REPORT_SMALLEST;
}

// --- comparisons -----------------------------------------------------------------------------------------------------

// The number of a row among the impacts in the page, or -1.
static int *number_impacts(report *r, const report_run *run) {
  int *number = ARENA_ARRAY(r->memory, int, run->impact_rows + 1);
  for (long i = 0; i < run->impact_rows; i++) number[i] = -1;
  for (int i = 0; i < run->impact_count; i++) number[run->impacts[i].row] = i;
  return number;
}

static void put_rows(json_writer *w, const char *key, const long *rows, int count, const int *number) {
  json_open(w, key, '[');
  for (int i = 0; i < count; i++)
    if (number[rows[i]] >= 0) json_put_integer(w, NULL, number[rows[i]]);
  json_close(w, ']');
}

static void put_matches(report *r, json_writer *w, const comparison *c, const report_run *first,
                        const report_run *second) {
  int *number[2] = {number_impacts(r, first), number_impacts(r, second)};
  json_open(w, "matched", '[');
  for (int i = 0; i < c->matched_count; i++) {
    int pair[2] = {number[0][c->matched[i].first], number[1][c->matched[i].second]};
    if (pair[0] >= 0 && pair[1] >= 0) json_put_integers(w, NULL, pair, 2);
  }
  json_close(w, ']');
  put_rows(w, "only_first", c->only_first, c->only_first_count, number[0]);
  put_rows(w, "only_second", c->only_second, c->only_second_count, number[1]);
}

static void put_spread(json_writer *w, const char *key, double max, double rms, bool any) {
  if (!any) {
    json_put_null(w, key);
    return;
  }
  json_open(w, key, '{');
  json_put_number(w, "max", max);
  json_put_number(w, "rms", rms);
  json_close(w, '}');
}

static void put_amounts(json_writer *w, const char *key, const compare_amount *amounts, int count) {
  json_open(w, key, '[');
  for (int i = 0; i < count; i++) {
    json_open(w, NULL, '{');
    json_put_text(w, "name", amounts[i].name);
    json_put_text(w, "unit", amounts[i].unit);
    json_put_number(w, "first", amounts[i].first);
    json_put_number(w, "second", amounts[i].second);
    json_put_number(w, "difference", amounts[i].second - amounts[i].first);
    json_close(w, '}');
  }
  json_close(w, ']');
}

static void put_comparison(report *r, json_writer *w, const comparison *c, int index) {
  json_open(w, NULL, '{');
  json_put_integer(w, "run", index);
  json_open(w, "columns", '[');
  for (int i = 0; i < c->column_count; i++) {
    json_open(w, NULL, '{');
    json_put_text(w, "name", c->columns[i].name);
    json_put_text(w, "unit", c->columns[i].unit);
    json_put_number(w, "max", c->columns[i].max);
    json_put_number(w, "at", c->columns[i].at);
    json_put_number(w, "rms", c->columns[i].rms);
    json_put_number(w, "range", c->columns[i].range);
    json_close(w, '}');
  }
  json_close(w, ']');
  json_put_number(w, "window", c->window);
  put_matches(r, w, c, &r->runs[0], &r->runs[index]);
  json_open(w, "impacts", '{');
  json_put_integer(w, "matched", c->matched_count);
  json_put_integer(w, "only_first", c->only_first_count);
  json_put_integer(w, "only_second", c->only_second_count);
  put_spread(w, "time", c->time_max, c->time_rms, c->matched_count > 0);
  put_spread(w, "impulse", c->impulse_max, c->impulse_rms, c->matched_count > 0);
  json_close(w, '}');
  put_amounts(w, "energy", c->energies, c->energy_count);
  put_amounts(w, "cost", c->costs, c->cost_count);
  json_close(w, '}');
}

compare_side report_side(report *r, const report_run *run) {
  const char **points = ARENA_ARRAY(r->memory, const char *, run->listed_points + 1);
  for (int i = 0; i < run->listed_points; i++) points[i] = run->points[i].name;
  return (compare_side){run->in, points, run->listed_points, run->summary};
}

static bool put_comparisons(report *r, json_writer *w) {
  json_open(w, "compare", '[');
  for (int i = 1; i < r->run_count; i++) {
    compare_side first = report_side(r, &r->runs[0]), second = report_side(r, &r->runs[i]);
    comparison c;
    if (!compare_runs(r->memory, &first, &second, 0, &c, r->error)) return false;
    put_comparison(r, w, &c, i);
  }
  json_close(w, ']');
  return true;
}

// --- the page --------------------------------------------------------------------------------------------------------

static const char *describe(report *r) {
  char now[32];
  time_t seconds = time(NULL);
  struct tm utc;
  strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
  json_writer w = json_begin(r->memory);
  json_open(&w, NULL, '{');
  json_put_integer(&w, "format", 1);
  json_put_text(&w, "tool", CAROM_VERSION);
  json_put_text(&w, "made", now);
  const report_run *first = &r->runs[0];
  const bool sweep = report_is_sweep(first), diagram = report_is_diagram(first), fit = report_is_fit(first);
  json_open(&w, "runs", '[');
  for (int i = 0; !sweep && !diagram && !fit && i < r->run_count; i++) report_put_run(r, &w, &r->runs[i]);
  json_close(&w, ']');
  if (sweep) report_put_sweep(r, &w, &r->runs[0]);
  else if (diagram) report_put_diagram(r, &w, &r->runs[0]);
  else if (fit ? !report_put_fit(r, &w, &r->runs[0]) : !put_comparisons(r, &w)) return NULL;
  json_close(&w, '}');
  return w.out.text;
}

static const char *find_marker(const carom_report_page *page, const char *marker) {
  return memmem(page->text, page->length, marker, strlen(marker));
}

static bool write_blobs(const report *r, FILE *to) {
  bool good = true;
  for (int i = 0; i < r->run_count; i++)
    for (int k = 0; good && k < r->runs[i].blob_count; k++)
      good = fprintf(to, "<script type=\"text/plain\" id=\"carom-blob-%d\">", r->runs[i].blob0 + k) > 0 &&
             blob_write(&r->runs[i].blobs[k], to) && fprintf(to, "</script>\n") > 0;
  return good;
}

static bool write_text(FILE *to, const char *from, const char *end) {
  size_t length = (size_t)(end - from);
  return fwrite(from, 1, length, to) == length;
}

static bool write_page(const report *r, FILE *to, const carom_report_page *page, const char *words) {
  const char *first = find_marker(page, words_marker), *second = find_marker(page, blobs_marker);
  return write_text(to, page->text, first) &&
         fprintf(to, "<script type=\"application/json\" id=\"carom-run\">%s</script>\n", words) > 0 &&
         write_text(to, first + strlen(words_marker), second) && write_blobs(r, to) &&
         write_text(to, second + strlen(blobs_marker), page->text + page->length);
}

// Returns 0 or why not.
static int write_file(const report *r, const char *path, const carom_report_page *page, const char *words) {
  errno = 0;
  FILE *to = fopen(path, "wb");
  if (!to) return errno;
  bool good = write_page(r, to, page, words);
  int reason = errno;
  if (fclose(to) != 0) good = false, reason = errno;
  return good ? 0 : reason ? reason : EIO;
}

static carom_status save_page(const report *r, const char *path, const carom_report_page *page, const char *words) {
  output_file f;
  if (!output_begin(&f, path, r->error)) return r->error->status;
  int reason = write_file(r, f.place, page, words);
  if (reason) error_set(r->error, CAROM_ERROR_FILE, "cannot write '%s': %s", path, strerror(reason));
  carom_status ended = output_end(&f, !reason, r->error);
  return reason ? CAROM_ERROR_FILE : ended;
}

// What a page of its own shows; null of a run.
static const char *study_of(const report_run *run) {
  return report_is_sweep(run)     ? "sweep"
         : report_is_diagram(run) ? "bifurcation diagram"
         : report_is_fit(run)     ? "fit"
                                  : NULL;
}

// Runs over each other, or one study.
static bool load_runs(report *r, size_t room) {
  for (int i = 0; r->run_count > 1 && i < r->run_count; i++)
    if (study_of(&r->runs[i]))
      return error_set(r->error, CAROM_ERROR_USAGE, "'%s' is a %s, which has a page of its own", r->runs[i].file,
                       study_of(&r->runs[i])),
             false;
  if (report_is_fit(&r->runs[0])) return true;
  if (report_is_diagram(&r->runs[0])) return report_load_diagram(r, &r->runs[0], room);
  if (report_is_sweep(&r->runs[0])) return report_load_sweep(r, &r->runs[0], room);
  for (int i = 0, blobs = 0; i < r->run_count; blobs += r->runs[i++].blob_count)
    if (!report_load(r, &r->runs[i], room, blobs)) return false;
  return true;
}

static carom_status make_report(report *r, const char *const *files, const carom_report_page *page, const char *path) {
  const char *first = find_marker(page, words_marker), *second = find_marker(page, blobs_marker);
  if (!first || !second || second < first)
    return error_set(r->error, CAROM_ERROR_USAGE, "the page has no place for data");
  output_rule rule = {.path = path,
                      .kind = "a carom report",
                      .is_own = own_page,
                      .inputs = files,
                      .input_count = r->run_count,
                      .force = page->force};
  for (int i = 0; i < r->run_count; i++)
    if (!report_open_run(r, i, files[i])) return r->error->status;
  if (output_guard(&rule, r->error) != CAROM_OK) return r->error->status;
  if (!load_runs(r, room_for_each(r, page->length))) return r->error->status;
  const char *words = describe(r);
  return words ? save_page(r, path, page, words) : r->error->status;
}

carom_status carom_report(const char *const *runs, int count, const carom_report_page *page, const char *path,
                          carom_error *error) {
  carom_error own;
  jmp_buf out_of_memory;
  arena memory = {0}, passing = {0};
  carom_report_page used = page ? *page : (carom_report_page){0};
  if (!used.text) used.text = (const char *)report_page_text, used.length = report_page_length;
  report r = {
      .memory = &memory, .passing = &passing, .error = error_use(error, &own), .page = &used, .run_count = count};
  if (count < 1) return error_set(r.error, CAROM_ERROR_USAGE, "a report needs a run");
  carom_status status;
  report_run *volatile opened = NULL;
  if (setjmp(out_of_memory)) {
    status = error_set(r.error, CAROM_ERROR_MEMORY, "out of memory for the report");
  } else {
    memory = arena_create(&out_of_memory), passing = arena_create(&out_of_memory);
    opened = r.runs = ARENA_ARRAY(&memory, report_run, count);
    status = make_report(&r, runs, &used, path);
  }
  for (int i = 0; opened && i < count; i++) record_close(opened[i].in);
  arena_free(&memory), arena_free(&passing);
  return status;
}
