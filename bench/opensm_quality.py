#!/usr/bin/env python3
"""Has OpenSM route a fabric on ibsim, and measures its tables beside ours.

usage: opensm_quality.py BIN BLUEPRINT [ENGINE]      BIN: where weft-fabric and opensm_quality are; ENGINE: minhop
"""
import os
import subprocess
import sys
import tempfile
import time

PRELOAD = "/usr/lib/x86_64-linux-gnu/umad2sim/libumad2sim.so"


def dump(binaries, blueprint, engine, directory):
    net = os.path.join(directory, "fabric.net")
    with open(net, "wb") as file:
        file.write(subprocess.check_output([os.path.join(binaries, "weft-fabric"), blueprint]))
    name = f"opensm-quality-{os.getpid()}-{abs(hash(directory))}"
    ibsim = subprocess.Popen(
        ["ibsim", "-s", "-N", "40000", "-S", "6000", "-P", "400000", "-L", "49152", net],
        stdin=subprocess.PIPE,  # a console that stays open
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**os.environ, "IBSIM_SOCKNAME": name})
    try:
        for line in ibsim.stdout:
            if b"MaxMcastCap" in line:
                break
        time.sleep(0.5)
        subprocess.run(
            ["opensm", "-o", "-R", engine, "-D", "0x43", "-f", os.path.join(directory, "osm.log")],
            env={**os.environ, "IBSIM_SOCKNAME": name, "LD_PRELOAD": PRELOAD, "OSM_TMP_DIR": directory,
                 "OSM_CACHE_DIR": directory},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600, check=True)
    finally:
        ibsim.kill()
        ibsim.communicate()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    binaries, blueprint = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as directory:
        dump(binaries, blueprint, sys.argv[3] if len(sys.argv) > 3 else "minhop", directory)
        subprocess.run([os.path.join(binaries, "opensm_quality"), directory], check=True)


if __name__ == "__main__":
    main()
