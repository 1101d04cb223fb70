// The summary of a run as JSON.
#ifndef SUMMARY_H
#define SUMMARY_H

#include "base/json.h"
#include "carom/carom.h"

// `why`: the reason why the run did not reach its end. May be null.
void summary_write(json_writer *w, const carom_summary *s, const char *why);

#endif
