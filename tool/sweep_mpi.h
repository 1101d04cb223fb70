// A sweep that is shared by the processes of an MPI job. Without MPI there is only one process.
#ifndef TOOL_SWEEP_MPI_H
#define TOOL_SWEEP_MPI_H

#include "carom/sweep.h"

// Joins the job that this process was started in, if it was. Returns the number of its processes, 1 for none, or 0
// after complaining.
int sweep_mpi_begin(void);
bool sweep_mpi_is_first(void);  // this process has the files
void sweep_mpi_end(void);

// `serve` of the options, in the first process.
void sweep_mpi_serve(void *context, carom_sweep_desk *desk);
// The work of every other process. Returns its exit code.
int sweep_mpi_work(const carom_sweep_options *options);

#endif
