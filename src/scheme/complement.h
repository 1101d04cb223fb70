// The core of schemes that predict where surfaces will be and find contact forces by complementarity (paper 003). Time
// goes on in intervals of one length. From the state at the start of an interval one step of a Runge-Kutta method is
// taken without contact forces, and its stages say how forces that are constant over the interval move its end:
//   q_E = q_F + h² Σ_k (bᵀA)_k M_k⁻¹ W_k λ   (2),      u_E = u_F + h Σ_k b_k M_k⁻¹ W_k λ   (4)
// with the free end (q_F, u_F), M and the rows W at the stages k of the free step, and the weights A, b of the method.
// So gaps and gap rates at the end are linear functions of λ, (3) and (5), and these are complementary to λ. Then any
// integrator moves the bodies to the end of the interval under the forces found.
//
// Applied forces at the later stages depend on λ, which the prediction leaves out: gaps are off by a share (ω h)²/12 of
// what the forces move them in an oscillation of angular frequency ω (theory.md, 10.8).
#ifndef SCHEME_COMPLEMENT_H
#define SCHEME_COMPLEMENT_H

#include "scheme/options.h"
#include "scheme/watcher.h"

// What is complementary to the normal forces: gaps, or gap rates.
typedef enum complement_level { COMPLEMENT_GAPS, COMPLEMENT_RATES } complement_level;

// What a scheme over this core can run; see scheme_about. `who` is its name for messages.
bool complement_accepts_settings(const scheme_request *request, const char *who, scheme_refusal *why);
bool complement_accepts_model(const scheme_request *request, const char *who, scheme_refusal *why);
bool complement_advises(const scheme_request *request, const char *who, complement_level level, char *text, int size);
void complement_choose_integrator(carom_integrator_def *integrator, const mechanism *m, const contact_world *contacts);
scheme_contact_options complement_contact(const void *options, double length);

// Creates the state of a scheme; null after reporting.
void *complement_create(complement_level level, const scheme_setup *setup, const scheme_start *start,
                        carom_error *error);

// The functions of a scheme over this core, to stand in its scheme_type beside name, about and create.
void complement_destroy(void *scheme);
bool complement_result(void *scheme, carom_error *error);
scheme_stats complement_stats(const void *scheme);
void complement_memory(void *scheme, fields *f);
void complement_point_memory(void *scheme, int slot, fields *f);

#define COMPLEMENT_FUNCTIONS                                                                                        \
  .destroy = complement_destroy, .step = watcher_step, .result = complement_result, .stats = complement_stats,      \
  .resumes_exactly = watcher_resumes_exactly, .memory = complement_memory, .point_memory = complement_point_memory, \
  WATCHER_FUNCTIONS

// Options of these schemes, for their tables.
#define COMPLEMENT_OPTIONS                                                                                        \
  {.key = "step",                                                                                                 \
   .type = OPTION_NUMBER,                                                                                         \
   .offset = AT(step),                                                                                            \
   .dim = DIM_TIME,                                                                                               \
   .flags = OPTION_REQUIRED | OPTION_POSITIVE,                                                                    \
   .help = "Time over which contact forces are constant. Without an `integrator` also the time step."},           \
      {.key = "order",                                                                                            \
       .type = OPTION_WORD,                                                                                       \
       .offset = AT(order),                                                                                       \
       .preset = "rk4",                                                                                           \
       .words = "rk4|rk3|midpoint|semi-implicit-euler|explicit-euler",                                            \
       .help =                                                                                                    \
           "The method that predicts gaps at the end of a step, and without an `integrator` also moves the "      \
           "bodies: of Runge and Kutta with order four or three, the explicit midpoint rule of order two, "       \
           "semi-implicit Euler of order one. Explicit Euler is refused."},                                       \
      {.key = "average",                                                                                          \
       .type = OPTION_INTEGER,                                                                                    \
       .offset = AT(average),                                                                                     \
       .flags = OPTION_POSITIVE,                                                                                  \
       .preset = "10",                                                                                            \
       .help =                                                                                                    \
           "Steps over which the signal `fn_mean` of a contact is taken: the present one and those before it. A " \
           "contact has ended when it had no force for ten steps, whatever this is."},                            \
      TOLERANCE_OPTION("1e-12"), SEPARATE_OPTION, DUMP_OPTIONS("NUMBER")

// All of a scheme over this core but its name, what is complementary to its forces, and its synonym. AT must be defined
// for carom_lcp_def.
#define COMPLEMENT_SCHEME(id, word, synonym, level, what)                                                             \
  static const option options[] = {COMPLEMENT_OPTIONS};                                                               \
  static const option_table table = {                                                                                 \
      .name = word,                                                                                                   \
      .summary = "Contact forces by complementarity with the " what                                                   \
                 " that a Runge-Kutta method predicts for the end of a step: impact and contact of flexible bodies.", \
      .example = "method: {" word ": {step: 1 us}}",                                                                  \
      .size = sizeof(carom_lcp_def),                                                                                  \
      .options = options,                                                                                             \
      .count = OPTION_COUNT(options)};                                                                                \
  SCHEME_INTERFACE_OF(id, word);                                                                                      \
  static bool accepts_settings(const scheme_request *request, scheme_refusal *why) {                                  \
    return complement_accepts_settings(request, "method " word, why);                                                 \
  }                                                                                                                   \
  static bool accepts_model(const scheme_request *request, scheme_refusal *why) {                                     \
    return complement_accepts_model(request, "method " word, why);                                                    \
  }                                                                                                                   \
  static bool advises(const scheme_request *request, char *text, int size) {                                          \
    return complement_advises(request, "method " word, level, text, size);                                            \
  }                                                                                                                   \
  static const option_synonym synonyms[] = {{synonym, word, NULL}, {NULL, NULL, NULL}};                               \
  static const scheme_about about = {                                                                                 \
      .table = &table,                                                                                                \
      .synonyms = synonyms,                                                                                           \
      .integrates = true,                                                                                             \
      .averages = true,                                                                                               \
      .predicts = true,                                                                                               \
      .finds_pairs = true,                                                                                            \
      .contact = complement_contact,                                                                                  \
      .choose_integrator = complement_choose_integrator,                                                              \
      .accepts_settings = accepts_settings,                                                                           \
      .accepts_model = accepts_model,                                                                                 \
      .advises = advises,                                                                                             \
      .required = "step=1e-4",                                                                                        \
      .accuracy = "take a shorter step",                                                                              \
  };                                                                                                                  \
  static void *create(const scheme_setup *setup, const scheme_start *start, carom_error *error) {                     \
    return complement_create(level, setup, start, error);                                                             \
  }                                                                                                                   \
  const scheme_type scheme_##id = {.name = word, .about = &about, .create = create, COMPLEMENT_FUNCTIONS}

#endif
