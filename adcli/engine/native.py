"""The native engine: a program compiled for this machine by LLVM, several points at a time (`lanes`)."""

from __future__ import annotations

import ctypes
import math
import struct
from _thread import start_new_thread
from collections.abc import Sequence
from functools import partial, reduce
from operator import itemgetter, or_
from threading import Semaphore

from ..errors import RequestError
from ..extras import Later
from ..graph.graph import Graph
from ..processes import cores
from ..typings import TYPE_CHECKING, Final
from .emitter import Emitted, Number, read
from .inline_functions import InliningLanes
from .lanes import OTHERWISE, WIDTHS, Lanes, without_native_form
from .layout import NOTHING, NOWHERE, PLAIN, Layout, Places, Reported, common_length
from .llvm_text import BIT, BYTE, DOUBLE, LONG, Instructions, Value, alike, block, constant, function, lanes_of
from .numpy_doubles import Doubles, np

if TYPE_CHECKING:
    import llvmlite.binding as llvm

else:
    llvm = Later("llvmlite.binding", "native")

_NARROWEST = 2  # doubles in a register if the processor has none of WIDTHS
_SHARE = 1 << 22  # operations in a piece of the work, those of each point counted: half a millisecond or so
_PIECES = 4  # for each thread, at least: the last one may have to be waited for
_LARGEST = 5_000  # slots that are still compiled, within a second or so; time grows faster than they do

_SIZE = 8  # bytes of a double
_UNKNOWN, _WRONG = 1, 2  # bits of the status that machine code returns: a value is nan, a point may be wrong


