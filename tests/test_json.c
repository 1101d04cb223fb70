// JSON: what is written is read back, and what is none is refused.
#include "memory.h"
#include "comma.h"

#include "base/json.h"

static void json_comes_back(void) {
  static const char text[] =
      " {\"a\": [1, -2.5e-3, true, false, null], \"b\\u003c\\n\\ud83d\\ude00\": {\"c\": \"\"}, \"d\": []} ";
  const json_value *v = json_read(&memory, text);
  if (!CHECK(v)) return;
  CHECK_EQUAL(json_get(v, "a")->count, 5);
  CHECK_NEAR(json_get(v, "a")->items[1].number, -2.5e-3, 0);
  CHECK(json_get(v, "b<\n\xf0\x9f\x98\x80"));
  json_writer w = json_begin(&memory);
  json_put(&w, NULL, v);
  CHECK(!strchr(w.out.text, '<'));
  const json_value *again = json_read(&memory, w.out.text);
  if (!CHECK(again)) return;
  CHECK_EQUAL(again->count, 3);
  CHECK_TEXT(again->items[1].key, v->items[1].key);
}

static void what_is_no_json_is_refused(void) {
  static const char *const bad[] = {"",          "{",         "[1,", "[1 2]", "{\"a\" 1}", "{a: 1}", "\"x",
                                    "\"\\q\"",   "\"\\u12\"", "tru", "1 2",   "nan",       "+1",     "[1,]x",
                                    "{\"a\": }", "\"\n\"",    "--1", "1e",    "\"\\"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (!CHECK(!json_read(&memory, bad[i]))) printf("      %s\n", bad[i]);
  char deep[200];
  memset(deep, '[', sizeof deep - 1), deep[sizeof deep - 1] = 0;
  CHECK(!json_read(&memory, deep));
  CHECK(!json_read(&memory, NULL));
}

static void json_numbers_keep_every_digit(void) {
  const double numbers[] = {0.1, 1.0 / 3, 1e300, -2.2250738585072014e-308, 123456789.123456789, 0};
  json_writer w = json_begin(&memory);
  json_put_numbers(&w, NULL, numbers, 6);
  const json_value *v = json_read(&memory, w.out.text);
  for (int i = 0; CHECK(v) && i < 6; i++) CHECK(v->items[i].number == numbers[i]);
  w = json_begin(&memory);
  json_put_numbers(&w, NULL, (const double[]){NAN, INFINITY}, 2);
  CHECK_TEXT(w.out.text, "[null, null]");
}

// What does not fit into the caller's memory is cut, and the length is that of the whole text.
static void the_locale_does_not_matter(void) {
  if (!comma_begin()) SKIP("no locale with a decimal comma can be made");
  const json_value *v = json_read(&memory, "2.5e3");
  CHECK(v && v->number == 2500);
  setlocale(LC_ALL, "C");
}

static void a_text_in_the_callers_memory_is_cut(void) {
  static const char whole[] = "{\"a\": 0.333333333, \"b\": [\"\\u003c\", null]}";
  for (int size = 0; size <= (int)sizeof whole + 1; size++) {
    char text[sizeof whole + 8];
    memset(text, '#', sizeof text);
    json_writer w = json_begin_in(size ? text : NULL, size);
    json_open(&w, NULL, '{');
    json_put_rounded(&w, "a", 1.0 / 3);
    json_open(&w, "b", '[');
    json_put_text(&w, NULL, "<");
    json_put_rounded(&w, NULL, NAN);
    json_close(&w, ']');
    json_close(&w, '}');
    CHECK_EQUAL(w.out.length, (int)strlen(whole));
    CHECK_EQUAL(text[size], '#');
    if (size)
      CHECK(strncmp(text, whole, (size_t)size - 1) == 0 &&
            strlen(text) == (size_t)(size <= w.out.length ? size - 1 : w.out.length));
  }
}

int main(void) {
  RUN(the_locale_does_not_matter);
  RUN(a_text_in_the_callers_memory_is_cut);
  RUN(json_comes_back);
  RUN(what_is_no_json_is_refused);
  RUN(json_numbers_keep_every_digit);
  return check_summary();
}
