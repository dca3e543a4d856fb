#!/bin/sh
# The shipped programs on a card of Wormhole: right, and without a finding of a check, or refused with the reason (wormhole.tsv).
# Usage: wormhole.sh TENSIM
set -eu
tensim=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$(dirname "$0")/shell.sh"
tab=$(printf '\t')

sample "every fourth program"
while IFS="$tab" read -r words code says; do
    case $words in "#"*) continue ;; esac
    one_in 4 || continue
    case $words in flash-attention*) checks= ;; *) checks=--check ;; esac # packs in place: cb-write, on every card
    expect "$code" "$tensim" run $words --chip n150 $checks
    cat out err | grep -qF "$says" || fail "$words: does not say '$says'"
done < "$here/wormhole.tsv"
# Six DRAM tiles of two channels, 24 GB/s each.
expect 0 "$tensim" run reader-writer --chip n150 -v
grep -q 'of 288.0 GB/s' out || fail "the peak of DRAM"
