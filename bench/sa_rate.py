#!/usr/bin/env python3
"""PathRecords per second through weftsim's socket: weftd, OpenSM and a responder that does nothing, side by side;
and how long an answer takes while weftd sweeps all the time.

usage: bench/sa_rate.py BIN-DIRECTORY [--fabric BLUEPRINT] [--lids HIGHEST] [--count N] [--without-opensm]
"""
import argparse
import os
import re
import subprocess
import tempfile
import threading
import time


def wait_for(path, text, seconds):
    for _ in range(int(seconds * 10)):
        if os.path.exists(path) and text in open(path, errors="replace").read():
            return
        time.sleep(0.1)
    raise SystemExit(f"{text!r} did not come in {path}")


class Fabric:
    def __init__(self, options, name):
        self.options, self.name = options, name
        self.folder = tempfile.mkdtemp()
        self.env = dict(os.environ, IBSIM_SOCKNAME=f"sa-rate-{os.getpid()}-{name}")
        self.started = []
        self.start("sim", [self.program("weftsim"), "--fabric", options.fabric, "--quiet"])
        wait_for(self.path("sim"), "ready:", 60)

    def program(self, name):
        return os.path.abspath(os.path.join(self.options.bin, name))

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, log, command, **env):
        process = subprocess.Popen(command, env=dict(self.env, **env), cwd=self.folder, stdout=open(self.path(log), "w"),
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        self.started.append(process)
        return process

    def weftd(self):
        os.makedirs(self.path("state"), exist_ok=True)
        with open(self.path("weft.yaml"), "w") as file:
            file.write(f"transport: {{ kind: ibsim, ibsim: {{ socket: {self.env['IBSIM_SOCKNAME']}, host: h00000 }} }}\n"
                       f"control: {{ socket: {self.path('sock')} }}\nstate_dir: {self.path('state')}\n")
        process = self.start("weftd", [self.program("weftd"), "--config", self.path("weft.yaml")])
        wait_for(self.path("weftd"), "clean=true", 300)
        return process

    def opensm(self):
        process = self.start("opensm", [self.program("weftsim-run"), "opensm", "-f", self.path("osm.log")], SIM_HOST="h00000",
                             OSM_TMP_DIR=self.folder, OSM_CACHE_DIR=self.folder)
        wait_for(self.path("osm.log"), "SUBNET UP", 600)
        return process

    def ask(self, how, process, count, window):
        answer = subprocess.run([self.program("sa_rate"), "ask", how, str(count), str(window), str(process.pid),
                                 str(self.options.lids)], env=dict(self.env, SIM_HOST="h00001"), capture_output=True, text=True)
        print(f"{self.name:<8} {how}, {window} in flight: {answer.stdout.strip()}{answer.stderr.strip()}", flush=True)

    def end(self):
        for process in reversed(self.started):
            process.kill()
            process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--fabric", default="fat-tree:radix=36")
    parser.add_argument("--lids", type=int, default=800)
    parser.add_argument("--count", type=int, default=50000)
    parser.add_argument("--without-opensm", action="store_true")
    options = parser.parse_args()
    for name in ("weftd",) if options.without_opensm else ("weftd", "opensm"):
        fabric = Fabric(options, name)
        try:
            process = getattr(fabric, name)()
            for how in ("lid", "gid"):
                fabric.ask(how, process, options.count, 32)
            if name == "weftd":
                over = threading.Event()

                def sweep():
                    while not over.is_set():
                        subprocess.run([fabric.program("weftctl"), "--socket", fabric.path("sock"), "sweep"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

                thread = threading.Thread(target=sweep)
                thread.start()
                time.sleep(0.5)
                print("while it sweeps:", end=" ", flush=True)
                fabric.ask("gid", process, options.count, 8)
                over.set()
                thread.join()
                process.terminate()
                process.wait()
                fabric.name = "nothing"
                echo = fabric.start("nothing", [fabric.program("sa_rate"), "nothing"], SIM_HOST="h00000")
                time.sleep(0.5)
                for how in ("lid", "gid"):
                    fabric.ask(how, echo, options.count, 32)
        finally:
            fabric.end()


if __name__ == "__main__":
    main()
