"""The true value of every position that can be reached from one, by nothing but rules.

All positions are listed first (`Unfit` if there are too many). Where positions can repeat, a line that comes back is worth the
same for all positions of a strongly connected part: a draw, or in awari what was won so far with the rest shared (what was won
does not change within such a part). Then positions have values of their own: let L be the best that the first player can force in
finitely many moves (the least fixed point of max and min), U the same for the second (the greatest), and r the worth of a line that
comes back; the value is r if it lies between L and U, otherwise the nearer of them. A threshold above r has to be forced in finitely
many moves by the first player, one up to r has to be prevented so by the second.

Go, and graphs whose repetitions are not worth a fixed value, are searched by carrying the line along: `value_on_path`.
"""

from __future__ import annotations

from dataclasses import dataclass

from torture.case import Unfit
from torture.rules.base import FIRST, Rules, State


@dataclass
class Labels:
    """All positions from a root: what their moves lead to, and what they are worth."""

    rules: Rules
    states: list[State]
    index: dict[State, int]
    names: list[list[str]]  # of the moves
    after: list[list[int]]  # the states after them
    value: list[int]

    def of(self, state: State) -> int:
        return self.value[self.index[state]]


def label(rules: Rules, root: State, most: int) -> Labels:
    """Values of all positions that can be reached from the root, at most so many."""
    states, index = [root], {root: 0}
    names: list[list[str]] = []
    after: list[list[int]] = []
    ends: list[int | None] = []
    at = 0
    while at < len(states):
        state = states[at]
        end = rules.value(state)
        ends.append(end)
        texts: list[str] = []
        targets: list[int] = []
        if end is None:
            for text, next_state in rules.moves(state):
                place = index.get(next_state)
                if place is None:
                    place = index[next_state] = len(states)
                    states.append(next_state)
                    if len(states) > most:
                        raise Unfit(f"more than {most} positions")
                texts.append(text)
                targets.append(place)
        names.append(texts)
        after.append(targets)
        at += 1
    movers = [rules.mover(state) for state in states]
    repetition = [rules.repetition(state) for state in states]
    return Labels(rules, states, index, names, after, solve(movers, after, ends, repetition))


def solve(movers: list[int], after: list[list[int]], ends: list[int | None], repetition: list[int | None]) -> list[int]:
    """The value of each node of a graph; `ends` is that of nodes where the game is over."""
    value: list[int] = [0] * len(after)
    for part in parts(after):
        if len(part) == 1 and part[0] not in after[part[0]]:
            node = part[0]
            end = ends[node]
            if end is not None:
                value[node] = end
            else:
                value[node] = (max if movers[node] == FIRST else min)(value[to] for to in after[node])
            continue
        worth = {repetition[node] for node in part}
        if len(worth) != 1 or (stated := worth.pop()) is None:
            raise AssertionError("a cycle whose positions are not worth the same")
        low = _fixed_point(part, movers, after, value, -(10**9))
        high = _fixed_point(part, movers, after, value, 10**9)
        for node in part:
            value[node] = max(low[node], min(stated, high[node]))
    return value


def _fixed_point(
    part: list[int], movers: list[int], after: list[list[int]], known: list[int], begin: int
) -> dict[int, int]:
    """Values inside a part if an endless line is worth `begin`."""
    now = dict.fromkeys(part, begin)
    before: dict[int, list[int]] = {node: [] for node in part}
    for node in part:
        for to in after[node]:
            if to in before:
                before[to].append(node)
    open_nodes = list(part)
    waiting = set(part)
    while open_nodes:
        node = open_nodes.pop()
        waiting.discard(node)
        choose = max if movers[node] == FIRST else min
        fresh = choose(now[to] if to in now else known[to] for to in after[node])
        if fresh != now[node]:
            now[node] = fresh
            for origin in before[node]:
                if origin not in waiting:
                    waiting.add(origin)
                    open_nodes.append(origin)
    return now


def parts(after: list[list[int]]) -> list[list[int]]:
    """Strongly connected parts, each after those that it leads into (Tarjan 1972, without recursion)."""
    number = [-1] * len(after)
    low = [0] * len(after)
    on_stack = [False] * len(after)
    stack: list[int] = []
    found: list[list[int]] = []
    count = 0
    for root in range(len(after)):
        if number[root] >= 0:
            continue
        work = [(root, 0)]
        while work:
            node, child = work.pop()
            if child == 0:
                number[node] = low[node] = count
                count += 1
                stack.append(node)
                on_stack[node] = True
            down = False
            for i in range(child, len(after[node])):
                to = after[node][i]
                if number[to] < 0:
                    work += [(node, i + 1), (to, 0)]
                    down = True
                    break
                if on_stack[to]:
                    low[node] = min(low[node], number[to])
            if down:
                continue
            if low[node] == number[node]:
                part: list[int] = []
                while not part or part[-1] != node:
                    part.append(stack.pop())
                    on_stack[part[-1]] = False
                found.append(part)
            if work:
                above = work[-1][0]
                low[above] = min(low[above], low[node])
    return found


def distances(labels: Labels) -> list[int | None]:
    """Plies to the end of the game where both play for a win as soon as can be, or for a loss as late; None for draws.

    Layer by layer from the ends: the winner takes the nearest end, the loser the farthest.
    """
    count = len(labels.states)
    before: list[list[int]] = [[] for _ in range(count)]
    for node, targets in enumerate(labels.after):
        for to in targets:
            before[to].append(node)
    found: list[int | None] = [None] * count
    left = [len(targets) for targets in labels.after]
    layer = [node for node in range(count) if not labels.after[node] and labels.value[node] != 0]
    ply = 0
    while layer:
        for node in layer:
            found[node] = ply
        above: dict[int, None] = {}
        for node in layer:
            for origin in before[node]:
                if found[origin] is not None or labels.value[origin] != labels.value[node]:
                    continue
                wins = (labels.value[origin] > 0) == (labels.rules.mover(labels.states[origin]) == FIRST)
                left[origin] -= 1
                if wins or left[origin] == 0:
                    above[origin] = None
        layer = list(above)
        ply += 1
    return found
