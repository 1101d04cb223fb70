// What the lines of a gmsh file say, before it becomes a mesh (gmsh.c).
#ifndef FLEX_GMSH_FILE_H
#define FLEX_GMSH_FILE_H

#include "flex/gmsh.h"

typedef struct gmsh_node {
  int tag, line;
  double x[3];
} gmsh_node;

typedef struct gmsh_element {
  int count;  // of its nodes: 1 a point, 3 a side, 6 or 8 of the mesh
  int line;
  int tags[8];  // of its nodes; once the mesh is made, their indices there
} gmsh_element;

// A group and the points or sides in it.
typedef struct gmsh_list {
  gmsh_group group;
  int *elements;
  int count, capacity;
} gmsh_list;

typedef struct gmsh_file {
  gmsh_node *nodes;
  int node_count, node_capacity;
  gmsh_element *elements;
  int element_count, element_capacity;
  gmsh_list *lists;
  int list_count, list_capacity;
} gmsh_file;

// Returns false after saying what is wrong.
bool gmsh_file_read(lines *l, arena *memory, gmsh_file *to);

#endif
