// What a report of a long run costs: a made-up record of a mechanism with impacts, of as many steps as the first
// argument says (default a million; ten million make a record of some GB), thinned into one page.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "carom/carom.h"
#include "clock.h"
#include "ledger/impact.h"
#include "record/record.h"

enum { COLUMNS = 24, STEPS_AN_IMPACT = 50 };

// Oscillations of several frequencies, each kicked at every impact, and in the last columns forces that are there
// during impacts only.
static void fill_row(long step, double row[COLUMNS]) {
  double t = 1e-5 * (double)step, kick = (double)(step / STEPS_AN_IMPACT % 7);
  bool touches = step % STEPS_AN_IMPACT < 3;
  for (int k = 0; k < COLUMNS; k++)
    row[k] = k < COLUMNS - 4 ? sin((20 + k) * t + 1e-3 * kick) : touches ? 100 * (1 + kick) : 0;
}

static bool write_record(const char *path, long steps) {
  static const char *const t_name[] = {"t"}, *const t_unit[] = {"s"};
  static char names[COLUMNS][16];
  const char *columns[COLUMNS], *units[COLUMNS];
  for (int k = 0; k < COLUMNS; k++) {
    snprintf(names[k], sizeof names[k], "j%d.q", k);
    columns[k] = names[k], units[k] = k < COLUMNS - 4 ? "rad" : "N";
  }
  record_table tables[] = {{"time", t_name, t_unit, 1, NULL, false},
                           {"joints", columns, units, COLUMNS, NULL, false},
                           {"impacts", impact_columns, impact_units, IMPACT_COLUMN_COUNT, NULL, false}};
  carom_error error = {0};
  record *r = record_create(path, tables, 3, NULL, 0, NULL, &error);
  if (!r) return printf("%s\n", error.text), false;
  bool good = true;
  for (long i = 0; good && i <= steps; i++) {
    double row[COLUMNS], t = 1e-5 * (double)i;
    fill_row(i, row);
    good = record_append(r, 0, &t, &error) == CAROM_OK && record_append(r, 1, row, &error) == CAROM_OK;
    if (i % STEPS_AN_IMPACT != 3) continue;
    impact hit = {.point = (double)(i % 4),
                  .start = t - 3e-5,
                  .end = t,
                  .impulse_normal = 1 + sin((double)i),
                  .peak_force = 1e5,
                  .approach_speed = 1.5 + sin((double)i)};
    good = good && record_append(r, 2, (const double *)&hit, &error) == CAROM_OK;
  }
  return record_finish(r, "{\"status\": \"done\"}", &error) == CAROM_OK && good;
}

int main(int argc, char **argv) {
  long steps = argc > 1 ? atol(argv[1]) : 1000000;
  const char *run = "bench_report.h5", *html = "bench_report.html";
  static const char markers[] = "<!--carom-data--><!--carom-blobs-->";
  const carom_report_page page = {.text = markers, .length = sizeof markers - 1};
  carom_error error = {0};
  struct stat file, record_file;
  struct rusage used;
  if (!write_record(run, steps)) return 1;
  getrusage(RUSAGE_SELF, &used);
  long before = used.ru_maxrss;
  double began = clock_now();
  if (carom_report(&run, 1, &page, html, &error) != CAROM_OK) return printf("%s\n", error.text), 1;
  double took = clock_now() - began;
  getrusage(RUSAGE_SELF, &used);
  stat(html, &file), stat(run, &record_file);
  double size = 1e-6 * (double)file.st_size;
  printf(
      "%ld steps, record of %.0f MB: report of %.1f MB (%.0f %% of the 20 MB it may take) in %.1f s, memory at most "
      "%ld MB "
      "(%ld before)\n",
      steps, 1e-6 * (double)record_file.st_size, size, 5 * size, took, used.ru_maxrss >> 10, before >> 10);
  remove(run), remove(html);
  return 0;
}
