#!/bin/bash
# Makes a folder in which the OpenCL loader finds PoCL, rusticl and Oclgrind side by side, and
# Intel's CPU runtime when INTEL_OPENCL_LIB names its libintelocl.so.
# Use: eval "$(scripts/icd.sh DIR)"
set -eu

if [ $# -ne 1 ]; then
    echo "use: scripts/icd.sh DIR" >&2
    exit 2
fi
mkdir -p "$1"
folder=$(cd "$1" && pwd)

# add NAME LIBRARY PACKAGE: LIBRARY is empty when the implementation is not installed.
add()
{
    rm -f "$folder/$1.icd"
    if [ -n "$2" ]; then
        printf '%s\n' "$2" >"$folder/$1.icd"
    else
        echo "icd.sh: $1 is missing ($3)" >&2
    fi
}

# installed NAME: the library that the system's NAME.icd holds.
installed()
{
    cat "/etc/OpenCL/vendors/$1.icd" 2>/dev/null || true
}

oclgrind=
for library in /usr/lib/oclgrind/liboclgrind-rt-icd.so /usr/lib/*/oclgrind/liboclgrind-rt-icd.so; do
    [ ! -e "$library" ] || oclgrind=$library
done

add pocl "$(installed pocl)" "package pocl-opencl-icd"
add rusticl "$(installed rusticl)" "package mesa-opencl-icd"
add oclgrind "$oclgrind" "package oclgrind"
if [ -n "${INTEL_OPENCL_LIB:-}" ]; then
    [ -e "$INTEL_OPENCL_LIB" ] || echo "icd.sh: no such file: $INTEL_OPENCL_LIB" >&2
    add intel "$(readlink -e "$INTEL_OPENCL_LIB" || true)" "INTEL_OPENCL_LIB"
else
    rm -f "$folder/intel.icd"
fi

printf 'export OCL_ICD_VENDORS=%q\nexport RUSTICL_ENABLE=llvmpipe\n' "$folder"
