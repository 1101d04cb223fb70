// Builds a crowd: surfaces whose pairs are too many to be listed. Surfaces of one class (same shape, group and
// material) meet others alike, so that the work grows with the surfaces and not with their pairs.
#include <stdlib.h>
#include <string.h>

#include "build/contact_builder.h"
#include "contact/crowd.h"
#include "contact/pairs.h"

enum { LISTED = 64 };  // possible pairs of a model that are all permanent, with columns of their own

typedef struct surface_class {
  int *members, count, capacity;  // surfaces, in ascending order
  int own_points;                 // the most corners of one with a shape of its own
  outline_bounds outlines;        // in the plane
  int face_corners, most_faces;   // the most corners of a face, and the surface that has it
} surface_class;

// How two classes meet.
typedef struct class_pair {
  int entry;        // of `contacts` that lets them touch, or -1: they do without one
  int other_entry;  // another one, or -1
  bool touches;     // unless bodies or names keep them apart; whether or not their contact exists
} class_pair;

// So many surfaces of a class are on a body.
typedef struct class_share {
  int class, count;
} class_share;

typedef struct crowd_builder {
  contact_builder *c;
  surface_class *classes;
  int class_count, class_capacity;
  int *class_of;         // one per surface
  class_pair *meetings;  // class_count by class_count
  class_share *shares;   // of the bodies, one after the other
  int *share_start;
  contact_crowd *crowd;
  long points;  // pairs of points that may touch, which never do
} crowd_builder;

static const part *entry_part(const crowd_builder *w, int k) { return &w->c->b->def->contacts.items[k]; }
static int entry_count(const crowd_builder *w) { return w->c->b->def->contacts.count; }
static int surface_count(const crowd_builder *w) { return w->c->b->def->surfaces.count; }

static class_pair *meeting(const crowd_builder *w, int p, int q) { return &w->meetings[(long)p * w->class_count + q]; }

// --- classes ---------------------------------------------------------------------------------------------------------

// A surface that an entry names beside a group is a class of its own.
static bool *find_singled_out(const crowd_builder *w) {
  bool *named = ARENA_ARRAY(w->c->b->memory, bool, surface_count(w) + 1);
  for (int k = 0; k < entry_count(w); k++) {
    if (contacts_is_by_name(w->c, k)) continue;
    for (int side = 0; side < 2; side++)
      if (w->c->sides[k][side].surface >= 0) named[w->c->sides[k][side].surface] = true;
  }
  return named;
}

static void add_member(const crowd_builder *w, surface_class *to, int i) {
  const contact_surface *s = &w->c->surface[i];
  *ARENA_PUSH(w->c->b->memory, to->members, to->count, to->capacity) = i;
  if (s->form && s->form->point_count > to->own_points) to->own_points = s->form->point_count;
  if (s->outline) contact_outline_include(&to->outlines, s->outline);
  int corners = s->faces ? contact_most_corners(s->faces) : 0;
  if (corners > to->face_corners) to->face_corners = corners, to->most_faces = i;
}

static void sort_into_classes(crowd_builder *w) {
  arena *a = w->c->b->memory;
  names keys = names_create(a);
  const bool *singled_out = find_singled_out(w);
  w->class_of = ARENA_ARRAY(a, int, surface_count(w) + 1);
  for (int i = 0; i < surface_count(w); i++) {
    const char *material = ((const carom_surface_def *)contacts_surface(w->c, i)->content)->material;
    const contact_surface *s = &w->c->surface[i];
    const char *key = arena_print(a, "%d %d %d %d %s", 2 * (int)s->shape + (s->form != NULL),
                                  s->outline    ? contact_outline_sort(s->outline)
                                  : s->boundary ? s->boundary->count <= CONTACT_POINTS_MAX
                                                : 0,
                                  w->c->surface_group[i], singled_out[i] ? i : -1, material ? material : "");
    int class = names_find(&keys, key);
    if (class < 0) {
      class = w->class_count;
      names_add(&keys, key, class);
      *ARENA_PUSH(a, w->classes, w->class_count, w->class_capacity) = (surface_class){0};
    }
    add_member(w, &w->classes[class], i);
    w->class_of[i] = class;
  }
}

// --- how they meet ---------------------------------------------------------------------------------------------------

// Two surfaces of the classes; false if there are no two.
static bool represent(const crowd_builder *w, int p, int q, int *i, int *j) {
  const surface_class *a = &w->classes[p], *b = &w->classes[q];
  if (p == q && a->count < 2) return false;
  *i = a->members[0], *j = b->members[p == q];
  return true;
}

