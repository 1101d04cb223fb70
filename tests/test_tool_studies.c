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

int main(void) {
  RUN(shards_are_joined_as_they_are);
  return check_summary();
}
