static char help[] = "The picture of an autocsr matrix: each cell has the entries that it should, in the colour of a segment.\n\
  -view : a view of one matrix by -autocsr_view; else the raster is compared with one that is made of MatGetRow()\n\
  -rows, -cols : of that matrix\n\n";

#include "../../src/mat/impls/autocsr/report/picture.h"

typedef enum {
  NOTHING,
  STENCIL,
  UNEVEN, /* a few full rows among short ones */
  KINDS
} Kind;
static const char *const kinds[] = {"nothing", "stencil", "uneven"};

static PetscInt Row(Kind kind, PetscInt m, PetscInt n, PetscInt i, PetscInt col[])
{
  PetscInt k = 0;

  if (kind == NOTHING) return 0;
  if (kind == UNEVEN && i % (m / 4 + 1) == m / 8) {
    for (; k < n; k++) col[k] = k;
    return k;
  }
  for (PetscInt d = -7; d <= 7; d += kind == UNEVEN ? 14 : 7) {
    const PetscInt j = i * n / m + d;

    if (j >= 0 && j < n && (!k || col[k - 1] != j)) col[k++] = j;
  }
  return k;
}

static PetscErrorCode Create(Kind kind, PetscInt m, PetscInt n, const char strategy[], Mat *A)
{
  PetscInt     begin, end, *col;
  PetscScalar *val;

  PetscFunctionBeginUser;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, m, n));
  PetscCall(MatSetType(*A, MATAUTOCSR));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatAutoCSRSetStrategy(*A, strategy));
  PetscCall(MatSeqAIJSetPreallocation(*A, 4, NULL));
  PetscCall(MatMPIAIJSetPreallocation(*A, 4, NULL, 4, NULL));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  PetscCall(PetscMalloc2(n, &col, n, &val));
  for (PetscInt j = 0; j < n; j++) val[j] = 1. + j % 3;
  for (PetscInt i = begin; i < end; i++) PetscCall(MatSetValues(*A, 1, &i, Row(kind, m, n, i, col), col, val, INSERT_VALUES));
  PetscCall(PetscFree2(col, val));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Against plain loops: exactly, or within a fifth of all where rows or entries are sampled */
