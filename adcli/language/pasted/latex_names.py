"""LaTeX names and numbers: letters next to each other, subscripts, primes, digits in groups. To spell a stretch of the
text is to append its spelling in the language to `pieces`, each piece with its place in the text, or (result -1) to
push its parts on the stack `pending`, to be spelled next.
"""

from __future__ import annotations

from collections.abc import Collection

from ...graph.graph import CONSTANTS
from ...patterns import IDENTIFIER, compile_pattern
from ...records import NamedTuple
from ...table.primitive import lookup
from ..spelling import BAD_SUBSCRIPT, LOGIC_WORDS, Reading, Unspellable
from .latex_commands import LETTERS
from .latex_text import LatexText, Stretch

_SUBSCRIPT_WORD = compile_pattern(r"[^\W\d_]|[0-9]++|\\[a-zA-Z]++")
_WORD = compile_pattern(r"\w+")
_PLAIN_WORDS = compile_pattern(r"\w++(?:\ *,?\ *\w++)*+\Z")
NAME_MARKUP = compile_pattern(r"\\(?:text|mathrm|textrm|rm|mathit|operatorname)\b|\\[,;:! ]|\\(?=[a-zA-Z])|[{}]")
_ASSIGNED = compile_pattern(r"([a-zA-Z]{2,})\s*+:?=(?!=)")
_THOUSANDS = compile_pattern(r"(?:\\[,;: ]|\{,\}|\\thinspace(?![a-zA-Z]))[0-9]{3}(?![0-9])")
_DECIMAL = compile_pattern(r"\{,\}([0-9]++)")
TAIL = compile_pattern(r"[0-9]*+(?!\.?[0-9])")
_PRIMES = compile_pattern(r"\^\s*+(?:\{\s*+)?((?:\\prime\s*+|')++)\}?")
_FEW = 3  # letters side by side that are a product, where more may be a word


class Spelt(NamedTuple):
    """A piece of the new text, and the place in the old text that it represents."""

    text: str
    start: int
    end: int


