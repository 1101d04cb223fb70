// YAML by libfyaml, which is known to this file alone. Only events and positions are taken from it; what is wrong is
// said in our own words. Of YAML, maps, lists and scalars are taken; anchors, aliases, tags and merge keys are not.
#include <libfyaml.h>
#include <setjmp.h>
#include <string.h>

#include "text/loader.h"

typedef struct level {
  value *container;
  bool in_flow;
  const char *key;  // waiting for its value
  place key_at;
} level;

typedef struct reader {
  loader *loader;
  const source *source;
  struct fy_diag *diag;
  struct fy_parser *parser;
  struct fy_event *event;  // in hand
  size_t start;            // byte of the source at which the text begins
  int first_column;        // added on the first line: the text may begin after `name=`
  place last;              // end of the last event that had one
  size_t last_end;         // the same in bytes of the source
  level levels[MODEL_DEPTH_MAX];
  int depth;
  value *root;
} reader;

// ---- before parsing

static bool is_continuation(unsigned char c) { return (c & 0xC0) == 0x80; }

// Length of the valid UTF-8 sequence at the start, 0 when there is none (overlong forms and surrogates are none).
static size_t utf8_length(const unsigned char *b, size_t left) {
  if (b[0] < 0x80) return 1;
  if (b[0] >= 0xC2 && b[0] <= 0xDF && left > 1 && is_continuation(b[1])) return 2;
  if (b[0] >= 0xE0 && b[0] <= 0xEF && left > 2 && is_continuation(b[1]) && is_continuation(b[2]))
    return (b[0] == 0xE0 && b[1] < 0xA0) || (b[0] == 0xED && b[1] > 0x9F) ? 0 : 3;
  if (b[0] >= 0xF0 && b[0] <= 0xF4 && left > 3 && is_continuation(b[1]) && is_continuation(b[2]) &&
      is_continuation(b[3]))
    return (b[0] == 0xF0 && b[1] < 0x90) || (b[0] == 0xF4 && b[1] > 0x8F) ? 0 : 4;
  return 0;
}

static bool check_bytes(reader *r, size_t start) {
  carom_error *error = r->loader->error;
  const source *s = r->source;
  if (s->length > MODEL_FILE_MAX)
    return source_error(error, CAROM_ERROR_MODEL, (place){s, 0, 0}, NULL,
                        "the file is too large: %zu bytes, the limit is %d", s->length, MODEL_FILE_MAX);
  if (start == 0 && s->length >= 4 && memcmp(s->text, "\211HDF", 4) == 0)
    return source_error(error, CAROM_ERROR_MODEL, (place){s, 0, 0},
                        "for a record there are 'carom report', 'carom export' and 'carom run MODEL --resume'",
                        "this is a record or another HDF5 file, not a model");
  int line = 1, column = r->first_column + 1;
  for (size_t i = start, n; i < s->length; i += n) {
    const unsigned char *b = (const unsigned char *)s->text + i;
    n = utf8_length(b, s->length - i);
    if (n == 0)
      return source_error(error, CAROM_ERROR_MODEL, (place){s, line, column}, NULL, "byte 0x%02X is not UTF-8 text",
                          *b);
    if (*b < 0x20 && *b != '\n' && *b != '\r' && *b != '\t')
      return source_error(error, CAROM_ERROR_MODEL, (place){s, line, column}, NULL,
                          "control character 0x%02X in the text", *b);
    bool broke = *b == '\n' || (*b == '\r' && !(i + 1 < s->length && b[1] == '\n'));
    line += broke;
    column = broke ? 1 : column + 1;
  }
  return true;
}

// ---- what is wrong

static place mark_place(const reader *r, int line, int column) {
  return (place){r->source, line + 1, column + 1 + (line == 0 ? r->first_column : 0)};
}

typedef struct line_view {
  const char *start, *end, *at;  // the line without its break, and the position in it
} line_view;

static line_view view(const source *s, place at) {
  const char *c = s->text, *end = s->text + s->length;
  for (int line = 1; line < at.line && c < end; c++)
    if (*c == '\n' || (*c == '\r' && !(c + 1 < end && c[1] == '\n'))) line++;
  line_view v = {c, c, c};
  while (v.end < end && *v.end != '\n' && *v.end != '\r') v.end++;
  for (int column = 1; column < at.column && v.at < v.end; column++)
    v.at += utf8_length((const unsigned char *)v.at, (size_t)(v.end - v.at));
  return v;
}

static int colons(line_view v) {
  int n = 0;
  for (const char *c = v.start; c < v.end && *c != '#'; c++) n += *c == ':' && (c + 1 == v.end || c[1] == ' ');
  return n;
}

