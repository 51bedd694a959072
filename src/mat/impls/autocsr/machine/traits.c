/*
  What strategies count with, for each kind of machine; strategy/strategy.h tells the meaning and unit of each number.

  To find a number anew: the program that `make model` builds prints for every variant the predicted seconds, and with -measure
  the measured ones (-gpu: on a device; -matrices <names>). The comment beside a number names the matrices whose measured seconds
  tell it, and what else was asked. `make bench` and `make bench-gpu` tell whether the choice gains by it.
*/
#include "figures.h"

/* What counts of both kinds of machine read, though it tells only one of them apart */
/* clang-format off */
#define OF_BOTH \
    .learnt_rows   = 65536,    /* csr on uneven rows of a processor, 2^13 to 2^17 of them; on a device the choice counts so for rows in place, with which it compares all others */ \
    .warp_share    = 512,      /* rowbins on lp, lpT and matrices with dense rows, on a device */ \
    .products_walk = 8,        /* pcsr on dense2k and fem3x3, on a device */ \
    .tile_row      = 1.0 / 32  /* segsum on road and empty40, on a device */
/* clang-format on */

const AutoCSRTraits AutoCSRTraitsHost = {
    .mispredicted   = 10,   /* pattern on grids of uneven rows, against whole grids */
    .one_width      = 0.15, /* ell against sell on rows of mixed lengths */
    .node_rows      = 1.3,  /* inode against sell on drawn matrices (-drawn) */
    .tiled_piece    = 48,   /* coltile against sell on dense and on drawn matrices */
    .tiles_of_cache = 2,    /* coltile against sell on banded matrices: a tile takes half of a second-level cache (host/backend.c) */
    OF_BOTH};

const AutoCSRTraits AutoCSRTraitsDevice = {
    .one_width        = 1,
    .padding_read     = 0.3,      /* sell on powerlaw, webgraph and circuit */
    .row_line         = 128,      /* four sectors, which memory hands out together */
    .row_walk         = 12,       /* csr with more and more lanes on matrices of the suites with rows of 32 entries and more */
    .block_walk       = 6,        /* block with more and more lanes on blocks of 2 and 3 (fem3x3, -heldout) */
    .wide_block_walk  = 3,        /* the same on blocks of 4 to 8 */
    .busy_lanes       = 1 << 15,  /* the same on matrices of few block rows */
    .dirty_tiles      = 4,        /* segsum on webgraph and powerlaw, against empty40 */
    .planes_apart     = 36,       /* pattern by planes on periodic3d7-const (-heldout), against poisson3d7-const */
    .masks_apart      = 20,       /* the same by masks */
    .masks_apart_most = 1,        /* the same on stencils of two unknowns a point, half of whose rows have another root */
    .tiled_piece      = 1.3,      /* coltile against csr and sell on uniform16, lp and drawn matrices */
    .popular_piece    = 1.5,      /* popular against sell on webgraph22, powerlaw and drawn graphs */
    .popular_reach    = 0.5,      /* popular against coltile on the same */
    .popular_least    = 2e6,      /* popular against sell on webgraph22 at smaller and smaller -scale */
    .popular_sort     = 180,      /* the set-up of popular on the same, by `make bench-gpu` */
    .propagate_reach  = 32 << 20, /* propagate against csr on uniform16 at larger and larger -scale */
    .propagate_sort   = 220,      /* the set-up of propagate on the same, by `make bench-gpu` */
    OF_BOTH};
