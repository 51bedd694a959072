#!/usr/bin/env bash
# Installs Debian packages by the role they play here, if they are not there yet.
# Usage: config/packages.sh ROLE...   Roles: see the case below.
set -euo pipefail

want=()
for role in "$@"; do
  case $role in
  make) want+=(make) ;;
  mpi) want+=(gcc g++ make pkg-config python3 python3-pip zlib1g-dev libopenmpi-dev openmpi-bin libopenblas-dev) ;;
  real) want+=(gcc g++ make pkg-config python3 zlib1g-dev libpetsc-real3.18-dev libpetsc3.18-dev-examples) ;;
  complex) want+=(libpetsc-complex3.18-dev) ;;
  int64) want+=(libpetsc64-real3.18-dev) ;;
  debug) want+=(libpetsc-real3.18-dbg) ;;
  clients) want+=(python3-petsc4py-real3.18 libslepc-real3.18-dev python3-venv python3-matplotlib) ;;
  valgrind) want+=(valgrind) ;;
  deb) want+=(gcc g++ make pkg-config python3 zlib1g-dev libpetsc-real3.18-dev dpkg-dev debhelper fakeroot lintian) ;;
  cmake) want+=(cmake) ;;
  plot) want+=(gnuplot-nox) ;;
  format) want+=(clang-format) ;;
  *) echo "packages: unknown role '$role'; roles: make mpi real complex int64 debug clients valgrind deb cmake plot format" >&2; exit 2 ;;
  esac
done
missing=()
for p in "${want[@]}"; do
  [ "$(dpkg-query -W -f '${Status}' "$p" 2>/dev/null)" = "install ok installed" ] || missing+=("$p")
done
[ ${#missing[@]} = 0 ] && exit 0
if ! command -v apt-get >/dev/null; then
  echo "packages: needs ${missing[*]}, and this system has no apt-get: install them by hand, or set PETSC_DIR and PETSC_ARCH" >&2
  exit 1
fi
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
export DEBIAN_FRONTEND=noninteractive
[ -n "$(find /var/lib/apt/lists -name '*_Packages*' -print -quit 2>/dev/null)" ] || $sudo apt-get -qq update
$sudo apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null || {
  $sudo apt-get -qq update && $sudo apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
}
echo "packages: installed ${missing[*]}"
