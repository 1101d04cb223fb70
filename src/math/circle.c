#include "math/circle.h"

void circle_one_by_one(const fours *angle, fours *c, fours *s) {
  for (int i = 0; i < FOURS; i++) {
    circle at = circle_at((*angle)[i]);
    (*c)[i] = at.c, (*s)[i] = at.s;
  }
}
