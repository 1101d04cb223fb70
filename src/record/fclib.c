#include "record/fclib.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "record/hdf5_errors.h"

enum { POINTS_MAX = 1 << 27 };  // of one dataset: beyond this a file is damaged

typedef struct reader {
  arena *memory;
  const char *path;
  hid_t file;
  const hdf5_errors *errors;
  carom_error *error;
} reader;

static bool fail(reader *r, const char *what, const char *name) {
  error_set(r->error, CAROM_ERROR_FILE, "cannot read %s: %s %s%s%s", r->path, name, what,
            r->errors->reason[0] ? ": " : "", r->errors->reason);
  return false;
}

static bool there(reader *r, const char *name) { return H5Lexists(r->file, name, H5P_DEFAULT) > 0; }

// Every entry of a dataset as the wanted type; the file closes strongly, so that nothing stays open on a way out.
static void *read_dataset(reader *r, const char *name, hid_t type, size_t size, int *count) {
  hid_t set = there(r, name) ? H5Dopen2(r->file, name, H5P_DEFAULT) : -1;
  hid_t space = set >= 0 ? H5Dget_space(set) : -1;
  hssize_t points = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  if (space >= 0) H5Sclose(space);
  void *values = NULL;
  if (points < 0) fail(r, "is missing", name);
  else if (points > POINTS_MAX) fail(r, "is too large", name);
  else {
    values = arena_alloc(r->memory, (size_t)points, size);
    if (points > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
      fail(r, "is damaged", name);
      values = NULL;
    }
  }
  if (set >= 0) H5Dclose(set);
  *count = (int)points;
  return values;
}

static bool read_integer(reader *r, const char *name, int *value) {
  int count;
  const int *values = read_dataset(r, name, H5T_NATIVE_INT, sizeof *values, &count);
  if (!values) return false;
  if (count != 1) return fail(r, "is not one number", name);
  *value = values[0];
  return true;
}

// `length` −1: any, which is then told.
static const double *read_vector(reader *r, const char *group, const char *name, int *length) {
  char path[96];
  int count;
  snprintf(path, sizeof path, "%s/vectors/%s", group, name);
  const double *values = read_dataset(r, path, H5T_NATIVE_DOUBLE, sizeof *values, &count);
  if (values && *length >= 0 && count != *length) return fail(r, "has the wrong length", path), NULL;
  *length = count;
  return values;
}

static bool has(reader *r, const char *group, const char *name) {
  char path[96];
  snprintf(path, sizeof path, "%s/%s", group, name);
  return there(r, path);
}

// --- matrices --------------------------------------------------------------------------------------------------------

// FCLIB says by nz how p and i are meant: −1 columns compressed, −2 rows compressed, else the number of triplets.
typedef struct stored {
  int m, n, nz, p_count, i_count, x_count;
  const int *p, *i;
  const double *x;
} stored;

// The index of the compressed side for each entry.
static const int *expand(reader *r, const stored *s, int lines, const char *path) {
  if (s->p_count != lines + 1 || s->p[0] != 0) return fail(r, "has wrong pointers", path), NULL;
  for (int k = 0; k < lines; k++)
    if (s->p[k + 1] < s->p[k] || s->p[k + 1] > s->i_count) return fail(r, "has wrong pointers", path), NULL;
  int *index = ARENA_ARRAY(r->memory, int, s->i_count);
  for (int k = 0; k < lines; k++)
    for (int e = s->p[k]; e < s->p[k + 1]; e++) index[e] = k;
  return index;
}

static bool check_range(reader *r, const fclib_matrix *a, const char *path) {
  for (int k = 0; k < a->count; k++)
    if (a->row[k] < 0 || a->row[k] >= a->rows || a->column[k] < 0 || a->column[k] >= a->columns)
      return fail(r, "has an index out of range", path);
  return true;
}

static bool as_entries(reader *r, const stored *s, fclib_matrix *a, const char *path) {
  *a = (fclib_matrix){.rows = s->m, .columns = s->n, .value = s->x};
  if (s->nz >= 0) {
    if (s->nz > s->p_count || s->nz > s->i_count || s->nz > s->x_count) return fail(r, "has too few entries", path);
    a->count = s->nz, a->row = s->i, a->column = s->p;
    return check_range(r, a, path);
  }
  bool columns = s->nz == -1;
  const int *index = expand(r, s, columns ? s->n : s->m, path);
  if (!index) return false;
  a->count = s->p[columns ? s->n : s->m];
  if (a->count > s->x_count) return fail(r, "has too few entries", path);
  a->row = columns ? s->i : index, a->column = columns ? index : s->i;
  return check_range(r, a, path);
}

