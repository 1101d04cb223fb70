// Fast bodies. Rows are evaluated in one place of a step, and a body that crosses another between two such places would
// pass through it. A pair is fast if its surfaces move by more than a part of the thinner one in a step. For these the
// time of impact is looked for on the way of the step, and the step is made shorter so that rows are evaluated at the
// impact:
//   met on the way from A to R after τ:  a step of τ/θ evaluates its rows there;
//   met on the way from R to E after τ:  a step of τ/(1-θ) ends before, and the rest of this one evaluates its rows
//   there; met again by a pair that touches at R, as by a body that spins:  with l = τ/(1-θ), a step of θ(Δt - l) ends
//   before R, and one of l behind it evaluates its rows where this one does and ends before the second impact.
// All other steps stay as they are.
//
// The time of impact is found by conservative advancement: no point of two surfaces nears the other faster than a bound
// of their speeds, so that nothing touches before the gap over this bound.
#include <math.h>
#include <string.h>

#include "contact/pairs.h"
#include "mechanics/marker.h"
#include "mechanics/tree.h"
#include "scheme/stepper_internal.h"

#define FAST 0.25  // of the thinner body: a pair that moves farther in a step is fast
#define FAST_ON_PLANE \
  1.0                   // likewise, where the material behind a surface has no end: its normal is the same at any depth
#define LATE 0.02       // likewise: an impact that is found this much of its way too late is found in time
#define TURN 0.1        // [rad] that bodies turn by at most between two places that are looked at
enum { PLACES = 400 };  // that are looked at closely on a way; a passage that this leaves out is counted

// The surface of an element that is its first.
static const contact_surface *first_of(const stepper *s, const contact_element *e) {
  const contact_surface *all = s->contacts->world->surfaces;
  return &all[e->surface[all[e->surface[0]].marker != e->first]];
}

// The way in a step from which on a pair is fast [m]. Where neither surface has a thickness, as of a point and a plane,
// the typical length counts.
static double fast_way(const stepper *s, const contact_element *e) {
  return (e->type->nearest ? FAST : FAST_ON_PLANE) * contact_leap(s->m, e);
}

bool stepper_is_instant(const stepper *s, const contact_element *e, double approach) {
  return s->meeting.any && contact_is_of_surfaces(e) && approach * s->settings.step > fast_way(s, e);
}

void stepper_begin_impacts(stepper *s) {
  const contact_world *w = s->contacts->world;
  s->meeting.thinnest = s->m->length;
  for (int i = 0; i < w->surface_count; i++) {
    const contact_surface *of = &w->surfaces[i];
    s->meeting.thinnest = fmin(s->meeting.thinnest, of->terrain ? contact_mesh_thickness(of->terrain) : of->thickness);
  }
  s->meeting.any = s->settings.time_of_impact && w->surface_count > 0;
}

// Whether some surface may be that fast against another: each has half the speed. What turns with a plane is found with
// its pairs.
static bool any_is_fast(const stepper *s, double dt) {
  const contact_world *w = s->contacts->world;
  const mechanism *m = s->m;
  double enough = 0.5 * FAST * s->meeting.thinnest / dt;
  for (int i = 0; i < w->surface_count; i++) {
    const marker *k = &m->markers[w->surfaces[i].marker];
    const double *V = s->x->links[m->bodies[k->body].node].V, reach = w->surfaces[i].reach;
    const double size = isfinite(reach) ? reach : m->length;
    if (k->shape) {
      const flexible_marker *f = &s->x->flexible_markers[w->surfaces[i].marker];
      if (vec3_norm(f->v) + vec3_norm(f->w) * size > enough) return true;
      continue;
    }
    double turn = vec3_norm(block_angular(m, V)), arm = vec3_norm(k->local.p) + size;
    if (vec3_norm(block_linear(m, V)) + turn * arm > enough) return true;
  }
  return false;
}

// How fast the surfaces of an element move against each other, at most: in the axes of the second, the first moves by v
// and turns by ω.
typedef struct pair_speed {
  vec3 v;
  double turn;      // ω times the reach of the first [m/s]
  double rotation;  // the faster one of both bodies [rad/s]
} pair_speed;

static pair_speed speed_of(const stepper *s, const contact_element *e) {
  marker_state a = marker_read(s->m, s->x, e->first), b = marker_read(s->m, s->x, e->second);
  vec3 carried = vec3_add(b.v, vec3_cross(b.w, vec3_sub(a.p, b.p)));
  return (pair_speed){.v = vec3_sub(a.v, carried),
                      .turn = vec3_norm(vec3_sub(a.w, b.w)) * first_of(s, e)->reach,
                      .rotation = fmax(vec3_norm(a.w), vec3_norm(b.w))};
}

// On arcs the velocity changes, in a time dt, by no more than the angle times itself.
static double largest(const pair_speed *p, double dt) {
  return (vec3_norm(p->v) + p->turn) * (1 + fmin(p->rotation * dt, 1));
}

static const contact_point *locate(stepper *s, const contact_element *e) {
  contact_state_locate(s->contacts, s->m, s->x, e, NULL, s->near.looked);
  return stepper_least_of(e, s->near.looked);
}

// How fast the gap closes at most. Of two convex shapes that are apart without a turn no more than along the normal
// between them: the plane across it goes on to separate them.
static double closing_speed(const contact_element *e, const contact_point *p, const pair_speed *v) {
  bool convex_pair = !e->terrain && !e->outline_first && p->gap > 0;
  double along = convex_pair ? fmax(0, -vec3_dot(p->n, v->v)) : vec3_norm(v->v);
  return (along + v->turn) * (1 + (v->rotation > 0 ? TURN : 0));
}

