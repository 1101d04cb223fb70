// A ball of radius r in a socket of radius r + c. With the eccentricity e from the socket's centre to the ball's the gap
// is c - |e|: free flight while |e| < c, impact and following at |e| = c.
#include <math.h>
#include <stddef.h>

#include "contact/contact.h"
#include "contact/frame.h"
#include "mechanics/marker.h"

static void evaluate(const mechanism *m, const motion *x, const contact_element *e, contact_point *p) {
  marker_state socket = marker_read(m, x, e->first), ball = marker_read(m, x, e->second);
  vec3 offset = vec3_sub(ball.p, socket.p);
  double eccentricity = vec3_norm(offset);
  vec3 n = eccentricity > 0 ? vec3_scale(1 / eccentricity, offset) : mat3_column(socket.R, 0);
  p->gap = e->clearance - eccentricity;
  p->node_first = socket.node, p->node_second = ball.node;
  p->at = vec3_axpy(ball.p, e->size_second[0], n);
  contact_set_frame(m, p, n);
}

static void curvatures(const contact_element *e, double radius[2]) {
  radius[0] = -(e->size_second[0] + e->clearance), radius[1] = e->size_second[0];
}

static const char *const mode_names[] = {"free", "impact", "following", NULL};

static int mode(const contact_element *e, const bool *active) {
  (void)e;
  return active[0];
}

const contact_type contact_socket = {.name = "socket", .evaluate = evaluate, .mode = mode, .mode_names = mode_names, .tells_following = true,
                                     .curvatures = curvatures};
