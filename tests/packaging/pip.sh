#!/usr/bin/env bash
# The Python package: built from a source package in a clean folder, installed, used with petsc4py.
# Usage: tests/packaging/pip.sh   (PYTHON: one that has petsc4py; Debian's)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
python=${PYTHON:-/usr/bin/python3}
export PETSC_DIR=${PETSC_DIR:-$("$python" -c 'import petsc4py; print(petsc4py.get_config()["PETSC_DIR"])')}

"$python" -m venv --system-site-packages "$work/venv" && "$work/venv/bin/pip" -q install build setuptools >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
sdist() { "$work/venv/bin/python" -m build --sdist --outdir "$work/dist" . && ls "$work"/dist/petscautocsr-"$(<config/VERSION)".tar.gz; }
install() { mkdir "$work/clean" && cd "$work/clean" && "$work/venv/bin/pip" install "$work"/dist/petscautocsr-*.tar.gz; }
version() { (cd "$work" && [ "$("$work/venv/bin/python" -c 'import petscautocsr; print(petscautocsr.__version__)')" = "$(<"$OLDPWD/config/VERSION")" ]); }
run() { (cd "$work" && "$work/venv/bin/python" "$@"); }
check "a source package is made" sdist
check "it builds and installs in a clean folder" install
check "the module has the version" version
check "load, type, info, settings, graph, view before petsc4py starts" run "$PWD/tests/packaging/module.py" before
check "the same after petsc4py has started" run "$PWD/tests/packaging/module.py" after
check "a program that knows nothing of it runs with the library" run "$PWD/examples/poisson.py" -dll_append "$(run -c 'import petscautocsr; print(petscautocsr.library)')" -mat_type autocsr
finish
