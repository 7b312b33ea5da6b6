"""Hostile clients of `zermelo explore`: requests that no library would send, over real sockets to 127.0.0.1.

A server answers nonsense with 4xx or closes; it never answers 5xx (but for the documented 503 with Retry-After), never dies, never grows beyond a
bound, never shows a file that was not given to it, and answers honest requests afterwards, truly.
"""

from __future__ import annotations

import json
import random
import socket
import time
from pathlib import Path

from torture.attacks.requests import Request, hostile
from torture.attacks.server import Server, drain, statuses, token
from torture.case import Case, Found, once
from torture.rules.oracle import Labels, label
from torture.rules.sowing import Kalah

MEMORY = 400 << 20
IDLE = 45.0  # seconds after which a client that says nothing must be gone; the documented limit is lower


class Http:
    name = "http"
    quick_cases = 8

    def case(self, case: Case) -> None:
        rng = case.rng
        rules = Kalah(2, 2)
        labels = label(rules, rules.start(), 20_000)

        def build(folder: Path) -> None:
            case.zermelo("build", rules.name, "--out", str(folder / "db"), codes=(0,))

        case.file("secret.txt", token(case.bench))
        golden = case.bench.repository / "proofcheck" / "golden" / "tictactoe.proof"
        words = [
            "--proof",
            str(golden),
            "--db",
            str(once(case.bench, "explored", build) / "db"),
            "--memory",
            "64M",
            "--searches",
            "1",
            "--time",
            "2s",
        ]
        with Server(case, words) as server:
            self.honest(server, rng, labels)
            if not case.bench.quick and case.number % 20 == 19:
                self.silent(case, server)
            kept: list[socket.socket] = []
            try:
                for _ in range(40 if case.bench.quick else 150):
                    self.one(case, server, hostile(rng, server.port), kept)
            finally:
                for link in kept:
                    link.close()
            server.check(MEMORY)
            self.honest(server, rng, labels)
            server.stop()
        case.counts["servers"] += 1

    def one(self, case: Case, server: Server, request: Request, kept: list[socket.socket]) -> None:
        case.counts[request.kind] += 1
        case.commands.append(
            f": {request.kind}: {request.data[:1500]!r}"
            + (f" ({len(request.data):,} bytes)" if len(request.data) > 1500 else "")
        )
        if request.keep:  # half a request, left open while the others come
            link = server.connect()
            link.sendall(request.data)
            kept.append(link)
            if len(kept) > 30:
                kept.pop(0).close()
            return
        if request.slow:
            with server.connect() as link:
                try:
                    for at in range(0, len(request.data), 40):
                        link.sendall(request.data[at : at + 40])
                        time.sleep(0.002)
                except OSError:
                    pass
                answer = drain(link, 0.2)
        else:
            began = time.monotonic()
            answer = server.ask(request.data, 30.0 if request.whole else 0.3, half=not request.whole)
            if request.whole and not answer and time.monotonic() - began > 29:
                raise Found(f"no answer to {request.kind} in 29 s")
        self.judge(case, request, answer)

    @staticmethod
    def judge(case: Case, request: Request, answer: bytes) -> None:
        shown = request.data[:200]
        for status in statuses(answer):
            if status == 503:
                if b"retry-after" not in answer.lower():
                    raise Found(f"503 without Retry-After to {shown!r}")
            elif status >= 500:
                raise Found(f"status {status} to {shown!r}: {answer[:300]!r}")
            elif status < 300 and request.wrong:
                raise Found(f"status {status} to a request that is wrong ({request.kind}): {shown!r}")
            case.counts[f"status {status // 100}xx"] += 1
        if token(case.bench).encode() in answer or b"root:x:0" in answer:
            raise Found(f"a file that nobody gave to the server, by {shown!r}")
        head, _, body = answer.partition(b"\r\n\r\n")
        if (
            b"content-type: application/json" in head.lower()
            and b"transfer-encoding" not in head.lower()
            and len(statuses(answer)) == 1
        ):
            if request.data[:4] != b"HEAD":
                try:
                    json.loads(body)
                except ValueError as error:
                    raise Found(f"no JSON in an answer to {shown!r} ({error}): {body[:200]!r}") from error

    @staticmethod
    def honest(server: Server, rng: random.Random, labels: Labels) -> None:
        """Requests that deserve an answer get a true one."""
        at = rng.randrange(len(labels.states))
        text = labels.rules.text(labels.states[at])
        status, body = server.get("/api/v1/position?game=kalah+2x2&position=" + text.replace(" ", "+"))
        if status != 200:
            raise Found(f"status {status} to an honest request: {body[:300]!r}")
        value = json.loads(body)["value"]
        if (
            value
            and (value["lo"], value["hi"]) != (labels.value[at],) * 2
            and not (
                (value["lo"] is None or value["lo"] <= labels.value[at])
                and (value["hi"] is None or value["hi"] >= labels.value[at])
            )
        ):
            raise Found(f"WRONG VALUE by the explorer: {text!r} is {value}, but it is {labels.value[at]}")
        if server.get("/")[0] != 200 or server.get("/api/v1/openapi.json")[0] != 200:
            raise Found("the page or the description is gone")

    @staticmethod
    def silent(case: Case, server: Server) -> None:
        """Clients that say nothing, or stop in the middle, are sent away."""
        links = [server.connect() for _ in range(60)]
        try:
            for number, link in enumerate(links):
                link.sendall(
                    [b"", b"G", b"GET / HTTP/1.1\r\n", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "][number % 4]
                )
            end = time.monotonic() + IDLE
            left = list(links)
            while left and time.monotonic() < end:
                time.sleep(0.5)
                left = [link for link in left if not closed(link)]
            if left:
                raise Found(f"{len(left)} of {len(links)} half-open connections are still open after {IDLE:.0f} s")
            case.counts["half-open connections closed"] += len(links)
        finally:
            for link in links:
                link.close()


def closed(link: socket.socket) -> bool:
    """Whether the other side has closed; a last answer may come before."""
    link.setblocking(False)
    try:
        while link.recv(4096):
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


ATTACK = Http()
