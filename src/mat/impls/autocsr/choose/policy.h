/*
  The planner's policy: what it asks for in return for memory and for planning, and what it does not look at. Inside choose/ only.
  The numbers of a machine are in machine/.

  `make bench` and `make bench-gpu` print means over the suites, by which each number was chosen unless its comment says otherwise;
  `model` (`make model`) prints scores and the seconds that choosing takes.
*/
#ifndef AUTOCSR_POLICY_H
#define AUTOCSR_POLICY_H

/* Scores */
#define AMORTIZE     500        /* products over which the seconds to build a plan are spread */
#define COPY_PRICE   0.05       /* share of a product's seconds that a plan must earn which keeps as many bytes as the CSR has */
#define MEMORY_SHARE 0.05       /* objective memory: most bytes that a plan keeps, as a share of the CSR's */
#define ROOM_USED    0.9        /* share of a device's free memory that plan and building may take: both are estimates, and programs allocate later */
#define ROOM_LEAST   (4 << 20)  /* bytes that are taken to be free anyway */
#define ROOM_ASKED   (64 << 20) /* bytes of a CSR from which on a device is asked for its free memory: the question takes as long as some products of a smaller one */
#define NAMED_MOST   0.5        /* share of the rows that are named, above which neighbours share sectors and AutoCSRMachine.named_row does not count */

/* Rigor measure */
#define BETTER_MEASURED 0.97 /* csr, which needs no memory, is left for a plan that takes less than this share of its seconds */

/* The look */
#define ROWS_TELL 1.05 /* seconds of reading the CSR from L2, in starts of a product, up to which a look at the rows alone will do: a better coding could gain no more than a look costs */

/* Row ranges */
#define DISTRICT          8192   /* nonzeros of a district of zones on average, at least: choosing must take less than some products (`model`) */
#define DISTRICT_PARALLEL 262144 /* the same on a device: a district must also outlast a launch */
#define FEW_DISTRICTS     4      /* districts of the first look for ranges */
#define BETTER_RANGES   0.95   /* ranges must take less than this share of the best score for all rows: zones are known less well than the whole */
#define ALIKE           0.05   /* districts are alike if each has its share of every count, up to this part of what is counted */
#define LINE_ENTRIES    10     /* entries that take as long as a line of x from memory, for what is alike (figures of any machine: random_line against entry) */

/* Products with dense matrices; `make dense` */
#define PANEL       32   /* dense columns that go side by side; the matrix is read again for each such panel */
#define PANEL_LEAST 8    /* fewer columns take as long as this many */
#define OF_PATTERNS 0.75 /* share of the rows with a pattern from which on a device reads columns as they lie: neighbours' columns do then, too */
#define OF_PATTERNS_ROWS 32 /* rows of a row block, at least, on average */

/* Adaptive tiles; `make dense BENCH_ARGS='-ways panels,adaptive'` on the suite: where they gain at all */
#define TILES_HEAVY  0.4  /* share of the entries that heavy tiles have, at least */
#define TILES_ROW    4.5  /* entries of a tile's row, at least: they pay for sums that are read and written between tiles */
#define TILES_LINES  2    /* cache lines of a row of B, at least; one line is read as fast from a narrow panel */
#define TILES_PANELS 2    /* row panels, at least; one alone has all rows in the order of the CSR */
#define TILES_SAVE   0.25 /* share of a product's seconds that they save then */

/* Bundles; `make dense BENCH_ARGS='-gpu -ways panels,bundles'` on the suite */
#define BUNDLES_UNITS   0.92 /* columns an entry, at most, of sampled products; */
#define BUNDLES_WIDE    0.5  /* and of products with more dense columns than a panel's: panels find more rows of B in caches */
#define BUNDLES_LEAST   128  /* bundles, at least, for a few dense columns: each is a warp's */
#define BUNDLES_LONGEST 4096 /* entries of a row, at most: a warp takes the parts of longer ones too long */
#define BUNDLES_SAVE    0.2  /* share of a product's seconds that they save, at least */

/* Sampled products by way of all of Y X^T; `make sddmm` */
#define WHOLE_SHARE   0.2 /* of all places, from which on a matrix is nearly dense */
#define WHOLE_COLUMNS 16  /* dense columns, at least: fewer leave all places that are written unpaid */

#endif
