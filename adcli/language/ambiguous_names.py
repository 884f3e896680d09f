"""Ambiguous names: `sinx`, `xy`, `xe^x`, `PI` may be meant as something else than one variable. The pieces of a name
are the functions, numbers and letters of which it may consist.

A name without a value gets advice if it begins or ends with a function's name or consists of names that the expression
has: an error where one reading is clearly meant, a note where it may be a name of its own. `UnknownName` has the facts
that the tables `names` and `calls` of `grammar/advice.txt` use.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from functools import cached_property

from ..errors import NameProblem, Span
from ..patterns import IDENTIFIER, compile_pattern
from ..table.primitive import lookup
from ..table.suggest import near_function
from ..typings import NoReturn
from .advice import advise, advise_on_arrays, look_up_fact, synonyms
from .name_parts import CLEAR, GREEK, USUAL, NamePart, functions, is_greek, letters_of, pieces_of, product_text
from .spelling import Reading

_NUMBERED_LETTER = compile_pattern(rf"(?:[^\W\d_]|{'|'.join(GREEK)})_?[0-9]*\Z", re.IGNORECASE)
_DIFFERENCES = frozenset("Δδ∂∇")  # a name may begin so
# Words that begin with a function's name and are nothing else.
_WORDS = frozenset({"signal", "login", "logic", "logos", "logo", "cosmo", "tango", "since", "sinus", "expo", "basin"})
_DIFFERENTIALS = compile_pattern(r"(?:d[^\W\d_](?:_?[0-9]+)?)+\Z")
# Letters of other scripts that look like Latin ones.
_LATIN = str.maketrans(
    "абсеһіјӏорѕхуԁԛԝАВСЕНІЈКМОРЅТХУΑΒΕΖΗΙΚΜΝΟΡΤΥΧοıⅈⅉⅆℓ", "a6cehijlopsxydqwABCEHIJKMOPSTXYABEZHIKMNOPTYXoiijdl"
)
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_WHOLE = compile_pattern(r"(?<![\w.^])[0-9]++\Z")
# Units that are not usual names of variables; single letters such as m and s are.
_ANGLES = " deg degs degree degrees rad radian radians Grad grados degré degrés "
UNITS = (
    f"{_ANGLES}km cm mm nm µm kg mg ms µs ns min Hz kHz MHz GHz Nm kN kW MW mW kWh Pa kPa MPa hPa mbar mA kV mV mol "
    "Ohm ohm kΩ MΩ EUR USD Euro euros sec hours miles inch feet meters metres Meter Sekunden kmh mph "
)
_COEFFICIENTS, _VARIABLES = "abckmnABCK", "xyzt"
_FEW = 3  # pieces that may have been run together although they do not occur elsewhere


class UnknownName:
    """A name at a place of a program, and what it may consist of.

    A piece is a part of the name: a function, a number or a letter (`NamePart`). Other attributes and properties are
    facts by which entries of the tables `names` and `calls` of grammar/advice.txt apply, or texts that these quote.
    """

    def __init__(
        self,
        name: str,
        span: Span,
        sure: Collection[str],
        inputs: Collection[str] = (),
        values: Collection[str] = (),
        arguments: int = 1,
    ) -> None:
        """Store the name and compute the facts about it that entries of the advice tables use.

        `sure` are the other names that are variables, `inputs` the program's inputs, `values` the names with a value,
        `arguments` the number of arguments in the bracket behind the name (1 without a bracket). `row` is the function
        of the table with this name or None, `elsewhere` what to write for a function of another program ("" if it is
        none), `head` and `tail` the parts before and after the first underscore, `latin` the Latin letters that the
        name looks like, `strange` its first character beyond ASCII (the name if there is none). `own_value` is the
        advice to give the name a value, empty if any name has one. Nothing is raised here.
        """
        self.name, self.span, self.sure, self.inputs, self.values = name, span, sure, inputs, values
        self.arguments = arguments
        self.lower = name.lower()
        self.row = lookup(name)
        self.elsewhere = synonyms("functions").get(name, [""])[0]  # what to write for a function of other programs
        self.head, _, self.tail = name.partition("_")
        self.latin = unicodedata.normalize("NFKC", name).translate(_LATIN)  # the Latin letters that it looks like
        self.is_like_latin = self.latin.isascii() and self.latin != name
        self.strange = next((c for c in name if not c.isascii()), name)  # the first character beyond ASCII
        self.strange_letter = unicodedata.name(self.strange[0], "no Latin letter").lower()
        self.is_primed = name.endswith("'")
        self.is_symbol = _is_symbol(name)
        self.is_subscript = name[0] == "_" and name[1:].isdecimal()
        self.is_word = name in _WORDS
        self.is_difference = name[0] in _DIFFERENCES
        self.is_differential = _DIFFERENTIALS.match(name) is not None
        self.is_row = self.row is not None and not is_greek(name)
        self.is_function = len(name) > 2 and name in functions()
        self.is_function_in_capitals = len(name) > 2 and self.lower != name and self.lower in functions()
        self.is_function_of_tail = self.head in functions() and len(self.tail) == 1 and self.tail.isalpha()
        self.ends_in_silent_e = name.endswith("e") and name[:-1] in functions()
        self.row_arguments = ", ".join(self.row.arguments) if self.row is not None else ""
        self.own_value = "" if values else f"if {name} is one name, give it a value: --at {name}=1"

    def has_word(self, word: str) -> bool:
        return self.name == word

    def __getattr__(self, name: str) -> object:
        """Return a fact of the table `_FACTS`; raise AttributeError for another name."""
        return look_up_fact(self, name, _FACTS)

    @property
    def _sign_before(self) -> str:
        return self.span.source.text[: self.span.start].rstrip()[-1:]

    @property
    def is_unit(self) -> bool:
        """Return whether the name is a unit behind a digit (`x1 km` too), or a unit of angles behind `)`."""
        units = UNITS if self._sign_before.isdecimal() else _ANGLES if self._sign_before == ")" else ""
        return f" {self.name} " in units

    @property
    def base(self) -> str:
        """The name before the sign ^ in front of this name, as `w` in `w^T`; empty if there is none."""
        before, sign, between = self.span.source.text[: self.span.start].rpartition("^")
        names = IDENTIFIER.findall(before[-40:]) if sign and not between.strip() else []
        return names[-1] if names and before.rstrip().endswith(names[-1]) else ""

    @property
    def digits(self) -> str:
        """The whole number directly before the name and the name, joined without underscores: `1000` for `_000` in
        `1_000`, also `2x` for `x` in `2x`; empty if no such number is there.
        """
        number = _WHOLE.search(self.span.source.text[: self.span.start][-40:])
        return f"{number.group()}{self.name}".replace("_", "") if number else ""

    @property
    def is_like_function(self) -> bool:
        """Return whether the name is used like a function: three letters or more, then a blank and an argument, as in
        `mass g`.

        An argument starts with a letter, digit, underscore, (, |, √ or backslash. False for Greek letters, and for
        names of several pieces each of which is a function or clear (`is_clear`).
        """
        behind = self.span.source.text[self.span.end :][:9]
        argument = behind.lstrip(" \t")[:1]
        return (
            len(self.name) > 2
            and self.name.isalpha()
            and not is_greek(self.name)
            and not (len(self.pieces) > 1 and all(piece.function or piece.is_clear for piece in self.pieces))
            and behind[:1] in (" ", "\t")
            and (argument.isalnum() or argument in ("_", "(", "|", "√", "\\"))
        )

    # --- the pieces of the name ---

    @cached_property
    def pieces(self) -> list[NamePart]:
        """The functions, numbers and variables of which the name may consist (`pieces_of`); [] unless `arguments` is
        1.
        """
        return pieces_of(self.name, self.sure) if self.arguments == 1 else []

    @cached_property
    def function(self) -> NamePart | None:
        """Its first piece that is a function."""
        return next((piece for piece in self.pieces if piece.function is not None), None)

    @cached_property
    def before(self) -> list[NamePart]:
        """The pieces in front of the first function; empty if there is none."""
        return self.pieces[: self.pieces.index(self.function)] if self.function else []

    @cached_property
    def after(self) -> list[NamePart]:
        """The pieces behind the first function that are not functions themselves."""
        return [piece for piece in self.pieces[len(self.before) + 1 :] if piece.function is None]

    @cached_property
    def unknown(self) -> int:
        """The number of pieces, other than functions, that are not clear (`NamePart.is_clear`)."""
        return sum(1 for piece in (*self.before, *self.after) if not piece.is_clear)

    @property
    def is_product_of_values(self) -> bool:
        """Return whether each of its letters has a value, or is e, and at least one has; False for very long names."""
        letters = letters_of(self.name) if self.pieces else []
        return any(x in self.values for x in letters) and all(x in self.values or x == "e" for x in letters)

    @property
    def is_coefficient(self) -> bool:
        """Return whether the name is a coefficient and a variable, as in `ax^2 + bx + c`.

        It is one of the letters abckmnABCK before one of x, y, z, t. False if `values` is not empty, if the text
        contains a *, or if the name is a component (`is_component`: `ax` next to `ay` among the inputs).
        """
        name, text = self.name, self.span.source.text
        is_written_so = len(name) == 2 and name[0] in _COEFFICIENTS and name[1] in _VARIABLES
        return is_written_so and not self.values and "*" not in text and not self.is_component

    @cached_property
    def besides_pi(self) -> list[NamePart]:
        """Return the pieces other than pi."""
        return [piece for piece in self.pieces if piece.text not in ("pi", "π")]

    @property
    def is_clear_product(self) -> bool:
        """Return whether the pieces of the name can only be meant as a product; True without pieces. The cases:

        - all are known variables, and at most 3 or all with an index
        - all have an index, and their letters are the same or all among x, y, z
        - they have at least two different first letters, and each is x, y or z, perhaps with an index
        """
        letters = {piece.text[0] for piece in self.pieces}
        if self.is_sure and (len(self.pieces) <= _FEW or self.is_indexed):
            return True
        if self.is_indexed and (len(letters) == 1 or letters <= USUAL):
            return True
        return len(letters) > 1 and all(piece.is_usual for piece in self.pieces)

    @property
    def is_long(self) -> bool:
        """Return whether the name has more than _FEW (3) pieces, or a number among them."""
        return len(self.pieces) > _FEW or any(piece.number for piece in self.pieces)

    @property
    def is_component(self) -> bool:
        """Return whether it is a component of a vector, as `vx` if `vy` is an input, too."""
        first, last = self.name[0], self.name[-1]
        return len(self.name) == 2 and last in USUAL and any(first + other in self.inputs for other in USUAL - {last})

    @property
    def is_likely_product(self) -> bool:
        """Return whether the name is more likely a product than a word; True without pieces. It is in any of these
        cases:

        - it is a run of the alphabet (`abc`), has two pieces, or has none of the vowels a, e, i, o, u
        - a piece is a known variable or a Greek letter
        - all pieces have an index, or all are letters of CLEAR (x, y, z, t, u, v, w, r)
        """
        if self.name in _ALPHABET or self.is_indexed or self.is_pair:
            return True
        if all(piece.text in CLEAR for piece in self.pieces):
            return True
        if any(piece.sure or is_greek(piece.text) for piece in self.pieces):
            return True
        return not set(self.lower) & set("aeiou")

    # --- what to write ---

    @property
    def meant(self) -> str:
        """Return the product or call that the pieces mean, without what follows the name."""
        return product_text(self.pieces)

    @property
    def alternatives(self) -> str:
        """Return the text to write instead of the name: the product or call that its pieces mean.

        All pieces up to the next function are the argument of a function. Behind a slash a product is in brackets. In
        two cases there are two texts, "… or …, whichever is meant": an exponent follows a call (`sin(x^…) or sin(x)^…`,
        with these dots); or the first piece is a function whose name ends in digits, and is a function without them too
        (`log2x`).
        """
        if self.span.source.text[: self.span.start].rstrip().endswith("/") and self.function is None:
            return f"({self.meant})"
        if self.is_raised and self.meant.endswith(")"):
            return f"{self.meant[:-1]}^…) or {self.meant}^…, whichever is meant"
        head = self.pieces[0].text
        stem = head.rstrip("0123456789")
        if self.pieces[0].function is None or stem == head or stem not in functions():
            return self.meant
        number = NamePart(head[len(stem) :], number=True)
        other = product_text([NamePart(stem, functions()[stem]), number, *self.pieces[1:]])  # log2x
        return f"{self.meant} or {other}, whichever is meant"


# Facts about a name that only entries of the advice tables use, by their names there.
_FACTS: Mapping[str, Callable[[UnknownName], object]] = {
    "is_before_name": lambda it: it.span.source.text[it.span.end :].lstrip()[:1].isalpha(),
    "is_second_derivative": lambda it: it.name.endswith("''"),
    "arrays": lambda it: advise_on_arrays(it.span.source.text),  # how to give values or shapes of arrays
    "is_in_words": lambda it: it._sign_before.isalnum() or it._sign_before in (")", "]"),
    "is_sure": lambda it: all(piece.sure for piece in it.pieces),
    "is_pair": lambda it: len(it.pieces) == 2,
    "is_indexed": lambda it: all(piece.is_indexed for piece in it.pieces),
    "is_raised": lambda it: it.span.source.text[it.span.end :].lstrip().startswith(("^", "**")),
    "power": lambda it: "".join(
        re.findall(r"\A\^\d+", it.span.source.text[it.span.end :])
    ),  # behind the name, as in sin^2
    "of_values": lambda it: bool(it.values),
    "is_exponent": lambda it: it.base != "",
    "is_behind_percent": lambda it: it._sign_before == "%" and len(it.name) > 2,
    "has_several_scripts": lambda it: (
        len({unicodedata.name(c, "").partition(" ")[0] for c in it.name if c.isalpha()}) > 1
    ),
    "is_group_of_digits": lambda it: it.name[0] == "_" and it.name[1:2].isdecimal() and it.digits != "",
    "guess": lambda it: near_function(it.name, it.arguments),  # the function that the name is a misspelling of
    "is_whole": lambda it: len(it.pieces) < 2 or it.is_word,
    "is_unknown_before_function": lambda it: len(it.before) == it.unknown == 1 and not it.after,
    "is_short_function": lambda it: len(it.pieces[0].text) < 3 and it.pieces[0].text not in ("ln", "lg"),
    "has_few_unknown": lambda it: not it.unknown or (it.unknown <= 2 and len(it.after) <= 2),
    "takes_angle": lambda it: it.function and it.function.function and it.function.function.angle,
    "has_unknown_angle": lambda it: it.takes_angle and it.unknown == len(it.after) == 1,  # the one behind the function
    "is_product": lambda it: len(it.pieces) > 1 and all(p.function or p.sure or p.is_usual for p in it.pieces),
    "is_product_or_function": lambda it: it.is_product or (len(it.pieces) > 1 and it.pieces[-1].function is not None),
    "is_exponential": lambda it: it.pieces[-1].text == "e" and it.is_raised and "e" not in it.sure,
    "is_clear_before_e": lambda it: all(p.sure or p.text in CLEAR or p.is_usual for p in it.pieces[:-1]),
    "has_pi": lambda it: len(it.besides_pi) < len(it.pieces),
    "is_single_besides_pi": lambda it: len(it.besides_pi) == 1,
    "is_clear_besides_pi": lambda it: (
        "π" in it.name or all(p.sure or p.number or p.text in CLEAR or p.is_usual for p in it.besides_pi)
    ),
    # all pieces are x, y or z (`xx`), or all are known variables or numbers, a number (`a2b`) or four or more pieces
    "is_unclear_product": lambda it: (
        all(p.is_usual for p in it.pieces) or (it.is_long and all(p.sure or p.number for p in it.pieces))
    ),
    "noun": lambda it: "the function" if it.function else "a product",
    "called": lambda it: product_text(it.pieces, "(…)"),  # what to write if a bracket follows
}


def _is_symbol(name: str) -> bool:
    """Return whether a name is one letter, also a Greek one by its name, with an index or with primes."""
    return name.endswith("'") or (_NUMBERED_LETTER.match(name) is not None and name.lower() != "pi")


# --- advice -----------------------------------------------------------------------------------------------------------


def name_reading(
    name: str, span: Span, known: Collection[str], inputs: Collection[str], values: Collection[str]
) -> Reading | None:
    """Return the note on how an input without a value is read if its name may mean something else; None without a note.

    `span` is the place of the name, `known` are all names with a meaning, `inputs` the program's inputs, `values` the
    names that have a value. A single ASCII letter other than T, and a Greek letter by its name (not pi), both with or
    without an index, never get a note. Raises NameProblem if the name clearly means something else (table `names` of
    grammar/advice.txt).
    """
    if name.isascii() and _is_symbol(name) and name != "T" and "'" not in name:
        return None  # most names: they need no look at the table
    return advise("names", UnknownName(name, span, known, inputs, values), NameProblem)


def refuse_call(name: str, span: Span, arguments: int, variables: Collection[str]) -> NoReturn:
    """Raise the NameProblem for a name before a bracket with that number of `arguments`; `name` is neither a function
    nor among the `variables`."""
    advise("calls", UnknownName(name, span, variables, arguments=arguments), NameProblem)
    raise AssertionError("the last entry applies to every name")
