#!/usr/bin/env bash
# Text that is generated is current, each list of strategies has all of them, and `make help` lists the targets that there are.
# Usage: tests/scripts/text.sh
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
unset MAKEFLAGS MFLAGS

targets() { sed -n 's/^\.PHONY: //p' makefile src/benchmarks/bench.mk | tr ' ' '\n' | grep -vx 'all\|objects\|help\|FORCE' | sort -u; }
helped() { make -s help | grep -oE '\bmake [a-z][a-z-]*' | sed 's/^make //' | grep -vx 'uses\|makes' | sort -u; }
check "tables and options are as make tables writes them" config/tables.py --check

# Names of strategies, one a line. Those of the vendor, cusparse-..., are tested and described, and no variants of the benchmark
table() { sed -n 's/^#define ALL_STRATEGIES(F) //p' src/mat/impls/autocsr/strategy/table.c | grep -oE '\(\w+' | tr -d '(' | tr _ - | sort; }
ways() { sed -n 's/^    {"\([a-z0-9-]*\)".*/\1/p' tests/ways.h | grep -vx auto | sort -u; }
forced() { grep -oE 'VARIANT_FORCED\("[a-z0-9-]+' src/benchmarks/harness/bench.h | cut -d'"' -f2 | sort; }
described() { sed -n '/^  MatAutoCSRSetStrategy /,/^@/p' src/mat/impls/autocsr/interface/setters.c | grep -oE '`"[a-z0-9-]+"`' | tr -d '`"' | grep -vx auto | sort -u; }
# `graph` is what a user writes: tests/choose/graphs.c
check "tests/ways.h has the strategies of the table" diff <(table | grep -vx graph) <(ways)
check "... the benchmark, too" diff <(table | grep -vx graph | grep -v ^cusparse-) <(forced)
check "doc/graph.md has all operators" diff <(sed -n 's/^    {"\([a-z_]*\)".*/\1/p' src/mat/impls/autocsr/graph/operators.c | sort) <(sed -n '1,/^## What suits/s/^|[^|]*| `\([a-z_]*\)[(`].*/\1/p' doc/graph.md | sort)
check "... and the manual page of MatAutoCSRSetStrategy()" diff <(table) <(described)
version() { echo "$1 $(sed -n 's/^#define PETSCAUTOCSR_VERSION_[A-Z]*  *//p' include/petscautocsr.h | paste -sd.) $(sed -n 's/^version: //p' CITATION.cff)"; }
check "the header, CITATION.cff and config/VERSION name one version" test "$(version "$(<config/VERSION)")" = "$(printf '%s %s %s' "$(<config/VERSION)"{,,})"
check "... and Debian's files, too" grep -q "^petscautocsr ($(<config/VERSION)) " config/debian/changelog
check "... by whose first two numbers Debian's package is named" grep -qx "Package: libpetscautocsr$(cut -d. -f1,2 config/VERSION)" config/debian/control
recipes="config/petsc/autocsr.py config/spack/packages/petsc_autocsr/package.py"
recipe_versions() { sed -nE 's/^ *version\("(.*)"\)$/\1/p; s/^ *version: (.*)/\1/p' config/spack/packages/petsc_autocsr/package.py config/conda/meta.yaml | paste -sd' '; }
check "... and the recipes for Spack and conda" test "$(recipe_versions)" = "$(printf '%s %s' "$(<config/VERSION)"{,})"
check "the files for PETSc's configure and Spack are Python" python3 -c 'import ast, sys; [ast.parse(open(f).read()) for f in sys.argv[1:]]' $recipes
check "CHANGELOG.md begins with it" grep -qm 1 "^## $(<config/VERSION) " <(grep -m 1 '^## ' CHANGELOG.md)
check "make help lists the targets" diff <(targets) <(helped)
finish
