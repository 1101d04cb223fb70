// A binary tree of boxes whose leaves are the boxes of the shapes with a margin. A leaf is taken out and put back only
// when its box has left the margin; then it is compared with the tree. Pairs of leaves with overlapping margins are
// candidates, kept in a sorted list; of these, the pairs whose boxes themselves overlap are reported.
#include "geometry/broad.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

typedef struct node {
  broad_box box;  // of a leaf with its margin
  int parent, child[2];
  int height;  // 0 of a leaf
} node;

typedef struct pair_list {
  broad_pair *items;
  int count, capacity;
} pair_list;

struct broad {
  int count;
  broad_filter *filter;
  const void *context;
  broad_box *boxes;
  node *nodes;            // leaves 0 to count - 1, then the inner nodes
  int root, free;         // free inner nodes form a list through `parent`
  bool *in_tree, *moved;  // since the last update
  bool any_moved;
  int *stack;
  pair_list candidates, found, merged;
  pair_list pairs;
  int *chunk_counts, chunk_capacity;  // of pairs in each chunk of candidates
};

// --- boxes -----------------------------------------------------------------------------------------------------------

static broad_box hull_of(broad_box a, broad_box b) {
  return (broad_box){{fmin(a.low.x, b.low.x), fmin(a.low.y, b.low.y), fmin(a.low.z, b.low.z)},
                     {fmax(a.high.x, b.high.x), fmax(a.high.y, b.high.y), fmax(a.high.z, b.high.z)}};
}

// All comparisons at once: which of them fails cannot be foreseen.
static bool overlaps(const broad_box *a, const broad_box *b) {
  return (a->low.x <= b->high.x) & (b->low.x <= a->high.x) & (a->low.y <= b->high.y) & (b->low.y <= a->high.y) &
         (a->low.z <= b->high.z) & (b->low.z <= a->high.z);
}

static bool contains(const broad_box *a, const broad_box *b) {
  return a->low.x <= b->low.x && a->low.y <= b->low.y && a->low.z <= b->low.z && a->high.x >= b->high.x &&
         a->high.y >= b->high.y && a->high.z >= b->high.z;
}

// Half the sum of the edges: the cost of a box, as the chance that another one meets it. An infinite edge counts as a
// large one.
static double cost_of(broad_box b) {
  return fmin(b.high.x - b.low.x, 1e100) + fmin(b.high.y - b.low.y, 1e100) + fmin(b.high.z - b.low.z, 1e100);
}

static broad_box with_margin(broad_box b) {
  double edge = fmax(b.high.x - b.low.x, fmax(b.high.y - b.low.y, b.high.z - b.low.z));
  double room = isfinite(edge) ? 0.1 * edge : 0;
  return (broad_box){{b.low.x - room, b.low.y - room, b.low.z - room},
                     {b.high.x + room, b.high.y + room, b.high.z + room}};
}

// --- tree ------------------------------------------------------------------------------------------------------------

static bool is_leaf(const broad *b, int i) { return i < b->count; }

static void refresh(broad *b, int i) {
  node *n = &b->nodes[i];
  const node *l = &b->nodes[n->child[0]], *r = &b->nodes[n->child[1]];
  n->box = hull_of(l->box, r->box);
  n->height = 1 + (l->height > r->height ? l->height : r->height);
}

static void hang(broad *b, int parent, int side, int child) {
  b->nodes[parent].child[side] = child;
  b->nodes[child].parent = parent;
}

static void replace_child(broad *b, int parent, int from, int to) {
  b->nodes[to].parent = parent;
  if (parent == NONE) b->root = to;
  else b->nodes[parent].child[b->nodes[parent].child[1] == from] = to;
}

// Where one side is higher by two or more, its higher child takes the node's place. Gives the node that is on top then.
static int balance(broad *b, int i) {
  node *n = &b->nodes[i];
  int difference = b->nodes[n->child[1]].height - b->nodes[n->child[0]].height;
  if (abs(difference) < 2) return i;
  int high = difference > 0, top = n->child[high];
  node *t = &b->nodes[top];
  int higher = b->nodes[t->child[1]].height > b->nodes[t->child[0]].height, lower_child = t->child[!higher];
  replace_child(b, n->parent, i, top);
  hang(b, i, high, lower_child);
  hang(b, top, !higher, i);
  refresh(b, i);
  refresh(b, top);
  return top;
}

