"""JSON answers: rows, names with their values, lines of text, this program's own traces, and notebooks.

Begins with: { [
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from ...notation.table_formulas import write_adjoint, write_partial, write_tangent
from ...patterns import pattern
from ...records import grouped
from ..answer_model import DERIVATIVE, DOT, VALUE, NotGradable
from ..chains import first_left, has_relation
from ..collector import CELLS, DEPTH, ROWS, Collector
from ..decoding import FORM, decode_answer
from ..headers import FORMULA, NAME, NUMBERS, RESULT, Column, column, is_column_word
from ..numerals import FloatAsWritten, numeral
from ..sections import label
from ..stated_numbers import is_other_value
from ..symbols import Names, NameSources, shared_names
from ..table_rows import join_cells, read_table
from ..vectors import MATRIX_NAME
from . import AnswerFile, AnswerReader
from .document import read_text, text_rows

_TOKEN = pattern(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.S)
_MARKED = pattern(r'"\\u0000(-?\d++(?:\.\d++)?+(?:[eE][-+]?\d++)?+)\\u0000"')  # a number
_ANSWERS = ("answers", "problems", "sections", "exercises")
_ROWS = ("rows", "steps", "trace", "answer", "entries", "nodes")
_LONGEST_NAME = 2  # of a row that is called like a column
_GRADIENTS = ("gradient", "gradients", "grad", "grads")
_ENDINGS = ("_sweep", "_pass", "_mode", "_values")  # of keys for derivatives
_TITLES = ("problem", "label", "section", "title", "exercise", "task")
_TEXTS = ("text/markdown", "text/latex", "text/plain")


def parse_json(text: str, number: Callable[[str], object] = FloatAsWritten) -> object:
    """Return the data of a JSON text, or the list of the data on its lines if there are two or more that are not blank.

    `number` makes the data of a number with a point or exponent, from its text.

    The whole text is tried first. Raises NotGradable if neither works (also for a blank text), with the line and column
    of the error in the whole text. Before that it is raised if brackets outside of strings are nested more than 60
    levels deep.
    """
    import json  # few answers are in JSON

    depth = 0
    for match in _TOKEN.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(match.group(), 0)
        if depth > DEPTH:
            raise NotGradable("this JSON is nested too deeply", label=f"more than {DEPTH} levels", help=FORM)
    try:
        return json.loads(text, parse_float=number)
    except ValueError as error:
        lines = [line for line in text.split("\n") if line.strip()]
        try:
            if len(lines) > 1:
                return [json.loads(line, parse_float=number) for line in lines]
        except ValueError:
            pass
        place = f"line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""
        raise NotGradable("this JSON is broken", label=place, help=f"check its commas and quotes; {FORM}") from error


def _split_parts(data: object) -> list[tuple[str | None, object]]:
    """Return the parts of an answer as pairs (title, data); a part without a title has None.

    The first that applies:

    - An object with a list or object under a key of `_ANSWERS`, such as `answers` or `problems`: the parts of that
      value, without the title and the other keys of the object. The first key of `_ANSWERS` counts.
    - Another object: `_parts_of_object` (one part for each key if all values are whole answers).
    - A list of whole answers (`_is_answer`), not empty: one part for each; of an item with several parts only the first
      counts. A part without a title is called by its place in the list, from "1", or None if the list has one item.
    - Everything else: one part, `(None, data)`.
    """
    if isinstance(data, Mapping):
        inside = next((data[key] for key in _ANSWERS if isinstance(data.get(key), list | Mapping)), None)
        return _parts_of_object(data) if inside is None else _split_parts(inside)
    if not isinstance(data, list) or not data or not all(map(_is_answer, data)):
        return [(None, data)]
    parts = []
    for number, item in enumerate(data, 1):
        title, answer = _split_parts(item)[0]
        parts.append((title or str(number) if len(data) > 1 else title, answer))
    return parts


def json_parts(data: bytes) -> list[tuple[str, str]]:
    """Return (title, JSON) for each part of an answer in JSON, without the keys of titles; [] if it is not JSON or has
    none.

    The first that applies:
    - the values of an object all of whose keys are digits or have a blank (`Problem 2`), by their keys;
    - for a list that is one part, its objects grouped by their `problem`, also those that are not next to each other;
      those without it are left out;
    - the parts of `_split_parts`, except those without a title.
    """
    import json  # few answers are in JSON

    try:
        content = parse_json(decode_answer(data), "\0{}\0".format)  # not rounded, as json.dumps writes floats
    except NotGradable:
        return []
    parts = _split_parts(content)
    if isinstance(content, Mapping) and all(key.isdecimal() or " " in key for key in content):
        parts = [*content.items()]
    elif len(parts) == 1 and isinstance(content, list):
        parts = [*grouped((str(row.get("problem", "")), row) for row in _objects(content)).items()]
    texts = [(title.strip("\0"), json.dumps(_without_titles(part))) for title, part in parts if title]
    return [(title, _MARKED.sub(r"\1", text)) for title, text in texts]


def _without_titles(part: object) -> object:
    """Return a copy of an object without the keys of its titles (`_TITLES`, such as problem, in small letters); other
    data unchanged.

    If only one key is left and it is in `_ROWS`, such as rows or steps, only its value is returned.
    """
    if not isinstance(part, Mapping):
        return part
    data = {key: each for key, each in part.items() if key not in _TITLES}
    return next(iter(data.values())) if len(data) == 1 and not data.keys().isdisjoint(_ROWS) else data


def _parts_of_object(data: Mapping[str, object]) -> list[tuple[str | None, object]]:
    """Return the parts of an object without a key such as `answers`, as pairs (title, data).

    Its title is the text or integer under the first key of `_TITLES` (such as problem or label) that has one. If it has
    no title, no key is that of a column, and all its values, two or more, are whole answers (`_is_answer`), each value
    is a part under its key. Otherwise the whole object, title included, is one part with its title, or None.
    """
    title = next((str(data[key]) for key in _TITLES if isinstance(data.get(key), str | int)), None)
    has_columns = any(_column_title(key, shared_names(NameSources((), ()))) for key in data)  # values, adjoints
    if title is None and len(data) > 1 and not has_columns and all(map(_is_answer, data.values())):
        return [(str(key), value) for key, value in data.items()]
    return [(title, data)]


def _is_answer(data: object) -> bool:
    """Return whether data is a whole answer, not a row of one.

    It is an object with a list under a key of `_ROWS`, such as rows, steps or trace; or a list in which any item is an
    object, a list, or a text that has an equals sign.
    """
    if isinstance(data, Mapping):
        return any(isinstance(data.get(key), list) for key in _ROWS)
    items = data if isinstance(data, list) else ()
    return any(isinstance(each, Mapping | list) or (isinstance(each, str) and has_relation(each)) for each in items)


def _read_part(collector: Collector, data: object) -> None:
    """Add the rows of one part of an answer to the collector; data of another type are ignored.

    The first that applies:
    - a trace of this program: its `schema` begins with "trace/";
    - an object with a list or object under a key of `_ROWS`, such as rows: the value under the first such key is read
      as the part, a list with `_with_other_lists`; then the results next to it (`_is_result`);
    - another object: values by name, keys of titles too;
    - a list: rows; a string: text.
    """
    if isinstance(data, Mapping):
        if str(data.get("schema", "")).startswith("trace/"):
            _own_trace(collector, data)
            return
        rows = next((data[key] for key in _ROWS if isinstance(data.get(key), list | Mapping)), None)
        if rows is not None:
            names = collector.names
            _read_part(collector, _with_other_lists(rows, data, names) if isinstance(rows, list) else rows)
            others = {key: x for key, x in data.items() if x is not rows and _is_result(key, x, collector)}
            _read_named(collector, _lists_to_rows(others, names))
            return
        _read_named(collector, _lists_to_rows(data, collector.names))
    elif isinstance(data, list):
        _read_rows(collector, data)
    elif isinstance(data, str):
        read_text(collector, data)


def _is_result(key: str, value: object, collector: Collector) -> bool:
    """Return whether `value` is a result next to a list of rows: an object or list under a key such as gradient, or a
    number under the symbol of a derivative or of a known name.
    """
    if isinstance(value, Mapping | list):
        return _column_title(key, collector.names) is not None
    return isinstance(value, int | float) and _is_known_row(key, collector)


def _is_known_row(key: str, collector: Collector) -> bool:
    """Return whether `key` is the symbol of a derivative or of a known name."""
    left = collector.lefts[key]
    if left is None or left.start > 0:
        return False
    return left.quantity.kind != VALUE or left.quantity.name in collector.names.known.values()


def _with_other_lists(rows: list[object], data: Mapping[str, object], names: Names) -> list[object]:
    """Return `rows`, a list in `data`, followed by the objects in its other lists that have no other keys than those.

    So `{"trace": [{"step": …, "value": …}], "inputs": [{"step": …, "value": …}]}` is one list of rows. Lists under the
    key of a column, such as `adjoints`, are left out.
    """
    keys = {key for row in rows if isinstance(row, Mapping) for key in row}
    others = ((key, each) for key, each in data.items() if isinstance(each, list) and each is not rows)
    lists = (each for key, each in others if _column_title(key, names) is None)
    return rows + [row for each in lists for row in each if isinstance(row, Mapping) and row.keys() <= keys]


def _lists_to_rows(data: Mapping[str, object], names: Names) -> Mapping[str, object]:
    """Return {row: {column: cell}} if `data` has lists of rows with names, `"forward": [{"name": "p", "value": 3}]`.

    Each object in such a list must have a key for a column of names. Under a key that is a column, `"adjoints"`, its
    value is that column's, its formula in the column `adjoint formula`, unless it has derivatives under keys of their
    own. Columns of the same name are merged, other objects stay, and texts such as the student's name are left out.
    Without such lists `data` itself is returned.
    """
    rows: dict[str, dict[str, object]] = {}
    for key, items in data.items():
        title = _column_title(key, names) or "value"
        for item in _objects(items):
            heads = {each: head for each in item if (head := column(each, names)) is not None}
            called = next((each for each, head in heads.items() if head.role in (NAME, "step")), None)
            if called is not None:
                titles = _titles_of_cells(title, heads)
                cells = {titles.get(each, each): x for each, x in item.items() if each != called}
                rows.setdefault(str(item[called]), {}).update(cells)
    others = {key: x for key, x in data.items() if not isinstance(x, list | str)}
    return {**rows, **others} if rows else data


def _titles_of_cells(title: str, heads: Mapping[str, Column]) -> dict[str, str]:
    """Return {key of a cell: title of its column} for the cells of a row whose list stands for the column `title`.

    `heads` are the columns of the row's keys. The value has `title`, formulas and numbers `adjoint formula` and the
    like. If the row has one derivative under a key of its own and no value, its formula and numbers belong to that.
    {} if `title` is value, and with other derivatives.
    """
    derivatives = [each for each, head in heads.items() if head.kind != VALUE]
    if title == "value" or len(derivatives) > 1 or (derivatives and "value" in heads):
        return {}
    inner = (each for each, head in heads.items() if head.role in (FORMULA, NUMBERS))
    return {"value": title, **{each: f"{(*derivatives, title)[0]} {each}" for each in inner}}


def _read_rows(collector: Collector, data: Sequence[object]) -> None:
    """Add a list of rows to the collector: objects, lists of cells, or lines of text; other items are ignored.

    The keys of all objects, whose inner objects are spread over several (`_flatten`), in order of appearance, are the
    header; cells of lists are under it in their order. Without objects `read_table` decides whether the first list is a
    header. At most 2,000 rows, and 60 cells of each, are read. Each text is read at once; all other rows after them, as
    one table.
    """
    table = []
    data = _flatten(data[:ROWS], collector.names)
    titles = [*dict.fromkeys(str(key) for item in data if isinstance(item, Mapping) for key in item)][:CELLS]
    if _are_named(data, collector.names):
        for named in _objects(data):
            _read_named(collector, named)
        return
    for item in [titles, *data] if titles else data:
        if collector.full:
            break
        if isinstance(item, str):
            read_text(collector, item)
        elif isinstance(item, list | Mapping):
            cells = [item.get(key) for key in titles] if isinstance(item, Mapping) else item
            cuts = join_cells(collector, [_text(cell) for cell in cells[:CELLS]])
            if cuts:
                table.append(cuts)
    read_table(collector, table)


def _are_named(data: Sequence[object], names: Names) -> bool:
    """Return whether a list has several objects of numbers by name, `{"y": 2}, {"x": 3}`, none under a column's key."""
    items = [(key, x) for item in _objects(data) for key, x in item.items()]
    is_named = all(isinstance(x, int | float) and _column_title(key, names) is None for key, x in items)
    return is_named and len(data) == len(_objects(data)) > 1


