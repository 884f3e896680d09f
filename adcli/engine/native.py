"""The engine of machine code: a program compiled for this machine through LLVM, several points at a time.

Reading a program with `Lanes` writes instructions on values that are several doubles each.  `+ - * /` are rounded as
everywhere, nothing is reordered or fused; the functions are those of the C library, in their vector forms where it has
them, each right to 4 units in the last place.
"""

from __future__ import annotations

import ctypes
import os
from _thread import start_new_thread
from collections.abc import Sequence
from threading import Semaphore
from typing import TYPE_CHECKING, cast

from ..errors import RequestError
from ..extras import Later
from ..graph.graph import Graph
from ..numbers.doubles import FLOAT
from ..numbers.gamma import BY_CHOICE, lgamma_by_choice, polygamma_by_choice
from ..table.primitive import ROWS, Primitive
from . import vectormath
from .emitting import Emitted, Emitter, Number, Rule, read

if TYPE_CHECKING:
    import llvmlite.binding as llvm
    import numpy as np
    from llvmlite import ir
    from llvmlite.ir import Value

    from .blocks import Doubles
else:
    np = Later("numpy", "numpy")
    ir = Later("llvmlite.ir", "native")
    llvm = Later("llvmlite.binding", "native")
    Value = object

# How many doubles a register holds, by what the processor has; 2 where it has neither.
_WIDTHS = (("avx512f", 8), ("avx2", 4))
_NARROWEST = 2
_SHARE = 1 << 22  # operations in a piece of the work, those of each point counted: half a millisecond or so
_PIECES = 4  # for each thread, at least: the last one may have to be waited for
_LARGEST = 5_000  # slots that are still compiled, within a second or so; time grows faster than they do

_INSTRUCTIONS = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "neg": "fneg"}
_SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
# Whole powers that are products: each multiplication may add an error of half a unit in the last place.
_PRODUCTS = range(-2, 6)

OTHERWISE = "use the engine numpy, or auto"


class NoNativeForm(RequestError):
    """A program that cannot be compiled."""


def without_native_form(name: str) -> NoNativeForm:
    """The error for a function, or a kind of program, that has none."""
    return NoNativeForm(f"{name} has no native form", help=OTHERWISE)


