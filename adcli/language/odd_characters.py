"""Odd characters: those with which no token starts, with the facts that the table `characters` of advice uses."""

from __future__ import annotations

from contextlib import suppress

from ..errors import Source, Span
from ..patterns import IDENTIFIER
from ..table.primitive import lookup
from ..typings import NoReturn
from .advice import advise

_FAR = 40  # characters in front of a point in which the name of a module is looked for


class Character:
    """A character with which no token starts."""

    def __init__(self, source: Source, position: int) -> None:
        """Compute the facts about the character at `position` that entries of the advice table `characters` use.

        `name` is the identifier that ends just before it (within 40 characters, else ""), `member` the one that begins
        just behind it (else ""), `value` all text before it without outer blanks, `text_behind` all after it with
        single blanks. `is_member` is true for a point between `name` and a letter, `is_method` if `member` is then a
        function of the table before a bracket. `definition` is `value` without "where" or "let". `span` covers the
        character, `pair` it and the next one, `named` the name and it. Nothing is raised.
        """
        self.source, self.position = source, position
        self.character = source.text[position]
        self.code = f"{ord(self.character):04X}"
        self.following = source.text[position + 1 : position + 2]
        before = source.text[max(position - _FAR, 0) : position]
        names = IDENTIFIER.findall(before)
        self.name = names[-1] if names and before.endswith(names[-1]) else ""
        self.is_member = self.character == "." and self.name and self.following.isalpha()
        behind = IDENTIFIER.match(source.text, position + 1)
        self.member = behind.group() if behind else ""
        row = lookup(self.member) if self.is_member else None
        self.is_method = row is not None and source.text[position + 1 + len(self.member) :].startswith("(")
        self.is_rule = source.text[position - 1 : position + 1] == "/."
        self.is_behind_equals = before.rstrip().endswith("=")
        self.is_function_of_python = before.lstrip().startswith("def ")
        self.value, self.text_behind = source.text[:position].strip(), " ".join(source.text[position + 1 :].split())
        self.is_behind_definition = "=" in self.value[1:] and bool(self.text_behind)
        self.definition = self.value.partition(" ")[2] if self.value.startswith(("where ", "let ")) else self.value
        self.is_behind_value = self.is_behind_definition and not IDENTIFIER.search(self.value.rpartition("=")[2])
        self.is_behind_bracket = before.endswith("(")
        self.is_key_of_json = source.text[:position].strip(" [") == "{"
        text = source.text.strip()
        self.is_in_quotation_marks = text[0] == text[-1] == self.character and text.count(self.character) == 2
        self.text_inside = text[1:-1].strip()
        self.is_choice = self.character == "?" and ":" in source.shown[position:]
        self.is_no_text = self.character == "\ufffd" or "\udc80" <= self.character <= "\udcff"  # bytes, not UTF-8
        self.quoted = f"the character {self.character}" if self.character.isprintable() else "this character"
        self.span = Span(position, position + 1, source)
        self.pair = Span(position, position + 2, source)
        self.named = Span(position - len(self.name), position + 1, source)

    @property
    def problem(self) -> str:
        """Return the problem that the source means, a JSON or Python record or a list of them, as a line `x^2 @ x=3`.

        The text is read as JSON with all single quotes as double ones. Of a list the first record counts. The
        expression is the first value that is a text (x^2 without one); the point is the first value that is a record,
        and is left out without one. If the source cannot be read, it is `x^2 @ x=3`.
        """
        import json

        with suppress(ValueError, IndexError, RecursionError, AttributeError):
            data = json.loads(self.source.shown.replace("'", '"'))
            record = data[0] if isinstance(data, list) else data
            expression = next((value for value in record.values() if isinstance(value, str)), "x^2")
            points = next((value for value in record.values() if isinstance(value, dict)), {})
            return f"{expression}{' @ ' * bool(points)}{', '.join(f'{name}={x}' for name, x in points.items())}"
        return "x^2 @ x=3"

    def has_word(self, word: str) -> bool:
        return self.source.text.startswith(word, self.position)


def refuse_character(source: Source, position: int) -> NoReturn:
    """Raise the SyntaxProblem for the character at a position, with which no token starts."""
    advise("characters", Character(source, position))
    raise AssertionError("the last entry applies to every character")
