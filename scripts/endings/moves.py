"""The legal moves of scripts/endings/oracle.rs against those of python-chess, on random positions of an ending.

moves.py ORACLE MATERIAL COUNT: a tenth of the positions with pawns on both sides have a capture en passant.
"""

import random
import subprocess
import sys

import chess


def positions(material, count):
    """Random legal positions as FEN."""
    white = True
    men = []
    for letter in material:
        if letter == "K" and men:
            white = False
        men.append(chess.Piece.from_symbol(letter if white else letter.lower()))
    pawns = [[i for i, m in enumerate(men) if m.piece_type == chess.PAWN and m.color == c] for c in (True, False)]
    made = []
    while len(made) < count:
        turn = random.random() < 0.5
        squares = random.sample(range(64), len(men))
        passed = None
        if all(pawns) and len(made) % 10 == 0:
            # A pawn of the side that has moved stands on its fourth rank, one of the other beside it.
            file = random.randrange(7)
            files = random.sample([file, file + 1], 2)
            rank = 4 if turn else 3
            movers, others = (pawns[0], pawns[1]) if turn else (pawns[1], pawns[0])
            squares[movers[0]] = chess.square(files[1], rank)
            squares[others[0]] = chess.square(files[0], rank)
            passed = chess.square(files[0], 5 if turn else 2)
        if len(set(squares)) < len(men):
            continue
        board = chess.Board(None)
        for square, man in zip(squares, men):
            board.set_piece_at(square, man)
        board.turn = turn
        board.ep_square = passed
        if board.is_valid() and (passed is None or board.has_legal_en_passant()):
            made.append(board)
    return made


def main():
    oracle, material, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    random.seed(material)
    boards = positions(material, count)
    fens = "".join(board.epd(en_passant="legal") + "\n" for board in boards)
    said = subprocess.run([oracle, "moves"], input=fens, capture_output=True, text=True, check=True).stdout
    lines = said.split("\n")[:-1]
    assert len(lines) == len(boards), (len(lines), len(boards))
    moves = captures = 0
    for board, line in zip(boards, lines):
        theirs = sorted(move.uci() for move in board.legal_moves)
        assert line.split() == theirs, f"{board.fen()}: {line}, but {theirs}"
        moves += len(theirs)
        captures += board.ep_square is not None
    print(f"{material} moves: {moves} of {len(boards)} positions as python-chess has them, {captures} with a capture en passant")


main()
