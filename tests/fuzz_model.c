// Any bytes as a whole model: read, built, assembled, and if that succeeds moved for a moment. Nothing may crash, leak
// or hang; what is refused has a status and a message.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "carom/carom.h"

static void move_a_little(const carom_model *model) {
  carom_error error = {0};
  carom_sim *sim = carom_sim_create(model, &error);
  if (!sim && error.status == CAROM_OK) abort();
  for (int i = 0; sim && i < 3; i++)
    if (carom_sim_step(sim, 1e-3, &error) != CAROM_OK) break;
  if (sim) carom_sim_read(sim, carom_model_signal_count(model) - 1);
  carom_sim_destroy(sim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text) return 0;
  if (size) memcpy(text, data, size);
  text[size] = 0;
  // Unrolling is for the document's fuzzer, and a fine mesh takes many seconds to reduce: here both would only make the
  // run slow.
  if (!strstr(text, "repeat") && !strstr(text, "refine")) {
    carom_error error = {0};
    carom_model *model = carom_model_parse(text, "fuzz.yaml", &error);
    if (!model && (error.status == CAROM_OK || error.text[0] == '\0')) abort();
    if (model && carom_model_get_info(model).bodies < 50) move_a_little(model);
    carom_model_destroy(model);
  }
  free(text);
  return 0;
}
