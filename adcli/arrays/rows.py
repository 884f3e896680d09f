"""The table of array rows: shape rule, lowering, and the formulas of the result and of each adjoint.

Formulas are texts in the language of arrays: `a`, `b`, `c` are the operands, `z` is the result and `g` its adjoint.  An
adjoint formula is a notation: tests evaluate it and compare it with the adjoints of the scalar program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Final

from ..graph.graph import Graph
from ..notation.formula import TEXT, Leaf, render
from ..patterns import pattern
from ..records import NamedTuple
from ..table.primitive import lookup
from . import lowering
from .lowering import RowCall
from .shapes import (
    LARGEST_INVERSE,
    Misfit,
    Shape,
    added,
    matrix,
    multiplied,
    size,
    square,
    together,
    transposed,
    vector,
)

ShapeRule = Callable[[RowCall], Shape]
Lowering = Callable[..., list[Any]]  # (scalars, call, operands): entries of any kind
Texts = Callable[[RowCall], Sequence[str]]

# Names of operands in formulas; g and z are taken.
OPERANDS: Final = (*"abcdefhijklmnopqrstuvwxy", *(f"a{k}" for k in range(1, 977)))


class ArrayRow(NamedTuple):
    """One row: its name, how many operands it takes, what it is, its shape rule and lowering, its formula, and the
    formulas of the adjoints of the operands.

    `formula` is a text, or a function of the call; `adjoints` a function of the call with one text for each operand
    ("" for an operand without one). A `view` moves entries and computes nothing.
    """

    name: str
    arity: int
    summary: str
    shape: ShapeRule
    lower: Lowering
    formula: str | Callable[[RowCall], str]
    adjoints: Texts
    view: bool = False

    def written(self, call: RowCall) -> str:
        """Return the formula of the result."""
        return self.formula if isinstance(self.formula, str) else self.formula(call)


def _row(*cells: Any, **named: Any) -> ArrayRow:
    return ArrayRow(*cells, **named)


# --- parts of formulas ------------------------------------------------------------------------------------------------


def _times(left: str, right: str, shapes: tuple[Shape, Shape]) -> str:
    """Return a product entry by entry as it is written: side by side if one factor is a number."""
    return f"{left} .* {right}" if all(shapes) else f"{left} {right}"


def _over(above: str, below: str, shape: Shape) -> str:
    return f"{above} ./ {below}" if shape else f"{above}/{below}"


def _gathered(text: str, shape: Shape, result: Shape) -> str:
    """Return the adjoint of an operand that was spread: summed over rows for a vector, over all for a number."""
    if shape == result:
        return text
    return f"colsum({text})" if shape else f"sum({text})"


def _sum_adjoints(call: RowCall, minus: bool) -> list[str]:
    result = added(*call.shapes)
    texts = [_gathered("g", shape, result) for shape in call.shapes]
    return [texts[0], f"-{texts[1]}" if minus else texts[1]]


def _product_adjoints(call: RowCall) -> list[str]:
    """Return the adjoints of both factors of a product entry by entry, or with a number, numbers written first."""
    left, right = call.shapes
    result = together(left, right)
    if not left and right:
        return ["sum(g .* b)", "a g"]
    if left and not right:
        return ["b g", "sum(g .* a)"]
    if call.literals[:1] != (None,):
        return [_times("g", "b", (result, right)), "a g"]
    return [
        "b g" if call.literals[1] is not None else _times("g", "b", (result, right)),
        _times("g", "a", (result, left)),
    ]


def _quotient_adjoints(call: RowCall) -> list[str]:
    left, right = call.shapes
    result = together(left, right)
    first = _gathered(_over("g", "b", right), left, result)
    if right:
        return [first, _over("-(g .* z)", "b", right) if result == right else ""]
    return [first, "-sum(g .* z)/b" if result else "-g z/b"]


def _power_adjoints(call: RowCall) -> list[str]:
    """Return the power rule with the exponent as it is written, and the rule for a variable exponent."""
    left, right = call.shapes
    result = together(left, right)
    sign, exponent = ("^", ".^")[bool(result)], call.literals[1]
    if exponent is not None and exponent.isdigit():
        lowered = int(exponent) - 1
        base = "a" if lowered == 1 else f"a{sign}{lowered}"
        first = "g" if lowered == 0 else f"{exponent} {_times('g', base, (result, result))}"
    else:
        first = _times("g", f"b {_SPACED[bool(result)]}a{sign}(b - 1)", (result, result))
    second = _times("g", f"z {_SPACED[bool(result)]}log(a)", (result, result))
    return [_gathered(first, left, result), _gathered(second, right, result)]


_SPACED = ("", ".* ")


def _affine_shape(call: RowCall) -> Shape:
    done = multiplied(*call.shapes[:2])
    if added(done, call.shapes[2]) != done:
        raise Misfit("")
    return done


def _affine_formula(call: RowCall) -> str:
    sign = "-" if call.extra[1] else "+"
    return f"c {sign} a b" if call.extra[0] else f"a b {sign} c"


def _affine_adjoints(call: RowCall) -> list[str]:
    first, minus = call.extra
    of_product, of_addend = ("-" if minus and first else ""), ("-" if minus and not first else "")
    result = _affine_shape(call)
    return [
        f"{of_product}g b^T", f"{of_product and '-'}a^T g", f"{of_addend}{_gathered('g', call.shapes[2], result)}"
    ]  # fmt: skip


def _power_shape(call: RowCall) -> Shape:
    rows = square(call.shapes[0], "a power")
    return rows, rows


def _matrix_power_adjoints(call: RowCall) -> list[str]:
    """Return Σ (aᵏ)ᵀ g (aⁿ⁻¹⁻ᵏ)ᵀ for the exponent n."""
    count = call.extra[0]

    def raised(k: int) -> str:
        return "" if k == 0 else "a^T" if k == 1 else f"(a^{k})^T"

    return [" + ".join(" ".join(filter(None, (raised(k), "g", raised(count - 1 - k)))) for k in range(count))]


def _ones(shape: Shape) -> str:
    return f"ones({', '.join(map(str, shape))})"


def _numbers_or(shape: Shape, single: str, spread: str) -> str:
    return spread if shape else single


# --- functions of the table, entry by entry ---------------------------------------------------------------------------

# The derivative as courses write it, with the result where that is shorter; the others come from the table.
_KNOWN_SLOPES: Final = {
    "exp": "z", "tanh": "(1 - z.^2)", "sigmoid": "z .* (1 - z)", "relu": "step(a)", "softplus": "sigmoid(a)",
    "sqrt": "/(2 z)", "log": "/a", "abs": "sign(a)",
}  # fmt: skip
_FLAT: Final = frozenset(("heaviside", "sign", "floor", "ceil", "round", "trunc"))
_OPERATOR: Final = pattern(r" ?(?<!\.)([*/^]) ?")


@cache
def _slopes(name: str) -> tuple[str, ...]:
    """Return the partial derivatives of the function `name` as texts in a, b, c, one for each argument.

    () if they are not formulas: for an unknown function, one of any number of arguments, and one with branches.
    """
    from ..symbolic.terms import Term, Terms

    row = lookup(name)
    if row is None or row.arity is None or row.slopes or row.truth or row.route is not None:
        return ()
    graph = Graph()
    m = Terms(graph)
    slots = [graph.input(letter) for letter in OPERANDS[: row.arity]]
    z = graph.apply(row, tuple(slots))
    leaves = {slot: Leaf(graph.inputs[slot]) for slot in slots}
    terms = m.partials(row, Term(m, z), tuple(Term(m, s) for s in slots), (True,) * len(slots))
    return tuple([render(graph, m.number(term).slot, TEXT, leaves.get, first=False) for term in terms])


def _map_shape(call: RowCall) -> Shape:
    result = call.shapes[0]
    for shape in call.shapes[1:]:
        result = together(result, shape)
    return result


def _map_lower(s: Any, call: RowCall, operands: Sequence[Sequence[Any]]) -> list[Any]:
    return lowering.entrywise(call.function, _map_shape(call), s, call, operands)


def _map_formula(call: RowCall) -> str:
    return f"{call.function}({', '.join(OPERANDS[: len(call.shapes)])})"


def _map_adjoints(call: RowCall) -> list[str]:
    """Return the chain rule for each operand; "" if the table has no formula for that derivative."""
    result = _map_shape(call)
    name = call.function
    if name in _FLAT:
        return [f"{_times('0', 'g', ((), result))}"]
    if name in _KNOWN_SLOPES:
        text = _KNOWN_SLOPES[name]
        if text.startswith("/"):
            return [_over("g", text[1:], result)]
        return [_times("g", text if result else text.replace(".^", "^").replace(" .* ", " "), (result, result))]
    if name in ("max", "min") and len(call.shapes) == 2:
        left, right = ["" if text == "0" else letter for text, letter in zip(call.literals, "ab", strict=True)]
        pair = [f"{x} - {y}" if x and y else x or f"-{y}" for x, y in ((left, right), (right, left))]
        pair = pair if name == "max" else pair[::-1]
        texts = [f"step({inside})" for inside in pair]
    else:
        texts = [_OPERATOR.sub(r" .\1 ", text) if result else text for text in _slopes(name)]
        texts = [f"({text})" for text in texts]
    if len(texts) != len(call.shapes):
        return [""] * len(call.shapes)
    return [
        _gathered(_times("g", text, (result, result)), shape, result)
        for text, shape in zip(texts, call.shapes, strict=True)
    ]


# --- lists and entries ------------------------------------------------------------------------------------------------


def _list_shape(call: RowCall) -> Shape:
    """Return the shape of a list whose rows have the lengths `extra`; one row or one column is a vector.

    Raises Misfit if an entry is an array, if rows have different lengths, or if there are more entries than `OPERANDS`.
    """
    for position, shape in enumerate(call.shapes):
        if shape:
            raise Misfit(
                f"{{{position}}} {{s{position}}}: the entries of a list are numbers", "list the entries", (position,)
            )
    lengths = call.extra
    if len(call.shapes) > len(OPERANDS):
        raise Misfit(
            f"a list in an expression has at most {len(OPERANDS)} entries", "give it as a value of the point", ()
        )
    odd = next((k for k, length in enumerate(lengths) if length != lengths[0]), None)
    if odd is not None:
        first = sum(lengths[:odd])
        many = f"{lengths[odd]} {'entry' if lengths[odd] == 1 else 'entries'}"
        title = f"row {odd + 1} has {many} and row 1 has {lengths[0]}"
        raise Misfit(title, "give all rows the same length", (first,), f"row {odd + 1}")
    if len(lengths) == 1 or lengths[0] == 1:
        return (sum(lengths),)
    return len(lengths), lengths[0]


def _list_formula(call: RowCall) -> str:
    names, rows, start = OPERANDS[: len(call.shapes)], [], 0
    for length in call.extra:
        rows.append(", ".join(names[start : start + length]))
        start += length
    return f"[{'; '.join(rows)}]"


def _index_text(shape: Shape, place: int) -> str:
    return f"[{place + 1}]" if len(shape) == 1 else f"[{place // shape[1] + 1},{place % shape[1] + 1}]"


def _list_adjoints(call: RowCall) -> list[str]:
    shape = _list_shape(call)
    return [f"g{_index_text(shape, k)}" for k in range(len(call.shapes))]


def entry_place(call: RowCall) -> int:
    """Return the place of the entry that an index names.  Raises Misfit if there is none."""
    shape, index = call.shapes[0], call.extra
    if len(index) != len(shape):
        many = {0: "no index", 1: "one index", 2: "two indices"}[len(shape)]
        raise Misfit(f"{{0}} {{s0}}: it has {many}", "write x[2] for a vector, W[1,2] for a matrix", (0,))
    for k, count in zip(index, shape, strict=True):
        if not 1 <= k <= count:
            raise Misfit(f"{{0}} {{s0}}: there is no entry {k}", f"indices go from 1 to {count}", (0,))
    return index[0] - 1 if len(shape) == 1 else (index[0] - 1) * shape[1] + index[1] - 1


def _entry_shape(call: RowCall) -> Shape:
    entry_place(call)
    return ()


def _entry_formula(call: RowCall) -> str:
    return f"a[{', '.join(map(str, call.extra))}]"


def _entry_adjoints(call: RowCall) -> list[str]:
    shape, place = call.shapes[0], entry_place(call)
    cells = ["g" if k == place else "0" for k in range(size(shape))]
    if len(shape) == 1:
        return [f"[{', '.join(cells)}]" if len(cells) > 1 else "g ones(1)"]
    rows = [", ".join(cells[i * shape[1] : (i + 1) * shape[1]]) for i in range(shape[0])]
    return [f"[{'; '.join(rows)}]" if min(shape) > 1 else f"g {_index_text(shape, place)}"]


# --- sizes ------------------------------------------------------------------------------------------------------------


def _sizes(call: RowCall) -> Shape:
    return call.extra


def _eye_sizes(call: RowCall) -> Shape:
    return call.extra[0], call.extra[-1]


# --- reductions and algebra -------------------------------------------------------------------------------------------


def _number(call: RowCall) -> Shape:
    return ()


def _same(call: RowCall) -> Shape:
    return call.shapes[0]


def _dot_shape(call: RowCall) -> Shape:
    left, right = call.shapes
    if left != right:
        raise Misfit("{0} {s0} and {1} {s1}: dot needs the same shape")
    return ()


def _outer_shape(call: RowCall) -> Shape:
    return vector(call.shapes[0], "outer"), vector(call.shapes[1], "outer", 1)


def _rows_shape(call: RowCall) -> Shape:
    return (matrix(call.shapes[0], "rowsum")[0],)


def _columns_shape(call: RowCall) -> Shape:
    return (matrix(call.shapes[0], "colsum")[1],)


def _trace_shape(call: RowCall) -> Shape:
    square(call.shapes[0], "tr")
    return ()


def _det_shape(name: str, call: RowCall) -> Shape:
    square(call.shapes[0], name, LARGEST_INVERSE)
    return ()


def _inv_shape(call: RowCall) -> Shape:
    square(call.shapes[0], "inv", LARGEST_INVERSE)
    return call.shapes[0]


def _solve_shape(call: RowCall) -> Shape:
    rows = square(call.shapes[0], "solve", LARGEST_INVERSE)
    right = call.shapes[1]
    if not right or right[0] != rows:
        raise Misfit(f"{{0}} {{s0}} and {{1}} {{s1}}: solve(A, b) needs {rows} rows in b")
    return right


def _diag_shape(call: RowCall) -> Shape:
    shape = call.shapes[0]
    if len(shape) == 1:
        return shape[0], shape[0]
    return (square(shape, "diag"),)


def _log_sum_shape(call: RowCall) -> Shape:
    shape = call.shapes[0]
    return (shape[0],) if len(shape) == 2 and shape[0] > 1 else ()


def _softmax_adjoint(call: RowCall) -> list[str]:
    shape = call.shapes[0]
    if len(shape) < 2:
        return ["z .* (g - dot(g, z))" if shape else "0 g"]
    return [f"z .* (g - outer(rowsum(g .* z), ones({shape[1]})))"]


def _log_sum_adjoint(call: RowCall) -> list[str]:
    return ["diag(g) softmax(a)" if _log_sum_shape(call) else "g softmax(a)"]


def _each(text: str) -> Texts:
    return lambda call: [text]


def _of_entries(name: str) -> Lowering:
    """Return a lowering that applies a function of the table to all entries together."""
    return lambda s, call, operands: [s.apply(name, *operands[0])]


_TOTAL: Lowering = lambda s, call, operands: [lowering.total(s, operands[0])]  # noqa: E731
_DOT: Lowering = lambda s, call, operands: [  # noqa: E731
    lowering.total(s, [s.apply("mul", x, y) for x, y in zip(*operands, strict=True)])
]


def _mean(s: Any, call: RowCall, operands: Sequence[Sequence[Any]]) -> list[Any]:
    return [s.apply("div", lowering.total(s, operands[0]), s.number(str(len(operands[0]))))]


def _binary(name: str, rule: Callable[[Shape, Shape], Shape]) -> tuple[ShapeRule, Lowering]:
    """Return (shape rule, lowering) of an operator of two operands that applies the function `name` entry by entry.

    `rule` gives the shape of the result from those of the operands.
    """

    def shape(call: RowCall) -> Shape:
        return rule(*call.shapes)

    def lower(s: Any, call: RowCall, operands: Sequence[Sequence[Any]]) -> list[Any]:
        return lowering.entrywise(name, rule(*call.shapes), s, call, operands)

    return shape, lower


def _written_product(call: RowCall) -> str:
    return _times("a", "b", call.shapes[:2])  # type: ignore[arg-type]  # there are two


def _turned(s: Any, call: RowCall, operands: Sequence[Sequence[Any]]) -> list[Any]:
    return lowering.turned(operands[0], call.shapes[0])


def _logdet(s: Any, call: RowCall, operands: Sequence[Sequence[Any]]) -> list[Any]:
    return [s.apply("log", *lowering.determinant(s, call, operands))]


_TABLE: Final = (
    _row("add", 2, "sum; a vector is added to each row of a matrix", *_binary("add", added), "a + b",
         partial(_sum_adjoints, minus=False)),
    _row("sub", 2, "difference", *_binary("sub", added), "a - b", partial(_sum_adjoints, minus=True)),
    _row("neg", 1, "negation", _same, lambda s, call, xs: [s.apply("neg", x) for x in xs[0]], "-a", _each("-g")),
    _row("times", 2, "product entry by entry, or with a number", *_binary("mul", together), _written_product,
         _product_adjoints),
    _row("over", 2, "quotient entry by entry, or by a number", *_binary("div", together),
         lambda call: _over("a", "b", call.shapes[1]), _quotient_adjoints),
    _row("power", 2, "power entry by entry", *_binary("pow", together),
         lambda call: "a.^b" if together(*call.shapes) else "a^b", _power_adjoints),
    _row("matmul", 2, "matrix product", lambda call: multiplied(*call.shapes), lowering.matmul, "a b",
         lambda call: ["g b^T", "a^T g"]),
    _row("affine", 3, "matrix product plus or minus an array", _affine_shape, lowering.affine, _affine_formula,
         _affine_adjoints),
    _row("matpower", 1, "power of a square matrix", _power_shape, lowering.power, lambda call: f"a^{call.extra[0]}",
         _matrix_power_adjoints),
    _row("map", -1, "function of the table, entry by entry", _map_shape, _map_lower, _map_formula, _map_adjoints),
    _row("transpose", 1, "transpose", lambda call: transposed(call.shapes[0]), _turned, "a^T", _each("g^T"), view=True),
    _row("entry", 1, "one entry", _entry_shape, lambda s, call, xs: [xs[0][entry_place(call)]], _entry_formula,
         _entry_adjoints, view=True),
    _row("list", -1, "vector or matrix of numbers", _list_shape, lambda s, call, xs: [x[0] for x in xs], _list_formula,
         _list_adjoints, view=True),
    _row("sum", 1, "sum of all entries", _number, _TOTAL, "sum(a)",
         lambda call: [_numbers_or(call.shapes[0], "g", f"g {_ones(call.shapes[0])}")]),
    _row("mean", 1, "mean of all entries", _number, _mean, "mean(a)",
         lambda call: [_numbers_or(call.shapes[0], "g", f"g {_ones(call.shapes[0])}/{size(call.shapes[0])}")]),
    _row("max", 1, "largest entry", _number, _of_entries("max"), "max(a)", _each("g (a == z)")),
    _row("min", 1, "smallest entry", _number, _of_entries("min"), "min(a)", _each("g (a == z)")),
    _row("norm", 1, "Euclidean norm, of a matrix the Frobenius norm", _number,
         lambda s, call, xs: [s.apply("sqrt", lowering.squares(s, xs[0]))], "norm(a)", _each("g a/z")),
    _row("norm1", 1, "sum of the sizes of the entries", _number,
         lambda s, call, xs: [lowering.total(s, [s.apply("abs", x) for x in xs[0]])], "norm1(a)", _each("g sign(a)")),
    _row("sumsq", 1, "sum of the squares of the entries", _number, lambda s, call, xs: [lowering.squares(s, xs[0])],
         "sumsq(a)", _each("2 g a")),
    _row("dot", 2, "sum of the products of entries", _dot_shape, _DOT, "dot(a, b)", lambda call: ["g b", "g a"]),
    _row("outer", 2, "matrix of all products of two vectors", _outer_shape,
         lambda s, call, xs: [s.apply("mul", x, y) for x in xs[0] for y in xs[1]], "outer(a, b)",
         lambda call: ["g b", "g^T a"]),
    _row("tr", 1, "trace: sum of the diagonal", _trace_shape,
         lambda s, call, xs: [lowering.total(s, xs[0][:: call.shapes[0][0] + 1] if call.shapes[0] else xs[0])], "tr(a)",
         lambda call: [_numbers_or(call.shapes[0], "g", f"g eye({call.shapes[0][0] if call.shapes[0] else 1})")]),
    _row("det", 1, "determinant", partial(_det_shape, "det"), lowering.determinant, "det(a)",
         lambda call: [_numbers_or(call.shapes[0], "g", "g z inv(a)^T")]),
    _row("logdet", 1, "logarithm of the determinant", partial(_det_shape, "logdet"), _logdet, "logdet(a)",
         lambda call: [_numbers_or(call.shapes[0], "g/a", "g inv(a)^T")]),
    _row("inv", 1, "inverse", _inv_shape, lowering.inverse, "inv(a)",
         lambda call: [_numbers_or(call.shapes[0], "-g z^2", "-z^T g z^T")]),
    _row("solve", 2, "solution z of a z = b", _solve_shape, lowering.solution, "solve(a, b)",
         lambda call: ["-solve(a^T, g) z^T", "solve(a^T, g)"]),
    _row("diag", 1, "diagonal matrix of a vector, diagonal of a matrix", _diag_shape, lowering.diagonal, "diag(a)",
         _each("diag(g)")),
    _row("softmax", 1, "exp(x)/sum(exp(x)), of a matrix row by row", _same, lowering.softmax, "softmax(a)",
         _softmax_adjoint),
    _row("logsumexp", 1, "log(sum(exp(x))), of a matrix row by row", _log_sum_shape, lowering.log_sums, "logsumexp(a)",
         _log_sum_adjoint),
    _row("rowsum", 1, "sum of each row", _rows_shape,
         lambda s, call, xs: [lowering.total(s, row) for row in lowering.rows_of(call.shapes[0], xs[0])], "rowsum(a)",
         lambda call: [f"outer(g, ones({call.shapes[0][1]}))"]),
    _row("colsum", 1, "sum of each column", _columns_shape,
         lambda s, call, xs: [lowering.total(s, xs[0][j :: call.shapes[0][1]]) for j in range(call.shapes[0][1])],
         "colsum(a)", lambda call: [f"outer(ones({call.shapes[0][0]}), g)"]),
    _row("ones", 0, "array of ones: ones(3), ones(2, 3)", _sizes, lambda s, call, xs: lowering.filled(s, call, "1"),
         lambda call: _ones(call.extra), lambda call: []),
    _row("zeros", 0, "array of zeros", _sizes, lambda s, call, xs: lowering.filled(s, call, "0"),
         lambda call: f"zeros({', '.join(map(str, call.extra))})", lambda call: []),
    _row("eye", 0, "identity matrix", _eye_sizes,
         lambda s, call, xs: lowering.filled(s, call._replace(extra=(call.extra[0], call.extra[-1])), "1", "0"),
         lambda call: f"eye({call.extra[0]})", lambda call: []),
)  # fmt: skip
ROWS: Final = {row.name: row for row in _TABLE}
# Functions by the names that people type; those of the table of numbers act entry by entry.
FUNCTIONS: Final = {
    name: row for name, row in ROWS.items() if name not in ("add", "sub", "neg", "times", "over", "power", "matmul",
        "affine", "matpower", "map", "entry", "list")
} | {"trace": ROWS["tr"], "Tr": ROWS["tr"]}  # fmt: skip
ENTRYWISE: Final = {"step": "heaviside", "σ": "sigmoid", "ReLU": "relu", "ln": "log"}
