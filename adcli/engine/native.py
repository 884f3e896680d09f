"""The engine of machine code: a program compiled for this machine through LLVM, several points at a time.

Reading a program with `Lanes` writes instructions on values that are several doubles each.  `+ - * /` are rounded as
everywhere; nothing is reordered, and nothing fused but what a program asks for (`freedom`).  Common functions are part
of the program (`inlined`); the others are those of the C library, in their vector forms where it has them.  Each is
right to 4 units in the last place.
"""

from __future__ import annotations

import ctypes
import math
import os
import struct
import sys
from _thread import start_new_thread
from collections.abc import Sequence
from functools import partial, reduce
from operator import itemgetter, or_
from threading import Semaphore
from typing import TYPE_CHECKING, Final, cast

from ..errors import RequestError
from ..extras import Later
from ..graph.graph import Graph
from ..numbers.doubles import FLOAT
from ..numbers.gamma import BY_CHOICE, lgamma_by_choice, polygamma_by_choice
from ..overriding import override
from ..table.primitive import ROWS, Primitive
from . import vectormath
from .arrays import addresses_of
from .assembly import (
    BIT,
    BYTE,
    DOUBLE,
    INT,
    LONG,
    Instructions,
    Value,
    alike,
    block,
    constant,
    function,
    lanes_of,
    word_of,
)
from .emitting import Emitted, Number, Rule, read
from .inlined import INLINED, MOST, Inlining, exponential, power
from .layout import NOTHING, NOWHERE, PLAIN, Layout, Reported, fitting

if TYPE_CHECKING:
    import llvmlite.binding as llvm
    import numpy as np

    from .blocks import Doubles
    from .layout import Places
else:
    np = Later("numpy", "numpy")
    llvm = Later("llvmlite.binding", "native")

# How many doubles a register holds, by what the processor has; 2 where it has neither.
_WIDTHS = (("avx512f", 8), ("avx2", 4))
_NARROWEST = 2
_SHARE = 1 << 22  # operations in a piece of the work, those of each point counted: half a millisecond or so
_PIECES = 4  # for each thread, at least: the last one may have to be waited for
_LARGEST = 5_000  # slots that are still compiled, within a second or so; time grows faster than they do

_ROUNDING = 1.5 * 2.0**52  # added to a number, it leaves the next whole number in the last bits
_ROOT_OF_HALF = 0x3FE6A09E667F3BCC  # the bits of √½
_ONE = 0x3FF0000000000000
_SIZE = 8  # bytes of a double
_DIGITS = 52  # bits of a double after its exponent
_UNKNOWN, _WRONG = 1, 2  # what machine code says of a piece: a value is nan, the flag was met

_INSTRUCTIONS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "neg": "fneg"}
_RELATIONS = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}  # with nan only `ne` holds
# Whole powers that are products: each multiplication may add an error of half a unit in the last place.
_PRODUCTS = range(-2, 6)

OTHERWISE = "use the engine numpy, or auto"


class NoNativeForm(RequestError):
    """A program that cannot be compiled."""


def without_native_form(name: str) -> NoNativeForm:
    """The error for a function, or a kind of program, that has none."""
    return NoNativeForm(f"{name} has no native form", help=OTHERWISE)


