#include "report/episodes.h"

#include <math.h>
#include <stdlib.h>

static const double short_rows = 4;        // an episode of at most so many rows is an impact and nothing else,
static const double short_times = 4;       // or of so many times what a fast one of this run lasts,
static const double short_share = 1e-2;    // but never of more than this share of the run
static const double lasting_share = 2e-3;  // of the run: contact that neither hits nor lasts so long is a mere touch
static const double fast_share = 0.1;      // of the fastest approach
static const double slowest_share =
    1e-2;  // of the fastest approach: an episode that lasts began with an impact from there on
static const double rounding_share = 1e-6;  // of the fastest approach: rounding, no approach at all
static const double passed_on_share =
    0.05;  // of the hardest impulse: an impact through a body at rest comes without approach

static double or_zero(double x) { return isfinite(x) ? x : 0; }

episode episode_create(double start, double end, double impulse, double approach, double force) {
  return (episode){.start = or_zero(start),
                   .end = or_zero(end),
                   .impulse = fabs(or_zero(impulse)),
                   .approach = fmax(or_zero(approach), 0),
                   .force = fmax(or_zero(force), 0)};
}

// What single episodes are held against.
typedef struct measures {
  double fastest;         // approach of all [m/s]
  double brief, lasting;  // lengths [s]
  double hardest, speed;  // impulse of the hardest brief impact, and its approach
} measures;

static double length_of(const episode *b) { return b->end - b->start; }
static bool is_brief(const measures *m, const episode *b) { return length_of(b) <= m->brief; }
static bool meets(const measures *m, const episode *b, double share) {
  return b->approach > 0 && b->approach >= share * m->fastest;
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

// The median length of the fast ones.
static double usual_length(arena *passing, const episode *episodes, long count, double fastest) {
  arena_mark mark = arena_get_mark(passing);
  double *lengths = ARENA_ARRAY(passing, double, (size_t)count + 1), usual = 0;
  long fast = 0;
  for (long i = 0; i < count; i++)
    if (episodes[i].approach > fast_share * fastest) lengths[fast++] = length_of(&episodes[i]);
  qsort(lengths, (size_t)fast, sizeof *lengths, by_size);
  if (fast > 0) usual = lengths[fast / 2];
  arena_release(passing, mark);
  return usual;
}

static measures measure(arena *passing, const episode *episodes, long count, double span, double spacing) {
  measures m = {0};
  for (long i = 0; i < count; i++) m.fastest = fmax(m.fastest, episodes[i].approach);
  double usual = usual_length(passing, episodes, count, m.fastest);
  m.brief = fmax(short_rows * spacing, fmin(short_times * usual, short_share * span));
  m.lasting = fmax(m.brief, lasting_share * span);
  for (long i = 0; i < count; i++)
    if (is_brief(&m, &episodes[i]) && meets(&m, &episodes[i], rounding_share) && episodes[i].impulse > m.hardest)
      m.hardest = episodes[i].impulse, m.speed = episodes[i].approach;
  return m;
}

static void judge(const measures *m, episode *b, bool impacts_alone) {
  bool brief = is_brief(m, b), passed_on = m->hardest > 0 && b->impulse >= passed_on_share * m->hardest;
  bool hits = impacts_alone ? true : brief ? meets(m, b, rounding_share) || passed_on : meets(m, b, slowest_share);
  b->kind = hits ? EPISODE_IMPACT : length_of(b) > m->lasting ? EPISODE_LASTING : EPISODE_TOUCH;
  if (!hits) return;
  double sudden = brief ? b->impulse : fmin(b->impulse, b->force * m->brief);
  bool by_others = brief && passed_on && !meets(m, b, rounding_share);
  b->strength = or_zero(sudden * (by_others ? m->speed * b->impulse / m->hardest : b->approach));
}

double episodes_judge(arena *passing, episode *episodes, long count, double span, double spacing, bool impacts_alone) {
  measures m = measure(passing, episodes, count, span, spacing);
  for (long i = 0; i < count; i++) judge(&m, &episodes[i], impacts_alone);
  return m.brief;
}
