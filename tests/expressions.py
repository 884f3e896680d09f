"""Random expressions and programs over the whole table of functions, for laws that hold for every one of them."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from adcli.table import functions as _table  # noqa: F401 - importing it fills the table
from adcli.table.primitive import ROWS, Primitive, Template

VARIABLES = ("x1", "x2", "x3", "t")
NUMBERS = ("2", "3", "0.5", "1.25", "10", "1e-1", "pi", "e", "1/2", "2*pi", "0.3")
RELATIONS = [row for row in ROWS.values() if row.truth and not row.truth_arguments]
# Conditions are reached through `if` alone, which therefore comes up more often.
CHOICES = [row for row in ROWS.values() if not row.truth] + 8 * [ROWS["if"]]
UNBOUNDED = ("add", "sub", "mul", "neg")  # these take anything that comes


class Case(NamedTuple):
    """A program, and a point at which it has a value and all its derivatives."""

    text: str
    at: dict[str, float]


def applied(row: Primitive, arguments: list[str], word: str = "") -> str:
    """The text of an operation; every argument of a sign goes in brackets."""
    if isinstance(row.notation, Template) and not word:
        return row.notation.text.format(*(f"({argument})" for argument in arguments))
    return f"{word or row.name}({', '.join(arguments)})"


def squeezed(text: str, low: float, high: float, through: str) -> str:
    """The expression brought smoothly between two numbers, a little inside of them."""
    if low == high:
        return f"{low:g}"
    middle, reach = f"{(low + high) / 2:.6g}", f"{0.99 * (high - low) / 2:.6g}"
    return f"{middle} + {reach}*{through}({text})"


@st.composite
def expressions(draw: DrawFn, names: tuple[str, ...] = VARIABLES, depth: int = 3) -> str:
    """An expression in the names; whatever their values, it has a value and all its derivatives."""
    if depth == 0 or draw(st.integers(0, 7)) == 0:
        return draw(st.sampled_from((*names, *names, *NUMBERS)))
    row = draw(st.sampled_from(CHOICES))
    inner = expressions(names, depth - 1)
    if row.name in UNBOUNDED:
        return applied(row, [draw(inner) for _ in row.partials])
    arguments = []
    for position, (low, high) in enumerate(row.ranges()):
        if position in row.truth_arguments:
            arguments.append(draw(conditions(names, depth - 1)))
        elif row.name == "pow" and position == 1 and draw(st.booleans()):
            arguments.append(draw(st.sampled_from(("2", "3", "-1", "0", "1", "0.5", "1/3", "-2"))))
        else:
            arguments.append(squeezed(draw(inner), low, high, draw(st.sampled_from(("sin", "cos", "tanh", "erf")))))
    if row.arity is None:
        arguments = draw(st.permutations(arguments))[: draw(st.integers(2, 3))]
    words = [word for word in row.aliases if not isinstance(row.notation, Template)]
    if row.name == "logb":
        words = ["log"]
    return applied(row, arguments, draw(st.sampled_from(["", *words])))


def case_of(row: Primitive) -> Case:
    """A program in which a row stands inside other operations, beside itself, and on shared steps."""

    def argument(position: int, low: float, high: float, text: str) -> str:
        if position in row.truth_arguments:
            return ("{} < {}", "{} >= {}")[position].format("x1 + 4", text)  # x1 is above -3.5, the text below 0.5
        return squeezed(text, low, high, "sin")

    uses = []
    for text in ("u0", "0.4*cos(x2) + u0"):
        use = applied(row, [argument(k, low, high, text) for k, (low, high) in enumerate(row.ranges())])
        uses.append(f"if({use}, u0, x2)" if row.truth else f"({use})")
    text = f"u0 = 0.05*x1*x2; u1 = {uses[0]}; v = {uses[1]}*u1 - 3*u1; w = u1/(2 + x2^2); v; w"
    return Case(text, {"x1": 1.25, "x2": -0.75})


@st.composite
def conditions(draw: DrawFn, names: tuple[str, ...] = VARIABLES, depth: int = 1) -> str:
    """A condition that does not switch near any point: its two sides never come close."""
    kind = draw(st.integers(0, 5)) if depth > 0 else 0
    inner = conditions(names, depth - 1)
    if kind == 5:
        return f"({draw(inner)}) {draw(st.sampled_from(('and', 'or')))} ({draw(inner)})"
    if kind == 4:
        return f"not ({draw(inner)})"
    row = draw(st.sampled_from(RELATIONS))
    sides = [
        squeezed(draw(expressions(names, min(depth, 1))), low, high, "sin") for low, high in row.ranges()
    ]  # fmt: skip
    return applied(row, draw(st.permutations(sides)))


def points(names: tuple[str, ...] = VARIABLES) -> SearchStrategy[dict[str, float]]:
    """A value for every name, with a few decimals."""
    return st.fixed_dictionaries({name: st.integers(-3000, 3000).map(lambda k: k / 1000) for name in names})


@st.composite
def programs(draw: DrawFn, depth: int = 3, most_outputs: int = 3) -> Case:
    """A program with named steps, functions of its own and one or several outputs, and a point for it."""
    statements = []
    names = VARIABLES
    calls = []
    for k in range(draw(st.integers(0, 2))):
        statements.append(f"u{k} = {draw(expressions(names, depth - 1))}")
        names = (*names, f"u{k}")
    if draw(st.integers(0, 3)) == 0:
        statements.append(f"f(a, b) = {draw(expressions(('a', 'b'), depth - 1))}")
        calls.append("f({}, {})")
    for _ in range(draw(st.integers(1, most_outputs))):
        text = draw(expressions(names, depth))
        if calls and draw(st.booleans()):
            text = calls[0].format(text, draw(expressions(names, 1)))
        statements.append(text)
    return Case("; ".join(statements), draw(points()))


# --- texts as people type them: read and written, never computed ------------------------------------------------------

_PATTERNS = (
    "{0} + {1}", "{0} - {1}", "{0} - ({1})", "{0}*{1}", "({0})*({1})", "({0})/({1})", "({0})/{1}",
    "{0}/({1})", "({0})^({1})", "({0})^2", "2^({0})", "({0})**({1})^({0})", "-({0})", "-{0}", "--({0})",
    "+({0})", "({0})", "[{0}]", "({0})({1})", "2({0})", "3x1", "2x1 x2", "x1^2", "-x1^2", "x1^-1", "2^-x1^2",
    "sin x1", "sin 2x1", "sin^2 x1", "sin^2({0})", "sin^-1(x1/9)", "ln x1", "sqrt({0})", "√x1", "√({0})",
    "|({0})|", "2|({0})|", "|x1 - 2|^2", "(1 + {0})!", "x1²", "x1 × ({0})", "x1 ÷ ({0})", "{0} − {1}", "({0}) % ({1})",
    "log_2({0})", "log({0}, 3)", "log10({0})", "atan2({0}, {1})", "max({0}, {1}, 1)",
    "if({0} < {1}, {0}, {1})", "if(0 < {0} <= 1, {1}, 2)", "if(not {0} < 1 or {1} >= 2, 1, {1})",
    "if({0} ≤ 1 and {1} ≠ 2, 0, 1)", "sum(i, 1, 3, i*({0}))", "prod(k, 1, 2, ({0}) + k)", "1e-3*({0})",
    ".5*{0}", "2.50*({0})", "-2*({0})", "({0})*-2", "1/2*({0})", "-1/2*({0})", "(-2)^({0})", "(-({0}))^2",
    "(1/2)^({0})", "({0})^(1/2)", "({0})^-2", "2*pi*({0})", "π x1", "({0}) - (-2)", "({0}) + -2",
    "root({0}, 3)", "cbrt({0})", "exp(-({0}))", "3! + {0}", "a' + {0}", "α*({0})", "x_1 + {0}", "10^20*({0})",
)  # fmt: skip


@st.composite
def texts(draw: DrawFn, depth: int = 3) -> str:
    """An expression in the free spelling of the language."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from(("x1", "x2", "theta", "b", "7", "0.25", "pi", "1e3", "2")))
    pattern = draw(st.sampled_from(_PATTERNS))
    return pattern.format(draw(texts(depth - 1)), draw(texts(depth - 1)))


@st.composite
def typed_programs(draw: DrawFn) -> str:
    """Statements in the free spelling: steps with names, literals with names, several outputs."""
    statements = []
    for k in range(draw(st.integers(0, 2))):
        statements.append(f"w{k} = {draw(texts(2))}")
    used = [f"w{k}" for k in range(len(statements))]
    for _ in range(draw(st.integers(1, 2))):
        body = draw(texts(3))
        statements.append(f"({body})*{draw(st.sampled_from(used))}" if used and draw(st.booleans()) else body)
    return draw(st.sampled_from(("; ", ";\n", " ;; "))).join(statements)
