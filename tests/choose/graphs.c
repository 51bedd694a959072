static char help[] = "Operator graphs: every preset's plan prints as one, which makes the same plan again; graphs that no preset makes multiply as plain AIJ does; text that is none is refused.\n\
  -part <0> : 0 presets, 1 graphs by hand, 2 random ones, 3 text that is none, 4 kernels compiled at run time, 5 new values\n\n";

#include <petscautocsr.h>
#include "../generate.h"
#include "../ways.h"

#define GRAPH 1024

/* A plain matrix with its products, and two of ours, without first plans */
static PetscErrorCode PairCreate(const Generator *g, Mat *A, Reference *r, Mat B[2])
{
  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, MATAIJ, A));
  PetscCall(ReferenceCreate(*A, r));
  for (int k = 0; k < 2; k++) {
    PetscCall(MatrixCreate(g, MATAUTOCSR, &B[k]));
    PetscCall(MatAutoCSRSetProgressive(B[k], PETSC_FALSE));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Presets */

static PetscErrorCode GraphOf(Mat A, char graph[GRAPH])
{
  Vec x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSetScattered(x, 5));
  PetscCall(MatMult(A, x, y)); /* makes the plan */
  PetscCall(MatAutoCSRGetGraph(A, GRAPH, graph));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode SameBits(Mat A, Mat B, const char context[])
{
  Vec       x, y, z;
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  PetscCall(VecSetScattered(x, 7));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatMult(B, x, z));
  PetscCall(VecEqual(y, z, &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the graph's plan makes other bits", context);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* What the presets of a backend print, in some graph */
static const char *const any_words[]    = {"row_block(", "slice_block(lanes=1)", "nnz_block(", "merge_block(", "rows_in_block(", "row_fetch(", "products", "no_entries", "bin(", "bin_group(", "sort_sub(", "bmtb_pad(rows=", ",width=", "index=16", "index=pattern", "index=fitted", "value=dictionary", "value=constant", "dense_block(size=3)", "col_div(",
#if !defined(PETSC_USE_REAL_SINGLE)
                                         "value=float32",
#endif
                                         NULL};
static const char *const host_words[]   = {"nodes(", "diagonals", NULL};
static const char *const device_words[] = {"planes(", "col_div_popular(", "col_div_propagate(", "vendor(algorithm=1)", "vendor(algorithm=2)", NULL};

/* The words of one list that are in the graph are marked, from the place on; returns how many words there are */
static int MarkWords(const char *const list[], const char graph[], int place, PetscBool seen[])
{
  int n = 0;

  for (; list[n]; n++) seen[place + n] = (PetscBool)(seen[place + n] || strstr(graph, list[n]));
  return n;
}

/* The graph makes a plan that prints as it */
static PetscErrorCode CheckAgain(Mat B, const char graph[], const char context[])
{
  char      again[GRAPH];
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRSetProgressive(B, PETSC_FALSE));
  PetscCall(MatAutoCSRSetGraph(B, graph));
  PetscCall(GraphOf(B, again));
  PetscCall(PetscStrcmp(graph, again, &same));
  if (!same) PetscCall(MatAutoCSRView(B, PETSC_VIEWER_STDOUT_SELF)); /* it says why */
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the graph \"%s\" makes a plan with the graph \"%s\"", context, graph, again);
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckPresets(void)
{
  PetscInt           printed = 0, divided = 0, several = 0;
  PetscBool          seen[64] = {PETSC_FALSE};
  const char *const *more     = host_words;

  PetscFunctionBeginUser;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) {
    Mat     A, B;
    VecType type;

    PetscCall(MatrixCreate(&generators[i], MATAUTOCSR, &A));
    PetscCall(MatrixCreate(&generators[i], MATAUTOCSR, &B));
    PetscCall(MatGetVecType(A, &type));
    if (strstr(type, "cuda")) more = device_words;
    for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways); w++) {
      char way[192], context[256], graph[GRAPH];

      PetscCall(WaySet(A, &ways[w], MAT_AUTOCSR_RIGOR_ESTIMATE, sizeof(way), way));
      PetscCall(PetscSNPrintf(context, sizeof(context), "%s by %s", generators[i].name, way));
      PetscCall(GraphOf(A, graph));
      if (!graph[0]) continue; /* so few nonzeros are left to AIJ, or there are none */
      PetscCall(CheckAgain(B, graph, context));
      if (!WayVaries(&ways[w])) PetscCall(SameBits(A, B, context));
      printed++;
      several += strstr(graph, "slice_block(") && !strstr(graph, "slice_block(lanes=1)");
      (void)MarkWords(more, graph, MarkWords(any_words, graph, 0, seen), seen);
      divided += strchr(graph, ';') != NULL;
    }
    if (more == device_words && generators[i].values == VALUES_OFFSET) { /* with so few rows the library does not choose planes */
      char graph[GRAPH];

      PetscCall(MatAutoCSRSetGraph(B, "compress(index=pattern,value=pattern) planes"));
      PetscCall(GraphOf(B, graph));
      (void)MarkWords(more, graph, MarkWords(any_words, "", 0, seen), seen);
      PetscCall(CheckAgain(B, graph, generators[i].name));
    }
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
  }
  for (int k = 0, n = MarkWords(any_words, "", 0, seen), all = n + MarkWords(more, "", n, seen); k < all; k++) PetscCheck(seen[k], PETSC_COMM_SELF, PETSC_ERR_PLIB, "No preset prints %s", k < n ? any_words[k] : more[k - n]);
  PetscCheck(more == host_words || several, PETSC_COMM_SELF, PETSC_ERR_PLIB, "No preset has slices with several lanes a row");
  PetscCheck(printed > 500 && divided > 50, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " plans, %" PetscInt_FMT " of them of several leaves", printed, divided);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The presets print as graphs\n"));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Graphs that no preset makes; sure: they suit any matrix with rows */