static bool tab_in_indentation(line_view v) {
  for (const char *c = v.start; c < v.end && (*c == ' ' || *c == '\t'); c++)
    if (*c == '\t') return true;
  return false;
}

static bool first_on_line(line_view v) {
  for (const char *c = v.start; c < v.at; c++)
    if (*c != ' ' && *c != '-') return false;
  return true;
}

static bool not_yaml(reader *r, place at, const char *hint, const char *why) {
  return source_error(r->loader->error, CAROM_ERROR_MODEL, at, hint, "not valid YAML here: %s", why);
}

// Says in the words of someone who writes models what probably happened at this place.
static bool explain(reader *r, place at) {
  line_view v = view(r->source, at);
  char c = v.at < v.end ? *v.at : '\0', before = v.at > v.start ? v.at[-1] : '\0';
  const level *top = r->depth ? &r->levels[r->depth - 1] : NULL;
  bool in_flow = top && top->in_flow;
  if (tab_in_indentation(v) && first_on_line((line_view){v.start, v.end, v.start}))
    return not_yaml(r, (place){at.source, at.line, 1}, NULL, "a tab in the indentation; use blanks");
  if (c == '{' && before && !strchr(" ,[{:", before))
    return not_yaml(r, at, "inside { } or [ ] a name with an index must be in quotes: \"link{i}\"", "'{' in a name");
  bool after_quote = before == '"' || before == '\'';
  if (c == '"' || c == '\'' || after_quote)
    return not_yaml(r, (place){at.source, at.line, at.column - after_quote}, NULL,
                    "this quoted text is not closed, or something follows it");
  if (c == ',') return not_yaml(r, at, NULL, "a value is missing before ','");
  if ((c == '}' || c == ']') && !in_flow) return not_yaml(r, at, NULL, "there is nothing open to close");
  if (c && strchr("@`%|>!&*", c) && !in_flow)
    return not_yaml(r, at, "put the text in quotes", "a value cannot start like this");
  if (in_flow && v.end == r->source->text + r->source->length && c == '\0')
    return not_yaml(r, top->container->at, NULL, "this bracket is not closed");
  if (in_flow)
    return source_error(r->loader->error, CAROM_ERROR_MODEL, at, NULL,
                        "not valid YAML here: a ',' is missing before this, or the '%c' of line %d is not closed",
                        top->container->kind == VALUE_MAP ? '{' : '[', top->container->at.line);
  if (colons(v) == 0 && v.start < v.end)
    return not_yaml(r, at, "write 'key: value', with a blank after the colon", "a ':' is missing");
  if (colons(v) > 1 && !first_on_line(v))
    return not_yaml(r, at, "put the text in quotes, or the map in { }", "a second ':' on one line");
  line_view next = view(r->source, (place){r->source, at.line + 1, 1});
  if (next.start < next.end && !first_on_line(v) && (*next.start == ' ' || tab_in_indentation(next)))
    return not_yaml(r, (place){at.source, at.line + 1, 1}, "entries of one map start in the same column",
                    "the indentation does not fit the lines above");
  if (first_on_line(v))
    return not_yaml(r, at, "entries of one map start in the same column",
                    "the indentation does not fit the lines above");
  return not_yaml(r, at, NULL, "this does not fit what is before it");
}

// The position of the first error that libfyaml noted; its words are not used.
static bool syntax_error(reader *r) {
  void *iterator = NULL;
  const struct fy_diag_error *first = fy_diag_errors_iterate(r->diag, &iterator);
  return explain(r, first && first->line > 0 ? mark_place(r, first->line - 1, first->column - 1) : r->last);
}

// ---- events

static place start_of(reader *r, struct fy_event *event) {
  const struct fy_mark *mark = fy_event_start_mark(event);
  return mark ? mark_place(r, mark->line, mark->column) : r->last;
}

static bool refuse(reader *r, struct fy_event *event) {
  carom_error *error = r->loader->error;
  place at = start_of(r, event);
  if (event->type == FYET_ALIAS)
    return source_error(error, CAROM_ERROR_MODEL, at, "put shared values into parameters",
                        "aliases (*name) are not supported");
  if (fy_event_get_anchor_token(event))
    return source_error(error, CAROM_ERROR_MODEL, at, "put shared values into parameters",
                        "anchors (&name) are not supported");
  if (fy_event_get_tag_token(event))
    return source_error(error, CAROM_ERROR_MODEL, at, NULL, "tags (!name) are not supported");
  return true;
}

