// Which equations of motion depend on which components, for Newton's matrix of IDA: bodies in absolute coordinates
// meet in the rows of constraints and in forces alone.
#ifndef SCHEME_FLOW_PATTERN_H
#define SCHEME_FLOW_PATTERN_H

#include "integrate/integrator.h"
#include "mechanics/mechanism.h"

// Whether there is a pattern, and it is worth a sparse matrix: of many bodies of which each depends on few.
bool flow_pattern_is_sparse(const mechanism *m, const motion *x);
// Of y = (q, u, accounts, λ, μ) with equations in the same order, Φ for λ and Φ̇ for μ. Nothing depends on accounts;
// what they depend on is left out. `x` has its rows evaluated. Returns false if memory runs out.
bool flow_pattern_create(dae_pattern *p, const mechanism *m, const motion *x, int accounts);
void flow_pattern_destroy(dae_pattern *p);

#endif
