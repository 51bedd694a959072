static char help[] = "Kernels compiled at run time, without a device: the sources of all agents compile; cubins are kept in files, whatever happens to these.\n\
  -part <0> : 0 sources, 1 the cache, 2 the cache of two processes, 3 no compiler\n\n";

#define _GNU_SOURCE /* memmem() */
#include "../../src/mat/impls/autocsr/cuda/generator/generator.h"
#include "../../src/mat/impls/autocsr/cuda/device.h"
#include "../../src/mat/impls/autocsr/layout/pattern.h"
#include "../../src/mat/impls/autocsr/layout/stretches.h"
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Sources */

static PetscInt n_compiled, n_refused;

static PetscErrorCode CompileWith(const AutoCSRAxes *a, const char constants[])
{
  AutoCSRGenerated g;
  char             head[AUTOCSR_GENERATED_HEAD], tail[AUTOCSR_GENERATED_TAIL], why[512], *source;
  const char      *none;
  void            *cubin;
  size_t           bytes;
  PetscBool        is;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRGeneratorDescribe(a, &g, &is, &none));
  if (!is) {
    n_refused++;
    PetscCall(PetscInfo(NULL, "Refused: %s\n", none));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRGeneratorEnds(a, constants, head, tail));
  PetscCheck(strlen(head) < sizeof(head) - 1 && strlen(tail) < sizeof(tail) - 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the source's ends are cut", g.agent);
  PetscCall(AutoCSRGeneratorSource(head, tail, &source));
  PetscCall(AutoCSRGeneratorCompile(source, 90, &cubin, &bytes, sizeof(why), why));
  PetscCheck(cubin, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s with %d threads does not compile: %s", g.agent, g.threads, why);
  PetscCheck(memmem(cubin, bytes, AUTOCSR_GENERATED_KERNEL, sizeof(AUTOCSR_GENERATED_KERNEL)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the cubin has no kernel of the name", g.agent);
  PetscCall(PetscFree(cubin));
  PetscCall(PetscFree(source));
  n_compiled++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compile(const AutoCSRAxes *a, PetscInt length)
{
  char constants[64];

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(constants, sizeof(constants), "#define AGENT_LENGTH %" PetscInt_FMT "\n", length));
  PetscCall(CompileWith(a, constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the constants of so many stretches, each of so many rows; there is room for the longest numbers */
static PetscErrorCode CompileSegment(AutoCSRAxes a, PetscInt n, PetscInt rows, PetscInt longest)
{
  AutoCSRSegment seg = {.axes = a, .backend = &AutoCSRBackendHost, .n_rows = n * rows, .n_slices = n * rows / 32 + 1, .nnz = 1};
  char           constants[AUTOCSR_GENERATED_CONSTANTS];

  PetscFunctionBeginUser;
  PetscCall(AutoCSRStreamAllocate(&seg, AUTOCSR_STREAM_STRETCH, n));
  for (PetscInt i = 0; i < n; i++) ((AutoCSRStretch *)seg.stream[AUTOCSR_STREAM_STRETCH].data)[i] = (AutoCSRStretch){i * rows, longest - i};
  PetscCall(AutoCSRGeneratorConstants(&seg, constants));
  PetscCheck(strlen(constants) < sizeof(constants) - 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " stretches are cut", n);
  PetscCall(CompileWith(&a, constants));
  PetscCall(AutoCSRStreamFree(&seg, AUTOCSR_STREAM_STRETCH));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With a root of so many entries, whose numbers are as long as any */
static PetscErrorCode CompileRoot(AutoCSRMapping mapping, PetscInt entries, PetscInt constants)
{
  const PetscInt stride = PETSC_MAX_INT / 2 - 600;
  AutoCSRSegment seg    = {.axes = {.index = AUTOCSR_INDEX_PATTERN, .value = AUTOCSR_VALUE_PATTERN, .mapping = mapping, .lanes = 1, .constants = constants}, .backend = &AutoCSRBackendHost, .n_rows = 1, .nnz = entries, .n_patterns = 1};
  char           text[AUTOCSR_GENERATED_CONSTANTS], number[64];

  PetscFunctionBeginUser;
  if (mapping == AUTOCSR_MAP_PLANES) seg.axes.tile_width = stride, seg.axes.tile_height = 1, seg.axes.tile_steps = 512;
  PetscCall(AutoCSRStreamAllocate(&seg, AUTOCSR_STREAM_PATTERN_ID, 1));
  PetscCall(AutoCSRStreamAllocate(&seg, AUTOCSR_STREAM_PATTERN_ROOT, 1));
  PetscCall(AutoCSRStreamAllocate(&seg, AUTOCSR_STREAM_PATTERN_OFFSET, entries));
  PetscCall(AutoCSRStreamAllocate(&seg, AUTOCSR_STREAM_PATTERN_VALUE, entries));
  *(uint16_t *)seg.stream[AUTOCSR_STREAM_PATTERN_ID].data             = 0;
  *(AutoCSRPatternRoot *)seg.stream[AUTOCSR_STREAM_PATTERN_ROOT].data = (AutoCSRPatternRoot){entries < 32 ? (1u << entries) - 1 : 0xffffffffu, 0, (int32_t)entries, 0};
  for (PetscInt t = 0; t < entries; t++) {
    ((PetscInt *)seg.stream[AUTOCSR_STREAM_PATTERN_OFFSET].data)[t]   = (t % 3 - 1) * stride + 13 * t - 500;
    ((PetscScalar *)seg.stream[AUTOCSR_STREAM_PATTERN_VALUE].data)[t] = t ? (PetscReal)-1 / (PetscReal)(3 + t) : (PetscReal)NAN;
  }
  PetscCall(AutoCSRGeneratorConstants(&seg, text));
  PetscCheck(strlen(text) < sizeof(text) - 1, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A root of %" PetscInt_FMT " entries is cut", entries);
  PetscCall(PetscSNPrintf(number, sizeof(number), "#define AGENT_ROOT_ENTRIES %" PetscInt_FMT "\n", entries));
  PetscCheck(strstr(text, number) && !strstr(text, "0x") == (constants < 2), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Constants of a root of %" PetscInt_FMT " entries: %s", entries, text);
  PetscCall(CompileWith(&seg.axes, text));
  PetscCall(AutoCSRStreamFree(&seg, AUTOCSR_STREAM_PATTERN_ID));
  PetscCall(AutoCSRStreamFree(&seg, AUTOCSR_STREAM_PATTERN_ROOT));
  PetscCall(AutoCSRStreamFree(&seg, AUTOCSR_STREAM_PATTERN_OFFSET));
  PetscCall(AutoCSRStreamFree(&seg, AUTOCSR_STREAM_PATTERN_VALUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompileAll(void)
{
  const AutoCSRMapping tiled[] = {AUTOCSR_MAP_TILE, AUTOCSR_MAP_MERGE, AUTOCSR_MAP_ROW_BLOCKS};

  PetscFunctionBeginUser;
  for (PetscInt lanes = 1; lanes <= 1024; lanes *= 4) {
    PetscCall(Compile(&(AutoCSRAxes){.mapping = AUTOCSR_MAP_LANES, .lanes = lanes, .threads = 64, .residents = 16}, 0));
    PetscCall(Compile(&(AutoCSRAxes){.mapping = AUTOCSR_MAP_LANES, .lanes = lanes, .value = AUTOCSR_VALUE_CONSTANT, .threads = 1024, .in_flight = 3, .rows_each = 3}, 7));
    PetscCall(Compile(&(AutoCSRAxes){.mapping = AUTOCSR_MAP_LANES, .lanes = lanes, .index = AUTOCSR_INDEX_16, .slice_height = 32, .value = AUTOCSR_VALUE_CONSTANT}, 70));
    PetscCall(Compile(&(AutoCSRAxes){.mapping = AUTOCSR_MAP_FETCH, .lanes = lanes, .threads = 32}, 0));
  }
  for (int v = AUTOCSR_VALUE_COPY; v <= AUTOCSR_VALUE_CONSTANT; v++) {
    for (int i = AUTOCSR_INDEX_32; i <= AUTOCSR_INDEX_16; i++) {
      PetscCall(Compile(&(AutoCSRAxes){.order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .index = (AutoCSRIndex)i, .value = (AutoCSRValue)v, .slice_height = 32, .in_flight = 16, .rows_each = v}, i == AUTOCSR_INDEX_16 ? 27 : 0));
      PetscCall(Compile(&(AutoCSRAxes){.order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .index = (AutoCSRIndex)i, .value = (AutoCSRValue)v, .slice_height = 4, .lanes = 8, .threads = 128}, 0));
    }
  }
  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(tiled); m++) {
    for (PetscInt h = 1; h <= 64; h *= 4) PetscCall(Compile(&(AutoCSRAxes){.mapping = tiled[m], .reduction = AUTOCSR_REDUCE_SEGMENTED, .tile_width = h > 16 ? 64 : 512, .tile_height = h, .tile_steps = 1, .row_limit = h}, 0));
  }
  PetscCall(Compile(&(AutoCSRAxes){.mapping = AUTOCSR_MAP_ROW_BLOCKS, .value = AUTOCSR_VALUE_CONSTANT, .tile_width = 32, .tile_height = 32}, 0));
  for (int v = AUTOCSR_VALUE_CSR; v <= AUTOCSR_VALUE_CONSTANT; v++) { /* entries in the CSR's order with codes of their own */
    for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(tiled); m++) {
      PetscCall(Compile(&(AutoCSRAxes){.mapping = tiled[m], .reduction = AUTOCSR_REDUCE_SEGMENTED, .index = AUTOCSR_INDEX_16, .value = (AutoCSRValue)v, .tile_width = 256, .tile_height = 8, .row_limit = 8}, 0));
      if (v == AUTOCSR_VALUE_DICTIONARY) PetscCall(Compile(&(AutoCSRAxes){.mapping = tiled[m], .reduction = AUTOCSR_REDUCE_SEGMENTED, .value = AUTOCSR_VALUE_DICTIONARY, .tile_width = 128, .tile_height = 4, .row_limit = 8}, 0));
    }
  }
  PetscCall(CompileSegment((AutoCSRAxes){.mapping = AUTOCSR_MAP_LANES, .lanes = 4, .stretches = 3}, 3, 100, 9));
  PetscCall(CompileSegment((AutoCSRAxes){.order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .index = AUTOCSR_INDEX_16, .value = AUTOCSR_VALUE_COPY, .lanes = 1, .slice_height = 32, .stretches = AUTOCSR_MAX_STRETCHES}, AUTOCSR_MAX_STRETCHES, PETSC_MAX_INT / AUTOCSR_MAX_STRETCHES - 1, 17));
  PetscCall(CompileRoot(AUTOCSR_MAP_LANES, 32, 2));
  PetscCall(CompileRoot(AUTOCSR_MAP_LANES, 7, 1));
  PetscCall(CompileRoot(AUTOCSR_MAP_PLANES, 31, 2));
  PetscCall(CompileRoot(AUTOCSR_MAP_PLANES, 7, 1));
  PetscCall(Compile(&(AutoCSRAxes){.index = AUTOCSR_INDEX_PATTERN, .value = AUTOCSR_VALUE_PATTERN, .mapping = AUTOCSR_MAP_LANES, .lanes = 1, .threads = 128, .rows_each = 2, .in_flight = 6}, 0));
  PetscCall(CompileWith(&(AutoCSRAxes){.mapping = AUTOCSR_MAP_TILE, .reduction = AUTOCSR_REDUCE_SEGMENTED, .tile_width = 256, .tile_height = 8, .tile_steps = 1, .constants = 1, .shortest = 1}, "#define AGENT_EMPTY_ROWS 0\n"));
  PetscCall(CompileWith(&(AutoCSRAxes){.order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .index = AUTOCSR_INDEX_16, .value = AUTOCSR_VALUE_COPY, .slice_height = 4, .lanes = 8, .constants = 1}, "#define AGENT_WIDTH 4\n"));
  PetscCall(CompileWith(&(AutoCSRAxes){.order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .index = AUTOCSR_INDEX_32, .value = AUTOCSR_VALUE_COPY, .slice_height = 32, .constants = 1}, "#define AGENT_WIDTH 9\n"));
  PetscCall(Compile(&(AutoCSRAxes){.mapping = AUTOCSR_MAP_PRODUCTS, .threads = 1024}, 0));
  /* What is no agent's, or no size that a device has */
  PetscCall(Compile(&(AutoCSRAxes){.mapping = AUTOCSR_MAP_PRODUCTS, .threads = 1024, .rows_each = 2}, 0));
  PetscCall(Compile(&(AutoCSRAxes){.mapping = AUTOCSR_MAP_PRODUCTS, .threads = 1024, .stretches = 2}, 0));
  PetscCall(Compile(&(AutoCSRAxes){.order = AUTOCSR_ORDER_SLICED, .mapping = AUTOCSR_MAP_SLICE, .index = AUTOCSR_INDEX_32, .value = AUTOCSR_VALUE_COPY, .slice_height = 4, .lanes = 8, .stretches = 2}, 0));
  PetscCall(Compile(&(AutoCSRAxes){.mapping = AUTOCSR_MAP_TILE, .reduction = AUTOCSR_REDUCE_SEGMENTED, .tile_width = 1024, .tile_height = 32}, 0));
  PetscCall(Compile(&(AutoCSRAxes){.mapping = AUTOCSR_MAP_MERGE, .tile_width = 256, .tile_height = 8, .threads = 128}, 0));
  PetscCall(Compile(&(AutoCSRAxes){.mapping = AUTOCSR_MAP_NODES, .threads = 128}, 0));
  PetscCall(Compile(&(AutoCSRAxes){.index = AUTOCSR_INDEX_PATTERN, .value = AUTOCSR_VALUE_PATTERN, .mapping = AUTOCSR_MAP_LANES, .lanes = 1, .stretches = 2}, 0));
  PetscCall(Compile(&(AutoCSRAxes){.index = AUTOCSR_INDEX_PATTERN, .value = AUTOCSR_VALUE_PATTERN, .mapping = AUTOCSR_MAP_PLANES, .lanes = 1, .tile_width = 1024, .threads = 128}, 0));
  PetscCall(Compile(&(AutoCSRAxes){.mapping = AUTOCSR_MAP_LANES, .lanes = 2, .threads = 1024, .residents = 3}, 0));
  PetscCheck(n_compiled >= 50 && n_refused >= 12, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " sources were compiled, %" PetscInt_FMT " axes refused", n_compiled, n_refused);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The sources compile\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The cache */

static char folder[PETSC_MAX_PATH_LEN];

static PetscErrorCode PathOf(const AutoCSRCacheKey *key, char path[PETSC_MAX_PATH_LEN])
{
  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, PETSC_MAX_PATH_LEN, "%s/petscautocsr/cubin-%016llx%016llx", folder, (unsigned long long)key->hash[0], (unsigned long long)key->hash[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* found: the cubin of the key is there, and is this one */
static PetscErrorCode Find(const AutoCSRCacheKey *key, const char cubin[], PetscBool *found)
{
  void  *there;
  size_t bytes;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRCacheFind(key, &there, &bytes));
  *found = (PetscBool)(there != NULL);
  PetscCheck(!there || (bytes == strlen(cubin) && !memcmp(there, cubin, bytes)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The cache has another cubin than \"%.20s\"", cubin);
  PetscCall(PetscFree(there));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Expect(const AutoCSRCacheKey *key, const char cubin[], PetscBool expected, const char what[])
{
  PetscBool found;

  PetscFunctionBeginUser;
  PetscCall(Find(key, cubin, &found));
  PetscCheck(found == expected, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the cubin is %s", what, found ? "found" : "not found");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file with `bytes` bytes, of which the one at `at` is changed; bytes 0: all of them */
static PetscErrorCode Damage(const AutoCSRCacheKey *key, long at, long bytes)
{
  char  path[PETSC_MAX_PATH_LEN], data[4096];
  FILE *file;
  long  n;

  PetscFunctionBeginUser;
  PetscCall(PathOf(key, path));
  PetscCheck((file = fopen(path, "r")), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is not there", path);
  n = (long)fread(data, 1, sizeof(data), file);
  fclose(file);
  if (at >= 0) data[at < n ? at : n - 1] ^= 1;
  PetscCheck((file = fopen(path, "w")), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s cannot be written", path);
  fwrite(data, 1, bytes ? (size_t)bytes : (size_t)n, file);
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CountFiles(PetscInt *n)
{
  char           path[PETSC_MAX_PATH_LEN];
  DIR           *dir;
  struct dirent *entry;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/petscautocsr", folder));
  *n = 0;
  PetscCheck((dir = opendir(path)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is not there", path);
  while ((entry = readdir(dir))) *n += !strncmp(entry->d_name, "cubin-", 6);
  closedir(dir);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckCache(void)
{
  const char            cubin[] = "some bytes that stand for a cubin", other[] = "a source";
  const AutoCSRCacheKey key = AutoCSRCacheKeyOf(other, "sm_90"), next = AutoCSRCacheKeyOf(other, "sm_91"), more = AutoCSRCacheKeyOf("a sourcesm", "_90");
  char                  path[PETSC_MAX_PATH_LEN], elsewhere[PETSC_MAX_PATH_LEN], compiler[2][128];
  struct rlimit         limit, none;
  PetscInt              n;
  char                 *large;

  PetscFunctionBeginUser;
  PetscCheck(memcmp(&key, &next, sizeof(key)) && memcmp(&key, &more, sizeof(key)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Keys do not tell sources and devices apart");
  for (int i = 0; i < 2; i++) PetscCall(AutoCSRGeneratorCompiler(90 + i, sizeof(compiler[i]), compiler[i]));
  PetscCheck(strcmp(compiler[0], compiler[1]) && !strncmp(compiler[0], "nvrtc ", 6) && strstr(compiler[0], " -arch=sm_90 ") && strstr(compiler[0], " -std=c++17") && strstr(compiler[0], " -default-device"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "\"%s\" does not tell version and options", compiler[0]);
  PetscCall(Expect(&key, cubin, PETSC_FALSE, "An empty folder"));
  PetscCall(AutoCSRCacheKeep(&key, cubin, strlen(cubin)));
  PetscCall(Expect(&key, cubin, PETSC_TRUE, "A cubin that was kept"));
  PetscCall(Expect(&next, cubin, PETSC_FALSE, "Another device"));
  for (long at = 0; at < 140; at += 7) {
    PetscCall(Damage(&key, at, 0));
    PetscCall(Expect(&key, cubin, PETSC_FALSE, "A byte is changed"));
    PetscCall(AutoCSRCacheKeep(&key, cubin, strlen(cubin)));
    PetscCall(Expect(&key, cubin, PETSC_TRUE, "Written anew"));
    PetscCall(Damage(&key, -1, 1 + at / 2));
    PetscCall(Expect(&key, cubin, PETSC_FALSE, "Half of it"));
    PetscCall(AutoCSRCacheKeep(&key, cubin, strlen(cubin)));
  }
  /* A file of another key, a folder and a FIFO in its place */
  PetscCall(PathOf(&key, path));
  PetscCall(PathOf(&next, elsewhere));
  PetscCheck(!rename(path, elsewhere), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s cannot be renamed", path);
  PetscCall(Expect(&next, cubin, PETSC_FALSE, "A file of another key"));
  PetscCheck(!mkdir(path, 0755), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s cannot be made", path);
  PetscCall(Expect(&key, cubin, PETSC_FALSE, "A folder in its place"));
  PetscCall(AutoCSRCacheKeep(&key, cubin, strlen(cubin)));
  PetscCall(Expect(&key, cubin, PETSC_FALSE, "A folder in its place still"));
  PetscCheck(!rmdir(path) && !mkfifo(path, 0644), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s cannot be a FIFO", path);
  PetscCall(Expect(&key, cubin, PETSC_FALSE, "A FIFO in its place"));
  PetscCall(AutoCSRCacheKeep(&key, cubin, strlen(cubin)));
  PetscCall(Expect(&key, cubin, PETSC_TRUE, "A FIFO was replaced"));
  /* No room: files may have 16 bytes, and no more */
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  none          = limit;
  none.rlim_cur = 16;
  setrlimit(RLIMIT_FSIZE, &none);
  PetscCall(AutoCSRCacheKeep(&next, cubin, strlen(cubin)));
  setrlimit(RLIMIT_FSIZE, &limit);
  PetscCall(Expect(&next, cubin, PETSC_FALSE, "A full disk"));
  PetscCall(CountFiles(&n));
  PetscCheck(n <= 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A full disk leaves %" PetscInt_FMT " files", n);
  /* No folder */
  PetscCheck(!setenv("XDG_CACHE_HOME", "/nowhere/at/all", 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "setenv()");
  PetscCall(AutoCSRCacheKeep(&next, cubin, strlen(cubin)));
  PetscCall(Expect(&next, cubin, PETSC_FALSE, "No folder"));
  PetscCheck(!setenv("XDG_CACHE_HOME", folder, 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "setenv()");
  /* Bounds: of files, of their bytes */
  for (PetscInt i = 0; i < AUTOCSR_CACHE_FILES + 20; i++) {
    char            name[32];
    AutoCSRCacheKey one;

    PetscCall(PetscSNPrintf(name, sizeof(name), "%" PetscInt_FMT, i));
    one = AutoCSRCacheKeyOf("many", name);
    PetscCall(AutoCSRCacheKeep(&one, cubin, strlen(cubin)));
    PetscCall(Expect(&one, cubin, PETSC_TRUE, "The newest"));
  }
  PetscCall(CountFiles(&n));
  PetscCheck(n == AUTOCSR_CACHE_FILES, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " files", n);
  PetscCall(PetscMalloc1(AUTOCSR_CACHE_BYTES / 4, &large));
  memset(large, 'x', AUTOCSR_CACHE_BYTES / 4);
  for (PetscInt i = 0; i < 6; i++) {
    char            name[32];
    AutoCSRCacheKey one;

    PetscCall(PetscSNPrintf(name, sizeof(name), "%" PetscInt_FMT, i));
    one = AutoCSRCacheKeyOf("large", name);
    PetscCall(AutoCSRCacheKeep(&one, large, AUTOCSR_CACHE_BYTES / 4));
  }
  PetscCall(CountFiles(&n));
  PetscCheck(n >= 3 && n < 10, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " files of a fourth of the bytes", n);
  PetscCall(PetscFree(large));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The cache finds what it keeps, and nothing else\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Both write and read the same files: a reader finds all of a cubin or none */
static PetscErrorCode CheckTwo(void)
{
  char     cubin[3000];
  PetscInt hits = 0;

  PetscFunctionBeginUser;
  for (PetscInt round = 0; round < 400; round++) {
    char            name[32];
    AutoCSRCacheKey key;
    PetscBool       found;

    PetscCall(PetscSNPrintf(name, sizeof(name), "%" PetscInt_FMT, round % 5));
    key = AutoCSRCacheKeyOf("two", name);
    memset(cubin, 'a' + round % 5, sizeof(cubin) - 1);
    cubin[sizeof(cubin) - 1] = 0;
    PetscCall(AutoCSRCacheKeep(&key, cubin, strlen(cubin)));
    PetscCall(Find(&key, cubin, &found));
    hits += found;
  }
  PetscCheck(hits == 400, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " of 400 are found", hits);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Two processes share the cache\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- No compiler */

static PetscErrorCode CheckNone(void)
{
  const AutoCSRAxes      axes = {.mapping = AUTOCSR_MAP_LANES, .lanes = 8, .threads = 128, .generated = 1};
  const AutoCSRExecutor *executor;
  const char            *why;
  char                   said[512];
  void                  *cubin;
  size_t                 bytes;

  PetscFunctionBeginUser;
  PetscCall((*AutoCSRBackendCUDA.find_executor)(&axes, "auto", &executor));
  PetscCheck(!executor, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s is found without a compiler", executor->name);
  PetscCall((*AutoCSRBackendCUDA.why_none)(&axes, &why));
  PetscCall(AutoCSRGeneratorCompile("int i;", 90, &cubin, &bytes, sizeof(said), said));
  PetscCheck(!cubin && !strcmp(said, why), PETSC_COMM_SELF, PETSC_ERR_PLIB, "\"%s\", but \"%s\"", why, said);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeFolder(void)
{
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscStrncpy(folder, "/tmp/petscautocsr-cache-XXXXXX", sizeof(folder)));
  if (!rank) PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s cannot be made", folder);
  PetscCallMPI(MPI_Bcast(folder, sizeof(folder), MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCheck(!setenv("XDG_CACHE_HOME", folder, 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "setenv()");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RemoveFolder(void)
{
  char        command[PETSC_MAX_PATH_LEN + 16];
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscSNPrintf(command, sizeof(command), "rm -r '%s'", folder));
  if (!rank) PetscCheck(!system(command), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s cannot be removed", folder);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt part = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-part", &part, NULL));
  PetscCall(MakeFolder());
  if (part == 0) PetscCall(CompileAll());
  if (part == 1) PetscCall(CheckCache());
  if (part == 2) PetscCall(CheckTwo());
  if (part == 3) PetscCall(CheckNone());
  PetscCall(RemoveFolder());
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: sources
    requires: nvrtc
    timeoutfactor: 2

  test:
    suffix: cache
    args: -part 1

  test:
    suffix: two
    nsize: 2
    args: -part 2

  test:
    suffix: none
    args: -part 3 -mat_autocsr_nvrtc none

  test:
    suffix: missing
    args: -part 3 -mat_autocsr_nvrtc /nowhere/libnvrtc.so
    filter: sed 's/(.*)/(...)/'

TEST*/
