// A slider-crank in the plane, as the beginning of a model: crank 0.5 m, rod 1 m.
#ifndef CAROM_TESTS_SLIDER_CRANK_H
#define CAROM_TESTS_SLIDER_CRANK_H

#define SLIDER_CRANK                                   \
  "space: planar\n"                                    \
  "bodies:\n"                                          \
  "  crank: {mass: 1, inertia: 0.1, com: [0.25, 0]}\n" \
  "  rod: {mass: 1, inertia: 0.1, com: [0.75, 0]}\n"   \
  "  ram: {mass: 1, inertia: 0.1}\n"                   \
  "joints:\n"                                          \
  "  crank: {revolute: [ground, crank]}\n"             \
  "  rod: {revolute: [crank, rod], at: [0.5, 0]}\n"    \
  "  pin: {revolute: [rod, ram], at: [1.5, 0]}\n"      \
  "  guide: {prismatic: [ground, ram], axis: x}\n"

#endif
