"""Each attack finds the defects that are planted for it, and nothing in a program without any."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

from torture import attacks
from torture.case import Bench, Case, Found, Unfit

FAKE = Path(__file__).with_name("fake.py")
REPOSITORY = Path(__file__).resolve().parents[2]


class Planted(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)

    def attack(self, name: str, defect: str, numbers: range) -> str | None:
        """The first finding among some cases."""
        shared = Path(self.scratch.name, "shared", defect)
        bench = Bench((sys.executable, str(FAKE), defect), REPOSITORY, "test", True, shared)
        for number in numbers:
            with tempfile.TemporaryDirectory(dir=self.scratch.name) as folder:
                case = Case(bench, name, number, Path(folder))
                try:
                    attacks.load()[name].case(case)
                except Unfit:
                    pass
                except Found as found:
                    return str(found)
        return None

    def finds(self, name: str, defect: str, word: str, numbers: range = range(40)) -> None:
        found = self.attack(name, defect, numbers)
        self.assertIsNotNone(found, f"{name} does not see {defect!r}")
        assert found is not None
        self.assertIn(word, found)

    def passes(self, name: str, numbers: range) -> None:
        self.assertIsNone(self.attack(name, "none", numbers))

    def test_values(self) -> None:
        self.passes("values", range(5))
        self.finds("values", "wrong value", "WRONG VALUE")
        self.finds("values", "wrong move value", "WRONG VALUE of move")
        self.finds("values", "missing move", "WRONG MOVES")
        self.finds("values", "left open", "left open")

    def test_values_whatever_command(self) -> None:
        self.finds("values", "panics", "panic")
        self.finds("values", "wild code", "exit code 77")

    def test_lines(self) -> None:
        self.passes("lines", range(4))
        self.finds("lines", "line", "LINE LOSES THE VALUE")
        self.finds("lines", "illegal line", "ILLEGAL LINE")

    def test_certificates(self) -> None:
        self.passes("certificates", range(1, 4))
        self.finds("certificates", "accepts all", "FALSE CLAIM PROVED", range(2, 40, 4))
        self.finds("certificates", "accepts all", "PROVED", range(3, 40, 4))
        self.finds("certificates", "accepts none", "DISAGREE", range(2, 40, 4))
        self.finds("certificates", "false proof", "refused", range(0, 80, 4))

    def test_databases(self) -> None:
        # The first builds whose whole content the fake can list.
        self.finds("databases", "wrong entry", "WRONG VALUE", range(0, 60, 3))
        self.finds("databases", "verifies all", "VERIFIED", range(1, 60, 3))

    def test_stores(self) -> None:
        self.finds("stores", "proves wrong", "WRONG VALUE", range(0, 24, 6))
        self.finds("stores", "dies", "signal 11", range(0, 24, 6))
        self.finds("stores", "trusts pages", "WRONG VALUE", range(3, 300, 6))

    def test_provers(self) -> None:
        self.passes("provers", range(1, 3))
        self.finds("provers", "believes", "WRONG VALUE", range(1, 200, 28))
        self.finds("provers", "escapes", "control character", range(2))

    def test_http(self) -> None:
        self.finds("http", "status 500", "status 500", range(8))
        self.finds("http", "server dies", "", range(8))
        self.finds("http", "any file", "a file that nobody gave", range(10))
        self.finds("http", "explorer lies", "WRONG VALUE", range(2))

    def test_inputs(self) -> None:
        self.finds("inputs", "echoes", "control character", range(200))
        self.finds("inputs", "mute", "without a word", range(60))
        self.finds("inputs", "leaves parts", "left behind", range(30))
        self.finds("inputs", "grows", "MiB resident", range(1))


if __name__ == "__main__":
    unittest.main()
