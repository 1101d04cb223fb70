#include "memory.h"

#include "base/word.h"
#include "text/value.h"

static carom_error error;

static const document *load_with(const char *text, const assignment *sets, int count) {
  memset(&error, 0, sizeof error);
  return document_load(&memory, "model.yaml", text, strlen(text), sets, count, &error);
}

static const document *load(const char *text) {
  const document *d = load_with(text, NULL, 0);
  if (!d) printf("    %s\n", error.text);
  return d;
}

// The scalar at a path of keys and indices, "(none)" when there is none.
static const value *at(const value *v, const char *path) {
  char part[100];
  while (v && *path) {
    size_t n = strcspn(path, "/");
    snprintf(part, sizeof part, "%.*s", (int)n, path);
    path += n + (path[n] == '/');
    if (v->kind == VALUE_LIST) v = atoi(part) < v->count ? v->items[atoi(part)] : NULL;
    else v = value_get(v, part);
  }
  return v;
}

static const char *text_at(const document *d, const char *path) {
  const value *v = d ? at(d->root, path) : NULL;
  return v && v->kind == VALUE_SCALAR ? v->text : "(none)";
}

static double parameter_value(const document *d, const char *name) {
  symbol s = {.value = NAN};
  const char *hint;
  return d && parameters_resolve(d->parameters, name, &s, &hint) ? s.value : NAN;
}

static void a_tree_with_places(void) {
  const document *d =
      load("title: A b\nbodies:\n  crank: {mass: 0.1, com: [l/2, 0]}\n  'rod':\n    mass: \"2\"\n  ω: é\n");
  if (CHECK(d)) {
    CHECK_TEXT(text_at(d, "title"), "A b");
    CHECK_TEXT(text_at(d, "bodies/crank/com/0"), "l/2");
    CHECK_TEXT(text_at(d, "bodies/rod/mass"), "2");
    const value *com = at(d->root, "bodies/crank/com/0");
    CHECK_EQUAL(com->at.line, 3);
    CHECK_EQUAL(com->at.column, 28);
    const value *crank = at(d->root, "bodies/crank");
    CHECK_EQUAL(crank->key_at.line, 3);
    CHECK_EQUAL(crank->key_at.column, 3);
    CHECK_EQUAL(crank->at.column, 10);
    CHECK(at(d->root, "bodies/rod/mass")->quoted);
    CHECK_EQUAL(at(d->root, "bodies/ω")->at.column, 6);
    CHECK_TEXT(d->main->name, "model.yaml");
    CHECK_EQUAL(d->source_count, 1);
  }
}

static void quoted_texts(void) {
  const document *d = load(
      "a: 'it''s '''''''''''''''''''''\nb: 'one\n  two\n\n  three  '\nc: \"t\\tb \\u00e9 \\\"x\\\"\"\nd: ''\n"
      "e: >\n  f\n  g\nh: |\n  i\n  j\n");
  CHECK_TEXT(text_at(d, "a"), "it's ''''''''''");
  CHECK_TEXT(text_at(d, "b"), "one two\nthree  ");
  CHECK_TEXT(text_at(d, "c"), "t\tb \u00e9 \"x\"");
  CHECK_TEXT(text_at(d, "d"), "");
  CHECK_TEXT(text_at(d, "e"), "f g\n");
  CHECK_TEXT(text_at(d, "h"), "i\nj\n");
}

static void parameters_in_any_order(void) {
  const document *d = load(
      "parameters:\n  c: a + b\n  a: 2*b\n  b: 150 mm\n  word: \"1+\"\n  w2: word\n  flag: true\n"
      "  mode: adams\n  q: pi\n  n: if(flag, 3, 4)\n  l: 3 m\n  m: 2 m\nx: 1\n");
  if (CHECK(d)) {
    CHECK_NEAR(parameter_value(d, "c"), 0.45, 1e-16);
    CHECK_NEAR(parameter_value(d, "n"), 3, 0);
    CHECK_NEAR(parameter_value(d, "m"), 2, 0);
    CHECK_NEAR(parameter_value(d, "q"), acos(-1), 0);
    CHECK_EQUAL(parameters_find(d->parameters, "a")->dim, DIM_LENGTH);
    CHECK_TEXT(parameters_find(d->parameters, "w2")->text, "1+");
    CHECK_TEXT(parameters_find(d->parameters, "mode")->text, "adams");
    CHECK(!parameters_find(d->parameters, "mode")->is_number);
    CHECK(value_get(d->root, "parameters") == NULL);
  }
}

