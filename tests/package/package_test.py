#!/usr/bin/env python3
"""package_test.py SOURCES BUILD: makes the Debian packages of a build and installs them on a bare Debian 12.

The bare system is made once by debootstrap and kept as BUILD/package-test/base.tar, what apt downloads beside it. Everything runs
in namespaces of its own, so that no process and no mount outlives the test."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SUITE = "bookworm"
MIRROR = "http://deb.debian.org/debian"
SKIPPED = 77
PAGES = ["man8/weftd.8", "man1/weftctl.1", "man5/weft.yaml.5", "man1/weftsim.1", "man1/weftsim-run.1", "man1/weft-demo.1"]


class Failure(Exception):
    pass


def sh(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
                          **options)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def expect(holds, what, said=""):
    print(("ok      " if holds else "FAILED  ") + what, flush=True)
    if not holds:
        raise Failure(f"{what}\n{said}")


class Root:
    """A Debian system in a folder."""

    def __init__(self, path):
        self.path = path

    def run(self, script, timeout=300):
        """What a shell script prints there; fails with it."""
        return sh("chroot", self.path, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8",
                  "DEBIAN_FRONTEND=noninteractive", "bash", "-ec", script, timeout=timeout)

    def exists(self, path):
        return os.path.lexists(self.path / path.lstrip("/"))


def make_base(cache):
    if (cache / "base.tar").exists():
        return
    folder = tempfile.mkdtemp(dir=cache, prefix="debootstrap-")
    try:
        # Its mounts are its namespace's.
        sh("unshare", "--mount", "debootstrap", "--variant=minbase", SUITE, folder, MIRROR, timeout=600)
        sh("tar", "-C", folder, "-cf", cache / "base.tar.part", ".")
        (cache / "base.tar.part").rename(cache / "base.tar")
    finally:
        sh("rm", "-rf", "--one-file-system", folder)


def make_packages(build):
    shutil.rmtree(build / "packages", ignore_errors=True)
    sh("cpack", "--config", "CPackConfig.cmake", cwd=build, timeout=600, env={**os.environ, "PWD": str(build)})
    return sorted((build / "packages").glob("*.deb"))


def newer(package, folder):
    """The same package with a higher version."""
    tree = folder / "newer"
    sh("dpkg-deb", "-R", package, tree)
    control = tree / "DEBIAN" / "control"
    control.write_text(re.sub(r"^Version: .*$", "Version: 99.0-1", control.read_text(), flags=re.MULTILINE))
    made = folder / "weft_99.0-1.deb"
    sh("dpkg-deb", "--root-owner-group", "-b", tree, made)
    return made


def check_contents(packages):
    """What systemd starts is in the package beside its unit, and nothing is where it does not belong."""
    for package in packages:
        files = sh("dpkg-deb", "-c", package)
        owners = {line.split()[1] for line in files.splitlines()}
        expect(owners == {"root/root"}, f"{package.name}: all files are root's", files)
        expect("/usr/local" not in files and "/work" not in files, f"{package.name}: no file is out of place", files)
    weft = next(one for one in packages if one.name.startswith("weft_"))
    files = sh("dpkg-deb", "-c", weft)
    expect(re.search(r"rwxr-xr-x .* \./usr/sbin/weftd$", files, re.MULTILINE), "the unit's program is in its package", files)
    said = sh("dpkg-deb", "-f", weft, "Depends")
    expect("libibumad3" in said and "libc6" in said, "dependencies are those of the libraries used", said)


def install(root, packages):
    for package in packages:
        shutil.copy(package, root.path / "tmp")
    said = root.run("apt-get install -y -q --no-install-recommends man-db bash-completion /tmp/*.deb 2>&1", timeout=900)
    expect("not started" in said and "systemctl enable --now weftd" in said, "the package says what to do next", said)
    expect(root.run("id -nu weft; stat -c '%U:%G %a' /etc/weft/weft.yaml /etc/weft").split("\n")[:3] ==
           ["weft", "root:weft 640", "root:weft 750"], "user and group weft may read the configuration, others may not")
    expect(not root.exists("/etc/systemd/system/multi-user.target.wants/weftd.service"), "nothing is enabled")
    said = root.run("ldd /usr/sbin/weftd /usr/bin/weftctl /usr/bin/weftsim /usr/bin/weft-demo "
                    "/usr/lib/weft/libweftsim_run.so")
    expect("not found" not in said, "every library is there", said)
    said = root.run("systemd-analyze verify --man=yes /lib/systemd/system/weftd.service 2>&1 || true")
    expect("weftd" not in said, "systemd finds nothing wrong with the unit, and its manual pages", said)


def without_a_device(root):
    """A fresh install on a machine without InfiniBand, and one without its configuration."""
    said = root.run("""
        weftd --state-dir /tmp/none --socket /tmp/none.sock > /tmp/none.log 2>&1 &
        for i in $(seq 100); do weftctl --socket /tmp/none.sock status > /dev/null 2>&1 && break; sleep 0.1; done
        weftctl --socket /tmp/none.sock status || true
        code=0; weftctl --socket /tmp/none.sock sweep 2>&1 || code=$?; echo "sweep: $code"
        kill $!; timeout 5 tail --pid=$! -f /dev/null; code=0; wait $! || code=$?; echo "ended with $code" """)
    expect("waiting for device" in said, "without a device weftd waits and says so", said)
    expect("sweep: 3" in said, "and weftctl ends with 3", said)
    expect("ended with 0" in said, "and it ends when it is told to", said)
    said = root.run("mv /etc/weft/weft.yaml /tmp; weftd --check-config; mv /tmp/weft.yaml /etc/weft")
    expect("the defaults hold" in said, "an empty /etc/weft works", said)


def use(root):
    said = root.run("weftd --check-config")
    expect(": ok" in said, "the configuration as installed is right", said)
    root.run("install -d -o weft -g weft -m 750 /var/lib/weft /run/weft")
    said = root.run("""
        setpriv --reuid=weft --regid=weft --init-groups weftd --transport sim --fabric fat-tree:radix=8 --log-level warn > /tmp/weftd.log 2>&1 &
        for i in $(seq 200); do weftctl status > /dev/null 2>&1 && break; sleep 0.1; done
        weftctl sweep > /dev/null || cat /tmp/weftd.log; weftctl status
        kill $!; code=0; wait $! || code=$?; echo "ended with $code" """)
    expect("the fabric is as planned" in said and "ended with 0" in said, "weftd brings a simulated fabric up, weftctl shows it",
           said)
    expect(root.exists("/var/lib/weft/state.db") or any((root.path / "var/lib/weft").iterdir()), "its state is kept")
    said = root.run("""
        weftsim --fabric ring:6 --quiet > /tmp/weftsim.log 2>&1 & sleep 1
        weftsim-run /usr/bin/env true && weftsim ctl status; kill $!; wait""")
    expect("6" in said, "weftsim serves a fabric", said)
    said = root.run("weft-demo --once", timeout=120)
    expect("every" in said.lower(), "weft-demo runs", said)


def read_documents(root):
    for page in PAGES:
        said = root.run(f"MANWIDTH=100 man --warnings -l /usr/share/man/{page}.gz 2>&1 > /tmp/page; wc -l < /tmp/page")
        expect(re.fullmatch(r"\d{2,}\n", said), f"{page} renders without a warning", said)
    said = root.run("man -w weftd weftctl weft.yaml weftsim")
    expect(said.count("\n") == 4, "man finds them by name", said)
    said = root.run("""
        . /usr/share/bash-completion/bash_completion
        _completion_loader weftctl || [ $? = 124 ]
        COMP_WORDS=(weftctl sta); COMP_CWORD=1; COMP_LINE='weftctl sta'; COMP_POINT=11
        $(complete -p weftctl | sed 's/.*-F \\([^ ]*\\).*/\\1/'); printf '%s\\n' "${COMPREPLY[@]}" """)
    expect(sorted(said.split()) == ["state", "status"],
           "completion is loaded by the name of the command", said)
    expect(root.exists("/usr/share/zsh/vendor-completions/_weftctl"), "zsh's completion is there")
    expect(root.exists("/usr/share/doc/weft-doc/first-steps.md"), "the documents are there")


def live(root, upgrade):
    """Upgrade, removal, purge."""
    root.run("printf 'sweep: { interval: 3s }\\n' > /etc/weft/weft.yaml; touch /var/lib/weft/mark")
    shutil.copy(upgrade, root.path / "tmp" / "upgrade.deb")
    said = root.run("dpkg -i /tmp/upgrade.deb < /dev/null 2>&1; dpkg-query -W weft")
    expect("99.0" in said, "an upgrade installs without a question", said)
    said = root.run("cat /etc/weft/weft.yaml; ls /var/lib/weft")
    expect("3s" in said and "mark" in said, "an upgrade keeps configuration and state", said)
    root.run("apt-get remove -y -q weft")
    expect(root.exists("/etc/weft/weft.yaml") and root.exists("/var/lib/weft/mark"), "removal keeps them, too")
    expect(not root.exists("/usr/sbin/weftd"), "and takes the program")
    root.run("dpkg --purge weft")
    expect(not any(root.exists(one) for one in ("/etc/weft", "/var/lib/weft", "/var/log/weft")), "purge takes all")


def make_root(cache, path):
    """A bare Debian there, which apt can install into."""
    root = Root(path)
    path.mkdir()
    sh("tar", "-C", path, "-xf", cache / "base.tar")
    path.chmod(0o755)
    sh("mount", "-t", "proc", "proc", path / "proc")
    sh("mount", "--bind", cache / "archives", path / "var/cache/apt/archives")
    (path / "etc/apt/apt.conf.d/99keep").write_text('APT::Keep-Downloaded-Packages "true";\n')
    shutil.copy("/etc/resolv.conf", path / "etc/resolv.conf")
    return root


def image(root, weft):
    """What packaging/Containerfile does to make its image: without systemd."""
    shutil.copy(weft, root.path / "tmp")
    root.run("apt-get install -y -q --no-install-recommends systemd-standalone-sysusers", timeout=600)
    root.run("apt-get install -y -q --no-install-recommends /tmp/weft_*.deb", timeout=600)
    said = root.run("install -d -o weft -g weft -m 750 /var/lib/weft && install -d -o weft -g weft /run/weft; "
                    "setpriv --reuid=weft --regid=weft --init-groups weftd --fabric ring:6 --once 2>&1")
    expect("fabric_up" in said and not root.exists("/usr/bin/systemctl"), "it works in an image without systemd, too", said)


def test(build, cache, folder):
    packages = make_packages(build)
    expect({one.name.split("_")[0] for one in packages} == {"weft", "weft-sim", "weft-doc"}, "three packages are made",
           str(packages))
    check_contents(packages)
    weft = next(one for one in packages if one.name.startswith("weft_"))
    image(make_root(cache, folder / "image"), weft)
    root = make_root(cache, folder / "root")
    install(root, packages)
    without_a_device(root)
    use(root)
    read_documents(root)
    live(root, newer(weft, folder))


def run_inside(build, cache):
    """The test in namespaces of its own. What is mounted there is gone before its folder is removed."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=cache, prefix="root-"))
    folder.chmod(0o755)
    try:
        return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable,
                               __file__, "--inside", build, cache, folder]).returncode
    finally:
        sh("rm", "-rf", "--one-file-system", folder)


def main():
    if sys.argv[1] == "--inside":
        test(*(pathlib.Path(one) for one in sys.argv[2:5]))
        return 0
    build = pathlib.Path(sys.argv[2]).resolve()
    for program in ("debootstrap", "unshare", "cpack", "dpkg-deb"):
        if not shutil.which(program):
            print(f"SKIPPED: no {program} here (scripts/install-packages installs it)")
            return SKIPPED
    if os.geteuid() != 0:
        print("SKIPPED: only root may make a Debian system to install into")
        return SKIPPED
    cache = build / "package-test"
    (cache / "archives" / "partial").mkdir(parents=True, exist_ok=True)
    make_base(cache)
    return run_inside(build, cache)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"\n{failure}")
        sys.exit(1)
