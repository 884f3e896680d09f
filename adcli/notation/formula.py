"""Graphs to text: the language itself, the paper's tables, LaTeX.

One walk serves every style, down from the result with an explicit stack, so that the length of the work is the length
of the text.  Which sign stands where is the business of the rows (`Primitive.notation`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..graph.graph import Graph
from ..table.primitive import APPLICATION, ATOM, PRODUCT, SUM, UNARY, Call, Primitive, Template
from .numbers import MINUS

TEXT, TABLE, LATEX = "text", "table", "latex"

_PIECES = re.compile(r"\{(\d)\}|\{\{|\}\}")
_DEFAULT_NAME = re.compile(r"y\d*'*\Z")
_DIGITS = re.compile(r"\d+\Z")
_GREEK_LETTER = re.compile("GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)\\Z")
_COMPLEX = re.compile(f"[^e][+{MINUS}]")
GREEK = frozenset(
    """alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi
    omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega""".split()  # noqa: SIM905
)


class Leaf(NamedTuple):
    """How a slot is shown instead of its own formula: its text and how tightly that binds.

    `value` marks a number put in for a name: as a factor it goes in brackets when it is negative, and subtracting it is
    then written as adding.
    """

    text: str
    level: int = ATOM
    value: bool = False


def number_leaf(text: str) -> Leaf:
    """A number put in for a name, with the typographic minus.

    Fractions go in brackets where they are factors, complex sums everywhere.
    """
    if text.endswith("i") and _COMPLEX.search(text):
        return Leaf(f"({MINUS + text[1:] if text.startswith('-') else text})")
    if text.startswith("-"):
        return Leaf(MINUS + text[1:], UNARY, True)
    return Leaf(text, SUM if "/" in text else ATOM, True)


Leaves = Callable[[int], Leaf | None]


def render(graph: Graph, slot: int, style: str, leaves: Leaves, first: bool = True) -> str:
    """The formula of a slot, down to the slots for which `leaves` has a text.

    With `first` the slot itself is written out even where it has one.
    """
    out: list[str] = []
    # What remains to be written, topmost last: a text, or a slot with the level that its place asks for.
    stack: list[str | tuple[int, int, bool]] = [(slot, 0, first)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            out.append(item)
            continue
        current, place, expand = item
        leaf = None if expand else leaves(current)
        if leaf is None:
            constant = graph.constants.get(current)
            if constant is not None:
                leaf = _constant_leaf(constant.text, constant.named, style)
            elif graph.rows[current] is None:
                leaf = leaves(current) or Leaf(graph.inputs.get(current, "?"))
        if leaf is not None:
            out.append(_bracketed(leaf.text, style) if leaf.level < place else leaf.text)
            continue
        pieces, level = _pieces(graph, current, style, leaves, place)
        if level < place:
            opening, closing = _brackets(style)
            pieces = [opening, *pieces, closing]
        stack.extend(reversed(pieces))
    return "".join(out)


def _constant_leaf(text: str, named: bool, style: str) -> Leaf:
    if named:
        return Leaf({TEXT: text, TABLE: {"pi": "π", "tau": "τ"}.get(text, text), LATEX: latex_name(text)}[style])
    if text.startswith("-"):
        return Leaf(text if style != TABLE else MINUS + text[1:], UNARY)
    mantissa, _, power = text.lower().partition("e")
    if style == LATEX and power:
        return Leaf(f"{mantissa} \\cdot 10^{{{int(power)}}}", PRODUCT)
    return Leaf(text)


def _brackets(style: str) -> tuple[str, str]:
    return ("\\left(", "\\right)") if style == LATEX else ("(", ")")


def _bracketed(text: str, style: str) -> str:
    opening, closing = _brackets(style)
    return opening + text + closing


Pieces = list[str | tuple[int, int, bool]]


def _pieces(graph: Graph, slot: int, style: str, leaves: Leaves, place: int) -> tuple[Pieces, int]:
    """The texts and slots that make up an operation, and how tightly the whole binds."""
    row = graph.rows[slot]
    assert row is not None  # leaves are handled before  # noqa: S101
    parents = graph.parents[slot]
    notation = row.notation
    if isinstance(notation, Call):
        return _call_pieces(graph, row, notation, parents, style, leaves)
    if style == TABLE and notation.turned and not graph.literal[slot]:
        turned = _signed_sum(notation, parents, leaves)
        if turned is not None:
            return turned, SUM
    template = {TEXT: notation.text, TABLE: notation.table, LATEX: notation.latex}[style]
    places = {TEXT: notation.places, TABLE: notation.table_places, LATEX: notation.latex_places}[style]
    if style != TEXT and notation.brackets:
        inside = place >= PRODUCT
        places = _factor_places(graph, parents, places, leaves, notation.brackets, inside)
    return _filled(template, parents, places), notation.level


def _filled(template: str, parents: Sequence[int], places: Sequence[int]) -> Pieces:
    pieces: Pieces = []
    end = 0
    for match in _PIECES.finditer(template):
        pieces.append(template[end : match.start()])
        if match.group(1) is None:
            pieces.append(match.group()[0])
        else:
            position = int(match.group(1))
            pieces.append((parents[position], places[position] if position < len(places) else 0, False))
        end = match.end()
    pieces.append(template[end:])
    return pieces


def _signed_sum(notation: Template, parents: Sequence[int], leaves: Leaves) -> Pieces | None:
    """`10.693 − −0.959` as `10.693 + 0.959`, and a negative number added as one subtracted."""
    right = leaves(parents[1])
    if right is None or not right.value or right.level != UNARY:
        return None
    return [(parents[0], SUM, False), f" {notation.turned} ", right.text[1:]]


def _factor_places(
    graph: Graph,
    parents: Sequence[int],
    places: Sequence[int],
    leaves: Leaves,
    brackets: Sequence[int],
    inside: bool,
) -> tuple[int, ...]:
    """A negative factor goes in brackets, save a literal that comes first: `−2 × v3`."""
    tight = list(places)
    for position, parent in enumerate(parents):
        leaf = leaves(parent)
        if leaf is not None:
            negative = leaf.value and leaf.level == UNARY and (inside or position in brackets)
        else:
            row, constant = graph.rows[parent], graph.constants.get(parent)
            signed = row is not None and isinstance(row.notation, Template) and row.notation.level == UNARY
            minus = constant.text.startswith("-") if constant is not None else signed
            negative = minus and (position > 0 or inside or len(parents) == 1)
        if negative:
            tight[position] = ATOM
    return tuple(tight)


def _call_pieces(
    graph: Graph, row: Primitive, notation: Call, parents: Sequence[int], style: str, leaves: Leaves
) -> tuple[Pieces, int]:
    if style == LATEX and "{0}" in notation.latex:
        return _filled(notation.latex, parents, (0,) * len(parents)), ATOM
    arguments: Pieces = []
    for parent in parents:
        arguments += [", ", (parent, 0, False)]
    if style == TEXT:
        return [f"{notation.text or row.name}(", *arguments[1:], ")"], ATOM
    name = notation.text or row.name
    if style == LATEX:
        name = notation.latex.replace("{{", "{").replace("}}", "}") or f"\\operatorname{{{row.name}}}"
    if len(parents) == 1:
        leaf, constant = leaves(parents[0]), graph.constants.get(parents[0])
        if leaf is None and constant is not None:
            leaf = _constant_leaf(constant.text, constant.named, style)
        if leaf is not None and leaf.level == ATOM:
            return [f"{name} {leaf.text}"], APPLICATION
    opening, closing = _brackets(style)
    return [name, opening, *arguments[1:], closing], ATOM


def name_parts(name: str) -> tuple[str, str, str]:
    """A name as it is typeset: its stem, its subscript (what follows the first underscore, or trailing digits), its
    primes.  A Greek letter as a stem is spelled out."""
    stem = name.rstrip("'")
    primes = name[len(stem) :]
    stem, underscore, subscript = stem.partition("_")
    if not underscore:
        match = _DIGITS.search(stem)
        if match and match.start() > 0:
            stem, subscript = stem[: match.start()], match.group()
    return _spelled(stem), subscript, primes


def _spelled(stem: str) -> str:
    """A Greek letter by its name, as far as LaTeX has it; any other stem as it is."""
    if len(stem) != 1 or stem.isascii():
        return stem
    found = _GREEK_LETTER.match(unicodedata.name(stem, ""))
    name = found.group(2).lower().replace("lamda", "lambda") if found else ""
    name = name.capitalize() if found and found.group(1) == "CAPITAL" else name
    return name if name in GREEK else stem


def latex_name(name: str, accent: str = "") -> str:
    """A name in LaTeX: trailing digits as a subscript, Greek names as letters, longer names upright.

    `accent` is the command of an accent over its stem: `dot` for \\dot v_1.
    """
    stem, subscript, primes = name_parts(name)
    if stem in GREEK:
        stem = f"\\{stem}"
    elif not stem.isascii():
        stem = f"\\textnormal{{{stem}}}"
    elif len(stem) > 1:
        stem = f"\\mathrm{{{stem}}}"
    if accent:
        stem = f"\\{accent} {stem}" if len(stem) == 1 else f"\\{accent}{{{stem}}}"
    subscript = subscript.replace("_", "\\_")
    if not subscript.isascii():
        subscript = f"\\textnormal{{{subscript}}}"
    lowered = f"_{subscript}" if len(subscript) == 1 else f"_{{{subscript}}}" if subscript else ""
    return stem + lowered + primes


def program_text(graph: Graph) -> str:
    """The whole program in the language's own spelling, one statement for each shared node; reading it back gives the
    same graph."""
    uses = [len(below) for below in graph.children()]
    named = _statement_names(graph, uses)

    def leaves(slot: int) -> Leaf | None:
        name = named.get(slot) or graph.inputs.get(slot)
        return None if name is None else Leaf(name)

    statements = [f"{name} = {render(graph, slot, TEXT, leaves)}" for slot, name in sorted(named.items())]
    second = _second_names(graph, named)
    statements += [f"{name} = {render(graph, slot, TEXT, leaves, first=False)}" for name, slot in second.items()]
    assigned = {name: slot for slot, name in named.items()}
    shown = list(graph.outputs)
    ends = {slot for slot in named if not uses[slot]}  # what a program without an expression at its end results in
    if ends == {slot for _, slot in shown} and all(assigned.get(name) == slot for name, slot in shown):
        return "; ".join(statements)
    statements += [name if name in second else render(graph, slot, TEXT, leaves, first=False) for name, slot in shown]
    return "; ".join(statements)


def _second_names(graph: Graph, named: Mapping[int, str]) -> dict[str, int]:
    """Outputs that the user named, of slots that go by another name: an input, or a step with a name of its own."""
    return {
        name: slot
        for name, slot in graph.outputs
        if name not in (named.get(slot), graph.inputs.get(slot))
        and not _DEFAULT_NAME.match(name)
        and (slot in graph.inputs or slot in named)
    }


def _statement_names(graph: Graph, uses: Sequence[int]) -> dict[int, str]:
    """The slots that get a statement of their own: those the user named, and those used more than once."""
    taken = {*graph.inputs.values(), *graph.aliases.values(), *(name for name, _ in graph.outputs), "e", "pi", "tau"}
    named = dict(graph.aliases)
    for name, slot in graph.outputs:
        if graph.literal[slot] and not _DEFAULT_NAME.match(name):
            named.setdefault(slot, name)
    fresh = (f"t{k}" for k in range(1, len(graph) + len(taken) + 2))
    for slot in graph.operations():
        if uses[slot] > 1 and slot not in named:
            named[slot] = next(name for name in fresh if name not in taken)
    return named


def expression_latex(graph: Graph) -> str:
    """The outputs in LaTeX, separated by `;`, inputs and the user's own names as symbols."""
    uses = [len(below) for below in graph.children()]
    named = _statement_names(graph, uses)

    def leaves(slot: int) -> Leaf | None:
        name = named.get(slot) or graph.inputs.get(slot)
        return None if name is None else Leaf(latex_name(name))

    statements = [f"{latex_name(name)} = {render(graph, slot, LATEX, leaves)}" for slot, name in sorted(named.items())]
    shown = [render(graph, slot, LATEX, leaves) for _, slot in graph.outputs if slot not in graph.aliases]
    return " ;\\; ".join([*statements, *shown])
