#!/bin/bash
# tensim-bench real and compare: every row has its figures, cycles do not depend on threads or the trace, and a build is
# about as fast as itself.
# Usage: bench.sh TENSIM-BENCH
set -eu
bench=$1
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
fail() { echo "$*"; exit 1; }

"$bench" real --quick --json "$TMPDIR/real.json"
names=$(sed -n 's/.*"name": "\(.*\)".*/\1/p' "$TMPDIR/real.json" | sort | uniq -c | awk '{ print $2 ":" $1 }' | tr '\n' ' ')
[ "$names" = "eltwise:1 flash_attention:1 gelu:1 gelu_256:1 gemv:1 grid2_hifi4:1 grid2_timing_only:2 hifi4_2048:1 lofi_4096:1 lofi_40960:1 lofi_64:1 matmul_bf16_hifi4:1 matmul_bf16_hifi4_timing_only:1 matmul_bfp8_lofi:1 matmul_bfp8_lofi_timing_only:1 matmul_once:1 movers140:2 softmax:1 softmax_256:1 trace_off:1 trace_on:1 why_matmul_2d:1 " ] || fail "rows: $names"
for key in cycles_per_s instructions_per_s rss_bytes seconds; do
    [ "$(grep -cE "\"$key\": [1-9][0-9.e+]*|\"$key\": 0\.[0-9]*[1-9]" "$TMPDIR/real.json")" -ge 23 ] || fail "$key is missing"
done
# One thread and two, with the trace and without: the same cycles.
for name in grid2_timing_only movers140 'trace_o[nf]*'; do
    cycles=$(grep -A 8 "\"name\": \"$name\"" "$TMPDIR/real.json" | grep '"cycles":' | sort | uniq -c | awk '{ print $1 }')
    [ "$cycles" = 2 ] || fail "$name: other cycles"
done
grep -q '"trace_cost"' "$TMPDIR/real.json" || fail "no cost of a trace"

"$bench" compare "$(dirname "$bench")" --quick --only eltwise > "$TMPDIR/compare.txt" 2> /dev/null
grep -Eq '^real +eltwise +1 +[0-9.]+x +[0-9.]+ to [0-9.]+ \(1 pairs\)' "$TMPDIR/compare.txt" || fail "compare: $(cat "$TMPDIR/compare.txt")"
"$bench" compare "$(dirname "$bench")" --quick --pairs 2 --only mix1 --json "$TMPDIR/compare.json" 2> /dev/null
for key in '"benchmark": "cores"' '"name": "mix1"' '"ratio": ' '"spread": ' '"pairs": 2'; do
    grep -q "$key" "$TMPDIR/compare.json" || fail "compare: no $key"
done
# Host instructions of a row, under valgrind where the host has no counter: a build has as many as itself.
if command -v valgrind > /dev/null || grep -q '"host_counter": true' "$TMPDIR/real.json"; then
    "$bench" compare "$(dirname "$bench")" --quick --count --only lofi_64 > "$TMPDIR/count.txt" 2> /dev/null
    grep -Eq '^real +lofi_64 +1 +[0-9.]+ +[0-9.]+ k a product, [+-]0\.[0-9] %' "$TMPDIR/count.txt" || fail "count: $(cat "$TMPDIR/count.txt")"
fi
# A directory without a build is named.
"$bench" compare "$TMPDIR" > /dev/null 2> "$TMPDIR/error.txt" && fail "a directory without a build passes"
grep -q "$TMPDIR/tensim-bench: not there" "$TMPDIR/error.txt" || fail "message: $(cat "$TMPDIR/error.txt")"
[ -z "$(find "$TMPDIR" -name 'tensim-bench-*')" ] || fail "files are left behind"
