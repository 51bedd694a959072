/* Axes to the source of a kernel, and to what the host must know of it */
#include "generator.h"
#include "../device.h"
#include "../../layout/codings.h"

#define WARP_THREADS  32
#define MOST_THREADS  1024
#define MOST_RESIDENT 2048 /* threads of a multiprocessor */
#define MOST_LENGTH   4096 /* entries of a row that are worth a kernel of their own */
#define MOST_PATTERN_ROWS 16 /* rows of patterns that a lane has side by side, at most: their sums are in registers */

static PetscBool is_power_of_two(PetscInt i)
{
  return (PetscBool)(i > 0 && (i & (i - 1)) == 0);
}

/* Thread blocks are as large as tiles where there are tiles */
static PetscInt threads_of(const AutoCSRAxes *a)
{
  if (AutoCSRMappingSharesEntries(a->mapping)) return a->tile_width;
  return a->threads ? a->threads : AUTOCSR_THREADS;
}

static size_t padded(PetscInt scalars)
{
  return (size_t)(scalars + scalars / (128 / (PetscInt)sizeof(PetscScalar))) * sizeof(PetscScalar);
}

#define ALIGNMENT 64 /* bytes that members of a structure may leave empty */

/* Of a thread block with so many threads; agents keep what their heads tell, in a structure. The source checks that it is no more */
static size_t shared_bytes(const AutoCSRAxes *a, PetscInt threads)
{
  const PetscInt warps = threads / WARP_THREADS, all = threads * a->tile_height;
  const size_t   joined = 2 * 3 * sizeof(PetscInt), sums = (size_t)warps * sizeof(PetscScalar);
  AutoCSRDevicePlanes planes;

  switch (a->mapping) {
  case AUTOCSR_MAP_LANES:
    return sums + ALIGNMENT;
  case AUTOCSR_MAP_TILE:
    return (size_t)(all + 2 * threads) * sizeof(PetscScalar) + sums + (size_t)all + joined + ALIGNMENT;
  case AUTOCSR_MAP_MERGE:
    return padded(all) + 2 * sums + sizeof(int) * (size_t)(all + warps) + joined + ALIGNMENT;
  case AUTOCSR_MAP_ROW_BLOCKS:
    return padded(all) + sums + sizeof(uint16_t) * (size_t)(all + 1) + sizeof(int) + ALIGNMENT;
  case AUTOCSR_MAP_PRODUCTS:
    return padded(threads * AUTOCSR_PRODUCTS_HEIGHT) + ALIGNMENT;
  case AUTOCSR_MAP_PLANES:
    planes = AutoCSRDeviceShapePlanes(a, a->tile_width);
    return AutoCSRDevicePlanesBytes(&planes);
  default:
    return ALIGNMENT;
  }
}

static size_t room_for_shared(void)
{
  int device = 0, bytes = 227 << 10;

  (void)cudaGetDevice(&device);
  (void)cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return (size_t)bytes;
}

static PetscBool is_in_place(AutoCSRValue value)
{
  return (PetscBool)(value == AUTOCSR_VALUE_CSR || value == AUTOCSR_VALUE_CONSTANT);
}

