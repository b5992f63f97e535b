#!/usr/bin/env bash
# How long a class takes: N copies of a lab's solution, each changed so that its host code is
# compiled, graded on two cores. Empty ones are added up to 50, from which on the judge is compiled
# with an optimiser.
# tools/load/run.sh [N] [LAB]          default: 50 lab2
set -euo pipefail
cd "$(dirname "$0")/../.."
n=${1:-50}
lab=${2:-lab2}
package=$(basename "$(ls -d "solutions/$lab"-*)")
class=$(mktemp -d)
trap 'rm -rf "$class"' EXIT

for k in $(seq -w "$n"); do
    mkdir -p "$class/class/s$k"
    cp -r "solutions/$package" "$class/class/s$k/"
    rm -rf "$class/class/s$k/$package/mutants" "$class/class/s$k/$package/variants"
    find "$class/class/s$k" -name '*.rs' -exec sh -c 'echo "// $0" >> "$1"' "$k" {} \;
done
empty=$(seq -f '%02.0f' "$((n + 1))" 50)
for k in $empty; do
    mkdir -p "$class/class/e$k/$package"
done
cargo build -q -p lab --bin lab
program="${CARGO_TARGET_DIR:-target}/debug/lab"

# What is compiled once for all is not the class's time: as many as are the class, and no work,
# before.
for k in $(seq -w "$n") $empty; do
    mkdir -p "$class/first/s$k/$package"
done
cp -r "$class/class/s$(seq -w "$n" | head -1)" "$class/first/"
batch() {
    taskset -c 0,1 "$program" grade "$lab" --submissions "$1" --results "$1-results" \
        --seed 1 --jobs 2
}
TIMEFORMAT='before them, once for all: %R s, %U s and %S s of processor time'
time batch "$class/first" > "$class/first.txt" 2>&1

TIMEFORMAT='%R %U %S'
{ time batch "$class/class" > "$class/marks.txt" 2> "$class/progress.txt"; } 2> "$class/times.txt"
tail -3 "$class/progress.txt"
grep -c ' 100 / 100 ' "$class/marks.txt" | sed 's/$/ with full marks/'
awk -v n="$n" '{
    printf "%d submissions: %.0f s on two cores, %.1f s each; ", n, $1, $1 / n
    printf "%.1f s of processor time each; 200 take %.1f min\n", ($2 + $3) / n, 200 * $1 / n / 60
}' "$class/times.txt"
