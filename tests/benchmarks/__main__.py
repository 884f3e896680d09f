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
    """The lines as a table of the manual; those about functions of Python as one with a row for each function."""
    rows = "".join(f"| {what} | {_with_unit(figure, unit)} |\n" for what, figure, unit in lines if not _of_python(what))
    return f"Measured on {date}, {machine}.\n\n| what | figure |\n|---|---|\n{rows}\n{_beside(lines)}"


def _of_python(what: str) -> bool:
    return what.startswith("Python, ")


def _with_unit(figure: float, unit: str) -> str:
    return f"{shown(figure)} {unit}".rstrip()


def _beside(lines: list[Line]) -> str:
    """A row for each function of Python: the time, and how many times the speed of each rival that is."""
    rows: dict[str, dict[str, str]] = {}
    for what, figure, unit in lines:
        if _of_python(what):
            name, _, measure = what.removeprefix("Python, ").partition(": ")
            rows.setdefault(name, {})[measure or "adcli"] = _with_unit(figure, unit)
    heads = list(dict.fromkeys(head for cells in rows.values() for head in cells))
    body = [[name, *(cells.get(head, "") for head in heads)] for name, cells in rows.items()]
    table = [["Python function", *heads], ["---"] * (len(heads) + 1), *body]
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