static class_pair find_meeting(const crowd_builder *w, int p, int q, bool any) {
  class_pair m = {.entry = -1, .other_entry = -1, .touches = !any};
  int i, j;
  if (!represent(w, p, q, &i, &j)) return (class_pair){-1, -1, false};
  for (int k = 0; k < entry_count(w); k++) {
    if (contacts_is_by_name(w->c, k) || !contacts_is_about(w->c, k, i, j)) continue;
    if (contacts_excludes(w->c, k)) return (class_pair){-1, -1, false};
    if (m.entry < 0) m.entry = k;
    else if (m.other_entry < 0) m.other_entry = k;
    m.touches = true;
  }
  return m;
}

static void find_meetings(crowd_builder *w, bool any) {
  w->meetings = ARENA_ARRAY(w->c->b->memory, class_pair, ((long)w->class_count * w->class_count) + 1);
  for (int p = 0; p < w->class_count; p++)
    for (int q = p; q < w->class_count; q++) *meeting(w, p, q) = *meeting(w, q, p) = find_meeting(w, p, q, any);
}

// --- bodies ----------------------------------------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b) {
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

// The bodies that joints connect, each once.
static void list_joined(crowd_builder *w) {
  const mechanism *m = w->c->m;
  const neighbour_list *n = &w->c->neighbours;
  int *start = ARENA_ARRAY(w->c->b->memory, int, m->body_count + 2),
      *joined = ARENA_ARRAY(w->c->b->memory, int, 2 * m->joint_count + 1), used = 0;
  for (int b = 0; b < m->body_count; b++) {
    start[b] = used;
    for (int k = n->start[b]; k < n->start[b + 1]; k++) {
      const joint *j = &m->joints[n->joints[k]];
      int first = m->markers[j->first].body;
      joined[used++] = first == b ? m->markers[j->second].body : first;
    }
    qsort(joined + start[b], (size_t)(used - start[b]), sizeof *joined, compare_numbers);
    int kept = start[b];
    for (int k = start[b]; k < used; k++)
      if (k == start[b] || joined[k] != joined[k - 1]) joined[kept++] = joined[k];
    used = kept;
  }
  start[m->body_count] = used;
  w->crowd->joined_start = start, w->crowd->joined = joined;
}

static void list_shares(crowd_builder *w) {
  const mechanism *m = w->c->m;
  arena *a = w->c->b->memory;
  int count = surface_count(w), *order = ARENA_ARRAY(a, int, count + 1), used = 0;
  w->share_start = ARENA_ARRAY(a, int, m->body_count + 2);
  for (int i = 0; i < count; i++) w->share_start[contacts_body(w->c, i) + 1]++;
  for (int b = 0; b < m->body_count; b++) w->share_start[b + 1] += w->share_start[b];
  int *next = ARENA_ARRAY(a, int, m->body_count + 1);
  memcpy(next, w->share_start, (size_t)m->body_count * sizeof *next);
  for (int i = 0; i < count; i++) order[next[contacts_body(w->c, i)]++] = w->class_of[i];
  w->shares = ARENA_ARRAY(a, class_share, count + 1);
  for (int b = 0; b < m->body_count; b++) {
    int from = w->share_start[b], to = w->share_start[b + 1];
    qsort(order + from, (size_t)(to - from), sizeof *order, compare_numbers);
    w->share_start[b] = used;
    for (int k = from; k < to; k++) {
      if (k == from || order[k] != order[k - 1]) w->shares[used++] = (class_share){order[k], 0};
      w->shares[used - 1].count++;
    }
  }
  w->share_start[m->body_count] = used;
}

static bool is_possible(const crowd_builder *w, int p, int q) {
  int i, j;
  return meeting(w, p, q)->touches && represent(w, p, q, &i, &j) && contacts_exists(w->c, i, j);
}

static bool is_of_points(const crowd_builder *w, int p, int q) {
  int i, j;
  return meeting(w, p, q)->touches && represent(w, p, q, &i, &j) && contacts_are_points(w->c, i, j);
}

typedef bool class_test(const crowd_builder *w, int p, int q);

// Pairs of surfaces of two bodies, or of one, whose classes pass the test.
static long count_between(const crowd_builder *w, class_test *counts, int a, int b) {
  long count = 0;
  for (int s = w->share_start[a]; s < w->share_start[a + 1]; s++)
    for (int t = a == b ? s : w->share_start[b]; t < w->share_start[b + 1]; t++) {
      class_share p = w->shares[s], q = w->shares[t];
      if (counts(w, p.class, q.class))
        count += a == b && s == t ? (long)p.count * (p.count - 1) / 2 : (long)p.count * q.count;
    }
  return count;
}

