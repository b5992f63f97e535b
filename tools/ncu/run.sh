#!/bin/bash
# On a machine with an NVIDIA GPU: compiles the corpus with nvcc, runs it, measures it with ncu,
# checks it with compute-sanitizer, and measures the GPU's own rates.
# tools/ncu/run.sh BUILD RESULTS [STAGE...]
# BUILD is what `cargo run -p simt --example make_driver -- BUILD` wrote; RESULTS receives:
#   optimised/  plain/                    the corpus as compiled at -O3, and with the
#                                         optimisations off that merge or move accesses
#     ncu.csv launches.csv                counters of each launch, and which launch belongs to
#                                         which run of which corpus file
#     lines.csv                           executions of each memory instruction with its source line
#     sass.txt  outputs.csv outputs.bin   the disassembly; the checked buffers
#   sanitizer.txt                         what each tool of compute-sanitizer says of the right and
#                                         of each faulty kernel
#   rates.csv patterns.csv patterns.ncu.csv   rates of the GPU, wavefronts of index patterns
#   times.csv times.ncu.csv times.sass.txt    times of large launches; their instructions, hit
#                                             rates and bytes; their code
#   programs/NAME/                        what each program of `make_driver -- BUILD programs` saved
#                                         and printed
#   log.txt
# Stages (all but `programs` by default): optimised plain sanitizer rates times.
# `cargo run -p simt --example compare_ncu -- RESULTS` makes tables of them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1 results=$2
shift 2
stages=" ${*:-optimised plain sanitizer rates times} "
mkdir -p "$build/obj" "$results"
results=$(cd "$results" && pwd)
exec > >(tee -a "$results/log.txt") 2>&1
export ARCH=${ARCH:-sm_90} HERE=$here
begin=$SECONDS
say() { echo "[$((SECONDS - begin)) s] $*"; }
wants() { [[ $stages == *" $1 "* ]]; }

nvcc --version | tail -2
ncu --version | tail -1
nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem --format=csv,noheader
cd "$build" || exit 1

compile() { # flavour source object
    local flags="-O3"
    # one pass of clean-up over the code, then none: locals in registers, but no loads merged,
    # hoisted or vectorised
    [ "$1" = plain ] && flags="-Xcicc -O1 -Xptxas -O0"
    nvcc -std=c++17 $flags -lineinfo -fmad=false -arch="$ARCH" -I "$HERE" \
        -diag-suppress 68,177,550,186,128 -c "$2" -o "$3" 2> "$3.log" ||
        echo "refused: $2: $(grep -m1 error "$3.log")"
}
export -f compile
sources() { # flavour folder
    mkdir -p "obj/$1/$2"
    ls "$2"/*.cu | sed "s|.*|$1 & obj/$1/&.o|"
}
{
    wants optimised || wants sanitizer && sources optimised right
    wants plain && sources plain right
    wants sanitizer && sources optimised faulty
    wants times && sources optimised large
} | xargs -P "$(nproc)" -L 1 bash -c 'compile $0 $1 $2'
nvcc -std=c++17 -O2 -arch="$ARCH" -c "$here/main.cu" -o obj/main.o
link() { # program folder
    nvcc -arch="$ARCH" obj/main.o "$2"/*.o -o "$1" || echo "FAILED: $1"
}
export -f link
{
    wants optimised || wants sanitizer && echo link driver_optimised obj/optimised/right
    wants plain && echo link driver_plain obj/plain/right
    wants sanitizer && echo link driver_faulty obj/optimised/faulty
    wants times && echo link driver_large obj/optimised/large
    wants rates && echo nvcc -std=c++17 -O3 -arch="$ARCH" "$here/../rates/rates.cu" -o rates
    wants rates && echo nvcc -std=c++17 -O3 -arch="$ARCH" "$here/patterns.cu" -o patterns
} | xargs -P 6 -I{} bash -c '{}'
say compiled

request=l1tex__t_requests_pipe_lsu_mem sector=l1tex__t_sectors_pipe_lsu_mem
wavefronts=l1tex__data_pipe_lsu_wavefronts_mem_shared executed=smsp__inst_executed
metrics="
${request}_global_op_ld.sum ${sector}_global_op_ld.sum
${request}_global_op_st.sum ${sector}_global_op_st.sum
${request}_global_op_atom.sum ${request}_global_op_red.sum
${request}_local_op_ld.sum ${request}_local_op_st.sum
${wavefronts}_op_ld.sum ${wavefronts}_op_st.sum ${wavefronts}_op_atom.sum
$executed.sum ${executed}_op_branch.sum
${executed}_op_shared_ld_pred_on_any.sum ${executed}_op_shared_st_pred_on_any.sum
${executed}_op_shared_atom_pred_on_any.sum ${executed}_op_shared_atom_dot_alu_pred_on_any.sum
${executed}_op_shared_atom_dot_cas_pred_on_any.sum
${executed}_op_generic_ld_pred_on_any.sum ${executed}_op_generic_st_pred_on_any.sum
${executed}_op_generic_atom_pred_on_any.sum
smsp__sass_branch_targets_threads_divergent.sum
smsp__sass_thread_inst_executed_op_fadd_pred_on.sum
smsp__sass_thread_inst_executed_op_fmul_pred_on.sum
smsp__sass_thread_inst_executed_op_ffma_pred_on.sum
smsp__sass_thread_inst_executed_op_dadd_pred_on.sum
smsp__sass_thread_inst_executed_op_dmul_pred_on.sum
smsp__sass_thread_inst_executed_op_dfma_pred_on.sum
gpu__time_duration.sum"
ncu --query-metrics > metrics.txt 2>&1
known=launch__registers_per_thread
for m in $metrics; do
    name=${m%%.*}
    if grep -q "^$name[[:space:]]" metrics.txt; then known+=",$m"; else echo "no metric $name"; fi
done

disassemble() { # program
    cuobjdump -sass "$1" | sed -e 's|/\* 0x[0-9a-f]\{16\} \*/||' -e 's/[[:space:]]*$//' |
        grep -v '^$'
}
measure() { # flavour
    local to="$results/$1"
    mkdir -p "$to"
    timeout 60 "./driver_$1" "$to" > printed.txt &&
        say "$1: ran $(wc -l < "$to/launches.csv") launches" || say "FAILED: driver_$1"
    timeout 200 ncu --clock-control none --force-overwrite --export "$1" \
        --section SourceCounters --metrics "$known" "./driver_$1" - > ncu.log 2>&1
    grep -v "^==PROF==\|^$" ncu.log | head -5
    say "$1: measured"
    ncu --import "$1.ncu-rep" --csv --page raw --print-units base > "$to/ncu.csv" 2> import.log
    say "$1: $(grep -c '^"[0-9]' "$to/ncu.csv") launches in ncu.csv"
    python3 "$here/lines.py" "$1.ncu-rep" > "$to/lines.csv" 2> lines.log; tail -3 lines.log
    say "$1: $(wc -l < "$to/lines.csv") lines"
    disassemble "driver_$1" > "$to/sass.txt"
}
wants optimised && measure optimised
wants plain && measure plain

