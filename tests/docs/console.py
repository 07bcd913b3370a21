#!/usr/bin/env python3
"""console.py SOURCES BIN [DOCUMENT...]: runs the commands of the documents, block by block as they stand there.

A block ```console holds `$ command` lines, each followed by what it prints. One shell runs a document from its first
block to its last, in a folder that looks like a checkout, with HOME an empty folder and our programs in PATH. A comment
<!-- console: fabric=BLUEPRINT --> in a document starts a weftd on that fabric for it; weftctl finds it by WEFT_SOCKET.

What is promised must come, loosely: the lines in their order, numbers as any numbers, blanks as any blanks, `...` as
anything. A command that fails must be promised to: `[exit 2]` stands as the last line then. ```console needs=WHAT is not
run, and WHAT says why."""

import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

NEEDS = {
    "device": "an InfiniBand device",
    "systemd": "a running systemd",
    "root": "root, and it changes the system",
    "packages": "built packages; the test `package` runs it",
    "etcd": "three hosts with etcd",
    "opensm": "a running OpenSM",
    "minutes": "a build or measurement of minutes",
    "network": "other machines on the network",
}
DATA = {"yaml", "json", "text", "ini", "cpp", "synopsis"}  # blocks that are no commands; a synopsis is how one is spelled
COMMAND = re.compile(r"^\s*(?:[A-Z_]+=\S+ )*(?:weftd|weftctl|weftsim|weftsim-run|weft-demo|systemctl|scripts/\w|build/\w|"
                     r"apt-get|dpkg|cmake|ibsim|install|ctest|etcdctl)\b")
PATIENCE = 60


class Failure(Exception):
    pass


class Block:
    def __init__(self, place, language, needs):
        self.place, self.language, self.needs, self.lines = place, language, needs, []

    def commands(self):
        """(place, command, promised lines); a command goes on after a backslash at the end of its line."""
        found = []
        for number, line in enumerate(self.lines, 1):
            if found and found[-1][1].endswith("\\") and not found[-1][2]:
                found[-1][1] += "\n" + line
            elif line.startswith("$ "):
                found.append([f"{self.place[0]}:{self.place[1] + number}", line[2:], []])
            elif found:
                found[-1][2].append(line)
            elif line.strip():
                raise Failure(f"{self.place[0]}:{self.place[1]}: a console block begins with a `$ command`")
        return found


def blocks_of(path, name):
    """The fenced blocks of a document; raises for commands that stand in any other."""
    found, block, indented = [], None, False
    for number, line in enumerate(path.read_text().split("\n"), 1):
        fence = re.match(r"^\s*```(\S*)\s*(?:needs=(\S+))?\s*$", line)
        if fence and block is None:
            block = Block((name, number), fence.group(1), fence.group(2))
            if block.language not in DATA | {"console"}:
                raise Failure(f"{name}:{number}: a block needs a language: console, or one of {', '.join(sorted(DATA))}")
            if block.needs and block.needs not in NEEDS:
                raise Failure(f"{name}:{number}: needs={block.needs}; known are {', '.join(NEEDS)}")
        elif fence:
            found.append(block)
            block = None
        elif block is not None:
            block.lines.append(line)
            if block.language not in ("console", "synopsis") and COMMAND.match(line):
                raise Failure(f"{name}:{number}: a command outside of a console block: {line.strip()}")
        else:
            was, indented = indented, line.startswith("    ") or (indented and not line.strip())
            if indented and COMMAND.match(line) and not re.match(r"^\s+[*-] ", line) and was is not None:
                raise Failure(f"{name}:{number}: a command outside of a console block: {line.strip()}")
    if block is not None:
        raise Failure(f"{name}:{block.place[1]}: the block has no end")
    return found


def loosely(line):
    line = re.sub(r"\d[\d,.:]*", "#", " ".join(line.split()))
    return line


def matches(promised, said):
    pattern = ".*".join(re.escape(part.strip()) for part in loosely(promised).split("..."))
    return re.search(f"^{pattern}$", loosely(said)) is not None


def missing(promised, said):
    """The first promised line that does not come in its turn, or nothing."""
    rest = iter(said.split("\n"))
    for line in promised:
        if not line.strip() or line.strip() == "...":
            continue
        if not any(matches(line, one) for one in rest):
            return line
    return None


