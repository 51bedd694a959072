static char help[] = "The file that figures of a machine are kept in: read as written, in any locale, written once; files of anything else are told.\n\n";

#include "../../src/mat/impls/autocsr/machine/figures.h"
#include <fcntl.h>
#include <locale.h>
#include <sys/file.h>
#include <unistd.h>

/* What the file is to hold; anything that no reader could mistake for what is shipped */
static PetscErrorCode FiguresCreate(AutoCSRFigures *f)
{
  PetscFunctionBeginUser;
  PetscCall(AutoCSRFiguresShipped(&AutoCSRBackendHost, "avx2", "reference", NULL, f));
  PetscCall(PetscStrncpy(f->machine.name, "a processor of three words", sizeof(f->machine.name)));
  f->machine.bandwidth[3] = 1.0e10 / 3;
  f->machine.launch       = 0;
  f->n_executors          = 3;
  for (PetscInt i = 0; i < f->n_executors; i++) {
    PetscCall(PetscSNPrintf(f->executor[i].name, sizeof(f->executor[i].name), "executor/%" PetscInt_FMT, i));
    f->executor[i].cost = (AutoCSRExecutorCost){.entry = 1e-9 / 3, .row = 2e-9 / (double)(i + 7), .memory = 1};
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* What is read is f, bit for bit */
static PetscErrorCode CheckSame(const char path[], const AutoCSRFigures *f, const char context[])
{
  AutoCSRFigures   read;
  AutoCSRFileFound found;
  PetscBool        same;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRFiguresShipped(&AutoCSRBackendHost, "avx2", "reference", NULL, &read));
  PetscCall(AutoCSRKeptRead(path, &read, &found));
  PetscCheck(found == AUTOCSR_FILE_READ, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the file is not read", context);
  PetscCall(PetscStrcmp(read.machine.name, f->machine.name, &same));
  same = (PetscBool)(same && read.machine.dense_heavy == f->machine.dense_heavy && read.machine.dense_rows == f->machine.dense_rows && !memcmp(read.machine.bandwidth, f->machine.bandwidth, sizeof(f->machine.bandwidth)) && read.machine.launch == f->machine.launch && read.n_executors == f->n_executors);
  for (PetscInt i = 0; i < f->n_executors && same; i++) same = (PetscBool)(!strcmp(read.executor[i].name, f->executor[i].name) && !memcmp(&read.executor[i].cost, &f->executor[i].cost, sizeof(f->executor[i].cost)));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: other figures than were written", context);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A file of `text` is told, and leaves figures as they are */
static PetscErrorCode CheckOther(const char path[], const char text[], size_t n, const char context[])
{
  AutoCSRFigures   before, read;
  AutoCSRFileFound found;
  FILE            *file = fopen(path, "w");

  PetscFunctionBeginUser;
  PetscCheck(file && fwrite(text, 1, n, file) == n && !fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s cannot be written", path);
  PetscCall(PetscMemzero(&before, sizeof(before)));
  PetscCall(FiguresCreate(&before));
  PetscCall(PetscMemcpy(&read, &before, sizeof(read)));
  PetscCall(AutoCSRKeptRead(path, &read, &found));
  PetscCheck(found == AUTOCSR_FILE_OTHER, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: the file is taken for one of figures", context);
  PetscCheck(!memcmp(&read, &before, sizeof(read)), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%s: figures are changed by a file that holds none", context);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* The text of a good file with one thing in it replaced */
static PetscErrorCode CheckReplaced(const char path[], const char good[], const char from[], const char to[])
{
  const char *at = strstr(good, from);
  char        text[8192];

  PetscFunctionBeginUser;
  PetscCheck(at, PETSC_COMM_SELF, PETSC_ERR_PLIB, "The file has no \"%s\"", from);
  PetscCall(PetscSNPrintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good, to, at + strlen(from)));
  PetscCall(CheckOther(path, text, strlen(text), to));
  PetscFunctionReturn((PetscErrorCode)0);
}

static PetscErrorCode Write(const char path[], const AutoCSRFigures *f, PetscBool replace)
{
  PetscBool written;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRKeptWrite(path, f, replace, &written));
  PetscCheck(written, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s is not written", path);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* One of two holders gets the lock; the other does not wait */
static PetscErrorCode CheckLock(const char folder[], const char path[], const char nowhere[], const AutoCSRFigures *f)
{
  const int held = open(folder, O_RDONLY | O_DIRECTORY);
  int       lock;
  PetscBool can;

  PetscFunctionBeginUser;
  PetscCall(AutoCSRKeptCanWrite(nowhere, f, &can));
  PetscCheck(!can && AutoCSRKeptLock(nowhere) < 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Files can be made in a folder that is not there");
  PetscCall(AutoCSRKeptCanWrite(folder, f, &can));
  PetscCheck(!can, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A folder can be written as a file");
  PetscCall(AutoCSRKeptCanWrite(path, f, &can));
  PetscCheck(can, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Files cannot be made in a folder that is there");
  lock = AutoCSRKeptLock(path);
  PetscCheck(lock >= 0 && flock(held, LOCK_EX | LOCK_NB), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The folder is not locked");
  close(lock);
  PetscCheck(!flock(held, LOCK_EX | LOCK_NB), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The folder stays locked");
  PetscCheck(AutoCSRKeptLock(path) < 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A folder that another holds is locked");
  close(held);
  PetscFunctionReturn((PetscErrorCode)0);
}

/* -mat_autocsr_machine: a file of something else is an error and stays as it is, one of figures is read */
static PetscErrorCode CheckNamed(const char path[], const AutoCSRFigures *f)
{
  const AutoCSRFigures *figures;
  PetscErrorCode        ierr;
  PetscBool             same;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsSetValue(NULL, "-mat_autocsr_machine", path));
  PetscCall(CheckOther(path, "no figures", 10, "named"));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  ierr = AutoCSRFiguresGet(&AutoCSRBackendHost, "auto", &figures);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(ierr == PETSC_ERR_FILE_READ, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A named file of something else is error %d", (int)ierr);
  PetscCheck(!access(path, F_OK), PETSC_COMM_SELF, PETSC_ERR_PLIB, "It is gone");
  unlink(path);
  PetscCall(Write(path, f, PETSC_FALSE));
  PetscCall(AutoCSRFiguresGet(&AutoCSRBackendHost, "auto", &figures));
  PetscCall(PetscStrcmp(figures->machine.name, f->machine.name, &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Figures of a named file are not read");
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  const char *const commas[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"}; /* where there are such locales */
  char              folder[] = "figuresXXXXXX", path[64], nowhere[64], good[8192] = "";
  AutoCSRFigures    f, later;
  FILE             *file;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No folder can be made");
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/figures", folder));
  PetscCall(PetscSNPrintf(nowhere, sizeof(nowhere), "%s/nowhere/figures", folder));
  PetscCall(FiguresCreate(&f));
  later = f;
  later.machine.bandwidth[3] *= 2;
  PetscCall(Write(path, &f, PETSC_FALSE));
  PetscCall(CheckSame(path, &f, "written and read"));
  PetscCall(Write(path, &later, PETSC_FALSE));
  PetscCall(CheckSame(path, &f, "the first that is written stays"));
  PetscCall(Write(path, &later, PETSC_TRUE));
  PetscCall(CheckSame(path, &later, "replaced"));
  PetscCall(Write(path, &f, PETSC_TRUE));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(commas); k++) {
    if (!setlocale(LC_NUMERIC, commas[k])) continue;
    PetscCall(CheckSame(path, &f, commas[k]));
    unlink(path);
    PetscCall(Write(path, &f, PETSC_FALSE));
    setlocale(LC_NUMERIC, "C");
    PetscCall(CheckSame(path, &f, commas[k]));
  }
  PetscCall(CheckLock(folder, path, nowhere, &f));

  file = fopen(path, "r");
  PetscCheck(file && fread(good, 1, sizeof(good) - 1, file) > 0 && !fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s cannot be read", path);
  for (size_t n = 0; n < strlen(good) - 1; n += 7) PetscCall(CheckOther(path, good, n, "cut short")); /* the last number has one digit */
  PetscCall(CheckReplaced(path, good, "figures ", "figures 0"));
  PetscCall(CheckReplaced(path, good, "of ", "of quaternion"));
  PetscCall(CheckReplaced(path, good, "executors 3", "executors -5"));
  PetscCall(CheckReplaced(path, good, "executors 3", "executors 4"));
  PetscCall(CheckReplaced(path, good, "executors 3", "executors 100000"));
  PetscCall(CheckReplaced(path, good, "executors 3", "executors 4294967299"));
  PetscCall(CheckReplaced(path, good, "executors 3", "executors 18446744073709551619"));
  PetscCall(CheckReplaced(path, good, "random_line ", "random_line 1e308 "));
  PetscCall(CheckReplaced(path, good, "bandwidth ", "bandwidth nan "));
  PetscCall(CheckReplaced(path, good, "bandwidth ", "bandwidth 0 "));
  PetscCall(CheckReplaced(path, good, "cache ", "cache -1 "));
  PetscCall(CheckReplaced(path, good, "strided ", "strided inf\nproduct 0\nlaunch 0\nexecutors 0\n"));
  later.machine.dense_heavy = 4;
  later.machine.dense_rows  = 2048;
  PetscCall(Write(path, &later, PETSC_TRUE));
  PetscCall(CheckSame(path, &later, "with adaptive tiles"));
  PetscCall(PetscStrlcat(good, "tiles 4 1000\n", sizeof(good)));
  PetscCall(CheckOther(path, good, strlen(good), "rows of a tile that are no power of two"));
  PetscCall(CheckReplaced(path, good, "tiles 4 1000", "tiles 4"));
  PetscCall(CheckReplaced(path, good, "tiles 4 1000", "tiles -1 1024"));
  PetscCall(CheckReplaced(path, good, "tiles 4 1000", "tilted 4 1024"));
  PetscCall(CheckNamed(path, &f));
  unlink(path);
  PetscCheck(!rmdir(folder), PETSC_COMM_SELF, PETSC_ERR_PLIB, "Files are left in %s", folder);
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Figures are kept\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:
    suffix: 1

TEST*/
