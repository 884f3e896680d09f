"""The lines of a derivation as statements: which formulas are claimed to be equal, in the order written. A statement is
a left side and the pieces that are claimed to equal it. A Cut is a text with its span, its position in the line.

`f'(x) = cos(x^2) (x^2)' = 2x cos(x^2)` is one statement of a left side and two pieces. A line that begins with an
equals sign goes on with the statement before it; a formula alone is a statement of its own."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from ...errors import Source, Span
from ...graph.graph import CONSTANTS
from ...notation.typeset_names import GREEK
from ...patterns import pattern
from ...records import NamedTuple
from ...table.primitive import lookup
from ..chains import joints_with_depth
from ..collector import Cut
from ..higher_derivatives import split_index
from ..line_rewriting import replace_all, rewritings
from ..markup import without_markup
from ..sections import heading
from ..sentences import words_for_names
from ..vectors import flatten_vectors

_AROUND = string.whitespace + "\u00a0,:"
LINES = 400  # of an answer that are read
LINE_LENGTH = 2_000
STATEMENTS = 300
PIECES = 20  # of one statement

_EQUALS = (
    r":=|==|≈|≃|≅|≡|∼|(?<![<>!:])=(?![>=])|\\(?:approx|equiv|simeq)(?![A-Za-z])"
    r"|(?<![\w\\])(?:which\s+|this\s+)?(?:simplif(?:y|ies)\s+(?:this\s+)?to|simplified(?:\s+to)?|is\s+equal\s+to|equals|reduces\s+to|becomes|gives|yields|is|ist|lautet|ergibt|est|vaut)(?!\w)"
)
_HENCE = (
    r"=>|⇒|⟹|→|⟶|↦|->|∴|\\(?:Rightarrow|implies|Longrightarrow|rightarrow|to|therefore|mapsto|iff|Leftrightarrow)(?![A-Za-z])"
    r"|<=>|⇔"
)
_STOPS = (
    r";|,(?=\s)|(?<=\S),(?=\S*\s*=)|(?<!\d)\.(?=\s|\Z)"
    r"|(?<![\w\\])(?:and|so|thus|hence|therefore|then|but|und|also|daher|et|donc|soit|quindi|dus|więc|(?:we|I)\s++(?:have|get|obtain|find))(?![\w(])"
    r"|(?<=\s)(?:en|e|y|i|oraz)(?=\s++[^\W\d_][\w'’]*+(?:\(\w++\))?\s*+=|\s++[d∂]\w*+/[d∂])"
    r"|(?<=[\w)\]}²³'])(?:\t\s*+|\s\s++)(?=(?:[^\W\d_]\w*+'*+(?:\(\w++\))?|[d∂]\w*+/[d∂]\w++)\s*+=(?!=))"  # a gap
)
# A blank, separator or label before what may be the next equation.
_BLANK = (
    r"(?<=[\w)\]}²³'])\s(?:(?:/|\|{1,2}|•|\w\))\s)?+"
    r"(?=(?:[^\W\d_]\w*+'*+(?:\([^()=]*+\))?|[d∂]\w*+/[d∂]\w++)\s*+=(?!=))"
)
_ASIDE = (
    r"(?<![\w\\])(?:where|with(?!\s+respect)|since|because|for|let|if|when|by(?=\s+the\s)|using|mit|wobei|wo"
    r"|(?:(?:which|this|it|and)\s+)?+(?:(?:is|are|ist)\s+)?+(?:always\s+|never\s+|strictly\s+|stets\s+|immer\s+)?+"
    r"(?:at\s+(?:most|least)|(?:less|greater|larger|smaller|more)\s+than|exceeds|bounded|between|höchstens|mindestens"
    r"|größer|kleiner))(?![\w(])"
)
_REMARK = (  # text behind a gap, if it begins with a word (see `_is_remark`) or an arrow to the left; a bound, `> 0`
    r"(?:(?<=\s\s)|(?<=\t))(?:(?:[^\W\d_]{3,}|as|da|si|per)(?=[,:]?\s)|(?:←|⇐|<-|\|)(?=\s[^|]*\Z))"
    r"|[<>≤≥]=?(?=\s*[-−]?[\d./]+\s*\Z)"
)
# An equation in brackets behind a gap, at the end of the text.
_NOTE = r"(?:(?<=\s\s)|(?<=\t))[\[(][^\[\]()]*[=≈][^\[\]]*[\])]\s*\Z"
_GAPS = ("  ", "\t")
_JOINT = pattern(
    rf"(?P<note>{_NOTE})|(?P<open>[(\[{{⟨]|\\langle(?![a-z]))|(?P<close>[)\]}}⟩]|\\rangle(?![a-z]))|(?P<colon>:(?=\s))|(?P<hence>{_HENCE})|(?P<aside>{_ASIDE})|(?P<equals>{_EQUALS})|(?P<stop>{_STOPS})"
    rf"|(?P<remark>{_REMARK})|(?P<blank>{_BLANK})",
    re.IGNORECASE,
)
_TABLE_ROW = pattern(r"\s*+\|.*\s\|\s.*\|\s*\Z")
_BREAK = pattern(r"\\\\(?:\s*+\[[^\[\]]*+\])?|\\tabularnewline(?![A-Za-z])")
_BULLET = pattern(
    r"\s*+(?:>\s*+)*+(?:[-*•·+–—∴]\s++|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s++|(?:step|schritt|étape)\s*+\d++\s*+[:.)]?\s*+|[#✓✔]++\s*+)*+",
    re.IGNORECASE,
)
_BEGUN = pattern(r"\\begin\s*+\{([pbvBV]?matrix|d?cases|array)\}")
_LEFT = pattern(  # what may stand on a left side behind a colon: a name, or a derivative
    r"\s*+(?:[^\W\d_][^\W_]*+(?:_\{?\w++\}?)?+'*+\s*+(?:\([^()=]*+\))?|[d∂][^\s/]*+\s*+/\s*+[d∂]\s*+\S++|[D∂]_\S++[^=]*+|\\[dt]?frac\s*+\{?\s*+(?:[d∂]|\\(?:d|math|text|oper|partial|rm))[^=]*+)\s*+\Z"
)
_LAYOUT = rewritings("statements_layout", blanks=lambda match: " " * len(match.group()))
_SIGNS_OF_HEADS = frozenset("'_/\\")
_TALLEST = 20  # lines of one environment


class Statement(NamedTuple):
    """A left side and the pieces that are claimed to equal it; `left` is None if nothing precedes the first piece.

    `block` is the number of the paragraph, which blank lines separate."""

    left: Cut | None
    pieces: list[Cut]
    block: int

    @property
    def first(self) -> Cut:
        return self.left or self.pieces[0]


def statements(lines: Sequence[tuple[int, str]], names: Collection[str]) -> list[Statement]:
    """Return the statements in `lines`, which are pairs (number from 1, text), in order; `names` are inputs.

    Of `lines` the first 400 are taken, then joined by `_join_lines`. A joined line of more than 2,000 characters is
    skipped; the statement before it stays open. No further line is read once there are 300 statements, so the last line
    may add a few more."""
    reader = _StatementReader(names)
    for number, text in _join_lines(lines[:LINES]):
        if len(reader.statements) >= STATEMENTS:
            break
        if len(text) <= LINE_LENGTH:
            reader.read_line(number, text)
    return reader.statements


def _join_lines(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    r"""Yield the lines as pairs (number, text); lines that belong together are joined into one with the first number.

    - A line that begins a LaTeX environment (matrix, cases, array) without ending it: all up to the first `\end` of the
      same environment, if it is within the next 20 lines, are joined with blanks.
    - Then, or else: following lines that each define a case of the same function (`join_cases`), as long as the text so
      far has at most 2,000 characters. A blank line ends them."""
    pending = list(reversed(lines))
    while pending:
        number, text = pending.pop()
        begun = _BEGUN.search(text)
        end = f"\\end{{{begun[1]}}}" if begun else ""
        if begun and end not in text[begun.end() :]:
            above = next((k for k, (_, other) in enumerate(pending[: -_TALLEST - 1 : -1], 1) if end in other), 0)
            for _ in range(above):
                text += " " + pending.pop()[1]
        while pending and len(text) <= LINE_LENGTH and (both := join_cases(text, pending[-1][1])):
            text = both
            pending.pop()
        yield number, text


class _StatementReader:
    """A reader of one line after another; `statements` are the statements so far.

    `heads` are the cells of a table's head in the line above, if all of them are derivatives. `names` are inputs, which
    are not words."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = names
        self.statements: list[Statement] = []
        self.block = 0
        self.heads: list[Cut] = []
        self.open: Statement | None = None  # what an equals sign at the start of a line goes on with

    def read_line(self, number: int, text: str) -> None:
        """Read the line `text` with the given number and append its statements to `statements`.

        A line that is blank without its markup only adds 1 to `block`; the open statement stays open. A table with
        derivatives in its head is read by `_read_below_heads`. In all other lines these are replaced by texts of the
        same length, so that positions stay the same:
        - markup, LaTeX environments, and comments (`#`, `//`, `--`, `%`, all only after a blank) by blanks;
        - cases and vectors in LaTeX by lists, a row of a table by an equation.

        Then each part between LaTeX line breaks, without a bullet or number at its beginning, is read on its own
        (`read_part`)."""
        source = Source(text, None, number)
        plain = without_markup(flatten_cases(text)).replace("w.r.t.", "wrt   ")  # no stops
        if not plain.strip():
            self.block += 1
            return
        if self._read_below_heads(source, plain):
            return
        plain = replace_all(_table_row_as_equation(flatten_vectors(plain)), _LAYOUT)
        start = 0
        for match in [*_BREAK.finditer(plain), None]:
            end = match.start() if match else len(plain)
            bullet = _BULLET.match(plain, start, end)
            first = bullet.end() if bullet else start
            if plain[first:end].strip():
                self.read_part(source, plain, first, end)
            start = match.end() if match else end

    def _read_below_heads(self, source: Source, text: str) -> bool:
        """Read a line of a Markdown table whose head has derivatives only; return whether it is one.

        A head has two cells or more, all of them left sides of a derivative, with primes or of the same first letter.
        Its cells become `heads`; the rule below changes nothing. If the next row has as many cells, each is added as a
        statement with the head above it as the left side. Only one row is read so: this and every other line removes
        the heads, but may be a head itself."""
        if self.heads and not text.strip("|-: "):
            return True
        cells = _cells(source, text) if _TABLE_ROW.match(text) else []
        heads, self.heads = self.heads, []
        if heads and len(cells) == len(heads):
            for head, cell in zip(heads, cells, strict=True):
                self.add(Statement(head, [cell], self.block), "")
            return True
        texts = [cell.text for cell in cells]
        are_derivatives = all(map(_LEFT.fullmatch, texts)) and not any(map(_SIGNS_OF_HEADS.isdisjoint, texts))
        are_alike = all("'" in text for text in texts) or len({text[:1] for text in texts}) == 1
        if len(cells) > 1 and are_derivatives and are_alike:  # not the row f_x | x_2
            self.heads = cells
        return bool(self.heads)

    def read_part(self, source: Source, text: str, start: int, end: int) -> None:
        """Split `text` from `start` to `end` (excluded) at its separators, and append its statements to `statements`.

        `text` is the line without markup, `source` the line as written. Equals signs separate the pieces of a
        statement. All other separators end it, but a colon only after an equals sign in this statement, and if a left
        side and another equals sign follow. `before` of the next segment is the kind of that separator (a colon is a
        stop), but after `where` stops keep it an aside. If a definition by cases (`by_cases`) follows an equals sign,
        all from there to `end` becomes one piece, with the text as nested `if`."""
        segment: list[Cut | None] = []
        began, before = start, ""
        joints = [*_joints(source.text, text, start, end, self.names), ("stop", end, end)]
        for place, (kind, first, last) in enumerate(joints):
            if kind == "colon":
                after = joints[place + 1]
                if not segment or after[0] != "equals" or not _LEFT.match(text, last, after[1]):
                    continue  # a heading, or words
                kind = "stop"
            cases = by_cases(text[last:end]) if kind == "equals" else None
            segment.append(_piece(source, text, began, first))
            began = last
            if cases is not None:
                whole = _piece(source, text, last, end)
                self.add_segment([*segment, whole and whole._replace(text=cases)], before)
                return
            if kind != "equals":
                self.add_segment(segment, before)
                segment = []
                before = before if kind == "stop" and before == "aside" else kind

    def add_segment(self, parts: Sequence[Cut | None], before: str) -> None:
        """Append the text between two stops to `statements`, as a statement of its own or as pieces of the open one.

        `parts` are the pieces between equals signs, None for an empty one; these are dropped after the first. `before`
        is the kind of the stop before: stop, hence (an arrow), aside (`where`), or "" at the start of a part. The first
        that applies:
        - A single piece that is a heading of words, or ends in one after a colon, as `AW: Task 3`: nothing.
        - An equals sign at the beginning, or a single piece after an arrow: the pieces continue the open statement.
        - An equals sign: the first piece is the left side of a statement, of the others (maybe none) 20 are kept.
        - A single piece with a colon: a statement with the text before the last colon as the left side (None if it is
          empty); without a left side if nothing is behind the colon.
        - A single piece: a statement without a left side, but nothing after `where`."""
        left, rest = parts[0], [piece for piece in parts[1:] if piece is not None]
        if len(parts) == 1 and left is not None and _is_heading(left.text.rpartition(":")[2]):
            return
        if left is None or (before == "hence" and len(parts) == 1):
            self.continue_statement(rest if left is None else [left])
        elif len(parts) > 1:
            self.add(Statement(left, rest[:PIECES], self.block), before)
        elif ":" in left.text:
            title, _, text = left.text.rpartition(":")
            source, start = left.span.source, left.span.start
            piece = _piece(source, text, 0, len(text), start + len(title) + 1)
            head = None if piece is None else _piece(source, title, 0, len(title), start)
            self.add(Statement(head, [piece or left], self.block), before)
        elif before != "aside":
            self.add(Statement(None, [left], self.block), before)

    def add(self, statement: Statement, before: str) -> None:
        """Append a statement to `statements` and make it the open one, which the next line continues.

        After `where` (`before` is "aside") the statement that is open stays so, if there is one. If the only piece of
        `statement` just says that it is the same as above (`same`, `ditto`), it gets the text of the last piece of the
        last statement in `statements`, with its own span; it is kept as written if that has no piece."""
        last = [piece for each in self.statements[-1:] for piece in each.pieces[-1:]]
        if last and len(statement.pieces) == 1 and words_for_names(statement.pieces[0].text) == []:
            statement = statement._replace(pieces=[last[0]._replace(span=statement.pieces[0].span)])
        self.statements.append(statement)
        if before != "aside" or self.open is None:
            self.open = statement

    def continue_statement(self, pieces: Sequence[Cut]) -> None:
        """Append `pieces` to the open statement; pieces beyond its 20th are dropped.

        If no statement is open, the first 20 of them begin one without a left side; nothing happens if there are none.
        """
        if self.open is not None:
            room = PIECES - len(self.open.pieces)
            self.open.pieces.extend(pieces[: max(room, 0)])
        elif pieces:
            self.add(Statement(None, list(pieces[:PIECES]), self.block), "")


