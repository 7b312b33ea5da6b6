"""One case of an attack: a folder, random numbers of its own, the commands that were run, and what was found.

A case is determined by (seed, attack, number), whatever ran before it. Whoever finds a defect raises `Found`; the case's
folder is then kept, with a script that runs the same commands again.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from torture import process
from torture.process import Limits, Outcome

ALL_CODES = (0, 1, 2, 3, 4, 5)  # `zermelo --help` describes these and no others


class Found(Exception):
    """A defect of the program; the message says what is wrong."""


class Unfit(Exception):
    """The case cannot be judged (too large for the oracle, say): no defect, no success."""


@dataclass(frozen=True)
class Bench:
    """What all cases of a run share."""

    zermelo: tuple[str, ...]  # the command under test
    repository: Path
    seed: str
    quick: bool
    shared: Path  # a folder for what attacks build once

    @property
    def checker(self) -> Path:
        return self.repository / "proofcheck" / "zermelo_check.py"


class Attack(Protocol):
    """An attack. `case` raises `Found` for a defect, `Unfit` where the oracle has to pass."""

    name: str
    quick_cases: int  # how many cases make the small version

    def case(self, case: Case) -> None: ...


@dataclass
class Case:
    """What an attack gets."""

    bench: Bench
    attack: str
    number: int
    folder: Path
    rng: random.Random = field(init=False)
    counts: Counter[str] = field(default_factory=Counter)
    commands: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(f"{self.bench.seed}/{self.attack}/{self.number}")

    def zermelo(
        self,
        *words: str | bytes | Path,
        stdin: bytes | None = b"",
        codes: Sequence[int] = ALL_CODES,
        seconds: float = 120.0,
        memory: int = 600 << 20,
        environment: dict[str, str] | None = None,
        kill_after: float | None = None,
        may_die: bool = False,
    ) -> Outcome:
        """Runs the command, and finds whatever no command may ever do. Files are named relative to the case's folder.

        `may_die`: a SIGKILL is no finding (a library kills the process on purpose).
        """
        command = [os.fsencode(word) for word in (*self.bench.zermelo, *words)]
        self._note(command, stdin, environment)
        outcome = process.run(
            command,
            folder=self.folder,
            stdin=stdin,
            environment=environment,
            limits=Limits(seconds, memory),
            kill_after=kill_after,
        )
        self.counts["processes"] += 1
        if not (outcome.killed or (may_die and outcome.signal == 9)):
            judge(outcome, codes, Limits(seconds, memory))
        return outcome

    def json(self, *words: str | bytes | Path, **options: Any) -> dict[str, Any] | None:
        """Runs the command, whose output must be one JSON object on one line; None if it failed with an error (1 or 2)."""
        outcome = self.zermelo(*words, **options)
        if outcome.code in (1, 2):
            if not outcome.err.strip():
                raise Found(f"exit code {outcome.code} without a word")
            return None
        answer = one_object(outcome.out)
        answer["exit"] = outcome.code
        return answer

    def other(self, command: Sequence[str | Path], **options: Any) -> Outcome:
        """Runs another program."""
        self._note([os.fsencode(word) for word in command], b"", None)
        return process.run([str(word) for word in command], folder=self.folder, **options)

    def file(self, name: str, content: bytes | str) -> Path:
        """A file in the case's folder; its name alone is what commands are given."""
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return Path(name)

    def _note(self, command: list[bytes], stdin: bytes | None, environment: dict[str, str] | None) -> None:
        words = [_quoted(word) for word in command]
        before = [f"{name}={shlex.quote(value)}" for name, value in (environment or {}).items()]
        after = [f"<<< {_quoted(stdin[:4000])}"] if stdin else []
        self.commands.append(" ".join(before + words + after))


def _quoted(word: bytes) -> str:
    """A word for bash, whatever bytes it holds; very long ones are cut, with a remark (the case itself repeats them)."""
    more = f" # ... {len(word):,} bytes" if len(word) > 20_000 else ""
    word = word[:20_000]
    try:
        text = word.decode("utf-8")
        if text.isprintable():
            return shlex.quote(text) + more
    except UnicodeDecodeError:
        pass
    return "$'" + "".join(chr(b) if 32 <= b < 127 and b not in b"'\\" else f"\\x{b:02x}" for b in word) + "'" + more


def one_object(out: bytes) -> dict[str, Any]:
    """The one JSON object on one line that `--json` promises."""
    text = out.decode("utf-8", "replace")
    if text.count("\n") != 1 or not text.endswith("\n"):
        raise Found(f"--json did not print one line, but {text[:300]!r}")
    return object_of(text)


def object_of(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise Found(f"no JSON ({error}): {text[:300]!r}") from error
    if not isinstance(value, dict):
        raise Found(f"no JSON object: {text[:300]!r}")
    return value


def control_byte(data: bytes) -> str | None:
    """The first character that a terminal acts on, other than a line feed; or bytes that are no text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return f"byte 0x{data[error.start]:02x}, which is no UTF-8, at {error.start}"
    for at, char in enumerate(text):
        code = ord(char)
        if (
            (code < 32 and char != "\n")
            or 0x7F <= code < 0xA0
            or char in "\u200e\u200f\u2028\u2029"
            or (0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069)
        ):
            return f"control character U+{code:04X} at {at}: {text[max(0, at - 40) : at + 40]!r}"
    return None


def judge(outcome: Outcome, codes: Sequence[int] = ALL_CODES, limits: Limits = Limits()) -> None:
    """What no command may do, whatever it is given."""
    tail = outcome.errors[-300:]
    if outcome.hung:
        raise Found(f"still running after {limits.seconds:.0f} s")
    if outcome.swollen:
        raise Found(f"{outcome.peak >> 20} MiB resident, more than {limits.memory >> 20}")
    if outcome.flooded:
        raise Found(f"a flood: {tail!r}")
    if outcome.signal is not None:
        raise Found(f"ended by signal {outcome.signal}: {tail!r}")
    if b"panicked at" in outcome.err or b"panicked at" in outcome.out:
        raise Found(f"a panic: {tail!r}")
    if outcome.code not in ALL_CODES:
        raise Found(f"exit code {outcome.code}, which no help describes: {tail!r}")
    if outcome.code not in codes:
        raise Found(f"exit code {outcome.code}, not one of {tuple(codes)}: {tail!r}")
    for name, data in (("output", outcome.out), ("error", outcome.err)):
        if flaw := control_byte(data):
            raise Found(f"{name} has a {flaw}")


def digest(text: str) -> str:
    """A short name for a long text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def once(bench: Bench, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that is filled once in a run, whoever comes first."""
    place = bench.shared / name
    if not place.exists():
        draft = bench.shared / f".{name}.{os.getpid()}"
        draft.mkdir(parents=True, exist_ok=True)
        make(draft)
        try:
            draft.rename(place)
        except OSError:  # another process was faster
            pass
    return place