class Shell:
    """One bash in a network of its own, so that the fixed names of simulators are nobody else's."""

    def __init__(self, folder, environment):
        unshare = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "--net"]
        self.process = subprocess.Popen([*unshare, "bash", "--norc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, cwd=folder, env=environment, start_new_session=True)

    def run(self, command):
        """What it prints, and its exit code."""
        mark = f"--done-{time.monotonic_ns()}--"
        self.process.stdin.write(f"{command}\nprintf '%s%s\\n' {mark} $?\n".encode())
        self.process.stdin.flush()
        text, end = b"", time.monotonic() + PATIENCE
        while not (done := re.search(re.escape(mark).encode() + rb"(\d+)\n", text)):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not piece:
                raise Failure(f"no end after {PATIENCE} s: {command}\n{text.decode(errors='replace')}")
            text += piece
        return text[:done.start()].decode(errors="replace"), int(done.group(1))

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def checkout(sources, binaries, folder):
    """A folder of links that looks like a checkout with a release build."""
    for entry in sources.iterdir():
        if entry.name not in ("build", ".git"):
            (folder / entry.name).symlink_to(entry)
    (folder / "build" / "release").mkdir(parents=True)
    (folder / "build" / "release" / "bin").symlink_to(binaries)


def start_fabric(shell, blueprint, home):
    shell.run(f"weftd --fabric {blueprint} --state-dir {home}/state --socket {home}/weftd.sock "
              f"--log-level error > {home}/weftd.log 2>&1 & disown")
    said, code = shell.run(f"for i in $(seq 300); do weftctl --socket {home}/weftd.sock status --json 2> /dev/null | "
                           "grep -q '\"state\":\"master\"' && break; sleep 0.1; done; weftctl status")
    if code != 0:
        raise Failure(f"no weftd on {blueprint}: {said}\n{(home / 'weftd.log').read_text()}")


def check(said, code, promised):
    """Why this is not what was promised, or nothing."""
    wanted = 0
    if promised and (end := re.match(r"^\[exit (\d+)\]$", promised[-1])):
        wanted, promised = int(end.group(1)), promised[:-1]
    if code != wanted:
        return f"exit code {code}, not {wanted}"
    line = missing(promised, said)
    return f"this line is missing: {line}" if line is not None else None


def run_document(path, name, sources, binaries, skipped):
    blocks = blocks_of(path, name)
    fabric = re.search(r"<!-- console: fabric=(\S+) -->", path.read_text())
    count = 0
    with tempfile.TemporaryDirectory(prefix="weft-docs-") as scratch:
        scratch = pathlib.Path(scratch)
        home, tree = scratch / "home", scratch / "weft"
        home.mkdir()
        tree.mkdir()
        checkout(sources, binaries, tree)
        environment = {"HOME": str(home), "PATH": f"{binaries}:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
                       "WEFT_SOCKET": f"{home}/weftd.sock"}
        shell = Shell(tree, environment)
        try:
            if fabric:
                start_fabric(shell, fabric.group(1), home)
            for block in blocks:
                if block.language != "console":
                    continue
                if block.needs:
                    skipped.append(f"{name}:{block.place[1]}: needs {NEEDS[block.needs]}")
                    continue
                for place, command, promised in block.commands():
                    said, code = shell.run(command)
                    count += 1
                    if why := check(said, code, promised):
                        raise Failure(f"{place}: {command}\n  {why}\n--- it said\n{said}")
        finally:
            shell.close()
    return count


def main():
    sources, binaries = (pathlib.Path(one).resolve() for one in sys.argv[1:3])
    names = sys.argv[3:] or ["README.md", *sorted(f"docs/{one.name}" for one in (sources / "docs").glob("*.md"))]
    if not shutil.which("unshare"):
        print("SKIPPED: no unshare here")
        return 77
    skipped, failed, count = [], 0, 0
    for name in names:
        try:
            count += run_document(sources / name, name, sources, binaries, skipped)
        except Failure as failure:
            failed += 1
            print(f"FAILED {failure}\n")
    print(f"{count} commands of {len(names)} documents ran; {failed} documents failed; blocks not run:")
    print("\n".join(f"  {one}" for one in skipped))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
