"""Attacks take turns in slices; a journal remembers which cases are done, so that a run that was killed goes on.

The journal has one JSON object a line: first what the run is, then a line for each slice, `attack`, `first` and `next` (cases), counts
and findings. It is written at the end of a slice; a slice that was cut off is repeated, and comes to the same findings, as a
case depends on nothing but its number.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import threading
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torture import attacks
from torture.case import Attack, Bench, Case, Found, Unfit
from torture.findings import keep

SLICE = 10.0  # seconds; a case that has begun is finished


@dataclass
class Slice:
    """What came of some cases of one attack."""

    attack: str
    first: int
    next: int
    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)  # folders below the run's folder

    def line(self) -> dict[str, Any]:
        return vars(self) | {"counts": dict(self.counts)}


class Journal:
    """What is done, by attack."""

    def __init__(self, path: Path, about: dict[str, Any], resume: bool) -> None:
        self.path = path
        self.next: dict[str, int] = {}
        self.slices: list[Slice] = []
        if resume and path.exists():
            self._load(about)
            return
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(about) + "\n")

    def _load(self, about: dict[str, Any]) -> None:
        whole = 0
        with open(self.path, "rb") as file:
            for number, line in enumerate(file):
                try:
                    entry = json.loads(line)
                except ValueError:
                    break  # cut off by a kill
                whole += len(line)
                if number == 0:
                    if entry.get("seed") != about["seed"]:
                        raise SystemExit(f"torture: {self.path} is of a run with seed {entry.get('seed')}")
                    continue
                entry["counts"] = Counter(entry["counts"])
                self._take(Slice(**entry))
        os.truncate(self.path, whole)

    def _take(self, done: Slice) -> None:
        self.slices.append(done)
        self.next[done.attack] = max(self.next.get(done.attack, 0), done.next)

    def add(self, done: Slice) -> None:
        self._take(done)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(done.line()) + "\n")
            file.flush()
            os.fsync(file.fileno())


# Set by the first signal: an interrupt that strikes while an object is torn down is thrown away by Python.
STOP = threading.Event()


def run_case(bench: Bench, attack: Attack, number: int, out: Path, done: Slice) -> None:
    """One case, with its folder made before and cleared away after; findings are kept at once."""
    folder = out / "work" / f"{attack.name}-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    case = Case(bench, attack.name, number, folder)
    try:
        attack.case(case)
    except Unfit:
        case.counts["not judged"] += 1
    except Found as found:
        done.findings.append(keep(case, str(found), out))
    except Exception as error:  # a defect of the harness: kept like a finding, as it may hide one
        text = "".join(traceback.format_exception(error))
        done.findings.append(keep(case, f"the harness failed: {error!r}", out, text))
    finally:
        done.counts += case.counts
        shutil.rmtree(folder, ignore_errors=True)


def run_slice(
    bench: Bench, name: str, first: int, out: Path, until: float, cases: int | None, stop: Any = None
) -> Slice:
    """Cases of one attack until the time is over, or so many of them."""
    attack = attacks.load()[name]
    done = Slice(name, first, first)
    began = time.monotonic()
    try:
        while (cases is None or done.next - first < cases) and (cases is not None or time.monotonic() < until):
            if stop is not None and stop.is_set():
                break
            if STOP.is_set():
                raise KeyboardInterrupt
            run_case(bench, attack, done.next, out, done)
            done.next += 1
    except KeyboardInterrupt:
        done.counts["interrupted"] += 1
    done.seconds = time.monotonic() - began
    return done


def _worker(bench: Bench, out: Path, tasks: Any, results: Any, stop: Any) -> None:
    """A process that runs slices; Ctrl-C is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    while (task := tasks.get()) is not None:
        name, first, seconds, cases = task
        results.put(run_slice(bench, name, first, out, time.monotonic() + seconds, cases, stop))


def run(
    bench: Bench,
    names: list[str],
    journal: Journal,
    out: Path,
    seconds: float | None,
    cases: dict[str, int] | None,
    jobs: int,
) -> bool:
    """Round after round over the attacks, until the time is over (or each has done its number of cases).

    Returns whether it came to its end. Attacks never run twice at a time, so that their cases stay in order.
    """
    end = None if seconds is None else time.monotonic() + seconds
    if jobs == 1:
        return _alone(bench, names, journal, out, end, cases)
    context = multiprocessing.get_context("fork")
    tasks, results, stop = context.Queue(), context.Queue(), context.Event()
    workers = [context.Process(target=_worker, args=(bench, out, tasks, results, stop)) for _ in range(jobs)]
    for worker in workers:
        worker.start()
    waiting, flying = list(names), 0
    finished = True
    try:
        while True:
            while waiting and flying < jobs and (end is None or time.monotonic() < end):
                name = waiting.pop(0)
                left = SLICE if end is None else min(SLICE, end - time.monotonic())
                tasks.put((name, journal.next.get(name, 0), left, None if cases is None else cases[name]))
                flying += 1
            if not flying:
                break
            done = results.get()
            flying -= 1
            journal.add(done)
            if cases is None:
                waiting.append(done.attack)
    except KeyboardInterrupt:
        finished = False
        stop.set()
        while flying:
            journal.add(results.get())
            flying -= 1
    for _ in workers:
        tasks.put(None)
    for worker in workers:
        worker.join()
    return finished


def _alone(
    bench: Bench, names: list[str], journal: Journal, out: Path, end: float | None, cases: dict[str, int] | None
) -> bool:
    while True:
        for name in names:
            if end is not None and time.monotonic() >= end:
                return True
            until = time.monotonic() + SLICE
            done = run_slice(
                bench,
                name,
                journal.next.get(name, 0),
                out,
                until if end is None else min(until, end),
                None if cases is None else cases[name],
            )
            journal.add(done)
            if done.counts.pop("interrupted", 0):
                return False
        if cases is not None:
            return True
