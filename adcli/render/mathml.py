"""Formulas in MathML, which browsers draw and screen readers speak."""

from __future__ import annotations

from ..notation.names import GREEK, name_parts
from . import mathematics
from .page import escaped

_SHOWN = {
    "*": "⋅", "-": "−", "!=": "≠", "<=": "≤", ">=": "≥", "==": "=", "->": "→", "|(": "|", "|)": "|",
    "dot": "˙", "bar": "¯",
}  # fmt: skip
_OPENING, _CLOSING = ("(", "[", "{", "|("), (")", "]", "}", "|)")


def formula(text: str) -> str:
    """The formula of a cell as an element `math`."""
    return _around(mathematics.formula(text, DIALECT))


def words(text: str) -> str:
    """A text of ours as HTML, with an element `math` for each formula in it."""
    return mathematics.words(text, DIALECT)


def _around(body: str) -> str:
    return f"<math>{body}</math>"


def _name(name: str, accent: str) -> str:
    stem, subscript, primes = name_parts(name)
    stem = _greek(stem) if stem in GREEK else stem
    letter = f"<mi>{escaped(stem)}</mi>"
    if accent:
        # without accent="true", under which browsers set some fonts' dots and bars into the letter
        letter = f'<mover>{letter}<mo stretchy="false">{_SHOWN[accent]}</mo></mover>'
    kind = "mn" if subscript.isdecimal() else "mtext"
    below = f"<{kind}>{escaped(subscript)}</{kind}>"
    above = f"<mo>{'′' * len(primes)}</mo>"
    if subscript and primes:
        return f"<msubsup>{letter}{below}{above}</msubsup>"
    if subscript:
        return f"<msub>{letter}{below}</msub>"
    return f"<msup>{letter}{above}</msup>" if primes else letter


def _greek(name: str) -> str:
    import unicodedata

    size = "CAPITAL" if name[0].isupper() else "SMALL"
    return unicodedata.lookup(f"GREEK {size} LETTER {'LAMDA' if name.lower() == 'lambda' else name.upper()}")


def _number(text: str) -> str:
    mantissa, e, power = text.partition("e")
    if not e:
        return f"<mn>{text}</mn>"
    sign = "<mo>−</mo>" if power[0] in "-−" else ""
    return (
        f"<mrow><mn>{mantissa}</mn><mo>⋅</mo><msup><mn>10</mn>"
        f"<mrow>{sign}<mn>{power.lstrip('+-−')}</mn></mrow></msup></mrow>"
    )


def _function(word: str, index: str) -> str:
    stem = f"<mi>{escaped(word)}</mi>"
    return (f"<msub>{stem}<mn>{index}</mn></msub>" if index else stem) + "<mo>&#x2061;</mo>"


def _sign(sign: str, before: bool) -> str:
    shown = escaped(_SHOWN.get(sign, sign))
    if sign in mathematics.JOINING:
        return f'<mo lspace="0.3em" rspace="0.3em">{shown}</mo>'
    if sign in _OPENING or sign in _CLOSING:
        return f'<mo form="{"prefix" if sign in _OPENING else "postfix"}" stretchy="false">{shown}</mo>'
    if sign == "/":
        return '<mo lspace="0" rspace="0">/</mo>'
    return f'<mo form="prefix">{shown}</mo>' if before and sign in "−-+" else f"<mo>{shown}</mo>"


DIALECT = mathematics.Dialect(
    name=_name,
    number=_number,
    function=_function,
    sign=_sign,
    around=_around,
    text=escaped,
    apply='<mspace width="0.17em"/>',
    times='<mo>&#x2062;</mo><mspace width="0.17em"/>',
    power=("<msup><mrow>", "</mrow><mrow>", "</mrow></msup>"),
    root=("<msqrt>", "</msqrt>"),
)
