"""Formulas and numbers in the pieces of a row: a graph over the student's own names, a number, or the error in them.

A piece is a text between two equals signs of a row. Symbols in it that the language does not know, such as `v̇1`, are
handed to its parser as names (`StudentFormula`); what is read is a `RowPiece`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache

from ..errors import AdcliError, RequestError, Source, Span, SyntaxProblem
from ..graph.graph import CONSTANTS, Graph
from ..language.advice import synonyms
from ..language.program import read_formula
from ..language.tokens import Foreign, kind_of
from ..notation.typeset_names import GREEK
from ..patterns import pattern
from ..table.primitive import lookup
from .answer_model import BAR, DECIMAL_COMMA, DERIVATIVE, DOT, TWO_NUMBERS, VALUE, Numeral, Quantity, RowPiece, normal
from .chains import inner
from .collector import EXPANSION, FORMULAS, OPERATIONS, SHORTEST, Cut
from .line_rewriting import apply_rules, rewritings, row_pattern
from .numerals import has_other_decimal, is_smudged, leading_numeral, numeral, with_unit_of_program
from .row_tokens import BETWEEN_DIGITS, DIGITS, LETTER, REMARK, names_in, without_remark, words_of
from .shown_numbers import differ
from .symbols import Names, Symbol

_BLANKS = " \t\u00a0_.…?□☐–—-"
_UNFILLED = synonyms("unfilled")
_TIMES, _MINUS = frozenset("*·×⋅∙"), frozenset("-−")
_OPERATORS = _TIMES | frozenset("=+/^\\")
_TICKS = " \t\u00a0.,;:?✓✔☑✅✗"
_PROSE = pattern(r"(?:\s++|[,;:.!✓✔☑✅←(\[—–-]|\\checkmark)")
_COMMENT = pattern(r"\s(?:#|//|%|<-|←|--)(?=\s|[^\W\d_]).*", re.S)
_NOTED = pattern(  # words behind it: 12 (done), 12  done, 12 done!
    r"\s#\s*+([-−+]?\s?\d++(?:[.,]\d*+)?(?:[eE][-+]?\d++)?)\s*+"
    r"(?:\([^()\d]*+\)\s*+|(?<=\s)(?:(?<=\s\s)|(?=[^!]*+!))(?:[^\W\d_]{2,}+(?:['’]\w)?[\s,.:;!]*+)++)?\Z",
    signs="#",
)
# A number in brackets at the end: v1 = ln x1 (0.693).
_BRACKETED = pattern(r"\s[(\[]\s*+[≈~=]?\s*+([-−+]?\s?\d++(?:[.,]\d*+)?(?:[eE][-+]?\d++)?)\s*+(?:rad)?[)\]]\s*+\Z")
_CALLED = pattern(r"([^\W\d_]++)\s?\(")
_LISTED = pattern(r"\s*+([^\W\d_]\w*)\[\s*+('[^']*+'(?:\s*+,\s*+'[^']*+')*+)\s*+\]\s*\Z")
_WRAPPERS = rewritings("wrappers")
UNIT = row_pattern("{UNIT}")
_DEGREES = r"[-−+]?\s?{DIGITS}\s*+(?:°|\^?\{?\\circ\}?|deg(?:rees?)?(?!\w))\s*+"
_ANGLE = row_pattern(rf"\A\s*+{_DEGREES}[)\]]?+\s*+\Z", signs=("°", "circ", "deg"))
_ANGLE_IN_BRACKETS = row_pattern(
    rf"(?:(?<=[\d.}})])|(?<=rad))\s*+[(\[]\s*+[≈~]?\s*+{_DEGREES}[)\]]\s*+\Z", signs=("°", "circ", "deg")
)
_DEGREE = Fraction(math.pi) / 180
_TAIL = pattern(r"(?:[\s,;:.–—-]|(?<=\s)[(\[])+\Z")
_SAYS_NOTHING = row_pattern("{SAYS_NOTHING}")
_EMPTY = ("…", "...", "dots", "lim", "if", "d/d", "∂/∂", "frac")
_NOT_FINITE = {"inf", "infinity", "Infinity", "Inf", "nan", "NaN"}
# The letter for a whole turn, which is that number unless it is a symbol of the student's.
_OF_NUMBERS = rewritings("numbers_alone")
# What the language cannot see for itself: wrappings that mean nothing, x for a product, where a symbol may begin.
_NEXT, _NEXT_OF_FORMULA = (  # the second one, which is compiled sooner, for texts without commands and units
    row_pattern(
        rf"(?P<passed>{wrappers}(?<![\w.])(?:math|np|numpy|tf|jnp|torch)\.(?=[a-z])|(?<=\d)\s*rad(?:ians)?(?!\w))"
        rf"|(?P<unit>(?<=\d\s){units}(?![\w(^'_]))|(?P<number>{DIGITS})"
        rf"|(?P<times>(?<=[\w)]\s)x(?=\s+[\w(\\-]))|{LETTER}|[\\∂]"
    )
    for wrappers, units in (("{WRAPPERS}|", "{UNITS}"), ("", "(?!)"))
)
_MAY_BE_UNIT = pattern(r"[\d.}][\s(\[/1^{]*+(?:[^\W\d_]|[°\\£]|€)")  # a letter or sign next to a number
_BETWEEN_FACTORS, _WORD = pattern(r"[-+*/·×=,;()<>]|[−⋅]|\\(?:c?dot|times)(?![a-z])"), pattern(r"[a-z]++")
_DECIMAL = pattern(r"[-−+]?\d++[.,]\d++")
_HEDGE = row_pattern(r"[\s,;(]*+(?:(?:{HEDGES})[\s:(]++){1,3}[-−+]?\d", re.IGNORECASE)
_LONGEST_REMARK = 200
_NEAR = 80  # characters before a derivative in which a function may begin
_SHORT = 200  # characters of a formula that answers may share
_MOST_SLOTS = 100_000  # of all graphs that are kept
_ILLEGIBLE = "some of its digits cannot be read"
_OPEN = "put remarks in brackets after the row"
# Words for numbers, as comparisons have them.
_TRUTHS = {word: Numeral(Fraction(x), Fraction(1)) for x, word in ((1, "true"), (0, "false"))}
_SUFFIX = {VALUE: "", DOT: "_dot", BAR: "_bar"}


class FormulaCache:
    """A cache of the graphs of formulas, for all answers: a class writes the same formulas again and again."""

    def __init__(self) -> None:
        """Begin empty; `_graphs` is by (text, what is foreign in it, names that it may use)."""
        self._graphs: dict[tuple[str, tuple[Foreign, ...], tuple[str, ...]], Graph] = {}
        self._slots = 0

    def graph(self, source: Source, foreign: tuple[Foreign, ...], names: tuple[str, ...]) -> Graph:
        """Return the graph of a formula, from the cache if possible; it must not be changed.

        `foreign` are the places in another notation with the tokens that they mean, `names` the names that are
        variables; with the text of `source` they are the key, so that spans are those of the first source. The cache is
        emptied before a new graph is added if its graphs, without the new one, have more than 100,000 slots (rows)
        together. Raises SyntaxProblem, NameProblem, ArityProblem or RequestError for a text that is not a formula;
        errors are not kept."""
        key = source.text, foreign, names
        graph = self._graphs.get(key)
        if graph is None:
            graph = read_formula(source, foreign, names, EXPANSION)
            if self._slots > _MOST_SLOTS:
                self._graphs.clear()
                self._slots = 0
            self._graphs[key] = graph
            self._slots += len(graph)
        return graph


@lru_cache(maxsize=1)
def _cache() -> FormulaCache:
    return FormulaCache()


class FormulaReader:
    """A reader of the row pieces of one answer, within a budget of characters and operations."""

    def __init__(self, names: Names, decimal: str) -> None:
        """Prepare to read pieces with `names` and decimals as `decimal` ("point" or "comma").

        The budget is FORMULAS characters and OPERATIONS operations for all rows together.
        """
        self.names = names
        self.decimal = decimal
        self.characters = FORMULAS
        self.operations = OPERATIONS

    def pieces(self, cuts: Sequence[Cut], row: Quantity) -> Iterator[RowPiece]:
        """Yield the pieces of a row as numbers, graphs or problems, in order; problems are not raised.

        Not yielded are blank pieces, those not filled in (`given`, `todo`), limits, sums with dots, and any piece that
        is only the symbol of `row`, the row's quantity. A number in degrees next to another number is one in radians;
        in brackets it is not read. Ticks and punctuation at the end of a piece are ignored. A number after # becomes a
        piece after that of the formula before it; so does a number in brackets at the end of the last of `cuts`."""
        is_angle = len(cuts) > 1 and any(self._is_in_radians(cut.text) for cut in cuts)
        for cut in cuts:
            text = _ANGLE_IN_BRACKETS.sub("", _without_marks(cut.text.replace("{,}", ",")))
            if _says_nothing(text):
                continue
            noted = _match_noted_number(text, last=cut is cuts[-1])
            if noted:
                yield from self.pieces([inner(cut, 0, noted.start(), cut.sign), inner(cut, *noted.span(1))], row)
            elif _is_filled(text):
                piece = self._read_piece(cut._replace(text=text), row)
                if is_angle and piece.number and _ANGLE.search(text):
                    value, unit, is_cut = piece.number
                    piece = piece._replace(number=Numeral(_DEGREE * value, _DEGREE * unit, is_cut))
                if piece.graph is None or len(piece.graph) > 1 or row not in piece.quantities.values():
                    yield piece

    def _is_in_radians(self, text: str) -> bool:
        """Return whether a piece is a number without a degree sign, next to which one with it is the same angle."""
        return not _ANGLE.search(text) and numeral(self.without_unit(text.strip(" (")), self.decimal) is not None

    def _read_piece(self, cut: Cut, row: Quantity) -> RowPiece:
        """Return `cut` as a number, else as a formula in the names of the answer, else as a piece with the problem.

        In this order: a number, perhaps in a box or with a unit, which are dropped, or `true` (1) or `false` (0); a
        problem for two alternatives, `12 or 36`; a number before words. These are no formulas, unless `cut.sign` says
        `+=` or `-=`: then `row`, the row's quantity, plus or minus the text is a formula. A number with the other
        decimal mark in a formula is a problem. A formula is charged to the budget of characters, at least SHORTEST; if
        this budget or that of operations is used up, the problem says that the answer is too long."""
        text = self.without_unit(_unwrap_box(cut.text))
        number = numeral(text, self.decimal) or numeral(text.replace(" ", "\u2009"), self.decimal)  # 14 137
        number = number or _TRUTHS.get(cut.text.strip().lower())
        if number is None and _is_hedged(cut.text, self.decimal):
            return RowPiece(cut.span, problem=two_numbers(cut.span))
        if number is None and is_smudged(cut.text, self.decimal):
            rule, advice = "this is not a number", "write it again"
            return RowPiece(cut.span, problem=SyntaxProblem(_ILLEGIBLE, cut.span, rule, help=advice))
        number = number or self._number_among_words(cut.text)
        if number is not None and not cut.sign:
            return RowPiece(cut.span, number=with_unit_of_program(number, cut.span.source.text))
        if has_other_decimal(cut.text, self.decimal):
            return RowPiece(cut.span, problem=_decimal_comma(cut))
        self.characters -= max(len(cut.text), SHORTEST)
        if self.characters < 0 or self.operations <= 0:
            rule = f"the formulas of an answer may have at most {FORMULAS:,} characters and {OPERATIONS:,} operations"
            problem = SyntaxProblem("the answer is too long", cut.span, "this is not read", (rule,))
            return RowPiece(cut.span, problem=problem)
        return self._formula_piece(cut, row)

    def _formula_piece(self, cut: Cut, row: Quantity) -> RowPiece:
        """Return `cut` as a formula; if it is none, as a piece with the problem of the whole text.

        Tried are the whole text, then without a comment, then also without a remark in brackets (`formula_ends`).
        After `+=` or `-=` it is added to `row`, the row's quantity, or subtracted. A syntax problem in a text with a
        comma between digits is called a decimal comma if the answer has decimal points."""
        problem: AdcliError | None = None
        is_shared = not cut.sign and len(cut.text) <= _SHORT
        formula = (_shared_formula if is_shared else StudentFormula)(cut.text, self.names, self.decimal)
        for end in formula_ends(cut.text):
            try:
                return self._read_formula(formula, end, cut, row)
            except AdcliError as error:
                problem = problem or error
        if BETWEEN_DIGITS.search(cut.text) and self.decimal == "point" and isinstance(problem, SyntaxProblem):
            problem = _decimal_comma(cut)
        return RowPiece(cut.span, problem=problem)

    def without_unit(self, text: str) -> str:
        """Return the text of a number without a unit or degree sign at its end, as in `2 kJ/(mol K)`; nothing is
        converted. A remark in brackets behind the unit is removed with it, but not a formula of known names.

        Unchanged if it begins with a letter, perhaps after blanks and signs, if no unit follows a digit at its end
        (`UNIT`), or if all symbols of the unit are names of the answer, r² like r."""
        if text.lstrip(" +-−")[:1].isalpha() or not _MAY_BE_UNIT.search(text):
            return text  # no number, or a bare one
        unit = UNIT.search(text) or UNIT.search(without_remark(text) if self._without_words(text) else text)
        symbols = names_in(unit["symbols"] or "") if unit else []
        are_names = all(not self.names.known.keys().isdisjoint((name, name.rstrip("⁻¹²³"))) for name in symbols)
        return text if unit is None or (symbols and are_names) else text[: unit.start()]

    def _number_among_words(self, text: str) -> Numeral | None:
        """Return the number that `text` begins with if only words, punctuation or ticks follow, `10 (product)`.

        A remark in brackets at the end (`_without_words`) does not count. None if there is no number at the beginning,
        if `*` or the like follows it (a minus sign only before a name or derivative), if the next sign is neither blank
        nor punctuation, a bracket or tick, or if the rest continues a formula (`_is_operand`)."""
        shorter = self._without_words(text)
        leading = leading_numeral(shorter, self.decimal) if shorter else None
        if shorter is None or leading is None:
            return None
        number, end = leading
        sign = text[end:].lstrip()[:1]
        if sign in _TIMES or (sign in _MINUS and self._names_rows(text[text.index(sign, end) + 1 :])):
            return None  # 10 - (-v4), 1 - da and 3·du are formulas
        rest = shorter[end:]
        if shorter[end - 1 : end].isspace() or not rest:
            rest = " " + rest
        if not _PROSE.match(rest) or self._is_operand(rest):
            return None
        return number if words_of(rest) or not rest.strip(" .,;:()[]✓✔☑✅←—–-") else None

    def _without_words(self, text: str) -> str | None:
        """Return `text` without brackets at its end that have words and no operators, or two unknown words (`by d/dx`);
        None if these have names of rows, functions and constants alone, and so a formula."""
        if (remark := REMARK.search(text)) is None:
            return text
        names, words = names_in(remark[1].replace("π", " pi ")), words_of(remark[1])
        if names and all(self._names_rows(name) or name in CONSTANTS or lookup(name) for name in names):
            return None
        unknown = sum(len(word) > 1 and not self._names_rows(word) and lookup(word) is None for word in words)
        return text[: remark.start()] if unknown > 1 or (words and _OPERATORS.isdisjoint(remark[1])) else text

    def _is_operand(self, rest: str) -> bool:
        """Return whether `rest`, the text after a number, continues the number as a formula.

        True if `rest` has an operator (a minus sign only in a bracket at its start), a digit or a called function, or
        if its first word is one letter (also `a`) or a derivative. True also if its first word is a constant such as pi
        or a name of the answer, in the same capitals; if it is a function, only this is tested of the second word."""
        is_difference = rest[:1] == "(" and not _MINUS.isdisjoint(rest.partition(")")[0])  # 2(wx-t)x
        if is_difference or not _OPERATORS.isdisjoint(rest) or any(map(str.isdigit, rest)):  # of y² too
            return True
        words = words_of(rest)
        is_symbol = len("".join(words[:1])) == 1 or self._begins_with_derivative(rest)  # 12 x, 12 cbar
        if is_symbol or any(lookup(name) for name in _CALLED.findall(rest)):
            return True  # 1 - tanh(a)² is a formula
        # 2 pi, 2 sin pi and 2 sin x are products, where 2 min is a number with a word.
        factors = words[1:2] if words and lookup(words[0]) else words[:1]
        return any(factor in known for factor in factors for known in (CONSTANTS, GREEK, self.names.known))

    def _names_rows(self, text: str) -> bool:
        """Return whether a text has names of rows, or begins with a derivative or a product of names, `ts` for t·s."""
        symbol = self.names.at(text.lstrip(" (") + " ", 0)
        is_product = symbol is not None and len(symbol.parts) > 1
        return is_product or self._begins_with_derivative(text) or any(n in self.names.known for n in names_in(text))

    def _begins_with_derivative(self, text: str) -> bool:
        """Return whether `text` begins with the symbol of a derivative, after blanks and brackets."""
        symbol = self.names.at(text.lstrip(" (") + " ", 0)
        return symbol is not None and any(not isinstance(part, str) and part.kind != VALUE for part in symbol.parts)

    def _offers_another(self, text: str, end: int, row: Quantity) -> bool:
        """Return whether words after the number that ends at `end` lead to another number: `7 perhaps 10`.

        False if `row`, the row's quantity, is the value of an input. Otherwise True if a number with a decimal mark in
        the next 200 characters cannot be a rounding of the same number (`differ`), or if one to three words such as
        `or` or `perhaps` (`HEDGES`) are right after it, before a digit. If the text up to `end` is not a number, only
        the words count."""
        first, rest = numeral(text[:end], self.decimal), text[end : end + _LONGEST_REMARK]
        numbers = [numeral(decimal, self.decimal) for decimal in _DECIMAL.findall(rest)]
        differs = first is not None and any(other is not None and differ(first, other) for other in numbers)
        is_given = row.kind == VALUE and row.name in self.names.inputs  # for x = 0.8 the inside is 0.6
        return not is_given and (differs or _HEDGE.match(rest) is not None)

    def _read_formula(self, formula: StudentFormula, end: int, cut: Cut, row: Quantity) -> RowPiece:
        """Return the piece for the first `end` characters of `formula`, as a graph.

        If an unknown word is among them, the text before the first is taken if that is a formula and no operator
        follows the word. Otherwise a single unknown word is a name. `cut` is the piece in the answer, `row` the
        quantity to which it is added after `+=` or `-=`. The number of rows of the graph is charged to the budget of
        operations.

        Raises AdcliError, with its span in the answer, if the text is not a formula, has an infinite number, several
        unknown words, or words between arithmetic without names and another number (`_offers_another`); RequestError if
        it is too large."""
        if formula.infinite < end:
            help = "check the row before it"
            raise SyntaxProblem("this is not a finite number", cut.span, "rows have finite values", help=help)
        strange = [place for place in formula.strange if place < end]
        if strange and (shorter := formula.end_before(strange[0], end)):
            try:
                piece = self._read_formula(formula, shorter, cut, row)
            except AdcliError:
                pass
            else:
                if not piece.quantities and self._offers_another(cut.text, shorter, row):
                    raise two_numbers(cut.span)
                return piece
        if len(strange) > 1:
            raise SyntaxProblem("these words are not a formula", cut.span, "none of them names a row", help=_OPEN)
        try:
            graph = formula.graph(end, row if cut.sign else None, cut.sign)
        except RequestError:  # it grew too large
            self.operations -= EXPANSION
            raise
        except AdcliError as error:
            error.span = _span_in_answer(error.span, cut)
            if error.related is not None:
                error.related = (_span_in_answer(error.related[0], cut), error.related[1])
            raise
        self.operations -= len(graph)
        return RowPiece(cut.span, graph=graph, quantities=formula.meaning(graph))


class StudentFormula:
    """A text in which the student's symbols are names of the language.

    `foreign` has the places where the text differs from the language, with the tokens meant; `quantities` maps the
    names to quantities. `strange` has the offsets of words that are not names of the answer, `infinite` that of the
    first infinite number (the length of the text if there is none).
    """

    def __init__(self, text: str, names: Names, decimal: str) -> None:
        """Collect the symbols in `text`; `names` are those of the answer, `decimal` is "point" or "comma".

        `foreign` has the places that differ from the language, with their tokens; `quantities` is {name: quantity},
        `identifiers` the reverse; `strange` has the offsets of unknown words, `infinite` is that of the first infinite
        number (the length of `text` if there is none)."""
        self.names = names
        self.decimal = decimal
        self.text = self._with_plain_marks(text)
        self.foreign: list[Foreign] = []
        self.quantities: dict[str, Quantity] = {}
        self.identifiers: dict[Quantity, str] = {}
        self.strange: list[int] = []
        self.infinite = len(text)
        self._find_symbols(*names.separate_marks(self.text))

    def _with_plain_marks(self, text: str) -> str:
        """Return the text, equally long, with decimal points, and with commas between the items of a list.

        The first that applies: in a text such as `mul['x1', 'x2']` only the quotes become blanks; with decimal commas
        every comma between digits becomes a point and every semicolon a comma, `2,5; 3` as `2.5, 3`; else it is
        unchanged."""
        if "[" in text and _LISTED.match(text):  # mul['x1', 'x2'], as the paper's program prints it
            return text.replace("'", " ")
        return BETWEEN_DIGITS.sub(".", text).replace(";", ",") if self.decimal == "comma" else text

    def _find_symbols(self, text: str, places: Sequence[int]) -> None:
        r"""Fill `foreign`, `quantities`, `identifiers`, `strange` and `infinite` from the symbols in `text`.

        `text` has accents as separate characters; `places` has the offset of each of its characters in the original,
        and then its length. A symbol gets the tokens of `_tokens`. No tokens replace wrappers such as `\left`, `np.`
        and a unit after a number, and `*` replaces an `x` between factors, unless the unit or x is a name of the
        answer."""
        place = 0
        shape = _NEXT if "\\" in text or _MAY_BE_UNIT.search(text) else _NEXT_OF_FORMULA
        while following := shape.search(text, place):
            place = following.start()
            end = following.end()
            tokens: tuple[tuple[str, str], ...] | None = None
            if following["passed"] or (following["unit"] and following["unit"] not in self.names.known):
                tokens = ()
            elif following["times"] and "x" not in self.names.known:
                tokens = (("STAR", "*"),)
            elif (symbol := self.names.at(text, place)) is not None:
                symbol = symbol._replace(end=self._end_of_call(symbol, text))
                end, tokens = symbol.end, self._tokens(symbol, text, place, places[place])
                if tokens and tokens[-1][0] == "NUMBER":  # sin5 may go on as sin5.2
                    end, tokens = end - len(tokens[-1][1]), tokens[:-1]
            if tokens is not None:
                self.foreign.append(Foreign(places[place], places[end], tokens))
            place = end

    def _end_of_call(self, symbol: Symbol, text: str) -> int:
        """Return the offset in `text` behind a call such as `f(x)` or `s(z)` that begins with `symbol`.

        Such a call means the value of the row f or s, and not a product. `symbol` must be a single value with the name
        of a step, an output or a function of the answer. A bracket must follow without a blank, and have one known name
        in it. If there is no such call, the result is the end of `symbol`."""
        end, (part, *others), names = symbol.end, symbol.parts, self.names
        if others or isinstance(part, str) or part.kind != VALUE or text[end : end + 1] != "(":
            return end
        argument, bracket, _ = text[end + 1 :].partition(")")
        is_function = part.name in names.called or part.name in (*names.steps, *names.outputs)
        is_call = is_function and bool(bracket) and normal(argument.strip()) in names.known
        return end + len(argument) + 2 if is_call else end

    def _tokens(self, symbol: Symbol, text: str, place: int, origin: int) -> tuple[tuple[str, str], ...] | None:
        """Return the tokens, (kind, text), that mean `symbol` in the language; None if its text is read as it is.

        The symbol, with one or more parts, starts at `place` of `text`, which has separate accents, and at `origin` of
        the original. A quantity becomes a NAME (`_identifier`), even if it is infinite (then `infinite` is set to
        `origin` if that is less); blanks give no token. An unknown word is a NAME too, and `origin` is added to
        `strange`; before a bracket an unknown name gives None. A derivative after the argument of a function without
        brackets has a `*` token before it: `cos x2 dx2` is cos(x2) * dx2. After a digit a symbol always has tokens, so
        that 3e is not a number."""
        tokens: list[tuple[str, str]] = []
        for part in self._parts(symbol, text[:place]):
            if isinstance(part, str):
                if part.strip():
                    tokens.append(kind_of(part))
                continue
            if part.name in _NOT_FINITE:
                self.infinite = min(self.infinite, origin)
            if text[symbol.end : symbol.end + 1] == "(" and not self._is_known(part):
                return None
            is_word = len(part.name) > 1 and words_of(part.name) == [part.name] and part.name not in GREEK
            if is_word and not self._is_known(part):
                self.strange.append(origin)
            if part.kind != VALUE and _ends_argument(text[max(place - _NEAR, 0) : place]):
                tokens.append(("STAR", "*"))
            tokens.append(("NAME", self._identifier(part)))
        whole = symbol.parts == (text[place : symbol.end],)
        joined = place > 0 and text[place - 1].isdecimal() and text[place] != "\\"  # 3e is not a number
        return None if whole and not joined else tuple(tokens)

    def _parts(self, symbol: Symbol, before: str) -> list[Quantity | str]:
        """Return the parts of a symbol that stands after the text `before`; if `before` ends in `/` and
        `names.denominators` is set, each blank between them is a `/`: `RT` in `E/RT` is R/T."""
        sign = "/" if self.names.denominators and before.rstrip().endswith("/") else ""
        return [sign if sign and place and part == " " else part for place, part in enumerate(symbol.parts)]

    def _identifier(self, quantity: Quantity) -> str:
        """Return the name in the formula language for `quantity`, the same one in every call.

        A value v1 is `v1`, its tangent `v1_dot`, its adjoint `v1_bar` (whatever their keys are), a derivative `dy_dx`.
        Characters other than letters, digits and ' become underscores. `n` is put before a name that does not begin
        with a letter, and underscores are appended until it is not in `quantities`. A new name is added to `quantities`
        and `identifiers`."""
        known = self.identifiers.get(quantity)
        if known is not None:
            return known
        kind, name, key = quantity
        text = f"d{name}_d{key}" if kind == DERIVATIVE else name + _SUFFIX[kind]
        text = "".join(character if character.isalnum() or character in "_'" else "_" for character in text)
        if not text[:1].isalpha():
            text = "n" + text
        while text in self.quantities:
            text += "_"
        self.quantities[text] = quantity
        self.identifiers[quantity] = text
        return text

    def _is_known(self, quantity: Quantity) -> bool:
        """Return whether a quantity is a derivative, or the value of what may be a row."""
        return quantity.kind != VALUE or self.names.is_row(quantity.name)

    def end_before(self, strange: int, end: int) -> int:
        """Return the end of the formula before the unknown word at offset `strange`, without punctuation; 0 if nothing
        is there, or if one of * / ^ = follows the word up to `end`."""
        rest = self.names.separate_marks(self.text[strange:end])[0]
        return 0 if any(map(rest.__contains__, "*/^=")) else len(_TAIL.sub("", self.text[:strange]))

    def graph(self, end: int, row: Quantity | None, sign: str) -> Graph:
        """Return the first `end` characters as a graph, which must not be changed.

        If `row` is not None, the graph is `row` + (formula) or `row` - (formula), by `sign`, + or -, and `row` is added
        to `quantities`; if it is None, `sign` is ignored. Foreign places beyond `end` are left out. Raises
        SyntaxProblem if there are several formulas, another AdcliError if the text is not a formula, RequestError if it
        has more than 5,000 operations."""
        text = self.text[:end]
        source = Source(apply_rules(text, _OF_NUMBERS))
        foreign = [place for place in self.foreign if place.end <= end]
        if row is not None:
            before = ("NAME", self._identifier(row)), kind_of(sign), ("LPAR", "(")
            foreign = [Foreign(0, 0, before), *foreign, Foreign(end, end, (("RPAR", ")"),))]
        graph = _cache().graph(source, tuple(foreign), tuple(self.quantities))
        if len(graph.outputs) != 1:
            raise SyntaxProblem("a row has one formula", Span(0, end, source), "here are several")
        return graph

    def meaning(self, graph: Graph) -> dict[str, Quantity]:
        """Return the quantity of each input of a graph, by its name there; a name that is no symbol is a value."""
        return {n: self.quantities.get(n, Quantity(VALUE, self.names.own(n))) for n in graph.inputs.values()}


def _ends_argument(before: str) -> bool:
    """Return whether a text ends in a function without brackets and at least one factor of its argument."""
    factors = _BETWEEN_FACTORS.split(before)[-1]
    return any(lookup(word[0]) and factors[word.end() :].strip(" {\\") for word in _WORD.finditer(factors))


_shared_formula = lru_cache(maxsize=512)(StudentFormula)  # for rows of several answers with the same names


def _is_filled(text: str) -> bool:
    """Return whether a text has a digit, or is not a blank to fill in or a word such as `given` or `todo`."""
    word = text.strip().lower().replace(" ", "_")
    return any(map(str.isdecimal, text)) or not (text.strip(_BLANKS) == "" or word in _UNFILLED)


def _span_in_answer(span: Span | None, cut: Cut) -> Span:
    """Return the span in the answer, of at least one character, for a span in the text of `cut`, cut off at its end.

    The whole piece if `span` is None or `cut.text`, which may have been replaced, is longer than the span of `cut`."""
    whole = cut.span
    if span is None or len(cut.text) > whole.end - whole.start:
        return whole
    begin = min(whole.start + span.start, whole.end)
    return Span(begin, max(min(whole.start + span.end, whole.end), begin + 1), whole.source)


def formula_ends(text: str) -> Iterator[int]:
    """Yield the offsets at which a formula may end: the end of the text, the start of a comment (`_COMMENT`), and that
    of a remark in brackets at the end of what is before the comment.

    A comment or remark needs something before it, a remark also a word of three letters, which may be a function."""
    yield len(text)
    shorter = _COMMENT.sub("", text)
    if shorter.strip() and shorter != text:
        yield len(shorter)
    remark = REMARK.search(shorter)
    if remark and remark.start() > 0 and any(len(word) > 2 for word in words_of(remark[1])):
        yield remark.start()


def _unwrap_box(text: str) -> str:
    """Return the text without a LaTeX box or braces around it."""
    bare = apply_rules(text, _WRAPPERS).strip() if "{" in text else ""
    inside = bare[1:-1]
    return inside if bare == f"{{{inside}}}" and "{" not in inside and "}" not in inside else text


def _match_noted_number(text: str, last: bool) -> re.Match[str] | None:
    """Return a match whose group 1 is a number next to the formula in `text`: at the end after #, or in brackets there.

    Brackets count only in the last piece of a row (`last`), after a blank, and if a word is anywhere before them, or a
    degree sign right before them. They do not count after an operator, ^, _, } or the name of a function, as in `ln
    (2)`. None if nothing is before the number."""
    match = _NOTED.search(text) if "#" in text else None
    if match is None and last and text.rstrip().endswith((")", "]")):
        match = _BRACKETED.search(text)
        front = re.sub(r"\\[A-Za-z]++\s*\Z", "*", text[: match.start()].rstrip()) if match else ""
        words = words_of(front)
        is_operand = front.endswith(("^", "_", "}", "+", "-", "−", "*", "·", "×", "/"))
        is_function = words and front.endswith(words[-1]) and lookup(words[-1].lower())
        if not (words or front.endswith("°")) or is_operand or is_function:
            return None  # ln (2) is a function of 2
    return match if match and text[: match.start()].strip() else None


def _is_hedged(text: str, decimal: str) -> bool:
    """Return whether `text` begins with a number, one to three words such as `or` or `perhaps` (`HEDGES`), and another
    number, even an equal one: `12 or 36`, `either 12 (or 36?)`. Anything may follow. `decimal` is "point"/"comma"."""
    text = text.strip().removeprefix("either ").removeprefix("entweder ")
    if not text[:1].isdecimal() and text[:1] not in ("-", "−", "+", "."):
        return False
    leading = leading_numeral(text, decimal)
    end = len(text) if leading is None else leading[1]
    begins_word = "".join(text[end:].split()).lstrip(",;(")[:1].isalpha()
    return begins_word and _HEDGE.match(text, end - text[end - 1].isspace()) is not None


def _says_nothing(text: str) -> bool:
    """Return whether a piece is a limit, condition, operator or sum with dots, which is neither read nor an error."""
    return any(sign in text for sign in _EMPTY) and _SAYS_NOTHING.match(text) is not None


def _without_marks(text: str) -> str:
    r"""Return the text without ticks, question marks, blanks and punctuation at its end.

    Dots of omission stay, and so does the point right after an integer, as in `5.` or `v1.`, even before further marks.
    A text that ends in a letter, digit or round bracket is unchanged, except that a `\checkmark` is removed; marks
    before it stay."""
    if text.rstrip().endswith(("..", "…", "\\ldots", "\\dots")):
        return text.rstrip()
    if (text[-1:].isalnum() or text[-1:] == ")") and not text.endswith("checkmark"):
        return text
    short = text.rstrip().removesuffix("\\checkmark")
    short = text.rstrip(_TICKS) if len(short) == len(text.rstrip()) else short
    digit_before_point = text[len(short) : len(short) + 1] == "." and short[-1:].isdecimal()
    return short + "." if digit_before_point and "." not in short.split(" ")[-1] else short


def _decimal_comma(cut: Cut) -> SyntaxProblem:
    """Build the error for a number with a decimal comma in an answer with decimal points."""
    rule = "numbers are read with a decimal point"
    return SyntaxProblem("this number has a decimal comma", cut.span, rule, help=DECIMAL_COMMA)


def two_numbers(span: Span) -> SyntaxProblem:
    """Build the error for two numbers where a row has one."""
    return SyntaxProblem("a row has one formula", span, TWO_NUMBERS, help="keep one of them")
