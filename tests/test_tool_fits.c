// Fits by the command line: what is printed and written, exit codes, and what is refused.
#include "tool.h"

static const char swing[] =
    "title: Swing\n"
    "space: planar\n"
    "parameters:\n"
    "  l: 0.5 m      # to the mass centre\n"
    "  start: 60 deg\n"
    "  c: 0.05\n"
    "bodies: {bob: {mass: 1, inertia: 0, com: [0, -l]}}\n"
    "joints: {pin: {revolute: [ground, bob]}}\n"
    "forces: {brake: {along: pin, damping: c}}\n"
    "initial: {pin: {q: start}}\n"
    "outputs: {height: -l*cos(pin.q)}\n"
    "record: {every: 0.05}\n"
    "end: 2\n";

// A measured trace with a line of units, times in ms and one sample that is missing. The numbers are those of a run.
static bool measure(const char *name, const char *settings) {
  CHECK_EQUAL(carom("run swing.yaml %s --csv run.csv --no-record --quiet --force", settings), 0);
  return shell(
             "awk -F, 'NR==1{for(i=1;i<=NF;i++)if($i==\"pin.q\")c=i; print \"time,angle\"; print \"ms,deg\"} "
             "NR>1{printf \"%%.9g,%%s\\n\", 1000*$1, NR==7 ? \"\" : sprintf(\"%%.9g\", $c*57.29577951308232)}' "
             "run.csv > %s",
             name) == 0;
}

static bool prepare(void) {
  return write_text(scratch("swing.yaml"), swing) && CHECK(measure("angle.csv", "--set l=0.6")) &&
         CHECK(measure("other.csv", "--set l=0.6 --set start=1"));
}

static void a_fit_is_told_and_written(void) {
  if (!prepare()) return;
  CHECK_EQUAL(
      carom("identify swing.yaml --data angle.csv --fit 'l=0.3 m:0.9 m' --fit c=0.01:0.2:log --match pin.q=angle "
            "--hold-out other.csv --set start=60deg -o fit.h5 --write fitted.yaml -j 2"),
      0);
  CHECK_TEXT(err, "");
  CHECK_CONTAINS(out, "40 samples, 1 missing");
  CHECK_CONTAINS(out, "held out");
  CHECK_CONTAINS(out, "carom report fit.h5");
  CHECK_EQUAL(carom("identify swing.yaml --data angle.csv --fit 'l=0.3 m:0.9 m' --match pin.q=angle --json"), 0);
  CHECK_NEAR(printed_number("value"), 0.6, 1e-6);
  CHECK_NEAR(printed_number("missing"), 1, 0);
  CHECK_EQUAL(carom("check fitted.yaml"), 0);
  char *text = read_file(scratch("fitted.yaml"), NULL);
  CHECK_CONTAINS(text, "# Fitted by carom");
  CHECK_CONTAINS(text, "# to the mass centre");
  CHECK_CONTAINS(text, "start: 60deg");
  CHECK_CONTAINS(text, "l: 0.6000000");
  free(text);
  CHECK_EQUAL(carom("export fit.h5"), 0);
  CHECK_CONTAINS(out, "parameter,value,low,high,standard_error");
  CHECK_EQUAL(carom("export fit.h5 --table samples"), 0);
  CHECK_CONTAINS(out, "angle of angle.csv,0,");
  forget_output();
}

// Keys that the file does not have, two of a new section among them, and one within a map without brackets.
static void new_keys_are_written(void) {
  if (!prepare()) return;
  CHECK_EQUAL(carom("identify swing.yaml --data angle.csv --fit l=0.3:0.9 --fit initial.pin.u=-1:1 --match pin.q=angle "
                    "--set integrator.rtol=1e-8 --set integrator.atol=1e-9 --set parameters.c=0.05 --write keys.yaml"),
              0);
  char *text = read_file(scratch("keys.yaml"), NULL);
  CHECK_CONTAINS(text, "integrator: {rtol: 1e-8, atol: 1e-9}");
  CHECK_CONTAINS(text, "initial: {pin: {q: start, u: ");
  free(text);
  CHECK_EQUAL(carom("check keys.yaml"), 0);
  CHECK_EQUAL(carom("identify swing.yaml --data angle.csv --set l=0.6 --set 'gravity=[0, -9]' --fit gravity.1=-10:-9 "
                    "--match pin.q=angle --json"),
              0);
  CHECK_NEAR(printed_number("value"), -9.81, 1e-5);
  forget_output();
}

