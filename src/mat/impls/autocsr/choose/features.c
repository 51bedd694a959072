/* The numbers by which learned choosers tell matrices and variants apart */
#include "features.h"
#include "../backend.h"
#include <math.h>

const char *const AutoCSRFeatureNames[AUTOCSR_FEATURES] = {"m", "n", "m/n", "nnz", "nnz_max", "nnz_min", "nnz_avg", "nnz_std", "bw_avg", "row_span", "empty", "bandwidth", "reach", "reach_growth", "gather_lines", "padded", "padded_sorted", "fitted", "pattern_rows", "uniform_slices", "slices_16", "node_entries", "block_size", "values", "uneven", "tile_steps", "window_span", "rows_only", "strategy", "order", "index", "value", "mapping", "lanes", "row_group", "parts", "predicted", "work", "gather", "stream", "wait", "moved", "kept"};

PetscErrorCode AutoCSRFeaturesMachine(const AutoCSRBackend *backend, size_t len, char name[])
{
  AutoCSRIdentity id = {0};

  PetscFunctionBegin;
  PetscCall((*backend->identify)(&id));
  if (backend->parallel)
    PetscCall(PetscStrncpy(name, id.name, len));
  else
    PetscCall(PetscSNPrintf(name, len, "%s %d %d", id.vendor, id.family, id.model));
  for (char *c = name; *c; c++) *c = *c == ',' ? ';' : *c;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef char matrix_features[AUTOCSR_FEATURE_ROWS_ONLY + 1 == AUTOCSR_MATRIX_FEATURES ? 1 : -1];
typedef char variant_features[AUTOCSR_FEATURE_KEPT + 1 == AUTOCSR_FEATURES ? 1 : -1];

static float share(double part, double of)
{
  return of > 0 ? (float)(part / of) : 0;
}

void AutoCSRFeaturesOfMatrix(const AutoCSRProfile *p, float f[])
{
  double lines = 0, padded = 0, sorted = 0, fitted = 0, patterns = 0, uniform = 0, slices = 0, slices_16 = 0, nodes = 0, most = 0;

  for (PetscInt c = 0; c < p->zones; c++) {
    const AutoCSRZone *zone = &p->zone[c];

    lines += zone->gather_lines * zone->nnz;
    padded += zone->padded;
    sorted += zone->padded_sorted;
    fitted += zone->fitted * zone->padded;
    patterns += zone->pattern_rows;
    uniform += zone->uniform_slices;
    slices += zone->slices;
    slices_16 += zone->slices_16;
    nodes += zone->node_entries;
    most = PetscMax(most, (double)zone->nnz);
  }
  f[AUTOCSR_FEATURE_ROWS]           = (float)p->m;
  f[AUTOCSR_FEATURE_COLUMNS]        = (float)p->n;
  f[AUTOCSR_FEATURE_ASPECT]         = share(p->m, p->n);
  f[AUTOCSR_FEATURE_NONZEROS]       = (float)p->nnz;
  f[AUTOCSR_FEATURE_MAX]            = (float)p->max_length;
  f[AUTOCSR_FEATURE_MIN]            = (float)p->min_length;
  f[AUTOCSR_FEATURE_MEAN]           = (float)p->mean_length;
  f[AUTOCSR_FEATURE_STD]            = (float)sqrt(p->variance);
  f[AUTOCSR_FEATURE_SPAN]           = share((double)p->spans, p->m);
  f[AUTOCSR_FEATURE_WIDEST]         = (float)p->row_span;
  f[AUTOCSR_FEATURE_EMPTY]          = share(p->empty_rows, p->m);
  f[AUTOCSR_FEATURE_BANDWIDTH]      = (float)p->bandwidth;
  f[AUTOCSR_FEATURE_REACH]          = (float)p->reach;
  f[AUTOCSR_FEATURE_REACH_GROWTH]   = (float)p->reach_growth;
  f[AUTOCSR_FEATURE_LINES]          = share(lines, p->nnz);
  f[AUTOCSR_FEATURE_PADDED]         = share(padded, p->nnz);
  f[AUTOCSR_FEATURE_PADDED_SORTED]  = share(sorted, p->nnz);
  f[AUTOCSR_FEATURE_FITTED]         = share(fitted, padded);
  f[AUTOCSR_FEATURE_PATTERN_ROWS]   = share(patterns, p->m);
  f[AUTOCSR_FEATURE_UNIFORM_SLICES] = share(uniform, slices);
  f[AUTOCSR_FEATURE_SLICES_16]      = share(slices_16, slices);
  f[AUTOCSR_FEATURE_NODE_ENTRIES]   = share(nodes, p->nnz);
  f[AUTOCSR_FEATURE_BLOCK]          = (float)p->block_size;
  f[AUTOCSR_FEATURE_VALUES]         = (float)p->values;
  f[AUTOCSR_FEATURE_UNEVEN]         = share(most * p->zones, p->nnz);
  f[AUTOCSR_FEATURE_STEPS]          = share((double)p->tile_steps, p->nnz);
  f[AUTOCSR_FEATURE_WINDOW_SPAN]    = share(p->window_span, p->n);
  f[AUTOCSR_FEATURE_ROWS_ONLY]      = (float)p->rows_only;
}

void AutoCSRFeaturesOfVariant(const AutoCSRAxes *axes, const AutoCSREvaluation *e, double seconds, float nnz, int strategy, float f[])
{
  f[AUTOCSR_FEATURE_STRATEGY]  = (float)strategy;
  f[AUTOCSR_FEATURE_ORDER]     = (float)axes->order;
  f[AUTOCSR_FEATURE_INDEX]     = (float)axes->index;
  f[AUTOCSR_FEATURE_VALUE]     = (float)axes->value;
  f[AUTOCSR_FEATURE_MAPPING]   = (float)axes->mapping;
  f[AUTOCSR_FEATURE_LANES]     = (float)axes->lanes;
  f[AUTOCSR_FEATURE_ROW_GROUP] = (float)axes->row_group;
  f[AUTOCSR_FEATURE_SEGMENTS]  = (float)e->segments;
  f[AUTOCSR_FEATURE_PREDICTED] = (float)(1e6 * seconds);
  f[AUTOCSR_FEATURE_WORK]      = share(e->work, seconds);
  f[AUTOCSR_FEATURE_GATHER]    = share(e->gather, seconds);
  f[AUTOCSR_FEATURE_STREAM]    = share(e->stream, seconds);
  f[AUTOCSR_FEATURE_WAIT]      = share(e->wait, seconds);
  f[AUTOCSR_FEATURE_MOVED]     = share(e->bytes, nnz);
  f[AUTOCSR_FEATURE_KEPT]      = share(e->own_bytes, nnz);
}
