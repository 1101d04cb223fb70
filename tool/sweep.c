// carom sweep: one model with many values of its parameters, a row for each.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "progress.h"
#include "sweep_mpi.h"
#include "talk.h"

typedef struct sweep_args {
  word_list files;
  setting_list vary, settings;
  const char *take, *keep, *sample, *seed, *points, *end, *threads, *shard, *record;
  bool sensitivity, join, quiet, force;
} sweep_args;

#define AT(field) offsetof(sweep_args, field)
static const arg sweep_table[] = {
    {.name = "MODEL",
     .kind = ARG_OPERANDS,
     .offset = AT(files),
     .required = true,
     .help = "the model file; with --join the files of the shards"},
    {.name = "--vary",
     .kind = ARG_SETTING,
     .value = "NAME=RANGE",
     .offset = AT(vary),
     .help = "a parameter or key and its values: '0.1 mm:1 mm:50', '1e6:1e9:4:log', '100 rpm,200 rpm'"},
    {.name = "--take",
     .kind = ARG_TEXT,
     .value = "LIST",
     .offset = AT(take),
     .help = "what a row keeps: 'max(ball.y), at(ball.y, 0.5 s)' (default: as the model says, or its outputs)"},
    {.name = "--keep",
     .kind = ARG_TEXT,
     .value = "ROWS",
     .offset = AT(keep),
     .help = "record whole runs, each in its own file: '0, 17, 100:109' or all"},
    {.name = "--sample",
     .kind = ARG_TEXT,
     .value = "N",
     .offset = AT(sample),
     .help = "draw N rows from ranges '0.1 mm:1 mm' and '1e6:1e9:log' (see --points)"},
    {.name = "--seed", .kind = ARG_TEXT, .value = "S", .offset = AT(seed), .help = "of the sample (default: 1)"},
    {.name = "--points",
     .kind = ARG_TEXT,
     .value = "KIND",
     .offset = AT(points),
     .help =
         "of the sample: random, or sobol, which fill the ranges evenly (default: random; sobol with --sensitivity)"},
    {.name = "--sensitivity",
     .kind = ARG_FLAG,
     .offset = AT(sensitivity),
     .help = "first-order and total Sobol' indices from N points, each with a row more per range than two"},
    {.name = "--set",
     .kind = ARG_SETTING,
     .value = "NAME=VALUE",
     .offset = AT(settings),
     .help = "change a parameter or any key, for all rows"},
    {.name = "--end", .kind = ARG_TEXT, .value = "T", .offset = AT(end), .help = "time to run to: 2, 50 ms"},
    {.name = "--threads",
     .letter = 'j',
     .kind = ARG_TEXT,
     .value = "N",
     .offset = AT(threads),
     .help = "rows that run at the same time (default: 1)"},
    {.name = "--shard",
     .kind = ARG_TEXT,
     .value = "I/N",
     .offset = AT(shard),
     .help = "run the I-th of N parts of the rows, for jobs on several machines"},
    {.name = "--join", .kind = ARG_FLAG, .offset = AT(join), .help = "join the files of all shards to one"},
    {.name = "--output",
     .letter = 'o',
     .kind = ARG_TEXT,
     .value = "FILE",
     .offset = AT(record),
     .help = "HDF5 file of the rows (default: the model's name with -sweep.h5, here)"},
    {.name = "--quiet", .letter = 'q', .kind = ARG_FLAG, .offset = AT(quiet), .help = "print only errors"},
    {.name = "--force", .kind = ARG_FLAG, .offset = AT(force), .help = "replace a file that carom did not write"},
};
#undef AT

static int sweep_command(int argc, char **argv);
const command command_sweep = {
    "sweep",
    "Run a model with many values of its parameters: a table with a row for each.",
    "Rows are all combinations of the values, or a sample. A row that fails holds its message and does not stop the\n"
    "rest. Interrupted or killed, the same command goes on with the rows that are missing. `carom export FILE` prints\n"
    "the rows. Exit code 0 if every row ran, 1 if some failed, 130 if interrupted.",
    sweep_table,
    sizeof sweep_table / sizeof *sweep_table,
    sweep_command};

