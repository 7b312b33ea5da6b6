#!/usr/bin/env bash
# Connect Four from the empty board, one thread, no opening book: BitBully (from PyPI, by name) against
# zermelo, measured one after the other on this machine in user CPU seconds.
#
# Both are asked twice: whether the first player wins (BitBully by a window of one), and in how many moves: its exact
# score, our --distance. The two must agree.
#
#   scripts/bench-connect4.sh            both questions (some ten minutes)
#   scripts/bench-connect4.sh --win      only "does the first player win?"
set -euo pipefail
cd "$(dirname "$0")/.."

questions="win exact"
case "${1:-}" in
  "") ;;
  --win) questions="win" ;;
  *) echo "usage: scripts/bench-connect4.sh [--win]" >&2; exit 2 ;;
esac

cargo build --release --locked --quiet -p zermelo-cli
zermelo="${CARGO_TARGET_DIR:-target}/release/zermelo"

venv="${TMPDIR:-/tmp}/zermelo-bench-bitbully"
if ! "$venv/bin/python" -c 'import bitbully' 2>/dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet bitbully
fi

# shellcheck disable=SC2086
"$venv/bin/python" - "$zermelo" $questions <<'PYTHON'
import json
import resource
import subprocess
import sys
from importlib.metadata import version

from bitbully import bitbully_core as core


def ours(question):
    command = [sys.argv[1], "solve", "connect4", "--threads", "1", "--json"]
    command += ["--distance"] if question == "exact" else []
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert found["winner"] == "first" and found.get("distance", 41) == 41, found
    return float(found["cpu_seconds"]), found["nodes"] + found.get("distance_nodes", 0)


def bitbully(question):
    solver, board = core.BitBullyCore(), core.BoardCore()
    assert not solver.isBookLoaded()
    start = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    score = solver.mtdf(board, 0) if question == "exact" else solver.negamax(board, 0, 1, 0)
    seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime - start
    # 22 less the stones that the winner puts: 21 of 41.
    assert score > 0 and (question == "win" or score == 1), score
    return seconds, solver.getNodeCounter()


for question in sys.argv[2:]:
    cpu, nodes = ours(question)
    print(f"{'zermelo ' + question:20}{cpu:9.2f} s  {nodes:>13,} nodes", flush=True)
    seconds, nodes = bitbully(question)
    name = f"bitbully {version('bitbully')} {question}"
    ratio = seconds / cpu
    print(f"{name:20}{seconds:9.2f} s  {nodes:>13,} nodes  {ratio:6.1f} times zermelo", flush=True)
PYTHON
