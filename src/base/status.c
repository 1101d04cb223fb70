#include "carom/status.h"

const char *carom_status_text(carom_status status) {
  switch (status) {
#define X(name, code, text) \
  case CAROM_##name: return text;
    CAROM_STATUS_LIST(X)
#undef X
  }
  return "unknown status";
}

int carom_status_exit_code(carom_status status) {
  switch (status) {
#define X(name, code, text) \
  case CAROM_##name: return code;
    CAROM_STATUS_LIST(X)
#undef X
  }
  return 1;
}
