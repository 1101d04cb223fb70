#include "args.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "talk.h"

// --- complaints and help ---------------------------------------------------------------------------------------------

int usage_error(const char *command_name, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%serror:%s ", style(stderr, STYLE_ERROR), style(stderr, STYLE_PLAIN));
  vfprintf(stderr, format, args);
  va_end(args);
  if (command_name) fprintf(stderr, "\ntry: carom help %s\n", command_name);
  else fprintf(stderr, "\ntry: carom help\n");
  return EXIT_USAGE;
}

static bool is_operand(const arg *a) { return a->kind == ARG_OPERAND || a->kind == ARG_OPERANDS; }

static void print_usage(const command *c) {
  printf("%susage:%s carom %s", style(stdout, STYLE_STRONG), style(stdout, STYLE_PLAIN), c->name);
  bool options = false;
  for (int i = 0; i < c->count; i++) options |= !is_operand(&c->args[i]);
  for (int i = 0; i < c->count; i++) {
    if (!is_operand(&c->args[i])) continue;
    printf(c->args[i].required ? " %s" : " [%s]", c->args[i].name);
    if (c->args[i].kind == ARG_OPERANDS) printf("...");
  }
  printf(options ? " [option]...\n" : "\n");
}

void command_help(const command *c) {
  print_usage(c);
  printf("\n%s\n", c->summary);
  if (c->details) printf("\n%s\n", c->details);
  printf("\n");
  for (int i = 0; i < c->count; i++) {
    const arg *a = &c->args[i];
    char left[64];
    if (is_operand(a)) snprintf(left, sizeof left, "%s", a->name);
    else
      snprintf(left, sizeof left, "%s%c%s%s%s%s", a->letter ? "-" : "  ", a->letter ? a->letter : ' ',
               a->letter ? ", " : " ", a->name, a->value ? " " : "", a->value ? a->value : "");
    printf("  %-26s %s\n", left, a->help);
  }
  printf("  %-26s %s\n", "-h, --help", "this text");
}

// --- parsing ---------------------------------------------------------------------------------------------------------

typedef struct parser {
  const command *command;
  int argc, next;
  char **argv;
  char *target;
} parser;

static const arg *find_option(const command *c, const char *word, size_t length) {
  for (int i = 0; i < c->count; i++) {
    const arg *a = &c->args[i];
    if (is_operand(a)) continue;
    if (a->letter && length == 2 && word[0] == '-' && word[1] == a->letter) return a;
    if (strlen(a->name) == length && strncmp(a->name, word, length) == 0) return a;
  }
  return NULL;
}

static int unknown_option(const command *c, const char *word) {
  const char *names[32];
  int count = 0;
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
  for (int i = 0; i < c->count && count < 32; i++)
    if (!is_operand(&c->args[i])) names[count++] = c->args[i].name;
  const char *near = carom_nearest_word(name, names, count);
  if (near) return usage_error(c->name, "carom %s has no option '%s'; did you mean '%s'?", c->name, name, near);
  return usage_error(c->name, "carom %s has no option '%s'", c->name, name);
}

// Splits `name=value` in a block of its own: the list's items and their texts.
static int add_setting(const command *c, setting_list *list, const char *text) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text) return usage_error(c->name, "'%s' is not name=value", text);
  carom_setting *items = realloc(list->items, (size_t)(list->count + 1) * sizeof *items);
  if (items) list->items = items;
  char *copy = items ? strdup(text) : NULL;
  if (!copy) return usage_error(c->name, "out of memory");
  copy[equals - text] = 0;
  list->items[list->count++] = (carom_setting){copy, copy + (equals - text) + 1};
  return -1;
}

void settings_free(setting_list *list) {
  for (int i = 0; i < list->count; i++) free((char *)list->items[i].name);  // name and value are one block
  free(list->items);
  *list = (setting_list){0};
}

bool args_count(const char *command_name, const char *option, const char *text, unsigned long long least,
                unsigned long long most, unsigned long long *to) {
  if (!text) return true;
  char *rest;
  errno = 0;
  *to = strtoull(text, &rest, 10);
  if (rest != text && !*rest && !errno && !strchr(text, '-') && *to >= least && *to <= most) return true;
  usage_error(command_name, "%s is '%s', but must be a whole number from %llu to %llu", option, text, least, most);
  return false;
}

static int take_option(parser *p, const char *word) {
  const command *c = p->command;
  const char *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
  size_t length = equals ? (size_t)(equals - word) : word[1] == '-' ? strlen(word) : 2;
  const arg *a = find_option(c, word, length);
  if (!a) return unknown_option(c, word);
  const char *value = equals ? equals + 1 : word[length] ? word + length : NULL;
  if (a->kind == ARG_FLAG) {
    if (value) return usage_error(c->name, "'%s' takes no value", a->name);
    *(bool *)(p->target + a->offset) = true;
    return -1;
  }
  if (!value && p->next < p->argc) value = p->argv[p->next++];
  if (!value) return usage_error(c->name, "'%s' needs a value: %s %s", a->name, a->name, a->value);
  if (a->kind == ARG_SETTING) return add_setting(c, (setting_list *)(p->target + a->offset), value);
  if (a->kind == ARG_TEXTS) {
    word_list *words = (word_list *)(p->target + a->offset);
    words->items[words->count++] = value;
    return -1;
  }
  const char **text = (const char **)(p->target + a->offset);
  if (*text) return usage_error(c->name, "'%s' is given twice", a->name);
  *text = value;
  return -1;
}

static int take_operand(parser *p, const char *word) {
  const command *c = p->command;
  for (int i = 0; i < c->count; i++) {
    if (c->args[i].kind == ARG_OPERANDS) {
      word_list *words = (word_list *)(p->target + c->args[i].offset);
      words->items[words->count++] = word;
      return -1;
    }
    if (c->args[i].kind != ARG_OPERAND) continue;
    const char **text = (const char **)(p->target + c->args[i].offset);
    if (*text) continue;
    *text = word;
    return -1;
  }
  return usage_error(c->name, "carom %s takes no argument '%s'", c->name, word);
}

int args_parse(const command *c, int argc, char **argv, void *target) {
  parser p = {.command = c, .argc = argc, .argv = argv, .target = target};
  bool only_operands = false;
  while (p.next < argc) {
    const char *word = argv[p.next++];
    int code = -1;
    bool option = !only_operands && word[0] == '-' && word[1];
    if (option && strcmp(word, "--") == 0) {
      only_operands = true;
    } else if (option && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
      command_help(c);
      return 0;
    } else {
      code = option ? take_option(&p, word) : take_operand(&p, word);
    }
    if (code >= 0) return code;
  }
  for (int i = 0; i < c->count; i++) {
    const arg *a = &c->args[i];
    bool missing = a->kind == ARG_OPERANDS ? !((word_list *)(p.target + a->offset))->count
                                           : a->kind == ARG_OPERAND && !*(const char **)(p.target + a->offset);
    if (missing && a->required) return usage_error(c->name, "carom %s needs %s", c->name, a->name);
  }
  return -1;
}
