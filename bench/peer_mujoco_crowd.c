// The scenes of bench_crowd.c in MuJoCo, with soft contacts and Newton's solver as by default, and cones of friction,
// which need fewer rows than pyramids: its memory is the product of rows and speeds, and has room for no more than 2^31
// bytes.
#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "crowd.h"

static void begin(FILE *f, int contacts, int stack) {
  fprintf(f, "<mujoco><size njmax='%d' nconmax='%d' nstack='%d'/><option timestep='%g' cone='elliptic'/>\n",
          3 * contacts, contacts, stack, CROWD_STEP);
  fprintf(f, "<default><geom density='%g' friction='%g'/></default><worldbody>\n", CROWD_DENSITY, CROWD_FRICTION);
  fprintf(f, "<geom type='plane' size='5 5 1'/>\n");
}

static void write_spheres(FILE *f, int count) {
  static const char *const walls[] = {"1 0 0", "-1 0 0", "0 1 0", "0 -1 0"};
  static const char *const places[] = {"-0.6 0 0", "0.6 0 0", "0 -0.6 0", "0 0.6 0"};
  begin(f, 5 * count / 2, 60000 * count);  // the most contacts, and the numbers on MuJoCo's stack
  for (int i = 0; i < 4; i++)
    fprintf(f, "<geom type='plane' size='5 5 1' pos='%s' zaxis='%s'/>\n", places[i], walls[i]);
  for (int i = 0; i < count; i++) {
    double at[3];
    crowd_start(i, at);
    fprintf(f, "<body pos='%.17g %.17g %.17g'><freejoint/><geom size='%g'/></body>\n", at[0], at[1], at[2],
            CROWD_RADIUS);
  }
  fprintf(f, "</worldbody></mujoco>\n");
}

static void write_stack(FILE *f) {
  begin(f, 1000, 10000000);
  for (int i = 0; i < CROWD_BOXES; i++)
    fprintf(f, "<body pos='0 0 %.17g'><freejoint/><geom type='box' size='%g %g %g'/></body>\n", (i + 0.5) * CROWD_SIDE,
            CROWD_SIDE / 2, CROWD_SIDE / 2, CROWD_SIDE / 2);
  fprintf(f, "</worldbody></mujoco>\n");
}

// `count` spheres, or the stack if it is 0. Fewer steps than asked for if they take longer than two minutes.
static void measure(int count, double end) {
  char path[] = "/tmp/carom-bench-XXXXXX", message[1000] = "the file cannot be written";
  const int file = mkstemp(path);
  FILE *f = file < 0 ? NULL : fdopen(file, "w");
  if (f) {
    if (count) write_spheres(f, count);
    else write_stack(f);
    fclose(f);
  }
  mjModel *model = f ? mj_loadXML(path, NULL, message, sizeof message) : NULL;
  unlink(path);
  if (!model) {
    printf("MuJoCo: %s\n", message);
    return;
  }
  mjData *data = mj_makeData(model);
  const int steps = (int)lround(end / CROWD_STEP);
  const double began = clock_now();
  int k = 0;
  for (; k < steps && clock_now() - began < 120; k++) mj_step(model, data);
  const double seconds = clock_now() - began;
  const double(*at)[3] = (const double(*)[3])(data->xpos + 3);  // behind the world
  if (count) crowd_print_spheres("MuJoCo", at, count, k, seconds);
  else crowd_print_stack("MuJoCo", at[CROWD_BOXES - 1], k, seconds);
  mj_deleteData(data);
  mj_deleteModel(model);
}

int main(int argc, char **argv) {
  measure(argc > 1 ? atoi(argv[1]) : CROWD_SPHERES, argc > 2 ? atof(argv[2]) : 1);
  measure(0, 2);
  return 0;
}
