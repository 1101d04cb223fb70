// A slider of length 2a and width 2b in a guide with clearance c on each side: its four corners against two walls at
// y = ±(b + c) in the guide's axes. Paper 004, figure 8: free, one corner, the two corners of one side (a whole face),
// two opposite corners.
#include <math.h>
#include <stddef.h>

#include "contact/clearance.h"
#include "contact/frame.h"
#include "mechanics/marker.h"

// How far along the wall's normal the slider's centre and its two half axes reach. The gap of a corner is
// b + c - side (height ± tilt) - rise.
typedef struct guide_reach {
  double height, tilt, rise;
} guide_reach;

static guide_reach reach_of(const marker_place *guide, const marker_place *slider, const contact_element *e) {
  const double *R = slider->R.m, up_x = guide->R.m[1], up_y = guide->R.m[4];
  return (guide_reach){up_x * (slider->p.x - guide->p.x) + up_y * (slider->p.y - guide->p.y),
                       0.5 * e->size_second[0] * (up_x * R[0] + up_y * R[3]),
                       0.5 * e->size_second[1] * (up_x * R[1] + up_y * R[4])};
}

static double gap_of(const guide_reach *r, const contact_element *e, int k) {
  double offset = r->height + (k & 1 ? r->tilt : -r->tilt);
  return 0.5 * e->size_second[1] + e->clearance - (k & 2 ? offset : -offset) - r->rise;
}

static void gaps(const mechanism *m, const motion *x, const contact_element *e, double *gap) {
  marker_place guide = marker_find(m, x, e->first), slider = marker_find(m, x, e->second);
  guide_reach reach = reach_of(&guide, &slider, e);
  for (int k = 0; k < 4; k++) gap[k] = gap_of(&reach, e, k);
}

static double least_gap(const mechanism *m, const motion *x, const contact_element *e) {
  marker_place guide = marker_find(m, x, e->first), slider = marker_find(m, x, e->second);
  guide_reach r = reach_of(&guide, &slider, e);
  return 0.5 * e->size_second[1] + e->clearance - (fabs(r.height) + fabs(r.tilt)) - r.rise;
}

// Corner k: along x by the sign of bit 0, towards the upper wall (bit 1 set) or the lower one. The guide is the first
// body: the normal points into its wall.
static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place guide = marker_find(m, x, e->first), slider = marker_find(m, x, e->second);
  guide_reach reach = reach_of(&guide, &slider, e);
  const double *R = slider.R.m, up_x = guide.R.m[1], up_y = guide.R.m[4];
  for (int k = 0; k < 4; k++) {
    double side = k & 2 ? 1 : -1, a = (k & 1 ? 0.5 : -0.5) * e->size_second[0], b = 0.5 * side * e->size_second[1];
    contact_point *p = &points[k];
    p->gap = gap_of(&reach, e, k);
    p->node_first = guide.node, p->node_second = slider.node;
    p->at = (vec3){slider.p.x + a * R[0] + b * R[1], slider.p.y + a * R[3] + b * R[4], 0};
    contact_set_frame(m, p, (vec3){side * up_x, side * up_y, 0});
  }
}

// Walls turn with the first body, corners are of the second.
static contact_travel travel(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                             int k) {
  (void)k;
  return contact_travel_on_wall(m, x, e, p, CONTACT_FIRST, 0);
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

static void set_sizes(contact_element *e, const carom_joint_def *d) {
  e->size_second[0] = d->length, e->size_second[1] = d->width;
}

static const contact_type contact_guide = {
    .name = "guide",
    .point_count_planar = 4,
    .evaluate = evaluate,
    .travel = travel,
    .gaps = gaps,
    .least_gap = least_gap,
    .mode = mode,
    .mode_names = mode_names,
    .point_names_planar = contact_corners_planar,
    .curvatures = curvatures,
    .tell_overlap = clearance_tell_overlap,
};

const clearance_type clearance_guide = {
    .contact = &contact_guide,
    .joint = &joint_prismatic,
    .planar = true,
    .is_complete = clearance_is_slider_complete,
    .lacks = CLEARANCE_SLIDER_LACKS,
    .hint = CLEARANCE_SLIDER_HINT,
    .set_sizes = set_sizes,
};
