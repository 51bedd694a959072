#!/usr/bin/env bash
# The Python package: built from a source package in a clean folder, installed, used with petsc4py.
# Usage: tests/packaging/pip.sh   (PYTHON: one that can have petsc4py; by default the system's, with Debian's)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
top=$PWD
python=${PYTHON:-/usr/bin/python3}
debian=/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real
[ ! -d "$debian/lib/python3/dist-packages" ] || export PYTHONPATH=$debian/lib/python3/dist-packages PETSC_DIR=${PETSC_DIR:-$debian}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_ess_singleton_isolated=1

"$python" -m venv --system-site-packages "$work/venv" && "$work/venv/bin/pip" -q install build setuptools >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
run() { (cd "$work" && "$work/venv/bin/python" "$@"); }
sdist() { (unset PYTHONPATH && run -m build --sdist --outdir "$work/dist" "$top") && ls "$work/dist/petscautocsr-$(<config/VERSION).tar.gz"; }
install() { mkdir "$work/clean" && (cd "$work/clean" && unset PYTHONPATH && "$work/venv/bin/pip" install "$work"/dist/petscautocsr-*.tar.gz); }
version() { [ "$(run -c 'import petscautocsr; print(petscautocsr.__version__)')" = "$(<config/VERSION)" ]; }
program() { run "$top/examples/poisson.py" -dll_append "$(run -c 'import petscautocsr; print(petscautocsr.library)')" -mat_type autocsr; }
check "a source package is made" sdist
check "it builds and installs in a clean folder" install
check "the module has the version" version
check "load, type, info, settings, graph, view, plot before petsc4py starts" run "$top/tests/packaging/module.py" before
check "the same after petsc4py has started" run "$top/tests/packaging/module.py" after
check "the same on two processes" env -u OMPI_MCA_ess_singleton_isolated bash -c "cd '$work' && '$top/config/with-mpi.sh' mpiexec -n 2 venv/bin/python '$top/tests/packaging/module.py' after"
check "a program that knows nothing of it runs with the library" program
finish
