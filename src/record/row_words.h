// What rows say in words: columns that hold places in lists, and messages of rows, from the texts of a record.
#ifndef RECORD_ROW_WORDS_H
#define RECORD_ROW_WORDS_H

#include "base/arena.h"
#include "record/record.h"

typedef struct row_words row_words;

// Of a table. Null if it has none.
row_words *row_words_read(arena *memory, const record_reader *in, int table);
// The word that a column has for a value. Null if the column holds numbers; empty if it has no word for this one.
const char *row_words_find(const row_words *w, int column, double value);
// Whether rows may have messages, and that of a row with this number; empty if it has none.
bool row_words_have_messages(const row_words *w);
const char *row_words_message(const row_words *w, double row);

#endif
