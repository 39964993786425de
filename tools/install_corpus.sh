#!/usr/bin/env bash
# Installs the demo's shaders from npm and Debian packages into DIR/<source>/*.{vert,frag,comp}. Installs node and npm
# if they are missing and changes nothing else on the system. Skips sources that are already installed.
# usage: install_corpus.sh DIR      exit 0: enough to work with; 1: too few sources or shaders; 2: wrong usage
set -euo pipefail

min_sources=3
min_shaders=500
source_seconds=150  # time limit for a source package and its package list; 10 seconds are typical
# Each line contains the source, the kind of package, and the package's name. For npm, it also contains the exact
# version and the packages to install with it; for deb and src, it also contains the Debian release, so that all machines
# get the same shaders.
sources=(
  "three          npm three          0.187.0"
  "gl-transitions npm gl-transitions 1.71.0"
  "pixi-filters   npm pixi-filters   6.1.5"
  "glmark2        deb glmark2-data bookworm"
  "dolphin        deb dolphin-emu-data bookworm"
  "kodi           deb kodi-data bookworm"
  "movit          deb libmovit8 bookworm"
  "cesium         npm @cesium/engine 24.0.0"
  "butterchurn    npm butterchurn-presets 2.4.7 butterchurn@2.6.7"
  "godot          src godot bookworm"
  "tfjs           npm @tensorflow/tfjs-backend-webgl 4.22.0 @tensorflow/tfjs-core@4.22.0"
  "pytorch        src pytorch trixie"
  "mesa           src mesa trixie"
  "keras-js       npm keras-js       1.0.3"
  "onnxruntime-web npm onnxruntime-web 1.14.0"
  "dxvk           src dxvk trixie"
  "babylon        npm babylonjs      9.35.0"
)

tools=$(cd "$(dirname "$0")/corpus" && pwd)
say() { echo "install_corpus.sh: $*" >&2; }

