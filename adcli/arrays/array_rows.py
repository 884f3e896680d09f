"""The table of array rows: shape rule, lowering, and the formulas of the result and of each adjoint. These are texts in
the language of arrays: `a`, `b`, `c` are the operands, `z` is the result and `g` its adjoint. A `call` has the shapes
of the operands of one use.

An adjoint formula is a notation: tests evaluate it and compare it with the adjoints of the scalar program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial, reduce
from types import MappingProxyType

from ..errors import SAME_LENGTH
from ..language.name_parts import logarithm_base
from ..notation.formula import TEXT, Leaf, render
from ..patterns import pattern
from ..records import NamedTuple
from ..table.primitive import lookup
from ..typings import Any, Final
from . import lowering, shapes
from .lowering import RowCall, as_matrix, entrywise, total

ShapeRule = Callable[[RowCall], shapes.Shape]
Lowering = Callable[..., list[Any]]  # (scalars, call, operands): entries of any kind

_SINGULAR: Final = "{0} is singular: its determinant is 0"
_LARGEST_EXPANDED: Final = 4  # rows of a matrix whose determinant or inverse is expanded

RELATIONS: Final = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
# Names of operands in formulas; g and z are taken.
OPERANDS: Final = (*"abcdefhijklmnopqrstuvwxy", *(f"a{k}" for k in range(1, 977)))


class ArrayRow(NamedTuple):
    """One row of the table of array functions.

    name        how the language calls it
    arity       the number of operands; -1: any number
    summary     a description in words
    shape       the rule for the shape of the result, `lower` the rule for its entries
    formula     of the result: a text, or a function of the call
    adjoints    formulas of the adjoints of the operands: one text for each, or a function of the call that returns them
                ("" for an operand without one); texts may have the fields {sizes} (`2, 3`), {size}, {rows} and
                {columns} of the first operand
    of_numbers  the adjoints if the first operand is a number; empty: the same
    slips       {name of a slip: wrong adjoints}, texts as in `adjoints`, of which the last one holds for all further
                operands; a slip is also recognised with the other sign
    singular    the title of the error if the determinant of the first operand, {0}, is not allowed; empty without one
    """

    name: str
    arity: int
    summary: str
    shape: ShapeRule
    lower: Lowering
    formula: str | Callable[[RowCall], str]
    adjoints: tuple[str, ...] | Callable[[RowCall], list[str]] = ()
    of_numbers: tuple[str, ...] = ()
    slips: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    singular: str = ""

    def result(self, call: RowCall) -> shapes.Shape:
        """Return the shape of the result: one column is a vector, one entry a number.  Raises Misfit."""
        return shapes.natural(self.shape(call))

    def written(self, call: RowCall) -> str:
        """Return the formula of the result."""
        return self.formula if isinstance(self.formula, str) else self.formula(call)

    def adjoint_texts(self, call: RowCall) -> list[str]:
        """Return the formula of the adjoint of each operand."""
        if not isinstance(self.adjoints, tuple):
            return self.adjoints(call)
        return self.filled(self.adjoints if call.shapes[0] else self.of_numbers or self.adjoints, call)

    def filled(self, texts: Sequence[str], call: RowCall) -> list[str]:
        """Return the texts with the sizes of the first operand in their fields."""
        shape = call.shapes[0]
        rows, columns = as_matrix(shape)
        return [
            text.format(sizes=_listed(shape), size=shapes.size(shape), rows=rows, columns=columns) for text in texts
        ]


def list_text(items: Sequence[str], lengths: Sequence[int]) -> str:
    """Return the text of a list with rows of these lengths: `[1, 2; 3, 4]`."""
    return f"[{'; '.join(', '.join(row) for row in shapes.split(items, lengths))}]"


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


# --- shape rules ------------------------------------------------------------------------------------------------------


def _number(call: RowCall) -> shapes.Shape:
    return ()


def _same(call: RowCall) -> shapes.Shape:
    return call.shapes[0]


def _sizes(call: RowCall) -> shapes.Shape:
    return call.extra


def _added(call: RowCall) -> shapes.Shape:
    return shapes.add_shapes(*call.shapes)


def _matching(call: RowCall) -> shapes.Shape:
    """Return the shape of an operation entry by entry on any number of operands.  Raises Misfit."""
    return reduce(shapes.match_shapes, call.shapes)


def _product(call: RowCall) -> shapes.Shape:
    return shapes.multiply_shapes(*call.shapes[:2])


def _square(call: RowCall, name: str, most: int | None = _LARGEST_EXPANDED) -> shapes.Shape:
    """Return the shape of the only operand of the function `name`.

    Raises Misfit if it is not a square matrix or number, or has more than `most` rows.
    """
    shapes.square_size(call.shapes[0], name, most)
    return call.shapes[0]


def _number_of_square(call: RowCall, name: str, most: int | None = _LARGEST_EXPANDED) -> shapes.Shape:
    """Return the shape of a number, (), as the result of the function `name` of a square matrix.

    Raises Misfit if the only operand is neither a square matrix nor a number, or has more than `most` rows (default 4;
    None: no limit).
    """
    _square(call, name, most)
    return ()


def _equal_shapes(call: RowCall) -> shapes.Shape:
    left, right = call.shapes
    if left != right:
        raise shapes.Misfit("{0} {s0} and {1} {s1}: both arguments of dot need the same shape", shapes.SAME_SIZES)
    return ()


def _right_side(call: RowCall) -> shapes.Shape:
    """Return the shape of b in solve(A, b), unchanged, which is that of the solution.

    It is a vector or a matrix; if A is a number or 1×1, also (), but a vector of one entry stays (1,). Raises Misfit if
    A is not square or has more than 4 rows, or if b has another number of rows (a number counts as 1×1).
    """
    rows = shapes.square_size(call.shapes[0], "solve", _LARGEST_EXPANDED)
    right = call.shapes[1]
    if as_matrix(right)[0] != rows:
        title = f"{{0}} {{s0}} and {{1}} {{s1}}: solve(A, b) needs {rows} rows in b"
        raise shapes.Misfit(title, f"give {{1}} {rows} rows" if right else f"{{1}} ones({rows}) is a column")
    return right


def _diagonal(call: RowCall) -> shapes.Shape:
    shape = call.shapes[0]
    return (shape[0], shape[0]) if len(shape) == 1 else (shapes.square_size(shape, "diag"),)


def _log_sums(call: RowCall) -> shapes.Shape:
    shape = call.shapes[0]
    return shapes.natural(shape[:1]) if len(shape) == 2 else ()


def _list_shape(call: RowCall) -> shapes.Shape:
    """Return the shape of a list whose rows have the lengths `call.extra`; one row, or rows of one entry, are a vector.

    Raises Misfit if an entry is an array, if rows have different lengths, or if there are more entries than `OPERANDS`
    has letters (about 1000).
    """
    for position, shape in enumerate(call.shapes):
        if shape:
            raise shapes.Misfit(
                f"{{{position}}} {{s{position}}}: the entries of a list must be numbers",
                "list its entries, as in [x[1], x[2], 3]",
                (position,),
            )
    lengths = call.extra
    if len(call.shapes) > len(OPERANDS):
        raise shapes.Misfit(
            f"a list in an expression has at most {len(OPERANDS)} entries", "give it as a value of the point", ()
        )
    odd = next((k for k, length in enumerate(lengths) if length != lengths[0]), None)
    if odd is not None:
        many = f"{lengths[odd]} {'entry' if lengths[odd] == 1 else 'entries'}"
        title = f"row {odd + 1} has {many} and row 1 has {lengths[0]}"
        raise shapes.Misfit(title, SAME_LENGTH, (sum(lengths[:odd]),), f"row {odd + 1}")
    return lengths if len(lengths) == 1 else shapes.natural((len(lengths), lengths[0]))


def _entry_place(call: RowCall) -> int:
    """Return the place, from 0 and row by row, of the entry that the index `call.extra` (from 1) names.

    Further indices that are all 1 are ignored, as in x[2,1] of a vector or t[1] of a number. Raises Misfit for any
    other number of indices, or if an index is 0 or too large.
    """
    shape, index = call.shapes[0], call.extra
    if set(index[len(shape) :]) == {1}:
        index = index[: len(shape)]
    if len(index) != len(shape):
        many = ("a number takes no index", "a vector takes one index", "a matrix takes two indices")[len(shape)]
        raise shapes.Misfit(f"{{0}} {{s0}}: {many}", "write x[2] for a vector, W[1,2] for a matrix", (0,))
    place = 0
    for k, count in zip(index, shape, strict=True):
        if not 1 <= k <= count:
            raise shapes.Misfit(f"{{0}} {{s0}}: there is no entry {k}", f"indices go from 1 to {count}", (0,))
        place = place * count + k - 1
    return place


def _entry_shape(call: RowCall) -> shapes.Shape:
    _entry_place(call)
    return ()


# --- adjoints ---------------------------------------------------------------------------------------------------------


def _with_signs(text: str, result: shapes.Shape) -> str:
    """Return a formula entry by entry, with the signs of numbers if the result is a number: `g .* a.^2` is `g a^2`."""
    return text if result else text.replace(" .* ", " ").replace(" ./ ", "/").replace(".^", "^")


def _gathered(text: str, shape: shapes.Shape, result: shapes.Shape) -> str:
    """Return the adjoint of an operand that was spread: summed over rows for a vector, over all for a number."""
    if shape == result:
        return text
    sign = "-" * text.startswith("-")
    return f"{sign}{'colsum' if shape else 'sum'}({text[len(sign) :]})"


def _entrywise_adjoints(call: RowCall, texts: Sequence[str], result: shapes.Shape) -> list[str]:
    """Return the adjoints `texts` of an operation entry by entry, one for each operand, for a result of this shape:
    with the signs of numbers for a number, summed for an operand that was spread."""
    return [_gathered(_with_signs(text, result), shape, result) for text, shape in zip(texts, call.shapes, strict=True)]


def _product_adjoints(call: RowCall) -> list[str]:
    """Return the adjoint formulas (of a, of b) of a product entry by entry, or of an array and a number.

    A factor that is a number gets the sum over the entries. Literals, and numbers next to arrays, are written in front.
    """
    texts = []
    for factor, k in (("b", 1), ("a", 0)):
        is_in_front = not call.shapes[k] and (call.literals[k] is not None or bool(call.shapes[1 - k]))
        texts.append(f"{factor} g" if is_in_front else f"g .* {factor}")
    return _entrywise_adjoints(call, texts, _matching(call))


def _quotient_adjoints(call: RowCall) -> list[str]:
    """Return the two adjoint formulas [of a, of b] of the quotient a ./ b entry by entry, or a/b with a number b.

    The formulas use the adjoint g of the result, and in the second one the result z. An operand that is a number gets a
    sum over the entries if the result is an array.
    """
    result = _matching(call)
    if call.shapes[1]:
        return _entrywise_adjoints(call, ["g ./ b", "-(g .* z) ./ b"], result)
    return ["g/b", "-sum(g .* z)/b" if result else "-g z/b"]


def _power_adjoints(call: RowCall) -> list[str]:
    """Return the adjoint formulas (of base a, of exponent b) of a power entry by entry.

    A literal whole exponent is written as it is: `3 g .* a.^(2)`, `2 g .* a`, `g` for 1, `-g .* a.^(-2)`; else the rule
    is `g .* b .* a.^(b - 1)`. The second is `g .* z .* log(a)`. An operand that is a number while the result is an
    array gets a sum. Raises Misfit if the shapes do not fit.
    """
    exponent = call.literals[1]
    if exponent is None or not exponent.lstrip("-").isdecimal():
        first = "g .* b .* a.^(b - 1)"
    else:
        short = {1: "g", 2: "2 g .* a", -1: "-g .* a.^(-2)"}
        first = short.get(int(exponent), f"{exponent} g .* a.^({int(exponent) - 1})")
    return _entrywise_adjoints(call, [first, "g .* z .* log(a)"], _matching(call))


def _affine_adjoints(call: RowCall) -> list[str]:
    """Return the adjoints of `a b ± c`, or of `c ± a b` if `extra` is (1, …); `extra` is (c first, minus)."""
    first, minus = call.extra
    of_product, of_addend = ("-", "") if minus and first else ("", "-" if minus else "")
    addend = _gathered("g", call.shapes[2], _product(call))
    return [f"{of_product}g b^T", f"{of_product}a^T g", f"{of_addend}{addend}"]


def _matrix_power_adjoints(call: RowCall) -> list[str]:
    """Return Σ (aᵏ)ᵀ g (aⁿ⁻¹⁻ᵏ)ᵀ for the exponent n."""
    count = call.extra[0]
    raised = ["", "a^T", *[f"(a^{k})^T" for k in range(2, count)]]
    return [" + ".join(f"{raised[k]} g {raised[count - 1 - k]}".strip() for k in range(count))]


# The adjoint as courses write it, with the result where that is shorter; the others come from the table.
_KNOWN_ADJOINTS: Final = {
    "exp": "g .* z", "tanh": "g .* (1 - z.^2)", "sigmoid": "g .* z .* (1 - z)", "relu": "g .* step(a)",
    "softplus": "g .* sigmoid(a)", "sqrt": "g ./ (2 z)", "log": "g ./ a", "abs": "g .* sign(a)",
}  # fmt: skip
_OPERATOR: Final = pattern(r" ?(?<!\.)([*/^]) ?")


@cache
def _partial_texts(name: str) -> tuple[str, ...]:
    """Return the partial derivatives of the function `name` as texts in a, b, c, one for each argument.

    () if they are not formulas: for an unknown name, a function of any number of arguments, a truth value, a choice (a
    row with a `route`), or a row with `slopes` of its own.
    """
    from ..symbolic.terms import partial_slots

    row = lookup(name)
    if row is None or row.arity is None or row.slopes or row.truth or row.route is not None:
        return ()
    graph, _, partials = partial_slots(row, OPERANDS[: row.arity])
    leaves = {slot: Leaf(letter) for slot, letter in graph.inputs.items()}
    return tuple([render(graph, slot, TEXT, leaves.get, first=False) for slot in partials])


def _extreme_slopes(call: RowCall) -> list[str]:
    """Return the slopes of max and min of two operands: `step(a - b)`, of which a literal 0 is left out."""
    left, right = ["" if text == "0" else letter for text, letter in zip(call.literals, "ab", strict=True)]
    pair = [f"{x} - {y}" if x and y else x or f"-{y}" for x, y in ((left, right), (right, left))]
    return [f"step({inside})" for inside in (pair if call.function == "max" else pair[::-1])]


def _map_text(call: RowCall) -> str:
    """Return the formula of a function of the table, of a comparison with its sign."""
    sign = next((sign for sign, name in RELATIONS.items() if name == call.function), None)
    return f"a {sign} b" if sign else f"{call.function}({', '.join(OPERANDS[: len(call.shapes)])})"


def _map_adjoints(call: RowCall) -> list[str]:
    """Return the adjoint formula of each operand of the entrywise function `call.function`, by the chain rule.

    All are "" if there is no formula for them; `0 g` for a function whose only slope is 0. An operand that is a number
    while the result is an array gets a sum over the entries. The slopes of `max` and `min` of two operands are written
    with `step`, e.g. `step(a - b)`.
    """
    result, name = _matching(call), call.function
    if name in _KNOWN_ADJOINTS:
        return [_with_signs(_KNOWN_ADJOINTS[name], result)]
    entrywise_sign = r" .\1 " if result else r"\g<0>"
    if name in ("max", "min") and len(call.shapes) == 2:
        slopes = _extreme_slopes(call)
    else:
        slopes = [f"({_OPERATOR.sub(entrywise_sign, text)})" for text in _partial_texts(name)]
    if len(slopes) != len(call.shapes):
        return [""] * len(call.shapes)
    if slopes == ["(0)"]:
        return ["0 g"]
    return _entrywise_adjoints(call, [f"g .* {text}" for text in slopes], result)


def _entry_adjoints(call: RowCall) -> list[str]:
    """Return [the adjoint formula of the operand]: a list of zeros with g at the place of the entry, transposed for a
    row.

    It is g for a number, and "" for an array with more entries than `OPERANDS`, which a list in an expression cannot
    have.
    """
    shape, place = call.shapes[0], _entry_place(call)
    if shapes.size(shape) > len(OPERANDS):
        return [""]
    cells = ["g" if k == place else "0" for k in range(shapes.size(shape))]
    if not shape:
        return ["g"]
    rows, columns = shape if len(shape) == 2 else (1, shape[0])
    return [list_text(cells, (columns,) * rows) + "^T" * (shape[0] == 1)]


def _softmax_adjoints(call: RowCall) -> list[str]:
    shape = call.shapes[0]
    if len(shape) < 2:
        return ["z .* (g - dot(g, z))" if shape else "0 g"]
    return [f"z .* (g - outer(rowsum(g .* z), ones({shape[1]})))"]


# --- lowerings --------------------------------------------------------------------------------------------------------


def _to_each(name: str, shape: ShapeRule = _matching) -> Lowering:
    """Return the lowering that applies the function `name` of the table entry by entry."""
    return lambda s, call, xs: entrywise(name, shape(call), s, call, xs)


def _to_all(name: str) -> Lowering:
    """Return the lowering that applies the function `name` of the table to all entries together."""
    return lambda s, call, xs: [s.apply(name, *xs[0])]


_PRODUCT_SLIPS: Final = {"transpose": ("g b", "a g"), "order": ("b^T g", "g a^T"), "layout": ("b g^T", "g^T a")}
_OPERATORS: Final = (
    ArrayRow("add", 2, "sum", _added, _to_each("add", _added), "a + b",
             lambda call: _entrywise_adjoints(call, ["g", "g"], _added(call))),
    ArrayRow("sub", 2, "difference", _added, _to_each("sub", _added), "a - b",
             lambda call: _entrywise_adjoints(call, ["g", "-g"], _added(call))),
    ArrayRow("neg", 1, "negation", _same, _to_each("neg"), "-a", ("-g",)),
    ArrayRow("times", 2, "product entry by entry, or with a number", _matching, _to_each("mul"),
             lambda call: "a .* b" if all(call.shapes) else "a b", _product_adjoints, slips={"factor": ("g",)}),
    ArrayRow("over", 2, "quotient entry by entry, or by a number", _matching, _to_each("div"),
             lambda call: _with_signs("a ./ b", call.shapes[1]), _quotient_adjoints,
             slips={"factor": ("g", "g ./ b"), "order": ("g .* b", "g .* a")}),
    ArrayRow("power", 2, "power entry by entry", _matching, _to_each("pow"),
             lambda call: _with_signs("a.^b", _matching(call)), _power_adjoints,
             slips={"factor": ("g .* a",), "slope": ("g",)}),
    ArrayRow("matmul", 2, "matrix product", _product, lowering.matmul, "a b", ("g b^T", "a^T g"), slips=_PRODUCT_SLIPS),
    ArrayRow("affine", 3, "matrix product plus or minus an array", _product, lowering.affine,
             lambda call: ("a b {} c", "c {} a b")[call.extra[0]].format("+-"[call.extra[1]]), _affine_adjoints,
             slips=_PRODUCT_SLIPS),
    ArrayRow("matpower", 1, "power of a square matrix", partial(_square, name="a power", most=None), lowering.power,
             lambda call: f"a^{call.extra[0]}", _matrix_power_adjoints),
    ArrayRow("map", -1, "function of the table, entry by entry", _matching,
             lambda s, call, xs: entrywise(call.function, _matching(call), s, call, xs),
             _map_text, _map_adjoints,
             slips={"slope": ("g",)}),
    ArrayRow("entry", 1, "one entry", _entry_shape, lambda s, call, xs: [xs[0][_entry_place(call)]],
             lambda call: f"a[{_listed(call.extra)}]", _entry_adjoints),
    ArrayRow("list", -1, "vector or matrix of numbers", _list_shape, lambda s, call, xs: [x[0] for x in xs],
             lambda call: list_text(OPERANDS[: len(call.shapes)], call.extra),
             lambda call: [f"g{place}" for place in shapes.places(_list_shape(call))]),
)  # fmt: skip
_FUNCTIONS: Final = (
    ArrayRow("transpose", 1, "transpose", lambda call: shapes.transpose_shape(call.shapes[0]),
             lambda s, call, xs: lowering.transpose_entries(xs[0], call.shapes[0]), "a^T", ("g^T",)),
    ArrayRow("sum", 1, "sum of all entries", _number, lambda s, call, xs: [total(s, xs[0])], "sum(a)",
             ("g ones({sizes})",), ("g",)),
    ArrayRow("mean", 1, "mean of all entries", _number,
             lambda s, call, xs: [s.apply("div", total(s, xs[0]), s.number(str(len(xs[0]))))], "mean(a)",
             ("g ones({sizes})/{size}",), ("g",), slips={"factor": ("g ones({sizes})",)}),
    ArrayRow("max", 1, "largest entry", _number, _to_all("max"), "max(a)", ("g (a == z)/sum(a == z)",), ("g",)),
    ArrayRow("min", 1, "smallest entry", _number, _to_all("min"), "min(a)", ("g (a == z)/sum(a == z)",), ("g",)),
    ArrayRow("norm", 1, "Euclidean norm, of a matrix the Frobenius norm", _number,
             lambda s, call, xs: [s.apply("sqrt", lowering.squares(s, xs[0]))], "norm(a)", ("g a/z",),
             slips={"factor": ("g a", "2 g a")}),
    ArrayRow("norm1", 1, "sum of the absolute values of the entries", _number,
             lambda s, call, xs: [total(s, [s.apply("abs", x) for x in xs[0]])], "norm1(a)", ("g sign(a)",),
             slips={"slope": ("g ones({sizes})",)}),
    ArrayRow("sumsq", 1, "sum of the squares of the entries", _number, lambda s, call, xs: [lowering.squares(s, xs[0])],
             "sumsq(a)", ("2 g a",), slips={"factor": ("g a",)}),
    ArrayRow("dot", 2, "sum of the products of entries", _equal_shapes,
             lambda s, call, xs: [total(s, [s.apply("mul", x, y) for x, y in zip(*xs, strict=True)])], "dot(a, b)",
             ("g b", "g a"), slips={"order": ("g a", "g b")}),
    ArrayRow("outer", 2, "matrix of all products of two vectors",
             lambda call: (shapes.vector_size(call.shapes[0], "outer"), shapes.vector_size(call.shapes[1], "outer", 1)),
             lambda s, call, xs: [s.apply("mul", x, y) for x in xs[0] for y in xs[1]], "outer(a, b)", ("g b", "g^T a"),
             slips={"transpose": ("g^T b", "g a")}),
    ArrayRow("tr", 1, "trace: sum of the diagonal", partial(_number_of_square, name="tr", most=None),
             lambda s, call, xs: [total(s, xs[0][:: as_matrix(call.shapes[0])[1] + 1])], "tr(a)", ("g eye({rows})",),
             ("g",), slips={"diagonal": ("g ones({sizes})",)}),
    ArrayRow("det", 1, "determinant", partial(_number_of_square, name="det"), lowering.determinant, "det(a)",
             ("g adj(a)^T",), ("g",), slips={"transpose": ("g adj(a)",), "factor": ("g inv(a)^T",)}),
    ArrayRow("adj", 1, "adjugate: det(a) inv(a), also for a without an inverse", partial(_square, name="adj"),
             lowering.adjugate, "adj(a)", ("",), ("0 g",)),
    ArrayRow("logdet", 1, "logarithm of the determinant", partial(_number_of_square, name="logdet"),
             lambda s, call, xs: [s.apply("log", *lowering.determinant(s, call, xs))], "logdet(a)", ("g inv(a)^T",),
             ("g/a",), slips={"transpose": ("g inv(a)",)}, singular="the determinant of {0} is not positive"),
    ArrayRow("inv", 1, "inverse", partial(_square, name="inv"), lowering.solution, "inv(a)", ("-z^T g z^T",),
             ("-g z^2",), slips={"transpose": ("z g z",), "order": ("g z^T z^T",)}, singular=_SINGULAR),
    ArrayRow("solve", 2, "solution z of a z = b", _right_side, lowering.solution, "solve(a, b)",
             ("-solve(a^T, g) z^T", "solve(a^T, g)"), slips={"transpose": ("solve(a, g) z^T", "solve(a, g)")},
             singular=_SINGULAR),
    ArrayRow("diag", 1, "diagonal matrix of a vector, diagonal of a matrix", _diagonal, lowering.diagonal, "diag(a)",
             ("diag(g)",)),
    ArrayRow("softmax", 1, "positive numbers of sum 1, exp(x)/sum(exp(x)), of a matrix row by row", _same,
             lowering.softmax, "softmax(a)",
             _softmax_adjoints, slips={"diagonal": ("g .* z .* (1 - z)",), "slope": ("g .* z",)}),
    ArrayRow("logsumexp", 1, "logarithm of the sum of exponentials, of a matrix row by row", _log_sums,
             lowering.log_sums, "logsumexp(a)",
             lambda call: ["diag(g) softmax(a)" if _log_sums(call) else "g softmax(a)"]),
    ArrayRow("rowsum", 1, "sum of each row", lambda call: shapes.matrix(call.shapes[0], "rowsum")[:1],
             lambda s, call, xs: [total(s, row) for row in lowering.rows_of(call.shapes[0], xs[0])], "rowsum(a)",
             ("outer(g, ones({columns}))",)),
    ArrayRow("colsum", 1, "sum of each column", lambda call: shapes.matrix(call.shapes[0], "colsum")[1:],
             lambda s, call, xs: [total(s, xs[0][j :: call.shapes[0][1]]) for j in range(call.shapes[0][1])],
             "colsum(a)", ("outer(ones({rows}), g)",)),
    ArrayRow("ones", 0, "array of ones: ones(3), ones(2, 3)", _sizes,
             lambda s, call, xs: lowering.filled(s, call.extra, "1"), lambda call: f"ones({_listed(call.extra)})"),
    ArrayRow("zeros", 0, "array of zeros", _sizes, lambda s, call, xs: lowering.filled(s, call.extra, "0"),
             lambda call: f"zeros({_listed(call.extra)})"),
    ArrayRow("eye", 0, "identity matrix", lambda call: (call.extra[0], call.extra[-1]),
             lambda s, call, xs: lowering.filled(s, (call.extra[0], call.extra[-1]), "1", "0"),
             lambda call: f"eye({_listed(call.extra)})"),
)  # fmt: skip
ROWS: Final = {row.name: row for row in (*_OPERATORS, *_FUNCTIONS)}
# Functions by the names that people type; those of the table of numbers act entry by entry.
FUNCTIONS: Final = {row.name: row for row in _FUNCTIONS} | {"trace": ROWS["tr"], "Tr": ROWS["tr"]}
ENTRYWISE: Final = {"step": "heaviside", "σ": "sigmoid", "sigma": "sigmoid", "ReLU": "relu", "ln": "log"}


FUNCTION_NAMES: Final = frozenset((*FUNCTIONS, *ENTRYWISE, "list"))


def is_function(name: str) -> bool:
    """Return whether a name is a function of arrays, or of the table of numbers."""
    return name in FUNCTION_NAMES or lookup(name) is not None or logarithm_base(name) is not None
