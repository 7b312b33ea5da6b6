"""Tests of zermelo_check.py: `python3 -m unittest` in this folder.

Certificates are made here, by exhaustive search, with a writer that knows the format but none of the checker's walk.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import io
import json
import random
import struct
import tempfile
import unittest
import zlib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import zermelo_check
from zermelo_rules import base, make_game
from zermelo_rules.graph import Graph
from zermelo_rules.base import FIRST, PLAYERS, Game, Refused, UnknownGame

CYCLIC = "graph repetition 0; a first: b c; b second: a d; d first = 1; c second = -1"

# --- What is true ----------------------------------------------------------------------------------------------------


class Truth:
    """Who can reach what, by search through all positions."""

    def __init__(self, name: str) -> None:
        self.game: Game = make_game(name)
        self.value = lru_cache(None)(self._value)

    def _value(self, position: int, mover: int, before: frozenset[int] = frozenset()) -> int:
        """Follows lines literally where they may come back, so a position's value depends on those before it."""
        if position in before:
            return self.game.repetition
        after = self.game.moves(position, mover)
        if not after:
            return self.game.value(position, mover)
        if self.game.repetition is not None:
            before |= {position}
        best = min if mover else max
        return best(self.value(position, 1 - mover, before) for position in after)

    def holds(self, claimant: str, value: int, position: str) -> bool:
        exact = self.value(*self.game.parse(position))
        return exact <= value if claimant == "second" else exact >= value


# --- A writer --------------------------------------------------------------------------------------------------------


def strategy(game: Game, start: tuple[int, int], claimant: int, value: int) -> dict[int, int]:
    """For each position of the claimant from which it keeps the claim the number of a move that does."""
    moves, order, stack = {}, [], [start]
    while stack:
        node = stack.pop()
        if node not in moves:
            moves[node] = [(after, 1 - node[1]) for after in game.moves(*node)]
            order.append(node)
            stack += moves[node]

    def keeps(number: int) -> bool:
        return number <= value if claimant else number >= value

    circles = game.repetition is not None and keeps(game.repetition)
    good = {node: keeps(game.value(*node)) if not moves[node] else circles for node in order}
    chosen: dict[int, int] = {}
    changed = True
    while changed:
        changed = False
        for node in order:
            if moves[node] and good[node] == circles:
                wins = [good[after] for after in moves[node]]
                if (any if node[1] == claimant else all)(wins) != circles:
                    good[node], changed = not circles, True
                    if not circles and node[1] == claimant:
                        chosen[node[0]] = wins.index(True) + 1  # nearer to the end than this node
    if circles:
        for node in order:
            if node[1] == claimant and moves[node] and good[node]:
                chosen[node[0]] = [good[after] for after in moves[node]].index(True) + 1
    return chosen


def write_claim(name: str, position: str, claimant: str, value: int, limit: int) -> dict[str, Any]:
    """A claim with at most `limit` positions with a move in a block; its blocks hold bare answers."""
    game = make_game(name)
    player = PLAYERS.index(claimant)
    chosen = strategy(game, game.parse(position), player, value)
    answered: set[bytes] = set()
    blocks, starts = [], [game.parse(position)]
    while starts:
        met: set[bytes] = set()
        answers: list[int] = []
        waiting: dict[bytes, tuple[int, int]] = {}

        def visit(position: int, mover: int) -> None:
            after = game.moves(position, mover)
            if after and mover != player:
                for reply in after:
                    visit(reply, player)
            elif after and game.key(position) not in met:
                key = game.key(position)
                met.add(key)
                if key in answered or sum(map(bool, answers)) >= limit:
                    answers.append(0)
                    waiting[key] = position, mover
                else:
                    answered.add(key)
                    answers.append(chosen.get(position, 1))
                    visit(after[answers[-1] - 1], mover ^ 1)

        for start in starts:
            visit(*start)
        blocks.append({"starts": [game.text(*start) for start in starts], "answers": answers})
        pending = {**(pending if len(blocks) > 1 else {}), **waiting}
        starts = [start for key, start in pending.items() if key not in answered]
    return {"claimant": claimant, "value": value, "blocks": blocks}


SEARCH = -1  # an answer of a plan; others are 0 and the numbers of moves


def number(answer: int) -> int:
    """An answer as it is in the file."""
    return 1 if answer == SEARCH else answer + (answer > 0)


def leb128(numbers: list[int]) -> bytes:
    data = bytearray()
    for number in numbers:
        while number > 127:
            data.append(number & 127 | 128)
            number >>= 7
        data.append(number)
    return bytes(data)


def seal(header: bytes, tail: bytes, version: int = 2) -> bytes:
    return b"zermelo\n" + struct.pack("<II", version, len(header)) + hashlib.sha256(header).digest() + header + tail


