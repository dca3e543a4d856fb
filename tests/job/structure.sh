#!/bin/bash
# Parameters of structure (config/fixed.def): results stay right, narrower links and fewer banks take longer, and the simulator's
# shortcuts know them: fast equals step by step. tests/fuzz draws their values too. Usage: structure.sh TENSIM
set -eu
tensim=$1
. "$(dirname "$0")/shell.sh"

# cycles SETTING COMMAND...: of a run that is right, and the same step by step.
cycles()
{
    local setting=$1 fast slow
    shift
    expect 0 "$tensim" "$@" -D "$setting" -q --stats-hash --json fast.json
    expect 0 "$tensim" "$@" -D "$setting" -q --stats-hash --json slow.json --step-by-step
    fast=$(grep '"timing_hash"' fast.json) slow=$(grep '"timing_hash"' slow.json)
    [ "$fast" = "$slow" ] || fail "$setting: fast and step by step differ: $*"
    sed -n 's/^ "cycles": \([0-9]*\),*/\1/p' fast.json
}

# falls "SETTING SETTING..." COMMAND...: each takes fewer cycles than the one before.
falls()
{
    local settings=$1 before='' now
    shift
    for setting in $settings; do
        now=$(cycles "$setting" "$@")
        [ -z "$before" ] || [ "$now" -lt "$before" ] || fail "$setting: $now cycles, before $before: $*"
        before=$now
    done
}

falls 'noc.link_width=1 noc.link_width=2 noc.link_width=4 noc.link_width=8' run reader-writer -p rows=128
falls 'riscv.l1_bank_bits=4 riscv.l1_bank_bits=5' eltwise -M 256 -N 256 --timing-only
