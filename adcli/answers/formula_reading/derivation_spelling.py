"""Formulas of a derivation in one spelling, with the derivatives in them recognised: `(x^2)'`, `d/dx sin x`, `f_x`. A
mark is the name that is inserted for a derivative or call; a group is a bracket with its content, an operator a
notation such as d/dx, each replaced by one private-use character.

The language has no derivatives, so each is replaced by a new name in the text that the language reads, and the meaning
of the name is kept in `Speller.marks`.  Brackets are closed from the inside out on a stack; nothing here recurses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import partial

from ...errors import AdcliError
from ...graph.graph import CONSTANTS
from ...language.name_parts import pieces_of
from ...language.scanner import AGGREGATES
from ...notation.typeset_names import GREEK, greek_letter, greek_name
from ...patterns import pattern
from ...records import NamedTuple
from ...table.primitive import lookup
from ...typings import TypeVar
from ..answer_model import inputs_in_other_signs
from ..higher_derivatives import split_names
from ..line_rewriting import row_pattern
from .plain_formulas import plain

LONGEST = 2_000  # characters of a formula
_GROUP, _OPERATOR, _MARK = 0xE000, 0xE800, 0xF000  # the first characters for parts that were read before
_MOST = _OPERATOR - _GROUP

_BELOW = row_pattern(r"\s*+[d∂]\s*+\(?\s*+(?P<name>{FORMULA_NAME})\s*+\)?{POWER_OF_D}\s*+")
_ABOVE = row_pattern(r"\s*+[d∂]{POWER_OF_D}\s*+(?P<rest>.*)\Z", re.S)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_INNERMOST = pattern(r"([(\[{])([^()\[\]{}]*+)([)\]}])")
_WORD, _CALLED, _PRIMED = row_pattern("{FORMULA_WORD}"), row_pattern("{CALLED}"), row_pattern("{PRIMED_BRACKET}")
_LAST_OPERATOR, _OPERAND = row_pattern(r"{INNER_OPERATOR}(?=[^\uE800-\uEFFF]*+\Z)"), row_pattern("{OPERAND}", re.S)
_READ, _JOINT = row_pattern("{INNER_BRACKET}|{INNER_MARK}"), row_pattern("{JOINT_OF_FACTORS}")
_Part = TypeVar("_Part")


class NoFormula(AdcliError):
    """The error of a text that is not a formula, or uses undefined names; only shown next to its row."""


class InnerDerivative(NamedTuple):
    """A derivative in a formula: the text `of` is differentiated.

    `wrt` has the inputs or symbols to differentiate by, one after another; () for primes, of which there are `order`.
    """

    of: str
    wrt: tuple[str, ...]
    order: int


class NamedCall(NamedTuple):
    """A function that the student has named, or a derivative of one, at arguments: `g(x^2)`, `g'(h(x))`, `sin'(u)`.

    `order` is the number of primes. `text` is the product that is meant if `name` is not a function; "" with primes.
    """

    name: str
    order: int
    arguments: tuple[str, ...]
    text: str  # what it is if the name is not a function: a product


Meaning = InnerDerivative | NamedCall


class Group(NamedTuple):
    """A bracketed text: its opening bracket, the inside as written (`raw`) and in the spelling of the language."""

    opening: str
    raw: str
    text: str

    @property
    def whole(self) -> str:
        return self.opening + self.text + _CLOSING[self.opening]


_Operator = tuple[tuple[str, ...], str | None, str]  # names to differentiate by, a power of d, the operand or ""
_Reader = Callable[["_Spelled", "re.Match[str]"], "_Operator | None"]


class Speller:
    """A converter of formulas of one answer to the language; `marks` has the meanings of the names that it inserts.

    `inputs` are the problem's, `symbols` the names that the answer defines or differentiates, `functions` those of them
    that may denote the problem's own function.
    """

    def __init__(self, inputs: Collection[str], symbols: Collection[str], functions: Collection[str]) -> None:
        """Begin with no marks for an answer with these names.

        `inputs` are those of the problem, in order; `symbols` the names that the answer defines or differentiates,
        `functions` those that may denote the problem's own function. Both lack other signs for inputs: the Greek letter
        for its name (σ, sigma), and `inputs_in_other_signs` (ε, eps). Names are also found in such signs and in other
        capitals; in capitals symbols come before inputs."""
        self.inputs = tuple(inputs)
        greek = [(greek_letter(name) if name in GREEK else name, name) for name in inputs]
        self._signs = dict((*inputs_in_other_signs(inputs), *greek))
        letters = {greek_name(other): name for other, name in self._signs.items()}
        self.symbols = frozenset(name for name in symbols if greek_name(name) not in letters)
        self.functions = frozenset(name for name in functions if greek_name(name) not in letters)
        self.marks: dict[str, Meaning] = {}
        self._fold = {name.casefold(): name for name in (*self.symbols, *self.inputs)}
        self._letters = {**letters, **{greek_name(name): name for name in self.symbols}}
        self._names = {**self._signs, **self._letters, **{name: name for name in (*self.symbols, *self.inputs)}}

    def spell(self, text: str) -> str:
        """Return the formula `text`, after `plain`, in the spelling of the language, with names of `marks` for
        derivatives and calls.

        `(x^2)' + 1` becomes `mark0mark  + 1`, and `marks["mark0mark"]` says that it is the derivative of `(x^2)`;
        numbers of marks go on over all calls of this method. Of calls without primes only those of functions of the
        answer are replaced. Raises NoFormula if brackets do not pair, if an operator such as d/dx has no operand, or if
        the text has more than 2,000 characters, or 2,048 brackets or operators."""
        if len(text) > LONGEST:
            raise NoFormula("the formula is too long", label=f"at most {LONGEST:,} characters are read")
        return _Spelled(self, plain(text, self.inputs)).text

    def mark(self, meaning: Meaning) -> str:
        """Return a new name for a derivative or call, and store it in `marks`."""
        name = f"mark{len(self.marks)}mark"
        self.marks[name] = meaning
        return name

    def is_known(self, word: str) -> bool:
        """Return whether a word is a name of the language, the problem or the answer."""
        names = (self.inputs, self.symbols, self.marks, self.functions, CONSTANTS, AGGREGATES)
        return any(word in known for known in names) or lookup(word) is not None

    def parts(self, word: str) -> tuple[str, ...]:
        """Return the names that a word consists of: `xcosx` gives ("x", "cos", "x").

        The first that applies:
        - A known name (of the language, problem or answer) gives itself, with its backslash.
        - A name that is known in other capitals, or as a Greek letter and its name (θ, theta), gives the known
          spelling.
        - A function of the table in capitals gives its name in lower case.
        - A word of at most 40 characters that can be split into known names gives these, as `pieces_of` prefers; digits
          after a function are its argument (`sin2` gives "sin", "2").
        - Every other word gives itself."""
        bare = word.lstrip("\\")
        if self.is_known(bare) or not bare:
            return (word,)
        name = self._letters.get(greek_name(bare)) or self._fold.get(bare.casefold())
        if name is not None:
            return (name,)
        if lookup(bare.lower()) is not None and len(bare) > 1:
            return (bare.lower(),)
        pieces = pieces_of(bare, {*self.inputs, *self.symbols, *self.functions, *self._signs})
        names = tuple(self._signs.get(piece.text, piece.text) for piece in pieces)
        are_known = all(map(self._is_piece, names, ("", *names)))
        return names if names and are_known else (word,)

    def _is_piece(self, name: str, before: str) -> bool:
        """Return whether `name` is known, or is a number after the function `before`, its argument."""
        return self.is_known(name) or (name.isdecimal() and lookup(before) is not None)

    def below_line(self, below: str) -> tuple[str, ...]:
        """Return the names to differentiate by in `below`, the lower part of a fraction: ("x", "x", "y") for `dx^2 dy`.

        They are inputs and symbols, or else a single name of any kind; a digit after a name, as power or not, repeats
        it. () if `below` is not of this form."""
        names = self.split(below, r"\s*+[*·]?\s*+[d∂]\s*+\(?\s*+", r"\s*+\)?(?:\s*+\^?\s*+(\d))?(?=[\s)*·d∂]|\Z)")
        unknown = _BELOW.fullmatch(below)
        return names or ((unknown["name"],) * int(unknown["power"] or 1) if unknown else ())

    def names_in_index(self, below: str) -> tuple[str, ...]:
        """Return the names in an index `below` a name: `xy`, `x,y`, `x_y`, `x y`, or one to four digits from 1 to 9.

        They are inputs, or a single symbol; d and ∂ between them are skipped. A digit n is the n-th input, in the order
        of names, shorter ones first; after a name it repeats that. () if one of the names is not known, if a digit
        exceeds the number of inputs, and for digits if there is only one input.
        """
        if below.isdecimal() and "0" not in below and len(below) <= 4:  # f_12
            by_number = sorted(self.inputs, key=lambda name: (len(name), name))
            places = [int(digit) - 1 for digit in below]
            return tuple(by_number[k] for k in places) if max(places) < len(by_number) > 1 else ()
        names = self.split(below, r"[\s,_d∂]*?", r"(?:\^?(\d))?")
        return names if len(names) == 1 or {*names} <= {*self.inputs} else ()

    def split(self, text: str, before: str, power: str) -> tuple[str, ...]:
        """Return the inputs and symbols that `split_names` finds in `text`; () if anything but blanks is left."""
        names, rest = split_names(text, self._names, before, power)
        return () if rest.strip() else tuple(self._names[name] for name in names)


class _Spelled:
    """One formula on its way into the language; `text` is the result.

    Parts that were read are one private-use character each: `groups` are its brackets, `operators` the names that each
    operator such as d/dx differentiates by, `marks` the names for derivatives and calls.
    """

    def __init__(self, speller: Speller, text: str) -> None:
        """Convert a formula in plain spelling (see `plain`) to the spelling of the language, in the attribute `text`.

        New marks for derivatives and calls are added to `speller.marks`. Raises NoFormula if brackets do not pair, if
        there are too many brackets, operators or marks, or if an operator such as d/dx has no operand.
        """
        self.speller = speller
        self.groups: list[Group] = []
        self.operators: list[tuple[str, ...]] = []
        self.marks: list[str] = []
        while bracket := _INNERMOST.search(text):
            opening, raw, closing = bracket.groups()
            if _CLOSING[opening] != closing:
                raise NoFormula("the brackets do not pair")
            before = text[: bracket.start()]
            text = before + self._close_group(opening, raw, before.rstrip()[-1:]) + text[bracket.end() :]
        if not _CLOSING.keys().isdisjoint(text) or not {*_CLOSING.values()}.isdisjoint(text):
            raise NoFormula("the brackets do not pair")
        self.text = self._convert_level(text)

    def _close_group(self, opening: str, raw: str, before: str) -> str:
        """Return the text that replaces a bracket: a private-use character, whose Group is added to `groups`.

        `opening` is the bracket, `raw` its content, `before` the last character before it, no blank, or "". In two
        cases only the braces are removed: after `^` around digits (`x^{2}` gives x^2), and after `_` around a word
        (`f_{x,y}` gives f_xy). Raises NoFormula for more than 2,048 groups.
        """
        if opening == "{" and before == "^" and raw.strip().isdecimal():
            return raw.strip()
        index = "".join(raw.replace(",", " ").split())
        if opening == "{" and before == "_" and all(character.isalnum() or character == "_" for character in index):
            return index
        return self._group(opening, raw)

    def _group(self, opening: str, raw: str) -> str:
        """Append the Group of a bracket to `groups` and return the private-use character that represents it.

        `opening` is the opening bracket. `raw` is the text inside, not yet converted, in which inner brackets are
        already private-use characters. It is converted first, which may add more groups, operators and marks. Raises
        NoFormula if there are 2,048 groups already, or if `_convert_level` does."""
        return _add(self.groups, Group(opening, raw, self._convert_level(raw)), _GROUP)

    def _inside(self, text: str) -> str:
        """Return the text in the brackets if `text` is a private-use character for a group; else `text` itself."""
        return self.groups[ord(text) - _GROUP].raw if len(text) == 1 and _GROUP <= ord(text) < _OPERATOR else text

    # --- one level of brackets ----------------------------------------------------------------------------------------

    def _convert_level(self, text: str) -> str:
        """Return the text of one bracket level in the spelling of the language; derivatives and calls become marks.

        In `text` inner brackets are already single private-use characters. In this order: notations such as d/dx and
        f_x become operator characters, words are split into known names, calls and primes get marks, and each operator
        with its operand gets one, the last operator first. Raises NoFormula if an operator has no operand, or for too
        many brackets or operators.
        """
        for shape, read in _NOTATIONS:
            text = shape.sub(partial(self._replace_operator, read), text)
        text = _WORD.sub(lambda word: " ".join(self.speller.parts(word.group())), text)
        text = _PRIMED.sub(self._mark_primed, _CALLED.sub(self._mark_call, text))
        while operator := _LAST_OPERATOR.search(text):
            text = self._mark_operator(text, operator.start())
        return self._expand(text)

    def _expand(self, text: str) -> str:
        """Return a converted text with its brackets and with the names of marks, each with a blank after it, instead of
        private-use characters, and with `*` where a product needs one (`_join`)."""
        return _READ.sub(self._whole, _JOINT.sub(_join, text))

    def _whole(self, part: re.Match[str]) -> str:
        """Return the text of a group with its brackets, or the name of a mark with a blank (a callback of re.sub)."""
        place = ord(part.group())
        return self.groups[place - _GROUP].whole if place < _MARK else f"{self.marks[place - _MARK]} "

    def _mark(self, meaning: Meaning) -> str:
        """Return the private-use character of a new mark (a name that represents a derivative or call in formulas)."""
        return _add(self.marks, self.speller.mark(meaning), _MARK)

    def _replace_operator(self, read: _Reader, match: re.Match[str]) -> str:
        """Return what replaces a notation of a derivative (a callback of re.sub); unchanged if `read` returns None or
        no names.

        It is a private-use character, followed by that of a bracket with the operand if the notation contains it
        (`f_x`). The names to differentiate by, which `read` finds in `match`, are added to `operators`. A single name
        is repeated as often as the power says (0 counts as 1); several names ignore it. Raises NoFormula for more than
        2,048 operators."""
        wrt, power, of = read(self, match) or ((), None, "")
        if not wrt:
            return match.group()
        if len(wrt) == 1:
            wrt *= max(int(power or 1), 1)
        return _add(self.operators, wrt, _OPERATOR) + (self._group("(", of) if of.strip() else "")

    def _read_call(self, match: re.Match[str]) -> _Operator | None:
        """Return (names, None, operand) for a match of `diff(sin(x), x)`: (("x",), None, "sin(x)").

        The operand is the text before the first comma, the names are the texts after it. A digit after a name repeats
        it: `diff(f, x, 2)`. The names are () if there are none, or if another text is not an input or symbol."""
        of, _, names = self._inside(match["of"]).partition(",")
        return self.speller.split(names, r"\s*+,?\s*+", r"(?:\s*+,\s*+(\d)(?!\w))?+\s*+(?=,|\Z)"), None, of

    def _read_fraction(self, match: re.Match[str]) -> _Operator | None:
        r"""Return (names, power, operand) of `\frac{d^2 y}{dx^2}`: (("x", "x"), "2", "y").

        None if the upper part does not begin with d or ∂. The names are () if the lower part is not of the form `dx^2`.
        """
        above = _ABOVE.match(self._inside(match["above"]))
        return above and (self.speller.below_line(self._inside(match["below"])), above["power"], above["rest"])

    def _read_quotient(self, match: re.Match[str]) -> _Operator | None:
        """Return (names, power, operand) of `dy/dx`: (("x",), None, "y"), and of `d^2/dx^2`: (("x", "x"), "2", "").

        The operand of `d/dx` is "", since it follows; that of `dy/dx` need not be known. The names are () if the lower
        part is not of the form `dx`. None for `d/dx`, not `dy/dx`, with plain d's if d is an input of the problem."""
        if "d" in self.speller.inputs and "∂" not in match.group() and not match["of"]:
            return None
        wrt = self.speller.below_line(self._inside(match["below"]))
        return wrt, match["power"] or match["digit"], self._inside(match["of"])

    def _read_underscored(self, match: re.Match[str]) -> _Operator | None:
        """Return (names, power, operand) of `dy_dx`: (("x",), "", "y"), and of `d2y_dx2`: (("x", "x"), "2", "y").

        None if y is not a symbol or function of the answer. The names are () if one of them is unknown."""
        if not self._is_symbol(match["of"]):
            return None
        return self.speller.names_in_index(match["below"].replace("_d", " ")), match["power"], match["of"]

    def _read_capital_d(self, match: re.Match[str]) -> _Operator | None:
        """Return (names, None, "") of `D_x` or `D_x^2`, whose operand follows.

        A power repeats the names. They are () if D is an input of the problem, or if the index has an unknown name.
        """
        wrt = self.speller.names_in_index(self._inside(match["below"])) if "D" not in self.speller.inputs else ()
        return wrt * int(match["power"] or 1), None, ""

    def _read_subscripted(self, match: re.Match[str]) -> _Operator | None:
        """Return (names, None, operand) for a match of `f_x`: (("x",), None, "f"), with None for no order.

        None if `f_x` is itself a name of the problem or answer, or if `f` is not a function or symbol of the answer.
        The names are () if the index has an unknown one.
        """
        speller = self.speller
        is_name = match.group() in speller.inputs or match.group() in speller.symbols
        if is_name or not self._is_symbol(match["of"]):
            return None
        return speller.names_in_index(match["below"]), None, match["of"]

    # --- calls and operands -------------------------------------------------------------------------------------------

    def _mark_call(self, match: re.Match[str]) -> str:
        """Return a word with the primes and the bracket after it, with a mark for a call or derivative (a callback of
        re.sub).

        In this order:
        - An aggregate such as sum that is no input, or a constant that is no name of the problem or answer: unchanged.
        - A name that is not an input, with a bracket and primes (`sin'(u)`), or with a bracket alone (`g(x)`) if it is
          a symbol or function of the answer: a call; with primes after the bracket, `f(x)'`, the derivative of it.
        - A name with primes (`x'`, `u'`), if it is not a function of the table: a derivative, then the bracket.
        - Everything else: unchanged.

        The meanings are added to `speller.marks`. Raises NoFormula if an argument cannot be spelled.
        """
        name, order, speller = match["name"].lstrip("\\"), len(match["primes"]), self.speller
        is_input = name in speller.inputs
        if not is_input and (name in AGGREGATES or name in CONSTANTS.keys() - speller.symbols):
            return match.group()
        is_symbol = is_input or name in speller.symbols or lookup(name) is None
        group = self.groups[ord(match["group"]) - _GROUP] if match["group"] and not is_input else None
        if group is not None and group.opening in "([" and (order or (is_symbol and self._is_symbol(name))):
            arguments = tuple(map(self._convert_level, group.raw.split(",")))
            call = self._mark(NamedCall(name, order, arguments, "" if order else f"{name}*{group.whole}"))
            outer = len(match["outer"])  # f(x)'
            return self._mark(InnerDerivative(self.marks[-1], (), outer)) if outer else call
        if order and is_symbol:
            return self._mark(InnerDerivative(name, (), order)) + (match["group"] or "") + match["outer"]
        return match.group()

    def _mark_primed(self, match: re.Match[str]) -> str:
        """Return a mark for a bracket with primes, with the function before it: `(x^2)'`, `sin(x)'`, `sin^2(x)'` (a
        callback of re.sub). A word before it that is not a function of the table is left before the mark."""
        before = match["before"] or ""
        is_called = bool(before) and lookup(match["function"].lstrip("\\")) is not None
        of = self._expand(before * is_called + match["group"])
        return before * (not is_called) + self._mark(InnerDerivative(of, (), len(match["primes"])))

    def _mark_operator(self, text: str, place: int) -> str:
        """Return `text` with a mark for the last operator in it, which is at `place`, and its operand.

        The operand is a bracket or mark with the power after it, or else a term: it ends before the next of
        `+ - − * · × / = ,`, but not at such a sign at its beginning or after `^`. If it is only the name of a symbol or
        function of the answer, a bracket after it is dropped if it has inputs alone (`f_x(x, y)`). Raises NoFormula if
        there is no operand."""
        operand = _OPERAND.match(text, place + 1)
        of = self._expand(operand["of"]) if operand else ""
        if operand is None or not of.strip():
            raise NoFormula("a derivative needs something to differentiate")
        wrt, end = self.operators[ord(text[place]) - _OPERATOR], operand.end("of")
        if operand["arguments"] and self._is_symbol(of):
            names = self._inside(operand["arguments"]).split(",")
            end = operand.end() if all(name.strip() in self.speller.inputs for name in names) else end
        return text[:place] + self._mark(InnerDerivative(of, wrt, len(wrt))) + text[end:]

    def _is_symbol(self, of: str) -> bool:
        """Return whether the text, without brackets around it, is a symbol or function of the answer."""
        name = of.strip(" ()")
        return name in self.speller.functions or name in self.speller.symbols