// Pairs of different bodies whose classes pass the test, less those of bodies that a joint connects, which `joined`
// gets.
static long count_pairs(const crowd_builder *w, class_test *counts, long *joined) {
  const mechanism *m = w->c->m;
  const contact_crowd *crowd = w->crowd;
  long count = 0;
  *joined = 0;
  for (int p = 0; p < w->class_count; p++)
    for (int q = p; q < w->class_count; q++) {
      long a = w->classes[p].count, b = w->classes[q].count;
      if (counts(w, p, q)) count += p == q ? a * (a - 1) / 2 : a * b;
    }
  for (int a = 0; a < m->body_count; a++) {
    count -= count_between(w, counts, a, a);
    for (int k = crowd->joined_start[a]; k < crowd->joined_start[a + 1]; k++)
      if (crowd->joined[k] > a) *joined += count_between(w, counts, a, crowd->joined[k]);
  }
  return count - *joined;
}

static void count_all(crowd_builder *w) {
  long joined;
  w->points = count_pairs(w, is_of_points, &joined);
  w->crowd->possible = count_pairs(w, is_possible, &joined);
  w->crowd->neighbours = joined;
}

// --- what is named one by one ----------------------------------------------------------------------------------------

// Entries of two surfaces: permanent elements, and exclusions.
static int keep_apart(crowd_builder *w) {
  int named = 0;
  w->crowd->apart = pairs_create(w->c->b->memory);
  for (int k = 0; k < entry_count(w); k++) {
    if (!contacts_is_by_name(w->c, k)) continue;
    int i = w->c->sides[k][0].surface, j = w->c->sides[k][1].surface;
    int a = contacts_body(w->c, i), b = contacts_body(w->c, j);
    if (pairs_find(&w->crowd->apart, i, j) >= 0) continue;
    pairs_add(&w->crowd->apart, i, j, k);
    if (a != b && !contact_crowd_joined(w->crowd, a, b)) {
      w->crowd->possible -= is_possible(w, w->class_of[i], w->class_of[j]);
      w->points -= is_of_points(w, w->class_of[i], w->class_of[j]);
    }
    named += !contacts_excludes(w->c, k);
  }
  return named;
}

// --- checks ----------------------------------------------------------------------------------------------------------

static bool may_touch(const crowd_builder *w, int i, int j) {
  int a = contacts_body(w->c, i), b = contacts_body(w->c, j);
  return a != b && !contact_crowd_joined(w->crowd, a, b) && pairs_find(&w->crowd->apart, i, j) < 0;
}

// The first two surfaces of two classes that may touch. Returns false if there are none. Most often the first two that
// are tried may.
static bool find_pair(const crowd_builder *w, int p, int q, int *i, int *j) {
  const surface_class *a = &w->classes[p], *b = &w->classes[q];
  for (int s = 0; s < a->count; s++)
    for (int t = p == q ? s + 1 : 0; t < b->count; t++)
      if (may_touch(w, a->members[s], b->members[t])) {
        *i = a->members[s], *j = b->members[t];
        return true;
      }
  return false;
}

static place place_of(const crowd_builder *w, const class_pair *m, int i) {
  return m->entry < 0 ? contacts_surface(w->c, i)->places.whole
                      : builder_place(entry_part(w, m->entry), &contact_table, "between");
}

// Surfaces of one class may have different numbers of corners, and outlines of different kinds: no pair has more points
// than this.
static void note_points(crowd_builder *w, int p, int q, int i, int j) {
  const surface_class *a = &w->classes[p], *b = &w->classes[q];
  contact_element e = contact_pair(w->c->m, &w->c->surface[i], &w->c->surface[j]);
  int most = e.point_count;
  if (e.faces_first || e.faces_second) {
    int first = a->face_corners ? a->most_faces : i, second = b->face_corners ? b->most_faces : j;
    most = contact_pair(w->c->m, &w->c->surface[first], &w->c->surface[second]).point_count;
  }
  if (e.type->has_own_points) most = a->own_points > b->own_points ? a->own_points : b->own_points;
  if (e.boundary_first) most = CONTACT_POINTS_MAX;
  if (e.outline_first) most = contact_outlines_most(&a->outlines, &b->outlines);
  if (most > w->crowd->points_most) w->crowd->points_most = most;
}

