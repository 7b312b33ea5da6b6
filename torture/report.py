"""The report of a run, in Markdown."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torture.findings import one_line
from torture.schedule import Journal


@dataclass(frozen=True)
class About:
    """What the report says at its top."""

    version: str
    commit: str
    date: str
    seed: str
    finished: bool
    notes: tuple[str, ...] = ()


def write(journal: Journal, about: About, out: Path) -> str:
    """Writes `report.md` and returns it."""
    seconds = sum(done.seconds for done in journal.slices)
    lines = [
        "# Torture report",
        "",
        f"- program: {about.version}" + (f", commit {about.commit}" if about.commit else ""),
        f"- date: {about.date}",
        f"- seed: {about.seed}",
        f"- took: {span(seconds)} of attacks" + ("" if about.finished else ", stopped before its end"),
        *(f"- {note}" for note in about.notes),
        "",
        "| attack | cases | time | findings | counts |",
        "|---|--:|--:|--:|---|",
    ]
    names = list(dict.fromkeys(done.attack for done in journal.slices))
    findings: list[str] = []
    for name in names:
        slices = [done for done in journal.slices if done.attack == name]
        counts: Counter[str] = sum((done.counts for done in slices), Counter())
        found = list(dict.fromkeys(finding for done in slices for finding in done.findings))
        findings += found
        told = ", ".join(f"{what} {count:,}" for what, count in sorted(counts.items()))
        cases, time = sum(done.next - done.first for done in slices), sum(done.seconds for done in slices)
        lines.append(f"| {name} | {cases:,} | {span(time)} | {len(found)} | {told} |")
    lines += ["", "## Findings", ""]
    if not findings:
        lines.append("None.")
    for alike in groups(findings, out):
        finding, entry = alike[0]
        lines += [
            f"### {finding}" + (f" and {len(alike) - 1:,} like it" if len(alike) > 1 else ""),
            "",
            one_line(entry["what"]),
            "",
            f"- last command: `{one_line((entry['last_command'] or '-')[:1000])}`",
            f"- the case again: `{entry['again']}`",
            f"- files and commands: `{out / finding}`",
        ]
        if len(alike) > 1:
            lines.append("- also: " + ", ".join(name.removeprefix("findings/") for name, _ in alike[1:20]))
        lines.append("")
    text = "\n".join(lines).rstrip() + "\n"
    (out / "report.md").write_text(text, encoding="utf-8")
    return text


def groups(findings: list[str], out: Path) -> list[list[tuple[str, dict[str, Any]]]]:
    """Findings of one attack that differ in numbers and quoted words only stand together."""
    found: dict[tuple[str, str], list[tuple[str, dict[str, Any]]]] = {}
    for finding in findings:
        entry = json.loads((out / finding / "finding.json").read_text())
        kind = re.sub(r"'[^']*'|\"[^\"]*\"|-?\d+", "#", entry["what"])[:50]
        found.setdefault((entry["attack"], kind), []).append((finding, entry))
    return list(found.values())


def span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
