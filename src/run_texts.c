// What a record says about its model: the text of its files, its parameters, and the names of what its columns count.
#include "run.h"

#include "checkpoint.h"
#include "contact/crowd.h"
#include "scene.h"

// The values the parameters took.
const char *run_list_parameters(run *r) {
  const parameters *all = r->model->def->text->parameters;
  arena_text list = {0};
  arena_append(&r->memory, &list, "%s", "");
  for (int i = 0; i < all->count; i++) {
    const parameter *p = &all->items[i];
    if (p->is_number) arena_append(&r->memory, &list, "%s = %.17g\n", p->name, p->number);
    else arena_append(&r->memory, &list, "%s = %s\n", p->name, p->text);
  }
  return list.text;
}

// What the column `point` of the impacts counts: a line each with the name of the pair and, after a tab, which of its
// points.
static const char *list_points(run *r) {
  const contact_world *s = &r->model->contacts;
  arena_text list = {0};
  arena_append(&r->memory, &list, "%s", "");
  for (int i = 0; i < s->element_count; i++)
    for (int k = 0; k < s->elements[i].point_count; k++)
      arena_append(&r->memory, &list, "%s\t%s\n", s->elements[i].name,
                   contact_point_name(&r->model->m, &s->elements[i], k));
  return list.text;
}

// What tells the content of each from another.
const char *run_list_mesh_files(run *r) {
  const drawing *d = &r->model->drawing;
  arena_text list = {0};
  arena_append(&r->memory, &list, "%s", "");
  for (int i = 0; i < d->file_count; i++)
    arena_append(&r->memory, &list, "%s = %s\n", d->files[i]->name, d->files[i]->digest);
  return list.text;
}

const char *run_list_table_files(run *r) {
  arena_text list = {0};
  arena_append(&r->memory, &list, "%s", "");
  for (int i = 0; i < r->model->table_file_count; i++)
    arena_append(&r->memory, &list, "%s = %s\n", r->model->table_files[i].name, r->model->table_files[i].digest);
  return list.text;
}

// Points of pairs that are not listed have numbers behind these: so many for each pair of surfaces a < b, a (surfaces)
// + b. A line with that number, then one for each surface: its name and, after a tab, its shape.
static const char *list_surfaces(run *r) {
  const contact_world *w = &r->model->contacts;
  arena_text list = {0};
  arena_append(&r->memory, &list, "%d\n", CONTACT_POINTS_MAX);
  for (int i = 0; i < w->surface_count; i++)
    arena_append(&r->memory, &list, "%s\t%d\n", w->surfaces[i].name, (int)w->surfaces[i].shape);
  return list.text;
}

typedef struct shape_pairs {
  const contact_world *w;
  bool areas[SHAPE_COUNT][SHAPE_COUNT];  // touch with areas, where any of their pairs does; the smaller first
} shape_pairs;

static void note_area(shape_pairs *p, const contact_element *e) {
  if (!e->type->overlap) return;
  shape a = p->w->surfaces[e->surface[0]].shape, b = p->w->surfaces[e->surface[1]].shape;
  p->areas[a < b ? a : b][a < b ? b : a] = true;
}

static void find_areas(shape_pairs *p, const mechanism *m) {
  contact_element e;
  for (int i = 0; i < p->w->element_count; i++) note_area(p, &p->w->elements[i]);
  for (int i = 0; p->w->crowd && i < p->w->crowd->class_count; i++)
    for (int k = i; k < p->w->crowd->class_count; k++)
      if (contact_crowd_sample(p->w, m, i, k, &e)) note_area(p, &e);
}

// The names of the points of two shapes with several, a line each: both shapes and the names, with tabs between. An
// area has one.
static const char *list_pair_points(run *r) {
  const contact_world *w = &r->model->contacts;
  const mechanism *m = &r->model->m;
  const contact_surface *of[SHAPE_COUNT] = {0};
  shape_pairs pairs = {.w = w};
  arena_text list = {0};
  arena_append(&r->memory, &list, "%s", "");
  find_areas(&pairs, m);
  for (int i = 0; i < w->surface_count; i++) {  // those with most corners: the others have the first of the names
    const contact_surface *s = &w->surfaces[i], **most = &of[s->shape];
    bool more = *most && ((s->form && (!(*most)->form || s->form->point_count > (*most)->form->point_count)) ||
                          (s->outline && s->outline->curved_count > (*most)->outline->curved_count));
    if (!*most || more) *most = s;
  }
  for (int a = 0; a < SHAPE_COUNT; a++)
    for (int b = a; b < SHAPE_COUNT; b++) {
      if (!of[a] || !of[b] || !contact_exists((shape)a, (shape)b)) continue;
      contact_element e = contact_pair(m, of[a], of[b]);
      if (pairs.areas[a][b]) arena_append(&r->memory, &list, "%d\t%d\tcentre of pressure\n", a, b);
      if (e.point_count < 2 || pairs.areas[a][b]) continue;
      arena_append(&r->memory, &list, "%d\t%d", a, b);
      for (int k = 0; k < e.point_count; k++) arena_append(&r->memory, &list, "\t%s", contact_point_name(m, &e, k));
      arena_append(&r->memory, &list, "\n");
    }
  return list.text;
}

// The text of every file the model was read from, its parameters and what was set on top.
record_text *run_describe(run *r, int *count) {
  const carom_def *def = r->model->def;
  int used = 0;
  record_text *texts = ARENA_ARRAY(&r->memory, record_text, 16 + (def && def->text ? def->text->source_count : 0));
  texts[used++] = (record_text){"version", CAROM_VERSION};
  texts[used++] = (record_text){"checkpoint_version", CHECKPOINT_VERSION};
  texts[used++] = (record_text){"title", r->model->about.title ? r->model->about.title : ""};
  texts[used++] = (record_text){"scene", scene_write(&r->memory, r->model)};
  texts[used++] = (record_text){"method", r->model->scheme->name};
  texts[used++] = (record_text){"integrator", carom_model_get_info(r->model).integrator};
  if (r->model->drawing.file_count) texts[used++] = (record_text){"mesh_files", run_list_mesh_files(r)};
  if (r->model->table_file_count) texts[used++] = (record_text){"table_files", run_list_table_files(r)};
  if (contact_can_touch(&r->model->contacts)) texts[used++] = (record_text){"impact_points", list_points(r)};
  if (r->model->contacts.crowd) texts[used++] = (record_text){"impact_surfaces", list_surfaces(r)};
  if (r->touches.table >= 0) {
    texts[used++] = (record_text){"touch_surfaces", run_list_touch_surfaces(r)};
    texts[used++] = (record_text){"touch_pairs", run_list_touch_pairs(r)};
  }
  if (r->model->contacts.crowd || r->touches.table >= 0)
    texts[used++] = (record_text){"impact_pair_points", list_pair_points(r)};
  if (r->options->resume && !r->continues) texts[used++] = (record_text){"resumed_from", r->options->resume};
  *count = used;
  if (!def || !def->text) return texts;
  texts[used++] = (record_text){"model", def->text->main->text};
  texts[used++] = (record_text){"parameters", run_list_parameters(r)};
  texts[used++] = (record_text){"settings", def->settings};
  for (int i = 1; i < def->text->source_count; i++)
    texts[used++] = (record_text){arena_print(&r->memory, "include%d", i), def->text->sources[i]->text};
  *count = used;
  return texts;
}
