"""A kernel: a program that is compiled once and then evaluated at whole arrays of points."""

from __future__ import annotations

import functools
import math
import operator
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from ..errors import NameProblem, RequestError, damaged
from ..extras import Later
from ..graph.gc_pause import pause_gc
from ..graph.graph import Graph, unpacked
from ..graph.order import arranged, meaning
from ..overriding import override
from ..table.suggest import advice_on_name
from .array_pool import Pool, handed_in
from .joint_program import KINKS, UNUSUAL, joint
from .layout import NOWHERE, PLAIN, Layout, fitting, unknown_joined
from .point_warnings import Met, Undefined, undefined

if TYPE_CHECKING:
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import ArrayLike

    from .blocks import Doubles
    from .layout import Places, Reported

    # Inputs, and outputs to be filled: of one dimension and in one piece.
    Run: TypeAlias = Callable[[Sequence[Doubles], Sequence[Doubles]], Reported]
    AtPoint: TypeAlias = Callable[[Sequence[float]], Sequence[np.float64] | None]
    Columns: TypeAlias = dict[str, Doubles]
else:
    np = Later("numpy", "numpy")

ENGINES: Final = ("auto", "numpy", "native")
_EXACT = 2**53  # whole numbers up to this one are doubles
_MADE = 100  # things that are made to compile an operation, or so
_STRIDE = 1 << 18  # points given to the engine at a time: some megabytes, enough to share out to several cores


