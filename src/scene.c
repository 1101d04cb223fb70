#include "scene.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "build/surface.h"
#include "mechanics/constraint.h"
#include "mechanics/force.h"

typedef struct scene {
  json_writer w;
  const carom_model *model;
  const mechanism *m;
  double length;  // a typical size
} scene;

// --- pieces ----------------------------------------------------------------------------------------------------------

static sketch sketch_of(scene *s) { return (sketch){&s->w, s->m->planar, s->length}; }

static void put_marker(scene *s, const char *key, int index) {
  if (index < 0) {
    json_put_null(&s->w, key);
    return;
  }
  const marker *k = &s->m->markers[index];
  json_open(&s->w, key, '{');
  json_put_integer(&s->w, "body", k->body);
  sketch_put_pose(&s->w, k->local);
  json_close(&s->w, '}');
}

static void put_link(scene *s, vec3 from, vec3 to, double width) {
  sketch to_scene = sketch_of(s);
  sketch_link(&to_scene, from, to, width, false);
}

static void put_ball(scene *s, pose at, double radius) {
  sketch to_scene = sketch_of(s);
  sketch_ball(&to_scene, at, radius, false);
}

static void put_box(scene *s, pose at, vec3 size) {
  sketch to_scene = sketch_of(s);
  sketch_box(&to_scene, at, size, false);
}

// --- shapes ----------------------------------------------------------------------------------------------------------

static void put_given_shape(scene *s, const drawn_shape *given) {
  const shape_type *type = given->type;
  const carom_shape_def *d = &given->shape;
  sketch to = sketch_of(s);
  pose at = {type->rotation ? type->rotation(d, s->m->planar) : MAT3_IDENTITY, vec3_of(d->at)};
  if (type->draw_data) type->draw_data(&to, &given->data, at, true);
  else type->draw(&to, d, at, true);
}

// Whether a shape of the model is this surface already.
static bool shows(const drawn_shape *given, const drawn_surface *f, double within) {
  const shape_type *drawn = f->type->drawn;
  return drawn && drawn->is_same_size && drawn->is_same_size == given->type->is_same_size &&
         vec3_norm(vec3_sub(vec3_of(given->shape.at), vec3_of(f->shape.at))) <= within &&
         drawn->is_same_size(&f->shape, &given->shape, within);
}

static bool is_shown(const scene *s, int body, const drawn_surface *f) {
  const drawing *d = &s->model->drawing;
  for (int i = 0; i < d->shape_count; i++)
    if (d->shapes[i].body == body && shows(&d->shapes[i], f, 1e-6 * s->length)) return true;
  return false;
}

// What can touch is drawn, whatever shape the model gives: contact is seen where it is. Returns how many have a size;
// `reach` is that of the largest.
static int put_touching_parts(scene *s, int body, double *reach) {
  int count = 0;
  for (int i = 0; i < s->model->drawing.surface_count; i++) {
    const drawn_surface *f = &s->model->drawing.surfaces[i];
    const marker *k = &s->m->markers[f->marker];
    if (k->body != body || is_shown(s, body, f)) continue;
    sketch to = sketch_of(s);
    if (f->type->drawn && f->data.mesh >= 0) f->type->drawn->draw_data(&to, &f->data, k->local, false);
    else if (f->type->drawn) f->type->drawn->draw(&to, &f->shape, k->local, false);
    else sketch_mark(&to, k->local, f->type->table->name);
    if (f->type->reach) *reach = fmax(*reach, f->type->reach(&f->shape));
    count += f->type->is_body;
  }
  return count;
}

// Sliders in a guide with clearance have a size of their own, as surfaces have.
static int put_solid_parts(scene *s, int body, double *reach) {
  const mechanism *m = s->m;
  int count = put_touching_parts(s, body, reach);
  for (int i = 0; i < m->joint_count; i++) {
    const drawn_joint *d = &s->model->drawing.joints[i];
    const marker *k = &m->markers[m->joints[i].second];
    if (k->body != body || !(d->length > 0 && d->width > 0)) continue;
    // along the joint's axis, x in the plane and z in space
    put_box(
        s, k->local,
        m->planar ? (vec3){d->length, d->width, 0} : (vec3){d->width, d->height > 0 ? d->height : d->width, d->length});
    *reach = fmax(*reach, 0.5 * d->length);
    count++;
  }
  return count;
}

