// The command line as its users see it: exit codes, what goes to which stream, what is on disk afterwards.
#include "tool.h"

#include <dirent.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "carom/carom.h"

static bool exists(const char *name) { return access(scratch(name), F_OK) == 0; }

static const char pendulum[] =
    "title: A pendulum of our own\n"
    "space: planar\n"
    "parameters: {l: 0.5 m, start: 60 deg}\n"
    "bodies: {bob: {mass: 2, inertia: 0.1, com: [0, -l]}}\n"
    "joints: {pin: {revolute: [ground, bob]}}\n"
    "initial: {pin: {q: start}}\n"
    "outputs: {height: -l*cos(pin.q)}\n"
    "end: 1 s\n";

// A parallelogram whose given angles do not close.
static const char linkage[] =
    "title: A linkage that is given wrong\n"
    "space: planar\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: 0.01}\n"
    "  coupler: {mass: 1, inertia: 0.01}\n"
    "  rocker: {mass: 1, inertia: 0.01}\n"
    "joints:\n"
    "  left: {revolute: [ground, crank]}\n"
    "  upper: {revolute: [crank, coupler], at: [0.3, 0]}\n"
    "  right: {revolute: [ground, rocker], at: [0.5, 0]}\n"
    "  last: {revolute: [coupler, rocker], at: [0.5, 0], to: [0.35, 0]}\n"
    "initial: {left: {q: 60 deg}, upper: {q: -50 deg}, right: {q: 70 deg}}\n"
    "forces: {brake: {along: left, damping: 0.1}}\n"
    "end: 0.2 s\n";

// Something that takes long enough to be interrupted.
static const char endless[] =
    "space: planar\n"
    "bodies: {bob: {mass: 2, inertia: 0.1, com: [0, -1]}}\n"
    "joints: {pin: {revolute: [ground, bob]}}\n"
    "initial: {pin: {q: 1}}\n"
    "integrator: {type: rk4, step: 1e-4}\n"
    "end: 1e6 s\n";

static double json_value(const char *key) {
  char quoted[64];
  snprintf(quoted, sizeof quoted, "\"%s\": ", key);
  const char *at = out ? strstr(out, quoted) : NULL;
  return at ? strtod(at + strlen(quoted), NULL) : NAN;
}

static long count_lines(const char *text) {
  long n = 0;
  for (; *text; text++) n += *text == '\n';
  return n;
}

static const char *last_line(char *text) {
  size_t length = strlen(text);
  if (length && text[length - 1] == '\n') text[length - 1] = 0;
  char *at = strrchr(text, '\n');
  return at ? at + 1 : text;
}

// --- help and mistakes -----------------------------------------------------------------------------------------------

static void version_and_help_are_results(void) {
  char expected[64];
  snprintf(expected, sizeof expected, "carom %s\n", carom_version());
  CHECK_EQUAL(carom("--version"), 0);
  CHECK_TEXT(out, expected);
  CHECK_TEXT(err, "");
  CHECK_EQUAL(carom("help"), 0);
  CHECK_CONTAINS(out, "usage: carom COMMAND");
  CHECK_EQUAL(carom("--help"), 0);
  CHECK_EQUAL(carom("run --help"), 0);
  CHECK_CONTAINS(out, "--no-record");
  CHECK_CONTAINS(out, "130 interrupted");
}

static void mistakes_on_the_command_line_exit_with_2(void) {
  static const struct {
    const char *words, *said;
  } mistakes[] = {
      {"", "needs a command"},
      {"rnu x.yaml", "did you mean 'run'?"},
      {"--wrong", "no option '--wrong'"},
      {"run", "carom run needs MODEL"},
      {"run a.yaml b.yaml", "takes no argument 'b.yaml'"},
      {"run --jsn a.yaml", "did you mean '--json'?"},
      {"run a.yaml --set", "needs a value"},
      {"run a.yaml --set l", "is not name=value"},
      {"run a.yaml --json=3", "takes no value"},
      {"run a.yaml -o a.h5 -o b.h5", "given twice"},
      {"run a.yaml -o a.h5 --no-record", "exclude each other"},
      {"run a.yaml --quiet --json", "exclude each other"},
      {"laws --law floress", "did you mean 'flores'?"},
      {"laws --restitution 1.2", "is not a restitution"},
      {"laws --law dahl --csv -", "use --friction-csv"},
      {"laws --law hertz --friction-csv -", "use --csv"},
      {"list joint", "did you mean 'joints'?"},
      {"example pendlum", "did you mean 'pendulum'?"},
      {"help chekc", "did you mean 'check'?"},
      {"export a.h5 --to parquet", "there is csv"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    if (!CHECK_EQUAL(carom("%s", mistakes[i].words), 2)) printf("      carom %s\n", mistakes[i].words);
    CHECK_CONTAINS(err, mistakes[i].said);
    CHECK_CONTAINS(err, "try: carom help");
    CHECK_TEXT(out, "");
  }
}

// Whatever `carom help` names must be in the man page and in the completion.
static void man_page_and_completion_know_every_option(void) {
  static const char *const commands[] = {"run",  "check",   "export",    "solve", "list",
                                         "laws", "example", "reference", "help"};
  char path[4096];
  if (!CHECK(check_source("docs/carom.1", path, sizeof path))) return;
  char *man = read_file(path, NULL);
  if (!CHECK(check_source("scripts/completion/carom.bash", path, sizeof path))) return;
  char *completion = read_file(path, NULL);
  int options = 0;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    char text[128];
    snprintf(text, sizeof text, "SS carom %s", commands[i]);
    CHECK_CONTAINS(man, text);
    CHECK_EQUAL(carom("help %s", commands[i]), 0);
    for (const char *at = out; (at = strstr(at, " --")); at += 3) {
      char name[64], escaped[128];
      int length = 0, used = 0;
      while (at[3 + length] == '-' || (at[3 + length] >= 'a' && at[3 + length] <= 'z')) length++;
      snprintf(name, sizeof name, "--%.*s", length, at + 3);
      for (const char *c = name; *c; c++) {
        if (*c == '-') escaped[used++] = '\\';
        escaped[used++] = *c;
      }
      escaped[used] = 0;
      CHECK_CONTAINS(man, escaped);
      CHECK_CONTAINS(completion, name);
      options++;
    }
  }
  CHECK(options > 15);
  free(man), free(completion);
}

