/*
  A thread that makes ready what first products need while the program assembles: the first plan's kernel, page-locked memory, a second stream, kernels of a look, a pool of memory,
  buffers of the upload, and kernels of solvers where they may be used. Whoever needs a thing that the thread could not make asks for it again, and reports the error.
*/
#include "launch.h"
#include "preload.h"
#include "thread.h"
#include "upload.h"
#include <errno.h>
#include <semaphore.h>
#include <unistd.h>

static struct {
  PetscBool              running; /* the thread has not been joined */
  int                    left;    /* stages that have not been taken */
  pthread_t              thread;
  sem_t                  stage; /* posted at the end of each */
  pid_t                  process;
  PetscBool              with_pool;
  const void *const     *more;
  AutoCSRDevicePreloaded made;
} preload;

static void *Preload(void *unused)
{
  const void *const         look[] = {AutoCSRRowsKernel, AutoCSRMeasureKernel, AutoCSREncodeKernel, AutoCSRDeviceExecutors[0].step[0].kernel}; /* a kernel of each module */
  struct cudaFuncAttributes attributes;
  const PetscBool           set = (PetscBool)(cudaSetDevice(preload.made.device) == cudaSuccess);

  (void)unused;
  if (set) {
    (void)cudaFuncGetAttributes(&attributes, AutoCSRFirstKernel);
    if (cudaHostAlloc(&preload.made.boxes, 2 * AUTOCSR_BOX_BYTES, cudaHostAllocDefault) != cudaSuccess) preload.made.boxes = NULL;
    if (cudaStreamCreateWithFlags(&preload.made.beside, cudaStreamNonBlocking) != cudaSuccess) preload.made.beside = NULL;
  }
  (void)sem_post(&preload.stage);
  for (size_t k = 0; set && k < PETSC_STATIC_ARRAY_LENGTH(look); k++) (void)cudaFuncGetAttributes(&attributes, look[k]);
  if (set && preload.with_pool && preload.made.beside) (void)AutoCSRDevicePoolMake(preload.made.device, preload.made.beside, &preload.made.pool);
  (void)sem_post(&preload.stage);
  if (set && cudaHostAlloc(&preload.made.buffers, AUTOCSR_UPLOAD_BUFFERS * AUTOCSR_UPLOAD_PIECE, cudaHostAllocDefault) != cudaSuccess) preload.made.buffers = NULL;
  (void)sem_post(&preload.stage);
  for (const void *const *kernel = preload.more; set && kernel && *kernel; kernel++) (void)cudaFuncGetAttributes(&attributes, *kernel);
  return NULL;
}

static void Join(void)
{
  if (preload.running && preload.process == getpid()) (void)pthread_join(preload.thread, NULL);
  preload.running = PETSC_FALSE;
}

void AutoCSRDevicePreloadBegin(int device, PetscBool with_pool, const void *const more[])
{
  static PetscBool exits = PETSC_FALSE;

  if (!exits && atexit(Join)) return; /* a program may end without PetscFinalize(): the driver must not go before the thread */
  exits             = PETSC_TRUE;
  preload.made      = (AutoCSRDevicePreloaded){.device = device};
  preload.with_pool = with_pool;
  preload.more      = more;
  preload.process   = getpid();
  if (sem_init(&preload.stage, 0, 0)) return;
  preload.running = AutoCSRThreadBegin(&preload.thread, Preload, NULL);
  if (preload.running)
    preload.left = AUTOCSR_PRELOAD_STAGES;
  else
    (void)sem_destroy(&preload.stage);
}

static void Await(void)
{
  while (sem_wait(&preload.stage) && errno == EINTR) {
  }
  preload.left--;
}

void AutoCSRDevicePreloadTake(AutoCSRDevicePreloadStage last, AutoCSRDevicePreloaded *made)
{
  *made = (AutoCSRDevicePreloaded){.device = preload.made.device};
  if (PetscLikely(!preload.left)) return;
  if (preload.process != getpid()) { /* a child of fork() has no such thread */
    preload.left = 0;
    return;
  }
  for (int stage = AUTOCSR_PRELOAD_STAGES - preload.left; stage <= (int)last; stage++) {
    Await();
    if (stage == AUTOCSR_PRELOAD_BOXES) {
      made->boxes  = preload.made.boxes;
      made->beside = preload.made.beside;
    } else if (stage == AUTOCSR_PRELOAD_POOL)
      made->pool = preload.made.pool;
    else
      made->buffers = preload.made.buffers;
  }
}

void AutoCSRDevicePreloadEnd(void)
{
  if (!preload.running) return;
  Join();
  (void)sem_destroy(&preload.stage);
}
