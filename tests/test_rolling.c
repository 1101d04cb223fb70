// Friction against rolling and spinning: closed forms of balls and discs, the energy it takes, and its blocks in
// contact problems.
#include "contact.h"
#include "rows.h"

#include "solve/problem_text.h"

static const double g = 9.81;

// --- contact problems ------------------------------------------------------------------------------------------------

static solve_block rolling_block(bool planar) {
  solve_block b = {
      .kind = planar ? BLOCK_ROLLING_PLANE : BLOCK_ROLLING_SPACE, .size = planar ? 3 : 6, .mu = uniform(0.1, 1)};
  b.rolling = uniform(0.05, 0.5), b.spinning = planar ? 0 : uniform(0.05, 0.5);
  return b;
}

// Percussion and velocity of a group of rows on its disc: inside it nothing moves, on its edge it moves against the
// percussion.
static void choose_on_disc(double radius, int size, double *r, double *u) {
  double angle = size == 2 ? uniform(0, 6.283) : pick(2) * M_PI, reach = pick(2) ? uniform(0, 0.9) : 1,
         speed = reach < 1 ? 0 : uniform(0.1, 1);
  const double way[2] = {cos(angle), sin(angle)};
  for (int k = 0; k < size; k++) r[k] = -reach * radius * way[k], u[k] = speed * way[k];
}

static void choose_rolling(contact_problem *p) {
  for (int k = 0; k < p->block_count; k++) {
    const solve_block *b = &p->blocks[k];
    double *r = p->known_r + b->row, *u = p->known_u + b->row;
    bool open = pick(4) == 0;
    for (int i = 0; i < b->size; i++) r[i] = 0, u[i] = open ? uniform(-1, 1) : 0;
    if (open) {
      u[0] = uniform(0.1, 1);
      continue;
    }
    r[0] = uniform(0.1, 1);
    int sliding = block_sliding_rows(b);
    block_turn turn[BLOCK_TURNS_MAX];
    choose_on_disc(b->mu * r[0], sliding - 1, r + 1, u + 1);
    for (int i = 0, count = block_turns(b, turn); i < count; i++)
      choose_on_disc(turn[i].length * r[0], turn[i].size, r + turn[i].row, u + turn[i].row);
  }
  solve_for_q(p);
}

static void make_problem(contact_problem *p, int blocks) {
  p->rows = p->block_count = 0;
  for (int k = 0; k < blocks; k++) add_block(p, rolling_block(pick(2)));
  fill_gram(p, 2 * p->rows, 0.1);
  choose_rolling(p);
}

// With μ and the lengths given the solution need not be the one that q was made from; whichever is found must solve the
// problem.
static void chain_solves_rolling_blocks(void) {
  static contact_problem p;
  solve_settings settings = solve_settings_default();
  settings.tolerance = 1e-10;
  int unsolved = 0;
  for (int i = 0; i < 200; i++) {
    make_problem(&p, 1 + pick(6));
    double work[2 * CONTACT_ROWS];
    solve_problem as = as_problem(&p);
    CHECK_LE(solve_residual(&as, p.known_r, p.known_u, work), 1e-13);
    solve_info info = contact_solve(&p, NULL, &settings, NULL);
    unsolved += info.status != SOLVE_SOLVED;
    CHECK(info.stage && (strcmp(info.stage, "nsgs") == 0 || strcmp(info.stage, SOLVE_ZERO_STAGE) == 0));
  }
  CHECK_EQUAL(unsolved, 0);
}

// Lengths in other units: rows that turn have other numbers than rows that slide, and the residual of a wrong solution
// is the same.
static void residual_does_not_depend_on_units(void) {
  static contact_problem p;
  for (int i = 0; i < 50; i++) {
    make_problem(&p, 3);
    double work[2 * CONTACT_ROWS], wrong[CONTACT_ROWS], scale[CONTACT_ROWS];
    solve_problem as = as_problem(&p);
    for (int k = 0; k < p.rows; k++) wrong[k] = p.known_r[k] + uniform(0, 0.1);
    double before = solve_residual_of(&as, wrong, p.u, work);
    const double length = 1000;  // metres in millimetres: forces keep their numbers, moments and velocities grow
    for (int b = 0; b < p.block_count; b++) {
      int sliding = block_sliding_rows(&p.blocks[b]);
      for (int k = 0; k < p.blocks[b].size; k++) scale[p.blocks[b].row + k] = k < sliding ? length : 1;
      p.blocks[b].rolling *= length, p.blocks[b].spinning *= length;
    }
    for (int k = 0; k < p.rows; k++) {
      p.q[k] *= scale[k], wrong[k] *= length / scale[k];
      for (int j = 0; j < p.rows; j++) p.W[k * p.rows + j] *= scale[k] * scale[j] / length;
    }
    double after = solve_residual_of(&as, wrong, p.u, work);
    CHECK(before > 1e-6);
    CHECK_NEAR(after, before, 1e-10 * before);
  }
}

