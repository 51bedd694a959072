/* What select/ asks of the host: which processor it is, and how fast its memory is at each level */
#include "host.h"
#include "../backend.h"
#include <petsctime.h>

#define SECOND_CACHE (1 << 20)
#define TURNS        16
#define ROUNDS       9
#define READS        100000 /* of a round: their columns are in the second-level cache */

/* The processor in words, and a hash of what tells its model */
static void Processor(char name[], size_t len, unsigned *hash)
{
  FILE *file = fopen("/proc/cpuinfo", "r");
  char  line[256];

  *hash = 2166136261u; /* FNV-1a */
  snprintf(name, len, "unknown processor");
  while (file && fgets(line, sizeof(line), file) && line[0] != '\n') {
    const char *value = strchr(line, ':');

    if (!value || (strncmp(line, "vendor_id", 9) && strncmp(line, "cpu family", 10) && strncmp(line, "model", 5) && strncmp(line, "stepping", 8) && strncmp(line, "cache size", 10))) continue;
    for (const char *c = line; *c; c++) *hash = (*hash ^ (unsigned char)*c) * 16777619u;
    if (!strncmp(line, "model name", 10)) snprintf(name, len, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
  }
  if (file) fclose(file);
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

PetscErrorCode AutoCSRHostIdentify(size_t len, char name[], unsigned *hash, double cache[3])
{
  PetscFunctionBegin;
  Processor(name, len, hash);
  for (int level = 0; level < 3; level++) cache[level] = CacheBytes(level ? level + 1 : 0); /* index0: L1 data, index1: L1 code, index2: L2, index3: L3 */
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
  Seconds of a random line among the first `bytes`, beside a value from memory: a read of its own each round, since what streams by takes the places for lines on the way that gathers want,
  and may evict what they read. The median, since others may use the cache
*/
static PetscErrorCode RandomTime(const double *data, size_t bytes, double *per_line)
{
  const uint32_t lines = (uint32_t)(bytes / 64), apart = AUTOCSR_FAR_BYTES / sizeof(double) / ROUNDS;
  uint32_t       state = 1, *col;
  PetscLogDouble begin, end;
  double         seconds[ROUNDS];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(READS, &col));
  for (int round = 0; round < ROUNDS; round++) {
    for (uint32_t i = 0; i < READS; i++) {
      state  = state * 1664525u + 1013904223u;
      col[i] = 8 * (uint32_t)(((uint64_t)(state & ~0xffu) * lines) >> 32);
    }
    PetscCall(PetscTime(&begin));
    Sink += SumOfRandom(data, col, data + (size_t)(ROUNDS - 1 - round) * apart, READS);
    PetscCall(PetscTime(&end));
    seconds[round] = end - begin;
  }
  PetscCall(PetscFree(col));
  qsort(seconds, ROUNDS, sizeof(*seconds), CompareSeconds);
  *per_line = seconds[ROUNDS / 2] / READS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of the last cache that are found there, of which neighbours on the machine may take any part: a half or a quarter where reads of as much come from memory rather */
static PetscErrorCode LowerLastCache(const double *data, double cache[3], const double random_line[4])
{
  PetscFunctionBegin;
  for (int halving = 0; halving < 2; halving++) {
    const double bytes = 0.75 * cache[2];
    double       per_line;

    if (bytes > AUTOCSR_FAR_BYTES / 2 || bytes <= 4 * cache[1]) break;
    for (int touch = 0; touch < 2; touch++) Sink += SumOf(data, (size_t)bytes / sizeof(*data)); /* what is to be found there must be there first */
    PetscCall(RandomTime(data, (size_t)bytes, &per_line));
    if (2 * per_line < random_line[2] + random_line[3]) break;
    cache[2] /= 2;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRHostMeasureMemory(double cache[3], double bandwidth[4], double random_line[4], double *strided)
{
  double *data, strided_bandwidth;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(AUTOCSR_FAR_BYTES / sizeof(double), &data));
  for (size_t i = 0; i < AUTOCSR_FAR_BYTES / sizeof(double); i++) data[i] = 1;
  for (int level = 0; level < 4; level++) {
    const size_t bytes = level == 3 ? AUTOCSR_FAR_BYTES : (size_t)(level == 2 ? AutoCSRNearBytes(cache) : PetscMin(cache[level] / 2, AUTOCSR_FAR_BYTES / 4));

    PetscCall(StreamTime(SumOf, data, bytes, (PetscBool)(level == 3), &bandwidth[level]));
    PetscCall(RandomTime(data, bytes, &random_line[level]));
  }
  PetscCall(LowerLastCache(data, cache, random_line));
  PetscCall(StreamTime(SumOfStrided, data, AUTOCSR_FAR_BYTES, PETSC_TRUE, &strided_bandwidth));
  *strided = PetscMax(1, bandwidth[3] / strided_bandwidth);
  PetscCall(PetscFree(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
