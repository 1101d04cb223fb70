#include "math/eigen.h"

#include "base/number.h"

extern void dsyevd_(const char *job, const char *uplo, const int *n, double *a, const int *lda, double *values,
                    double *work, const int *work_size, int *iwork, const int *iwork_size, int *info);

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
