/* What kernels call: by the compiler's doing before each access to memory, and by device.h */
#include "emulator.h"
#include "device.h"
#undef threadIdx
#undef blockIdx

alignas(1024) unsigned char EmulatorShared[MOST_SHARED]; /* dynamic */
unsigned char Poison();

/* ---- Where a thread is */

EmulatorIndex EmulatorThreadIndex(void)
{
  return {current->place.x, current->place.y, current->place.z};
}

EmulatorIndex EmulatorBlockIndex(void)
{
  const unsigned nx = grid.blocks.x, ny = grid.blocks.y;

  return {grid.block % nx, grid.block / nx % ny, grid.block / nx / ny};
}

EmulatorIndex EmulatorThreads(void)
{
  return {grid.threads.x, grid.threads.y, grid.threads.z};
}

EmulatorIndex EmulatorBlocks(void)
{
  return {grid.blocks.x, grid.blocks.y, grid.blocks.z};
}

void EmulatorWaitForLast(void)
{
  current->waited = true;
}

/* ---- Memory */

static inline void Check(const void *p, size_t bytes, Access access, const void *site)
{
  if (!current) return; /* the host's part of a file of kernels */
  if ((uintptr_t)p % bytes) Fail("%s %zu bytes at the address %p, which is no multiple of it, at %s", access < WRITE ? "reads" : "writes", bytes, p, SiteOf(site).c_str());
  WatchAccess(p, bytes, access, site);
}

static inline void CheckUnaligned(const void *p, size_t bytes, Access access, const void *site)
{
  if (current) WatchAccess(p, bytes, access, site);
}

#define SITE __builtin_return_address(0)

void EmulatorReadOnce(const void *p, size_t bytes, const void *site)
{
  Check(p, bytes, READ_ONCE, site);
}

void EmulatorAtomic(const void *p, size_t bytes, const void *site)
{
  Check(p, bytes, ATOMIC, site);
}

void EmulatorCount(const void *p, const void *site)
{
  Check(p, sizeof(unsigned), ATOMIC, site);
  WatchCount(p);
}

/* An asynchronous copy may happen at any time before the wait: what is there meanwhile is nobody's to read */
void EmulatorCopy(void *to, const void *from, int bytes, int size)
{
  if ((uintptr_t)to % size || (uintptr_t)from % size) Fail("copies %d bytes from %p to %p, not both multiples of it, at %s", size, from, to, SiteOf(SITE).c_str());
  if (bytes) WatchAccess(from, bytes, READ, SITE);
  WatchAccess(to, size, WRITE, SITE);
  memset(to, Poison() ^ 0x5a, size);
  current->copies.push_back({(unsigned char *)to, (const char *)from, bytes, size});
}

void EmulatorCopiesWait(void)
{
  for (const Copy &c : current->copies) {
    if (c.bytes) WatchAccess(c.from, c.bytes, READ, SITE);
    WatchAccess(c.to, c.room, WRITE, SITE);
    memcpy(c.to, c.from, c.bytes);
    memset(c.to + c.bytes, 0, c.room - c.bytes);
  }
  current->copies.clear();
}

void EmulatorWritten(const void *p, size_t bytes)
{
  WatchFill(p, bytes);
}

#define READS_AND_WRITES(n)               \
  void __tsan_read##n(void *p)            \
  {                                       \
    Check(p, n, READ, SITE);              \
  }                                       \
  void __tsan_write##n(void *p)           \
  {                                       \
    Check(p, n, WRITE, SITE);             \
  }                                       \
  void __tsan_volatile_read##n(void *p)   \
  {                                       \
    Check(p, n, ATOMIC, SITE);            \
  }                                       \
  void __tsan_volatile_write##n(void *p)  \
  {                                       \
    Check(p, n, ATOMIC, SITE);            \
  }                                       \
  void __tsan_unaligned_read##n(void *p)  \
  {                                       \
    CheckUnaligned(p, n, READ, SITE);     \
  }                                       \
  void __tsan_unaligned_write##n(void *p) \
  {                                       \
    CheckUnaligned(p, n, WRITE, SITE);    \
  }

extern "C" {
READS_AND_WRITES(1)
READS_AND_WRITES(2)
READS_AND_WRITES(4)
READS_AND_WRITES(8)
READS_AND_WRITES(16)

void __tsan_read_range(void *p, size_t bytes)
{
  CheckUnaligned(p, bytes, READ, SITE);
}

void __tsan_write_range(void *p, size_t bytes)
{
  CheckUnaligned(p, bytes, WRITE, SITE);
}

void __tsan_init(void)
{
}

void __tsan_func_entry(void *)
{
}

void __tsan_func_exit(void)
{
}
}
