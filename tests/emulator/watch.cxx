/*
  What memory is there, and who has used it. A cell for each byte keeps the moments of its last write and of its last reads. A
  moment is a stretch of one thread's work between two points where it meets others. Of two uses of one byte, of which one is a write,
  one must come before the other: by the same thread, by a barrier of the block or of the warp between them, by a counter
  that one thread has added to and the other found (release and acquire), or by the end of a launch.
*/
#include "emulator.h"
#include <algorithm>
#include <map>
#include <sys/mman.h>

static constexpr uint32_t BY_HOST = 1, FIRST_MOMENT = 2, IS_ATOMIC = 1u << 31;

typedef struct {
  uint32_t write;   /* 0: never. IS_ATOMIC: by an atomic operation */
  uint32_t read[2]; /* the last, and the last of another warp than that */
  uint32_t once;    /* the launch of the last read by the path for what does not change */
} Cell;

typedef struct {
  uint32_t block, thread, barriers, syncs;
} Moment;

typedef struct {
  uintptr_t begin;
  size_t    bytes;
  Cell     *cell;
  bool      filled; /* as a whole: a cell without a write has been written by the host */
} Region;

static std::vector<Region>                           regions;  /* of the device, ascending */
static Region                                        statics;  /* of the program: shared memory is there */
static std::vector<Moment>                           moments;  /* of this launch */
static std::map<const void *, std::vector<uint32_t>> released; /* in this launch, by counters */
static uint32_t                                      launch_begin = FIRST_MOMENT, block_begin, next_moment = FIRST_MOMENT, launch;
static size_t                                        last_region;

/* Bytes that are written again, with nothing between: no conflict where it is the same value, which shows when the thread comes here next */
typedef struct {
  const unsigned char *place;
  unsigned char        was;
  uint32_t             write;
  const void          *site;
} Again;

static std::vector<Again> written_again;

extern unsigned char EmulatorShared[];
unsigned char        Poison();
extern "C" char      __executable_start, __data_start, end;

/* ---- What is there */

static Cell *NewCells(size_t bytes)
{
  return (Cell *)mmap(NULL, bytes * sizeof(Cell), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); /* of zeros, which take room once they are touched */
}

static Region *RegionOf(uintptr_t p)
{
  size_t lo = 0, hi = regions.size();

  if (last_region < hi && p - regions[last_region].begin < regions[last_region].bytes) return &regions[last_region];
  while (lo < hi) {
    const size_t mid = (lo + hi) / 2;

    if (regions[mid].begin + regions[mid].bytes <= p)
      lo = mid + 1;
    else
      hi = mid;
  }
  if (lo == regions.size() || p < regions[lo].begin) return NULL;
  last_region = lo;
  return &regions[lo];
}

void WatchAllocate(void *data, size_t bytes)
{
  const Region r  = {(uintptr_t)data, bytes, NewCells(bytes), false};
  const auto   at = std::lower_bound(regions.begin(), regions.end(), r, [](const Region &a, const Region &b) { return a.begin < b.begin; });

  regions.insert(at, r);
}

void WatchFree(void *data)
{
  Region *r = RegionOf((uintptr_t)data);

  munmap(r->cell, r->bytes * sizeof(Cell));
  regions.erase(regions.begin() + (r - regions.data()));
}

bool WatchIsDevice(const void *data, size_t bytes)
{
  const Region *r = RegionOf((uintptr_t)data);

  return r && (uintptr_t)data + bytes <= r->begin + r->bytes;
}

void WatchFill(const void *data, size_t bytes)
{
  Region *r = RegionOf((uintptr_t)data);

  if ((uintptr_t)data == r->begin && bytes == r->bytes)
    r->filled = true;
  else
    for (size_t i = 0; i < bytes; i++) r->cell[(uintptr_t)data - r->begin + i].write = BY_HOST;
}

/* ---- What comes before what */

static const Moment &MomentOf(uint32_t e)
{
  return moments[(e & ~IS_ATOMIC) - launch_begin];
}

void WatchMoment(Thread *t)
{
  moments.push_back({grid.block, (uint32_t)t->index, t->barriers, t->syncs});
  t->moment = next_moment++;
}

void WatchLaunch()
{
  launch_begin = next_moment;
  launch++;
  moments.clear();
  released.clear();
  if (!statics.cell) statics = {(uintptr_t)&__data_start, (size_t)(&end - &__data_start), NewCells((size_t)(&end - &__data_start)), false};
}

void WatchBlock()
{
  written_again.clear();
  block_begin = next_moment;
}

/* Whether all that was done in moment e is seen by one who sees the moment `by` of the same block */
static bool IsCovered(uint32_t e, uint32_t by)
{
  const Moment &a = MomentOf(e), &b = MomentOf(by);

  if (a.thread == b.thread) return (e & ~IS_ATOMIC) <= by;
  return a.barriers < b.barriers || (a.thread / WARP_LANES == b.thread / WARP_LANES && a.syncs < b.syncs);
}

static bool IsSeen(uint32_t e)
{
  if ((e & ~IS_ATOMIC) < launch_begin) return true;
  if (MomentOf(e).block == grid.block && IsCovered(e, current->moment)) return true;
  for (uint32_t k : current->known) {
    if (MomentOf(k).block == MomentOf(e).block && IsCovered(e, k)) return true;
  }
  return false;
}

static void Learn(std::vector<uint32_t> &known, const std::vector<uint32_t> &news)
{
  for (uint32_t k : news) {
    if (std::find(known.begin(), known.end(), k) == known.end()) known.push_back(k);
  }
}

void WatchMerge(Thread **who, int n)
{
  std::vector<uint32_t> all;

  for (int i = 0; i < n; i++) Learn(all, who[i]->known);
  if (all.empty()) return;
  for (int i = 0; i < n; i++) who[i]->known = all;
}

