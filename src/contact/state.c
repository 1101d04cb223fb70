#include "contact/state.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "contact/crowd.h"
#include "contact/slots.h"
#include "geometry/broad.h"
#include "mechanics/marker.h"

enum { CHUNK = 256 };  // elements that are allocated together, so that they do not move
enum { SPARE = 8 };    // of so many slots in use one more is kept free

typedef struct key_list {
  contact_key *items;
  int count, capacity;
} key_list;

struct contact_pool {
  const contact_world *world;
  const mechanism *m;
  broad *tree;  // surfaces but for planes
  int *planes, plane_count;
  vec3 *velocity;  // of each surface's marker
  bool straight;   // as contact_state has it, and shift
  double shift;
  broad_box *box;  // swept, of each surface
  double *ball;    // the radius around it within which the surface stays while the marker moves straight on
  marker_place *place;
  bool *beyond;  // of each surface: it is beyond all planes
  bool *apart;   // of the pairs whose boxes overlap
  int apart_capacity;
  key_list walls, near;  // pairs with planes, and all, in ascending order
  key_list live;         // of the elements in contact_state.elements that follow the permanent ones
  contact_element **chunks;
  int chunk_count;
  slot_set slots;  // of elements, from that of the first that is not permanent on
};

// --- memory ----------------------------------------------------------------------------------------------------------

static bool grow(void *array, size_t count, size_t size) {
  void *grown = realloc(*(void **)array, count * size);
  if (grown) *(void **)array = grown;
  return grown != NULL;
}

static bool push_key(key_list *l, contact_key key) {
  if (l->count == l->capacity) {
    int capacity = 2 * l->capacity + 64;
    if (!grow(&l->items, (size_t)capacity, sizeof *l->items)) return false;
    l->capacity = capacity;
  }
  l->items[l->count++] = key;
  return true;
}

static carom_status fail(carom_error *error) {
  return error_set(error, CAROM_ERROR_MEMORY, "out of memory for contacts");
}

// --- slots -----------------------------------------------------------------------------------------------------------

static contact_element *element_at(const contact_state *s, int slot) {
  int i = slot - s->world->element_count;
  return &s->pool->chunks[i / CHUNK][i % CHUNK];
}

int contact_state_element_slot(const contact_state *s, int point) {
  if (point < s->world->point_count) return s->element_of[point]->slot;
  return s->world->element_count + (point - s->world->point_count) / s->world->crowd->points_most;
}

// The first point of the element with this slot.
static int first_point(const contact_world *w, int slot) {
  return slot < w->element_count ? w->elements[slot].point0
                                 : w->point_count + (slot - w->element_count) * w->crowd->points_most;
}

static bool reserve_lists(contact_state *s, int elements, int points) {
  size_t n = (size_t)elements + 1, k = (size_t)points + 1;
  if (!grow(&s->elements, n, sizeof *s->elements) || !grow(&s->points, k, sizeof *s->points) ||
      !grow(&s->element_of, k, sizeof *s->element_of) || !grow(&s->ended, n, sizeof *s->ended) ||
      !grow(&s->fresh, n, sizeof *s->fresh) || !grow(&s->held, k, sizeof *s->held) ||
      !grow(&s->found, k, sizeof *s->found) || !grow(&s->memo, n, sizeof *s->memo) ||
      !grow(&s->memo_touches, k, sizeof *s->memo_touches) || !grow(&s->start, k, sizeof *s->start))
    return false;
  for (int i = 0; i < elements; i++)
    s->memo[i] = (contact_memo){.count = -1, .touches = s->memo_touches + first_point(s->world, i)};
  for (int p = s->point_slots; p < points; p++)
    s->element_of[p] = NULL, s->held[p] = s->found[p] = CONTACT_NO_FEATURE, s->start[p] = VEC3_ZERO;
  return true;
}