static bool draw_progress(void *context, const carom_sweep_progress *now) {
  progress *p = context;
  char rows[32], left[32];
  double rate = now->wall_s > 0 ? (double)now->done / now->wall_s : 0;
  p->started = true;
  if (p->visible)
    fprintf(stderr, "\r\033[K%s of %ld rows, %ld failed, %.3g rows/s, %s left", grouped(now->done, rows), now->rows,
            now->failed, rate, rate > 0 ? duration((double)(now->rows - now->done) / rate, left) : "?");
  fflush(stderr);
  return !progress_must_end();
}

static bool read_shard(const char *text, carom_sweep_options *o) {
  int end = 0;
  if (!text) return true;
  if (sscanf(text, "%d/%d%n", &o->shard, &o->shards, &end) == 2 && !text[end] && o->shard >= 1 && o->shards >= o->shard)
    return true;
  usage_error("sweep", "--shard is '%s', but must be a part and their number, such as 2/8", text);
  return false;
}

static void name_record(const char *model, char *name, size_t size) {
  const char *slash = strrchr(model, '/'), *base = slash ? slash + 1 : model, *dot = strrchr(base, '.');
  snprintf(name, size, "%.*s-sweep.h5", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base);
}

static void print_index(const double *index) {
  if (isnan(index[0])) printf("  %-26s", "-");
  else printf("  %6.3f (%6.3f to %6.3f)", index[0], index[1], index[2]);
}

// The table of a sensitivity study, if the sweep was one: an output after the other, each with all inputs.
static void tell_indices(const char *path) {
  enum { OUTPUT, INPUT, FIRST, TOTAL = FIRST + 3, POINTS = TOTAL + 3, COLUMNS };
  carom_record *record = carom_record_open(path, NULL);
  carom_record_table t = {0};
  int table = -1;
  do t = record ? carom_record_get_table(record, ++table) : t;
  while (t.name && strcmp(t.name, "sensitivity") != 0);
  for (long i = 0; t.name && i < t.rows; i++) {
    double row[COLUMNS];
    if (carom_record_read(record, table, i, 1, row, NULL) != CAROM_OK) break;
    if (row[INPUT] == 1)
      printf("\n%s, from %ld points\n  %-20s  %-26s  %s\n", carom_record_word(record, table, OUTPUT, row[OUTPUT]),
             (long)row[POINTS], "", "first order", "total");
    printf("  %-20s", carom_record_word(record, table, INPUT, row[INPUT]));
    print_index(&row[FIRST]), print_index(&row[TOTAL]);
    printf("\n");
  }
  carom_record_close(record);
}

static int tell_result(const sweep_args *a, const char *record, carom_status status, const carom_sweep_result *r,
                       const carom_error *error) {
  char rows[32];
  if (status != CAROM_OK) tell_error(error);
  if (status == CAROM_INTERRUPTED)
    fprintf(stderr, "%s rows are kept; the same command goes on with the others\n", grouped(r->rows, rows));
  if (status != CAROM_OK) return carom_status_exit_code(status);
  if (r->failed)
    fprintf(stderr, "%serror:%s %ld of %ld rows failed, row %ld first:\n%s\n", style(stderr, STYLE_ERROR),
            style(stderr, STYLE_PLAIN), r->failed, r->rows, r->first_failed, r->first_message);
  if (!a->quiet) {
    printf("%s rows, %ld failed", grouped(r->rows, rows), r->failed);
    if (r->found) printf(", %ld of them from before", r->found);
    printf("\n  results       %s\n  to read them  carom export %s --to csv\n  to see them   carom report %s\n", record,
           record, record);
  }
  if (!a->quiet) tell_indices(record);
  return r->failed > 0;
}