// The uniform disc or box that has a body's mass and moments of inertia.
static void put_inertia(scene *s, const body *b) {
  const double *I = b->inertia;
  double least = 0.02 * s->length, most = 0.5 * s->length;
  pose at = {MAT3_IDENTITY, b->com};
  if (!(b->mass > 0)) {
    put_ball(s, at, 0.03 * s->length);
    return;
  }
  if (s->m->planar) {
    put_ball(s, at, fmin(fmax(sqrt(2 * fmax(I[2], 0) / b->mass), least), most));
    return;
  }
  double edge[3];
  for (int k = 0; k < 3; k++) {
    double square = 6 * (I[(k + 1) % 3] + I[(k + 2) % 3] - I[k]) / b->mass;
    edge[k] = fmin(fmax(sqrt(fmax(square, 0)), least), 2 * most);
  }
  put_box(s, at, vec3_of(edge));
}

static double distance_to_segment(vec3 p, vec3 from, vec3 to) {
  vec3 way = vec3_sub(to, from), off = vec3_sub(p, from);
  double square = vec3_dot(way, way), along = square > 0 ? vec3_dot(off, way) / square : 0;
  return vec3_norm(vec3_axpy(off, -fmin(fmax(along, 0), 1), way));
}

// Links from one point of a body to others. What lies on the way to another needs no link of its own.
typedef struct star {
  vec3 hub;
  vec3 *to;
  int count;
} star;

static bool is_reached(const scene *s, const star *l, vec3 p, int but) {
  double near = 1e-3 * s->length;
  if (vec3_norm(vec3_sub(p, l->hub)) < near) return true;
  for (int i = 0; i < l->count; i++)
    if (i != but && distance_to_segment(p, l->hub, l->to[i]) < near) {
      bool equal = vec3_norm(vec3_sub(p, l->to[i])) < near;
      if (!equal || i < but || but < 0) return true;
    }
  return false;
}

static void put_star(scene *s, const star *l) {
  for (int i = 0; i < l->count; i++)
    if (!is_reached(s, l, l->to[i], i)) put_link(s, l->hub, l->to[i], 0);
}

// The rest of a body with one joint whose mass centre no link reaches: a rod's centre is in its middle, a bob's is
// where the bob is.
static bool put_arm(scene *s, const body *b, const star *l, bool solid, double reach) {
  vec3 arm = vec3_sub(b->com, l->hub);
  double length = vec3_norm(arm);
  if (!(length > fmax(reach, 1e-3 * s->length))) return false;
  for (int i = 0; i < l->count; i++)
    if (vec3_dot(vec3_sub(l->to[i], l->hub), arm) > 1.5 * length * length) return false;  // something is at its far end
  if (solid && is_reached(s, l, b->com, -1)) return false;
  put_link(s, l->hub, solid ? b->com : vec3_axpy(l->hub, 2, arm), solid ? 0.01 * s->length : 0);
  return true;
}

// A body without a shape: surfaces as they are, links to all that is attached to it, else what its inertia suggests.
static void put_guessed_shapes(scene *s, int index) {
  const body *b = &s->m->bodies[index];
  const drawn_body *d = &s->model->drawing.bodies[index];
  double reach = 0;
  bool solid = put_solid_parts(s, index, &reach) > 0;
  if (index == GROUND) return;
  star links = {.hub = d->holding ? d->at[0] : b->com, .to = d->at, .count = d->count};
  put_star(s, &links);
  bool armed = d->holding == 1 && !d->slides && put_arm(s, b, &links, solid, reach);
  if (d->slides && !solid) put_box(s, (pose){MAT3_IDENTITY, d->at[0]}, (vec3){0.1 * s->length, 0.06 * s->length, 0});
  else if (d->count < 2 && !solid && !armed) put_inertia(s, b);
}