def _is_heading(text: str) -> bool:
    """Return whether a text is a heading of a word or more and a label, `Aufgabe 3b`."""
    return len(text.split()) > 1 and heading(text) is not None


def _cells(source: Source, text: str) -> list[Cut]:
    """Return the cells of a row of a Markdown table, without blanks and $ around them.

    They are the texts between each two neighbouring bars, whatever the bars mean; an empty cell is an empty Cut. What
    is outside the first and the last bar is left out."""
    ends = [place for place, sign in enumerate(text) if sign == "|"]
    cells: list[Cut] = []
    for start, end in pairwise(ends):
        inner = text[start + 1 : end].strip(" $")
        first = start + 1 + text[start + 1 : end].find(inner)
        cells.append(Cut(inner, Span(first, first + max(len(inner), 1), source)))
    return cells


def _table_row_as_equation(text: str) -> str:
    """Return a row of a table as an equation, its cells separated by `=`, or by `;` if two or more are equations; other
    text unchanged.

    - A row of a Markdown table has bars at both ends and one with blanks around between them: the inner bars with
      blanks become `=`, the outer ones blanks. The length stays the same, but blanks at the end may go. The rule below
      the head, `| - | - |`, gives "".
    - Two cells with a tab between, without an equals sign: the tab becomes `=`."""
    if _TABLE_ROW.match(text):
        if all(character in "|:-" or character.isspace() for character in text):
            return ""
        first, *rest = text.strip()[1:-1].split(" | ")
        between = " ; " if sum("=" in cell.strip()[1:] for cell in (first, *rest)) > 1 else " = "
        return text[: len(text) - len(text.lstrip())] + " " + between.join((first, *rest)) + " "
    return text.replace("\t", "=") if text.strip().count("\t") == 1 and "=" not in text else text