[ $# = 1 ] && [ "${1#-}" = "$1" ] && [ -n "$1" ] || { sed -n '4s/^# //p' "$0" >&2; exit 2; }
mkdir -p "$1" || { say "cannot create the folder $1"; exit 2; }
dir=$(cd "$1" && pwd)
log=$dir/.log

# A source is complete if its stamp matches the current recipe: the package, the version and the scripts that write
# it.
recipe() { { echo "$*"; cat "$0" "$tools"/*.mjs; } | sha256sum | cut -c 1-16; }
is_complete() { [ -d "$dir/$1" ] && [ "$(cat "$dir/.stamps/$1" 2>/dev/null)" = "$2" ]; }

ensure_node() {
  command -v node >/dev/null && command -v npm >/dev/null && return
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { say "node and npm are missing; as root run: apt-get install nodejs npm"; exit 1; }
    as_root=(sudo)
  fi
  say "installing nodejs and npm"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends nodejs npm >"$log" 2>&1 ||
    { say "apt-get could not install nodejs and npm: $(why); install them by hand, then run this again"; exit 1; }
}

why() { { grep -iE 'err|fail|unable' "$log" || tail -n 1 "$log"; } | sed -n '1s/^npm \(error\|ERR!\) //; 1p'; }

# fetch_npm PACKAGE VERSION [OTHER@VERSION...]: installs the packages and prints the folder of PACKAGE.
fetch_npm() {
  local folder=$dir/.npm/node_modules/$1
  if ! grep -qs "\"version\": \"$2\"" "$folder/package.json"; then
    npm install --ignore-scripts --legacy-peer-deps --no-audit --no-fund --save-exact --loglevel=error \
      --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=60000 \
      --prefix "$dir/.npm" "$1@$2" "${@:3}" >"$log" 2>&1 || return 1
  fi
  echo "$folder"
}

# fetch_deb PACKAGE RELEASE: prints the unpacked folder, which the next call replaces. The archive is kept.
fetch_deb() {
  local archive folder=$dir/.deb/unpacked
  archive=$(compgen -G "$dir/.deb/source/.apt/$2/$1_*.deb") ||
    archive=$(timeout "$source_seconds" "$tools/../debian_source.sh" --binary "$1" "$2" "$dir/.deb/source" 2>"$log") ||
    return 1
  rm -rf "$folder"
  dpkg-deb -x "$archive" "$folder" >"$log" 2>&1 || { rm -f "$archive"; return 1; }
  echo "$folder"
}

# fetch_src PACKAGE RELEASE: prints the unpacked folder of a Debian source package. The archive is kept.
fetch_src() {
  timeout "$source_seconds" "$tools/../debian_source.sh" "$1" "$2" "$dir/.deb/source" 2>"$log"
}

# keep_notices SOURCE FOLDER PACKAGE: copies the package's license files to .notices/SOURCE, which SOURCES.txt cites.
keep_notices() {
  local file
  mkdir -p "$dir/.notices/$1"
  for file in "$2"/LICENSE* "$2"/COPYRIGHT* "$2/usr/share/doc/$3/copyright"; do
    [ ! -f "$file" ] || cp "$file" "$dir/.notices/$1/"
  done
}

# install_source SOURCE KIND PACKAGE [VERSION [OTHER@VERSION...]]: completes DIR/SOURCE, or leaves it unchanged on
# failure.
install_source() {
  local source=$1 kind=$2 package=$3 folder count stamp
  stamp=$(recipe "$*")
  is_complete "$source" "$stamp" && return
  say "$source: fetching $package${4:+ $4}"
  folder=$("fetch_$kind" "${@:3}") ||
    { say "$source: skipped, $package cannot be fetched: $(why)"; return; }
  rm -rf "$dir/.new"
  count=$(node "$tools/write_corpus.mjs" "$source" "$folder" "$dir/.new" 2>"$log") ||
    { say "$source: skipped, its shaders cannot be written: $(why)"; return; }
  rm -rf "${dir:?}/$source"
  mv "$dir/.new" "$dir/$source"
  keep_notices "$source" "$folder" "$package"
  mkdir -p "$dir/.stamps"
  echo "$stamp" >"$dir/.stamps/$source"
  say "$source: $count shaders"
}

licence_of() {
  case $1 in
    three) echo "MIT, three.js authors" ;;
    gl-transitions) echo "MIT, but BSD-2-Clause or BSD-3-Clause where a file says so; authors in the files' headers" ;;
    pixi-filters) echo "MIT, Mathew Groves, Chad Engler" ;;
    glmark2) echo "GPL-3+, with parts under others" ;;
    dolphin) echo "GPL-2+, with files under others; see their headers" ;;
    kodi) echo "GPL-2+, Team Kodi" ;;
    movit) echo "GPL-2+, Steinar H. Gunderson" ;;
    cesium) echo "Apache-2.0, CesiumJS contributors; parts under others, see LICENSE.md" ;;
    godot) echo "MIT, Godot Engine contributors, Juan Linietsky, Ariel Manzur" ;;
    tfjs) echo "Apache-2.0, Google LLC" ;;
    pytorch) echo "BSD-3-Clause, Meta Platforms and PyTorch contributors" ;;
    mesa) echo "MIT, Konstantin Seurer, Google LLC and others; see the files' headers" ;;
    keras-js) echo "MIT, Leon Chen" ;;
    onnxruntime-web) echo "MIT, Microsoft Corporation" ;;
    dxvk) echo "Zlib, Philip Rebohle, Joshua Ashton, Robin Kertels, Jeffrey Ellison" ;;
    babylon) echo "Apache-2.0, Babylon.js contributors" ;;
    butterchurn) echo "MIT, Jordan Berg; the presets' authors are in the files' names" ;;
  esac
}

write_listing() {
  local source kind package version others line
  echo "The shaders in this folder, their packages and licenses. The shaders are completed so that they compile; see"
  echo "tools/corpus/README.md of Rewrought. The packages' own license files are in .notices/<source>/."
  for line in "${sources[@]}"; do
    read -r source kind package version others <<<"$line"
    [ -d "$dir/$source" ] || continue
    if [ "$kind" = deb ]; then
      version=$(basename "$(ls "$dir/.deb/source/.apt/$version/$package"_*.deb 2>/dev/null | sed -n 1p)" | cut -d _ -f 2)
      version=${version//%3a/:}
    elif [ "$kind" = src ]; then
      version=$(ls "$dir/.deb/source/.apt/$version/${package}"_*.dsc 2>/dev/null | sed -n 1p)
      version=$(basename "$version" .dsc | cut -d _ -f 2)
    fi
    echo
    echo "$source: $(count_of "$source") shaders"
    echo "  package: $package $version ($kind)${others:+, with $others}"
    echo "  license: $(licence_of "$source")"
  done
}

count_of() { find "$dir/$1" -type f | wc -l; }

all_complete=true
for line in "${sources[@]}"; do
  read -r -a words <<<"$line"
  is_complete "${words[0]}" "$(recipe "${words[@]}")" || all_complete=false
done
if ! $all_complete; then
  ensure_node
  for line in "${sources[@]}"; do
    read -r -a words <<<"$line"
    install_source "${words[@]}"
  done
  rm -rf "$dir/.deb/unpacked" "$dir"/.deb/source/*
  write_listing >"$dir/SOURCES.txt"
fi

present=0 shaders=0
for line in "${sources[@]}"; do
  source=${line%% *}
  [ -d "$dir/$source" ] || continue
  present=$((present + 1))
  shaders=$((shaders + $(count_of "$source")))
done
rm -f "$log"
say "$shaders shaders of $present sources in $dir"
if [ "$present" -lt "$min_sources" ] || [ "$shaders" -lt "$min_shaders" ]; then
  say "too few shaders: at least $min_shaders from $min_sources sources are needed; check the network and run this" \
    "again (installed sources are kept)"
  exit 1
fi
