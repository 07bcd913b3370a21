#!/usr/bin/env python3
"""Runs weft_bench and holds its cases against the limits. Usage: compute_limits.py WEFT_BENCH

Held against the limits is CPU time of the thread that measures; where two work, the other does as much. So a busy
machine does not fail what a quiet one would pass; on a quiet one the wall time beside it says the same. Each case runs
a while before it is measured, so that memory which the system has to find first does not count. Exit code 1 when a
limit is exceeded.
"""
import json
import subprocess
import sys

LIMITS_MS = {
    "Tables/tree/11664": 40,
    "Tables/tree/40960": 200,
    "Tables/dragonfly/9702": 3,
    "Tables/dragonfly/40200": 25,
    "Tables/dragonfly+/10368": 5,
    "Tables/dragonfly+/40000": 40,
    "Layered/dragonfly/9702/4": 1500,
    "Fault/tree/11664": 5,
    "Fault/tree/40960": 20,
    "Check/tree/11664": 150,
    "Check/dragonfly/9702": 150,
    "Check/dragonfly/40200": 1500,
    "Sets/tree/11664": 20,
    "Sets/tree/40960": 80,
    "Multicast/1000x64/11664": 200,
}


def main() -> int:
    wanted = "|".join(name.replace("+", r"\+") + "/real" for name in LIMITS_MS)
    done = subprocess.run(
        [sys.argv[1], "--benchmark_format=json", "--benchmark_min_time=0.5",
         "--benchmark_min_warmup_time=0.3", f"--benchmark_filter=^({wanted})"],
        check=True, capture_output=True, text=True)
    measured = {}
    for case in json.loads(done.stdout)["benchmarks"]:
        name = case["name"].removesuffix("/real_time").split("/min_warmup_time")[0]
        measured[name] = case["cpu_time"], case["real_time"]
    exceeded = 0
    for name, limit in LIMITS_MS.items():
        time, wall = measured.get(name, (None, None))
        verdict = "missing" if time is None else "ok" if time <= limit else "exceeded"
        exceeded += verdict != "ok"
        print(f"{name:<28}{time or 0:>10.2f} ms  wall {wall or 0:>10.2f}  limit {limit:>5}  {verdict}")
    return 1 if exceeded else 0


if __name__ == "__main__":
    sys.exit(main())
