// What the tool writes, and over what: no input is lost, no file of another kind is replaced unasked.
#include "tool.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "carom/carom.h"

// --- inputs ----------------------------------------------------------------------------------------------------------

static const char model[] =
    "include: [parts.inc]\n"
    "space: planar\n"
    "joints: {fall: {free: [ground, ball], at: [0, 0.05]}}\n"
    "surfaces: {skin: {sphere: ball, radius: 0.02, material: hard}, floor: {plane: ground, material: hard}}\n"
    "materials: {hard: {restitution: 0.5, friction: 0.2, stiffness: 1e7}}\n"
    "method: {moreau: {step: 1e-3}}\n"
    "record: {checkpoint: 0.05, touches: true}\n"
    "outputs: {height: fall.q2}\n"
    "end: 0.2\n";
static const char parts[] = "bodies: {ball: {mass: 1, inertia: 1e-4}}\n";

static void make_inputs(void) {
  write_text(scratch("m.yaml"), model);
  write_text(scratch("parts.inc"), parts);
  write_text(scratch("d.csv"), "t,y\n0,0\n0.05,0\n0.1,0\n0.15,0\n");
  in_scratch("'%s' run m.yaml -q -o half.h5 --end 0.1", TOOL);
  in_scratch("'%s' run m.yaml -q -o run.h5", TOOL);
}

#define FIT "--fit materials.hard.restitution=0.3:0.7 --starts 2 --searches 1"

// Every path that a command writes, %s, beside what it reads. A command that is added, or an option, is missed by the
// next test.
static const struct {
  const char *words;      // of the command
  const char *option;     // that names the output
  const char *inputs[4];  // what it reads
} outputs[] = {
    {"run m.yaml -q -o %s", "--output", {"m.yaml", "parts.inc"}},
    {"run m.yaml -q --no-record --csv %s", "--csv", {"m.yaml", "parts.inc"}},
    {"run m.yaml -q -o new.h5 --report %s", "--report", {"m.yaml", "parts.inc"}},
    {"run m.yaml -q --resume half.h5 -o new.h5 --csv %s", "--csv", {"m.yaml", "parts.inc", "half.h5"}},
    {"run m.yaml -q --resume half.h5 -o new.h5 --report %s", "--report", {"m.yaml", "parts.inc", "half.h5"}},
    {"run m.yaml -q --resume half.h5 -o %s", "--output", {"m.yaml", "parts.inc"}},  // half.h5 itself is continued
    {"report run.h5 half.h5 -o %s", "--output", {"run.h5", "half.h5"}},
    {"export run.h5 -o %s", "--output", {"run.h5"}},
    {"export run.h5 --table impacts -o %s", "--output", {"run.h5"}},
    {"export run.h5 --to mat -o %s", "--output", {"run.h5"}},
    {"export run.h5 --to gltf -o %s", "--output", {"run.h5"}},
    {"export run.h5 --to vtk -o %s", "--output", {"run.h5"}},
    {"modes m.yaml -o %s", "--output", {"m.yaml", "parts.inc"}},
    {"compare m.yaml --method moreau,event -o new --report %s", "--report", {"m.yaml", "parts.inc"}},
    {"bifurcation m.yaml -q --vary end=0.1,0.2 --period 0.05 --cut 1 --points 2 -o %s",
     "--output",
     {"m.yaml", "parts.inc"}},
    {"sweep m.yaml -q --vary end=0.1,0.2 -o %s", "--output", {"m.yaml", "parts.inc"}},
    {"identify m.yaml -q " FIT " --data d.csv --match height=y -o %s", "--output", {"m.yaml", "parts.inc", "d.csv"}},
    {"identify m.yaml -q " FIT " --data d.csv --match height=y --write %s",
     "--write",
     {"m.yaml", "parts.inc", "d.csv"}},
    {"optimise m.yaml -q " FIT " --goal min:height -o %s", "--output", {"m.yaml", "parts.inc"}},
    {"optimise m.yaml -q " FIT " --goal min:height --write %s", "--write", {"m.yaml", "parts.inc"}},
};

