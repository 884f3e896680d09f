"""The model of an answer: a task, what a student wrote, as it was read, and the marks of derivatives in names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType

from ..errors import AdcliError, Source, Span
from ..graph.graph import CONSTANTS, Graph
from ..language.advice import synonyms
from ..language.program import Program
from ..language.scanner import plain_name, plain_spelling
from ..notation.typeset_names import greek_name
from ..records import NamedTuple
from ..table.primitive import lookup
from ..typings import TYPE_CHECKING

if TYPE_CHECKING:
    from ..arrays.array_program import ArrayProgram

_ALPHABETS = ("abcdefghijk", "lmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
VALUE, DOT, BAR, DERIVATIVE = "value", "dot", "bar", "derivative"
# Words that mark derivatives, and marks in names.
WORDS = {word: kinds[0] for word, kinds in synonyms("marks").items()}
_KINDS = {**WORDS, "quer": BAR, "barre": BAR, "barra": BAR, "tan": DOT, "prime": DOT}
_IN_NAMES = sorted(_KINDS.keys() - {"D"}, key=lambda word: (-len(word), word))  # adjoint before adj
_INNER = ("tan", "tangent", "tangente", "prime")  # marks between letters and number only
_AFFIXES = (("d_", "", DERIVATIVE), ("d", "", DERIVATIVE), ("", "'", DERIVATIVE))  # prefix, suffix and kind
# What stands before or after names of rows for a derivative where several rows have it: x1b and v1b, as in Tapenade.
# The last ones are what dv1 is.
MARKS_IN_COMPANY = (
    ("?b", "", BAR), ("?d", "", DOT), ("b", "#", BAR), ("d", "#", DOT),  # vb1, and b1 for v1
    *(("", mark, BAR) for mark in ("b", "_b", "B", "_B", "a", "_a", "A", "_A", "_")),
    *((mark, "", BAR) for mark in ("b", "a_", "b_", "ad", "ad_", "λ", "λ_", "lambda_")),
    *(("", mark, DOT) for mark in ("d", "_d", "D", "_D", "t", "_t", "p", "_p", "tan", "_tan", "prime", "_prime")),
    *((*mark, DOT) for mark in (("", "_tangent"), ("", "tangent"), ("tangent_", ""), ("tan_", ""), ("prime_", ""))),
    *((mark, "", DOT) for mark in ("t_", "g_")),
    *((mark, "", DERIVATIVE) for mark in ("D", "D_", "Δ", "Δ_", "δ", "δ_", "delta", "delta_")),
)  # fmt: skip


_GREEK = {"eps": "ε", "lam": "λ", "sig": "σ", "gam": "γ", "om": "ω", "th": "θ", "del": "δ", "alph": "α"}


class NotGradable(AdcliError):
    """The error of an answer that has nothing that can be marked, with exit code 4."""

    exit_code = 4


class Task(NamedTuple):
    """A problem to be solved by hand: its program and its point.

    `mode` is what has to be computed (None: the value and every derivative, in any way), `wrt` the inputs to
    differentiate with respect to (empty: all). `points` is what the task is worth, distributed over its quantities by
    their weights; None gives each its weight. `weights` are those of single quantities, by their names in marks: `v̄2`,
    `v̇3[x1]`. Without a point the task asks for formulas, those of the derivatives of this `order`; with a point and an
    `order` above 1 the outputs of `program` are these derivatives, and their values are requested. `arrays` are the
    blocks of a problem with vectors or matrices, whose point is by entry. `fixed` are inputs that have the value of the
    point wherever formulas are compared, so that `-ln(p)` is `-t*ln(p)` for t = 1. `kink_weight` chooses the slope of a
    kink that is at the point: 0 is that from the left, 1 that from the right; None is the table's own.
    """

    label: str | None
    program: Program
    at: Mapping[str, float]
    mode: str | None = None
    wrt: tuple[str, ...] = ()
    points: Fraction | None = None
    weights: Mapping[str, Fraction] = MappingProxyType({})
    order: int = 1
    arrays: ArrayProgram | None = None
    fixed: frozenset[str] = frozenset()
    kink_weight: float | None = None

    @property
    def data(self) -> frozenset[str]:
        """Return the inputs by which nothing is to be differentiated."""
        return frozenset(self.program.graph.inputs.values()).difference(self.wrt) if self.wrt else frozenset()

    @property
    def is_between_slopes(self) -> bool:
        """Return whether the slope at a kink is that of neither side, so that no point nearby has it."""
        return self.kink_weight not in (None, 0, 1)

    @property
    def asks_formulas(self) -> bool:
        """Return whether the task asks for derivatives as formulas: the problem has inputs and no point."""
        return not self.at and bool(self.program.graph.inputs)


class Quantity(NamedTuple):
    """The quantity that a student's symbol denotes, by the student's own name of the row.

    value       `v3`
    dot         `v̇3`; `key` is the input that moves, None if it is not written
    bar         `v̄3`; `key` is the output, None if it is not written
    derivative  `dv3/dx1`, `∂y/∂v3`: of the row `name` by the row `key`; judging decides which of the others it is
    """

    kind: str
    name: str
    key: str | None = None


class Numeral(NamedTuple):
    """A number as it is shown: its value, the unit of its last place (1/1000 for 0.693), and 1 if an ellipsis says that
    it is cut off, else 0."""

    value: Fraction
    unit: Fraction
    is_cut: int = 0


DECIMAL_COMMA = "--decimal comma"  # the help of what cannot be read for its decimal comma


TWO_NUMBERS = "a different number is before this one"  # the label of numbers that differ where one is needed


class RowPiece(NamedTuple):
    """One of the expressions that the equals signs of a row join.

    A numeral has a `number`.  Anything else that can be read has a `graph` with one output, whose inputs are
    `quantities` by name; without quantities it is arithmetic (`2 × 5`, `ln 2`, `1/2`).  What cannot be read has a
    `problem` and neither; two numbers that differ have a `problem` and the last of them.
    """

    span: Span
    number: Numeral | None = None
    graph: Graph | None = None
    quantities: Mapping[str, Quantity] = MappingProxyType({})
    problem: AdcliError | None = None

    def renamed(self, known: Mapping[Quantity, Quantity]) -> RowPiece:
        """Return the piece with its quantities replaced by those that `known` has for them; the graph stays."""
        return self._replace(quantities={name: known.get(each, each) for name, each in self.quantities.items()})


def line_of(span: Span) -> int:
    """Return the number of the line of the answer in which a span begins, from 1."""
    return span.source.position(span.start)[0]


class Entry(NamedTuple):
    """One row of an answer: what it says it computes, and the pieces to the right of that.

    `source` is the student's own line (of a table, the cells of the row), `span` the place of the symbol in it.  No
    pieces, or only blank ones that were left out: the row was left empty.  `adds` is True for a row that is written as
    a contribution to a sum, as with `+=`.
    """

    quantity: Quantity
    pieces: tuple[RowPiece, ...]
    source: Source
    span: Span
    adds: bool = False

    @property
    def line(self) -> int:
        """Return the number of the line in the answer, from 1."""
        return line_of(self.span)

    @property
    def place(self) -> Span:
        """Return where the row is in the line of its symbol: from the symbol to the end of its last piece there."""
        spans = (self.span, *(piece.span for piece in self.pieces))
        end = max(each.end for each in spans if each.source is self.span.source)
        return Span(self.span.start, end, self.span.source)

    @property
    def symbols(self) -> Iterator[Quantity]:
        """Yield the quantities in the formulas of the row, piece by piece, also repeatedly."""
        return (quantity for piece in self.pieces for quantity in piece.quantities.values())

    @property
    def is_unfinished(self) -> bool:
        """Return whether an equals sign, with no piece behind it, follows the last piece in the line of the symbol."""
        return self.place.source.text[self.place.end :].lstrip().startswith(("=", "≈"))

    def renamed(self, known: Mapping[Quantity, Quantity]) -> Entry:
        """Return the row with its own quantity, and those in its formulas, replaced by those that `known` has."""
        pieces = tuple(piece.renamed(known) for piece in self.pieces)
        return self._replace(quantity=known.get(self.quantity, self.quantity), pieces=pieces)


class Unread(NamedTuple):
    """A line that should have been a row and could not be read, and why."""

    span: Span
    problem: AdcliError

    @property
    def line(self) -> int:
        return line_of(self.span)


class LeftOut(NamedTuple):
    """A part of an answer that is not a row of it, and why: crossed out, quoted, unread, other homework."""

    span: Span
    why: str

    @property
    def line(self) -> int:
        """Return the number of its line in the answer, from 1."""
        return line_of(self.span)

    @property
    def text(self) -> str:
        """Return the text of the span with runs of white space as single blanks."""
        return " ".join(self.span.text.split())


class Answer(NamedTuple):
    """An answer as it was read: its form, its lines as people see them, and what is in them in the order written.

    `section` names the problem that this part of the answer is about, where the answer has headings.  `notes` are
    sentences that say what was assumed in reading it.
    """

    form: str
    lines: tuple[str, ...]
    entries: tuple[Entry, ...]
    unread: tuple[Unread, ...] = ()
    section: str | None = None
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()

    def renamed(self, known: Mapping[Quantity, Quantity], *notes: str) -> Answer:
        """Return the answer with its quantities replaced by those that `known` has for them, and with further notes."""
        entries = tuple(entry.renamed(known) for entry in self.entries)
        return self._replace(entries=entries, notes=(*self.notes, *notes))

    def with_names(self, names: Mapping[str, str], *notes: str) -> Answer:
        """Return the answer with the names of its quantities replaced, `names` old to new, and with further notes."""
        quantities = {each for entry in self.entries for each in (entry.quantity, *entry.symbols)}
        new = {q: Quantity(q.kind, names.get(q.name, q.name), q.key and names.get(q.key, q.key)) for q in quantities}
        return self.renamed(new, *notes)

    def without(self, rows: Collection[Entry], why: str) -> Answer:
        """Return the answer without these rows, which are left out with the reason `why`; itself for no rows."""
        entries = tuple(entry for entry in self.entries if not any(entry is row for row in rows))
        left_out = (*self.left_out, *(LeftOut(row.place, why) for row in rows))
        return self._replace(entries=entries, left_out=left_out) if rows else self

    def with_unread_left_out(self) -> Answer:
        """Return the answer with its unread lines among those that are left out, with the reason why, by place."""
        lines = [*self.left_out, *(LeftOut(unread.span, unread.problem.title) for unread in self.unread)]
        rows = (entry for entry in self.entries if entry.pieces[-1:] and entry.pieces[-1].problem is None)
        lines += (LeftOut(p.span, p.problem.title) for row in rows for p in row.pieces if p.problem is not None)
        return self._replace(left_out=tuple(sorted(lines, key=lambda each: (each.line, each.span.start))), unread=())


def numbered_inputs(count: int) -> list[str]:
    """Return the names of `count` inputs if the rows after them begin with v1: `v-1`, `v0`."""
    return [f"v{number - count + 1}" for number in range(count)]


def inputs_in_other_signs(inputs: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield (name, input) for inputs that are written in other signs: C_d for Cd, Cd for C_d, ε for eps.

    An underscore is put after the first letter, or taken away there, if all that follows are letters (not x1), one or
    more, and that text is not itself an input (not f_x next to x). For names in a short list (`_GREEK`) such as eps,
    lam and th the Greek letter and its name, epsilon, are yielded, before e_ps; not eps for ε. Of Cd and C_d, both
    inputs, each is yielded for the other.
    """
    for name in inputs:
        index = name[1:].removeprefix("_")
        if name in _GREEK:
            yield from ((_GREEK[name], name), (greek_name(_GREEK[name]), name))
        if index.isalpha() and index not in inputs:
            yield name[0] + "_" * (index == name[1:]) + index, name