// Pairs that are fast, and may meet within `time` of where they are now.
static void find_suspects(stepper *s, double time, double dt, bool at_rows) {
  s->meeting.suspect_count = 0;
  for (int i = 0; i < s->contacts->element_count; i++) {
    const contact_element *e = s->contacts->elements[i];
    if (!contact_is_of_surfaces(e)) continue;
    pair_speed v = speed_of(s, e);
    double speed = largest(&v, dt);
    if (!(speed * dt > fast_way(s, e))) continue;
    const contact_point *p = at_rows ? stepper_least_of(e, s->near.points) : locate(s, e);
    if (p->gap <= speed * time)
      s->meeting.suspects[s->meeting.suspect_count++] =
          (stepper_suspect){.e = e, .again = at_rows && s->near.touched[e->slot] == s->steps};
  }
}

// A path of uniform motion: from a position at the time t with the speeds u.
typedef struct path {
  const double *q, *u;
  bool from_start;  // of the step: drives say where driven joints are
  double length;    // [s]
  double beyond;    // time after its end until rows are evaluated [s]
} path;

static void go_to(stepper *s, const path *w, double after) {
  if (w->from_start) {
    stepper_go_to_rows(s, s->q, s->u, s->t, after / s->rule->place);
    return;
  }
  stepper_move_from(s, w->q, w->u, after);
  tree_kinematics(s->m, s->x);
}

// What this step has found, or the one before it and is not clearly apart, touches at the start of the path. It meets
// again only if it turns: without a turn a pair does not come back. Returns whether it may.
static bool begin_path(const stepper *s, const path *w, stepper_suspect *suspect, double gap, const pair_speed *v,
                       double depth) {
  const contact_element *e = suspect->e;
  suspect->gap = gap;
  suspect->touching = suspect->again || (w->from_start && s->steps - s->near.touched[e->slot] <= 1 && gap <= depth);
  return !suspect->touching || v->turn * w->length > s->rule->place * fast_way(s, e);
}

typedef struct impact_found {
  double after;     // [s] on the path; infinite: there is none
  double shortest;  // step that is worth while [s]
  bool again;       // of a pair that has touched at the start of the path
} impact_found;

// Looks at a suspect after the time `at` on the path. Returns whether it meets there, and would be found too late; else
// `step` becomes no longer than it takes to meet at least, and `rest` says whether it may meet later. Surfaces touch
// where they overlap by at least half of what counts as a passage; those that have not parted meet with other points
// where they are deeper by all of it.
static bool meets_at(stepper *s, const path *w, double at, stepper_suspect *suspect, double *step, bool *rest,
                     impact_found *to) {
  const contact_element *e = suspect->e;
  const contact_point *p = locate(s, e);
  pair_speed v = speed_of(s, e);
  double depth = stepper_graze(s, e), speed = largest(&v, 0), late = w->length - at + w->beyond;
  *rest = at > 0 || begin_path(s, w, suspect, p->gap, &v, depth);
  if (!*rest) return false;
  suspect->touching &= p->gap <= 0;
  if (p->gap <= (suspect->touching ? suspect->gap - depth : -0.5 * depth)) {
    double too_late = LATE * contact_leap(s->m, e);
    *to = (impact_found){at, too_late / speed, suspect->again};
    *rest = speed * late > too_late;
    return *rest;
  }
  *step = fmin(*step, (fmax(p->gap, 0) + depth) / closing_speed(e, p, &v));
  if (v.rotation > 0) *step = fmin(*step, TURN / v.rotation);
  return false;
}

// The first impact on the path that would be found too late.
static impact_found find_impact(stepper *s, const path *w) {
  double at = 0;
  impact_found found;
  for (int i = 0; s->meeting.suspect_count && at < w->length; i++) {
    double step = w->length - at;
    int kept = 0;
    go_to(s, w, at);
    for (int k = 0; k < s->meeting.suspect_count; k++) {
      stepper_suspect suspect = s->meeting.suspects[k];
      bool rest;
      if (meets_at(s, w, at, &suspect, &step, &rest, &found)) return found;
      if (rest) s->meeting.suspects[kept++] = suspect;
    }
    s->meeting.suspect_count = kept;
    at += i < PLACES ? step : fmax(step, w->length / PLACES);
  }
  return (impact_found){.after = INFINITY};
}

bool stepper_any_fast(const stepper *s, double dt) { return s->meeting.any && any_is_fast(s, dt); }

double stepper_meet_before_rows(stepper *s, double dt) {
  double way = s->rule->place * dt;
  path w = {.from_start = true, .length = way};
  if (!(way > 0)) return dt;
  find_suspects(s, way, dt, false);
  if (!s->meeting.suspect_count) return dt;
  impact_found found = find_impact(s, &w);
  stepper_go_to_rows(s, s->q, s->u, s->t, dt);
  return fmin(dt, fmax(found.after / s->rule->place, found.shortest));
}

double stepper_meet_after_rows(stepper *s, double dt, const double *u_end) {
  double rest = (1 - s->rule->place) * dt, *q = s->projection.before_placing;
  path w = {.q = q, .u = u_end, .length = rest, .beyond = s->rule->place * dt};
  memcpy(q, s->x->q, (size_t)s->m->nq * sizeof *q);
  go_to(s, &w, 0);
  find_suspects(s, rest, dt, true);
  impact_found found = find_impact(s, &w);
  stepper_go_to_rows(s, s->q, s->u, s->t, dt);
  // half of what is not too late, for what the velocity changes until then
  double after = found.after + 0.5 * found.shortest, rest_of_rows = after / (1 - s->rule->place);
  return fmin(dt, fmax(found.again ? s->rule->place * (dt - rest_of_rows) : rest_of_rows, found.shortest));
}
