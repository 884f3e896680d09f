"""A kernel: a program that is compiled once and then evaluated at whole arrays of points. A column is the array of one
value or partial (`y`, `dy_dx1`, …); a place is the index of a point in it.
"""

from __future__ import annotations

import functools
import math
import operator
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence

from ..errors import NameProblem, RequestError, pickle_error
from ..graph.gc_pause import pause_gc
from ..graph.graph import Graph, unpack
from ..graph.order import arrange, meaning_key
from ..records import ValueObject
from ..table.suggest import advice_on_name
from ..typings import TYPE_CHECKING, Any, Final, TypeAlias, cast, override
from .array_pool import Pool, views_of_out
from .joint_program import KINKS, UNUSUAL, joint_graph
from .layout import NOWHERE, PLAIN, Layout, Places, Reported, common_length, spread_nan
from .numpy_doubles import Doubles, np
from .point_warnings import KinkCount, Undefined, report_undefined

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    # Inputs, and outputs to be filled: of one dimension and in one piece.
    Run: TypeAlias = Callable[[Sequence[Doubles], Sequence[Doubles]], Reported]
    AtPoint: TypeAlias = Callable[[Sequence[float]], Sequence[np.float64] | None]
    Columns: TypeAlias = dict[str, Doubles]

ENGINES: Final = ("auto", "numpy", "native")
_EXACT = 2**53  # whole numbers up to this one are doubles
_OBJECTS = 100  # objects allocated to compile an operation, roughly
_STRIDE = 1 << 18  # points that the engine computes at a time: some megabytes, enough for several cores


