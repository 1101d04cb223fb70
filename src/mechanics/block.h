// The arithmetic of blocks: spatial vectors and inertias of width n = 6 (angular 3, linear 3) or n = 3 (θ, x, y).
// Every function takes n as a constant and is inlined, so that each caller is compiled for its own width.
//
// With r from the parent's origin to the child's, motions go outward by T, forces inward by Tᵀ:
//   space: T = [1 0; -r× 1]      plane: T = [1 0 0; -r_y 1 0; r_x 0 1]
#ifndef MECHANICS_BLOCK_H
#define MECHANICS_BLOCK_H

#define BLOCK static inline __attribute__((always_inline))

BLOCK double block_dot(const int n, const double *a, const double *b) {
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

// y = A x, A symmetric n x n
BLOCK void block_mul(const int n, const double *A, const double *x, double *y) { block_mul_transposed(n, A, x, y); }

// A body's inertia at its origin,  I = [J, mk×; -mk×, m],  from its compact form: all of it, and times a vector.
BLOCK void block_inertia(const int n, const double *J, const double *mk, double m, double *I) {
  if (n == 3) {
    I[0] = J[0], I[1] = I[3] = -mk[1], I[2] = I[6] = mk[0];
    I[4] = I[8] = m, I[5] = I[7] = 0;
  } else {
    const double full[36] = {J[0],   J[3], J[4],  0,      -mk[2], mk[1], J[3],  J[1],   J[5],   mk[2], 0, -mk[0],
                             J[4],   J[5], J[2],  -mk[1], mk[0],  0,     0,     mk[2],  -mk[1], m,     0, 0,
                             -mk[2], 0,    mk[0], 0,      m,      0,     mk[1], -mk[0], 0,      0,     0, m};
    for (int i = 0; i < 36; i++) I[i] = full[i];
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
    double hx = I[1] + tx * I[4] + ty * I[7], hy = I[2] + tx * I[5] + ty * I[8];
    Ip[0] += I[0] + tx * (I[1] + hx) + ty * (I[2] + hy);
    Ip[1] += hx, Ip[2] += hy;
    Ip[3] += hx, Ip[4] += I[4], Ip[5] += I[5];
    Ip[6] += hy, Ip[7] += I[7], Ip[8] += I[8];
  } else {
    double H[9];
    for (int j = 0; j < 3; j++) {
      const double *M = I + 21 + j;  // column j of the mass block, rows 6 apart
      H[j] = I[3 + j] + r[1] * M[12] - r[2] * M[6];
      H[3 + j] = I[9 + j] + r[2] * M[0] - r[0] * M[12];
      H[6 + j] = I[15 + j] + r[0] * M[6] - r[1] * M[0];
    }
    // r× Hᵀ has the columns r × (row of H); -H' r× has the rows -(row of H') r×
    for (int i = 0; i < 3; i++) {
      const double *h = I + 6 * i + 3, *g = H + 3 * i;
      // column i of r× Hᵀ
      Ip[i] += r[1] * h[2] - r[2] * h[1];
      Ip[6 + i] += r[2] * h[0] - r[0] * h[2];
      Ip[12 + i] += r[0] * h[1] - r[1] * h[0];
      // row i of J - H' r×
      Ip[6 * i] += I[6 * i] - (g[1] * r[2] - g[2] * r[1]);
      Ip[6 * i + 1] += I[6 * i + 1] - (g[2] * r[0] - g[0] * r[2]);
      Ip[6 * i + 2] += I[6 * i + 2] - (g[0] * r[1] - g[1] * r[0]);
    }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        Ip[6 * i + 3 + j] += H[3 * i + j];
        Ip[6 * (3 + j) + i] += H[3 * i + j];
        Ip[6 * (3 + i) + 3 + j] += I[6 * (3 + i) + 3 + j];
      }
  }
}

#endif
