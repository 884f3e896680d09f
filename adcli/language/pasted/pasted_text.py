"""Rewriting of pasted text in the spelling of the language: typographic signs, LaTeX commands, raised letters.

Only used for text with a backslash, a subscript in braces, or characters beyond ASCII.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from ..spelling import Reading, Spelling, Unspellable

# Characters for characters, so that positions stay what they are.
_SIGNS = str.maketrans(
    {
        **dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)),
        **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
        **dict.fromkeys("−–‐‑‒—﹣", "-"),
        **dict.fromkeys("×·⋅∙∗•⨯✕⋆", "*"),
        **dict.fromkeys("÷∕⁄∶", "/"),
        **dict.fromkeys("′’", "'"),
        **dict.fromkeys("\u00a0\u2009\u202f\u3000\u200b\u2060\ufeff", " "),
        **dict.fromkeys("∣‖", "|"),
        "⩽": "≤", "⩾": "≥", "µ": "μ", "º": "°", "˚": "°", "ℯ": "e", "ℎ": "h",
        "\u2126": "Ω", "\u212a": "K", "\u212b": "Å",
    }
)  # fmt: skip
_MATHEMATICAL = re.compile("[\U0001d400-\U0001d7ff]")

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾"
_RAISED_LETTERS = "ⁱⁿᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵅᵝᵞᵟᶿᵠᵡ"
_LETTER = re.compile(f"[{_RAISED_LETTERS}]")
_HALVES = {"½": "5", "¼": "25", "¾": "75", "⅛": "125", "⅜": "375", "⅝": "625", "⅞": "875"}
_THIRDS = "⅓⅔⅕⅖⅗⅘⅙⅚"
_WORDS = {"∧": " and ", "∨": " or ", "¬": " not ", "⌊": " floor(", "⌋": ")", "⌈": " ceil(", "⌉": ")",
          "∑": "\\sum ", "∏": "\\prod "}  # fmt: skip
_OTHER_FORMS = re.compile(
    rf"(?:(?<![\w.])(?P<whole>[0-9]++))?+(?P<fraction>[{''.join(_HALVES)}{_THIRDS}])"
    f"|(?P<raised>[{_RAISED}{_RAISED_LETTERS}]++)"
    f"|(?P<word>[{''.join(_WORDS)}])"
    r"|(?<!\w)(?P<base>log_?[₀₁₂₃₄₅₆₇₈₉]++)(?=\w)"
)


def signs(text: str) -> str:
    """Return the text with typographic signs replaced one for one, so that places stay the same."""
    text = text.translate(_SIGNS)
    return _MATHEMATICAL.sub(lambda match: unicodedata.normalize("NFKC", match.group())[:1], text)


def spelled(text: str, known: Collection[str] = (), split: bool = True) -> Spelling:
    """Return the text in the spelling of the language, with the place of each character in the original.

    In LaTeX `known` are names of variables, and with `split` other letters next to each other are a product. Raises
    Unspellable for what has no meaning.
    """
    starts: list[int] | None = None
    ends: list[int] | None = None
    tex = "\\" in text or "^{" in text or "_{" in text or "{,}" in text or ("$" in text and text.count("$") % 2 == 0)
    split = split and tex
    if not text.isascii():
        text, starts, ends = _with_plain_forms(text)
        text = signs(text)
    if tex or "\\" in text:  # there may be a fraction since
        return _latex(text, starts, ends, known, split)
    return Spelling(text, starts, ends)


def _latex(
    text: str, starts: list[int] | None, ends: list[int] | None, known: Collection[str], split: bool
) -> Spelling:
    """Return LaTeX in the language's spelling; with `split` letters next to each other are a product.

    `starts` and `ends` are the original places of the characters of `text` (None if unchanged). Raises Unspellable with
    original places.
    """
    from . import latex_speller as latex  # most of what is pasted is none

    starts, ends = starts or list(range(len(text))), ends or list(range(1, len(text) + 1))

    def origin(start: int, end: int) -> tuple[int, int]:
        return starts[min(start, len(starts) - 1)], ends[max(min(end, len(ends)) - 1, 0)]

    try:
        pieces, readings, variables = latex.spelled(text, known, split)
    except Unspellable as problem:
        problem.start, problem.end = origin(problem.start, problem.end)
        raise
    places = [(origin(piece.start, piece.end), len(piece.text)) for piece in pieces]
    return Spelling(
        "".join(piece.text for piece in pieces),
        [start for (start, _), size in places for _ in range(size)],
        [end for (_, end), size in places for _ in range(size)],
        [Reading(r.text, origin(*r.span), r.kind, r.topic) for r in readings],
        variables,
    )


def _with_plain_forms(text: str) -> tuple[str, list[int] | None, list[int] | None]:
    """Return the text with its characters of other forms replaced, and the original starts and ends of its characters.

    The places are None if nothing was replaced.
    """
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for match in _OTHER_FORMS.finditer(text):
        new = _other(match)
        if new is not None:
            first, last = match.span()
            pieces += text[done:first], new
            starts += [*range(done, first), *[first] * len(new)]
            ends += [*range(done + 1, first + 1), *[last] * len(new)]
            done = last
    if not pieces:
        return text, None, None
    size = len(text)
    return "".join([*pieces, text[done:]]), [*starts, *range(done, size)], [*ends, *range(done + 1, size + 1)]


def _other(match: re.Match[str]) -> str | None:
    """Return the replacement of a character: fractions such as ½ as numbers, raised letters as powers, signs such as ∧
    as words; None for raised digits, which the language has."""
    groups = match.groupdict()
    if fraction := groups["fraction"]:
        whole = groups["whole"]
        if fraction in _HALVES:
            return f" {whole or '0'}.{_HALVES[fraction]} "
        above, _, below = unicodedata.normalize("NFKC", fraction).partition("⁄")
        part = f"\\frac{{{above}}}{{{below}}}"
        return f" ({whole}+{part})" if whole else f" {part}"
    if raised := groups["raised"]:
        if not _LETTER.search(raised):
            return None  # the language has powers of digits
        return f"^({unicodedata.normalize('NFKC', raised).replace('−', '-')})"
    if word := groups["word"]:
        return _WORDS[word]
    return groups["base"] + " "
