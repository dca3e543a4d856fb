#!/bin/sh
# A row of tensix.def that no unit has a body for must not compile. Adds such a row to each unit's section in a copy of the
# table and compiles the file that selects the bodies. (The bodies of SCALAR lie in two files: the linker misses
# one.) Usage: bodies.sh SOURCE_DIR COMPILER
set -eu
source=$1 compiler=$2
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mkdir "$copy/config"
bad=0

# The unit as tensix.def spells it, and the file with its switch.
check() {
    unit=$1 file=$2
    lower=$(echo "$unit" | tr A-Z a-z)
    sed "0,/^TS_OP_$unit(/s//TS_OP_$unit(0xff, NEWCOMER, B_ALL, OTHER, BH, DONE, )\n&/" "$source/config/tensix.def" \
        >"$copy/config/tensix.def"
    if ! grep -q NEWCOMER "$copy/config/tensix.def"; then
        echo "$unit: tensix.def has no such section"
        bad=1
    elif "$compiler" -std=gnu11 -fsyntax-only -Werror -I"$copy" -I"$source" "$source/$file" 2>"$copy/log"; then
        echo "$unit: $file compiles although ts_${lower}_NEWCOMER is missing"
        bad=1
    elif ! grep -q NEWCOMER "$copy/log"; then
        echo "$unit: $file does not compile for another reason:"
        cat "$copy/log"
        bad=1
    fi
}

check SYNC units/isa/effects.c # has no row of effects
check SYNC units/sync.c
check CFG units/cfg.c
check MISC units/misc.c
check MOVER units/mover.c
check MATRIX units/matrix/op.c
check VECTOR units/vector/vector.c
check UNPACK units/unpack/unit.c
check PACK units/pack/unit.c
[ $bad = 0 ] && echo "every unit misses the body of a new row"
exit $bad
