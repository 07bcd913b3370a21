#!/usr/bin/env python3
"""Our tables against the best of OpenSM's engines on random damaged trees and dragonflies.

usage: opensm_compare.py BIN [--cases 500] [--seed 1] [--jobs 2] [--limit 1.15] [--share 0.95] [--dumps DIR]

Each case is a blueprint drawn by its seed. OpenSM routes it on ibsim with ftree and updn (trees) or dfsssp
(dragonflies); what it routes with min-hop instead, because the engine failed, does not count. Ours are the tables of
the default engine for the same cables and LIDs, which has seen the fabric whole before, as a manager has when links
die. All-to-all risk and edge forwarding index are compared with the lower of OpenSM's, each by itself. The worse ones
are listed. With --dumps what OpenSM made is kept, and taken from there the next time. Exit code 1 when less than SHARE
of the figures are as good, or one is more than LIMIT times OpenSM's.
"""
import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

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


def configured(directory, engine):
    """Whether OpenSM's tables are those of the engine that it was told to use."""
    with open(os.path.join(directory, "osm.log"), errors="replace") as log:
        used = re.findall(r"process: (\S+) tables configured on all switches", log.read())
    return used != [] and used[-1] == engine


def compare(binaries, seed, dumps):
    """(blueprint, our engine, {figure: (best of OpenSM, ours)}); no figures where no engine of OpenSM's did it."""
    whole, blueprint, engines = draw(seed)
    theirs, engine, ours = [], "", []
    for name in engines:
        directory = os.path.join(dumps, str(seed), name)
        if not os.path.exists(os.path.join(directory, "done")):
            os.makedirs(directory, exist_ok=True)
            opensm_quality.dump(binaries, blueprint, name, directory)
            open(os.path.join(directory, "done"), "w").close()
        if not configured(directory, name):
            continue
        opensm, engine, mine = measure(binaries, directory, whole)
        theirs.append(opensm)
        ours.append(mine)  # LIDs may differ from run to run
    if not theirs:
        return blueprint, engine, {}
    return blueprint, engine, {name: (min(t[name] for t in theirs), min(o[name] for o in ours)) for name in FIGURES}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("bin")
    options.add_argument("--cases", type=int, default=500)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--limit", type=float, default=1.15)
    options.add_argument("--share", type=float, default=0.95)
    options.add_argument("--dumps")
    wanted = options.parse_args()
    counted, far = 0, 0
    worse, best = {name: 0 for name in FIGURES}, {name: 0 for name in FIGURES}
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(wanted.jobs) as pool:
        seeds = range(wanted.seed, wanted.seed + wanted.cases)
        results = pool.map(lambda seed: compare(wanted.bin, seed, wanted.dumps or scratch), seeds)
        for seed, (blueprint, engine, figures) in zip(seeds, results):
            counted += bool(figures)
            for name, (theirs, ours) in figures.items():
                best[name] += ours < theirs
                if ours <= theirs:
                    continue
                worse[name] += 1
                far += ours > theirs * wanted.limit
                print(f"worse: seed {seed}, {blueprint}, {engine}: {name} {ours:.0f}, OpenSM {theirs:.0f}", flush=True)
    failed = far > 0 or counted == 0
    print(f"{wanted.cases} cases; in {wanted.cases - counted} no engine of OpenSM's had tables")
    for name in FIGURES:
        good = 1 - worse[name] / max(1, counted)
        failed |= good < wanted.share
        print(f"{name}: {best[name]} better, {worse[name]} worse; {good:.1%} not worse")
    print(f"{far} figures more than {wanted.limit} times OpenSM's")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