// Slots for so many more than are in use, and some that stay free, so that most find one near their place in the order
// of keys.
static bool reserve_slots(contact_state *s, int more) {
  contact_pool *p = s->pool;
  const contact_world *w = s->world;
  int had = p->slots.count, points = w->crowd->points_most, least = had - p->slots.free + more;
  if (p->chunk_count && least + least / SPARE <= had) return true;
  int chunks = (least + least / SPARE + CHUNK - 1) / CHUNK;
  if (chunks < p->chunk_count + (p->chunk_count + 1) / 2) chunks = p->chunk_count + (p->chunk_count + 1) / 2;
  if (!grow(&p->chunks, (size_t)chunks, sizeof *p->chunks) ||
      !reserve_lists(s, w->element_count + chunks * CHUNK, w->point_count + chunks * CHUNK * points))
    return false;
  for (; p->chunk_count < chunks; p->chunk_count++)
    if (!(p->chunks[p->chunk_count] = calloc(CHUNK, sizeof **p->chunks))) break;
  int count = p->chunk_count * CHUNK;
  if (!slots_reserve(&p->slots, count)) return false;
  for (int i = had; i < count; i++)
    *element_at(s, w->element_count + i) =
        (contact_element){.slot = w->element_count + i, .point0 = first_point(w, w->element_count + i)};
  s->element_slots = w->element_count + count, s->point_slots = w->point_count + count * points;
  return p->chunk_count == chunks;
}

static void give_slot(const contact_state *s, const contact_element *e) {
  slots_give(&s->pool->slots, e->slot - s->world->element_count);
}

// The pair at this place of the list of what is near. Null after reporting that it has more points than a slot has.
static const contact_element *open_pair(contact_state *s, int place, carom_error *error) {
  contact_pool *p = s->pool;
  const contact_world *w = s->world;
  contact_key key = p->near.items[place];
  contact_element opened = contact_crowd_element(w, p->m, key.a, key.b);
  if (opened.point_count > w->crowd->points_most) {
    error_set(
        error, CAROM_ERROR_MODEL,
        "'%s' and '%s' have %d points of contact, more than the %d for which there is memory; please report this model",
        w->surfaces[key.a].name, w->surfaces[key.b].name, opened.point_count, w->crowd->points_most);
    return NULL;
  }
  int home = (int)((long)p->slots.count * place / p->near.count);
  contact_element *e = element_at(s, w->element_count + slots_take(&p->slots, home));
  opened.slot = e->slot, opened.point0 = e->point0;
  *e = opened;
  s->memo[e->slot].count = -1;
  for (int k = e->point0; k < e->point0 + e->point_count; k++) s->start[k] = VEC3_ZERO;
  return e;
}

// --- the list of what is live ----------------------------------------------------------------------------------------

// Surfaces have no negative numbers.
static uint64_t order_of(contact_key k) { return (uint64_t)(uint32_t)k.a << 32 | (uint32_t)k.b; }
static int compare(contact_key p, contact_key q) {
  uint64_t a = order_of(p), b = order_of(q);
  return (a > b) - (a < b);
}
static int compare_items(const void *p, const void *q) {
  return compare(*(const contact_key *)p, *(const contact_key *)q);
}

// Adds elements to what is counted of all, or takes them out: `sign` is 1 or -1.
static void count_elements(contact_state *s, const mechanism *m, const contact_element *const *elements, int count,
                           int sign) {
  for (int i = 0; i < count; i++) {
    const contact_element *e = elements[i];
    s->changing_count += sign * contact_points_change(e);
    s->starting_count += sign * (e->type->evaluate_from != NULL);
    s->row_count += sign * e->point_count * contact_row_count(m, e);
  }
}

static void list_points(contact_state *s) {
  s->point_count = 0;
  for (int i = 0; i < s->element_count; i++) {
    const contact_element *e = s->elements[i];
    (void)contact_state_coming(s, i);
    for (int p = e->point0; p < e->point0 + e->point_count; p++) s->points[s->point_count++] = p, s->element_of[p] = e;
  }
}

// Gives back the slots of what the last refresh has ended.
static void forget_ended(contact_state *s) {
  for (int i = 0; i < s->ended_count; i++) {
    const contact_element *e = s->ended[i];
    give_slot(s, e);
    for (int p = e->point0; p < e->point0 + e->point_count; p++) {
      if (s->element_of[p] == e) s->element_of[p] = NULL;
      s->held[p] = s->found[p] = CONTACT_NO_FEATURE;
    }
  }
  s->ended_count = s->fresh_count = 0;
}

// Both lists are sorted.
static int count_fresh(const key_list *live, const key_list *near) {
  int fresh = 0;
  for (int i = 0, j = 0; j < near->count; j++) {
    while (i < live->count && compare(live->items[i], near->items[j]) < 0) i++;
    fresh += i == live->count || compare(live->items[i], near->items[j]) != 0;
  }
  return fresh;
}

// Gives back the slots of what is not live yet.
static void forget_fresh(contact_state *s) {
  for (int i = 0; i < s->fresh_count; i++) give_slot(s, s->fresh[i]);
  s->fresh_count = 0;
}

