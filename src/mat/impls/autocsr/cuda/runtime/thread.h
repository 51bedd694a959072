/* A thread of the library's own. It calls no function of PETSc, which is not thread-safe */
#ifndef AUTOCSR_THREAD_H
#define AUTOCSR_THREAD_H

#include <petscsystypes.h>
#include <pthread.h>
#include <signal.h>

/* Signals are for threads of the program */
static inline PetscBool AutoCSRThreadBegin(pthread_t *thread, void *(*work)(void *), void *argument)
{
  sigset_t  all, before;
  PetscBool begun;

  sigfillset(&all);
  (void)pthread_sigmask(SIG_SETMASK, &all, &before);
  begun = (PetscBool)!pthread_create(thread, NULL, work, argument);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return begun;
}

#endif
