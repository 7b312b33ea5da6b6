#!/usr/bin/env python3
"""Two checkers, one opinion: certificates are changed at random, and zermelo_check.py and `zermelo check` must agree.

    compare.py ZERMELO [--count N] [--seed S] [--keep FOLDER]

ZERMELO is the program. Certificates of small games are made, their headers changed (values, fields, texts, JSON itself,
single bytes) and their blocks (answers, zlib streams), lengths and digests made to fit again. Words may differ, the verdict may not: proved, or not. The files on which
they disagree are kept. The same seed makes the same files. Exit code: 0 if they agree on all files.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import zermelo_check
from test_zermelo_check import STARTS, Lengths, bounded_claim, build, finish, make_plan, random_graph, seal

BATCH = 500  # files for one run of the program
GOLDEN = Path(__file__).parent / "golden"


class Raw(str):
    """A piece of JSON text, taken as it is."""


class Object(list):
    """Names and values, so that a name can be there twice."""


def opened(value: Any) -> Any:
    """The same with objects as lists of pairs."""
    if isinstance(value, dict):
        return Object([name, opened(item)] for name, item in value.items())
    return [opened(item) for item in value] if isinstance(value, list) else value


def written(value: Any, dice: random.Random) -> str:
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Object):
        return "{" + ",".join(f"{written(name, dice)}:{written(item, dice)}" for name, item in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(written(item, dice) for item in value) + "]"
    if isinstance(value, str) and dice.random() < 0.05:
        return '"' + "".join(f"\\u{ord(char):04x}" if ord(char) < 1 << 16 else char for char in value) + '"'
    return json.dumps(value, ensure_ascii=dice.random() < 0.5)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, int]]:
    """All lists with the place of an item in them; the value of a field is item 1 of its pair."""
    found = []
    for number, item in enumerate(value):
        if isinstance(value, Object):
            found.append((item, 1))
            item = item[1]
        else:
            found.append((value, number))
        if isinstance(item, list):
            found += places(item)
    return found


NUMBERS = """0 1 -1 2 3 -0 00 01 1.0 1.5 0.0 1e0 1E2 1e999 -1e999 +1 .5 1. 0x1 1_0 NaN Infinity -Infinity 65535 65536 65537 32768
    4294967295 4294967296 4294967297 9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616 -9223372036854775809
    """.split()
NUMBERS += ["9" * 30, "9" * 5000, "0" * 400, "1" + "0" * 400, "-" + "9" * 400, "1e" + "9" * 30]
RULES = ["repetition 1", "repetition loses", "repetition parity", "repetition forbidden 0", "repetition forbidden", "repetition forbidden loses"]
PIECES = [" ", "  ", "\t", "\n", "\r\n", "\v", "\f", "\0", "\x1b[2K", "\x7f", "\x85", "\xa0", "\u2028", "\u3000", "\ufeff", "\ud800",
          "\udc00", "\U0001f600", "a", "x", "o", "X", ".", "#", "/", "1", "0", "-0", "１", "first", "second", "First", ";", "; ", ":", "=",
          ",", "\\", '"', "\u212a", "\u0130", "misere", "horizontal", "komi 0.5", "ko b2", "passed", "start a", "values -1 1", "values 0 1",
          "repetition 0", "repetition -0", "K", "k", "B:", "W", "4", "2", ",", "-", "fly", "nofly", "noempty", "pass", "w", "- e3", "0 1", *RULES, "values -01 1", "\x1c", "\u200b"]  # fmt: skip
LITERALS = ["null", "true", "false", "True", "nul", "[]", "{}", "[[]]", '[{"a":1}]', '""', '"a"', "'a'", '"\\ud800"', '"\\u12"', '"\\x41"',
            '"\\/"', '"\n"', '"\\n"', '"\x7f"', '{"a":1,"a":2}', '{"":{}}', "[1,]", "[,1]", "{,}", '{"a"}', '{"a":}', "{1:2}",
            '"unfinished', "//", "/**/", "\u00a0", '"\\ud83d\\ude00"', '"\\ude00\\ud83d"']  # fmt: skip


def nested(dice: random.Random) -> str:
    depth = dice.choice([1, 5, 55, 60, 61, 62, 63, 64, 65, 66, 127, 128, 129, 200, 900, 1500, 100_000])
    if dice.random() < 0.5:
        return "[" * depth + "]" * (depth - (dice.random() < 0.1))
    return '{"a":' * depth + "1" + "}" * depth


def anything(dice: random.Random) -> Any:
    kind = dice.randrange(5)
    if kind == 0:
        return Raw(dice.choice(NUMBERS))
    if kind == 1:
        return dice.choice(PIECES)
    if kind == 2:
        return Raw(nested(dice))
    return Raw(dice.choice(LITERALS))


def other_text(text: str, dice: random.Random) -> str:
    kind = dice.randrange(9)
    at = dice.randint(0, len(text))
    words = text.split(" ")
    lines = text.split("; ")
    if kind == 0:
        return text[:at] + dice.choice(PIECES) + text[at:]
    if kind == 1:
        return text[:at] + text[at + dice.randint(1, 2) :]
    if kind == 2:
        return dice.choice([text.upper(), text.title(), text + " ", " " + text, text.replace(" ", "  ", 1), text.replace(" ", "\t", 1)])
    if kind == 3:
        words.insert(dice.randint(0, len(words)), dice.choice([*PIECES, *NUMBERS, *words]))
        return " ".join(words)
    if kind == 4:
        words[dice.randrange(len(words))] = dice.choice([*PIECES, *NUMBERS, *words])
        return " ".join(words)
    if kind == 5:
        del words[dice.randrange(len(words))]
        return " ".join(words)
    if kind == 6:
        dice.shuffle(lines)
        return "; ".join(lines)
    if kind == 7:
        lines.insert(dice.randint(0, len(lines)), dice.choice([*lines, "start a", "start b", "values -1 1", "values 0 1", *RULES, ""]))
        return "; ".join(lines)
    return dice.choice([*GAMES, "", "a"])


GAMES = [*STARTS, "mnk 3x3x3", "connect4", "connect4 6x7", "go 3x3", "go 3x3 komi 0", "go 3x3 komi 0.5", "go 3x3 komi -0.5", "go 3x3 komi 1.50",
         "domineering 3x3 misere horizontal", "domineering 3x3 horizontal misere", "tictactoe 3x3", "nogo 2x3 misere", "checkers", "checkers 4x4", "checkers 6x4", "chess KRK", "chess KNBK", "chess 5", "chess 7",
         "kalah 4x3", "kalah 4x3 noempty", "awari 4x3", "morris 3", "morris 9", "morris 9 fly", "loa 4x5", "loa 5x4", "hex 3x3"]  # fmt: skip


def change(header: Object, dice: random.Random) -> None:
    """Changes one thing in the tree."""
    held, at = dice.choice(places(header))
    value, kind = held[at], dice.randrange(10)
    if kind < 3 and isinstance(value, int):
        held[at] = Raw(dice.choice(NUMBERS)) if dice.random() < 0.6 else value + dice.choice([-1, 1])
    elif kind < 5 and isinstance(value, str):
        held[at] = other_text(value, dice)
    elif kind == 5:
        held[at] = anything(dice)
    elif kind == 6:
        held[at] = dice.choice([[value], value, Object([["a", value]]), str(value)[:99]])
    elif isinstance(value, Object) and value:
        pair, where = dice.choice(value), dice.randint(0, len(value))
        todo = dice.randrange(6)
        if todo == 0:
            value.remove(pair)
        elif todo == 1:
            value.insert(where, [pair[0], pair[1]])
        elif todo == 2:
            value.insert(where, [dice.choice(["database", "made", "within", "more", "", pair[0].upper()]), anything(dice)])
        elif todo == 3:
            held[at] = [item for _, item in value]
        elif todo == 4:
            pair[0] = dice.choice([pair[0] + " ", pair[0].upper(), "made", ""])
        else:
            dice.shuffle(value)
    elif isinstance(value, list) and value:
        todo = dice.randrange(4)
        if todo == 0:
            del value[dice.randrange(len(value))]
        elif todo == 1:
            value.insert(dice.randint(0, len(value)), dice.choice(value))
        elif todo == 2:
            dice.shuffle(value)
        else:
            value.append(anything(dice))
    else:
        # The rest of the header, as a whole.
        pair = dice.choice(header)
        pair[1] = anything(dice) if pair[0] == "made" or dice.random() < 0.2 else pair[1]


def other_bytes(text: bytes, dice: random.Random) -> bytes:
    """JSON that is none any more, or hardly."""
    at, kind = dice.randrange(len(text)), dice.randrange(6)
    if kind == 0:
        return text[:at] + bytes([dice.randrange(256)]) + text[at + dice.randint(0, 1) :]
    if kind == 1:
        return text[:at] + text[at + dice.randint(1, 3) :]
    if kind == 2:
        return dice.choice([b"\xef\xbb\xbf", b" ", b"\n", b"\0", b"\x0b", b"[", b"\xc2\xa0"]) + text
    if kind == 3:
        return text + dice.choice([b" ", b"\r\n\t ", b"\0", b"}", b"{}", b"\x0c", b",", b"\xff"])
    if kind == 4:
        sign = dice.choice([b",", b":", b"{", b"[", b'"', b"}", b"]"])
        parts = text.split(sign)
        where = dice.randrange(len(parts))
        blank = dice.choice([b" ", b"\t", b"\n", b"\r", b"\x0b", b"\xc2\xa0", b"\0"])
        return sign.join([*parts[:where], parts[where] + blank, *parts[where + 1 :]])
    return text[:at] + dice.choice([b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc3\xa9", b"\xef\xbf\xbf"]) + text[at:]


def other_answers(answers: bytes, dice: random.Random) -> bytes:
    at = dice.randint(0, len(answers))
    new = bytes(dice.choice([0, 1, 2, 3, 4, 127, 128, 129, 130, 255]) for _ in range(dice.choice([0, 1, 1, 2, 4])))
    return answers[:at] + new + answers[at + dice.choice([0, 1, 1, 2]) :]


def other_stream(packed: bytes, answers: bytes, dice: random.Random) -> bytes:
    """A zlib stream written in another way, or what is none."""
    kind, at = dice.randrange(6), dice.randrange(len(packed))
    if kind == 0:
        return packed[:at] + bytes([dice.randrange(256)]) + packed[at + dice.randint(0, 1) :]
    if kind == 1:
        return packed[:at]
    if kind == 2:
        return packed + dice.choice([b"\0", packed, b"\x78", bytes(70_000)])
    if kind == 3:
        return zlib.compress(answers, dice.randint(0, 9))
    bits = dice.choice([9, 12, 15, -15, 31])
    dictionary = answers[:8] if dice.random() < 0.3 and bits != 31 else b""
    packer = zlib.compressobj(6, zlib.DEFLATED, bits, zdict=dictionary) if dictionary else zlib.compressobj(6, zlib.DEFLATED, bits)
    flush = dice.choice([zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH])
    return packer.compress(answers[:at]) + packer.flush(flush) * dice.randint(0, 3) + packer.compress(answers[at:]) + packer.flush()


def other_blocks(header: dict[str, Any], tail: bytes, dice: random.Random) -> tuple[dict[str, Any], bytes]:
    """Some of the blocks changed, and what the header says of them."""
    header, new, at = copy.deepcopy(header), [], 0
    blocks = [block for claim in header["claims"] for block in claim["blocks"]]
    for block in blocks:
        packed = tail[at : at + block["bytes"]]
        at += block["bytes"]
        if dice.random() < 1.5 / len(blocks):
            answers = zlib.decompress(packed)
            if dice.random() < 0.6:
                answers = other_answers(answers, dice)
                block["size"] = len(answers)
                if dice.random() < 0.7:
                    block["positions"] = sum(map(bool, answers))
                packed = zlib.compress(answers)
            else:
                packed = other_stream(packed, answers, dice)
            block["bytes"], block["sha256"] = len(packed), hashlib.sha256(packed).hexdigest()
        new.append(packed)
    for claim in header["claims"]:
        claim["positions"] = sum(block["positions"] for block in claim["blocks"])
    return header, b"".join(new)


def bounded_plans(positions: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Claims with a length, as short as can be."""
    plans = []
    for name, position in positions:
        game = zermelo_check.make_game(name)
        for claimant, value in (("first", max(1, game.least)), ("second", min(0, game.most)), ("first", game.least)):
            if claim := bounded_claim(name, position, claimant, value):
                plans.append({"game": name, "position": position, "claims": [claim]})
    return plans


