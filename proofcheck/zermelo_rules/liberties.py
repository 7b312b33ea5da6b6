"""Blocks of stones and their liberties: NoGo, Atari Go and Go."""

from __future__ import annotations

from fractions import Fraction

from zermelo_rules.base import Refused
from zermelo_rules.board import Board

CACHED = 1 << 19  # positions of one player's stones of which the blocks are kept


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
