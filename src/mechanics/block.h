// The arithmetic of blocks: spatial vectors and inertias of width n = 6 (angular 3, linear 3) or n = 3 (θ, x, y).
// Every function takes n as a constant and is inlined, so that each caller is compiled for its own width.
//
// With r from the parent's origin to the child's, motions go outward by T, forces inward by Tᵀ:
//   space: T = [1 0; -r× 1]      plane: T = [1 0 0; -r_y 1 0; r_x 0 1]
#ifndef MECHANICS_BLOCK_H
#define MECHANICS_BLOCK_H

#define BLOCK static inline __attribute__((always_inline))

// In space as two sums, of angular and linear parts: half as many products wait for each other.
BLOCK double block_dot(const int n, const double *a, const double *b) {
  if (n == 6) return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5]);
  double s = 0;
  for (int k = 0; k < n; k++) s += a[k] * b[k];
  return s;
}

BLOCK void block_axpy(const int n, double s, const double *a, double *y) {
  for (int k = 0; k < n; k++) y[k] += s * a[k];
}

// y = Aᵀ x
BLOCK void block_mul_transposed(const int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < n; i++) y[i] = A[i] * x[0];
  for (int j = 1; j < n; j++)
    for (int i = 0; i < n; i++) y[i] += A[j * n + i] * x[j];
}

// Symmetric n x n matrices stand in their upper triangles; what is below is not read.

// y = A x, A symmetric
BLOCK void block_mul(const int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double row[6];
    for (int j = 0; j < n; j++) row[j] = j < i ? A[j * n + i] : A[i * n + j];
    y[i] = block_dot(n, row, x);
  }
}

// The same for x without a linear part, in space
BLOCK void block_mul_turn(const double *A, const double *x, double *y) {
  y[0] = A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
  y[1] = A[1] * x[0] + A[7] * x[1] + A[8] * x[2];
  y[2] = A[2] * x[0] + A[8] * x[1] + A[14] * x[2];
  for (int j = 3; j < 6; j++) y[j] = A[j] * x[0] + A[6 + j] * x[1] + A[12 + j] * x[2];
}

// A -= k v vᵀ, A symmetric
BLOCK void block_take_product(const int n, double k, const double *v, double *A) {
  for (int i = 0; i < n; i++) {
    double f = k * v[i];
    for (int j = i; j < n; j++) A[i * n + j] -= f * v[j];
  }
}

// A body's inertia at its origin,  I = [J, mk×; -mk×, m],  from its compact form: all of it, and times a vector.
BLOCK void block_inertia(const int n, const double *J, const double *mk, double m, double *I) {
  if (n == 3) {
    I[0] = J[0], I[1] = -mk[1], I[2] = mk[0];
    I[4] = I[8] = m, I[5] = 0;
  } else {
    double kx = mk[0], ky = mk[1], kz = mk[2];
    I[0] = J[0], I[1] = J[3], I[2] = J[4], I[7] = J[1], I[8] = J[5], I[14] = J[2];
    I[3] = 0, I[4] = -kz, I[5] = ky, I[9] = kz, I[10] = 0, I[11] = -kx, I[15] = -ky, I[16] = kx, I[17] = 0;
    I[21] = I[28] = I[35] = m, I[22] = I[23] = I[29] = 0;
  }
}

BLOCK void block_inertia_mul(const int n, const double *J, const double *mk, double m, const double *a, double *f) {
  if (n == 3) {
    f[0] = J[0] * a[0] - mk[1] * a[1] + mk[0] * a[2];
    f[1] = m * a[1] - mk[1] * a[0];
    f[2] = m * a[2] + mk[0] * a[0];
  } else {
    f[0] = J[0] * a[0] + J[3] * a[1] + J[4] * a[2] + mk[1] * a[5] - mk[2] * a[4];
    f[1] = J[3] * a[0] + J[1] * a[1] + J[5] * a[2] + mk[2] * a[3] - mk[0] * a[5];
    f[2] = J[4] * a[0] + J[5] * a[1] + J[2] * a[2] + mk[0] * a[4] - mk[1] * a[3];
    f[3] = m * a[3] + a[1] * mk[2] - a[2] * mk[1];
    f[4] = m * a[4] + a[2] * mk[0] - a[0] * mk[2];
    f[5] = m * a[5] + a[0] * mk[1] - a[1] * mk[0];
  }
}

// v = T v_parent
BLOCK void block_shift_motion(const int n, const double *r, const double *vp, double *v) {
  if (n == 3) {
    v[0] = vp[0];
    v[1] = vp[1] - vp[0] * r[1];
    v[2] = vp[2] + vp[0] * r[0];
  } else {
    v[0] = vp[0], v[1] = vp[1], v[2] = vp[2];
    v[3] = vp[3] + vp[1] * r[2] - vp[2] * r[1];
    v[4] = vp[4] + vp[2] * r[0] - vp[0] * r[2];
    v[5] = vp[5] + vp[0] * r[1] - vp[1] * r[0];
  }
}

