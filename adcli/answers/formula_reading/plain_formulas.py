"""Plain formulas: the text of a formula in one spelling, without LaTeX, raised digits and dots above letters. Loose
products are `1/2x` with x below the line and `e^2x` with x in the exponent, both without brackets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from functools import partial

from ...language.scanner import plain_spelling
from ...notation.typeset_names import GREEK
from ...patterns import pattern
from ...table.primitive import lookup
from ..line_rewriting import replace_all, rewritings, row_pattern

_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿˣʸ", "0123456789+-()nxy")


def _power(match: re.Match[str]) -> str:
    """Return superscripts as a power (a callback of re.sub).

    Digits, digits after a sign, and letters give `^2`, `^-1`, `^n`. Anything else is put in brackets: `^(n-1)`.
    """
    raised = match.group().translate(_RAISED)
    return f"^{raised}" if raised.isdecimal() or raised[1:].isdecimal() or raised.isalpha() else f"^({raised})"


def _order_as_primes(match: re.Match[str]) -> str:
    """Return `f^{(2)}` as `f''` (a callback of re.sub); unchanged for a function of the table, such as sin."""
    return match.group() if lookup(match[1]) else match[1] + "'" * int(match[2])


_UNICODE, _CODE = rewritings("unicode", power=_power), rewritings("code", primes=_order_as_primes)
_LATEX, _SIGMOID = rewritings("commands"), rewritings("sigmoid")
_GREEK = pattern(rf"\\(?:var)?({'|'.join(sorted(GREEK, key=len, reverse=True))})(?![A-Za-z])")
_DOTS = {"\u0307": 1, "\u0308": 2}
_COMPOSED = row_pattern("{COMPOSED}")  # (f∘g)'(x), f∘g
_WITH_INDEX = pattern(r"(?<![^\W\d_])([^\W\d_]+)\s?_\s?(?:\{\s*(\d+)\s*\}|(\d+))")


def plain(text: str, inputs: Collection[str]) -> str:
    r"""Return the formula `text` in one spelling, in which brackets and words stay as they are.

    - `sigma` becomes σ, unless the name of an input has it, and `σ(` becomes `sigmoid(`, unless σ is an input.
    - Raised digits become powers, dots above letters primes. A blank is put after fractions such as ½, and after
      π, a factor, unless `^π` or `π(` is in the text.
    - LaTeX commands for spaces, fonts, Greek letters and primes are replaced; fractions such as `\frac{a}{b}` stay.
    - `**` becomes `^`; `f∘g` becomes `(f(g(x)))`; x is the argument written after it, or the first input.
    - Prefixes such as `np.` are removed, and orders such as `f^{(2)}` become primes.
    - `x_1` and `x_{1}` become the name in `inputs` with this letter and number, such as x1; they stay if no input has
      it.
    """
    if "sigma" in text and "sigma" not in "".join(inputs):
        text = text.replace("\\sigma", "σ").replace("sigma", "σ")
    text = text.replace("\\pi", "π")
    if not text.isascii():
        text = replace_all(text, _UNICODE).replace("″", "''").replace("‴", "'''").replace("∙", "*")
        text = "".join(
            map(_plain_character, plain_spelling(text if "^π" in text or "π(" in text else text.replace("π", "π ")))
        )
        if "σ" not in inputs:
            text = replace_all(text, _SIGMOID)
    if "\\" in text:
        text = _GREEK.sub(r" \1 ", replace_all(text, _LATEX))
    text = text.replace("**", "^").replace("`", "'").replace("´", "'")
    text = _COMPOSED.sub(partial(_expand_composition, inputs), text) if "∘" in text else text
    by_index = {_stem_and_index(name): name for name in reversed(tuple(inputs))}
    text = replace_all(text, _CODE)
    return _WITH_INDEX.sub(lambda match: by_index.get((match[1], match[2] or match[3]), match.group()), text)


def _stem_and_index(name: str) -> tuple[str, str]:
    """Return (`x`, `1`) for the names x1 and x_1; the index of a name without digits is empty."""
    stem = name.rstrip("0123456789")
    return stem.removesuffix("_"), name[len(stem) :]


def _expand_composition(inputs: Collection[str], match: re.Match[str]) -> str:
    """Return `f∘g` or `(f∘g)'(x)` as `(f(g(x)))`, with the primes after it (a callback of re.sub).

    The argument is the written one, or else the first of `inputs`, or else x. Functions are single letters.
    """
    names = [character for character in match["inner"] or match["bare"] if character.isalpha()]
    argument = match["of"] or match["at"] or next(iter(inputs), "x")
    whole = "(".join([*names, argument]) + ")" * len(names)
    return f"({whole}){match['primes'] or ''}"


def _plain_character(character: str) -> str:
    """Return a letter with dots above as that letter with primes, a fraction such as ½ with a blank after it, and any
    other character unchanged."""
    if character.isnumeric() and not character.isdigit():
        return f"{character} "
    decomposed = unicodedata.normalize("NFD", character)
    return decomposed[0] + "'" * _DOTS[decomposed[1]] if len(decomposed) == 2 and decomposed[1] in _DOTS else character


# --- loose products ---------------------------------------------------------------------------------------------------


def _bracketed(match: re.Match[str]) -> str:
    """Return `/(2x)` for `/2x` and `/(RT)` for `/RT` (a callback of re.sub).

    Unchanged if a single factor follows the `/`: one letter, power or call, or letters that begin with d (a
    differential such as dx).
    """
    factor = match[1]
    is_product = match[2] or match[3] or (len(factor) > 1 and factor.isalpha() and factor[0] != "d")
    return f"/({factor})" if is_product else match[0]


_BELOW_LINE, _IN_EXPONENT = rewritings("below_line", bracketed=_bracketed), rewritings("in_exponent")


def other_readings(text: str) -> list[str]:
    """Return three other readings of a formula with loose products, each as text.

    They have brackets around the product after each `/` (`1/(2x)`), around exponents such as `2x`, and around both.
    Letters run together are a product; a single factor gets no brackets. A reading may be `text` itself.
    """
    return [replace_all(text, table) for table in (_BELOW_LINE, _IN_EXPONENT, _BELOW_LINE + _IN_EXPONENT)]
