"""Graphs: games that are written down node by node, in the name itself."""

from __future__ import annotations

import re

from zermelo_rules.base import PLAYERS, Game, Refused, shown

MOST_MOVES = 256  # of a node
# White space of Unicode.
BLANKS = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


class Graph(Game):
    """A position is the number of a node."""

    def __init__(self, description: str) -> None:
        self.names: list[str] = []
        self.movers: list[int] = []
        self.targets: list[list[int]] = []
        self.values: list[int] = []
        settings: dict[str, list[str]] = {}
        nodes: dict[str, tuple[str, list[str]]] = {}
        for line in description.split("; "):
            words = line.split(" ")
            name, rest = words[0], words[1:]
            if name in (order := ["repetition", "values", "start"]):
                if nodes or any(after in settings for after in order[order.index(name) :]):
                    raise Refused("graph: the order is repetition, values, start, nodes, each setting once")
                if len(rest) != (2 if name == "values" or rest[:1] == ["forbidden"] else 1):
                    raise Refused(f"graph: bad line {shown(line)}")
                settings[name] = rest
            elif not self._is_name(name) or name in nodes or len(rest) < 2:
                raise Refused(f"graph: bad line {shown(line)}")
            else:
                nodes[name] = (rest[0], rest[1:])
        if "values" in settings:
            self.least, self.most = (self._number(word) for word in settings["values"])
        if self.least > self.most:
            raise Refused("graph: values the wrong way round")
        self.index = {name: number for number, name in enumerate(nodes)}
        if not nodes or settings.get("start", [next(iter(nodes))])[0] not in nodes:
            raise Refused("graph: no start")
        for name, (turn, rest) in nodes.items():
            ended = rest[0] == "="
            if turn.removesuffix(":") not in PLAYERS or ended == turn.endswith(":") or ended and len(rest) != 2:
                raise Refused(f"graph: bad line of node {shown(name)}")
            if not ended and (len(set(rest)) < len(rest) or any(target not in nodes for target in rest)):
                raise Refused(f"graph: bad moves of node {shown(name)}")
            if not ended and len(rest) > MOST_MOVES:
                raise Refused(f"graph: more than {MOST_MOVES} moves of node {shown(name)}")
            self.names.append(name)
            self.movers.append(PLAYERS.index(turn.removesuffix(":")))
            self.targets.append([] if ended else [self.index[target] for target in rest])
            self.values.append(self._ranged(rest[1]) if ended else 0)
        for node, targets in enumerate(self.targets):
            if any(self.movers[target] == self.movers[node] for target in targets):
                raise Refused(f"graph: a move from node {shown(self.names[node])} does not hand over")
        rule = settings.get("repetition", ["loses"])
        stated = None if rule in (["loses"], ["parity"]) else self._ranged(rule[-1])
        if self._has_cycle():
            if stated is None or len(rule) > 1:
                raise Refused("graph: a cycle, and no value of a repetition")
            self.repetition = stated
        if settings.get("start") == [self.names[0]] or settings.get("values") == ["-1", "1"]:
            raise Refused("graph: a line that says what goes without saying")

    @staticmethod
    def _is_name(word: str) -> bool:
        return re.fullmatch(rf"[^{BLANKS}:;=#]+", word) is not None and word not in PLAYERS

    @staticmethod
    def _number(word: str) -> int:
        if not re.fullmatch(r"0|-?[1-9][0-9]{0,4}", word, re.ASCII) or abs(int(word)) > 10_000:
            raise Refused(f"graph: no number: {shown(word)}")
        return int(word)

    def _ranged(self, word: str) -> int:
        number = self._number(word)
        if not self.least <= number <= self.most:
            raise Refused(f"graph: no value from {self.least} to {self.most}: {number}")
        return number

    def _has_cycle(self) -> bool:
        """Takes away nodes that no other leads to until none is left, or none can be taken."""
        leading = [0] * len(self.targets)
        for targets in self.targets:
            for target in targets:
                leading[target] += 1
        free = [node for node, count in enumerate(leading) if count == 0]
        taken = 0
        while free:
            taken += 1
            for target in self.targets[free.pop()]:
                leading[target] -= 1
                if leading[target] == 0:
                    free.append(target)
        return taken < len(self.targets)

    def parse(self, text: str) -> tuple[int, int]:
        if text not in self.index:
            raise Refused("no node of this name")
        return self.index[text], self.movers[self.index[text]]

    def text(self, position: int, mover: int) -> str:
        return self.names[position]

    def moves(self, position: int, mover: int) -> list[int]:
        return self.targets[position]

    def value(self, position: int, mover: int) -> int:
        return self.values[position]

    def key(self, position: int) -> bytes:
        return position.to_bytes(4, "little")
