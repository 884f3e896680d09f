"""Spellings of derivatives and numbers in LaTeX packages, in Word and in words, replaced by those that are read, ∂y/∂x.

Every text keeps its length, so that each character still has its place in the student's line.
"""

from __future__ import annotations

from collections.abc import Sequence

from .line_rewriting import BLANK, apply_rules, rewritings
from .row_tokens import BRACES, BY, DERIVATIVE, LETTER, NAME
from .symbols import Names

_D = r"(?:∂|d|\\?partial\s++)"
_D_OF = r"(?<![\w}])(?:∂|\\partial|D)\s?_\s*+"
_ARGUMENT = r"\{([^{}]*+(?:\{\w++\})?+)\}"
_POINT = r"[^\W\d]\w*+\s*+=\s*+[-−]?[\d.]++"
_MARKS = ("\u0307", "\u0304", "\u0305")
_SHOWING = r"num|SI|si|qty|unit|boxed|fbox|ensuremath|hl|(?:colorbox|textcolor)\{\w*+\}"
_BAR = r"(?:\\(?:right|[bB]igg?[lr]?)\s*+)?(?:\||∣|\\(?:rvert|vert|mid)(?![A-Za-z]))"
_FRACTION = r"∂\1/∂\2"
_WORD_SIGNS = str.maketrans(
    dict.fromkeys("〖〗\u2061\u2062\u200b\u2592█\ufe0f\u20e3", BLANK) | dict.fromkeys("\u2019\u2032\u02b9\u00b4", "'")
)
_EMOJI = rewritings((("",), "\\d\ufe0f?\u20e3|(?![✓✔✗✘☐☑])[\u2600-\u2612\u2614-\u27bf\U0001f000-\U0001faff]", ""))
_SPELLINGS = rewritings(
    ((*":;", *(f"={sign}" for sign in "'’o-)(dp/\\|"), "xd", "<3", "\\o/", "^^"),  # faces after a number: 1.0986 :-)
     r"(?<=\s)(?:[:;=]['’o-]?[)(DPp/\\|]|(?<=\d\s)<3|\\o/|\^\^|[xX]D)(?=[\s.,!)]|\Z)(?!\s*+[-+−*/·=≈^])", ""),
    (("%",), r"(?<![\d\\])%(e|pi|i|phi)(?!\w)", r"\1"),  # constants of Maxima
    (("}^",), r"\^\{([^{}]++)\}\^\{?+(\w++)\}?+", r"^{(\1)*\2}"),  # as TeX refuses it: e^{x}^{2} is the square of e^x
    (("\\",), rf"\\(?:{_SHOWING})\s*+{BRACES}", r"\1"),
    (("\\",), rf"\\(?:pdv|dv|pderiv|deriv|diffp?)\*?\s*+{_ARGUMENT}\s*+{_ARGUMENT}", _FRACTION),
    (_MARKS, rf"\(\s*+(\w)(\w*+(?:_\{{[\w-]++\}})?+'*+)\s*+\)\s?([{''.join(_MARKS)}])", r"\1\3\2"),  # Word's (x_1 ) ̅
    (_MARKS, rf"(\w)\s([{''.join(_MARKS)}])", r"\1\2"),
    (("|", "∣", "\\"),
     rf"\\left\s*+\.|{_BAR}\s*+(?:₍[^₍₎]*+₎|_\s*+(?:\{{[^{{}}]*+\}}|\([^()]*+\)|[\w.=−-]++))", ""),
    (("/(", "/ (", "/\u00a0"), rf"\(?\s*+{_D}({NAME})\s*+\)?\s*+/\s*+\(\s*+{_D}({NAME})\s*+\)", _FRACTION),
    (("partial",), rf"(?<!\w)partial\s++({NAME})\s*+/\s*+partial\s++({NAME})", _FRACTION),
    # ∂_x y
    (("∂", "d_", "partial"), rf"{_D_OF}(?:\{{\s?({NAME})\s?\}}|({LETTER}\d*+))\s?\(?\s?([^\W\d]\w*+)\)?", r"∂\3/∂\1\2"),
    ((")_",), rf"\(\s*+({_D}{NAME}\s*+/\s*+{_D}{NAME})\s*+\)\s*+_\s*+(?:\{{[^{{}}]*+\}}|\([^()]*+\)|\w++)", r"\1"),
    (("wrt", "w.r.t", "respect", "nach"), rf"(?<!\w)[d∂]({LETTER}\d*+)\s++{BY}\s++({NAME})", _FRACTION),  # dy wrt x
    ((".data", ".val"), r"(?<=\w)\.(?:data|val(?:ue)?)(?=\s*+[=:])", ""),
    ((" quer", " barr"), r"(?<=\w)[ \u00a0](quer|barr[ea])(?!\w)", r"_\1"),  # v1 quer
    ((" bar", " dot"), r"(?<![\w.])([^\W\d_]\d*+)[ \u00a0]++(bar|dot)(?=\s*+(?:[-+−*/·×=≈:),;]|\Z))", r"\1\2"),
    ((" .", ". "),  # 0. 141, 6 . 000
     r"(?<=[-+−*/=≈(] )(0)(?: \.| ?\. )(\d++)|(?<=[=≈] )([-−]?\d++)(?: \.| ?\. )(\d\d++)(?=\s*+\Z|  )", r"\1\3.\2\4"),
    # grads['v1']
    (("['", '["'), r"(?<!\w)(grad|adj(?:oint)?|bar|dot|tangent)s?\[\s*+['\"](\w++)['\"]\s*+\]", r"\1(\2)"),
    (("l'adj",), r"(?<!\w)[Ll]'(?=adjoint)", ""),
    (("δ(", "\\delta(", "\\delta ("), r"(?:δ|\\delta)\s?\(\s*+(\w++)\s*+\)", r"δ_\1"),
    (("_{",), rf"(?<![\w\\])({LETTER}[^\W_]*+)_\{{\s*+({LETTER})_\{{?(\w++)\}}?\s*+\}}", r"\1_\2\3"),  # y_{v_1}
    (("~",), r"(?<=\w)~(?=\s++=|\s*+[*/·×⋅)]|\s++[-+−]\s|\s*+\Z)", "\u0304"),  # v1~ = 1
    (("analog", "similar", "likewise", "entsprech", "ebenso"),  # f_y: analogously, y/f = 0.8
     r"(?i)(?<=[=:]\s)(?:analog\w*+|similar\w*+|likewise|entsprechend|ebenso)[\s,:]++(?=\S*[\d(/*^·])", ""),
    ((". ", ".=", ".)"), r"(?<![\w.])([^\W\d_]\w?)\.(?=\s*+[=+*/)]|\s++[-−]\s)", r"\1'"),  # n. = 3x^2, (n. - B m.)/m
    (("'_",), rf"(?<!\w)({LETTER})'_\{{?({LETTER}\w*+)\}}?", r"\1_\2"),  # f'_x
    ((" at ", " bei ", " für ", " en ", " pour ", " for ", " when "),  # dy/dx at x = 2 = 4
     rf"(?<=[^\s:;,])\s++(?:at|bei|für|en|pour|for|when)\s++{_POINT}(?:\s*+,\s*+{_POINT})*+"
     r"(?=\s*+(?:[:=≈]|is\s|ist\s|est\s|es\s|equals\s))", ""),
    (("deriv", "dériv", "slope", "ableitung"),
     rf"(?i)(?:the\s++)?(?:partial\s++)?{DERIVATIVE}\s++(?:of|von|de)\s++({NAME})\s++{BY}\s++({NAME})", _FRACTION),
)  # fmt: skip