static const struct {
  const char *graph;
  PetscBool   sure;
} by_hand[] = {
    {"compress row_block(lanes=1)",                                                                                                                                        PETSC_TRUE },
    {"compress row_block",                                                                                                                                                 PETSC_TRUE },
    {"  compress ( index = csr , value = csr )\n row_block ( lanes = 8 )  warp_total_red ",                                                                                PETSC_TRUE },
    {"sort compress bmtb_pad slice_block",                                                                                                                                 PETSC_TRUE },
    {"sort_sub(window=16) compress(index=32,value=copy) bmtb_pad slice_block",                                                                                             PETSC_TRUE },
    {"sort_sub(window=4) compress(index=16) bmtb_pad slice_block",                                                                                                         PETSC_TRUE },
    {"compress(index=fitted,value=copy) bmtb_pad slice_block",                                                                                                             PETSC_TRUE },
    {"bin(0:2) compress bmtb_pad slice_block; bin(3:7) sort compress bmtb_pad slice_block; bin(8:) compress row_block(lanes=4)",                                           PETSC_TRUE },
    {"bin(0:0) no_entries; bin(1:) compress(index=16) bmtb_pad slice_block",                                                                                               PETSC_TRUE },
    {"bin(0:0) compress(index=16,value=dictionary) no_entries warp_seg_red; bin(1:) compress row_block(lanes=2)",                                                         PETSC_TRUE },
    {"bin(5:) compress row_block(lanes=2); bin(0:0) no_entries; bin(2:4) compress bmtb_pad slice_block; bin(1:1) sort_sub(window=8) compress bmtb_pad slice_block",        PETSC_TRUE },
    {"bin(0:127) sort compress bmtb_pad slice_block; bin(128:) compress row_block(lanes=256)",                                                                             PETSC_TRUE },
    {"bin_group(rows=7,bins=5,in=0:1+4:4) compress row_block(lanes=1); bin_group(rows=7,bins=5,in=2:3) compress row_block(lanes=4)",                                       PETSC_TRUE },
    {"compress(value=dictionary) bmtb_pad slice_block",                                                                                                                    PETSC_FALSE},
    {"compress(value=constant) row_block(lanes=2)",                                                                                                                        PETSC_FALSE},
    {"compress(value=float32) sort bmtb_pad slice_block",                                                                                                                  PETSC_FALSE}, /* no graph */
    {"row_div(0:20) compress row_block(lanes=1); row_div(20:) sort compress bmtb_pad slice_block",                                                                         PETSC_FALSE},
    {"row_div(11:) bin(0:3) compress row_block(lanes=1); row_div(:11) compress row_block(lanes=4); row_div(11:) bin(4:) compress row_block(lanes=16)",                     PETSC_FALSE},
    {"col_near(columns=5) compress(index=16) bmtb_pad slice_block; col_far(columns=5) compress row_block(lanes=2)", PETSC_TRUE},
    {"col_near(columns=0) compress row_block(lanes=1); col_far(columns=0) bin(0:0) no_entries; col_far(columns=0) bin(1:) sort compress bmtb_pad slice_block", PETSC_TRUE},
    {"col_near(columns=20) nnz_block; col_far(columns=20) merge_block", PETSC_FALSE},
    {"col_near(columns=9) compress(index=pattern,value=csr) row_block(lanes=1); col_far(columns=9) rows_in_block", PETSC_FALSE},
    {"row_div(0:20) col_near(columns=4) compress row_block(lanes=1); row_div(20:) col_near(columns=4) sort compress(value=copy) bmtb_pad slice_block; col_far(columns=4) compress(value=dictionary) bmtb_pad slice_block", PETSC_FALSE},
    {"col_near(columns=6) compress(index=16) bmtb_pad slice_block; col_far(columns=6) compress(index=16,value=copy) col_div pieces", PETSC_TRUE},
    {"col_near(columns=2) col_div pieces; col_far(columns=2) bin(0:1) compress row_block(lanes=1); col_far(columns=2) bin(2:) sort compress bmtb_pad slice_block", PETSC_TRUE},
    {"row_div(0:20) col_near(columns=3) compress row_block(lanes=1); row_div(20:) col_near(columns=3) compress row_block(lanes=2); col_far(columns=3) compress(value=dictionary) col_div pieces", PETSC_FALSE},
    {"nnz_block",                                                                                                                                                          PETSC_TRUE },
    {"compress nnz_block(entries=16) warp_seg_red",                                                                                                                        PETSC_FALSE},
    {"merge_block",                                                                                                                                                        PETSC_TRUE },
    {"rows_in_block",                                                                                                                                                      PETSC_TRUE },
    {"row_fetch",                                                                                                                                                          PETSC_TRUE },
    {"products",                                                                                                                                                           PETSC_TRUE },
    {"compress(value=dictionary) rows_in_block",                                                                                                                           PETSC_FALSE},
    {"compress(index=16,value=float32) rows_in_block",                                                                                                                     PETSC_FALSE}, /* GPUs, as the next two */
    {"compress(index=16,value=dictionary) nnz_block",                                                                                                                      PETSC_FALSE},
    {"compress(index=16) merge_block",                                                                                                                                     PETSC_FALSE},
    {"compress(index=16,value=dictionary) row_block(lanes=4)",                                                                                                             PETSC_FALSE},
    {"compress(index=pattern,value=csr) row_block(lanes=1)",                                                                                                               PETSC_FALSE},
    {"compress(index=16,value=copy) col_div pieces",                                                                                                                       PETSC_FALSE},
    {"compress(index=32,value=csr) dense_block(size=3) row_block",                                                                                                         PETSC_FALSE},
    {"compress(index=32,value=csr) nodes",                                                                                                                                 PETSC_FALSE},
    {"compress row_block(lanes=8) warp_total_red set_resources(threads=128,residents=8)",                                                                                  PETSC_FALSE}, /* GPUs with NVRTC, as the next two */
    {"bin(0:6) sort compress bmtb_pad slice_block set_resources(in_flight=3); bin(7:) compress row_block(lanes=16) set_resources(rows=2)",                                 PETSC_FALSE},
    {"merge_block(lanes=128,entries=16)",                                                                                                                                  PETSC_FALSE},
    {"dense_block(size=2) row_fetch",                                                                                                                                      PETSC_FALSE}, /* no variant has that */
    {"compress bmtb_pad(rows=1024) slice_block",                                                                                                                           PETSC_FALSE}, /* mostly padding, as the next one */
    {"compress bmtb_pad slice_block(lanes=1048576)",                                                                                                                       PETSC_FALSE},
    {"bin(0:5) compress nnz_block; bin(6:) compress row_block",                                                                                                            PETSC_FALSE}, /* tiles are of all rows */
};

