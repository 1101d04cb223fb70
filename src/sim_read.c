// What a sim shows: its signals, from the motion, the ledgers and the contacts of its scheme.
#include "sim.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "mechanics/coordinate.h"
#include "mechanics/dynamics.h"
#include "mechanics/function.h"
#include "mechanics/marker.h"
#include "mechanics/signal.h"

int sim_signal_count(const carom_model *model) { return model_signal_first(model, SIGNAL_SECTIONS); }

// Of a contact, where it is belongs to the instant, what acts there to the step.
static bool contact_signal_is_of_step(int k) {
  return k != CONTACT_GAP && k != CONTACT_X && k != CONTACT_Y && k != CONTACT_Z && k != CONTACT_AT_X &&
         k != CONTACT_AT_Y && k != CONTACT_AT_Z;
}

// An output is a mean as soon as one of the signals that it is made of is one.
static bool output_is_mean(const carom_model *model, const function *f) {
  for (int i = 1; f->e && i < f->slot_count; i++)
    if (sim_signal_is_mean(model, f->signals[i])) return true;
  return false;
}

bool sim_signal_is_mean(const carom_model *model, int i) {
  if (!model->scheme->gives_means) return false;
  signal_place at = model_signal_place(model, i);
  switch (at.section) {
    case SIGNALS_OF_MECHANISM: return model->m.signals[at.index].of_step;
    case SIGNALS_OF_ENERGY: return false;
    case SIGNALS_OF_CONTACTS: return contact_signal_is_of_step(at.kind);
    default: return output_is_mean(model, &model->outputs[at.index].f);
  }
}

static double imsim_balance(const carom_sim *sim, const energy_ledger *l) {
  const sim_step_ends *ends = &sim->step_ends;
  double t = sim->x->t;
  if (!ends->known || ends->t[1] != sim->type->time(sim->scheme) || !(t > ends->t[0] && t < ends->t[1]))
    return energy_imbalance(l);
  return ends->imbalance[0] + (ends->imbalance[1] - ends->imbalance[0]) * (t - ends->t[0]) / (ends->t[1] - ends->t[0]);
}

static void read_energies(const carom_sim *sim, double out[ENERGY_SIGNALS]) {
  energy_ledger l = sim->ledger;
  if (sim->since_booked || sim->x->t != sim->booked_t) l.now = sim_balance(sim);
  out[ENERGY_CONTACT] = l.now.contact;
  out[ENERGY_DRIVE] = l.now.drive, out[ENERGY_APPLIED] = l.now.applied, out[ENERGY_DAMPER] = l.now.damper;
  out[ENERGY_IMPACT] = l.now.impact, out[ENERGY_FRICTION] = l.now.friction;
  out[ENERGY_PROJECTION] = l.now.projection, out[ENERGY_OVERLAP] = l.now.overlap,
  out[ENERGY_IMBALANCE] = imsim_balance(sim, &l);
}

static double energy_signal(const carom_sim *sim, int k) {
  double all[ENERGY_SIGNALS];
  read_energies(sim, all);
  return all[k];
}

// Where the resultant of an element's forces acts in the world, and which one on the body that the model names first:
// the mean of its points, weighted by their normal forces.
static void contact_resultant(const carom_sim *sim, const contact_element *e, const scheme_contact *points,
                              double *out) {
  vec3 at = {0, 0, 0}, force = {0, 0, 0};
  double weights = 0;
  bool active = false, slides = false;
  for (int i = 0; i < e->point_count; i++) {
    const contact_point *p = points[i].point;
    if (!points[i].active || !p) continue;
    active = true;
    slides |= points[i].slides;
    double weight = fmax(points[i].normal_force, DBL_MIN);
    weights += weight;
    at = vec3_axpy(at, weight, p->at);
    force = vec3_axpy(force, points[i].normal_force, p->n);
    for (int k = 0; k < 2; k++) force = vec3_axpy(force, points[i].tangential_force[k], p->t[k]);
  }
  if (active) at = vec3_scale(1 / weights, at);
  if (e->told_backwards) force = vec3_sub(VEC3_ZERO, force);  // no -0
  out[CONTACT_SLIP] = active + slides;
  out[CONTACT_AT_X] = at.x, out[CONTACT_AT_Y] = at.y;
  out[CONTACT_FORCE_X] = force.x, out[CONTACT_FORCE_Y] = force.y;
  if (!sim->model->m.planar) out[CONTACT_AT_Z] = at.z, out[CONTACT_FORCE_Z] = force.z;
}

