/*
  The picture of a matrix as an SVG file: needs no window, scales, and follows the reader's light or dark theme.
*/
#include "picture.h"

#define PRINT(...) PetscCall(PetscViewerASCIIPrintf(viewer, __VA_ARGS__))

/* Told apart by colour-blind readers, on white and on black; the last is that of further segments */
static const char *const AutoCSRColors[AUTOCSR_PICTURE_KEYS] = {"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8833", "#7b68c8", "#a0522d", "#17a589", "#d16ba5", "#888888"};

#define SIDE   480 /* of the picture's longer side, in the units of the file */
#define LEGEND 400 /* width of the text beside it */
#define LINE   18

static PetscErrorCode AutoCSRSVGText(PetscViewer viewer, const char text[], size_t length)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < length; i++) {
    switch (text[i]) {
    case '&':
      PRINT("&amp;");
      break;
    case '<':
      PRINT("&lt;");
      break;
    case '>':
      PRINT("&gt;");
      break;
    default:
      PRINT("%c", (unsigned char)text[i] < ' ' ? ' ' : text[i]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines of at most 64 characters, broken at blanks; returns where the next one goes */
static PetscErrorCode AutoCSRSVGLines(PetscViewer viewer, PetscInt x, PetscInt *y, const char text[])
{
  PetscFunctionBegin;
  while (*text) {
    size_t n = strlen(text), end = n;

    if (n > 64) {
      for (end = 64; end > 20 && text[end] != ' ';) end--;
    }
    PRINT("<text class=\"why\" x=\"%" PetscInt_FMT "\" y=\"%" PetscInt_FMT "\">", x, *y);
    PetscCall(AutoCSRSVGText(viewer, text, end));
    PRINT("</text>\n");
    *y += LINE;
    text += end;
    while (*text == ' ') text++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A path for each colour and strength: horizontal strokes, as long as neighbouring cells are alike */
static PetscErrorCode AutoCSRSVGCells(PetscViewer viewer, const AutoCSRPicture *p)
{
  PetscFunctionBegin;
  for (PetscInt key = 0; key < p->n_keys; key++) {
    for (PetscInt level = 1; level <= AUTOCSR_PICTURE_LEVELS; level++) {
      PetscBool any = PETSC_FALSE;

      for (PetscInt k = 0; k < p->rows * p->cols; k++) {
        const PetscInt x   = k % p->cols;
        PetscInt       end = k;

        while (p->of[end] == key && p->level[end] == level && end - k + x < p->cols) {
          if (++end == p->rows * p->cols) break;
        }
        if (end == k) continue;
        if (!any) PRINT("<path stroke=\"%s\" opacity=\"%.2g\" d=\"", AutoCSRColors[key], 0.35 + 0.65 * level / AUTOCSR_PICTURE_LEVELS);
        PRINT("M%" PetscInt_FMT " %" PetscInt_FMT ".5h%" PetscInt_FMT, x, k / p->cols, end - k);
        any = PETSC_TRUE;
        k   = end - 1;
      }
      if (any) PRINT("\"/>\n");
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AutoCSRSVGLegend(PetscViewer viewer, const AutoCSRPicture *p, PetscInt x, PetscInt *y)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < p->n_keys; k++) {
    const AutoCSRPictureKey *key = &p->key[k];
    size_t                   length;

    PRINT("<rect x=\"%" PetscInt_FMT "\" y=\"%" PetscInt_FMT "\" width=\"13\" height=\"13\" fill=\"%s\"/>\n<text x=\"%" PetscInt_FMT "\" y=\"%" PetscInt_FMT "\">", x, *y - 11, AutoCSRColors[k], x + 20, *y);
    PetscCall(PetscStrlen(key->label, &length));
    PetscCall(AutoCSRSVGText(viewer, key->label, length));
    PRINT("</text>\n<text class=\"why\" x=\"%" PetscInt_FMT "\" y=\"%" PetscInt_FMT "\">", x + 20, *y + LINE);
    if (key->segments > 1) PRINT("%" PetscInt_FMT " segments, ", key->segments);
    PRINT("%.0f rows, %.3g%% of the nonzeros", key->rows, 100 * key->nnz / p->nnz);
    *y += 3 * LINE + 6;
    PRINT("</text>\n<text class=\"why\" x=\"%" PetscInt_FMT "\" y=\"%" PetscInt_FMT "\">%.3g bytes a nonzero", x + 20, *y - LINE - 6, key->bytes / key->nnz);
    if (key->seconds > 0) PRINT(", %.3g us %s", 1e6 * key->seconds, key->measured ? "measured" : "predicted");
    PRINT("</text>\n");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file's height follows what stands in it, so both columns are measured first */
static PetscInt AutoCSRSVGHeight(const AutoCSRPicture *p, const char why[], PetscInt picture)
{
  return PetscMax(60 + picture, 60 + p->n_keys * (3 * LINE + 6) + LINE * (2 + (PetscInt)strlen(why) / 44)) + 20;
}

PetscErrorCode AutoCSRPictureViewSVG(Mat A, const AutoCSRPicture *p, const char why[], PetscViewer viewer)
{
  const PetscReal side = SIDE / (PetscReal)PetscMax(p->rows, p->cols);
  const PetscInt  w = (PetscInt)PetscCeilReal(side * p->cols), h = (PetscInt)PetscCeilReal(side * p->rows), x = 20 + w + 30;
  PetscInt        y    = 62;
  const char     *name = ((PetscObject)A)->name;

  PetscFunctionBegin;
  if (!p->level) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_FALSE)); /* each piece of a line would begin with them */
  PRINT("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %" PetscInt_FMT " %" PetscInt_FMT "\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n", x + LEGEND, AutoCSRSVGHeight(p, why, h));
  PRINT("<style>text { fill: #1b1f24 } .paper { fill: #fff } .frame { fill: none; stroke: #8899aa } .title { font-size: 16px; font-weight: 600 } .why { opacity: 0.8; font-size: 12px }\n"
        "@media (prefers-color-scheme: dark) { text { fill: #e6e9ed } .paper { fill: #14181d } }</style>\n<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>\n<text class=\"title\" x=\"20\" y=\"28\">");
  if (name) {
    PetscCall(AutoCSRSVGText(viewer, name, strlen(name)));
    PRINT(": ");
  }
  PRINT("%s, %.0f by %.0f, %.0f nonzeros", ((PetscObject)A)->type_name, p->m, p->n, p->nnz);
  if (p->size > 1) PRINT(", %d processes", p->size);
  PRINT("</text>\n<svg x=\"20\" y=\"45\" width=\"%" PetscInt_FMT "\" height=\"%" PetscInt_FMT "\" viewBox=\"0 0 %" PetscInt_FMT " %" PetscInt_FMT "\" preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\">\n", w, h, p->cols, p->rows);
  PetscCall(AutoCSRSVGCells(viewer, p));
  PRINT("</svg>\n<rect x=\"20\" y=\"45\" width=\"%" PetscInt_FMT "\" height=\"%" PetscInt_FMT "\" class=\"frame\"/>\n", w, h);
  PetscCall(AutoCSRSVGLegend(viewer, p, x, &y));
  if (!p->n_keys) PRINT("<text x=\"%" PetscInt_FMT "\" y=\"%" PetscInt_FMT "\">no entries</text>\n", x, y);
  PetscCall(AutoCSRSVGLines(viewer, x, &y, why));
  PRINT("</svg>\n");
  PetscCall(PetscViewerASCIIUseTabs(viewer, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
