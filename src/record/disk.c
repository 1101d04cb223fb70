#define _GNU_SOURCE  // open file description locks, fallocate
#include "record/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct disk_file {
  H5FD_t base;  // HDF5's part, first
  disk *disk;
  int fd;
  haddr_t eoa, eof;  // end of the addresses in use; end of the file when it was opened
  haddr_t reserved;  // up to here the file has space on its disk; UNRESERVED: no more is asked for
  dev_t device;
  ino_t inode;
} disk_file;

// Space is asked for so much ahead, beyond what a small record needs. To write where a file has its blocks already
// takes two thirds of the processor time.
enum { RESERVE = 1 << 20 };
#define UNRESERVED HADDR_MAX
// What is at least so large begins on a page.
enum { CHUNK_LEAST = 1 << 16, PAGE = 1 << 12 };

// What the access property list carries.
typedef struct disk_ticket {
  disk *disk;
} disk_ticket;

disk *disk_create(void) {
  disk *d = calloc(1, sizeof *d);
  if (d) *d = (disk){.fd = -1, .users = 1};
  return d;
}

void disk_release(disk *d) {
  if (d && --d->users == 0) free(d);
}

void disk_stop(disk *d, const char *reason) {
  if (!d->trouble[0]) snprintf(d->trouble, sizeof d->trouble, "%s", reason);
  d->dead = true;
}

static bool write_all(int fd, const char *bytes, size_t size, off_t at) {
  while (size > 0) {
    ssize_t n = pwrite(fd, bytes, size, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (n == 0) errno = ENOSPC;
      return false;
    }
    bytes += n, size -= (size_t)n, at += n;
  }
  return true;
}

bool disk_write_at(disk *d, haddr_t address, const void *bytes, size_t size) {
  if (write_all(d->fd, bytes, size, (off_t)address)) return true;
  disk_stop(d, strerror(errno));
  return false;
}

// One writer per file. Readers are not hindered, and the lock dies with its process. File systems without locks get
// none.
static bool lock_for_writing(int fd) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fd, F_OFD_SETLK, &whole) == 0 || (errno != EAGAIN && errno != EACCES);
}

// Says why in words, or returns null when the file is ready for use.
static const char *prepare(disk *d, int fd, bool writable, bool empty, struct stat *info) {
  if (fstat(fd, info) != 0) return strerror(errno);
  if (S_ISDIR(info->st_mode)) return strerror(EISDIR);
  if (!S_ISREG(info->st_mode)) return "not a regular file";
  if (writable && !lock_for_writing(fd)) return "another run is writing to it";
  if (empty) {
    // ext4 hurries a file that was ever truncated to the disk when it is closed; spare a new one that.
    if (info->st_size > 0 && ftruncate(fd, 0) != 0) return strerror(errno);
    d->emptied = true;
    info->st_size = 0;
  }
  return NULL;
}

// Where this fails, for instance because the disk is nearly full, writing goes on without.
static void reserve(disk_file *f, haddr_t end) {
  if (end <= RESERVE || end <= f->reserved || f->reserved == UNRESERVED) return;
  haddr_t from = f->reserved ? f->reserved : RESERVE, to = (end / RESERVE + 1) * RESERVE;
  f->reserved = fallocate(f->fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from)) == 0 ? to : UNRESERVED;
}

// What was reserved and not used goes back.
static void end_reserve(const disk_file *f) {
  struct stat info;
  if (f->reserved && fstat(f->fd, &info) == 0 && ftruncate(f->fd, info.st_size) != 0)
    disk_stop(f->disk, strerror(errno));
}

static H5FD_t *driver_open(const char *path, unsigned flags, hid_t access, haddr_t max_address) {
  (void)max_address;
  const disk_ticket *ticket = H5Pget_driver_info(access);
  if (!ticket) return NULL;
  disk *d = ticket->disk;
  d->trouble[0] = '\0';  // HDF5 first tries whether the file is there; that may fail without harm
  bool writable = flags & H5F_ACC_RDWR;
  // O_NONBLOCK: a pipe must not keep us waiting; regular files do not care.
  int mode = (writable ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_CREAT ? O_CREAT : 0) | O_CLOEXEC | O_NONBLOCK;
  int fd = open(path, mode, 0666);
  struct stat info;
  const char *trouble = fd < 0 ? strerror(errno) : prepare(d, fd, writable, flags & H5F_ACC_TRUNC, &info);
  disk_file *f = trouble ? NULL : calloc(1, sizeof *f);
  if (!f) {
    snprintf(d->trouble, sizeof d->trouble, "%s", trouble ? trouble : strerror(ENOMEM));
    if (fd >= 0) close(fd);
    return NULL;
  }
  f->disk = d;
  f->fd = d->fd = fd;
  f->eof = (haddr_t)info.st_size;
  f->device = info.st_dev;
  f->inode = info.st_ino;
  d->users++;
  return &f->base;
}

