// The bias of contact rows against finite differences: what the derivative of a row's rate has beside the accelerations
// of the bodies. And anchors, through which it goes.
#include "runs.h"

#include "contact/contact.h"
#include "contact/touches.h"
#include "mechanics/constraint.h"
#include "mechanics/coordinate.h"
#include "mechanics/dry_friction.h"
#include "mechanics/dynamics.h"
#include "mechanics/marker.h"
#include "mechanics/rows.h"
#include "mechanics/tree.h"
#include "sim.h"

typedef struct subject {
  const char *type;  // of its contact
  bool planar;
  const char *joint, *surfaces;  // between the bodies a and b
} subject;

static const subject subjects[] = {
    {"bearing", true, "j: {radius: 0.2, clearance: 0.05, material: m, revolute: [a, b], at: [0.1, -0.05]}", ""},
    {"guide", true, "j: {length: 0.4, width: 0.2, clearance: 0.05, material: m, prismatic: [a, b], at: [0.1, -0.05]}",
     ""},
    {"socket", false, "j: {radius: 0.2, clearance: 0.05, material: m, spherical: [a, b], at: [0.1, -0.05, 0.2]}", ""},
    {"journal", false,
     "j: {radius: 0.2, length: 0.5, clearance: 0.05, axial_clearance: 0.03, material: m, revolute: [a, b]}", ""},
    {"channel", false, "j: {length: 0.4, width: 0.2, height: 0.15, clearance: 0.05, material: m, prismatic: [a, b]}",
     ""},
    {"sphere on plane", true, "",
     "surfaces: {f: {sphere: a, at: [0.2, 0.1], radius: 0.3, material: m}, g: {plane: b, at: [0, -0.7], material: "
     "m}}\n"},
    {"sphere on plane", false, "",
     "surfaces: {f: {sphere: a, at: [0.2, 0.1, 0], radius: 0.3, material: m}, g: {plane: b, at: [0, 0, -0.7], "
     "material: m}}\n"},
    {"point on plane", false, "",
     "surfaces: {f: {point: a, at: [0.2, 0.1, 0], material: m}, g: {plane: b, at: [0, 0, -0.7], material: m}}\n"},
    {"box on plane", true, "",
     "surfaces: {f: {box: a, size: [0.4, 0.3], material: m}, g: {plane: b, at: [0, -0.7], material: m}}\n"},
    {"box on plane", false, "",
     "surfaces: {f: {box: a, size: [0.4, 0.3, 0.2], material: m}, g: {plane: b, at: [0, 0, -0.9], material: m}}\n"},
    {"sphere on sphere", true, "",
     "surfaces: {f: {sphere: a, at: [1, 0], radius: 0.2, material: m}, g: {sphere: b, radius: 0.3, material: m}}\n"},
    {"sphere on sphere", false, "",
     "surfaces: {f: {sphere: a, at: [1, 0, 0], radius: 0.2, material: m}, g: {sphere: b, radius: 0.3, material: m}}\n"},
    {"point on sphere", false, "",
     "surfaces: {f: {point: a, at: [1, 0, 0], material: m}, g: {sphere: b, radius: 0.3, material: m}}\n"},
    {"sphere on box", true, "",
     "surfaces: {f: {sphere: a, at: [1, 0.2], radius: 0.2, material: m}, g: {box: b, size: [0.6, 0.4], material: "
     "m}}\n"},
    {"sphere on box", false, "",
     "surfaces: {f: {sphere: a, at: [1, 0.2, 0.3], radius: 0.2, material: m}, g: {box: b, size: [0.6, 0.4, 0.5], "
     "material: m}}\n"},
    {"sphere on box", false, "",
     "surfaces: {f: {sphere: a, at: [0.6, 0, 0], radius: 0.2, material: m}, g: {box: b, size: [0.6, 0.8, 0.7], "
     "material: m}}\n"},
    {"point on box", false, "",
     "surfaces: {f: {point: a, at: [0.2, 0, 0.1], material: m}, g: {box: b, at: [-0.9, 0, 0], size: [2.2, 1.6, 1.4], "
     "material: m}}\n"},
    {"capsule on plane", false, "",
     "surfaces: {f: {capsule: a, radius: 0.1, length: 0.4, at: [0, 0, 0], rotate: {axis: [1, 2, 3], angle: 0.7}, "
     "material: m}, g: {plane: b, at: [0, 0, -0.9], material: m}}\n"},
    {"cylinder on plane", false, "",
     "surfaces: {f: {cylinder: a, radius: 0.2, length: 0.4, at: [0, 0, 0], rotate: {axis: [1, 2, 3], angle: 0.7}, "
     "material: m}, g: {plane: b, at: [0, 0, -0.9], material: m}}\n"},
    {"cone on plane", false, "",
     "surfaces: {f: {cone: a, radius: 0.2, height: 0.4, at: [0, 0, 0], rotate: {axis: [1, 2, 3], angle: 0.7}, "
     "material: m}, g: {plane: b, at: [0, 0, -0.9], material: m}}\n"},
    {"hull on plane", false, "",
     "surfaces: {f: {hull: a, points: [[0.2, 0, -0.1], [-0.2, 0.2, -0.1], [-0.2, -0.2, -0.1], [0, 0, 0.3], [0.1, 0.1, "
     "0.2]], at: [0, 0, 0], rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, g: {plane: b, at: [0, 0, -0.9], "
     "material: m}}\n"},
    {"smooth surface on plane", false, "",
     "surfaces: {f: {ellipsoid: a, semi_axes: [0.2, 0.3, 0.4], at: [0, 0, 0], rotate: {axis: [1, 2, 3], angle: 0.7}, "
     "material: m}, g: {plane: b, at: [0, 0, -0.9], material: m}}\n"},
    {"smooth surface on plane", false, "",
     "surfaces: {f: {superellipsoid: a, semi_axes: [0.2, 0.3, 0.4], exponents: [0.8, 1.2], at: [0, 0, 0], rotate: "
     "{axis: [1, 2, 3], angle: 0.7}, material: m}, g: {plane: b, at: [0, 0, -0.9], material: m}}\n"},
    {"capsule on plane", true, "",
     "surfaces: {f: {capsule: a, radius: 0.1, length: 0.4, rotate: 0.3, material: m}, g: {plane: b, at: [0, -0.9], "
     "material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {sphere: a, radius: 0.2, at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, "
     "g: {ellipsoid: b, semi_axes: [0.2, 0.3, 0.4], rotate: {axis: [3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {sphere: a, radius: 0.2, at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, "
     "g: {superellipsoid: b, semi_axes: [0.2, 0.3, 0.4], exponents: [0.8, 1.2], rotate: {axis: [3, -1, 2], angle: "
     "0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {sphere: a, radius: 0.2, at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, "
     "g: {capsule: b, radius: 0.1, length: 0.4, rotate: {axis: [3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {sphere: a, radius: 0.2, at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, "
     "g: {cylinder: b, radius: 0.2, length: 0.4, rotate: {axis: [3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {sphere: a, radius: 0.2, at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, "
     "g: {cone: b, radius: 0.2, height: 0.4, rotate: {axis: [3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {sphere: a, radius: 0.2, at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, "
     "g: {hull: b, points: [[0.2, 0, -0.1], [-0.2, 0.2, -0.1], [-0.2, -0.2, -0.1], [0, 0, 0.3], [0.1, 0.1, 0.2]], "
     "rotate: {axis: [3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {ellipsoid: a, semi_axes: [0.2, 0.3, 0.4], at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: "
     "0.7}, material: m}, g: {ellipsoid: b, semi_axes: [0.2, 0.3, 0.4], rotate: {axis: [3, -1, 2], angle: 0.5}, "
     "material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {ellipsoid: a, semi_axes: [0.2, 0.3, 0.4], at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: "
     "0.7}, material: m}, g: {superellipsoid: b, semi_axes: [0.2, 0.3, 0.4], exponents: [0.8, 1.2], rotate: {axis: [3, "
     "-1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {ellipsoid: a, semi_axes: [0.2, 0.3, 0.4], at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: "
     "0.7}, material: m}, g: {capsule: b, radius: 0.1, length: 0.4, rotate: {axis: [3, -1, 2], angle: 0.5}, material: "
     "m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {ellipsoid: a, semi_axes: [0.2, 0.3, 0.4], at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: "
     "0.7}, material: m}, g: {cylinder: b, radius: 0.2, length: 0.4, rotate: {axis: [3, -1, 2], angle: 0.5}, material: "
     "m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {ellipsoid: a, semi_axes: [0.2, 0.3, 0.4], at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: "
     "0.7}, material: m}, g: {cone: b, radius: 0.2, height: 0.4, rotate: {axis: [3, -1, 2], angle: 0.5}, material: "
     "m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {ellipsoid: a, semi_axes: [0.2, 0.3, 0.4], at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: "
     "0.7}, material: m}, g: {hull: b, points: [[0.2, 0, -0.1], [-0.2, 0.2, -0.1], [-0.2, -0.2, -0.1], [0, 0, 0.3], "
     "[0.1, 0.1, 0.2]], rotate: {axis: [3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {ellipsoid: a, semi_axes: [0.2, 0.3, 0.4], at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: "
     "0.7}, material: m}, g: {box: b, size: [0.6, 0.4, 0.5], rotate: {axis: [3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {superellipsoid: a, semi_axes: [0.2, 0.3, 0.4], exponents: [0.8, 1.2], at: [1.1, 0.2, 0.3], "
     "rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, g: {superellipsoid: b, semi_axes: [0.2, 0.3, 0.4], "
     "exponents: [0.8, 1.2], rotate: {axis: [3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {superellipsoid: a, semi_axes: [0.2, 0.3, 0.4], exponents: [0.8, 1.2], at: [1.1, 0.2, 0.3], "
     "rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, g: {capsule: b, radius: 0.1, length: 0.4, rotate: {axis: "
     "[3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {superellipsoid: a, semi_axes: [0.2, 0.3, 0.4], exponents: [0.8, 1.2], at: [1.1, 0.2, 0.3], "
     "rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, g: {cylinder: b, radius: 0.2, length: 0.4, rotate: {axis: "
     "[3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {superellipsoid: a, semi_axes: [0.2, 0.3, 0.4], exponents: [0.8, 1.2], at: [1.1, 0.2, 0.3], "
     "rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, g: {cone: b, radius: 0.2, height: 0.4, rotate: {axis: [3, "
     "-1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {superellipsoid: a, semi_axes: [0.2, 0.3, 0.4], exponents: [0.8, 1.2], at: [1.1, 0.2, 0.3], "
     "rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, g: {hull: b, points: [[0.2, 0, -0.1], [-0.2, 0.2, -0.1], "
     "[-0.2, -0.2, -0.1], [0, 0, 0.3], [0.1, 0.1, 0.2]], rotate: {axis: [3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {superellipsoid: a, semi_axes: [0.2, 0.3, 0.4], exponents: [0.8, 1.2], at: [1.1, 0.2, 0.3], "
     "rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, g: {box: b, size: [0.6, 0.4, 0.5], rotate: {axis: [3, -1, "
     "2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {point: a, at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, g: "
     "{ellipsoid: b, semi_axes: [0.2, 0.3, 0.4], rotate: {axis: [3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", false, "",
     "surfaces: {f: {point: a, at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: 0.7}, material: m}, g: {capsule: "
     "b, radius: 0.1, length: 0.4, rotate: {axis: [3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"smooth surfaces", true, "",
     "surfaces: {f: {sphere: a, radius: 0.2, at: [1.1, 0.2], material: m}, g: {capsule: b, radius: 0.1, length: 0.4, "
     "rotate: 0.3, material: m}}\n"},
    {"smooth surfaces", true, "",
     "surfaces: {f: {sphere: a, radius: 0.2, at: [1.1, 0.2], material: m}, g: {hull: b, points: [[0.3, 0], [-0.2, "
     "0.2], [-0.1, -0.3]], material: m}}\n"},
    {"polygon on plane", true, "",
     "surfaces: {f: {polygon: a, points: [[0.2, 0], [0, 0.3], [-0.3, -0.1]], material: m}, g: {plane: b, at: [0, "
     "-0.7], material: m}}\n"},
    {"outline on outline", true, "",
     "surfaces: {f: {sphere: a, at: [1, 0.2], radius: 0.2, material: m}, g: {polygon: b, points: [[0.4, -0.6], [0.3, "
     "0.5], [-0.4, 0]], material: m}}\n"},
    {"outline on outline", true, "",
     "surfaces: {f: {curve: a, points: [[0.5, 0], [0, 0.4], [-0.4, 0.1], [0, -0.3]], material: m}, g: {plane: b, at: "
     "[0, -0.9], material: m}}\n"},
    {"outline on outline", true, "",
     "surfaces: {f: {curve: a, at: [1.3, 0], points: [[0.5, 0], [0, 0.4], [-0.4, 0.1], [0, -0.3]], material: m}, g: "
     "{curve: b, points: [[0.5, 0.1], [0, 0.6], [-0.4, 0], [0, -0.7]], material: m}}\n"},
    {"outline on outline", true, "",
     "surfaces: {f: {curve: a, at: [1.3, 0], points: [[0.5, 0], [0, 0.4], [-0.4, 0.1], [0, -0.3]], material: m}, g: "
     "{point: b, at: [0, 0.1], material: m}}\n"},
    {"capsule on capsule", false, "",
     "surfaces: {f: {capsule: a, radius: 0.1, length: 0.4, at: [1.1, 0.2, 0.3], rotate: {axis: [1, 2, 3], angle: 0.7}, "
     "material: m}, g: {capsule: b, radius: 0.2, length: 0.5, rotate: {axis: [3, -1, 2], angle: 0.5}, material: m}}\n"},
    {"capsule on capsule", false, "",
     "surfaces: {f: {capsule: a, radius: 0.1, length: 0.8, at: [0.7, 0, 0], rotate: {axis: [1, 0.2, 0.3], angle: 1.4}, "
     "material: m}, g: {capsule: b, radius: 0.2, length: 0.9, material: m}}\n"},
    {"stop", true, "j: {revolute: [a, b], limits: [-1, 1], friction_torque: 1}", ""},
    {"stop", false, "j: {prismatic: [a, b], axis: [1, 2, 3], limits: [-2, 2], friction_force: 1}", ""},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects, ROWS = 128 };

