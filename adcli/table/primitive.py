"""Primitives: the class of a row of the table of functions, and the registry of the rows.

A cell does not depend on a number type: its first argument `m` is the arithmetic in use, so that one rule serves
floats, high precision, intervals, arrays and graph nodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, Unpack, cast, overload

from ..overriding import override
from ..records import NamedTuple

if TYPE_CHECKING:
    from decimal import Decimal
    from typing import Required, TypeAlias, TypedDict

    from typing_extensions import TypeVarTuple

    from .arithmetic import (
        Arithmetic,
        Comparison,
        Operand,
        PartialRule,
        PartialsRule,
        Predicate,
        Sides,
        SidesRule,
        SlopeRule,
        T,
        TangentRule,
        ValueRule,
    )

    # The arguments of a rule: one Operand for each, so that `Check[Operand, Operand]` is a condition on two numbers.
    Xs = TypeVarTuple("Xs", default=Unpack[tuple[Operand, ...]])

    # What a row is written in.  Type checkers read its rules with operands, of which they know the arithmetic alone.
    M: TypeAlias = Arithmetic[Operand]
    Value: TypeAlias = Callable[[M, Unpack[Xs]], Operand]
    Partials: TypeAlias = Callable[[M, Operand, Unpack[tuple[Operand, ...]]], Sequence[Operand | float]]
    Partial: TypeAlias = Callable[[M, Operand, Unpack[Xs]], Operand | float]
    Holds: TypeAlias = Callable[[M, Unpack[Xs]], Comparison]
    Sample: TypeAlias = tuple[float, float] | tuple[tuple[float, float], ...]
else:
    from typing import TypeVarTuple

    Xs = TypeVarTuple("Xs")

# How tightly a notation binds, loosest first.  A child that binds looser than its place asks for goes in brackets.
OR, AND, NOT, RELATION, SUM, PRODUCT, UNARY, APPLICATION, POWER, POSTFIX, ATOM = range(11)


def _for_any_numbers(rule: object) -> Any:  # it is what the attribute that takes it says
    """Return the rule unchanged, to be called with numbers of any kind: a row is written with operands alone."""
    return rule


class Check(Generic[*Xs]):
    """A condition on the arguments of a function: `holds(m, *arguments)`.

    `title` is the sentence to print where it fails, `condition` the same as a formula with `{0}`, `{1}` for the
    arguments, `blame` the position of the argument to underline, and `advice` another way to what may be wanted.
    `gives_nan` says that where the condition fails the function itself returns nan in doubles, in every library.
    """

    __slots__ = ("advice", "blame", "condition", "gives_nan", "holds", "title")

    def __init__(
        self,
        holds: Holds[*Xs],
        title: str,
        condition: str = "",
        blame: int = 0,
        advice: str = "",
        *,
        gives_nan: bool = False,
    ) -> None:
        self.gives_nan = gives_nan
        self.holds: Predicate = _for_any_numbers(holds)
        self.title = title
        self.condition = condition
        self.blame = blame
        self.advice = advice


class Kink(Generic[*Xs]):
    """A place where the value exists and a partial does not: where `holds(m, *arguments)` is false.

    `sides` gives the slopes from the left and from the right (None where the function does not go on), or a rule that
    tells them from the arguments; `slope` the one
    that is used by convention; without it the rule of the row gives a finite one by itself.
    """

    __slots__ = ("holds", "sides", "slope", "title")

    def __init__(
        self,
        holds: Holds[*Xs],
        title: str,
        sides: Sides | Callable[[M, Unpack[Xs]], Sides] | None = None,
        slope: Callable[[M, Unpack[Xs]], Operand | float] | None = None,
    ) -> None:
        self.holds: Predicate = _for_any_numbers(holds)
        self.title = title
        self.sides: Sides | SidesRule | None = _for_any_numbers(sides)
        self.slope: SlopeRule | None = _for_any_numbers(slope)


def infinite(holds: Holds[*Xs], title: str, left: float | None = None, right: float | None = math.inf) -> Kink[*Xs]:
    """A place where the slope is infinite, with its sign on each side (None where the function does not go on)."""
    slope = (left or 0.0) if right is None else right
    return Kink(holds, title, sides=(left, right), slope=lambda m, *_: slope)


def vertical_ends(holds: Holds[Operand], title: str, slope: float = math.inf, outward: bool = False) -> Kink[Operand]:
    """Both ends of a domain around 0 (or, with `outward`, of the gap in it), where the slope is infinite."""
    return Kink(
        holds,
        title,
        sides=lambda m, x: (slope, None) if (x > 0) != outward else (None, slope),
        slope=lambda m, *_: slope,
    )


class Limit(Generic[*Xs]):
    """What a rule comes to where it has no number of its own: `value(m, *arguments)` where `where(m, *arguments)`.

    The value has the limits of all derivatives of the rule too.  In formulas for people it is written as 0 where
    `shown(m, n, *arguments)` holds: there this is also what n more derivatives of it are; without it, nowhere.
    `lossy` says that in doubles the rule may have a number there, and a wrong one: a step of it leaves their range.
    `often` says that there are arguments as everyday ones as elsewhere.
    """

    __slots__ = ("lossy", "often", "shown", "value", "where")

    def __init__(
        self,
        where: Value[*Xs],
        value: Value[*Xs],
        shown: Value[Operand, *Xs] | None = None,
        *,
        lossy: bool = False,
        often: bool = False,
    ) -> None:
        self.lossy = lossy
        self.often = often
        self.where: ValueRule = _for_any_numbers(where)
        self.value: ValueRule = _for_any_numbers(value)
        self.shown: ValueRule | None = _for_any_numbers(shown)


class Shortcut(Generic[*Xs]):
    """A partial from what the value has computed, where a rule would compute it anew: for doubles at many points.

    `rule(m, z, *arguments)` is as good as the rule of the row but where `unless(m, z, *arguments)` holds.  It is not
    taken where `idle(m, *arguments)` is certain: there the row's own is as quick.
    """

    __slots__ = ("idle", "rule", "unless")

    def __init__(
        self, rule: Partial[*Xs], *, unless: Callable[[M, Operand, Unpack[Xs]], Comparison], idle: Holds[*Xs]
    ) -> None:
        self.rule: PartialRule = _for_any_numbers(rule)
        self.unless: Predicate = _for_any_numbers(unless)
        self.idle: Predicate = _for_any_numbers(idle)


class Slip(Generic[*Xs]):
    """What people work out in place of a row: another value, other partials (None: the right one), another tangent.

    `tangent(m, tangents, arguments)` is a wrong rule for the whole tangent, where it is no sum over the arguments.
    It is made only where the arguments at the positions `moving` are not just numbers.
    """

    __slots__ = ("moving", "name", "partials", "tangent", "value")

    def __init__(
        self,
        name: str,
        *,
        value: Value[*Xs] | None = None,
        partials: tuple[Partial[*Xs] | None, ...] | None = None,
        tangent: Callable[[M, Sequence[Operand], Sequence[Operand]], Operand] | None = None,
        moving: tuple[int, ...] = (),
    ) -> None:
        self.name = name
        self.moving = moving
        self.value: ValueRule | None = _for_any_numbers(value)
        self.partials: tuple[PartialRule | None, ...] | None = _for_any_numbers(partials)
        self.tangent: TangentRule | None = _for_any_numbers(tangent)


class Call:
    """Written as a name before its arguments: `log(x)`, in tables `log x`.

    `text` is the name to write where it is not the row's own.  Mathematics may have another name, the `symbol`, with an
    `index` below it; or it has a `root` of this degree in place of a name, or the two signs of a `fence` around the
    argument.  An index or a degree may be an argument: `{1}`.
    """

    __slots__ = ("fence", "index", "root", "symbol", "text")

    def __init__(self, symbol: str = "", text: str = "", *, index: str = "", root: str = "", fence: str = "") -> None:
        self.symbol = symbol
        self.text = text
        self.index = index
        self.root = root
        self.fence = fence


class Template:
    """Written with signs around and between the arguments.

    `text` is the language's own spelling, `table` the paper's; `level` says how tightly the whole binds and `places`
    how tightly each argument must.  `table_places` may be laxer: tables are read by people.  Mathematics has the signs
    of tables, unless its `shape` is another: a product by juxtaposition, a fraction, a power, a fence.
    For people a negative number put in for the last argument turns the sign over where `turned` gives the sign that
    then stands there (`a − −b` is `a + b`); in the positions of `brackets` it goes in brackets (`a × (−b)`).
    """

    __slots__ = ("brackets", "level", "places", "shape", "table", "table_places", "text", "turned")

    def __init__(
        self,
        text: str,
        level: int,
        places: tuple[int, ...],
        table: str = "",
        table_places: tuple[int, ...] | None = None,
        turned: str = "",
        brackets: tuple[int, ...] = (),
        shape: Literal["", "product", "fraction", "power", "fence"] = "",
    ) -> None:
        self.turned = turned
        self.brackets = brackets
        self.text = text
        self.level = level
        self.places = places
        self.table = table or text
        self.table_places = table_places or places
        self.shape = shape


class Bounds(NamedTuple):
    """What lies between two numbers, with the ends or without."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False


