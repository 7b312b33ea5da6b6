"""The rules of the games, written from docs/certificate.md alone, a module for each family.

`make_game` opens what a certificate can be about; `make_rules` also games that have no certificates.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from zermelo_rules.base import Game, Refused, UnknownGame, shown
from zermelo_rules.checkers import Checkers
from zermelo_rules.chess import Chess
from zermelo_rules.domineering import Domineering
from zermelo_rules.graph import Graph
from zermelo_rules.liberties import Atarigo, Go, Nogo
from zermelo_rules.lines import Connect4, Mnk
from zermelo_rules.loa import Loa
from zermelo_rules.morris import Morris
from zermelo_rules.sowing import Awari, Kalah
from zermelo_rules.through import Breakthrough, Clobber, Knightthrough

NUMBER = "[1-9][0-9]{0,9}"


def make_game(name: str) -> Game:
    """The game of a certificate; raises UnknownGame where no game begins with this word, and Refused where one does."""
    game = make_rules(name)
    if not game.certificates:
        raise Refused(f"there are no certificates of {shown(name)}: what a repetition is worth differs from line to line")
    return game


def make_rules(name: str) -> Game:
    """The rules of a game, whether it has certificates or not."""
    word, _, rest = name.partition(" ")
    if word not in GAMES:
        if word.lower() in GAMES:
            raise Refused(f"the game's name begins with {word.lower()}, in small letters")
        raise UnknownGame(f"unknown game {shown(name)}")
    game = GAMES[word](name, rest)
    if game is None:
        raise Refused(f"no game has the name {shown(name)}")
    return game


def sized(make: Callable[..., Game], *flags: str, count: int = 2) -> Callable[[str, str], Game | None]:
    """A game whose name goes on with so many sizes, then some of these flags in this order."""

    def read(_: str, rest: str) -> Game | None:
        words = rest.split(" ")
        if not re.fullmatch(f"{NUMBER}(x{NUMBER}){{{count - 1}}}", words[0], re.ASCII):
            return None
        if words[1:] != [flag for flag in flags if flag in words[1:]]:
            return None
        return make(*map(int, words[0].split("x")), **{flag: flag in words[1:] for flag in flags})

    return read


def read_go(_: str, rest: str) -> Game | None:
    komi = r"(?!-0$)-?(?:0|[1-9][0-9]{0,3})(?:\.[0-9]{0,2}[1-9])?"
    found = re.fullmatch(f"({NUMBER})x({NUMBER})(?: komi ({komi}))?", rest, re.ASCII)
    return Go(int(found[1]), int(found[2]), Fraction(found[3]) if found[3] else None) if found else None


def read_morris(name: str, _: str) -> Game | None:
    flying = {"3": False, "3 fly": True, "6": False, "6 fly": True, "9": True, "9 nofly": False}
    words = name.removeprefix("morris ")
    return Morris(int(words[0]), flying[words]) if words in flying else None


read_connect4 = sized(Connect4)

# How the names of games go on after their first word.
GAMES: dict[str, Callable[[str, str], Game | None]] = {
    "tictactoe": lambda name, _: Mnk(3, 3, 3) if name == "tictactoe" else None,
    "mnk": sized(Mnk, count=3),
    "connect4": lambda name, rest: Connect4(6, 7) if name == "connect4" else read_connect4(name, rest),
    "domineering": sized(Domineering, "misere", "horizontal"),
    "nogo": sized(Nogo),
    "atarigo": sized(Atarigo),
    "breakthrough": sized(Breakthrough, "misere"),
    "knightthrough": sized(Knightthrough, "misere"),
    "clobber": sized(Clobber),
    "go": read_go,
    "checkers": sized(Checkers),
    "chess": lambda _, rest: Chess.named(rest),
    "kalah": sized(Kalah, "noempty"),
    "awari": sized(Awari, "noslam"),
    "morris": read_morris,
    "loa": sized(Loa),
    "graph": lambda _, rest: Graph(rest),
}
