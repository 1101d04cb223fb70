#include "mechanics/centre.h"

#include "mechanics/tree.h"

// Speeds and coordinates of the joint: the turn comes first, then the way.
enum { TURN_Q = 4, TURN_V = 3 };

static int node_at(const mechanism *m, int marker) { return m->bodies[m->markers[marker].body].node; }

// If one of two nodes is held, so is the other. Returns whether that is new.
static bool join(bool *held, int a, int b) {
  if (held[a] == held[b]) return false;
  return held[a] = held[b] = true;
}

static bool join_constraint(const mechanism *m, const constraint *c, bool *held) {
  bool changed = false;
  if (!c->term_count) return join(held, node_at(m, c->first), node_at(m, c->second));
  for (int k = 0; k < c->term_count; k++) {
    const joint *j = &m->joints[c->terms[k].of.joint], *first = &m->joints[c->terms[0].of.joint];
    changed |= join(held, node_at(m, j->first), node_at(m, j->second));
    changed |= join(held, node_at(m, j->first), node_at(m, first->first));
  }
  return changed;
}

// Nodes that constraints join to ground, or to others that do not stand alone.
static const bool *find_held(const mechanism *m, arena *memory) {
  bool *held = ARENA_ARRAY(memory, bool, m->node_count), changed = true;
  for (int i = 0; i < m->node_count; i++) held[i] = !m->nodes[i].alone;
  while (changed) {
    changed = false;
    for (int i = 0; i < m->constraint_count; i++) changed |= join_constraint(m, &m->constraints[i], held);
  }
  return held;
}

void centre_mark(mechanism *m, arena *memory) {
  m->off_centre = false;
  for (int i = 1; i < m->node_count; i++) {
    node *n = &m->nodes[i];
    n->alone = tree_is_free_body(m->n, n) && !n->flex;
    m->nodes[n->parent].alone = false;  // parents come first
  }
  const bool *held = find_held(m, memory);
  for (int i = 1; i < m->node_count; i++) {
    node *n = &m->nodes[i];
    n->centre = mat3_tmul(n->outer.R, vec3_sub(n->com, n->outer.p));
    n->off_centre = !held[i] && !n->reversed && n->mass > 0 && vec3_norm(n->centre) > 0;
    m->off_centre |= n->off_centre;
  }
}

static mat3 axes_at(const mechanism *m, const double *q) {
  return m->planar ? mat3_about_z(circle_at(q[0])) : quat_matrix((quat){q[0], q[1], q[2], q[3]});
}

// In the axes of the marker.
static vec3 turning(const mechanism *m, const double *u) { return m->planar ? (vec3){0, 0, u[0]} : vec3_of(u); }

static void add(const mechanism *m, double factor, vec3 a, double *to) {
  to[0] += factor * a.x, to[1] += factor * a.y;
  if (!m->planar) to[2] += factor * a.z;
}

static double *way_in_q(const mechanism *m, double *q) { return q + (m->planar ? 1 : TURN_Q); }
static double *way_in_u(const mechanism *m, double *u) { return u + (m->planar ? 1 : TURN_V); }

// The marker's way beside that of Δ: from c + δ × c to where c turns.
void centre_move(const mechanism *m, const node *n, double *q, const double *delta) {
  mat3 R = axes_at(m, q);
  joint_move(n->type, m->planar, q, delta);
  vec3 moved = mat3_mul(R, vec3_add(n->centre, vec3_cross(turning(m, delta), n->centre)));
  add(m, 1, vec3_sub(moved, mat3_mul(axes_at(m, q), n->centre)), way_in_q(m, q));
}

void centre_carry(const mechanism *m, const double *q, const double *q_moved, double *u) {
  for (int i = 1; i < m->node_count && m->off_centre; i++) {
    const node *n = &m->nodes[i];
    if (!n->off_centre) continue;
    vec3 around = vec3_cross(turning(m, u + n->v), n->centre);
    vec3 change = vec3_sub(mat3_mul(axes_at(m, q + n->q), around), mat3_mul(axes_at(m, q_moved + n->q), around));
    add(m, 1, change, way_in_u(m, u + n->v));
  }
}

void centre_add_centripetal(const mechanism *m, const double *q, const double *u, double factor, double *rates) {
  for (int i = 1; i < m->node_count && m->off_centre; i++) {
    const node *n = &m->nodes[i];
    if (n->off_centre)
      add(m, factor, mat3_mul(axes_at(m, q + n->q), vec3_centripetal(turning(m, u + n->v), n->centre)),
          way_in_u(m, rates + n->v));
  }
}
