// A slider of given width, height and length in a channel of the same section, wider by the clearance on each side, in
// space: its eight corners against four walls, two of which each corner can reach. In the axes of the channel the walls
// are at x = ±(width/2 + c) and y = ±(height/2 + c), and z goes along it.
#include <stddef.h>

#include "contact/clearance.h"
#include "contact/frame.h"
#include "mechanics/marker.h"

// Corner k lies towards +x, +y, +z where its bits 0, 1, 2 are set; its points 2k and 2k + 1 are those on the walls
// across x and across y. The channel is the first body: normals point into its walls.
static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *points) {
  marker_place channel = marker_find(m, x, e->first), slider = marker_find(m, x, e->second);
  for (int k = 0; k < 8; k++) {
    double side[2] = {k & 1 ? 1 : -1, k & 2 ? 1 : -1};
    const double *size = e->size_second;
    vec3 local = {0.5 * side[0] * size[0], 0.5 * side[1] * size[1], (k & 4 ? 0.5 : -0.5) * size[2]};
    vec3 corner = vec3_add(slider.p, mat3_mul(slider.R, local)), from = vec3_sub(corner, channel.p);
    for (int wall = 0; wall < 2; wall++) {
      contact_point *p = &points[2 * k + wall];
      vec3 n = vec3_scale(side[wall], mat3_column(channel.R, wall));
      p->gap = 0.5 * size[wall] + e->clearance - vec3_dot(n, from);
      p->node_first = channel.node, p->node_second = slider.node;
      p->at = corner;
      contact_set_frame(m, p, n);
    }
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

enum { FREE, ONE_CORNER, ONE_WALL, TWO_WALLS, OPPOSITE_WALLS };
static const char *const mode_names[] = {"free", "one corner", "one wall", "two walls", "opposite walls", NULL};

static int mode(const contact_element *e, const bool *active) {
  int on[2][2] = {{0, 0}, {0, 0}}, touching = 0, walls = 0;
  for (int p = 0; p < e->point_count; p++) {
    int wall = p & 1, corner = p >> 1;
    on[wall][corner >> wall & 1] += active[p];
    touching += active[p];
  }
  if (touching <= 1) return touching ? ONE_CORNER : FREE;
  for (int wall = 0; wall < 2; wall++) {
    if (on[wall][0] && on[wall][1]) return OPPOSITE_WALLS;
    walls += on[wall][0] || on[wall][1];
  }
  return walls == 1 ? ONE_WALL : TWO_WALLS;
}

static const char *const point_names[] = {
    "corner -x -y -z at wall x", "corner -x -y -z at wall y", "corner +x -y -z at wall x", "corner +x -y -z at wall y",
    "corner -x +y -z at wall x", "corner -x +y -z at wall y", "corner +x +y -z at wall x", "corner +x +y -z at wall y",
    "corner -x -y +z at wall x", "corner -x -y +z at wall y", "corner +x -y +z at wall x", "corner +x -y +z at wall y",
    "corner -x +y +z at wall x", "corner -x +y +z at wall y", "corner +x +y +z at wall x", "corner +x +y +z at wall y",
};

static void set_sizes(contact_element *e, const carom_joint_def *d) {
  e->size_second[0] = d->width, e->size_second[1] = d->height > 0 ? d->height : d->width, e->size_second[2] = d->length;
}

static const contact_type contact_channel = {
    .name = "channel",
    .point_count = 16,
    .evaluate = evaluate,
    .travel = travel,
    .mode = mode,
    .mode_names = mode_names,
    .point_names = point_names,
    .curvatures = curvatures,
    .tell_overlap = clearance_tell_overlap,
};

const clearance_type clearance_channel = {
    .contact = &contact_channel,
    .joint = &joint_prismatic,
    .is_complete = clearance_is_slider_complete,
    .lacks = CLEARANCE_SLIDER_LACKS,
    .hint = CLEARANCE_SLIDER_HINT,
    .set_sizes = set_sizes,
};
