// Results of studies as JSON.
#include <stdio.h>

#include "base/json.h"
#include "carom/carom.h"
#include "build/model_internal.h"
#include "sim.h"

static void put_signal(json_writer *w, carom_sim *sim, const char *name) {
  const int signal = carom_model_signal(sim->model, name);
  if (signal >= 0) json_put_number(w, name, carom_sim_read(sim, signal));
}

static void put_positions(json_writer *w, carom_sim *sim) {
  const carom_model *model = sim->model;
  char name[512];
  json_open(w, "positions", '{');
  for (int i = 0; carom_model_joint_name(model, i); i++) {
    const int count = carom_model_joint_coordinates(model, i);
    for (int k = 0; k < count; k++) {
      if (count == 1) snprintf(name, sizeof name, "%s.q", carom_model_joint_name(model, i));
      else snprintf(name, sizeof name, "%s.q%d", carom_model_joint_name(model, i), k);
      put_signal(w, sim, name);
    }
  }
  for (int i = 1; i < model->m.body_count; i++)
    for (int k = 0; k < carom_model_body_modes(model, i); k++) {
      snprintf(name, sizeof name, "%s.mode%d", model->m.bodies[i].name, k + 1);
      put_signal(w, sim, name);
    }
  json_close(w, '}');
}

static void put_parts(json_writer *w, carom_sim *sim, const char *section, const char *what) {
  char name[512];
  json_open(w, section, '{');
  for (int i = 0; carom_model_part(sim->model, section, i).name; i++) {
    snprintf(name, sizeof name, "%s%s", carom_model_part(sim->model, section, i).name, what);
    put_signal(w, sim, name);
  }
  json_close(w, '}');
}

int carom_equilibrium_json(const carom_equilibrium *e, carom_sim *sim, char *text, int size) {
  json_writer w = json_begin_in(text, size);
  json_open(&w, NULL, '{');
  json_put_text(&w, "title", sim->model->about.title);
  json_put_number(&w, "t", carom_sim_time(sim));
  json_put_integer(&w, "iterations", e->iterations);
  json_put_integer(&w, "freedoms", e->freedoms);
  json_put_integer(&w, "unstable", e->unstable);
  json_put_integer(&w, "neutral", e->neutral);
  json_put_integer(&w, "closed", e->closed);
  json_put_flag(&w, "friction", e->friction);
  json_put_number(&w, "step", e->step);
  json_put_number(&w, "residual", e->residual);
  put_positions(&w, sim);
  put_parts(&w, sim, "contacts", ".fn");
  put_parts(&w, sim, "states", "");
  json_close(&w, '}');
  return w.out.length;
}

static void put_shape(json_writer *w, const carom_modes *modes, int i) {
  json_open(w, "shape", '{');
  for (int k = 0; carom_modes_name(modes, k); k++) {
    double parts[2];
    parts[0] = carom_modes_shape(modes, i, k, &parts[1]);
    json_put_numbers(w, carom_modes_name(modes, k), parts, 2);
  }
  json_close(w, '}');
}

int carom_modes_json(const carom_modes *modes, char *text, int size) {
  json_writer w = json_begin_in(text, size);
  json_open(&w, NULL, '{');
  json_put_number(&w, "imbalance", carom_modes_imbalance(modes));
  json_put_number(&w, "speed", carom_modes_speed(modes));
  json_put_number(&w, "change", carom_modes_change(modes));
  json_open(&w, "units", '{');
  for (int k = 0; carom_modes_name(modes, k); k++)
    json_put_text(&w, carom_modes_name(modes, k), carom_modes_unit(modes, k));
  json_close(&w, '}');
  json_open(&w, "modes", '[');
  for (int i = 0; i < carom_modes_count(modes); i++) {
    const carom_mode m = carom_modes_get(modes, i);
    json_open(&w, NULL, '{');
    json_put_number(&w, "real", m.real);
    json_put_number(&w, "imaginary", m.imaginary);
    json_put_number(&w, "omega", m.omega);
    json_put_number(&w, "frequency", m.frequency);
    json_put_number(&w, "damping", m.damping);
    put_shape(&w, modes, i);
    json_close(&w, '}');
  }
  json_close(&w, ']');
  json_close(&w, '}');
  return w.out.length;
}
