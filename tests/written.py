"""Right answers in which any row may be written with constants, in every format, and the bytes of answers spoilt;
`python tests/written.py SEED SECONDS` looks for one that marking does not survive.
"""

from __future__ import annotations

import csv
import io
import json
import math
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from planting import Style, by_rule, shown
from running import Run, run

from adcli.answers.answer_model import BAR, DOT, VALUE, Task
from adcli.errors import AdcliError
from adcli.marking.judging.expected import ExpectedFormulas
from adcli.marking.programs.reference_traces import trace_worksheet
from adcli.marking.programs.resolving import Resolved
from adcli.marking.slips.catalogue import quantities
from adcli.marking.task import task_of

CONSTANTS = ("pi", "e", "tau", "2", "1/2", "sqrt(2)", "log(2)", "2*pi", "pi/4", "e^2", "-pi", "(-1)", "0", "1", "10^-3")
PROBLEMS = (
    "{a}*x", "{a}*x+{b}*y", "x/({a})", "sin({a}*x)", "{a}*x*y", "x^2*{a}", "({a})*x-{b}", "{a}+x", "exp(x)*{a}",
    "max(x,{a})", "abs({a}*x)", "({a})^2*x", "log(x+3)*{a}", "x", "{a}", "x*x", "a = {a}*x; a*a", "pi*x+e*y+tau*x*y",
    "({a})*x; ({b})*x", "{a}*{b}", "if(x>0,{a}*x,{b})", "hypot({a}*x,y)", "x+y", "-x",
    "{a}*(x-{b})", "-({a}*x)/({b}+3)",
)  # fmt: skip
PLACES = ("1", "2", "3", "-1", "1/2", "pi", "e", "0", "tau/4")

# What a number may be written as, by its value.
_FORMS: dict[float, tuple[str, ...]] = {
    math.pi: ("pi", "π", "1*pi", "pi*1", "pi^1", "tau/2", "2*pi/2", "acos(-1)", "-(-pi)", "+pi", "(pi)", "0+pi"),
    math.e: ("e", "exp(1)", "e^1", "1*e", "e*1", "(e)", "e*cos(0)"),
    math.tau: ("tau", "τ", "2*pi", "2π", "2 pi", "pi+pi", "pi*2"),
    2 * math.e: ("2*e", "e+e", "e*2"),
    math.pi / 2: ("pi/2", "tau/4", "0.5*pi", "π/2", "½π", "asin(1)"),
    math.pi / 4: ("pi/4", "atan(1)", "π/4"),
    -math.pi: ("-pi", "−π", "-1*pi", "(-1)*pi", "pi*(-1)"),
    math.pi**2: ("pi^2", "pi*pi", "π²", "pi**2"),
    math.e**2: ("e^2", "e*e", "exp(2)", "e²"),
    math.e * math.pi: ("pi*e", "e*pi", "π e"),
    math.log(2): ("log(2)", "ln 2", "ln(2)", "-ln(1/2)"),
    math.sqrt(2): ("sqrt(2)", "√2", "2^0.5", "2^(1/2)"),
    1 / math.pi: ("1/pi", "1/π", "pi^-1", "π^(-1)"),
    1 / math.e: ("1/e", "e^-1", "exp(-1)"),
    0.0: ("0", "sin(0)", "pi-pi", "0*pi", "ln(1)", "log(1)", "0*e", "-0", "sin(0)*e", "0.0", "0/3"),
    1.0: ("1", "cos(0)", "e^0", "pi/pi", "ln(e)", "log(e)", "pi^0", "sin(pi/2)", "1.0", "2-1", "+1", "3/3",
          "|-1|"),
    -1.0: ("-1", "cos(pi)", "-cos(0)", "−1", "-1.0", "-pi/pi"),
    2.0: ("2", "1+1", "2.0", "4/2", "sqrt(4)", "ln(e^2)"),
    0.5: ("1/2", "0.5", "½", "2^-1", "sin(pi/6)", ".5"),
}  # fmt: skip
_DOTS = ("{n}dot", "d{n}", "dot({n})", "{n}'", "{n}\u0307", "\\dot{{{n}}}")
_BARS = ("{n}bar", "bar({n})", "{n}\u0304", "\\bar{{{n}}}", "adj {n}")
_EQUALS = (" = ", "=", " := ", " ≈ ", " ~ ")


