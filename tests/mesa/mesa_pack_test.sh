#!/usr/bin/env bash
# Loads sample packs with the nir_algebraic.py of the Mesa versions that they target, and compares our facts about
# these versions with their sources. usage: mesa_pack_test.sh PRINT_SAMPLE WORKSPACE LOAD_PACK CHECK_TARGET
# The sources are cached in $XDG_CACHE_HOME/rewrought/mesa if the variable is set, otherwise in the test's folder.
set -euo pipefail
print_sample=$1 debian_source=$(dirname "$(readlink -f "$2")")/tools/debian_source.sh load_pack=$3 check_target=$4
scratch=${TEST_TMPDIR:?}
cache=${XDG_CACHE_HOME:+$XDG_CACHE_HOME/rewrought}
cache=${cache:-$scratch}/mesa
# The distribution's python3 has mako.
python=/usr/bin/python3
"$python" -c 'import mako' || { echo "mesa_pack_test: apt-get install python3-mako" >&2; exit 1; }

"$print_sample" "$scratch/packs" >"$scratch/report.txt"
status=0
while IFS=$'\t' read -r target suite; do
  tree=$cache/mesa-$suite
  [ -e "$tree/src/compiler/nir/nir_algebraic.py" ] || "$debian_source" mesa "$suite" "$cache" </dev/null >/dev/null
  echo "== $target: Mesa $(cat "$tree/VERSION")"
  "$python" -B "$check_target" "$tree/src/compiler/nir" "$target" "$scratch/report.txt" || status=1
  for class in strict inexact; do
    "$python" -B "$load_pack" "$tree/src/compiler/nir" "$scratch/packs/$target/$class/nir.py" || status=1
  done
done < <(sed -n 's/^target\t//p' "$scratch/report.txt" | grep -v $'\t$')
exit $status
