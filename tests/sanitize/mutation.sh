#!/bin/sh
# Removes one call at a time from kernels of config/programs: barriers, flushes, waits for pages, room, semaphores and Dst; and
# one STALLWAIT at a time from the SDK's headers, each that these kernels execute (stalls.tsv). The checks, or the explanation of a
# hang, must report at least 90 % of the mutants. The rest is harmless: mutation.txt and stalls.tsv say why, and silent STALLWAITs are shown to be.
# Usage: mutation.sh TENSIM SOURCE_DIR: every 36th mutant; with TENSIM_TEST_ALL all
#        mutation.sh TENSIM SOURCE_DIR HEADER: all STALLWAITs of a header, as metal/internal/untilize.h, and no other mutants
set -eu
tensim=$1 source=$2 only=${3:-} every=36
. "$(dirname "$0")/../sample.sh"
! every_case || every=1
[ -z "$only" ] || every=1
calls='noc_async_read_barrier|noc_async_write_barrier|noc_async_writes_flushed|noc_async_atomic_barrier|noc_semaphore_wait|cb_wait_front|cb_reserve_back|tile_regs_acquire|tile_regs_commit|tile_regs_wait|tile_regs_release|cb_push_back|cb_pop_front'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/config/programs/common" "$work/common"

# program, and sizes that make it go round its buffers; PROGRAM:VARIANT has its STALLWAITs only
programs="
reader-writer -p rows=128 -p columns=256
eltwise -p rows=128 -p columns=256
binary -p rows=128 -p columns=256
norm -p rows=64 -p columns=256
reduce -p rows=128 -p columns=256
tilize -p rows=128 -p columns=256
tilize:fast -p rows=128 -p columns=256 -p fast=1
untilize -p rows=128 -p columns=256
untilize:unpacker -p rows=128 -p columns=256 -p by=unpacker
transpose -p rows=128 -p columns=256
sfpu -p rows=128 -p columns=256
multicast
all-gather
matmul
gemv -p cores=4x2 -p n=1024 -p k=512
"
# what else to try with a program that reports nothing
more="
norm -p op=layernorm -p rows=64 -p columns=256
"
total=0 reported=0 hangs=0 harmless=0 number=0 bad=0
table=$source/tests/sanitize/stalls.tsv

# checked [OPTION...]: runs $program in $work/copy; its exit code in $code, findings in $work/err
checked()
{
    code=0
    # shellcheck disable=SC2086
    timeout 600 "$tensim" run "$work/copy/program.yaml" $sizes -n 3000000 "$@" >"$work/out" 2>"$work/err" || code=$?
}

# sizes_of LIST: of $program, in $sizes
sizes_of()
{
    sizes=$(echo "$1" | sed -n "s/^$program //p")
}

# findings: how many there are of different kinds and objects
findings()
{
    sed -n 's/.*warning: \(.*\[[a-z-]*\)[],].*/\1/p' "$work/err" | sort -u | wc -l
}

complain()
{
    echo "$1"
    bad=1
}

copy()
{
    rm -rf "$work/copy"
    cp -r "$source/config/programs/${1%:*}" "$work/copy"
}

# fresh PROGRAM: is it the turn of the next mutant? Then $work/copy is the program.
fresh()
{
    number=$((number + 1))
    [ $((number % every)) = 0 ] || return 1
    copy "$1"
}

# lines_of PATTERN FILE: the numbers of lines that are such a call
lines_of()
{
    grep -nE "^ *($1)[(<].*;" "$2" | cut -d: -f1
}

for program in $([ -n "$only" ] || echo "$programs" | cut -d' ' -f1 | grep -v :); do
    sizes_of "$programs"
    for file in "$source/config/programs/$program"/*.cpp; do
        name=$program/$(basename "$file")
        for line in $(lines_of "$calls" "$file"); do
            fresh "$program" || continue
            sed -i "${line}s/.*//" "$work/copy/$(basename "$file")"
            call=$(sed -n "${line}s/^ *//p" "$file") total=$((total + 1))
            checked --check=race,memory,sync
            if [ "$(findings)" = 0 ] && [ "$code" = 0 ] && echo "$more" | grep -q "^$program "; then
                sizes_of "$more"
                checked --check=race,memory,sync
                sizes_of "$programs"
            fi
            if [ "$(findings)" != 0 ]; then
                reported=$((reported + 1))
            elif [ "$code" = 2 ]; then
                hangs=$((hangs + 1)) # explained
            elif grep -qF "$name: $call" "$source/tests/sanitize/mutation.txt"; then
                harmless=$((harmless + 1))
            else
                echo "not reported: $name:$line: $call (exit code $code)"
            fi
        done
    done
