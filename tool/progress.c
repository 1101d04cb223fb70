#include "progress.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "talk.h"

static volatile sig_atomic_t asked_to_end;

static void ask_to_end(int number) {
  (void)number;
  asked_to_end = 1;
}

void progress_watch_signals(void) {
  struct sigaction action = {.sa_handler = ask_to_end, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
}

bool progress_must_end(void) { return asked_to_end; }

const char *duration(double s, char buffer[32]) {
  if (!(s < 1e7)) return "long";
  if (s < 100) snprintf(buffer, 32, s < 10 ? "%.1f s" : "%.0f s", s);
  else if (s < 6000) snprintf(buffer, 32, "%.0f min", s / 60);
  else snprintf(buffer, 32, "%.1f h", s / 3600);
  return buffer;
}

static void draw(const progress *p, const carom_progress *now) {
  double wall = now->wall_s - p->wall_start, done = now->t - p->t_start, left = now->t_end - now->t;
  double speed = wall > 0 ? done / wall : 0;
  char remaining[32], steps[32];
  fprintf(stderr, "\r\033[Kt = %.4g of %.4g s, %.0f %%, %s steps, %.3g x real time, %s left", now->t, now->t_end,
          100 * now->t / now->t_end, grouped(now->steps, steps), speed,
          speed > 0 ? duration(left / speed, remaining) : "?");
  fflush(stderr);
}

bool progress_go_on(void *context, const carom_progress *now) {
  progress *p = context;
  if (!p->started) {
    p->started = true;
    p->t_start = now->t, p->wall_start = now->wall_s;
  } else if (p->visible) {
    draw(p, now);
  }
  return !asked_to_end;
}

void progress_clear(progress *p) {
  if (p->visible && p->started) fprintf(stderr, "\r\033[K");
}
