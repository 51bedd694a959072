/*
  A picture of a matrix: its pattern on a raster, each cell with the colour of a segment. picture.c makes it of all processes;
  svg.c, draw.c and the JSON of view.c show it.
*/
#ifndef AUTOCSR_PICTURE_H
#define AUTOCSR_PICTURE_H

#include "../seq/seqautocsr.h"

#define AUTOCSR_PICTURE_KEYS   12  /* colours; the last one stands for all segments past the others */
#define AUTOCSR_PICTURE_LEVELS 4   /* strengths of a colour, by the entries in a cell */
#define AUTOCSR_PICTURE_CELLS  256 /* on the longer side of a picture that is drawn */
#define AUTOCSR_PICTURE_COARSE 96  /* ... of that in the JSON */

/* A colour: the segments that one description fits, the n-th of a block with the n-th of the other blocks of its kind */
typedef struct {
  char     label[120];
  PetscInt segments;
  double   rows, nnz, bytes;
  double   seconds;  /* of the process that takes longest; 0: neither predicted nor measured */
  int      measured; /* the seconds are */
} AutoCSRPictureKey;

typedef struct {
  PetscInt          rows, cols; /* cells; 1 at least */
  double            m, n, nnz;  /* of the matrix */
  PetscMPIInt       size;       /* processes */
  PetscInt          n_keys;
  AutoCSRPictureKey key[AUTOCSR_PICTURE_KEYS];
  /* On the first process: of each cell, row by row, the entries (a large matrix is sampled), the key of the most of them, and the strength from 1 on; 0: no entries */
  float         *entries;
  unsigned char *of, *level;
} AutoCSRPicture;

/* picture.c. Collective; the plans are made before. `cells`: at most so many on the longer side */
PETSC_INTERN PetscErrorCode AutoCSRPictureCreate(Mat, PetscInt cells, AutoCSRPicture *);
PETSC_INTERN PetscErrorCode AutoCSRPictureDestroy(AutoCSRPicture *);
/* svg.c: an SVG on an ASCII viewer, with the sentences of `why`. Collective */
PETSC_INTERN PetscErrorCode AutoCSRPictureViewSVG(Mat, const AutoCSRPicture *, const char why[], PetscViewer);
/* draw.c: on a draw viewer. Collective */
PETSC_INTERN PetscErrorCode AutoCSRPictureViewDraw(Mat, const AutoCSRPicture *, PetscViewer);

#endif
