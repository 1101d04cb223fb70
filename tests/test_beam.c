// Flexible beams from model files: statics and frequencies against closed forms, all integrators against each other,
// what is read, recorded, booked and warned of.
#include "runs.h"

#include "flex/planar_solid.h"
#include "flex/reduction.h"
#include "mechanics/tree.h"
#include "sim.h"

// A steel beam of 1 m. `%s` takes further keys of the body, and what follows the body.
#define STEEL "{length: 1, section: {area: 4e-4, second_moment: 1e-8}, young: 2.1e11, density: 7800}"
static const double EI = 2.1e11 * 1e-8, EA = 2.1e11 * 4e-4, line_mass = 7800 * 4e-4;

static bool open_beam(run *r, const char *body, const char *rest, const char *settings) {
  char text[4000];
  snprintf(text, sizeof text, "space: planar\nbodies:\n  link:\n    beam: " STEEL "\n%s\n%s", body, rest);
  return run_open_text(r, text, settings);
}

// --- statics and frequencies -----------------------------------------------------------------------------------------

// Deflection at x under a force at a, from the clamped end.
static double deflection(double force, double a, double x) {
  return x < a ? force * x * x * (3 * a - x) / (6 * EI) : force * a * a * (3 * x - a) / (6 * EI);
}

// Damped until it rests: the static modes are exact at the tip, at a node of equal elements and at a marker beside it.
static void cantilever_bends_as_its_closed_form(void) {
  static const char *const loads[] = {"tip", "node", "near"};
  static const double at[] = {1, 0.375, 0.37};
  for (int k = 0; k < 3; k++) {
    run r;
    char rest[600];
    snprintf(rest, sizeof rest,
             "gravity: [0, 0]\nmarkers: {tip: {on: link, at: [1, 0]}, node: {on: link, at: [0.375, 0]}, "
             "near: {on: link, at: [0.37, 0]}}\n"
             "joints: {clamp: {fixed: [ground, link]}}\nforces: {load: {force: %s, components: [20, -10]}}\n",
             loads[k]);
    if (!open_beam(&r, "    modes: {count: 2}\n    damping: {ratio: 1}\n    geometric_stiffness: false", rest,
                   "integrator.type=bdf integrator.rtol=1e-12 integrator.atol=1e-12"))
      return;
    run_to(&r, 1);
    CHECK_NEAR(run_read(&r, "tip.y") / deflection(-10, at[k], 1), 1, 1e-9);
    CHECK_NEAR(run_read(&r, "near.y") / deflection(-10, at[k], 0.37), 1, 1e-9);
    CHECK_NEAR(run_read(&r, "tip.x") - 1, 20 * at[k] / EA, 1e-9 * 20 / EA + 4e-16);
    CHECK_NEAR(run_read(&r, "clamp.tz"), 10 * run_read(&r, "%s.x", loads[k]) + 20 * run_read(&r, "%s.y", loads[k]),
               1e-8);
    run_close(&r);
  }
}

static void frequencies_are_those_of_the_beam(void) {
  static const double clamped[] = {1.8751040687, 4.6940911330, 7.8547574382},
                      unheld[] = {4.7300407449, 7.8532046241, 10.9956078380};
  for (int k = 0; k < 2; k++) {
    run r;
    const char *modes = k ? "    modes: {count: 3, support: free}" : "    modes: {count: 3}";
    if (!open_beam(&r, modes, "joints: {clamp: {fixed: [ground, link]}}\n", "bodies.link.beam.elements=64")) return;
    CHECK_EQUAL(carom_model_body_modes(r.model, 1), 3);
    for (int i = 0; i < 3; i++) {
      const double beta = k ? unheld[i] : clamped[i];
      const double omega = beta * beta * sqrt(EI / line_mass);
      CHECK_NEAR(carom_model_body_frequency(r.model, 1, i) / omega, 1, 1e-6);
    }
    CHECK(isnan(carom_model_body_frequency(r.model, 1, 3)) && carom_model_body_modes(r.model, 0) == 0);
    run_close(&r);
  }
}

// Craig and Bampton's modes are those of the beam held at both ends, where joints hold it: so are the vibrations of
// this mechanism, to the error of 64 elements. Modes of a cantilever with static shapes of its tip are not. A load at
// the tip of a cantilever bends it exactly.
static void joined_modes_are_those_of_the_held_beam(void) {
  static const double held[] = {4.7300407449, 7.8532046241, 10.9956078380};
  static const char *const modes[] = {"    modes: {count: 3, support: craig-bampton}", "    modes: {count: 3}"};
  for (int k = 0; k < 2; k++) {
    run r;
    if (!open_beam(&r, modes[k],
                   "gravity: [0, 0]\nmarkers: {wall: {on: ground, at: [1, 0]}, tip: {on: link, at: [1, 0]}}\n"
                   "joints: {clamp: {fixed: [ground, link]}, far: {fixed: [wall, tip]}}\n",
                   "bodies.link.beam.elements=64"))
      return;
    carom_error error;
    carom_modes *m = carom_sim_modes(r.sim, &error);
    CHECK_EQUAL(carom_model_body_modes(r.model, 1), 6);
    if (!CHECK(m)) printf("      %s\n", error.text);
    double worst = 0;
    for (int i = 0; m && i < 3; i++) {
      const double omega = held[i] * held[i] * sqrt(EI / line_mass);
      worst = fmax(worst, fabs(carom_modes_get(m, i).omega / omega - 1));
    }
    if (k) CHECK(worst > 1e-3);
    else CHECK_LE(worst, 1e-6);
    carom_modes_destroy(m);
    run_close(&r);
  }
}

