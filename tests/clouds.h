// Flexible bodies for tests of mechanisms: bodies of a few points with random shape functions, whose inertia is that of
// the points.
#ifndef CAROM_TESTS_CLOUDS_H
#define CAROM_TESTS_CLOUDS_H

#include "mechanisms.h"

#include "mechanics/flexible.h"

enum { POINTS = 6, MODES = 3 };

// A body of points that move by ρ = x + Σ φ q + ½ Σ g q q, where g is made of one field: g_ij = S_ij ψ.
typedef struct cloud {
  flexible_body flex;
  double mass[POINTS];
  vec3 x[POINTS], phi[POINTS][MODES], psi[POINTS];
  double square[MODES * MODES], stiffness[MODES * MODES], damping[MODES * MODES];
} cloud;

MAYBE_UNUSED static vec3 in_model(const rig *r, vec3 v) { return r->m.planar ? (vec3){v.x, v.y, 0} : v; }

MAYBE_UNUSED static void random_symmetric(rig *r, double size, double *A) {
  for (int i = 0; i < MODES; i++)
    for (int j = 0; j <= i; j++)
      A[i * MODES + j] = A[j * MODES + i] = random_between(&r->seed, -size, size) + (i == j) * 2 * size;
}

MAYBE_UNUSED static cloud *random_cloud(rig *r) {
  cloud *c = ARENA_NEW(&r->memory, cloud);
  floating_body *b = &c->flex.inertia;
  random_symmetric(r, 1, c->square), random_symmetric(r, 30, c->stiffness), random_symmetric(r, 0.5, c->damping);
  *b = (floating_body){.modes = MODES, .fields = 1, .square = c->square};
  inertia_create(&r->memory, &b->inertia, MODES + 1);
  for (int p = 0; p < POINTS; p++) {
    vec3 shapes[MODES + 1];
    c->mass[p] = random_between(&r->seed, 0.1, 0.5);
    c->x[p] = in_model(r, random_vec3(&r->seed, 0.5));
    c->psi[p] = shapes[MODES] = in_model(r, random_vec3(&r->seed, 0.3));
    for (int i = 0; i < MODES; i++) c->phi[p][i] = shapes[i] = in_model(r, random_vec3(&r->seed, 0.5));
    inertia_add(&b->inertia, c->mass[p], c->x[p], shapes);
  }
  floating_prepare(&r->memory, b);
  c->flex.modes = MODES, c->flex.stiffness = c->stiffness, c->flex.damping = c->damping;
  return c;
}

// A marker that moves with the modes, or, where the joint carries the body, does not.
MAYBE_UNUSED static const marker_shape *random_shape(rig *r, bool moves) {
  marker_shape *s = ARENA_NEW(&r->memory, marker_shape);
  vec3 *shift = ARENA_ARRAY(&r->memory, vec3, MODES), *turn = ARENA_ARRAY(&r->memory, vec3, MODES);
  vec3 *second = ARENA_ARRAY(&r->memory, vec3, MODES * MODES);
  for (int i = 0; moves && i < MODES; i++) {
    const vec3 about = random_vec3(&r->seed, 0.5);
    shift[i] = in_model(r, random_vec3(&r->seed, 0.5)), turn[i] = r->m.planar ? (vec3){0, 0, about.z} : about;
    for (int j = 0; j <= i; j++)
      second[i * MODES + j] = second[j * MODES + i] = in_model(r, random_vec3(&r->seed, 0.3));
  }
  *s = (marker_shape){shift, turn, second};
  return s;
}

// A body of a rig that is not compiled yet becomes flexible.
MAYBE_UNUSED static cloud *make_flexible(rig *r, int b) {
  cloud *c = random_cloud(r);
  body *of = &r->m.bodies[b];
  of->flex = &c->flex;
  of->mass = c->flex.inertia.inertia.mass;
  of->com = vec3_scale(1 / of->mass, c->flex.inertia.inertia.first);
  return c;
}

// Every other body becomes flexible, and all markers on them move with the modes, but those by which joints carry them:
// the tree is that of the rigid bodies. In absolute coordinates all move.
MAYBE_UNUSED static rig *bend(rig *r, cloud **clouds) {
  rig *rigid = rig_twin(r, r->m.absolute);
  bool carries[RIG_MARKERS] = {0};
  CHECK(rig_compile(rigid));
  for (int i = 1; i < rigid->m.node_count; i++) {
    const node *n = &rigid->m.nodes[i];
    if (n->joint >= 0) carries[n->reversed ? r->m.joints[n->joint].first : r->m.joints[n->joint].second] = true;
  }
  for (int b = 1; b < r->m.body_count; b++) {
    if ((b + (int)r->seed) % 2) continue;
    cloud *c = make_flexible(r, b);
    if (clouds) clouds[b] = c;
  }
  for (int k = 0; k < r->m.marker_count; k++)
    if (r->m.bodies[r->m.markers[k].body].flex) r->m.markers[k].shape = random_shape(r, !carries[k]);
  rig_destroy(rigid);
  return r;
}

// Modes start near zero: turns of a deformed body are small.
MAYBE_UNUSED static state flexible_state_at(rig *r, double speed) {
  state s = random_state(r, speed);
  for (int i = 1; i < r->m.node_count; i++)
    for (int k = 0; k < r->m.nodes[i].modes; k++) s.q[r->m.nodes[i].modal_q + k] *= 0.3;
  return s;
}

MAYBE_UNUSED static state flexible_state(rig *r) { return flexible_state_at(r, 1.5); }

#endif