def without_numbers(inputs: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield (V, V1) for each input with a number, if no other input has its stem and no function or constant has it."""
    stems = [name.rstrip("0123456789") for name in inputs]
    for stem, name in zip(stems, inputs, strict=True):
        if stem != name and stems.count(stem) == 1 and lookup(stem) is None and stem not in CONSTANTS:
            yield stem, name


def row_letters(names: Iterable[str]) -> str:
    """Return the consecutive letters that may name rows, to be zipped with the rows in order: "abcde" for a and c.

    The alphabets a to k, l to z and A to Z are tried in order; the first with two or more single letters of `names` is
    used. The result starts at a if the first of these letters is a or b, otherwise at the first of them. It ends two
    letters after the last of them, or at the end of the alphabet. No further alphabet is tried. Return "" if no
    alphabet has two of the letters, or if more than one letter in a row is missing between the start and the last of
    them.
    """
    letters = {name for name in names if len(name) == 1}
    for alphabet in _ALPHABETS:
        places = sorted(alphabet.index(letter) for letter in letters.intersection(alphabet))
        if len(places) < 2:
            continue
        start = 0 if places[0] < 2 else places[0]
        gaps = (later - place for place, later in pairwise((start - 1, *places)))
        return alphabet[start : places[-1] + 3] if max(gaps) <= 2 else ""
    return ""


def derivatives_by_index(written: Sequence[str], inputs: Collection[str]) -> frozenset[str]:
    """Return the names such as `n_x` and `d_y` that are derivatives of rows n and d with respect to inputs x and y.

    `written` are the names on the left of rows, in order. A row must come before its derivatives, and is not an input.
    Return an empty set unless there are derivatives of two or more rows, and together they are with respect to all
    `inputs`, two or more.
    """
    parts = {name: name.partition("_") for name in written}
    order = {name: place for place, name in reversed([*enumerate(written)])}
    indexed = {name: part for name, part in parts.items() if order.get(part[0], order[name]) < order[name]}
    indexed = {name: part for name, part in indexed.items() if part[2] in inputs and part[0] not in inputs}
    rows, by = ({part[end] for part in indexed.values()} for end in (0, 2))
    return frozenset(indexed) if len(rows) > 1 < len(by) == len(inputs) else frozenset()


@lru_cache(maxsize=4096)
def normal(name: str) -> str:
    r"""Return a plain name in one spelling: `v_3`, `v_{3}` and `v₃` are v3, `v_{-1}` is v-1; `x_a` stays.

    Braces and typographic signs are respelled. An underscore is removed only before a whole number at the end: `x1_3`
    is x13. Blanks are removed; primes, also `^\prime`, are at the end as `'`.
    """
    name = name.replace("^{\\prime}", "'").replace("^\\prime", "'").replace(" ", "")
    primes = "'" * name.count("'")  # v'_1 is v_1'
    name = plain_name(plain_spelling(name.replace("'", "")))
    stem, underscore, index = name.rpartition("_")
    if underscore and stem and index.lstrip("+-").isdecimal():
        name = stem + index
    return name + primes


def without_affixes(name: str, affixes: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, str, str, str]]:
    """Yield (prefix, suffix, kind, stem) for each of `affixes`, (prefix, suffix, kind), that `name` has.

    The stem is `name` without prefix and suffix, as `normal` returns it; it is not empty. Prefix and suffix are yielded
    as they are in `affixes`; capitals matter. Two affixes are patterns. The prefix `?b` means a b between one sign, of
    whatever kind, and a number: vb1 has the stem v1. The suffix `#` means that the prefix replaces the letter v before
    a number: b1 has the stem v1.
    """
    for before, after, kind in affixes:
        if before[:1] == "?" or after == "#":
            letter = name[:1] if before[:1] == "?" else ""
            number = name.removeprefix(letter + before[-1:])
            if number.isdecimal() and number != name:
                yield before, after, kind, normal((letter or "v") + number)
        elif name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after):
            yield before, after, kind, normal(name[len(before) : len(name) - len(after)])


def read_marks(name: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield (stem, mark, kind, row) for each way to read `name` as a derivative: ("v", "bar", BAR, "v1") for `vbar1`.

    `name` is as `normal` returns it. Words, in any capitals, come first, long ones before short ones. The parts are:

    - `stem`: the text before a mark inside the name, or "" if the mark is before or after the row: ("", "dot", DOT,
      "v1") for `v1_dot`.
    - `mark`: the word in small letters; bar, adj and grad are BAR, dot and tan are DOT (`_KINDS`). It is "" for the
      letter d before the row and a prime after it, whose kind is DERIVATIVE: `delta` gives elta too.
    - `row`: the name of the row without the mark; the answer need not have this row.

    `tan`, `tangent` and `prime` are marks only between letters and a number. The word `grad` is a mark only if the name
    has an underscore or the row ends in a digit.
    """
    lower = name.lower()
    for word in filter(lower.__contains__, _IN_NAMES):
        place = lower.index(word)
        stem, index = name[:place].rstrip("_"), name[place + len(word) :].lstrip("_")
        is_inner = index.lstrip("-").isdecimal() and stem[-1:].isalpha()
        row = normal(stem + index)
        is_row = word != "grad" or "_" in name or row[-1:].isdecimal()
        is_outer = "" in (stem, index) and word not in _INNER and is_row
        if row and (is_inner or is_outer):
            yield stem if is_inner else "", word, _KINDS[word], row
    yield from (("", "", kind, row) for *_, kind, row in without_affixes(name, _AFFIXES) if row)


@lru_cache(maxsize=4096)
def may_be_derivative(name: str) -> bool:
    """Return whether a name is spelled as a tangent or an adjoint of some row: `dv1`, `v1dot`, `vdot1`, `adj_v1`."""
    return any(row for *_, row in read_marks(normal(name)))


@lru_cache(maxsize=4096)
def has_inner_mark(name: str) -> bool:
    """Return whether a name has the word of a derivative between its letters and its number: `vbar1`, `v_dot_1`."""
    return any(stem for stem, *_ in read_marks(normal(name)))
