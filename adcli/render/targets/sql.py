"""SQL: a query over a table, with a column for each input; one column for each value and partial.

The table is called `points` unless another name is given. The query uses only functions that both SQLite (with its
mathematical functions) and DuckDB have. A missing value is NULL.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ...errors import RequestError
from ..source_code import ARITHMETIC, Assignment, Assignments, Language, comment, count_unshared, forms

_LARGEST = 3_000  # operations, shared parts counted at each use, up to which queries may be merged
_DEEPEST = 300  # nested queries

_CARRIED = "carried "  # before carried columns between the queries; names of programs have no blank


def _lay_out(source_table: str, carried: Sequence[str], program: Assignments, expression: str) -> str:
    """Return a query over `source_table` with the `carried` columns, and the value and partials of each output.

    It has one common table expression for each layer of steps. `expression` is the formula for the comment above it. A
    table name that is not an identifier is quoted. If steps would make more than 3,000 operations when copied to each
    use, the expressions are MATERIALIZED. Raises RequestError for more than 300 nested queries. The text ends with a
    line break.
    """
    table = source_table if source_table.isidentifier() else _quote(source_table)
    columns = zip(program.input_names, program.inputs, strict=True)
    layers = [[f'CAST({table}."{input_names}" AS DOUBLE PRECISION) AS "{name}"' for input_names, name in columns]]
    layers[0] += [f"{table}.{_quote(name)} AS {_quote(_CARRIED + name)}" for name in carried]
    layers += _layers(program.steps, dict.fromkeys(program.inputs, 0))
    last = [f"{_quote(_CARRIED + name)} AS {_quote(name)}" for name in carried]
    named = [(output.text, f'"{name}"') for output, name in zip(program.outputs, program.columns, strict=True)]
    last += [name if text == name else f"{text} AS {name}" for text, name in named]
    lines = comment("--", expression, f"a query over the table {source_table}")
    begin, kept = "WITH", "MATERIALIZED " * (count_unshared(program) > _LARGEST)
    for k, layer in enumerate(layers):
        source = f"step{k - 1}" if k else table
        taken = [*["*"] * (k > 0), *layer] or ["*"]
        lines += [f"{begin} step{k} AS {kept}(SELECT", "    " + ",\n    ".join(taken), f"  FROM {source}),"]
        begin = " "
    lines[-1] = lines[-1].removesuffix(",")
    return "\n".join([*lines, "SELECT", "    " + ",\n    ".join(last), f"FROM step{len(layers) - 1};", ""])


def _quote(name: str) -> str:
    """Return the name of a table or column in quotation marks."""
    return '"{}"'.format(name.replace('"', '""'))


def _layers(steps: list[Assignment], depth: dict[str, int]) -> list[list[str]]:
    """Return, for each query after the one of the inputs, its columns `expression AS "name"`, in order of `steps`.

    A step is in the query after the latest of the steps that it uses, since a column cannot use others of the same
    query. `depth` maps names to the number of their query (inputs: 0); it gets an entry for each step. A name that is
    missing raises KeyError. Raises RequestError for more than `_DEEPEST` (300) queries.
    """
    layers: list[list[str]] = []
    for step in steps:
        level = 1 + max((depth[name] for name in step.uses), default=0)
        depth[step.name] = level
        layers += [[] for _ in range(level - len(layers))]
        layers[level - 1].append(f'{step.text} AS "{step.name}"')
    if len(layers) > _DEEPEST:
        raise RequestError(f"SQL would need {len(layers)} nested queries", help="try --to numpy, --to c")
    return layers


def _double(x: float) -> str:
    """Return a number as a literal that SQL takes for a double, always with an exponent: `2.0e0`."""
    text = repr(x)
    return text if "e" in text else text + "e0"


LANGUAGE = Language(
    name="SQL",
    numbers=("9e999", "-9e999", "NULL"),
    forms={**ARITHMETIC, **forms("sql")},
    lay_out=partial(_lay_out, "points", ()),
    words=frozenset({"true", "false"}),  # SQLite takes them for numbers, quoted or not
    finite=_double,
    reference=lambda name, _: f'"{name}"',
    quoted=True,
    cased=False,
)
