// What a model looks like, as text: written into the record when a run starts, so that a report needs the run alone.
#ifndef SCENE_H
#define SCENE_H

#include "build/model_internal.h"

// JSON; viewer/FORMAT.md says what is in it. Columns are not: a report finds them by their names.
const char *scene_write(arena *memory, const carom_model *model);
// The part of it that a verdict reads: options, remarks, length and contacts.
const char *scene_write_facts(arena *memory, const carom_model *model);

#endif