static void joined_modes_are_exact_under_static_loads(void) {
  run r;
  if (!open_beam(
          &r, "    modes: {count: 1, support: craig-bampton}\n    damping: {ratio: 1}\n    geometric_stiffness: false",
          "gravity: [0, 0]\nmarkers: {tip: {on: link, at: [1, 0]}}\njoints: {clamp: {fixed: [ground, link]}}\n"
          "forces: {load: {force: tip, components: [20, -10]}}\n",
          "integrator.type=bdf integrator.rtol=1e-12 integrator.atol=1e-12"))
    return;
  run_to(&r, 1);
  CHECK_NEAR(run_read(&r, "tip.y") / deflection(-10, 1, 1), 1, 1e-9);
  CHECK_NEAR(run_read(&r, "tip.x") - 1, 20 / EA, 1e-9 * 20 / EA + 4e-16);
  run_close(&r);
}

// The tip of a cantilever of 1 x 0.2 m that is clamped by its left side and pulled across at its right one: both sides
// as wholes, or points in their middles.
static double solid_deflection(int elements, bool sides) {
  run r;
  char text[800];
  snprintf(text, sizeof text,
           "space: planar\ngravity: [0, 0]\nbodies:\n  link:\n"
           "    solid_2d: {rectangle: [1, 0.2], elements: %d, thickness: 0.01, young: 1e9, poisson: 0.3, "
           "density: 2000%s}\n    modes: {count: 1}\n    damping: {ratio: 1}\n"
           "markers: {root: {on: link, at: [-0.5, 0]}, tip: {on: link, at: [0.5, 0]}}\n"
           "joints: {clamp: {fixed: [ground, root]}}\nforces: {load: {force: tip, components: [0, 10]}}\n",
           elements, sides ? ", attach: [left, right]" : "");
  if (!run_open_text(&r, text, "integrator.type=bdf integrator.rtol=1e-10 integrator.atol=1e-12")) return NAN;
  run_to(&r, 1);
  const double y = run_read(&r, "tip.y");
  run_close(&r);
  return y;
}

// Held by a side, it deflects as a Timoshenko beam: F L³/3EI + F L/κGA with κ = 5/6. The traction on the sides is
// linear and not that of the beam, which reaches about the height h: h/L = 0.2 times the shear's part, itself 3.1 %
// here, is 6e-3. The mesh does not matter. A point turns and gives way without limit as the mesh becomes finer.
static void sides_are_held_as_wholes(void) {
  const double E = 1e9, G = E / 2.6, A = 0.2 * 0.01, I = 0.01 * 0.008 / 12;
  const double beam = 10 / (3 * E * I) + 10 / (5. / 6 * G * A);
  const double coarse = solid_deflection(10, true), fine = solid_deflection(20, true);
  const double coarse_point = solid_deflection(10, false), fine_point = solid_deflection(20, false);
  CHECK_NEAR(fine / beam, 1, 6e-3);
  CHECK_NEAR(fine / coarse, 1, 1e-3);
  CHECK(fine_point / coarse_point > 2);
  printf("    over the beam's %.5f, %.5f, of points %.4f, %.4f\n", coarse / beam, fine / beam, coarse_point / beam,
         fine_point / beam);
}

// The mass and what follows from it.
static void mass_follows_from_the_beam(void) {
  run r;
  if (!open_beam(&r, "    modes: {count: 2}", "joints: {hinge: {revolute: [ground, link]}}\n", NULL)) return;
  const carom_body_size size = carom_model_body_size(r.model, 1);
  CHECK_NEAR(size.mass, line_mass, 1e-12);
  CHECK_NEAR(size.com[0], 0.5, 1e-14);
  CHECK_NEAR(size.inertia[2], line_mass / 12, 1e-13);
  run_close(&r);
}

// A beam that tapers to half its width and depth: area and second moment over its length, against their integrals.
static void tapered_beams_have_their_mass(void) {
  run r;
  const char *text =
      "space: planar\nparameters: {width: 2 cm, depth: 3 cm}\nbodies:\n  link:\n"
      "    beam: {length: 1, section: {area: width*depth*(1 - x/(2*L))^2, second_moment: "
      "width*depth^3/12*(1 - x/(2*L))^4}, solid: steel}\n    modes: {count: 2}\n"
      "joints: {hinge: {revolute: [ground, link]}}\n";
  if (!run_open_text(&r, text, NULL)) return;
  const carom_body_size size = carom_model_body_size(r.model, 1);
  const double full = 6e-4, steel = size.mass / (full * 7. / 12);  // ∫(1 - x/2)² = 7/12, ∫x(1 - x/2)² = 11/48
  CHECK_NEAR(size.com[0], 11. / 28, 1e-13);
  CHECK(steel > 7700 && steel < 7900);
  run_close(&r);
}

// A beam of two sections, 1 and 2 times as stiff, whose step is off every equal node: mass and deflection under a load
// at its tip, F/EI (∫ (L - x)² to the step s, and half of it beyond).
static void steps_of_sections_are_nodes(void) {
  run r;
  const double step = 0.37, F = -10;
  if (!run_open_text(&r,
                     "space: planar\ngravity: [0, 0]\nbodies:\n  link:\n"
                     "    beam: {length: 1, section: {area: \"if(x < 0.37 m, 4e-4, 8e-4)*1 m^2\", second_moment: "
                     "\"if(x < 0.37 m, 1e-8, 2e-8)*1 m^4\"}, young: 2.1e11, density: 7800}\n"
                     "    modes: {count: 2}\n    damping: {ratio: 1}\n    geometric_stiffness: false\n"
                     "markers: {tip: {on: link, at: [1, 0]}}\njoints: {clamp: {fixed: [ground, link]}}\n"
                     "forces: {load: {force: tip, components: [0, -10]}}\n",
                     "integrator.type=bdf integrator.rtol=1e-12 integrator.atol=1e-12"))
    return;
  CHECK_NEAR(carom_model_body_size(r.model, 1).mass, 7800 * 4e-4 * (step + 2 * (1 - step)), 1e-9);
  run_to(&r, 1);
  const double inner = (1 - pow(1 - step, 3)) / 3, outer = pow(1 - step, 3) / 6;
  CHECK_NEAR(run_read(&r, "tip.y") / (F / EI * (inner + outer)), 1, 1e-8);
  run_close(&r);
}

