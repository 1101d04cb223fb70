// How the tool speaks: styles on terminals that want them, errors, numbers.
#ifndef TOOL_TALK_H
#define TOOL_TALK_H

#include <stdbool.h>
#include <stdio.h>

#include "carom/carom.h"

typedef enum text_style { STYLE_PLAIN, STYLE_STRONG, STYLE_ERROR, STYLE_WARNING } text_style;

bool is_terminal(FILE *to);
// The sequence that switches to a style, empty where there is no colour: not a terminal, or NO_COLOR is set.
const char *style(FILE *to, text_style wanted);

// Prints the report as it is and returns the exit code that belongs to it.
int tell_error(const carom_error *error);
int tell_out_of_memory(void);

// Counts in groups of three: 1 234 567.
const char *grouped(long n, char buffer[32]);

#endif
