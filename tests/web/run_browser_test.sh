#!/usr/bin/env bash
# Tests the web UI in headless Chromium with a copy of a database. Needs npm (web/build.sh) and Chromium
# (tools/install_packages.sh --browser). usage: tests/web/run_browser_test.sh DATABASE [BAZEL_BIN] [AUDITS] [PACKS]
# AUDITS is a folder of `rewrought audit --json` files. PACKS is a folder of packs, which is copied; without it, one is
# created. Build //cli:rewrought and //tests/web:make_database first. Screenshots of all pages are stored in
# out/web-ui-pictures. The exit status is 3 if a required program is missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

db=${1:?usage: tests/web/run_browser_test.sh DATABASE [BAZEL_BIN]}
bin=${2:-bazel-bin}
audits=${3:-}
packs=${4:-}
work=$(mktemp -d)
servers=()
finish() {
  [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

command -v "${CHROMIUM:-chromium}" >/dev/null || {
  echo "run_browser_test.sh: no Chromium; install it with tools/install_packages.sh --browser" >&2
  exit 3
}
web/build.sh out/web-ui

serve() {  # NAME: serves $work/NAME.db and writes its address to $work/NAME.url
  : >"$work/$1.log"  # on a loaded machine, the log may be read before the server creates it
  "$bin/cli/rewrought" serve --db "$work/$1.db" --grpc 127.0.0.1:0 --http 127.0.0.1:0 --web-ui out/web-ui \
    --packs "$work/packs" --audits "$work/audits" --tokens "$work/tokens" 2>"$work/$1.log" &
  servers+=($!)
  local url=
  for _ in $(seq 200); do
    url=$(sed -n 's,.* at \(http://[^ ]*\)/$,\1,p' "$work/$1.log")
    [ -z "$url" ] || break
    kill -0 "${servers[-1]}" 2>/dev/null || { cat "$work/$1.log" >&2; exit 1; }
    sleep 0.1
  done
  echo "$url" >"$work/$1.url"
}

# Add an audit whose text contains markup.
mkdir "$work/audits" "$work/packs"
[ -z "$audits" ] || cp "$audits"/*.json "$work/audits/"
{ tr -d '\n'; echo; } >"$work/audits/zz-markup.json" <<'EOF'
{"pass":"<b>late</b>","index":0,"file":"nir/<script>alert(7)</script>.py","line":7,"search":"('fadd', 'a', 0.0)",
"replace":"'<img src=x onerror=alert(8)>'","condition":"<script>alert(9)</script>","class":"refuted","id":"abc1",
"shadowed_by":null,"weaker":[],"note":"<script>alert(10)</script>","cases":[{"width":32,"mode":"any","sizes":{"a":32,
"root":32},"verdict":"refuted","tier":"vectors","confirmed_by":[],"reason":"","ms":1.0,
"witness":{"vars":{"a":"0x80000000"},"search":["0x00000000"],"replace":"0x80000000"},"explain":[{"side":"search",
"node":"<script>alert(11)</script>","values":["0x80000000"]}]}]}
EOF
token=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
echo "admin tester $(printf %s "$token" | sha256sum | cut -d' ' -f1)" >"$work/tokens"
chmod 600 "$work/tokens"

cp "$db" "$work/real.db"
[ ! -f "$db-wal" ] || cp "$db-wal" "$work/real.db-wal"
"$bin/tests/web/make_database" "$work/hostile.db"
"$bin/tests/web/make_database" "$work/real.db" 5000
[ -z "$packs" ] || cp -r "$packs"/. "$work/packs/"
serve real
serve hostile
TOKEN=$token node tests/web/browser_test.mjs "$(cat "$work/real.url")" "${PICTURES:-out/web-ui-pictures}" \
  "$(cat "$work/hostile.url")"
