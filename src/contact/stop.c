// A limit of a joint's coordinate: gap = sense (q - limit), sense +1 for a lower limit and -1 for an upper one.
#include <stdio.h>

#include "contact/contact.h"
#include "mechanics/coordinate.h"
#include "mechanics/rows.h"

static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *p) {
  *p = (contact_point){.gap = e->sense * (coordinate_value(m, x, e->of) - e->limit),
                       .speed = coordinate_speed(m, e->of),
                       .sense = e->sense};
}

static void add_normal(const mechanism *m, motion *x, const contact_element *e, const contact_point *p) {
  if (p->speed >= 0) {
    rows_add_speed(m, x, p->speed, p->sense);
    return;
  }
  rows_add_coordinate(m, x, e->of, p->sense);
}

static double gap_rate(const mechanism *m, const motion *x, const contact_element *e) {
  return e->sense * coordinate_rate(m, x, e->of);
}

static void push(const mechanism *m, motion *x, const contact_element *e, double normal) {
  coordinate_push(m, x, e->of, e->sense * normal);
}

static bool turns(const mechanism *m, const contact_element *e) { return !coordinate_slides(m, e->of); }

static void tell_overlap(const contact_element *e, double depth, char text[CONTACT_TEXT]) {
  (void)e;
  snprintf(text, CONTACT_TEXT, "the joint starts %.4g beyond its stop", depth);
}

static const contact_action action = {add_normal, gap_rate, push, turns};

const contact_type contact_stop = {.name = "stop",
                                   .point_count = 1,
                                   .point_count_planar = 1,
                                   .frictionless = true,
                                   .reads_coordinate = true,
                                   .evaluate = evaluate,
                                   .tell_overlap = tell_overlap,
                                   .action = &action};