def finish(plan: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    """The header of a certificate of which the blocks are bare answers, and the packed blocks."""
    header: dict[str, Any] = {"game": plan["game"], "rules": 1, "position": plan["position"]}
    header |= {"search": plan.get("search", 0), "claims": []}
    tail = b""
    for claim in plan["claims"]:
        blocks = []
        for block in claim["blocks"]:
            data = leb128([number(answer) for answer in block["answers"]])
            packed = zlib.compress(data)
            tail += packed
            digest = hashlib.sha256(packed).hexdigest()
            count = sum(map(bool, block["answers"]))
            sizes = {"positions": count, "size": len(data), "bytes": len(packed), "sha256": digest}
            blocks.append({"starts": block["starts"], **sizes})
        count = sum(block["positions"] for block in blocks)
        entry = {"claimant": claim["claimant"], "value": claim["value"], "positions": count, "blocks": blocks}
        entry |= {"within": claim["within"]} if "within" in claim else {}
        header["claims"].append(entry)
    header["made"] = {"by": "test"}
    return header, tail


def build(plan: dict[str, Any]) -> bytes:
    header, tail = finish(plan)
    return seal(json.dumps(header).encode(), tail, 3 if any("within" in claim for claim in plan["claims"]) else 2)


Distances = dict[tuple[int, int], int]


def distances(game: Game, start: tuple[int, int], claimant: int, value: int) -> Distances:
    """For each position from which the claimant can end the game with the claim kept: within how many plies."""
    after: dict[tuple[int, int], list[tuple[int, int]]] = {}
    stack = [start]
    while stack:
        node = stack.pop()
        if node not in after:
            after[node] = [(position, 1 - node[1]) for position in game.moves(*node)]
            stack += after[node]
    kept = (int.__le__ if claimant else int.__ge__)
    found = {node: 0 for node in after if not after[node] and kept(game.value(*node), value)}
    for plies in range(1, len(after) + 1):
        some = {claimant: any, 1 - claimant: all}
        open_nodes = [node for node in after if node not in found and after[node]]
        new = [n for n in open_nodes if some[n[1]](found.get(position, plies) < plies for position in after[n])]
        found |= dict.fromkeys(new, plies)
        if not new:
            break
    return found


def bounded_claim(name: str, position: str, claimant: str, value: int, within: int | None = None) -> dict[str, Any] | None:
    """The fastest strategy as a claim with a length, its own or another; none if the claim cannot be kept."""
    game, player = make_game(name), PLAYERS.index(claimant)
    start = game.parse(position)
    plies, met, answers = distances(game, start, player, value), set(), []
    if start not in plies:
        return None

    def visit(position: int, mover: int) -> None:
        after = game.moves(position, mover)
        if after and mover != player:
            for reply in after:
                visit(reply, player)
        elif after and (key := game.key(position)) not in met:
            met.add(key)
            left = [plies.get((position, 1 - mover), 1 << 60) for position in after]
            answers.append(left.index(min(left)) + 1)
            visit(after[answers[-1] - 1], 1 - mover)

    visit(*start)
    length = plies[start] if within is None else within
    blocks = [{"starts": [position], "answers": answers}]
    return {"claimant": claimant, "value": value, "within": length, "blocks": blocks}


def make_plan(name: str, position: str | None = None, limit: int = 10**9) -> dict[str, Any]:
    """The exact value of a position, as one claim of each player."""
    truth = Truth(name)
    if position is None:
        position = STARTS[name]
    value = truth.value(*truth.game.parse(position))
    claims = []
    for claimant in PLAYERS:
        stated = truth.game.repetition
        circles = stated is None or (stated <= value if claimant == "second" else stated >= value)
        claims.append(write_claim(name, position, claimant, value, limit if circles else 10**9))
    return {"game": name, "position": position, "claims": claims}


STARTS = {
    "tictactoe": ".../.../... first",
    "mnk 2x3x2": ".../... first",
    "connect4 4x3": ".../.../.../... first",
    "clobber 2x2": "ox/xo first",
    "clobber 2x3": "oxo/xox first",
    "nogo 2x3": ".../... first",
    "atarigo 2x3": ".../... first",
    "domineering 3x3": ".../.../... first",
    "domineering 3x3 horizontal": ".../.../... first",
    "domineering 3x3 misere": ".../.../... first",
    "domineering 2x3 misere horizontal": ".../... first",
    "breakthrough 4x2": "oo/oo/xx/xx first",
    "breakthrough 4x2 misere": "oo/oo/xx/xx first",
    "knightthrough 4x2": "oo/oo/xx/xx first",
    "knightthrough 4x2 misere": "oo/oo/xx/xx first",
    "graph a first: b c; b second = 1; c second: d; d first = -1": "a",
    "graph values 2 7; a second: b c; b first = 4; c first: d e; d second = 2; e second = 7": "a",
    CYCLIC: "a",
    CYCLIC.replace("repetition 0", "repetition 1"): "a",
    CYCLIC.replace("repetition 0", "repetition -1"): "a",
    "graph repetition -1; a first: b; b second: c d; c first: b e; d first: e b; e second = 1": "a",
    "graph repetition 1; a first: b; b second: c; c first: b": "b",
    # Without a cycle no rule of repetition matters.
    "graph repetition 0; a first: b c; b second = 1; c second = -1": "a",
    "graph repetition loses; a first: b c; b second = 1; c second = -1": "a",
    "graph repetition parity; a first: b c; b second = -1; c second = -1": "a",
    "graph repetition forbidden 0; a first: b c; b second: d; c second: d; d first = 0": "a",
}


def verdict(data: bytes) -> str:
    return zermelo_check.check(data).verdict


def random_graph(dice: random.Random) -> str:
    count = dice.randint(1, 6)
    movers = [dice.randint(0, 1) for _ in range(count)]
    lines = [f"repetition {dice.randint(-1, 1)}"]
    for node, mover in enumerate(movers):
        targets = [f"n{target}" for target in range(count) if movers[target] != mover]
        if not targets or dice.random() < 0.3:
            lines.append(f"n{node} {PLAYERS[mover]} = {dice.randint(-1, 1)}")
        else:
            some = dice.sample(targets, dice.randint(1, min(3, len(targets))))
            lines.append(f"n{node} {PLAYERS[mover]}: {' '.join(some)}")
    return "graph " + "; ".join(lines)


# --- Rules -----------------------------------------------------------------------------------------------------------


def lines_of_play(game: Game, start: str, depth: int) -> list[int]:
    counts, layer = [], {game.parse(start)[0]: 1}
    mover = game.parse(start)[1]
    for _ in range(depth):
        after: dict[int, int] = {}
        for position, ways in layer.items():
            for next_position in game.moves(position, mover):
                after[next_position] = after.get(next_position, 0) + ways
        layer, mover = after, 1 - mover
        counts.append(sum(layer.values()))
    return counts


def empty(rows: int, columns: int) -> str:
    return "/".join(["." * columns] * rows) + " first"


def pieces(rows: int, columns: int) -> str:
    middle = ["." * columns] * (rows - 4)
    return "/".join(["o" * columns] * 2 + middle + ["x" * columns] * 2) + " first"


class Rules(unittest.TestCase):
    def test_lines_of_play(self) -> None:
        figures = [
            ("tictactoe", empty(3, 3), [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]),
            ("connect4", empty(6, 7), [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]),
            ("nogo 3x3", empty(3, 3), [9, 72, 496, 2832, 12768]),
            ("mnk 9x9x5", empty(9, 9), [81, 6480]),
            ("mnk 19x19x6", empty(19, 19), [361]),
            ("nogo 4x5", empty(4, 5), [20, 380, 6832]),
            ("nogo 8x8", empty(8, 8), [64, 4032]),
            ("nogo 19x19", empty(19, 19), [361]),
            ("atarigo 3x3", empty(3, 3), [9, 72, 504, 2928, 13952]),
            ("atarigo 4x5", empty(4, 5), [20, 380, 6840]),
            ("atarigo 2x2", empty(2, 2), [4, 12, 24, 16, 0, 0]),
            ("atarigo 1x70", empty(1, 70), [70, 4828]),
            ("clobber 3x4", "xoxo/oxox/xoxo first", [17, 204, 1671, 8974, 34450, 99140]),
            ("clobber 5x5", "xoxox/oxoxo/xoxox/oxoxo/xoxox first", [40, 1372, 40020]),
            ("breakthrough 4x3", pieces(4, 3), [4, 20, 112, 500, 2422, 9526]),
            ("breakthrough 6x5", pieces(6, 5), [13, 169, 2331, 31545]),
            ("knightthrough 4x4", pieces(4, 4), [16, 144, 1244, 8402]),
            ("knightthrough 6x6", pieces(6, 6), [28, 784, 21616, 581938]),
            ("domineering 4x4", empty(4, 4), [12, 108, 756, 3628, 11904, 20736]),
            ("domineering 8x8", empty(8, 8), [56, 2940, 146580]),
            ("domineering 8x9", empty(8, 9), [63, 3808, 216480]),
        ]
        for name, start, counts in figures:
            with self.subTest(name):
                self.assertEqual(lines_of_play(make_game(name), start, len(counts)), counts)

    def assert_moves(self, name: str, start: str, *after: str) -> None:
        game = make_game(name)
        position, mover = game.parse(start)
        self.assertEqual([game.text(p, 1 - mover) for p in game.moves(position, mover)], list(after))

    def test_order_of_moves(self) -> None:
        self.assert_moves("mnk 2x2x2", "../.. first", "../x. second", "../.x second", "x./.. second", ".x/.. second")
        self.assert_moves("connect4 2x2", "../x. second", "o./x. first", "../xo first")
        upright = ["#./#. second", ".#/.# second"]
        self.assert_moves("domineering 2x2", "../.. first", *upright)
        self.assert_moves("domineering 2x2", "../.. second", "../## first", "##/.. first")
        self.assert_moves("domineering 2x2 horizontal", "../.. second", *[text[:-6] + "first" for text in upright])
        self.assert_moves("clobber 2x2", "ox/xo first", "xx/.o second", "o./xx second", "ox/.x second", "x./xo second")
        self.assert_moves("clobber 1x3", "oxo second", ".oo first", "oo. first")
        steps = [".o./.o./.../... first", "o../..o/.../... first", "o../o../.../... first",
                 ".o./o../.../... first", "o../.o./.../... first"]  # fmt: skip
        self.assert_moves("breakthrough 4x3", "oo./.../.../... second", *steps)
        steps = ["..o/.../xo./x.x second", "..o/.../.x./xx. second", "..o/.../.x./.xx second",
                 "..o/.../.ox/x.x second", "..o/.../xo./.xx second", "..o/.../.ox/xx. second"]  # fmt: skip
        self.assert_moves("breakthrough 4x3", "..o/.../.o./xxx first", *steps)

    def test_domineering_cells_without_a_free_neighbour(self) -> None:
        game = make_game("domineering 2x2")
        self.assertEqual(game.parse("#./.# first"), game.parse("##/## first"))
        self.assert_moves("domineering 3x1", "././. first", "#/#/# second", "#/#/# second")
        self.assertEqual(game.text(*game.parse("#./.. first")), "#./.. first")

    def test_atarigo(self) -> None:
        game = make_game("atarigo 1x3")
        self.assertEqual(game.moves(*game.parse("xo. first")), [])
        self.assertEqual(game.value(*game.parse("xo. first")), -1)
        self.assert_moves("atarigo 1x3", "x.o first", "xxo second")  # takes, though it has no liberty itself

    def test_ends(self) -> None:
        ends = [
            ("tictactoe", "xxx/oo./... second", 1),
            ("tictactoe", "xx./ooo/x.. first", -1),
            ("tictactoe", "xox/xox/oxo second", 0),
            ("mnk 3x3x2", "x../.x./... second", 1),
            ("connect4 4x5", "x..../ox.../oox../oooxx first", None),
            ("connect4 4x4", "x.../x.../xoo./xoo. second", None),
            ("connect4 4x4", "x.../xo../xo../xo.. second", 1),
            ("nogo 1x1", ". second", 1),
            ("domineering 2x2", "##/.. first", -1),
            ("domineering 2x2 misere", "##/.. first", 1),
            ("domineering 2x2 horizontal", "##/.. second", 1),
            ("breakthrough 4x2", "x./../../.. first", 1),
            ("breakthrough 4x2", "../../../o. first", -1),
            ("breakthrough 4x2", "../../../.. second", 1),
            ("breakthrough 4x2 misere", "x./../../.. second", -1),
            ("breakthrough 4x2 misere", "../../../.. second", -1),
            ("clobber 2x2", "xx/x. second", 1),
        ]
        for name, text, value in ends:
            with self.subTest(name=name, text=text):
                game = make_game(name)
                if value is None:
                    self.assertRaises(Refused, game.parse, text)
                else:
                    self.assertEqual(game.moves(*game.parse(text)), [])
                    self.assertEqual(game.value(*game.parse(text)), value)

    def test_images(self) -> None:
        def same(name: str, one: str, other: str) -> bool:
            game = make_game(name)
            return game.key(game.parse(one)[0]) == game.key(game.parse(other)[0])

        board = "x../.o./... first"
        turned = ["..x/.o./... first", ".../.o./x.. first", ".../.o./..x first"]
        self.assertTrue(all(same("tictactoe", board, other) for other in turned))
        self.assertTrue(same("nogo 3x3", "xo./.../... first", "x../o../... first"))
        self.assertFalse(same("nogo 3x3", "xo./.../... first", "ox./.../... first"))
        self.assertTrue(same("nogo 2x3", "xo./... first", ".../.ox first"))
        self.assertTrue(same("domineering 3x3", "##./.../... first", ".../.../.## first"))
        self.assertFalse(same("domineering 3x3", "##./.../... first", "#../#../... first"))
        self.assertTrue(same("connect4 3x3", ".../.../x.o first", ".../.../o.x first"))
        self.assertTrue(same("breakthrough 4x2", "o./../../x. first", ".o/../../.x first"))
        self.assertFalse(same("breakthrough 4x2", "../o./x./.. first", "../.o/x./.. first"))
        self.assertFalse(same("connect4 3x3", ".../x../o.. first", ".../o../x.. first"))

    def test_text_comes_back(self) -> None:
        for name, start in STARTS.items():
            game = make_game(name)
            position, mover = game.parse(start)
            while True:
                text = game.text(position, mover)
                self.assertEqual(game.parse(text), (position, mover))
                after = game.moves(position, mover)
                if not after or game.repetition is not None:
                    break
                position, mover = after[len(after) // 2], 1 - mover

    def test_bad_games(self) -> None:
        bad = """nogo|nogo |nogo 3|nogo 0x3|nogo 03x3|nogo 3x3x3|nogo 19x20|nogo -1x3|nogo 3x3 misere|nogo  3x3
            |nogo 3x3 |Nogo 3x3|nogo 999999999999x1|nogo ３x3|go 3x3 misere|chess|tictactoe 3x3|mnk 3x3|mnk 3x3x0|mnk 19x20x3
            |connect4 8x8|connect4 20x3|connect4 4x4x4|breakthrough 3x3|breakthrough 4x1|breakthrough 4x4 misere misere
            |knightthrough 3x5|domineering 12x12|domineering 3x3 misere misere|domineering 3x3 up|clobber 1e1x2"""
        for name in bad.split("|"):
            with self.subTest(name):
                self.assertRaises(Refused, make_game, name.rstrip("\n ") if "\n" in name else name)
        for name in ("", " nogo 3x3", "hex 5x5", "graphs a first = 0", "ｎogo 3x3"):
            with self.subTest(name):
                self.assertRaises(UnknownGame, make_game, name)

    def test_bad_graphs(self) -> None:
        bad = """|a|a first|a first:|a first: b|a first = 2|a first = x|a first = 1 2|a first =|a first: a
            |a first: b; b first = 1|a first: b; b second: a|repetition 0|repetition 0; repetition 0; a first = 0
            |repetition 2; a first = 0|values 1 0; a first = 0|values 0; a first = 0|values 0 99999; a first = 0
            |start b; a first = 0|first first = 0|a first: b b; b second = 0|a first = 0; a first = 1|a third = 0
            |values -1 1; a first = 0|start a; a first = 0|a first = 0; repetition 0|start a; repetition 0; b second = 0; a first = 0
            |repetition -0; a first = 0|repetition 00; a first = 0|a first = 01|a\x85b first = 0|a\u3000b first = 0
            |repetition loses; a first: b; b second: a|repetition parity; a first: b; b second: a
            |repetition forbidden 0; a first: b; b second: a|repetition forbidden; a first = 0|repetition forbidden 2; a first = 0
            |repetition 0 0; a first = 0|repetition loses 0; a first = 0|repetition wins; a first = 0
            |repetition forbidden loses; a first = 0
            |a first = 0;|a first = 0; |a first: = ; = second = 0|a first: first; first second = 0|a first = 1e0"""
        for description in bad.split("|"):
            with self.subTest(description):
                description = description.rstrip("\n ") if "\n" in description else description
                self.assertRaises(Refused, make_game, "graph " + description)
        self.assertRaises(Refused, make_game, "graph")
        for moves in (256, 257):
            nodes = [f"n{node}" for node in range(moves)]
            name = "; ".join([f"graph a first: {' '.join(nodes)}", *(f"{node} second = 0" for node in nodes)])
            if moves > 256:
                self.assertRaises(Refused, make_game, name)
            else:
                self.assertEqual(len(make_game(name).moves(0, 0)), 256)
        make_game("graph repetition 0; values -1 2; start b; a first: b; b second: a")
        make_game("graph a\x1c\x1b\u200bb first = 0")  # no white space

    def test_bad_positions(self) -> None:
        bad = {
            "tictactoe": ["", " ", ".../.../...", ".../.../... third", ".../.../...  first", ".../.../... first ",
                          ".../... first", ".../.../.... first", "../.../.... first", ".../.#./... first",
                          ".../.../... FIRST", "xxx/oo./... first", "xxx/ooo/... second", ".../.../.../... first"],
            "connect4 4x4": ["x.../..../..../.... second", "..../..../..../xx.. second", "..../..../..../x... first",
                             "..../..../..../o... first", "..../..../oooo/xxxx first"],
            "nogo 1x3": ["xo. first", "xox first"],
            "atarigo 1x3": ["xo. second", "xxx second"],
            "breakthrough 4x2": ["x./../../o. first", "x./../../.o second"],
            "domineering 2x2": ["x./.. first"],
            CYCLIC: ["", "e", "a first", "a "],
        }
        for name, texts in bad.items():
            for text in texts:
                with self.subTest(name=name, text=text):
                    self.assertRaises(Refused, make_game(name).parse, text)


# --- The format ------------------------------------------------------------------------------------------------------


class Format(unittest.TestCase):
    def setUp(self) -> None:
        self.plan = make_plan("clobber 2x3", limit=2)
        self.header, self.tail = finish(self.plan)

    def assert_refused(self, data: bytes, reason: str = "") -> None:
        found = verdict(data)
        self.assertTrue(found.startswith("refused: "), found)
        self.assertIn(reason, found)

    def changed(self, change: Callable[[dict[str, Any]], Any]) -> bytes:
        header = copy.deepcopy(self.header)
        change(header)
        return seal(json.dumps(header).encode(), self.tail)

    def test_sound(self) -> None:
        self.assertEqual(verdict(build(self.plan)), "proved")
        self.assertGreater(len(self.header["claims"][0]["blocks"]), 1)

    def test_made_is_ignored(self) -> None:
        for made in (None, [], {"by": 1.5, "x": [True, None]}):
            self.assertEqual(verdict(self.changed(lambda header: header.update(made=made))), "proved")

    def test_every_byte_counts(self) -> None:
        data = build(make_plan("clobber 2x2"))
        for at in range(len(data)):
            for flip in (1, 0x80):
                self.assert_refused(data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :])

    def test_cut_and_continued(self) -> None:
        data = build(self.plan)
        for length in range(len(data)):
            self.assert_refused(data[:length])
        self.assert_refused(data + b"\0", "after the last block")

    def test_version(self) -> None:
        header = json.dumps(self.header).encode()
        self.assert_refused(seal(header, self.tail, version=1), "version")
        self.assert_refused(seal(header, self.tail, version=4), "version")
        self.assert_refused(seal(header, self.tail, version=3), "version")
        self.assert_refused(self.changed(lambda header: header.update(rules=2)), "version")

    def test_wrong_values_everywhere(self) -> None:
        """Each field of the header in turn left out, and set to values that it cannot have."""
        strange = [None, True, False, -1, 10**30, -(10**30), 1.0, 1e400, "", "\0", "é", [], [[]], {}, {"a": 1}, [0]]

        def places(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
            if path:
                yield path
            if isinstance(value, dict | list):
                for name in value if isinstance(value, dict) else range(len(value)):
                    if name != "made":
                        yield from places(value[name], (*path, name))

        for path in list(places(self.header, ())):
            for new in [*strange, "left out", "added"]:

                def change(header: Any, path: tuple[Any, ...] = path, new: Any = new) -> None:
                    for name in path[:-1]:
                        header = header[name]
                    if new == "left out":
                        del header[path[-1]]
                    elif new != "added":
                        header[path[-1]] = new
                    elif isinstance(header[path[-1]], dict):
                        header[path[-1]]["more"] = 0
                    elif isinstance(header[path[-1]], list):
                        header[path[-1]].append(0)
                    else:
                        header[path[-1]] = [header[path[-1]]]

                with self.subTest(path=path, new=new):
                    data = self.changed(change)
                    if path[-1] == "value" and new == -1 or path[:1] == ("claims",) and new == "left out":
                        self.assert_true_or_refused(data)
                    elif path == ("game",) and type(new) is str and new in ("", "\0", "é"):
                        self.assertTrue(verdict(data).startswith("cannot check: unknown game"), verdict(data))
                    else:
                        self.assert_refused(data)

    def assert_true_or_refused(self, data: bytes) -> None:
        if verdict(data) == "proved":
            length = int.from_bytes(data[12:16], "little")
            header = json.loads(data[48 : 48 + length])
            truth = Truth(header["game"])
            for claim in header["claims"]:
                self.assertTrue(truth.holds(claim["claimant"], claim["value"], header["position"]))

    def test_json(self) -> None:
        text = json.dumps(self.header)
        bad = [b"", b"{}", b"[]", b"null", b"1", b'"a"', b"{", b"\xff", text.encode("utf-16")]
        bad += [b"\xef\xbb\xbf" + text.encode(), text.encode() + b"{}", text.encode() + b"\0"]
        changes = [
            ('"rules": 1', '"rules": 1, "rules": 1'),
            ('"rules": 1', '"rules": NaN'),
            ('"rules": 1', '"rules": 1.0'),
            ('"search": 0', '"search": -0'),
            ('"search": 0', '"search": 00'),
            ('"search": 0', '"search": 0, "": 0'),
            ('"search": 0', '"search": 0, "database": null'),
            ('"test"', "Infinity"),
            ('"test"', '"\n"'),
            ('"test"', "[" * 63 + "]" * 63),
            ('"test"', "[" * 100_000 + "]" * 100_000),
            ('"made"', '"made": 1, "made"'),
            ('"', "'"),
        ]
        bad += [text.replace(*change).encode() for change in changes]
        for header in bad:
            self.assert_refused(seal(header, self.tail), "")

    def test_whatever_made_holds(self) -> None:
        text = json.dumps(self.header)
        for made in ("9" * 5000, "1e999", "-0", '"\\ud800"', "[" * 62 + "]" * 62, '{"a": 1, "a": 1}', '"[[[["'):
            self.assertEqual(verdict(seal(text.replace('"test"', made).encode(), self.tail)), "proved", made)

    def test_damage_is_called_damage(self) -> None:
        """The digest is compared whatever the walk says of the block."""
        plan = copy.deepcopy(self.plan)
        plan["claims"][0]["blocks"][0]["answers"][0] = 9
        header, tail = finish(plan)
        self.assert_refused(seal(json.dumps(header).encode(), tail), "move 9")
        header["claims"][0]["blocks"][0]["sha256"] = "0" * 64
        self.assert_refused(seal(json.dumps(header).encode(), tail), "the digest is wrong")

    def test_it_is_read_once_from_front_to_back(self) -> None:
        """No more than a piece at a time, and of what is no certificate no more than its beginning."""

        class Pipe(io.RawIOBase):
            def __init__(self, data: bytes) -> None:
                self.data, self.most, self.all = io.BytesIO(data), 0, 0

            def read(self, count: int = -1) -> bytes:
                data = self.data.read(count)
                self.most, self.all = max(self.most, count), self.all + len(data)
                return data

        data = build(make_plan("tictactoe"))
        pipe = Pipe(data)
        self.assertEqual(zermelo_check.check(pipe).verdict, "proved")
        self.assertEqual(pipe.all, len(data))
        pipe = Pipe(data + bytes(1 << 20))
        self.assertIn("after the last block", zermelo_check.check(pipe).verdict)
        self.assertLessEqual(pipe.all, len(data) + 1)
        pipe = Pipe(bytes(1 << 20))
        self.assertEqual(zermelo_check.check(pipe).verdict, "refused: no certificate")
        self.assertEqual(pipe.all, 16)
        # A block of a mebibyte that is hardly to be packed.
        dice = random.Random(6)
        answers = bytes(dice.randrange(2, 128) for _ in range(1 << 20))
        packed = zlib.compress(answers)
        self.header["claims"][0]["blocks"][0].update(
            size=len(answers), bytes=len(packed), sha256=hashlib.sha256(packed).hexdigest()
        )
        first = self.header["claims"][0]["blocks"][:1]
        self.header["claims"] = [dict(self.header["claims"][0], blocks=first, positions=first[0]["positions"])]
        text = json.dumps(self.header).encode()
        pipe = Pipe(seal(text, packed))
        self.assertIn("block 1", zermelo_check.check(pipe).verdict)
        self.assertEqual(pipe.all, 48 + len(text) + len(packed))
        self.assertLessEqual(pipe.most, max(zermelo_check.PIECE, len(text)))

    def test_limits(self) -> None:
        longer = b"zermelo\n" + struct.pack("<II", 2, (1 << 30) + 1)
        self.assert_refused(longer, "too long")
        long = b"zermelo\n" + struct.pack("<II", 2, (1 << 28) + 1)
        self.assertTrue(verdict(long).startswith("not checked: "), verdict(long))
        self.assert_refused(b"zermelo\n" + struct.pack("<II", 2, 1 << 28), "cut short")

    def test_claims(self) -> None:
        def both_first(header: dict[str, Any]) -> None:
            header["claims"][1]["claimant"] = "first"

        self.assert_refused(self.changed(both_first), "each once")
        three = dict(self.plan, claims=[*self.plan["claims"], self.plan["claims"][0]])
        self.assert_refused(build(three), "more than two")
        for claim in self.plan["claims"]:
            self.assertEqual(verdict(build(dict(self.plan, claims=[claim]))), "proved")
        self.assertEqual(verdict(build(dict(self.plan, claims=self.plan["claims"][::-1]))), "proved")

    def one_block(self, packed: bytes, **changes: Any) -> bytes:
        """Clobber 1x2, of which the first player wins with its only move, with this block."""
        digest = hashlib.sha256(packed).hexdigest()
        block = {"starts": ["xo first"], "positions": 1, "size": 1, "bytes": len(packed), "sha256": digest, **changes}
        claim = {"claimant": "first", "value": 1, "positions": block["positions"], "blocks": [block]}
        header = {"game": "clobber 1x2", "rules": 1, "position": "xo first", "search": 0, "claims": [claim], "made": {}}
        return seal(json.dumps(header).encode(), packed)

    def test_blocks(self) -> None:
        good = zlib.compress(b"\2")
        self.assertEqual(verdict(self.one_block(good)), "proved")
        self.assertEqual(verdict(self.one_block(zlib.compress(b"\2", 0))), "proved")
        self.assertEqual(verdict(self.one_block(good, sha256=hashlib.sha256(good).hexdigest().upper())), "proved")
        raw = zlib.compressobj(wbits=-15)
        dictionary = zlib.compressobj(zdict=b"\1\1\1\1")
        bomb = zlib.compress(bytes(50_000_000), 9)
        cases = [
            (good + b"\0", {}, "after the zlib stream"),
            (good + good, {}, "after the zlib stream"),
            (good + bytes(200_000), {}, "after the zlib stream"),
            (good[:-1], {}, "cut short"),
            (good[:3], {}, "cut short"),
            (b"", {}, "cut short"),
            (good[:-1] + b"\0", {}, "no zlib"),
            (b"\1", {}, ""),
            (raw.compress(b"\2") + raw.flush(), {}, "no zlib"),
            (dictionary.compress(b"\2") + dictionary.flush(), {}, "no zlib"),
            (bomb, {}, "longer than its size"),
            (bomb, {"size": 50_000_000}, "put off"),
            (zlib.compress(b"\2" * 70_000), {"size": 70_000}, "answers left"),
            (good, {"size": 0}, "longer"),
            (good, {"size": 2}, "shorter"),
            (good, {"positions": 2}, "positions"),
            (good, {"bytes": len(good) + 1}, "cut short"),
            (good, {"bytes": len(good) - 1}, "after the last block"),
            (good, {"bytes": 2**62}, "cut short"),
            (good, {"starts": ["ox first"]}, "first start"),
            (good, {"starts": ["xo second"]}, "first start"),
            (zlib.compress(b""), {"size": 0, "positions": 0}, "no answer left"),
            (zlib.compress(b"\2\2"), {"size": 2}, "answers left"),
            (zlib.compress(b"\0"), {"positions": 0}, "put off"),
            (zlib.compress(b"\3"), {}, "move 2 of 1"),
            (zlib.compress(b"\1"), {}, "too much to search"),
            (zlib.compress(b"\x81"), {}, "last answer is cut short"),
            (zlib.compress(b"\x81\x80\x80\x00"), {"size": 4}, "more than three bytes"),
            (zlib.compress(b"\xff\xff\x7f"), {"size": 3}, "move 2097150 of 1"),
        ]
        for packed, changes, reason in cases:
            with self.subTest(reason=reason, changes=changes, packed=packed[:20]):
                self.assert_refused(self.one_block(packed, **changes), reason)

    def test_searches(self) -> None:
        """b loses, c wins, and both replies to it have to be looked at: six positions."""
        name = "graph a first: b c; b second: d; d first = -1; c second: e f; e first = 1; f first = 1"
        plan = {"game": name, "position": "a", "search": 6}
        plan["claims"] = [{"claimant": "first", "value": 1, "blocks": [{"starts": ["a"], "answers": [SEARCH]}]}]
        report = zermelo_check.check(build(plan))
        self.assertEqual((report.verdict, report.positions, report.leaves), ("proved", 1, 3))
        for search in (0, 1, 5):
            self.assert_refused(build(dict(plan, search=search)), "too much")
        for search in (-1, 2**16 + 1, 2**40):
            self.assert_refused(build(dict(plan, search=search)), "search is a number")
        plan["game"] = name.replace("f first = 1", "f first = -1")
        self.assert_refused(build(plan), "cannot be kept")
        long = "; ".join(f"n{at} {PLAYERS[at % 2]}: n{at + 1}" for at in range(9_999))
        plan.update(game=f"graph {long}; n9999 second = 1", position="n0", search=10_000)
        plan["claims"][0]["blocks"][0]["starts"] = ["n0"]
        self.assertEqual(verdict(build(plan)), "proved")
        self.assert_refused(build(dict(plan, search=9_999)), "too much")

    def test_searched_elsewhere(self) -> None:
        """A position that one block searches can be put off by another."""
        start = "xo./.o./x.. first"
        blocks = [{"starts": [start], "answers": [SEARCH]}, {"starts": [start], "answers": [0]}]
        plan = {"game": "tictactoe", "position": start, "search": 2000}
        plan["claims"] = [{"claimant": "first", "value": 1, "blocks": blocks}]
        self.assertEqual(verdict(build(plan)), "proved")

    def test_more_starts_do_no_harm(self) -> None:
        plan = make_plan("clobber 2x2")
        plan["claims"] = [claim for claim in plan["claims"] if claim["claimant"] == "first"]
        plan["claims"][0]["blocks"][0]["starts"].append("../.. second")
        self.assertEqual(verdict(build(plan)), "proved")

    def test_put_off_needs_a_move_elsewhere(self) -> None:
        plan = make_plan("tictactoe", limit=5)
        self.assertEqual(verdict(build(plan)), "proved")
        for number, claim in enumerate(plan["claims"]):
            for gone in range(1, len(claim["blocks"])):
                less = copy.deepcopy(plan)
                del less["claims"][number]["blocks"][gone]
                self.assert_refused(build(less), "put off, and no")
        twice = copy.deepcopy(plan)
        first = twice["claims"][0]["blocks"][0]
        twice["claims"][0]["blocks"] = [dict(first, answers=[0]), dict(first, answers=[0])]
        self.assert_refused(build(twice), "put off, and no")

    def test_circles(self) -> None:
        """Going round costs the first player the game, in one block or two."""
        name = "graph repetition -1; a first: b c; b second: d; d first: e; e second: a; c second = 1"
        plan = {"game": name, "position": "a", "claims": [{"claimant": "first", "value": 1}]}
        plan["claims"][0]["blocks"] = [{"starts": ["a"], "answers": [2]}]
        self.assertEqual(verdict(build(plan)), "proved")
        plan["claims"][0]["blocks"] = [{"starts": ["a"], "answers": [1, 1]}]
        self.assert_refused(build(plan), "circle")
        plan["claims"][0]["blocks"] = [{"starts": ["a"], "answers": [1, 0]}, {"starts": ["d"], "answers": [1, 0]}]
        self.assert_refused(build(plan), "circle")
        plan["game"] = name.replace("-1", "1", 1)
        self.assertEqual(verdict(build(plan)), "proved")

    def test_met_again_after_its_visit_is_no_circle(self) -> None:
        name = "graph repetition -1; a first: b; b second: c d; c first: f; d first: g; f second: e; g second: e; "
        name += "e first: h; h second: i; i first = 1; y first: z; z second: y"
        plan = {"game": name, "position": "a", "claims": [{"claimant": "first", "value": 1}]}
        plan["claims"][0]["blocks"] = [{"starts": ["a"], "answers": [1, 1, 1, 1]}]
        self.assertEqual(verdict(build(plan)), "proved")

    def test_long_line(self) -> None:
        lines = [f"n{at} {PLAYERS[at % 2]}: n{at + 1}" for at in range(20_000)]
        plan = {"game": "graph " + "; ".join([*lines, "n20000 first = 1"]), "position": "n0"}
        plan["claims"] = [{"claimant": "first", "value": 1, "blocks": [{"starts": ["n0"], "answers": [1] * 10_000}]}]
        report = zermelo_check.check(build(plan))
        self.assertEqual((report.verdict, report.deepest, report.leaves), ("proved", 20_000, 1))


# --- Claims with a length --------------------------------------------------------------------------------------------


class Lengths(unittest.TestCase):
    GAMES = ["tictactoe", "mnk 2x3x2", "clobber 2x3", "nogo 2x3", "domineering 3x3 misere", "breakthrough 4x2", CYCLIC]

    def plans(self, dice: random.Random) -> Iterator[dict[str, Any]]:
        names = [(name, STARTS[name]) for name in self.GAMES] + [(random_graph(dice), "n0") for _ in range(100)]
        for name, position in names:
            for claimant in PLAYERS:
                for value in (-1, 0, 1):
                    claim = bounded_claim(name, position, claimant, value)
                    if claim:
                        yield {"game": name, "position": position, "claims": [claim]}

    def refused(self, plan: dict[str, Any], reason: str) -> None:
        found = verdict(build(plan))
        self.assertTrue(found.startswith("refused: ") and reason in found, found)

    def test_exact_lengths(self) -> None:
        count = 0
        for plan in self.plans(random.Random(1)):
            claim = plan["claims"][0]
            report = zermelo_check.check(build(plan))
            self.assertEqual((report.verdict, report.longest), ("proved", [claim["within"]]), plan)
            longer = dict(claim, within=claim["within"] + 5)
            self.assertEqual(zermelo_check.check(build(dict(plan, claims=[longer]))).longest, [claim["within"]])
            if claim["within"] > 0:
                self.refused(dict(plan, claims=[dict(claim, within=claim["within"] - 1)]), "plies")
            count += 1
        self.assertGreater(count, 200)

    def test_mutants(self) -> None:
        dice, alive = random.Random(2), 0
        for plan in self.plans(dice):
            least = plan["claims"][0]["within"]
            for _ in range(10):
                claim = copy.deepcopy(plan["claims"][0])
                answers = claim["blocks"][0]["answers"]
                at = dice.randrange(len(answers) + 1)
                answers[at : at + dice.randint(0, 1)] = [dice.randint(0, 3)] * dice.randint(0, 2)
                claim["within"] = max(0, least + dice.randint(-2, 2))
                found = verdict(build(dict(plan, claims=[claim])))
                self.assertTrue(found == "proved" or found.startswith("refused: "), found)
                self.assertTrue(found != "proved" or claim["within"] >= least, claim)
                alive += found == "proved"
        self.assertGreater(alive, 100)

    def test_what_it_may_not_have(self) -> None:
        plan = {"game": "tictactoe", "position": "xo./.../... first"}
        plan["claims"] = [bounded_claim("tictactoe", plan["position"], "first", 1)]
        claim, block = plan["claims"][0], plan["claims"][0]["blocks"][0]
        self.assertEqual(verdict(build(plan)), "proved")
        for change, reason in [
            ({"blocks": [block, block]}, "one block"),
            ({"blocks": [dict(block, starts=block["starts"] * 2)]}, "one start"),
            ({"blocks": [dict(block, answers=[0, *block["answers"][1:]])]}, "there must be a move"),
            ({"blocks": [dict(block, answers=[SEARCH, *block["answers"][1:]])]}, "there must be a move"),
            ({"blocks": [dict(block, answers=[*block["answers"], 1])]}, "answers left"),
            ({"blocks": [dict(block, answers=block["answers"][:-1])]}, "no answer left"),
            ({"within": -1}, "from 0 to"),
            ({"within": 1 << 32}, "from 0 to"),
            ({"within": None}, "no whole number"),
            ({"within": 1.0}, "no whole number"),
        ]:
            self.refused(dict(plan, claims=[dict(claim, **change)]), reason)
        header, tail = finish(plan)
        second = verdict(seal(json.dumps(header).encode(), tail, version=2))
        self.assertIn("the fields are", second)
        self.refused({"game": "go 1x2", "position": ".. first", "claims": [dict(claim, within=9)]}, "boards must not")

    def test_circles(self) -> None:
        """A circle that keeps a claim keeps none with a length."""
        name = "graph repetition 1; a first: b c; b second: a; c second = 1"
        claim = {"claimant": "first", "value": 1, "blocks": [{"starts": ["a"], "answers": [1]}]}
        plan = {"game": name, "position": "a", "claims": [claim]}
        self.assertEqual(verdict(build(plan)), "proved")
        self.refused(dict(plan, claims=[dict(claim, within=1000)]), "circle")

    def test_circles_through_images(self) -> None:
        """A position that is an image of one whose visit is not over closes a circle, too."""

        class Turning(Graph):
            def key(self, position: int) -> bytes:
                return super().key(position // 2)  # a0 and a1 are images of each other, and so on

        game = Turning(
            "repetition 0; a0 first: b0; a1 first: b1; b0 second: a1; b1 second: a0 c; c first = 1; d second = 1"
        )
        for within in (None, 1000):
            claim = zermelo_check.Claim(FIRST, 1, 0, within)
            answers = zlib.compress(leb128([2]))
            digest = hashlib.sha256(answers).hexdigest()
            claim.blocks.append(zermelo_check.Block([game.parse("a0")], 1, 1, len(answers), digest))
            kind = zermelo_check.Walk if within is None else zermelo_check.BoundedWalk
            report = zermelo_check.Report("", longest=[None])
            with self.assertRaisesRegex(Refused, "circle"):
                kind(game, claim, report, io.BytesIO(answers)).run()

    def test_met_again_adds_its_height(self) -> None:
        name = "graph repetition 0; a first: b; b second: d e; e first: f; f second: d; d first: g; "
        name += "g second: h; h first: i; i second = 1"
        claim = {"claimant": "first", "value": 1, "within": 7, "blocks": [{"starts": ["a"], "answers": [1] * 4}]}
        plan = {"game": name, "position": "a", "claims": [claim]}
        self.assertEqual(verdict(build(plan)), "proved")
        self.refused(dict(plan, claims=[dict(claim, within=6)]), "for 7 plies, and 6")


# --- Proofs and mutants ----------------------------------------------------------------------------------------------


class Mutants(unittest.TestCase):
    """Whatever is changed, a file is refused or what it claims is true."""

    def judge(self, plan: dict[str, Any], truth: Truth) -> bool:
        found = verdict(build(plan))
        if found != "proved":
            self.assertTrue(found.startswith("refused: "), found)
            return False
        for claim in plan["claims"]:
            true = truth.holds(claim["claimant"], claim["value"], plan["position"])
            self.assertTrue(true, f"proved, and not true: {plan}")
        return True

    def test_exact_values(self) -> None:
        for name in STARTS:
            for limit in (1, 3, 10**9):
                with self.subTest(name=name, limit=limit):
                    self.assertTrue(self.judge(make_plan(name, limit=limit), Truth(name)))

    def test_other_positions(self) -> None:
        dice = random.Random(1)
        for name, start in STARTS.items():
            truth = Truth(name)
            for _ in range(10):
                position, mover = truth.game.parse(start)
                for _ in range(dice.randint(1, 4)):
                    after = truth.game.moves(position, mover)
                    if after:
                        position, mover = dice.choice(after), 1 - mover
                text = truth.game.text(position, mover)
                self.assertTrue(self.judge(make_plan(name, text, dice.choice([2, 10**9])), truth), (name, text))

    def test_false_claims(self) -> None:
        """A value better than the true one, with every answer that the writer gives."""
        for name, start in STARTS.items():
            truth = Truth(name)
            value = truth.value(*truth.game.parse(start))
            for claimant, better in (("first", value + 1), ("second", value - 1)):
                claim = write_claim(name, start, claimant, better, 10**9)
                self.assertFalse(self.judge({"game": name, "position": start, "claims": [claim]}, truth))

    def mutants(self, plan: dict[str, Any], dice: random.Random, texts: list[str]) -> Iterator[dict[str, Any]]:
        for number, claim in enumerate(plan["claims"]):
            numbers = range(len(claim["blocks"]))
            for at in dice.sample(numbers, min(len(numbers), 3)):
                block = claim["blocks"][at]
                count = len(block["answers"])
                for index in dice.sample(range(count), min(count, 8)):
                    for answer in (0, SEARCH, 1, 2, 3, 200):
                        mutant = copy.deepcopy(plan)
                        mutant["claims"][number]["blocks"][at]["answers"][index] = answer
                        yield mutant
                    mutant = copy.deepcopy(plan)
                    del mutant["claims"][number]["blocks"][at]["answers"][index]
                    yield mutant
                    mutant = copy.deepcopy(plan)
                    mutant["claims"][number]["blocks"][at]["answers"].insert(index, dice.randint(0, 3))
                    yield mutant
                for text in dice.sample(texts, min(len(texts), 3)):
                    for starts in ([text], [text, *block["starts"]], [*block["starts"], text], block["starts"][1:]):
                        mutant = copy.deepcopy(plan)
                        mutant["claims"][number]["blocks"][at]["starts"] = starts
                        yield mutant
                mutant = copy.deepcopy(plan)
                del mutant["claims"][number]["blocks"][at]
                yield mutant
            for change in ({"value": 1}, {"value": 0}, {"value": -1}, {"claimant": "first"}, {"claimant": "second"}):
                mutant = copy.deepcopy(plan)
                mutant["claims"][number].update(change)
                yield mutant
                yield dict(mutant, claims=[mutant["claims"][number]])
        for text in dice.sample(texts, min(len(texts), 5)):
            mutant = copy.deepcopy(plan)
            mutant["position"] = text
            yield copy.deepcopy(mutant)
            for claim in mutant["claims"]:
                claim["blocks"][0]["starts"][0] = text
            yield mutant

    def judge_mutants(self, name: str, start: str, limit: int, dice: random.Random) -> tuple[int, int]:
        truth = Truth(name)
        node, texts = truth.game.parse(start), []
        for _ in range(30):
            texts.append(truth.game.text(*node))
            after = truth.game.moves(*node)
            node = (dice.choice(after), 1 - node[1]) if after else truth.game.parse(start)
        plan = dict(make_plan(name, start, limit), search=dice.choice([0, 3, 30, 300]))
        verdicts = [self.judge(plan, truth) for plan in self.mutants(plan, dice, texts)]
        return len(verdicts), sum(verdicts)

    def test_mutants(self) -> None:
        dice = random.Random(2)
        total = proved = 0
        for name, start in STARTS.items():
            for limit in (20, 10**9):
                more, still = self.judge_mutants(name, start, limit, dice)
                total, proved = total + more, proved + still
        self.assertGreater(total, 3000)
        self.assertLess(proved, total // 2)

    def test_graphs_that_come_back(self) -> None:
        """Random graphs: what is true is found by following every line until it comes back."""
        dice = random.Random(3)
        for _ in range(100):
            name = random_graph(dice)
            truth = Truth(name)
            limit = dice.choice([1, 10**9])
            with self.subTest(name):
                self.assertTrue(self.judge(make_plan(name, "n0", limit), truth))
                self.judge_mutants(name, "n0", limit, dice)

    def test_all_strategies_of_small_graphs(self) -> None:
        """A claim is provable by some list of answers exactly if it is true."""
        dice = random.Random(4)
        for _ in range(60):
            name = random_graph(dice)
            truth = Truth(name)
            for claimant in PLAYERS:
                for value in (-1, 0, 1):
                    lists: list[list[int]] = [[]]
                    found = False
                    while lists and not found:
                        answers = lists.pop()
                        claim = {"claimant": claimant, "value": value}
                        claim["blocks"] = [{"starts": ["n0"], "answers": answers}]
                        told = verdict(build({"game": name, "position": "n0", "claims": [claim]}))
                        found = told == "proved"
                        if "no answer left" in told:
                            lists += [[*answers, answer] for answer in (1, 2, 3)]
                    self.assertEqual(found, truth.holds(claimant, value, "n0"), (name, claimant, value))

    def test_noise(self) -> None:
        """Headers and blocks with random changes and digests that fit: a verdict, never an exception."""
        dice = random.Random(5)
        for name in ("clobber 2x3", CYCLIC, "domineering 3x3"):
            header, tail = finish(make_plan(name, limit=3))
            text = json.dumps(header).encode()
            for _ in range(1500):
                changed = bytearray(text)
                for _ in range(dice.randint(1, 3)):
                    at = dice.randrange(len(changed))
                    new = dice.choice([b"", b"0", b"9", b"-", b'"', b"[", b"}", b",", b"x", b".", b"\xff", b" first"])
                    changed[at : at + dice.randint(0, 2)] = new
                found = verdict(seal(bytes(changed), tail))
                self.assertTrue(found == "proved" or found.startswith(("refused: ", "cannot check: unknown game")), found)


# --- Where boards must not be repeated ------------------------------------------------------------------------------------


class Writer(zermelo_check.LineWalk):
    """Makes up its answers as it goes."""

    def __init__(self, game: Game, claim: zermelo_check.Claim, choose: Callable[[int, int, list[int]], int]) -> None:
        super().__init__(game, claim, zermelo_check.Report(""), io.BytesIO())
        self.choose, self.given = choose, []

    def visit(self, position: int, mover: int) -> None:
        self.at = position, mover
        super().visit(position, mover)

    def write(self, start: tuple[int, int]) -> dict[str, Any]:
        def answers() -> Iterator[int]:
            while self.frames or not self.given:
                self.given.append(self.choose(*self.at, self.line))
                yield self.given[-1] + 1

        self.proofs, self.line, self.frames, self.answered_here = {}, [], [], 0
        self.answers = answers()
        self.visit(*start)
        while self.frames:
            frame = self.frames[-1]
            if frame.left:
                self.visit(frame.left.pop(), 1 - frame.mover)
            else:
                self.leave()
        claim = {"claimant": PLAYERS[self.claim.claimant], "value": self.claim.value}
        return {**claim, "blocks": [{"starts": [self.game.text(*start)], "answers": self.given}]}


class Lines(unittest.TestCase):
    def truth(self, game: Game, position: int, mover: int, line: list[int], low: int = -99, high: int = 99) -> int:
        """By brute force along the line, between two bounds."""
        after = game.moves(position, mover)
        if not after:
            return game.value(position, mover)
        board = game.board(position)
        line = [*line, board]
        best = 99 if mover else -99
        for child in after:
            if game.board(child) != board and game.board(child) in line:
                continue
            value = self.truth(game, child, 1 - mover, line, low, high)
            if mover:
                best = min(best, value)
                high = min(high, best)
            else:
                best = max(best, value)
                low = max(low, best)
            if low >= high:
                break
        return best

    def test_go(self) -> None:
        for name, start in (("go 1x3", "... first"), ("go 1x3 komi 1.5", "... first"), ("go 1x4", ".xx. first")):
            game = make_game(name)
            root = game.parse(start)
            value = self.truth(game, *root, [])
            for claimant in (0, 1):
                claim = zermelo_check.Claim(claimant, value, 0)

                def choose(position: int, mover: int, line: list[int], claim: zermelo_check.Claim = claim) -> int:
                    for number, child in enumerate(game.moves(position, mover), 1):
                        stood = [*line, game.board(position)]
                        if game.board(child) == stood[-1] or game.board(child) not in stood:
                            if claim.kept_by(self.truth(game, child, 1 - mover, stood)):
                                return number
                    raise AssertionError(game.text(position, mover))

                plan = {"game": name, "position": start, "claims": [Writer(game, claim, choose).write(root)]}
                self.assertEqual(verdict(build(plan)), "proved", name)
                answers = plan["claims"][0]["blocks"][0]["answers"]
                for at in range(len(answers)):
                    for answer in (0, SEARCH, 1, 2, 3, 4):
                        mutant = copy.deepcopy(plan)
                        mutant["search"] = 100
                        mutant["claims"][0]["blocks"][0]["answers"][at] = answer
                        mutant["claims"][0]["value"] = better = value + (-1 if claimant else 1)
                        self.assertTrue(better > game.most or verdict(build(mutant)).startswith("refused"))
                for blocks in ([{"starts": [start, start], "answers": answers}], plan["claims"][0]["blocks"] * 2):
                    more = dict(plan, claims=[dict(plan["claims"][0], blocks=blocks)])
                    self.assertIn("more than one", verdict(build(more)))

    def test_positions(self) -> None:
        game = make_game("go 3x4")
        for text in (".xo./x.xo/.xo. second ko b2", "..../.x../.... second passed", "..../.x../.... first over"):
            self.assertEqual(game.text(*game.parse(text)), text)
        refused = [".xo./x.xo/.xo. first ko b2", ".xo./x.xo/.xo. second ko a1", "..../..../.... first ko"]
        for text in (*refused, "..../..../.... first lost", "x.../..../.... first ko b2"):
            with self.assertRaises(Refused):
                game.parse(text)
        refused = ["go 20x19", "go 3x3 komi", "go 3x3 komi 01", "go 3x3 komi 1.50", "go 3x3 komi -0"]
        for name in (*refused, "go 3", "go 3x3 komi 12345"):
            with self.assertRaises(Refused):
                make_game(name)


class CommandLine(unittest.TestCase):
    def run_main(self, *arguments: str) -> tuple[int, str]:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            try:
                code = zermelo_check.main(list(arguments))
            except SystemExit as stop:
                code = int(stop.code or 0)
        return code, out.getvalue()

    def test_nothing_but_visible_characters(self) -> None:
        for text in ("\x1b[2K", "\r\n", "\x7f", "\x9b", "\u202e", "\ufeff", "\ufe0f", "\u200b", "\ud800", "\U000e0001", "\x85"):
            shown = base.shown("a" + text + "b")
            self.assertTrue(shown.isprintable() and shown.isascii(), ascii(shown))
        self.assertEqual(base.shown("Žižka 囲碁"), "Žižka 囲碁")
        self.assertEqual(base.shown("a" * 1000), "a" * base.SHOWN + "...")

    def test_codes_and_output(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            good, bad = Path(folder, "good.proof"), Path(folder, "bad.proof")
            data = build(make_plan("tictactoe"))
            good.write_bytes(data)
            bad.write_bytes(data[:-1])
            code, text = self.run_main(str(good))
            self.assertEqual(code, 0)
            self.assertIn("first: at least 0; second: at most 0", text)
            self.assertTrue(text.endswith("  proved\n"))
            code, text = self.run_main(str(good), str(bad), "--json")
            self.assertEqual(code, 1)
            reports = [json.loads(line) for line in text.splitlines()]
            self.assertEqual(reports[0]["verdict"], "proved")
            self.assertEqual(reports[0]["deepest"], 9)
            self.assertTrue(reports[1]["verdict"].startswith("refused: "))
            self.assertEqual(self.run_main(str(bad), str(Path(folder, "none")))[0], 2)
            # A game that is not known here is no reason to refuse the file.
            header, tail = finish(make_plan("tictactoe"))
            unknown = Path(folder, "unknown.proof")
            unknown.write_bytes(seal(json.dumps({**header, "game": "chomp 3x4"}).encode(), tail))
            code, text = self.run_main(str(good), str(unknown), "--json")
            self.assertEqual(code, zermelo_check.UNKNOWN_GAME)
            self.assertEqual(json.loads(text.splitlines()[1])["verdict"], "cannot check: unknown game chomp 3x4")
            self.assertEqual(self.run_main(str(unknown), str(bad))[0], 1)
            self.assertEqual(self.run_main(str(unknown), str(Path(folder, "none")))[0], 2)
            self.assertEqual(self.run_main(folder)[0], 2)
        self.assertEqual(self.run_main()[0], 2)
        self.assertEqual(self.run_main("--what")[0], 2)


if __name__ == "__main__":
    unittest.main()
