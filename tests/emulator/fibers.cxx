/* Contexts with a stack of their own: a switch keeps what a call keeps, and no more */
#include "emulator.h"
#include <sys/mman.h>
#include <cstdio>
#include <cstdlib>

static constexpr size_t GUARD = 4096;

static char *stacks;
static void *fiber_sp[MOST_THREADS], *host_sp;
static int   running;

/* Puts away the stack pointer at *from, goes on at `to` */
extern "C" void EmulatorSwitch(void **from, void *to);
asm(".text\n"
    ".globl EmulatorSwitch\n"
    ".type EmulatorSwitch, @function\n"
    "EmulatorSwitch:\n"
    "  pushq %rbp\n"
    "  pushq %rbx\n"
    "  pushq %r12\n"
    "  pushq %r13\n"
    "  pushq %r14\n"
    "  pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15\n"
    "  popq %r14\n"
    "  popq %r13\n"
    "  popq %r12\n"
    "  popq %rbx\n"
    "  popq %rbp\n"
    "  ret\n"
    ".size EmulatorSwitch, .-EmulatorSwitch\n");

static void Reserve()
{
  void *p = mmap(NULL, MOST_THREADS * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (p == MAP_FAILED) {
    perror("No room for the stacks of fibers");
    abort();
  }
  stacks = (char *)p;
  for (int i = 0; i < MOST_THREADS; i++) mprotect(stacks + i * STACK_BYTES, GUARD, PROT_NONE);
}

void *FiberStack(int i)
{
  if (!stacks) Reserve();
  return stacks + i * STACK_BYTES;
}

void FiberStart(int i, void (*run)())
{
  void **top = (void **)((char *)FiberStack(i) + STACK_BYTES);

  *--top = NULL; /* where run() would return to, on a stack that is aligned as after a call */
  *--top = (void *)run;
  for (int r = 0; r < 6; r++) *--top = NULL;
  fiber_sp[i] = top;
}

void FiberResume(int i)
{
  running = i;
  EmulatorSwitch(&host_sp, fiber_sp[i]);
}

void FiberYield()
{
  EmulatorSwitch(&fiber_sp[running], host_sp);
}
