static char help[] = "Progressive planning: its costs against those of the best decisions in hindsight; and matrices that go through all of its steps.\n\n";

#include "../../src/mat/impls/autocsr/choose/choose.h"
#include <petscautocsr.h>
#include "../generate.h"

#define MOST 200000 /* products */

/* ---- The rule: costs of all kinds, in arbitrary units */

typedef struct {
  double first, better, look, build; /* a product by the first plan and by the chosen one, and the steps */
  double unseen;                     /* what one by the first plan is thought to take before the look */
} Costs;

/* What a step of planning costs that is made before the next product, if one is */
static double Steps(const Costs *c, AutoCSRProgress *p)
{
  double cost = 0;

  while (AutoCSRProgressIsDue(p)) {
    if (p->stage == AUTOCSR_STAGE_FIRST) {
      cost += c->look;
      AutoCSRProgressChosen(p, c->first, c->better, c->build);
    } else {
      cost += c->build;
      p->stage = AUTOCSR_STAGE_FINAL;
    }
  }
  return cost;
}

/* Three binary digits and zeros */
static PetscBool IsRound(PetscInt n)
{
  while (n >= 8 && n % 2 == 0) n /= 2;
  return (PetscBool)(n < 8);
}

/*
  After each number of products: at most twice what the best decision in hindsight costs, and one product more; what was not known before the look counts by the look. In step
  with others a quarter of what products had cost by then may come on top
*/
static PetscErrorCode CheckCosts(const Costs *c, PetscBool in_step, PetscInt n, PetscBool *built)
{
  const double    more = c->first + PetscAbsReal(c->first / c->unseen - 1) * c->look;
  AutoCSRProgress p;
  double          cost = 0;

  PetscFunctionBeginUser;
  AutoCSRProgressBegin(&p, in_step, c->unseen, c->look);
  for (PetscInt k = 1; k <= n; k++) {
    const double best = PetscMin(k * c->first, c->look + c->build + k * c->better);

    const AutoCSRPlanStage before    = p.stage;
    const PetscInt         remaining = AutoCSRProgressRemaining(&p);

    cost += Steps(c, &p);
    PetscCheck(before == p.stage || remaining == 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " products were to come before the step that is made", remaining);
    AutoCSRProgressCount(&p);
    cost += p.stage == AUTOCSR_STAGE_FINAL ? c->better : c->first;
    PetscCheck(!in_step || before == p.stage || IsRound(k - 1), PETSC_COMM_SELF, PETSC_ERR_PLIB, "In step, and yet after %" PetscInt_FMT " products", k - 1);
    PetscCheck(cost <= (in_step ? 1.25 : 1) * (2 * best + more) * (1 + 1e-9), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Look %g, build %g, products of %g (%g before the look) and %g: %" PetscInt_FMT " of them cost %g, in hindsight %g", c->look, c->build, c->first, c->unseen, c->better, k, cost, best);
  }
  *built = (PetscBool)(p.stage == AUTOCSR_STAGE_FINAL);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Values that change before the chosen plan is built: looks take no more than products did */
static PetscErrorCode CheckReturns(const Costs *c, PetscInt n, PetscInt every)
{
  AutoCSRProgress p;
  double          steps = 0;

  PetscFunctionBeginUser;
  AutoCSRProgressBegin(&p, (PetscBool)(every % 2), c->unseen, c->look);
  for (PetscInt k = 1; k <= n && p.stage != AUTOCSR_STAGE_FINAL; k++) {
    steps += Steps(c, &p);
    if (k % every == 0 && p.stage == AUTOCSR_STAGE_CHOSEN) AutoCSRProgressReturn(&p);
    AutoCSRProgressCount(&p);
    PetscCheck(steps <= k * c->first * (1 + 1e-9), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Look %g, build %g, products of %g: after %" PetscInt_FMT " of them steps took %g", c->look, c->build, c->first, k, steps);
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

#define LIVES 24

/*
  Structures that live one after the other, of so many products each. Whether the advice of the lives before is right or wrong is bounded after every product: right, steps take a quarter
  of what products took at most; wrong, 1 + AUTOCSR_PATIENCE times the best in hindsight. Without advice the bound is that of one life
*/
static PetscErrorCode CheckLives(const Costs *c, const PetscInt lengths[LIVES], PetscBool advised, double *total)
{
  const double saved = c->first - c->better, pays = saved > 0 ? (c->look + c->build) * c->first / saved : PETSC_MAX_REAL;
  AutoCSRLives lives   = {0, 0};
  PetscInt     in_vain = 0;
  double       cost, best;

  PetscFunctionBeginUser;
  *total = 0;
  for (PetscInt l = 0; l < LIVES; l++) {
    const PetscBool patient = (PetscBool)(advised && in_vain >= AUTOCSR_IN_VAIN);
    const double    wrong = patient ? 1 + AUTOCSR_PATIENCE : 2, lived = lengths[l] * c->first;
    AutoCSRProgress p;

    AutoCSRProgressBegin(&p, PETSC_FALSE, c->first, c->look);
    if (advised) AutoCSRProgressExpect(&p, &lives);
    PetscCheck(p.patient == patient, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Life %" PetscInt_FMT ": %s advice after %" PetscInt_FMT " lives in vain", l, p.patient ? "" : "no", in_vain);
    cost = 0;
    for (PetscInt k = 1; k <= lengths[l]; k++) {
      cost += Steps(c, &p);
      AutoCSRProgressCount(&p);
      cost += p.stage == AUTOCSR_STAGE_FINAL ? c->better : c->first;
      best = PetscMin(k * c->first, c->look + c->build + k * c->better);
      PetscCheck(cost <= (wrong * best + c->first) * (1 + 1e-9), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Look %g, build %g, better %g: %" PetscInt_FMT " products of life %" PetscInt_FMT " cost %g, in hindsight %g", c->look, c->build, c->better, k, l, cost, best);
      PetscCheck(!patient || cost <= (1 + 1. / AUTOCSR_PATIENCE) * k * c->first * (1 + 1e-9), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Look %g, build %g, better %g: %" PetscInt_FMT " products of life %" PetscInt_FMT " cost %g against advice", c->look, c->build, c->better, k, l, cost);
    }
    *total += cost;
    AutoCSRLivesRecord(&lives, &p, lengths[l]);
    if (lived - c->first >= c->look) in_vain = lived < pays ? in_vain + 1 : 0;
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Lives all of one length, and short ones with a long one among them */
static PetscErrorCode CheckAdvice(const Costs *c, double *least, double *most)
{
  PetscInt lengths[LIVES];
  double   with, without;

  PetscFunctionBeginUser;
  for (PetscInt n = 1; n < 3000; n = 5 * n / 4 + 1) {
    for (PetscInt l = 0; l < LIVES; l++) lengths[l] = n;
    PetscCall(CheckLives(c, lengths, PETSC_TRUE, &with));
    PetscCall(CheckLives(c, lengths, PETSC_FALSE, &without));
    *least = PetscMin(*least, with / without);
    *most  = PetscMax(*most, with / without);
    for (PetscInt l = 3; l < LIVES; l += 4) lengths[l] = 3000;
    PetscCall(CheckLives(c, lengths, PETSC_TRUE, &with));
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckRule(void)
{
  const double look[] = {0.1, 1, 7.3, 40, 300}, build[] = {0, 0.5, 3, 25, 1000}, better[] = {0.01, 0.3, 0.9, 1}, unseen[] = {0.3, 0.8, 1, 1.7};
  PetscInt     count = 0;
  double       least = 1, most = 1;

  PetscFunctionBeginUser;
  for (size_t l = 0; l < PETSC_STATIC_ARRAY_LENGTH(look); l++) {
    for (size_t b = 0; b < PETSC_STATIC_ARRAY_LENGTH(build); b++) {
      for (size_t g = 0; g < PETSC_STATIC_ARRAY_LENGTH(better); g++) {
        Costs c = {1, better[g], look[l], build[b], 1};

        PetscCall(CheckAdvice(&c, &least, &most));
        for (PetscInt every = 1; every < 100; every = 3 * every + 1) PetscCall(CheckReturns(&c, 5000, every));
        for (size_t u = 0; u < PETSC_STATIC_ARRAY_LENGTH(unseen); u++) {
          PetscBool built;

          c.unseen = unseen[u];
          for (int in_step = 0; in_step < 2; in_step++) {
            PetscCall(CheckCosts(&c, (PetscBool)in_step, 5000, &built));
            PetscCheck(built, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Look %g, build %g: not built by 5000 products of 1", c.look, c.build);
          }
        }
        count++;
      }
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " cases: at most twice the best in hindsight, in step 2.5 times\n", count));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " cases: lives that are alike cost %.2f to %.2f of what they cost without advice\n", count, least, most));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* ---- Matrices */

typedef struct {
  PetscInt settled, plans, products;
} Counts; /* over all ranks; settled: all of them */

static PetscErrorCode CountsGet(Mat A, Counts *c)
{
  MatAutoCSRInfo info;
  PetscInt       sum[3];

  PetscFunctionBeginUser;
  PetscCall(MatAutoCSRGetInfo(A, &info));
  sum[0] = info.settled ? 0 : 1;
  sum[1] = info.plans;
  sum[2] = info.products;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  *c = (Counts){!sum[0], sum[1], sum[2]};
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckBits(Mat A, Mat B, const Reference *r, const char what[], const char name[])
{
  PetscBool same;

  PetscFunctionBeginUser;
  PetscCall(MatMult(A, r->x[RIGHT], r->y[LEFT]));
  PetscCall(MatMult(B, r->x[RIGHT], r->ref[LEFT]));
  PetscCall(VecEqual(r->y[LEFT], r->ref[LEFT], &same));
  PetscCheck(same, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: other bits %s", name, what);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Product by product until all plans are final: two matrices alike have the same bits, and change them in the same product, if at all */
static PetscErrorCode Settle(const Generator *g, Mat B[2], const Reference *r, PetscInt most, Counts *c)
{
  PetscFunctionBeginUser;
  PetscCall(CountsGet(B[0], c));
  for (PetscInt k = 0; k < most && !(k && c->settled); k++) {
    Counts other;

    PetscCall(CheckBits(B[0], B[1], r, "from a matrix that was made alike", g->name));
    if (k > 64 && k % 32) continue;
    PetscCall(CountsGet(B[0], c));
    PetscCall(CountsGet(B[1], &other));
    PetscCheck(c->plans == other.plans && c->settled == other.settled, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: after %" PetscInt_FMT " products %" PetscInt_FMT " plans, and %" PetscInt_FMT " of a matrix that was made alike", g->name, k, c->plans, other.plans);
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode CheckMatrix(const Generator *g, PetscInt others, PetscInt *steps)
{
  Mat            A, B[2], F;
  Reference      r;
  Counts         c, begun, forced;
  MatAutoCSRInfo info, at_once;
  PetscBool      same;

  PetscFunctionBeginUser;
  PetscCall(MatrixCreate(g, MATAIJ, &A));
  PetscCall(ReferenceCreate(A, &r));
  for (int k = 0; k < 2; k++) { /* the runner of the tests has it off: most compare the bits of products */
    PetscCall(MatrixCreate(g, MATAUTOCSR, &B[k]));
    PetscCall(MatAutoCSRSetProgressive(B[k], PETSC_TRUE));
    PetscCall(MatAutoCSRSetMaxBins(B[k], 30 + others)); /* no plan of another matrix serves */
  }
  PetscCall(MatrixCreate(g, MATAUTOCSR, &F));
  PetscCall(MatAutoCSRSetMaxBins(F, 30 + others));
  PetscCall(MatAutoCSRSetProgressive(F, PETSC_FALSE));
  PetscCall(CompareProduct(&r, &products[0], 1, &F, g->name));
  PetscCall(CountsGet(F, &forced));
  PetscCheck(forced.settled, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: not settled though not progressive", g->name);

  for (int k = 0; k < 2; k++) PetscCall(CompareProduct(&r, &products[0], 1, &B[k], g->name));
  PetscCall(CountsGet(B[0], &begun));
  PetscCheck(begun.plans == forced.plans, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " plans after the first product, at once %" PetscInt_FMT, g->name, begun.plans, forced.plans);
  /* New values and a new structure on the way */
  for (int k = 0; k < 2; k++) PetscCall(MatScale(B[k], 2));
  PetscCall(MatScale(r.A, 2));
  PetscCall(MatScale(F, 2));
  PetscCall(ReferenceUpdate(&r));
  for (int k = 0; k < 2; k++) PetscCall(CompareProduct(&r, &products[0], 1, &B[k], g->name));
  PetscCall(Settle(g, B, &r, MOST, &c));
  PetscCheck(c.settled, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: not settled by %d products", g->name, MOST);
  PetscCheck(c.plans <= 2 * forced.plans, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: %" PetscInt_FMT " plans until settled", g->name, c.plans);
  *steps += c.plans - forced.plans;
  PetscCall(CheckBits(B[0], F, &r, "than with the plan made at once", g->name));
  PetscCall(MatAutoCSRGetInfo(B[0], &info));
  PetscCall(MatAutoCSRGetInfo(F, &at_once));
  PetscCall(PetscStrcmp(info.executor, at_once.executor, &same));
  PetscCheck(same && info.segments == at_once.segments, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: settled with %s, at once %s", g->name, info.executor, at_once.executor);
  PetscCall(CompareProducts(&r, 1, &B[0], g->name));

  /* Settings of the matrix drop the plan: it begins anew. A view before the first product makes all of it */
  PetscCall(MatAutoCSRSetMaxBins(B[0], 70 + others));
  PetscCall(MatMult(B[0], r.x[RIGHT], r.y[LEFT]));
  PetscCall(CountsGet(B[0], &c));
  PetscCheck(!c.settled || !forced.plans, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: settled by one product", g->name);
  PetscCall(MatAutoCSRSetMaxBins(B[1], 70 + others));
  PetscCall(MatAutoCSRSetExchange(B[1], MAT_AUTOCSR_EXCHANGE_SCATTER)); /* another waits for products, whatever is viewed */
  PetscCall(MatAutoCSRView(B[1], PETSC_VIEWER_STDOUT_WORLD));
  PetscCall(CountsGet(B[1], &c));
  PetscCheck(c.settled, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "%s: not settled by a view", g->name);

  for (int k = 0; k < 2; k++) PetscCall(MatDestroy(&B[k]));
  PetscCall(MatDestroy(&F));
  PetscCall(ReferenceDestroy(&r));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* Hardly a row has an entry, as in a block off the diagonal: the first plan goes through all rows, and must soon have paid for a look at them */
static PetscErrorCode CheckFewRows(void)
{
  const PetscInt rows = 200000, soon = 50;
  MatAutoCSRInfo info;
  PetscInt       k = 0;
  Mat            A;
  Vec            x, y;

  PetscFunctionBeginUser;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, 100, 1, NULL, &A));
  for (PetscInt i = 0; i < 100; i++) PetscCall(MatSetValue(A, i, i, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatConvert(A, MATAUTOCSR, MAT_INPLACE_MATRIX, &A));
  PetscCall(MatBindToCPU(A, PETSC_TRUE));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  do {
    PetscCall(MatMult(A, x, y));
    PetscCall(MatAutoCSRGetInfo(A, &info));
  } while (!info.settled && ++k < soon);
  PetscCheck(info.settled, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Not settled by %" PetscInt_FMT " products", soon);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt steps = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(MatAutoCSRRegisterAll());
  PetscCall(CheckRule());
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(generators); i++) PetscCall(CheckMatrix(&generators[i], (PetscInt)i, &steps));
  PetscCheck(steps > 10, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "Only %" PetscInt_FMT " plans gave way to a better one", steps);
  PetscCall(CheckFewRows());
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "The products agree\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    filter: grep -E "^[0-9]+ cases|products agree|rror"
    output_file: output/progress_1.out

    test:
      suffix: 1
      nsize: {{1 2}}

    test:
      suffix: cuda
      requires: cuda
      nsize: {{1 2}}
      args: -vec_type cuda

TEST*/
