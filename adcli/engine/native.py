"""The engine of machine code: a program compiled for this machine through LLVM, several points at a time."""

from __future__ import annotations

import ctypes
import os
from _thread import start_new_thread
from collections.abc import Sequence
from threading import Semaphore
from typing import Any

from ..errors import RequestError
from ..extras import Later
from ..graph.graph import Graph
from ..graph.order import ancestors
from ..graph.rules import apply
from ..numbers.doubles import FLOAT
from .lanes import OTHERWISE, Lane, Lanes, without_native_form

np: Any = Later("numpy", "numpy")
ir: Any = Later("llvmlite.ir", "native")
llvm: Any = Later("llvmlite.binding", "native")

# How many doubles a register holds, by what the processor has; 2 where it has neither.
_WIDTHS = (("avx512f", 8), ("avx2", 4))
_NARROWEST = 2
_SHARE = 1 << 22  # operations in a piece of the work, those of each point counted: half a millisecond or so
_PIECES = 4  # for each thread, at least: the last one may have to be waited for
_LARGEST = 5_000  # slots that are still compiled, within a second or so; time grows faster than they do


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

    def __call__(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        arrays = [*inputs, *outputs]
        count = _count(arrays, outputs)
        if (len(inputs), len(outputs)) != self._places:
            raise ValueError(f"{len(inputs)} inputs and {len(outputs)} outputs do not fit the program")
        whole = count - count % self._lanes
        self._share_out(arrays, whole)
        if whole < count:
            self._finish(inputs, outputs, whole)

    def _share_out(self, arrays: Sequence[Any], count: int) -> None:
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

    def _over(self, arrays: Sequence[Any], start: int, stop: int) -> None:
        addresses = [x.__array_interface__["data"][0] for x in arrays]
        self._call((ctypes.c_void_p * len(arrays))(*addresses), start, stop)

    def _finish(self, inputs: Sequence[Any], outputs: Sequence[Any], start: int) -> None:
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


def _count(arrays: Sequence[Any], outputs: Sequence[Any]) -> int:
    """How many points the arrays hold; ValueError for arrays that machine code would read or write amiss."""
    count = len(arrays[0]) if arrays else 0
    for x in arrays:
        if x.dtype != np.float64 or x.shape != (count,) or not x.flags.c_contiguous:
            raise ValueError("the arrays are to be of doubles, in one piece and of one length")
    if not all(x.flags.writeable for x in outputs):
        raise ValueError("the outputs are to be written")
    return count


def _machine() -> tuple[Any, int]:
    """This machine as LLVM sees it, and how many doubles its registers hold."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    lanes = next((lanes for feature, lanes in _WIDTHS if features.get(feature)), _NARROWEST)
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features.flatten(), opt=2)
    return machine, lanes


def _compiled(graph: Graph, lanes: int, machine: Any) -> tuple[Any, int]:
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


def _program(graph: Graph, lanes: int) -> tuple[Any, dict[str, int]]:
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
    values: list[Any] = [None] * len(graph)
    for slot, place in zip(graph.inputs, places, strict=False):
        values[slot] = m.lane(builder.load(place, align=1))
    _write(graph, m, values)
    for (_, slot), place in zip(graph.outputs, places[len(graph.inputs) :], strict=True):
        builder.store(m.doubles(values[slot]), place, align=1)
    after = builder.add(index, ir.Constant(long, lanes))
    index.add_incoming(after, loop)
    builder.cbranch(builder.icmp_signed("<", after, stop), loop, done)

    builder.position_at_end(done)
    builder.ret_void()
    return module, m.addresses


def _write(graph: Graph, m: Lanes, values: list[Any]) -> None:
    """Afterwards every slot that an output needs has its value; what has to do with constants alone is a number."""
    needed = ancestors(graph, [slot for _, slot in graph.outputs])
    for slot, row in enumerate(graph.rows):
        if not needed[slot]:
            continue
        if slot in graph.constants:
            values[slot] = graph.constants[slot].read(FLOAT)
        elif row is not None:
            arguments = [values[parent] for parent in graph.parents[slot]]
            if all(isinstance(x, float) for x in arguments):
                values[slot] = float(apply(row, FLOAT, arguments))
                continue
            try:
                found = row.value(m, *arguments)
                values[slot] = found if isinstance(found, Lane) else float(found)
            except (TypeError, ArithmeticError):  # a rule that does more with its numbers than those of the table
                raise without_native_form(row.name) from None
