/* What a product with a dense matrix takes (plan/dense.h), and which of two ways it goes */
#include "select.h"
#include "../backend.h"

#define PANEL           32    /* columns that go side by side; A is read again for each of them, */
#define UNIT            8     /* and fewer than so many take as long as these */
#define AT_ONCE         0.9   /* of the sum of what goes on at once, on a device, */
#define AT_ONCE_AS_LIES 0.67  /* where no panel is copied, */
#define CACHED          0.6   /* and on a processor, where the last cache has some of it */
#define ROW             5e-11 /* seconds a row and panel, on a device */
#define OF_PATTERNS     0.75  /* of the rows, from where on most of those that follow each other have columns that do */

/* B is read, and on a device, where no panel stays in a cache, copied and read again; on a processor C is read before it is written. Rows of the panel come from the cache beside the first */
static double CostOfPanels(const AutoCSRMachine *machine, const AutoCSRMatrix *csr, PetscInt columns)
{
  const double made = PetscMax(columns, UNIT), panels = ceil(made / PANEL), scalar = sizeof(PetscScalar) * made;
  const double bytes = AutoCSRMatrixBytes(csr) * panels + scalar * (machine->parallel ? 3.0 * csr->n + csr->m : csr->n + 2.0 * csr->m);
  const double work  = scalar * csr->nnz * (1 + UNIT / PetscMin(made, PANEL));

  return machine->product + (machine->parallel ? AT_ONCE : CACHED) * (bytes / machine->bandwidth[3] + work / machine->bandwidth[1]) + (machine->parallel ? ROW * csr->m * panels : 0);
}

/* A block of rows has its lines of a column from L2 once, an entry finds them beside it */
static double CostAsItLies(const AutoCSRMachine *machine, const AutoCSRMatrix *csr, const AutoCSRProfile *profile, PetscInt columns)
{
  const double scalar = sizeof(PetscScalar) * (double)columns, bytes = AutoCSRMatrixBytes(csr) * ceil((double)columns / PANEL) + scalar * ((double)csr->n + csr->m);
  double       lines = 0;

  for (PetscInt c = 0; c < profile->chunks; c++) lines += profile->chunk[c].gather_lines * profile->chunk[c].nnz;
  return machine->product + AT_ONCE_AS_LIES * (bytes / machine->bandwidth[3] + AUTOCSR_LINE * lines * columns / machine->bandwidth[1] + scalar * csr->nnz / machine->bandwidth[0]);
}

PetscErrorCode AutoCSRCostDense(const AutoCSRMatrix *csr, const AutoCSRProfile *profile, PetscInt columns, double *seconds, PetscBool *alongside)
{
  const AutoCSRMachine *machine;
  double                of_patterns = 0;

  PetscFunctionBegin;
  PetscCall(AutoCSRMachineGet(csr->backend, &machine));
  for (PetscInt c = 0; profile && c < profile->chunks; c++) of_patterns += profile->chunk[c].pattern_rows;
  *alongside = (PetscBool)(machine->parallel && profile && of_patterns >= OF_PATTERNS * csr->m);
  *seconds   = *alongside ? CostAsItLies(machine, csr, profile, columns) : CostOfPanels(machine, csr, columns);
  PetscFunctionReturn(PETSC_SUCCESS);
}
