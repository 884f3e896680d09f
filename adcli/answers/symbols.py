"""Symbols as students spell them, `v̇3`, `dv3/dx1`, `\\bar{v}_3`, `v3bar`, as quantities over plain names. A quantity
is the value, tangent (DOT), adjoint (BAR) or DERIVATIVE of a row.

Names in one spelling (`normal`) are compared; a row's name is spelled as the task or its left side spells it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import combinations

from ..graph.graph import CONSTANTS
from ..language.advice import synonyms
from ..language.name_parts import functions, pieces_of
from ..language.scanner import AGGREGATES, logarithm_base, plain_spelling
from ..language.spelling import LOGIC_WORDS
from ..notation.typeset_names import GREEK, greek_letter
from ..patterns import pattern
from ..records import NamedTuple
from ..table.primitive import lookup
from ..table.suggest import product_of
from .answer_model import (
    BAR,
    DERIVATIVE,
    DOT,
    MARKS_IN_COMPANY,
    VALUE,
    WORDS,
    Quantity,
    derivatives_by_index,
    inputs_in_other_signs,
    normal,
    numbered_inputs,
    read_marks,
    row_letters,
    without_affixes,
    without_numbers,
)  # fmt: skip
from .higher_derivatives import spellings
from .line_rewriting import apply_rules, rewritings
from .row_grammar import RowParts, parse

_SUFFIX = r"(?:_?(?:dot|bar|adj|tan|[abdptABD]))"  # v_{-1}dot
_PRIMES = r"(?:(?:'++|\^\{?\\prime\}?)(?:_?\d++|_\{\d++\})?+)?+"
_LETTERS = GREEK | {"varepsilon", "vartheta", "varphi", "ell"}  # the commands of `macro` with which a name begins
_PLAIN, _PLAIN_ASCII = (  # the second one, which is compiled sooner, for ASCII without backslashes
    pattern(
        rf"(?:(?=(?P<macro>{macro}))\\[A-Za-z]++|(?!{raised})[^\W\d_])"
        rf"(?:_\{{\s*+[-+]?\w++\s*+\}}|_(?=\{{)|(?:(?!_\{{|{raised})\w)++)?+"
        rf"(?:_\{{\s*+[-+]?\w++\s*+\}})?+(?:(?<=\}}){_SUFFIX}(?![\w{{]))?+{_PRIMES}"
    )
    for macro, raised in ((r"\\[A-Za-z]++\*?+", "[¹²³⁰-ⁿʰ-ʸˣᵃ-ᵡᶛ-ᶿ]"), ("(?!)", "(?!)"))
)
_MARKS = {"\u0307": DOT, "\u0304": BAR, "\u0305": BAR}
_ACCENTS = {"dot": DOT, "bar": BAR, "overline": BAR}
_ATTRIBUTE, _DIFFERENTIAL = rewritings("attributes"), rewritings("differentials")
_GREEK_STEM = pattern(rf"({'|'.join(sorted(GREEK))})(?![^\W\d_])")
_ARTICLES = synonyms("articles")
SIGMOID = ("σ", "\\sigma", "sigma")
_HYPHENED = pattern(
    rf"(?:(?<!\w)|(?<=(?<!\w)d)|(?<=∂)|(?<=_))([^\W\d_])([\u0307\u0304\u0305]?)_?(-\d++)(?={_SUFFIX}?+(?!\w))"
)
_INSIDE = pattern(r"[^\W\d_]+?(?:_\{\w+\}|_?\d+)'*")
_DERIVED = pattern(r"d_?+(.+?)_?d_?+(.+)\Z", signs="d")  # dydx, dy_dx1, d_y_d_x
# How derivatives begin, and of which signs the text then has one.
_DERIVATIVES = (
    (("\\",), ("\\",)), (("d", "∂", "𝑑"), ("/",)), (("",), ("'", *_MARKS)),
    ((*WORDS, *(word.capitalize() for word in WORDS)), ("",)),
)  # fmt: skip
FUNCTIONS = "fghFGH"  # what outputs are called where they have no name


class Symbol(NamedTuple):
    """A symbol in a text: the offset where it ends, and its parts, each a quantity or text of the language."""

    end: int
    parts: tuple[Quantity | str, ...]


def separate_accents(text: str) -> tuple[str, list[int]]:
    """Return (text with accents as separate characters, offsets of these characters in `text`).

    For `ẋ1`, with ẋ as one character: x, a dot and 1, and the offsets 0, 0, 1, 2; the last one is the length of `text`.
    Signs get the language's spelling, `x1.grad` becomes `x1_grad`, `x1-bar` x1_bar. Only one dot or bar above (U+0307,
    U+0304, U+0305) is separated from its letter."""
    text = apply_rules(plain_spelling(text).replace("₋", "-"), _ATTRIBUTE)
    if text.isascii():
        return text, list(range(len(text) + 1))
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        decomposed = unicodedata.normalize("NFD", character)
        parts = decomposed if len(decomposed) == 2 and decomposed[1] in _MARKS else character
        characters += parts
        places += [place] * len(parts)
    return "".join(characters), [*places, len(text)]


class NameSources(NamedTuple):
    """The sources of the names in an answer.

    `inputs`, `outputs` and the named `steps` are the task's, `lefts` the plain names on the left of the answer's rows,
    `called` those that occur there with arguments and `derived` those whose tangents or adjoints do, both sorted.
    `differential` is the kind of `dv1`: DOT or BAR; `point` has pairs of inputs and their values, as far as known;
    `wrt` are the inputs with respect to which to differentiate, empty for all. `factors`: zb is z·b where b is a name,
    not an adjoint; `denominators`: E/RT is E/(R·T).
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    lefts: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    differential: str = DOT
    point: tuple[tuple[str, float], ...] = ()
    steps: tuple[str, ...] = ()
    wrt: tuple[str, ...] = ()
    factors: bool = True
    denominators: bool = False