def _joints(written: str, text: str, start: int, end: int, names: Collection[str]) -> Iterator[tuple[str, int, int]]:
    """Yield the separators in `text` from `start` to `end` (excluded) as (kind, first, last), in order.

    A separator is from `first` to `last` (excluded). `written` is the line with its markup, at the same places; `names`
    are inputs. The kinds (words in any case):

    - colon, before a blank;
    - equals: `=` (but not in <=, >=, !=), ≈, ≡ and :=, and words such as `is`, `equals` and `gives`;
    - hence: arrows, also in LaTeX, and ∴;
    - aside: words such as `where`, `with`, `if` and `at most`; in a piece after an equals sign or arrow also a word or
      `←` behind a gap, and `> 0` at the end (`_is_remark`); anywhere an equation in brackets behind a gap at the end;
    - stop: semicolons, commas before a blank or a new equation, full stops before a blank but not after a digit, words
      such as `and` and `so`, a tab or two blanks before a new equation, and a blank before another derivative of the
      function on the left side (`_begins_statement`).

    Separators in brackets are left out, but equals signs in brackets are yielded if a bracket stays open.
    """
    separators, is_open = joints_with_depth(_JOINT, text, start, end)
    before, left = "stop", ""
    for depth, (kind, word, first, last) in separators:
        kind, first = _with_factor(kind, first, word, text[start:first], text[last:], names)
        if kind == "equals" != before:
            left = text[start:first].strip()
        if kind == "note" or (
            kind == "remark" and before in ("equals", "hence") and _is_remark(word, written[:first], names)
        ):
            kind = "aside"
        if kind == "blank" and before == "equals" and _begins_statement(left, text[last:end], names):
            kind = "stop"
        if kind not in ("remark", "blank") and (depth == 0 or (is_open and kind == "equals")):
            yield kind, first, last
            before, start = kind, start if kind == "equals" else last


