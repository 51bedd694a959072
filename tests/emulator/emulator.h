/*
  Kernels without a device: what the parts of the emulator share. A thread of a block is a fiber, which runs until it waits for others.
  One block runs after the other, in a chosen order, and so do the threads of a block. What a kernel does with memory is told
  by calls that the compiler puts before each access (-fsanitize=thread, whose library is not linked: callbacks.cxx), so that
  accesses are checked against what is allocated, and against each other by what orders them.
*/
#ifndef EMULATOR_H
#define EMULATOR_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

static constexpr int    WARP_LANES = 32, MOST_THREADS = 1024;
static constexpr size_t STACK_BYTES = 64 << 10, MOST_SHARED = 227 << 10;

/* ---- fibers.cxx: contexts with a stack of their own */

void *FiberStack(int i);                /* the lowest address of fiber i's */
void  FiberStart(int i, void (*run)()); /* it begins with run(), which must not return, when it is first resumed */
void  FiberResume(int i);               /* returns when the fiber yields */
void  FiberYield();

typedef struct {
  unsigned x, y, z;
} Index;

/* ---- What a thread waits for */

enum Operation {
  SYNCTHREADS,
  SYNCWARP,
  SHFL,
  SHFL_UP,
  SHFL_DOWN,
  SHFL_XOR,
  BALLOT,
  ANY,
  ALL,
  MATCH_ANY,
  REDUCE_ADD,
  REDUCE_MIN,
  REDUCE_MAX,
  REDUCE_MIN_SIGNED,
  REDUCE_MAX_SIGNED,
  REDUCE_AND,
  REDUCE_OR
};

extern const char *const OperationNames[];

typedef struct {
  Operation          operation;
  const void        *site; /* the address after the call */
  unsigned           mask;
  unsigned long long value;
  int                argument, width; /* of shuffles */
} Wait;

enum State {
  READY,
  WAITING,
  ENDED
};

/* An asynchronous copy that was begun */
typedef struct {
  unsigned char *to;
  const char    *from;
  int            bytes, room; /* the rest of the room becomes zero */
} Copy;

struct Thread {
  int                   index, warp, lane;
  Index                 place;
  State                 state;
  Wait                  wait;
  unsigned long long    result;
  bool                  waited;          /* for the launches before */
  uint32_t              moment;          /* watch.cxx */
  uint32_t              barriers, syncs; /* that it has come through: of the block, of the warp */
  std::vector<uint32_t> known;           /* moments of others up to which it sees what they did, by counters */
  std::vector<Copy>     copies;
};

/* A bit for each lane */
typedef struct {
  unsigned waiting; /* in operations of the warp */
  unsigned at_barrier, ended;
} Warp;

/* The launch that runs now */
struct Grid {
  const void *kernel;
  Index       blocks, threads;
  bool        early;         /* a thread waits itself for the launches before */
  size_t      shared;        /* bytes of dynamic shared memory */
  void (*run)(const void *); /* the kernel, for the current thread */
  const void         *call;
  uint32_t            block;  /* number of the current one */
  std::vector<Thread> thread; /* of the block */
  std::vector<Warp>   warp;
  int                 n_ended, n_at_barrier, first_at_barrier;
  std::string         error; /* what was found; the launch ends with it */
};

extern Grid    grid;
extern Thread *current; /* NULL: the host runs */

/* ---- grid.cxx */

bool RunLaunch(const void *kernel, bool early, Index blocks, Index threads, size_t shared, void (*run)(const void *), const void *call); /* false: grid.error tells why */
void WaitForOthers();                                                                                                                    /* by a thread whose `wait` is set and cannot be granted yet */

/* ---- watch.cxx */

enum Access {
  READ,
  READ_ONCE, /* through the path for what no thread writes while the kernel runs */
  WRITE,
  ATOMIC
};

void WatchAllocate(void *data, size_t bytes);
void WatchFree(void *data);
void WatchFill(const void *data, size_t bytes); /* the host or a library has written it */
bool WatchIsDevice(const void *data, size_t bytes);
void WatchAccess(const void *data, size_t bytes, Access access, const void *site); /* by the current thread */
void WatchWrittenAgain();                                                          /* before the current thread waits or ends */
void WatchLaunch();
void WatchBlock();
void WatchMoment(Thread *);           /* what it does from now on comes after what others see already */
void WatchCount(const void *counter); /* an atomic addition that releases and acquires */
void WatchMerge(Thread **, int n);    /* they meet: what one sees, all see */

/* ---- report.cxx */

[[noreturn]] void Fail(const char *format, ...) __attribute__((format(printf, 1, 2))); /* ends the launch; by the current thread */
std::string       SiteOf(const void *address);                                         /* file and line, inlined ones too */
std::string       NameOf(const Thread &);

#endif
