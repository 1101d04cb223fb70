// What a sim says about its run: counts, errors and warnings.
#include "sim.h"

#include <math.h>
#include <stdio.h>

#include "base/number.h"

static double violation_of(const carom_sim *sim) {
  return number_larger(sim->violation, sim->type->stats(sim->scheme).violation);
}

static energy_limits balance_limits(const carom_sim *sim) {
  energy_limits l = sim->type->energy;
  double least = l.tolerances * sim->model->integrator.rtol;
  return (energy_limits){.warn = fmax(l.warn, least), .bad = fmax(l.bad, least)};
}

// The name of a contact that has trouble. Empty if a damaged checkpoint names none that exists.
static void name_contact(const carom_sim *sim, const contact_first *first, char name[256]) {
  const contact_world *w = &sim->model->contacts;
  bool listed = first->key[1] < 0,
       known = first->key[0] >= 0 && (listed ? first->key[0] < w->element_count
                                             : first->key[0] < first->key[1] && first->key[1] < w->surface_count);
  if (!known) return;
  contact_element pair = {.surface = {first->key[0], first->key[1]}};
  char text[CONTACT_NAME];
  snprintf(name, 256, "%s", contact_name(w, listed ? &w->elements[first->key[0]] : &pair, text));
}

// The first contacts of their kinds of trouble.
static void tell_first(const carom_sim *sim, const scheme_stats *stats, carom_summary *s) {
  const contact_first *missed = stats->trouble.leaps ? &stats->trouble.missed : &stats->missed_at_end;
  if (s->step_too_large) name_contact(sim, missed, s->missed_contact), s->missed_t = missed->t;
  if (s->chatters)
    name_contact(sim, &stats->trouble.chattering, s->chatter_contact), s->chatter_t = stats->trouble.chattering.t;
  if (s->fallbacks)
    name_contact(sim, &stats->trouble.fallback, s->fallback_contact), s->fallback_t = stats->trouble.fallback.t;
}

// The pair that crept most.
static void tell_creep(const carom_sim *sim, carom_summary *s) {
  const impact_creep *most = &sim->impacts.creep;
  if (!(most->distance > 0)) return;
  char text[CONTACT_NAME];
  s->creeps = 1, s->creep = most->distance, s->creep_v0 = most->still;
  snprintf(s->creep_pair, sizeof s->creep_pair, "%s", contact_pair_name(&sim->model->contacts, most->pair, text));
}

// Adds to a list of what happened to which body; a list that is too long is cut off.
static void tell_body(carom_summary *s, const char *body, const char *how, double value, const char *unit) {
  const size_t used = strlen(s->deformed);
  snprintf(s->deformed + used, sizeof s->deformed - used, "%s%s %s %.3g %s", used ? ", " : "", body, how, value, unit);
}

// Each flexible body that is deformed beyond its theory.
static void tell_deformation(const carom_sim *sim, carom_summary *s) {
  for (int i = 1; sim->deformed && i < sim->model->m.body_count; i++) {
    const flexible_deformation d = sim->deformed[i];
    const char *name = sim->model->m.bodies[i].name;
    const bool turned = d.turn > FLEXIBLE_TURN_LIMIT, strained = d.strain > FLEXIBLE_STRAIN_LIMIT;
    if (turned) tell_body(s, name, "turned by", d.turn * 180 / M_PI, "degrees");
    if (strained) tell_body(s, name, "strained by", d.strain * 100, "%");
    if (!turned && !strained) continue;
    s->large_deformations++;
    s->turn_limit = FLEXIBLE_TURN_LIMIT, s->strain_limit = FLEXIBLE_STRAIN_LIMIT;
    s->largest_turn = number_larger(s->largest_turn, d.turn);
    s->largest_strain = number_larger(s->largest_strain, d.strain);
  }
}

