static char help[] = "Operator graphs as text: what is parsed and written again says the same; text that is cut stays within its room.\n\n";

#include "../../src/mat/impls/autocsr/graph/graph.h"

static const char *const texts[] = {
    "compress(index=csr,value=csr) row_block(lanes=8) warp_total_red",
    "compress(index=csr,value=csr) row_block(lanes=8) warp_total_red set_resources(threads=128,residents=8,in_flight=4,rows=2,stretches=16,constants=2)",
    "bin(0:7) sort_sub(window=256) compress(index=16,value=copy) bmtb_pad slice_block(lanes=4) warp_total_red set_resources(in_flight=3); bin(8:) compress(index=csr,value=csr) row_block(lanes=32) warp_total_red set_resources(residents=2)",
    "row_div(0:50) col_near(columns=16) compress(index=16,value=copy) bmtb_pad slice_block(lanes=1) thread_total_red; row_div(50:100) col_near(columns=16) bin(3:) compress(index=csr,value=csr) row_block(lanes=2) warp_total_red; col_far(columns=16) compress(index=csr,value=csr) row_block(lanes=8) warp_total_red",
    "compress(index=csr,value=csr) nnz_block(lanes=64,entries=32) warp_seg_red set_resources(residents=1)",
    "compress(index=csr,value=csr) merge_block(lanes=512,entries=4) warp_seg_red",
    "row_div(0:30) compress(index=csr,value=csr) row_fetch(lanes=2) warp_total_red set_resources(threads=1024); row_div(30:100) compress(index=csr,value=constant) row_block(lanes=1) thread_total_red",
};

/* In all rooms from one character on: the text, or the beginning of it with "...", and nothing past the room */
static PetscErrorCode CheckRooms(const AutoCSRGraph *graph, const char text[])
{
  const size_t n = strlen(text);

  PetscFunctionBeginUser;
  for (size_t len = 1; len <= n + 2; len++) {
    char         cut[AUTOCSR_GRAPH_LENGTH];
    const size_t dots = PetscMin(3, len - 1);
    size_t       k;

    memset(cut, '#', sizeof(cut));
    PetscCall(AutoCSRGraphWrite(graph, 100, len, cut));
    k = strlen(cut);
    for (size_t i = len; i < sizeof(cut); i++) PetscCheck(cut[i] == '#', PETSC_COMM_SELF, PETSC_ERR_PLIB, "\"%s\" in %zu characters: character %zu is written", text, len, i);
    if (len > n)
      PetscCheck(!strcmp(cut, text), PETSC_COMM_SELF, PETSC_ERR_PLIB, "\"%s\" fits %zu characters, but is written \"%s\"", text, len, cut);
    else
      PetscCheck(k < len && k >= dots && !strncmp(cut, text, k - dots) && !strcmp(cut + k - dots, &"..."[3 - dots]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "\"%s\" in %zu characters is written \"%s\"", text, len, cut);
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

/* A text that is appended to another one is cut where there is no room, and goes nowhere else */
static PetscErrorCode CheckAppend(void)
{
  const char more[] = "0123456789";

  PetscFunctionBeginUser;
  for (size_t n = 0; n < 12; n++) {
    for (size_t len = n + 1; len < 24; len++) {
      char         text[32];
      const size_t fits = PetscMin(sizeof(more) - 1, len - 1 - n);

      memset(text, '#', sizeof(text));
      text[n] = 0;
      PetscCall(AutoCSRAppend(text, more, len));
      PetscCheck(strlen(text) == n + fits && !strncmp(text + n, more, fits), PETSC_COMM_SELF, PETSC_ERR_PLIB, "%zu characters in %zu and ten more are \"%s\"", n, len, text);
      for (size_t i = len; i < sizeof(text); i++) PetscCheck(text[i] == '#', PETSC_COMM_SELF, PETSC_ERR_PLIB, "%zu characters in %zu and ten more: character %zu is written", n, len, i);
    }
  }
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(CheckAppend());
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(texts); t++) {
    AutoCSRGraph graph, again;
    char         text[AUTOCSR_GRAPH_LENGTH];

    PetscCall(AutoCSRGraphParse(texts[t], &graph));
    PetscCall(AutoCSRGraphWrite(&graph, 100, sizeof(text), text));
    PetscCheck(!strcmp(text, texts[t]), PETSC_COMM_SELF, PETSC_ERR_PLIB, "\"%s\" is written \"%s\"", texts[t], text);
    PetscCall(CheckRooms(&graph, text));
    PetscCall(AutoCSRGraphParse(text, &again));
    for (PetscInt i = 0; i < graph.n; i++) {
      const AutoCSRAxes *a = &graph.leaf[i].axes, *b = &again.leaf[i].axes;

      PetscCheck(a->threads == b->threads && a->residents == b->residents && a->in_flight == b->in_flight && a->rows_each == b->rows_each && a->stretches == b->stretches && a->constants == b->constants && a->generated && b->generated, PETSC_COMM_SELF, PETSC_ERR_PLIB, "\"%s\" has other numbers once it was written", text);
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Text to graph and back\n"));
  PetscCall(PetscFinalize());
  return 0;
}

/*TEST

  test:

TEST*/
