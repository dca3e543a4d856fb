#!/bin/sh
# Each kind of finding (config/checks.def) has a program with a mistake that makes it, and a repaired twin without findings: a row of
# kinds.tsv, a pair of pairs/ (pairs.sh), or a row of chip/test_system_checks.c. Usage: kinds.sh TENSIM SOURCE_DIR: every 16th row; with TENSIM_TEST_ALL all
set -eu
tensim=$1 source=$2 every=16
. "$(dirname "$0")/../job/shell.sh"
! every_case || every=1
tables=$source/tests/sanitize

for kind in $(sed -n 's/^TS_FINDING([A-Z_]*, [A-Z]*, "\([a-z-]*\)".*/\1/p' "$source/config/checks.def"); do
    cut -f1 "$tables/kinds.tsv" | grep -qx -- "$kind" || grep -hq "^#: .*\b$kind\b" "$tables"/pairs/*.yaml ||
        grep -q "\"\[$kind\]\"" "$source/tests/chip/test_system_checks.c" || fail "$kind has no program"
done

# run FILE 'sed command': exit code in $got, findings in err
run()
{
    rm -rf kinds
    cp -r "$tables/kinds" kinds
    # shellcheck disable=SC2086
    sed -i "$2" kinds/$1
    got=0
    timeout 300 "$tensim" run --check=race,memory,sync -n 1000000 kinds/program.yaml >out 2>err || got=$?
}

# silent NAME: the program has no findings
silent()
{
    [ "$got" = 0 ] && ! grep -q 'warning:' err || fail "$1, repaired: exit code $got, or findings"
}

: >out
: >err
run program.yaml ''
silent kinds
tab=$(printf '\t') number=0
while IFS=$tab read -r kind file wrong right; do
    case $kind in '#'*) continue ;; esac
    number=$((number + 1))
    [ $((number % every)) = 1 ] || [ $every = 1 ] || continue
    run "$file" "$wrong"
    ! diff -qr "$tables/kinds" kinds >/dev/null || fail "$kind: the sed command changes nothing"
    if [ "$kind" = = ]; then
        silent "$wrong"
        continue
    fi
    [ "$got" != 0 ] || fail "$kind: exit code 0"
    grep -Eq "warning: .*\[(${kind})[],]" err || fail "$kind: not found"
    [ "$right" != - ] || continue
    run "$file" "$right"
    silent "$kind"
done <"$tables/kinds.tsv"
