"""Blocks of points in the NumPy engine: array operations with registers (work arrays) that are reused. The operations
of a graph are steps, numbered after the inputs; the place of a number is the array that it is in: an input, an output
or a register.

A block is small enough to stay in the processor's cache from one operation to the next; whole arrays lose their time in
memory traffic.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter

from ..graph.graph import Graph
from ..numbers.doubles import FLOAT, apply
from ..numbers.numpy_arrays import ARRAYS
from ..records import NamedTuple
from ..table.primitive import ROWS, Primitive
from ..typings import TYPE_CHECKING, Any, TypeAlias, override
from .array_pool import side_by_side
from .emitter import Emitted, Emitter, Number, alone, read
from .layout import PLAIN, Layout, Reported, spread_nan
from .numpy_doubles import Doubles, np
from .sincos import BY_TANGENTS, SCRATCH, has_fast_tangents, sine_and_cosine

if TYPE_CHECKING:
    Truths: TypeAlias = np.typing.NDArray[np.bool_]
    Column: TypeAlias = Doubles | Truths
    ArrayFunction: TypeAlias = Callable[..., Column | None]
    BoundMove: TypeAlias = tuple[ArrayFunction, itemgetter[Any]]

_BLOCK = 16_384  # points: an array of them fits into the cache next to the core, with some others
_LARGEST_PRODUCT = 6  # whole powers up to this one are products, within 4 ulps of the power


class ArrayStep(NamedTuple):
    """A call of a NumPy function.

    `arguments` are indices of inputs and earlier steps (int) or constants (float); `truth` says whether the result is
    Boolean.
    """

    function: ArrayFunction
    arguments: tuple[int | float, ...]
    truth: bool


class Steps(Emitter[int]):
    """The arithmetic that writes array steps; their results are numbered after the inputs."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.inputs = inputs
        self.steps: list[ArrayStep] = []

    @override
    def function(self, name: str) -> ArrayFunction:
        if name == "choose":
            return fill_by_choice
        function: ArrayFunction = np.logical_not if name == "not" else getattr(np, ROWS[name].numpy)
        return function

    @override
    def append(self, function: ArrayFunction, operands: Sequence[Number[int]], truth: bool) -> int:
        self.steps.append(ArrayStep(function, tuple(map(self.bare, operands)), truth))
        return self.inputs + len(self.steps) - 1

    @override
    def put(self, function: ArrayFunction, operands: Sequence[Number[int]], truth: bool) -> Emitted[int]:
        """Return the result of a step; operands of sums and products are sorted, so that a + b and b + a are one."""
        is_symmetric = function in (np.add, np.multiply)
        return super().put(function, sorted(operands, key=_place) if is_symmetric else operands, truth)

    @override
    def numeric(self, x: Number[int]) -> Number[int]:
        return self.put(_number, (x,), False) if isinstance(x, Emitted) and x.truth else x

    @override
    def knows(self, name: str) -> bool:
        return bool(ROWS[name].numpy) or ARRAYS.knows(name)

    @override
    def call(self, name: str, *arguments: Number[int]) -> Number[int]:
        """Return the step that calls the function `name`.

        Arguments that are all constants are not computed here. Sine and cosine are written by tangents, in several
        steps, if NumPy's tangent is fast on this machine. Every other function is NumPy's or, if NumPy lacks it, that
        of the arithmetic of arrays (ARRAYS).
        """
        numpy_name = ROWS[name].numpy
        if numpy_name in BY_TANGENTS and has_fast_tangents():
            return BY_TANGENTS[numpy_name](self, *arguments)
        return self.write(getattr(np, numpy_name) if numpy_name else getattr(ARRAYS, name), *arguments)

    @override
    def apply_row(self, row: Primitive, arguments: Sequence[Number[int]]) -> Number[int]:
        """Return the value of the function `row` for `arguments`, written by its value rule.

        If the rule raises ZeroDivisionError, ValueError or OverflowError, which only constants can cause, the result is
        `undefined` (nan). If it raises TypeError, because it cannot take arrays, one step calls it for each point in
        doubles.
        """
        try:
            return super().apply_row(row, arguments)
        except (ZeroDivisionError, ValueError, OverflowError):
            return self.undefined
        except TypeError:
            return self.write(np.vectorize(lambda *numbers: apply(row, FLOAT, numbers), otypes=[float]), *arguments)

    def pow(self, a: Number[int], b: Number[int]) -> Number[int]:
        """Return a to the power of b. The first that applies:

        - both are constants: a float, computed at once
        - `b` is not a constant multiple of ½ up to ±6: `np.power`
        - a negative `b`: 1 divided by the positive power
        - squares, products and a square root; `a` itself for 1, the constant 1.0 for 0
        """
        if alone((a, b)):
            return self._in_doubles("pow", a, b)
        if isinstance(b, Emitted) or abs(b) > _LARGEST_PRODUCT or b % 0.5:
            return self.write(np.power, a, b)
        if b < 0:
            return self.div(1.0, self.pow(a, -b))
        if b % 1:
            root = self.sqrt(a)
            return root if b == 0.5 else self.pow(a, b - 0.5) * root
        if b <= 1:
            return a if b else 1.0
        return self.pow(a, b - 1) * a if b % 2 else self.write(np.square, self.pow(a, b / 2))


