#!/bin/sh
# --check=race: each mistake of races.tsv is found, with its kind and line; the templates themselves have none; the report
# does not depend on threads, and cycles do not depend on the check. Usage: races.sh TENSIM SOURCE_DIR
set -eu
tensim=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
small="-p rows=128 -p columns=256" # more tiles than pages on each core

bad=0
cp -r "$source/config/programs/common" "$work/common"

# run PROGRAM_DIR [OPTION...]: its exit code, findings in $work/found
run() {
    from=$1
    shift
    code=0
    # shellcheck disable=SC2086
    "$tensim" run "$from/program.yaml" $small "$@" >"$work/out" 2>"$work/found" || code=$?
}

complain() {
    echo "$1"
    cat "$work/found"
    bad=1
}

for program in reader-writer eltwise; do
    run "$source/config/programs/$program" --check=race
    [ "$code" = 0 ] || complain "$program: exit code $code, not 0"
done

tab=$(printf '\t')
while IFS=$tab read -r program file pattern kind line; do
    case $program in '#'*) continue ;; esac
    rm -rf "$work/copy"
    cp -r "$source/config/programs/$program" "$work/copy"
    sed -i "/$pattern/d" "$work/copy/$file"
    run "$work/copy" --check=race
    if [ "$kind" = - ]; then
        [ "$code" = 0 ] || complain "$program without $pattern in $file: exit code $code, not 0"
        continue
    fi
    case $code in 1 | 7) ;; *) complain "$program without $pattern in $file: exit code $code" ;; esac
    grep -q "^$line.*warning: .*\[$kind\]" "$work/found" ||
        complain "$program without $pattern in $file: no $kind at $line"
done <"$source/tests/sanitize/races.tsv"

# A racy one: the same report on one thread and two, the same cycles with and without the check.
rm -rf "$work/copy"
cp -r "$source/config/programs/reader-writer" "$work/copy"
sed -i '/noc_async_write_barrier/d' "$work/copy/writer.cpp"
run "$work/copy" --check=race -j1
cp "$work/found" "$work/one"
run "$work/copy" --check=race -j2
cmp "$work/one" "$work/found" || complain "the report depends on the number of threads"
cycles=$(sed -n 's/^ *\([0-9]*\) cycles,.*/\1/p' "$work/out")
run "$work/copy"
[ "$cycles" = "$(sed -n 's/^ *\([0-9]*\) cycles,.*/\1/p' "$work/out")" ] || complain "the check changes the cycles"

# The same hash of the stats with and without the check, and findings in the rows of a sweep.
run "$source/config/programs/reader-writer" --stats-hash -q
cp "$work/out" "$work/one"
run "$source/config/programs/reader-writer" --stats-hash -q --check=race,memory,sync
cmp "$work/one" "$work/out" || complain "the hash of the stats depends on the check"
code=0
"$tensim" sweep "$work/copy/program.yaml" rows=128 columns=256 --check=race -q -o "$work/sweep" >"$work/out" 2>"$work/found" || code=$?
[ "$code" = 1 ] || [ "$code" = 7 ] || complain "a sweep of a racy program: exit code $code"
grep -q findings "$work/sweep/table.csv" || complain "a sweep of a racy program: no findings in its table"

# Known ones are left out, with a reason.
echo 'race-write-flush * writer.cpp # known' >"$work/known"
run "$work/copy" --check=race --suppress "$work/known"
grep -q '0 findings; [0-9]* suppressed' "$work/found" && [ "$code" -le 1 ] || complain "suppressed: exit code $code, not 0 or 1 (whether the race makes the result wrong depends on the cycles)"
echo 'race-write-flush * writer.cpp' >"$work/known"
run "$work/copy" --check=race --suppress "$work/known"
[ "$code" = 3 ] || complain "a suppression without a reason: exit code $code, not 3"
run "$work/copy" --check=all
[ "$code" = 64 ] || complain "--check=all: exit code $code, not 64"
exit $bad
