"""The arithmetic of lanes: evaluating a program with `Lanes` writes LLVM instructions on several doubles at a time. A
number is an `Emitted` vector, one double for each point (lane), or a float: a constant.

`+ - * /` are rounded as usual; nothing is reordered, and only what a program marks itself (`fast_math`) is fused.
Common functions are part of the program (`inline_functions`); the others are called from the C library, in vector form
if it has one.  Each is accurate to 4 units in the last place.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence

from ..errors import RequestError
from ..numbers.gamma_functions import lgamma_by_choice
from ..table.primitive import ROWS, Primitive
from ..typings import Any, Final, cast, override
from . import vectormath
from .emitter import Emitted, Emitter, Number
from .llvm_text import BIT, BYTE, DOUBLE, INT, LONG, Instructions, Value, alike, constant, lanes_of, word_of

# How many doubles a register holds, by the feature of the processor.
WIDTHS = (("avx512f", 8), ("avx2", 4))

_ROUNDING = 1.5 * 2.0**52  # added to a number, it leaves the next whole number in the last bits
_ROOT_OF_HALF = 0x3FE6A09E667F3BCC  # the bits of √½
_ONE = 0x3FF0000000000000
_DIGITS = 52  # bits of a double after its exponent

_INSTRUCTIONS = {
    "add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "neg": "fneg", "abs": "llvm.fabs", "choose": "select",
    "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une",
}  # fmt: skip
_RELATIONS = frozenset(("olt", "ole", "ogt", "oge", "oeq", "une"))  # with nan only the last one holds
# Whole powers that are products: each multiplication may add an error of half a unit in the last place.
PRODUCTS = range(-2, 6)

OTHERWISE = "use the engine numpy, or auto"


class NoNativeForm(RequestError):
    """A program that cannot be compiled."""


def without_native_form(name: str) -> NoNativeForm:
    """Return the error for a function, or a type of program, that cannot be compiled to machine code."""
    return NoNativeForm(f"{name} cannot be compiled to machine code", help=OTHERWISE)


class Lanes(Emitter[Value]):
    """The arithmetic that writes LLVM instructions on vectors of `lanes` doubles.

    `addresses` holds the addresses of the C functions that the program calls, by name. `exceptions` are the
    conditions under which functions that are part of the program (`inline_functions`) are wrong.
    """

    def __init__(self, lines: Instructions, lanes: int) -> None:
        """Begin to write instructions for `lanes` points at a time into `lines`.

        While writing, `addresses` gets the C functions that are called, and `exceptions` the conditions under which an
        inlined function is wrong.
        """
        super().__init__(_RULES)
        self._lines = lines
        self._lanes = lanes
        self._doubles = lanes_of(DOUBLE, lanes)
        self._words = lanes_of(LONG, lanes)
        self._truths = lanes_of(BIT, lanes)
        self._numbers: dict[int, Value] = {}
        self.addresses: dict[str, int] = {}
        self.exceptions: list[Number[Value]] = []

    # --- values and instructions ---

    def doubles(self, x: Number[Value]) -> Value:
        """Return `x` as a vector of doubles.

        An emitted number is its own vector, an emitted truth value becomes 1 or 0, and a constant is repeated in all
        lanes (one Value for equal bits, cached).
        """
        if isinstance(x, Emitted):
            return self.select(x, 1.0, 0.0).value if x.truth else x.value
        bits = word_of(x)
        if bits not in self._numbers:
            self._numbers[bits] = alike(DOUBLE, f"0x{bits:016X}", self._lanes)
        return self._numbers[bits]

    def truths(self, x: Number[Value]) -> Value:
        """Return a condition as a vector of bits; a constant is true unless it is 0."""
        return x.value if isinstance(x, Emitted) else alike(BIT, int(bool(x)), self._lanes)

    def intrinsic(self, name: str, *operands: Number[Value]) -> Emitted[Value]:
        """Return the result of a function that LLVM has itself (`llvm.…`)."""
        return self.write(f"llvm.{name}", *operands)

    def library(self, name: str, *arguments: Number[Value]) -> Emitted[Value]:
        """Return the result of a function of the C library, for all lanes at once if it has a vector form."""
        return self.once(name, arguments, lambda: self._write_call(name, [*map(self.doubles, arguments)]))

    def _write_call(self, name: str, arguments: list[Value]) -> Value:
        """Write the call of the C function `name` with vectors as arguments, and return the vector of results.

        It is the vector form of the function, if the vector library has it for these lanes, or one call for each lane.
        The address is added to `addresses`, under `name.lanes` or `name`. Raises NoNativeForm if the C library lacks
        the function.
        """
        address = vectormath.vector(name, len(arguments), self._lanes)
        if address is not None:
            self.addresses[f"{name}.lanes"] = address
            return self._lines.call(f"{name}.lanes", self._doubles, arguments)
        address = vectormath.scalar(name)
        if address is None:
            raise without_native_form(name)
        self.addresses[name] = address
        result = constant(self._doubles, "undef")
        for k in range(self._lanes):
            one = self._lines.call(name, DOUBLE, [self._lines.element(x, k, DOUBLE) for x in arguments])
            result = self._lines.with_element(result, one, k)
        return result

    # --- what is written ---

    @override
    def function(self, name: str) -> str:
        return _INSTRUCTIONS.get(name, name)

    @override
    def append(self, function: str, operands: Sequence[Number[Value]], truth: bool) -> Value:
        """Append the LLVM instruction `function` on `operands` and return its result, a vector; `truth` says that this
        is one of truth values. Constants are repeated in all lanes.

        Operands are doubles, except the condition of "select", and those of "and", "or" and "xor" (`truth`, but not a
        comparison), which are truth values. "llvm.…" is a call of a function of LLVM.
        """
        if function == "select":
            condition, *cases = operands
            return self._lines.select(self.truths(condition), *map(self.doubles, cases))
        if truth and function not in _RELATIONS:
            return self._lines.operation(function, *map(self.truths, operands))
        values = [self.doubles(x) for x in operands]
        if truth:
            return self._lines.compare(function, values[0], values[1], self._truths)
        if function.startswith("llvm."):
            return self._lines.call(f"{function}.v{self._lanes}f64", self._doubles, values)
        return self._lines.operation(function, *values)

    @override
    def opposite(self, x: Emitted[Value]) -> Emitted[Value]:
        return self.put("xor", (x, 1.0), truth=True)

    @override
    def knows(self, name: str) -> bool:
        return bool(ROWS[name].libm)

    @override
    def call(self, name: str, *arguments: Number[Value]) -> Number[Value]:
        return self.library(ROWS[name].libm, *arguments)

    @override
    def apply_row(self, row: Primitive, arguments: Sequence[Number[Value]]) -> Number[Value]:
        """Return the value of `row` for `arguments`, by its value rule, whose instructions are written.

        Raises NoNativeForm instead of the TypeError, AttributeError or ArithmeticError of a rule: it needs more than
        emitted numbers have, or has no value for a constant. Other errors pass.
        """
        try:
            return super().apply_row(row, arguments)
        except (TypeError, AttributeError, ArithmeticError):
            raise without_native_form(row.name) from None

    # --- what functions in the program itself are made of ---

    def fma(self, a: Number[Value], b: Number[Value], c: Number[Value]) -> Emitted[Value]:
        """Return `a*b + c`, rounded once."""
        return self.intrinsic("fma", a, b, c)

    def whole(self, x: Number[Value], factor: float) -> Emitted[Value]:
        """Return the integer nearest to `x*factor`, a product below 2^51 in size."""
        return self.write("fsub", self.fma(x, factor, _ROUNDING), _ROUNDING)

    def copy_sign(self, size: Number[Value], sign: Number[Value]) -> Emitted[Value]:
        """Return `size` with the sign of `sign`."""
        return self.intrinsic("copysign", size, sign)

    def unusual(self, condition: Number[Value]) -> None:
        """Add a condition under which results are wrong, so that the program marks these points."""
        self.exceptions.append(condition)

    def scale_by_power(self, x: Number[Value], n: Number[Value]) -> Emitted[Value]:
        """Return x·2ⁿ for whole numbers `n`: by one instruction with 8 lanes (AVX-512), by two products with fewer.

        The first factor is 2ⁿ with `n` limited to ±1000, the second one the remaining power, so that subnormal and
        infinite results are reached for |n| up to about 2000.
        """
        if self._lanes == WIDTHS[0][1]:
            return self._at_once("scalef", x, self.doubles(n))
        first = self.choose(n > 1000.0, 1000.0, self.choose(n < -1000.0, -1000.0, n))
        product = x * self._power_of_two(first)
        return cast("Emitted[Value]", product * self._power_of_two(n - first))

    def _power_of_two(self, n: Number[Value]) -> Emitted[Value]:
        bits = self._bits(self.write("fadd", n, _ROUNDING + (_ONE >> _DIGITS)))
        return self._of_bits(self._word("shl", bits, _DIGITS))

    def _bits(self, x: Number[Value]) -> Emitted[Value]:
        """Return the bits of doubles as integers, for `_word` and `_of_bits` only."""
        return self.once("bits", (x,), lambda: self._lines.convert("bitcast", self.doubles(x), self._words))

    def _of_bits(self, bits: Emitted[Value]) -> Emitted[Value]:
        return self.once("of bits", (bits,), lambda: self._lines.convert("bitcast", bits.value, self._doubles))

    def _word(self, name: str, bits: Emitted[Value], number: int) -> Emitted[Value]:
        """Return the result of an instruction on bits and a constant."""
        other = alike(LONG, number, self._lanes)
        return self.once((name, number), (bits,), lambda: self._lines.operation(name, bits.value, other))

    def split_exponent(self, x: Emitted[Value]) -> tuple[Number[Value], Number[Value]]:
        """Return (m, k) with x = m·2^k: the mantissa m and the whole exponent k, as doubles.

        m is in √½…√2, with 8 lanes (AVX-512) in 3/4…3/2. k is -inf for x = 0, inf for x = inf and nan for nan and
        negative `x`; m is then arbitrary. Subnormal numbers are multiplied by 2^54 before, which k takes into account.
        """
        if self._lanes == WIDTHS[0][1]:
            return self._split_by_instruction(x)
        tiny = self.lt(x, sys.float_info.min)
        bits = self._word("add", self._bits(self.choose(tiny, x * 2.0**54, x)), _ONE - _ROOT_OF_HALF)
        power = self._word("add", self._word("lshr", bits, _DIGITS), word_of(_ROUNDING))
        k = self._of_bits(power) - (_ROUNDING + (_ONE >> _DIGITS))
        fraction = self._word("add", self._word("and", bits, (1 << _DIGITS) - 1), _ROOT_OF_HALF)
        beyond = self.choose(x == 0.0, -math.inf, self.choose(x == math.inf, math.inf, math.nan))
        usual = self.both(x > 0.0, x < math.inf)
        return self._of_bits(fraction), self.choose(usual, self.choose(tiny, k - 54.0, k), beyond)

    def _split_by_instruction(self, x: Emitted[Value]) -> tuple[Number[Value], Number[Value]]:
        """Return (mantissa, exponent) by instructions of AVX-512: the code 15 selects mantissas from 3/4 to 3/2, and
        nan for negative numbers.
        """
        fraction = self._at_once("getmant", x, constant(INT, 15))
        return fraction, self._at_once("getexp", x) - self._at_once("getexp", fraction)

    def _at_once(self, name: str, x: Number[Value], *how: Value) -> Emitted[Value]:
        """Return the result of one instruction of AVX-512 on `x`: `name` is scalef, getmant or getexp."""
        value = self.doubles(x)
        arguments = [value, *how, value, constant(BYTE, -1), constant(INT, 4)]
        symbol = f"llvm.x86.avx512.mask.{name}.pd.512"
        return self.once((name, *map(str, how)), (x,), lambda: self._lines.call(symbol, self._doubles, arguments))

    def rotate(
        self, quarters: Emitted[Value], sine: Number[Value], cosine: Number[Value]
    ) -> tuple[Emitted[Value], Emitted[Value]]:
        """Return (sine, cosine) of an angle rotated by `quarters` quarter turns, a whole number in each lane.

        `sine` and `cosine` are those of the angle before. Odd numbers exchange both; the signs follow from `quarters`
        modulo 4.
        """
        bits = self._bits(quarters + _ROUNDING)
        odd = self.once("odd", (bits,), lambda: self._lines.convert("trunc", bits.value, self._truths), truth=True)
        return (
            self._negate_by_bit(self.choose(odd, cosine, sine), bits),
            self._negate_by_bit(self.choose(odd, sine, cosine), self._word("add", bits, 1)),
        )

    def _negate_by_bit(self, x: Number[Value], bits: Emitted[Value]) -> Emitted[Value]:
        """Return `x`, negated where the second bit of `bits` is set."""
        sign = self._word("and", self._word("shl", bits, 62), 1 << 63)
        x_bits = self._bits(x)
        return self._of_bits(
            self.once("xor", (x_bits, sign), lambda: self._lines.operation("xor", x_bits.value, sign.value))
        )

    # --- functions in their own ways ---

    def pow(self, a: Number[Value], b: Number[Value]) -> Number[Value]:
        """Return a to the power of b. The first that applies:

        - an emitted `a` and a constant `b`: `_constant_power`
        - a call of `pow`, computed at once if both are constants
        """
        if isinstance(a, Emitted) and not isinstance(b, Emitted):
            return self._constant_power(a, b)
        return self.call_known("pow", a, b)

    def _constant_power(self, a: Emitted[Value], b: float) -> Number[Value]:
        """Return an emitted number to the power of the constant `b`. The first that applies:

        - ±½: a square root (that of -0 is 0)
        - whole numbers from -2 to 5: products, the constant 1.0 for 0
        - a call of the library's pow

        Negative exponents of roots and products are those of the reciprocal.
        """
        if abs(b) == 0.5:
            root = self.sqrt(a + 0.0)  # of -0 too the root is 0
            return root if b > 0 else 1 / root
        if b not in PRODUCTS:
            return self.call_known("pow", a, b)
        if b == 0:
            return 1.0
        product = base = a if b > 0 else 1 / a
        for _ in range(1, abs(int(b))):
            product = product * base
        return product


def _sign(m: Lanes, x: Emitted[Value]) -> Number[Value]:
    return m.choose(x > 0, 1, m.choose(x < 0, -1, x + 0.0))  # the sum has no -0, and nan stays


def _round(m: Lanes, x: Emitted[Value]) -> Number[Value]:
    """Return the nearest integer, halves away from zero, with the sign of `x` (also -0.0)."""
    size = abs(x)
    below = m.floor(size)
    return m.copy_sign(below + m.choose(size - below >= 0.5, 1, 0), x)


def _mod(m: Lanes, a: Number[Value], b: Number[Value]) -> Number[Value]:
    """Return the remainder of `a` divided by `b` with the sign of `b`.

    A remainder of 0 has the sign of `b`, too; nan if `b` is 0 or `a` infinite.
    """
    rest = m.library("fmod", a, b)
    other_side = m.both(rest != 0, m.either(m.both(rest < 0, b > 0), m.both(rest > 0, b < 0)))
    return m.choose(other_side, rest + b, m.choose(rest == 0, m.copy_sign(0, b), rest))


# By the name in the table.
_RULES: Final[Mapping[str, Callable[..., Any]]] = {
    "sign": _sign, "round": _round, "mod": _mod,
    "lgamma": lambda m, x: lgamma_by_choice(m, x, m.library("lgamma", x)),
    "sqrt": lambda m, x: m.intrinsic("sqrt", x),
    **{name: lambda m, x, _name=name: m.intrinsic(_name, x) + 0.0 for name in ("floor", "ceil")},  # without -0
}  # fmt: skip
