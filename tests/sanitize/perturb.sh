#!/bin/sh
# Delays of random lengths (--perturb) and --check=race agree: of the racy programs of perturb.tsv at least 80 % give another result, hang
# or fail under one of 20 seeds, and none of the programs without a mistake does.
# Usage: perturb.sh TENSIM SOURCE_DIR: the first row and 1 seed; with TENSIM_TEST_ALL all
set -eu
tensim=$1 source=$2 seeds=1
. "$(dirname "$0")/../job/shell.sh"
! every_case || seeds=20
cp -r "$source/config/programs/common" common
: >out
: >err

# outcome FOLDER SIZE SEED: exit code and what differs from the expected result
outcome()
{
    got=0
    # shellcheck disable=SC2086
    timeout 300 "$tensim" run "$1/program.yaml" $2 --check=once --perturb "$3" -n 3000000 >out 2>err || got=$?
    echo "$got $(grep -h 'wrong\|WRONG' out err || true)"
}

# differs FOLDER SIZE: is there a seed with another outcome than the first one?
differs()
{
    first=$(outcome "$1" "$2" 1:1)
    for seed in $(seq 2 $((seeds + 1))); do
        for most in 20 400; do
            [ "$first" = "$(outcome "$1" "$2" "$seed:$most")" ] || return 0
        done
    done
    return 1
}

tab=$(printf '\t') total=0 seen=0 repaired=
while IFS=$tab read -r program file pattern size; do
    case $program in '#'*) continue ;; esac
    case " $repaired " in
    *" $program "*) ;;
    *)
        repaired="$repaired $program"
        cp -r "$source/config/programs/$program" "$program"
        ! differs "$program" "$size" || fail "$program without a mistake: --perturb changes its result"
        ;;
    esac
    rm -rf racy
    cp -r "$source/config/programs/$program" racy
    sed -i "$pattern" "racy/$file"
    ! cmp -s "racy/$file" "$program/$file" || fail "$program/$file: $pattern changes nothing"
    total=$((total + 1))
    if differs racy "$size"; then
        seen=$((seen + 1))
    else
        echo "$program/$file, $pattern: the same at every seed"
    fi
    every_case || break
done <"$source/tests/sanitize/perturb.tsv"
echo "--perturb shows $seen of $total"
! every_case || [ $((10 * seen)) -ge $((8 * total)) ]
