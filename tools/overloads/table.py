"""Which overload of CUDA's functions nvcc takes for which types, as a table.

    python3 tools/overloads/table.py crates/simt/tests/measured/overloads.csv > NEW

reads the names and numbers of arguments from a table and writes it anew, with the nvcc that is
found in PATH; no GPU is needed. The test `overloads` of `crates/simt/tests/engine` compares.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Letters of types in the table; `.`: nvcc refuses the call.
LETTERS = {
    "b": "bool", "c": "char", "C": "unsigned char", "h": "short", "H": "unsigned short",
    "i": "int", "I": "unsigned int", "l": "long", "L": "unsigned long", "q": "long long",
    "Q": "unsigned long long", "f": "float", "d": "double", "e": "__half", "v": "void",
}
# Types of calls with one, two and three arguments; of three at least two are alike.
ONE, TWO, THREE = "bcChHiIlqQfde", "hiIqQfde", "iIqfde"

HEAD = """\
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cuda_fp16.h>
#include <utility>
struct none {};
template <class T> struct is { typedef T type; };
template <class T> struct letter { static constexpr char value = '?'; };
template <> struct letter<none> { static constexpr char value = '.'; };
template <class F, class... A> auto call(int) -> is<decltype(F::of(std::declval<A>()...))>;
template <class F, class... A> auto call(...) -> is<none>;
#define CALL(...) letter<typename decltype(call<__VA_ARGS__>(0))::type>::value,
"""


def combinations(count):
    if count == 1:
        return [(x,) for x in ONE]
    if count == 2:
        return [(x, y) for x in TWO for y in TWO]
    pairs = [(x, y) for x in THREE for y in THREE]
    two = lambda x, y: [(x, x, x)] if x == y else [(x, x, y), (x, y, y)]
    return [types for x, y in pairs for types in two(x, y)]


def results(functions):
    """A string of letters for each function."""
    text = [HEAD]
    for short, name in LETTERS.items():
        value = f"static constexpr char value = '{short}';"
        text.append(f"template <> struct letter<{name}> {{ {value} }};")
    for number, (name, _) in enumerate(functions):
        of = f"template <class... A> static auto of(A... a) -> decltype({name}(a...));"
        text.append(f"struct f{number} {{ {of} }};")
    text.append("__device__ char table[] = {")
    for number, (_, count) in enumerate(functions):
        for types in combinations(count):
            text.append(f"CALL(f{number}, {', '.join(LETTERS[t] for t in types)})")
    text.append("};")
    with tempfile.TemporaryDirectory() as folder:
        source, ptx = Path(folder, "table.cu"), Path(folder, "table.ptx")
        source.write_text("\n".join(text))
        options = ["-std=c++17", "-arch=sm_90", "-w", "-ptx"]
        subprocess.run(["nvcc", *options, source, "-o", ptx], check=True)
        bytes_ = re.search(r"table\[\d+\] = \{(.*?)\}", ptx.read_text(), re.S)[1]
    letters = "".join(chr(int(b)) for b in bytes_.split(","))
    for _, count in functions:
        length = len(combinations(count))
        yield letters[:length]
        letters = letters[length:]


def main():
    head, *lines = Path(sys.argv[1]).read_text().splitlines()
    functions = [(name, int(count)) for name, count, *_ in (line.split(",") for line in lines)]
    print(head)
    for (name, count), found in zip(functions, results(functions)):
        if set(found) != {"."}:
            print(f"{name},{count},{found}")


if __name__ == "__main__":
    main()
