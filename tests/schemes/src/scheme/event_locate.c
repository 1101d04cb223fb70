// Own files are free, and cores are for all.
#include "scheme/event.h"
#include "scheme/flow.h"
const char *name = "event";
int x = event_find() + flow_step() + (int)sizeof scheme_event;