// A chain of ten thousand parameters against the order of the file: no recursion to run out of.
static void long_chains_of_parameters(void) {
  char *text = malloc(600000);
  size_t n = (size_t)sprintf(text, "parameters:\n");
  for (int i = 0; i < 10000; i++) n += (size_t)sprintf(text + n, "  p%d: p%d + 1\n", i, i + 1);
  sprintf(text + n, "  p10000: 0\n");
  const document *d = load(text);
  CHECK_NEAR(parameter_value(d, "p0"), 10000, 0);
  free(text);
}

static void repeats_unroll(void) {
  const document *d = load(
      "parameters: {n: 3, l: 0.1 m}\nbodies:\n  link{i}: {repeat: {i: [1, n]}, mass: 0.1*i, note: \"after "
      "link{i-1}\"}\n"
      "  ball{i}_{j}: {repeat: {i: [1, 2], j: [i, 2]}, mass: i*j}\n  none{i}: {repeat: {i: [1, 0]}}\n"
      "  nest{i}: {repeat: {i: [1, 2]}, parts: {\"a{k}\": {repeat: {k: [1, i]}, v: \"{i*10+k}\"}}}\n"
      "list:\n  - {repeat: {i: [1, 2]}, v: i}\n  - 7\n");
  if (CHECK(d)) {
    CHECK_EQUAL(value_get(d->root, "bodies")->count, 3 + 3 + 0 + 2);
    CHECK_TEXT(text_at(d, "bodies/link3/note"), "after link2");
    CHECK_TEXT(text_at(d, "bodies/ball1_2/mass"), "i*j");
    CHECK_TEXT(text_at(d, "bodies/ball2_1/mass"), "(none)");
    CHECK_TEXT(text_at(d, "bodies/nest2/parts/a2/v"), "22");
    CHECK_TEXT(text_at(d, "list/1/v"), "i");
    CHECK_TEXT(text_at(d, "list/2"), "7");
    symbol s = {0};
    const char *hint;
    const value *mass = at(d->root, "bodies/link3/mass");
    CHECK(parameters_resolve(mass->parameters, "i", &s, &hint) && s.value == 3);
    CHECK(parameters_resolve(mass->parameters, "l", &s, &hint) && s.value == 0.1);
    CHECK(!parameters_resolve(d->parameters, "i", &s, &hint));
  }
}

static void sets_replace(void) {
  const char *text =
      "parameters: {n: 2, mode: adams}\nmethod: smooth\nend: 1\ngravity: [0, -9.81]\n"
      "bodies:\n  b{i}: {repeat: {i: [1, n]}, mass: i}\n";
  const assignment sets[] = {
      {"n", "3"},          {"method.smooth.rtol", "1e-10"}, {"coordinates", "absolute"}, {"end", "2*n"},
      {"gravity.1", "-1"}, {"bodies.b3.mass", "7 kg"},      {"list", "[1, {a: b}]"},     {"mode", "bdf"}};
  const document *d = load_with(text, sets, 8);
  if (CHECK(d)) {
    CHECK_NEAR(parameter_value(d, "n"), 3, 0);
    CHECK_TEXT(parameters_find(d->parameters, "mode")->text, "bdf");
    CHECK_TEXT(text_at(d, "method/smooth/rtol"), "1e-10");
    CHECK_TEXT(text_at(d, "coordinates"), "absolute");
    CHECK_TEXT(text_at(d, "end"), "2*n");
    CHECK_TEXT(text_at(d, "gravity/1"), "-1");
    CHECK_TEXT(text_at(d, "bodies/b3/mass"), "7 kg");
    CHECK_TEXT(text_at(d, "list/1/a"), "b");
    CHECK(at(d->root, "bodies/b2/mass")->parameters != d->parameters);  // still knows its index
    CHECK_TEXT(at(d->root, "end")->at.source->name, "--set");
    CHECK_EQUAL(at(d->root, "end")->at.column, 5);
  } else {
    printf("    %s\n", error.text);
  }
  const assignment whole = {"method", "{event: {}}"}, word = {"method", "event"}, same = {"method", "smooth"};
  d = load_with("method: {smooth: {rtol: 1}}\n", &word, 1);
  CHECK_TEXT(text_at(d, "method"), "event");
  d = load_with("method: {smooth: {rtol: 1}}\n", &same, 1);
  CHECK_TEXT(text_at(d, "method/smooth/rtol"), "1");
  d = load_with("method: {smooth: {rtol: 1}}\n", &whole, 1);
  CHECK(d && at(d->root, "method/event") && !at(d->root, "method/smooth"));
}

