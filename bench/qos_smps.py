#!/usr/bin/env python3
"""SL2VL and VLArb Sets of a cold bring-up with four service levels: weftd and OpenSM, each on a fresh weftsim, on
switches that take SL2VL for many ports in one packet and on switches that do not.

usage: bench/qos_smps.py BIN-DIRECTORY [--fabric BLUEPRINT] [--check]

Sets are those that weftsim's devices counted. OpenSM writes its tables with qos TRUE, whatever its levels are.
"""
import argparse
import os
import re
import subprocess
import tempfile
import time

LEVELS = "{ bulk: {}, training: { weight: 3 }, kv-cache: { priority: strict }, storage: { weight: 4 } }"
WIDE_LIMIT, NARROW_LIMIT = 1 / 20, 0.85  # of OpenSM's Sets on switches without wildcards


class Weftsim:
    def __init__(self, options, wildcards):
        self.options = options
        self.socket = f"qos-smps-{os.getpid()}-{time.monotonic_ns()}"
        self.folder = tempfile.mkdtemp()
        self.process = subprocess.Popen(
            [self.program("weftsim"), "--fabric", options.fabric, "--socket", self.socket, "--quiet"]
            + (["--sl2vl-wildcards"] if wildcards else []), stdout=subprocess.PIPE, text=True)
        if not self.process.stdout.readline().startswith("ready:"):
            raise SystemExit(f"weftsim did not come up on {options.fabric}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def program(self, name):
        return os.path.abspath(os.path.join(self.options.bin, name))

    def path(self, name):
        return os.path.join(self.folder, name)

    def sets(self):
        """(SL2VL, VLArb) Sets so far."""
        counts = subprocess.run([self.program("weftsim"), "ctl", "--socket", self.socket, "counts"], check=True,
                                capture_output=True, text=True).stdout
        return tuple(sum(int(n) for n in re.findall(rf"Set\s+{name}\s+(\d+)", counts))
                     for name in ("SLtoVLMappingTable", "VLArbitrationTable"))

    def weftd(self):
        with open(self.path("weft.yaml"), "w") as file:
            file.write(f"transport: {{ kind: ibsim, ibsim: {{ socket: {self.socket}, host: h00000 }} }}\n"
                       f"control: {{ socket: {self.path('sock')} }}\nstate_dir: {self.folder}\n"
                       f"qos: {{ levels: {LEVELS} }}\n")
        subprocess.run([self.program("weftd"), "--once", "--config", self.path("weft.yaml")], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def opensm(self, optimised):
        with open(self.path("opensm.conf"), "w") as file:
            file.write(f"force_log_flush TRUE\nqos TRUE\nuse_optimized_slvl {'TRUE' if optimised else 'FALSE'}\n")
        env = dict(os.environ, IBSIM_SOCKNAME=self.socket, SIM_HOST="h00000", OSM_TMP_DIR=self.folder,
                   OSM_CACHE_DIR=self.folder)
        log = self.path("osm.log")
        opensm = subprocess.Popen([self.program("weftsim-run"), "opensm", "-F", self.path("opensm.conf"), "-f", log],
                                  env=env, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 600
            while not os.path.exists(log) or "SUBNET UP" not in open(log, errors="replace").read():
                if opensm.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("OpenSM did not bring the fabric up: see " + log)
                time.sleep(0.2)
        finally:
            opensm.kill()
            opensm.wait()


def measure(options, wildcards, program):
    with Weftsim(options, wildcards) as sim:
        if program == "weftd":
            sim.weftd()
        else:
            sim.opensm(optimised=wildcards)
        return sim.sets()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("--fabric", default="fat-tree:radix=64,levels=2", help="2,048 hosts on 96 switches")
    parser.add_argument("--check", action="store_true", help="fail when a limit is exceeded")
    options = parser.parse_args()
    opensm = measure(options, False, "opensm")
    rows = [("OpenSM", "no", opensm, None), ("OpenSM, use_optimized_slvl", "yes", measure(options, True, "opensm"), None),
            ("weftd", "no", measure(options, False, "weftd"), NARROW_LIMIT),
            ("weftd", "yes", measure(options, True, "weftd"), WIDE_LIMIT)]
    print("| program | many ports at once | SL2VL | VLArb | share of OpenSM's |\n|---|---|---|---|---|")
    good = True
    for name, wildcards, (lanes, shares), limit in rows:
        share = (lanes + shares) / sum(opensm)
        good = good and (limit is None or share <= limit)
        print(f"| {name} | {wildcards} | {lanes:,} | {shares:,} | {share:.3f}"
              + (f" (limit {limit:.2f})" if limit else "") + " |")
    if options.check and not good:
        raise SystemExit("a limit is exceeded")


if __name__ == "__main__":
    main()
