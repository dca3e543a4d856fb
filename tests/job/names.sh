#!/bin/bash
# Semaphores, buffers, tensors and pages have the names of the program file in traces, lints, faults and findings.
# Usage: names.sh TENSIM
set -eu
tensim=$1
. "$(dirname "$0")/shell.sh"

# What cores poll, in a trace and on the page; no address is left.
expect 0 "$tensim" run multicast -o traced --trace -q
gunzip traced/trace.json.gz
for name in 'semaphore sent' 'semaphore room' 'pages in c_0' 'room in c_0'; do
    grep -q "\"rv_poll\",\"args\":{\"cycle\":[0-9]*,\"object\":\"$name\"" traced/trace.json || fail "the trace has no poll of $name"
done
grep -q '"object":"[^"]*\.poll"' traced/trace.json && fail "the trace has a poll without a name"
grep -q '0x[0-9a-f]' traced/trace.json traced/drawing.json && fail "an address: $(grep -om1 '.\{40\}0x[0-9a-f]*' traced/trace.json traced/drawing.json)"
expect 0 "$tensim" matmul -M 64 -N 64 -K 64 --grid 2x2 --timing-only --json grid.json -q
grep -q 'semaphore in0_valid, polled by ncrisc' grid.json || fail "the grid's semaphores have no names"

# A lint, a fault and a finding of --check.
expect 0 "$tensim" new here --like multicast
sed -i 's/noc_semaphore_inc(room_there, 1)/noc_semaphore_inc(room_there, 1, noc_index, NOC_MULTICAST_WRITE_VC)/' here/receiver.cpp
expect 0 "$tensim" run here/program.yaml
grep -q 'unicast-vc .*to semaphore room of 1-2' err || fail "the lint does not name the semaphore"
sed -i 's/noc_async_write_multicast(buffer,/noc_async_write_multicast(buffer + 4,/' here/sender.cpp
expect 4 "$tensim" run here/program.yaml
grep -q 'noc-align: .*(page 0 of circular buffer c_0)' err || fail "the fault does not name the buffer"
expect 0 "$tensim" new racy --like eltwise
sed -i '/noc_async_read_barrier/d' racy/reader.cpp
expect 1 "$tensim" run racy/program.yaml --check=race # and the result is wrong
grep -q 'race-read-barrier' err || fail "no finding"
grep -q '(circular buffer c_0, page 0)' err || fail "the finding does not name the buffer"