static void refresh_upwards(broad *b, int i) {
  while (i != NONE) {
    refresh(b, i);
    i = balance(b, i);
    i = b->nodes[i].parent;
  }
}

// The node beside which a new leaf costs least.
static int sibling_for(broad *b, broad_box box) {
  int i = b->root;
  while (!is_leaf(b, i)) {
    const node *n = &b->nodes[i];
    double whole = cost_of(hull_of(n->box, box)), grown = whole - cost_of(n->box), cost[2];
    for (int k = 0; k < 2; k++) {
      const node *c = &b->nodes[n->child[k]];
      cost[k] = cost_of(hull_of(c->box, box)) - (is_leaf(b, n->child[k]) ? 0 : cost_of(c->box)) + grown;
    }
    if (whole <= cost[0] && whole <= cost[1]) break;
    i = n->child[cost[1] < cost[0]];
  }
  return i;
}

static void insert(broad *b, int leaf) {
  b->in_tree[leaf] = true;
  if (b->root == NONE) {
    b->root = leaf;
    b->nodes[leaf].parent = NONE;
    return;
  }
  int sibling = sibling_for(b, b->nodes[leaf].box), inner = b->free;
  b->free = b->nodes[inner].parent;
  replace_child(b, b->nodes[sibling].parent, sibling, inner);
  hang(b, inner, 0, sibling);
  hang(b, inner, 1, leaf);
  refresh_upwards(b, inner);
}

static void take_out(broad *b, int leaf) {
  int parent = b->nodes[leaf].parent;
  b->in_tree[leaf] = false;
  if (parent == NONE) {
    b->root = NONE;
    return;
  }
  int sibling = b->nodes[parent].child[b->nodes[parent].child[0] == leaf], above = b->nodes[parent].parent;
  replace_child(b, above, parent, sibling);
  b->nodes[parent].parent = b->free;
  b->free = parent;
  refresh_upwards(b, above);
}

// --- lists of pairs --------------------------------------------------------------------------------------------------

static int compare(broad_pair p, broad_pair q) { return p.a != q.a ? (p.a < q.a ? -1 : 1) : (p.b > q.b) - (p.b < q.b); }
static int compare_items(const void *p, const void *q) {
  return compare(*(const broad_pair *)p, *(const broad_pair *)q);
}

static bool reserve(pair_list *l, int count) {
  if (count <= l->capacity) return true;
  int capacity = count + count / 2 + 16;
  broad_pair *items = realloc(l->items, (size_t)capacity * sizeof *items);
  if (!items) return false;
  l->items = items, l->capacity = capacity;
  return true;
}

static bool push(pair_list *l, broad_pair p) {
  if (!reserve(l, l->count + 1)) return false;
  l->items[l->count++] = p;
  return true;
}

static void swap_lists(pair_list *a, pair_list *b) {
  pair_list keep = *a;
  *a = *b, *b = keep;
}

// The leaves whose margins a moved leaf meets. Of two moved leaves the one with the smaller number notes the pair.
static bool find_candidates(broad *b, int leaf) {
  const broad_box *box = &b->nodes[leaf].box;
  int top = 0;
  b->stack[top++] = b->root;
  while (top) {
    int i = b->stack[--top];
    if (!overlaps(&b->nodes[i].box, box)) continue;
    if (!is_leaf(b, i)) {
      b->stack[top++] = b->nodes[i].child[0];
      b->stack[top++] = b->nodes[i].child[1];
      continue;
    }
    if (i == leaf || (b->moved[i] && i < leaf)) continue;
    broad_pair p = i < leaf ? (broad_pair){i, leaf} : (broad_pair){leaf, i};
    if (b->filter && !b->filter(b->context, p.a, p.b)) continue;
    if (!push(&b->found, p)) return false;
  }
  return true;
}

// Candidates of leaves that have not moved stay; those of moved leaves are the ones just found.
static bool merge_candidates(broad *b) {
  pair_list *to = &b->merged;
  const pair_list *old = &b->candidates, *found = &b->found;
  to->count = 0;
  if (!reserve(to, old->count + found->count)) return false;
  for (int i = 0, j = 0; i < old->count || j < found->count;) {
    if (i < old->count && (b->moved[old->items[i].a] || b->moved[old->items[i].b])) {
      i++;
      continue;
    }
    bool take_old = i < old->count && (j == found->count || compare(old->items[i], found->items[j]) < 0);
    to->items[to->count++] = take_old ? old->items[i++] : found->items[j++];
  }
  return true;
}

