// The reference page of the model file, made from the tables that read it.
#include <stdio.h>
#include <string.h>

#include "base/word.h"
#include "carom/law.h"
#include "contact/material.h"
#include "build/definition.h"
#include "build/surface.h"
#include "mechanics/constraint.h"
#include "mechanics/force.h"
#include "mechanics/joint.h"
#include "text/expr_parse.h"
#include "scheme/registry.h"
#include "sim.h"
#include "solve/solver.h"

static int collect(const char *family, const option_table **tables) {
  int count, used = 0;
  if (strcmp(family, "joints") == 0) {
    const option_table *const *all = joint_tables(&count);
    for (int i = 0; i < count; i++) tables[used++] = all[i];
  } else if (strcmp(family, "constraints") == 0) {
    const constraint_kind *all = constraint_kinds(&count);
    for (int i = 0; i < count; i++) tables[used++] = all[i].table;
  } else if (strcmp(family, "forces") == 0) {
    const force_type *const *all = force_types(&count);
    for (int i = 0; i < count; i++)
      if (all[i]->table) tables[used++] = all[i]->table;
  } else if (strcmp(family, "shapes") == 0) {
    used = shape_tables(tables);
  } else if (strcmp(family, "surfaces") == 0) {
    used = surface_tables(tables);
  } else if (strcmp(family, "methods") == 0) {
    const scheme_type *const *all = scheme_types(&count);
    for (int i = 0; i < count; i++) tables[used++] = all[i]->about->table;
  }
  return used;
}

static const struct {
  const char *name, *summary;
} integrators[] = {
    {"adams", "CVODE, Adams of order 1 to 12: smooth motion without stiffness."},
    {"bdf", "CVODE, backward differences of order 1 to 5: stiff springs and dampers."},
    {"erk", "ARKODE, explicit Runge-Kutta, by default Dormand-Prince 5(4); a resumed run gives the same bits."},
    {"rk4", "The classical Runge-Kutta method with a fixed step."},
    {"ida", "IDA, backward differences on the differential-algebraic equations."},
};

const char *carom_nearest_word(const char *word, const char *const *candidates, int count) {
  return word_nearest(word, candidates, count);
}

const char *carom_family_member(const char *family, int i, const char **summary) {
  const char *ignored;
  if (!summary) summary = &ignored;
  if (strcmp(family, "integrators") == 0) {
    if (i < 0 || i >= (int)(sizeof integrators / sizeof *integrators)) return NULL;
    *summary = integrators[i].summary;
    return integrators[i].name;
  }
  int count;
  if (strcmp(family, "solvers") == 0) {
    const solver *const *list = solver_list(&count);
    if (i < 0 || i > count) return NULL;
    *summary = i ? list[i - 1]->summary : "The default: tries solvers in order until the residual is small enough.";
    return i ? list[i - 1]->name : "chain";
  }
  if (strcmp(family, "laws") == 0) {  // normal ones, then friction
    normal_laws(&count);
    carom_law l = i < count ? carom_law_get(CAROM_NORMAL_LAWS, i) : carom_law_get(CAROM_FRICTION_LAWS, i - count);
    *summary = l.equation;
    return l.name;
  }
  if (strcmp(family, "solids") == 0) {
    const solid *all = solid_list(&count);
    if (i < 0 || i >= count) return NULL;
    *summary = all[i].source;
    return all[i].name;
  }
  if (strcmp(family, "functions") == 0) {
    const char *const *help = expr_help(&count);
    *summary = "";
    return i >= 0 && i < count ? help[i] : NULL;
  }
  if (strcmp(family, "units") == 0) {
    const unit *units = unit_list(&count);
    if (i < 0 || i >= count) return NULL;
    *summary = units[i].help;
    return units[i].name;
  }
  const option_table *tables[32];
  count = collect(family, tables);
  if (i < 0 || i >= count) return NULL;
  *summary = tables[i]->summary;
  return tables[i]->name;
}

static void write_family(const char *family, const char *title, const char *intro, option_sink out) {
  const option_table *tables[32];
  int count = collect(family, tables);
  out.write(out.context, title);
  out.write(out.context, intro);
  for (int i = 0; i < count; i++) option_document(tables[i], out);
}

void carom_reference_write(void (*write)(void *context, const char *text), void *context) {
  option_sink out = {write, context};
  write(context,
        "# The model file\n\n`carom reference` writes this page from the tables that read the file.\n\n"
        "A model is one YAML file. Numbers without a unit are in SI units and radians. They may be expressions "
        "over `parameters`; see [expressions](expressions.md).\n\n| key | what it holds |\n|---|---|\n");
  int count;
  const section *sections = definition_sections(&count);
  for (int i = 0; i < count; i++) {
    char line[160];
    snprintf(line, sizeof line, "| `%s` | %s |\n", sections[i].name, sections[i].help);
    write(context, line);
  }
  write(context, "\n## The model as a whole\n\n");
  option_document(&model_table, out);
  write(context, "## tables\n\n");
  option_document(&table_table, out);
  write(context, "## bodies, markers, drives, initial\n\n");
  option_document(&body_table, out);
  write_family("shapes", "",
               "`shape:` of a body says how a report draws it: one of these, or a list of them. A body "
               "without it is drawn from its joints and surfaces. With `density` or `solid`, mass, mass centre and "
               "inertia of the body follow from its shapes; without, a shape has no influence on the motion.\n\n",
               out);
  option_document(&beam_table, out);
  option_document(&solid_2d_table, out);
  option_document(&finite_elements_table, out);
  option_document(&modes_table, out);
  option_document(&stretch_table, out);
  option_document(&structural_damping_table, out);
  option_document(&marker_table, out);
  option_document(&drive_table, out);
  option_document(&initial_table, out);
  write_family("joints", "## joints\n\n",
               "Each entry of `joints:` names one kind. A joint that closes a loop is "
               "converted to constraint equations automatically.\n\n",
               out);
  write_family("constraints", "## constraints\n\n", "Constraints in addition to the joints.\n\n", out);
  write_family("forces", "## forces\n\n", "Each entry of `forces:` names one kind.\n\n", out);
  write(context,
        "## signals, states, callbacks\n\nEach entry of `signals:` is a name and an expression over `t`, tables, "
        "positions, velocities, states and other signals, in any order but "
        "not in a circle. Forces, states and outputs can use it.\n\n");
  option_document(&state_table, out);
  option_document(&callback_table, out);
  write_family("surfaces", "\n## surfaces, contacts, materials\n\n",
               "Which surfaces can touch, and with which contact properties.\n\n", out);
  option_document(&contact_table, out);
  option_document(&material_table, out);
  option_document(&solid_table, out);
  write_family("methods", "## method\n\n", "The method of time integration and contact.\n\n", out);
  write(context, "## integrator and record\n\n");
  option_document(&integrator_table, out);
  option_document(&record_table_options, out);
  write(context,
        "## outputs\n\nEach entry of `outputs:` is a name and an expression over `t` and any signal, recorded "
        "beside the rest. `carom check MODEL --signals` lists the signals of a model.\n");
}
