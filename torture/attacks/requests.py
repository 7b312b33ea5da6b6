"""Hostile requests, as bytes."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from urllib.parse import quote

from torture.attacks.inputs import MOVES, NAMES, POSITIONS


@dataclass(frozen=True)
class Request:
    """Bytes for a connection, and what is to be expected."""

    kind: str
    data: bytes
    whole: bool = True  # a whole request, which is owed an answer (and says Connection: close)
    wrong: bool = False  # one that must not be answered with 2xx
    keep: bool = False  # half of one, to be left open
    slow: bool = False


ROUTES = [
    "/api/v1/game",
    "/api/v1/position",
    "/api/v1/picture.svg",
    "/api/v1/proofs/1",
    "/api/v1/proofs/1/node",
    "/api/v1/proofs/1/map",
]
ROUTES += [
    "/api/v1/stores",
    "/api/v1/stores/1",
    "/api/v1/stores/1/node",
    "/api/v1/stores/1/map",
    "/api/v1/jobs/1",
    "/api/v1/games",
    "/",
]
FIELDS = ["game", "position", "moves", "claim", "depth", "id", "nothing", ""]
IDS = ["0", "-1", "1", "2", "99999999999999999999", "x", "", "%00", "1%2f2", "1e3", "..", "é"]


def hostile(rng: random.Random, port: int) -> Request:
    """One of all kinds."""
    kinds = [
        line,
        headers,
        body,
        chunks,
        hosts,
        half,
        drips,
        pipeline,
        query,
        query,
        query,
        query,
        deep,
        deep,
        paths,
        methods,
        jobs,
        protocols,
        long,
    ]
    return rng.choice(kinds)(rng, port)


def get(port: int, target: bytes, more: bytes = b"", method: bytes = b"GET") -> bytes:
    return method + b" " + target + b" HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n" % port + more + b"\r\n"


def post(port: int, target: bytes, content: bytes, more: bytes = b"") -> bytes:
    more += b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(content)
    return get(port, target, more, b"POST") + content


def line(rng: random.Random, port: int) -> Request:
    """Request lines."""
    host = b"\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % port
    lines = [
        b"GET", b"GET /", b"GET  / HTTP/1.1", b"GET / HTTP/1.1 x", b"GET / HTTP/9.9", b"GET / HTTP/1.10", b"get / http/1.1", b" GET / HTTP/1.1",
        b"GET /\x00 HTTP/1.1", b"GET /\xff HTTP/1.1", b"GET / \x1b[31m", b"G\x00T / HTTP/1.1", b"GET nothing HTTP/1.1", b"GET * HTTP/1.1",
        b"GET http:// HTTP/1.1", b"GET //// HTTP/1.1", b"GET /?\t HTTP/1.1", b"\r\n\r\n\r\n", b"\x00" * 100, b"A" * 100_000, rng.randbytes(50),
        b"GET / HTTP/1.1\rX: y", b"GET / HTTP/1.1\nX: y", b"GET /%zz HTTP/1.1", b"GET /# HTTP/1.1", b"GET / HTTP/0.9", b"GET / HTTP/1.1\x0b",
    ]  # fmt: skip
    return Request("request lines", rng.choice(lines) + host, whole=False)


def headers(rng: random.Random, port: int) -> Request:
    """Header fields."""
    more = [
        b"X\r\n", b": x\r\n", b"X y: z\r\n", b"X: \x00\r\n", b"X: \xff\r\n", b"X\x00: y\r\n", b" folded\r\n", b"X: a\r\n folded\r\n", b"X: " + b"y" * 200_000 + b"\r\n",
        b"X: y\r\n" * 5000, b"X" * 70_000 + b": y\r\n", b"Content-Length: -1\r\n", b"Content-Length: 1, 2\r\n", b"Content-Length: 99999999999999999999999\r\n",
        b"Content-Length: 5\r\nContent-Length: 6\r\n", b"Content-Length: 0x5\r\n", b"Content-Length: +5\r\n", b"Transfer-Encoding: nothing\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", b"Transfer-Encoding: chunked, chunked\r\n", b"Transfer-Encoding: \x0bchunked\r\n",
        b"Expect: nonsense\r\n", b"Connection: \xff\r\n", b"Accept-Encoding: \x00\r\n", b"Cookie: " + b"a=b;" * 10_000 + b"\r\n", b"Origin: http://evil.example\r\n",
        b"Range: bytes=9-1,0-0,5-\r\n", b"If-None-Match: \"\xff\"\r\n", b"Upgrade: h2c\r\nHTTP2-Settings: x\r\n", b"X: \r\x00\n\r\n",
    ]  # fmt: skip
    return Request("headers", get(port, b"/api/v1/games", rng.choice(more)), whole=False)


def body(rng: random.Random, port: int) -> Request:
    """Bodies that are not what the header says, or not JSON, or far too large."""
    content = rng.choice(
        [
            b"",
            b"null",
            b"[]",
            b"{",
            b"\xff\xfe",
            b"\x00",
            b"{}" * 50_000,
            b'"' + b"x" * 400_000 + b'"',
            rng.randbytes(300),
        ]
    )
    target = rng.choice([b"/api/v1/probe", b"/api/v1/jobs"])
    kind = rng.randrange(4)
    if kind == 0:
        data = post(port, target, content)
        return Request("bodies", data, wrong=True)
    if kind == 1:
        data = (
            get(port, target, b"Content-Type: text/plain\r\nContent-Length: %d\r\n" % len(content), b"POST") + content
        )
        return Request("bodies", data, wrong=True)
    if kind == 2:
        data = (
            get(
                port, target, b"Content-Type: application/json\r\nContent-Length: %d\r\n" % (len(content) + 50), b"POST"
            )
            + content
        )
        return Request("bodies cut short", data, whole=False, wrong=True)
    data = (
        get(
            port,
            target,
            b"Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n" % len(content),
            b"POST",
        )
        + content
    )
    return Request("bodies", data, wrong=True)


def chunks(rng: random.Random, port: int) -> Request:
    """Chunked bodies."""
    start = get(port, b"/api/v1/probe", b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n", b"POST")
    bad = [
        b"zz\r\nabc\r\n0\r\n\r\n", b"-1\r\n\r\n", b"ffffffffffffffffff\r\nx\r\n", b"5\r\nab\r\n0\r\n\r\n", b"2\r\n{}x\r\n0\r\n\r\n", b"2;" + b"x" * 100_000 + b"\r\n{}\r\n0\r\n\r\n",
        b"0\r\nX: " + b"y" * 100_000 + b"\r\n\r\n", b"1\r\n{\r\n" * 3000, b"\r\n", b"2\n{}\n0\n\n", b"+2\r\n{}\r\n0\r\n\r\n", b"40000\r\n" + b" " * 0x40000 + b"\r\n40000\r\n" + b" " * 0x40000,
        b"0x2\r\n{}\r\n0\r\n\r\n", b" 2\r\n{}\r\n0\r\n\r\n", b"2\r\n{}\r\n0\r\n" + b"A: b\r\n" * 2000 + b"\r\n",
    ]  # fmt: skip
    return Request("chunked bodies", start + rng.choice(bad), whole=False, wrong=True)


def hosts(rng: random.Random, port: int) -> Request:
    """Hosts that are missing, twice, or not this machine: what DNS rebinding would use."""
    own = b"Host: 127.0.0.1:%d\r\n" % port
    bad = [
        b"", own + own, own + b"Host: evil.example\r\n", b"Host: evil.example\r\n", b"Host: \r\n", b"Host: 127.0.0.1.evil.example\r\n", b"Host: localhost.evil.example\r\n",
        b"Host: 127.0.0.1:%d@evil.example\r\n" % port, b"Host: \xff\r\n", b"Host: a b\r\n", b"Host: [::1\r\n", b"Host: 10.0.0.1\r\n", b"Host: localhost, evil.example\r\n",
    ]  # fmt: skip
    target = rng.choice([b"/api/v1/games", b"/", b"/api/v1/openapi.json", b"/api/v1/jobs"])
    return Request(
        "hosts",
        b"GET " + target + b" HTTP/1.1\r\n" + rng.choice(bad) + b"Connection: close\r\n\r\n",
        whole=False,
        wrong=True,
    )


def half(rng: random.Random, port: int) -> Request:
    """Half of a request, left open."""
    whole = post(port, b"/api/v1/probe", b'{"game":"tictactoe","positions":[]}')
    return Request("half-open connections", whole[: rng.randrange(len(whole))], keep=True)


def drips(rng: random.Random, port: int) -> Request:
    """A request in small pieces, which stops before its end."""
    whole = post(port, b"/api/v1/probe", b'{"game":"tictactoe","positions":[' + b" " * 3000)
    return Request("slow requests", whole, slow=True)


def pipeline(rng: random.Random, port: int) -> Request:
    """Several requests at once, and garbage between them."""
    good = b"GET /api/v1/games HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port
    parts = [
        rng.choice(
            [
                good,
                good,
                rng.randbytes(30),
                b"\r\n",
                b"POST /api/v1/probe HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 3\r\n\r\nabc" % port,
            ]
        )
        for _ in range(rng.randint(2, 40))
    ]
    return Request("pipelines", b"".join(parts), whole=False)


def text(rng: random.Random) -> str:
    """Something for a field: bytes in percent signs, or a hostile word of the command line."""
    if rng.random() < 0.4:
        return rng.choice(
            [
                "%00",
                "%ff%fe",
                "%c0%80",
                "%ed%a0%80",
                "%",
                "%z",
                "%1b%5b31m",
                "%0d%0aX:%20y",
                "%e2%80%ae",
                "+" * 3000,
                "%F0%9F%98%80",
                "a" * 9000,
                "%25%32%66",
                "%c2%9b",
            ]
        )
    word = rng.choice(rng.choice([NAMES, POSITIONS, MOVES]))[:6000]
    return quote(word, safe="") if rng.random() < 0.8 else quote(word, safe="&=?#")


def query(rng: random.Random, port: int) -> Request:
    """Fields of every route."""
    route = rng.choice(ROUTES)
    if rng.random() < 0.3:
        route = route.replace("/1", "/" + rng.choice(IDS))
    fields = [f"{rng.choice(FIELDS)}={text(rng)}" for _ in range(rng.choice([0, 1, 1, 2, 3]))]
    if rng.random() < 0.6:
        fields.insert(
            0,
            "game="
            + rng.choice(["tictactoe", "kalah+2x2", "nogo+3x3", "checkers+4x4", "chess+KRK", "go+3x3", "morris+3"]),
        )
    target = route + "?" + "&".join(fields)
    return Request(
        "queries",
        get(port, target.encode("utf-8", "replace").replace(b" ", b"+")),
        whole=target.isascii() and target.isprintable(),
    )


def deep(rng: random.Random, port: int) -> Request:
    """JSON that is deep, long, of the wrong types, or nearly JSON."""
    value = rng.choice(
        [
            "null",
            "true",
            "-0",
            "1e999",
            "NaN",
            "[]",
            "{}",
            '"\\ud800"',
            '"\\u0000"',
            '"\\u001b[31m"',
            '"x"',
            "[" * 100_000,
            "[" * 130 + "]" * 130,
            "1" * 5000,
            "18446744073709551616",
            "-1",
            "0.5",
            "1e-400",
        ]
    )
    field = rng.choice(
        ["game", "position", "positions", "moves", "by", "values", "seconds", "nodes", "seed", "more", ""]
    )
    base = {"game": rng.choice(["tictactoe", "kalah 2x2", rng.choice(NAMES)[:5000]])}
    target = rng.choice(["/api/v1/probe", "/api/v1/jobs"])
    if target.endswith("probe"):
        base["positions"] = rng.choice(
            [[], ["x"], [".../.../... first"] * rng.choice([1, 1000, 1001, 8000]), [rng.choice(POSITIONS)[:5000]]]
        )  # type: ignore[assignment]
    else:
        base |= {"nodes": 100, "seconds": 1}  # type: ignore[dict-item]
    content = json.dumps(base)
    if rng.random() < 0.8:
        content = content[:-1] + f', "{field}": {value}' + "}"
    return Request("JSON bodies", post(port, target.encode(), content.encode()))


def paths(rng: random.Random, port: int) -> Request:
    """Ways out of the page's folder."""
    up = rng.choice(
        [
            "../",
            "..%2f",
            "%2e%2e/",
            "..\\",
            "..%5c",
            "%252e%252e%252f",
            "....//",
            "..;/",
            "%c0%ae%c0%ae/",
            "/",
            "//",
            ".%00./",
        ]
    )
    name = rng.choice(
        ["etc/passwd", "secret.txt", "proc/self/environ", "secret.txt%00.html", "Cargo.toml", ".server-out"]
    )
    base = rng.choice(["/", "/assets/", "/api/v1/", "/api/v1/proofs/", "//", "/api/v1/../../"])
    return Request("paths", get(port, (base + up * rng.randint(1, 8) + name).encode()), whole=False)


