#!/usr/bin/env bash
# Downloads a Debian source package, unpacks its upstream source (without Debian's patches) into DIR, and prints the
# unpacked folder. With --binary, downloads a binary package instead and prints the path of the archive. Does not touch
# the machine's own apt configuration.
# usage: debian_source.sh [--binary] PACKAGE SUITE DIR     e.g. mesa bookworm out/mesa
set -euo pipefail
type=deb-src
[ "${1:-}" != --binary ] || { type=deb; shift; }
[ $# = 3 ] || { sed -n '5s/^# //p' "$0" >&2; exit 2; }
package=$1 suite=$2 dir=$(mkdir -p "$3" && cd "$3" && pwd)
state=$dir/.apt
mkdir -p "$state/lists/partial" "$state/cache"
mirror=$(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null |
  sed -n 's/^URIs: //p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' | sed -n 1p || true)
[ -n "$mirror" ] || { echo "debian_source.sh: no Debian mirror in this machine's apt configuration" >&2; exit 2; }
echo "$type [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$state/src.list"
options=(-o Dir::Etc::sourcelist="$state/src.list" -o Dir::Etc::sourceparts=/dev/null
  -o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" -o APT::Sandbox::User=root)
apt-get "${options[@]}" -qq update >&2
mkdir -p "$state/$suite" && cd "$state/$suite"
if [ "$type" = deb ]; then
  rm -f "${package}"_*.deb
  apt-get "${options[@]}" -qq download "$package/$suite" >&2
  readlink -f "${package}"_*.deb
  exit
fi
apt-get "${options[@]}" -qq source --download-only "$package/$suite" >&2
archive=$(find . -maxdepth 1 -name "${package}_*.orig.tar.*" ! -name '*.asc' | sort | head -n 1)
mkdir -p "$dir/$package-$suite" && tar xf "$archive" -C "$dir/$package-$suite" --strip-components=1
echo "$dir/$package-$suite"