def _place(x: Number[int]) -> tuple[bool, float]:
    """Return a sort key: results before constants, each in increasing order."""
    return (False, x.value) if isinstance(x, Emitted) else (True, x)


def fill_by_choice(condition: Truths, a: Column | float, b: Column | float, out: Doubles) -> None:
    """Fill the array `out` with `a` where `condition` (an array) is true and with `b` elsewhere.

    `a` and `b` may be numbers. `out` may be the array `a`, which is then left as it is if the condition holds
    everywhere; this is the usual case, in which `b` is not read.
    """
    if not condition.all():
        a = np.where(condition, a, b)
    if out is not a:
        out[...] = a


def _number(truth: Truths, out: Doubles) -> None:
    """Fill `out` with truth values as 1 and 0."""
    out[...] = truth


def steps_of(graph: Graph, layout: Layout = PLAIN) -> tuple[Steps, list[int | float], int | float]:
    """Return (steps, columns, flag) of a graph.

    Columns are its outputs in order, without the flag. Columns and flag are indices of inputs and steps (int) or
    constants (float). If `layout` is flagged, the last output is the flag, as a truth value; if not, the flag is 0.0.
    """
    m = Steps(len(graph.inputs))
    outputs = read(graph, m, [Emitted(m, number) for number in range(m.inputs)])
    flag = m.condition(outputs.pop()) if layout.flagged else 0.0
    return m, [m.bare(m.numeric(x)) for x in outputs], m.bare(flag)


class Blocks:
    """A program as array steps: `run(inputs, outputs)` fills the outputs, arrays of doubles as long as the inputs.

    `layout` says which outputs belong together, and which one is a flag; a call returns a `Reported`.
    """

    def __init__(self, graph: Graph, layout: Layout = PLAIN) -> None:
        self._layout = layout
        self._schedule = build_schedule(graph, layout)
        self._moves = bind_moves(self._schedule.moves)
        self._spare: list[list[Column]] = []  # registers of an earlier call, which have their memory already

    def __call__(self, inputs: Sequence[Doubles], outputs: Sequence[Doubles]) -> Reported:
        """Fill the arrays `outputs` for all points, in blocks of 16,384, and return a Reported.

        `outputs` are the columns, without the flag. If the layout has groups (`each`), partials are set to nan wherever
        their value is nan, and `unknown` says whether a value is nan; without groups it is False. `wrong` lists the
        indices of the points at which the flag is true, in order. NumPy's floating-point warnings are off. The work
        arrays are kept for the next call.
        """
        schedule, count = self._schedule, len(outputs[0])
        unknown = False
        wrong: list[int] = []
        registers = kept = self._make_registers(count)
        with np.errstate(all="ignore"):
            for start in range(0, count, _BLOCK):
                stop = min(start + _BLOCK, count)
                if registers and stop - start < len(registers[0]):
                    registers = [register[: stop - start] for register in registers]
                columns = [y[start:stop] for y in outputs]
                places = [*[x[start:stop] for x in inputs], *columns, *registers, *schedule.numbers]
                for function, pick in self._moves:
                    function(*pick(places))
                for source, place in schedule.copies:
                    places[place][...] = places[source]
                flag = places[schedule.flag]
                if flag.any():
                    wrong += (np.flatnonzero(np.broadcast_to(flag, stop - start)) + start).tolist()
                unknown |= spread_nan(columns, self._layout.each)
        if not self._spare:
            self._spare.append(kept)
        return Reported(unknown, wrong)

    def _make_registers(self, count: int) -> list[Column]:
        """Return the work arrays for blocks of at most `count` points, one for each register of the schedule.

        The set of an earlier call that is last in the spare list is taken out of it, and returned if long enough (it
        may be longer than needed). If not, it is dropped, and all are new, with min(`count`, 16,384) elements of
        arbitrary contents. Boolean registers are views with one byte for each point.
        """
        length, kinds = min(count, _BLOCK), self._schedule.registers
        try:
            spare = self._spare.pop()
        except IndexError:
            spare = []
        if spare and len(spare[0]) >= length:
            return spare
        return [x.view(kind)[:length] for x, kind in zip(side_by_side(len(kinds), length), kinds, strict=True)]


