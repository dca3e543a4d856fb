#!/bin/sh
# Mistakes in kernels that give wrong numbers, or right ones by luck: the checks name each in their first sentence, and
# find nothing in the program without it. Usage: mistakes.sh TENSIM
set -eu
tensim=$1
. "$(dirname "$0")/../job/shell.sh"
checks=--check=race,memory,sync

# A program is tried in one folder: kernels of a template that stay as they are, are compiled once.
try()
{
    rm -rf tried
    cp -r "$1" tried
}

# mistake NAME TEMPLATE FILE 'sed command' KIND PLACE: the first finding has this kind and is at this place.
mistake()
{
    try "$2"
    sed "$4" "$2/$3" >"tried/$3"
    ! cmp -s "$2/$3" "tried/$3" || fail "$1: the sed command changes nothing"
    timeout 300 "$tensim" run $checks $size tried/program.yaml >out 2>err || true
    grep -m1 ': warning: ' err >first || fail "$1: nothing is found"
    grep -q "\[$5\]" first || fail "$1: the first finding is not $5: $(cat first)"
    grep -q "^$6" first || fail "$1: not at $6: $(cat first)"
}

size='-p rows=64 -p columns=64'
for like in eltwise reader-writer norm; do
    expect 0 "$tensim" new $like --like $like
    try $like
    expect 0 "$tensim" run $checks $size tried/program.yaml
    ! grep -q warning err || fail "$like: findings without a mistake"
done

mistake read-barrier eltwise reader.cpp '/noc_async_read_barrier/d' race-read-barrier reader.cpp:17
mistake write-barrier eltwise writer.cpp '/noc_async_write_barrier/d' race-write-flush writer.cpp:11
mistake dst-index eltwise compute.cpp 's/pack_tile(0, 16)/pack_tile(1, 16)/' dst-unwritten compute.cpp:27
mistake format eltwise program.yaml 's/id: 0, format: bf16/id: 0, format: bfp8/' 'format-read\|over\|cb-write' reader.cpp:17
mistake wait-front eltwise compute.cpp '/cb_wait_front(1, 1)/d' cb-read compute.cpp
mistake acquire eltwise compute.cpp '/tile_regs_acquire/d' 'regs-acquire\|race-unit' compute.cpp
mistake argument eltwise program.yaml 's/\[y, first(y.tiles), count(y.tiles)\]/[y, first(y.tiles)]/' arg-beyond writer.cpp

# In a lambda that the compiler keeps as a function: the kernel's own line, no name of the linker.
try eltwise
sed 's/mul_tiles(0, 1, 0, 0, 0);/[](uint32_t i) __attribute__((noinline)) { mul_tiles(0, 1, i, 0, 0); }(1);/' eltwise/compute.cpp >tried/compute.cpp
timeout 300 "$tensim" run $checks $size tried/program.yaml >out 2>err || true
grep -q '^compute.cpp:16:.*warning: .*\[cb-read\]' err || fail "outlined: not at compute.cpp:16"
! grep -q '_Z[A-Z]*[0-9]' err || fail "outlined: a name of the linker: $(grep -m1 '_Z' err)"

# More of memory and pairs.
mistake regs-wait eltwise compute.cpp '/tile_regs_wait/d' 'regs-wait\|dst-unwritten' compute.cpp
mistake write-open reader-writer writer.cpp '/noc_async_write_barrier/d' write-open writer.cpp:11
mistake outside reader-writer writer.cpp 's/noc_async_write_tile(tile, y/noc_async_write_tile(tile + 4000, y/' outside writer.cpp:11
mistake unwritten reader-writer reader.cpp '/noc_async_read_tile/d' unwritten writer.cpp
size='-p rows=512 -p columns=64'
mistake reserve reader-writer reader.cpp '/cb_reserve_back/d' cb-write reader.cpp:10
size='-p rows=64 -p columns=64'

# The same where buffers count their pages in registers, as the vendor's kernels do.
cp -r eltwise eltwise-registers
sed '/^name:/a counters: registers' eltwise/program.yaml >eltwise-registers/program.yaml
try eltwise-registers
expect 0 "$tensim" run $checks $size tried/program.yaml
! grep -q warning err || fail "eltwise-registers: findings without a mistake"
mistake registers-wait eltwise-registers compute.cpp '/cb_wait_front(1, 1)/d' cb-read compute.cpp
mistake registers-index eltwise-registers compute.cpp 's/mul_tiles(0, 1, 0, 0, 0)/mul_tiles(0, 1, 1, 0, 0)/' cb-read compute.cpp:16

# A wrong result is run again under all checks: where it is wrong first, who wrote that, and what is found.
mistake tile-index eltwise compute.cpp 's/mul_tiles(0, 1, 0, 0, 0)/mul_tiles(0, 1, 1, 0, 0)/' cb-read compute.cpp:16
expect 1 "$tensim" run $size tried/program.yaml
grep -q 'y: wrong from row 0, column .* last written by NoC 1 for brisc .*(writer.cpp:11)' err ||
    fail "the first wrong element"
grep -q '^compute.cpp:16:[0-9]*: warning: .*circular buffer c_0, page 1.*\[cb-read\]' err || fail "no check ran again"
expect 1 "$tensim" run --check=once $size tried/program.yaml
! grep -q warning err || fail "--check=once ran it again"
