"""Formulas as tables write them, read piece by piece, for formats that have mathematics of their own.

A cell such as `x̄2 + v̄1 ∂v1/∂x1` or `sqrt x1 × (−2)^3` is read once from left to right; the format says how a name, a
number, a sign, a power, a root and a fraction are written.  Every text has a reading: what is no formula stays a text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from ..notation.names import GREEK
from ..table.primitive import Call, lookup
from .cells import visible

ACCENTS = {"\u0307": "dot", "\u0304": "bar"}
JOINING = frozenset(("and", "or", "not", "mod"))

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN_DIGITS = str.maketrans(_RAISED, "0123456789")
_NAME = rf"[^\W\d{_RAISED}](?:[^\W{_RAISED}]|[\u0300-\u036f'])*"
_POWER = rf"(?:\^(?:[0-9]+|k)|[{_RAISED}]+)?"
_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+−-]?[0-9]+)?"
_SHORT = r"[^\W\d_][\u0307\u0304]?[0-9]*'*"
_QUOTIENT = rf"(?:∂{_POWER}{_NAME}/(?:∂{_NAME}{_POWER})+|\bd{_POWER} ?{_SHORT}/d{_SHORT}{_POWER})(?![\w(])"
_TOKEN = re.compile(rf"(?P<quotient>{_QUOTIENT})|(?P<number>{_NUMBER})|(?P<name>{_NAME})|[<>=!]=|->|\S")
_FACTOR = re.compile(rf"(?P<sign>[∂d])(?P<first>{_POWER}) ?(?P<name>{_NAME})(?P<last>{_POWER})")
_DIFFERENTIAL = re.compile(r"d([A-Za-z]\d*)\Z")

# What is mathematics among words: accents, quotients, powers, x1, single letters, Greek names, comparisons, −1.
_AMONG_WORDS = re.compile(
    rf"{_QUOTIENT}|[^\W\d_][\u0307\u0304][\w']*|(?<![\w'])\w+\^\w+"
    r"|(?<![\w'])(?:[b-zB-HJ-Z]|a(?= ?[,)<>=!])|[a-zA-Z][0-9]+)'*(?![\w'])"
    rf"|\b(?:{'|'.join(sorted(GREEK))})[0-9]*(?![\w(])|[<>!]=|(?<!\w)[−-]?{_NUMBER}(?!\w)"
)


class Dialect(NamedTuple):
    """How a format writes mathematics.

    `name` takes a name and its accent, `function` a word and its index, `sign` a sign and whether it stands before an
    operand alone; `around` a whole formula that stands in a text, and `text` what is only text.  `power` is what stands
    before, between and after a base and its exponent, `root` before and after.
    """

    name: Callable[[str, str], str]
    number: Callable[[str], str]
    function: Callable[[str, str], str]
    sign: Callable[[str, bool], str]
    around: Callable[[str], str]
    text: Callable[[str], str]
    apply: str
    times: str
    power: tuple[str, str, str]
    root: tuple[str, str]


class _Open(NamedTuple):
    """A bracket that is open: which, where its operand starts, what its own place waits for, whether it is written."""

    sign: str
    start: int
    waiting: list[tuple[str, int]]
    written: bool


_CLOSING = {")": "(", "]": "[", "}": "{"}


class _Writer:
    """Writes one formula, piece by piece.

    `start` is the piece at which the last operand starts, `waiting` what must be closed after the next one (a root
    remembers where it starts, a power has -1).
    """

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.out: list[str] = []
        self.start = 0
        self.operand = False
        self.applied: int | None = None
        self.waiting: list[tuple[str, int]] = []
        self.open: list[_Open] = []

    def begin(self, apart: bool, bracket: bool = False) -> int:
        """An operand begins: where, counting the name of a function before it."""
        if self.applied is not None:
            start, self.applied = self.applied, None
            if not bracket:
                self.out.append(self.dialect.apply)
            return start
        if self.operand and apart:
            self.out.append(self.dialect.times)
        return len(self.out)

    def end(self, start: int, following: str) -> None:
        """An operand has ended, and with it the roots and, unless it has a power itself, the powers that it is in."""
        self.operand = True
        while self.waiting and (self.waiting[-1][1] >= 0 or following not in ("^", "!")):
            closing, root = self.waiting.pop()
            self.out.append(closing)
            start = root if root >= 0 else start
        self.start = start

    def piece(self, text: str, apart: bool, following: str) -> None:
        start = self.begin(apart)
        self.out.append(text)
        self.end(start, following)

    def raised(self) -> None:
        """The last operand gets a power."""
        before, between, after = self.dialect.power
        self.out[self.start] = before + self.out[self.start]
        self.out.append(between)
        self.waiting.append((after, -1))
        self.operand = False

    def rooted(self, apart: bool) -> None:
        start = self.begin(apart)
        before, after = self.dialect.root
        self.out.append(before)
        self.waiting.append((after, start))
        self.operand = False

    def called(self, word: str, index: str, apart: bool) -> None:
        self.applied = self.begin(apart)
        self.out.append(self.dialect.function(word, index))
        self.operand = False

    def opened(self, sign: str, apart: bool, after: str) -> None:
        """A bracket opens; around the whole of an exponent or under a root it is not written."""
        written = not (sign == "(" and self.waiting and after in ("^", "sqrt"))
        start = self.begin(apart, bracket=True)
        if written:
            self.out.append(self.dialect.sign("|(" if sign == "|" else sign, True))
        self.open.append(_Open(sign, start, self.waiting, written))
        self.waiting, self.operand = [], False

    def closed(self, sign: str, following: str) -> None:
        self.settle()
        opened = self.open.pop()
        if opened.written:
            self.out.append(self.dialect.sign("|)" if sign == "|" else sign, False))
        self.waiting = opened.waiting
        self.end(opened.start, following)

    def settle(self) -> None:
        """Nothing more comes that could be under a root or a power."""
        while self.waiting:
            self.out.append(self.waiting.pop()[0])
        self.applied = None

    def signed(self, sign: str) -> None:
        if sign != "!" and not (self.waiting and not self.operand and sign in "−-+"):
            self.settle()
        self.out.append(self.dialect.sign(sign, not self.operand))
        self.operand = sign == "!"

    def whole(self) -> str:
        self.settle()
        while self.open:
            self.waiting = self.open.pop().waiting
            self.settle()
        return "".join(self.out)


def formula(text: str, dialect: Dialect) -> str:
    """The text of a formula in a format's own mathematics."""
    writer = _Writer(dialect)
    tokens = list(_TOKEN.finditer(_apart(visible(text))))
    end = 0
    after = ""
    for place, token in enumerate(tokens):
        sign, apart = token.group(), token.start() > end
        following = tokens[place + 1].group() if place + 1 < len(tokens) else ""
        end = token.end()
        if token["quotient"]:
            writer.piece(_quotient(sign, dialect), apart, following)
        elif token["number"]:
            writer.piece(_number(sign, following, dialect), apart, following)
        elif token["name"]:
            _named(writer, sign, apart, following)
        elif sign == "^" and writer.operand:
            writer.raised()
        elif sign in "([{" or (sign == "|" and not (writer.operand and _innermost(writer) == "|")):
            writer.opened(sign, apart, after)
        elif sign == "|" or (sign in ")]}" and _innermost(writer) == _CLOSING[sign]):
            writer.closed(sign, following)
        else:
            writer.signed(sign)
        after = sign
    return writer.whole()