// Settings written into the text of a file: what it must become, or null if it is refused.
static const struct {
  const char *text;
  assignment sets[3];
  const char *becomes;
} rewritten[] = {
    {"parameters: {a: 1, b: 2}  # both\nend: a\n",
     {{"a", "3 m"}, {"end", "2"}},
     "parameters: {a: 3 m, b: 2}  # both\nend: 2\n"},
    {"parameters:\n  a: 1   # one\n  b: 'x'\nend: 1\n",
     {{"b", "y"}, {"a", "2"}},
     "parameters:\n  a: 2   # one\n  b: y\nend: 1\n"},
    // two keys of a new section, of a new part, and of a part without brackets
    {"end: 1\n", {{"initial.pin.q", "1"}, {"initial.pin.u", "2"}}, "end: 1\ninitial: {pin: {q: 1, u: 2}}\n"},
    {"end: 1", {{"initial.pin.q", "1"}, {"initial.arm.q", "2"}}, "end: 1\ninitial: {pin: {q: 1}, arm: {q: 2}}\n"},
    {"initial: {}\nend: 1\n", {{"initial.pin.q", "1"}}, "initial: {pin: {q: 1}}\nend: 1\n"},
    {"initial:\n  pin:\n    q: 1  # rad\n\n# more\nend: 1\n",
     {{"initial.pin.u", "2"}, {"initial.arm.q", "3"}},
     "initial:\n  pin:\n    q: 1  # rad\n    u: 2\n  arm: {q: 3}\n\n# more\nend: 1\n"},
    {"initial: {pin: {q: 1,}, # first\n  }\r\nend: 1\r\n",
     {{"initial.pin.u", "2"}, {"initial.arm", "3"}},
     "initial: {pin: {q: 1, u: 2,}, arm: 3, # first\n  }\r\nend: 1\r\n"},
    // values without brackets, without anything, in lists
    {"gravity:\n  - 0\n  - -1\nend: 1\n", {{"gravity.1", "-2"}}, "gravity:\n  - 0\n  - -2\nend: 1\n"},
    {"gravity:\n  - 0\n  - -1\nend: 1\n", {{"gravity", "[1, 2]"}}, "gravity:\n  [1, 2]\nend: 1\n"},
    {"title:\nend: 1\n", {{"title", "Arm"}}, "title: Arm\nend: 1\n"},
    {"title: \"Arm \\\"2\\\"\" # it\nend: 1\n", {{"title", "Leg"}}, "title: Leg # it\nend: 1\n"},
    {"notes: [{a: 1}, {b: 2}]\n", {{"notes.1.c", "3"}}, "notes: [{a: 1}, {b: 2, c: 3}]\n"},
    // one over the other
    {"a: {b: 1, c: 2}\n", {{"a", "{b: 3}"}, {"a.b", "4"}}, "a: {b: 4}\n"},
    {"a: {b: 1, c: 2}\n", {{"a.b", "4"}, {"a", "5"}}, "a: 5\n"},
    {"a: 1\n", {{"a", "2"}, {"a", "3"}}, "a: 3\n"},
    // words that make way for maps
    {"method: event\n", {{"method.event.rtol", "1e-9"}}, "method: {event: {rtol: 1e-9}}\n"},
    {"integrator: bdf\n", {{"integrator.rtol", "1e-9"}}, "integrator: {type: bdf, rtol: 1e-9}\n"},
    {"method: {moreau: {step: 1}}\n", {{"method", "moreau"}}, "method: {moreau: {step: 1}}\n"},
    // copies of a repeat do not stand in the file, nor do lines of a text
    {"bodies:\n  b{i}: {repeat: {i: [1, 2]}, mass: i}\n", {{"bodies.b2.mass", "7"}}, NULL},
    {"note: |\n  one\n  two\nend: 1\n", {{"note", "three"}}, NULL},
    {"list: [1]\n", {{"list.4", "1"}}, NULL},
};

