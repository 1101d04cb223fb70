// The sweeps of cone_packed.c with eight contacts at once, in single precision.
#define LANES_SINGLE
#include "solve/cone_packed.c"
