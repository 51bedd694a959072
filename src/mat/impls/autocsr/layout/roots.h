/* The part of a row pattern that kernels read (pattern.h). The compiler at run time reads this file, too */
#ifndef AUTOCSR_ROOTS_H
#define AUTOCSR_ROOTS_H

#include "../autocsr.h"

/*
  The root of a pattern is the longest pattern of which it is a part: rows at the border of a grid are parts of the rows
  inside. A kernel walks neighbours with one root as one. With value coding pattern, the values are the same too.
*/
typedef struct {
  /*
    Bit t: entry t of the root is an entry of the pattern. A root of more than 32 entries has no part but itself, and its
    mask is all ones
  */
  uint32_t mask;
  int32_t  begin, length; /* of the root, in PATTERN_OFFSET */
  int32_t  own;           /* where the pattern itself begins there */
} AutoCSRPatternRoot;

#endif
