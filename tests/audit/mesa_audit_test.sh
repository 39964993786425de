#!/usr/bin/env bash
# Audits the rules of Debian's unmodified Mesa 22.3, checks the witness of every refuted rule with Mesa's own
# evaluator, and tries mutants of every tenth proved rule.
# usage: mesa_audit_test.sh REWROUGHT WORKSPACE MUTANTS BUILD GENERATE CONFIRM ORACLE
# The source is cached in $XDG_CACHE_HOME/rewrought/mesa if the variable is set, otherwise in the test's folder.
set -euo pipefail
rewrought=$1 debian_source=$(dirname "$(readlink -f "$2")")/tools/debian_source.sh
mutants=$3 build=$4 generate=$5 confirm=$6 oracle=$(dirname "$7")
scratch=${TEST_TMPDIR:?}
cache=${XDG_CACHE_HOME:+$XDG_CACHE_HOME/rewrought}
cache=${cache:-$scratch}/mesa
tree=$cache/mesa-bookworm
[ -e "$tree/src/compiler/nir/nir_algebraic.py" ] || "$debian_source" mesa bookworm "$cache" >/dev/null
echo "Mesa $(cat "$tree/VERSION")"
code=0
start=$SECONDS
"$rewrought" audit "$tree/src/compiler/nir" --json --verdicts "$scratch/verdicts" >"$scratch/audit.json" || code=$?
cold=$((SECONDS - start)) start=$SECONDS
"$rewrought" audit "$tree/src/compiler/nir" --json --verdicts "$scratch/verdicts" >"$scratch/again.json" || true
warm=$((SECONDS - start))
echo "cold $cold s, warm $warm s, exit $code"
cmp "$scratch/audit.json" "$scratch/again.json"
python3 - "$scratch/audit.json" "$code" "$warm" <<'PYTHON'
import collections
import json
import sys

rules = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
classes = collections.Counter(rule["class"] for rule in rules)
print(dict(classes))
cases = [(case["verdict"] in ("proved", "refuted", "vacuous")) for rule in rules if not rule["inexact"] for case in rule["cases"]]
print("cases decided of rules without ~: %d of %d" % (sum(cases), len(cases)))
assert len(rules) == 2260, len(rules)
# The unsupported rules contain derivatives, or are the two approximations for one back end.
assert classes["unsupported"] <= 14, "rules that cannot be read"
assert sum(cases) >= 0.97 * len(cases)
assert sys.argv[2] == "1", "some rules of this version are wrong"
assert int(sys.argv[3]) <= 120, "the second run must be quick"
# The sum of two products 65535 * 65535 overflows 32 bits; the op saturates the exact sum.
wrong = [rule for rule in rules if rule["search"].startswith("('udot_2x16_uadd_sat', 'a', 'b', 'c')")]
assert wrong and all(rule["class"] == "refuted" for rule in wrong), wrong
# The audit must also prove rules that are known to be right.
right = [rule for rule in rules if rule["search"] == "('fmul', 'a', 1.0)" or rule["search"] == "('inot', ('inot', 'a'))"]
assert right and all(rule["class"] == "proved" for rule in right), right
PYTHON
library=$("$build" "$tree" "$generate" "$scratch/evaluator")
/usr/bin/python3 "$confirm" "$scratch/audit.json" "$library" "$oracle" >"$scratch/confirmed.txt" || { cat "$scratch/confirmed.txt"; exit 1; }
grep '^open' "$scratch/confirmed.txt" || true
"$mutants" "$scratch/audit.json" 10 | tail -n 40