static void problems_are_written_and_read(void) {
  static contact_problem p;
  make_problem(&p, 4);
  solve_problem as = as_problem(&p);
  char *text;
  size_t size;
  FILE *to = open_memstream(&text, &size);
  problem_print(to, &as, PROBLEM_DENSE);
  fclose(to);
  arena memory = arena_create(NULL);
  carom_error error = {0};
  const solve_problem *back = problem_parse(&memory, "test", text, size, &error);
  if (CHECK(back != NULL))
    for (int b = 0; b < p.block_count; b++) {
      CHECK_EQUAL(back->blocks[b].kind, p.blocks[b].kind);
      CHECK(back->blocks[b].rolling == p.blocks[b].rolling && back->blocks[b].spinning == p.blocks[b].spinning);
    }
  else printf("      %s\n", error.text);
  free(text);
  arena_free(&memory);
}

// A body that cannot turn: its turning rows do not respond, and the exact solution has no residual.
static void rows_without_a_response_leave_no_residual(void) {
  static const char text[] =
      "carom-problem 1\n1\nrolling-space 6 0.5 0.01 0.001\n0\n6\n6\n6\t6\n1 0 0 0 0 0\n0 1 0 0 0 0\n0 0 1 0 0 0\n0 0 0 "
      "0 0 0\n0 0 0 0 0 0\n"
      "0 0 0 0 0 0\n-1 0 0 0 0 0\n";
  arena memory = arena_create(NULL);
  carom_error error = {0};
  const solve_problem *p = problem_parse(&memory, "test", text, strlen(text), &error);
  if (CHECK(p != NULL)) {
    double u[6], work[12];
    CHECK_NEAR(solve_residual_of(p, (const double[6]){1, 0, 0, 0, 0, 0}, u, work), 0, 1e-15);
  } else printf("      %s\n", error.text);
  arena_free(&memory);
}

// --- balls -----------------------------------------------------------------------------------------------------------

// A ball of 0.1 m and 2 kg on a slope along x.
static const char *const ball =
    "gravity: [%.17g, 0, %.17g]\n"
    "bodies: {ball: {mass: 2, inertia: [0.008, 0.008, 0.008]}}\n"
    "joints: {six: {free: [ground, ball]}}\n"
    "surfaces: {ball: {sphere: ball, radius: 0.1, material: stuff}, floor: {plane: ground, material: stuff}}\n"
    "contacts: {rest: {between: [ball, floor]}}\n"
    "materials: {stuff: {friction: 0.5, stiffness: 1e8, law: hooke, v0: 0.1 mm/s, %s}}\n"
    "initial: {six: {q: [1, 0, 0, 0, 0, 0, %.17g], u: [0, %g, %g, %g, 0, 0]}}\n"
    "method: %s\nend: 10\n";

typedef struct start {
  double slope, v, spin;
  const char *material;
} start;

static bool open_ball(run *r, const char *method, start s) {
  char text[1500];
  bool soft = strcmp(method, "compliant") == 0;
  double c = cos(s.slope);
  snprintf(text, sizeof text, ball, g * sin(s.slope), -g * c, s.material, soft ? 0.1 - 2 * g * c / 1e8 : 0.1, s.v / 0.1,
           s.spin, s.v, method);
  return run_open_text(r, text, soft ? "integrator.rtol=1e-8 integrator.atol=1e-10" : "");
}

static const char *const methods[] = {"{moreau: {step: 1 ms}}", "compliant", "event"};
enum { MOREAU, COMPLIANT, EVENT, METHODS };

