"""Kalah and awari, by the rules that `zermelo show` prints."""

from __future__ import annotations

from torture.rules.base import FIRST, PLAYERS, Rules, State

LETTERS = "abcdefgh"

# A state: pits of the first player, pits of the second, stores of both, whose turn, whether that player must pass.
Sowing = tuple[tuple[int, ...], tuple[int, ...], int, int, int, bool]


class SowingRules(Rules):
    """What both games share: pits, stores and how they are written."""

    kind: str

    def __init__(self, pits: int, seeds: int, flag: str = "") -> None:
        self.pits, self.seeds, self.flag = pits, seeds, flag
        self.name = f"{self.kind} {pits}x{seeds}" + (f" {flag}" if flag else "")

    def start(self) -> State:
        row = (self.seeds,) * self.pits
        return (row, row, 0, 0, FIRST, False)

    def text(self, state: State) -> str:
        first, second, store_first, store_second, mover, passing = state
        rows = "/".join(",".join(map(str, row)) for row in (first, second))
        return f"{rows} {store_first}-{store_second} {PLAYERS[mover]}" + (" pass" if passing else "")

    def parse(self, text: str) -> State:
        words = text.split(" ")
        first, second = (tuple(map(int, row.split(","))) for row in words[0].split("/"))
        stores = words[1].split("-")
        return (first, second, int(stores[0]), int(stores[1]), PLAYERS.index(words[2]), len(words) > 3)

    def mover(self, state: State) -> int:
        return state[4]


class Kalah(SowingRules):
    kind = "kalah"

    def value(self, state: State) -> int | None:
        first, second, store_first, store_second, _, _ = state
        if any(first) and any(second):
            return None
        return store_first + sum(first) - store_second - sum(second)

    def moves(self, state: State) -> list[tuple[str, State]]:
        first, second, store_first, store_second, mover, passing = state
        if passing:
            return [("pass", (first, second, store_first, store_second, 1 - mover, False))]
        rows = (first, second) if mover == FIRST else (second, first)
        stores = (store_first, store_second) if mover == FIRST else (store_second, store_first)
        return [(LETTERS[pit], self.sow(rows, stores, mover, pit)) for pit in range(self.pits) if rows[0][pit]]

    def sow(self, rows: tuple[tuple[int, ...], ...], stores: tuple[int, int], mover: int, pit: int) -> State:
        # Round the board as the mover sees it: own pits, own store, the opponent's pits.
        n = self.pits
        ring = [*rows[0], stores[0], *rows[1]]
        seeds, ring[pit] = ring[pit], 0
        at = pit
        for _ in range(seeds):
            at = (at + 1) % len(ring)
            ring[at] += 1
        if at < n and ring[at] == 1:
            opposite = 2 * n - at
            if ring[opposite] or self.flag != "noempty":
                ring[n] += ring[at] + ring[opposite]
                ring[at] = ring[opposite] = 0
        own, store, other = tuple(ring[:n]), ring[n], tuple(ring[n + 1 :])
        again = at == n
        if mover == FIRST:
            return (own, other, store, stores[1], 1, again)
        return (other, own, stores[1], store, 0, again)


class Awari(SowingRules):
    kind = "awari"

    def value(self, state: State) -> int | None:
        first, second, store_first, store_second, mover, _ = state
        own, other = (first, second) if mover == FIRST else (second, first)
        left = sum(first) + sum(second)
        won = store_first - store_second
        if not any(own):  # the other one wins what is in play
            return won + (-left if mover == FIRST else left)
        if not any(other) and not self.moves(state):
            return won + (left if mover == FIRST else -left)
        return None

    def moves(self, state: State) -> list[tuple[str, State]]:
        first, second, store_first, store_second, mover, _ = state
        own, other = (first, second) if mover == FIRST else (second, first)
        found = []
        for pit in range(self.pits):
            if not own[pit]:
                continue
            new_own, new_other, gained, reached = self.sow(own, other, pit)
            if not any(other) and not reached:
                continue
            if mover == FIRST:
                after: Sowing = (new_own, new_other, store_first + gained, store_second, 1, False)
            else:
                after = (new_other, new_own, store_first, store_second + gained, 0, False)
            found.append((LETTERS[pit], after))
        return found

    def sow(
        self, own: tuple[int, ...], other: tuple[int, ...], pit: int
    ) -> tuple[tuple[int, ...], tuple[int, ...], int, bool]:
        """The rows after a move, what it takes, and whether it brings a seed to the other side."""
        n = self.pits
        ring = [*own, *other]
        seeds, ring[pit] = ring[pit], 0
        at = pit
        reached = False
        for _ in range(seeds):
            at = (at + 1) % len(ring)
            if at == pit:
                at = (at + 1) % len(ring)
            ring[at] += 1
            reached |= at >= n
        taken = []
        while at >= n and ring[at] in (2, 3):
            taken.append(at)
            at -= 1
        if self.flag == "noslam" and sum(ring[i] for i in taken) == sum(ring[n:]):
            taken = []
        gained = sum(ring[i] for i in taken)
        for i in taken:
            ring[i] = 0
        return tuple(ring[:n]), tuple(ring[n:]), gained, reached

    def repetition(self, state: State) -> int | None:
        return state[2] - state[3]
