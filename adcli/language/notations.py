"""Notations of other programs and of handbooks that have one meaning, those of `grammar/notations.txt`: `%e^x`
(Maxima), `Sin[x]` (Mathematica), `=POWER(A1;3)` (spreadsheets), `np.exp(x)`, `σ(x)`, `N(d1)`. A place is a sign of one
of them in the text.

Each place becomes tokens of the language, so that messages keep their places in the user's text. They are tried only on
a text that cannot be read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice

from ..errors import Source, Span, SyntaxProblem
from ..grammar_files import read_tables
from ..graph.graph import CONSTANTS
from ..patterns import compile_pattern
from ..records import NamedTuple
from ..table.functions import ROWS, lookup
from .advice import advise_on_arrays, entry_for, holds, look_up_fact
from .ambiguous_names import UnknownName
from .brackets import closing, opened_before, parts, skip_blanks
from .name_parts import AGGREGATES, assigned_names, is_greek, letters_of, logarithm_base
from .spelling import LOGIC_WORDS, Reading
from .tokens import Foreign, pieces_of_text

_MOST = 200  # places of one notation in a text
_NAME = compile_pattern(r"(?<![^\W\d²³¹⁰-⁹¼-¾⅐-⅞]|[\\.])[^\W\d²³¹⁰-⁹¼-¾⅐-⅞][^\W²³¹⁰-⁹]++(?!['.])")
# Parts of the signs in grammar/notations.txt that are not in its table `parts`.
_INFORMAL = "|".join(row.informal for row in ROWS.values() if row.informal)
_UNARY = "|".join(name for row in ROWS.values() if row.arity == 1 for name in (row.name, *row.aliases))
_PARTS = {"INFORMAL": _INFORMAL, "NAME": _NAME.pattern, "FUNCTION": _UNARY}
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_LETTER = {"Φ": "Phi", "φ": "phi", "ϕ": "phi", "σ": "sigma", "𝜎": "sigma"}


class WrittenSign(NamedTuple):
    """A place where a notation was recognised: the text, the match of its sign, and the names that have a value.

    Its other members are the facts that entries of grammar/notations.txt use.
    """

    text: str
    match: re.Match[str]
    known: Collection[str]

    def __getattr__(self, name: str) -> object:
        """Return a fact of the table `_FACTS`; raise AttributeError for another name."""
        return look_up_fact(self, name, _FACTS)

    @property
    def name(self) -> str:
        """The sign as a name: without a backslash or %, a Greek letter spelled out."""
        name = self.match.group().strip().lstrip("\\%")
        return _LETTER.get(name, name)

    @property
    def before(self) -> str:
        """The text before the sign, without blanks at its end."""
        return self.text[: self.match.start()].rstrip()

    @property
    def is_in_spreadsheet(self) -> bool:
        """Return whether the text starts with =, as the formula of a cell."""
        return self.text.lstrip().startswith("=")

    @property
    def is_percentage(self) -> bool:
        """Return whether a number with % is surely divided by 100, although `100+3%` is 103 on pocket calculators.

        True in spreadsheets (the text starts with =), if * or / is before it or follows, if it is the whole text, and
        in `(1+5%)` or `(1-5%)`.
        """
        before, after = self.before, self.text[self.match.end() :].lstrip()
        is_alone = not before + after or (before.endswith(("(1+", "(1-", "(1 +", "(1 -")) and after.startswith(")"))
        return self.is_in_spreadsheet or after.startswith(("*", "/")) or before.endswith(("*", "/")) or is_alone

    @property
    def ends_expression(self) -> bool:
        """Return whether the statement before the sign is an expression, so that the sign can be left out.

        The statement begins after the last semicolon or line break. False if an operator, an opening bracket or nothing
        is before the sign, if the statement is only a name or a call without inner brackets, also of numbers (`f(x) =`,
        `sin(2) =`), or if it has a prime (`f'(x) = ?`).
        """
        statement = self.before.replace("\n", ";").rpartition(";")[2].strip()
        is_whole = statement[-1:].isalnum() or statement[-1:] in tuple(")]}!'")
        name, _, inside = statement.partition("(")
        is_name = name.strip().isidentifier() and inside.find(")") == len(inside) - 1
        return is_whole and "'" not in statement and not is_name

    @property
    def arguments(self) -> int:
        """Return the number of arguments in the round or square bracket that follows the sign, after blanks.

        Commas and semicolons separate them. 0 for an empty bracket; 1 if no bracket follows or it is not closed.
        """
        start = skip_blanks(self.text, self.match.end(), len(self.text))
        close = closing(self.text, start, len(self.text)) if self.text[start : start + 1] in ("(", "[") else None
        if close is None:
            return 1
        inside = self.text[start + 1 : close - 1]
        return len(parts(inside.replace(";", ","))) if inside.strip() else 0


@lru_cache(maxsize=1)
def _has_argument_semicolon(text: str) -> bool:
    """Return whether the innermost bracket around one of the first 200 semicolons is a round one."""
    places = islice((place for place, sign in enumerate(text) if sign == ";"), _MOST)
    return any(opened_before(text, place)[-1:] == "(" for place in places)


# Facts about a sign that only entries of grammar/notations.txt use, by their names there. In match[1], the first group,
# is the name of an array or its letters; the last group has the names that are listed.
_FACTS: Mapping[str, Callable[[WrittenSign], object]] = {
    "is_variable": lambda it: not {it.name, it.match.group()}.isdisjoint({*it.known, *assigned_names(it.text)}),
    "is_in_list": lambda it: opened_before(it.text, it.match.start())[-1:] == "[",
    "are_numbers": lambda it: set(it.match.groups()[-1].split()) <= {*it.known},
    "is_array": lambda it: not {f"{it.match[1]}[1]", f"{it.match[1]}[1,1]"}.isdisjoint(it.known),  # with values
    "has_arrays": lambda it: any("[" in name for name in it.known),
    "has_open_capital": lambda it: any(letter.isupper() and letter not in it.known for letter in it.match[1]),
    "is_with_semicolons": lambda it: _has_argument_semicolon(it.text),  # between arguments, anywhere in the text
    "is_in_brackets": lambda it: it.before.count("(") > it.before.count(")"),
}


class OtherNotation(NamedTuple):
    """An entry of grammar/notations.txt, each field as the file has it: a way of writing something, and its meaning."""

    example: str
    sign: str
    means: str = ""
    by: str = ""
    when: str = ""
    words: str = ""
    note: str = ""
    title: str = ""
    label: str = ""
    help: str = ""

    def pattern(self) -> str:
        """Return the regular expression of the sign, as text.

        The names of parts in braces are replaced by the parts, {OF_CELLS} by the words of all entries of the table
        `cells`, {WORDS} by the entry's own words: alternatives joined by |, without a group. In {WORDS} a full stop
        means blanks. Other braces stay, nothing is escaped.
        """
        sign = self.sign
        parts_by_name = {entry.example: entry.sign for entry in _tables()["parts"]} | _PARTS
        parts_by_name["OF_CELLS"] = "|".join(name for entry in _tables()["cells"] for name in entry.words.split())
        for name, part in parts_by_name.items():
            sign = sign.replace(f"{{{name}}}", part)
        return sign.replace("{WORDS}", "|".join(self.words.split()).replace(".", r"\s++"))

    def meaning(self, place: WrittenSign) -> str | None:
        """Return the text that the sign means, "" for nothing; None if the notation does not apply at the place."""
        if not holds(self.when, place):
            return None
        return _FUNCTIONS[self.by](place) if self.by else place.match.expand(self.means).replace("<>", "!=")


def _find_quoted_input(place: WrittenSign) -> str | None:
    """Return the input that a column in quotation marks is for, with underscores for blanks and signs; None if there is
    no such input.
    """
    plain = "".join(each if each.isalnum() or each == "_" else " " for each in place.match.group()[1:-1])
    name = "_".join(plain.split()).strip("_")
    return name if name in place.known else None


def _read_capitals(place: WrittenSign) -> str | None:
    r"""Return the function of the language that a name with capitals means (`SIN`, `Sin`): its lower-case name.

    The name is group 1 of the match of `place`, if it has one (`\operatorname{ReLU}`), and the whole match if not. None
    if it has a meaning as written, if it is not a function in lower case, or does not take the number of arguments that
    follow. Logarithms: LOG with two arguments is log, in a spreadsheet with one argument log10; other logarithms need
    exactly one argument. None for ATAN2 in a spreadsheet, where x is the first argument.
    """
    name = place.match[place.match.lastindex or 0]
    if lookup(name) is not None:
        return None
    lower = name.lower()
    if place.is_in_spreadsheet and lower in ("log", "atan2"):
        return {("log", 1): "log10", ("log", 2): "log"}.get((lower, place.arguments))
    if lower == "log" and place.arguments != 1:
        return "log" if (name, place.arguments) == ("LOG", 2) else None
    row = lookup(lower)
    return lower if row is not None and (row.arity is None or row.accepts(place.arguments)) else None


def _list_cells(part: str) -> list[str]:
    """Return the cells of the range `part`: `A1:A3` gives A1, A2, A3; a single cell or number gives itself.

    [] for a range over several columns, from bottom to top, or of more than 100 cells.
    """
    first, _, last = part.strip().partition(":")
    column, other = first.rstrip("0123456789"), last.rstrip("0123456789")
    low, high = int(first[len(column) :] or 0), int(last[len(other) :] or 0)
    cells = [f"{column}{row}" for row in range(low, min(high, low + 100) + 1)]
    return (cells if column == other and len(cells) <= 100 else []) if last else [first]


def _read_function_of_cells(place: WrittenSign) -> str | None:
    """Return the formula that a function of the table `cells` means; arguments are separated by `,` or `;`, $ is
    dropped.

    `SUM(A1:A3, 2)` is `(A1+A2+A3+2)`, AVERAGE this divided by 4, PRODUCT `(A1*A2*A3*2)`, SUMSQ `(A1^2+…+2^2)`, MAX
    `max(A1,A2,A3,2)` and MIN likewise, `SUMPRODUCT(A1:A2, B1:B2)` `(A1*B1+A2*B2)`. The name may be one of the words of
    the table's entry (SUMME). None for a range over several columns, from bottom to top or of more than 100 cells, and
    if the ranges of SUMPRODUCT differ in length.
    """
    entry = next(entry for entry in _tables()["cells"] if place.match[1] in entry.words.split())
    ranges = [*map(_list_cells, place.match[2].replace("$", "").replace(";", ",").split(","))]
    is_products = entry.example == "SUMPRODUCT"
    if not all(ranges) or (is_products and len({*map(len, ranges)}) > 1):
        return None
    terms = [*map("*".join, zip(*ranges, strict=True))] if is_products else [*chain.from_iterable(ranges)]
    formula = f"({entry.sign.join(terms)}{'^2' * (entry.example == 'SUMSQ')})"
    formula += f"/{len(terms)}" * (entry.example == "AVERAGE")
    return entry.example.lower() * (entry.sign == ",") + formula


def _read_cases(place: WrittenSign) -> str | None:
    """Return SymPy's cases `((x^2, x > 0), (-x, True))`, group 1 of the match, as `if(x > 0, x^2, -x)`.

    Group 2, if there is one, is the formula for all other values; then no case needs the condition True. None if a case
    is not a formula and a condition, or if without group 2 the last condition is not True (or true).
    """
    cases = [parts(case.strip()[1:-1]) for case in parts(place.match[1][1:-1])]
    cases += [[other, "True"] for other in place.match.groups()[1:] if other]
    if any(len(case) != 2 for case in cases) or cases[-1][1].strip() not in ("True", "true"):
        return None
    formula = cases.pop()[0].strip()
    for other, condition in reversed(cases):
        formula = f"if({condition.strip()},{other.strip()},{formula})"
    return formula


def _read_minus_before_power(place: WrittenSign) -> str | None:
    """Return what the minus sign of a spreadsheet's cell means, in which -A1^2 is the square of -A1.

    Before a name (group 1 of the match): `(-A1)`. Before brackets with an even whole number as the power behind them:
    "", so that it is left out; with another power, also a name or 2.5: the sign itself. None before brackets without a
    power, or that are not closed.
    """
    if place.match[1]:
        return f"(-{place.match[1]})"
    close = closing(place.text, place.match.end(), len(place.text))
    before, power, exponent = place.text[close:].partition("^") if close is not None else ("", "", "")
    if not power or before.strip():
        return None
    rest = exponent.lstrip(" 0123456789")
    digits = exponent[: len(exponent) - len(rest)].strip()
    return "" if digits[-1:] in tuple("02468") and rest[:1] != "." else "-"


def _read_greek_factor(place: WrittenSign) -> str | None:
    """Return a Greek letter and `*` before a bracket, as in `ε(x + 1)`.

    None for a function, and if the bracket is empty, not closed, or contains a single name.
    """
    close = closing(place.text, place.match.end(), len(place.text))
    inside = place.text[place.match.end() + 1 : close - 1] if close else ""
    is_function = lookup(place.match.group()) is not None or lookup(place.name) is not None
    return None if is_function or inside.strip().isidentifier() or not inside else f"{place.match.group()}*"


def _read_informal_name(place: WrittenSign) -> str | None:
    """Return the function of which the sign is another name; None if it does not take that number of arguments."""
    sign = place.match.group()
    row = next(row for row in ROWS.values() if row.informal and re.fullmatch(row.informal, sign))
    return row.name if row.accepts(place.arguments) else None


@lru_cache(maxsize=1)
def _find_names(text: str) -> frozenset[str]:
    """Return all names and single letters of a text, which is looked at once for all its names."""
    return frozenset([*_NAME.findall(text), *re.findall(r"(?<!\w)[^\W\d](?!\w)", text)])


def _read_product(place: WrittenSign) -> str | None:
    """Return the letters of a name as factors joined by blanks, `x y` for `xy`, if the advice table `names` says so.

    None if the entry of the table for the name is not advice to write a product, if a piece is a function, if the name
    has a meaning as a whole (`_may_be_product`), and behind a slash or caret, where the extent of the operand is
    unclear. The advice itself is not raised.
    """
    name, (start, end) = place.match.group().translate(_SUBSCRIPTS), place.match.span()
    if place.text[:start].rstrip()[-1:] in ("/", "^") or not _may_be_product(name, place):
        return None
    others = _find_names(place.text)
    it = UnknownName(name, Span(start, end, Source(place.text)), {*place.known, *others}, others, place.known)
    entry = entry_for("names", it)
    is_product = entry.title and entry.help == "write {it.alternatives}" and it.function is None
    return " ".join(piece.text for piece in it.pieces) if is_product else None


def _read_letters(place: WrittenSign) -> str | None:
    """Return the letters of a name, each with its index, joined by blanks (`x y1`), in brackets behind a slash.

    None if the name has a meaning as a whole (`_may_be_product`: a value, a definition, a function, a constant, a Greek
    letter, a logical word), is a single letter, or has other characters.
    """
    name = place.match.group()
    letters = " ".join(letters_of(name)) if _may_be_product(name, place) else ""
    is_divisor = place.text[: place.match.start()].rstrip().endswith("/")
    return f"({letters})" if letters and is_divisor else letters or None


def _may_be_product(name: str, place: WrittenSign) -> bool:
    """Return whether a name has no meaning as a whole, so that it may be a product of letters.

    False for a name with a value or a definition in the text, and for a function, constant, Greek letter, logarithm
    with a base, logical word or sum. False also for the exponent of a number (`1e5x`).
    """
    if name in place.known or name in CONSTANTS or name in AGGREGATES or is_greek(name) or lookup(name) is not None:
        return False
    is_behind_digit = place.text[: place.match.start()][-1:].isdecimal()
    if is_behind_digit and name[0] in "eE" and name[1:2].isdecimal():  # of a number, as in 1e5x
        return False
    return logarithm_base(name) is None and name not in LOGIC_WORDS and name not in assigned_names(place.text)


# What the entries of grammar/notations.txt name in `by`.
_FUNCTIONS: Mapping[str, Callable[[WrittenSign], str | None]] = {
    "in_lower_case": lambda place: place.match[1].lower(),
    "function_of_cells": _read_function_of_cells,
    "rows": lambda place: f"[{'; '.join(row.strip()[1:-1] for row in parts(place.match.groups()[-1]))}]",
    "with_commas": lambda place: f"[{', '.join(place.match.groups()[-1].split())}]",
    "cases": _read_cases,
    "minus_before_power": _read_minus_before_power,
    "quoted_input": _find_quoted_input,
    "informal_name": _read_informal_name,
    "greek_factor": _read_greek_factor,
    "in_capitals": _read_capitals,
    "root": lambda place: f"root({place.match[2]},{unicodedata.normalize('NFKC', place.match[1])})",
    "product": _read_product,
    "letters": _read_letters,
}
_tables = lru_cache(maxsize=1)(lambda: read_tables("notations.txt", OtherNotation))
_compiled = lru_cache(maxsize=None)(lambda notation: compile_pattern(notation.pattern()))


def refuse_written(source: Source, known: Collection[str], table: str) -> None:
    r"""Raise the SyntaxProblem of the first entry of a table of grammar/notations.txt whose sign is in the text, at a
    place where the condition `when` of the entry holds.

    `table` is "lists", "norms", "ambiguous" or "cures" for programs, "points" for points; `known` are names that have a
    value. At most 200 places of each sign are looked at. The texts of the error are those of the entry, in which groups
    of the sign are filled in (`\1`); in its help {whole} is the whole text with all cures of the table, {arrays} advice
    on arrays. Its place is the group `here`, or the whole sign without this group. Returns if no such sign is found.
    """
    for notation in _tables()[table]:
        for match in islice(_compiled(notation).finditer(source.text), _MOST):
            if holds(notation.when, WrittenSign(source.text, match, known)):
                title, label, advice = map(match.expand, (notation.title, notation.label, notation.help))
                if "{whole}" in advice:
                    advice = advice.replace("{whole}", _write_cured(source.text, known, table))
                advice = advice.replace("{arrays}", advise_on_arrays(source.text))
                span = match.span("here" if "here" in match.groupdict() else 0)
                raise SyntaxProblem(title, Span(*span, source), label, help=" ".join(advice.split()))


def _write_cured(text: str, known: Collection[str], table: str) -> str:
    """Return `text` with all signs of some notations of `table` replaced by their meaning; `known` are names with a
    value.

    They are the notations whose help contains `{whole}`, the whole corrected text; their `when` is not looked at. A
    sign whose meaning is None stays; of each notation at most 200 signs are replaced.
    """
    for notation in _tables()[table]:
        if "{whole}" in notation.help:
            signs = [*islice(_compiled(notation).finditer(text), _MOST)]
            meanings = [notation.meaning(WrittenSign(text, match, known)) for match in signs]
            for match, meaning in zip(reversed(signs), reversed(meanings), strict=True):
                text = text if meaning is None else text[: match.start()] + meaning + text[match.end() :]
    return text


def places_in(
    text: str, known: Collection[str], tables: Sequence[str] = ("notations",)
) -> tuple[list[Foreign], list[Reading]]:
    """Return (places in other notations from left to right, notes on them in the order of detection).

    Each place has the tokens that it means in the language. `known` are names that have a value. The notations of
    `tables` in grammar/notations.txt are tried in their order, at most 200 matches each. A match is skipped if it
    overlaps an earlier place or its meaning is None. A meaning "" gives a blank. Equal notes are given once, and may
    contain the operands before and after the sign.
    """
    taken: list[Foreign] = []
    notes: list[Reading] = []
    for notation in chain.from_iterable(_tables()[table] for table in tables):
        for match in islice(_compiled(notation).finditer(text), _MOST):
            start, end = match.span()
            if any(place.start < end and start < place.end for place in taken):
                continue
            meaning = notation.meaning(WrittenSign(text, match, known))
            if meaning is None:
                continue
            taken.append(Foreign(start, end, tuple(pieces_of_text(meaning))))
            before, after = re.search(r"[^\s(+*/^=-]*\s*\Z", text[:start]), re.match(r"\s*[\w.^]*", text[end:])
            note = notation.note.format(
                sign=match.group().strip(),
                meaning="*".join(meaning.split()) if meaning.replace(" ", "").isidentifier() else meaning,
                before=before.group() if before else "", after=after.group() if after else "",
            )  # fmt: skip
            if note and all(note != earlier.text for earlier in notes):
                notes.append(Reading(note, (start, max(end, start + 1)), topic="notation"))
    return sorted(taken), notes
