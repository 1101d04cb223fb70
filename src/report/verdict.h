// How far to trust a run: one function for the tool and the report. It reads the summary and the scene as the record
// has them.
#ifndef REPORT_VERDICT_H
#define REPORT_VERDICT_H

#include "base/json.h"
#include "carom/carom.h"

typedef struct verdict_facts {
  const json_value *summary;  // null if the run has not ended, or was killed
  const json_value *scene;    // null if the record is an old one without it
  const char *method;         // may be null
  double t1;                  // the last recorded time [s]
  bool running;               // of a run without a summary
  bool can_touch;             // there are contacts
} verdict_facts;

typedef struct verdict {
  arena *memory;
  carom_check *checks;  // the sentence of each is alive as long as the memory
  int count, capacity;
} verdict;

verdict verdict_judge(arena *memory, const verdict_facts *facts);

#endif
