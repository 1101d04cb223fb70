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
     .help = "csv (the default), mat, gltf (bodies and motion), vtk (for ParaView)"},
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

// In the current folder.
static const char *name_output(const char *run, const char *form, char *name, size_t size) {
  static const char *const endings[][2] = {{"mat", "mat"}, {"gltf", "glb"}, {"vtk", "pvd"}};
  const char *slash = strrchr(run, '/'), *base = slash ? slash + 1 : run, *dot = strrchr(base, '.');
  for (size_t i = 0; form && i < sizeof endings / sizeof *endings; i++)
    if (strcmp(form, endings[i][0]) == 0) {
      snprintf(name, size, "%.*s.%s", dot && dot > base ? (int)(dot - base) : (int)strlen(base), base, endings[i][1]);
      return name;
    }
  return "-";
}

static int run_export(int argc, char **argv) {
  export_args a = {0};
  int code = args_parse(&command_export, argc, argv, &a);
  if (code >= 0) return code;
  carom_error error = {0};
  char name[4096];
  if (!a.output) a.output = name_output(a.run, a.to, name, sizeof name);
  carom_export_options options = {.table = a.table, .units = a.units, .force = a.force};
  carom_status status = a.tables ? carom_export_list(a.run, print_table, stdout, &error)
                                 : carom_export(a.run, a.to ? a.to : "csv", a.output, &options, &error);
  if (status == CAROM_OK && !a.tables && a.output == name) printf("%s\n", name);
  return status == CAROM_OK ? 0 : tell_error(&error);
}
