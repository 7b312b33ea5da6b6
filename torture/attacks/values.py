"""Differential test of values: every engine against independently written rules.

A case takes a random small position, works out the value of everything below it in Python, and asks several engines, with
options at random, for the value of the position and of its moves. Legal moves are compared as well.
"""

from __future__ import annotations

from typing import Any

from torture.case import Case, Found
from torture.rules.base import State
from torture.rules.small import Problem, random_problem

ENGINES = [
    "auto", "minimax", "alphabeta", "montecarlo", "pns", "pn2", "pp", "dfpn", "lambda", "ab-tt", "id-ab-tt", "ab-tt-mc",
    "id-ab-tt-mc",
]  # fmt: skip
SEEDLESS = {"minimax", "pns", "pn2", "pp", "lambda"}  # these draw nothing at random
EXTRA = [
    [], [], [], ["--threads", "2"], ["--without", "knowledge"], ["--without", "symmetry,order"], ["--playouts", "200"],
    ["--deepening"], ["--table-entries", "64"], ["--without", "knowledge,symmetry,order"],
]  # fmt: skip


class Values:
    name = "values"
    quick_cases = 45

    def case(self, case: Case) -> None:
        rng = case.rng
        problem = random_problem(rng, 1200 if case.bench.quick else rng.choice([500, 2000, 6000]))
        case.counts["roots by " + problem.game.split(" ")[0]] += 1
        roots = [problem]
        if problem.labels is not None:
            labels = problem.labels
            for at in rng.sample(range(len(labels.states)), min(2, len(labels.states))):
                roots.append(Problem(problem.rules, labels.states[at], labels.value[at], labels, problem.most))
        for root in roots:
            for engine in engines(case, problem, 1 if case.bench.quick else 3):
                self.ask(case, root, engine)

    def ask(self, case: Case, problem: Problem, engine: str) -> None:
        rng = case.rng
        extra = rng.choice(EXTRA)
        words = ["solve", problem.game, "--position", problem.position, "--by", engine, *seed(engine, rng.randrange(9))]
        words += ["--nodes", "100k", "--memory", "64M", "--json", *extra]
        if rng.random() < 0.6:
            words.append("--values")
        answer = case.json(*words)
        if answer is None:
            refused(case, engine, extra)
            return
        case.counts["root values"] += judge_value(problem, answer)
        if "values" in answer:
            case.counts["move values"] += judge_moves(problem, answer)


def seed(engine: str, number: int) -> list[str]:
    """The seed of an engine that has one."""
    return [] if engine in SEEDLESS else ["--seed", str(number)]


def engines(case: Case, problem: Problem, count: int) -> list[str]:
    """Some engines, mostly such as take the game."""
    fitting = ENGINES
    if case.rng.random() < 0.95:
        if problem.game.startswith("go "):
            fitting = ["auto", "minimax", "alphabeta"]
        elif problem.game.startswith("awari") or (problem.labels is None):
            fitting = ["auto", "minimax", "dfpn", "pns", "pn2", "pp", "montecarlo"]
        elif not problem.game.startswith(("atarigo", "mnk", "tictactoe", "connect4")):
            fitting = [engine for engine in ENGINES if engine != "lambda"]
    return case.rng.sample(fitting, min(count, len(fitting)))


def refused(case: Case, engine: str, extra: list[str]) -> None:
    """An engine may decline a game, and an option an engine; `auto` without options may not."""
    case.counts["engine declined"] += 1
    if engine == "auto" and not extra:
        raise Found("solve without any wish was refused")


def within(answer: dict[str, Any], value: int, what: str) -> bool:
    """Whether the bounds are exact; finds wrong ones."""
    low, high = answer["lo"], answer["hi"]
    if not low <= value <= high:
        raise Found(f"WRONG VALUE of {what}: {low}..{high}, but it is {value}")
    return bool(low == high)


def judge_value(problem: Problem, answer: dict[str, Any]) -> int:
    """The value of the root, and what the exit code says of it."""
    value = problem.value
    exact = within(answer, value, "the position")
    if answer["position"] != problem.position:
        raise Found(f"the position is told as {answer['position']!r}")
    if answer["exit"] not in (0, 3):
        raise Found(f"an answer with exit code {answer['exit']}")
    if answer["exit"] == 0 and not exact:
        raise Found(f"exit code 0, but the value is left open: {answer['lo']}..{answer['hi']}")
    if exact and answer["winner"] != ("second", "draw", "first")[(value > 0) - (value < 0) + 1]:
        raise Found(f"value {value}, and winner {answer['winner']}")
    best = answer["best_move"]
    if exact and best is not None:
        moves = problem.moves()
        if best not in moves:
            raise Found(f"the best move is {best!r}, but the moves are {list(moves)}")
        line = [problem.root, moves[best]]
        worth = problem.value_after(line) if (along := problem.along(line)) is None else along
        if worth != value:
            raise Found(f"WRONG MOVE: best move {best} is worth {worth}, the position {value}")
    return exact


def judge_moves(problem: Problem, answer: dict[str, Any]) -> int:
    """The value of every move: all moves, each once, and no other."""
    moves: dict[str, State] = problem.moves()
    told = [entry["move"] for entry in answer["values"]]
    if sorted(told) != sorted(moves):
        raise Found(f"WRONG MOVES: {sorted(told)}, but the rules give {sorted(moves)}")
    known, left_open = 0, ""
    for entry in answer["values"]:
        after = moves[entry["move"]]
        worth = problem.value_after([problem.root, after])
        if problem.game.startswith("awari") and not entry["lo"] <= worth <= entry["hi"]:
            # In awari a repetition is worth what it stands at, and a move counts as made in its position.
            worth = entry["lo"] if (along := problem.along([problem.root, after])) is None else along
        exact = within(entry, worth, f"move {entry['move']}")
        known += exact
        if not exact:
            left_open = f"move {entry['move']} is left open: {entry['lo']}..{entry['hi']}"
    if answer["exit"] == 0 and left_open:
        raise Found(f"exit code 0, but {left_open}")
    return known


ATTACK = Values()
