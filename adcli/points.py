"""Expressions as functions of columns, for engines that bring points themselves: Arrow, Spark, DuckDB, Polars.

    from adcli import points
    f = points.arrow("log(x1)+x1*x2-sin(x2)", carry=["id"])
    for batch in f(reader): ...                                    # record batches in, record batches out
    frame.mapInArrow(points.spark("log(x1)+x1*x2-sin(x2)"), "y double, dy_dx1 double, dy_dx2 double")
    points.duckdb(connection, "f", "log(x1)+x1*x2-sin(x2)")        # SELECT f(x1, x2).dy_dx1 FROM points
    frame.with_columns(f=points.polars("log(x1)+x1*x2-sin(x2)"))   # f.struct.field("dy_dx1")

The columns of results are those of `adcli map`: y, dy_dx1, dy_dx2, with `hessian` d2y_dx1_dx2 too; nan where there is
no value, and at kinks the slopes by convention.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .engine.kernel import Kernel
from .errors import NameProblem, RequestError, Source
from .extras import Later, Needs
from .files.mapping import MapPlan, named_columns, result_names, through
from .language.program import read_program
from .records import NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    from .files.points import Doubles
else:
    np = Later("numpy", "numpy")


_TEXTS = frozenset({"string", "large_string", "string_view", "binary", "large_binary"})


class ColumnFunction(NamedTuple):
    """What is computed of columns, which travels to the processes that have them."""

    kernel: Kernel
    inputs: Sequence[str]
    constants: Mapping[str, float]
    results: Sequence[str]

    def of(self, given: Sequence[Doubles]) -> dict[str, Doubles]:
        """The results of columns, which are in the order of the inputs."""
        columns, _, _ = self.kernel.evaluate({**self.constants, **dict(zip(self.inputs, given, strict=True))})
        count = max((len(x) for x in given), default=1)
        return {name: np.ascontiguousarray(np.broadcast_to(columns[name], (count,))) for name in self.results}


class BatchFunction(NamedTuple):
    """A function of record batches.  `carry` are columns to carry over, None for all that are no inputs."""

    function: ColumnFunction
    carry: Sequence[str] | None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The results of the batches, one of each.  Raises NameProblem for an input that is no column."""
        for batch in batches:
            for field in batch.schema:
                if field.name in self.function.inputs and str(field.type) in _TEXTS:
                    raise RequestError(f"column {field.name} holds texts", help="make numbers of it before")
            yield from through([batch], self._plan(batch.schema.names))

    def _plan(self, columns: Sequence[str]) -> MapPlan:
        kernel, inputs, constants, results = self.function
        known = named_columns(columns)
        for name in [*inputs, *(self.carry or ())]:
            if name not in (known if name in inputs else columns):
                raise NameProblem(
                    f"the points have no column {name}", help=f"the columns are {', '.join(columns[:12])}"
                )
        used = {known[name] for name in inputs}
        carried = [name for name in columns if name not in used] if self.carry is None else self.carry
        return MapPlan(kernel, {name: known[name] for name in inputs}, constants, carried, results)


def function_of_columns(
    expression: str, *, at: Mapping[str, float] | None = None, wrt: Sequence[str] = (), hessian: bool = False,
    engine: str = "auto", fast: bool = False, columns: Sequence[str] = (),
) -> ColumnFunction:  # fmt: skip
    """What is computed of columns.

    `at` has values of inputs that are no columns, `wrt` the inputs of the slopes (all by default), `columns` names that
    are inputs though they look like products or functions.  Raises what is wrong with the expression or the names.
    """
    values = {name: float(value) for name, value in (at or {}).items()}
    program = read_program(Source(expression), {*columns, *values})
    kernel = Kernel(program.graph, engine, hessian=hessian, fast=fast)
    for name in values:
        if name not in kernel.inputs:
            raise NameProblem(f"{name} is no input", help=f"the inputs are {', '.join(kernel.inputs) or 'none'}")
    inputs = [name for name in kernel.inputs if name not in values]
    return ColumnFunction(kernel, inputs, values, list(result_names(kernel.outputs, kernel.inputs, wrt, hessian)))


def arrow(expression: str, *, carry: Sequence[str] | None = None, **wishes: Any) -> BatchFunction:
    """A function that makes record batches with results of record batches with inputs, as `adcli map` does of files.

    `carry` are columns to carry over, by default all that are no inputs; the wishes are those of `function_of_columns`.
    """
    return BatchFunction(function_of_columns(expression, **wishes), carry)


def spark(expression: str, *, carry: Sequence[str] = (), **wishes: Any) -> BatchFunction:
    """The function for `DataFrame.mapInArrow`; its results are doubles, after the columns that are carried over."""
    return arrow(expression, carry=carry, **wishes)


def duckdb(connection: Any, name: str, expression: str, **wishes: Any) -> None:
    """The connection has a function of this name, of the inputs in the order of the expression, that gives a STRUCT."""
    from inspect import Parameter, Signature

    function = function_of_columns(expression, **wishes)
    with Needs("functions of DuckDB need pyarrow", "arrow"):
        import pyarrow as pa

    def structs(*given: Any) -> Any:
        found = function.of([np.asarray(x, dtype=np.float64) for x in given])
        return pa.StructArray.from_arrays([pa.array(x) for x in found.values()], names=list(found))

    parameters = [Parameter(f"x{k}", Parameter.POSITIONAL_ONLY) for k in range(len(function.inputs))]
    vars(structs)["__signature__"] = Signature(parameters)  # DuckDB counts them
    double = connection.type("DOUBLE")
    kind = connection.struct_type(dict.fromkeys(function.results, double))
    connection.create_function(name, structs, [double] * len(function.inputs), kind, type="arrow")


def polars(expression: str, **wishes: Any) -> Any:
    """An expression of Polars: a struct of the results, of the columns that are called as the inputs are."""
    function = function_of_columns(expression, **wishes)
    with Needs("expressions of Polars need polars", "arrow"):
        import polars

    def structs(rows: polars.Series) -> polars.Series:
        given = [rows.struct.field(name).cast(polars.Float64).to_numpy() for name in function.inputs]
        return polars.DataFrame(function.of(given)).to_struct(rows.name)

    kind = polars.Struct(dict.fromkeys(function.results, polars.Float64))
    return polars.struct(*function.inputs).map_batches(structs, return_dtype=kind)