def _add(parts: list[_Part], part: _Part, first: int) -> str:
    """Append `part` to `parts` and return the private-use character that represents it; that of the first of `parts` is
    `first`. Raises NoFormula if there are 2,048 parts already."""
    if len(parts) >= _MOST:
        raise NoFormula("the formula is too long")
    parts.append(part)
    return chr(first + len(parts) - 1)


def _join(match: re.Match[str]) -> str:
    """Return an operand before another one with a `*` after it, unless it is a function (a callback of re.sub)."""
    word = match["word"] or ""
    is_function = word[:1] == "\\" or lookup(word) is not None
    return match.group() if is_function else match.group() + "*"


# Notations of derivatives, in the order in which they are looked for, with what reads each.
_NOTATIONS = (
    (row_pattern("{DIFF_CALL}"), _Spelled._read_call),
    (row_pattern("{FRACTION_OF_D}"), _Spelled._read_fraction),
    (row_pattern("{QUOTIENT_OF_D}"), _Spelled._read_quotient),
    (row_pattern("{UNDERSCORED_D}"), _Spelled._read_underscored),
    (row_pattern("{CAPITAL_D}"), _Spelled._read_capital_d),
    (row_pattern("{WITH_SUBSCRIPT}"), _Spelled._read_subscripted),
)
