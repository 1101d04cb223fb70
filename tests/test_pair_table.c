// Every pair of kinds of surfaces, in space and in the plane, under `moreau` and `compliant`: it runs, it does not
// exist, or under `compliant` without the key `foundation` it is refused by a message that names this key. The first
// surface falls onto the second one.
#include "runs.h"

typedef struct kind {
  const char *name, *surface;
  bool faces;  // it has flat faces or straight edges
  double top;  // of it, above its origin
} kind;

static const kind in_space[] = {
    {"point", "point: %s", false, 0},
    {"sphere", "sphere: %s, radius: 0.1", false, 0.1},
    {"ellipsoid", "ellipsoid: %s, semi_axes: [0.1, 0.12, 0.15]", false, 0.15},
    {"superellipsoid", "superellipsoid: %s, semi_axes: [0.1, 0.12, 0.15], exponents: [0.8, 1.2]", false, 0.15},
    {"capsule", "capsule: %s, radius: 0.05, length: 0.1", true, 0.1},
    {"box", "box: %s, size: [0.2, 0.2, 0.2]", true, 0.1},
    {"cylinder", "cylinder: %s, radius: 0.1, length: 0.2", true, 0.1},
    {"cone", "cone: %s, radius: 0.1, height: 0.2", true, 0.1},
    {"hull", "hull: %s, points: [[-0.1, -0.1, -0.1], [0.2, 0, -0.1], [0, 0.2, -0.1], [0, 0, 0.1]]", true, 0.1},
    {"height field",
     "height_field: %s, at: [-0.5, -0.5, 0], columns: 3, spacing: 0.5, heights: [0.1, 0, 0.1, 0, 0, 0, 0.1, 0, 0.1]",
     true, 0},
    {"mesh",
     "mesh: %s, points: [[-0.1, -0.1, -0.1], [0.2, 0, -0.1], [0, 0.2, -0.1], [0, 0, 0.1]], triangles: [[1, 3, 2], [1, "
     "2, 4], [2, 3, 4], [3, 1, 4]]",
     true, 0.1},
    {"plane", "plane: %s", true, 0},
};

static const kind in_plane[] = {
    {"point", "point: %s", false, 0},
    {"circle", "sphere: %s, radius: 0.1", false, 0.1},
    {"capsule", "capsule: %s, radius: 0.1, length: 0.2", true, 0.1},
    {"box", "box: %s, size: [0.2, 0.2]", true, 0.1},
    {"polygon", "polygon: %s, points: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]", true, 0.1},
    {"concave polygon",
     "polygon: %s, points: [[-0.2, -0.1], [0.2, -0.1], [0.2, 0.1], [0.05, 0.1], [0.05, 0], [-0.05, 0], [-0.05, 0.1], "
     "[-0.2, 0.1]]",
     true, 0.1},
    {"hull", "hull: %s, points: [[-0.1, -0.1], [0.1, -0.1], [0, 0.1]]", true, 0.1},
    {"arcs", "arcs: %s, points: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], radii: [0, 0.15, 0, 0.15]", true,
     0.1},
    {"concave arcs",
     "arcs: %s, points: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]], radii: [0, 0.15, -0.2, 0]", true, 0.1},
    {"curve", "curve: %s, points: [[0.1, 0], [0, 0.1], [-0.1, 0], [0, -0.1]]", false, 0.1},
    {"concave curve", "curve: %s, points: [[0.1, 0], [0.15, 0.1], [0, 0.05], [-0.15, 0.1], [-0.1, 0], [0, -0.1]]",
     false, 0.1},
    {"plane", "plane: %s", true, 0},
};

static bool is(const kind *k, const char *name) { return strcmp(k->name, name) == 0; }

static bool exists(const kind *a, const kind *b) {
  bool flat_a = is(a, "plane") || is(a, "height field"), flat_b = is(b, "plane") || is(b, "height field");
  if ((flat_a && flat_b) || (is(a, "point") && is(b, "point"))) return false;
  return !(is(a, "mesh") && is(b, "height field")) && !(is(a, "height field") && is(b, "mesh"));
}

