#include "hand_ball.h"

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdbool.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

typedef struct fall {
  const hand_ball *b;
  bool pressed;
  long evaluations;
} fall;

// y = (gap, speed). Pressed, the law is continued as an odd function past the end of contact, until that end is found.
static int rates(realtype t, N_Vector y, N_Vector ydot, void *context) {
  (void)t;
  fall *f = context;
  double gap = NV_DATA_S(y)[0], force = f->pressed ? -copysign(f->b->stiffness * fabs(gap) * sqrt(fabs(gap)), gap) : 0;
  f->evaluations++;
  NV_DATA_S(ydot)[0] = NV_DATA_S(y)[1];
  NV_DATA_S(ydot)[1] = force / f->b->mass - f->b->gravity;
  return 0;
}

static int touching(realtype t, N_Vector y, realtype *g, void *context) {
  (void)t, (void)context;
  g[0] = NV_DATA_S(y)[0];
  return 0;
}

static bool advance(void *cvode, fall *f, N_Vector y, double t_end, hand_ball_run *run) {
  double t = 0;
  long steps = 0;
  CVodeSetStopTime(cvode, t_end);
  while (t < t_end) {
    int flag = CVode(cvode, t_end, y, &t, CV_NORMAL);
    if (flag < 0) return false;
    if (flag != CV_ROOT_RETURN) continue;
    f->pressed = !f->pressed;
    run->bounces += !f->pressed;
    CVodeGetNumSteps(cvode, &steps);
    run->steps += steps;
    if (CVodeReInit(cvode, t, y)) return false;
  }
  CVodeGetNumSteps(cvode, &steps);
  run->steps += steps;
  run->gap = NV_DATA_S(y)[0], run->speed = NV_DATA_S(y)[1];
  run->evaluations = f->evaluations;
  return true;
}

int hand_ball_fall(const hand_ball *b, double t_end, hand_ball_run *run) {
  fall f = {.b = b};
  double start[2] = {b->gap, 0};
  *run = (hand_ball_run){0};
  SUNContext context = NULL;
  if (SUNContext_Create(NULL, &context)) return false;
  N_Vector y = N_VMake_Serial(2, start, context);
  void *cvode = CVodeCreate(CV_ADAMS, context);
  SUNNonlinearSolver iteration = SUNNonlinSol_FixedPoint(y, 0, context);
  bool done = !CVodeInit(cvode, rates, 0, y) && !CVodeSStolerances(cvode, b->rtol, b->atol) &&
              !CVodeSetUserData(cvode, &f) && !CVodeSetNonlinearSolver(cvode, iteration) &&
              !CVodeRootInit(cvode, 1, touching) && !CVodeSetMaxNumSteps(cvode, -1) &&
              advance(cvode, &f, y, t_end, run);
  CVodeFree(&cvode);
  SUNNonlinSolFree(iteration);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return done;
}
