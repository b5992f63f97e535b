#!/usr/bin/env bash
# The command as a program of Windows, under wine: it must write the bytes that it writes on Linux.
# Then the tests of job objects, the engine's unit tests, and lab 1's tests, solved: host code on
# the emulated device.
# tools/windows/run.sh        at the skeletons: `cargo lab sync --check` says so
# Needs Debian's gcc-mingw-w64-x86-64 and wine64.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=x86_64-pc-windows-gnu
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
work=$(mktemp -d)
# The linker and wine leave files behind.
export TMPDIR=$work WINEPREFIX=$work/wine WINEDEBUG=-all
solved=
# The server of this prefix, which outlives its programs for a while.
end() {
    [ -z "$solved" ] || "$linux" reset lab1 > "$work/reset"
    { wineserver -k -w || /usr/lib/wine/wineserver -k -w; } > /dev/null 2>&1 || true
    rm -rf "$work"
}
trap end EXIT
rustup target add "$target" > /dev/null 2>&1

# The first program under wine makes its folders, and says so.
"$wine" cmd /c exit > /dev/null 2>&1 || true

cargo build --locked -p lab
cargo build --locked -p lab --target "$target"
out=${CARGO_TARGET_DIR:-target}
x86_64-w64-mingw32-gcc -shared -o "$work/bcryptprimitives.dll" \
    tools/windows/bcryptprimitives.c -ladvapi32
# Beside each program: that is where Windows looks first.
for folder in debug debug/deps; do cp "$work/bcryptprimitives.dll" "$out/$target/$folder/"; done
program=$(realpath "$out/$target/debug/lab.exe")
linux=$(realpath "$out/debug/lab")
"$linux" sync --check || { echo "FAILED: files of this course are solved"; exit 1; }

# Two packs, so that what one program leaves is not what the other finds.
lab=lab1-cuda-intro
for system in linux windows; do
    "$linux" export "$work/$system" > /dev/null
    for file in kernels/e1_1_01.cu answers/e1_1_13.toml kernels/add.cl; do
        cp "solutions/$lab/$file" "$work/$system/$lab/$file"
    done
done
# Runs `lab` with these words in a pack; its exit code behind what it says.
in_pack() {
    local pack=$1 code=0
    shift
    (cd "$work/$pack" && unset CARGO_TARGET_DIR && "$@") 2>&1 || code=$?
    echo "code $code"
}
arrays="--arg c=out:i32:32 --arg a=iota:i32:32 --arg b=iota:i32:32"
kernel="$lab/kernels/e1_1_01.cu $arrays --block 32"
floats="--grid 8 --block 256 --arg c=out:float:2000 --arg a=iota:float:2000"
floats+=" --arg b=iota:float:2000 --arg size=2000"
while read -r code line; do
    # shellcheck disable=SC2086 # words of a command line
    in_pack linux "$linux" $line > "$work/on-linux"
    # shellcheck disable=SC2086
    in_pack windows "$wine" "$program" $line | tr -d '\r' > "$work/on-windows"
    cmp "$work/on-linux" "$work/on-windows" && grep -qx "code $code" "$work/on-linux" ||
        { diff "$work/on-linux" "$work/on-windows" | head -20; echo "FAILED: lab $line"; exit 1; }
    echo "the same, code $code: lab $line"
done << EOT
0 list
0 hint 1.1.1
0 run 1.1.1 --seed 1
1 run 1.1.3 --seed 1
0 run 1.1.13 --seed 1
0 run 1.1.15 --seed 1
2 run 9.9.9
0 reset 1.1.4
0 kernel $kernel
1 kernel $lab/kernels/unguarded.cu $arrays --block 64
0 profile $kernel
0 debug $lab/kernels/e1_1_10.cu --script $lab/debug/example.dbg $floats
0 occupancy $lab/kernels/e1_1_01.cu
0 cc -o add.ir $lab/kernels/e1_1_01.cu
0 check $lab/kernels/unguarded.cu
0 status
0 handin lab1
0 grade 1.1.1 1.1.13 1.1.15 --seed 1 --json marks.json
EOT
for file in add.ir lab1.zip marks.json; do
    cmp "$work/linux/$file" "$work/windows/$file"
    echo "the same: $file"
done

export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$wine
cargo test --locked --target "$target" -p job-object
cargo test --locked --target "$target" -p grading --lib host
cargo test --locked --target "$target" -p simt --lib
solved=yes
"$linux" solve lab1 > /dev/null
cargo test --locked --target "$target" -p lab1-cuda-intro
