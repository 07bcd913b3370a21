#!/usr/bin/env python3
"""Our tables against the best of OpenSM's engines on random damaged trees and dragonflies.

usage: opensm_compare.py BIN [--cases 500] [--seed 1] [--limit 1.15] [--share 0.95]

Each case is a blueprint drawn by its seed. OpenSM routes it on ibsim with ftree and updn (trees) or dfsssp
(dragonflies); ours are the tables of the default engine for the same cables and LIDs. All-to-all risk and edge
forwarding index are compared with the lower of OpenSM's, each by itself. Ours has seen the fabric whole before, as a
manager has when links die. The worse ones are listed. Exit code 1 when
less than SHARE of the figures are as good, or one is more than LIMIT times OpenSM's.
"""
import argparse
import random
import re
import subprocess
import sys
import tempfile

import opensm_quality

FIGURES = ("all-to-all risk", "index")
TREES = ("fat-tree:radix=8,levels=2", "fat-tree:radix=12,levels=2", "fat-tree:radix=8,levels=3",
         "xgft:m=4,6,6:w=1,3,3", "xgft:m=6,6,4:w=1,6,3", "xgft:m=3,4,8:w=1,4,4", "xgft:m=8,12:w=1,4")
DRAGONFLIES = ("dragonfly:p=2,a=4,h=2,g=9", "dragonfly:p=1,a=6,h=2,g=7", "dragonfly:p=2,a=4,h=1,g=5",
               "dragonfly:p=3,a=6,h=1,g=7", "dragonfly:p=2,a=6,h=2,g=13")


def draw(seed):
    """The blueprint of the whole, the damaged one, and OpenSM's engines for it."""
    lot = random.Random(seed)
    tree = lot.random() < 0.6
    whole = lot.choice(TREES if tree else DRAGONFLIES)
    mark = ":" if whole.startswith("xgft") else ","
    blueprint = f"{whole}{mark}fail-links={lot.randint(1, 8)}%,keep-connected=1,seed={seed}"
    return whole, blueprint, ("ftree", "updn") if tree else ("dfsssp",)


def measure(binaries, directory, whole):
    """(OpenSM's figures, our engine, our figures) for the dump in a directory."""
    lines = subprocess.run([f"{binaries}/opensm_quality", directory, whole], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    figures = [{name: float(re.search(rf"{name} (\d+)", line).group(1)) for name in FIGURES} for line in lines]
    return figures[0], lines[1].split()[0], figures[1]


def compare(binaries, seed):
    """(blueprint, engine, {figure: (best of OpenSM, ours)})."""
    whole, blueprint, engines = draw(seed)
    theirs, engine, ours = [], "", []
    for name in engines:
        with tempfile.TemporaryDirectory() as directory:
            opensm_quality.dump(binaries, blueprint, name, directory)
            opensm, engine, mine = measure(binaries, directory, whole)
            theirs.append(opensm)
            ours.append(mine)  # LIDs may differ from run to run
    return blueprint, engine, {name: (min(t[name] for t in theirs), min(o[name] for o in ours)) for name in FIGURES}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("bin")
    options.add_argument("--cases", type=int, default=500)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--limit", type=float, default=1.15)
    options.add_argument("--share", type=float, default=0.95)
    wanted = options.parse_args()
    worse, best, far = {name: 0 for name in FIGURES}, {name: 0 for name in FIGURES}, 0
    for seed in range(wanted.seed, wanted.seed + wanted.cases):
        blueprint, engine, figures = compare(wanted.bin, seed)
        for name, (theirs, ours) in figures.items():
            best[name] += ours < theirs
            if ours <= theirs:
                continue
            worse[name] += 1
            far += ours > theirs * wanted.limit
            print(f"worse: seed {seed}, {blueprint}, {engine}: {name} {ours:.0f}, OpenSM {theirs:.0f}", flush=True)
    failed = far > 0
    for name in FIGURES:
        good = 1 - worse[name] / wanted.cases
        failed |= good < wanted.share
        print(f"{name}: {wanted.cases} cases, {best[name]} better, {worse[name]} worse; {good:.1%} not worse")
    print(f"{far} figures more than {wanted.limit} times OpenSM's")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
