// How the signals of a whole model are numbered.
#include "build/model_internal.h"

int model_signal_first(const carom_model *model, signal_section section) {
  int first = 0;
  if (section > SIGNALS_OF_MECHANISM) first += model->m.signal_count;
  if (section > SIGNALS_OF_ENERGY) first += ENERGY_SIGNALS;
  if (section > SIGNALS_OF_CONTACTS) first += model->contact_signals * model->contacts.element_count;
  if (section > SIGNALS_OF_OUTPUTS) first += model->output_count;
  return first;
}

int model_contact_kind(const carom_model *model, int k) {
  return model->scheme->about->averages && k == model->contact_signals - 1 ? CONTACT_FN_MEAN : k;
}

signal_place model_signal_place(const carom_model *model, int i) {
  signal_section section = SIGNALS_OF_MECHANISM;
  while (section < SIGNALS_OF_OUTPUTS && i >= model_signal_first(model, section + 1)) section++;
  signal_place place = {.section = section, .index = i - model_signal_first(model, section)};
  if (section == SIGNALS_OF_CONTACTS)
    place.element = place.index / model->contact_signals,
    place.kind = model_contact_kind(model, place.index % model->contact_signals);
  return place;
}
