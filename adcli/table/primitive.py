"""Primitives: the class of a row of the table of functions, and the registry of the rows. A cell of a row does not
depend on a number type: its first argument `m` is the arithmetic in use, so that one rule serves floats, high
precision, intervals, arrays and graph nodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from ..records import NamedTuple
from ..typings import TYPE_CHECKING, Any, Final, Generic, Literal, Unpack, cast, overload, override

if TYPE_CHECKING:
    from decimal import Decimal
    from typing import TypeAlias, TypedDict

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
    from ..typings import TypeVarTuple

    Xs = TypeVarTuple("Xs")
    Value = Partial = Any  # types are for annotations, which are not evaluated

# How tightly a notation binds, loosest first.  A child that binds looser than its place requires goes in brackets.
OR, AND, NOT, RELATION, SUM, PRODUCT, UNARY, APPLICATION, POWER, POSTFIX, ATOM = range(11)


def _for_any_numbers(rule: object) -> Any:  # it is what the attribute that takes it says
    """Return the rule unchanged, to be called with numbers of any kind: a row is written with operands alone."""
    return rule


class Check(Generic[*Xs]):
    """A condition on the arguments of a function: `holds(m, *arguments)`.

    `title` is the message if it fails, `condition` the same as a formula with `{0}`, `{1}` for the arguments, `blame`
    the position of the argument to underline, and `advice` a suggestion what may be meant instead. `gives_nan` says
    that the function itself returns nan in doubles, in every library, where the condition fails.
    """

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
        """Keep the condition, its message and formula, the position to underline, an advice, and `gives_nan`."""
        self.gives_nan = gives_nan
        self.holds: Predicate = _for_any_numbers(holds)
        self.title = title
        self.condition = condition
        self.blame = blame
        self.advice = advice


class Kink(Generic[*Xs]):
    """A place where the value exists and a partial does not: where `holds(m, *arguments)` is false.

    `title` is the message. `sides` are the slopes from the left and from the right (None on a side without values), or
    a rule that returns them for the arguments; `slope` is the one used by convention; without it the partial rule is
    used, which is finite there.
    """

    def __init__(
        self,
        holds: Holds[*Xs],
        title: str,
        sides: Sides | Callable[[M, Unpack[Xs]], Sides] | None = None,
        slope: Callable[[M, Unpack[Xs]], Operand | float] | None = None,
    ) -> None:
        """Keep the condition `holds` (false at the kink), message, slopes on both sides, and slope by convention."""
        self.holds: Predicate = _for_any_numbers(holds)
        self.title = title
        self.sides: Sides | SidesRule | None = _for_any_numbers(sides)
        self.slope: SlopeRule | None = _for_any_numbers(slope)

    def slopes_at(self, m: Arithmetic[float], arguments: Sequence[float]) -> Sides:
        """Return the slopes from the left and from the right in the doubles `m`; one is None on a side without values,
        both are if the kink has no `sides`.
        """
        sides = self.sides(m, *arguments) if callable(self.sides) else self.sides
        return sides or (None, None)


FINITE_ANGLE: Check[Operand] = Check(
    lambda m, x: (x - x) < 1, "a trigonometric function needs a finite argument", "{0} is finite", gives_nan=True
)


def infinite(holds: Holds[*Xs], title: str, left: float | None = None, right: float | None = math.inf) -> Kink[*Xs]:
    """Return a Kink with an infinite slope, with its sign on each side (None on a side without values).

    The slope by convention is that on the right, without one that on the left. `title` goes on after "the graph of".
    """
    slope = (left or 0.0) if right is None else right
    return Kink(holds, f"the graph of {title}", sides=(left, right), slope=lambda m, *_: slope)


def vertical_ends(name: str, slope: float = math.inf, outward: bool = False) -> Kink[Operand]:
    """Return the Kink at both ends -1 and 1 of the domain of the function called `name`, where the slope is infinite:
    the side outside has no slope (None), the one inside has `slope`, which is also the slope by convention.

    With `outward` the domain is everything but the gap between -1 and 1.
    """
    return Kink(
        lambda m, x: (x != -1) & (x != 1),
        f"the graph of {name} is vertical at the ends of its domain",
        sides=lambda m, x: (slope, None) if (x > 0) != outward else (None, slope),
        slope=lambda m, *_: slope,
    )


def within_one(name: str) -> Check[Operand]:
    """Return the domain -1 ≤ x ≤ 1 with the message that `name` needs such an argument. The caller promises that its
    value rule gives nan for doubles outside of it (`gives_nan`)."""
    return Check(
        lambda m, x: (x >= -1) & (x <= 1),
        f"{name} needs an argument between -1 and 1",
        "-1 <= {0} <= 1",
        gives_nan=True,
    )


class Limit(Generic[*Xs]):
    """The limit of a rule where it cannot be computed: `value(m, *arguments)` where `where(m, *arguments)` holds.

    The derivatives of the value must be the limits of the rule's derivatives. In formulas for people the value is
    written as 0 where `shown(m, n, *arguments)` holds: there this is also the value of n more derivatives; without
    `shown`, nowhere. `lossy` says that in doubles the rule may return a wrong number there, because a step overflows or
    underflows. `often` says that such arguments are common.
    """

    def __init__(
        self,
        where: Value[*Xs],
        value: Value[*Xs],
        shown: Value[Operand, *Xs] | None = None,
        *,
        lossy: bool = False,
        often: bool = False,
    ) -> None:
        """Keep where the limit counts, its value, where formulas show 0, and whether it is `lossy` and `often`."""
        self.lossy = lossy
        self.often = often
        self.where: ValueRule = _for_any_numbers(where)
        self.value: ValueRule = _for_any_numbers(value)
        self.shown: ValueRule | None = _for_any_numbers(shown)


def next_to_zero(m: Arithmetic[T], x: T) -> T:
    """Return whether |x| < 1/2, where 1 - x² written as the product (1 - x)(1 + x), which is accurate near ±1, has a
    slope that is lost in rounding."""
    return m.lt(m.abs(x), m.number(0.5))


class Shortcut(Generic[*Xs]):
    """A faster partial that uses the computed value z, for doubles at many points.

    `rule(m, z, *arguments)` is as accurate as the rule of the row unless `unless(m, z, *arguments)` holds. It is not
    used where `idle(m, *arguments)` certainly holds: there the row's own rule is as fast.
    """

    def __init__(
        self, rule: Partial[*Xs], *, unless: Callable[[M, Operand, Unpack[Xs]], Comparison], idle: Holds[*Xs]
    ) -> None:
        self.rule: PartialRule = _for_any_numbers(rule)
        self.unless: Predicate = _for_any_numbers(unless)
        self.idle: Predicate = _for_any_numbers(idle)


class Slip(Generic[*Xs]):
    """A common mistake in a row: another value, other partials (None: the right one), or another tangent.

    `tangent(m, tangents, arguments)` is a wrong rule for the whole tangent, if that is not a sum over the arguments.
    The mistake is considered only if the arguments at the positions `moving` are not constants.
    """

    def __init__(
        self,
        name: str,
        *,
        value: Value[*Xs] | None = None,
        partials: tuple[Partial[*Xs] | None, ...] | None = None,
        tangent: Callable[[M, Sequence[Operand], Sequence[Operand]], Operand] | None = None,
        moving: tuple[int, ...] = (),
    ) -> None:
        """Keep the name, wrong rules (None: the right one applies), and the positions that must not be constant."""
        self.name = name
        self.moving = moving
        self.value: ValueRule | None = _for_any_numbers(value)
        self.partials: tuple[PartialRule | None, ...] | None = _for_any_numbers(partials)
        self.tangent: TangentRule | None = _for_any_numbers(tangent)


class Call:
    """Notation as a name before the arguments: `log(x)`, in tables `log x`.

    `text` is the name in the language, if it is not the row's name. Mathematics may have another name, the `symbol`,
    with an `index` below it; or a `root` of this degree instead of a name, or the two signs of a `fence` around the
    argument. An index or a degree may be an argument: `{1}`.
    """

    def __init__(self, symbol: str = "", text: str = "", *, index: str = "", root: str = "", fence: str = "") -> None:
        self.symbol = symbol
        self.text = text
        self.index = index
        self.root = root
        self.fence = fence


class Template(NamedTuple):
    """Notation with signs around and between the arguments.

    text          the notation of the language, with {0}, {1} for the arguments; `table` that of tables on paper
    level         the precedence of the whole; `places` the precedence required of each argument
    table_places  the precedences required in tables, which may be laxer; empty: `places`, as `text` if `table` is empty
    negated_sign  the sign to write instead before a negative number as the last argument (`a − −b` is `a + b`)
    brackets      the positions at which a negative number is put in brackets (`a × (−b)`)
    shape         product (juxtaposition), fraction, power or fence in mathematics; empty: the signs of tables
    """

    text: str
    level: int
    places: tuple[int, ...]
    table: str = ""
    table_places: tuple[int, ...] = ()
    negated_sign: str = ""
    brackets: tuple[int, ...] = ()
    shape: Literal["", "product", "fraction", "power", "fence"] = ""

    @property
    def in_tables(self) -> tuple[str, tuple[int, ...]]:
        """Return (text, precedences required of the arguments) in tables."""
        return self.table or self.text, self.table_places or self.places


class Bounds(NamedTuple):
    """An interval of real numbers; both ends are included unless `open_low` or `open_high`."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False


