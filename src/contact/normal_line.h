// The elastic force of cylinders that touch along a line: δ = F/(π E* L) (ln(4π E* ΔR L/F) + constant), solved for F.
#ifndef CONTACT_NORMAL_LINE_H
#define CONTACT_NORMAL_LINE_H

#include "contact/law.h"

double normal_line_force(const normal_law *l, double delta, double constant);
double normal_line_energy(const normal_law *l, double delta, double constant);

#endif
