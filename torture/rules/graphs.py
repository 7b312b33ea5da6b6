"""Random explicit graphs, in the program's text form, with every rule of repetition.

Values of graphs whose repetitions are worth a fixed value come from `oracle.label`, the others, and go, from `value_on_path` below.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from torture.case import Unfit
from torture.rules.base import FIRST, PLAYERS, Rules, State


@dataclass
class Graph(Rules):
    """A game written down node by node. A state is the number of a node."""

    movers: list[int]
    after: list[list[int]]
    ends: list[int | None]
    low: int = -1
    high: int = 1
    rule: str | None = None  # what stands after `repetition`

    def __post_init__(self) -> None:
        self.name = "graph " + self.lines("; ")
        self.fixed = int(self.rule) if self.rule and self.rule.lstrip("-").isdigit() else None
        self.path_dependent = self.rule is not None and self.fixed is None

    def lines(self, end: str) -> str:
        """The text form, as the program itself writes it."""
        lines = [] if self.rule is None else [f"repetition {self.rule}"]
        if (self.low, self.high) != (-1, 1):
            lines.append(f"values {self.low} {self.high}")
        for node, targets in enumerate(self.after):
            who = f"n{node} {PLAYERS[self.movers[node]]}"
            lines.append(
                f"{who} = {self.ends[node]}" if not targets else f"{who}: " + " ".join(f"n{to}" for to in targets)
            )
        return end.join(lines)

    def start(self) -> State:
        return 0

    def parse(self, text: str) -> State:
        return int(text[1:])

    def text(self, state: State) -> str:
        return f"n{state}"

    def mover(self, state: State) -> int:
        return self.movers[state]

    def value(self, state: State) -> int | None:
        return self.ends[state]

    def moves(self, state: State) -> list[tuple[str, State]]:
        return [(f"n{to}", to) for to in self.after[state]]

    def repetition(self, state: State) -> int | None:
        return self.fixed


def parse_graph(name: str) -> tuple[Graph, dict[str, int]]:
    """A graph from its name (`graph LINE; LINE; ...`), and the numbers of its nodes; the first one is where play starts."""
    rule, low, high = None, -1, 1
    nodes: dict[str, list[str]] = {}
    for line in name.removeprefix("graph ").split("; "):
        words = line.split(" ")
        if words[0] == "repetition":
            rule = " ".join(words[1:])
        elif words[0] == "values":
            low, high = int(words[1]), int(words[2])
        elif words[0] != "start":
            nodes[words[0]] = words[1:]
    number = {node: at for at, node in enumerate(nodes)}
    movers = [PLAYERS.index(words[0].rstrip(":")) for words in nodes.values()]
    after = [[number[to] for to in words[1:]] if words[0][-1] == ":" else [] for words in nodes.values()]
    ends = [None if words[0][-1] == ":" else int(words[2]) for words in nodes.values()]
    return Graph(movers, after, ends, low, high, rule), number


def random_graph(rng: random.Random, kind: str, nodes: int) -> Graph:
    """A tree, an acyclic graph or one with cycles, all of whose nodes can be reached from the first."""
    low, high = rng.choice([(-1, 1)] * 4 + [(-2, 2), (0, 3), (-40, 40), (-1, 0), (5, 9)])
    degree = rng.choice([1.3, 1.8, 2.5, 3.5])
    movers = [FIRST if rng.random() < 0.7 else 1]
    after: list[list[int]] = [[]]
    for node in range(1, nodes):
        # Mostly hang new nodes on late ones: deep graphs are harder than wide ones.
        parent = rng.randrange(max(0, node - 6), node) if rng.random() < 0.7 else rng.randrange(node)
        movers.append(1 - movers[parent])
        after.append([])
        after[parent].append(node)
    if kind != "tree":
        leaf_share = rng.choice([0.15, 0.3, 0.5])
        leaves = {node for node in range(nodes) if not after[node] and rng.random() < leaf_share}
        for _ in range(int(nodes * (degree - 1))):
            node, to = rng.randrange(nodes), rng.randrange(nodes)
            if kind == "dag" and to <= node:
                node, to = to, node
            if movers[node] != movers[to] and to not in after[node] and node not in leaves and len(after[node]) < 6:
                after[node].append(to)
    for targets in after:
        rng.shuffle(targets)
    ends: list[int | None] = [None if targets else rng.randint(low, high) for targets in after]
    rule = None
    if kind == "cyclic":
        rule = rng.choice(
            [str(rng.randint(low, high))] * 3 + ["loses", "parity", f"forbidden {rng.randint(low, high)}"]
        )
    elif rng.random() < 0.1:
        rule = str(rng.randint(low, high))
    return Graph(movers, after, ends, low, high, rule)


def value_on_path(rules: Rules, root: State, most: int, low: int, high: int) -> int:
    """The value by minimax that carries its line, for games whose positions have no value of their own."""
    budget = [most]
    line: dict[State, int] = {}
    return _on_path(rules, root, line, 0, low, high, budget, (low, high))


def _on_path(
    rules: Rules,
    state: State,
    line: dict[State, int],
    ply: int,
    alpha: int,
    beta: int,
    budget: list[int],
    span: tuple[int, int],
) -> int:
    budget[0] -= 1
    if budget[0] < 0 or ply > 400:
        raise Unfit("too much for a search that carries its line")
    end = rules.value(state)
    if end is not None:
        return end
    line[state] = ply
    first = rules.mover(state) == FIRST
    best = None
    for value in _replies(rules, state, line, ply, budget, span, (alpha, beta), first):
        if best is None or (value > best if first else value < best):
            best = value
        if first:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        if alpha >= beta:
            break
    del line[state]
    if best is None:
        rule = getattr(rules, "rule", None) or ""
        if not rule.startswith("forbidden"):
            raise AssertionError("no move is left")
        return int(rule.split()[1])
    return best


def _replies(
    rules: Rules,
    state: State,
    line: dict[State, int],
    ply: int,
    budget: list[int],
    span: tuple[int, int],
    window: tuple[int, int],
    first: bool,
) -> Iterator[int]:
    """The value of each move that may be made, one after the other; the window narrows as in any alpha-beta."""
    alpha, beta = window
    for _, after in rules.moves(state):
        if after in line:
            value = repeated(rules, line, after, ply + 1, span)
            if value is None:
                continue
        else:
            value = _on_path(rules, after, line, ply + 1, alpha, beta, budget, span)
        yield value
        if first:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)


def repeated(rules: Rules, line: dict[State, int], state: State, ply: int, span: tuple[int, int]) -> int | None:
    """The value of a line that comes back to a state at this ply; None if the move may not be made."""
    low, high = span
    rule = getattr(rules, "rule", None)
    if rule == "loses":  # for the player who has just moved
        return high if rules.mover(state) == FIRST else low
    if rule == "parity":
        return high if (ply - line[state]) // 2 % 2 else low
    if rule and rule.startswith("forbidden"):
        return None
    return rules.repetition(state)
