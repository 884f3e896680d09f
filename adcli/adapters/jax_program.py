"""JAX programs as graphs: the jaxpr that JAX makes of a function is followed number by number."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Generator, Mapping, Sequence
from types import ModuleType

from ..errors import SMALLER_EXAMPLE, DomainProblem, RequestError
from ..extras import Needs
from ..graph.recording import Recording, check_results, doubles_of, element_name
from ..graph.rules import partials_at, value_at
from ..numbers.doubles import FLOAT
from ..table.functions import lookup
from ..table.primitive import Primitive
from ..typings import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import jax
    import numpy
    from numpy.typing import NDArray

    Equation: TypeAlias = jax.core.JaxprEqn
    # Axes of the left and of the right array.
    Pairs: TypeAlias = tuple[Sequence[int], Sequence[int]]
    Jaxpr: TypeAlias = jax.core.ClosedJaxpr
    # An array of known numbers, or an array of objects (JaxNumber, float) if some of them depend on inputs.
    Numbers: TypeAlias = NDArray[numpy.generic]
    # The position of one element of an array.
    Place: TypeAlias = tuple[int, ...]
    # Yields a jaxpr to run with its arguments and receives its results, so that calls do not use Python's stack.
    Running: TypeAlias = Generator[tuple[Jaxpr, list[Numbers]], list[Numbers], list[Numbers]]

_MOST = 20_000  # operations on them, elements of one array, and equations that are followed

# JAX's names for rows of the table; "" for a JAX name that means something else in the table.
_NAMES = {
    "add_any": "add", "erf_inv": "erfinv",
    "and": "", "clamp": "", "lt": "", "not": "", "or": "", "polygamma": "", "round": "",
}  # fmt: skip
_RELATIONS = {name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")}
# Operations that move numbers without changing them; they are applied to the positions of the numbers.
_MOVES = frozenset({
    "broadcast_in_dim", "reshape", "squeeze", "slice", "transpose", "concatenate", "rev", "expand_dims", "gather",
    "dynamic_slice", "dynamic_update_slice", "pad", "copy", "copy_p", "device_put", "optimization_barrier", "split",
    "name", "stack", "unstack", "tile",
})  # fmt: skip
_CALLS = frozenset({"jit", "pjit", "closed_call", "core_call", "call", "remat", "remat2", "checkpoint"})


class JaxNumber:
    """A number that depends on inputs: its row, the parents (JaxNumber or float), its value, and its source line.

    An input has no row; `unknown_function` is then "", or the name of a function without a row, which is an error only
    if a result depends on it.
    """

    __slots__ = ("line", "parents", "row", "unknown_function", "value")

    def __init__(
        self, row: Primitive | None, parents: tuple[JaxNumber | float, ...], value: float, line: int,
        unknown_function: str = "",
    ) -> None:  # fmt: skip
        """Keep the facts described in the class; `line` is the number of the source line."""
        self.row = row
        self.parents = parents
        self.value = value
        self.line = line
        self.unknown_function = unknown_function


def record_jax(function: Callable[..., object], points: Mapping[str, object], recording: Recording) -> dict[str, float]:
    """Record `function` at these arguments in `recording`, inputs and outputs included, and return the numbers of its
    inputs by name.

    `points` are its arguments in order, by name. JAX traces it in doubles. Arrays of inputs and results are recorded
    number by number, named `W[0,1]`; only operations on which results depend are recorded. Results are named by
    `_result_name` (y, or y1, y2, …). Raises RequestError without JAX, if JAX cannot trace it, for an operation that
    adcli's table of functions lacks, a number that is not finite, no results, more than 64 input numbers, and beyond
    20,000 operations, equations or elements; DomainProblem if it has no value.
    """
    with Needs("inputs that are arrays need jax", "jax"):
        import jax
        import numpy as np

        try:
            from jax import enable_x64
        except ImportError:  # its place in older versions
            from jax.experimental import enable_x64
    arrays: dict[str, NDArray[np.float64]] = {}
    for name, x in points.items():
        arrays[name] = doubles_of(name, x, sum(array.size for array in arrays.values()))

    with enable_x64(True):
        try:
            closed, like = jax.make_jaxpr(function, return_shape=True)(*arrays.values())
        except jax.errors.JAXTypeError as error:
            title = "JAX cannot trace the function without knowing its numbers"
            advice = "use jax.numpy, with where for a choice, and pass other values as fixed arguments"
            raise RequestError(title, label=str(error).partition("\n")[0], help=advice) from None
        program = _Jaxpr(jax, np, recording)
        numbers: dict[str, float] = {}
        inputs, flat = [], []
        for name, x in arrays.items():
            cells = np.empty(x.shape, object)
            for place, number in np.ndenumerate(x):
                numbers[element_name(name, place)] = float(number)
                cells[place] = JaxNumber(None, (), float(number), 0)
                flat.append(cells[place])
            inputs.append(cells)
        results = program.run(closed, inputs)
    named = []
    paths, _ = jax.tree_util.tree_flatten_with_path(like)
    for (path, _), result in zip(paths, results, strict=True):
        name = _result_name(path, jax.tree_util)
        named += [(element_name(name, place), result[place]) for place in np.ndindex(result.shape)]
    check_results(named)
    _record_cells(recording, numbers, flat, program.cells, named)
    return numbers


def _result_name(path: Sequence[jax.tree_util.KeyEntry], tree: ModuleType) -> str:
    """Return the name of the result at `path`: y for a single one, y1, y2, … for the items of a list or tuple (y1 for a
    single item), keys for a dict; nested ones joined by _, where inner items count from 0 (`y1_0`)."""
    parts = [str(key.key) if isinstance(key, tree.DictKey) else str(getattr(key, "idx", key)) for key in path]
    if path and isinstance(path[0], tree.SequenceKey):
        parts[0] = f"y{path[0].idx + 1}"
    return "_".join(parts) if parts else "y"


def _record_cells(
    recording: Recording, numbers: Mapping[str, float], inputs: Sequence[JaxNumber], cells: Sequence[JaxNumber],
    named: Sequence[tuple[str, JaxNumber | float]],
) -> None:  # fmt: skip
    """Record the inputs, the `cells` that the results depend on, in the order of evaluation, and the results `named` as
    outputs.

    `numbers` has the names of `inputs`, in the same order. Raises RequestError for a cell that no function of adcli's
    table computes (`row` None) or a constant that is not finite, DomainProblem, with the place in the file, if a
    function has no value.
    """
    slots = {id(cell): recording.graph.input(name) for cell, name in zip(inputs, numbers, strict=True)}
    for cell in _needed_cells(cells, [x for _, x in named]):
        place = recording.whole_line(cell.line)
        if cell.row is None:
            title = f"{cell.unknown_function} has its own derivative in JAX, for which the table has no row"
            raise RequestError(title, span=recording.span(place), help="trace a function without it")
        try:
            value_at(cell.row, _values_of(cell.parents))
        except DomainProblem as problem:
            problem.span = recording.span(place)
            raise
        parents = [
            slots[id(x)] if isinstance(x, JaxNumber) else recording.constant(_finite(x), place) for x in cell.parents
        ]
        slots[id(cell)] = recording.graph.apply(cell.row, tuple(parents), place)
    for name, x in named:
        slot = slots[id(x)] if isinstance(x, JaxNumber) else recording.constant(_finite(float(x)))
        recording.graph.outputs.append((name, slot))


def _needed_cells(cells: Sequence[JaxNumber], results: Sequence[JaxNumber | float]) -> list[JaxNumber]:
    """Return the cells, in their order, that results depend on, or that are results."""
    needed = {id(x) for x in results if isinstance(x, JaxNumber)}
    for cell in reversed(cells):
        if id(cell) in needed:
            needed.update(id(parent) for parent in cell.parents if isinstance(parent, JaxNumber))
    return [cell for cell in cells if id(cell) in needed]


def _values_of(numbers: Sequence[JaxNumber | float]) -> tuple[float, ...]:
    """Return the values of numbers at the point."""
    return tuple([x.value if isinstance(x, JaxNumber) else x for x in numbers])


def _finite(x: float) -> float:
    """Return x.  Raises RequestError if it is nan or infinite."""
    if not math.isfinite(x):
        raise RequestError("the function computes with a number that is not finite", label=repr(x))
    return x


class _Jaxpr:
    """An interpreter of a jaxpr, equation by equation, at the numbers of a point; `cells` are all numbers computed."""

    def __init__(self, jax: ModuleType, np: ModuleType, recording: Recording) -> None:
        self.jax = jax
        self.np = np
        self.recording = recording
        self.cells: list[JaxNumber] = []
        self.line = 0
        self.steps = 0

    def run(self, closed: Jaxpr, inputs: list[Numbers]) -> list[Numbers]:
        """Return the results of the jaxpr `closed` for these inputs, as arrays of numbers.

        An array has type object if a number in it depends on inputs. Jaxprs called inside are run on a stack of
        generators, not by recursion. Raises RequestError for an operation that adcli's table of functions lacks, and
        beyond 20,000 equations, operations or elements.
        """
        stack = [self._run_equations(closed, inputs)]
        results: list[Numbers] | None = None
        while True:
            try:
                inner, arguments = stack[-1].send(results) if results is not None else next(stack[-1])
            except StopIteration as finished:
                stack.pop()
                results = finished.value
                if not stack:
                    return results
            else:
                stack.append(self._run_equations(inner, arguments))
                results = None

    def _run_equations(self, closed: Jaxpr, inputs: list[Numbers]) -> Running:
        """Run the equations of `closed` at `inputs` in order and return its results, as a generator (see Running).

        It yields the (jaxpr, arguments) that an equation calls and is sent their results. Sets `line` to the source
        line of each equation that has one. Raises RequestError beyond 20,000 equations and for an unknown operation.
        """
        jaxpr, constants = getattr(closed, "jaxpr", closed), getattr(closed, "consts", ())
        values = dict(zip(jaxpr.constvars, constants, strict=True))
        values.update(zip(jaxpr.invars, inputs, strict=True))
        for equation in jaxpr.eqns:
            self._count()
            self.line = self._line(equation) or self.line
            arguments = [x.val if hasattr(x, "val") else values[x] for x in equation.invars]
            arguments = list(map(self._plain, arguments))
            results = yield from self._run_equation(equation, arguments)
            values.update(zip(equation.outvars, results, strict=True))
        results = [x.val if hasattr(x, "val") else values[x] for x in jaxpr.outvars]
        return list(map(self._plain, results))

    # --- equations ---

    def _run_equation(self, equation: Equation, arguments: list[Numbers]) -> Running:
        """Run one equation: a generator (see Running) that returns its results.

        It yields (jaxpr, arguments) for each call, loop body or branch to be run, and is sent the results. Of a `cond`
        only the branch taken at the point is run, its index limited to the range. The body of a function with its own
        derivative is run, too; if an argument has type object (depends on inputs), the result is adcli's function of
        that name if value and slopes agree, else numbers of an unknown function. All other equations are computed by
        JAX if no argument has type object, else by `_record_equation`. Raises RequestError if a result has more than
        20,000 numbers (checked first), and for an operation that adcli's table lacks.
        """
        name, params = equation.primitive.name, equation.params
        for x in equation.outvars:
            if math.prod(getattr(x.aval, "shape", ())) > _MOST:
                raise self._too_much()
        if name in _CALLS:
            return (yield params.get("jaxpr", params.get("call_jaxpr")), arguments)
        if name.startswith(("custom_jvp_call", "custom_vjp_call")):
            body = params.get("call_jaxpr", params.get("fun_jaxpr"))
            results = yield body, arguments
            return self._with_own_derivative(equation, body, arguments, results)
        if name == "scan":
            return (yield from self._run_scan(equation, arguments))
        if name == "while":
            return (yield from self._run_while(equation, arguments))
        if name == "cond":
            branch = min(max(int(arguments[0]), 0), len(params["branches"]) - 1)
            return (yield params["branches"][branch], arguments[1:])
        if not any(x.dtype == object for x in arguments):
            return self._evaluate_with_jax(equation, arguments)
        return self._record_equation(equation, name, arguments)

    def _evaluate_with_jax(self, equation: Equation, arguments: list[Numbers]) -> list[Numbers]:
        """Return the results of an equation on known numbers, computed by JAX."""
        with self.np.errstate(all="ignore"):
            results = equation.primitive.bind(*arguments, **equation.params)
        return [self._plain(x) for x in (results if equation.primitive.multiple_results else [results])]

    def _record_equation(self, equation: Equation, name: str, arguments: list[Numbers]) -> list[Numbers]:
        """Return the results of the equation of the primitive `name` on numbers of which some depend on inputs.

        Comparisons, choices, argmax, is_finite, conversions to integers and stop_gradient use the values at the point:
        their results (or the case chosen) are constants; a conversion to floats changes nothing. Reductions,
        dot_general and moves are handled here, everything else elementwise. Raises RequestError for complex numbers and
        for an operation that adcli's table lacks.
        """
        np, params = self.np, equation.params
        first = arguments[0]
        if name in _MOVES:
            return self._move_numbers(equation, arguments)
        if name in _RELATIONS:
            return [np.vectorize(_RELATIONS[name], [bool])(*map(self._values, arguments))]
        if name == "select_n" and first.dtype != object:
            cases = [self._cells(x) for x in arguments[1:]]
            which = np.broadcast_to(np.asarray(first, int), cases[0].shape)
            return [self._fill(which.shape, lambda place: cases[which[place]][place])]
        if name == "convert_element_type":
            kind = np.dtype(params["new_dtype"])
            if kind.kind == "c":
                raise self._refusal("complex")
            return [first if kind.kind == "f" else self._values(first).astype(kind)]
        if name in ("stop_gradient", "is_finite", "argmax", "argmin"):
            values = [self._values(x) for x in arguments]
            return values if name == "stop_gradient" else self._evaluate_with_jax(equation, values)
        if name in ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min"):
            return [self._reduce(name.removeprefix("reduce_"), first, params["axes"])]
        if name == "dot_general":
            return [self._dot_general(params["dimension_numbers"], *arguments)]
        return [self._record_elementwise(equation, name, arguments)]

    def _record_elementwise(self, equation: Equation, name: str, arguments: list[Numbers]) -> Numbers:
        """Return the result of the elementwise primitive `name` at `arguments`, which are broadcast.

        The functions are those of adcli's table: whole powers are `pow`, rsqrt is 1/sqrt, clamp has its arguments in
        another order; other functions have the name that `_NAMES` maps JAX's name to ("": none), else the same name in
        both. Raises RequestError if the table lacks the function, or if the equation has several results.
        """
        np, first = self.np, arguments[0]
        if name in ("integer_pow", "square"):
            return self._elementwise("pow", first, np.asarray(float(equation.params.get("y", 2))))
        if name == "rsqrt":
            return self._elementwise("div", np.asarray(1.0), self._elementwise("sqrt", first))
        if name == "clamp":
            low, x, high = arguments
            return self._elementwise("clamp", x, low, high)
        row_name = _NAMES.get(name, name)
        row = lookup(row_name) if row_name else None
        if row is None or len(equation.outvars) != 1 or not row.accepts(len(arguments)):
            raise self._refusal(name)
        return self._elementwise(row.name, *arguments)

    def _with_own_derivative(
        self, equation: Equation, body: Jaxpr, arguments: list[Numbers], computed: list[Numbers]
    ) -> list[Numbers]:
        """Return the results of a function whose derivative is defined in JAX.

        `equation` is the call, `body` the jaxpr of the function itself, which has computed `computed`. The first that
        applies:
        - No argument has type object (depends on inputs): `computed`.
        - There is one result, and a function of adcli's table with the name of `body` takes this number of arguments
          and has the same value and slopes at each element (`_row_agrees`): this function is applied.
        - Results are numbers of an unknown function: an error only if a result of the program depends on them.
        """
        np = self.np
        if not any(x.dtype == object for x in arguments):
            return computed
        name = getattr(getattr(getattr(body, "jaxpr", body), "debug_info", None), "func_name", "a function")
        row = lookup(name)
        if row is not None and len(computed) == 1 and row.accepts(len(arguments)):
            shape = computed[0].shape
            spread = [np.broadcast_to(self._values(x), shape) for x in arguments]
            bound = equation.primitive.get_bind_params(equation.params)
            subfunctions, params = bound if isinstance(bound, tuple) else ((), bound)  # older versions have two

            def apply(*xs: jax.Array) -> jax.Array:
                return equation.primitive.bind(*subfunctions, *xs, **params)[0]

            values, back = self.jax.vjp(apply, *spread)
            slopes = back(np.ones(shape))
            if all(
                self._row_agrees(row, [float(x[place]) for x in spread], values[place], [x[place] for x in slopes])
                for place in np.ndindex(shape)
            ):
                return [self._elementwise(row.name, *arguments)]

        def without_row(values: Numbers) -> Numbers:
            return self._fill(values.shape, lambda place: self._new_cell(None, (), float(values[place]), name))

        return [without_row(self._values(x)) for x in computed]

    def _row_agrees(self, row: Primitive, numbers: list[float], value: float, slopes: list[jax.Array]) -> bool:
        """Return whether the function `row` has this value and these slopes at the numbers, to a relative 1e-9 or an
        absolute 1e-12.

        True if it has no value there: recording it raises that error."""
        try:
            z = value_at(row, tuple(numbers))
            partials = partials_at(row, FLOAT, z, numbers, [True] * len(numbers))
        except DomainProblem:
            return True  # the row raises this error itself when it is recorded
        pairs = [(z, float(value)), *((float(p or 0), float(s)) for p, s in zip(partials, slopes, strict=True))]
        return all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in pairs)

    def _run_scan(self, equation: Equation, arguments: list[Numbers]) -> Running:
        """Run the loop of the scan `equation`; a generator that returns the last carried values, then the results of
        all rounds, stacked.

        `arguments` are constants, carried values, and sequences with an item for each round. With `reverse` rounds run
        from the last one to the first; results are stacked by the index of the item in each case. Raises RequestError
        for a scan without rounds and beyond 20,000 equations.
        """
        np, params = self.np, equation.params
        constants, carried = params["num_consts"], params["num_carry"]  # counts
        fixed, carry, sequences = (
            arguments[:constants], arguments[constants : constants + carried], arguments[constants + carried :],
        )  # fmt: skip
        rounds = range(params["length"])
        collected: list[list[Numbers]] = []
        for k in reversed(rounds) if params["reverse"] else rounds:
            self._count()
            results = yield params["jaxpr"], [*fixed, *carry, *(np.asarray(x[k]) for x in sequences)]
            carry = results[:carried]
            collected.append(results[carried:])
        if params["reverse"]:
            collected.reverse()
        if not collected:
            raise self._refusal("scan of no rounds")
        stacked = []
        for column in zip(*collected, strict=True):
            mixed = any(x.dtype == object for x in column)
            stacked.append(np.stack([self._cells(x) if mixed else x for x in column]))
        return [*carry, *stacked]

    def _run_while(self, equation: Equation, arguments: list[Numbers]) -> Running:
        """Run a while loop while its condition is true at the point; a generator that returns the carried values.

        `arguments` are the constants of the condition, those of the body, and the first carried values. The condition's
        dependence on inputs is ignored. Raises RequestError beyond 20,000 rounds and equations.
        """
        params = equation.params
        test_count, body_count = params["cond_nconsts"], params["body_nconsts"]
        test_constants, body_constants, carry = (
            arguments[:test_count],
            arguments[test_count : test_count + body_count],
            arguments[test_count + body_count :],
        )
        while True:
            self._count()
            (is_true,) = yield params["cond_jaxpr"], [*test_constants, *carry]
            if not bool(is_true):
                return carry
            carry = yield params["body_jaxpr"], [*body_constants, *carry]

    # --- numbers ---

    def _move_numbers(self, equation: Equation, arguments: list[Numbers]) -> list[Numbers]:
        """Return the results of an operation that moves numbers, by applying it to the positions of the numbers.

        Arguments that are not moved are indices: all but the first for gather and dynamic_slice, all but two for
        dynamic_update_slice and pad, none for others. Raises RequestError if an index depends on an input, or if a
        position is outside of the arrays.
        """
        np = self.np
        moved_count = 1 if equation.primitive.name in ("gather", "dynamic_slice") else len(arguments)
        if equation.primitive.name in ("dynamic_update_slice", "pad"):
            moved_count = 2
        pool: list[JaxNumber | float] = []
        positions = []
        for x in arguments[:moved_count]:
            cells = self._cells(x)
            positions.append(np.arange(len(pool), len(pool) + cells.size).reshape(cells.shape))
            pool += cells.ravel().tolist()
        indices = arguments[moved_count:]
        if any(x.dtype == object for x in indices):
            raise self._refusal(equation.primitive.name)
        results = []
        for where in self._evaluate_with_jax(equation, [*positions, *indices]):
            if where.size and (where.min() < 0 or where.max() >= len(pool)):
                raise self._refusal(f"{equation.primitive.name} outside of an array")
            results.append(np.array(pool, object)[where.ravel()].reshape(where.shape))
        return results

    def _elementwise(self, name: str, *arguments: Numbers) -> Numbers:
        """Return the function `name` of adcli's table applied to each element of the broadcast arguments."""
        spread = self.np.broadcast_arrays(*map(self._cells, arguments))
        return self._fill(spread[0].shape, lambda place: self._apply_row(name, *[x[place] for x in spread]))

    def _fill(self, shape: tuple[int, ...], cell: Callable[[Place], JaxNumber | float]) -> Numbers:
        """Return an array of objects of this shape with `cell(place)` at each place, in order."""
        cells: Numbers = self.np.empty(shape, object)
        for place in self.np.ndindex(shape):
            cells[place] = cell(place)
        return cells

    def _reduce(self, name: str, x: Numbers, axes: Sequence[int]) -> Numbers:
        """Return the sum, prod, max or min (`name`) of `x` along the axes, an array of the other axes in their order.

        Numbers are joined from left to right in order of `axes`; without numbers the result is 0, 1, -inf or inf.
        """
        other_axes = [k for k in range(x.ndim) if k not in axes]
        rows = self._cells(x).transpose([*other_axes, *axes])

        def fold(place: Place) -> JaxNumber | float:
            return self._fold(name, self.np.asarray(rows[place], object).ravel().tolist())

        return self._fill(rows.shape[: len(other_axes)], fold)

    def _fold(self, name: str, xs: list[JaxNumber | float]) -> JaxNumber | float:
        """Return the sum, prod, max or min (`name`) of `xs`; 0, 1, −∞ or ∞ if they are empty, and a single number
        itself.

        Sums and products are operations of two numbers, from left to right; max and min one operation of all. A float
        if none depends on inputs.
        """
        if not xs:
            return {"sum": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}[name]
        if name in ("max", "min"):
            return xs[0] if len(xs) == 1 else self._apply_row(name, *xs)
        total = xs[0]
        for x in xs[1:]:
            total = self._apply_row("add" if name == "sum" else "mul", total, x)
        return total

    def _dot_general(self, numbers: tuple[Pairs, Pairs], left: Numbers, right: Numbers) -> Numbers:
        """Return the sums of products of dot_general, an array of the axes: batches, free axes of `left`, free axes of
        `right`.

        `numbers` are its dimension numbers: ((summed axes of left, of right), (batch axes of left, of right)).
        """
        np = self.np
        (left_summed, right_summed), (left_batch, right_batch) = numbers
        sides = []
        for x, summed, batch in ((left, left_summed, left_batch), (right, right_summed, right_batch)):
            free = [k for k in range(x.ndim) if k not in summed and k not in batch]
            ordered = self._cells(x).transpose([*batch, *free, *summed])
            sides.append((ordered, ordered.shape[: len(batch)], ordered.shape[len(batch) : len(batch) + len(free)]))
        (a, batches, a_free), (b, _, b_free) = sides

        def sum_of_products(place: Place) -> JaxNumber | float:
            at, rest = place[: len(batches)], place[len(batches) :]
            xs = np.asarray(a[(*at, *rest[: len(a_free)])], object).ravel()
            ys = np.asarray(b[(*at, *rest[len(a_free) :])], object).ravel()
            return self._fold("sum", [self._apply_row("mul", x, y) for x, y in zip(xs, ys, strict=True)])

        return self._fill((*batches, *a_free, *b_free), sum_of_products)

    def _apply_row(self, name: str, *xs: JaxNumber | float) -> JaxNumber | float:
        """Return the function `name` of adcli's table applied to numbers: a float if all are known, else a JaxNumber.

        If the function has no value, the result is a JaxNumber with nan, which is an error only if a result depends on
        it. Raises RequestError for a name that the table lacks.
        """
        row = lookup(name)
        if row is None:
            raise self._refusal(name)
        try:
            value = value_at(row, _values_of(xs))
        except DomainProblem:
            value = math.nan
        if not any(isinstance(x, JaxNumber) for x in xs) and not math.isnan(value):
            return value
        return self._new_cell(row, xs, value)

    def _new_cell(
        self, row: Primitive | None, xs: tuple[JaxNumber | float, ...], value: float, unknown_function: str = ""
    ) -> JaxNumber:
        """Return a new JaxNumber of `row` on `xs` with this value and the current source line, appended to `cells`.

        `row` None: `unknown_function` has the name of the function that adcli's table lacks. Inputs are not made here.
        Raises RequestError if there are more than 20,000 cells.
        """
        if len(self.cells) >= _MOST:
            raise self._too_much()
        cell = JaxNumber(row, xs, value, self.line, unknown_function)
        self.cells.append(cell)
        return cell

    def _cells(self, x: Numbers) -> Numbers:
        """Return x as an array of objects.  Raises RequestError for complex numbers."""
        if x.dtype == object:
            return x
        if self.np.dtype(x.dtype).kind not in "fiub":
            raise self._refusal("complex")
        return self.np.asarray(x, float).astype(object)

    def _plain(self, x: jax.Array | Numbers) -> Numbers:
        """Return x as an array of NumPy; keys of random numbers unchanged."""
        kind = getattr(x, "dtype", None)
        return x if kind is not None and not hasattr(kind, "kind") else self.np.asarray(x)

    def _values(self, x: Numbers) -> Numbers:
        """Return the values at the point of an array of numbers, as a new array of doubles of the same shape: a
        JaxNumber becomes its value.

        An array whose dtype is not object is returned itself.
        """
        if x.dtype != object:
            return x
        values = self.np.empty(x.shape)
        for place, cell in self.np.ndenumerate(x):
            values[place] = cell.value if isinstance(cell, JaxNumber) else cell
        return values

    # --- places and refusals ---

    def _line(self, equation: Equation) -> int:
        """Return the line of the user's file on which an equation was written; 0 if that is not known."""
        traceback = equation.source_info.traceback
        frames = traceback.frames if self.recording.file and traceback is not None else ()
        return next((int(frame.line_num) for frame in frames if frame.file_name == self.recording.file), 0)

    def _count(self) -> None:
        """Count one more equation or round.  Raises RequestError above _MOST."""
        self.steps += 1
        if self.steps > _MOST:
            raise self._too_much()

    def _refusal(self, name: str) -> RequestError:
        """Return the error for an operation `name` of JAX that a trace does not support."""
        title = f"a trace does not support {name} of JAX"
        advice = "it supports elementwise functions, sums, products, and operations that move numbers"
        return RequestError(title, span=self.recording.span(self.recording.whole_line(self.line)), help=advice)

    def _too_much(self) -> RequestError:
        return RequestError(f"the function takes more than {_MOST} operations on numbers", help=SMALLER_EXAMPLE)
