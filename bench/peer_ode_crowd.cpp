// The scenes of bench_crowd.c in ODE, by its iterative and its direct stepper.
#include <ode/ode.h>
#include <cstdlib>
#include <vector>

extern "C" {
#include "clock.h"
}
#include "crowd.h"

struct scene {
  dWorldID world = dWorldCreate();
  dSpaceID space = dHashSpaceCreate(nullptr);
  dJointGroupID contacts = dJointGroupCreate(0);
  std::vector<dBodyID> bodies;
};

static void touch(void *data, dGeomID a, dGeomID b) {
  scene *s = static_cast<scene *>(data);
  if (!dGeomGetBody(a) && !dGeomGetBody(b)) return;
  dContact found[8];
  const int count = dCollide(a, b, 8, &found[0].geom, sizeof *found);
  for (int i = 0; i < count; i++) {
    found[i].surface.mode = dContactApprox1;
    found[i].surface.mu = CROWD_FRICTION;
    dJointAttach(dJointCreateContact(s->world, s->contacts, &found[i]), dGeomGetBody(a), dGeomGetBody(b));
  }
}

static void add(scene &s, dGeomID geometry, const dMass &mass, double x, double y, double z) {
  dBodyID body = dBodyCreate(s.world);
  dBodySetMass(body, &mass);
  dBodySetPosition(body, x, y, z);
  dGeomSetBody(geometry, body);
  s.bodies.push_back(body);
}

static double run(scene &s, int steps, int (*step)(dWorldID, dReal)) {
  const double began = clock_now();
  for (int k = 0; k < steps; k++) {
    dSpaceCollide(s.space, &s, touch);
    step(s.world, CROWD_STEP);
    dJointGroupEmpty(s.contacts);
  }
  return clock_now() - began;
}

static void drop(int count, double end) {
  scene s;
  dWorldSetGravity(s.world, 0, 0, -9.81);
  dCreatePlane(s.space, 0, 0, 1, 0);
  for (int side = -1; side <= 1; side += 2) dCreatePlane(s.space, side, 0, 0, -CROWD_WALL), dCreatePlane(s.space, 0, side, 0, -CROWD_WALL);
  dMass mass;
  dMassSetSphere(&mass, CROWD_DENSITY, CROWD_RADIUS);
  for (int i = 0; i < count; i++) {
    double at[3];
    crowd_start(i, at);
    add(s, dCreateSphere(s.space, CROWD_RADIUS), mass, at[0], at[1], at[2]);
  }
  const int steps = static_cast<int>(lround(end / CROWD_STEP));
  const double began = clock_processor(), seconds = run(s, steps, dWorldQuickStep);
  const double processor = clock_processor() - began;
  double(*at)[3] = static_cast<double(*)[3]>(malloc(static_cast<size_t>(count) * sizeof *at));
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) at[i][k] = dBodyGetPosition(s.bodies[static_cast<size_t>(i)])[k];
  crowd_print_spheres("ODE quickstep", at, count, steps, seconds);
  printf("%-26s %.1f steps per second of processor time\n", "", steps / processor);
  free(at);
}

static void stand(double end, const char *who, int (*step)(dWorldID, dReal)) {
  scene s;
  dWorldSetGravity(s.world, 0, 0, -9.81);
  dCreatePlane(s.space, 0, 0, 1, 0);
  dMass mass;
  dMassSetBox(&mass, CROWD_DENSITY, CROWD_SIDE, CROWD_SIDE, CROWD_SIDE);
  for (int i = 0; i < CROWD_BOXES; i++) add(s, dCreateBox(s.space, CROWD_SIDE, CROWD_SIDE, CROWD_SIDE), mass, 0, 0, (i + 0.5) * CROWD_SIDE);
  const int steps = static_cast<int>(lround(end / CROWD_STEP));
  const double seconds = run(s, steps, step);
  const dReal *top = dBodyGetPosition(s.bodies.back());
  const double at[3] = {top[0], top[1], top[2]};
  crowd_print_stack(who, at, steps, seconds);
}

int main(int argc, char **argv) {
  dInitODE2(0);
  drop(argc > 1 ? atoi(argv[1]) : CROWD_SPHERES, argc > 2 ? atof(argv[2]) : 1);
  stand(2, "ODE quickstep", dWorldQuickStep);
  stand(2, "ODE step", dWorldStep);
}
