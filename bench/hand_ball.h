// A ball that falls on a flat floor and bounces by Hertz's law, programmed by hand for it alone on CVODE: height and
// velocity, CVODE's own root finding where it touches and parts, a new start there. It is the limit the engine's scheme
// `compliant` is measured against.
#ifndef BENCH_HAND_BALL_H
#define BENCH_HAND_BALL_H

typedef struct hand_ball {
  double mass, gravity;  // [kg], [m/s²]
  double stiffness;      // K of K δ^1.5 [N/m^1.5]
  double gap;            // at the start, at rest [m]
  double rtol, atol;
} hand_ball;

typedef struct hand_ball_run {
  double gap, speed;  // at the end [m], [m/s]
  long bounces, steps, evaluations;
} hand_ball_run;

// Until t_end; false: CVODE failed.
int hand_ball_fall(const hand_ball *b, double t_end, hand_ball_run *run);

#endif