def _with_factor(kind: str, first: int, word: str, text: str, after: str, names: Collection[str]) -> tuple[str, int]:
    """Return the `kind` and start of a separator; if its `word`, y, is a factor, not Spanish, a blank or gap behind it.

    It must be in `names`, the inputs. It is a factor or term behind an operator at the end of `text`, before a gap in
    `after`, or as a new one behind two or more with blanks between, the last one an input: `fx = 2 x y`."""
    factors = [*text.rpartition("=")[1:2], *text.rpartition("=")[2].split()]
    is_new = len(factors) > 2 and factors[-1] in names and word not in factors
    other = "stop" if after.startswith(_GAPS) else "blank" if is_new or factors[-1][-1:] in {*"=+-−*·×/("} else ""
    return (other, first + len(word)) if word in names and other else (kind, first)


def _begins_statement(left: str, text: str, names: Collection[str]) -> bool:
    """Return whether `text` begins with another derivative of the function of the left side, with respect to inputs.

    So `f_y = x^2` begins a statement behind `f_x = 2xy`, but in `df/dx = df/du du/dx = 2x`, `df/dx = 2 df/du = 6x` and
    `f'' = -x f' = x^2 f` derivatives are factors. `left` is the left side, `names` are the inputs.
    """
    symbol = text.partition("=")[0].strip()
    (one, _), (other, inputs) = (_split_derivative(each, names) for each in (left, symbol))
    is_other = one == other and symbol != left and symbol.count("'") >= left.count("'")
    return is_other and bool(inputs) and set(names).issuperset(inputs)


