"""Functions given case by case, `1 for x > 0, -1 for x < 0`, as one formula of the language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...patterns import pattern
from ...records import NamedTuple

BRANCHES = 12  # of one function
_ELSEWHERE = "987654321e21"  # the value if no case applies: too unusual to be meant, so a missing case is noticed

_ENVIRONMENT = pattern(
    r"\\begin\s*+\{(?:d?cases|array)\}(?:\s*+\{[lcr|]*+\})?(?P<inside>(?:(?!\\begin|\\end).)*+)"
    r"\\end\s*+\{(?:d?cases|array)\}",
    re.S,
)
_TEXT = pattern(r"\\(?:text|mathrm|mbox|textrm|textit)\s*+\{\s*+([^\W\d_]*+)[\s:]*+([^{}]*+)\}")
_SPACES = pattern(r"\\(?:q?quad|left|right)(?![A-Za-z])|\\[,;:! {}.]|(?<=\\right)\.")
_WHEN = r"(?:if|for(?:\s+all)?|when(?:ever)?|where|provided|falls|wenn|für|wo|si|pour|para|cuando|on)"
_ELSE = r"(?:otherwise|elsewhere|else|sonst|sinon|si\s+no)"
_SEPARATOR = pattern(r"\s*+(?:;|\\\\|,|(?<!\w)(?:and|und|et|y|while|but)(?=\s))\s*+", re.IGNORECASE)
_OPENING, _CLOSING = "([{⟨|", ")]}⟩"
_CONDITION = pattern(
    rf"(?:{_WHEN}(?!\w)\s*+)?+(?P<condition>[^=<>≤≥≠]*?(?:\\(?:leq?|geq?|neq?|lt|gt|in)(?![A-Za-z])|!=|[<>]=?|[≤≥≠])[^=]*+)\Z",
    re.IGNORECASE,
)
_EQUALITY = pattern(rf"(?:{_WHEN}(?!\w)\s*+)?+[^\W\d_]\w*+\s*+=\s*+[-−+]?[\w./π\\]++\Z", re.IGNORECASE)
_IN_BRACKETS = pattern(r"(?P<value>.*?\S)\s*+\((?P<condition>[^()]*[<>≤≥≠][^()]*)\)\Z", re.S)
_BRANCH = pattern(rf"(?P<value>.*?\S)\s*+(?<![\w\\]){_WHEN}(?![\w(])\s*+(?P<condition>.+)\Z", re.IGNORECASE | re.S)
_LAST = pattern(rf"(?:(?P<first>.*?\S)\s*+)?(?<![\w\\]){_ELSE}(?![\w(])[\s:]*+(?P<second>.*)\Z", re.IGNORECASE | re.S)
_SIGNS = (
    (pattern(r"\\leq?(?![A-Za-z])|≤|=<"), "<="), (pattern(r"\\geq?(?![A-Za-z])|≥|=>"), ">="),
    (pattern(r"\\lt(?![A-Za-z])"), "<"), (pattern(r"\\gt(?![A-Za-z])"), ">"),
    (pattern(r"\\neq?(?![A-Za-z])|≠|!="), "≠"),
)  # fmt: skip
_HEAD = pattern(r"[^=<>≤≥≠]*?=(?!=)\s*+")


class _Case(NamedTuple):
    """A value of a function and the condition for it; empty: everywhere else, None: at single points only."""

    value: str
    condition: str | None


def laid_out(text: str) -> str:
    """Return the text with LaTeX environments for cases as `{1, x > 0; -1, x < 0}`; its length stays the same."""
    return _ENVIRONMENT.sub(_flattened, text) if "\\begin" in text else text


def _flattened(match: re.Match[str]) -> str:
    words = _TEXT.sub(lambda text: f" {text[1]} {text[2]} ".ljust(len(text.group())), match["inside"])
    inside = words.replace("\\\\", " ;").replace("&", ",")
    return "{".ljust(match.start("inside") - match.start()) + inside + "}".rjust(match.end() - match.end("inside"))


def by_cases(text: str) -> str | None:
    """Return a text of several cases as one formula, `if(condition, value, …)`; None if it is not one.

    LaTeX spaces and text commands, an opening `{` and its `}` are removed. None also for more than 1,000 characters,
    for more than 12 cases, for a single case, and if no case has an inequality as its condition.
    """
    if not _may_be_cases(text) or len(text) > 1_000:
        return None
    text = _SPACES.sub(" ", _TEXT.sub(r" \1 \2 ", text)).strip().rstrip(" .,;")
    if text[:1] == "{":
        text = text[1:].rstrip()
        text = text[:-1] if text.endswith("}") and text.count("{") < text.count("}") else text
    cases = _cases(text)
    if cases is None or len(cases) < 2:
        return None
    return _formula(cases)


def alike(first: str, second: str) -> str | None:
    """Return two lines that each define one case of the same left side as one line, joined by `;`; None if they do not.

    `first` must have a left side, `second` the same one or none: `f'(x) = 1 for x > 0` and `f'(x) = -1 for x < 0`.
    """
    head = _HEAD.match(first)
    if head is None or not head.group().strip("= "):
        return None
    other = _HEAD.match(second)
    if other is not None and "".join(other.group().split()) != "".join(head.group().split()):
        return None
    rest = second[other.end() :] if other else second
    whole = f"{first.rstrip(' .,;')}; {rest}"
    return whole if _is_case(rest) and by_cases(whole[head.end() :]) else None


def _is_case(text: str) -> bool:
    return _may_be_cases(text) and "=" not in _EQUALITY.sub("", text).replace("<=", "").replace(">=", "")


def _may_be_cases(text: str) -> bool:
    return any(sign in text for sign in "<>≤≥≠") or re.search(r"\\(?:[lg]eq?|[lg]t|neq?)(?![a-z])", text) is not None


def _cases(text: str) -> list[_Case] | None:
    """Return the cases of a text in the order written; None if a part of it is not a case, or if there are more than
    12.

    A case is a value followed by its condition, with or without a separator between, or by a word for `otherwise`. A
    condition `x = 0` counts as a single point.
    """
    found: list[_Case] = []
    value = ""  # one that still waits for where it holds
    for part in _parts(text):
        last = _LAST.match(part)
        branch = None if last else _BRANCH.match(part) or _IN_BRACKETS.match(part)
        if last:
            before, after = (last["first"] or "").strip(), last["second"].strip()
            inside = _BRANCH.match(before)
            if inside and after and not value:  # 1 if x > 0 else -1
                found += [_Case(inside["value"], inside["condition"]), _Case(after, "")]
            elif bool(before) + bool(after) + bool(value) == 1:
                found.append(_Case(before or after or value, ""))
            else:
                return None
            value = ""
        elif value and _EQUALITY.match(part):
            found.append(_Case(value, None))
            value = ""
        elif value and (condition := _CONDITION.match(part)):
            found.append(_Case(value, condition["condition"]))
            value = ""
        elif branch and not value:
            known = _CONDITION.match(branch["condition"])
            if not known and not _EQUALITY.match(branch["condition"]):
                return None
            found.append(_Case(branch["value"], known["condition"] if known else None))
        elif value:
            return None
        else:
            value = part
    return None if value or any("=" in case.value for case in found) or len(found) > BRANCHES else found


def _parts(text: str) -> Iterator[str]:
    """Yield the non-empty texts, stripped, between separators (comma, semicolon, `and` and the like)
    outside brackets.
    """
    cuts: list[tuple[int, int]] = []
    depth, place = 0, 0
    while place < len(text):
        character = text[place]
        if character in "([{⟨":
            depth += 1
        elif character in _CLOSING:
            depth = max(depth - 1, 0)
        elif depth == 0 and (match := _SEPARATOR.match(text, place)) and match.group().strip():
            cuts.append(match.span())
            place = match.end()
            continue
        place += 1
    start = 0
    for first, last in [*cuts, (len(text), len(text))]:
        if text[start:first].strip():
            yield text[start:first].strip()
        start = last


def _formula(cases: list[_Case]) -> str | None:
    """Return the cases as nested `if(condition, (value), otherwise)`; None if no case has a condition that is an
    inequality.

    Cases for single points are left out; a case with an empty condition or `≠` is the value everywhere else. Without
    one a huge number is used elsewhere, so that the missing case is noticed.
    """
    formula, moving = _ELSEWHERE, False
    for value, condition in reversed([case for case in cases if case.condition is not None]):
        text = condition or ""
        for shape, sign in _SIGNS:
            text = shape.sub(sign, text)
        if not text or "≠" in text:
            formula = f"({value})"
        else:
            formula = f"if({text.strip()}, ({value}), {formula})"
            moving = True
    return formula if moving else None
