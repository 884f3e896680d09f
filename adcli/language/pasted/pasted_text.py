"""Rewriting of pasted text in the spelling of the language: typographic signs, LaTeX commands, raised letters.

Only used for text with a backslash, a subscript in braces, or characters beyond ASCII.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from ...patterns import compile_pattern
from ..spelling import LATEX_SIGNS, Spelling, replace_stretches, spell_again

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

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾"
_RAISED_LETTERS = "ⁱⁿᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵅᵝᵞᵟᶿᵠᵡ"
_HALVES = {"½": "5", "¼": "25", "¾": "75", "⅛": "125", "⅜": "375", "⅝": "625", "⅞": "875"}
_THIRDS = "⅓⅔⅕⅖⅗⅘⅙⅚"
_WORDS = {"∧": " and ", "∨": " or ", "¬": " not ", "⌊": " floor(", "⌋": ")", "⌈": " ceil(", "⌉": ")",
          "∑": "\\sum ", "∏": "\\prod "}  # fmt: skip
_OTHER_FORMS = compile_pattern(
    rf"(?:(?<![\w.])(?P<whole>[0-9]++))?+(?P<fraction>[{''.join(_HALVES)}{_THIRDS}])"
    f"|(?P<raised>[{_RAISED}{_RAISED_LETTERS}]++)"
    f"|(?P<word>[{''.join(_WORDS)}])"
    r"|(?<!\w)(?P<base>log_?[₀₁₂₃₄₅₆₇₈₉]++)(?=\w)"
)


def signs(text: str) -> str:
    """Return the text with typographic signs replaced one for one, so that places stay the same."""
    text = text.translate(_SIGNS)
    return "".join([unicodedata.normalize("NFKC", c)[:1] if "\U0001d400" <= c <= "\U0001d7ff" else c for c in text])


def spell_pasted(text: str, known: Collection[str] = (), split: bool = True) -> Spelling:
    """Return the text in the spelling of the language, `2½×x` as ` 2.5 *x`, with the places of its characters in the
    original (None if each character has its own).

    Characters such as ½, raised letters and typographic signs are replaced first, then LaTeX. `known` are names of
    variables in LaTeX, where with `split` other letters next to each other are a product. Raises Unspellable, with
    places in the original, for LaTeX without a meaning.
    """
    is_latex = any(sign in text for sign in LATEX_SIGNS) or ("$" in text and text.count("$") % 2 == 0)
    plain = Spelling(text) if text.isascii() else _with_plain_forms(text)
    if not is_latex and "\\" not in plain.text:  # there may be a fraction since
        return plain
    from . import latex_speller as latex  # most of what is pasted is none

    return spell_again(plain, lambda text: latex.LatexSpeller(text, known, split and is_latex).run())


def _with_plain_forms(text: str) -> Spelling:
    """Return the spelling of `text` with fractions such as ½, raised letters, ∑, ∧ and similar signs rewritten, each
    new character at the place of the whole sign, and typographic signs replaced one for one.

    Places are None if nothing was rewritten in more or fewer characters (raised digits stay).
    """
    forms = [(*match.span(), _find_replacement(match)) for match in _OTHER_FORMS.finditer(text)]
    new = [(start, end, form) for start, end, form in forms if form is not None]
    spelling = replace_stretches(text, new) if new else Spelling(text)
    return spelling._replace(text=signs(spelling.text))


def _find_replacement(match: re.Match[str]) -> str | None:
    r"""Return the replacement of a matched character, or None for raised digits alone, which the language has.

    ½ becomes ` 0.5 ` (2½ ` 2.5 `), ⅓ ` \frac{1}{3}` (2⅓ ` (2+\frac{1}{3})`), raised letters a power in brackets,
    `^(n)`, signs such as ∧ words or LaTeX; behind a base of log in lower digits (`log₂x`) a blank is put.
    """
    groups = match.groupdict()
    if fraction := groups["fraction"]:
        whole = groups["whole"]
        if fraction in _HALVES:
            return f" {whole or '0'}.{_HALVES[fraction]} "
        above, _, below = unicodedata.normalize("NFKC", fraction).partition("⁄")
        part = f"\\frac{{{above}}}{{{below}}}"
        return f" ({whole}+{part})" if whole else f" {part}"
    if raised := groups["raised"]:
        if set(raised).isdisjoint(_RAISED_LETTERS):
            return None  # the language has powers of digits
        return f"^({unicodedata.normalize('NFKC', raised).replace('−', '-')})"
    if word := groups["word"]:
        return _WORDS[word]
    return groups["base"] + " "
