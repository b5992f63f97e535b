#!/bin/bash
# On a machine with an NVIDIA GPU: compiles the corpus with nvcc, runs it, measures it with ncu, checks it with compute-sanitizer.
# tools/ncu/run.sh BUILD RESULTS
# BUILD is what `cargo run -p simt --example make_driver -- BUILD` wrote; RESULTS receives six or seven files:
#   ncu.csv launches.csv   counters of each launch, and which launch belongs to which run of which corpus file
#   outputs.csv outputs.bin  the checked buffers
#   sanitizer.txt sass.txt.gz log.txt
# `cargo run -p simt --example compare_ncu -- RESULTS` turns them into a table.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1 results=$2
mkdir -p "$results" "$build/obj/right" "$build/obj/faulty"
results=$(cd "$results" && pwd)
exec > >(tee "$results/log.txt") 2>&1
arch=${ARCH:-sm_90}
begin=$SECONDS
say() { echo "[$((SECONDS - begin)) s] $*"; }

nvcc --version | tail -2
ncu --version | tail -1
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader

compile() { # source object
    nvcc -std=c++17 -O3 -lineinfo -fmad=false -arch="$ARCH" -I "$HERE" -diag-suppress 177,550,186,128 -c "$1" -o "$2" || echo "FAILED: $1"
}
export -f compile
export ARCH=$arch HERE=$here
cd "$build" || exit 1
ls right/*.cu faulty/*.cu | sed 's|.*|& obj/&.o|' | xargs -P "$(nproc)" -L 1 bash -c 'compile $0 $1'
compile "$here/main.cu" obj/main.o
nvcc -arch="$arch" obj/main.o obj/right/*.o -o driver || exit 1
nvcc -arch="$arch" obj/main.o obj/faulty/*.o -o faulty_driver || echo "FAILED: faulty_driver"
say compiled

timeout 60 ./driver "$results" > printed.txt && say "ran: $(wc -l < "$results/launches.csv") launches" || say "FAILED: driver"
cuobjdump -sass driver | sed -e 's|/\*[0-9a-f]\{16\} *\*/||' -e 's/[[:space:]]*$//' | grep -v '^$' | gzip -9 > "$results/sass.txt.gz"
say disassembled

pipe=l1tex__t_requests_pipe_lsu_mem_global_op sectors=l1tex__t_sectors_pipe_lsu_mem_global_op
wavefronts=l1tex__data_pipe_lsu_wavefronts_mem_shared
wanted="
${pipe}_ld.sum ${sectors}_ld.sum ${pipe}_st.sum ${sectors}_st.sum
${pipe}_atom.sum ${sectors}_atom.sum ${pipe}_red.sum ${sectors}_red.sum
l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum l1tex__t_requests_pipe_lsu_mem_local_op_st.sum
${wavefronts}_op_ld.sum ${wavefronts}_op_st.sum ${wavefronts}_op_atom.sum ${wavefronts}.sum
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
smsp__inst_executed.sum smsp__thread_inst_executed.sum
smsp__inst_executed_op_shared_ld.sum smsp__inst_executed_op_shared_st.sum
smsp__inst_executed_op_shared_atom.sum smsp__inst_executed_op_shared_atom_dot_alu.sum smsp__inst_executed_op_shared_atom_dot_cas.sum
smsp__sass_inst_executed_op_shared_ld.sum smsp__sass_inst_executed_op_shared_st.sum
smsp__inst_executed_op_global_ld.sum smsp__inst_executed_op_global_st.sum
smsp__inst_executed_op_global_atom.sum smsp__inst_executed_op_global_red.sum
smsp__inst_executed_op_generic_atom_dot_alu.sum smsp__inst_executed_op_generic_atom_dot_cas.sum
smsp__inst_executed_op_ldc.sum smsp__inst_executed_op_branch.sum
smsp__sass_branch_targets.sum smsp__sass_branch_targets_threads_divergent.sum smsp__sass_branch_targets_threads_uniform.sum
smsp__sass_thread_inst_executed_op_fadd_pred_on.sum smsp__sass_thread_inst_executed_op_fmul_pred_on.sum
smsp__sass_thread_inst_executed_op_ffma_pred_on.sum smsp__sass_thread_inst_executed_op_dadd_pred_on.sum
smsp__sass_thread_inst_executed_op_dmul_pred_on.sum smsp__sass_thread_inst_executed_op_dfma_pred_on.sum
gpu__time_duration.sum"
ncu --query-metrics > metrics.txt 2>&1
metrics="launch__registers_per_thread,launch__shared_mem_per_block_static"
for m in $wanted; do
    if grep -q "^${m%%.*}[[:space:]]" metrics.txt; then metrics+=",$m"; else echo "no metric ${m%%.*}"; fi
done
say "metrics: $metrics"
grep -o "^smsp__\(sass_\)\?inst_executed_op[a-z_]*" metrics.txt | tr '\n' ' '; echo
timeout 240 ncu --clock-control none --csv --page raw --print-units base --metrics "$metrics" --log-file "$results/ncu.csv" ./driver - > /dev/null
say "ncu: $(grep -c '^"[0-9]' "$results/ncu.csv") launches"
grep -v '^"' "$results/ncu.csv" | tail -5

check() { # tool program case...
    local tool=$1; shift
    echo "== $tool $*"
    timeout 100 compute-sanitizer --tool "$tool" --print-limit 3 "$@" 2>&1 |
        grep -E "ERROR SUMMARY|RACECHECK SUMMARY|Invalid|Uninitialized|Barrier error|Divergent|hazard|race|    at |Target application|did not|Error:" | head -12
}
export -f check
{
    printf '%s\n' memcheck racecheck initcheck synccheck | xargs -P 4 -I{} bash -c 'check {} ./driver - > right.{}.txt'
    echo "# Right kernels"
    cat right.*.txt
    echo "# Faulty kernels"
    xargs -P 6 -L 1 bash -c 'check $1 ./faulty_driver - $0 > faulty.$0.txt' < faulty.txt
    cat faulty.*.txt
} > "$results/sanitizer.txt"
say "sanitized: $(grep -c 'SUMMARY: 0 ' "$results/sanitizer.txt") clean reports"
grep -A3 '^== .*driver -$' "$results/sanitizer.txt"
ls -l "$results"
