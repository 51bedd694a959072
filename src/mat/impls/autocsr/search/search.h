/*
  The search (du2022-alphasparse, VI), at rigor patient and exhaustive: structures of graphs are enumerated and annealed, coarse
  numbers run, and a surrogate that learns from what was run proposes finer ones. Every candidate's product is checked before it counts.
*/
#ifndef AUTOCSR_SEARCH_H
#define AUTOCSR_SEARCH_H

#include "../graph/graph.h"
#include "../profile/profile.h"
#include <petsc/private/hashmap.h>

#define AUTOCSR_SEARCH_FEATURES 12
#define AUTOCSR_SEARCH_TRIED    16384 /* graphs that are remembered, at most */

struct _AutoCSRSearch;

/* What the searcher is asked by: choose/searching.c has these for a block */
typedef struct {
  void *ctx;
  /* The predicted seconds of a graph's product, and what the surrogate sees of it; PETSC_MAX_REAL if the graph does not suit */
  PetscErrorCode (*predict)(void *, const char graph[], double *seconds, double feature[AUTOCSR_SEARCH_FEATURES]);
  /* Builds the plan, checks its product and times it; *seconds PETSC_MAX_REAL: it could not be built, or its product is wrong */
  PetscErrorCode (*measure)(void *, const char graph[], double *seconds);
  /* NULL, or: recalls what an earlier run has found, once; keeps what was found so far */
  PetscErrorCode (*recall)(void *, struct _AutoCSRSearch *);
  PetscErrorCode (*keep)(void *, const struct _AutoCSRSearch *);
} AutoCSRSearched;

typedef struct {
  double predicted, measured; /* measured 0: not yet; PETSC_MAX_REAL: it will not do */
  double feature[AUTOCSR_SEARCH_FEATURES];
  char  *graph;
} AutoCSRTried;

PETSC_HASH_MAP(HMapGraph, kh_cstr_t, PetscInt, kh_str_hash_func, kh_str_hash_equal, -1)

typedef struct _AutoCSRSearch {
  const AutoCSRMatrix  *csr;
  const AutoCSRProfile *profile;
  PetscBool             parallel, generates; /* generates: kernels can be compiled at run time, so that a leaf may have numbers of its own */
  const AutoCSRSearched *asked;
  PetscBool             monitor;
  PetscInt              without; /* AUTOCSR_SEARCH_PRUNING and the like, or'ed */
  double                begin, seconds; /* of PetscTime(); how long it may take */
  uint64_t              random;
  PetscInt              n, n_measured, n_wrong, best; /* best: of tried; -1: none yet */
  PetscInt              n_recalled;                   /* of those measured: by an earlier run */
  double                first;                        /* seconds of the library's choice */
  double                told, kept;                   /* when progress was last told, and kept */
  AutoCSRTried         *tried;
  PetscHMapGraph        place; /* of a graph's text in `tried` */
  double                weight[AUTOCSR_SEARCH_FEATURES]; /* of the surrogate */
  PetscBool             learned;
} AutoCSRSearch;

/*
  start: graphs to begin with, the library's choice first. best: the text of the fastest, for AUTOCSR_GRAPH_LENGTH
  characters, "" if the library's choice could not be run; *best_seconds: of its product
*/
PETSC_INTERN PetscErrorCode AutoCSRSearchRun(AutoCSRSearch *, PetscInt n_start, const char *const start[], char best[], double *best_seconds);

/* For `recall`: what the graph's product takes, PETSC_MAX_REAL for one that will not do; and for `keep`: seconds so far */
PETSC_INTERN PetscErrorCode AutoCSRSearchRecall(AutoCSRSearch *, const char graph[], double measured);
PETSC_INTERN double         AutoCSRSearchElapsed(const AutoCSRSearch *);

/* moves.c */
PETSC_INTERN PetscInt AutoCSRSearchDraw(AutoCSRSearch *, PetscInt below);
/* Numbers of entries between which bins may meet: how many suit the matrix, and the first of them */
PETSC_INTERN PetscInt AutoCSRSearchEdges(const AutoCSRSearch *, PetscInt *first);
PETSC_INTERN PetscInt AutoCSRSearchEdge(PetscInt);
PETSC_INTERN void     AutoCSRSearchSlices(AutoCSRSearch *, PetscInt window, AutoCSRIndex, AutoCSRAxes *);
PETSC_INTERN void     AutoCSRSearchLanes(const AutoCSRSearch *, PetscInt lanes, AutoCSRAxes *);
/* The most that set_resources(constants=) may pay as, by the profile; 0: the kernel would know nothing */
PETSC_INTERN PetscInt AutoCSRSearchConstants(const AutoCSRSearch *, const AutoCSRAxes *);
PETSC_INTERN void     AutoCSRSearchMove(AutoCSRSearch *, const AutoCSRGraph *from, AutoCSRGraph *to);

/* surrogate.c: ridge regression of the logarithm of measured over predicted */
PETSC_INTERN void   AutoCSRSearchLearn(AutoCSRSearch *);
PETSC_INTERN double AutoCSRSearchExpect(const AutoCSRSearch *, const AutoCSRTried *);

#endif