// A soft beam, whose markers move with its modes.
#define BEAM                                                                                                     \
  "beam: {length: 2, section: {area: 4e-4, second_moment: 1e-8}, young: 1e6, density: 2000}, modes: {count: 3, " \
  "static_modes: false}"

static bool open_subject(run *r, const subject *s, bool flexible) {
  char text[2048];
  const char *rigid = s->planar ? "mass: 2, inertia: 0.3" : "mass: 2, inertia: [0.3, 0.3, 0.3]";
  snprintf(text, sizeof text,
           "%scoordinates: absolute\n"
           "bodies: {a: {%s}, b: {mass: 1, inertia: %s}}\n"
           "materials: {m: {restitution: 0.5, friction: 0.2}}\n"
           "joints: {%s%sfree: {free: [ground, a]}%s}\n%s"
           "method: {moreau: {step: 1e-3}}\nend: 1\n",
           s->planar ? "space: planar\n" : "", flexible ? BEAM : rigid, s->planar ? "0.1" : "[0.1, 0.1, 0.1]", s->joint,
           *s->joint ? ", " : "", strcmp(s->type, "stop") == 0 ? "" : ", other: {free: [ground, b]}", s->surfaces);
  return run_open_text(r, text, "");
}

// A motion at constant speeds through (q, u), and the contact rows on the way.
typedef struct path {
  const contact_world *contacts;
  const mechanism *m;
  motion *x;
  double q[32], u[32];
  contact_point start[CONTACT_POINTS_MAX];
} path;