def bind_moves(moves: Iterable[tuple[ArrayFunction, tuple[int, ...], tuple[int, ...]]]) -> list[BoundMove]:
    """Return (function, itemgetter) for each move; the itemgetter picks its arguments and results from all arrays."""
    return [(_make_filling(function), itemgetter(*arguments, *results)) for function, arguments, results in moves]


def _make_filling(function: ArrayFunction) -> ArrayFunction:
    """Return `function` as one that fills its last argument, the result array, and is called with positions only.

    - `fill_by_choice`, `_number`, `sine_and_cosine` and ufuncs are returned as they are
    - np.maximum and np.minimum are called with `out=`
    - the result of every other function is copied into the last argument
    """
    if function in (np.maximum, np.minimum):  # these take `out` by its name
        return lambda a, b, out: function(a, b, out=out)
    if isinstance(function, np.ufunc) or function in (fill_by_choice, _number, sine_and_cosine):
        return function

    def fill(*arguments: Column) -> None:
        arguments[-1][...] = function(*arguments[:-1])

    return fill


class Schedule(NamedTuple):
    """Steps whose arguments and results have places.

    A place is an index into the inputs, outputs, registers and constants together, in this order; those of constants
    are negative, counted from the end.

    moves      (function, places of its arguments and results)
    copies     pairs (source, output): outputs that are an input, a constant or the same as another output
    registers  the type, float or bool, of each register
    numbers    the constants, as arrays
    flag       the place of the flag of the layout
    """

    moves: list[tuple[ArrayFunction, tuple[int, ...], tuple[int, ...]]]
    copies: list[tuple[int, int]]
    registers: list[type]
    numbers: list[Doubles]
    flag: int


class Move(NamedTuple):
    """A call of a function before places are assigned.

    `arguments` and `results` are indices of steps (int), arguments also constants (float); `kind` is the type of the
    result, float or bool.
    """

    function: ArrayFunction
    arguments: tuple[int | float, ...]
    results: tuple[int, ...]
    kind: type


def build_schedule(graph: Graph, layout: Layout = PLAIN) -> Schedule:
    """Build the Schedule of a graph: its operations as array functions in order, with places (work arrays) for results.

    Its fields: stores (function, places of arguments, places of results), copies (source, place), the types of the
    registers, constants, the place of the flag.

    `layout` says whether the last output is a flag. A register is free again after the last use of its value. A step
    with one result may write over its arguments, a step with several may not. A result that is an output is written
    into the output's array. The value `a` of a choice shares the place of the choice's result if it is used last there.
    Outputs that equal an input, a constant or another output are in `copies`.
    """
    m, results, flag = steps_of(graph, layout)
    moves = _order_moves(m, [*results, flag])
    places = _Places(m.inputs, results)
    last = {a: position for position, move in enumerate(moves) for a in move.arguments}
    last[flag] = len(moves)
    _share_places_of_choices(places, moves, last)
    stores = []
    for position, move in enumerate(moves):
        arguments = tuple([places.place_of(a) for a in move.arguments])
        done = [a for a in dict.fromkeys(move.arguments) if last[a] == position]
        may_overwrite = len(move.results) == 1
        if may_overwrite:
            places.free(sorted(done, key=lambda a: move.function is fill_by_choice and a == move.arguments[1]))
        stores.append((move.function, arguments, tuple([places.assign(number, move.kind) for number in move.results])))
        if not may_overwrite:
            places.free([*done, *(number for number in move.results if number not in last)])
    ends = enumerate(results, m.inputs)
    copies = [(source, place) for place, result in ends if (source := places.place_of(result)) != place]
    flagged = places.place_of(flag)
    numbers = list(map(np.array, reversed(places.numbers)))  # as arrays, which a call need not make of them
    return Schedule(stores, copies, places.registers, numbers, flagged)