static int count_rows(const mechanism *m, const contact_element *const *elements, int count) {
  int rows = 0;
  for (int i = 0; i < count; i++) rows += elements[i]->point_count * contact_row_count(m, elements[i]);
  return rows;
}

// Makes elements of what is new, the last first. They are not live yet; where one cannot be made there are none.
static bool open_fresh(contact_state *s, carom_error *error) {
  const key_list *live = &s->pool->live, *near = &s->pool->near;
  for (int i = live->count - 1, j = near->count - 1; j >= 0; j--) {
    while (i >= 0 && compare(live->items[i], near->items[j]) > 0) i--;
    if (i >= 0 && compare(live->items[i], near->items[j]) == 0) continue;
    const contact_element *e = open_pair(s, j, error);
    if (!e) return forget_fresh(s), false;
    s->fresh[s->fresh_count++] = e;
  }
  return true;
}

// What is near becomes what is live.
static carom_status take_over(contact_state *s, carom_error *error) {
  contact_pool *p = s->pool;
  const contact_key *had = p->live.items, *near = p->near.items;
  int had_count = p->live.count, count = p->near.count;
  forget_ended(s);
  if (count == had_count && (count == 0 || memcmp(had, near, (size_t)count * sizeof *near) == 0)) return CAROM_OK;
  int fresh = count_fresh(&p->live, &p->near);
  if (!reserve_slots(s, fresh)) return fail(error);
  if (!open_fresh(s, error)) return CAROM_ERROR_MODEL;
  if (s->reserve && !s->reserve(s->owner, s->row_count + count_rows(p->m, s->fresh, s->fresh_count))) {
    forget_fresh(s);
    return fail(error);
  }
  const contact_element **live = s->elements + s->world->element_count;
  int kept = 0;
  for (int i = 0, j = 0; i < had_count; i++) {
    while (j < count && compare(near[j], had[i]) < 0) j++;
    if (j < count && compare(near[j], had[i]) == 0) live[kept++] = live[i];
    else s->ended[s->ended_count++] = live[i];
  }
  // from behind, so that what is kept moves up without being overwritten
  for (int i = kept - 1, last = had_count - 1, j = count - 1, k = 0; j >= 0; j--) {
    while (last >= 0 && compare(had[last], near[j]) > 0) last--;
    live[j] = last >= 0 && compare(had[last], near[j]) == 0 ? live[i--] : s->fresh[k++];
  }
  key_list taken = p->near;
  p->near = p->live, p->live = taken;
  s->element_count = s->world->element_count + count;
  count_elements(s, p->m, s->ended, s->ended_count, -1);
  count_elements(s, p->m, s->fresh, s->fresh_count, 1);
  list_points(s);
  return CAROM_OK;
}

carom_status contact_state_set(contact_state *s, const mechanism *m, const contact_key *pairs, int count,
                               carom_error *error) {
  contact_pool *p = s->pool;
  int surfaces = s->world->surface_count;
  if (!p) return CAROM_OK;
  p->near.count = 0;
  for (int i = 0; i < count; i++) {
    contact_key k = pairs[i];
    bool ascends = p->near.count == 0 || compare(p->near.items[p->near.count - 1], k) < 0;
    bool exists = k.a >= 0 && k.a < k.b && k.b < surfaces && contact_crowd_meets(s->world, m, k.a, k.b);
    if (ascends && exists && !push_key(&p->near, k)) return fail(error);
  }
  return take_over(s, error);
}

// --- what is near ----------------------------------------------------------------------------------------------------

static bool meets(const void *context, int a, int b) {
  const contact_pool *p = context;
  return contact_crowd_meets(p->world, p->m, a, b);
}

// Surfaces that have just parted, or are about to meet, stay in the list: it changes less often.
static double margin_of(const contact_world *w, double size) {
  return w->activation + 0.05 * (isfinite(size) ? size : 0);
}

// From the marker of a surface to its body's origin, and on to the mass centre of a free body: one of the two moves
// straight.
static double arm_of(const mechanism *m, const motion *x, const marker_place *at) {
  const node *n = &m->nodes[at->node];
  return vec3_norm(vec3_sub(at->p, x->links[at->node].p)) + (n->off_centre ? vec3_norm(n->com) : 0);
}

// What a body turns by while it moves on moves its surfaces on arcs: half the square of the angle, times the arm.
static double arc_of(double angle, double arm) { return 0.5 * angle * angle * arm; }

