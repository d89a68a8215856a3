#!/bin/bash
# Installs what is missing, builds, and runs the quickstart; more arguments go to `fusescope run`.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
"$root/scripts/packages.sh"
(
    cd "$root"
    cmake --preset release
    cmake --build --preset release --target fusescope
) >&2

# With arguments alone ("--device rusticl") the quickstart is meant.
config=$root/configs/quickstart.json
if [ $# -gt 0 ] && [ "${1#-}" = "$1" ]; then
    config=$1
    shift
fi
exec "$root/build/release/fusescope" run "$config" "$@"
