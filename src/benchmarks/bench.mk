# make bench, read by the makefile: see src/benchmarks/README.md. BENCH_ARGS goes to the program.
bench_program := $(BUILD)/src/benchmarks/bench
bench_objects := $(patsubst %.c,$(BUILD)/%.o,$(filter-out %/autocsr_convert.c,$(wildcard src/benchmarks/*.c)))
BENCH_ARGS    ?=

$(bench_program): $(bench_objects)
	$(CLINKER) -o $@ $^ $(PETSC_LIB) -lm

bench: all $(bench_program) $(data) $(more)
	@config/with-mpi.sh src/benchmarks/run $(bench_program) $(library) $(if $(more),$(dir $(more)),$(dir $(data))) $(BENCH_ARGS)

.PHONY: bench