class Lanes(Inlining[Value]):
    """The arithmetic that writes LLVM's instructions.

    `addresses` holds where the functions lie that the program calls, by name.  With `inlines` those that can be are
    part of the program, and `exceptions` are where it is not right then.
    """

    def __init__(self, lines: Instructions, lanes: int, inlines: bool = False) -> None:
        super().__init__()
        self._lines = lines
        self._lanes = lanes
        self._inlines = inlines
        self._doubles = lanes_of(DOUBLE, lanes)
        self._words = lanes_of(LONG, lanes)
        self._truths = lanes_of(BIT, lanes)
        self._numbers: dict[int, Value] = {}
        self.addresses: dict[str, int] = {}
        self.exceptions: list[Number[Value]] = []

    # --- values and instructions ---

    def doubles(self, x: Number[Value]) -> Value:
        """The doubles that are written or a number, truth values as 1 and 0."""
        if isinstance(x, Emitted):
            return self.selected(x, 1.0, 0.0).value if x.truth else x.value
        bits = word_of(x)
        if bits not in self._numbers:
            self._numbers[bits] = alike(DOUBLE, f"0x{bits:016X}", self._lanes)
        return self._numbers[bits]

    def instruction(self, name: str, *operands: Number[Value]) -> Emitted[Value]:
        """The doubles that an instruction makes of doubles."""
        return self.once(name, operands, lambda: self._lines.operation(name, *map(self.doubles, operands)))

    def intrinsic(self, name: str, *operands: Number[Value]) -> Emitted[Value]:
        """What a function that LLVM itself knows makes of doubles."""
        symbol = f"llvm.{name}.v{self._lanes}f64"
        return self.once(
            name, operands, lambda: self._lines.call(symbol, self._doubles, [*map(self.doubles, operands)])
        )

    def library(self, name: str, *arguments: Number[Value]) -> Emitted[Value]:
        """What a function of the C library makes of doubles: all lanes at once where it has such a form."""
        return self.once(name, arguments, lambda: self._called(name, [*map(self.doubles, arguments)]))

    def _called(self, name: str, arguments: list[Value]) -> Value:
        address = vectormath.vector(name, len(arguments), self._lanes)
        if address is not None:
            self.addresses[f"{name}.lanes"] = address
            return self._lines.call(f"{name}.lanes", self._doubles, arguments)
        address = vectormath.scalar(name)
        if address is None:
            raise without_native_form(name)
        self.addresses[name] = address
        found = constant(self._doubles, "undef")
        for k in range(self._lanes):
            one = self._lines.call(name, DOUBLE, [self._lines.element(x, k, DOUBLE) for x in arguments])
            found = self._lines.with_element(found, one, k)
        return found

    # --- what is written ---

    @override
    def operation(self, name: str, *operands: Number[Value]) -> Emitted[Value]:
        return self.intrinsic("fabs", *operands) if name == "abs" else self.instruction(_INSTRUCTIONS[name], *operands)

    @override
    def relation(self, name: str, a: Number[Value], b: Number[Value]) -> Emitted[Value]:
        """Where a comparison holds."""
        return self.once(
            name,
            (a, b),
            lambda: self._lines.compare(_RELATIONS[name], self.doubles(a), self.doubles(b), self._truths),
            truth=True,
        )

    @override
    def joined(self, name: str, a: Number[Value], b: Number[Value]) -> Emitted[Value]:
        write = self._lines.operation
        return self.once(name, (a, b), lambda: write(name, self.truths(a), self.truths(b)), truth=True)

    def truths(self, x: Number[Value]) -> Value:
        """Where a condition holds."""
        return x.value if isinstance(x, Emitted) else alike(BIT, int(bool(x)), self._lanes)

    @override
    def opposite(self, x: Emitted[Value]) -> Emitted[Value]:
        everywhere = alike(BIT, 1, self._lanes)
        return self.once("not", (x,), lambda: self._lines.operation("xor", x.value, everywhere), truth=True)

    @override
    def selected(self, condition: Emitted[Value], a: Number[Value], b: Number[Value]) -> Emitted[Value]:
        select = self._lines.select
        return self.once("choose", (condition, a, b), lambda: select(condition.value, self.doubles(a), self.doubles(b)))

    @override
    def knows(self, name: str) -> bool:
        return bool(ROWS[name].libm)

    @override
    def call(self, name: str, *arguments: Number[Value]) -> Emitted[Value]:
        symbol = ROWS[name].libm
        if self._inlines and symbol in INLINED:
            return cast("Emitted[Value]", INLINED[symbol](self, *arguments))
        return self.library(symbol, *arguments)

    @override
    def extreme(self, name: str, a: Number[Value], b: Number[Value]) -> Number[Value]:
        better = self.ge(a, b) if name == "max" else self.le(a, b)
        return self.choose(self.either(better, self.ne(a, a)), a, b)  # nan stays

    @override
    def applied(self, row: Primitive, arguments: Sequence[Number[Value]]) -> Number[Value]:
        """By the rule; NoNativeForm for one that does more with its numbers than those of the table."""
        try:
            return self.by_rule(row, arguments)
        except (TypeError, AttributeError, ArithmeticError):
            raise without_native_form(row.name) from None

    # --- what functions in the program itself are made of ---

    @override
    def fma(self, a: Number[Value], b: Number[Value], c: Number[Value]) -> Emitted[Value]:
        return self.intrinsic("fma", a, b, c)

    @override
    def whole(self, x: Number[Value], factor: float) -> Emitted[Value]:
        return self.instruction("fsub", self.fma(x, factor, _ROUNDING), _ROUNDING)

    @override
    def signed(self, size: Number[Value], sign: Number[Value]) -> Emitted[Value]:
        return self.intrinsic("copysign", size, sign)

    @override
    def unusual(self, condition: Number[Value]) -> None:
        self.exceptions.append(condition)

    @override
    def scaled(self, x: Number[Value], n: Number[Value]) -> Emitted[Value]:
        if self._lanes == _WIDTHS[0][1]:
            return self.once("scaled", (x, n), lambda: self._scaled_at_once(self.doubles(x), self.doubles(n)))
        first = self.choose(n > 1000.0, 1000.0, self.choose(n < -1000.0, -1000.0, n))
        product = x * self._power_of_two(first)
        return cast("Emitted[Value]", product * self._power_of_two(n - first))

    def _scaled_at_once(self, x: Value, n: Value) -> Value:
        """By an instruction of AVX-512."""
        everywhere, as_set = constant(BYTE, -1), constant(INT, 4)
        return self._lines.call("llvm.x86.avx512.mask.scalef.pd.512", self._doubles, [x, n, x, everywhere, as_set])

    def _power_of_two(self, n: Number[Value]) -> Emitted[Value]:
        bits = self._bits(self.instruction("fadd", n, _ROUNDING + (_ONE >> _DIGITS)))
        return self._of_bits(self._word("shl", bits, _DIGITS))

    def _bits(self, x: Number[Value]) -> Emitted[Value]:
        """The bits of doubles, which only what follows here can take."""
        return self.once("bits", (x,), lambda: self._lines.convert("bitcast", self.doubles(x), self._words))

    def _of_bits(self, bits: Emitted[Value]) -> Emitted[Value]:
        return self.once("of bits", (bits,), lambda: self._lines.convert("bitcast", bits.value, self._doubles))

    def _word(self, name: str, bits: Emitted[Value], number: int) -> Emitted[Value]:
        """What an instruction makes of bits and a number."""
        other = alike(LONG, number, self._lanes)
        return self.once((name, number), (bits,), lambda: self._lines.operation(name, bits.value, other))

    @override
    def parted(self, x: Emitted[Value]) -> tuple[Number[Value], Number[Value]]:
        if self._lanes == _WIDTHS[0][1]:
            return self._parted_at_once(x)
        tiny = self.lt(x, sys.float_info.min)
        bits = self._word("add", self._bits(self.choose(tiny, x * 2.0**54, x)), _ONE - _ROOT_OF_HALF)
        power = self._word("add", self._word("lshr", bits, _DIGITS), word_of(_ROUNDING))
        k = self._of_bits(power) - (_ROUNDING + (_ONE >> _DIGITS))
        fraction = self._word("add", self._word("and", bits, (1 << _DIGITS) - 1), _ROOT_OF_HALF)
        beyond = self.choose(x == 0.0, -math.inf, self.choose(x == math.inf, math.inf, math.nan))
        usual = self.both(x > 0.0, x < math.inf)
        return self._of_bits(fraction), self.choose(usual, self.choose(tiny, k - 54.0, k), beyond)

    def _parted_at_once(self, x: Emitted[Value]) -> tuple[Number[Value], Number[Value]]:
        """By instructions of AVX-512: 15 asks for a fraction from 3/4 to 3/2, and none of negative numbers."""
        fraction = self._at_once("getmant", x, constant(INT, 15))
        return fraction, self._at_once("getexp", x) - self._at_once("getexp", fraction)

    def _at_once(self, name: str, x: Emitted[Value], *how: Value) -> Emitted[Value]:
        given = [x.value, *how, x.value, constant(BYTE, -1), constant(INT, 4)]
        symbol = f"llvm.x86.avx512.mask.{name}.pd.512"
        return self.once(name, (x,), lambda: self._lines.call(symbol, self._doubles, given))

    @override
    def turned(
        self, quarters: Emitted[Value], sine: Number[Value], cosine: Number[Value]
    ) -> tuple[Emitted[Value], Emitted[Value]]:
        bits = self._bits(quarters + _ROUNDING)
        odd = self.once("odd", (bits,), lambda: self._lines.convert("trunc", bits.value, self._truths), truth=True)
        return (
            self._turned_over(self.choose(odd, cosine, sine), bits),
            self._turned_over(self.choose(odd, sine, cosine), self._word("add", bits, 1)),
        )

    def _turned_over(self, x: Number[Value], bits: Emitted[Value]) -> Emitted[Value]:
        """The number, or with the second bit its opposite."""
        sign = self._word("and", self._word("shl", bits, 62), 1 << 63)
        given = self._bits(x)
        return self._of_bits(
            self.once("xor", (given, sign), lambda: self._lines.operation("xor", given.value, sign.value))
        )

    # --- functions in their own ways ---

    def sign(self, x: Number[Value]) -> Number[Value]:
        if not isinstance(x, Emitted):
            return float(FLOAT.sign(x))
        return self.choose(x > 0, 1, self.choose(x < 0, -1, x + 0.0))  # the sum has no -0, and nan stays

    def pow(self, a: Number[Value], b: Number[Value]) -> Number[Value]:
        """Whole powers as products, square roots as such: both are nearer than the library and quicker."""
        if not isinstance(a, Emitted):
            if isinstance(b, Emitted) and self._inlines and 0 < a < math.inf and a != 1:
                return exponential(self, a, b)
            return self.called("pow", a, b)
        if isinstance(b, Emitted):
            return self.called("pow", a, b)
        if abs(b) == 0.5:
            root = self.sqrt(a + 0.0)  # of -0 too the root is 0
            return root if b > 0 else 1 / root
        if b not in _PRODUCTS:
            return power(self, a, b) if self._inlines and abs(b) <= MOST and b % 0.5 == 0 else self.called("pow", a, b)
        if b == 0:
            return 1.0
        product = base = a if b > 0 else 1 / a
        for _ in range(1, abs(int(b))):
            product = product * base
        return product

    def lgamma(self, x: Number[Value]) -> Number[Value]:
        if not isinstance(x, Emitted):
            return FLOAT.lgamma(x)
        return cast("Rule[Value]", lgamma_by_choice)(self, x, self.library("lgamma", x))

    def polygamma(self, n: Number[Value], x: Number[Value]) -> Number[Value]:
        if not isinstance(n, Emitted) and not isinstance(x, Emitted):
            return FLOAT.polygamma(n, x)
        if isinstance(n, Emitted) or n not in BY_CHOICE:
            raise without_native_form("polygamma")
        return cast("Rule[Value]", polygamma_by_choice)(self, int(n), x)

    def sqrt(self, x: Number[Value]) -> Number[Value]:
        return self.intrinsic("sqrt", x) if isinstance(x, Emitted) else FLOAT.sqrt(x)

    def floor(self, x: Number[Value]) -> Number[Value]:
        return self.intrinsic("floor", x) + 0.0 if isinstance(x, Emitted) else FLOAT.floor(x)  # the sum has no -0

    def ceil(self, x: Number[Value]) -> Number[Value]:
        return self.intrinsic("ceil", x) + 0.0 if isinstance(x, Emitted) else FLOAT.ceil(x)

    def round(self, x: Number[Value]) -> Number[Value]:
        """The nearest integer, halves away from zero, as `Float.round`."""
        if not isinstance(x, Emitted):
            return FLOAT.round(x)
        size = abs(x)
        below = self.floor(size)
        return self.intrinsic("copysign", below + self.choose(size - below >= 0.5, 1, 0), x)

    def mod(self, a: Number[Value], b: Number[Value]) -> Number[Value]:
        """The remainder with the sign of the divisor, as `Float.mod`."""
        if not isinstance(a, Emitted) and not isinstance(b, Emitted):
            return FLOAT.mod(a, b)
        rest = self.library("fmod", a, b)
        other_side = self.both(rest != 0, self.either(self.both(rest < 0, b > 0), self.both(rest > 0, b < 0)))
        return self.choose(other_side, rest + b, self.choose(rest == 0, self.intrinsic("copysign", 0, b), rest))