def _read_named(collector: Collector, data: Mapping[str, object]) -> None:
    """Add the rows of an object by name; each name has a value, a formula, a list of pieces, or an object of columns.

    A list under a key such as `gradient` gives a row for each derivative. Texts with rows and
    remarks (`_without_texts`) are left out. If a value is an object with a key other than
    `name`, all rows have columns, and a plain value is in the column `value`. Otherwise each row has two cells, the
    name and the text of its value (`_text`). At most 2,000 names are read.
    """
    data = _columns_to_rows(_with_components(_without_texts(data, collector), collector.names), collector.names)
    columns = {str(key) for value in data.values() if isinstance(value, Mapping) for key in value}
    if columns - {"name"}:
        rows = ((name, x if isinstance(x, Mapping) else {"value": x}) for name, x in islice(data.items(), ROWS))
        _read_rows(collector, [{"name": name, **row} for name, row in rows])
        return
    rows_of_cells = [join_cells(collector, [str(name), _text(value)]) for name, value in islice(data.items(), ROWS)]
    read_table(collector, [cells for cells in rows_of_cells if cells is not None], titled=False)


def _without_texts(data: Mapping[str, object], collector: Collector) -> dict[str, object]:
    """Return an object without its remarks and texts with rows of their own, which are added to the collector.

    Remarks have a word such as `note` as their key; whole numbers under the keys of titles are left out, too. The key
    of rows is no symbol of a derivative or known name, and the text begins with the symbol of a row.
    """
    others = {}
    for key, value in data.items():
        head = column(key, collector.names)
        has_rows = isinstance(value, str) and head is None and collector.lefts[first_left(value)] is not None
        if has_rows and not _is_known_row(key, collector):
            read_text(collector, str(value))
        elif not isinstance(value, int if key in _TITLES else str if head == Column("") else ()):
            others[key] = value
    return others