// Options of the tool whose value is a file that is read; every other FILE or PREFIX is written.
static bool is_read(const char *command, const char *option) {
  if (strcmp(command, "identify") == 0) return strcmp(option, "--data") == 0 || strcmp(option, "--hold-out") == 0;
  return strcmp(command, "run") == 0 && strcmp(option, "--resume") == 0;
}

static bool is_covered(const char *command, const char *option) {
  if (strcmp(command, "compare") == 0 && strcmp(option, "--output") == 0) return true;  // prefixes_spare_inputs
  if (strcmp(command, "laws") == 0) return true;                                        // reads nothing
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
    if (strncmp(outputs[i].words, command, strlen(command)) == 0 && strcmp(outputs[i].option, option) == 0) return true;
  return false;
}

static void every_output_of_every_command_is_covered(void) {
  in_scratch("'%s' help > overview", TOOL);
  char *overview = read_file(scratch("overview"), NULL), *rest = NULL;
  int options = 0;
  for (char *line = strtok_r(overview, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    char command[64], option[64], value[64];
    if (sscanf(line, "  %63[a-z] %*s", command) != 1 || strncmp(line, "  ", 2) != 0 || strcmp(command, "carom") == 0)
      continue;
    in_scratch("'%s' help %s > help", TOOL, command);
    char *help = read_file(scratch("help"), NULL), *more = NULL;
    for (char *at = strtok_r(help, "\n", &more); at; at = strtok_r(NULL, "\n", &more)) {
      const char *dashes = strstr(at, "--");
      if (!dashes || dashes - at > 8 || sscanf(dashes, "%63s %63s", option, value) != 2) continue;
      if (strcmp(value, "FILE") != 0 && strcmp(value, "PREFIX") != 0) continue;
      options++;
      if (!is_read(command, option) && !CHECK(is_covered(command, option)))
        printf("      carom %s %s\n", command, option);
    }
    free(help);
  }
  CHECK_EQUAL(options, 19);
  free(overview);
}

// By its name, by another path, through a link, by another name of the same file, in any combination.
static void no_input_is_overwritten(void) {
  static const char *const ways[] = {"%s", "./%s", "../%s/%s", "soft", "hard", "soft-of-hard"};
  make_inputs();
  const char *folder = strrchr(check_scratch_dir(), '/') + 1;
  for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
    for (int k = 0; k < 4 && outputs[i].inputs[k]; k++) {
      const char *input = outputs[i].inputs[k];
      size_t size, after;
      char *before = read_file(scratch(input), &size);
      in_scratch("rm -f soft hard soft-of-hard new*; ln -s %s soft; ln %s hard; ln -s hard soft-of-hard", input, input);
      for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        char path[256], words[512];
        if (w == 2) snprintf(path, sizeof path, "../%s/%s", folder, input);
        else if (w < 2) snprintf(path, sizeof path, "%s%s", w ? "./" : "", input);
        else snprintf(path, sizeof path, "%s", ways[w]);
        for (int force = 0; force <= (w == 0); force++) {
          snprintf(words, sizeof words - 16, outputs[i].words, path);
          if (force) strcat(words, " --force");
          bool refused = CHECK_EQUAL(carom("%s", words), 2),
               advised = !CHECK(!strstr(err, "--force"));  // it would be of no use
          if (!refused || advised) printf("      carom %s\n", words);
          char *now = read_file(scratch(input), &after);
          if (!CHECK(now && after == size && memcmp(before, now, size) == 0)) printf("      carom %s\n", words);
          free(now);
        }
      }
      free(before);
    }
  }
}

// compare names its files itself.
static void prefixes_spare_inputs(void) {
  make_inputs();
  in_scratch(
      "cp m.yaml ball.json; cp m.yaml ball-event.h5; sed 's/parts.inc/ball-moreau.h5/' m.yaml > other.yaml; cp "
      "parts.inc ball-moreau.h5");
  static const char *const words[] = {"compare ball.json --method moreau,event",
                                      "compare ball-event.h5 --method moreau,event -o ball",
                                      "compare other.yaml --method moreau,event -o ball",
                                      "compare other.yaml --method moreau,event -o ./ball --force",
                                      "compare m.yaml --method moreau,event -o new --report new.json",
                                      "compare m.yaml --method moreau,event -o new --report ./new-event.h5"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!CHECK_EQUAL(carom("%s", words[i]), 2)) printf("      carom %s\n", words[i]);
  in_scratch("cmp m.yaml ball.json && cmp m.yaml ball-event.h5 && cmp parts.inc ball-moreau.h5 && ! test -e new.json");
}