void WatchCount(const void *counter)
{
  std::vector<uint32_t> &r = released[counter];

  Learn(current->known, r);
  Learn(r, current->known);
  r.push_back(current->moment);
  WatchMoment(current);
}

/* ---- Accesses */

static std::string Of(uint32_t e)
{
  const Moment &m = MomentOf(e);

  return (m.block == grid.block ? "" : "block " + std::to_string(m.block) + ", ") + NameOf(grid.thread[m.thread]);
}

/* Told by the allocation that is nearest, if any is near */
[[noreturn]] static void FailOutside(uintptr_t p, size_t bytes, Access access, const void *site)
{
  const char  *does = access < WRITE ? "reads" : "writes";
  const size_t near = 65536;
  const auto   next = std::upper_bound(regions.begin(), regions.end(), p, [](uintptr_t a, const Region &r) { return a < r.begin; });
  const size_t to   = next == regions.end() ? near : next->begin - p;
  const Region r    = next == regions.begin() ? Region{p - near, 0, NULL, false} : next[-1];

  if (p - r.begin < r.bytes + std::min(near, to)) Fail("%s %zu bytes at %zu of an allocation of %zu, at %s", does, bytes, (size_t)(p - r.begin), r.bytes, SiteOf(site).c_str());
  if (to < near) Fail("%s %zu bytes %zu before an allocation of %zu, at %s", does, bytes, to, next->bytes, SiteOf(site).c_str());
  Fail("%s %zu bytes that are not the device's, at %p, at %s", does, bytes, (void *)p, SiteOf(site).c_str());
}

static const char *const does[] = {"reads", "reads", "writes", "adds to"};

void WatchWrittenAgain()
{
  for (const Again &w : written_again) {
    if (*w.place != w.was) Fail("writes another value than %s, with nothing between, at %s", Of(w.write).c_str(), SiteOf(w.site).c_str());
  }
  written_again.clear();
}

static inline void CheckCell(Cell *c, Access access, bool is_shared, uintptr_t p, const void *site)
{
  const uint32_t begin = is_shared ? block_begin : launch_begin;

  if ((c->write & ~IS_ATOMIC) >= begin) {
    if (access == READ_ONCE) Fail("reads what %s writes in the same launch, by a load for what nobody writes, at %s", Of(c->write).c_str(), SiteOf(site).c_str());
    if (!(access == ATOMIC && c->write & IS_ATOMIC) && !IsSeen(c->write)) {
      if (access == WRITE && !(c->write & IS_ATOMIC))
        written_again.push_back({(const unsigned char *)p, *(const unsigned char *)p, c->write, site});
      else
        Fail("%s what %s has written, with nothing between, at %s", does[access], Of(c->write).c_str(), SiteOf(site).c_str());
    }
  }
  if (access < WRITE) {
    if (c->read[0] >= begin && MomentOf(c->read[0]).thread / WARP_LANES != (uint32_t)current->warp) c->read[1] = c->read[0];
    c->read[0] = current->moment;
    if (access == READ_ONCE) c->once = launch;
    return;
  }
  if (c->once == launch) Fail("writes what is read in the same launch by a load for what nobody writes, at %s", SiteOf(site).c_str());
  for (int i = 0; i < 2; i++) {
    if (c->read[i] >= begin && !IsSeen(c->read[i])) Fail("%s what %s has read, with nothing between, at %s", does[access], Of(c->read[i]).c_str(), SiteOf(site).c_str());
  }
  c->write = access == ATOMIC ? current->moment | IS_ATOMIC : current->moment;
}

static void AccessShared(uintptr_t p, size_t bytes, Access access, const void *site)
{
  if (p - (uintptr_t)EmulatorShared < MOST_SHARED && p - (uintptr_t)EmulatorShared + bytes > grid.shared) Fail("%s %zu bytes at %zu of %zu bytes of shared memory, at %s", access < WRITE ? "reads" : "writes", bytes, (size_t)(p - (uintptr_t)EmulatorShared), grid.shared, SiteOf(site).c_str());
  for (size_t i = 0; i < bytes; i++) {
    Cell *c = &statics.cell[p + i - statics.begin];

    if (access != WRITE && (c->write & ~IS_ATOMIC) < block_begin) *(unsigned char *)(p + i) = Poison();
    CheckCell(c, access, true, p + i, site);
  }
}

void WatchAccess(const void *data, size_t bytes, Access access, const void *site)
{
  const uintptr_t p = (uintptr_t)data;
  Region         *r;

  if (!written_again.empty()) WatchWrittenAgain();
  if (p - (uintptr_t)FiberStack(current->index) < STACK_BYTES) return;
  if (p - statics.begin < statics.bytes) return AccessShared(p, bytes, access, site);
  if (access < WRITE && p - (uintptr_t)&__executable_start < statics.begin - (uintptr_t)&__executable_start) return; /* constants of the program */
  r = RegionOf(p);
  if (!r || p + bytes > r->begin + r->bytes) FailOutside(p, bytes, access, site);
  if (grid.early && !current->waited) Fail("%s %zu bytes before it has waited for the launches before, at %s", access < WRITE ? "reads" : "writes", bytes, SiteOf(site).c_str());
  for (size_t i = 0; i < bytes; i++) {
    Cell *c = &r->cell[p - r->begin + i];

    if (access != WRITE && !c->write && !r->filled) Fail("reads %zu bytes at %zu of an allocation of %zu that were never written, at %s", bytes, (size_t)(p - r->begin), r->bytes, SiteOf(site).c_str());
    CheckCell(c, access, false, p + i, site);
  }
}
