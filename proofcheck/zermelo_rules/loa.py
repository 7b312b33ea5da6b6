"""Lines of Action."""

from __future__ import annotations

from zermelo_rules.base import Refused
from zermelo_rules.board import Board

# Rows up and columns to the right; along each the way back comes first.
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class Loa(Board):
    repetition = 0

    def __init__(self, rows: int, columns: int) -> None:
        if not (3 <= rows <= 19 and 3 <= columns <= 19):
            raise Refused(f"no board of {rows}x{columns} in this game")
        super().__init__(rows, columns)
        # For each cell and each line through it: the cells of the line, and the cells met on the way back and forth, in order.
        self.lines = [
            (1 << at, [self._line(row, column, *direction) for direction in DIRECTIONS])
            for at in self.order
            for row, column in [divmod(at, self.width)]
        ]

    def _line(self, row: int, column: int, up: int, right: int) -> tuple[int, list[list[int]]]:
        ways = []
        for sign in (-1, 1):
            cells, r, c = [], row + sign * up, column + sign * right
            while 0 <= r < self.rows and 0 <= c < self.columns:
                cells.append(1 << r * self.width + c)
                r, c = r + sign * up, c + sign * right
            ways.append(cells)
        return sum(ways[0] + ways[1]) | 1 << row * self.width + column, ways

    def moves(self, position: int, mover: int) -> list[int]:
        own, other = self.split(position, mover)
        if self.connected(own) or self.connected(other):
            return []
        every, after = own | other, []
        for start, lines in self.lines:
            if not own & start:
                continue
            for line, ways in lines:
                count = (every & line).bit_count()
                for way in ways:
                    if count > len(way) or own & way[count - 1] or any(other & cell for cell in way[: count - 1]):
                        continue
                    end = way[count - 1]
                    moved, left = own ^ start | end, other & ~end
                    after.append(left | moved << self.plane if mover else moved | left << self.plane)
        return after or [position]

    def connected(self, pieces: int) -> bool:
        """Whether they are one group, diagonals included; none at all are."""
        group, grown = 0, pieces & -pieces
        while grown != group:
            group = grown
            wide = group | group << 1 | group >> 1
            grown = (wide | wide << self.width | wide >> self.width) & pieces
        return group == pieces

    def value(self, position: int, mover: int) -> int:
        return self.connected(position & self.low) - self.connected(position >> self.plane)
