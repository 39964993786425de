#!/usr/bin/env bash
# Builds the page with Vite into a folder that `rewrought serve --page` takes; packages come from npm, at the versions of
# package-lock.json, once. usage: web/build.sh [FOLDER]   (default out/page)     exit status 3: npm or node is not there
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=${1:-out/page}
work=out/page-build

give_up() {
  echo "web/build.sh: $*; the page is not built (everything else works without it)" >&2
  exit 3
}

for tool in node npm protoc gzip; do
  command -v $tool >/dev/null || give_up "$tool is not installed (Debian: nodejs npm protobuf-compiler gzip)"
done
[ "$(node -p 'parseInt(process.versions.node)')" -ge 18 ] || give_up "node is older than 18"

mkdir -p "$work"
rm -rf "$work/src" "$work/public" "$work/gen" "$work/dist"
if ! cmp -s web/package-lock.json "$work/installed-lock.json"; then
  cp web/package.json web/package-lock.json "$work/"
  (cd "$work" && timeout 180 npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2) ||
    give_up "npm could not install the packages; the lines above say why (no network?)"
  cp web/package-lock.json "$work/installed-lock.json"
fi
cp -r web/src web/public web/index.html web/tsconfig.json web/vite.config.ts "$work/"
mkdir -p "$work/gen"
protoc -I. --plugin=protoc-gen-es="$work/node_modules/.bin/protoc-gen-es" --es_out=target=ts:"$work/gen" \
  proto/rewrought/v1/*.proto
(cd "$work" && node_modules/.bin/tsc --noEmit && node_modules/.bin/vite build --logLevel warn)
find "$work/dist" -type f ! -name '*.gz' ! -name '*.png' -exec gzip -9 -k -n {} +
[ ! -e "$target" ] || [ -f "$target/index.html" ] || give_up "$target is there and holds no page"
rm -rf "$target"
mkdir -p "$(dirname "$target")"
cp -r "$work/dist" "$target"
echo "web/build.sh: the page is in $target ($(find "$target" -name '*.js.gz' -printf '%s\n' | awk '{s+=$1} END {printf "%d kB", s/1000}') of script, compressed)" >&2