// The box of all places of a surface on its way, and the radius of its ball. It is wider than the shape where this
// turns.
static broad_box swept_box(const contact_pool *p, const motion *x, int i, double behind, double ahead) {
  const contact_surface *s = &p->world->surfaces[i];
  const mechanism *m = p->m;
  const marker_place *at = &p->place[i];
  double reach = s->reach, angle = vec3_norm(marker_omega(m, x, at)) * fmax(behind, ahead);
  vec3 edge = contact_surface_extent(s, &at->R), v = p->velocity[i];
  double more = margin_of(p->world, reach) + p->shift + arc_of(angle, arm_of(m, x, at));
  p->ball[i] = reach + more;
  double e[3], low[3], high[3], place[3], speed[3];
  vec3_store(e, edge), vec3_store(place, at->p), vec3_store(speed, v);
  for (int k = 0; k < 3; k++) {
    double half = fmin(e[k] + fmin(angle, 1) * reach, reach) + more;
    low[k] = place[k] - half + fmin(-behind * speed[k], ahead * speed[k]);
    high[k] = place[k] + half + fmax(-behind * speed[k], ahead * speed[k]);
  }
  if (m->planar) low[2] = high[2] = 0;
  return (broad_box){vec3_of(low), vec3_of(high)};
}

static void find_places(contact_pool *p, const motion *x, int from, int to) {
  const contact_world *w = p->world;
  for (int i = from; i < to; i++) {
    p->place[i] = marker_find(p->m, x, w->surfaces[i].marker);
    anchor a = marker_anchor(x, &p->place[i], p->place[i].p);
    p->velocity[i] = anchor_velocity(p->m, x, &a);
  }
}

// Whether a surface comes near a half space: by its least distance on the way, against its extent along the normal.
static bool comes_near_plane(const contact_pool *p, const motion *x, int plane, int i, double behind, double ahead) {
  const mechanism *m = p->m;
  const contact_surface *s = &p->world->surfaces[i];
  const marker_place *wall = &p->place[plane], *at = &p->place[i];
  vec3 n = mat3_column(wall->R, m->planar ? 1 : 2);
  double reach = s->reach, distance = vec3_dot(n, vec3_sub(at->p, wall->p));
  anchor opposite = marker_anchor(x, wall, at->p);
  double rate = vec3_dot(n, vec3_sub(p->velocity[i], anchor_velocity(m, x, &opposite)));
  double angle = (vec3_norm(marker_omega(m, x, wall)) + vec3_norm(marker_omega(m, x, at))) * fmax(behind, ahead);
  double more = margin_of(p->world, reach) + p->shift +
                arc_of(angle, reach + vec3_norm(vec3_sub(at->p, wall->p)) + arm_of(m, x, at));
  return !(distance + fmin(fmin(-behind * rate, ahead * rate), 0) > reach + more);
}

// The same by the box of a surface, of a plane that does not move: most are far from it.
static bool is_beyond(const contact_pool *p, int plane, int i) {
  const marker_place *wall = &p->place[plane];
  const broad_box *box = &p->box[i];
  if (wall->node != GROUND) return false;
  vec3 n = mat3_column(wall->R, p->m->planar ? 1 : 2);
  vec3 nearest = {n.x > 0 ? box->low.x : box->high.x, n.y > 0 ? box->low.y : box->high.y,
                  n.z > 0 ? box->low.z : box->high.z};
  return vec3_dot(n, vec3_sub(nearest, wall->p)) > 0;
}

typedef struct search {
  contact_pool *p;
  const motion *x;
  double behind, ahead;
} search;

// A wall is a pair of surfaces one of which is a plane.
static bool add_wall(contact_pool *p, const search *s, contact_key key) {
  bool first = contact_is_half_space(&p->world->surfaces[key.a]);
  int plane = first ? key.a : key.b, i = first ? key.b : key.a;
  if (is_beyond(p, plane, i) || !comes_near_plane(p, s->x, plane, i, s->behind, s->ahead) ||
      !contact_crowd_meets(p->world, p->m, key.a, key.b))
    return true;
  return push_key(&p->walls, key);
}

// Surfaces whose boxes are beyond all planes.
static void look_at_walls(void *context, int from, int to) {
  const contact_pool *p = ((const search *)context)->p;
  for (int i = from; i < to; i++) {
    bool beyond = !contact_is_half_space(&p->world->surfaces[i]);
    for (int k = 0; k < p->plane_count && beyond; k++) beyond = is_beyond(p, p->planes[k], i);
    p->beyond[i] = beyond;
  }
}

