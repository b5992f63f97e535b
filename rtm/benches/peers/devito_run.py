"""Devito's time for the cases of README.md: `devito_run.py bare|acoustic|example|tti N`."""

import json
import os
import resource
import sys
import time

import numpy as np
from devito import Eq, Function, Grid, Operator, SparseTimeFunction, TimeFunction, solve

case, n = sys.argv[1], int(sys.argv[2])
threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
steps = 100 if n <= 250 else 30


def report(points, steps, run):
    """Runs twice, prints the best as JSON."""
    best = best_cpu = float("inf")
    for _ in range(2):
        start, start_cpu = time.perf_counter(), time.process_time()
        run()
        best = min(best, time.perf_counter() - start)
        best_cpu = min(best_cpu, time.process_time() - start_cpu)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result = {"points": points, "steps": steps, "seconds": best, "cpu_seconds": best_cpu}
    print(json.dumps({**result, "peak_mb": peak}))


if case == "example":
    # The example that comes with Devito, with the number of damped points that it takes by itself.
    import inspect

    from examples.seismic.acoustic import acoustic_example

    layers = inspect.signature(acoustic_example.run).parameters["nbl"].default
    solver = acoustic_example.acoustic_setup(
        shape=(n,) * 3, spacing=(10.0,) * 3, tn=5.0 * steps, space_order=8, nbl=layers
    )
    u = TimeFunction(name="u", grid=solver.model.grid, time_order=2, space_order=8)
    solver.forward(u=u, time_m=1, time_M=4)  # compiles
    report(n**3, steps, lambda: solver.forward(u=u, time_m=1, time_M=steps))
    sys.exit()

if case == "tti":
    # The tilted example that comes with Devito, centred differences, 16 of the points on each face
    # damped.
    from examples.seismic.tti import tti_example

    solver = tti_example.tti_setup(
        shape=(n - 32,) * 3, spacing=(10.0,) * 3, tn=3.0 * steps, kernel="centered",
        space_order=8, nbl=16
    )
    grid = solver.model.grid
    u, v = (TimeFunction(name=name, grid=grid, time_order=2, space_order=8) for name in "uv")
    solver.forward(u=u, v=v, time_m=1, time_M=4)  # compiles
    report(n**3, steps, lambda: solver.forward(u=u, v=v, time_m=1, time_M=steps))
    sys.exit()

layers = 10 if case == "acoustic" else 0
size = n + 2 * layers
spacing = 10.0
velocity = 2.0  # m/ms
dt = 0.9 * 2.0 * spacing / (np.sqrt(3.0) * velocity * np.sqrt(6.5015873))

grid = Grid(shape=(size,) * 3, extent=(spacing * (size - 1),) * 3, dtype=np.float32)
u = TimeFunction(name="u", grid=grid, time_order=2, space_order=8)
m = Function(name="m", grid=grid, space_order=8)
m.data[:] = 1.0 / velocity**2

if case == "bare":
    equations = [Eq(u.forward, solve(m * u.dt2 - u.laplace, u.forward))]
else:
    damp = Function(name="damp", grid=grid, space_order=8)
    profile = np.zeros(size, dtype=np.float32)
    depth = np.arange(layers, 0, -1, dtype=np.float32) / layers
    profile[:layers] = 0.02 * depth**2
    profile[-layers:] = 0.02 * depth[::-1] ** 2
    damp.data[:] = profile[:, None, None] + profile[None, :, None] + profile[None, None, :]
    time_axis = np.arange(steps + 2) * dt
    source = SparseTimeFunction(name="src", grid=grid, npoint=1, nt=steps + 2)
    source.coordinates.data[:] = spacing * size / 2
    q = (np.pi * 0.015 * (time_axis - 80.0)) ** 2
    source.data[:, 0] = (1 - 2 * q) * np.exp(-q)
    receivers = SparseTimeFunction(name="rec", grid=grid, npoint=n, nt=steps + 2)
    receivers.coordinates.data[:, 0] = np.linspace(0, spacing * (size - 1), n)
    receivers.coordinates.data[:, 1] = spacing * size / 2
    receivers.coordinates.data[:, 2] = spacing * layers
    update = Eq(u.forward, solve(m * u.dt2 - u.laplace + damp * u.dt, u.forward))
    dt_symbol = grid.stepping_dim.spacing
    equations = (
        [update]
        + source.inject(field=u.forward, expr=source * dt_symbol**2 / m)
        + receivers.interpolate(expr=u)
    )

operator = Operator(equations, opt=("advanced", {"openmp": True}))
operator.apply(time_m=1, time_M=4, dt=dt, nthreads=threads)  # compiles
report(size**3, steps, lambda: operator.apply(time_m=1, time_M=steps, dt=dt, nthreads=threads))
