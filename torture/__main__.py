"""The command `scripts/torture`, or `python3 -m torture`."""

from __future__ import annotations

import argparse
import datetime
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from torture import attacks, report
from torture.case import Bench
from torture.schedule import STOP, Journal, Slice, run, run_case

REPOSITORY = Path(__file__).resolve().parents[1]


def arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/torture", description="Attacks the command zermelo; see torture/README.md."
    )
    parser.add_argument("--hours", type=float, help="how long [default: 1, with --quick fixed cases]")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--only", help="attacks, separated by commas")
    parser.add_argument("--seed", default="1")
    parser.add_argument(
        "--out", type=Path, help="folder for journal, findings and report [default: torture.out, with --quick none]"
    )
    parser.add_argument("--resume", action="store_true", help="go on where the run in --out was")
    parser.add_argument("--jobs", type=int, default=1, help="attacks at a time [default: 1]")
    parser.add_argument(
        "--quick", action="store_true", help="the small version: the same cases every time, about a minute"
    )
    parser.add_argument("--case", metavar="ATTACK:NUMBER", help="one case of a finding again")
    options = parser.parse_args(words)
    known = attacks.load()
    options.names = options.only.split(",") if options.only else list(known)
    if options.case:
        name, _, number = options.case.partition(":")
        options.names = [name]
        if not number.isdigit():
            parser.error("--case takes ATTACK:NUMBER")
    for name in options.names:
        if name not in known:
            parser.error(f"no attack {name!r}; there are {', '.join(known)}")
    if options.jobs < 1:
        parser.error("--jobs takes a number from 1")
    return options


def program() -> tuple[str, ...]:
    """The command under test: ZERMELO, or the development build, which has all assertions and overflow checks."""
    if named := os.environ.get("ZERMELO"):
        words = shlex.split(named)
        found = shutil.which(words[0])
        if found is None:
            raise SystemExit(f"torture: ZERMELO names {words[0]!r}, which is no program")
        return (str(Path(found).absolute()), *words[1:])
    subprocess.run(["cargo", "build", "--locked", "-p", "zermelo-cli", "--all-features"], cwd=REPOSITORY, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
    return (str((REPOSITORY / target / "debug" / "zermelo").absolute()),)


def interrupt(*_: object) -> None:
    STOP.set()
    raise KeyboardInterrupt


def main(words: list[str] | None = None) -> int:
    options = arguments(words)
    zermelo = program()
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    with tempfile.TemporaryDirectory(prefix="torture.") as scratch:
        passing = options.out is None and (options.quick or options.case)
        out = (Path(scratch) if passing else options.out or Path("torture.out")).absolute()
        if (out / "journal.jsonl").exists() and not (options.resume or options.case):
            raise SystemExit(f"torture: {out} holds a run; --resume goes on with it")
        shared = Path(scratch) / "shared"
        shared.mkdir()
        out.mkdir(parents=True, exist_ok=True)
        bench = Bench(zermelo, REPOSITORY, options.seed, options.quick, shared)
        if options.case:
            return one_case(bench, options, out)
        return whole_run(bench, options, out)


def one_case(bench: Bench, options: argparse.Namespace, out: Path) -> int:
    """A case again; its finding, if it has one, is told."""
    number = int(options.case.partition(":")[2])
    done = Slice(options.names[0], number, number + 1)
    run_case(bench, attacks.load()[options.names[0]], number, out, done)
    for finding in done.findings:
        print((out / finding / "finding.json").read_text())
    if not done.findings:
        print("nothing found")
    return int(bool(done.findings))


def whole_run(bench: Bench, options: argparse.Namespace, out: Path) -> int:
    began = datetime.datetime.now(datetime.UTC)
    about = {"seed": options.seed, "zermelo": list(bench.zermelo), "began": began.isoformat(timespec="seconds")}
    journal = Journal(out / "journal.jsonl", about, options.resume)
    seconds: float | None = None
    cases: dict[str, int] | None = None
    if options.hours is not None or options.minutes is not None:
        seconds = 3600 * (options.hours or 0) + 60 * (options.minutes or 0)
    elif options.quick:
        cases = {name: attack.quick_cases for name, attack in attacks.load().items()}
    else:
        seconds = 3600.0
    finished = run(bench, options.names, journal, out, seconds, cases, options.jobs)
    version = subprocess.run([*bench.zermelo, "--version"], capture_output=True, text=True).stdout.strip()
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True
    ).stdout.strip()
    date = began.strftime("%Y-%m-%d %H:%M UTC")
    print(report.write(journal, report.About(version, commit, date, options.seed, finished), out), end="")
    shutil.rmtree(out / "work", ignore_errors=True)
    found = any(done.findings for done in journal.slices)
    return 1 if found else 0 if finished else 130


if __name__ == "__main__":
    sys.exit(main())
