"""Errors and notes as text: the user's own line, a caret under the place, what was found, what to type next."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import AdcliError, Span
from .cells import sentence, visible, width


def error_text(error: AdcliError, spell: Callable[[str], str] = str) -> str:
    """The message, several lines without colour; the first starts with `error:`.

    `spell` is how a line that is quoted is written: as it is, or in ASCII.
    """
    out = [f"error: {sentence(error.title)}"]
    span = error.span
    if span is not None:
        out += _excerpt(span, error.label, error.related, spell)
    elif error.label:
        out.append(f"  = {sentence(error.label)}")
    out = [line.rstrip() for line in out]
    margin = " " * _gutter(span) if span is not None else " "
    out += [f"{margin} = note: {sentence(note)}" for note in error.notes if note]
    if error.help:
        out.append(f"{margin} = help: {sentence(error.help)}")
    return "\n".join(out) + "\n"


def _gutter(span: Span) -> int:
    return len(str(span.source.position(span.start)[0]))


_LONGEST = 160  # characters of a line that are quoted around the place


def _excerpt(span: Span, label: str, related: tuple[Span, str] | None, spell: Callable[[str], str]) -> list[str]:
    line, column = span.source.position(span.start)
    margin = " " * _gutter(span)
    out = [f"{margin}--> {sentence(span.source.name)}:{line}:{column}"] if span.source.name else []
    out.append(f"{margin} |")
    marks = [(span, "^", label)]
    if related is not None:
        marks.append((related[0], "-", related[1]))
    marks.sort(key=lambda mark: mark[0].source.position(mark[0].start)[0])
    quoted = None
    for where, sign, text in marks:
        number, start = where.source.position(where.start)
        full = where.source.shown.split("\n")[number - where.source.first_line]
        if quoted != number:
            view = View(full, start, spell)
            out.append(f"{str(number).rjust(len(margin))} | {view.text}")
            quoted = number
        out.append(f"{margin} | {view.underline(start, where.end - where.start, sign)} {sentence(text)}".rstrip())
    return out


class View:
    """What is quoted of a line around a column (from 1), and the underlines below it.

    `spell` is how the line is written: as it is, or in ASCII; at most `longest` characters of it are shown.
    """

    def __init__(self, line: str, column: int, spell: Callable[[str], str] = str, longest: int = _LONGEST) -> None:
        self.spell = spell
        self.first = max(0, column - 1 - longest // 2) if len(line) > longest else 0
        self.shown = line[self.first : self.first + longest]
        self.before = "…" * (self.first > 0)
        self.text = spell(f"{self.before}{visible(self.shown)}{'…' * (self.first + len(self.shown) < len(line))}")

    def underline(self, column: int, length: int, sign: str = "^") -> str:
        """Blanks and signs for so many characters from a column on."""
        start = max(column - 1 - self.first, 0)
        length = min(max(length, 1), max(len(self.shown) - start, 1))
        left, marked = self.shown[:start], self.shown[start : start + length]
        blanks = width(self.spell(self.before + visible(left)))
        return " " * blanks + sign * max(width(self.spell(visible(marked))), 1)


def note_text(text: str, label: str | None = None) -> str:
    """A note on one line."""
    return f"note: {f'{sentence(label)}: ' if label else ''}{sentence(text)}\n"
