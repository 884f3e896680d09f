"""Correction: spoken rows, `Die partielle Ableitung nach y ist x^2 + 1 = 10.`, in four languages."""

from __future__ import annotations

from ...patterns import pattern
from ...table.primitive import lookup
from ..chains import between, chains
from ..row_tokens import BY, DERIVATIVE, HENCE, words_of
from ..symbols import Names
from . import AnswerLine, Correction, NewRow

_OF = r"(?: (?:of|von|de|der|la)(?: (?:the function|la fonction|la función|funktion|(?P<function>[a-z])))?)?"
_THE_DERIVATIVE = rf"(?:partial |partielle )?(?:{DERIVATIVE}(?: partielle| parcial)?|differentiating|derived){_OF}"
_VALUE = (
    r"(?:function value|funktionswert|[fy](?= evaluates)|(?:fonction|función)(?: f)?(?= (?:vale|vaut) )|"
    r"(?:value|wert|valeur|valor)(?: (?:of|von|der|de))?(?: (?:the function|funktion|la fonction|la función|f|y))?)"
)
_VERB = (
    r"(?:is equal to|is|equals|ist gleich|ist|beträgt|ergibt|lautet|est égale? à|est|vaut|es igual a|es|vale|gives|"
    r"yields|evaluates to|comes to|becomes|(?:I|we) (?:get|find|have|obtain)|(?:erhalte|bekomme|habe) ich|"
    r"(?:erhält|bekommt) man|ergibt sich|on (?:obtient|trouve|a)|j'obtiens|je trouve|(?:obtengo|obtenemos|se obtiene))"
    rf"(?: (?:{HENCE}|about|approximately))?"
)
_SHAPE = (
    r"[^=:\d]{0,40}?(?<!\w)"
    rf"(?:(?P<derivative>{_THE_DERIVATIVE})(?:,? {BY} \$?(?P<input>\w+(?:_\{{\w+\}})?)\$?)?|{_VALUE}),?"
    rf"(?: (?:at|an|in|au|en)(?: \w+){{1,3}})?,? {_VERB}:? (?P<rest>[-−+(\d\w\\$].*?)"
    r"(?: (?:at|an|au|en) (?:this|the|der|dieser|ce|este|el)(?: \w+)?)?\s*[.;!]?\s*\Z"
).replace(" ", r"\s")
_ARTICLES = frozenset(("the", "its", "die", "la", "sa", "su", "partial"))  # not: inner, second
_SIGN = pattern(rf"[=≈]|,?\s++(?:{HENCE}|so|(?:that|which)\s++is)\s++")


def _rows(line: AnswerLine) -> list[NewRow] | None:
    """Return the row of a sentence on the value of the only result, or on its derivative with respect to an input (the
    only one if it is not named, and neither is another function nor a kind of derivative, as in `inner derivative`), as
    a list of one.

    Its pieces are the texts between equals signs (or `, also`) of the rest. None for several results, for the
    derivative of a row, for an input that the problem does not have, if the rest is empty or has a semicolon, and if it
    has words of three or more letters that are neither names nor functions.
    """
    names, match = line.lefts.names, line.match
    if len(names.outputs) != 1 or any(row.left.text == match["function"] for row in line.rows):
        return None
    start, end = match.span("rest")
    rows = chains(match["rest"])
    if ";" in match["rest"] or any(line.lefts[match["rest"][slice(*row.left)].strip(" $")] for row in rows):
        return None  # another row
    places = between([sign.span() for sign in _SIGN.finditer(line.text, start, end)], start, end)  # = or `, also`
    if any(_is_prose(line.text[slice(*place)], names) for place in places):
        return None
    own = names.own(match["input"]) if match["input"] else None
    if match["derivative"] and own is None and len(names.inputs) == 1:
        before = line.text[: match.start("derivative")].lower().split()[-1:]
        is_whole = match["function"] in (None, *names.outputs) and _ARTICLES.issuperset(before)
        own = names.inputs[0] if is_whole else None
    if match["derivative"] and own not in names.inputs:
        return None
    symbol = names.outputs[0] if own is None else f"∂{names.outputs[0]}/∂{own}"
    pieces = [line.cut(*place) for place in places if line.text[slice(*place)].strip()]
    return [NewRow(line.cut(0, start)._replace(text=symbol), pieces)] if pieces else None


def _is_prose(text: str, names: Names) -> bool:
    """Return whether `text` has a word of three or more letters that is neither a name nor a function."""
    return any(len(word) > 2 and lookup(word.lower()) is None and word not in names.known for word in words_of(text))


_SIGNS = ("vaut", "derivative", "slope", "ableitung", "dérivée", "derivada", "differentiat", "val", "wert")
CORRECTION = Correction(
    "sentences are read as rows", "the derivative with respect to x is 3", _SIGNS, _rows, shape=_SHAPE
)