carom_summary carom_sim_summary(const carom_sim *sim) {
  scheme_stats stats = sim->type->stats(sim->scheme);
  energy_limits limits = balance_limits(sim);
  carom_summary s = {.t = sim->type->time(sim->scheme),
                     .steps = stats.steps,
                     .rejected = stats.rejected,
                     .evaluations = stats.evaluations,
                     .wall_s = sim->wall_s,
                     .energy_imbalance = energy_relative_imbalance(&sim->ledger, sim->type->time(sim->scheme)),
                     .energy_warn = limits.warn,
                     .energy_limit = limits.bad,
                     .constraint_violation = violation_of(sim),
                     .restarts = sim->restarts,
                     .projection_failures = stats.projection_failures,
                     .contact_episodes = sim->impacts.episodes,
                     .contact_impacts = sim->impacts.impacts,
                     .worst_initial_penetration = number_larger(sim->impacts.worst_penetration, stats.entered_at_end),
                     .deepest_penetration = number_larger(sim->impacts.deepest, stats.deepest_at_end),
                     .penetration_bound = model_contact_options(sim->model).penetration_max,
                     .too_deep = stats.trouble.too_deep,
                     .step_too_large = stats.trouble.leaps + stats.leaps_at_end,
                     .chatters = stats.trouble.chatters,
                     .fallbacks = stats.trouble.fallbacks,
                     .inconsistent = stats.trouble.inconsistent,
                     .indeterminate = stats.trouble.indeterminate,
                     .energy_gains = stats.trouble.gains,
                     .energy_gained = stats.trouble.gained,
                     .energy_gained_t = stats.trouble.gained_at,
                     .accumulations = stats.trouble.accumulations,
                     .accumulation_error = stats.trouble.accumulation_error,
                     .normal_searches = stats.searches.count,
                     .normal_iterations = stats.searches.iterations,
                     .normal_fallbacks = stats.searches.fallbacks,
                     .friction_unsettled = stats.trouble.friction_unsettled,
                     .unsettled = stats.trouble.unsettled,
                     .other_restitution = sim->model->restitution.count,
                     .conformal = sim->model->conformal.count,
                     .curvature = stats.trouble.curvature,
                     .no_contact = sim->model->no_contact.count,
                     .rigid_surfaces = sim->model->rigid_surface.count,
                     .missed_loads = sim->model->missed_load.count,
                     .non_finite = sim->non_finite.count,
                     .non_finite_column = sim->non_finite.column,
                     .non_finite_t = sim->non_finite.t,
                     .initial_changes = (sim->model->assembly.moved_joint != NULL) +
                                        (sim->model->assembly.changed_joint || sim->model->assembly.changed_body)};
  if (sim->energy_lost &&
      (!s.non_finite || sim->energy_lost_t < s.non_finite_t)) {  // before any row that was looked at
    s.non_finite++, s.non_finite_t = sim->energy_lost_t;
    s.non_finite_column =
        carom_model_signal_name(sim->model, model_signal_first(sim->model, SIGNALS_OF_ENERGY) + ENERGY_IMBALANCE);
  }
  tell_first(sim, &stats, &s);
  s.unbalanced = !(s.energy_imbalance <= s.energy_warn);
  s.steps_per_s = sim->wall_s > 0 ? (double)(stats.steps - sim->steps_before) / sim->wall_s : 0;
  tell_creep(sim, &s);
  tell_deformation(sim, &s);
  if (stats.solves) {
    s.solves = stats.solves->problems, s.unsolved = stats.solves->unsolved;
    s.impossible = stats.solves->impossible, s.iterations = stats.solves->iterations;
    s.worst_residual = stats.solves->worst_residual;
    s.worst_residual_mixed = stats.solves->worst_residual_mixed;
    for (int i = 0; i < stats.solves->stage_count; i++) {
      s.stages[i].name = stats.solves->stage[i].name;
      s.stages[i].tried = stats.solves->stage[i].tried, s.stages[i].solved = stats.solves->stage[i].solved;
    }
  }
  return s;
}
