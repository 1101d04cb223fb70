// Long forms of tests, for `make campaign`. With CAROM_LONG_RUNS set in the environment a program runs what it lists by
// RUN_LONG, each with a limit of processor time, and nothing else.
//
//   RUN(stack_rests); RUN_LONG(stack_rests, 60);   // 60 s at most; inside the test: run_to(&r, long_form() ? 60 : 1)
//
// Apart from check.h, because <signal.h> declares a function with the name of a type of the library.
#ifndef CAROM_TESTS_LONG_H
#define CAROM_TESTS_LONG_H

#include "check.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

// The long form runs in a process of its own, which is ended after so many seconds of processor time. The others then
// still run.
static void check_run_long(const char *name, void (*test)(void), unsigned seconds) {
  if (!long_form()) return;
  setvbuf(stdout, NULL, _IOLBF, 0);  // so that a run that is ended leaves what it measured
  printf("  %s, at most %u s of processor time\n", name, seconds);
  fflush(stdout);
  check_scratch_dir();  // here, because the one who makes it removes it
  const pid_t child = fork();
  if (child == 0) {
    check_state.failures_here = 0;
    setrlimit(RLIMIT_CPU, &(struct rlimit){seconds, seconds + 1});
    test();
    fflush(stdout);
    _exit(check_state.failures_here > 0);
  }
  int status = 0;
  const bool ended = child > 0 && waitpid(child, &status, 0) == child;
  const bool passed = ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!ended) printf("    failed: no process could be started\n");
  else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    printf("    failed: does not end within %u s of processor time\n", seconds);
  else if (WIFSIGNALED(status)) printf("    failed: dies of signal %d\n", WTERMSIG(status));
  ++*(passed ? &check_state.passed : &check_state.failed);
  fflush(stdout);
}

#define RUN_LONG(test, seconds) check_run_long(#test, test, seconds)

#endif
