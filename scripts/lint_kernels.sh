#!/bin/bash
# Compiles the kernels of every pattern in every mode with clang as OpenCL C 1.2, warnings as
# errors, without any device.
# Use: scripts/lint_kernels.sh build/release/fusescope
set -eu

fusescope=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

graphs=(
    "mul+add+relu 7x100"
    "sub+div(3)+neg+abs+scale+bias(by=row) 7x100"
    "exp+sigmoid+tanh+silu+gelu+gelu_tanh 1000"
    "matmul 33x65:65x47"
    "mul+matmul(transB=1)+bias+gelu 3x33x65:47x65"
    "matmul(transA=1)+bias+add+layernorm+relu 65x33:65x47"
    "layernorm+silu 5x1000"
    "add+layernorm(eps=1e-12)+mul 5x1000"
    "rmsnorm 5x1000"
)
fields=(
    "" boundary=round contract=off params=storage gelu=tanh
    order=sequential order=lanes:64 order=chunk:100
    variance=two_pass variance=one_pass variance=welford
)

compile()
{
    clang -x cl -cl-std=CL1.2 -fsyntax-only \
        -Wall -Wextra -Wno-unused-parameter -Werror "$1"
}

count=0
for row in "${graphs[@]}"; do
    for mode in f32 f16 bf16; do
        for field in "${fields[@]}"; do
            for side in "" --unfused; do
                # A field that means nothing to the graph is refused (exit 2): nothing to compile.
                # shellcheck disable=SC2086 # $side is an option or nothing
                "$fusescope" source "${row% *}" --shape "${row##* }" $side \
                    --mode "$mode${field:+,$field}" >"$folder/all" 2>"$folder/error" || {
                    [ $? -eq 2 ] && [ -n "$field" ] && continue
                    cat "$folder/error"
                    exit 1
                }
                rm -f "$folder"/*.cl
                awk -v folder="$folder" \
                    '/^\/\* group / { n++ } { print > (folder "/" n ".cl") }' "$folder/all"
                for kernel in "$folder"/*.cl; do
                    sum=$(md5sum <"$kernel")
                    [ -e "$folder/${sum%% *}" ] && continue
                    compile "$kernel" || {
                        echo "lint_kernels.sh: $row --mode $mode,$field $side"
                        exit 1
                    }
                    touch "$folder/${sum%% *}"
                    count=$((count + 1))
                done
            done
        done
    done
done
echo "$count kernels compiled"
