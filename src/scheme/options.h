// Options that several schemes have in common, for their tables, and how a scheme refuses. AT(field) is the offset in
// the struct of the scheme.
#ifndef SCHEME_OPTIONS_H
#define SCHEME_OPTIONS_H

#include <stdio.h>

#include "contact/crowd.h"
#include "scheme/scheme.h"

#define LOOP_OPTIONS(how)                                                                                        \
  {.key = "constraints",                                                                                         \
   .type = OPTION_WORD,                                                                                          \
   .offset = AT(constraints),                                                                                    \
   .preset = "project",                                                                                          \
   .words = "project|baumgarte|ggl",                                                                             \
   .help = how},                                                                                                 \
      {.key = "alpha",                                                                                           \
       .type = OPTION_NUMBER,                                                                                    \
       .offset = AT(alpha),                                                                                      \
       .dim = DIM_PER_TIME,                                                                                      \
       .flags = OPTION_NOT_NEGATIVE,                                                                             \
       .preset = "10",                                                                                           \
       .help = "Baumgarte's velocity coefficient."},                                                             \
  {                                                                                                              \
    .key = "beta", .type = OPTION_NUMBER, .offset = AT(beta), .dim = DIM_PER_TIME, .flags = OPTION_NOT_NEGATIVE, \
    .preset = "10", .help = "Baumgarte's position coefficient."                                                  \
  }
#define TOLERANCE_OPTION(least)                                                                                    \
  {                                                                                                                \
    .key = "tolerance", .type = OPTION_NUMBER, .offset = AT(tolerance), .dim = DIM_NONE, .flags = OPTION_POSITIVE, \
    .preset = least, .help = "Residual at which a contact problem counts as solved."                               \
  }
#define MODAL_THETA_OPTION                                                                                         \
  {                                                                                                                \
    .key = "modal_theta", .type = OPTION_NUMBER, .offset = AT(modal_theta), .dim = DIM_NONE,                       \
    .flags = OPTION_NOT_NEGATIVE | OPTION_AT_MOST_ONE, .preset = "0",                                              \
    .help =                                                                                                        \
        "Stiffness and damping of flexible bodies: 0: explicit, and a step that is too long for the fastest mode " \
        "is refused; from 0.5 to 1: implicit, at this part of the step. 0.5 damps least, and in `moreau` keeps "   \
        "the energy of modes; 1 damps fast modes most."                                                            \
  }
#define SEPARATE_OPTION                                                                        \
  {                                                                                            \
    .key = "separate", .type = OPTION_FLAG, .offset = AT(separate), .preset = "false",         \
    .help = "Move surfaces apart that overlap at the start. Otherwise an overlap is an error." \
  }
#define DUMP_OPTIONS(number)                                                                             \
  {.key = "dump",                                                                                        \
   .type = OPTION_TEXT,                                                                                  \
   .offset = AT(dump),                                                                                   \
   .help = "Save contact problems as DUMP-" number                                                       \
           ".dat, for `carom solve`: the unsolved ones, or by "                                          \
           "dump_every."},                                                                               \
  {                                                                                                      \
    .key = "dump_every", .type = OPTION_INTEGER, .offset = AT(dump_every), .flags = OPTION_NOT_NEGATIVE, \
    .preset = "0", .help = "Save every n-th problem (1: all); 0 saves the unsolved ones."                \
  }

// The C interface of a scheme: its defaults from `table`, and how a definition takes its options.
#define SCHEME_INTERFACE(name) SCHEME_INTERFACE_OF(name, #name)
// The same of a method whose name is no identifier.
#define SCHEME_INTERFACE_OF(name, method)                                      \
  carom_##name##_def carom_##name##_default(void) {                            \
    carom_##name##_def d;                                                      \
    option_defaults(&table, &d);                                               \
    return d;                                                                  \
  }                                                                            \
  carom_status carom_def_##name(carom_def *def, const carom_##name##_def *d) { \
    return carom_def_method(def, method, d);                                   \
  }                                                                            \
  _Static_assert(sizeof(carom_##name##_def) <= sizeof(scheme_options), "scheme_options has room for these")

// Always false.
#define SCHEME_REFUSE(why, where_, index_, hint_, ...)                               \
  (*(why) = (scheme_refusal){.where = (where_), .index = (index_), .hint = (hint_)}, \
   snprintf((why)->text, sizeof(why)->text, __VA_ARGS__), false)

// The first contact that a test finds, as a refusal names it.
typedef struct refused_contact {
  contact_element e;
  const char *name;
  char text[CONTACT_NAME];
  int where, index;  // of the refusal
} refused_contact;

static inline bool scheme_find_contact(const scheme_request *request, contact_test *test, refused_contact *to) {
  if (!contact_find(request->contacts, request->m, test, &to->e, &to->index)) return false;
  to->name = contact_name(request->contacts, &to->e, to->text);
  to->where = to->index < 0 ? REFUSED_METHOD : REFUSED_CONTACT;
  return true;
}

static inline bool resists_turning(const mechanism *m, const contact_element *e) { return (void)m, contact_rolls(e); }

// For schemes without rolling and spinning friction.
static inline bool scheme_refuses_turning(const scheme_request *request, const char *who, scheme_refusal *why) {
  refused_contact c;
  if (!scheme_find_contact(request, resists_turning, &c)) return false;
  return !SCHEME_REFUSE(why, c.where, c.index, "use method event, moreau, stewart-trinkle or compliant",
                        "'%s': %s does not support '%s' of a material", c.name, who,
                        c.e.material.rolling > 0 ? "rolling_friction" : "spinning_friction");
}

#endif
