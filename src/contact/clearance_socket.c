// A ball of radius r in a socket of radius r + c. With the eccentricity e from the socket's centre to the ball's the
// gap is c - |e|: free flight while |e| < c, impact and following at |e| = c.
#include <math.h>
#include <stddef.h>

#include "contact/clearance.h"
#include "contact/frame.h"
#include "mechanics/marker.h"

static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *p) {
  marker_place socket = marker_find(m, x, e->first), ball = marker_find(m, x, e->second);
  p->node_first = socket.node, p->node_second = ball.node;
  contact_set_hollow(m, e, vec3_sub(ball.p, socket.p), mat3_column(socket.R, 0), ball.p, p);
}

static const contact_type contact_socket = {
    .name = "socket",
    .point_count = 1,
    .evaluate = evaluate,
    .travel = contact_hollow_travel,
    .mode = contact_hollow_mode,
    .mode_names = contact_hollow_modes,
    .tells_following = true,
    .curvatures = contact_hollow_curvatures,
    .tell_overlap = clearance_tell_overlap,
};

const clearance_type clearance_socket = {
    .contact = &contact_socket, .joint = &joint_spherical, .set_sizes = clearance_set_radius, .round_part = "ball's"};
