"""Three, Six and Nine Men's Morris.

A position is one integer: the men of the first player in its low bits, one bit a point, above them those of the second,
then the men in hand of the first player and of the second, four bits each.
"""

from __future__ import annotations

import re

from zermelo_rules.base import FIRST, PLAYERS, SECOND, Game, Refused

# The points of a ring around the middle, from the lower left against the clock.
ROUND = ((-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))


class Morris(Game):
    repetition = 0

    def __init__(self, men: int, flying: bool) -> None:
        self.men, self.flying = men, flying
        lines: list[tuple[int, ...]]  # three in a line are a mill
        if men == 3:
            places = [(column, row) for row in (-1, 0, 1) for column in (-1, 0, 1)]
            lines = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
            joined = lines
        else:
            rings = 2 if men == 6 else 3
            places = [((rings - ring) * x, (rings - ring) * y) for ring in range(rings) for x, y in ROUND]
            lines = [tuple(8 * ring + at % 8 for at in (c, c + 1, c + 2)) for ring in range(rings) for c in (0, 2, 4, 6)]
            spokes = [tuple(range(side, 8 * rings, 8)) for side in (1, 3, 5, 7)]
            joined = lines + spokes
            if rings == 3:
                lines = joined
        self.points = len(places)
        self.row = 3 if men == 3 else 8  # points a group in texts
        self.full = (1 << self.points) - 1
        self.length = (2 * self.points + 8 + 7) // 8
        self.beside = [0] * self.points
        self.mills: list[list[int]] = [[] for _ in places]
        for line in joined:
            for one, other in zip(line, line[1:]):
                self.beside[one] |= 1 << other
                self.beside[other] |= 1 << one
        for line in lines:
            for point in line:
                self.mills[point].append(sum(1 << other for other in line if other != point))
        number = {place: point for point, place in enumerate(places)}
        mirrors = [lambda x, y: (x, y), lambda x, y: (-x, y), lambda x, y: (x, -y), lambda x, y: (-x, -y)]
        mirrors += [lambda x, y, mirror=mirror: mirror(y, x) for mirror in mirrors]
        # For each image: for each byte of a set of points and each value of it, what becomes of these points.
        self.images = [self._tables([number[mirror(x, y)] for x, y in places]) for mirror in mirrors]

    @staticmethod
    def _tables(to: list[int]) -> list[list[int]]:
        tables = []
        for first in range(0, len(to), 8):
            table = [0]
            for point in to[first : first + 8]:
                table += [entry | 1 << point for entry in table]
            tables.append(table)
        return tables

    def split(self, position: int) -> tuple[int, int, int, int]:
        """The men of both players on the board and in hand."""
        n = self.points
        return position & self.full, position >> n & self.full, position >> 2 * n & 15, position >> 2 * n + 4

    def join(self, first: int, second: int, hand_first: int, hand_second: int) -> int:
        n = self.points
        return first | second << n | hand_first << 2 * n | hand_second << 2 * n + 4

    def key(self, position: int) -> bytes:
        first, second, *hands = self.split(position)
        return min(
            self.join(self.image(tables, first), self.image(tables, second), *hands) for tables in self.images
        ).to_bytes(self.length, "little")

    @staticmethod
    def image(tables: list[list[int]], men: int) -> int:
        return sum(table[men >> 8 * byte & 255] for byte, table in enumerate(tables))

    def parse(self, text: str) -> tuple[int, int]:
        board = "/".join([f"[xo.]{{{self.row}}}"] * (self.points // self.row))
        found = re.fullmatch(f"({board}) ([0-9])-([0-9]) (first|second)", text, re.ASCII)
        if not found:
            raise Refused("a position is the points, the men in hand of both players and whose turn it is")
        points = found[1].replace("/", "")
        first, second = (sum(1 << at for at, symbol in enumerate(points) if symbol == own) for own in "xo")
        hands = int(found[2]), int(found[3])
        if first.bit_count() + hands[0] > self.men or second.bit_count() + hands[1] > self.men:
            raise Refused(f"more than {self.men} men of one player")
        return self.join(first, second, *hands), PLAYERS.index(found[4])

    def text(self, position: int, mover: int) -> str:
        first, second, hand_first, hand_second = self.split(position)
        points = "".join(".xo"[(first >> at & 1) + 2 * (second >> at & 1)] for at in range(self.points))
        groups = "/".join(points[at : at + self.row] for at in range(0, self.points, self.row))
        return f"{groups} {hand_first}-{hand_second} {PLAYERS[mover]}"

    def in_mill(self, point: int, men: int) -> bool:
        return any(men & mill == mill for mill in self.mills[point])

    def decided(self, position: int, mover: int) -> int | None:
        """Who has won by what is on the board: FIRST, SECOND, or None."""
        first, second, hand_first, hand_second = self.split(position)
        for player, men, hand in sorted(((FIRST, first, hand_first), (SECOND, second, hand_second)), key=lambda x: x[0] != mover):
            if self.men > 3 and men.bit_count() + hand < 3:
                return 1 - player
        if self.men == 3:
            for player, men in ((SECOND, second), (FIRST, first)) if mover == FIRST else ((FIRST, first), (SECOND, second)):
                if any(men >> point & 1 and self.in_mill(point, men) for point in range(self.points)):
                    return player
        return None

    def moves(self, position: int, mover: int) -> list[int]:
        if self.decided(position, mover) is not None:
            return []
        first, second, *hands = self.split(position)
        own, other = (second, first) if mover else (first, second)
        empty = self.full & ~(own | other)
        targets = [to for to in range(self.points) if empty >> to & 1]
        if hands[mover]:
            hands[mover] -= 1
            steps = [(0, to) for to in targets]
        else:
            flies = self.flying and own.bit_count() == 3
            starts = [start for start in range(self.points) if own >> start & 1]
            steps = [(1 << start, to) for start in starts for to in targets if flies or self.beside[start] >> to & 1]
        after = []
        for start, to in steps:
            moved = own & ~start | 1 << to
            takes = self.takes(other) if self.men > 3 and self.in_mill(to, moved) else [0]
            for taken in takes:
                left = other & ~taken
                after.append(self.join(left, moved, *hands) if mover else self.join(moved, left, *hands))
        return after

    def takes(self, other: int) -> list[int]:
        """The men that a mill may take, or nothing where there are none."""
        men = [point for point in range(self.points) if other >> point & 1]
        loose = [point for point in men if not self.in_mill(point, other)]
        return [1 << point for point in loose or men] or [0]

    def value(self, position: int, mover: int) -> int:
        """Who cannot move loses, if nothing has been decided before."""
        winner = self.decided(position, mover)
        return 1 if (1 - mover if winner is None else winner) == FIRST else -1