// Each once, whatever the number of bodies that it draws. Nine digits are more than a picture shows.
static void put_meshes(scene *s) {
  const drawing *d = &s->model->drawing;
  json_open(&s->w, "meshes", '[');
  for (int i = 0; i < d->mesh_count; i++) {
    const drawn_mesh *m = &d->meshes[i];
    json_open(&s->w, NULL, '{');
    json_put_text(&s->w, "name", m->name);
    json_open(&s->w, "vertices", '[');
    for (int k = 0; k < 3 * m->vertices.count; k++) json_put_rounded(&s->w, NULL, m->vertices.items[k / 3][k % 3]);
    json_close(&s->w, ']');
    json_put_integers(&s->w, "triangles", m->triangles, 3 * m->triangle_count);
    json_close(&s->w, '}');
  }
  json_close(&s->w, ']');
}

static void put_vectors(scene *s, const char *key, const vec3 *v, int count) {
  json_open(&s->w, key, '[');
  for (int i = 0; i < count; i++) {
    json_put_rounded(&s->w, NULL, v[i].x);
    json_put_rounded(&s->w, NULL, v[i].y);
    json_put_rounded(&s->w, NULL, v[i].z);
  }
  json_close(&s->w, ']');
}

// How a beam bends: at each place x along it, displacement and turn per modal coordinate, and the displacement of
// second order along it.
static void put_beam(scene *s, const drawn_beam *b) {
  json_open(&s->w, "beam", '{');
  json_put_integer(&s->w, "modes", b->modes);
  json_put_number(&s->w, "width", b->width);
  json_put_numbers(&s->w, "x", b->x, b->place_count);
  put_vectors(s, "shift", b->shift, b->place_count * b->modes);
  put_vectors(s, "turn", b->turn, b->place_count * b->modes);
  put_vectors(s, "stress", b->stress, b->place_count * b->modes);
  json_open(&s->w, "second", '[');
  for (int i = 0; b->second && i < b->place_count * b->modes * b->modes; i++)
    json_put_rounded(&s->w, NULL, b->second[i]);
  json_close(&s->w, ']');
  json_close(&s->w, '}');
}

static void put_pairs(scene *s, const char *key, const vec2 *v, int count) {
  json_open(&s->w, key, '[');
  for (int i = 0; i < count; i++) json_put_rounded(&s->w, NULL, v[i].x), json_put_rounded(&s->w, NULL, v[i].y);
  json_close(&s->w, ']');
}

// How a planar solid deforms: at each vertex displacement and stress per modal coordinate.
static void put_solid(scene *s, const drawn_solid *d) {
  json_open(&s->w, "solid", '{');
  json_put_integer(&s->w, "modes", d->modes);
  json_put_number(&s->w, "poisson", d->poisson);
  put_pairs(s, "vertices", d->at, d->vertex_count);
  json_put_integers(&s->w, "triangles", d->triangles, 3 * d->triangle_count);
  json_put_integers(&s->w, "rim", d->rim, d->rim_count);
  put_pairs(s, "shift", d->shift, d->vertex_count * d->modes);
  json_open(&s->w, "stress", '[');
  for (int i = 0; i < 3 * d->vertex_count * d->modes; i++) json_put_rounded(&s->w, NULL, d->stress[i / 3][i % 3]);
  json_close(&s->w, ']');
  json_close(&s->w, '}');
}

static void put_shapes(scene *s, int i, int *next) {
  const drawing *d = &s->model->drawing;
  const drawn_beam *beam = d->bodies[i].beam;
  if (*next < d->shape_count && d->shapes[*next].body == i) {
    while (*next < d->shape_count && d->shapes[*next].body == i) put_given_shape(s, &d->shapes[(*next)++]);
    put_touching_parts(s, i, &(double){0});
  } else if (beam) {
    put_link(s, VEC3_ZERO, (vec3){beam->x[beam->place_count - 1], 0, 0}, beam->width);
    put_touching_parts(s, i, &(double){0});
  } else if (d->bodies[i].solid) {
    put_touching_parts(s, i, &(double){0});
  } else {
    put_guessed_shapes(s, i);
  }
}

static void put_bodies(scene *s) {
  int next = 0;
  json_open(&s->w, "bodies", '[');
  for (int i = 0; i < s->m->body_count; i++) {
    const body *b = &s->m->bodies[i];
    json_open(&s->w, NULL, '{');
    json_put_text(&s->w, "name", b->name);
    sketch_put_point(&s->w, "com", b->com);
    json_put_number(&s->w, "mass", b->mass);
    json_open(&s->w, "shapes", '[');
    put_shapes(s, i, &next);
    json_close(&s->w, ']');
    if (s->model->drawing.bodies[i].beam) put_beam(s, s->model->drawing.bodies[i].beam);
    if (s->model->drawing.bodies[i].solid) put_solid(s, s->model->drawing.bodies[i].solid);
    json_close(&s->w, '}');
  }
  json_close(&s->w, ']');
}