def _with_components(data: Mapping[str, object], names: Names) -> dict[str, object]:
    """Return the object with one value for each component (`_components`).

    If the problem has one output and the object two or more keys, all inputs, each with another number than at the
    point, the values are their derivatives, as `jax.grad` shows them.
    """
    if len(data) > 1 == len(names.outputs) and all(is_other_value(key, _text(x), names) for key, x in data.items()):
        return {f"∂{names.outputs[0]}/∂{names.own(key)}": x for key, x in data.items()}
    return {name: x for key, value in data.items() for name, x in _components(key, value, names).items()}


def _components(key: str, value: object, names: Names) -> dict[str, object]:
    """Return the values that an object has under `key`, by name; {key: value} if no case applies.

    - The only output and a key of `_GRADIENTS`, in any capitals, above a list with one item for each input to
      differentiate with respect to (`names.wrt`): the derivatives, `∂y/∂x1`.
    - The name of a matrix above an object: its entries, `H_xy` for "xy"; above lists: their text, `[[4, 6], [6, 0]]`.
    """
    is_gradient = key.casefold() in _GRADIENTS and len(names.outputs) == 1
    if isinstance(value, list) and is_gradient and len(value) == len(names.wrt):
        return {f"∂{names.outputs[0]}/∂{wrt}": x for wrt, x in zip(names.wrt, value, strict=True)}
    if isinstance(value, Mapping) and MATRIX_NAME.match(key):
        return {name if name in names.known else f"H_{name}": x for name, x in value.items()}
    if isinstance(value, list) and list in map(type, value) and MATRIX_NAME.match(key):
        return {key: str(value).replace("'", "")}
    return {key: value}


