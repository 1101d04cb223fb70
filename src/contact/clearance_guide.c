// A slider of length 2a and width 2b in a guide with clearance c on each side: its four corners against two walls at
// y = ±(b + c) in the guide's axes. Paper 004, figure 8: free, one corner, the two corners of one side (a whole face),
// two opposite corners.
#include <stddef.h>

#include "contact/contact.h"
#include "contact/frame.h"
#include "mechanics/marker.h"

// Corner k: along x by the sign of bit 0, towards the upper wall (bit 1 set) or the lower one. The guide is the first
// body: the normal points into its wall.
static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_state guide = marker_read(m, x, e->first), slider = marker_read(m, x, e->second);
  double a = 0.5 * e->size_second[0], b = 0.5 * e->size_second[1];
  vec3 up = mat3_column(guide.R, 1);
  for (int k = 0; k < 4; k++) {
    double side = k & 2 ? 1 : -1;
    vec3 corner = vec3_add(slider.p, mat3_mul(slider.R, (vec3){k & 1 ? a : -a, side * b, 0}));
    contact_point *p = &points[k];
    p->gap = b + e->clearance - side * vec3_dot(up, vec3_sub(corner, guide.p));
    p->node_first = guide.node, p->node_second = slider.node;
    vec3 n = vec3_scale(side, up);
    p->at = corner;
    contact_set_frame(m, p, n);
  }
}

static void curvatures(const contact_element *e, double radius[2]) {
  (void)e;
  radius[0] = CONTACT_FLAT, radius[1] = CONTACT_SHARP;
}

enum { FREE, ONE_CORNER, FACE, OPPOSITE_CORNERS, JAMMED };
static const char *const mode_names[] = {"free", "one corner", "face", "opposite corners", "jammed", NULL};

static int mode(const contact_element *e, const bool *active) {
  (void)e;
  int lower = active[0] + active[1], upper = active[2] + active[3];
  if (lower + upper <= 1) return lower + upper ? ONE_CORNER : FREE;
  if (lower + upper > 2) return JAMMED;
  return lower == 2 || upper == 2 ? FACE : OPPOSITE_CORNERS;
}

const contact_type contact_guide = {.name = "guide", .evaluate = evaluate, .mode = mode, .mode_names = mode_names,
                                    .curvatures = curvatures};