// Tangents of a moved point are those at the start, laid onto the new surface.
static void align(const path *w, const contact_point *at, contact_point *p) {
  if (w->m->planar) return;
  vec3 t = vec3_axpy(at->t[0], -vec3_dot(at->t[0], p->n), p->n);
  p->t[0] = vec3_scale(1 / vec3_norm(t), t);
  p->t[1] = vec3_cross(p->n, p->t[0]);
}

static void add_rows(path *w, contact_point *points) {
  const contact_element *e = w->contacts->elements;
  rows_clear(w->m, w->x);
  for (int p = 0; p < w->contacts->point_count; p++) contact_add_rows(w->m, w->x, e, &points[p]);
  friction_add_rows(w->m, w->x);
}

static void go(path *w, double ahead, contact_point *points) {
  double moved[32], step[32];
  memcpy(moved, w->q, sizeof moved);
  for (int i = 0; i < w->m->nv; i++) step[i] = ahead * w->u[i];
  dynamics_move(w->m, moved, step);
  dynamics_set(w->m, w->x, 0, moved, w->u);
  dynamics_positions_velocities(w->m, w->x);
  contact_evaluate(w->contacts, w->m, w->x, points);
}

static void add_rates(path *w, double ahead, double weight, double *sum) {
  contact_point points[CONTACT_POINTS_MAX] = {{0}};
  double rates[ROWS];
  go(w, ahead, points);
  for (int p = 0; p < w->contacts->point_count; p++)
    if (!w->contacts->elements->type->action) align(w, &w->start[p], &points[p]);
  add_rows(w, points);
  rows_rates(w->m, w->x, rates);
  for (int i = 0; i < w->x->row_total; i++) sum[i] += weight * rates[i];
}

