#!/bin/sh
# Firmware and a kernel in the layout of tt-metal's build cache: FOLDER/firmware and FOLDER/kernel.
set -e
here=$(cd "$(dirname "$0")" && pwd)
cc="riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -mno-relax -O2 -g -ffreestanding -nostdlib -fno-tree-loop-distribute-patterns --param=min-pagesize=0 -Wall -Wextra -Werror"
on=0
for core in brisc:0x3ae0:0xa000 ncrisc:0x5ce0:0xc000 trisc0:0x66e0:0xe000 trisc1:0x70e0:0xf000 trisc2:0x7ae0:0x10000; do
    name=${core%%:*} rest=${core#*:}
    mkdir -p "$1/firmware/$name" "$1/kernel/$name"
    $cc -DON=$on -DIMAGE="${rest#*:}" -Wl,-T"$here/firmware.ld",--defsym=TEXT="${rest%:*}",--no-warn-rwx-segments \
        -o "$1/firmware/$name/$name.elf" "$here/firmware.c"
    $cc -DON=$on -Wl,-T"$here/kernel.ld",--emit-relocs,--no-warn-rwx-segments,--just-symbols="$1/firmware/$name/$name.elf" \
        -o "$1/kernel/$name/$name.elf" "$here/kernel.c"
    on=$((on + 1))
done
