// What a method says about itself, by its name.
#include "scheme/registry.h"

#include "carom/carom.h"

carom_method_advice carom_method_get_advice(const char *method) {
  const scheme_type *scheme = scheme_find(method);
  if (!scheme) return (carom_method_advice){.energy_warn = 1e-3, .energy_limit = 1e-3};
  const scheme_about *about = scheme->about;
  return (carom_method_advice){.known = true,
                               .contact = scheme->knows_contact,
                               .force_laws = about->needs_laws,
                               .energy_warn = scheme->energy.warn,
                               .energy_limit = scheme->energy.bad,
                               .required = about->required,
                               .accuracy = about->accuracy,
                               .loops = about->loops,
                               .entry = about->entry};
}