POSITIVE: Final = Bounds(0.0, math.inf, open_low=True)


class Monotone(NamedTuple):
    """A function of one argument that only rises (or only falls) on `domain`; `image` is its range there."""

    domain: Bounds = Bounds()
    image: Bounds = Bounds()
    rising: bool = True


class Own(NamedTuple):
    """Implementations of a function that cannot be composed from other rows, one for each number type.

    double   for doubles: accurate to a unit in the last place, nan if there is no value
    digits   for decimal numbers, `(digits, *arguments)`: to this number of digits
    complex  for complex numbers of mpmath, `(context, *arguments)`; None if there is none
    ball     for Arb's intervals, `(*arguments)`
    image    the range of the function over all arguments
    slope    for doubles `(*orders, low, high)`: an upper bound of |slope| in the last argument between low and high
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
    value      `(m, *arguments)`: the result; left out for a function that every arithmetic has itself, under its name
    is_named   whether it is left out
    partials   one rule `(m, z, *arguments)` for each argument, `z` being the result; None if the function is
               piecewise constant in that argument.  A row for any number of arguments has a single rule that
               returns all the partials
    least      the smallest number of arguments; `arity` is None if it takes any number from there
    shortcuts  for each argument (or none) a quicker way to its partial
    domain     where the value exists: one Check, or several that are tried in order
    where      the domain in words for the list of functions, if the checks' conditions do not say it
    smooth     where the partials exist, for each argument (or one for all)
    seam       where a second derivative jumps although the partials exist, such as 0 for softsign
    arguments  what the arguments are called in lists and messages
    informal   a pattern of other names for it, which count if they have no value and take one argument
    forms      the row that a call with another number of arguments means, by that number
    reading    how the name is read, if books or programs differ
    clear_beside  functions and constants next to which it has only this meaning
    sample     where the tests draw arguments: a range for all, or one for each
    route      for functions that look at their first argument before the rest: `(first) -> positions needed`
    truth      whether the result is a truth value (a comparison), and which arguments must be
    has_order  whether the first argument, an order, must be a constant: no partial with respect to it is known
    mirrored   the sign s in f(-n, x) = s^n f(n, x), the first argument being a whole number; 0 if that does not hold
    folds      whether it is folded into the literals that it joins, as `1/2` and `-3` are
    inverse    what `sin^-1` means; declared by the later one of two rows that are inverses of each other
    angle      whether its argument is an angle, which people may take in degrees
    angular    whether its result is one
    monotone   where it only rises or only falls, if it does so on all of its domain
    exact      arguments, ascending, with the values there that no rounding touches
    libm       its name in the C library; empty if that lacks it
    numpy      its name in NumPy; empty if that lacks it for arrays
    sympy      its name in SymPy, if that is another one or not a class of SymPy's functions
    coarse     errors of values below this size are relative to it; for functions with zeros at other places than 0
    slopes     the partials in words for the list of functions, if it takes any number of arguments
    slips      common mistakes in its rows, besides those that are possible in every row
    own        its implementations, if `value` only names it: then no arithmetic has it
    continued  its value rule for complex numbers; False if it has none, None if `value` holds for them too
    composed   its definition in pow, exp, log, sin and cos: a value rule; None if `value` is that already
    signs      for a sum of the arguments, each with a sign: 1 or -1 for each; empty for other functions
    exponents  for a product of the arguments, above or below the line: 1 or -1 for each; empty for other functions
    commutes   whether the arguments may be in any order
    """

    name: str
    arity: int | None
    is_named: bool
    value: ValueRule
    partials: tuple[PartialRule | None, ...] | PartialsRule
    least: int = 1
    domain: tuple[Check, ...] = ()
    smooth: Kink | tuple[Kink | None, ...] | None = None
    seam: Kink | None = None
    sample: Sample = (-3.0, 3.0)
    notation: Call | Template = Call()
    arguments: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    informal: str = ""
    summary: str = ""
    where: str = ""
    forms: Mapping[int, str] = MappingProxyType({})
    reading: str = ""
    clear_beside: tuple[str, ...] = ()
    inverse: str | None = None
    route: Callable[[object], tuple[int, ...]] | None = None
    truth: bool = False
    truth_arguments: tuple[int, ...] = ()
    folds: bool = False
    continued: ValueRule | bool | None = None
    shortcuts: tuple[Shortcut | None, ...] = ()
    angle: bool = False
    angular: bool = False
    slips: tuple[Slip, ...] = ()
    slopes: str = ""
    monotone: Monotone | None = None
    exact: tuple[tuple[float, float], ...] = ()
    libm: str = ""
    numpy: str = ""
    sympy: str = ""
    coarse: float = 0.0
    own: Own | None = None
    has_order: bool = False
    mirrored: int = 0
    composed: ValueRule | None = None
    signs: tuple[int, ...] = ()
    exponents: tuple[int, ...] = ()
    commutes: bool = False

    def __init__(self, name: str, **cells: object) -> None:
        """Make a row of these cells, `partials` at least; `domain` may be a single Check.

        `arity` is the number of partials, or None if they are one rule; `least` is the arity if there is one.
        `arguments` default to x; a, b; or a, b, c. Raises TypeError for a cell that rows do not have.
        """
        if unknown := cells.keys() - Primitive.__annotations__.keys():
            raise TypeError(f"a function has no cell {min(unknown)!r}")
        vars(self).update({"value": _call_of_arithmetic(name), **cells, "name": name})
        self.is_named = "value" not in cells
        self.arity = len(self.partials) if isinstance(self.partials, tuple) else None
        self.least = self.least if self.arity is None else self.arity
        self.domain = self.domain if isinstance(self.domain, tuple) else (self.domain,)
        self.notation = self.notation or Call()
        self.arguments = self.arguments or _ARGUMENTS.get(self.arity or 0, ("a", "b"))

    @override
    def __repr__(self) -> str:
        return f"<Primitive {self.name}>"

    def with_cells(self, **cells: object) -> Primitive:
        """Return a copy with these cells instead of its own, such as another `domain`, which is not in the table."""
        new = object.__new__(Primitive)  # rows of the table are copied and pickled by their names
        vars(new).update({**vars(self), **cells})
        return new

    def accepts(self, count: int) -> bool:
        """Return whether the function can be called with `count` arguments."""
        return count == self.arity if self.arity is not None else count >= self.least

    def rules(self, m: Arithmetic[T], z: T, arguments: Sequence[T], needed: Sequence[bool]) -> list[T | float | None]:
        """Return the partials by rule, one for each argument: None if not `needed`, 0 if the row has no rule for it.

        `z` is the value at the arguments. The cell `partials` is a tuple with a rule or None for each position, or one
        rule that returns all of them (then called even if few are needed).
        """
        rules = self.partials
        if not isinstance(rules, tuple):
            partials = rules(m, z, *arguments)
            return [p if w else None for p, w in zip(partials, needed, strict=True)]
        return [
            (0 if rule is None else rule(m, z, *arguments)) if w else None
            for rule, w in zip(rules, needed, strict=True)
        ]

    def gradient(
        self, m: Arithmetic[T], z: T, arguments: Sequence[T], needed: Sequence[bool]
    ) -> list[T | float | None]:
        """Return the partials at a point (numbers, not arrays), one for each argument.

        For a `needed` argument at its kink (whose condition `holds` is false), it is the slope by convention, if there
        is one; otherwise the partial by rule. A partial that is not `needed` is None, and it is 0 if the row has no
        rule for the argument. `z` is the value.
        """
        if self.smooth is None:
            return self.rules(m, z, arguments, needed)
        conventions: dict[int, T | float] = {}
        for position, is_needed in enumerate(needed):
            kink = self.kink(position)
            if is_needed and kink is not None and kink.slope is not None and not kink.holds(m, *arguments):
                slope = kink.slope(m, *arguments)
                conventions[position] = slope
        if not conventions:
            return self.rules(m, z, arguments, needed)
        ruled = tuple(is_needed and position not in conventions for position, is_needed in enumerate(needed))
        partials = self.rules(m, z, arguments, ruled)
        return [conventions.get(position, partial) for position, partial in enumerate(partials)]

    def find_violation(self, m: Arithmetic[T], arguments: Sequence[T]) -> Check | None:
        """Return the first condition of the domain that the arguments do not meet; None if they meet all."""
        for check in self.domain:
            if not check.holds(m, *arguments):
                return check
        return None

    def kink(self, position: int) -> Kink | None:
        """Return the Kink of the argument at `position`, where its partial does not exist (the one for all arguments if
        the row has only one); None if it always exists."""
        smooth = self.smooth
        return smooth[position] if isinstance(smooth, tuple) else smooth

    def ranges(self, count: int | None = None) -> list[tuple[float, float]]:
        """Return a range (low, high) for each argument from which tests draw values: those of `sample`, if it has
        several, whatever `count` is; or its only one `count` times (default: the arity, or at least 3 without one).
        """
        each = [place for place in self.sample if isinstance(place, tuple)]
        return each or [cast("tuple[float, float]", self.sample)] * (count or self.arity or max(self.least, 3))


