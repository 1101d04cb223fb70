// Jobs of Open MPI that run the tool in the scratch folder.
//
// The launcher of Open MPI 4.1 sometimes never ends although all processes of its job have ended: two of its threads
// wait for each other in PMIx_server_finalize. It is ended then, which is said, and its exit code is not known.
#ifndef CAROM_TESTS_MPI_JOB_H
#define CAROM_TESTS_MPI_JOB_H

#include "tool.h"

#include <signal.h>
#include <time.h>

enum { LAUNCHER_HUNG = -1, JOB_HUNG = -2 };

CHECK_UNUSED_OK static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Starts a line of the shell in the scratch folder as the leader of a group of its own.
CHECK_UNUSED_OK static pid_t start(const char *line) {
  fflush(stdout);
  const pid_t child = fork();
  if (child) return child;
  setpgid(0, 0);
  if (chdir(check_scratch_dir()) != 0) _exit(127);
  execl("/bin/sh", "sh", "-c", line, (char *)NULL);
  _exit(127);
}

// Whether a process ends within so many seconds; its status then.
CHECK_UNUSED_OK static bool ends_within(pid_t child, double seconds, int *status) {
  for (const double began = seconds_now(); seconds_now() - began < seconds; usleep(10000))
    if (waitpid(child, status, WNOHANG) == child) return true;
  return false;
}

typedef struct mpi_job {
  pid_t launcher;
  int ranks;
} mpi_job;

// Each process leaves its number in a file pid.RANK, so that it can be killed. Its output goes to stdout and stderr.
CHECK_UNUSED_OK static mpi_job mpi_start(int ranks, const char *words) {
  char line[4000];
  snprintf(line, sizeof line,
           "rm -f pid.*; export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; exec mpirun --oversubscribe "
           "-n %d sh -c 'echo $$ > pid.$OMPI_COMM_WORLD_RANK; exec " TOOL " \"$@\"' sh %s >stdout 2>stderr",
           ranks, words);
  return (mpi_job){start(line), ranks};
}

// 0 if it has not begun.
CHECK_UNUSED_OK static pid_t mpi_process(int rank) {
  char name[32];
  snprintf(name, sizeof name, "pid.%d", rank);
  char *text = read_file(scratch(name), NULL);
  const pid_t process = text ? (pid_t)atol(text) : 0;
  free(text);
  return process;
}

CHECK_UNUSED_OK static bool mpi_runs(const mpi_job *job) {
  for (int k = 0; k < job->ranks; k++) {
    const pid_t process = mpi_process(k);
    if (process == 0 || kill(process, 0) == 0) return true;
  }
  return false;
}

// The exit code of a job; JOB_HUNG, a failed check, if one of its processes goes on for longer than so many seconds.
CHECK_UNUSED_OK static int mpi_wait(const mpi_job *job, double seconds) {
  int status = 0;
  const double began = seconds_now();
  for (double ended = 0; ended == 0 || seconds_now() - ended < 10;) {
    if (ends_within(job->launcher, 0.1, &status)) return exit_code(status);
    if (ended == 0 && !mpi_runs(job)) ended = seconds_now();
    if (ended == 0 && !CHECK(seconds_now() - began < seconds)) break;
  }
  const bool hung = mpi_runs(job);
  if (!hung) printf("      the launcher of MPI did not end by itself\n");
  for (int k = 0; k < job->ranks; k++)
    if (hung && mpi_process(k) > 0) kill(mpi_process(k), SIGKILL);
  kill(-job->launcher, SIGKILL);
  waitpid(job->launcher, &status, 0);
  return hung ? JOB_HUNG : LAUNCHER_HUNG;
}

#endif
