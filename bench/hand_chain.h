// Forward dynamics of the chain of chain.h written by hand: the articulated-body recursion in space for a chain of
// links on revolute joints about their y axes, and for nothing else. It shares nothing with the engine, whose
// accelerations it checks, and is the limit the engine's speed is measured against.
#ifndef BENCH_HAND_CHAIN_H
#define BENCH_HAND_CHAIN_H

typedef struct hand_chain hand_chain;

hand_chain *hand_chain_create(int links);  // null: out of memory
void hand_chain_destroy(hand_chain *c);    // accepts null
// The accelerations at these angles and speeds, one of each per link.
void hand_chain_accelerate(hand_chain *c, const double *q, const double *u, double *udot);

#endif
