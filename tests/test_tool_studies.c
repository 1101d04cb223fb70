// Studies by the command line: what is printed, exit codes, and what is refused.
#include "tool.h"

static const char fall[] =
    "space: planar\n"
    "gravity: [0, -10]\n"
    "parameters: {h: 1 m, v: 0 m/s}\n"
    "bodies: {ball: {mass: 2, inertia: 1}}\n"
    "joints: {free: {free: [ground, ball]}}\n"
    "initial: {free: {q: [0, 0, h], u: [0, 0, v]}}\n"
    "outputs: {y: ball.y}\n"
    "record: {every: 0.1}\n"
    "end: 1\n";

// Shards say nothing of indices, which they do not have; joined they do. What --join would ignore is refused.
static void shards_are_joined_as_they_are(void) {
  if (!write_text(scratch("fall.yaml"), fall)) return;
  for (int i = 1; i <= 2; i++) {
    CHECK_EQUAL(carom("sweep fall.yaml --vary 'h=1 m:2 m' --sample 8 --sensitivity --take 'last(y)' --shard %d/2 "
                      "-o part%d.h5",
                      i, i),
                0);
    CHECK(!strstr(out, "first order"));
  }
  CHECK_EQUAL(carom("sweep --join part1.h5 part2.h5 -o all.h5 --vary h=1:2"), 2);
  CHECK_CONTAINS(err, "leave out --vary");
  CHECK_EQUAL(carom("sweep --join part1.h5 part2.h5 -o all.h5 --sample 8"), 2);
  CHECK_CONTAINS(err, "leave out --sample");
  CHECK_EQUAL(carom("sweep --join part1.h5 part2.h5 -o all.h5"), 0);
  CHECK_CONTAINS(out, "last(y), from 8 points");
  forget_output();
}

static const char swing[] =
    "title: Swing\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "bodies: {bob: {mass: 2, inertia: 0, com: [0, -0.5]}}\n"
    "joints: {pin: {revolute: [ground, bob]}}\n"
    "initial: {pin: {q: 1}}\n"
    "end: 1\n";

static void an_equilibrium_is_told(void) {
  if (!write_text(scratch("swing.yaml"), swing) || !write_text(scratch("fall.yaml"), fall)) return;
  CHECK_EQUAL(carom("equilibrium swing.yaml"), 0);
  CHECK_CONTAINS(out, "pin.q ");
  CHECK_CONTAINS(out, "1 degree of freedom: stable; found in");
  CHECK_EQUAL(carom("equilibrium swing.yaml --json"), 0);
  CHECK_NEAR(printed_number("pin.q"), 0, 1e-12);
  CHECK_NEAR(printed_number("unstable"), 0, 0);
  CHECK_EQUAL(carom("equilibrium swing.yaml --set initial.pin.q=pi"), 0);
  CHECK_CONTAINS(out, "UNSTABLE in 1 of them");
  CHECK_EQUAL(carom("equilibrium fall.yaml"), 1);
  CHECK_CONTAINS(err, "no equilibrium was found");
  CHECK_CONTAINS(err, "body 'ball' still moves");
  CHECK_EQUAL(carom("equilibrium nothing.yaml"), 3);
  CHECK_EQUAL(carom("equilibrium"), 2);
  forget_output();
}

static void modes_are_told(void) {
  if (!write_text(scratch("swing.yaml"), swing)) return;
  CHECK_EQUAL(carom("modes swing.yaml --equilibrium --shapes"), 0);
  CHECK_CONTAINS(out, "0.704968");  // √(9.81/0.5)/2π
  CHECK_CONTAINS(out, "pin.q ");
  CHECK_TEXT(err, "");
  CHECK_EQUAL(carom("modes swing.yaml"), 0);
  CHECK_CONTAINS(err, "the start is no equilibrium: it accelerates");
  CHECK_EQUAL(carom("modes %s/models/top.yaml --set tilt=0", CHECK_SOURCE_DIR), 0);
  CHECK_CONTAINS(out, "212.719 i");
  CHECK_CONTAINS(out, "about a motion with speeds up to 250 1/s");
  CHECK_TEXT(err, "");
  CHECK_EQUAL(carom("modes %s/models/top.yaml", CHECK_SOURCE_DIR), 0);
  CHECK_CONTAINS(err, "no steady motion in the coordinates of its joints");
  CHECK_EQUAL(carom("modes %s/models/top.yaml --at-rest", CHECK_SOURCE_DIR), 0);
  CHECK(!strstr(err, "steady motion"));
  CHECK_EQUAL(carom("modes swing.yaml --equilibrium --json"), 0);
  CHECK_NEAR(printed_number("omega"), 4.4294469180700204, 1e-8);
  CHECK_EQUAL(carom("modes swing.yaml --equilibrium -o modes.h5"), 0);
  CHECK_CONTAINS(out, "carom report modes.h5");
  CHECK_EQUAL(carom("export modes.h5 --table modes"), 0);
  CHECK_CONTAINS(out, "mode,first,last,real,imaginary,omega,frequency,damping\n1,0,");
  CHECK_EQUAL(carom("report modes.h5 -o modes.html"), 0);
  in_scratch("echo important > notes.txt");
  CHECK_EQUAL(carom("modes swing.yaml --equilibrium -o notes.txt"), 2);
  forget_output();
}

