/*
  The agents that are compiled ahead of time: a line of this table is an executor. F(id, name, order, index, value, mapping,
  lanes, agent); lanes 0: any.
*/
#ifndef AUTOCSR_AGENTS_CUH
#define AUTOCSR_AGENTS_CUH

#include "agent_csr.cuh"
#include "agent_empty.cuh"

#define NAME_CSR        "csr"
#define NAME_32         "32"
#define NAME_16         "16"
#define NAME_PATTERN    "pattern"
#define NAME_COPY       "copy"
#define NAME_DICTIONARY "dictionary"
#define NAME_FLOAT32    "float32"

/* Where PetscScalar is single, float32 narrows nothing */
#if defined(PETSC_USE_REAL_SINGLE)
  #define EACH_FLOAT32(...)
#else
  #define EACH_FLOAT32(...) __VA_ARGS__
#endif

#define AGENT_LANES(F, I, L) F(CSR_##I##_##L, "csr/" NAME_##I "/csr/lanes" #L, CSR, I, CSR, LANES, L, AgentCSR<AUTOCSR_INDEX_##I, L>)
#define EACH_LANES(F, I) \
  AGENT_LANES(F, I, 1)   \
  AGENT_LANES(F, I, 2) AGENT_LANES(F, I, 4) AGENT_LANES(F, I, 8) AGENT_LANES(F, I, 16) AGENT_LANES(F, I, 32) AGENT_LANES(F, I, 64) AGENT_LANES(F, I, 128) AGENT_LANES(F, I, 256)

#define EACH_AGENT(F)                                    \
  F(EMPTY, "empty", CSR, CSR, CSR, EMPTY, 0, AgentEmpty) \
  EACH_LANES(F, CSR) EACH_LANES(F, 16)

/* An agent's number: its place in the table */
#define AGENT_NUMBER(id, ...) AGENT_##id,
enum {
  EACH_AGENT(AGENT_NUMBER) AGENT_COUNT
};

#endif