def _split_derivative(symbol: str, names: Collection[str]) -> tuple[str, Collection[str]]:
    """Return (function, what it is differentiated by), `names` being the inputs: ("f", "xy") for `f_xy`, whose letters
    are the inputs, ("f", ("y",)) for `∂f/∂y`, ("f", ("x",)) for `fx`, ("f", `names`) for `f'(x)`.

    The index after `_` may be a whole input (`f_x1`) or anything else. ("g", ()) for a name g without a derivative.
    """
    above, quotient, below = symbol.partition("/")
    name = above.partition("(")[0].strip()
    function, index, key = name.partition("_")
    if quotient:
        return name[1:], (below[1:],)
    if name.endswith("'"):
        return name.rstrip("'"), names
    if index:
        return function, (key,) if key in names else key
    return (name[:1], by) if (by := split_index(name[1:], names)) else (name, ())  # fx, fxx


def _is_remark(word: str, before: str, names: Collection[str]) -> bool:
    """Return whether `word`, which follows `before`, begins a remark.

    Without a gap (two blanks or a tab) at the end of `before`: if it begins with a sign of comparison. After a gap: if
    it is not a function, constant, Greek letter or one of `names` (the inputs), and has a character that is not an
    input (unlike `xy` for the inputs x and y).
    """
    if not before.endswith(_GAPS):
        return word[0] in "<>≤≥"
    known = lookup(word.lower()) is not None or any(word in each for each in (CONSTANTS, GREEK, names))
    return not known and not {*word}.issubset(names)


