"""The commands of LaTeX and their meaning in the language, as data."""

from __future__ import annotations

from collections.abc import Mapping


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BLANKS = _words(
    "quad qquad thinspace enspace medspace thickspace negthinspace displaystyle textstyle scriptstyle "
    "scriptscriptstyle limits nolimits nonumber notag mathstrut strut allowbreak hfill hfil null relax noindent "
    "par newline centering rm it bf mathrel mathbin mathord mathopen mathclose mathpunct mathinner mathop "
    "ensuremath small large normalsize therefore space break nobreak"
)
SIGNS: Mapping[str, str] = {
    "cdot": "*", "times": "*", "ast": "*", "cdotp": "*", "bullet": "*", "div": "/", "slash": "/",
    "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]", "lparen": "(", "rparen": ")", "vert": "|", "Vert": "|",
    "mid": "|", "lvert": "\\left|", "rvert": "\\right|", "lVert": "\\left|", "rVert": "\\right|",
    "lfloor": " floor(", "rfloor": ")", "lceil": " ceil(", "rceil": ")",
    "le": "<=", "leq": "<=", "leqslant": "<=", "leqq": "<=", "ge": ">=", "geq": ">=", "geqslant": ">=", "geqq": ">=",
    "lt": "<", "gt": ">", "ne": "!=", "neq": "!=", "land": " and ", "wedge": " and ", "lor": " or ", "vee": " or ",
    "lnot": " not ", "neg": " not ", "bmod": "%", "coloneqq": ":=", "degree": "°", "textdegree": "°", "circ": "°",
    "prime": "'", "lgroup": "(", "rgroup": ")", "colon": ":", "minus": "-", "plus": "+",
}  # fmt: skip
SIZES = _words("left right mleft mright middle big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr bigm Bigm")
ACCENTS: Mapping[str, str] = {
    "hat": "hat", "bar": "bar", "tilde": "tilde", "vec": "vec", "dot": "dot", "ddot": "ddot", "widehat": "hat",
    "widetilde": "tilde", "overline": "bar", "check": "check", "breve": "breve", "acute": "acute", "grave": "grave",
    "mathring": "ring",
}  # fmt: skip
WORDS = _words(
    "mathrm mathit mathbf mathsf mathtt mathcal mathscr mathfrak mathbb mathnormal boldsymbol bm pmb text textit "
    "textbf textrm textsf texttt textnormal mbox hbox operatorname operatornamewithlimits symbf symup"
)
PASSED = _words("boxed fbox underline cancel bcancel xcancel mathclap smash emph")
# Commands that say nothing of the value, with the number of their arguments.
DROPPED: Mapping[str, int] = {
    "label": 1, "tag": 1, "hspace": 1, "vspace": 1, "phantom": 1, "hphantom": 1, "vphantom": 1, "color": 1,
    "textcolor": 1, "mathcolor": 1, "kern": 0, "mkern": 0, "ref": 1, "eqref": 1, "cite": 1,
}  # fmt: skip
# How many arguments a command takes that may be an argument itself.
TAKES: Mapping[str, int] = {
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac", "binom"), 2), **dict.fromkeys((*ACCENTS, *WORDS, "sqrt"), 1)
}  # fmt: skip
_FRACTION = ("a fraction has two parts in braces", "the second one is missing", "write \\frac{a}{b}")
_ROOT = ("a root has its argument in braces", "the argument is missing", "write \\sqrt{x} or \\sqrt[n]{x}")
MISSING: Mapping[str, tuple[str, str, str]] = {
    **dict.fromkeys(("\\frac", "\\dfrac", "\\tfrac", "\\cfrac"), _FRACTION), "\\sqrt": _ROOT
}  # fmt: skip
ENVIRONMENTS = _words(
    "equation align aligned alignat alignedat gather gathered split multline eqnarray displaymath math array flalign"
)
CASE_WORDS = "if|for|when|where|otherwise|else|elsewhere|falls|sonst|si|sinon|and|in other cases"
LETTERS = _words(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon "
    "phi chi psi omega varepsilon vartheta varpi varrho varsigma varphi varkappa Gamma Delta Theta "
    "Lambda Xi Pi Sigma Upsilon Phi Psi Omega Alpha Beta Epsilon Zeta Eta Iota Kappa Mu Nu Omicron Rho Tau Chi "
    "hbar hslash ell imath jmath wp aleph varGamma varDelta varTheta varLambda varXi varPi varSigma varPhi "
    "varPsi varOmega"
)
