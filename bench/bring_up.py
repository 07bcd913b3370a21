#!/usr/bin/env python3
"""Cold bring-up of one fabric on ibsim: weftd and OpenSM, one after the other, each on a fresh ibsim.

SMPs are those each program counts itself: weftd in its report of the sweep, OpenSM in its console's `status`.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

PRELOAD = "/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"
# Hosts: blueprint, and limits as parts of what OpenSM needs in the same run: SMPs, wall time, memory.
FABRICS = {
    648: ("fat-tree:radix=36", 0.50, None, None),
    3456: ("fat-tree:radix=24,levels=3", 0.60, 0.40, 0.30),
    11664: ("fat-tree:radix=36,levels=3", 0.67, 0.20, 0.30),
}


class Ibsim:
    def __init__(self, net, name):
        self.read_end, self.write_end = os.pipe()  # a console that stays open
        self.process = subprocess.Popen(
            ["ibsim", "-s", "-N", "40000", "-S", "6000", "-P", "400000", "-L", "49152", net],
            stdin=self.read_end, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "IBSIM_SOCKNAME": name})
        for line in self.process.stdout:
            if b"MaxMcastCap" in line:
                break
        time.sleep(0.3)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.read_end)
        os.close(self.write_end)


def run(command, env, ready=None, log=None):
    """Wall time to the end, or to a line in `log`; user and system time and peak memory of the program."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT)
        wall = None
        if ready:
            while child.poll() is None and wall is None:
                time.sleep(0.02)
                if os.path.exists(log) and ready in open(log, errors="replace").read():
                    wall = time.monotonic() - began
            child.stdin.write(b"status\n")
            child.stdin.flush()
            time.sleep(1)
            child.kill()
        _, status, usage = os.wait4(child.pid, 0)
        wall = wall or time.monotonic() - began
        out.seek(0)
        text = out.read().decode(errors="replace")
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "mb": usage.ru_maxrss / 1024,
            "status": os.waitstatus_to_exitcode(status), "text": text}


def weft(bin_dir, net, directory):
    ibsim = Ibsim(net, f"weft-bench-{os.getpid()}")
    try:
        config = os.path.join(directory, "weft.yaml")
        with open(config, "w") as file:
            file.write(f"transport: {{ kind: ibsim, ibsim: {{ socket: weft-bench-{os.getpid()} }} }}\n"
                       f"control: {{ socket: {directory}/sock }}\nstate_dir: {directory}/state\n")
        os.mkdir(os.path.join(directory, "state"))
        command = [os.path.join(bin_dir, "weftd"), "--config", config, "--once"]
        cold = run(command, dict(os.environ))
        again = run(command, dict(os.environ))
    finally:
        ibsim.close()
    for result in (cold, again):
        if result["status"] != 0:
            sys.exit("weftd failed:\n" + result["text"])
        last = re.findall(r"smps=(\d+) sets=(\d+).* ms=(\d+)", result["text"])[-1]
        result["smps"], result["sets"], result["sweep"] = int(last[0]), int(last[1]), int(last[2]) / 1000
    return cold, again


def opensm(net, directory):
    name = f"opensm-bench-{os.getpid()}"
    ibsim = Ibsim(net, name)
    try:
        log = os.path.join(directory, "osm.log")
        conf = os.path.join(directory, "opensm.conf")
        with open(conf, "w") as file:
            file.write("force_log_flush TRUE\n")
        env = {**os.environ, "IBSIM_SOCKNAME": name, "LD_PRELOAD": PRELOAD, "OSM_CACHE_DIR": directory,
               "OSM_TMP_DIR": directory}
        here = os.getcwd()
        os.chdir(directory)
        result = run(["opensm", "-F", conf, "-f", log, "-s", "3600", "-q", "local"], env, "SUBNET UP",
                     log)
        os.chdir(here)
        result["smps"] = int(re.findall(r"QP0 MADs sent\s*: (\d+)", result["text"])[-1])
    finally:
        ibsim.close()
    return result


def simulated(bin_dir):
    """16,384 hosts in weftd's own simulator, both in one process."""
    directory = tempfile.mkdtemp(prefix="weft-bench-")
    config = os.path.join(directory, "weft.yaml")
    with open(config, "w") as file:
        file.write("transport: { kind: sim, sim: { fabric: 'fat-tree:radix=64,levels=3,pods=16' } }\n"
                   f"control: {{ socket: {directory}/sock }}\nstate_dir: {directory}\n")
    result = run([os.path.join(bin_dir, "weftd"), "--config", config, "--once"], dict(os.environ))
    shutil.rmtree(directory)
    smps, took = re.findall(r"smps=(\d+).* ms=(\d+)", result["text"])[-1]
    print(f"16,384 hosts, 1,280 switches in the simulator: {int(smps):,} SMPs in {int(took) / 1000:.1f} s, "
          f"{int(smps) * 1000 // int(took):,} a second, {result['mb']:.0f} MB for daemon and simulator together")
    return result["mb"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--simulator", action="store_true")
    arguments = parser.parse_args()
    if arguments.simulator:
        sys.exit(1 if simulated(arguments.bin) > 400 and arguments.check else 0)
    exceeded = []
    print("| hosts | program | SMPs | Sets when started again | wall s | CPU s | peak MB |")
    print("|---|---|---|---|---|---|---|")
    for hosts, (blueprint, smp_limit, wall_limit, mb_limit) in FABRICS.items():
        if hosts > 10000 and not arguments.large:
            continue
        directory = tempfile.mkdtemp(prefix="weft-bench-")
        try:
            net = os.path.join(directory, "fabric.net")
            with open(net, "w") as file:
                subprocess.run([os.path.join(arguments.bin, "weft-fabric"), blueprint], stdout=file, check=True)
            ours, again = weft(arguments.bin, net, directory)
            peer = opensm(net, directory)
        finally:
            shutil.rmtree(directory)
        print(f"| {hosts:,} | weftd | {ours['smps']:,} | {again['sets']} | {ours['wall']:.2f} | {ours['cpu']:.2f} | "
              f"{ours['mb']:.0f} |")
        print(f"| | OpenSM | {peer['smps']:,} | | {peer['wall']:.2f} | {peer['cpu']:.2f} | {peer['mb']:.0f} |")
        shares = {"SMPs": (ours["smps"] / peer["smps"], smp_limit), "wall": (ours["wall"] / peer["wall"], wall_limit),
                  "memory": (ours["mb"] / peer["mb"], mb_limit)}
        print("| | share | " + " | ".join(
            f"{what} {share:.2f}" + (f" (limit {limit:.2f})" if limit else "") for what, (share, limit) in shares.items())
              + " | | | |", flush=True)
        exceeded += [f"{hosts} hosts: {what} {share:.2f} > {limit:.2f}"
                     for what, (share, limit) in shares.items() if limit and share > limit]
    if arguments.check and exceeded:
        sys.exit("limits exceeded: " + "; ".join(exceeded))


if __name__ == "__main__":
    main()
