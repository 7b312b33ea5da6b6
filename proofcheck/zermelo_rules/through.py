"""Pieces that move and take: Breakthrough, Knightthrough and Clobber."""

from __future__ import annotations

from zermelo_rules.base import FIRST, SECOND, Refused
from zermelo_rules.board import Board


class Breakthrough(Board):
    images = "left-right"
    max_cells = 63
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
