"""Tests of the rules of checkers, chess, Kalah, Awari, Morris and Lines of Action: `python3 -m unittest` in this folder.

With the program in the environment variable ZERMELO its moves, positions and certificates are compared, too; with
ZERMELO_TORTURE=N on N times as many positions.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

from test_zermelo_check import leb128, seal, verdict
from zermelo_rules import make_game, make_rules
from zermelo_rules.base import FIRST, Game, Refused

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "proofcheck" / "golden"
PROGRAM = str(Path(os.environ["ZERMELO"]).resolve()) if os.environ.get("ZERMELO") else None
TIMES = int(os.environ.get("ZERMELO_TORTURE", "1"))

STARTS = {
    "checkers 8x8": "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
    "checkers 6x6": "B:W13,14,15,16,17,18:B1,2,3,4,5,6",
    "checkers 4x8": "B:W13,14,15,16:B1,2,3,4",
    "checkers 6x4": "B:W9,10,11,12:B1,2,3,4",
    "checkers 4x4": "B:W7,8:B1,2",
    "chess KRK": "4k3/8/8/8/8/8/8/R3K3 w - - 0 1",
    "chess KQK": "4k3/8/8/8/8/8/8/3QK3 w - - 0 1",
    "chess KPK": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "chess KPKP": "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1",
    "chess KQKN": "1n2k3/8/8/8/8/8/8/3QK3 w - - 0 1",
    "chess KBNKR": "r3k3/8/8/8/8/8/8/1N2KB2 w - - 0 1",
    "chess 6": "4k3/3pp3/8/8/8/8/3PP3/4K3 w - - 0 1",
    "kalah 2x2": "2,2/2,2 0-0 first",
    "kalah 3x2 noempty": "2,2,2/2,2,2 0-0 first",
    "kalah 4x3": "3,3,3,3/3,3,3,3 0-0 first",
    "kalah 4x3 noempty": "3,3,3,3/3,3,3,3 0-0 first",
    "kalah 1x8": "8/8 0-0 first",
    "kalah 6x4": "4,4,4,4,4,4/4,4,4,4,4,4 0-0 first",
    "kalah 6x4 noempty": "4,4,4,4,4,4/4,4,4,4,4,4 0-0 first",
    "awari 3x2": "2,2,2/2,2,2 0-0 first",
    "awari 3x2 noslam": "2,2,2/2,2,2 0-0 first",
    "awari 6x4": "4,4,4,4,4,4/4,4,4,4,4,4 0-0 first",
    "morris 3": ".../.../... 3-3 first",
    "morris 3 fly": ".../.../... 3-3 first",
    "morris 6": "......../........ 6-6 first",
    "morris 6 fly": "......../........ 6-6 first",
    "morris 9": "......../......../........ 9-9 first",
    "morris 9 nofly": "......../......../........ 9-9 first",
    "loa 3x3": ".x./o.o/.x. first",
    "loa 4x4": ".xx./o..o/o..o/.xx. first",
    "loa 4x5": ".xxx./o...o/o...o/.xxx. first",
    "loa 3x19": ".xxxxxxxxxxxxxxxxx./o.................o/.xxxxxxxxxxxxxxxxx. first",
    "loa 8x8": ".xxxxxx./o......o/o......o/o......o/o......o/o......o/o......o/.xxxxxx. first",
}
# Where random games leave positions that are soon solved.
SMALL = ["checkers 4x4", "checkers 6x4", "chess KQK", "chess KRK", "chess KPK", "chess KPKP", "kalah 3x2 noempty", "kalah 4x3",
         "morris 3", "morris 3 fly", "morris 6", "morris 9", "loa 3x3", "loa 4x4", "loa 4x5"]  # fmt: skip


def perft(game: Game, position: Any, mover: int, depth: int) -> int:
    after = game.moves(position, mover)
    return len(after) if depth == 1 else sum(perft(game, to, 1 - mover, depth - 1) for to in after)


def wander(game: Game, name: str, dice: random.Random, plies: int) -> tuple[Any, int]:
    """A position of a random game, which may be over."""
    position, mover = game.parse(STARTS[name])
    for _ in range(plies):
        after = game.moves(position, mover)
        if not after:
            break
        position, mover = dice.choice(after), 1 - mover
    return position, mover


class Rules(unittest.TestCase):
    def after(self, name: str, position: str) -> list[str]:
        game = make_rules(name)
        at, mover = game.parse(position)
        return [game.text(to, 1 - mover) for to in game.moves(at, mover)]

    def over(self, name: str, position: str) -> int | None:
        game = make_rules(name)
        at = game.parse(position)
        return None if game.moves(*at) else game.value(*at)

    def test_published_perft_figures(self) -> None:
        for name, counts in {
            "checkers 8x8": (7, 49, 302, 1469, 7361, 36768),
            "loa 8x8": (36, 1244, 44952),
        }.items():
            game = make_game(name)
            for depth, count in enumerate(counts, 1):
                self.assertEqual(perft(game, *game.parse(STARTS[name]), depth), count, name)

    def test_lines_of_play(self) -> None:
        """The figures that the program is tested with, as far as they are small."""
        compared = Counter()
        for line in (ROOT / "crates/games/tests/perft.txt").read_text().splitlines():
            name, _, counts = line.partition(" : ")
            if name in STARTS:
                game = make_rules(name)
                for depth, count in enumerate(map(int, counts.split()), 1):
                    if count <= 8_000:
                        self.assertEqual(perft(game, *game.parse(STARTS[name]), depth), count, name)
                        compared[name.split()[0]] += 1
        self.assertEqual(len(compared), 6)
        self.assertGreater(compared.total(), 80)

    def test_checkers(self) -> None:
        # Who can take must, with the same piece as long as it can; what is taken is gone, whatever the way.
        self.assertEqual(self.after("checkers 8x8", "B:W6,15:B1,12"), ["W:W:B12,19"])
        # A round trip over four: the same from both sides, so it is one move.
        self.assertEqual(self.after("checkers 8x8", "B:W14,15,22,23:BK10"), ["W:W:BK10"])
        # Crowning ends the move.
        self.assertEqual(self.after("checkers 8x8", "B:W26,27:B22"), ["W:W27:BK31"])
        self.assertEqual(self.after("checkers 4x4", "W:WK8:B"), ["B:WK6:B", "B:WK5:B"])
        self.assertEqual(self.over("checkers 8x8", "W:W:B1"), 1)
        self.assertEqual(self.over("checkers 8x8", "B:W5,6,9:B1"), None)
        self.assertEqual(self.over("checkers 8x8", "B:W5,6,10,9,13,14:B"), -1)

    def test_chess(self) -> None:
        # King, then men; each in the order of cells; promotions from knight to queen.
        found = self.after("chess KPK", "7k/P7/8/8/8/8/8/K7 w - - 0 1")
        self.assertEqual(found[:3], ["7k/P7/8/8/8/8/8/1K6 b - - 0 1", "7k/P7/8/8/8/8/K7/8 b - - 0 1", "7k/P7/8/8/8/8/1K6/8 b - - 0 1"])
        self.assertEqual([text[0] for text in found[3:]], list("NBRQ"))
        # En passant counts where it is legal.
        game = make_game("chess KPKP")
        text = "8/8/8/8/k2pP2R/8/8/K7 b - e3 0 1"
        self.assertEqual(make_game("chess 6").parse(text), make_game("chess 6").parse(text.replace("e3", "-")))
        self.assertNotEqual(game.parse("8/8/8/8/k2pP3/8/8/K7 b - e3"), game.parse("8/8/8/8/k2pP3/8/8/K7 b - - 7 9"))
        self.assertIn("8/8/8/8/k7/4p3/8/K7 w - - 0 1", self.after("chess KPKP", "8/8/8/8/k2pP3/8/8/K7 b - e3 0 1"))
        self.assertIn("8/8/8/8/k2pP3/8/8/K7 b - e3 0 1", self.after("chess KPKP", "8/8/8/8/k2p4/8/4P3/K7 w - - 0 1"))
        self.assertEqual(self.over("chess KQK", "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), 1)
        self.assertEqual(self.over("chess KQK", "k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"), 0)
        self.assertEqual(self.over("chess KQK", "K7/1q6/1k6/8/8/8/8/8 w - - 0 1"), -1)
        self.assertEqual(self.over("chess KQK", "k7/8/1K6/8/8/8/8/8 b - - 0 1"), 0)

    def test_sowing(self) -> None:
        play = lambda name, text, number=0: self.after(name, text)[number]  # noqa: E731
        self.assertEqual(play("kalah 2x3", "5,1/3,3 0-0 first"), "0,2/4,0 6-0 second")
        self.assertEqual(play("kalah 2x3", "1,1/5,5 0-0 first", 1), "1,0/5,5 1-0 second pass")
        self.assertEqual(play("kalah 2x3", "1,0/5,5 1-0 second pass"), "1,0/5,5 1-0 first")
        self.assertEqual(play("kalah 2x3", "1,0/0,9 1-1 first"), "0,0/0,9 2-1 second")
        self.assertEqual(play("kalah 2x3 noempty", "1,0/0,9 1-1 first"), "0,1/0,9 1-1 second")
        self.assertEqual(self.over("kalah 2x3", "0,0/0,9 2-1 second pass"), -8)
        self.assertEqual(play("awari 3x2", "0,0,3/1,2,1 3-2 first"), "0,0,0/0,0,0 10-2 second")
        self.assertEqual(play("awari 3x2 noslam", "0,0,3/1,2,1 3-2 first"), "0,0,0/2,3,2 3-2 second")
        self.assertEqual(play("awari 3x2", "1,6,1/1,1,1 1-0 first", 1), "2,0,3/2,2,2 1-0 second")
        self.assertEqual(self.after("awari 3x2", "1,1,1/0,0,0 5-4 first"), ["1,1,0/1,0,0 5-4 second"])
        self.assertEqual(self.over("awari 3x2", "1,1,0/0,0,0 5-5 first"), 2)
        game = make_rules("awari 3x2")
        self.assertEqual(game.standing(game.parse("1,1,0/0,1,0 6-3 second")[0]), 3)

    def test_morris(self) -> None:
        self.assertEqual(self.after("morris 6", "xx.o..../o....... 4-4 first")[0], "xxx...../o....... 3-4 second")
        self.assertEqual(self.after("morris 6", "xx.o..../o....... 4-4 first")[1], "xxxo..../........ 3-4 second")
        # All in mills: any may be taken. Nobody there: nobody is taken.
        self.assertEqual(self.after("morris 9", "ooo...../xx....../........ 2-5 first")[5:8],
                         ["......../xxx...../........ 1-5 second".replace("........", mill, 1) for mill in (".oo.....", "o.o.....", "oo......")])
        self.assertIn("xxx...../........ 3-4 second", self.after("morris 6", "xx....../........ 4-4 first"))
        self.assertEqual(self.over("morris 6", "xx....../oooo.... 0-0 first"), -1)
        self.assertEqual(self.over("morris 6", "xx....../oo...... 0-0 second"), 1)
        self.assertEqual(self.over("morris 3", "xxx/ooo/... 0-0 first"), -1)
        self.assertEqual(self.over("morris 3", "xxx/.../oo. 0-1 second"), 1)
        self.assertEqual(self.over("morris 3", "xo./o../... 0-1 first"), None)
        self.assertEqual(self.over("morris 3", "xo./oo./... 0-0 first"), -1)
        self.assertEqual(len(self.after("morris 3 fly", "x.x/.../.xo 0-2 first")), 15)

    def test_loa(self) -> None:
        self.assertEqual(self.over("loa 4x4", "x.../.x../..x./o..o second"), 1)
        self.assertEqual(self.over("loa 4x4", "x.../.x../..oo/.... second"), 0)
        self.assertEqual(self.over("loa 4x4", "x..x/..../..../.... first"), -1)
        self.assertIn("o..x/..../..../..x. second", self.after("loa 4x4", "o..x/..../..../x.o. first"))
        # Enclosed: a pass.
        self.assertEqual(self.after("loa 3x4", "xxoo/oxoo/.xox first"), ["xxoo/oxoo/.xox second"])

    def test_images(self) -> None:
        """Images have one key, and moves that are images of each other; a change of colours or turn is no image."""

        def rows(text: str) -> str:
            board, rest = text.split(" ", 1)
            return "/".join(row[::-1] for row in board.split("/")) + " " + rest

        def ranks(text: str) -> str:
            board, rest = text.split(" ", 1)
            return "/".join(board.split("/")[::-1]) + " " + rest

        def ring(text: str) -> str:
            board, rest = text.split(" ", 1)
            return "/".join(row[2:] + row[:2] for row in board.split("/")) + " " + rest

        def grid(text: str) -> str:
            board, rest = text.split(" ", 1)
            return "/".join(map("".join, zip(*board.split("/")))) + " " + rest

        dice = random.Random(4)
        for name, changes in {
            "chess KRK": (rows, ranks), "chess KPK": (rows,), "morris 3": (rows, ranks, grid), "morris 9": (ring,),
            "morris 6": (ring,), "loa 4x4": (rows, ranks, grid), "loa 4x5": (rows, ranks),
        }.items():  # fmt: skip
            game = make_game(name)
            for _ in range(30):
                position, mover = wander(game, name, dice, dice.randrange(30))
                for change in changes:
                    image, _ = game.parse(change(game.text(position, mover)))
                    self.assertEqual(game.key(image), game.key(position), game.text(position, mover))
                    keys = [sorted(map(game.key, game.moves(at, mover))) for at in (position, image)]
                    self.assertEqual(*keys)
        for name, one, other in (
            ("checkers 8x8", "B:W32:B1", "B:W31:B1"),
            ("chess KPK", "4k3/8/8/8/8/8/4P3/4K3 w - -", "4k3/4P3/8/8/8/8/8/4K3 w - -"),
            ("chess KRKR", "r3k3/8/8/8/8/8/8/4K2R w - -", "r3k3/8/8/8/8/8/8/R3K3 w - -"),
            ("kalah 2x2", "1,3/2,2 0-0 first", "3,1/2,2 0-0 first"),
            ("morris 9", "x......./......../........ 8-9 second", "......../......../x....... 8-9 second"),
            ("morris 9", "x......./......../........ 8-9 second", "x......./......../........ 7-9 second"),
            ("loa 4x5", "x..../...../...../o.... first", "x..../...../...../.o... first"),
            ("loa 3x3", "x../.../... first", "o../.../... first"),
        ):
            game = make_game(name)
            keys = [game.key(game.parse(text)[0]) for text in (one, other)]
            self.assertNotEqual(*keys, name)

    def test_bad_games(self) -> None:
        bad = """checkers|checkers 8|checkers 5x8|checkers 8x10|checkers 8x8x8|checkers 8x8 misere|chess|chess KQ|chess QK|chess KPQK|chess KQQQQQK
            |chess 2|chess 7|chess 03|chess krk|chess KRK KRK|chess KKK|kalah|kalah 7x4|kalah 6x9|kalah 0x3|kalah 3x3 noslam|kalah 3x3 noempty noempty
            |kalah 03x3|morris|morris 4|morris 9 fly|morris 6 nofly|morris 3 nofly|morris 3  fly|morris 3 fly nofly|morris 03|loa|loa 2x4|loa 4x20|loa 4x4x4
            |loa 3x3 misere|LOA 3x3|Chess KRK"""
        for name in bad.split("|"):
            self.assertRaises(Refused, make_game, name.rstrip("\n "))
        for name in ("awari 3x2", "awari 6x4 noslam"):
            make_rules(name)
            with self.assertRaisesRegex(Refused, "no certificates"):
                make_game(name)

    def test_bad_positions(self) -> None:
        bad = {
            "checkers 8x8": ["", "B", "B:", "X:W1:B2", "B:W1", "B:W5:B1:W6", "B:W33:B1", "B:W0:B1", "B:W5:B5", "B:W1:B6", "B:W5:B32", "B:W5,:B1",
                             "B:WQ5:B1", "B:W005:B1", "B:W 5:B1", "B:W5:B1 ", "B:5:B1", "B:W5:B"[:-2]],
            "chess KRK": ["", "4k3/8/8/8/8/8/8/R3K3", "4k3/8/8/8/8/8/8/R3K3 x - -", "4k3/8/8/8/8/8/8/R3K3 w KQ -", "4k3/8/8/8/8/8/8/R3K3 w - e3",
                          "4k3/8/8/8/8/8/8/R3K3 w - - 0 1 2", "4k3/8/8/8/8/8/8/R3K3 w - - a", "4k3/8/8/8/8/8/8/R3K3 w - - ", "4k3/8/8/8/8/8/8/Q3K3 w - -",
                          "4k3/8/8/8/8/8/R3K3 w - -", "4k3/9/8/8/8/8/8/R3K3 w - -", "4k3/8/8/8/8/8/8/R3K4 w - -", "4k3/8/8/8/8/8/8/R7 w - -",
                          "4k3/8/8/8/8/8/8/RR2K3 w - -", "4k3/8/8/8/8/8/8/4K2P w - -", "8/8/8/8/8/8/4k3/R3K3 w - -", "R3k3/8/8/8/8/8/8/4K3 w - -"],
            "chess KPKP": ["4k3/8/8/8/4Pp2/8/8/4K3 b - d3", "4k3/8/8/8/4Pp2/4K3/8/8 b - e3", "4k3/8/8/8/4Pp2/8/4K3/8 b - e3", "4k3/8/8/8/4Pp2/8/8/4K3 w - e6"],
            "kalah 2x2": ["", "2,2/2,2 0-0", "2,2/2,2 0-1 first", "2,2/2,1 0-0 first", "2,2/02,2 0-0 first", "2,2/2,2 0-0 third", "2,2,0/2,2 0-0 first",
                          "2,2/2,2 0-0 first pass ", "2,2/2,2 0-0  first", "2;2/2,2 0-0 first", "2,2/2,2 -0-0 first"],
            "awari 2x2": ["2,2/2,2 0-0 first pass"],
            "morris 3": ["", ".../.../... 3-3", ".../.../... 4-3 first", "x../.../... 3-3 second", ".../.../... 03-3 first", ".../... 3-3 first", ".../.../..# 3-3 first",
                         "........./ 3-3 first", ".../.../... 3-3 First"],
            "loa 3x3": ["", ".x./o.o/.x.", ".x./o.o/.x first", ".x./o.o first", ".x./o#o/.x. first"],
        }  # fmt: skip
        for name, texts in bad.items():
            game = make_rules(name)
            for text in texts:
                with self.subTest(name=name, text=text):
                    self.assertRaises(Refused, game.parse, text)


# --- Certificates ------------------------------------------------------------------------------------------------------


def parts(data: bytes) -> tuple[dict[str, Any], list[list[int]]]:
    """The header, and the answers of each block."""
    end = 48 + int.from_bytes(data[12:16], "little")
    header, blocks = json.loads(data[48:end]), []
    for block in (block for claim in header["claims"] for block in claim["blocks"]):
        numbers, number, shift = [], 0, 0
        for byte in zlib.decompress(data[end : end + block["bytes"]]):
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                numbers.append(number)
                number = shift = 0
        blocks.append(numbers)
        end += block["bytes"]
    return header, blocks


def together(header: dict[str, Any], blocks: list[list[int]], version: int) -> bytes:
    """A file of these parts, all lengths, counts and digests as they should be."""
    tail, rest = b"", iter(blocks)
    for claim in header["claims"]:
        for block in claim["blocks"]:
            numbers = next(rest)
            answers = leb128(numbers)
            packed = zlib.compress(answers)
            tail += packed
            block |= {"positions": sum(map(bool, numbers)), "size": len(answers), "bytes": len(packed),
                      "sha256": hashlib.sha256(packed).hexdigest()}  # fmt: skip
        claim["positions"] = sum(block["positions"] for block in claim["blocks"])
    return seal(json.dumps(header).encode(), tail, version)


class Changed(unittest.TestCase):
    def mutants(self, data: bytes, dice: random.Random, count: int) -> Counter[str]:
        """False claims are refused, whatever the answers; with true ones few changes leave a proof."""
        verdicts: Counter[str] = Counter()
        version = int.from_bytes(data[8:12], "little")
        for number in range(count):
            header, blocks = parts(data)
            claim = dice.choice(header["claims"])
            false = number % 4 == 0
            if false:
                claim["value"] += 1 if claim["claimant"] == "first" else -1
            else:
                block = dice.choice([block for block in blocks if block])
                at = dice.randrange(len(block))
                block[at] = dice.choice([answer for answer in (0, 1, 2, 3, 4, 5, 6) if answer != block[at]])
            found = verdict(together(header, blocks, version))
            self.assertTrue(found == "proved" or found.startswith("refused: "), found)
            self.assertFalse(false and found == "proved", f"{header['game']} {header['position']} {claim}")
            verdicts["false" if false else found.partition(":")[0]] += 1
        return verdicts


class Certificates(Changed):
    def test_kept_ones(self) -> None:
        dice, verdicts, games = random.Random(8), Counter(), set()
        for path in sorted(GOLDEN.glob("*.proof")):
            data = path.read_bytes()
            header, blocks = parts(data)
            game = header["game"].split()[0]
            if game not in ("checkers", "chess", "kalah", "morris", "loa"):
                continue
            games.add(game)
            self.assertEqual(verdict(data), "proved", path.name)
            self.assertEqual(verdict(together(header, blocks, int.from_bytes(data[8:12], "little"))), "proved")
            verdicts += self.mutants(data, dice, 40 if len(blocks[0]) < 1000 else 6)
        self.assertEqual(len(games), 5)
        self.assertGreater(verdicts["refused"], 2 * verdicts["proved"])

    def test_a_circle_through_an_image(self) -> None:
        """The black king goes to and fro, and so does white: each position is an image of the one two plies before."""
        start = "7k/8/8/8/8/8/8/R3K3 w - - 0 1"
        game = make_game("chess KRK")
        position, mover = game.parse(start)
        answers, seen = [], set()

        def visit(position: Any) -> None:
            if game.key(position) in seen:
                return
            seen.add(game.key(position))
            after = game.moves(position, FIRST)
            # Any move that is no stalemate and loses no rook keeps a draw at least, and wins nothing if it repeats.
            for number, to in enumerate(after):
                replies = game.moves(to, 1)
                if replies and all(reply[4:6] != b"\0\0" for reply in replies):
                    answers.append(number + 2)
                    for reply in replies:
                        visit(reply)
                    return
            raise AssertionError(game.text(position, FIRST))

        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(100_000)
        try:
            visit(position)
        finally:
            sys.setrecursionlimit(limit)
        for value, wanted in ((0, "proved"), (1, "the strategy runs in a circle")):
            block = {"starts": [start]}
            header = {"game": "chess KRK", "rules": 1, "position": start, "search": 0,
                      "claims": [{"claimant": "first", "value": value, "blocks": [block]}]}  # fmt: skip
            self.assertIn(wanted, verdict(together(header, [answers], 2)))

    def test_none_of_awari(self) -> None:
        header = {"game": "awari 2x2", "rules": 1, "position": "2,2/2,2 0-0 first", "search": 0,
                  "claims": [{"claimant": "first", "value": -8, "blocks": [{"starts": ["2,2/2,2 0-0 first"]}]}]}  # fmt: skip
        self.assertRegex(verdict(together(header, [[2]], 2)), "^refused: there are no certificates of awari 2x2")


# --- The program ---------------------------------------------------------------------------------------------------------


@unittest.skipUnless(PROGRAM, "the program is not in ZERMELO")
class Program(Changed):
    def run_program(self, *words: str) -> tuple[int, Any]:
        done = subprocess.run([str(PROGRAM), *words, "--json"], capture_output=True, text=True, timeout=300)
        return done.returncode, json.loads(done.stdout.splitlines()[-1]) if done.stdout else None

    def show(self, name: str, position: str, *more: str) -> Any:
        code, shown = self.run_program("show", *name.split(), "--position", position, *more)
        self.assertEqual(code, 0, f"{name} {position}")
        return shown

    def compare(self, name: str, game: Game, position: Any, mover: int, dice: random.Random) -> None:
        """The same position, end, number of moves, and board after one of them; lines of play after each."""
        text = game.text(position, mover)
        shown = self.show(name, text)
        self.assertEqual(shown["position"], text, name)
        after = game.moves(position, mover)
        self.assertEqual(shown["outcome"], None if after else game.value(position, mover), f"{name} {text}")
        if not after:
            return
        self.assertEqual(len(shown["moves"]), len(after), f"{name} {text}")
        number = dice.randrange(len(after))
        found = self.show(name, text, "--moves", shown["moves"][number])["position"]
        self.assertEqual(found, game.text(after[number], 1 - mover), f"{name} {text}")
        code, told = self.run_program("perft", *name.split(), "--position", text, "--depth", "2", "--divide")
        self.assertEqual(code, 0)
        lines = [entry["lines"] for entry in told["divide"]]
        self.assertEqual(lines, [len(game.moves(to, 1 - mover)) for to in after], f"{name} {text}")

    def test_starts_and_moves(self) -> None:
        dice = random.Random(1)
        for name, start in STARTS.items():
            code, shown = self.run_program("show", *name.split())
            self.assertEqual((code, shown["position"], shown["game"]), (0, start, name))
            game = make_rules(name)
            for _ in range(4 * TIMES):
                self.compare(name, game, *wander(game, name, dice, dice.randrange(70)), dice)

    def test_other_positions(self) -> None:
        """Texts changed at random: both read them alike, and go on alike."""
        dice, counts = random.Random(2), Counter()
        signs = {"checkers": "BWK:,123456789", "chess": "KkRrQqBbNnPp12345678/", "loa": "xo.", "morris": "xo.0123", "kalah": "0123456789", "awari": "0123456789"}
        for name in STARTS:
            game = make_rules(name)
            for _ in range(6 * TIMES):
                text = list(game.text(*wander(game, name, dice, dice.randrange(40))))
                for _ in range(dice.randint(1, 3)):
                    at = dice.randrange(len(text))
                    kind = dice.randrange(4)
                    if kind == 0:
                        text[at] = dice.choice(signs[name.split()[0]])
                    elif kind == 1:
                        other = dice.randrange(len(text))
                        text[at], text[other] = text[other], text[at]
                    elif kind == 2:
                        text.insert(at, dice.choice(signs[name.split()[0]]))
                        del text[dice.randrange(len(text))]
                    elif "first" in "".join(text):
                        text = list("".join(text).replace("first", "second"))
                try:
                    position, mover = game.parse("".join(text))
                except Refused:
                    counts["refused"] += 1
                    code, _ = self.run_program("show", *name.split(), "--position", "".join(text))
                    self.assertEqual(code, 2, f"{name} {''.join(text)}")
                    continue
                counts["read"] += 1
                self.assertEqual(self.show(name, "".join(text))["position"], game.text(position, mover))
                self.compare(name, game, position, mover, dice)
        self.assertGreater(min(counts["refused"], counts["read"]), 30, counts)

    def test_certificates(self) -> None:
        dice, verdicts, written = random.Random(3), Counter(), Counter()
        with tempfile.TemporaryDirectory() as folder:
            for name in SMALL:
                game = make_game(name)
                for number in range(5 * TIMES):
                    line, (position, mover) = [], game.parse(STARTS[name])
                    while (after := game.moves(position, mover)) and len(line) < 60:
                        line.append((position, mover))
                        position, mover = dice.choice(after), 1 - mover
                    text = game.text(*line[-min(len(line), dice.randint(1, 6))])
                    file = Path(folder, f"{name} {number}.proof")
                    code, found = self.run_program("solve", *name.split(), "--position", text, "--proof", str(file), "--nodes", "20000",
                                                   "--leaves", dice.choice(["0", "5", "50"]))  # fmt: skip
                    if not file.exists():
                        continue
                    data = file.read_bytes()
                    self.assertEqual(verdict(data), "proved", f"{name} {text}")
                    header, _ = parts(data)
                    for claim in header["claims"]:
                        self.assertEqual(claim["value"], found["lo"])
                    written[name.split()[0]] += 1
                    verdicts += self.mutants(data, dice, 12)
        self.assertEqual(len(written), 5)
        self.assertGreater(written.total(), 40)
        self.assertGreater(verdicts["refused"], verdicts["proved"])


if __name__ == "__main__":
    unittest.main()