// An axial function with a kink is that of a bar of two parts; its strain energy is exact wherever the kink is.
static void kinked_stretches_are_integrated(void) {
  run r;
  if (!open_beam(&r, "    modes: {axial: [\"min(x/L, 0.37)\"]}",
                 "joints: {clamp: {fixed: [ground, link]}}\ninitial: {link: {modes: [1 mm]}}\n", NULL))
    return;
  CHECK_NEAR(run_read(&r, "energy.strain"), EA * 0.37 * 1e-6 / 2, 1e-10 * EA * 1e-6);
  run_close(&r);
}

// --- motion ----------------------------------------------------------------------------------------------------------

// A pendulum of two beams, the second hung on the tip of the first, with damping.
#define TWO_BEAMS                                                                                               \
  "space: planar\nbodies:\n  upper:\n    beam: " STEEL                                                          \
  "\n    modes: {count: 2}\n    damping: {ratio: 0.02}\n"                                                       \
  "  lower:\n    beam: {length: 0.6, section: {area: 2e-4, second_moment: 2e-9}, young: 7e10, density: 2700}\n" \
  "    modes: {transverse: [(x/L)^2, (x/L)^3], axial: [x/L]}\n    damping: {mass: 3, stiffness: 1e-5}\n"        \
  "markers: {knee: {on: upper, at: [1, 0]}, tip: {on: lower, at: [0.6, 0]}}\n"                                  \
  "joints: {hip: {revolute: [ground, upper]}, knee: {revolute: [knee, lower]}}\n"

static void integrators_agree(void) {
  static const char *const integrators[] = {"adams", "bdf", "erk", "ida", "rk4 integrator.step=4e-6"};
  double y[2] = {0}, mode = 0;
  for (int k = 0; k < 5; k++) {
    run r;
    char settings[200];
    snprintf(settings, sizeof settings, "integrator.type=%s integrator.rtol=1e-10 integrator.atol=1e-10",
             integrators[k]);
    if (!run_open_text(&r, TWO_BEAMS, settings)) return;
    if (!run_to(&r, 0.05)) return;
    const double now[2] = {run_read(&r, "tip.y"), run_read(&r, "knee.y")}, deep = run_read(&r, "upper.mode1");
    if (k == 0) y[0] = now[0], y[1] = now[1], mode = deep;
    // ten thousand steps of 1e-10, each of a length of 1 m or a deflection of 1 mm
    CHECK_NEAR(now[0], y[0], 1e-8);
    CHECK_NEAR(now[1], y[1], 1e-8);
    CHECK_NEAR(deep, mode, 1e-9);
    CHECK_LE(1e-5, fabs(mode));
    CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-7);
    run_close(&r);
  }
}

// Time steppers with an error of their order, and the methods for contact, which then integrate.
static void methods_agree(void) {
  static const char *const methods[] = {"smooth",
                                        "event",
                                        "compliant",
                                        "{moreau: {step: 1e-5}}",
                                        "{moreau: {step: 1e-5, velocity_terms: midpoint}}",
                                        "{stewart-trinkle: {step: 1e-5}}"};
  double y = 0;
  for (int k = 0; k < 6; k++) {
    run r;
    char text[4000];
    snprintf(text, sizeof text, "%smethod: %s\nintegrator: adams\n", TWO_BEAMS, methods[k]);
    if (!run_open_text(&r, text, NULL) || !run_to(&r, 0.02)) return;
    if (k == 0) y = run_read(&r, "tip.y");
    CHECK_NEAR(run_read(&r, "tip.y"), y,
               k < 3    ? 1e-8
               : k == 4 ? 1e-8
                        : 1e-5 * 9.81 * 0.02);  // h g t: half a step early or late
    CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, k < 3 ? 1e-6 : 1e-3);
    run_close(&r);
  }
}

// What damping takes is booked, and the rest is strain, motion and height.
static void damping_is_booked(void) {
  run r;
  if (!open_beam(&r, "    modes: {count: 2}\n    damping: {ratio: 0.05}",
                 "gravity: [0, 0]\njoints: {clamp: {fixed: [ground, link]}}\ninitial: {link: {modes: [10 mm, 0]}}\n",
                 "integrator.rtol=1e-10 integrator.atol=1e-10"))
    return;
  const double omega = carom_model_body_frequency(r.model, 1, 0), before = run_read(&r, "energy.strain");
  CHECK_NEAR(run_read(&r, "link.mode1"), 0.01, 0);
  CHECK_LE(0.1, before);
  const double period = 2 * M_PI / (omega * sqrt(1 - 0.05 * 0.05));
  run_to(&r, period);
  // the frame does not move: one oscillator with the logarithmic decrement 2π ζ/√(1 - ζ²); the foreshortening couples
  // modes by the square of the deflection
  const double decay = exp(-2 * M_PI * 0.05 / sqrt(1 - 0.05 * 0.05));
  CHECK_NEAR(run_read(&r, "link.mode1") / (0.01 * decay), 1, 1e-3);
  CHECK_NEAR(run_read(&r, "energy.damper") / (before * (1 - decay * decay)), 1, 1e-3);
  CHECK_LE(fabs(run_read(&r, "energy.imbalance")), 1e-8 * before);
  run_close(&r);
}

// Where a joint holds the beam does not matter: one that is held at its far end, or by the joint's other marker, moves
// as its mirror image.
static void frames_follow_the_joint(void) {
  static const char *const joints[] = {"revolute: [ground, link]", "revolute: [link, ground]",
                                       "revolute: [ground, far]"};
  double end[3][2] = {{0}};
  for (int k = 0; k < 3; k++) {
    run r;
    char rest[400];
    snprintf(rest, sizeof rest,
             "markers: {near: {on: link}, far: {on: link, at: [1, 0]}}\njoints: {hinge: {%s}}\n"
             "initial: {hinge: {q: %s}}\n",
             joints[k], k == 2 ? "180 deg" : "0");
    if (!open_beam(&r, "    modes: {count: 3, static_modes: false}", rest,
                   "integrator.rtol=1e-11 integrator.atol=1e-11 bodies.link.beam.young=2.1e10"))
      return;
    run_to(&r, 0.3);
    end[k][0] = run_read(&r, k == 2 ? "near.x" : "far.x"), end[k][1] = run_read(&r, k == 2 ? "near.y" : "far.y");
    CHECK_NEAR(end[k][0], end[0][0], 1e-8);
    CHECK_NEAR(end[k][1], end[0][1], 1e-8);
    run_close(&r);
  }
}