static void settings_are_written_into_files(void) {
  for (size_t i = 0; i < sizeof rewritten / sizeof *rewritten; i++) {
    const source file = {"model.yaml", rewritten[i].text, strlen(rewritten[i].text)};
    int count = 0;
    while (count < 3 && rewritten[i].sets[count].name) count++;
    memset(&error, 0, sizeof error);
    const char *text = document_rewrite(&memory, &file, rewritten[i].sets, count, &error);
    if (!rewritten[i].becomes) CHECK(!text && error.text[0]);
    else if (!CHECK(text)) printf("    %s\n", error.text);
    else CHECK_TEXT(text, rewritten[i].becomes);
  }
}

static void set_fails(const char *name, const char *text, int column, const char *message) {
  const assignment set = {name, text};
  if (CHECK(!load_with("parameters: {omega: 2}\ngravity: [0, 1]\nintegrator: bdf\n", &set, 1))) {
    CHECK_TEXT(error.file, "--set");
    CHECK_EQUAL(error.column, column);
    CHECK_CONTAINS(error.text, message);
  }
}

static void bad_sets(void) {
  set_fails("omega", "2*omgea", 9, "unknown name 'omgea'");
  set_fails("omega", "[1, 2]", 7, "must be a number, a word or a flag");
  set_fails("omega", "", 1, "has no value");
  set_fails("parameters.omgea", "2", 1, "did you mean 'omega'?");
  set_fails("a..b", "2", 1, "not the path of a key");
  set_fails("gravity.x", "2", 1, "not an item of the list");
  set_fails("gravity.0.x", "2", 1, "in the model, not a map");
  set_fails("omega", "*x", 7 + 1, "aliases");
  set_fails("a", "[1, 2", 3, "not valid YAML");
}

static void fails(const char *text, int line, int column, const char *message) {
  if (CHECK(!load_with(text, NULL, 0))) {
    bool ok = CHECK_EQUAL(error.line, line);
    ok &= CHECK_EQUAL(error.column, column);
    ok &= CHECK_CONTAINS(error.text, message);
    ok &= CHECK_EQUAL(error.status, CAROM_ERROR_MODEL);
    if (!ok) printf("%s\n", error.text);
  } else {
    printf("    for: %.100s\n", text);
  }
}

static void syntax_errors(void) {
  fails("", 1, 1, "empty");
  fails("# only this\n", 2, 1, "empty");
  fails("a:b\n", 1, 1, "a blank is needed");
  fails("- 1\n", 1, 1, "must be a map");
  fails("a: 1\nmass 3\nb: 2\n", 2, 1, "a ':' is missing");
  fails("a:\n\tb: 3\n", 2, 1, "a tab in the indentation");
  fails("a: b: c\n", 1, 5, "a second ':'");
  fails("a: {b: [link{i}, 2]}\n", 1, 13, "must be in quotes");
  fails("x: {link{i}: 3}\n", 1, 9, "must be in quotes");
  fails("a: [1, 2\nb: 3\n", 1, 4, "this bracket is not closed");
  fails("a: {b: 1\nc: 3\n", 2, 2, "the '{' of line 1 is not closed");
  fails("a: {b: 1,, c: 2}\n", 1, 10, "a value is missing before ','");
  fails("a: {b: 1}}\n", 1, 10, "nothing open");
  fails("a: 3\n b: 4\n", 2, 1, "indentation");
  fails("a: \"abc\nb: 3\n", 1, 4, "quoted text");
  fails("a: @b\n", 1, 4, "quotes");
  fails("a: &x 3\n", 1, 7, "anchors");
  fails("a: 3\nb: *a\n", 2, 5, "aliases");
  fails("a: !!int 3\n", 1, 10, "tags");
  fails("<<: {a: 1}\n", 1, 1, "merge keys");
  fails("a: 1\n---\nb: 2\n", 2, 1, "a second document");
  fails("a: 1\nb: 2\na: 3\n", 3, 1, "'a' occurs twice: first at model.yaml:1:1");
  fails("x: {b: 2, b: 3}\n", 1, 11, "'b' occurs twice");
  fails("{a: 1}: 2\n", 1, 1, "a key must be plain text");
  fails("a: x\xff\n", 1, 5, "0xFF is not UTF-8");
  fails("a: x\x01\n", 1, 5, "control character");
  fails("? [a]\n: b\n", 1, 3, "a key must be plain text");
  fails(": b\n", 1, 1, "");
  memset(&error, 0, sizeof error);
  CHECK(!document_load(&memory, "m", "a: \0b", 5, NULL, 0, &error));
  CHECK_CONTAINS(error.text, "m:1:4: error: control character 0x00");
}