static PetscErrorCode SetIfGraph(Mat A, const char graph[], PetscBool *set)
{
  PetscErrorCode ierr;

  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = MatAutoCSRSetGraph(A, graph);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(!ierr || ierr == PETSC_ERR_USER_INPUT, PETSC_COMM_SELF, PETSC_ERR_PLIB, "\"%s\": error %d", graph, (int)ierr);
  *set = (PetscBool)!ierr;
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscInt tiled; /* plans of near or far entries in column tiles */

/* Products by a graph, against plain AIJ's and twice; used: the plan is the graph's */
static PetscErrorCode CompareGraph(const Reference *r, Mat B[2], const char name[], const char graph[], PetscBool *set, PetscBool *used)
{
  char           context[256], plan[GRAPH];
  MatAutoCSRInfo info;

  PetscFunctionBeginUser;
  *used = PETSC_FALSE;
  for (int k = 0; k < 2; k++) {
    PetscCall(SetIfGraph(B[k], graph, set));
    if (!*set) PetscFunctionReturn((PetscErrorCode)0);
  }
  PetscCall(PetscSNPrintf(context, sizeof(context), "%s by \"%.150s\"", name, graph));
  PetscCall(CompareProducts(r, 2, B, context));
  PetscCall(MatAutoCSRGetInfo(B[0], &info));
  PetscCall(MatAutoCSRGetGraph(B[0], GRAPH, plan));
  *used = (PetscBool)(strcmp(info.strategy, "csr") || !strncmp(graph, "compress row_block", 18) || strstr(plan, "row_div"));
  if (*used && plan[0] && strstr(graph, "pieces") && strstr(graph, "col_far")) {
    PetscCheck(strstr(plan, "pieces") && strstr(plan, "col_div"), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the plan is \"%s\"", context, plan);
    tiled++;
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckGraphs(const char *const graph[], const PetscBool sure[], PetscInt n, PetscInt *sets, PetscInt *uses)
{
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) {
    Mat       A, B[2];
    Reference r;

    if (size > 1 && i % 5) continue; /* blocks are multiplied as matrices on one rank are */
    PetscCall(PairCreate(&generators[i], &A, &r, B));
    for (PetscInt g = 0; g < n; g++) {
      PetscBool set, used;

      if (size > 1 && g % 3) continue;
      PetscCall(CompareGraph(&r, B, generators[i].name, graph[g], &set, &used));
      *sets += set;
      *uses += used;
      PetscCheck(used || !sure || !sure[g] || generators[i].row == None || generators[i].n == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the graph \"%s\" is not used", generators[i].name, graph[g]);
    }
    for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&B[k]));
    PetscCall(ReferenceDestroy(&r));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckByHand(void)
{
  const char *graph[PETSC_STATIC_ARRAY_LENGTH(by_hand)];
  PetscBool   sure[PETSC_STATIC_ARRAY_LENGTH(by_hand)];
  PetscInt    sets = 0, uses = 0;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t g = 0; g < PETSC_STATIC_ARRAY_LENGTH(by_hand); g++) {
    graph[g] = by_hand[g].graph;
    sure[g]  = by_hand[g].sure;
  }
  PetscCall(CheckGraphs(graph, size > 1 ? NULL : sure, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(by_hand), &sets, &uses));
  PetscCheck(uses > (size > 1 ? 10 : 400), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " graphs are used", uses);
  PetscCheck(tiled > (size > 1 ? 0 : 40), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " plans have near or far entries in column tiles", tiled);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Graphs by hand multiply as plain AIJ does\n"));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- New values where near and far entries have segments of their own: the plan stays */

static PetscErrorCode CheckNewValues(void)
{
  static const char *const graph[] = {"col_near(columns=12) compress(index=16,value=copy) bmtb_pad slice_block; col_far(columns=12) compress row_block(lanes=4)", "col_near(columns=2) compress row_block(lanes=1); col_far(columns=2) bin(0:0) no_entries; col_far(columns=2) bin(1:) sort compress(index=32,value=copy) bmtb_pad slice_block"};
  PetscInt refreshed = 0;

  PetscFunctionBeginUser;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) {
    for (size_t g = 0; g < PETSC_STATIC_ARRAY_LENGTH(graph); g++) {
      char           context[256];
      MatAutoCSRInfo before, after;
      Mat            A, B[2];
      Reference      r;

      PetscCall(PairCreate(&generators[i], &A, &r, B));
      for (int k = 0; k < 2; k++) PetscCall(MatAutoCSRSetGraph(B[k], graph[g]));
      PetscCall(PetscSNPrintf(context, sizeof(context), "%s, new values, by \"%.100s\"", generators[i].name, graph[g]));
      PetscCall(CompareProducts(&r, 2, B, context));
      PetscCall(MatAutoCSRGetInfo(B[0], &before));
      PetscCall(MatScale(A, 3));
      for (int k = 0; k < 2; k++) PetscCall(MatScale(B[k], 3));
      PetscCall(ReferenceUpdate(&r));
      PetscCall(CompareProducts(&r, 2, B, context));
      PetscCall(MatAutoCSRGetInfo(B[0], &after));
      if (!strcmp(before.strategy, "graph")) PetscCheck(after.plans == before.plans && after.plan_bytes == before.plan_bytes, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " plans of %" PetscInt64_FMT " bytes, not %" PetscInt_FMT " of %" PetscInt64_FMT, context, after.plans, after.plan_bytes, before.plans, before.plan_bytes);
      if (!strcmp(before.strategy, "graph")) refreshed += after.refreshes > before.refreshes;
      for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&B[k]));
      PetscCall(ReferenceDestroy(&r));
    }
  }
  PetscCheck(refreshed > 10, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " plans were given new values", refreshed);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "New values go where near and far entries are\n"));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Kernels that are compiled at run time, on a device. twin: a graph of compiled kernels that adds in the same order; NULL: none */

