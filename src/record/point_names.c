#include "record/point_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A surface as the record lists it. Shapes are numbers, which only tell one from another.
typedef struct surface {
  const char *name;
  int body, shape;
  const char *points;  // names of the points of a joint, with tabs between; else empty
} surface;

// Two surfaces whose pair the model names, the smaller number first.
typedef struct named_pair {
  int a, b;
  const char *name;
} named_pair;

struct point_names {
  point_name *listed;
  int listed_count;
  surface *crowd;  // surfaces of pairs that are not listed, whose points have numbers behind those that are
  int crowd_count, points_per_pair;
  surface *touching;  // surfaces of touches
  int touching_count;
  named_pair *named;  // in the order of their surfaces
  int named_count;
  const char *shapes;  // names of points by shapes, a line for each two
};

static int count_lines(const char *list) {
  int count = 0;
  for (; *list; list++) count += *list == '\n';
  return count;
}

static const char *next_line(const char *list) {
  list += strcspn(list, "\n");
  return list + (*list == '\n');
}

// What stands before the next tab or the end of the line; `list` is then behind it.
static const char *take_word(arena *memory, const char **list) {
  int length = (int)strcspn(*list, "\t\n");
  const char *word = arena_print(memory, "%.*s", length, *list);
  *list += length + ((*list)[length] == '\t');
  return word;
}

static void read_listed(point_names *n, arena *memory, const char *list) {
  n->listed_count = count_lines(list);
  n->listed = ARENA_ARRAY(memory, point_name, n->listed_count + 1);
  for (int i = 0; i < n->listed_count; i++, list = next_line(list)) {
    const char *at = list;
    n->listed[i].pair = take_word(memory, &at);
    n->listed[i].point = take_word(memory, &at);
  }
}

static void read_crowd(point_names *n, arena *memory, const char *list) {
  n->points_per_pair = atoi(list);
  list = next_line(list);
  n->crowd_count = count_lines(list);
  n->crowd = ARENA_ARRAY(memory, surface, n->crowd_count + 1);
  for (int i = 0; i < n->crowd_count; i++, list = next_line(list)) {
    const char *at = list;
    n->crowd[i].name = take_word(memory, &at);
    n->crowd[i].shape = atoi(take_word(memory, &at));
    n->crowd[i].points = "";
  }
}

static void read_touching(point_names *n, arena *memory, const char *list) {
  n->touching_count = count_lines(list);
  n->touching = ARENA_ARRAY(memory, surface, n->touching_count + 1);
  for (int i = 0; i < n->touching_count; i++, list = next_line(list)) {
    const char *at = list;
    n->touching[i].name = take_word(memory, &at);
    n->touching[i].body = atoi(take_word(memory, &at));
    n->touching[i].shape = atoi(take_word(memory, &at));
    n->touching[i].points = arena_print(memory, "%.*s", (int)strcspn(at, "\n"), at);
  }
}

