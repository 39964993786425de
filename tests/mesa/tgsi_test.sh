#!/usr/bin/env bash
# Compares random programs of the machine `vec4` with tgsi_exec.c of Debian's Mesa 25.0, which this test builds from
# source, and checks that the comparison detects a wrong interpreter.
# usage: tgsi_test.sh COMPARE WORKSPACE RUN_TGSI_SOURCE [PROGRAMS]
# The source is cached in $XDG_CACHE_HOME/rewrought/mesa if the variable is set, otherwise in the test's folder.
set -euo pipefail
compare=$1 debian_source=$(dirname "$(readlink -f "$2")")/tools/debian_source.sh source=$3
scratch=${TEST_TMPDIR:?}
cache=${XDG_CACHE_HOME:+$XDG_CACHE_HOME/rewrought}
cache=${cache:-$scratch}/mesa
tree=$cache/mesa-trixie
[ -e "$tree/src/gallium/auxiliary/tgsi/tgsi_exec.c" ] || "$debian_source" mesa trixie "$cache" >/dev/null

# build NAME EXEC: compiles the interpreter EXEC together with the code that parses TGSI text.
build() {
  mkdir -p "$scratch/generated/util/format"
  python3 "$tree/src/util/format/u_format_table.py" "$tree/src/util/format/u_format.yaml" --enums \
    >"$scratch/generated/util/format/u_format_gen.h"
  local tgsi=$tree/src/gallium/auxiliary/tgsi
  cc -O1 -w -ffp-contract=off -DHAVE_PTHREAD -DHAVE_STRUCT_TIMESPEC -DUTIL_ARCH_LITTLE_ENDIAN=1 \
    -DUTIL_ARCH_BIG_ENDIAN=0 -DHAVE___BUILTIN_FFS -DHAVE___BUILTIN_EXPECT -DMESA_DEBUG=0 -I"$scratch/generated" \
    -I"$tree/include" -I"$tree/src" -I"$tree/src/gallium/include" -I"$tree/src/gallium/auxiliary" -I"$tgsi" \
    "$source" "$2" "$tgsi"/tgsi_{text,parse,build,info,util,strings}.c -lm -o "$scratch/$1"
}
build run_tgsi "$tree/src/gallium/auxiliary/tgsi/tgsi_exec.c"
"$compare" "$scratch/run_tgsi" "$scratch" "${4:-400}"

# The comparison must detect an interpreter whose MAD subtracts instead of adding.
sed 's/src0->f\[0\] \* src1->f\[0\] + src2->f\[0\]/src0->f[0] * src1->f[0] - src2->f[0]/' \
  "$tree/src/gallium/auxiliary/tgsi/tgsi_exec.c" >"$scratch/wrong_exec.c"
build run_wrong "$scratch/wrong_exec.c"
if "$compare" "$scratch/run_wrong" "$scratch" 100 2>/dev/null; then
  echo "the comparison did not detect a wrong interpreter" >&2
  exit 1
fi
