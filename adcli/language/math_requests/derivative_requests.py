r"""Mathematical requests for derivatives in the place of an expression: `d/dx x^2`, `\frac{\partial f}{\partial x}`,
`(x^2)'`, `f'(3)`."""

from __future__ import annotations

import re
from collections.abc import Collection

from ...patterns import IDENTIFIER, pattern
from ...table.primitive import lookup
from ..brackets import closing, opening, skip_blanks
from ..name_parts import ASSIGNED
from .request_text import (
    DEFINES,
    DERIVING,
    POWER,
    SIZED,
    WRT,
    MathRequest,
    Notation,
    end_of_term,
    frame,
    group,
    plain,
    statement,
    within,
)  # fmt: skip

_OF = rf"(?:{WRT}'*+(?:\s*+\([\w, ]*+\)|(?:\^|\*\*)[0-9a-z]{{1,3}})?+)"
_ITEM = rf"{DERIVING}\s*+{WRT}{POWER}"
_SLASH = re.compile(r"/(?=\s*+(?:\(\s*+)?+[\\{∂ⅆdD])")  # with what DERIVING may begin with
_BELOW = pattern(rf"\s*+(?:\(\s*+)?+{_ITEM}(?:(?:\s|\\[,;:! ]|\*|\\cdot)*+{_ITEM})*+(?![^\W_]|')(?:\s*+\))?+")
_EACH = pattern(rf"{DERIVING}\s*+(?P<wrt>{WRT})(?P<power>{POWER})")
_ABOVE = pattern(rf"\(?\s*+(?:{DERIVING})(?P<digit>[23](?![0-9]))?+(?P<power>{POWER})\s*+")
_START = pattern(rf"\\[dtc]?frac\s*+\{{\s*+(?={DERIVING})", signs=("frac",))
_BEFORE = pattern(rf"(?<![\w\\.'])(?:\(\s*+)?{DERIVING}(?:[23](?![0-9]))?+{POWER}\s*+{_OF}?\s*+\Z")
_WITH_BRACKET = pattern(rf"(?<![\w\\.']){DERIVING}{POWER}\s*+{SIZED}\Z")
_LEADING = pattern(rf"(?:\A|[;\n=])\s*+({DERIVING}{POWER}\s++[^\s/*+^-][^;\n=/]*+)\Z")
_BETWEEN = pattern(r"(?:\s|\\[,;:! ]|:|of\b|\*|\\cdot(?![a-zA-Z]))*+")
_OPENED = pattern(rf"{SIZED}[(\[{{]")
_BEFORE_PRIME = pattern(r"[^-+*/(\[{,;=\s]++\Z")
_HEAD = pattern(r"(?:\\?[^\W\d]\w*+(?:\^\d)?|[_^])\s*+\Z")
_EQUALS = pattern(r"(?<![=<>!:])=(?!=)")
_PACKAGES = pattern(
    r"\\(?:[opmf]?dv|p?derivative|diffp?)(?![a-zA-Z])\*?(?:\[\s*+([0-9]{1,2})\s*+\])?(?=\s*+\{)", signs=("\\",)
)
_SUBSCRIPT = pattern(rf"(?:∂|\\partial)\s*+_\s*+\{{?\s*+({WRT})\s*+\}}?", signs=("∂", "partial"))
_NABLA = pattern(r"∇|\\nabla(?![a-zA-Z])", signs=("∇", "nabla"))
_PRIME = pattern(
    r"(?P<closed>[)\]}|⁰-⁹²³¹0-9!])\s?+(?P<primes>'++)|(?<!\w)(?P<name>[^\W\d]\w*+)(?P<called>'++)\s*+(?=[(\[])",
    signs=("'",),
)
_RAISED_PRIME = pattern(r"[)\]}]\s*+\^\s*+\{?\s*+((?:\\prime\s*+|')++)\}?", signs=("prime", "'"))


def _order(power: str) -> str:
    """Return what a text of POWER says: digits, a letter, or an empty text."""
    return power.strip(" ^*{}()").translate(str.maketrans("²³⁴⁵⁶⁷⁸⁹ⁿ", "23456789n"))


def _variables(below: str, above: str) -> tuple[tuple[str, ...], int]:
    """Return (variables, order) of a quotient of differentials; the order is 1 for several variables.

    `below` is the text under the line, `above` the upper power as digits.
    """
    names: list[str] = []
    for match in _EACH.finditer(below):
        power = _order(match["power"])
        names += [plain(match["wrt"])] * (min(int(power), 100) if power.isdigit() else 1)
    if len(names) == 1 and above.isdigit() and 1 < int(above) <= 100:
        names = [names[0].removesuffix(above) or names[0]] * int(above)  # d2y/dx2
    return ((names[0],), len(names)) if len(set(names)) == 1 else (tuple(names), 1)


