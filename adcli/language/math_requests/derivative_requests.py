r"""Mathematical requests for derivatives instead of an expression: `d/dx x^2`, `\frac{\partial f}{\partial x}`,
`(x^2)'`, `f'(3)`. A request has the place of its sign, its operand, the variables and the order.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from ...patterns import IDENTIFIER, compile_pattern, pattern
from ...table.primitive import lookup
from ..brackets import closing, opening, skip_blanks
from ..name_parts import ASSIGNED
from . import request_text as rt

_OF = rf"(?:{rt.WRT}'*+(?:\s*+\([\w, ]*+\)|(?:\^|\*\*)[0-9a-z]{{1,3}})?+)"
_ITEM = rf"{rt.DERIVING}\s*+{rt.WRT}{rt.POWER}"
_SLASH = compile_pattern(r"/(?=\s*+(?:\(\s*+)?+[\\{∂ⅆdD])")  # with what DERIVING may begin with
_BELOW = pattern(rf"\s*+(?:\(\s*+)?+{_ITEM}(?:(?:\s|\\[,;:! ]|\*|\\cdot)*+{_ITEM})*+(?![^\W_]|')(?:\s*+\))?+")
_EACH = pattern(rf"{rt.DERIVING}\s*+(?P<wrt>{rt.WRT})(?P<power>{rt.POWER})")
_ABOVE = pattern(rf"\(?\s*+(?:{rt.DERIVING})(?P<digit>[23](?![0-9]))?+(?P<power>{rt.POWER})\s*+")
_FILLERS = ("find", "compute", "calculate", "determine", "what", "is", "evaluate", "get", "and", "then", "for", "the")
_START = pattern(rf"\\[dtc]?frac\s*+\{{\s*+(?={rt.DERIVING})", signs=("frac",))
_BEFORE = pattern(rf"(?<![\w\\.'])(?:\(\s*+)?{rt.DERIVING}(?:[23](?![0-9]))?+{rt.POWER}\s*+{_OF}?\s*+\Z")
_WITH_BRACKET = pattern(rf"(?<![\w\\.']){rt.DERIVING}{rt.POWER}\s*+{rt.SIZED}\Z")
_LEADING = pattern(rf"(?:\A|[;\n=])\s*+({rt.DERIVING}{rt.POWER}\s++[^\s/*+^-][^;\n=/]*+)\Z")
_BETWEEN = pattern(r"(?:\s|\\[,;:! ]|:|of\b|\*|\\cdot(?![a-zA-Z]))*+")
_OPENED = pattern(rf"{rt.SIZED}[(\[{{]")
_BEFORE_PRIME = pattern(r"[^-+*/(\[{,;=\s]++\Z")
_HEAD = pattern(r"(?:\\?[^\W\d]\w*+(?:\^\d)?|[_^])\s*+\Z")
_EQUALS = pattern(r"(?<![=<>!:])=(?!=)")
_PACKAGES = pattern(
    r"\\(?:[opmf]?dv|p?derivative|diffp?)(?![a-zA-Z])\*?(?:\[\s*+([0-9]{1,2})\s*+\])?(?=\s*+\{)", signs=("\\",)
)
_SUBSCRIPT = pattern(rf"(?:∂|\\partial)\s*+_\s*+\{{?\s*+({rt.WRT})\s*+\}}?", signs=("∂", "partial"))
_PRIME = pattern(
    r"(?P<closed>[)\]}|⁰-⁹²³¹0-9!])\s?+(?P<primes>'++)|(?<!\w)(?P<name>[^\W\d]\w*+)(?P<called>'++)\s*+(?=[(\[])",
    signs=("'",),
)
_RAISED_PRIME = pattern(r"[)\]}]\s*+\^\s*+\{?\s*+((?:\\prime\s*+|')++)\}?", signs=("prime", "'"))


def _read_order(power: str) -> str:
    """Return what a text of POWER says: digits, a letter, or an empty text."""
    return power.strip(" ^*{}()").translate(str.maketrans("²³⁴⁵⁶⁷⁸⁹ⁿ", "23456789n"))


def _read_variables(below: str, above: str) -> tuple[tuple[str, ...], int]:
    """Return (variables, order) of a quotient of differentials: ((x,), 2) for `dx^2` or `dx dx`, ((x, y), 1) for `dx
    dy`.

    `below` is the text under the line, `above` the upper power: digits, a letter or "". The power of a variable below
    counts, more than 100 as 100, and a letter as 1. If that gives one variable once, `above` is the order if it is a
    number from 2 to 100; digits equal to it at the end of the name are removed (`d2y/dx2`: x). With different variables
    each is listed as often as it is differentiated, and the order is 1. ((), 1) without a differential in `below`.
    """
    names: list[str] = []
    for match in _EACH.finditer(below):
        power = _read_order(match["power"])
        names += [rt.plain(match["wrt"])] * (min(int(power), 100) if power.isdecimal() else 1)
    if len(names) == 1 and above.isdecimal() and 1 < int(above) <= 100:
        names = [names[0].removesuffix(above) or names[0]] * int(above)  # d2y/dx2
    return ((names[0],), len(names)) if len(set(names)) == 1 else (tuple(names), 1)


def _read_quotient(
    text: str, start: int, end: int, above: str, below: str, known: Collection[str]
) -> rt.MathRequest | None:
    """Return the request for the quotient of differentials in `text[start:end]`, such as `d^2(f)/dx dy`.

    `above` and `below` are its upper and lower part. Variables and order follow from the powers in `below` and the
    digit or power after the d in `above` (`_read_variables`). The operand follows from what is behind the d and its
    power in `above` (`_make_request`): an expression, a name that the text defines, or nothing, then it is the text
    behind the quotient. None if `above` does not start with d or ∂. None also for an ordinary fraction: a name that
    starts with d or D, below the line or first above it, is in `known` (names of values).
    """
    upper = _ABOVE.match(above)
    first = IDENTIFIER.match(above.removeprefix("(").lstrip())
    words = [*IDENTIFIER.findall(below), *([first.group()] if first else [])]
    if upper is None or any(word in known for word in words if word[0] in "dD"):
        return None
    of = above[upper.end() :].removesuffix(")") if above[:1] == "(" else above[upper.end() :]
    return _make_request(text, start, end, of, *_read_variables(below, upper["digit"] or _read_order(upper["power"])))


def _read_fraction(text: str, match: re.Match[str], known: Collection[str]) -> rt.MathRequest | None:
    r"""Return the request of `\frac{d}{dx}` or `\frac{\partial^2 f}{\partial x \partial y}`, which begins at `match`.

    None if a part in braces is missing, if the lower part is not a product of differentials, if the upper part does not
    start with d or ∂, or if a differential is a name in `known` (names of values).
    """
    above = rt.group(text, text.index("{", match.start()))
    below = rt.group(text, above[1]) if above else None
    if above is None or below is None or not _BELOW.fullmatch(below[0]):
        return None
    return _read_quotient(text, match.start(), below[1], above[0], below[0], known)


def _read_slash(text: str, match: re.Match[str], known: Collection[str]) -> rt.MathRequest | None:
    """Return the request of `d/dx`, `dy/dx`, `d^2/dx^2`, `∂/∂x`, `d(x^2)/dx` or `d x^2 / dx`, whose slash is `match`.

    None unless a differential is on both sides (above within 200 characters), or if one is a name in `known`. A bracket
    that belongs to only one side is left outside the sign.
    """
    below = _BELOW.match(text, match.end())
    if below is None:
        return None
    floor = max(match.start() - 200, 0)
    before = text[floor : match.start()]
    start = _find_start_of_quotient(text, floor, before)
    if start is None:
        return None
    is_open, closes = before[start] == "(", below.group().rstrip().endswith(")")
    end = below.end()
    if is_open and not closes:
        start += 1
    elif closes and not is_open and "(" not in below.group():
        end = below.start() + below.group().rindex(")")
    return _read_quotient(text, floor + start, end, before[start:], below.group(), known)


def _find_start_of_quotient(text: str, floor: int, before: str) -> int | None:
    """Return the index in `before` (not in `text`) where the upper part of a quotient of differentials starts; None if
    there is none.

    `before` is `text` from `floor` to the slash. Tried in this order: d, `dy` or `d f(x)` just before the slash, with
    an opening bracket directly before the d (the index is then that of the bracket); d with a bracket (`d(x^2)`); `d
    x^2` from the start of the statement, or from an = sign, to the slash.
    """
    match = _BEFORE.search(before)
    if match is None and before.rstrip()[-1:] in (")", "]", "}"):
        opened = opening(text, floor + len(before.rstrip()) - 1)
        match = _WITH_BRACKET.search(before, 0, opened - floor) if opened and opened > floor else None
    if match is not None:
        return match.start()
    leading = _LEADING.search(before)
    return leading.start(1) if leading else None


def _without_filler_words(text: str) -> str:
    """Return the text without the filler words at its end, such as "find" (`_FILLERS`), and its last signs."""
    words = text.rstrip(" ,:?").split(" ")
    while words and words[-1].lower().strip(",:") in _FILLERS:
        del words[-1]
    return " ".join(words).rstrip(" ,:")


def _make_request(text: str, start: int, end: int, of: str, wrt: tuple[str, ...], order: int) -> rt.MathRequest:
    """Return the request (kind "derivative") for a derivative of this `order` with respect to `wrt`, whose sign (d/dx)
    is `text[start:end]`.

    The start and end of the request include one pair of brackets around the sign. `rest` is True if the statement has
    more than the request and an assignment (always False in the second and third case). The operand, the first that
    applies:

    - `of`, the upper part of the sign, is an expression: this, without brackets around it
    - `of` is a name to which this statement gives a value (`y = x^2, find dy/dx`): the text between = and the sign
    - `of` is a name that an earlier statement defines: the name, or its call with the parameters; "" if it is not
      defined and something is before the sign, or no operand is after it
    - what follows the sign (`_find_operand`), also for an undefined name, `dy/dx x^2`; only here `term` is set
    """
    first, stop = rt.statement(text, start)
    start, end = rt.include_brackets(text, start, end)
    before = _without_assignment(text[first:start])
    between = _BETWEEN.match(text, end, stop)
    after = between.end() if between else end
    of = of.strip()
    if of and not rt.DEFINES.fullmatch(f"{of}="):  # it is not the name of a value or function
        rest = bool(before or text[after:stop].strip())
        return rt.MathRequest("derivative", start, end, rt.unwrap(of), wrt, order, rest)
    following = text[after:stop].lstrip()
    if of and before and of.partition("(")[0].strip() == _find_assigned_name(text[first:start]):  # y = x^2, find dy/dx
        return rt.MathRequest("derivative", start, end, _without_filler_words(before), wrt, order)
    if of:
        program_name = _find_definition(text, of, start)
        if program_name or not following or following[0] in "=+-*/,;)]}<>" or before:
            return rt.MathRequest("derivative", start, end, program_name, wrt, order)
    operand, rest, term = _find_operand(text, after, stop, bool(before))
    return rt.MathRequest("derivative", start, end, operand, wrt, order, rest or bool(before), term)


def _find_assigned_name(text: str) -> str:
    """Return the name to which a statement gives a value at its beginning; "" without one."""
    match = rt.DEFINES.match(text)
    return match.group().partition("(")[0].rstrip(":= ").strip() if match else ""


def _without_assignment(text: str) -> str:
    """Return the text of a statement before a sign, without the name to which the statement gives a value."""
    return text[match.end() :].strip() if (match := rt.DEFINES.match(text)) else text.strip()


def _find_operand(text: str, start: int, stop: int, is_part: bool) -> tuple[str, bool, str]:
    """Return (operand, rest, term) of an operator such as d/dx that ends at `start`, in a statement that ends at
    `stop`.

    `rest` says in some cases whether the statement has more than the operand; `term` is the first term of the operand,
    "" if that is all of it. Tried in this order: a bracket, behind which is nothing or one of + - * / , ) ] } = < >
    (not ^), is the operand, without the bracket (`rest` is True unless = or nothing follows, `term` is ""). With
    `is_part` (something precedes the operator) the operand is one term, `rest` is True and `term` "". Otherwise the
    operand ends at a comma, closing bracket or = sign, and `rest` is False, whatever follows.
    """
    start = skip_blanks(text, start, stop)
    bracket = _OPENED.match(text, start, stop)
    if bracket is not None:
        close = closing(text, bracket.end() - 1, stop)
        if close is not None:
            behind = text[close:stop].strip()
            if not behind or behind[0] in "+-*/,)]}=<>":
                return rt.unwrap(text[start:close]), bool(behind) and behind[0] != "=", ""
    end = rt.end_of_term(text, start, stop, sums=False)
    first = rt.end_of_term(text, start, stop, sums=True)
    if is_part:
        return text[start:first].strip(), True, ""
    whole = _EQUALS.split(text[start:end])[0].strip()
    return whole, False, text[start:first].strip() if first < start + len(whole) else ""


def _find_definition(text: str, name: str, place: int) -> str:
    """Return how a program calls the name that its text defines before the statement at `place`: `y`, or `f(x)` with
    its parameters; "" if it is not defined there.

    `name` may have primes or arguments, which are left out. The first definition counts.
    """
    stem = IDENTIFIER.match(name)
    first, _ = rt.statement(text, place)
    for match in ASSIGNED.finditer(text[:first]):
        if stem is not None and match["name"] == stem.group():
            return match["name"] if match["parameters"] is None else f"{match['name']}({match['parameters']})"
    return ""


def _read_package(text: str, match: re.Match[str], _known: Collection[str]) -> rt.MathRequest | None:
    r"""Return the request of `\dv{f}{x}`, `\pdv[2]{f}{x}{y}` or `\dv{x} x^2`, commands of LaTeX packages; None without
    braces, or if a variable is not a name.

    One group in braces is the variable, of two or three the first is the function. The order is the number in brackets,
    else 1, whatever the number of variables.
    """
    halves: list[str] = []
    end = match.end()
    while len(halves) < 3 and (braces := rt.group(text, end)):
        halves.append(braces[0])
        end = braces[1]
    if not halves:
        return None
    of, *by = halves if len(halves) > 1 else ["", *halves]
    wrt = tuple(rt.plain(name) for name in by)
    if not all(IDENTIFIER.fullmatch(name) for name in wrt):
        return None
    return _make_request(text, match.start(), end, of, wrt, int(match[1] or 1))


def _read_operator(text: str, match: re.Match[str], _known: Collection[str]) -> rt.MathRequest:
    r"""Return the request of `\partial_x f`, `∂_x f` or `∇f`; the variable is the group of the match, if it has one."""
    return _make_request(text, *match.span(), "", tuple(map(rt.plain, match.groups())), 1)


def _read_raised_prime(text: str, match: re.Match[str], _known: Collection[str]) -> rt.MathRequest | None:
    order = match[1].count("prime") + match[1].count("'")
    return _make_request_of_primes(text, match.start(), match.start(1), match.end(), order)


def _read_prime(text: str, match: re.Match[str], known: Collection[str]) -> rt.MathRequest | None:
    """Return the request of `(x^2)'`, `sin(x)'`, `sin'(x)` or `f'(3)`; None if the primed name is known, or behind a
    number.
    """
    if match["primes"]:
        return _make_request_of_primes(text, match.start(), match.start("primes"), match.end(), len(match["primes"]))
    return None if match["name"] + match["called"] in known else _make_request_of_call(text, match)


def _make_request_of_primes(text: str, closed: int, start: int, end: int, order: int) -> rt.MathRequest | None:
    """Return the request (kind "derivative") of primes behind an operand whose last character is at `closed`; None
    behind a plain number (5' is an angle).

    The sign of the request is the primes, `text[start:end]`, alone; `order` is their number, `wrt` is empty. `rest` is
    True if the statement has more than operand, primes, an assignment before and = signs behind. The operand of `(…)'`
    is what is in the brackets (`|…|'` keeps its bars), of `sin(…)'` the call. Of another call, `f(…)'`, it is the call
    as f's definition in the text has it, "" without one. Behind a bracket that follows `_` or `^` it is the whole
    statement so far. Without a bracket it is the characters before the primes back to an operator or blank.
    """
    first, stop = rt.statement(text, start)
    begin = opening(text, closed) if text[closed] in ")]}|" else None
    if begin is None:
        back = _BEFORE_PRIME.search(text[max(closed - 80, first) : closed + 1])
        begin = closed + 1 - len(back.group()) if back else closed
        operand = text[begin : closed + 1]
        if operand.replace(".", "").isdecimal():
            return None  # 5' is an angle, or a length
    else:
        floor = max(begin - 40, first)
        head = _HEAD.search(text[floor:begin])
        name = head.group().strip().lstrip("\\") if head else ""
        operand = rt.unwrap(text[begin : closed + 1]) if text[closed] != "|" else text[begin : closed + 1]
        if head and name not in ("left", "mleft", "bigl", "big"):
            begin = floor + head.start()
            known = text[begin] in "\\_^" or lookup(name.partition("^")[0]) is not None
            operand = _find_definition(text, name, start) if not known else text[begin : closed + 1]
            if text[begin] in "_^":
                begin, operand = first, text[first : closed + 1].strip()
    before = _without_assignment(text[first:begin])
    rest = bool(before.removesuffix("\\left").strip() or text[end:stop].strip(" ="))
    return rt.MathRequest("derivative", start, end, operand.strip(), (), order, rest)


def _make_request_of_call(text: str, match: re.Match[str]) -> rt.MathRequest:
    """Return the request (kind "derivative") of `sin'(x)` or `f'(3)`: the order is the number of primes, `wrt` is
    empty.

    Its sign is the name with the primes, without the bracket (`sin'`). The operand is the call as a definition in an
    earlier statement has it, `f(x)`, for a function of the program, and `at` the text `x=3` if that has one parameter
    and the argument is a number, pi or e; `sin(x)` for a function of the language; else "". `rest` says that the
    statement has more than the call, an assignment before it and equals signs after it.
    """
    name, opened = match["name"], match.end()
    first, stop = rt.statement(text, match.start())
    close = closing(text, opened, stop)
    inside = text[opened + 1 : close - 1].strip() if close else ""
    operand, at = _find_definition(text, name, match.start()), ""
    if operand and "," not in operand and (inside in ("pi", "e") or inside.lstrip("+-").replace(".", "").isdecimal()):
        at = f"{operand[len(name) :].strip('()')}={inside}"
    elif not operand and lookup(name) is not None:
        operand = f"{name}({inside})"
    before = _without_assignment(text[first : match.start()])
    rest = bool(before or (close and text[close:stop].strip(" =")))
    return rt.MathRequest("derivative", match.start(), match.end(), operand, (), len(match["called"]), rest, "", at)


DERIVATIVES = (
    rt.Notation(r"\frac{d}{dx} x^2", _START, _read_fraction),
    rt.Notation("d/dx x^2", _SLASH, _read_slash),
    rt.Notation(r"\dv{x} x^2", _PACKAGES, _read_package),
    rt.Notation("∂_x (x^2*y)", _SUBSCRIPT, _read_operator),
    rt.Notation("∇(x^2*y)", rt.sign_or_command("∇", "nabla"), _read_operator),
)
_RAISED = rt.Notation(r"(x^2)^{\prime}", _RAISED_PRIME, _read_raised_prime)
PRIMES = (_RAISED, rt.Notation("sin'(x)", _PRIME, _read_prime))
