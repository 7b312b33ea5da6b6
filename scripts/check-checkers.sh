#!/usr/bin/env bash
# Checkers against pydraughts (MIT), a program by another hand, installed by name into a folder of its own:
#
# 1. the moves of random positions of 2 to 16 pieces lead to the same positions (POSITIONS=2000);
# 2. all positions of two pieces, solved by a few lines of Python that play pydraughts' moves, have the values
#    that our database gives them.
set -euo pipefail
cd "$(dirname "$0")/.."

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet pydraughts==0.6.7
target="${CARGO_TARGET_DIR:-target}/release"
cargo build --release --locked --quiet -p zermelo-games --example successors
cargo build --release --locked --quiet -p zermelo-endgame --example values
SUCCESSORS="$target/examples/successors" VALUES="$target/examples/values" WORK="$work" \
  "$work/venv/bin/python" - <<'PYTHON'
import os
import random
import subprocess

import draughts


def ask(program, args, lines):
    run = subprocess.run([program, *args], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return run.stdout.split("\n")[:-1]


def normal(fen):
    turn, *sides = fen.split(":")
    found = {}
    for side in sides:
        words = [w for w in side[1:].split(",") if w]
        found[side[0]] = ",".join(sorted(words, key=lambda w: int(w.lstrip("K"))))
    return f"{turn}:W{found.get('W', '')}:B{found.get('B', '')}"


def successors(fen):
    board = draughts.Board(variant="english", fen=fen)
    found = set()
    for move in board.legal_moves():
        after = draughts.Board(variant="english", fen=fen)
        after.push(move)
        found.add(normal(after.fen))
    return found


def text(turn, pieces):
    side = lambda colour: ",".join(("K" if k else "") + str(s) for s, (c, k) in sorted(pieces.items()) if c == colour)
    return f"{turn}:W{side('W')}:B{side('B')}"


def man_fits(colour, square):
    return 5 <= square if colour == "W" else square <= 28


random.seed(1913)
positions = []
while len(positions) < int(os.environ.get("POSITIONS", "2000")):
    squares = random.sample(range(1, 33), random.randint(2, 16))
    pieces = {s: (random.choice("WB"), random.random() < 0.4) for s in squares}
    pieces = {s: (c, k or not man_fits(c, s)) for s, (c, k) in pieces.items()}
    if {c for c, _ in pieces.values()} == {"W", "B"}:
        positions.append(text(random.choice("WB"), pieces))
ours = ask(os.environ["SUCCESSORS"], ["checkers", "8x8"], positions)
assert len(ours) == len(positions)
for fen, line in zip(positions, ours):
    mine, theirs = {normal(f) for f in line.split("\t") if f}, successors(fen)
    assert mine == theirs, f"{fen}: {sorted(mine)} and {sorted(theirs)}"
print(f"{len(positions)} positions: the same moves")

two = []
for a in range(1, 33):
    for b in range(1, 33):
        for kings in ((0, 0), (0, 1), (1, 0), (1, 1)):
            if a != b and (kings[0] or man_fits("W", a)) and (kings[1] or man_fits("B", b)):
                for turn in "WB":
                    two.append(text(turn, {a: ("W", bool(kings[0])), b: ("B", bool(kings[1]))}))
after = {fen: successors(fen) for fen in two}
# Who has no move has lost; a win leads to a loss; what is left is a draw.
value = {}
while True:
    new = {}
    for fen in two:
        if fen not in value:
            ends = [value.get(f, -1 if f not in after else 0) for f in after[fen]]
            if not ends or all(v == 1 for v in ends):
                new[fen] = -1
            elif -1 in ends:
                new[fen] = 1
    if not new:
        break
    value.update(new)
ours = ask(os.environ["VALUES"], ["8", "8", "2", os.environ["WORK"]], two)
for fen, line in zip(two, ours, strict=True):
    assert int(line) == value.get(fen, 0), f"{fen}: {line} and {value.get(fen, 0)}"
counts = [sum(value.get(f, 0) == v for f in two) // 2 for v in (1, 0, -1)]
assert counts == [716, 2370, 402], counts
print(f"{len(two)} positions of two pieces: the same values")
PYTHON
