#!/usr/bin/env bash
# Connect Four from the empty board, one thread, no opening book: BitBully (from PyPI, by name) against
# zermelo, measured one after the other on this machine in user CPU seconds.
#
# BitBully is asked twice: for its exact score (who wins and in how many moves), which is what it is
# built for, and only whether the first player wins (a window of one), which is the question that
# zermelo answers first. The ratio of the second is the fair one; both are printed.
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

cargo build --release --locked --quiet -p zermelo
zermelo="${CARGO_TARGET_DIR:-target}/release/zermelo"

venv="${TMPDIR:-/tmp}/zermelo-bench-bitbully"
if ! "$venv/bin/python" -c 'import bitbully' 2>/dev/null; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet bitbully
fi

ours="$("$zermelo" solve connect4 --threads 1 --json)"
# shellcheck disable=SC2086
"$venv/bin/python" - "$ours" $questions <<'PYTHON'
import json
import resource
import sys
from importlib.metadata import version

from bitbully import bitbully_core as core

ours = json.loads(sys.argv[1].strip().splitlines()[-1])
cpu = float(ours["cpu_seconds"])
print(f"zermelo             {cpu:9.2f} s  {ours['nodes']:>13,} nodes", flush=True)


def bitbully(question):
    solver, board = core.BitBullyCore(), core.BoardCore()
    assert not solver.isBookLoaded()
    start = resource.getrusage(resource.RUSAGE_SELF).ru_utime
    score = solver.mtdf(board, 0) if question == "exact" else solver.negamax(board, 0, 1, 0)
    seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime - start
    assert score > 0, "the first player wins"
    return seconds, solver.getNodeCounter()


for question in sys.argv[2:]:
    seconds, nodes = bitbully(question)
    name = f"bitbully {version('bitbully')} {question}"
    ratio = seconds / cpu
    print(f"{name:20}{seconds:9.2f} s  {nodes:>13,} nodes  {ratio:6.1f} times zermelo", flush=True)
PYTHON
