"""The harness: processes under watch, the journal, findings, the report, exit codes."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from torture import __main__ as command
from torture import attacks, process
from torture.case import Case, Found, control_byte, judge
from torture.process import Limits


class Processes(unittest.TestCase):
    def run_python(self, code: str, limits: Limits, **more: object) -> process.Outcome:
        with tempfile.TemporaryDirectory() as folder:
            return process.run([sys.executable, "-c", code], folder=Path(folder), limits=limits, **more)  # type: ignore[arg-type]

    def assert_judged(self, outcome: process.Outcome, word: str, limits: Limits = Limits()) -> None:
        with self.assertRaises(Found) as caught:
            judge(outcome, limits=limits)
        self.assertIn(word, str(caught.exception))

    def test_a_hang_is_found(self) -> None:
        limits = Limits(seconds=0.3)
        self.assert_judged(self.run_python("import time; time.sleep(60)", limits), "still running", limits)

    def test_memory_is_found(self) -> None:
        limits = Limits(memory=100 << 20)
        code = "import time; a = bytearray(200 << 20); a[::4096] = bytes(len(a[::4096])); time.sleep(60)"
        self.assert_judged(self.run_python(code, limits), "MiB resident", limits)

    def test_memory_of_a_short_life_is_found(self) -> None:
        limits = Limits(memory=100 << 20)
        code = "a = bytearray(200 << 20); a[::4096] = bytes(len(a[::4096]))"
        self.assert_judged(self.run_python(code, limits), "MiB resident", limits)

    def test_a_flood_is_found(self) -> None:
        code = "import os\nwhile True: os.write(1, b'x' * 65536)"
        self.assert_judged(self.run_python(code, Limits()), "flood")

    def test_signals_panics_codes_and_control_bytes_are_found(self) -> None:
        for code, word in {
            "import os; os.kill(os.getpid(), 6)": "signal 6",
            "import sys; sys.stderr.write('thread x panicked at y\\n'); sys.exit(1)": "panic",
            "import sys; sys.exit(6)": "exit code 6",
            "print('\\x1b[31m')": "control character",
            "import os; os.write(2, b'\\xff')": "no UTF-8",
        }.items():
            with self.subTest(code):
                self.assert_judged(self.run_python(code, Limits()), word)

    def test_nothing_outlives_the_command(self) -> None:
        code = "import subprocess, sys; p = subprocess.Popen(['sleep', '60']); print(p.pid)"
        outcome = self.run_python(code, Limits())
        pid = int(outcome.text)
        for _ in range(100):
            if not Path(f"/proc/{pid}").exists() or " Z " in Path(f"/proc/{pid}/stat").read_text():
                break
            time.sleep(0.02)
        else:
            self.fail("a child is still there")

    def test_control_bytes(self) -> None:
        self.assertIsNone(control_byte("a\nbé\U0001f600".encode()))
        for bad in ("\r", "\t", "\x1b", "\x7f", "\x9b", "\u202e", "\x00"):
            self.assertIsNotNone(control_byte(f"a{bad}".encode()), repr(bad))


class Stub:
    """An attack that finds something in every fifth case."""

    name = "stub"
    quick_cases = 12

    def case(self, case: Case) -> None:
        case.counts["cases"] += 1
        case.file("evidence", b"of case %d" % case.number)
        case.commands.append(f"cat evidence {case.rng.random()}")
        if case.number % 5 == 4:
            raise Found(f"number {case.number}\x1b[31m")
        if case.number == 7:
            raise ValueError("a slip of the harness")


class Runs(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.out = Path(scratch.name, "out")
        self.enterContext(mock.patch.object(attacks, "load", lambda: {"stub": Stub()}))
        self.enterContext(mock.patch.dict(os.environ, {"ZERMELO": "true"}))

    def torture(self, *words: str) -> tuple[int, str]:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = command.main([*words, "--out", str(self.out)])
        return code, said.getvalue()

    def test_findings_are_kept_and_reported(self) -> None:
        code, report = self.torture("--quick")
        self.assertEqual(code, 1)
        self.assertIn("| stub | 12 |", report)
        self.assertIn("number 4\\x1b[31m", report)
        self.assertNotIn("\x1b", report)
        self.assertIn("the harness failed", report)
        finding = self.out / "findings" / "stub-4"
        self.assertEqual((finding / "files" / "evidence").read_text(), "of case 4")
        self.assertIn("cat evidence", (finding / "repeat.sh").read_text())
        self.assertIn("--case stub:4", json.loads((finding / "finding.json").read_text())["again"])
        self.assertEqual((self.out / "report.md").read_text(), report)

    def test_a_run_goes_on_after_a_cut(self) -> None:
        self.torture("--quick")
        journal = self.out / "journal.jsonl"
        text = journal.read_text()
        journal.write_text(text + text.splitlines()[1][:30])  # a line that a kill has cut off
        code, report = self.torture("--quick", "--resume")
        self.assertEqual(code, 1)
        self.assertIn("| stub | 24 |", report)
        self.assertIn("findings/stub-4 and 3 like it", report)
        self.assertIn("stub-19", report)
        for line in journal.read_text().splitlines():
            json.loads(line)

    def test_a_run_is_not_overwritten_and_seeds_are_not_mixed(self) -> None:
        self.torture("--quick")
        for words in (["--quick"], ["--quick", "--resume", "--seed", "2"]):
            with self.assertRaises(SystemExit):
                self.torture(*words)

    def test_jobs_come_to_the_same(self) -> None:
        def row(report: str) -> list[str]:
            return next(line.split("|") for line in report.splitlines() if line.startswith("| stub"))

        alone = row(self.torture("--quick")[1])
        self.out = self.out.with_name("jobs")
        several = row(self.torture("--quick", "--jobs", "2")[1])
        self.assertEqual(alone[2], several[2])
        self.assertEqual(alone[4:], several[4:])

    def test_one_case_again(self) -> None:
        self.assertEqual(self.torture("--case", "stub:4")[0], 1)
        self.assertEqual(self.torture("--case", "stub:5")[0], 0)

    def test_nothing_found(self) -> None:
        with mock.patch.object(Stub, "case", lambda self, case: None):
            code, report = self.torture("--quick")
        self.assertEqual(code, 0)
        self.assertIn("None.", report)


class Interrupted(unittest.TestCase):
    def test_a_report_comes_on_the_first_signal(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            fake = Path(__file__).with_name("fake.py")
            environment = dict(os.environ) | {"ZERMELO": f"{sys.executable} {fake} none"}
            repository = Path(__file__).resolve().parents[2]
            words = [sys.executable, "-m", "torture", "--minutes", "5", "--only", "values", "--out", folder + "/out"]
            for more in ([], ["--resume"]):
                child = subprocess.Popen(
                    [*words, *more], cwd=repository, env=environment, stdout=subprocess.PIPE, text=True
                )
                while not Path(folder, "out", "work").exists():
                    time.sleep(0.05)
                time.sleep(0.5)
                child.terminate()
                said = child.communicate(timeout=120)[0]
                self.assertIn("stopped before its end", said)
                self.assertEqual(child.returncode, 130)


if __name__ == "__main__":
    unittest.main()
