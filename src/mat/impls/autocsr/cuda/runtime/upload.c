/*
  Large arrays of the host to a device. The driver copies memory that is not page-locked through a buffer of its own, with one thread, at a tenth of
  what the bus carries. Here some threads take the next piece in turn, copy it to a page-locked buffer and send that off; a buffer is filled again when it has arrived.

  A thread fills 8 to 12 GB/s, so that four of them are about as fast as the bus (50 GB/s). What is sent is what the host has: columns in 16 bits, or none where values
  repeat, would spare bytes of the bus, but not the reading of each entry, which takes the threads as long as to copy it.
*/
#if !defined(_GNU_SOURCE)
  #define _GNU_SOURCE
#endif
#include "upload.h"
#include "thread.h"
#include "../planning/planner.h"
#include <sched.h>
#include <stdatomic.h>

#define THREADS 4

typedef struct {
  const AutoCSRUpload *array;
  size_t               pieces; /* of all arrays */
  atomic_size_t        next;   /* the piece that nobody has taken */
  atomic_int           error;  /* the first of CUDA's; the other threads then stop */
  char                *buffer;
  cudaEvent_t          arrived[AUTOCSR_UPLOAD_BUFFERS];
  cudaStream_t         stream;
  int                  device, threads;
} Job;

typedef struct {
  Job      *job;
  int       k;
  PetscBool begun;
  pthread_t thread;
} Worker;

static size_t Pieces(size_t bytes)
{
  return (bytes + AUTOCSR_UPLOAD_PIECE - 1) / AUTOCSR_UPLOAD_PIECE;
}

static AutoCSRUpload PieceOf(const AutoCSRUpload *array, size_t piece)
{
  size_t begin;

  for (; piece >= Pieces(array->bytes); array++) piece -= Pieces(array->bytes);
  begin = piece * AUTOCSR_UPLOAD_PIECE;
  return (AutoCSRUpload){(char *)array->to + begin, (const char *)array->from + begin, PetscMin(array->bytes - begin, AUTOCSR_UPLOAD_PIECE)};
}

/* Thread k has the buffers k, k + threads and so on */
static void Carry(Job *job, int k)
{
  const int   own   = AUTOCSR_UPLOAD_BUFFERS / job->threads;
  cudaError_t error = cudaSuccess;

  for (size_t turn = 0; error == cudaSuccess && !job->error; turn++) {
    const size_t  next = atomic_fetch_add(&job->next, 1);
    const int     b    = k + (int)(turn % (size_t)own) * job->threads;
    char         *room = job->buffer + (size_t)b * AUTOCSR_UPLOAD_PIECE;
    AutoCSRUpload piece;

    if (next >= job->pieces) return;
    piece = PieceOf(job->array, next);
    if (turn >= (size_t)own) error = cudaEventSynchronize(job->arrived[b]);
    if (error == cudaSuccess) {
      memcpy(room, piece.from, piece.bytes);
      error = cudaMemcpyAsync(piece.to, room, piece.bytes, cudaMemcpyHostToDevice, job->stream);
    }
    if (error == cudaSuccess) error = cudaEventRecord(job->arrived[b], job->stream);
  }
  if (error != cudaSuccess) job->error = (int)error;
}

static void *Work(void *data)
{
  const Worker     *w     = (const Worker *)data;
  const cudaError_t error = cudaSetDevice(w->job->device);

  if (error == cudaSuccess)
    Carry(w->job, w->k);
  else
    w->job->error = (int)error;
  return NULL;
}

static void CarryAll(Job *job)
{
  Worker worker[THREADS];

  for (int k = 1; k < job->threads; k++) {
    worker[k]       = (Worker){.job = job, .k = k};
    worker[k].begun = AutoCSRThreadBegin(&worker[k].thread, Work, &worker[k]);
  }
  Carry(job, 0); /* all of it, where there are no other threads to be had */
  for (int k = 1; k < job->threads; k++) {
    if (worker[k].begun) (void)pthread_join(worker[k].thread, NULL);
  }
}

/* Without page-locked memory the driver copies */
static PetscErrorCode SendPlain(int n, const AutoCSRUpload array[])
{
  PetscFunctionBegin;
  for (int k = 0; k < n; k++) PetscCallCUDA(cudaMemcpyAsync(array[k].to, array[k].from, array[k].bytes, cudaMemcpyHostToDevice, AUTOCSR_STREAM));
  PetscCall(AutoCSRDeviceSynchronize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRDeviceUpload(int n, const AutoCSRUpload array[], int threads)
{
  Job         job    = {.array = array};
  void       *buffer = NULL;
  cudaError_t error  = cudaSuccess;
  int         made   = 0;

  PetscFunctionBegin;
  PetscCall(AutoCSRDeviceFollow());
  PetscCall(AutoCSRDeviceFindBuffers(&buffer));
  if (!buffer) {
    PetscCall(SendPlain(n, array));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int k = 0; k < n; k++) job.pieces += Pieces(array[k].bytes);
  job.buffer  = (char *)buffer;
  job.threads = (int)PetscMin((size_t)PetscMin(PetscMax(threads, 1), THREADS), PetscMax(job.pieces, 1));
  PetscCall(AutoCSRDeviceFork(&job.stream)); /* the arrays are there, and nobody reads what was in them before */
  PetscCallCUDA(cudaGetDevice(&job.device));
  while (made < AUTOCSR_UPLOAD_BUFFERS && error == cudaSuccess) {
    error = cudaEventCreateWithFlags(&job.arrived[made], cudaEventDisableTiming);
    if (error == cudaSuccess) made++;
  }
  if (error == cudaSuccess) {
    CarryAll(&job);
    error = (cudaError_t)job.error;
  }
  { /* after an error, too, copies may be under way: the first one is told */
    const cudaError_t last = cudaStreamSynchronize(job.stream);

    if (error == cudaSuccess) error = last;
  }
  while (made--) (void)cudaEventDestroy(job.arrived[made]);
  AutoCSRCallCUDA(error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As if all processes were on this node, and shared what this one may run on. To ask which are would take messages at a time when the others may send none */
PetscErrorCode AutoCSRDeviceUploadThreads(int *threads)
{
  cpu_set_t   set;
  PetscMPIInt processes;
  int         processors = 1;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  if (!sched_getaffinity(0, sizeof(set), &set)) processors = CPU_COUNT(&set);
  *threads = PetscMin(PetscMax(processors / processes, 1), THREADS);
  PetscFunctionReturn(PETSC_SUCCESS);
}
