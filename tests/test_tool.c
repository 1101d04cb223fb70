// The command line as its users see it: exit codes, what goes to which stream, what is on disk afterwards.
#include "tool.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "carom/carom.h"

// Something that takes long enough to be interrupted.
static const char endless[] =
    "space: planar\n"
    "bodies: {bob: {mass: 2, inertia: 0.1, com: [0, -1]}}\n"
    "joints: {pin: {revolute: [ground, bob]}}\n"
    "initial: {pin: {q: 1}}\n"
    "integrator: {type: rk4, step: 1e-4}\n"
    "end: 1e6 s\n";

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
      {"export a.h5 --to parquet", "there are csv, mat, gltf and vtk"},
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
  static const char *const commands[] = {"run",     "check",     "export",   "solve",       "list",  "laws",
                                         "example", "reference", "help",     "bifurcation", "sweep", "compare",
                                         "report",  "identify",  "optimise", "equilibrium", "modes"};
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
  CHECK(printed_number("t") == 0.05);  // the end is met exactly
  CHECK(printed_number("steps") > 3);
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
  CHECK_EQUAL(printed_number("initial"), 1);
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
  double t = printed_number("t");
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
    double t = printed_number("t"), steps = printed_number("steps");
    CHECK_NEAR(t, 1e-4 * steps, 1e-8 * t);  // the summary has nine digits
    CHECK_EQUAL(carom("export cut.h5 --table joints"), 0);
    CHECK_EQUAL(count_lines(out), 2 + (long)steps);  // header, start, every step
    CHECK_EQUAL(carom("run endless.yaml --resume cut.h5 --end %.17g --json", t + 1), 0);
    CHECK_NEAR(printed_number("steps"), steps + 10000, 1.5);  // the last step may be cut in two by rounding
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
  CHECK_EQUAL(printed_number("restart"), 0);
  CHECK_EQUAL(printed_number("steps"), 128);
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

int main(void) {
  if (!tool_is_there()) return 1;
  RUN(version_and_help_are_results);
  RUN(mistakes_on_the_command_line_exit_with_2);
  RUN(man_page_and_completion_know_every_option);
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
  RUN(a_terminal_sees_progress);
  forget_output();
  return check_summary();
}
