"""External provers that lie, die, hang, flood and write escape sequences: `liar.py` has the list.

With an audit of all facts no lie becomes the value. Without one a lie may (what a prover says is a fact, and its name stands beside it), but
memory and time stay bounded, and nothing that it writes reaches the terminal as it is.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from torture.case import Case, Found, one_object
from torture.rules.checked import Checked
from torture.rules.small import manager_problem, start_text, walk

# All lies and failures; the slow ones are last, and rarer.
MODES = [
    "honest", "one", "zero", "minus", "sometimes", "rarely", "flatter", "range", "contradict", "id", "twice", "die", "exit", "escape", "garbage",
    "flood", "lines", "long", "stderr", "drip", "hangs", "moves", "many", "score", "unknown", "start", "silent", "deaf",
]  # fmt: skip
SECONDS = 4  # that a run is given


class Provers:
    name = "provers"
    quick_cases = len(MODES)

    def case(self, case: Case) -> None:
        rng = case.rng
        mode = MODES[case.number % len(MODES)]
        if rng.random() < 0.4:  # a game without knowledge, whose every value has to be asked for
            rules = Checked("tictactoe")
            problem = walk(rng, rules, rules.parse(start_text("tictactoe")), 6000)
        else:
            problem = manager_problem(rng, 500 if case.bench.quick else 2000)
        labels = problem.labels
        assert labels is not None
        truth = {problem.rules.text(state): labels.value[at] for at, state in enumerate(labels.states)}
        case.file("truth.json", json.dumps(truth))
        shutil.copy(Path(__file__).with_name("liar.py"), case.folder / "liar.py")
        audited = rng.random() < 0.6
        seconds = 1 if case.bench.quick and mode not in ("honest", "sometimes", "rarely") else SECONDS
        words = [
            "prove",
            problem.game,
            "--position",
            problem.position,
            "--store",
            "store",
            "--prover",
            f"{sys.executable} liar.py {mode} truth.json",
        ]
        words += ["--time", f"{seconds}s", "--time-per-job", "200ms", "--threads", rng.choice(["1", "2"])]
        words += ["--audit", "100%"] if audited else []
        words += ["--json"] if rng.random() < 0.7 else []
        outcome = case.zermelo(*words, seconds=90, memory=400 << 20)
        case.counts["audited runs" if audited else "runs without an audit"] += 1
        if len(outcome.err) > 200_000:
            raise Found(f"{len(outcome.err):,} bytes of messages")
        if "--json" in words and outcome.out:
            answer = one_object(outcome.out)
            case.counts["jobs"] += answer["jobs"]
            case.counts["runs with jobs"] += answer["jobs"] > 0
            right = answer["lo"] <= problem.value <= answer["hi"]
            if not right and (audited or mode in ("honest", "hangs", "unknown")):
                raise Found(
                    f"WRONG VALUE after {'an audit of everything' if audited else 'no lie'}: {answer['lo']}..{answer['hi']}, but it is {problem.value}"
                )
            case.counts["lies believed without an audit"] += not right
            if mode == "honest" and not audited and (outcome.code != 0 or answer["lo"] != answer["hi"]):
                raise Found(f"an honest prover, and exit code {outcome.code}: {outcome.errors[-300:]!r}")
        if mode == "start" and outcome.err.count(b"\n") > 200:
            raise Found(f"{outcome.err.count(10)} lines about a prover that does not start")
        case.zermelo("store", "store", "info")
        if audited and outcome.code == 0:
            made = case.zermelo(
                "certify", "--store", "store", "--proof", "made.proof", "--time", "20s", "--memory", "64M"
            )
            if made.code == 0:
                case.zermelo("check", "made.proof", codes=(0,))
                case.counts["certificates"] += 1


ATTACK = Provers()
