"""Chess with up to six men.

Squares are numbered from a1 along the rows. A position is a string of bytes: two for each man, its letter as in FEN and
its square, in ascending order; zeros in place of men that are gone; then the square behind a pawn that may be taken en passant, or 255.
"""

from __future__ import annotations

import re

from zermelo_rules.base import PLAYERS, Game, Refused

MOST_MEN = 6
KINDS = "QRBNP"  # the order in which men beside the king are listed and move
LINES = ((0, 1), (0, -1), (1, 0), (-1, 0))
DIAGONALS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
STEPS = {
    "K": LINES + DIAGONALS,
    "Q": LINES + DIAGONALS,
    "R": LINES,
    "B": DIAGONALS,
    "N": ((1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)),
    "P": ((1, 1), (1, -1)),
    "p": ((-1, 1), (-1, -1)),
}
NO_SQUARE = 255
Man = tuple[str, int]  # letter and square


def ways(letter: str, square: int) -> list[list[int]]:
    """The squares that a man attacks on an empty board, in lines that start beside it."""
    kind = letter if letter == "p" else letter.upper()
    found = []
    for up, right in STEPS[kind]:
        way, row, column = [], square // 8 + up, square % 8 + right
        while 0 <= row < 8 and 0 <= column < 8 and (not way or kind in "QRB"):
            way.append(row * 8 + column)
            row, column = row + up, column + right
        if way:
            found.append(way)
    return found


WAYS = {(letter, square): ways(letter, square) for letter in "KQRBNPkqrbnp" for square in range(64)}


def between(letter: str, square: int) -> list[int | None]:
    """For each square what must be empty for the man to attack it there, None if it never does."""
    found: list[int | None] = [None] * 64
    for way in WAYS[letter, square]:
        empty = 0
        for to in way:
            found[to] = empty
            empty |= 1 << to
    return found


BETWEEN = {man: between(*man) for man in WAYS}


