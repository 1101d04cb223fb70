// One table per options struct drives defaults, range checks, model-file keys, help and the reference page, so that
// a new option is one line.
#ifndef TEXT_OPTION_H
#define TEXT_OPTION_H

#include <stddef.h>

#include "carom/define.h"
#include "text/unit.h"

typedef enum option_type {
  OPTION_NUMBER,     // double
  OPTION_INTEGER,    // int
  OPTION_FLAG,       // bool
  OPTION_WORD,       // int, index into the words separated by '|' in `words`
  OPTION_TEXT,       // const char *
  OPTION_PAIR,       // const char *[2]: two names
  OPTION_NAMES,      // carom_names: any number of names
  OPTION_POINT,      // double[3]: two components in a planar model, three in a spatial one
  OPTION_AXIS,       // double[3]: x, y, z, -x, ... or components, normalised
  OPTION_ROTATION,   // double[4], unit quaternion (w, x, y, z): an angle in a planar model; in a spatial one
                     // {axis: ..., angle: ...}, {euler: [a, b, c]} (about z, the new x, the new z), {xyz: [a, b, c]}
                     // (about x, the new y, the new z) or {quaternion: [w, x, y, z]}
  OPTION_INERTIA,    // double[6] xx yy zz xy xz yz: one number (planar: zz; spatial: all three axes), three or six
  OPTION_NUMBERS,    // carom_numbers: a number or a list of them
  OPTION_POINTS,     // carom_points: a list of points, each as in OPTION_POINT
  OPTION_FUNCTION,   // carom_function: a number or an expression over t and state, compiled later
  OPTION_FUNCTIONS,  // carom_function[3]: components as in OPTION_POINT
  OPTION_FUNCTION_LIST,  // carom_functions: a function or a list of them
  OPTION_TABLE,          // a nested struct described by `table`
} option_type;

enum {
  OPTION_REQUIRED = 1,
  OPTION_SUBJECT = 2,       // takes the value of the key that names the member: `revolute: [ground, crank]`
  OPTION_POSITIVE = 4,      // > 0 (numbers are finite always)
  OPTION_NOT_NEGATIVE = 8,  // >= 0
  OPTION_AT_MOST_ONE = 32,  // <= 1
  OPTION_TURNING = 16,      // components about the axes: in a planar model there is one, about z
  OPTION_ALIAS = 64,        // another key for the option before it
  OPTION_TRIPLES = 128,     // numbers that may stand in lists of three
  OPTION_PAIRS = 256,       // numbers that may stand in lists of two
  OPTION_OPTIONAL = 512,    // a rotation that need not be given: all zero then
};

enum { OPTION_MEMBERS_MAX = 16 };  // of a family that a model file can name

typedef struct option_table option_table;

typedef struct option {
  const char *key;
  option_type type;
  size_t offset;
  dimension dim;
  int flags;
  const char *preset;  // default, in the words of a model file but without names or sums: `1e-8`, `0.5 mm`,
                       // `[0, 0, 1]`, `z`, `true`. Null stands for all zero, for a rotation that is not optional for
                       // the identity. The preset of a list is shown in the reference and says what an empty list means
  const char
      *words;  // of OPTION_WORD. Of OPTION_NUMBER, if a word may take the place of the number: word i stands for -i
  const option_table *table;
  const char *help;  // one sentence
} option;

struct option_table {
  const char *name;     // as in a model file: `revolute`, `spring`, `body`
  const char *summary;  // one sentence for the reference page
  const char *example;  // one line of YAML, or null
  size_t size;          // of the struct
  const option *options;
  int count;
};
#define OPTION_COUNT(options) (int)(sizeof(options) / sizeof *(options))

// What other programs and books call a key or a member of a family, for suggestions.
typedef struct option_synonym {
  const char *word;  // null ends a list
  const char
      *key;  // ours; suggested where it is a key or a member. Null if there is none; the hint then tells what to do
  const char *hint;  // may be null where there is a key: then the key is suggested
} option_synonym;

// Zeroes `target` and fills in the table's presets.
void option_defaults(const option_table *table, void *target);

// Markdown for the reference page.
typedef struct option_sink {
  void (*write)(void *context, const char *text);
  void *context;
} option_sink;
void option_document(const option_table *table, option_sink out);

#endif
