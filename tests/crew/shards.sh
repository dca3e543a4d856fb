#!/bin/bash
# A sweep in five shards, started by the lines of the README (GNU parallel, and the script of an sbatch array), has the
# tables and the page of one process. Usage: shards.sh TENSIM README
set -eu
tensim=$1 readme=$2
. "$(dirname "$0")/../sample.sh"
if every_case; then every=40; else every=400; fi
sample "the lines of parallel without the array, every 400th instead of every 40th row of silicon"
command -v parallel > /dev/null || { echo "no GNU parallel: skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir bin
ln -s "$tensim" bin/tensim
export PATH="$work/bin:$PATH" PARALLEL_HOME="$work"
fail() { echo "$1"; exit 1; }
same() { # of DIR and the sweep of one process
    for file in table.csv table.json table.sqlite sweep.html; do
        cmp "whole/$file" "$1/$file" || fail "$1/$file is not as of one process"
    done
}
tensim sweep -q -o whole > said
[ "$(cat said)" = "144 of 144 runs, 0 resumed, 0 failed; whole/sweep.html" ] || fail "$(cat said)"
# Speed costs accuracy: several runs of the default sweep are worth having.
front=$(grep -c '"shape"' whole/table.json)
[ "$front" -gt 3 ] || fail "the front has $front runs"
line=$(grep '^parallel tensim' "$readme")
[ -n "$line" ] || fail "$readme has no line for parallel"
parallel --will-cite true ::: 1 2> /dev/null || true
bash -c "$line" || fail "$line"
[ "$(ls -d out/part* | wc -l)" = 5 ] || fail "not five shards"
tensim merge out/part* -o merged > said
[ "$(cat said)" = "144 of 144 runs, 144 resumed, 0 failed; merged/sweep.html" ] || fail "$(cat said)"
same merged
rm -rf out
sed -n '/^#SBATCH/,/^```/p' "$readme" | grep -v '^```' > array.sh
grep -q 'tensim.*--shard' array.sh || fail "$readme has no script of an array"
if every_case; then
    parallel "SLURM_ARRAY_TASK_ID={} SLURM_ARRAY_TASK_COUNT=5 bash array.sh" ::: 1 2 3 4 5 > /dev/null
    tensim merge -q out/part* -o array > /dev/null
    same array
fi
# The same for the other commands.
for i in 1 2 3; do
    tensim silicon -q every=$every --shard $i/3 -o s$i
    tensim run --search 50,most:64 --shard $i/3 -o h$i "$(dirname "$readme")/../../config/gallery/g01-racy.yaml" > said
done
tensim silicon every=$every --json one.json > one.txt || true
tensim merge s1 s2 s3 --json merged.json > merged.txt || true
cmp one.json merged.json && cmp one.txt merged.txt || fail "silicon: the merge is not as of one process"
tensim run --search 50,most:64 "$(dirname "$readme")/../../config/gallery/g01-racy.yaml" > one.txt 2> /dev/null || true
tensim merge h2 h3 h1 > merged.txt 2> /dev/null || true
cmp one.txt merged.txt || fail "hang --search: the merge is not as of one process"
grep -q '^found in run' merged.txt || fail "nothing was found"
# A program file over values of a parameter: BRISC loads, adds and stores twice.
cat > program.yaml <<END
tiles:
    1-2:
      load: [{address: 0, words: [0x10002503, 0x00150513, 0x10a02023, 0x10002583, 0x00158593, 0x10b02023, 0x6f]}]
script:
    - release: [brisc]
END
cp program.yaml again.yaml
tensim sweep program.yaml again.yaml riscv.load_l1=4,8,12 -o programs > said
cat > want <<END
program,riscv.load_l1,stop,cycles,script,code,error
program.yaml,4,done,40,passed,0,
program.yaml,8,done,48,passed,0,
program.yaml,12,done,56,passed,0,
again.yaml,4,done,40,passed,0,
again.yaml,8,done,48,passed,0,
again.yaml,12,done,56,passed,0,
END
cmp want programs/table.csv
for i in 1 2; do tensim sweep -q program.yaml again.yaml riscv.load_l1=4,8,12 --shard $i/2 -o p$i; done
tensim merge -q p1 p2 -o programs2 > /dev/null
for file in table.csv table.json table.sqlite sweep.html; do cmp programs/$file programs2/$file; done
code=0
tensim sweep program.yaml riscv.nothing=4 -q -o wrong > /dev/null 2> said || code=$?
[ $code = 64 ] && grep -q "no such parameter" said && [ ! -e wrong ] || fail "a parameter that is not there: $code"
# What is refused.
code=0
tensim sweep --shard 1/2 -o x --json y 2> said || code=$?
[ $code = 64 ] && grep -q 'a shard has no table' said || fail "a shard with a table"
for wrong in 0/5 6/5 1 1/ /5 1/5x -1/5; do
    code=0
    tensim sweep "--shard=$wrong" -o x 2> said || code=$?
    [ $code = 64 ] && grep -q 'is not I/N' said || fail "--shard $wrong: $code $(cat said)"
done
code=0
tensim merge s1 s2 h3 -o x 2> said || code=$?
[ $code = 3 ] && grep -q "h3: has results of another command: hang" said || fail "silicon and hang merged: $(cat said)"
[ ! -e x ] || fail "a merge that was refused leaves a directory"