// Beyond 2.5 s the model cannot be run, and the file that is held out goes on to 5 s: the fit is the same to the last
// digit, with as many trial runs, and says that the file is not compared.
static void held_out_files_do_not_touch_the_fit(void) {
  if (!prepare()) return;
  in_scratch("sed 's/damping: c/damping: c, effort: 0*sqrt(2.5 - t)/' swing.yaml > short.yaml");
  in_scratch("(cat angle.csv; echo 5000,10) > far.csv");
  static const char fits[] =
      "identify short.yaml --data angle.csv --fit l=0.3:0.9 --match pin.q=angle --offset -0.01:0.01";
  CHECK_EQUAL(carom("%s --json", fits), 0);
  const double value = printed_number("value"), runs = printed_number("runs");
  CHECK_EQUAL(carom("%s --hold-out far.csv --json", fits), 0);
  CHECK_NEAR(printed_number("value"), value, 0);
  CHECK_CONTAINS(out, "'far.csv' is not compared");
  CHECK_NEAR(printed_number("runs") - printed_number("failed"), runs, 0);
  CHECK_CONTAINS(out, "\"hold_out_rms\": null");
  CHECK_EQUAL(carom("%s --hold-out far.csv -o far.h5", fits), 0);
  CHECK_CONTAINS(out, "far.csv, angle: not compared, 40 samples");
  CHECK_EQUAL(carom("report far.h5 -o far.html"), 0);
  forget_output();
}

// The file that is held out begins 20 ms later and starts from another angle: its own offset is found, and the other
// start shows.
static void offsets_belong_to_files(void) {
  if (!prepare()) return;
  in_scratch("awk -F, 'NR<3{print} NR>2{printf \"%%.9g,%%s\\n\", $1+20, $2}' angle.csv > late.csv");
  CHECK_EQUAL(carom("identify swing.yaml --data late.csv --data angle.csv,weight=4 --hold-out late.csv --fit l=0.3:0.9 "
                    "--match pin.q=angle --offset '-50 ms:0' --json"),
              0);
  CHECK_CONTAINS(out, "\"offset of late.csv\"");
  CHECK_CONTAINS(out, "\"offset of angle.csv\"");
  CHECK_LE(printed_number("hold_out_rms"), 1e-3);
  CHECK_NEAR(printed_number("value"), 0.6, 1e-3);
  forget_output();
}

static void outliers_count_less(void) {
  if (!prepare()) return;
  in_scratch("awk -F, 'NR%%9==5{printf \"%%s,%%.9g\\n\", $1, $2+40; next} {print}' angle.csv > wild.csv");
  CHECK_EQUAL(carom("identify swing.yaml --data wild.csv --fit l=0.3:0.9 --match pin.q=angle --json"), 0);
  const double squares = printed_number("value");
  CHECK_EQUAL(carom("identify swing.yaml --data wild.csv --fit l=0.3:0.9 --match pin.q=angle --loss huber --json"), 0);
  CHECK(fabs(printed_number("value") - 0.6) < 0.1 * fabs(squares - 0.6));
  CHECK(printed_number("outliers") >= 4);
  forget_output();
}

// The period of a small swing is 2π√(l/g): that of 1 s needs l = 0.2485 m, where the angle is back at its start.
static void an_optimum_is_found(void) {
  if (!prepare()) return;
  CHECK_EQUAL(carom("optimise swing.yaml --set c=0 --set start=1deg --set end=1 --goal 'max:last(pin.q)' "
                    "--fit l=0.15:0.5 --write best.yaml --json"),
              0);
  CHECK_NEAR(printed_number("value"), 9.81 / (4 * M_PI * M_PI), 1e-4);
  CHECK_NEAR(printed_number("goal"), M_PI / 180, 1e-6);  // tolerance of the integrator
  CHECK(exists("best.yaml"));
  CHECK_EQUAL(carom("optimise swing.yaml --goal max:height --fit l=0.3:0.5"), 0);
  CHECK_CONTAINS(out, "last(height) = ");
  forget_output();
}

// Runs that fail at some values are counted: half of this range is a damping that the model refuses.
static void runs_that_fail_are_counted(void) {
  if (!prepare()) return;
  CHECK_EQUAL(carom("identify swing.yaml --data angle.csv --fit l=0.3:0.9 --fit c=-0.2:0.2 --match pin.q=angle --json"),
              0);
  CHECK(printed_number("failed") > 5);
  CHECK_NEAR(printed_number("value"), 0.6, 1e-5);
  CHECK_EQUAL(carom("identify swing.yaml --data angle.csv --fit c=-0.4:-0.2 --match pin.q=angle"), 2);
  CHECK_CONTAINS(err, "damping");
  forget_output();
}

