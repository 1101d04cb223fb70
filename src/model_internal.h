// The compiled model behind the opaque type.
#ifndef MODEL_INTERNAL_H
#define MODEL_INTERNAL_H

#include "carom/carom.h"
#include "contact/contact.h"
#include "definition.h"
#include "mechanics/assemble.h"
#include "mechanics/mechanism.h"

typedef struct output {
  const char *name;
  function f;
} output;

// Signals of each contact element.
enum { CONTACT_GAP, CONTACT_FN, CONTACT_FT, CONTACT_MODE, CONTACT_X, CONTACT_Y, CONTACT_Z, CONTACT_SIGNALS };
extern const char *const contact_signal_names[CONTACT_SIGNALS], *const contact_signal_units[CONTACT_SIGNALS];

struct carom_model {
  arena memory;
  carom_def *def;            // what it was compiled from, kept when it came from a file
  mechanism m;
  const mechanism *twin;     // of a model in absolute coordinates or with floating bodies: the same with a joint to each node; else null
  carom_model_def about;
  carom_integrator_def integrator;
  carom_smooth_def smooth;
  carom_moreau_def moreau;
  carom_event_def event;
  carom_compliant_def compliant;
  carom_record_def record;
  const char *method;
  contact_set contacts;
  const char **contact_names;  // of their signals, CONTACT_SIGNALS an element
  output *outputs;
  int output_count;
  assembly_report assembly;
};

#endif
