"""Three, Six and Nine Men's Morris, by the rules that `zermelo show` prints.

Points are listed as in the program's texts: on three by three from a1 row by row, elsewhere ring by ring from the outermost, each
from its lower left corner against the clock.
"""

from __future__ import annotations

from torture.rules.base import FIRST, PLAYERS, Rules, State

# A state: points of the first player, of the second, men in hand of both, whose turn.
Morris = tuple[frozenset[str], frozenset[str], int, int, int]


class MensMorris(Rules):
    def __init__(self, men: int, flag: str = "") -> None:
        self.men, self.flag = men, flag
        self.name = f"morris {men}" + (f" {flag}" if flag else "")
        self.flying = flag == "fly" or (men == 9 and flag == "")
        self.points: list[str] = []
        self.lines: list[tuple[str, ...]] = []  # mills
        self.beside: dict[str, set[str]] = {}
        if men == 3:
            self.groups: tuple[int, ...] = (3, 3, 3)
            self.points = [column + row for row in "123" for column in "abc"]
            rows = [tuple(column + row for column in "abc") for row in "123"]
            columns = [tuple(column + row for row in "123") for column in "abc"]
            self.lines = rows + columns + [("a1", "b2", "c3"), ("a3", "b2", "c1")]
            links = self.lines
        else:
            rings = 2 if men == 6 else 3
            self.groups = (8,) * rings
            size, letters = (5, "abcde") if men == 6 else (7, "abcdefg")
            middle = size // 2
            sides: list[list[str]] = []
            for ring in range(rings):
                low, high = ring, size - 1 - ring
                corner = [
                    (low, low), (low, middle), (low, high), (middle, high),
                    (high, high), (high, middle), (high, low), (middle, low),
                ]  # fmt: skip
                names = [letters[column] + str(row + 1) for row, column in corner]
                self.points += names
                sides.append(names)
                self.lines += [
                    tuple(names[i : i + 3] if i < 6 else [names[6], names[7], names[0]]) for i in (0, 2, 4, 6)
                ]
            across = [tuple(names[i] for names in sides) for i in (1, 3, 5, 7)]
            links = self.lines + across
            if rings == 3:
                self.lines = links
        self.beside = {point: set() for point in self.points}
        for line in links:
            for one, other in zip(line, line[1:]):
                self.beside[one].add(other)
                self.beside[other].add(one)
        self.through = {point: [line for line in self.lines if point in line] for point in self.points}

    def start(self) -> State:
        return (frozenset(), frozenset(), self.men, self.men, FIRST)

    def text(self, state: State) -> str:
        first, second, hand_first, hand_second, mover = state
        marks = "".join("x" if point in first else "o" if point in second else "." for point in self.points)
        step = self.groups[0]
        rows = "/".join(marks[at : at + step] for at in range(0, len(marks), step))
        return f"{rows} {hand_first}-{hand_second} {PLAYERS[mover]}"

    def parse(self, text: str) -> State:
        board, hands, turn = text.split(" ")
        marks = board.replace("/", "")
        first, second = (
            frozenset(point for point, mark in zip(self.points, marks, strict=True) if mark == wanted)
            for wanted in "xo"
        )
        hand_first, hand_second = map(int, hands.split("-"))
        return (first, second, hand_first, hand_second, PLAYERS.index(turn))

    def mover(self, state: State) -> int:
        return state[4]

    def repetition(self, state: State) -> int | None:
        return 0

    def has_line(self, men: frozenset[str]) -> bool:
        return any(men.issuperset(line) for line in self.lines)

    def value(self, state: State) -> int | None:
        first, second, hand_first, hand_second, mover = state
        if self.men == 3:
            if self.has_line(first):
                return 1
            if self.has_line(second):
                return -1
        else:
            if len(first) + hand_first < 3:
                return -1
            if len(second) + hand_second < 3:
                return 1
        if not self.moves(state):
            return -1 if mover == FIRST else 1
        return None

    def moves(self, state: State) -> list[tuple[str, State]]:
        first, second, hand_first, hand_second, mover = state
        own, other, hand = (first, second, hand_first) if mover == FIRST else (second, first, hand_second)
        free = [point for point in self.points if point not in first and point not in second]
        found: list[tuple[str, State]] = []
        if hand:
            for to in free:
                self._closing(state, to, own | {to}, other, to, hand - 1, found)
            return found
        for origin in self.points:
            if origin in own:
                reach = free if self.flying and len(own) == 3 else [p for p in free if p in self.beside[origin]]
                for to in reach:
                    self._closing(state, f"{origin}-{to}", own - {origin} | {to}, other, to, 0, found)
        return found

    def _closing(
        self,
        state: State,
        text: str,
        own: frozenset[str],
        other: frozenset[str],
        to: str,
        hand: int,
        found: list[tuple[str, State]],
    ) -> None:
        """The moves that put a man on a point: one, or one for each man that a mill may take."""

        def after(left: frozenset[str]) -> State:
            _, _, hand_first, hand_second, mover = state
            if mover == FIRST:
                return (own, left, hand, hand_second, 1)
            return (left, own, hand_first, hand, 0)

        if self.men == 3 or not any(own.issuperset(line) for line in self.through[to]):
            found.append((text, after(other)))
            return
        loose = [
            man for man in self.points if man in other and not any(other.issuperset(line) for line in self.through[man])
        ]
        takes = loose or [man for man in self.points if man in other]
        found.extend((f"{text}x{man}", after(other - {man})) for man in takes)
        if not takes:
            found.append((text, after(other)))