// A finished value goes into the innermost container.
static void attach(reader *r, value *v) {
  if (r->depth == 0) {
    r->root = v;
    return;
  }
  level *top = &r->levels[r->depth - 1];
  if (top->container->kind == VALUE_MAP) {
    v->key = top->key;
    v->key_at = top->key_at;
    top->key = NULL;
  }
  loader_append(r->loader, top->container, v);
}

static bool expects_key(const reader *r) {
  return r->depth && r->levels[r->depth - 1].container->kind == VALUE_MAP && !r->levels[r->depth - 1].key;
}

static bool on_key(reader *r, value *scalar, place at) {
  carom_error *error = r->loader->error;
  if (strcmp(scalar->text, "<<") == 0 && !scalar->quoted)
    return source_error(error, CAROM_ERROR_MODEL, at, "use include or parameters", "merge keys (<<) are not supported");
  if (scalar->text[0] == '\0') return source_error(error, CAROM_ERROR_MODEL, at, NULL, "a key is missing here");
  level *top = &r->levels[r->depth - 1];
  top->key = scalar->text;
  top->key_at = at;
  return true;
}

// A text in single quotes: '' is one quote, line breaks fold. Works in place, since the result is never longer.
// (libfyaml 0.7.12 leaks memory when it does this for many quotes in a row.)
static void unquote(char *text) {
  const char *c = text;
  char *out = text;
  while (*c) {
    if (*c == '\'') {
      *out++ = *c;
      c += c[1] == '\'' ? 2 : 1;
      continue;
    }
    size_t blanks = strspn(c, " \t\r\n"), breaks = 0;
    for (size_t i = 0; i < blanks; i++) breaks += c[i] == '\n' || (c[i] == '\r' && c[i + 1] != '\n');
    if (breaks == 0) {
      *out++ = *c++;
      continue;
    }
    if (breaks == 1) *out++ = ' ';
    while (breaks-- > 1) *out++ = '\n';
    c += blanks;
  }
  *out = '\0';
}

static const char *raw_text(const reader *r, struct fy_token *token, size_t *length) {
  const struct fy_mark *start = fy_token_start_mark(token), *end = fy_token_end_mark(token);
  *length = end->input_pos - start->input_pos;
  return r->source->text + r->start + start->input_pos;
}

static size_t begin_of(const reader *r, struct fy_event *event) {
  const struct fy_mark *mark = fy_event_start_mark(event);
  return r->start + (mark ? mark->input_pos : 0);
}

// Marks leave out quotes. A key without a value has no token: the value would stand behind its colon.
static void set_bytes(const reader *r, struct fy_event *event, value *v) {
  const struct fy_mark *start = fy_event_start_mark(event), *end = fy_event_end_mark(event);
  v->begin = r->last_end;
  if (!event->scalar.value || !start || !end) return;
  v->begin = begin_of(r, event) - v->quoted;
  v->length = r->start + end->input_pos + v->quoted - v->begin;
}

static bool on_scalar(reader *r, struct fy_event *event) {
  struct fy_token *token = event->scalar.value;
  enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;
  size_t length = 0;
  const char *text = NULL;
  if (token) text = style == FYSS_SINGLE_QUOTED ? raw_text(r, token, &length) : fy_token_get_text(token, &length);
  place at = start_of(r, event);
  carom_error *error = r->loader->error;
  if (length > MODEL_SCALAR_MAX)
    return source_error(error, CAROM_ERROR_MODEL, at, NULL, "this text is too long: %zu bytes, the limit is %d", length,
                        MODEL_SCALAR_MAX);
  if (text && memchr(text, '\0', length))
    return source_error(error, CAROM_ERROR_MODEL, at, NULL, "a zero byte in the text");
  if (!loader_count(r->loader, at, length)) return false;
  value *v = loader_scalar(r->loader, text, text ? length : 0, at);
  if (style == FYSS_SINGLE_QUOTED) unquote((char *)v->text);
  v->quoted = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
  set_bytes(r, event, v);
  if (expects_key(r)) return on_key(r, v, at);
  attach(r, v);
  return true;
}