// Joints of the subject hold at the start of the path, at least for the velocities.
static bool choose(path *w) {
  for (int i = 0; i < w->m->nq; i++) w->q[i] = w->m->q0[i] + uniform(-0.1, 0.1);
  for (int i = 0; i < w->m->nv; i++) w->u[i] = uniform(-1, 1);
  dynamics_normalize(w->m, w->q);
  dynamics_set(w->m, w->x, 0, w->q, w->u);
  if (!CHECK(dynamics_project_positions(w->m, w->x, 1e-14, 20) && dynamics_project_velocities(w->m, w->x)))
    return false;
  memcpy(w->q, w->x->q, (size_t)w->m->nq * sizeof *w->q);
  memcpy(w->u, w->x->u, (size_t)w->m->nv * sizeof *w->u);
  go(w, 0, w->start);
  // a round body close to the middle of its hollow has a normal that turns too fast for differences
  const contact_element *e = w->contacts->elements;
  double of[2];
  for (int p = 0; p < w->contacts->point_count; p++)
    if (contact_curvatures(e, of) && of[0] < 0 && e->clearance - w->start[p].gap < 0.06 && p < 2) return false;
  return true;
}

// Whether a feature changes on the way (a nearest point comes to the end of an edge): the slopes before and after then
// differ, by far more than the second derivative of about (3/0.06)² times the way of 1e-4 says.
static bool has_kink(path *w, double h) {
  double before[ROWS] = {0}, after[ROWS] = {0};
  add_rates(w, -2 * h, -1 / h, before), add_rates(w, -h, 1 / h, before);
  add_rates(w, h, -1 / h, after), add_rates(w, 2 * h, 1 / h, after);
  for (int i = 0; i < w->x->row_total; i++)
    if (fabs(after[i] - before[i]) > 0.02) return true;
  return false;
}