static const struct {
  const char *graph, *twin;
} generated[] = {
    {"compress row_block(lanes=1) set_resources(threads=64,in_flight=4)",             "compress row_block(lanes=1)"           },
    {"compress row_block(lanes=8) set_resources(threads=128,residents=8)",            "compress row_block(lanes=8)"           },
    {"compress row_block(lanes=32) set_resources(rows=1,in_flight=2)",                "compress row_block(lanes=32)"          },
    {"compress row_block(lanes=64) set_resources(threads=512,rows=8)",                "compress row_block(lanes=64)"          },
    {"compress row_block(lanes=512) set_resources(threads=1024)",                     NULL                                    },
    {"bin(5:5) compress row_block(lanes=2) set_resources(threads=128); bin(0:4) compress row_block(lanes=1); bin(6:) compress row_block(lanes=4)", "bin(5:5) compress row_block(lanes=2); bin(0:4) compress row_block(lanes=1); bin(6:) compress row_block(lanes=4)"},
    {"compress(index=32) bmtb_pad slice_block set_resources(threads=64,in_flight=3)", "compress(index=32) bmtb_pad slice_block"},
    {"compress(index=16) bmtb_pad slice_block set_resources(threads=512)",            "compress(index=16) bmtb_pad slice_block"},
    {"compress(index=32) bmtb_pad slice_block(lanes=4) set_resources(threads=128)",   "compress(index=32) bmtb_pad slice_block(lanes=4)"},
    {"bin(0:4) compress row_block(lanes=1); bin(5:5) compress(index=32) bmtb_pad slice_block set_resources(threads=128); bin(6:) compress row_block(lanes=4)", "bin(0:4) compress row_block(lanes=1); bin(5:5) compress(index=32) bmtb_pad slice_block; bin(6:) compress row_block(lanes=4)"},
    {"sort compress(index=32) bmtb_pad slice_block set_resources(stretches=16)",          "sort compress(index=32) bmtb_pad slice_block"},
    {"compress row_block(lanes=8) set_resources(threads=128,stretches=16)",               "compress row_block(lanes=8)"           },
    {"compress(index=32) bmtb_pad slice_block set_resources(rows=2)",                 "compress(index=32) bmtb_pad slice_block"},
    {"compress(index=32) bmtb_pad(rows=8) slice_block(lanes=4) set_resources(constants=1)", "compress(index=32) bmtb_pad(rows=8) slice_block(lanes=4)"},
    {"compress(index=pattern,value=pattern) row_block(lanes=1) set_resources(constants=1)",    "compress(index=pattern,value=pattern) row_block(lanes=1)"},
    {"compress(index=pattern,value=pattern) row_block(lanes=1) set_resources(constants=2)",    "compress(index=pattern,value=pattern) row_block(lanes=1)"},
    {"nnz_block set_resources(constants=1)",                                          "nnz_block"                             },
    {"products set_resources(threads=128)",                                           "products"                              },
    {"row_fetch(lanes=1)",                                                            NULL                                    },
    {"row_fetch(lanes=8) set_resources(threads=128,in_flight=4)",                     "row_fetch(lanes=8)"                    },
    {"nnz_block(entries=16)",                                                         NULL                                    },
    {"nnz_block(lanes=64,entries=32)",                                                NULL                                    },
    {"nnz_block(lanes=1024,entries=8)",                                               NULL                                    },
    {"merge_block(lanes=128,entries=4)",                                              NULL                                    },
    {"merge_block(lanes=512,entries=16)",                                             NULL                                    },
    {"rows_in_block(lanes=64,entries=16)",                                            NULL                                    },
    {"compress(index=16) nnz_block(entries=4)",                                       "nnz_block(entries=4)"                  },
    {"compress(index=16) merge_block",                                                "merge_block"                           },
    {"compress(index=16) rows_in_block(lanes=128)",                                   "rows_in_block(lanes=128)"              },
    {"rows_in_block(lanes=512,entries=16,longest=100)",                               NULL                                    },
};

