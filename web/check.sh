#!/usr/bin/env bash
# Checks the web UI: types (tsc), lint and format (biome), and unit tests (vitest). Installs the npm packages of
# package-lock.json if they have changed.
# usage: web/check.sh [--fix]   --fix: let biome fix what it can
# The exit status is 3 if nothing was checked, because node, npm, or protoc is not installed. Any other nonzero status
# means that a check failed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
  "") fix=() ;;
  --fix) fix=(--write) ;;
  *) echo "web/check.sh: unknown argument '$1'; usage: web/check.sh [--fix]" >&2; exit 2 ;;
esac
work=out/web-ui-build
bin=$PWD/$work/node_modules/.bin

give_up() {
  echo "web/check.sh: $*; the web UI is not checked (everything else works without it)" >&2
  exit 3
}

for tool in node npm protoc; do
  command -v $tool >/dev/null || give_up "$tool is not installed (Debian: nodejs npm protobuf-compiler)"
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
(cd web && "$bin/biome" check "${fix[@]}" --error-on-warnings)
cp -r web/src web/public web/index.html web/tsconfig.json web/vite.config.ts "$work/"
mkdir -p "$work/gen"
protoc -I. --plugin=protoc-gen-es="$bin/protoc-gen-es" --es_out=target=ts:"$work/gen" proto/rewrought/v1/*.proto
cd "$work"
"$bin/tsc" --noEmit
"$bin/vitest" run
