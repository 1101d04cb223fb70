#include "record/row_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

typedef struct message {
  long row;
  const char *text;
} message;

struct row_words {
  const json_value **lists;  // of each column, null if it holds numbers
  int column_count;
  bool has_messages;
  message *messages;  // in the order of their rows
  int message_count;
};

static int compare_rows(const void *left, const void *right) {
  const message *x = left, *y = right;
  return (x->row > y->row) - (x->row < y->row);
}

static void read_messages(row_words *w, arena *memory, const char *text) {
  const json_value *all = json_read(memory, text);
  w->has_messages = all && all->kind == JSON_MAP;
  if (!w->has_messages) return;
  w->messages = ARENA_ARRAY(memory, message, all->count + 1);
  for (int i = 0; i < all->count; i++)
    w->messages[w->message_count++] =
        (message){strtol(all->items[i].key, NULL, 10), all->items[i].kind == JSON_TEXT ? all->items[i].text : ""};
  qsort(w->messages, (size_t)w->message_count, sizeof *w->messages, compare_rows);
}

row_words *row_words_read(arena *memory, const record_reader *in, int table) {
  const char *text = record_get_text(in, "words"), *messages = record_get_text(in, "messages");
  record_table t = record_get_table(in, table);
  const json_value *of = text ? json_get(json_read(memory, text), t.name) : NULL;
  if (!of) return NULL;
  row_words *w = ARENA_NEW(memory, row_words);
  w->column_count = t.column_count;
  w->lists = ARENA_ARRAY(memory, const json_value *, t.column_count);
  for (int i = 0; i < t.column_count; i++) {
    const json_value *list = json_get(of, t.columns[i]);
    w->lists[i] = list && list->kind == JSON_LIST ? list : NULL;
  }
  if (messages && strcmp(t.name, "rows") == 0) read_messages(w, memory, messages);
  return w;
}

const char *row_words_find(const row_words *w, int column, double value) {
  const json_value *list = w && column >= 0 && column < w->column_count ? w->lists[column] : NULL;
  if (!list) return NULL;
  bool listed = value >= 1 && value <= list->count && value == floor(value);
  return listed && list->items[(int)value - 1].kind == JSON_TEXT ? list->items[(int)value - 1].text : "";
}

bool row_words_have_messages(const row_words *w) { return w && w->has_messages; }

const char *row_words_message(const row_words *w, double row) {
  if (!w || !w->message_count || !(fabs(row) < 1e15)) return "";
  const message key = {(long)row, NULL};
  const message *found = bsearch(&key, w->messages, (size_t)w->message_count, sizeof key, compare_rows);
  return found ? found->text : "";
}
