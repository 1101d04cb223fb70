// What the readers of options share. Internal to this folder.
#ifndef TEXT_OPTION_VALUE_H
#define TEXT_OPTION_VALUE_H

#include "text/option_read.h"

bool option_read_value(const option_reader *r, const option *o, const value *v, void *to);

// The unit of each number of an option whose table leaves it open (DIM_ANY), once it has been read; null for any other.
const dimension *option_open_units(const option_reader *r, const option *o, const value *v);

bool value_is_nothing(const value *v);  // a key with nothing after it
place option_place(const value *v);     // of the value, or of its key when there is nothing

// Lists of words such as `adams|bdf|rk4`.
int option_word_count(const char *words);
int option_word_find(const char *words, const char *word);  // -1 when absent
// A hint if other programs have this word for one of ours; may be null.
const char *option_word_synonym(const option_reader *r, const char *words, const char *word);

bool option_axis_from_word(const char *word, double x[3]);
bool option_normalise(double *x, int count);  // false when it is zero
void option_quaternion_about(const double axis[3], double angle, double q[4]);

#endif
