"""Plain data: traces as JSON and CSV, always with full precision."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from itertools import chain, islice

from ..documents import plain_number
from ..errors import visible
from ..patterns import pattern
from ..trace.trace_model import Row, Trace
from ..typings import Any

_MANY = 1000  # rows that may be in memory together
# Control characters, marks that reverse or hide text, line separators, surrogates and private characters.
_UNSEEN = pattern(
    "[\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\ue000-\uf8ff\U000e0000-\U000e0fff]"
)


def json_text(data: object, indent: int | None = 2, *, ascii_only: bool = False) -> str:
    """Return plain data (dicts, lists, texts, numbers, None) as JSON without a final line break.

    Each level is indented by `indent` spaces; None means one line. With `ascii_only` all characters beyond ASCII are
    escaped. Without it they stay, except those that could control a terminal or hide text. Raises ValueError for nan
    and infinite floats.
    """
    import json  # documents for readers have no need of it

    text = json.dumps(data, ensure_ascii=ascii_only, allow_nan=False, indent=indent)
    if ascii_only or (text.isascii() and "\x7f" not in text):
        return text
    return _UNSEEN.sub(lambda match: json.dumps(match.group())[1:-1], text)


def json_pieces(data: Mapping[str, object], indent: int | None = 2, *, ascii_only: bool = False) -> Iterator[str]:
    """Yield the text of `json_text` in pieces; `indent` is the number of spaces for each level (None: one line).

    Iterators among the values of `data` are consumed and written as lists item by item, so that a long list is never in
    memory as a whole. If there are no iterators, the text is one piece. With `ascii_only` all characters beyond ASCII
    are escaped. Raises TypeError for iterators deeper in the data, ValueError for nan and infinite floats.
    """
    if not any(isinstance(part, Iterator) for part in data.values()):
        yield json_text(data, indent, ascii_only=ascii_only)
        return

    def text(x: object, depth: int) -> str:
        """Return a value as JSON, its lines indented for `depth`."""
        return json_text(x, indent, ascii_only=ascii_only).replace("\n", "\n" + " " * (depth * (indent or 0)))

    def line_break(depth: int) -> str:
        return "" if indent is None else "\n" + " " * (depth * indent)

    comma = ", " if indent is None else ","
    for count, (name, part) in enumerate(data.items()):
        yield f"{comma if count else '{'}{line_break(1)}{text(name, 1)}: "
        if not isinstance(part, Iterator):
            yield text(part, 1)
            continue
        number = 0
        for number, item in enumerate(part, 1):
            yield f"{comma if number > 1 else '['}{line_break(2)}{text(item, 2)}"
        yield f"{line_break(1)}]" if number else "[]"
    yield f"{line_break(0)}}}"


def sheet(lines: Iterable[Mapping[str, object]]) -> str:
    """Return the lines, each a dict by column, as CSV with a header; without lines a single empty line. Columns are all
    keys in order of first appearance.
    """
    return "".join(sheet_pieces([lines])) or "\n"


def sheet_pieces(groups: Iterable[Iterable[Mapping[str, object]]]) -> Iterator[str]:
    """Yield the text of one CSV sheet with the lines of all groups, each a dict by column, below a header. Lines end
    with a line feed.

    The columns are all keys in order of first appearance; missing cells are empty. If there are no columns, nothing is
    yielded. The lines of a group that is an Iterator are written one by one; of these groups only the keys of the first
    line become columns, and other keys are dropped unless another group has them. Text that a spreadsheet would take
    for a formula gets an apostrophe before it.
    """
    import csv

    columns: dict[str, None] = {}
    whole: list[Iterable[Mapping[str, object]]] = []
    for group in groups:
        first, rest = (list(islice(group, 1)), group) if isinstance(group, Iterator) else (group, ())
        whole += [first, rest]
        for line in first:
            columns.update(dict.fromkeys(line))
    if not columns:
        return
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_cell(column) for column in columns])
    for line in chain.from_iterable(whole):
        yield out.getvalue()
        out.seek(0)
        out.truncate()
        writer.writerow([_cell(line.get(column)) for column in columns])
    yield out.getvalue()


def _cell(cell: Any) -> str:
    """Return a cell as text: a str made safe by `guard_cell`, None as empty text, a number bare, so that its minus sign
    is not taken for the start of a formula.

    A float is its shortest decimal, infinity and nan as JSON's strings, a complex number of mpmath (as `--complex` has
    them) `1.0+2.0i`, any other number its `str`.
    """
    if isinstance(cell, str):
        return guard_cell(cell)
    plain = plain_number(cell) if isinstance(cell, float) or hasattr(cell, "_mpc_") else cell
    if isinstance(plain, dict):  # a complex number, as people write it
        imaginary = str(plain["im"])
        return f"{plain['re']}{'' if imaginary[:1] == '-' else '+'}{imaginary}i"
    return "" if plain is None else str(plain)


def guard_cell(text: str) -> str:
    """Return a text safe for a spreadsheet: `'` is put before a first `=`, `+`, `-` or `@`, unless that sign is all of
    the text; characters that are not printable are made visible.
    """
    text = visible(text)
    return "'" + text if text[:1] in ("=", "+", "-", "@") and text[1:] else text


def lines(trace: Trace, number: int, rows: bool = True) -> Iterable[dict[str, object]]:
    """Return a trace as rows of a sheet (column → value): a list, or an iterator for more than 1000 rows of the trace.

    There is one for each row of the trace: name, alias, level, operator, formula, substituted, value, then the
    condition numbers, tangents and adjoints that were computed. With `rows` False the result is a list with one for
    each output: expression, output, value, `d/dx` for each derivative, second derivatives and error bounds. Each row
    begins with `problem` (`number`) and `label` (empty if the trace has no label).
    """
    head: dict[str, object] = {"problem": number, "label": trace.label or ""}
    if rows:
        rows_of_sheet = (head | _row_columns(trace, row) for row in trace.rows)
        return rows_of_sheet if len(trace.rows) > _MANY else list(rows_of_sheet)
    return [
        head | {"expression": trace.expression, "output": output.name, "value": output.value}
        | {f"d/d{name}": slope for name, slope in (output.gradient or {}).items()}
        | _second_columns(trace, place) | _bound_columns(trace, output.name)
        for place, output in enumerate(trace.outputs)
    ]  # fmt: skip


def _row_columns(trace: Trace, row: Row) -> dict[str, object]:
    """Return the columns of a row of `trace`, {name: value}.

    The columns name, alias (empty if it has none), level, operator, formula, substituted and value are always there.
    Then follow those that were computed: condition and `ulps of OUTPUT`; `dot KEY` and `bar KEY` for each sweep, where
    KEY is its input, its output or the seed; and `dot of bar OUTPUT KEY` for second derivatives.
    """
    columns: dict[str, object] = {
        "name": row.name, "alias": row.alias or "", "level": row.level, "operator": row.operator,
        "formula": row.formula, "substituted": row.substituted, "value": row.value,
    }  # fmt: skip
    columns |= _condition_columns(trace, row.slot)
    columns |= {f"dot {key}": slope for key, slope in row.dot.items()}
    columns |= {f"bar {key}": slope for key, slope in row.bar.items()}
    for second in trace.second:
        for key, along in second.sweeps.items():
            columns[f"dot of bar {second.output} {key}"] = along.bar_dots[row.slot]
    return columns


def _condition_columns(trace: Trace, slot: int) -> dict[str, object]:
    """Return the columns of a row's condition and of its contribution to the error of each output in ulps; {}
    without conditioning."""
    if trace.shares is None:
        return {}
    contributions = {f"ulps of {name}": ulps[slot] for name, ulps in trace.shares.ulps.items()}
    return {"condition": trace.shares.conditions[slot], **contributions}


def _bound_columns(trace: Trace, output: str) -> dict[str, object]:
    """Return the columns of the error bounds of an output (`ulps`) and its derivatives (`ulps of d/dx`); {} without
    conditioning."""
    if trace.shares is None:
        return {}
    bounds = trace.shares.bounds[output]
    return {f"ulps of d/d{name}" if name else "ulps": x for name, x in bounds.items()}


def _second_columns(trace: Trace, place: int) -> dict[str, object]:
    """Return the columns of the second derivatives of the output at index `place`; {} if they were not requested.

    The columns are `hvp x` for the product with a direction, and `d2/dxdz` for each entry of the Hessian.
    """
    if not trace.second:
        return {}
    second = trace.second[place]
    columns: dict[str, object] = {f"hvp {name}": x for name, x in (second.product or {}).items()}
    for name, row in (second.hessian or {}).items():
        columns |= {f"d2/d{name}d{other}": x for other, x in row.items()}
    return columns
