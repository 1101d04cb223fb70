// What `identify` and `optimise` have in common: options, the progress line, and what becomes of the result.
#ifndef TOOL_FITTING_H
#define TOOL_FITTING_H

#include "args.h"

typedef struct fit_args {
  const char *model;
  setting_list fit, settings;
  const char *starts, *searches, *seed, *threads, *record, *write;
  bool json, quiet, force;
} fit_args;

// Their lines of an option table whose struct begins with fit_args.
#define FIT_ARGS                                                                                                 \
  {.name = "--set",                                                                                              \
   .kind = ARG_SETTING,                                                                                          \
   .value = "NAME=VALUE",                                                                                        \
   .offset = offsetof(fit_args, settings),                                                                       \
   .help = "change a parameter or any key, for all runs"},                                                       \
      {.name = "--starts",                                                                                       \
       .kind = ARG_TEXT,                                                                                         \
       .value = "N",                                                                                             \
       .offset = offsetof(fit_args, starts),                                                                     \
       .help = "points of the ranges that are tried first (default: 32 for each parameter)"},                    \
      {.name = "--searches",                                                                                     \
       .kind = ARG_TEXT,                                                                                         \
       .value = "N",                                                                                             \
       .offset = offsetof(fit_args, searches),                                                                   \
       .help = "local searches from the best of them (default: 4)"},                                             \
      {.name = "--seed",                                                                                         \
       .kind = ARG_TEXT,                                                                                         \
       .value = "S",                                                                                             \
       .offset = offsetof(fit_args, seed),                                                                       \
       .help = "of these points (default: 1)"},                                                                  \
      {.name = "--threads",                                                                                      \
       .letter = 'j',                                                                                            \
       .kind = ARG_TEXT,                                                                                         \
       .value = "N",                                                                                             \
       .offset = offsetof(fit_args, threads),                                                                    \
       .help = "runs at the same time (default: 1)"},                                                            \
      {.name = "--output",                                                                                       \
       .letter = 'o',                                                                                            \
       .kind = ARG_TEXT,                                                                                         \
       .value = "FILE",                                                                                          \
       .offset = offsetof(fit_args, record),                                                                     \
       .help = "HDF5 file of the result, for `carom report` and `carom export`"},                                \
      {.name = "--write",                                                                                        \
       .kind = ARG_TEXT,                                                                                         \
       .value = "FILE",                                                                                          \
       .offset = offsetof(fit_args, write),                                                                      \
       .help = "write the model file with the values that were found"},                                          \
      {.name = "--json", .kind = ARG_FLAG, .offset = offsetof(fit_args, json), .help = "print one JSON object"}, \
      {.name = "--quiet",                                                                                        \
       .letter = 'q',                                                                                            \
       .kind = ARG_FLAG,                                                                                         \
       .offset = offsetof(fit_args, quiet),                                                                      \
       .help = "print only errors"},                                                                             \
  {                                                                                                              \
    .name = "--force", .kind = ARG_FLAG, .offset = offsetof(fit_args, force),                                    \
    .help = "replace a file that carom did not write"                                                            \
  }

// Runs a study with these options filled in, prints its result and writes its files. Returns the exit code.
int fit_run(const char *command_name, const fit_args *a, carom_fit_options *options,
            carom_fit *(*study)(const carom_fit_options *options, carom_error *error));

#endif