// A full basis spans the same shapes, whether its modes are those of the clamped or of the free beam, or functions that
// move the marker which carries it. Its damping depends on the span alone.
static void bases_with_the_same_span_agree(void) {
  static const char *const modes[] = {"{count: 6}", "{count: 6, support: free}"};
  static const char *const functions[] = {
      "{transverse: [(x/L)^2, (x/L)^3], axial: [x/L]}",
      "{transverse: [\"(x/L)^2 - 3 + x/L\", \"(x/L)^3 + (x/L)^2\"], axial: [1 + x/L]}"};
  for (int k = 0; k < 4; k++) {
    double y[2];
    for (int i = 0; i < 2; i++) {
      run r;
      char body[200];
      snprintf(body, sizeof body, "    modes: %s\n    damping: {ratio: %s}", k % 2 ? functions[i] : modes[i],
               k < 2 ? "0" : "0.1");
      if (!open_beam(&r, body, "markers: {far: {on: link, at: [1, 0]}}\njoints: {hinge: {revolute: [ground, link]}}\n",
                     "integrator.rtol=1e-11 integrator.atol=1e-11 bodies.link.beam.elements=2 "
                     "bodies.link.beam.young=2.1e9"))
        return;
      run_to(&r, 0.1);
      y[i] = run_read(&r, "far.y");
      run_close(&r);
    }
    CHECK_NEAR(y[1], y[0], 1e-9);
  }
}

// A free beam is pushed at its tip, with its axes at its root or in its middle. Displacements are linear in axes that
// turn against each other, so that the two differ by the square of the deformation: half the force, a quarter.
static void frames_differ_by_the_square_of_the_deformation(void) {
  static const char *const at[] = {"0", "0.5"};
  for (int stiffened = 0; stiffened < 2; stiffened++) {
    double apart[2], bent = 0;
    for (int half = 0; half < 2; half++) {
      double x[2] = {0}, y[2] = {0};
      for (int k = 0; k < 2; k++) {
        run r;
        char text[1200];
        snprintf(text, sizeof text,
                 "space: planar\ngravity: [0, 0]\nbodies:\n  link:\n    beam: " STEEL
                 "\n    modes: {count: 3, support: free, static_modes: false}\n    geometric_stiffness: %s\n"
                 "markers: {tip: {on: link, at: [1, 0]}, root: {on: link}, axes: {on: link, at: [%s, 0]}, "
                 "start: {on: ground, at: [%s, 0]}}\njoints: {fly: {free: [start, axes]}}\n"
                 "forces: {push: {force: tip, components: [0, %d]}}\n"
                 "integrator: {type: adams, rtol: 1e-11, atol: 1e-12}\n",
                 stiffened ? "true" : "false", at[k], at[k], half ? 1000 : 2000);
        if (!run_open_text(&r, text, NULL) || !run_to(&r, 0.01)) return;
        x[k] = run_read(&r, "tip.x") - run_read(&r, "root.x"), y[k] = run_read(&r, "tip.y") - run_read(&r, "root.y");
        if (!half) bent = fmax(bent, r.sim->deformed[1].turn);
        run_close(&r);
      }
      apart[half] = hypot(x[1] - x[0], y[1] - y[0]);
    }
    printf("    turned by %.2g rad: %.2e m apart, %.2e with half the force\n", bent, apart[0], apart[1]);
    CHECK_LE(apart[0], bent * bent);  // of a beam of 1 m
    CHECK(apart[0] / apart[1] > 3.5 && apart[1] > 1e-9);
  }
}

// The same model in space.
static void planar_and_spatial_beams_agree(void) {
  double y[2], mode[2];
  for (int k = 0; k < 2; k++) {
    run r;
    const char *text =
        k ? "gravity: [0, -9.81, 0]\nbodies:\n  link:\n    beam: " STEEL
            "\n"
            "    modes: {transverse: [(x/L)^2, (x/L)^3]}\n"
            "markers: {far: {on: link, at: [1, 0, 0]}}\njoints: {hinge: {revolute: [ground, link], axis: z}}\n"
          : "space: planar\nbodies:\n  link:\n    beam: " STEEL
            "\n"
            "    modes: {transverse: [(x/L)^2, (x/L)^3]}\n"
            "markers: {far: {on: link, at: [1, 0]}}\njoints: {hinge: {revolute: [ground, link]}}\n";
    if (!run_open_text(&r, text,
                       "integrator.rtol=1e-11 integrator.atol=1e-11 bodies.link.beam.young=1e12 "
                       "bodies.link.beam.section.second_moment=1e-10"))
      return;
    run_to(&r, 0.2);
    y[k] = run_read(&r, "far.y"), mode[k] = run_read(&r, "link.mode1");
    run_close(&r);
  }
  // In space alone sections have rotary inertia in rigid motion. With a radius of gyration of 0.5 mm this changes the
  // frequency of a beam on a hinge, whose root turns by about four times the deflection over the length, by 1e-5.
  CHECK_NEAR(y[1], y[0], 1e-5);
  CHECK_NEAR(mode[1] / mode[0], 1, 1e-3);
}

