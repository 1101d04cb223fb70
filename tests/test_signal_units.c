// Units of signals, motions, efforts and outputs, from the model file to the list of signals.
#include <stdio.h>
#include <string.h>

#include "carom/carom.h"
#include "check.h"

static carom_error error;

// A block on a slider `j`, a rotor on a hinge `h`, and some more lines.
static carom_model *parse(const char *more) {
  char text[2000];
  snprintf(text, sizeof text,
           "space: planar\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}\n"
           "joints: {j: {prismatic: [ground, a]}, h: {revolute: [ground, b]}}\n%s\n",
           more);
  error = (carom_error){0};
  return carom_model_parse(text, "test", &error);
}

static void loads(const char *more) {
  carom_model *model = parse(more);
  if (!CHECK(model)) printf("%s\n", error.text);
  carom_model_destroy(model);
}

static void refused(const char *more, const char *message, const char *hint) {
  carom_model *model = parse(more);
  if (!CHECK(!model)) {
    printf("    for: %s\n", more);
  } else {
    bool good = CHECK(error.status == CAROM_ERROR_MODEL) && CHECK(error.line == 4 && error.column > 1);
    good &= CHECK_CONTAINS(error.text, message);
    if (hint) good &= CHECK_CONTAINS(error.text, hint);
    if (!good) printf("%s\n", error.text);
  }
  carom_model_destroy(model);
}

static void motions_fit_their_coordinate(void) {
  loads("drives: {d: {joint: h, motion: 300 rpm*t}}");
  loads("drives: {d: {joint: h, motion: 300 rpm*t + 30 deg}}");
  loads("drives: {d: {joint: j, motion: 10 mm*300 rpm*t}}");
  loads("drives: {d: {joint: j, motion: 0.2 m/s*t}}");
  loads("drives: {d: {joint: j, motion: 0.1*sin(5*t)}}");
  loads("drives: {d: {joint: j, motion: 3 mm*sin(5 Hz*t)}}");
  loads("drives: {d: {joint: h, motion: 2*t}}");
  loads("drives: {d: {joint: h, motion: 2*pi*5 Hz*t}}");
  loads("drives: {d: {joint: h, motion: t*5 Hz*2*pi + 30 deg}}");
  loads("drives: {d: {joint: h, motion: 1 rad*sin(5 Hz*t)}}");
  loads("drives: {d: {joint: h, motion: 'sqrt(g0/(1 m))*t'}}");
  loads("drives: {d: {joint: j, motion: 5 Hz*t}}");  // a plain number, as metres
  loads("drives: {d: {joint: j, motion: 3 mm*(5 Hz*t) + 1 mm}}");
  loads("drives: {d: {joint: j, motion: 3 mm*2*pi*5 Hz*t}}");
  loads("drives: {d: {joint: h, motion: 'blend(t, 0, 1 s)'}}");
  refused("drives: {d: {joint: h, motion: 300 rpm}}",
          "'motion' must be an angle in rad, not an angular speed in rad/s, since 'h' turns", "write 300 rpm * t");
  refused("drives: {d: {joint: j, motion: 300 rpm*t}}",
          "'motion' must be a length in m, not an angle in rad, since 'j' slides", "10 mm * (300 rpm*t)");
  refused("drives: {d: {joint: j, motion: 30 deg}}", "not an angle in rad", NULL);
  refused("drives: {d: {joint: h, motion: 3 mm*sin(t)}}", "not a length in m", "divide by a length such as a radius");
  refused("drives: {d: {joint: j, motion: 3 kg*t}}", "not in kg*s", "give it in m");
  refused("drives: {d: {joint: h, motion: 3 Hz*t}}", "'motion' must be an angle in rad, not a number of cycles",
          "write 2*pi*(3 Hz*t)");
  refused("drives: {d: {joint: h, motion: 3 Hz}}", "must be an angle in rad, not a frequency in Hz",
          "write 2*pi*3 Hz*t");
  refused("drives: {d: {joint: h, motion: 30 deg + 3 Hz*t}}", "cannot add rad and cycles", "a cycle has 2*pi rad");
  refused("drives: {d: {joint: h, motion: (1 rpm + 1 Hz)*t}}", "cannot add rad/s and Hz", "a cycle has 2*pi rad");
  refused("drives: {d: {joint: h, motion: t}}", "not a time in s", "1 rad/s * t");
}

