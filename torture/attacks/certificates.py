"""Certificates: honest ones are proved, nothing false is ever accepted, and both checkers say the same of every file.

The kinds of cases take turns: honest certificates of random positions; mutants of honest ones, with lengths and digests made right
again; forged strategies, on cyclic graphs above all; headers with unusual JSON. A mutant may still be a proof: then its claims must be true.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torture.attacks import forged, headers, mutants
from torture.attacks.values import ENGINES
from torture.case import Case, Found, Unfit
from torture.rules.checked import Checked, checker
from torture.rules.go import Go, superko_value
from torture.rules.graphs import parse_graph, value_on_path
from torture.rules.oracle import label
from torture.rules.small import Problem, random_problem

BOTH = "boards go graphs"  # what both checkers know; the other games are for our checker alone


class Certificates:
    name = "certificates"
    quick_cases = 48

    def case(self, case: Case) -> None:
        kind = (self.honest, self.mutants, self.forged, self.headers)[case.number % 4]
        kind(case)

    def honest(self, case: Case) -> None:
        """A certificate of what was found, by any engine, is proved by both checkers and says what is true."""
        rng = case.rng
        problem = random_problem(rng, 800 if case.bench.quick else rng.choice([500, 2000, 5000]), BOTH + " own")
        if (data := self.certify(case, problem)) is None:
            return
        known = not problem.rules.__class__.__module__.endswith(("sowing", "draughts", "loa", "morris"))
        verdicts = self.verdicts(case, [data], foreign=known)
        case.counts["honest certificates"] += 1
        if not verdicts[0].proved:
            raise Found(f"an honest certificate is refused: {verdicts[0].reason}")
        if known and not verdicts[0].foreign:
            raise Found(f"an honest certificate is refused by the Python checker: {verdicts[0].foreign_reason}")
        low, high = bounds(verdicts[0].header)
        if not (low or problem.value) <= problem.value <= (problem.value if high is None else high):
            raise Found(f"FALSE CLAIM by the program itself: {low}..{high}, but the value is {problem.value}")

    def certify(self, case: Case, problem: Problem) -> bytes | None:
        """A certificate by the program; None where it says that there can be none."""
        rng = case.rng
        words = ["solve", problem.game, "--position", problem.position, "--json", "--nodes", "100k", "--memory", "64M"]
        words += ["--by", rng.choice(["auto", "auto", "auto", *ENGINES]), "--proof", "made.proof", "--force"]
        words += ["--leaves", str(rng.choice([1, 2, 5, 40]))] if rng.random() < 0.3 else []
        words += ["--smaller"] if rng.random() < 0.2 else []
        answer = case.json(*words)
        made = case.folder / "made.proof"
        if answer is None or not made.exists():
            if answer is not None and answer["exit"] == 0:
                raise Found("exit code 0, and no certificate was written")
            case.counts["no certificate"] += 1
            return None
        return made.read_bytes()

    def mutants(self, case: Case) -> None:
        rng = case.rng
        problem = random_problem(rng, 400, BOTH)
        if (data := self.certify(case, problem)) is None:
            raise Unfit("nothing to mutate")
        others = [problem.rules.text(state) for state in problem.labels.states[:200]] if problem.labels else []
        files = [mutants.mutate(rng, data, others) for _ in range(12 if case.bench.quick else 40)]
        self.judge(case, files, "mutants")

    def forged(self, case: Case) -> None:
        rng = case.rng
        files = []
        for _ in range(6 if case.bench.quick else 20):
            files += forged.forge(rng)
        self.judge(case, files, "forged certificates")

    def headers(self, case: Case) -> None:
        rng = case.rng
        golden = sorted((case.bench.repository / "proofcheck" / "golden").glob("*.proof"))
        data = rng.choice([path for path in golden if path.stat().st_size < 3000]).read_bytes()
        files = [headers.mutate(rng, data) for _ in range(20 if case.bench.quick else 60)]
        self.judge(case, files, "headers", Verdict(data, True, "").header)

    def judge(self, case: Case, files: Sequence[bytes], what: str, believed: dict[str, Any] | None = None) -> None:
        """Both checkers agree on every file, and what they accept is true; `believed` is a header whose claims are known to be."""
        flaws = []
        for number, verdict in enumerate(self.verdicts(case, files)):
            case.counts[what] += 1
            case.counts[what + " proved"] += verdict.proved
            if verdict.proved != verdict.foreign:
                told = verdict.foreign_reason if verdict.proved else verdict.reason
                one, other = ("zermelo", "Python") if verdict.proved else ("Python", "zermelo")
                flaws.append(f"THE CHECKERS DISAGREE on {number}.proof: {one} proves it, {other} says {told!r}")
            if verdict.proved or verdict.foreign:
                try:
                    header = verdict.header
                    flaw = None if believed and same_claims(header, believed) else false_claim(header)
                except Unfit:
                    case.counts[what + " not judged"] += 1
                    continue
                except Exception as error:  # whatever an accepted file may hold
                    flaw = f"a header that says nothing ({error!r})"
                if flaw:
                    flaws.append(f"FALSE CLAIM PROVED, {number}.proof: {flaw}")
        if flaws:
            flaws.sort(key=lambda flaw: not flaw.startswith("FALSE"))
            raise Found(flaws[0] + (f" (and {len(flaws) - 1} more like it)" if len(flaws) > 1 else ""))

    def verdicts(self, case: Case, files: Sequence[bytes], foreign: bool = True) -> list[Verdict]:
        names = [case.file(f"{number}.proof", data) for number, data in enumerate(files)]
        outcome = case.zermelo("check", "--json", "--memory", "64M", *names, codes=(0, 3, 4, 5))
        case.commands.append(f"python3 {case.bench.checker} " + " ".join(map(str, names)))
        told = [json.loads(line) for line in outcome.text.splitlines()]
        if len(told) != len(files):
            raise Found(f"{len(files)} files, and {len(told)} verdicts: {outcome.errors[-300:]!r}")
        if (outcome.code == 0) != all(entry["proved"] for entry in told):
            raise Found(f"exit code {outcome.code} does not fit the verdicts")
        found = []
        for data, entry in zip(files, told):
            verdict = Verdict(data, entry["proved"], str(entry["refusal"]))
            if foreign:
                report = checker().check(data)
                verdict.foreign, verdict.foreign_reason = report.verdict == "proved", report.verdict
            found.append(verdict)
        return found


@dataclass
class Verdict:
    """What both checkers say of a file."""

    data: bytes
    proved: bool
    reason: str
    foreign: bool = False
    foreign_reason: str = ""

    @property
    def header(self) -> dict[str, Any]:
        length = int.from_bytes(self.data[12:16], "little")
        header = json.loads(self.data[48 : 48 + length])
        assert isinstance(header, dict)
        return header


def bounds(header: dict[str, Any]) -> tuple[int | None, int | None]:
    """What the claims say together."""
    claims = {claim["claimant"]: int(claim["value"]) for claim in header["claims"]}
    return claims.get("first"), claims.get("second")


def same_claims(header: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(header[name] == other[name] for name in ("game", "position")) and bounds(header) == bounds(other)


def false_claim(header: dict[str, Any]) -> str | None:
    """What is false of a file that was accepted; None if all its claims are true."""
    value = truth(header["game"], header["position"])
    low, high = bounds(header)
    if (low is None or low <= value) and (high is None or value <= high):
        return None
    return f"claims {low}..{high} of {header['position']!r} in {header['game'][:200]!r}, which is worth {value}"


def truth(game: str, position: str) -> int:
    """The value of a position by the oracle."""
    if game.startswith("go "):
        go = Go(game)
        state = go.parse(position)
        return superko_value(go, state, {*go.line_of(state), go.game.board(state[0])}, 100_000)
    if game.startswith("graph "):
        graph, number = parse_graph(game)
        root = number[position]
        if graph.path_dependent:
            return value_on_path(graph, root, 100_000, graph.low, graph.high)
        return label(graph, root, 30_000).value[0]
    rules = Checked(game)
    return label(rules, rules.parse(position), 30_000).value[0]


ATTACK = Certificates()