// With a modulus a million times as large, beams move as rigid bodies with their masses, to 1e-6 of the length.
static void stiff_beams_move_as_rigid_ones(void) {
  static const char *const integrators[] = {"bdf", "ida"};
  const char *rigid =
      "space: planar\nparameters: {a: 3.12, b: 0.324}\n"
      "bodies: {upper: {mass: a, inertia: a/12, com: [0.5, 0]}, lower: {mass: b, inertia: b*0.36/12, com: [0.3, 0]}}\n"
      "markers: {knee: {on: upper, at: [1, 0]}, tip: {on: lower, at: [0.6, 0]}}\n"
      "joints: {hip: {revolute: [ground, upper]}, knee: {revolute: [knee, lower]}}\n";
  for (int k = 0; k < 2; k++) {
    run soft, hard;
    char settings[300];
    snprintf(settings, sizeof settings,
             "integrator.type=%s integrator.rtol=1e-9 integrator.atol=1e-9 bodies.upper.beam.young=2.1e17 "
             "bodies.lower.beam.young=7e16 bodies.upper.damping.ratio=0.5 bodies.lower.damping.stiffness=1e-6",
             integrators[k]);
    if (!run_open_text(&hard, rigid, "integrator.rtol=1e-10 integrator.atol=1e-10")) return;
    if (run_open_text(&soft, TWO_BEAMS, settings) && run_to(&soft, 0.5) && run_to(&hard, 0.5)) {
      CHECK_NEAR(run_read(&soft, "tip.x"), run_read(&hard, "tip.x"), 1e-6);
      CHECK_NEAR(run_read(&soft, "tip.y"), run_read(&hard, "tip.y"), 1e-6);
      CHECK_LE(0.5, fabs(run_read(&hard, "hip.q")));
    }
    run_close(&soft), run_close(&hard);
  }
}

// A beam that tumbles and vibrates in space without forces, for a hundred periods of its first mode: momentum and
// energy stay as they are.
static void free_flight_keeps_momentum_and_energy(void) {
  for (int k = 0; k < 2; k++) {
    run r;
    char text[2000];
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\nbodies:\n  link:\n"
             "    beam: {length: 1, section: {area: 6e-4, second_moment: 5e-8, second_moment_z: 2e-8, torsion: 4e-8}, "
             "young: 2.1e11, density: 7800}\n"
             "    modes: {count: 4, support: free}\n    geometric_stiffness: %s\n"
             "joints: {fly: {free: [ground, link]}}\n"
             "initial: {link: {modes: [5 mm, 3 mm, 1 mm, 0]}, fly: {u: [3, 5, -4, 0.2, 0.1, -0.3]}}\n"
             "integrator: {type: adams, rtol: 1e-12, atol: 1e-12}\n",
             k ? "false" : "true");
    if (!run_open_text(&r, text, NULL)) return;
    const mechanism *m = &r.model->m;
    vec3 before[2], after[2];
    tree_momentum(m, r.sim->x, &before[0], &before[1]);
    const double energy = run_read(&r, "energy.kinetic") + run_read(&r, "energy.strain");
    tree_momentum(m, r.sim->x, &before[0], &before[1]);
    run_to(&r, 100 * 2 * M_PI / carom_model_body_frequency(r.model, 1, 0));
    const double later = run_read(&r, "energy.kinetic") + run_read(&r, "energy.strain");
    tree_momentum(m, r.sim->x, &after[0], &after[1]);
    const double error[3] = {vec3_norm(vec3_sub(after[0], before[0])) / vec3_norm(before[0]),
                             vec3_norm(vec3_sub(after[1], before[1])) / vec3_norm(before[1]), later / energy - 1};
    printf("    relative errors: momentum %.1e, angular momentum %.1e, energy %.1e\n", error[0], error[1], error[2]);
    CHECK_LE(error[0], 1e-10);
    CHECK_LE(error[1], 1e-10);
    CHECK_LE(fabs(error[2]), 1e-9);
    run_close(&r);
  }
}

// --- planar solids ---------------------------------------------------------------------------------------------------

// A free disc in plane stress, K = ω a √(ρ (1 - ν²)/E): pairs of n = 2, then n = 1, one of n = 0, pairs of n = 3.
static void discs_have_their_frequencies(void) {
  static const double K[] = {1.387653, 1.387653, 1.617558, 1.617558, 2.048850, 2.130399, 2.130399};
  run r;
  const char *text =
      "space: planar\ngravity: [0, 0]\nbodies:\n  disc:\n"
      "    solid_2d: {disc: 0.1, elements: 6, thickness: 0.02, young: 2e8, poisson: 0.3, density: 1000}\n"
      "    modes: {count: 7}\njoints: {fly: {free: [ground, disc]}}\n";
  if (!run_open_text(&r, text, NULL)) return;
  CHECK_EQUAL(carom_model_body_modes(r.model, 1), 7);
  for (int i = 0; i < 7; i++) {
    const double omega = K[i] / (0.1 * sqrt(1000 * (1 - 0.09) / 2e8));
    const double error = carom_model_body_frequency(r.model, 1, i) / omega - 1;
    CHECK(error > -1e-6);   // from above; the figures have seven digits
    CHECK_LE(error, 4e-4);  // order four: 8.3e-5 with 8 rings
  }
  const carom_body_size size = carom_model_body_size(r.model, 1);
  CHECK_NEAR(size.mass, M_PI * 0.01 * 0.02 * 1000, 1e-4 * size.mass);  // sides are parabolas
  CHECK_NEAR(size.inertia[2], size.mass * 0.01 / 2, 1e-4 * size.inertia[2]);
  CHECK_NEAR(carom_model_get_info(r.model).length, 0.2, 1e-12);
  CHECK(size.com[0] == 0 && size.com[1] == 0);
  run_close(&r);
}

