"""English draughts on 4x4, 6x6 and 8x8, by the rules that `zermelo show` prints."""

from __future__ import annotations

from torture.rules.base import FIRST, Rules, State

# A state: men and kings of the first player, men and kings of the second (sets of squares), whose turn.
Draughts = tuple[frozenset[int], frozenset[int], frozenset[int], frozenset[int], int]


class Checkers(Rules):
    def __init__(self, size: int) -> None:
        self.size = size
        self.name = f"checkers {size}x{size}"
        # Square numbers run from the top row down, from left to right, over the dark squares (a1 is dark).
        self.at: dict[int, tuple[int, int]] = {}
        self.number: dict[tuple[int, int], int] = {}
        for row in range(size - 1, -1, -1):
            for column in range(size):
                if (row + column) % 2 == 0:
                    self.at[len(self.at) + 1] = (row, column)
                    self.number[row, column] = len(self.at)

    def start(self) -> State:
        men = (self.size // 2 - 1) * self.size // 2
        squares = len(self.at)
        none: frozenset[int] = frozenset()
        return (frozenset(range(1, men + 1)), none, frozenset(range(squares - men + 1, squares + 1)), none, FIRST)

    def text(self, state: State) -> str:
        men, kings, other_men, other_kings, mover = state

        def side(letter: str, men: frozenset[int], kings: frozenset[int]) -> str:
            return letter + ",".join(("K" if at in kings else "") + str(at) for at in sorted(men | kings))

        return "BW"[mover] + ":" + side("W", other_men, other_kings) + ":" + side("B", men, kings)

    def parse(self, text: str) -> State:
        turn, *sides = text.split(":")
        men: dict[str, frozenset[int]] = {}
        kings: dict[str, frozenset[int]] = {}
        for side in sides:
            words = [word for word in side[1:].split(",") if word]
            men[side[0]] = frozenset(int(word) for word in words if word[0] != "K")
            kings[side[0]] = frozenset(int(word[1:]) for word in words if word[0] == "K")
        return (men["B"], kings["B"], men["W"], kings["W"], "BW".index(turn))

    def mover(self, state: State) -> int:
        return state[4]

    def repetition(self, state: State) -> int | None:
        return 0

    def value(self, state: State) -> int | None:
        if self.moves(state):
            return None
        return -1 if state[4] == FIRST else 1

    def moves(self, state: State) -> list[tuple[str, State]]:
        mover = state[4]
        men, kings = (state[0], state[1]) if mover == FIRST else (state[2], state[3])
        theirs = (state[2] | state[3]) if mover == FIRST else (state[0] | state[1])
        ahead = -1 if mover == FIRST else 1  # the first player has the top and moves down
        jumps: dict[tuple[int, int, frozenset[int]], None] = {}
        steps: list[tuple[int, int]] = []
        for start in sorted(men | kings):
            rows = (ahead,) if start in men else (1, -1)
            free = set(self.at) - ((men | kings) - {start}) - theirs
            self._jumps(start, start, rows, free, theirs, frozenset(), start in men, ahead, jumps)
            for row in rows:
                for column in (-1, 1):
                    to = self._beside(start, row, column)
                    if to in free:
                        steps.append((start, to))
        if jumps:
            return [(f"{start}x{end}", self._after(state, start, end, taken)) for start, end, taken in jumps]
        return [(f"{start}-{end}", self._after(state, start, end, frozenset())) for start, end in steps]

    def _beside(self, square: int, rows: int, columns: int) -> int:
        row, column = self.at[square]
        return self.number.get((row + rows, column + columns), 0)

    def _jumps(
        self,
        start: int,
        here: int,
        rows: tuple[int, ...],
        free: set[int],
        theirs: frozenset[int],
        taken: frozenset[int],
        man: bool,
        ahead: int,
        out: dict[tuple[int, int, frozenset[int]], None],
    ) -> None:
        """All ways to jump on from a square to the end. A man that reaches the last row stops there."""
        last = 0 if ahead < 0 else self.size - 1
        further = False
        if not (man and taken and self.at[here][0] == last):
            for row in rows:
                for column in (-1, 1):
                    over, to = self._beside(here, row, column), self._beside(here, 2 * row, 2 * column)
                    if over in theirs and over not in taken and to in free:
                        further = True
                        self._jumps(start, to, rows, free, theirs, taken | {over}, man, ahead, out)
        if not further and taken:
            out[start, here, taken] = None

    def _after(self, state: State, start: int, end: int, taken: frozenset[int]) -> State:
        men, kings, other_men, other_kings, mover = state
        if mover == FIRST:
            own_men, own_kings, their_men, their_kings = men, kings, other_men, other_kings
        else:
            own_men, own_kings, their_men, their_kings = other_men, other_kings, men, kings
        last = 0 if mover == FIRST else self.size - 1
        if start in own_men and self.at[end][0] != last:
            own_men = own_men - {start} | {end}
        else:
            own_men, own_kings = own_men - {start}, own_kings - {start} | {end}
        their_men, their_kings = their_men - taken, their_kings - taken
        if mover == FIRST:
            return (own_men, own_kings, their_men, their_kings, 1)
        return (their_men, their_kings, own_men, own_kings, 0)
