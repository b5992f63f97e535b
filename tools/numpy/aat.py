"""Times numpy's A A^T (OpenBLAS) on the sizes of lab 2's CPU competitor, the bench `aat`.

usage: python3 tools/numpy/aat.py [runs]

Debian: python3-numpy and libopenblas0. numpy takes `ssyrk` for `a @ a.T` and `sgemm` for `a @ b`;
rates are nominal, 2 m m n operations over the least time of `runs` (10).
"""
import sys
import time

import numpy


def best(runs, work):
    """Least time of several runs in seconds."""
    least = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - start)
    return least


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    with open("/proc/self/maps") as maps:
        blas = sorted({line.split("/")[-1].strip() for line in maps if "blas" in line})
    print(f"numpy {numpy.__version__}, {', '.join(blas)}")
    for m, n in [(1024, 1024), (2048, 2048), (2368, 6208)]:
        a = numpy.random.default_rng(1).standard_normal((m, n), dtype=numpy.float32)
        b = numpy.ascontiguousarray(a.T)
        out = numpy.empty((m, m), numpy.float32)
        for name, work in [
            ("a @ a.T", lambda: numpy.matmul(a, a.T, out=out)),
            ("a @ b", lambda: numpy.matmul(a, b, out=out)),
        ]:
            seconds = best(runs, work)
            rate = 2e-9 * m * m * n / seconds
            print(f"{m} x {n}: {name:8} {1e3 * seconds:9.3f} ms {rate:8.1f} GFLOP/s")


if __name__ == "__main__":
    main()
