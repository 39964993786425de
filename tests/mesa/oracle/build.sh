#!/usr/bin/env bash
# Builds Mesa's constant evaluator as a shared library and prints its path. usage: build.sh TREE GENERATE OUT_DIR
set -euo pipefail
[ $# = 3 ] || { sed -n '2s/^# //p' "$0" >&2; exit 2; }
tree=$1 generate=$2 out=$3
# The distribution's python3 has mako.
/usr/bin/python3 -c 'import mako' || { echo "build.sh: apt-get install python3-mako" >&2; exit 1; }
/usr/bin/python3 -B "$generate" "$tree/src/compiler/nir" "$out"
util=("$tree"/src/util/{double,half_float,softfloat}.c)
[ ! -e "$tree/src/util/float8.c" ] || util+=("$tree/src/util/float8.c")
# Use Mesa's compiler flags, which prevent the contraction of a*b+c. Disable Mesa's fast paths for the host.
gcc -shared -fPIC -O1 -w -std=gnu11 -ffp-contract=off -fno-strict-aliasing -fwrapv -D_GNU_SOURCE -DHAVE_ENDIAN_H -DHAVE_PTHREAD \
  -DHAVE_STRUCT_TIMESPEC -DHAVE_TIMESPEC_GET -DHAVE___BUILTIN_UNREACHABLE -DHAVE___BUILTIN_EXPECT -DHAVE___BUILTIN_CLZ \
  -DHAVE___BUILTIN_CLZLL -DHAVE___BUILTIN_FFS -DHAVE___BUILTIN_FFSLL -DHAVE___BUILTIN_POPCOUNT -DHAVE___BUILTIN_POPCOUNTLL \
  -DHAVE_FUNC_ATTRIBUTE_PACKED -DUTIL_ARCH_LITTLE_ENDIAN=1 -DUTIL_ARCH_BIG_ENDIAN=0 \
  -I"$out" -I"$tree/src" -I"$tree/include" -I"$tree/src/util" -I"$tree/src/gallium/include" \
  "$out/evaluator.c" "${util[@]}" \
  -o "$out/libmesa_evaluator.so" -lm
echo "$out/libmesa_evaluator.so"