static PetscErrorCode CheckGenerated(void)
{
  PetscInt used[PETSC_STATIC_ARRAY_LENGTH(generated)] = {0};

  PetscFunctionBeginUser;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) {
    Mat       A, B[2];
    Reference r;

    PetscCall(PairCreate(&generators[i], &A, &r, B));
    for (size_t g = 0; g < PETSC_STATIC_ARRAY_LENGTH(generated); g++) {
      char           context[256], graph[GRAPH];
      MatAutoCSRInfo info;

      PetscCall(PetscSNPrintf(context, sizeof(context), "%s by \"%.150s\"", generators[i].name, generated[g].graph));
      for (int k = 0; k < 2; k++) PetscCall(MatAutoCSRSetGraph(B[k], generated[g].graph));
      PetscCall(CompareProducts(&r, 2, B, context));
      PetscCall(MatAutoCSRGetInfo(B[0], &info));
      PetscCall(MatAutoCSRGetGraph(B[0], GRAPH, graph));
      if (!strcmp(info.strategy, "csr") && !strstr(graph, "set_resources")) continue;
      used[g]++;
      if (!generated[g].twin) continue;
      PetscCall(MatAutoCSRSetGraph(B[1], generated[g].twin));
      PetscCall(SameBits(B[0], B[1], context));
    }
    for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&B[k]));
    PetscCall(ReferenceDestroy(&r));
  }
  for (size_t g = 0; g < PETSC_STATIC_ARRAY_LENGTH(generated); g++) PetscCheck(used[g] > 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " matrices are multiplied by \"%s\"", used[g], generated[g].graph);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Kernels compiled at run time multiply as plain AIJ does, and make the bits of those compiled ahead\n"));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Random graphs: operators in order, and now and then not; numbers of all sizes */

