"""Go with positional superko on very small boards: minimax that carries the boards of its line."""

from __future__ import annotations

from typing import Any

from torture.case import Unfit
from torture.rules.base import FIRST
from torture.rules.checked import Checked


class Go(Checked):
    """Rules from the foreign checker; what superko forbids is decided here, by the line."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.path_dependent = True

    def line_of(self, state: tuple[int, int]) -> list[int]:
        """The boards that stood before a position given as text."""
        before = self.game.before(*state)
        return [] if before is None else [before]

    def allowed(self, state: tuple[int, int], stood: set[int]) -> list[tuple[str, tuple[int, int]]]:
        """Moves after a line whose boards, this one included, are `stood`."""
        board = self.game.board(state[0])
        found = []
        for name, after in self.moves(state):
            made = self.game.board(after[0])
            if made == board or made not in stood:
                found.append((name, after))
        return found


def superko_value(rules: Go, state: tuple[int, int], stood: set[int], most: int) -> int:
    """The value after a line whose boards are `stood`, this position's own included."""
    game: Any = rules.game
    budget = [most]

    def search(state: tuple[int, int], alpha: int, beta: int) -> int:
        budget[0] -= 1
        if budget[0] < 0:
            raise Unfit("too much for a search that carries its line")
        if (end := rules.value(state)) is not None:
            return end
        first = state[1] == FIRST
        best = -(10**6) if first else 10**6
        for _, after in rules.allowed(state, stood):
            made = game.board(after[0])
            new = made not in stood
            stood.add(made)
            value = search(after, alpha, beta)
            if new:
                stood.discard(made)
            if first:
                best = max(best, value)
                alpha = max(alpha, best)
            else:
                best = min(best, value)
                beta = min(beta, best)
            if alpha >= beta:
                break
        return best

    try:
        return search(state, game.least, game.most)
    except RecursionError:
        raise Unfit("too deep for a search that carries its line") from None
