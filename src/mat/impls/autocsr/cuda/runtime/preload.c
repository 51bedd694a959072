/*
  A thread that makes ready what first products need while the program assembles: the first plan's kernel, page-locked memory, a second stream, kernels of a look, a pool of memory,
  and kernels of solvers where they may be used.
  It calls no function of PETSc, which is not thread-safe. Whoever needs a thing that the thread could not make asks for it again, and reports the error.
*/
#include "launch.h"
#include "preload.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>

#define STAGES 2 /* boxes and stream; the pool */

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
  sigset_t         all, before;

  if (!exits && atexit(Join)) return; /* a program may end without PetscFinalize(): the driver must not go before the thread */
  exits             = PETSC_TRUE;
  preload.made      = (AutoCSRDevicePreloaded){.device = device};
  preload.with_pool = with_pool;
  preload.more      = more;
  preload.process   = getpid();
  if (sem_init(&preload.stage, 0, 0)) return;
  sigfillset(&all); /* signals are for threads of the program */
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  preload.running = (PetscBool)!pthread_create(&preload.thread, NULL, Preload, NULL);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (preload.running)
    preload.left = STAGES;
  else
    (void)sem_destroy(&preload.stage);
}

static void Await(void)
{
  while (sem_wait(&preload.stage) && errno == EINTR) {
  }
  preload.left--;
}

void AutoCSRDevicePreloadTake(PetscBool with_pool, AutoCSRDevicePreloaded *made)
{
  *made = (AutoCSRDevicePreloaded){.device = preload.made.device};
  if (PetscLikely(!preload.left)) return;
  if (preload.process != getpid()) { /* a child of fork() has no such thread */
    preload.left = 0;
    return;
  }
  if (preload.left == STAGES) {
    Await();
    made->boxes  = preload.made.boxes;
    made->beside = preload.made.beside;
  }
  if (!with_pool) return;
  Await();
  made->pool = preload.made.pool;
}

void AutoCSRDevicePreloadEnd(void)
{
  if (!preload.running) return;
  Join();
  (void)sem_destroy(&preload.stage);
}