class NameSpeller(LatexText):
    """A speller of the names and numbers of a text.

    `pieces` are spelled; `pending` is a stack of pieces and stretches still to be processed, the next one on top.
    `exponent` is the index of the piece that is an exponent of one letter; -1 if there is none.
    """

    def __init__(self, text: str, known: Collection[str], split: bool) -> None:
        """Take the LaTeX `text`; nothing is spelled yet.

        `known` are names that stay whole, to which those that the text assigns (`ab = …`) are added; with `split` other
        letters next to each other are a product. `$` signs are blanks (`dollars`) if their number is even.
        """
        super().__init__(text)
        self.dollars = text.count("$") % 2 == 0
        self.known = {*known, *_ASSIGNED.findall(text)}
        self.splits = split
        self.pieces: list[Spelt] = []
        self.readings: list[Reading] = []
        self.variables: set[str] = set()
        self.pending: list[Spelt | Stretch] = []
        self.exponent = -1  # which piece is an exponent of one letter

    def put(self, text: str, start: int, end: int) -> None:
        self.pieces.append(Spelt(text, start, end))

    def push(self, *items: Spelt | Stretch) -> int:
        """Push items on the stack so that the first comes next, without empty stretches; return -1, which ends the
        current range."""
        self.pending += reversed([item for item in items if isinstance(item, Spelt) or item.start < item.end])
        return -1

    # --- names and numbers -------------------------------------------------------------------------------------------

    def spell_number(self, start: int, place: int, end: int) -> int:
        r"""Spell the number in `text[start:place]` with the groups of thousands (`1\,000`, `1{,}000`) or decimals
        (`1{,}5`) that follow it, and return the next place.

        Nothing at or behind `end` is read. A multiplication sign goes in front if a factor ends there (a closing brace
        or a one-letter exponent). Raises Unspellable for one group `{,}` of three digits behind fewer than four, which
        can be either.
        """
        number = self.text[start:place]
        while (match := _THOUSANDS.match(self.text, place, end)) and number.isdecimal():
            if self.text[place] == "{" and not _THOUSANDS.match(self.text, match.end(), end) and len(number) < 4:
                title = "{,} may separate thousands or decimals"
                raise Unspellable(start, match.end(), title, "three digits follow", "write 1000 or 1.000")
            number, place = number + match.group()[-3:], match.end()
        if match := _DECIMAL.match(self.text, place, end):
            number, place = f"{number}.{match[1]}", match.end()
        self.put("*" * self._ends_factor() + number, start, place)
        return place

    def _ends_factor(self) -> bool:
        """Return whether the last piece that is not blank is a closing brace or an exponent of one letter."""
        for last in range(len(self.pieces) - 1, -1, -1):
            text = self.pieces[last].text.strip()
            if text:
                return text == "}" or last == self.exponent
        return False

    def spell_letters(self, start: int, place: int, end: int) -> int:
        """Spell the letters in `text[start:place]`, of a text that ends at `end`; return the next place (-1: parts were
        pushed).

        Tried in this order: a known name with an underscore; a known name or function with the digits that follow; a
        function; one name (`is_single_name`). Else with `splits` a product: of two letters; of three, with a note; of
        more only if all are known. Four or more others stay one name, with a note. Digits and subscripts belong to the
        last letter. Raises Unspellable for a subscript in braces that is not words.
        """
        whole = self.known_name_at(start, end)
        if whole is not None:
            self.put(f" {whole} ", start, start + len(whole))
            return start + len(whole)
        run = self.text[start:place]
        digits = TAIL.match(self.text, place, end)
        tail = digits.group() if digits else ""
        if run + tail in self.known or self.is_function(run + tail):
            return self.spell_name(run + tail, start, place + len(tail), end)
        if self.is_function(run):
            return self.spell_name(run, start, place, end)
        if self.splits and not self.is_single_name(run):
            if len(run) <= _FEW or all(letter in self.known for letter in run):
                if len(run) == _FEW:
                    self.note(f"{run} is read as the product {'*'.join(run)}", start, place)
                for k in range(start, place - 1):
                    self.put(f" {self.text[k]} ", k, k + 1)
                start, run = place - 1, run[-1]
            else:
                self.note(f"{run} is read as one name; for a product write blanks between the letters", start, place)
        return self.spell_name(run + tail, start, place + len(tail), end)

    def known_name_at(self, start: int, end: int) -> str | None:
        """Return the known name with an underscore that starts at `start`; None if there is none."""
        match = IDENTIFIER.match(self.text, start, end)
        name = match.group() if match else ""
        return name if "_" in name and name in self.known else None

    def is_function(self, run: str) -> bool:
        """Return whether `run` is sum, prod or a function of the table whose result is a number."""
        row = lookup(run)
        return run in ("sum", "prod") or (row is not None and not row.truth)

    def is_single_name(self, run: str) -> bool:
        """Return whether a run of letters is a single name and no product.

        True for one letter, a name in `known`, a constant, the name of a Greek letter, and, or, not, and a function;
        also for a run of which a piece is a function's name (`sinx`), which is advised on later.
        """
        if len(run) == 1 or run in self.known or run in CONSTANTS or run in LETTERS or run in LOGIC_WORDS:
            return True
        if self.is_function(run):
            return True
        from ..name_parts import pieces_of

        return any(piece.function is not None for piece in pieces_of(run, self.known))

    def note(self, text: str, start: int, end: int) -> None:
        """Add a note about how names were read."""
        self.readings.append(Reading(text, (start, end), topic="names"))

    def spell_name(self, name: str, start: int, place: int, end: int) -> int:
        """Spell `name`, written from `start` to `place`, with the subscripts and primes that follow it before `end`,
        and return the next place.

        Primes go behind all subscripts; an underscore without a readable subscript ends the name. A subscript behind an
        exponent, as in `x^2_1`, is moved to the name: name, exponent and rest are then pushed, and the result is -1.
        Raises Unspellable for a subscript in braces that is not words.
        """
        primes = ""
        while place < end:
            here = self.skip(place, end)
            sign = self.text[here : here + 1]
            if sign == "'":
                primes, place = primes + "'", here + 1
            elif sign == "^" and (match := _PRIMES.match(self.text, here, end)):
                primes, place = primes + "'" * (match[1].count("'") + match[1].count("\\prime")), match.end()
            elif sign == "_":
                index_and_place = self.subscript(here, end)
                if index_and_place is None:
                    break
                index, place = index_and_place
                name = f"{name}_{index}"
            elif sign == "^" and (swapped := self.behind_exponent(here, end)):
                exponent, (index, after) = swapped
                return self.push(
                    Spelt(f" {name}_{index}{primes} ", start, place), Spelt("^{", here, here + 1), exponent,
                    Spelt("}", exponent.end, exponent.end + 1), Stretch(after, end),
                )  # fmt: skip
            else:
                break
        self.put(f" {name}{primes} ", start, place)
        return place

    def behind_exponent(self, place: int, end: int) -> tuple[Stretch, tuple[str, int]] | None:
        """Return (exponent, (subscript text, next place)) for the caret at `place` if a subscript follows its exponent,
        as in `x^2_1`; None if there is none before `end`, or it cannot be part of a name.

        Raises Unspellable for a missing exponent, and for a subscript in braces that is not words.
        """
        if self.skip(place + 1, end) >= end:
            return None
        exponent, after = self.argument(place + 1, end, "^")
        if self.text[after : after + 1] != "_":
            return None
        index_and_place = self.subscript(after, end)
        return None if index_and_place is None else (exponent, index_and_place)

    def subscript(self, place: int, end: int) -> tuple[str, int] | None:
        r"""Return (text, next place) of the subscript behind the underscore at `place` and before `end`, as a part of a
        name; words in a group are joined by underscores.

        It is a group of words and digits, a number, a letter, a command (without its backslash) or a `\text{…}`,
        \mathrm, \operatorname, \mathit, \textrm or \mathbf, of which the words count (`_` if it has none). None for
        anything else. Raises Unspellable for a group that contains other things.
        """
        here = self.skip(place + 1, end)
        if self.text[here : here + 1] == "{" and self.partners.get(here, end) < end:
            close = self.partners[here]
            words = NAME_MARKUP.sub(" ", self.text[here + 1 : close]).strip()
            if not _PLAIN_WORDS.match(words):
                raise Unspellable(place, close + 1, *BAD_SUBSCRIPT)
            return "_".join(_WORD.findall(words)), close + 1
        match = _SUBSCRIPT_WORD.match(self.text, here, end)
        if match is None:
            return None
        word = match.group()
        if word in ("\\text", "\\mathrm", "\\operatorname", "\\mathit", "\\textrm", "\\mathbf"):
            part, after = self.argument(match.end(), end, word)
            return "_".join(_WORD.findall(self.content(part))) or "_", after
        return word.lstrip("\\"), match.end()
