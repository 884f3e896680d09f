"""Functions given case by case, `1 for x > 0, -1 for x < 0`, as one formula of the language."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...patterns import pattern
from ...records import NamedTuple
from .plain_formulas import rewrite, rules

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
_OPENING, _CLOSING = "([{⟨", ")]}⟩"
_POINT = "="  # the condition of a case for single points, such as x = 0
_CONDITION = pattern(
    rf"(?:{_WHEN}(?!\w)\s*+)?+(?P<condition>[^=<>≤≥≠]*?(?:\\(?:leq?|geq?|neq?|lt|gt|in)(?![A-Za-z])|!=|[<>]=?|[≤≥≠])[^=]*+)\Z",
    re.IGNORECASE,
)
_EQUALITY = pattern(rf"(?:{_WHEN}(?!\w)\s*+)?+[^\W\d_]\w*+\s*+=\s*+[-−+]?[\w./π\\]++\Z", re.IGNORECASE)
_IN_BRACKETS = pattern(r"(?P<value>.*?\S)\s*+\((?P<condition>[^()]*[<>≤≥≠][^()]*)\)\Z", re.S)
_BRANCH = pattern(rf"(?P<value>.*?\S)\s*+(?<![\w\\]){_WHEN}(?![\w(])\s*+(?P<condition>.+)\Z", re.IGNORECASE | re.S)
_LAST = pattern(rf"(?:(?P<first>.*?\S)\s*+)?(?<![\w\\]){_ELSE}(?![\w(])[\s:]*+(?P<second>.*)\Z", re.IGNORECASE | re.S)
_SIGNS = rules(
    (r"\\leq?(?![A-Za-z])|≤|=<", "<="),
    (r"\\geq?(?![A-Za-z])|≥|=>", ">="),
    (r"\\lt(?![A-Za-z])", "<"),
    (r"\\gt(?![A-Za-z])", ">"),
    (r"\\neq?(?![A-Za-z])|≠|!=", "≠"),
)
_COMPARISON = pattern(r"[<>≤≥≠]|\\(?:[lg]eq?|[lg]t|neq?)(?![a-z])")
_HEAD = pattern(r"[^=<>≤≥≠]*?=(?!=)\s*+")


class _Case(NamedTuple):
    """A value of a function and the condition for it: an inequality, _POINT, or empty for everywhere else."""

    value: str
    condition: str


def laid_out(text: str) -> str:
    """Return the text with LaTeX environments for cases as `{1, x > 0; -1, x < 0}`; its length stays the same."""
    return _ENVIRONMENT.sub(_flatten_choices, text) if "\\begin" in text else text


def _flatten_choices(match: re.Match[str]) -> str:
    words = _TEXT.sub(lambda text: f" {text[1]} {text[2]} ".ljust(len(text.group())), match["inside"])
    inside = words.replace("\\\\", " ;").replace("&", ",")
    return "{".ljust(match.start("inside") - match.start()) + inside + "}".rjust(match.end() - match.end("inside"))


def by_cases(text: str) -> str | None:
    """Return a text of several cases as one formula, `if(condition, value, …)`; None if it is not one.

    The value of a missing last case is a huge number. LaTeX spaces and text commands, an opening `{` and its `}`, and a
    stop or comma at the end are removed. None also for more than 1,000 characters, for more than 12 cases, for a single
    case, if no case has an inequality as its condition, and if a value contains `=`.
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

    `first` must have a left side (the text before and with its first equals sign), `second` the same one, blanks
    ignored, or none: `f'(x) = 1 for x > 0` and `f'(x) = -1 for x < 0`. None also if `second` alone is not a case, or
    both together are not a definition by cases.
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
    return _COMPARISON.search(text) is not None


def _cases(text: str) -> list[_Case] | None:
    """Return the cases of a text in the order written; None if a part of it is not a case, a value has no condition or
    an `=` in it, or there are more than 12.

    A case is a value followed by its condition, with or without a separator between, or by a word for `otherwise`. A
    condition `x = 0` counts as a single point.
    """
    cases: list[_Case] = []
    value = ""  # one that still waits for where it holds
    for part in filter(None, _parts(text)):
        last = _LAST.match(part)
        branch = None if value else _BRANCH.match(part) or _IN_BRACKETS.match(part)
        if last:
            known = _otherwise(last, value)
        elif branch:
            known = _case(branch["value"], branch["condition"])
        elif value:
            known = _case(value, part)
        else:
            value = part
            continue
        if not known:
            return None
        cases += known
        value = ""
    return None if value or any("=" in case.value for case in cases) or len(cases) > BRANCHES else cases


def _case(value: str, condition: str) -> list[_Case]:
    """Return the case of a value and the text of its condition; [] if that is neither an inequality nor a point."""
    inequality = _CONDITION.match(condition)
    if inequality is None and not _EQUALITY.match(condition):
        return []
    return [_Case(value, inequality["condition"] if inequality else _POINT)]


def _otherwise(match: re.Match[str], value: str) -> list[_Case]:
    """Return the cases of a match of `_LAST` (a word such as `else`, with `first` text before and `second` after it).

    `value` is a value that still needs its condition, empty if there is none. The result is one case without a
    condition, or two for `1 if x > 0 else -1` (only if `value` is empty); [] unless exactly one of the texts before,
    after and `value` is not empty.
    """
    before, after = (match["first"] or "").strip(), match["second"].strip()
    branch = _BRANCH.match(before)
    if branch and after and not value:
        return [_Case(branch["value"], branch["condition"]), _Case(after, "")]
    values = [text for text in (before, after, value) if text]
    return [_Case(values[0], "")] if len(values) == 1 else []


def _parts(text: str) -> Iterator[str]:
    """Yield the texts, stripped, between separators outside brackets; they may be empty.

    Separators are comma, semicolon, the line break of LaTeX, and the words and, und, et, y, while and but; blanks alone
    are not.
    """
    depth, start, place = 0, 0, 0
    while place < len(text):
        depth = max(depth + (text[place] in _OPENING) - (text[place] in _CLOSING), 0)
        separator = None if depth or text[place] in _CLOSING else _SEPARATOR.match(text, place)
        if separator is not None and separator.group().strip():
            yield text[start:place].strip()
            start = place = separator.end()
        else:
            place += 1
    yield text[start:].strip()


def _formula(cases: list[_Case]) -> str | None:
    """Return the cases as nested `if(condition, (value), otherwise)`, the first one outermost; None if no case has a
    condition that is an inequality.

    Cases for single points are left out; a case with an empty condition or `≠` is the value everywhere else, and
    replaces the cases after it. Without one a huge number is used elsewhere, so that the missing case is noticed.
    """
    formula, moving = _ELSEWHERE, False
    for value, condition in reversed([case for case in cases if case.condition != _POINT]):
        text = rewrite(condition, _SIGNS)
        if not text or "≠" in text:
            formula = f"({value})"
        else:
            formula = f"if({text.strip()}, ({value}), {formula})"
            moving = True
    return formula if moving else None
