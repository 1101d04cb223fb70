// What an episode of contact is: an impact, contact that lasts, a touch; and how hard its impact was.
#include "check.h"

#include <math.h>

#include "report/episodes.h"

static jmp_buf out_of_memory;
static arena memory;

// A run of one second with a row every 0.1 ms: up to 0.4 ms an episode is brief however long others last, and from
// 2 ms on one that does not hit lasts.
static double judge(episode *episodes, long count) { return episodes_judge(&memory, episodes, count, 1, 1e-4, false); }

static void the_strength_is_impulse_times_approach(void) {
  episode b[] = {episode_create(0.1, 0.1001, 3, 2, 0), episode_create(0.2, 0.2001, -3, 2, 0),
                 episode_create(0.3, 0.3, 1, 2e-5, 0)};
  CHECK_NEAR(judge(b, 3), 4e-4, 1e-18);
  for (int i = 0; i < 3; i++) CHECK_EQUAL(b[i].kind, EPISODE_IMPACT);
  CHECK_NEAR(b[0].strength, 6, 0);
  CHECK_NEAR(b[1].strength, 6, 0);  // signs of impulses are conventions
  CHECK_NEAR(b[2].strength, 2e-5, 0);
}

static void rest_is_no_impact(void) {
  episode b[] = {episode_create(0.1, 0.1001, 1e-3, 1, 10), episode_create(0.2, 0.9, 1e3, 0, 1e4),
                 episode_create(0.3, 0.301, 1e3, 1e-9, 1e4), episode_create(0.4, 0.4001, 1e-5, 0, 1)};
  judge(b, 4);
  CHECK_EQUAL(b[0].kind, EPISODE_IMPACT);
  CHECK_EQUAL(b[1].kind, EPISODE_LASTING);
  CHECK_EQUAL(b[2].kind, EPISODE_TOUCH);  // ten rows without approach: neither brief nor lasting
  CHECK_EQUAL(b[3].kind, EPISODE_TOUCH);  // brief, but of a hundredth of the hardest impulse
  for (int i = 1; i < 4; i++) CHECK_NEAR(b[i].strength, 0, 0);
}

// Of an episode that begins with an impact and goes on, what the peak force gives within a brief one counts.
static void an_impact_before_rest_counts(void) {
  episode b[] = {episode_create(0.1, 0.1001, 1, 1, 0), episode_create(0.2, 0.7, 500, 0.5, 1000),
                 episode_create(0.8, 0.9, 0.1, 0.5, 1000), episode_create(0.9, 0.95, 7, 0.005, 1000)};
  double brief = judge(b, 4);
  CHECK_EQUAL(b[1].kind, EPISODE_IMPACT);
  CHECK_NEAR(b[1].strength, 1000 * brief * 0.5, 1e-15);
  CHECK_NEAR(b[2].strength, 0.1 * 0.5, 1e-17);  // never more than its impulse
  CHECK_EQUAL(b[3].kind, EPISODE_LASTING);      // half a hundredth of the fastest approach
}

// Where the record tells impacts from lasting contact, every row is one, however slow.
static void rows_beside_episodes_are_impacts(void) {
  episode b[] = {episode_create(0.1, 0.1001, 1, 1, 10), episode_create(0.2, 0.9, 1e3, 1e-3, 1e4),
                 episode_create(0.4, 0.9, 500, 1e-9, 1e4)};
  episodes_judge(&memory, b, 3, 1, 1e-4, true);
  for (int i = 0; i < 3; i++) CHECK_EQUAL(b[i].kind, EPISODE_IMPACT);
  CHECK(b[0].strength > b[1].strength &&
        b[1].strength > b[2].strength);  // the last one rests, however large its impulse
}

// A row of balls: the inner ones pass the impact on without approaching.
static void an_impact_passed_on_is_one(void) {
  episode b[] = {episode_create(0.5, 0.5001, 2, 1, 0), episode_create(0.5, 0.5001, 1.8, 0, 0),
                 episode_create(0.5, 0.5001, 0.05, 0, 0)};
  judge(b, 3);
  CHECK_EQUAL(b[1].kind, EPISODE_IMPACT);
  CHECK_NEAR(b[1].strength, 1.8 * (1 * 1.8 / 2), 1e-15);
  CHECK_EQUAL(b[2].kind, EPISODE_TOUCH);
}

// Continuous contact over many rows: brief is what a usual fast episode lasts, four times over, at most a hundredth of
// the run.
static void brief_goes_by_what_is_usual(void) {
  episode b[5];
  for (int i = 0; i < 5; i++) b[i] = episode_create(0.1 * i, 0.1 * i + 2e-3, 1, 1, 1e3);
  CHECK_NEAR(judge(b, 5), 8e-3, 1e-15);
  for (int i = 0; i < 5; i++) b[i] = episode_create(0.1 * i, 0.1 * i + 0.05, 1, 1, 1e3);
  CHECK_NEAR(judge(b, 5), 0.01, 1e-15);
  CHECK_EQUAL(b[0].kind, EPISODE_IMPACT);
}

static void nothing_and_nonsense(void) {
  CHECK_NEAR(episodes_judge(&memory, NULL, 0, 1, 1e-4, false), 4e-4, 1e-18);
  CHECK_NEAR(episodes_judge(&memory, NULL, 0, 0, 0, false), 0, 0);
  episode b[] = {episode_create(NAN, INFINITY, NAN, NAN, -INFINITY), episode_create(1, 0, 1e300, 1e300, 1e300),
                 episode_create(0, 0, 0, 0, 0)};
  judge(b, 3);
  for (int i = 0; i < 3; i++) CHECK(isfinite(b[i].strength) && b[i].strength >= 0 && b[i].kind < EPISODE_KINDS);
}

static void in_own_memory(const char *name, void (*test)(void)) {
  memory = arena_create(&out_of_memory);
  check_run(name, test);
  arena_free(&memory);
}

#undef CHECK_RUNNER
#define CHECK_RUNNER in_own_memory

int main(void) {
  if (setjmp(out_of_memory)) return 1;
  RUN(the_strength_is_impulse_times_approach);
  RUN(rest_is_no_impact);
  RUN(an_impact_before_rest_counts);
  RUN(rows_beside_episodes_are_impacts);
  RUN(an_impact_passed_on_is_one);
  RUN(brief_goes_by_what_is_usual);
  RUN(nothing_and_nonsense);
  return check_summary();
}
