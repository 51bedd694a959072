#!/usr/bin/env bash
# Packs what the tests need into one archive, for a machine with a GPU, MPI and Python but no compiler, no PETSc and no make:
#   mkdir tests && tar -xJf pack.tar.xz -C tests && tests/run-tests [options of config/run-tests.py]
# Usage: config/pack.sh ARCHIVE BUILD SOURCE...   The sources have TEST blocks; their programs and the library are in BUILD.
# Settings: PETSC_DIR, PETSC_ARCH; PRIVATE: sources that the library is not loaded into; PACK_PETSC=0: without PETSc's
# library, where the other machine has it on its LD_LIBRARY_PATH; PACK_MATRICES: a folder of larger matrices;
# PACK_NVRTC: the folder of NVRTC, where the other machine has none and tests are to compile kernels there (110 MB, a quarter of it packed)
set -euo pipefail
archive=$1 build=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir -p "$folder/build" "$folder/petsc/lib" "$folder/petsc/include"
cp --parents config/run-tests.py config/with-mpi.sh "$@" "$folder"
for source in "$@"; do
  [ ! -d "$(dirname "$source")/output" ] || cp -r --parents -n "$(dirname "$source")/output" "$folder"
  program=${source%.*}
  [ ! -x "$build/$program" ] || install -D -s "$build/$program" "$folder/build/$program"
done
install -D -s "$build/tests/preload.so" "$folder/build/tests/preload.so"
cp -r --parents tests/data "$folder"
cp -r "$build/data" "$folder/build"
install -s "$build/libpetscautocsr.so" "$folder/build"
ln -s libpetscautocsr.so "$folder/build/$(objdump -p "$build/libpetscautocsr.so" | awk '$1 == "SONAME" {print $2}')"
cp "$PETSC_DIR/$PETSC_ARCH/include/petscconf.h" "$folder/petsc/include"
if [ "${PACK_PETSC:-1}" != 0 ]; then
  library=$(readlink -f "$PETSC_DIR/$PETSC_ARCH/lib/libpetsc.so")
  name=$(objdump -p "$library" | awk '$1 == "SONAME" {print $2}')
  install -s "$library" "$folder/petsc/lib/$name"
fi
[ -z "${PACK_NVRTC:-}" ] || cp "$PACK_NVRTC"/libnvrtc.so.1? "$PACK_NVRTC"/libnvrtc-builtins.so.1?.? "$folder/petsc/lib"
[ -z "${PACK_MATRICES:-}" ] || cp -r "$PACK_MATRICES" "$folder/build/matrices"

cat >"$folder/run-tests" <<EOF
#!/usr/bin/env bash
cd "\$(dirname "\$0")" || exit 1
export LD_LIBRARY_PATH=\$PWD/build:\$PWD/petsc/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
exec config/with-mpi.sh python3 config/run-tests.py --top "\$PWD" --build "\$PWD/build" --lib "\$PWD/build/libpetscautocsr.so" --petsc-dir "\$PWD/petsc" \\
  --mpiexec "\${MPIEXEC:-mpiexec}" ${PACK_MATRICES:+--matrices "\$PWD/build/matrices"} --private '${PRIVATE:-}' "\$@" $*
EOF
chmod +x "$folder/run-tests"
# The private programs hold the same objects: one window over all of them
tar -C "$folder" --sort=name -cf - . | xz -T1 -6 --lzma2=preset=6,dict=64MiB >"$archive"
du -h "$archive"
