"""`python -m tests.benchmarks [SUITE …]`: measures; all suites together write the tables in the manual."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
from pathlib import Path

from .suites import SUITES, Line

HERE = Path(__file__).resolve().parent
PAGE = HERE.parent.parent / "adcli" / "manual" / "speed.md"
_MARKED = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- end of measured -->)", re.DOTALL)


def shown(figure: float) -> str:
    """A figure to three digits."""
    return f"{figure:,.0f}" if abs(figure) >= 100 else f"{figure:.3g}"


def table(lines: list[Line], date: str, machine: str) -> str:
    """The lines as tables of the manual: those in `_HEADS` in wide ones, all others one below the other."""
    alone = [line for line in lines if not line[0].startswith(tuple(_HEADS))]
    rows = "".join(f"| {what} | {_with_unit(figure, unit)} |\n" for what, figure, unit in alone)
    wide = "\n".join(filter(None, (_wide(lines, start, head) for start, head in _HEADS.items())))
    return f"Measured on {date}, {machine}.\n\n| what | figure |\n|---|---|\n{rows}\n{wide}"


# How lines begin that have a table with a row for each subject, and what its subjects are.
_HEADS = {
    "50 expressions, ": "adcli's engines, times faster over 50 expressions than",
    "Python, ": "Python function",
}


def _with_unit(figure: float, unit: str) -> str:
    return f"{shown(figure)} {unit}".rstrip()


def _wide(lines: list[Line], start: str, head: str) -> str:
    """A row for each subject, as `SUBJECT: MEASURE` says after the start: a column for each measure."""
    rows: dict[str, dict[str, str]] = {}
    for what, figure, unit in lines:
        if what.startswith(start):
            name, _, measure = what.removeprefix(start).partition(": ")
            rows.setdefault(name, {})[measure or "adcli"] = _with_unit(figure, unit)
    heads = list(dict.fromkeys(measure for cells in rows.values() for measure in cells))
    body = [[name, *(cells.get(measure, "") for measure in heads)] for name, cells in rows.items()]
    table = [[head, *heads], ["---"] * (len(heads) + 1), *body]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in table) if rows else ""


def main() -> None:
    """Runs the suites and writes down what they found."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(SUITES))
    chosen = parser.parse_args().suites or list(SUITES)
    date = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    machine = f"{os.cpu_count()} cores, {platform.python_implementation()} {platform.python_version()}"
    if hasattr(os, "getloadavg"):
        machine += f", {os.getloadavg()[0]:.1f} other processes running"
    lines: list[Line] = []
    for name in chosen:
        for line in SUITES[name]():
            lines.append(line)
            print(f"{line[0]}: {shown(line[1])} {line[2]}", flush=True)
    if chosen == list(SUITES):
        data = [{"what": what, "figure": figure, "unit": unit} for what, figure, unit in lines]
        found = {"date": date, "machine": machine, "lines": data}
        (HERE / "results.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(_MARKED.sub(lambda _: table(lines, date, machine), text), encoding="utf-8")


if __name__ == "__main__":
    main()
