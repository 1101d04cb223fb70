// The models that come with the tool, put into it when it is built.
#ifndef TOOL_EXAMPLES_H
#define TOOL_EXAMPLES_H

#include <stddef.h>

typedef struct example {
  const char *name;           // of the file, without .yaml
  const unsigned char *text;  // ends with a zero that does not count
  size_t length;
} example;

extern const example examples[];  // by name, ends with one that has none

// Files that models include or read; the name is that of the file, from the folder of the models.
extern const example example_parts[];

// By its name, with or without folder and .yaml; null when there is none.
const example *example_find(const char *name);
// What the model says of itself on its `title:` line, in the caller's buffer.
const char *example_title(const example *e, char *buffer, size_t size);

#endif