static void efforts_fit_their_coordinate(void) {
  loads("forces: {f: {along: h, effort: 2 N*m}}");
  loads("forces: {f: {along: h, effort: 3 N*m/rad*(1 rad - h.q) - 0.1 N*m*s*h.u}}");
  loads("forces: {f: {along: h, effort: 2 N*m*h.q}}");
  loads("forces: {f: {along: j, effort: -100*j.q - 3*j.u}}");
  loads("forces: {f: {along: j, effort: 2 N}}");
  refused("forces: {f: {along: j, effort: 5 kg}}", "'effort' must be a force in N, not a mass in kg, since 'j' slides",
          "g0");
  refused("forces: {f: {along: h, effort: 5 kg}}", "must be a torque in N*m, not a mass in kg", "give it in N*m");
  refused("forces: {f: {along: h, effort: 5 N}}", "not a force in N", "a length such as a radius");
  refused("forces: {f: {along: j, effort: 5 N*m}}", "not a torque in N*m", "a length such as a radius");
  refused("forces: {f: {along: j, effort: j.q}}", "not a length in m", "1 N/m * j.q");
}

static void signals_have_units_in_expressions(void) {
  loads("forces: {f: {force: a, components: [-100*a.x, sin(t)]}}");
  loads("forces: {f: {force: a, components: [-100 N/m*a.x, exp(a.x)]}}");
  loads("forces: {f: {force: a, components: [0.1*a.x*a.vx, 0]}}");
  loads("outputs: {s: sin(a.x)}");
  loads("outputs: {s: a.x + 1 mm, c: 'if(a.x > 3, 1, 0)'}");
  loads("outputs: {s: b.x + 0.1 m*h.q}");
  loads("outputs: {s: h.tz*h.u - energy.kinetic/(1 s)}");
  refused("forces: {f: {force: a, components: [a.x*1 kg, 0]}}", "'components' must be a force in N, not in kg*m",
          "(1 s^2)");
  refused("forces: {f: {force: a, components: [a.x, 0]}}", "not a length in m", "1 N/m * a.x");
  refused("forces: {f: {torque: a, components: 1 kg*a.vx}}", "must be a torque in N*m, not an impulse in N*s", NULL);
  loads("outputs: {s: 1 rpm + 2*pi*1 Hz, n: 'if(3 Hz*t > 2, 1, 0)', p: h.u + 3 Hz*h.q}");
  loads("outputs: {s: sqrt(a.x) + 1 m}");  // a root that is no unit is a plain number
  refused("outputs: {s: 1 rpm + 1 Hz}", "cannot add rad/s and Hz", "a cycle has 2*pi rad");
  refused("outputs: {s: sqrt(a.x^2) + 1 s}", "cannot add m and s", NULL);
  refused("outputs: {t: a.x}", "'t' is the name of a signal already", "another name");
  refused("outputs: {s: a.x + 1 kg}", "cannot add m and kg", "the same unit");
  refused("outputs: {s: a.x + a.vx}", "cannot add m and m/s", NULL);
  refused("outputs: {s: energy.kinetic - h.u}", "cannot subtract N*m and rad/s", NULL);
  refused("constraints: {c: {distance: [ground, b], length: 2 m/s}}", "must be a length in m, not a speed in m/s",
          "write 2 m/s * t");
}

