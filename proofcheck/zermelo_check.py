#!/usr/bin/env python3
"""A checker of Zermelo certificates, written from docs/certificate.md alone.

A certificate claims that one player can reach a value from a position, and holds a strategy that does. The checker
plays the strategy against every reply and accepts the file only if each line of play ends as claimed. It has its own
rules of all games and shares no code with the solver.

    zermelo_check.py FILE [FILE ...] [--json]

Exit code: 0 if all files are proved, 1 if any is refused, 2 for wrong usage or a file that cannot be read.

A board is one integer: the stones of the first player in its low bits, one bit a cell, those of the second above them.
Each row of cells is followed by `pad` bits that are never set, so that a shifted set cannot run over into the next row.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NoReturn

FIRST, SECOND = 0, 1
PLAYERS = ("first", "second")
PIECE = 1 << 16  # bytes unpacked at a time: a block that unpacks to far more than it should costs no memory
MOST_SEARCHED = 1 << 16  # positions that a file may ask to look at in one search
CACHED = 1 << 19  # positions of one player's stones of which the blocks are kept


class Refused(Exception):
    """The file is no proof; the message says why."""


# --- Games -----------------------------------------------------------------------------------------------------------


class Game:
    """The rules of one game. A position is an integer; the player to move (FIRST, SECOND) goes beside it."""

    least, most = -1, 1
    repetition: int | None = None  # value of a line that comes back; None where none can
    superko = False  # whether no board may come back

    def parse(self, text: str) -> tuple[int, int]:
        """Position and player to move; raises Refused."""
        raise NotImplementedError

    def text(self, position: int, mover: int) -> str:
        raise NotImplementedError

    def moves(self, position: int, mover: int) -> list[int]:
        """The positions after each move, in the order of moves; none if the game is over."""
        raise NotImplementedError

    def value(self, position: int, mover: int) -> int:
        """The value of a position in which the game is over."""
        raise NotImplementedError

    def key(self, position: int) -> bytes:
        """The same for a position and its images, and for no others; of one length for all positions of a game."""
        raise NotImplementedError


class Board(Game):
    symbols = ".xo"
    images = "all"  # or "mirrors" (no diagonals), or "left-right"
    max_cells = 63
    least_rows = least_columns = 1
    pad = 1

    def __init__(self, rows: int, columns: int) -> None:
        if rows < self.least_rows or columns < self.least_columns or rows * columns > self.max_cells:
            raise Refused(f"no board of {rows}x{columns} in this game")
        self.rows, self.columns = rows, columns
        self.width = columns + self.pad
        self.plane = rows * self.width
        self.low = (1 << self.plane) - 1
        self.order = [row * self.width + column for row in range(rows) for column in range(columns)]
        self.cells = sum(1 << at for at in self.order)
        # A stone of each player on each cell, in the order of cells.
        self.stones = [[(1 << at, 1 << at + player * self.plane) for at in self.order] for player in (FIRST, SECOND)]
        self._prepare_images()

    def _prepare_images(self) -> None:
        """For each byte of a position and each value of it, its part of all images, side by side in one integer."""
        last_row, last_column = self.rows - 1, self.columns - 1
        maps = [lambda r, c: (r, c), lambda r, c: (r, last_column - c)]
        if self.images != "left-right":
            maps += [lambda r, c: (last_row - r, c), lambda r, c: (last_row - r, last_column - c)]
        if self.images == "all" and self.rows == self.columns:
            maps += [lambda r, c, image=image: image(c, r) for image in maps]
        planes = len(self.symbols) - 1
        self.length = (planes * self.plane + 7) // 8
        parts = [0] * (8 * self.length)
        for number, image in enumerate(maps):
            for row in range(self.rows):
                for column in range(self.columns):
                    to_row, to_column = image(row, column)
                    for above in range(0, planes * self.plane, self.plane):
                        to = 8 * self.length * number + above + to_row * self.width + to_column
                        parts[above + row * self.width + column] |= 1 << to
        self.parts: list[list[int]] = []
        for byte in range(self.length):
            table = [0]
            for part in parts[8 * byte : 8 * byte + 8]:
                table += [entry | part for entry in table]
            self.parts.append(table)
        self.all_length = self.length * len(maps)
        self.slices = [slice(at, at + self.length) for at in range(0, self.all_length, self.length)]

    def key(self, position: int) -> bytes:
        images = 0
        for table, byte in zip(self.parts, position.to_bytes(self.length, "little")):
            images |= table[byte]
        data = images.to_bytes(self.all_length, "little")
        return min([data[part] for part in self.slices])

    def parse(self, text: str) -> tuple[int, int]:
        board, blank, turn = text.partition(" ")
        rows = board.split("/")
        if not blank or turn not in PLAYERS:
            raise Refused("a position ends with a blank and first or second")
        if len(rows) != self.rows or any(len(row) != self.columns for row in rows):
            raise Refused(f"a position has {self.rows} rows of {self.columns} cells")
        position, mover = 0, PLAYERS.index(turn)
        for at, symbol in zip(self.order, "".join(reversed(rows))):
            if symbol not in self.symbols:
                raise Refused(f"cells are written {' '.join(self.symbols)}")
            if symbol != self.symbols[0]:
                position |= 1 << at + self.plane * (self.symbols.index(symbol) - 1)
        return self.settle(position, mover), mover

    def settle(self, position: int, mover: int) -> int:
        """The position as the rules below have it; raises Refused if it cannot come up and they do not cover it."""
        return position

    def text(self, position: int, mover: int) -> str:
        first, second = position & self.low, position >> self.plane
        cells = [self.symbols[(first >> at & 1) + 2 * (second >> at & 1)] for at in self.order]
        rows = ["".join(cells[at : at + self.columns]) for at in range(0, len(cells), self.columns)]
        return "/".join(reversed(rows)) + " " + PLAYERS[mover]

    def split(self, position: int, mover: int) -> tuple[int, int]:
        """Stones of the player to move and of the other."""
        first, second = position & self.low, position >> self.plane
        return (second, first) if mover else (first, second)

    def spread(self, cells: int) -> int:
        """The neighbours of a set of cells, and bits outside the board."""
        return cells << 1 | cells >> 1 | cells << self.width | cells >> self.width

    def value(self, position: int, mover: int) -> int:
        """Who cannot move loses, unless a game says otherwise."""
        return 1 if mover else -1


class Mnk(Board):
    def __init__(self, rows: int, columns: int, line: int) -> None:
        super().__init__(rows, columns)
        if line < 1:
            raise Refused("a row takes one stone at least")
        directions = (1, self.width - 1, self.width, self.width + 1) if line <= max(rows, columns) else ()
        # Ends of rows of 1, 2, 4, ... stones give those of `line` stones in few steps.
        strides, have = [], 1
        while directions and have < line:
            strides.append(min(have, line - have))
            have += strides[-1]
        self.shifts = [[direction * stride for stride in strides] for direction in directions]

    def has_row(self, stones: int) -> bool:
        for shifts in self.shifts:
            ends = stones
            for shift in shifts:
                ends &= ends >> shift
            if ends:
                return True
        return False

    def settle(self, position: int, mover: int) -> int:
        if self.has_row(self.split(position, mover)[0]):
            raise Refused("the player to move has a row already")
        return position

    def moves(self, position: int, mover: int) -> list[int]:
        own, other = self.split(position, mover)
        if self.has_row(other):
            return []
        empty = self.cells & ~(own | other)
        return [position | stone for cell, stone in self.stones[mover] if empty & cell]

    def value(self, position: int, mover: int) -> int:
        if not self.has_row(self.split(position, mover)[1]):
            return 0
        return 1 if mover else -1


class Connect4(Mnk):
    images = "left-right"

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(rows, columns, 4)
        if rows > 19 or (rows + 1) * columns > 64:
            raise Refused(f"no board of {rows}x{columns} in this game")
        first_column = sum(1 << row * self.width for row in range(rows))
        self.files = [first_column << column for column in range(columns)]

    def settle(self, position: int, mover: int) -> int:
        own, other = self.split(position, mover)
        stones = own | other
        ground = (1 << self.columns) - 1
        if stones & ~(ground | stones << self.width):
            raise Refused("a stone hangs in the air")
        if other.bit_count() - own.bit_count() != mover:
            raise Refused("the number of stones does not fit the turn")
        return super().settle(position, mover)

    def moves(self, position: int, mover: int) -> list[int]:
        own, other = self.split(position, mover)
        if self.has_row(other):
            return []
        empty = self.cells & ~(own | other)
        above = self.plane if mover else 0
        return [position | (free & -free) << above for file in self.files if (free := empty & file)]


class Domineering(Board):
    """A position is the set of free cells."""

    symbols = "#."
    images = "mirrors"
    max_cells = 127

    def __init__(self, rows: int, columns: int, misere: bool, horizontal: bool) -> None:
        super().__init__(rows, columns)
        self.misere = misere
        upright = [1 << at | 1 << at + self.width for at in sorted(self.order, key=lambda at: (at % self.width, at))]
        flat = [1 << at | 1 << at + 1 for at in self.order]
        dominoes = [[domino for domino in kind if not domino & ~self.cells] for kind in (upright, flat)]
        self.dominoes = dominoes[::-1] if horizontal else dominoes

    def settle(self, position: int, mover: int) -> int:
        return position & self.spread(position)

    def moves(self, position: int, mover: int) -> list[int]:
        width = self.width
        return [
            (free := position ^ domino) & (free << 1 | free >> 1 | free << width | free >> width)
            for domino in self.dominoes[mover]
            if position & domino == domino
        ]

    def value(self, position: int, mover: int) -> int:
        return -super().value(position, mover) if self.misere else super().value(position, mover)


class Nogo(Board):
    def __init__(self, rows: int, columns: int) -> None:
        super().__init__(rows, columns)
        self.cache: dict[int, list[int]] = {}

    def borders(self, stones: int) -> list[int]:
        """For each block of the stones the cells beside it."""
        found = self.cache.get(stones)
        if found is None:
            found, left = [], stones
            while left:
                block, grown = 0, left & -left
                while grown != block:
                    block, grown = grown, (grown | self.spread(grown)) & stones
                left ^= block
                found.append(self.spread(block) & self.cells & ~block)
            if len(self.cache) >= CACHED:
                self.cache.clear()
            self.cache[stones] = found
        return found

    def captured(self, stones: int, empty: int) -> bool:
        return any(not border & empty for border in self.borders(stones))

    def settle(self, position: int, mover: int) -> int:
        own, other = self.split(position, mover)
        empty = self.cells & ~(own | other)
        if self.captured(own, empty) or self.captured(other, empty):
            raise Refused("a block has no liberty")
        return position

    def moves(self, position: int, mover: int) -> list[int]:
        own, other = self.split(position, mover)
        empty = self.cells & ~(own | other)
        # A stone has a liberty if a neighbour is empty, or if it joins a block that has one more.
        allowed = self.spread(empty)
        for border in self.borders(own):
            liberties = border & empty
            if liberties & liberties - 1:
                allowed |= liberties
        allowed &= empty
        for border in self.borders(other):
            liberties = border & empty
            if not liberties & liberties - 1:
                allowed &= ~liberties
        return [position | stone for cell, stone in self.stones[mover] if allowed & cell]


class Atarigo(Nogo):
    def settle(self, position: int, mover: int) -> int:
        own, other = self.split(position, mover)
        empty = self.cells & ~(own | other)
        if self.captured(other, empty) and not self.captured(own, empty):
            raise Refused("a block of the player who has just moved has no liberty")
        return position

    def moves(self, position: int, mover: int) -> list[int]:
        own, other = self.split(position, mover)
        empty = self.cells & ~(own | other)
        allowed = self.spread(empty)
        for border in self.borders(own):
            liberties = border & empty
            if not liberties:
                return []
            if liberties & liberties - 1:
                allowed |= liberties
        for border in self.borders(other):
            liberties = border & empty
            if not liberties & liberties - 1:
                allowed |= liberties  # takes the block
        allowed &= empty
        return [position | stone for cell, stone in self.stones[mover] if allowed & cell]


class Go(Nogo):
    """Above the stones of both players: passes in a row (two bits), then the cell of the ko and one, or 0."""

    max_cells = 25
    superko = True

    def __init__(self, rows: int, columns: int, komi: Fraction | None) -> None:
        super().__init__(rows, columns)
        self.komi = komi
        if komi is None:
            self.least, self.most = -rows * columns, rows * columns
        self.passed = 1 << 2 * self.plane
        self.ko = self.passed << 2

    def board(self, position: int) -> int:
        return position & self.passed - 1

    def key(self, position: int) -> bytes:
        return position.to_bytes((2 * self.plane + 9) // 8 + 1, "little")

    def parse(self, text: str) -> tuple[int, int]:
        words = text.split(" ")
        position, mover = super().parse(" ".join(words[:2]))
        more = words[2:]
        if more in ([], ["passed"], ["over"]):
            return position + self.passed * ([], ["passed"], ["over"]).index(more), mover
        if len(more) != 2 or more[0] != "ko" or more[1] not in (names := [self.name(at) for at in self.order]):
            raise Refused("after the turn comes ko and a cell, passed, over, or nothing")
        position += self.ko * (self.order[names.index(more[1])] + 1)
        before = self.before(position, mover)
        if before is None or position not in self.moves(before, 1 - mover):
            raise Refused("no move can have left this ko")
        return position, mover

    def name(self, at: int) -> str:
        return "abcdefghijklmnopqrstuvwxyz"[at % self.width] + str(at // self.width + 1)

    def text(self, position: int, mover: int) -> str:
        ko, passes = position // self.ko, position // self.passed & 3
        more = f" ko {self.name(ko - 1)}" if ko else ("", " passed", " over")[passes]
        return super().text(self.board(position), mover) + more

    def before(self, position: int, mover: int) -> int | None:
        """The board before a ko: the taken stone back, the one that took it away."""
        at = position // self.ko - 1
        if at < 0:
            return None
        own, other = self.split(self.board(position), mover)
        cell = 1 << at
        if (own | other) & cell:
            return None
        other, own = self.take(cell, own | cell, other), own | cell
        empty = self.cells & ~(own | other)
        if self.captured(own, empty) or self.captured(other, empty):
            return None
        return self.join(own, other, mover)

    def join(self, own: int, other: int, mover: int) -> int:
        return other | own << self.plane if mover else own | other << self.plane

    def take(self, stone: int, own: int, other: int) -> int:
        """The stones of the other player that are left after a stone, which is among the own ones."""
        empty = self.cells & ~(own | other)
        left = other
        rest = self.spread(stone) & other
        while rest:
            block, grown = 0, rest & -rest
            while grown != block:
                block, grown = grown, (grown | self.spread(grown)) & other
            rest &= ~block
            if not self.spread(block) & empty:
                left &= ~block
        return left

    def moves(self, position: int, mover: int) -> list[int]:
        passes, ko = position // self.passed & 3, position // self.ko
        if passes == 2:
            return []
        board = self.board(position)
        own, other = self.split(board, mover)
        after = []
        for at in self.order:
            cell = 1 << at
            if (own | other) & cell or ko == at + 1:
                continue
            put, left = own | cell, self.take(cell, own | cell, other)
            empty = self.cells & ~(put | left)
            if self.captured(put, empty):
                continue
            taken, beside = other & ~left, self.spread(cell) & self.cells
            next_ko = 0
            if taken.bit_count() == 1 and not beside & put and beside & empty == taken:
                next_ko = taken.bit_length()
            after.append(self.join(put, left, mover) + self.ko * next_ko)
        after.append(board + self.passed * (passes + 1))
        return after

    def value(self, position: int, mover: int) -> int:
        first, second = position & self.low, self.board(position) >> self.plane
        empty = self.cells & ~(first | second)

        def reached(stones: int) -> int:
            area = self.spread(stones) & empty
            while (grown := (area | self.spread(area)) & empty) != area:
                area = grown
            return area

        by_first, by_second = reached(first), reached(second)
        score = (first | by_first & ~by_second).bit_count() - (second | by_second & ~by_first).bit_count()
        return score if self.komi is None else (score > self.komi) - (score < self.komi)


class Breakthrough(Board):
    images = "left-right"
    least_rows, least_columns = 4, 2
    steps = ((-1, 1, True), (1, 1, True), (0, 1, False))

    def __init__(self, rows: int, columns: int, misere: bool) -> None:
        super().__init__(rows, columns)
        self.misere = misere
        bottom = (1 << columns) - 1
        # A piece of the first player on its last row, or of the second on its own.
        self.arrived = (bottom << (rows - 1) * self.width, bottom << self.plane)
        self.shifts = [(column + row * self.width, takes) for column, row, takes in self.steps]

    def settle(self, position: int, mover: int) -> int:
        if position & self.arrived[FIRST] and position & self.arrived[SECOND]:
            raise Refused("both players have a piece on their last row")
        return position

    def moves(self, position: int, mover: int) -> list[int]:
        if position & self.arrived[FIRST] or position & self.arrived[SECOND]:
            return []
        plane = self.plane
        if mover:
            own, other, own_plane, other_plane = position >> plane, position & self.low, plane, 0
        else:
            own, other, own_plane, other_plane = position & self.low, position >> plane, 0, plane
        allowed = self.cells & ~own
        after = []
        for shift, takes in self.shifts:
            ends = (own >> shift if mover else own << shift) & allowed
            if not takes:
                ends &= ~other
            while ends:
                end = ends & -ends
                ends ^= end
                moved = position ^ (end | (end << shift if mover else end >> shift)) << own_plane
                after.append(moved ^ end << other_plane if end & other else moved)
        return after

    def value(self, position: int, mover: int) -> int:
        if position & self.arrived[FIRST]:
            value = 1
        elif position & self.arrived[SECOND]:
            value = -1
        else:
            value = super().value(position, mover)
        return -value if self.misere else value


class Knightthrough(Breakthrough):
    pad = 2
    steps = ((-1, 2, True), (1, 2, True), (-2, 1, True), (2, 1, True))


class Clobber(Board):
    def moves(self, position: int, mover: int) -> list[int]:
        own, other = self.split(position, mover)
        own_plane, other_plane = (self.plane, 0) if mover else (0, self.plane)
        after = []
        for shift in (self.width, -self.width, 1, -1):
            starts = own & (other >> shift if shift > 0 else other << -shift)
            while starts:
                start = starts & -starts
                starts ^= start
                end = start << shift if shift > 0 else start >> -shift
                after.append(position ^ (start | end) << own_plane ^ end << other_plane)
        return after


class Graph(Game):
    """A position is the number of a node."""

    def __init__(self, description: str) -> None:
        self.names: list[str] = []
        self.movers: list[int] = []
        self.targets: list[list[int]] = []
        self.values: list[int] = []
        settings: dict[str, list[str]] = {}
        nodes: dict[str, tuple[str, list[str]]] = {}
        for line in description.split("; "):
            words = line.split(" ")
            name, rest = words[0], words[1:]
            if name in ("repetition", "values", "start"):
                if name in settings or len(rest) != (2 if name == "values" else 1):
                    raise Refused(f"graph: bad line {shown(line)}")
                settings[name] = rest
            elif not self._is_name(name) or name in nodes or len(rest) < 2:
                raise Refused(f"graph: bad line {shown(line)}")
            else:
                nodes[name] = (rest[0], rest[1:])
        if "values" in settings:
            self.least, self.most = (self._number(word) for word in settings["values"])
        if self.least > self.most:
            raise Refused("graph: values the wrong way round")
        self.index = {name: number for number, name in enumerate(nodes)}
        if not nodes or settings.get("start", [next(iter(nodes))])[0] not in nodes:
            raise Refused("graph: no start")
        for name, (turn, rest) in nodes.items():
            ended = rest[0] == "="
            if turn.removesuffix(":") not in PLAYERS or ended == turn.endswith(":") or ended and len(rest) != 2:
                raise Refused(f"graph: bad line of node {shown(name)}")
            if not ended and (len(set(rest)) < len(rest) or any(target not in nodes for target in rest)):
                raise Refused(f"graph: bad moves of node {shown(name)}")
            self.names.append(name)
            self.movers.append(PLAYERS.index(turn.removesuffix(":")))
            self.targets.append([] if ended else [self.index[target] for target in rest])
            self.values.append(self._ranged(rest[1]) if ended else 0)
        for node, targets in enumerate(self.targets):
            if any(self.movers[target] == self.movers[node] for target in targets):
                raise Refused(f"graph: a move from node {shown(self.names[node])} does not hand over")
        stated = self._ranged(settings["repetition"][0]) if "repetition" in settings else None
        if self._has_cycle():
            if stated is None:
                raise Refused("graph: a cycle and no line repetition")
            self.repetition = stated

    @staticmethod
    def _is_name(word: str) -> bool:
        return re.fullmatch(r"[^\s:;=#]+", word) is not None and word not in PLAYERS

    @staticmethod
    def _number(word: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,5}", word, re.ASCII) or abs(int(word)) > 10_000:
            raise Refused(f"graph: no number: {shown(word)}")
        return int(word)

    def _ranged(self, word: str) -> int:
        number = self._number(word)
        if not self.least <= number <= self.most:
            raise Refused(f"graph: no value from {self.least} to {self.most}: {number}")
        return number

    def _has_cycle(self) -> bool:
        """Takes away nodes that no other leads to until none is left, or none can be taken."""
        leading = [0] * len(self.targets)
        for targets in self.targets:
            for target in targets:
                leading[target] += 1
        free = [node for node, count in enumerate(leading) if count == 0]
        taken = 0
        while free:
            taken += 1
            for target in self.targets[free.pop()]:
                leading[target] -= 1
                if leading[target] == 0:
                    free.append(target)
        return taken < len(self.targets)

    def parse(self, text: str) -> tuple[int, int]:
        if text not in self.index:
            raise Refused("no node of this name")
        return self.index[text], self.movers[self.index[text]]

    def text(self, position: int, mover: int) -> str:
        return self.names[position]

    def moves(self, position: int, mover: int) -> list[int]:
        return self.targets[position]

    def value(self, position: int, mover: int) -> int:
        return self.values[position]

    def key(self, position: int) -> bytes:
        return position.to_bytes(4, "little")


def make_game(name: str) -> Game:
    kind, _, rest = name.partition(" ")
    if kind == "graph":
        return Graph(rest)
    if name == "tictactoe":
        return Mnk(3, 3, 3)
    if name == "connect4":
        return Connect4(6, 7)
    words = rest.split(" ")
    if kind == "go" and len(words) in (1, 3) and re.fullmatch(r"[1-9][0-9]{0,9}x[1-9][0-9]{0,9}", words[0], re.ASCII):
        rows, columns = (int(size) for size in words[0].split("x"))
        if len(words) == 1:
            return Go(rows, columns, None)
        number = r"(?!-0$)-?(0|[1-9][0-9]{0,3})(\.[0-9]{0,2}[1-9])?"
        if words[1] == "komi" and re.fullmatch(number, words[2], re.ASCII):
            return Go(rows, columns, Fraction(words[2]))
    if not re.fullmatch(r"[1-9][0-9]{0,9}(x[1-9][0-9]{0,9})+", words[0], re.ASCII):
        raise Refused(f"unknown game {shown(name)}")
    sizes, flags = [int(size) for size in words[0].split("x")], words[1:]
    boards = {"connect4": Connect4, "nogo": Nogo, "atarigo": Atarigo, "clobber": Clobber}
    throughs = {"breakthrough": Breakthrough, "knightthrough": Knightthrough}
    if kind == "mnk" and len(sizes) == 3 and not flags:
        return Mnk(*sizes)
    if len(sizes) == 2:
        if kind in boards and not flags:
            return boards[kind](*sizes)
        if kind in throughs and flags in ([], ["misere"]):
            return throughs[kind](*sizes, misere=bool(flags))
        if kind == "domineering" and list(flags) in ([], ["misere"], ["horizontal"], ["misere", "horizontal"]):
            return Domineering(*sizes, misere="misere" in flags, horizontal="horizontal" in flags)
    raise Refused(f"unknown game {shown(name)}")


# --- The file --------------------------------------------------------------------------------------------------------


def shown(text: str) -> str:
    """For messages: short, and nothing that a terminal acts on."""
    start = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text[:200])
    return start + "..." if len(text) > 200 else start


@dataclass
class Block:
    starts: list[tuple[int, int]]
    positions: int
    size: int
    packed: memoryview


@dataclass
class Claim:
    claimant: int
    value: int
    search: int
    blocks: list[Block] = field(default_factory=list)

    def kept_by(self, value: int) -> bool:
        return value <= self.value if self.claimant else value >= self.value

    def __str__(self) -> str:
        return f"{PLAYERS[self.claimant]}: at {'most' if self.claimant else 'least'} {self.value}"


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
                f"  seconds       {self.seconds:.2f}",
            ]
        return "\n".join([*lines, f"  {self.verdict}"])


def read_json(data: bytes) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) < len(pairs):
            raise Refused("header: a field is there twice")
        return dict(pairs)

    def no_number(word: str) -> NoReturn:
        raise Refused(f"header: {word} is no JSON")

    try:
        header = json.loads(data.decode("utf-8"), object_pairs_hook=once, parse_constant=no_number)
        json.dumps(header, ensure_ascii=False).encode("utf-8")  # fails for half a surrogate pair
    except (ValueError, RecursionError) as error:
        raise Refused("header: no JSON in UTF-8") from error
    return header


def take(value: Any, fields: dict[str, type], where: str) -> list[Any]:
    """The values of the fields of an object that has these and no others, each of the type given."""
    if type(value) is not dict or value.keys() != fields.keys():
        raise Refused(f"{where}: the fields are {', '.join(fields)}")
    for name, wanted in fields.items():
        if type(value[name]) is not wanted:  # not isinstance: a bool is no number here
            raise Refused(f"{where}: {name} is of the wrong type")
        if wanted is int and abs(value[name]) >= 1 << 63:
            raise Refused(f"{where}: {name} is out of range")
        if wanted is list and not value[name]:
            raise Refused(f"{where}: {name} is empty")
    return [value[name] for name in fields]


def read(data: bytes, report: Report) -> tuple[Game, list[Claim]]:
    """All that can be checked without a walk."""
    if data[:8] != b"zermelo\n":
        raise Refused("no certificate")
    if len(data) < 48:
        raise Refused("the file is cut short")
    version = int.from_bytes(data[8:12], "little")
    if version != 2:
        raise Refused(f"the version of the format is {version}, and not 2")
    at = 48 + int.from_bytes(data[12:16], "little")
    if at > len(data):
        raise Refused("the header is cut short")
    if hashlib.sha256(data[48:at]).digest() != data[16:48]:
        raise Refused("the digest of the header is wrong")
    header = read_json(data[48:at])
    if type(header) is dict:
        header.pop("made", None)
    if type(header) is dict and "database" in header:
        raise Refused("the proof rests on an endgame database, which this checker cannot read")
    fields = {"game": str, "rules": int, "position": str, "search": int, "claims": list}
    report.game, rules, report.position, search, listed = take(header, fields, "header")
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
    for claim_number, entry in enumerate(listed, 1):
        where = f"claim {claim_number}"
        fields = {"claimant": str, "value": int, "positions": int, "blocks": list}
        claimant, value, positions, blocks = take(entry, fields, where)
        if claimant not in PLAYERS or any(PLAYERS[claim.claimant] == claimant for claim in claims):
            raise Refused(f"{where}: the claimants are first and second, each once")
        if not game.least <= value <= game.most:
            raise Refused(f"{where}: no value of this game")
        claim = Claim(PLAYERS.index(claimant), value, search)
        claims.append(claim)
        for number, block in enumerate(blocks, 1):
            where = f"claim {claim_number}, block {number}"
            fields = {"starts": list, "positions": int, "size": int, "bytes": int, "sha256": str}
            starts, answered, size, length, digest = take(block, fields, where)
            if min(answered, size, length) < 0:
                raise Refused(f"{where}: a number is negative")
            if length > len(data) - at:
                raise Refused(f"{where}: the file is cut short")
            packed = memoryview(data)[at : at + length]
            at += length
            if hashlib.sha256(packed).hexdigest() != digest.lower():
                raise Refused(f"{where}: the digest is wrong")
            parsed = []
            for start in starts:
                if type(start) is not str:
                    raise Refused(f"{where}: a start is no text")
                try:
                    parsed.append(game.parse(start))
                except Refused as error:
                    raise Refused(f"{where}, start {shown(start)}: {error}") from error
            claim.blocks.append(Block(parsed, answered, size, packed))
        if claim.blocks[0].starts[0] != position:
            raise Refused(f"claim {claim_number}: the first start is not the position of the claims")
        if sum(block.positions for block in claim.blocks) != positions:
            raise Refused(f"claim {claim_number}: positions is not the sum over its blocks")
    report.claims = [str(claim) for claim in claims]
    if at != len(data):
        raise Refused("there are bytes after the last block")
    return game, claims


def unpack(packed: memoryview, size: int) -> Iterator[bytes]:
    """The bytes of a block, some at a time."""
    unpacker = zlib.decompressobj()
    total = 0
    try:
        for at in range(0, len(packed), PIECE):
            data: bytes | memoryview = packed[at : at + PIECE]
            while not unpacker.eof:
                piece = unpacker.decompress(data, PIECE)
                data = unpacker.unconsumed_tail
                total += len(piece)
                if total > size:
                    raise Refused("the block is longer than its size")
                yield piece
                if not data and len(piece) < PIECE:
                    break
            if unpacker.eof and (unpacker.unused_data or at + PIECE < len(packed)):
                raise Refused("there are bytes after the zlib stream")
    except zlib.error as error:
        raise Refused("no zlib stream") from error
    if not unpacker.eof:
        raise Refused("the zlib stream is cut short")
    if total != size:
        raise Refused("the block is shorter than its size")


def read_answers(packed: memoryview, size: int) -> Iterator[int]:
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

    def __init__(self, game: Game, claim: Claim, report: Report) -> None:
        self.game, self.claim, self.report = game, claim, report
        self.no_circles = game.repetition is not None and not claim.kept_by(game.repetition)
        self.here = ""  # where the walk is, for messages
        self.put_off: dict[bytes, tuple[int, int]] = {}  # position by key, and number of the block
        self.answered: list[bytes] = []  # for each block, all keys of positions with a move in one string

    def run(self) -> None:
        blocks = self.claim.blocks
        if self.no_circles and len(blocks) > 1:
            raise Refused("more than one block where a strategy must not run in a circle")
        for number, block in enumerate(blocks, 1):
            self.here = ""
            try:
                self.walk(number, block)
            except Refused as error:
                raise Refused(f"block {number}{self.here}: {error}") from error
        for keys in self.answered:
            if not self.put_off:
                return
            length = len(next(iter(self.put_off)))
            for at in range(0, len(keys), length):
                self.put_off.pop(keys[at : at + length], None)
        for position, number in self.put_off.values():
            place = shown(self.game.text(position, self.claim.claimant))
            raise Refused(f"block {number}, at {place}: put off, and no block has a move for it")

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

    def walk(self, number: int, block: Block) -> None:
        claimant, opponent = self.claim.claimant, 1 - self.claim.claimant
        moves, key_of = self.game.moves, self.game.key
        answers = read_answers(block.packed, block.size)
        met: set[bytes] = set()  # keys
        seen: set[int] = set()  # those positions of which the key is known to be in met: spares most keys
        done: list[bytes] = []  # keys of positions with a move
        visiting: dict[int, None] = {}  # where no circles may be: positions that are met and not over, in order
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
                        if position in visiting:
                            self.refuse(position, claimant, "the strategy runs in a circle")
                        continue
                    after = moves(position, claimant)
                    if not after:
                        self.end(position, claimant, before + 2 * len(stack))
                        continue
                    key = key_of(position)
                    if key in met:
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
                        visiting[position] = None
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


@dataclass
class Frame:
    """A position whose visit is not over, where no board may come back."""

    position: int
    mover: int
    board: int
    left: list[int]  # what is still to be visited, the next last
    makes: set[int] = field(default_factory=set)
    needs: set[int] = field(default_factory=set)


class LineWalk(Walk):
    """The walk where no board may come back."""

    def run(self) -> None:
        if len(self.claim.blocks) > 1 or len(self.claim.blocks[0].starts) > 1:
            raise Refused("more than one block or start where no board may come back")
        try:
            self.walk(1, self.claim.blocks[0])
        except Refused as error:
            raise Refused(f"block 1{self.here}: {error}") from error

    def walk(self, number: int, block: Block) -> None:
        self.answers = read_answers(block.packed, block.size)
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


def check(data: bytes, name: str = "") -> Report:
    """Checks a certificate; whatever is amiss is told in the verdict."""
    report, began = Report(name), time.perf_counter()
    try:
        game, claims = read(data, report)
        for number, claim in enumerate(claims, 1):
            try:
                (LineWalk if game.superko else Walk)(game, claim, report).run()
            except Refused as error:
                raise Refused(f"claim {number}, {error}") from error
    except Refused as error:
        report.verdict = f"refused: {error}"
    report.seconds = time.perf_counter() - began
    return report


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Checks Zermelo certificates.")
    parser.add_argument("files", metavar="FILE", nargs="+")
    parser.add_argument("--json", action="store_true", help="one JSON object a file, one a line")
    options = parser.parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    code = 0
    for name in options.files:
        try:
            with open(name, "rb") as file:
                data = file.read()
        except (OSError, ValueError) as error:
            print(f"{shown(name)}: {error}", file=sys.stderr)
            code = 2
            continue
        report = check(data, name)
        print(json.dumps(vars(report)) if options.json else report, flush=True)
        if report.verdict != "proved":
            code = max(code, 1)
    return code


if __name__ == "__main__":
    sys.exit(main())
