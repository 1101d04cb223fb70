// Reading the model a command names.
#ifndef TOOL_LOAD_H
#define TOOL_LOAD_H

#include "args.h"

// Null after complaining, with the exit code. `end` (may be null) stands for the model's key of that name.
carom_model *load_model(const char *path, setting_list *settings, const char *end, int *code);

#endif
