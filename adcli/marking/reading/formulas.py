"""The pieces of a row: a number, a formula as a graph over the student's own names, or what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...errors import AdcliError, RequestError, Source, Span, SyntaxProblem
from ...graph.graph import CONSTANTS, Graph
from ...language.program import read_program
from ...table.primitive import lookup
from ..model import BAR, DECIMAL_COMMA, DERIVATIVE, DOT, VALUE, Numeral, Quantity, RowPiece
from .chains import inner
from .collector import EXPANSION, FORMULAS, OPERATIONS, SHORTEST, Cut
from .numerals import has_other_decimal, leading_numeral, numeral
from .symbols import Names

_BLANK = re.compile(
    r"[\s_.…?□☐–—-]*+\Z|\s*+(?:seed|given|input(?:\[\])?|gegeben|eingabe|donnée?|entrée|tbd|todo|n/?a|\\[lc]?dots|\\quad)\s*+\Z",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?+")
_WORD = re.compile(r"[^\W\d_]{2,}\Z")
_REMARK = re.compile(r"\s++[(\[]([^()\[\]]*+)[)\]]\s*\Z")
_PROSE = re.compile(r"(?:\s++|[,;:.!✓✔☑✅←(\[—–-]|\\checkmark)")
_MARKS = re.compile(r"[\s.,;:✓✔☑✅✗]++\Z|\\checkmark\s*\Z")
_COMMENT = re.compile(r"\s(?:#|//|%|<-|←|--)(?=\s|[^\W\d_]).*", re.S)
_NOTED = re.compile(r"\s#\s*+([-−+]?\s?\d++(?:[.,]\d*+)?(?:[eE][-+]?\d++)?)\s*+\Z")  # v1 = log(2)  # 0.693
_BRACKETED = re.compile(r"\s[(\[]\s*+[≈~=]?\s*+([-−+]?\s?\d++(?:[.,]\d*+)?)\s*+[)\]]\s*+\Z")  # v1 = ln x1 (0.693)
_LISTED = re.compile(r"\s*+([^\W\d_]\w*)\[\s*+('[^']*+'(?:\s*+,\s*+'[^']*+')*+)\s*+\]\s*\Z")
_SHORT_FRACTION = re.compile(r"\\[dt]?frac\s*+(\d)\s*+(\d)")
_HALF_FRACTION = re.compile(r"\\[dt]?frac\s*+(\d)\s*+(?=\{)")
_HALVES = {"\\div": "/", "\\ast": "*", "\\cdotp": "*", "\\displaystyle": "", "\\textstyle": "", "\\limits": ""}
_WRAPPERS = re.compile(r"\\(?:boxed|mathbf|boldsymbol|underline|mathrm(?!\{d\})|textbf|emph|bm)(?=\{)")
_TAIL = re.compile(r"(?:[\s,;:.–—-]|(?<=\s)[(\[])+\Z")
_BRACES = re.compile(r"\s*+\{([^{}]*+)\}\s*\Z")
_NOT_FINITE = {"inf", "infinity", "Infinity", "Inf", "nan", "NaN"}
_MODULES = re.compile(r"(?<![\w.])(?:math|np|numpy)\.(?=[a-z])")
_RADIANS = re.compile(r"(?<=\d)\s*rad(?:ians)?(?!\w)")
_TIMES = re.compile(r"(?<=[\w)])(\s+)x(?=\s+[\w(\\-])")
_OPEN = "put remarks in brackets after the row"
_SUFFIX = {VALUE: "", DOT: "_dot", BAR: "_bar"}


class FormulaReader:
    """Reads pieces of one answer, as far as the budget of characters goes."""

    def __init__(self, names: Names, decimal: str) -> None:
        self.names = names
        self.decimal = decimal
        self.characters = FORMULAS
        self.operations = OPERATIONS

    def pieces(self, cuts: Sequence[Cut], own: Quantity) -> Iterator[RowPiece]:
        """The pieces of a row but blank ones and those that only repeat its name.

        `own` is the row's quantity, which `+=` adds to.
        """
        for cut in cuts:
            text = _without_marks(cut.text.replace("{,}", ","))
            noted = _noted(text, last=cut is cuts[-1])
            if noted:
                yield from self.pieces([inner(cut, 0, noted.start()), inner(cut, *noted.span(1))], own)
            elif not _BLANK.match(text):
                piece = self._piece(cut._replace(text=text), own)
                if piece.graph is None or len(piece.graph) > 1 or own not in piece.quantities.values():
                    yield piece

    def _piece(self, cut: Cut, own: Quantity) -> RowPiece:
        number = numeral(_unwrapped(cut.text), self.decimal)
        if number is None:
            number = self._number_among_words(cut.text)
        if number is not None and not cut.sign:
            return RowPiece(cut.span, number=number)
        if has_other_decimal(cut.text, self.decimal):
            return RowPiece(cut.span, problem=_decimal_comma(cut))
        self.characters -= max(len(cut.text), SHORTEST)
        if self.characters < 0 or self.operations <= 0:
            return RowPiece(cut.span, problem=_exhausted(cut.span))
        problem: AdcliError | None = None
        for text in _candidates(cut.text):
            try:
                return self._formula(cut._replace(text=text), own)
            except AdcliError as error:
                problem = problem or error
        if re.search(r"\d,\d", cut.text) and self.decimal == "point" and isinstance(problem, SyntaxProblem):
            problem = _decimal_comma(cut)
        return RowPiece(cut.span, problem=problem)

    def _number_among_words(self, text: str) -> Numeral | None:
        """A number that words follow: `10 (product)`, `0.693 by the rule`."""
        remark = _REMARK.search(text)
        if remark and re.search(r"[^\W\d_]", remark[1]) and not re.search(r"[=+*/^\\]", remark[1]):
            text = text[: remark.start()]
        found = leading_numeral(text, self.decimal)
        if found is None:
            return None
        number, end = found
        rest = text[end:]
        if text[end - 1 : end].isspace() or not rest:
            rest = " " + rest
        if not _PROSE.match(rest) or re.search(r"[=+*/^\d\\]|[(\[-]\s*\d", rest):
            return None
        words = re.findall(r"[^\W\d_]+", rest)
        if words and any(len(word) < 2 or word in self.names.known for word in words[:1]):
            return None
        # 2 pi and 2 sin pi are products, where 2 min is a number with a word.
        if any(word in CONSTANTS for word in (words[1:2] if words and lookup(words[0]) else words[:1])):
            return None
        return number if words or not rest.strip(" .,;:()[]✓✔☑✅←—–-") else None

    def _formula(self, cut: Cut, own: Quantity) -> RowPiece:
        translation = Translation(self.names, self.decimal)
        translation.take(cut)
        if translation.strange and (shorter := _before(cut, translation)) is not None:
            try:
                return self._formula(shorter, own)
            except AdcliError:
                pass
        if len(translation.strange) > 1:
            raise SyntaxProblem("these words are no formula", cut.span, "none of them is the name of a row", help=_OPEN)
        try:
            graph, quantities = translation.graph(own if cut.sign else None, cut.sign)
        except RequestError:  # it grew too large
            self.operations -= EXPANSION
            raise
        self.operations -= len(graph)
        return RowPiece(cut.span, graph=graph, quantities=quantities)


class Translation:
    """A formula in the language's own words, with plain names for the student's symbols.

    `places` says where each character of it stands in the student's text; `strange` are the places of words that are no
    names of the answer.
    """

    def __init__(self, names: Names, decimal: str) -> None:
        self.names = names
        self.decimal = decimal
        self.characters: list[str] = []
        self.places: list[int] = []
        self.quantities: dict[str, Quantity] = {}
        self.identifiers: dict[Quantity, str] = {}
        self.strange: list[int] = []
        self.cut: Cut | None = None

    def _write(self, text: str, place: int) -> None:
        self.characters.append(text)
        self.places += [place] * len(text)

    def _identifier(self, quantity: Quantity) -> str:
        known = self.identifiers.get(quantity)
        if known is not None:
            return known
        kind, name, key = quantity
        text = f"d{name}_d{key}" if kind == DERIVATIVE else name + _SUFFIX[kind]
        text = re.sub(r"[^\w']", "_", text)
        if not text[:1].isalpha():
            text = "n" + text
        while text in self.quantities:
            text += "_"
        self.quantities[text] = quantity
        self.identifiers[quantity] = text
        return text

    def _is_known(self, quantity: Quantity) -> bool:
        return quantity.kind != VALUE or self.names.is_row(quantity.name)

    def take(self, cut: Cut) -> None:
        """Translates the text of a piece."""
        self.cut = cut
        text = self._prepared(cut.text)
        text, places = self.names.opened(text)
        place, size = 0, len(text)
        while place < size:
            number = _NUMBER.match(text, place)
            if number:
                self._write(number.group(), places[place])
                place = number.end()
                continue
            short = _SHORT_FRACTION.match(text, place)
            if short:
                self._write(f"\\frac{{{short[1]}}}{{{short[2]}}}", places[place])
                place = short.end()
                continue
            half = _HALF_FRACTION.match(text, place)
            if half:
                self._write(f"\\frac{{{half[1]}}}", places[place])
                place = half.end()
                continue
            found = self.names.at(text, place)
            if found is None:
                self._write(text[place], places[place])
                place += 1
                continue
            before = self.characters[-1][-1:] if self.characters else ""
            for part in found.parts:
                if isinstance(part, Quantity):
                    if part.name in _NOT_FINITE:
                        raise _not_finite(cut.span)
                    if text[found.end : found.end + 1] == "(" and not self._is_known(part):
                        self._write(text[place : found.end], places[place])
                        break
                    if _WORD.match(part.name) and not self._is_known(part):
                        self.strange.append(place)
                    part = self._identifier(part)
                    if before.isalnum() or before in "_'":
                        self._write(" ", places[place])
                self._write(_HALVES.get(part, part), places[place])
                before = part[-1:]
            place = found.end
            if isinstance(found.parts[-1], Quantity) and place < size and (text[place].isalnum() or text[place] == "_"):
                self._write(" ", places[place])
        self.places.append(places[size])

    def _prepared(self, text: str) -> str:
        """The text with what is no mathematics blanked out, character for character."""
        listed = _LISTED.match(text)
        if listed:  # mul['x1', 'x2'], as the paper's program prints it
            return text.replace("[", "(").replace("]", ")").replace("'", " ")
        text = _WRAPPERS.sub(_blanks, text)
        text = _MODULES.sub(_blanks, text)
        text = _RADIANS.sub(_blanks, text)
        if "x" not in self.names.known:  # 2 x 5
            text = _TIMES.sub(r"\1*", text)
        if self.decimal == "comma":
            text = re.sub(r"(?<=\d),(?=\d)", ".", text).replace(";", ",")
        return text

    def graph(self, own: Quantity | None, sign: str) -> tuple[Graph, dict[str, Quantity]]:
        """The formula as a graph, and what its inputs are; `own` is what the formula is added to."""
        assert self.cut is not None  # noqa: S101 - there is a text before there is a graph
        front, back = (f"{self._identifier(own)} {sign} (", ")") if own else ("", "")
        source = Source(front + "".join(self.characters) + back)
        try:
            program = read_program(source, tuple(self.quantities), expansion=EXPANSION)
            if len(program.graph.outputs) != 1:
                raise SyntaxProblem("a row has one formula", Span(0, len(source.text), source), "here are several")
        except AdcliError as error:
            error.span = self._place(error.span, len(front))
            if error.related is not None:
                error.related = (self._place(error.related[0], len(front)), error.related[1])
            raise
        inputs = program.graph.inputs.values()
        quantities = {name: self.quantities.get(name, Quantity(VALUE, self.names.own(name))) for name in inputs}
        return program.graph, quantities

    def _place(self, span: Span | None, shift: int) -> Span:
        """A place of the translation in the student's text: the whole piece where that is longer or shorter."""
        assert self.cut is not None  # noqa: S101
        whole = self.cut.span
        if span is None or len(self.cut.text) > whole.end - whole.start:
            return whole
        last = len(self.places) - 1
        start = self.places[min(max(span.start - shift, 0), last)]
        end = self.places[min(max(span.end - shift, 0), last)]
        begin = min(whole.start + start, whole.end)
        return Span(begin, max(min(whole.start + end, whole.end), begin + 1), whole.source)


