#!/usr/bin/env python3
"""ibsim and weftsim side by side on the MAD mix of a bring-up: MADs per second, and CPU of the server per MAD.

usage: bench/server_rate.py BIN-DIRECTORY [--fabric FABRIC] [--count N] [--window N] [--rounds N]
"""
import argparse
import os
import re
import statistics
import subprocess
import tempfile
import time


def run_server(command, env, ready, cwd):
    log = open(os.path.join(cwd, "log"), "w+")
    process = subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT)
    for _ in range(600):
        log.seek(0)
        if ready in log.read():
            return process
        time.sleep(0.1)
    process.kill()
    raise SystemExit(f"{command[0]} did not come up")


def figures(text):
    return {name: float(value) for name, value in re.findall(r"(\w+)=([0-9.]+)", text)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--fabric", default="fat-tree:radix=24,levels=3")
    parser.add_argument("--count", type=int, default=400000)
    parser.add_argument("--window", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    program = lambda name: os.path.join(options.bin, name)
    results = {"ibsim": [], "weftsim": [], "in-process": []}
    with tempfile.TemporaryDirectory() as folder:
        net = os.path.join(folder, "fabric.net")
        with open(net, "w") as file:
            subprocess.run([program("weft-fabric"), options.fabric], stdout=file, check=True)
        for number in range(options.rounds):
            for name in ("ibsim", "weftsim"):
                env = dict(os.environ, IBSIM_SOCKNAME=f"server-rate-{os.getpid()}-{number}-{name}")
                if name == "ibsim":
                    command = ["ibsim", "-s", "-n", "-L", "49152", "-N", "20000", "-S", "2000", "-P", "200000", net]
                    server = run_server(command, env, "MaxMcastCap", folder)
                    time.sleep(0.5)
                else:
                    server = run_server([program("weftsim"), "--fabric", net, "--quiet"], env, "ready:", folder)
                answer = subprocess.run(
                    [program("server_rate"), net, str(options.count), str(options.window), str(server.pid)],
                    env=env, capture_output=True, text=True)
                results[name].append(figures(answer.stdout))
                server.kill()
                server.wait()
            answer = subprocess.run([program("server_rate"), net, str(options.count), str(options.window), "in-process"],
                                    capture_output=True, text=True)
            results["in-process"].append(figures(answer.stdout))
    for name, rounds in results.items():
        rate = statistics.median(r["per_second"] for r in rounds)
        cpu = statistics.median(r["server_cpu_us_per_mad"] for r in rounds)
        print(f"{name:<11} {rate:>10.0f} MADs/s {cpu:>7.3f} us of server CPU a MAD, "
              f"{min(r['answered'] for r in rounds):.0f} answered")
    median = lambda name, key: statistics.median(r[key] for r in results[name])
    print(f"server CPU, weftsim : ibsim = "
          f"{median('weftsim', 'server_cpu_us_per_mad') / median('ibsim', 'server_cpu_us_per_mad'):.2f} (limit 0.65)")
    print(f"rate, in process : ibsim = {median('in-process', 'per_second') / median('ibsim', 'per_second'):.1f} (at least 5)")


if __name__ == "__main__":
    main()
