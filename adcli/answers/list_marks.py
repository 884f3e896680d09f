"""List marks before rows: `a: v1 = 9`, `(2) v2 = 18`, `Step iii - v3 = 8`; letters in sequence are not names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from .line_rewriting import row_pattern

_LONGEST = 80  # of a mark and the name of a row
_FRAME = row_pattern("{LIST_MARK}")
_TENS, _ONES = ("", "x", "xx", "xxx"), ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_ROMAN = {tens + ones: 10 * ten + one for ten, tens in enumerate(_TENS) for one, ones in enumerate(_ONES)}


def list_marks(lines: Sequence[str], begins_row: Callable[[str], bool]) -> dict[int, int]:
    """Return where list marks such as `a:` or `(2)` end, as offsets by line index (from 0), blanks behind a mark
    included.

    A mark is a number, a letter or a Roman numeral at the start of a line, with or without brackets and signs, and
    perhaps with a bullet and a word (`Step`, `#`) before it. The line must have an equals sign in its first 80
    characters, and a text between mark and sign. Marks of one form have the same word, bracket and signs, and all
    digits, all capitals or all small letters. Marks of one form are list marks if both conditions are met:

    - `begins_row` is true of the text after more than half of them;
    - they are two or more with all labels in sequence (`_counts`), or three or more whose labels are all the numbers of
      their lines (`_line_numbers`).

    So in `a: 9` and `v1: x1^2 = 9` a and v1 are names. Numbers of lines are list marks in lines without an equals sign,
    too; they end before the blanks.
    """
    frames: dict[tuple[str, ...], list[tuple[int, str, int]]] = {}
    for number, line in enumerate(lines):
        before, equals, _ = line[:_LONGEST].partition("=")
        match = _FRAME.match(before) if equals and len(before.split()) > 1 else None
        if match:
            word, opening, label, close = match.group("word", "open", "label", "close")
            kind = "1" if label.isdecimal() else "A" if label.isupper() else "a"
            frames.setdefault((word or "", opening, close, kind), []).append((number, label, match.end()))
    ends: dict[int, int] = {}
    for marked in frames.values():
        labels = {number: label for number, label, _ in marked}
        numbered = _line_numbers(lines, labels)
        if numbered or _counts([*labels.values()]):
            rows = sum(begins_row(lines[number][end:]) for number, _, end in marked)
            if rows * 2 > len(marked):
                ends |= {number: end for number, _, end in marked} | numbered
    return ends


def _line_numbers(lines: Sequence[str], labels: Mapping[int, str]) -> dict[int, int]:
    """Return {line index: offset where the number that begins the line ends}, if the labels count the lines; else {}.

    `labels` maps the index of each marked line to its label. The labels count the lines if there are three or more, all
    of digits, and label minus index is the same for all. The result has all lines whose first word is this number, with
    leading zeros and with signs . : ) ] around it or without; the signs are included. Lines that begin with another
    number (also `3.5`), or none, are left out.
    """
    shifts = {int(label) - number if label.isdecimal() else None for number, label in labels.items()}
    shift = shifts.pop() if len(shifts) == 1 and len(labels) > 2 else None
    if shift is None:
        return {}
    firsts = [(number, line, "".join(line.split(None, 1)[:1])) for number, line in enumerate(lines)]
    return {
        number: line.index(first) + len(first)
        for number, line, first in firsts
        if first.strip(".:)]").lstrip("0") == str(number + shift)
    }


def _counts(labels: Sequence[str]) -> bool:
    """Return whether `labels`, two or more, start at 1, and each of the others is the label before plus 1, or 1 again.

    All labels are read in the same way: as numbers, as single letters (a is 1), or as Roman numerals up to xxxix. Case
    does not matter. If all labels end in 0, as 10 and 20 do, this one 0 is dropped. False for fewer than two labels.
    """
    labels = [label[:-1] for label in labels] if all(label[-1] == "0" for label in labels) else labels
    lower = [label.lower() for label in labels]
    readings = (
        [int(label) if label.isdecimal() else -1 for label in labels],
        [ord(label) - ord("a") + 1 if len(label) == 1 and label.isalpha() else -1 for label in lower],
        [_ROMAN.get(label, -1) for label in lower],
    )
    return len(labels) > 1 and any(
        numbers[0] == 1 and all(new in (old + 1, 1) for old, new in pairwise(numbers)) for numbers in readings
    )
