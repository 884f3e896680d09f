"""The lines of an answer as statements: which formulas are claimed to be equal, in the order written. A statement is a
left side and the pieces that are claimed to equal it.

`f'(x) = cos(x^2) (x^2)' = 2x cos(x^2)` is one statement of a left side and two pieces. A line that begins with an
equals sign goes on with the statement before it; a formula alone is a statement of its own.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator, Sequence

from ...answers.chains import joints_with_depth
from ...answers.collector import Cut
from ...answers.corrections.same_as_above import words_for_names
from ...answers.markup import without_markup
from ...answers.vectors import flatten_vectors
from ...errors import Source, Span
from ...patterns import pattern
from ...records import NamedTuple
from .plain_formulas import rewrite, rules

_AROUND = string.whitespace + "\u00a0,:"
LINES = 400  # of an answer that are read
LINE_LENGTH = 2_000
STATEMENTS = 300
PIECES = 20  # of one statement

_EQUALS = (
    r":=|==|≈|≃|≅|≡|∼|(?<![<>!:])=(?![>=])|\\(?:approx|equiv|simeq)(?![A-Za-z])"
    r"|(?<![\w\\])(?:which\s+|this\s+)?(?:simplif(?:y|ies)\s+(?:this\s+)?to|simplified(?:\s+to)?|is\s+equal\s+to|equals|reduces\s+to|becomes|gives|yields|is)(?!\w)"
)
_HENCE = (
    r"=>|⇒|⟹|→|⟶|↦|->|∴|\\(?:Rightarrow|implies|Longrightarrow|rightarrow|to|therefore|mapsto|iff|Leftrightarrow)(?![A-Za-z])"
    r"|<=>|⇔"
)
_STOPS = (
    r";|,(?=\s)|(?<=\S),(?=\S*\s*=)|(?<!\d)\.(?=\s|\Z)"
    r"|(?<![\w\\])(?:and|so|thus|hence|therefore|then|but|und|also|daher|(?:we|I)\s++(?:have|get|obtain|find))(?![\w(])"
    r"|(?<=[\w)\]}²³'])(?:\t\s*+|\s\s++)(?=(?:[^\W\d_]\w*+'*+(?:\(\w++\))?|[d∂]\w*+/[d∂]\w++)\s*+=(?!=))"  # a gap
)
_ASIDE = (
    r"(?<![\w\\])(?:where|with(?!\s+respect)|since|because|for|let|if|when|by(?=\s+the\s)|using|mit|wobei|wo)(?![\w(])"
)
_JOINT = pattern(
    rf"(?P<open>[(\[{{⟨]|\\langle(?![a-z]))|(?P<close>[)\]}}⟩]|\\rangle(?![a-z]))|(?P<colon>:(?=\s))|(?P<hence>{_HENCE})|(?P<equals>{_EQUALS})|(?P<aside>{_ASIDE})|(?P<stop>{_STOPS})",
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
    r"\s*+(?:[^\W\d_][^\W_]*+(?:_\{?\w++\}?)?+'*+\s*+(?:\([^()=]*+\))?|[d∂][^\s/]*+\s*+/\s*+[d∂]\s*+\S++|[D∂]_\S++[^=]*+|\\[dt]?frac[^=]*+)\s*+\Z"
)


_LAYOUT = rules(  # replaced by texts of the same length
    (r"(?<==)(\s*+)<([^<>=]*,[^<>=]*)>(?=\s*\Z)", r"\1⟨\2⟩"),
    (
        r"\\(?:begin|end)\s*+\{[^{}]*+\}(?:\s*+\{[lcr|@{}]*+\})?|=\s*+\\?lim(?![a-z])[^=]*+",
        lambda match: " " * len(match.group()),
    ),
    (r"(?s)\A(?!\s*#)(.*?)(?:\s#(?![\d])|\s//|\s--\s|\s%).*\Z", r"\1"),  # a comment
    ("&", " "),
)
_TALLEST = 20  # lines of one environment


class Statement(NamedTuple):
    """A left side and the pieces that are claimed to equal it; `left` is None if nothing precedes the first piece.

    `block` is the number of the paragraph, which blank lines separate.
    """

    left: Cut | None
    pieces: list[Cut]
    block: int

    @property
    def first(self) -> Cut:
        return self.left or self.pieces[0]


def statements(lines: Sequence[tuple[int, str]]) -> list[Statement]:
    """Return the statements in lines, in order; `lines` are pairs (number from 1, text).

    At most 400 lines are read, and no further one after 300 statements; lines of more than 2,000 characters (when
    joined, `_join_lines`) are skipped.
    """
    reader = _StatementReader()
    for number, text in _join_lines(lines[:LINES]):
        if len(reader.statements) >= STATEMENTS:
            break
        if len(text) <= LINE_LENGTH:
            reader.read_line(number, text)
    return reader.statements


def _join_lines(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield the lines as pairs (number, text), with lines that belong together joined into one that has the first
    number.

    Joined are the lines of a LaTeX environment that ends within 20 further lines, and consecutive lines that each
    define a case of the same function (`join_cases`), until there are more than 2,000 characters.
    """
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
    """A reader of one line after another; `statements` are the statements so far."""

    def __init__(self) -> None:
        self.statements: list[Statement] = []
        self.block = 0
        self.open: Statement | None = None  # what an equals sign at the start of a line goes on with

    def read_line(self, number: int, text: str) -> None:
        """Read one line and append its statements to `statements`; a blank line begins a new block.

        `number` is that of the line. Markup, LaTeX environments, comments and bullets are blanked out, so that
        positions stay the same. A LaTeX line break ends a part of the line.
        """
        source = Source(text, None, number)
        plain = without_markup(flatten_cases(text))
        if not plain.strip():
            self.block += 1
            return
        plain = rewrite(_table_row_as_equation(flatten_vectors(plain)), _LAYOUT)
        start = 0
        for match in [*_BREAK.finditer(plain), None]:
            end = match.start() if match else len(plain)
            bullet = _BULLET.match(plain, start, end)
            first = bullet.end() if bullet else start
            if plain[first:end].strip():
                self.read_part(source, plain, first, end)
            start = match.end() if match else end

    def read_part(self, source: Source, text: str, start: int, end: int) -> None:
        """Read `text` from `start` to `end` (excluded), split it at its separators, and append its statements to
        `statements`.

        `text` is the line without markup, `source` the line as written. Every separator except an equals sign ends a
        statement; a colon only if a new left side follows. A definition by cases after an equals sign becomes one
        formula.
        """
        segment: list[Cut | None] = []
        began, before = start, ""
        joints = [*_joints(text, start, end), ("stop", end, end)]
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
        """Append the text between two stops as a statement to `statements`, or its pieces to the last statement.

        `parts` are the pieces between equals signs, None for an empty one; of those after a left side 20 are kept.
        `before` is the kind of the stop before: stop, hence (an arrow), aside (`where`), or "" at the start. With an
        equals sign at the beginning, and for a single piece after an arrow, the last statement goes on. Any other
        single piece is a statement without a left side, or with the text before its last colon as the left side. After
        `where` a piece without a colon is dropped.
        """
        left, rest = parts[0], [piece for piece in parts[1:] if piece is not None]
        if left is None or (before == "hence" and len(parts) == 1):
            self.continue_statement(rest if left is None else [left])
        elif len(parts) > 1:
            self.add(Statement(left, rest[:PIECES], self.block), before)
        elif ":" in left.text:
            title, _, text = left.text.rpartition(":")
            source, start = left.span.source, left.span.start
            head = _piece(source, title, 0, len(title), start)
            piece = _piece(source, text, 0, len(text), start + len(title) + 1)
            self.add(
                Statement(None, [left], self.block) if piece is None else Statement(head, [piece], self.block), before
            )
        elif before != "aside":
            self.add(Statement(None, [left], self.block), before)

    def add(self, statement: Statement, before: str) -> None:
        """Append a statement to `statements` and make it the open one, which the next line continues; but after `where`
        (the separator `before` it is "aside") only if no statement is open. If its only piece says that it is the same
        as above, the piece gets the text of the last piece of the statement before."""
        last = [piece for each in self.statements[-1:] for piece in each.pieces[-1:]]
        if last and len(statement.pieces) == 1 and words_for_names(statement.pieces[0].text) == []:
            statement = statement._replace(pieces=[last[0]._replace(span=statement.pieces[0].span)])
        self.statements.append(statement)
        if before != "aside" or self.open is None:
            self.open = statement

    def continue_statement(self, pieces: Sequence[Cut]) -> None:
        """Append `pieces` to the open statement, which keeps at most 20; without one they begin a statement without a
        left side.
        """
        if self.open is not None:
            room = PIECES - len(self.open.pieces)
            self.open.pieces.extend(pieces[: max(room, 0)])
        elif pieces:
            self.add(Statement(None, list(pieces[:PIECES]), self.block), "")


