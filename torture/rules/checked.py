"""The games of `proofcheck/zermelo_check.py`, with the names of moves worked out from the boards before and after."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from torture.rules.base import PLAYERS, Rules, State

# Games of which moves are not named here as the program does: the names are the positions that they lead to.
NAMED_BY_POSITIONS = ("checkers", "chess", "kalah", "awari", "morris", "loa")


def checker(path: Path | None = None) -> ModuleType:
    """The foreign checker as a module."""
    path = path or Path(__file__).resolve().parents[2] / "proofcheck" / "zermelo_check.py"
    if (known := sys.modules.get("zermelo_check")) is not None:
        return known
    spec = importlib.util.spec_from_file_location("zermelo_check", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["zermelo_check"] = module
    spec.loader.exec_module(module)
    return module


class Checked(Rules):
    """A game of the foreign checker. A state is (position, mover)."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.game: Any = checker().make_game(name)
        self.kind = name.split(" ")[0]
        self.path_dependent = self.game.superko

    def start(self) -> State:
        raise NotImplementedError("a start is asked of the program")

    def parse(self, text: str) -> State:
        return self.game.parse(text)

    def text(self, state: State) -> str:
        return self.game.text(*state)

    def mover(self, state: State) -> int:
        return state[1]

    def value(self, state: State) -> int | None:
        return None if self.game.moves(*state) else self.game.value(*state)

    def moves(self, state: State) -> list[tuple[str, State]]:
        position, mover = state
        after = self.game.moves(position, mover)
        return [(name, (to, 1 - mover)) for name, to in zip(self.names(position, mover, after), after, strict=True)]

    def repetition(self, state: State) -> int | None:
        return self.game.repetition

    def names(self, position: int, mover: int, after: list[int]) -> list[str]:
        game = self.game
        if self.kind == "graph":
            return [game.names[to] for to in after]
        if self.kind in NAMED_BY_POSITIONS:
            return [game.text(to, 1 - mover) for to in after]
        if self.kind == "domineering":
            fitting = [domino for domino in game.dominoes[mover] if position & domino == domino]
            return ["-".join(self.cells(domino)) for domino in fitting]
        return [self.name_of(position, mover, to) for to in after]

    def name_of(self, position: int, mover: int, to: int) -> str:
        game = self.game
        board = position & (1 << 2 * game.plane) - 1
        own, other = game.split(board, mover)
        own_after, other_after = game.split(to & (1 << 2 * game.plane) - 1, mover)
        came, left = self.cells(own_after & ~own), self.cells(own & ~own_after)
        if self.kind == "go" and not came:
            return "pass"
        if self.kind == "connect4":
            return came[0][0]
        if self.kind == "clobber":
            return left[0] + came[0]
        if self.kind in ("breakthrough", "knightthrough"):
            return left[0] + ("x" if other != other_after else "-") + came[0]
        return came[0]

    def cells(self, bits: int) -> list[str]:
        """Names of cells, in the order of cells."""
        game = self.game
        return [
            "abcdefghijklmnopqrstuvwxyz"[at % game.width] + str(at // game.width + 1)
            for at in game.order
            if bits >> at & 1
        ]


def turn(state: State) -> str:
    return PLAYERS[state[1]]
