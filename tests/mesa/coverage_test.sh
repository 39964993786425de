#!/usr/bin/env bash
# Compares the descriptions' coverage with the drivers in Debian's Mesa source. A new case in a driver fails the test,
# which then names the case.
# usage: coverage_test.sh WORKSPACE CHECK_COVERAGE DESCRIPTION...
# The sources are cached in $XDG_CACHE_HOME/rewrought/mesa if the variable is set, otherwise in the test's folder.
set -euo pipefail
debian_source=$(dirname "$(readlink -f "$1")")/tools/debian_source.sh check=$2
shift 2
cache=${XDG_CACHE_HOME:+$XDG_CACHE_HOME/rewrought}
cache=${cache:-${TEST_TMPDIR:?}}/mesa
tree=$cache/mesa-trixie
[ -e "$tree/src/compiler/nir/nir_algebraic.py" ] || "$debian_source" mesa trixie "$cache" >/dev/null
/usr/bin/python3 -B "$check" "$tree" "$@"

# The check must report a case that a description does not list.
changed=$(mktemp -d -p "${TEST_TMPDIR:-/tmp}")
selector=src/gallium/drivers/vc4/vc4_program.c
mkdir -p "$changed/$(dirname "$selector")"
{ cat "$tree/$selector"; echo 'case nir_op_uabs_isub: code();'; } >"$changed/$selector"
for description in "$@"; do
  case $description in */vc4.textproto) vc4=$description ;; esac
done
if said=$(/usr/bin/python3 -B "$check" "$changed" "$vc4"); then
  echo "coverage_test: a new case was not found" >&2
  exit 1
fi
grep -q 'vc4: uabs_isub: a case in' <<<"$said"
