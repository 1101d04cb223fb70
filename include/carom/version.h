// The version, stated here and nowhere else: the build reads it from this file.
#ifndef CAROM_VERSION_H
#define CAROM_VERSION_H

#include "carom/export.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CAROM_VERSION "0.1.0"

// Version of the library that is running; CAROM_VERSION is that of the header compiled against.
CAROM_API const char *carom_version(void);

#ifdef __cplusplus
}
#endif
#endif