// --- run -------------------------------------------------------------------------------------------------------------

static void run_records_and_summarises(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml"), 0);
  CHECK_TEXT(err, "");
  CHECK_CONTAINS(out, "A pendulum of our own");
  CHECK_CONTAINS(out, "smooth with integrator adams");
  CHECK_CONTAINS(out, "t = 1 s, the end");
  CHECK_CONTAINS(out, "energy        relative error");
  CHECK_CONTAINS(out, "swing.h5");
  CHECK(exists("swing.h5"));
  CHECK(!strchr(out, '\033'));
}

static void streams_are_kept_apart(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml --json --end '50 ms' --no-record"), 0);
  CHECK(out[0] == '{' && count_lines(out) == 1);
  CHECK_CONTAINS(out, "\"status\": \"done\"");
  CHECK(json_value("t") == 0.05);  // the end is met exactly
  CHECK(json_value("steps") > 3);
  CHECK_TEXT(err, "");
  CHECK_EQUAL(carom("run swing.yaml --quiet --no-record"), 0);
  CHECK_TEXT(out, "");
  CHECK_TEXT(err, "");
  CHECK_EQUAL(carom("run swing.yaml --csv - --no-record"), 0);
  CHECK(strncmp(out, "t,pin.q,pin.u,", 14) == 0);
  CHECK(!strstr(out, "reached"));
  CHECK_CONTAINS(err, "reached");
  CHECK_EQUAL(carom("run swing.yaml --csv - --no-record --json"), 0);
  CHECK(strncmp(out, "t,", 2) == 0);
  CHECK(err[0] == '{');
}

static void settings_change_the_model(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml --no-record --csv - -q --set start=0.25 --set integrator.type=rk4 "
                    "--set integrator.step=0.25"),
              0);
  CHECK_EQUAL(count_lines(out), 6);  // header, start, four steps of a quarter second
  CHECK_CONTAINS(out, "\n0,0.25,0,");
  CHECK_CONTAINS(out, "\n0.75,");
  CHECK_EQUAL(carom("run swing.yaml --set lenght=3"), 2);
  CHECK_CONTAINS(err, "lenght");
  CHECK_EQUAL(carom("check swing.yaml --set integrator=erk --set integrator.rtol=1e-12"), 0);
  CHECK_CONTAINS(out, "smooth with integrator erk");
  CHECK_EQUAL(carom("check swing.yaml --set integrator=erk --set integrator.rtol=-1"), 2);
  CHECK_CONTAINS(err, "'rtol' must be positive");
  CHECK_EQUAL(carom("run swing.yaml --end -1"), 2);
  CHECK_CONTAINS(err, "--end:1:5: error: 'end' must be positive");
  CHECK_EQUAL(carom("run swing.yaml --set method=moreau"), 2);
  CHECK_CONTAINS(err, "--set method.moreau.step=");
  CHECK_EQUAL(carom("check swing.yaml --set record.every=1e-300"), 0);
  CHECK_CONTAINS(out, "note: record.every is 1e-300 s, too short");
}

static void checks_name_the_cause(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("check swing.yaml --set 'drives={turn: {joint: pin, motion: 1 rad/s*t}}'"), 0);
  CHECK_CONTAINS(out, "the given q of joint 'pin' was changed because a drive fixes it");
  CHECK_EQUAL(
      carom(
          "check swing.yaml --set 'drives={turn: {joint: pin, motion: 31 rad/s*t}}' --set 'initial={bob: {omega: 3}}'"),
      0);
  CHECK_CONTAINS(out, "as given, except:");
  CHECK_CONTAINS(out,
                 "the given omega of body 'bob' was changed because joints, drives or given u fix it, from 3 to 31\n");
  CHECK_EQUAL(carom("check swing.yaml --json --set 'drives={turn: {joint: pin, motion: 31 rad/s*t}}' --set "
                    "'initial={bob: {omega: 3}}'"),
              0);
  CHECK_CONTAINS(out, "\"changed\": {\"body\": \"bob\", \"from\": 3, \"to\": 31}");
  CHECK_EQUAL(carom("run swing.yaml --no-record --strict --end 0.01 --set 'initial={bob: {omega: 3}, pin: {u: 5}}'"),
              1);
  CHECK_CONTAINS(out, "the given omega of body 'bob'");
  CHECK_EQUAL(
      carom("check swing.yaml --set 'drives={turn: {joint: pin, motion: 31 rad/s*t}}' --set 'initial={pin: {u: 3}}'"),
      0);
  CHECK_CONTAINS(out, "the given u of joint 'pin' was changed because a drive fixes it, from 3 to 31\n");
  CHECK_EQUAL(carom("check swing.yaml --set 'drives={turn: {joint: pin, motion: 1e-27 rad}}'"), 0);
  CHECK_CONTAINS(out, "from 1.04719755 to 0\n");  // not the rounding of zero
  CHECK_EQUAL(carom("check %s/models/rack-pinion.yaml", CHECK_SOURCE_DIR), 0);
  CHECK_CONTAINS(out, "mesh             gear");
  CHECK_CONTAINS(out, "steer            rack");
  CHECK_EQUAL(carom("check %s/models/painleve-rod.yaml", CHECK_SOURCE_DIR), 0);
  CHECK_CONTAINS(out, "point on plane");
  CHECK_CONTAINS(out, "in contact at the start");
}