POSITIVE: Final = Bounds(0.0, math.inf, open_low=True)


class Monotone(NamedTuple):
    """A function of one argument that only rises (or only falls) on `domain`; `image` is all that it comes to there."""

    domain: Bounds = Bounds()
    image: Bounds = Bounds()
    rising: bool = True


class Own(NamedTuple):
    """How a function is come by that no rule puts together from others, in each kind of number.

    double   of doubles: right to a unit in the last place, nan where there is no value
    digits   of decimal numbers, `(digits, *arguments)`: to so many digits
    complex  of complex numbers of mpmath, `(context, *arguments)`, where it has any
    ball     of Arb's intervals, `(*arguments)`
    image    all that it comes to, whatever the arguments
    slope    of doubles `(*orders, low, high)`: what its slope in the last argument is never above between these two
    """

    double: Callable[..., float]
    digits: Callable[..., Decimal]
    complex: Callable[..., Any] | None
    ball: Callable[..., Any]
    image: Bounds = Bounds()
    slope: Callable[..., float] | None = None


_ARGUMENTS: Final[dict[int, tuple[str, ...]]] = {1: ("x",), 2: ("a", "b"), 3: ("a", "b", "c")}


class Primitive:
    """One row of the table: a function and all that the program knows of it.

    name       how the language calls it
    value      `(m, *arguments)`: the result
    partials   one rule `(m, z, *arguments)` for each argument, `z` being the result; None where the function is
               piecewise constant in that argument.  A row for any number of arguments has a single rule that
               returns all the partials
    least      how few arguments it takes; `arity` is None when it takes any number from there
    shortcuts  for each argument (or none) a quicker way to its partial
    domain     where the value exists: one Check, or several that are tried in order
    where      the domain in words for the list of functions, where the checks' conditions do not say it
    smooth     where the partials exist, for each argument (or one for all)
    arguments  what the arguments are called in lists and messages
    forms      the row that a call with another number of arguments means, by that number
    reading    how the name is read where books or programs differ
    clear_beside  functions and constants beside which nobody reads it in another way
    sample     where the tests draw arguments: a range for all, or one for each
    route      for functions that look at their first argument before the rest: `(first) -> positions needed`
    truth      whether the result is a truth value (a comparison), and which arguments must be
    whole      which arguments are whole numbers, such as orders, in which nothing moves
    mirrored   the sign s in f(-n, x) = s^n f(n, x), the first argument being a whole number; 0 where that is no law
    folds      whether it is folded into the literals that it joins, as `1/2` and `-3` are
    inverse    what `sin^-1` means
    angle      whether its argument is an angle, which people may take in degrees
    angular    whether its result is one
    monotone   where it only rises or only falls, if it does so on all of its domain
    exact      arguments, ascending, with the values there that no rounding touches
    libm       what the C library calls it, where it has it
    numpy      what NumPy calls it, where it has it for arrays
    sympy      what SymPy calls it, where that is another name or no class of SymPy's functions
    coarse     the size below which its doubles are no nearer than those of that size, where it has such zeros
    slopes     the partials in words for the list of functions, where there are any number of arguments
    slips      what people work out in its place, beside what can go wrong anywhere
    own        how it is come by where `value` only names it: then no arithmetic knows it by itself
    continued  what stands for it with complex numbers: a value rule, False where nothing does, None where its own does
    composed   what it is by definition, in pow, exp, log, sin and cos: a value rule; None where `value` says as much
    signs      for a sum of the arguments, each with a sign: 1 or -1 for each; empty for other functions
    exponents  for a product of the arguments, above or below the line: 1 or -1 for each; empty for other functions
    """

    __slots__ = (
        "aliases", "angle", "angular", "arguments", "arity", "clear_beside", "coarse", "composed", "continued",
        "domain", "exact", "exponents", "folds", "forms", "inverse", "least", "libm", "mirrored", "monotone",
        "name", "notation", "numpy", "own", "partials", "reading", "route", "sample", "shortcuts", "signs", "slips",
        "slopes", "smooth", "summary", "sympy", "truth", "truth_arguments", "value", "where", "whole",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        *,
        value: ValueRule,
        partials: tuple[PartialRule | None, ...] | PartialsRule,
        domain: Check | tuple[Check, ...] = (),
        smooth: Kink | tuple[Kink | None, ...] | None = None,
        sample: Sample = (-3.0, 3.0),
        notation: Call | Template | None = None,
        arguments: tuple[str, ...] = (),
        aliases: tuple[str, ...] = (),
        summary: str = "",
        where: str = "",
        forms: Mapping[int, str] = MappingProxyType({}),
        reading: str = "",
        clear_beside: tuple[str, ...] = (),
        inverse: str | None = None,
        route: Callable[[object], tuple[int, ...]] | None = None,
        truth: bool = False,
        truth_arguments: tuple[int, ...] = (),
        folds: bool = False,
        least: int = 1,
        continued: ValueRule | bool | None = None,
        shortcuts: tuple[Shortcut | None, ...] = (),
        angle: bool = False,
        angular: bool = False,
        slips: tuple[Slip, ...] = (),
        slopes: str = "",
        monotone: Monotone | None = None,
        exact: tuple[tuple[float, float], ...] = (),
        libm: str = "",
        numpy: str = "",
        sympy: str = "",
        coarse: float = 0.0,
        own: Own | None = None,
        whole: tuple[int, ...] = (),
        mirrored: int = 0,
        composed: ValueRule | None = None,
        signs: tuple[int, ...] = (),
        exponents: tuple[int, ...] = (),
    ) -> None:
        self.name = name
        self.value = value
        self.partials = partials
        self.arity = len(partials) if isinstance(partials, tuple) else None
        self.least = least if self.arity is None else self.arity
        self.domain = domain if isinstance(domain, tuple) else (domain,)
        self.smooth = smooth
        self.sample = sample
        self.notation = notation or Call()
        self.arguments = arguments or _ARGUMENTS.get(self.arity or 0, ("a", "b"))
        self.aliases = aliases
        self.summary = summary
        self.where = where
        self.forms = forms
        self.reading = reading
        self.clear_beside = clear_beside
        self.inverse = inverse
        self.route = route
        self.truth = truth
        self.truth_arguments = truth_arguments
        self.folds = folds
        self.continued = continued
        self.shortcuts = shortcuts
        self.angle = angle
        self.angular = angular
        self.slips = slips
        self.slopes = slopes
        self.monotone = monotone
        self.exact = exact
        self.libm = libm
        self.numpy = numpy
        self.sympy = sympy
        self.coarse = coarse
        self.own = own
        self.whole = whole
        self.mirrored = mirrored
        self.composed = composed
        self.signs = signs
        self.exponents = exponents

    @override
    def __repr__(self) -> str:
        return f"<Primitive {self.name}>"

    def with_domain(self, domain: tuple[Check, ...]) -> Primitive:
        """Another row that differs in its conditions alone, and is not in the table."""
        new = object.__new__(type(self))
        for cell in self.__slots__:
            setattr(new, cell, getattr(self, cell))
        new.domain = domain
        return new

    def accepts(self, count: int) -> bool:
        """Whether the function can be called with so many arguments."""
        return count == self.arity if self.arity is not None else count >= self.least

    def rules(self, m: Arithmetic[T], z: T, arguments: Sequence[T], wanted: Sequence[bool]) -> list[T | float | None]:
        """The partials by their rules alone, one for each position: None where not wanted, 0 where the row has none."""
        rules = self.partials
        if not isinstance(rules, tuple):
            partials = rules(m, z, *arguments)
            return [p if w else None for p, w in zip(partials, wanted, strict=True)]
        return [
            (0 if rule is None else rule(m, z, *arguments)) if w else None
            for rule, w in zip(rules, wanted, strict=True)
        ]

    def gradient(
        self, m: Arithmetic[T], z: T, arguments: Sequence[T], wanted: Sequence[bool]
    ) -> list[T | float | None]:
        """The partials at a point: as `rules`, but by the convention of the row where a partial does not exist."""
        if self.smooth is None:
            return self.rules(m, z, arguments, wanted)
        conventions: dict[int, T | float] = {}
        for position, wish in enumerate(wanted):
            kink = self.kink(position)
            if wish and kink is not None and kink.slope is not None and not kink.holds(m, *arguments):
                slope = kink.slope(m, *arguments)
                conventions[position] = slope
        if not conventions:
            return self.rules(m, z, arguments, wanted)
        ruled = tuple(wish and position not in conventions for position, wish in enumerate(wanted))
        partials = self.rules(m, z, arguments, ruled)
        return [conventions.get(position, partial) for position, partial in enumerate(partials)]

    def broken(self, m: Arithmetic[T], arguments: Sequence[T]) -> Check | None:
        """The first condition of the domain that the arguments do not meet."""
        for check in self.domain:
            if not check.holds(m, *arguments):
                return check
        return None

    def kink(self, position: int) -> Kink | None:
        """Where the partial with respect to the argument at this position does not exist."""
        smooth = self.smooth
        return smooth[position] if isinstance(smooth, tuple) else smooth

    def ranges(self, count: int | None = None) -> list[tuple[float, float]]:
        """Where the tests draw each of `count` arguments."""
        count = count or self.arity or max(self.least, 3)
        each = [place for place in self.sample if isinstance(place, tuple)]
        return each or [cast("tuple[float, float]", self.sample)] * count