// --- joints, surfaces, constraints, forces, drives -------------------------------------------------------------------

// The joint's axis is z of its marker; x for one that slides in the plane.
static void put_axis(scene *s, const joint *j) {
  bool slides = s->m->planar && joint_is_slider(j->type, true);
  if (j->type->has_axis) sketch_put_point(&s->w, "axis", mat3_column(s->m->markers[j->first].local.R, slides ? 0 : 2));
  else json_put_null(&s->w, "axis");
}

static void put_joints(scene *s) {
  json_open(&s->w, "joints", '[');
  for (int i = 0; i < s->m->joint_count; i++) {
    const joint *j = &s->m->joints[i];
    const drawn_joint *d = &s->model->drawing.joints[i];
    json_open(&s->w, NULL, '{');
    json_put_text(&s->w, "name", j->name);
    json_put_text(&s->w, "kind", j->type->name);
    put_marker(s, "first", j->first);
    put_marker(s, "second", j->second);
    put_axis(s, j);
    json_put_number(&s->w, "clearance", d->clearance);
    json_put_number(&s->w, "radius", d->radius);
    json_put_number(&s->w, "length", d->length);
    json_put_number(&s->w, "width", d->width);
    json_put_number(&s->w, "height", d->height);
    json_put_number(&s->w, "axial_clearance", d->axial_clearance);
    if (d->limits) json_put_numbers(&s->w, "limits", d->limits, 2);
    else json_put_null(&s->w, "limits");
    json_put_flag(&s->w, "loop", carom_model_joint_closes_loop(s->model, i));
    json_close(&s->w, '}');
  }
  json_close(&s->w, ']');
}

static void put_surfaces(scene *s) {
  json_open(&s->w, "surfaces", '[');
  for (int i = 0; i < s->model->drawing.surface_count; i++) {
    const drawn_surface *f = &s->model->drawing.surfaces[i];
    json_open(&s->w, NULL, '{');
    json_put_text(&s->w, "name", f->name);
    json_put_text(&s->w, "kind", f->type->table->name);
    json_put_integer(&s->w, "body", s->m->markers[f->marker].body);
    sketch_put_pose(&s->w, s->m->markers[f->marker].local);
    json_put_number(&s->w, "radius", f->shape.radius);
    json_put_numbers(&s->w, "size", f->shape.size, 3);
    json_close(&s->w, '}');
  }
  json_close(&s->w, ']');
}

// Σ factor q: teeth of wheels in mesh, radius of a pinion and -1 of its rack.
static void put_terms(scene *s, const constraint *c) {
  json_open(&s->w, "terms", '[');
  for (int i = 0; i < c->term_count; i++) {
    json_open(&s->w, NULL, '{');
    json_put_integer(&s->w, "joint", c->terms[i].of.joint);
    json_put_integer(&s->w, "coordinate", c->terms[i].of.index);
    json_put_number(&s->w, "factor", c->terms[i].factor);
    json_close(&s->w, '}');
  }
  json_close(&s->w, ']');
}

// What a relation of two coordinates is: wheels in mesh where both turn, a pinion and its rack where the second slides.
static const char *couple_kind(const mechanism *m, const constraint *c) {
  if (c->term_count != 2) return "couple";
  const joint_type *first = m->joints[c->terms[0].of.joint].type, *second = m->joints[c->terms[1].of.joint].type;
  if (!joint_is_hinge(first, m->planar)) return "couple";
  return joint_is_hinge(second, m->planar) ? "gear" : joint_is_slider(second, m->planar) ? "rack" : "couple";
}