static void warnings_fail_a_strict_run(void) {
  write_text(scratch("linkage.yaml"), linkage);
  CHECK_EQUAL(carom("run linkage.yaml --no-record"), 0);
  CHECK_CONTAINS(out, "was changed to");
  CHECK_EQUAL(carom("run linkage.yaml --no-record --strict"), 1);
  CHECK_CONTAINS(err, "--strict");
  CHECK_EQUAL(carom("run linkage.yaml --no-record --strict --json"), 1);
  CHECK_EQUAL(json_value("initial"), 1);
  CHECK_CONTAINS(err, "was changed to");
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml --no-record --strict"), 0);
}

static void a_wrong_model_exits_with_2(void) {
  write_text(scratch("wrong.yaml"), "bodies: {bob: {mass: -2}}\n");
  CHECK_EQUAL(carom("run wrong.yaml"), 2);
  CHECK_CONTAINS(err, "wrong.yaml:1:");
  CHECK_CONTAINS(err, "^");
  CHECK_TEXT(out, "");
  CHECK(!exists("wrong.h5"));
  CHECK_EQUAL(carom("check wrong.yaml"), 2);
  CHECK_CONTAINS(err, "wrong.yaml:1:");
}

// The force has no value after half a second.
static void a_failed_run_is_kept(void) {
  write_text(scratch("fails.yaml"),
             "space: planar\n"
             "bodies: {bob: {mass: 2, inertia: 0.1, com: [0, -1]}}\n"
             "joints: {pin: {revolute: [ground, bob]}}\n"
             "forces: {motor: {along: pin, effort: \"sqrt(0.5 - t)\"}}\n"
             "end: 1 s\n");
  CHECK_EQUAL(carom("run fails.yaml --json"), 1);
  CHECK_CONTAINS(err, "error:");
  CHECK_CONTAINS(out, "\"status\": \"failed\"");
  double t = json_value("t");
  CHECK(t > 0.1 && t <= 0.5);
  CHECK_EQUAL(carom("export fails.h5 --table joints"), 0);
  CHECK_NEAR(strtod(last_line(out), NULL), t, 1e-8 * t);  // the summary has nine digits
}

// --- files -----------------------------------------------------------------------------------------------------------

static void file_trouble_exits_with_3(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run absent.yaml"), 3);
  CHECK_CONTAINS(err, "absent.yaml");
  CHECK_EQUAL(carom("run four-bar.yaml"), 3);
  CHECK_CONTAINS(err, "carom example four-bar");
  CHECK_EQUAL(carom("run ."), 3);
  CHECK_EQUAL(carom("run swing.yaml -o absent/x.h5 --json"), 3);
  CHECK_TEXT(out, "");  // it was told before the run began
  CHECK_EQUAL(carom("run swing.yaml --no-record --csv absent/x.csv --json"), 3);
  CHECK_TEXT(out, "");
  CHECK_EQUAL(carom("run swing.yaml --resume absent.h5"), 3);
  CHECK_EQUAL(carom("export absent.h5"), 3);
  CHECK_EQUAL(carom("export swing.yaml"), 3);
  CHECK_CONTAINS(err, "not a carom record");
  CHECK_EQUAL(carom("example pendulum >/dev/full"), 3);
  CHECK_CONTAINS(err, "cannot write standard output");
  if (geteuid() != 0) {
    chmod(scratch("swing.yaml"), 0);
    CHECK_EQUAL(carom("run swing.yaml"), 3);
    chmod(scratch("swing.yaml"), 0644);
  }
}

static void nothing_that_is_read_is_overwritten(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml -q"), 0);
  CHECK_EQUAL(carom("run swing.yaml --csv ./swing.yaml"), 2);
  CHECK_EQUAL(carom("run swing.yaml -o swing.yaml"), 2);
  CHECK_EQUAL(carom("export swing.h5 -o swing.h5"), 2);
  // an end that was reached already is told before the older results are gone
  CHECK_EQUAL(carom("run swing.yaml --resume swing.h5 -o other.h5 --end 0.5"), 2);
  CHECK(!exists("other.h5"));
  char *text = read_file(scratch("swing.yaml"), NULL);
  CHECK_TEXT(text, pendulum);
  free(text);
  CHECK_EQUAL(carom("export swing.h5 --table time"), 0);
}

