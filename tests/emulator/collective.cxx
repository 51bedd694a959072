/*
  What a warp or a block does together. All lanes that are named must come to the same call, in the same place of the program:
  who comes and finds one that waits elsewhere, or has ended, has found a fault.
*/
#include "emulator.h"
#include "device.h"
#include <climits>

const char *const OperationNames[] = {"__syncthreads()", "__syncwarp()", "__shfl_sync()", "__shfl_up_sync()", "__shfl_down_sync()", "__shfl_xor_sync()", "__ballot_sync()", "__any_sync()", "__all_sync()", "__match_any_sync()", "__reduce_add_sync()", "__reduce_min_sync()", "__reduce_max_sync()", "__reduce_min_sync()", "__reduce_max_sync()", "__reduce_and_sync()", "__reduce_or_sync()"};

static std::string Place(const Wait &w)
{
  return std::string(OperationNames[w.operation]) + " at " + SiteOf(w.site);
}

[[noreturn]] static void FailWith(const Thread &other, const char *how)
{
  if (other.state == ENDED) Fail("waits in %s for %s, which has ended", Place(current->wait).c_str(), NameOf(other).c_str());
  Fail("is in %s, %s in %s%s", Place(current->wait).c_str(), NameOf(other).c_str(), Place(other.wait).c_str(), how);
}

static Thread &LaneOf(const Thread &t, int lane)
{
  return grid.thread[t.warp * WARP_LANES + lane];
}

/* Whether all threads of the block have come */
static bool BlockIsThere()
{
  const unsigned others = grid.warp[current->warp].waiting; /* in operations of the warp */

  if (grid.n_ended) {
    for (const Thread &t : grid.thread) {
      if (t.state == ENDED) FailWith(t, "");
    }
  }
  for (int l = 0; l < WARP_LANES && others; l++) {
    const Thread &t = LaneOf(*current, l);

    if (others >> l & 1 && t.wait.mask >> current->lane & 1) FailWith(t, ": neither can go on");
  }
  if (grid.n_at_barrier++ == 0) grid.first_at_barrier = current->index;
  if (grid.thread[grid.first_at_barrier].wait.site != current->wait.site) FailWith(grid.thread[grid.first_at_barrier], "");
  return grid.n_at_barrier == (int)grid.thread.size();
}

/* Whether all lanes that the current one names have come. Of those that have come before it to the same call, one stands for all: they named the same lanes */
static bool WarpIsThere()
{
  const Wait    &mine = current->wait;
  Warp          &warp = grid.warp[current->warp];
  const unsigned self = 1u << current->lane, others = mine.mask & ~self;
  unsigned       there = self;

  if (others & (warp.ended | warp.at_barrier)) {
    const Thread &t = LaneOf(*current, __builtin_ctz(others & (warp.ended | warp.at_barrier)));

    FailWith(t, t.state == ENDED ? "" : ": neither can go on");
  }
  for (unsigned left = others & warp.waiting; left; left &= left - 1) {
    const Wait &w = LaneOf(*current, __builtin_ctz(left)).wait;

    if (!(w.mask & self)) continue; /* it waits for others first */
    if (w.operation != mine.operation || w.site != mine.site) FailWith(LaneOf(*current, __builtin_ctz(left)), "");
    if (w.mask != mine.mask) FailWith(LaneOf(*current, __builtin_ctz(left)), ", with another mask");
    there |= w.mask & warp.waiting;
    break;
  }
  warp.waiting |= self;
  return there == mine.mask;
}

static int SourceOf(const Thread &t)
{
  const int width = t.wait.width, begin = t.lane / width * width;
  int       lane = t.lane;

  switch (t.wait.operation) {
  case SHFL:
    return begin + (t.wait.argument & (width - 1));
  case SHFL_UP:
    return lane - t.wait.argument < begin ? lane : lane - t.wait.argument;
  case SHFL_DOWN:
    return lane + t.wait.argument >= begin + width ? lane : lane + t.wait.argument;
  default:
    lane ^= t.wait.argument;
    return lane >= begin + width ? t.lane : lane;
  }
}

