#!/bin/sh
# Leaks of the program, in an asan build: LeakSanitizer takes seconds at every exit, so it is off in the other tests.
# Usage: leaks.sh TENSIM
set -eu
tensim=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Usage: check EXIT-CODE ARGUMENT...
check() {
    want=$1
    shift
    code=0
    program=$tensim
    [ "$1" != demo ] || program=$(dirname "$tensim")/tests/tensim-demo
    ASAN_OPTIONS=detect_leaks=1:exitcode=99 "$program" "$@" >"$dir/stdout" 2>"$dir/stderr" || code=$?
    if [ $code != "$want" ]; then
        echo "tensim $*: exit code $code, not $want"
        cat "$dir/stderr"
        exit 1
    fi
}

check 0 demo torus -q -j 2 -D demo.tiles=4 -D demo.words=50 -o "$dir/out" -t --json "$dir/json" --stats-hash
check 2 demo table -q -D demo.workers=60 -D demo.polite=0 -o "$dir/hang"
check 0 config
check 64 demo -D demo.tils=3
check 3 demo -c /dev/null
printf 'cores: {T0: [{repeat: {times: 3, do: [UNPACR_NOP unpacker_select=0 set_dvalid=1 stall_clr_cntrl=1 unpack_pop=1]}}]}\n' >"$dir/explore.yaml"
check 2 explore -q "$dir/explore.yaml" -s "$dir/schedule.yaml" --json "$dir/json"
check 2 explore "$dir/explore.yaml" --replay "$dir/schedule.yaml"
echo "no leaks"
