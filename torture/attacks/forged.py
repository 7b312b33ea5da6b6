"""Forged strategies: well-formed certificates of claims that are false, and odd ones of claims that are true.

Graphs with cycles are where a checker that only looks for closed sets of positions would be fooled: a strategy may run in a circle for
ever, put off what it cannot answer, leave it to a search, or forget a reply.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from torture.case import Unfit
from torture.certificate import Block, Certificate, Claim, walk, whole
from torture.rules.base import FIRST, PLAYERS
from torture.rules.checked import Checked
from torture.rules.graphs import random_graph
from torture.rules.oracle import Labels, label
from torture.rules.small import CHECKED, start_text


def forge(rng: random.Random) -> list[bytes]:
    """Some certificates of one random graph (or, now and then, of a small board)."""
    rules, labels = _problem(rng)
    root = labels.states[0]
    value = labels.value[0]
    files = []
    for _ in range(4):
        claimant = rng.randrange(2)
        better = 1 if claimant == FIRST else -1
        wanted = value + rng.choice([better, better, better, 0, 2 * better])
        strategy = _strategy(rng, labels, claimant, wanted)
        form = rng.choice([_plain, _plain, _plain, _missing, _put_off, _searched, _two_claims])
        try:
            files.append(form(rng, rules, root, claimant, wanted, strategy).to_bytes())
        except Unfit:
            continue
    return files


def _problem(rng: random.Random) -> tuple[Checked, Labels]:
    while True:
        try:
            if rng.random() < 0.2:
                rules = Checked(rng.choice(CHECKED))
                return rules, label(rules, rules.parse(start_text(rules.name)), 1500)
            graph = random_graph(rng, rng.choice(["dag", "cyclic", "cyclic", "cyclic"]), rng.choice([4, 6, 10, 20, 40]))
            if not graph.path_dependent:
                rules = Checked(graph.name)
                return rules, label(rules, rules.parse("n0"), 1500)
        except Unfit:
            continue


def _strategy(rng: random.Random, labels: Labels, claimant: int, wanted: int) -> Callable[[int, int], int]:
    """Answers for each position: mostly moves that look best, so that the flaw is rare and deep."""
    kept: dict[int, int] = {}
    wild = rng.choice([0.0, 0.0, 0.1, 0.5])

    def choose(position: int, count: int) -> int:
        if position not in kept:
            here = labels.index.get((position, claimant))
            moves = list(range(count))
            if here is not None and rng.random() >= wild:
                worth = [labels.value[to] * (1 if claimant == FIRST else -1) for to in labels.after[here]]
                moves = [number for number, value in enumerate(worth) if value == max(worth)]
            kept[position] = rng.choice(moves) + 2
        return kept[position]

    return choose


def _plain(
    rng: random.Random,
    rules: Checked,
    root: tuple[int, int],
    claimant: int,
    wanted: int,
    choose: Callable[[int, int], int],
) -> Certificate:
    """A whole strategy that plays the best moves there are, whether they keep the claim or not."""
    return whole(rules, root, claimant, wanted, walk(rules, claimant, [root], choose))


def _missing(
    rng: random.Random,
    rules: Checked,
    root: tuple[int, int],
    claimant: int,
    wanted: int,
    choose: Callable[[int, int], int],
) -> Certificate:
    """One that forgets replies of the opponent."""
    return whole(rules, root, claimant, wanted, walk(rules, claimant, [root], choose, lambda: rng.random() < 0.2))


def _put_off(
    rng: random.Random,
    rules: Checked,
    root: tuple[int, int],
    claimant: int,
    wanted: int,
    choose: Callable[[int, int], int],
) -> Certificate:
    """Blocks that put off positions to each other; some that nobody answers."""
    count = rng.randint(2, 4)
    home: dict[int, int] = {}
    for_block: list[list[tuple[int, int]]] = [[root]] + [[] for _ in range(count - 1)]
    blocks = []
    lost = rng.random() < 0.3
    for number in range(count):
        here = number

        def answer(position: int, moves: int) -> int:
            belongs = home.setdefault(position, here if (position, claimant) == root else rng.randrange(count))
            if belongs == here or (belongs < here and rng.random() < 0.3):
                return choose(position, moves)
            if (position, claimant) not in for_block[belongs] and not (lost and rng.random() < 0.3):
                for_block[belongs].append((position, claimant))
            return 0

        starts = for_block[number]
        if not starts:
            continue
        answers = walk(rules, claimant, starts, answer)
        blocks.append(Block([rules.text(start) for start in starts], answers))
    return Certificate(rules.name, rules.text(root), 0, [Claim(PLAYERS[claimant], wanted, blocks)])


def _searched(
    rng: random.Random,
    rules: Checked,
    root: tuple[int, int],
    claimant: int,
    wanted: int,
    choose: Callable[[int, int], int],
) -> Certificate:
    """Positions that are left to a search, under a limit that is just enough or just too small."""
    share = rng.choice([0.1, 0.5, 1.0])
    answers = walk(
        rules, claimant, [root], lambda position, moves: 1 if rng.random() < share else choose(position, moves)
    )
    return whole(rules, root, claimant, wanted, answers, rng.choice([0, 1, 2, 3, 4, 5, 7, 10, 20, 50, 1000, 65_536]))


def _two_claims(
    rng: random.Random,
    rules: Checked,
    root: tuple[int, int],
    claimant: int,
    wanted: int,
    choose: Callable[[int, int], int],
) -> Certificate:
    """One claim for each player, which cannot both be true; in any order."""
    file = _plain(rng, rules, root, claimant, wanted, choose)
    other = walk(rules, 1 - claimant, [root], lambda _, moves: rng.randrange(moves) + 2)
    file.claims.append(Claim(PLAYERS[1 - claimant], wanted, [Block([rules.text(root)], other)]))
    if rng.random() < 0.5:
        file.claims.reverse()
    return file