static PetscErrorCode Check(Mat A, Kind kind, PetscInt m, PetscInt n, PetscInt cells, PetscBool exact, const char what[])
{
  AutoCSRPicture p;
  PetscMPIInt    rank;
  PetscViewer    null;
  double        *want, nnz = 0, off = 0, shown[AUTOCSR_PICTURE_KEYS] = {0};
  PetscInt      *col;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "/dev/null", &null));
  PetscCall(MatAutoCSRView(A, null)); /* makes the plan */
  PetscCall(PetscViewerDestroy(&null));
  PetscCall(AutoCSRPictureCreate(A, cells, &p));
  PetscCall(PetscCalloc2(p.rows * p.cols, &want, n, &col));
  for (PetscInt i = 0; i < m; i++) {
    const PetscInt k = Row(kind, m, n, i, col);

    for (PetscInt e = 0; e < k; e++) want[PetscMin(i * p.rows / m, p.rows - 1) * p.cols + PetscMin(col[e] * p.cols / n, p.cols - 1)]++;
    nnz += k;
  }
  if (p.nnz != nnz || p.rows < 1 || p.cols < 1 || p.rows > PetscMax(m, 1) || p.cols > PetscMax(n, 1) || PetscMax(p.rows, p.cols) > cells || !nnz != !p.n_keys) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %" PetscInt_FMT " by %" PetscInt_FMT " cells, %g nonzeros for %g\n", what, p.rows, p.cols, p.nnz, nnz));
  for (PetscInt k = 0; !rank && k < p.rows * p.cols; k++) {
    off += PetscAbsReal(p.entries[k] - want[k]);
    if (!p.level[k] != !(p.entries[k] > 0) || p.level[k] > AUTOCSR_PICTURE_LEVELS || (p.level[k] && p.of[k] >= p.n_keys)) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: cell %" PetscInt_FMT " has %g entries, strength %d, key %d\n", what, k, (double)p.entries[k], p.level[k], p.of[k]));
    if (p.level[k]) shown[p.of[k]]++;
  }
  if (!rank && off > (exact ? 0 : 0.2 * nnz)) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: cells differ by %g of %g entries\n", what, off, nnz));
  for (PetscInt k = 0; !rank && k < p.n_keys; k++) {
    if (p.key[k].nnz > 0 && !(shown[k] > 0)) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: nothing has the colour of %s\n", what, p.key[k].label));
  }
  if (!rank && kind == UNEVEN && n >= 270 && p.n_keys < 2) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: one colour\n", what));
  PetscCall(PetscFree2(want, col));
  PetscCall(AutoCSRPictureDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const PetscInt sizes[][2] = {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {3, 200}, {200, 3}, {100, 100}, {300, 270}};
  PetscBool             view       = PETSC_FALSE;
  PetscInt              m = 300, n = 300;
  Mat                   A;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-view", &view, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-rows", &m, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-cols", &n, NULL));
  if (view) {
    PetscCall(PetscOptionsClearValue(NULL, "-nox")); /* which forbids images, too */
    PetscCall(Create(UNEVEN, m, n, "rowbins", &A));
    PetscCall(MatDestroy(&A));
    PetscCall(PetscFinalize());
    return 0;
  }
  for (Kind kind = NOTHING; kind < KINDS; kind++) {
    const char *const strategies[] = {"csr", "sell", "rowbins", "binned"};

    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(sizes); k++) {
      for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(strategies); s++) {
        char what[80];

        if (kind == UNEVEN && (s < 2 || sizes[k][0] < 100)) continue;
        PetscCall(Create(kind, sizes[k][0], sizes[k][1], strategies[s], &A));
        PetscCall(PetscSNPrintf(what, sizeof(what), "%s by %s, %" PetscInt_FMT " by %" PetscInt_FMT, kinds[kind], strategies[s], sizes[k][0], sizes[k][1]));
        PetscCall(Check(A, kind, sizes[k][0], sizes[k][1], 256, PETSC_TRUE, what));
        PetscCall(Check(A, kind, sizes[k][0], sizes[k][1], 40, (PetscBool)(kind != UNEVEN), what)); /* coarser: full rows are sampled */
        PetscCall(MatDestroy(&A));
      }
    }
  }
  PetscCall(Create(UNEVEN, 20000, 20000, "rowbins", &A));
  PetscCall(Check(A, UNEVEN, 20000, 20000, 48, PETSC_FALSE, "large, sampled"));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "done\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    nsize: {{1 2 3}}

  # title, colours of the pattern, descriptions in the legend
  test:
    suffix: svg
    requires: real double !cuda !defined(PETSC_USE_64BIT_INDICES)
    nsize: {{1 2}separate output}
    args: -view -autocsr_view :seen.svg
    filter: python3 -c "import re, xml.etree.ElementTree as E; t = E.parse('seen.svg').getroot(); s = '{http:' + '//www.w3.org/2000/svg}'; print(t.find(s + 'text').text); print(*sorted(set(p.get('stroke') for p in t.iter(s + 'path')))); print(*sorted(x.text.split(' (')[0] for x in t.iter(s + 'text') if 'rowbins, ' in x.text), sep='; ')"

  test:
    suffix: empty
    nsize: {{1 2}}
    args: -view -rows 0 -autocsr_view ascii:seen:ascii_svg
    filter: grep -c "no entries" seen

  test:
    suffix: json
    nsize: {{1 2}}
    args: -view -rows 64 -cols 500 -autocsr_view ::ascii_json
    filter: python3 -c "import json, sys; p = json.load(sys.stdin)['picture']; print(p['rows'], p['cols'], len(p['cells']), set(map(len, p['cells'])), sum(k['nnz'] for k in p['keys']), sum(c != '.' for r in p['cells'] for c in r) > 300)"

  # PETSc's image: at least three colours beside black and white
  test:
    suffix: image
    nsize: {{1 2}}
    args: -view -autocsr_view draw:image:seen
    filter: python3 -c "import os; d = open(next(os.path.join(a, f) for a, b, c in os.walk('.') for f in c if f.endswith('.ppm')), 'rb').read().split(b'\n', 3)[3]; print(len(set(d[i:i + 3] for i in range(0, len(d) - 2, 3))) >= 4)"

  test:
    suffix: bad_viewer
    args: -petsc_ci_portable_error_output -error_output_stdout -view -autocsr_view binary:seen
    filter: grep -oE "a viewer of type binary takes neither"

TEST*/
