#include "talk.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool is_terminal(FILE *to) {
  const char *kind = getenv("TERM");
  return isatty(fileno(to)) && !(kind && strcmp(kind, "dumb") == 0);
}

const char *style(FILE *to, text_style wanted) {
  static const char *const sequences[] = {"\033[0m", "\033[1m", "\033[1;31m", "\033[33m"};
  const char *refused = getenv("NO_COLOR");
  return (refused && *refused) || !is_terminal(to) ? "" : sequences[wanted];
}

int tell_error(const carom_error *error) {
  fprintf(stderr, "%s\n", error->text);
  return carom_status_exit_code(error->status);
}

int tell_out_of_memory(void) {
  fprintf(stderr, "%serror:%s out of memory\n", style(stderr, STYLE_ERROR), style(stderr, STYLE_PLAIN));
  return carom_status_exit_code(CAROM_ERROR_MEMORY);
}

const char *grouped(long n, char buffer[32]) {
  char digits[32];
  int length = snprintf(digits, sizeof digits, "%ld", n), used = 0;
  for (int i = 0; i < length; i++) {
    if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0) buffer[used++] = ' ';
    buffer[used++] = digits[i];
  }
  buffer[used] = 0;
  return buffer;
}