// The derivative at constant speeds by the rule of fourth order over h errs by h⁴/30 of the fifth derivative, which for
// relative speeds of 3 and lengths from 0.06 is about (3/0.06)⁵: 1e-10 at h = 5e-5. Rounding errs by 1e-15/h.
static int compare(path *w) {
  const double h = 5e-5;
  const contact_element *e = w->contacts->elements;
  if (e->shape_second && has_kink(w, h)) return 0;
  double sum[ROWS] = {0}, effort[32], none[32] = {0};
  int row = w->m->row_count;
  add_rates(w, -2 * h, 1 / (12 * h), sum);
  add_rates(w, -h, -8 / (12 * h), sum);
  add_rates(w, h, 8 / (12 * h), sum);
  add_rates(w, 2 * h, -1 / (12 * h), sum);
  go(w, 0, w->start);
  add_rows(w, w->start);
  for (int p = 0; p < w->contacts->point_count; p++, row += contact_row_count(w->m, e))
    contact_set_bias(w->m, w->x, e, &w->start[p], p, row);
  memset(w->x->udot, 0, (size_t)w->m->nv * sizeof *w->x->udot);
  tree_inverse(w->m, w->x, none, effort);  // for the accelerations of the bodies at constant speeds
  for (int i = w->m->row_count; i < w->x->row_total; i++)
    CHECK_NEAR(constraint_row_acceleration(w->m, w->x, &w->x->rows[i]), sum[i], 2e-8);
  return w->x->row_total - w->m->row_count;
}

static void check_biases(bool flexible) {
  for (int k = 0; k < SUBJECTS; k++) {
    run r;
    if (!open_subject(&r, &subjects[k], flexible)) continue;
    path w = {.contacts = &r.model->contacts, .m = &r.model->m, .x = r.sim->x};
    CHECK_TEXT(w.contacts->elements[0].type->name, subjects[k].type);
    int compared = 0;
    for (int sample = 0; sample < 40; sample++)
      if (choose(&w)) compared += compare(&w);
    printf("    %s%s: %d rows\n", subjects[k].type, subjects[k].planar ? ", planar" : "", compared);
    CHECK(compared >= (r.model->contacts.elements->shape_second ? 36 * r.sim->x->row_total : 40));
    run_close(&r);
  }
}

static void the_bias_of_rows_is_the_derivative_of_their_rates(void) { check_biases(false); }
static void also_on_flexible_bodies(void) { check_biases(true); }

// --- places that come and go -----------------------------------------------------------------------------------------

static const subject followed[] = {
    {"flat faces", false, "",
     "surfaces: {f: {box: a, size: [0.4, 0.3, 0.2], at: [0, 0, 0.22], material: m}, g: {box: b, size: [0.3, 0.4, 0.2], "
     "rotate: {axis: z, angle: 0.4}, material: m}}\n"},
    {"flat faces", false, "",
     "surfaces: {f: {box: a, size: [0.4, 0.3, 0.2], at: [0, 0, 0.43], rotate: {axis: y, angle: 45 deg}, material: m}, "
     "g: {box: b, size: [0.3, 0.4, 0.2], rotate: {axis: x, angle: 45 deg}, material: m}}\n"},
    {"flat faces", false, "",
     "surfaces: {f: {hull: a, points: [[0.2, 0, -0.1], [-0.2, 0.2, -0.1], [-0.2, -0.2, -0.1], [0, 0, 0.3]], at: [0, 0, "
     "0.22], material: m}, g: {box: b, size: [0.3, 0.4, 0.2], material: m}}\n"},
    {"outline on outline", true, "",
     "surfaces: {f: {polygon: a, at: [0, 0.3], points: [[-0.3, 0], [0.3, 0], [0, 0.3]], material: m}, g: {polygon: b, "
     "points: [[-0.2, 0], [0, -0.4], [0.3, 0]], material: m}}\n"},
    {"outline on outline", true, "",
     "surfaces: {f: {arcs: a, at: [0, 0.3], points: [[-0.3, 0], [0.3, 0], [0.3, 0.2], [-0.3, 0.2]], radii: [0.5, 0.1, "
     "0, 0.1], material: m}, g: {arcs: b, points: [[0.3, 0], [-0.3, 0], [-0.3, -0.5], [0.3, -0.5]], radii: [-1, 0.3, "
     "0, 0.3], material: m}}\n"},
};

static double gap_ahead(path *w, const contact_element *e, const contact_feature *f, double ahead, contact_point *p) {
  contact_point points[CONTACT_POINTS_MAX] = {{0}};
  go(w, ahead, points);
  (void)e->type->follow->evaluate(w->m, w->x, e, f, p);
  return p->gap;
}

// The rate of the gap is that of the bodies at the point, and the point travels and its normal turns as central
// differences say.
static int compare_place(path *w, const contact_element *e, const contact_feature *f) {
  const double h = 1e-5;
  contact_point p[3] = {{0}};
  double rate = (gap_ahead(w, e, f, h, &p[2]) - gap_ahead(w, e, f, -h, &p[0])) / (2 * h);
  (void)gap_ahead(w, e, f, 0, &p[1]);
  CHECK_NEAR(contact_gap_rate(w->m, w->x, e, &p[1]), rate, 1e-6);
  if (contact_is_guard(f)) return 0;
  contact_travel t = e->type->follow->travel(w->m, w->x, e, f, &p[1]);
  CHECK_NEAR(vec3_norm(vec3_sub(t.at, vec3_scale(0.5 / h, vec3_sub(p[2].at, p[0].at)))), 0, 1e-5);
  CHECK_NEAR(vec3_norm(vec3_sub(t.n, vec3_scale(0.5 / h, vec3_sub(p[2].n, p[0].n)))), 0, 1e-5);
  return 1;
}

