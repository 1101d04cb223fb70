// The text of a model as a tree of maps, lists and scalars, each with its place. Includes are merged, `repeat` is
// unrolled, `--set` is applied, and parameters are evaluated: what is left is plain.
#ifndef TEXT_VALUE_H
#define TEXT_VALUE_H

#include "text/expr_parse.h"
#include "text/source.h"

typedef enum value_kind { VALUE_SCALAR, VALUE_LIST, VALUE_MAP } value_kind;

typedef struct value value;
struct value {
  value_kind kind;
  place at;          // of the value
  place key_at;      // of its key, in a map
  const char *key;   // in a map
  const char *text;  // of a scalar
  bool made;         // a map that is not in the file, created for the path of a `--set`
  bool quoted;       // written in quotes: a parameter that is quoted is a word, never a number
  value **items;     // of a list or map, in file order
  int count, capacity;
  const struct parameters *parameters;  // what names mean in this scalar: the model's parameters and repeat indices
  size_t begin, length;                 // bytes of its source that it is written in; length 0 where these are not known
};

// A named number, word or flag. Words and flags keep their text; numbers also have a value.
typedef struct parameter {
  const char *name;
  bool is_number;
  double number;
  dimension dim;
  const char *text;
  place at;
} parameter;

typedef struct parameters {
  const parameter *items;
  int count;
  const parameter *const *by_name;  // sorted, or null
  const struct parameters *outer;   // repeat indices nest inside the model's parameters
} parameters;

// `--set name=value`: a parameter, or the path of any key (`method.smooth.rtol`). A plain name that is neither a
// parameter nor a key of the file is taken as a top-level key; option_read complains when there is none such.
// `--end` sets `end`, and errors name the option.
typedef struct assignment {
  const char *name, *value;
} assignment;
const char *assign_name(const char *name);  // the key alone

typedef struct document {
  const value *root;  // a map
  const parameters *parameters;
  const source *main;      // the text of the first file, kept for the record
  const source **sources;  // all files, in order of inclusion
  int source_count;
} document;

// Reads a file, or a text when `text` is not null (`path` then only names it and anchors its includes).
// Returns null after reporting an error. All memory comes from the arena.
const document *document_load(arena *memory, const char *path, const char *text, size_t length, const assignment *sets,
                              int set_count, carom_error *error);

// The same with another limit on the values of the unrolled model.
const document *document_load_within(arena *memory, const char *path, const char *text, size_t length,
                                     const assignment *sets, int set_count, long values_max, carom_error *error);

// The text of a model file with values at some keys: each takes the place of the value that stands in this file, or is
// added where its key belongs; what else stands there stays as it is. Returns null after reporting if the text would
// not read as the file with these settings: of copies of a `repeat`, and of some keys of other files.
const char *document_rewrite(arena *memory, const source *file, const assignment *sets, int count, carom_error *error);

const value *value_get(const value *map, const char *key);  // null when absent
bool value_same(const value *a, const value *b);            // the same keys in the same order, with the same texts
const char *value_kind_text(const value *v);                // "a list", "a map", "text", for messages

const parameter *parameters_find(const parameters *p, const char *name);  // null when absent
// Scope over parameters, for expr_compile. Further names can be tried by the caller when this says no.
// Flags are 1 and 0; a word is not a number: false, with a hint that says so.
bool parameters_resolve(const parameters *p, const char *name, symbol *found, const char **hint);
// The text that stands for a scalar where a word is wanted: the scalar's own, or that of the word or flag parameter it
// names. Quoted text is never looked up.
const char *value_word(const value *scalar);

// Limits on the size of a model.
enum {
  MODEL_FILE_MAX = 16 << 20,    // bytes of one file
  MODEL_DEPTH_MAX = 64,         // of maps and lists
  MODEL_SCALAR_MAX = 64 << 10,  // bytes of one scalar
  MODEL_VALUES_MAX = 4000000,   // values after unrolling, a long text counting as several
  MODEL_COPIES_MAX = 1000000,   // of one repeat
  MODEL_INCLUDE_DEPTH_MAX = 16,
};

#endif