def _table_row_as_equation(text: str) -> str:
    """Return a row of a Markdown table, or of two cells with a tab between, as an equation, cells separated by `=`.

    The length stays the same, but blanks at the end may go. The rule below a table's head becomes empty; any other
    text, and one with a tab and an equals sign, is returned unchanged.
    """
    if _TABLE_ROW.match(text):
        if all(character in "|:-" or character.isspace() for character in text):
            return ""
        first, *rest = text.strip()[1:-1].split(" | ")
        return text[: len(text) - len(text.lstrip())] + " " + " = ".join((first, *rest)) + " "
    return text.replace("\t", "=") if text.strip().count("\t") == 1 and "=" not in text else text


def _joints(text: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield the separators in `text` from `start` to `end` as (kind, first, last), outside brackets.

    The kinds are colon, hence, equals, aside and stop (group names of `_JOINT`); `last` is excluded. If a bracket stays
    open, equals signs in brackets count too.
    """
    separators, is_open = joints_with_depth(_JOINT, text, start, end)
    for depth, joint in separators:
        if depth == 0 or (is_open and joint.kind == "equals"):
            yield joint.kind, joint.start, joint.end


def _piece(source: Source, text: str, start: int, end: int, offset: int = 0) -> Cut | None:
    """Return `text` from `start` to `end` without blanks, commas and colons around; None if nothing else is there.

    `offset` is the place of `text` in the source.
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
_SEPARATOR = pattern(r"\s*+(?:;|\\\\|,|(?<!\w)(?:and|und|et|y|while|but)(?=\s))\s*+", re.IGNORECASE)
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
_SIGNS = rules(
    (r"\\leq?(?![A-Za-z])|≤|=<", "<="),
    (r"\\geq?(?![A-Za-z])|≥|=>", ">="),
    (r"\\lt(?![A-Za-z])", "<"),
    (r"\\gt(?![A-Za-z])", ">"),
    (r"\\neq?(?![A-Za-z])|≠|!=", "≠"),
)
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
    """Return a text of several cases as one formula, `if(x > 0, (1), …)`; None if it is not one.

    If no last case is given, a huge number is the value elsewhere. LaTeX spaces and text commands, an opening `{` and
    its `}`, and a stop or comma at the end are removed. None also for more than 1,000 characters or 12 cases, for a
    single case, if no condition is an inequality, and if a value contains `=`.
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
    """Return two lines that each define one case of the same function as one line, joined by `;`; None if they do not.

    `f(x) = 1 for x > 0` and `f(x) = -1 for x < 0` give `f(x) = 1 for x > 0; -1 for x < 0`. `first` must have a left
    side; `second` has the same one, blanks ignored, or none. None also if `second` alone is not a case.
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
    """Return the cases of a text in the order written; None if a part of it is not a case, or there are more than 12.

    A case is a value followed by its condition (with or without a separator between), or by a word for `otherwise`. A
    condition `x = 0` is a single point. None also if a value has no condition, or an `=` in it.
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
    """Return the case of a value and the text of its condition; [] if that is neither an inequality nor a point."""
    inequality = _CONDITION.match(condition)
    if inequality is None and not _EQUALITY.match(condition):
        return []
    return [_Case(value, inequality["condition"] if inequality else _POINT)]


def _otherwise(match: re.Match[str], value: str) -> list[_Case]:
    """Return the cases of a word such as `else`: [a value without a condition], or two for `1 if x > 0 else -1`.

    `match` has the text before the word as `first`, that after it as `second`; `value` is a value that was read before
    and still needs its condition, "" if there is none. Two cases if the text before is a whole case, that after it is
    not empty and `value` is. Else one without a condition if exactly one of the three texts is not empty. Else [].
    """
    before, after = (match["first"] or "").strip(), match["second"].strip()
    branch = _BRANCH.match(before)
    if branch and after and not value:
        return [_Case(branch["value"], branch["condition"]), _Case(after, "")]
    values = [text for text in (before, after, value) if text]
    return [_Case(values[0], "")] if len(values) == 1 else []


def _split_cases(text: str) -> Iterator[str]:
    r"""Yield the stripped texts between separators outside brackets, some may be empty: `1, x > 0; -1, x < 0` gives
    four.

    Separators are comma, semicolon, `\\` and the words and, und, et, y, while and but.
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
    """Return the cases as nested `if(condition, (value), otherwise)`, the first one outermost; None without an
    inequality.

    Cases for single points are left out. A case with an empty condition or `≠` is the value everywhere else and
    replaces the cases after it. Without one a huge number is used elsewhere, so that the missing case is noticed.
    """
    formula, moving = _ELSEWHERE, False
    for value, condition in reversed([case for case in cases if case.condition != _POINT]):
        text = rewrite(condition, _SIGNS)
        if not text or "≠" in text:
            formula = f"({value})"
        else:
            formula = f"if({text.strip()}, ({value}), {formula})"
            moving = True
    return formula if moving else None