def _are_slopes(title: str, numbers: Mapping[str, object], names: Names) -> bool:
    """Return whether tangents by name, `"tangent": {"x": 12, "y": 4}`, are derivatives of the only output by inputs.

    The problem must have one output, `title` must be the header of a column of tangents, and `numbers` must have
    exactly the inputs to differentiate by as keys; its values are not checked. If all are 0 or 1, they are seeds:
    False.
    """
    head = column(title, names)
    is_tangent = head is not None and head.kind == DOT and len(names.outputs) == 1
    return is_tangent and numbers.keys() == set(names.wrt) and any(x not in (0, 1) for x in numbers.values())


def _columns_to_rows(data: Mapping[str, object], names: Names) -> Mapping[str, object]:
    """Return {row: {column: cell}} if the key of an object in `data` is that of a column, and none of the object's own
    keys is a word for one, of two letters or more; else `data` itself.

    `"adjoints": {"x": 5.5}` gives {"x": {"adjoint": 5.5}} (`_column_title`). Objects under other keys are rows already
    and are merged with those of the same name; a plain value is in the column `value`. Derivatives by the name of the
    input (`_are_slopes`) become rows `∂y/∂x` with the column `value`, which replace earlier rows of these names. Rows
    are in the order of first appearance; of two values for one cell the later counts.
    """
    objects = {key: value for key, value in data.items() if isinstance(value, Mapping)}
    words = {key: any(map(is_column_word, map(str.casefold, x))) for key, x in objects.items()}
    titles = {key: _column_title(key, names) for key, has_words in words.items() if not has_words}
    if not any(titles.values()):
        return data
    rows: dict[str, dict[str, object]] = {}
    for key, value in data.items():
        title = titles.get(key)
        if title and isinstance(value, Mapping) and _are_slopes(title, value, names):
            rows |= {f"∂{names.outputs[0]}/∂{name}": {"value": x} for name, x in value.items()}
        elif title and isinstance(value, Mapping):
            for name, x in value.items():
                rows.setdefault(str(name), {})[title] = x
        else:
            row = value if isinstance(value, Mapping) else {"value": value}
            rows.setdefault(key, {}).update({str(name): x for name, x in row.items()})
    return rows


