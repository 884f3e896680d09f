"""SQL: a query over a table `points` with a column for each input; one column for each value and partial.

It keeps to what SQLite (with its mathematical functions) and DuckDB both have.  What has no value is NULL.
"""

from __future__ import annotations

from types import MappingProxyType

from ...errors import RequestError
from ...overriding import override
from ..source_code import (
    AND,
    ARITHMETIC,
    COMPARISON,
    NOT,
    OR,
    SUM,
    Assignment,
    Assignments,
    Form,
    Language,
    calls,
    comment,
    infix,
    unshared,
)  # fmt: skip

_PLAIN = """abs exp sin cos tan atan sinh cosh tanh asinh floor ceil"""


_LARGEST = 3_000  # operations, those of shared parts counted wherever they are used, up to which queries may be merged
_DEEPEST = 300  # queries in one another


def _where(condition: str, text: str) -> Form:
    """A function that some servers refuse to work out outside its domain."""
    return Form(f"CASE WHEN {condition} THEN {text} END", places=(SUM, SUM, SUM))


class _SQL(Language):
    name = "SQL"
    suffix = ".sql"
    numbers = ("9e999", "-9e999", "NULL")
    quoted = True
    cased = False
    words = frozenset({"true", "false"})  # SQLite takes them for numbers, quoted or not
    forms = MappingProxyType(
        {
            **ARITHMETIC,
            "finite": Form("abs({0}) < 9e999", COMPARISON),
            **calls(**{name: name for name in _PLAIN.split()}),
            "log": _where("{0} > 0", "ln({0})"),
            "log10": _where("{0} > 0", "log10({0})"),
            "log2": _where("{0} > 0", "log2({0})"),
            "sqrt": _where("{0} >= 0", "sqrt({0})"),
            "asin": _where("abs({0}) <= 1", "asin({0})"),
            "acos": _where("abs({0}) <= 1", "acos({0})"),
            "acosh": _where("{0} >= 1", "acosh({0})"),
            "atanh": _where("abs({0}) < 1", "atanh({0})"),
            "pow": Form("pow({0}, {1})"),
            "atan2": Form("atan2({0}, {1})"),
            "fmod": Form("mod({0}, {1})"),
            "eq": infix("=", COMPARISON),
            "ne": infix("<>", COMPARISON),
            "eq itself": Form("{0} IS NOT NULL", COMPARISON, (SUM,)),
            "ne itself": Form("{0} IS NULL", COMPARISON, (SUM,)),
            "and": infix("AND", AND, AND),
            "or": infix("OR", OR, OR),
            "not": Form("({0}) IS NOT TRUE", NOT),
            "choose": Form("CASE WHEN {0} THEN {1} ELSE {2} END"),
        }
    )

    @override
    def finite(self, x: float) -> str:
        """With an exponent, without which it may be no double."""
        text = repr(x)
        return text if "e" in text else text + "e0"

    @override
    def reference(self, name: str, position: int) -> str:
        return f'"{name}"'

    @override
    def laid_out(self, found: Assignments, expression: str) -> str:
        columns = zip(found.given, found.inputs, strict=True)
        layers = [[f'CAST(points."{given}" AS DOUBLE PRECISION) AS "{name}"' for given, name in columns]]
        depth = dict.fromkeys(found.inputs, 0)
        layers += _layers(found.steps, depth)
        last = [
            f'"{name}"' if output.text == f'"{name}"' else f'{output.text} AS "{name}"'
            for output, name in zip(found.outputs, found.columns, strict=True)
        ]
        lines = [f"-- {line}" for line in comment(expression, "a query over the table points")]
        begin, kept = "WITH", "MATERIALIZED " * (unshared(found) > _LARGEST)
        for k, layer in enumerate(layers):
            source = f"step{k - 1}" if k else "points"
            taken = [*["*"] * (k > 0), *layer] or ["*"]
            lines += [f"{begin} step{k} AS {kept}(SELECT", "    " + ",\n    ".join(taken), f"  FROM {source}),"]
            begin = " "
        lines[-1] = lines[-1].removesuffix(",")
        return "\n".join([*lines, "SELECT", "    " + ",\n    ".join(last), f"FROM step{len(layers) - 1};", ""])


def _layers(steps: list[Assignment], depth: dict[str, int]) -> list[list[str]]:
    """The steps as columns of queries, each over the one before: a column cannot use others of the same query."""
    layers: list[list[str]] = []
    for step in steps:
        level = 1 + max((depth[name] for name in step.uses), default=0)
        depth[step.name] = level
        layers += [[] for _ in range(level - len(layers))]
        layers[level - 1].append(f'{step.text} AS "{step.name}"')
    if len(layers) > _DEEPEST:
        raise RequestError(f"SQL would need {len(layers)} queries in one another", help="try --to numpy, --to c")
    return layers


LANGUAGE = _SQL()
