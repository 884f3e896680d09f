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
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from .engine.kernel import Kernel
from .engine.numpy_doubles import Doubles, np
from .errors import NameProblem, RequestError, Source
from .extras import Needs
from .files.mapping import MapPlan, list_named_columns, map_record_batches, no_column, result_names
from .language.program import read_program
from .records import NamedTuple

if TYPE_CHECKING:
    import pyarrow as pa


_TEXTS = frozenset({"string", "large_string", "string_view", "binary", "large_binary"})


class ColumnFunction(NamedTuple):
    """A function of columns that can be sent to other processes.

    kernel     the compiled program
    inputs     the names of the input columns, in the order of the arguments
    constants  {name: value} of the other inputs
    results    the names of the results
    """

    kernel: Kernel
    inputs: Sequence[str]
    constants: Mapping[str, float]
    results: Sequence[str]

    def of(self, columns_in: Sequence[Doubles]) -> dict[str, Doubles]:
        """Return the result columns by name; `columns_in` are the input columns in the order of `inputs`.

        They must be of one length. Without inputs each result has one number.
        """
        columns, _, _ = self.kernel.evaluate({**self.constants, **dict(zip(self.inputs, columns_in, strict=True))})
        count = max((len(x) for x in columns_in), default=1)
        return {name: np.ascontiguousarray(np.broadcast_to(columns[name], (count,))) for name in self.results}


class BatchFunction(NamedTuple):
    """A function of record batches; `carry` are the columns to copy (None: all that are not inputs)."""

    function: ColumnFunction
    carry: Sequence[str] | None

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield one batch of results for each batch, in order: the carried columns, then the results.

        Raises NameProblem for an input or carried column that is missing, RequestError if the column of an input holds
        texts.
        """
        for batch in batches:
            for field in batch.schema:
                if field.name in self.function.inputs and str(field.type) in _TEXTS:
                    raise RequestError(f"column {field.name} contains text", help="convert the column to numbers first")
            yield from map_record_batches([batch], self._plan(batch.schema.names))

    def _plan(self, columns: Sequence[str]) -> MapPlan:
        """Return the plan for batches with these columns: kernel, {input: column}, constants, columns to carry and
        results.

        Raises NameProblem for an input or a carried column that is missing. With `carry` None all columns that are not
        inputs are carried. Nothing is compiled or kept.
        """
        kernel, inputs, constants, results = self.function
        known = list_named_columns(columns)
        for name in [*inputs, *(self.carry or ())]:
            if name not in (known if name in inputs else columns):
                raise no_column(name, f"the columns are {', '.join(columns[:12])}")
        used = {known[name] for name in inputs}
        carried = [name for name in columns if name not in used] if self.carry is None else self.carry
        return MapPlan(kernel, {name: known[name] for name in inputs}, constants, carried, results)


class ColumnOptions(TypedDict, total=False):
    """The arguments of `function_of_columns` besides the expression."""

    at: Mapping[str, float] | None
    wrt: Sequence[str]
    hessian: bool
    engine: str
    fast: bool
    columns: Sequence[str]


def function_of_columns(
    expression: str, *, at: Mapping[str, float] | None = None, wrt: Sequence[str] = (), hessian: bool = False,
    engine: str = "auto", fast: bool = False, columns: Sequence[str] = (),
) -> ColumnFunction:  # fmt: skip
    """Return the function of columns of an expression: kernel, inputs that are columns, values `at`, names of results.

    `at` has values of inputs that are not columns, `wrt` the inputs to differentiate with respect to (default: all),
    `columns` names that are inputs even if they look like products or functions. With `hessian` second derivatives are
    computed too; `engine` is auto, numpy or native; with `fast` operations are fused if possible. Raises NameProblem
    for a name in `at` that is not an input, AdcliError for a wrong expression or another name.
    """
    values = {name: float(value) for name, value in (at or {}).items()}
    program = read_program(Source(expression), {*columns, *values})
    kernel = Kernel(program.graph, engine, hessian=hessian, fast=fast)
    for name in values:
        if name not in kernel.inputs:
            raise NameProblem(
                f"the name {name} is not an input", help=f"the inputs are {', '.join(kernel.inputs) or 'none'}"
            )
    inputs = [name for name in kernel.inputs if name not in values]
    return ColumnFunction(kernel, inputs, values, list(result_names(kernel.outputs, kernel.inputs, wrt, hessian)))


def arrow(expression: str, *, carry: Sequence[str] | None = None, **options: Unpack[ColumnOptions]) -> BatchFunction:
    """Return a function from record batches with inputs to record batches with results, as `adcli map` computes them.

    `carry` are columns to copy (default: all that are not inputs); `options` are the keyword arguments of
    `function_of_columns` (at, wrt, hessian, engine, fast, columns).
    """
    return BatchFunction(function_of_columns(expression, **options), carry)


def spark(expression: str, *, carry: Sequence[str] = (), **options: Unpack[ColumnOptions]) -> BatchFunction:
    """Return the function for `DataFrame.mapInArrow`; its results are doubles, after the carried columns."""
    return arrow(expression, carry=carry, **options)


def duckdb(connection: Any, name: str, expression: str, **options: Unpack[ColumnOptions]) -> None:
    """Register a function `name` with the DuckDB connection; it takes the inputs in the order of the expression, as
    doubles, and returns a STRUCT with a field for each result.

    `options` are the keyword arguments of `function_of_columns`. Raises RequestError if pyarrow is not installed,
    AdcliError for a wrong expression or option.
    """
    from inspect import Parameter, Signature

    function = function_of_columns(expression, **options)
    with Needs("functions of DuckDB need pyarrow", "arrow"):
        import pyarrow as pa

    def structs(*columns: pa.Array) -> pa.StructArray:
        results = function.of([np.asarray(x, dtype=np.float64) for x in columns])
        return pa.StructArray.from_arrays([pa.array(x) for x in results.values()], names=list(results))

    parameters = [Parameter(f"x{k}", Parameter.POSITIONAL_ONLY) for k in range(len(function.inputs))]
    vars(structs)["__signature__"] = Signature(parameters)  # DuckDB counts them
    double = connection.type("DOUBLE")
    kind = connection.struct_type(dict.fromkeys(function.results, double))
    connection.create_function(name, structs, [double] * len(function.inputs), kind, type="arrow")


def polars(expression: str, **options: Unpack[ColumnOptions]) -> Any:
    """Return a Polars expression: a struct of the results, computed from the columns named like the inputs.

    `options` are the keyword arguments of `function_of_columns`. Raises RequestError if Polars is not installed and for
    an expression without inputs, AdcliError for another wrong expression or option.
    """
    function = function_of_columns(expression, **options)
    if not function.inputs:
        title = f"the expression {expression} has no inputs that could be columns"
        raise RequestError(title, help="use polars.lit for a number")
    with Needs("expressions of Polars need polars", "arrow"):
        import polars

    def structs(rows: polars.Series) -> polars.Series:
        columns = [rows.struct.field(name).cast(polars.Float64).to_numpy() for name in function.inputs]
        return polars.DataFrame(function.of(columns)).to_struct(rows.name)

    kind = polars.Struct(dict.fromkeys(function.results, polars.Float64))
    return polars.struct(*function.inputs).map_batches(structs, return_dtype=kind)
