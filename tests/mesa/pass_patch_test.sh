#!/usr/bin/env bash
# For each machine that has a driver, applies the patch with a sample pass to Debian's Mesa source: git am must accept
# the patch, the tree's generator must write the C code, and the compiler must accept it with the tree's headers.
# usage: pass_patch_test.sh PRINT_SAMPLE WORKSPACE
# The sources are cached in $XDG_CACHE_HOME/rewrought/mesa if the variable is set, otherwise in the test's folder.
set -euo pipefail
print_sample=$(readlink -f "$1") debian_source=$(dirname "$(readlink -f "$2")")/tools/debian_source.sh
scratch=${TEST_TMPDIR:?}
cache=${XDG_CACHE_HOME:+$XDG_CACHE_HOME/rewrought}
cache=${cache:-$scratch}/mesa
tree=$cache/mesa-trixie
python=/usr/bin/python3  # the distribution's python3 has mako
"$python" -c 'import mako' || { echo "pass_patch_test: apt-get install python3-mako" >&2; exit 1; }
[ -e "$tree/src/compiler/nir/nir_algebraic.py" ] || "$debian_source" mesa trixie "$cache" >/dev/null

"$print_sample" "$scratch/patches" mesa-25.0 "$tree" >"$scratch/machines.txt"
[ "$(wc -l <"$scratch/machines.txt")" -ge 16 ] || { echo "too few machines have a patch:" >&2; cat "$scratch/machines.txt" >&2; exit 1; }

# Create a repository of the files that the patches change.
repository=$scratch/repository
rm -rf "$repository" && mkdir -p "$repository"
export GIT_CONFIG_NOSYSTEM=1 HOME=$scratch
sed -n 's/^--- a\///p' "$scratch"/patches/*.patch | sort -u | while read -r file; do
  mkdir -p "$repository/$(dirname "$file")" && cp "$tree/$file" "$repository/$file"
done
git -C "$repository" init -q
git -C "$repository" config user.name test
git -C "$repository" config user.email test@localhost
git -C "$repository" add . && git -C "$repository" commit -qm "Mesa $(cat "$tree/VERSION")"
base=$(git -C "$repository" rev-parse HEAD)

generated=$scratch/generated
mkdir -p "$generated"
nir=$tree/src/compiler/nir
for header in nir_opcodes nir_builder_opcodes; do
  "$python" -B "$nir/${header}_h.py" >"$generated/$header.h"
done
for header in nir_intrinsics nir_intrinsics_indices; do
  "$python" -B "$nir/${header}_h.py" --outdir "$generated"
done
"$python" -B "$tree/src/compiler/builtin_types_h.py" "$generated/builtin_types.h"
mkdir -p "$generated/util/format"
"$python" -B "$tree/src/util/format/u_format_table.py" "$tree/src/util/format/u_format.yaml" --enums \
  >"$generated/util/format/u_format_gen.h"

while IFS=$'\t' read -r machine pass; do
  git -C "$repository" checkout -q "$base"
  git -C "$repository" am -q "$scratch/patches/$machine.patch"
  "$python" -B "$repository/src/compiler/nir/$pass.py" -p "$nir" --out "$scratch/$pass.c"
  places=$(grep -c "^bool $pass" "$repository/src/compiler/nir/nir.h")
  [ "$(grep -c '^bool$' "$scratch/$pass.c")" = "$places" ] ||
    { echo "$machine: $places places declared, but a different number generated" >&2; exit 1; }
  for function in $(sed -n "s/^bool \($pass[a-z_0-9]*\)(.*/\1/p" "$repository/src/compiler/nir/nir.h"); do
    grep -rqw "$function" "$repository/src" --include=*.c --include=*.cpp ||
      { echo "$machine: nothing calls $function" >&2; exit 1; }
  done
  gcc -std=gnu11 -O0 -c -Wall -Wmissing-prototypes -Wno-unused-variable -Wno-override-init -Wno-misleading-indentation \
    -DHAVE_PTHREAD -DHAVE_STRUCT_TIMESPEC -DHAVE_TIMESPEC_GET -DUTIL_ARCH_LITTLE_ENDIAN=1 -DUTIL_ARCH_BIG_ENDIAN=0 \
    -DHAVE_ENDIAN_H -DMESA_DEBUG=0 \
    -I"$repository/src/compiler/nir" -I"$generated" -I"$nir" -I"$tree/src/compiler" -I"$tree/src" -I"$tree/include" \
    -I"$tree/src/gallium/include" -I"$tree/src/gallium/auxiliary" "$scratch/$pass.c" -o "$scratch/$pass.o" || exit 1
  # The rules' own functions must be static; only the functions that count the calls may be exported.
  [ "$(nm -g --defined-only "$scratch/$pass.o" | wc -l)" = "$places" ] || { nm -g "$scratch/$pass.o"; exit 1; }
  echo "$machine: $places places, $(wc -c <"$scratch/$pass.c") bytes of C"
done <"$scratch/machines.txt"
