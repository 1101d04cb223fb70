#include "flex/gmsh_file.h"

#include <limits.h>
#include <string.h>

enum { ENTITIES_MAX = 10000, PHYSICALS_MAX = 100, TAG_MAX = INT_MAX };

// A curve or a point of the geometry, and the groups it is in (version 4.1).
typedef struct entity {
  int dimension, tag;
  int lists[PHYSICALS_MAX];
  int count;
} entity;

typedef struct reader {
  lines *l;
  arena *memory;
  gmsh_file *to;
  int version;  // 41 or 22
  entity **entities;
  int entity_count, entity_capacity;
} reader;

// --- groups ----------------------------------------------------------------------------------------------------------

// The index of a group, which is added if it is new; -1 after reporting that there are too many.
static int list_of(reader *r, int dimension, int tag) {
  gmsh_file *f = r->to;
  for (int i = 0; i < f->list_count; i++)
    if (f->lists[i].group.dimension == dimension && f->lists[i].group.tag == tag) return i;
  if (f->list_count >= GMSH_GROUPS_MAX) {
    lines_fail(r->l, "more than %d physical groups", GMSH_GROUPS_MAX);
    return -1;
  }
  gmsh_list *to = ARENA_PUSH(r->memory, f->lists, f->list_count, f->list_capacity);
  *to = (gmsh_list){.group = {.name = arena_print(r->memory, "%d", tag), .dimension = dimension, .tag = tag}};
  return f->list_count - 1;
}

// The name between quotes in the rest of the line.
static bool read_name(reader *r, const char **name) {
  const char *from = r->l->at, *end = from;
  while (end < r->l->end && *end != '\n') end++;
  while (from < end && *from != '"') from++;
  const char *close = from + 1;
  while (close < end && *close != '"') close++;
  if (close >= end || close == from + 1 || close - from > 128)
    return lines_fail(r->l, "the name of a group is missing, not in quotes, or longer than 127 characters");
  for (const char *c = from + 1; c < close; c++)
    if ((unsigned char)*c < ' ' || *c == 127) return lines_fail(r->l, "the name of a group has a control character");
  *name = arena_print(r->memory, "%.*s", (int)(close - from - 1), from + 1);
  return true;
}

static bool read_names(reader *r) {
  int count;
  if (!lines_count(r->l, "the number of physical names", 0, GMSH_GROUPS_MAX, &count)) return false;
  for (int i = 0; i < count; i++) {
    int dimension, tag;
    const char *name = NULL;
    lines_skip(r->l);
    if (!lines_count(r->l, "the dimension of a group", 0, 3, &dimension) ||
        !lines_count(r->l, "the number of a group", 0, TAG_MAX, &tag) || !read_name(r, &name))
      return false;
    if (dimension > 1) continue;
    const int list = list_of(r, dimension, tag);
    if (list < 0) return false;
    r->to->lists[list].group.name = name;
  }
  return true;
}

// --- entities --------------------------------------------------------------------------------------------------------

static entity *find_entity(const reader *r, int dimension, int tag) {
  for (int i = 0; i < r->entity_count; i++)
    if (r->entities[i]->dimension == dimension && r->entities[i]->tag == tag) return r->entities[i];
  return NULL;
}

// One line: number, place or box, groups. What follows is not needed.
static bool read_entity(reader *r, int dimension) {
  entity e = {.dimension = dimension};
  double ignored;
  int groups;
  lines_skip(r->l);
  if (!lines_count(r->l, "the number of an entity", -TAG_MAX, TAG_MAX, &e.tag)) return false;
  for (int k = 0; k < (dimension == 0 ? 3 : 6); k++)
    if (!lines_number(r->l, "a coordinate", &ignored)) return false;
  if (!lines_count(r->l, "the number of groups of an entity", 0, PHYSICALS_MAX, &groups)) return false;
  for (int k = 0; k < groups; k++) {
    int tag;
    if (!lines_count(r->l, "a group of an entity", -TAG_MAX, TAG_MAX, &tag)) return false;
    const int list = list_of(r, dimension, tag < 0 ? -tag : tag);  // negative where the curve is turned round
    if (list < 0) return false;
    e.lists[e.count++] = list;
  }
  if (e.count == 0) return true;
  entity *kept = ARENA_NEW(r->memory, entity);
  *kept = e;
  *ARENA_PUSH(r->memory, r->entities, r->entity_count, r->entity_capacity) = kept;
  return true;
}

