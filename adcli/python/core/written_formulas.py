"""Written formulas: texts in Python's notation, from files of the folder grammar/, as functions of traced values."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from ...extras import Later
from ...numbers.numpy_arrays import np
from ...typings import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .containers import Tree
    from .traced import Function, Values

    # The value of a part of a formula, from those of the arguments in their order.
    Part = Callable[[Values], Tree]

s: Any = Later("scipy.special", "scipy")

_OPERATORS: Final[Mapping[type[ast.operator], Callable[..., object]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow, ast.BitAnd: operator.and_,
}  # fmt: skip


def split_signature(signature: str) -> tuple[str, tuple[str, ...]]:
    """Return (name, names of the arguments) of a signature such as `beta(a, b)`."""
    name, _, arguments = signature.rstrip(")").partition("(")
    return name, tuple(arguments.split(", ")) if arguments else ()


class WrittenFormulas:
    """Formulas as functions: numbers, names, `+ - * / ** &`, calls, and parts such as `[1]` of a result.

    A name is an argument or one of `constants`. A function is one of `functions`, of Python's math (`math.log`), else
    NumPy's elementwise one, else that of `scipy.special`.
    """

    def __init__(self, functions: Mapping[str, Function], constants: Mapping[str, float]) -> None:
        self.functions, self.constants = dict(functions), constants

    def define(self, line: str) -> None:
        """Add the function of a line such as `square(x) = x*x` to `functions`."""
        signature, formula = line.split(" = ")
        name, arguments = split_signature(signature)
        self.functions[name] = self.function(formula, arguments)

    def function(self, formula: str, arguments: Sequence[str]) -> Function:
        """Return the function of these arguments, by position, with this formula, which is read at the first call.

        The call raises SyntaxError for a text that is not an expression, ValueError for an unknown name or notation,
        KeyError for an unknown operator, AttributeError for an unknown function.
        """

        @cache
        def read() -> Part:
            return self._read(ast.parse(formula, mode="eval").body, arguments)

        return lambda *values: read()(values)

    def _read(self, node: ast.expr, arguments: Sequence[str]) -> Part:
        """Return the function that computes the part `node` of a formula from the list of values of its `arguments`.

        Raises ValueError for an unknown name or notation, KeyError for an unknown operator, AttributeError for an
        unknown function.
        """
        match node:
            case ast.Constant(value=number):
                return lambda _: number
            case ast.Name(id=name) if name in arguments:
                return operator.itemgetter(arguments.index(name))
            case ast.Name(id=name) if name in self.constants:
                constant = self.constants[name]
                return lambda _: constant
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inside = self._read(operand, arguments)
                return lambda values: -inside(values)
            case ast.BinOp(left=first, op=sign, right=second):
                operation = _OPERATORS[type(sign)]
                left, right = self._read(first, arguments), self._read(second, arguments)
                return lambda values: operation(left(values), right(values))
            case ast.Subscript(value=whole, slice=ast.Constant(value=place)):
                results = self._read(whole, arguments)
                return lambda values: results(values)[place]
            case ast.Call(func=called, args=operands):
                function = self._find_function(ast.unparse(called))
                parts = [self._read(each, arguments) for each in operands]
                return lambda values: function(*[part(values) for part in parts])
        raise ValueError(f"{ast.unparse(node)} is not a part of a formula")

    def _find_function(self, name: str) -> Function:
        """Return the function called `name`.  Raises AttributeError if there is none."""
        if name in self.functions:
            return self.functions[name]
        home: object = math if name.startswith("math.") else np if isinstance(getattr(np, name, None), np.ufunc) else s
        function: Function = getattr(home, name.removeprefix("math."))
        return function
