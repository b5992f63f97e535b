#!/usr/bin/env bash
# Processor time of each crate of a build, user and system, in seconds: a line for each call of
# rustc is added to the file $TIMES.
#   TIMES=$PWD/target/times RUSTC_WRAPPER=$PWD/tools/times/rustc.sh cargo test --no-run
#   sort -k3 -n -r target/times
set -euo pipefail
name= kind=crate before=
for word in "$@"; do
    [ "$before" != --crate-name ] || name=$word
    [ "$word" != --test ] || kind=test
    before=$word
done
# What cargo asks before it builds.
if [ -z "$name" ] || [ "$name" = ___ ]; then exec "$@"; fi
exec /usr/bin/time --quiet --append --output "$TIMES" --format "$name $kind %U %S" "$@"
