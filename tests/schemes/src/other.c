// moreau_step and "moreau" in a comment are free,
/* as here: "event"
   event_find() */
#include "scheme/event.h"                            // found
bool a = strcmp(method, "moreau") == 0;              // found
const scheme_type *b = &scheme_moreau;               // found
int c = smooth_step();                               // found
const char *d = "use moreau or event, see http://example.org/\"moreau\"";
carom_status e = carom_def_moreau(def, &(carom_moreau_def){0});
if (e->type == &clearance_guide) size = d->width;    // found
if (strcmp(kind, "socket") == 0) put_orbit();        // found
put_text("kind", "socket");