static void put_constraints(scene *s) {
  json_open(&s->w, "constraints", '[');
  for (int i = 0;; i++) {
    carom_part p = carom_model_part(s->model, "constraints", i);
    if (!p.name) break;
    const constraint *c = s->m->constraints;
    while (c->joint >= 0 || strcmp(c->name, p.name) != 0) c++;
    bool between_markers = !c->terms;
    json_open(&s->w, NULL, '{');
    json_put_text(&s->w, "name", p.name);
    json_put_text(&s->w, "kind", between_markers ? p.kind : couple_kind(s->m, c));
    put_marker(s, "first", between_markers ? c->first : -1);
    put_marker(s, "second", between_markers ? c->second : -1);
    if (!between_markers) put_terms(s, c);
    json_close(&s->w, '}');
  }
  json_close(&s->w, ']');
}

static void put_forces(scene *s) {
  json_open(&s->w, "forces", '[');
  for (int i = 0; i < s->m->force_count; i++) {
    const force *f = &s->m->forces[i];
    json_open(&s->w, NULL, '{');
    json_put_text(&s->w, "name", f->name);
    json_put_text(&s->w, "kind", f->type->name);
    put_marker(s, "first", f->first);
    put_marker(s, "second", f->second);
    if (f->of.joint >= 0) json_put_integer(&s->w, "joint", f->of.joint);
    else json_put_null(&s->w, "joint");
    json_close(&s->w, '}');
  }
  json_close(&s->w, ']');
}

static void put_drives(scene *s) {
  json_open(&s->w, "drives", '[');
  for (int i = 0; i < s->m->drive_count; i++) {
    json_open(&s->w, NULL, '{');
    json_put_text(&s->w, "name", s->m->drives[i].name);
    json_put_integer(&s->w, "joint", s->m->drives[i].of.joint);
    json_put_integer(&s->w, "coordinate", s->m->drives[i].of.index);
    json_close(&s->w, '}');
  }
  json_close(&s->w, ']');
}

// --- contacts --------------------------------------------------------------------------------------------------------

static void put_touching(scene *s, const contact_element *e, const int told[2]) {
  const drawing *d = &s->model->drawing;
  int joint_index = -1, pair[2] = {-1, -1};
  for (int i = 0; i < s->m->joint_count; i++)
    if (s->m->joints[i].first == e->first && s->m->joints[i].second == e->second) joint_index = i;
  for (int i = 0; i < d->surface_count; i++) {
    if (d->surfaces[i].marker == told[0]) pair[0] = i;
    if (d->surfaces[i].marker == told[1]) pair[1] = i;
  }
  if (joint_index >= 0) json_put_integer(&s->w, "joint", joint_index);
  else json_put_null(&s->w, "joint");
  if (pair[0] >= 0 && pair[1] >= 0) json_put_integers(&s->w, "surfaces", pair, 2);
  else json_put_null(&s->w, "surfaces");
}

static void put_modes(scene *s, const contact_type *type) {
  if (!type->mode_names) {
    json_put_null(&s->w, "modes");
    return;
  }
  json_open(&s->w, "modes", '[');
  for (const char *const *name = type->mode_names; *name; name++) json_put_text(&s->w, NULL, *name);
  json_close(&s->w, ']');
}

static void put_contacts(scene *s) {
  json_open(&s->w, "contacts", '[');
  for (int i = 0; i < s->model->contacts.element_count; i++) {
    const contact_element *e = &s->model->contacts.elements[i];
    // In the order in which the columns are told: the force is that on the first.
    int told[2] = {e->told_backwards ? e->second : e->first, e->told_backwards ? e->first : e->second};
    json_open(&s->w, NULL, '{');
    json_put_text(&s->w, "name", e->name);
    json_put_text(&s->w, "kind", e->type->name);
    put_marker(s, "first", told[0]);
    put_marker(s, "second", told[1]);
    put_touching(s, e, told);
    json_put_number(&s->w, "clearance", e->clearance);
    json_put_number(&s->w, "restitution", e->material.restitution);
    json_put_number(&s->w, "tangential_restitution", e->material.tangential_restitution);
    json_put_number(&s->w, "friction", e->material.friction);
    bool pressed = s->model->scheme->about->needs_laws;
    json_put_text(&s->w, "law", pressed && e->material.normal.type ? e->material.normal.type->name : NULL);
    json_put_text(&s->w, "friction_law",
                  pressed && e->material.tangential.type ? e->material.tangential.type->name : NULL);
    json_put_integer(&s->w, "points", e->point_count);
    json_put_integer(&s->w, "point0", e->point0);
    json_open(&s->w, "point_names", '[');
    for (int k = 0; e->point_count > 1 && k < e->point_count; k++)
      json_put_text(&s->w, NULL, contact_point_name(s->m, e, k));
    json_close(&s->w, ']');
    put_modes(s, e->type);
    json_close(&s->w, '}');
  }
  json_close(&s->w, ']');
}

