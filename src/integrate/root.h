// The root of a function that is costly and only known point by point.
#ifndef INTEGRATE_ROOT_H
#define INTEGRATE_ROOT_H

typedef double root_function(void *context, double t);

// Illinois' method, with a bisection wherever it does not halve the bracket in three turns: f(a) > 0 ≥ f(b). Returns
// the later end of a bracket that is as narrow as times can be told apart, or the first place where -enough ≤ f ≤ 0;
// NaN where the function is.
double root_find(root_function *f, void *context, double a, double fa, double b, double fb, double enough);

// The same where the slope is known too: the inverse of the function by Hermite's cubic, aimed at the middle of what is
// enough, with a bisection wherever that does not halve the bracket in three turns.
typedef struct root_end {
  double t, f, slope;
} root_end;
typedef root_end root_sloped(void *context, double t);
double root_find_sloped(root_sloped *f, void *context, root_end a, root_end b, double enough);

#endif
