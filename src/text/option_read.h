// From values of a model file to structs, by the tables of options.
#ifndef TEXT_OPTION_READ_H
#define TEXT_OPTION_READ_H

#include "text/option.h"
#include "text/value.h"

// The place of each option of an entry in the file, for errors that are found later.
typedef struct option_places {
  place whole;
  // One per option of the table: the unit of each number as written, if the table leaves the unit open, otherwise null.
  const dimension *const *dims;
  const place *each;  // one per option of the table; its source is null if the option was not given
} option_places;

// What `origin` of a carom_function points at when the function came from a model file.
typedef struct function_origin {
  place at;
  const parameters *names;
  dimension dim;  // expected
  const char *key;
  const char *text;  // as written, of a constant too
  dimension got;     // of a constant
} function_origin;

typedef struct option_reader {
  arena *memory;
  carom_error *error;
  bool planar;
  const option_synonym *synonyms;  // may be null
  const value *tables;             // the section whose names expressions may call as functions; may be null
} option_reader;

// Fills `target` with the presets, then with the keys of a map, which may be empty. Keys listed in `others`
// (null-terminated, may be null) are left for the caller.
bool option_read(const option_reader *r, const option_table *table, const value *map, void *target,
                 const char *const *others, option_places *places);
// Checks a struct that was filled in code by the same rules.
bool option_check(const option_reader *r, const option_table *table, const void *target, const char *name);

// A family's entry: a map in which exactly one key names a member, its value the member's subject or a map of its
// options: `{revolute: [a, b], axis: z}` or `{smooth: {rtol: 1e-8}}`. A bare word names a member with all presets.
// Returns the index of the member in `tables`, or -1 after reporting. `target` must be as large as the largest struct.
int option_read_member(const option_reader *r, const char *family, const option_table *const *tables, int count,
                       const value *entry, void *target, const char *const *others, option_places *places);

#endif