static void parameter_errors(void) {
  fails("parameters: 3\n", 1, 13, "must be a map");
  fails("parameters: {a: b + 1, b: c, c: 2*a}\n", 1, 14, "a -> b -> c -> a");
  fails("parameters: {a: a + 1}\n", 1, 14, "a -> a");
  fails("parameters: {lenght: 1, a: 2*length}\n", 1, 30, "did you mean 'lenght'?");
  fails("parameters: {a: 1 m + 2 kg}\n", 1, 21, "cannot add m and kg");
  fails("parameters: {a: [1]}\n", 1, 17, "not a list");
  fails("parameters: {a: }\n", 1, 14, "has no value");
  fails("parameters: {a b: 1}\n", 1, 14, "cannot be the name");
  fails("parameters: {t: 1}\n", 1, 14, "is the time");
  fails("parameters: {w: \"x\", a: 2*w}\n", 1, 27, "is a word");
  fails("parameters:\n  a: 1/0\n", 2, 7, "division by zero");
  fails("parameters:\n  a: 1 +\n    foo + 2\n", 3, 5, "unknown name 'foo'");  // a folded line
  fails("parameters:\n  a: >\n    1 +\n    foo\n", 4, 5, "unknown name 'foo'");
}

static void repeat_errors(void) {
  fails("repeat: {i: [1, 2]}\n", 1, 1, "belongs into an entry");
  fails("b:\n  x: {repeat: 3}\n", 2, 7, "must be a map of one to 8 indices");
  fails("b:\n  x{i}: {repeat: {i: 3}}\n", 2, 22, "must be [first, last]");
  fails("b:\n  x{i}: {repeat: {i: [1, n]}}\n", 2, 26, "unknown name 'n'");
  fails("b:\n  x{i}: {repeat: {i: [1, 2.5]}}\n", 2, 26, "not a whole number");
  fails("b:\n  x{i}: {repeat: {i: [1, 5000000]}}\n", 2, 22, "5000000 copies are too many");
  fails("b:\n  x{i}: {repeat: {i: [1, 5000], j: [1, 5000]}}\n", 2, 36, "25000000 copies are too many");
  fails("b:\n  x{i}: {repeat: {i: [1, 900000]}, a: [1, 2, 3, 4, 5]}\n", 2, 39, "too large");
  fails("b:\n  x: {repeat: {i: [1, 2]}}\n", 2, 3, "put the index");
  fails("b:\n  x{k}: {repeat: {i: [1, 2]}}\n", 2, 5, "unknown name 'k'");
  fails("b:\n  x{i: {repeat: {i: [1, 2]}}\n", 2, 4, "'{' is not closed");
  fails("b:\n  x{i}: {repeat: {t: [1, 2]}}\n", 2, 19, "cannot be the name");
}

static void limits(void) {
  size_t size = 17 << 20;
  char *text = malloc(size + 1);
  memset(text, 'a', size);
  text[size] = '\0';
  memset(&error, 0, sizeof error);
  CHECK(!document_load(&memory, "m", text, size, NULL, 0, &error));
  CHECK_CONTAINS(error.text, "m: error: the file is too large");
  text[70000] = '\0';
  memcpy(text, "a: ", 3);
  fails(text, 1, 4, "too long");
  memcpy(text, "a: ", 3);
  memset(text + 3, '[', 10000);
  text[10003] = '\0';
  fails(text, 1, 4 + 63, "nested too deeply");
  free(text);
}