def join_names(lines: Sequence[str], names: Names) -> Sequence[str]:
    """Return the lines with names such as `v 1`, written with a blank, changed to `v1` and a blank; lengths stay.

    If fewer than two lines begin with a word of letters, a blank and a number, or no single letter begins such a line
    before a relation or a mark (`v 1 =`, `v 1 bar`), return `lines`. Otherwise these letters, and those of numbered
    inputs such as x1, are joined in all lines with a number one blank behind them; not at the end of a word, and not
    with 1.5.
    """
    starts = [line.split(None, 3)[:3] for line in lines]
    numbered = [start for start in starts if len(start) > 2 and start[1].rstrip("'").isdecimal() and start[0].isalpha()]
    letters = {start[0] for start in numbered if len(start[0]) == 1 and start[2] in ("=", "≈", ":=", "bar", "dot")}
    if not letters or len(numbered) < 2:
        return lines
    letters |= {name[0] for name in names.inputs if name[1:].isdecimal()}
    rule = rewritings((("",), rf"(?<!\w)([{''.join(letters)}]) (\d++'*+)(?![\w.])", r"\1\2"))
    return [apply_rules(line, rule) for line in lines]


def _without_script(text: str, command: str) -> str:
    r"""Return `text` with blanks for each `command` (with its backslash), as `L` for `\mathcal L` and `\mathcal{L}`.

    The letter moves next to the text behind it: blanks after the command, and braces around a single letter, are
    blanked out too; other braces stay. A longer command that begins with `command` is not told apart. The length stays
    the same.
    """
    first, *others = text.split(command)
    for other in others:
        letter = other.lstrip()
        has_braces = letter[:1] + letter[2:3] == "{}"
        bare = letter[1] + BLANK + letter[3:] if has_braces else letter
        first += BLANK * (len(command) + len(other) - len(bare)) + bare
    return first


def respell_derivatives(text: str) -> str:
    r"""Return the line `text` with derivatives of LaTeX packages, of Word and in words as ∂y/∂x; the length stays the
    same.

    Examples are `\pdv{y}{x}`, `(∂y)/(∂x)`, `∂_x y`, `dy wrt x` and `derivative of y with respect to x`. Other spellings
    of names and numbers are changed too, such as `grads['v1']`, `v1 bar` and `0. 141` (`_SPELLINGS`). Blanked out are
    mathcal of LaTeX, emoji, faces after a number, evaluation bars with their index, and points such as `at x = 2`
    before a relation or `is`, whatever their values.
    """
    for command in ("\\mathcal", "\\mathscr"):
        text = _without_script(text, command) if command in text else text
    if not text.isascii():
        text = apply_rules(text, _EMOJI).translate(_WORD_SIGNS)
    return apply_rules(text, _SPELLINGS)
