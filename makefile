# MATAUTOCSR: see README.md; `make help` lists the targets.
.DEFAULT_GOAL := all
ifeq ($(PETSC_DIR),)
  PETSC_DIR := $(shell config/find-petsc.sh)
endif
include $(PETSC_DIR)/lib/petsc/conf/variables

top     := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))
BUILD   ?= $(top)/build
ROOMS   ?= interface seq mpi product profile plan strategy select host
src     := src/mat/impls/autocsr
sources := $(wildcard $(foreach r,$(ROOMS),$(src)/$(r)/*.c))
objects := $(sources:%.c=$(BUILD)/%.o)
library := $(BUILD)/libpetscautocsr.so

# Warnings are errors in CI (WERROR=-Werror)
CSTD     = -std=gnu11
CWARN    = -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wshadow -Wstrict-prototypes $(WERROR)
COPT    ?= -O3 -g
CFLAGSALL = $(CSTD) $(CWARN) $(COPT) -fPIC -fvisibility=hidden -fopenmp-simd -fno-math-errno -ffp-contract=fast -I$(top)/include $(PETSC_CC_INCLUDES)

all: $(library)

$(library): $(objects)
	$(CLINKER) -shared -o $@ $^ $(PETSC_LIB) -lm

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGSALL) $(ISA_$(basename $(notdir $<))) -MMD -MP -c -o $@ $<

# The same kernel text for each instruction set
ISA_kernels_avx2   = -mavx2 -mfma
ISA_kernels_avx512 = -mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma -mprefer-vector-width=512

-include $(objects:.o=.d)
.PHONY: all
