"""Whether what the program says of a problem is so."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from mpmath import mp, mpf

from . import truth
from .generators import Problem
from .reader import Program, Unreadable, read
from .values import NoValue, Unknown

_NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_RIGHT = mpf(10) ** -13  # what differs by less needs no explanation
_DOUBLE = mpf(2) ** -1074


class Finding(NamedTuple):
    """What was asked of a record, what had to come, and what came."""

    what: str
    expected: str
    got: str


def shown(x: Any) -> str:
    return mp.nstr(x, 20) if not isinstance(x, float | int | str | None) else repr(x)


def number(found: float | str | None) -> float:
    return _NOT_FINITE[found] if isinstance(found, str) else math.nan if found is None else float(found)


def parsed(problem: Problem) -> Program | None:
    """The program of a problem, if this reader reads it."""
    try:
        return read(problem.text)
    except (Unreadable, RecursionError):
        return None


def kinds(record: dict[str, Any]) -> set[str]:
    return {note["kind"] for note in record.get("notes", [])}


def agrees(
    program: Program, output: int, at: truth.Point, true: Any, got: float, wrt: str | None = None, excused: bool = False
) -> bool:
    """Whether a double is what rounding allows it to be; what nothing is known of agrees."""
    if math.isfinite(got) and abs(mpf(got) - true) <= _RIGHT * abs(true) + 2 * _DOUBLE:
        return True
    try:
        size, extreme = truth.reach(program, output, at, wrt, true)
    except (Unknown, NoValue):
        return True
    if (extreme or size == mp.inf or excused) and (not math.isfinite(got) or (got == 0 and extreme)):
        return True
    if not math.isfinite(got):
        return abs(true) > mpf("1e307")
    return bool(abs(mpf(got) - true) <= size + 4 * _DOUBLE)


def evaluated(problem: Problem, record: dict[str, Any], mode: str = "both") -> Iterator[Finding]:
    """Value and gradient of a record of `eval` against the truth."""
    program = parsed(problem)
    if program is None:
        return
    if record["schema"] == "broken/1":
        yield Finding("the process", "an answer", record["why"])
        return
    at = problem.fractions
    if record["schema"] == "error/1":
        yield from refused(program, at, record)
        return
    for (_, output), told in zip(program.outputs, record["outputs"], strict=False):
        yield from _output(program, output, at, told, record, mode)


def refused(program: Program, at: truth.Point, record: dict[str, Any]) -> Iterator[Finding]:
    """An error must be one of the mathematics, and it must be so."""
    if record["kind"] != "domain":
        yield Finding("the request", "an answer", f"{record['kind']}: {record['title']}")
        return
    if "too" in record["title"] or "long" in record["title"]:
        return
    found = []
    for _, output in program.outputs:
        try:
            with truth.limited():
                found.append(truth.value(program, output, at))
                size, extreme = truth.reach(program, output, at)
        except (NoValue, Unknown):
            return
        if extreme or size == mp.inf:
            return
    yield Finding("the value", shown(found[0]), f"error: {record['title']} ({record.get('label')})")


def _output(
    program: Program, output: int, at: truth.Point, told: dict[str, Any], record: dict[str, Any], mode: str,
) -> Iterator[Finding]:  # fmt: skip
    got = number(told["value"])
    notes = kinds(record)
    try:
        with truth.limited():
            true = truth.value(program, output, at)
            if not agrees(program, output, at, true, got):
                yield Finding("the value", shown(true), repr(got))
                return
    except NoValue:
        if math.isfinite(got) and not _fragile(program, output, at):
            yield Finding("the value", "none: outside the domain", repr(got))
        return
    except Unknown:
        return
    if not math.isfinite(got) and not notes:
        yield Finding("notes", "a note on a value that is not finite", repr(got))
    for name, slope in told.get("gradient", {}).items():
        if name in at:
            yield from _slope(program, output, at, name, number(slope), notes)


def _slope(program: Program, output: int, at: truth.Point, name: str, got: float, notes: set[str]) -> Iterator[Finding]:
    if name not in program.inputs:
        if got != 0:
            yield Finding(f"the slope by {name}", "0", repr(got))
        return
    try:
        with truth.limited():
            true = truth.slope(program, output, at, name)
            if true.smooth and not agrees(
                program, output, at, true.right, got, name, bool({"infinite", "overflow"} & notes)
            ):
                yield Finding(f"the slope by {name}", shown(true.right), repr(got))
    except (Unknown, NoValue):
        return


def _fragile(program: Program, output: int, at: truth.Point) -> bool:
    """Whether a small change somewhere on the way gives a value after all."""
    for slot in range(len(program.nodes)):
        for factor in (1 + mpf(2) ** -48, 1 - mpf(2) ** -48):
            with mp.workdps(60):
                try:
                    here = truth.at_digits(at)
                    truth.run(
                        program,
                        output,
                        here,
                        lambda s, v, slot=slot, f=factor: v * f if s == slot and not isinstance(v, bool) else v,
                    )
                except NoValue:
                    continue
                except Unknown:
                    return True
                return True
    return False


def inside(bounds: list[str], true: Any, unseen: Any = 0) -> bool:
    """Whether decimal bounds hold a number."""
    low, high = (
        mpf(x) if not x.lstrip("+-").lower().startswith(("inf", "nan")) else mpf(x.lower().replace("infinity", "inf"))
        for x in bounds
    )
    slack = mpf(10) ** -38 * abs(true) + unseen
    return bool(low - slack <= true <= high + slack)


def certified(problem: Problem, record: dict[str, Any]) -> Iterator[Finding]:
    """Bounds that are called certain hold the truth, and none is given for a slope that there is not."""
    program = parsed(problem)
    if program is None or record["schema"] != "trace/1":
        if record["schema"] == "broken/1":
            yield Finding("the process", "an answer", record["why"])
        return
    at: dict[str, Fraction] = problem.fractions
    for (_, output), told in zip(program.outputs, record["outputs"], strict=False):
        bounds = told.get("certified") or {}
        try:
            with truth.limited(), mp.workdps(60):
                if bounds.get("value") is not None:
                    try:
                        true = truth.value(program, output, at)
                    except NoValue:
                        yield Finding("the certified value", "none: outside the domain", str(bounds["value"]))
                        return
                    if not inside(bounds["value"], true):
                        yield Finding("the certified value", mp.nstr(true, 40), str(bounds["value"]))
                for name, slope in (bounds.get("gradient") or {}).items():
                    if isinstance(slope, list) and name in program.inputs:
                        yield from _certified_slope(program, output, at, name, slope)
        except Unknown:
            continue


def _certified_slope(program: Program, output: int, at: truth.Point, name: str, bounds: list[str]) -> Iterator[Finding]:
    true = truth.slope(program, output, at, name)
    if true.smooth:
        if not inside(bounds, true.right, true.unseen):
            yield Finding(f"the certified slope by {name}", mp.nstr(true.right, 40), str(bounds))
    elif (
        true.left is not None
        and true.right is not None
        and not (inside(bounds, true.left) and inside(bounds, true.right))
    ):
        yield Finding(
            f"the certified slope by {name}",
            f"none: {shown(true.left)} from the left, {shown(true.right)} from the right",
            str(bounds),
        )