def _piece(source: Source, text: str, start: int, end: int, offset: int = 0) -> Cut | None:
    """Return `text` from `start` to `end` as a Cut, without blanks, commas and colons around it; None if it is empty.

    `offset` is the position of `text` in `source`, which the span counts from.
    """
    part = text[start:end]
    inner = part.strip(_AROUND)
    start += offset + part.find(inner)
    return Cut(inner, Span(start, start + len(inner), source)) if inner else None


BRANCHES = 12  # of one function
_ELSEWHERE = "987654321e21"  # the value if no case applies: too unusual to be meant, so a missing case is noticed

_ENVIRONMENT = pattern(
    r"\\begin\s*+\{(?:d?cases|array)\}(?:\s*+\{[lcr|]*+\})?(?P<inside>(?:(?!\\begin|\\end).)*+)"
    r"\\end\s*+\{(?:d?cases|array)\}",
    re.S,
)
_TEXT = pattern(r"\\(?:text|mathrm|mbox|textrm|textit)\s*+\{\s*+([^\W\d_]*+)[\s:]*+([^{}]*+)\}")
_SPACES = pattern(r"\\(?:q?quad|left|right)(?![A-Za-z])|\\[,;:! {}.]|(?<=\\right)\.")
_WHEN = r"(?:if|for(?:\s+all)?|when(?:ever)?|where|provided|falls|wenn|für|wo|si|pour|para|cuando|on)"
_ELSE = r"(?:otherwise|elsewhere|else|sonst|sinon|si\s+no)"
_SEPARATOR = pattern(  # y is a word in Spanish, and here a variable before a condition or an operator
    rf"\s*+(?:;|\\\\|,|(?<!\w)(?:and|und|et|y(?!\s+(?:{_WHEN}(?!\w)|[+*/^=<>]|-\s))|while|but)(?=\s))\s*+",
    re.IGNORECASE,
)
_OPENING, _CLOSING = "([{⟨", ")]}⟩"
_POINT = "="  # the condition of a case for single points, such as x = 0
_CONDITION = pattern(
    rf"(?:{_WHEN}(?!\w)\s*+)?+(?P<condition>[^=<>≤≥≠]*?(?:\\(?:leq?|geq?|neq?|lt|gt|in)(?![A-Za-z])|!=|[<>]=?|[≤≥≠])[^=]*+)\Z",
    re.IGNORECASE,
)
_EQUALITY = pattern(rf"(?:{_WHEN}(?!\w)\s*+)?+[^\W\d_]\w*+\s*+=\s*+[-−+]?[\w./π\\]++\Z", re.IGNORECASE)
_IN_BRACKETS = pattern(r"(?P<value>.*?\S)\s*+\((?P<condition>[^()]*[<>≤≥≠][^()]*)\)\Z", re.S)
_BRANCH = pattern(rf"(?P<value>.*?\S)\s*+(?<![\w\\]){_WHEN}(?![\w(])\s*+(?P<condition>.+)\Z", re.IGNORECASE | re.S)
_LAST = pattern(rf"(?:(?P<first>.*?\S)\s*+)?(?<![\w\\]){_ELSE}(?![\w(])[\s:]*+(?P<second>.*)\Z", re.IGNORECASE | re.S)
_SIGNS = rewritings("comparisons")
_COMPARISON = pattern(r"[<>≤≥≠]|\\(?:[lg]eq?|[lg]t|neq?)(?![a-z])")
_HEAD = pattern(r"[^=<>≤≥≠]*?=(?!=)\s*+")


