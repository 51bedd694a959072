#!/usr/bin/env bash
# Text that is generated is current, and `make help` lists the targets that there are.
# Usage: tests/scripts/text.sh
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/check.sh
unset MAKEFLAGS MFLAGS

targets() { sed -n 's/^\.PHONY: //p' makefile src/benchmarks/bench.mk | tr ' ' '\n' | grep -vx 'all\|objects\|help\|FORCE' | sort -u; }
helped() { make -s help | grep -oE '\bmake [a-z][a-z-]*' | sed 's/^make //' | grep -vx 'uses\|makes' | sort -u; }
check "tables and options are as make tables writes them" config/tables.py --check
check "make help lists the targets" diff <(targets) <(helped)
finish