#define RANDOM_GRAPHS 90

static PetscInt64 Pick(PetscInt64 *seed, PetscInt64 below)
{
  return Random(++*seed, 77, below);
}

static PetscErrorCode RandomLeaf(PetscInt64 *seed, const char rows[], char text[GRAPH])
{
  static const char *const sorts[]      = {"sort ", "sort_sub(window=8) ", "sort_sub(window=256) ", "sort_sub(window=1) ", "sort_sub "};
  static const char *const indices[]    = {"csr", "32", "16", "pattern", "fitted"};
  static const char *const values[]     = {"csr", "copy", "dictionary", "float32", "pattern", "constant"};
  static const char *const orders[]     = {"bmtb_pad", "bmtb_pad(rows=8)", "bmtb_pad(rows=4)", "bmtb_pad(rows=32)", "col_div", "by_block", "diagonals", "col_div_popular", "col_div_propagate", "bmtb_pad(width=9)"};
  static const char *const mappings[]   = {"row_block", "row_block", "slice_block", "slice_block", "nnz_block", "merge_block", "row_fetch", "rows_in_block", "products", "nodes", "pieces", "planes", "vendor", "no_entries"};
  static const char *const numbers[]    = {"", "", "", "", "(lanes=1)", "(lanes=2)", "(lanes=8)", "(lanes=64)", "(lanes=8,entries=16)", "(entries=4)", "(lanes=3)", "(longest=100)", "(lanes=1048576)", "(rows=2)"};
  static const char *const reductions[] = {"", "", "", " thread_total_red", " warp_total_red", " warp_seg_red", " host_seg_red"};
  const PetscBool          ordered      = (PetscBool)(Pick(seed, 3) > 0);

  PetscFunctionBeginUser;
  PetscCall(PetscStrlcat(text, rows, GRAPH));
  if (Pick(seed, 3) == 0 && ordered) PetscCall(PetscStrlcat(text, sorts[Pick(seed, PETSC_STATIC_ARRAY_LENGTH(sorts))], GRAPH));
  PetscCall(PetscStrlcat(text, "compress(index=", GRAPH));
  PetscCall(PetscStrlcat(text, indices[Pick(seed, PETSC_STATIC_ARRAY_LENGTH(indices))], GRAPH));
  PetscCall(PetscStrlcat(text, ",value=", GRAPH));
  PetscCall(PetscStrlcat(text, values[Pick(seed, PETSC_STATIC_ARRAY_LENGTH(values))], GRAPH));
  PetscCall(PetscStrlcat(text, ") ", GRAPH));
  if (ordered) PetscCall(PetscStrlcat(text, orders[Pick(seed, PETSC_STATIC_ARRAY_LENGTH(orders))], GRAPH));
  if (Pick(seed, 8) == 0) PetscCall(PetscStrlcat(text, Pick(seed, 2) ? " dense_block(size=3)" : " dense_block(size=2)", GRAPH));
  PetscCall(PetscStrlcat(text, " ", GRAPH));
  PetscCall(PetscStrlcat(text, mappings[Pick(seed, PETSC_STATIC_ARRAY_LENGTH(mappings))], GRAPH));
  PetscCall(PetscStrlcat(text, numbers[Pick(seed, PETSC_STATIC_ARRAY_LENGTH(numbers))], GRAPH));
  PetscCall(PetscStrlcat(text, reductions[Pick(seed, PETSC_STATIC_ARRAY_LENGTH(reductions))], GRAPH));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckRandom(PetscInt first)
{
  static const char *const divisions[][3] = {
      {"", NULL, NULL}, {"", NULL, NULL}, {"", NULL, NULL}, {"bin(0:3) ", "bin(4:) ", NULL}, {"bin(0:0) ", "bin(1:15) ", "bin(16:) "}, {"row_div(0:30) ", "row_div(30:) ", NULL}, {"bin_group(rows=10,bins=4,in=0:0+2:3) ", "bin_group(rows=10,bins=4,in=1:1) ", NULL}, {"bin(100:) ", "bin(:99) ", NULL}, {"row_div(0:9) bin(0:1) ", "row_div(0:9) bin(2:) ", "row_div(9:) "}, {"col_near(columns=6) ", "col_far(columns=6) ", NULL}, {"col_near(columns=11) ", "col_far(columns=11) bin(:4) ", "col_far(columns=11) bin(5:) "},
  };
  static char (*text)[GRAPH];
  const char *graph[RANDOM_GRAPHS];
  PetscInt64  seed = 1000000 * (PetscInt64)first;
  PetscInt    sets = 0, uses = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(RANDOM_GRAPHS, &text));
  for (PetscInt g = 0; g < RANDOM_GRAPHS; g++) {
    const char *const *rows = divisions[Pick(&seed, PETSC_STATIC_ARRAY_LENGTH(divisions))];

    for (int leaf = 0; leaf < 3 && rows[leaf]; leaf++) {
      if (leaf) PetscCall(PetscStrlcat(text[g], "; ", GRAPH));
      PetscCall(RandomLeaf(&seed, rows[leaf], text[g]));
    }
    graph[g] = text[g];
  }
  PetscCall(CheckGraphs(graph, NULL, RANDOM_GRAPHS, &sets, &uses));
  PetscCheck(sets > 100 && uses > 10, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " are graphs, %" PetscInt_FMT " are used", sets, uses);
  PetscCall(PetscFree(text));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "Random graphs multiply as plain AIJ does, or are refused\n"));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Text that is no graph */

