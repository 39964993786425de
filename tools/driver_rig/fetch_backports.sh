#!/usr/bin/env bash
# Downloads packages from bookworm-backports into DIR as .deb files, without changing the machine's apt configuration.
# usage: fetch_backports.sh DIR PACKAGE...
set -euo pipefail
[ $# -ge 2 ] || { sed -n '3s/^# //p' "$0" >&2; exit 2; }
dir=$(mkdir -p "$1" && cd "$1" && pwd)
shift
state=$dir/.apt
mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
mirror=$(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null |
  sed -n 's/^URIs: //p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\) .*/\2/p' | sed -n 1p || true)
[ -n "$mirror" ] || { echo "fetch_backports.sh: no Debian mirror in this machine's apt configuration" >&2; exit 2; }
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm-backports main" >"$state/src.list"
options=(-o Dir::Etc::sourcelist="$state/src.list" -o Dir::Etc::sourceparts=/dev/null
  -o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" -o APT::Sandbox::User=root)
apt-get "${options[@]}" -qq update >&2
cd "$dir" && rm -f ./*.deb && apt-get "${options[@]}" -qq download "${@/%//bookworm-backports}" >&2
