// carom example: models that read other files.
#include "tool.h"

// The page of the model alone would not run. What it needs goes to the standard error, so that a pipe keeps the model.
static void a_model_tells_what_it_reads(void) {
  CHECK_EQUAL(carom("example hexapod-flat"), 0);
  CHECK_CONTAINS(out, "include: parts/hexapod.yaml");
  CHECK_CONTAINS(err, "hexapod-flat.csv and parts/hexapod.yaml");
  CHECK_CONTAINS(err, "carom example hexapod-flat -o DIR");
  CHECK_EQUAL(carom("example pendulum"), 0);
  CHECK_TEXT(err, "");
}

static void a_model_is_written_with_what_it_reads(void) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s", scratch("copy/here"));
  CHECK_EQUAL(carom("example hexapod-flat -o '%s'", folder), 0);
  CHECK_CONTAINS(out, "copy/here/parts/hexapod.yaml");
  CHECK(exists("copy/here/hexapod-flat.yaml") && exists("copy/here/hexapod-flat.csv"));
  CHECK_EQUAL(carom("check '%s/hexapod-flat.yaml'", folder), 0);
  static const char *const others[] = {"blade", "tuning-fork"};
  for (int i = 0; i < 2; i++) {
    CHECK_EQUAL(carom("example %s -o '%s'", others[i], folder), 0);
    CHECK_EQUAL(carom("check '%s/%s.yaml'", folder, others[i]), 0);
  }
  // both robots read the same part
  CHECK_EQUAL(carom("example hexapod-stairs -o '%s'", folder), 0);
  CHECK_EQUAL(carom("check '%s/hexapod-stairs.yaml'", folder), 0);
  CHECK_EQUAL(carom("example hexapod-flat -o '%s'", folder), 0);
}

static void a_changed_file_is_kept(void) {
  char path[4096];
  snprintf(path, sizeof path, "%s", scratch("pendulum.yaml"));
  CHECK(write_text(path, "mine\n"));
  CHECK_EQUAL(carom("example pendulum -o '%s'", check_scratch_dir()), 3);
  CHECK_CONTAINS(err, "is there already");
  char *kept = read_file(path, NULL);
  CHECK_TEXT(kept, "mine\n");
  free(kept);
  CHECK_EQUAL(carom("example pendulum -o /dev/null/no"), 3);
  CHECK_CONTAINS(err, "cannot write");
  CHECK_EQUAL(carom("example -o ."), 2);
}

int main(void) {
  RUN(a_model_tells_what_it_reads);
  RUN(a_model_is_written_with_what_it_reads);
  RUN(a_changed_file_is_kept);
  forget_output();
  return check_summary();
}
