/* The surrogate (level 3 of du2022-alphasparse, VI): what the cost model gets wrong of this matrix, learned from the candidates that were run */
#include "search.h"

#define F     AUTOCSR_SEARCH_FEATURES
#define RIDGE 1.0 /* keeps weights small while few candidates were run */

void AutoCSRSearchLearn(AutoCSRSearch *s)
{
  double a[F][F] = {{0}}, b[F] = {0};

  if (s->without & AUTOCSR_SEARCH_SURROGATE) return;
  for (PetscInt i = 0; i < s->n; i++) {
    const AutoCSRTried *t = &s->tried[i];
    double              y;

    if (!(t->measured > 0) || !(t->measured < PETSC_MAX_REAL)) continue;
    y = log(t->measured / t->predicted);
    for (int j = 0; j < F; j++) {
      b[j] += t->feature[j] * y;
      for (int k = 0; k < F; k++) a[j][k] += t->feature[j] * t->feature[k];
    }
  }
  for (int j = 0; j < F; j++) a[j][j] += RIDGE;
  for (int j = 0; j < F; j++) { /* Cholesky: a = l l' */
    for (int k = 0; k <= j; k++) {
      double sum = a[j][k];

      for (int i = 0; i < k; i++) sum -= a[j][i] * a[k][i];
      a[j][k] = j == k ? sqrt(sum) : sum / a[k][k];
    }
  }
  for (int j = 0; j < F; j++) {
    for (int k = 0; k < j; k++) b[j] -= a[j][k] * b[k];
    b[j] /= a[j][j];
  }
  for (int j = F - 1; j >= 0; j--) {
    for (int k = j + 1; k < F; k++) b[j] -= a[k][j] * b[k];
    b[j] /= a[j][j];
  }
  for (int j = 0; j < F; j++) s->weight[j] = b[j];
  s->learned = PETSC_TRUE;
}

double AutoCSRSearchExpect(const AutoCSRSearch *s, const AutoCSRTried *t)
{
  double sum = 0;

  for (int j = 0; j < F && s->learned; j++) sum += s->weight[j] * t->feature[j];
  return t->predicted * exp(PetscMax(-1, PetscMin(1, sum)));
}
