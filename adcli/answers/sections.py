"""Sections of an answer: headings of problems, and titles that name the input or output of a table.

A label is what a heading calls its problem, 2 in `Problem 2`; a title is a line above rows of derivatives.
"""

from __future__ import annotations

import re

from ..language.advice import synonyms
from ..patterns import pattern
from .line_rewriting import row_pattern
from .numerals import numeral
from .row_tokens import names_in
from .symbols import Names, separate_accents

_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
_COUNTED = {word: numbers[0] for word, numbers in synonyms("ordinals").items()}
_TITLES = [row_pattern(title, re.IGNORECASE) for title in ("{TITLE}", "{MARKED_TITLE}", "{ORDINAL_TITLE}")]
_ALONE = row_pattern("{LABEL_ALONE}")
_FRAME = "-=*~_"
_SIGNS = str.maketrans(dict.fromkeys(".:()[]#*_=~-", " "))
_SHORT = pattern(r"(?:[a-z]|[^\W\d_]+ )?(\d{1,3})(?:st|nd|rd|th)?\Z")  # p1, 1st
_LONGEST = 200
_EQUATION = pattern(r"[^\s=]\s*+=(?!=)\s*+[^\s=]", signs="=")  # as no title has it
_SECTIONED = pattern(r"\\(?:sub)*section\*?\{(.*)\}\s*\Z", signs="\\")
_STATED = pattern(r"(?:(?P<label>[^:=]{1,200}): )?.{1,4000}? {3}at \S+ = ", signs=("   at ",))
_MOVING = row_pattern("(?i){SWEEP_OF_INPUT}")
_HEAD = row_pattern("{HEAD}")
_ENDS = ":→⇒>)]-–—"
_OPERATOR = row_pattern("{BY_INPUT}")
_RESULT = row_pattern(r"(?i)(?:adjoints?|reverse mode|derivatives)\s+(?:of|for|from)\s+\$?({NAME})")


def heading(line: str) -> str | None:
    r"""Return the label in a heading such as `Problem 2`, `## 2.`, `(b)`, `Ejercicio 3: …`; None for other lines.

    The label is as written, without brackets: 2, b, iv, second, `2b`, 1.2; that of `2. Aufgabe` is `2.`. It may be

    - after a word for a problem, or a number or ordinal before it, `second problem`, `2. Aufgabe`;
    - after # as in Markdown or in `\section{…}`, with one of . ) : behind it or nothing;
    - alone in its line, if it is a letter, a number of up to three digits or a Roman numeral, and in brackets or with
      one of . ) : behind it; a number also in a frame, `--- 2 ---`. A bare `2` is not a heading.

    A line with an equation (an = between texts), of over 200 characters, or, in the first two cases, whose text after
    the label is not the end of a title (`_is_title`) is not a heading. A word without a label is none.
    """
    text = line.strip()
    if len(text) > _LONGEST or _EQUATION.search(text):
        return None
    framed = text.strip(_FRAME).strip()
    if framed.isdecimal() and len(framed) < 4 and not (text[:2] + text[-2:]).strip(_FRAME):
        return framed
    text = text.strip("*_").strip()
    section = _SECTIONED.match(text)
    if section:
        text = "# " + section[1].strip()
    named, *others = _TITLES
    match = named.match(text.removeprefix("# ") if section else text)
    for title in others:
        match = match or title.match(text)
    if match and _is_title(match["label"], match["rest"]):
        return match["label"].strip("()") if match["label"][0] == "(" else match["label"]
    alone = _ALONE.match(text)
    return (alone["label"] or alone["numbered"]) if alone else None