// A plate that is fixed at one end, with two modes of the free plate: the static modes are exact at the loaded corner.
static void static_modes_of_solids_are_exact(void) {
  arena memory = arena_create(NULL);
  const planar_solid plate = {triangles_rectangle(&memory, 1, 0.2, 8, 2), .thickness = 0.01, .young = 2e8,
                              .poisson = 0.3, .density = 1000};
  flex_elements e;
  flex_place root, corner;
  reduction clamped;
  planar_solid_elements(&memory, &plate, &e);
  CHECK(planar_solid_place(&plate, &e, (vec2){-0.4, 0}, &root) &&
        planar_solid_place(&plate, &e, (vec2){0.5, 0.1}, &corner));
  CHECK(reduction_create(&memory, &e, NULL, &root, true, &clamped));
  double *load = ARENA_ARRAY(&memory, double, e.freedom_count), *x = ARENA_ARRAY(&memory, double, e.freedom_count);
  elements_load(&corner, (vec3){0.2, -0.1, 0}, VEC3_ZERO, load);
  reduction_deform(&memory, &clamped, load, x);
  elements_see_from(&e, &root, 1, x);
  const vec3 exact = elements_displacement(&corner, x);
  run r;
  const char *text =
      "space: planar\ngravity: [0, 0]\nbodies:\n  plate:\n"
      "    solid_2d: {rectangle: [1, 0.2], elements: 8, thickness: 0.01, young: 2e8, density: 1000}\n"
      "    modes: {count: 2}\n    damping: {ratio: 1}\n"
      "markers: {root: {on: plate, at: [-0.4, 0]}, corner: {on: plate, at: [0.5, 0.1]}}\n"
      "joints: {clamp: {fixed: [ground, root]}}\nforces: {load: {force: corner, components: [0.2, -0.1]}}\n"
      "integrator: {type: bdf, rtol: 1e-12, atol: 1e-13}\n";
  if (run_open_text(&r, text, NULL)) {
    run_to(&r, 4);  // 40 times the decay time of the slowest mode
    CHECK_NEAR((run_read(&r, "corner.x") - 0.9) / exact.x, 1, 1e-8);
    CHECK_NEAR((run_read(&r, "corner.y") - 0.1) / exact.y, 1, 1e-8);
  }
  run_close(&r);
  arena_free(&memory);
}

// A mesh that is refined contains the coarse one, but for arcs: frequencies fall, a little.
static void meshes_are_refined_towards_places(void) {
  double first[2];
  for (int k = 0; k < 2; k++) {
    run r;
    char text[600];
    snprintf(text, sizeof text,
             "space: planar\nbodies:\n  plate:\n"
             "    solid_2d: {rectangle: [0.4, 0.2], elements: 4, thickness: 0.01, young: 2e8, density: 1000%s}\n"
             "    modes: {count: 3, interface: [corner]}\nmarkers: {corner: {on: plate, at: [0.2, 0.1]}}\n"
             "joints: {hinge: {revolute: [ground, plate]}}\n",
             k ? ", refine: {at: [[0.2, 0.1]], size: 2 mm, growth: 0.7}" : "");
    if (!run_open_text(&r, text, NULL)) return;
    first[k] = carom_model_body_frequency(r.model, 1, 0);
    CHECK_NEAR(carom_model_body_size(r.model, 1).mass, 0.8, 1e-12);
    run_close(&r);
  }
  CHECK(first[1] < first[0] && first[1] > 0.98 * first[0]);
}

// Contact places from a model file: a marker and a stretch, with static modes and without; the error under a static
// load is what the model says.
static void contact_places_have_static_modes(void) {
  double x[2], missing = 0;
  for (int k = 0; k < 2; k++) {
    run r;
    char text[1200];
    snprintf(text, sizeof text,
             "space: planar\ngravity: [0, 0]\nbodies:\n  plate:\n"
             "    solid_2d: {rectangle: [0.4, 0.2], elements: 6, thickness: 0.01, young: 2e8, density: 1000}\n"
             "    stretches: {edge: {side: top, between: [0, 0.1]}}\n"
             "    modes: {count: 3, static_modes: %s, interface: [hit, edge, left], interface_tolerance: 0.3}\n"
             "    damping: {ratio: 1}\n"
             "markers: {root: {on: plate, at: [-0.2, 0]}, hit: {on: plate, at: [0.2, 0.01]}}\n"
             "joints: {clamp: {fixed: [ground, root]}}\nforces: {load: {force: hit, components: [-1, 0]}}\n"
             "integrator: {type: bdf, rtol: 1e-12, atol: 1e-14}\n",
             k ? "true" : "false");
    if (!run_open_text(&r, text, NULL)) return;
    const carom_interface hit = carom_model_body_interface(r.model, 1, 0);
    const carom_interface edge = carom_model_body_interface(r.model, 1, 1);
    const carom_interface left = carom_model_body_interface(r.model, 1, 2);
    CHECK_TEXT(hit.name, "hit");
    CHECK_EQUAL(hit.loads, 1);  // along the normal
    CHECK_EQUAL(hit.modes, k);
    CHECK(edge.loads >= 3 && edge.loads < 8 && left.loads == 7);
    CHECK(k ? edge.modes >= 1 && edge.modes < edge.loads : edge.modes == 0);
    CHECK(!carom_model_body_interface(r.model, 1, 3).name && !carom_model_body_interface(r.model, 0, 0).name);
    const carom_remark warned = carom_model_remark(r.model, 0);
    CHECK(warned.name && strcmp(warned.name, "missed_load") == 0);
    if (!k) missing = hit.missing, CHECK_TEXT(warned.contact, "plate at hit");
    else CHECK_LE(fabs(hit.missing), 1e-8);
    CHECK_EQUAL(carom_sim_summary(r.sim).missed_loads, warned.count);
    run_to(&r, 1);
    x[k] = run_read(&r, "hit.x") - 0.4;
    run_close(&r);
  }
  CHECK(missing > 0.05);
  CHECK_NEAR(1 - x[0] / x[1], missing, 1e-8);
}

// The fastest of 120 modes of 30 beams that do not touch each other is that of the shortest.
static void fastest_mode_of_many_is_found(void) {
  double omega[2];
  for (int k = 0; k < 2; k++) {
    run r;
    char text[600];
    snprintf(
        text, sizeof text,
        "space: planar\nbodies:\n  link{i}:\n    repeat: {i: [1, %d]}\n"
        "    beam: {length: 1 m + i*1 cm, section: {area: 4e-4, second_moment: 1e-8}, young: 2.1e11, density: 7800}\n"
        "    modes: {count: 4}\njoints:\n  clamp{i}: {repeat: {i: [1, %d]}, fixed: [ground, \"link{i}\"]}\n",
        k ? 30 : 1, k ? 30 : 1);
    if (!run_open_text(&r, text, NULL)) return;
    omega[k] = r.model->fastest.omega;
    CHECK_EQUAL(r.model->fastest.body, 1);
    CHECK_EQUAL(r.model->fastest.mode, 3);
    run_close(&r);
  }
  CHECK_NEAR(omega[1] / omega[0], 1,
             1e-9);  // the square root of a residual that is 1e-13 or less where it has converged
}

