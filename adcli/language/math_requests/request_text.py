"""The text of mathematical requests: what differentials and variables look like, statements, and where terms end."""

from __future__ import annotations

import re
import shlex
import string
from collections.abc import Callable, Collection

from ...patterns import pattern
from ...records import NamedTuple
from ..brackets import CLOSING, OPENING, closing, skip_blanks, with_depth
from ..name_parts import GREEK
from ..tokens import plain_name

MOST = 50  # signs of one kind that are looked at
_GREEK = "|".join(sorted(GREEK, key=len, reverse=True))
NAME = r"\\?[^\W\d]\w*+(?:_\{\w++\})?+"
# The d of Leibniz's notation, its power, and the variable behind it: a letter or a Greek name, perhaps with an index.
DERIVING = (
    r"(?:\\(?:mathrm|text|textrm|operatorname|mathit|mathbf)\s*+\{\s*+d\s*+\}|\{\s*+\\rm\s++d\s*+\}|\\(?:mathrm|rm)\s++d"
    r"|\\partial(?![a-zA-Z])|\\dd(?![a-zA-Z])|∂|ⅆ|d|D)"
)
POWER = (
    r"(?:\s*+(?:(?:\^|\*\*)\s*+(?:\{\s*+[0-9a-z]{1,3}\s*+\}|\(\s*+[0-9a-z]{1,3}\s*+\)"
    r"|[0-9]{1,3}|[nkm](?!\w))|[²³⁴-⁹ⁿ]))?+"
)
WRT = rf"(?:\\?(?:{_GREEK})(?![a-zA-Z])|[^\W\d_])(?:_\{{\w++\}}|_?[0-9]++|_[a-zA-Z]\w*+)?+"
SIZED = r"(?:\\(?:left|mleft|[bB]igg?l?)(?![a-zA-Z])\s*+)?+"
_ENCLOSED = pattern(rf"{SIZED}(?:[(\[{{]|\\\{{)(.*?)(?:\\(?:right|mright|[bB]igg?r?)\s*+)?(?:[)\]}}]|\\\}})", re.DOTALL)
_BOUNDARY = pattern(r"[()\[\]{}+\-,;]|(?<![=<>!:])=(?!=)")
_SEPARATOR = pattern(r"(?<!\\);|\n")
DEFINES = pattern(rf"\s*+{NAME}'*+\s*+(?:\([\w, ]*+\)\s*+)?:?=(?!=)")
_HARMLESS = frozenset(string.ascii_letters + string.digits + string.whitespace + "_+*/^()[]{}.,;:<>=|@'%-")
_PLAIN_IN_SHELL = frozenset("=,.+/^-_")


def sign_or_command(sign: str, command: str) -> re.Pattern[str]:
    """Return the pattern of a sign such as ∇ and of its command in LaTeX, given without the backslash."""
    return pattern(rf"{sign}|\\{command}(?![a-zA-Z])", signs=(sign, command))


class MathRequest(NamedTuple):
    """A request for something that is not part of an expression.

    `kind` is a word of the table `requests` of advice; the sign (`d/dx`) is the text from `start` to `end`.  `operand`
    is what the request is for, empty if it is missing (of a sum: all of it, as the language writes it); `wrt` are
    the names with respect to which it is made, `order` how often, `at` a point.  With `rest` there is more of the
    expression around it; `term` is the first term of the operand if it has several."""

    kind: str
    start: int
    end: int
    operand: str = ""
    wrt: tuple[str, ...] = ()
    order: int = 1
    rest: bool = False
    term: str = ""
    at: str = ""


class Notation(NamedTuple):
    """A way to write a request: an example, its sign, and what reads the request there; None if it is not one.

    `read` receives the text, the match of the sign, and the names that have a value.
    """

    example: str
    sign: re.Pattern[str]
    read: Callable[[str, re.Match[str], Collection[str]], MathRequest | None]


