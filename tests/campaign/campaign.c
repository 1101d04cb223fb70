// Runs trials of every kind in turn until the time is over.
//
//   campaign [--seconds N] [--seed S] [--kind NAME] [--trials N]
//
// The log has a line for each finding, with kind, seed and model; `--kind NAME --seed S --trials 1` repeats that trial.
// A trial that dies, or does not end within its time, is a finding as well. Exit status 1: something was found.
#include "campaign.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

// Of a trial: processor time, so that other programs do not make it a finding; and the clock, for one that waits.
enum { TRIAL_SECONDS = 60, WAIT_SECONDS = 600 };
enum { MODELS_MAX = 200, MODEL_TEXT = 256 };

static const campaign_kind *const kinds[] = {&campaign_numbers, &campaign_coordinates, &campaign_views,
                                             &campaign_limits,  &campaign_paths,       &campaign_interrupts,
                                             &campaign_columns};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

// Of the trial under way, in its own process.
static struct {
  const campaign_kind *kind;
  unsigned long seed;
  char *model;  // shared with the process that starts trials, which names the model of one that dies
  int findings;
} now;

void campaign_model(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(now.model, MODEL_TEXT, format, arguments);
  va_end(arguments);
}

// One line, written at once, so that lines of trials that die are whole.
static void log_finding(const char *text) {
  printf("finding: kind %s, seed %lu, model %s: %s\n", now.kind->name, now.seed, now.model, text);
  fflush(stdout);
}

void finding(const char *format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  log_finding(text);
  now.findings++;
}

double draw(double low, double high) { return uniform(low, high); }

int pick(int low, int high) {
  int n = low + (int)floor(uniform(0, high - low + 1));
  return n < high ? n : high;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

const char *pick_model(char *path, size_t size) {
  static char *names[MODELS_MAX];
  static int count;
  DIR *folder = count ? NULL : opendir(CHECK_SOURCE_DIR "/models");
  for (struct dirent *e; folder && count < MODELS_MAX && (e = readdir(folder));) {
    char *dot = strstr(e->d_name, ".yaml");
    if (dot) *dot = '\0', names[count++] = strdup(e->d_name);
  }
  if (folder) closedir(folder), qsort(names, (size_t)count, sizeof *names, by_name);
  if (!count) {
    finding("there are no models in " CHECK_SOURCE_DIR "/models");
    exit(1);
  }
  const char *name = names[pick(0, count - 1)];
  snprintf(path, size, "%s/models/%s.yaml", CHECK_SOURCE_DIR, name);
  return name;
}

const char *campaign_folder(void) { return check_scratch_dir(); }
const char *campaign_file(const char *name) { return scratch(name); }
const char *campaign_tool(void) { return CHECK_BUILD_DIR "/carom"; }

// --- processes -------------------------------------------------------------------------------------------------------

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Neighbouring seeds must give unrelated numbers: the finalizer of SplitMix64.
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static void run_trial(void) {
  check_seed = mix(now.seed);
  setrlimit(RLIMIT_CPU, &(struct rlimit){TRIAL_SECONDS, TRIAL_SECONDS + 1});
  alarm(WAIT_SECONDS);
  now.kind->run();
  exit(now.findings > 0);  // also removes the folder
}

// One trial in a process of its own. False after a finding.
static bool passes(void) {
  snprintf(now.model, MODEL_TEXT, "(not known)");
  fflush(stdout);
  if (mkdir(check_scratch_dir(), 0700) != 0 && errno != EEXIST) {
    log_finding("no folder for its files could be made");
    return false;
  }
  pid_t child = fork();
  if (child == 0) run_trial();
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child) {
    log_finding("no process could be started");
    return false;
  }
  check_remove_scratch();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  char text[128] = "";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    snprintf(text, sizeof text, "does not end within %d s of processor time", TRIAL_SECONDS);
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    snprintf(text, sizeof text, "does not end within %d s", WAIT_SECONDS);
  else if (WIFSIGNALED(status)) snprintf(text, sizeof text, "dies of signal %d", WTERMSIG(status));
  else if (WEXITSTATUS(status) != 1) snprintf(text, sizeof text, "ends with status %d", WEXITSTATUS(status));
  if (text[0]) log_finding(text);
  else printf("finding: kind %s, seed %lu: see above\n", now.kind->name, now.seed);
  return false;
}

typedef struct options {
  double seconds;
  unsigned long seed;
  long trials;
  const char *kind;
} options;

static bool read_options(int argc, char **argv, options *o) {
  *o = (options){.seconds = 40, .seed = 1, .trials = -1};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--seconds")) o->seconds = atof(argv[i + 1]);
    else if (!strcmp(argv[i], "--seed")) o->seed = strtoul(argv[i + 1], NULL, 10);
    else if (!strcmp(argv[i], "--trials")) o->trials = atol(argv[i + 1]);
    else if (!strcmp(argv[i], "--kind")) o->kind = argv[i + 1];
    else return false;
  }
  return argc % 2 == 1;
}

int main(int argc, char **argv) {
  options o;
  if (!read_options(argc, argv, &o)) {
    fprintf(stderr, "usage: campaign [--seconds N] [--seed S] [--kind NAME] [--trials N]\n");
    return 2;
  }
  check_scratch_dir();
  now.model = mmap(NULL, MODEL_TEXT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (now.model == MAP_FAILED) {
    fprintf(stderr, "campaign: out of memory\n");
    return 2;
  }
  double began = seconds();
  int passed[KIND_COUNT] = {0}, failed[KIND_COUNT] = {0}, total_passed = 0, total_failed = 0;
  for (now.seed = o.seed; o.trials < 0 ? seconds() - began < o.seconds : now.seed < o.seed + (unsigned long)o.trials;
       now.seed++)
    for (int k = 0; k < KIND_COUNT; k++) {
      now.kind = kinds[k];
      if (o.kind && strcmp(o.kind, now.kind->name) != 0) continue;
      ++*(passes() ? &passed[k] : &failed[k]);
    }
  for (int k = 0; k < KIND_COUNT; k++) {
    printf("%-12s %6d trials, %d with findings: %s\n", kinds[k]->name, passed[k] + failed[k], failed[k],
           kinds[k]->looks_for);
    total_passed += passed[k], total_failed += failed[k];
  }
  printf("seeds %lu to %lu\n%d passed, %d failed\n", o.seed, now.seed - 1, total_passed, total_failed);
  return total_failed > 0 || total_passed == 0;
}