// However many files a model consists of.
static void all_of_many_inputs_are_spared(void) {
  make_inputs();
  in_scratch(
      "n=1; list=parts.inc; while [ $n -le 300 ]; do echo \"parameters: {p$n: $n}\" > i$n.inc; list=\"$list, "
      "i$n.inc\"; n=$((n+1)); done; "
      "sed \"s/parts.inc/$list/\" m.yaml > many.yaml; cp i300.inc kept");
  CHECK_EQUAL(carom("run many.yaml -q -o new.h5 --report i300.inc --force"), 2);
  CHECK_CONTAINS(err, "would overwrite");
  in_scratch("cmp i300.inc kept && '%s' run many.yaml -q -o new.h5 && rm i*.inc new.h5", TOOL);
}

// Two outputs of one command are two files, also if neither is there yet.
static void outputs_are_apart(void) {
  make_inputs();
  in_scratch("rm -f a.h5 a.csv; ln -sf . same");
  static const char *const words[] = {
      "-o a.h5 --csv a.h5", "-o a.h5 --csv ./a.h5", "-o a.h5 --csv same/a.h5", "-o a.h5 --report same/a.h5",
      "--no-record --csv a.csv -o x", "-o a.h5 --csv a.csv --report ./a.csv",
      // links whose target is not there yet
      "-o to-a.h5 --csv a.h5", "-o a.h5 --csv same/to-a.h5", "-o to-a.h5 --csv to-to-a.h5"};
  in_scratch("ln -sf a.h5 to-a.h5; ln -sf \"$PWD/same/to-a.h5\" to-to-a.h5");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (!CHECK_EQUAL(carom("run m.yaml -q %s", words[i]), 2)) printf("      carom run m.yaml %s\n", words[i]);
  in_scratch("! test -e a.h5 && ! test -e a.csv");
  // a link in a circle leads nowhere
  in_scratch("ln -sf circle circle");
  CHECK_EQUAL(carom("export run.h5 -o circle"), 3);
  in_scratch("test -L circle && rm circle");
}

// --- kinds -----------------------------------------------------------------------------------------------------------

static const struct {
  const char *name, *text;
} foreign[] = {
    {"notes.txt", "remember the milk\n"},
    {"other.yaml", model},
    {"times.csv", "time,force\n0,1\n"},
    {"trace.csv", "t,x\n0,1\n"},
    {"part.csv", "t,ball.y\n0,1\n"},
    {"angle.csv", "t,fall.q\n0,1\n"},
    {"sensor.csv", "t,sensor_fx,sensor_fy,sensor_fz\n0,1,2,3\n"},
    {"wrench.csv", "t,foot.fx,foot.fy,foot.fz,foot.mx,foot.my,foot.mz\n0,1,2,3,4,5,6\n"},
    {"motor.csv", "t,motor.effort,anything\n0,1,2\n"},
    {"joint.csv", "a.q,a.u\n0,1\n"},
    {"states.csv", "s0,s1,s2,s3,s4\n0,1,2,3,4\n"},
    {"t.csv", "t\n0\n1\n"},
    {"energy.csv", "t,energy.contact,energy.drive\n0,1,2\n"},
    {"numbers.csv", "0,1,2\n3,4,5\n"},
    {"quotes.csv", "\"t\",\"a \"\"b\"\",c\"\n0,1\n"},
    {"half.csv", "t,ball.x,ball.y,ball.z,ball.qw"},
    {"data.json", "{\"runs\": [{\"method\": \"moreau\"}]}\n"},
    {"page.html", "<!doctype html>\n<html><body>a page of mine</body></html>\n"},
    {"other.h5", "\211HDF\r\n\032\n\003\010\010 and more of another program"},
};