static herr_t driver_close(H5FD_t *base) {
  disk_file *f = (disk_file *)base;
  end_reserve(f);
  // Network file systems report a full disk here.
  if (close(f->fd) != 0 && errno != EINTR) disk_stop(f->disk, strerror(errno));
  f->disk->fd = -1;
  disk_release(f->disk);
  free(f);
  return 0;
}

static int driver_compare(const H5FD_t *base_a, const H5FD_t *base_b) {
  const disk_file *a = (const disk_file *)base_a, *b = (const disk_file *)base_b;
  if (a->device != b->device) return a->device < b->device ? -1 : 1;
  if (a->inode != b->inode) return a->inode < b->inode ? -1 : 1;
  return 0;
}

static herr_t driver_query(const H5FD_t *base, unsigned long *features) {
  (void)base;
  *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DATA_SIEVE |
              H5FD_FEAT_SUPPORTS_SWMR_IO | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *base, H5FD_mem_t type) {
  (void)type;
  return ((const disk_file *)base)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t address) {
  (void)type;
  ((disk_file *)base)->eoa = address;
  return 0;
}

static haddr_t driver_get_eof(const H5FD_t *base, H5FD_mem_t type) {
  (void)type;
  return ((const disk_file *)base)->eof;
}

// Beyond the end of the file there are zeros: HDF5 allocates addresses before it writes them.
static herr_t driver_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void *buffer) {
  (void)type, (void)transfer;
  disk_file *f = (disk_file *)base;
  char *bytes = buffer;
  off_t at = (off_t)address;
  if (at < 0) return -1;
  while (size > 0) {
    ssize_t n = pread(f->fd, bytes, size, at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      snprintf(f->disk->trouble, sizeof f->disk->trouble, "%s", strerror(errno));
      return -1;
    }
    if (n == 0) {
      memset(bytes, 0, size);
      return 0;
    }
    bytes += n, size -= (size_t)n, at += n;
  }
  return 0;
}

// Never fails as HDF5 sees it: on its own ways out of a failed write it loses track of what it holds.
static herr_t driver_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                           const void *buffer) {
  (void)type, (void)transfer;
  disk_file *f = (disk_file *)base;
  if (!f->disk->dead) reserve(f, address + size);
  if (!f->disk->dead && !write_all(f->fd, buffer, size, (off_t)address)) disk_stop(f->disk, strerror(errno));
  if (address + size > f->eof) f->eof = address + size;
  return 0;
}

static herr_t driver_truncate(H5FD_t *base, hid_t transfer, hbool_t closing) {
  (void)transfer, (void)closing;
  disk_file *f = (disk_file *)base;
  if (!f->disk->dead && f->eoa != f->eof && ftruncate(f->fd, (off_t)f->eoa) != 0) disk_stop(f->disk, strerror(errno));
  f->eof = f->eoa;
  return 0;
}

// Our own lock is taken when the file is opened. These do nothing, but only for a driver that has them does HDF5 mark
// a file as being written.
static herr_t driver_lock(H5FD_t *base, hbool_t exclusive) {
  (void)base, (void)exclusive;
  return 0;
}

static herr_t driver_unlock(H5FD_t *base) {
  (void)base;
  return 0;
}

static const H5FD_class_t driver = {
    .name = "carom",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(disk_ticket),
    .open = driver_open,
    .close = driver_close,
    .cmp = driver_compare,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .lock = driver_lock,
    .unlock = driver_unlock,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t disk_access(disk *d) {
  hid_t id = H5FDregister(&driver), access = H5Pcreate(H5P_FILE_ACCESS);
  disk_ticket ticket = {d};
  // The newest format has checksums on all metadata and is what single-writer mode asks for. Closing the file closes
  // everything in it, so that nothing can be left behind. Chunks begin on pages of the file, to which the system copies
  // faster.
  bool ready = id >= 0 && access >= 0 && H5Pset_driver(access, id, &ticket) >= 0 &&
               H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0 &&
               H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && H5Pset_alignment(access, CHUNK_LEAST, PAGE) >= 0;
  if (id >= 0) H5FDunregister(id);  // the list, and later the file, hold on to it
  if (ready) return access;
  if (access >= 0) H5Pclose(access);
  return -1;
}