def _call_of_arithmetic(name: str) -> ValueRule:
    """Return the value rule of functions that every arithmetic has itself: `m.name(*arguments)`."""

    def call_by_name(m: Arithmetic[T], *arguments: T) -> T:
        result: T = getattr(m, name)(*arguments)
        return result

    return call_by_name


_rows: Final[dict[str, Primitive]] = {}
_names: Final[dict[str, str]] = {}

ROWS: Final[Mapping[str, Primitive]] = MappingProxyType(_rows)


if TYPE_CHECKING:

    class _Cells(TypedDict, Generic[*Xs], total=False):
        """The cells of a row but for its partials, of which there is one for each argument."""

        value: Value[*Xs]
        domain: Check[*Xs] | tuple[Check[*Xs], ...]
        smooth: Kink[*Xs] | tuple[Kink[*Xs] | None, ...] | None
        seam: Kink[*Xs]
        sample: Sample
        notation: Call | Template | None
        arguments: tuple[str, ...]
        aliases: tuple[str, ...]
        informal: str
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
        has_order: bool
        mirrored: int
        composed: Value[*Xs] | None
        signs: tuple[int, ...]
        exponents: tuple[int, ...]
        commutes: bool

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
    """Add a row to the table and return it; an earlier row that its cell `inverse` names gets `name` as its own
    `inverse`, unless it has one.

    Raises ValueError (and adds nothing) if the name or an alias is taken, TypeError for a cell that rows do not have.
    """
    row = Primitive(name, **cells)
    for word in (name, *row.aliases):
        if word in _names:
            raise ValueError(f"the table already has a function called {word!r}")
    _rows[name] = row
    if row.inverse is not None and row.inverse in _rows and _rows[row.inverse].inverse is None:
        _rows[row.inverse].inverse = name
    _names.update(dict.fromkeys((name, *row.aliases), name))
    return row


def lookup(word: str) -> Primitive | None:
    """Return the row with this name or alias; None if there is none."""
    return _rows.get(_names.get(word, ""))


def operators_by_sign() -> dict[str, Primitive]:
    """Return the rows of two arguments that the language writes with a sign or word between them, by this sign."""
    written = {name: row for name, row in _rows.items() if row.arity == 2 and isinstance(row.notation, Template)}
    return {row.notation.text.format("", "").strip(): row for row in written.values()}


def spellings() -> Iterator[str]:
    """Return an iterator over all names and aliases that a text can call."""
    return iter(_names)
