// The built page of viewer/, put into the library when it is built.
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stddef.h>

extern const unsigned char report_page_text[];  // ends with a zero that does not count
extern const size_t report_page_length;

#endif
