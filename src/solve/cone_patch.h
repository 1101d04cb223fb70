// Patches for the sweeps over a crowd, which may run in circles: some tens to hundreds of contacts that jam and slip in
// turns, while all others follow. Such a patch is solved by itself, the others held; then the sweeps go on.
#ifndef SOLVE_CONE_PATCH_H
#define SOLVE_CONE_PATCH_H

#include "solve/cone_nsgs.h"

enum { PATCHED_LEAST = 1400 };  // problems of more contacts have memory for patches

typedef struct patches patches;

// Takes memory of the workspace, for as long as there are to be rounds. Null while measuring.
patches *patches_take(solve_workspace *w, const solve_limits *limits);
void patches_measure(solve_workspace *w, const solve_limits *limits);  // the same, and what solves a patch
// For a problem over which packed sweeps of the workspace have begun (nsgs_is_packed).
void patches_begin(patches *x, const solve_problem *p, const solve_workspace *w);
// One round: sweeps of the workspace from r, and patches where these have moved most. r becomes what both have left. It
// is solved if the sweeps have solved it; then there were no patches.
solve_status patches_round(patches *x, const solve_problem *p, const solve_settings *s, solve_workspace *w, double *r,
                           solve_info *info);

#endif
