#!/usr/bin/env bash
# The command as a program of Windows, under wine: it must write the bytes that it writes on Linux. Then the tests of job objects,
# and the engine's unit tests.
# tools/windows/run.sh [COURSE]          default: a pack, with lab 1's exercise 1.1.1 solved
# Needs Debian's gcc-mingw-w64-x86-64 and wine64.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=x86_64-pc-windows-gnu
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
work=$(mktemp -d)
export WINEPREFIX=$work/wine WINEDEBUG=-all
# The server of this prefix, which outlives its programs for a while.
trap '{ wineserver -k -w || /usr/lib/wine/wineserver -k -w; } > /dev/null 2>&1 || true; rm -rf "$work"' EXIT
rustup target add "$target" > /dev/null 2>&1

# The first program under wine makes its folders, and says so.
"$wine" cmd /c exit > /dev/null 2>&1 || true

cargo build --locked -p lab
cargo build --locked -p lab --target "$target"
out=${CARGO_TARGET_DIR:-target}
x86_64-w64-mingw32-gcc -shared -o "$work/bcryptprimitives.dll" tools/windows/bcryptprimitives.c -ladvapi32
# Beside each program: that is where Windows looks first.
for folder in debug debug/deps; do cp "$work/bcryptprimitives.dll" "$out/$target/$folder/"; done

course=${1:-$work/pack}
if [ $# = 0 ]; then
    "$out/debug/lab" export "$course"
    cp solutions/lab1-cuda-intro/kernels/e1_1_01.cu "$course/lab1-cuda-intro/kernels/"
    cp solutions/lab1-cuda-intro/answers/e1_1_13.toml "$course/lab1-cuda-intro/answers/"
fi
program=$(realpath "$out/$target/debug/lab.exe")
linux=$(realpath "$out/debug/lab")
cd "$course"
kernel="lab1-cuda-intro/kernels/e1_1_01.cu --grid 1 --block 32 --arg c=out:i32:32 --arg a=iota:i32:32 --arg b=iota:i32:32"
while read -r line; do
    # shellcheck disable=SC2086 # words of a command line
    "$linux" $line > "$work/linux" 2>&1 || true
    # shellcheck disable=SC2086
    "$wine" "$program" $line 2>&1 | tr -d '\r' > "$work/windows" || true
    cmp "$work/linux" "$work/windows" || { diff "$work/linux" "$work/windows" | head -20; echo "FAILED: lab $line"; exit 1; }
    echo "the same: lab $line"
done << EOT
list
run 1.1.1 --seed 1
run 1.1.13 --seed 1
kernel $kernel
profile $kernel
occupancy lab1-cuda-intro/kernels/e1_1_01.cu
EOT
cd - > /dev/null
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=$wine
cargo test --locked --target "$target" -p job-object
cargo test --locked --target "$target" -p grading --lib host
cargo test --locked --target "$target" -p simt --lib