def _quotient(text: str, start: int, end: int, above: str, below: str, known: Collection[str]) -> MathRequest | None:
    """Return the request of a quotient of differentials in `text[start:end]`; None if these are names with values.

    `above` and `below` are its parts.
    """
    upper = _ABOVE.match(above)
    first = IDENTIFIER.match(above.removeprefix("(").lstrip())
    words = [*IDENTIFIER.findall(below), *([first.group()] if first else [])]
    if upper is None or any(word in known for word in words if word[0] in "dD"):
        return None
    of = above[upper.end() :].removesuffix(")") if above[:1] == "(" else above[upper.end() :]
    return _derivative(text, start, end, of, *_variables(below, upper["digit"] or _order(upper["power"])))


def _read_fraction(text: str, match: re.Match[str], known: Collection[str]) -> MathRequest | None:
    r"""Return the request of `\frac{d}{dx}` or `\frac{\partial^2 f}{\partial x \partial y}`; None if it is not a
    derivative.
    """
    above = group(text, text.index("{", match.start()))
    below = group(text, above[1]) if above else None
    if above is None or below is None or not _BELOW.fullmatch(below[0]):
        return None
    return _quotient(text, match.start(), below[1], above[0], below[0], known)


def _read_slash(text: str, match: re.Match[str], known: Collection[str]) -> MathRequest | None:
    """Return the request of `d/dx`, `dy/dx`, `d^2/dx^2`, `∂/∂x`, `d(x^2)/dx` or `d x^2 / dx`; None if there is no
    differential on both sides, or if it has a value."""
    below = _BELOW.match(text, match.end())
    if below is None:
        return None
    floor = max(match.start() - 200, 0)
    before = text[floor : match.start()]
    start = _start_of_quotient(text, floor, before)
    if start is None:
        return None
    is_open, closes = before[start] == "(", below.group().rstrip().endswith(")")
    end = below.end()
    if is_open and not closes:
        start += 1
    elif closes and not is_open and "(" not in below.group():
        end = below.start() + below.group().rindex(")")
    return _quotient(text, floor + start, end, before[start:], below.group(), known)


def _start_of_quotient(text: str, floor: int, before: str) -> int | None:
    """Return the index in `before` (not in `text`) where the upper differential starts; None without one.

    `before` is `text` from `floor` to the slash.
    """
    match = _BEFORE.search(before)
    if match is None and before.rstrip()[-1:] in (")", "]", "}"):
        opened = opening(text, floor + len(before.rstrip()) - 1)
        match = _WITH_BRACKET.search(before, 0, opened - floor) if opened and opened > floor else None
    if match is not None:
        return match.start()
    leading = _LEADING.search(before)
    return leading.start(1) if leading else None


def _derivative(text: str, start: int, end: int, of: str, wrt: tuple[str, ...], order: int) -> MathRequest:
    """Return the request for a derivative whose sign is `text[start:end]`, of this `order` with respect to `wrt`.

    It is the derivative of `of`, what the sign itself contains, or of what follows it.
    """
    first, stop = statement(text, start)
    start, end = frame(text, start, end)
    before = _without_assignment(text[first:start])
    between = _BETWEEN.match(text, end, stop)
    after = between.end() if between else end
    of = of.strip()
    if of and not DEFINES.fullmatch(f"{of}="):  # it is no name of a value or function
        return MathRequest("derivative", start, end, within(of), wrt, order, bool(before or text[after:stop].strip()))
    following = text[after:stop].lstrip()
    if of:
        program_name = _own(text, of, start)
        if program_name or not following or following[0] in "=+-*/,;)]}<>" or before:
            return MathRequest("derivative", start, end, program_name, wrt, order)
    operand, rest, term = _operand(text, after, stop, bool(before))
    return MathRequest("derivative", start, end, operand, wrt, order, rest or bool(before), term)


def _without_assignment(text: str) -> str:
    """Return the text of a statement before a sign, without the name to which the statement gives a value."""
    return text[match.end() :].strip() if (match := DEFINES.match(text)) else text.strip()


def _operand(text: str, start: int, stop: int, is_part: bool) -> tuple[str, bool, str]:
    """Return (operand, whether there is more, the first of its terms) of an operator that ends at `start`; the
    statement ends at `stop`.

    With `is_part` something precedes the operator, and it is applied to one term. The first term is "" if the operand
    is one term.
    """
    start = skip_blanks(text, start, stop)
    bracket = _OPENED.match(text, start, stop)
    if bracket is not None:
        close = closing(text, bracket.end() - 1, stop)
        if close is not None:
            behind = text[close:stop].strip()
            if not behind or behind[0] in "+-*/,)]}=<>":
                return within(text[start:close]), bool(behind) and behind[0] != "=", ""
    end = end_of_term(text, start, stop, sums=False)
    first = end_of_term(text, start, stop, sums=True)
    if is_part:
        return text[start:first].strip(), True, ""
    whole = _EQUALS.split(text[start:end])[0].strip()
    return whole, False, text[start:first].strip() if first < start + len(whole) else ""


