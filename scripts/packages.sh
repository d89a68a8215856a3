#!/bin/bash
# The Debian 12 packages that building, running and testing need; installs those that are missing.
# `scripts/packages.sh --list` only names them.
set -eu

packages=(
    gcc libc6-dev cmake ninja-build pkg-config             # the build
    ocl-icd-opencl-dev libcjson-dev libpopt-dev            # OpenCL loader, JSON, command line
    libxxhash-dev librandom123-dev                         # keys, inputs
    pocl-opencl-icd mesa-opencl-icd oclgrind               # three OpenCL implementations
    check libmpfr-dev python3-numpy                        # the tests
    clang clang-format shellcheck                          # the second compiler, the checks
)

if [ "${1:-}" = --list ]; then
    printf '%s\n' "${packages[@]}"
    exit
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "packages.sh: not a Debian system; these are expected here under other names:" >&2
    echo "  ${packages[*]}" >&2
    exit 0
fi

missing=()
for package in "${packages[@]}"; do
    status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "packages.sh: these packages are missing, and only root can install them:" >&2
        echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi

echo "packages.sh: installing ${missing[*]}" >&2
"${as_root[@]}" apt-get update -q >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${missing[@]}" >&2 </dev/null