// v̇ = -g a/(r (1 + 2/5)) while it rolls, and it stops after v²/2 of that: the moment a N about the point of contact,
// the inertia 7/5 m r². A step of 1 ms stops it within one step; a regularised moment leaves a creep below v0 = 0.1
// mm/s. Under event the stop is located: speeds and ways are good to the tolerance 1e-8 of the integrator, which some
// ten steps add up to less than 1e-6.
static void rolling_ball_stops(void) {
  static const double end[METHODS] = {1e-3, 2e-4, 1e-6}, rest[METHODS] = {1e-12, 1e-4, 1e-12},
                      imbalance[METHODS] = {1e-3, 1e-5, 1e-6};
  for (int k = 0; k < METHODS; k++) {
    run r;
    double a = 2e-3, v = 0.5, brake = g * a / (0.1 * 1.4), stop = v / brake, way = v * v / (2 * brake);
    if (!open_ball(&r, methods[k], (start){0, v, 0, "rolling_friction: 2 mm"})) return;
    run_to(&r, 1);
    CHECK_NEAR(run_read(&r, "ball.vx"), v - brake, 2e-6);
    CHECK_NEAR(run_read(&r, "ball.wy"), (v - brake) / 0.1, k == COMPLIANT ? 1e-3 : k == EVENT ? 1e-6 : 1e-8);
    CHECK_NEAR(fabs(run_read(&r, "rest.ft")), 2 * brake, 1e-4);
    CHECK_NEAR(run_read(&r, "energy.friction"), 0.7 * 2 * (v * v - (v - brake) * (v - brake)), 1e-4);
    run_to(&r, stop + 0.5);
    double x = run_read(&r, "ball.x");
    printf("    %s: %.6f m of %.6f\n", methods[k], x, way);
    CHECK_NEAR(x, way, end[k]);
    CHECK_LE(fabs(run_read(&r, "ball.vx")), rest[k]);
    CHECK_NEAR(run_read(&r, "energy.friction"), 0.7 * 2 * v * v, 1e-4);
    CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, imbalance[k]);
    run_close(&r);
  }
}

// I ω̇ = -a m g. The point of contact does not slip, so that sliding friction has no part in it.
static void spinning_ball_stops(void) {
  for (int k = 0; k < METHODS; k++) {
    run r;
    double a = 1e-3, spin = 3, brake = a * 2 * g / 0.008;
    if (!open_ball(&r, methods[k], (start){0, 0, spin, "spinning_friction: 1 mm"})) return;
    run_to(&r, 0.5);
    CHECK_NEAR(run_read(&r, "ball.wz"), spin - 0.5 * brake, 1e-6);
    run_to(&r, spin / brake + 0.2);
    CHECK_LE(fabs(run_read(&r, "ball.wz")), k == COMPLIANT ? 1e-3 : 1e-12);
    CHECK_NEAR(run_read(&r, "energy.friction"), 0.5 * 0.008 * spin * spin, 1e-5);
    run_close(&r);
  }
}

// It stays where tan < a/r, and else rolls down with g (sin - a/r cos)/1.4.
static void ball_on_a_slope(void) {
  for (int k = 0; k < METHODS; k++)
    for (int above = 0; above < 2; above++) {
      run r;
      double slope = atan(0.02 * (above ? 1.01 : 0.99));
      if (!open_ball(&r, methods[k], (start){slope, 0, 0, "rolling_friction: 2 mm"})) return;
      run_to(&r, 4);
      double down = g * (sin(slope) - 0.02 * cos(slope)) / 1.4;
      if (above) CHECK_NEAR(run_read(&r, "ball.vx"), 4 * down, k == COMPLIANT ? 3e-4 : 2e-6);
      else CHECK_LE(fabs(run_read(&r, "ball.x")), k == COMPLIANT ? 4e-4 : 1e-12);
      run_close(&r);
    }
}

