#!/usr/bin/env python3
"""A prover that misbehaves, for `zermelo prove --prover "python3 liar.py MODE TRUTH"`. TRUTH is a file of JSON: values by position.

What it does on which job depends on the position alone, so that a run can be repeated.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import zlib
from typing import Any

ESCAPE = "\x1b[2J\x1b]0;owned\x07\x1b[1A\x9b31m\u202eproved\r\b\x00"


def write(data: bytes) -> None:
    os.write(1, data)


def line(outcome: Any) -> None:
    write(json.dumps(outcome, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")


def draw(position: str, most: int) -> int:
    """A number that belongs to a position."""
    return zlib.crc32(position.encode()) % most


def answer(mode: str, job: dict[str, Any], true: int | None) -> None:
    lo, hi = (job["lo"], job["hi"]) if true is None else (true, true)
    honest = {"id": job["id"], "solver": "liar 1", "lo": lo, "hi": hi, "nodes": 7, "micros": 70}
    lie = -1 if lo > 0 else 1
    number = draw(job["position"], 12)
    if mode in ("one", "zero", "minus"):
        value = {"one": 1, "zero": 0, "minus": -1}[mode]
        line(honest | {"lo": value, "hi": value})
    elif mode == "sometimes" and number < 4:
        line(honest | {"lo": lie, "hi": lie})
    elif mode == "rarely" and number == 0:
        line(honest | {"lo": lie, "hi": lie})
    elif mode == "flatter":  # whatever the question is, yes
        line(honest | {"lo": job.get("first", hi), "hi": job.get("first", hi)})
    elif mode == "range":
        line(
            honest
            | {
                "lo": [99, -99, hi + 1, -(2**31), 2**63, 0.5][number % 6],
                "hi": [99, -99, lo - 1, 2**31, -(2**63), "1"][number % 6],
            }
        )
    elif mode == "contradict":
        line(honest | {"lo": hi + number % 2, "hi": lo - 1})
    elif mode == "id":
        line(honest | {"id": [job["id"] + 1, job["id"] - 1, 0, -1, "x", None, 2**64][number % 7]})
    elif mode == "twice":
        line(honest | {"lo": lie, "hi": lie, "id": job["id"] + 1})
        line(honest)
        line(honest | {"lo": lie, "hi": lie})
    elif mode == "die" and number < 3:
        os.kill(os.getpid(), signal.SIGKILL)
    elif mode == "exit" and number < 6:
        sys.exit(number)
    elif mode == "escape":
        kind = number % 5
        if kind == 0:
            line(honest | {"solver": ESCAPE + "x"})
        elif kind == 1:
            line(honest | {"error": ESCAPE})
        elif kind == 2:
            write(ESCAPE.encode() + b"\n")
        elif kind == 3:
            os.write(2, ESCAPE.encode() + b"\xff\n")
            line(honest | {"solver": "a\nb" + ESCAPE})
        else:
            write(b"\xff\xfe{\x1b[31m}\n")
    elif mode == "garbage":
        write(
            [
                b"\n",
                b"{}\n",
                b"null\n",
                b"[" * 100_000 + b"\n",
                b'{"id":',
                b"\xff\n",
                b"\x00\n",
                b'{"a":1}{"b":2}\n',
                b"1e999\n",
            ][number % 9]
        )
    elif mode == "flood":
        while True:
            write(b"x" * 65_536)
    elif mode == "lines":
        while True:
            write(b"nothing of use\n" * 4096)
    elif mode == "long":
        line(honest | {"solver": "s" * 3_000_000})
    elif mode == "stderr":
        for _ in range(3):
            os.write(2, b"talk \x1b[31m talk " * 4096)
        line(honest)
    elif mode == "silent" and number < 4:
        time.sleep(3600)
    elif mode == "deaf":  # ignores whatever can be ignored, and closes its output
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os.close(1)
        time.sleep(3600)
    elif mode == "drip":
        for byte in json.dumps(honest).encode():
            write(bytes([byte]))
            time.sleep(0.001)
        write(b"\n")
    elif mode == "hangs":
        line(honest | {"hangs": True, "lo": lie, "hi": lie})
    elif mode == "moves":
        entry = {"position": job["position"], "lo": lie, "hi": lie, "yes": -1, "no": 2**70}
        line(
            honest
            | {"lo": job["lo"], "hi": job["hi"], "asked": 1, "moves": [entry, {"position": ESCAPE, "lo": 1, "hi": 1}]}
        )
    elif mode == "many":
        entry = {"position": "x" * 50, "lo": -1, "hi": 1}
        line(honest | {"lo": job["lo"], "hi": job["hi"], "asked": 1, "moves": [entry] * 30_000})
    elif mode == "score":
        line(
            honest
            | {"lo": job["lo"], "hi": job["hi"], "score": [2**40, -(2**63), 1e300, "x"][number % 4], "tried": False}
        )
    elif mode == "unknown":
        line(honest | {"lo": job["lo"], "hi": job["hi"]})
    else:
        line(honest)


def main() -> None:
    mode = sys.argv[1]
    with open(sys.argv[2], encoding="utf-8") as file:
        truth = json.load(file)
    if mode == "start":
        sys.exit(1)
    for text in sys.stdin:
        job = json.loads(text)
        answer(mode, job, truth.get(job["position"]))


if __name__ == "__main__":
    main()
