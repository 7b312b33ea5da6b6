"""What the oracle must know of a game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

FIRST, SECOND = 0, 1
PLAYERS = ("first", "second")
State = Any  # hashable


class Rules(ABC):
    """A game by its rules. A state is all that decides how play goes on, whose turn it is included."""

    name: str  # as the command wants it
    path_dependent = False  # whether positions have no value of their own (go; graphs with unusual repetition)

    @abstractmethod
    def start(self) -> State: ...

    @abstractmethod
    def parse(self, text: str) -> State:
        """The state that a text of the program means."""

    @abstractmethod
    def text(self, state: State) -> str:
        """The state as the program writes it."""

    @abstractmethod
    def mover(self, state: State) -> int: ...

    @abstractmethod
    def value(self, state: State) -> int | None:
        """The value if the game is over."""

    @abstractmethod
    def moves(self, state: State) -> list[tuple[str, State]]:
        """Moves as the program writes them, and the states after; not called where the game is over."""

    def repetition(self, state: State) -> int | None:
        """The value of a line that comes back to this state; None where none can."""
        return None

    def same(self, state: State) -> Hashable:
        """What two equal states share."""
        return state
