#!/usr/bin/env bash
# Why fir3 and fir4 are slow with small blocks: what ncu says of their constant memory. Needs a GPU
# and the CUDA toolkit.
#
# usage: tools/lab2/constant.sh [PROGRAM]   PROGRAM: a lab2-bench, built with
#        cargo build -p lab2-optimization --features solutions --bin lab2-bench
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${1:-target/debug/lab2-bench}
export LAB_DEVICE=cuda
stall=smsp__average_warps_issue_stalled
metrics=sm__cycles_elapsed.max,smsp__inst_executed.sum,gcc__cache_requests_type_constant.sum
metrics+=,gcc__cache_requests_type_constant_lookup_hit.sum
metrics+=,${stall}_imc_miss_per_issue_active.ratio,${stall}_no_instruction_per_issue_active.ratio
for variant in fir3 fir4 fir5; do
    for k in 128 256 512 768 1024; do
        echo "$variant, K = $k, 60 s of stereo"
        ncu -k regex:audiofir -c 1 --metrics "$metrics" \
            "$program" fir --variant "$variant" --ks "$k" --seconds 60 --runs 1 |
            grep -E '__' || { echo "ncu gave no metrics" >&2; exit 1; }
    done
done
