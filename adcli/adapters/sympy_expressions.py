"""SymPy expressions: graphs of the table as expressions of SymPy, and such expressions as text of the language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ..errors import RequestError
from ..extras import Needs
from ..graph.graph import CONSTANTS, Graph
from ..graph.order import postorder
from ..graph.plan import leaf_values
from ..table.primitive import ROWS, lookup
from ..typings import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    import sympy

    from ..table.arithmetic import LimitRule


T = TypeVar("T")
_SHORT = 40  # characters of a number that becomes a fraction
# Functions that SymPy lacks, or has in another form: expressions of the arguments, from the module of SymPy.
_COMPOSED: Final[Mapping[str, Callable[..., sympy.Expr]]] = {
    "pow": lambda s, a, b: s.Pow(a, b),
    "cbrt": lambda s, x: s.sign(x) * s.Abs(x) ** s.Rational(1, 3),
    "sigmoid": lambda s, x: 1 / (1 + s.exp(-x)),
    "softplus": lambda s, x: s.log(1 + s.exp(x)),
    "sphericalj": lambda s, n, x: (
        s.sign(x) ** n * (s.sqrt(s.pi / (2 * s.Abs(x))) * s.besselj(n + s.Rational(1, 2), s.Abs(x)))
    ),
    "erfcx": lambda s, x: s.exp(x**2) * s.erfc(x),
    "gammainc": lambda s, a, x: s.lowergamma(a, x) / s.gamma(a),
    "gammaincc": lambda s, a, x: s.uppergamma(a, x) / s.gamma(a),
    "gammaincprime": lambda s, a, x: x ** (a - 1) * s.exp(-x) / s.gamma(a),
    "betaln": lambda s, a, b: s.loggamma(a) + s.loggamma(b) - s.loggamma(a + b),
    "polygammadiff": lambda s, n, a, b: s.polygamma(n, a) - s.polygamma(n, a + b),
    "lambertw": lambda s, x: s.LambertW(x),
    "lambertwm1": lambda s, x: s.LambertW(x, -1),
    "erfcinv": lambda s, x: s.erfinv(1 - x),
    "probit": lambda s, x: s.sqrt(2) * s.erfinv(2 * x - 1),
    "round": lambda s, x: s.sign(x) * s.floor(s.Abs(x) + s.Rational(1, 2)),
}  # fmt: skip


class SympyArithmetic:
    """The arithmetic of SymPy's expressions; functions that it lacks are composed by the rules of the table."""

    def __init__(self) -> None:
        with Needs("expressions of SymPy need sympy", "sympy"):
            import sympy
        self._sympy = sympy
        self.zero, self.one, self.pi, self.e = sympy.Integer(0), sympy.Integer(1), sympy.pi, sympy.E
        relations = {"lt": sympy.Lt, "le": sympy.Le, "gt": sympy.Gt, "ge": sympy.Ge, "eq": sympy.Eq, "ne": sympy.Ne}
        self._relations: Mapping[str, Callable[..., sympy.Expr]] = {**relations, "both": sympy.And, "either": sympy.Or}

    def number(self, x: object) -> sympy.Expr:
        """Return the number with the text str(x) as an exact fraction if the text has at most 40 characters and its
        exponent at most 40 (±), else as a float of SymPy."""
        text = str(x)
        short = len(text) <= _SHORT and abs(int(text.lower().partition("e")[2] or 0)) <= _SHORT
        return self._sympy.Rational(text) if short else self._sympy.Float(text)

    def choose(self, condition: sympy.Expr, a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
        """Return the piecewise expression that is `a` if the condition is true (or not 0), else `b`."""
        if not isinstance(condition, (self._sympy.logic.boolalg.Boolean, bool)):
            condition = self._sympy.Ne(condition, 0)
        return self._sympy.Piecewise((a, condition), (b, True))

    def guard(self, limit: LimitRule, rule: sympy.Expr, *arguments: sympy.Expr) -> sympy.Expr:
        """Return `rule` alone: SymPy's expressions have the limit as their own limit."""
        return rule

    def div(self, a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
        return a / b

    def __getattr__(self, name: str) -> Callable[..., sympy.Expr]:
        """Return the function called `name` in `_COMPOSED`, the relation (lt, …, both, either), the function of SymPy,
        or the rule of the row, the first of these that exists.

        The function of SymPy is what the row names in `sympy`, or a class of functions called `name`. The rule (the
        composed one, if there are two) takes the arguments alone. Raises RequestError for a function that cannot be
        composed from others and that SymPy lacks, AttributeError for a name that begins with an underscore, and
        KeyError for one that the table lacks.
        """
        if name.startswith("_"):
            raise AttributeError(name)
        if name in _COMPOSED:
            return partial(_COMPOSED[name], self._sympy)
        if name in self._relations:
            return self._relations[name]
        row = ROWS[name]
        sympy_function: Callable[..., sympy.Expr] | None = getattr(self._sympy, row.sympy or name, None)
        if sympy_function is not None and (
            row.sympy or (isinstance(sympy_function, type) and issubclass(sympy_function, self._sympy.Function))
        ):
            return sympy_function
        if row.own is not None:
            raise RequestError(f"SymPy has no function for {name}", help="f.kernel computes it at many points")
        rule: Callable[..., sympy.Expr] = row.composed or row.value
        return partial(rule, self)


def to_sympy(graph: Graph) -> list[sympy.Expr]:
    """Return every output of the graph as an expression of SymPy, in order; its symbols are the inputs, without
    assumptions.

    Decimals are exact fractions if they are short (`number`), else floats of SymPy; named constants are SymPy's. Raises
    RequestError without SymPy, and for a function that has no form there.
    """
    m = SympyArithmetic()
    import sympy

    expressions = leaf_values(graph, m, {slot: sympy.Symbol(name) for slot, name in graph.inputs.items()})
    for slot, row in enumerate(graph.rows):
        if row is not None:
            table_rule: Callable[..., sympy.Expr] = row.value
            rule = getattr(m, row.name) if row.name in _COMPOSED else partial(table_rule, m)
            expressions[slot] = rule(*[expressions[parent] for parent in graph.parents[slot]])
    return [expressions[slot] for _, slot in graph.outputs]


# Texts by the names of SymPy's classes: infix signs, relations that are written differently, constants.
_INFIX = {"Add": " + ", "Mul": "*", "Pow": "^", "And": " and ", "Or": " or "}
_RELATIONS = {"Equality": "==", "Unequality": "!="}
_CONSTANTS = {"Pi": "pi", "Exp1": "exp(1)", "BooleanTrue": ""}
_LONGEST = 200_000  # characters of a text


def language_text(source: object) -> tuple[str, list[str]]:
    """Return (the text of the language for an expression of SymPy or a list of them, its sorted symbol names).

    Several expressions are separated by "; "; numbers are expressions too; an empty list gives "". Raises RequestError
    for anything else: other types, complex and infinite numbers, functions that the language lacks, texts beyond
    200,000 characters, and symbols that are not identifiers or have the name of a function or constant; also without
    SymPy.
    """
    with Needs("expressions of SymPy need sympy", "sympy"):
        import sympy
    texts, names = [], set()
    for x in source if isinstance(source, (list, tuple)) else [source]:
        if not isinstance(x, (sympy.Basic, int, float)):
            raise RequestError("this is not an expression of SymPy", label=f"its type is {type(x).__name__}")
        expression = sympy.sympify(x)
        text, symbols = _expression_text(expression)
        texts.append(text)
        names |= symbols
    for name in sorted(names):
        if not name.isidentifier() or name in CONSTANTS or lookup(name) is not None:
            raise RequestError(f"an input cannot be called {name[:40]}", help="give the symbol another name")
    return "; ".join(texts), sorted(names)


def _expression_text(expression: sympy.Basic) -> tuple[str, set[str]]:
    """Return (text, names) of one expression: its text with every part in brackets, and the set of its symbol names.

    The text of a shared part is made once, found by its identity (comparing parts descends through all of them), but
    stands at every place of its use.
    Raises RequestError if the text is longer than 200,000 characters.
    """
    parts = {id(expression): expression}
    texts: dict[int, str] = {}
    names = set()

    def arguments(key: int) -> list[int]:
        """Return the identities of the arguments of a part, the last one first, and store them in `parts`."""
        parts.update({id(part): part for part in parts[key].args})
        return [id(part) for part in reversed(parts[key].args)]

    for key in postorder(id(expression), arguments):
        x = parts[key]
        if getattr(x, "is_Symbol", False):
            names.add(str(x))
        text = texts[key] = _write_operation(x, [texts[id(part)] for part in x.args])
        if len(text) > _LONGEST:
            raise RequestError("the expression is too long to be written", label=f"over {_LONGEST:,} characters")
    return texts[id(expression)], names


def _write_operation(x: sympy.Expr, parts: Sequence[str]) -> str:
    """Return the text of the expression `x`, whose arguments have the texts `parts`, in brackets unless it is a name or
    a call.

    Fractions are exact, other numbers the shortest decimal of their double. Named constants have their names in the
    language. A pair of a Piecewise is `if(condition, value, `, which the next one closes; a pair without a condition
    text is its value alone. A Piecewise whose last condition is not true is written as a call, as functions are, for
    which RequestError is raised if the language lacks it.
    """
    kind = type(x).__name__
    if x.is_Symbol:
        return str(x)
    if x.is_Rational:
        return f"({x.p}/{x.q})" if x.q != 1 else f"({x.p})"
    if kind in _CONSTANTS:
        return _CONSTANTS[kind]
    if x.is_Float or x.is_NumberSymbol:
        return f"({float(x)!r})"
    if kind in _INFIX:
        return f"({_INFIX[kind].join(parts)})"
    if x.is_Relational:
        return f"({parts[0]} {_RELATIONS.get(kind, x.rel_op)} {parts[1]})"
    if kind == "Not":
        return f"(not {parts[0]})"
    if kind == "ExprCondPair":
        return f"if({parts[1]}, {parts[0]}, " if parts[1] else parts[0]
    if kind == "Piecewise" and type(x.args[-1].cond).__name__ == "BooleanTrue":
        return "".join(parts) + ")" * (len(parts) - 1)
    return _write_call(kind, parts)


def _write_call(kind: str, parts: Sequence[str]) -> str:
    """Return the call of the language for SymPy's function `kind` with these texts of its arguments.

    The name in the language is that of the first function of adcli's table that SymPy calls `kind`; if there is none,
    `kind` itself. Raises RequestError if the language lacks the function, if it does not take this number of arguments,
    or if there are no arguments.
    """
    name = next((row.name for row in ROWS.values() if row.sympy == kind), kind)
    row = lookup(name)
    if row is None or not parts or not row.accepts(len(parts)):
        title = f"the language of adcli has no {kind[:40]}"
        raise RequestError(
            title, label=f"{kind}({', '.join(parts)})"[:80], help="use functions of the language: adcli functions"
        )
    return f"{name}({', '.join(parts)})"


def in_order(outputs: Sequence[T]) -> T | list[T]:
    """Return the output itself if there is one, else the list of outputs."""
    return outputs[0] if len(outputs) == 1 else list(outputs)
