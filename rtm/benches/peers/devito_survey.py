"""A survey modelled and written by Devito and NumPy alone: `devito_survey.py OUT.sgy`.

Nothing of this project is in it, so it shows how the program takes data of somebody else: a
zero-phase Ricker wavelet of 15 Hz (its peak is the shot's time zero), delays that differ from shot
to shot, coordinates on a map in centimetres and depths in decimetres (scalco, scalel), IBM numbers.

The ground: 2000 m/s down to 300 m, 2600 m/s below. Its x axis lies at 30 degrees to the map's, its
origin at 431000, 6782000 m. Two shots at a depth of 24 m, 15 x 7 receivers at 8 m.
"""

import sys

import numpy as np
from devito import Eq, Function, Grid, Operator, SparseTimeFunction, TimeFunction, solve

SPACING, MARGIN = 8.0, 40  # metres; damped points around the ground
SIZE = [480.0, 320.0, 560.0]
REFLECTOR, ABOVE, BELOW = 300.0, 2.0, 2.6  # metres, metres per millisecond
PEAK = 0.015  # kHz
FIRST, STEPS, DT = -100.0, 1600, 0.5  # milliseconds: when the run begins, its steps
RECORD_DT, SAMPLES = 4.0, 160
SHOTS = [([160.0, 160.0, 24.0], -100), ([320.0, 160.0, 24.0], 60)]  # place, first sample (ms)
RECEIVERS = [[30.0 * i + 30.0, 40.0 * j + 40.0, 8.0] for j in range(7) for i in range(15)]
ORIGIN, ANGLE = (431000.0, 6782000.0), np.radians(30.0)


def ground():
    """Grid, squared slowness and damping, with the margin around."""
    shape = tuple(round(s / SPACING) + 1 + 2 * MARGIN for s in SIZE)
    extent = tuple(SPACING * (n - 1) for n in shape)
    grid = Grid(shape, extent, origin=(-MARGIN * SPACING,) * 3, dtype=np.float32)
    depth = SPACING * (np.arange(shape[2]) - MARGIN)
    m = Function(name="m", grid=grid, space_order=8)
    m.data[:] = np.where(depth < REFLECTOR, ABOVE, BELOW) ** -2.0
    damping = np.zeros(shape, dtype=np.float32)
    for axis, n in enumerate(shape):
        into = np.maximum(0, np.maximum(MARGIN - np.arange(n), np.arange(n) - (n - 1 - MARGIN)))
        profile = 0.03 * (into / MARGIN) ** 2
        damping += profile.reshape([-1 if a == axis else 1 for a in range(3)])
    damp = Function(name="damp", grid=grid, space_order=8)
    damp.data[:] = damping
    return grid, m, damp


def record(grid, m, damp, source_at):
    """Samples each RECORD_DT milliseconds from FIRST on, for each receiver."""
    u = TimeFunction(name="u", grid=grid, time_order=2, space_order=8)
    source = SparseTimeFunction(name="src", grid=grid, npoint=1, nt=STEPS)
    source.coordinates.data[:] = source_at
    q = (np.pi * PEAK * (FIRST + DT * np.arange(STEPS))) ** 2
    source.data[:, 0] = (1 - 2 * q) * np.exp(-q)
    receivers = SparseTimeFunction(name="rec", grid=grid, npoint=len(RECEIVERS), nt=STEPS)
    receivers.coordinates.data[:] = RECEIVERS
    update = Eq(u.forward, solve(m * u.dt2 - u.laplace + damp * u.dt, u.forward))
    dt = grid.stepping_dim.spacing
    inject = source.inject(field=u.forward, expr=source * dt**2 / m)
    Operator([update] + inject + receivers.interpolate(expr=u))(time_M=STEPS - 2, dt=DT)
    return np.array(receivers.data[:: round(RECORD_DT / DT)].T, dtype=np.float64)


def ibm(values):
    """IBM numbers of 32 bits: sign, exponent of 16 and a fraction of 24 bits."""
    size = np.abs(np.asarray(values, dtype=np.float64))
    exponent = np.where(size > 0, np.floor(np.log2(np.maximum(size, 1e-70)) / 4) + 1, 0)
    fraction = np.round(size / 16.0**exponent * 2**24)
    carried = fraction >= 2**24
    exponent, fraction = exponent + carried, np.where(carried, 2**20, fraction)
    word = (exponent.astype(np.int64) + 64) << 24 | fraction.astype(np.int64)
    word = np.where(fraction > 0, word | (np.signbit(values).astype(np.int64) << 31), 0)
    return word.astype(">u4").tobytes()


def put(header, first, size, value):
    """A number at its first byte, counted from 1 as SEG-Y does."""
    header[first - 1 : first - 1 + size] = int(round(value)).to_bytes(size, "big", signed=True)


def on_map(x, y):
    """Centimetres on the map."""
    sin, cos = np.sin(ANGLE), np.cos(ANGLE)
    return 100 * (ORIGIN[0] + x * cos - y * sin), 100 * (ORIGIN[1] + x * sin + y * cos)


def main():
    said = ["C 1 MODELLED BY DEVITO, WRITTEN BY NUMPY",
            "C 2 ZERO PHASE: RICKER OF 15 HZ, PEAK AT 0",
            "C 3 X 431000 Y 6782000, LINE AT 30 DEGREES; CENTIMETRES, DEPTHS IN DECIMETRES"]
    said += [f"C{k:2d}" for k in range(4, 41)]
    head = bytearray("".join(f"{line:<80}" for line in said).encode("cp037")) + bytearray(400)
    for first, value in [(17, RECORD_DT * 1000), (21, SAMPLES), (25, 1), (55, 1)]:
        put(head, 3200 + first, 2, value)
    parts, ground_ = [bytes(head)], ground()
    for number, (source, delay) in enumerate(SHOTS):
        skip = round((delay - FIRST) / RECORD_DT)
        traces = record(*ground_, source)[:, skip : skip + SAMPLES]
        for channel, (place, trace) in enumerate(zip(RECEIVERS, traces)):
            header = bytearray(240)
            (sx, sy), (gx, gy) = on_map(*source[:2]), on_map(*place[:2])
            for first, size, value in [
                (1, 4, number * len(RECEIVERS) + channel + 1), (9, 4, 101 + number),
                (13, 4, channel + 1), (29, 2, 1), (41, 4, -10 * place[2]), (49, 4, 10 * source[2]),
                (69, 2, -10), (71, 2, -100), (73, 4, sx), (77, 4, sy), (81, 4, gx), (85, 4, gy),
                (89, 2, 1), (109, 2, delay), (115, 2, SAMPLES), (117, 2, RECORD_DT * 1000),
            ]:
                put(header, first, size, value)
            parts += [bytes(header), ibm(trace)]
    with open(sys.argv[1], "wb") as out:
        out.write(b"".join(parts))


main()