// Integrators that have to follow fast modes are noted, once these oscillate more than ten thousand times.
static void fast_modes_are_noted(void) {
  static const char *const settings[] = {"end=1", "end=0.01", "end=1 integrator.type=bdf"};
  for (int k = 0; k < 3; k++) {
    run r;
    bool noted = false;
    if (!run_open_text(&r,
                       "space: planar\nbodies:\n  disc:\n"
                       "    solid_2d: {disc: 0.1, elements: 2, thickness: 0.01, solid: steel}\n    modes: {count: 4}\n"
                       "joints: {hinge: {revolute: [ground, disc]}}\nend: 1\n",
                       settings[k]))
      return;
    for (int i = 0; carom_model_note(r.model, i); i++)
      noted |= strstr(carom_model_note(r.model, i), "give the body 'damping' and use integrator bdf") != NULL;
    CHECK_EQUAL(noted, k == 0);
    run_close(&r);
  }
}

// A slender rectangle on a hinge swings and vibrates as a beam with its section.
static void slender_solids_are_beams(void) {
  double y[2], mode[2];
  for (int k = 0; k < 2; k++) {
    run r;
    const char *text =
        k ? "space: planar\nbodies:\n  link:\n"
            "    solid_2d: {rectangle: [1, 0.02], elements: 40, thickness: 0.01, young: 1e9, poisson: 0, density: "
            "2000}\n"
            "    modes: {count: 3, static_modes: false}\n"
            "markers: {near: {on: link, at: [-0.5, 0]}, far: {on: link, at: [0.5, 0]}}\n"
            "joints: {hinge: {revolute: [ground, near]}}\n"
          : "space: planar\nbodies:\n  link:\n"
            "    beam: {length: 1, section: {area: 2e-4, second_moment: 0.01*0.02^3/12}, young: 1e9, density: 2000}\n"
            "    modes: {count: 3, support: free}\n    geometric_stiffness: false\n"
            "markers: {far: {on: link, at: [1, 0]}}\njoints: {hinge: {revolute: [ground, link]}}\n";
    if (!run_open_text(&r, text, "integrator.rtol=1e-9 integrator.atol=1e-9")) return;
    run_to(&r, 0.1);
    y[k] = run_read(&r, "far.y"), mode[k] = carom_model_body_frequency(r.model, 1, 0);
    CHECK_LE(carom_sim_summary(r.sim).energy_imbalance, 1e-6);
    run_close(&r);
  }
  // shear and rotary inertia lower the first frequency by about 20 (h/L)², of order 1e-3 here, and elements raise it
  CHECK_NEAR(mode[1] / mode[0], 1, 5e-3);
  CHECK_NEAR(y[1] / y[0], 1, 1e-2);
}

// --- record, checkpoint, warnings ------------------------------------------------------------------------------------

static void runs_go_on_from_a_checkpoint(void) {
  run r;
  if (!run_open_text(&r, TWO_BEAMS, "integrator.type=erk")) return;
  run_to(&r, 0.02);
  double *row = calloc((size_t)sim_checkpoint_size(r.sim), sizeof *row);
  carom_sim *resumed = carom_sim_create(r.model, &r.error);
  if (CHECK(row && resumed)) {
    sim_checkpoint(r.sim, row);
    CHECK(sim_resume(resumed, row, &r.error) == CAROM_OK);
    CHECK_NEAR(resumed->deformed[1].turn, r.sim->deformed[1].turn, 0);
    CHECK(carom_sim_advance(resumed, 0.04, &r.error) == CAROM_OK);
    run_to(&r, 0.04);
    const int mode = carom_model_signal(r.model, "lower.mode2");
    CHECK_NEAR(carom_sim_read(resumed, mode), carom_sim_read(r.sim, mode), 0);
    CHECK_LE(1e-12, fabs(carom_sim_read(r.sim, mode)));
  }
  carom_sim_destroy(resumed);
  free(row);
  run_close(&r);
}

static void large_turns_are_a_warning(void) {
  for (int k = 0; k < 2; k++) {
    run r;
    if (!run_open_text(&r, TWO_BEAMS, k ? "bodies.lower.beam.young=1e6" : NULL)) return;
    run_to(&r, 0.2);
    const carom_summary s = carom_sim_summary(r.sim);
    CHECK_EQUAL(s.large_deformations, k);
    CHECK_EQUAL(s.largest_turn > 10 * M_PI / 180, k);
    if (k) CHECK_CONTAINS(s.deformed, "lower turned by ");
    else CHECK_TEXT(s.deformed, "");
    carom_verdict *v = carom_judge(r.model, &s, &r.error);
    bool warned = false;
    for (int i = 0; carom_verdict_check(v, i).key; i++)
      warned |= strcmp(carom_verdict_check(v, i).key, "large_deformation") == 0;
    CHECK_EQUAL(warned, k);
    carom_verdict_destroy(v);
    run_close(&r);
  }
}

