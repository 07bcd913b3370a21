#!/usr/bin/env python3
"""That pains.py sees what is wrong with a document."""

import unittest

import pains

SUITES = {"Service": {"Waits", "Ends"}, "Rails": {"Cross"}}
PROGRAMS = {"package", "fuzz_qos"}


def document(**held):
    """Every case with a good row, but for those given."""
    cases = [f"{group}-{number:02}" for group, count in pains.CASES.items() for number in range(1, count + 1)]
    rows = {case: "`Service.Waits`" for case in cases} | {case.replace("_", "-"): text for case, text in held.items()}
    return "| case | test |\n|---|---|\n" + "".join(
        f"| {case} Something hurts: mend it | {text} |\n" for case, text in rows.items() if text is not None)


class Faults(unittest.TestCase):
    def of(self, **held):
        return pains.faults_of(document(**held), SUITES, PROGRAMS)

    def test_none_of_a_good_document(self):
        self.assertEqual(self.of(A_03="`Service.Waits`, `Ends`, `Rails.*`; `package` (`/etc/weft`, `weftctl status`)"), [])

    def test_a_test_that_is_not_there(self):
        for held in ("`Service.Sleeps`", "`Nobody.Waits`", "`Service.Waits`, `Sleeps`", "`fuzz_nothing`", "`Rail.*`"):
            self.assertEqual(len(self.of(A_03=held)), 1, held)

    def test_a_case_without_a_row_or_a_test(self):
        self.assertEqual(self.of(M_10=None), ["M-10 has no row"])
        self.assertEqual(self.of(M_10="see the documents (`weftctl status`)"), ["M-10 names no test"])


if __name__ == "__main__":
    unittest.main()
