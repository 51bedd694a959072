#!/usr/bin/env bash
# The Python package: built from a source package in a clean folder, and from a checkout for the PETSc of the package petsc; used with petsc4py.
# Usage: tests/packaging/pip.sh   (PYTHON: one that can have petsc4py; by default the system's, with Debian's. PETSC_DIR: a prefix install;
# COPT: how to optimize, -O1 by default, which compiles in half the time)
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
unset PETSC_ARCH
top=$PWD version=$(<config/VERSION)
python=${PYTHON:-/usr/bin/python3}
debian=/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real
[ ! -d "$debian/lib/python3/dist-packages" ] || export PYTHONPATH=$debian/lib/python3/dist-packages PETSC_DIR=${PETSC_DIR:-$debian}
export COPT=${COPT:--O1} OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_ess_singleton_isolated=1

"$python" -m venv --system-site-packages "$work/venv" && "$work/venv/bin/pip" -q install build setuptools >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
run() { (cd "$work" && "$work/venv/bin/python" "$@"); }
package=$work/dist/petscautocsr-$version.tar.gz

sdist() { (unset PYTHONPATH && run -m build --sdist --outdir "$work/dist" "$top") && tar -C "$work/dist" -xzf "$package"; }
linked() { grep -oP '\]\(\K[^):#]+' README.md | sort -u; }
files() { (cd "${package%.tar.gz}" && ls -d $(linked)); }
page() { grep -F '# MATAUTOCSR' "${package%.tar.gz}/PKG-INFO" && grep -F '(doc/guide.md)' "${package%.tar.gz}/PKG-INFO" && ! grep -P '\]\((?!https?:)' "${package%.tar.gz}/PKG-INFO"; }
# Twine's judgement, where pip can install it; else that of a module which `build` has brought
metadata() {
  if "$work/venv/bin/pip" -q install twine; then
    "$work/venv/bin/twine" check --strict "$package"
  else
    run -c 'import sys; from packaging.metadata import Metadata; print(Metadata.from_email(open(sys.argv[1], "rb").read()).version)' "${package%.tar.gz}/PKG-INFO"
  fi
}
install() { mkdir "$work/clean" && (cd "$work/clean" && unset PYTHONPATH && "$work/venv/bin/pip" install "$package"); }
version() { [ "$(run -c 'import petscautocsr; print(petscautocsr.__version__)')" = "$version" ]; }
program() { run "$top/examples/poisson.py" -dll_append "$(run -c 'import petscautocsr; print(petscautocsr.library)')" -mat_type autocsr; }
check "a source package is made" sdist
check "... with every file that README links to" files
check "... and a page without links to files" page
check "... and metadata that a registry takes" metadata
check "it builds and installs in a clean folder" install
check "the module has the version" version
check "load, type, info, settings, graph, view, plot before petsc4py starts" run "$top/tests/packaging/module.py" before
check "the same after petsc4py has started" run "$top/tests/packaging/module.py" after
check "the same on two processes" env -u OMPI_MCA_ess_singleton_isolated bash -c "cd '$work' && '$top/config/with-mpi.sh' mpiexec -n 2 venv/bin/python '$top/tests/packaging/module.py' after"
check "a program that knows nothing of it runs with the library" program

# Stands in for the package petsc, which takes long to build: what it says of itself is the package's, its PETSc is the one above
stand_in=$(run -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/petsc
mkdir "$stand_in" && ln -s "${PETSC_DIR:-$debian}"/{include,lib} "$stand_in"
printf 'def get_petsc_dir():\n    import os\n    return os.path.dirname(__file__)\n' >"$stand_in/__init__.py"
checkout() {
  mkdir "$work/checkout" && tar --exclude=./build --exclude=./.git -cf - . | tar -C "$work/checkout" -xf - &&
    (cd "$work/checkout" && unset PETSC_DIR PYTHONPATH && "$work/venv/bin/pip" install --force-reinstall .)
}
check "a checkout builds and installs without PETSC_DIR" checkout
check "... for the PETSc of the package petsc" grep "^$stand_in " "$work/checkout/build/pip/config.stamp"
check "... and a program runs with it" program
finish