static const char *const writers[] = {
    "run m.yaml -q -o %s",
    "run m.yaml -q --no-record --csv %s",
    "run m.yaml -q -o new.h5 --report %s",
    "report run.h5 -o %s",
    "export run.h5 -o %s",
    "export run.h5 --table outputs -o %s",
    "compare m.yaml --method moreau,event -o new --report %s",
    "laws --csv %s",
    "laws --friction-csv %s",
    "run m.yaml -q --resume half.h5 -o %s",
};

static void files_of_other_kinds_are_kept(void) {
  make_inputs();
  for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
    for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++) {
      char words[512];
      write_text(scratch(foreign[k].name), foreign[k].text);
      snprintf(words, sizeof words, writers[i], foreign[k].name);
      in_scratch("rm -f new*");
      bool refused = CHECK_EQUAL(carom("%s", words), 2);
      if (!strstr(err, "give it the ending")) CHECK_CONTAINS(err, "--force");  // an ending of another form comes first
      char *after = read_file(scratch(foreign[k].name), NULL);
      if (!CHECK_TEXT(after, foreign[k].text) || !refused) printf("      carom %s\n", words);
      free(after);
    }
    char words[512];
    snprintf(words, sizeof words, writers[i], "notes.txt");
    if (!CHECK_EQUAL(carom("%s --force", words), 0)) printf("      carom %s --force: %s\n", words, err);
    char *after = read_file(scratch("notes.txt"), NULL);
    CHECK(!strstr(after, "milk"));
    free(after);
  }
}

// A file that carom wrote is replaced by one of the same kind; a report is no CSV file, a comparison no record.
static void own_files_are_replaced_by_their_kind_only(void) {
  make_inputs();
  static const struct {
    const char *words, *file;
  } made[] = {{"run m.yaml -q -o k.h5", "k.h5"},       {"run m.yaml -q --no-record --csv k.csv", "k.csv"},
              {"report run.h5 -o k.html", "k.html"},   {"compare m.yaml --method moreau,event -o k", "k.json"},
              {"export run.h5 -o k2.csv", "k2.csv"},   {"laws --csv k3.csv", "k3.csv"},
              {"laws --friction-csv k4.csv", "k4.csv"}};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
    CHECK_EQUAL(carom("%s", made[i].words), 0);
    if (!CHECK_EQUAL(carom("%s", made[i].words), 0)) printf("      again: carom %s: %s\n", made[i].words, err);
  }
  for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
    for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
      char words[512];
      bool writes_csv = strstr(writers[i], "csv") || strstr(writers[i], "export"),
           is_csv = strstr(made[k].file, ".csv");
      bool writes_page = strstr(writers[i], "report"), is_page = strstr(made[k].file, ".html");
      bool is_record = strstr(made[k].file, ".h5"), fits = writes_csv ? is_csv : writes_page ? is_page : is_record;
      if (fits) continue;
      snprintf(words, sizeof words, writers[i], made[k].file);
      in_scratch("rm -f new*");
      if (!CHECK_EQUAL(carom("%s", words), 2)) printf("      carom %s\n", words);
    }
  }
}

