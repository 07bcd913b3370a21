#!/usr/bin/env python3
"""How quickly weftsim loads a big fabric, and what memory it takes, blank and brought up by weftd.

usage: bench/weftsim_scale.py BIN-DIRECTORY [--load FABRIC] [--bring-up FABRIC] [--check]
"""
import argparse
import os
import re
import subprocess
import tempfile
import time

LOAD_LIMIT = 2.0  # seconds
FORMULA = "1.2 x (LFT + MFT bytes) + 1 kB a port"


class Weftsim:
    """weftsim on a fabric; `seconds` and `cpu_seconds` from its start to its line `ready:`."""

    def __init__(self, program, fabric, socket):
        begin = time.monotonic()
        self.process = subprocess.Popen([program, "--fabric", fabric, "--socket", socket, "--quiet"],
                                        stdout=subprocess.PIPE, text=True)
        ready = self.process.stdout.readline()
        if not ready.startswith("ready:"):
            raise SystemExit(f"weftsim did not come up on {fabric}")
        self.seconds = time.monotonic() - begin
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        self.cpu_seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        self.nodes, self.switches = map(int, re.search(r"(\d+) nodes, (\d+)", ready).groups())

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+) kB", file.read())[1]) * 1024

    def end(self):
        self.process.terminate()
        self.process.wait()


def ports_of(program, fabric):
    """Ports that can hold a cable, of all nodes."""
    text = subprocess.run([program, fabric], capture_output=True, text=True, check=True).stdout
    return sum(int(count) for count in re.findall(r"^(?:Switch|H?[Cc]a|Rt)\s+(\d+)", text, re.MULTILINE))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--load", default="xgft:m=24,24,72:w=1,24,24", help="41,472 hosts")
    parser.add_argument("--bring-up", default="fat-tree:radix=36,levels=3", help="11,664 hosts")
    parser.add_argument("--check", action="store_true", help="fail when a limit is exceeded")
    options = parser.parse_args()
    program = lambda name: os.path.join(options.bin, name)
    socket = f"weftsim-scale-{os.getpid()}"
    good = True

    sim = Weftsim(program("weftsim"), options.load, socket)
    print(f"{options.load}: {sim.nodes} nodes, {sim.switches} of them switches, loaded in {sim.seconds:.2f} s "
          f"({sim.cpu_seconds:.2f} s of CPU, limit {LOAD_LIMIT:.0f}), {sim.memory() / 1e6:.0f} MB")
    good = good and sim.cpu_seconds <= LOAD_LIMIT
    sim.end()

    sim = Weftsim(program("weftsim"), options.bring_up, socket)
    blank = sim.memory()
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "weft.yaml")
        with open(config, "w") as file:
            file.write(f"transport: {{ kind: ibsim, ibsim: {{ socket: {socket}, host: h00000 }} }}\n"
                       f"control: {{ socket: {folder}/sock }}\nstate_dir: {folder}\n")
        subprocess.run([program("weftd"), "--once", "--config", config], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    used = sim.memory()
    lft = sim.switches * -(-(sim.nodes + 1) // 64) * 64
    ports = ports_of(program("weft-fabric"), options.bring_up)
    limit = 1.2 * lft + 1024 * ports
    print(f"{options.bring_up}: {sim.nodes} nodes, {ports} ports, blank {blank / 1e6:.0f} MB, brought up "
          f"{used / 1e6:.0f} MB; {FORMULA} = {limit / 1e6:.0f} MB (tables {lft / 1e6:.0f})")
    good = good and used <= limit
    sim.end()
    if options.check and not good:
        raise SystemExit("a limit is exceeded")


if __name__ == "__main__":
    main()
