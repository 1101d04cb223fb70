// Runs that are told to stop: each ends soon, with status 130 (or it had ended by itself), and its record can be read.
#include "campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

// The tool is to end within 2 s; under sanitizers everything takes about three times as long.
static const double LIMIT_SECONDS = 6;

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_for(double duration) {
  struct timespec t = {(time_t)duration, (long)(1e9 * (duration - floor(duration)))};
  while (nanosleep(&t, &t) == -1 && errno == EINTR) continue;
}

// Starts the tool with nothing on its terminal. A job in the background inherits an ignored SIGINT: a signal that came
// before the tool set its handler would be lost, so the default is restored.
static pid_t start(const char *model, const char *record, const char *setting) {
  pid_t child = fork();
  if (child) return child;
  signal(SIGINT, SIG_DFL), signal(SIGTERM, SIG_DFL);
  int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, 0), dup2(nowhere, 1), dup2(nowhere, 2);
  execl(campaign_tool(), "carom", "run", model, "-o", record, "--end", "1e6", "--set", setting, (char *)NULL);
  _exit(127);
}

static void run(void) {
  static const char *const settings[] = {"record.every=1e-3", "record.every=1e-5", "record.every=10",
                                         "coordinates=absolute"};
  char path[1024], record[1024];
  const char *name = pick_model(path, sizeof path), *setting = settings[pick(0, 3)];
  snprintf(record, sizeof record, "%s", campaign_file("cut.h5"));
  campaign_model("%s --set %s, interrupted", name, setting);
  int told = pick(0, 1) ? SIGTERM : SIGINT, status = 0;
  pid_t child = start(path, record, setting);
  wait_for(draw(0.05, 1));
  kill(child, told);
  double began = seconds();
  pid_t ended;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0 && seconds() - began < LIMIT_SECONDS) wait_for(0.01);
  if (ended == 0) {
    finding("still runs %g s after signal %d", LIMIT_SECONDS, told);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return;
  }
  if (WIFSIGNALED(status)) return;  // the signal came before the tool was ready for it
  int code = WEXITSTATUS(status);
  if (code > 3 && code != 130) finding("ends with status %d", code);
  carom_error error = {0};
  if (code != 130 || access(record, R_OK) != 0) return;
  if (carom_export_csv(record, campaign_file("cut.csv"), NULL, &error) != CAROM_OK)
    finding("the record cannot be read: %s", error.text);
}

const campaign_kind campaign_interrupts = {"interrupts", "runs that cannot be stopped", run};