_rows: Final[dict[str, Primitive]] = {}
_names: Final[dict[str, str]] = {}

ROWS: Final[Mapping[str, Primitive]] = MappingProxyType(_rows)


if TYPE_CHECKING:

    class _Cells(TypedDict, Generic[*Xs], total=False):
        """The cells of a row but for its partials, of which there is one for each argument."""

        value: Required[Value[*Xs]]
        domain: Check[*Xs] | tuple[Check[*Xs], ...]
        smooth: Kink[*Xs] | tuple[Kink[*Xs] | None, ...] | None
        sample: Sample
        notation: Call | Template | None
        arguments: tuple[str, ...]
        aliases: tuple[str, ...]
        summary: str
        where: str
        forms: Mapping[int, str]
        reading: str
        clear_beside: tuple[str, ...]
        inverse: str | None
        route: Callable[[object], tuple[int, ...]] | None
        truth: bool
        truth_arguments: tuple[int, ...]
        folds: bool
        least: int
        continued: Value[*Xs] | bool | None
        shortcuts: tuple[Shortcut[*Xs] | None, ...]
        angle: bool
        angular: bool
        slips: tuple[Slip[*Xs], ...]
        slopes: str
        monotone: Monotone | None
        exact: tuple[tuple[float, float], ...]
        libm: str
        numpy: str
        sympy: str
        coarse: float
        own: Own | None
        whole: tuple[int, ...]
        mirrored: int
        composed: Value[*Xs] | None
        signs: tuple[int, ...]
        exponents: tuple[int, ...]

    _One: TypeAlias = Partial[Operand] | None
    _Two: TypeAlias = Partial[Operand, Operand] | None
    _Three: TypeAlias = Partial[Operand, Operand, Operand] | None


