#!/bin/bash
# The engine against oclgrind on the same four kernels with all checks on: one thread each, and all
# cores each.
#   cargo bench -p benches --bench engine && tools/oclgrind/compare.sh [TARGET_FOLDER]
# Needs the Debian package oclgrind. Where oclgrind would take minutes it runs a part of the
# launch's work-groups, each of which does the same work, and the time is multiplied by the share
# (column "scaled"). The time of a launch of one work-group (start, compiling) is taken off on
# oclgrind's side; the engine's times are criterion's means of a launch, compiling left out too. On
# one thread both are times of the processor, on all cores of the clock.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target=${1:-${CARGO_TARGET_DIR:-$here/../../target}}
fail() { # code words...
    echo "${*:2}" >&2
    exit "$1"
}
command -v oclgrind-kernel > /dev/null ||
    fail 2 "oclgrind-kernel not found (Debian package oclgrind)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here/engine.cl" "$work"
cd "$work"

sim() { # kernel global local scalar bytes...
    echo engine.cl; echo "$1"; echo "$2"; echo "$3"
    local scalar=$4; shift 4
    for bytes in "$@"; do echo "<size=$bytes fill=1 float>"; done
    printf '<size=4 int>\n%s\n' "$scalar"
}

seconds() { # threads simfile
    local TIMEFORMAT='%U %S %R'
    { time oclgrind-kernel --data-races --uninitialized --num-threads "$1" "$2" > out.txt 2>&1; } \
        2> time.txt || fail 1 "$(cat out.txt)"
    grep -q -i "race\|uninit\|invalid" out.txt && fail 1 "oclgrind complains: $(head -5 out.txt)"
    awk -v threads="$1" '{ print threads == 1 ? $1 + $2 : $3 }' time.txt
}

engine() { # kernel threads
    local file="$target/criterion/engine/$1/checks on, $2/new/estimates.json"
    [ -f "$file" ] || fail 2 "run cargo bench -p benches --bench engine first: no $file"
    sed 's/.*"mean":{[^}]*},"point_estimate":\([0-9.e+]*\).*/\1/' "$file" |
        awk '{ print $1 * 1e-9 }'
}

compare() { # kernel full-groups part-of one local global-of-part global-of-one scalar bytes...
    local kernel=$1 share=$2 local=$3 part=$4 one=$5; shift 5
    sim "$kernel" "$part" "$local" "$@" > part.sim
    sim "$kernel" "$one" "$local" "$@" > one.sim
    for threads in 1 "$(nproc)"; do
        local label=$([ "$threads" = 1 ] && echo "1 thread" || echo "all cores")
        local whole start ours
        whole=$(seconds "$threads" part.sim); start=$(seconds "$threads" one.sim)
        ours=$(engine "$kernel" "$label")
        echo "$kernel|$label|$share|$whole|$start|$ours" | awk -F'|' '{
            theirs = ($4 - $5) * $3
            printf "| %s | %s | %.2f | x%d | %.2f | %.5f | %.0f |\n",
                $1, $2, $4, $3, theirs, $6, theirs / $6
        }'
    done
}

echo -n "| kernel | on | oclgrind measured (s) | scaled | oclgrind launch (s) "
echo "| engine launch (s) | ratio |"
echo "|---|---|---:|---:|---:|---:|---:|"
compare vector_add 1 "256 1 1" "1048576 1 1" "256 1 1" 1048576 4194304 4194304 4194304
compare reduce 4 "256 1 1" "65536 1 1" "256 1 1" 262144 1048576 4096
compare matmul 16 "16 16 1" "256 16 1" "16 16 1" 256 262144 262144 262144
compare fir 32 "256 1 1" "512 1 1" "256 1 1" 1025 4100 69632 65536
