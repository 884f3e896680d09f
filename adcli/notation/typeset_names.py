"""Names as they are typeset: a stem, a subscript and primes, and the letters of the Greek alphabet by name."""

from __future__ import annotations

import unicodedata

from ..patterns import pattern

_DIGITS = pattern(r"\d+\Z")
_GREEK_LETTER = pattern("GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)\\Z")
GREEK = frozenset(
    """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi
    omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega""".split()  # noqa: SIM905
)


def name_parts(name: str) -> tuple[str, str, str]:
    """A name as it is typeset: its stem, its subscript (what follows the first underscore, or trailing digits), its
    primes.  A Greek letter as a stem is spelled out."""
    stem = name.rstrip("'")
    primes = name[len(stem) :]
    stem, underscore, subscript = stem.partition("_")
    if not underscore:
        match = _DIGITS.search(stem)
        if match and match.start() > 0:
            stem, subscript = stem[: match.start()], match.group()
    return _spelled(stem), subscript, primes


def _spelled(stem: str) -> str:
    """A Greek letter by its name, as far as LaTeX has it; any other stem as it is."""
    if len(stem) != 1 or stem.isascii():
        return stem
    found = _GREEK_LETTER.match(unicodedata.name(stem, ""))
    name = found.group(2).lower().replace("lamda", "lambda") if found else ""
    name = name.capitalize() if found and found.group(1) == "CAPITAL" else name
    return name if name in GREEK else stem


def greek_letter(name: str) -> str:
    """The letter with this name: θ for theta."""
    size = "CAPITAL" if name[0].isupper() else "SMALL"
    return unicodedata.lookup(f"GREEK {size} LETTER {'LAMDA' if name.lower() == 'lambda' else name.upper()}")
