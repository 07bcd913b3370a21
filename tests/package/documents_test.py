#!/usr/bin/env python3
"""documents_test.py SOURCES BUILD: manual pages, shell completion and JSON schema against the programs themselves."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCES, BUILD = (pathlib.Path(one).resolve() for one in sys.argv[1:3])
BIN, MADE = BUILD / "bin", BUILD / "packaging"
PROGRAMS = {"weftctl": 1, "weftd": 8, "weftsim": 1}


def said(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, **options)
    return done.returncode, done.stdout


def help_of(program, words):
    code, text = said(BIN / program, *words, "--help")
    assert code == 0, text
    return text


def option_names(text):
    """Every option that a help names, by the shape of its lines alone."""
    names = set()
    for line in re.findall(r"^  (-\S+)", text, re.MULTILINE):
        names.update(line.split(","))
    return names


def command_names(text):
    _, _, rest = text.partition("Subcommands:\n")
    return re.findall(r"^  ([a-z]\S*)", rest.split("\n\n")[0], re.MULTILINE)


def all_commands(program, words=()):
    """(words, help) of a program's every command."""
    text = help_of(program, words)
    yield words, text
    for name in command_names(text):
        yield from all_commands(program, (*words, name))


def completed(program, words):
    """What bash offers behind these words, the last of which is begun."""
    quoted = " ".join("'" + one + "'" for one in (program, *words))
    code, text = said("bash", "-c", f". '{MADE}/{program}.bash'; COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; "
                      f"_{program}; printf '%s\\n' \"${{COMPREPLY[@]}}\"", env={"PATH": f"{BIN}:/usr/bin:/bin"})
    assert code == 0, text
    return set(text.split())


class BashCompletion(unittest.TestCase):
    def test_offers_every_command_and_option_there_is_and_no_other(self):
        for program in PROGRAMS:
            top = option_names(help_of(program, ()))
            for words, text in all_commands(program):
                with self.subTest(program=program, words=words):
                    own = option_names(text)
                    self.assertEqual(completed(program, (*words, "-")), own | (top if program == "weftctl" else set()))
                    if names := command_names(text):
                        self.assertEqual(completed(program, (*words, "")), set(names))

    def test_offers_the_words_an_option_takes(self):
        self.assertEqual(completed("weftctl", ("nodes", "--type", "")), {"hca", "switch", "router"})
        self.assertEqual(completed("weftd", ("--transport", "i")), {"ibsim"})
        self.assertEqual(completed("weftctl", ("--socket", "/x", "con")), {"config"})

    def test_offers_files_where_a_file_stands(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "weft.yaml").touch()
            self.assertEqual(completed("weftctl", ("config", "check", f"{folder}/w")), {f"{folder}/weft.yaml"})


class ZshCompletion(unittest.TestCase):
    def test_loads_and_names_everything(self):
        if not shutil.which("zsh"):
            self.skipTest("no zsh here")
        for program in PROGRAMS:
            file = MADE / f"{program}.zsh"
            code, text = said("zsh", "-fc", f"autoload -Uz compinit; compinit -D; . {file}; "
                              f"whence -w _{program}; print ${{_comps[{program}]}}")
            self.assertEqual((code, text), (0, f"_{program}: function\n_{program}\n"))
            script = file.read_text()
            for words, text in all_commands(program):
                for name in option_names(text):
                    self.assertIn(f"'{name}[", script)
                for name in command_names(text):
                    self.assertIn(f"'{name}:", script)


