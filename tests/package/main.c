// What a user of the installed package writes first.
#include <carom/version.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  printf("carom %s\n", carom_version());
  return strcmp(carom_version(), CAROM_VERSION) != 0;  // header and library must be of one version
}
