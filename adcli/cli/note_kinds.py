"""Kinds of notes, which can be hidden one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..errors import RequestError

# The subject of each kind; a function's name is the kind of the note about that name, such as `log`.
TOPICS = {
    "log": "log, which is natural here and has another base elsewhere",
    "order": "x^1/2, 1/2x, sin x/2, sqrt x+1: where spacing or habit says otherwise than the rules",
    "product": "x(…), read as a product",
    "notation": "notations of other programs, such as SIN(x) or σ(x)",
    "names": "xy, mc, dx: names that may mean something else",
    "scripts": "letters that look like others",
    "constants": "e, pi or tau as an input",
    "inverse": "sin^-1, read as the inverse function",
    "degrees": "30°",
    "percent": "%, read as the remainder",
    "brackets": "{ } read as brackets",
    "characters": "wide characters",
    "label": "2. x, which may have been a label",
    "broadcast": "a vector that is added to each row of a matrix",
    "sum": "where the term of a sum ends",
    "cases": "the last case without a condition",
    "rounded": "numbers with more digits than a double has",
    "underflow": "numbers too small for a double",
    "point": "a point of the problem against --at",
    "unused": "names of the point that do not occur, columns that do not count",
    "constant": "expressions without inputs",
    "kink": "where a derivative is a convention; --quiet keeps these",
    "undefined": "derivatives that do not exist",
    "infinite": "derivatives that are infinite",
    "overflow": "numbers beyond doubles",
    "conditioning": "few right digits",
    "inexact": "fractions that became decimals",
    "branch": "complex numbers on a cut",
    "uncertain": "what could not be proved",
    "disagreement": "ways of computing that differ",
    "curvature": "uncertainties for which first order is too little",
    "domain": "uncertainties that reach beyond where there is a value",
    "cells": "points without a value, control characters in cells",
    "work": "what a command has written, kept, left out or assumed",
}
WORK = "work"  # the kind of notes that are not about an expression
LOUD = "kink"  # printed with --quiet, too: what is shown is not a derivative


def topics_of(texts: Iterable[str], where: str) -> Iterator[str]:
    """Yield the kinds of notes named in `texts`, each of which may have commas; blanks and empty names are dropped.

    A function with a note on how it is read, such as `log`, is a kind, too; it is yielded by its main name. Raises
    RequestError for an unknown kind, in which `where` says where it is written.
    """
    from ..table.primitive import lookup

    for text in texts:
        for topic in filter(None, (word.strip() for word in text.split(","))):
            row = lookup(topic)
            if topic not in TOPICS and (row is None or not row.reading):
                from ..table.suggest import similar

                guess = similar(topic, TOPICS)
                advice = f"did you mean {guess}?" if guess else "all kinds of notes: adcli help notes"
                raise RequestError(f"there is no kind of note called {topic}", label=f"in {where}", help=advice)
            yield row.name if topic not in TOPICS and row is not None else topic
