// The chain of bench_chain.c in MuJoCo.
#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "chain.h"
#include "clock.h"

// The XML reader refuses nesting beyond a hundred elements or so: a chain is written as files that include each other.
enum { LINKS_A_FILE = 60, PATH_SIZE = 64 };

static void part_path(const char *folder, int k, char path[PATH_SIZE]) {
  snprintf(path, PATH_SIZE, "%s/part%d.xml", folder, k);
}

static bool write_part(const char *folder, int k, int n) {
  char path[PATH_SIZE];
  part_path(folder, k, path);
  FILE *f = fopen(path, "w");
  if (!f) return false;
  int first = k * LINKS_A_FILE, last = first + LINKS_A_FILE < n ? first + LINKS_A_FILE : n;
  if (k == 0)
    fprintf(f,
            "<mujoco><size nstack='%d'/><option timestep='1e-4' integrator='Euler'><flag contact='disable'/></option>"
            "<compiler angle='radian'/><worldbody>\n",
            n < 600 ? -1 : 60000000);
  else fprintf(f, "<mujocoinclude>\n");
  for (int i = first; i < last; i++)
    fprintf(f,
            "<body pos='0 0 %g'><joint type='hinge' axis='0 1 0'/>"
            "<inertial pos='0 0 -0.05' mass='0.1' diaginertia='1e-4 1e-4 1e-5'/>\n",
            i ? -0.1 : 0.0);
  if (last < n) fprintf(f, "<include file='part%d.xml'/>\n", k + 1);
  for (int i = first; i < last; i++) fprintf(f, "</body>");
  fprintf(f, k ? "</mujocoinclude>\n" : "</worldbody></mujoco>\n");
  return fclose(f) == 0;
}

static mjModel *build(int n) {
  char folder[] = "/tmp/carom-bench-XXXXXX", path[PATH_SIZE], message[1000] = "the files cannot be written";
  int files = (n + LINKS_A_FILE - 1) / LINKS_A_FILE;
  bool written = mkdtemp(folder) != NULL;
  for (int k = 0; k < files && written; k++) written = write_part(folder, k, n);
  part_path(folder, 0, path);
  mjModel *m = written ? mj_loadXML(path, NULL, message, sizeof message) : NULL;
  if (!m) printf("MuJoCo n=%d: %s\n", n, message);
  for (int k = 0; k < files; k++) part_path(folder, k, path), unlink(path);
  rmdir(folder);
  return m;
}

typedef struct task {
  const mjModel *m;
  mjData *d;
} task;

static void forward(void *context) {
  task *t = context;
  mj_forward(t->m, t->d);
}

static void step(void *context) {
  task *t = context;
  mj_step(t->m, t->d);
}

static void set_start(const mjModel *m, mjData *d, int n) {
  mj_resetData(m, d);
  for (int i = 0; i < n; i++) d->qpos[i] = chain_angle(i), d->qvel[i] = chain_speed(i);
  mj_forward(m, d);
}

int main(void) {
  for (int k = 0; k < CHAIN_COUNT && chain_lengths[k] <= 512; k++) {
    int n = chain_lengths[k];
    mjModel *m = build(n);
    if (!m) continue;
    task t = {m, mj_makeData(m)};
    set_start(m, t.d, n);
    double f = clock_median(forward, &t, 0.1);
    set_start(m, t.d, n);
    double s = clock_median(step, &t, 0.05);
    printf("MuJoCo n=%d forward %.3f us, step %.3f us", n, 1e6 * f, 1e6 * s);
    if (chain_time(n) > 0)
      printf(": a step is %.1f times carom's forward dynamics%s", s / chain_time(n),
             n == 6 ? " (at least 1 wanted)" : "");
    printf("\n");
    mj_deleteData(t.d);
    mj_deleteModel(m);
  }
  return 0;
}
