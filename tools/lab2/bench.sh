#!/usr/bin/env bash
# Times the stretch kernels of lab 2 on a GPU, beside cuBLAS and cuFFT. Needs the CUDA toolkit.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-target}
# Further options of the compiler, such as -DFFT_MIN_BLOCKS=2.
options=("${@:2}")
mkdir -p "$out"
nvcc -O3 -std=c++17 -arch=native "${options[@]}" tools/lab2/bench.cu \
    -o "$out/lab2-bench" -lcublas -lcufft
"$out/lab2-bench"
nvcc -O3 -std=c++17 -arch=native tools/lab2/tensor.cu -o "$out/lab2-tensor" -lcublas
"$out/lab2-tensor"