/* The agent with these codings, mapping and numbers; "": there is none */
static PetscErrorCode name_agent(const AutoCSRAxes *a, size_t len, char agent[])
{
  const PetscBool csr = (PetscBool)(a->order == AUTOCSR_ORDER_CSR && a->block <= 1), plain = (PetscBool)(csr && a->index == AUTOCSR_INDEX_CSR && a->value == AUTOCSR_VALUE_CSR);
  const PetscBool slices = (PetscBool)(a->order == AUTOCSR_ORDER_SLICED && a->mapping == AUTOCSR_MAP_SLICE && (a->index == AUTOCSR_INDEX_32 || a->index == AUTOCSR_INDEX_16));
  const PetscBool stored = (PetscBool)(a->value == AUTOCSR_VALUE_COPY || a->value == AUTOCSR_VALUE_DICTIONARY || a->value == AUTOCSR_VALUE_CONSTANT || (a->value == AUTOCSR_VALUE_FLOAT32 && sizeof(PetscReal) > sizeof(float)));
  const PetscBool flat   = (PetscBool)(csr && (a->index == AUTOCSR_INDEX_CSR || a->index == AUTOCSR_INDEX_16) && (a->value == AUTOCSR_VALUE_CSR || (stored && a->value != AUTOCSR_VALUE_COPY)));
  const int       lanes = (int)PetscMax(1, a->lanes), height = (int)a->tile_height, index = (int)a->index, value = (int)a->value;
  const PetscBool rows = (PetscBool)(csr && is_in_place(a->value) && (a->index == AUTOCSR_INDEX_CSR || (a->index == AUTOCSR_INDEX_16 && a->slice_height == AUTOCSR_DEVICE_SLICE_HEIGHT)));

  const PetscBool patterns = (PetscBool)(csr && a->index == AUTOCSR_INDEX_PATTERN && a->value == AUTOCSR_VALUE_PATTERN);

  PetscFunctionBegin;
  agent[0] = 0;
  if (a->mapping == AUTOCSR_MAP_LANES && rows && lanes <= threads_of(a))
    PetscCall(PetscSNPrintf(agent, len, "AgentCSR<(AutoCSRIndex)%d, %d, (AutoCSRValue)%d>", index, lanes, value));
  else if (a->mapping == AUTOCSR_MAP_FETCH && plain && lanes <= WARP_THREADS)
    PetscCall(PetscSNPrintf(agent, len, "AgentFetch<%d>", lanes));
  else if (a->mapping == AUTOCSR_MAP_TILE && flat && a->reduction == AUTOCSR_REDUCE_SEGMENTED && a->tile_steps <= 1 && height >= 4 && height <= 32)
    PetscCall(PetscSNPrintf(agent, len, "AgentSegsum<%d, AUTOCSR_REDUCE_SEGMENTED, (AutoCSRIndex)%d, (AutoCSRValue)%d>", height, index, value));
  else if (a->mapping == AUTOCSR_MAP_MERGE && flat && a->tile_steps <= 1)
    PetscCall(PetscSNPrintf(agent, len, "AgentMerge<%d, (AutoCSRIndex)%d, (AutoCSRValue)%d>", height, index, value));
  else if (a->mapping == AUTOCSR_MAP_ROW_BLOCKS && flat && a->tile_steps <= 1 && threads_of(a) * height < UINT16_MAX)
    PetscCall(PetscSNPrintf(agent, len, "AgentRowBlocks<%d, (AutoCSRIndex)%d, (AutoCSRValue)%d>", height, index, value));
  else if (a->mapping == AUTOCSR_MAP_PRODUCTS && plain)
    PetscCall(PetscSNPrintf(agent, len, "AgentProducts"));
  else if (a->mapping == AUTOCSR_MAP_PLANES && patterns)
    PetscCall(PetscSNPrintf(agent, len, "AgentPlanes"));
  else if (a->mapping == AUTOCSR_MAP_LANES && patterns && lanes == 1)
    PetscCall(PetscSNPrintf(agent, len, "AgentStencil<(AutoCSRValue)%d>", value));
  else if (slices && stored && lanes * a->slice_height == AUTOCSR_DEVICE_SLICE_HEIGHT)
    PetscCall(PetscSNPrintf(agent, len, "%s<(AutoCSRIndex)%d, (AutoCSRValue)%d>", lanes > 1 ? "AgentSellP" : "AgentSliced", index, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *wrong_number(const AutoCSRAxes *a, PetscInt threads)
{
  const PetscBool tiles = AutoCSRMappingSharesEntries(a->mapping), rows = (PetscBool)(a->mapping == AUTOCSR_MAP_LANES);

  if (!is_power_of_two(threads) || threads < WARP_THREADS || threads > MOST_THREADS) return "a thread block has 32, 64, 128, 256, 512 or 1024 threads";
  if (tiles && a->threads && a->threads != threads) return "a thread block has as many threads as its tile has lanes";
  if (tiles && !is_power_of_two(a->tile_height)) return "a lane has 2, 4, 8 ... entries";
  if (a->residents && a->residents * threads > MOST_RESIDENT) return "a multiprocessor has room for 2048 threads, its residents times threads";
  if (a->in_flight && !rows && a->mapping != AUTOCSR_MAP_SLICE && a->mapping != AUTOCSR_MAP_FETCH) return "set_resources(in_flight=) is of row_block, slice_block and row_fetch";
  if (a->rows_each && !rows && (a->mapping != AUTOCSR_MAP_SLICE || a->lanes > 1)) return "set_resources(rows=) is of row_block and of slice_block with a lane a row";
  if (a->rows_each > MOST_PATTERN_ROWS && a->index == AUTOCSR_INDEX_PATTERN) return "a lane has up to " PetscStringize(MOST_PATTERN_ROWS) " rows of patterns";
  if (a->stretches && a->index == AUTOCSR_INDEX_PATTERN) return "set_resources(stretches=) is not of rows of patterns, which tell their lengths";
  if (a->mapping == AUTOCSR_MAP_PLANES && threads != AUTOCSR_THREADS) return "planes has thread blocks of 256 threads";
  if (a->stretches && !rows && (a->mapping != AUTOCSR_MAP_SLICE || a->lanes > 1)) return "set_resources(stretches=) is of row_block and of slice_block with a lane a row";
  if (shared_bytes(a, threads) > room_for_shared()) return "shared memory has no room for so many entries of a thread block";
  return NULL;
}

/* The executor's name, as those of compiled ones are */
static PetscErrorCode name_executor(const AutoCSRAxes *a, PetscInt threads, size_t len, char name[])
{
  static const char *const indices[] = {NAME_CSR, NAME_32, NAME_16, NAME_PATTERN, NAME_FITTED}, *const values[] = {NAME_CSR, NAME_COPY, NAME_DICTIONARY, NAME_FLOAT32, NAME_PATTERN, NAME_CONSTANT};
  const PetscBool          tiles    = AutoCSRMappingSharesEntries(a->mapping);
  const char              *mapping  = a->mapping == AUTOCSR_MAP_LANES ? "csr" : a->mapping == AUTOCSR_MAP_FETCH ? "fetch" : a->mapping == AUTOCSR_MAP_TILE ? "segsum" : a->mapping == AUTOCSR_MAP_MERGE ? "merge" : a->mapping == AUTOCSR_MAP_ROW_BLOCKS ? "row-blocks" : a->mapping == AUTOCSR_MAP_PRODUCTS ? "products" : a->mapping == AUTOCSR_MAP_PLANES ? "planes" : a->lanes > 1 ? "sellp" : "sliced";

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, len, "generated/%s/%s/%s/%s%" PetscInt_FMT "/threads%" PetscInt_FMT, mapping, indices[a->index], values[a->value], tiles ? "entries" : "lanes", tiles ? a->tile_height : PetscMax(1, a->lanes), threads));
  PetscFunctionReturn(PETSC_SUCCESS);
}

_Static_assert(AUTOCSR_DEVICE_SLICE_HEIGHT == 32, "The reason below names the numbers");
static const char *why_no_agent(const AutoCSRAxes *a)
{
  if (a->order == AUTOCSR_ORDER_SLICED && a->mapping == AUTOCSR_MAP_SLICE && PetscMax(1, a->lanes) * a->slice_height != AUTOCSR_DEVICE_SLICE_HEIGHT) return "on a GPU the rows of a slice share 32 lanes: bmtb_pad(rows=32) goes with slice_block(lanes=1), 16 with 2, 8 with 4, 4 with 8, 2 with 16, 1 with 32";
  return "no kernel of the generator has this layout, mapping and coding";
}

PetscErrorCode AutoCSRGeneratorDescribe(const AutoCSRAxes *a, AutoCSRGenerated *g, PetscBool *is, const char **why)
{
  const PetscInt threads = threads_of(a);

  PetscFunctionBegin;
  PetscCall(name_agent(a, sizeof(g->agent), g->agent));
  *why = g->agent[0] ? wrong_number(a, threads) : why_no_agent(a);
  *is  = (PetscBool)!*why;
  if (!*is) PetscFunctionReturn(PETSC_SUCCESS);
  g->threads   = (int)threads;
  g->residents = (int)a->residents;
  g->shared    = shared_bytes(a, threads);
  PetscCall(name_executor(a, threads, sizeof(g->name), g->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As the agents' Blocks(), by the functions of shapes.h */
PetscInt AutoCSRGeneratorBlocks(const AutoCSRSegment *seg)
{
  const AutoCSRAxes *a       = &seg->axes;
  const PetscBool    pattern = (PetscBool)(a->index == AUTOCSR_INDEX_PATTERN);
  const PetscInt     threads = threads_of(a), lanes = PetscMax(1, a->lanes), residents = a->residents ? a->residents : (PetscInt)(pattern ? AUTOCSR_STENCIL_RESIDENTS : AUTOCSR_ROWS_RESIDENTS) * AUTOCSR_THREADS / threads;
  const PetscInt     at_once = PetscMax(1, residents) * AutoCSRDeviceProcessors(), each = a->rows_each ? a->rows_each : pattern ? AUTOCSR_STENCIL_ROWS : AutoCSRRowsEach(lanes), blocks = AutoCSRCeilDivide(seg->n_rows, PetscMax(1, threads / lanes));
  AutoCSRDevicePlanes planes;

  switch (a->mapping) {
  case AUTOCSR_MAP_LANES:
    return !a->rows_each && blocks < each * (pattern ? AUTOCSR_STENCIL_WAVES : AUTOCSR_ROWS_WAVES) * at_once ? blocks : AutoCSRCeilDivide(blocks, each);
  case AUTOCSR_MAP_FETCH:
    return PetscMin(AutoCSRCeilDivide(seg->n_rows, threads / WARP_THREADS * AutoCSRRowsFetched(lanes)), at_once);
  case AUTOCSR_MAP_TILE:
    return AutoCSRSegsumTiles(seg->nnz, threads * a->tile_height) + (AutoCSRGeneratorHasEmpty(a) ? AutoCSRCeilDivide(seg->n_rows, AUTOCSR_SEGSUM_PATCH) : 0);
  case AUTOCSR_MAP_MERGE:
  case AUTOCSR_MAP_ROW_BLOCKS:
    return AutoCSRSegmentWorkBlocks(seg);
  case AUTOCSR_MAP_PRODUCTS:
    return AutoCSRCeilDivide(seg->n_rows, threads);
  case AUTOCSR_MAP_PLANES:
    planes = AutoCSRDeviceShapePlanes(a, seg->n_rows);
    return planes.strips * AutoCSRCeilDivide(planes.planes, planes.steps);
  default:
    return AutoCSRCeilDivide(AutoCSRCeilDivide(seg->n_slices, threads / WARP_THREADS), PetscMax(1, a->rows_each));
  }
}

/* What a tile leaves for the others: two sums, its part, a row and a count; a share likewise. The source checks that it is no more */
#define SEGSUM_BYTES (2 * sizeof(PetscScalar) + 3 * sizeof(PetscInt) + 5 * sizeof(int) + 16)
#define MERGE_BYTES  (3 * PetscMax(sizeof(PetscScalar), sizeof(int)))

size_t AutoCSRGeneratorScratchBytes(const AutoCSRSegment *seg)
{
  const AutoCSRAxes *a = &seg->axes;

  switch (a->mapping) {
  case AUTOCSR_MAP_FETCH:
    return 2 * sizeof(unsigned long long);
  case AUTOCSR_MAP_TILE:
    return SEGSUM_BYTES * (size_t)AutoCSRSegsumTiles(seg->nnz, threads_of(a) * a->tile_height);
  case AUTOCSR_MAP_MERGE:
    return MERGE_BYTES * (size_t)AutoCSRSegmentWorkBlocks(seg);
  case AUTOCSR_MAP_ROW_BLOCKS:
    return (sizeof(PetscScalar) + sizeof(unsigned)) * (size_t)AutoCSRSegmentWorkBlocks(seg);
  default:
    return 0;
  }
}

size_t AutoCSRGeneratorSharedBytes(const AutoCSRSegment *seg)
{
  return shared_bytes(&seg->axes, threads_of(&seg->axes));
}

/* All rows have as many entries if the longest has no more than they have on average */
PetscInt AutoCSRGeneratorLength(const AutoCSRSegment *seg)
{
  const AutoCSRAxes *a       = &seg->axes;
  const PetscInt     length  = seg->n_rows ? seg->nnz / seg->n_rows : 0;
  const PetscInt     longest = PetscMin(seg->row_set.row_group ? PETSC_MAX_INT : seg->row_set.longest, PetscMin(a->longest ? a->longest : PETSC_MAX_INT, a->width ? a->width : PETSC_MAX_INT));

  if (!length || length > MOST_LENGTH || seg->nnz % seg->n_rows || longest != length || (a->width && a->width != length)) return 0;
  return a->mapping == AUTOCSR_MAP_LANES || (a->mapping == AUTOCSR_MAP_SLICE && a->lanes <= 1) ? length : 0;
}

PetscErrorCode AutoCSRGeneratorEnds(const AutoCSRAxes *a, const char constants[], char head[AUTOCSR_GENERATED_HEAD], char tail[AUTOCSR_GENERATED_TAIL])
{
  AutoCSRGenerated g;
  PetscBool        is;
  const char      *why;
  char             number[64], residents[96];

  PetscFunctionBegin;
  PetscCall(AutoCSRGeneratorDescribe(a, &g, &is, &why));
  PetscCheck(is, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No source for these axes: %s", why);
  PetscCall(PetscSNPrintf(head, AUTOCSR_GENERATED_HEAD, "%s%s#define PETSC_USE_REAL_%s\n#define AUTOCSR_EARLY %d\n#define AUTOCSR_THREADS %d\n", PetscDefined(USE_64BIT_INDICES) ? "#define PETSC_USE_64BIT_INDICES\n" : "", PetscDefined(USE_COMPLEX) ? "#define PETSC_USE_COMPLEX\n" : "", sizeof(PetscReal) > 4 ? "DOUBLE" : "SINGLE", AUTOCSR_EARLY, g.threads));
  if (a->in_flight) {
    PetscCall(PetscSNPrintf(number, sizeof(number), "#define AGENT_IN_FLIGHT(own) %" PetscInt_FMT "\n", a->in_flight));
    PetscCall(AutoCSRAppend(head, number, AUTOCSR_GENERATED_HEAD));
  }
  if (a->rows_each) {
    PetscCall(PetscSNPrintf(number, sizeof(number), "#define AGENT_ROWS_EACH(own) %" PetscInt_FMT "\n", a->rows_each));
    PetscCall(AutoCSRAppend(head, number, AUTOCSR_GENERATED_HEAD));
  }
  if (a->mapping == AUTOCSR_MAP_SLICE) {
    PetscCall(PetscSNPrintf(number, sizeof(number), "#define AGENT_ROW_LANES(own) %" PetscInt_FMT "\n", PetscMax(1, a->lanes)));
    PetscCall(AutoCSRAppend(head, number, AUTOCSR_GENERATED_HEAD));
  }
  PetscCall(AutoCSRAppend(head, constants, AUTOCSR_GENERATED_HEAD));
  /* As many registers for a thread as with the agent's own number of thread blocks of AUTOCSR_THREADS threads */
  if (g.residents)
    PetscCall(PetscSNPrintf(residents, sizeof(residents), "%d", g.residents));
  else
    PetscCall(PetscSNPrintf(residents, sizeof(residents), "PetscMin(%d, PetscMax(1, Agent::residents * %d / AUTOCSR_THREADS))", WARP_THREADS, AUTOCSR_THREADS));
  PetscCall(PetscSNPrintf(tail, AUTOCSR_GENERATED_TAIL,
                          "typedef %s Agent;\n"
                          "static_assert(sizeof(AutoCSROneParameters) == %zu, \"parameters differ from the host's\");\n"
                          "static_assert(Agent::alone || sizeof(Agent::Shared) <= %zu, \"shared memory differs from the host's\");\n",
                          g.agent, sizeof(AutoCSROneParameters), g.shared));
  if (a->mapping == AUTOCSR_MAP_TILE || a->mapping == AUTOCSR_MAP_MERGE) {
    char check[128];

    PetscCall(PetscSNPrintf(check, sizeof(check), "static_assert(sizeof(%s) <= %zu, \"scratch differs from the host's\");\n", a->mapping == AUTOCSR_MAP_TILE ? "SegsumSynchronizer" : "Agent::Share", a->mapping == AUTOCSR_MAP_TILE ? SEGSUM_BYTES : MERGE_BYTES));
    PetscCall(AutoCSRAppend(tail, check, AUTOCSR_GENERATED_TAIL));
  }
  PetscCall(AutoCSRAppend(tail, "extern \"C\" __global__ void __launch_bounds__(AUTOCSR_THREADS, ", AUTOCSR_GENERATED_TAIL));
  PetscCall(AutoCSRAppend(tail, residents, AUTOCSR_GENERATED_TAIL));
  PetscCall(AutoCSRAppend(tail, ") " AUTOCSR_GENERATED_KERNEL "(const __grid_constant__ AutoCSROneParameters p)\n{\n  PtxWaitForLast();\n  Agent::Run(p.segment, ", AUTOCSR_GENERATED_TAIL));
  PetscCall(AutoCSRAppend(tail, a->mapping == AUTOCSR_MAP_PLANES ? "p.tiles, p.operands, blockIdx.x, PtxDynamicShared());\n}\n" : "p.operands, blockIdx.x, *(Agent::Shared *)PtxDynamicShared());\n}\n", AUTOCSR_GENERATED_TAIL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
