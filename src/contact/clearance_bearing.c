// A journal of radius r in a bearing of radius r + c, in the plane. With the eccentricity e = p_journal - p_bearing, in
// the plane of the bearing (across its axis), the gap is c - |e|: free flight while |e| < c, impact and following at
// |e| = c.
#include <math.h>
#include <stddef.h>

#include "contact/clearance.h"
#include "contact/frame.h"
#include "mechanics/marker.h"

static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *p) {
  marker_place bearing = marker_find(m, x, e->first), journal = marker_find(m, x, e->second);
  vec3 offset = vec3_sub(journal.p, bearing.p), axis = mat3_column(bearing.R, 2);
  offset = vec3_axpy(offset, -vec3_dot(offset, axis), axis);
  p->node_first = bearing.node, p->node_second = journal.node;
  contact_set_hollow(m, e, offset, mat3_column(bearing.R, 0), journal.p, p);
}

// Of bearings and sockets: n = e/|e|, and the place is off the round body's centre by r n.
contact_travel contact_hollow_travel(const mechanism *m, const motion *x, const contact_element *e,
                                     const contact_point *p, int k) {
  (void)k;
  marker_state hollow = marker_read(m, x, e->first), round = marker_read(m, x, e->second);
  double eccentricity = e->clearance - p->gap;
  vec3 n =
      eccentricity > 0 ? contact_turn_of(p->n, eccentricity, vec3_sub(round.v, hollow.v)) : vec3_cross(hollow.w, p->n);
  return (contact_travel){.at = vec3_axpy(round.v, e->size_second[0], n), .n = n};
}

void contact_hollow_curvatures(const contact_element *e, double radius[2]) {
  radius[0] = -(e->size_second[0] + e->clearance), radius[1] = e->size_second[0];
}

const char *const contact_hollow_modes[] = {"free", "impact", "following", NULL};

int contact_hollow_mode(const contact_element *e, const bool *active) {
  (void)e;
  return active[0];
}

static const contact_type contact_bearing = {
    .name = "bearing",
    .point_count_planar = 1,
    .evaluate = evaluate,
    .travel = contact_hollow_travel,
    .mode = contact_hollow_mode,
    .mode_names = contact_hollow_modes,
    .tells_following = true,
    .curvatures = contact_hollow_curvatures,
    .tell_overlap = clearance_tell_overlap,
};

const clearance_type clearance_bearing = {.contact = &contact_bearing,
                                          .joint = &joint_revolute,
                                          .planar = true,
                                          .set_sizes = clearance_set_radius,
                                          .round_part = "journal's"};
