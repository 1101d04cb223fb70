#include "carom/version.h"

const char *carom_version(void) { return CAROM_VERSION; }
