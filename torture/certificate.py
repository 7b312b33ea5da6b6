"""Certificates as the format page (docs/certificate.md) has them: read, written, and walked. Written for forging: nothing that is
written here is checked, but lengths and digests are right unless asked otherwise.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from torture.case import Unfit
from torture.rules.base import PLAYERS
from torture.rules.checked import Checked

MAGIC = b"zermelo\n"


@dataclass
class Block:
    """The walks from some positions; an answer is 0 (put off), 1 (searched) or the number of a move and one."""

    starts: list[str]
    answers: list[int]
    packed: bytes | None = None  # in place of the answers, if it is there
    fields: dict[str, Any] = field(default_factory=dict)  # that are to be wrong


@dataclass
class Claim:
    claimant: str
    value: int
    blocks: list[Block]


@dataclass
class Certificate:
    game: str
    position: str
    search: int
    claims: list[Claim]
    fields: dict[str, Any] = field(default_factory=dict)  # to be added to the header, or in place of what is there

    def header(self) -> tuple[dict[str, Any], list[bytes]]:
        """The header and the blocks in their order."""
        packed: list[bytes] = []
        claims = []
        for claim in self.claims:
            blocks = []
            for block in claim.blocks:
                plain = leb128(block.answers)
                data = zlib.compress(plain, 9) if block.packed is None else block.packed
                packed.append(data)
                blocks.append(
                    {
                        "starts": block.starts,
                        "positions": sum(answer > 0 for answer in block.answers),
                        "size": len(plain),
                        "bytes": len(data),
                        "sha256": hashlib.sha256(data).hexdigest(),
                    }
                    | block.fields
                )
            positions = sum(block["positions"] for block in blocks if type(block["positions"]) is int)
            claims.append({"claimant": claim.claimant, "value": claim.value, "positions": positions, "blocks": blocks})
        header = {
            "game": self.game,
            "rules": 1,
            "position": self.position,
            "search": self.search,
            "claims": claims,
            "made": {"by": "torture"},
        }
        return header | self.fields, packed

    def to_bytes(self) -> bytes:
        header, packed = self.header()
        return envelope(json.dumps(header).encode(), b"".join(packed))


def envelope(header: bytes, blocks: bytes, version: int = 2) -> bytes:
    """A file with right lengths and digest around any header."""
    start = MAGIC + version.to_bytes(4, "little") + len(header).to_bytes(4, "little")
    return start + hashlib.sha256(header).digest() + header + blocks


def read(data: bytes) -> Certificate:
    """An honest file."""
    length = int.from_bytes(data[12:16], "little")
    header = json.loads(data[48 : 48 + length])
    at = 48 + length
    claims = []
    for entry in header["claims"]:
        blocks = []
        for block in entry["blocks"]:
            plain = zlib.decompress(data[at : at + block["bytes"]])
            at += block["bytes"]
            blocks.append(Block(list(block["starts"]), numbers(plain)))
        claims.append(Claim(entry["claimant"], entry["value"], blocks))
    return Certificate(header["game"], header["position"], header["search"], claims)


def leb128(answers: Sequence[int]) -> bytes:
    out = bytearray()
    for answer in answers:
        while answer >= 128:
            out.append(answer & 127 | 128)
            answer >>= 7
        out.append(answer)
    return bytes(out)


def numbers(plain: bytes) -> list[int]:
    found, number, shift = [], 0, 0
    for byte in plain:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            found.append(number)
            number = shift = 0
    return found


def walk(
    rules: Checked,
    claimant: int,
    starts: Sequence[tuple[int, int]],
    choose: Callable[[int, int], int],
    reply_missed: Callable[[], bool] = lambda: False,
    most: int = 20_000,
) -> list[int]:
    """The answers of a strategy, in the order in which the walk of the format page asks for them; right or wrong does not matter.

    `choose` gives the answer at a position of the claimant that has so many moves. `reply_missed` leaves out a reply, as a writer
    that forgets one would.
    """
    answers: list[int] = []
    met: set[bytes] = set()
    for start in starts:
        stack = [start]
        while stack:
            position, mover = stack.pop()
            after = rules.game.moves(position, mover)
            if not after:
                continue
            if mover != claimant:
                stack += [(to, claimant) for to in reversed(after) if not reply_missed()]
                continue
            key = rules.game.key(position)
            if key in met:
                continue
            met.add(key)
            if len(met) > most:
                raise Unfit("a strategy with too many positions")
            answer = choose(position, len(after))
            answers.append(answer)
            if answer >= 2:
                to = after[answer - 2] if answer - 2 < len(after) else after[0]
                stack.append((to, 1 - claimant))
    return answers


def whole(
    rules: Checked, root: tuple[int, int], claimant: int, value: int, answers: list[int], search: int = 0
) -> Certificate:
    """A certificate of one claim with one block."""
    text = rules.text(root)
    claim = Claim(PLAYERS[claimant], value, [Block([text], answers)])
    return Certificate(rules.name, text, search, [claim])