// In the plane one row: a disc with I = ½ m r² has 3/2 instead of 7/5.
static void disc_in_the_plane(void) {
  for (int k = 0; k < METHODS; k++) {
    char text[1024];
    run r;
    snprintf(text, sizeof text,
             "space: planar\nbodies: {disc: {mass: 2, inertia: 0.01}}\njoints: {j: {free: [ground, disc]}}\n"
             "surfaces: {disc: {sphere: disc, radius: 0.1, material: stuff}, floor: {plane: ground, material: stuff}}\n"
             "materials: {stuff: {friction: 0.5, stiffness: 1e8, law: hooke, v0: 0.1 mm/s, rolling_friction: 2 mm, "
             "spinning_friction: 1 m}}\n"
             "initial: {j: {q: [0, 0, %.17g], u: [-5, 0.5, 0]}}\nmethod: %s\nend: 10\n",
             k == COMPLIANT ? 0.1 - 2 * g / 1e8 : 0.1, methods[k]);
    if (!run_open_text(&r, text, k == COMPLIANT ? "integrator.rtol=1e-8 integrator.atol=1e-10" : "")) return;
    run_to(&r, 1);
    double brake = g * 2e-3 / (0.1 * 1.5);
    CHECK_NEAR(run_read(&r, "disc.vx"), 0.5 - brake, 2e-6);
    run_to(&r, 0.5 / brake + 0.5);
    CHECK_NEAR(run_read(&r, "disc.x"), 0.125 / brake, k == EVENT ? 1e-6 : 1e-3);
    run_close(&r);
  }
}

// A ball that is thrown bounces and keeps its spin about the vertical but for what the normal percussions take from it:
// a_s Σ P_N.
static void impacts_take_their_share(void) {
  for (int k = 0; k < METHODS; k += EVENT) {
    char text[1000];
    snprintf(text, sizeof text,
             "bodies: {ball: {mass: 2, inertia: [0.008, 0.008, 0.008]}}\njoints: {six: {free: [ground, ball]}}\n"
             "surfaces: {ball: {sphere: ball, radius: 0.1, material: stuff}, floor: {plane: ground, material: stuff}}\n"
             "materials: {stuff: {friction: 0.3, restitution: 0.8, spinning_friction: 1 mm}}\n"
             "initial: {six: {q: [1, 0, 0, 0, 0, 0, 0.3], u: [0, 0, 20, 0, 0, 0]}}\nmethod: %s\nend: 1\n",
             methods[k]);
    run r;
    rows list;
    if (!rows_open_text(&r, text, "", &list)) return;
    run_to(&r, 1);
    double sum = 0;
    for (int i = 0; i < list.count; i++) sum += list.row[i].impulse_normal;
    CHECK_LE(2, list.count);
    CHECK_NEAR(run_read(&r, "ball.wz"), 20 - 1e-3 * sum / 0.008, 1e-9);
    run_close(&r);
  }
}

// A crowd: balls that roll in a bin come to rest with rolling friction, and every problem is solved.
static void crowd_comes_to_rest(void) {
  static const char *const text =
      "bodies: {'b{i}': {repeat: {i: [1, 12]}, mass: 1, inertia: [0.001, 0.001, 0.001]}}\n"
      "joints: {'j{i}': {repeat: {i: [1, 12]}, free: [ground, 'b{i}'], at: [0.04*i - 0.2, 0.06*cos(2*i), 0.08 + "
      "0.11*i]}}\n"
      "surfaces: {'s{i}': {repeat: {i: [1, 12]}, sphere: 'b{i}', radius: 0.05, material: m}, floor: {plane: ground, "
      "material: m}}\n"
      "materials: {m: {friction: 0.5, rolling_friction: 10 mm, spinning_friction: 1 mm}}\n"
      "method: {moreau: {step: 1 ms, tolerance: 1e-8}}\nend: 3\n";
  run r;
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, 3);
  carom_summary s = carom_sim_summary(r.sim);
  double fastest = 0;
  for (int i = 1; i <= 12; i++) fastest = fmax(fastest, hypot(run_read(&r, "b%d.vx", i), run_read(&r, "b%d.vy", i)));
  printf("    fastest %.1e m/s, %ld of %ld problems unsolved\n", fastest, s.unsolved, s.solves);
  CHECK_LE(fastest, 1e-6);
  CHECK_EQUAL(s.unsolved, 0);
  run_close(&r);
}