// The sums of an element's forces in the last step, and its mode.
static void sum_forces(const carom_sim *sim, const contact_element *e, const scheme_contact *points, double *out) {
  double fn = 0, ft[2] = {0, 0};
  bool active[CONTACT_POINTS_MAX] = {false}, any = false, lasts = false;
  for (int i = 0; i < e->point_count; i++) {
    fn += points[i].normal_force;
    ft[0] += points[i].tangential_force[0], ft[1] += points[i].tangential_force[1];
    any |= active[i] = points[i].active;
    lasts |= points[i].lasts;
  }
  out[CONTACT_FN] = fn;
  out[CONTACT_FT] = sim->model->m.planar ? ft[0] : hypot(ft[0], ft[1]);
  out[CONTACT_MODE] = e->type->mode ? e->type->mode(e, active) : any;
  if (e->type->tells_following && out[CONTACT_MODE] == 1 && lasts) out[CONTACT_MODE] = 2;
  if (!sim->model->scheme->about->averages) return;
  double *mean = &out[sim->model->contact_signals - 1];
  *mean = 0;
  for (int i = 0; i < e->point_count; i++) *mean += points[i].mean_force;
}

// Of an element in the last step: the smallest gap, the sums of forces, its mode, for a joint with clearance where the
// second marker is in the first's axes, and the resultant.
static void read_contact(const carom_sim *sim, const contact_element *e, double *out) {
  const scheme_contact *points = sim->type->contacts ? sim->type->contacts(sim->scheme) + e->point0 : NULL;
  int first = e->told_backwards ? e->second : e->first, second = e->told_backwards ? e->first : e->second;
  marker_place a = marker_find(&sim->model->m, sim->x, first), b = marker_find(&sim->model->m, sim->x, second);
  vec3 d = mat3_tmul(a.R, vec3_sub(b.p, a.p));
  memset(out, 0, (size_t)sim->model->contact_signals * sizeof *out);
  out[CONTACT_X] = d.x, out[CONTACT_Y] = d.y;
  if (!sim->model->m.planar) out[CONTACT_Z] = d.z;
  if (!points) return;
  out[CONTACT_GAP] = points[0].gap;
  for (int i = 1; i < e->point_count; i++) out[CONTACT_GAP] = number_smaller(out[CONTACT_GAP], points[i].gap);
  sum_forces(sim, e, points, out);
  contact_resultant(sim, e, points, out);
}

static double contact_signal(const carom_sim *sim, signal_place at) {
  double all[CONTACT_SIGNALS];
  read_contact(sim, &sim->model->contacts.elements[at.element], all);
  return all[at.index % sim->model->contact_signals];
}

// Any but an output.
static double read_signal(const carom_sim *sim, int i) {
  signal_place at = model_signal_place(sim->model, i);
  if (at.section == SIGNALS_OF_MECHANISM) return signal_read(&sim->model->m, sim->x, at.index);
  return at.section == SIGNALS_OF_ENERGY ? energy_signal(sim, at.index) : contact_signal(sim, at);
}

// From a row of all signals before it, or where there is none from those it names.
static double output_signal(carom_sim *sim, int k, const double *row) {
  const function *f = &sim->model->outputs[k].f;
  if (!f->e) return function_value(&sim->model->m, sim->x, f);
  sim->slots[0] = sim->x->t;
  for (int i = 1; i < f->slot_count; i++) sim->slots[i] = row ? row[f->signals[i]] : read_signal(sim, f->signals[i]);
  return expr_value(f->e, sim->slots);
}

double carom_sim_read(carom_sim *sim, int signal_index) {
  int count = sim_signal_count(sim->model), first_output = model_signal_first(sim->model, SIGNALS_OF_OUTPUTS);
  if (signal_index < 0 || signal_index >= count || !sim_evaluate(sim, NULL)) return NAN;
  return signal_index < first_output ? read_signal(sim, signal_index)
                                     : output_signal(sim, signal_index - first_output, NULL);
}

