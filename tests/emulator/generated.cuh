/*
  Kernels with the numbers that a graph may set, compiled ahead: what a compiler at run time would make, for the emulator. A file that includes this
  has defined THREADS, IN_FLIGHT, EACH (0: the agent's own) and LENGTH, STRETCHES if they know stretches, CONSTANTS if they know anything else, and NUMBERS,
  the name of its list.
*/
#include "generated.h"
#undef AUTOCSR_THREADS
#define AUTOCSR_THREADS THREADS
#define AGENT_LENGTH  LENGTH
#if defined(STRETCHES)
  #define AGENT_STRETCHES 1
  #define AGENT_EACH_STRETCH(F) \
    for (int i = 0; i < EmulatedStretchCount(); i++) { F(EmulatedStretch(i, 0), EmulatedStretch(i, 1), EmulatedStretch(i, 2)) }
  #define AGENT_EACH_SLICES(F) \
    for (int i = 0; i < EmulatedSlicesCount(); i++) { F(EmulatedSlices(i, 0), EmulatedSlices(i, 1), EmulatedSlices(i, 2)) }
  #define KNOWS_STRETCHES PETSC_TRUE
#else
  #define KNOWS_STRETCHES PETSC_FALSE
#endif
#if defined(CONSTANTS)
  #define AGENT_ROOT         1
  #define AGENT_ROOT_VALUES  EmulatedHasValues()
  #define AGENT_ROOT_BEGIN   EmulatedRoot(0)
  #define AGENT_ROOT_PATTERN EmulatedRoot(1)
  #define AGENT_ROOT_ENTRIES EmulatedEntryCount()
  #define AGENT_EACH_ENTRY(F) \
    for (int i_entry = 0; i_entry < EmulatedEntryCount(); i_entry++) { F(EmulatedEntry(i_entry, 0), EmulatedEntry(i_entry, 1), EmulatedEntry(i_entry, 2), EmulatedEntry(i_entry, 3), EmulatedEntryValue(i_entry)) }
  #define AGENT_EMPTY_ROWS    0
  #define AGENT_CONSTANT EmulatedConstant()
  #define AGENT_WIDTH    EMULATED_SLOTS
#endif
#if IN_FLIGHT
  #define AGENT_IN_FLIGHT(own) IN_FLIGHT
#endif
#if EACH
  #define AGENT_ROWS_EACH(own) EACH
#endif
#include "../../src/mat/impls/autocsr/cuda/common/words.cuh"

namespace NUMBERS
{
#include "../../src/mat/impls/autocsr/cuda/products/agent_fetch.cuh"
#include "../../src/mat/impls/autocsr/cuda/products/agent_merge.cuh"
#include "../../src/mat/impls/autocsr/cuda/products/agent_products.cuh"
#include "../../src/mat/impls/autocsr/cuda/products/agent_row_blocks.cuh"
#include "../../src/mat/impls/autocsr/cuda/products/agent_segsum.cuh"
#include "../../src/mat/impls/autocsr/cuda/products/agent_sellp.cuh"
#include "../../src/mat/impls/autocsr/cuda/products/agent_sliced.cuh"
#include "../../src/mat/impls/autocsr/cuda/products/agent_stencil.cuh"
#if THREADS == 256
  #include "../../src/mat/impls/autocsr/cuda/products/agent_planes.cuh"
#endif

template <class Agent>
__global__ void Generated(const __grid_constant__ AutoCSROneParameters p)
{
#if defined(STRETCHES) || defined(CONSTANTS)
  EmulatedConstantsOf(&p.segment);
#endif
  PtxWaitForLast();
  if constexpr (Agent::alone)
    Agent::Run(p.segment, p.tiles, p.operands, blockIdx.x, PtxDynamicShared());
  else
    Agent::Run(p.segment, p.operands, blockIdx.x, *(typename Agent::Shared *)PtxDynamicShared());
}

/* As source.c names them: codings by their numbers */
#define KNOWING(C, ...) {#__VA_ARGS__, THREADS, IN_FLIGHT, EACH, LENGTH, KNOWS_STRETCHES, C, (const void *)Generated<__VA_ARGS__>, sizeof(__VA_ARGS__::Shared)},
#define KERNEL(...) KNOWING(0, __VA_ARGS__)
/* clang-format off */
#define ROWS(L) KERNEL(AgentCSR<(AutoCSRIndex)0, L, (AutoCSRValue)0>) KERNEL(AgentCSR<(AutoCSRIndex)0, L, (AutoCSRValue)5>) KERNEL(AgentCSR<(AutoCSRIndex)2, L, (AutoCSRValue)0>)
#define SLICES(Agent, I) KERNEL(Agent<(AutoCSRIndex)I, (AutoCSRValue)1>) KERNEL(Agent<(AutoCSRIndex)I, (AutoCSRValue)2>) KERNEL(Agent<(AutoCSRIndex)I, (AutoCSRValue)5>)
#define FLAT(Agent, H, I, V) KERNEL(Agent<H, (AutoCSRIndex)I, (AutoCSRValue)V>)
#define SUM(H, I, V) KERNEL(AgentSegsum<H, AUTOCSR_REDUCE_SEGMENTED, (AutoCSRIndex)I, (AutoCSRValue)V>)
#define TILES(H) FLAT(AgentMerge, H, 0, 0) FLAT(AgentMerge, H, 2, 0) FLAT(AgentMerge, H, 2, 2) FLAT(AgentRowBlocks, H, 0, 0) FLAT(AgentRowBlocks, H, 0, 5) FLAT(AgentRowBlocks, H, 2, 2)

static const GeneratedKernel list[] = {
#if defined(STRETCHES)
  ROWS(1) ROWS(4) SLICES(AgentSliced, 1) SLICES(AgentSliced, 2)
#elif THREADS == 256
  #if defined(CONSTANTS)
    #define IF_KNOWN(C) C
  #else
    #define IF_KNOWN(C) 0
  #endif
  KNOWING(IF_KNOWN(EMULATED_ROOT), AgentStencil<(AutoCSRValue)4>) KNOWING(IF_KNOWN(EMULATED_ROOT), AgentPlanes)
  KNOWING(IF_KNOWN(EMULATED_FULL), AgentSegsum<8, AUTOCSR_REDUCE_SEGMENTED, (AutoCSRIndex)0, (AutoCSRValue)0>)
  KNOWING(IF_KNOWN(EMULATED_ONE), AgentCSR<(AutoCSRIndex)0, 4, (AutoCSRValue)5>) KNOWING(IF_KNOWN(EMULATED_WIDTH), AgentSellP<(AutoCSRIndex)1, (AutoCSRValue)1>)
#else
  KERNEL(AgentStencil<(AutoCSRValue)4>)
  ROWS(1) ROWS(4) ROWS(16) ROWS(64) KERNEL(AgentFetch<1>) KERNEL(AgentFetch<8>)
  SUM(4, 0, 0) SUM(16, 0, 0) SUM(32, 0, 0) SUM(4, 2, 2) SUM(16, 2, 2) SUM(4, 0, 3) SUM(4, 2, 5)
  TILES(2) TILES(16) KERNEL(AgentProducts) SLICES(AgentSliced, 1) SLICES(AgentSliced, 2) SLICES(AgentSellP, 1)
#endif
  {NULL, 0, 0, 0, 0, PETSC_FALSE, 0, NULL, 0}
};
/* clang-format on */
}

const GeneratedKernel *const NUMBERS_LIST = NUMBERS::list;
