"""Every printed line of best play keeps the value at every step, for every engine and several seeds."""

from __future__ import annotations

from typing import Any

from torture.attacks.values import ENGINES, EXTRA, engines, judge_value, refused, seed
from torture.case import Case, Found
from torture.rules.base import State
from torture.rules.small import Problem, random_problem


class Lines:
    name = "lines"
    quick_cases = 40

    def case(self, case: Case) -> None:
        rng = case.rng
        problem = random_problem(rng, 1200 if case.bench.quick else rng.choice([500, 2000, 6000]))
        for engine in engines(case, problem, 3 if case.bench.quick else len(ENGINES)):
            extra = rng.choice(EXTRA)
            words = ["solve", problem.game, "--position", problem.position, "--by", engine]
            words += [*seed(engine, rng.randrange(30)), "--nodes", "100k", "--memory", "64M", "--json", *extra]
            answer = case.json(*words)
            if answer is None:
                refused(case, engine, extra)
                continue
            if judge_value(problem, answer):
                judge_line(problem, answer)
                case.counts["lines"] += 1
                case.counts["moves of lines"] += len(answer["line"])


def judge_line(problem: Problem, answer: dict[str, Any]) -> None:
    """A line is only printed where the value is known; each of its moves keeps that value, what stood before being counted."""
    rules, value = problem.rules, problem.value
    line: list[State] = [problem.root]
    over = False
    for ply, move in enumerate(answer["line"], 1):
        if over:
            raise Found(f"LINE GOES ON after the end: move {ply}, {move!r}, of {answer['line']}")
        moves = dict(problem.legal(line))
        if move not in moves:
            raise Found(f"ILLEGAL LINE: move {ply} is {move!r}, but the moves are {list(moves)}")
        line.append(moves[move])
        back = line[-1] in line[:-1]
        if (along := problem.along(line)) is not None:
            worth: int | None = along
        elif back and problem.labels is not None:
            worth = rules.repetition(line[-1])
        else:
            worth = problem.value_after(line)
        if worth != value:
            raise Found(f"LINE LOSES THE VALUE: after move {ply} of {answer['line']} it is {worth}, not {value}")
        over = rules.value(line[-1]) is not None or (back and not rules.name.startswith("go "))
    if answer["line"] and answer["best_move"] != answer["line"][0]:
        raise Found(f"the best move is {answer['best_move']!r}, and the line begins with {answer['line'][0]!r}")


ATTACK = Lines()
