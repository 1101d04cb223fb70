// The reference page: each table as Markdown, from the same lines that read a model file.
#include <stdio.h>
#include <string.h>

#include "text/option_read.h"

static void put(option_sink out, const char *text) { out.write(out.context, text); }

// In a table cell a bar would end the cell.
static void put_cell(option_sink out, const char *text) {
  char piece[2] = "";
  for (; text && *text; text++) {
    if (*text == '|') {
      put(out, "\\|");
      continue;
    }
    piece[0] = *text;
    put(out, piece);
  }
}

static const char *type_text(const option *o) {
  switch (o->type) {
    case OPTION_NUMBER: return "number";
    case OPTION_INTEGER: return "whole number";
    case OPTION_FLAG: return "true or false";
    case OPTION_WORD: return NULL;
    case OPTION_TEXT: return "text";
    case OPTION_PAIR: return "two names";
    case OPTION_NAMES: return "name or list of names";
    case OPTION_POINT: return "2 or 3 components";
    case OPTION_AXIS: return "axis";
    case OPTION_ROTATION: return "rotation";
    case OPTION_INERTIA: return "1, 3 or 6 numbers";
    case OPTION_NUMBERS: return "number or list of numbers";
    case OPTION_POINTS: return "list of points of 2 or 3 components";
    case OPTION_FUNCTION: return "number or function";
    case OPTION_FUNCTIONS: return "2 or 3 numbers or functions";
    case OPTION_FUNCTION_LIST: return "function or list of functions";
    case OPTION_TABLE: return "map";
  }
  return "";
}

static void put_words(option_sink out, const char *words) {
  while (*words) {
    size_t n = strcspn(words, "|");
    char word[80];
    snprintf(word, sizeof word, "`%.*s`%s", (int)(n < 64 ? n : 64), words, words[n] ? ", " : "");
    put(out, word);
    words += n + (words[n] == '|');
  }
}

static bool has_unit(const option *o) {
  switch (o->type) {
    case OPTION_NUMBER:
    case OPTION_POINT:
    case OPTION_INERTIA:
    case OPTION_NUMBERS:
    case OPTION_POINTS:
    case OPTION_FUNCTION:
    case OPTION_FUNCTIONS: return o->dim != DIM_ANY && o->dim != DIM_NONE;
    default: return false;
  }
}

static void put_range(option_sink out, const option *o) {
  if (o->flags & OPTION_POSITIVE) put(out, ", > 0");
  if (o->flags & OPTION_NOT_NEGATIVE) put(out, ", >= 0");
  if (o->flags & OPTION_AT_MOST_ONE) put(out, ", <= 1");
}

static void put_default(option_sink out, const option *o) {
  if (o->flags & OPTION_REQUIRED) {
    put(out, "required");
  } else if (o->preset) {
    put(out, "`");
    put_cell(out, o->preset);
    put(out, "`");
  }
}

static void put_row(option_sink out, const option_table *table, const option *o) {
  char unit_text[32], piece[64];
  put(out, "| `");
  put_cell(out, o->key);
  put(out, "` | ");
  if (o->type == OPTION_WORD) put_words(out, o->words);
  else put(out, type_text(o));
  if (o->type == OPTION_NUMBER && o->words) put(out, " or "), put_words(out, o->words);
  if (has_unit(o)) {
    snprintf(piece, sizeof piece, " [%s]", dimension_text(o->dim, unit_text));
    put(out, piece);
  }
  put_range(out, o);
  put(out, " | ");
  put_default(out, o);
  put(out, " | ");
  put_cell(out, o->help);
  if (o->flags & OPTION_SUBJECT && strcmp(o->key, table->name) != 0) {
    put(out, " May be written as the value of `");
    put(out, table->name);
    put(out, "`.");
  }
  put(out, " |\n");
}

static void document_level(const option_table *table, option_sink out, const char *marks, int depth) {
  put(out, marks);
  put(out, " `");
  put(out, table->name);
  put(out, "`\n\n");
  if (table->summary) {
    put(out, table->summary);
    put(out, "\n\n");
  }
  if (table->example) {
    put(out, "```yaml\n");
    put(out, table->example);
    put(out, "\n```\n\n");
  }
  if (table->count) put(out, "| key | value | default | meaning |\n|---|---|---|---|\n");
  for (int i = 0; i < table->count; i++) put_row(out, table, &table->options[i]);
  if (table->count) put(out, "\n");
  for (int i = 0; i < table->count && depth < 4; i++)
    if (table->options[i].type == OPTION_TABLE) document_level(table->options[i].table, out, "####", depth + 1);
}

void option_document(const option_table *table, option_sink out) { document_level(table, out, "###", 0); }
