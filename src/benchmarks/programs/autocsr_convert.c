static char help[] = "Converts a Matrix Market file into a PETSc binary file, from which MatLoad() reads AIJ matrices.\n\
  -in <file>       : Matrix Market, as text or gzip: matrix, coordinate or array, real, integer, complex or pattern,\n\
                     general, symmetric, skew-symmetric or hermitian\n\
  -out <file>      : the PETSc binary file to write\n\
  -sum_duplicates  : add up the entries that are stored twice instead of refusing them\n\
  -round           : store the nearest value that PETSc's reals hold, which may be zero or infinity, instead of an error\n\
  -empty_rows      : convert the matrix although nearly all of its memory goes to rows without entries\n\n";

/*
  The format: Boisvert, Pozo, Remington, The Matrix Market exchange formats, NISTIR 5935, 1996.
  Explicit zeros of coordinate files are kept, zeros of array files are not stored, patterns have ones.
*/
#include <petscmat.h>
#include <ctype.h>
#include <errno.h>
#include <zlib.h>

#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS ((PetscErrorCode)0)
#endif

#define LINE_LENGTH 4096 /* characters of a line, its end not counted; the format allows 1024 */

/* Rows may take this many bytes, or this many times those of the entries: more is a matrix that no program wants, and an error without -empty_rows */
#define ROWS_BYTES (1 << 30)
#define ROWS_RATIO 16

typedef enum {
  FIELD_REAL,
  FIELD_INTEGER,
  FIELD_COMPLEX,
  FIELD_PATTERN
} Field;
static const char *const Fields[] = {"real", "integer", "complex", "pattern", NULL};

typedef enum {
  SYMMETRY_GENERAL,
  SYMMETRY_SYMMETRIC,
  SYMMETRY_SKEW,
  SYMMETRY_HERMITIAN
} Symmetry;
static const char *const Symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian", NULL};

typedef struct {
  gzFile      gz;
  const char *name;
  long        number;                /* of the line last read */
  char        line[LINE_LENGTH + 1]; /* without its end */
  PetscBool   coordinate, round;
  Field       field;
  Symmetry    symmetry;
  PetscInt    m, n;
  long long   stored;
} MMFile;

/* What the file says in entries, symmetric halves written out */
typedef struct {
  PetscInt     nnz, capacity;
  PetscInt    *row, *col;
  PetscScalar *val;
} Entries;
#define ENTRY_BYTES (2 * sizeof(PetscInt) + sizeof(PetscScalar))

#define CheckFile(f, cond, ...) PetscCheck(cond, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, __VA_ARGS__)
#define AT                      "%s, line %ld: "
#define READ                    ": read \"%s\""

