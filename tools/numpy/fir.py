"""Times numpy's and scipy's filters on the test problem of lab 2.

To compare with `audiofir --cpu par` and `--cpu fft`.

usage: python3 tools/numpy/fir.py audiofir_in.dat [runs]

Debian: python3-numpy and python3-scipy, and libopenblas0 for a fast convolve. The best of `runs`
(10) counts.
"""
import sys
import time

import numpy
import scipy
import scipy.signal


def read(path):
    """Coefficients, input (2 x len), reference (2 x len) of an audiofir_in.dat."""
    with open(path, "rb") as file:
        n, length = numpy.fromfile(file, "<i4", 2)
        values = numpy.fromfile(file, "<f4")
    if n < 0 or length < 0 or values.size != n + 1 + 4 * length:
        sys.exit(f"error: {path}: n = {n}, len = {length}, but {values.size} values")
    h, yin, yref = numpy.split(values, [n + 1, n + 1 + 2 * length])
    return h, yin.reshape(2, length), yref.reshape(2, length)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    h, yin, yref = read(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    length = yin.shape[1]
    filters = {
        "numpy convolve": lambda x: numpy.convolve(x, h)[:length],
        "scipy lfilter": lambda x: scipy.signal.lfilter(h, numpy.float32(1), x),
        "scipy oaconvolve": lambda x: scipy.signal.oaconvolve(x, h)[:length],
    }
    print(f"numpy {numpy.__version__}, scipy {scipy.__version__}; ", end="")
    print(f"order {h.size - 1}, 2 x {length} samples, float32")
    for name, apply in filters.items():
        best = float("inf")
        for _ in range(runs):
            start = time.perf_counter()
            yout = [apply(x) for x in yin]
            best = min(best, time.perf_counter() - start)
        error = max(numpy.abs(y.astype(float) - r).max() for y, r in zip(yout, yref))
        flop = 2.0 * h.size * yin.size
        print(
            f"{name:17} {best * 1e3:9.2f} ms {flop / best / 1e9:8.2f} GFLOP/s of the sum"
            f" {yin.size / best / 1e6:8.1f} Msamples/s, greatest error {error:.1e}"
        )


main()
