// A model as it was written, in a file or in code: lists of named parts. The reader and the C interface fill it, the
// build compiles it.
#ifndef DEFINITION_H
#define DEFINITION_H

#include "base/arena.h"
#include "carom/define.h"
#include "text/option_read.h"
#include "text/value.h"
#include "scheme/scheme.h"

// Rows closer than this part of the time at which a run ends cannot be told apart in time, and nobody reads so many.
#define RECORD_EVERY_LEAST 1e-12

typedef struct part {
  const char *name, *kind;  // kind is null where a section has only one
  const void *content;      // the section's struct
  option_places places;
} part;

typedef struct part_list {
  part *items;
  int count, capacity;
} part_list;

struct carom_def {
  arena memory;
  carom_model_def model;
  option_places model_places;
  part_list bodies, markers, joints, constraints, forces, drives, initials, outputs;
  part_list materials, solids, surfaces, contacts, tables, signals, states, callbacks;
  carom_integrator_def integrator;
  const scheme_type *scheme;
  scheme_options options;  // of the scheme
  carom_record_def record;
  place method_at, integrator_at, record_at;
  const document *text;  // null in code
  long listed_pairs;     // pairs of surfaces up to which a model lists all; 0: the default. For tests
  const char *settings;  // what was set on top of the text: lines of `name = value`, or null
};

// What each section holds.
extern const option_table model_table, body_table, marker_table, table_table, state_table, callback_table, drive_table,
    initial_table, integrator_table, record_table_options, material_table, solid_table, contact_table, beam_table,
    modes_table, stretch_table, solid_2d_table, finite_elements_table, structural_damping_table;

// Words of other programs for our keys; ends with a null word.
extern const option_synonym model_synonyms[];

// A document's content as a definition. False after reporting.
bool definition_read(carom_def *def, const document *text, carom_error *error);

// The section heads of a model file in the order of the reference page, for suggestions and for the page.
typedef struct section {
  const char *name, *help;
} section;
const section *definition_sections(int *count);

#endif