# One form for each number of arguments, so that a type checker knows the parameters of a rule that is a lambda.
@overload
def declare(name: str, *, partials: tuple[_One], **cells: Unpack[_Cells[Operand]]) -> Primitive: ...
@overload
def declare(name: str, *, partials: tuple[_Two, _Two], **cells: Unpack[_Cells[Operand, Operand]]) -> Primitive: ...
@overload
def declare(
    name: str, *, partials: tuple[_Three, _Three, _Three], **cells: Unpack[_Cells[Operand, Operand, Operand]]
) -> Primitive: ...
@overload
def declare(name: str, *, partials: Partials, **cells: Unpack[_Cells[*tuple[Operand, ...]]]) -> Primitive: ...
def declare(name: str, **cells: Any) -> Primitive:  # the forms above say what each cell is
    """Add a row to the table; a name or alias that is taken is an error."""
    row = Primitive(name, **cells)
    for word in (name, *row.aliases):
        if word in _names:
            raise ValueError(f"the table already has a function called {word!r}")
    _rows[name] = row
    for word in (name, *row.aliases):
        _names[word] = name
    return row


def lookup(word: str) -> Primitive | None:
    """The row that a name or an alias stands for."""
    name = _names.get(word)
    return None if name is None else _rows[name]


def spellings() -> Iterator[str]:
    """Every name and alias that a text can call."""
    return iter(_names)
