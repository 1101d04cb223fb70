// The order of assembly. From every node the child with the largest subtree goes on the same stretch; the others begin
// stretches of their own, which hang at its side. Each stretch is halved by the number of bodies until single ones are
// left, so that a chain of n bodies takes ⌈log₂ n⌉ levels and a tree O(log n) on each of O(log n) stretches.
//
// Bodies that no row can touch are assembled first (figure 4 of the paper): a stretch is cut into blocks, each a run of
// such bodies, or one that rows may touch or that carries such bodies at its side. Blocks are assembled by themselves,
// and then halved like bodies. Responses to rows do not go into runs.
//
// A joint is eliminated by a division by the inertia of the assembly beyond it, which must have some. A body with too
// little inertia of its own is therefore joined with the next one first.
#include <limits.h>
#include <stdlib.h>

#include "mechanics/dca.h"

typedef struct maker {
  const mechanism *m;
  dca_plan *plan;
  int *heavy, *size;  // the child on the same stretch, or -1; nodes in the subtree
  int *path;          // nodes of stretches, one after the other
  int *weight;        // before each of them on its stretch: nodes with what hangs at their sides
  int *unit;          // where units begin that are halved no further, as places in `path`
  int *block;         // where blocks begin, as numbers of units
  bool *meets;        // of each node: rows may touch it, or what hangs at its side
  int path_used, unit_used, block_used;
} maker;

// --- stretches -------------------------------------------------------------------------------------------------------

static void find_stretches(maker *k, arena *memory) {
  const mechanism *m = k->m;
  dca_plan *p = k->plan;
  const int n = m->node_count;
  k->heavy = ARENA_ARRAY(memory, int, n), k->size = ARENA_ARRAY(memory, int, n);
  p->first_side = ARENA_ARRAY(memory, int, n), p->next_side = ARENA_ARRAY(memory, int, n);
  for (int i = 0; i < n; i++) k->heavy[i] = p->first_side[i] = p->next_side[i] = -1, k->size[i] = 1;
  for (int i = n - 1; i > 0; i--) k->size[m->nodes[i].parent] += k->size[i];
  for (int i = 1; i < n; i++) {
    const int up = m->nodes[i].parent;
    if (up != GROUND && (k->heavy[up] < 0 || k->size[i] > k->size[k->heavy[up]])) k->heavy[up] = i;
  }
  for (int i = n - 1; i > 0; i--) {
    const int up = m->nodes[i].parent;
    if (up == GROUND || k->heavy[up] == i) continue;
    p->next_side[i] = p->first_side[up], p->first_side[up] = i;
  }
}

// `met` may be null.
static void find_meetings(maker *k, const bool *met, arena *memory) {
  const mechanism *m = k->m;
  bool *below = ARENA_ARRAY(memory, bool, m->node_count);
  k->meets = ARENA_ARRAY(memory, bool, m->node_count);
  for (int i = m->node_count - 1; met && i > 0; i--) {
    const int up = m->nodes[i].parent;
    k->meets[i] |= met[i];
    below[i] |= met[i];
    if (up == GROUND) continue;
    below[up] |= below[i];
    if (k->heavy[up] != i) k->meets[up] |= below[i];
  }
}

// Whether a body has so little inertia about some axis that its joint may have none to divide by. A joint with one
// speed turns its body about its own place, others may turn it about the mass centre. A slender rod has 1e-4 of its
// largest inertia about its own axis and less, and is regular.
static bool lacks_inertia(const mechanism *m, int index) {
  static const double LEAST = 1e-9;
  const node *n = &m->nodes[index];
  const body *b = &m->bodies[n->body];
  const double mass = b->mass, *J = b->inertia;
  const vec3 d = n->free_count == 1 ? vec3_sub(b->com, n->outer.p) : VEC3_ZERO;
  if (n->flex) return false;
  if (!(mass > 0)) return true;
  if (m->planar) return !(J[2] + mass * (d.x * d.x + d.y * d.y) > LEAST * mass * m->length * m->length);
  const double xx = J[0] + mass * (d.y * d.y + d.z * d.z), yy = J[1] + mass * (d.z * d.z + d.x * d.x);
  const double zz = J[2] + mass * (d.x * d.x + d.y * d.y), trace = xx + yy + zz;
  const double xy = J[3] - mass * d.x * d.y, xz = J[4] - mass * d.x * d.z, yz = J[5] - mass * d.y * d.z;
  const double determinant = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
  return !(determinant > LEAST * trace * trace * trace);
}

