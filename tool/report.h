// What `carom report` and `carom run --report` share.
#ifndef TOOL_REPORT_H
#define TOOL_REPORT_H

#include "carom/carom.h"

// Writes the page and returns the exit code, after complaining when it could not.
int report_write(const char *const *runs, int count, const char *path, bool force);

#endif
