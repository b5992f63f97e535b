#!/usr/bin/env bash
# Times the stretch kernels of lab 2 on a GPU, beside cuBLAS and cuFFT. Needs the CUDA toolkit.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-target}
mkdir -p "$out"
nvcc -O3 -std=c++17 -arch=native tools/lab2/bench.cu -o "$out/lab2-bench" -lcublas -lcufft
"$out/lab2-bench"