class Kernel(ValueObject):
    """A compiled function: value and partials of every output at many points.

    inputs   the names that a call needs, in order
    outputs  the names of the results
    engine   the engine in use: numpy or native
    fast     whether operations are fused: requested, and possible on this machine; never with the engine numpy
    hessian  whether columns have second partials

    The method `columns` returns arrays by name: for each output `y`, `dy_dx1`, …, and with `hessian` `d2y_dx1_dx2`, ….
    """

    def __init__(self, graph: Graph, engine: str = "auto", *, hessian: bool = False, fast: bool = False) -> None:
        if engine not in ENGINES:
            raise RequestError(f"there is no engine called {engine}", help=f"the engines are {', '.join(ENGINES)}")
        self._options = engine, hessian, fast
        with pause_gc(_OBJECTS * len(graph)):
            self._prepare(graph)

    def _prepare(self, graph: Graph) -> None:
        """Compile the graph by the options (engine, hessian, fast) and set all other attributes of the kernel.

        Raises RequestError if two columns would have the same name, or if the engine native is requested and cannot
        compile the program.
        """
        engine, hessian, fast = self._options
        self._graph = arrange(graph)
        self.inputs = list(self._graph.inputs.values())
        self.outputs = [name for name, _ in self._graph.outputs]
        self.hessian = hessian
        program = joint_graph(self._graph, hessian=hessian, kinks=True, usual=True)
        self._names = [name for name, _ in program.outputs if name != UNUSUAL]
        if len(set(self._names)) < len(self._names):
            twice = next(name for name in self._names if self._names.count(name) > 1)
            raise RequestError(f"two columns would be called {twice}", help="give one of the outputs another name")
        layout = Layout(len(self._names) // max(len(self.outputs), 1), len(self._names) < len(program.outputs))
        self.engine, self._run, self.fast = _compile_program(program, engine, layout, fast)
        self._at: AtPoint | None = getattr(self._run, "at", None) if self.inputs else None
        self._floats = frozenset({float} if self._at is None else {float, np.float64})
        self._in_order = _make_picker(self.inputs)
        self._careful: tuple[Run, bool] | None = None
        self._default: Kernel | None = None
        self._pool = Pool()

    @override
    def _identity(self) -> Hashable:
        """Return (the meaning of the expressions, engine, with second derivatives, with fused operations)."""
        return meaning_key(self._graph), self.engine, self.hessian, self.fast

    @override
    def __reduce__(self) -> tuple[Callable[..., Kernel], tuple[object, ...]]:
        """Pickle the graph and the options; the kernel is compiled again where it is loaded, once in each process."""
        return _unpickle_kernel, (self._graph.pack(), *self._options)

    @override
    def __repr__(self) -> str:
        engine = f"{self.engine}{', fast' if self.fast else ''}"
        return f"<Kernel of {', '.join(self.outputs)} by {', '.join(self.inputs)}, engine {engine}>"

    def __call__(self, /, **points: ArrayLike | Mapping[str, Doubles]) -> tuple[Doubles, Columns]:
        """Return (value, partials by input) of the first output, in the shape of the points; at a single point they are
        numbers.

        `points` are arrays or numbers by input name; a number is used at all points. `out` (unless an input has this
        name) has arrays by column name, which are filled and returned. At points outside a domain results are nan, and
        a RuntimeWarning reports them; another one reports kinks. Raises NameProblem for missing and unknown names,
        RequestError for other types and shapes.
        """
        if self._at is not None:
            result = self._at_a_point(self._at, points)
            if result is not None:
                return result
        out = None if "out" in self.inputs else points.pop("out", None)
        columns = self.columns(cast("Mapping[str, ArrayLike]", points), cast("Mapping[str, Doubles] | None", out))
        value, *slopes = columns.values()
        return value, dict(zip(self.inputs, slopes))  # noqa: B905 - the first slopes

    def _at_a_point(self, run: AtPoint, points: Mapping[str, object]) -> tuple[Doubles, Columns] | None:
        """Return (value, slopes by input) of the first output at `points`, {input: number}, by the engine's shortest
        way `run`.

        None if this cannot be used: a name is missing or unknown; an input is not a plain float, an np.float64, or an
        int that is exactly a double; a value is nan, or needs the complete program.
        """
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
        results: Any = run(point)
        return None if results is None else (results[0], dict(zip(self.inputs, results[1:])))  # noqa: B905 - the first slopes

    def columns(self, points: Mapping[str, ArrayLike], out: Mapping[str, Doubles] | None = None) -> Columns:
        """Return every column of the result by its name, in order, in the shape of the points.

        Arrays in `out`, by column name, are filled and returned; `out` may lack columns, and must not share memory with
        the points. At points outside a domain all columns of the output are nan, and a RuntimeWarning reports them.
        Another one reports points on a kink if derivatives are by convention at some of them, or second ones missing.
        Raises NameProblem for missing and unknown names, RequestError for other types and shapes.
        """
        results, outside, kinks = self.evaluate(points, out)
        for warning in (outside, None if kinks is None or kinks.is_harmless else kinks):
            if warning is not None:
                warnings.warn(str(warning), RuntimeWarning, stacklevel=_stack_level())
        return results

    def examined(self, points: Mapping[str, ArrayLike]) -> tuple[Columns, Undefined | None]:
        """Return (columns by name, report of points outside a domain, None without such points); there is no
        warning.
        """
        return self.evaluate(points)[:2]

    def evaluate(
        self, points: Mapping[str, ArrayLike], out: Mapping[str, Doubles] | None = None
    ) -> tuple[Columns, Undefined | None, KinkCount | None]:
        """Return (columns by name, report of points outside a domain, report of points on kinks), without warnings.

        A report is None if there are no such points. Columns have the common shape of `points`, or are numbers if all
        points are. With `out` its arrays are filled and returned as columns (a single point still gives numbers).
        Raises NameProblem for missing and unknown names, RequestError for other types and shapes.
        """
        flat = self._unconverted_arrays(points)
        if flat is not None and out is None:
            shape: tuple[int, ...] = flat[0].shape
            results = self._pool.arrays(len(self._names), shape[0])
        else:
            arrays, shape = self._convert_points(points)
            flat = [_flat(x, shape) for x in arrays]
            out_arrays = views_of_out(out, self._names, shape, arrays) if out is not None else {}
            fresh = self._pool.arrays(len(self._names) - len(out_arrays), math.prod(shape))
            results = [out_arrays[name] if name in out_arrays else fresh.pop() for name in self._names]
        outside, kinks = self._fill_all(flat, results)
        if len(shape) != 1:
            results = [y.reshape(shape) if shape else y[0] for y in results]
        columns = dict(zip(self._names, results, strict=True))
        if out is not None and shape:
            columns |= out
        return columns, report_undefined(self._graph, outside, flat, shape) if outside else None, kinks

    def _unconverted_arrays(self, points: Mapping[str, ArrayLike]) -> Sequence[Doubles] | None:
        """Return the arrays of the inputs in order if the engine can read them without conversion; None if it cannot.

        It can if `points` is a dict with exactly the inputs, at least one, all contiguous one-dimensional arrays of
        doubles of one length, not empty: the quick check for the usual call.
        """
        if type(points) is not dict or len(points) != len(self.inputs):
            return None
        try:
            arrays: Sequence[Doubles] = self._in_order(points)
        except KeyError:
            return None
        return arrays if common_length(arrays) else None

    def _convert_points(self, points: Mapping[str, ArrayLike]) -> tuple[list[Doubles], tuple[int, ...]]:
        """Return (the arrays of the inputs, in order, as doubles in their shapes; the shape to which they broadcast).

        Raises NameProblem for missing and unknown names (first for the first input that is missing, else for the first
        name of `points` that is no input), RequestError for other types and for shapes that do not fit together.
        """
        missing = [name for name in self.inputs if name not in points]
        if missing:
            advice = f"give arrays or numbers for {', '.join(self.inputs)}"
            raise NameProblem(
                f"the input {missing[0]} has no value", label="no array is given for this input", help=advice
            )
        for name in points:
            if name not in self.inputs:
                raise NameProblem(f"the name {name} is not an input", help=advice_on_name(name, self.inputs))
        arrays = [_as_doubles(name, points[name]) for name in self.inputs]
        return arrays, _common_shape(arrays)

    def bounds(self, points: Mapping[str, ArrayLike]) -> Columns:
        """Return for every column, by name, a first-order bound of its absolute rounding error, in the shape of the
        points.

        If all points are numbers, or the kernel has no inputs, bounds are numbers. A bound is inf if none is known:
        next to a jump or at a vertical slope. Outside a domain that of a value is nan, that of a partial arbitrary.
        Raises NameProblem for missing and unknown names, RequestError for other types and shapes.
        """
        from .error_bounds import bounds

        arrays, shape = self._convert_points(points)
        flat = [np.broadcast_to(x, shape).reshape(-1) for x in arrays]
        errors = bounds(self._graph, flat or [np.empty(1)], hessian=self.hessian, fast=self.fast)
        return {name: y.reshape(shape) if shape else y[0] for name, y in zip(self._names, errors, strict=True)}

    def _fill_all(self, inputs: Sequence[Doubles], results: Sequence[Doubles]) -> tuple[list[Places], KinkCount | None]:
        """Fill the arrays `results` (columns); return (indices of points without a value, the count of points on a
        kink).

        The indices are flat, in order: one array for each block that has some. The count is None if no point is on a
        kink. An input may have one element for all points. More than 262,144 points are computed in blocks of this
        size.
        """
        count = len(results[0])
        if count <= _STRIDE and {count}.issuperset(map(len, inputs)):
            lost, kinks = self._fill_block(inputs, results, 0)
            return [lost] if len(lost) else [], kinks
        all_lost, all_kinks = [], None
        for start in range(0, count, _STRIDE):
            stop = min(start + _STRIDE, count)
            block = [np.full(stop - start, x[0]) if len(x) == 1 else x[start:stop] for x in inputs]
            lost, kinks = self._fill_block(block, [y[start:stop] for y in results], start)
            all_lost += [lost] if len(lost) else []
            all_kinks = kinks.merge(all_kinks) if kinks else all_kinks
        return all_lost, all_kinks

    def _fill_block(
        self, block: Sequence[Doubles], outputs: Sequence[Doubles], start: int
    ) -> tuple[Places, KinkCount | None]:
        """Fill `outputs` at the points of `block`; return (indices of points without a value, the count of points on a
        kink).

        Indices are those in the block plus `start`, the index of its first point. A point has no value if the value
        column of an output is nan there; a point with nan as an input is not reported. The count is None without points
        on a kink, and leaves out points without a value. Points that the engine reports as possibly wrong are computed
        again by the complete program.
        """
        report = self._run(block, outputs)
        unknown, kinks = report.unknown, None
        if len(report.wrong):
            unknown_there, kinks = self._fill_by_other_program(block, outputs, report.wrong)
            unknown |= unknown_there
        if not unknown:
            return NOWHERE, kinks
        each = len(outputs) // len(self.outputs)
        lost = functools.reduce(np.logical_or, [np.isnan(value) for value in outputs[::each]])
        for x in block:
            lost &= x == x  # what is not known of the input is nan, and no fault
        return np.flatnonzero(lost) + start, kinks

    def _fill_by_other_program(
        self, inputs: Sequence[Doubles], outputs: Sequence[Doubles], places: Places
    ) -> tuple[bool, KinkCount | None]:
        """Fill the `outputs` at `places` (indices in the block `inputs`) by a program that is right everywhere.

        Return (whether a value is nan there, the count of these points on a kink or None). It is the complete program;
        for a kernel that is `fast` (with fused operations) a kernel without fused ones. Kinks are resolved. The other
        program is compiled on the first call and kept.
        """
        points, results = [x[places] for x in inputs], [np.empty(len(places)) for _ in outputs]
        if self.fast:
            self._default = self._default or Kernel(self._graph, self.engine, hessian=self.hessian)
            outside, kinks = self._default._fill_block(points, results, 0)
            unknown = len(outside) > 0
        else:
            run, kinked = self._careful = self._careful or self._compile_complete()
            flags = [np.empty(len(places))] if kinked else []
            run(points, [*results, *flags])
            unknown = spread_nan(results, len(outputs) // len(self.outputs))
            kink_places = np.flatnonzero(flags[0] == 1) if kinked else []
            kinks = self._resolve_kinks(points, results, kink_places) if len(kink_places) else None
        for column, y in zip(outputs, results, strict=True):
            column[places] = y
        return unknown, kinks

    def _compile_complete(self) -> tuple[Run, bool]:
        """Return the complete program, compiled, and whether its last output is KINKS."""
        program = joint_graph(self._graph, hessian=self.hessian, kinks=True)
        run = _compile_program(program, "numpy" if self.engine == "numpy" else "auto")[1]
        return run, program.outputs[-1][0] == KINKS

    def _resolve_kinks(self, inputs: Sequence[Doubles], results: Sequence[Doubles], places: Places) -> KinkCount | None:
        """Write the values and derivatives that are decided at `places` into the columns `results`, in place.

        `places` are indices of points of `inputs` that may be on a kink. Entries that are not decided stay, and so do
        all of an output whose value is decided as nan. Return KinkCount(number of places on a kink without a nan value,
        how many of these have smooth outputs, at how many a second derivative of such an output is missing); None if
        there are none. Points with equal inputs are resolved once.
        """
        from .kink_resolution import KinkResolution, ResolvedPoint  # few kernels ever meet one

        each = len(results) // len(self.outputs)
        known: dict[tuple[float, ...], ResolvedPoint] = {}
        resolution = KinkResolution(self._graph, hessian=self.hessian)
        on_kink = smooth = missing = 0
        for place in places:
            at = tuple([float(x[place]) for x in inputs])
            if at not in known:
                known[at] = resolution.resolve(dict(zip(self._graph.inputs, at, strict=True)))
            resolved = known[at]
            for k, row in enumerate(resolved.rows or ()):
                for column, x in enumerate(row, k * each):
                    if x is not None and not math.isnan(row[0] or 0):
                        results[column][place] = x
            counts = resolved.is_on_kink and not any(math.isnan(y[place]) for y in results[::each])
            on_kink += counts
            smooth += counts and resolved.is_smooth
            missing += counts and resolved.is_missing
        return KinkCount(on_kink, smooth, missing) if on_kink else None


def _unpickle_kernel(columns: object, engine: object, hessian: object, fast: object = False) -> Kernel:
    """Return the kernel of the pickled state: `columns` is the packed graph, the others are the options of a Kernel.

    Equal states give the same cached kernel. Raises RequestError if the data is damaged (wrong types, not hashable), or
    if the engine is not available.
    """
    if not (isinstance(columns, tuple) and isinstance(engine, str) and type(hessian) is bool and type(fast) is bool):
        raise pickle_error("a kernel")
    try:
        return _compile_once(columns, engine, hessian, fast)
    except TypeError as error:  # what cannot be hashed
        raise pickle_error("a kernel", str(error)) from None


@functools.lru_cache(maxsize=8)
def _compile_once(columns: tuple[object, ...], engine: str, hessian: bool, fast: bool) -> Kernel:
    return Kernel(unpack(*columns), engine, hessian=hessian, fast=fast)


def _compile_program(program: Graph, engine: str, layout: Layout = PLAIN, fast: bool = False) -> tuple[str, Run, bool]:
    """Return (name of the engine in use, the program compiled by it, whether operations are fused).

    `auto` is native if this can compile the program, and numpy if not. `fast` requests fused operations, which only
    native has. `layout` describes the outputs of `program`. Raises RequestError if `engine` is `native` and cannot
    compile it.
    """
    if engine != "numpy":
        try:
            return _compile_native(program, layout, fast)
        except RequestError:
            if engine == "native":
                raise
    from .blocks import Blocks

    return "numpy", Blocks(program, layout), False


def _compile_native(program: Graph, layout: Layout, fast: bool) -> tuple[str, Run, bool]:
    """Return ("native", the program in machine code, whether operations are fused).

    Common functions are part of the program instead of calls, unless `layout` is PLAIN. Operations are fused with
    `fast`, if the processor has fma and this saves more operations than the flag costs; the layout is then flagged.
    Raises RequestError if the program cannot be compiled.
    """
    from .native import Native, fuses

    free = program
    if fast and fuses():
        from .fast_math import fuse_operations

        free = fuse_operations(program)
        layout = layout._replace(flagged=layout.flagged or free is not program)
    return "native", Native(free, layout=layout, inlines=layout is not PLAIN), free is not program


def _make_picker(names: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return a function that returns the tuple of a mapping's entries of these names; it raises KeyError if one is
    missing.
    """
    if len(names) > 1:
        return operator.itemgetter(*names)
    return lambda entries: tuple([entries[name] for name in names])  # of one, the other would give no tuple


def _exact(x: object) -> bool:
    """Return whether `x` is an int that a double represents exactly: at most 2^53 in size."""
    return type(x) is int and abs(x) <= _EXACT


def _as_doubles(name: str, x: ArrayLike) -> Doubles:
    """Return the input called `name` as an array of doubles; `x` itself if it is one, otherwise a copy.

    Booleans, integers and other floats are converted; masked entries become nan. Raises RequestError if `x` is not a
    number, an array or nested lists of these; complex numbers, objects and texts are refused.
    """
    try:
        array = np.asarray(x)
        if array.dtype.kind not in "biuf":
            raise TypeError
        if array is not x and isinstance(x, np.ma.MaskedArray):
            return np.where(np.ma.getmaskarray(x), math.nan, array)
        return array.astype(float, copy=False)
    except (TypeError, ValueError):
        raise RequestError(
            f"the input {name} is not an array of real numbers", label=f"its type is {type(x).__name__}"
        ) from None


def _common_shape(arrays: Sequence[Doubles]) -> tuple[int, ...]:
    """Return the shape to which all arrays broadcast by NumPy's rules; () without arrays.

    Raises RequestError, with all shapes, if they do not broadcast.
    """
    if arrays and all(x.shape == arrays[0].shape for x in arrays):
        return tuple(arrays[0].shape)
    try:
        return tuple(np.broadcast_shapes(*[x.shape for x in arrays]))
    except ValueError:
        shapes = ", ".join(str(x.shape) for x in arrays)
        title = "the arrays have different shapes"
        raise RequestError(title, label=shapes, help="give arrays of one shape, or numbers") from None


def _flat(x: Doubles, shape: tuple[int, ...]) -> Doubles:
    """Return the array broadcast to `shape`, one-dimensional and contiguous; an array of one number keeps one
    element.
    """
    if x.size != 1 and x.shape != shape:
        x = np.broadcast_to(x, shape)
    return np.ascontiguousarray(x).reshape(-1)


def _stack_level() -> int:
    """Return the `stacklevel` for a warning so that it points at the first caller outside this file.

    1 is the function that calls this one. If all frames are of this file, the outermost one counts.
    """
    import sys

    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename == __file__:
        level, frame = level + 1, frame.f_back
    return level
