// Dry friction of ideal joints, from the words of a definition to frictions of the mechanism.
#include "build/builder.h"
#include "mechanics/coordinate.h"

static bool refuse(builder *b, const part *p, const char *key, const char *hint, const char *why) {
  return source_error(b->error, CAROM_ERROR_MODEL, builder_place(p, builder_joint_table(p->kind), key), hint,
                      "'%s': %s", p->name, why);
}

static int drive_of(const mechanism *m, coordinate of) {
  for (int i = 0; i < m->drive_count; i++)
    if (m->drives[i].of.joint == of.joint && m->drives[i].of.index == of.index) return i;
  return -1;
}

// Set-valued: where the joint rests, friction is what it takes to keep it there, and no function of the state says
// that.
static bool check(builder *b, const mechanism *m, const part *p, int index, const char *key) {
  const carom_joint_def *d = p->content;
  if (!b->def->scheme->about->knows_joint_friction)
    return refuse(b, p, key, "use method: moreau or event, or a force 'along' the joint such as -F*tanh(JOINT.u/v)",
                  "this method does not support dry friction in ideal joints");
  if (d->clearance > 0)
    return refuse(b, p, key, "give the material of the clearance a friction",
                  "the friction of a joint with clearance comes from its material");
  if (d->friction > 0 && !coordinate_slides(m, (coordinate){index, 0}) && !(d->radius > 0))
    return refuse(b, p, key, "add radius:", "the friction of a pin needs its 'radius'");
  return true;
}

static void add(builder *b, mechanism *m, joint_friction f, int *capacity) {
  f.drive = drive_of(m, f.of);
  *ARENA_PUSH(b->memory, m->frictions, m->friction_count, *capacity) = f;
}

// A torque along the coordinates that turn, a force along those that slide. Friction by the load is of joints with one
// coordinate.
bool builder_frictions(builder *b, mechanism *m) {
  int capacity = 0;
  for (int i = 0; i < m->joint_count; i++) {
    const part *p = &b->def->joints.items[i];
    const carom_joint_def *d = p->content;
    bool turns = d->friction_torque > 0, slides = d->friction_force > 0, loaded = d->friction > 0;
    if (!turns && !slides && !loaded) continue;
    if (!check(b, m, p, i, loaded ? "friction" : turns ? "friction_torque" : "friction_force")) return false;
    for (int k = 0; k < joint_in(m->joints[i].type, m->planar)->nv; k++) {
      coordinate of = {i, k};
      bool slide = coordinate_slides(m, of);
      joint_friction f = {.of = of,
                          .limit = slide ? d->friction_force : d->friction_torque,
                          .coefficient = d->friction,
                          .radius = slide ? 1 : d->radius,
                          .length = d->length};
      if (f.limit > 0 || loaded) add(b, m, f, &capacity);
    }
  }
  return true;
}