class Kernel:
    """Value and partials of every output at many points.

    inputs   the names that a call needs, in order; outputs: the names of the results
    engine   what computes: numpy or native
    columns  by the names of the contract: for each output `y`, `dy_dx1`, …, and with `hessian` `d2y_dx1_dx2`, …
    fast     whether sums and products are rounded together, for which it is asked; the engine numpy never does
    """

    __slots__ = (
        "_asked",
        "_at",
        "_careful",
        "_default",
        "_floats",
        "_graph",
        "_in_order",
        "_names",
        "_pool",
        "_run",
        "engine",
        "fast",
        "hessian",
        "inputs",
        "outputs",
    )

    def __init__(self, graph: Graph, engine: str = "auto", *, hessian: bool = False, fast: bool = False) -> None:
        if engine not in ENGINES:
            raise RequestError(f"there is no engine called {engine}", help=f"the engines are {', '.join(ENGINES)}")
        self._asked = engine, hessian, fast
        with pause_gc(_MADE * len(graph)):
            self._prepare(graph)

    def _prepare(self, graph: Graph) -> None:
        engine, hessian, fast = self._asked
        self._graph = arranged(graph)
        self.inputs = list(self._graph.inputs.values())
        self.outputs = [name for name, _ in self._graph.outputs]
        self.hessian = hessian
        program = joint(self._graph, hessian=hessian, kinks=True, usual=True)
        self._names = [name for name, _ in program.outputs if name != UNUSUAL]
        if len(set(self._names)) < len(self._names):
            twice = next(name for name in self._names if self._names.count(name) > 1)
            raise RequestError(f"two columns would be called {twice}", help="give one of the outputs another name")
        layout = Layout(len(self._names) // max(len(self.outputs), 1), len(self._names) < len(program.outputs))
        self.engine, self._run, self.fast = _compiled(program, engine, layout, fast)
        self._at: AtPoint | None = getattr(self._run, "at", None) if self.inputs else None
        self._floats = frozenset({float} if self._at is None else {float, np.float64})
        self._in_order = _picked(self.inputs)
        self._careful: tuple[Run, bool] | None = None
        self._default: Kernel | None = None
        self._pool = Pool()

    @override
    def __eq__(self, other: object) -> bool:
        """Two kernels are the same when they are of equal expressions, by the same engine."""
        return isinstance(other, Kernel) and self._means() == other._means()

    @override
    def __hash__(self) -> int:
        return hash(self._means())

    def _means(self) -> Hashable:
        return meaning(self._graph), self.engine, self.hessian, self.fast

    @override
    def __reduce__(self) -> tuple[Callable[..., Kernel], tuple[object, ...]]:
        """It travels as what it is of, and is compiled where it arrives, once for each process."""
        return _read_again, (self._graph.packed(), *self._asked)

    def __copy__(self) -> Kernel:
        return self  # calls leave nothing behind

    def __deepcopy__(self, memo: object) -> Kernel:
        return self

    @override
    def __repr__(self) -> str:
        engine = f"{self.engine}{', fast' if self.fast else ''}"
        return f"<Kernel of {', '.join(self.outputs)} by {', '.join(self.inputs)}, engine {engine}>"

    def __call__(self, /, **points: ArrayLike | Mapping[str, Doubles]) -> tuple[Doubles, Columns]:
        """Value and partials by input (of the first output, if there are several), in the shape that the points have.

        Numbers stand for arrays of that number.  Points outside a domain are nan, and a RuntimeWarning tells of them.
        `out`, unless it is an input, is as in `columns`.
        """
        if self._at is not None:
            found = self._at_a_point(self._at, points)
            if found is not None:
                return found
        out = None if "out" in self.inputs else points.pop("out", None)
        columns = self.columns(cast("Mapping[str, ArrayLike]", points), cast("Mapping[str, Doubles] | None", out))
        value, *slopes = columns.values()
        return value, dict(zip(self.inputs, slopes))  # noqa: B905 - the first slopes

    def _at_a_point(self, run: AtPoint, points: Mapping[str, object]) -> tuple[Doubles, Columns] | None:
        """The same where all are plain numbers and nothing is to be said, by the engine's shortest way; else None."""
        try:
            point = self._in_order(points)
        except KeyError:
            return None
        if len(point) < len(points):
            return None
        kinds = set(map(type, point))
        if not kinds <= self._floats and not (
            int in kinds and all(type(x) in self._floats or _exact(x) for x in point)
        ):
            return None
        found: Any = run(point)
        return None if found is None else (found[0], dict(zip(self.inputs, found[1:])))  # noqa: B905 - the first slopes

    def columns(self, points: Mapping[str, ArrayLike], out: Mapping[str, Doubles] | None = None) -> Columns:
        """Every column of the result by its name, in order, in the shape that the points have.

        Points outside a domain are nan in all columns of their output, and a RuntimeWarning tells of them.  Arrays in
        `out`, by the name of a column, are filled and handed back; none may share memory with the points.
        """
        found, broken, met = self.told(points, out)
        for said in (broken, met if met is not None and met.smooth < met.points else None):
            if said is not None:
                warnings.warn(str(said), RuntimeWarning, stacklevel=_outside_of_this())
        return found

    def examined(self, points: Mapping[str, ArrayLike]) -> tuple[Columns, Undefined | None]:
        """The columns, and what is to be said of points outside a domain, in place of a warning."""
        return self.told(points)[:2]

    def told(
        self, points: Mapping[str, ArrayLike], out: Mapping[str, Doubles] | None = None
    ) -> tuple[Columns, Undefined | None, Met | None]:
        """The columns, and what is to be said of points outside a domain and at kinks, in place of warnings."""
        flat = self._plain(points)
        if flat is not None and out is None:
            shape: tuple[int, ...] = flat[0].shape
            results = self._pool.arrays(len(self._names), shape[0])
        else:
            arrays, shape = self._arrays(points)
            flat = [_flat(x, shape) for x in arrays]
            given = handed_in(out, self._names, shape, arrays) if out is not None else {}
            fresh = self._pool.arrays(len(self._names) - len(given), math.prod(shape))
            results = [given[name] if name in given else fresh.pop() for name in self._names]
        lost, met = self._fill_all(flat, results)
        kinks = self._settle(flat, results, met) if met else None
        if len(shape) != 1:
            results = [y.reshape(shape) if shape else y[0] for y in results]
        columns = dict(zip(self._names, results, strict=True))
        if out is not None and shape:
            columns |= out
        return columns, undefined(self._graph, lost, flat, shape) if lost else None, kinks

    def _plain(self, points: Mapping[str, ArrayLike]) -> Sequence[Doubles] | None:
        """The arrays of the inputs, if these and no others are given, and an engine takes them as they are; else None.

        That is shortly said of most calls.
        """
        if type(points) is not dict or len(points) != len(self.inputs):
            return None
        try:
            found: Sequence[Doubles] = self._in_order(points)
        except KeyError:
            return None
        return found if fitting(found) else None

    def _arrays(self, points: Mapping[str, ArrayLike]) -> tuple[list[Doubles], tuple[int, ...]]:
        """The arrays of the inputs, and the shape of all.  Raises for what they cannot be."""
        self._check_names(points)
        arrays = [_doubles(name, points[name]) for name in self.inputs]
        return arrays, _common_shape(arrays)

    def bounds(self, points: Mapping[str, ArrayLike]) -> Columns:
        """For every column how far its numbers may be from the exact ones, by rounding, to first order.

        It is nan where there is no value, and infinite where no bound is known: beside a jump or at a vertical slope.
        """
        from .error_bounds import bounds

        arrays, shape = self._arrays(points)
        flat = [np.broadcast_to(x, shape).reshape(-1) for x in arrays]
        found = bounds(self._graph, flat or [np.empty(1)], hessian=self.hessian, fast=self.fast)
        return {name: y.reshape(shape) if shape else y[0] for name, y in zip(self._names, found, strict=True)}

    def _check_names(self, points: Mapping[str, ArrayLike]) -> None:
        missing = [name for name in self.inputs if name not in points]
        if missing:
            raise NameProblem(
                f"{missing[0]} has no value", label="no array is given for it",
                help=f"give arrays or numbers for {', '.join(self.inputs)}",
            )  # fmt: skip
        for name in points:
            if name not in self.inputs:
                raise NameProblem(f"{name} is no input", help=advice_on_name(name, self.inputs))

    def _fill_all(self, inputs: Sequence[Doubles], results: Sequence[Doubles]) -> tuple[list[Places], list[int]]:
        """Fills the results; afterwards the places at which an output has no value, and those that meet a kink.

        An input may be one number for all points.
        """
        count = len(results[0])
        if count <= _STRIDE and {count}.issuperset(map(len, inputs)):
            lost, met = self._fill(inputs, results, 0)
            return [lost] if len(lost) else [], met
        every, all_met = [], []
        for start in range(0, count, _STRIDE):
            stop = min(start + _STRIDE, count)
            block = [np.full(stop - start, x[0]) if len(x) == 1 else x[start:stop] for x in inputs]
            lost, met = self._fill(block, [y[start:stop] for y in results], start)
            every += [lost] if len(lost) else []
            all_met += met
        return every, all_met

    def _fill(self, block: Sequence[Doubles], outputs: Sequence[Doubles], start: int) -> tuple[Places, list[int]]:
        """The same of a block that starts at some point, whose places are told."""
        told = self._run(block, outputs)
        unknown, met = told.unknown, []
        if len(told.wrong):
            again = self._by_default if self.fast else self._carefully
            here, kinks = again(block, outputs, told.wrong)
            unknown |= here
            met = [start + place for place in kinks]
        if not unknown:
            return NOWHERE, met
        each = len(outputs) // len(self.outputs)
        lost = functools.reduce(np.logical_or, [np.isnan(value) for value in outputs[::each]])
        for x in block:
            lost &= x == x  # what is not known of the input is nan, and no fault
        return np.flatnonzero(lost) + start, [place for place in met if not lost[place - start]]

    def _carefully(
        self, inputs: Sequence[Doubles], outputs: Sequence[Doubles], places: Places
    ) -> tuple[bool, list[int]]:
        """Fills some places by the program that is right at all; whether a value is nan, and where kinks are met."""
        if self._careful is None:
            program = joint(self._graph, hessian=self.hessian, kinks=True)
            run = _compiled(program, "numpy" if self.engine == "numpy" else "auto")[1]
            self._careful = run, program.outputs[-1][0] == KINKS
        run, kinked = self._careful
        found = [np.empty(len(places)) for _ in range(len(outputs) + kinked)]
        run([x[places] for x in inputs], found)
        unknown = unknown_joined(found[: len(outputs)], len(outputs) // len(self.outputs))
        for column, y in zip(outputs, found, strict=False):
            column[places] = y
        return unknown, np.asarray(places)[found[-1] == 1].tolist() if kinked else []

    def _by_default(
        self, inputs: Sequence[Doubles], outputs: Sequence[Doubles], places: Places
    ) -> tuple[bool, list[int]]:
        """The same by the kernel that is not fast."""
        if self._default is None:
            self._default = Kernel(self._graph, self.engine, hessian=self.hessian)
        found = [np.empty(len(places)) for _ in outputs]
        lost, met = self._default._fill([x[places] for x in inputs], found, 0)
        for column, y in zip(outputs, found, strict=True):
            column[places] = y
        return bool(len(lost)), np.asarray(places)[met].tolist()

    def _settle(self, inputs: Sequence[Doubles], results: Sequence[Doubles], places: list[int]) -> Met:
        """Puts the derivatives at these points right, which meet a kink."""
        from .kink_resolution import KinkResolution  # few kernels ever meet one

        each = len(results) // len(self.outputs)
        known: dict[tuple[float, ...], tuple[list[list[float | None]] | None, bool]] = {}
        resolution = KinkResolution(self._graph, hessian=self.hessian)
        smooth = 0
        for place in places:
            at = tuple([float(x[place if len(x) > 1 else 0]) for x in inputs])
            if at not in known:
                known[at] = resolution.at(dict(zip(self._graph.inputs, at, strict=True)))
            found, alike = known[at]
            smooth += alike
            for k, row in enumerate(found or ()):
                for column, x in enumerate(row, k * each + 1):
                    if x is not None:
                        results[column][place] = x
        return Met(len(places), smooth)


def _read_again(columns: object, engine: object, hessian: object, fast: object = False) -> Kernel:
    """The kernel that was pickled.  Raises RequestError for what is none, and for an engine that is not here."""
    if not isinstance(columns, tuple) or not isinstance(engine, str):
        raise damaged("a kernel")
    if type(hessian) is not bool or type(fast) is not bool:
        raise damaged("a kernel")
    try:
        return _made_once(columns, engine, hessian, fast)
    except TypeError as error:  # what cannot be hashed
        raise damaged("a kernel", str(error)) from None


@functools.lru_cache(maxsize=8)
def _made_once(columns: tuple[object, ...], engine: str, hessian: bool, fast: bool) -> Kernel:
    return Kernel(unpacked(*columns), engine, hessian=hessian, fast=fast)


def _compiled(program: Graph, engine: str, layout: Layout = PLAIN, fast: bool = False) -> tuple[str, Run, bool]:
    """The engine that is asked for, with the program in it, and whether that is fast.

    `auto` takes the quickest that there is.
    """
    if engine != "numpy":
        try:
            return _native(program, layout, fast)
        except RequestError:
            if engine == "native":
                raise
    from .blocks import Blocks

    return "numpy", Blocks(program, layout), False


def _native(program: Graph, layout: Layout, fast: bool) -> tuple[str, Run, bool]:
    """The program in machine code, which is fast where that is asked for and the processor can be."""
    from .native import Native, fuses

    free = program
    if fast and fuses():
        from .fast_math import freed

        free = freed(program)
        layout = layout._replace(flagged=layout.flagged or free is not program)
    return "native", Native(free, layout=layout, inlines=layout is not PLAIN), free is not program


def _picked(names: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """What takes the entries of these names, in their order; it raises KeyError where one is missing."""
    if len(names) > 1:
        return operator.itemgetter(*names)
    return lambda entries: tuple([entries[name] for name in names])  # of one, the other would give no tuple


def _exact(x: object) -> bool:
    """Whether it is a whole number that is a double."""
    return type(x) is int and abs(x) <= _EXACT


def _doubles(name: str, x: ArrayLike) -> Doubles:
    try:
        found = np.asarray(x)
        if found.dtype.kind not in "biuf":
            raise TypeError
        if found is not x and isinstance(x, np.ma.MaskedArray):
            return np.where(np.ma.getmaskarray(x), math.nan, found)
        return found.astype(float, copy=False)
    except (TypeError, ValueError):
        raise RequestError(f"{name} is no array of real numbers", label=f"it is {type(x).__name__}") from None


def _common_shape(arrays: Sequence[Doubles]) -> tuple[int, ...]:
    if arrays and all(x.shape == arrays[0].shape for x in arrays):
        return tuple(arrays[0].shape)
    try:
        return tuple(np.broadcast_shapes(*[x.shape for x in arrays]))
    except ValueError:
        shapes = ", ".join(str(x.shape) for x in arrays)
        raise RequestError(
            "the arrays have different shapes", label=shapes, help="one shape for all, or numbers"
        ) from None


def _flat(x: Doubles, shape: tuple[int, ...]) -> Doubles:
    """The array in one dimension and one piece; one number stays one."""
    if x.flags.c_contiguous and (x.size == 1 or x.shape == shape):
        return x.reshape(-1)
    if x.size == 1:
        return np.ascontiguousarray(x).reshape(-1)
    return np.ascontiguousarray(np.broadcast_to(x, shape)).reshape(-1)


def _outside_of_this() -> int:
    """How many calls up the first one is that is not in this file."""
    import sys

    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename == __file__:
        level, frame = level + 1, frame.f_back
    return level
