/*
  The agents that are compiled ahead of time: a line of this table is an executor. F(id, name, order, index, value, mapping,
  lanes, agent); lanes of a row (512, in slices 2: or more) or, of tiles and blocks of rows, their height; 0: any.
*/
#ifndef AUTOCSR_AGENTS_CUH
#define AUTOCSR_AGENTS_CUH

#include "agent_block.cuh"
#include "agent_csr.cuh"
#include "agent_empty.cuh"
#include "agent_fetch.cuh"
#include "agent_fitted.cuh"
#include "agent_merge.cuh"
#include "agent_pattern.cuh"
#include "agent_planes.cuh"
#include "agent_popular.cuh"
#include "agent_products.cuh"
#include "agent_propagate.cuh"
#include "agent_row_blocks.cuh"
#include "agent_segsum.cuh"
#include "agent_sellp.cuh"
#include "agent_sliced.cuh"
#include "agent_split.cuh"
#include "agent_stencil.cuh"
#include "agent_tiled.cuh"
#include "../../layout/codings.h"

static_assert(AUTOCSR_PLANES_PATTERNS <= AUTOCSR_THREADS, "A thread of agent_planes.cuh has a pattern");

/* clang-format off */
#define AGENT_LANES(F, I, V, L) F(CSR_##I##_##V##_##L, "csr/" NAME_##I "/" NAME_##V "/lanes" #L, CSR, I, V, LANES, L, AgentCSR<AUTOCSR_INDEX_##I, L, AUTOCSR_VALUE_##V>)
#define EACH_LANES(F, I, V) \
  AGENT_LANES(F, I, V, 1) AGENT_LANES(F, I, V, 2) AGENT_LANES(F, I, V, 4) AGENT_LANES(F, I, V, 8) AGENT_LANES(F, I, V, 16) \
  AGENT_LANES(F, I, V, 32) AGENT_LANES(F, I, V, 64) AGENT_LANES(F, I, V, 128) AGENT_LANES(F, I, V, 256)

#define AGENT_SPLIT(F, V) F(SPLIT_##V, "csr/csr/" NAME_##V "/blocks", CSR, CSR, V, LANES, 512, AgentSplit<AUTOCSR_VALUE_##V>)

#define AGENT_PATTERN(F, V) F(PATTERN_##V, "csr/pattern/" NAME_##V, CSR, PATTERN, V, LANES, 0, AgentPattern<AUTOCSR_VALUE_##V>)
#define EACH_PATTERN(F)     EACH_IN_PLACE(AGENT_PATTERN, F)

#define AGENT_STENCIL(F) F(PATTERN_PATTERN, "csr/pattern/pattern", CSR, PATTERN, PATTERN, LANES, 0, AgentStencil<AUTOCSR_VALUE_PATTERN>)

#define AGENT_PLANES(F) F(PATTERN_PLANES, "csr/pattern/planes", CSR, PATTERN, PATTERN, PLANES, 0, AgentPlanes)

#define AGENT_BLOCK(F, V, B) F(BLOCK_##V##_##B, "csr/block/" NAME_##V, CSR, CSR, V, LANES, 0, AgentBlock<AUTOCSR_VALUE_##V, B>)
#define EACH_SIZE(F, V) AGENT_BLOCK(F, V, 2) AGENT_BLOCK(F, V, 3) AGENT_BLOCK(F, V, 4)
#define EACH_BLOCK(F) \
  EACH_SIZE(F, CSR) AGENT_BLOCK(F, CSR, 5) AGENT_BLOCK(F, CSR, 7) \
  EACH_SIZE(F, DICTIONARY) EACH_FLOAT32(EACH_SIZE(F, FLOAT32))

#define AGENT_FITTED(F, V) F(SLICED_FITTED_##V, "sliced/fitted/" NAME_##V, SLICED, FITTED, V, SLICE, 0, AgentFitted<AUTOCSR_VALUE_##V>)
#define EACH_FITTED(F)     EACH_STORED(AGENT_FITTED, F) AGENT_FITTED(F, CONSTANT)

#define AGENT_SLICED(F, I, V) F(SLICED_##I##_##V, "sliced/" NAME_##I "/" NAME_##V, SLICED, I, V, SLICE, 1, AgentSliced<AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V>)
#define EACH_SLICED(F, I)     EACH_STORED(AGENT_SLICED, F, I)

#define AGENT_SELLP(F, I, V) F(SELLP_##I##_##V, "sellp/" NAME_##I "/" NAME_##V, SLICED, I, V, SLICE, 2, AgentSellP<AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V>)
#define EACH_SELLP(F, I)     EACH_STORED(AGENT_SELLP, F, I) AGENT_SELLP(F, I, CONSTANT)