def square_name(square: int) -> str:
    return "abcdefgh"[square % 8] + str(square // 8 + 1)


class Chess(Game):
    repetition = 0

    def __init__(self, material: tuple[str, str] | None, men: int) -> None:
        """The material of white and black without kings, or None for any; and the most men, kings included."""
        self.material, self.men = material, men

    @staticmethod
    def named(words: str) -> Chess | None:
        if re.fullmatch("[3-6]", words, re.ASCII):
            return Chess(None, int(words))
        kinds = "".join(f"{kind}*" for kind in KINDS)
        found = re.fullmatch(f"K({kinds})K({kinds})", words, re.ASCII)
        return Chess((found[1], found[2]), len(words)) if found and len(words) <= MOST_MEN else None

    # --- Texts ---

    def parse(self, text: str) -> tuple[bytes, int]:
        board, *words = text.split(" ")
        if len(words) < 3 or words[0] not in ("w", "b") or words[1] != "-":
            raise Refused("a position is FEN without castling")
        if len(words) > 5 or not all(re.fullmatch("[0-9]+", word, re.ASCII) for word in words[3:]):
            raise Refused("at the end of FEN there are two numbers at most")
        men, mover = self.parse_board(board), "wb".index(words[0])
        passed = NO_SQUARE
        if words[2] != "-":
            row = 2 if mover else 5
            names = {square_name(square): square for square in range(8 * row, 8 * row + 8)}
            if words[2] not in names:
                raise Refused("no pawn can have gone over the square of en passant")
            passed = names[words[2]]
            ahead = -8 if mover else 8
            at = {square: letter for letter, square in men}
            if at.get(passed - ahead) != "pP"[mover] or passed in at or passed + ahead in at:
                raise Refused("no pawn can have gone over the square of en passant")
        if self.attacked(men, mover):
            raise Refused("the king of the player who is not to move is attacked")
        if not self.admits(men):
            raise Refused("other material than this game has")
        return self.join(men, self.used(men, mover, passed)), mover

    def parse_board(self, board: str) -> list[Man]:
        rows = board.split("/")
        men: list[Man] = []
        for row, signs in enumerate(reversed(rows)):
            column = 0
            for sign in signs:
                if sign in "12345678":
                    column += int(sign)
                elif sign in "KQRBNPkqrbnp":
                    men.append((sign, 8 * row + column))
                    column += 1
                else:
                    raise Refused("FEN has KQRBNPkqrbnp and numbers from 1 to 8")
            if column != 8:
                raise Refused("a row has eight squares")
        letters = [letter for letter, _ in men]
        if len(rows) != 8 or letters.count("K") != 1 or letters.count("k") != 1 or len(men) > self.men:
            raise Refused(f"a board has eight rows, a king of either side and at most {self.men} men")
        if any(letter in "Pp" and square // 8 in (0, 7) for letter, square in men):
            raise Refused("a pawn on the first or the last row")
        return men

    def admits(self, men: list[Man]) -> bool:
        """Whether this can come of the material of the game, or of the same with colours exchanged."""
        if self.material is None:
            return True
        sides = [[letter for letter, _ in men if letter in own] for own in ("QRBNP", "qrbnp")]

        def comes(material: str, side: list[str]) -> bool:
            now = [letter.upper() for letter in side]
            more = sum(max(0, now.count(kind) - material.count(kind)) for kind in "QRBN")
            return now.count("P") + more <= material.count("P")

        white, black = self.material
        return comes(white, sides[0]) and comes(black, sides[1]) or comes(white, sides[1]) and comes(black, sides[0])

    def text(self, position: bytes, mover: int) -> str:
        men, passed = self.split(position)
        at = {square: letter for letter, square in men}
        rows = ["".join(at.get(8 * row + column, "1") for column in range(8)) for row in range(7, -1, -1)]
        board = re.sub("1+", lambda empty: str(len(empty[0])), "/".join(rows))
        return f"{board} {'wb'[mover]} - {'-' if passed == NO_SQUARE else square_name(passed)} 0 1"

    # --- Positions ---

    def split(self, position: bytes) -> tuple[list[Man], int]:
        men = [(chr(position[at]), position[at + 1]) for at in range(0, 2 * self.men, 2) if position[at]]
        return men, position[-1]

    def join(self, men: list[Man], passed: int) -> bytes:
        data = b"".join(bytes((ord(letter), square)) for letter, square in sorted(men))
        return data.ljust(2 * self.men, b"\0") + bytes((passed,))

    def key(self, position: bytes) -> bytes:
        men, passed = self.split(position)
        left_right = [(letter, square ^ 7) for letter, square in men]
        images = [position, self.join(left_right, passed if passed == NO_SQUARE else passed ^ 7)]
        if all(letter not in "Pp" for letter, _ in men):
            for image in (men, left_right):
                top_bottom = [(letter, square ^ 56) for letter, square in image]
                for mirrored in (image, top_bottom):
                    images.append(self.join([(letter, square // 8 + square % 8 * 8) for letter, square in mirrored], passed))
                images.append(self.join(top_bottom, passed))
        return min(images)

    # --- Moves ---

    def moves(self, position: bytes, mover: int) -> list[bytes]:
        men, passed = self.split(position)
        if len(men) == 2:
            return []
        at = {square: letter for letter, square in men}
        order = "K" + KINDS
        own = [man for man in men if man[0].islower() == bool(mover)]
        after = []
        for letter, start in sorted(own, key=lambda man: (order.index(man[0].upper()), -man[1])):
            for end in sorted(self.targets(letter, start, at, passed)):
                gone = {start, end}
                if letter in "Pp" and end == passed and start % 8 != end % 8:
                    gone.add(start // 8 * 8 + end % 8)
                rest = [man for man in men if man[1] not in gone]
                if self.attacked([*rest, (letter, end)], 1 - mover):
                    continue
                becomes = letter
                if letter in "Pp" and end // 8 in (0, 7):
                    becomes = "nbrq" if mover else "NBRQ"
                jumped = letter in "Pp" and abs(end - start) == 16
                for kind in becomes:
                    moved = [*rest, (kind, end)]
                    right = self.used(moved, 1 - mover, (start + end) // 2) if jumped else NO_SQUARE
                    after.append(self.join(moved, right))
        return after

    @staticmethod
    def targets(letter: str, start: int, at: dict[int, str], passed: int) -> list[int]:
        """Where a man can go, whether that leaves its king in check or not."""
        found = []
        for way in WAYS[letter, start]:
            for to in way:
                taken = at.get(to)
                if letter not in "Pp":
                    fits = taken is None or taken.islower() != letter.islower()
                else:
                    fits = to == passed or taken is not None and taken.islower() != letter.islower()
                if fits:
                    found.append(to)
                if taken is not None:
                    break
        if letter in "Pp":
            ahead, home = (8, 1) if letter == "P" else (-8, 6)
            if start + ahead not in at:
                found.append(start + ahead)
                if start // 8 == home and start + 2 * ahead not in at:
                    found.append(start + 2 * ahead)
        return found

    @staticmethod
    def attacked(men: list[Man], mover: int) -> bool:
        """Whether the player to move attacks the king of the other."""
        wanted, occupied = "kK"[mover], 0
        king = 0
        for letter, square in men:
            occupied |= 1 << square
            if letter == wanted:
                king = square
        for man in men:
            if man[0].islower() == bool(mover):
                empty = BETWEEN[man][king]
                if empty is not None and not empty & occupied:
                    return True
        return False

    def used(self, men: list[Man], mover: int, passed: int) -> int:
        """The right to take en passant, if some legal move uses it."""
        if passed == NO_SQUARE:
            return passed
        taken = passed + (8 if mover else -8)
        for letter, square in men:
            if letter == "Pp"[mover] and BETWEEN[letter, square][passed] is not None:
                rest = [man for man in men if man[1] not in (square, taken)]
                if not self.attacked([*rest, (letter, passed)], 1 - mover):
                    return passed
        return NO_SQUARE

    def value(self, position: bytes, mover: int) -> int:
        """Mate loses; stalemate and bare kings are a draw."""
        men, _ = self.split(position)
        if len(men) == 2 or not self.attacked(men, 1 - mover):
            return 0
        return 1 if mover else -1
