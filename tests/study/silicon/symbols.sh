#!/bin/sh
# A row of config/silicon that has a word wrong ends the build with its file and line: a symbol that its probes do not have, a
# value that is not defined, a program that is not there, an id that no publication has. Usage: symbols.sh SOURCE BUILD COMPILER OBJCOPY
set -eu
source=$1 guest=$2/guest compiler=$3 objcopy=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/config/silicon"
table=config/silicon/trips.def
bad=0
# build EXPRESSION: the family trips with its table changed by sed, as cores/guest/CMakeLists.txt builds it.
build() {
    sed "$1" "$source/$table" > "$dir/$table"
    (cd "$dir" && "$compiler" -march=rv32imf_zba_zbb_zicsr -mabi=ilp32 -mno-relax -nostdlib -x assembler-with-cpp -I. \
        -DFAMILY_TABLE="\"$table\"" -I"$source" -I"$source/config/probes" -I"$guest/include" \
        -Wl,-e0,-Ttext=0,--section-start=.index=0x1000000,--no-relax "$source/config/probes/trips.S" -o elf &&
        "$objcopy" -O binary -j .index elf index && "$guest/guest-gen" check $table index "$source/config/silicon_ids.def")
}
refuses() { # EXPRESSION MESSAGE
    if build "$1" > "$dir/out" 2>&1 || ! grep -qF "$2" "$dir/out"; then
        echo "sed '$1' should say: $2"
        head -5 "$dir/out"
        bad=1
    fi
}
build '' || bad=1
line=$(grep -n '"B0757"' "$source/$table" | cut -d: -f1)
refuses '/B0757/s/bytes=4/byte=4/' "$table:$line: error: row B0757 sets \`byte', which its probes do not have"
refuses '/B0757/s/op=READ/op=REED/' 'the row sets op to something that is not defined'
refuses '/B0757/s/op=READ/op=REED/' "$table:$line:"
refuses '/B0757/s/, trip,/, tripp,/' "$table:$line: Error: unrecognized opcode \`tripp'"
refuses '/B0757/s/ noc=0;//' "$table:$line:"
refuses '/B0757/s/op=READ;//' "$table:$line:" # op is only compared
refuses 's/B0757/Z0757/' "$table:$line: error: config/silicon_ids.def has no id Z0757"
exit $bad
