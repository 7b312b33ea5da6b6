"""Checkers, English draughts.

Squares are numbered from 0 here, from the top left as in texts. A position is one integer: the pieces of the first player
in its low bits, one bit a square, above them those of the second, above them the kings of both.
"""

from __future__ import annotations

import re

from zermelo_rules.base import FIRST, SECOND, Game, Refused

# Rows down and columns to the right: the two steps forward of the first player, then the two back. The second player
# sees the board turned by half a circle.
DIRECTIONS = ((1, -1), (1, 1), (-1, -1), (-1, 1))


class Checkers(Game):
    repetition = 0

    def __init__(self, rows: int, columns: int) -> None:
        if rows not in (4, 6, 8) or columns not in (4, 6, 8):
            raise Refused(f"no board of {rows}x{columns} in this game")
        width = columns // 2
        self.squares = rows * width
        self.all = (1 << self.squares) - 1
        self.length = (3 * self.squares + 7) // 8
        # Where a man of each player is crowned.
        self.last = (self.all ^ self.all >> width, (1 << width) - 1)
        places = [(at // width, at % width * 2 + (at // width + 1) % 2) for at in range(self.squares)]
        number = {place: at for at, place in enumerate(places)}
        # For each player and direction: the square beside each square, or -1.
        self.beside = [
            [[number.get((row + sign * down, column + sign * right), -1) for row, column in places] for down, right in DIRECTIONS]
            for sign in (1, -1)
        ]
        # The squares in the order in which each player sees them.
        self.order = [list(range(self.squares)), list(range(self.squares))[::-1]]

    def parse(self, text: str) -> tuple[int, int]:
        turn, *sides = text.split(":")
        if turn not in ("B", "b", "W", "w"):
            raise Refused("a position begins with B or W, whose turn it is")
        pieces, kings = {}, 0
        for side in sides:
            player = {"B": FIRST, "W": SECOND}.get(side[:1].upper())
            if player is None or player in pieces:
                raise Refused("B and W go before the squares of either side, each once")
            pieces[player] = 0
            for word in side[1:].split(",") if side[1:] else []:
                found = re.fullmatch("([Kk]?)([0-9]{1,2})", word, re.ASCII)
                if not found or not 1 <= int(found[2]) <= self.squares:
                    raise Refused(f"squares are numbers from 1 to {self.squares}, with K before them for kings")
                square = 1 << int(found[2]) - 1
                if square & (pieces.get(FIRST, 0) | pieces.get(SECOND, 0)):
                    raise Refused("two pieces on one square")
                pieces[player] |= square
                if found[1]:
                    kings |= square
                elif square & self.last[player]:
                    raise Refused("a man on the row where it is crowned")
        if len(pieces) < 2:
            raise Refused("the squares of both sides are needed")
        return self.join(pieces[FIRST], pieces[SECOND], kings), "BW".index(turn.upper())

    def join(self, first: int, second: int, kings: int) -> int:
        return first | second << self.squares | kings << 2 * self.squares

    def split(self, position: int) -> tuple[int, int, int]:
        return position & self.all, position >> self.squares & self.all, position >> 2 * self.squares

    def text(self, position: int, mover: int) -> str:
        first, second, kings = self.split(position)

        def side(pieces: int) -> str:
            squares = [at for at in range(self.squares) if pieces >> at & 1]
            return ",".join("K" * (kings >> at & 1) + str(at + 1) for at in squares)

        return f"{'BW'[mover]}:W{side(second)}:B{side(first)}"

    def moves(self, position: int, mover: int) -> list[int]:
        first, second, kings = self.split(position)
        own, other = (second, first) if mover else (first, second)
        takes: dict[tuple[int, int, int], None] = {}
        for start in self.order[mover]:
            if own >> start & 1:
                man = not kings >> start & 1
                empty = self.all & ~(own | other) | 1 << start
                self.jump(mover, man, start, start, 0, other, empty, takes)
        if takes:
            return [self.after(position, mover, *take) for take in takes]
        beside = self.beside[mover]
        return [
            self.after(position, mover, start, end, 0)
            for direction in range(4)
            for end in self.order[mover]
            if not (own | other) >> end & 1
            and (start := beside[3 - direction][end]) >= 0
            and (own if direction < 2 else own & kings) >> start & 1
        ]

    def jump(
        self, mover: int, man: bool, start: int, here: int, taken: int, other: int, empty: int,
        takes: dict[tuple[int, int, int], None],
    ) -> None:  # fmt: skip
        """Adds all ways to jump on from a square to the end: start, end and what is taken."""
        ends = True
        if not (man and self.last[mover] >> here & 1):
            for beside in self.beside[mover][: 2 if man else 4]:
                over = beside[here]
                to = beside[over] if over >= 0 else -1
                if to >= 0 and (other & ~taken) >> over & 1 and empty >> to & 1:
                    ends = False
                    self.jump(mover, man, start, to, taken | 1 << over, other, empty, takes)
        if ends and taken:
            takes[start, here, taken] = None

    def after(self, position: int, mover: int, start: int, end: int, taken: int) -> int:
        first, second, kings = self.split(position)
        own, other = (second, first) if mover else (first, second)
        crowned = (kings >> start | self.last[mover] >> end) & 1
        own, other = own ^ 1 << start | 1 << end, other & ~taken
        kings = kings & ~(1 << start | taken) | crowned << end
        return self.join(other, own, kings) if mover else self.join(own, other, kings)

    def value(self, position: int, mover: int) -> int:
        """Who cannot move loses."""
        return 1 if mover else -1

    def key(self, position: int) -> bytes:
        return position.to_bytes(self.length, "little")