class ManualPages(unittest.TestCase):
    def test_render_without_a_warning(self):
        for path in sorted([*(SOURCES / "packaging" / "man").glob("weft.yaml.5"),
                            *(MADE / f"{name}.{section}" for name, section in
                              [*PROGRAMS.items(), ("weftsim-run", 1), ("weft-demo", 1)])]):
            done = subprocess.run(["man", "--warnings", "-l", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"}, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (0, ""), path)
            self.assertNotIn("@", re.sub(r"\S+@\S+", "", done.stdout), f"{path}: a mark is left")

    def test_name_every_command_and_option(self):
        for program, section in PROGRAMS.items():
            page = (MADE / f"{program}.{section}").read_text().replace("\\-", "-")
            for words, text in all_commands(program):
                for name in option_names(text) - ({"-h", "--help", "--version"} if words else set()):
                    self.assertIn(f"\\fB{name}\\fR", page, f"{program} {words}")
                if words and not command_names(text):
                    self.assertIn(" ".join(f"\\fB{word}\\fR" for word in words), page)


class JsonSchema(unittest.TestCase):
    """What an editor says of a file, and what weftd says of it."""

    GOOD = ["", "sweep:\n", "sweep: { interval: 3s }", "sweep: { interval: 0 }", "routing: { engine: [up-down, min-hop] }",
            "routing: { engine: auto, ranks: { 'leaf*': 0 } }", "port: { guid: 0x0002c903000e0b72 }",
            "port: { guid: '0002:c903:000e:0b72', port: }", "subnet: { packet_lifetime: forever, prefix: 'fec0::' }",
            "manager: { allowed: [0x1, 0x0002c903000e0b72], expected: yes, sm_key: 0x5ec2e7b17e5a1234 }",
            "lids: { fixed: { 0x0002c903000e0b72: 17 }, lmc: 7 }", "sa: { max_rate: 100G, group_rate: auto }",
            "partitions: { define: { a: { key: 0x8010, members: [all, { self: full }], ipoib: { mtu: 4096 } } } }",
            "qos: { levels: { a: { sl: 3, lifetime: 1s }, b: }, rules: [ { level: a, source: nas*, pkey: 0x10-0x20 } ] }",
            "names: { 0x1: leaf 1, 0x2: 17 }", "log: { file_size: 16MiB, level: warn }", "links: { max_mtu: 2048 }",
            "store: { etcd: ['https://etcd-1:2379'] }", "m_key: { file: keys, protect: 3 }"]
    BAD = ["swep: { interval: 3s }", "sweep: { intervall: 3s }", "sweep: { interval: 3 }", "sweep: 3s", "sweep: []",
           "lids: { lmc: 8 }", "lids: { lmc: two }", "routing: { engine: fast }", "links: { max_mtu: 4000 }",
           "transport: { kind: tcp }", "state_dir: weft", "manager: { expected: perhaps }",
           "partitions: { define: { a: { keys: 3 } } }", "partitions: { define: { a: { key: 0 } } }",
           "qos: { levels: { a: { sl: 15 } } }", "log: { file_size: 16 }", "sa: { max_rate: fast }"]

    def setUp(self):
        # The interpreter that Debian's python3-yaml and python3-jsonschema are for.
        if said("/usr/bin/python3", "-c", "import yaml, jsonschema")[0] != 0:
            self.skipTest("no python3-yaml and python3-jsonschema here")

    def editor_takes(self, texts):
        program = r"""
import json, re, sys, yaml, jsonschema
class Loader(yaml.SafeLoader): pass                       # YAML 1.2, as editors read it: yes and off are texts
Loader.yaml_implicit_resolvers = {k: [(t, r) for t, r in v if t not in ("tag:yaml.org,2002:bool", "tag:yaml.org,2002:int")]
                                  for k, v in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), "tf")
Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile("^(-?[0-9]+|0x[0-9a-fA-F]+)$"), "-0123456789")
def keys_as_texts(value):
    if isinstance(value, dict): return {str(k): keys_as_texts(v) for k, v in value.items()}
    return [keys_as_texts(v) for v in value] if isinstance(value, list) else value
validator = jsonschema.Draft7Validator(json.load(open(sys.argv[1])))
jsonschema.Draft7Validator.check_schema(validator.schema)
print(json.dumps([validator.is_valid(keys_as_texts(yaml.load(text, Loader))) for text in json.loads(sys.argv[2])]))
"""
        code, text = said("/usr/bin/python3", "-c", program, SOURCES / "etc" / "weft.schema.json", json.dumps(texts))
        self.assertEqual(code, 0, text)
        return json.loads(text)

    def weftd_takes(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(text)
            file.flush()
            code, what = said(BIN / "weftctl", "config", "check", file.name)
            return code == 0, what

    def test_takes_what_weftd_takes(self):
        for text, takes in zip(self.GOOD, self.editor_takes(self.GOOD)):
            self.assertTrue(takes, text)
            if "m_key" not in text:  # its file is not there
                self.assertTrue(*self.weftd_takes(text))

    def test_refuses_what_a_person_gets_wrong(self):
        for text, takes in zip(self.BAD, self.editor_takes(self.BAD)):
            self.assertFalse(takes, text)
            self.assertFalse(self.weftd_takes(text)[0], text)

    def test_takes_the_documented_file(self):
        self.assertEqual(self.editor_takes([(SOURCES / "etc" / "weft.yaml").read_text()]), [True])

    def test_is_what_weftctl_prints(self):
        self.assertEqual(said(BIN / "weftctl", "config", "schema"), (0, (SOURCES / "etc" / "weft.schema.json").read_text()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
