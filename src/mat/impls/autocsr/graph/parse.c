/* Text to graph. An error names the operator, what may stand there, and how it can be mended */
#include "graph.h"
#include "../backend.h"
#include <ctype.h>

typedef struct {
  const char *at;    /* what is not read yet */
  PetscInt    place; /* of the operator that is read, from 1 on */
} Reader;

static void SkipBlanks(Reader *r)
{
  while (isspace((unsigned char)*r->at)) r->at++;
}

static PetscBool Take(Reader *r, char c)
{
  SkipBlanks(r);
  if (*r->at != c) return PETSC_FALSE;
  r->at++;
  return PETSC_TRUE;
}

#define WORD 32

/* Letters, digits, - and _; no word at all is "" */
static void TakeWord(Reader *r, char word[WORD])
{
  size_t n = 0;

  SkipBlanks(r);
  for (; isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '-'; r->at++) {
    if (n < WORD - 1) word[n++] = *r->at;
  }
  word[n] = 0;
}

#define FOUND (WORD + 2)

/* The word that was read, in quotes; without one the character that is next */
static const char *Found(const Reader *r, const char word[], char found[FOUND])
{
  if (word[0])
    (void)snprintf(found, FOUND, "\"%s\"", word);
  else if (*r->at)
    (void)snprintf(found, FOUND, "'%c'", isprint((unsigned char)*r->at) ? *r->at : '?');
  else
    (void)snprintf(found, FOUND, "the end");
  return found;
}

