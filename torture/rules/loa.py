"""Lines of Action, by the rules that `zermelo show` prints."""

from __future__ import annotations

from torture.rules.base import FIRST, PLAYERS, Rules, State

# A state: the cells (row, column) of the first player, of the second, whose turn.
Cells = frozenset[tuple[int, int]]


class LinesOfAction(Rules):
    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.name = f"loa {rows}x{columns}"

    def start(self) -> State:
        first = frozenset((row, column) for row in (0, self.rows - 1) for column in range(1, self.columns - 1))
        second = frozenset((row, column) for row in range(1, self.rows - 1) for column in (0, self.columns - 1))
        return (first, second, FIRST)

    def text(self, state: State) -> str:
        first, second, mover = state
        rows = [
            "".join("x" if (row, c) in first else "o" if (row, c) in second else "." for c in range(self.columns))
            for row in range(self.rows - 1, -1, -1)
        ]
        return "/".join(rows) + " " + PLAYERS[mover]

    def parse(self, text: str) -> State:
        board, turn = text.split(" ")
        cells: dict[str, set[tuple[int, int]]] = {"x": set(), "o": set(), ".": set()}
        for down, row in enumerate(board.split("/")):
            for column, symbol in enumerate(row):
                cells[symbol].add((self.rows - 1 - down, column))
        return (frozenset(cells["x"]), frozenset(cells["o"]), PLAYERS.index(turn))

    def mover(self, state: State) -> int:
        return state[2]

    def repetition(self, state: State) -> int | None:
        return 0

    def value(self, state: State) -> int | None:
        first, second = connected(state[0]), connected(state[1])
        return first - second if first or second else None

    def moves(self, state: State) -> list[tuple[str, State]]:
        first, second, mover = state
        own, other = (first, second) if mover == FIRST else (second, first)
        every = own | other
        found: list[tuple[str, State]] = []
        for row, column in sorted(own):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                count = sum(1 for r, c in every if self.on_line(r - row, c - column, down, right))
                for sign in (1, -1):
                    to = (row + sign * count * down, column + sign * count * right)
                    if not (0 <= to[0] < self.rows and 0 <= to[1] < self.columns) or to in own:
                        continue
                    between = [(row + sign * i * down, column + sign * i * right) for i in range(1, count)]
                    if any(cell in other for cell in between):
                        continue
                    moved, left = own - {(row, column)} | {to}, other - {to}
                    after = (moved, left, 1) if mover == FIRST else (left, moved, 0)
                    link = "x" if to in other else "-"
                    found.append((name((row, column)) + link + name(to), after))
        return found or [("pass", (first, second, 1 - mover))]

    @staticmethod
    def on_line(rows: int, columns: int, down: int, right: int) -> bool:
        """Whether a step of so many rows and columns stays on the line in this direction."""
        return rows * right == columns * down


def name(cell: tuple[int, int]) -> str:
    return "abcdefgh"[cell[1]] + str(cell[0] + 1)


def connected(cells: Cells) -> bool:
    """One group, diagonals included. A side without pieces cannot come up, as a single piece has won before."""
    if not cells:
        return False
    left = set(cells)
    stack = [left.pop()]
    while stack:
        row, column = stack.pop()
        near = {(row + r, column + c) for r in (-1, 0, 1) for c in (-1, 0, 1)} & left
        left -= near
        stack += near
    return not left