class Names:
    """The names that may occur in an answer, and the quantities that symbols mean.

    The attributes are those of its `sources`, `point` as a dictionary and `wrt` with all inputs if it was empty;
    `known` maps every spelling of a name to the name.
    """

    def __init__(self, sources: NameSources) -> None:
        """Build `known`, {spelling of a name: name}, from the task's names and the answer's left sides.

        Names of the task also have other spellings: θ for theta, C_d for Cd, V for V1 if nothing else is called V, and
        those of higher derivatives; v-1 and so on, for several inputs and no v. Left sides spelled as derivatives of
        other rows are not names. If no left side is the single output, f, g or h may be it. No `wrt`: all inputs."""
        inputs, outputs, lefts, called, derived, self.differential, point, steps, wrt, *readings = sources
        self.sources, (self.factors, self.denominators) = sources, readings
        self.inputs, self.outputs, self.steps, self.wrt = inputs, outputs, steps, wrt or inputs
        self.called, self.point = frozenset(called), dict(point)
        self.known = {normal(key): real for key, real in (*inputs_in_other_signs(inputs), *spellings(inputs, outputs))}
        self.known |= {normal(name): name for name in (*steps, *outputs, *inputs)}
        self._task = frozenset(self.known)
        self._capitals = {normal(real).upper(): real for real in self.inputs}  # X for x
        for name in self._task:  # θ for theta
            letter = _GREEK_STEM.match(name) if name.startswith(tuple(GREEK)) else None
            if letter:
                self.known.setdefault(greek_letter(letter[1]) + name[letter.end(1) :], self.known[name])
        written = [normal(name) for name in lefts]
        self._lefts, self._indexed = frozenset(written), derivatives_by_index(written, self.wrt)
        self._derived = stems = {row for name in written for *_, row in read_marks(name)}.union(derived)
        rows = {row for row in stems.union(written) if self._task.isdisjoint((row, row.lower()))}
        self._functions = self._letters_of_output(stems.union(written))
        self._letters = frozenset(() if rows.isdisjoint(written) else row_letters(rows))
        self.known |= {letter: letter for letter in stems.intersection(self._letters) if letter not in self.known}
        candidates = {*self.known, *written}
        self._marks = self._marks_in_use(written, candidates)
        self._add_written(written, candidates)
        self.known |= {key: real for key, real in without_numbers(inputs) if key not in candidates | self.known.keys()}
        if "v" not in candidates:  # the inputs in the numbering of the survey, the last one v0
            self.known |= {name: name for name in numbered_inputs(len(self.inputs))[:-1] if name not in self.known}
        several = [(name, real) for name, real in self.known.items() if len(name) > 1 or real in self._task]
        self._fold = {name.casefold(): real for name, real in reversed(several)}  # L is another row than l

    def _letters_of_output(self, rows: Collection[str]) -> str:
        """Return letters that may mean the only output: "fghFGH", but "fF" if two are rows or the output has a row."""
        is_named = any(normal(output) in rows for output in self.outputs)
        letters = [name for name in FUNCTIONS if name in rows and name not in self._task]
        return "fF" if is_named or len(letters) > 1 else FUNCTIONS

    def _add_written(self, written: Sequence[str], candidates: set[str]) -> None:
        """Add the names on the left of rows, `written`, to `known`, {name: name of its row}, except derivatives such as
        `dv1`.

        In this order:
        - names f1, f2 of the outputs y1, y2, then the name of the output, such as E of `E_x` (`_add_result`);
        - all other names: `X1` is the task's x1 (`_task_name`), `v-1` is v1 unless v1 is one of `candidates`;
        - if the only output has no row: the last name with a row, if it may mean the output (f, g or h, `_functions`)
          and has a derived row `f_bar`.
        `candidates` are the names of which a name may be the derivative; the names that are known before the second
        case are added to this set, in place."""
        self.known |= self._numbered_outputs(written)
        self._add_result(written)
        candidates |= self.known.keys()
        for name in written:
            if name not in self.known and not self._is_derivative(name, candidates - {name}):
                without = name.replace("-", "")
                self.known[name] = self._task_name(name, written) or (name if without in candidates else without)
        rows = [name for name in written if self.known.get(name) == name]
        if len(self.outputs) != 1 or self.outputs[0] in written or len(self.called) > 1:
            return
        for name in {name.partition("_")[0] for name in written if name not in self.known}.intersection(rows[-1:]):
            if name in self._functions:
                self.known[name] = self.outputs[0]

    def _add_result(self, written: Sequence[str]) -> None:
        """Add the student's own name of the only output to `known`: E for `dEdx`, `E_x` (`written`), or for `E(x)` with
        Ė.

        The first of these spellings that is in use counts. `dEdx` must be written for all of `wrt`; for `E_x` see
        `_stems_with_index`; E of `E(x)` must have no other meaning. Nothing is added if there are several outputs,
        several names in that spelling, or several functions with arguments on the left of rows."""
        called = {name.partition("_")[0] for name in self.called}
        stems = self._stems_of_quotients(written) or self._stems_with_index(written)
        stems = stems or called.intersection(self._derived).difference(self.known)
        if len(stems) == len(self.outputs) == 1 and len(called) < 2:
            self.known[stems.pop()] = self.outputs[0]

    def _stems_of_quotients(self, written: Sequence[str]) -> set[str]:
        """Return {"E"} if `dEdx` and the like are `written` for all of `wrt`, E having no meaning or row; else none."""
        matches = [match for name in written if (match := _DERIVED.match(name))]
        pairs = [each.groups() for each in matches if each[1] not in self.known and each[1] not in written]
        is_whole = set(self.wrt) <= {self.known.get(below) for _, below in pairs}
        return {above for above, _ in pairs} if is_whole else set()

    def _stems_with_index(self, written: Sequence[str]) -> set[str]:
        """Return {"E"} if names such as `E_x`, an unknown stem and an input as index, are `written`; {"E", "F"} for
        `E_x` and `F_x`, none if an output is written, or if E is but not as the last of the names but those and `E_u`.
        A stem of several letters must be that last name, and one name with an index be there for each of `wrt`."""
        indexed = [name for name in written if self.known.get(name.partition("_")[2]) in self.inputs]
        stems = {name.partition("_")[0] for name in indexed} - self.known.keys()
        stem = next(iter(stems), "")
        values = [name for name in written if name not in indexed and not name.startswith(f"{stem}_")]
        is_last = stem in values[-1:]
        is_result = is_last >= (stem in values) if len(stem) == 1 else is_last and len(indexed) == len(self.wrt)
        return stems if is_result and set(self.outputs).isdisjoint(written) else set()

    def _numbered_outputs(self, written: Sequence[str]) -> dict[str, str]:
        """Return the outputs by the names f1 and f2, for y1 and y2, if all of these and no name of the task are in
        `written`; else {}."""
        if len(self.outputs) < 2 or not self._task.isdisjoint(written):
            return {}
        families = ({letter + real[1:]: real for real in self.outputs if real[1:].isdecimal()} for letter in FUNCTIONS)
        return next((family for family in families if len(family) > 1 and family.keys() <= set(written)), {})

    def _marks_in_use(self, written: Collection[str], candidates: set[str]) -> tuple[tuple[str, str, str], ...]:
        """Return the marks of derivatives in this answer, (prefix, suffix, kind): ("", "_b", BAR) for `v1_b`, `v2_b`.

        `written` are the names on the left of rows, `candidates` all names. The marks of MARKS_IN_COMPANY are tried in
        order, if two or more names are written; names of the task have none. A mark must be on names of two or more
        rows in `candidates`, and mark derivatives (`_is_mark`); the rows may all be inputs for δ and a letter of a mark
        before. The kind DERIVATIVE becomes `differential`. Marks on a row that two of one kind share are dropped."""
        names = set(written).difference(self._task)
        marks: list[tuple[str, str, str, set[str]]] = []
        for before, after, kind in MARKS_IN_COMPANY if len(written) > 1 else ():
            unmarked = (row for name in names for *_, row in without_affixes(name, [(before, after, kind)]))
            rows = candidates.intersection(unmarked)
            letter = (before + after).strip("?_#")
            is_used = before[:1] == "δ" or any(letter == (mark[0] + mark[1]).strip("?_#") for mark in marks)
            if len(rows) > 1 and self._is_mark(before + after, rows, candidates, is_used):
                marks.append((before, after, self.differential if kind == DERIVATIVE else kind, rows))
        shared = (one[3] & other[3] for one, other in combinations(marks, 2) if one[2] == other[2])
        parts: set[str] = set().union(*shared)
        return tuple(mark[:3] for mark in marks if parts.isdisjoint(mark[3]))

    def _is_mark(self, mark: str, rows: set[str], candidates: set[str], is_used: bool) -> bool:
        """Return whether `mark`, the prefix and suffix of names of `rows`, marks derivatives. False if all rows are
        inputs, unless `is_used` (another mark has its letter), and for a factor: with `factors`, `mark` without `_` is
        in `candidates` (all names), it or no row an output. False for `b#` unless the rows are all v with a number."""
        if mark[1:] == "#" and rows != {row for row in candidates if row[:1] == "v" and row[1:].isdecimal()}:
            return False
        real = {self.known.get(row) or self._output(row) for row in rows}
        is_output = self._output(mark.removesuffix("_")) is not None  # g_ of g_x, not a tangent
        is_factor = self.factors and mark.strip("_") in candidates and (is_output or real.isdisjoint(self.outputs))
        return (is_used or not real <= set(self.inputs)) and not is_factor

    def _task_name(self, name: str, written: Collection[str]) -> str | None:
        """Return the output or input that `name` is in other capitals, y for `Y`, x1 for `X1`; None if there is none.

        Outputs come first. None too if that one has a row in `written` or `name` begins with a small v, and for inputs
        without a digit at the end."""
        for real in (*self.outputs, *self.inputs):
            if normal(real).casefold() == name.casefold() and (real in self.outputs or name[-1:].isdecimal()):
                return None if normal(real) in written or name[:1] == "v" else real
        return None

    # --- what a symbol means -----------------------------------------------------------------------------------------

    def own(self, raw: str) -> str:
        """Return the name of the row that `raw` means, as the task or the answer spells it.

        The first of, for `normal(raw)`: a known name; one that differs in capitals only (a single letter only if it is
        the task's); the output that f, g or h, alone or with a number, means (`_output`); itself."""
        name = normal(raw)
        if name in self.known:
            return self.known[name]
        folded = self._fold.get(name.casefold())
        return folded or self._output(name) or name

    def _output(self, name: str) -> str | None:
        """Return the output that `name` means: one of f, g, h, F, G, H, alone or with a number; None for another name.

        The only output is meant by f and F alone, and by the others unless two of the letters are rows or the output
        has a row; never if it is an input. With a number, or with several outputs, it is the first output, not an
        input, with the same text after its first letter: f2 means y2, f means y. None if there is none."""
        if name[:1] not in FUNCTIONS or (name[1:] and not name[1:].isdecimal()):
            return None
        if len(self.outputs) == 1 and len(name) == 1:
            return None if self.outputs[0] in self.inputs or name not in self._functions else self.outputs[0]
        return next((real for real in self.outputs if real not in self.inputs and real[1:] == name[1:]), None)

    def result_of(self, name: str) -> str | None:
        """Return the output that a plain name means, f, g or h even if it is an input; None if it is not an output."""
        single = self.outputs[0] if len(self.outputs) == 1 and name in FUNCTIONS else None
        return self.known.get(name) if self.known.get(name) in self.outputs else self._output(name) or single

    def result(self, raw: str) -> str:
        """Return the name of the result in `f(x1, x2) = …`: a known name, else the only output, if it is not an input,
        else `own(raw)`.
        """
        name = normal(raw)
        single = len(self.outputs) == 1 and self.outputs[0] not in self.inputs
        return self.known.get(name) or (self.outputs[0] if single else self.own(raw))

    def _read_affixed(self, name: str, known: Collection[str]) -> tuple[str, str] | None:
        """Return (kind, row) of a name with the mark of a derivative: (BAR, "v3") for `v3bar`, (DOT, "v3") for `v3dot`;
        else None.

        `known` has the names of rows; `name` is not a name of the task. The first of: `delta3`, `δ_3` or `λ_3`, the
        adjoint of a known v3; a usual mark (`read_marks`) such as bar, dot, or d and ' (whose kind is
        `self.differential`), if the row is known or may be one, as v7 and k in k_bar (`_may_be_marked`); a mark that
        only this answer uses, with known rows and inputs in capitals. The row is spelled as in `name`."""
        number = name.removeprefix("delta").removeprefix("lambda").lstrip("δλ").removeprefix("_")
        if number.isdecimal() and f"v{number}" in known:  # of a node, as in backpropagation
            return BAR, f"v{number}"
        for stem, mark, kind, row in read_marks(name):  # v_2bar is v2's
            if not (stem and name in self._derived) and self._may_be_marked(stem, mark, row, known):
                return self.differential if kind == DERIVATIVE else kind, row
        for _, _, kind, row in without_affixes(name, self._marks):
            if row in known or row in self._capitals:
                return kind, row
        return None

    def is_marked(self, raw: str) -> bool:
        """Return whether `raw` may be a name (known, like v7, or a letter) with the mark of a derivative."""
        name = normal(raw)
        rows = [row for *_, row in (*read_marks(name), *without_affixes(name, MARKS_IN_COMPANY))]
        return any(len(row) == 1 or row in self.known or self._credible(row) for row in rows)

    def _is_derivative(self, name: str, known: Collection[str]) -> bool:
        """Return whether a name is spelled as a derivative (`_read_affixed`, `_split_derivative`) of one in `known`."""
        return self._read_affixed(name, known) is not None or self._split_derivative(name, known) is not None

    def _split_derivative(self, name: str, known: Collection[str]) -> tuple[str, str] | None:
        """Return (above, below), as written, of a name that is a derivative: ("y", "x") for `dydx` or `dy_dx`, ("f",
        "x1") for `f_x1` and, for an output's letter and an input on the left of a row, `fx1`; else None.

        With two d's, the second the first one possible, `above` must be in `known` or mean an output, `below` be in
        `known` or an input in capitals. With an index, `above` must mean an output, `below` be in `known`, an input in
        capitals or like v7; or `name` be one of rows such as n_x, n_y, d_x, d_y (`_indexed`). `name` is not a name of
        the task."""
        match = _DERIVED.match(name)
        if match:
            is_row = match[2] in known or match[2] in self._capitals
            if is_row and (match[1] in known or self._output(match[1])):
                return match[1], match[2]
        above, _, below = name.partition("_")
        if not below or name in self._derived:
            return self._split_result(name)
        is_row = below in known or below in self._capitals or self._credible(below)
        is_derivative = name in self._indexed or (is_row and self.result_of(above) in self.outputs)
        return (above, below) if is_derivative else None

    def _split_result(self, name: str) -> tuple[str, str] | None:
        """Return (f, x), the letter of an output and an input as written, for a left side `fx`; else None. `fp` and
        `fprime` are by the only input of `wrt`."""
        below = self.wrt[0] if len(self.wrt) == 1 and name[1:] in ("p", "prime") else name[1:]
        if name[0] == "d" or name not in self._lefts or self.known.get(below) not in self.inputs:
            return None
        return (name[0], below) if self.result_of(name[0]) in self.outputs else None

    def _may_be_marked(self, stem: str, mark: str, row: str, known: Collection[str]) -> bool:
        """Return whether (stem, mark, kind, row), which `read_marks` yields, is the derivative of a row.

        True if `row` is in `known`, one of the letters a, b, c that name the answer's rows, or an input in capitals.
        Otherwise, with a `stem`, as in ybar1: True if the stem is one letter, not a known name or output, and `row`
        (y1) is letters and a number (`_credible`). Without a stem: True if `row` is one letter next to a word as `mark`
        (k_bar, not k'), is letters and a number, or means an output."""
        if row in known or row in self._letters or row in self._capitals:
            return True
        if stem:
            return len(stem) == 1 and stem not in self.known and self._output(stem) is None and self._credible(row)
        return (mark != "" and len(row) == 1 and row.isalpha()) or self._credible(row) or self._output(row) is not None

    @staticmethod
    def _credible(name: str) -> bool:
        """Return whether a name looks like that of a row, as v7 does: letters and a number, and not a function."""
        stem = name.rstrip("0123456789")
        is_numbered = stem != name and (stem.isalpha() or (len(stem) == 2 and stem[0].isalpha() and stem[1] == "-"))
        return is_numbered and lookup(name) is None

    def is_row(self, raw: str) -> bool:
        """Return whether a name can be a row's: known, one that goes on a, b, c, like v7, or an output's."""
        name = normal(raw)
        known = name in self.known or name in self._letters or name in FUNCTIONS
        return known or self._credible(name) or self._output(name) is not None

    # --- symbols in a text -------------------------------------------------------------------------------------------

    def separate_marks(self, text: str) -> tuple[str, list[int]]:
        """Return (text with accents as separate characters and the index of `v̄-1` in braces, `v̄_{-1}`; offsets).

        Braces are added, with or without an accent, for any letter and negative number whose name, v-1, is known.
        `d(v1)` becomes dv1 unless d is known or a name, number, bracket or / follows. The offsets are the place in
        `text` of each character of the result, and then its length."""
        plain, places = separate_accents(text if "d" in self.known else apply_rules(text, _DIFFERENTIAL))
        characters: list[str] = []
        origins: list[int] = []
        done = 0
        for match in _HYPHENED.finditer(plain) if any(part[:1].isdecimal() for part in plain.split("-")[1:]) else ():
            if normal(match[1] + match[3]) in self.known:
                before, (start, end) = match.end(2), match.span(3)
                characters += (plain[done:before], "_{", match[3], "}")
                origins += (*places[done:before], *[places[start]] * 2, *places[start:end], places[end - 1])
                done = end
        return "".join(characters) + plain[done:], [*origins, *places[done:]]

    def at(self, text: str, place: int) -> Symbol | None:
        """Return the symbol that starts at offset `place` of a text with separate accents; None if no letter, ∂ or
        macro starts there.

        A derivative in any spelling is tried before a plain name, product, function or constant. An unknown plain name
        is the value of a new row, an unknown macro is text.
        """
        if not text[place].isalpha() and text[place] not in "\\∂":
            return None
        if any(text.startswith(starts, place) and any(map(text.__contains__, signs)) for starts, signs in _DERIVATIVES):
            parts = parse("derivative", text, place, whole=False)
            symbol = None if parts is None else self._read_derivative(parts)
            if symbol is not None:
                return symbol
        return self._plain_symbol(text, place)

    def quantity(self, text: str, start: int = 0) -> Quantity | None:
        """Return the quantity of which `text` from offset `start` on is the symbol; None if it is anything else."""
        symbol = self.at(text, start) if start < len(text) else None
        part = symbol.parts[0] if symbol and symbol.end == len(text) and len(symbol.parts) == 1 else None
        return None if isinstance(part, str) else part

    def _read_derivative(self, parts: RowParts) -> Symbol | None:
        r"""Return the symbol for a derivative as the row grammar reads it; None if its names cannot be those of rows.

        `parts` has the text of one alternative. A LaTeX accent, `accented` (`\bar{v}_3`, whose braces are removed), and
        a name with a combining mark, `marked`, always give a symbol. For the others see `_read_quotient` (`quotient`),
        `_derivative_of_function` (`primed`: a prime with an argument) and `_read_worded` (`word`)."""
        if "accented" in parts:
            accent = next(accent for accent in _ACCENTS if parts["accented"].startswith(accent, 1))
            name = parts["accented"][1 + len(accent) :].strip()
            if name[0] == "{":
                inside, _, tail = name[1:].rpartition("}") if "}_" not in name else name[1:].partition("}")
                name = inside + tail
            return Symbol(parts.end, (Quantity(_ACCENTS[accent], self.own(name)),))
        if "marked" in parts:
            return self._read_accent(parts["marked"], parts.end)
        if "quotient" in parts:
            return self._read_quotient(parts)
        return self._derivative_of_function(parts) if "primed" in parts else self._read_worded(parts)

    def _read_quotient(self, parts: RowParts) -> Symbol | None:
        """Return the derivative (kind DERIVATIVE) that a fraction such as `dy/dx` or `d/dx y` names; None if it is an
        ordinary fraction.

        `parts` has the texts "quotient" (the whole), "above" (name of the result) and "below" (of the variable); the
        symbol has what they mean by `own`. A fraction that begins with ∂ is always a derivative, one with a Latin d
        only if both names are possible. `above` must be a single letter, have capitals only, or be a row in any
        capitals. `below` must be a row (known or like v7), an input in capitals, or a single letter if `above` means an
        output."""
        above, below = parts["above"], parts["below"]
        is_credible = self.is_row(below) or normal(below) in self._capitals
        is_credible |= len(below) == 1 and self.result_of(normal(above)) is not None
        is_credible &= len(above) == 1 or above.isupper() or self.is_row(above) or above.casefold() in self._fold
        if parts["quotient"][0] == "d" and not is_credible:
            return None
        return Symbol(parts.end, (Quantity(DERIVATIVE, self.own(above), self.own(below)),))

    def _read_accent(self, text: str, end: int) -> Symbol:
        """Return the tangent or adjoint of the name in `text`, which has a combining accent; `end` is the offset after
        it.

        If the name is unknown but begins with letters and a number that may be a row (`is_row`), and more follows, the
        symbol ends after these: `x̄1x2` is x̄1·x2. A dot gives a tangent, a bar an adjoint."""
        mark = next(mark for mark in _MARKS if mark in text)
        name = text.replace(mark, "", 1)
        first = _INSIDE.match(name) if normal(name) not in self.known else None
        if first and first.end() < len(name) and self.is_row(first.group()):
            name, end = first.group(), end - (len(name) - first.end())
        return Symbol(end, (Quantity(_MARKS[mark], self.own(name)),))

    def _derivative_of_function(self, parts: RowParts) -> Symbol | None:
        """Return the derivative of a function with respect to its argument, ∂f/∂g for `f'(g)`; None for another call.

        `parts` has the texts called (`f'`, one prime) and inside (`g`). The function must begin with f, g or h (or a
        capital of these) or be in `self.called`, and not mean an input; the argument must be a known name. The symbol
        has what they mean by `own`, so f may be the output y. If None, `(…)` may be a factor after a tangent."""
        name, inside = parts["called"].removesuffix("'"), parts["inside"]
        is_function = name[0] in FUNCTIONS or name in self.called
        if not is_function or normal(inside) not in self.known or self.own(name) in self.inputs:
            return None
        return Symbol(parts.end, (Quantity(DERIVATIVE, self.own(name), self.own(inside)),))

    def _read_worded(self, parts: RowParts) -> Symbol | None:
        """Return the tangent or adjoint that a word marks, `dot(v1)`, `adjoint of v5`, `bar x`; None if it is neither.

        `parts` has the texts `word`, `name`, and `inside` if brackets are around the name. None if the word is itself a
        known name, and for `grad` without brackets before an output. If there are no brackets, or the word is D, the
        name must be a row (`is_row`) or, after a word for adjoints, a single letter; otherwise any name will do."""
        word, name, is_bare = parts["word"], parts["name"], "inside" not in parts
        is_row = self.is_row(name) or (len(name) == 1 and WORDS.get(word) == BAR)
        if word in self.known or ((is_bare or word == "D") and not is_row):
            return None
        if word == "grad" and is_bare and self.own(name) in self.outputs:
            return None
        return Symbol(parts.end, (Quantity(WORDS[word if word == "D" else word.lower()], self.own(name)),))

    def _plain_symbol(self, text: str, place: int) -> Symbol | None:
        r"""Return the plain name or the LaTeX macro at offset `place` of `text`; None if neither starts there.

        `_resolve` says what a name means. A macro that is not a Greek letter is returned as text, with its backslash.
        σ, `\sigma` or `sigma` before `(` is "sigmoid", unless it is a name of the task, or another known name and the
        brackets have anything but a single name, `σ(1 - σ)`; then it is a name."""
        match = (_PLAIN_ASCII if text.isascii() and "\\" not in text else _PLAIN).match(text, place)
        if not match or (match["macro"] and match["macro"].strip("\\*") not in _LETTERS):
            return match and Symbol(match.end("macro"), (match["macro"],))
        if match.group() in SIGMOID and normal(match.group()) not in self._task:
            rest = text[match.end() :].lstrip().removeprefix("\\left").lstrip()
            is_argument = rest[1:].partition(")")[0].strip().isidentifier()  # σ = σ(z), not σ(1 - σ)
            if rest.startswith("(") and (is_argument or normal(match.group()) not in self.known):
                return Symbol(match.end(), ("sigmoid",))
        return Symbol(match.end(), self._resolve(match.group()))

    def _resolve(self, raw: str) -> tuple[Quantity | str, ...]:
        """Return what the plain name `raw` means, as quantities and texts of the language: (Quantity of v1,) for `v1`.

        The first that applies:
        - the value of a known row; a derivative, `dydx` before `v3dot`;
        - a function or constant, as text as it is written;
        - the value of a known row in other capitals; a function in other capitals, as text in small letters;
        - a product, or a function and its argument (`x1x2`, `sin5`); a logarithm with a base (`log2`), as text;
        - the value of the row that `own` says, the output for f or a new one."""
        name = normal(raw)
        if name in self.known:
            return (Quantity(VALUE, self.known[name]),)
        affixed = self._read_affixed(name, self.known)
        derived = self._split_derivative(name, self.known) if affixed is None or name[0] == "d" else None
        if derived:  # dydx1 is not the tangent of a row ydx1
            return (Quantity(DERIVATIVE, self.own(derived[0]), self.own(derived[1])),)
        if affixed:
            return (Quantity(affixed[0], self.own(affixed[1])),)
        if lookup(name) is not None or name in AGGREGATES or name in CONSTANTS or name in LOGIC_WORDS:
            return (raw,)
        if name.casefold() in self._fold:
            return (Quantity(VALUE, self._fold[name.casefold()]),)
        if len(name) > 1 and lookup(name.lower()) is not None:
            return (name.lower(),)
        return self._product(raw, name) or ((raw,) if logarithm_base(name) else (Quantity(VALUE, self.own(name)),))

    def _factor(self, name: str) -> Quantity:
        """Return a factor of a product: the value of a known row, or else the tangent that a prime marks."""
        real = self.known.get(name) or self._capitals.get(name)
        return Quantity(VALUE, real) if real else Quantity(DOT, self.own(name.rstrip("'")))

    def _product(self, raw: str, name: str) -> tuple[Quantity | str, ...] | None:
        """Return the parts of a product, `x1x2`, or else of a function and its argument, `sin5`; None if `raw` is
        neither, or an article (`the`, not th(e)).

        `x1x2` gives (" ", Quantity of x1, " ", Quantity of x2); π stays a text. `sin5` gives ("sin", " ", "5"), `sinx1`
        ("sin", " ", Quantity of x1) (`_split_call`). `name` is `normal(raw)`. Each factor must be a known name or π; if
        `raw` is in capitals, inputs in capitals count too. Names of letters and a number, such as x1, are tried first.
        A prime after a factor makes it a tangent; after others than such names only the last one may have it."""
        if name in _ARTICLES:
            return None
        inside = _INSIDE.findall(raw)
        factors: Sequence[str] | None = [normal(part) for part in inside]
        is_product = len(inside) > 1 and "".join(inside) == raw
        if not is_product or any(part.rstrip("'") not in self.known for part in factors or ()):
            plain = name.rstrip("'")  # u v' without a blank
            factors = product_of(plain, {*self.known, "π", *(self._capitals if plain.isupper() else ())})
            factors = factors and [*factors[:-1], factors[-1] + name[len(plain) :]]
        if factors:
            return tuple(item for part in factors for item in (" ", part if part == "π" else self._factor(part)))
        return self._split_call(name)

    def _split_call(self, name: str) -> tuple[Quantity | str, ...] | None:
        """Return the parts of a product with functions, `sin5` as ("sin", " ", "5"); None if it is not that.

        `xsinx` gives (" ", Quantity of x, " ", "sin", " ", Quantity of x). All parts must be functions of one argument,
        known names or digits, and one must be a function; the last is a function only in `xsin`, before a bracket."""
        has_function = len(name) > 2 and any(map(name.__contains__, functions()))
        pieces = pieces_of(name, self.known) if has_function else []
        is_call = len(pieces) > 1 and any(piece.function for piece in pieces)
        if not is_call or not all(piece.function or piece.number or piece.sure for piece in pieces):
            return None
        items = (piece.text if piece.function or piece.number else self._factor(piece.text) for piece in pieces)
        return tuple(part for item in items for part in (" ", item))[pieces[0].function is not None :]


@lru_cache(maxsize=64)
def shared_names(sources: NameSources) -> Names:
    """Return the Names of these sources, cached."""
    return Names(sources)