// Tables are known, of this model or another; the time alone and outputs, which may come from elsewhere, only if the
// record has them.
static void csv_files_are_known_by_their_header(void) {
  make_inputs();
  static const struct {
    const char *name;
    bool known;  // under any model
  } tables[] = {{"time", false},    {"joints", true},   {"bodies", true},     {"reactions", true},
                {"contacts", true}, {"outputs", false}, {"checkpoint", true}, {"energy", true},
                {"impacts", true},  {"touches", true},  {"touch_times", true}};
  const size_t count = sizeof tables / sizeof *tables;
  CHECK_EQUAL(carom("run '%s/models/car-axis.yaml' --end 1e-3 -q -o other.rec", CHECK_SOURCE_DIR), 0);
  for (size_t i = 0; i < count; i++) {
    CHECK_EQUAL(carom("export run.h5 --table %s -o t.csv --force", tables[i].name), 0);
    bool again = CHECK_EQUAL(carom("export run.h5 --table %s -o t.csv --units", tables[i].name), 0);
    bool other = CHECK_EQUAL(carom("export other.rec -o t.csv"), tables[i].known ? 0 : 2);
    bool lone = strcmp(tables[i].name, "time") == 0;  // its header is just t
    CHECK_EQUAL(carom("export run.h5 --table %s -o t.csv --force", tables[i].name), 0);
    bool next = CHECK_EQUAL(carom("export run.h5 --table %s -o t.csv", tables[(i + 1) % count].name), lone ? 2 : 0);
    CHECK_EQUAL(carom("export run.h5 --table %s -o t.csv --force", tables[i].name), 0);
    bool whole = CHECK_EQUAL(carom("export run.h5 -o t.csv"), lone ? 2 : 0);
    bool over = CHECK_EQUAL(carom("export run.h5 --table %s -o t.csv", tables[i].name), 0);
    if (!again || !other || !next || !whole || !over) printf("      %s: %s\n", tables[i].name, err);
  }
  static const char *const models[] = {"slider-crank", "car-axis", "four-bar-clearance"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    CHECK_EQUAL(
        carom("run '%s/models/%s.yaml' --end 1e-3 -q -o other.rec --csv other.csv", CHECK_SOURCE_DIR, models[i]), 0);
    bool over_run = CHECK_EQUAL(carom("export run.h5 -o other.csv"), 0),
         over_other = CHECK_EQUAL(carom("export other.rec -o other.csv"), 0);
    if (!CHECK_EQUAL(carom("export run.h5 -o other.csv"), 0) || !over_run || !over_other)
      printf("      %s: %s\n", models[i], err);
    in_scratch("rm other.rec other.csv");
  }
}

// Every table of many models, so that a new column is missed here.
static void tables_of_any_model_are_known(void) {
  make_inputs();
  static const char *const models[] = {"quick-return",   "car-axis", "dry-slide",     "socket-pendulum",
                                       "differential",   "top",      "rocking-block", "stick-slip-oscillator",
                                       "rolling-sphere", "andrews",  "woodpecker",    "stones"};
  static const char *const bodies[] = {"all", "motion", "pose"};
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    CHECK_EQUAL(
        carom("run '%s/models/%s.yaml' --end 1e-3 -q -o other.rec --set record.bodies=%s --set record.touches=true",
              CHECK_SOURCE_DIR, models[i], bodies[i % 3]),
        0);
    CHECK_EQUAL(carom("export other.rec --tables"), 0);
    char tables[4096];
    snprintf(tables, sizeof tables, "%s", out);
    char *place = NULL;
    for (char *line = strtok_r(tables, "\n", &place); line; line = strtok_r(NULL, "\n", &place)) {
      line[strcspn(line, " ")] = '\0';
      if (strstr("time outputs", line)) continue;
      CHECK_EQUAL(carom("export other.rec --table %s -o t.csv --force", line), 0);
      if (!CHECK_EQUAL(carom("export run.h5 --table time -o t.csv"), 0))
        printf("      %s, %s: %s\n", models[i], line, err);
    }
    in_scratch("rm other.rec");
  }
  static const char *const measured[] = {"t,x,y",
                                         "t,plate_fx",
                                         "t,marker.x,marker.y,marker.z",
                                         "t,pin.fx,pin.fy",
                                         "time,pin.fx,pin.fy,pin.fz",
                                         "t,pin.fx,pin.fy,pin.fz,load",
                                         "t,pin.torque",
                                         "t,first,last",
                                         "t,a,b,point,at_x,at_y",
                                         "t,q0,u0",
                                         "t,a.q,b.u,c.a",
                                         "t,pin.effort,load"};
  for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
    write_text(scratch("t.csv"), measured[i]);
    in_scratch("echo >> t.csv; echo 1,2,3,4 >> t.csv");
    if (!CHECK_EQUAL(carom("export run.h5 --table time -o t.csv"), 2)) printf("      %s\n", measured[i]);
  }
}

