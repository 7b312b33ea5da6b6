#!/usr/bin/env python3
"""A stand-in for `zermelo`, made of the harness's own oracle: right in all it says, unless it is told to have a defect.

    fake.py DEFECT COMMAND ...

It knows just enough of the command line for the attacks to run. The tests give it one defect at a time and expect to see it found.
"""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import shlex
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from torture import certificate  # noqa: E402
from torture.case import Unfit  # noqa: E402
from torture.rules.base import PLAYERS, Rules  # noqa: E402
from torture.rules.checked import Checked, checker  # noqa: E402
from torture.rules.oracle import label  # noqa: E402
from torture.rules.small import Problem, by_name, problem_of, start_text  # noqa: E402

DEFECT = sys.argv[1]
WORDS = sys.argv[2:]
MOST = 60_000


def fail(message: str, code: int = 2) -> NoReturn:
    if DEFECT != "echoes":
        message = "".join(char if char.isprintable() else "?" for char in message)
    if DEFECT == "mute":
        message = ""
    os.write(2, message[:300].encode("utf-8", "replace") + b"\n" * bool(message))
    sys.exit(code)


def option(name: str) -> str | None:
    return WORDS[WORDS.index(name) + 1] if name in WORDS and WORDS.index(name) + 1 < len(WORDS) else None


def problem() -> Problem:
    try:
        rules = by_name(WORDS[1])
        text = option("--position")
        root = rules.parse(text) if text is not None else start(rules)
        return problem_of(rules, root, MOST)
    except Unfit:
        fail("too large for a fake", 1)
    except Exception as error:
        fail(f"error: {WORDS[1:2]!s} {error!r} {option('--position')}")


def start(rules: Rules) -> Any:
    return rules.parse(start_text(rules.name)) if isinstance(rules, Checked) else rules.start()


def solve() -> int:
    asked = problem()
    value, line = asked.value, [asked.root]
    moves: list[str] = []
    while len(moves) < 30 and line[-1] not in line[:-1]:
        fitting = [(name, to) for name, to in asked.legal(line) if worth(asked, [*line, to]) == value]
        if not fitting:
            break
        moves.append(fitting[0][0])
        line.append(fitting[0][1])
    entries: list[dict[str, Any]] = [
        {"move": name, "lo": worth(asked, [asked.root, to]), "hi": worth(asked, [asked.root, to])}
        for name, to in asked.legal([asked.root])
    ]
    if DEFECT == "line" and len(moves) > 2:
        others = [name for name, to in asked.legal(line[:2]) if worth(asked, [*line[:2], to]) != value]
        moves[1:2] = others[:1] or moves[1:2]
    if DEFECT == "illegal line":
        moves[-1:] = ["zz"]
    if DEFECT == "wrong value":
        value += 1
    if DEFECT == "wrong move value" and len(entries) > 1:
        entries[1]["lo"] = entries[1]["hi"] = entries[1]["lo"] - 1
    if DEFECT == "missing move":
        entries.pop()
    if DEFECT == "left open" and entries:
        entries[-1]["lo"] -= 1
    winner = ("second", "draw", "first")[(value > 0) - (value < 0) + 1]
    answer = {"game": asked.game, "position": asked.position, "winner": winner, "lo": value, "hi": value, "line": moves}
    answer["best_move"] = moves[0] if moves else None
    if "--values" in WORDS:
        answer["values"] = entries
    if (
        (made := option("--proof"))
        and asked.labels is not None
        and isinstance(asked.rules, Checked)
        and asked.game[:2] != "go"
    ):
        Path(made).write_bytes(proof(asked))
    elif made:
        fail("no certificate of this game by a fake")
    print(json.dumps(answer))
    return 0


def worth(asked: Problem, line: list[Any]) -> int | None:
    if asked.labels is not None and line[-1] in line[:-1]:
        return asked.rules.repetition(line[-1])
    return asked.value_after(line)


def proof(asked: Problem) -> bytes:
    """A certificate for the first player that the value is at least so much, by moves that keep it (and may run in circles)."""
    assert asked.labels is not None and isinstance(asked.rules, Checked)
    labels, claimed = asked.labels, asked.value + (DEFECT == "false proof")

    def choose(position: int, moves: int) -> int:
        after = [labels.value[to] for to in labels.after[labels.index[position, 0]]]
        return after.index(max(after)) + 2

    return certificate.whole(
        asked.rules, asked.root, 0, claimed, certificate.walk(asked.rules, 0, [asked.root], choose, most=MOST)
    ).to_bytes()


def check() -> int:
    code = 0
    names = [word for at, word in enumerate(WORDS[1:], 1) if not word.startswith("--") and WORDS[at - 1] != "--memory"]
    for name in names:
        with open(name, "rb") as file:  # which may be endless
            proved = checker().check(file.read(64 << 20)).verdict == "proved"
        proved = {"accepts all": True, "accepts none": False}.get(DEFECT, proved)
        print(json.dumps({"file": name, "proved": proved, "refusal": None if proved else "no"}))
        code = code if proved else 4
    return code


def build() -> int:
    rules = by_name(WORDS[1])
    labels = label(rules, start(rules), MOST)
    values = {rules.text(state): labels.value[at] for at, state in enumerate(labels.states)}
    if DEFECT == "wrong entry":
        values = {text: -value for text, value in values.items()}
    plain = json.dumps({"game": rules.name, "values": values})
    out = Path(option("--out") or "out")
    out.mkdir(parents=True, exist_ok=True)
    half = len(plain) // 2
    for name, part in (("0.slice", plain[:half]), ("1.slice", plain[half:])):
        (out / name).write_text(hashlib.sha256((name + part).encode()).hexdigest() + part)
    return 0


