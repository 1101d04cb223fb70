// Contacts that should rest, and open and close again and again. Each time they fall for a few steps and strike with a
// speed that the forces make in these: no step resolves such flights, and the forces shown are those of single steps.
#include "scheme/stepper_internal.h"

enum {
  FEW = 8,    // steps: a flight, or the time between two, is short
  MANY = 100  // closings in a row: bounces that die out are fewer
};
// An approach counts if the forces make its speed within these numbers of steps. Below the first it is rounding, above
// the second it is an impact.
static const double STEPS_MIN = 0.05, STEPS_MAX = 4;

void stepper_chatter_begin(stepper *s, int point) {
  s->near.chatter[point] = (stepper_chatter){.pressed = s->steps - FEW - 2, .since = s->steps - FEW - 2};
}

bool stepper_chatter_watch(stepper *s, int point, double rate, double made) {
  stepper_chatter *c = &s->near.chatter[point];
  long apart = s->steps - c->pressed - 1;
  if (apart > 0) {
    bool counts = -rate >= STEPS_MIN * made && -rate <= STEPS_MAX * made;
    c->closings = counts && apart <= FEW ? c->closings + 1 : 0;
    c->since = s->steps;
  } else if (s->steps - c->since > FEW) c->closings = 0;  // it rests
  c->pressed = s->steps;
  return c->closings == MANY && c->since == s->steps;
}

void stepper_chatter_count(stepper *s, int point) {
  contact_count_trouble(s->contacts->world, s->near.element_of[point], s->t, &s->trouble.chatters,
                        &s->trouble.chattering);
}

// As steps ago: a run that is resumed counts its own.
static void ago_field(long *step, long now, const char *name, fields *f) {
  long ago = now - *step > FEW ? FEW + 2 : now - *step;
  fields_count(f, name, &ago);
  if (f->from) *step = now - ago;
}

void stepper_chatter_fields(stepper *s, int point, fields *f) {
  stepper_chatter *c = &s->near.chatter[point];
  ago_field(&c->pressed, s->steps, "pressed", f);
  ago_field(&c->since, s->steps, "pressed_since", f);
  fields_count(f, "closings", &c->closings);
}
