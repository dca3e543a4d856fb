#!/bin/sh
# A verdict of --check does not depend on time: each small program of pairs/ and cases.txt, racy and repaired, has the same kinds of
# findings under delays (--perturb) and with other parameters of the networks.
# Usage: timing.sh TENSIM SOURCE_DIR: every 8th program; with TENSIM_TEST_ALL all
set -eu
tensim=$1 source=$2 every=8
. "$(dirname "$0")/small.sh"
. "$(dirname "$0")/../job/shell.sh"
! every_case || every=1
small_programs "$source" all
: >out
: >err

# kinds FILE OPTION...: of all findings
kinds()
{
    "$tensim" run "$@" --check=race,memory,sync 2>&1 | sed -n 's/.*warning: .*\[\([a-z0-9-]*\)\]$/\1/p' | sort -u
}

number=0
for file in all/*.yaml; do
    number=$((number + 1))
    [ $((number % every)) = 0 ] || continue
    for version in + -; do
        small_version $version "$file" >one.yaml
        first=$(kinds one.yaml)
        while read -r options; do
            # shellcheck disable=SC2086
            now=$(kinds one.yaml $options)
            [ "$now" = "$first" ] || fail "$file without lines of $version, $options: [$now], not [$first]"
        done <<END
--perturb 1:20
--perturb 2:400
--perturb 3:3000
-D noc.memory_write=150
-D noc.hop=40
-D noc.memory_write=0 -D noc.command=40
END
    done
done
