// Joints with clearance. Each kind is a small file: the contact that replaces one ideal joint in the plane or in space,
// and the sizes that it takes from the definition of the joint.
#ifndef CONTACT_CLEARANCE_H
#define CONTACT_CLEARANCE_H

#include "carom/define.h"
#include "contact/contact.h"

typedef struct clearance_type {
  const contact_type *contact;
  const joint_type *joint;  // the ideal joint that it replaces
  bool planar;              // in the plane; else in space
  // Returns whether the sizes that it cannot do without are given; if not, `lacks` completes the message "'name':
  // clearance ..." and `hint` says what to add. May be null if it needs none.
  bool (*is_complete)(const carom_joint_def *d);
  const char *lacks, *hint;
  // Sets sizes of the inner part, and of the outer one where it has its own.
  void (*set_sizes)(contact_element *e, const carom_joint_def *d);
  const char *round_part;  // "journal's": its inner part, at whose radius friction acts; null if it is not round
} clearance_type;

// All of them.
const clearance_type *const *clearance_types(int *count);
// The one that replaces a joint. Returns null if that joint cannot have clearance.
const clearance_type *clearance_find(const joint_type *joint, bool planar);

// What several share: the message of a start beyond the clearance; sizes of a round inner part without a length.
void clearance_tell_overlap(const contact_element *e, double depth, char text[CONTACT_TEXT]);
void clearance_set_radius(contact_element *e, const carom_joint_def *d);
bool clearance_is_slider_complete(const carom_joint_def *d);
#define CLEARANCE_SLIDER_LACKS "needs the slider's 'length' and 'width'"
#define CLEARANCE_SLIDER_HINT  "add length: and width:"

#endif
