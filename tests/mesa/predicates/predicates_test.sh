#!/usr/bin/env bash
# Compares the predicates of Debian's Mesa 25.0, compiled from its source, with the meanings that Rewrought assigns to
# them, and compares the resulting rows with docs/results/predicates.tsv. Rows of the dialect nir-26 are compared only
# if a tree of Mesa 26 is given.
# usage: predicates_test.sh COMPARE WORKSPACE BUILD_HELPERS RUN_HELPERS_C FAULTS [MESA_26_TREE]
# With BLESS=1, writes the rows to docs/results/predicates.tsv instead.
# The sources are cached in $XDG_CACHE_HOME/rewrought if the variable is set, otherwise in the test's folder.
set -euo pipefail
compare=$1 root=$(dirname "$(readlink -f "$2")") build=$3 source=$4 faults=$5 tree26=${6:-}
scratch=${TEST_TMPDIR:?}
cache=${XDG_CACHE_HOME:+$XDG_CACHE_HOME/rewrought}
cache=${cache:-$scratch}
tree=$cache/mesa/mesa-trixie
[ -e "$tree/src/compiler/nir/nir_algebraic.py" ] || "$root/tools/debian_source.sh" mesa trixie "$cache/mesa" >/dev/null

# rows TREE [HEADER]: prints the rows of the tree's dialect.
rows() {
  local version program
  version=$(cat "$1/VERSION")
  program=$(/usr/bin/python3 -B "$build" "$1" "$root/tools/driver_rig/matcher" "$source" "$cache/matcher/$version" \
    "$scratch/own" ${2:+"$2"})
  "$compare" "$program" "$version" "$faults"
}
rows "$tree" >"$scratch/rows"
[ -z "$tree26" ] || rows "$tree26" >>"$scratch/rows"

table=$root/docs/results/predicates.tsv
dialects=nir-25${tree26:+|nir-26}
if [ "${BLESS:-}" = 1 ]; then
  head -n 1 "$table" >"$scratch/table"
  { sed 1d "$table" | grep -vE $'\t'"($dialects)"$'\t' || true; } | cat - "$scratch/rows" |
    LC_ALL=C sort -t $'\t' -k2,2 -k1,1 -s >>"$scratch/table"
  cp "$scratch/table" "$table"
fi
grep -E $'\t'"($dialects)"$'\t' "$table" | LC_ALL=C sort | diff - <(LC_ALL=C sort "$scratch/rows") || {
  echo "predicates_test: docs/results/predicates.tsv differs; write it again with BLESS=1" >&2
  exit 1
}

# The comparison must detect a predicate that promises less than its meaning.
mkdir -p "$scratch/changed"
header=src/compiler/nir/nir_search_helpers.h
sed 's/if ((c & 0x1f) == 0)/if ((c \& 0x3f) == 0)/' "$tree/$header" >"$scratch/changed/nir_search_helpers.h"
if said=$(rows "$tree" "$scratch/changed/nir_search_helpers.h" 2>&1 >/dev/null); then
  echo "predicates_test: a wrong predicate was not found" >&2
  exit 1
fi
grep -q 'is_5lsb_not_zero promises too much' <<<"$said"
