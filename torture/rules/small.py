"""Random small positions of every game, with an oracle for their values."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from torture.case import Unfit
from torture.rules import checked, graphs
from torture.rules.base import Rules, State
from torture.rules.draughts import Checkers
from torture.rules.go import Go, superko_value
from torture.rules.graphs import Graph, value_on_path
from torture.rules.loa import LinesOfAction
from torture.rules.morris import MensMorris
from torture.rules.oracle import Labels, label
from torture.rules.sowing import Awari, Kalah

# Boards on which random play soon comes to positions that a plain solver in Python can list.
CHECKED = [
    "tictactoe", "mnk 2x5x2", "mnk 3x4x3", "mnk 4x4x4", "mnk 3x5x4", "mnk 4x3x2", "mnk 1x9x3",
    "connect4 2x6", "connect4 3x4", "connect4 4x4", "connect4 4x5", "connect4 5x4",
    "domineering 3x4", "domineering 4x4", "domineering 2x7 misere", "domineering 4x3 horizontal",
    "domineering 3x3 misere horizontal", "domineering 5x4", "nogo 2x4", "nogo 3x3", "nogo 1x8", "nogo 3x4", "nogo 4x4",
    "atarigo 2x4", "atarigo 3x3", "atarigo 1x7", "atarigo 3x4",
    "breakthrough 4x3", "breakthrough 5x3", "breakthrough 4x4 misere", "breakthrough 4x2", "breakthrough 6x2",
    "knightthrough 4x3", "knightthrough 5x3 misere", "knightthrough 5x4", "clobber 3x4", "clobber 2x5", "clobber 4x4",
    "clobber 1x9",
]  # fmt: skip
GO = ["go 1x3", "go 2x2", "go 1x4", "go 1x5", "go 2x2 komi 0.5", "go 1x4 komi 1", "go 2x3", "go 1x3 komi -1"]
OWN: list[Callable[[], Rules]] = [
    lambda: Kalah(2, 2), lambda: Kalah(2, 3, "noempty"), lambda: Kalah(3, 1), lambda: Kalah(3, 2), lambda: Kalah(1, 6),
    lambda: Kalah(2, 6), lambda: Kalah(4, 1, "noempty"), lambda: Kalah(3, 3), lambda: Kalah(2, 8),
    lambda: Awari(2, 2), lambda: Awari(3, 1), lambda: Awari(2, 3, "noslam"), lambda: Awari(3, 2), lambda: Awari(1, 7),
    lambda: Awari(2, 4), lambda: Awari(4, 1, "noslam"), lambda: Awari(2, 8),
    lambda: Checkers(4), lambda: Checkers(4), lambda: Checkers(6), lambda: LinesOfAction(3, 3), lambda: LinesOfAction(4, 4),
    lambda: LinesOfAction(3, 4), lambda: LinesOfAction(4, 3), lambda: MensMorris(3), lambda: MensMorris(3, "fly"),
    lambda: MensMorris(6), lambda: MensMorris(6, "fly"),
]  # fmt: skip


@dataclass
class Problem:
    """A position with the value of everything that can come of it."""

    rules: Rules
    root: State
    value: int
    labels: Labels | None  # None where positions have no value of their own
    most: int
    line: list[State] = field(default_factory=list)  # from the root on, where values depend on it

    @property
    def game(self) -> str:
        return self.rules.name

    @property
    def position(self) -> str:
        return self.rules.text(self.root)

    def moves(self) -> dict[str, State]:
        """Moves from the root that may be made."""
        return dict(self.legal([self.root]))

    def legal(self, line: list[State]) -> list[tuple[str, State]]:
        """Moves after a line from the root, as far as it does not end there by coming back."""
        here = line[-1]
        if self.rules.value(here) is not None:
            return []
        if isinstance(self.rules, Go):
            return self.rules.allowed(here, self._stood(line))
        if isinstance(self.rules, Graph) and (self.rules.rule or "").startswith("forbidden"):
            return [(name, to) for name, to in self.rules.moves(here) if to not in line]
        return self.rules.moves(here)

    def value_after(self, line: list[State]) -> int:
        """The value after a line that begins at the root and does not come back before its end."""
        if self.labels is not None:
            return self.labels.of(line[-1])
        rules, here = self.rules, line[-1]
        if isinstance(rules, Go):
            return superko_value(rules, here, self._stood(line), self.most)
        assert isinstance(rules, Graph)
        before = {state: ply for ply, state in enumerate(line[:-1])}
        if here in before:
            value = graphs.repeated(rules, before, here, len(line) - 1, (rules.low, rules.high))
            if value is None:
                raise AssertionError("a move that may not be made")
            return value
        return graphs._on_path(
            rules, here, before, len(line) - 1, rules.low, rules.high, [self.most], (rules.low, rules.high)
        )

    def along(self, line: list[State]) -> int | None:
        """The value after a line from the root where coming back to one of its positions counts, although positions have values
        of their own: a graph, or awari. None where that is too much to search, or makes no difference."""
        if self.labels is None or len(line) < 2 or not isinstance(self.rules, Graph | Awari):
            return None
        if self.rules.repetition(line[-1]) is None:
            return None
        before = {state: ply for ply, state in enumerate(line[:-1])}
        if line[-1] in before:
            return self.rules.repetition(line[-1])
        span = (-1000, 1000)
        try:
            return graphs._on_path(self.rules, line[-1], before, len(line) - 1, *span, [20_000], span)
        except Unfit:
            return None

    def _stood(self, line: list[State]) -> set[int]:
        rules = self.rules
        assert isinstance(rules, Go)
        return {*rules.line_of(line[0]), *(rules.game.board(state[0]) for state in line)}


def by_name(name: str) -> Rules:
    """The rules of a game as its name has it."""
    kind, _, rest = name.partition(" ")
    words = rest.split(" ")
    if kind == "graph":
        return graphs.parse_graph(name)[0]
    if kind == "go":
        return Go(name)
    if kind in ("kalah", "awari"):
        pits, seeds = (int(word) for word in words[0].split("x"))
        return (Kalah if kind == "kalah" else Awari)(pits, seeds, *words[1:])
    if kind == "checkers":
        return Checkers(int(words[0].split("x")[0]))
    if kind == "loa":
        return LinesOfAction(*(int(word) for word in words[0].split("x")))
    if kind == "morris":
        return MensMorris(int(words[0]), *words[1:])
    return checked.Checked(name)


def problem_of(rules: Rules, root: State, most: int) -> Problem:
    """A given position with its oracle."""
    if isinstance(rules, Go):
        stood = {*rules.line_of(root), rules.game.board(root[0])}
        return Problem(rules, root, superko_value(rules, root, stood, most), None, most)
    if isinstance(rules, Graph) and rules.path_dependent:
        return Problem(rules, root, value_on_path(rules, root, most, rules.low, rules.high), None, most)
    labels = label(rules, root, most)
    return Problem(rules, root, labels.value[0], labels, most)


def start_text(name: str) -> str:
    """The start of a game of the foreign checker."""
    kind, _, rest = name.partition(" ")
    if kind == "tictactoe":
        rest = "3x3x3"
    rows, columns = (int(word) for word in rest.split(" ")[0].split("x")[:2])
    lines = ["." * columns] * rows
    if kind.endswith("through"):
        lines = ["x" * columns] * 2 + ["." * columns] * (rows - 4) + ["o" * columns] * 2
    elif kind == "clobber":
        lines = ["".join("ox"[(row + column) % 2 == 0] for column in range(columns)) for row in range(rows)]
    return "/".join(reversed(lines)) + " first"


def scattered(rng: random.Random, rules: checked.Checked) -> State | None:
    """A position that need not be one that can come up: cells at random."""
    words = start_text(rules.name).split(" ")[0]
    symbols = "#." if rules.kind == "domineering" else rng.choice([".xo", "..xo", "...xo", "xo."])
    board = "".join("/" if cell == "/" else rng.choice(symbols) for cell in words)
    try:
        return rules.parse(board + " " + rng.choice(["first", "second"]))
    except checked.checker().Refused:
        return None


def random_problem(rng: random.Random, most: int, kinds: str = "boards go own graphs") -> Problem:
    """A random position of a random game, with at most so many positions below it."""
    kind = rng.choice(
        [word for word in kinds.split() for _ in range({"boards": 5, "own": 5, "go": 1, "graphs": 3}[word])]
    )
    if kind == "graphs":
        return graph_problem(rng, most)
    if kind == "go":
        return go_problem(rng)
    if kind == "own":
        rules = rng.choice(OWN)()
        return walk(rng, rules, rules.start(), most)
    rules = checked.Checked(rng.choice(CHECKED))
    if rules.kind != "connect4" and rng.random() < 0.4:
        for _ in range(20):
            state = scattered(rng, rules)
            if state is not None:
                return walk(rng, rules, state, most)
    return walk(rng, rules, rules.parse(start_text(rules.name)), most)


def manager_problem(rng: random.Random, most: int) -> Problem:
    """A position for `zermelo prove`: of a game whose positions have values, with enough below it to be worth a tree."""
    for tries in range(40):
        try:
            problem = random_problem(rng, most, "boards graphs own")
        except Unfit:
            continue
        if problem.labels is None or problem.game.startswith("awari") or problem.rules.value(problem.root) is not None:
            continue
        if len(problem.labels.states) >= 60 - tries:
            return problem
    raise Unfit("no position that is worth a tree")


def walk(rng: random.Random, rules: Rules, state: State, most: int) -> Problem:
    """Plays at random until all that can follow can be listed; a game that ends first begins again."""
    start = state
    tries = 12
    while tries:
        state = start
        for _ in range(rng.randrange(3)):
            state = _random_move(rng, rules, state)
        while rules.value(state) is None:
            try:
                labels = label(rules, state, most)
            except Unfit:
                tries -= 1
                if not tries:
                    break
                for _ in range(3):
                    state = _random_move(rng, rules, state)
                continue
            return Problem(rules, state, labels.value[0], labels, most)
        else:
            tries -= 1
    if rules.value(start) is not None:
        labels = label(rules, start, most)
        return Problem(rules, start, labels.value[0], labels, most)
    raise Unfit("random play finds no small position")


def _random_move(rng: random.Random, rules: Rules, state: State) -> State:
    if rules.value(state) is not None:
        return state
    return rng.choice(rules.moves(state))[1]


def graph_problem(
    rng: random.Random, most: int, kinds: tuple[str, ...] = ("tree", "dag", "cyclic", "cyclic", "cyclic")
) -> Problem:
    for _ in range(50):
        kind = rng.choice(kinds)
        graph = graphs.random_graph(rng, kind, rng.choice([3, 6, 10, 15, 25, 60]))
        try:
            if graph.path_dependent:
                value = value_on_path(graph, 0, 20 * most, graph.low, graph.high)
                return Problem(graph, 0, value, None, 20 * most)
            labels = label(graph, 0, most)
        except Unfit:
            continue
        return Problem(graph, 0, labels.value[0], labels, most)
    raise Unfit("no small graph")


def go_problem(rng: random.Random) -> Problem:
    rules = Go(rng.choice(GO))
    most = 5_000
    for _ in range(10):
        if rng.random() < 0.5 and (found := scattered(rng, rules)) is not None:
            state = found
        else:
            state = rules.parse(start_text(rules.name))
        for _ in range(rng.randrange(8)):
            if rules.value(state) is None:
                state = rng.choice(rules.moves(state))[1]
        if rules.value(state) is not None:
            continue
        stood = {*rules.line_of(state), rules.game.board(state[0])}
        try:
            value = superko_value(rules, state, stood, most)
        except Unfit:
            continue
        return Problem(rules, state, value, None, most)
    raise Unfit("no small position of go")