static const struct {
  const char *arguments;
  int code;
  const char *says;
} refusals[] = {
    {"swing.yaml --data angle.csv --match pin.q=angle", 2, "give --fit"},
    {"swing.yaml --fit l=0.3:0.9 --match pin.q=angle", 2, "give --data"},
    {"swing.yaml --data angle.csv --fit l=0.3:0.9", 2, "give --match"},
    {"swing.yaml --data angle.csv --fit lenght=0.3:0.9 --match pin.q=angle", 2, "lenght"},
    {"swing.yaml --data angle.csv --fit gravity.1=-10:-9 --match pin.q=angle", 2,
     "does not give 'gravity', which therefore has no item 1"},
    {"swing.yaml --data angle.csv --fit gravity.1=-10:-9 --match pin.q=angle", 2, "set the whole list first"},
    {"swing.yaml --data angle.csv --fit l=0.9:0.3 --match pin.q=angle", 2, "its first end is above its second"},
    {"swing.yaml --data angle.csv --fit l=0.3:0.3 --match pin.q=angle", 2, "the range is empty"},
    {"swing.yaml --data angle.csv --fit l=0.3 --match pin.q=angle", 2, "it is no range"},
    {"swing.yaml --data angle.csv --fit l=0:1:log --match pin.q=angle", 2, "positive ends"},
    {"swing.yaml --data angle.csv --fit l=0.3:0.9 --fit l=0.3:0.9 --match pin.q=angle", 2, "'l' is fitted twice"},
    {"swing.yaml --data angle.csv --fit l=0.3:0.9 --set l=0.5 --match pin.q=angle", 2, "is also set"},
    {"swing.yaml --data angle.csv --fit l=0.3:0.9 --match pin.w=angle", 2, "did you mean 'pin."},
    {"swing.yaml --data angle.csv --fit l=0.3:0.9 --match pin.q=angel", 2,
     "no column that is matched; it has time, angle"},
    {"swing.yaml --data angle.csv --fit l=0.3:0.9 --match bob.x=angle", 2, "must be a length"},
    {"swing.yaml --data none.csv --fit l=0.3:0.9 --match pin.q=angle", 3, "cannot read 'none.csv'"},
    {"swing.yaml --data . --fit l=0.3:0.9 --match pin.q=angle", 3, "not a file"},
    {"swing.yaml --data empty.csv --fit l=0.3:0.9 --match pin.q=angle", 2, "is empty"},
    {"swing.yaml --data names.csv --fit l=0.3:0.9 --match pin.q=angle", 2, "has no samples"},
    {"swing.yaml --data back.csv --fit l=0.3:0.9 --match pin.q=angle", 2, "line 4: the time must increase"},
    {"swing.yaml --data hole.csv --fit l=0.3:0.9 --match pin.q=angle", 2, "line 3: the time is missing"},
    {"swing.yaml --data word.csv --fit l=0.3:0.9 --match pin.q=angle", 2, "line 3: 'many' is not a number"},
    {"swing.yaml --data commas.csv --fit l=0.3:0.9 --match pin.q=angle", 2, "decimal numbers need a point"},
    {"swing.yaml --data semicolons.csv --fit l=0.3:0.9 --match pin.q=angle", 2, "decimal numbers need a point"},
    {"swing.yaml --data angle.csv --fit l=0.3:0.9 --match pin.q=angle --match pin.q=angle", 2,
     "'pin.q' is matched with 'angle' twice"},
    {"swing.yaml --data two.csv --fit l=0.3:0.9 --fit c=0.01:0.1 --match pin.q=angle", 2,
     "2 samples cannot determine 2"},
    {"swing.yaml --data unit.csv --fit l=0.3:0.9 --match pin.q=angle", 2, "'furlong' is not a unit"},
    {"swing.yaml --data angle.csv,weight=-1 --fit l=0.3:0.9 --match pin.q=angle", 2, "the weight must be"},
    {"swing.yaml --data angle.csv --fit l=0.3:0.9 --match pin.q=angle --loss cubes", 2, "'squares' or 'huber'"},
    {"swing.yaml --data angle.csv --fit l=0.3:0.9 --match pin.q=angle --offset '1:1 mm'", 2, "different units"},
    {"swing.yaml --data angle.csv --fit l=0.3:0.9 --match pin.q=angle --offset '1 mm:2 mm'", 2, "it must be a time"},
    {"swing.yaml --data angle.csv --fit l=0.3:0.9 --match pin.q=angle -o angle.csv", 2, "angle.csv"},
    {"swing.yaml --data angle.csv --fit l=0.3:0.9 --match pin.q=angle --write swing.yaml", 2, "swing.yaml"},
    {"swing.yaml --data angle.csv --fit l=0.3:0.9 --match pin.q=angle --write notes.txt", 2, "notes.txt"},
    {"rods.yaml --data angle.csv --fit bodies.b2.mass=1:2 --match pin2.q=angle --write new.yaml", 2,
     "it would not mean the same"},
};

