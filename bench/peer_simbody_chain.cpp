// The chain of bench_chain.c in Simbody.
#include <Simbody.h>

#include <cstdio>

extern "C" {
#include "chain.h"
#include "clock.h"
}

using namespace SimTK;

struct Task {
  MultibodySystem *system;
  State *state;
};

static void evaluate(void *context) {
  Task *t = static_cast<Task *>(context);
  t->state->updQ()[0] += 1e-12;  // touching a coordinate makes it compute anew
  t->system->realize(*t->state, Stage::Acceleration);
}

int main() {
  for (int k = 0; k < CHAIN_COUNT; k++) {
    int n = chain_lengths[k];
    MultibodySystem system;
    SimbodyMatterSubsystem matter(system);
    GeneralForceSubsystem forces(system);
    Force::Gravity gravity(forces, matter, Vec3(0, 0, -9.81));
    Inertia central(1e-4, 1e-4, 1e-5);
    Body::Rigid link(MassProperties(0.1, Vec3(0, 0, -0.05), central.shiftFromMassCenter(Vec3(0, 0, 0.05), 0.1)));
    Rotation about_y(-Pi / 2, XAxis);  // a pin turns about z
    MobilizedBody parent = matter.Ground();
    for (int i = 0; i < n; i++) {
      MobilizedBody::Pin pin(parent, Transform(about_y, Vec3(0, 0, i ? -0.1 : 0)), link, Transform(about_y));
      parent = pin;
    }
    State state = system.realizeTopology();
    system.realizeModel(state);
    for (int i = 0; i < n; i++) state.updQ()[i] = chain_angle(i), state.updU()[i] = chain_speed(i);
    system.realize(state, Stage::Acceleration);
    Task task = {&system, &state};
    double seconds = clock_median(evaluate, &task, 0.1);
    std::printf("Simbody n=%d forward dynamics %.3f us (first acceleration %.6g)", n, 1e6 * seconds,
                (double)state.getUDot()[0]);
    if (chain_time(n) > 0)
      std::printf(": %.1f times carom's%s", seconds / chain_time(n), n >= 32 ? " (at least 4 wanted)" : "");
    std::printf("\n");
  }
}