def sources(dice: random.Random) -> list[tuple[dict[str, Any], bytes]]:
    plans = [make_plan(name, limit=limit) for name in STARTS for limit in (2, 10**9)]
    graphs = [random_graph(dice) for _ in range(40)]
    plans += [make_plan(name, "n0", dice.choice([1, 10**9])) for name in graphs]
    plans += bounded_plans([(name, STARTS[name]) for name in Lengths.GAMES] + [(name, "n0") for name in graphs])
    names = ("go-3x3", "knightthrough-5x4", "domineering-5x5", "checkers-4x4", "checkers-6x4-leaves", "chess-kbnk", "kalah-4x3",
             "morris-3-fly", "morris-9-nofly", "loa-4x5")  # fmt: skip
    kept = [Path(GOLDEN, f"{name}.proof").read_bytes() for name in names]
    sources = [finish(plan) for plan in plans]
    return sources + 3 * [parted(data) for data in kept]


def parted(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The header and the blocks of a file."""
    end = 48 + int.from_bytes(data[12:16], "little")
    return json.loads(data[48:end]), data[end:]


def mutant(source: tuple[dict[str, Any], bytes], dice: random.Random) -> bytes:
    header, tail = other_blocks(*source, dice) if dice.random() < 0.3 else source
    tree = opened(json.loads(json.dumps(header)))
    for _ in range(dice.choice([0, 1, 1, 1, 2, 3])):
        change(tree, dice)
    text = written(tree, dice).encode("utf-8", "surrogatepass")
    if dice.random() < 0.2:
        text = other_bytes(text, dice)
    bounded = b'"within"' in text
    return seal(text, tail, 3 if bounded != (dice.random() < 0.05) else 2)


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares two checkers on headers that were changed at random.")
    parser.add_argument("zermelo", type=Path)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path("disagreements"))
    options = parser.parse_args()
    dice = random.Random(options.seed)
    made, counts, differ = sources(dice), Counter(), 0
    for first in range(0, options.count, BATCH):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number in range(first, min(first + BATCH, options.count)):
                files.append(Path(folder, f"{options.seed}-{number}.proof"))
                files[-1].write_bytes(mutant(dice.choice(made), dice))
            run = subprocess.run([options.zermelo.resolve(), "check", "--json", *files], capture_output=True, text=True, check=False)
            lines = [json.loads(line) for line in run.stdout.splitlines()]
            if len(lines) != len(files):
                print(f"{len(lines)} verdicts on {len(files)} files, exit code {run.returncode}: {run.stderr}")
                return 2
            for file, theirs in zip(files, lines):
                ours = zermelo_check.check(file.read_bytes()).verdict
                counts["proved" if ours == "proved" else "refused"] += 1
                if theirs["proved"] != (ours == "proved"):
                    differ += 1
                    options.keep.mkdir(parents=True, exist_ok=True)
                    Path(options.keep, file.name).write_bytes(file.read_bytes())
                    print(f"{file.name}: {ours}; the other: {theirs['refusal'] or 'proved'!r}")
    print(f"{counts['proved']} proved, {counts['refused']} refused, {differ} disagreements")
    return min(differ, 1)


if __name__ == "__main__":
    sys.exit(main())
