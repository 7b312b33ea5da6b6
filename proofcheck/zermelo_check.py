#!/usr/bin/env python3
"""A checker of Zermelo certificates, written from docs/certificate.md alone.

A certificate claims that one player can reach a value from a position, and holds a strategy that does. The checker
plays the strategy against every reply and accepts the file only if each line of play ends as claimed. It has its own
rules of all games, in the folder `zermelo_rules`, and shares no code with the solver.

    zermelo_check.py FILE [FILE ...] [--json]

Exit code: 0 if all files are proved; 2 for wrong usage, a file that cannot be read or a header that is too long; otherwise
1 if any file is refused; otherwise 5, as a file is about a game that is not known here and cannot be checked.

Files are read from front to back, a piece at a time, so pipes will do. A header of more than 256 MiB is not read.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import re
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parent))  # for whoever loads this file from elsewhere
from zermelo_rules import make_game  # noqa: E402
from zermelo_rules.base import PLAYERS, Game, NotChecked, Refused, UnknownGame, shown  # noqa: E402

PIECE = 1 << 16  # bytes read and unpacked at a time: a block that unpacks to far more than it should costs no memory
LONGEST_HEADER = 1 << 30  # by the format
MOST_READ = 1 << 28  # bytes of a header that are read here: in memory it takes several times as much
MOST_NESTED = 64  # objects and lists within each other
MOST_SEARCHED = 1 << 16  # positions that a file may ask to look at in one search
UNKNOWN_GAME = 5  # exit code
MOST_PLIES = (1 << 32) - 1  # of a claim with a length


# --- The file --------------------------------------------------------------------------------------------------------


@dataclass
class Block:
    starts: list[tuple[int, int]]
    positions: int
    size: int
    length: int
    digest: str


class Packed:
    """The bytes of a block, which follow in the file. They are read once: the digest is that of what was unpacked."""

    def __init__(self, file: BinaryIO, block: Block) -> None:
        self.file, self.left, self.digest = file, block.length, block.digest.lower()
        self.hash = hashlib.sha256()

    def pieces(self) -> Iterator[bytes]:
        while self.left:
            piece = self.file.read(min(self.left, PIECE))
            if not piece:
                raise Refused("the file is cut short")
            self.left -= len(piece)
            self.hash.update(piece)
            yield piece

    def finish(self) -> None:
        for _ in self.pieces():
            pass
        if self.hash.hexdigest() != self.digest:
            raise Refused("the digest is wrong")


@dataclass
class Claim:
    claimant: int
    value: int
    search: int
    within: int | None = None  # plies from the position of the claim to the end of play, if the claim has a length
    blocks: list[Block] = field(default_factory=list)

    def kept_by(self, value: int) -> bool:
        return value <= self.value if self.claimant else value >= self.value

    def __str__(self) -> str:
        length = "" if self.within is None else f" within {self.within} {'ply' if self.within == 1 else 'plies'}"
        return f"{PLAYERS[self.claimant]}: at {'most' if self.claimant else 'least'} {self.value}{length}"


@dataclass
class Report:
    file: str
    verdict: str = "proved"
    game: str = ""
    position: str = ""
    claims: list[str] = field(default_factory=list)
    positions: int = 0
    leaves: int = 0
    deepest: int = 0
    longest: list[int | None] = field(default_factory=list)  # plies of the longest play, of claims with a length
    seconds: float = 0.0

    def __str__(self) -> str:
        lines = [f"{shown(self.file)}"]
        if self.claims:
            lines += [
                f"  game          {shown(self.game)}",
                f"  position      {shown(self.position)}",
                f"  claims        {'; '.join(self.claims)}",
                f"  positions     {self.positions:,}",
                f"  leaves        {self.leaves:,}",
                f"  deepest line  {self.deepest}",
            ]
            lines += [f"  longest play  {plies}" for plies in self.longest if plies is not None]
            lines += [f"  seconds       {self.seconds:.2f}"]
        return "\n".join([*lines, f"  {self.verdict}"])


class Number(str):
    """A number as it is written."""


class Fields(list):
    """The names and values of an object."""


def read_json(data: bytes) -> Any:
    def no_number(word: str) -> NoReturn:
        raise Refused(f"header: {word} is no JSON")

    depth = 0
    for sign in re.finditer(rb'"(?:[^"\\]|\\.)*"|[][{}]', data, re.DOTALL):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(sign[0], 0)
        if depth > MOST_NESTED:
            raise Refused(f"header: nested more than {MOST_NESTED} deep")
    try:
        text = data.decode("utf-8")
        return json.loads(
            text, object_pairs_hook=Fields, parse_int=Number, parse_float=Number, parse_constant=no_number
        )
    except (ValueError, RecursionError) as error:
        raise Refused("header: no JSON in UTF-8") from error


def take(value: Any, fields: dict[str, type], where: str, ignored: str | None = None) -> list[Any]:
    """The values of the fields of an object that has these and no others, each of the type given."""
    if type(value) is not Fields:
        raise Refused(f"{where}: no object")
    found = dict(value)
    if len(found) < len(value):
        raise Refused(f"{where}: a field is there twice")
    if ignored is not None:
        found.pop(ignored, None)
    if found.keys() != fields.keys():
        raise Refused(f"{where}: the fields are {', '.join(fields)}")
    for name, wanted in fields.items():
        if wanted is int:
            if type(found[name]) is not Number or not re.fullmatch("0|-?[1-9][0-9]{0,18}", found[name], re.ASCII):
                raise Refused(f"{where}: {name} is no whole number, or too large")
            found[name] = int(found[name])
        elif type(found[name]) is not wanted:
            raise Refused(f"{where}: {name} is of the wrong type")
        elif wanted is str:
            check_text(found[name], where)
        elif not found[name]:
            raise Refused(f"{where}: {name} is empty")
    return [found[name] for name in fields]


def check_text(text: str, where: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused(f"{where}: half a character") from error


def exactly(file: BinaryIO, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        piece = file.read(count - len(data))
        if not piece:
            raise Refused("the file is cut short")
        data += piece
    return bytes(data)


def read(file: BinaryIO, report: Report) -> tuple[Game, list[Claim]]:
    """All that can be checked without a walk; the blocks come next in the file."""
    beginning = file.read(16)
    if beginning[:8] != b"zermelo\n":
        raise Refused("no certificate")
    if len(beginning) < 16:
        raise Refused("the file is cut short")
    version = int.from_bytes(beginning[8:12], "little")
    if version not in (2, 3):
        raise Refused(f"the version of the format is {version}, and not 2 or 3")
    length = int.from_bytes(beginning[12:16], "little")
    if length > LONGEST_HEADER:
        raise Refused("the header is too long")
    if length > MOST_READ:
        raise NotChecked(f"the header has {length} bytes, more than {MOST_READ}")
    digest, text = exactly(file, 32), exactly(file, length)
    if hashlib.sha256(text).digest() != digest:
        raise Refused("the digest of the header is wrong")
    header = read_json(text)
    if type(header) is Fields and "database" in dict(header):
        raise Refused("the proof rests on an endgame database, which this checker cannot read")
    fields = {"game": str, "rules": int, "position": str, "search": int, "claims": list}
    report.game, rules, report.position, search, listed = take(header, fields, "header", "made")
    if rules != 1:
        raise Refused("the version of the rules is not 1")
    if not 0 <= search <= MOST_SEARCHED:
        raise Refused(f"header: search is a number from 0 to {MOST_SEARCHED}")
    game = make_game(report.game)
    try:
        position = game.parse(report.position)
    except Refused as error:
        raise Refused(f"position {shown(report.position)}: {error}") from error
    if len(listed) > 2:
        raise Refused("more than two claims")
    claims: list[Claim] = []
    if version == 3 and not any(type(entry) is Fields and "within" in dict(entry) for entry in listed):
        raise Refused("no claim has a length: the version of such a file is 2")
    for claim_number, entry in enumerate(listed, 1):
        where = f"claim {claim_number}"
        fields = {"claimant": str, "value": int, "positions": int, "blocks": list}
        bounded = version == 3 and type(entry) is Fields and "within" in dict(entry)
        claimant, value, positions, blocks, *length = take(entry, fields | {"within": int} if bounded else fields, where)
        if bounded and not 0 <= length[0] <= MOST_PLIES:
            raise Refused(f"{where}: within is a number from 0 to {MOST_PLIES}")
        if bounded and game.superko:
            raise Refused(f"{where}: no claim has a length where boards must not be repeated")
        if bounded and len(blocks) > 1:
            raise Refused(f"{where}: a claim with a length has one block")
        if claimant not in PLAYERS or any(PLAYERS[claim.claimant] == claimant for claim in claims):
            raise Refused(f"{where}: the claimants are first and second, each once")
        if not game.least <= value <= game.most:
            raise Refused(f"{where}: no value of this game")
        claim = Claim(PLAYERS.index(claimant), value, search, length[0] if bounded else None)
        claims.append(claim)
        for number, block in enumerate(blocks, 1):
            where = f"claim {claim_number}, block {number}"
            fields = {"starts": list, "positions": int, "size": int, "bytes": int, "sha256": str}
            starts, answered, size, length, digest = take(block, fields, where)
            if min(answered, size, length) < 0:
                raise Refused(f"{where}: a number is negative")
            parsed = []
            for start in starts:
                if type(start) is not str:
                    raise Refused(f"{where}: a start is no text")
                check_text(start, where)
                try:
                    parsed.append(game.parse(start))
                except Refused as error:
                    raise Refused(f"{where}, start {shown(start)}: {error}") from error
            claim.blocks.append(Block(parsed, answered, size, length, digest))
        if bounded and len(claim.blocks[0].starts) > 1:
            raise Refused(f"{where}: a claim with a length has one start")
        if claim.blocks[0].starts[0] != position:
            raise Refused(f"claim {claim_number}: the first start is not the position of the claims")
        if sum(block.positions for block in claim.blocks) != positions:
            raise Refused(f"claim {claim_number}: positions is not the sum over its blocks")
    report.claims = [str(claim) for claim in claims]
    if file.seekable():
        here, end = file.tell(), file.seek(0, io.SEEK_END)
        file.seek(here)
        stated = sum(block.length for claim in claims for block in claim.blocks)
        if stated != end - here:
            raise Refused("the file is cut short" if stated > end - here else "there are bytes after the last block")
    return game, claims


def unpack(packed: Packed, size: int) -> Iterator[bytes]:
    """The bytes of a block, some at a time."""
    unpacker = zlib.decompressobj()
    total = 0
    try:
        for data in packed.pieces():
            while not unpacker.eof:
                piece = unpacker.decompress(data, PIECE)
                data = unpacker.unconsumed_tail
                total += len(piece)
                if total > size:
                    raise Refused("the block is longer than its size")
                yield piece
                if not data and len(piece) < PIECE:
                    break
            if unpacker.eof and (unpacker.unused_data or packed.left):
                raise Refused("there are bytes after the zlib stream")
    except zlib.error as error:
        raise Refused("no zlib stream") from error
    if not unpacker.eof:
        raise Refused("the zlib stream is cut short")
    if total != size:
        raise Refused("the block is shorter than its size")


def read_answers(packed: Packed, size: int) -> Iterator[int]:
    number = shift = 0
    for piece in unpack(packed, size):
        for byte in piece:
            if byte < 128:
                yield number | byte << shift
                number = shift = 0
            elif shift == 14:
                raise Refused("an answer takes more than three bytes")
            else:
                number |= (byte & 127) << shift
                shift += 7
    if shift:
        raise Refused("the last answer is cut short")


# --- The walk --------------------------------------------------------------------------------------------------------


class Walk:
    """The walk through the blocks of one claim."""

    def __init__(self, game: Game, claim: Claim, report: Report, file: BinaryIO) -> None:
        self.game, self.claim, self.report, self.file = game, claim, report, file
        self.no_circles = game.repetition is not None and not claim.kept_by(game.repetition)
        self.here = ""  # where the walk is, for messages
        self.put_off: dict[bytes, tuple[int, int]] = {}  # position by key, and number of the block
        self.answered: list[bytes] = []  # for each block, all keys of positions with a move in one string

    def run(self) -> None:
        blocks = self.claim.blocks
        if self.no_circles and len(blocks) > 1:
            raise Refused("more than one block where a strategy must not run in a circle")
        for number, block in enumerate(blocks, 1):
            self.go_through(number, block)
        for keys in self.answered:
            if not self.put_off:
                return
            length = len(next(iter(self.put_off)))
            for at in range(0, len(keys), length):
                self.put_off.pop(keys[at : at + length], None)
        for position, number in self.put_off.values():
            place = shown(self.game.text(position, self.claim.claimant))
            raise Refused(f"block {number}, at {place}: put off, and no block has a move for it")

    def go_through(self, number: int, block: Block) -> None:
        """Walks through a block and compares its digest, whatever the walk says: damage is called damage."""
        self.here = ""
        packed = Packed(self.file, block)
        try:
            try:
                self.walk(number, block, packed)
            except Refused:
                packed.finish()
                raise
            packed.finish()
        except Refused as error:
            raise Refused(f"block {number}{self.here}: {error}") from error

    def refuse(self, position: int, mover: int, reason: str) -> NoReturn:
        self.here = f", at {shown(self.game.text(position, mover))}"
        raise Refused(reason)

    def end(self, position: int, mover: int, depth: int) -> None:
        value = self.game.value(position, mover)
        if not self.claim.kept_by(value):
            self.refuse(position, mover, f"the game ends with {value}")
        self.report.leaves += 1
        if depth > self.report.deepest:
            self.report.deepest = depth

    def search(self, root: int) -> None:
        """Plain minimax from a position of the claimant, within the limit of the file."""
        claimant, game = self.claim.claimant, self.game
        looked_at = 0
        # For each position of the line: whether the claimant moves there, and what is left to try.
        line: list[tuple[bool, Iterator[int]]] = []
        position, mover = root, claimant
        while True:
            looked_at += 1
            if looked_at > self.claim.search:
                self.refuse(root, claimant, "there is too much to search")
            after = game.moves(position, mover)
            if after:
                line.append((mover == claimant, iter(after)))
            else:
                self.report.leaves += 1
                kept = self.claim.kept_by(game.value(position, mover))
                # Upwards, as long as this settles the position before or nothing is left to try there.
                while line and (line[-1][0] == kept or (following := next(line[-1][1], None)) is None):
                    line.pop()
                if not line:
                    if not kept:
                        self.refuse(root, claimant, "the claim cannot be kept")
                    return
                position, mover = following, claimant ^ line[-1][0]
                continue
            position, mover = next(line[-1][1]), mover ^ 1

    def walk(self, number: int, block: Block, packed: Packed) -> None:
        claimant, opponent = self.claim.claimant, 1 - self.claim.claimant
        moves, key_of = self.game.moves, self.game.key
        answers = read_answers(packed, block.size)
        met: set[bytes] = set()  # keys
        seen: set[int] = set()  # those positions of which the key is known to be in met: spares most keys
        done: list[bytes] = []  # keys of positions with a move
        visiting: dict[bytes, None] = {}  # where no circles may be: keys of positions met and not over, in order
        for start, mover in block.starts:
            # Each entry holds the positions of the claimant that are left to visit after one of its moves.
            if mover == claimant:
                stack, before = [iter([start])], -2
            elif replies := moves(start, opponent):
                stack, before = [iter(replies)], -1
            else:
                self.end(start, mover, 0)
                continue
            deepest = len(stack)
            while stack:
                for position in stack[-1]:
                    if position in seen:
                        if visiting and key_of(position) in visiting:
                            self.refuse(position, claimant, "the strategy runs in a circle")
                        continue
                    after = moves(position, claimant)
                    if not after:
                        self.end(position, claimant, before + 2 * len(stack))
                        continue
                    key = key_of(position)
                    if key in met:
                        if key in visiting:
                            self.refuse(position, claimant, "the strategy runs in a circle")
                        seen.add(position)
                        continue
                    met.add(key)
                    seen.add(position)
                    answer = next(answers, None)
                    if answer is None:
                        self.refuse(position, claimant, "there is no answer left")
                    if answer == 0:
                        if len(self.claim.blocks) == 1:
                            self.refuse(position, claimant, "put off, and there is no other block")
                        self.put_off.setdefault(key, (position, number))
                        continue
                    done.append(key)
                    if answer == 1:
                        self.search(position)
                        continue
                    if answer - 1 > len(after):
                        self.refuse(position, claimant, f"move {answer - 1} of {len(after)}")
                    moved = after[answer - 2]
                    replies = moves(moved, opponent)
                    if not replies:
                        self.end(moved, opponent, before + 2 * len(stack) + 1)
                        continue
                    if self.no_circles:
                        visiting[key] = None
                    stack.append(iter(replies))
                    if len(stack) > deepest:
                        deepest = len(stack)
                    break
                else:
                    stack.pop()
                    if visiting:
                        visiting.popitem()
            self.report.deepest = max(self.report.deepest, before + 2 * deepest)
        self.report.positions += len(done)
        if next(answers, None) is not None:
            raise Refused("there are answers left")
        if len(done) != block.positions:
            raise Refused(f"{len(done)} positions have a move, not {block.positions}")
        if len(self.claim.blocks) > 1:
            self.answered.append(b"".join(done))


class BoundedWalk(Walk):
    """The walk of a claim with a length: it finds out the height of every position."""

    def walk(self, number: int, block: Block, packed: Packed) -> None:
        claimant, opponent, within = self.claim.claimant, 1 - self.claim.claimant, self.claim.within
        moves, key_of = self.game.moves, self.game.key
        answers = read_answers(packed, block.size)
        heights: dict[bytes, int] = {}  # of positions of the claimant, by key; -1 while the visit is not over
        start, mover = block.starts[0]
        # For each visit that is not over: what is left to visit after its move, the largest height there so far, its key.
        stack: list[tuple[Iterator[int], bytes]] = []
        highest: list[int] = []
        first, height = 0, 0
        if mover == claimant:
            stack.append((iter([start]), b""))
        elif replies := moves(start, opponent):
            stack.append((iter(replies), b""))
            first = 1
        else:
            self.end(start, mover, 0)
        highest += [0] * len(stack)
        while stack:
            left, visited = stack[-1]
            ply = first + 2 * (len(stack) - 1)
            for position in left:
                after = moves(position, claimant)
                if not after:
                    self.end(position, claimant, ply)
                    continue
                key = key_of(position)
                known = heights.get(key)
                if known is not None:
                    if known < 0:
                        self.refuse(position, claimant, "the strategy runs in a circle")
                    highest[-1] = max(highest[-1], known)
                    continue
                if ply >= within:
                    self.refuse(position, claimant, f"play goes on after {within} plies")
                answer = next(answers, None)
                if answer is None:
                    self.refuse(position, claimant, "there is no answer left")
                if answer < 2:
                    self.refuse(position, claimant, "there must be a move")
                if answer - 1 > len(after):
                    self.refuse(position, claimant, f"move {answer - 1} of {len(after)}")
                heights[key] = -1
                moved = after[answer - 2]
                replies = moves(moved, opponent)
                if replies:
                    stack.append((iter(replies), key))
                    highest.append(0)
                    break
                self.end(moved, opponent, ply + 1)
                heights[key] = 1
                highest[-1] = max(highest[-1], 1)
            else:
                stack.pop()
                height = highest.pop() + (2 if stack else first)
                if stack:
                    heights[visited] = height
                    highest[-1] = max(highest[-1], height)
        self.report.positions += len(heights)
        if next(answers, None) is not None:
            raise Refused("there are answers left")
        if len(heights) != block.positions:
            raise Refused(f"{len(heights)} positions have a move, not {block.positions}")
        if height > within:
            raise Refused(f"play may go on for {height} plies, and {within} are claimed")
        self.report.longest[-1] = height


@dataclass
class Frame:
    """A position whose visit is not over, where boards must not be repeated."""

    position: int
    mover: int
    board: int
    left: list[int]  # what is still to be visited, the next last
    makes: set[int] = field(default_factory=set)
    needs: set[int] = field(default_factory=set)


class LineWalk(Walk):
    """The walk where boards must not be repeated."""

    def run(self) -> None:
        if len(self.claim.blocks) > 1 or len(self.claim.blocks[0].starts) > 1:
            raise Refused("more than one block or start where boards must not be repeated")
        self.go_through(1, self.claim.blocks[0])

    def walk(self, number: int, block: Block, packed: Packed) -> None:
        self.answers = read_answers(packed, block.size)
        self.proofs: dict[int, list[tuple[set[int], set[int]]]] = {}
        self.line: list[int] = []
        self.frames: list[Frame] = []
        self.answered_here = 0
        start, mover = block.starts[0]
        if (before := self.game.before(start, mover)) is not None:
            self.line.append(before)
        self.visit(start, mover)
        while self.frames:
            frame = self.frames[-1]
            if frame.left:
                self.visit(frame.left.pop(), 1 - frame.mover)
            else:
                self.leave()
        self.report.positions += self.answered_here
        if next(self.answers, None) is not None:
            raise Refused("there are answers left")
        if self.answered_here != block.positions:
            raise Refused(f"{self.answered_here} positions have a move, not {block.positions}")

    def visit(self, position: int, mover: int) -> None:
        after = self.game.moves(position, mover)
        if not after:
            self.end(position, mover, len(self.frames))
            return
        self.report.deepest = max(self.report.deepest, len(self.frames))
        board = self.game.board(position)
        mine = mover == self.claim.claimant
        stood = {*self.line, board}
        if mine:
            for makes, needs in self.proofs.get(position, []):
                if not makes & stood and needs <= stood:
                    if self.frames:
                        self.frames[-1].makes |= makes
                        self.frames[-1].needs |= needs
                    return
        frame = Frame(position, mover, board, [])
        if mine:
            answer = next(self.answers, None)
            if answer is None:
                self.refuse(position, mover, "there is no answer left")
            if answer < 2:
                self.refuse(position, mover, "there must be a move")
            if answer - 1 > len(after):
                self.refuse(position, mover, f"move {answer - 1} of {len(after)}")
            self.answered_here += 1
            made = self.game.board(after[answer - 2])
            if made != board:
                if made in stood:
                    self.refuse(position, mover, "a board comes back")
                frame.makes.add(made)
            frame.left.append(after[answer - 2])
        else:
            for reply in reversed(after):
                made = self.game.board(reply)
                if made != board and made in stood:
                    frame.needs.add(made)
                else:
                    frame.left.append(reply)
        self.line.append(board)
        self.frames.append(frame)

    def leave(self) -> None:
        frame = self.frames.pop()
        self.line.pop()
        frame.needs.discard(frame.board)
        if frame.mover == self.claim.claimant:
            self.proofs.setdefault(frame.position, []).append((frame.makes, frame.needs))
        if self.frames:
            self.frames[-1].makes |= frame.makes
            self.frames[-1].needs |= frame.needs


def check(data: bytes | BinaryIO, name: str = "") -> Report:
    """Checks a certificate, the bytes or an open file; whatever is amiss is told in the verdict."""
    report, began = Report(name), time.perf_counter()
    file = io.BytesIO(data) if isinstance(data, bytes) else data
    try:
        game, claims = read(file, report)
        for number, claim in enumerate(claims, 1):
            report.longest.append(None)
            kind = LineWalk if game.superko else Walk if claim.within is None else BoundedWalk
            try:
                kind(game, claim, report, file).run()
            except Refused as error:
                raise Refused(f"claim {number}, {error}") from error
        if file.read(1):
            raise Refused("there are bytes after the last block")
    except UnknownGame as error:
        report.verdict = f"cannot check: {error}"
    except Refused as error:
        report.verdict = f"refused: {error}"
    except NotChecked as error:
        report.verdict = f"not checked: {error}"
    report.seconds = time.perf_counter() - began
    return report


CODES = {"proved": 0, "refused": 1, "not checked": 2, "cannot check": UNKNOWN_GAME}  # of verdicts


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Checks Zermelo certificates.",
        epilog="Exit code: 0 if all files are proved; 2 for wrong usage, a file that cannot be read or a header that is too "
        "long; otherwise 1 if any file is refused; otherwise 5, as a file is about a game that is not known here.",
    )
    parser.add_argument("files", metavar="FILE", nargs="+")
    parser.add_argument("--json", action="store_true", help="one JSON object a file, one a line")
    options = parser.parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    codes = {0}
    for name in options.files:
        try:
            with open(name, "rb") as file:
                report = check(file, name)
        except (OSError, ValueError) as error:
            print(f"{shown(name)}: {shown(str(error))}", file=sys.stderr)
            codes.add(2)
            continue
        print(json.dumps(vars(report)).replace("\x7f", "\\u007f") if options.json else report, flush=True)
        codes.add(CODES[report.verdict.partition(":")[0]])
    return next(code for code in (2, 1, UNKNOWN_GAME, 0) if code in codes)


if __name__ == "__main__":
    sys.exit(main())
