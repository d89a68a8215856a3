#!/bin/bash
# Checks what no compiler does: the order of the folders (scripts/module_order.txt), unique file
# names, a comment at the top of each file, and the limits on files, functions and lines.
# Prints file:line: what is wrong. Warnings (a file above 400 lines) do not fail.
set -eu
cd "$(dirname "$0")/.."
export LC_ALL=C

mapfile -t code < <(find include cl src tests -name '*.[ch]' -o -name '*.cl' -o -name '*.def')
mapfile -t layered < <(printf '%s\n' "${code[@]}" | grep -v '^tests/')
mapfile -t other < <(find scripts cmake -name '*.sh' -o -name '*.py' -o -name '*.cmake')
other+=(.ci/run CMakeLists.txt tests/CMakeLists.txt)

# Folders, in order; a file may include its own folder and those above it. A name without a folder
# is a file of cl/.
check_order()
{
    awk '
    BEGIN {
        for (i = 1; i < ARGC; i++)
            known[ARGV[i]] = 1
    }
    FILENAME == "scripts/module_order.txt" { rank[$1] = ++folders; next }
    FNR == 1 {
        file = FILENAME
        own = file
        sub(/\/[^\/]*$/, "", own)
        if (!(own in rank)) {
            print file ":1: folder " own " is not in scripts/module_order.txt"
            nextfile
        }
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        name = $0
        sub(/^[^"]*"/, "", name)
        sub(/".*$/, "", name)
        path = name ~ /^fusescope\// ? "include/" name : name ~ /\// ? "src/" name : "cl/" name
        folder = path
        sub(/\/[^\/]*$/, "", folder)
        if (!(path in known))
            print file ":" FNR ": includes \"" name "\", but there is no " path
        else if (rank[folder] > rank[own])
            print file ":" FNR ": " own " may not include " folder ", which stands below it"
    }
    ' scripts/module_order.txt "${layered[@]}"
}

check_names()
{
    printf '%s\n' "${code[@]}" | sed 's|.*/||' | sort | uniq -d |
        sed 's/^/this file name stands twice in the tree: /'
}

check_limits()
{
    awk '
    function finish() {
        if (file != "" && !generated && lines > 600)
            print file ":" lines ": the file has " lines " lines, more than 600"
        else if (file != "" && !generated && lines > 400)
            print file ":" lines ": warning: the file has " lines " lines, more than 400"
    }
    FNR == 1 {
        finish()
        file = FILENAME
        script = file !~ /\.(c|h|cl|def)$/
        generated = 0
        begun = 0
        top = 1
    }
    { lines = FNR }
    FNR == 1 && script && /^#!/ { top = 2 }
    FNR == top {
        if (script ? !/^(# |""")/ : !/^(\/\*|\/\/) /)
            print file ":" FNR ": the file does not open with a comment on what it holds"
        generated = /[Gg]enerated by scripts\//
    }
    length($0) > 100 && !generated { print file ":" FNR ": " length($0) " columns, more than 100" }
    /\t/ { print file ":" FNR ": a tab" }
    /[ \t\r]$/ { print file ":" FNR ": a blank at the end of the line" }
    file ~ /^cl\// && /[^ -~\t]/ { print file ":" FNR ": not ASCII, which some drivers refuse" }
    script { next }
    /^\{$/ { begun = FNR }
    /^\}/ && begun {
        if (FNR - begun + 1 > 60 && !generated)
            print file ":" begun ": this function has " FNR - begun + 1 " lines, more than 60"
        begun = 0
    }
    END { finish() }
    ' "${code[@]}" "${other[@]}"
}

problems=$(check_order && check_names && check_limits)
[ -n "$problems" ] || exit 0
printf '%s\n' "$problems" | sort -t: -k1,1 -k2,2n
! printf '%s\n' "$problems" | grep -qv ': warning: '