// The candidates after leaves have moved.
static bool renew_candidates(broad *b) {
  b->found.count = 0;
  for (int i = 0; i < b->count; i++)
    if (b->moved[i] && b->in_tree[i] && !find_candidates(b, i)) return false;
  if (b->found.count) qsort(b->found.items, (size_t)b->found.count, sizeof *b->found.items, compare_items);
  if (!merge_candidates(b)) return false;
  swap_lists(&b->candidates, &b->merged);
  memset(b->moved, 0, (size_t)b->count * sizeof *b->moved);
  b->any_moved = false;
  return true;
}

// Candidates of a chunk whose boxes overlap, from the place of its first one on.
enum { CHUNK = 1024 };
static void find_overlaps(void *context, int from, int to) {
  broad *b = context;
  for (int chunk = from; chunk < to; chunk++) {
    int first = CHUNK * chunk, end = first + CHUNK < b->candidates.count ? first + CHUNK : b->candidates.count;
    int count = 0;
    for (int i = first; i < end; i++) {
      broad_pair p = b->candidates.items[i];
      b->pairs.items[first + count] = p;
      count += overlaps(&b->boxes[p.a], &b->boxes[p.b]);
    }
    b->chunk_counts[chunk] = count;
  }
}

static bool reserve_chunks(broad *b, int count) {
  if (count <= b->chunk_capacity) return true;
  int *counts = realloc(b->chunk_counts, 2 * (size_t)count * sizeof *counts);
  if (!counts) return false;
  b->chunk_counts = counts, b->chunk_capacity = 2 * count;
  return true;
}

bool broad_update(broad *b, const crew *c) {
  pair_list *to = &b->pairs;
  if (b->any_moved && !renew_candidates(b)) return false;
  int chunks = (b->candidates.count + CHUNK - 1) / CHUNK;
  if (!reserve(to, b->candidates.count) || !reserve_chunks(b, chunks)) return false;
  crew_run(c, chunks, 1, find_overlaps, b);
  to->count = 0;
  for (int i = 0; i < chunks; i++) {
    memmove(to->items + to->count, to->items + CHUNK * i, (size_t)b->chunk_counts[i] * sizeof *to->items);
    to->count += b->chunk_counts[i];
  }
  return true;
}

// --- interface -------------------------------------------------------------------------------------------------------

void broad_set(broad *b, int i, broad_box box) {
  b->boxes[i] = box;
  if (b->in_tree[i] && contains(&b->nodes[i].box, &box)) return;
  if (b->in_tree[i]) take_out(b, i);
  b->nodes[i].box = with_margin(box);
  insert(b, i);
  b->moved[i] = b->any_moved = true;
}

broad *broad_create(int count, broad_filter *filter, const void *context) {
  broad *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  *b = (broad){.count = count, .filter = filter, .context = context, .root = NONE, .free = NONE};
  size_t leaves = (size_t)count + 1;
  b->boxes = calloc(leaves, sizeof *b->boxes);
  b->nodes = calloc(2 * leaves, sizeof *b->nodes);
  b->in_tree = calloc(leaves, sizeof *b->in_tree);
  b->moved = calloc(leaves, sizeof *b->moved);
  b->stack = calloc(leaves + 1, sizeof *b->stack);
  if (!b->boxes || !b->nodes || !b->in_tree || !b->moved || !b->stack) {
    broad_destroy(b);
    return NULL;
  }
  for (int i = 2 * count; i >= count; i--) b->nodes[i].parent = b->free, b->free = i;
  return b;
}

void broad_destroy(broad *b) {
  if (!b) return;
  free(b->boxes), free(b->nodes), free(b->in_tree), free(b->moved), free(b->stack), free(b->chunk_counts);
  pair_list *lists[] = {&b->candidates, &b->found, &b->merged, &b->pairs};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]->items);
  free(b);
}

const broad_pair *broad_pairs(const broad *b, int *count) {
  *count = b->pairs.count;
  return b->pairs.items;
}
