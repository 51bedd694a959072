/*
  The picture of a matrix on PETSc's draw viewer: windows of X, and images. Each colour has two strengths there.
*/
#include <petscdraw.h>
#include "picture.h"

/* Colours of cells with many and with few entries */
static const int AutoCSRDrawColors[AUTOCSR_PICTURE_KEYS][2] = {
    {PETSC_DRAW_BLUE, PETSC_DRAW_SKYBLUE},
    {PETSC_DRAW_RED, PETSC_DRAW_PINK},
    {PETSC_DRAW_FORESTGREEN, PETSC_DRAW_LIMEGREEN},
    {PETSC_DRAW_ORANGE, PETSC_DRAW_KHAKI},
    {PETSC_DRAW_MAGENTA, PETSC_DRAW_PLUM},
    {PETSC_DRAW_BROWN, PETSC_DRAW_SANDYBROWN},
    {PETSC_DRAW_CADETBLUE, PETSC_DRAW_POWDERBLUE},
    {PETSC_DRAW_CYAN, PETSC_DRAW_AQUAMARINE},
    {PETSC_DRAW_DEEPPINK, PETSC_DRAW_LIGHTPINK},
    {PETSC_DRAW_GOLD, PETSC_DRAW_YELLOW},
    {PETSC_DRAW_VIOLET, PETSC_DRAW_THISTLE},
    {PETSC_DRAW_DIMGRAY, PETSC_DRAW_GRAY}};

/* Cells with one colour in a row make one rectangle */
static PetscErrorCode AutoCSRDrawCells(PetscDraw draw, const AutoCSRPicture *p, PetscReal left, PetscReal top, PetscReal side)
{
  PetscFunctionBegin;
  for (PetscInt y = 0; y < p->rows; y++) {
    const unsigned char *level = p->level + y * p->cols, *of = p->of + y * p->cols;

    for (PetscInt x = 0, end; x < p->cols; x = end) {
      const int weak  = level[x] <= AUTOCSR_PICTURE_LEVELS / 2;
      const int color = AutoCSRDrawColors[of[x]][weak];

      for (end = x + 1; end < p->cols && !level[end] == !level[x] && of[end] == of[x] && (level[end] <= AUTOCSR_PICTURE_LEVELS / 2) == weak;) end++;
      if (level[x]) PetscCall(PetscDrawRectangle(draw, left + side * x, top - side * (y + 1), left + side * end, top - side * y, color, color, color, color));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called by the process that has the picture alone, and again when the user zooms */
static PetscErrorCode AutoCSRDrawZoom(PetscDraw draw, void *ptr)
{
  const AutoCSRPicture *p = (const AutoCSRPicture *)ptr;
  PetscReal             width, height, line, legend, side, left = 0.02, top = 0.98;

  PetscFunctionBegin;
  if (!p->level) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDrawStringGetSize(draw, &width, &height));
  line   = 1.4 * height;
  legend = PetscMin(0.5, line * (p->n_keys + 1.5));
  line   = legend / (p->n_keys + 1.5);
  side   = PetscMin(0.96 / p->cols, (top - legend) / p->rows);
  PetscCall(AutoCSRDrawCells(draw, p, left, top, side));
  for (int k = 0; k < 4; k++) {
    const PetscReal right = left + side * p->cols, bottom = top - side * p->rows, x[] = {left, right, right, left, left}, y[] = {top, top, bottom, bottom, top};

    PetscCall(PetscDrawLine(draw, x[k], y[k], x[k + 1], y[k + 1], PETSC_DRAW_BLACK));
  }
  for (PetscInt k = 0; k <= p->n_keys; k++) {
    const PetscReal y = legend - line * (k + 1);
    char            text[256];

    if (k) {
      const AutoCSRPictureKey *key = &p->key[k - 1];
      const int                c   = AutoCSRDrawColors[k - 1][0];

      PetscCall(PetscDrawRectangle(draw, left, y, left + width, y + 0.8 * height, c, c, c, c));
      PetscCall(PetscSNPrintf(text, sizeof(text), "%s: %.3g%%", key->label, 100 * key->nnz / p->nnz));
      PetscCall(PetscDrawString(draw, left + 2 * width, y, PETSC_DRAW_BLACK, text));
    } else {
      PetscCall(PetscSNPrintf(text, sizeof(text), "%.0f by %.0f, %.0f nonzeros", p->m, p->n, p->nnz));
      PetscCall(PetscDrawString(draw, left, y, PETSC_DRAW_BLACK, text));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRPictureViewDraw(Mat A, const AutoCSRPicture *p, PetscViewer viewer)
{
  PetscDraw draw;
  PetscBool isnull;

  PetscFunctionBegin;
  PetscCall(PetscViewerDrawGetDraw(viewer, 0, &draw));
  PetscCall(PetscDrawIsNull(draw, &isnull));
  if (isnull) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDrawSetCoordinates(draw, 0, 0, 1, 1));
  PetscCall(PetscDrawZoom(draw, AutoCSRDrawZoom, (void *)p));
  PetscCall(PetscDrawSave(draw));
  PetscFunctionReturn(PETSC_SUCCESS);
}
