// The list of joints with clearance, and what several of them share.
#include "contact/clearance.h"

#include <stddef.h>
#include <stdio.h>

extern const clearance_type clearance_guide, clearance_channel, clearance_bearing, clearance_journal, clearance_socket;

static const clearance_type *const all[] = {
    &clearance_guide,    // slider in a guide, in the plane: four corners against two walls
    &clearance_channel,  // the same in space: eight corners against four walls
    &clearance_bearing,  // journal in a bearing, in the plane
    &clearance_journal,  // the same in space: both its ends, and shoulders along the axis
    &clearance_socket,   // ball in a socket
};
enum { COUNT = sizeof all / sizeof *all };

const clearance_type *const *clearance_types(int *count) {
  *count = COUNT;
  return all;
}

const clearance_type *clearance_find(const joint_type *joint, bool planar) {
  for (int i = 0; i < COUNT; i++)
    if (all[i]->joint == joint && all[i]->planar == planar) return all[i];
  return NULL;
}

void clearance_tell_overlap(const contact_element *e, double depth, char text[CONTACT_TEXT]) {
  snprintf(text, CONTACT_TEXT, "the joint starts %.4g m beyond its clearance of %.4g m", depth, e->clearance);
}

void clearance_set_radius(contact_element *e, const carom_joint_def *d) { e->size_second[0] = d->radius; }

bool clearance_is_slider_complete(const carom_joint_def *d) { return d->length > 0 && d->width > 0; }
