"""A program cut into its smooth pieces around a point: every kink that it meets decided every way.

A piece is followed to first order: its value at the point and its gradient there.  Where the sign that decides a kink
is not told by the value, both ways are followed, and the gradient of what decides says in which directions from the
point they can lie.  More pieces may be followed than there are: what holds for all of them holds for the function.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn, cast

from ..numbers.doubles import Float
from ..overriding import override
from ..records import NamedTuple
from ..table.primitive import ROWS, Primitive
from .exact_reals import Real, Reals, Unknown
from .signs import Decided

if TYPE_CHECKING:
    from typing import TypeAlias

    from ..table.arithmetic import Numeral

    Given: TypeAlias = "FirstOrder | Real | Numeral"

SMOOTH, LIPSCHITZ, CONTINUOUS = range(3)  # how much is known of a number around the point

Slopes = dict[int, Real]


class Constraint(NamedTuple):
    """The directions d of a piece: sign · slopes · d is not negative, or it is 0 where the sign is."""

    slopes: Slopes
    sign: int


class FirstOrder:
    """A number around the point: its value there and its gradient, by input.

    `rough` says whether there is none: it is then bounded by the distance times a number, or continuous alone.
    `origin` is another form, an exponent and a sign, where the number is that power of it.
    `analytic` says that the form is right up to the square of the distance, `affine` that it is all there is.
    `whole` tells which function it is on the piece, where that is known.
    """

    __slots__ = ("_whole", "affine", "analytic", "m", "origin", "rough", "slopes", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, m: Selection, value: Real, slopes: Slopes, rough: int = SMOOTH, *, analytic: bool = True,
        affine: bool = False, whole: Whole | None = None,
    ) -> None:  # fmt: skip
        self.m = m
        self.value = value
        self.slopes = {} if rough else {k: c for k, c in slopes.items() if c.terms}
        self.rough = rough
        self.analytic = analytic and not rough
        self.affine = affine and not rough
        self.origin: tuple[FirstOrder, Fraction, int] | None = None
        self._whole = whole

    @property
    def whole(self) -> Whole | None:
        """Which function it is on the piece; None where that is not known."""
        if self._whole is None and self.affine:
            slopes = {k: c.fraction for k, c in self.slopes.items()}
            exact = {k: c for k, c in slopes.items() if c is not None}
            if self.value.fraction is not None and len(exact) == len(slopes):
                self._whole = _affine(self.value.fraction, exact)
        return self._whole

    def known(self) -> FirstOrder:
        """Itself; raises Unknown or Outside where there is no number."""
        return self

    @property
    def constant(self) -> bool:
        return self.affine and not self.slopes

    def __bool__(self) -> bool:
        return self.m.side(self, ties=True) != 0

    def __add__(self, other: Given) -> FirstOrder:
        other = self.m.number(other)
        whole = _sum(self.whole, other.whole)
        plain = self.m.plain(whole)
        if plain is not None:
            return plain
        slopes = dict(self.slopes)
        for k, c in other.slopes.items():
            slopes[k] = slopes[k] + c if k in slopes else c
        return FirstOrder(
            self.m, self.value + other.value, slopes, max(self.rough, other.rough),
            analytic=self.analytic and other.analytic, affine=self.affine and other.affine, whole=whole,
        )  # fmt: skip

    __radd__ = __add__

    def __neg__(self) -> FirstOrder:
        slopes = {k: -c for k, c in self.slopes.items()}
        whole = None if self.whole is None else {monomial: -c for monomial, c in self.whole.items()}
        found = FirstOrder(
            self.m, -self.value, slopes, self.rough, analytic=self.analytic, affine=self.affine, whole=whole
        )  # fmt: skip
        if self.origin is not None:
            found.origin = (*self.origin[:2], -self.origin[2])
        return found

    def __sub__(self, other: Given) -> FirstOrder:
        return self + -self.m.number(other)

    def __rsub__(self, other: Given) -> FirstOrder:
        return self.m.number(other) - self

    def __mul__(self, other: Given) -> FirstOrder:
        """What is 0 at the point makes of a continuous factor its value there, to first order."""
        other = self.m.number(other)
        for sign, mate in ((self, other), (other, self)):
            if mate.origin is not None and sign.constant and abs(sign.value.fraction or 0) == 1:
                return mate if sign.value.fraction == 1 else -mate
        whole = _product(self.whole, other.whole)
        plain = self.m.plain(whole)
        if plain is not None:
            return plain
        slopes = {k: c * other.value for k, c in self.slopes.items()}
        for k, c in other.slopes.items():
            slopes[k] = slopes[k] + c * self.value if k in slopes else c * self.value
        rough = max(
            self.rough if other.value.terms else SMOOTH,
            other.rough if self.value.terms else SMOOTH,
            CONTINUOUS if self.rough == other.rough == CONTINUOUS else SMOOTH,
        )
        return FirstOrder(
            self.m, self.value * other.value, slopes, rough, analytic=self.analytic and other.analytic,
            affine=(self.constant and other.affine) or (other.constant and self.affine), whole=whole,
        )  # fmt: skip

    __rmul__ = __mul__

    def __truediv__(self, other: Given) -> FirstOrder:
        other = self.m.number(other)
        if other.constant:
            return self * self.m.number(self.m.reals.inverse(other.value))
        return self.m.smooth(ROWS["div"], self, other)

    def __rtruediv__(self, other: Given) -> FirstOrder:
        return self.m.number(other) / self

    def __abs__(self) -> FirstOrder:
        return self.m.abs(self)

    def __lt__(self, other: Given) -> bool:
        return self.m.side(self - other, ties=True) < 0

    def __le__(self, other: Given) -> bool:
        return self.m.side(self - other, ties=True) <= 0

    def __gt__(self, other: Given) -> bool:
        return self.m.side(self - other, ties=True) > 0

    def __ge__(self, other: Given) -> bool:
        return self.m.side(self - other, ties=True) >= 0

    @override
    def __eq__(self, other: object) -> bool:
        return self.m.side(self - cast("Given", other), ties=True) == 0

    @override
    def __ne__(self, other: object) -> bool:
        return not self == other


class Absent(FirstOrder):
    """Stands for a number that is none or not known: whoever needs it is told so."""

    __slots__ = ("_error",)

    def __init__(self, error: ArithmeticError) -> None:
        self._error = error

    def __getattr__(self, name: str) -> NoReturn:
        raise self._error

    @override
    def known(self) -> FirstOrder:
        raise self._error


class Selection(Decided[FirstOrder]):
    """The arithmetic of forms: one piece, that of `choices`, which are taken in the order in which they are asked for.

    Afterwards `taken` has all that were made, each with what is left to try, and `constraints` where the piece lies.
    """

    def __init__(self, reals: Reals, choices: list[list[int]]) -> None:
        self.reals = reals
        self.taken = choices
        self.constraints: list[Constraint] = []
        self._asked = 0
        self._lines: dict[object, tuple[int, bool]] = {}
        self._names: dict[object, int] = {}

    @override
    def number(self, x: Given) -> FirstOrder:
        return x if isinstance(x, FirstOrder) else FirstOrder(self, self.reals.number(x), {}, affine=True)

    def plain(self, whole: Whole | None) -> FirstOrder | None:
        """What is value and slopes alone, whatever it was put together from; None for all else."""
        found = None if whole is None else _read_affine(whole)
        if found is None:
            return None
        value, slopes = found
        return FirstOrder(
            self, self.reals.number(value), {k: self.reals.number(c) for k, c in slopes.items()}, affine=True
        )

    def named(self, name: object, *arguments: FirstOrder) -> Whole | None:
        """A function of these as a part with a name; None where one of them is not known."""
        keys = [_key(a.whole) for a in arguments if a.whole is not None]
        if len(keys) < len(arguments):
            return None
        return {(self._names.setdefault((name, *keys), len(self._names)),): Fraction(1)}

    @override
    def limit(self, x: FirstOrder) -> Real:
        return x.value

    def ask(self, options: tuple[int, ...]) -> int:
        """The next choice: the first of these, or the one that is to be followed this time."""
        if self._asked == len(self.taken):
            self.taken.append(list(options))
        self._asked += 1
        return self.taken[self._asked - 1][0]

    @override
    def side(self, x: FirstOrder, *, ties: bool = False) -> int:
        sign = self.reals.signum(x.value)
        if sign or x.constant:
            return sign
        if x.origin is not None and x.origin[1].denominator == 1:
            base, exponent, factor = x.origin
            if exponent % 2:
                return factor * self.side(base, ties=ties)
            return factor * abs(self.side(base, ties=True)) if ties else factor
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

    @override
    def root_of(self, x: FirstOrder, exponent: Fraction) -> FirstOrder:
        if self.reals.signum(x.value) or x.constant:
            return self.smooth(ROWS["pow"], x, self.number(exponent)) if not x.constant else self.number(
                self.reals.pow(x.value, exponent)
            )  # fmt: skip
        if x.origin is not None and x.origin[1] * exponent == 1:  # the root of a power
            return self.number(self.abs(x.origin[0]))
        if exponent > 1 and x.rough <= LIPSCHITZ:
            return FirstOrder(self, self.reals.zero, {}, analytic=False, whole=self.named(("root", exponent), x))
        second = x.analytic and not x.slopes and exponent >= Fraction(1, 2)
        rough, whole = LIPSCHITZ if second else CONTINUOUS, self.named(("root", exponent), x)
        found = FirstOrder(self, self.reals.zero, {}, rough, whole=whole)
        found.origin = (x, exponent, 1)
        return found

    def pow(self, a: Given, b: Given) -> FirstOrder:
        return self._power(self.number(a), self.number(b))

    def _power(self, a: FirstOrder, b: FirstOrder) -> FirstOrder:
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

    def hypot(self, a: Given, b: Given) -> FirstOrder:
        a, b = self.number(a), self.number(b)
        if self.reals.signum(a.value) or self.reals.signum(b.value):
            return self.smooth(ROWS["hypot"], a, b)
        if a.constant or b.constant:
            return self.number(self.abs(b if a.constant else a))
        return FirstOrder(self, self.reals.zero, {}, max(LIPSCHITZ, a.rough, b.rough), whole=self.named("hypot", a, b))

    @override
    def __getattr__(self, name: str) -> Callable[..., FirstOrder]:
        row = ROWS.get(name)
        if row is None:
            raise AttributeError(name)
        if getattr(Float, name, None) is None and row.own is None:
            return lambda *arguments: self._put_together(row, *[self.number(a) for a in arguments])
        return lambda *arguments: self.smooth(row, *[self.number(a) for a in arguments])

    def _put_together(self, row: Primitive, *arguments: FirstOrder) -> FirstOrder:
        """A function whose rule says all, where it goes on to all sides."""
        values = tuple([a.value for a in arguments])
        for position, a in enumerate(arguments):
            kink = None if a.constant else row.kink(position)
            jumps = kink is not None and kink.slope is None and kink.sides is None
            if kink is not None and jumps and not kink.holds(self.reals, *values):
                raise Unknown("a jump, or the end of a domain")
        return cast("Callable[..., FirstOrder]", row.value)(self, *arguments)

    def smooth(self, row: Primitive, *arguments: FirstOrder) -> FirstOrder:
        """A function of the table at a place where it is smooth: by the chain rule."""
        values = tuple([a.value for a in arguments])
        if row.broken(self.reals, values) is not None:
            raise Unknown("a pole, or outside a domain")
        z = self.reals.number(row.value(self.reals, *values))
        whole = self.named(row.name, *arguments)
        wanted = tuple([not a.constant for a in arguments])
        for position, wish in enumerate(wanted):
            kink = row.kink(position)
            if wish and kink is not None and kink.slope is not None and not kink.holds(self.reals, *values):
                return FirstOrder(self, z, {}, CONTINUOUS, whole=whole)
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
        return FirstOrder(self, z, slopes, rough, analytic=all(a.analytic for a in arguments), whole=whole)


def _line(x: FirstOrder) -> tuple[object, bool]:
    """What two numbers that are multiples of one another have in common, and whether the sign is the other one.

    None for what is not known as a whole.
    """
    if x.whole:
        return _up_to_a_factor(x.whole)
    if not x.affine or not x.slopes:
        return None, False
    unit = scaled(x.slopes)
    turned = x.m.reals.signum(unit[min(unit)]) < 0
    return tuple([(k, (-unit[k] if turned else unit[k]).key) for k in sorted(unit)]), turned


def scaled(slopes: Slopes) -> Slopes:
    """The slopes times a positive number, so that the first one is 1 or -1."""
    first = abs(slopes[min(slopes)])
    return {k: c / first for k, c in slopes.items()}


# --- what a number is on a whole piece: a polynomial in the distances of the inputs and in parts known by name ---
#
# Numbers with one polynomial are one function there, so that what decides a kink is decided once.

Monomial = tuple[int, ...]  # factors in order: inputs are below 0, named parts are not
Whole = dict[Monomial, Fraction]

_MOST_TERMS = 40
_HIGHEST = 12


def _affine(value: Fraction, slopes: dict[int, Fraction]) -> Whole:
    """value + Σ slope · distance, by the slots of inputs."""
    found = {(): value} if value else {}
    return found | {(-1 - slot,): c for slot, c in slopes.items() if c}


def _read_affine(whole: Whole) -> tuple[Fraction, dict[int, Fraction]] | None:
    """The value and the slopes of what is no more than that; None for all else."""
    if any(len(monomial) > 1 or (monomial and monomial[0] >= 0) for monomial in whole):
        return None
    return whole.get((), Fraction(0)), {-1 - monomial[0]: c for monomial, c in whole.items() if monomial}


def _sum(a: Whole | None, b: Whole | None) -> Whole | None:
    """The sum; None where it is not known or too long."""
    if a is None or b is None or len(a) + len(b) > _MOST_TERMS:
        return None
    found = dict(a)
    for monomial, c in b.items():
        found[monomial] = found.get(monomial, Fraction(0)) + c
    return {monomial: c for monomial, c in found.items() if c}


def _product(a: Whole | None, b: Whole | None) -> Whole | None:
    """The product; None where it is not known or too long."""
    if a is None or b is None or len(a) * len(b) > _MOST_TERMS:
        return None
    found: Whole = {}
    for left, c in a.items():
        for right, d in b.items():
            if len(left) + len(right) > _HIGHEST:
                return None
            monomial = tuple(sorted(left + right))
            found[monomial] = found.get(monomial, Fraction(0)) + c * d
    return {monomial: c for monomial, c in found.items() if c}


def _key(whole: Whole) -> tuple[tuple[Monomial, Fraction], ...]:
    """What two equal ones have in common."""
    return tuple(sorted(whole.items()))


def _up_to_a_factor(whole: Whole) -> tuple[object, bool]:
    """What multiples of one another have in common, and whether the sign is the other one."""
    first = whole[min(whole)]
    return _key({monomial: c / first for monomial, c in whole.items()}), first < 0


# --- the directions that a piece leaves open: which slopes do not matter there ---


def spanned_by(constraints: list[Constraint], inputs: list[int]) -> list[list[Real]]:
    """Gradients whose directional derivative is 0 in every direction that the constraints leave, as far as found.

    These are the slopes that must be 0, and those that others together leave no room but 0.
    """
    rows = [[slopes.get(k) for k in inputs] for slopes in (scaled(c.slopes) for c in constraints)]
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
        if c.sign and not feasible(at_least, fractions[k]):
            flat.append(k)
    return _filled([rows[k] for k in flat], constraints)


def _filled(rows: list[list[Real | None]], constraints: list[Constraint]) -> list[list[Real]]:
    if not rows:
        return []
    zero = next(iter(constraints[0].slopes.values())).m.zero
    return [[zero if x is None else x for x in row] for row in rows]


def feasible(at_least: list[list[Fraction]], positive: list[Fraction]) -> bool:
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
