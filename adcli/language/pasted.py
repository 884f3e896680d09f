"""What people paste, in the spelling of the language: typographic signs, LaTeX commands, raised letters.

Only asked for text with a backslash, a subscript in braces, or characters beyond ASCII.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from ..table.primitive import lookup

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
        "⩽": "≤", "⩾": "≥", "µ": "μ", "ℯ": "e", "ℎ": "h",
    }
)  # fmt: skip
_MATHEMATICAL = re.compile("[\U0001d400-\U0001d7ff]")

_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾"
_RAISED_LETTERS = "ⁱⁿᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵅᵝᵞᵟᶿᵠᵡ"
_LETTER = re.compile(f"[{_RAISED_LETTERS}]")
_DIGITS = re.compile("[0-9]*")
_HALVES = {"½": "5", "¼": "25", "¾": "75", "⅛": "125", "⅜": "375", "⅝": "625", "⅞": "875"}
_THIRDS = "⅓⅔⅕⅖⅗⅘⅙⅚"
_WORDS = {"∧": " and ", "∨": " or ", "¬": " not ", "⌊": " floor(", "⌋": ")", "⌈": " ceil(", "⌉": ")"}
_COMMANDS = {
    "cfrac": "\\frac", "div": "/", "ast": "*", "land": " and ", "wedge": " and ", "lor": " or ", "vee": " or ",
    "lnot": " not ", "neg": " not ", "lfloor": " floor(", "rfloor": ")", "lceil": " ceil(", "rceil": ")",
    "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]", "thinspace": " ",
    "cdotp": "*", "displaystyle": " ", "textstyle": " ", "limits": " ",
}  # fmt: skip

_ASCII_FORMS = re.compile(
    r"""
      \\(?P<size>[bB]igg?[lrm]?)(?![a-zA-Z])\ *(?P<sized>\\[{}|]|\\[lr]?[vV]ert(?![a-zA-Z])|[()\[\]|])
    | \\(?P<side>left|right)\ *\\[lr]?[vV]ert(?![a-zA-Z])
    | \\(?:left|right)\ *(?:\.|\\(?P<brace>[{}|]))
    | \\[cdt]?frac\ *(?P<above>[0-9])\ *(?P<below>[0-9])
    | (?:\\(?:left|right)\ *)?\\(?P<command>COMMAND)(?![a-zA-Z])
    | (?P<index>\\sqrt\ *(?=\[))
    | (?P<root>\\sqrt\ *(?=[a-zA-Z0-9\U000F0000-\U000FFFFD]|\\(?!left)[a-zA-Z]))
    | \\(?P<accent>hat|bar|tilde|vec|dot|ddot|widehat|widetilde)\ *
      (?:\{\ *(?P<stem>\\?[^\W\d_]\w*)\ *\}|(?P<letter>[a-zA-Z](?!\w)))
    | \\(?:mathbf|mathsf|mathtt|mathcal|boldsymbol|textit|textbf|textrm)\ *\{\ *(?P<styled>[^\W\d]\w*)\ *\}
    | _\{\ *(?P<lowered>\\[a-zA-Z]+|\\(?:text|mathrm|textrm|rm)\ *\{\w+\}|\w++(?:\ *,\ *\w++)+)\ *\}
    | (?<![\\\w])\\(?P<name>[a-zA-Z]+)(?=[0-9])
    | (?P<escape>\\[{}|\ ]|~)
    """.replace("COMMAND", "|".join(_COMMANDS)),
    re.VERBOSE,
)
_SUBSCRIPT = re.compile(r"_\{ *(?P<lowered>\w++(?: *, *\w++)+) *\}")
_CLOTHES = re.compile(r"\\(?:(?:text|mathrm|textrm|rm) *\{)?")
_OTHER_FORMS = re.compile(
    rf"(?:(?<![\w.])(?P<whole>[0-9]++))?+(?P<fraction>[{''.join(_HALVES)}{_THIRDS}])"
    f"|(?P<raised>[{_RAISED}{_RAISED_LETTERS}]++)"
    f"|(?P<word>[{''.join(_WORDS)}])"
    r"|(?<!\w)(?P<base>log_?[₀₁₂₃₄₅₆₇₈₉]++)(?=\w)"
)


Spelling = tuple[str, list[int] | None, list[int] | None]


def signs(text: str) -> str:
    """The text with other signs for the same, one for one."""
    text = text.translate(_SIGNS)
    return _MATHEMATICAL.sub(lambda match: unicodedata.normalize("NFKC", match.group())[:1], text)


def spelled(text: str) -> Spelling:
    """The text as the language spells it, and where each of its characters starts and ends in what was written."""
    starts: list[int] | None = None
    ends: list[int] | None = None
    if not text.isascii():
        text, starts, ends = _replaced(text, _OTHER_FORMS, _other, starts, ends)
        text = signs(text)
    if "\\" in text:
        text, starts, ends = _replaced(text, _ASCII_FORMS, _latex, starts, ends)
    elif "_{" in text:
        text, starts, ends = _replaced(text, _SUBSCRIPT, _lowered, starts, ends)
    return text, starts, ends


def _replaced(
    text: str,
    pattern: re.Pattern[str],
    form: Callable[[re.Match[str]], str | None],
    starts: list[int] | None,
    ends: list[int] | None,
) -> Spelling:
    """The text with a new form for each match, and the places of its characters."""
    pieces: list[str] = []
    new_starts: list[int] = []
    new_ends: list[int] = []
    done = 0
    for match in pattern.finditer(text):
        new = form(match)
        if new is None:
            continue
        if starts is None or ends is None:
            starts, ends = list(range(len(text))), list(range(1, len(text) + 1))
        first, last = match.span()
        pieces += text[done:first], new
        new_starts += starts[done:first] + [starts[first]] * len(new)
        new_ends += ends[done:first] + [ends[last - 1]] * len(new)
        done = last
    if starts is None or ends is None or not pieces:
        return text, starts, ends
    return "".join([*pieces, text[done:]]), new_starts + starts[done:], new_ends + ends[done:]


def _other(match: re.Match[str]) -> str | None:
    """Vulgar fractions are numbers, raised letters powers, and some signs words."""
    found = match.groupdict()
    if fraction := found["fraction"]:
        whole = found["whole"]
        if fraction in _HALVES:
            return f" {whole or '0'}.{_HALVES[fraction]} "
        above, _, below = unicodedata.normalize("NFKC", fraction).partition("⁄")
        part = f"\\frac{{{above}}}{{{below}}}"
        return f" ({whole}+{part})" if whole else f" {part}"
    if raised := found["raised"]:
        if not _LETTER.search(raised):
            return None  # the language has powers of digits
        return f"^({unicodedata.normalize('NFKC', raised).replace('−', '-')})"
    if word := found["word"]:
        return _WORDS[word]
    return found["base"] + " "


def _latex(match: re.Match[str]) -> str | None:
    """Commands with a form of their own in the language; None leaves the text as it is."""
    found = match.groupdict()
    if found["size"]:
        bracket = found["sized"]
        if bracket[-1] not in "|t":
            return str(bracket[-1])
        return {"l": "\\left|", "r": "\\right|"}.get(found["size"][-1], "|")
    if found["side"]:
        return f"\\{found['side']}|"
    if brace := found["brace"]:
        return str(brace)
    if above := found["above"]:
        return f"\\frac{{{above}}}{{{found['below']}}}"
    if command := found["command"]:
        return _COMMANDS[command]
    if found["index"]:
        return "\\root"
    if found["root"]:
        return "√"
    if accent := found["accent"]:
        return f" {(found['stem'] or found['letter']).lstrip(chr(92))}_{accent.removeprefix('wide')}"
    if styled := found["styled"]:
        return f" {styled}"
    if found["lowered"]:
        return _lowered(match)
    if name := found["name"]:
        return _command_before_digits(name, match)
    if escape := found["escape"]:
        return {"\\{": "{", "\\}": "}", "\\|": "|"}.get(escape, " ")
    return " "


def _lowered(match: re.Match[str]) -> str:
    """A subscript of one word or of several, as the end of a name."""
    return "_" + "_".join(re.findall(r"\w+", _CLOTHES.sub("", match["lowered"])))


def _command_before_digits(name: str, match: re.Match[str]) -> str | None:
    r"""A command's name ends at the first digit, as in `\cos2\theta`; where it is a function's, a blank says so."""
    digits = _DIGITS.match(match.string, match.end())
    whole = name + (digits.group() if digits else "")
    return f"\\{name} " if lookup(name) is not None and lookup(whole) is None else None
