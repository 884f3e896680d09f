"""Terms: an arithmetic whose numbers are slots of a graph, so that rules of the table become formulas. Each operation
on them is appended to the graph, lightly simplified, and its slot is the result.

Evaluating a partial rule in `Terms(graph)` appends the rule to that graph, which is how a trace shows `ẋ1/x1` and `v̄3
× cos x2`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from ..graph.copies import copy_formula
from ..graph.graph import Constant, Graph
from ..table.operator_methods import ArithmeticOperators
from ..table.primitive import ROWS, Primitive
from ..typings import TYPE_CHECKING, TypeAlias, cast, override

if TYPE_CHECKING:
    from fractions import Fraction

    from ..table.arithmetic import LimitRule

# An operand: a slot of the graph, or a number that becomes a constant of it.
Operand: TypeAlias = "Term | float | str | Fraction"
# A condition: the slot of one that depends on the point, or a truth value that holds at every point.
Condition: TypeAlias = "Term | bool"


@lru_cache(maxsize=4096)
def read_decimal(text: str) -> Fraction | None:
    """Return the number of a decimal without exponent; None for other texts, and beyond 18 characters."""
    whole, point, decimals = text.removeprefix("-").partition(".")
    is_decimal = len(text) <= 18 and whole.isdecimal() and (decimals.isdecimal() or not point)
    return _fraction()(text) if is_decimal else None


@lru_cache(maxsize=1)
def _fraction() -> type[Fraction]:
    """Return the class of fractions, which the formulas of most rows do without."""
    from fractions import Fraction

    return Fraction


def decimal_text(number: Fraction | int) -> str | None:
    """Return the number as a decimal text without exponent, `-0.25`, with as few decimals as possible.

    A whole number has no point. None if it needs more than 16 decimals, or has no finite decimal.
    """
    for scale in range(17):
        if 10**scale % number.denominator == 0:
            digits = number.numerator * (10**scale // number.denominator)
            if scale == 0:
                return str(digits)
            padded = str(abs(digits)).rjust(scale + 1, "0")
            return f"{'-' if digits < 0 else ''}{padded[:-scale]}.{padded[-scale:]}"
    return None


_EXPONENT = 64  # the largest of a power of numbers that is folded

RATIONAL_OPERATIONS: dict[str, Callable[..., Fraction | None]] = {
    "neg": operator.neg, "mul": operator.mul, "add": operator.add, "sub": operator.sub,
    "div": lambda a, b: a / b if b else None,
}  # fmt: skip


def fold_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """Return `base` to the power of `exponent` if its text is not longer than `base^exponent`: 2^3, but not 10^6.

    A fraction counts as `2/3`, without brackets: (2/3)^4 is folded, (2/3)^5 = 32/243 is not. None if the text is
    longer, for an exponent that is not whole or above 64 in size, for 0^0, and for a division by 0.
    """
    if exponent.denominator != 1 or abs(exponent) > _EXPONENT or (not base and exponent <= 0):
        return None
    power = base**exponent.numerator
    return power if len(str(power)) <= len(f"{base}^{exponent}") else None


def fold_factorial(number: Fraction) -> Fraction | None:
    """Return the factorial of a whole number from 0 to 12 (`4!` is 24); None for others."""
    return _fraction()(math.factorial(number.numerator)) if number in range(13) else None


class Term(ArithmeticOperators):
    """A slot of a graph whose operators + - * / append operations to the graph (or simplify them)."""

    __slots__ = ("m", "slot")

    def __init__(self, m: Terms, slot: int) -> None:
        self.m = m
        self.slot = slot

    @override
    def call_row(self, name: str, *operands: Operand) -> Term:
        """Return what the arithmetic has for the row called `name`, simplified."""
        term: Term = getattr(self.m, name)(*operands)
        return term


class Terms:
    """The arithmetic of formulas over a graph; any function of the table is a method that appends it (`m.sin(x)`)."""

    folded = RATIONAL_OPERATIONS  # the operations on rational literals that are computed

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def term(self, slot: int) -> Term:
        """Return the Term of a slot of the graph."""
        return Term(self, slot)

    def number(self, x: Operand) -> Term:
        """Return a constant of the graph for a number or decimal text, 1 for True; a Term is returned as it is."""
        return x if isinstance(x, Term) else self._constant(Constant(str(int(x) if isinstance(x, bool) else x)))

    def _constant(self, constant: Constant) -> Term:
        return self.term(self.graph.constant(constant))

    zero = property(lambda self: self.number(0))
    one = property(lambda self: self.number(1))

    @property
    def pi(self) -> Term:
        return self.term(self.graph.constant(Constant("pi", named=True)))

    @property
    def e(self) -> Term:
        return self.term(self.graph.constant(Constant("e", named=True)))

    def __getattr__(self, name: str) -> Callable[..., Term]:
        """Return the function that appends the operation `name` to the graph, for any name in the table."""
        if name not in ROWS:
            raise AttributeError(name)
        return lambda *arguments: self.write(name, *arguments)

    # Rules are typed for numbers of one kind; here their arguments are terms, and constants not yet in the graph.

    def evaluate_rule(self, rule: Callable[..., object], *arguments: Operand) -> Operand:
        """Return the result of a rule `(m, *arguments)` that returns a number."""
        return cast("Callable[..., Operand]", rule)(self, *arguments)

    def holds(self, rule: Callable[..., object], *arguments: Operand) -> Condition:
        """Return the result of a rule `(m, *arguments)` that returns a condition."""
        return cast("Callable[..., Condition]", rule)(self, *arguments)

    def partials(self, row: Primitive, z: Term, arguments: Sequence[Term], needed: Sequence[bool]) -> list[Operand]:
        """Return the partials of `row` by position, by its rules; 0 where `needed` is false or there is no rule."""
        rules = cast("Callable[..., list[Operand | None]]", row.rules)
        return [0 if partial is None else partial for partial in rules(self, z, arguments, needed)]

    def write(self, name: str, *arguments: Operand) -> Term:
        """Append the operation as it is, without simplification."""
        terms = [self.number(a) for a in arguments]
        return self.term(self.graph.apply(ROWS[name], tuple(term.slot for term in terms)))

    def copy_formula(self, source: Graph, root: int, place: Mapping[int, Term] = MappingProxyType({})) -> Term:
        """Return a copy of the formula in slot `root` of the graph `source`.

        `place` has the terms for slots of `source`; every other leaf must be a constant.
        """
        places = copy_formula(self.graph, source, root, {slot: term.slot for slot, term in place.items()})
        return self.term(places[root])

    def rational(self, x: Operand, depth: int = 3) -> Fraction | None:
        """Return the exact rational number that a literal is written as (`3`, `-2.5`, `1/2`, `-1/3`), or that an int
        is.

        Operations on literals (those in `folded`, such as +) are folded `depth` levels deep. None for every other
        operand: deeper operations, a division by 0, named constants, numbers beyond 18 characters, and floats and texts
        that are not terms.
        """
        if not isinstance(x, Term):
            return _fraction()(x) if isinstance(x, int) else None
        constant = self.graph.constants.get(x.slot)
        if constant is not None:
            return read_decimal(constant.text)
        if not self.graph.literal[x.slot] and not self.is_folded_call(x.slot):
            return None
        for name, fold in self.folded.items():
            parts = self.parts(x, name)
            if parts:
                exact = [self.rational(part, depth - 1) for part in parts] if depth else [None]
                return None if None in exact else fold(*exact)
        return None

    def is_folded_call(self, slot: int) -> bool:
        """Return whether a slot is a function, no arithmetic, that is computed if its argument is a literal: `4!`."""
        row = self.graph.rows[slot]
        return row is not None and not row.folds and row.name in self.folded

    def _write_rational(self, exact: Fraction, *sources: Operand) -> Term:
        """Append the rational number `exact` and return its term: one constant (a decimal of at most 16 places, with
        its sign), or a fraction p/q.

        The minus sign of a fraction is an operation in front. A number that is not whole is always a fraction if one of
        `sources`, the terms that it was computed from, is an operation.
        """
        fraction = any(isinstance(x, Term) and self.graph.rows[x.slot] is not None for x in sources)
        text = decimal_text(exact)
        if text is not None and not (fraction and exact.denominator > 1):
            return self.number(text)
        quotient = self.write("div", abs(exact.numerator), exact.denominator)
        return quotient if exact > 0 else self.write("neg", quotient)

    def equals(self, x: Operand, number: int) -> bool:
        """Return whether a term is a literal with this integer value."""
        constant = self.graph.constants.get(x.slot) if isinstance(x, Term) else None
        if constant is not None and constant.text.removeprefix("-").isdecimal():
            return int(constant.text[:19]) == number  # without fractions
        return (x if isinstance(x, int) else self.rational(x)) == number

    def parts(self, x: Operand, name: str) -> tuple[Term, ...] | None:
        """Return the arguments of the term `x` if it is the operation called `name`.

        None if it is another operation, an input or constant, or not a term.
        """
        if not isinstance(x, Term):
            return None
        row = self.graph.rows[x.slot]
        if row is None or row.name != name:
            return None
        return tuple(self.term(parent) for parent in self.graph.parents[x.slot])

    def _fold_rationals(self, name: str, a: Operand, b: Operand) -> Term | None:
        """Return the result of the operation `name` (a key of RATIONAL_OPERATIONS) on two rational numbers as a term.

        None if `a` or `b` is not a literal that is a rational number, or for a division by 0.
        """
        for x in (a, b):
            if isinstance(x, Term) and x.slot not in self.graph.constants and not self.graph.literal[x.slot]:
                return None
        left, right = self.rational(a), self.rational(b)
        exact = None if left is None or right is None else RATIONAL_OPERATIONS[name](left, right)
        return None if exact is None else self._write_rational(exact, a, b)

    def add(self, a: Operand, b: Operand) -> Term:
        """Return the sum, simplified: two rational numbers are folded, + 0 is dropped, and a + -b is a - b; others are
        appended.
        """
        return self._add_or_subtract("add", a, b)

    def sub(self, a: Operand, b: Operand) -> Term:
        """Return the difference, simplified: two rational numbers are folded, - 0 is dropped, 0 - b is -b, and a - -b
        is a + b; others are appended.
        """
        return self._add_or_subtract("sub", a, b)

    def _add_or_subtract(self, name: str, a: Operand, b: Operand) -> Term:
        """Return a + b or a - b (`name` is "add" or "sub"), simplified. The first that applies:

        - two rational numbers are folded
        - + 0 and - 0 are dropped; 0 - b is -b
        - a + -b is a - b, and a - -b is a + b
        - the operation is appended to the graph
        """
        folded = self._fold_rationals(name, a, b)
        if folded is not None:
            return folded
        if self.equals(b, 0):
            return self.number(a)
        if self.equals(a, 0):
            return self.number(b) if name == "add" else self.neg(b)
        negated = self.parts(b, "neg")
        if negated:
            return self.sub(a, negated[0]) if name == "add" else self.add(a, negated[0])
        return self.write(name, a, b)

    def mul(self, a: Operand, b: Operand) -> Term:
        """Return the product, simplified; no domain is looked at: 0 * log(x) is 0. The first that applies:

        - two rational numbers are folded
        - a factor 0 gives 0, a factor 1 is dropped, a factor -1 or a minus sign is moved in front
        - a * (1/b) is a/b (but (1/b) * a stays), and x*x is x^2
        - the product is appended to the graph
        """
        folded = self._fold_rationals("mul", a, b)
        if folded is not None:
            return folded
        for factor, other in ((a, b), (b, a)):
            if self.equals(factor, 0):
                return self.number(0)
            if self.equals(factor, 1):
                return self.number(other)
            if self.equals(factor, -1):
                return self.neg(other)
        negated = self.parts(a, "neg")
        if negated:
            return self.neg(self.mul(negated[0], b))
        negated = self.parts(b, "neg")
        if negated:
            return self.neg(self.mul(a, negated[0]))
        quotient = self.parts(b, "div")
        if quotient and self.equals(quotient[0], 1):
            return self.div(a, quotient[1])
        if isinstance(a, Term) and isinstance(b, Term) and a.slot == b.slot:
            return self.pow(a, 2)
        return self.write("mul", a, b)

    def div(self, a: Operand, b: Operand) -> Term:
        """Return the quotient, simplified. The first that applies:

        - x/1 is x, 0/b is 0 (also for b = 0), -1/b is -(1/b)
        - a numerator that is a negation (not a literal such as -3): the minus sign is moved in front
        - the quotient is appended to the graph, also one of two numbers
        """
        if self.equals(b, 1):
            return self.number(a)
        if self.equals(a, 0):
            return self.number(0)
        if self.equals(a, -1):
            return self.neg(self.write("div", 1, b))
        negated = self.parts(a, "neg")
        return self.neg(self.div(negated[0], b)) if negated else self.write("div", a, b)

    def neg(self, a: Operand) -> Term:
        """Return the negative; a number is folded, and - -a is a."""
        exact = self.rational(a)
        if exact is not None:
            return self._write_rational(-exact, a)
        negated = self.parts(a, "neg")
        return negated[0] if negated else self.write("neg", a)

    def pow(self, a: Operand, b: Operand) -> Term:
        """Return the power; x^0 is 1, and x^1 is x."""
        if self.equals(b, 0):
            return self.number(1)
        return self.number(a) if self.equals(b, 1) else self.write("pow", a, b)

    def guard(self, limit: LimitRule, rule: Operand, *arguments: Operand) -> Term:
        """Return the rule without its limit: exceptional points matter for numbers, not in formulas for people."""
        return self.number(rule)

    def choose(self, condition: Operand, a: Operand, b: Operand) -> Term:
        return self.write("if", condition, a, b)

    def both(self, a: Condition, b: Condition) -> Condition:
        return self.write("and", a, b)

    def either(self, a: Condition, b: Condition) -> Condition:
        return self.write("or", a, b)


def partial_slots(row: Primitive, names: Sequence[str]) -> tuple[Graph, int, list[int]]:
    """Return (a new graph, the slot in it of the function `row` of inputs with these `names`, the slot of its partial
    with respect to each: a constant 0 where the row has no rule)."""
    graph = Graph()
    m = Terms(graph)
    slots = [graph.input(name) for name in names]
    z = graph.apply(row, tuple(slots))
    terms = m.partials(row, Term(m, z), tuple(Term(m, slot) for slot in slots), (True,) * len(slots))
    return graph, z, [m.number(term).slot for term in terms]
