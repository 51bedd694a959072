#!/usr/bin/env bash
# make deb: Debian packages, from a copy of the sources with config/debian as their debian.
# Usage: config/deb.sh FOLDER   (the packages lie there; DEB_BUILD_OPTIONS and COPT as for config/debian/rules)
set -euo pipefail
cd "$(dirname "$0")/.."
rm -rf "$1"
tree=$1/petscautocsr-$(<config/VERSION)
mkdir -p "$tree"
cp -a config examples include makefile src CHANGELOG.md LICENSE README.md "$tree/"
mv "$tree/config/debian" "$tree/debian"
# A make above this one has set what is not for the packages
cd "$tree"
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u PETSC_DIR -u PETSC_ARCH -u PREFIX -u DESTDIR -u LIBDIR -u FLAT -u PLAIN -u BUILD -u VARIANT -u CUDA_ARCH dpkg-buildpackage -us -uc -b