def _number(text: str, following: str, dialect: Dialect) -> str:
    """A number; in brackets where it has a power of ten already and gets another."""
    shown = dialect.number(text)
    return dialect.sign("(", True) + shown + dialect.sign(")", False) if "e" in text and following == "^" else shown


def _apart(text: str) -> str:
    """The text with its accents apart from their letters; signs such as ≠ stay whole."""
    return "".join(unicodedata.normalize("NFD", c) if c.isalpha() else c for c in text)


def _innermost(writer: _Writer) -> str:
    return writer.open[-1].sign if writer.open else ""


def _named(writer: _Writer, name: str, apart: bool, following: str) -> None:
    """A name: of a function where something follows that it can take, else of a value."""
    if name in JOINING:
        writer.signed(name)
        return
    row = lookup(name) if following[:1].isalnum() or following[:1] in ("(", "|", ".", "π", "τ", "…") else None
    if row is not None and name == "sqrt":
        writer.rooted(apart)
    elif row is not None:
        known = row.notation if isinstance(row.notation, Call) and not row.notation.index.startswith("{") else None
        word = known.symbol if known and known.symbol and known.symbol not in GREEK else name
        writer.called(word, known.index if known else "", apart)
    else:
        writer.piece(_differential(name, writer.dialect), apart, following)


def _accented(name: str, dialect: Dialect) -> str:
    """A name with its dot or bar, which stands after the first letter."""
    accent = ACCENTS.get(name[1:2], "")
    plain = name[0] + name[2:] if accent else name
    return dialect.name(unicodedata.normalize("NFC", plain), accent)


def _differential(name: str, dialect: Dialect) -> str:
    match = _DIFFERENTIAL.match(name)
    return dialect.name("d", "") + dialect.name(match.group(1), "") if match else _accented(name, dialect)


def _quotient(text: str, dialect: Dialect) -> str:
    above, _, below = text.partition("/")
    return _half(above, dialect) + dialect.sign("/", False) + _half(below, dialect)


def _half(text: str, dialect: Dialect) -> str:
    return "".join(
        _raised(dialect.name(factor["sign"], ""), factor["first"], dialect)
        + _raised(_accented(factor["name"], dialect), factor["last"], dialect)
        for factor in _FACTOR.finditer(text)
    )


def _raised(base: str, power: str, dialect: Dialect) -> str:
    if not power:
        return base
    before, between, after = dialect.power
    power = power.removeprefix("^").translate(_PLAIN_DIGITS)
    shown = dialect.name(power, "") if power.isalpha() else dialect.number(power)
    return f"{before}{base.rstrip()}{between}{shown}{after}"


def words(text: str, dialect: Dialect) -> str:
    """A text of ours with the mathematics that occurs in it: `tangents with respect to x1`."""
    text = _apart(text)
    out = []
    end = 0
    for match in _AMONG_WORDS.finditer(text):
        if lookup(match.group()) is not None:  # gamma is a function in words, and a letter in formulas
            continue
        out += [_words(text[end : match.start()], dialect), dialect.around(formula(match.group(), dialect))]
        end = match.end()
    return "".join([*out, _words(text[end:], dialect)])


def _words(text: str, dialect: Dialect) -> str:
    return dialect.text(unicodedata.normalize("NFC", text))