static bool read_matrix(reader *r, const char *group, const char *name, fclib_matrix *a) {
  char path[64], part[72];
  snprintf(path, sizeof path, "%s/%s", group, name);
  stored s = {0};
  struct {
    const char *name;
    int *value;
  } numbers[] = {{"m", &s.m}, {"n", &s.n}, {"nz", &s.nz}};
  for (int k = 0; k < 3; k++) {
    snprintf(part, sizeof part, "%s/%s", path, numbers[k].name);
    if (!read_integer(r, part, numbers[k].value)) return false;
  }
  if (s.m <= 0 || s.n <= 0 || s.m > POINTS_MAX || s.n > POINTS_MAX || s.nz < -2)
    return fail(r, "has no valid size", path);
  snprintf(part, sizeof part, "%s/p", path);
  if (!(s.p = read_dataset(r, part, H5T_NATIVE_INT, sizeof(int), &s.p_count))) return false;
  snprintf(part, sizeof part, "%s/i", path);
  if (!(s.i = read_dataset(r, part, H5T_NATIVE_INT, sizeof(int), &s.i_count))) return false;
  snprintf(part, sizeof part, "%s/x", path);
  if (!(s.x = read_dataset(r, part, H5T_NATIVE_DOUBLE, sizeof(double), &s.x_count))) return false;
  return as_entries(r, &s, a, path);
}

static bool read_sized(reader *r, const char *group, const char *name, int rows, int columns, fclib_matrix *a) {
  if (!read_matrix(r, group, name, a)) return false;
  return (a->rows == rows && a->columns == columns) || fail(r, "does not match the other parts in size", name);
}

// --- the two forms ---------------------------------------------------------------------------------------------------

static bool read_contacts(reader *r, const char *group, fclib_problem *p) {
  char path[48];
  snprintf(path, sizeof path, "%s/spacedim", group);
  if (!read_integer(r, path, &p->dimension)) return false;
  if (p->dimension != 2 && p->dimension != 3) return fail(r, "is neither 2 nor 3", path);
  p->contacts = -1;
  p->mu = read_vector(r, group, "mu", &p->contacts);
  if (p->mu && p->contacts < 1) return fail(r, "is empty", "mu");
  return p->mu && p->contacts <= POINTS_MAX / 3;
}

static bool read_local(reader *r, fclib_problem *p) {
  const char *group = "/fclib_local";
  if (!read_contacts(r, group, p)) return false;
  int rows = p->dimension * p->contacts;
  if (!read_sized(r, group, "W", rows, rows, &p->W) || !(p->q = read_vector(r, group, "q", &rows))) return false;
  if (!has(r, group, "R")) return true;
  if (!read_matrix(r, group, "R", &p->R)) return false;
  p->equations = p->R.rows;
  return read_sized(r, group, "R", p->equations, p->equations, &p->R) &&
         read_sized(r, group, "V", rows, p->equations, &p->V) && (p->s = read_vector(r, group, "s", &p->equations));
}

static bool read_global(reader *r, fclib_problem *p) {
  const char *group = "/fclib_global";
  p->global = true;
  if (!read_contacts(r, group, p) || !read_matrix(r, group, "M", &p->M)) return false;
  int rows = p->dimension * p->contacts, velocities = p->velocities = p->M.rows;
  if (p->M.columns != velocities) return fail(r, "is not square", "M");
  if (!read_sized(r, group, "H", velocities, rows, &p->H) || !(p->f = read_vector(r, group, "f", &velocities)) ||
      !(p->w = read_vector(r, group, "w", &rows)))
    return false;
  if (!has(r, group, "G")) return true;
  if (!read_matrix(r, group, "G", &p->G)) return false;
  p->equations = p->G.columns;
  if (p->G.rows != velocities) return fail(r, "does not match the other parts in size", "G");
  return (p->b = read_vector(r, group, "b", &p->equations)) != NULL;
}

static bool read_file(reader *r, fclib_problem *p) {
  if (there(r, "fclib_local")) return read_local(r, p);
  if (there(r, "fclib_global")) return read_global(r, p);
  error_set(r->error, CAROM_ERROR_FILE, "%s is not a contact problem: it has neither fclib_local nor fclib_global",
            r->path);
  return false;
}

const fclib_problem *fclib_read(arena *memory, const char *path, carom_error *error) {
  fclib_problem *p = ARENA_NEW(memory, fclib_problem);
  hdf5_errors errors;
  hdf5_errors_begin(&errors);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
  H5Pclose(access);
  reader r = {memory, path, file, &errors, error};
  jmp_buf *outer = memory->out_of_memory, own;
  volatile bool done = false;
  if (file < 0) {
    error_set(error, CAROM_ERROR_FILE, "cannot read %s: %s", path, errors.reason);
  } else if (setjmp(own) == 0) {
    memory->out_of_memory = &own;
    done = read_file(&r, p);
  } else {
    error_set(error, CAROM_ERROR_MEMORY, "out of memory while reading %s", path);
  }
  memory->out_of_memory = outer;
  if (file >= 0) H5Fclose(file);
  hdf5_errors_end(&errors);
  return done ? p : NULL;
}
