"""Runs this program and its peers in turn and prints the best of each. See README.md."""

import argparse
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def run(command, threads):
    """One run: the last line of its standard output is JSON with `points`, `steps`, `seconds`,
    `cpu_seconds`, `peak_mb`."""
    env = dict(
        os.environ,
        OMP_NUM_THREADS=str(threads),
        RAYON_NUM_THREADS=str(threads),
        OMP_WAIT_POLICY="passive",
        DEVITO_LANGUAGE="openmp",
        DEVITO_LOGGING="ERROR",
    )
    done = subprocess.run(command, env=env, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stderr[-2000:]}")
    result = json.loads(done.stdout.strip().splitlines()[-1])
    work = result["points"] * result["steps"] / 1e9
    result["speed"] = work / result["seconds"]
    result["core_speed"] = work / result["cpu_seconds"]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devito", help="python of an environment with devito")
    parser.add_argument("--deepwave", help="python of an environment with deepwave")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sizes", type=int, nargs="+", default=[200, 400])
    cases = ["bare", "acoustic", "example"]
    parser.add_argument("--cases", nargs="+", default=cases, choices=[*cases, "tti"])
    args = parser.parse_args()

    binary = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "release" / "examples" / "peer"
    if not binary.exists():
        build = "cargo build --release -p rtm --no-default-features --example peer"
        sys.exit(f"{binary} is missing: {build}")
    print("| case | size | program | GPts/s (best) | all runs ", end="")
    print("| GPts per CPU second (best) | peak MB | load |")
    print("|---|---|---|---|---|---|---|---|")
    for case in args.cases:
        for n in args.sizes:
            programs = {"rtm": [binary, case, str(n)]}
            if args.devito:
                programs["devito"] = [args.devito, HERE / "devito_run.py", case, str(n)]
            if args.deepwave and case == "acoustic":
                programs["deepwave"] = [args.deepwave, HERE / "deepwave_run.py", str(n)]
            runs = {name: [] for name in programs}
            for _ in range(args.repeats):
                for name, command in programs.items():
                    runs[name].append(run(command, args.threads))
            load = os.getloadavg()[0]
            for name, results in runs.items():
                best = max(results, key=lambda r: r["speed"])
                speeds = " ".join(f"{r['speed']:.2f}" for r in results)
                memory = min(r["peak_mb"] for r in results)
                core = max(r["core_speed"] for r in results)
                print(
                    f"| {case} | {n} | {name} | {best['speed']:.3f} | {speeds} "
                    f"| {core:.3f} | {memory:.0f} | {load:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
