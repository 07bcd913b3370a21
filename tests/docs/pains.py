#!/usr/bin/env python3
"""pains.py SOURCES BUILD: docs/pains.md against the tests there are. Each case of groups A and M has a row, each row a
test, and each test that a row names exists: Suite.Name and Suite.* in the sources, others as ctest knows them."""

import pathlib
import re
import subprocess
import sys

CASES = {"A": 15, "M": 12}  # of the catalogue of cases


def rows_of(text):
    """(case, what holds it) of every row."""
    return re.findall(r"^\| ([A-Z]-\d\d) .*? \| (.*) \|$", text, re.MULTILINE)


def written_tests(folder):
    """{suite: {name}} of every GoogleTest in the sources."""
    suites = {}
    for path in sorted(pathlib.Path(folder).rglob("*.cpp")) + sorted(pathlib.Path(folder).rglob("*.h")):
        text = path.read_text(errors="replace")
        for suite, name in re.findall(r"^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)"
                                      r"\(\s*(\w+),\s*(\w+)", text, re.MULTILINE):
            suites.setdefault(suite, set()).add(name)
        for suite in re.findall(r"^\s*(?:TYPED_TEST_SUITE|TYPED_TEST_SUITE_P|INSTANTIATE_TYPED_TEST_SUITE_P)\(\s*(\w+)", text,
                                re.MULTILINE):
            suites.setdefault(suite, set())
    return suites


def known_to_ctest(build):
    said = subprocess.run(["ctest", "-N"], cwd=build, stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
    return set(re.findall(r"^\s*Test\s+#\d+: (\S+)$", said, re.MULTILINE))


def fuzz_targets(folder):
    """ctest knows them in the builds for fuzzing only."""
    return {path.stem for path in pathlib.Path(folder).rglob("fuzz_*.cpp")}


def faults_of(text, suites, programs, fuzzers=frozenset()):
    """What is wrong with a document; suites as written_tests gives them."""
    faults = []
    rows = rows_of(text)
    told = [case for case, _ in rows]
    wanted = [f"{group}-{number:02}" for group, count in CASES.items() for number in range(1, count + 1)]
    faults += [f"{case} has no row" for case in wanted if case not in told]
    faults += [f"{case} has {told.count(case)} rows" for case in sorted(set(told)) if told.count(case) > 1]
    for case, held in rows:
        found, suite = 0, None
        for word in re.findall(r"`([^`]+)`", held):
            if full := re.fullmatch(r"([A-Z]\w+)\.(\w+|\*)", word):
                suite, name = full.groups()
            elif suite and re.fullmatch(r"[A-Z]\w*[a-z]\w*", word):
                name = word  # of the suite before it, or a suite itself
                if word in suites:
                    found += 1
                    continue
            elif re.fullmatch(r"[A-Z]\w*[a-z]\w*", word):
                suite, name = word, "*"
            elif re.fullmatch(r"[a-z][a-z_0-9]*", word):
                if word not in programs | fuzzers:
                    faults.append(f"{case} names the test `{word}`, which ctest does not know")
                found += 1
                continue
            else:
                continue  # a command, a file, a key
            found += 1
            if suite not in suites or (name != "*" and name not in suites[suite]):
                faults.append(f"{case} names {suite}.{name}, which is no test")
        if found == 0:
            faults.append(f"{case} names no test")
    return faults


def main():
    sources, build = map(pathlib.Path, sys.argv[1:3])
    faults = faults_of((sources / "docs/pains.md").read_text(), written_tests(sources / "tests"), known_to_ctest(build),
                       fuzz_targets(sources / "tests"))
    for fault in faults:
        print(f"docs/pains.md: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
