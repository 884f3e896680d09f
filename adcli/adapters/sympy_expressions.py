"""Expressions of SymPy: the table read with them, and their way back as a text of the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import RequestError
from ..extras import Needs
from ..graph.graph import CONSTANTS, Graph
from ..table.primitive import ROWS, lookup

if TYPE_CHECKING:
    import sympy

    from ..table.primitive import Limit

_SHORT = 40  # characters of a number that becomes a fraction


class Symbols:
    """The arithmetic of SymPy's expressions; what it lacks comes from the rows."""

    def __init__(self) -> None:
        with Needs("expressions of SymPy need sympy", "sympy"):
            import sympy
        self._sympy = sympy
        self.zero, self.one, self.pi, self.e = sympy.Integer(0), sympy.Integer(1), sympy.pi, sympy.E
        relations = {"lt": sympy.Lt, "le": sympy.Le, "gt": sympy.Gt, "ge": sympy.Ge, "eq": sympy.Eq, "ne": sympy.Ne}
        self._relations = {**relations, "both": sympy.And, "either": sympy.Or}

    def number(self, x: object) -> sympy.Expr:
        """A number as it was written: exactly, unless it is long."""
        text = str(x)
        short = len(text) <= _SHORT and abs(int(text.lower().partition("e")[2] or 0)) <= _SHORT
        return self._sympy.Rational(text) if short else self._sympy.Float(text)

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        """`a` where the condition holds, else `b`."""
        if not isinstance(condition, (self._sympy.logic.boolalg.Boolean, bool)):
            condition = self._sympy.Ne(condition, 0)
        return self._sympy.Piecewise((a, condition), (b, True))

    def guard(self, limit: Limit, rule: Any, *arguments: Any) -> Any:
        """The rule: its limits are what it tends to."""
        return rule

    def div(self, a: Any, b: Any) -> Any:
        return a / b

    def pow(self, a: Any, b: Any) -> Any:
        return self._sympy.Pow(a, b)

    def cbrt(self, x: Any) -> Any:
        return self._sympy.sign(x) * self._sympy.Abs(x) ** self._sympy.Rational(1, 3)

    def hypot(self, a: Any, b: Any) -> Any:
        return self._sympy.sqrt(a**2 + b**2)

    def expm1(self, x: Any) -> Any:
        return self._sympy.exp(x) - 1

    def log1p(self, x: Any) -> Any:
        return self._sympy.log(1 + x)

    def log2(self, x: Any) -> Any:
        return self._sympy.log(x, 2)

    def log10(self, x: Any) -> Any:
        return self._sympy.log(x, 10)

    def sigmoid(self, x: Any) -> Any:
        return 1 / (1 + self._sympy.exp(-x))

    def softplus(self, x: Any) -> Any:
        return self._sympy.log(1 + self._sympy.exp(x))

    def sphericalj(self, n: Any, x: Any) -> Any:
        half, size = self._sympy.Rational(1, 2), self._sympy.Abs(x)
        found = self._sympy.sqrt(self._sympy.pi / (2 * size)) * self._sympy.besselj(n + half, size)
        return self._sympy.sign(x) ** n * found

    def lambertw(self, x: Any) -> Any:
        return self._sympy.LambertW(x)

    def erfcinv(self, x: Any) -> Any:
        return self._sympy.erfinv(1 - x)

    def probit(self, x: Any) -> Any:
        return self._sympy.sqrt(2) * self._sympy.erfinv(2 * x - 1)

    def round(self, x: Any) -> Any:
        return self._sympy.sign(x) * self._sympy.floor(self._sympy.Abs(x) + self._sympy.Rational(1, 2))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """A condition, a function of SymPy that is called so too, or what the row says."""
        if name.startswith("_"):
            raise AttributeError(name)
        relation = self._relations.get(name)
        if relation is not None:
            return lambda a, b: relation(a, b)
        row = ROWS[name]
        own: Callable[..., Any] | None = getattr(self._sympy, row.sympy or name, None)
        if own is not None and (row.sympy or (isinstance(own, type) and issubclass(own, self._sympy.Function))):
            return own
        if row.own is not None:
            raise RequestError(f"{name} has no form in SymPy", help="f.kernel computes it at many points")
        rule: Callable[..., Any] = row.value
        return lambda *arguments: rule(self, *arguments)