// --- steps -----------------------------------------------------------------------------------------------------------

static int add_step(maker *k, dca_step s) {
  k->plan->steps[k->plan->step_count] = s;
  return k->plan->step_count++;
}

static int most(int a, int b) { return a > b ? a : b; }
static int least(int a, int b) { return a < b ? a : b; }

static int add_stretch(maker *k, int head);

static int add_leaf(maker *k, int i) {
  const mechanism *m = k->m;
  dca_plan *p = k->plan;
  int level = 0;
  for (int j = p->first_side[i]; j >= 0; j = p->next_side[j]) {
    const int right = add_stretch(k, j), l = p->steps[right].level + 1;
    p->joint[j] = p->steps[right].up = add_step(k, (dca_step){.kind = DCA_SIDE,
                                                              .node = j,
                                                              .left = -1,
                                                              .right = right,
                                                              .outer = -1,
                                                              .level = l,
                                                              .freedom = m->nodes[j].free_count});
    level = most(level, l);
  }
  const int outer = k->heavy[i], modes = outer >= 0 ? m->nodes[i].modes : 0;
  const int at = add_step(k, (dca_step){.kind = DCA_LEAF,
                                        .node = i,
                                        .left = -1,
                                        .right = -1,
                                        .outer = outer,
                                        .level = level,
                                        .rank = least(m->n, modes),
                                        .rigid = modes == 0});
  for (int j = p->first_side[i]; j >= 0; j = p->next_side[j]) p->steps[p->joint[j]].up = at;
  return p->leaf[i] = at;
}

static int add_join(maker *k, int node, int left, int right) {
  dca_step *l = &k->plan->steps[left], *r = &k->plan->steps[right];
  const int freedom = k->m->nodes[node].free_count + l->rank;
  const int at = add_step(k, (dca_step){.kind = DCA_JOIN,
                                        .node = node,
                                        .left = left,
                                        .right = right,
                                        .outer = r->outer,
                                        .level = most(l->level, r->level) + 1,
                                        .rank = r->outer < 0 ? 0 : least(k->m->n, r->rank + freedom),
                                        .freedom = freedom});
  l->up = r->up = at;
  return k->plan->joint[node] = at;
}

// The bodies of one unit, from its last one inward.
static int add_unit(maker *k, int from, int to) {
  int at = -1;
  if (to - from == 1) return add_leaf(k, k->path[from]);
  const int left = add_leaf(k, k->path[from]);
  at = add_unit(k, from + 1, to);
  return add_join(k, k->path[from + 1], left, at);
}

// The number of bodies before a unit, or before a block.
static int weight_before(const maker *k, bool blocks, int i) { return k->weight[k->unit[blocks ? k->block[i] : i]]; }

// Where units, or blocks, from … to - 1 are halved: the weights of both sides differ least.
static int middle(const maker *k, bool blocks, int from, int to) {
  const int both = weight_before(k, blocks, from) + weight_before(k, blocks, to);
  int best = from + 1, best_off = INT_MAX;
  for (int at = from + 1; at < to; at++) {
    const int off = abs(2 * weight_before(k, blocks, at) - both);
    if (off < best_off) best = at, best_off = off;
  }
  return best;
}

static int add_units(maker *k, int from, int to) {
  if (to - from == 1) return add_unit(k, k->unit[from], k->unit[to]);
  const int at = middle(k, false, from, to), left = add_units(k, from, at), right = add_units(k, at, to);
  return add_join(k, k->path[k->unit[at]], left, right);
}

static int add_blocks(maker *k, int from, int to) {
  if (to - from == 1) return add_units(k, k->block[from], k->block[to]);
  const int at = middle(k, true, from, to), left = add_blocks(k, from, at), right = add_blocks(k, at, to);
  return add_join(k, k->path[k->unit[k->block[at]]], left, right);
}

static bool unit_meets(const maker *k, int unit) {
  for (int i = k->unit[unit]; i < k->unit[unit + 1]; i++)
    if (k->meets[k->path[i]]) return true;
  return false;
}