// Contact problems that a run saves: over an older one, and over nothing else.
static void dumps_spare_other_files(void) {
  make_inputs();
  in_scratch("rm -f e-*.dat; sed 's/step: 1e-3/step: 1e-3, dump: e, dump_every: 1/' m.yaml > dumps.yaml");
  CHECK_EQUAL(carom("run dumps.yaml -q --no-record"), 0);
  CHECK_EQUAL(carom("run dumps.yaml -q --no-record"), 0);
  // an input by the name of the first
  in_scratch("n=$(ls e-*.dat | head -1); sed \"s/parts.inc/$n/\" dumps.yaml > reads.yaml; cp parts.inc $n");
  CHECK_EQUAL(carom("run reads.yaml -q --no-record"), 2);
  CHECK_CONTAINS(err, "is not a contact problem");
  in_scratch("cmp parts.inc $(ls e-*.dat | head -1)");
}

// --- pipes, devices, failures ----------------------------------------------------------------------------------------

static void pipes_and_devices_are_written_to(void) {
  make_inputs();
  CHECK_EQUAL(carom("run m.yaml -q --no-record --csv /dev/null"), 0);
  CHECK_EQUAL(carom("export run.h5 -o /dev/null"), 0);
  CHECK_EQUAL(carom("report run.h5 -o /dev/null"), 0);
  CHECK_EQUAL(carom("laws --csv /dev/null"), 0);
  CHECK(access("/dev/null", W_OK) == 0);
  in_scratch("'%s' export run.h5 --table time -o /dev/stdout | head -1 | grep -qx t", TOOL);
  in_scratch(
      "rm -f pipe; mkfifo pipe; (cat pipe > from-pipe) & '%s' export run.h5 -o pipe && wait && test -p pipe && grep -q "
      "'^t,' from-pipe",
      TOOL);
  in_scratch("cp run.h5 kept.h5; ! '%s' export kept.h5 >> kept.h5 && cmp run.h5 kept.h5", TOOL);
  // a link stays one, and an empty file holds nothing to lose
  in_scratch(
      "rm -f link.csv place.csv; : > place.csv; ln -s place.csv link.csv; '%s' export run.h5 -o link.csv && test -L "
      "link.csv && test -s place.csv",
      TOOL);
  in_scratch("rm -f place.csv; '%s' export run.h5 -o link.csv && test -L link.csv && test -s place.csv", TOOL);
}