static void followed_places_move_with_their_features(void) {
  for (size_t k = 0; k < sizeof followed / sizeof *followed; k++) {
    run r;
    if (!open_subject(&r, &followed[k], false)) continue;
    path w = {.contacts = &r.model->contacts, .m = &r.model->m, .x = r.sim->x};
    const contact_element *e = w.contacts->elements;
    CHECK_TEXT(e->type->name, followed[k].type);
    int compared = 0;
    for (int sample = 0; sample < 100; sample++) {
      contact_touch found[CONTACT_POINTS_MAX];
      if (!choose(&w)) continue;
      int count = e->type->follow->find(w.m, w.x, e, found);
      for (int i = 0; i < count; i++) {
        contact_point p = {0};
        compared += compare_place(&w, e, &found[i].feature);
        CHECK_LE(0, e->type->follow->evaluate(w.m, w.x, e, &found[i].feature, &p));
      }
    }
    printf("    %s: %d places\n", followed[k].type, compared);
    CHECK_LE(50, compared);
    run_close(&r);
  }
}

// --- boundaries of flexible bodies -----------------------------------------------------------------------------------

#define SOFT                                                                                                         \
  "solid_2d: {disc: 0.5, elements: 3, thickness: 0.01, young: 1e6, poisson: 0.3, density: 1000}, modes: {count: 5, " \
  "static_modes: false}, geometric_stiffness: yes"

#define BENDING                                                                                                    \
  "beam: {length: 1, section: {area: 1e-2, second_moment: 8e-6}, young: 1e6, density: 1000, elements: 6}, modes: " \
  "{count: 4, support: free, static_modes: false}"

static const subject boundaries[] = {
    {"boundary on plane", true, "mass: 1, inertia: 0.1", "g: {plane: b, at: [0, -0.7], material: m}"},
    {"boundary on outline", true, "mass: 1, inertia: 0.1", "g: {sphere: b, at: [0.6, 0.3], radius: 0.15, material: m}"},
    {"boundary on outline", true, "mass: 1, inertia: 0.1",
     "g: {box: b, at: [0.62, 0.62], size: [0.4, 0.3], material: m}"},
    {"boundary on outline", true, "mass: 1, inertia: 0.1",
     "g: {arcs: b, at: [0, -0.5], points: [[0.6, 0.2], [-0.6, 0.2], [-0.6, -0.3], [0.6, -0.3]], radii: [-0.7, 0, 0, "
     "0], material: m}"},
    {"boundary on outline", true, "mass: 1, inertia: 0.1",
     "g: {arcs: b, points: [[-1, -0.6], [0.3, -0.6], [0.9, 0.5], [1.2, 0.5], [1.2, -0.8], [-1, -0.8]], radii: [0, -1, "
     "0, 0, 0, 0], material: m}"},
    {"boundary on outline", true, "mass: 1, inertia: 0.1",
     "g: {curve: b, at: [1, 0.1], points: [[0.5, 0], [0, 0.4], [-0.4, 0.1], [0, -0.3]], material: m}"},
    {"boundary on boundary", true, SOFT, "g: {boundary: b, material: m}"},
    {"boundary on plane", true, "mass: 1, inertia: 0.1", "g: {plane: b, at: [0, -0.3], material: m}"},
    {"boundary on outline", true, "mass: 1, inertia: 0.1", "g: {sphere: b, at: [0.6, 0.3], radius: 0.15, material: m}"},
};
enum { BOUNDARIES = sizeof boundaries / sizeof *boundaries, OF_BEAMS = 2 };  // the last of them

static bool open_boundary(run *r, const subject *s, const char *body) {
  char text[2048];
  bool two = strcmp(s->joint, SOFT) == 0;
  snprintf(text, sizeof text,
           "space: planar\ncoordinates: absolute\nbodies: {a: {%s}, b: {%s}}\n"
           "materials: {m: {restitution: 0, friction: 0.2}}\n"
           "joints: {free: {free: [ground, a]}, other: {free: [ground, b], at: [%g, 0]}}\n"
           "surfaces: {f: {boundary: a, material: m}, %s}\nmethod: {moreau: {step: 1e-3}}\nend: 1\n",
           body, s->joint, two ? 1.3 : 0.0, s->surfaces);
  return run_open_text(r, text, "");
}

// The points of the element, each held to the place that it stands for at the start of the path.
static void go_held(path *w, double ahead, const contact_feature *held, contact_feature *now, contact_point *points) {
  const contact_element *e = w->contacts->elements;
  go(w, ahead, points);
  if (contact_points_change(e)) contact_place_touches(w->m, w->x, e, held, NULL, now, points);
}

