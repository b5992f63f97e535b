#!/bin/sh
# The theses' tables and figures at their own size, on a machine with a GPU, in pieces.
#
#     sh rtm/benches/sources.sh [SECONDS]
#
# Run from the root of the repository. After SECONDS (all the time there is, if left out) it stops,
# with exit code 75; the same command goes on: parts whose table is there are skipped, and the salt
# survey goes on after the last finished shot. On an H200 what needs no sweep, snapshots or salt
# survey took 470 s; the salt survey takes longer than all the rest.
#
# Tables and pictures go to target/sources; their figures belong into docs/measurements/rtm.md, "At
# the sources' own size". RTM names a program that is built already.
set -e
if [ -z "$RTM" ]; then
    cargo build --release -q -p rtm
    RTM=${CARGO_TARGET_DIR:-target}/release/rtm
fi
out=target/sources
mkdir -p "$out"
end=$(($(date +%s) + ${1:-1000000}))

# part NAME WORDS: `rtm WORDS`, its table in NAME.md, unless that is there.
part() {
    name=$1
    shift
    if [ -e "$out/$name.md" ]; then return; fi
    left=$((end - $(date +%s)))
    if [ $left -lt 1 ]; then again; fi
    # Stopped by SIGINT, rtm keeps the shots that are finished.
    code=0
    timeout -s INT $left "$RTM" "$@" > "$out/$name.part" || code=$?
    case $code in
    0) mv "$out/$name.part" "$out/$name.md" && cat "$out/$name.md" ;;
    124 | 130) again ;;
    *) exit $code ;;
    esac
}
again() {
    echo "the time is over: start it again to go on" >&2
    exit 75
}

# Brumati's figure 1: the sweep over the size of the grid; a case that the table holds is not run
# again.
part fletcher fletcher TTI 88 88 88 16 12.5 12.5 12.5 0.001 0.01 --device cuda --sweep 88:32:600 \
    --methods base,shared,shared-queue,best --csv "$out/fletcher.csv" --svg "$out/fletcher.svg"
# Salamanca's figures 16, 17: fields as they were and as they are given back. Figure 20: energies.
# Figures 21 to 28: a wave within random layers.
part wavefields study wavefields --full --backend cuda --svg "$out/wavefields.svg"
part energy study energy --full --backend cuda --svg "$out/energy.svg"
part snapshots study snapshots --full --backend cuda --svg "$out/snapshots.svg"
# Salamanca's figures 12 to 15, tables 6, 7: the field that saved boundaries give back, example C.
part reconstruction study reconstruction --full --backend cuda --svg "$out/reconstruction.svg"
# The same tables as on the CPU.
part strategies study strategies --backend cuda
part stability study stability --backend cuda --svg "$out/stability.svg"
part verify verify space single layers strategies --backend cuda
# Figures 32 to 41, 42 to 57: fits, speed-ups, blocks.
part times times --svg "$out"
part blocks times --blocks 32 --svg "$out"
# Table 13, figure 29: time against memory.
part trade-off times --trade-off
# Figures 4, 5: random velocities.
m="vcte=2000 nx=250 ny=250 nz=250 dx=20 dy=20 dz=20 fq=10 Lpml=50 dt=0.001 data=$out/point.su"
part point shoot $m tmax=3 dt_rec=0.004 sources_x=2500 sources_y=2500 sources_z=2500 \
    receivers_x=2500 receivers_y=2500 receivers_z=100 --backend cuda
part velocities migrate $m strategy=7 rdtype=0 rand_mode=0 velrand1file=1 make_retropropagation=0 \
    make_backpropagation=0 rfile=0 svg=0 restart=0 "out=$out/velocities" --backend cuda
part velocities-page look "$out/velocities/shot-00001-velrand1.bin" --slices 0 \
    --html "$out/velocities.html"
# Tables 3 to 5, figures 8 to 11, 18, 19: 144 shots, 2500 levels, 3000 m more at the top, by all
# strategies.
part salt salt --coarser 1 --shots 12 --backend cuda --out "$out/salt"
s=$out/salt
part salt-page look "$s/salt.bin" "$s/checkpoints/image.bin" "$s/boundaries/image.bin" \
    "$s/boundaries/difference.bin" "$s/random/image.bin" "$s/random/difference.bin" \
    --at 7440,4960 --html "$out/salt.html"
# Table 11, tables 8 to 10: 17 periods of random velocities in four modes; the longest of all.
if [ -n "$STABILITY" ]; then
    part stability-full study stability --full --backend cuda --svg "$out/stability-full.svg"
fi