static PetscErrorCode Expect(Reader *r, char c, const char word[], const char form[])
{
  char found[FOUND];

  PetscFunctionBegin;
  if (!Take(r, c)) SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph, %s: %s where '%c' should be; it is written %s", r->place, word, Found(r, "", found), c, form);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Digits that a PetscInt holds */
static PetscErrorCode TakeNumber(Reader *r, const char word[], const char form[], PetscInt *number)
{
  char found[FOUND];

  PetscFunctionBegin;
  SkipBlanks(r);
  PetscCheck(isdigit((unsigned char)*r->at), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph, %s: %s where a number should be; it is written %s", r->place, word, Found(r, "", found), form);
  for (*number = 0; isdigit((unsigned char)*r->at); r->at++) {
    PetscCheck(*number <= (PETSC_MAX_INT - (*r->at - '0')) / 10, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph, %s: a number is more than %" PetscInt_FMT, r->place, word, PETSC_MAX_INT);
    *number = 10 * *number + (*r->at - '0');
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* first:last, either left out */
static PetscErrorCode TakeRange(Reader *r, const char word[], const char form[], PetscInt *first, PetscInt *last)
{
  PetscFunctionBegin;
  SkipBlanks(r);
  if (*r->at != ':') PetscCall(TakeNumber(r, word, form, first));
  PetscCall(Expect(r, ':', word, form));
  SkipBlanks(r);
  if (isdigit((unsigned char)*r->at)) PetscCall(TakeNumber(r, word, form, last));
  PetscCheck(*first <= *last, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph, %s: %" PetscInt_FMT ":%" PetscInt_FMT " ends before it begins", r->place, word, *first, *last);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (first:last) */
static PetscErrorCode TakeSpan(Reader *r, const char word[], const char form[], PetscInt *first, PetscInt *last)
{
  PetscFunctionBegin;
  PetscCall(Expect(r, '(', word, form));
  PetscCall(TakeRange(r, word, form, first, last));
  PetscCall(Expect(r, ')', word, form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TakeRowDiv(Reader *r, AutoCSRRowSet *rows)
{
  const char *form = "row_div(from:to), rows from, from + 1 ... to - 1";

  PetscFunctionBegin;
  PetscCall(TakeSpan(r, "row_div", form, &rows->begin, &rows->end));
  PetscCheck(rows->begin < rows->end, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph, row_div: %" PetscInt_FMT ":%" PetscInt_FMT " has no rows; it is written %s", r->place, rows->begin, rows->end, form);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TakeNearness(Reader *r, const AutoCSROperator *op, AutoCSRRowSet *rows)
{
  const char *form = "col_near(columns=R) and col_far(columns=R), entries up to R columns from the diagonal and all others";
  char        key[WORD], found[FOUND];
  PetscBool   same;

  PetscFunctionBegin;
  PetscCall(Expect(r, '(', op->word, form));
  TakeWord(r, key);
  PetscCall(PetscStrcmp(key, "columns", &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph, %s: %s is no parameter; it is written %s", r->place, op->word, Found(r, key, found), form);
  PetscCall(Expect(r, '=', op->word, form));
  PetscCall(TakeNumber(r, op->word, form, &rows->reach));
  PetscCall(Expect(r, ')', op->word, form));
  rows->nearness = (AutoCSRNearness)op->value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TakeBinGroup(Reader *r, AutoCSRRowSet *rows)
{
  const char *form = "bin_group(rows=U,bins=100,in=0:3+7:7), the bins of virtual rows of U rows";
  char        key[WORD], found[FOUND];
  PetscBool   more = PETSC_TRUE;

  PetscFunctionBegin;
  rows->bins = AUTOCSR_MAX_BINS;
  PetscCall(Expect(r, '(', "bin_group", form));
  while (more) {
    PetscBool is_rows, is_bins, is_in;

    TakeWord(r, key);
    PetscCall(PetscStrcmp(key, "rows", &is_rows));
    PetscCall(PetscStrcmp(key, "bins", &is_bins));
    PetscCall(PetscStrcmp(key, "in", &is_in));
    PetscCheck(is_rows || is_bins || is_in, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph, bin_group: %s is no parameter; it is written %s", r->place, Found(r, key, found), form);
    PetscCall(Expect(r, '=', "bin_group", form));
    if (is_rows) PetscCall(TakeNumber(r, "bin_group", form, &rows->row_group));
    if (is_bins) PetscCall(TakeNumber(r, "bin_group", form, &rows->bins));
    while (is_in) {
      PetscInt first = 0, last = AUTOCSR_MAX_BINS - 1;

      PetscCall(TakeRange(r, "bin_group", form, &first, &last));
      for (PetscInt b = first; b <= PetscMin(last, AUTOCSR_MAX_BINS - 1); b++) AutoCSRRowSetAddBin(rows, b);
      is_in = Take(r, '+');
    }
    more = Take(r, ',');
  }
  PetscCall(Expect(r, ')', "bin_group", form));
  PetscCheck(rows->row_group >= 1 && rows->bins >= 1 && rows->bins <= AUTOCSR_MAX_BINS, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph, bin_group: virtual rows of %" PetscInt_FMT " rows in %" PetscInt_FMT " bins; there are 1 to %d bins, and a virtual row has a row or more", r->place, rows->row_group, rows->bins, AUTOCSR_MAX_BINS);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A name out of a list that NULL ends */
static PetscErrorCode TakeName(Reader *r, const char word[], const char key[], const char *const names[], PetscInt *k)
{
  char      name[WORD], found[FOUND], choices[128] = "";
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  TakeWord(r, name);
  for (*k = 0; names[*k]; ++*k) {
    PetscCall(PetscStrcmp(names[*k], name, &same));
    if (same) break;
    if (*k) PetscCall(AutoCSRAppend(choices, ", ", sizeof(choices)));
    PetscCall(AutoCSRAppend(choices, names[*k], sizeof(choices)));
  }
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph, %s: %s is no %s; choose one of %s", r->place, word, Found(r, name, found), key, choices);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TakeCompress(Reader *r, AutoCSRAxes *axes)
{
  const char *form = "compress(index=...,value=...)";
  PetscBool   more = PETSC_TRUE;

  PetscFunctionBegin;
  if (!Take(r, '(')) PetscFunctionReturn(PETSC_SUCCESS);
  while (more) {
    char      key[WORD], found[FOUND];
    PetscBool is_index, is_value;
    PetscInt  coding;

    TakeWord(r, key);
    PetscCall(PetscStrcmp(key, "index", &is_index));
    PetscCall(PetscStrcmp(key, "value", &is_value));
    PetscCheck(is_index || is_value, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph, compress: %s is no parameter; it is written %s", r->place, Found(r, key, found), form);
    PetscCall(Expect(r, '=', "compress", form));
    PetscCall(TakeName(r, "compress", key, is_index ? AutoCSRIndexNames : AutoCSRValueNames, &coding));
    if (is_index)
      axes->index = (AutoCSRIndex)coding;
    else
      axes->value = (AutoCSRValue)coding;
    more = Take(r, ',');
  }
  PetscCall(Expect(r, ')', "compress", form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers of an operator, each by its name */
static PetscErrorCode TakeParameters(Reader *r, const AutoCSROperator *op, AutoCSRAxes *axes)
{
  char      choices[128] = "";
  PetscBool more = PETSC_TRUE, given[AUTOCSR_OPERATOR_PARAMETERS] = {PETSC_FALSE};

  PetscFunctionBegin;
  for (int p = 0; p < AUTOCSR_OPERATOR_PARAMETERS && op->parameter[p].name; p++) {
    if (p) PetscCall(AutoCSRAppend(choices, ", ", sizeof(choices)));
    PetscCall(AutoCSRAppend(choices, op->parameter[p].name, sizeof(choices)));
  }
  if (!Take(r, '(')) PetscFunctionReturn(PETSC_SUCCESS);
  while (more) {
    char      key[WORD], found[FOUND];
    PetscBool same = PETSC_FALSE;
    int       p    = 0;

    TakeWord(r, key);
    for (; p < AUTOCSR_OPERATOR_PARAMETERS && op->parameter[p].name; p++) {
      PetscCall(PetscStrcmp(key, op->parameter[p].name, &same));
      if (same) break;
    }
    PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph, %s: %s is no parameter; it has %s", r->place, op->word, Found(r, key, found), choices[0] ? choices : "none, and no brackets");
    PetscCall(Expect(r, '=', op->word, "operator(parameter=number,...)"));
    PetscCall(TakeNumber(r, op->word, "operator(parameter=number,...)", (PetscInt *)((char *)axes + op->parameter[p].axis)));
    PetscCheck(!given[p], PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph, %s: %s is there twice", r->place, op->word, key);
    given[p] = PETSC_TRUE;
    more     = Take(r, ',');
  }
  PetscCall(Expect(r, ')', op->word, "operator(parameter=number,...)"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode FindOperator(const Reader *r, const char word[], const AutoCSROperator **op)
{
  char      choices[512] = "", found[FOUND];
  PetscBool same         = PETSC_FALSE;

  PetscFunctionBegin;
  for (*op = AutoCSROperators; (*op)->word; ++*op) {
    PetscCall(PetscStrcmp(word, (*op)->word, &same));
    if (same) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(AutoCSRAppend(choices, *op == AutoCSROperators ? "" : ", ", sizeof(choices)));
    PetscCall(AutoCSRAppend(choices, (*op)->word, sizeof(choices)));
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph: %s is no operator; choose one of %s (doc/graph.md)", r->place, Found(r, word, found), choices);
}

static PetscErrorCode TakeOperator(Reader *r, const AutoCSROperator *op, AutoCSRLeaf *leaf)
{
  PetscFunctionBegin;
  if (op->kind == AUTOCSR_KIND_ROW_DIV)
    PetscCall(TakeRowDiv(r, &leaf->rows));
  else if (op->kind == AUTOCSR_KIND_NEARNESS)
    PetscCall(TakeNearness(r, op, &leaf->rows));
  else if (op->kind == AUTOCSR_KIND_BIN)
    PetscCall(TakeSpan(r, "bin", "bin(least:most), rows with so many entries", &leaf->rows.shortest, &leaf->rows.longest));
  else if (op->kind == AUTOCSR_KIND_BIN_GROUP)
    PetscCall(TakeBinGroup(r, &leaf->rows));
  else if (op->kind == AUTOCSR_KIND_COMPRESS)
    PetscCall(TakeCompress(r, &leaf->axes));
  else
    PetscCall(TakeParameters(r, op, &leaf->axes));
  if (op->kind == AUTOCSR_KIND_SORT && !op->value) leaf->axes.sort_window = PETSC_MAX_INT;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a leaf's operators say together; `used` has one of each kind, or NULL */
static PetscErrorCode FinishLeaf(PetscInt number, const AutoCSROperator *const used[], AutoCSRLeaf *leaf)
{
  AutoCSRAxes           *a       = &leaf->axes;
  const AutoCSROperator *order   = used[AUTOCSR_KIND_ORDER], *mapping = used[AUTOCSR_KIND_MAPPING];
  const PetscBool        divides = (PetscBool)(used[AUTOCSR_KIND_BIN] || used[AUTOCSR_KIND_BIN_GROUP]);

  PetscFunctionBegin;
  PetscCheck(mapping, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph maps its entries to nothing: it needs one of the operators row_block, slice_block, nnz_block ... (doc/graph.md)", number);
  a->mapping = (AutoCSRMapping)mapping->value;
  a->order   = order ? (AutoCSROrder)order->value : AUTOCSR_ORDER_CSR;
  PetscCheck(mapping->orders >> a->order & 1, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph: %s does not go with %s%s", number, mapping->word, order ? order->word : "entries in the CSR's order; it needs ", order                                ? ""
                                                                                                                                                                                                                        : a->mapping == AUTOCSR_MAP_SLICE ? "bmtb_pad before it"
                                                                                                                                                                                                                                                        : "col_div, col_div_popular or col_div_propagate before it");
  a->reduction = used[AUTOCSR_KIND_REDUCTION] ? (AutoCSRReduction)used[AUTOCSR_KIND_REDUCTION]->value : mapping->reduction;
  if (!used[AUTOCSR_KIND_REDUCTION] && a->reduction == AUTOCSR_REDUCE_TREE && a->lanes == 1) a->reduction = AUTOCSR_REDUCE_NONE;
  a->partition = a->mapping == AUTOCSR_MAP_TILE || a->mapping == AUTOCSR_MAP_MERGE ? AUTOCSR_PARTITION_NONZEROS : AutoCSROrderHasTiles(a->order) ? AUTOCSR_PARTITION_COLUMNS : divides && a->mapping != AUTOCSR_MAP_EMPTY ? AUTOCSR_PARTITION_BIN : AUTOCSR_PARTITION_ROWS;
  a->row_group = leaf->rows.row_group ? leaf->rows.row_group : 1;
  a->generated = 1;
  /* Entries in an order of their own need columns and values of their own */
  if (order && a->index == AUTOCSR_INDEX_CSR) a->index = AutoCSROrderHasTiles(a->order) ? AUTOCSR_INDEX_16 : AUTOCSR_INDEX_32;
  if (order && a->value == AUTOCSR_VALUE_CSR) a->value = AUTOCSR_VALUE_COPY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define MOST_TILE      (1 << 28)
#define MOST_SLICE     1024 /* rows of a slice, which is padded to all of them */
#define MOST_THREADS   1024 /* of a thread block, */
#define MOST_RESIDENTS 32   /* thread blocks of a multiprocessor, */
#define MOST_FLIGHT    32   /* entries of a lane that are asked for at once, and */
#define MOST_EACH      64   /* rows of a lane, on any device */

static PetscErrorCode CheckNumbers(PetscInt number, const AutoCSRAxes *a)
{
  PetscFunctionBegin;
  PetscCheck(a->tile_width <= MOST_TILE && a->tile_height <= MOST_TILE && a->tile_steps <= MOST_TILE, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph: a number of %s is more than %d", number, AutoCSRMappingNames[a->mapping], MOST_TILE);
  PetscCheck(!a->lanes || a->mapping == AUTOCSR_MAP_NODES || (AutoCSRIsPowerOfTwo(a->lanes) && a->lanes <= AUTOCSR_MAX_LANES), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph: %" PetscInt_FMT " lanes are not a power of two up to %d", number, a->lanes, AUTOCSR_MAX_LANES);
  PetscCheck(!a->slice_height || (AutoCSRIsPowerOfTwo(a->slice_height) && a->slice_height <= MOST_SLICE), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph: slices of %" PetscInt_FMT " rows; it takes a power of two up to %d", number, a->slice_height, MOST_SLICE);
  PetscCheck(a->row_group == 1 || a->order == AUTOCSR_ORDER_CSR, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph: virtual rows of %" PetscInt_FMT " rows have their entries in the CSR's order: take bin in the place of bin_group, or leave out the order and sort", number, a->row_group);
  PetscCheck(!a->threads || (AutoCSRIsPowerOfTwo(a->threads) && a->threads >= 32 && a->threads <= MOST_THREADS), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph, set_resources: %" PetscInt_FMT " threads are not one of 32, 64, 128, 256, 512, 1024", number, a->threads);
  PetscCheck(a->residents <= MOST_RESIDENTS, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph, set_resources: %" PetscInt_FMT " residents; a multiprocessor has room for 1 to %d thread blocks", number, a->residents, MOST_RESIDENTS);
  PetscCheck(a->in_flight <= MOST_FLIGHT, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph, set_resources: in_flight=%" PetscInt_FMT "; it is 1 to %d entries", number, a->in_flight, MOST_FLIGHT);
  PetscCheck(a->rows_each <= MOST_EACH, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph, set_resources: rows=%" PetscInt_FMT "; it is 1 to %d", number, a->rows_each, MOST_EACH);
  PetscCheck(a->stretches <= AUTOCSR_MAX_STRETCHES, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph, set_resources: %" PetscInt_FMT " stretches; a kernel knows 1 to %d", number, a->stretches, AUTOCSR_MAX_STRETCHES);
  PetscCheck(a->constants <= 2, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph, set_resources: constants=%" PetscInt_FMT "; 1 makes constants of the matrix's structure, 2 of its values, too", number, a->constants);
  PetscCheck(a->sort_window <= 1 || a->order == AUTOCSR_ORDER_SLICED, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph: sorted rows go with bmtb_pad alone, since the CSR has its rows in order", number);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TakeLeaf(Reader *r, PetscInt number, AutoCSRLeaf *leaf)
{
  const AutoCSROperator *used[AUTOCSR_KIND_COUNT] = {NULL}, *last = NULL;
  char                   found[FOUND];

  PetscFunctionBegin;
  SkipBlanks(r);
  PetscCheck(*r->at && *r->at != ';', PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph is empty: %s where its operators should be; ';' stands only between two leaves", number, Found(r, "", found));
  *leaf = (AutoCSRLeaf){.rows = {.end = PETSC_MAX_INT, .longest = PETSC_MAX_INT}};
  do {
    const AutoCSROperator *op;
    char                   word[WORD];

    r->place++;
    TakeWord(r, word);
    PetscCall(FindOperator(r, word, &op));
    PetscCheck(!last || op->kind > last->kind, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Operator %" PetscInt_FMT " of the graph: %s may not follow %s. A leaf has row_div, col_near or col_far, bin or bin_group, sort, compress, an order, dense_block, a mapping, a reduction and set_resources, in this order, each at most once; ';' ends it", r->place, word, last->word);
    PetscCall(TakeOperator(r, op, leaf));
    used[op->kind] = last = op;
    SkipBlanks(r);
  } while (*r->at && *r->at != ';');
  PetscCheck(!used[AUTOCSR_KIND_BIN] || !used[AUTOCSR_KIND_BIN_GROUP], PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaf %" PetscInt_FMT " of the graph: rows are in a bin by their own entries or by those of virtual rows, not both", number);
  PetscCall(FinishLeaf(number, used, leaf));
  PetscCall(CheckNumbers(number, &leaf->axes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool SameRange(const AutoCSRRowSet *a, const AutoCSRRowSet *b)
{
  return (PetscBool)(a->begin == b->begin && a->end == b->end);
}

/* No row may be in two leaves */
static PetscErrorCode CheckPair(PetscInt i, const AutoCSRRowSet *a, PetscInt j, const AutoCSRRowSet *b)
{
  PetscFunctionBegin;
  PetscCheck(!a->nearness == !b->nearness && a->reach == b->reach, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaves %" PetscInt_FMT " and %" PetscInt_FMT " of the graph: all leaves have col_near or col_far with one number of columns, or none has", i, j);
  PetscCheck(a->nearness <= b->nearness, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaves %" PetscInt_FMT " and %" PetscInt_FMT " of the graph: those with col_near come first, since those with col_far are added to them", i, j);
  if (a->nearness != b->nearness) PetscFunctionReturn(PETSC_SUCCESS);
  if (!SameRange(a, b)) {
    PetscCheck(a->end <= b->begin || b->end <= a->begin, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaves %" PetscInt_FMT " and %" PetscInt_FMT " of the graph both have row %" PetscInt_FMT ": ranges of row_div are the same or have no row in common", i, j, PetscMax(a->begin, b->begin));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(a->row_group == b->row_group && a->bins == b->bins, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaves %" PetscInt_FMT " and %" PetscInt_FMT " of the graph: rows of one range are all in bins by their entries, or all in bins of virtual rows of one size", i, j);
  if (a->row_group)
    PetscCheck(!(a->wanted[0] & b->wanted[0]) && !(a->wanted[1] & b->wanted[1]), PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaves %" PetscInt_FMT " and %" PetscInt_FMT " of the graph have a bin in common: each row must be in one leaf", i, j);
  else
    PetscCheck(a->longest < b->shortest || b->longest < a->shortest, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Leaves %" PetscInt_FMT " and %" PetscInt_FMT " of the graph both have the rows with %" PetscInt_FMT " entries: each row must be in one leaf", i, j, PetscMax(a->shortest, b->shortest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ranges of leaves of these entries follow each other from row 0 on. Whether the bins of a range have all its rows, the matrix tells */
static PetscErrorCode CheckRanges(const AutoCSRGraph *graph, AutoCSRNearness nearness)
{
  PetscInt next = 0, last = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < graph->n; i++) {
    if (graph->leaf[i].rows.nearness == nearness) last = PetscMax(last, graph->leaf[i].rows.end);
  }
  while (next < last) {
    PetscInt i = 0;

    while (i < graph->n && (graph->leaf[i].rows.nearness != nearness || graph->leaf[i].rows.begin != next)) i++;
    PetscCheck(i < graph->n, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "No leaf of the graph has row %" PetscInt_FMT ", but one has rows up to %" PetscInt_FMT ": each row must be in one leaf", next, last);
    next = graph->leaf[i].rows.end;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckRows(const AutoCSRGraph *graph)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < graph->n; i++) {
    for (PetscInt j = i + 1; j < graph->n; j++) PetscCall(CheckPair(i + 1, &graph->leaf[i].rows, j + 1, &graph->leaf[j].rows));
  }
  PetscCheck(!graph->leaf[0].rows.nearness || graph->leaf[0].rows.nearness != graph->leaf[graph->n - 1].rows.nearness, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "The graph has no leaf with %s: entries near the diagonal and those far from it are both to be multiplied", graph->leaf[0].rows.nearness == AUTOCSR_NEARNESS_NEAR ? "col_far" : "col_near");
  for (int nearness = 0; nearness <= AUTOCSR_NEARNESS_FAR; nearness++) PetscCall(CheckRanges(graph, (AutoCSRNearness)nearness));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGraphParse(const char text[], AutoCSRGraph *graph)
{
  Reader r = {text, 0};

  PetscFunctionBegin;
  graph->n = 0;
  do {
    PetscCheck(graph->n < AUTOCSR_MAX_LEAVES, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "The graph has more than %d leaves", AUTOCSR_MAX_LEAVES);
    PetscCall(TakeLeaf(&r, graph->n + 1, &graph->leaf[graph->n]));
    graph->n++;
  } while (Take(&r, ';'));
  PetscCall(CheckRows(graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}
