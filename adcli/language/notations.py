"""Notations of other programs and of handbooks that have one meaning: a table, tried on a text that cannot be read.

`%e^x` (Maxima), `Sin[x]` (Mathematica), `=POWER(A1;3)` (spreadsheets), `np.exp(x)`, `σ(x)`, `N(d1)`: each place becomes
tokens of the language, so that messages keep their places in the user's text.  A text that can be read stays as it is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from ..errors import Source, Span
from ..graph.graph import CONSTANTS
from ..records import NamedTuple
from ..table.functions import ROWS, lookup
from ..table.primitive import Primitive
from .advice import entry_for
from .ambiguous_names import UnknownName
from .brackets import closing, parts, skip_blanks
from .name_parts import AGGREGATES, assigned_names, is_greek, letters_of, logarithm_base
from .spelling import LOGIC_WORDS, Reading
from .tokens import Foreign, pieces_of_text

_MOST = 200  # places of one notation in a text
_OPENED = r"(?=\s*+(?:\\(?:left|mleft|[bB]igg?l?)\s*+)?[(\[])"  # a bracket follows
_APPLIED = r"(?=\s*+[(\[]|[ ]++[a-zA-Z0-9])"  # a bracket follows, or an argument without brackets
_STARTS = r"(?<![\w.\\])"
_MODULES = "std|jax|np|numpy|jnp|math|cmath|Math|mpmath|mp|sp|sympy|scipy|torch|tf|nn|functional|F|special|stats"
_NAME = re.compile(r"(?<![^\W\d²³¹⁰-⁹¼-¾⅐-⅞]|[\\.])[^\W\d²³¹⁰-⁹¼-¾⅐-⅞][^\W²³¹⁰-⁹]++(?!['.])")
_GOLDEN, _EULER = "((1+sqrt(5))/2)", "0.57721566490153286060651209008240243104215933593992359880576723488486772677767"
_CELL, _ARGUMENT = r"\$?[A-Z]{1,3}\$?[0-9]++", r"([^();,:]++)"
_AFTER_NUMBER = r"(?<![\w.])([0-9]++(?:\.[0-9]*+)?)"
_MAXIMA = {"phi": _GOLDEN, "gamma": _EULER}
# Words for signs, and functions of other languages, programs and spreadsheets: what they mean, by the words.
_SPOKEN = {
    "+": "plus más mas",
    "-": "minus moins menos",
    "*": "times mal fois por",
    "^2": "squared quadrat cuadrado carré",
    "/": "over divided.by durch geteilt.durch sur divisé.par entre dividido.por",
    "^3": "cubed cubo",
    "^": "hoch to.the.power.of to.the.power raised.to elevado.a à.la.puissance",
}
_TRANSLATIONS = {
    "sqrt": "Wurzel wurzel WURZEL Quadratwurzel racine RACINE raiz raíz RAIZ RAÍZ RADQ radice",
    "if": "WENN SI SE",
    "sin": "sen seno SEN SENO sinus",
    "cos": "coseno cosinus",
    "tan": "tangens tangente",
    "asin": "arcsen arcsin",
    "pow": "POTENZ PUISSANCE POTENCIA POTENZA",
    "abs": "Betrag betrag",
}
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_LETTER = {"Φ": "Phi", "φ": "phi", "ϕ": "phi", "σ": "sigma", "𝜎": "sigma"}


def _any_of(table: Mapping[str, str]) -> str:
    """Return a pattern for all words of a table of words by meaning, longest first; a point in them is a blank."""
    words = sorted(" ".join(table.values()).split(), key=len, reverse=True)
    return "|".join(words).replace(".", r"\s++")


def _meaning(table: Mapping[str, str], words: str) -> str:
    """Return the meaning of `words`, which are in the table; a blank in them is a point there."""
    word = ".".join(words.split())
    return next(meaning for meaning, known in table.items() if word in known.split())


class WrittenSign(NamedTuple):
    """A place where a notation may stand: the text, the match of its sign, and the names that have a value."""

    text: str
    match: re.Match[str]
    known: Collection[str]

    @property
    def name(self) -> str:
        """The sign as a name: without a backslash, a Greek letter spelled out."""
        name = self.match.group().strip().lstrip("\\")
        return _LETTER.get(name, name)

    @property
    def is_variable(self) -> bool:
        return self.name in self.known or self.match.group() in self.known

    @property
    def is_in_spreadsheet(self) -> bool:
        """Return whether the text starts with =, as the formula of a cell."""
        return self.text.lstrip().startswith("=")

    @property
    def arguments(self) -> int:
        """Return the number of arguments in the round or square bracket that follows the sign, after blanks; commas and
        semicolons separate them.

        1 if no bracket follows or it is not closed, 0 if it is empty.
        """
        start = skip_blanks(self.text, self.match.end(), len(self.text))
        close = closing(self.text, start, len(self.text)) if self.text[start : start + 1] in ("(", "[") else None
        if close is None:
            return 1
        inside = self.text[start + 1 : close - 1]
        return len(parts(inside.replace(";", ","))) if inside.strip() else 0


class OtherNotation(NamedTuple):
    """A way of writing something: an example, a pattern of its sign, and what it means in the language.

    `meaning` returns the text that the sign means (blank for nothing), or None where it does not apply.  In `note`
    {sign} is what was written and {meaning} what it means; without a note nothing is said.
    """

    example: str
    sign: str
    meaning: Callable[[WrittenSign], str | None]
    note: str = "{sign} is read as {meaning}"


def _constant(place: WrittenSign) -> str | None:
    """Return the constant that Maxima writes as %e, %pi, %i, %phi or %gamma; None if e or pi is a variable."""
    name = place.match[1]
    return None if name in place.known else _MAXIMA.get(name, name)


def _find_quoted_input(place: WrittenSign) -> str | None:
    """Return the input that a column in quotation marks is for, with underscores for blanks and signs; None if there is
    no such input.
    """
    name = re.sub(r"\W+", "_", place.match.group()[1:-1]).strip("_")
    return name if name in place.known else None


def _in_capitals(place: WrittenSign) -> str | None:
    """Return the function of the language that a name with capitals means (`SIN`, `Sin`): its lower-case name.

    LOG in capitals in a spreadsheet is log10 if it has one argument. None if the name has a value, is a function as
    written, is not one in lower case or does not take that number of arguments, for other logarithms without exactly
    one argument, and for ATAN2 in a spreadsheet, where x is the first argument.
    """
    name = place.match.group()
    if place.is_variable or lookup(name) is not None:
        return None
    lower = name.lower()
    if place.is_in_spreadsheet and lower in ("log", "atan2"):
        return {("log", 1): "log10", ("log", 2): "log"}.get((lower, place.arguments))
    if lower == "log" and place.arguments != 1:
        return None
    row = lookup(lower)
    return lower if row is not None and (row.arity is None or row.accepts(place.arguments)) else None


def _of_spreadsheet(meaning: Callable[[WrittenSign], str | None]) -> Callable[[WrittenSign], str | None]:
    """Return the function `meaning` for formulas of cells; it returns None in other texts."""
    return lambda place: meaning(place) if place.is_in_spreadsheet else None


# Functions of cells in spreadsheets, as operators between the cells or names before them.
_OF_CELLS = {"SUM": "+", "SUMSQ": "^2+", "PRODUCT": "*", "AVERAGE": "+", "MAX": ",", "MIN": ","}


def _percentage(place: WrittenSign) -> str | None:
    """Return the number of a percentage divided by 100; None outside spreadsheets unless * or / follows, it is the
    whole text, or 1 is before it as in `(1+5%)`, because `100+3%` is 103 on pocket calculators."""
    before, after = place.text[: place.match.start()].rstrip(), place.text[place.match.end() :].lstrip()
    is_alone = not before + after or (before.endswith(("(1+", "(1-", "(1 +", "(1 -")) and after.startswith(")"))
    is_clear = place.is_in_spreadsheet or after.startswith(("*", "/")) or is_alone
    return f"({place.match[1]}/100)" if is_clear else None


def _function_of_cells(place: WrittenSign) -> str | None:
    """Return the formula that SUM, SUMSQ, PRODUCT, AVERAGE, MAX or MIN of cells, numbers and ranges means.

    `SUM(A1:A3, 2)` is `(A1+A2+A3+2)`; arguments are separated by `,` or `;`, and $ is dropped. None for a range over
    more than one column, from bottom to top, or of more than 100 cells.
    """
    name, terms = place.match[1], list[str]()
    for part in place.match[2].replace("$", "").replace(";", ",").split(","):
        first, _, last = part.strip().partition(":")
        column = first.rstrip("0123456789")
        low, high = (int("".join(filter(str.isdecimal, cell)) or 0) for cell in (first, last or first))
        if last and (last.rstrip("0123456789") != column or not 0 <= high - low < 100):
            return None
        terms += [f"{column}{row}" for row in range(low, high + 1)] if last else [first]
    formula = f"({_OF_CELLS[name].join(terms)}{'^2' * (name == 'SUMSQ')})"
    return formula + f"/{len(terms)}" * (name == "AVERAGE") if name not in ("MAX", "MIN") else name.lower() + formula


def _minus_before_power(place: WrittenSign) -> str | None:
    """Return what the minus sign of a spreadsheet's cell means, in which -A1^2 is the square of -A1.

    Before a name (group 1 of the match) it is `(-A1)`. Before brackets it is nothing if a power with an even number
    follows, so that it is left out, and the sign itself for any other power. None before brackets without a power
    behind them, or that are not closed.
    """
    if place.match[1]:
        return f"(-{place.match[1]})"
    close = closing(place.text, place.match.end(), len(place.text))
    before, power, exponent = place.text[close:].partition("^") if close is not None else ("", "", "")
    if not power or before.strip():
        return None
    digits = exponent[: len(exponent) - len(exponent.lstrip(" 0123456789"))].strip()
    return "" if digits[-1:] in tuple("02468") else "-"


def _left_out_at_end(place: WrittenSign) -> str | None:
    """Return "" (nothing) for a comma, dollar or equals sign at the end of a statement that is an expression.

    None, so that the sign stays, if an operator or nothing is before it, if the statement is only a name or call (`f(x)
    =`), or if it has a prime (`f'(x) = ?`).
    """
    statement = place.text[: place.match.start()].replace("\n", ";").rpartition(";")[2].strip()
    is_whole = statement[-1:].isalnum() or statement[-1:] in tuple(")]}!'")
    name, _, inside = statement.partition("(")
    is_name = name.strip().isidentifier() and inside.find(")") == len(inside) - 1
    return None if not is_whole or "'" in statement or is_name else ""


def _greek_factor(place: WrittenSign) -> str | None:
    """Return a Greek letter times the bracket that follows, if the bracket is not a single name, as in `ε(x + 1)`; None
    for a function."""
    close = closing(place.text, place.match.end(), len(place.text))
    inside = place.text[place.match.end() + 1 : close - 1] if close else ""
    is_function = lookup(place.match.group()) is not None or lookup(place.name) is not None
    return None if is_function or inside.strip().isidentifier() or not inside else f"{place.match.group()}*"


def _other_name(row: Primitive) -> Callable[[WrittenSign], str | None]:
    """Return the meaning of other names of a function, which must not be variables."""
    return lambda place: None if place.is_variable or not row.accepts(place.arguments) else row.name


def _root(place: WrittenSign) -> str:
    """Return the root with a raised index, such as ³√8."""
    return f"root({place.match[2]},{unicodedata.normalize('NFKC', place.match[1])})"


def _separator(place: WrittenSign) -> str | None:
    """Return a comma for a semicolon between arguments, as spreadsheets have it; None outside brackets."""
    before = place.text[: place.match.start()]
    return "," if before.count("(") > before.count(")") else None


@lru_cache(maxsize=1)
def _names_in(text: str) -> frozenset[str]:
    """Return all names and single letters of a text, which is looked at once for all its names."""
    return frozenset([*_NAME.findall(text), *re.findall(r"(?<!\w)[^\W\d](?!\w)", text)])


def _product(place: WrittenSign) -> str | None:
    """Return the letters of a name as separate factors joined by blanks, as `x y` for `xy`, if the advice table `names`
    calls it a product.

    None if the advice is anything else, if one of the pieces is a function, if the name has a meaning as a whole, and
    behind a slash or caret, where the extent of the operand is unclear.
    """
    name, (start, end) = place.match.group().translate(_SUBSCRIPTS), place.match.span()
    if place.text[:start].rstrip()[-1:] in ("/", "^") or not _may_be_product(name, place):
        return None
    others = _names_in(place.text)
    it = UnknownName(name, Span(start, end, Source(place.text)), {*place.known, *others}, others, place.known)
    entry = entry_for("names", it)
    is_product = entry.title and entry.help == "write {it.alternatives}" and it.function is None
    return " ".join(piece.text for piece in it.pieces) if is_product else None


def _letters(place: WrittenSign) -> str | None:
    """Return the letters of a name with their indices, by the rule of --letters, in brackets behind a slash; None for
    names that have a meaning."""
    name = place.match.group()
    letters = " ".join(letters_of(name)) if _may_be_product(name, place) else ""
    is_divisor = place.text[: place.match.start()].rstrip().endswith("/")
    return f"({letters})" if letters and is_divisor else letters or None


def _may_be_product(name: str, place: WrittenSign) -> bool:
    """Return whether a name has no meaning as a whole, so that it may be a product of letters.

    False for a name with a value, a function, constant, Greek letter, logarithm with a base, logical word or sum, a
    name that the text defines, and for the exponent of a number (`1e5x`).
    """
    if name in place.known or name in CONSTANTS or name in AGGREGATES or is_greek(name) or lookup(name) is not None:
        return False
    is_behind_digit = place.text[: place.match.start()][-1:].isdigit()
    if is_behind_digit and name[0] in "eE" and name[1:2].isdecimal():  # of a number, as in 1e5x
        return False
    return logarithm_base(name) is None and name not in LOGIC_WORDS and name not in assigned_names(place.text)


NOTATIONS = (
    OtherNotation(
        "lambertw(x, -1)",
        rf"{_STARTS}[lL]ambert_?[wW]\s*+\(([^(),;]++)[,;]\s*+(-1|0)\s*+\)",
        lambda p: f"lambertw{'m1' if p.match[2] == '-1' else ''}({p.match[1]})",
    ),
    OtherNotation(
        "@(x) x^2",
        r"\A\s*+(?:\w++\s*+:?=\s*+)?(?:lambda [\w\s,]++:|@\([\w\s,]++\)|function\s*+\([\w\s,]++\)"
        r"|\(?[\w\s,]++\)?\s*+(?:↦|->|→|\|->))",
        lambda _: "",
        "",
    ),
    OtherNotation("N[Sin[1]]", r"\A\s*+N(?=\s*+\[.*\]\s*+\Z)", lambda _: "", "N[…] is left out"),
    OtherNotation(
        "f(3) where f(x) = x^2",
        r"\A([^;\n=]+?)(?:\s(?:where|with|if|for)\s++|,\s*+)([^\W\d]\w*+\([\w\s,]++\)\s*+:?=(?!=)[^;\n=]++)\Z",
        lambda p: f"{p.match[2]}; {p.match[1]}",
        "",
    ),
    OtherNotation(
        "f(x) = x^2, f(3)",
        r"\A([^\W\d]\w*+)(\([\w\s,]++\)\s*+:?=(?!=)[^;\n=]+?),\s*+([^;\n=]++)\Z",
        lambda p: f"{p.match[1]}{p.match[2]}; {p.match[3]}" if f"{p.match[1]}(" in p.match[3] else None,
        "",
    ),
    OtherNotation("x^2; % a comment", r"(?<=;)\s*+%[^\n]*+", lambda _: "", "{sign} is a comment"),
    OtherNotation("x^2 =", r"(?:,|\$|=(?:\s*+\?)?)\s*+\Z", _left_out_at_end, "{sign} at the end is left out"),
    OtherNotation("1.5D0", rf"{_AFTER_NUMBER}[dD]([+-]?[0-9]++)(?!\w)", lambda p: f"{p.match[1]}e{p.match[2]}"),
    OtherNotation(
        "DSQRT(x)", rf"{_STARTS}[dD]((?i:sqrt|exp|log|sin|cos|tan|abs)){_OPENED}", lambda p: p.match[1].lower()
    ),
    OtherNotation("=A1*20%", rf"{_AFTER_NUMBER}\s*+%(?=\s*+(?:[*/);,]|\Z))", _percentage),
    OtherNotation("=$A$1", rf"(?=[A-Z]*+\$){_CELL}", _of_spreadsheet(lambda p: p.match.group().replace("$", "")), ""),
    OtherNotation(
        "=SUM(A1:A3; B1)",
        rf"{_STARTS}({'|'.join(_OF_CELLS)})\(((?:\s*+(?:{_CELL}(?::{_CELL})?|[0-9.]++)\s*+[;,]?)++)\)",
        _of_spreadsheet(_function_of_cells),
    ),
    OtherNotation(
        "=ATAN2(A1;B1)",
        rf"{_STARTS}ATAN2\({_ARGUMENT}[;,]{_ARGUMENT}\)",
        _of_spreadsheet(lambda p: f"atan2({p.match[2]},{p.match[1]})"),
    ),
    OtherNotation(
        "=NORM.S.DIST(A1;TRUE)",
        rf"{_STARTS}NORM\.S\.DIST\({_ARGUMENT}[;,]\s*+(TRUE|FALSE|1|0)\s*+\)",
        lambda p: f"norm{'cdf' if p.match[2] in ('TRUE', '1') else 'pdf'}({p.match[1]})",
    ),
    OtherNotation(
        "=-A1^2",
        r"(?<=[=(;,*/^])\s*+-(?:([\w.]++)(?=\s*+\^)|(?=\())",
        _of_spreadsheet(_minus_before_power),
        "a minus sign is taken before a power, as in spreadsheets",
    ),
    OtherNotation(
        "ArcTan[x, y]", rf"{_STARTS}ArcTan\s*+\[([^][,]++),([^][,]++)\]", lambda p: f"atan2({p.match[2]},{p.match[1]})"
    ),
    OtherNotation(
        "J_0(x)",
        rf"{_STARTS}([JY])_?\{{?([0-9])\}}?\s*+\((?=\s*+[0-9]*+[^\W\d]\w*+\s*+\))",
        lambda p: None if p.is_variable else f"bessel{p.match[1].lower()}({p.match[2]},",
    ),
    OtherNotation('x*"my column"', r'"[^"\n]++"|`[^`\n]++`', _find_quoted_input),
    OtherNotation(
        "Log[2, x]", rf"{_STARTS}Log\s*+\[([^][,]++),([^][,]++)\]", lambda p: f"log({p.match[2]},{p.match[1]})"
    ),
    OtherNotation("x.^2", r"(?<=[\w)\]])\.(?=[*/^])", lambda _: "", "the point of .*, ./ and .^ is left out"),
    OtherNotation("%e^x", r"%(e|pi|i|phi|gamma)(?!\w)", _constant, ""),
    OtherNotation("=A1^2", r"\A\s*+=(?![=>])", lambda _: "", ""),
    OtherNotation("POWER(x;3)", ";", _separator, "; is read as , between arguments"),
    OtherNotation("PI()*x", r"(?<![\w\\])(?:PI|Pi|pi)\(\s*+\)", lambda _: "pi", ""),
    OtherNotation("PI*r^2", r"(?<![\w\\])P[iI](?![\w(])", lambda p: None if p.is_variable else "pi"),
    OtherNotation("np.exp(x)", rf"{_STARTS}(?:(?:{_MODULES})(?:\.|::))++(?=[a-zA-Z])", lambda _: "", ""),
    *(
        OtherNotation(f"{row.name}(x)", f"{_STARTS}(?:{row.informal}){_OPENED}", _other_name(row))
        for row in ROWS.values()
        if row.informal
    ),
    OtherNotation("ε(x + 1)", r"(?<![^\W\d])[α-ωϵϑϱ](?=\s*+\()", _greek_factor, "{sign}(…) is read as a product"),
    OtherNotation("SIN(x)", rf"(?<![\w\\])[A-Z][a-zA-Z0-9]++{_APPLIED}", _in_capitals),
    OtherNotation("x mod 3", r"(?<=[\w)\]])\s*+(?:(?<= )mod(?= )|%%)\s*+(?=[\w(])", lambda _: "%"),
    OtherNotation(
        "2 times x squared",
        rf"(?<=[\w)\]]) ++(?:(?:al|au|im|zum)\s++)?({_any_of(_SPOKEN)})(?!\w)",
        lambda p: _meaning(_SPOKEN, p.match[1]),
    ),
    OtherNotation(
        "square root of x",
        r"(?<!\w)(?:(?:square root|sqrt|root) of|[Ww]urzel [av]\w\w|(?:racine|ra[ií]z) (?:carrée |cuadrada )?de)(?= )",
        lambda _: "sqrt",
    ),
    OtherNotation(
        "raíz(x)",
        rf"{_STARTS}({_any_of(_TRANSLATIONS)})(?:{_APPLIED})",
        lambda p: None if p.is_variable else _meaning(_TRANSLATIONS, p.match[1]),
    ),
    OtherNotation(
        "sin(30 deg)",
        r"(?<=[0-9)])\s*+(?:degs?|degrees?|Grad|grados|degrés?)(?!\w)",
        lambda p: None if p.is_variable else "°",
    ),
    OtherNotation(
        "x + 2 rad",
        r"(?<=[0-9)])\s*+(?:rad|radians?)(?!\w)",
        lambda p: None if p.is_variable else "",
        "{sign} is left out",
    ),
    OtherNotation("³√x", r"(?<![\w)\]])([²³⁴-⁹])\s*+√\s*+([^\W_]++|\([^()]*+\))", _root),
    OtherNotation(
        "Rational(1, 2)",
        rf"{_STARTS}(?:Rational|Fraction)\({_ARGUMENT},{_ARGUMENT}\)",
        lambda p: f"({p.match[1]}/{p.match[2]})",
    ),
    OtherNotation(
        "besselJ(x, 0)",
        rf"{_STARTS}bessel([JY])\({_ARGUMENT},{_ARGUMENT}\)",
        lambda p: f"bessel{p.match[1].lower()}({p.match[3]},{p.match[2]})",
    ),
    OtherNotation(
        "(ln 3)3^t",
        r"(?<=[)\]}])(?=\s*+[0-9]++(?:\.[0-9]*+)?(?:\s*+\^|\())",
        lambda _: "*",
        "{before}{after} is read as {before}*{after}",
    ),
    OtherNotation(
        "5e(t + 1)",
        r"(?<=[0-9])e(?=\s*+[()])",
        lambda p: None if "e" in p.known else "*e",
        "{before}e is read as {before}*e",
    ),
    OtherNotation("4xy", _NAME.pattern, _product),
)


LETTERS = (OtherNotation("mgh", _NAME.pattern, _letters),)


def places_in(
    text: str, known: Collection[str], notations: Sequence[OtherNotation] = NOTATIONS
) -> tuple[list[Foreign], list[Reading]]:
    """Return (places in other notations from left to right, notes on them in the order in which they were found).

    Each place has the tokens that it means in the language. `known` are names that have a value. Notations are tried in
    the order of the table, at most _MOST (200) matches each; a match that overlaps a place of an earlier notation or
    match, or whose meaning is None, is skipped. Notes with equal text are given once, notations with an empty note give
    none; the notes may contain the operands before and after the sign.
    """
    taken: list[Foreign] = []
    notes: list[Reading] = []
    for notation in notations:
        for match in islice(re.finditer(notation.sign, text), _MOST):
            start, end = match.span()
            if any(place.start < end and start < place.end for place in taken):
                continue
            meaning = notation.meaning(WrittenSign(text, match, known))
            if meaning is None:
                continue
            taken.append(Foreign(start, end, tuple(pieces_of_text(meaning))))
            before, after = re.search(r"[^\s(+*/^=-]*\s*\Z", text[:start]), re.match(r"\s*[\w.^]*", text[end:])
            note = notation.note.format(
                sign=match.group().strip(), meaning=meaning.replace(" ", "*"),
                before=before.group() if before else "", after=after.group() if after else "",
            )  # fmt: skip
            if note and all(note != earlier.text for earlier in notes):
                notes.append(Reading(note, (start, max(end, start + 1)), topic="notation"))
    return sorted(taken), notes
