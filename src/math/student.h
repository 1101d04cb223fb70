// Student's t distribution.
#ifndef MATH_STUDENT_H
#define MATH_STUDENT_H

// The t that a variable with so many degrees of freedom (1 or more) is below with a probability between 0.5 and 1.
double student_quantile(double probability, double freedoms);

#endif