/* The next line, without its end; more is false at the end of the file */
static PetscErrorCode ReadRawLine(MMFile *f, PetscBool *more)
{
  size_t      length = 0;
  int         c, error;
  const char *message;

  PetscFunctionBeginUser;
  f->number++;
  while ((c = gzgetc(f->gz)) != -1 && c != '\n' && length < LINE_LENGTH) {
    CheckFile(f, c, AT "a NUL byte after %zu characters: the file is damaged, binary, or text in UTF-16", f->name, f->number, length);
    f->line[length++] = (char)c;
  }
  message = gzerror(f->gz, &error);
  PetscCheck(error == Z_OK || error == Z_STREAM_END, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s, after line %ld: %s", f->name, f->number - 1, message);
  f->line[length] = 0;
  *more           = (PetscBool)(length || c != -1);
  if (c == '\n' || c == -1)
    while (length && isspace((unsigned char)f->line[length - 1])) f->line[--length] = 0;
  CheckFile(f, !strchr(f->line, '\r'), AT "a carriage return after %zu characters, where no line ends: lines end with a line feed, as tr '\\r' '\\n' makes of them", f->name, f->number, strcspn(f->line, "\r"));
  CheckFile(f, c == '\n' || c == -1, AT "longer than %d characters", f->name, f->number, LINE_LENGTH);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next line that is neither empty nor a comment */
static PetscErrorCode ReadLine(MMFile *f, PetscBool *more)
{
  PetscFunctionBeginUser;
  do PetscCall(ReadRawLine(f, more));
  while (*more && (!f->line[0] || f->line[0] == '%'));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadWord(const MMFile *f, const char what[], const char word[], const char *const choices[], int *choice)
{
  char      list[128] = "";
  PetscBool same;

  PetscFunctionBeginUser;
  for (int i = 0; choices[i]; i++) {
    PetscCall(PetscStrcasecmp(word, choices[i], &same));
    if (same) {
      *choice = i;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(PetscStrlcat(list, i ? ", " : "", sizeof(list)));
    PetscCall(PetscStrlcat(list, choices[i], sizeof(list)));
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED, AT "\"%s\" is no %s of Matrix Market: it is one of %s", f->name, f->number, word, what, list);
}

/* A whole number in [low, high] off the front of the text */
static PetscErrorCode ReadNumber(const MMFile *f, const char what[], char **text, long long low, long long high, long long *number)
{
  char *end;

  PetscFunctionBeginUser;
  errno   = 0;
  *number = strtoll(*text, &end, 10);
  CheckFile(f, end != *text && !errno && (!*end || isspace((unsigned char)*end)), AT "no %s where one must be" READ, f->name, f->number, what, f->line);
  CheckFile(f, *number >= low && *number <= high, AT "the %s %lld is outside %lld to %lld" READ, f->name, f->number, what, *number, low, high, f->line);
  *text = end;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A value that this PETSc's reals hold: an integer exactly, another one rounded, but neither to 0 nor to Inf; with -round the nearest */
static PetscErrorCode ReadValue(const MMFile *f, char **text, PetscReal *value)
{
  char     *end;
  PetscBool out;

  PetscFunctionBeginUser;
  errno = 0;
  if (f->field == FIELD_INTEGER) {
    const long long integer = strtoll(*text, &end, 10);

    *value = f->round && errno == ERANGE ? (PetscReal)strtod(*text, NULL) : (PetscReal)integer;
    out    = (PetscBool)(errno || (PetscAbsReal(*value) >= 0x1p63 ? integer != LLONG_MIN : (long long)*value != integer));
  } else {
    const double number = strtod(*text, &end);

    *value = (PetscReal)number;
    out    = (PetscBool)((errno == ERANGE && (number == 0 || isinf(number))) || (number != 0 && *value == 0) || (isfinite(number) && PetscIsInfReal(*value)));
  }
  CheckFile(f, end != *text && (!*end || isspace((unsigned char)*end)), AT "no %s value where one must be" READ, f->name, f->number, Fields[f->field], f->line);
  CheckFile(f, !out || f->round, AT "a value that this PETSc's reals of %d bits %s; -round takes the nearest that they hold" READ, f->name, f->number, (int)(8 * sizeof(PetscReal)), f->field == FIELD_INTEGER ? "do not hold exactly" : *value == 0 ? "round to zero"
                                                                                                                                                                                                : "round to infinity",
            f->line);
  *text = end;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadEnd(const MMFile *f, const char text[])
{
  PetscFunctionBeginUser;
  while (isspace((unsigned char)*text)) text++;
  CheckFile(f, !*text, AT "\"%s\" after the last number" READ, f->name, f->number, text, f->line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* %%MatrixMarket matrix coordinate|array field symmetry, then the sizes */
static PetscErrorCode ReadHeader(MMFile *f)
{
  static const char *const formats[] = {"array", "coordinate", NULL};
  char                     banner[64], object[64], format[64], field[64], symmetry[64], *text = f->line;
  PetscBool                more, same;
  int                      words, choice;
  long long                m, n;

  PetscFunctionBeginUser;
  PetscCall(ReadRawLine(f, &more));
  CheckFile(f, more, "%s: empty", f->name);
  CheckFile(f, f->line[0], AT "blank, where %%%%MatrixMarket must be: nothing may precede it", f->name, f->number);
  CheckFile(f, strncmp(f->line, "\xEF\xBB\xBF", 3), AT "begins with the byte-order mark of UTF-8, three bytes before the first character: remove them, as tail -c +4 does", f->name, f->number);
  words = sscanf(f->line, "%63s %63s %63s %63s %63s", banner, object, format, field, symmetry);
  PetscCall(PetscStrcasecmp(words > 0 ? banner : "", "%%MatrixMarket", &same));
  CheckFile(f, same, AT "no Matrix Market file: it must begin with %%%%MatrixMarket" READ, f->name, f->number, f->line);
  CheckFile(f, words == 5, AT "%d words where %%%%MatrixMarket matrix <coordinate|array> <field> <symmetry> must be" READ, f->name, f->number, words, f->line);
  PetscCall(PetscStrcasecmp(object, "matrix", &same));
  CheckFile(f, same, AT "a \"%s\", where only a matrix can be converted", f->name, f->number, object);
  PetscCall(ReadWord(f, "format", format, formats, &choice));
  f->coordinate = (PetscBool)choice;
  PetscCall(ReadWord(f, "field", field, Fields, &choice));
  f->field = (Field)choice;
  PetscCall(ReadWord(f, "symmetry", symmetry, Symmetries, &choice));
  f->symmetry = (Symmetry)choice;
  CheckFile(f, f->coordinate || f->field != FIELD_PATTERN, AT "an array has values: it cannot be a pattern", f->name, f->number);
  CheckFile(f, f->symmetry != SYMMETRY_HERMITIAN || f->field == FIELD_COMPLEX, AT "a hermitian matrix has the field complex, not %s", f->name, f->number, Fields[f->field]);
  CheckFile(f, f->symmetry != SYMMETRY_SKEW || f->field != FIELD_PATTERN, AT "a pattern cannot be skew-symmetric", f->name, f->number);
  PetscCheck(PetscDefined(USE_COMPLEX) || f->field != FIELD_COMPLEX, PETSC_COMM_SELF, PETSC_ERR_SUP, AT "the values are complex and this PETSc's scalars are real: build with a complex PETSc", f->name, f->number);

  PetscCall(ReadLine(f, &more));
  CheckFile(f, more, "%s: ends before its sizes", f->name);
  PetscCall(ReadNumber(f, "number of rows", &text, 0, PETSC_MAX_INT - 1, &m));
  PetscCall(ReadNumber(f, "number of columns", &text, 0, PETSC_MAX_INT, &n));
  if (f->coordinate) PetscCall(ReadNumber(f, "number of entries", &text, 0, PETSC_MAX_INT, &f->stored));
  PetscCall(ReadEnd(f, text));
  CheckFile(f, f->symmetry == SYMMETRY_GENERAL || m == n, AT "%lld by %lld, but a %s matrix is square", f->name, f->number, m, n, Symmetries[f->symmetry]);
  if (!f->coordinate) {
    const long long side = f->symmetry == SYMMETRY_SKEW ? m - 1 : m + 1;

    CheckFile(f, !__builtin_mul_overflow(m, f->symmetry == SYMMETRY_GENERAL ? n : side, &f->stored), AT "an array of %lld by %lld is more than can be counted", f->name, f->number, m, n);
    if (f->symmetry != SYMMETRY_GENERAL) f->stored /= 2;
  }
  f->m = (PetscInt)m;
  f->n = (PetscInt)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Asks for address space first, because PETSc's error does not name the array. A system that overcommits memory says yes */
static PetscErrorCode CheckMemory(double bytes, const char what[], PetscInt count)
{
  void *volatile probe = bytes < (double)PTRDIFF_MAX ? malloc((size_t)bytes) : NULL;

  PetscFunctionBeginUser;
  PetscCheck(probe, PETSC_COMM_SELF, PETSC_ERR_MEM, "%" PetscInt_FMT " %s take %.3g GB of memory, more than there is", count, what, bytes / 1e9);
  free(probe);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddEntry(Entries *e, PetscInt row, PetscInt col, PetscScalar val)
{
  PetscFunctionBeginUser;
  if (e->nnz == e->capacity) {
    PetscCheck(e->capacity < PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "More than %" PetscInt_FMT " entries: build with a PETSc of 64-bit indices", (PetscInt)PETSC_MAX_INT);
    e->capacity = e->capacity < 1024 ? 1024 : e->capacity > PETSC_MAX_INT / 2 ? PETSC_MAX_INT
                                                                              : 2 * e->capacity;
    PetscCall(CheckMemory((double)e->capacity * ENTRY_BYTES, "entries", e->capacity));
    PetscCall(PetscRealloc(e->capacity * sizeof(*e->row), &e->row));
    PetscCall(PetscRealloc(e->capacity * sizeof(*e->col), &e->col));
    PetscCall(PetscRealloc(e->capacity * sizeof(*e->val), &e->val));
  }
  e->row[e->nnz]   = row;
  e->col[e->nnz]   = col;
  e->val[e->nnz++] = val;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddWithMirror(const MMFile *f, Entries *e, PetscInt row, PetscInt col, PetscScalar val)
{
  PetscFunctionBeginUser;
  CheckFile(f, row != col || f->symmetry != SYMMETRY_SKEW, AT "a skew-symmetric matrix stores no diagonal" READ, f->name, f->number, f->line);
  CheckFile(f, row != col || f->symmetry != SYMMETRY_HERMITIAN || PetscImaginaryPart(val) == 0, AT "the diagonal of a hermitian matrix is real" READ, f->name, f->number, f->line);
  PetscCall(AddEntry(e, row, col, val));
  if (f->symmetry == SYMMETRY_GENERAL || row == col) PetscFunctionReturn(PETSC_SUCCESS);
  if (f->symmetry == SYMMETRY_SKEW) val = -val;
  if (f->symmetry == SYMMETRY_HERMITIAN) val = PetscConj(val);
  PetscCall(AddEntry(e, col, row, val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReadEntries(MMFile *f, Entries *e)
{
  /* Where an array's next value goes: down the columns, symmetric ones from the diagonal on */
  PetscInt  row = f->symmetry == SYMMETRY_SKEW ? 1 : 0, col = 0;
  PetscBool more = PETSC_TRUE;

  PetscFunctionBeginUser;
  for (long long k = 0; k < f->stored; k++) {
    char     *text = f->line;
    PetscReal re = 1, im = 0;
    long long i, j;

    PetscCall(ReadLine(f, &more));
    CheckFile(f, more, "%s: ends after %lld of %lld entries", f->name, k, f->stored);
    if (f->coordinate) {
      PetscCall(ReadNumber(f, "row", &text, 1, f->m, &i));
      PetscCall(ReadNumber(f, "column", &text, 1, f->n, &j));
      row = (PetscInt)(i - 1);
      col = (PetscInt)(j - 1);
    }
    if (f->field != FIELD_PATTERN) PetscCall(ReadValue(f, &text, &re));
    if (f->field == FIELD_COMPLEX) PetscCall(ReadValue(f, &text, &im));
    PetscCall(ReadEnd(f, text));
#if defined(PETSC_USE_COMPLEX)
    PetscScalar val = PetscCMPLX(re, im);
#else
    PetscScalar val = (PetscScalar)re;
#endif
    if (f->coordinate || val != (PetscScalar)0) PetscCall(AddWithMirror(f, e, row, col, val));
    if (!f->coordinate && ++row == f->m) {
      col++;
      row = f->symmetry == SYMMETRY_GENERAL ? 0 : f->symmetry == SYMMETRY_SKEW ? col + 1
                                                                               : col;
    }
  }
  PetscCall(ReadLine(f, &more));
  CheckFile(f, !more, AT "more than the %lld entries that the sizes promise" READ, f->name, f->number, f->stored, f->line);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory that EntriesToAIJ() takes: row_ptr, next and the matrix's three arrays of rows; the entries here and in the matrix */
static PetscErrorCode CheckSize(const MMFile *f, const Entries *e, PetscBool empty_rows)
{
  const double rows = 5.0 * sizeof(PetscInt) * f->m, entries = 2.0 * ENTRY_BYTES * e->nnz;

  PetscFunctionBeginUser;
  PetscCheck(empty_rows || rows <= ROWS_BYTES || rows <= ROWS_RATIO * entries, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "%s: %" PetscInt_FMT " entries in %" PetscInt_FMT " rows. The empty rows alone would take %.3g GB of memory: -empty_rows converts such a matrix", f->name, e->nnz, f->m, rows / 1e9);
  PetscCall(CheckMemory(rows + entries, "rows and their entries", f->m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows counted, entries put into their rows, columns sorted in each */
static PetscErrorCode EntriesToAIJ(const MMFile *f, const Entries *e, PetscBool sum, Mat *A)
{
  PetscInt    *row_ptr, *next, *col, nnz = 0;
  PetscScalar *val;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(f->m + 1, &row_ptr));
  PetscCall(PetscMalloc3(f->m, &next, e->nnz, &col, e->nnz, &val));
  for (PetscInt k = 0; k < e->nnz; k++) row_ptr[e->row[k] + 1]++;
  for (PetscInt i = 0; i < f->m; i++) {
    next[i] = row_ptr[i];
    row_ptr[i + 1] += row_ptr[i];
  }
  for (PetscInt k = 0; k < e->nnz; k++) {
    PetscInt place = next[e->row[k]]++;

    col[place] = e->col[k];
    val[place] = e->val[k];
  }
  for (PetscInt i = 0, begin = 0; i < f->m; i++) {
    PetscInt end = row_ptr[i + 1], first = nnz;

    PetscCall(PetscSortIntWithScalarArray(end - begin, col + begin, val + begin));
    for (PetscInt k = begin; k < end; k++) {
      if (nnz > first && col[nnz - 1] == col[k]) {
        CheckFile(f, sum, "%s: row %" PetscInt_FMT ", column %" PetscInt_FMT " is stored more than once; -sum_duplicates adds such entries up", f->name, i + 1, col[k] + 1);
        val[nnz - 1] += val[k];
      } else {
        col[nnz]   = col[k];
        val[nnz++] = val[k];
      }
    }
    begin          = end;
    row_ptr[i + 1] = nnz;
  }
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, f->m, f->n, f->m, f->n));
  PetscCall(MatSetType(*A, MATSEQAIJ));
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, row_ptr, col, val));
  PetscCall(PetscFree(row_ptr));
  PetscCall(PetscFree3(next, col, val));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  MMFile      f = {0};
  Entries     e = {0};
  Mat         A;
  PetscViewer viewer;
  char        in[PETSC_MAX_PATH_LEN], out[PETSC_MAX_PATH_LEN];
  PetscBool   has_in, has_out, sum = PETSC_FALSE, empty_rows = PETSC_FALSE;
  PetscMPIInt size;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCheck(size == 1, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "Runs on one rank; MatLoad() distributes what it writes");
  PetscCall(PetscOptionsGetString(NULL, NULL, "-in", in, sizeof(in), &has_in));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-out", out, sizeof(out), &has_out));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-sum_duplicates", &sum, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-empty_rows", &empty_rows, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-round", &f.round, NULL));
  PetscCheck(has_in && has_out, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, "Say what to read and what to write: -in <Matrix Market file> -out <PETSc binary file>");

  f.name = in;
  f.gz   = gzopen(in, "rb");
  PetscCheck(f.gz, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "%s: %s", in, strerror(errno));
  PetscCall(ReadHeader(&f));
  PetscCall(ReadEntries(&f, &e));
  gzclose(f.gz);
  PetscCall(CheckSize(&f, &e, empty_rows));
  PetscCall(EntriesToAIJ(&f, &e, sum, &A));
  PetscCall(PetscFree(e.row));
  PetscCall(PetscFree(e.col));
  PetscCall(PetscFree(e.val));

  PetscCall(PetscViewerCreate(PETSC_COMM_SELF, &viewer));
  PetscCall(PetscViewerSetType(viewer, PETSCVIEWERBINARY));
  PetscCall(PetscViewerFileSetMode(viewer, FILE_MODE_WRITE));
  PetscCall(PetscViewerBinarySetSkipInfo(viewer, PETSC_TRUE));
  PetscCall(PetscViewerFileSetName(viewer, out));
  PetscCall(MatView(A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  testset:
    requires: !complex
    args: -out out.bin -mat_view
    test:
      suffix: general
      args: -in ${AUTOCSR_MTX}/mm/general.mtx
    test:
      suffix: integer-symmetric
      args: -in ${AUTOCSR_MTX}/mm/integer-symmetric.mtx
    test:
      suffix: pattern
      args: -in ${AUTOCSR_MTX}/mm/pattern.mtx
    test:
      suffix: skew
      args: -in ${AUTOCSR_MTX}/mm/skew.mtx
    test:
      suffix: array
      args: -in ${AUTOCSR_MTX}/mm/array.mtx
    test:
      suffix: array-symmetric
      args: -in ${AUTOCSR_MTX}/mm/array-symmetric.mtx
    test:
      suffix: array-skew
      args: -in ${AUTOCSR_MTX}/mm/array-skew.mtx
    test:
      suffix: empty
      args: -in ${AUTOCSR_MTX}/mm/empty.mtx -mat_view ::ascii_info
      filter: grep rows=
    test:
      suffix: gzip
      args: -in ${AUTOCSR_MTX}/mm/general.mtx.gz
      output_file: output/autocsr_convert_general.out
    test:
      suffix: sum
      args: -sum_duplicates -in ${AUTOCSR_MTX}/mm/bad-twice.mtx
    test:
      suffix: round-zero
      args: -round -in ${AUTOCSR_MTX}/mm/bad-zero.mtx
    test:
      suffix: round-infinite
      args: -round -in ${AUTOCSR_MTX}/mm/bad-infinite.mtx
    test:
      suffix: round-integer
      args: -round -in ${AUTOCSR_MTX}/mm/bad-integer-long.mtx
    # Lines of 4096 characters, DOS's ends of lines, a last line without one; the largest and the smallest values
    test:
      suffix: extremes
      requires: double
      args: -in ${AUTOCSR_MTX}/mm/extremes.mtx.gz
    test:
      suffix: integer-large
      requires: double
      args: -in ${AUTOCSR_MTX}/mm/integer-large.mtx

  testset:
    requires: complex
    args: -out out.bin -mat_view
    test:
      suffix: complex
      args: -in ${AUTOCSR_MTX}/mm/complex.mtx
    test:
      suffix: hermitian
      args: -in ${AUTOCSR_MTX}/mm/hermitian.mtx
    test:
      suffix: array-complex
      args: -in ${AUTOCSR_MTX}/mm/array-complex.mtx

  # Errors say the line and what was read
  testset:
    args: -petsc_ci_portable_error_output -out out.bin
    filter: sed "s,[^ ]*[/],,g"
    test:
      suffix: bad-banner
      args: -in ${AUTOCSR_MTX}/mm/bad-banner.mtx
    test:
      suffix: bad-field
      args: -in ${AUTOCSR_MTX}/mm/bad-field.mtx
    test:
      suffix: bad-words
      args: -in ${AUTOCSR_MTX}/mm/bad-words.mtx
    test:
      suffix: bad-hermitian
      args: -in ${AUTOCSR_MTX}/mm/bad-hermitian.mtx
    test:
      suffix: bad-row
      args: -in ${AUTOCSR_MTX}/mm/bad-row.mtx
    test:
      suffix: bad-value
      args: -in ${AUTOCSR_MTX}/mm/bad-value.mtx
    test:
      suffix: bad-word
      args: -in ${AUTOCSR_MTX}/mm/bad-word.mtx
    test:
      suffix: bad-rest
      args: -in ${AUTOCSR_MTX}/mm/bad-rest.mtx
    test:
      suffix: bad-short
      args: -in ${AUTOCSR_MTX}/mm/bad-short.mtx
    test:
      suffix: bad-long
      args: -in ${AUTOCSR_MTX}/mm/bad-long.mtx
    test:
      suffix: bad-square
      args: -in ${AUTOCSR_MTX}/mm/bad-square.mtx
    test:
      suffix: bad-diagonal
      args: -in ${AUTOCSR_MTX}/mm/bad-diagonal.mtx
    test:
      suffix: bad-twice
      args: -in ${AUTOCSR_MTX}/mm/bad-twice.mtx
    test:
      suffix: bad-gzip
      args: -in ${AUTOCSR_MTX}/mm/bad-gzip.mtx.gz
    test:
      suffix: bad-nul
      args: -in ${AUTOCSR_MTX}/mm/bad-nul.mtx
    test:
      suffix: bad-utf16
      args: -in ${AUTOCSR_MTX}/mm/bad-utf16.mtx
    test:
      suffix: bad-infinite
      requires: double
      args: -in ${AUTOCSR_MTX}/mm/bad-infinite.mtx
    test:
      suffix: bad-zero
      requires: double
      args: -in ${AUTOCSR_MTX}/mm/bad-zero.mtx
    test:
      suffix: bad-fraction
      args: -in ${AUTOCSR_MTX}/mm/bad-fraction.mtx
    test:
      suffix: bad-nan
      args: -in ${AUTOCSR_MTX}/mm/bad-nan.mtx
    test:
      suffix: bad-integer
      requires: double
      args: -in ${AUTOCSR_MTX}/mm/bad-integer.mtx
    test:
      suffix: bad-integer-long
      requires: double
      args: -in ${AUTOCSR_MTX}/mm/bad-integer-long.mtx
    test:
      suffix: bad-bom
      args: -in ${AUTOCSR_MTX}/mm/bad-bom.mtx
    test:
      suffix: bad-mac
      args: -in ${AUTOCSR_MTX}/mm/bad-mac.mtx
    test:
      suffix: bad-blank
      args: -in ${AUTOCSR_MTX}/mm/bad-blank.mtx
    test:
      suffix: bad-line
      args: -in ${AUTOCSR_MTX}/mm/bad-line.mtx.gz
    # 65 bytes must not take gigabytes
    test:
      suffix: bad-empty-rows
      requires: !defined(PETSC_USE_64BIT_INDICES)
      args: -in ${AUTOCSR_MTX}/mm/bad-empty-rows.mtx
    test:
      suffix: bad-rows
      requires: !defined(PETSC_USE_64BIT_INDICES)
      args: -in ${AUTOCSR_MTX}/mm/bad-rows.mtx
    test:
      suffix: bad-empty-rows-int64
      requires: defined(PETSC_USE_64BIT_INDICES)
      args: -in ${AUTOCSR_MTX}/mm/bad-rows.mtx
    test:
      suffix: bad-file
      args: -in nowhere.mtx
    test:
      suffix: bad-options
    test:
      suffix: bad-real
      requires: !complex
      args: -in ${AUTOCSR_MTX}/mm/complex.mtx

TEST*/
