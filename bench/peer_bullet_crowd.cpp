// The scenes of bench_crowd.c in Bullet.
#include <btBulletDynamicsCommon.h>
#include <cstdlib>
#include <memory>
#include <vector>

extern "C" {
#include "clock.h"
}
#include "crowd.h"

struct scene {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broad, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btDefaultMotionState>> places;
  std::vector<std::unique_ptr<btRigidBody>> bodies;

  scene() { world.setGravity(btVector3(0, 0, -9.81)); }
  ~scene() {
    for (auto &body : bodies) world.removeRigidBody(body.get());
  }
  btCollisionShape *shape(btCollisionShape *one) {
    shapes.emplace_back(one);
    return one;
  }
  btRigidBody *add(btCollisionShape *form, double mass, const btVector3 &at) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) form->calculateLocalInertia(mass, inertia);
    places.emplace_back(new btDefaultMotionState(btTransform(btQuaternion::getIdentity(), at)));
    btRigidBody::btRigidBodyConstructionInfo info(mass, places.back().get(), form, inertia);
    info.m_friction = sqrt(CROWD_FRICTION);  // it multiplies the values of both bodies
    bodies.emplace_back(new btRigidBody(info));
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);  // no body is put to sleep
    world.addRigidBody(bodies.back().get());
    return bodies.back().get();
  }
  double run(int steps) {
    const double began = clock_now();
    for (int k = 0; k < steps; k++) world.stepSimulation(CROWD_STEP, 0);
    return clock_now() - began;
  }
};

static void drop(int count, double end) {
  scene s;
  s.add(s.shape(new btStaticPlaneShape(btVector3(0, 0, 1), 0)), 0, btVector3(0, 0, 0));
  for (int side = -1; side <= 1; side += 2) {
    s.add(s.shape(new btStaticPlaneShape(btVector3(side, 0, 0), -CROWD_WALL)), 0, btVector3(0, 0, 0));
    s.add(s.shape(new btStaticPlaneShape(btVector3(0, side, 0), -CROWD_WALL)), 0, btVector3(0, 0, 0));
  }
  btCollisionShape *ball = s.shape(new btSphereShape(CROWD_RADIUS));
  const double mass = CROWD_DENSITY * 4 / 3 * acos(-1) * pow(CROWD_RADIUS, 3);
  std::vector<btRigidBody *> balls;
  for (int i = 0; i < count; i++) {
    double at[3];
    crowd_start(i, at);
    balls.push_back(s.add(ball, mass, btVector3(at[0], at[1], at[2])));
  }
  const int steps = static_cast<int>(lround(end / CROWD_STEP));
  const double seconds = s.run(steps);
  double(*at)[3] = static_cast<double(*)[3]>(malloc(static_cast<size_t>(count) * sizeof *at));
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) at[i][k] = balls[static_cast<size_t>(i)]->getWorldTransform().getOrigin()[k];
  crowd_print_spheres("Bullet", at, count, steps, seconds);
  free(at);
}

static void stand(double end) {
  scene s;
  s.add(s.shape(new btStaticPlaneShape(btVector3(0, 0, 1), 0)), 0, btVector3(0, 0, 0));
  btCollisionShape *box = s.shape(new btBoxShape(btVector3(CROWD_SIDE / 2, CROWD_SIDE / 2, CROWD_SIDE / 2)));
  btRigidBody *top = nullptr;
  for (int i = 0; i < CROWD_BOXES; i++) top = s.add(box, CROWD_DENSITY * pow(CROWD_SIDE, 3), btVector3(0, 0, (i + 0.5) * CROWD_SIDE));
  const int steps = static_cast<int>(lround(end / CROWD_STEP));
  const double seconds = s.run(steps);
  const btVector3 place = top->getWorldTransform().getOrigin();
  const double at[3] = {place[0], place[1], place[2]};
  crowd_print_stack("Bullet", at, steps, seconds);
}

int main(int argc, char **argv) {
  drop(argc > 1 ? atoi(argv[1]) : CROWD_SPHERES, argc > 2 ? atof(argv[2]) : 1);
  stand(2);
}
