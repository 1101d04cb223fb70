#include "base/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct crew_team {
  pthread_t *threads;
  int count;  // with the one that calls
  // A loop is open while this is odd. Members that come too late find it closed, or nothing left to take; nobody waits
  // for them.
  atomic_uint round;
  atomic_int inside;  // members that may be at work
  atomic_int next;    // index that nobody has taken yet
  atomic_int sleepers;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  atomic_bool ends;
  // the loop
  crew_work *work;
  void *context;
  int length, grain;
} crew_team;

// Loops follow each other closely: a member looks for the next one so often before it sleeps, about 50 microseconds.
enum { LOOKS = 4000 };

static inline void pause_shortly(void) {
#if defined __x86_64__ || defined __i386__
  __builtin_ia32_pause();
#endif
}

static void take_ranges(crew_team *t) {
  for (int from; (from = atomic_fetch_add_explicit(&t->next, t->grain, memory_order_relaxed)) < t->length;)
    t->work(t->context, from, from + t->grain < t->length ? from + t->grain : t->length);
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
  crew_team *t = argument;
  for (unsigned done = 0;;) {
    wait_for_round(t, done);
    if (atomic_load(&t->ends)) return NULL;
    atomic_fetch_add(&t->inside, 1);
    unsigned round = atomic_load(&t->round);
    if (round & 1) take_ranges(t), done = round;
    atomic_fetch_sub(&t->inside, 1);
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
  for (int i = 0; atomic_load(&t->inside) > 0; i++) {
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
  int ranges = most < RANGES * parts ? most : RANGES * parts;
  t->work = work, t->context = context, t->length = count, t->grain = (count + ranges - 1) / ranges;
  atomic_store_explicit(&t->next, 0, memory_order_relaxed);
  atomic_fetch_add(&t->round, 1);
  wake_sleepers(t);
  take_ranges(t);
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
  free(t);
  c->team = NULL;
}

bool crew_set(crew *c, int threads) {
  crew_end(c);
  if (threads < 2) return true;
  crew_team *t = calloc(1, sizeof *t);
  pthread_t *made = t ? calloc((size_t)threads, sizeof *made) : NULL;
  if (!made) return free(t), false;
  t->threads = made, t->count = 1;
  pthread_mutex_init(&t->lock, NULL);
  pthread_cond_init(&t->wake, NULL);
  c->team = t;
  for (; t->count < threads; t->count++)
    if (pthread_create(&made[t->count], NULL, serve, t) != 0) return false;
  return true;
}