// Numbers whose unit depends on the joint they belong to.
static void numbers_fit_their_coordinate(void) {
  loads("initial: {h: {q: 30 deg, u: 300 rpm}, j: {q: 3 mm, u: 2 m/s}}");
  loads("initial: {h: {guess: 0.3, u: 5}}");
  loads("initial: {h: {u: 2*pi*5 Hz}}");
  refused("initial: {h: {u: 5 Hz}}", "'u' of 'h' must be an angular speed in rad/s, not a frequency in Hz",
          "write 2*pi*f");
  loads("forces: {f: {along: h, stiffness: 2 N*m/rad, damping: 0.1 N*m*s, rest: 30 deg}}");
  loads("forces: {f: {along: h, stiffness: 2 N*m}, g: {along: j, stiffness: 2 N/mm, damping: 3, rest: 2 mm}}");
  loads("forces: {f: {bushing: [a, b], stiffness: [2 N/mm, 3 N*m], damping: [1 N*s/m, 1 N*m*s]}}");
  refused("initial: {h: {q: 300 rpm}}",
          "'q' of 'h' must be an angle in rad, not an angular speed in rad/s, since 'h' turns", "in rad");
  refused("initial: {j: {u: 300 rpm}}",
          "'u' of 'j' must be a speed in m/s, not an angular speed in rad/s, since 'j' slides", "m/s");
  refused("initial: {j: {guess: 30 deg}}", "'guess' of 'j' must be a length in m, not an angle in rad", NULL);
  refused("initial: {b: {turn: 3 m}}", "'turn' must be an angle in rad, not a length in m", NULL);
  refused("forces: {f: {along: h, stiffness: 2 N/m}}", "must be a torque in N*m, not a stiffness in N/m", NULL);
  refused("forces: {f: {along: j, rest: 30 deg}}",
          "'rest' of 'f' must be a length in m, not an angle in rad, since 'j' slides", NULL);
  refused("forces: {f: {along: j, damping: 2 N*m*s}}", "'damping' of 'f' must be a damping in N*s/m", NULL);
  refused("forces: {f: {bushing: [a, b], stiffness: [2 N/mm, 3 N/m]}}", "'stiffness' of 'f' must be a torque in N*m",
          NULL);
  error = (carom_error){0};
  CHECK(
      !carom_model_parse("space: planar\nbodies: {a: {mass: 1, inertia: 1}}\n"
                         "joints: {j: {prismatic: [ground, a], limits: [0, 30 deg]}}\nmethod: event\n",
                         "test", &error));
  CHECK_CONTAINS(error.text, "'limits' of 'j' must be a length in m, not an angle in rad, since 'j' slides");
}

static void unit_is(const carom_model *model, const char *name, const char *wanted) {
  int i = carom_model_signal(model, name);
  if (!CHECK(i >= 0) || !CHECK_TEXT(carom_model_signal_unit(model, i), wanted)) printf("    of %s\n", name);
}

static void outputs_have_the_unit_of_their_expression(void) {
  carom_model *model = parse(
      "outputs: {x: a.x, sum: energy.impact + energy.friction, power: h.tz*h.u, ratio: a.x/b.x, rim: 0.2 m*h.u,\n"
      "  work: 0.5*3 kg*a.vx^2, degrees: h.q*180/pi, constant: 3 mm, number: 3, angle: h.q, time: t, rate: 3 Hz, "
      "beats: 3 Hz*t, root: sqrt(a.x)}");
  if (!CHECK(model)) return;
  unit_is(model, "x", "m");
  unit_is(model, "sum", "J");
  unit_is(model, "power", "W");
  unit_is(model, "ratio", "1");
  unit_is(model, "rim", "m/s");
  unit_is(model, "work", "N*m");
  unit_is(model, "degrees", "");  // the factor may be a conversion, as here
  unit_is(model, "constant", "m");
  unit_is(model, "number", "");
  unit_is(model, "angle", "rad");
  unit_is(model, "time", "s");
  unit_is(model, "rate", "1/s");
  unit_is(model, "beats", "1");
  unit_is(model, "root", "");  // no power of a unit
  carom_model_destroy(model);
}

static void efforts_and_multipliers_have_one_unit(void) {
  carom_model *model = parse(
      "drives: {turn: {joint: h, motion: 2*t}, slide: {joint: j, motion: 2*t}}\n"
      "forces: {motor: {along: h}, push: {along: j}}\n");
  if (!CHECK(model)) return;
  unit_is(model, "turn.effort", "N*m");
  unit_is(model, "slide.effort", "N");
  unit_is(model, "motor.effort", "N*m");
  unit_is(model, "push.effort", "N");
  carom_model_destroy(model);
  model = parse(
      "constraints: {rod: {distance: [a, b], length: 1}, still: {couple: [h], factors: [1]},\n"
      "  rack: {rack: [h, j], radius: 1, value: -1}}\ninitial: {j: {q: 1}}");
  if (!CHECK(model)) {
    printf("%s\n", error.text);
    return;
  }
  unit_is(model, "rod.lambda0", "N");
  unit_is(model, "still.lambda0", "N*m");
  unit_is(model, "rack.lambda0", "");
  carom_model_destroy(model);
}

int main(void) {
  RUN(motions_fit_their_coordinate);
  RUN(efforts_fit_their_coordinate);
  RUN(signals_have_units_in_expressions);
  RUN(numbers_fit_their_coordinate);
  RUN(outputs_have_the_unit_of_their_expression);
  RUN(efforts_and_multipliers_have_one_unit);
  return check_summary();
}
