#!/bin/sh
# One model, every number of threads, trace on and off: the same bytes.
# Usage: determinism.sh TENSIM-DEMO MODEL [OPTION...]
set -eu
tensim=$1
model=$2
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
    echo "$model: $*"
    exit 1
}

# A model may end in a deadlock on purpose; it must do so every time.
run() {
    code=0
    "$tensim" demo "$model" -q "$@" --stats-hash >"$dir/hash" 2>"$dir/stderr" || code=$?
    echo "$code $(cat "$dir/hash")"
}

want=
for threads in 1 2 4 8; do
    for trace in on off; do
        out=$dir/$threads-$trace
        option=
        [ $trace = on ] && option=-t
        got=$(run "$@" -j $threads -o "$out" $option)
        [ -n "$want" ] || want=$got
        [ "$got" = "$want" ] || fail "threads $threads, trace $trace: exit and hash $got, not $want"
        for file in stats.json stats.csv; do
            cmp "$dir/1-on/$file" "$out/$file" || fail "threads $threads, trace $trace: $file"
        done
        if [ $trace = on ]; then
            cmp "$dir/1-on/trace.json.gz" "$out/trace.json.gz" || fail "threads $threads: trace"
        fi
    done
done
case $want in
0\ * | 2\ *) ;;
*)
    cat "$dir/stderr"
    fail "exit and hash $want"
    ;;
esac
echo "$model: the same bytes for 1, 2, 4 and 8 threads, trace on and off ($want)"
