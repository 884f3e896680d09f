"""A program cut into its smooth pieces around a point: every kink that it meets decided every way.

A piece is followed to first order: its value at the point and its gradient there.  Where the sign that decides a kink
is not told by the value, both ways are followed, and the gradient of what decides says in which directions from the
point they can lie.  More pieces may be followed than there are: what holds for all of them holds for the function.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

from ..calculus.algebra import Float
from ..calculus.decided import Decided
from ..calculus.formal import Real, Unknown
from ..calculus.primitive import ROWS, Primitive
from ..calculus.reals import Reals

SMOOTH, LIPSCHITZ, CONTINUOUS = range(3)  # how much is known of a number around the point

Slopes = dict[int, Real]


class Constraint(NamedTuple):
    """The directions d of a piece: sign · slopes · d is not negative, or it is 0 where the sign is."""

    slopes: Slopes
    sign: int


class Form:
    """A number around the point: its value there and its gradient, by input.

    `rough` says whether there is none: it is then bounded by the distance times a number, or continuous alone.
    `origin` is another form, an exponent and a sign, where the number is that power of it.
    `analytic` says that the form is right up to the square of the distance, `affine` that it is all there is.
    """

    __slots__ = ("affine", "analytic", "m", "origin", "rough", "slopes", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, m: Forms, value: Real, slopes: Slopes, rough: int = SMOOTH, *, analytic: bool = True, affine: bool = False
    ) -> None:
        self.m = m
        self.value = value
        self.slopes = {} if rough else {k: c for k, c in slopes.items() if c.terms}
        self.rough = rough
        self.analytic = analytic and not rough
        self.affine = affine and not rough
        self.origin: tuple[Form, Fraction, int] | None = None

    def known(self) -> Form:
        """Itself; raises Unknown or Outside where there is no number."""
        return self

    @property
    def constant(self) -> bool:
        return self.affine and not self.slopes

    def __bool__(self) -> bool:
        return self.m.side(self, ties=True) != 0

    def __add__(self, other: Any) -> Form:
        other = self.m.number(other)
        slopes = dict(self.slopes)
        for k, c in other.slopes.items():
            slopes[k] = slopes[k] + c if k in slopes else c
        return Form(
            self.m, self.value + other.value, slopes, max(self.rough, other.rough),
            analytic=self.analytic and other.analytic, affine=self.affine and other.affine,
        )  # fmt: skip

    __radd__ = __add__

    def __neg__(self) -> Form:
        slopes = {k: -c for k, c in self.slopes.items()}
        found = Form(self.m, -self.value, slopes, self.rough, analytic=self.analytic, affine=self.affine)
        if self.origin is not None:
            found.origin = (*self.origin[:2], -self.origin[2])
        return found

    def __sub__(self, other: Any) -> Form:
        return self + -self.m.number(other)

    def __rsub__(self, other: Any) -> Form:
        return self.m.number(other) - self

    def __mul__(self, other: Any) -> Form:
        """What is 0 at the point makes of a continuous factor its value there, to first order."""
        other = self.m.number(other)
        for sign, mate in ((self, other), (other, self)):
            if mate.origin is not None and sign.constant and abs(sign.value.fraction or 0) == 1:
                return mate if sign.value.fraction == 1 else -mate
        slopes = {k: c * other.value for k, c in self.slopes.items()}
        for k, c in other.slopes.items():
            slopes[k] = slopes[k] + c * self.value if k in slopes else c * self.value
        rough = max(
            self.rough if other.value.terms else SMOOTH,
            other.rough if self.value.terms else SMOOTH,
            CONTINUOUS if self.rough == other.rough == CONTINUOUS else SMOOTH,
        )
        return Form(
            self.m, self.value * other.value, slopes, rough, analytic=self.analytic and other.analytic,
            affine=(self.constant and other.affine) or (other.constant and self.affine),
        )  # fmt: skip

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Form:
        other = self.m.number(other)
        if other.constant:
            return self * self.m.number(self.m.reals.inverse(other.value))
        return self.m.smooth(ROWS["div"], self, other)

    def __rtruediv__(self, other: Any) -> Form:
        return self.m.number(other) / self

    def __abs__(self) -> Any:
        return self.m.abs(self)

    def __lt__(self, other: Any) -> bool:
        return self.m.side(self - other, ties=True) < 0

    def __le__(self, other: Any) -> bool:
        return self.m.side(self - other, ties=True) <= 0

    def __gt__(self, other: Any) -> bool:
        return self.m.side(self - other, ties=True) > 0

    def __ge__(self, other: Any) -> bool:
        return self.m.side(self - other, ties=True) >= 0

    def __eq__(self, other: object) -> bool:
        return self.m.side(self - other, ties=True) == 0

    def __ne__(self, other: object) -> bool:
        return not self == other


class Absent(Form):
    """Stands for a number that is none or not known: whoever needs it is told so."""

    __slots__ = ("_error",)

    def __init__(self, error: ArithmeticError) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        raise self._error

    def known(self) -> Form:
        raise self._error


class Forms(Decided):
    """The arithmetic of forms: one piece, that of `choices`, which are taken in the order in which they are asked for.

    Afterwards `taken` has all that were made, each with what is left to try, and `constraints` where the piece lies.
    """

    def __init__(self, reals: Reals, choices: list[list[int]]) -> None:
        self.reals = reals
        self.taken = choices
        self.constraints: list[Constraint] = []
        self._asked = 0
        self._lines: dict[object, tuple[int, bool]] = {}

    def number(self, x: Any) -> Form:
        return x if isinstance(x, Form) else Form(self, self.reals.number(x), {}, affine=True)

    def limit(self, x: Form) -> Real:
        return x.value

    def ask(self, options: tuple[int, ...]) -> int:
        """The next choice: the first of these, or the one that is to be followed this time."""
        if self._asked == len(self.taken):
            self.taken.append(list(options))
        self._asked += 1
        return self.taken[self._asked - 1][0]

    def side(self, x: Form, *, ties: bool = False) -> int:
        sign = self.reals.signum(x.value)
        if sign or x.constant:
            return sign
        line, turned = _line(x)
        if line is not None and line in self._lines:
            known, with_ties = self._lines[line]
            if with_ties or not ties:
                return -known if turned else known
        sign = self.ask((1, -1, 0) if ties else (1, -1))
        if line is not None:
            self._lines[line] = -sign if turned else sign, ties
        if x.rough == SMOOTH and x.slopes:
            self.constraints.append(Constraint(x.slopes, sign))
        return sign

    def root_of(self, x: Form, exponent: Fraction) -> Form:
        if self.reals.signum(x.value) or x.constant:
            return self.smooth(ROWS["pow"], x, self.number(exponent)) if not x.constant else self.number(
                self.reals.pow(x.value, exponent)
            )  # fmt: skip
        if x.origin is not None and x.origin[1] * exponent == 1:  # the root of a power
            return self.number(self.abs(x.origin[0]))
        if exponent > 1 and x.rough <= LIPSCHITZ:
            return Form(self, self.reals.zero, {}, analytic=False)
        second = x.analytic and not x.slopes and exponent >= Fraction(1, 2)
        found = Form(self, self.reals.zero, {}, LIPSCHITZ if second else CONTINUOUS)
        found.origin = (x, exponent, 1)
        return found

    def pow(self, a: Any, b: Any) -> Form:
        return self._power(self.number(a), self.number(b))

    def _power(self, a: Form, b: Form) -> Form:
        exponent = b.value.fraction if b.constant else None
        if exponent is not None and exponent.denominator == 1 and 0 <= exponent <= 16:
            if a.origin is not None and a.origin[1] * exponent == 1:  # the power of a root
                return a.origin[0] if a.origin[2] ** int(exponent) > 0 else -a.origin[0]
            found = self.number(1)
            for _ in range(int(exponent)):
                found = found * a
            if exponent >= 2 and found.origin is None and not a.constant:
                found.origin = (a, exponent, 1)
            return found
        if a.constant and not a.value.terms and self.reals.signum(b.value) > 0:
            return a
        if exponent is not None and exponent > 0 and self.reals.signum(a.value) == 0:
            return self.root_of(a, exponent)
        return self.smooth(ROWS["pow"], a, b)

    def hypot(self, a: Any, b: Any) -> Form:
        a, b = self.number(a), self.number(b)
        if self.reals.signum(a.value) or self.reals.signum(b.value):
            return self.smooth(ROWS["hypot"], a, b)
        if a.constant or b.constant:
            return self.number(self.abs(b if a.constant else a))
        return Form(self, self.reals.zero, {}, max(LIPSCHITZ, a.rough, b.rough))

    def __getattr__(self, name: str) -> Callable[..., Form]:
        row = ROWS.get(name)
        if row is None:
            raise AttributeError(name)
        if getattr(Float, name, None) is None:
            return lambda *arguments: self._put_together(row, *[self.number(a) for a in arguments])
        return lambda *arguments: self.smooth(row, *[self.number(a) for a in arguments])

    def _put_together(self, row: Primitive, *arguments: Form) -> Any:
        """A function whose rule says all, where it goes on to all sides."""
        values = tuple([a.value for a in arguments])
        for position, a in enumerate(arguments):
            kink = None if a.constant else row.kink(position)
            jumps = kink is not None and kink.slope is None and kink.sides is None
            if kink is not None and jumps and not kink.holds(self.reals, *values):
                raise Unknown("a jump, or the end of a domain")
        return row.value(self, *arguments)

    def smooth(self, row: Primitive, *arguments: Form) -> Form:
        """A function of the table at a place where it is smooth: by the chain rule."""
        values = tuple([a.value for a in arguments])
        if row.broken(self.reals, values) is not None:
            raise Unknown("a pole, or outside a domain")
        z = self.reals.number(row.value(self.reals, *values))
        wanted = tuple([not a.constant for a in arguments])
        for position, wish in enumerate(wanted):
            kink = row.kink(position)
            if wish and kink is not None and kink.slope is not None and not kink.holds(self.reals, *values):
                return Form(self, z, {}, CONTINUOUS)
        slopes: Slopes = {}
        rough = SMOOTH
        for a, partial in zip(arguments, row.rules(self.reals, z, values, wanted), strict=True):
            if partial is None:
                continue
            partial = self.reals.number(partial)
            if a.rough == CONTINUOUS or (a.rough and partial.terms):
                rough = max(rough, a.rough)
            for k, c in a.slopes.items():
                slopes[k] = slopes[k] + c * partial if k in slopes else c * partial
        return Form(self, z, slopes, rough, analytic=all(a.analytic for a in arguments))


def _line(x: Form) -> tuple[object, bool]:
    """What two numbers that are multiples of one another have in common, and whether the sign is the other one.

    None for what is not known to be its form alone.
    """
    if not x.affine or not x.slopes:
        return None, False
    scaled = _scaled(x.slopes)
    turned = x.m.reals.signum(scaled[min(scaled)]) < 0
    return tuple([(k, (-scaled[k] if turned else scaled[k]).key) for k in sorted(scaled)]), turned


def _scaled(slopes: Slopes) -> Slopes:
    """The slopes times a positive number, so that the first one is 1 or -1."""
    first = abs(slopes[min(slopes)])
    return {k: c / first for k, c in slopes.items()}


# --- directions ------------------------------------------------------------------------------------------------------


def spanned_by(constraints: list[Constraint], inputs: list[int]) -> list[list[Real]]:
    """Gradients whose directional derivative is 0 in every direction that the constraints leave, as far as found.

    These are the slopes that must be 0, and those that others together leave no room but 0.
    """
    scaled = [_scaled(c.slopes) for c in constraints]
    rows = [[slopes.get(k) for k in inputs] for slopes in scaled]
    flat = [k for k, c in enumerate(constraints) if c.sign == 0]
    fractions = []
    for c, row in zip(constraints, rows, strict=True):
        exact = [Fraction(0) if x is None else x.fraction for x in row]
        if any(x is None for x in exact):
            return _filled([rows[k] for k in flat], constraints)
        fractions.append([x * (c.sign or 1) for x in exact if x is not None])
    at_least = [f for f, c in zip(fractions, constraints, strict=True) if c.sign]
    at_least += [side for k in flat for side in (fractions[k], [-x for x in fractions[k]])]
    for k, c in enumerate(constraints):
        if c.sign and not _feasible(at_least, fractions[k]):
            flat.append(k)
    return _filled([rows[k] for k in flat], constraints)


def _filled(rows: list[list[Real | None]], constraints: list[Constraint]) -> list[list[Real]]:
    if not rows:
        return []
    zero = next(iter(constraints[0].slopes.values())).m.zero
    return [[zero if x is None else x for x in row] for row in rows]


def _feasible(at_least: list[list[Fraction]], positive: list[Fraction]) -> bool:
    """Whether a direction has no negative product with any of these, and a positive one with the last.

    Fourier-Motzkin elimination; True where it would take too long.
    """
    system = [(row, False) for row in at_least] + [(positive, True)]
    for k in range(len(positive)):
        above = [(row, strict) for row, strict in system if row[k] > 0]
        below = [(row, strict) for row, strict in system if row[k] < 0]
        system = [(row, strict) for row, strict in system if row[k] == 0]
        if len(above) * len(below) > 400:
            return True
        for up, s in above:
            for down, t in below:
                system.append(([a / up[k] - b / down[k] for a, b in zip(up, down, strict=True)], s or t))
        unique: dict[tuple[Fraction, ...], bool] = {}
        for row, strict in system:
            size = max(map(abs, row), default=Fraction(0))
            key = tuple([x / size for x in row]) if size else tuple(row)
            unique[key] = unique.get(key, False) or strict
        system = [(list(row), strict) for row, strict in unique.items()]
    return not any(strict for _, strict in system)


def lies_in(reals: Reals, row: list[Real], rows: list[list[Real]]) -> bool:
    """Whether a gradient is a combination of these."""
    pivots: list[tuple[int, list[Real]]] = []
    for given in [*rows, row]:
        rest = list(given)
        for k, pivot in pivots:
            if rest[k].terms:
                factor = rest[k] / pivot[k]
                rest = [a - factor * b for a, b in zip(rest, pivot, strict=True)]
        place = next((k for k, x in enumerate(rest) if reals.signum(x)), None)
        if place is None:
            continue
        if given is row:
            return False
        pivots.append((place, rest))
    return True