static bool find_walls(contact_pool *p, const search *s) {
  const contact_surface *surfaces = p->world->surfaces;
  int count = p->world->surface_count, next = 0;
  p->walls.count = 0;
  for (int a = 0; a < count; a++) {
    bool plane = contact_is_half_space(&surfaces[a]);
    next += plane;
    for (int b = a + 1; plane && b < count; b++)
      if (!p->beyond[b] && !contact_is_half_space(&surfaces[b]) && !add_wall(p, s, (contact_key){a, b})) return false;
    for (int k = next; !plane && !p->beyond[a] && k < p->plane_count; k++)
      if (!add_wall(p, s, (contact_key){a, p->planes[k]})) return false;
  }
  return true;
}

// Whether the balls around two surfaces whose boxes overlap come near each other. In a heap of round bodies half of
// these pairs do not.
static bool come_near(const contact_pool *p, broad_pair of, double most) {
  vec3 way = vec3_sub(p->place[of.b].p, p->place[of.a].p), v = vec3_sub(p->velocity[of.b], p->velocity[of.a]);
  double reach = p->ball[of.a] + p->ball[of.b] + most * vec3_norm(v);
  return !(vec3_dot(way, way) > reach * reach);
}

static void sweep_boxes(void *context, int from, int to) {
  const search *s = context;
  find_places(s->p, s->x, from, to);
  for (int i = from; i < to; i++)
    if (!contact_is_half_space(&s->p->world->surfaces[i])) s->p->box[i] = swept_box(s->p, s->x, i, s->behind, s->ahead);
}

typedef struct ball_search {
  contact_pool *p;
  const broad_pair *pairs;
  double most;
} ball_search;

static void compare_balls(void *context, int from, int to) {
  const ball_search *s = context;
  for (int i = from; i < to; i++) s->p->apart[i] = !come_near(s->p, s->pairs[i], s->most);
}

// Which of the pairs whose boxes overlap are apart. Returns false if memory runs out.
static bool find_apart(contact_pool *p, const crew *crew, const broad_pair *pairs, int count, double most) {
  enum { PAIRS_SHARE = 256 };  // the fewest pairs that a thread takes
  if (count > p->apart_capacity) {
    int capacity = count + count / 2;
    if (!grow(&p->apart, (size_t)capacity, sizeof *p->apart)) return false;
    p->apart_capacity = capacity;
  }
  if (p->straight) crew_run(crew, count, PAIRS_SHARE, compare_balls, &(ball_search){p, pairs, most});
  else if (count) memset(p->apart, 0, (size_t)count * sizeof *p->apart);
  return true;
}

static bool find_near(contact_pool *p, const crew *crew, const motion *x, double behind, double ahead) {
  const contact_world *w = p->world;
  enum { SURFACES_SHARE = 128 };  // the fewest surfaces that a thread takes
  search s = {p, x, behind, ahead};
  crew_run(crew, w->surface_count, SURFACES_SHARE, sweep_boxes, &s);
  crew_run(crew, w->surface_count, SURFACES_SHARE, look_at_walls, &s);
  for (int i = 0; i < w->surface_count; i++)
    if (!contact_is_half_space(&w->surfaces[i])) broad_set(p->tree, i, p->box[i]);
  if (!broad_update(p->tree, crew) || !find_walls(p, &s)) return false;
  int count, i = 0, j = 0;
  const broad_pair *pairs = broad_pairs(p->tree, &count);
  if (!find_apart(p, crew, pairs, count, fmax(behind, ahead))) return false;
  p->near.count = 0;
  while (i < count || j < p->walls.count) {
    if (i < count && p->apart[i]) {
      i++;
      continue;
    }
    contact_key key = i < count ? (contact_key){pairs[i].a, pairs[i].b} : p->walls.items[j];
    bool wall = i == count || (j < p->walls.count && compare(p->walls.items[j], key) < 0);
    if (wall) key = p->walls.items[j++];
    else i++;
    if (!push_key(&p->near, key)) return false;
  }
  return true;
}

carom_status contact_refresh(contact_state *s, const mechanism *m, const motion *x, double behind, double ahead,
                             carom_error *error) {
  contact_pool *p = s->pool;
  if (!p) return CAROM_OK;
  p->m = m, p->straight = s->straight, p->shift = s->shift;
  if (!find_near(p, s->crew, x, behind, ahead)) return fail(error);
  return take_over(s, error);
}