def _column_title(key: str, names: Names) -> str | None:
    """Return the header of the column that `key`, a key of JSON, stands for; None if `key` is the name of a row.

    It is `adjoint` for gradient, gradients, grad and grads in any capitals; otherwise `key` as written, without one s,
    `_sweep`, `_pass`, `_mode` or `_values` at its end, if `column` knows it as a header, after these endings as one of
    derivatives. None if it does not, for a key of one or two letters, which may be a row, and for the header of a
    column of names.
    """
    if key.casefold() in _GRADIENTS:
        return "adjoint"
    ending = next(filter(key.casefold().endswith, _ENDINGS), "")
    title = key[: -len(ending)] if ending else key.removesuffix("s")
    head = column(title, names) if len(key) > _LONGEST_NAME else None
    return title if head is not None and head.role != NAME and not (ending and head.kind == VALUE) else None


def _by_input(key: str, value: object, names: Names) -> object:
    """Return `"tangent": [2, 1]`, a number for each input to differentiate by, as {input: number}; else the value."""
    is_list = (
        isinstance(value, list) and len(value) == len(names.wrt) and all(isinstance(x, int | float) for x in value)
    )
    head = column(key, names) if is_list else None
    is_tangent = head is not None and head.role == RESULT and head.kind in (DOT, DERIVATIVE) and head.key is None
    return dict(zip(names.wrt, value, strict=True)) if is_tangent and isinstance(value, list) else value


