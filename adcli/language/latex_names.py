"""Names and numbers in LaTeX: letters side by side, subscripts, primes, digits in groups."""

from __future__ import annotations

import re
from collections.abc import Collection

from ..graph.graph import CONSTANTS
from ..records import NamedTuple
from ..table.primitive import lookup
from .latex_commands import LETTERS
from .latex_text import LatexText, Stretch
from .spelling import Reading

_SUBSCRIPT_WORD = re.compile(r"[^\W\d_]|[0-9]++|\\[a-zA-Z]++")
_PLAIN_WORDS = re.compile(r"\w++(?:\ *,?\ *\w++)*+\Z")
CLOTHES = re.compile(r"\\(?:text|mathrm|textrm|rm|mathit|operatorname)\b|\\[,;:! ]|\\(?=[a-zA-Z])|[{}]")
_ASSIGNED = re.compile(r"([a-zA-Z]{2,})\s*+:?=(?!=)")
_THOUSANDS = re.compile(r"(?:\\[,;: ]|\{,\}|\\thinspace(?![a-zA-Z]))[0-9]{3}(?![0-9])")
_DECIMAL = re.compile(r"\{,\}([0-9]++)")
TAIL = re.compile(r"[0-9]*+(?!\.?[0-9])")
_KNOWN = re.compile(r"[^\W\d]\w*")
_PRIMES = re.compile(r"\^\s*+(?:\{\s*+)?((?:\\prime\s*+|')++)\}?")
_FEW = 3  # letters side by side that are a product, where more may be a word


class Spelt(NamedTuple):
    """A piece of the new text, and the place in the old one that it stands for."""

    text: str
    start: int
    end: int


