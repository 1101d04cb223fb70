// For tests on the ledger of contacts: its rows, kept as they close.
#ifndef CAROM_TESTS_ROWS_H
#define CAROM_TESTS_ROWS_H

#include "runs.h"

#include "ledger/impact.h"
#include "sim.h"

enum { ROWS_MOST = 4096 };
typedef struct rows {
  impact row[ROWS_MOST];
  int count;
  episode_row episode[ROWS_MOST];
  int episode_count;
  regime_row regime[ROWS_MOST];
  int regime_count;
} rows;

static void rows_keep(void *context, const impact *row) {
  rows *r = context;
  if (r->count < ROWS_MOST) r->row[r->count++] = *row;
}

static void rows_keep_episode(void *context, const episode_row *row) {
  rows *r = context;
  if (r->episode_count < ROWS_MOST) r->episode[r->episode_count++] = *row;
}

static void rows_keep_regime(void *context, const regime_row *row) {
  rows *r = context;
  if (r->regime_count < ROWS_MOST) r->regime[r->regime_count++] = *row;
}

// The list must live as long as the run. Not inlined: gcc would take the list of a caller for one that the sim
// outlives.
__attribute__((noinline)) static void rows_watch(run *r, rows *list) {
  list->count = list->episode_count = list->regime_count = 0;
  r->sim->impacts.close = rows_keep;
  r->sim->impacts.close_episode = rows_keep_episode;
  r->sim->impacts.close_regime = rows_keep_regime;
  r->sim->impacts.context = list;
}

CHECK_UNUSED_OK static bool rows_open(run *r, const char *name, const char *settings, rows *list) {
  if (!run_open(r, name, settings)) return false;
  rows_watch(r, list);
  return true;
}

CHECK_UNUSED_OK static bool rows_open_text(run *r, const char *text, const char *settings, rows *list) {
  if (!run_open_text(r, text, settings)) return false;
  rows_watch(r, list);
  return true;
}

// No contact was first met deeper than its bound.
CHECK_UNUSED_OK static void rows_keep_their_bound(const rows *list) {
  double worst = 0;
  for (int i = 0; i < list->count; i++) worst = fmax(worst, list->row[i].penetration / list->row[i].penetration_bound);
  CHECK_LE(worst, 1);
  CHECK_LE(1, list->count);
}

#endif
