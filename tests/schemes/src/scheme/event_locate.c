// Own files are free, and the core of the first scheme is for all.
#include "scheme/event.h"
#include "scheme/smooth.h"
const char *name = "event";
int x = event_find() + smooth_step() + (int)sizeof scheme_event;