def _is_title(label: str, rest: str) -> bool:
    """Return whether `rest`, the text after the `label`, may end a title; True for an empty `rest`.

    False if the label has letters alone (b, iv, second) and `rest` does not begin with one of . : ) ( , — – = and -.
    The signs . : ) — – = - _ * ~ and blanks at both ends do not count. False if what remains has =, ≈ or →, is a
    decimal number, or has one of - + * / ^ that is not right behind a letter, digit or opening bracket, as in `x + y`.
    """
    if label.isalpha() and rest and rest[0] not in ".:)—–=-(,":
        return False
    return not re.search(r"[=≈→]|(?<![\w(])[-+*/^]|\A\d+\.\d+\Z", rest.strip(" .:)—–=-_*~"))


def same_label(one: str, other: str) -> bool:
    """Return whether two labels name the same problem: `Problem 2:` and 2, P2, II, b, second."""
    return not _spellings(one).isdisjoint(_spellings(other))


def _spellings(title: str) -> set[str]:
    """Return the forms of a label by which two labels are compared, in lower case: `P1`, `1st`, `first` and `I` all
    have "1".

    `title` is a label or a whole heading. The forms are the label and the title, without signs, and a number: that in
    `p1`, `ex 1` or `1st`, that of an English or German number word or ordinal from 1 to 10, or of a Roman numeral from
    I to XII. Other letters have no number; `i` has the forms "i" and "1".
    """
    plain = " ".join(label(title).casefold().translate(_SIGNS).split())
    forms = {plain, " ".join(title.casefold().translate(_SIGNS).split())}
    short = _SHORT.match(plain)
    if short:
        plain = short[1]
    plain = _COUNTED.get(plain, plain)
    if plain in _ROMAN:
        plain = str(_ROMAN.index(plain) + 1)
    return {*forms, plain} - {""}


def label(title: str) -> str:
    """Return the label in a heading, 2 for `Problem 2`; a title of another kind without the blanks around it."""
    return heading(title) or title.strip()


def find_problem_label(line: str) -> str | None:
    """Return the label in a line of this program's output that states a problem, empty if it has none; None
    otherwise.
    """
    match = _STATED.match(line)
    return None if match is None else match["label"] or ""


def named_in_title(line: str, names: Names) -> tuple[str | None, str | None]:
    """Return (the input, the output) that a title names, as in `tangents with respect to x1` and `adjoints of y`; None
    for one that it does not name, and for both in a line that ends in a number, `the result wrt x: 5`.
    """
    if line[-1:].isdecimal() and numeral(line.rpartition(" ")[2]) is not None:
        return None, None
    return _match_name(_MOVING, line, names, names.inputs), _match_name(_RESULT, line, names, names.outputs)


def head(line: str, names: Names) -> tuple[int, str] | None:
    """Return (offset, input) of words before a row that name one input: (7, "x1") for `wrt x1: v1' = 6`, also `wrt (x1)
    …`.

    Any words count, up to 60 characters without = and commas, that end in a colon, an arrow, a dash between blanks or a
    closing bracket; the offset is behind that sign, before blanks. A step number before them is skipped; `(x1)` at the
    start is taken for one. The sign must be in the first 200 characters. The words may name outputs and rows too. None
    for a line without such words, or if they name no input or several. The input is "" for words without an input that
    end in a single letter that is not ASCII, as in `tangent in direction ε:`.
    """
    words = line[:_LONGEST].partition("=")[0]
    match = _HEAD.match(line) if any(sign in words for sign in _ENDS) or "=>" in line else None
    if match is None:
        return None
    words = _OPERATOR.sub(" ", separate_accents(match["words"])[0])
    inputs = {target for word in names_in(words) if (target := names.own(word)) in names.inputs}
    is_unknown = not inputs and not words[-2:-1].strip() and not words[-1:].isascii() and words[-1:].isalpha()
    return (match.end(), inputs.pop() if inputs else "") if len(inputs) == 1 or is_unknown else None


def _match_name(shape: re.Pattern[str], line: str, names: Names, known: tuple[str, ...]) -> str | None:
    """Return the first name of `known` that the last group of `shape` finds in `line`; None if there is none."""
    written = (match[match.lastindex or 0] for match in shape.finditer(line))
    return next((name for each in written if (name := names.own(separate_accents(each)[0])) in known), None)
