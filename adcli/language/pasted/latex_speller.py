r"""LaTeX as people paste it, rewritten in the spelling of the language: `\frac x2`, `\log_a x`, `\sum_{k=1}^3 k`,
`cases`. To spell a stretch of the text is to append its spelling to `pieces`, or (result -1) to push its parts and the
rest on a stack of what is still to be spelled.

As in TeX, an argument is a group or one token, a subscript belongs to the token before it, and letters next to each
other are a product. A command without a meaning here is refused by its name; it never becomes a variable.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cached_property

from ...patterns import compile_pattern
from ...records import NamedTuple
from ...table.primitive import lookup
from ..name_parts import is_letter
from ..spelling import Reading, Spelling, Unspellable
from .latex_commands import ACCENTS, BLANKS, DROPPED, ENVIRONMENTS, LETTERS, PASSED, SIGNS, SIZES, WORDS  # fmt: skip
from .latex_names import NAME_MARKUP, TAIL, NameSpeller, Spelt
from .latex_text import TOKEN, Stretch
from .latex_text import split as split_at

_INDEX = compile_pattern(r"\s*+(\\?[^\W\d_]++)\s*+=")
_BRACKET = compile_pattern(
    r"\s*+(\\[lr]?[vV]ert(?![a-zA-Z])|\\[lr](?:floor|ceil|brace|brack)(?![a-zA-Z])|\\[{}|]|[()\[\]|.])"
)
_RAISED_SIGN = compile_pattern(
    r"(?:\{\s*+)?(?:\\(?P<ring>circ|degree)(?![a-zA-Z])|\*|\\(?:ast|star|dagger|top|intercal|bot)(?![a-zA-Z]))\s*+\}?"
)
_SPACING = compile_pattern(r"\s*+\[[^\[\]]*+\]")
_SIGNS_OF_EXPRESSIONS = frozenset("0123456789\\^_+*/=")
_CALL = compile_pattern(r"\s*+(?:\\(?:left|mleft)\s*+|\\[bB]igg?l?\s*+)?\(")
_SENTENCE = compile_pattern(r"(?<=[^\\\s])(?<!\d)\s*+[.,;]\s*\Z")
_DERIVING = compile_pattern(
    r"\s*(?:d|\\partial|\\mathrm\s*\{\s*d\s*\}|\\text\s*\{d\}|\\operatorname\{d\})(?![a-zA-Z]{2})"
)
# What is before, between and behind two parts, by the infix command for it.
_TWO_PARTS = {"over": (" \\frac{", "}{", "}"), "choose": (" binomial(", ",", ")")}
_FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac", "sfrac", "nicefrac", "binom", "dbinom", "tbinom")
_COLUMNS = compile_pattern(r"(?:\s*+\[[^\[\]]*+\])?(?:\s*+\{[^{}]*+\})?")


class OddCommand(NamedTuple):
    """A command of LaTeX without a meaning here, and the function that it may be a misspelling of."""

    command: str
    guess: str | None

    def has_word(self, word: str) -> bool:
        return self.command == f"\\{word}"


class LatexSpeller(NameSpeller):
    """A speller of one LaTeX text, with a stack of pieces and stretches still to be processed, the next one on top."""

    def run(self) -> Spelling:
        """Spell the whole text and return the result; a full stop, comma or semicolon at its end is left out.

        The pieces are appended to `pieces` in the order of the text; the stack `pending` is empty afterwards. Raises
        Unspellable.
        """
        end = len(_SENTENCE.sub("", self.text))
        self.pending = [Stretch(0, end)]
        while self.pending:
            item = self.pending.pop()
            if isinstance(item, Spelt):
                self.pieces.append(item)
            else:
                self._spell_range(item.start, item.end)
        starts = [piece.start for piece in self.pieces for _ in piece.text]
        ends = [piece.end for piece in self.pieces for _ in piece.text]
        return Spelling("".join(piece.text for piece in self.pieces), starts, ends, self.readings, self.variables)

    def _spell_range(self, place: int, end: int) -> None:
        """Spell the text from `place` to `end`, appending to `pieces`, token by token.

        It ends early at the first construct that pushes its parts and the rest on the stack `pending`, and, with the
        rest unread, where no token begins. Raises Unspellable for what has no meaning in the language.
        """
        while place < end:
            match = TOKEN.match(self.text, place, end)
            if match is None:
                return
            place = _KINDS[match.lastgroup or "other"](self, place, match.end(), end)
            if place < 0:
                return  # the rest is on the stack

    def _spell_blank(self, start: int, place: int, end: int) -> int:
        self.put(" ", start, place)
        return place

    # --- signs -------------------------------------------------------------------------------------------------------

    def _spell_character(self, start: int, place: int, end: int) -> int:
        """Spell the character at `start` that is not a command, letter, number or blank, and return the next place:
        `place`, or behind a group or an exponent (-1 if its parts were pushed).

        A brace opens a group, `&` and a paired `$` become a blank, `^` is read with its exponent, others stay. Nothing
        at or behind `end` is read. Raises Unspellable for a subscript after a closing bracket or bar.
        """
        sign = self.text[start]
        if sign == "{":
            return self._spell_group(start, end)
        if sign == "&" or (sign == "$" and self.dollars):
            self.put(" ", start, place)
        elif sign == "^":
            return self._spell_caret(start, place, end)
        elif sign == "_" and self.pieces and self.pieces[-1].text.strip()[-1:] in ")|":
            title = "a subscript after a bracket has no meaning here"
            raise Unspellable(start, place, title, "not part of a name", "values are given by --at")
        else:
            self.put(sign, start, place)
        return place

    def _spell_group(self, start: int, end: int) -> int:
        r"""Return the next place after spelling the group whose brace opens at `start` (-1 if its parts were pushed).

        The first that applies:

        - no partner before `end`: only the brace is spelled
        - an empty group: a blank
        - \over inside: `\frac{…}{…}` is pushed; \choose: `binomial(…,…)`. Only the first \over and the first \choose
          behind the brace are looked at; one in inner braces does not count
        - else the group is pushed, in braces
        """
        close = self.partners.get(start, end)
        if close >= end:
            self.put("{", start, start + 1)
            return start + 1
        inside = self.text[start + 1 : close]
        if not inside.strip():
            self.put(" ", start, close + 1)
            return close + 1
        for word in _TWO_PARTS:
            places = self.places_of_infix[word]
            k = bisect(places, start)
            place = places[k] if k < len(places) else close
            above, below = Stretch(start + 1, place), Stretch(place + len(word) + 1, close)
            before = self.text[start + 1 : place]
            if place < close and before.count("{") == before.count("}"):
                opening, middle, closing = _TWO_PARTS[word]
                return self.push(
                    Spelt(opening, start, start + 1), above, Spelt(middle, above.end, below.start), below,
                    Spelt(closing, close, close + 1), Stretch(close + 1, end),
                )  # fmt: skip
        return self._spell_braced(Stretch(start + 1, close), start, start + 1, close + 1, end)

    @cached_property
    def places_of_infix(self) -> dict[str, list[int]]:
        """The places of each command of `_TWO_PARTS` in the text, in order."""
        commands = [match for match in TOKEN.finditer(self.text) if match["command"]]
        return {word: [match.start() for match in commands if match.group() == f"\\{word}"] for word in _TWO_PARTS}

    def _spell_braced(self, part: Stretch, start: int, place: int, after: int, end: int) -> int:
        """Push a part in braces, whose command is the text from `start` to `place`, and then the text from `after` on;
        return -1."""
        return self.push(Spelt("{", start, place), part, Spelt("}", part.end, after), Stretch(after, end))

    def _spell_caret(self, start: int, place: int, end: int) -> int:
        r"""Spell the caret at `start` and what follows it from `place` on, and return the next place (-1 if parts were
        pushed).

        A ring (`^\circ`) becomes °. An ASCII letter alone, with its subscripts and primes, is the exponent (`x^ab` is
        x^a b), unless the run of letters is a known name or function, or `splits` is False: then the run is. Its piece
        is remembered in `exponent`, because a number behind it is a factor. Of other exponents only the caret is
        spelled here. Nothing behind `end` is read. Raises Unspellable for a star, dagger or ⊤.
        """
        here = self.skip(place, end)
        sign = _RAISED_SIGN.match(self.text, here, end)
        if sign and sign["ring"]:
            self.put("°", start, sign.end())
            return sign.end()
        if sign:
            title = f"{self.text[start : sign.end()]} has no meaning here"
            raise Unspellable(start, sign.end(), title, "neither a power nor part of a name")
        self.put("^", start, place)
        if self.text[here : here + 1].isalpha() and here < end and self.text[here].isascii():
            run = TOKEN.match(self.text, here, end)
            if run and (run.group() in self.known or self.is_function(run.group()) or not self.splits):
                self.put(f" {run.group()} ", *run.span())
                after = run.end()
            else:  # one token: x^ab is x^a b
                after = self.spell_name(self.text[here], here, here + 1, end)
            self.exponent = len(self.pieces) - 1
            return after
        return place

    def _spell_sign(self, start: int, place: int, end: int) -> int:
        r"""Spell the command of one character that begins at `start` and return the next place.

        `\{`, `\}` and `\_` lose the backslash, `\|` becomes a bar, `\\` a semicolon (its spacing `[2pt]` is left out),
        spaces such as `\,` a blank. `place` is behind the command; nothing behind `end` is read. Raises Unspellable for
        `\%` and unknown ones.
        """
        sign = self.text[start + 1]
        if sign == "%":
            title, label = r"\% is not an operation", "it may be a percentage or a remainder"
            raise Unspellable(start, place, title, label, "write /100")
        if sign in "{}|_":
            self.put(sign, start, place)
        elif sign == "\\":
            spacing = _SPACING.match(self.text, place, end)
            self.put(";", start, place)
            return spacing.end() if spacing else place
        elif sign in ",;:!> ()[]/\n\t-@":
            self.put(" ", start, place)
        else:
            raise self._unknown_command_error(f"\\{sign}", start, place)
        return place

    # --- commands ----------------------------------------------------------------------------------------------------

    def _spell_command(self, start: int, place: int, end: int) -> int:
        r"""Spell the command in `text[start:place]` with its arguments, which end before `end`, and return the next
        place (-1 if its parts were pushed).

        Tried are in this order: signs such as `\cdot`, commands with a meaning of their own such as `\frac`, functions
        and `\pi`; the first that has the name counts. A star after the name is left out for operatorname, tag, hspace
        and vspace, otherwise it is read again as a multiplication sign. Raises Unspellable for an unknown command or a
        missing argument.
        """
        name = self.text[start + 1 : place].rstrip("*")
        if self.text[place - 1] == "*" and name not in ("operatorname", "tag", "hspace", "vspace"):
            place -= 1
        if name in SIGNS:
            self.put(SIGNS[name], start, place)
            return place
        for names, spell in _COMMANDS:
            if name in names:
                return spell(self, name, start, place, end)
        if lookup(name) is not None or name == "pi":
            return self._spell_function(name, start, place, end)
        raise self._unknown_command_error(f"\\{name}", start, place)

    def _spell_inner_part(self, name: str, start: int, place: int, end: int) -> int:
        part, after = self.argument(place, end, f"\\{name}")
        return self._spell_braced(part, start, place, after, end)

    def _unknown_command_error(self, command: str, start: int, end: int) -> Unspellable:
        """Return the error for the command in `text[start:end]`, which has no meaning here, by the table `commands` of
        advice; it names a function that is spelled similarly if there is one. Nothing is raised.
        """
        from ...table.suggest import near_function
        from ..advice import entry_for  # few commands are not known

        it = OddCommand(command, near_function(command[1:], 1))
        entry = entry_for("commands", it)
        title, label, advice = (text.format(it=it) for text in (entry.title, entry.label, entry.help))
        return Unspellable(start, end, title, label, advice)

    def _spell_letter(self, name: str, start: int, place: int, end: int) -> int:
        r"""Spell the Greek letter `name`, written in `text[start:place]`, and return where to read on.

        The result is the next place, or -1 if parts were pushed on the stack. `self.known` are names of variables.
        Nothing behind `end` is read. The first that applies:

        - `\Gamma` before a bracket, if not known: the function Γ
        - a letter before a bracket that names a function (not gamma, beta or eta), if not known: this function
        - `\pi`: the number pi
        - else a variable, by `spell_name`

        A variable that has the name of a function, and every tau, is also entered in `self.variables`. Raises
        Unspellable as `spell_name` does.
        """
        following = _CALL.match(self.text, place, end)
        if following and name == "Gamma" and "Gamma" not in self.known:
            self.put(" Γ ", start, place)
            return place
        if name == "tau":
            self.variables.add(name)  # the angle of a turn is hardly ever meant
        if lookup(name) is not None and name != "pi":
            if following and name not in ("gamma", "beta", "eta") and name not in self.known:
                self.put(f" {name} ", start, place)
                return place
            self.variables.add(name)
        if name == "pi":
            self.put(" pi ", start, place)
            return place
        return self.spell_name(name, start, place, end)

    def _spell_function(self, name: str, start: int, place: int, end: int) -> int:
        r"""Spell a function such as `\sin`, `\log10` or `\log_2`, written from `start` to `place`, and return the next
        place, behind digits or a base before `end` that belong to its name (` log10 `, ` log_2 `, ` log_a `); its
        arguments are spelled later.

        Raises Unspellable for a base of log that is not a number or a letter, and for a subscript of any other
        function.
        """
        here = self.skip(place, end)
        digits = TAIL.match(self.text, place, end)
        if digits and digits.group() and lookup(name + digits.group()) is not None:  # \log10
            self.put(f" {name}{digits.group()} ", start, digits.end())
            return digits.end()
        if name == "log" and self.text[here : here + 1] == "_":
            base_and_place = self.subscript(here, end)
            if base_and_place is not None:
                base, place = base_and_place
                if not (base.isdecimal() or is_letter(base)):
                    title = "the base of this logarithm cannot be read"
                    raise Unspellable(start, place, title, "a base is a number or a letter", "write log(x, base)")
                self.put(f" log_{base} ", start, place)
                return place
        elif self.text[here : here + 1] == "_":
            title = f"\\{name} has no subscript here"
            raise Unspellable(start, here + 1, title, "neither a base nor part of a name", "leave it out")
        self.put(f" {name} ", start, place)
        return place

    def _spell_bracket(self, name: str, start: int, place: int, end: int) -> int:
        r"""Spell the size command `name`, in `text[start:place]`, with its bracket (`\left(`, `\bigl|`, `\right.`).

        Returns the place behind the bracket, which must be before `end`; `place` if no bracket is there. Bars, also
        double ones and \vert, become `\left|` or `\right|`, or `|` if the command has no side. A full stop and a
        command without a bracket become a blank. Of other brackets the plain sign is put, without the size command and
        a backslash (`\left\{` is `{`). Raises Unspellable for a subscript after a right bar, the value at a point.
        """
        match = _BRACKET.match(self.text, place, end)
        if match is None:
            self.put(" ", start, place)
            return place
        sign = match[1]
        side = "left" if name.endswith(("left", "l")) else "right" if name.endswith(("right", "r")) else ""
        command = sign.lstrip("\\") if len(sign) > 2 else ""
        if command and command[-4:] != "vert" and command[-4:] != "Vert":
            self.put(SIGNS[command], start, match.end())
        elif sign == ".":
            self.put(" ", start, match.end())
        elif sign in ("|", "\\|") or command:
            self.put(f"\\{side}|" if side else "|", start, match.end())
            after = self.skip(match.end(), end)
            if side == "right" and self.text[after : after + 1] == "_":
                title = "the value at a point is requested by --at"
                raise Unspellable(start, after + 1, title, "", "write the expression alone, and its point after @")
        else:
            self.put(sign[-1], start, match.end())
        return match.end()

    def _spell_accented(self, name: str, start: int, place: int, end: int) -> int:
        r"""Spell an accented name, `\hat{y}` as y_hat, and return the next place (-1 if parts were pushed).

        `text[start:place]` is the command `name`; its argument ends before `end`. An argument that is not a name
        becomes a group without the accent, or raises Unspellable if the accent is hat, bar, vec, tilde, dot or ddot; as
        does a missing argument.
        """
        part, after = self.argument(place, end, f"\\{name}")
        stem = NAME_MARKUP.sub("", self.text[part.start : part.end]).strip()
        if not stem.isidentifier() or stem[0] == "_":
            if name in ("bar", "vec", "dot", "ddot", "hat", "tilde"):
                title = f"\\{name} belongs to a name"
                raise Unspellable(start, after, title, "this is not a name")
            return self._spell_braced(part, start, place, after, end)
        return self.spell_name(f"{stem}_{ACCENTS[name]}", start, after, end)

    def _spell_word(self, name: str, start: int, place: int, end: int) -> int:
        r"""Spell `\mathrm{name}`, `\text{name}` or `\mathbf{x}` as a name and return the next place (-1 if parts were
        pushed).

        `text[start:place]` is the command; its argument ends before `end`. A single word is the name. Punctuation alone
        becomes a blank, other content a group in braces. A bold Greek letter that names a function is a variable
        (entered in `variables`). Raises Unspellable for other content of \text, \mbox, \textrm or \textnormal without a
        digit or one of \^_+*/=.
        """
        part, after = self.argument(place, end, f"\\{name}")
        word = self.content(part).replace("\\_", "_")
        if word.removeprefix("\\").isidentifier():
            word = word.lstrip("\\")
            if lookup(word) is not None and name in ("mathbf", "boldsymbol", "bm") and word in LETTERS:
                self.variables.add(word)
            return self.spell_name(word, start, after, end)
        if not word.strip(".,;:!?"):
            self.put(" ", start, after)
            return after
        if name in ("text", "mbox", "textrm", "textnormal") and not _SIGNS_OF_EXPRESSIONS.intersection(word):
            title, label = "words are not an expression", "only names and numbers are read"
            raise Unspellable(start, after, title, label, "leave them out")
        return self._spell_braced(part, start, place, after, end)

    def _skip_command(self, name: str, start: int, place: int, end: int) -> int:
        """Return the place behind a command without meaning (`\\label{…}`) and its arguments; nothing is spelled."""
        for _ in range(DROPPED[name]):
            _, place = self.argument(place, end, f"\\{name}")
        return place

    # --- commands with parts -----------------------------------------------------------------------------------------

    def _spell_fraction(self, name: str, start: int, place: int, end: int) -> int:
        r"""Push `\frac{a}{b}` (also for \dfrac and the like) or, for a command that ends in binom, `binomial(a,b)`, and
        the rest; return -1. The arguments are pushed unread.

        `name` is the command in `text[start:place]`; its arguments end before `end`. Raises Unspellable for a
        derivative such as `\frac{d}{dx}` and a missing argument.
        """
        above, middle = self.argument(place, end, f"\\{name}")
        below, after = self.argument(middle, end, f"\\{name}")
        if not name.endswith("binom") and _DERIVING.match(self.text, *above) and _DERIVING.match(self.text, *below):
            title, advice = f"\\{name} asks for a derivative", "write the expression alone: adcli diff"
            raise Unspellable(start, after, title, "adcli diff computes derivatives", advice)
        signs = _TWO_PARTS["choose" if name.endswith("binom") else "over"]
        return self.push(
            Spelt(signs[0], start, place), above, Spelt(signs[1], middle - 1, middle), below,
            Spelt(signs[2], after - 1, after), Stretch(after, end),
        )  # fmt: skip

    def _spell_root(self, name: str, start: int, place: int, end: int) -> int:
        r"""Spell `\sqrt{x}`, `\sqrt(x)` or `\sqrt[3]{x}`; return the next place for `\sqrt(`, else -1 after pushing the
        parts.

        `text[start:place]` is the command `name`. The text becomes `√{x}`, ` sqrt ` before a round bracket,
        `\root[3]{x}`, or `\root[3]` before a round bracket. Raises Unspellable if [ is never closed before `end`, or
        the argument is missing.
        """
        here = self.skip(place, end)
        if _CALL.match(self.text, here, end):
            self.put(" sqrt ", start, place)
            return place
        if self.text[here : here + 1] != "[":
            part, after = self.argument(place, end, f"\\{name}")
            return self.push(Spelt(" √{", start, place), part, Spelt("}", after - 1, after), Stretch(after, end))
        close, depth = here + 1, 0
        while close < end and (depth or self.text[close] != "]"):
            depth += {"[": 1, "]": -1}.get(self.text[close], 0)
            close += 1
        if close >= end:
            title, advice = "the bracket [ is never closed", "add ] where it should end"
            raise Unspellable(here, here + 1, title, "opened here", advice)
        degree = Spelt(" \\root[", start, here + 1), Stretch(here + 1, close)
        if _CALL.match(self.text, close + 1, end):
            return self.push(*degree, Spelt("]", close, close + 1), Stretch(close + 1, end))
        part, after = self.argument(close + 1, end, f"\\{name}")
        braced = Spelt("]{", close, close + 1), part, Spelt("}", after - 1, after)
        return self.push(*degree, *braced, Stretch(after, end))

    def _spell_sum_or_product(self, name: str, start: int, place: int, end: int) -> int:
        r"""Push the parts of `\sum_{k=1}^{n} term` or `\prod` as sum(k,1,n,(term)); return -1 (pushed).

        `text[start:place]` is the command `name`, `end` the end of the text that is spelled; `\limits` behind the
        command is left out. The bounds may be in either order.
        The term, perhaps with a sign in front, ends before the next + or -, relation or closing bracket; a note is
        added if it ends at + or -. Raises Unspellable unless the index (`k=…`) and both bounds are there.
        """
        parts: dict[str, Stretch] = {}
        match = TOKEN.match(self.text, self.skip(place, end), end)
        place = match.end() if match and match.group() in ("\\limits", "\\nolimits") else place
        while (here := self.skip(place, end)) < end and self.text[here] in "_^" and self.text[here] not in parts:
            sign = self.text[here]
            parts[sign], place = self.argument(here + 1, end, f"\\{name}")
        index = _INDEX.match(self.text, parts["_"].start, parts["_"].end) if "_" in parts else None
        if index is None or "^" not in parts:
            title = f"\\{name} needs an index with its first and last value"
            raise Unspellable(start, place, title, "", f"write \\{name}_{{k=1}}^{{10}}")
        first = self.skip(place, end)
        signed = self.skip(first + 1, end) if self.text[first : first + 1] in ("+", "-") else first
        stop = min(self.terms.get(signed, end), end)
        if stop < end and self.text[stop] in "+-":
            text = f"\\{name} is read with the term that ends before {self.text[stop]}"
            self.readings.append(Reading(text, (start, stop), topic="sum"))
        return self.push(
            Spelt(f" {name}({index[1].lstrip(chr(92))},", start, place), Stretch(index.end(), parts["_"].end),
            Spelt(",", place - 1, place), parts["^"], Spelt(",(", place - 1, place), Stretch(first, stop),
            Spelt("))", max(stop - 1, place - 1), max(stop, place)), Stretch(stop, end),
        )  # fmt: skip

    def _spell_begin(self, name: str, start: int, place: int, end: int) -> int:
        r"""Spell the beginning of an environment and return the next place: a blank for one without a meaning of its
        own (align, array with its columns), -1 for cases, which become nested if.

        `text[start:place]` is the command `\begin`, its argument ends before `end`. Raises Unspellable for an
        environment without a meaning here (not in ENVIRONMENTS), such as a matrix, and for a missing argument.
        """
        part, after = self.argument(place, end, "\\begin")
        kind = self.content(part).rstrip("*")
        if kind in ("cases", "dcases", "rcases"):
            return self._spell_cases(after, end)
        if kind not in ENVIRONMENTS:
            title = f"the LaTeX environment {kind} has no meaning here"
            raise Unspellable(start, after, title, "not one number", "write expressions, one by one")
        columns = _COLUMNS.match(self.text, after, end) if kind in ("array", "alignat", "alignedat") else None
        after = columns.end() if columns else after
        self.put(" ", start, after)
        return after

    def _spell_end(self, name: str, start: int, place: int, end: int) -> int:
        _, after = self.argument(place, end, "\\end")
        self.put(" ", start, after)
        return after

    def _spell_cases(self, place: int, end: int) -> int:
        r"""Push the parts of `\begin{cases} a & x > 0 \\ b & \text{otherwise} \end{cases}` as if(x > 0,(a),(b)), nested
        for more rows; return -1.

        The rows of the environment begin at `place`, behind its `\begin`. Empty rows are left out, as are a comma or
        semicolon at the end of a value. A condition of the last row is dropped, with a note: that row is for all other
        values. Raises Unspellable if another row has no condition, or the environment no end before `end`.
        """
        close, stop = self.environment_end(place, end)
        rows = [row for row in split_at(self.text, place, close, r"\\") if self.content(row)]
        items: list[Spelt | Stretch] = []
        for number, row in enumerate(rows, 1):
            value, *condition = split_at(self.text, row.start, row.end, "&")
            value, condition = self.split_case(value, condition)
            value = Stretch(value.start, value.start + len(self.text[value.start : value.end].rstrip().rstrip(",;")))
            where = Stretch(row.start, row.start + 1)
            last = number == len(rows)
            words = [] if not condition else list(self.strip_case_words(condition[0]))
            if not last:
                if not words:
                    title, label = "this case has no condition", "only the last case may have none"
                    raise Unspellable(*value, title, label, "write it after &")
                items += [Spelt(" if(", *where), *words, Spelt(",(", *where), value, Spelt("),", *where)]
                continue
            if words:
                text = "the last case is read as the one for all other values"
                self.readings.append(Reading(text, (value.start, row.end), topic="cases"))
            items += [Spelt("(", *where), value, Spelt(")" * number, max(close - 1, 0), close)]
        return self.push(*items, Stretch(stop, end))


_KINDS: Mapping[str, Callable[[LatexSpeller, int, int, int], int]] = {
    "command": LatexSpeller._spell_command,
    "sign": LatexSpeller._spell_sign,
    "letters": LatexSpeller.spell_letters,
    "word": lambda speller, start, place, end: speller.spell_name(speller.text[start:place], start, place, end),
    "number": LatexSpeller.spell_number,
    "blank": LatexSpeller._spell_blank,
    "other": LatexSpeller._spell_character,
}
_COMMANDS: Sequence[tuple[Container[str], Callable[[LatexSpeller, str, int, int, int], int]]] = (
    (BLANKS, lambda speller, _name, *places: speller._spell_blank(*places)),
    (SIZES, LatexSpeller._spell_bracket),
    (_FRACTIONS, LatexSpeller._spell_fraction),
    (("sum", "prod"), LatexSpeller._spell_sum_or_product),
    (("sqrt",), LatexSpeller._spell_root),
    (("begin",), LatexSpeller._spell_begin),
    (("end",), LatexSpeller._spell_end),
    (ACCENTS, LatexSpeller._spell_accented),
    (WORDS, LatexSpeller._spell_word),
    (PASSED, LatexSpeller._spell_inner_part),
    (DROPPED, LatexSpeller._skip_command),
    (LETTERS, LatexSpeller._spell_letter),
)
