#!/usr/bin/env bash
# Compares every op's row, and random terms in all domains, with the constant evaluators of Debian's Mesa 22.3 and
# 25.0, which this test builds from source.
# usage: oracle_test.sh COMPARE WORKSPACE BUILD GENERATE DIFFERENCES CROSS_CHECK [VALUES [TERMS [SOLVED]]]
# The sources are cached in $XDG_CACHE_HOME/rewrought/mesa if the variable is set, otherwise in the test's folder.
set -euo pipefail
compare=$1 debian_source=$(dirname "$(readlink -f "$2")")/tools/debian_source.sh build=$3 generate=$4 differences=$5 cross_check=$6
scratch=${TEST_TMPDIR:?}
cache=${XDG_CACHE_HOME:+$XDG_CACHE_HOME/rewrought}
cache=${cache:-$scratch}/mesa
status=0
for pair in bookworm:22.3 trixie:25.0; do
  suite=${pair%%:*} version=${pair#*:}
  tree=$cache/mesa-$suite
  [ -e "$tree/src/compiler/nir/nir_algebraic.py" ] || "$debian_source" mesa "$suite" "$cache" >/dev/null
  library=$("$build" "$tree" "$generate" "$scratch/$version")
  "$compare" "$library" "$version" "$differences" "${7:-100000}" || status=1
  "$cross_check" "$library" "$version" "$differences" "${8:-50000}" "${9:-200}" || status=1
done
exit $status
