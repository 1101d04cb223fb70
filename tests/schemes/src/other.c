// moreau_step and "moreau" in a comment are free,
/* as here: "event"
   event_find() */
#include "scheme/event.h"                // found
bool a = strcmp(method, "moreau") == 0;  // found
const scheme_type *b = &scheme_moreau;   // found
int c = smooth_step();                   // found
const char *d = "use moreau or event, see http://example.org/\"moreau\"";
carom_status e = carom_def_moreau(def, &options);  // found
size_t f = sizeof(carom_moreau_def);               // found
if (e->type == &clearance_guide) size = d->width;  // found
if (strcmp(kind, "socket") == 0) put_orbit();      // found
if (strcasecmp(kind, "socket") == 0) put_orbit();  // found
if (is_kind(part, "gear")) put_teeth();            // found
if (equal(part->kind, "stop")) put_limit();        // found
if (e->type == &contact_stop) put_limit();         // found
if (f->shape == SHAPE_BOX) put_corners();          // found
put_text("kind", "socket");
