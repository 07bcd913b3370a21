#!/usr/bin/env python3
"""What console.py finds and does not find."""

import pathlib
import tempfile
import unittest

import console


def document(text):
    file = tempfile.NamedTemporaryFile("w", suffix=".md", delete=False)
    file.write(text)
    file.close()
    return pathlib.Path(file.name)


class Blocks(unittest.TestCase):
    def blocks(self, text):
        path = document(text)
        try:
            return console.blocks_of(path, "a.md")
        finally:
            path.unlink()

    def test_commands_go_with_what_they_promise(self):
        (block,) = self.blocks("x\n```console\n$ one\nsays\n$ two \\\n  more\n```\n")
        self.assertEqual([["a.md:3", "one", ["says"]], ["a.md:5", "two \\\n  more", []]], block.commands())

    def test_a_command_elsewhere_is_told(self):
        for text in ("```text\nweftctl status\n```\n", "so:\n\n    weftctl status\n", "```\nls\n```\n",
                     "```console needs=luck\n$ ls\n```\n", "```console\n$ ls\n"):
            with self.assertRaises(console.Failure, msg=text):
                self.blocks(text)

    def test_data_and_synopses_are_no_commands(self):
        self.assertEqual(2, len(self.blocks("```yaml\nsweep: {}\n```\n```synopsis\nweftctl [--json] status\n```\n")))


class Promises(unittest.TestCase):
    def test_numbers_and_blanks_are_loose_and_the_rest_is_not(self):
        self.assertTrue(console.matches("took 3 ms:  5 SMPs", "took 12.5 ms: 1,601 SMPs"))
        self.assertFalse(console.matches("took 3 ms", "took 3 ms more"))
        self.assertTrue(console.matches("... more", "took 3 ms more"))
        self.assertFalse(console.matches("state: master", "state: standby"))

    def test_lines_come_in_their_order(self):
        self.assertIsNone(console.missing(["a", "...", "c"], "a\nb\nc\n"))
        self.assertEqual("a", console.missing(["c", "a"], "a\nb\nc\n"))

    def test_a_failure_must_be_promised(self):
        self.assertIsNotNone(console.check("", 1, []))
        self.assertIsNotNone(console.check("", 0, ["[exit 1]"]))
        self.assertIsNone(console.check("no", 2, ["no", "[exit 2]"]))


if __name__ == "__main__":
    unittest.main()
