#include "solve/problem_dump.h"

#include <stdio.h>

#include "solve/problem_text.h"

void problem_dump_step(problem_dump *d, long step) { d->step = step, d->in_step = 0; }

void problem_dump_take(problem_dump *d, const solve_problem *p, bool solved) {
  char path[1024];
  d->problems++, d->in_step++;
  bool wanted = d->every > 0 ? (d->problems - 1) % d->every == 0 : !solved;
  if (!d->path || !wanted || d->error.status != CAROM_OK) return;
  if (d->step && d->in_step > 1) snprintf(path, sizeof path, "%s-%ld-%ld.dat", d->path, d->step, d->in_step);
  else snprintf(path, sizeof path, "%s-%ld.dat", d->path, d->step ? d->step : d->problems);
  problem_save(p, path, &d->error);
}
