"""Deepwave's time for the acoustic case of README.md: `deepwave_run.py N`."""

import json
import os
import resource
import sys
import time

import deepwave
import torch

n = int(sys.argv[1])
torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
steps = 50 if n <= 250 else 15
layers = 10
# The inner time step is Deepwave's own choice if dt is too large for it: 1 ms is stable here.
dt = 0.001
velocity = torch.full((n, n, n), 2000.0)
source = torch.zeros(1, 1, steps)
source[0, 0] = deepwave.wavelets.ricker(15, steps, dt, 1.2 / 15)
source_at = torch.tensor([[[n // 2, n // 2, n // 2]]])
receivers = torch.zeros(1, n, 3, dtype=torch.long)
receivers[0, :, 0] = torch.arange(n)
receivers[0, :, 1] = n // 2
best = best_cpu = float("inf")
with torch.no_grad():
    for _ in range(2):
        start, start_cpu = time.perf_counter(), time.process_time()
        deepwave.scalar(
            velocity, 10.0, dt, source_amplitudes=source, source_locations=source_at,
            receiver_locations=receivers, accuracy=8, pml_width=layers, pml_freq=15,
        )
        best = min(best, time.perf_counter() - start)
        best_cpu = min(best_cpu, time.process_time() - start_cpu)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
points = (n + 2 * layers) ** 3
result = {"points": points, "steps": steps, "seconds": best, "cpu_seconds": best_cpu}
print(json.dumps({**result, "peak_mb": peak}))