// A ball that is thrown without spin slides, v̇ = -μ g and I ω̇ = (μ r - a) m g, until v = ω r, then rolls to its stop.
// The modes of sliding and rolling change one by one: event locates both changes.
static void thrown_ball_slides_then_rolls(void) {
  const double a = 2e-3, mu = 0.5, v = 1, spins_up = (mu * 0.1 - a) * 2 * g / 0.008 * 0.1;
  const double t1 = v / (mu * g + spins_up), v1 = v - mu * g * t1, brake = g * a / (0.1 * 1.4);
  char text[1500];
  run r;
  snprintf(text, sizeof text, ball, 0.0, -g, "rolling_friction: 2 mm", 0.1, 0.0, 0.0, v, "event");
  if (!run_open_text(&r, text, "")) return;
  run_to(&r, 0.5 * t1);
  CHECK_NEAR(run_read(&r, "ball.vx"), v - 0.5 * mu * g * t1, 1e-7);
  CHECK_NEAR(run_read(&r, "ball.wy"), 0.5 * t1 * spins_up / 0.1, 1e-6);
  run_to(&r, t1 + v1 / brake + 0.1);
  CHECK_NEAR(run_read(&r, "ball.x"), 0.5 * (v + v1) * t1 + v1 * v1 / (2 * brake), 1e-6);
  CHECK_LE(fabs(run_read(&r, "ball.vx")), 1e-12);
  CHECK_NEAR(run_read(&r, "energy.friction"), v * v, 1e-6);
  run_close(&r);
}

// A top that stands upright on a small ball: I_3 ω̇ = -a m g. It is far above the spin sqrt(4 m g l I_1)/I_3 = 168 rad/s
// below which it would fall over.
static void upright_top_slows_down(void) {
  for (int k = 0; k < METHODS; k += EVENT) {
    char text[1500];
    run r;
    snprintf(text, sizeof text,
             "gravity: [0, 0, %g]\nbodies: {top: {mass: 0.1, com: [0, 0, 0.03], inertia: [9e-5, 9e-5, 6e-5]}}\n"
             "joints: {six: {free: [ground, top]}}\nsurfaces: {tip: {sphere: top, radius: 1 mm, material: m}, floor: "
             "{plane: ground, material: m}}\n"
             "materials: {m: {friction: 0.5, rolling_friction: 0.01 mm, spinning_friction: 0.5 mm}}\n"
             "initial: {six: {q: [1, 0, 0, 0, 0, 0, 0.001], u: [0, 0, 300, 0, 0, 0]}}\nmethod: %s\nend: 5\n",
             -g, methods[k]);
    if (!run_open_text(&r, text, "")) return;
    run_to(&r, 5);
    const double brake = 5e-4 * 0.1 * g / 6e-5;
    CHECK_NEAR(run_read(&r, "top.wz"), 300 - 5 * brake, 300 * 1e-7);
    CHECK_NEAR(run_read(&r, "energy.friction"), 0.5 * 6e-5 * (300 * 300 - pow(300 - 5 * brake, 2)), 1e-6);
    run_close(&r);
  }
}

// A wheel on an axle of a carriage turns about one axis, which need not be a tangent of the contact:
// (m_s + m_c + m_w + I/r²) v̇ = -(m_c + m_w) g a/r, where the guide carries the sledge. With the guide in a loop
// constraints hold the other directions.
static void wheel_on_an_axle_stops(void) {
  static const char *const guides[] = {
      "  guide: {prismatic: [ground, sledge], axis: %s}\n",
      "  guide: {free: [ground, sledge]}\n  rail: {prismatic: [ground, sledge], axis: %s}\n"};
  for (int k = 0; k < METHODS; k += EVENT)
    for (int turned = 0; turned < 2; turned++)
      for (int loop = 0; loop < 2; loop++) {
        char text[2000], guide[300];
        run r;
        const char *along = turned ? "[0.6, 0.8, 0]" : "x", *axle = turned ? "[-0.8, 0.6, 0]" : "y";
        snprintf(guide, sizeof guide, guides[loop], along);
        snprintf(
            text, sizeof text,
            "gravity: [0, 0, %g]\nbodies: {sledge: {mass: 1}, carriage: {mass: 1}, wheel: {mass: 2, inertia: [0.01, "
            "0.01, 0.01]}}\n"
            "surfaces: {wheel: {sphere: wheel, radius: 0.1, material: m}, floor: {plane: ground, at: [0, 0, -0.1], "
            "material: m}}\nmaterials: {m: {friction: 0.5, rolling_friction: 2 mm, spinning_friction: 1 mm}}\n"
            "method: %s\nend: 10\njoints:\n  lift: {prismatic: [sledge, carriage], axis: z}\n  axle: {revolute: "
            "[carriage, wheel], axis: %s}\n%s"
            "initial: {carriage: {velocity: [%g, %g, 0]}, axle: {u: 5}}\n",
            -g, methods[k], axle, guide, turned ? 0.3 : 0.5, turned ? 0.4 : 0.0);
        if (!run_open_text(&r, text, "")) return;
        run_to(&r, 0.5);
        const double v = 0.5, brake = 3 * g * 0.02 / 5, vx = turned ? 0.6 : 1;
        CHECK_NEAR(run_read(&r, "carriage.vx") / vx, v - 0.5 * brake, k ? 1e-6 : 2e-3);
        run_to(&r, v / brake + 0.1);
        CHECK_LE(fabs(run_read(&r, "carriage.vx")), 1e-9);
        CHECK_NEAR(run_read(&r, "carriage.x") / vx, v * v / (2 * brake), k ? 1e-6 : 1e-3);
        run_close(&r);
      }
}

