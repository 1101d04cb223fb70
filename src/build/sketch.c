#include "build/sketch.h"

#include <math.h>

void sketch_put_point(json_writer *w, const char *key, vec3 p) {
  json_put_numbers(w, key, (const double[]){p.x, p.y, p.z}, 3);
}

void sketch_put_pose(json_writer *w, pose p) {
  sketch_put_point(w, "at", p.p);
  quat q = quat_of_matrix(p.R);
  if (q.w != 1) json_put_numbers(w, "rotate", (const double[]){q.w, q.x, q.y, q.z}, 4);
}

static void begin(const sketch *s, const char *kind, bool from_model) {
  json_open(s->w, NULL, '{');
  json_put_text(s->w, "kind", kind);
  json_put_flag(s->w, "from_model", from_model);
}

static void end_at(const sketch *s, pose at) {
  sketch_put_pose(s->w, at);
  json_close(s->w, '}');
}

void sketch_link(const sketch *s, vec3 from, vec3 to, double width, bool from_model) {
  double length = vec3_norm(vec3_sub(to, from));
  begin(s, "link", from_model);
  sketch_put_point(s->w, "from", from);
  sketch_put_point(s->w, "to", to);
  json_put_number(s->w, "width", width > 0 ? width : fmin(0.1 * length, 0.04 * s->length));
  json_close(s->w, '}');
}

static void put_round(const sketch *s, const char *kind, pose at, double radius, double length, bool from_model) {
  begin(s, kind, from_model);
  json_put_number(s->w, "radius", radius);
  if (length > 0) json_put_number(s->w, "length", length);
  end_at(s, at);
}

void sketch_ball(const sketch *s, pose at, double radius, bool from_model) {
  put_round(s, s->planar ? "disc" : "sphere", at, radius, 0, from_model);
}

void sketch_disc(const sketch *s, pose at, double radius, bool from_model) {
  put_round(s, "disc", at, radius, 0, from_model);
}

void sketch_cylinder(const sketch *s, pose at, double radius, double length, bool from_model) {
  put_round(s, "cylinder", at, radius, length, from_model);
}

// In the plane it lies along x; the axis of the primitive is z.
void sketch_capsule(const sketch *s, pose at, double radius, double length, bool from_model) {
  if (s->planar) at.R = mat3_product(at.R, (mat3){{0, 0, 1, 0, -1, 0, 1, 0, 0}});
  put_round(s, "capsule", at, radius, length, from_model);
}

void sketch_cone(const sketch *s, pose at, double radius, double length, bool from_model) {
  put_round(s, "cone", at, radius, length, from_model);
}

void sketch_ellipsoid(const sketch *s, pose at, vec3 radii, const double *exponents, bool from_model) {
  begin(s, exponents ? "superellipsoid" : "ellipsoid", from_model);
  sketch_put_point(s->w, "radii", radii);
  if (exponents) json_put_numbers(s->w, "exponents", exponents, 2);
  end_at(s, at);
}

void sketch_mesh(const sketch *s, const char *kind, pose at, int mesh, bool from_model) {
  begin(s, kind, from_model);
  json_put_integer(s->w, "mesh", mesh);
  end_at(s, at);
}

void sketch_polygon(const sketch *s, pose at, carom_points corners, bool from_model) {
  begin(s, "polygon", from_model);
  json_open(s->w, "points", '[');
  for (int i = 0; i < corners.count; i++) json_put_numbers(s->w, NULL, corners.items[i], 2);
  json_close(s->w, ']');
  end_at(s, at);
}

void sketch_box(const sketch *s, pose at, vec3 size, bool from_model) {
  begin(s, "box", from_model);
  if (!(size.z > 0)) size.z = fmin(size.x, size.y);
  sketch_put_point(s->w, "size", size);
  end_at(s, at);
}

void sketch_mark(const sketch *s, pose at, const char *kind) {
  begin(s, kind, false);
  end_at(s, at);
}