def _before(cut: Cut, translation: Translation) -> Cut | None:
    """What stands before words that follow a formula; None where they do not follow one."""
    strange = translation.strange[0]
    text = translation.names.opened(cut.text)[0]
    front = _TAIL.sub("", text[:strange])
    rest = text[strange:]
    return cut._replace(text=front) if front and not re.search(r"[*/^=]", rest) else None


def _candidates(text: str) -> Iterator[str]:
    """The text, then the text without a remark at its end."""
    yield text
    shorter = _COMMENT.sub("", text)
    if shorter.strip() and shorter != text:
        yield shorter
    remark = _REMARK.search(shorter)
    if remark and remark.start() > 0 and re.search(r"[^\W\d_]{3}", remark[1]):
        yield shorter[: remark.start()]


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _unwrapped(text: str) -> str:
    """The text in a LaTeX box or in braces."""
    match = _BRACES.match(_WRAPPERS.sub("", text))
    return match[1] if match else text


def _noted(text: str, last: bool) -> re.Match[str] | None:
    """A number that is put beside a formula: in a comment, or in brackets at the end of a row."""
    found = _NOTED.search(text)
    if found is None and last:
        found = _BRACKETED.search(text)
        front = re.sub(r"\\[A-Za-z]++\s*\Z", "*", text[: found.start()].rstrip()) if found else ""
        words = re.findall(r"[^\W\d_]++", front)
        if (
            not words
            or front.endswith(("^", "_", "}", "+", "-", "−", "*", "·", "×", "/"))
            or (front.endswith(words[-1]) and lookup(words[-1].lower()))
        ):
            return None  # ln (2) is a function of 2
    return found if found and text[: found.start()].strip() else None


def _without_marks(text: str) -> str:
    """The text without ticks and full stops at its end."""
    if text.rstrip().endswith(("..", "…", "\\ldots", "\\dots")):
        return text.rstrip()
    short = _MARKS.sub("", text)
    digit_before_point = text[len(short) : len(short) + 1] == "." and short[-1:].isdigit()
    return short + "." if digit_before_point and "." not in short.split(" ")[-1] else short


def _decimal_comma(cut: Cut) -> SyntaxProblem:
    return SyntaxProblem(
        "this number has a decimal comma", cut.span, "numbers are read with a decimal point", help=DECIMAL_COMMA
    )


def _not_finite(span: Span) -> SyntaxProblem:
    return SyntaxProblem("this is no finite number", span, "rows have finite values", help="check the row before it")


def _exhausted(span: Span) -> SyntaxProblem:
    return SyntaxProblem(
        "the answer is too long",
        span,
        "this is not read",
        (f"formulas may have {FORMULAS:,} characters and {OPERATIONS:,} operations",),
    )