class Lanes(Emitter[Value]):
    """The arithmetic that writes into an LLVM builder.

    `addresses` holds where the functions lie that the program calls, by name.
    """

    def __init__(self, builder: ir.IRBuilder, lanes: int) -> None:
        super().__init__()
        self._builder = builder
        self._lanes = lanes
        self._doubles = ir.VectorType(ir.DoubleType(), lanes)
        self._truths = ir.VectorType(ir.IntType(1), lanes)
        self.addresses: dict[str, int] = {}

    # --- values and instructions ---

    def doubles(self, x: Number[Value]) -> Value:
        """The doubles that are written or a number, truth values as 1 and 0."""
        if not isinstance(x, Emitted):
            return ir.Constant(self._doubles, [float(x)] * self._lanes)
        return self.selected(x, 1.0, 0.0).value if x.truth else x.value

    def instruction(self, name: str, *operands: Number[Value]) -> Emitted[Value]:
        """The doubles that an instruction makes of doubles."""
        write = getattr(self._builder, name)
        return self.once(name, operands, lambda: write(*map(self.doubles, operands)))

    def intrinsic(self, name: str, *operands: Number[Value]) -> Emitted[Value]:
        """What a function that LLVM itself knows makes of doubles."""
        arguments = list(map(self.doubles, operands))
        function = self._declared(f"llvm.{name}.v{self._lanes}f64", self._doubles, arguments)
        return self.once(name, operands, lambda: self._builder.call(function, arguments))

    def library(self, name: str, *arguments: Number[Value]) -> Emitted[Value]:
        """What a function of the C library makes of doubles: all lanes at once where it has such a form."""
        return self.once(name, arguments, lambda: self._called(name, list(map(self.doubles, arguments))))

    def _called(self, name: str, arguments: list[Value]) -> Value:
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

    def _declared(self, symbol: str, kind: ir.Type, arguments: list[Value], address: int | None = None) -> ir.Function:
        """The function that the program knows by this name, declared once."""
        module = self._builder.module
        if symbol not in module.globals:
            ir.Function(module, ir.FunctionType(kind, [kind] * len(arguments)), symbol)
            if address is not None:
                self.addresses[symbol] = address
        return module.globals[symbol]

    # --- what is written ---

    def operation(self, name: str, *operands: Number[Value]) -> Emitted[Value]:
        return self.intrinsic("fabs", *operands) if name == "abs" else self.instruction(_INSTRUCTIONS[name], *operands)

    def relation(self, name: str, a: Number[Value], b: Number[Value]) -> Emitted[Value]:
        """Where a comparison holds; with nan only `ne` does."""
        compare = self._builder.fcmp_unordered if name == "ne" else self._builder.fcmp_ordered
        return self.once(name, (a, b), lambda: compare(_SIGNS[name], self.doubles(a), self.doubles(b)), truth=True)

    def joined(self, name: str, a: Number[Value], b: Number[Value]) -> Emitted[Value]:
        write = self._builder.and_ if name == "and" else self._builder.or_
        return self.once(name, (a, b), lambda: write(self._holds(a), self._holds(b)), truth=True)

    def _holds(self, x: Number[Value]) -> Value:
        return x.value if isinstance(x, Emitted) else ir.Constant(self._truths, [int(bool(x))] * self._lanes)

    def opposite(self, x: Emitted[Value]) -> Emitted[Value]:
        return self.once("not", (x,), lambda: self._builder.not_(x.value), truth=True)

    def selected(self, condition: Emitted[Value], a: Number[Value], b: Number[Value]) -> Emitted[Value]:
        select = self._builder.select
        return self.once("choose", (condition, a, b), lambda: select(condition.value, self.doubles(a), self.doubles(b)))

    def knows(self, name: str) -> bool:
        return bool(ROWS[name].libm)

    def call(self, name: str, *arguments: Number[Value]) -> Emitted[Value]:
        return self.library(ROWS[name].libm, *arguments)

    def extreme(self, name: str, a: Number[Value], b: Number[Value]) -> Number[Value]:
        better = self.ge(a, b) if name == "max" else self.le(a, b)
        return self.choose(self.either(better, self.ne(a, a)), a, b)  # nan stays

    def applied(self, row: Primitive, arguments: Sequence[Number[Value]]) -> Number[Value]:
        """By the rule; NoNativeForm for one that does more with its numbers than those of the table."""
        try:
            return self.by_rule(row, arguments)
        except (TypeError, AttributeError, ArithmeticError):
            raise without_native_form(row.name) from None

    # --- functions in their own ways ---

    def sign(self, x: Number[Value]) -> Number[Value]:
        if not isinstance(x, Emitted):
            return float(FLOAT.sign(x))
        return self.choose(x > 0, 1, self.choose(x < 0, -1, x + 0.0))  # the sum has no -0, and nan stays

    def pow(self, a: Number[Value], b: Number[Value]) -> Number[Value]:
        """Small whole powers as products, square roots as such: both are nearer than the library and quicker."""
        if not isinstance(a, Emitted) or isinstance(b, Emitted):
            return self.called("pow", a, b)
        if abs(b) == 0.5:
            root = self.sqrt(a + 0.0)  # of -0 too the root is 0
            return root if b > 0 else 1 / root
        if b not in _PRODUCTS:
            return self.called("pow", a, b)
        if b == 0:
            return 1.0
        power = base = a if b > 0 else 1 / a
        for _ in range(1, abs(int(b))):
            power = power * base
        return power

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
    lock is not held meanwhile.
    """

    __slots__ = ("_call", "_keep", "_lanes", "_places", "_share", "threads")

    def __init__(self, graph: Graph, lanes: int | None = None, threads: int | None = None) -> None:
        self.threads = threads or _cores()
        self._places = len(graph.inputs), len(graph.outputs)
        try:
            machine, widest = _machine()
            self._lanes = lanes or widest
            self._keep, address = _compiled(graph, self._lanes, machine)
        except (OSError, RuntimeError) as error:  # a library that cannot be loaded, a machine that it does not know
            raise RequestError("LLVM cannot compile on this machine", label=str(error), help=OTHERWISE) from None
        self._share = max(_SHARE // max(len(graph), 1) // self._lanes, 1) * self._lanes
        self._call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(address)

    def __call__(self, inputs: Sequence[Doubles], outputs: Sequence[Doubles]) -> None:
        arrays = [*inputs, *outputs]
        count = _count(arrays, outputs)
        if (len(inputs), len(outputs)) != self._places:
            raise ValueError(f"{len(inputs)} inputs and {len(outputs)} outputs do not fit the program")
        whole = count - count % self._lanes
        self._share_out(arrays, whole)
        if whole < count:
            self._finish(inputs, outputs, whole)

    def _share_out(self, arrays: Sequence[Doubles], count: int) -> None:
        """Runs over the first points, piece by piece; with several threads, whoever is done with one takes the next.

        Nobody waits for a thread to begin: on a busy machine that takes longer than the work.
        """
        pieces = [(start, min(start + self._share, count)) for start in range(0, count, self._share)]
        missing, done = len(pieces), Semaphore(0)

        def work() -> None:
            while True:
                try:
                    start, stop = pieces.pop()  # one thread alone gets each
                except IndexError:
                    return
                self._over(arrays, start, stop)
                done.release()

        for _ in range(min(self.threads, missing // _PIECES) - 1):
            start_new_thread(work, ())
        work()
        for _ in range(missing):
            done.acquire()

    def _over(self, arrays: Sequence[Doubles], start: int, stop: int) -> None:
        addresses = [x.__array_interface__["data"][0] for x in arrays]
        self._call((ctypes.c_void_p * len(arrays))(*addresses), start, stop)

    def _finish(self, inputs: Sequence[Doubles], outputs: Sequence[Doubles], start: int) -> None:
        """The last points, fewer than lanes, by way of arrays that the last of them fills up."""
        rest = len(outputs[0]) - start
        padded = np.empty((len(inputs) + len(outputs), self._lanes))
        for row, x in zip(padded, inputs, strict=False):
            row[:rest] = x[start:]
            row[rest:] = x[-1]
        self._over(padded, 0, self._lanes)
        for row, x in zip(padded[len(inputs) :], outputs, strict=True):
            x[start:] = row[:rest]


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _count(arrays: Sequence[Doubles], outputs: Sequence[Doubles]) -> int:
    """How many points the arrays hold; ValueError for arrays that machine code would read or write amiss."""
    count = len(arrays[0]) if arrays else 0
    for x in arrays:
        if x.dtype != np.float64 or x.shape != (count,) or not x.flags.c_contiguous:
            raise ValueError("the arrays are to be of doubles, in one piece and of one length")
    if not all(x.flags.writeable for x in outputs):
        raise ValueError("the outputs are to be written")
    return count


def _machine() -> tuple[llvm.TargetMachine, int]:
    """This machine as LLVM sees it, and how many doubles its registers hold."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    lanes = next((lanes for feature, lanes in _WIDTHS if features.get(feature)), _NARROWEST)
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features.flatten(), opt=2)
    return machine, lanes


