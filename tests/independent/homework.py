"""Families for marking: answers worked out here, with and without a slip, and bytes that are no answer at all."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zipfile
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

from mpmath import mp, mpf

from . import generators as make
from . import truth
from .generators import Problem
from .process import Adcli, Fault, command
from .reader import Program, read
from .values import NoValue, Unknown

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"}
_WORKED = (
    "sin", "cos", "exp", "log", "sqrt", "tanh", "atan", "sigmoid", "sinh", "cosh", "log1p", "expm1", "erf", "asinh",
    "tan", "softplus",
)  # fmt: skip


class Row(NamedTuple):
    """One row of an answer: what it names, its formula, its number."""

    name: str
    formula: str
    number: Any


def problem(rng: Random) -> Problem:
    """Something that students are asked."""
    names = ("x1", "x2", "x3")[: rng.choice((1, 2, 2, 3))]

    def text(depth: int) -> str:
        if depth == 0:
            return rng.choice((*names, *names, *names, "2", "3"))
        kind = rng.random()
        if kind < 0.6:
            return f"{make.wrapped(text(depth - 1))}{rng.choice('+-**/')}{make.wrapped(text(depth - 1))}"
        if kind < 0.7:
            return f"{make.wrapped(text(depth - 1))}^{rng.choice(('2', '3'))}"
        return f"{rng.choice(_WORKED)}({text(depth - 1)})"

    return Problem(text(rng.choice((2, 2, 3))), {name: f"{rng.randint(2, 40) / 10:g}" for name in names})


def worked(p: Problem, program: Program, mode: str) -> list[Row] | None:
    """The rows of the problem with their true numbers; None where some number says too little."""
    output = program.outputs[0][1]
    names = {}
    rows: list[Row] = []
    adjoints: list[Row] = []
    with mp.workdps(60):
        here = truth.at_digits(p.fractions)
        _, values = truth.run(program, output, here)
        h = mpf(10) ** -20
        for slot, (name, arguments, given) in enumerate(program.nodes):
            if name == "number":
                names[slot] = f"{float(given):g}"  # type: ignore[arg-type]
            elif name == "input":
                names[slot] = str(given)
            else:
                names[slot] = f"v{len(rows) + 1}"
                operands = [names[k] for k in arguments]
                formula = (
                    _SIGNS[name].join(operands)
                    if name in _SIGNS
                    else f"-{operands[0]}"
                    if name == "neg"
                    else f"{name}({', '.join(operands)})"
                )
                rows.append(Row(names[slot], formula, values[slot]))
            if name == "number":
                continue
            moved = [
                truth.run(program, output, here, lambda s, v, slot=slot, d=d: v + d if s == slot else v)[0]
                for d in (h, -h)
            ]
            adjoints.insert(0, Row(f"{names[slot]}bar", "", (moved[0] - moved[1]) / (2 * h)))
        if (
            len(rows) < 2
            or any(not mpf("0.02") < abs(r.number) < 5000 for r in rows)
            or any(abs(r.number) > 5000 or 0 < abs(r.number) < 0.02 for r in adjoints)
        ):
            return None
        if any(name not in program.inputs for name in p.at):
            return None
        tangents = []
        if mode == "forward":
            wrt = sorted(p.at)[0]
            for slot, name in names.items():
                if program.nodes[slot].name in ("number", "input"):
                    continue
                moved = [truth.run(program, output, here | {wrt: here[wrt] + d})[1].get(slot) for d in (h, -h)]
                tangents.append(Row(f"{name}dot", "", (moved[0] - moved[1]) / (2 * h)))
            if any(abs(r.number) > 5000 or 0 < abs(r.number) < 0.02 for r in tangents):
                return None
    return rows + {"value": [], "reverse": adjoints, "forward": tangents}[mode]


def shown(x: Any) -> str:
    """A number as students write it, five decimals."""
    text = mp.nstr(mp.nint(x * 10**5) / 10**5, 12, min_fixed=-30, max_fixed=30)
    return text.removesuffix(".0")


def lines(rows: list[Row]) -> list[str]:
    return [
        f"{r.name} = {r.formula} = {shown(r.number)}" if r.formula else f"{r.name} = {shown(r.number)}" for r in rows
    ]


def _constant_part(program: Program) -> bool:
    """Whether some step needs no input."""
    fixed: list[bool] = []
    for name, arguments, _ in program.nodes:
        fixed.append(name != "input" and all(fixed[k] for k in arguments))
    return any(fixed[k] and node.arguments for k, node in enumerate(program.nodes))


def _asked(rng: Random, constant: bool = False) -> tuple[Problem, str, list[Row]]:
    while True:
        p, mode = problem(rng), rng.choice(("value", "forward", "reverse", "reverse"))
        if _constant_part(read(p.text)) != constant:
            continue
        try:
            with truth.limited():
                rows = worked(p, read(p.text), mode)
        except (NoValue, Unknown, ZeroDivisionError):
            continue
        if rows:
            return p, mode, rows


def answers(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """A right answer is right; one wrong number is the first error, on its line; noise is not right."""
    yield from _marked(adcli, rng, 6, constant=False)


def constant_parts(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """The same where a step needs no input, as 2^3 in 2^3*x, and has a row all the same."""
    yield from _marked(adcli, rng, 3, constant=True)


def _marked(adcli: Adcli, rng: Random, count: int, *, constant: bool) -> Iterator[Fault]:
    for _ in range(count):
        p, mode, rows = _asked(rng, constant)
        wrt = ["--wrt", sorted(p.at)[0]] if mode == "forward" else []
        text, form = _formed(rng, rows)
        argv = ["check", "-", "--problem", p.line, "--mode", mode, *wrt, "--format", "json"]
        yield from _verdict(adcli, argv, text, "right", None)
        k = rng.randrange(len(rows))
        wrong = list(rows)
        wrong[k] = rows[k]._replace(number=_slipped(rng, rows[k].number))
        yield from _verdict(adcli, argv, "\n".join(lines(wrong)) + "\n", "wrong", k + 1)
        if form == "text" and rng.random() < 0.3:
            noise = "".join(rng.choice("abcxyz0123456789=+-*/ \n.") for _ in range(rng.randrange(200)))
            answer = adcli(*argv, stdin=noise)
            if why := answer.broken((1, 4)):
                yield Fault(command(*argv, stdin=noise), "no right answer", why)


def _formed(rng: Random, rows: list[Row]) -> tuple[str, str]:
    """The rows as text, CSV, Markdown or JSON."""
    form = rng.choice(("text", "text", "csv", "markdown"))
    if form == "text":
        return "\n".join(lines(rows)) + "\n", form
    table = [("name", "formula", "value"), *((r.name, r.formula, shown(r.number)) for r in rows)]
    if form == "csv":
        out = io.StringIO()
        csv.writer(out).writerows(table)
        return out.getvalue(), form
    head, *body = (f"| {' | '.join(cells)} |" for cells in table)
    return "\n".join((head, "|---|---|---|", *body)) + "\n", form


def _slipped(rng: Random, x: Any) -> Any:
    """Another number, and none that the right one is rounded to: 3 is its own third and two, 4 is 3.5 rounded."""
    found = (x * mpf("1.37") + 1, -x if abs(x) > 0.1 else x + 1, x + mpf("0.55"), x * 2 if x else x + 1, x / 3 + 2)
    return rng.choice([other for other in found if abs(other - x) > mpf("0.01")])


def _verdict(adcli: Adcli, argv: list[str], text: str, verdict: str, line: int | None) -> Iterator[Fault]:
    answer = adcli(*argv, stdin=text)
    asked = command(*argv, stdin=text)
    if why := answer.broken((0, 1, 2, 4)):
        yield Fault(asked, f"the verdict {verdict}", why)
        return
    try:
        told = json.loads(answer.out)
    except ValueError:
        yield Fault(asked, f"the verdict {verdict}", (answer.out + answer.err).decode()[:300])
        return
    first = (told.get("first_error") or {}).get("line")
    if (told["verdict"], first) != (verdict, line) or answer.code != (0 if verdict == "right" else 1):
        said = [
            f"{r['line']} {r['row']} {r['verdict']} {r.get('feedback', '')}"
            for r in told["rows"]
            if r["verdict"] not in ("correct", "superseded")
        ]
        yield Fault(
            asked, f"{verdict}, first error {line}", f"{told['verdict']}, first error {first}; {'; '.join(said)[:300]}"
        )


def mutated(rng: Random, data: bytes) -> bytes:
    """The bytes with a few of them changed, left out, doubled, or the whole cut."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 30))):
        if not out:
            break
        at = rng.randrange(len(out))
        kind = rng.randrange(6)
        if kind == 0:
            out[at] = rng.randrange(256)
        elif kind == 1:
            del out[at : at + rng.choice((1, 1, 8))]
        elif kind == 2:
            out[at:at] = rng.choice(
                (
                    b"\x00",
                    b"\xff\xfe",
                    b"=",
                    b"\xe2\x80\xae",
                    b"1e999",
                    b"{",
                    b"\n",
                    b"|",
                    b"\\frac{",
                    b"[" * 50,
                    b"9" * 400,
                )
            )
        elif kind == 3:
            out[at:at] = out[at : at + rng.randrange(60)]
        elif kind == 4:
            out = out[: at + 1] if rng.random() < 0.3 else out
        else:
            out[at] ^= 1 << rng.randrange(8)
    return bytes(out)