static int sweep_rows(const sweep_args *a, const char *record, carom_sweep_options *o) {
  progress shown = {.visible = !a->quiet && is_terminal(stderr)};
  carom_setting *settings = calloc((size_t)a->settings.count + 1, sizeof *settings);
  if (!settings) return tell_out_of_memory();
  if (a->settings.count) memcpy(settings, a->settings.items, (size_t)a->settings.count * sizeof *settings);
  o->setting_count = a->settings.count;
  if (a->end) settings[o->setting_count++] = (carom_setting){"--end", a->end};
  o->settings = settings;
  o->model = a->files.items[0], o->vary = a->vary.items, o->vary_count = a->vary.count, o->take = a->take,
  o->keep = a->keep;
  o->record = record, o->force = a->force, o->progress = draw_progress, o->context = &shown;
  carom_sweep_result result;
  carom_error error = {0};
  int processes = sweep_mpi_begin(), code = processes ? 0 : EXIT_USAGE;
  progress_watch_signals();  // behind MPI, which has handlers of its own
  if (processes > 1 && o->threads > 1 && (code = EXIT_USAGE) && sweep_mpi_is_first())
    usage_error("sweep", "under mpirun each process runs one row: leave out --threads");
  if (processes > 1) o->serve = sweep_mpi_serve;
  if (!code && sweep_mpi_is_first()) {
    carom_status status = carom_sweep(o, &result, &error);
    progress_clear(&shown);
    code = tell_result(a, record, status, &result, &error);
  } else if (!code) {
    code = sweep_mpi_work(o);
  }
  sweep_mpi_end();
  free(settings);
  return code;
}

// What would change nothing in the files of shards.
static const char *option_beside_join(const sweep_args *a) {
  const struct {
    const char *name;
    bool given;
  } others[] = {{"--vary", a->vary.count > 0},
                {"--set", a->settings.count > 0},
                {"--take", a->take},
                {"--keep", a->keep},
                {"--sample", a->sample},
                {"--seed", a->seed},
                {"--points", a->points},
                {"--sensitivity", a->sensitivity},
                {"--end", a->end},
                {"--threads", a->threads},
                {"--shard", a->shard}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i].given) return others[i].name;
  return NULL;
}

static int join_files(const sweep_args *a) {
  carom_sweep_result result;
  carom_error error = {0};
  const char *other = option_beside_join(a);
  if (other) return usage_error("sweep", "--join takes what the shards were run with; leave out %s", other);
  if (!a->record) return usage_error("sweep", "--join needs the file to write: --output FILE");
  carom_status status = carom_sweep_join(a->files.items, a->files.count, a->record, a->force, &result, &error);
  return tell_result(a, a->record, status, &result, &error);
}

static int sweep_model(const sweep_args *a) {
  char name[4096];
  unsigned long long sample = 0, seed = 1, threads = 1;
  carom_sweep_options o = {0};
  if (a->files.count != 1) return usage_error("sweep", "give one model; --join takes several files");
  if (!a->vary.count) return usage_error("sweep", "nothing varies: give --vary NAME=RANGE");
  if ((a->seed || a->points || a->sensitivity) && !a->sample)
    return usage_error("sweep", "%s belongs to --sample N",
                       a->seed     ? "--seed"
                       : a->points ? "--points"
                                   : "--sensitivity");
  if (!args_count("sweep", "--sample", a->sample, 1, 1000000000, &sample) ||
      !args_count("sweep", "--seed", a->seed, 0, ~0ull, &seed) ||
      !args_count("sweep", "--threads", a->threads, 1, 1024, &threads) || !read_shard(a->shard, &o))
    return EXIT_USAGE;
  o.sample = (long)sample, o.seed = seed, o.threads = (int)threads;
  o.points = a->points, o.sensitivity = a->sensitivity;
  name_record(a->files.items[0], name, sizeof name);
  return sweep_rows(a, a->record ? a->record : name, &o);
}

static int sweep_command(int argc, char **argv) {
  sweep_args a = {.files.items = calloc((size_t)argc + 1, sizeof *a.files.items)};
  if (!a.files.items) return tell_out_of_memory();
  int code = args_parse(&command_sweep, argc, argv, &a);
  if (code < 0) code = a.join ? join_files(&a) : sweep_model(&a);
  settings_free(&a.settings), settings_free(&a.vary);
  free(a.files.items);
  return code;
}
