#!/bin/sh
# An include only ever points down (guest programs are another world). Usage: floors.sh SOURCE_DIR
set -eu
cd "$1"
find platform cores units noc config -name '*.[ch]' -not -path 'cores/guest/*' -not -path 'config/kernels/*' | sort | awk '
# The floor a file stands on. Equal floors are side by side: their folders do not know each other.
function floor_of(path) {
    if (path ~ /^platform\/(kernel|trace|mem|out)\// || path ~ /^config\//) return 1
    if (path ~ /^(units|noc)\// || path ~ /^platform\/demo\//) return 2
    if (path ~ /^cores\//) return 3
    if (path ~ /^platform\/tile\//) return 4
    if (path ~ /^platform\/chip\//) return 5
    if (path ~ /^platform\/(study|serve)\//) return 6
    if (path ~ /^platform\/(cli|bench)\//) return 7
    return 0
}
function folder_of(path) {
    if (path ~ /^platform\//) { split(path, part, "/"); return part[1] "/" part[2] }
    split(path, part, "/")
    return part[1]
}
{
    file = $0
    from = floor_of(file)
    if (from == 0) { print file ": stands on no floor"; bad = 1; next }
    while ((getline line < file) > 0) {
        if (line !~ /^[ \t]*#[ \t]*include[ \t]*"/) continue
        target = line
        sub(/^[^"]*"/, "", target)
        sub(/".*/, "", target)
        to = floor_of(target)
        if (to == 0) {
            if (target ~ /\//) { print file ": includes " target ", which stands on no floor"; bad = 1 }
            continue
        }
        checked++
        same = folder_of(file) == folder_of(target)
        # The ground floor is one: kernel, trace, mem, out and config may use each other.
        if (to > from || (to == from && from > 1 && !same)) {
            print file ": includes " target ", which is not below it"
            bad = 1
        }
    }
    close(file)
}
END {
    if (checked < 10) { print "found no includes to check"; bad = 1 }
    if (!bad) print checked " includes, all point down"
    exit bad
}'
# The kernel knows nothing of what it simulates.
if grep -nEi 'tensix|blackhole|riscv|mvmul' platform/kernel/*.[ch]; then
    echo "platform/kernel must know nothing of Tensix"
    exit 1
fi
