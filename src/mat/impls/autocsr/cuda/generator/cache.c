/*
  Cubins in the folder of the machine's figures. A file begins with a line that has the key, the bytes of the cubin and their hash. It is written beside and
  renamed, so that readers never see half of it.
*/
#include "generator.h"
#include "../../machine/figures.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "cubin-"
#define FORMAT "petscautocsr cubin 1"

/* FNV-1a, from two beginnings */
static uint64_t hash_bytes(uint64_t h, const void *data, size_t n)
{
  const unsigned char *c = (const unsigned char *)data;

  for (size_t i = 0; i < n; i++) h = (h ^ c[i]) * 1099511628211ull;
  return h;
}

AutoCSRCacheKey AutoCSRCacheKeyOf(const char source[], const char rest[])
{
  AutoCSRCacheKey key = {{14695981039346656037ull, 0x9E3779B97F4A7C15ull}};

  for (int i = 0; i < 2; i++) {
    key.hash[i] = hash_bytes(key.hash[i], source, strlen(source) + 1);
    key.hash[i] = hash_bytes(key.hash[i], rest, strlen(rest));
    key.hash[i] ^= key.hash[i] >> 29;
  }
  return key;
}

/* "": there is no folder */
static PetscErrorCode path_of(const AutoCSRCacheKey *key, size_t len, char path[])
{
  char folder[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  path[0] = 0;
  PetscCall(AutoCSRKeptFolder(sizeof(folder), folder));
  if (folder[0]) PetscCall(PetscSNPrintf(path, len, "%s/" PREFIX "%016llx%016llx", folder, (unsigned long long)key->hash[0], (unsigned long long)key->hash[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void write_head(const AutoCSRCacheKey *key, const void *cubin, size_t bytes, char head[128])
{
  (void)snprintf(head, 128, FORMAT " %016llx%016llx %zu %016llx\n", (unsigned long long)key->hash[0], (unsigned long long)key->hash[1], bytes, (unsigned long long)hash_bytes(1, cubin, bytes));
}

/* The rest of the file, which is no longer than any cubin is; NULL: it is */
static PetscErrorCode read_cubin(FILE *file, void **cubin, size_t *bytes)
{
  struct stat is;
  const long  at = ftell(file);

  PetscFunctionBegin;
  *cubin = NULL;
  if (at < 0 || fstat(fileno(file), &is) || is.st_size <= at || is.st_size > AUTOCSR_CACHE_BYTES) PetscFunctionReturn(PETSC_SUCCESS);
  *bytes = (size_t)(is.st_size - at);
  PetscCall(PetscMalloc(*bytes, cubin));
  if (fread(*cubin, 1, *bytes, file) != *bytes) PetscCall(PetscFree(*cubin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AutoCSRCacheFind(const AutoCSRCacheKey *key, void **cubin, size_t *bytes)
{
  char  path[PETSC_MAX_PATH_LEN], head[128], expected[128];
  FILE *file;

  PetscFunctionBegin;
  *cubin = NULL;
  PetscCall(path_of(key, sizeof(path), path));
  if (!path[0] || !(file = AutoCSRKeptOpen(path))) PetscFunctionReturn(PETSC_SUCCESS);
  if (fgets(head, sizeof(head), file)) PetscCall(read_cubin(file, cubin, bytes));
  if (*cubin) {
    write_head(key, *cubin, *bytes, expected);
    if (strcmp(head, expected)) PetscCall(PetscFree(*cubin));
  }
  if (*cubin)
    (void)futimens(fileno(file), NULL); /* files that are used stay */
  else
    PetscCall(PetscInfo(NULL, "%s is damaged, and counts as not there\n", path));
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those that are the oldest by the time of their last use go until the rest is within the bounds */
static PetscErrorCode trim(const char folder[])
{
  PetscFunctionBegin;
  for (;;) {
    DIR           *dir   = opendir(folder);
    PetscInt       files = 0;
    double         bytes = 0, oldest = 0;
    char           path[PETSC_MAX_PATH_LEN], first[PETSC_MAX_PATH_LEN] = "";
    struct dirent *entry;

    if (!dir) PetscFunctionReturn(PETSC_SUCCESS);
    while ((entry = readdir(dir))) {
      struct stat is;
      double      used;

      if (strncmp(entry->d_name, PREFIX, sizeof(PREFIX) - 1)) continue;
      PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s", folder, entry->d_name));
      if (lstat(path, &is) || !S_ISREG(is.st_mode)) continue;
      used = (double)is.st_mtim.tv_sec + 1e-9 * (double)is.st_mtim.tv_nsec;
      files++;
      bytes += (double)is.st_size;
      if (!first[0] || used < oldest) {
        oldest = used;
        PetscCall(PetscStrncpy(first, path, sizeof(first)));
      }
    }
    closedir(dir);
    if ((files <= AUTOCSR_CACHE_FILES && bytes <= AUTOCSR_CACHE_BYTES) || unlink(first)) PetscFunctionReturn(PETSC_SUCCESS);
  }
}

PetscErrorCode AutoCSRCacheKeep(const AutoCSRCacheKey *key, const void *cubin, size_t bytes)
{
  char      path[PETSC_MAX_PATH_LEN], temporary[PETSC_MAX_PATH_LEN], head[128], folder[PETSC_MAX_PATH_LEN];
  PetscBool written;
  FILE     *file;

  PetscFunctionBegin;
  PetscCall(path_of(key, sizeof(path), path));
  if (!path[0] || bytes > AUTOCSR_CACHE_BYTES / 4 || !(file = AutoCSRKeptOpenTemporary(path, temporary))) PetscFunctionReturn(PETSC_SUCCESS);
  write_head(key, cubin, bytes, head);
  written = (PetscBool)(fputs(head, file) >= 0 && fwrite(cubin, 1, bytes, file) == bytes && !fflush(file) && !fchmod(fileno(file), 0644));
  if (fclose(file)) written = PETSC_FALSE;
  if (!written || rename(temporary, path)) {
    (void)unlink(temporary);
    PetscCall(PetscInfo(NULL, "No room for %s: the kernel is compiled again by the next program\n", path));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(AutoCSRKeptFolder(sizeof(folder), folder));
  PetscCall(trim(folder));
  PetscFunctionReturn(PETSC_SUCCESS);
}
