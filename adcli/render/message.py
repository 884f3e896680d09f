"""Errors and notes as text: the user's own line, a caret under the place, what was found, what to type next."""

from __future__ import annotations

from ..errors import AdcliError, Span
from .cells import sentence, visible, width


def error_text(error: AdcliError) -> str:
    """The message, several lines without colour; the first starts with `error:`."""
    out = [f"error: {sentence(error.title)}"]
    span = error.span
    if span is not None:
        out += _excerpt(span, error.label, error.related)
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


def _excerpt(span: Span, label: str, related: tuple[Span, str] | None) -> list[str]:
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
            first = max(0, start - 1 - _LONGEST // 2) if len(full) > _LONGEST else 0
            shown = full[first : first + _LONGEST]
            cut = first > 0
            rest = "…" * (first + len(shown) < len(full))
            out.append(f"{str(number).rjust(len(margin))} | {'…' * cut}{visible(shown)}{rest}")
            quoted = number
        before = width(visible(shown[: max(start - 1 - first, 0)])) + cut
        length = min(max(where.end - where.start, 1), max(len(shown) - (start - 1 - first), 1))
        marked = shown[start - 1 - first : start - 1 - first + length]
        out.append(f"{margin} | {' ' * before}{sign * max(width(visible(marked)), 1)} {sentence(text)}".rstrip())
    return out


def note_text(text: str, label: str | None = None) -> str:
    """A note on one line."""
    return f"note: {f'{sentence(label)}: ' if label else ''}{sentence(text)}\n"
