#!/bin/sh
# An include only ever points down. Rooms on one floor stand side by side: they do not include each other.
# Guest programs are another world and are not checked. Usage: floors.sh SOURCE_DIR
set -eu
cd "$1"
find platform cores units noc -name '*.[ch]' -not -path 'cores/guest/*' | sort | awk '
# The room a file lies in: a folder, two or three names deep.
function room_of(path,   part) {
    split(path, part, "/")
    if (path ~ /^platform\/study\//) return part[1] "/" part[2] "/" part[3]
    if (path ~ /^platform\/[a-z]*\//) return part[1] "/" part[2]
    if (path == "platform/tensim.h") return "platform/lib"
    if (path ~ /^units\/isa\//) return "units/isa"
    return part[1]
}
BEGIN {
    rooms[1] = "platform/base"
    rooms[2] = "platform/mem platform/out"
    rooms[3] = "platform/kernel platform/crew"
    rooms[4] = "units/isa"
    rooms[5] = "platform/firmware platform/trace platform/activity platform/save platform/serve platform/check"
    rooms[6] = "units cores noc platform/cluster"
    rooms[7] = "platform/tile"
    rooms[8] = "platform/chip"
    rooms[9] = "platform/load"
    rooms[10] = "platform/explain"
    rooms[11] = "platform/account platform/gdb"
    rooms[12] = "platform/run platform/study/pipe"
    rooms[13] = "platform/lib platform/study/sweep platform/study/hang platform/study/explore platform/study/silicon platform/study/compare platform/study/step"
    rooms[14] = "platform/report"
    rooms[15] = "platform/live"
    rooms[16] = "platform/cli platform/bench"
    rooms[17] = "platform/ttsim platform/ui"
    for (level in rooms) {
        count = split(rooms[level], names, " ")
        for (i = 1; i <= count; i++) floor_of[names[i]] = level + 0
    }
}
{
    file = $0
    room = room_of(file)
    from = floor_of[room]
    if (!from) { print file ": stands on no floor"; bad = 1; next }
    while ((getline line < file) > 0) {
        if (line !~ /^[ \t]*#[ \t]*include[ \t]*"/) continue
        target = line
        sub(/^[^"]*"/, "", target)
        sub(/".*/, "", target)
        if (target ~ /^config\/.*\.def$/) continue # tables are text
        to = floor_of[room_of(target)]
        if (!to) {
            if (target ~ /\//) { print file ": includes " target ", which stands on no floor"; bad = 1 }
            continue
        }
        checked++
        if (room_of(target) != room && to >= from) {
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
# What promised words write is reached through functions that cut promises (units/isa/promise.h).
if grep -rnE '(\.|->)streamed\.' platform cores units noc --include='*.[ch]' |
    grep -vE '^(units/files/files\.[ch]|units/tensix\.h|units/(matrix|pack)/(unit|promise)\.c|platform/study/step/watch\.c|platform/load/setup\.c):'; then
    echo "only the functions of units/files/files.h and units/tensix.h may reach what promised words write"
    exit 1
fi
# Who watches a core reads its view (cores/riscv/view.h).
if grep -rnE '(\<c|core|cores\[[^]]*\])(->|\.)(held|paused|spinning|pending|watch\.|look\.(at|from|repeats)|instret|store_)' \
    platform --include='*.[ch]' | grep -vE '^platform/tile/|\<c\.'; then
    echo "only cores and the tile may read the state of a core: others take its view (cores/riscv/view.h)"
    exit 1
fi
# What is written late is reached through functions that do it first (units/tensix.h).
if grep -rnE '(\.|->)deferred\.' platform cores units noc --include='*.[ch]' |
    grep -vE '^units/(tensix\.h|cfg\.c|scalar/scalar\.c):'; then
    echo "only the functions of units/tensix.h may reach what is written late"
    exit 1
fi
