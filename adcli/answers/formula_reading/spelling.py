"""Formulas of a derivation in one spelling, with the derivatives in them recognised: `(x^2)'`, `d/dx sin x`, `f_x`. A
mark is the name that is inserted for a derivative or call; a group is a bracket with its content, an operator a
notation such as d/dx, each replaced by one private-use character.

The language has no derivatives, so each is replaced by a new name in the text that the language reads, and the meaning
of the name is kept in `Speller.marks`.  Brackets are closed from the inside out on a stack; nothing here recurses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from ...errors import AdcliError
from ...graph.graph import CONSTANTS
from ...language.name_parts import pieces_of
from ...language.scanner import AGGREGATES
from ...notation.typeset_names import GREEK, greek_letter, greek_name
from ...patterns import pattern
from ...records import NamedTuple
from ...table.primitive import lookup
from ..answer_model import inputs_in_other_signs
from ..line_rewriting import row_pattern
from .plain_formulas import plain

LONGEST = 2_000  # characters of a formula
_DEEPEST = 60  # brackets inside brackets
_GROUP, _OPERATOR, _PRIVATE = 0xE000, 0xE800, 0xF000  # characters for parts that were read before
_MOST = _OPERATOR - _GROUP

_SINGLE_NAMES = pattern(r"[^\W\d_]\d*")
_TOKEN = row_pattern("{FORMULA_TOKEN}", re.S)
_IS_BELOW = row_pattern(r"\s*+(?:[d∂]\s*+\(?\s*+(?:{FORMULA_NAME})\s*+\)?(?:\s*+\^\s*+\d)?\s*+[*·]?\s*+)+\Z")
_ABOVE = row_pattern(r"\s*+[d∂]{POWER_OF_D}\s*+(?P<rest>.*)\Z", re.S)
_ENTRY = row_pattern(r"[d∂]\s*+(?P<name>{FORMULA_NAME})(?:\s*+\^\s*+(?P<power>\d))?")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OPERAND_ENDS = frozenset(("group", "number", "word", "mark", "prime"))
_TIGHT = frozenset("+-−*·×/=,")


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


class _FormulaToken(NamedTuple):
    """A token of a formula: its kind, a group name of `_TOKEN` or mark, and its text."""

    kind: str
    text: str


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

    def spell(self, text: str) -> str:
        """Return the formula `text`, after `plain`, in the spelling of the language, with names of `marks` for
        derivatives and calls.

        `(x^2)' + 1` becomes `mark0mark + 1`, and `marks["mark0mark"]` says that it is the derivative of x^2; numbers of
        marks go on over all calls of this method. Of calls without primes only those of functions of the answer are
        replaced. Raises NoFormula if brackets do not pair or are more than 60 deep, if an operator such as d/dx has no
        operand, or if the text has more than 2,000 characters, or 2,048 brackets or operators."""
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

        A power of one digit repeats the name before it. Names need not be known, but `dxdy` is split only if x and y
        are inputs (`_one_or_more`). () if `below` is not of this form."""
        if not _IS_BELOW.match(below):
            return ()
        wrt: list[str] = []
        for entry in _ENTRY.finditer(below):
            names = self._one_or_more(entry["name"]) or [entry["name"]]
            wrt += names[:-1] + [names[-1]] * int(entry["power"] or 1)
        return tuple(wrt)

    def names_in_index(self, below: str) -> tuple[str, ...]:
        """Return the names in an index `below` a name: `xy`, `x,y`, `x_y`, `x y`, or one to four digits from 1 to 9.

        A digit n is the n-th input, in the order of names, shorter ones first; other numbers are read as names. () if
        one of the names is not known, if a digit exceeds the number of inputs, and for digits if there is only one
        input.
        """
        if below.isdecimal() and "0" not in below and len(below) <= 4:  # f_12
            by_number = sorted(self.inputs, key=lambda name: (len(name), name))
            places = [int(digit) - 1 for digit in below]
            return tuple(by_number[k] for k in places) if max(places) < len(by_number) > 1 else ()
        parts = below.replace(",", " ").replace("_", " ").split()
        return self.find_all(parts)

    def find_all(self, parts: Iterable[str]) -> tuple[str, ...]:
        """Return the inputs and symbols that the texts in `parts` name, in order; () if one of the texts names none.

        A text may name several (`_one_or_more`).
        """
        names = [name for part in parts for name in self._one_or_more(part) or [""]]
        return tuple(names) if all(names) else ()

    def _one_or_more(self, text: str) -> list[str] | None:
        """Return the inputs and symbols that `text` names, in order; None if it names none. The first that applies:

        - `x`, an input or symbol, or a Greek letter for it: [x];
        - `x2`, an input of one letter and a digit: x as often as the digit says ([] for 0);
        - `xy`, `x1x2` and `xdy`, inputs of one letter and perhaps a number, which is part of the name: these; a `d` is
          skipped unless d is an input."""
        name = self._letters.get(greek_name(text))
        if name is not None or text in self.inputs or text in self.symbols:
            return [name or text]
        if len(text) == 2 and text[0] in self.inputs and text[1].isdecimal():  # dx2 for dx^2
            return [text[0]] * int(text[1])
        pieces = [piece for piece in _SINGLE_NAMES.findall(text) if piece != "d" or "d" in self.inputs]
        return pieces if pieces and all(piece in self.inputs for piece in pieces) else None