// Force and moment of a row on both bodies, about the origin: none is left.
static void check_balance(const path *w, const row *r) {
  double sum[3] = {0};
  for (int k = 0; k < 2; k++) {
    const row_body *t = &w->x->row_bodies[r->body0 + k];
    const vec3 p = w->x->links[t->node].p;
    sum[0] += t->J[1], sum[1] += t->J[2], sum[2] += t->J[0] + p.x * t->J[2] - p.y * t->J[1];
  }
  for (int k = 0; k < 3; k++) CHECK_NEAR(sum[k], 0, 1e-14);
}

typedef struct held_path {
  contact_point points[CONTACT_POINTS_MAX];
  contact_feature now[CONTACT_POINTS_MAX];
  double rates[ROWS];
} held_path;

static void take_held(path *w, double ahead, const contact_feature *held, held_path *to) {
  go_held(w, ahead, held, to->now, to->points);
  add_rows(w, to->points);
  rows_rates(w->m, w->x, to->rates);
}

// Where a point stays with its features: gap rate, travel of place and normal, and the derivative of the rates of both
// rows by central differences. These err by h² (3/0.1)³/6, 1e-6 at h = 1e-5, and by rounding, 1e-16/h. Two nodes that
// are one place leave out what deformation turns, and are not compared.
static int compare_held(path *w) {
  const double h = 1e-5;
  const contact_element *e = w->contacts->elements;
  held_path *p = calloc(3, sizeof *p);
  contact_feature held[CONTACT_POINTS_MAX];
  double effort[32], none[32] = {0};
  int compared = 0;
  if (!CHECK(p)) return 0;
  go_held(w, 0, NULL, held, p[1].points);
  take_held(w, -h, held, &p[0]), take_held(w, h, held, &p[2]), take_held(w, 0, held, &p[1]);
  for (int k = 0; k < e->point_count; k++) contact_set_bias(w->m, w->x, e, &p[1].points[k], k, 2 * k);
  memset(w->x->udot, 0, (size_t)w->m->nv * sizeof *w->x->udot);
  tree_inverse(w->m, w->x, none, effort);
  for (int k = 0; k < e->point_count; k++) {
    const contact_point *a = &p[0].points[k], *b = &p[1].points[k], *c = &p[2].points[k];
    bool changes = contact_points_change(e);
    if (changes && (!contact_is_feature(&held[k]) || held[k].part[2] == 2 ||
                    !contact_same_feature(&p[0].now[k], &held[k]) || !contact_same_feature(&p[2].now[k], &held[k])))
      continue;
    contact_travel t = e->type->travel(w->m, w->x, e, b, k);
    CHECK_NEAR(contact_gap_rate(w->m, w->x, e, b), (c->gap - a->gap) / (2 * h), 1e-6);
    CHECK_NEAR(vec3_norm(vec3_sub(t.at, vec3_scale(0.5 / h, vec3_sub(c->at, a->at)))), 0, 1e-5);
    CHECK_NEAR(vec3_norm(vec3_sub(t.n, vec3_scale(0.5 / h, vec3_sub(c->n, a->n)))), 0, 1e-5);
    for (int i = 2 * k; i < 2 * k + 2; i++) check_balance(w, &w->x->rows[i]);
    for (int i = 2 * k; i < 2 * k + 2; i++)
      CHECK_NEAR(constraint_row_acceleration(w->m, w->x, &w->x->rows[i]), (p[2].rates[i] - p[0].rates[i]) / (2 * h),
                 1e-4);
    compared++;
  }
  free(p);
  return compared;
}

static void boundaries_move_with_their_bodies(void) {
  for (int k = 0; k < BOUNDARIES; k++) {
    run r;
    if (!open_boundary(&r, &boundaries[k], k < BOUNDARIES - OF_BEAMS ? SOFT : BENDING)) continue;
    path w = {.contacts = &r.model->contacts, .m = &r.model->m, .x = r.sim->x};
    CHECK_TEXT(w.contacts->elements->type->name, boundaries[k].type);
    int compared = 0;
    for (int sample = 0; sample < 20; sample++) {
      for (int i = 0; i < w.m->nq; i++) w.q[i] = w.m->q0[i] + uniform(-0.05, 0.05);
      for (int i = 0; i < w.m->nv; i++) w.u[i] = uniform(-1, 1);
      compared += compare_held(&w);
    }
    printf("    %s: %d points\n", boundaries[k].type, compared);
    CHECK_LE(20, compared);  // convex bodies that are apart have one place in each sample
    run_close(&r);
  }
}

