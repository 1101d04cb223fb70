// Gauss's points and weights on [0, 1]: exact up to degree 9, which a product of two cubics and a quadratic area
// reaches but for one degree.
#ifndef FLEX_GAUSS_H
#define FLEX_GAUSS_H

enum { GAUSS = 5 };
static const double gauss_at[GAUSS] = {0.046910077030668004, 0.23076534494715846, 0.5, 0.76923465505284155,
                                       0.95308992296933200};
static const double gauss_weight[GAUSS] = {0.11846344252809454, 0.23931433524968324, 0.28444444444444444,
                                           0.23931433524968324, 0.11846344252809454};

#endif