class NameSpeller(LatexText):
    """Spells the names and numbers of a text.

    `pieces` are what is spelled, `waiting` what is still to be done, its last entry next.
    """

    def __init__(self, text: str, known: Collection[str], split: bool) -> None:
        super().__init__(text)
        self.dollars = text.count("$") % 2 == 0
        self.known = {*known, *_ASSIGNED.findall(text)}
        self.splits = split
        self.pieces: list[Spelt] = []
        self.readings: list[Reading] = []
        self.variables: set[str] = set()
        self.waiting: list[Spelt | Stretch] = []
        self.exponent = -1  # which piece is an exponent of one letter

    def put(self, text: str, start: int, end: int) -> None:
        self.pieces.append(Spelt(text, start, end))

    def wait(self, *items: Spelt | Stretch) -> int:
        """These come next, in this order."""
        self.waiting += reversed([item for item in items if isinstance(item, Spelt) or item.start < item.end])
        return -1

    # --- names and numbers -------------------------------------------------------------------------------------------

    def number(self, start: int, place: int, end: int) -> int:
        """A number, with the digits that stand apart by thousands or behind a comma in braces."""
        number = self.text[start:place]
        while (match := _THOUSANDS.match(self.text, place, end)) and number.isdigit():
            if self.text[place] == "{" and not _THOUSANDS.match(self.text, match.end(), end) and len(number) < 4:
                title = "{,} may part thousands or decimals"
                raise self.refuse(start, match.end(), title, "three digits follow", "write 1000 or 1.000")
            number, place = number + match.group()[-3:], match.end()
        if match := _DECIMAL.match(self.text, place, end):
            number, place = f"{number}.{match[1]}", match.end()
        self.put("*" * self._ends_factor() + number, start, place)
        return place

    def _ends_factor(self) -> bool:
        """Whether a factor ends in front of this place that no digit can grow into: a group, or an exponent."""
        for last in range(len(self.pieces) - 1, -1, -1):
            text = self.pieces[last].text.strip()
            if text:
                return text == "}" or last == self.exponent
        return False

    def letters(self, start: int, place: int, end: int) -> int:
        """Letters side by side: a name that is known, or a product of letters; digits belong to the last one."""
        whole = self.whole(start, end)
        if whole is not None:
            self.put(f" {whole} ", start, start + len(whole))
            return start + len(whole)
        run = self.text[start:place]
        digits = TAIL.match(self.text, place, end)
        tail = digits.group() if digits else ""
        if run + tail in self.known or self.is_function(run + tail):
            return self.named(run + tail, start, place + len(tail), end)
        if self.is_function(run):
            return self.named(run, start, place, end)
        if self.splits and not self.is_one(run):
            if len(run) <= _FEW or all(letter in self.known for letter in run):
                if len(run) == _FEW:
                    self.tell(f"{run} is read as the product {'*'.join(run)}", start, place)
                for k in range(start, place - 1):
                    self.put(f" {self.text[k]} ", k, k + 1)
                start, run = place - 1, run[-1]
            else:
                self.tell(f"{run} is read as one name; a product of letters has blanks between them", start, place)
        return self.named(run + tail, start, place + len(tail), end)

    def whole(self, start: int, end: int) -> str | None:
        """The longest known name with an underscore that stands at a place."""
        match = _KNOWN.match(self.text, start, end)
        found = match.group() if match else ""
        return found if "_" in found and found in self.known else None

    def is_function(self, run: str) -> bool:
        row = lookup(run)
        return run in ("sum", "prod") or (row is not None and not row.truth)

    def is_one(self, run: str) -> bool:
        """Whether letters side by side are one name, or have to be told of as one."""
        if len(run) == 1 or run in self.known or run in CONSTANTS or run in LETTERS or run in ("and", "or", "not"):
            return True
        if self.is_function(run):
            return True
        from .name_parts import pieces_of

        return any(piece.function is not None for piece in pieces_of(run, self.known))

    def tell(self, text: str, start: int, end: int) -> None:
        self.readings.append(Reading(text, (start, end), topic="names"))

    def named(self, name: str, start: int, place: int, end: int) -> int:
        """A name with the subscripts and primes that follow it."""
        primes = ""
        while place < end:
            here = self.skip(place, end)
            sign = self.text[here : here + 1]
            if sign == "'":
                primes, place = primes + "'", here + 1
            elif sign == "^" and (match := _PRIMES.match(self.text, here, end)):
                primes, place = primes + "'" * (match[1].count("'") + match[1].count("\\prime")), match.end()
            elif sign == "_":
                found = self.subscript(here, end)
                if found is None:
                    break
                index, place = found
                name = f"{name}_{index}"
            elif sign == "^" and (swapped := self.behind_exponent(here, end)):
                exponent, (index, after) = swapped
                return self.wait(
                    Spelt(f" {name}_{index}{primes} ", start, place), Spelt("^{", here, here + 1), exponent,
                    Spelt("}", exponent.end, exponent.end + 1), Stretch(after, end),
                )  # fmt: skip
            else:
                break
        self.put(f" {name}{primes} ", start, place)
        return place

    def behind_exponent(self, place: int, end: int) -> tuple[Stretch, tuple[str, int]] | None:
        """The exponent at a place and the subscript behind it, as in `x^2_1`; None where there is none."""
        if self.skip(place + 1, end) >= end:
            return None
        exponent, after = self.argument(place + 1, end, "^")
        if self.text[after : after + 1] != "_":
            return None
        found = self.subscript(after, end)
        return None if found is None else (exponent, found)

    def subscript(self, place: int, end: int) -> tuple[str, int] | None:
        """The subscript behind an underscore as a part of a name, and where the text goes on; None where it is none."""
        here = self.skip(place + 1, end)
        if self.text[here : here + 1] == "{" and self.partners.get(here, end) < end:
            close = self.partners[here]
            words = CLOTHES.sub(" ", self.text[here + 1 : close]).strip()
            if not _PLAIN_WORDS.match(words):
                title = "this subscript cannot be part of a name"
                raise self.refuse(
                    place,
                    close + 1,
                    title,
                    "a subscript is letters and digits",
                    "write a plain one, as in x_next or x_{12}",
                )
            return "_".join(re.findall(r"\w+", words)), close + 1
        match = _SUBSCRIPT_WORD.match(self.text, here, end)
        if match is None:
            return None
        found = match.group()
        if found in ("\\text", "\\mathrm", "\\operatorname", "\\mathit", "\\textrm", "\\mathbf"):
            part, after = self.argument(match.end(), end, found)
            return "_".join(re.findall(r"\w+", self.content(part))) or "_", after
        return found.lstrip("\\"), match.end()
