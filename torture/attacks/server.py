"""A running `zermelo explore`, and raw requests to it over sockets on 127.0.0.1."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

from torture.case import Bench, Case, Found, control_byte
from torture.process import end_group, resident

START = 60.0  # seconds until it must listen
READ = 30.0  # seconds until a whole request must be answered
MOST = 4 << 20  # bytes of an answer


class Server:
    """Started in the folder of a case, with some free port; used in a `with`."""

    def __init__(self, case: Case, words: list[str]) -> None:
        self.case = case
        command = [*case.bench.zermelo, "explore", "--listen", "127.0.0.1:0", *words]
        case.commands.append(" ".join(command))
        self.out, self.err = (open(case.folder / name, "w+b") for name in (".server-out", ".server-err"))
        self.process = subprocess.Popen(
            command, cwd=case.folder, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err, start_new_session=True
        )
        try:
            self.port = self._port()
        except BaseException:
            end_group(self.process.pid)
            self.process.wait()
            raise

    def _port(self) -> int:
        end = time.monotonic() + START
        while time.monotonic() < end:
            if found := re.search(rb"http://127\.0\.0\.1:(\d+)", self.said()):
                return int(found[1])
            if self.process.poll() is not None:
                raise Found(f"explore did not start: {self.said()[-300:]!r}")
            time.sleep(0.01)
        raise Found(f"explore does not listen after {START:.0f} s")

    def said(self) -> bytes:
        """What it has written so far."""
        return Path(self.out.name).read_bytes() + Path(self.err.name).read_bytes()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        end_group(self.process.pid)
        self.process.wait()
        self.out.close()
        self.err.close()

    def connect(self) -> socket.socket:
        """A connection; a server that takes none is dead or stuck."""
        try:
            return socket.create_connection(("127.0.0.1", self.port), timeout=READ)
        except OSError as error:
            raise Found(f"no connection to the explorer: {error}; {self.said()[-300:]!r}") from error

    def ask(self, data: bytes, seconds: float = READ, half: bool = False) -> bytes:
        """Sends bytes and reads what comes until the server closes, or `seconds` after the last of it.

        `half` closes our side after sending, so that a server which waits for more sees that none will come.
        """
        with self.connect() as link:
            try:
                link.sendall(data)
                if half:
                    link.shutdown(socket.SHUT_WR)
            except OSError:  # it has refused and closed already; what it said may still be there
                pass
            return drain(link, seconds)

    def get(self, target: str) -> tuple[int, bytes]:
        """An honest request, and the status and body of its answer."""
        request = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nConnection: close\r\n\r\n"
        answer = self.ask(request.encode())
        status = statuses(answer)
        if not status:
            raise Found(f"no answer to an honest request, GET {target}: {answer[:200]!r}")
        return status[0], answer.partition(b"\r\n\r\n")[2]

    def check(self, memory: int) -> None:
        """Still there, not too large, nothing strange said."""
        if self.process.poll() is not None:
            raise Found(f"the server has died with {self.process.returncode}: {self.said()[-400:]!r}")
        if (size := resident(self.process.pid)) > memory:
            raise Found(f"the server holds {size >> 20} MiB, more than {memory >> 20}")
        said = self.said()
        if b"panicked" in said:
            raise Found(f"a panic in the server: {said[-400:]!r}")
        if flaw := control_byte(said):
            raise Found(f"the server's output has a {flaw}")

    def stop(self) -> None:
        """Ends it as a user does."""
        os.kill(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            raise Found("the server does not end on SIGTERM") from None
        code = self.process.returncode
        if code < 0 and code != -signal.SIGTERM:
            raise Found(f"the server was ended by signal {-code} after SIGTERM")


def drain(link: socket.socket, seconds: float) -> bytes:
    """What comes until the other side closes, or nothing more comes for some time."""
    link.settimeout(seconds)
    answer = bytearray()
    try:
        while len(answer) < MOST and (piece := link.recv(1 << 16)):
            answer += piece
    except OSError:
        pass
    return bytes(answer)


def statuses(answer: bytes) -> list[int]:
    """The status of each answer in a stream of them."""
    return [int(found) for found in re.findall(rb"(?:\A|\n|\}|>)HTTP/1\.[01] (\d{3}) ", answer)]


def token(bench: Bench) -> str:
    """A word that no answer may hold: it stands in a file that no client may name."""
    return f"secret-{bench.seed}"