// CSV files go to the standard output by the name `-`; nothing else does, and no file has that name.
static void only_csv_goes_to_the_standard_output(void) {
  make_inputs();
  static const char *const words[] = {"run m.yaml -q -o -", "run m.yaml -q --resume half.h5 -o -",
                                      "run m.yaml -q -o new.h5 --report -", "report run.h5 -o -",
                                      "compare m.yaml --method moreau,event -o new --report -"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!CHECK_EQUAL(carom("%s", words[i]), 2)) printf("      carom %s\n", words[i]);
    CHECK_CONTAINS(err, "cannot go to the standard output");
  }
  in_scratch("! test -e ./-");
  carom_output output = {.path = "-", .kind = CAROM_FILE_CSV};
  fflush(stdout);
  int before = dup(1), to = open(scratch("from-library"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(to, 1), close(to);
  carom_status status = carom_output_write(&output, "a,b\n", 4, NULL);
  dup2(before, 1), close(before);
  CHECK_EQUAL(status, CAROM_OK);
  char *text = read_file(scratch("from-library"), NULL);
  CHECK_TEXT(text, "a,b\n");
  free(text);
}

// A file is written beside its place first, under a name that is new.
static void names_beside_are_new(void) {
  in_scratch("rm -rf beside; mkdir beside; echo kept > victim");
  char path[4400], own[4500];
  snprintf(path, sizeof path, "%s", scratch("beside/x.csv"));
  for (int i = 0; i < 2; i++) {  // every name that could be taken, as a link and as a file
    static const char *const forms[] = {"%s.%ld.part", "%s.%ld-0.part"};
    snprintf(own, sizeof own, forms[i], path, (long)getpid());
    CHECK(symlink(scratch("victim"), own) == 0);
  }
  snprintf(own, sizeof own, "%s.%ld-1.part", path, (long)getpid());
  write_text(own, "of another thread");
  carom_output output = {.path = path, .kind = CAROM_FILE_CSV};
  CHECK_EQUAL(carom_output_write(&output, "a,b\n", 4, NULL), CAROM_OK);
  char *text = read_file(path, NULL), *victim = read_file(scratch("victim"), NULL), *other = read_file(own, NULL);
  CHECK_TEXT(text, "a,b\n");
  CHECK_TEXT(victim, "kept\n");
  CHECK_TEXT(other, "of another thread");
  free(text), free(victim), free(other);
  in_scratch("! test -L beside/x.csv && test $(ls beside | wc -l) = 4 && rm -r beside");
}

// The old file stands until the new one is whole.
static void a_failing_write_keeps_the_old_file(void) {
  make_inputs();
  in_scratch(
      "'%s' export run.h5 -o keep.csv && '%s' laws --csv laws.csv >/dev/null && '%s' report run.h5 -o keep.html "
      ">/dev/null && "
      "cp keep.csv a && cp laws.csv b && cp keep.html c",
      TOOL, TOOL, TOOL);
  in_scratch("! (ulimit -f 8; '%s' export run.h5 -o keep.csv 2>said) && cmp keep.csv a && grep -q 'keep.csv: ' said",
             TOOL);
  in_scratch(
      "cp half.h5 d; ! (ulimit -f 8; '%s' run m.yaml -q --resume half.h5 -o half.h5 2>said) && cmp half.h5 d && grep "
      "-q 'half.h5: ' said",
      TOOL);
  in_scratch("! (ulimit -f 8; '%s' laws --csv laws.csv >/dev/null 2>&1) && cmp laws.csv b", TOOL);
  in_scratch("! (ulimit -f 8; '%s' report run.h5 -o keep.html >/dev/null 2>&1) && cmp keep.html c", TOOL);
  in_scratch("! ls | grep -q part$");
}

// --- the wrong kind of input -----------------------------------------------------------------------------------------

static void models_and_records_are_told_apart(void) {
  make_inputs();
  CHECK_EQUAL(carom("run run.h5"), 2);
  CHECK_CONTAINS(err, "this is a record or another HDF5 file, not a model");
  CHECK_CONTAINS(err, "carom report");
  CHECK_EQUAL(carom("report m.yaml"), 3);
  CHECK_CONTAINS(err, "'carom run MODEL' makes records");
  CHECK_EQUAL(carom("compare m.yaml --method moreu"), 2);
  CHECK_CONTAINS(err, "did you mean 'moreau'?");
}

// A run that is killed leaves the file that it has written beside its output. The next one to the same output removes
// it, once it is old; not that of a process that runs, nor a file of another name.
static void what_killed_runs_left_is_removed(void) {
  static const struct {
    const char *name;
    bool old, stays;
  } beside[] = {{"k.h5.999999999-0.part", true, false}, {"k.h5.999999999-1.part", false, true},
                {"k.h5.1-0.part", true, true},          {"kk.h5.999999999-0.part", true, true},
                {"k.h5.999999999-0.party", true, true}, {"k.h5.old.part", true, true}};
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
    write_text(scratch(beside[i].name), "part");
    if (beside[i].old) in_scratch("touch -d '2 minutes ago' %s", beside[i].name);
  }
  in_scratch("cp half.h5 k.h5");
  CHECK_EQUAL(carom("run m.yaml -q --resume k.h5 -o k.h5"), 0);
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
    if (!CHECK_EQUAL(access(scratch(beside[i].name), F_OK) == 0, beside[i].stays)) printf("      %s\n", beside[i].name);
}

int main(void) {
  RUN(models_and_records_are_told_apart);
  RUN(every_output_of_every_command_is_covered);
  RUN(no_input_is_overwritten);
  RUN(prefixes_spare_inputs);
  RUN(all_of_many_inputs_are_spared);
  RUN(outputs_are_apart);
  RUN(files_of_other_kinds_are_kept);
  RUN(own_files_are_replaced_by_their_kind_only);
  RUN(csv_files_are_known_by_their_header);
  RUN(tables_of_any_model_are_known);
  RUN(dumps_spare_other_files);
  RUN(pipes_and_devices_are_written_to);
  RUN(only_csv_goes_to_the_standard_output);
  RUN(names_beside_are_new);
  RUN(a_failing_write_keeps_the_old_file);
  RUN(what_killed_runs_left_is_removed);
  forget_output();
  return check_summary();
}