class _Case(NamedTuple):
    """A value of a function and the condition for it: an inequality, "=" for single points, or empty for everywhere
    else.
    """

    value: str
    condition: str


def flatten_cases(text: str) -> str:
    """Return the text with LaTeX environments for cases written as `{1, x > 0; -1, x < 0}`, padded to the
    same length.
    """
    return _ENVIRONMENT.sub(_flatten_choices, text) if "\\begin" in text else text


def _flatten_choices(match: re.Match[str]) -> str:
    """Return a LaTeX environment for cases as `{value, condition; …}`, padded to its length (a callback of re.sub)."""
    words = _TEXT.sub(lambda text: f" {text[1]} {text[2]} ".ljust(len(text.group())), match["inside"])
    inside = words.replace("\\\\", " ;").replace("&", ",")
    return "{".ljust(match.start("inside") - match.start()) + inside + "}".rjust(match.end() - match.end("inside"))


def by_cases(text: str) -> str | None:
    """Return a text of several cases as one formula, `if(x > 0, (1), …)`; None if it cannot be read as such.

    If the text gives no value for everywhere else, a huge number is that value. LaTeX spaces and text commands, a `{`
    at the beginning with its `}`, and stops or commas at the end are ignored. None for more than 1,000 characters or 12
    cases, for fewer than 2 cases (single points and `otherwise` are counted), if no condition is an inequality, and if
    a value contains `=`.
    """
    if _COMPARISON.search(text) is None or len(text) > 1_000:
        return None
    text = _SPACES.sub(" ", _TEXT.sub(r" \1 \2 ", text)).strip().rstrip(" .,;")
    if text[:1] == "{":
        text = text[1:].rstrip()
        text = text[:-1] if text.endswith("}") and text.count("{") < text.count("}") else text
    cases = _read_cases(text)
    return _nested_if(cases) if cases is not None and len(cases) > 1 else None


def join_cases(first: str, second: str) -> str | None:
    """Return two lines that each define a case of the same function as one line; None if they do not.

    `f(x) = 1 for x > 0` and `f(x) = -1 for x < 0` give `f(x) = 1 for x > 0; -1 for x < 0`; stops, commas and semicolons
    at the end of `first` are dropped. `first` must have a left side (what is before its first equals sign). `second`
    must have the same one, blanks ignored, or none. Behind it `second` must have a comparison (<, ≥, ≠, …); `otherwise`
    or `x = 0` alone is none, so such a line is not joined. Besides, it may have no equals sign except in <=, >= or a
    condition such as `x = 0`. Both together must be readable as cases (`by_cases`).
    """
    head = _HEAD.match(first)
    if head is None or not head.group().strip("= "):
        return None
    other = _HEAD.match(second)
    if other is not None and "".join(other.group().split()) != "".join(head.group().split()):
        return None
    rest = second[other.end() :] if other else second
    whole = f"{first.rstrip(' .,;')}; {rest}"
    inequality = _EQUALITY.sub("", rest).replace("<=", "").replace(">=", "")
    is_case = _COMPARISON.search(rest) is not None and "=" not in inequality
    return whole if is_case and by_cases(whole[head.end() :]) else None


