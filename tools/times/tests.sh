#!/usr/bin/env bash
# Processor time of each test of a test program, with all that it starts, in seconds: each test runs
# by itself, so what tests share is counted with each of them.
#   tools/times/tests.sh rtm target/debug/deps/suite-0123456789abcdef
set -euo pipefail
folder=$1 program=$(realpath "$2")
cd "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
names() { "$program" --list --format terse "$@" | sed -n 's/: test$//p' | sort; }
comm -23 <(names) <(names --ignored) | while read -r test; do
    result=ok
    /usr/bin/time --quiet --output "$work/time" --format '%U %S' \
        "$program" --exact "$test" < /dev/null > "$work/said" 2>&1 || result=failed
    awk -v test="$test" -v result=$result '{printf "%.2f %s %s\n", $1 + $2, result, test}' \
        "$work/time"
done | sort -n -r