// Those with the law of a point although both are flat somewhere.
static bool has_law_of_a_point(const kind *a, const kind *b) {
  bool capsules = is(a, "capsule") && (is(b, "capsule") || is(b, "plane")), box = is(a, "box") && is(b, "plane");
  return capsules || box;
}

static void write_model(char text[8192], const kind *a, const kind *b, bool planar, const char *material,
                        const char *method) {
  char first[1024], second[1024];
  snprintf(first, sizeof first, a->surface, "a"), snprintf(second, sizeof second, b->surface, "b");
  snprintf(text, 8192,
           "%sgravity: %s\nbodies: {a: {mass: 1, inertia: %s}, b: {mass: 1, inertia: %s}}\n"
           "joints: {a: {%s: [ground, a]}, b: {fixed: [ground, b]}}\nsurfaces: {a: {%s, material: m}, b: {%s, "
           "material: m}}\n"
           "contacts: {pair: {between: [a, b]}}\nmaterials: {m: {restitution: 0.5, friction: 0.2%s}}\ninitial: {a: {q: "
           "[%s%g], u: [%s]}}\nmethod: %s\nend: 0.2\n",
           planar ? "space: planar\n" : "", planar ? "[0, -9.81]" : "[0, 0, -9.81]",
           planar ? "0.01" : "[0.01, 0.01, 0.01]", planar ? "0.01" : "[0.01, 0.01, 0.01]", planar ? "planar" : "free",
           first, second, material, planar ? "0.01, 0.02, " : "1, 0, 0, 0, 0.02, 0.01, ", b->top + 0.2,
           planar ? "0.1, 0.2, -1" : "0.1, 0.2, 0, 0, 0.1, -1", method);
}

static void run_pair(const kind *a, const kind *b, bool planar, const char *material, const char *method) {
  char text[8192];
  run r;
  const char *path = scratch("pair.yaml");
  write_model(text, a, b, planar, material, method);
  if (!write_text(path, text)) return;
  bool runs = run_try(&r, path, "") && carom_sim_advance(r.sim, 0.2, &r.error) == CAROM_OK;
  if (!CHECK(runs == exists(a, b)))
    printf("      %s on %s, %s: %s\n", a->name, b->name, method, runs ? "runs" : r.error.text);
  if (!exists(a, b)) CHECK_CONTAINS(r.error.text, "does not exist");
  if (runs && !CHECK_LE(1, carom_sim_summary(r.sim).contact_impacts))
    printf("      %s on %s, %s: they do not meet\n", a->name, b->name, method);
  run_close(&r);
}

static void refuse_pair(const kind *a, const kind *b, bool planar) {
  char text[8192];
  run r;
  const char *path = scratch("pair.yaml");
  write_model(text, a, b, planar, ", stiffness: 1e6", "compliant");
  if (!write_text(path, text)) return;
  bool refused = !run_try(&r, path, "");
  if (!CHECK(refused && strstr(r.error.text, "'foundation'")))
    printf("      %s on %s: %s\n", a->name, b->name, refused ? r.error.text : "runs");
  run_close(&r);
}

static void run_all(const kind *kinds, int count, bool planar) {
  for (int i = 0; i < count; i++)
    for (int j = i; j < count; j++) {
      run_pair(&kinds[i], &kinds[j], planar, "", "{moreau: {step: 0.5 ms}}");
      run_pair(&kinds[i], &kinds[j], planar, ", stiffness: 1e6, foundation: 1e8", "compliant");
      bool areas = kinds[i].faces && kinds[j].faces &&
                   !(planar ? has_law_of_a_point(&kinds[i], &kinds[j]) && !is(&kinds[j], "capsule")
                            : has_law_of_a_point(&kinds[i], &kinds[j]));
      if (exists(&kinds[i], &kinds[j]) && areas) refuse_pair(&kinds[i], &kinds[j], planar);
    }
}

static void every_pair_in_space(void) { run_all(in_space, sizeof in_space / sizeof *in_space, false); }
static void every_pair_in_the_plane(void) { run_all(in_plane, sizeof in_plane / sizeof *in_plane, true); }

int main(void) {
  RUN(every_pair_in_space);
  RUN(every_pair_in_the_plane);
  return check_summary();
}
