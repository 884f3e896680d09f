"""Names as they are typeset: a stem, a subscript and primes; Greek letters and their names."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

LOGIC_SIGNS: Mapping[str, str] = MappingProxyType({"and": "∧", "or": "∨", "not": "¬"})  # of words of the language
GREEK = frozenset(
    """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi
    omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega""".split()  # noqa: SIM905
)


def name_parts(name: str) -> tuple[str, str, str]:
    """Return (stem, subscript, primes) of a name.

    The subscript is what follows the first underscore, or else trailing digits (unless all of the name is digits); it
    may be empty. The index of an array's entry is the end of the subscript, and primes after it are dropped: `x1[0,2]`
    gives ("x", "1,0,2", ""). A stem that is a Greek letter becomes its LaTeX name: `θ_1` gives ("theta", "1", "").
    """
    stem = name.rstrip("'")
    primes = name[len(stem) :]
    if stem.endswith("]"):  # an entry of an array
        stem, _, index = stem[:-1].partition("[")
        inner, subscript, primes = name_parts(stem)
        return inner, f"{subscript},{index}" if subscript else index, primes
    stem, underscore, subscript = stem.partition("_")
    if not underscore:
        letters = stem.rstrip("0123456789") or stem
        stem, subscript = letters, stem[len(letters) :]
    return greek_name(stem), subscript, primes


def greek_name(stem: str) -> str:
    """Return the LaTeX name of a single Greek letter, "theta" for θ and "Delta" for Δ; any other stem unchanged.

    Unchanged as well are Greek letters without a command in LaTeX (GREEK), such as Α or variants of letters, and stems
    of several characters.
    """
    if len(stem) != 1 or stem.isascii():
        return stem
    kind, _, word = unicodedata.name(stem, "").removeprefix("GREEK ").partition(" LETTER ")
    name = word.lower().replace("lamda", "lambda")
    name = name.capitalize() if kind == "CAPITAL" else name
    return name if name in GREEK and kind in ("SMALL", "CAPITAL") else stem


def greek_command(letter: str) -> str:
    r"""Return the LaTeX command of a Greek letter, `\theta` for θ; empty for any other character."""
    name = greek_name(letter)
    return f"\\{name}" if name != letter else ""


def greek_letter(name: str) -> str:
    """Return the Greek letter with this name: θ for theta, Θ for Theta."""
    size = "CAPITAL" if name[0].isupper() else "SMALL"
    return unicodedata.lookup(f"GREEK {size} LETTER {'LAMDA' if name.lower() == 'lambda' else name.upper()}")
