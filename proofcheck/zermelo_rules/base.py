"""What all games have in common, and how a checker says no."""

from __future__ import annotations

from typing import Any

FIRST, SECOND = 0, 1
PLAYERS = ("first", "second")
SHOWN = 100  # characters of a text that are shown
Position = Any  # an integer, or bytes


class Refused(Exception):
    """The file is no proof; the message says why."""


class NotChecked(Exception):
    """The file is more than this program can check."""


class UnknownGame(NotChecked):
    """The game is none of those that are written down here."""


def visible(char: str) -> bool:
    """Whether a character can be seen, and does nothing else."""
    return char.isprintable() and not "\ufe00" <= char <= "\ufe0f" and char < "\U000e0000"


def shown(text: str) -> str:
    """For messages: short, on one line, and nothing that a terminal acts on."""
    start = "".join(char if visible(char) else ascii(char)[1:-1] for char in text[:SHOWN])
    return start + "..." if len(text) > SHOWN else start


class Game:
    """The rules of one game.

    A position is an integer or a string of bytes; the player to move (FIRST, SECOND) goes beside it, and always changes.
    """

    least, most = -1, 1
    repetition: int | None = None  # value of a line that comes back; None where none can
    superko = False  # whether boards must not be repeated
    certificates = True  # whether there are any

    def parse(self, text: str) -> tuple[Position, int]:
        """Position and player to move; raises Refused."""
        raise NotImplementedError

    def text(self, position: Position, mover: int) -> str:
        raise NotImplementedError

    def moves(self, position: Position, mover: int) -> list[Position]:
        """The positions after each move, in the order of moves; none if the game is over."""
        raise NotImplementedError

    def value(self, position: Position, mover: int) -> int:
        """The value of a position in which the game is over."""
        raise NotImplementedError

    def key(self, position: Position) -> bytes:
        """The same for a position and its images, and for no others; of one length for all positions of a game."""
        raise NotImplementedError