def _flatten(rows: Sequence[object], names: Names) -> list[object]:
    """Return the rows with each object in a row spread over columns: `"dot": {"x1": 1}` becomes the column `dot x1`;
    the same for lists (`_by_input`).

    What is under a key is left out in all rows if one of these columns has, in any row, no formulas, numbers or
    results, as `"partials": {"x1": 2, "v1": 3}` by the parents of a row. Only one level is spread; of equal column
    names the later value counts. Rows that are not objects stay.
    """
    cells = [[*_spread(row, names)] if isinstance(row, Mapping) else [] for row in rows]
    heads = {title: (key, column(title, names)) for row in cells for key, title, _ in row if title != key}
    unclear = {key for key, head in heads.values() if head is None or head.role not in (FORMULA, NUMBERS, RESULT)}
    flat = [{title: x for key, title, x in row if key not in unclear} for row in cells]
    return [new if isinstance(row, Mapping) else row for row, new in zip(rows, flat, strict=True)]


def _spread(row: Mapping[str, object], names: Names) -> Iterator[tuple[str, str, object]]:
    """Yield (key, title of the column, value) for each value of a row, and for those in its objects and lists by input:
    `dot x1` for x1 in an object under `dot`, else the key."""
    for key, value in row.items():
        inside = _by_input(key, value, names)
        if isinstance(inside, Mapping):
            yield from ((key, f"{key} {inner}", x) for inner, x in inside.items())
        else:
            yield key, key, inside


