"""Endgame databases: true in every entry, and never wrong after damage.

A case takes a small database, which is built once in a run. Every third compares its entries with the oracle, position by position,
distances included. The others damage a copy: bytes, regions, lengths, whole files, files of other databases. Then `verify` must refuse it
unless its content is unaffected, and whatever `probe` and `solve --db` still say must be true.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from torture.case import Case, Found, Unfit, once
from torture.rules.base import Rules, State
from torture.rules.checked import Checked
from torture.rules.draughts import Checkers
from torture.rules.loa import LinesOfAction
from torture.rules.morris import MensMorris
from torture.rules.oracle import Labels, distances, label
from torture.rules.small import start_text
from torture.rules.sowing import Awari, Kalah

# Rules, and options of `build`.
BUILDS: list[tuple[Callable[[], Rules], list[str]]] = [
    (lambda: Kalah(2, 2), []), (lambda: Kalah(3, 1, "noempty"), []), (lambda: Kalah(2, 3), []), (lambda: Awari(2, 2), []),
    (lambda: Awari(2, 2, "noslam"), []), (lambda: Awari(3, 1), []), (lambda: Awari(2, 3), ["--pieces", "7"]),
    (lambda: MensMorris(3), []), (lambda: MensMorris(3, "fly"), ["--distance"]), (lambda: MensMorris(3), ["--distance"]),
    (lambda: Checkers(4), ["--pieces", "3"]), (lambda: Checkers(4), ["--pieces", "2", "--distance"]),
    (lambda: Checkers(4), ["--pieces", "3", "--distance"]), (lambda: Checked("connect4 3x4"), []), (lambda: Checked("connect4 4x3"), ["--distance"]),
    (lambda: LinesOfAction(3, 3), []), (lambda: LinesOfAction(3, 3), ["--distance"]), (lambda: Checked("nogo 2x3"), []),
    (lambda: Checked("mnk 3x3x3"), ["--distance"]), (lambda: Checked("clobber 2x4"), []), (lambda: Checked("breakthrough 5x2"), []),
    (lambda: Checked("atarigo 2x3"), ["--distance"]), (lambda: Checked("domineering 3x4 misere"), []),
]  # fmt: skip


class Databases:
    name = "databases"
    quick_cases = 45

    def case(self, case: Case) -> None:
        number = case.rng.randrange(len(BUILDS))
        rules = BUILDS[number][0]()
        shutil.copytree(self.built(case, number), case.folder / "db")
        if case.number % 3 == 0:
            self.entries(case, rules)
        else:
            # A neighbour in the list is often the same game by other rules, or with distances.
            self.damaged(case, rules, self.built(case, (number + 1) % len(BUILDS)))

    @staticmethod
    def built(case: Case, number: int) -> Path:
        """A database, made once in a run."""
        make, options = BUILDS[number]
        rules = make()
        name = f"db {rules.name} {' '.join(options)}".strip().replace(" ", "_")
        # Otherwise they are kept where they are cheap, as here.
        kind = [] if "--distance" in options else ["--plain"]
        case.commands.append(f"zermelo build '{rules.name}' {' '.join([*kind, *options])} --out {name}")

        def build(folder: Path) -> None:
            case.zermelo(
                "build", rules.name, *kind, *options, "--out", str(folder), "--memory", "64M", codes=(0,), seconds=300
            )

        return once(case.bench, name, build)

    def entries(self, case: Case, rules: Rules) -> None:
        """All that is in it is true."""
        case.zermelo("verify", "db", "--json", codes=(0,), seconds=300)
        labels = some_labels(case.rng, rules, 3000 if case.bench.quick else 12_000)
        sample = case.rng.sample(range(len(labels.states)), min(len(labels.states), 500 if case.bench.quick else 5000))
        plies = distances(labels)
        _, known = self.probe(case, rules, labels, sample, plies)
        case.counts["entries compared"] += len(known)

    def probe(
        self, case: Case, rules: Rules, labels: Labels, sample: list[int], plies: list[int | None] | None = None, game: str = ""
    ) -> tuple[str, dict[int, int]]:
        """Asks for many positions at once; finds wrong values. Returns the game of the database, and the values that are known.
        With `game`, the folder may have become a good database of another game (all its files were exchanged): nothing is known
        then, and the positions may make no sense there."""
        texts = [rules.text(labels.states[at]) for at in sample]
        case.file("batch.txt", "\n".join(texts) + "\n")
        outcome = case.zermelo("probe", "db", "--batch", "batch.txt", "--json", "--memory", "64M", codes=(0, 1, 2, 3, 4) if game else (0, 1, 3, 4))
        known: dict[int, int] = {}
        for at, text, line in zip(sample, texts, outcome.text.splitlines()):
            entry = json.loads(line)
            if game and entry["game"] != game:
                return entry["game"], {}
            game = entry["game"]
            value = labels.value[at]
            if entry["position"] != text:
                raise Found(f"asked for {text!r}, told of {entry['position']!r}")
            if not entry["lo"] <= value <= entry["hi"]:
                raise Found(f"WRONG VALUE in a database: {text!r} is {entry['lo']}..{entry['hi']}, but it is {value}")
            if entry["lo"] == entry["hi"]:
                known[at] = value
            if plies is not None and entry["distance"] is not None and entry["distance"] != plies[at]:
                raise Found(
                    f"WRONG DISTANCE: {text!r} is told to end in {entry['distance']} plies, but it does in {plies[at]}"
                )
        if outcome.code == 2:
            return "", {}
        if outcome.code == 0 and len(known) < len(sample):
            raise Found("exit code 0, but positions are not known")
        return game, known

    def damaged(self, case: Case, rules: Rules, other: Path) -> None:
        rng = case.rng
        labels = some_labels(rng, rules, 1500)
        sample = rng.sample(range(len(labels.states)), min(len(labels.states), 200))
        game, before = self.probe(case, rules, labels, sample)
        what = "; ".join(damage(rng, case.folder / "db", other) for _ in range(rng.choice([1, 1, 1, 3])))
        case.commands.append(f": damage: {what}")
        verified = case.zermelo("verify", "db", "--memory", "64M", codes=(0, 1, 4), seconds=300).code == 0
        found, known = self.probe(case, rules, labels, sample, game=game)
        case.counts["of them of another game"] += found != game and bool(known or verified)
        case.counts["damaged databases"] += 1
        case.counts["of them verified"] += verified
        if verified and found == game and (lost := [at for at in before if at not in known]):
            raise Found(f"VERIFIED, but {len(lost)} of {len(before)} positions are gone ({what})")
        root = rng.choice(sample)
        answer = case.json(
            "solve",
            rules.name,
            "--position",
            rules.text(labels.states[root]),
            "--db",
            "db",
            "--nodes",
            "50k",
            "--memory",
            "64M",
            "--json",
        )
        if answer is not None and not answer["lo"] <= labels.value[root] <= answer["hi"]:
            raise Found(
                f"WRONG VALUE by solve --db: {answer['lo']}..{answer['hi']}, but it is {labels.value[root]} ({what})"
            )


def some_labels(rng: random.Random, rules: Rules, most: int) -> Labels:
    """Values from the start, or from where random play has led; positions with few pieces, too."""
    start = rules.parse(start_text(rules.name)) if isinstance(rules, Checked) else rules.start()
    if isinstance(rules, Checkers) and rng.random() < 0.8:
        start = few_pieces(rng, rules)
    for _ in range(20):
        state: State = start
        for _ in range(rng.choice([0, 0, 2, 4, 8])):
            if rules.value(state) is None:
                state = rng.choice(rules.moves(state))[1]
        try:
            return label(rules, state, most)
        except Unfit:
            continue
    raise Unfit("too many positions")


def few_pieces(rng: random.Random, rules: Checkers) -> State:
    squares = rng.sample(sorted(rules.at), rng.choice([2, 2, 3]))
    last, size = len(rules.at), rules.size
    sides: list[list[int]] = [[], [], [], []]
    for number, square in enumerate(squares):
        side = number % 2
        crowned = square > last - size // 2 if side == 0 else square <= size // 2
        sides[2 * side + (1 if crowned or rng.random() < 0.5 else 0)].append(square)
    return (*map(frozenset, sides), rng.randrange(2))


def damage(rng: random.Random, folder: Path, stranger: Path) -> str:
    """Does something to the files of a folder, and says what."""
    files = sorted(path for path in folder.iterdir() if path.is_file())
    if not files:
        (folder / "0.slice").write_bytes(b"")
        return "an empty file in an empty folder"
    path = rng.choice(files)
    data = bytearray(path.read_bytes())
    kind = rng.randrange(12)
    if kind < 4 and data:
        at = rng.choice(
            [
                rng.randrange(len(data)),
                rng.randrange(min(len(data), 64)),
                rng.randrange(max(0, len(data) - 64), len(data)),
            ]
        )
        data[at] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        return f"a bit of byte {at} of {path.name}"
    if kind == 4 and data:
        at = rng.randrange(len(data))
        size = rng.choice([4, 64, 512])
        data[at : at + size] = bytes(len(data[at : at + size]))
        path.write_bytes(data)
        return f"zeros from {at} in {path.name}"
    if kind == 5:
        size = rng.randrange(len(data)) if data else 0
        path.write_bytes(data[:size])
        return f"{path.name} cut to {size}"
    if kind == 6:
        path.write_bytes(data + rng.randbytes(rng.choice([1, 8, 4096])))
        return f"{path.name} made longer"
    if kind == 7:
        path.unlink()
        return f"{path.name} removed"
    if kind == 8:
        other = rng.choice(files)
        mine, theirs = path.read_bytes(), other.read_bytes()
        path.write_bytes(theirs)
        other.write_bytes(mine)
        return f"{path.name} and {other.name} exchanged"
    if kind == 9 and len(files) > 1:  # the one file of a whole game would make it a database of that other game
        strangers = sorted(file for file in stranger.iterdir() if file.is_file())
        chosen = rng.choice([file for file in strangers if file.name == path.name] or strangers)
        path.write_bytes(chosen.read_bytes())
        return f"{path.name} replaced by {chosen.name} of {stranger.name}"
    if kind == 10:
        (folder / rng.choice(["copy.slice", "zz.slice", "all.positions", "manifest", "9-9.slice"])).write_bytes(data)
        return f"a copy of {path.name}"
    at, to = rng.randrange(len(data) or 1), rng.randrange(len(data) or 1)
    size = rng.choice([8, 32, 100])
    data[to : to + size] = data[at : at + size]
    path.write_bytes(data)
    return f"{size} bytes of {path.name} copied from {at} to {to}"


ATTACK = Databases()
