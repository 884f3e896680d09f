"""Formulas of a derivation in one spelling, with the derivatives in them recognised: `(x^2)'`, `d/dx sin x`, `f_x`.

The language has no derivatives, so each is replaced by a new name in the text that the language reads, and the meaning
of the name is kept in `Speller.marks`.  Brackets are closed from the inside out on a stack; nothing here recurses.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache, partial

from ...errors import AdcliError
from ...graph.graph import CONSTANTS
from ...language.scanner import AGGREGATES, plain_spelling
from ...notation.typeset_names import GREEK
from ...patterns import pattern
from ...records import NamedTuple
from ...table.primitive import lookup

LONGEST = 2_000  # characters of a formula
_DEEPEST = 60  # brackets inside brackets
_GROUP, _OPERATOR, _PRIVATE = 0xE000, 0xE800, 0xF000  # characters for parts that were read before
_MOST = _OPERATOR - _GROUP

_G, _O = r"[\uE000-\uE7FF]", r"[\uE800-\uEFFF]"
_NAME = r"[^\W\d_][^\W_]*+(?:_[^\W_]++)*+"
_POWER = r"(?:\s*\^\s*(?P<{0}>\d))?"
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿˣʸ", "0123456789+-()nxy")
_SUPERSCRIPTS = pattern("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿˣʸ]++")
_WORDS_OF_LATEX = (
    (pattern(r"\\(?:mathrm|operatorname|text|mathit|rm)\s*+\{\s*+d\s*+\}|\\(?:mathrm|rm)\s++d(?![A-Za-z])"), "d"),
    (pattern(r"\\dd(?![a-z])|\\d(?=[ {])"), "d"),
    (pattern(r"\\partial(?![A-Za-z])"), "∂"),
    (pattern(r"\\circ(?![A-Za-z])"), "∘"),
    (pattern(r"\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z])\s*+\.?"), " "),
    (pattern(r"\^\s*+\{\s*+(?:\\prime\s*+)++\}|\^\s*+\\prime(?![A-Za-z])|\\prime(?![A-Za-z])"), "'"),
    (pattern(r"\^\s*+\{\s*+(?:\\prime\s*+){2}\}"), "''"),
    (pattern(r"\\(?:dot)(?![A-Za-z])\s*+(?:\{\s*+([A-Za-z])\s*+\}|([A-Za-z]))"), r"\1\2'"),
    (pattern(r"\\(?:mathrm|operatorname|mathit|text)\*?\s*+\{\s*+([A-Za-z]{2,12})\s*+\}"), r" \1 "),
    (pattern(r"\\(?:displaystyle|limits|thinspace|q?quad|nonumber|boxed|mathbf|bm)(?![A-Za-z])|\\[,;:! ]"), " "),
)  # fmt: skip
_GREEK_MACRO = pattern(rf"\\(?:var)?({'|'.join(sorted(GREEK, key=len, reverse=True))})(?![A-Za-z])")
_DOTS = {"\u0307": 1, "\u0308": 2}
_SIGMOID = pattern(r"σ(?=\s*+\()")
_SPACED_PRIME = pattern(r"(?<=[^\W\d_])\s++(?='++\s*+\()")
_MODULES = pattern(r"(?<![\w.])(?:Math|math|np|numpy|sympy|sp)\.(?=[a-zA-Z])")
_COMPOSED = pattern(  # (f∘g)'(x), f∘g
    r"\(\s*+(?P<inner>[^\W\d_](?:\s*+∘\s*+[^\W\d_])++)\s*+\)\s*+(?P<primes>'*+)\s*+(?:\(\s*+(?P<of>[^\W\d_]\w*+)\s*+\))?"
    r"|(?P<bare>[^\W\d_](?:\s*+∘\s*+[^\W\d_])++)(?:\s*+\(\s*+(?P<at>[^\W\d_]\w*+)\s*+\))?"
)
_ORDERED = pattern(rf"({_NAME})\s*\^\s*(?:\{{\s*)?\(\s*(\d)\s*\)(?:\s*\}})?")  # f^{(2)}
_TOKEN = pattern(
    rf"(?P<group>{_G})|(?P<operator>{_O})|(?P<number>\d++(?:\.\d*+)?|\.\d++)|(?P<word>\\?[^\W\d_]\w*+)|(?P<prime>'++)"
    r"|(?P<blank>\s++)|(?P<sign>.)",
    re.S,
)
_BELOW = rf"(?:[d∂]\s*+\(?\s*+(?:{_NAME})\s*+\)?(?:\s*+\^\s*+\d)?\s*+[*·]?\s*+)+"
_IS_BELOW = pattern(rf"\s*+{_BELOW}\Z")
_ABOVE = pattern(rf"\s*+[d∂]{_POWER.format('power')}\s*+(?P<rest>.*)\Z", re.S)
_FRACTION = pattern(rf"\\[cdt]?frac\s*+(?P<above>{_G}|[d∂])\s*+(?P<below>{_G})")
_SLASHED = pattern(
    rf"(?<![\w\\])[d∂](?:\s*\^\s*(?P<power>\d)|(?P<digit>\d)(?=[^\W\d_]))?\s*+(?P<of>{_NAME}(?:\s*+{_G})?|{_G}|{_NAME}\s*+{_G}|)\s*+/\s*+"
    rf"(?P<below>(?:[d∂]\s*+{_NAME}(?:\s*+\^\s*+\d)?\s*+)+|{_G})"
)
_UNDERSCORED = pattern(r"(?<![\w\\])d(?P<power>\d?)(?P<of>[^\W\d_]\d*+)_?d(?P<below>[^\W_]++(?:_d[^\W_]++)*+)(?!\w)")
_CALLED = pattern(rf"(?<![\w\\])(?:[Dd]iff|[Dd]erivative|differentiate|D)\s*+(?P<of>{_G})")
_CAPITAL = pattern(rf"(?<![\w\\])(?:D|∂)_(?P<below>[^\W_]++|{_G}){_POWER.format('power')}")
_LOWERED = pattern(r"(?P<of>[^\W\d_])_(?P<below>[^\W_]++)(?!\w)")
_ENTRY = pattern(rf"[d∂]\s*+(?P<name>{_NAME})(?:\s*+\^\s*+(?P<power>\d))?")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OPERAND_ENDS = frozenset(("group", "number", "word", "mark", "prime"))
_TIGHT = frozenset("+-−*·×/=,")


class NoFormula(AdcliError):
    """The error of a text that is not a formula, or uses undefined names; only shown next to its row."""


class InnerDerivative(NamedTuple):
    """A derivative in a formula: of the text `of`, by `wrt`, inputs or symbols one after another; () by a prime."""

    of: str
    wrt: tuple[str, ...]
    order: int


class NamedCall(NamedTuple):
    """A function that the student has named, or a derivative of one, at arguments: `g(x^2)`, `g'(h(x))`, `sin'(u)`."""

    name: str
    order: int
    arguments: tuple[str, ...]
    text: str  # what it is if the name is no function: a product


Meaning = InnerDerivative | NamedCall


class Group(NamedTuple):
    """A bracketed text: its opening bracket, the inside as written (`raw`) and in the spelling of the language."""

    opening: str
    raw: str
    text: str

    @property
    def whole(self) -> str:
        return self.opening + self.text + _CLOSING[self.opening]


class _FormulaToken(NamedTuple):
    kind: str
    text: str


def plain(text: str, inputs: Collection[str]) -> str:
    """Return the formula `text` in one spelling: no LaTeX, raised digits as powers, `x_1` as x1 if that is one of
    `inputs`.

    Primes replace dots above letters and orders such as `f^{(2)}`; `f∘g` becomes `(f(g(x)))`. Brackets and words stay.
    """
    text = re.sub("[\ue000-\uf8ff]", "\ufffd", text)
    if not text.isascii():
        text = _SUPERSCRIPTS.sub(_power, text).replace("″", "''").replace("‴", "'''").replace("∙", "*")
        text = "".join(map(_undotted, plain_spelling(text)))
        if "σ" not in inputs:
            text = _SIGMOID.sub("sigmoid", text)
    if "\\" in text:
        for shape, meaning in _WORDS_OF_LATEX:
            text = shape.sub(meaning, text)
        text = _GREEK_MACRO.sub(lambda match: f" {match[1]} ", text)
    text = re.sub(r"\*\*", "^", text).replace("`", "'").replace("´", "'")
    text = _COMPOSED.sub(partial(_composed, inputs), text) if "∘" in text else text
    text = _MODULES.sub("", _SPACED_PRIME.sub("", text))
    text = _ORDERED.sub(lambda match: match[1] + "'" * int(match[2]) if not lookup(match[1]) else match.group(), text)
    for name in inputs:
        stem = re.match(r"([^\W\d_]+)_?(\d+)\Z", name)
        if stem:
            text = re.sub(rf"(?<![^\W\d_]){stem[1]}\s?_\s?(?:\{{\s*{stem[2]}\s*\}}|{stem[2]}(?!\d))", name, text)
    return text


def _composed(inputs: Collection[str], match: re.Match[str]) -> str:
    """Return `f∘g`, of the first input if no argument is written, as `(f(g(x)))` with its primes (a callback of
    re.sub).
    """
    names = re.findall(r"[^\W\d_]", match["inner"] or match["bare"])
    argument = match["of"] or match["at"] or next(iter(inputs), "x")
    whole = "(".join([*names, argument]) + ")" * len(names)
    return f"({whole}){match['primes'] or ''}"


def _undotted(character: str) -> str:
    """Return a letter with dots above as that letter with primes; any other character unchanged."""
    apart = unicodedata.normalize("NFD", character)
    return apart[0] + "'" * _DOTS[apart[1]] if len(apart) == 2 and apart[1] in _DOTS else character


def _power(match: re.Match[str]) -> str:
    raised = match.group().translate(_RAISED)
    return f"^{raised}" if raised.isdigit() or raised[1:].isdigit() or raised.isalpha() else f"^({raised})"


class Speller:
    """A converter of formulas of one answer to the language; `marks` has the meanings of the names that it inserts.

    `inputs` are the problem's, `symbols` the names that the answer defines or differentiates, `functions` those of them
    that may denote the problem's own function.
    """

    def __init__(self, inputs: Collection[str], symbols: Collection[str], functions: Collection[str]) -> None:
        self.inputs = tuple(inputs)
        self.symbols = frozenset(symbols)
        self.functions = frozenset(functions)
        self.marks: dict[str, Meaning] = {}
        self._folded = {name.casefold(): name for name in (*self.symbols, *self.inputs)}
        self._letters = {**{_letter(name): name for name in self.inputs}, **{_letter(n): n for n in self.symbols}}

    def spelled(self, text: str) -> str:
        """Return the formula `text` in the spelling of the language, with names from `marks` for derivatives.

        Raises NoFormula if brackets do not pair, if an operator has no operand, or if the formula is too long.
        """
        if len(text) > LONGEST:
            raise NoFormula("the formula is too long", label=f"at most {LONGEST:,} characters are read")
        return _Spelled(self, plain(text, self.inputs)).text

    def mark(self, meaning: Meaning) -> str:
        """Return a new name for a derivative or call, and store it in `marks`."""
        name = f"mark{len(self.marks)}mark"
        self.marks[name] = meaning
        return name

    def known(self, word: str) -> bool:
        """Return whether a word is a name of the language, the problem or the answer."""
        return (
            word in self.inputs or word in self.symbols or word in self.marks or word in self.functions
            or lookup(word) is not None or word in CONSTANTS or word in AGGREGATES
        )  # fmt: skip

    def parts(self, word: str) -> tuple[str, ...]:
        """Return the names that a word consists of: `xcosx` gives x, cos, x.

        A 1-tuple with the word itself if it is a known name or has no such parts; with the known spelling if it differs
        in case, or in a Greek letter and its name.
        """
        bare = word.lstrip("\\")
        if self.known(bare) or not bare:
            return (word,)
        own = self._letters.get(_letter(bare)) or self._folded.get(bare.casefold())
        if own is not None:
            return (own,)
        if lookup(bare.lower()) is not None and len(bare) > 1:
            return (bare.lower(),)
        return self._split(bare) or (word,)

    def _split(self, word: str) -> tuple[str, ...] | None:
        """Return the fewest known names, and digits after functions, that a word consists of; None if it does not."""
        if len(word) > 40:
            return None
        best: list[tuple[str, ...] | None] = [()] + [None] * len(word)
        for end in range(1, len(word) + 1):
            for start in range(max(0, end - 12), end):
                before, part = best[start], word[start:end]
                if before is None or not (self.known(part) or (part.isdigit() and before and lookup(before[-1]))):
                    continue
                if len(part) > 1 and part in CONSTANTS and part not in ("pi", "tau"):
                    continue
                shorter = best[end]
                if shorter is None or len(before) + 1 < len(shorter):
                    best[end] = (*before, part)
        found = best[-1]
        return found if found and any(not part.isdigit() for part in found) else None

    def wrt(self, below: str, *, lines: bool = True) -> tuple[str, ...] | None:
        """Return the names to differentiate by, one after another; None if the text `below` is not a list of them.

        With `lines` it is the lower part of a fraction, `dx^2` or `dx dy`, whose names need not be known. Without, it
        is an index, `xy` or `1` (the inputs by number, in the order of their names), and every name must be known.
        """
        found: list[str] = []
        if lines:
            if not _IS_BELOW.match(below):
                return None
            for entry in _ENTRY.finditer(below):
                names = self._one_or_more(entry["name"])
                found += names[:-1] + [names[-1]] * int(entry["power"] or 1) if names else [entry["name"]]
            return tuple(found)
        if re.fullmatch(r"[1-9]{1,4}", below):  # f_12, by the inputs in order
            by_number = sorted(self.inputs, key=lambda name: (len(name), name))
            wanted = [int(digit) - 1 for digit in below]
            return tuple(by_number[k] for k in wanted) if max(wanted) < len(by_number) > 1 else None
        names = [name for part in re.split(r"[\s,_]+", below.strip()) for name in self._one_or_more(part) or [""]]
        return tuple(names) if all(names) else None

    def _one_or_more(self, text: str) -> list[str] | None:
        """Return the inputs and symbols that `text` names: `x`, `xy`, `xdy`, `x2` for x twice; None if it
        names none.
        """
        own = self._letters.get(_letter(text))
        if own is not None:
            return [own]
        if text in self.inputs or text in self.symbols:
            return [text]
        twice = re.match(r"([^\W\d_])(\d)\Z", text)  # dx2 for dx^2
        if twice and (twice[1] in self.inputs):
            return [twice[1]] * int(twice[2])
        pieces = [piece for piece in re.findall(r"[^\W\d_]\d*", text) if piece != "d" or "d" in self.inputs]
        return pieces if pieces and all(piece in self.inputs for piece in pieces) else None


@lru_cache(maxsize=1024)
def _letter(name: str) -> str:
    """Return the name of a single non-ASCII letter in lower case, `theta` for θ; any other name unchanged."""
    if len(name) == 1 and not name.isascii():
        try:
            return unicodedata.name(name).rpartition(" ")[2].lower().replace("lamda", "lambda")
        except ValueError:
            return name
    return name


class _Spelled:
    """One formula on its way into the language."""

    def __init__(self, speller: Speller, text: str) -> None:
        """Convert a formula in plain spelling (see `plain`) to the spelling of the language, in the attribute `text`.

        New marks for derivatives and calls are added to `speller.marks`. Raises NoFormula if brackets do not pair or
        are nested too deeply, if the formula is too long, or if an operator such as d/dx has no operand.
        """
        self.speller = speller
        self.groups: list[Group] = []
        self.operators: list[tuple[tuple[str, ...], int]] = []
        frames: list[tuple[str, list[str]]] = [("", [])]
        for character in text:
            if character in _CLOSING:
                frames.append((character, []))
                if len(frames) > _DEEPEST:
                    raise NoFormula("the formula is too deeply nested")
            elif character in ")]}":
                opening, content = frames.pop()
                if not frames or _CLOSING[opening] != character:
                    raise NoFormula("the brackets do not pair")
                frames[-1][1].append(self._closed(opening, "".join(content), frames[-1][1]))
            else:
                frames[-1][1].append(character)
        if len(frames) > 1:
            raise NoFormula("the brackets do not pair")
        self.text = self._flat("".join(frames[0][1]))

    def _closed(self, opening: str, raw: str, before: Sequence[str]) -> str:
        """Return what replaces a bracketed text: a private-use character for its group, or its content after `^` and
        `_`.

        `opening` is the bracket, `raw` the text inside, `before` the characters before it on the same level. Only
        digits after `^` and words after `_` in braces lose their brackets.
        """
        last = next((character for character in reversed(before) if not character.isspace()), "")
        if opening == "{" and last == "^" and raw.strip().isdigit():
            return raw.strip()
        if opening == "{" and last == "_" and re.fullmatch(r"[\w\s,]*", raw):
            return re.sub(r"[\s,]+", "", raw)
        return self._group(opening, raw)

    def _group(self, opening: str, raw: str) -> str:
        if len(self.groups) >= _MOST:
            raise NoFormula("the formula is too long")
        self.groups.append(Group(opening, raw, self._flat(raw)))
        return chr(_GROUP + len(self.groups) - 1)

    def _of(self, sign: str) -> Group:
        return self.groups[ord(sign) - _GROUP]

    def _operator(self, wrt: tuple[str, ...], order: int) -> str:
        if len(self.operators) >= _PRIVATE - _OPERATOR:
            raise NoFormula("the formula is too long")
        self.operators.append((wrt, order))
        return chr(_OPERATOR + len(self.operators) - 1)

    # --- one level of brackets ----------------------------------------------------------------------------------------

    def _flat(self, text: str) -> str:
        """Return a text without brackets, groups and operators being single characters, in the spelling of the
        language.
        """
        for shape, form in (
            (_CALLED, self._called), (_FRACTION, self._fraction), (_SLASHED, self._slashed),
            (_UNDERSCORED, self._underscored), (_CAPITAL, self._capital), (_LOWERED, self._lowered),
        ):  # fmt: skip
            text = shape.sub(form, text)
        tokens = self._applied(self._split(text))
        return self._joined(self._operated(tokens))

    def _called(self, match: re.Match[str]) -> str:
        """Return `diff(sin(x), x)` as an operator and its operand; unchanged if a name in it is unknown."""
        of, *names = self._of(match["of"]).raw.split(",")
        wrt: list[str] = []
        for name in map(str.strip, names):
            if name.isdigit() and wrt and int(name) <= 9:
                wrt += [wrt[-1]] * (int(name) - 1)
            else:
                wrt += [name] if name in self.speller.inputs or name in self.speller.symbols else [""]
        return self._prefixed(tuple(wrt), None, of) if wrt and all(wrt) else match.group()

    def _fraction(self, match: re.Match[str]) -> str:
        r"""Return `\frac{d…}{dx}` as an operator and its operand (a callback of re.sub); unchanged if it is not a
        derivative.
        """
        above = match["above"]
        numerator = above if above in "d∂" else self._of(above).raw
        found = _ABOVE.match(numerator)
        wrt = self.speller.wrt(self._of(match["below"]).raw) if found else None
        if not found or not wrt:
            return match.group()
        return self._prefixed(wrt, found["power"], found["rest"])

    def _prefixed(self, wrt: tuple[str, ...], power: str | None, rest: str) -> str:
        order = int(power or len(wrt))
        if len(wrt) == 1 and order > 1:
            wrt = wrt * order
        return self._operator(wrt, len(wrt)) + (self._group("(", rest) if rest.strip() else "")

    def _slashed(self, match: re.Match[str]) -> str:
        """Return `dy/dx` or `d/dx` as an operator and its operand (a callback of re.sub); unchanged if it is not a
        derivative.

        It is not one if a name below is unreadable, or if it is `d/d…` and d is an input.
        """
        below = match["below"]
        wrt = self.speller.wrt(self._of(below).raw if _is_group(below) else below)
        of = match["of"]
        if not wrt or ("d" in self.speller.inputs and "∂" not in match.group() and not of):
            return match.group()
        if _is_group(of):
            of = self._of(of).raw
        return self._prefixed(wrt, match["power"] or match["digit"], of)

    def _underscored(self, match: re.Match[str]) -> str:
        names = match["below"].split("_d")
        wrt = [name for text in names for name in self.speller._one_or_more(text) or [""]]
        if not all(wrt) or (match["of"] not in self.speller.functions and match["of"] not in self.speller.symbols):
            return match.group()
        return self._prefixed(tuple(wrt), match["power"] or None, match["of"])

    def _capital(self, match: re.Match[str]) -> str:
        below = match["below"]
        wrt = self.speller.wrt(self._of(below).raw if _is_group(below) else below, lines=False)
        if not wrt or "D" in self.speller.inputs:
            return match.group()
        return self._operator(wrt * int(match["power"] or 1), len(wrt) * int(match["power"] or 1))

    def _lowered(self, match: re.Match[str]) -> str:
        """Return `f_x` as an operator and its operand (a callback of re.sub); unchanged if f is not a function or
        symbol.
        """
        name, speller = match["of"], self.speller
        if match.group() in speller.inputs or match.group() in speller.symbols:
            return match.group()
        wrt = speller.wrt(match["below"], lines=False)
        if not wrt or not (name in speller.functions or name in speller.symbols):
            return match.group()
        return self._operator(wrt, len(wrt)) + self._group("(", name)

    def _split(self, text: str) -> list[_FormulaToken]:
        """Return the tokens of a text; a word becomes the names that it consists of, with blanks between them."""
        found: list[_FormulaToken] = []
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup or ""
            if kind != "word":
                found.append(_FormulaToken(kind, match.group()))
                continue
            parts = self.speller.parts(match.group())
            for place, part in enumerate(parts):
                if place:
                    found.append(_FormulaToken("blank", " "))
                found.append(_FormulaToken("number" if part.isdigit() else "word", part))
        return found

    def _applied(self, tokens: Sequence[_FormulaToken]) -> list[_FormulaToken]:
        """Return the tokens with a mark for each derivative written with primes and for each call of a function of the
        student.

        That is `(…)'`, `sin(x)'`, `x'`, `u'`, `g'(x)`, `g(x)` and `f(x)'`; `g(x)` is marked only if g is a symbol or
        function of the answer.
        """
        speller, found = self.speller, list[_FormulaToken]()
        place = 0
        while place < len(tokens):
            kind, text = tokens[place]
            if kind == "group" and _kind(tokens, place + 1) == "prime":
                order = len(tokens[place + 1].text)
                start = self._head(found)
                of = self._joined([*found[start:], tokens[place]])
                del found[start:]
                found.append(self._marked(InnerDerivative(of, (), order)))
                place += 2
                continue
            name = text.lstrip("\\")
            is_symbol = (
                kind == "word" and name not in speller.inputs and (lookup(name) is None or name in speller.symbols)
            )
            if kind == "word" and name in speller.inputs and _kind(tokens, place + 1) == "prime":
                found.append(self._marked(InnerDerivative(name, (), len(tokens[place + 1].text))))
                place += 2
                continue
            if kind == "word" and (is_symbol or lookup(name)) and name not in AGGREGATES and name not in CONSTANTS:
                order, after = 0, place + 1
                if _kind(tokens, after) == "prime":
                    order, after = len(tokens[after].text), after + 1
                group = self._of(tokens[after].text) if _kind(tokens, after) == "group" else None
                called = name in speller.symbols or name in speller.functions
                if group is not None and group.opening in "([" and (order or (is_symbol and called)):
                    arguments = tuple(self._flat(part) for part in group.raw.split(","))
                    applied = NamedCall(name, order, arguments, f"{name}*{group.whole}" if not order else "")
                    after += 1
                    if _kind(tokens, after) == "prime":  # f(x)'
                        outer = self._marked(applied)
                        found.append(self._marked(InnerDerivative(outer.text, (), len(tokens[after].text))))
                        after += 1
                    else:
                        found.append(self._marked(applied))
                    place = after
                    continue
                if order and is_symbol:
                    found.append(self._marked(InnerDerivative(name, (), order)))
                    place = after
                    continue
            found.append(tokens[place])
            place += 1
        return found

    def _head(self, found: Sequence[_FormulaToken]) -> int:
        """Return the index of the function, `sin` or `sin^2`, at the end of `found`; `len(found)` if there is none."""
        place = len(found)
        while place and found[place - 1].kind == "blank":
            place -= 1
        if (
            place >= 3
            and found[place - 1].kind == "number"
            and found[place - 2].text == "^"
            and _is_call(found[place - 3])
        ):
            return place - 3
        return place - 1 if place and _is_call(found[place - 1]) else len(found)

    def _marked(self, meaning: Meaning) -> _FormulaToken:
        return _FormulaToken("mark", self.speller.mark(meaning))

    def _operated(self, tokens: list[_FormulaToken]) -> list[_FormulaToken]:
        """Return the tokens with a mark for each operator such as d/dx and its operand.

        Raises NoFormula if one has no operand.
        """
        found = list(tokens)
        for place in range(len(found) - 1, -1, -1):
            if found[place].kind != "operator":
                continue
            wrt, order = self.operators[ord(found[place].text) - _OPERATOR]
            end = self._operand(found, place + 1)
            of = self._joined(found[place + 1 : end])
            if not of.strip():
                raise NoFormula("a derivative needs something to differentiate")
            if self._is_symbol(of):
                end = self._after_arguments(found, end)
            found[place:end] = [self._marked(InnerDerivative(of, wrt, order))]
        return found

    def _is_symbol(self, of: str) -> bool:
        name = of.strip(" ()")
        return name in self.speller.functions or name in self.speller.symbols

    def _after_arguments(self, tokens: Sequence[_FormulaToken], place: int) -> int:
        """Return the index after a bracket of inputs at `place`, the arguments of f_x(x, y); `place` if
        there is none.
        """
        group = place + 1 if _kind(tokens, place) == "blank" else place
        if _kind(tokens, group) != "group":
            return place
        names = [name.strip() for name in self._of(tokens[group].text).raw.split(",")]
        return group + 1 if all(name in self.speller.inputs for name in names) else place

    def _operand(self, tokens: Sequence[_FormulaToken], start: int) -> int:
        """Return the index after the operand that begins at `start`: after a bracket or mark and its power, else after
        the term.
        """
        place = start
        while _kind(tokens, place) == "blank":
            place += 1
        if _kind(tokens, place) == "group" or (_kind(tokens, place) == "mark"):
            place += 1
            if place + 1 < len(tokens) and tokens[place].text == "^":
                place += 2
            return place
        first = True
        while place < len(tokens):
            if tokens[place].text in _TIGHT and not first:
                break
            first = tokens[place].text == "^" or (first and tokens[place].kind == "blank")
            place += 1
        return place

    def _joined(self, tokens: Sequence[_FormulaToken]) -> str:
        """Return the text of tokens, groups in their brackets.

        A multiplication sign is added before a mark, before brackets that follow a blank, and before a number, if an
        operand precedes; a function's argument without brackets thus ends there.
        """
        out: list[str] = []
        before = ""
        blank = False
        for kind, text in tokens:
            if kind == "blank":
                blank = True
                out.append(" ")
                continue
            apart = kind == "mark" or (kind == "group" and blank)
            if (apart and before in _OPERAND_ENDS) or (kind == "number" and before in ("word", "mark", "group")):
                out.append("*")
            out.append(self._of(text).whole if kind == "group" else f"{text} " if kind == "mark" else text)
            before = "function" if kind == "word" and (lookup(text.lstrip("\\")) or text[:1] == "\\") else kind
            blank = False
        return "".join(out)


def _kind(tokens: Sequence[_FormulaToken], place: int) -> str:
    return tokens[place].kind if place < len(tokens) else ""


def _is_call(token: _FormulaToken) -> bool:
    return token.kind == "word" and lookup(token.text.lstrip("\\")) is not None


def _is_group(text: str) -> bool:
    return len(text) == 1 and _GROUP <= ord(text) < _OPERATOR
