# MATAUTOCSR: see README.md; `make help` lists the targets.
.DEFAULT_GOAL := all
$(if $(filter-out 1,$(words $(CURDIR))),$(error The path of this folder has blanks, which make cannot bear: $(CURDIR)))
top := $(patsubst %/,%,$(dir $(abspath $(firstword $(MAKEFILE_LIST)))))

# All cores, unless the user or a make above this one says how many, and several goals one after the other (`make clean all`)
ifeq ($(filter -j% --jobs%,$(MAKEFLAGS) $(shell echo "$$MAKEFLAGS"))$(word 2,$(MAKECMDGOALS)),)
  MAKEFLAGS += -j$(shell env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
endif

# A packager's flags, on the command line or in the environment. PETSc's makefiles may empty the latter
user_c   := $(CFLAGS)
user_cxx := $(CXXFLAGS)
user_cpp := $(CPPFLAGS)
user_ld  := $(LDFLAGS)

# The PETSc to build against: of a source tree whose tests are to be run, its first build. These targets need none.
ifneq ($(PETSC_SRC),)
  PETSC_DIR  := $(PETSC_SRC)
  PETSC_ARCH ?= $(firstword $(patsubst $(PETSC_SRC)/%/lib/libpetsc.so,%,$(wildcard $(PETSC_SRC)/*/lib/libpetsc.so)))
endif
ifneq ($(filter-out help clean format petsc-cuda deb,$(or $(MAKECMDGOALS),all)),)
  ifeq ($(PETSC_DIR),)
    found      := $(shell $(top)/config/find-petsc.sh)
    PETSC_DIR  := $(word 1,$(found))
    PETSC_ARCH := $(word 2,$(found))
    $(if $(PETSC_DIR),,$(error No PETSc was found and none could be installed: set PETSC_DIR and PETSC_ARCH))
  endif
  ifeq ($(wildcard $(PETSC_DIR)/$(PETSC_ARCH)/lib/petsc/conf/petscvariables),)
    $(error PETSC_DIR=$(PETSC_DIR) PETSC_ARCH=$(PETSC_ARCH) is not a PETSc that was configured; a prefix install (Debian's is one) wants PETSC_ARCH empty)
  endif
  export PETSC_DIR PETSC_ARCH
  include $(PETSC_DIR)/lib/petsc/conf/variables
  version := $(shell awk '$$2 ~ /^PETSC_VERSION_(MAJOR|MINOR|SUBMINOR)$$/ {v = v sep $$3; sep = "."} END {print v}' $(PETSC_DIR)/include/petscversion.h)
  ifeq ($(filter $(foreach minor,18 19 20 21 22 23 24 25 26,3.$(minor).%),$(version)),)
    $(error PETSc $(version) in PETSC_DIR=$(PETSC_DIR): this library is for 3.18 to 3.26)
  endif
endif

# Which PETSc a build is for: the name of its folder here, and, if VARIANT names no other, of that in which it is installed
debug   := $(if $(PETSC_ARCH),,$(shell grep -sq '^.define PETSC_USE_DEBUG\>' $(PETSC_DIR)/include/petscconf.h && echo -debug))
for     := petsc-$(version)-$(PETSC_SCALAR)-$(PETSC_PRECISION)-int$(PETSC_INDEX_SIZE)$(PETSC_ARCH:%=-%)$(debug)
VARIANT ?= $(for)
BUILD   ?= $(top)/build/$(for)
ROOMS   ?= interface report seq mpi product profile layout plan graph search strategy choose machine host host/kernels
PREFIX  ?= /usr/local
src     := src/mat/impls/autocsr
ksp     := src/ksp/impls/autocsr
# The GPU's room, where PETSc has CUDA and is new enough (before 3.26 it has no 64-bit indices on a device); CUDA_ARCH: the architectures that it is compiled for, numbers or words of nvcc's -arch, of which those before 80 are left out; PETSc's, if not given
comma   := ,
override CUDA_ARCH := $(or $(strip $(CUDA_ARCH)),$(patsubst code=sm_%,%,$(filter code=sm_%,$(subst $(comma), ,$(CUDAC_FLAGS)))),$(patsubst -arch=%,%,$(filter -arch=%,$(CUDAC_FLAGS))),90)
all_arch = $(filter-out 5% 6% 7%,$(patsubst sm_%,%,$(shell $(CUDAC) --list-gpu-code)))
architectures = $(or $(if $(filter all,$(CUDA_ARCH)),$(all_arch)),$(if $(filter all-major,$(CUDA_ARCH)),$(filter %0,$(all_arch))),$(patsubst sm_%,%,$(CUDA_ARCH)))
gencode  = $(if $(filter native,$(CUDA_ARCH)),-arch=native,$(foreach a,$(architectures),-gencode arch=compute_$(a)$(comma)code=sm_$(a)))
# PETSc's configure finds a compiler for CUDA also where it is told to leave CUDA out
cuda_on := $(shell grep -lsE '^.define PETSC_HAVE_CUDA 1' $(addsuffix /include/petscconf.h,$(PETSC_DIR)/$(PETSC_ARCH) $(PETSC_DIR)))
gpu     := $(if $(cuda_on),$(if $(CUDAC),$(filter 3.26.% $(if $(and $(GPU_UNTRIED),$(filter 32,$(PETSC_INDEX_SIZE))),$(foreach minor,20 21 22 23 24 25,3.$(minor).%)),$(version))))
sources := $(wildcard $(foreach r,$(ROOMS),$(src)/$(r)/*.c) $(ksp)/*.c $(if $(gpu),$(ksp)/cuda/*.c $(ksp)/cuda/*.cu $(src)/cuda/*.c $(foreach r,products planning dense runtime generator,$(src)/cuda/$(r)/*.c $(src)/cuda/$(r)/*.cu)))
objects := $(addprefix $(BUILD)/,$(addsuffix .o,$(basename $(sources)))) $(if $(gpu),$(BUILD)/$(src)/cuda/generator/agents.o)
library := $(BUILD)/libpetscautocsr.so
soname  := libpetscautocsr.so.$(shell cut -d. -f1,2 config/VERSION)
convert := $(BUILD)/src/benchmarks/programs/autocsr_convert
tune    := $(BUILD)/src/benchmarks/programs/autocsr_tune
search  := $(BUILD)/src/benchmarks/programs/autocsr_search

# Warnings are errors in CI (WERROR=-Werror); what no compiler doubts, anywhere. PETSc's own headers do not count: they are system headers here.
CSTD      = -std=gnu11
CERROR    = -Werror=implicit-function-declaration -Werror=unused-variable -Werror=unused-function
CWARN     = -Wall -Wextra -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers -Wshadow $(WERROR)
COPT     ?= -O3 -g
INCLUDES  = -I$(top)/include $(patsubst -I%,-isystem %,$(filter-out -I/usr/include,$(PETSC_CC_INCLUDES)))
# Objects name the sources from the top of this folder on, whatever the path to it
RELATIVE  = -ffile-prefix-map=$(top)=.
# Products may be fused, nothing may be reordered. Where variables live in optimized code is not noted down for debuggers: that takes as long as a third of all else
CFLAGSALL = $(CWARN) $(user_cpp) $(COPT) -fno-var-tracking $(if $(filter %.c,$<),$(user_c),$(user_cxx)) $(RELATIVE) -fPIC -fvisibility=hidden -fopenmp-simd -fno-math-errno -ffp-contract=fast $(INCLUDES)
# Of all that PETSc links with, only what is called
PETSC_LINK = $(user_ld) -Wl,--as-needed $(PETSC_LIB)
COMPILE   = $(CC) $(CSTD) $(CERROR) -Wstrict-prototypes $(if $(gpu),-DAUTOCSR_HAVE_CUDA) $(CFLAGSALL)
# No fast math: a product is fused or not, but nothing is reordered, and NaN and Inf stay what they are. Lines for a profiler (-lineinfo) make the
# library three times as large, and what it loads before a first product takes milliseconds longer
NVOPT    ?= -O3
NVCOMPILE = $(CUDAC) -ccbin $(CXX) -std=c++17 -DAUTOCSR_HAVE_CUDA $(filter -D% -U% -I%,$(user_cpp)) $(NVOPT) $(gencode) \
  $(if $(WERROR),-Werror all-warnings) -Xcompiler "-Wall -Wno-unused-parameter $(subst $(comma),\$(comma),$(user_cxx)) $(RELATIVE) -fPIC -fvisibility=hidden $(WERROR)" $(filter-out -isystem,$(subst -isystem ,-isystem=,$(INCLUDES)))

# V=1 shows the commands
quiet = $(if $(V),,@echo '  $(1) $(@:$(BUILD)/%=%)' && )

# A PETSc with CUDA must find CUDA's libraries, and a driver: the stub where there is none
ifneq ($(and $(cuda_on),$(CUDAC)),)
  cuda  := $(patsubst %/bin/nvcc,%,$(CUDAC))
  stubs := $(if $(shell ldconfig -p 2>/dev/null | grep libcuda.so.1),,:$(cuda)/lib64/stubs)
  export LD_LIBRARY_PATH := $(LD_LIBRARY_PATH:%=%:)$(cuda)/lib64$(stubs)
endif

all: $(library) $(convert) $(tune) $(search)
	@$(if $(filter $(top)/build/%,$(BUILD)),ln -sfn $(library) $(top)/build/libpetscautocsr.so; ln -sfn $(BUILD) $(top)/build/last)
	@echo "For PETSc $(version) ($(PETSC_SCALAR), $(PETSC_PRECISION), $(PETSC_INDEX_SIZE)-bit indices): -dll_append $(library) -mat_type autocsr"

objects: $(objects)
$(library): $(objects)
	$(call quiet,LINK)$(CLINKER) -shared -Wl,-soname,$(soname) -o $@ $^ $(PETSC_LINK) -lm
	@ln -sfn $(@F) $(BUILD)/$(soname)

# Everything is compiled again for another PETSc or other flags in the same folder
stamp := $(BUILD)/config.stamp
config = $(subst ','\'',$(PETSC_DIR) $(PETSC_ARCH) $(version) $(soname) $(COMPILE) $(user_c) $(user_cxx) $(user_ld) $(PROGRAM_RPATH) $(CUDA_ARCH) $(NVOPT))
$(stamp): FORCE
	@mkdir -p $(@D)
	@echo '$(config)' | cmp -s - $@ || echo '$(config)' >$@

$(BUILD)/%.o: %.c $(stamp)
	@mkdir -p $(@D)
	$(call quiet,CC)$(COMPILE) $(ISA_$(basename $(notdir $<))) -MMD -MP -c -o $@ $<

# The agents' headers as strings, for the compiler at run time (cuda/generator): one text for all compilers
agents := $(addprefix $(src)/,cuda/generator/shim.h layout/axes.h layout/roots.h profile/planes.h cuda/runtime/shapes.h cuda/runtime/launch.h $(addprefix cuda/common/,ptx.cuh words.cuh) \
  $(addprefix cuda/products/,agent.cuh entries.cuh join.cuh $(addprefix agent_,csr.cuh fetch.cuh segsum.cuh merge.cuh row_blocks.cuh products.cuh sliced.cuh sellp.cuh stencil.cuh planes.cuh)))
$(BUILD)/$(src)/cuda/generator/agents.c: $(agents) config/embed.awk
	@mkdir -p $(@D)
	@awk -f config/embed.awk $(agents) >$@
$(BUILD)/$(src)/cuda/generator/agents.o: $(BUILD)/$(src)/cuda/generator/agents.c $(stamp)
	$(call quiet,CC)$(COMPILE) -c -o $@ $<

$(BUILD)/%.o: %.cu $(stamp)
	@mkdir -p $(@D)
	$(call quiet,NVCC)$(NVCOMPILE) $(if $(PTX),-keep -keep-dir $(@D)) -MMD -MP -c -o $@ $<
	@$(if $(PTX),find $(@D) -name '$(*F).*' ! -name '*.ptx' ! -name '*.[od]' -delete)

# What is launched early waits first, also as the compiler has it. A build with PTX=1 has left these files
$(BUILD)/%.ptx: %.cu $(stamp)
	@mkdir -p $(@D)
	$(call quiet,NVCC)$(filter-out -gencode arch=% -arch=%,$(NVCOMPILE)) -arch=compute_$(firstword $(architectures)) -ptx -o $@ $<
kernels := $(patsubst %.cu,$(BUILD)/%.ptx,$(filter %.cu,$(sources)))
# All sources, kernels as far as PTX: the assembler takes as long again
compile: $(kernels) $(patsubst %.c,$(BUILD)/%.o,$(filter %.c,$(sources)))
	@echo "$(words $^) files compile"
check-early: $(filter-out %/figures.ptx %/diagonal.ptx,$(kernels))
	@config/check-early.py $^

$(BUILD)/%.o: %.cxx $(stamp)
	@mkdir -p $(@D)
	$(call quiet,CXX)$(CXX) $(CFLAGSALL) -MMD -MP -c -o $@ $<

# ---- The device's room without a device (tests/emulator; where PETSc has no CUDA, whose functions have the same names): its sources as
# C++ in which every access to memory is told to the emulator. No path is doubled, so that a place in the source is one place in the
# program; variables without a value have a bad one
emulator_dir := tests/emulator
planning     := $(wildcard $(src)/cuda/planning/*.cu $(src)/cuda/dense/*.cu)
emulated     := $(addprefix $(src)/cuda/,$(addprefix products/,executors.cu first.cu many.cu residual.cu segsum.cu kernel.c) runtime/launch.c runtime/memory.c runtime/record.c runtime/upload.c generator/source.c generator/constants.c generator/stretches.c)
emulator     := $(wildcard $(emulator_dir)/*.cxx $(emulator_dir)/*.c)
EMULATED      = $(patsubst $(src)/cuda/%,$(BUILD)/emulated/%.o,$(basename $(emulated))) $(patsubst %.cu,$(BUILD)/%.o,$(wildcard $(emulator_dir)/*.cu)) $(addprefix $(BUILD)/,$(addsuffix .o,$(basename $(emulator))))
PLANNED       = $(patsubst $(src)/cuda/%.cu,$(BUILD)/emulated/%.o,$(planning)) $(patsubst $(ksp)/cuda/%,$(BUILD)/emulated/ksp/%.o,$(basename $(wildcard $(ksp)/cuda/*.cu $(ksp)/cuda/*.c)))
EMULATION     = -I$(emulator_dir)/include -O1 -fno-thread-jumps -ftrivial-auto-var-init=pattern
WATCHED       = $(EMULATION) -fsanitize=thread --param tsan-distinguish-volatile=1 -include $(emulator_dir)/device.h -Wno-unknown-pragmas -Wno-unused-function
can_emulate  := $(if $(gpu),,$(shell printf '\043if defined(__clang__) || !defined(__x86_64__)\n\043error\n\043endif\n' | $(or $(CXX),false) -fsanitize=thread -ftrivial-auto-var-init=pattern -x c++ -c -o /dev/null - 2>/dev/null && echo 1))
$(BUILD)/emulated/%.o: $(src)/cuda/%.cu $(stamp)
	@mkdir -p $(@D)
	$(call quiet,EMULATE)$(CXX) -std=c++17 $(CFLAGSALL) $(WATCHED) -MMD -MP -c -o $@ -x c++ $<
$(BUILD)/$(emulator_dir)/%.o: $(emulator_dir)/%.cu $(stamp)
	@mkdir -p $(@D)
	$(call quiet,EMULATE)$(CXX) -std=c++17 $(CFLAGSALL) $(WATCHED) -MMD -MP -c -o $@ -x c++ $<
$(BUILD)/emulated/ksp/%.o: $(ksp)/cuda/%.cu $(stamp)
	@mkdir -p $(@D)
	$(call quiet,EMULATE)$(CXX) -std=c++17 $(CFLAGSALL) $(WATCHED) -include $(emulator_dir)/cluster.h -MMD -MP -c -o $@ -x c++ $<
$(BUILD)/emulated/ksp/%.o: $(ksp)/cuda/%.c $(stamp)
	@mkdir -p $(@D)
	$(call quiet,EMULATE)$(CC) $(CSTD) $(CFLAGSALL) -I$(emulator_dir)/include -DAUTOCSR_HAVE_CUDA -MMD -MP -c -o $@ $<
$(BUILD)/emulated/%.o: $(src)/cuda/%.c $(stamp)
	@mkdir -p $(@D)
	$(call quiet,EMULATE)$(CC) $(CSTD) $(CFLAGSALL) -I$(emulator_dir)/include -MMD -MP -c -o $@ $<
$(BUILD)/$(emulator_dir)/%.o: CFLAGSALL += -I$(emulator_dir)/include -Wno-unknown-pragmas -std=$(if $(filter %.c,$<),gnu11,c++17)

# The same kernel text for each instruction set
ISA_kernels_avx2   = -mavx2 -mfma
ISA_kernels_avx512 = -mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma -mprefer-vector-width=512
ISA_kernels_avx512_gather = $(ISA_kernels_avx512)
ISA_gather                = $(ISA_kernels_avx512)

# ---- Programs: plain PETSc programs into which the library is loaded, but for
# private: those that call private functions (they include private headers, or a header of tests/ that does) and are linked with the library's objects
# linked:  those that call the public functions and are linked with the library
# halves:  those of which a part is CUDA
# emulating: those that run kernels without a device (tests/emulated)
# device:  halves, and those that call the device's backend
programs := $(filter-out $(emulator) tests/preload/%,$(wildcard tests/*/*.c tests/*/*.cxx examples/*.c))
private  := $(if $(programs),$(shell grep -lE 'include.*(src/(mat|ksp)/impls/autocsr|/(blocks|dense_ways|plans|products|steps)\.h")' $(programs)))
linked   := $(filter-out $(private),$(if $(programs),$(shell grep -l 'include.*petscautocsr\.h' $(programs))))
halves   := $(patsubst %_nvcc.cu,%.c,$(wildcard tests/*/*_nvcc.cu))
emulating := $(filter tests/emulated/%,$(programs))
device   := $(halves) $(filter-out $(emulating),$(if $(programs),$(shell grep -l AutoCSRBackendCUDA $(programs))))
slepc    := $(filter-out $(private),$(if $(programs),$(shell grep -l 'include.*slepc' $(programs))))
# SLEPc's installation of the same PETSc: Debian's where it is there
SLEPC_DIR ?= $(wildcard $(subst petscdir/petsc,slepcdir/slepc,$(filter /usr/lib/petscdir/%,$(PETSC_DIR))))
export SLEPC_DIR
exe       = $(patsubst %,$(BUILD)/%,$(basename $(1)))
runnable := $(filter-out $(if $(SLEPC_DIR),,$(slepc)) $(if $(CXX),,%.cxx) $(if $(gpu),,$(device)) $(if $(can_emulate),,$(emulating)),$(programs))

LINK = $(if $(filter %.cxx,$<),$(CXXLINKER),$(CLINKER)) -o $@ $(filter %.o %.a,$^)
$(call exe,$(programs)): $(BUILD)/%: $(BUILD)/%.o
	$(call quiet,LINK)$(LINK) $(LINK_WITH) $(PETSC_LINK) -lm
$(call exe,$(emulating)): $(EMULATED)
$(call exe,$(filter $(private),$(emulating))): $(PLANNED)
$(patsubst %,$(BUILD)/%.o,$(basename $(emulating))): INCLUDES += -I$(emulator_dir)/include
$(patsubst %.cxx,$(BUILD)/%.o,$(filter %.cxx,$(emulating))): CFLAGSALL += -std=c++17 $(WATCHED)
$(call exe,$(private)): $(BUILD)/private.a
$(call exe,$(halves)): $(BUILD)/%: $(BUILD)/%_nvcc.o
$(call exe,$(linked)): $(library)
$(call exe,$(linked)): LINK_WITH = -L$(BUILD) -Wl,-rpath,$(BUILD) -lpetscautocsr
$(call exe,$(slepc)): LINK_WITH = -L$(SLEPC_DIR)/lib -Wl,-rpath,$(SLEPC_DIR)/lib $(SLEPC_LIB_BASIC)
ifneq ($(SLEPC_DIR),)
  -include $(SLEPC_DIR)/lib/slepc/conf/slepcvariables
  SLEPC_LIB_BASIC ?= -lslepc
  $(patsubst %.c,$(BUILD)/%.o,$(slepc)): INCLUDES += -isystem $(SLEPC_DIR)/include
endif
# deal.II's installation with the same PETSc: Debian's where it is there. deal.II compiles programs by cmake, without the variables of this make
DEAL_II_DIR ?= $(if $(filter /usr/lib/petscdir/petsc3.%-real,$(PETSC_DIR)),$(wildcard /usr/share/cmake/deal.II))
dealii := $(if $(and $(DEAL_II_DIR),$(shell command -v cmake)),$(BUILD)/examples/poisson_dealii)
$(BUILD)/examples/poisson_dealii: examples/poisson_dealii.cc examples/CMakeLists.txt $(stamp)
	@rm -rf $@ $@.cmake
	$(call quiet,CMAKE)env -u MAKEFLAGS -u MFLAGS sh -c 'cmake -S examples -B $@.cmake -DDEAL_II_DIR=$(DEAL_II_DIR) -DCMAKE_BUILD_TYPE=Release -DCMAKE_RUNTIME_OUTPUT_DIRECTORY=$(@D) && cmake --build $@.cmake' $(if $(V),,>/dev/null)
$(BUILD)/private.a: $(objects)
	@rm -f $@
	@$(AR) rcT $@ $^

$(convert): $(convert).o
	$(call quiet,LINK)$(CLINKER) -o $@ $< $(PETSC_LINK) -lz -lm
# They find the library beside them or in lib, where all are installed, and where it was built
PROGRAM_RPATH ?= -Wl,-rpath,'$$ORIGIN:$$ORIGIN/../../..:$$ORIGIN/../lib'
$(tune) $(search): %: %.o $(library)
	$(call quiet,LINK)$(CLINKER) -o $@ $< -L$(BUILD) $(PROGRAM_RPATH) -lpetscautocsr $(PETSC_LINK) -lm

# ---- Matrices in PETSc's binary form: those of tests/data, and larger ones from a folder where there is one
MATRICES ?= $(wildcard $(top)/../shared/matrices)
data     := $(BUILD)/data/stamp
more     := $(if $(MATRICES),$(BUILD)/matrices/stamp)
$(data): $(wildcard tests/data/*.mtx.gz) $(convert)
	config/convert-all.sh $(convert) $(PETSC_SCALAR) $(PETSC_PRECISION) $(@D) tests/data/*.mtx.gz
	@touch $@
$(more): $(convert)
	config/convert-all.sh $(convert) $(PETSC_SCALAR) $(PETSC_PRECISION) $(@D) $(MATRICES)/*.mtx.gz
	@touch $@

# ---- Tests: their form and the options of the runner are in config/run-tests.py
JOBS  ?= 2
PACK  ?= $(BUILD)/pack.tar.xz
tested = $(runnable) $(wildcard examples/*.py) src/benchmarks/programs/autocsr_convert.c src/benchmarks/programs/autocsr_tune.c src/benchmarks/programs/autocsr_search.c
preload = $(BUILD)/tests/preload.so
$(preload): $(wildcard tests/preload/*.c) $(stamp)
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(CSTD) $(CWARN) -O2 -fPIC -shared -o $@ $(filter %.c,$^) -ldl
RUN_TESTS = config/with-mpi.sh python3 config/run-tests.py --top $(top) --build $(BUILD) --lib $(library) --petsc-dir $(PETSC_DIR) --petsc-arch '$(PETSC_ARCH)' \
  --mpiexec '$(MPIEXEC)' --slepc-dir '$(SLEPC_DIR)' --private '$(private)' --jobs $(JOBS) --only '$(ONLY)' --but '$(BUT)' \
  $(if $(VALGRIND),--valgrind $(top)/config/valgrind.supp) --sanitizer '$(SANITIZE)' --options '$(TEST_OPTIONS)' $(if $(UPDATE),--update)
check: all $(preload) $(call exe,$(runnable)) $(data)
	@$(RUN_TESTS) --core $(tested)
test: all $(preload) $(call exe,$(runnable)) $(data) $(more)
	@$(RUN_TESTS) $(if $(more),--matrices $(dir $(more))) $(tested)
test-all: all $(preload) $(call exe,$(runnable)) $(data) $(more)
	@$(RUN_TESTS) --all $(if $(more),--matrices $(dir $(more))) $(tested)
pack: all $(preload) $(call exe,$(runnable)) $(data)
	@PRIVATE='$(private)' config/pack.sh $(PACK) $(BUILD) $(tested)
test-petsc: all
	@config/with-mpi.sh python3 config/test-petsc.py $(if $(PETSC_SRC),--petsc-src $(PETSC_SRC)) --lib $(library) --out $(BUILD)/test-petsc --jobs $(JOBS) \
	  $(foreach o,$(ONLY),--only '$o') $(TEST_PETSC_FLAGS)

# The demo's program: PETSc's own tutorial where its source can be found, else ours
tutorial  := src/ksp/ksp/tutorials/ex10.c
tutorial  := $(firstword $(wildcard $(PETSC_DIR)/$(tutorial) $(PETSC_DIR)/share/petsc/examples/$(tutorial)))
demo_program := $(BUILD)/$(if $(tutorial),demo/ex10,examples/solve)
$(BUILD)/demo/ex10: $(tutorial) $(stamp)
	@mkdir -p $(@D)
	$(call quiet,CC)$(CC) $(COPT) $(PETSC_CC_INCLUDES) -o $@ $< $(PETSC_LINK) -lm
demo: all $(demo_program) $(data)
	@config/with-mpi.sh config/demo.sh $(demo_program) $(library) $(BUILD)/data/bcsstk28.bin $(if $(gpu),$(shell nvidia-smi -L >/dev/null 2>&1 && echo aijcusparse))
# The examples, with what each gained against aij (SMALL=1: small problems, once)
examples: all $(call exe,$(filter examples/%,$(runnable))) $(dealii) $(data)
	@examples/run-all $(BUILD) $(library) $(if $(SMALL),-small)
include src/benchmarks/bench.mk

docs: $(BUILD)/docs/index.md
described = $(patsubst $(BUILD)/%,%.c,$(convert) $(tune) $(search)) src/benchmarks/programs/autocsr_wisdom src/benchmarks/programs/autocsr_report
$(BUILD)/docs/index.md: config/make-docs.py config/make-man1.py include/petscautocsr.h $(sources) $(described)
	@python3 config/make-man1.py $(BUILD)/docs $(described)
	@python3 config/make-docs.py $(BUILD)/docs include/petscautocsr.h $(sources)

# The paths go by the environment: they may have blanks, and characters that shells and sed take for something else
export PREFIX DESTDIR LIBDIR FLAT PLAIN
install: all docs
	@config/install.sh '$(VARIANT)' '$(BUILD)' '$(soname)' '$(version)' '$(PETSC_CC_INCLUDES)' '$(PETSC_LIB_DIR)' '$(PETSC_LIB_BASIC)' '$(if $(MPI_IS_MPIUNI),0,1)'

# After install, where make is asked for both
installcheck: $(filter install,$(MAKECMDGOALS))
	@config/installcheck.sh '$(VARIANT)' '$(CC)'

deb:
	@config/packages.sh deb
	config/deb.sh $(top)/build/deb

petsc-cuda:
	config/petsc-cuda.sh build
format:
	@config/packages.sh format
	clang-format -i $$(git ls-files '*.c' '*.h' '*.cxx')
clean:
	rm -rf $(top)/build
help:
	@sed -n 's/^#: //p' makefile
#: make              the library, autocsr_convert, autocsr_tune and autocsr_search, in build/<PETSc's version, scalar, precision, integers, arch>
#: make demo         a PETSc program on a real matrix with aij and with autocsr
#: make examples     the programs of examples/ with aij and with autocsr, and what each gained (SMALL=1: small problems)
#: make check        the core of the tests (ONLY='changes real_m*' picks, BUT='solves*' leaves out; VALGRIND=1; JOBS=2;
#:                   SANITIZE=memcheck|racecheck|initcheck on a GPU; TEST_OPTIONS='-use_gpu_aware_mpi 0')
#: make test         all tests; make test-all: at full size and with a new seed, which takes about three times as long
#: make check-early  of a PETSc with CUDA: no kernel that is launched early reads or writes before it waits, as compiled
#: make compile      all objects, and kernels as far as PTX: shows whether the sources compile where nothing can be linked
#: make pack         an archive that runs the tests on a machine without compiler and PETSc (PACK=<file>; config/pack.sh)
#:                   config/pack-device.sh packs these and the benchmark for several PETScs, config/on-device.sh runs them there
#: make test-petsc   PETSc's own tests with autocsr in the place of aij (PETSC_SRC=<PETSc's source tree>; ONLY='ksp_*';
#:                   TEST_PETSC_FLAGS='--sample 100', '--rerun-failed', ...: config/test-petsc.py --help)
#: make bench        the benchmark; results in src/benchmarks/results (RANKS=2; BENCH_ARGS='-scale 0.1'; MATRICES=<folder of .mtx.gz files>)
#: make bench-gpu    the same on a GPU; make pack-bench packs it for a machine without compiler and PETSc (BENCH_PACK=<file>)
#: make overheads    what a product costs beside: the host, new values, transposed products, memory (BENCH_ARGS=-gpu on a GPU)
#: make dense        products with dense matrices against PETSc's type (BENCH_ARGS=-gpu on a GPU)
#: make sddmm        dense matrices sampled (MatAutoCSRSDDMM()) against a loop, on a GPU (BENCH_ARGS=-gpu) cuSPARSE's
#: make startup      what a program waits for before its first product, by phases (BENCH_ARGS=--gpu on a GPU)
#: make large        matrices of a given number of nonzeros: set-up, product, memory (BENCH_ARGS='-gpu -nonzeros 1e9,2e9' on a GPU)
#: make lives        programs that step in time with small matrices, against PETSc's type (BENCH_ARGS=-gpu on a GPU)
#: make bench-solves KSPSolve(): first, later and with new values, of PETSc's type and of autocsr (BENCH_ARGS=-gpu on a GPU)
#: make tables       the tables of the documents, from src/benchmarks/results, and of doc/options.md, from the code
#: make plot         README's plot, from src/benchmarks/results (wants gnuplot)
#: make model        what the cost model says of every variant, and how long each takes
#: make training-data  what the learned choosers learn from: features and seconds of every variant of many matrices
#: make tune          trees of this machine, in TUNE_FILE=<file> for -mat_autocsr_learned; TUNE_SECONDS=900 at most (BENCH_ARGS=-gpu: of its GPU)
#: make energy        trees of joules, from training data with these (src/benchmarks/results/energy-gpu.csv), and what choices by each objective lose
#: make docs         manual pages, in the build folder under docs/
#: make install      library, header, autocsr_convert, autocsr_tune, autocsr_search, autocsr_wisdom, autocsr_report, pkg-config file, manual pages (PREFIX=/usr/local, DESTDIR=). Builds for several
#:                   PETScs go into lib/petscautocsr/<VARIANT>; the plain names are links to the last one (PLAIN=no: they stay).
#:                   LIBDIR=lib64 names the folder of libraries, FLAT=yes is for a prefix of one PETSc, where everything has its plain name
#: make installcheck programs that use what make install has put under PREFIX
#: make deb          Debian packages for Debian's PETSc, in build/deb (DEB_BUILD_OPTIONS='nocheck parallel=2')
#: make petsc-cuda   builds a current PETSc with CUDA, outside the checkout (config/petsc-cuda.sh: debug, scalars, integers,
#:                   a source package that is there already)
#: make format       clang-format on the sources
#: make clean        removes build/
#: COPT='-O3 -g', CFLAGS, CXXFLAGS, CPPFLAGS and LDFLAGS are what is compiled and linked with
#: make uses all cores for one goal; -j<n> sets the number of jobs
#: V=1 shows commands, WERROR=-Werror makes warnings errors, CUDA_ARCH='80 90' names the architectures that CUDA code is compiled for
#: PETSC_DIR and PETSC_ARCH name the PETSc; without them, pkg-config's, and without that, Debian's, which is installed

# make deletes the target of a command that failed, and ignores a .d file without its object
.DELETE_ON_ERROR:
-include $(foreach d,$(shell find $(BUILD) -name '*.d' 2>/dev/null),$(if $(wildcard $(d:.d=.o)),$d))
FORCE:
.PHONY: all objects compile check check-early test test-all pack test-petsc demo examples docs install installcheck deb petsc-cuda format clean help FORCE
.SECONDARY:
