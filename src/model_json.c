// A model as JSON: what `carom check --json` prints.
#include <string.h>

#include "base/json.h"
#include "carom/carom.h"

// Texts that a model does not have are empty.
static void put_text(json_writer *w, const char *key, const char *text) { json_put_text(w, key, text ? text : ""); }

static void put_rounded(json_writer *w, const char *key, const double *x, int count) {
  json_open(w, key, '[');
  for (int i = 0; i < count; i++) json_put_rounded(w, NULL, x[i]);
  json_close(w, ']');
}

static void put_modes(json_writer *w, const carom_model *model, int body) {
  const int count = carom_model_body_modes(model, body);
  if (!count) return;
  json_open(w, "frequencies", '[');
  for (int k = 0; k < count; k++) json_put_rounded(w, NULL, carom_model_body_frequency(model, body, k));
  json_close(w, ']');
  carom_interface place;
  json_open(w, "interfaces", '[');
  for (int k = 0; (place = carom_model_body_interface(model, body, k)).name; k++) {
    json_open(w, NULL, '{');
    json_put_text(w, "name", place.name);
    json_put_integer(w, "loads", place.loads);
    json_put_integer(w, "modes", place.modes);
    json_put_rounded(w, "missing", place.missing);
    json_close(w, '}');
  }
  json_close(w, ']');
}

static void put_body(json_writer *w, carom_body_size b) {
  json_put_rounded(w, "mass", b.mass);
  json_put_rounded(w, "size", b.size);
  json_put_rounded(w, "gyration", b.gyration);
  put_rounded(w, "com", b.com, 3);
  put_rounded(w, "inertia", b.inertia, 6);
  json_put_flag(w, "from_shape", b.from_shape);
}

static void put_part(json_writer *w, const carom_model *model, const char *section, int i, const carom_part *p) {
  json_open(w, NULL, '{');
  put_text(w, "name", p->name);
  if (*p->kind) put_text(w, "kind", p->kind);
  if (p->between[0]) {
    json_open(w, "between", '[');
    for (int k = 0; k < 2 && p->between[k]; k++) put_text(w, NULL, p->between[k]);
    json_close(w, ']');
  }
  if (strcmp(section, "joints") == 0) json_put_flag(w, "closes_loop", carom_model_joint_closes_loop(model, i));
  if (strcmp(section, "bodies") == 0) put_body(w, carom_model_body_size(model, i + 1)), put_modes(w, model, i + 1);
  if (strcmp(section, "contacts") == 0) {
    json_put_rounded(w, "gap", carom_model_start_gap(model, i));
    put_text(w, "gap_unit", carom_model_start_gap_unit(model, i));
  }
  json_close(w, '}');
}

// Signals of the section `signals` are "computed": the list of all signals has the other name.
static void put_control(json_writer *w, const carom_model *model) {
  static const char *const sections[][2] = {{"states", "states"}, {"signals", "computed"}, {"callbacks", "callbacks"}};
  for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
    carom_part p;
    json_open(w, sections[k][1], '[');
    for (int i = 0; (p = carom_model_part(model, sections[k][0], i)).name; i++) {
      json_open(w, NULL, '{');
      put_text(w, "name", p.name);
      put_text(w, k == 1 ? "unit" : "detail", p.detail);
      json_close(w, '}');
    }
    json_close(w, ']');
  }
}

static void put_parts(json_writer *w, const carom_model *model) {
  static const char *const sections[] = {"bodies", "joints", "constraints", "forces", "contacts", "drives"};
  for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
    carom_part p;
    json_open(w, sections[k], '[');
    for (int i = 0; (p = carom_model_part(model, sections[k], i)).name; i++) put_part(w, model, sections[k], i, &p);
    json_close(w, ']');
  }
}

// `kind` says whether the name is that of a joint or of a body.
static void put_change(json_writer *w, const char *key, const char *kind, const char *name, double from, double to) {
  if (!name) {
    json_put_null(w, key);
    return;
  }
  json_open(w, key, '{');
  put_text(w, kind, name);
  json_put_rounded(w, "from", from);
  json_put_rounded(w, "to", to);
  json_close(w, '}');
}

static void put_assembly(json_writer *w, const carom_model_info *info) {
  json_open(w, "assembly", '{');
  json_put_rounded(w, "violation_before", info->violation_before);
  json_put_rounded(w, "violation_after", info->violation_after);
  json_put_integer(w, "iterations", info->assembly_iterations);
  put_change(w, "moved", "joint", info->moved_joint, info->moved_from, info->moved_to);
  put_change(w, "changed", info->changed_body ? "body" : "joint",
             info->changed_body ? info->changed_body : info->changed_joint, info->changed_from, info->changed_to);
  json_close(w, '}');
}

static void put_record(json_writer *w, carom_record_size size) {
  json_open(w, "record", '{');
  json_put_rounded(w, "rows", size.rows);
  json_put_rounded(w, "row_bytes", size.row_bytes);
  json_put_rounded(w, "touches", size.touches);
  json_put_rounded(w, "touch_bytes", size.touch_bytes);
  json_put_rounded(w, "bytes", size.bytes);
  json_put_rounded(w, "compressed_least", size.compressed_least);
  json_put_rounded(w, "compressed_most", size.compressed_most);
  json_close(w, '}');
}

static void put_signals(json_writer *w, const carom_model *model) {
  json_open(w, "signals", '[');
  for (int i = 0; i < carom_model_signal_count(model); i++) {
    json_open(w, NULL, '{');
    put_text(w, "name", carom_model_signal_name(model, i));
    put_text(w, "unit", carom_model_signal_unit(model, i));
    json_close(w, '}');
  }
  json_close(w, ']');
}

int carom_model_json(const carom_model *model, bool signals, char *text, int size) {
  carom_model_info info = carom_model_get_info(model);
  json_writer w = json_begin_in(text, size);
  json_open(&w, NULL, '{');
  put_text(&w, "title", info.title);
  put_text(&w, "source", info.source);
  put_text(&w, "space", info.space == CAROM_PLANAR ? "planar" : "spatial");
  put_text(&w, "coordinates", info.coordinates == CAROM_ABSOLUTE ? "absolute" : "joint");
  put_text(&w, "method", info.method);
  put_text(&w, "integrator", info.integrator);
  json_put_rounded(&w, "end", info.end);
  put_parts(&w, model);
  put_control(&w, model);
  json_put_integer(&w, "state_coordinates", info.coordinates_count);
  json_put_integer(&w, "state_speeds", info.speeds);
  json_put_integer(&w, "assembly_levels", info.assembly_levels);
  json_put_integer(&w, "freedom", info.freedom);
  json_put_integer(&w, "constraint_rows", info.constraint_rows);
  json_put_integer(&w, "redundant_rows", info.redundant_rows);
  json_put_rounded(&w, "length", info.length);
  json_put_integer(&w, "surfaces", info.surfaces);
  json_put_integer(&w, "possible_pairs", info.possible_pairs);
  put_record(&w, carom_model_record_size(model));
  put_assembly(&w, &info);
  if (signals) put_signals(&w, model);
  json_close(&w, '}');
  return w.out.length;
}
