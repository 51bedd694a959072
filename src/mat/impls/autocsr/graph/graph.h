/*
  The operator graph (du2022-alphasparse, IV) as text: doc/graph.md is its reference. A graph is a list of leaves: operators
  that choose rows (ROW_DIV, BIN), then those that convert, map and reduce them. A leaf is a segment before it is built: a set
  of rows, and axes.

    graph    = leaf {";" leaf}
    leaf     = operator {operator}
    operator = word ["(" parameter {"," parameter} ")"]

  Numbers that a leaf leaves out are 0, and strategy/graph.c sets what the backend takes.
*/
#ifndef AUTOCSR_GRAPH_H
#define AUTOCSR_GRAPH_H

#include "../plan/plan.h"

#define AUTOCSR_MAX_LEAVES 16

typedef struct {
  AutoCSRRowSet rows; /* end and longest PETSC_MAX_INT: to the last row, of any length */
  AutoCSRAxes   axes; /* sort_window PETSC_MAX_INT: all rows of the leaf */
} AutoCSRLeaf;

typedef struct {
  PetscInt    n;
  AutoCSRLeaf leaf[AUTOCSR_MAX_LEAVES];
} AutoCSRGraph;

/* Fails with PETSC_ERR_USER_INPUT if the text is no graph; the error names the operator, the choices and the remedy */
PETSC_INTERN PetscErrorCode AutoCSRGraphParse(const char text[], AutoCSRGraph *);
/* The segments of a plan, a leaf each; text that does not fit ends with "..." */
PETSC_INTERN PetscErrorCode AutoCSRGraphPrint(const AutoCSRPlan *, size_t len, char text[]);
/* A graph for a matrix of m rows */
PETSC_INTERN PetscErrorCode AutoCSRGraphWrite(const AutoCSRGraph *, PetscInt m, size_t len, char text[]);

/*
  operators.c: the operators by stage. Those of a leaf stand in this order, at most one of each kind
*/
typedef enum {
  AUTOCSR_KIND_ROW_DIV,   /* rows [from, to) */
  AUTOCSR_KIND_NEARNESS,  /* of these, entries up to so many columns from the diagonal, or all others */
  AUTOCSR_KIND_BIN,       /* of these, rows with so many entries, */
  AUTOCSR_KIND_BIN_GROUP, /* or virtual rows in some of hou2017's bins */
  AUTOCSR_KIND_SORT,
  AUTOCSR_KIND_COMPRESS, /* how columns and values are stored */
  AUTOCSR_KIND_ORDER,    /* where entries lie, */
  AUTOCSR_KIND_BLOCK,    /* and by dense blocks */
  AUTOCSR_KIND_MAPPING,
  AUTOCSR_KIND_REDUCTION,
  AUTOCSR_KIND_RESOURCES, /* threads and registers */
  AUTOCSR_KIND_COUNT
} AutoCSROperatorKind;

#define AUTOCSR_OPERATOR_PARAMETERS 6

typedef struct {
  const char         *word;
  AutoCSROperatorKind kind;
  int                 value; /* of kind ORDER, MAPPING and REDUCTION: of the axis */
  struct {
    const char *name; /* NULL: no more */
    size_t      axis; /* offset in AutoCSRAxes */
  } parameter[AUTOCSR_OPERATOR_PARAMETERS]; /* numbers */
  /* Of kind MAPPING: a bit for each order that it goes with, and the reduction of a leaf that names none */
  unsigned         orders;
  AutoCSRReduction reduction;
} AutoCSROperator;

PETSC_INTERN const AutoCSROperator AutoCSROperators[]; /* word NULL ends it */

#endif
