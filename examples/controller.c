// A controller for a robot, in C: binds a function to a model from a file, steps it, records the motion and writes the
// report.
//   gcc controller.c -o controller $(pkg-config --cflags --libs carom) -lm && ./controller arm.yaml arm.h5 arm.html
#include <carom/carom.h>
#include <math.h>
#include <stdio.h>

// A PID loop. The sum is its memory, which goes with the state of the simulation by the functions `save` and `restore`.
typedef struct pid {
  double kp, ki, kd;
  double sum;  // of errors [rad s]
} pid;

static bool control(void *context, double t, const double *inputs, double *outputs) {
  pid *c = context;
  double error = inputs[0], q = inputs[1], u = inputs[2], weight = 2 * 9.81 * 0.3 * cos(q);
  (void)t;
  c->sum += 1e-3 * error;
  outputs[0] = weight + c->kp * error + c->ki * c->sum - c->kd * u;
  return true;  // false ends the run, and so does an output that is not finite
}

static void save(void *context, double *memory) { memory[0] = ((pid *)context)->sum; }
static void restore(void *context, const double *memory) { ((pid *)context)->sum = memory[0]; }

// Steps to the end, and looks for the largest error on the way.
static carom_status follow(carom_sim *sim, int signal, double end, double *largest, carom_error *trouble) {
  carom_status status = CAROM_OK;
  while (status == CAROM_OK && carom_sim_time(sim) < end) {
    status = carom_sim_step(sim, end, trouble);
    *largest = fmax(*largest, fabs(carom_sim_read(sim, signal)));
  }
  return status;
}

int main(int argc, char **argv) {
  if (argc != 4) return fprintf(stderr, "usage: controller MODEL RECORD REPORT\n"), 2;
  carom_error trouble = {0};
  carom_model *model = carom_model_load(argv[1], NULL, 0, &trouble);
  carom_sim *sim = model ? carom_sim_create(model, &trouble) : NULL;
  pid loop = {.kp = 90, .ki = 200, .kd = 9};
  carom_callback c = {.call = control, .context = &loop, .memory_count = 1, .save = save, .restore = restore};
  carom_record_options to = {.record = argv[2]};
  double largest = 0;
  bool done =
      sim && carom_sim_bind(sim, "controller", &c, &trouble) == CAROM_OK &&
      carom_sim_record(sim, &to, &trouble) == CAROM_OK &&
      follow(sim, carom_model_signal(model, "error"), carom_model_get_info(model).end, &largest, &trouble) == CAROM_OK;

  // Once more from here, without the record: the state with all that belongs to it can be kept and put back.
  carom_summary summary;
  done = done && carom_sim_end_record(sim, &summary, &trouble) == CAROM_OK;
  carom_snapshot *there = done ? carom_sim_save(sim, &trouble) : NULL;
  double rest[2] = {0};
  for (int k = 0; k < 2 && there && done; k++) {
    loop.kp = k ? 30 : 90;
    done = carom_sim_restore(sim, there, &trouble) == CAROM_OK && carom_sim_advance(sim, 2.5, &trouble) == CAROM_OK;
    rest[k] = carom_sim_read(sim, carom_model_signal(model, "error"));
  }

  done = done && there && carom_report((const char *[]){argv[2]}, 1, NULL, argv[3], &trouble) == CAROM_OK;
  if (done)
    printf("%ld steps, largest error %.4f rad; half a second later %.1e rad, with a softer loop %.1e rad\n",
           summary.steps, largest, rest[0], rest[1]);
  else fprintf(stderr, "%s\n", trouble.text);
  carom_snapshot_destroy(there);
  carom_sim_destroy(sim);
  carom_model_destroy(model);
  return !done;
}
