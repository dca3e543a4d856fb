#!/bin/bash
# Runs of three kinds into one directory, killed at 50 (in a sample: 12) random moments: the directory always holds the
# complete files of one run, byte by byte, and a file of the user's. Usage: kill.sh TENSIM
set -eu
tensim=$1
demo=$(dirname "$tensim")/tests/tensim-demo
. "$(dirname "$0")/../sample.sh"
if every_case; then kills=50; else kills=12; fi
sample "12 of 50 kills"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
run() { # in a process of its own: killing it kills the program
    case $1 in
    hangs) exec "$demo" demo table -D demo.polite=0 -D demo.words=1000 -q -o run ;;
    traced) exec "$demo" demo ring -D demo.tiles=9 -D demo.words=300 -t -q -o run ;;
    kernel) exec "$tensim" matmul -M 128 -N 128 -K 128 -q -o run ;;
    esac
}
declare -A span
for kind in hangs traced kernel; do # how each looks when it is left alone
    (run $kind) > /dev/null 2>&1 || [ $kind = hangs ]
    start=$(date +%s%N)
    (run $kind) > /dev/null 2>&1 || [ $kind = hangs ]
    span[$kind]=$((($(date +%s%N) - start) / 1000))
    cp -r run "$kind"
done
echo mine > run/notes.txt
new=0
last=kernel
for i in $(seq $kills); do
    case $((i % 3)) in 0) kind=hangs ;; 1) kind=traced ;; *) kind=kernel ;; esac
    (run $kind) > /dev/null 2>&1 &
    pid=$!
    moment=$((RANDOM * span[$kind] / 32768))
    sleep "$(printf '%d.%06d' $((moment / 1000000)) $((moment % 1000000)))"
    kill -9 "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
    [ "$(cat run/notes.txt)" = mine ]
    found=none
    for one in hangs traced kernel; do # names that start with a dot are not the run's
        diff -r -x '.*' -x notes.txt "$one" run > /dev/null && found=$one
    done
    [ $found != none ] || { echo "kill $i of $kind: neither run"; ls -lA run; exit 1; }
    [ $found = "$last" ] || [ $found = $kind ] || { echo "kill $i: $found is stale"; exit 1; }
    [ $found = "$kind" ] && new=$((new + 1))
    last=$found
done
(run kernel)
diff -r -x notes.txt kernel run
[ "$(ls -A run | grep -c '^\.')" -eq 0 ] && [ "$(ls -A | grep -c '^\.')" -eq 0 ]
echo "$kills kills: $new runs were complete, all others left the run before"