done

# ---- STALLWAITs, in an installation whose SDK can be changed
mkdir -p "$work/bin" "$work/share"
cp "$tensim" "$work/bin/tensim"
cp -r "$source/config" "$work/share/tensim"
cp -rL "$(dirname "$tensim")/guest/sdk" "$work/share/tensim/guest"
tensim=$work/bin/tensim sdk=$source/cores/guest tab=$(printf '\t')

# without TEXT 'HEADER:WHICH'...: these STALLWAITs become the text
without()
{
    text=$1
    shift
    for one in "$@"; do
        line=$(lines_of 'TTI?_STALLWAIT' "$sdk/${one%:*}" | sed -n "${one#*:}p")
        sed -i "${line}s/.*/$text/" "$work/share/tensim/guest/${one%:*}"
    done
}

restore()
{
    for one in "$@"; do
        cp "$sdk/${one%:*}" "$work/share/tensim/guest/${one%:*}"
    done
}

result() # what the program says of its numbers
{
    grep ': right, ' "$work/out" || echo "exit code $code"
}

# same STALL: the result is the same without it, with 20 seeds of delays
same()
{
    restore "$1"
    checked
    result >"$work/right"
    without '' "$1"
    seed=0
    while [ $((seed += 1)) -le 20 ]; do
        checked --check=once --perturb $seed
        result | cmp -s - "$work/right" || complain "$1 is not harmless: --perturb $seed gives $(result)"
    done
}

for header in $(cd "$sdk" && grep -rl 'STALLWAIT(' --include='*.h' . | sed 's|^\./||'); do
    count=$(lines_of 'TTI?_STALLWAIT' "$sdk/$header" | wc -l)
    [ "$count" = "$(cut -f1 "$table" | grep -cxF "$header")" ] || complain "$header has $count STALLWAITs, stalls.tsv not"
done
unused=
while IFS=$tab read -r header which program outcome with reason; do
    case $header in '#'*) continue ;; esac
    stall=$header:$which
    [ "$program" != - ] || unused="$unused $stall"
    [ -z "$only" ] || [ "$header" = "$only" ] || continue
    [ "$program" != - ] && fresh "$program" || continue
    total=$((total + 1))
    sizes_of "$programs"
    without '' "$stall"
    checked --check=race,memory,sync
    found=$(findings)
    [ "$outcome" = found ] || [ "$found" = 0 ] || complain "$stall: stalls.tsv says $outcome, but it is found"
    case $outcome in
    strict)
        checked --check=race:strict
        found=$(findings)
        restore "$stall"
        checked --check=race:strict
        [ "$found" -gt "$(findings)" ] && reported=$((reported + 1)) || echo "not reported: $stall in $program"
        ;;
    silent)
        harmless=$((harmless + 1))
        [ "$reason" != - ] || complain "$stall has no reason"
        if [ "$with" = - ]; then
            ! every_case || same "$stall"
        else
            # shellcheck disable=SC2086
            without '' $with
            checked --check=race
            found=$(findings)
            restore "$stall"
            # shellcheck disable=SC2086
            without '' $with
            checked --check=race
            [ "$found" -gt "$(findings)" ] || complain "$stall: not found without $with either"
            # shellcheck disable=SC2086
            restore $with
        fi
        ;;
    *) [ "$found" != 0 ] && reported=$((reported + 1)) || echo "not reported: $stall in $program (exit code $code)" ;;
    esac
    restore "$stall"
done <"$table"
# Nobody executes the others: a trap in their place stops nobody.
if every_case && [ -z "$only" ]; then
    # shellcheck disable=SC2086
    without '__builtin_trap();' $unused
    for program in $(echo "$programs" | cut -d' ' -f1); do
        copy "$program"
        sizes_of "$programs"
        checked
        [ "$code" = 0 ] || complain "$program executes a STALLWAIT that stalls.tsv has no program for"
    done
fi
echo "of $total mutants checks report $reported, $hangs hang with an explanation, $harmless are harmless"
[ $bad = 0 ] && [ $((10 * (reported + hangs))) -ge $((9 * (total - harmless))) ]
