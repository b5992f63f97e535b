#!/bin/sh
# The theses' tables at their own size, on a machine with a GPU: less than eight minutes on an H200,
# and then the salt survey, more than ten. Run from the root of the repository. Tables go to target/sources,
# their figures belong into docs/measurements/rtm.md, "At the sources' own size".
# A run that stops is started again: the salt survey goes on after the shots that were finished.
set -e
rtm="cargo run --release -q -p rtm --"
out=target/sources
mkdir -p "$out"
# Salamanca's figures 12 to 15: the field that saved boundaries give back, example C.
$rtm study reconstruction --full --backend cuda --svg "$out/reconstruction.svg" |
    tee "$out/reconstruction.md"
# The same tables as on the CPU.
$rtm study strategies --backend cuda | tee "$out/strategies.md"
$rtm study stability --backend cuda --svg "$out/stability.svg" | tee "$out/stability.md"
$rtm verify space single layers strategies --backend cuda | tee "$out/verify.md"
# Figures 32 to 39, 42 to 44, 55 to 57: fits, speed-ups, blocks.
$rtm times --svg "$out" | tee "$out/times.md"
$rtm times --blocks 32 --svg "$out" | tee "$out/blocks.md"
# Tables 3 to 5, figures 8 to 11, 18, 19: 144 shots, 2500 levels, 3000 m more at the top, by all
# strategies.
$rtm salt --coarser 1 --shots 12 --backend cuda --out "$out/salt" | tee "$out/salt.md"
cd "$out/salt"
cargo run --release -q -p rtm -- look salt.bin checkpoints/image.bin boundaries/image.bin \
    boundaries/difference.bin random/image.bin random/difference.bin \
    --at 7440,4960 --html ../salt.html