// The derivative of the rates of both rows of a place that is held to its features, as in compare_held.
static void compare_rows(path *w, const contact_element *e, const contact_feature *f) {
  const double h = 1e-5;
  double sum[ROWS] = {0}, rates[ROWS], effort[32], none[32] = {0};
  contact_point p = {0};
  for (int side = -1; side <= 1; side++) {
    (void)gap_ahead(w, e, f, side * h, &p);
    rows_clear(w->m, w->x);
    CHECK_EQUAL(contact_add_rows(w->m, w->x, e, &p), 2);
    rows_rates(w->m, w->x, rates);
    for (int i = 0; i < 2; i++) sum[i] += side * rates[i] / (2 * h);
    if (side == 0) {
      const contact_travel t = e->type->follow->travel(w->m, w->x, e, f, &p);
      contact_set_bias_by(w->m, w->x, e, &p, &t, 0);
      memset(w->x->udot, 0, (size_t)w->m->nv * sizeof *w->x->udot);
      tree_inverse(w->m, w->x, none, effort);
      for (int i = 0; i < 2; i++) {
        check_balance(w, &w->x->rows[i]);
        sum[i] -= constraint_row_acceleration(w->m, w->x, &w->x->rows[i]);
      }
    }
  }
  for (int i = 0; i < 2; i++) CHECK_NEAR(sum[i], 0, 1e-4);
}

// The same of places that are held to features which need not be the nearest ones.
static void followed_places_of_boundaries_move_with_their_features(void) {
  for (int k = 0; k < BOUNDARIES; k++) {
    run r;
    const char *body = k < BOUNDARIES - OF_BEAMS ? SOFT : BENDING;
    if (strcmp(boundaries[k].type, "boundary on plane") == 0 || !open_boundary(&r, &boundaries[k], body)) continue;
    path w = {.contacts = &r.model->contacts, .m = &r.model->m, .x = r.sim->x};
    const contact_element *e = w.contacts->elements;
    int compared = 0;
    for (int sample = 0; sample < (strcmp(body, SOFT) == 0 ? 20 : 60); sample++) {
      contact_touch found[CONTACT_POINTS_MAX];
      for (int i = 0; i < w.m->nq; i++) w.q[i] = w.m->q0[i] + uniform(-0.05, 0.05);
      for (int i = 0; i < w.m->nv; i++) w.u[i] = uniform(-1, 1);
      contact_point points[CONTACT_POINTS_MAX] = {{0}};
      go(&w, 0, points);
      int count = e->type->follow->find(w.m, w.x, e, found);
      for (int i = 0; i < count; i++) {
        if (contact_is_guard(&found[i].feature)) continue;
        compared += compare_place(&w, e, &found[i].feature);
        compare_rows(&w, e, &found[i].feature);
      }
    }
    printf("    %s: %d places\n", boundaries[k].type, compared);
    CHECK_LE(15, compared);  // spheres have one place in each sample, unless they are too deep, or beside a beam
    run_close(&r);
  }
}

// --- anchors ---------------------------------------------------------------------------------------------------------

// Velocity and acceleration by central differences of the position, which err by h²; the row and the wrench by the
// velocity.
static void anchors_move_with_their_bodies(void) {
  run r;
  if (!open_subject(&r, &subjects[2], false)) return;
  path w = {.contacts = &r.model->contacts, .m = &r.model->m, .x = r.sim->x};
  const double h = 1e-4;
  for (int sample = 0; sample < 20; sample++) {
    contact_point points[CONTACT_POINTS_MAX] = {{0}};
    vec3 at[3], f = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)},
                n = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    double effort[32], none[32] = {0}, row[6], rate = 0;
    choose(&w);
    for (int k = 2; k >= 0; k--) {  // the middle last
      go(&w, k == 2 ? h : k == 1 ? -h : 0, points);
      marker_state s = marker_read(w.m, w.x, w.m->joints[0].first);
      at[k] = anchor_position(w.x, &s.anchor);
    }
    anchor a = marker_read(w.m, w.x, w.m->joints[0].first).anchor;
    tree_inverse(w.m, w.x, none, effort);
    vec3 v = anchor_velocity(w.m, w.x, &a), difference = vec3_scale(0.5 / h, vec3_sub(at[2], at[1]));
    vec3 second = vec3_scale(1 / (h * h), vec3_add(vec3_sub(at[2], at[0]), vec3_sub(at[1], at[0])));
    CHECK_NEAR(vec3_norm(vec3_sub(v, difference)), 0, 1e-7);
    CHECK_NEAR(vec3_norm(vec3_sub(anchor_acceleration(w.m, w.x, &a), second)), 0, 1e-6);
    anchor_wrench(w.m, &a, f, n, row);
    for (int k = 0; k < w.m->n; k++) rate += row[k] * w.x->links[a.node].V[k];
    CHECK_NEAR(rate, vec3_dot(f, v) + vec3_dot(n, anchor_omega(w.m, w.x, &a)), 1e-14);
    CHECK_NEAR(vec3_norm(vec3_sub(anchor_torque(&a, f, vec3_of(row)), n)), 0, 1e-14);
  }
  run_close(&r);
}

int main(void) {
  RUN(the_bias_of_rows_is_the_derivative_of_their_rates);
  RUN(followed_places_move_with_their_features);
  RUN(anchors_move_with_their_bodies);
  RUN(also_on_flexible_bodies);
  RUN(boundaries_move_with_their_bodies);
  RUN(followed_places_of_boundaries_move_with_their_features);
  return check_summary();
}
