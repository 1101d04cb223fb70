#include "sweep_mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "talk.h"

#ifdef CAROM_MPI

#include <mpi.h>
#include <time.h>

// A worker sends READY, ROW or STOPPED, and is answered by the number of a row, or -1 for the end.
enum { TAG_IDENTITY = 1, TAG_READY, TAG_ROW, TAG_STOPPED, TAG_NEXT };
enum { MESSAGE_SIZE = 2048 };  // of a row that failed

static int processes = 1, rank;
static bool told;  // the others know which sweep it is

// Started alone, a process need not wait for MPI.
int sweep_mpi_begin(void) {
  int level;
  if (!getenv("OMPI_COMM_WORLD_SIZE") && !getenv("PMIX_RANK") && !getenv("PMI_RANK")) return 1;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (processes == 1 || level >= MPI_THREAD_SERIALIZED) return processes;
  usage_error("sweep", "this MPI allows no call from a second thread");
  return 0;
}

bool sweep_mpi_is_first(void) { return rank == 0; }

// An empty one where the sweep could not begin.
static void tell_identity(const char *identity) {
  for (int i = 1; i < processes; i++)
    MPI_Send(identity, (int)strlen(identity) + 1, MPI_CHAR, i, TAG_IDENTITY, MPI_COMM_WORLD);
  told = true;
}

void sweep_mpi_end(void) {
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun && rank == 0 && !told) tell_identity("");
  if (begun) MPI_Finalize();
}

// --- the first process -----------------------------------------------------------------------------------------------

// MPI would wait with all of a processor, which works on rows here.
static MPI_Status wait_for_message(void) {
  MPI_Status about;
  int there = 0;
  while (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &about), !there)
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
  return about;
}

// A row is followed by its message.
static void receive(const MPI_Status *about, char *bytes, int size, carom_sweep_desk *desk) {
  MPI_Recv(bytes, size, MPI_BYTE, about->MPI_SOURCE, about->MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  size_t row = (size_t)carom_sweep_desk_columns(desk) * sizeof(double);
  if (about->MPI_TAG == TAG_ROW) carom_sweep_desk_give(desk, (const double *)bytes, bytes + row);
  if (about->MPI_TAG == TAG_STOPPED) carom_sweep_desk_stop(desk);
}

void sweep_mpi_serve(void *context, carom_sweep_desk *desk) {
  (void)context;
  int size = carom_sweep_desk_columns(desk) * (int)sizeof(double) + MESSAGE_SIZE;
  char *bytes = calloc(1, (size_t)size);
  if (!bytes) MPI_Abort(MPI_COMM_WORLD, EXIT_USAGE);
  tell_identity(carom_sweep_desk_identity(desk));
  for (int working = processes - 1; working > 0;) {
    MPI_Status about = wait_for_message();
    receive(&about, bytes, size, desk);
    long row = about.MPI_TAG == TAG_STOPPED ? -1 : carom_sweep_desk_take(desk);
    working -= row < 0;
    if (about.MPI_TAG != TAG_STOPPED) MPI_Send(&row, 1, MPI_LONG, about.MPI_SOURCE, TAG_NEXT, MPI_COMM_WORLD);
  }
  free(bytes);
}

// --- the others ------------------------------------------------------------------------------------------------------

typedef struct link {
  bool begun;
  char *bytes;
} link;

static long next(void *context) {
  link *l = context;
  long row;
  if (!l->begun) MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_READY, MPI_COMM_WORLD);
  l->begun = true;
  MPI_Recv(&row, 1, MPI_LONG, 0, TAG_NEXT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return row;
}

static bool give(void *context, const double *row, int columns, const char *message) {
  link *l = context;
  size_t size = (size_t)columns * sizeof *row;
  if (!l->bytes) l->bytes = calloc(1, size + MESSAGE_SIZE);
  if (!l->bytes) MPI_Abort(MPI_COMM_WORLD, EXIT_USAGE);
  memcpy(l->bytes, row, size);
  snprintf(l->bytes + size, MESSAGE_SIZE, "%s", message);
  MPI_Send(l->bytes, (int)(size + strlen(l->bytes + size) + 1), MPI_BYTE, 0, TAG_ROW, MPI_COMM_WORLD);
  return true;
}

int sweep_mpi_work(const carom_sweep_options *options) {
  MPI_Status about;
  int size;
  MPI_Probe(0, TAG_IDENTITY, MPI_COMM_WORLD, &about);
  MPI_Get_count(&about, MPI_CHAR, &size);
  char *identity = malloc((size_t)size);
  if (!identity) MPI_Abort(MPI_COMM_WORLD, EXIT_USAGE);
  MPI_Recv(identity, size, MPI_CHAR, 0, TAG_IDENTITY, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  link l = {0};
  carom_error error = {0};
  carom_status status =
      *identity ? carom_sweep_work(options, &(carom_sweep_source){identity, next, give, &l}, &error) : CAROM_OK;
  if (status != CAROM_OK) {
    if (status != CAROM_INTERRUPTED) tell_error(&error);
    MPI_Send(NULL, 0, MPI_BYTE, 0, TAG_STOPPED, MPI_COMM_WORLD);
  }
  free(l.bytes), free(identity);
  return 0;  // the first process says how the sweep ended
}

#else

// Several processes that know nothing of each other would write to the same file.
int sweep_mpi_begin(void) {
  const char *size = getenv("OMPI_COMM_WORLD_SIZE");
  if (!size || atoi(size) < 2) return 1;
  usage_error("sweep", "this carom was built without MPI; build it where Open MPI is installed, or use --shard");
  return 0;
}
bool sweep_mpi_is_first(void) { return true; }
void sweep_mpi_end(void) {}
void sweep_mpi_serve(void *context, carom_sweep_desk *desk) { (void)context, (void)desk; }
int sweep_mpi_work(const carom_sweep_options *options) {
  (void)options;
  return 0;
}

#endif