def _share_places_of_choices(places: _Places, moves: Sequence[Move], last: dict[int | float, int]) -> None:
    """Give the value `a` of each choice the place (array) of the choice's result, in `places`, if the choice is its
    last use.

    Nothing changes for a result that has no place yet (only outputs have one), and for an `a` that is a constant or has
    a place already. Choices are taken from the last to the first, so that a chain of them shares one output. `last` has
    the position in `moves` of the last use of each value.
    """
    for position, move in reversed(list(enumerate(moves))):
        if move.function is fill_by_choice and last[move.arguments[1]] == position:
            places.join(move.arguments[1], move.results[0])


class _Places:
    """The places of inputs, results and constants: a result that is an output has the place of that output, others a
    register.
    """

    def __init__(self, inputs: int, results: Sequence[int | float]) -> None:
        """Number the places of `inputs` inputs and of the outputs `results`, in this order; registers follow them.

        A result is the number of an input or operation (int) or a constant (float). An operation that is an output gets
        the place of this output, of the first one if it is several; inputs and constants do not.
        """
        self._kept = inputs + len(results)
        self._place: dict[int, int] = {number: number for number in range(inputs)}
        for position, result in reversed(list(enumerate(results))):
            if type(result) is int and result >= inputs:
                self._place[result] = inputs + position
        self._free: dict[type, list[int]] = {float: [], bool: []}
        self._known: dict[str, int] = {}
        self.registers: list[type] = []
        self.numbers: list[float] = []

    def place_of(self, a: int | float) -> int:
        """Return the place of an argument `a`: that of an input or operation (int), or of a constant (float).

        A constant has a negative place, -1, -2, …, the same for equal text (-0.0 is not 0.0); a new one is appended to
        `numbers`. Raises KeyError for an operation without a place.
        """
        if type(a) is int:
            return self._place[a]
        if repr(a) not in self._known:
            self.numbers.append(float(a))
            self._known[repr(a)] = -len(self.numbers)
        return self._known[repr(a)]

    def join(self, a: int | float, result: int) -> None:
        """Give step `a` the place of `result`, so that `fill_by_choice` need not copy it.

        Nothing changes if `a` is a constant or has a place already, or if `result` has no place because it is not an
        output.
        """
        if type(a) is int and result in self._place:
            self._place.setdefault(a, self._place[result])

    def assign(self, number: int, kind: type) -> int:
        """Return the place of result `number`, which is recorded: the one that it already has, as an output, or a
        register.

        The register is the one of this `kind` that was freed last, which is no longer free then. If no register is
        free, a new one is appended to `registers`.
        """
        if number not in self._place:
            if not self._free[kind]:
                self._free[kind].append(self._kept + len(self.registers))
                self.registers.append(kind)
            self._place[number] = self._free[kind].pop()
        return self._place[number]

    def free(self, numbers: Iterable[int | float]) -> None:
        """Release the registers of steps that are not needed any more; inputs, outputs and constants are left alone."""
        for a in numbers:
            if type(a) is int and self._place[a] >= self._kept:
                self._free[self.registers[self._place[a] - self._kept]].append(self._place[a])


def _order_moves(m: Steps, results: Sequence[int | float]) -> list[Move]:
    """Return the steps that `results` need, depth first from the first result, so that arguments come just before their
    use.

    Inputs, constants, and steps that no result needs are left out. A sine or cosine becomes one move for both, with the
    results (sine, cosine, three work arrays), shared by the sine and cosine of one argument; a result that is not a
    step gets a new number.
    """
    steps = dict(enumerate(m.steps, m.inputs))
    pair = (np.sin, np.cos)
    steps_by_call = {(s.function, s.arguments): number for number, s in steps.items() if s.function in pair}
    others = itertools.count(m.inputs + len(steps))
    done = set(range(m.inputs))
    moves: list[Move] = []
    pending = [result for result in reversed(results) if type(result) is int]
    while pending:
        number = pending[-1]
        if number in done:
            pending.pop()
            continue
        function, arguments, truth = steps[number]
        missing = [a for a in reversed(arguments) if type(a) is int and a not in done]
        if missing:
            pending += missing
            continue
        move = Move(function, arguments, (number,), bool if truth else float)
        if function in pair:
            both = [steps_by_call.get((f, arguments), next(others)) for f in pair]
            move = Move(sine_and_cosine, arguments, (*both, *itertools.islice(others, SCRATCH)), float)
        moves.append(move)
        done.update(move.results)
    return moves