def statements(text: str) -> list[str]:
    """Return the statements of a text, which `;` and line ends separate."""
    return _SEPARATOR.split(text)


def statement(text: str, place: int) -> tuple[int, int]:
    r"""Return (start, end) of the statement of `text` that contains the index `place`, without its separator.

    Separators are semicolons (not `\;`) and line ends; one at `place` itself belongs to the statement before it.
    """
    first = 0
    for match in _SEPARATOR.finditer(text):
        if match.start() >= place:
            return first, match.start()
        first = match.end()
    return first, len(text)


def group(text: str, place: int) -> tuple[str, int] | None:
    """Return (content, stripped; index behind the closing brace) of the braces that open at `place`, perhaps after
    blanks; None if none opens there, or it is not closed.
    """
    start = skip_blanks(text, place, place + 80)
    close = closing(text, start, len(text)) if text[start : start + 1] == "{" else None
    return None if close is None else (text[start + 1 : close - 1].strip(), close)


def include_brackets(text: str, start: int, end: int) -> tuple[int, int]:
    """Return (start, end) of the sign `text[start:end]` with one pair of brackets (round, square or curly) directly
    around it, as in `(d/dx)`, if there is one.

    The two brackets are of one kind. Blanks may be between, up to 40 characters; without brackets the arguments are
    returned.
    """
    before, after = text[max(start - 40, 0) : start].rstrip(), text[end : end + 40].lstrip()
    if before[-1:] + after[:1] in ("()", "[]", "{}"):
        return text.rindex(before[-1], 0, start), text.index(after[0], end) + 1
    return start, end


def unwrap(text: str) -> str:
    """Return a text without blanks, and without one pair of brackets around it (also LaTeX's with sizes)."""
    match = _ENCLOSED.fullmatch(text.strip())
    return (match[1] if match else text).strip()


def end_of_term(text: str, start: int, stop: int, sums: bool) -> int:
    """Return the index where the expression that starts at `start` in `text` ends, at most `stop`.

    It ends before a sign of `_BOUNDARY` (comma, semicolon, a single =) or a closing bracket outside its own brackets.
    With `sums` also before a + or - between operands, so that one term remains; signs of numbers and of exponents such
    as 1e-3 do not end it. It may be `start`; blanks at the end are included.
    """
    for depth, match in with_depth(_BOUNDARY, text, start, stop):
        sign, place = match.group(), match.start()
        if depth > 0 or sign in OPENING or (depth == 0 and sign in CLOSING):
            continue
        if sign not in "+-":
            return place
        before = text[max(place - 3, start) : place].rstrip()
        is_operator = before[-1:].isalnum() or before[-1:] in tuple(")]}'!|")
        in_number = before[-1:] in ("e", "E") and before[-2:-1] in tuple("0123456789.")
        if sums and is_operator and not in_number:
            return place
    return stop


def plain(name: str) -> str:
    r"""Return a name without blanks, braces and LaTeX commands around it: ` {\alpha} ` -> `alpha`."""
    return plain_name(name.strip().strip("{}").strip())


def quote_for_shell(text: str, always: bool = True) -> str:
    """Return `text` quoted for a POSIX shell, with its blanks reduced to single ones.

    Double quotes are taken for an ASCII text of letters, digits, blanks and _+*/^()[]{}.,;:<>=|@'%- only, and for a
    text that is not ASCII and has none of ' " ! \\ $ `; else single quotes. If `always` is False, an empty text, or one
    of ASCII letters, digits and =,.+/^-_ only, gets no quotes.
    """
    text = " ".join(text.split())
    if not always and text.isascii() and all(sign.isalnum() or sign in _PLAIN_IN_SHELL for sign in text):
        return text
    in_double_quotes = _HARMLESS.issuperset(text) or not (text.isascii() or any(sign in text for sign in "'\"!\\$`"))
    return f'"{text}"' if in_double_quotes else shlex.quote(text)
