// The compiled model behind the opaque type.
#ifndef MODEL_INTERNAL_H
#define MODEL_INTERNAL_H

#include "carom/carom.h"
#include "definition.h"
#include "mechanics/assemble.h"
#include "mechanics/mechanism.h"

typedef struct output {
  const char *name;
  function f;
} output;

struct carom_model {
  arena memory;
  carom_def *def;            // what it was compiled from, kept when it came from a file
  mechanism m;
  const mechanism *twin;     // in joint coordinates, of a model in absolute ones; else null
  carom_model_def about;
  carom_integrator_def integrator;
  carom_smooth_def smooth;
  carom_record_def record;
  const char *method;
  output *outputs;
  int output_count;
  assembly_report assembly;
};

#endif