def to_sympy(graph: Graph) -> list[sympy.Expr]:
    """Every output as an expression of SymPy, whose symbols have the names of the inputs and no assumptions."""
    m = Symbols()
    import sympy

    made: list[Any] = []
    for slot, row in enumerate(graph.rows):
        if slot in graph.inputs:
            made.append(sympy.Symbol(graph.inputs[slot]))
        elif row is None:
            constant = graph.constants[slot]
            made.append(CONSTANTS[constant.text](m) if constant.named else m.number(constant.text))
        else:
            rule: Callable[..., Any] = getattr(m, row.name) if row.name in vars(Symbols) else row.value
            arguments = [made[parent] for parent in graph.parents[slot]]
            made.append(rule(*arguments) if row.name in vars(Symbols) else rule(m, *arguments))
    return [made[slot] for _, slot in graph.outputs]


_INFIX = {"Add": " + ", "Mul": "*", "Pow": "^", "And": " and ", "Or": " or "}
_LONGEST = 200_000  # characters of a text


def language_text(found: object) -> tuple[str, list[str]]:
    """An expression of SymPy, or several, as a text of the language, and the names of its symbols in their order.

    Raises RequestError for what the language has not: complex and infinite numbers, other functions, other names.
    """
    with Needs("expressions of SymPy need sympy", "sympy"):
        import sympy
    texts, names = [], set()
    for x in found if isinstance(found, (list, tuple)) else [found]:
        if not isinstance(x, (sympy.Basic, int, float)):
            raise RequestError("this is no expression of SymPy", label=f"it is of type {type(x).__name__}")
        expression = sympy.sympify(x)
        text, symbols = _text(expression)
        texts.append(text)
        names |= symbols
    for name in sorted(names):
        if not name.isidentifier() or name in CONSTANTS or lookup(name) is not None:
            raise RequestError(f"{name[:40]} cannot be the name of an input here", help="give the symbol another name")
    return "; ".join(texts), sorted(names)


def _text(expression: sympy.Basic) -> tuple[str, set[str]]:
    """One expression, every part of it in brackets, and the names of its symbols.

    A part that is shared is met once; it is known by its identity, as to compare parts SymPy goes down all of them.
    """
    done: dict[int, str] = {}
    names = set()
    waiting = [expression]
    while waiting:
        x = waiting[-1]
        missing = [part for part in x.args if id(part) not in done]
        if missing:
            waiting += missing
            continue
        waiting.pop()
        if getattr(x, "is_Symbol", False):
            names.add(str(x))
        text = done[id(x)] = _written(x, [done[id(part)] for part in x.args])
        if len(text) > _LONGEST:
            raise RequestError("the expression is too long to be written", label=f"over {_LONGEST:,} characters")
    return done[id(expression)], names


def _written(x: Any, parts: Sequence[str]) -> str:
    """An operation on parts that are written."""
    kind = type(x).__name__
    if x.is_Symbol:
        return str(x)
    if x.is_Rational:
        return f"({x.p}/{x.q})" if x.q != 1 else f"({x.p})"
    if kind == "Pi":
        return "pi"
    if kind == "Exp1":
        return "exp(1)"
    if x.is_Float or x.is_NumberSymbol:
        return f"({float(x)!r})"
    if kind in _INFIX:
        return f"({_INFIX[kind].join(parts)})"
    if x.is_Relational:
        sign = {"Equality": "==", "Unequality": "!="}.get(kind, x.rel_op)
        return f"({parts[0]} {sign} {parts[1]})"
    if kind == "Not":
        return f"(not {parts[0]})"
    if kind == "BooleanTrue":
        return ""
    if kind == "ExprCondPair":
        return f"if({parts[1]}, {parts[0]}, " if parts[1] else parts[0]
    if kind == "Piecewise" and type(x.args[-1].cond).__name__ == "BooleanTrue":
        return "".join(parts) + ")" * (len(parts) - 1)
    name = next((row.name for row in ROWS.values() if row.sympy == kind), kind)
    row = lookup(name)
    if row is None or not parts or not row.accepts(len(parts)):
        raise RequestError(
            f"the language has no {kind[:40]}",
            label=f"{kind}({', '.join(parts)})"[:80],
            help="write it with functions that it has",
        )
    return f"{name}({', '.join(parts)})"


def in_order(found: Sequence[Any]) -> Any:
    """One for one output, a list for several."""
    return found[0] if len(found) == 1 else list(found)
