#!/usr/bin/env bash
# Runs llvm-tblgen on each machine's rules.td, which contains base rules, merges, and flags, and generates a selector
# from it.
# Usage: llvm_tblgen_test.sh PRINT_MACHINE_RULES_MAIN
# Requires llvm-15-dev of Debian 12 or llvm-19-dev of Debian 13 (tools/install_packages.sh --formats), and fails without
# them.
set -euo pipefail

fail() {
  echo "llvm_tblgen_test: $*" >&2
  exit 1
}

print=$1
for llvm in llvm-15 llvm-19; do
  tblgen=/usr/lib/$llvm/bin/llvm-tblgen
  include=/usr/include/$llvm
  [ ! -x "$tblgen" ] || break
done
[ -x "$tblgen" ] && [ -r "$include/llvm/Target/Target.td" ] ||
  fail "llvm-tblgen of LLVM 15 or 19 or its Target.td is missing; run: tools/install_packages.sh --formats"
work=$(mktemp -d "${TEST_TMPDIR:-/tmp}/tblgen.XXXXXX")
select_from() { "$tblgen" -gen-dag-isel -I "$include" "$1" -o "$2"; }

patterns=0
machines=$("$print" tablegen "$work")
[ "$(wc -l <<<"$machines")" -ge 20 ] || fail "only $(wc -l <<<"$machines") machines"
for machine in $machines; do
  select_from "$work/$machine/rules.td" "$work/$machine/selector.inc" || fail "llvm-tblgen rejects rules.td of $machine"
  # Patterns must select instructions of the machine.
  grep -q 'TARGET_VAL(Rewrought::' "$work/$machine/selector.inc" || fail "the selector of $machine selects nothing"
  count=$(grep -c '^def : Pat<' "$work/$machine/rules.td")
  patterns=$((patterns + count))
done

# The tool must reject a missing operand, an unknown instruction, and an unknown value. (Debian's build accepts
# contradictory types.)
good=$work/vec4/rules.td
changes=('s/(MOV_F_F \$a, modifier_none, /(MOV_F_F $a, /' 's/(MOV_F_F /(MOVE_F_F /' 's/(MOV_F_F \$a,/(MOV_F_F $z,/')
for change in "${changes[@]}"; do
  sed "$change" "$good" >"$work/bad.td"
  ! cmp -s "$good" "$work/bad.td" || fail "$change changes nothing"
  ! select_from "$work/bad.td" "$work/bad.inc" 2>/dev/null || fail "accepted after $change"
done
echo "$patterns patterns of $(wc -l <<<"$machines") machines"
