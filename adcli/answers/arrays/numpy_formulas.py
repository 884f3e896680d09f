"""Formulas of NumPy and PyTorch in answers, spelled in the language of arrays: `np.sum(X @ w, axis=0)`. A part is the
spelling of an operand, and whether NumPy has it as a column."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from warnings import catch_warnings, simplefilter

from ...arrays.array_rows import is_function
from ...arrays.shapes import Shape
from ...language.advice import synonyms
from ...records import NamedTuple
from ...typings import Final

_OPERATORS: Final[Mapping[type[ast.AST], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: ".*", ast.Div: "./", ast.Pow: ".^", ast.MatMult: "@",
}  # fmt: skip
_RELATIONS: Final[Mapping[type[ast.AST], str]] = {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<="}
_NAMES: Final = {word: meanings[0] for word, meanings in synonyms("numpy_functions").items()}
_FORMULAS: Final[Mapping[tuple[str, int], str]] = {  # by name and number of operands
    ("square", 1): "(({0}).^2)", ("matrix_power", 2): "(({0})^{1})",
    ("crossprod", 1): "(({0})^T @ ({0}))", ("crossprod", 2): "(({0})^T @ ({1}))", ("solve", 1): "inv({0})",
    ("step", 1): "({0} > 0)", ("where", 3): "({0} .* ({1}) + (1 - {0}) .* ({2}))",
}  # fmt: skip
_MOST_NODES: Final = 600  # of a formula; each operation asks for the shape of all that it is made of
_BY_ROWS: Final = ("softmax", "logsumexp")  # of a matrix row by row
_SUMS: Final = {0: "colsum", 1: "rowsum", -1: "rowsum"}  # of a matrix, by axis


class _NumpyPart(NamedTuple):
    """A part of a formula in the language of arrays; `is_column` says that it is a vector with a second axis of 1."""

    text: str
    is_column: bool = False


class _UnknownCode(Exception):
    """A part of a formula that the language of arrays does not have."""


def spell_numpy(text: str, shapes: Mapping[str, Shape], shape_of: Callable[[str], Shape | None]) -> str | None:
    """Return a formula of NumPy or PyTorch, without `np.`, in the language of arrays: `X.T @ r` gives `((X)^T @ r)`.

    `*` works entry by entry; `x @ y` of two vectors is a number. `shapes` are those of the names. `shape_of` returns
    the shape of a formula of the language, None if it cannot be read.

    None if the text is not an expression of Python. A text that cannot be spelled gives "" if it is surely code: it has
    a call with settings by name, or of a method, or more than 600 parts. If that is not sure, it gives None.
    """
    tree = parse_python(text)
    if tree is None:
        return None
    nodes = [*ast.walk(tree)]
    if len(nodes) > _MOST_NODES:
        return ""
    speller = _NumpySpeller(shapes, shape_of)
    try:
        for node in reversed(nodes):  # operands first
            speller.spell(node)
        return speller.operand(tree).text
    except _UnknownCode:
        is_code = any(
            isinstance(node, ast.Call) and (node.keywords or isinstance(node.func, ast.Attribute)) for node in nodes
        )
        return "" if is_code else None


def parse_python(text: str) -> ast.expr | None:
    """Return a text as an expression of Python; None if it is not one.

    `^` is a power (replaced by `**` before parsing), and `.*`, `./`, `.^` are `*`, `/`, `^`.
    """
    plain = text.replace(".*", "*").replace("./", "/").replace(".^", "^").replace("^", "**")
    try:
        with catch_warnings():
            simplefilter("ignore")  # of Python about the text, such as "invalid decimal literal" for 1or
            return ast.parse(plain.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _added_axis(index: ast.AST) -> int | None:
    """Return the place of a new axis in an index: 1 for `:, None`, 0 for `None, :` and `None`; None for other indices.

    `newaxis`, from which `np.` has been removed before, is read like None. 1 makes a vector a column.
    """
    marks = ""
    for each in index.elts if isinstance(index, ast.Tuple) else [index]:
        is_whole = isinstance(each, ast.Slice) and each.lower is each.upper is each.step is None
        is_new = ast.unparse(each) in ("None", "newaxis")
        marks += ":" if is_whole else "+" if is_new else "?"
    return {":+": 1, "+:": 0, "+": 0}.get(marks)


def _whole_number(node: ast.AST) -> int | None:
    """Return the whole number that an axis or index is, with its sign; None for every other node."""
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1, node.operand
    return None if not isinstance(node, ast.Constant) or type(node.value) is not int else sign * node.value


class _NumpySpeller:
    """The parts of one formula, spelled from the operands upwards."""

    def __init__(self, shapes: Mapping[str, Shape], shape_of: Callable[[str], Shape | None]) -> None:
        self.shapes, self.shape_of = shapes, shape_of
        self.parts: dict[ast.AST, _NumpyPart] = {}

    def operand(self, node: ast.AST) -> _NumpyPart:
        """Return a part that is spelled. Raises _UnknownCode if it is not."""
        if node not in self.parts:
            raise _UnknownCode
        return self.parts[node]

    def spell(self, node: ast.AST) -> None:
        """Add the spelling of a node in the language to `parts`; the spellings of its operands are in `parts` already.

        Spelled are names with a shape, numbers, signs, operators, `.T`, lists, comparisons, indices and calls. Other
        nodes (also names and attributes of functions) get no part, and raise _UnknownCode where they are an operand.
        `parts` is keyed by node. Raises _UnknownCode for a sign, operator, list, comparison, index or call that has no
        spelling.
        """
        if isinstance(node, ast.Name):
            if node.id in self.shapes:
                self.parts[node] = _NumpyPart(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            self.parts[node] = _NumpyPart(repr(node.value * 1))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
            part = self.operand(node.operand)
            self.parts[node] = part._replace(text=f"(-{part.text})") if isinstance(node.op, ast.USub) else part
        elif isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            self.parts[node] = self._operation(
                _OPERATORS[type(node.op)], self.operand(node.left), self.operand(node.right)
            )
        elif isinstance(node, ast.Attribute) and node.value in self.parts and node.attr == "T":
            self.parts[node] = self._transpose(self.parts[node.value])
        elif isinstance(node, ast.List):
            self.parts[node] = self._list(node.elts)
        elif isinstance(node, (ast.Compare, ast.Subscript, ast.Call)):
            self._spell_longer(node)

    def _list(self, entries: list[ast.expr]) -> _NumpyPart:
        """Return a list of parts, or of lists of parts, as `[1, 2; 3, 4]`.

        Raises _UnknownCode for less than two entries in all, and for an entry without a spelling. Inner lists are
        spelled alone before, so each of them needs two entries, too. The lengths of rows are not compared.
        """
        is_nested = all(isinstance(each, ast.List) for each in entries)
        rows = [each.elts for each in entries if isinstance(each, ast.List)] if is_nested else [entries]
        texts = [", ".join(self.operand(each).text for each in row) for row in rows]
        if sum(map(len, rows)) < 2:
            raise _UnknownCode
        return _NumpyPart(f"[{'; '.join(texts)}]")

    def _spell_longer(self, node: ast.Compare | ast.Subscript | ast.Call) -> None:
        """Add the spelling of a comparison, an index or a call to `parts`.

        A comparison is spelled `(a > b)`, whatever the shapes. An index may be that of a shape, `X.shape[0]`, which
        gives the number, or add an axis, `x[:, None]`, which only sets `is_column`. Raises _UnknownCode in these cases:
        - a chain of comparisons, or a relation other than > >= < <=;
        - an index of a shape that is not a whole number from 0 to its length - 1;
        - another index that is not one whole number for each axis;
        - a call that `_call` does not know, or an operand without a spelling.
        """
        if isinstance(node, ast.Call):
            self.parts[node] = self._call(node)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _RELATIONS:
            left, right = (self.operand(each).text for each in (node.left, node.comparators[0]))
            self.parts[node] = _NumpyPart(f"({left} {_RELATIONS[type(node.ops[0])]} {right})")
        elif isinstance(node, ast.Subscript) and (axis := _added_axis(node.slice)) is not None:
            self.parts[node] = self.operand(node.value)._replace(is_column=axis == 1)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            shape, place = self._shape(self.operand(node.value.value)), _whole_number(node.slice)
            if place is None or not 0 <= place < len(shape):
                raise _UnknownCode
            self.parts[node] = _NumpyPart(str(shape[place]))
        elif isinstance(node, ast.Subscript):
            self.parts[node] = self._entry(self.operand(node.value), node.slice)
        else:
            raise _UnknownCode

    def _entry(self, part: _NumpyPart, index: ast.AST) -> _NumpyPart:
        """Return the entry of an array at an index of Python, counted from 0 or, if it is negative, from the end.

        Raises _UnknownCode unless the index has one whole number for each axis, in its range.
        """
        shape, places = self._shape(part), index.elts if isinstance(index, ast.Tuple) else [index]
        numbers = [_whole_number(each) for each in places]
        if len(numbers) != len(shape) or any(k is None or not -n <= k < n for k, n in zip(numbers, shape, strict=True)):
            raise _UnknownCode
        indices = [str((k or 0) % n + 1) for k, n in zip(numbers, shape, strict=True)]
        return _NumpyPart(f"({part.text})[{','.join(indices)}]")

    def _call(self, node: ast.Call) -> _NumpyPart:
        """Return a call of a function, or of a method, whose object is then the first operand, as a part.

        - sum and mean take an axis (`axis`, `dim`, or by position) and `keepdims`, which counts as True with every
          value.
        - Other functions ignore `keepdims` and an axis of a vector; softmax and logsumexp also the axes 1 and -1 of a
          matrix.
        - ones and zeros take a shape as a tuple, or its lengths one by one; the lengths are their operands.
        - reshape of a vector takes (-1, 1), which makes it a column, or (1, -1).
        - An object that has no spelling, as `nn` in `nn.relu(x)`, is ignored.

        Raises _UnknownCode for another axis of a matrix, for other settings by name (also dtype), for further arguments
        of transpose and reshape, and if the function is not a name, as in `0.5 (1 + 9)`.
        """
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if not name:  # 0.5 (1 + 9)
            raise _UnknownCode
        nodes = [*node.args]
        if name in ("ones", "zeros") and nodes and isinstance(nodes[0], ast.Tuple):
            nodes = nodes[0].elts
        if isinstance(function, ast.Attribute) and function.value in self.parts:
            nodes.insert(0, function.value)
        settings = {each.arg: each.value for each in node.keywords}
        axis = settings.pop("axis", settings.pop("dim", None))
        is_kept = settings.pop("keepdims", settings.pop("keepdim", None)) is not None
        if name in ("sum", "mean") and len(nodes) == 2:  # X.sum(0)
            axis = nodes.pop()
        if name in ("sum", "mean") and len(nodes) == 1:
            return self._sum_or_mean(name, self.operand(nodes[0]), axis, is_kept)
        lengths = [*map(_whole_number, nodes[1:])] if name == "reshape" and len(nodes) == 3 else []
        if -1 in lengths and 1 in lengths and len(self._shape(self.operand(nodes[0]))) == 1:
            return self.operand(nodes[0])._replace(is_column=lengths[0] == -1)
        if axis is not None and nodes:
            self._check_axis(name, axis, nodes[0])
        if settings or (name in ("transpose", "reshape") and len(nodes) != 1):
            raise _UnknownCode
        return self._function(_NAMES.get(name, name), [self.operand(each) for each in nodes])

    def _function(self, name: str, parts: list[_NumpyPart]) -> _NumpyPart:
        """Return the function `name` of the operands `parts`, as a part.

        `name` is that in the language of arrays. It may also be the sign of an operator, "T" for the transpose (of a
        vector or column: a vector), "" for the operand itself, or `len` for the first length of an array as a number.
        Functions in `_FORMULAS` become their formula there. Only "" and operators may give a column. Raises
        _UnknownCode if it is not a function, and without operands; their number is not checked.
        """
        if name in ("T", "") and len(parts) == 1:
            return self._transpose(parts[0]) if name else parts[0]
        if name in _OPERATORS.values() and len(parts) == 2:
            return self._operation(name, *parts)
        if (name, len(parts)) in _FORMULAS:
            return _NumpyPart(_FORMULAS[name, len(parts)].format(*(part.text for part in parts)))
        if name == "len" and len(parts) == 1 and self._shape(parts[0]):
            return _NumpyPart(str(self._shape(parts[0])[0]))
        if not parts or not is_function(name):
            raise _UnknownCode
        return _NumpyPart(f"{name}({', '.join(part.text for part in parts)})")

    def _check_axis(self, name: str, axis: ast.AST, argument: ast.AST) -> None:
        """Raise _UnknownCode if `argument` is a matrix, whatever the axis: norm(A, axis=0) is not the norm of A.

        A function `name` that goes row by row is allowed, if `axis` is 1 or -1. A column is not a matrix.
        """
        is_by_rows = name in _BY_ROWS and _whole_number(axis) in (1, -1)
        if not is_by_rows and len(self._shape(self.operand(argument))) > 1:
            raise _UnknownCode

    def _sum_or_mean(self, name: str, part: _NumpyPart, axis: ast.AST | None, is_kept: bool) -> _NumpyPart:
        """Return the sum or mean (`name`) of a part along `axis`.

        It is of all entries, and no column, if `axis` is None (not given) or the part is not a matrix. Axis 0 gives one
        number for each column, 1 and -1 one for each row; a mean is divided by the length of the axis. With `is_kept`
        (keepdims) and an axis other than 0 the result is a column. Raises _UnknownCode for another axis.
        """
        shape = self._shape(part)
        if axis is None or len(shape) < 2:
            return _NumpyPart(f"{name}({part.text})")
        place = _whole_number(axis)
        if place not in _SUMS:
            raise _UnknownCode
        total = f"{_SUMS[place]}({part.text})"
        return _NumpyPart(total if name == "sum" else f"({total}/{shape[place]})", is_kept and place != 0)

    def _transpose(self, part: _NumpyPart) -> _NumpyPart:
        return _NumpyPart(f"({part.text})^T") if len(self._shape(part)) == 2 else part._replace(is_column=False)

    def _shape(self, part: _NumpyPart) -> Shape:
        """Return the shape of a part: that of its name, or of the formula that it is.

        Raises _UnknownCode if it has no shape.
        """
        shape = self.shapes[part.text] if part.text in self.shapes else self.shape_of(part.text)
        if shape is None:
            raise _UnknownCode
        return shape

    def _operation(self, sign: str, left: _NumpyPart, right: _NumpyPart) -> _NumpyPart:
        """Return an operation of two parts by its sign in the language, in brackets.

        - `@` of two vectors is dot(…), also if both or the second is a column; of a column and a vector their outer
          product; of a vector and a matrix the transposed matrix times the vector. The result is never a column.
        - All other signs work entry by entry. Next to a matrix, a vector is repeated in each row, and a column in each
          column. If the parts are a column and a vector, both are repeated to a matrix. The result is a column if one
          part is a column and neither is a matrix, after repeating.

        Lengths are not compared.
        """
        shapes = self._shape(left), self._shape(right)
        one_column = left.is_column != right.is_column and len(shapes[0]) == len(shapes[1]) == 1
        if sign == "@":
            if one_column and left.is_column:
                return _NumpyPart(f"outer({left.text}, {right.text})")
            if len(shapes[0]) == 1:
                product = (
                    f"dot({left.text}, {right.text})" if len(shapes[1]) == 1 else f"({right.text})^T ({left.text})"
                )
                return _NumpyPart(f"({product})")
            return _NumpyPart(f"({left.text} @ {right.text})")
        matrix: Shape | None = next((shape for shape in shapes if len(shape) == 2), None)
        if one_column:
            matrix = (*shapes[not left.is_column], *shapes[left.is_column])
        if matrix is not None:
            left, right = (self._repeat(part, shape, matrix) for part, shape in zip((left, right), shapes, strict=True))
        is_column = any(part.is_column for part in (left, right)) and matrix is None
        return _NumpyPart(f"({left.text} {sign} {right.text})", is_column)

    def _repeat(self, part: _NumpyPart, shape: Shape, matrix: Shape) -> _NumpyPart:
        """Return a vector as a matrix of the shape `matrix`; other parts unchanged.

        The vector is repeated in each row, or, if it is a column, in each column, as an outer product with ones. Its
        length is not compared with `matrix`.
        """
        if len(shape) != 1:
            return part
        rows, columns = matrix
        pair = f"{part.text}, ones({columns})" if part.is_column else f"ones({rows}), {part.text}"
        return _NumpyPart(f"outer({pair})")
