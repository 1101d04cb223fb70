// carom export: a run in another form.
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "talk.h"

typedef struct export_args {
  const char *run, *to, *table, *output;
  bool tables, units, force;
} export_args;

#define AT(field) offsetof(export_args, field)
static const arg export_table[] = {
    {.name = "RUN", .kind = ARG_OPERAND, .offset = AT(run), .required = true, .help = "HDF5 file of a run"},
    {.name = "--to",
     .kind = ARG_TEXT,
     .value = "FORM",
     .offset = AT(to),
     .help = "csv, mat, gltf (bodies and motion), vtk (for ParaView); default: as the output ends, else csv"},
    {.name = "--table",
     .kind = ARG_TEXT,
     .value = "NAME",
     .offset = AT(table),
     .help =
         "this table only (default: all that have a row for each recorded time, side by side; of a sweep its rows)"},
    {.name = "--tables", .kind = ARG_FLAG, .offset = AT(tables), .help = "list the tables instead"},
    {.name = "--units", .kind = ARG_FLAG, .offset = AT(units), .help = "put the units in the second line"},
    {.name = "--output",
     .letter = 'o',
     .kind = ARG_TEXT,
     .value = "FILE",
     .offset = AT(output),
     .help = "file to write (default: of csv the standard output, else the name of the run with .mat, .glb or .pvd)"},
    {.name = "--force", .kind = ARG_FLAG, .offset = AT(force), .help = "replace a file that carom did not write"},
};
#undef AT

static int run_export(int argc, char **argv);
const command command_export = {"export",
                                "Write the results of a run as CSV, MAT, glTF or VTK.",
                                NULL,
                                export_table,
                                sizeof export_table / sizeof *export_table,
                                run_export};

static void print_table(void *context, const char *name, int columns, long rows) {
  fprintf(context, "%-14s %ld row%s, %d column%s\n", name, rows, rows == 1 ? "" : "s", columns,
          columns == 1 ? "" : "s");
}

static const struct {
  const char *name, *ending;  // of its files
  bool prints;                // to the standard output where no file is named
} forms[] = {{"csv", "csv", true}, {"mat", "mat", false}, {"gltf", "glb", false}, {"vtk", "pvd", false}};
enum { FORM_COUNT = sizeof forms / sizeof *forms };

static const char *ending_of(const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
  return dot && dot > base ? dot + 1 : "";
}

// Without --to the ending of the file tells the form, else it is csv. Returns FORM_COUNT if there is no such form.
static int find_form(const char *name, const char *output) {
  int k = 0;
  if (name)
    while (k < FORM_COUNT && strcmp(forms[k].name, name) != 0) k++;
  for (int i = 0; !name && output && i < FORM_COUNT; i++)
    if (strcmp(ending_of(output), forms[i].ending) == 0) k = i;
  return k;
}

// Endings by which other programs know files of another form. A file of glTF with the ending .gltf is text, and this
// one is binary; ParaView opens the collection, not the files of single times.
static bool check_ending(const char *output, int form) {
  static const struct {
    const char *ending;
    int form;  // -1: of none
  } known[] = {{"csv", 0},  {"mat", 1},  {"glb", 2},  {"pvd", 3}, {"gltf", -1},
               {"vtk", -1}, {"vtp", -1}, {"vtu", -1}, {"h5", -1}, {"hdf5", -1}};
  const char *ending = ending_of(output);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].ending, ending) == 0 && known[i].form != form) {
      usage_error(
          "export",
          "'%s' would hold %s, and other programs would take it for another kind of file; give it the ending .%s",
          output, forms[form].name, forms[form].ending);
      return false;
    }
  return true;
}

// In the current folder.
static const char *name_output(const char *run, int form, char *name, size_t size) {
  const char *slash = strrchr(run, '/'), *base = slash ? slash + 1 : run, *dot = strrchr(base, '.');
  if (forms[form].prints) return "-";
  snprintf(name, size, "%.*s.%s", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base, forms[form].ending);
  return name;
}

static int run_export(int argc, char **argv) {
  export_args a = {0};
  int code = args_parse(&command_export, argc, argv, &a);
  if (code >= 0) return code;
  const int form = find_form(a.to, a.output);
  if (form == FORM_COUNT) return usage_error("export", "cannot export to '%s'; there are csv, mat, gltf and vtk", a.to);
  if (a.output && !a.tables && !check_ending(a.output, form)) return EXIT_USAGE;
  carom_error error = {0};
  char name[4096];
  if (!a.output) a.output = name_output(a.run, form, name, sizeof name);
  carom_export_options options = {.table = a.table, .units = a.units, .force = a.force};
  carom_status status = a.tables ? carom_export_list(a.run, print_table, stdout, &error)
                                 : carom_export(a.run, forms[form].name, a.output, &options, &error);
  if (status == CAROM_OK && !a.tables && a.output == name) printf("%s\n", name);
  return status == CAROM_OK ? 0 : tell_error(&error);
}
