"""Prepared lines of answers with arrays: without prompts, settings of arrays, and layout of LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...errors import Source, Span
from ...language.brackets import opening
from ..chains import Chain, cut
from ..collector import Cut
from ..line_rewriting import BLANK, apply_rules, rewritings
from ..sessions import COMMENTS, without_prompt
from .array_lists import numbers_of_line
from .array_texts import without_markup

_OUTPUTS = ("[", "tensor(", "array(")  # with which shown numbers begin
COMMENT_SIGNS = "#", "%", "//", "--"
_LINES, _PRODUCTS, _SETTINGS = rewritings("array_lines"), rewritings("products"), rewritings("settings")
_LAYOUT = rewritings("array_layout")


def without_sessions(lines: Sequence[str]) -> list[str]:
    """Return lines of the same lengths with blanks instead of what interactive sessions add (`_without_session`).

    A `>` at the start of a line is a prompt, too, if some line of the answer begins with `[1]` or `[1,]`, as outputs of
    R do, or begins with `>` and has an assignment `<-`.
    """
    is_console = any(
        line.startswith(("[1]", "[1,]")) or (line[:1] == ">" and "<-" in line) for line in map(str.lstrip, lines)
    )
    return [_without_session(f" {line[1:]}" if is_console and line.startswith(">") else line) for line in lines]


def has_prompt(line: str) -> bool:
    """Return whether a line begins with a prompt, that of R included."""
    return line.lstrip().startswith((">", "In [")) or without_prompt(line)[1]


def _without_session(line: str) -> str:
    """Return `line` with blanks instead of what an interactive session adds; its length stays the same.

    In this order:
    - A prompt (`>>>` and others, `without_prompt`) is removed, and so are the signs of bold text, with a list mark
      before.
    - The sign of a comment after code, ` % ` or ` // `, becomes #.
    - The sign of a comment (#, %, // or --) alone in its line is removed, and in it `=` becomes a colon, if the comment
      begins with `[`, `tensor(` or `array(`, or is numbers, at least after its last `=`.
    - A line that only heads a printed matrix (`_heads_matrix`) becomes blank.
    - A remark with an equation at the end of a row (`_without_equation_behind`) is removed; products of R are
      respelled.
    - Settings of arrays such as `, dtype=float)`, which are shape, grad_fn, dtype, requires_grad and device, are
      removed, each up to the next `)` (excluded).
    """
    line = apply_rules(without_prompt(line)[0], _LINES, " ")
    line = apply_rules(line, COMMENTS).replace(" % ", " # ").replace(" // ", " #  ")
    sign = next((sign for sign in COMMENT_SIGNS if line.lstrip().startswith(sign)), "")
    before, _, comment = line.partition(sign or "\n")
    if sign and (comment.lstrip().startswith(_OUTPUTS) or numbers_of_line(comment.rpartition("=")[2])):
        line = f"{before}{' ' * len(sign)}{comment.replace('#', ' ').replace('=', ':')}"  # of the row named above
        line = without_prompt(line)[0]
    if _heads_matrix(line):
        return " " * len(line)
    line = _without_equation_behind(apply_rules(line, _PRODUCTS, " "))
    return apply_rules(line, _SETTINGS, " ")


def _heads_matrix(line: str) -> bool:
    """Return whether a line heads a printed matrix: the column numbers `[,1] [,2]` of R, or the type in Julia."""
    words = line.split()
    is_type = line.rstrip().endswith(":") and any(word in line for word in ("-element ", " Matrix{"))
    return bool(words) and (is_type or all(word[:2] == "[," and word[-1] == "]" for word in words))


def _without_equation_behind(line: str) -> str:
    """Return a line of the same length with blanks instead of a remark with an equation that ends it, in brackets.

    An example is `f = 50 (= 5*10, ok)`. The brackets, round or square, are behind a blank, and behind a row that has an
    equals sign itself and ends in a letter, digit or closing bracket.
    """
    text = line.rstrip()
    start = (opening(text, len(text) - 1) or 0) if text[-1:] in (")", "]") else 0
    row = text[:start].rstrip()
    is_remark = "=" in row and "=" in text[start:] and len(row) < start and (row[-1].isalnum() or row[-1] in ")]")
    return row.ljust(len(line)) if is_remark else line


def is_open(text: str) -> bool:
    """Return whether a bracket, round or square, or a LaTeX environment of entries (a matrix, array or cases) is not
    closed."""
    depth = sum((text.count(sign) - text.count(f"\\{sign}")) * (1 if sign in "[(" else -1) for sign in "[(])")
    names = {part.partition("}")[0] for part in text.split("\\begin{")[1:]}
    with_entries = [name for name in names if name.endswith("matrix") or name in ("array", "cases")]
    return depth > 0 or any(text.count(f"\\begin{{{name}") > text.count(f"\\end{{{name}") for name in with_entries)


def without_layout(text: str) -> str:
    r"""Return a text of the same length without LaTeX's layout.

    Marks of formulas (`$`, `\(`, `\[`), thin spaces, begin and end of align, split, gather and equation, and `&` become
    blanks. `\\` becomes a semicolon and a blank, ` where ` a comma, ` with respect to ` wrt, with blanks behind. Inside
    of other environments, such as matrices, `&` and `\\` stay. Marks other than `$` stay after a backslash, as in
    `\\[4pt]`.
    """
    text = text.replace(" where ", ",      ").replace(" with respect to ", " wrt             ")
    text = apply_rules(text, _LAYOUT)
    out, depth, place = list(text), 0, 0
    while place < len(text):
        depth += text.startswith("\\begin{", place) - text.startswith("\\end{", place)
        if not depth and text[place] == "&":
            out[place] = " "
        elif depth <= 0 and text.startswith("\\\\", place):
            out[place : place + 2] = "; "
            place += 1
        place += 1
    return "".join(out)


def with_result(line: str, formula: str, result: str) -> str:
    """Return a line that begins with `d(formula)/d…` or `∇(formula) =` with `result` instead of the problem's formula.

    Formulas are compared without blanks, brackets, signs of norms and of products. Blanks at the start keep the length
    the same. Other lines are unchanged, also one that would become longer.
    """
    left, equals, right = line.partition("=")
    above, bar, below = without_markup(left).replace("/d", "/∂").replace("/ d", "/∂").partition("/∂")
    if above[:1] not in ("d", "∂", "∇") or _letters(above[1:]) != _letters(formula):
        return line
    renamed = (f"d{result}/d{below}" if bar else f"∇{result}").rjust(len(left))
    return renamed + equals + right if len(renamed) == len(left) and bool(bar) != (above[0] == "∇") else line


def _letters(formula: str) -> str:
    """Return a formula without blanks, brackets, signs of norms, of products and backslashes, `ln` as `log`."""
    for norm in ("‖_2", "‖₂", "||_2", "||₂", "norm"):
        formula = formula.replace(norm, "")
    return formula.translate(dict.fromkeys(map(ord, " ()*·\\{}‖|"))).replace("ln", "log").replace("²", "^2")


def join_pieces(chain: Chain, text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, sign) of each piece of `chain`; pieces of `text` with only a comma between them are joined.

    So `z = 1, 2, 3` gives one piece; it keeps the first sign. A chain without pieces yields (-1, -1, "").
    """
    start, end, sign = -1, -1, ""
    for next_sign, begin, stop in chain.pieces:
        if start >= 0 and text[end:begin].strip() == ",":
            end = stop
            continue
        if start >= 0:
            yield start, end, sign
        start, end, sign = begin, stop, next_sign
    yield start, end, sign


def is_skipped(text: str) -> bool:
    """Return whether a line, which must not begin with blanks, is not read.

    It is a comment, a fence, or the opening of an environment of LaTeX (align, aligned) without a row in it.
    """
    return text.startswith(("%", "```", "#")) or (text.startswith("\\begin{al") and "=" not in text)


def cut_line(source: Source, text: str, start: int, end: int, sign: str = "") -> Cut:
    """Return the part of `text` from `start` to `end`, without blanks around it, as a Cut.

    `text` has the length of `source`, which may have several lines, and `BLANK` for what was removed; in the Cut this
    is a blank. If the part has several lines, its span ends with the first of them.
    """
    part = cut(source, text, start, end, sign)
    part = part._replace(text=part.text.replace(BLANK, " "))
    line_end = source.text.find("\n", part.span.start + 1, part.span.end)
    return part if line_end < 0 else part._replace(span=Span(part.span.start, line_end, source))