class Native:
    """A compiled program: `run(inputs, outputs)` fills the outputs, arrays of doubles as long as the inputs.

    Arrays must be one-dimensional and contiguous. Large ones are divided among `threads` threads, and Python's lock is
    released meanwhile. `layout` says which outputs belong together and which one is a flag; a call returns a
    `Reported`. With `inlines`, on machines with fma, common functions are part of the program, which may be wrong at
    very large arguments.
    """

    def __init__(
        self, graph: Graph, lanes: int | None = None, threads: int | None = None, layout: Layout = PLAIN, *,
        inlines: bool = False,
    ) -> None:  # fmt: skip
        """Compile the graph for this machine.

        `lanes` is the number of points at a time (None: the widest registers), `threads` the most threads (None: one
        for each core). With `inlines` some functions are written out, if the machine can fuse operations and `lanes` do
        not exceed its registers. Raises RequestError if LLVM cannot be loaded or cannot compile here. Raises
        NoNativeForm for a program that is too large or without native form.
        """
        self.threads = threads or cores()
        self._places = len(graph.inputs), len(graph.outputs) - layout.flagged
        try:
            machine, widest, fused = _machine()
            self._lanes = lanes or widest
            inlines = inlines and fused and self._lanes <= widest
            self._keep, self._address = _compile_module(graph, self._lanes, machine, layout, inlines)
        except (OSError, RuntimeError) as error:  # a library that cannot be loaded, a machine that it does not know
            raise RequestError("LLVM cannot compile on this machine", label=str(error), help=OTHERWISE) from None
        self._share = max(_SHARE // max(len(graph), 1) // self._lanes, 1) * self._lanes
        self._call = ctypes.CFUNCTYPE(*_TYPES)(self._address)
        self._pack = struct.Struct(f"{sum(self._places) + 1}P").pack
        self._each = layout.each
        self._desks: list[_Desk] = []

    def at(self, point: Sequence[float]) -> Sequence[np.float64] | None:
        """Return all outputs (two or more) at one point, a number for each input in order.

        None if the flag says that they may be wrong, or if a value is nan: the first output of each group of the
        layout, which must have groups. Partials may be nan. The flag is not among the outputs. Several threads may call
        this: each call has its own memory, which later calls use again.
        """
        desks = self._desks  # a desk for each call that runs at the same time
        try:
            desk = desks.pop()
        except IndexError:
            desk = _Desk(self._address, *self._places, self._lanes)
        desk.fill(*point)
        status = desk.run()
        outputs: Sequence[np.float64] | None = desk.pick(desk.outputs)
        if status and outputs:  # of any of the lanes, and the first is that of the point
            wrong = status & _WRONG and desk.marks[0] & 1
            outputs = None if wrong or any(x != x for x in outputs[:: self._each]) else outputs
        desks.append(desk)
        return outputs

    def __call__(self, inputs: Sequence[Doubles], outputs: Sequence[Doubles]) -> Reported:
        """Fill the arrays `outputs` (without flag) for all points, and return a Reported.

        It says whether a value is nan, and which points the flag marks. Partials of a value that is nan are nan.
        Without points nothing is done. Outputs must not overlap inputs: the last points may be computed twice. Raises
        ValueError for another number of arrays, and for arrays that are not contiguous doubles of one length or, as
        outputs, not writable.
        """
        if (len(inputs), len(outputs)) != self._places:
            raise ValueError(f"{len(inputs)} inputs and {len(outputs)} outputs do not fit the program")
        arrays = [*inputs, *outputs]
        count = common_length(arrays)
        if count is None:
            raise ValueError("the arrays must be contiguous arrays of doubles of one length")
        if count < self._lanes:
            return self._run_few(inputs, outputs, count) if count else NOTHING
        marks = np.empty(-(-count // self._lanes), np.uint8)  # of each group, a bit for each point that may be wrong
        addresses = addresses_of(inputs, [*outputs, marks])
        rest = count % self._lanes
        status = self._share_out(self._pack(*addresses), count - rest, [*arrays, marks])
        if rest:  # in a whole group with those before them
            back = _SIZE * (self._lanes - rest)
            arguments = self._pack(*[address - back for address in addresses[:-1]], addresses[-1])
            status |= self._call(arguments, count - rest, count - rest + self._lanes)
            marks[-1] >>= self._lanes - rest
        if not status:
            return NOTHING
        return Reported(bool(status & _UNKNOWN), self._find_marked_points(marks, count) if status & _WRONG else NOWHERE)

    def _run_few(self, inputs: Sequence[Doubles], outputs: Sequence[Doubles], count: int) -> Reported:
        """Fill `outputs` for the `count` points of `inputs`, at least one and fewer than lanes, and return the report.

        They are computed in longer arrays that repeat the last point; marks of these repetitions are dropped.
        """
        longer = [np.full(self._lanes, x[-1]) for x in inputs]
        for y, x in zip(longer, inputs, strict=True):
            y[:count] = x
        outputs_of_lanes = [np.empty(self._lanes) for _ in outputs]
        report = self(longer, outputs_of_lanes)
        for y, x in zip(outputs, outputs_of_lanes, strict=True):
            y[:] = x[:count]
        return Reported(report.unknown, [place for place in report.wrong if place < count])

    def _find_marked_points(self, marks: np.typing.NDArray[np.uint8], count: int) -> Places:
        bits = np.unpackbits(marks[:, None], axis=1, count=self._lanes, bitorder="little")
        return np.flatnonzero(bits.reshape(-1)[:count])

    def _share_out(self, addresses: bytes, count: int, arrays: Sequence[np.typing.NDArray[np.generic]]) -> int:
        """Run the first `count` points, a multiple of the lanes, and return the status bits of all pieces joined by
        "or".

        `addresses` are the packed addresses of `arrays`, which are kept alive. Up to `self._share` points, or with one
        thread, it is a single call. With more, this thread and others take the next piece whenever they have finished
        one, until all are done. At most `self.threads` work, and each gets _PIECES pieces or more on average. This
        thread does not wait for others to start: on a busy machine that takes longer than the work.
        """
        if count <= self._share or self.threads == 1:  # nothing to divide among threads
            alone: int = self._call(addresses, 0, count)
            return alone
        pieces = [(start, min(start + self._share, count)) for start in range(0, count, self._share)]
        missing, done = len(pieces), Semaphore(0)
        statuses: list[int] = []

        def work(_: object = arrays) -> None:  # also kept by a thread that begins after an interrupt
            """Run pieces until none is left. The default argument keeps the arrays alive for a thread that starts after
            an interrupt.
            """
            while True:
                try:
                    start, stop = pieces.pop()  # one thread alone gets each
                except IndexError:
                    return
                statuses.append(self._call(addresses, start, stop))
                done.release()

        for _ in range(min(self.threads, missing // _PIECES) - 1):
            start_new_thread(work, ())
        work()
        for _ in range(missing):
            done.acquire()
        return reduce(or_, statuses, 0)


class _Desk:
    """Memory for the evaluation of one point: inputs and outputs next to each other, read and written in whole
    registers.

    The register of an input also holds the next inputs; the excess lanes of an output are overwritten by the next
    output.
    """

    def __init__(self, address: int, inputs: int, outputs: int, lanes: int) -> None:
        """Lay out memory for single points of the program at `address`, with this number of inputs, outputs and lanes.

        `fill(*point)` writes the inputs, `run()` computes and returns the status bits, `outputs` is an array of the
        results in this memory, `pick(outputs)` reads them. `marks[0]` has a bit for each lane that may be wrong; the
        first one is that of the point.
        """
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


_TYPES: Final = (ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)  # of `run` and of its arguments


def _machine() -> tuple[llvm.TargetMachine, int, bool]:
    """Return (LLVM's target machine for this processor, doubles in a register, whether it has a fused multiply-add).

    The doubles are 8 with AVX-512, 4 with AVX2, 2 with neither. Each ARM processor of 64 bits has the fused one.
    RuntimeError and OSError of LLVM are passed on.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    lanes = next((lanes for feature, lanes in WIDTHS if features.get(feature)), _NARROWEST)
    triple = llvm.get_process_triple()
    fused = bool(features.get("fma")) or triple.startswith(("aarch64", "arm64"))
    target = llvm.Target.from_triple(triple)
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features.flatten(), opt=2)
    return machine, lanes, fused


def fuses() -> bool:
    """Return whether this machine has a fused multiply-add, so that `fast` has an effect; False without LLVM."""
    try:
        return _machine()[2]
    except (OSError, RuntimeError):
        return False


def _compile_module(
    graph: Graph, lanes: int, machine: llvm.TargetMachine, layout: Layout, inlines: bool
) -> tuple[llvm.ExecutionEngine, int]:
    """Return (the execution engine that owns the compiled program, the address of `run`, valid while the engine
    exists).

    `machine` is LLVM's target machine, `lanes` the number of points computed at a time. With `inlines` common functions
    are part of the program instead of calls. `layout` says which outputs are values with their partials, and whether
    the last one is a flag. Raises NoNativeForm for more than 5,000 slots, and for an operation without native form.
    """
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
    """Return (the LLVM text of `run(arrays, start, stop)`, {name: address} of the C functions that it calls).

    `run` is a loop over groups of `lanes` points, at least one, from point `start` up to `stop`. If `layout` is
    flagged, the last output of `graph` is the flag; if it has groups, partials are nan where their value is. `arrays`
    points to the addresses of the inputs, the outputs without flag, and the marks. It returns status bits: 1 if a value
    is nan, 2 if a point may be wrong (the flag, or an exception of an inlined function, holds). The marks get a byte
    for each group with a bit for each wrong point; they are not written if there can be none. With `inlines` common
    functions are part of the program, not calls. Raises NoNativeForm for an operation without native form.
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
    m = (InliningLanes if inlines else Lanes)(loop, lanes)
    inputs = [Emitted(m, loop.load(place, align=1)) for place in places[: len(graph.inputs)]]
    values = read(graph, m, inputs)
    wrong = values.pop() if layout.flagged else 0.0
    unknown, outputs = _spread_nan(m, values, layout)
    for x, place in zip(outputs, places[len(graph.inputs) :], strict=True):
        loop.store(m.doubles(x), place, align=1)
    for exception in m.exceptions:
        wrong = m.either(wrong, exception)
    if isinstance(wrong, Emitted) or wrong:
        mark = loop.convert("bitcast", m.truths(wrong), bits)
        mark = mark if bits == BYTE else loop.convert("zext", mark, BYTE)
        loop.store(mark, loop.place(marks, loop.operation("udiv", index, constant(LONG, lanes))))
    phis = []
    status: Value = constant(LONG, 0)
    for name, here, bit in (("%unknown", unknown, _UNKNOWN), ("%wrong", wrong, _WRONG)):
        after = loop.operation("or", Value(truths, name), m.truths(here))
        phis.append(f"{name} = phi {truths} [ {alike(BIT, 0, lanes).name}, %entry ], [ {after.name}, %loop ]")
        anywhere = done.value(BIT, f"icmp ne {done.convert('bitcast', after, bits)}, 0")
        status = done.operation("or", status, done.select(anywhere, constant(LONG, bit), constant(LONG, 0)))
    following = loop.operation("add", index, constant(LONG, lanes))
    phis.append(f"{index.name} = phi {LONG} [ %start, %entry ], [ {following.name}, %loop ]")
    more = loop.value(BIT, f"icmp slt {following}, %stop")
    blocks = [
        block("entry", [*entry.written, "br label %loop"]),
        block("loop", [*phis, *loop.written, f"br {more}, label %loop, label %done"]),
        block("done", [*done.written, f"ret {status}"]),
    ]
    # what does not fit into registers is kept on the stack, where a whole register may not lie across two lines
    head = f"{LONG} @run({arrays}, {LONG} %start, {LONG} %stop) nounwind alignstack({lanes * _SIZE})"
    return function(head, blocks, loop.declared.values()), m.addresses


def _spread_nan(m: Lanes, values: Sequence[Number[Value]], layout: Layout) -> tuple[Number[Value], list[Number[Value]]]:
    """Return (the condition that some value is nan, the outputs with partials set to nan where their value is).

    `values` are all outputs without the flag, in order: the first of each group of `layout.each` is the value. Without
    groups (`each` 0) the condition is the constant 0.0, and the outputs are `values`.
    """
    anywhere: Number[Value] = 0.0
    unknown: Number[Value] = 0.0
    outputs = []
    for position, x in enumerate(values):
        if layout.each and position % layout.each == 0:
            unknown = m.ne(x, x)
            anywhere = m.either(anywhere, unknown)
            outputs.append(x)
        else:
            outputs.append(m.choose(unknown, math.nan, x))
    return anywhere, outputs


def addresses_of(inputs: Sequence[Doubles], outputs: Sequence[np.typing.NDArray[np.generic]]) -> list[int]:
    """Return the addresses of the data of the inputs, then of the outputs.

    Inputs may be read-only. Raises ValueError if an output is. Empty arrays have arbitrary addresses or raise
    ValueError.
    """
    try:
        return [*map(ctypes.addressof, map(ctypes.c_char.from_buffer, (*inputs, *outputs)))]
    except TypeError:
        if not all(x.flags.writeable for x in outputs):
            raise ValueError("the outputs must be writable") from None
        return [x.__array_interface__["data"][0] for x in (*inputs, *outputs)]
