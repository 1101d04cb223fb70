// A limit of a joint's coordinate: gap = sense (q - limit), sense +1 for a lower limit and -1 for an upper one.
#include "contact/contact.h"
#include "mechanics/coordinate.h"

static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *p) {
  *p = (contact_point){.gap = e->sense * (coordinate_value(m, x, e->of) - e->limit),
                       .speed = coordinate_speed(m, e->of), .sense = e->sense};
}

const contact_type contact_stop = {.name = "stop", .frictionless = true, .evaluate = evaluate};
