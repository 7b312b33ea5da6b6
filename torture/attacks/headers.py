"""Headers with unusual JSON around an honest certificate; both checkers must say the same of each."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from torture.certificate import envelope

# Pieces of JSON, and of what is nearly JSON.
VALUES = [
    "null", "true", "false", "0", "-0", "1", "-1", "1.0", "1e0", "1E0", "10e-1", "01", "+1", ".5", "1.", "0x1", "1e999", "-1e999",
    "1e-999", "NaN", "Infinity", "-Infinity", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1" + "0" * 400, "0." + "0" * 400 + "1", '""', '"1"',
    '"first"', '"\\u0000"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\x41"', '"a\nb"', '"\t"', '"\\/"', "[]", "{}", "[[]]", "[1]", '{"a":1}',
    '{"a":1,"a":2}', '{"a":1,"\\u0061":2}', "'x'", "undefined", "", "[1,]", '{"a":1,}', "// x\n1", "\ufeff1", '"\u2028"', '"é"', "١",
    "[" * 40 + "]" * 40, "[" * 126 + "]" * 126, "[" * 200 + "]" * 200, "[" * 900 + "]" * 2000, '{"a":' * 130 + "1" + "}" * 130,
    "[" * 100_000, '"' + "x" * 100_000 + '"',
]  # fmt: skip

# Each takes the header as text and gives bytes.
Change = Callable[[random.Random, str], bytes]


def mutate(rng: random.Random, data: bytes) -> bytes:
    length = int.from_bytes(data[12:16], "little")
    text = data[48 : 48 + length].decode()
    change = rng.choice(
        [replace, replace, replace, replace, made, made, twice, twice, added, missing, spaces, raw, nothing]
    )
    return envelope(change(rng, text), data[48 + length :])


def spots(text: str) -> list[tuple[int, int]]:
    """Where values of fields stand in a header, inner ones included."""
    found: list[tuple[int, int]] = []
    decoder = json.JSONDecoder()
    at = text.find('":')
    while at >= 0:
        start = at + 2
        while text[start] == " ":
            start += 1
        _, end = decoder.raw_decode(text, start)
        found.append((start, end))
        at = text.find('":', at + 2)
    return found


def replace(rng: random.Random, text: str) -> bytes:
    """One value is another."""
    start, end = rng.choice(spots(text))
    return (text[:start] + rng.choice(VALUES) + text[end:]).encode()


def made(rng: random.Random, text: str) -> bytes:
    """What a checker ignores."""
    header = json.loads(text)
    header.pop("made", None)
    value = rng.choice(VALUES + ['{"by":' + value + "}" for value in VALUES])
    body = json.dumps(header)
    return (body[:-1] + ', "made": ' + value + "}").encode() if rng.random() < 0.8 else body.encode()


def twice(rng: random.Random, text: str) -> bytes:
    """A field is there twice, with the same value or another, its name written in one way or another."""
    spot = rng.choice(spots(text))
    start, end = spot
    name_end = text.rindex('"', 0, start)
    name_start = text.rindex('"', 0, name_end)
    name = text[name_start + 1 : name_end]
    if rng.random() < 0.3:
        name = f"\\u{ord(name[0]):04x}" + name[1:]
    value = text[start:end] if rng.random() < 0.5 else rng.choice(VALUES)
    if rng.random() < 0.5:
        return (text[:name_start] + f'"{name}":{value},' + text[name_start:]).encode()
    return (text[:end] + f',"{name}":{value}' + text[end:]).encode()


def added(rng: random.Random, text: str) -> bytes:
    start, end = rng.choice(spots(text))
    name = rng.choice(["database", "note", "", "Made", "made ", "game\\u0000", "size", "search"])
    return (text[:end] + f',"{name}":{rng.choice(VALUES)}' + text[end:]).encode()


def missing(rng: random.Random, text: str) -> bytes:
    header = json.loads(text)
    claim = rng.choice(header["claims"])
    target = rng.choice([header, claim, rng.choice(claim["blocks"])])
    target.pop(rng.choice(list(target)))
    return json.dumps(header).encode()


def spaces(rng: random.Random, text: str) -> bytes:
    """Blanks, marks and garbage around it."""
    before = rng.choice(["", " ", "\n", "\ufeff", "\x00", "\x0b", "\u00a0", "//\n"])
    after = rng.choice(["", " \n\t\r", "\x00", "{}", ",", "]", "\x1a", "#"])
    return (before + text + after).encode()


def raw(rng: random.Random, text: str) -> bytes:
    """Bytes that are no text, somewhere."""
    data = bytearray(text.encode())
    kind = rng.randrange(3)
    at = rng.randrange(len(data))
    if kind == 0:
        data[at:at] = rng.choice(
            [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\x80", b"\xf5\x80\x80\x80", b"\x00", b"\x1b"]
        )
    elif kind == 1:
        data[at] ^= 1 << rng.randrange(8)
    else:
        del data[at:]
    return bytes(data)


def nothing(rng: random.Random, text: str) -> bytes:
    """Other headers altogether."""
    return rng.choice(
        [b"", b"null", b"[]", b"{}", b"1", b'"x"', b"[" * 100_000, b"{" * 1000, json.dumps([json.loads(text)]).encode()]
    )
