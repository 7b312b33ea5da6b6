"""One process under watch: time, memory and output are bounded, and nothing that it started outlives it.

RLIMIT_AS is no use for a program that reserves huge tables which it never touches, so the memory that counts is what was
resident: looked at while the process runs, so that one that grows without end is ended early, and asked of the kernel
(`wait4`) when it is over. Output goes to files, as a flood must not fill the harness.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

MOST_OUTPUT = 16 << 20  # bytes of stdout or of stderr; more is a flood
GLANCE = 0.05  # seconds between two looks at a process


@dataclass(frozen=True)
class Limits:
    """What a process may take before that counts as a defect. Generous: a test must not depend on the machine's speed."""

    seconds: float = 120.0
    memory: int = 600 << 20  # bytes resident


@dataclass
class Outcome:
    """How a process ended."""

    command: list[str]
    code: int | None  # None if it was ended by a signal
    signal: int | None
    out: bytes
    err: bytes
    seconds: float
    peak: int  # bytes resident at the most
    hung: bool = False
    swollen: bool = False
    flooded: bool = False
    killed: bool = False  # by the attack, on purpose

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "replace")

    @property
    def errors(self) -> str:
        return self.err.decode("utf-8", "replace")


def end_group(pid: int) -> None:
    """Ends a process that leads a session of its own, with all that it started there."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def resident(pid: int) -> int:
    """Bytes resident now, or 0 if the process is over."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except (OSError, IndexError, ValueError):
        return 0


def run(
    command: Sequence[str | bytes],
    *,
    folder: Path,
    stdin: bytes | None = b"",
    environment: Mapping[str, str] | None = None,
    limits: Limits = Limits(),
    kill_after: float | None = None,
    scratch: Path | None = None,
) -> Outcome:
    """Runs a command to its end, or to the first limit that it breaks; `kill_after` ends it by SIGKILL on purpose.

    `stdin` None leaves it open and silent. `scratch` is where output is kept meanwhile.
    """
    scratch = scratch or folder
    out_name, err_name = scratch / ".stdout", scratch / ".stderr"
    began = time.monotonic()
    outcome = Outcome([os.fsdecode(word) for word in command], None, None, b"", b"", 0.0, 0)
    with open(out_name, "wb") as out, open(err_name, "wb") as err:
        child = subprocess.Popen(
            list(command),
            cwd=folder,
            stdin=subprocess.PIPE if stdin is None or stdin else subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=dict(os.environ) | dict(environment or {}),
            start_new_session=True,
        )
        try:
            _watch(child, stdin, began, kill_after, limits, outcome, (out_name, err_name))
        finally:
            end_group(child.pid)
            if child.returncode is None:
                child.wait()
            if child.stdin:
                try:
                    child.stdin.close()
                except BrokenPipeError:
                    pass
    outcome.seconds = time.monotonic() - began
    outcome.out, outcome.err = (_read(name) for name in (out_name, err_name))
    out_name.unlink()
    err_name.unlink()
    return outcome


def _read(name: Path) -> bytes:
    with open(name, "rb") as file:
        return file.read(MOST_OUTPUT)


def _watch(
    child: subprocess.Popen[bytes],
    stdin: bytes | None,
    began: float,
    kill_after: float | None,
    limits: Limits,
    outcome: Outcome,
    outputs: tuple[Path, Path],
) -> None:
    if stdin:
        _feed(child, stdin)
    ended = os.pidfd_open(child.pid)
    try:
        poll = select.poll()
        poll.register(ended, select.POLLIN)
        wait = GLANCE
        while True:
            if kill_after is not None:
                wait = min(GLANCE, max(0.0, began + kill_after - time.monotonic()))
            if poll.poll(wait * 1000):
                break
            past = time.monotonic() - began
            outcome.peak = max(outcome.peak, resident(child.pid))
            outcome.hung = past > limits.seconds
            outcome.swollen = outcome.peak > limits.memory
            outcome.flooded = any(name.stat().st_size > MOST_OUTPUT for name in outputs)
            outcome.killed = kill_after is not None and past >= kill_after
            if outcome.hung or outcome.swollen or outcome.flooded or outcome.killed:
                end_group(child.pid)
                break
    finally:
        os.close(ended)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    # The kernel counts the harness's own pages until the command is loaded: what was seen meanwhile says more.
    outcome.peak = max(outcome.peak, usage.ru_maxrss * 1024 if usage.ru_maxrss * 1024 > limits.memory else 0)
    outcome.swollen = outcome.swollen or outcome.peak > limits.memory
    if child.returncode < 0:
        outcome.signal = -child.returncode
    else:
        outcome.code = child.returncode


def _feed(child: subprocess.Popen[bytes], data: bytes) -> None:
    """Small inputs only: more than a pipe holds goes through a file."""
    assert child.stdin is not None
    if len(data) > 60_000:
        raise ValueError("input that does not fit a pipe")
    try:
        child.stdin.write(data)
        child.stdin.close()
    except BrokenPipeError:
        pass
