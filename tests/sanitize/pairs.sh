#!/bin/sh
# Pairs of small programs (pairs/*.yaml): --check finds the mistake of the first one, by kind, object and both actors, and nothing in
# the repaired one. Lines that end in #- belong to the racy program only, those in #+ to the repaired one. The first
# line says what is found: `#: kind, [weak,] object, access, other'; kind may be several, with | between them. `#! text': a lint or a
# fault says this, checked or not. `#=': there is nothing to find. cases.txt has more of them, many in one file.
# Usage: pairs.sh TENSIM SOURCE_DIR
set -eu
tensim=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0 count=0
. "$(dirname "$0")/small.sh"
small_programs "$2" "$work/pairs"
pairs=$work/pairs

complain()
{
    echo "$name: $1"
    cat "$work/err"
    bad=1
}

# run VERSION [OPTION...]: the racy (+) or the repaired (-) program without the other's lines
run()
{
    small_version "$1" "$pairs/$name.yaml" >"$work/$name.yaml"
    shift
    code=0
    "$tensim" run "$work/$name.yaml" --check=race,memory,sync "$@" >"$work/out" 2>"$work/err" || code=$?
    cat "$work/out" >>"$work/err"
}

for file in "$pairs"/*.yaml; do
    name=$(basename "$file" .yaml)
    count=$((count + 1))
    wanted=$(sed -n '1s/^#[:!=] *//p' "$file")
    strict=
    case $(head -c 2 "$file") in
    '#!')
        run +
        grep -qF "$wanted" "$work/err" || complain "no $wanted"
        ;;
    '#:')
        kind=${wanted%%,*} rest=${wanted#*, }
        case $rest in weak,*) rest=${rest#weak, } strict=:strict ;; esac
        object=${rest%%,*} rest=${rest#*, }
        run + ${strict:+--check=race$strict}
        [ "$code" != 0 ] || complain "the racy program: exit code 0"
        grep -E "warning: .*\[($kind)[],]" "$work/err" >"$work/first" || complain "no $kind"
        grep -qF "$object" "$work/first" || complain "not $object"
        for who in "${rest%%,*}" "${rest#*, }"; do
            grep -qF ": $who " "$work/err" || complain "not by $who"
        done
        ;;
    esac
    run -
    ! grep -q 'warning: .*\[\(race\|cb\|unwritten\)' "$work/err" || complain "the repaired program: findings"
    case $code in 0) ;; *) complain "the repaired program: exit code $code" ;; esac
    [ -z "$strict" ] || run - --check=race$strict
    [ -z "$strict" ] || ! grep -q 'warning: .*\[race' "$work/err" || complain "the repaired program, strict: findings"
done
[ "$count" -ge 80 ] || complain "only $count pairs"
exit $bad