def _read_cases(text: str) -> list[_Case] | None:
    """Return the cases of a text in the order written; None if the text cannot be split into cases.

    Each part of `_split_cases` is, if no value is pending, a whole case (`1 if x > 0`, `1 (x > 0)`) or a value; else it
    is the condition of that value, with or without a word such as `if`. Either may be a word for `otherwise`
    (`_otherwise`). A condition `x = 0` is a single point. None if a pending value is not followed by a condition, if a
    value contains `=`, or if there are more than 12 cases.
    """
    cases: list[_Case] = []
    value = ""  # one that still waits for where it holds
    for part in filter(None, _split_cases(text)):
        last = _LAST.match(part)
        branch = None if value else _BRANCH.match(part) or _IN_BRACKETS.match(part)
        if last:
            known = _otherwise(last, value)
        elif branch:
            known = _case(branch["value"], branch["condition"])
        elif value:
            known = _case(value, part)
        else:
            value = part
            continue
        if not known:
            return None
        cases += known
        value = ""
    return None if value or any("=" in case.value for case in cases) or len(cases) > BRANCHES else cases


def _case(value: str, condition: str) -> list[_Case]:
    """Return [the case] of a value and the text of its condition; [] if that is neither an inequality nor `x = 0`."""
    inequality = _CONDITION.match(condition)
    if inequality is None and not _EQUALITY.match(condition):
        return []
    return [_Case(value, inequality["condition"] if inequality else _POINT)]


def _otherwise(match: re.Match[str], value: str) -> list[_Case]:
    """Return the cases of a word such as `else`; [] if it is not clear which value it has.

    `match` has the text before the word as `first`, that after it as `second`; `value` is a value that was read before
    and has no condition yet, or "". The first that applies:
    - `1 if x > 0 else -1`: two cases, if the text before is a case, the text after is not empty and `value` is empty.
    - Exactly one of the three texts is not empty: one case, with this value and the condition "".
    """
    before, after = (match["first"] or "").strip(), match["second"].strip()
    branch = _BRANCH.match(before)
    if branch and after and not value:
        return [_Case(branch["value"], branch["condition"]), _Case(after, "")]
    values = [text for text in (before, after, value) if text]
    return [_Case(values[0], "")] if len(values) == 1 else []


def _split_cases(text: str) -> Iterator[str]:
    r"""Yield the stripped texts between separators outside brackets: `1, x > 0; -1, x < 0` gives four.

    Some may be empty. Separators are each comma (also in 0,5), semicolon and `\\`, and before a blank the words and,
    und, et, y, while and but, in capitals or not; a variable y before a blank is taken for such a word.
    """
    depth, start, place = 0, 0, 0
    while place < len(text):
        depth = max(depth + (text[place] in _OPENING) - (text[place] in _CLOSING), 0)
        separator = None if depth or text[place] in _CLOSING else _SEPARATOR.match(text, place)
        if separator is not None and separator.group().strip():
            yield text[start:place].strip()
            start = place = separator.end()
        else:
            place += 1
    yield text[start:].strip()


def _nested_if(cases: list[_Case]) -> str | None:
    """Return the cases as nested `if(condition, (value), otherwise)`, the first one outermost.

    Cases for single points are left out. A case without a condition, or with `≠`, is the value everywhere else, in
    brackets, and replaces the cases after it. If there is no such case, a huge number is the value elsewhere, so that
    the missing case is noticed. None if no condition, those of the replaced cases included, is an inequality other than
    `≠`.
    """
    formula, moving = _ELSEWHERE, False
    for value, condition in reversed([case for case in cases if case.condition != _POINT]):
        text = replace_all(condition, _SIGNS)
        if not text or "≠" in text:
            formula = f"({value})"
        else:
            formula = f"if({text.strip()}, ({value}), {formula})"
            moving = True
    return formula if moving else None
