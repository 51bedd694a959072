/* The stretches of a segment (layout/stretches.h) to constants of its kernel's source */
#include "generator.h"
#include "../../layout/sliced.h"
#include "../../layout/stretches.h"
#include "../../backend.h"

#define MOST_PIECES (2 * AUTOCSR_MAX_STRETCHES) /* whole slices of each stretch, and a slice of several between two of them */

/* The slots of the slices from the first-th on begin at `begin`, each slice has `width` for each row */
typedef struct {
  PetscInt first, begin, width;
} Piece;

/* SLICE_PTR as a function of the stretches */
static PetscInt PiecesOf(const AutoCSRSegment *seg, PetscInt n, const AutoCSRStretch stretch[], Piece piece[])
{
  const PetscInt h = seg->axes.slice_height;
  PetscInt       pieces = 0, begin = 0, i = 0, next;

  for (PetscInt s = 0; s < seg->n_slices; s = next) {
    PetscInt longest = 0, width;

    while (i + 1 < n && stretch[i + 1].first <= s * h) i++; /* the stretch of the slice's first row */
    for (PetscInt k = i; k < n && (k == i || stretch[k].first < (s + 1) * h); k++) longest = PetscMax(longest, stretch[k].length);
    next  = i + 1 == n ? seg->n_slices : PetscMax(s + 1, stretch[i + 1].first / h);
    width = AutoCSREncodeWidth(&seg->axes, longest);
    if (!pieces || piece[pieces - 1].width != width) piece[pieces++] = (Piece){s, begin, width};
    begin += (next - s) * width * h;
  }
  return pieces;
}

static PetscErrorCode Append(char text[], PetscInt a, PetscInt b, PetscInt c)
{
  char more[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(more, sizeof(more), " F(%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ")", a, b, c));
  PetscCall(AutoCSRAppend(text, more, AUTOCSR_GENERATED_CONSTANTS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRGeneratorStretches(const AutoCSRSegment *seg, char text[AUTOCSR_GENERATED_CONSTANTS])
{
  const PetscInt n = AutoCSRSegmentStretches(seg);
  AutoCSRStretch stretch[AUTOCSR_MAX_STRETCHES];
  Piece          piece[MOST_PIECES];
  PetscInt       pieces = 0, begin = 0;

  PetscFunctionBegin;
  text[0] = 0;
  if (!n || AutoCSRGeneratorLength(seg)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*seg->backend->to_host)(stretch, seg->stream[AUTOCSR_STREAM_STRETCH].data, (size_t)n * sizeof(*stretch)));
  PetscCall(PetscSNPrintf(text, AUTOCSR_GENERATED_CONSTANTS, "#define AGENT_STRETCHES %" PetscInt_FMT "\n#define AGENT_EACH_STRETCH(F)", n));
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(Append(text, stretch[i].first, stretch[i].length, begin));
    if (i + 1 < n) begin += (stretch[i + 1].first - stretch[i].first) * stretch[i].length;
  }
  PetscCall(AutoCSRAppend(text, "\n#define AGENT_EACH_SLICES(F)", AUTOCSR_GENERATED_CONSTANTS));
  if (seg->axes.order == AUTOCSR_ORDER_SLICED) pieces = PiecesOf(seg, n, stretch, piece);
  for (PetscInt i = 0; i < pieces; i++) PetscCall(Append(text, piece[i].first, piece[i].begin, piece[i].width));
  PetscCall(AutoCSRAppend(text, "\n", AUTOCSR_GENERATED_CONSTANTS));
  PetscFunctionReturn(PETSC_SUCCESS);
}
