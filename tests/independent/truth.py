"""What is true of a program at a point: its value to many digits, its slopes from either side by differences.

Every number is computed twice, with other steps and other digits, and is told only if both agree.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from types import FrameType
from typing import Any, NamedTuple

from mpmath import mp, mpf

from .reader import Program
from .values import NoValue, Unknown, apply

Point = Mapping[str, Fraction]
_LEVELS = ((30, 46), (120, 190), (400, 600))  # decimal places of the steps of two computations that must agree
_DIGITS = ((60, 100), (200, 340), (700, 1000))
_LAST = mpf(2) ** -1073
_HUGE, _TINY = mpf(10) ** 305, mpf(10) ** -300
SECONDS = 2  # that one question may take


class Slope(NamedTuple):
    """The slope from the left and from the right; None where it is infinite or not known."""

    left: Any
    right: Any
    unseen: Any = mpf(0)  # what is smaller is not seen

    @property
    def smooth(self) -> bool:
        """Whether there is one slope."""
        known = self.left is not None and self.right is not None
        return known and (close(self.left, self.right, 15) or abs(self.left - self.right) <= 2 * self.unseen)


def number(text: Fraction) -> Any:
    """A fraction at the digits in force."""
    return mpf(text.numerator) / text.denominator


def close(a: Any, b: Any, digits: int) -> bool:
    """Whether two numbers share so many digits."""
    return bool(abs(a - b) <= mpf(10) ** -digits * max(abs(a), abs(b)))


@contextmanager
def limited(seconds: int = SECONDS) -> Iterator[None]:
    """Whatever takes longer is unknown."""

    def late(number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code.co_name == "gc_callback":  # what is raised there is lost
            signal.alarm(1)
        else:
            raise Unknown

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def run(
    program: Program, output: int, at: Mapping[str, Any], change: Callable[[int, Any], Any] | None = None,
    edge: Callable[[int, int, Any], Any] | None = None,
) -> tuple[Any, dict[int, Any]]:  # fmt: skip
    """The output's value and that of every node on the way; what is not chosen is not computed.

    `change` may alter the value of a node, `edge` that of one argument of one node.
    """
    values: dict[int, Any] = {}
    nodes = program.nodes

    def node(slot: int) -> Any:
        if slot in values:
            return values[slot]
        name, arguments, given = nodes[slot]

        def argument(k: int) -> Any:
            x = node(arguments[k])
            return x if edge is None else edge(slot, k, x)

        if name == "number":
            value = number(given)  # type: ignore[arg-type]
        elif name == "input":
            value = at[given]  # type: ignore[index]
        elif name == "constant":
            value = {"pi": +mp.pi, "e": +mp.e, "tau": 2 * mp.pi}[given]  # type: ignore[index]
        elif name == "if":
            value = argument(1) if node(arguments[0]) else argument(2)
        elif name in ("and", "or"):
            first = node(arguments[0])
            value = node(arguments[1]) if bool(first) == (name == "and") else first
        else:
            value = apply(name, [argument(k) for k in range(len(arguments))])
        if change is not None:
            value = change(slot, value)
        values[slot] = value
        return value

    return node(output), values


def at_digits(at: Point) -> dict[str, Any]:
    """A point at the digits in force."""
    return {name: number(x) for name, x in at.items()}


def sizes(program: Program, output: int, at: Point) -> list[Any]:
    """The size of every number on the way, roughly."""
    with mp.workdps(40):
        values = run(program, output, at_digits(at))[1].values()
        return [abs(x) for x in values if not isinstance(x, bool)]


def room(program: Program, output: int, at: Point) -> int:
    """The digits that the largest number on the way has before its point."""
    largest = max(sizes(program, output, at))
    return max(0, int(mp.log10(largest))) if 1 < largest < mp.inf else 0


def value(program: Program, output: int, at: Point) -> Any:
    """The value to forty digits and more.  Raises NoValue outside the domain, Unknown where two ways differ."""
    try:
        more = room(program, output, at)
    except NoValue:
        more = 0
    if more > 2000:
        raise Unknown
    for pair in _DIGITS:
        found = []
        for digits in pair:
            with mp.workdps(digits + more):
                try:
                    result, nodes = run(program, output, at_digits(at))
                except NoValue:
                    found.append((None, mpf(0)))
                    continue
                found.append((result, max(abs(v) for v in nodes.values() if not isinstance(v, bool))))
        (a, _), (b, size) = found
        if a is None and b is None:
            raise NoValue
        if a is None or b is None:
            continue
        if close(a, b, 40):
            return b
        if abs(b) <= mpf(10) ** (-pair[1] - more + 15) * size:
            return mpf(0)
    raise Unknown


def _step(x: Fraction, places: int) -> tuple[Any, int]:
    """A step at x, and the digits that differences with it need."""
    size = min(Fraction(1), abs(x)) if x else Fraction(1)
    exponent = mp.floor(mp.log10(number(size)))
    reach = places - int(exponent) + (int(mp.log10(number(abs(x)))) if abs(x) > 1 else 0)
    if reach > 1800:
        raise Unknown
    return mpf(10) ** (int(exponent) - places), 60 + 2 * reach + (int(abs(exponent)) if exponent < -20 else 0)


def _one_sided(program: Program, output: int, at: Point, wrt: str, side: int) -> tuple[Any, Any]:
    """The slope on one side, and below what size it could not be seen."""
    large = room(program, output, at)
    for pair, more in [(pair, more) for pair in _LEVELS for more in (0, 800)]:
        found = []
        for places in pair:
            h, digits = _step(at[wrt], places)
            with mp.workdps(digits + more + large):
                here = at_digits(at)
                f = [run(program, output, here | {wrt: here[wrt] + side * k * h})[0] for k in range(3)]
                noise = mpf(10) ** (5 - digits - more) / h
                found.append((side * (4 * f[1] - 3 * f[0] - f[2]) / (2 * h), noise))
        (a, _), (b, noise) = found
        with mp.workdps(60):
            if abs(b) < noise * mpf(10) ** 20:
                if more:
                    return b, noise * mpf(10) ** 20
                continue  # a constant, or a slope too small for these digits
            if close(a, b, 18):
                return b, mpf(0)
            if abs(b) < abs(a) * mpf(10) ** -6:
                return mpf(0), mpf(0)
    return None, mpf(0)


def slope(program: Program, output: int, at: Point, wrt: str) -> Slope:
    """Slopes from both sides by differences of the second order; None where the domain ends."""
    sides = []
    for side in (-1, 1):
        try:
            sides.append(_one_sided(program, output, at, wrt, side))
        except (NoValue, Unknown):
            sides.append((None, mpf(0)))
    (left, a), (right, b) = sides
    return Slope(left, right, max(a, b))


def second(
    program: Program, output: int, at: Point, a: str, b: str, change: Callable[[int, Any], Any] | None = None
) -> Any:  # fmt: skip
    """The mixed second derivative by differences; Unknown where it is not the same in all four quarters."""
    large = room(program, output, at)
    for places in ((24, 36), (60, 90), (200, 290)):
        found, noise = [], mpf(0)
        for p in places:
            h, k = _step(at[a], p), _step(at[b], p)
            digits = h[1] + k[1] + large
            with mp.workdps(digits):
                here = at_digits(at)

                def f(i: int, j: int, here: dict[str, Any] = here, h: Any = h[0], k: Any = k[0]) -> Any:
                    moved = dict(here)
                    moved[a] += i * h
                    moved[b] += j * k
                    return run(program, output, moved, change)[0]

                if a == b:
                    # of the second order on either side
                    corners = [(2 * f(0, 0) - 5 * f(i, 0) + 4 * f(2 * i, 0) - f(3 * i, 0)) / h[0] ** 2 for i in (1, -1)]
                else:
                    corners = [
                        i * j * (f(i, j) - f(i, 0) - f(0, j) + f(0, 0)) / (h[0] * k[0])
                        for i in (1, -1)
                        for j in (1, -1)
                    ]
                found.append(corners)
                noise = mpf(10) ** (large + 10 - digits) / (h[0] * k[0])
        with mp.workdps(40):
            everything = [x for corners in found for x in corners]
            if all(close(x, y, 12) for x in everything for y in everything):
                mean = sum(found[1]) / len(found[1])
                if abs(mean) > noise:
                    return mean
                continue  # too small for these digits, or nothing
            if all(abs(y) < max(abs(x) * mpf(10) ** -6, noise) for x, y in zip(*found, strict=True)) and noise < 1e-290:
                return mpf(0)
    raise Unknown


def rounding_of_second(program: Program, output: int, at: Point, a: str, b: str) -> Any:
    """What a change of eight units in the last place of each operation may do to a second derivative."""
    total = mpf(0)
    with mp.workdps(60):
        straight = second(program, output, at, a, b)
        for slot, x in run(program, output, at_digits(at))[1].items():
            if not isinstance(x, bool):
                bent = second(
                    program, output, at, a, b, lambda s, v, slot=slot: v * (1 + mpf(2) ** -49) if s == slot else v
                )
                total += abs(bent - straight)
    return total


def coefficients(program: Program, output: int, at: Point, wrt: str, order: int) -> list[tuple[Any, Any]]:
    """Derivatives 0 … order along one input, by central differences, and below what size each could not be seen."""
    found: list[list[Any]] = []
    noise: list[Any] = []
    large = room(program, output, at)
    for places in (20, 30):
        h, digits = _step(at[wrt], places)
        digits += 2 * order * places + large
        with mp.workdps(digits):
            here = at_digits(at)
            one = []
            for n in range(order + 1):
                g = [run(program, output, here | {wrt: here[wrt] + (2 * j - n) * h})[0] for j in range(n + 1)]
                one.append(sum((-1) ** (n - j) * mp.binomial(n, j) * g[j] for j in range(n + 1)) / (2 * h) ** n)
            found.append(one)
            noise = [mpf(10) ** (large + 10 - digits) / h**n for n in range(order + 1)]
    derivatives = []
    with mp.workdps(40):
        for a, b, least in zip(*found, noise, strict=True):
            if close(a, b, 12) and abs(b) > least:
                derivatives.append((b, mpf(0)))
            elif abs(b) < max(abs(a) * mpf(10) ** -6, least):
                derivatives.append((mpf(0), least))
            else:
                raise Unknown
    return derivatives


class Reach(NamedTuple):
    """How far rounding may move a result: eight units in the last place at every operation, one after the other."""

    size: Any
    extreme: bool  # whether a number on the way leaves the range of doubles


def _moved(x: Any) -> list[Any]:
    moved = [x * (1 + mpf(2) ** -49), x * (1 - mpf(2) ** -49)]
    if 0 < abs(x) < mpf(10) ** -290:
        moved += [x + _LAST, x - _LAST] + ([mpf(0)] if abs(x) < _LAST else [])
    return moved


_STEPS = {"floor", "ceil", "round", "sign", "trunc", "heaviside"}


def _jumped(program: Program, before: dict[int, Any], after: dict[int, Any]) -> bool:
    """Whether another branch, or another whole number, was taken."""
    for slot, x in before.items():
        if isinstance(x, bool) or program.nodes[slot].name in _STEPS:
            if after.get(slot) != x:
                return True
        elif program.nodes[slot].name == "mod":
            b = before[program.nodes[slot].arguments[1]]
            if slot not in after or abs(after[slot] - x) > abs(b) / 1000 or x == 0:
                return True
        elif program.nodes[slot].name == "fract" and (slot not in after or abs(after[slot] - x) > 0.001 or x == 0):
            return True
    return False


def reach(program: Program, output: int, at: Point, wrt: str | None = None, size: Any = 1) -> Reach:
    """The sum of what a change of one operation, or of one argument's tangent, does to the value or the slope.

    It is infinite where such a change has no value, takes another branch, or is out of proportion.
    """
    h, digits = (mpf(0), 60) if wrt is None else _step(at[wrt], 30)
    small = 0 if not size or abs(size) > 1 else -int(mp.log10(abs(size)))
    if small > 3000:
        raise Unknown
    with mp.workdps(digits + 80 + small + room(program, output, at)):
        here = at_digits(at)
        base = run(program, output, here)[1]

        def result(change: Any = None, edge: Any = None) -> tuple[Any, dict[int, Any]]:
            f, values = run(program, output, here, change)
            if wrt is None:
                return f, values
            return (run(program, output, here | {wrt: here[wrt] + h}, change, edge)[0] - f) / h, values

        first = result()[0]
        total = mpf(0)
        for slot, x in base.items():
            if isinstance(x, bool):
                continue
            for d in (y - x for y in _moved(x)):
                effects = []
                for part in (1, mpf(1) / 4, mpf(1) / 32):

                    def change(s: int, v: Any, slot: int = slot, d: Any = d * part, x: Any = x) -> Any:
                        return v + d * (v / x if x else 1) if s == slot else v

                    try:
                        moved, values = result(change)
                    except NoValue:
                        return Reach(mpf("inf"), False)
                    if _jumped(program, base, values):
                        return Reach(mpf("inf"), False)
                    effects.append(abs(moved - first))
                bent = any(abs(effects[0] - k * effects[j]) > effects[0] / 4 for j, k in ((1, 4), (2, 32)))
                if bent and effects[0] > abs(first) * mpf(10) ** -14:
                    return Reach(mpf("inf"), False)
                total += effects[0] / 2
            arguments = program.nodes[slot].arguments
            for k, argument in enumerate(arguments if wrt is not None and len(arguments) > 1 else ()):
                if isinstance(base.get(argument), bool | None):
                    continue

                def edge(s: int, j: int, v: Any, slot: int = slot, k: int = k, still: Any = base[argument]) -> Any:
                    return v + (v - still) * mpf(2) ** -49 if (s, j) == (slot, k) else v

                total += abs(result(None, edge)[0] - first)
        seen = [abs(x) for x in base.values() if not isinstance(x, bool)]
        extreme = any(x > _HUGE or 0 < x < _TINY for x in seen) or (wrt is not None and 0 < abs(first) < _TINY)
        return Reach(total, extreme)
