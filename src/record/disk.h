// The file underneath a record: an HDF5 file driver that remembers why it failed and then stops writing.
//
// HDF5 in single-writer mode orders its writes so that every prefix of them is a consistent file; that is what makes
// a killed run readable. After the first failed write this driver ignores all further ones, so a full disk leaves
// exactly such a prefix. To HDF5 it reports success, so that HDF5 can close the file; the user of the driver must check
// `dead`.
#ifndef RECORD_DISK_H
#define RECORD_DISK_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct disk {
  char trouble[160];  // the first reason of failure in words; empty while all is well
  bool dead;          // nothing is written any more
  bool emptied;       // the previous content of the file, if any, is gone
  int fd;             // of the open file, -1 when none is
  int users;          // the owner and each open file; the last one frees
} disk;

disk *disk_create(void);     // null when out of memory
void disk_release(disk *d);  // accepts null; memory goes with the last user, so a file that HDF5 keeps stays valid

// A file access property list that opens files through this driver, reporting to `d`; negative on failure.
hid_t disk_access(disk *d);

// Declares the file dead: what is on it stays as it is.
void disk_stop(disk *d, const char *reason);
// Writes behind HDF5's back into space that the file already owns, even on a dead disk.
bool disk_write_at(disk *d, haddr_t address, const void *bytes, size_t size);

#endif
