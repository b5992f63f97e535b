#!/bin/sh
# What to run on a machine with a GPU after a change of the physics: equality of all back ends, and
# what the free surface costs. Run from the root of the repository.
set -e
rtm="cargo run --release -q -p rtm --"
$rtm agree --within 0 --n 64 --steps 200
$rtm agree --within 0 --n 64 --steps 200 --free-surface
$rtm agree --within 1e-5
$rtm agree --within 1e-5 --free-surface
# Points per second of a step with layers: no less than 3 % below what it was.
$rtm bench --backend cuda
$rtm bench --backend cpu
# What a free surface costs: under 2 %.
$rtm bench --backend cuda --free-surface --n 256,512 --order 8 --steps 200
$rtm bench --backend cpu --free-surface --n 200 --order 8
# Reflectors within half a cell.
$rtm demo --out target/demo
cargo test --release -q -p rtm --test suite cuda::
cargo test --release -q -p rtm --test suite opencl::
cargo test --release -q -p rtm-studies --test suite
cargo test --release -q -p tti