static int compare_pairs(const void *left, const void *right) {
  const named_pair *x = left, *y = right;
  return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

static void read_named(point_names *n, arena *memory, const char *list) {
  n->named_count = count_lines(list);
  n->named = ARENA_ARRAY(memory, named_pair, n->named_count + 1);
  for (int i = 0; i < n->named_count; i++, list = next_line(list)) {
    const char *at = list;
    n->named[i].a = atoi(take_word(memory, &at));
    n->named[i].b = atoi(take_word(memory, &at));
    n->named[i].name = take_word(memory, &at);
  }
  qsort(n->named, (size_t)n->named_count, sizeof *n->named, compare_pairs);
}

point_names *point_names_read(arena *memory, const record_reader *in) {
  const char *listed = record_get_text(in, "impact_points"), *crowd = record_get_text(in, "impact_surfaces");
  const char *touching = record_get_text(in, "touch_surfaces"), *named = record_get_text(in, "touch_pairs");
  if (!listed) return NULL;
  point_names *n = ARENA_NEW(memory, point_names);
  read_listed(n, memory, listed);
  if (crowd) read_crowd(n, memory, crowd);
  if (touching) read_touching(n, memory, touching);
  if (named) read_named(n, memory, named);
  n->shapes = record_get_text(in, "impact_pair_points");
  return n;
}

int point_names_count(const point_names *n) { return n->listed_count; }

int touch_surface_count(const point_names *n) { return n ? n->touching_count : 0; }

touch_surface point_names_surface(const point_names *n, int i) {
  return (touch_surface){n->touching[i].name, n->touching[i].body};
}

// The k-th of words with tabs between; empty if there are fewer.
static const char *word_at(arena *memory, const char *words, int k) {
  for (; k > 0 && *words; k--) words += strcspn(words, "\t\n"), words += *words == '\t';
  return arena_print(memory, "%.*s", (int)strcspn(words, "\t\n"), words);
}

// The k-th of the names that two shapes have for their points; empty if they have none.
static const char *name_of_shapes(const point_names *n, arena *memory, int a, int b, int k) {
  const char *key = arena_print(memory, "%d\t%d\t", a < b ? a : b, a < b ? b : a);
  for (const char *line = n->shapes ? n->shapes : ""; *line; line = next_line(line))
    if (strncmp(line, key, strlen(key)) == 0) return word_at(memory, line + strlen(key), k);
  return "";
}

static point_name name_of_pair(const point_names *n, arena *memory, const surface *a, const surface *b, int k) {
  return (point_name){arena_print(memory, "%s-%s", a->name, b->name), name_of_shapes(n, memory, a->shape, b->shape, k)};
}

bool point_names_find(const point_names *n, arena *memory, double point, point_name *name) {
  if (point >= 0 && point < n->listed_count) return *name = n->listed[(int)point], true;
  double number = point - n->listed_count, pair = n->points_per_pair > 0 ? floor(number / n->points_per_pair) : -1;
  if (!(pair >= 0 && pair < (double)n->crowd_count * n->crowd_count)) return false;
  int a = (int)(pair / n->crowd_count), b = (int)(pair - (double)a * n->crowd_count);
  *name = name_of_pair(n, memory, &n->crowd[a], &n->crowd[b], (int)(number - pair * n->points_per_pair));
  return true;
}

bool point_names_find_touch(const point_names *n, arena *memory, double a, double b, double point, point_name *name) {
  if (!(a >= 0 && a < n->touching_count && b >= 0 && b < n->touching_count && point >= 0 && point < 1e6)) return false;
  const surface *first = &n->touching[(int)a], *second = &n->touching[(int)b];
  if (first->shape < 0) return *name = (point_name){first->name, word_at(memory, first->points, (int)point)}, true;
  *name = name_of_pair(n, memory, a < b ? first : second, a < b ? second : first, (int)point);
  const named_pair key = {(int)fmin(a, b), (int)fmax(a, b), NULL};
  const named_pair *own =
      n->named_count ? bsearch(&key, n->named, (size_t)n->named_count, sizeof key, compare_pairs) : NULL;
  if (own) name->pair = own->name;
  return true;
}

point_columns point_columns_of(const record_table *t) {
  point_columns c = {-1, {-1, -1}, strcmp(t->name, "episodes") == 0 || strcmp(t->name, "regimes") == 0};
  bool of_impacts = strcmp(t->name, "impacts") == 0, of_touches = strcmp(t->name, "touches") == 0;
  if (c.of_pairs || of_impacts) c.point = record_find_column(t, c.of_pairs ? "pair" : "point");
  if (!of_touches) return c;
  c.surfaces[0] = record_find_column(t, "a"), c.surfaces[1] = record_find_column(t, "b");
  if (c.surfaces[0] >= 0 && c.surfaces[1] >= 0) c.point = record_find_column(t, "point");
  return c;
}

bool point_names_find_row(const point_names *n, arena *memory, const point_columns *columns, const double *row,
                          point_name *name) {
  if (columns->point < 0) return false;
  double point = row[columns->point];
  return columns->surfaces[0] < 0
             ? point_names_find(n, memory, point, name)
             : point_names_find_touch(n, memory, row[columns->surfaces[0]], row[columns->surfaces[1]], point, name);
}
