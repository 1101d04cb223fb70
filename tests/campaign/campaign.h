// The campaign: random trials that look for wrong numbers, crashes, hangs and lost files. Each trial runs in a process
// of its own and is repeated exactly by its kind and seed.
#ifndef CAROM_TESTS_CAMPAIGN_H
#define CAROM_TESTS_CAMPAIGN_H

#include "carom/carom.h"
#include "check.h"

// One kind of trial. `run` takes its random numbers from `draw` and `pick`, and reports each defect by `finding`.
typedef struct campaign_kind {
  const char *name, *looks_for;
  void (*run)(void);
} campaign_kind;

extern const campaign_kind campaign_numbers, campaign_coordinates, campaign_views, campaign_limits, campaign_paths,
    campaign_interrupts, campaign_columns;

// Names the model of this trial in the log. Call it before anything can go wrong.
__attribute__((format(printf, 1, 2))) void campaign_model(const char *format, ...);

// Reports a defect: prints it, and makes the trial fail.
__attribute__((format(printf, 1, 2))) void finding(const char *format, ...);

// Random numbers of this trial: between low and high, and a whole number, both ends included.
double draw(double low, double high);
int pick(int low, int high);

// A folder that is empty at the start of each trial, and the path of a file in it; the last eight paths stay valid.
const char *campaign_folder(void);
const char *campaign_file(const char *name);

// A random model of models/: its name, and its path in `path`.
const char *pick_model(char *path, size_t size);

// The tool of this build.
const char *campaign_tool(void);

#endif
