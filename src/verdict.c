// The verdict on a run that has just ended: the judge of records reads it as if it had been recorded.
#include <stdlib.h>

#include "base/error.h"
#include "report/verdict.h"
#include "scene.h"
#include "summary.h"

struct carom_verdict {
  arena memory;
  verdict lines;
};

static void judge(carom_verdict *v, const carom_model *model, const carom_summary *summary) {
  json_writer w = json_begin(&v->memory);
  summary_write(&w, summary, NULL);
  verdict_facts facts = {.summary = json_read(&v->memory, w.out.text),
                         .scene = json_read(&v->memory, scene_write_facts(&v->memory, model)),
                         .method = model->scheme->name,
                         .t1 = summary->t,
                         .can_touch = contact_can_touch(&model->contacts)};
  v->lines = verdict_judge(&v->memory, &facts);
}

carom_verdict *carom_judge(const carom_model *model, const carom_summary *summary, carom_error *error) {
  error_clear(error);
  jmp_buf out_of_memory;
  carom_verdict *volatile v = calloc(1, sizeof *v);
  volatile bool failed = !v;
  if (v && setjmp(out_of_memory)) failed = true;
  if (failed) {
    carom_verdict_destroy(v);
    error_set(error, CAROM_ERROR_MEMORY, "out of memory for the verdict");
    return NULL;
  }
  v->memory = arena_create(&out_of_memory);
  judge(v, model, summary);
  v->memory.out_of_memory = NULL;
  return v;
}

carom_check carom_verdict_check(const carom_verdict *v, int i) {
  return i >= 0 && i < v->lines.count ? v->lines.checks[i] : (carom_check){0};
}

carom_level carom_verdict_level(const carom_verdict *v) {
  carom_level worst = CAROM_GOOD;
  for (int i = 0; i < v->lines.count; i++)
    if (v->lines.checks[i].level > worst) worst = v->lines.checks[i].level;
  return worst;
}

void carom_verdict_destroy(carom_verdict *v) {
  if (!v) return;
  arena_free(&v->memory);
  free(v);
}