static bool read_entities(reader *r) {
  int counts[4];
  for (int k = 0; k < 4; k++)
    if (!lines_count(r->l, "the number of entities", 0, ENTITIES_MAX, &counts[k])) return false;
  for (int dimension = 0; dimension < 2; dimension++)
    for (int k = 0; k < counts[dimension]; k++)
      if (!read_entity(r, dimension)) return false;
  for (int k = 0; k < counts[2] + counts[3]; k++) lines_skip(r->l);
  return true;
}

// --- nodes -----------------------------------------------------------------------------------------------------------

static bool add_node(reader *r, int tag) {
  gmsh_file *f = r->to;
  if (f->node_count >= GMSH_NODES_MAX) return lines_fail(r->l, "more than %d nodes; coarsen the mesh", GMSH_NODES_MAX);
  *ARENA_PUSH(r->memory, f->nodes, f->node_count, f->node_capacity) = (gmsh_node){.tag = tag, .line = r->l->line};
  return true;
}

static bool read_place(reader *r, gmsh_node *n) {
  for (int k = 0; k < 3; k++)
    if (!lines_number(r->l, "a coordinate", &n->x[k])) return false;
  return true;
}

static bool read_nodes_22(reader *r) {
  int count, tag;
  if (!lines_count(r->l, "the number of nodes", 1, GMSH_NODES_MAX, &count)) return false;
  for (int i = 0; i < count; i++) {
    lines_skip(r->l);
    if (!lines_count(r->l, "the number of a node", 1, TAG_MAX, &tag) || !add_node(r, tag) ||
        !read_place(r, &r->to->nodes[r->to->node_count - 1]))
      return false;
  }
  return true;
}

// Blocks of nodes, one per entity: their numbers, then their places.
static bool read_nodes_41(reader *r) {
  int blocks, ignored[3], block[4], tag;
  if (!lines_count(r->l, "the number of blocks", 0, ENTITIES_MAX, &blocks) ||
      !lines_count(r->l, "the number of nodes", 1, GMSH_NODES_MAX, &ignored[0]))
    return false;
  for (int b = 0; b < blocks; b++) {
    lines_skip(r->l);
    static const char *const what[4] = {"the dimension of a block", "the entity of a block", "the flag of parameters",
                                        "the number of nodes of a block"};
    for (int k = 0; k < 4; k++)
      if (!lines_count(r->l, what[k], k == 1 ? -TAG_MAX : 0, k == 3 ? GMSH_NODES_MAX : k == 1 ? TAG_MAX : 3, &block[k]))
        return false;
    const int first = r->to->node_count;
    for (int i = 0; i < block[3]; i++) {
      lines_skip(r->l);
      if (!lines_count(r->l, "the number of a node", 1, TAG_MAX, &tag) || !add_node(r, tag)) return false;
    }
    for (int i = 0; i < block[3]; i++) {
      lines_skip(r->l);
      if (!read_place(r, &r->to->nodes[first + i])) return false;
    }
  }
  return true;
}

// --- elements --------------------------------------------------------------------------------------------------------