// Adds what is live to what is near.
static bool add_live(contact_state *s) {
  contact_pool *p = s->pool;
  int near = p->near.count;
  for (int i = 0, j = 0; i < p->live.count; i++) {
    contact_key key = p->live.items[i];
    while (j < near && compare(p->near.items[j], key) < 0) j++;
    if ((j == near || compare(p->near.items[j], key) != 0) && !push_key(&p->near, key)) return false;
  }
  if (p->near.count > near) qsort(p->near.items, (size_t)p->near.count, sizeof *p->near.items, compare_items);
  return true;
}

carom_status contact_widen(contact_state *s, const mechanism *m, const motion *x, double behind, double ahead,
                           carom_error *error) {
  contact_pool *p = s->pool;
  if (!p) return CAROM_OK;
  p->m = m, p->straight = s->straight, p->shift = s->shift;
  if (!find_near(p, s->crew, x, behind, ahead) || !add_live(s)) return fail(error);
  return take_over(s, error);
}

// --- creation --------------------------------------------------------------------------------------------------------

static contact_pool *create_pool(const contact_world *world, const mechanism *m) {
  contact_pool *p = calloc(1, sizeof *p);
  size_t count = (size_t)world->surface_count + 1;
  if (!p) return NULL;
  p->world = world, p->m = m;
  p->tree = broad_create(world->surface_count, meets, p);
  p->planes = calloc(count, sizeof *p->planes);
  p->velocity = calloc(count, sizeof *p->velocity);
  p->ball = calloc(count, sizeof *p->ball);
  p->box = calloc(count, sizeof *p->box);
  p->place = calloc(count, sizeof *p->place);
  p->beyond = calloc(count, sizeof *p->beyond);
  for (int i = 0; p->planes && i < world->surface_count; i++)
    if (contact_is_half_space(&world->surfaces[i])) p->planes[p->plane_count++] = i;
  return p;
}

static bool is_complete(const contact_pool *p) {
  return p && p->tree && p->planes && p->velocity && p->ball && p->box && p->place && p->beyond;
}

static void destroy_pool(contact_pool *p) {
  if (!p) return;
  broad_destroy(p->tree);
  free(p->planes), free(p->velocity), free(p->ball), free(p->box), free(p->place), free(p->beyond), free(p->apart);
  free(p->walls.items), free(p->near.items), free(p->live.items);
  for (int i = 0; i < p->chunk_count; i++) free(p->chunks[i]);
  free(p->chunks), slots_destroy(&p->slots);
  free(p);
}

contact_state *contact_state_create(const contact_world *world, const mechanism *m, carom_error *error) {
  contact_state *s = calloc(1, sizeof *s);
  if (s) s->world = world, s->activation = world->activation, s->searches = calloc(1, sizeof *s->searches);
  if (s && world->crowd) s->pool = create_pool(world, m);
  if (!s || !s->searches || !reserve_lists(s, world->element_count, world->point_count) ||
      (world->crowd && !is_complete(s->pool))) {
    contact_state_destroy(s);
    fail(error);
    return NULL;
  }
  s->element_slots = world->element_count, s->point_slots = world->point_count;
  if (s->pool && !reserve_slots(s, 1)) {
    contact_state_destroy(s);
    fail(error);
    return NULL;
  }
  for (int i = 0; i < world->element_count; i++) s->elements[s->element_count++] = &world->elements[i];
  count_elements(s, m, s->elements, s->element_count, 1);
  list_points(s);
  return s;
}

void contact_state_destroy(contact_state *s) {
  if (!s) return;
  destroy_pool(s->pool);
  free(s->elements), free(s->points), free(s->element_of);
  free(s->ended), free(s->fresh);
  free(s->held), free(s->found), free(s->memo), free(s->memo_touches), free(s->start), free(s->searches);
  free(s);
}

void contact_state_evaluate(const contact_state *s, const mechanism *m, const motion *x, contact_point *points) {
  for (int i = 0; i < s->element_count; i++) contact_state_locate(s, m, x, s->elements[i], NULL, points);
}

void contact_state_hold(contact_state *s, const contact_element *e, bool touches) {
  for (int p = e->point0; p < e->point0 + e->point_count; p++) {
    if (!touches) s->found[p] = CONTACT_NO_FEATURE;
    s->held[p] = s->found[p];
  }
}