static unsigned long long Reduce(Thread **lane, int n, Operation operation)
{
  unsigned long long r = lane[0]->wait.value;

  for (int i = 1; i < n; i++) {
    const unsigned long long v = lane[i]->wait.value;

    switch (operation) {
    case REDUCE_ADD:
      r = (unsigned)(r + v);
      break;
    case REDUCE_MIN:
      r = v < r ? v : r;
      break;
    case REDUCE_MAX:
      r = v > r ? v : r;
      break;
    case REDUCE_MIN_SIGNED:
      r = (int)v < (int)r ? v : r;
      break;
    case REDUCE_MAX_SIGNED:
      r = (int)v > (int)r ? v : r;
      break;
    case REDUCE_AND:
      r &= v;
      break;
    default:
      r |= v;
    }
  }
  return r;
}

static void GiveResults(Thread **lane, int n)
{
  const Operation operation = lane[0]->wait.operation;
  unsigned        votes     = 0;

  for (int i = 0; i < n; i++) votes |= (unsigned)(lane[i]->wait.value != 0) << lane[i]->lane;
  for (int i = 0; i < n; i++) {
    const Wait &w = lane[i]->wait;

    if (operation == SYNCWARP) continue;
    if (operation <= SHFL_XOR) {
      const int source = SourceOf(*lane[i]);

      if (!(w.mask >> source & 1)) Fail("%s: lane %d wants what lane %d has, which takes no part", Place(w).c_str(), lane[i]->lane, source);
      lane[i]->result = LaneOf(*current, source).wait.value;
    } else if (operation == BALLOT)
      lane[i]->result = votes;
    else if (operation == ANY)
      lane[i]->result = votes != 0;
    else if (operation == ALL)
      lane[i]->result = votes == w.mask;
    else if (operation == MATCH_ANY) {
      lane[i]->result = 0;
      for (int j = 0; j < n; j++) lane[i]->result |= (unsigned long long)(lane[j]->wait.value == w.value) << lane[j]->lane;
    } else
      lane[i]->result = i ? lane[0]->result : Reduce(lane, n, operation);
  }
}

/* They go on. What they did before is seen after it by all of them */
static void MeetInOrder(Thread **who, int n, uint32_t Thread::*count)
{
  WatchMerge(who, n);
  for (int i = 0; i < n; i++) {
    (who[i]->*count)++;
    WatchMoment(who[i]);
  }
}

static void MeetBlock()
{
  Thread *who[MOST_THREADS];
  int     n = 0;

  if (!BlockIsThere()) {
    grid.warp[current->warp].at_barrier |= 1u << current->lane;
    return WaitForOthers();
  }
  for (Thread &t : grid.thread) {
    t.state  = READY;
    who[n++] = &t;
  }
  for (Warp &w : grid.warp) w.at_barrier = 0;
  grid.n_at_barrier = 0;
  MeetInOrder(who, n, &Thread::barriers);
}

/* Operations but for __syncwarp() order nothing */
static void MeetWarp()
{
  const unsigned mask = current->wait.mask;
  Thread        *who[WARP_LANES];
  int            n = 0;

  if (!WarpIsThere()) return WaitForOthers();
  for (int l = 0; l < WARP_LANES; l++) {
    if (mask >> l & 1) who[n++] = &LaneOf(*current, l);
  }
  GiveResults(who, n);
  grid.warp[current->warp].waiting &= ~mask;
  for (int i = 0; i < n; i++) who[i]->state = READY;
  if (current->wait.operation == SYNCWARP && n == WARP_LANES) MeetInOrder(who, n, &Thread::syncs);
}

unsigned long long EmulatorMeet(int operation, unsigned mask, unsigned long long value, int argument, int width)
{
  WatchWrittenAgain();
  current->wait = {(Operation)operation, __builtin_return_address(0), mask, value, argument, width};
  if (operation == SYNCTHREADS)
    MeetBlock();
  else {
    if (!(mask >> current->lane & 1)) Fail("is not in the mask %#x that it gives to %s", mask, Place(current->wait).c_str());
    MeetWarp();
  }
  return current->result;
}
