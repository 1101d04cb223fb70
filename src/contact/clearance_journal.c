// A journal of radius r and length ℓ in a bearing of radius r + c, in space. Where its axis ends, at ±ℓ/2 along it, the
// journal is as a sphere of its radius: with e_k the offset of end k across the bearing's axis the gap is c - |e_k|, so
// that both ends together carry radial loads and hold the tilt to 2c/ℓ. (The rim of a sharp end would be nearer the
// axis by r (1 - cos θ), at most 2 r c²/ℓ².) Along the axis a shoulder each way stops the journal's middle after the
// axial clearance; it acts on the axis, so that its friction does not resist turning.
#include <math.h>
#include <stddef.h>

#include "contact/clearance.h"
#include "contact/frame.h"
#include "mechanics/marker.h"

enum { END_LOW, END_HIGH, SHOULDER_LOW, SHOULDER_HIGH };

static void touch_end(const mechanism *m, const contact_element *e, const marker_place *bearing, vec3 end,
                      contact_point *p) {
  vec3 offset = vec3_sub(end, bearing->p), axis = mat3_column(bearing->R, 2);
  offset = vec3_axpy(offset, -vec3_dot(offset, axis), axis);
  double eccentricity = vec3_norm(offset);
  vec3 n = eccentricity > 0 ? vec3_scale(1 / eccentricity, offset) : mat3_column(bearing->R, 0);
  p->gap = e->clearance - eccentricity;
  p->at = vec3_axpy(end, e->size_second[0], n);
  contact_set_frame(m, p, n);
}

static void touch_shoulder(const mechanism *m, const contact_element *e, const marker_place *bearing, vec3 middle,
                           double side, contact_point *p) {
  vec3 axis = mat3_column(bearing->R, 2);
  p->gap = e->size_first[1] - side * vec3_dot(axis, vec3_sub(middle, bearing->p));
  p->at = middle;
  contact_set_frame(m, p, vec3_scale(side, axis));
}

static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place bearing = marker_find(m, x, e->first), journal = marker_find(m, x, e->second);
  vec3 half = vec3_scale(0.5 * e->size_second[1], mat3_column(journal.R, 2));
  for (int k = 0; k < e->point_count; k++) points[k].node_first = bearing.node, points[k].node_second = journal.node;
  touch_end(m, e, &bearing, vec3_sub(journal.p, half), &points[END_LOW]);
  touch_end(m, e, &bearing, vec3_add(journal.p, half), &points[END_HIGH]);
  touch_shoulder(m, e, &bearing, journal.p, -1, &points[SHOULDER_LOW]);
  touch_shoulder(m, e, &bearing, journal.p, 1, &points[SHOULDER_HIGH]);
}

// With z the bearing's axis and D from the bearing to the end, the offset is e = D - (z·D) z. Shoulders are walls of
// the bearing.
static contact_travel travel(const mechanism *m, const motion *x, const contact_element *e, const contact_point *p,
                             int k) {
  if (k >= SHOULDER_LOW) return contact_travel_on_wall(m, x, e, p, CONTACT_FIRST, 0);
  marker_state bearing = marker_read(m, x, e->first);
  vec3 end_at = vec3_axpy(p->at, -e->size_second[0], p->n), D = vec3_sub(end_at, bearing.p),
       z = mat3_column(bearing.R, 2);
  anchor end = contact_anchor(m, x, e, p, CONTACT_SECOND, end_at);
  vec3 v = anchor_velocity(m, x, &end), D_dot = vec3_sub(v, bearing.v), z_dot = vec3_cross(bearing.w, z);
  vec3 rate = vec3_axpy(D_dot, -vec3_dot(z, D), z_dot);
  rate = vec3_axpy(rate, -(vec3_dot(z_dot, D) + vec3_dot(z, D_dot)), z);
  double eccentricity = e->clearance - p->gap;
  vec3 n = eccentricity > 0 ? contact_turn_of(p->n, eccentricity, rate) : vec3_cross(bearing.w, p->n);
  return (contact_travel){.at = vec3_axpy(v, e->size_second[0], n), .n = n};
}

static void curvatures(const contact_element *e, double radius[2]) {
  radius[0] = -(e->size_second[0] + e->clearance), radius[1] = e->size_second[0];
}

static const char *const mode_names[] = {
    "free", "one end", "both ends", "shoulder", "one end and shoulder", "both ends and shoulder", NULL};

static int mode(const contact_element *e, const bool *active) {
  (void)e;
  bool shoulder = active[SHOULDER_LOW] || active[SHOULDER_HIGH];
  return active[END_LOW] + active[END_HIGH] + (shoulder ? 3 : 0);
}

static const char *const point_names[] = {"end -z", "end +z", "shoulder -z", "shoulder +z"};

static bool is_complete(const carom_joint_def *d) { return d->length > 0; }

// The axial clearance is a size of the bearing.
static void set_sizes(contact_element *e, const carom_joint_def *d) {
  e->size_second[0] = d->radius, e->size_second[1] = d->length;
  e->size_first[1] = d->axial_clearance > 0 ? d->axial_clearance : d->clearance;
}

static const contact_type contact_journal = {
    .name = "journal",
    .point_count = 4,
    .along_line = true,
    .evaluate = evaluate,
    .travel = travel,
    .mode = mode,
    .mode_names = mode_names,
    .point_names = point_names,
    .curvatures = curvatures,
    .tell_overlap = clearance_tell_overlap,
};

const clearance_type clearance_journal = {
    .contact = &contact_journal,
    .joint = &joint_revolute,
    .is_complete = is_complete,
    .lacks = "in space needs the journal's 'length', between the ends that touch",
    .hint = "add length:",
    .set_sizes = set_sizes,
    .round_part = "journal's",
};
