#!/usr/bin/env bash
# Checks the stated accuracy of random rules and of the inexact rules of Debian's unmodified Mesa 25.0.7.
# usage: all_accuracy_test.sh ACCURACY_TABLE WORKSPACE
# The source is cached in $XDG_CACHE_HOME/rewrought/mesa if the variable is set, otherwise in the test's folder.
set -euo pipefail
table=$1 debian_source=$(dirname "$(readlink -f "$2")")/tools/debian_source.sh
scratch=${TEST_TMPDIR:?}
cache=${XDG_CACHE_HOME:+$XDG_CACHE_HOME/rewrought}
cache=${cache:-$scratch}/mesa
tree=$cache/mesa-trixie
[ -e "$tree/src/compiler/nir/nir_algebraic.py" ] || "$debian_source" mesa trixie "$cache" >/dev/null
echo "Mesa $(cat "$tree/VERSION")"

# check NAME LEAST ARGUMENTS...: checks the rules that ARGUMENTS select, and fails if fewer than LEAST can be checked.
check() {
  local name=$1 least=$2 code=0 rules
  shift 2
  "$table" --restarts 12 --steps 200 --unstated-restarts 0 "$@" >"$scratch/$name.tsv" || code=$?
  awk -F '\t' 'NR > 1 && $NF != ""' "$scratch/$name.tsv"
  rules=$(tail -n +2 "$scratch/$name.tsv" | cut -f 1 | sort -u | wc -l)
  echo "$name: $rules rules checked, exit $code"
  [ "$code" = 0 ] && [ "$rules" -ge "$least" ]
}

status=0
check random 391 --random 400 --seed 2 || status=1
check mesa 151 --random 0 --mesa "$tree/src/compiler/nir" || status=1
exit $status
