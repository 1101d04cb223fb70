// Command lines by table: one line an option makes its parsing, its checks and its help.
#ifndef TOOL_ARGS_H
#define TOOL_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "carom/carom.h"

enum { EXIT_USAGE = 2, EXIT_FILE = 3 };

typedef enum arg_kind {
  ARG_OPERAND,   // const char *: a word without dash
  ARG_OPERANDS,  // word_list: all such words that are left
  ARG_FLAG,      // bool
  ARG_TEXT,      // const char *
  ARG_TEXTS,     // word_list: as often as wanted
  ARG_SETTING,   // setting_list: name=value, as often as wanted
} arg_kind;

typedef struct arg {
  const char *name;  // "--output"; of an operand "MODEL"
  char letter;       // of -o, or 0
  arg_kind kind;
  const char *value;  // what the value is called in the help: "FILE"
  size_t offset;      // in the command's own struct
  bool required;      // of an operand
  const char *help;
} arg;

typedef struct word_list {
  const char **items;  // the caller's, with room for every word of the command line
  int count;
} word_list;

typedef struct setting_list {
  carom_setting *items;  // one block with the texts
  int count;
} setting_list;

typedef struct command {
  const char *name;
  const char *summary;  // one line
  const char *details;  // further paragraphs of its help, or null
  const arg *args;
  int count;
  int (*run)(int argc, char **argv);  // what follows the command's name; returns the exit code
} command;

// Fills `target` (zeroed by the caller) from the words. Returns -1 to go on, or the exit code to leave with: after
// complaining, or after printing the help that was asked for.
int args_parse(const command *c, int argc, char **argv, void *target);
void settings_free(setting_list *list);
// A whole number from the text of an option, which may be null and then leaves the number as it is. Returns false after
// complaining.
bool args_count(const char *command_name, const char *option, const char *text, unsigned long long least,
                unsigned long long most, unsigned long long *to);

void command_help(const command *c);  // on the standard output
int usage_error(const char *command_name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
