#!/usr/bin/env bash
# Tests the page in headless Chromium against a served copy of a database; needs npm (web/build.sh) and Chromium
# (tools/install_packages.sh --browser). usage: tests/web/run_browser_test.sh DATABASE [BAZEL_BIN]
# Build //cli:rewrought and //tests/web:make_database first. Pictures of all parts lie in out/page-pictures.
# Exit status 3: something that it needs is not there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

db=${1:?usage: tests/web/run_browser_test.sh DATABASE [BAZEL_BIN]}
bin=${2:-bazel-bin}
work=$(mktemp -d)
servers=()
finish() {
  [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT

command -v "${CHROMIUM:-chromium}" >/dev/null || {
  echo "run_browser_test.sh: no Chromium; tools/install_packages.sh --browser installs it" >&2
  exit 3
}
web/build.sh out/page

serve() {  # NAME: serves $work/NAME.db; its address goes to $work/NAME.url
  "$bin/cli/rewrought" serve --db "$work/$1.db" --grpc 127.0.0.1:0 --http 127.0.0.1:0 --page out/page 2>"$work/$1.log" &
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

cp "$db" "$work/real.db"
[ ! -f "$db-wal" ] || cp "$db-wal" "$work/real.db-wal"
"$bin/tests/web/make_database" "$work/hostile.db"
serve real
serve hostile
node tests/web/browser_test.mjs "$(cat "$work/real.url")" out/page-pictures "$(cat "$work/hostile.url")"
