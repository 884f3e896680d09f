"""The table read with graph nodes: rules become formulas.

`Terms(graph)` is an arithmetic whose numbers are slots of a graph.  Reading a partial rule with it writes the rule
down as operations of that graph, lightly simplified, which is how a trace shows `ẋ1/x1` and `v̄3 × cos x2`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from ..graph.graph import Constant, Graph
from ..graph.order import postorder
from ..table.primitive import ROWS, Primitive

if TYPE_CHECKING:
    from fractions import Fraction
    from typing import TypeAlias

    from ..table.arithmetic import LimitRule

    # What operations are written on: slots of the graph, and numbers that become constants of it.
    Operand: TypeAlias = "Term | float | str | Fraction"
    # What holds of a slot at some points, or of any.
    Condition: TypeAlias = "Term | bool"

_DECIMAL = re.compile(r"(-?)(\d+)(?:\.(\d+))?\Z")


class Ratio:
    """A short rational number, for folding `3 - 1`, `2.2 - 1` and `1/2 - 1` in formulas; its denominator is above 0."""

    __slots__ = ("denominator", "numerator")

    def __init__(self, numerator: int, denominator: int = 1) -> None:
        common = math.gcd(numerator, denominator) * (-1 if denominator < 0 else 1)
        self.numerator = numerator // common
        self.denominator = denominator // common

    @classmethod
    def read(cls, text: str) -> Ratio | None:
        match = _DECIMAL.match(text)
        if match is None or len(text) > 18:
            return None
        sign, whole, decimals = match.group(1), match.group(2), match.group(3) or ""
        return cls(int(sign + whole + decimals), 10 ** len(decimals))

    def plus(self, other: Ratio) -> Ratio:
        top = self.numerator * other.denominator + other.numerator * self.denominator
        return Ratio(top, self.denominator * other.denominator)

    def times(self, other: Ratio) -> Ratio:
        return Ratio(self.numerator * other.numerator, self.denominator * other.denominator)

    def negative(self) -> Ratio:
        return Ratio(-self.numerator, self.denominator)

    def decimal(self) -> str | None:
        """The number in decimals, if it has a few."""
        for scale in range(17):
            if 10**scale % self.denominator == 0:
                digits = self.numerator * (10**scale // self.denominator)
                if scale == 0:
                    return str(digits)
                padded = str(abs(digits)).rjust(scale + 1, "0")
                return f"{'-' if digits < 0 else ''}{padded[:-scale]}.{padded[-scale:]}"
        return None

    def over(self, other: Ratio) -> Ratio | None:
        if not other.numerator:
            return None
        return Ratio(self.numerator * other.denominator, self.denominator * other.numerator)


_FOLDED: dict[str, Callable[..., Ratio | None]] = {
    "neg": Ratio.negative, "div": Ratio.over, "mul": Ratio.times, "add": Ratio.plus,
    "sub": lambda a, b: a.plus(b.negative()),
}  # fmt: skip


class Term:
    """A slot of a graph that answers to `+ - * /` by writing the operation into the graph."""

    __slots__ = ("m", "slot")

    def __init__(self, m: Terms, slot: int) -> None:
        self.m = m
        self.slot = slot

    def __add__(self, other: Operand) -> Term:
        return self.m.add(self, other)

    def __radd__(self, other: Operand) -> Term:
        return self.m.add(other, self)

    def __sub__(self, other: Operand) -> Term:
        return self.m.sub(self, other)

    def __rsub__(self, other: Operand) -> Term:
        return self.m.sub(other, self)

    def __mul__(self, other: Operand) -> Term:
        return self.m.mul(self, other)

    def __rmul__(self, other: Operand) -> Term:
        return self.m.mul(other, self)

    def __truediv__(self, other: Operand) -> Term:
        return self.m.div(self, other)

    def __rtruediv__(self, other: Operand) -> Term:
        return self.m.div(other, self)

    def __neg__(self) -> Term:
        return self.m.neg(self)


class Terms:
    """The arithmetic of formulas over a graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def term(self, slot: int) -> Term:
        """The term that stands for a slot of the graph."""
        return Term(self, slot)

    def number(self, x: Operand) -> Term:
        """A constant of the graph for an integer or decimal; a Term is left as it is."""
        if isinstance(x, Term):
            return x
        return self.term(self.graph.constant(Constant(str(x))))

    @property
    def zero(self) -> Term:
        return self.number(0)

    @property
    def one(self) -> Term:
        return self.number(1)

    @property
    def pi(self) -> Term:
        return self.term(self.graph.constant(Constant("pi", named=True)))

    @property
    def e(self) -> Term:
        return self.term(self.graph.constant(Constant("e", named=True)))

    def __getattr__(self, name: str) -> Callable[..., Term]:
        if name not in ROWS:
            raise AttributeError(name)
        return lambda *arguments: self.write(name, *arguments)

    # Rules are checked for numbers of one kind; here constants that are not written yet stand beside terms.

    def asked(self, rule: Callable[..., object], *arguments: Operand) -> Operand:
        """What a rule that tells a number comes to."""
        return cast("Callable[..., Operand]", rule)(self, *arguments)

    def holds(self, rule: Callable[..., object], *arguments: Operand) -> Condition:
        """What a rule that tells a condition comes to."""
        return cast("Callable[..., Condition]", rule)(self, *arguments)

    def partials(self, row: Primitive, z: Term, arguments: Sequence[Term], wanted: Sequence[bool]) -> list[Operand]:
        """What the rules of a row for its partials come to, 0 where not wanted."""
        rules = cast("Callable[..., list[Operand | None]]", row.rules)
        return [0 if partial is None else partial for partial in rules(self, z, arguments, wanted)]

    def write(self, name: str, *arguments: Operand) -> Term:
        """The operation as it stands, without simplification."""
        terms = [self.number(a) for a in arguments]
        return self.term(self.graph.apply(ROWS[name], tuple(term.slot for term in terms)))

    def copied(self, source: Graph, root: int, place: Mapping[int, Term] = MappingProxyType({})) -> Term:
        """Return a formula of another graph written here; `place` has the terms for its inputs by slot."""
        terms: dict[int, Term] = {}
        for slot in postorder(root, source.parents.__getitem__):
            row = source.rows[slot]
            if slot in place:
                terms[slot] = place[slot]
            elif row is None:
                terms[slot] = self.term(self.graph.constant(source.constants[slot]))
            else:
                terms[slot] = self.write(row.name, *[terms[parent] for parent in source.parents[slot]])
        return terms[root]

    def rational(self, x: Operand, depth: int = 3) -> Ratio | None:
        """The rational number that a term is, if it is written as one: `3`, `-2.5`, `1/2`, `-1/3`."""
        if not isinstance(x, Term):
            return Ratio(x) if isinstance(x, int) else None
        constant = self.graph.constants.get(x.slot)
        if constant is not None:
            return None if constant.named else Ratio.read(constant.text)
        if not self.graph.literal[x.slot]:
            return None
        for name, joined in _FOLDED.items():
            parts = self.parts(x, name)
            if parts:
                exact = [self.rational(part, depth - 1) for part in parts] if depth else [None]
                return None if None in exact else joined(*exact)
        return None

    def _folded(self, exact: Ratio, *sources: Operand) -> Term:
        """A rational number written down: as a fraction if one of its sources was one, else in decimals."""
        fraction = any(isinstance(x, Term) and self.graph.rows[x.slot] is not None for x in sources)
        text = exact.decimal()
        if text is not None and not (fraction and exact.denominator > 1):
            return self.number(text)
        quotient = self.write("div", abs(exact.numerator), exact.denominator)
        return quotient if exact.numerator > 0 else self.write("neg", quotient)

    def equals(self, x: Operand, number: int) -> bool:
        """Whether a term is this whole number, written down."""
        exact = self.rational(x)
        return exact is not None and exact.denominator == 1 and exact.numerator == number

    def parts(self, x: Operand, name: str) -> tuple[Term, ...] | None:
        """The arguments of a term, if it is this operation."""
        if not isinstance(x, Term):
            return None
        row = self.graph.rows[x.slot]
        if row is None or row.name != name:
            return None
        return tuple(self.term(parent) for parent in self.graph.parents[x.slot])

    def add(self, a: Operand, b: Operand) -> Term:
        left, right = self.rational(a), self.rational(b)
        if left is not None and right is not None:
            return self._folded(left.plus(right), a, b)
        if self.equals(a, 0):
            return self.number(b)
        if self.equals(b, 0):
            return self.number(a)
        negated = self.parts(b, "neg")
        return self.sub(a, negated[0]) if negated else self.write("add", a, b)

    def sub(self, a: Operand, b: Operand) -> Term:
        left, right = self.rational(a), self.rational(b)
        if left is not None and right is not None:
            return self._folded(left.plus(right.negative()), a, b)
        if self.equals(b, 0):
            return self.number(a)
        if self.equals(a, 0):
            return self.neg(b)
        negated = self.parts(b, "neg")
        return self.add(a, negated[0]) if negated else self.write("sub", a, b)

    def mul(self, a: Operand, b: Operand) -> Term:
        left, right = self.rational(a), self.rational(b)
        if left is not None and right is not None:
            return self._folded(left.times(right), a, b)
        for one, other in ((a, b), (b, a)):
            if self.equals(one, 0):
                return self.number(0)
            if self.equals(one, 1):
                return self.number(other)
            if self.equals(one, -1):
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
        if self.equals(b, 1):
            return self.number(a)
        if self.equals(a, 0):
            return self.number(0)
        if self.equals(a, -1):
            return self.neg(self.write("div", 1, b))
        negated = self.parts(a, "neg")
        if negated:
            return self.neg(self.div(negated[0], b))
        return self.write("div", a, b)

    def neg(self, a: Operand) -> Term:
        exact = self.rational(a)
        if exact is not None:
            return self._folded(exact.negative(), a)
        negated = self.parts(a, "neg")
        return negated[0] if negated else self.write("neg", a)

    def pow(self, a: Operand, b: Operand) -> Term:
        if self.equals(b, 0):
            return self.number(1)
        if self.equals(b, 1):
            return self.number(a)
        return self.write("pow", a, b)

    def guard(self, limit: LimitRule, rule: Operand, *arguments: Operand) -> Term:
        """The rule alone: the exceptional points are the business of numbers, not of formulas for people."""
        return self.number(rule)

    def choose(self, condition: Operand, a: Operand, b: Operand) -> Term:
        return self.write("if", condition, a, b)

    def both(self, a: Condition, b: Condition) -> Condition:
        return self.write("and", a, b)

    def either(self, a: Condition, b: Condition) -> Condition:
        return self.write("or", a, b)
