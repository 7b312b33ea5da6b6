#!/usr/bin/env python3
"""A prover for `zermelo prove tictactoe --prover "python3 examples/prover.py"`: see docs/prover.md.

It reads one job a line and answers with one line, by plain minimax with a memory. Three in a row win; a full
board is a draw. Positions look like `xo./.x./... second`.
"""

import functools
import json
import sys

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
visited = 0


@functools.lru_cache(maxsize=None)
def value(board, turn):
    """The value for the first player (x): 1, 0 or -1."""
    global visited
    visited += 1
    for a, b, c in LINES:
        if board[a] != "." and board[a] == board[b] == board[c]:
            return 1 if board[a] == "x" else -1
    if "." not in board:
        return 0
    mark, other = ("x", "second") if turn == "first" else ("o", "first")
    children = [
        value(board[:i] + mark + board[i + 1 :], other) for i in range(9) if board[i] == "."
    ]
    return max(children) if turn == "first" else min(children)


def answer(job):
    """The outcome of a job."""
    outcome = {"id": job["id"], "solver": "prover.py 1 minimax", "lo": job["lo"], "hi": job["hi"]}
    if job["game"] != "tictactoe":
        outcome["error"] = "this prover knows tictactoe, not " + job["game"]
        return outcome
    before = visited
    rows, turn = job["position"].rsplit(" ", 1)
    outcome["lo"] = outcome["hi"] = value(rows.replace("/", ""), turn)
    outcome["nodes"] = visited - before
    return outcome


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
