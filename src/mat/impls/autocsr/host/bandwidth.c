/* Identifies the processor for machine/, and measures how fast its memory is at each level */
#include "host.h"
#include <petsctime.h>

#define SECOND_CACHE (1 << 20)
#define TURNS        16
#define ROUNDS       9
#define READS        100000 /* of a round: their columns are in the second-level cache */

/* Reads /proc/cpuinfo. The lines that tell the model are hashed */
static void Processor(AutoCSRIdentity *id)
{
  FILE *file = fopen("/proc/cpuinfo", "r");
  char  line[256];

  id->hash = 2166136261u; /* FNV-1a */
  snprintf(id->name, sizeof(id->name), "unknown processor");
  while (file && fgets(line, sizeof(line), file) && line[0] != '\n') {
    const char *value = strchr(line, ':');

    if (!value || (strncmp(line, "vendor_id", 9) && strncmp(line, "cpu family", 10) && strncmp(line, "model", 5) && strncmp(line, "stepping", 8) && strncmp(line, "cache size", 10))) continue;
    for (const char *c = line; *c; c++) id->hash = (id->hash ^ (unsigned char)*c) * 16777619u;
    if (!strncmp(line, "vendor_id", 9)) (void)sscanf(value + 1, "%15s", id->vendor);
    if (!strncmp(line, "cpu family", 10)) id->family = atoi(value + 1);
    if (!strncmp(line, "model name", 10))
      snprintf(id->name, sizeof(id->name), "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
    else if (!strncmp(line, "model", 5))
      id->model = atoi(value + 1);
  }
  if (file) fclose(file);
}

/* Virtual machines seldom tell it */
static double HighestClock(void)
{
  FILE  *file = fopen("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "r");
  double khz  = 0;

  if (file && fscanf(file, "%lf", &khz) != 1) khz = 0;
  if (file) fclose(file);
  return 1e3 * khz;
}

/* Bytes of a cache of the first processor, one core's share; 0 if the system does not tell */
static double CacheBytes(int index)
{
  char  path[128], list[128] = "";
  long  kib   = 0, first, last;
  int   cores = 0, used;
  FILE *file;

  snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
  if (!(file = fopen(path, "r"))) return 0;
  if (fscanf(file, "%ldK", &kib) != 1) kib = 0;
  fclose(file);
  snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/shared_cpu_list", index);
  if ((file = fopen(path, "r"))) {
    if (!fgets(list, sizeof(list), file)) list[0] = 0;
    fclose(file);
  }
  for (const char *at = list; sscanf(at, "%ld%n", &first, &used) == 1;) { /* "0-7,64-71" */
    at += used;
    last = first;
    if (*at == '-' && sscanf(at + 1, "%ld%n", &last, &used) == 1) at += 1 + used;
    cores += (int)(last - first) + 1;
    if (*at++ != ',') break;
  }
  return 1024.0 * kib / PetscMax(cores, 1);
}

double AutoCSRHostSecondCache(void)
{
  static double bytes = 0;

  if (bytes <= 0 && (bytes = CacheBytes(2)) <= 0) bytes = SECOND_CACHE;
  return bytes;
}

PetscErrorCode AutoCSRHostIdentify(AutoCSRIdentity *id)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(id, sizeof(*id)));
  Processor(id);
  id->clock = HighestClock();
  for (int level = 0; level < 3; level++) id->cache[level] = CacheBytes(level ? level + 1 : 0); /* index0: L1 data, index1: L1 code, index2: L2, index3: L3 */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static volatile double Sink; /* what is read must be used */

/* So many sums that the loads are waited for, not the additions */
static double SumOf(const double *data, size_t n)
{
  double lane[16] = {0}, sum = 0;

  for (size_t i = 0; i + 16 <= n; i += 16) {
    for (int l = 0; l < 16; l++) lane[l] += data[i + l];
  }
  for (int l = 0; l < 16; l++) sum += lane[l];
  return sum;
}

/* Eight rows of STRIDE entries at once, one lane each, as a kernel does over rows of one pattern */
#define STRIDE 27
static double SumOfStrided(const double *data, size_t n)
{
  double lane[8] = {0}, sum = 0;

  for (size_t i = 0; i + 8 * STRIDE <= n; i += 8 * STRIDE) {
    for (int t = 0; t < STRIDE; t++) {
      for (int l = 0; l < 8; l++) lane[l] += data[i + l * STRIDE + t];
    }
  }
  for (int l = 0; l < 8; l++) sum += lane[l];
  return sum;
}

static int CompareSeconds(const void *a, const void *b)
{
  const double d = *(const double *)a - *(const double *)b;

  return d < 0 ? -1 : d > 0;
}

/* Reads the bytes in TURNS equal parts, or all of them TURNS times; the median, since a part may happen to be in a cache */
static PetscErrorCode StreamTime(double (*sum)(const double *, size_t), const double *data, size_t bytes, PetscBool cold, double *per_second)
{
  const size_t n = bytes / sizeof(double) / (cold ? TURNS : 1), passes = cold ? 1 : PetscMax((size_t)1, (1 << 20) / bytes);
  double       seconds[TURNS];

  PetscFunctionBegin;
  for (int turn = 0; turn < TURNS; turn++) {
    PetscLogDouble begin, end;

    PetscCall(PetscTime(&begin));
    for (size_t pass = 0; pass < passes; pass++) Sink += sum(data + (cold ? turn * n : 0), n);
    PetscCall(PetscTime(&end));
    seconds[turn] = end - begin;
  }
  qsort(seconds, TURNS, sizeof(*seconds), CompareSeconds);
  *per_second = (double)(n * sizeof(double)) * passes / seconds[cold ? TURNS / 2 : 0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x at random lines, as a product reads it: by columns that were made before, beside values that stream by */
static double SumOfRandom(const double *x, const uint32_t *col, const double *val, size_t n)
{
  double sum[4] = {0};

  for (size_t i = 0; i + 4 <= n; i += 4) {
    __builtin_prefetch(val + i + 512, 0, 2);
    for (int l = 0; l < 4; l++) sum[l] += val[i + l] * x[col[i + l]];
  }
  return sum[0] + sum[1] + sum[2] + sum[3];
}

/*
  One round of random lines among the first `bytes`, beside a value from memory: a read of its own each round, since what streams by takes the places for lines on the way that gathers want,
  and may evict what they read. After the last round per_line is set: the median, since others may use the cache
*/
static PetscErrorCode RandomRound(AutoCSRMemoryReading *r, double bytes, double *per_line, PetscBool *last)
{
  const uint32_t lines = (uint32_t)(bytes / 64), apart = AUTOCSR_FAR_BYTES / sizeof(double) / ROUNDS;
  uint32_t      *col;
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  if (!r->round) r->state = 1;
  PetscCall(PetscMalloc1(READS, &col));
  for (uint32_t i = 0; i < READS; i++) {
    r->state = r->state * 1664525u + 1013904223u;
    col[i]   = 8 * (uint32_t)(((uint64_t)(r->state & ~0xffu) * lines) >> 32);
  }
  PetscCall(PetscTime(&begin));
  Sink += SumOfRandom(r->data, col, r->data + (size_t)(ROUNDS - 1 - r->round) * apart, READS);
  PetscCall(PetscTime(&end));
  PetscCall(PetscFree(col));
  r->seconds[r->round++] = end - begin;
  *last                  = (PetscBool)(r->round == ROUNDS);
  if (!*last) PetscFunctionReturn(PETSC_SUCCESS);
  qsort(r->seconds, ROUNDS, sizeof(*r->seconds), CompareSeconds);
  *per_line = r->seconds[ROUNDS / 2] / READS;
  r->round  = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A round of a level's random lines, after its stream */
static PetscErrorCode ReadLevel(AutoCSRMemoryReading *r, int level, PetscBool *last)
{
  const size_t bytes = level == 3 ? AUTOCSR_FAR_BYTES : (size_t)(level == 2 ? AutoCSRNearBytes(r->cache) : PetscMin(r->cache[level] / 2, AUTOCSR_FAR_BYTES / 4));

  PetscFunctionBegin;
  if (!r->round) PetscCall(StreamTime(SumOf, r->data, bytes, (PetscBool)(level == 3), &r->bandwidth[level]));
  PetscCall(RandomRound(r, bytes, &r->random_line[level], last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Halves the last cache, twice at most, if reads of three quarters of it are as slow as reads of memory: other programs may hold a part of it */
static PetscErrorCode LowerLastCache(AutoCSRMemoryReading *r, PetscBool *last, PetscBool *lowered)
{
  const double bytes = 0.75 * r->cache[2];
  double       per_line;

  PetscFunctionBegin;
  *lowered = PETSC_FALSE;
  *last    = (PetscBool)(bytes > AUTOCSR_FAR_BYTES / 2 || bytes <= 4 * r->cache[1]);
  if (*last) PetscFunctionReturn(PETSC_SUCCESS);
  for (int touch = 0; touch < 2; touch++) Sink += SumOf(r->data, (size_t)bytes / sizeof(*r->data)); /* what is to be found there must be there first */
  PetscCall(RandomRound(r, bytes, &per_line, last));
  *lowered = (PetscBool)(*last && 2 * per_line >= r->random_line[2] + r->random_line[3]);
  if (*lowered) r->cache[2] /= 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps 0 to 3: a level each; 4 and 5: the last cache; 6: rows side by side */
PetscErrorCode AutoCSRHostReadMemory(AutoCSRMemoryReading *r, PetscBool *done)
{
  double    strided_bandwidth;
  PetscBool last = PETSC_FALSE, lowered;

  PetscFunctionBegin;
  *done = PETSC_FALSE;
  if (r->step < 4) {
    PetscCall(ReadLevel(r, r->step, &last));
    r->step += last;
  } else if (r->step < 6) {
    PetscCall(LowerLastCache(r, &last, &lowered));
    if (last) r->step = lowered ? r->step + 1 : 6;
  } else {
    PetscCall(StreamTime(SumOfStrided, r->data, AUTOCSR_FAR_BYTES, PETSC_TRUE, &strided_bandwidth));
    r->strided = PetscMax(1, r->bandwidth[3] / strided_bandwidth);
    *done      = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