#define AGENT_SEGSUM(F, H) \
  F(SEGSUM_##H, "segsum/" #H, CSR, CSR, CSR, TILE, H, AgentSegsum<H, AUTOCSR_REDUCE_SEGMENTED>) \
  F(SEGSUM_##H##_HOST, "segsum/" #H "/host", CSR, CSR, CSR, TILE, H, AgentSegsum<H, AUTOCSR_REDUCE_SEGMENTED_HOST>)

#define AGENT_ROW_BLOCKS(F, H) \
  F(ROW_BLOCKS_##H, "row-blocks/" #H, CSR, CSR, CSR, ROW_BLOCKS, H, AgentRowBlocks<H, AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_CSR>) \
  F(ROW_BLOCKS_##H##_CONSTANT, "row-blocks/" #H "/constant", CSR, CSR, CONSTANT, ROW_BLOCKS, H, AgentRowBlocks<H, AUTOCSR_INDEX_CSR, AUTOCSR_VALUE_CONSTANT>)

#define AGENT_CODED_BLOCKS(F, H, I, V) F(ROW_BLOCKS_##H##_##I##_##V, "row-blocks/" NAME_##I "/" NAME_##V "/" #H, CSR, I, V, ROW_BLOCKS, H, AgentRowBlocks<H, AUTOCSR_INDEX_##I, AUTOCSR_VALUE_##V>)
#define EACH_CODED_BLOCKS(F, H) \
  AGENT_CODED_BLOCKS(F, H, CSR, DICTIONARY) AGENT_CODED_BLOCKS(F, H, 16, CSR) AGENT_CODED_BLOCKS(F, H, 16, DICTIONARY) AGENT_CODED_BLOCKS(F, H, 16, CONSTANT) \
  EACH_FLOAT32(AGENT_CODED_BLOCKS(F, H, CSR, FLOAT32) AGENT_CODED_BLOCKS(F, H, 16, FLOAT32))

#define AGENT_FETCH(F, L) F(FETCH_##L, "fetch/lanes" #L, CSR, CSR, CSR, FETCH, L, AgentFetch<L>)

#define AGENT_TILED(F, V) F(TILED_##V, "tiled/16/" NAME_##V, TILED, 16, V, GROUP, 32, AgentTiled<AUTOCSR_VALUE_##V>)
#define EACH_TILED(F)     EACH_STORED(AGENT_TILED, F) AGENT_TILED(F, CONSTANT)

#define AGENT_PROPAGATE(F, V) F(PROPAGATE_##V, "propagate/" NAME_##V, PROPAGATED, 16, V, GROUP, 0, AgentPropagate<AUTOCSR_VALUE_##V>)
#define EACH_PROPAGATE(F)     EACH_STORED(AGENT_PROPAGATE, F) AGENT_PROPAGATE(F, CONSTANT)

#define AGENT_POPULAR(F, V) F(POPULAR_##V, "popular/" NAME_##V, POPULAR, 16, V, GROUP, 32, AgentPopular<AUTOCSR_VALUE_##V>)
#define EACH_POPULAR(F)     EACH_STORED(AGENT_POPULAR, F) AGENT_POPULAR(F, CONSTANT)

#define EACH_AGENT(F) \
  F(EMPTY, "empty", CSR, CSR, CSR, EMPTY, 0, AgentEmpty) \
  EACH_LANES(F, CSR, CSR) EACH_LANES(F, CSR, CONSTANT) EACH_LANES(F, 16, CSR) AGENT_SPLIT(F, CSR) AGENT_SPLIT(F, CONSTANT) \
  EACH_SLICED(F, 32) EACH_SLICED(F, 16) EACH_SLICED(F, PATTERN) AGENT_SLICED(F, 32, CONSTANT) AGENT_SLICED(F, 16, CONSTANT) EACH_FITTED(F) EACH_SELLP(F, 32) EACH_SELLP(F, 16) \
  EACH_PATTERN(F) AGENT_STENCIL(F) AGENT_PLANES(F) EACH_BLOCK(F) AGENT_SEGSUM(F, 4) AGENT_SEGSUM(F, 8) \
  AGENT_ROW_BLOCKS(F, 2) AGENT_ROW_BLOCKS(F, 4) AGENT_ROW_BLOCKS(F, 8) EACH_CODED_BLOCKS(F, 8) \
  AGENT_FETCH(F, 2) AGENT_FETCH(F, 4) AGENT_FETCH(F, 8) AGENT_FETCH(F, 16) AGENT_FETCH(F, 32) \
  F(MERGE_8, "merge/8", CSR, CSR, CSR, MERGE, 8, AgentMerge<8>) F(PRODUCTS, "products", CSR, CSR, CSR, PRODUCTS, 0, AgentProducts) \
  EACH_TILED(F) EACH_PROPAGATE(F) EACH_POPULAR(F)
/* clang-format on */

/* An agent's number: its place in the table */
#define AGENT_NUMBER(id, ...) AGENT_##id,
enum {
  EACH_AGENT(AGENT_NUMBER) AGENT_COUNT
};

#endif
