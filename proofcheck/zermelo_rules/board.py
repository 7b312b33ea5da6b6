"""Games on boards of cells.

A board is one integer: the stones of the first player in its low bits, one bit a cell, those of the second above them.
Each row of cells is followed by `pad` bits that are never set, so that a shifted set cannot run over into the next row.
"""

from __future__ import annotations

from zermelo_rules.base import FIRST, PLAYERS, SECOND, Game, Refused


class Board(Game):
    symbols = ".xo"
    images = "all"  # or "mirrors" (no diagonals), or "left-right"
    max_cells = 361
    least_rows = least_columns = 1
    pad = 1

    def __init__(self, rows: int, columns: int) -> None:
        if rows < self.least_rows or columns < self.least_columns or rows * columns > self.max_cells:
            raise Refused(f"no board of {rows}x{columns} in this game")
        self.rows, self.columns = rows, columns
        self.width = columns + self.pad
        self.plane = rows * self.width
        self.low = (1 << self.plane) - 1
        self.order = [row * self.width + column for row in range(rows) for column in range(columns)]
        self.cells = sum(1 << at for at in self.order)
        # A stone of each player on each cell, in the order of cells.
        self.stones = [[(1 << at, 1 << at + player * self.plane) for at in self.order] for player in (FIRST, SECOND)]
        self._prepare_images()

    def _prepare_images(self) -> None:
        """For each byte of a position and each value of it, its part of all images, side by side in one integer."""
        last_row, last_column = self.rows - 1, self.columns - 1
        maps = [lambda r, c: (r, c), lambda r, c: (r, last_column - c)]
        if self.images != "left-right":
            maps += [lambda r, c: (last_row - r, c), lambda r, c: (last_row - r, last_column - c)]
        if self.images == "all" and self.rows == self.columns:
            maps += [lambda r, c, image=image: image(c, r) for image in maps]
        planes = len(self.symbols) - 1
        self.length = (planes * self.plane + 7) // 8
        parts = [0] * (8 * self.length)
        for number, image in enumerate(maps):
            for row in range(self.rows):
                for column in range(self.columns):
                    to_row, to_column = image(row, column)
                    for above in range(0, planes * self.plane, self.plane):
                        to = 8 * self.length * number + above + to_row * self.width + to_column
                        parts[above + row * self.width + column] |= 1 << to
        self.parts: list[list[int]] = []
        for byte in range(self.length):
            table = [0]
            for part in parts[8 * byte : 8 * byte + 8]:
                table += [entry | part for entry in table]
            self.parts.append(table)
        self.all_length = self.length * len(maps)
        self.slices = [slice(at, at + self.length) for at in range(0, self.all_length, self.length)]

    def key(self, position: int) -> bytes:
        images = 0
        for table, byte in zip(self.parts, position.to_bytes(self.length, "little")):
            images |= table[byte]
        data = images.to_bytes(self.all_length, "little")
        return min([data[part] for part in self.slices])

    def parse(self, text: str) -> tuple[int, int]:
        board, blank, turn = text.partition(" ")
        rows = board.split("/")
        if not blank or turn not in PLAYERS:
            raise Refused("a position ends with a blank and first or second")
        if len(rows) != self.rows or any(len(row) != self.columns for row in rows):
            raise Refused(f"a position has {self.rows} rows of {self.columns} cells")
        position, mover = 0, PLAYERS.index(turn)
        for at, symbol in zip(self.order, "".join(reversed(rows))):
            if symbol not in self.symbols:
                raise Refused(f"cells are written {' '.join(self.symbols)}")
            if symbol != self.symbols[0]:
                position |= 1 << at + self.plane * (self.symbols.index(symbol) - 1)
        return self.settle(position, mover), mover

    def settle(self, position: int, mover: int) -> int:
        """The position as the rules below have it; raises Refused if it cannot come up and they do not cover it."""
        return position

    def text(self, position: int, mover: int) -> str:
        first, second = position & self.low, position >> self.plane
        cells = [self.symbols[(first >> at & 1) + 2 * (second >> at & 1)] for at in self.order]
        rows = ["".join(cells[at : at + self.columns]) for at in range(0, len(cells), self.columns)]
        return "/".join(reversed(rows)) + " " + PLAYERS[mover]

    def split(self, position: int, mover: int) -> tuple[int, int]:
        """Stones of the player to move and of the other."""
        first, second = position & self.low, position >> self.plane
        return (second, first) if mover else (first, second)

    def spread(self, cells: int) -> int:
        """The neighbours of a set of cells, and bits outside the board."""
        return cells << 1 | cells >> 1 | cells << self.width | cells >> self.width

    def value(self, position: int, mover: int) -> int:
        """Who cannot move loses, unless a game says otherwise."""
        return 1 if mover else -1