def methods(rng: random.Random, port: int) -> Request:
    method = rng.choice(
        [
            b"TRACE",
            b"CONNECT",
            b"OPTIONS",
            b"HEAD",
            b"PUT",
            b"PATCH",
            b"DELETE",
            b"PROPFIND",
            b"X" * 500,
            b"get",
            b"POST",
        ]
    )
    target = rng.choice(
        [b"/", b"/api/v1/games", b"/api/v1/jobs/1", b"/api/v1/probe", b"*", b"127.0.0.1:1", b"/nothing"]
    )
    return Request("methods", get(port, target, b"", method), whole=False)


def jobs(rng: random.Random, port: int) -> Request:
    """Searches: many, of anything, and questions about them."""
    kind = rng.randrange(4)
    if kind == 0:
        return Request("jobs", get(port, f"/api/v1/jobs/{rng.choice([*IDS, '3', '4'])}".encode(), b"", b"DELETE"))
    if kind == 1:
        return Request("jobs", get(port, f"/api/v1/jobs/{rng.choice([*IDS, '3'])}/events".encode()), whole=False)
    game = rng.choice(["nogo 5x5", "tictactoe", "chess KRK", "checkers 8x8", "mnk 9x9x5", "go 3x3", "awari 6x4"])
    content = {
        "game": game,
        "values": rng.random() < 0.5,
        "seconds": rng.choice([0, 0.01, 1, 1e9, -1]),
        "nodes": rng.choice([0, 1000, 2**63, None]),
    }
    return Request("jobs", post(port, b"/api/v1/jobs", json.dumps(content).encode()))


def protocols(rng: random.Random, port: int) -> Request:
    """Other protocols."""
    others = [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9), b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), b"SSH-2.0-x\r\n", b"*1\r\n$4\r\nPING\r\n", b"EHLO x\r\n",
        b"\x05\x01\x00", get(port, b"/api/v1/games", b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n"), b"\n" * 10_000,
        b"GET / HTTP/1.0\r\n\r\n",
    ]  # fmt: skip
    return Request("other protocols", rng.choice(others), whole=False)


def long(rng: random.Random, port: int) -> Request:
    """Very long targets."""
    size = rng.choice([5000, 20_000, 70_000, 500_000])
    target = rng.choice(
        [
            b"/" + b"a" * size,
            b"/api/v1/position?game=" + b"x" * size,
            b"/api/v1/position?" + b"game=nogo&" * (size // 10),
            b"/" + b"a/" * (size // 2),
        ]
    )
    return Request("long targets", get(port, target), whole=False)