// What acts at this instant cannot be found: a force is not a number, a mechanism is locked. Where the bodies are is
// known all the same.
static void read_without_result(carom_sim *sim) {
  const carom_model *model = sim->model;
  for (int i = 0; i < sim_signal_count(model); i++) sim->row[i] = NAN;
  dynamics_positions_velocities(&model->m, sim->x);
  coordinate_update(&model->m, sim->x);
  for (int i = 0; i < model->m.signal_count; i++)
    if (!model->m.signals[i].of_step) sim->row[i] = signal_read(&model->m, sim->x, i);
  sim->row[0] = sim->x->t;
}

const double *sim_read_all(carom_sim *sim) {
  const carom_model *model = sim->model;
  if (!sim_evaluate(sim, NULL)) {
    read_without_result(sim);
    return sim->row;
  }
  signal_read_all(&model->m, sim->x, sim->row);
  read_energies(sim, sim->row + model_signal_first(model, SIGNALS_OF_ENERGY));
  double *contacts = sim->row + model_signal_first(model, SIGNALS_OF_CONTACTS);
  for (int i = 0; i < model->contacts.element_count; i++, contacts += model->contact_signals)
    read_contact(sim, &model->contacts.elements[i], contacts);
  double *outputs = sim->row + model_signal_first(model, SIGNALS_OF_OUTPUTS);
  for (int k = 0; k < model->output_count; k++) outputs[k] = output_signal(sim, k, sim->row);
  return sim->row;
}

// --- some of them ----------------------------------------------------------------------------------------------------

// What must be known to read a signal.
typedef enum reading { READ_STEP, READ_VELOCITIES, READ_RESULT } reading;

// Forces of contacts may belong to the last step; positions and velocities are those of the state.
static reading reading_of(const carom_model *model, signal_place at, bool has_loads) {
  if (at.section == SIGNALS_OF_CONTACTS) {
    const bool force =
        at.kind == CONTACT_FN || at.kind == CONTACT_FT || at.kind == CONTACT_MODE || at.kind == CONTACT_FN_MEAN;
    return force && has_loads ? READ_STEP : READ_RESULT;
  }
  if (at.section != SIGNALS_OF_MECHANISM) return READ_RESULT;
  const signal *s = &model->m.signals[at.index];
  return s->level <= LEVEL_VELOCITY && !s->of_step ? READ_VELOCITIES : READ_RESULT;
}

static void read_one(carom_sim *sim, int i, signal_place at, const scheme_contact *loads) {
  const carom_model *model = sim->model;
  const int first_output = model_signal_first(model, SIGNALS_OF_OUTPUTS);
  if (at.section == SIGNALS_OF_CONTACTS && loads) {
    const contact_element *e = &model->contacts.elements[at.element];
    double *to = sim->row + model_signal_first(model, SIGNALS_OF_CONTACTS) + (long)at.element * model->contact_signals;
    sum_forces(sim, e, loads + e->point0, to);
  } else {
    sim->row[i] = at.section == SIGNALS_OF_OUTPUTS ? output_signal(sim, i - first_output, NULL) : read_signal(sim, i);
  }
}

const double *sim_read_some(carom_sim *sim, const int *signals, int count) {
  const scheme_contact *loads = sim->type->loads && !sim->evaluated ? sim->type->loads(sim->scheme) : NULL;
  reading most = READ_STEP;
  for (int i = 0; i < count; i++) {
    const reading needed = reading_of(sim->model, model_signal_place(sim->model, signals[i]), loads);
    if (needed > most) most = needed;
  }
  if (most == READ_RESULT && !sim_evaluate(sim, NULL)) {
    read_without_result(sim);
    return sim->row;
  }
  if (most == READ_VELOCITIES && !sim->evaluated) {
    dynamics_positions_velocities(&sim->model->m, sim->x);
    coordinate_update(&sim->model->m, sim->x);
  }
  for (int i = 0; i < count; i++)
    read_one(sim, signals[i], model_signal_place(sim->model, signals[i]), most == READ_RESULT ? NULL : loads);
  return sim->row;
}

const double *carom_sim_coordinates(const carom_sim *sim) { return sim->x->q; }

const double *carom_sim_speeds(const carom_sim *sim) { return sim->x->u; }

const double *carom_sim_accelerations(carom_sim *sim) { return sim_evaluate(sim, NULL) ? sim->x->result.udot : NULL; }