static void what_does_not_fit_is_refused(void) {
  if (!prepare()) return;
  write_text(scratch("empty.csv"), "\n# nothing\n");
  write_text(scratch("names.csv"), "t,angle\n");
  write_text(scratch("back.csv"), "t,angle\n0,1\n1,1\n1,1\n");
  write_text(scratch("hole.csv"), "t,angle\n0,1\n,1\n");
  write_text(scratch("word.csv"), "t,angle\n0,1\n1,many\n");
  write_text(scratch("commas.csv"), "t,angle\n0,1,5\n");
  write_text(scratch("semicolons.csv"), "t;angle\n0;1,5\n1;2,5\n");
  write_text(scratch("two.csv"), "t,angle\n0,1\n1,1\n2,\n");
  write_text(scratch("unit.csv"), "t,angle\ns,furlong\n0,1\n");
  write_text(scratch("notes.txt"), "important\n");
  write_text(scratch("rods.yaml"),
             "space: planar\nbodies: {\"b{i}\": {repeat: {i: [1, 2]}, mass: i, inertia: 1, com: [0, -1]}}\n"
             "joints: {\"pin{i}\": {repeat: {i: [1, 2]}, revolute: [ground, \"b{i}\"]}}\nend: 2\n");
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
    if (!CHECK_EQUAL(carom("identify %s", refusals[i].arguments), refusals[i].code))
      printf("      %s\n", refusals[i].arguments);
    if (!CHECK_CONTAINS(err, refusals[i].says)) printf("      %s\n", refusals[i].arguments);
  }
  CHECK_EQUAL(carom("optimise swing.yaml --fit l=0.3:0.9"), 2);
  CHECK_CONTAINS(err, "there is no goal");
  CHECK_EQUAL(carom("optimise swing.yaml --fit l=0.3:0.9 --goal largest"), 2);
  CHECK_CONTAINS(err, "must be like min:max");
  CHECK_EQUAL(carom("optimise swing.yaml --fit l=0.3:0.9 --goal 'min:max(nothing)'"), 2);
  CHECK_CONTAINS(err, "the model has no signal 'nothing'");
  forget_output();
}

// Texts are the same but for blanks, numbers within a thousandth: the last digits depend on the processor, and with
// them the number of runs, a little.
static bool same_but_for_digits(const char *a, const char *b) {
  for (;;) {
    char *after_a, *after_b;
    a += strspn(a, " "), b += strspn(b, " ");
    if (!*a || !*b) break;
    const bool number = *a >= '0' && *a <= '9';
    const double x = number ? strtod(a, &after_a) : 0, y = number ? strtod(b, &after_b) : 0;
    const double part = number && strncmp(after_a, " runs", 5) == 0 ? 0.1 : 1e-3;
    if (number ? after_b == b || fabs(x - y) > part * fabs(x) + 1e-12 : *a != *b) return false;
    a = number ? after_a : a + 1, b = number ? after_b : b + 1;
  }
  return !*a && !*b;
}

// An example of the guide prints what the guide says. Returns false if it cannot be found.
static bool run_example(const char *command) {
  char path[4096];
  if (!CHECK(check_source("docs/guide.md", path, sizeof path))) return false;
  char *guide = read_file(path, NULL), *at = guide ? strstr(guide, command) : NULL;
  char *end = at ? strchr(at, '\n') : NULL, *close = end ? strstr(end, "\n```") : NULL;
  if (CHECK(close)) {
    *end = 0, close[1] = 0;
    CHECK_EQUAL(carom("%s", at + strlen("$ carom ")), 0);
    if (!CHECK(same_but_for_digits(end + 1, out))) printf("%s\n%s\n", end + 1, out);
  }
  free(guide);
  return close != NULL;
}

static void the_guide_fits_as_it_says(void) {
  in_scratch("cp '%s/models/bouncing-ball.yaml' '%s/models/dropped-ball.csv' .", CHECK_SOURCE_DIR, CHECK_SOURCE_DIR);
  if (!run_example("$ carom identify ")) return;
  CHECK_TEXT(err, "");
  CHECK_EQUAL(carom("check fitted.yaml"), 0);
  forget_output();
}

static void the_guide_optimises_as_it_says(void) {
  in_scratch("cp '%s/models/servo.yaml' .", CHECK_SOURCE_DIR);
  if (!run_example("$ carom optimise ")) return;
  CHECK_TEXT(err, "");
  forget_output();
}

int main(void) {
  if (!tool_is_there()) return 1;
  RUN(a_fit_is_told_and_written);
  RUN(new_keys_are_written);
  RUN(held_out_files_do_not_touch_the_fit);
  RUN(offsets_belong_to_files);
  RUN(outliers_count_less);
  RUN(an_optimum_is_found);
  RUN(runs_that_fail_are_counted);
  RUN(what_does_not_fit_is_refused);
  RUN(the_guide_fits_as_it_says);
  RUN_OPTIMISED(the_guide_optimises_as_it_says);
  return check_summary();
}
