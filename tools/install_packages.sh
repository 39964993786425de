#!/usr/bin/env bash
# Installs the packages of Debian 12 ("bookworm") or 13 ("trixie") that building, testing and running need. No other file
# lists them. If nothing is missing, returns immediately and does not use the network.
# usage: install_packages.sh [--browser] [--editors] [--fuzz] [--formats] [--mesa] [--mesa-clc] [--packaging] [--slurm] [--list | --check]
# Each option adds packages: --browser for the web UI and its test in Chromium, --editors for the test of the language
# server in neovim, --fuzz for tools/fuzz, --formats for other projects' tools that read exported files in tests, --mesa
# for tools/driver_rig/build, --mesa-clc for its second stage, --packaging for the packages with the web UI and their
# tests, and --slurm for tests/slurm.
set -euo pipefail

# NAME@RELEASE is needed only on this release. Other releases than bookworm get the packages of trixie.
packages=(
  # build
  bazel-bootstrap g++ pkg-config python3
  libabsl-dev libprotobuf-dev protobuf-compiler libgrpc++-dev protobuf-compiler-grpc
  libboost-dev libnghttp2-dev nlohmann-json3-dev libcli11-dev libsqlite3-dev libssl-dev zlib1g-dev libarchive-dev
  libseccomp-dev prometheus-cpp-dev
  spirv-tools spirv-headers glslang-dev glslang-tools
  libz3-dev libmpfr-dev libgmp-dev
  # run: the second solver
  cvc5
  # test
  libgtest-dev libgmock-dev libbenchmark-dev clang-format-14@bookworm
  python3-mako python3-yaml python3-grpcio python3-protobuf python3-venv mypy openssl faketime procps systemd debhelper
)
browser_packages=(nodejs chromium)
editors_packages=(neovim)
fuzz_packages=(
  clang-16@bookworm libclang-rt-16-dev@bookworm llvm-16@bookworm
  clang-19@trixie libclang-rt-19-dev@trixie llvm-19@trixie
)
formats_packages=(llvm-15-dev@bookworm llvm-19-dev@trixie ml-burg@bookworm)
mesa_packages=(
  ninja-build ccache bison flex python3-mako python3-yaml python3-packaging python3-setuptools python3-pycparser
  libelf-dev libzstd-dev libexpat1-dev libpciaccess-dev
)
packaging_packages=(patchelf nodejs mmdebstrap buildah crun iproute2 systemd-container zsh)
slurm_packages=(slurmctld slurmd slurm-client munge)
mesa_clc_packages=(llvm-15-dev clang-15 libclang-15-dev libclang-cpp15-dev libclc-15 libclc-15-dev libllvmspirvlib-15-dev)

fail() {
  echo "install_packages.sh: $*" >&2
  exit 1
}

missing_packages() {
  local name status
  for name in "${packages[@]}"; do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null || true)
    [ "$status" = installed ] || echo "$name"
  done
}

mode=install
while :; do
  case "${1:-}" in
    --browser) packages+=("${browser_packages[@]}") ;;
    --editors) packages+=("${editors_packages[@]}") ;;
    --fuzz) packages+=("${fuzz_packages[@]}") ;;
    --formats) packages+=("${formats_packages[@]}") ;;
    --mesa) packages+=("${mesa_packages[@]}") ;;
    --packaging) packages+=("${packaging_packages[@]}") ;;
    --slurm) packages+=("${slurm_packages[@]}") ;;
    --mesa-clc) packages+=("${mesa_clc_packages[@]}") ;;
    *) break ;;
  esac
  shift
done
# Debian has npm in a separate package; other builds of nodejs include it.
case " ${packages[*]} " in
  *" nodejs "*) command -v npm >/dev/null || packages+=(npm) ;;
esac
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}") 2>/dev/null || release=
[ "$release" = bookworm ] || release=trixie
mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sed -n "s/@$release\$//; /@/!p")
case "${1:-}" in
  "") ;;
  --list)
    printf '%s\n' "${packages[@]}"
    exit 0
    ;;
  --check) mode=check ;;
  *) fail "unknown argument '$1'; usage: install_packages.sh [--browser] [--editors] [--fuzz] [--formats] [--mesa] [--mesa-clc] [--packaging] [--slurm] [--list | --check]" ;;
esac

command -v dpkg-query >/dev/null || fail "this is not a Debian system; install the equivalents of: ${packages[*]}"
mapfile -t missing < <(missing_packages)
[ ${#missing[@]} -gt 0 ] || exit 0
[ "$mode" = install ] || fail "missing: ${missing[*]}"

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || fail "needs root or sudo; as root, run: apt-get install ${missing[*]}"
  as_root=(sudo)
fi
install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}")
echo "install_packages.sh: installing ${missing[*]}" >&2
# Refreshing the package lists needs the network and is often unnecessary, so it is done only after a failure.
"${install[@]}" >&2 && exit 0
"${as_root[@]}" apt-get update -q >&2 ||
  fail "apt-get update failed; check the network and the apt sources, then run as root: apt-get install ${missing[*]}"
"${install[@]}" >&2 ||
  fail "apt-get failed, see above; check the network, then run as root: apt-get install ${missing[*]}"