static const char *write_model(const char *name, const char *text) {
  const char *path = scratch(name);
  write_text(path, text);
  return path;
}

static const document *load_file(const char *path) {
  memset(&error, 0, sizeof error);
  return document_load(&memory, path, NULL, 0, NULL, 0, &error);
}

static void files_and_includes(void) {
  write_model("parts.yaml", "space: planar\nparameters: {l: 1, k: 2*l}\nbodies: {a: {mass: l}}\nmethod: {event: {}}\n");
  write_model("more.yaml", "space: planar\ninclude: parts.yaml\njoints: {j: {revolute: [a, b]}}\n");
  const document *d = load_file(write_model("main.yaml",
                                            "include: [parts.yaml, more.yaml]\nparameters: {l: 5}\n"
                                            "bodies: {b: {mass: k}}\nmethod: {smooth: {}}\n"));
  if (CHECK(d)) {
    CHECK_NEAR(parameter_value(d, "k"), 10, 0);  // the includer's l
    CHECK_EQUAL(value_get(d->root, "bodies")->count, 2);
    CHECK_EQUAL(d->source_count, 3);  // parts.yaml came in once
    CHECK(at(d->root, "joints/j") && at(d->root, "method/smooth") && !at(d->root, "method/event"));
    CHECK(!value_get(d->root, "include"));
    CHECK_TEXT(text_at(d, "space"), "planar");
  } else {
    printf("    %s\n", error.text);
  }
  write_model("twice.yaml", "bodies: {b: {mass: 1}}\n");
  CHECK(!load_file(write_model("main.yaml", "include: twice.yaml\nbodies:\n  b: {mass: 2}\n")));
  CHECK_CONTAINS(error.text, "'b' occurs twice: first at");
  CHECK_CONTAINS(error.text, "main.yaml:3:3");
  CHECK_CONTAINS(error.text, "twice.yaml:1:10");
  write_model("other.yaml", "space: spatial\n");
  CHECK(!load_file(write_model("main.yaml", "include: [parts.yaml, other.yaml]\n")));
  CHECK_CONTAINS(error.text, "'space' is also at");
  write_model("loop.yaml", "include: main.yaml\n");
  CHECK(!load_file(write_model("main.yaml", "a: 1\ninclude: loop.yaml\n")));
  CHECK_CONTAINS(error.text, "includes itself");
  CHECK_EQUAL(error.status, CAROM_ERROR_MODEL);
  CHECK(!load_file(write_model("main.yaml", "a: 1\ninclude: gone.yaml\n")));
  CHECK_EQUAL(error.line, 2);
  CHECK_EQUAL(error.column, 10);
  CHECK_EQUAL(error.status, CAROM_ERROR_MODEL);
  CHECK(!load_file(write_model("main.yaml", "include: /dev/zero\n")));
  CHECK_CONTAINS(error.text, "not a file");
  char name[40], text[80];
  for (int i = 0; i < 20; i++) {
    snprintf(name, sizeof name, "deep%d.yaml", i);
    snprintf(text, sizeof text, "include: deep%d.yaml\n", i + 1);
    write_model(name, text);
  }
  char first[5000];
  snprintf(first, sizeof first, "%s/deep0.yaml", check_scratch_dir());
  CHECK(!load_file(first));
  CHECK_CONTAINS(error.text, "nested too deeply");
  CHECK(!load_file("/nowhere/model.yaml"));
  CHECK_EQUAL(error.status, CAROM_ERROR_FILE);
  CHECK_CONTAINS(error.text, "/nowhere/model.yaml: error: cannot read");
  CHECK(!load_file(check_scratch_dir()));
  CHECK_EQUAL(error.status, CAROM_ERROR_FILE);
}