class _Spelled:
    """One formula on its way into the language; `text` is the result.

    `groups` are its brackets, `operators` the names that each operator such as d/dx differentiates by.
    """

    def __init__(self, speller: Speller, text: str) -> None:
        """Convert a formula in plain spelling (see `plain`) to the spelling of the language, in the attribute `text`.

        New marks for derivatives and calls are added to `speller.marks`. Raises NoFormula if brackets do not pair or
        are nested too deeply, if there are too many brackets or operators, or if an operator such as d/dx has no
        operand.
        """
        self.speller = speller
        self.groups: list[Group] = []
        self.operators: list[tuple[str, ...]] = []  # the names that each differentiates by
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
                frames[-1][1].append(self._close_group(opening, "".join(content), frames[-1][1]))
            else:
                frames[-1][1].append(character)
        if len(frames) > 1:
            raise NoFormula("the brackets do not pair")
        self.text = self._convert_level("".join(frames[0][1]))

    def _close_group(self, opening: str, raw: str, before: Sequence[str]) -> str:
        """Return the text that replaces a bracket: a private-use character, whose Group is added to `groups`.

        `opening` is the bracket, `raw` its content, `before` the characters before it on the same level. In two cases
        only the braces are removed: after `^` around digits (`x^{2}` gives x^2), and after `_` around a word (`f_{x,y}`
        gives f_xy). Raises NoFormula for more than 2,048 groups.
        """
        last = next((character for character in reversed(before) if not character.isspace()), "")
        if opening == "{" and last == "^" and raw.strip().isdecimal():
            return raw.strip()
        index = "".join(raw.replace(",", " ").split())
        if opening == "{" and last == "_" and all(character.isalnum() or character == "_" for character in index):
            return index
        return self._group(opening, raw)

    def _group(self, opening: str, raw: str) -> str:
        """Append the Group of a bracket to `groups` and return the private-use character that represents it.

        `opening` is the opening bracket. `raw` is the text inside, not yet converted, in which inner brackets are
        already private-use characters. It is converted first, which may add more groups, operators and marks. Raises
        NoFormula if there are 2,048 groups already, or if `_convert_level` does."""
        if len(self.groups) >= _MOST:
            raise NoFormula("the formula is too long")
        self.groups.append(Group(opening, raw, self._convert_level(raw)))
        return chr(_GROUP + len(self.groups) - 1)

    def _group_at(self, sign: str) -> Group:
        """Return the Group that a private-use character represents."""
        return self.groups[ord(sign) - _GROUP]

    def _inside(self, text: str) -> str:
        """Return the text in the brackets if `text` is a private-use character for a group; else `text` itself."""
        return self._group_at(text).raw if len(text) == 1 and _GROUP <= ord(text) < _OPERATOR else text

    # --- one level of brackets ----------------------------------------------------------------------------------------

    def _convert_level(self, text: str) -> str:
        """Return the text of one bracket level in the spelling of the language; derivatives and calls become marks.

        In `text` inner brackets are already single private-use characters. In this order: notations such as d/dx and
        f_x become operator characters, words are split into known names, calls and primes get marks, and each operator
        with its operand gets one. Raises NoFormula if an operator has no operand, or for too many brackets or
        operators.
        """
        for shape, read in _NOTATIONS:
            text = shape.sub(partial(self._replace_operator, read), text)
        tokens = self._mark_calls(self._split_words(text))
        return self._join_tokens(self._mark_operators(tokens))

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
        if len(self.operators) >= _PRIVATE - _OPERATOR:
            raise NoFormula("the formula is too long")
        self.operators.append(wrt)
        return chr(_OPERATOR + len(self.operators) - 1) + (self._group("(", of) if of.strip() else "")

    def _read_call(self, match: re.Match[str]) -> _Operator | None:
        """Return (names, None, operand) for a match of `diff(sin(x), x)`: (("x",), None, "sin(x)").

        The operand is the text before the first comma, the names are the texts after it; () if there are none. A number
        up to 9 after a name repeats it: `diff(f, x, 2)`. None if another text is not exactly an input or symbol, as in
        `diff(f, (x, 2))`."""
        of, *names = self._inside(match["of"]).split(",")
        wrt: list[str] = []
        for name in map(str.strip, names):
            if name.isdecimal() and wrt and int(name) <= 9:
                wrt += [wrt[-1]] * (int(name) - 1)
            elif name in self.speller.inputs or name in self.speller.symbols:
                wrt.append(name)
            else:
                return None
        return tuple(wrt), None, of

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
        return self.speller.find_all(match["below"].split("_d")), match["power"], match["of"]

    def _read_capital_d(self, match: re.Match[str]) -> _Operator | None:
        """Return (names, None, "") of `D_x` or `D_x^2`, whose operand follows.

        A power repeats the names. They are () if D is an input of the problem, or if the index has an unknown name.
        """
        wrt = self.speller.names_in_index(self._inside(match["below"])) if "D" not in self.speller.inputs else ()
        return wrt * int(match["power"] or 1), None, ""

    def _read_subscripted(self, match: re.Match[str]) -> _Operator | None:
        """Return (names, None, operand) for a match of `f_x`: (("x",), None, "f").

        None if `f_x` is itself a name of the problem or answer, or if `f` is not a function or symbol of the answer.
        The names are () if the index has an unknown one.
        """
        speller = self.speller
        is_name = match.group() in speller.inputs or match.group() in speller.symbols
        if is_name or not self._is_symbol(match["of"]):
            return None
        return speller.names_in_index(match["below"]), None, match["of"]

    def _split_words(self, text: str) -> list[_FormulaToken]:
        """Return the tokens of a text; a word becomes the names that it consists of (`parts`), with blanks between.

        Kinds are group, operator, number, word, prime, blank and sign. A name of digits is a number.
        """
        pieces: list[_FormulaToken] = []
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup or ""
            if kind != "word":
                pieces.append(_FormulaToken(kind, match.group()))
                continue
            parts = self.speller.parts(match.group())
            for place, part in enumerate(parts):
                if place:
                    pieces.append(_FormulaToken("blank", " "))
                pieces.append(_FormulaToken("number" if part.isdecimal() else "word", part))
        return pieces

    def _mark_calls(self, tokens: Sequence[_FormulaToken]) -> list[_FormulaToken]:
        """Return the tokens with one mark for each primed expression and for each call of a function of the student.

        These are `(…)'`, `sin(x)'` (with the function), `x'`, `u'`, `g'(x)`, `g(x)` and `f(x)'`. `g(x)` is marked only
        if g is a symbol or function of the answer. The meanings are added to `speller.marks`: of primes an
        InnerDerivative with their number and no names (`wrt` is ()), of calls a NamedCall."""
        marked: list[_FormulaToken] = []
        place = 0
        while place < len(tokens):
            kind, primes = tokens[place].kind, _primes(tokens, place + 1)
            call = self._mark_one_call(tokens, place) if kind == "word" else None
            if kind == "group" and primes:
                start = self._function_start(marked)
                of = self._join_tokens([*marked[start:], tokens[place]])
                marked[start:] = [self._add_mark(InnerDerivative(of, (), primes))]
                place += 2
            elif call is not None:
                token, place = call
                marked.append(token)
            else:
                marked.append(tokens[place])
                place += 1
        return marked

    def _mark_one_call(self, tokens: Sequence[_FormulaToken], place: int) -> tuple[_FormulaToken, int] | None:
        """Return (a mark for the call or primed name that begins at the word `place`, the index after it), or None.

        In this order:
        - An input with primes: a derivative. An input without primes, an aggregate such as sum, a constant: None.
        - A name with arguments and primes (`sin'(u)`), or with arguments alone (`g(x)`) if it is a symbol or function
          of the answer: a call; with primes after the arguments, `f(x)'`, the derivative of it.
        - A name with primes alone (`u'`), if it is not a function of the table: a derivative.
        - Everything else: None.

        The meanings are added to `speller.marks`. Raises NoFormula if an argument cannot be spelled.
        """
        name, speller = tokens[place].text.lstrip("\\"), self.speller
        order = _primes(tokens, place + 1)
        after = place + 1 + bool(order)
        is_function = lookup(name) is not None
        is_symbol = name not in speller.inputs and (not is_function or name in speller.symbols)
        if name in speller.inputs:
            return (self._add_mark(InnerDerivative(name, (), order)), after) if order else None
        if not (is_symbol or is_function) or name in AGGREGATES or name in CONSTANTS.keys() - speller.symbols:
            return None
        group = self._group_at(tokens[after].text) if _kind(tokens, after) == "group" else None
        if group is not None and group.opening in "([" and (order or (is_symbol and self._is_symbol(name))):
            arguments = tuple(self._convert_level(part) for part in group.raw.split(","))
            call = self._add_mark(NamedCall(name, order, arguments, f"{name}*{group.whole}" if not order else ""))
            outer = _primes(tokens, after + 1)  # f(x)'
            return (self._add_mark(InnerDerivative(call.text, (), outer)), after + 2) if outer else (call, after + 1)
        return (self._add_mark(InnerDerivative(name, (), order)), after) if order and is_symbol else None

    def _function_start(self, tokens: Sequence[_FormulaToken]) -> int:
        """Return the index at which the function at the end of `tokens` begins: `sin`, or `sin^2` with a number.

        Blanks at the end are ignored. It is `len(tokens)` if `tokens` does not end in a function of the table.
        """
        place = len(tokens)
        while place and tokens[place - 1].kind == "blank":
            place -= 1
        has_power = place >= 3 and tokens[place - 1].kind == "number" and tokens[place - 2].text == "^"
        if has_power and _is_table_function(tokens[place - 3]):
            return place - 3
        return place - 1 if place and _is_table_function(tokens[place - 1]) else len(tokens)

    def _add_mark(self, meaning: Meaning) -> _FormulaToken:
        """Return a token with a new mark (a name that represents a derivative or call in formulas) for `meaning`."""
        return _FormulaToken("mark", self.speller.mark(meaning))

    def _mark_operators(self, tokens: list[_FormulaToken]) -> list[_FormulaToken]:
        """Return the tokens with a mark for each operator such as d/dx and its operand, the last operator first.

        So operators may be nested. If the operand is only the name of a symbol or function of the answer, a bracket
        after it is dropped if it has inputs alone (`f_x(x, y)`). `tokens` is unchanged. Raises NoFormula if an operator
        has no operand."""
        marked = list(tokens)
        for place in range(len(marked) - 1, -1, -1):
            if marked[place].kind != "operator":
                continue
            wrt = self.operators[ord(marked[place].text) - _OPERATOR]
            end = self._operand_end(marked, place + 1)
            of = self._join_tokens(marked[place + 1 : end])
            if not of.strip():
                raise NoFormula("a derivative needs something to differentiate")
            if self._is_symbol(of):
                end = self._after_arguments(marked, end)
            marked[place:end] = [self._add_mark(InnerDerivative(of, wrt, len(wrt)))]
        return marked

    def _is_symbol(self, of: str) -> bool:
        """Return whether the text, without brackets around it, is a symbol or function of the answer."""
        name = of.strip(" ()")
        return name in self.speller.functions or name in self.speller.symbols

    def _after_arguments(self, tokens: Sequence[_FormulaToken], place: int) -> int:
        """Return the index after a bracket of inputs at `place`, such as (x, y) in f_x(x, y); a blank may precede it.

        It is `place` if there is no bracket, or if one of the texts between its commas is not an input.
        """
        group = place + 1 if _kind(tokens, place) == "blank" else place
        if _kind(tokens, group) != "group":
            return place
        names = [name.strip() for name in self._group_at(tokens[group].text).raw.split(",")]
        return group + 1 if all(name in self.speller.inputs for name in names) else place

    def _operand_end(self, tokens: Sequence[_FormulaToken], start: int) -> int:
        """Return the index after the operand of an operator, which begins at `start`; blanks before it are skipped.

        A bracket or mark is the operand, with the power after it. If there is neither, the operand is a term: it ends
        before the next of `+ - − * · × / = ,`, but not at such a sign at its beginning or after `^`.
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

    def _join_tokens(self, tokens: Sequence[_FormulaToken]) -> str:
        """Return the text of `tokens`, with groups in their brackets and a blank after each mark.

        A `*` is inserted in two cases: before a mark, or a bracket after a blank, if an operand precedes; before a
        number after a word, mark or group. No `*` follows the name of a function.
        """
        out: list[str] = []
        before = ""
        blank = False
        for kind, text in tokens:
            if kind == "blank":
                blank = True
                out.append(" ")
                continue
            is_separate = kind == "mark" or (kind == "group" and blank)
            if (is_separate and before in _OPERAND_ENDS) or (kind == "number" and before in ("word", "mark", "group")):
                out.append("*")
            out.append(self._group_at(text).whole if kind == "group" else f"{text} " if kind == "mark" else text)
            before = "function" if kind == "word" and (lookup(text.lstrip("\\")) or text[:1] == "\\") else kind
            blank = False
        return "".join(out)


def _kind(tokens: Sequence[_FormulaToken], place: int) -> str:
    return tokens[place].kind if place < len(tokens) else ""


def _is_table_function(token: _FormulaToken) -> bool:
    return token.kind == "word" and lookup(token.text.lstrip("\\")) is not None


def _primes(tokens: Sequence[_FormulaToken], place: int) -> int:
    """Return the number of primes that the token at `place` consists of; 0 if it does not exist or is another token."""
    return len(tokens[place].text) if _kind(tokens, place) == "prime" else 0


# Notations of derivatives, in the order in which they are looked for, with what reads each.
_NOTATIONS = (
    (row_pattern("{DIFF_CALL}"), _Spelled._read_call),
    (row_pattern("{FRACTION_OF_D}"), _Spelled._read_fraction),
    (row_pattern("{QUOTIENT_OF_D}"), _Spelled._read_quotient),
    (row_pattern("{UNDERSCORED_D}"), _Spelled._read_underscored),
    (row_pattern("{CAPITAL_D}"), _Spelled._read_capital_d),
    (row_pattern("{WITH_SUBSCRIPT}"), _Spelled._read_subscripted),
)
