#!/usr/bin/env bash
# Compares the descriptions' coverage with the back ends of Debian's Mesa source; a driver's new case fails it by name.
# usage: coverage_test.sh WORKSPACE CHECK_COVERAGE DESCRIPTION...
# The sources are kept in $XDG_CACHE_HOME/rewrought/mesa if that variable is set, else in the test's own folder.
set -euo pipefail
debian_source=$(dirname "$(readlink -f "$1")")/tools/debian_source.sh check=$2
shift 2
cache=${XDG_CACHE_HOME:+$XDG_CACHE_HOME/rewrought}
cache=${cache:-${TEST_TMPDIR:?}}/mesa
tree=$cache/mesa-trixie
[ -e "$tree/src/compiler/nir/nir_algebraic.py" ] || "$debian_source" mesa trixie "$cache" >/dev/null
/usr/bin/python3 -B "$check" "$tree" "$@"

# A case that a description does not know must be found.
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