# Each is linked and run by itself.
program() { # source results
    local name to
    name=$(basename "$1" .cu) to=$2/programs/$(basename "$1" .cu)
    mkdir -p "$to"
    nvcc -std=c++20 -O3 -fmad=false --expt-relaxed-constexpr -arch="$ARCH" -I "$HERE" -w \
        "$1" obj/main.o -lcurand -o "obj/$name" > "$to/nvcc.txt" 2>&1 || return 0
    timeout 30 "./obj/$name" "$to" > "$to/printed.txt" 2> "$to/errors.txt" ||
        echo "ended with code $?" >> "$to/errors.txt"
}
export -f program
if wants programs; then
    ls programs/*.cu | xargs -P "$(nproc)" -I{} bash -c 'program {} "$0"' "$results"
    with_results=$(find "$results/programs" -name outputs.bin -size +0 | wc -l)
    say "programs: $(ls programs/*.cu | wc -l), with results $with_results"
fi

if wants rates; then
    timeout 100 ./rates > "$results/rates.csv"; say "rates: $(wc -l < "$results/rates.csv")"
    timeout 120 ncu --clock-control none --csv --page raw --print-units base \
        --metrics "${wavefronts}_op_ld.sum,${wavefronts}_op_st.sum" \
        --log-file "$results/patterns.ncu.csv" ./patterns "$results/patterns.csv"
    say "patterns: $(grep -c '^"[0-9]' "$results/patterns.ncu.csv")" \
        "of $(wc -l < "$results/patterns.csv")"
fi

if wants times; then
    mkdir -p times
    timeout 60 ./driver_large times
    cp times/launches.csv "$results/times.csv"
    say "times: $(wc -l < times/launches.csv)"
    counted=gpu__time_duration.sum,smsp__inst_executed.sum,launch__registers_per_thread
    counted+=,dram__bytes_read.sum,dram__bytes_write.sum,sm__warps_active.avg.per_cycle_active
    counted+=,l1tex__t_sector_hit_rate.pct,lts__t_sector_hit_rate.pct,${request}_global_op_ld.sum
    counted+=,${sector}_global_op_ld.sum,${sector}_global_op_st.sum,lts__t_sectors.sum
    timeout 120 ncu --clock-control none --csv --page raw --print-units base \
        --log-file "$results/times.ncu.csv" --metrics "$counted" ./driver_large -
    say "counted: $(grep -c '^"[0-9]' "$results/times.ncu.csv")"
    disassemble driver_large > "$results/times.sass.txt"
fi

check() { # tool program case...
    local tool=$1; shift
    local out="check.$tool.${3:-right}.out" words
    if [ "$tool" = none ]; then
        timeout -s KILL 15 "$@" > "$out" 2>&1
    else
        timeout -s KILL 40 compute-sanitizer --tool "$tool" --print-limit 3 "$@" > "$out" 2>&1
    fi
    local code=$?
    echo "== $tool $(basename "$1") ${3:-} (exit code $code)"
    words="SUMMARY|Invalid|Uninitialized|Barrier error|Divergent|hazard|Race|misaligned|    at "
    words+="|Target application|did not|rror:|rror |: unspecified|assert|illegal"
    grep -E "$words" "$out" | head -12
}
export -f check
if wants sanitizer; then
    tools="none memcheck racecheck initcheck synccheck"
    printf '%s\n' $tools | xargs -P 5 -I{} bash -c 'check {} ./driver_optimised - > right.{}.txt'
    say "sanitized the right kernels"
    for object in obj/optimised/faulty/*.o; do
        for tool in $tools; do echo "$tool $(basename "$object" .cu.o)"; done
    done | xargs -P 10 -L 1 bash -c 'check $0 ./driver_faulty - $1 > faulty.$1.$0.txt'
    {
        echo "# Right kernels"; cat right.*.txt
        echo "# Refused by nvcc"
        for l in obj/optimised/faulty/*.log; do grep -m1 -H error "$l"; done | sed 's|.*/faulty/||'
        echo "# Faulty kernels"; cat faulty.*.txt
    } > "$results/sanitizer.txt"
    endless=$(grep -c 'exit code 137' "$results/sanitizer.txt")
    say "sanitized: $(grep -c '^==' "$results/sanitizer.txt") reports, $endless did not end"
fi
ls -l "$results" "$results"/*/
