#!/bin/bash
# tensim-bench real: every row has its figures, and cycles do not depend on threads or the trace.
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

[ -z "$(find "$TMPDIR" -name 'tensim-bench-*')" ] || fail "files are left behind"
