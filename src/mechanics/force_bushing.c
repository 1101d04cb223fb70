// Springs and dampers between two markers in the axes of the first: three along the offset d, three about the turn.
// The turn is measured by φ_i = ½ Σ ε_ijk R_kj, the sine of the angle about its axis (odd, smooth, the angle itself
// while small), whose energy is k (1 - cos θ) for equal stiffnesses. For unequal ones the torque of the potential
// V = ½ Σ_i κ_i |e_i - Re_i|², κ_i = (k_j + k_l - k_i)/2, is used: it derives from an energy and has stiffness k_i
// about axis i for small turns:  V = Σ κ_i (1 - R_ii),  torque on the second τ = Σ κ_i (R e_i) × e_i.
#include "mechanics/force.h"
#include "mechanics/marker.h"

static double component(vec3 v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

static vec3 scaled(const double *s, vec3 v) { return (vec3){s[0] * v.x, s[1] * v.y, s[2] * v.z}; }

static void apply(const mechanism *m, motion *x, const force *f) {
  marker_state a = marker_read(m, x, f->first), b = marker_read(m, x, f->second);
  anchor opposite = marker_opposite(x, &a, &b);  // both bodies feel the force at one point
  vec3 d = mat3_tmul(a.R, vec3_sub(b.p, a.p)), d_dot = mat3_tmul(a.R, marker_relative_velocity(m, x, &opposite, &b));
  mat3 R = mat3_product(mat3_transpose(a.R), b.R);
  vec3 w = mat3_tmul(a.R, vec3_sub(b.w, a.w));

  const double *k = f->stiffness, *kt = f->stiffness + 3;
  vec3 elastic = vec3_neg(scaled(k, d)), viscous = vec3_neg(scaled(f->damping, d_dot));
  vec3 viscous_torque = vec3_neg(scaled(f->damping + 3, w)), elastic_torque = VEC3_ZERO;
  double energy = 0.5 * -vec3_dot(elastic, d), total = kt[0] + kt[1] + kt[2];
  for (int i = 0; i < 3; i++) {
    double kappa = 0.5 * (total - 2 * kt[i]);
    vec3 e = {i == 0, i == 1, i == 2};
    elastic_torque = vec3_axpy(elastic_torque, kappa, vec3_cross(mat3_column(R, i), e));
    energy += kappa * (1 - R.m[4 * i]);
  }
  vec3 force_b = mat3_mul(a.R, vec3_add(elastic, viscous));
  vec3 torque_b = mat3_mul(a.R, vec3_add(elastic_torque, viscous_torque));
  anchor_push(m, x, &b.anchor, force_b, torque_b);
  anchor_push(m, x, &opposite, vec3_neg(force_b), vec3_neg(torque_b));
  force_book(x, energy, -vec3_dot(viscous, d_dot) - vec3_dot(viscous_torque, w), 0);
  for (int i = 0; i < 3; i++) {
    x->force_outputs[f->output + i] = component(force_b, i);
    x->force_outputs[f->output + 3 + i] = component(torque_b, i);
  }
}

static void find_power(const mechanism *m, const motion *x, const force *f, const double *u, double powers[]) {
  (void)u;
  marker_state a = marker_read(m, x, f->first), b = marker_read(m, x, f->second);
  anchor opposite = marker_opposite(x, &a, &b);
  vec3 d_dot = mat3_tmul(a.R, marker_relative_velocity(m, x, &opposite, &b)), w = mat3_tmul(a.R, vec3_sub(b.w, a.w));
  vec3 va = anchor_spread_velocity(m, x, &opposite), vb = anchor_spread_velocity(m, x, &b.anchor);
  vec3 wa = anchor_spread_omega(m, x, &opposite), wb = anchor_spread_omega(m, x, &b.anchor);
  vec3 rate = mat3_tmul(a.R, vec3_sub(vb, va)), turning = mat3_tmul(a.R, vec3_sub(wb, wa));
  powers[POWER_DAMPER] += vec3_dot(scaled(f->damping, d_dot), rate) + vec3_dot(scaled(f->damping + 3, w), turning);
}

static const char *const outputs[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
static const char *const units[] = {"N", "N", "N", "N*m", "N*m", "N*m"};

static const option options[] = {
    {.key = "bushing",
     .type = OPTION_PAIR,
     .offset = FORCE_OPTION(between),
     .flags = OPTION_REQUIRED | OPTION_SUBJECT,
     .help = "The two markers or bodies."},
    {.key = "stiffness",
     .type = OPTION_NUMBERS,
     .offset = FORCE_OPTION(stiffness),
     .dim = DIM_ANY,
     .flags = OPTION_REQUIRED | OPTION_NOT_NEGATIVE,
     .help = "One number for translation, two (translation [N/m], rotation [N*m/rad]), or six (x y z, about x y z)."},
    {.key = "damping",
     .type = OPTION_NUMBERS,
     .offset = FORCE_OPTION(damping),
     .dim = DIM_ANY,
     .flags = OPTION_NOT_NEGATIVE,
     .preset = "0",
     .help = "Likewise [N*s/m] and [N*m*s/rad]."},
};
static const option_table table = {
    .name = "bushing",
    .summary = "Elastic and viscous connection of two markers, along and about the axes of the first.",
    .example = "mount: {bushing: [ground, engine], stiffness: [1e5, 200], damping: [100, 1]}",
    .size = sizeof(carom_force_def),
    .options = options,
    .count = OPTION_COUNT(options),
};

// One number for translation, two for translation and turn, or all six.
static dimension unit_of(force_number what, int k, int count, bool slides) {
  (void)slides;
  bool turns = count == 2 ? k == 1 : k >= 3;
  switch (what) {
    case FORCE_STIFFNESS: return turns ? DIM_TORQUE : DIM_STIFFNESS;
    case FORCE_DAMPING: return turns ? DIM_TORSIONAL_DAMPING : DIM_DAMPING;
    default: return DIM_ANY;
  }
}

const force_type force_bushing = {
    "bushing",           apply,           find_power,     outputs, units, 6, .acts = FORCE_BETWEEN_MARKERS,
    .six_numbers = true, .unit = unit_of, .table = &table};
