#!/bin/bash
# gdb-multiarch on a tile, on a chip and on a hang: threads, breakpoints, backtraces with lines, steps over .ttinsn, writes that
# are watched, back in time. The run has the cycles of one without gdb.
# Usage: gdb.sh TENSIM GUEST_DIR SOURCE
set -u
tensim=$(realpath "$1") guest=$(realpath "$2") source=$(realpath "$3")
command -v gdb-multiarch > /dev/null || { echo "no gdb-multiarch"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0 before="" gdb=--gdb
fail() { echo "FAILED: $*"; sed 's/^/    /' said; failed=1; }

# Commands of gdb on stdin; what it says in `said`, the exit code of tensim in `code`.
session() {
    : > err
    "$tensim" "$@" $gdb > out 2> err &
    local pid=$! port=""
    for _ in $(seq 300); do
        port=$(sed -n 's/^gdb: target remote //p' err)
        [ -n "$port" ] && break
        sleep 0.1
    done
    { printf '%s\n' "set pagination off" "set confirm off" "set architecture riscv:rv32" "$before" "target remote $port"; cat; } > commands
    timeout 300 gdb-multiarch -q -nx -batch -x commands > said 2>&1
    wait $pid
    echo $? > code
}
says() { grep -q -- "$1" said || fail "$name: gdb does not say: $1"; }

name=tile
session matmul -q --m 64 --n 64 --k 64 --json gdb.json << END
file $guest/matmul.math.elf
info threads
thread 3
tbreak main
continue
backtrace
next
next
printf "pc before: %#x\n", \$pc
monitor cycle
stepi
reverse-stepi
printf "pc after: %#x\n", \$pc
monitor cycle
monitor why
thread apply all print/x \$pc
watch *(unsigned *)0x1f00c
continue
print *(unsigned *)0x1f00c
reverse-continue
print *(unsigned *)0x1f00c
reverse-continue
reverse-continue
monitor cycle
delete
continue
END
"$tensim" matmul --m 64 --n 64 --k 64 --json plain1.json -q
says '5 .*Thread 1.5 (ncrisc 1-2)'
says 'Thread 3 hit Temporary breakpoint 1, main () at .*trisc.cpp:'
says '#0  main () at .*trisc.cpp:'
says 'trisc1 .* instructions, '
says 'T1 .* -> trisc1'
says 'Thread 5 (Thread 1.5'
says 'hit Hardware watchpoint 2'
says '^\$[0-9]* = 0$'
says '^\$[0-9]* = 128$'
says 'No more reverse-execution history'
says 'exited normally'
[ "$(sed -n 's/^pc before: //p' said)" = "$(sed -n 's/^pc after: //p' said)" ] || fail "$name: a step back is not a step back"
[ "$(cat code)" = 0 ] || fail "$name: exit code $(cat code)"
cycles() { python3 -c 'import json, sys; print(*(json.load(open(f))["run_cycles"] for f in sys.argv[1:]))' "$@"; }
set -- $(cycles gdb.json plain1.json)
[ "$1" = "$2" ] || fail "$name: $1 cycles with gdb, $2 without"

name=ttinsn # the core gathers the first two
cat > t.S << 'END'
    .globl _start
_start:
    li a0, 1
    .word 0x08000000
    .word 0x08000000
    li a1, 2
    .word 0x08000000
    addi a1, a1, 3
1:  j 1b
END
riscv64-unknown-elf-gcc -march=rv32im -mabi=ilp32 -nostdlib -g -Wl,-Ttext=0x5000 -o t.elf t.S || fail "$name: t.S"
session run -q --load trisc0=t.elf << 'END'
file t.elf
thread 2
tbreak *0x5000
continue
stepi
stepi
printf "first: %#x\n", $pc
stepi
stepi
printf "second: %#x\n", $pc
reverse-stepi
reverse-stepi
reverse-stepi
printf "back: %#x\n", $pc
kill
END
says 'first: 0x500c'
says 'second: 0x5014'
says 'back: 0x5004'

name=chip
session matmul -q --grid 2x2 --m 128 --n 128 --k 128 -j4 --json gdb.json << 'END'
info inferiors
thread 2.1
tbreak *0x20
continue
monitor cycle
reverse-stepi
monitor goto 5000
maint flush register-cache
monitor why
continue
END
"$tensim" matmul --grid 2x2 --m 128 --n 128 --k 128 --json plain.json -q
says 'process 4'
says 'brisc '
set -- $(cycles gdb.json plain.json)
[ "$1" = "$2" ] || fail "$name: $1 cycles with gdb, $2 without"

name=chosen # a step back is one of the chosen thread; a goto past the end stays in the session
session matmul -q --m 32 --n 32 --k 32 << END
file $guest/matmul.math.elf
thread 3
tbreak main
continue
stepi
thread 1
maint flush register-cache
printf "1 before: %#x\n", \$pc
reverse-stepi
printf "1 after: %#x\n", \$pc
thread
monitor goto 99999999
monitor goto 4000
monitor cycle
continue
END
[ "$(sed -n 's/^1 before: //p' said)" != "$(sed -n 's/^1 after: //p' said)" ] || fail "$name: thread 1 did not step back"
says 'Current thread is 1 '
says 'the run ends before that: this is its last cycle'
says '^4003$'
[ "$(cat code)" = 0 ] || fail "$name: exit code $(cat code)"

name=hang
session hang -q "$source/config/gallery/fifo-full-while-polling.yaml" << 'END'
continue
monitor cycle
reverse-stepi
monitor why
continue
continue
END
says 'trisc0 '
[ "$(cat code)" = 2 ] || fail "$name: exit code $(cat code)"

name=tensix # the coprocessor: registers, events, what a tile holds; loads that are watched
session matmul -q --m 64 --n 64 --k 64 --json gdb.json << END
file $guest/matmul.math.elf
info os processes
awatch *(unsigned *)0x1f00c
continue
delete
thread 3
monitor break MVMUL on t1
continue
printf "cycle %lu, Dst %u, semaphore %u\n", \$model_cycle, \$rwc_dst, \$semaphore5
print \$lreg0
monitor tensix
monitor dst 0 1
monitor src a 0
monitor cb
monitor semaphores
monitor config ALU_FORMAT_SPEC_REG0
monitor checkpoint
continue
reverse-continue
monitor cycle
monitor delete
monitor until semaphore 1
monitor until cb 2
monitor until bananas
monitor dst 5000
thread 1
print \$gpr0
rwatch *(unsigned *)0x1f00c
continue
delete
monitor until RESOURCEDECL
continue
END
says '1 *tensim *tile 1-2'
says '^cycle [0-9]*, 1-2: MVMUL on t1$'
says '^cycle [0-9]*, Dst 8, semaphore 2$'
says '= {0 <repeats 32 times>}'
says 'at the gate MVMUL'
says '^Dst\[0\] '
says '^SrcA\[0\] of bank 1'
says '^cb 0 (c_0): 4 of 4 pages'
says '^semaphore 5: 2 of 2'
says '^ALU_FORMAT_SPEC_REG0_SrcA: '
says '^cycle [0-9]*, 1-2: semaphore 1 is'
says '^cycle [0-9]*, 1-2: c_16 has'
says 'there is no Tensix instruction bananas'
says 'rows 0 to 1023'
says 'the run ends before that: this is its last cycle'
says '= <unavailable>'
says 'hit Hardware read watchpoint'
says 'hit Hardware access (read/write) watchpoint'
set -- $(cycles gdb.json plain1.json)
[ "$1" = "$2" ] || fail "$name: $1 cycles with gdb, $2 without"

name=non-stop # a core stands, the others go on
before="set non-stop on"
session matmul -q --m 64 --n 64 --k 64 << END
file $guest/matmul.math.elf
thread 3
tbreak main
continue -a
info threads
monitor cycle
stepi
stepi
monitor cycle
monitor goto 5
continue
END
before=""
says 'brisc 1-2)  *(running)'
says '3 .*trisc1 1-2) main () at .*trisc.cpp:'
says 'not in non-stop'
says 'exited normally'
[ "$(cat code)" = 0 ] || fail "$name: exit code $(cat code)"
set -- $(grep -x '[0-9]*' said)
[ "$2" -gt "$1" ] || fail "$name: the others do not go on: cycle $1, then $2"

name=one # all tiles are one process
gdb=--gdb=one
session matmul -q --grid 2x2 --m 128 --n 128 --k 128 << 'END'
info inferiors
info threads
thread 6
tbreak *0x20
continue
continue
END
gdb=--gdb
says '20 .*Thread 1.20 (ncrisc '
says 'Thread 6 hit Temporary breakpoint'
grep -q 'process 2' said && fail "$name: there is a process 2"

name=checkpoint # a run that nobody watched, from its middle and from its hang on
"$tensim" matmul --m 64 --n 64 --k 64 --json resumed.json -q -o saved --checkpoint=at:5000 > out 2> said
session run --resume saved/5000.ckpt << END
file $guest/matmul.math.elf
thread 3
monitor cycle
stepi
stepi
reverse-stepi
monitor goto 6000
monitor goto 10
monitor cycle
continue
END
says '^5286$'
says 'exited normally'
set -- $(cycles resumed.json plain1.json)
[ "$1" = "$2" ] && [ "$(cat code)" = 0 ] || fail "$name: $1 cycles from a checkpoint on, $2 without, exit code $(cat code)"
"$tensim" run "$source/config/gallery/g02-consumer-starves.yaml" -q -o saved --checkpoint=hang > out 2> said
session run --resume saved/hang.ckpt << 'END'
monitor why
reverse-continue
continue
continue
END
says 'holds SEMGET'
says 'exited with code 02'
[ "$(cat code)" = 2 ] || fail "$name: a hang ends with $(cat code)"

name=port
"$tensim" matmul -q --gdb=0 > out 2> said && fail "$name: port 0 is accepted"
"$tensim" matmul -q --gdb=2000,two > out 2> said && fail "$name: two is accepted"
: > there
"$tensim" matmul -q --gdb=./there > out 2> said
[ $? = 3 ] && [ -e there ] || fail "$name: a file that is there is not left alone"
"$tensim" matmul -q -o run --gdb --checkpoint=at:5 > out 2> said
[ $? = 64 ] || fail "$name: --gdb with --checkpoint is accepted"
exit $failed
