"""Sowing games: Kalah and Awari.

A position is a string of bytes: the seeds in the pits of the first player, then of the second, each in the order in which
its owner sows, then the stores of both, then 1 if the player to move has to pass, otherwise 0.
"""

from __future__ import annotations

import re

from zermelo_rules.base import PLAYERS, Game, Refused

PASS = " pass"


class Sowing(Game):
    """What both games share."""

    passes = False

    def __init__(self, pits: int, seeds: int) -> None:
        if not (1 <= pits <= 6 and 1 <= seeds <= 8):
            raise Refused(f"no board of {pits}x{seeds} in this game")
        self.pits, self.seeds = pits, 2 * pits * seeds
        self.least, self.most = -self.seeds, self.seeds

    def parse(self, text: str) -> tuple[bytes, int]:
        number = "(?:0|[1-9][0-9]?)"
        row = ",".join([number] * self.pits)
        found = re.fullmatch(f"({row})/({row}) ({number})-({number}) (first|second)({PASS})?", text, re.ASCII)
        if not found or found[6] and not self.passes:
            raise Refused("a position is the pits of both players, their stores and whose turn it is")
        seeds = [int(word) for group in (1, 2, 3, 4) for word in found[group].split(",")]
        if sum(seeds) != self.seeds:
            raise Refused(f"there are {self.seeds} seeds in all")
        return bytes([*seeds, found[6] is not None]), PLAYERS.index(found[5])

    def text(self, position: bytes, mover: int) -> str:
        n = self.pits
        first, second = (",".join(map(str, row)) for row in (position[:n], position[n : 2 * n]))
        stores = f"{position[2 * n]}-{position[2 * n + 1]}"
        return f"{first}/{second} {stores} {PLAYERS[mover]}{PASS if position[-1] else ''}"

    def ring(self, position: bytes, mover: int) -> tuple[list[int], list[int]]:
        """The pits in the order of sowing, those of the player to move first, and the stores, the own one first."""
        n = self.pits
        pits, stores = list(position[: 2 * n]), list(position[2 * n : 2 * n + 2])
        return (pits[n:] + pits[:n], stores[::-1]) if mover else (pits, stores)

    def join(self, pits: list[int], stores: list[int], mover: int, waits: bool) -> bytes:
        n = self.pits
        if mover:
            pits, stores = pits[n:] + pits[:n], stores[::-1]
        return bytes([*pits, *stores, waits])

    def key(self, position: bytes) -> bytes:
        return position


class Kalah(Sowing):
    passes = True

    def __init__(self, pits: int, seeds: int, noempty: bool = False) -> None:
        super().__init__(pits, seeds)
        self.noempty = noempty

    def moves(self, position: bytes, mover: int) -> list[bytes]:
        pits, stores = self.ring(position, mover)
        n = self.pits
        if not any(pits[:n]) or not any(pits[n:]):
            return []
        if position[-1]:
            return [self.join(pits, stores, mover, False)]
        return [self.sow(pits, stores, mover, pit) for pit in range(n) if pits[pit]]

    def sow(self, pits: list[int], stores: list[int], mover: int, pit: int) -> bytes:
        n = self.pits
        # The own store lies between the own pits and the other ones.
        board = pits[:n] + stores[:1] + pits[n:]
        left, board[pit] = board[pit], 0
        at = pit
        for _ in range(left):
            at = (at + 1) % len(board)
            board[at] += 1
        opposite = 2 * n - at
        if at < n and board[at] == 1 and (board[opposite] or not self.noempty):
            board[n] += board[at] + board[opposite]
            board[at] = board[opposite] = 0
        return self.join(board[:n] + board[n + 1 :], [board[n], stores[1]], mover, at == n)

    def value(self, position: bytes, mover: int) -> int:
        n = self.pits
        return sum(position[:n]) + position[2 * n] - sum(position[n : 2 * n]) - position[2 * n + 1]


class Awari(Sowing):
    certificates = False  # a repetition is worth what both have won by then

    def __init__(self, pits: int, seeds: int, noslam: bool = False) -> None:
        super().__init__(pits, seeds)
        self.noslam = noslam

    def moves(self, position: bytes, mover: int) -> list[bytes]:
        pits, stores = self.ring(position, mover)
        n = self.pits
        hungry = not any(pits[n:])
        # The opponent without seeds must be given some: as many steps as lead to the other side.
        allowed = [pit for pit in range(n) if pits[pit] >= (n - pit if hungry else 1)]
        return [self.sow(pits, stores, mover, pit) for pit in allowed]

    def sow(self, pits: list[int], stores: list[int], mover: int, pit: int) -> bytes:
        n = self.pits
        board = pits[:]
        left, board[pit] = board[pit], 0
        others = [at % (2 * n) for at in range(pit + 1, pit + 2 * n)]
        at = pit
        for seed in range(left):
            at = others[seed % len(others)]
            board[at] += 1
        taken = []
        while at >= n and board[at] in (2, 3):
            taken.append(at)
            at -= 1
        won = sum(board[at] for at in taken)
        if not (self.noslam and won == sum(board[n:])):
            for at in taken:
                board[at] = 0
            stores = [stores[0] + won, stores[1]]
        return self.join(board, stores, mover, False)

    def value(self, position: bytes, mover: int) -> int:
        """What is in play goes to the player on whose side it lies."""
        n = self.pits
        return sum(position[:n]) + position[2 * n] - sum(position[n : 2 * n]) - position[2 * n + 1]

    def standing(self, position: bytes) -> int:
        """What a line is worth that comes back here: both share what is in play."""
        return position[2 * self.pits] - position[2 * self.pits + 1]