// How many nodes an element of a type has that a planar mesh of second order may have; 0 after reporting another.
static int nodes_of_type(reader *r, int type) {
  switch (type) {
    case 15: return 1;
    case 8: return 3;
    case 9: return 6;
    case 16: return 8;
    case 1:
    case 2:
    case 3: lines_fail(r->l, "elements of first order (type %d); mesh again with 'gmsh -2 -order 2'", type); break;
    case 10:
      lines_fail(r->l, "quadrilaterals with nine nodes (type 10); mesh again with 'Mesh.SecondOrderIncomplete = 1;'");
      break;
    default:
      lines_fail(r->l, "elements of type %d: only triangles with six nodes and quadrilaterals with eight are supported",
                 type);
  }
  return 0;
}

// The nodes of one element, in the rest of its line.
static bool read_element(reader *r, int count) {
  gmsh_file *f = r->to;
  gmsh_element e = {.count = count, .line = r->l->line};
  if (f->element_count >= GMSH_ELEMENTS_MAX) return lines_fail(r->l, "more than %d elements", GMSH_ELEMENTS_MAX);
  for (int k = 0; k < count; k++)
    if (!lines_count(r->l, "a node of an element", 1, TAG_MAX, &e.tags[k])) return false;
  *ARENA_PUSH(r->memory, f->elements, f->element_count, f->element_capacity) = e;
  return true;
}

// The element that was read last joins a group.
static void join(reader *r, int list) {
  gmsh_list *l = &r->to->lists[list];
  *ARENA_PUSH(r->memory, l->elements, l->count, l->capacity) = r->to->element_count - 1;
}

// Each element has numbers before its nodes, of which the first is its group.
static bool read_elements_22(reader *r) {
  int count, tag, type, tags, group = 0, ignored;
  if (!lines_count(r->l, "the number of elements", 1, GMSH_ELEMENTS_MAX, &count)) return false;
  for (int i = 0; i < count; i++) {
    lines_skip(r->l);
    if (!lines_count(r->l, "the number of an element", 0, TAG_MAX, &tag) ||
        !lines_count(r->l, "the type of an element", 1, 200, &type) ||
        !lines_count(r->l, "the number of tags of an element", 0, PHYSICALS_MAX, &tags))
      return false;
    for (int k = 0; k < tags; k++)
      if (!lines_count(r->l, "a tag of an element", -TAG_MAX, TAG_MAX, k == 0 ? &group : &ignored)) return false;
    const int nodes = nodes_of_type(r, type);
    if (!nodes || !read_element(r, nodes)) return false;
    if (tags == 0 || group == 0 || nodes > 3) continue;
    const int list = list_of(r, nodes == 3, group < 0 ? -group : group);
    if (list < 0) return false;
    join(r, list);
  }
  return true;
}

static bool read_elements_41(reader *r) {
  int blocks, count, dimension, tag, type, in_block;
  if (!lines_count(r->l, "the number of blocks", 0, ENTITIES_MAX, &blocks) ||
      !lines_count(r->l, "the number of elements", 1, GMSH_ELEMENTS_MAX, &count))
    return false;
  for (int b = 0; b < blocks; b++) {
    lines_skip(r->l);
    if (!lines_count(r->l, "the dimension of a block", 0, 3, &dimension) ||
        !lines_count(r->l, "the entity of a block", -TAG_MAX, TAG_MAX, &tag) ||
        !lines_count(r->l, "the type of a block", 1, 200, &type) ||
        !lines_count(r->l, "the number of elements of a block", 0, GMSH_ELEMENTS_MAX, &in_block))
      return false;
    const int nodes = nodes_of_type(r, type);
    if (!nodes) return false;
    const entity *e = nodes <= 3 ? find_entity(r, nodes == 3, tag) : NULL;
    for (int i = 0; i < in_block; i++) {
      int ignored;
      lines_skip(r->l);
      if (!lines_count(r->l, "the number of an element", 0, TAG_MAX, &ignored) || !read_element(r, nodes)) return false;
      for (int k = 0; e && k < e->count; k++) join(r, e->lists[k]);
    }
  }
  return true;
}

// --- sections --------------------------------------------------------------------------------------------------------