def _text(value: object) -> str:
    """Return a JSON value as the text of a cell.

    The items of a list, without lists and objects in it, are joined by equals signs, those that are None as empty
    texts. None and objects are empty, true and false are True and False, 10.00 stays 10.00. Strings are unchanged, with
    their line breaks.
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, list):
        return " = ".join(_text(item) for item in value if not isinstance(item, list | Mapping))
    return str(value) if isinstance(value, str | int) else ""


def _own_trace(collector: Collector, data: Mapping[str, object]) -> None:
    """Add the rows of a trace of this program, its JSON object `data`, to `collector`.

    Parts of another type are skipped. The rows come in this order:
    - each of `nodes`, by its `alias`, or `name` without one: formula, substituted and value, of an input only the
      value;
    - each of `outputs` whose `name` is not that of a row: its row and its value;
    - the `steps` with the pass forward, then those with reverse, each in a block of its own (`_own_step`);
    - without steps, `∂y/∂x` for the `gradient` of each output, an object of numbers by input.
    """
    labels: dict[str, str] = {}
    for node in _objects(data.get("nodes")):
        name = labels[str(node.get("name"))] = str(node.get("alias") or node.get("name"))
        parts = ("value",) if node.get("operator") == "input" else ("formula", "substituted", "value")
        _own_row(collector, name, [_text(node.get(part)) for part in parts])
    outputs, steps = _objects(data.get("outputs")), _objects(data.get("steps"))
    for output in outputs:
        row, result = labels.get(str(output.get("node"))), str(output.get("name"))
        if row != result and result not in labels:
            _own_row(collector, result, [row or "", _text(output.get("value"))])
    for sweep in ("forward", "reverse"):
        collector.next_block()
        for step in filter(lambda step: step.get("pass") == sweep, steps):
            _own_step(collector, step, labels)
    for output in outputs if not steps else ():
        gradient = output.get("gradient")
        for name, slope in gradient.items() if isinstance(gradient, Mapping) else ():
            _own_row(collector, write_partial(str(output.get("name")), str(name)), [_text(slope)])


def _own_step(collector: Collector, step: Mapping[str, object], labels: Mapping[str, str]) -> None:
    """Add the row of one step of a sweep, the tangent or adjoint of its target: formula, formula with numbers, value.

    The keys of `step` are pass (forward or reverse), wrt (the input) or output, target, source, symbolic, substituted
    and value. A step without a source (a seed) only has its value. `labels` maps names of nodes to names of rows. A
    forward step sets the collector's `moving` to its input and `result` to None; a reverse step sets `result` to its
    output and `moving` to None. The input or output is None if the step has none or "seed"; an output with the name of
    a node is None too.
    """
    is_forward = step.get("pass") == "forward"
    key = step.get("wrt" if is_forward else "output")
    known = None if key in (None, "seed") else str(key)
    collector.moving = known if is_forward else None
    collector.result = None if is_forward or known in labels else known  # an input is called as the result
    target = labels.get(str(step.get("target")), str(step.get("target")))
    parts = ("symbolic", "substituted", "value") if step.get("source") is not None else ("value",)
    write = write_tangent if is_forward else write_adjoint
    _own_row(collector, write(target), [_text(step.get(part)) for part in parts])


def _objects(data: object) -> list[Mapping[str, object]]:
    """Return the objects in a list; empty if `data` is not a list."""
    return [item for item in data if isinstance(item, Mapping)] if isinstance(data, list) else []


def _own_row(collector: Collector, name: str, texts: Sequence[str]) -> None:
    """Add a row with a name and pieces as people write it: `v2 = x1 × x2 = 2 × 5 = 10.0`.

    Pieces that are empty or "seed" are left out; a row without pieces is added too. No row is added if the line is too
    long or the answer is full.
    """
    cells = join_cells(collector, [name, *(text for text in texts if text and text != "seed")], " = ")
    if cells is not None:
        collector.row(cells[0], cells[1:])


# --- notebooks --------------------------------------------------------------------------------------------------------


def _notebook_texts(cell: Mapping[str, object], code: bool) -> Iterator[str]:
    """Yield the texts of a notebook cell: its source (of a code cell only if `code` is True), then its outputs' texts.

    Only code cells have outputs; the source of every other cell is yielded. An output with `data` gives the first that
    it has of Markdown, LaTeX and plain text there, another one its `text`. A list of texts is joined; anything else,
    also the traceback of an error, gives an empty string.
    """
    if code or cell.get("cell_type") != "code":
        yield _join_texts(cell.get("source"))
        if cell.get("cell_type") != "code":
            return
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if isinstance(output, Mapping):
            data = output.get("data")
            text = output.get("text")
            if isinstance(data, Mapping):
                text = next((data[kind] for kind in _TEXTS if kind in data), None)
            yield _join_texts(text)


def _rows_with_numbers(collector: Collector) -> tuple[int, int]:
    """Return how many different names have a row that ends in a number, and have any row at all."""
    rows = [row for part in collector.parts for row in part.rows]
    ended = {row.left.text for row in rows if row.pieces and numeral(row.pieces[-1].text) is not None}
    return len(ended), len({row.left.text for row in rows})


def _join_texts(text: object) -> str:
    """Return a text, or the texts of a list joined; empty for anything else."""
    lines = text if isinstance(text, list) else [text]
    return "".join(line for line in lines if isinstance(line, str))


# --- which answers are JSON -------------------------------------------------------------------------------------------


def _of_json(answer_file: AnswerFile, names: Names) -> Collector:
    """Return the rows of a text that begins with `{` or `[`, in a Collector.

    After `{'`, as in a dictionary of Python, all single quotes count as double ones. Broken JSON is read as plain text,
    unless a suffix (.json, .ndjson, .jsonl, .ipynb) or the beginning `{"` shows that JSON is meant: then NotGradable is
    raised. A notebook, an object with `nbformat` and a list of `cells`, is read by `_of_notebook`. In other data each
    part begins a section if there are several parts or the part has a title.
    """
    text = answer_file.text.lstrip()
    try:
        data = parse_json(answer_file.text.replace("'", '"') if text.startswith("{'") else answer_file.text)
    except NotGradable:
        if answer_file.suffix in (".json", ".ndjson", ".jsonl", ".ipynb") or text.startswith('{"'):
            raise
        return text_rows(answer_file.text, names)
    if isinstance(data, Mapping) and isinstance(data.get("cells"), list) and "nbformat" in data:
        return _of_notebook(data["cells"], names)
    collector = Collector("json", names)
    answers = _split_parts(data)
    for title, answer in answers:
        if len(answers) > 1 or title:
            collector.section(title and label(title))
        _read_part(collector, answer)
    return collector


def _of_notebook(cells: Sequence[object], names: Names) -> Collector:
    """Return the rows of a notebook, read with or without its code: that with more names whose rows end in a number,
    then with more names, then without code.
    """
    texts = (
        "\n\n".join(text for cell in _objects(cells) for text in _notebook_texts(cell, code)) for code in (False, True)
    )
    return max((text_rows(text, names, "notebook") for text in texts), key=_rows_with_numbers)


READER = AnswerReader(1, _of_json)
