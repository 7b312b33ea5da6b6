"""Rows of stones win: mnk games and Connect Four."""

from __future__ import annotations

from zermelo_rules.base import Refused
from zermelo_rules.board import Board


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