// Parameters of the including file override those of the included one, so that a misspelt name overrides nothing.
static void unused_parameters_beside_an_include(void) {
  write_model("part.yaml", "parameters: {length: 1, spare: 3}\nbodies: {a: {mass: length}}\n");
  CHECK(!load_file(write_model("main.yaml", "include: part.yaml\nparameters:\n  lenght: 2\n")));
  CHECK_EQUAL(error.line, 3);
  CHECK_EQUAL(error.column, 3);
  CHECK_CONTAINS(error.text, "nothing uses the parameter 'lenght'");
  CHECK_CONTAINS(error.text, "did you mean 'length'?");
  CHECK(!load_file(write_model("main.yaml", "title: own x\ninclude: part.yaml\nparameters: {own: own}\n")));
  CHECK_CONTAINS(error.text, "'own'");
  CHECK(load_file(write_model("main.yaml",
                              "include: part.yaml\nparameters: {length: 2, n: 3, k: 1, wörd: 1}\n"
                              "bodies: {'b{i+k}': {repeat: {i: [1, n]}, mass: 2*wörd}}\n")));
  CHECK(load("parameters: {alone: 1}\na: 1\n"));
}

static void reports_look_right(void) {
  fails("parameters:\n  a:\t2*lenght\n  length: 3\n", 2, 8, "");
  CHECK_TEXT(
      error.text,
      "model.yaml:2:8: error: unknown name 'lenght'\n    a: 2*lenght\n         ^\n  hint: did you mean 'length'?");
  CHECK_TEXT(error.message, "unknown name 'lenght'");
  CHECK_TEXT(error.file, "model.yaml");
  char text[2000] = "parameters: {a: ";
  for (int i = 0; i < 150; i++) strcat(text, "1 + ");
  strcat(text, "foo");
  for (int i = 0; i < 150; i++) strcat(text, " + 1");
  strcat(text, "}\n");
  fails(text, 1, 617, "unknown name 'foo'");
  const char *line = strchr(error.text, '\n') + 1, *caret = strchr(line, '\n') + 1;
  CHECK(strlen(line) < 300);
  // The caret stands below the name.
  CHECK(strncmp(line + strcspn(caret, "^"), "foo", 3) == 0);
  CHECK_CONTAINS(line, " 1 ...\n");
  // A hostile name cannot reach the terminal, nor overflow the report.
  memset(text, 0, sizeof text);
  for (int i = 0; i < 1200; i++) text[i] = i % 3 ? 'x' : '\x7f';
  memset(&error, 0, sizeof error);
  document_load(&memory, text, "a: [", 4, NULL, 0, &error);
  CHECK(strlen(error.text) < sizeof error.text && !strchr(error.text, '\x7f'));
  CHECK_CONTAINS(error.text, "\\x7F");
}

// Names of laws have hyphens; where one of the parts is a number's name it is a difference.
static void words_may_have_hyphens(void) {
  const document *d =
      load("parameters:\n  a: 3\n  law: hunt-crossley\n  line: esdu-78035\n  less: a-1\n  none: pi-a\n");
  if (CHECK(d)) {
    CHECK_TEXT(parameters_find(d->parameters, "law")->text, "hunt-crossley");
    CHECK_TEXT(parameters_find(d->parameters, "line")->text, "esdu-78035");
    CHECK_NEAR(parameter_value(d, "less"), 2, 0);
    CHECK_NEAR(parameter_value(d, "none"), acos(-1) - 3, 1e-15);
  }
}

static void nearest_words(void) {
  const char *words[] = {"mass", "inertia", "com", "massless"};
  CHECK_TEXT(word_nearest("mas", words, 4), "mass");
  CHECK_TEXT(word_nearest("amss", words, 4), "mass");
  CHECK_TEXT(word_nearest("MASS", words, 4), "mass");
  CHECK_TEXT(word_nearest("intertia", words, 4), "inertia");
  CHECK(!word_nearest("stiffness", words, 4));
  CHECK(!word_nearest("xy", words, 4));
}

int main(void) {
  RUN(a_tree_with_places);
  RUN(quoted_texts);
  RUN(parameters_in_any_order);
  RUN(long_chains_of_parameters);
  RUN(repeats_unroll);
  RUN(sets_replace);
  RUN(settings_are_written_into_files);
  RUN(bad_sets);
  RUN(syntax_errors);
  RUN(parameter_errors);
  RUN(repeat_errors);
  RUN(limits);
  RUN(files_and_includes);
  RUN(unused_parameters_beside_an_include);
  RUN(reports_look_right);
  RUN(words_may_have_hyphens);
  RUN(nearest_words);
  return check_summary();
}