// v referred back: v = T v' with r from the point of v' to that of v
BLOCK void block_refer_motion(const int n, const double *r, const double *v, double *vr) {
  if (n == 3) {
    vr[0] = v[0], vr[1] = v[1] + v[0] * r[1], vr[2] = v[2] - v[0] * r[0];
  } else {
    vr[0] = v[0], vr[1] = v[1], vr[2] = v[2];
    vr[3] = v[3] - v[1] * r[2] + v[2] * r[1];
    vr[4] = v[4] - v[2] * r[0] + v[0] * r[2];
    vr[5] = v[5] - v[0] * r[1] + v[1] * r[0];
  }
}

// f_parent += Tᵀ f
BLOCK void block_shift_force(const int n, const double *r, const double *f, double *fp) {
  if (n == 3) {
    fp[0] += f[0] + r[0] * f[2] - r[1] * f[1];
    fp[1] += f[1];
    fp[2] += f[2];
  } else {
    fp[0] += f[0] + r[1] * f[5] - r[2] * f[4];
    fp[1] += f[1] + r[2] * f[3] - r[0] * f[5];
    fp[2] += f[2] + r[0] * f[4] - r[1] * f[3];
    fp[3] += f[3], fp[4] += f[4], fp[5] += f[5];
  }
}

// f := Tᵀ f, in place
BLOCK void block_carry_force(const int n, const double *r, double *f) {
  if (n == 3) {
    f[0] += r[0] * f[2] - r[1] * f[1];
  } else {
    f[0] += r[1] * f[5] - r[2] * f[4];
    f[1] += r[2] * f[3] - r[0] * f[5];
    f[2] += r[0] * f[4] - r[1] * f[3];
  }
}

// The rigid inertia (J, mk, m) of a body, seen from a point with r from there to its origin:
//   mk' = mk + m r,   J' = J + (2 mk·r + m r²) 1 - (mk rᵀ + r mkᵀ) - m r rᵀ
BLOCK void block_shift_rigid(const int n, const double *r, const double *J, const double *mk, double m, double *Jr,
                             double *mkr) {
  if (n == 3) {
    mkr[0] = mk[0] + m * r[0], mkr[1] = mk[1] + m * r[1];
    Jr[0] = J[0] + r[0] * (mk[0] + mkr[0]) + r[1] * (mk[1] + mkr[1]);
  } else {
    for (int i = 0; i < 3; i++) mkr[i] = mk[i] + m * r[i];
    double x = r[0] * (mk[0] + mkr[0]), y = r[1] * (mk[1] + mkr[1]), z = r[2] * (mk[2] + mkr[2]);
    Jr[0] = J[0] + y + z, Jr[1] = J[1] + z + x, Jr[2] = J[2] + x + y;
    Jr[3] = J[3] - mk[0] * r[1] - r[0] * mkr[1];
    Jr[4] = J[4] - mk[0] * r[2] - r[0] * mkr[2];
    Jr[5] = J[5] - mk[1] * r[2] - r[1] * mkr[2];
  }
}

// I_parent += Tᵀ I T. With I = [J H; Hᵀ M]:  H' = H + r× M,  J' = J + r× Hᵀ - H' r×.
BLOCK void block_shift_inertia(const int n, const double *r, const double *I, double *Ip) {
  if (n == 3) {
    double tx = -r[1], ty = r[0];
    double hx = I[1] + tx * I[4] + ty * I[5], hy = I[2] + tx * I[5] + ty * I[8];
    Ip[0] += I[0] + tx * (I[1] + hx) + ty * (I[2] + hy);
    Ip[1] += hx, Ip[2] += hy;
    Ip[4] += I[4], Ip[5] += I[5], Ip[8] += I[8];
  } else {
    double x = r[0], y = r[1], z = r[2];
    const double *h0 = I + 3, *h1 = I + 9, *h2 = I + 15;  // the rows of H, and those of M:
    const double m0[3] = {I[21], I[22], I[23]}, m1[3] = {I[22], I[28], I[29]}, m2[3] = {I[23], I[29], I[35]};
    double g0[3], g1[3], g2[3];  // the rows of H'
    for (int j = 0; j < 3; j++) {
      g0[j] = h0[j] + y * m2[j] - z * m1[j];
      g1[j] = h1[j] + z * m0[j] - x * m2[j];
      g2[j] = h2[j] + x * m1[j] - y * m0[j];
    }
    Ip[0] += I[0] + y * (h0[2] + g0[2]) - z * (h0[1] + g0[1]);
    Ip[7] += I[7] + z * (h1[0] + g1[0]) - x * (h1[2] + g1[2]);
    Ip[14] += I[14] + x * (h2[1] + g2[1]) - y * (h2[0] + g2[0]);
    Ip[1] += I[1] + (y * h1[2] - z * h1[1]) - (x * g0[2] - z * g0[0]);
    Ip[2] += I[2] + (y * h2[2] - z * h2[1]) - (y * g0[0] - x * g0[1]);
    Ip[8] += I[8] + (z * h2[0] - x * h2[2]) - (y * g1[0] - x * g1[1]);
    for (int j = 0; j < 3; j++) Ip[3 + j] += g0[j], Ip[9 + j] += g1[j], Ip[15 + j] += g2[j];
    Ip[21] += I[21], Ip[22] += I[22], Ip[23] += I[23], Ip[28] += I[28], Ip[29] += I[29], Ip[35] += I[35];
  }
}

#endif
