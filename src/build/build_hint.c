// What was probably meant by a name that no part has.
#include <string.h>

#include "base/word.h"
#include "build/builder.h"

static bool is_listed(const part_list *list, const char *name) {
  for (int i = 0; i < list->count; i++)
    if (strcmp(list->items[i].name, name) == 0) return true;
  return false;
}

static bool names_body(const part_list *list, const part *p, const part_list *joints, const char *body_name) {
  if (list == joints) {
    const carom_joint_def *d = p->content;
    return (d->between[0] && strcmp(d->between[0], body_name) == 0) ||
           (d->between[1] && strcmp(d->between[1], body_name) == 0);
  }
  const char *on = ((const carom_surface_def *)p->content)->on;
  return on && strcmp(on, body_name) == 0;
}

// Where a joint or a surface is wanted, the name of a body: those that it has.
static const char *parts_of_body(builder *b, const char *name, const part_list *wanted) {
  const carom_def *def = b->def;
  if ((wanted != &def->joints && wanted != &def->surfaces) ||
      (!is_listed(&def->bodies, name) && strcmp(name, "ground") != 0))
    return NULL;
  enum { NAMED = 4 };
  arena_text list = {0};
  int count = 0;
  for (int i = 0; i < wanted->count && count < NAMED; i++)
    if (names_body(wanted, &wanted->items[i], &def->joints, name))
      arena_append(b->memory, &list, "%s'%s'", count++ ? ", " : "", wanted->items[i].name);
  const char *kind = wanted == &def->joints ? "joint" : "surface";
  if (!count) return arena_print(b->memory, "'%s' is a body, and it has no %s", name, kind);
  return arena_print(b->memory, "'%s' is a body; its %s%s %s", name, kind, count > 1 ? "s are" : " is", list.text);
}

// The name of a joint where a body, or a body or marker, is wanted.
static const char *joint_for_body(builder *b, const char *name, const part_list *wanted, bool or_marker) {
  if (wanted != &b->def->bodies || !is_listed(&b->def->joints, name)) return NULL;
  if (or_marker)
    return arena_print(b->memory, "'%s' is a joint; name a body or a marker. Forces in a joint are {along: %s, ...}",
                       name, name);
  return arena_print(b->memory, "'%s' is a joint, and takes 'q' and 'u'", name);
}

static bool is_word_for_ground(const char *name) {
  static const char *const words[] = {"world", "earth", "base", "fixed", "frame", "inertial", "global", NULL};
  for (int i = 0; words[i]; i++)
    if (strcmp(name, words[i]) == 0) return true;
  return false;
}

const char *builder_hint(builder *b, const char *name, const part_list *a, const part_list *c) {
  if (strchr(name, '{'))
    return "braces are replaced only inside an entry with 'repeat'; repeat: {i: [n, n]} makes one copy";
  const char *other = parts_of_body(b, name, a);
  if (!other) other = joint_for_body(b, name, a, c != NULL);
  if (other) return other;
  const char **all = ARENA_ARRAY(b->memory, const char *, a->count + (c ? c->count : 0) + 2);
  int count = 0;
  for (int i = 0; i < a->count; i++) all[count++] = a->items[i].name;
  for (int i = 0; c && i < c->count; i++) all[count++] = c->items[i].name;
  if (a == &b->def->bodies) all[count++] = "ground";
  const char *near = word_nearest(name, all, count);
  if (!near && a == &b->def->bodies && is_word_for_ground(name))
    return "the body that does not move is called 'ground'";
  return near ? arena_print(b->memory, "did you mean '%s'?", near) : NULL;
}
