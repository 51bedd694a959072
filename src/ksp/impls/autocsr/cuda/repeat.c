/*
  Steps of a small problem take the host longer to launch than the device to run. So some of them, one after the other, are recorded once
  and then repeated by one launch, in this solve and in later ones. Nothing of a pass depends on which step it belongs to: what it tells is
  numbered on the device, where the test's tolerances are, too. A record is kept as long as its key stays, which has all that it reads of the
  host: arrays, sizes, kernels, and what multiplies.
*/
#include "steps.h"

#define STEPS  4  /* of a record: so many run in vain where a solve ends with the first of them */
#define BEFORE 12 /* steps of one key that are queued one by one first: a record takes about as long to make */

static PetscErrorCode GetKey(const AutoCSRSolve *s, PetscErrorCode (*step)(AutoCSRSolve *), AutoCSRRepeatKey *key)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(key, sizeof(*key))); /* they are compared as bytes */
  PetscCall(PetscMemcpy(&key->pass, &s->device->pass, sizeof(key->pass)));
  key->pass.conjugate   = s->conjugate;
  key->pass.norm        = s->test.norm;
  key->pass.ring        = NULL;
  key->pass.sums_number = 0;
  key->partial          = s->device->partial;
  key->step             = step;
  key->left             = s->left;
  key->joins            = s->joins;
  PetscCall((*s->steps->product)(s, &key->product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Begins anew if something is other than it was */
static PetscErrorCode SetKey(AutoCSRSolve *s, const AutoCSRRepeatKey *key)
{
  AutoCSRRepeat *r = &s->device->repeat;
  PetscBool      same;

  PetscFunctionBegin;
  PetscCall(PetscMemcmp(key, &r->key, sizeof(*key), &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(AutoCSRRecordDestroy(&r->record));
  PetscCall(PetscMemcpy(&r->key, key, sizeof(*key)));
  r->steps = 0;
  if (!key->product.number) PetscCall(PetscInfo(s->mat, "Steps are launched one by one: the product takes more than kernels of a final plan\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The steps are counted as queued, but run only with the first repeat. A product may put another plan in the place of the one that was recorded: the record is then given up */
static PetscErrorCode Record(AutoCSRSolve *s, PetscErrorCode (*step)(AutoCSRSolve *))
{
  AutoCSRRepeat   *r = &s->device->repeat;
  const PetscInt64 queued   = s->device->queued;
  const PetscInt   products = s->device->products;
  AutoCSRRepeatKey after;
  PetscLogDouble   flops;
  PetscBool        begun, same;
  const char      *why;
  PetscErrorCode   ierr     = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(PetscGetFlops(&flops));
  PetscCall(AutoCSRRecordBegin(&begun, &why));
  if (begun) {
    for (int k = 0; k < STEPS && !ierr; k++) ierr = (*step)(s);
    PetscCall(AutoCSRRecordEnd(&r->record, &why));
    PetscCall(ierr);
    r->told     = s->device->queued - queued;
    r->products = s->device->products - products;
    PetscCall(PetscGetFlops(&r->flops));
    r->flops -= flops;
  }
  r->refused = (PetscBool)!r->record;
  if (r->refused) PetscCall(PetscInfo(s->mat, "Steps are launched one by one: they cannot be recorded: %s\n", why));
  PetscCall(GetKey(s, step, &after));
  PetscCall(PetscMemcmp(&after, &r->key, sizeof(after), &same));
  if (!same) PetscCall(SetKey(s, &after));
  if (r->record) {
    PetscCall(AutoCSRRecordRepeat(r->record));
    PetscCall(PetscInfo(s->mat, "Steps are repeated from now on, %d by one launch\n", STEPS));
  } else
    s->device->queued = queued;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Repeat(AutoCSRSolve *s)
{
  const AutoCSRRepeat *r = &s->device->repeat;
  PetscLogDouble       before, after;

  PetscFunctionBegin;
  PetscCall(AutoCSRRecordRepeat(r->record));
  s->device->queued += r->told;
  s->device->products += r->products;
  PetscCall(PetscGetFlops(&before));
  PetscCall((*s->steps->counted)(s, r->products));
  PetscCall(PetscGetFlops(&after));
  PetscCall(PetscLogGpuFlops(r->flops - (after - before)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nothing is queued where steps are not repeated */
PetscErrorCode AutoCSRRepeatSteps(AutoCSRSolve *s, PetscErrorCode (*step)(AutoCSRSolve *), PetscInt most, PetscInt *queued)
{
  AutoCSRRepeat   *r = &s->device->repeat;
  AutoCSRRepeatKey key;

  PetscFunctionBegin;
  if (!s->repeats || r->refused || s->size > 1 || s->given || s->n > AUTOCSR_FEW_ROWS || most < STEPS) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetKey(s, step, &key));
  PetscCall(SetKey(s, &key));
  if (r->record)
    PetscCall(Repeat(s));
  else if (key.product.number && r->steps >= BEFORE)
    PetscCall(Record(s, step));
  if (r->record)
    *queued += STEPS;
  else
    r->steps++;
  PetscFunctionReturn(PETSC_SUCCESS);
}
