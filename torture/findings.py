"""A finding: the case's files, what is wrong, and how to see it again."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

from torture.case import Case

MOST_KEPT = 64 << 20  # bytes of a file that is kept; larger ones are made again by the case


def keep(case: Case, what: str, out: Path, more: str = "") -> str:
    """Moves the case's folder below `findings`; returns its name. Written at once, as the next case may kill the machine."""
    name = f"findings/{case.attack}-{case.number}"
    place = out / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    shutil.copytree(case.folder, place / "files", symlinks=True, ignore=_too_large)
    again = (
        f"ZERMELO={shlex.quote(shlex.join(case.bench.zermelo))} "
        f"scripts/torture --seed {shlex.quote(case.bench.seed)} --case {case.attack}:{case.number}"
        + (" --quick" if case.bench.quick else "")
    )
    script = [
        "#!/usr/bin/env bash",
        f"# {one_line(what)}",
        "# These are the commands of the case, with the files as they were at its end; the whole case again, from the start:",
        f"#   {again}",
        'cd "$(dirname "$0")/files"',
        *case.commands,
    ]
    (place / "repeat.sh").write_text("\n".join(script) + "\n", encoding="utf-8", errors="surrogateescape")
    (place / "repeat.sh").chmod(0o755)
    about = {
        "attack": case.attack,
        "case": case.number,
        "seed": case.bench.seed,
        "what": what,
        "again": again,
        "last_command": case.commands[-1] if case.commands else None,
    }
    (place / "finding.json").write_text(json.dumps(about, indent=1) + "\n")
    if more:
        (place / "trace.txt").write_text(more)
    return name


def one_line(text: str) -> str:
    """For comments and tables: no line ends, nothing that a terminal acts on."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _too_large(folder: str, names: list[str]) -> list[str]:
    """What is not copied: huge files, and what is no file (a FIFO would block)."""

    def left_out(path: Path) -> bool:
        if path.is_symlink() or path.is_dir():
            return False
        return not path.is_file() or path.stat().st_size > MOST_KEPT

    return [name for name in names if left_out(Path(folder) / name)]
