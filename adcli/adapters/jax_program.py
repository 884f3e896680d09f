"""Functions of JAX as graphs: what JAX writes down of a function, its jaxpr, number by number."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import DomainProblem, RequestError
from ..extras import Needs
from ..graph.recording import Recording
from ..graph.rules import partials_at, value_at
from ..numbers.doubles import FLOAT
from ..table.functions import lookup
from ..table.primitive import Primitive

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # Numbers that are known are an array of them; where some come from inputs, it is an array of objects.
    Numbers: TypeAlias = NDArray[Any]
    # A jaxpr and its arguments are asked for, and what it gives is sent back: calls need no stack of Python's.
    Running: TypeAlias = Generator[tuple[Any, list[Numbers]], list[Numbers], list[Numbers]]

_INPUTS = 64  # numbers of all inputs that a table can show
_MOST = 20_000  # operations on them, elements of one array, and equations that are followed

# What JAX calls by another name than the table, or means by a name of the table something else by ("").
_NAMES = {
    "add_any": "add", "erf_inv": "erfinv",
    "and": "", "clamp": "", "lt": "", "not": "", "or": "", "polygamma": "", "round": "",
}  # fmt: skip
_RELATIONS: Mapping[str, Callable[[float, float], bool]] = {
    "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
}  # fmt: skip
# What moves numbers and changes none, so that it can be asked where it puts them.
_MOVES = frozenset({
    "broadcast_in_dim", "reshape", "squeeze", "slice", "transpose", "concatenate", "rev", "expand_dims", "gather",
    "dynamic_slice", "dynamic_update_slice", "pad", "copy", "copy_p", "device_put", "optimization_barrier", "split",
    "name", "stack", "unstack", "tile",
})  # fmt: skip
_CALLS = frozenset({"jit", "pjit", "closed_call", "core_call", "call", "remat", "remat2", "checkpoint"})


class JaxNumber:
    """A number that comes from inputs: the row and what it is applied to, its value, and the line it is written on.

    `refused` is a function that no row stands for; nobody is told where the result does not depend on it.
    """

    __slots__ = ("line", "parents", "refused", "row", "value")

    def __init__(
        self, row: Primitive | None, parents: tuple[JaxNumber | float, ...], value: float, line: int, refused: str = ""
    ) -> None:
        self.row = row
        self.parents = parents
        self.value = value
        self.line = line
        self.refused = refused


def write(function: Callable[..., object], points: Mapping[str, object], recording: Recording) -> dict[str, float]:
    """Writes the function of these arguments into the recording and gives the numbers of its inputs by name.

    It is what JAX traces in doubles.  Arrays of inputs and results are shown number by number: `W[0,1]`.  Raises
    RequestError for what JAX cannot trace and, by the name that it has there, for what no row stands for, and
    DomainProblem where there is no value.
    """
    with Needs("inputs that are arrays need jax", "jax"):
        import jax
        import numpy as np

        try:
            from jax import enable_x64
        except ImportError:  # where it was before
            from jax.experimental import enable_x64
    arrays = {}
    for name, x in points.items():
        try:
            arrays[name] = np.asarray(x, float)
        except (TypeError, ValueError):
            raise RequestError(f"{name} is neither a number nor an array of numbers") from None
    if sum(x.size for x in arrays.values()) > _INPUTS:
        raise RequestError(f"the inputs of a trace are at most {_INPUTS} numbers", help="trace a smaller example")

    with enable_x64(True):
        try:
            closed, like = jax.make_jaxpr(function, return_shape=True)(*arrays.values())
        except jax.errors.JAXTypeError as error:
            raise RequestError(
                "JAX cannot trace the function without knowing its numbers",
                label=str(error).partition("\n")[0],
                help="use jax.numpy, with where for a choice, and pass what is no input as a fixed argument",
            ) from None
        program = _Jaxpr(jax, np, recording)
        numbers: dict[str, float] = {}
        inputs, flat = [], []
        for name, x in arrays.items():
            made = np.empty(x.shape, object)
            for place, number in np.ndenumerate(x):
                numbers[_place(name, place)] = float(number)
                made[place] = JaxNumber(None, (), float(number), 0)
                flat.append(made[place])
            inputs.append(made)
        results = program.run(closed, inputs)
    named = []
    paths, _ = jax.tree_util.tree_flatten_with_path(like)
    for (path, _), result in zip(paths, results, strict=True):
        name = _result(path, jax.tree_util)
        named += [(_place(name, place), result[place]) for place in np.ndindex(result.shape)]
    if not named:
        raise RequestError("the function returns nothing", help="return a number")
    _emit(recording, numbers, flat, program.cells, named)
    return numbers


def _place(name: str, place: Sequence[int]) -> str:
    return f"{name}[{','.join(map(str, place))}]" if place else name


def _result(path: Sequence[Any], tree: Any) -> str:
    """The name of a result: y, or y1, y2, … for several, or the keys of a dict."""
    parts = [str(key.key) if isinstance(key, tree.DictKey) else str(getattr(key, "idx", key)) for key in path]
    if path and isinstance(path[0], tree.SequenceKey):
        parts[0] = f"y{path[0].idx + 1}"
    return "_".join(parts) if parts else "y"


def _emit(
    recording: Recording,
    numbers: Mapping[str, float],
    inputs: Sequence[JaxNumber],
    cells: Sequence[JaxNumber],
    named: Sequence[tuple[str, JaxNumber | float]],
) -> None:
    """Writes the cells that the results depend on, in the order in which they were made."""
    wanted = {id(x) for _, x in named if isinstance(x, JaxNumber)}
    for cell in reversed(cells):
        if id(cell) in wanted:
            wanted.update(id(parent) for parent in cell.parents if isinstance(parent, JaxNumber))
    slots = {id(cell): recording.graph.input(name) for cell, name in zip(inputs, numbers, strict=True)}
    for cell in cells:
        if id(cell) not in wanted:
            continue
        place = recording.whole_line(cell.line)
        if cell.row is None:
            raise RequestError(
                f"{cell.refused} has a derivative of its own in JAX, which no row has",
                span=recording.span(place),
                help="trace a function without it",
            )
        values = tuple([x.value if isinstance(x, JaxNumber) else x for x in cell.parents])
        try:
            value_at(cell.row, values)
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


def _finite(x: float) -> float:
    if not math.isfinite(x):
        raise RequestError("the function computes with a number that is not finite", label=repr(x))
    return x


class _Jaxpr:
    """Follows a jaxpr equation by equation at the numbers of the point; `cells` are all that were made."""

    def __init__(self, jax: Any, np: Any, recording: Recording) -> None:
        self.jax = jax
        self.np = np
        self.recording = recording
        self.cells: list[JaxNumber] = []
        self.line = 0
        self.followed = 0

    def run(self, closed: Any, inputs: list[Numbers]) -> list[Numbers]:
        """What a jaxpr gives for these inputs; calls in it are put in their place."""
        waiting = [self._steps(closed, inputs)]
        sent: list[Numbers] | None = None
        while True:
            try:
                inner, arguments = waiting[-1].send(sent) if sent is not None else next(waiting[-1])
            except StopIteration as done:
                waiting.pop()
                sent = done.value
                if not waiting:
                    return sent
            else:
                waiting.append(self._steps(inner, arguments))
                sent = None

    def _steps(self, closed: Any, inputs: list[Numbers]) -> Running:
        jaxpr, constants = getattr(closed, "jaxpr", closed), getattr(closed, "consts", ())
        known = dict(zip(jaxpr.constvars, constants, strict=True))
        known.update(zip(jaxpr.invars, inputs, strict=True))
        for equation in jaxpr.eqns:
            self._count()
            self.line = self._line(equation) or self.line
            arguments = [x.val if hasattr(x, "val") else known[x] for x in equation.invars]
            arguments = list(map(self._plain, arguments))
            found = yield from self._equation(equation, arguments)
            known.update(zip(equation.outvars, found, strict=True))
        found = [x.val if hasattr(x, "val") else known[x] for x in jaxpr.outvars]
        return list(map(self._plain, found))

    # --- equations ---

    def _equation(self, equation: Any, arguments: list[Numbers]) -> Running:
        """The results of one equation; those of a loop, a branch or a call come from the jaxprs that it has."""
        name, params = equation.primitive.name, equation.params
        for x in equation.outvars:
            if math.prod(getattr(x.aval, "shape", ())) > _MOST:
                raise self._too_much()
        if name in _CALLS:
            return (yield params.get("jaxpr", params.get("call_jaxpr")), arguments)
        if name.startswith(("custom_jvp_call", "custom_vjp_call")):
            body = params.get("call_jaxpr", params.get("fun_jaxpr"))
            found = yield body, arguments
            return self._with_own_derivative(equation, body, arguments, found)
        if name == "scan":
            return (yield from self._scan(params, arguments))
        if name == "while":
            return (yield from self._while(params, arguments))
        if name == "cond":
            chosen = min(max(int(arguments[0]), 0), len(params["branches"]) - 1)
            return (yield params["branches"][chosen], arguments[1:])
        if not any(x.dtype == object for x in arguments):
            return self._known(equation, arguments)
        return self._counted(equation, name, arguments)

    def _known(self, equation: Any, arguments: list[Numbers]) -> list[Numbers]:
        """The results of an equation on numbers that no input changes."""
        with self.np.errstate(all="ignore"):
            found = equation.primitive.bind(*arguments, **equation.params)
        return [self._plain(x) for x in (found if equation.primitive.multiple_results else [found])]

    def _counted(self, equation: Any, name: str, arguments: list[Numbers]) -> list[Numbers]:
        """The results of an equation on numbers of which some come from inputs."""
        np, params = self.np, equation.params
        first = arguments[0]
        if name in _MOVES:
            return self._moved(equation, arguments)
        if name in _RELATIONS:
            return [np.vectorize(_RELATIONS[name], [bool])(*map(self._values, arguments))]
        if name == "select_n" and first.dtype != object:
            which = np.asarray(first, int)
            cases = [self._cells(x) for x in arguments[1:]]
            found = np.empty(cases[0].shape, object)
            for place in np.ndindex(found.shape):
                found[place] = cases[which[place] if which.shape else int(which)][place]
            return [found]
        if name == "convert_element_type":
            kind = np.dtype(params["new_dtype"])
            if kind.kind == "c":
                raise self._refusal("complex")
            return [first if kind.kind == "f" else self._values(first).astype(kind)]
        if name in ("stop_gradient", "is_finite", "argmax", "argmin"):
            values = [self._values(x) for x in arguments]
            return values if name == "stop_gradient" else self._known(equation, values)
        if name in ("reduce_sum", "reduce_prod", "reduce_max", "reduce_min"):
            return [self._reduced(name.removeprefix("reduce_"), first, params["axes"])]
        if name == "dot_general":
            return [self._product(params["dimension_numbers"], *arguments)]
        if name == "integer_pow":
            return [self._elementwise("pow", first, np.asarray(float(params["y"])))]
        if name == "square":
            return [self._elementwise("pow", first, np.asarray(2.0))]
        if name == "rsqrt":
            return [self._elementwise("div", np.asarray(1.0), self._elementwise("sqrt", first))]
        if name == "clamp":
            low, x, high = arguments
            return [self._elementwise("clamp", x, low, high)]
        known = _NAMES.get(name, name)
        row = lookup(known) if known else None
        if row is None or len(equation.outvars) != 1 or not row.accepts(len(arguments)):
            raise self._refusal(name)
        return [self._elementwise(row.name, *arguments)]

    def _with_own_derivative(
        self, equation: Any, body: Any, arguments: list[Numbers], found: list[Numbers]
    ) -> list[Numbers]:
        """Functions whose derivative is not that of what they compute: rows, where value and slopes are the same here.

        What stands for another number is refused, and nobody is told where the result does not depend on it.
        """
        np = self.np
        if not any(x.dtype == object for x in arguments):
            return found
        name = getattr(getattr(getattr(body, "jaxpr", body), "debug_info", None), "func_name", "a function")
        row = lookup(name)
        if row is not None and len(found) == 1 and row.accepts(len(arguments)):
            shape = found[0].shape
            spread = [np.broadcast_to(self._values(x), shape) for x in arguments]
            bound = equation.primitive.get_bind_params(equation.params)
            subfunctions, params = bound if isinstance(bound, tuple) else ((), bound)  # older versions have two

            def applied(*xs: Any) -> Any:
                return equation.primitive.bind(*subfunctions, *xs, **params)[0]

            values, back = self.jax.vjp(applied, *spread)
            slopes = back(np.ones(shape))
            if all(
                self._agrees(row, [float(x[place]) for x in spread], values[place], [x[place] for x in slopes])
                for place in np.ndindex(shape)
            ):
                return [self._elementwise(row.name, *arguments)]
        results = []
        for x in found:
            made = np.empty(x.shape, object)
            for place, value in np.ndenumerate(self._values(x)):
                made[place] = self._cell(None, (), float(value), name)
            results.append(made)
        return results

    def _agrees(self, row: Primitive, numbers: list[float], value: Any, slopes: list[Any]) -> bool:
        """Whether a row has this value and these slopes at a point."""
        try:
            z = value_at(row, tuple(numbers))
            partials = partials_at(row, FLOAT, z, numbers, [True] * len(numbers))
        except DomainProblem:
            return True  # the row says so, where it is met
        pairs = [(z, float(value)), *((float(p or 0), float(s)) for p, s in zip(partials, slopes, strict=True))]
        return all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) for a, b in pairs)

    def _scan(self, params: Mapping[str, Any], arguments: list[Numbers]) -> Running:
        np = self.np
        constants, carried = params["num_consts"], params["num_carry"]
        fixed, carry, lists = (
            arguments[:constants], arguments[constants : constants + carried], arguments[constants + carried :],
        )  # fmt: skip
        rounds = range(params["length"])
        collected: list[list[Numbers]] = []
        for k in reversed(rounds) if params["reverse"] else rounds:
            self._count()
            found = yield params["jaxpr"], [*fixed, *carry, *(np.asarray(x[k]) for x in lists)]
            carry = found[:carried]
            collected.append(found[carried:])
        if params["reverse"]:
            collected.reverse()
        if not collected:
            raise self._refusal("scan of no rounds")
        stacked = []
        for column in zip(*collected, strict=True):
            mixed = any(x.dtype == object for x in column)
            stacked.append(np.stack([self._cells(x) if mixed else x for x in column]))
        return [*carry, *stacked]

    def _while(self, params: Mapping[str, Any], arguments: list[Numbers]) -> Running:
        tests, steps = params["cond_nconsts"], params["body_nconsts"]
        tested, fixed, carry = arguments[:tests], arguments[tests : tests + steps], arguments[tests + steps :]
        while True:
            self._count()
            (goes_on,) = yield params["cond_jaxpr"], [*tested, *carry]
            if not bool(goes_on):
                return carry
            carry = yield params["body_jaxpr"], [*fixed, *carry]

    # --- numbers ---

    def _moved(self, equation: Any, arguments: list[Numbers]) -> list[Numbers]:
        """Where the numbers go: the equation moves their positions in their stead."""
        np = self.np
        moving = 1 if equation.primitive.name in ("gather", "dynamic_slice") else len(arguments)
        if equation.primitive.name in ("dynamic_update_slice", "pad"):
            moving = 2
        pool: list[JaxNumber | float] = []
        positions = []
        for x in arguments[:moving]:
            cells = self._cells(x)
            positions.append(np.arange(len(pool), len(pool) + cells.size).reshape(cells.shape))
            pool += cells.ravel().tolist()
        places = self._known_positions(equation, [*positions, *arguments[moving:]])
        results = []
        for where in places:
            if where.size and (where.min() < 0 or where.max() >= len(pool)):
                raise self._refusal(f"{equation.primitive.name} outside of an array")
            made = np.empty(where.shape, object)
            for place, position in np.ndenumerate(where):
                made[place] = pool[position]
            results.append(made)
        return results

    def _known_positions(self, equation: Any, arguments: list[Numbers]) -> list[Numbers]:
        if any(x.dtype == object for x in arguments):
            raise self._refusal(equation.primitive.name)
        return self._known(equation, arguments)

    def _elementwise(self, name: str, *arguments: Numbers) -> Numbers:
        np = self.np
        spread = np.broadcast_arrays(*map(self._cells, arguments))
        made = np.empty(spread[0].shape, object)
        for place in np.ndindex(made.shape):
            made[place] = self._applied(name, *[x[place] for x in spread])
        return made

    def _reduced(self, name: str, x: Numbers, axes: Sequence[int]) -> Numbers:
        np = self.np
        kept = [k for k in range(x.ndim) if k not in axes]
        rows = self._cells(x).transpose([*kept, *axes])
        shape = rows.shape[: len(kept)]
        made = np.empty(shape, object)
        for place in np.ndindex(shape):
            made[place] = self._folded(name, np.asarray(rows[place], object).ravel().tolist())
        return made

    def _folded(self, name: str, xs: list[JaxNumber | float]) -> JaxNumber | float:
        if not xs:
            return {"sum": 0.0, "prod": 1.0, "max": -math.inf, "min": math.inf}[name]
        if name in ("max", "min"):
            return xs[0] if len(xs) == 1 else self._applied(name, *xs)
        total = xs[0]
        for x in xs[1:]:
            total = self._applied("add" if name == "sum" else "mul", total, x)
        return total

    def _product(self, numbers: Any, left: Numbers, right: Numbers) -> Numbers:
        """The sums of products that `dot_general` says."""
        np = self.np
        (left_summed, right_summed), (left_batch, right_batch) = numbers
        sides = []
        for x, summed, batch in ((left, left_summed, left_batch), (right, right_summed, right_batch)):
            free = [k for k in range(x.ndim) if k not in summed and k not in batch]
            turned = self._cells(x).transpose([*batch, *free, *summed])
            sides.append((turned, turned.shape[: len(batch)], turned.shape[len(batch) : len(batch) + len(free)]))
        (a, batches, a_free), (b, _, b_free) = sides
        made = np.empty((*batches, *a_free, *b_free), object)
        for place in np.ndindex(made.shape):
            at, rest = place[: len(batches)], place[len(batches) :]
            xs = np.asarray(a[(*at, *rest[: len(a_free)])], object).ravel()
            ys = np.asarray(b[(*at, *rest[len(a_free) :])], object).ravel()
            made[place] = self._folded("sum", [self._applied("mul", x, y) for x, y in zip(xs, ys, strict=True)])
        return made

    def _applied(self, name: str, *xs: JaxNumber | float) -> JaxNumber | float:
        """One operation; where it has no value it is nan until something depends on it."""
        row = lookup(name)
        if row is None:
            raise self._refusal(name)
        try:
            value = value_at(row, tuple([x.value if isinstance(x, JaxNumber) else x for x in xs]))
        except DomainProblem:
            value = math.nan
        if not any(isinstance(x, JaxNumber) for x in xs) and not math.isnan(value):
            return value
        return self._cell(row, xs, value)

    def _cell(
        self, row: Primitive | None, xs: tuple[JaxNumber | float, ...], value: float, refused: str = ""
    ) -> JaxNumber:
        if len(self.cells) >= _MOST:
            raise self._too_much()
        cell = JaxNumber(row, xs, value, self.line, refused)
        self.cells.append(cell)
        return cell

    def _cells(self, x: Numbers) -> Numbers:
        """The same as an array of cells and numbers."""
        if x.dtype == object:
            return x
        if self.np.dtype(x.dtype).kind not in "fiub":
            raise self._refusal("complex")
        return self.np.asarray(x, float).astype(object)

    def _plain(self, x: Any) -> Any:
        """What is known, as an array of NumPy; keys of random numbers stay what they are."""
        kind = getattr(x, "dtype", None)
        return x if kind is not None and not hasattr(kind, "kind") else self.np.asarray(x)

    def _values(self, x: Numbers) -> Numbers:
        """The numbers alone."""
        if x.dtype != object:
            return x
        made = self.np.empty(x.shape)
        for place, cell in self.np.ndenumerate(x):
            made[place] = cell.value if isinstance(cell, JaxNumber) else cell
        return made

    # --- places and refusals ---

    def _line(self, equation: Any) -> int:
        """The line of the function's file that an equation is written on; 0 where that is not known."""
        traceback = equation.source_info.traceback
        for frame in traceback.frames if self.recording.file and traceback is not None else ():
            if frame.file_name == self.recording.file:
                return int(frame.line_num)
        return 0

    def _count(self) -> None:
        self.followed += 1
        if self.followed > _MOST:
            raise self._too_much()

    def _refusal(self, name: str) -> RequestError:
        return RequestError(
            f"a trace cannot have {name} of JAX",
            span=self.recording.span(self.recording.whole_line(self.line)),
            help="it takes elementwise functions, sums, products, and what moves numbers",
        )

    def _too_much(self) -> RequestError:
        return RequestError(
            f"the function takes more than {_MOST} operations on numbers", help="trace a smaller example"
        )
