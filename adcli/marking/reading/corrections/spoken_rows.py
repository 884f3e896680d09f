"""Correction: spoken rows, `Die partielle Ableitung nach y ist x^2 + 1 = 10.`, in four languages."""

from __future__ import annotations

import re

from ....patterns import pattern
from ....table.primitive import lookup
from . import AnswerLine, Correction, NewRow

_DERIVATIVE = (
    r"(?:partial derivative|derivative|slope|partielle ableitung|ableitung|dérivée partielle|dérivée|derivada parcial|"
    r"derivada|differentiating|derived)"
    r"(?: (?:of|von|de|der|la)(?: (?:the function|la fonction|la función|funktion|[a-z]))?)?"
)
_BY = r"(?:with respect to|wrt|w\.r\.t\.|nach|par rapport à|con respecto a|respecto a|respecto de)"
_VALUE = (
    r"(?:function value|funktionswert|"
    r"(?:value|wert|valeur|valor)(?: (?:of|von|der|de))?(?: (?:the function|funktion|la fonction|la función|f|y))?"
    r"|[fy](?= evaluates))"
)
_VERB = (
    r"(?:is equal to|is|equals|ist gleich|ist|beträgt|ergibt|lautet|est égale? à|est|vaut|es igual a|es|vale|gives|"
    r"yields|evaluates to|comes to|becomes)(?: (?:then|thus|dann|also|donc|alors|entonces|about|approximately))?"
)
_SHAPE = pattern(
    rf"[^=:\d]{{0,40}}?(?<!\w)(?:{_DERIVATIVE},? {_BY} \$?(?P<input>\w+(?:_\{{\w+\}})?)\$?|{_VALUE}),?"
    rf"(?: (?:at|an|in|au|en)(?: \w+){{1,3}})?,? {_VERB}:? (?P<rest>[-−+(\d\w\\$].*?)"
    r"(?: (?:at|an|au|en) (?:this|the|der|dieser|ce|este|el)(?: \w+)?)?\s*[.;!]?\s*\Z",
    re.IGNORECASE,
)
_WORDS = pattern(r"[^\W\d_]{3,}")


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the row of a sentence on the value of the only result, or on its derivative with respect to an input.

    None for another sentence, for several results, and if the rest has words that are neither names nor functions.
    """
    names, match = line.lefts.names, _SHAPE.match(line.text.replace("\u00a0", " "))
    if match is None or len(names.outputs) != 1:
        return None
    start, end = match.span("rest")
    if any(lookup(word.lower()) is None and word not in names.known for word in _WORDS.findall(match["rest"])):
        return None
    own = names.own(match["input"]) if match["input"] else None
    if own is not None and own not in names.inputs:
        return None
    symbol = names.outputs[0] if own is None else f"∂{names.outputs[0]}/∂{own}"
    places = [place.span() for place in re.finditer(r"[^=≈]+", line.text[start:end])]
    pieces = [line.cut(start + first, start + last) for first, last in places]
    return [NewRow(line.cut(0, start)._replace(text=symbol), pieces)] if pieces else None


CORRECTION = Correction(
    "sentences are read as rows",
    "the derivative with respect to x is 3",
    (
        "derivative",
        "slope",
        "ableitung",
        "dérivée",
        "derivada",
        "differentiat",
        "value",
        "wert",
        "valeur",
        "valor",
        "evaluates",
    ),
    _rows,
)