def problems(chance: random.Random) -> str:
    """A problem of functions of constants, at a point of constants, to be worked in one of the modes."""
    while True:
        text = chance.choice(PROBLEMS).format(a=chance.choice(CONSTANTS), b=chance.choice(CONSTANTS))
        point = ", ".join(f"{name}={chance.choice(PLACES)}" for name in "xy" if name in text.replace("exp", ""))
        if text.startswith("a =") and "x=0" in point:  # where all is 0, rows cannot be told apart by their numbers
            continue
        problem = f"{text} @ {point}" if point else text
        try:
            task_of(problem)
        except AdcliError:  # outside of a domain
            continue
        return problem


def worked(task: Task, mode: str, chance: random.Random) -> list[tuple[str, list[str]]]:
    """The rows of a right answer: a name, and what stands between its signs of equality."""
    sheet = trace_worksheet(task, "level")
    truth = sheet.truths()[0]
    formulas = ExpectedFormulas(sheet, truth)
    rows = []
    style = Style(chance.choice((4, 5, 6)), significant=chance.random() < 0.5)  # one throughout, as people have it
    dot, bar = chance.choice(_DOTS), chance.choice(_BARS)
    for kind, slot, key in quantities(sheet, task, mode):
        number = by_rule(sheet, kind, slot, key, truth.read)
        if not number.known:
            break
        spelt = "d{n}/d{k}" if kind == DOT and len(sheet.inputs) > 1 else {VALUE: "{n}", DOT: dot, BAR: bar}[kind]
        name = spelt.format(n=sheet.label(slot) or "y", k=key)
        pieces = []
        formula = formulas.formula(Resolved(kind, slot, key))
        if formula and chance.random() < 0.5:
            pieces.append(formula)
        forms = chance.sample(_forms(number.middle, style), k=chance.choice((0, 1, 1, 2)))
        pieces += forms
        if chance.random() < 0.7 or not forms:
            pieces.append(shown(number.middle, style))
        rows.append((name, pieces))
    return rows


def _forms(x: float, style: Style) -> list[str]:
    """The ways to write a number, itself twice among them so that there are enough."""
    found = [form for value, forms in _FORMS.items() if abs(value - x) <= 1e-9 * (1 + abs(x)) for form in forms]
    return [*found, shown(x, style), shown(x, style)]


# --- formats ----------------------------------------------------------------------------------------------------------


def _text(rows: Sequence[tuple[str, list[str]]], chance: random.Random) -> bytes:
    return "\n".join(
        name + "".join(chance.choice(_EQUALS) + piece for piece in pieces) for name, pieces in rows
    ).encode()


def _cells(rows: Sequence[tuple[str, list[str]]], chance: random.Random) -> list[list[str]]:
    return [[name, " = ".join(pieces[:-1]), pieces[-1]] for name, pieces in rows]


def _markdown(rows: Sequence[tuple[str, list[str]]], chance: random.Random) -> bytes:
    lines = ["| step | formula | value |", "|---|---|---|"]
    return "\n".join(
        [
            *lines,
            *("| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |" for cells in _cells(rows, chance)),
        ]
    ).encode()


def _separated(rows: Sequence[tuple[str, list[str]]], chance: random.Random) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=chance.choice(",;\t"))
    writer.writerows([["name", "formula", "value"], *_cells(rows, chance)])
    return out.getvalue().encode()


def _json(rows: Sequence[tuple[str, list[str]]], chance: random.Random) -> bytes:
    data = [{"name": n, "formula": f, "value": v} if f else {"name": n, "value": v} for n, f, v in _cells(rows, chance)]
    return json.dumps(data).encode()


def _latex(rows: Sequence[tuple[str, list[str]]], chance: random.Random) -> bytes:
    def tex(piece: str) -> str:
        return (
            piece.replace("pi", r"\pi ")
            .replace("tau", r"\tau ")
            .replace("*", r"\cdot ")
            .replace("sqrt(2)", r"\sqrt{2}")
        )

    lines = [f"{tex(n)} &= " + " = ".join(map(tex, pieces)) + r" \\" for n, pieces in rows]
    return "\n".join([r"\begin{align}", *lines, r"\end{align}"]).encode()


