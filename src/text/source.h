// Places in the text of a model, and errors at them: file, line, column, the line itself, a caret, a suggestion.
#ifndef TEXT_SOURCE_H
#define TEXT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "carom/status.h"

// One text: a file, an included file, or a `--set` argument.
typedef struct source {
  const char *name;  // as the user wrote it
  const char *text;
  size_t length;
} source;

typedef struct place {
  const source *source;  // null if the model was defined in code
  int line, column;      // 1-based, column in characters; line 0 stands for the text as a whole
} place;

// Reports an error at a place (keeps only the first). `hint` may be null. A single word becomes a last line
// "hint: did you mean 'word'?"; a hint with blanks is a sentence and stands as it is. Always returns false, so that
// a reader can `return source_error(...)`.
bool source_error(carom_error *error, carom_status status, place at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// The place of text[offset], when text[0] stands at `at`. Looks at the source to follow folded lines and replaced
// `{i}`; where the text differs otherwise (escapes) it stops at the last place they agree on.
place source_advance(place at, const char *text, size_t offset);

#endif
