#include "math/eigen.h"

#include "base/number.h"

extern void dsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *lda, double *values,
                    double *work, const int *work_size, int *iwork, const int *iwork_size, int *info);

extern void dgeev_(const char *left, const char *right, const int *n, double *a, const int *lda, double *real,
                   double *imaginary, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work,
                   const int *work_size, int *info);

// LAPACK writes eigenvectors to columns of a matrix by columns: rows of ours.
bool eigen_symmetric(arena *memory, int n, double *A, double *values) {
  if (n == 0) return true;
  if (!number_all_finite(A, (size_t)n * (size_t)n)) return false;
  int work_size = -1, iwork_size = -1, integers, info;
  double numbers;
  dsyevd_("V", "U", &n, A, &n, values, &numbers, &work_size, &integers, &iwork_size, &info);
  if (info != 0) return false;
  work_size = (int)numbers, iwork_size = integers;
  double *work = ARENA_ARRAY(memory, double, work_size);
  int *iwork = ARENA_ARRAY(memory, int, iwork_size);
  dsyevd_("V", "U", &n, A, &n, values, work, &work_size, iwork, &iwork_size, &info);
  return info == 0;
}

// Our rows are the columns of the transposed matrix, whose left eigenvectors w (wᴴ Aᵀ = λ wᴴ) are the conjugates of the
// right ones of A.
bool eigen_general(arena *memory, int n, double *A, double *real, double *imaginary, double *vectors) {
  if (n == 0) return true;
  if (!number_all_finite(A, (size_t)n * (size_t)n)) return false;
  int work_size = -1, one = 1, info;
  double numbers;
  dgeev_("V", "N", &n, A, &n, real, imaginary, vectors, &n, NULL, &one, &numbers, &work_size, &info);
  if (info != 0) return false;
  work_size = (int)numbers;
  double *work = ARENA_ARRAY(memory, double, work_size);
  dgeev_("V", "N", &n, A, &n, real, imaginary, vectors, &n, NULL, &one, work, &work_size, &info);
  if (info != 0) return false;
  for (int i = 0; i < n; i++)
    if (imaginary[i] > 0)
      for (int k = 0; k < n; k++) vectors[(long)(i + 1) * n + k] = -vectors[(long)(i + 1) * n + k];
  return true;
}
