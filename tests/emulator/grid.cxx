/* A launch: blocks one after the other, the threads of a block in turn, each until it waits or ends */
#include "emulator.h"
#include "control.h"
#include <algorithm>
#include <numeric>

Grid    grid;
Thread *current;

static EmulatorOrder      order = EMULATOR_FORWARD;
static unsigned long long launches;
static uint64_t           random_state = 1;

extern "C" void EmulatorSetOrder(EmulatorOrder o)
{
  order        = o;
  random_state = 1;
}

extern "C" unsigned long long EmulatorLaunches(void)
{
  return launches;
}

/* What stands in shared memory where nothing was written: as a number, NaN, zero, or a tiny one */
unsigned char Poison()
{
  static const unsigned char poison[] = {0xff, 0, 0xa5};

  return poison[order];
}

static uint64_t Random()
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static void Arrange(std::vector<uint32_t> &turn)
{
  std::iota(turn.begin(), turn.end(), 0);
  if (order == EMULATOR_BACKWARD) std::reverse(turn.begin(), turn.end());
  if (order != EMULATOR_SHUFFLED) return;
  for (size_t i = turn.size(); i > 1; i--) std::swap(turn[i - 1], turn[Random() % i]);
}

/* Nobody may wait for a thread that has ended */
static void CheckEnd()
{
  if (!grid.n_at_barrier && !grid.warp[current->warp].waiting) return;
  for (Thread &t : grid.thread) {
    if (t.state != WAITING || &t == current) continue;
    if (t.wait.operation == SYNCTHREADS || (t.warp == current->warp && (t.wait.mask >> current->lane & 1))) Fail("ends while %s waits for it in %s at %s", NameOf(t).c_str(), OperationNames[t.wait.operation], SiteOf(t.wait.site).c_str());
  }
}

static void RunThread()
{
  (*grid.run)(grid.call);
  WatchWrittenAgain();
  CheckEnd();
  current->state = ENDED;
  grid.warp[current->warp].ended |= 1u << current->lane;
  grid.n_ended++;
  for (;;) FiberYield();
}

void WaitForOthers()
{
  Thread *self = current;

  self->state = WAITING;
  FiberYield();
  current = self;
}

static void BeginBlock()
{
  const unsigned nx = grid.threads.x, ny = grid.threads.y;
  unsigned       i = 0;

  WatchBlock();
  grid.n_ended = grid.n_at_barrier = 0;
  grid.warp.assign((grid.thread.size() + WARP_LANES - 1) / WARP_LANES, {0, 0, 0});
  for (Thread &t : grid.thread) {
    t.index    = (int)i;
    t.place    = {i % nx, i / nx % ny, i / nx / ny};
    t.warp     = t.index / WARP_LANES;
    t.lane     = t.index % WARP_LANES;
    t.state    = READY;
    t.waited   = false;
    t.barriers = t.syncs = 0;
    t.known.clear();
    t.copies.clear();
    WatchMoment(&t);
    FiberStart((int)i++, RunThread);
  }
}

/* Each lane that can go on, once; false: there is none */
static bool RunWarp(uint32_t warp, std::vector<uint32_t> &lanes)
{
  const int first = (int)warp * WARP_LANES;
  bool      any   = false;

  Arrange(lanes);
  for (uint32_t l : lanes) {
    const int i = first + (int)l;

    if (i >= (int)grid.thread.size() || grid.thread[i].state != READY) continue;
    any     = true;
    current = &grid.thread[i];
    FiberResume(i);
    current = NULL;
    if (!grid.error.empty()) return false;
  }
  return any;
}

/* A warp as far as it comes, then the next; in shuffled order, warps take turns */
static void RunBlock()
{
  std::vector<uint32_t> warps, lanes(WARP_LANES);
  bool                  any = true;

  BeginBlock();
  warps.resize(grid.warp.size());
  while (any) {
    any = false;
    Arrange(warps);
    for (uint32_t w : warps) {
      bool goes_on = true;

      while (goes_on) {
        goes_on = RunWarp(w, lanes);
        any     = any || goes_on;
        if (!grid.error.empty()) return;
        if (order == EMULATOR_SHUFFLED) break;
      }
    }
  }
  for (const Thread &t : grid.thread) { /* parts of warps that wait for each other; all else is found out before */
    if (t.state == WAITING) grid.error = NameOf(t) + " waits for ever in " + OperationNames[t.wait.operation] + " at " + SiteOf(t.wait.site);
  }
}

bool RunLaunch(const void *kernel, bool early, Index blocks, Index threads, size_t shared, void (*run)(const void *), const void *call)
{
  std::vector<uint32_t> turn((size_t)blocks.x * blocks.y * blocks.z);

  grid.kernel  = kernel;
  grid.early   = early;
  grid.blocks  = blocks;
  grid.threads = threads;
  grid.shared  = shared;
  grid.run     = run;
  grid.call    = call;
  grid.error.clear();
  grid.thread.resize((size_t)threads.x * threads.y * threads.z);
  launches++;
  WatchLaunch();
  Arrange(turn);
  for (uint32_t b : turn) {
    grid.block = b;
    RunBlock();
    if (!grid.error.empty()) return false;
  }
  return true;
}