// Just below the step that is refused, an undamped beam stays bounded for many steps.
// A bar that is pulled and a plate that is sheared by more than 2 % do not turn by 10 degrees, and are a warning.
static void large_strains_are_a_warning(void) {
  static const char *const bodies[] = {
      "    beam: {length: 1, section: {area: 1e-4, second_moment: 1e-9}, young: 1e6, density: 1000}\n"
      "    modes: {count: 1}\n",
      "    solid_2d: {rectangle: [1, 0.1], elements: 5, thickness: 0.001, young: 1e6, density: 1000}\n"
      "    modes: {count: 1}\n"};
  for (int k = 0; k < 4; k++) {
    run r;
    char text[1000];
    snprintf(text, sizeof text,
             "space: planar\ngravity: [0, 0]\nbodies:\n  bar:\n%s    damping: {ratio: 1}\n"
             "markers: {tip: {on: bar, at: [%s, 0]}, root: {on: bar, at: [%s, 0]}}\n"
             "joints: {clamp: {fixed: [ground, root]}}\nforces: {pull: {force: tip, components: [%s, 0]}}\n"
             "integrator: bdf\n",
             bodies[k / 2], k / 2 ? "0.5" : "1", k / 2 ? "-0.5" : "0", k % 2 ? "3" : "1");
    if (!run_open_text(&r, text, NULL)) return;
    run_to(&r, 0.5);
    const carom_summary s = carom_sim_summary(r.sim);
    CHECK_LE(s.largest_turn, s.turn_limit);
    // 1 and 3 N on 1e-4 m² at 1e6 Pa strain by 1 and 3 %; between its ends, where loads act at points, the plate too
    if (k < 2) CHECK_NEAR(r.sim->deformed[1].strain, k % 2 ? 0.03 : 0.01, 1e-4);
    if (k % 2) CHECK_CONTAINS(s.deformed, "bar strained by ");
    if (k != 2) CHECK_EQUAL(s.large_deformations, k % 2);
    run_close(&r);
  }
}

static void fixed_steps_are_stable_up_to_the_limit(void) {
  run r;
  const char *rest =
      "gravity: [0, 0]\njoints: {hinge: {revolute: [ground, link]}}\ninitial: {link: {modes: [1 mm, 1 mm, 1 mm]}}\n";
  if (!open_beam(&r, "    modes: {count: 3}", rest, NULL)) return;
  const double step = 2.78 / r.model->fastest.rate;
  const double bound = 1.01 * run_read(&r, "energy.strain");
  run_close(&r);
  for (int k = 0; k < 2; k++) {
    char settings[100], path[4500];
    snprintf(settings, sizeof settings, "integrator.type=rk4 integrator.step=%.15g", step * (k ? 1.001 : 0.999));
    snprintf(path, sizeof path, "%s", scratch("model.yaml"));
    if (k) {
      CHECK(!run_try(&r, path, settings));
      CHECK_CONTAINS(r.error.text, "mostly in its mode 3");
    } else if (open_beam(&r, "    modes: {count: 3}", rest, settings)) {
      run_to(&r, 3000 * step);
      CHECK_LE(run_read(&r, "energy.strain"), bound);
    }
    run_close(&r);
  }
}

// The same beam made in code.
static void programs_make_beams(void) {
  carom_model_def about = carom_model_default(CAROM_PLANAR);
  carom_def *def = carom_def_create(&about);
  carom_beam_def beam = carom_beam_default();
  carom_modes_def modes = carom_modes_default();
  carom_structural_damping_def damping = carom_structural_damping_default();
  const carom_function shapes[] = {CAROM_EXPRESSION("(x/L)^2"), CAROM_EXPRESSION("(x/L)^3")};
  beam.length = 1, beam.young = 2.1e11, beam.density = 7800;
  beam.section.area = CAROM_CONSTANT(4e-4), beam.section.second_moment = CAROM_CONSTANT(1e-8);
  modes.transverse = (carom_functions){shapes, 2};
  damping.ratio = 0.02;
  carom_body_def body = carom_body_default();
  body.beam = &beam, body.modes = &modes, body.damping = &damping;
  carom_joint_def hinge = carom_joint_default();
  hinge.between[0] = "ground", hinge.between[1] = "link";
  carom_def_body(def, "link", &body);
  carom_def_joint(def, "hinge", "revolute", &hinge);
  run r = {0};
  r.model = carom_model_compile(def, &r.error);
  r.sim = r.model ? carom_sim_create(r.model, &r.error) : NULL;
  if (!CHECK(r.sim)) printf("      %s\n", r.error.text);
  else run_to(&r, 0.1);
  const double here = r.sim ? run_read(&r, "link.mode1") : NAN;
  run_close(&r);
  beam.length = -1;
  carom_def_destroy(def);
  def = carom_def_create(&about);
  carom_def_body(def, "link", &body);
  carom_def_joint(def, "hinge", "revolute", &hinge);
  CHECK(!carom_model_compile(def, &r.error));
  CHECK_CONTAINS(r.error.text, "length");
  carom_def_destroy(def);
  if (!open_beam(&r, "    modes: {transverse: [(x/L)^2, (x/L)^3]}\n    damping: {ratio: 0.02}",
                 "joints: {hinge: {revolute: [ground, link]}}\n", NULL))
    return;
  run_to(&r, 0.1);
  CHECK_NEAR(run_read(&r, "link.mode1"), here, 0);
  run_close(&r);
}

int main(void) {
  RUN(cantilever_bends_as_its_closed_form);
  RUN(frequencies_are_those_of_the_beam);
  RUN(joined_modes_are_those_of_the_held_beam);
  RUN(joined_modes_are_exact_under_static_loads);
  RUN(sides_are_held_as_wholes);
  RUN(mass_follows_from_the_beam);
  RUN(tapered_beams_have_their_mass);
  RUN(steps_of_sections_are_nodes);
  RUN(kinked_stretches_are_integrated);
  RUN(integrators_agree);
  RUN(methods_agree);
  RUN(damping_is_booked);
  RUN(frames_follow_the_joint);
  RUN(bases_with_the_same_span_agree);
  RUN(frames_differ_by_the_square_of_the_deformation);
  RUN(planar_and_spatial_beams_agree);
  RUN(stiff_beams_move_as_rigid_ones);
  RUN_OPTIMISED(free_flight_keeps_momentum_and_energy);
  RUN_OPTIMISED(discs_have_their_frequencies);
  RUN(static_modes_of_solids_are_exact);
  RUN(meshes_are_refined_towards_places);
  RUN(contact_places_have_static_modes);
  RUN(fastest_mode_of_many_is_found);
  RUN(fast_modes_are_noted);
  RUN(slender_solids_are_beams);
  RUN(runs_go_on_from_a_checkpoint);
  RUN(large_turns_are_a_warning);
  RUN(large_strains_are_a_warning);
  RUN(fixed_steps_are_stable_up_to_the_limit);
  RUN(programs_make_beams);
  return check_summary();
}