def _compiled(graph: Graph, lanes: int, machine: llvm.TargetMachine) -> tuple[llvm.ExecutionEngine, int]:
    """The program in memory, and where it begins."""
    if len(graph) > _LARGEST:
        raise without_native_form(f"a program of more than {_LARGEST:,} operations")
    module, addresses = _program(graph, lanes)
    parsed = llvm.parse_assembly(str(module))
    engine = llvm.create_mcjit_compiler(parsed, machine)  # which owns both from then on
    for name, address in addresses.items():
        engine.add_global_mapping(parsed.get_function(name), address)
    engine.finalize_object()
    return engine, engine.get_function_address("run")


def _program(graph: Graph, lanes: int) -> tuple[ir.Module, dict[str, int]]:
    """The module with `run(arrays, start, stop)`, a loop over whole groups of lanes, and the functions it calls.

    `arrays` points to the inputs and then the outputs, by address.
    """
    long, double = ir.IntType(64), ir.DoubleType()
    column = double.as_pointer()
    module = ir.Module()
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [column.as_pointer(), long, long]), "run")
    arrays, start, stop = function.args
    entry, loop, done = (function.append_basic_block(name) for name in ("entry", "loop", "done"))

    builder = ir.IRBuilder(entry)
    columns = [
        builder.load(builder.gep(arrays, [ir.Constant(long, k)]))
        for k in range(len(graph.inputs) + len(graph.outputs))
    ]  # fmt: skip
    builder.branch(loop)

    builder.position_at_end(loop)
    index = builder.phi(long)
    index.add_incoming(start, entry)
    doubles = ir.VectorType(double, lanes).as_pointer()
    places = [builder.bitcast(builder.gep(column, [index]), doubles) for column in columns]
    m = Lanes(builder, lanes)
    inputs = [Emitted(m, builder.load(place, align=1)) for place in places[: len(graph.inputs)]]
    for found, place in zip(read(graph, m, inputs), places[len(graph.inputs) :], strict=True):
        builder.store(m.doubles(found), place, align=1)
    after = builder.add(index, ir.Constant(long, lanes))
    index.add_incoming(after, loop)
    builder.cbranch(builder.icmp_signed("<", after, stop), loop, done)

    builder.position_at_end(done)
    builder.ret_void()
    return module, m.addresses
