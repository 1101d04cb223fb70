// A user's law: an expression of delta, rate and approach, or a function in C.
#include "contact/law.h"

static double force(const normal_law *l, double delta, double rate, double approach) {
  if (l->call) return l->call(l->context, delta, rate, approach);
  const double slots[3] = {delta, rate, approach};
  return expr_value(l->expression, slots);
}

static const char *const needs[] = {"force", NULL};

const normal_law_type normal_expression = {.name = "expression",
                                           .equation = "F = force(delta, rate, approach)",
                                           .source = "the model",
                                           .range = "defined by the model",
                                           .contact = LAW_OWN,
                                           .needs = needs,
                                           .force = force};
