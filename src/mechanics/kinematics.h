// Where one node is and how it moves, seen from its parent; the geometry beneath the recursions of tree.c.
#ifndef MECHANICS_KINEMATICS_H
#define MECHANICS_KINEMATICS_H

#include "mechanics/mechanism.h"

// Each fills pose, r, V, c of the node's link and its columns S (six a speed).
void kinematics_spatial(const node *n, const tree_link *parent, tree_link *l, const double *q, const double *u, double *S);
void kinematics_planar(const node *n, const tree_link *parent, tree_link *l, const double *q, const double *u, double *S);

// Inertia block at the body's origin and the velocity-dependent force.
void inertia_spatial(const node *n, tree_link *l);
void inertia_planar(const node *n, tree_link *l);

#endif
