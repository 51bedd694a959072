/* The layouts: a new one is a file of its own and its name in this list. The first that has a segment's axes is the segment's */
#include "layout.h"

#define ALL_LAYOUTS(F) F(blocked) F(block) F(nodes) F(pattern) F(rows) F(sliced) F(diagonal) F(tiled) F(propagated) F(popular) F(adaptive) F(bundled)

#define DECLARE(name) extern const AutoCSRLayout AutoCSRLayout_##name;
#define POINTER(name) &AutoCSRLayout_##name,
ALL_LAYOUTS(DECLARE)
static const AutoCSRLayout *const layouts[] = {ALL_LAYOUTS(POINTER)};

const AutoCSRLayout *AutoCSRLayoutOf(const AutoCSRAxes *axes)
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(layouts); i++) {
    if ((*layouts[i]->has)(axes)) return layouts[i];
  }
  return NULL;
}
