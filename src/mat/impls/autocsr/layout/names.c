/*
  The axes and streams in words, for the view and for error messages; the order is that of the enums in segment.h.
*/
#include "segment.h"

const char *const AutoCSRPartitionNames[] = {"rows", "bin", "nonzeros", "columns", NULL};
const char *const AutoCSROrderNames[]     = {"csr", "sliced", "tiled", "blocked", "diagonal", "propagated", "popular", "adaptive", "bundled", NULL};
const char *const AutoCSRIndexNames[]     = {"csr", "32", "16", "pattern", "fitted", NULL};
const char *const AutoCSRValueNames[]     = {"csr", "copy", "dictionary", "float32", "pattern", "constant", NULL};
const char *const AutoCSRMappingNames[]   = {"empty", "lanes", "slice", "vendor", "tile", "merge", "fetch", "products", "row-blocks", "planes", "nodes", "row-panels", "group", "bundles", NULL};
const char *const AutoCSRReductionNames[] = {"none", "tree", "segmented", "segmented-host", NULL};
const char *const AutoCSRStreamNames[]    = {"rows", "length", "slice_ptr", "base", "index", "fit", "slice_fit", "pattern_id", "pattern_ptr", "pattern_offset", "pattern_root", "pattern_row", "pattern_value", "value", "dictionary", "work", "item", "end", "piece_ptr", "piece_row", "run_ptr", "block_ptr", "pattern_place", "block_row", "chunk_ptr", "part_ptr", "part", "code_ptr", "code", "column", "node", "panel_ptr", "tile_row_ptr", "map", "mask", "bundle_part", "stretch", "value_place", NULL};