// Planes and height fields are few. Points may be many, and are only counted.
static void note_nonexistent(crowd_builder *w, int p, int q) {
  const surface_class *a = &w->classes[p], *b = &w->classes[q];
  if (is_of_points(w, p, q)) return;
  for (int s = 0; s < a->count; s++)
    for (int t = p == q ? s + 1 : 0; t < b->count; t++)
      if (may_touch(w, a->members[s], b->members[t])) contacts_note_nonexistent(w->c, a->members[s], b->members[t]);
}

static bool take_meeting(crowd_builder *w, int p, int q, const contact_material **to) {
  const class_pair *m = meeting(w, p, q);
  contact_builder *c = w->c;
  int i, j;
  if (!m->touches || !find_pair(w, p, q, &i, &j)) return true;
  if (!contacts_exists(c, i, j)) return note_nonexistent(w, p, q), true;
  if (m->other_entry >= 0)
    return source_error(c->b->error, CAROM_ERROR_MODEL,
                        builder_place(entry_part(w, m->other_entry), &contact_table, "between"),
                        "exclude one, or name the two surfaces in an entry of their own",
                        "'%s': contact '%s' covers '%s' and '%s' already", entry_part(w, m->other_entry)->name,
                        entry_part(w, m->entry)->name, contacts_surface(c, i)->name, contacts_surface(c, j)->name);
  const char *material = m->entry < 0 ? NULL : ((const carom_contact_def *)entry_part(w, m->entry)->content)->material;
  contact_material *of = ARENA_NEW(c->b->memory, contact_material);
  if (!contacts_choose_material(c, i, j, contacts_pair_name(c, i, j), material, place_of(w, m, i), of)) return false;
  note_points(w, p, q, i, j);
  *to = of;
  return true;
}

// An entry by which nothing can touch is a mistake, unless others name its pairs one by one.
static bool check_entry(crowd_builder *w, int k, const bool *used) {
  const part *p = entry_part(w, k);
  const carom_contact_def *d = p->content;
  if (used[k] || contacts_is_by_name(w->c, k) || contacts_excludes(w->c, k)) return true;
  for (int n = 0; n < entry_count(w); n++)
    if (contacts_is_by_name(w->c, n) && !contacts_excludes(w->c, n) &&
        contacts_is_about(w->c, k, w->c->sides[n][0].surface, w->c->sides[n][1].surface))
      return true;
  return source_error(w->c->b->error, CAROM_ERROR_MODEL, builder_place(p, &contact_table, "between"), NULL,
                      "'%s': no surface of '%s' can touch one of '%s'", p->name, d->between[0], d->between[1]);
}

static bool take_meetings(crowd_builder *w) {
  long n = w->class_count;
  const contact_material **material = ARENA_ARRAY(w->c->b->memory, const contact_material *, (n * n) + 1);
  bool *used = ARENA_ARRAY(w->c->b->memory, bool, entry_count(w) + 1);
  for (int p = 0; p < n; p++)
    for (int q = p; q < n; q++) {
      if (!take_meeting(w, p, q, &material[p * n + q])) return false;
      material[q * n + p] = material[p * n + q];
      if (material[p * n + q] && meeting(w, p, q)->entry >= 0) used[meeting(w, p, q)->entry] = true;
    }
  for (int k = 0; k < entry_count(w); k++)
    if (!check_entry(w, k, used)) return false;
  w->crowd->material = material;
  return true;
}

// --- all -------------------------------------------------------------------------------------------------------------

// Friction laws with states have a place in the state of the integrator for every pair.
static bool has_bristles(const contact_builder *c) {
  bool any = false;
  for (int i = 0; c->b->def->scheme->about->needs_laws && i < c->b->def->materials.count; i++)
    any |= c->material[i].friction > 0 && c->material[i].tangential.type->states > 0;
  return any;
}

bool builder_crowd(contact_builder *c, bool any, contact_crowd **crowd) {
  crowd_builder w = {.c = c};
  long count = surface_count(&w), listed = c->b->def->listed_pairs ? c->b->def->listed_pairs : LISTED;
  if (!c->b->def->scheme->about->finds_pairs || count * (count - 1) / 2 <= listed || has_bristles(c)) return true;
  w.crowd = ARENA_NEW(c->b->memory, contact_crowd);
  w.crowd->by_laws = c->b->def->scheme->about->needs_laws;
  sort_into_classes(&w);
  find_meetings(&w, any);
  list_joined(&w);
  list_shares(&w);
  count_all(&w);
  int named = keep_apart(&w);
  if (w.crowd->possible + named <= listed) return true;
  w.crowd->class_of = w.class_of, w.crowd->class_count = w.class_count;
  if (!take_meetings(&w)) return false;
  c->nonexistent.count += w.points;
  *crowd = w.crowd;
  return true;
}
