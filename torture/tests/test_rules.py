"""The oracle against itself and against what is known; certificates that the harness writes against the foreign checker."""

from __future__ import annotations

import random
import unittest
from pathlib import Path

from torture import certificate
from torture.case import Unfit
from torture.rules.checked import Checked, checker
from torture.rules.draughts import Checkers
from torture.rules.graphs import parse_graph, random_graph, value_on_path
from torture.rules.loa import LinesOfAction
from torture.rules.morris import MensMorris
from torture.rules.oracle import distances, label
from torture.rules.small import by_name, problem_of, start_text
from torture.rules.sowing import Awari, Kalah

GOLDEN = Path(__file__).resolve().parents[2] / "proofcheck" / "golden"


class Values(unittest.TestCase):
    def test_published_values(self) -> None:
        for name, value in {
            "tictactoe": 0,
            "domineering 4x4": 1,
            "nogo 3x3": 1,
            "clobber 1x5": -1,
            "clobber 3x3": 1,
        }.items():
            with self.subTest(name):
                rules = by_name(name)
                self.assertEqual(problem_of(rules, rules.parse(start_text(name)), 100_000).value, value)

    def test_three_mens_morris_is_won(self) -> None:
        self.assertEqual(label(MensMorris(3), MensMorris(3).start(), 20_000).value[0], 1)

    def test_graphs_where_play_comes_back(self) -> None:
        """Fixed points against a search that carries its line."""
        rng = random.Random(7)
        compared = 0
        for _ in range(300):
            graph = random_graph(rng, "cyclic", rng.choice([5, 8, 12]))
            if graph.path_dependent:
                continue
            try:
                value = value_on_path(graph, 0, 20_000, graph.low, graph.high)
            except Unfit:
                continue
            self.assertEqual(label(graph, 0, 100).value[0], value, graph.name)
            self.assertEqual(parse_graph(graph.name)[0], graph)
            compared += 1
        self.assertGreater(compared, 100)

    def test_texts_come_back(self) -> None:
        rng = random.Random(3)
        for rules in (
            Kalah(3, 2),
            Awari(3, 2),
            Checkers(6),
            LinesOfAction(4, 5),
            MensMorris(6),
            MensMorris(9, "nofly"),
        ):
            state = rules.start()
            for _ in range(60):
                self.assertEqual(rules.parse(rules.text(state)), state)
                if rules.value(state) is not None:
                    break
                state = rng.choice(rules.moves(state))[1]

    def test_distances(self) -> None:
        rules = Checked("tictactoe")
        labels = label(rules, rules.parse("oo./xx./... first"), 1000)
        self.assertEqual(distances(labels)[0], 1)
        labels = label(rules, rules.parse("o../xx./... second"), 1000)
        self.assertIsNone(distances(labels)[0])


class Certificates(unittest.TestCase):
    def test_golden_files_survive_reading_and_writing(self) -> None:
        for path in GOLDEN.glob("*.proof"):
            if path.stat().st_size < 3000:
                again = certificate.read(path.read_bytes()).to_bytes()
                self.assertEqual(checker().check(again).verdict, "proved", path.name)

    def test_an_honest_strategy_is_proved_and_a_false_one_is_not(self) -> None:
        rules = Checked("tictactoe")
        labels = label(rules, rules.parse(start_text("tictactoe")), 10_000)

        def choose(position: int, _: int) -> int:
            after = [labels.value[to] for to in labels.after[labels.index[position, 0]]]
            return after.index(max(after)) + 2

        answers = certificate.walk(rules, 0, [labels.states[0]], choose)
        honest = certificate.whole(rules, labels.states[0], 0, 0, answers)
        self.assertEqual(checker().check(honest.to_bytes()).verdict, "proved")
        honest.claims[0].value = 1
        self.assertNotEqual(checker().check(honest.to_bytes()).verdict, "proved")


if __name__ == "__main__":
    unittest.main()