// A leaning tower is a problem on which sweeps take long, so that the chain asks what other solvers can do. None of
// these knows rolling.
static void tower_is_left_to_the_sweeps(void) {
  run r;
  if (!run_open_text(&r,
                     "bodies: {'b{i}': {repeat: {i: [1, 12]}, mass: 1, inertia: [0.001, 0.001, 0.001]}}\n"
                     "joints: {'j{i}': {repeat: {i: [1, 12]}, free: [ground, 'b{i}'], at: [0.002*i, 0.001*cos(2*i), "
                     "0.05 + 0.1*(i-1)]}}\n"
                     "surfaces: {'s{i}': {repeat: {i: [1, 12]}, sphere: 'b{i}', radius: 0.05, material: m}, floor: "
                     "{plane: ground, material: m}}\n"
                     "materials: {m: {friction: 0.5, rolling_friction: 0.1 mm, spinning_friction: 0.1 mm}}\n"
                     "method: {moreau: {step: 1 ms, tolerance: 1e-10}}\n",
                     NULL))
    return;
  run_to(&r, 5e-3);
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
}

// A tower that stands: each problem begins with the moments of the last one, as with its forces. With forces alone it
// takes 127 000 sweeps.
static void moments_begin_with_those_of_the_last_step(void) {
  run r;
  if (!run_open_text(&r,
                     "gravity: [0, 0, -9.81]\n"
                     "bodies: {'b{i}': {repeat: {i: [1, 4]}, mass: 0.5, inertia: [5e-4, 5e-4, 5e-4]}}\n"
                     "joints: {'j{i}': {repeat: {i: [1, 4]}, free: [ground, 'b{i}'], at: [0.0001*sin(3*i), "
                     "0.0001*cos(5*i), 0.1*i - 0.05]}}\n"
                     "surfaces: {'s{i}': {repeat: {i: [1, 4]}, sphere: 'b{i}', radius: 0.05, material: m}, floor: "
                     "{plane: ground, material: m}}\n"
                     "materials: {m: {friction: 0.5, rolling_friction: 10 mm}}\n"
                     "method: {moreau: {step: 1 ms}}\n",
                     NULL))
    return;
  run_to(&r, 51e-3);
  const long sweeps = carom_sim_summary(r.sim).iterations;
  printf("    %ld sweeps in 51 steps\n", sweeps);
  CHECK_LE((double)sweeps, 20000);
  CHECK_EQUAL(carom_sim_summary(r.sim).unsolved, 0);
  run_close(&r);
}

int main(void) {
  RUN(tower_is_left_to_the_sweeps);
  RUN(moments_begin_with_those_of_the_last_step);
  RUN(chain_solves_rolling_blocks);
  RUN(residual_does_not_depend_on_units);
  RUN(problems_are_written_and_read);
  RUN(rows_without_a_response_leave_no_residual);
  RUN(rolling_ball_stops);
  RUN(spinning_ball_stops);
  RUN(ball_on_a_slope);
  RUN(disc_in_the_plane);
  RUN(impacts_take_their_share);
  RUN(crowd_comes_to_rest);
  RUN(thrown_ball_slides_then_rolls);
  RUN(upright_top_slows_down);
  RUN(wheel_on_an_axle_stops);
  return check_summary();
}
