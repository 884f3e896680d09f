"""`python -m tests.benchmarks [SUITE …]`: measures, and writes what the suites found into the tables of the manual."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

from .suites import SUITES, Line

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "adcli" / "manual" / "speed.md"
RESULTS = HERE / "results.json"
_MARKED = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- end of measured -->)", re.DOTALL)


class Measured(TypedDict):
    """What a suite found, and when and where."""

    date: str
    machine: str
    lines: list[Line]


def shown(figure: float) -> str:
    """A figure to three digits."""
    return f"{figure:,.0f}" if abs(figure) >= 100 else f"{figure:.3g}"


def page(found: Mapping[str, Measured]) -> str:
    """What the suites found last, as tables of the manual: lines that begin as in `_WIDE` have tables of their own."""
    days: dict[tuple[str, str], list[str]] = {}
    for name in SUITES:
        if name in found:
            days.setdefault((found[name]["date"], found[name]["machine"]), []).append(name)
    said = "\n".join(f"Measured on {date}: {', '.join(names)} ({machine})." for (date, machine), names in days.items())
    lines: list[Line] = [tuple(line) for name in SUITES if name in found for line in found[name]["lines"]]
    alone = [line for line in lines if not line[0].startswith(tuple(_WIDE))]
    rows = "".join(f"| {what} | {_with_unit(figure, unit)} |\n" for what, figure, unit in alone)
    wide = "\n".join(filter(None, (_wide(lines, start, *head) for start, head in _WIDE.items())))
    return f"{said}\n\n| what | figure |\n|---|---|\n{rows}\n{wide}"


# How lines begin that have a table of their own, what its subjects are called, and whether they are its columns.
_WIDE = {
    "one graph, ": ("one graph", False),
    "many points, ": ("many points", True),
    "50 expressions, ": ("adcli's engines, times faster over 50 expressions than", False),
    "Python, ": ("Python function", False),
}


def _with_unit(figure: float, unit: str) -> str:
    return f"{shown(figure)} {unit}".rstrip()


def _wide(lines: list[Line], start: str, head: str, across: bool) -> str:
    """A row for each subject and a column for each measure of lines `START SUBJECT: MEASURE`, or the other way."""
    cells: dict[str, dict[str, str]] = {}
    measures: dict[str, None] = {}
    for what, figure, unit in lines:
        if what.startswith(start):
            subject, _, measure = what.removeprefix(start).partition(": ")
            cells.setdefault(subject, {})[measure or "adcli"] = _with_unit(figure, unit)
            measures[measure or "adcli"] = None
    if across:
        rows = [[head, *cells], *[[m, *[cells[subject].get(m, "") for subject in cells]] for m in measures]]
    else:
        rows = [
            [head, *measures],
            *[[subject, *[found.get(m, "") for m in measures]] for subject, found in cells.items()],
        ]
    rows.insert(1, ["---"] * len(rows[0]))
    return "".join(f"| {' | '.join(row)} |\n" for row in rows) if cells else ""


def main() -> None:
    """Runs the suites and writes down what they found."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(SUITES))
    chosen = parser.parse_args().suites or list(SUITES)
    date = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    machine = f"{os.cpu_count()} cores, {platform.python_implementation()} {platform.python_version()}"
    if hasattr(os, "getloadavg"):
        machine += f", on average {os.getloadavg()[0]:.1f} other processes were running"
    found: dict[str, Measured] = json.loads(RESULTS.read_text(encoding="utf-8"))
    for name in chosen:
        lines: list[Line] = []
        for line in SUITES[name]():
            lines.append(line)
            print(f"{line[0]}: {shown(line[1])} {line[2]}", flush=True)
        found[name] = {"date": date, "machine": machine, "lines": lines}
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(_MARKED.sub(lambda _: page(found), PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