class Native:
    """A compiled program: `run(inputs, outputs)` fills the outputs, arrays of doubles as long as the inputs.

    Its arrays have one dimension and lie in one piece.  Large ones are shared out to `threads` threads, and Python's
    lock is not held meanwhile.  What the outputs are says the `layout`, and a call what was met in these terms.  With
    `inlines`, on machines for it, functions are part of the program, which may be wrong then at numbers that are too
    large for them.
    """

    __slots__ = ("_address", "_call", "_desks", "_each", "_keep", "_lanes", "_pack", "_places", "_share", "threads")

    def __init__(
        self,
        graph: Graph,
        lanes: int | None = None,
        threads: int | None = None,
        layout: Layout = PLAIN,
        *,
        inlines: bool = False,
    ) -> None:
        self.threads = threads or _cores()
        self._places = len(graph.inputs), len(graph.outputs) - layout.flagged
        try:
            machine, widest, fused = _machine()
            self._lanes = lanes or widest
            inlines = inlines and fused and self._lanes <= widest
            self._keep, self._address = _compiled(graph, self._lanes, machine, layout, inlines)
        except (OSError, RuntimeError) as error:  # a library that cannot be loaded, a machine that it does not know
            raise RequestError("LLVM cannot compile on this machine", label=str(error), help=OTHERWISE) from None
        self._share = max(_SHARE // max(len(graph), 1) // self._lanes, 1) * self._lanes
        self._call = ctypes.CFUNCTYPE(*_TYPES)(self._address)
        self._pack = struct.Struct(f"{sum(self._places) + 1}P").pack
        self._each = layout.each
        self._desks: list[_Desk] = []

    def at(self, point: Sequence[float]) -> Sequence[np.float64] | None:
        """The outputs at one point, of at least two, without arrays for them; None where a value is nan, or one may be
        wrong."""
        desks = self._desks  # others may be at work at theirs
        try:
            desk = desks.pop()
        except IndexError:
            desk = _Desk(self._address, *self._places, self._lanes)
        desk.fill(*point)
        said = desk.run()
        found: Sequence[np.float64] | None = desk.pick(desk.outputs)
        if said and found:  # of any of the lanes, and the first is that of the point
            wrong = said & _WRONG and desk.marks[0] & 1
            found = None if wrong or any(x != x for x in found[:: self._each or 1]) else found
        desks.append(desk)
        return found

    def __call__(self, inputs: Sequence[Doubles], outputs: Sequence[Doubles]) -> Reported:
        if (len(inputs), len(outputs)) != self._places:
            raise ValueError(f"{len(inputs)} inputs and {len(outputs)} outputs do not fit the program")
        arrays = [*inputs, *outputs]
        count = fitting(arrays)
        if count is None:
            raise ValueError("the arrays are to be of doubles, in one piece and of one length")
        if count < self._lanes:
            return self._few(inputs, outputs, count) if count else NOTHING
        marks = np.empty(-(-count // self._lanes), np.uint8)  # of each group, a bit for each point that may be wrong
        addresses = addresses_of(inputs, [*outputs, marks])
        rest = count % self._lanes
        said = self._share_out(self._pack(*addresses), count - rest, [*arrays, marks])
        if rest:  # in a whole group with those before them
            back = _SIZE * (self._lanes - rest)
            moved = self._pack(*[address - back for address in addresses[:-1]], addresses[-1])
            said |= self._call(moved, count - rest, count - rest + self._lanes)
            marks[-1] >>= self._lanes - rest
        if not said:
            return NOTHING
        return Reported(bool(said & _UNKNOWN), self._marked(marks, count) if said & _WRONG else NOWHERE)

    def _few(self, inputs: Sequence[Doubles], outputs: Sequence[Doubles], count: int) -> Reported:
        """The same of points that are fewer than lanes, by way of arrays that the last of them fills up."""
        longer = [np.full(self._lanes, x[-1]) for x in inputs]
        for y, x in zip(longer, inputs, strict=True):
            y[:count] = x
        found = [np.empty(self._lanes) for _ in outputs]
        told = self(longer, found)
        for y, x in zip(outputs, found, strict=True):
            y[:] = x[:count]
        return Reported(told.unknown, [place for place in told.wrong if place < count])

    def _marked(self, marks: np.typing.NDArray[np.uint8], count: int) -> Places:
        bits = np.unpackbits(marks[:, None], axis=1, count=self._lanes, bitorder="little")
        return np.flatnonzero(bits.reshape(-1)[:count])

    def _share_out(self, addresses: bytes, count: int, arrays: Sequence[np.typing.NDArray[np.generic]]) -> int:
        """Runs over the first points, piece by piece; with several threads, whoever is done with one takes the next.

        Nobody waits for a thread to begin: on a busy machine that takes longer than the work.  Gives what was said of
        any piece.
        """
        if count <= self._share or self.threads == 1:  # nothing to share out
            alone: int = self._call(addresses, 0, count)
            return alone
        pieces = [(start, min(start + self._share, count)) for start in range(0, count, self._share)]
        missing, done = len(pieces), Semaphore(0)
        said: list[int] = []

        def work(_: object = arrays) -> None:  # held by a thread that begins after an interrupt too
            while True:
                try:
                    start, stop = pieces.pop()  # one thread alone gets each
                except IndexError:
                    return
                said.append(self._call(addresses, start, stop))
                done.release()

        for _ in range(min(self.threads, missing // _PIECES) - 1):
            start_new_thread(work, ())
        work()
        for _ in range(missing):
            done.acquire()
        return reduce(or_, said, 0)


class _Desk:
    """Where one point is worked at: numbers side by side, of which whole registers are read and written.

    The registers of an input have the next inputs behind it, and what an output has behind it the next output covers.
    """

    __slots__ = ("_used", "fill", "marks", "outputs", "pick", "run")

    def __init__(self, address: int, inputs: int, outputs: int, lanes: int) -> None:
        numbers = (ctypes.c_double * (inputs + outputs + 2 * lanes))(*[1.0] * (inputs + lanes))
        places = [ctypes.addressof(numbers) + ctypes.sizeof(ctypes.c_double) * k for k in range(len(numbers))]
        first = inputs + lanes
        self.marks = (ctypes.c_uint8 * 1)()
        self.fill = partial(struct.Struct(f"{inputs}d").pack_into, numbers, 0)
        self.outputs = np.frombuffer(numbers, count=outputs, offset=places[first] - places[0])
        self.pick = itemgetter(*range(outputs))
        used = [*places[:inputs], *places[first : first + outputs], ctypes.addressof(self.marks)]
        self._used = (ctypes.c_void_p * len(used))(*used)
        place = ctypes.c_void_p(ctypes.addressof(self._used))
        # A call in which Python's lock is kept, with nothing to convert: half of what the usual one takes.
        self.run = partial(ctypes.PYFUNCTYPE(*_TYPES)(address), place, ctypes.c_int64(0), ctypes.c_int64(lanes))


_TYPES: Final = (ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)  # of `run` and of what it is given


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _machine() -> tuple[llvm.TargetMachine, int, bool]:
    """This machine as LLVM sees it, how many doubles its registers hold, and whether it multiplies and adds in one."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    lanes = next((lanes for feature, lanes in _WIDTHS if features.get(feature)), _NARROWEST)
    triple = llvm.get_process_triple()
    fused = bool(features.get("fma")) or triple.startswith(("aarch64", "arm64"))
    target = llvm.Target.from_triple(triple)
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features.flatten(), opt=2)
    return machine, lanes, fused


def fuses() -> bool:
    """Whether this machine multiplies and adds in one, so that fast programs are."""
    try:
        return _machine()[2]
    except (OSError, RuntimeError):
        return False


def _compiled(
    graph: Graph, lanes: int, machine: llvm.TargetMachine, layout: Layout, inlines: bool
) -> tuple[llvm.ExecutionEngine, int]:
    """The program in memory, and where it begins."""
    if len(graph) > _LARGEST:
        raise without_native_form(f"a program of more than {_LARGEST:,} operations")
    text, addresses = _program(graph, lanes, layout, inlines)
    parsed = llvm.parse_assembly(text)
    engine = llvm.create_mcjit_compiler(parsed, machine)  # which owns both from then on
    for name, address in addresses.items():
        engine.add_global_mapping(parsed.get_function(name), address)
    engine.finalize_object()
    return engine, engine.get_function_address("run")


def _program(graph: Graph, lanes: int, layout: Layout = PLAIN, inlines: bool = False) -> tuple[str, dict[str, int]]:
    """The text of `run(arrays, start, stop)`, a loop over whole groups of lanes, and the functions it calls.

    `arrays` points to the inputs, the outputs and the marks, by address.  It returns what is to be said of the points.
    """
    entry, loop, done = Instructions("e"), Instructions("v"), Instructions("d")
    arrays, index = Value(f"{DOUBLE}**", "%arrays"), Value(LONG, "%index")
    columns = [
        entry.load(entry.place(arrays, constant(LONG, k)))
        for k in range(len(graph.inputs) + len(graph.outputs) - layout.flagged + 1)
    ]
    marks = entry.convert("bitcast", columns.pop(), f"{BYTE}*")

    truths, bits = lanes_of(BIT, lanes), f"i{lanes}"
    places = [loop.place(column, index, lanes_of(DOUBLE, lanes)) for column in columns]
    m = Lanes(loop, lanes, inlines)
    inputs = [Emitted(m, loop.load(place, align=1)) for place in places[: len(graph.inputs)]]
    found = read(graph, m, inputs)
    wrong = found.pop() if layout.flagged else 0.0
    unknown, outputs = _unknown_joined(m, found, layout)
    for x, place in zip(outputs, places[len(graph.inputs) :], strict=True):
        loop.store(m.doubles(x), place, align=1)
    for exception in m.exceptions:
        wrong = m.either(wrong, exception)
    if isinstance(wrong, Emitted) or wrong:
        mark = loop.convert("bitcast", m.truths(wrong), bits)
        mark = mark if bits == BYTE else loop.convert("zext", mark, BYTE)
        loop.store(mark, loop.place(marks, loop.operation("udiv", index, constant(LONG, lanes))))
    phis = []
    said: Value = constant(LONG, 0)
    for name, here, bit in (("%unknown", unknown, _UNKNOWN), ("%wrong", wrong, _WRONG)):
        after = loop.operation("or", Value(truths, name), m.truths(here))
        phis.append(f"{name} = phi {truths} [ {alike(BIT, 0, lanes).name}, %entry ], [ {after.name}, %loop ]")
        anywhere = done.value(BIT, f"icmp ne {done.convert('bitcast', after, bits)}, 0")
        said = done.operation("or", said, done.select(anywhere, constant(LONG, bit), constant(LONG, 0)))
    following = loop.operation("add", index, constant(LONG, lanes))
    phis.append(f"{index.name} = phi {LONG} [ %start, %entry ], [ {following.name}, %loop ]")
    more = loop.value(BIT, f"icmp slt {following}, %stop")
    blocks = [
        block("entry", [*entry.written, "br label %loop"]),
        block("loop", [*phis, *loop.written, f"br {more}, label %loop, label %done"]),
        block("done", [*done.written, f"ret {said}"]),
    ]
    # what does not fit into registers is kept on the stack, where a whole register may not lie across two lines
    head = f"{LONG} @run({arrays}, {LONG} %start, {LONG} %stop) nounwind alignstack({lanes * _SIZE})"
    return function(head, blocks, loop.declared.values()), m.addresses


def _unknown_joined(
    m: Lanes, found: Sequence[Number[Value]], layout: Layout
) -> tuple[Number[Value], list[Number[Value]]]:
    """Where any value is nan, and the outputs with nan in all that belong to such a value."""
    anywhere: Number[Value] = 0.0
    unknown: Number[Value] = 0.0
    outputs = []
    for position, x in enumerate(found):
        if layout.each and position % layout.each == 0:
            unknown = m.ne(x, x)
            anywhere = m.either(anywhere, unknown)
            outputs.append(x)
        else:
            outputs.append(m.choose(unknown, math.nan, x))
    return anywhere, outputs
