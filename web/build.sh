#!/usr/bin/env bash
# Checks the web UI (web/check.sh) and builds it with Vite into a folder that `rewrought serve --web-ui` serves.
# usage: web/build.sh [FOLDER]   (default out/web-ui). The exit status is 3 if node, npm, protoc, or gzip is not installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=${1:-out/web-ui}
work=out/web-ui-build

if ! command -v gzip >/dev/null; then
  echo "web/build.sh: gzip is not installed; the web UI is not built (everything else works without it)" >&2
  exit 3
fi
if [ -e "$target" ] && [ ! -f "$target/index.html" ]; then
  echo "web/build.sh: $target exists but contains no web UI; choose another folder" >&2
  exit 1
fi
web/check.sh >&2
(cd "$work" && node_modules/.bin/vite build --logLevel warn)
find "$work/dist" -type f ! -name '*.gz' ! -name '*.png' -exec gzip -9 -k -n {} +
rm -rf "$target"
mkdir -p "$(dirname "$target")"
cp -r "$work/dist" "$target"
size=$(find "$target" -name '*.js.gz' -printf '%s\n' | awk '{s+=$1} END {printf "%d kB", s/1000}')
echo "web/build.sh: the web UI is in $target ($size of script, compressed)" >&2