def _own(text: str, name: str, place: int) -> str:
    """Return a name that the text defines before a place, as its program calls it: `y`, `f(x)`; empty for others."""
    stem = IDENTIFIER.match(name)
    first, _ = statement(text, place)
    for match in ASSIGNED.finditer(text[:first]):
        if stem is not None and match["name"] == stem.group():
            return match["name"] if match["parameters"] is None else f"{match['name']}({match['parameters']})"
    return ""


def _read_package(text: str, match: re.Match[str], _known: Collection[str]) -> MathRequest | None:
    r"""Return the request of `\dv{f}{x}`, `\pdv[2]{f}{x}` or `\dv{x} x^2`, commands of LaTeX packages; None without
    braces, or if a variable is not a name."""
    halves: list[str] = []
    end = match.end()
    while len(halves) < 3 and (braces := group(text, end)):
        halves.append(braces[0])
        end = braces[1]
    if not halves:
        return None
    of, *by = halves if len(halves) > 1 else ["", *halves]
    wrt = tuple(plain(name) for name in by)
    if not all(IDENTIFIER.fullmatch(name) for name in wrt):
        return None
    return _derivative(text, match.start(), end, of, wrt, int(match[1] or 1))


def _read_subscript(text: str, match: re.Match[str], _known: Collection[str]) -> MathRequest:
    r"""Return the request of `\partial_x f` or `∂_x f`."""
    return _derivative(text, *match.span(), "", (plain(match[1]),), 1)


def _read_raised_prime(text: str, match: re.Match[str], _known: Collection[str]) -> MathRequest | None:
    order = match[1].count("prime") + match[1].count("'")
    return _primed(text, match.start(), match.start(1), match.end(), order)


def _read_prime(text: str, match: re.Match[str], known: Collection[str]) -> MathRequest | None:
    """Return the request of `(x^2)'`, `sin(x)'`, `sin'(x)` or `f'(3)`; None if the primed name is known, or behind a
    number.
    """
    if match["primes"]:
        return _primed(text, match.start(), match.start("primes"), match.end(), len(match["primes"]))
    return None if match["name"] + match["called"] in known else _called(text, match)


def _primed(text: str, closed: int, start: int, end: int, order: int) -> MathRequest | None:
    """Return the request of a prime behind a bracket or a power that ends at `closed`; None behind a number.

    The primes are `text[start:end]`, and `order` is their number.
    """
    first, stop = statement(text, start)
    begin = opening(text, closed) if text[closed] in ")]}|" else None
    if begin is None:
        back = _BEFORE_PRIME.search(text[max(closed - 80, first) : closed + 1])
        begin = closed + 1 - len(back.group()) if back else closed
        operand = text[begin : closed + 1]
        if operand.replace(".", "").isdigit():
            return None  # 5' is an angle, or a length
    else:
        floor = max(begin - 40, first)
        head = _HEAD.search(text[floor:begin])
        name = head.group().strip().lstrip("\\") if head else ""
        operand = within(text[begin : closed + 1]) if text[closed] != "|" else text[begin : closed + 1]
        if head and name not in ("left", "mleft", "bigl", "big"):
            begin = floor + head.start()
            known = text[begin] in "\\_^" or lookup(name.partition("^")[0]) is not None
            operand = _own(text, name, start) if not known else text[begin : closed + 1]
            if text[begin] in "_^":
                begin, operand = first, text[first : closed + 1].strip()
    before = _without_assignment(text[first:begin])
    rest = bool(before.removesuffix("\\left").strip() or text[end:stop].strip(" ="))
    return MathRequest("derivative", start, end, operand.strip(), (), order, rest)


def _called(text: str, match: re.Match[str]) -> MathRequest:
    """Return the request of `sin'(x)` or `f'(3)`, a function of the language or of the program."""
    name, opened = match["name"], match.end()
    first, stop = statement(text, match.start())
    close = closing(text, opened, stop)
    inside = text[opened + 1 : close - 1].strip() if close else ""
    operand, at = _own(text, name, match.start()), ""
    if operand and (inside in ("pi", "e") or inside.lstrip("+-").replace(".", "").isdigit()):
        at = f"{operand[len(name) :].strip('()')}={inside}"
    elif not operand and lookup(name) is not None:
        operand = f"{name}({inside})"
    before = _without_assignment(text[first : match.start()])
    rest = bool(before or (close and text[close:stop].strip(" =")))
    return MathRequest("derivative", match.start(), match.end(), operand, (), len(match["called"]), rest, "", at)


DERIVATIVES = (
    Notation(r"\frac{d}{dx} x^2", _START, _read_fraction),
    Notation("d/dx x^2", _SLASH, _read_slash),
    Notation(r"\dv{x} x^2", _PACKAGES, _read_package),
    Notation("∂_x (x^2*y)", _SUBSCRIPT, _read_subscript),
    Notation("∇(x^2*y)", _NABLA, lambda text, match, _known: _derivative(text, *match.span(), "", (), 1)),
)
PRIMES = (Notation(r"(x^2)^{\prime}", _RAISED_PRIME, _read_raised_prime), Notation("sin'(x)", _PRIME, _read_prime))
