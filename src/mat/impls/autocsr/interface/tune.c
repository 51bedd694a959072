/*
  MatAutoCSRTune(): measures the machine at once.
*/
#include "../seq/seqautocsr.h"

/*@
  MatAutoCSRTune - Measures this machine, by whose figures the plans of `MATAUTOCSR` are chosen, and keeps the figures in a file

  Not Collective

  Input Parameters:
+ file   - the file that is written or replaced; `NULL`: the one in which later runs look for them
- viewer - an ASCII viewer of one process, for lines of progress; `NULL`: none

  Level: intermediate

  Notes:
  It takes seconds of a quiet core, and says that figures are implausible on a machine that is very busy. Programs measure the machine by
  themselves, too, in slices that take a fiftieth of the time of their products; until then they plan by figures that are shipped.

  The program autocsr_tune calls it: `autocsr_tune` for this machine, `autocsr_tune -out file` for the processors of a cluster, whose programs take -mat_autocsr_machine file.
  Where the type multiplies on a device that is measured, too; its figures are beside, with `.cuda` after the name.

  The figures that this process has loaded stay as they are.

.seealso: `MATAUTOCSR`, `MatAutoCSRSetRigor()`
@*/
PetscErrorCode MatAutoCSRTune(const char file[], PetscViewer viewer)
{
  const AutoCSRParent *parent;

  PetscFunctionBegin;
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(AutoCSRMeasureNow(&AutoCSRBackendHost, file, viewer));
  PetscCall(MatSeqAutoCSRGetParent(&parent));
#if defined(AUTOCSR_HAVE_CUDA)
  if (parent->device) PetscCall(AutoCSRMeasureNow(&AutoCSRBackendCUDA, file, viewer));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