static bool on_open(reader *r, struct fy_event *event) {
  carom_error *error = r->loader->error;
  place at = start_of(r, event);
  if (expects_key(r))
    return source_error(error, CAROM_ERROR_MODEL, at, NULL, "a key must be plain text, not a map or a list");
  if (r->depth == MODEL_DEPTH_MAX)
    return source_error(error, CAROM_ERROR_MODEL, at, NULL, "maps and lists are nested too deeply: the limit is %d",
                        MODEL_DEPTH_MAX);
  if (!loader_count(r->loader, at, 0)) return false;
  bool is_map = event->type == FYET_MAPPING_START;
  value *v = loader_new(r->loader, is_map ? VALUE_MAP : VALUE_LIST, at);
  attach(r, v);
  struct fy_token *token = is_map ? event->mapping_start.mapping_start : event->sequence_start.sequence_start;
  enum fy_token_type type = token ? fy_token_get_type(token) : FYTT_NONE;
  r->levels[r->depth++] =
      (level){.container = v, .in_flow = type == FYTT_FLOW_MAPPING_START || type == FYTT_FLOW_SEQUENCE_START};
  v->begin = begin_of(r, event);
  return true;
}

static bool on_close(reader *r, struct fy_event *event) {
  const level *top = &r->levels[--r->depth];
  value *closed = top->container;
  const struct fy_mark *end = fy_event_end_mark(event);
  if (top->in_flow && end) closed->length = r->start + end->input_pos - closed->begin;
  return closed->kind != VALUE_MAP || loader_check_keys(r->loader, closed);
}

static bool on_event(reader *r, struct fy_event *event) {
  if (!refuse(r, event)) return false;
  switch (event->type) {
    case FYET_SCALAR: return on_scalar(r, event);
    case FYET_MAPPING_START:
    case FYET_SEQUENCE_START: return on_open(r, event);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: return on_close(r, event);
    case FYET_DOCUMENT_START:
      if (!r->root) return true;
      return source_error(r->loader->error, CAROM_ERROR_MODEL, start_of(r, event), NULL,
                          "a second document begins here: one file holds one model");
    default: return true;
  }
}

static bool read_events(reader *r) {
  while ((r->event = fy_parser_parse(r->parser))) {
    bool ok = on_event(r, r->event);
    const struct fy_mark *end = fy_event_end_mark(r->event);
    if (end) r->last = mark_place(r, end->line, end->column), r->last_end = r->start + end->input_pos;
    fy_parser_event_free(r->parser, r->event);
    r->event = NULL;
    if (!ok) return false;
  }
  return fy_parser_get_stream_error(r->parser) ? syntax_error(r) : true;
}

static void print_nothing(struct fy_diag *diag, void *user, const char *text, size_t length) {
  (void)diag, (void)user, (void)text, (void)length;
}

// Errors are collected, which leaves out the display of their context.
static bool open_parser(reader *r, const char *text, size_t length) {
  struct fy_diag_cfg quiet;
  fy_diag_cfg_default(&quiet);
  quiet.fp = NULL;
  quiet.output_fn = print_nothing;
  quiet.colorize = false;
  r->diag = fy_diag_create(&quiet);
  if (!r->diag) return false;
  fy_diag_set_collect_errors(r->diag, true);
  struct fy_parse_cfg cfg = {.diag = r->diag,
                             .flags = FYPCF_QUIET | FYPCF_COLLECT_DIAG | FYPCF_DISABLE_DEPTH_LIMIT |
                                      FYPCF_SLOPPY_FLOW_INDENTATION | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE};
  r->parser = fy_parser_create(&cfg);
  return r->parser && fy_parser_set_string(r->parser, text, length) == 0;
}

static void close_parser(reader *r) {
  if (r->event) fy_parser_event_free(r->parser, r->event);
  if (r->parser) fy_parser_destroy(r->parser);
  if (r->diag) fy_diag_destroy(r->diag);
}

// Running out of memory unwinds through here, so that the parser is never left behind.
static bool read_guarded(reader *r, const char *text, size_t length) {
  arena *memory = r->loader->memory;
  jmp_buf *outer = memory->out_of_memory, inner;
  if (setjmp(inner)) {
    memory->out_of_memory = outer;
    close_parser(r);
    longjmp(*outer, 1);
  }
  memory->out_of_memory = &inner;
  if (!open_parser(r, text, length)) longjmp(inner, 1);
  bool ok = read_events(r);
  memory->out_of_memory = outer;
  close_parser(r);
  return ok;
}

value *yaml_read(loader *l, const source *text, size_t start) {
  reader *r = ARENA_NEW(l->memory, reader);
  *r = (reader){.loader = l, .source = text, .start = start};
  for (size_t i = 0; i < start; i++) r->first_column += !is_continuation((unsigned char)text->text[i]);
  r->last = (place){text, 1, r->first_column + 1};
  if (!check_bytes(r, start)) return NULL;
  if (text->length == start) return loader_scalar(l, "", 0, r->last);
  if (!read_guarded(r, text->text + start, text->length - start)) return NULL;
  return r->root ? r->root : loader_scalar(l, "", 0, r->last);
}
