"""The table read with lanes: numbers are values of LLVM's intermediate representation, several doubles in each.

Reading a value rule with `Lanes` writes instructions.  `+ - * /` are rounded as everywhere, nothing is reordered or
fused; the functions are those of the C library, in their vector forms where it has them, each right to 4 units in the
last place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..errors import RequestError
from ..extras import Later
from ..numbers.doubles import FLOAT, Ordered
from ..numbers.gamma import BY_CHOICE, lgamma_by_choice, polygamma_by_choice
from ..table.primitive import ROWS
from . import vectormath

if TYPE_CHECKING:
    from ..table.arithmetic import LimitRule

ir: Any = Later("llvmlite.ir", "native")

# What the C library calls a function of the table that it has.
_LIBRARY = {name: name for name in (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "atan2", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "expm1",
    "hypot", "lgamma", "log", "log10", "log1p", "log2", "pow", "sin", "sinh", "tan", "tanh",
)} | {"gamma": "tgamma"}  # fmt: skip
# Whole powers that are products: each multiplication may add an error of half a unit in the last place.
_PRODUCTS = range(-2, 6)

OTHERWISE = "use the engine numpy, or auto"


class NoNativeForm(RequestError):
    """A program that cannot be compiled."""


def without_native_form(name: str) -> NoNativeForm:
    """The error for a function, or a kind of program, that has none."""
    return NoNativeForm(f"{name} has no native form", help=OTHERWISE)


def _arithmetic(instruction: str) -> Callable[..., Any]:
    return lambda self, other: self.m.instruction(instruction, self, other)


def _reflected(instruction: str) -> Callable[..., Any]:
    return lambda self, other: self.m.instruction(instruction, other, self)


def _relation(sign: str) -> Callable[..., Any]:
    return lambda self, other: self.m.relation(sign, self, other)


class Lane:
    """A value of the program that is written: doubles or, after a comparison, truth values."""

    __slots__ = ("m", "truth", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, m: Lanes, value: Any, truth: bool = False) -> None:
        self.m = m
        self.value = value
        self.truth = truth

    __add__, __radd__ = _arithmetic("fadd"), _reflected("fadd")
    __mul__, __rmul__ = _arithmetic("fmul"), _reflected("fmul")
    __truediv__, __rtruediv__ = _arithmetic("fdiv"), _reflected("fdiv")
    __sub__ = _arithmetic("fsub")
    __lt__, __le__, __gt__, __ge__ = _relation("<"), _relation("<="), _relation(">"), _relation(">=")
    __eq__, __ne__ = _relation("=="), _relation("!=")

    def __rsub__(self, other: Any) -> Lane:
        """The difference; 1 less a truth value is the other truth value."""
        if self.truth and not isinstance(other, Lane) and other == 1:
            return self.m.opposite(self)
        return self.m.instruction("fsub", other, self)

    def __neg__(self) -> Lane:
        return self.m.instruction("fneg", self)

    def __abs__(self) -> Lane:
        return self.m.intrinsic("fabs", self)

    def __and__(self, other: Any) -> Any:
        return self.m.both(self, other)

    def __or__(self, other: Any) -> Any:
        return self.m.either(self, other)

    __rand__, __ror__ = __and__, __or__

    def __bool__(self) -> bool:
        raise without_native_form("a choice in Python")


class Lanes(Ordered):
    """The arithmetic that writes into an LLVM builder.

    The same instruction is written once; what has to do with numbers alone is worked out at once.  `addresses` holds
    where the functions lie that the program calls, by name.
    """

    pi = FLOAT.pi
    e = FLOAT.e

    def __init__(self, builder: Any, lanes: int) -> None:
        self._builder = builder
        self._lanes = lanes
        self._doubles = ir.VectorType(ir.DoubleType(), lanes)
        self._truths = ir.VectorType(ir.IntType(1), lanes)
        self._written: dict[object, Lane] = {}
        self._reading: list[str] = []
        self.addresses: dict[str, int] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name in _LIBRARY:
            return lambda *arguments: self._called(name, *arguments)
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *arguments: self._by_rule(name, *arguments)

    def _by_rule(self, name: str, *arguments: Any) -> Any:
        """A function by the value rule of its row, unless that rule asks for the function itself."""
        if name in self._reading or name not in ROWS:
            raise without_native_form(name)
        self._reading.append(name)
        try:
            return ROWS[name].value(self, *arguments)
        finally:
            self._reading.pop()

    # --- values and instructions --------------------------------------------------------------------------------------

    def number(self, x: Any) -> float:
        return FLOAT.number(x)

    def lane(self, value: Any) -> Lane:
        """A value of the program as a number of this arithmetic."""
        return Lane(self, value)

    def doubles(self, x: Any) -> Any:
        """The doubles of a lane or a number, truth values as 1 and 0."""
        if not isinstance(x, Lane):
            return ir.Constant(self._doubles, [float(x)] * self._lanes)
        return self.choose(x, 1, 0).value if x.truth else x.value

    def truths(self, x: Any) -> Any:
        """Where a lane is true; a number is where it is not 0."""
        if not isinstance(x, Lane):
            return ir.Constant(self._truths, [int(bool(x))] * self._lanes)
        return x.value if x.truth else (x != 0).value

    def _once(self, name: str, operands: tuple[Any, ...], write: Callable[[], Any], truth: bool = False) -> Lane:
        key = (name, *[id(x.value) if isinstance(x, Lane) else float(x).hex() for x in operands])
        if key not in self._written:
            self._written[key] = Lane(self, write(), truth)
        return self._written[key]

    def instruction(self, name: str, *operands: Any) -> Lane:
        """The doubles that an instruction makes of doubles."""
        write = getattr(self._builder, name)
        return self._once(name, operands, lambda: write(*map(self.doubles, operands)))

    def relation(self, sign: str, a: Any, b: Any) -> Lane:
        """Where a comparison holds; with nan only `!=` does."""
        compare = self._builder.fcmp_unordered if sign == "!=" else self._builder.fcmp_ordered
        return self._once(sign, (a, b), lambda: compare(sign, self.doubles(a), self.doubles(b)), truth=True)

    def intrinsic(self, name: str, *operands: Any) -> Lane:
        """What a function that LLVM itself knows makes of doubles."""
        arguments = list(map(self.doubles, operands))
        function = self._declared(f"llvm.{name}.v{self._lanes}f64", self._doubles, arguments)
        return self._once(name, operands, lambda: self._builder.call(function, arguments))

    def _called(self, name: str, *arguments: Any) -> Any:
        """A function of the table by the C library's: all lanes at once where it has such a form, else one by one."""
        if not any(isinstance(x, Lane) for x in arguments):
            return getattr(FLOAT, name)(*arguments)
        return self._library(_LIBRARY[name], *arguments)

    def _library(self, name: str, *arguments: Any) -> Lane:
        return self._once(name, arguments, lambda: self._call(name, list(map(self.doubles, arguments))))

    def _call(self, name: str, arguments: list[Any]) -> Any:
        address = vectormath.vector(name, len(arguments), self._lanes)
        if address is not None:
            return self._builder.call(self._declared(f"{name}.lanes", self._doubles, arguments, address), arguments)
        address = vectormath.scalar(name)
        if address is None:
            raise without_native_form(name)
        function = self._declared(name, ir.DoubleType(), arguments, address)
        found = ir.Constant(self._doubles, ir.Undefined)
        for k in range(self._lanes):
            index = ir.Constant(ir.IntType(32), k)
            one = self._builder.call(function, [self._builder.extract_element(x, index) for x in arguments])
            found = self._builder.insert_element(found, one, index)
        return found

    def _declared(self, symbol: str, kind: Any, arguments: list[Any], address: int | None = None) -> Any:
        """The function that the program knows by this name, declared once."""
        module = self._builder.module
        if symbol not in module.globals:
            ir.Function(module, ir.FunctionType(kind, [kind] * len(arguments)), symbol)
            if address is not None:
                self.addresses[symbol] = address
        return module.globals[symbol]

    # --- what the table asks for by name ------------------------------------------------------------------------------

    def _truth(self, condition: Any) -> Any:
        return condition

    def both(self, a: Any, b: Any) -> Any:
        return self._joined("and_", a, b)

    def either(self, a: Any, b: Any) -> Any:
        return self._joined("or_", a, b)

    def _joined(self, name: str, a: Any, b: Any) -> Lane:
        write = getattr(self._builder, name)
        return self._once(name, (a, b), lambda: write(self.truths(a), self.truths(b)), truth=True)

    def opposite(self, x: Lane) -> Lane:
        """Where a truth value does not hold."""
        return self._once("not", (x,), lambda: self._builder.not_(x.value), truth=True)

    def choose(self, condition: Any, a: Any, b: Any) -> Any:
        if not isinstance(condition, Lane):
            return a if condition else b
        select = self._builder.select
        return self._once(
            "choose", (condition, a, b), lambda: select(self.truths(condition), self.doubles(a), self.doubles(b))
        )

    def guard(self, limit: LimitRule, rule: Any, *arguments: Any) -> Any:
        return self.choose(limit.where(self, *arguments), limit.value(self, *arguments), rule)

    def _extreme(self, xs: tuple[Any, ...], pick: Callable[..., Any]) -> Any:
        found = xs[0]
        for x in xs[1:]:
            better = found >= x if pick is max else found <= x
            found = self.choose(self.either(better, found != found), found, x)  # nan stays
        return found

    def sign(self, x: Any) -> Any:
        return self.choose(x > 0, 1, self.choose(x < 0, -1, x + 0.0))  # the sum has no -0, and nan stays

    def div(self, a: Any, b: Any) -> Any:
        return a / b if isinstance(a, Lane) or isinstance(b, Lane) else FLOAT.div(a, b)

    def pow(self, a: Any, b: Any) -> Any:
        """Small whole powers as products, square roots as such: both are nearer than the library and quicker."""
        if not isinstance(a, Lane) or isinstance(b, Lane):
            return self._called("pow", a, b)
        if abs(b) == 0.5:
            root = self.sqrt(a + 0.0)  # of -0 too the root is 0
            return root if b > 0 else 1 / root
        if b not in _PRODUCTS:
            return self._called("pow", a, b)
        if b == 0:
            return 1.0
        power = base = a if b > 0 else 1 / a
        for _ in range(1, abs(int(b))):
            power = power * base
        return power

    def lgamma(self, x: Any) -> Any:
        return lgamma_by_choice(self, x, self._called("lgamma", x)) if isinstance(x, Lane) else FLOAT.lgamma(x)

    def polygamma(self, n: Any, x: Any) -> Any:
        if not isinstance(n, Lane) and not isinstance(x, Lane):
            return FLOAT.polygamma(n, x)
        if isinstance(n, Lane) or n not in BY_CHOICE:
            raise without_native_form("polygamma")
        return polygamma_by_choice(self, int(n), x)

    def sqrt(self, x: Any) -> Any:
        return self.intrinsic("sqrt", x) if isinstance(x, Lane) else FLOAT.sqrt(x)

    def floor(self, x: Any) -> Any:
        return self.intrinsic("floor", x) + 0.0 if isinstance(x, Lane) else FLOAT.floor(x)  # the sum has no -0

    def ceil(self, x: Any) -> Any:
        return self.intrinsic("ceil", x) + 0.0 if isinstance(x, Lane) else FLOAT.ceil(x)

    def round(self, x: Any) -> Any:
        """The nearest integer, halves away from zero, as `Float.round`."""
        if not isinstance(x, Lane):
            return FLOAT.round(x)
        size = abs(x)
        below = self.floor(size)
        return self.intrinsic("copysign", below + self.choose(size - below >= 0.5, 1, 0), x)

    def mod(self, a: Any, b: Any) -> Any:
        """The remainder with the sign of the divisor, as `Float.mod`."""
        if not isinstance(a, Lane) and not isinstance(b, Lane):
            return FLOAT.mod(a, b)
        rest = self._library("fmod", a, b)
        other_side = self.both(rest != 0, self.either(self.both(rest < 0, b > 0), self.both(rest > 0, b < 0)))
        return self.choose(other_side, rest + b, self.choose(rest == 0, self.intrinsic("copysign", 0, b), rest))