static bool read_format(reader *r) {
  double version;
  int binary;
  if (!lines_number(r->l, "the version", &version) || !lines_count(r->l, "the kind of file", 0, 1, &binary))
    return false;
  if (binary) return lines_fail(r->l, "it is a binary file; save it as text ('Mesh.Binary = 0;')");
  if (version != 4.1 && version != 2.2)
    return lines_fail(r->l, "version %.15g; save it as version 4.1 or 2.2 ('gmsh -format msh41')", version);
  r->version = version == 4.1 ? 41 : 22;
  return true;
}

typedef struct section {
  const char *name;
  bool (*read)(reader *r);
  int version;  // 0: both
} section;

static const section sections[] = {{"$meshformat", read_format, 0},    {"$physicalnames", read_names, 0},
                                   {"$entities", read_entities, 41},   {"$nodes", read_nodes_22, 22},
                                   {"$nodes", read_nodes_41, 41},      {"$elements", read_elements_22, 22},
                                   {"$elements", read_elements_41, 41}};
enum { SECTIONS = sizeof sections / sizeof *sections };

static const section *section_of(const reader *r, lines_word w) {
  for (int i = 0; i < SECTIONS; i++)
    if (lines_is(w, sections[i].name) && (!sections[i].version || sections[i].version == r->version))
      return &sections[i];
  return NULL;
}

static bool is_end(lines_word w) { return w.length >= 4 && memcmp(w.text, "$End", 4) == 0; }

// From the line after the name of a section on. Sections that are not needed are left out.
static bool read_section(reader *r, const section *s) {
  char text[32];
  const int first = r->l->line;
  lines_skip(r->l);
  if (s && !s->read(r)) return false;
  lines_skip(r->l);
  for (; r->l->at < r->l->end; lines_skip(r->l)) {
    const lines_word w = lines_next(r->l);
    if (is_end(w)) return true;
    if (s && w.length) return lines_fail(r->l, "'%s' where the section should end", lines_show(w, text));
  }
  return lines_fail(r->l, "the file ends inside the section that begins at line %d", first);
}

// What a file that is no mesh of gmsh seems to be, by how it begins; empty if that is not known.
static const char *looks_like(lines_word w) {
  static const char *const kinds[][2] = {{"*", " like a deck of Abaqus or CalculiX"},
                                         {"solid", " like an STL file"},
                                         {"ISO-10303-21", " like a STEP file, which gmsh can mesh"},
                                         {"<", " like XML, such as a file of VTK"},
                                         {"#", " like a file of VTK or a list of points"},
                                         {"Point", " like a geometry of gmsh (mesh it: gmsh -2 -order 2)"},
                                         {"//", " like a geometry of gmsh (mesh it: gmsh -2 -order 2)"},
                                         {"SetFactory", " like a geometry of gmsh (mesh it: gmsh -2 -order 2)"},
                                         {"v", " like an OBJ file"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const size_t length = strlen(kinds[i][0]);
    if (w.length >= length && memcmp(w.text, kinds[i][0], length) == 0) return kinds[i][1];
  }
  return "";
}

bool gmsh_file_read(lines *l, arena *memory, gmsh_file *to) {
  reader r = {.l = l, .memory = memory, .to = to};
  char text[32];
  *to = (gmsh_file){0};
  for (;; lines_skip(l)) {
    const lines_word w = lines_next_line(l);
    if (!w.length) break;
    const section *s = section_of(&r, w);
    if (!r.version && (!s || s->read != read_format))
      return lines_fail(l, "it begins with '%s'%s, not with $MeshFormat as a mesh of gmsh (text, 4.1 or 2.2)",
                        lines_show(w, text), looks_like(w));
    if (*w.text != '$' || is_end(w)) return lines_fail(l, "'%s' instead of a section", lines_show(w, text));
    if (s && s->read == read_format && r.version) return lines_fail(l, "a second $MeshFormat");
    if (!read_section(&r, s)) return false;
  }
  return r.version || lines_fail_whole(l, "it is empty");
}