// Units from … to - 1 as blocks.
static int cut_into_blocks(maker *k, int from, int to) {
  const int first = k->block_used;
  for (int i = from; i < to; i++)
    if (i == from || unit_meets(k, i) || unit_meets(k, i - 1)) k->block[k->block_used++] = i;
  k->block[k->block_used++] = to;
  return add_blocks(k, first, k->block_used - 1);
}

// Assembles the stretch that begins with `head` and all that hangs on it.
static int add_stretch(maker *k, int head) {
  const int first_unit = k->unit_used;
  int sum = 0;
  bool goes_on = false;
  for (int i = head; i >= 0; i = k->heavy[i], k->path_used++) {
    const int next = k->heavy[i] < 0 ? 0 : k->size[k->heavy[i]];
    k->path[k->path_used] = i, k->weight[k->path_used] = sum;
    if (!goes_on) k->unit[k->unit_used++] = k->path_used;
    sum += k->size[i] - next;
    goes_on = lacks_inertia(k->m, i);
  }
  k->path[k->path_used] = -1, k->weight[k->path_used] = sum;  // the end of it, which has a place, too
  k->unit[k->unit_used++] = k->path_used++;
  return cut_into_blocks(k, first_unit, k->unit_used - 1);
}

// --- tasks -----------------------------------------------------------------------------------------------------------

// Steps that lead to one step stand next to each other. Those of at most a sixteenth are a task each: enough for
// threads of different speed, and few enough that the rest is short.
static void divide_tasks(dca_plan *p, arena *memory) {
  enum { TASKS = 16 };
  const int n = p->step_count, limit = n / TASKS + 1;
  int *below = ARENA_ARRAY(memory, int, n + 1);
  p->task_begin = ARENA_ARRAY(memory, int, n + 1), p->task_end = ARENA_ARRAY(memory, int, n + 1);
  p->top = ARENA_ARRAY(memory, int, n + 1);
  for (int i = 0; i < n; i++) {
    below[i]++;
    if (p->steps[i].up >= 0) below[p->steps[i].up] += below[i];
  }
  for (int i = 0; i < n; i++) {
    const int up = p->steps[i].up;
    if (below[i] > limit) p->top[p->top_count++] = i;
    else if (up < 0 || below[up] > limit) {
      p->task_begin[p->task_count] = i + 1 - below[i], p->task_end[p->task_count] = i + 1;
      p->task_count++;
    }
  }
}

dca_plan *dca_plan_create(const mechanism *m, const bool *met, arena *memory) {
  dca_plan *p = ARENA_NEW(memory, dca_plan);
  const int n = m->node_count;
  maker k = {.m = m, .plan = p};
  find_stretches(&k, memory);
  find_meetings(&k, met, memory);
  k.path = ARENA_ARRAY(memory, int, 2 * n), k.weight = ARENA_ARRAY(memory, int, 2 * n);
  k.unit = ARENA_ARRAY(memory, int, 2 * n), k.block = ARENA_ARRAY(memory, int, 2 * n);
  p->steps = ARENA_ARRAY(memory, dca_step, 2 * n);
  p->leaf = ARENA_ARRAY(memory, int, n), p->joint = ARENA_ARRAY(memory, int, n);
  p->base_begin = ARENA_ARRAY(memory, int, m->base_count + 1),
  p->base_end = ARENA_ARRAY(memory, int, m->base_count + 1);
  p->alone = ARENA_ARRAY(memory, int, n);
  for (int i = 0; i < n; i++) p->leaf[i] = p->joint[i] = -1;
  for (int i = 1; i < n; i++) {
    if (m->nodes[i].parent != GROUND) continue;
    const int base = m->nodes[i].base;
    p->base_begin[base] = p->base_end[base] = p->step_count;
    if (k.size[i] == 1) {
      p->alone[p->alone_count++] = i;
      continue;
    }
    const int right = add_stretch(&k, i);
    p->joint[i] = add_step(&k, (dca_step){.kind = DCA_GROUND,
                                          .node = i,
                                          .left = -1,
                                          .right = right,
                                          .up = -1,
                                          .outer = -1,
                                          .level = p->steps[right].level,
                                          .freedom = m->nodes[i].free_count});
    p->steps[right].up = p->joint[i];
    p->level_count = most(p->level_count, p->steps[right].level);
    p->base_end[base] = p->step_count;
  }
  divide_tasks(p, memory);
  return p;
}