// --- settings --------------------------------------------------------------------------------------------------------

static void put_word(scene *s, const char *key, const char *words, int index) {
  while (index-- > 0) words = strchr(words, '|') + 1;
  json_put_text(&s->w, key, arena_print(s->w.memory, "%.*s", (int)strcspn(words, "|"), words));
}

// An options struct as its table describes it.
static void put_options(scene *s, const char *key, const option_table *table, const void *content) {
  json_open(&s->w, key, '{');
  for (int i = 0; i < table->count; i++) {
    const option *o = &table->options[i];
    const char *at = (const char *)content + o->offset;
    if (o->type == OPTION_NUMBER && o->words && *(const double *)at <= 0)
      put_word(s, o->key, o->words, (int)-*(const double *)at);
    else if (o->type == OPTION_NUMBER) json_put_number(&s->w, o->key, *(const double *)at);
    if (o->type == OPTION_INTEGER) json_put_integer(&s->w, o->key, *(const int *)at);
    if (o->type == OPTION_FLAG) json_put_flag(&s->w, o->key, *(const bool *)at);
    if (o->type == OPTION_WORD) put_word(s, o->key, o->words, *(const int *)at);
  }
  json_close(&s->w, '}');
}

static void put_method(scene *s) {
  const carom_model *model = s->model;
  const scheme_about *about = model->scheme->about;
  scheme_options options = model->options;
  if (about->complete) about->complete(&options, s->length);
  put_options(s, "method", about->table, &options);
  if (about->integrates) put_options(s, "integrator", &integrator_table, &model->integrator);
}

static void put_settings(scene *s) {
  const carom_model *model = s->model;
  json_open(&s->w, "options", '{');
  put_method(s);
  put_options(s, "record", &record_table_options, &model->record);
  json_close(&s->w, '}');
  json_open(&s->w, "remarks", '[');
  carom_remark remark;
  for (int i = 0; (remark = carom_model_remark(model, i)).name; i++) {
    json_open(&s->w, NULL, '{');
    json_put_text(&s->w, "name", remark.name);
    json_put_text(&s->w, "text", remark.text);
    json_put_text(&s->w, "contact", remark.contact);
    json_put_integer(&s->w, "count", remark.count);
    json_close(&s->w, '}');
  }
  json_close(&s->w, ']');
  json_open(&s->w, "files", '[');
  const document *text = model->def ? model->def->text : NULL;
  for (int i = 0; text && i < text->source_count; i++) json_put_text(&s->w, NULL, text->sources[i]->name);
  json_close(&s->w, ']');
}

const char *scene_write_facts(arena *memory, const carom_model *model) {
  scene s = {.w = json_begin(memory), .model = model, .m = &model->m, .length = model->m.length};
  json_open(&s.w, NULL, '{');
  put_settings(&s);
  json_put_number(&s.w, "length", model->m.length);
  put_contacts(&s);
  json_close(&s.w, '}');
  return s.w.out.text;
}

const char *scene_write(arena *memory, const carom_model *model) {
  scene s = {.w = json_begin(memory), .model = model, .m = &model->m, .length = model->m.length};
  json_open(&s.w, NULL, '{');
  json_put_text(&s.w, "space", model->m.planar ? "planar" : "spatial");
  json_put_text(&s.w, "coordinates", model->m.absolute ? "absolute" : "joint");
  json_put_text(&s.w, "source", model->about.source ? model->about.source : "");
  put_settings(&s);
  sketch_put_point(&s.w, "gravity", model->m.gravity);
  json_put_number(&s.w, "length", model->m.length);
  put_bodies(&s);
  put_meshes(&s);
  put_joints(&s);
  put_surfaces(&s);
  put_constraints(&s);
  put_forces(&s);
  put_drives(&s);
  put_contacts(&s);
  json_close(&s.w, '}');
  return s.w.out.text;
}
