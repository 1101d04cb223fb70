#include "base/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { CACHE_LINE = 64 };

// What one member writes, or what others write for it alone, apart from what the others read all the time.
typedef struct crew_member {
  _Alignas(CACHE_LINE) atomic_int next;  // range of its own that nobody has taken yet
  atomic_bool inside;                    // may be at work
  struct crew_team *team;
} crew_member;

typedef struct crew_team {
  // A loop is open while this is odd. Members that come too late find it closed, or nothing left to take; nobody waits
  // for them.
  _Alignas(CACHE_LINE) atomic_uint round;
  atomic_bool ends;
  // the loop
  _Alignas(CACHE_LINE) crew_work *work;
  void *context;
  int length, grain, ranges;
  pthread_t *threads;
  crew_member *members;
  int count;  // with the one that calls
  _Alignas(CACHE_LINE) atomic_int sleepers;
  pthread_mutex_t lock;
  pthread_cond_t wake;
} crew_team;

// Loops follow each other closely: a member looks for the next one so often before it sleeps, about 50 microseconds.
enum { LOOKS = 4000 };

static inline void pause_shortly(void) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#endif
}

static int first_range(const crew_team *t, int member) { return (int)((long)t->ranges * member / t->count); }

// Members have the same part of every loop: what they wrote in one is still in the cache of their core in the next.
// Those that are done first go on with ranges of the others.
static void take_ranges(crew_team *t, int member) {
  for (int i = 0; i < t->count; i++) {
    const int owner = (member + i) % t->count, end = first_range(t, owner + 1);
    atomic_int *next = &t->members[owner].next;
    while (atomic_load_explicit(next, memory_order_relaxed) < end) {
      const int range = atomic_fetch_add_explicit(next, 1, memory_order_relaxed), from = range * t->grain;
      if (range >= end) break;
      if (from < t->length) t->work(t->context, from, from + t->grain < t->length ? from + t->grain : t->length);
    }
  }
}

static bool is_new(const crew_team *t, unsigned done) {
  unsigned round = atomic_load(&t->round);
  return (round & 1 && round != done) || atomic_load(&t->ends);
}

static void wait_for_round(crew_team *t, unsigned done) {
  for (int i = 0; i < LOOKS; i++, pause_shortly())
    if (is_new(t, done)) return;
  pthread_mutex_lock(&t->lock);
  atomic_fetch_add(&t->sleepers, 1);
  while (!is_new(t, done)) pthread_cond_wait(&t->wake, &t->lock);
  atomic_fetch_sub(&t->sleepers, 1);
  pthread_mutex_unlock(&t->lock);
}

// A member is inside before it looks whether the loop is open, and whoever closes it looks whether somebody is inside
// after that.
static void *serve(void *argument) {
  crew_member *self = argument;
  crew_team *t = self->team;
  for (unsigned done = 0;;) {
    wait_for_round(t, done);
    if (atomic_load(&t->ends)) return NULL;
    atomic_store(&self->inside, true);
    unsigned round = atomic_load(&t->round);
    if (round & 1) take_ranges(t, (int)(self - t->members)), done = round;
    atomic_store(&self->inside, false);
  }
}

static void wake_sleepers(crew_team *t) {
  if (atomic_load(&t->sleepers) == 0) return;
  pthread_mutex_lock(&t->lock);
  pthread_cond_broadcast(&t->wake);
  pthread_mutex_unlock(&t->lock);
}

static void close_round(crew_team *t) {
  atomic_fetch_add(&t->round, 1);
  for (int k = 1; k < t->count; k++)
    for (int i = 0; atomic_load(&t->members[k].inside); i++) {
      if (i < LOOKS) pause_shortly();
      else sched_yield();
    }
}

int crew_count(const crew *c) { return c && c->team ? c->team->count : 1; }

void crew_run(const crew *c, int count, int least, crew_work *work, void *context) {
  enum { RANGES = 4 };  // of each thread, so that one that is held up holds up little
  int parts = crew_count(c), most = least > 0 ? count / least : count;
  if (parts < 2 || most < 2) {
    if (count > 0) work(context, 0, count);
    return;
  }
  crew_team *t = c->team;
  t->ranges = most < RANGES * parts ? most : RANGES * parts;
  t->work = work, t->context = context, t->length = count, t->grain = (count + t->ranges - 1) / t->ranges;
  for (int k = 0; k < parts; k++) atomic_store_explicit(&t->members[k].next, first_range(t, k), memory_order_relaxed);
  atomic_fetch_add(&t->round, 1);
  wake_sleepers(t);
  take_ranges(t, 0);
  close_round(t);
}

void crew_end(crew *c) {
  crew_team *t = c->team;
  if (!t) return;
  atomic_store(&t->ends, true);
  wake_sleepers(t);
  for (int i = 1; i < t->count; i++) pthread_join(t->threads[i], NULL);
  pthread_mutex_destroy(&t->lock);
  pthread_cond_destroy(&t->wake);
  free(t->threads);
  free(t->members);
  free(t);
  c->team = NULL;
}

bool crew_set(crew *c, int threads) {
  crew_end(c);
  if (threads < 2) return true;
  crew_team *t = aligned_alloc(CACHE_LINE, sizeof *t);
  pthread_t *made = calloc((size_t)threads, sizeof *made);
  crew_member *members = aligned_alloc(CACHE_LINE, (size_t)threads * sizeof *members);
  if (!t || !made || !members) return free(t), free(made), free(members), false;
  *t = (crew_team){.threads = made, .members = members, .count = 1};
  for (int k = 0; k < threads; k++) members[k] = (crew_member){.team = t};
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->wake, NULL);
  c->team = t;
  for (; t->count < threads; t->count++)
    if (pthread_create(&made[t->count], NULL, serve, &members[t->count]) != 0) return false;
  return true;
}