// A file that may not grow beyond 12 MB stands for a disk that is full.
static void a_full_disk_loses_nothing_written(void) {
  write_text(scratch("endless.yaml"), endless);
  pid_t child = fork();
  if (child == 0) {
    struct rlimit limit = {12 << 20, 12 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    int null = open("/dev/null", O_RDWR);
    dup2(null, 1), dup2(null, 2);
    if (chdir(check_scratch_dir()) != 0) _exit(99);
    execl(TOOL, "carom", "run", "endless.yaml", "-o", "full.h5", (char *)NULL);
    _exit(99);
  }
  int status;
  waitpid(child, &status, 0);
  CHECK_EQUAL(exit_code(status), 3);
  struct stat info;
  CHECK(stat(scratch("full.h5"), &info) == 0 && info.st_size > 8 << 20);
  // a row has 36 numbers, so 12 MB hold 43690 rows; narrow tables wait in memory for up to 8192 of them
  CHECK_EQUAL(carom("export full.h5"), 0);
  CHECK(count_lines(out) > 43690 - 2 * 8192);
  CHECK_CONTAINS(out, "\n0.0001,");
  CHECK_EQUAL(carom("run endless.yaml --no-record --csv /dev/full"), 3);
  CHECK_CONTAINS(err, "cannot write /dev/full");
}

// --- interruption and resuming ---------------------------------------------------------------------------------------

static pid_t start_endless(const char *record) {
  write_text(scratch("endless.yaml"), endless);
  pid_t child = fork();
  if (child == 0) {
    int to = open(scratch("stdout"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    int talk = open(scratch("stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(to, 1), dup2(talk, 2);
    if (chdir(check_scratch_dir()) != 0) _exit(99);
    execl(TOOL, "carom", "run", "endless.yaml", "-o", record, "--json", (char *)NULL);
    _exit(99);
  }
  return child;
}

// Until rows can be read, or half a minute.
static bool wait_for_rows(const char *record) {
  for (int i = 0; i < 300; i++) {
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    if (carom("export %s --table time", record) == 0 && count_lines(out) > 10) return true;
  }
  return false;
}

static void signals_end_a_run_in_order(void) {
  static const int signals[] = {SIGINT, SIGTERM};
  for (int i = 0; i < 2; i++) {
    remove(scratch("cut.h5"));  // of the first run: its rows say nothing of the second
    pid_t child = start_endless("cut.h5");
    CHECK(wait_for_rows("cut.h5"));
    kill(child, signals[i]);
    int status;
    waitpid(child, &status, 0);
    CHECK_EQUAL(exit_code(status), 130);
    free(out), free(err);
    out = read_file(scratch("stdout"), NULL), err = read_file(scratch("stderr"), NULL);
    CHECK_CONTAINS(out, "\"status\": \"interrupted\"");
    CHECK_CONTAINS(err, "interrupted at t = ");
    double t = json_value("t"), steps = json_value("steps");
    CHECK_NEAR(t, 1e-4 * steps, 1e-8 * t);  // the summary has nine digits
    CHECK_EQUAL(carom("export cut.h5 --table joints"), 0);
    CHECK_EQUAL(count_lines(out), 2 + (long)steps);  // header, start, every step
    CHECK_EQUAL(carom("run endless.yaml --resume cut.h5 --end %.17g --json", t + 1), 0);
    CHECK_NEAR(json_value("steps"), steps + 10000, 1.5);  // the last step may be cut in two by rounding
  }
}

static void a_killed_run_is_readable(void) {
  pid_t child = start_endless("killed.h5");
  CHECK(wait_for_rows("killed.h5"));
  kill(child, SIGKILL);
  int status;
  waitpid(child, &status, 0);
  CHECK_EQUAL(exit_code(status), 1000 + SIGKILL);
  CHECK_EQUAL(carom("export killed.h5"), 0);
  CHECK(count_lines(out) > 10);
}

// A one-step integrator goes on with the very bits it would have had; the step divides both ends exactly.
static void resuming_a_one_step_run_is_exact(void) {
  write_text(scratch("swing.yaml"), pendulum);
  const char *steps = "--set integrator.type=rk4 --set integrator.step=1/128";
  CHECK_EQUAL(carom("run swing.yaml -q %s -o whole.h5", steps), 0);
  CHECK_EQUAL(carom("run swing.yaml -q %s -o half.h5 --end 0.5", steps), 0);
  CHECK_EQUAL(carom("run swing.yaml --json %s -o rest.h5 --resume half.h5 --strict", steps), 0);
  CHECK_EQUAL(json_value("restart"), 0);
  CHECK_EQUAL(json_value("steps"), 128);
  CHECK_EQUAL(carom("export whole.h5"), 0);
  char *whole = strdup(last_line(out));
  CHECK_EQUAL(carom("export rest.h5"), 0);
  CHECK_EQUAL(count_lines(out), 66);  // header, the state at 0.5, 64 steps
  CHECK_TEXT(last_line(out), whole);
  free(whole);
}

static void resuming_a_multistep_run_is_told(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml -q -o half.h5 --end 0.5"), 0);
  CHECK_EQUAL(carom("run swing.yaml --resume half.h5"), 0);
  CHECK_CONTAINS(out, "restart:");
  CHECK(exists("swing-resumed.h5"));
  CHECK_EQUAL(carom("run swing.yaml --resume half.h5 --strict"), 1);
}

static void only_the_same_model_is_resumed(void) {
  write_text(scratch("swing.yaml"), pendulum);
  write_text(scratch("linkage.yaml"), linkage);
  CHECK_EQUAL(carom("run swing.yaml -q -o half.h5 --end 0.5"), 0);
  CHECK_EQUAL(carom("run linkage.yaml --resume half.h5"), 2);
  CHECK_CONTAINS(err, "another model");
  CHECK_EQUAL(carom("run swing.yaml --resume half.h5 --set l=0.6"), 2);
  CHECK_CONTAINS(err, "parameter 'l' is now 'l = 0.59999999999999998', and the record was made with 'l = ");
  CHECK_EQUAL(carom("run swing.yaml --resume half.h5 --set bodies.bob.mass=3"), 2);
  CHECK_CONTAINS(err, "setting 'bodies.bob.mass' is now 'bodies.bob.mass = 3', and the record was made without it");
  CHECK_EQUAL(carom("run swing.yaml -q -o heavy.h5 --end 0.5 --set bodies.bob.mass=3 --set gravity=[0,-1]"), 0);
  CHECK_EQUAL(carom("run swing.yaml --resume heavy.h5 --set bodies.bob.mass=3"), 2);
  CHECK_CONTAINS(err, "setting 'gravity' is now not given, and the record was made with 'gravity = [0,-1]'");
  CHECK_EQUAL(carom("run swing.yaml --resume heavy.h5 --set gravity=[0,-1] --set bodies.bob.mass=3"), 2);
  CHECK_CONTAINS(err, "in another order");
  CHECK_EQUAL(carom("run swing.yaml --resume half.h5 --set integrator.rtol=1e-6"), 0);
}

// --- check, list, example, reference ---------------------------------------------------------------------------------

static void check_tells_what_a_model_is(void) {
  write_text(scratch("linkage.yaml"), linkage);
  CHECK_EQUAL(carom("check linkage.yaml"), 0);
  CHECK_TEXT(err, "");
  CHECK_CONTAINS(out, "A linkage that is given wrong");
  CHECK_CONTAINS(out, "3, 3 kg in all");
  CHECK_CONTAINS(out, "coupler          1 kg, size 0.5 m, radius of gyration 0.1 m");
  CHECK_CONTAINS(out, "closes a loop");
  CHECK_CONTAINS(out, "1 degree of freedom");
  CHECK_CONTAINS(out, "2 constraint rows, none redundant");
  CHECK_CONTAINS(out, "brake            along        on left");
  CHECK_CONTAINS(out, "was changed to");
  CHECK(!strstr(out, "energy.kinetic"));
  CHECK_EQUAL(carom("check linkage.yaml --signals --set coordinates=absolute"), 0);
  CHECK_CONTAINS(out, "9 coordinates and 9 speeds (absolute coordinates)");
  CHECK_CONTAINS(out, "coupler - rocker, closes a loop");
  CHECK(!strstr(out, "ground - crank, closes a loop"));
  CHECK_CONTAINS(out, "energy.kinetic");
  CHECK_CONTAINS(out, "left.q ");
  CHECK_EQUAL(carom("check linkage.yaml --json --signals"), 0);
  CHECK_EQUAL(count_lines(out), 1);
  CHECK_EQUAL(json_value("freedom"), 1);
  CHECK_EQUAL(json_value("constraint_rows"), 2);
  CHECK_EQUAL(json_value("redundant_rows"), 0);
  CHECK(json_value("iterations") > 0);
  CHECK(json_value("violation_before") > 1e-3 && json_value("violation_after") < 1e-10);
  CHECK_CONTAINS(out, "{\"name\": \"left.q\", \"unit\": \"rad\"}");
}

static void check_lists_controllers(void) {
  write_text(scratch("controlled.yaml"),
             "space: planar\n"
             "bodies: {arm: {mass: 1, inertia: 1}}\n"
             "joints: {hinge: {revolute: [ground, arm]}}\n"
             "signals: {error: 1 rad - hinge.q, ratio: 2*t}\n"
             "states:\n"
             "  integral: {rate: error, unit: rad*s, limits: [-0.5, 0.5], reset_at: 2 s}\n"
             "  count: {rate: 1, initial: 3, reset_at: [1, 2]}\n"
             "callbacks: {pilot: {inputs: [error, hinge.u], outputs: [torque, light], every: 10 ms}, other: {inputs: "
             "[], outputs: [x]}}\n"
             "forces: {motor: {motor: hinge, effort: pilot.torque, lag: 5 ms}}\n");
  CHECK_EQUAL(carom("check controlled.yaml"), 0);
  CHECK_CONTAINS(out, "  computed     2\n    error            rad\n");
  CHECK_CONTAINS(out,
                 "  states       2\n    integral         rad*s, starts at 0, limits -0.5 and 0.5, set to 0 at 2 s\n    "
                 "count            starts at 3, set to 3 at 2 times\n");
  CHECK_CONTAINS(out,
                 "  callbacks    2\n    pilot            from error, hinge.u to torque, light; every 0.01 s\n    other "
                 "           from nothing to x; at each evaluation\n");
  CHECK_EQUAL(carom("check controlled.yaml --json"), 0);
  CHECK_CONTAINS(out, "\"computed\": [{\"name\": \"error\", \"unit\": \"rad\"}");
  CHECK_CONTAINS(out, "{\"name\": \"integral\", \"detail\": \"rad*s, starts at 0");
}

static void check_finds_redundant_constraints(void) {
  // a second hinge on the same axis adds five rows and takes nothing away
  write_text(scratch("hinges.yaml"),
             "bodies: {door: {mass: 20, inertia: [1, 1, 1], com: [0.5, 0, 1]}}\n"
             "joints:\n"
             "  lower: {revolute: [ground, door]}\n"
             "  upper: {revolute: [ground, door], at: [0, 0, 2], to: [0, 0, 2]}\n");
  CHECK_EQUAL(carom("check hinges.yaml --json"), 0);
  CHECK_EQUAL(json_value("freedom"), 1);
  CHECK_EQUAL(json_value("constraint_rows"), 5);
  CHECK_EQUAL(json_value("redundant_rows"), 5);
  CHECK_EQUAL(carom("check hinges.yaml"), 0);
  CHECK_CONTAINS(out, "redundant, and handled");
}

static void lists_name_what_there_is(void) {
  static const struct {
    const char *family, *member;
  } wanted[] = {{"joints", "spherical"},
                {"constraints", "distance"},
                {"forces", "bushing"},
                {"methods", "smooth"},
                {"integrators", "adams"},
                {"functions", "sqrt(x): square root"},
                {"units", "rpm       turns per minute"},
                {"models", "four-bar"},
                {"surfaces", "sphere"},
                {"solvers", "lemke"},
                {"laws", "flores"},
                {"solids", "bronze"}};
  CHECK_EQUAL(carom("list"), 0);
  char *families = strdup(out);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    CHECK_CONTAINS(families, wanted[i].family);
    CHECK_EQUAL(carom("list %s", wanted[i].family), 0);
    CHECK_CONTAINS(out, wanted[i].member);
    CHECK(!strstr(out, " \n"));
  }
  CHECK_EQUAL(count_lines(families), sizeof wanted / sizeof *wanted);
  free(families);
}

static void laws_are_told_and_drawn(void) {
  CHECK_EQUAL(carom("laws"), 0);
  CHECK_CONTAINS(out, "F = K δⁿ (1 + 8(1-e)/(5e) δ̇/v₀)");
  CHECK_CONTAINS(out, "hunt-crossley        0.5014");
  CHECK_EQUAL(carom("laws --law lugre"), 0);
  CHECK_CONTAINS(out, "Canudas de Wit");
  CHECK(!strstr(out, "flores"));
  CHECK_EQUAL(carom("laws --csv impacts.csv --friction-csv slides.csv --restitution 0.5"), 0);
  CHECK_CONTAINS(out, "flores                   0.5000     0.4704");
  CHECK_EQUAL(carom("laws --law hertz --csv -"), 0);
  CHECK(strncmp(out, "law,restitution,t,delta,rate,force\nhertz,0.69999999999999996,0,0,1,0\n", 68) == 0);
  CHECK(count_lines(out) > 300 && count_lines(out) < 500);
  CHECK_EQUAL(carom("laws --law brown-mcphee --friction-csv -"), 0);
  CHECK(strncmp(out, "law,t,x,v,force\nbrown-mcphee,0,0,0,", 34) == 0);
  CHECK_EQUAL(carom("laws --csv no/such/folder.csv"), 3);
}

static void examples_are_the_models(void) {
  char folder[4096], path[4608];
  if (!CHECK(check_source("models", folder, sizeof folder))) return;
  CHECK_EQUAL(carom("example"), 0);
  char *list = strdup(out);
  DIR *all = opendir(folder);
  int count = 0;
  for (struct dirent *entry; all && (entry = readdir(all));) {
    char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".yaml") != 0) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    char *text = read_file(path, NULL);
    *dot = 0;
    CHECK_CONTAINS(list, entry->d_name);
    CHECK_EQUAL(carom("example %s", entry->d_name), 0);
    CHECK_TEXT(out, text);
    CHECK_EQUAL(carom("check '%s'", path), 0);
    CHECK_TEXT(err, "");
    free(text);
    count++;
  }
  if (all) closedir(all);
  CHECK(count >= 12);
  CHECK_EQUAL(count_lines(list), count);
  free(list);
}

static void the_reference_page_is_up_to_date(void) {
  char path[4096];
  if (!CHECK(check_source("docs/model-reference.md", path, sizeof path))) return;
  char *page = read_file(path, NULL);
  CHECK_EQUAL(carom("reference"), 0);
  if (!CHECK(strcmp(out, page) == 0)) printf("      carom reference > docs/model-reference.md brings it up to date\n");
  CHECK_CONTAINS(out, "`revolute`");
  free(page);
}

// --- export ----------------------------------------------------------------------------------------------------------

static void export_gives_back_what_was_recorded(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml -q --csv swing.csv"), 0);
  CHECK_EQUAL(carom("export swing.h5 --to csv --table joints"), 0);
  CHECK(strncmp(out, "t,pin.q,pin.u,", 14) == 0);
  // the two files are written apart from one another, number by number the same
  char *text = read_file(scratch("swing.csv"), NULL), *line = text, *other = out;
  CHECK_EQUAL(count_lines(text), count_lines(out));
  int rows = 0;
  while (line && other && *line && *other) {
    const char *a = line, *b = other;
    for (int k = 0; k < 3; k++) a += strcspn(a, ",\n") + 1, b += strcspn(b, ",\n") + 1;
    CHECK(a - line == b - other && strncmp(line, other, (size_t)(a - line)) == 0);
    line = strchr(line, '\n'), other = strchr(other, '\n');
    if (line) line++;
    if (other) other++;
    rows++;
  }
  CHECK(rows > 10);
  free(text);
  CHECK_EQUAL(carom("export swing.h5 -o all.csv"), 0);
  text = read_file(scratch("all.csv"), NULL);
  CHECK(strncmp(text, "t,pin.q,", 8) == 0);
  CHECK_CONTAINS(text, ",height\n");
  CHECK_EQUAL(count_lines(text), rows);
  free(text);
  CHECK_EQUAL(carom("export swing.h5 --tables"), 0);
  CHECK_CONTAINS(out, "energy");
  CHECK_EQUAL(carom("export swing.h5 --table enrgy"), 2);
  CHECK_CONTAINS(err, "did you mean 'energy'?");
  CHECK_EQUAL(carom("export swing.h5 --table checkpoint"), 0);
  CHECK_EQUAL(count_lines(out), 2);  // header, the end
}

static void a_damaged_record_is_told(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml -q -o swing.h5"), 0);
  CHECK_EQUAL(truncate(scratch("swing.h5"), 5000), 0);
  CHECK_EQUAL(carom("export swing.h5"), 3);
  CHECK_EQUAL(count_lines(err), 1);
  CHECK_CONTAINS(err, "swing.h5");
}

// --- terminals -------------------------------------------------------------------------------------------------------

// All that the tool shows on a terminal within a run that is interrupted after a second.
static char *on_terminal(bool colour, const char *option) {
  write_text(scratch("endless.yaml"), endless);
  int master;
  pid_t child = forkpty(&master, NULL, NULL, &(struct winsize){.ws_row = 24, .ws_col = 120});
  if (child == 0) {
    setenv("TERM", "xterm", 1);
    if (colour) unsetenv("NO_COLOR");
    else setenv("NO_COLOR", "1", 1);
    if (chdir(check_scratch_dir()) != 0) _exit(99);
    execl(TOOL, "carom", "run", "endless.yaml", "--no-record", option, (char *)NULL);
    _exit(99);
  }
  nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
  kill(child, SIGINT);
  char *text = calloc(1, 1 << 16);
  size_t used = 0;
  for (ssize_t n; used < (1 << 16) - 1 && (n = read(master, text + used, (1 << 16) - 1 - used)) > 0;) used += (size_t)n;
  close(master);
  int status;
  waitpid(child, &status, 0);
  CHECK_EQUAL(exit_code(status), 130);
  return text;
}

// The ball's first two bounces under three methods: impacts of all match, JSON and a page are written, and a run that
// fails is told and compared as far as it came. Moreau's method has no step here, and the stop has no stiffness: each
// is skipped with its reason.
static void a_method_that_cannot_run_is_skipped(void) {
  write_text(scratch("stop.yaml"),
             "space: planar\n"
             "gravity: [0, 0]\n"
             "bodies: {base: {mass: 1}, m: {mass: 1}}\n"
             "joints:\n"
             "  base: {prismatic: [ground, base], axis: x}\n"
             "  slide: {prismatic: [base, m], axis: x, limits: [-1 m, 2 mm], material: stop}\n"
             "materials: {stop: {restitution: 0.7}}\n"
             "forces: {k: {along: slide, stiffness: 1600, damping: 2}}\n"
             "drives: {shaker: {joint: base, motion: 1 mm*sin(50 rad/s*t)}}\n"
             "method: event\n"
             "record: {every: 1 ms}\n"
             "end: 1 s\n");
  CHECK_EQUAL(carom("compare stop.yaml"), 2);
  CHECK_CONTAINS(err, "skipped moreau: ");
  CHECK_CONTAINS(err, "skipped compliant: ");
  CHECK_CONTAINS(err, "only event can run this model");
  CHECK_EQUAL(carom("compare stop.yaml --set method.moreau.step=1e-4 -o fine"), 0);
  CHECK_CONTAINS(err, "skipped compliant: ");
  CHECK_CONTAINS(out, "skipped compliant: ");
  CHECK_CONTAINS(last_line(out), "moreau and event agree until t = 1 s");
  char *json = read_file(scratch("fine.json"), NULL);
  CHECK_CONTAINS(json, "{\"maker\": \"carom ");
  CHECK_CONTAINS(json, "\"agree\": true");
  CHECK_CONTAINS(json, "\"skipped\": [{\"method\": \"stewart-trinkle\", \"reason\": \"'step' is missing");
  CHECK_CONTAINS(json, "{\"method\": \"compliant\", \"reason\"");
  free(json);
  CHECK_EQUAL(carom("compare stop.yaml --set method.moreau.step=2e-2 -o coarse.json"), 0);
  CHECK(exists("coarse.json") && exists("coarse-event.h5") && !exists("coarse.json.json"));
  CHECK_CONTAINS(last_line(out), "event differs from moreau from t = ");
  CHECK_CONTAINS(out, "first in slide.q");
  // what is wrong with the model is no matter of the method
  write_text(scratch("wrong.yaml"), "bodies: {bob: {mass: -2}}\n");
  CHECK_EQUAL(carom("compare wrong.yaml --set method.moreau.step=1e-3"), 2);
  CHECK_CONTAINS(err, "wrong.yaml:1:");
  CHECK(!strstr(err, "skipped"));
}

static void methods_are_compared(void) {
  const char *model = CHECK_SOURCE_DIR "/models/bouncing-ball.yaml";
  // stiff, and with the restitution that was asked for: an impact of 0.1 ms, where impacts match within 15
  CHECK_EQUAL(
      carom("compare %s --end 1.5 --method event,moreau,compliant --report page.html --set materials.rubber.law=flores "
            "--set materials.rubber.stiffness=1e9 --set materials.rubber.restitution_is=achieved",
            model),
      0);
  CHECK_CONTAINS(out, "differences from event");
  CHECK_CONTAINS(out, "2 matched, 0 of event alone, 0 of moreau alone");
  CHECK_CONTAINS(out, "2 matched, 0 of event alone, 0 of compliant alone");
  char *json = read_file(scratch("bouncing-ball.json"), NULL), *page = read_file(scratch("page.html"), NULL);
  CHECK_CONTAINS(json, "\"second\": \"compliant\"");
  CHECK_CONTAINS(page, "carom-run");
  free(json);
  free(page);
  CHECK_EQUAL(carom("compare %s --end 1.5 --method moreau,event --json -o both", model), 0);
  CHECK_CONTAINS(out, "\"impulse_max\"");
  CHECK_EQUAL(carom("compare %s --method moreau", model), 2);
  CHECK_CONTAINS(err, "at least two methods");
  CHECK_EQUAL(carom("compare %s --method moreau,moreau", model), 2);
  CHECK_EQUAL(carom("compare %s --method moreau,nonsense", model), 2);
  CHECK_CONTAINS(err, "nonsense");
  // a fixed step that lands deep in the floor, far through a light ball
  CHECK_EQUAL(carom("compare %s --end 1.5 --method event,compliant --set method.compliant.entry=none "
                    "--set 'integrator={type: rk4, step: 0.03}'",
                    model),
              2);
  CHECK_CONTAINS(err, "rk4");
}

static void a_terminal_sees_progress(void) {
  char *shown = on_terminal(true, NULL);
  CHECK_CONTAINS(shown, "of 1e+06 s");
  CHECK_CONTAINS(shown, "left");
  CHECK_CONTAINS(shown, "\033[1m");
  free(shown);
  shown = on_terminal(false, NULL);
  CHECK_CONTAINS(shown, "of 1e+06 s");
  CHECK(!strstr(shown, "\033[1m") && !strstr(shown, "\033[0m"));
  free(shown);
  shown = on_terminal(true, "--quiet");
  CHECK(!strstr(shown, "left"));
  free(shown);
}

// --- reports ---------------------------------------------------------------------------------------------------------

static void reports_are_written(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml -q -o runs.h5"), 0);
  CHECK_EQUAL(carom("report runs.h5"), 0);
  CHECK_TEXT(out, "runs.html\n");
  CHECK_TEXT(err, "");
  char *page = read_file(scratch("runs.html"), NULL);
  CHECK_CONTAINS(page, "id=\"carom-run\"");
  CHECK_CONTAINS(page, "A pendulum of our own");
  CHECK(!strstr(page, "<!--carom-data-->") && !strstr(page, "<!--carom-blobs-->"));
  free(page);
  CHECK_EQUAL(carom("report runs.h5 runs.h5 -o two.html"), 0);
  CHECK(exists("two.html"));
  CHECK_EQUAL(carom("run swing.yaml -q -o again.h5 --report again.html"), 0);
  CHECK(exists("again.html"));
  CHECK_TEXT(out, "");
  CHECK_EQUAL(carom("run swing.yaml -o again.h5 --report again.html"), 0);
  CHECK_CONTAINS(out, "open again.html in a browser");
}

static void reports_that_cannot_be_are_refused(void) {
  write_text(scratch("swing.yaml"), pendulum);
  CHECK_EQUAL(carom("run swing.yaml -q -o keep.h5"), 0);
  CHECK_EQUAL(carom("report"), 2);
  CHECK_CONTAINS(err, "carom report needs RUN");
  CHECK_EQUAL(carom("report keep.h5 -o keep.h5"), 2);
  CHECK_CONTAINS(err, "would overwrite");
  CHECK_EQUAL(carom("report keep.h5 nothing.h5"), 3);
  CHECK_CONTAINS(err, "nothing.h5");
  CHECK_EQUAL(carom("report swing.yaml"), 3);
  CHECK_EQUAL(carom("report keep.h5 -o nowhere/x.html"), 3);
  CHECK_EQUAL(carom("report keep.h5 --to pdf"), 2);
  CHECK_EQUAL(carom("run swing.yaml -q --no-record --report x.html"), 2);
  CHECK_EQUAL(carom("run swing.yaml -q -o x.html --report x.html"), 2);
  CHECK_EQUAL(carom("run swing.yaml -q --report swing.yaml"), 2);
  CHECK_EQUAL(carom("export keep.h5 --tables"), 0);  // it has survived all this
}

int main(void) {
  if (access(TOOL, X_OK) != 0) {
    printf("%s is not there\n", TOOL);
    return 1;
  }
  RUN(version_and_help_are_results);
  RUN(mistakes_on_the_command_line_exit_with_2);
  RUN(man_page_and_completion_know_every_option);
  RUN(reports_are_written);
  RUN(reports_that_cannot_be_are_refused);
  RUN(run_records_and_summarises);
  RUN(streams_are_kept_apart);
  RUN(settings_change_the_model);
  RUN(checks_name_the_cause);
  RUN(warnings_fail_a_strict_run);
  RUN(a_wrong_model_exits_with_2);
  RUN(a_failed_run_is_kept);
  RUN(file_trouble_exits_with_3);
  RUN(nothing_that_is_read_is_overwritten);
  RUN(a_full_disk_loses_nothing_written);
  RUN(signals_end_a_run_in_order);
  RUN(a_killed_run_is_readable);
  RUN(resuming_a_one_step_run_is_exact);
  RUN(resuming_a_multistep_run_is_told);
  RUN(only_the_same_model_is_resumed);
  RUN(check_tells_what_a_model_is);
  RUN(check_finds_redundant_constraints);
  RUN(check_lists_controllers);
  RUN(lists_name_what_there_is);
  RUN(laws_are_told_and_drawn);
  RUN(examples_are_the_models);
  RUN(the_reference_page_is_up_to_date);
  RUN(export_gives_back_what_was_recorded);
  RUN(a_damaged_record_is_told);
  RUN(methods_are_compared);
  RUN(a_method_that_cannot_run_is_skipped);
  RUN(a_terminal_sees_progress);
  forget_output();
  return check_summary();
}