static PetscErrorCode Tell(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode n, PetscErrorType p, const char *message, void *ctx)
{
  if (p == PETSC_ERROR_INITIAL) (void)PetscPrintf(PETSC_COMM_SELF, "  %s\n", message);
  return n;
}

static PetscErrorCode CheckRefused(void)
{
  static const char *const text[] = {
      " ", "row_blok", "compress row_block; ", "; compress row_block", "compress row_block;; compress row_block", "compress() row_block", "compress row_block()", "compress", "compress compress row_block", "row_block compress", "compress slice_block", "compress bmtb_pad row_block", "compress pieces", "sort compress row_block", "compress row_block(lane=4)", "compress row_block(lanes=2,lanes=4)", "compress row_block(lanes=3)", "compress row_block(lanes=4", "compress row_block(lanes=)", "compress row_block(lanes=99999999999999999999)", "compress products(lanes=4)", "compress(index=8) row_block", "compress(column=32) row_block", "compress(value=) row_block",
      "compress bmtb_pad(rows=24) slice_block", "compress bmtb_pad(rows=1073741824) slice_block", "bin_group(rows=10,in=0:) sort compress bmtb_pad slice_block", "row_div compress row_block", "row_div(5:5) compress row_block", "row_div(7:3) compress row_block", "row_div(1:) compress row_block", "row_div(0:5) compress row_block; row_div(4:) compress row_block", "row_div(0:5) compress row_block; row_div(6:) compress row_block", "bin(0:4) compress row_block; bin(4:) compress row_block", "bin(0:4) compress row_block; row_div(0:4) compress row_block", "bin(:4) compress row_block; bin_group(rows=10,in=0:) compress row_block", "bin(3) compress row_block", "bin(0:9) bin_group(rows=10,in=0:) compress row_block",
      "bin_group(rows=0,in=0:) compress row_block", "bin_group(rows=10,bins=101,in=0:) compress row_block", "bin_group(rows=10,in=0:) compress row_block; bin_group(rows=10,in=4:) compress row_block", "bin_group(rows=10,in=0:3) compress row_block; bin_group(rows=20,in=4:) compress row_block", "compress row_block,", "compress \001", "compress nnz_block(lanes=1000000000)",
      "col_near compress row_block; col_far(columns=3) compress row_block", "col_near(rows=3) compress row_block; col_far(columns=3) compress row_block", "col_near(columns=3) compress row_block", "col_far(columns=3) compress row_block", "col_near(columns=3) compress row_block; compress row_block", "col_near(columns=3) compress row_block; col_far(columns=4) compress row_block", "col_far(columns=3) compress row_block; col_near(columns=3) compress row_block", "bin(0:4) col_near(columns=3) compress row_block; col_far(columns=3) compress row_block", "row_div(0:9) col_near(columns=3) compress row_block; col_far(columns=3) row_div(9:) compress row_block", "row_div(0:9) col_near(columns=3) compress row_block; row_div(10:) col_near(columns=3) compress row_block; col_far(columns=3) compress row_block",
      "compress row_block set_resources(threads=100)", "compress row_block set_resources(threads=2048)", "compress row_block set_resources(residents=33)", "compress row_block set_resources(in_flight=64)", "compress row_block set_resources(rows=100)", "compress row_block set_resources(stretches=17)", "compress row_block set_resources(constants=3)", "compress row_block set_resources(warps=2)", "compress set_resources(threads=64) row_block", "compress row_block set_resources(threads=64) warp_total_red",
      "bin(0:0) no_entries;bin(1:1) compress row_block;bin(2:2) compress row_block;bin(3:3) compress row_block;bin(4:4) compress row_block;bin(5:5) compress row_block;bin(6:6) compress row_block;bin(7:7) compress row_block;bin(8:8) compress row_block;bin(9:9) compress row_block;bin(10:10) compress row_block;bin(11:11) compress row_block;bin(12:12) compress row_block;bin(13:13) compress row_block;bin(14:14) compress row_block;bin(15:15) compress row_block;bin(16:) compress row_block",
  };
  char  longer[GRAPH + 8];
  char  graph[GRAPH];
  Mat   A;

  PetscFunctionBeginUser;
  PetscCall(PetscMemzero(longer, sizeof(longer)));
  memset(longer, ' ', GRAPH);
  PetscCall(MatrixCreate(&generators[0], MATAUTOCSR, &A));
  PetscCall(MatAutoCSRSetGraph(A, "compress row_block(lanes=2)"));
  PetscCall(GraphOf(A, graph));
  PetscCall(PetscPushErrorHandler(Tell, NULL));
  for (size_t t = 0; t <= PETSC_STATIC_ARRAY_LENGTH(text); t++) {
    const char    *none = t < PETSC_STATIC_ARRAY_LENGTH(text) ? text[t] : longer;
    PetscErrorCode ierr;

    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%.70s\n", t < PETSC_STATIC_ARRAY_LENGTH(text) ? none : "(blanks)"));
    ierr = MatAutoCSRSetGraph(A, none);
    if (ierr != PETSC_ERR_USER_INPUT) PetscCall(PetscPrintf(PETSC_COMM_SELF, "  error %d\n", (int)ierr));
  }
  PetscCall(PetscPopErrorHandler());
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "The graph that was there: %s\n", graph));
  PetscCall(GraphOf(A, graph));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "and still is:             %s\n", graph));
  PetscCall(MatAutoCSRSetGraph(A, ""));
  PetscCall(GraphOf(A, graph));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "without one:              %s\n", strstr(graph, "lanes=2") ? graph : "the library's choice"));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscInt part = 0, seed = 1;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-part", &part, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-seed", &seed, NULL));
  PetscCall(MatAutoCSRRegisterAll());
  if (part == 0) PetscCall(CheckPresets());
  if (part == 1) PetscCall(CheckByHand());
  if (part == 2) PetscCall(CheckRandom(seed));
  if (part == 3) PetscCall(CheckRefused());
  if (part == 4) PetscCall(CheckGenerated());
  if (part == 5) PetscCall(CheckNewValues());
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: presets

  test:
    suffix: presets-cuda
    requires: cuda
    output_file: output/graphs_presets.out
    timeoutfactor: 2

  test:
    suffix: hand
    nsize: {{1 2}}
    args: -part 1

  test:
    suffix: random
    args: -part 2 -seed {{1 2}shared output}

  test:
    suffix: refused
    args: -part 3
    filter: sed 's/9223372036854775807/2147483647/'

  test:
    suffix: generated
    requires: cuda nvrtc
    args: -part 4 -vec_type cuda
    timeoutfactor: 4

  test:
    suffix: values
    args: -part 5

  test:
    suffix: values-cuda
    requires: cuda
    output_file: output/graphs_values.out
    args: -part 5 -vec_type cuda

  test:
    suffix: hand-cuda
    requires: cuda
    output_file: output/graphs_hand.out
    args: -part 1 -vec_type cuda

  test:
    suffix: random-cuda
    requires: cuda
    output_file: output/graphs_random.out
    args: -part 2 -seed 4 -vec_type cuda

TEST*/
