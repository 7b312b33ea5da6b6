"""Domineering."""

from __future__ import annotations

from zermelo_rules.board import Board


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