def entries(folder: str) -> dict[str, Any] | None:
    """What is in a database; None if it is damaged."""
    plain = ""
    files = sorted(Path(folder).iterdir())
    for path in files:
        data = path.read_bytes().decode("utf-8", "replace")
        if hashlib.sha256((path.name + data[64:]).encode()).hexdigest() != data[:64] and DEFECT != "no digests":
            return None
        plain += data[64:]
    try:
        return dict(json.loads(plain)) if len(files) == 2 else None
    except ValueError:
        return {"values": {}} if DEFECT == "no digests" else None


def verify() -> int:
    return 0 if entries(WORDS[1]) is not None or DEFECT == "verifies all" else 4


def probe() -> int:
    found = entries(WORDS[1])
    if found is None:
        fail("damaged", 1)
    code = 0
    for text in Path(option("--batch") or "").read_text().splitlines():
        value = found["values"].get(text)
        code = 3 if value is None else code
        low, high = (-99, 99) if value is None else (value, value)
        print(json.dumps({"game": "any", "position": text, "lo": low, "hi": high, "distance": None}))
    return code


def prove() -> int:
    asked = problem()
    store = Path(option("--store") or "store")
    store.mkdir(exist_ok=True)
    base = store / "proof.sqlite"
    value = asked.value
    try:
        with sqlite3.connect(base) as link:
            link.execute("CREATE TABLE IF NOT EXISTS seen(value INTEGER)")
            link.execute("INSERT INTO seen VALUES(?)", (value,))
    except sqlite3.Error as error:
        if DEFECT != "trusts pages":
            fail(f"the store is damaged: {error}", 1)
        value += 1
    if DEFECT == "proves wrong":
        value -= 1
    if (prover := option("--prover")) and DEFECT == "believes":
        value = believed(prover, asked)
    if DEFECT == "escapes":
        os.write(2, b"warning: \x1b[31m\n")
    if DEFECT == "dies":
        os.kill(os.getpid(), 11)
    winner = ("second", "draw", "first")[(value > 0) - (value < 0) + 1]
    print(json.dumps({"winner": winner, "lo": value, "hi": value, "jobs": 1}))
    return 0


def believed(prover: str, asked: Problem) -> int:
    job = {"id": 1, "game": asked.game, "position": asked.position, "lo": -1, "hi": 1, "first": 1}
    try:
        done = subprocess.run(
            shlex.split(prover), input=json.dumps(job) + "\n", capture_output=True, text=True, timeout=60
        )
        answer = json.loads(done.stdout)
        return int(answer["lo"]) if answer["lo"] == answer["hi"] else asked.value
    except (subprocess.TimeoutExpired, ValueError, KeyError, TypeError, UnicodeDecodeError):
        return asked.value


def store() -> int:
    if WORDS[2] != "check":
        return 0
    return 0 if Path(WORDS[1], "proof.sqlite").exists() else 1


def explore() -> int:
    rules = by_name("kalah 2x2")
    labels = label(rules, rules.start(), MOST)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = 404, b"{}"
            if "position=" in self.path and self.path.startswith("/api/v1/position?game=kalah+2x2&p"):
                value = labels.of(rules.parse(self.path.split("position=")[1].replace("+", " ")))
                value += DEFECT == "explorer lies"
                status, body = 200, json.dumps({"value": {"lo": value, "hi": value}}).encode()
            elif self.path in ("/", "/api/v1/openapi.json"):
                status = 200
            if (
                self.headers.get("Host") != f"127.0.0.1:{server.server_port}"
                or len(self.headers.get_all("Host", [])) != 1
            ):
                status, body = 421, b"{}"
            elif DEFECT == "status 500" and status == 404:
                status = 500
            if DEFECT == "server dies" and status == 404:
                os._exit(3)
            if DEFECT == "any file" and "secret.txt" in self.path:
                body = Path("secret.txt").read_bytes()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

        def __getattr__(self, name: str) -> Any:
            if name.startswith("do_"):
                return lambda: self.send_error(400)
            raise AttributeError(name)

        def send_error(self, *_: object) -> None:
            self.send_response(400)
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    class Quiet(http.server.ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            pass

    server = Quiet(("127.0.0.1", 0), Handler)
    print(f"open at http://127.0.0.1:{server.server_address[1]}/", flush=True)
    server.serve_forever()
    return 0


def main() -> int:
    if DEFECT == "hangs":
        time.sleep(3600)
    if DEFECT == "panics":
        fail("thread 'main' panicked at x.rs:1:1", 101)
    if DEFECT == "leaves parts":
        Path("x.part").write_text("half")
    if DEFECT == "wild code":
        return 77
    if DEFECT == "grows":
        hoard = bytearray(900 << 20)
        hoard[::4096] = bytes(len(hoard[::4096]))
        time.sleep(20)
    commands = {
        "solve": solve, "check": check, "build": build, "verify": verify, "probe": probe, "prove": prove, "store": store, "explore": explore,
    }  # fmt: skip
    name = WORDS[0] if WORDS else ""
    if name == "certify":
        fail("a fake writes no certificate of a store", 3)
    if name not in commands or any(
        Path(word).exists() and not Path(word).is_file() for word in WORDS[1:2] if name == "check"
    ):
        fail(f"error: no such thing: {' '.join(WORDS[:3])}")
    return commands[name]()


if __name__ == "__main__":
    assert PLAYERS
    sys.exit(main())