def answer_bytes(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """Answers in every form that is read, with bytes changed: a verdict or a message, whatever comes."""
    p, *_ = _asked(rng)
    forms = {}
    for form in ("text", "markdown", "csv", "latex", "json", "ipynb", "xlsx"):
        made = adcli("template", p.line, "--formulas", "--format", form, "-o", f"form.{form}")
        if made.code == 0:
            forms[form] = (adcli.here / f"form.{form}").read_bytes()
    for style in ("json", "latex", "csv", "html", "markdown", "plain"):
        forms[f"trace.{style}"] = adcli("eval", p.line, "--format", style).out
    suffixes = {"text": "txt", "markdown": "md", "latex": "tex", "plain": "txt"}
    for n in range(10):
        form = rng.choice(list(forms))
        data = forms[form]
        kind = form.rpartition(".")[2]
        data = _inside_zip(rng, data) if kind == "xlsx" and rng.random() < 0.6 else mutated(rng, data)
        if rng.random() < 0.1:
            data = gzip.compress(data)
        name = f"answer{n}.{suffixes.get(kind, kind)}"
        adcli.keep(name, data)
        argv = ["check", name, "--problem", p.line, "--format", rng.choice(("json", "plain", "html", "markdown"))]
        if why := adcli(*argv).broken((0, 1, 2, 4)):
            yield Fault(f"printf %s {data.hex()} | xxd -r -p > {name}; {command(*argv)}", "a verdict or a message", why)


def _inside_zip(rng: Random, data: bytes) -> bytes:
    """The archive with one of its members changed, so that it still opens."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        chosen = rng.choice(old.namelist())
        for name in old.namelist():
            member = old.read(name)
            new.writestr(name, mutated(rng, member) if name == chosen else member)
    return out.getvalue()


def grades(adcli: Adcli, rng: Random) -> Iterator[Fault]:
    """A class: every right answer is full marks, every slip is less, and whatever cannot be read stops nobody."""
    made = adcli(
        "new", "--seed", str(rng.randrange(10**6)), "--level", str(rng.randint(1, 5)), "-o", "hw", "--mode", "reverse"
    )
    if why := made.broken():
        yield Fault(command("new"), "a homework", why)
        return
    key = (adcli.here / "hw" / "key.toml").read_text("utf-8")
    found = [line.partition("=")[2].strip().strip("\"'") for line in key.splitlines() if line.startswith("text =")]
    expected: dict[str, str] = {}
    folder = f"class{rng.randrange(10**6)}"
    p, *_ = found or [""]
    text, _, point = p.partition("@")
    solved: list[Row] | None = None
    if p and len(found) == 1 and ";" not in text:
        at = dict(pair.strip().split("=") for pair in point.split(","))
        try:
            program = read(text.strip())
            solved = worked(Problem(text.strip(), at), program, "reverse")
        except (ValueError, NoValue, Unknown):
            solved = None
    for n in range(6):
        if solved and n < 4:
            rows = list(solved)
            if n % 2:
                k = rng.randrange(len(rows))
                rows[k] = rows[k]._replace(number=_slipped(rng, rows[k].number))
            data = ("\n".join(lines(rows)) + "\n").encode()
            expected[f"student{n}"] = "less" if n % 2 else "full"
        else:
            data = mutated(rng, b"v1 = x1*x2 = 3\nv1bar = 2\n" * rng.randrange(1, 30))
        adcli.keep(
            f"{folder}/student{n}.{'txt' if n < 4 else rng.choice(('txt', 'xlsx', 'ipynb', 'json', 'zip', 'pdf'))}",
            data,
        )
    argv = ["grade", folder, "--key", "hw/key.toml", "-o", f"grades-{folder}", "--workers", "1"]
    answer = adcli(*argv, seconds=90)
    asked = f"{command(*argv)}   # after adcli new, with the answers of this round"
    if why := answer.broken((0, 1, 2, 4)):
        yield Fault(asked, "a gradebook", why)
        return
    table = list(csv.DictReader(io.StringIO((adcli.here / f"grades-{folder}" / "grades.csv").read_text("utf-8-sig"))))
    for row in table:
        student = next((str(v) for v in row.values() if v in expected), None)
        if student is None:
            continue
        marks = "full" if _full(row) else "less"
        if marks != expected[student]:
            data = (adcli.here / folder / f"{student}.txt").read_text("utf-8")
            yield Fault(f"{asked}: {p!r} answered by {data!r}", expected[student], str(row))


def _full(row: dict[str, str]) -> bool:
    low = {k.lower(): v for k, v in row.items() if k}
    earned = next((v for k, v in low.items() if k in ("earned", "score", "points", "total")), "")
    possible = next((v for k, v in low.items() if k in ("possible", "out of", "max", "of")), "")
    try:
        return Fraction(earned) == Fraction(possible)
    except (ValueError, ZeroDivisionError):
        return False
