"""Proofs in pieces: kills at random times and at every write, disks that fail, damaged pages of the SQLite file.

Whatever happened to a store, the same command comes to the right value or refuses with an error; `store check` notices what is wrong, or
nothing is; and a certificate that comes out of it is checked by both checkers. Kills at every write need the library of
`crates/zermelo-cli/tests/hostile/faults.c`, which is compiled with cc.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
from pathlib import Path

from torture.attacks.certificates import Verdict, bounds
from torture.case import Bench, Case, Found, Unfit, once, one_object
from torture.rules.checked import Checked, checker
from torture.rules.graphs import Graph
from torture.rules.small import Problem, manager_problem

LIBRARY = Path("crates/zermelo-cli/tests/hostile/faults.c")


class Stores:
    name = "stores"
    quick_cases = 24

    def case(self, case: Case) -> None:
        rng = case.rng
        problem = manager_problem(rng, 1000 if case.bench.quick else 3000)
        words = ["prove", problem.game, "--position", problem.position, "--store", "store", "--json", "--time", "60s"]
        words += ["--nodes-per-job", str(rng.choice([1, 3, 10, 40, 200])), "--memory-per-job", "16M"]
        words += [
            "--by",
            rng.choice(["auto", "dfpn", "pns", "minimax", "alphabeta"]),
            "--threads",
            rng.choice(["1", "2"]),
        ]
        (self.killed, self.faults, self.faults, self.damaged, self.damaged, self.edited)[case.number % 6](
            case, problem, words
        )

    def killed(self, case: Case, problem: Problem, words: list[str]) -> None:
        """SIGKILL at random times, then to the end."""
        for _ in range(case.rng.randint(1, 5)):
            case.zermelo(*words, kill_after=case.rng.choice([0.005, 0.02, 0.06, 0.2]) * case.rng.random() * 2)
            case.counts["kills"] += 1
        self.finish(case, problem, words, must=True)

    def faults(self, case: Case, problem: Problem, words: list[str]) -> None:
        """The n-th write (or sync, rename, ...) kills the process, is torn, or fails."""
        library = faults_library(case.bench)
        how = case.rng.choice(["kill", "kill", "torn", "full", "once"])
        for _ in range(2 if case.bench.quick else 5):
            nth = case.rng.choice([case.rng.randint(1, 12), case.rng.randint(1, 60), case.rng.randint(1, 300)])
            outcome = case.zermelo(
                *words,
                environment={"LD_PRELOAD": str(library), "ZERMELO_FAULT": f"{how}:{nth}"},
                may_die=how in ("kill", "torn"),
            )
            case.counts[f"{how} at a write"] += 1
            if outcome.code == 0:
                self.judge(problem, outcome.text, outcome.code)
        # A disk that was full or failed once may leave a store that is refused, a kill may not.
        self.finish(case, problem, words, must=True)

    def damaged(self, case: Case, problem: Problem, words: list[str]) -> None:
        """Bytes and pages of the file; a write-ahead log of another time."""
        rng = case.rng
        case.zermelo(*words, kill_after=rng.choice([None, 0.03, 0.08]))
        place = case.folder / "store" / "proof.sqlite"
        if not place.exists():
            raise Unfit("killed before there was a file")
        old = {path.name: path.read_bytes() for path in place.parent.iterdir()}
        if rng.random() < 0.3:
            case.zermelo(*words, kill_after=rng.choice([None, 0.05]))
        what = "; ".join(damage(rng, place, old) for _ in range(rng.choice([1, 1, 2])))
        case.commands.append(f": damage: {what}")
        case.counts["damaged stores"] += 1
        self.finish(case, problem, words, must=False)

    def edited(self, case: Case, problem: Problem, words: list[str]) -> None:
        """Rows changed by somebody who can write SQL but no checksums."""
        rng = case.rng
        case.zermelo(*words, kill_after=rng.choice([None, None, 0.05]))
        place = case.folder / "store" / "proof.sqlite"
        if not place.exists():
            raise Unfit("killed before there was a file")
        edit = rng.choice(EDITS)
        edit = edit.replace("$V", str(rng.choice([-2, -1, 0, 1, 2, 99]))).replace("$N", str(rng.randrange(40)))
        case.commands.append(f'sqlite3 store/proof.sqlite "{edit}"')
        try:
            with sqlite3.connect(place, timeout=5) as base:
                base.execute(edit)
            base.close()
        except sqlite3.Error as error:
            raise Unfit(str(error)) from error
        case.counts["edited stores"] += 1
        noticed = case.zermelo("store", "store", "check").code != 0
        case.counts["edits that store check notices"] += noticed
        try:
            self.finish(case, problem, words, must=False)
        except Found as found:
            if noticed and str(found).startswith("WRONG VALUE"):
                case.counts["edits that are noticed and give a wrong value"] += 1
            else:
                raise

    def finish(self, case: Case, problem: Problem, words: list[str], must: bool) -> None:
        """The same command again; `must`: it has to come to the value."""
        checked = case.zermelo("store", "store", "check", "--json")
        if must and checked.code not in (0, 1):  # 1: there may be no store yet
            raise Found(f"an honest store is refused by store check: {checked.text[:300]} {checked.errors[:300]}")
        outcome = case.zermelo(*words)
        if outcome.code == 0 or (outcome.code == 3 and outcome.out):
            self.judge(problem, outcome.text, outcome.code)
        if outcome.code == 0:
            case.counts["proofs finished"] += 1
        elif must:
            raise Found(
                f"the same command does not come to the value: exit code {outcome.code}, {outcome.errors[-300:]!r}"
            )
        elif outcome.code in (1, 2, 4) and not outcome.err.strip():
            raise Found("refused without a word")
        for what in ("info", "export"):
            case.zermelo("store", "store", what)
        after = case.zermelo("store", "store", "check", "--json")
        if must and after.code != 0:
            raise Found(f"store check refuses an honest store: {after.text[:300]} {after.errors[:300]}")
        self.certificate(case, problem, must)

    def judge(self, problem: Problem, text: str, code: int) -> None:
        answer = one_object(text.encode())
        low, high = answer["lo"], answer["hi"]
        if not low <= problem.value <= high:
            raise Found(f"WRONG VALUE: {low}..{high} by prove, but it is {problem.value}")
        span = getattr(problem.rules, "low", -1), getattr(problem.rules, "high", 1)
        if code == 0 and low != high and answer["winner"] is None and span == (-1, 1):
            raise Found(f"exit code 0, but the value is left open: {low}..{high}")

    def certificate(self, case: Case, problem: Problem, must: bool) -> None:
        made = case.folder / "store.proof"
        made.unlink(missing_ok=True)
        outcome = case.zermelo(
            "certify", "--store", "store", "--proof", "store.proof", "--time", "20s", "--memory", "64M"
        )
        if outcome.code != 0 or not made.exists():
            if must and outcome.code != 3:
                raise Found(f"no certificate from an honest store: exit code {outcome.code}, {outcome.errors[-300:]!r}")
            return
        checked = case.zermelo("check", "store.proof", "--json", codes=(0, 4))
        if checked.code != 0:
            raise Found(f"certify wrote a certificate that is refused: {checked.text[:400]}")
        if isinstance(problem.rules, Checked | Graph) and checker().check(made.read_bytes()).verdict != "proved":
            raise Found("certify wrote a certificate that the Python checker refuses")
        header = Verdict(made.read_bytes(), True, "").header
        low, high = bounds(header)
        if header["position"] == problem.position and not (
            (low is None or low <= problem.value) and (high is None or problem.value <= high)
        ):
            raise Found(f"FALSE CLAIM: {low}..{high} in a certificate that is proved, but the value is {problem.value}")
        case.counts["certificates"] += 1


EDITS = [
    "UPDATE fact SET lo = $V", "UPDATE fact SET hi = $V WHERE id % 2 = 0", "UPDATE fact SET lo = $V, hi = $V WHERE id = $N",
    "UPDATE fact SET node = $N", "UPDATE fact SET node = (node + 1) % (SELECT count(*) FROM node)", "DELETE FROM fact WHERE id % 2 = 1",
    "DELETE FROM fact", "UPDATE node SET lo = $V", "UPDATE node SET hi = $V, lo = $V", "UPDATE node SET floor = $V",
    "UPDATE node SET position = 'x\x1b[31m' WHERE id = $N", "UPDATE node SET turn = 1 - turn", "UPDATE node SET marks = $N",
    "UPDATE node SET pn = $V, dn = $V", "UPDATE node SET score = 1000000000 * $V", "DELETE FROM node WHERE id = $N",
    "DELETE FROM edge WHERE ord = 0", "DELETE FROM edge WHERE ord > 0", "DELETE FROM edge", "UPDATE edge SET child = $N",
    "UPDATE edge SET child = parent WHERE parent = $N", "UPDATE edge SET move = 'zz'", "UPDATE meta SET value = '0' WHERE key = 'rules_version'",
    "UPDATE meta SET value = '-9 9' WHERE key = 'values'", "UPDATE meta SET value = 'tictactoe' WHERE key = 'game'", "DELETE FROM meta",
    "DELETE FROM root", "UPDATE root SET node = $N", "UPDATE root SET node = 99999", "INSERT INTO root VALUES(77, -5)",
    "INSERT INTO claim VALUES(0, 'zz', 0)", "UPDATE source SET name = char(27) || '[31m'", "DELETE FROM source",
    "UPDATE moment SET time = 'x'", "UPDATE moment SET nodes = -1, seconds = -1e300", "INSERT INTO prover VALUES(0, char(27), 1e300)",
    "DROP TABLE edge", "DROP TABLE moment", "DROP INDEX fact_node", "PRAGMA user_version = 99", "PRAGMA application_id = 1",
    "UPDATE node SET lo = 'text'", "UPDATE node SET position = x'ff00'", "UPDATE fact SET source = 99", "UPDATE node SET id = id + 1000000",
    "UPDATE fact SET lo = 9223372036854775807", "UPDATE node SET nodes = -9223372036854775808, micros = 9223372036854775807",
]  # fmt: skip


def damage(rng: random.Random, place: Path, old: dict[str, bytes]) -> str:
    """Does something to the file, or to the log beside it, and says what."""
    files = sorted(
        path
        for path in place.parent.iterdir()
        if path.is_file() and path.name.startswith("proof") and path.stat().st_size
    )
    path = rng.choice([place, *files])
    data = bytearray(path.read_bytes())
    kind = rng.randrange(9)
    if not data:
        kind = 7
    if kind < 3:
        for _ in range(rng.choice([1, 1, 5])):
            at = rng.choice([rng.randrange(len(data)), rng.randrange(min(100, len(data)))])
            data[at] ^= 1 << rng.randrange(8)
        what = f"bits around {at} of {path.name}"
    elif kind < 5:
        page = rng.randrange((len(data) + 4095) // 4096)
        filling = rng.choice([bytes(4096), rng.randbytes(4096)])
        data[4096 * page : 4096 * (page + 1)] = filling
        what = f"page {page} of {path.name} overwritten"
    elif kind == 5:
        size = rng.choice([rng.randrange(len(data)), len(data) // 4096 // 2 * 4096])
        del data[size:]
        what = f"{path.name} cut to {size}"
    elif kind == 6:
        pages = max(1, len(data) // 4096)
        one, other = rng.randrange(pages), rng.randrange(pages)
        data[4096 * one : 4096 * (one + 1)] = data[4096 * other : 4096 * (other + 1)]
        what = f"page {other} of {path.name} over page {one}"
    elif kind == 7:
        wal = place.with_name("proof.sqlite-wal")
        wal.write_bytes(old.get("proof.sqlite-wal") or rng.randbytes(9000))
        return "a write-ahead log of another time"
    else:
        for name in ("proof.sqlite-wal", "proof.sqlite-shm"):
            place.with_name(name).unlink(missing_ok=True)
        return "the write-ahead log removed"
    path.write_bytes(data)
    return what


def faults_library(bench: Bench) -> Path:
    """The library that fails on demand, compiled once in a run."""
    source = bench.repository / LIBRARY
    if not source.exists() or shutil.which("cc") is None:
        raise Unfit("no faults.c, or no cc")

    def compile_it(folder: Path) -> None:
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", folder / "faults.so", source, "-ldl"], check=True)

    return once(bench, "faults", compile_it) / "faults.so"


ATTACK = Stores()
