"""Files of problems: `[label:] program [@ x1=2, x2=5]`, one a line; `#` starts a comment. The point, behind @, gives
values to the inputs.

A line that ends in `;` or inside brackets goes on. Each problem is separate: a bracket left open ends with its line
where the next lines are clearly problems of their own.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator

from ..errors import NOTHING_WRITTEN, WRITE_INF, AdcliError, RequestError, Source, Span, SyntaxProblem
from ..graph.graph import Graph
from ..graph.tape import evaluate
from ..numbers.doubles import FLOAT
from ..patterns import pattern
from ..records import NamedTuple
from ..typings import TYPE_CHECKING, override
from .brackets import CLOSING, OPENING, depth_of, with_depth
from .program import read_program
from .spelling import Spelling, Unspellable
from .tokens import plain_name, spelling
from .worded_points import SIGN, WRITTEN_NAME, point_in_words

if TYPE_CHECKING:
    from ..table.arithmetic import Evaluating, Numeral, T

# Possessive quantifiers: every character of a line is looked at once, whatever the line is.
_LABEL = pattern(r"(?!\s*+\w++:[0-9.]++\s*+(?:@|\Z))\s*+([^:;@#=()\[\]{}|^*/+<>≤≥≠\\\ufffd]*+):(?![=:])", signs=":")
NUMBER = pattern(r"\s*+[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?\s*+\Z")
_NAME = pattern(rf"\s*+({WRITTEN_NAME})(?:{SIGN}|\s*+(?:->|→|:))")
_TOGETHER = pattern(r"\s*+\(([\w\s,]*+)\)\s*+:?=\s*+\(")
_DATA = pattern(r";\s*+data\s++([^\W\d]\w*+(?:\s*+,\s*+[^\W\d]\w*+)*+)\s*+;?\s*+(?=@|\Z)", signs="data")
_POINT = pattern(rf"(?<![=@])@(?=\s*+{WRITTEN_NAME}\s*+:?=)", signs="@")  # where a name gets a value
_FROM_FILE = pattern(r"=\s*+@", signs="@")
_JSON = pattern(r"\s*+\[?+\s*+\{\s*+([\"'])", signs="{")
_CHOICE = pattern(r"\s(\?)\s*+\S|\S(\?)\S", signs="?")  # no question mark of a sentence
_LONGEST = 1000  # lines that an open bracket may go on for
_AFTER_FAILURE = 20  # the same among lines that were already searched in vain for the end of a bracket
_CUTTING = pattern(rf"[,;()\[\]{{}}]|(?<=[^\s=:,;])\s++(?:(?:and|und|et|y|&)\s++)?(?={WRITTEN_NAME}{SIGN})")
_I = "i"
_NOT_NUMBERS = {"inf": math.inf, "infinity": math.inf, "nan": math.nan, "Infinity": math.inf, "NaN": math.nan}


class Problem(NamedTuple):
    """One problem: its label, the source of its program, the source of its point, and its line; None without label or
    point.

    `data` are the inputs with respect to which it is not differentiated.
    """

    label: str | None
    source: Source
    point: Source | None
    line: int
    data: tuple[str, ...] = ()

    def inputs_without_data(self, inputs: Iterable[str]) -> tuple[str, ...]:
        """Return the names in `inputs` that are not data, in their order; (), which means all inputs, without data."""
        return tuple(name for name in inputs if name not in self.data) if self.data else ()


def _make_blanks(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _strip_comment(line: str) -> str:
    return line.partition("#")[0]


def _starts_anew(code: str) -> bool:
    """Return whether a line starts another problem: it has a label or is empty."""
    return not code.strip() or _LABEL.match(code) is not None


def _is_label(code: str) -> bool:
    """Return whether a line is a label with a name and nothing behind its colon."""
    match = _LABEL.match(code)
    return match is not None and bool(match.group(1).strip()) and not code[match.end() :].strip()


def _goes_on(code: str, depth: int) -> bool:
    """Return whether a problem goes on with the next line: a bracket is open, or the line ends in `;` or its label."""
    return "@" not in code and (depth > 0 or code.rstrip().endswith(";") or _is_label(code))


def problem_texts(lines: Iterable[str], first_line: int = 1, most: float = math.inf) -> Iterator[tuple[int, str]]:
    r"""Yield (number of the first line, text) of each problem of a file, in order, as `read_problem` takes them.

    `first_line` is the number of the first line. The lines of one problem are joined by \n. Problems of comments and
    blanks alone are left out; other comments stay. A problem goes on while a bracket is open, or after a line that ends
    in ; or is only a label, unless this line has an @. It ends before a line that has a label or, without its comment,
    is blank. If a bracket is still open where it ends (there, at an @, at the end of the file or after 1000 lines), the
    first line is a problem alone, and the other lines are grouped anew (with at most 20 lines for an open bracket among
    them). Raises RequestError for a problem over several lines with more than `most` characters.
    """
    ahead: deque[str] = deque()  # lines that were read already
    stream = (line.rstrip("\r\n") for line in lines)
    number, start_of_search = first_line - 1, 0

    def next_line() -> str | None:
        return ahead.popleft() if ahead else next(stream, None)

    while (first := next_line()) is not None:
        number += 1
        group, code = [first], _strip_comment(first)
        depth, size = depth_of(code), len(first)
        patience = _AFTER_FAILURE if number < start_of_search else _LONGEST
        while _goes_on(code, depth) and (depth <= 0 or len(group) < patience):
            following = next_line()
            if following is None:
                break
            code = _strip_comment(following)
            if _starts_anew(code):
                ahead.appendleft(following)
                break
            group.append(following)
            size += len(following)
            if size > most:
                raise RequestError(
                    f"the problem that begins on line {number} is too long",
                    label=f"it has more than {most:,} characters",
                    help="close all brackets, or allow more: --max-size",
                )  # fmt: skip
            depth += depth_of(code)
        if depth > 0 and len(group) > 1:  # the bracket was never closed: the first line is a problem of its own
            start_of_search = max(start_of_search, number + len(group))
            ahead.extendleft(reversed(group[1:]))
            del group[1:]
        if any(_strip_comment(line).strip() for line in group):
            yield number, "\n".join(group)
        number += len(group) - 1


def read_problems(lines: Iterable[str], name: str | None = None, first_line: int = 1) -> Iterator[Problem | AdcliError]:
    """Yield the problems of a text in order; an AdcliError instead of one that cannot be split into its parts."""
    for number, text in problem_texts(lines, first_line):
        yield read_problem(text, name, number)


def read_problem(text: str, name: str | None, number: int, products: bool = False) -> Problem | AdcliError:
    """Split a problem into label, program, point and data, and return it; their texts are not parsed yet.

    `name` is that of the file (None: without one), `number` that of the first line. Label and point are None, and data
    (), if the text has none; the label is "" for a colon alone, and program and point may be blank (`x^2 @` has a blank
    point). Places stay those in `text`: other parts and comments are blanked. The point starts at the first @, or at
    words such as `at x=2`; `; data x, t` at the end or just before the @ names inputs that are not differentiated. If
    there are arrays (`products`, or [ or a file in the point), only an @ before `name =` starts a point; others are
    products.

    Returns (does not raise) a SyntaxProblem for a second @, for a choice such as `x ? a : b` whose `:` looks like that
    of a label, or for a record of JSON.
    """
    blank_text = "\n".join(_strip_comment(line).ljust(len(line)) for line in text.split("\n"))
    label = None
    start = 0
    match = _LABEL.match(blank_text)
    if match is not None:
        label, start = match.group(1).strip(), match.end()
    odd = _JSON.match(blank_text) or _CHOICE.search(blank_text, 0, start)
    if odd:
        return _odd_character_error(Source(blank_text, name, number, text), blank_text.index(odd[odd.lastindex or 0]))
    data_match = _DATA.search(blank_text, start)
    if data_match:
        blank_text = blank_text[: data_match.start()] + _make_blanks(data_match) + blank_text[data_match.end() :]
    stop = _find_point_start(blank_text, start, products)
    after = stop + 1
    if stop < 0:
        stop, after = point_in_words(blank_text, start)
    program = blank_text if stop < 0 else blank_text[:stop]
    source = Source(" " * start + program[start:] if start else program, name, number, text)
    point = None
    if stop >= 0:
        second = _FROM_FILE.sub(_make_blanks, blank_text).find("@", after)
        if second >= 0:
            here = Span(second, second + 1, Source(blank_text, name, number, text))
            return SyntaxProblem("a problem has one point", here, "a second @", help="separate values by commas")
        point = Source(" " * after + blank_text[after:], name, number, text)
    data = tuple(plain_name(name.strip()) for name in data_match[1].split(",")) if data_match else ()
    return Problem(label, source, point, number, data)


def _odd_character_error(source: Source, place: int) -> SyntaxProblem:
    """Return the error for the character at the index `place` of the text, with which no token starts; nothing is
    raised.
    """
    from .odd_characters import refuse_character  # only needed if something is wrong

    try:
        refuse_character(source, place)
    except SyntaxProblem as problem:
        return problem


def _find_point_start(text: str, start: int, products: bool) -> int:
    """Return the index of the @ that starts the point of a problem, from `start` on; -1 if it has no point.

    The first that applies:

    - `products`: the first `@ name =`, or -1
    - two or more @, and the first `@ name =` is followed by a [ or a file: this @
    - the first @; one that begins a function of Matlab, `@(x) x^2` at the start or after =, is passed over
    """
    first = text.find("@", start)
    if text.startswith("@(", first) and text[start:first].strip()[-1:] in ("", "="):  # a function of Matlab
        first = text.find("@", first + 1)
    if first >= 0 and (products or text.find("@", first + 1) >= 0):
        match = _POINT.search(text[start:])
        if match is None:
            return -1 if products else first
        stop = start + match.start()
        if products or "[" in text[stop:] or _FROM_FILE.search(text[stop:]):
            return stop
    return first


def pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each piece of the text of a point, with its blanks, from left to right.

    Pieces are separated by commas, semicolons, and blanks (perhaps with and, und, et, y or &) before `name =`, all
    outside brackets.
    Pieces may be empty, as between two commas; an empty text is one empty piece.
    """
    start = 0
    for depth, match in with_depth(_CUTTING, text, 0, len(text)):
        if depth <= 0 and match.group() not in (*OPENING, *CLOSING):
            yield start, match.start()
            start = match.end()
    yield start, len(text)


def option_pieces(texts: Iterable[str], option: str) -> Iterator[Span]:
    """Yield the place of each piece (`pieces`) that is not blank in the texts of an option, in their order."""
    for text in texts:
        for start, end in pieces(text):
            if text[start:end].strip():
                yield Span(start, end, Source(text, option))


class NumberWithSource(float):
    """A value of a point as a double that keeps its text or graph, for arithmetics of higher precision."""

    __slots__ = ("written",)
    written: str | Graph

    def __new__(cls, number: float, written: str | Graph) -> NumberWithSource:
        new = float.__new__(cls, number)
        new.written = written
        return new

    @override
    def __getnewargs__(self) -> tuple[float, str | Graph]:  # type: ignore[override]
        return float(self), self.written


def in_arithmetic(m: Evaluating[T], x: T | Numeral) -> T:
    """Return the value `x` of a point in the arithmetic `m`.

    A NumberWithSource is computed from its text or graph, so that pi/2 has the precision of `m`; inf and nan become
    those of `m`, `i` its imaginary unit. Every other number is converted as it is.
    """
    if not isinstance(x, NumberWithSource):
        return m.number(x)
    if isinstance(x.written, str):
        return m.number(x.written)
    special = {"inf": m.infinity, "infinity": m.infinity, "Infinity": m.infinity}
    inputs = x.written.inputs
    point = {slot: m.number(_I) if name == _I else special.get(name, m.undefined) for slot, name in inputs.items()}
    value: T = evaluate(x.written, m, point)[x.written.outputs[0][1]]
    return value


_AS_POINT = str.maketrans({"{": " ", "}": " ", "'": " ", '"': " ", ":": "="})


def read_point(source: Source, imaginary: bool = False) -> dict[str, float]:
    """Return {name: value} for the point `x1=2, x2=pi/2`, in the order written; empty pieces between commas are
    skipped.

    Values are doubles that keep their text or graph (NumberWithSource). They may be expressions of numbers, and inf or
    nan if written so. `(x, y) = (3, 4)` gives several values; a record of Python or JSON, `{'x': 1, 'y': 2}`, is a
    point too. With `imaginary`, `i` is the imaginary unit, and the double of a complex value is nan.

    Raises SyntaxProblem for an empty point or value, a piece without `name =`, and a number such as 1e400. Raises
    RequestError for a second value of one name, and for a value that depends on a name, is infinite by its operations,
    or is not real. Raises Unspellable for LaTeX without a meaning. Only after
    such an error the text is searched for a sign of the table `points` of grammar/notations.txt, whose message is then
    raised instead.
    """
    try:
        return _read_named_values(source, imaginary)
    except AdcliError:
        from .notations import refuse_written  # only needed after an error

        refuse_written(source, (), "points")
        refuse_written(Source(source.shown, source.name, source.first_line), (), "points")
        raise


def _read_named_values(source: Source, imaginary: bool) -> dict[str, float]:
    """Return {name: value} of the point in `source`, `x1=2, (x, y) = (3, 4)`, or of a dict of Python or JSON, `{'x':
    1}`; with `imaginary` complex values are read too.

    Raises SyntaxProblem for an empty point or a piece without a name, and the errors of reading a value, each at its
    place. Raises RequestError for a name that has a value already, and for numbers of names and values in `(x, y) = …`
    that differ.
    """
    point: dict[str, float] = {}
    if source.text.strip()[:1] == "{":  # of Python or JSON: {'x': 1, 'y': 2}
        source = Source(source.text.translate(_AS_POINT), source.name, source.first_line, source.shown)
    places = [(start, end) for start, end in pieces(source.text) if source.text[start:end].strip()]
    if not places:
        raise empty_point_error(source, "write it as x1=2, x2=5")
    for start, end in places:
        text = source.text[start:end]
        together = _TOGETHER.match(text)
        if together is not None:
            for name, low, high in _values_together(source, start, end, together):
                refuse_second_value(source, name, point, end - len(text.lstrip()), end)
                point[name] = _read_value(source, name, low, high, imaginary)
            continue
        spelled = _spell_piece(source, start, end)
        match = _NAME.match(spelled.text)
        if match is None:
            raise _nameless_value_error(source, start, end, point)
        name = plain_name(match.group(1))
        name_start, value_start = match.start(1), match.end()
        if spelled.starts and spelled.ends:
            name_start, value_start = spelled.starts[name_start], spelled.ends[value_start - 1]
        refuse_second_value(source, name, point, start + name_start, end)
        point[name] = _read_value(source, name, start + value_start, end, imaginary)
    return point


def empty_point_error(source: Source, advice: str) -> SyntaxProblem:
    """Return the error for a point without values, at the end of its text."""
    end = len(source.shown.rstrip())
    return SyntaxProblem("the point is empty", Span(end, end + 1, source), help=advice)


def refuse_second_value(source: Source, name: str, point: Collection[str], start: int, end: int) -> None:
    """Raise RequestError, at the text from `start` to `end` of the source, if `name` is in `point` already."""
    if name in point:
        raise RequestError(
            f"the input {name} has two values", Span(start, end, source), "the second value", help="remove one of them"
        )


def _nameless_value_error(source: Source, start: int, end: int, known: Collection[str]) -> SyntaxProblem:
    """Return the error for the piece from `start` to `end` of a point, which has no `name =`.

    The help shows a point, `x1=2, x2=5`. For digits directly behind a comma and a digit, as in `x=2,5`, it also
    mentions --decimal comma. If not so and the piece is a number, the help is instead this number with a name (the
    first of x, y, z, u, v, w, t that is not in `known`).
    """
    text = source.text[start:end]
    here = Span(end - len(text.lstrip()), end, source)
    advice = f"write a value for it: {text.strip()}=2" if text.strip().isidentifier() else "write it as x1=2, x2=5"
    if source.text[start - 1 : start] == "," and f"{source.text[start - 2]}{text}".isdecimal():
        advice += "; for decimal commas (x=2,5; y=3) add --decimal comma"
    elif NUMBER.match(text):
        unused = next((letter for letter in "xyzuvw" if letter not in known), "t")
        advice = f"write the name of the input, too: {unused}={text.strip()}"
    return SyntaxProblem("a point consists of names with values", here, "name=value is expected here", help=advice)


def source_of_part(source: Source, start: int, text: str) -> Source:
    """Return a source of `text` at the place `start`, with blanks before it, so that messages show the whole text."""
    return Source(" " * start + text, source.name, source.first_line, source.shown)


def _values_together(source: Source, start: int, end: int, match: re.Match[str]) -> Iterator[tuple[str, int, int]]:
    """Return an iterator over (name, start and end of its value in the source) for `(x, y) = (3, 4)`, which is from
    `start` to `end`.

    `match` covers the text up to the bracket of the values. Raises RequestError if there are not as many values as
    names.
    """
    names = [name.strip() for name in match[1].split(",")]
    first, last = start + match.end(), start + len(source.text[start:end].rstrip())
    values = [(first + low, first + high) for low, high in pieces(source.text[first : last - 1])]
    if len(values) != len(names):
        count = f"{len(names)} names and {len(values)} values"
        raise RequestError(
            "each name needs exactly one value", Span(start, end, source), count, help="write it as x=3, y=4"
        )
    return ((name, low, high) for name, (low, high) in zip(names, values, strict=True))


def _spell_piece(source: Source, start: int, end: int) -> Spelling:
    """Return the piece from `start` to `end` of a point in the spelling of the language, where letters are never a
    product.

    The places in the result count from `start`. Raises Unspellable for LaTeX without a meaning, with its place in the
    whole source.
    """
    try:
        return spelling(source.text[start:end], split=False)
    except Unspellable as problem:
        problem.span = Span(start + problem.start, start + problem.end, source)
        raise


def _advise_on_value(name: str, text: str, used: str) -> str:
    """Return the help for the value `text` of `name`, in which the name `used` has no value.

    It begins with "write a number, as in x=pi/2". The first of these that applies is added:

    - `used` is i or j: the option --complex
    - a number is before `used`: there are no units (a unit, or one or two letters); the option --mode (a mode); leave
      it out
    - `text` is more than `used`: write a formula as a step before the expression
    """
    advice = f"write a number, as in {name}=pi/2"
    if used in ("i", "j"):
        return f"{advice}; for the imaginary unit write i and add --complex"
    if NUMBER.match(text.partition(used)[0]):
        from .ambiguous_names import UNITS  # only needed if something is wrong

        if len(used) < 3 or f" {used} " in UNITS:
            return f"{advice}; adcli computes without units: write all values in units that fit together"
        is_mode = used in ("forward", "reverse", "both")
        return advice + (f"; a mode is an option: --mode {used}" if is_mode else f"; leave {used} out")
    return advice if text == used else f"{advice}; a formula is a step before the expression: {name} = {text}; …"


def _read_value(source: Source, name: str, start: int, end: int, imaginary: bool) -> float:
    """Return the value of `name` written in `source` from `start` to `end`, as a NumberWithSource.

    A plain number keeps its text; an expression, inf and nan keep their graph. With `imaginary` `i` is the imaginary
    unit, and the double of a value with i in it is nan, even if it is real, as `i*i`.

    Raises SyntaxProblem if the value is empty or has a number that is too large, and the errors of `read_program`.
    Raises RequestError if it depends on a name other than inf, infinity, nan (and i). Raises RequestError if it is
    infinite or, without `imaginary`, nan, although none of these names is in it.
    """
    text, here = source.text[start:end], Span(start, end, source)
    if not text.strip():
        behind = Span(end, end + 1, source)
        raise SyntaxProblem(f"{name} has no value", behind, NOTHING_WRITTEN, help="write a number")
    if NUMBER.match(text):
        number = float(text)
        if not math.isinf(number):
            return NumberWithSource(number, text.strip())
    part = source_of_part(source, start, text)
    known = {**_NOT_NUMBERS, **({_I: math.nan} if imaginary else {})}
    graph = read_program(part, known).graph
    for slot, used in graph.inputs.items():
        if used not in known:
            title, label = f"the value of {name} is not a number", f"{used} is a name without a value"
            advice = _advise_on_value(name, text.strip(), used)
            raise RequestError(title, Span(*graph.spans[slot], part), label, help=advice)
    values = evaluate(graph, FLOAT, {slot: known[used] for slot, used in graph.inputs.items()})
    result = float(values[graph.outputs[0][1]])
    if math.isnan(result) and not graph.inputs and not imaginary:
        title = f"the value of {name} is not a real number"
        raise RequestError(title, here, "this has no value", help="write a number")
    if math.isinf(result) and not graph.inputs:
        raise RequestError(f"the value of {name} is infinite", here, help=WRITE_INF)
    return NumberWithSource(result, graph)
