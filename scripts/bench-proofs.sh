#!/usr/bin/env bash
# Certificates: solves boards, writes their proofs, checks them, and prints a table: what solving, writing and
# checking cost in user CPU seconds, and how large the files are.
#
#   scripts/bench-proofs.sh                            the rows of BENCHMARKS.md
#   scripts/bench-proofs.sh "connect4 6x7" ...         other boards
#   OUT=folder scripts/bench-proofs.sh ...             keeps the files there
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -eq 0 ]; then
  set -- "atarigo 5x5" "atarigo 6x5" "nogo 7x3" "nogo 5x4" "breakthrough 5x5" "breakthrough 4x5 misere" \
    "knightthrough 6x6" "domineering 6x6" "domineering 7x7" "domineering 6x6 misere" "clobber 5x4" "connect4 4x6" "connect4 5x6" \
    "go 3x3" "go 4x3"
fi
cargo build --release --locked --quiet -p zermelo-cli
zermelo="${CARGO_TARGET_DIR:-target}/release/zermelo"
out="${OUT:-$(mktemp -d)}"
mkdir -p "$out"

echo "| board | value | solve s | nodes | write s | positions | bytes | a position | check s | positions/s |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for board in "$@"; do
  file="$out/${board// /-}.proof"
  # shellcheck disable=SC2086
  solved="$("$zermelo" solve $board --by alphabeta --memory 8G --json --force --proof "$file")"
  checked="$("$zermelo" check "$file" --memory 12G --json)"
  python3 - "$board" "$solved" "$checked" <<'PYTHON'
import json
import sys

board, solved, checked = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
assert checked["proved"], checked
proof = solved["proof"]
each = proof["bytes"] / proof["positions"]
rate = proof["positions"] / max(checked["cpu_seconds"], 1e-3)
print(
    f"| {board} | {solved['lo']} | {solved['cpu_seconds']:.2f} | {solved['nodes']:,} | {proof['cpu_seconds']:.2f} "
    f"| {proof['positions']:,} | {proof['bytes']:,} | {each:.2f} | {checked['cpu_seconds']:.2f} | {rate:,.0f} |",
    flush=True,
)
PYTHON
done
