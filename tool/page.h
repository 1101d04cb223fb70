// The built page of viewer/, put into the tool when it is built.
#ifndef TOOL_PAGE_H
#define TOOL_PAGE_H

#include <stddef.h>

extern const unsigned char page_text[];  // ends with a zero that does not count
extern const size_t page_length;

#endif