// A driven pendulum without contact; its linear neighbour has period 1.
static const char driven[] =
    "space: planar\n"
    "parameters: {w: 2 rad/s}\n"
    "bodies: {mass: {mass: 1, inertia: 1}}\n"
    "joints: {slide: {prismatic: [ground, mass], axis: x}}\n"
    "forces:\n"
    "  spring: {along: slide.q, stiffness: 9, damping: 0.6}\n"
    "  drive: {motor: slide, effort: cos(w*t)}\n"
    "end: 5\n";

static void a_bifurcation_diagram_is_told(void) {
  if (!write_text(scratch("driven.yaml"), driven)) return;
  CHECK_EQUAL(carom("bifurcation driven.yaml --vary 'w=2 rad/s:3 rad/s:3' --period '2*pi/w' --cut 60 --points 4"), 0);
  CHECK_CONTAINS(out, "6 values of w, 0 failed, 0 changes");
  CHECK_CONTAINS(out, "forward   2            3                  3  1       0.53");
  CHECK_CONTAINS(out, "carom report driven-bifurcation.h5");
  CHECK_TEXT(err, "");
  CHECK_EQUAL(carom("export driven-bifurcation.h5"), 0);
  CHECK_CONTAINS(out, "row,direction,w,status,period,multiplier,");
  CHECK_CONTAINS(out, "\n5,backward,2,0,1,");
  CHECK_EQUAL(carom("export driven-bifurcation.h5 --table points"), 0);
  CHECK_CONTAINS(out, "row,direction,w,point,t,slide.q\n0,forward,2,0,");
  CHECK_EQUAL(carom("report driven-bifurcation.h5 -o driven.html"), 0);
  CHECK_EQUAL(carom("report driven-bifurcation.h5 driven-bifurcation.h5 -o driven.html"), 2);
  CHECK_CONTAINS(err, "is a bifurcation diagram, which has a page of its own");
  CHECK_EQUAL(carom("bifurcation driven.yaml --vary w=2,3 --section slide.q=9 --one-way -q"), 1);
  CHECK_CONTAINS(err, "2 of 2 values failed, 2 first:");
  CHECK_CONTAINS(err, "does not rise through 9");
  CHECK_EQUAL(carom("bifurcation driven.yaml --vary w=2,3 --period '2*pi/w' --cut 60 --points 4 --json"), 0);
  CHECK_CONTAINS(out, "\"values\": [{\"row\": 0, \"direction\": \"forward\", \"w\": 2, \"status\": 0, \"period\": 1,");
  CHECK_CONTAINS(out, "\"changes\": []}");
  CHECK_EQUAL(carom("bifurcation driven.yaml --vary v=2,3 --period 1"), 2);
  CHECK_EQUAL(carom("bifurcation driven.yaml --vary w=2,3"), 2);
  CHECK_CONTAINS(err, "no section is given");
  CHECK_EQUAL(carom("bifurcation driven.yaml --period 1"), 2);
  CHECK_CONTAINS(err, "give --vary NAME=RANGE once");
  CHECK_EQUAL(carom("bifurcation driven.yaml --vary w=2,3 --period 1 --points 1"), 2);
  CHECK_EQUAL(carom("bifurcation nothing.yaml --vary w=2,3 --period 1"), 3);
  CHECK_EQUAL(carom("bifurcation driven.yaml --vary w=2,3 --period 1 -o driven.yaml --force"), 2);
  forget_output();
}

// Every command of the section of the guide, and the lines with periods as they stand there.
static void the_guide_shows_a_bifurcation_diagram(void) {
  char *guide = read_file(CHECK_SOURCE_DIR "/docs/guide.md", NULL), line[512];
  const char *at = guide ? strstr(guide, "### Bifurcation diagrams") : NULL,
             *end = at ? strstr(at + 1, "\n### ") : NULL;
  int commands = 0, lines = 0;
  if (!CHECK(at && end)) return;
  for (; at < end; at += strcspn(at, "\n") + 1) {
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    if (strncmp(line, "$ carom ", 8) == 0) commands += CHECK_EQUAL(carom("%s", line + 8), 0);
    else if (strncmp(line, "  forward   2", 13) == 0 && !strstr(line, "period ")) lines += CHECK_CONTAINS(out, line);
  }
  CHECK(commands == 3 && lines == 4);
  forget_output();
  free(guide);
}

int main(void) {
  RUN(shards_are_joined_as_they_are);
  RUN(an_equilibrium_is_told);
  RUN(modes_are_told);
  RUN(a_bifurcation_diagram_is_told);
  RUN_OPTIMISED(the_guide_shows_a_bifurcation_diagram);
  return check_summary();
}