def _notebook(rows: Sequence[tuple[str, list[str]]], chance: random.Random) -> bytes:
    source = _text(rows, chance).decode().splitlines(keepends=True)
    cell = {"cell_type": "markdown", "metadata": {}, "source": source}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def _workbook(rows: Sequence[tuple[str, list[str]]], chance: random.Random) -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["name", "formula", "value"])
    for cells in _cells(rows, chance):
        book.active.append(cells)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


FORMATS = {
    "txt": _text, "md": _markdown, "csv": _separated, "json": _json, "tex": _latex, "ipynb": _notebook,
    "xlsx": _workbook,
}  # fmt: skip


def spoilt(data: bytes, chance: random.Random) -> bytes:
    """The bytes with a few of them dropped, doubled, exchanged, replaced, or moved."""
    signs = (
        b"=",
        b"|",
        b"\n",
        b"pi",
        b"e",
        b"0",
        b"-",
        b"(",
        b")",
        b"dot",
        b"bar",
        b"/",
        b"^",
        b"d",
        b"'",
        b",",
        b"\xcc\x87",
        b"x",
        b"v1",
        b"\\frac{",
        b"}",
        b"\x00",
        b"\xff",
        b"1e999",
        b"!",
        b" ",
        b"+=",
        b"[",
        b'"',
        b"inf",
        b"nan",
        b"i",
    )
    for _ in range(chance.randint(1, 4)):
        at, until = sorted((chance.randint(0, len(data)), chance.randint(0, len(data))))
        until = min(until, at + 8)
        way = chance.randrange(4)
        middle = (b"", data[at:until] * 2, chance.choice(signs), data[at:until][::-1])[way]
        data = data[:at] + middle + data[at if way == 2 and chance.random() < 0.5 else until :]
    return data


# --- marking ----------------------------------------------------------------------------------------------------------


def checked(problem: str, mode: str | None, suffix: str, data: bytes, chance: random.Random) -> Run:
    """What `adcli check` makes of the bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"answer.{suffix}"
        path.write_bytes(data)
        shown = chance.choice(("plain", "html", "json", "markdown"))
        return run("check", str(path), "--problem", problem, "--format", shown, "--disclose", "5",
                   *(("--mode", mode) if mode else ()))  # fmt: skip


def failed(done: Run) -> bool:
    """Whether the program has come to an end that it does not promise."""
    return done.code not in (0, 1, 3, 4) or "mistake" in done.err or "Traceback" in done.err


def cases(chance: random.Random) -> Iterator[tuple[str, str | None, str, bytes, bool]]:
    """Yield a problem, a mode or None, a suffix, the bytes of an answer, and whether it must be right; without end."""
    while True:
        problem = problems(chance)
        mode = chance.choice(("value", "forward", "reverse"))
        task = task_of(problem)
        rows = worked(task, mode, chance)
        if not rows or not any(task.program.graph.rows):  # a bare input has no row for its value
            continue
        suffix = chance.choice(tuple(FORMATS))
        data = FORMATS[suffix](rows, chance)
        given = mode if chance.random() < 0.5 else None
        yield problem, given, suffix, data, given is not None  # without a mode all derivatives are asked for
        if suffix != "xlsx":
            yield problem, given, suffix, spoilt(data, chance), False


def main(seed: int, seconds: float) -> None:
    """Looks for so long, and prints what fails."""
    chance, until, count, wrong = random.Random(seed), time.monotonic() + seconds, 0, 0  # noqa: S311 - no secret
    for problem, mode, suffix, data, whole in cases(chance):
        done = checked(problem, mode, suffix, data, chance)
        count += 1
        if failed(done):
            print("FAILED", done.code, problem, mode, suffix, data, done.err[-300:], sep="\n  ")
        elif whole and done.code:
            wrong += 1
            if "-v" in sys.argv:
                print("not right", problem, mode, suffix, data.decode(errors="replace") if suffix != "xlsx" else "")
                print(
                    run(
                        "check",
                        "-",
                        "--problem",
                        problem,
                        "--disclose",
                        "5",
                        *(("--mode", mode) if mode else ()),
                        stdin=data,
                    ).out
                )
        if time.monotonic() > until:
            break
    print(f"{count} answers, {wrong} of the unspoilt not right")


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
