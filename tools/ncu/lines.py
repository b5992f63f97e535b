"""Executions of each memory instruction of each launch, from a report of Nsight Compute.

python3 lines.py REPORT.ncu-rep > lines.csv
Needs the module ncu_report, which lies in extras/python of the Nsight Compute installation.
Columns: number of the launch, kernel, offset of the instruction, file, line, warps that executed
it, threads (predicate on), requests to the L1 cache (global), sectors (global), wavefronts
(shared), the instruction.
"""

import csv
import glob
import re
import sys

for place in ("/opt/nvidia/nsight-compute/*", "/usr/local/cuda*/nsight-compute*"):
    sys.path += glob.glob(place + "/extras/python")
import ncu_report

METRICS = [
    "inst_executed",
    "thread_inst_executed_true",
    "memory_l1_tag_requests_global",
    "memory_l2_theoretical_sectors_global",
    "memory_l1_wavefronts_shared",
]
MEMORY = re.compile(
    r"^\s*(@!?U?P\w+\s+)?"
    r"(LDG|STG|LDS|STS|LD|ST|ATOM|ATOMG|ATOMS|RED|REDG|LDL|STL|LDSM|LDC|CALL)\b"
)


def instances(action, name):
    metric = action.metric_by_name(name)
    if metric is None or metric.num_instances() == 0:
        return {}
    ids = metric.correlation_ids()
    return {ids.as_uint64(i): metric.as_uint64(i) for i in range(metric.num_instances())}


def main():
    out = csv.writer(sys.stdout, lineterminator="\n")
    launch = 0
    report = ncu_report.load_report(sys.argv[1])
    for r in range(report.num_ranges()):
        actions = report.range_by_idx(r)
        for action in (actions.action_by_idx(a) for a in range(actions.num_actions())):
            if launch == 0:
                print([n for n in action.metric_names() if "__" not in n], file=sys.stderr)
            columns = [instances(action, name) for name in METRICS]
            pcs = sorted(columns[0])
            for pc in pcs:
                sass = action.sass_by_pc(pc).strip()
                if not MEMORY.match(sass):
                    continue
                info = action.source_info(pc)
                file, line = (info.file_name().split("/")[-1], info.line()) if info else ("", 0)
                counts = [c.get(pc, 0) for c in columns]
                out.writerow([launch, action.name(), pc - pcs[0], file, line, *counts, sass])
            launch += 1


main()
