#!/usr/bin/env bash
# Chess endings against python-chess (GPL, a test tool only), a program by another hand, installed by name into a
# folder of its own. Legal moves, mates and stalemates are python-chess's; each value and each distance to mate must
# follow from those of the positions after its moves. All positions of three men are looked at, up to symmetry and
# change of colours, and random ones of four men (POSITIONS=1000000), a fiftieth of them with a capture en passant.
# DB=FOLDER uses a database of `zermelo build chess 4 --distance` that is there, ZERMELO=FILE a program that is built.
set -euo pipefail
cd "$(dirname "$0")/.."

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet chess==1.11.2
zermelo="${ZERMELO:-${CARGO_TARGET_DIR:-target}/release/zermelo}"
[ -n "${ZERMELO:-}" ] || cargo build --release --locked --quiet -p zermelo-cli
if [ -z "${DB:-}" ]; then
  DB="$work/db"
  "$zermelo" build chess 4 --distance --out "$DB"
fi
ZERMELO="$zermelo" DB="$DB" "$work/venv/bin/python" - <<'PYTHON'
import itertools
import os
import random
import subprocess
import time

import chess

DRAW = (0, None)


def values(texts):
    """The database's answers: value for white, plies to mate."""
    run = [os.environ["ZERMELO"], "probe", os.environ["DB"], "--batch", "-"]
    done = subprocess.run(run, input="\n".join(texts) + "\n", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = (line.split(" ", 2) for line in done.stdout.split("\n")[:-1])
    return [(int(value), None if plies == "-" else int(plies)) for value, plies, _ in rows]


def judge(board, after):
    """What a position is worth by what its moves lead to."""
    mover = 1 if board.turn else -1
    if not after:
        return (-mover, 0) if board.is_check() else DRAW
    if len(board.piece_map()) == 2:
        return DRAW
    wins = [plies for value, plies in after if value == mover]
    if wins:
        return (mover, 1 + min(wins))
    if all(value == -mover for value, _ in after):
        return (-mover, 1 + max(plies for _, plies in after))
    return DRAW


def check(boards):
    """Compares in portions; returns how many positions there were, and of each value."""
    counts = [0, 0, 0]
    while portion := list(itertools.islice(boards, 50_000)):
        texts, spans = [], []
        for board in portion:
            at = len(texts)
            texts.append(board.epd(en_passant="legal"))
            for move in board.legal_moves:
                board.push(move)
                texts.append(board.epd(en_passant="legal"))
                board.pop()
            spans.append((at, len(texts)))
        known = values(texts)
        assert len(known) == len(texts), (len(known), len(texts))
        for board, (at, end) in zip(portion, spans):
            ours, theirs = known[at], judge(board, known[at + 1 : end])
            # A draw by rule may keep a distance of nothing.
            assert ours == theirs or ours[0] == theirs[0] == 0, f"{board.fen()}: {ours}, not {theirs}"
            counts[theirs[0] + 1] += 1
    return sum(counts), counts


def valid(pieces, turn):
    board = chess.Board(None)
    for square, piece in pieces:
        board.set_piece_at(square, piece)
    board.turn = turn
    return board if board.is_valid() else None


def three():
    triangle = [chess.square(f, r) for f in range(4) for r in range(f + 1)]
    for kind in (chess.PAWN, chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN):
        men = [s for s in chess.SQUARES if kind != chess.PAWN or 1 <= chess.square_rank(s) <= 6 and chess.square_file(s) < 4]
        kings = chess.SQUARES if kind == chess.PAWN else triangle
        for white, man, black, turn in itertools.product(kings, men, chess.SQUARES, (True, False)):
            if len({white, man, black}) == 3:
                pieces = [(white, chess.Piece(chess.KING, True)), (man, chess.Piece(kind, True)), (black, chess.Piece(chess.KING, False))]
                if board := valid(pieces, turn):
                    yield board


def four(count):
    made = 0
    while made < count:
        squares = random.sample(range(64), 4)
        turn, passing = random.random() < 0.5, made % 50 == 0
        men = [chess.Piece(random.randint(1, 5), random.random() < 0.5) for _ in range(2)]
        if passing:
            # A pawn of the side that has moved stands on its fourth rank, one of the other beside it.
            file = random.randrange(7)
            files = [file, file + 1]
            random.shuffle(files)
            rank = 4 if turn else 3
            squares[2:] = [chess.square(files[0], rank), chess.square(files[1], rank)]
            men = [chess.Piece(chess.PAWN, turn), chess.Piece(chess.PAWN, not turn)]
            if len(set(squares)) < 4:
                continue
        elif any(m.piece_type == chess.PAWN and chess.square_rank(s) in (0, 7) for s, m in zip(squares[2:], men)):
            continue
        kings = [chess.Piece(chess.KING, True), chess.Piece(chess.KING, False)]
        board = valid(zip(squares, kings + men), turn)
        if board and passing:
            board.ep_square = chess.square(files[1], 5 if turn else 2)
            if not board.is_valid() or not board.has_legal_en_passant():
                continue
        if board:
            made += 1
            yield board


for name, boards in (("three", three()), ("four", four(int(os.environ.get("POSITIONS", "1000000"))))):
    random.seed(1873)
    since = time.process_time()
    count, (black, drawn, white) = check(iter(boards))
    print(f"{count:,} positions of {name} men: white wins {white:,}, draws {drawn:,}, black wins {black:,}, "
          f"all as python-chess's moves have it ({time.process_time() - since:.0f} s)", flush=True)
PYTHON
