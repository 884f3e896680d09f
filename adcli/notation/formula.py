"""Formulas of a graph as text: in the language itself (TEXT) and in the style of tables (TABLE). A leaf is the text
that is shown for a slot instead of its own formula; a level says how tightly a text binds.

One walk serves both styles, from the result down with an explicit stack, so that its time is proportional to the length
of the text. The sign of each operation and its place come from the table of functions (`Primitive.notation`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from ..graph.graph import Graph
from ..patterns import pattern
from ..records import NamedTuple
from ..table.primitive import APPLICATION, ATOM, PRODUCT, SUM, UNARY, Call, Primitive, Template
from .number_text import MINUS

TEXT, TABLE = "text", "table"

OPERAND = pattern(r"\{(\d)\}")


class Leaf(NamedTuple):
    """The text that is shown for a slot instead of its own formula, and how tightly that binds (`level`).

    `value` marks a number substituted for a name: as a factor it goes in brackets when it is negative, and subtracting
    it is then written as adding.
    """

    text: str
    level: int = ATOM
    value: bool = False


def number_leaf(text: str) -> Leaf:
    """Return the Leaf for a number `text` that is substituted for a name; a leading hyphen becomes a typographic minus.

    A complex sum (`1+2i`, `1−2i`, not with a hyphen inside) is put in brackets, a negative number binds as a unary
    minus, a fraction as a sum (so brackets are added in products), every other text as an ATOM (also 1e-7). All but the
    complex sum are marked as `value`.
    """
    if text.endswith("i") and any(sign in ("+", MINUS) and before != "e" for before, sign in pairwise(text)):
        return Leaf(f"({MINUS + text[1:] if text.startswith('-') else text})")
    if text.startswith("-"):
        return Leaf(MINUS + text[1:], UNARY, True)
    return Leaf(text, SUM if "/" in text else ATOM, True)


Leaves = Callable[[int], Leaf | None]


def leaves_with_names(graph: Graph, named: Mapping[int, str]) -> Leaves:
    """Return a function from a slot to the Leaf with its name, from `named` (slot → name) or as an input; None for
    other slots."""
    return {slot: Leaf(name) for slot, name in {**graph.inputs, **named}.items()}.get


def render(graph: Graph, slot: int, style: str, leaves: Leaves, first: bool = True) -> str:
    """Return the formula of `slot` as text in `style` (TEXT: the language; TABLE: tables), with brackets where needed.

    `leaves` maps a slot to a Leaf or None. A slot with a Leaf is written as the text of the Leaf and not expanded; the
    text is bracketed if the Leaf binds less tightly than its place requires. With `first` an operation or constant in
    `slot` itself is expanded even if it has a Leaf. An input without a Leaf is written by its name.
    """
    out: list[str] = []
    # Still to be written, the next one last: a text, or (slot, level required by its place, whether to expand it).
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
                leaf = _leaf_of_constant(constant.text, constant.named, style)
            elif graph.rows[current] is None:
                leaf = leaves(current) or Leaf(graph.inputs.get(current, "?"))
        if leaf is not None:
            out.append(f"({leaf.text})" if leaf.level < place else leaf.text)
            continue
        pieces, level = _operation_parts(graph, current, style, leaves, place)
        if level < place:
            pieces = ["(", *pieces, ")"]
        stack.extend(reversed(pieces))
    return "".join(out)


def _leaf_of_constant(text: str, named: bool, style: str) -> Leaf:
    """Return the Leaf of the literal or, if `named`, the constant `text`.

    In TABLE style pi and tau become Greek letters and a leading hyphen a typographic minus. A negative literal binds as
    a unary minus.
    """
    if named:
        return Leaf(text if style == TEXT else {"pi": "π", "tau": "τ"}.get(text, text))
    if text.startswith("-"):
        return Leaf(text if style == TEXT else MINUS + text[1:], UNARY)
    return Leaf(text)


_Stack = list[str | tuple[int, int, bool]]


def _operation_parts(graph: Graph, slot: int, style: str, leaves: Leaves, place: int) -> tuple[_Stack, int]:
    """Return (parts, level) of an operation: its parts in reading order, and how tightly the whole binds.

    A part is a text or (slot, required level, False). `place` is the level that the surrounding formula requires: at
    PRODUCT or more negative factors get brackets. In TABLE style a substituted negative right operand of a sum or
    difference reverses the sign (`a − 2` for `a + (−2)`), unless the operation has only literals. Functions are `f(a,
    b)`, or `sin x` in TABLE style before a single name or number.
    """
    row = graph.row(slot)
    parents = graph.parents[slot]
    notation = row.notation
    if isinstance(notation, Call):
        return _call_pieces(graph, row, notation, parents, style, leaves)
    if style == TABLE and notation.negated_sign and not graph.literal[slot]:
        right = signed_right(parents, leaves)
        if right is not None:
            return [(parents[0], SUM, False), f" {notation.negated_sign} ", right.text[1:]], SUM
    if style == TEXT:
        return _fill_template(notation.text, parents, notation.places), notation.level
    text, places = notation.in_tables
    if notation.brackets:
        places = factor_places(graph, parents, places, leaves, notation.brackets, inside=place >= PRODUCT)
    return _fill_template(text, parents, places), notation.level


def _fill_template(template: str, parents: Sequence[int], places: Sequence[int]) -> _Stack:
    """Return the parts of a template such as `{0} + {1}`, in its order: its texts, of which some are empty, and (slot,
    level, False) for each operand.

    `parents` are the slots of the operands. The level is that of `places`, or 0 for operands beyond it; False: the
    operand may be replaced by a leaf.
    """
    pieces: _Stack = OPERAND.split(template)
    for place in range(1, len(pieces), 2):
        position = int(str(pieces[place]))
        pieces[place] = parents[position], places[position] if position < len(places) else 0, False
    return pieces


def signed_right(parents: Sequence[int], leaves: Leaves) -> Leaf | None:
    """Return the Leaf of the second operand if it is a substituted negative number, else None."""
    right = leaves(parents[1])
    return right if right is not None and right.value and right.level == UNARY else None


def factor_places(
    graph: Graph, parents: Sequence[int], places: Sequence[int], leaves: Leaves, brackets: Sequence[int], inside: bool
) -> tuple[int, ...]:
    """Return the levels that the operands of a product require: `places`, but ATOM (brackets) for negative operands.

    `parents` are the slots of the operands. A substituted negative number counts as negative `inside` a product, and if
    its position is in `brackets`. A negative literal or negation counts, except as the first of several operands
    outside a product: `−2 × v3`.
    """
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
) -> tuple[_Stack, int]:
    """Return (parts, level) of a call of `row` with the argument slots `parents`: `f(a, b)`, which binds as an ATOM, or
    in TABLE style `sin x`.

    `sin x` (APPLICATION) is used if the only argument is a Leaf or a constant that binds as an ATOM; other arguments
    stay in brackets. The name is the text of `notation`, or else the row's own name. A part is a text or (slot,
    required level, False); `leaves` maps a slot to its Leaf or None.
    """
    arguments: _Stack = []
    for parent in parents:
        arguments += [", ", (parent, 0, False)]
    name = notation.text or row.name
    if style == TABLE and len(parents) == 1:
        leaf, constant = leaves(parents[0]), graph.constants.get(parents[0])
        if leaf is None and constant is not None:
            leaf = _leaf_of_constant(constant.text, constant.named, style)
        if leaf is not None and leaf.level == ATOM:
            return [f"{name} {leaf.text}"], APPLICATION
    return [f"{name}(", *arguments[1:], ")"], ATOM


def program_text(graph: Graph) -> str:
    """Return the program in the spelling of the language, statements separated by `; `; parsing it gives the same
    graph.

    There is one statement for each slot that is named or used more than once, then one for each output that is a second
    name of a slot (other than y, y1, …), then the outputs. Outputs at the end are left out if the last assignments
    define exactly them.
    """
    uses = [len(below) for below in graph.children()]
    named = statement_names(graph, uses)
    leaves = leaves_with_names(graph, named)
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
    """Return name → slot for the outputs whose slot already has another name: an input, or a step in `named`.

    The entries are in the order of the outputs. Left out are outputs whose name is that of the step or input, those
    with a default name (y, y1, y2, …), and those whose slot has no name.
    """
    ends = [(name, (graph.inputs.get(slot), named.get(slot)), slot) for name, slot in graph.outputs]
    ends = [each for each in ends if each[0] not in each[1] and not _is_default_name(each[0])]
    return {name: slot for name, _, slot in ends if slot in graph.inputs or slot in named}


def _is_default_name(name: str) -> bool:
    number = name.rstrip("'").removeprefix("y")
    return name.startswith("y") and (not number or number.isdecimal())


def statement_names(graph: Graph, uses: Sequence[int]) -> dict[int, str]:
    """Return slot → name for the slots that get a statement of their own.

    These are the slots with aliases; literals that are outputs with a name of the user's; and operations used more than
    once (`uses`, by slot). A slot without a name gets t1, t2, … in the order of slots, but not a name of inputs,
    outputs and aliases.
    """
    taken = {*graph.inputs.values(), *graph.aliases.values(), *(name for name, _ in graph.outputs), "e", "pi", "tau"}
    named = dict(graph.aliases)
    for name, slot in graph.outputs:
        if graph.literal[slot] and not _is_default_name(name):
            named.setdefault(slot, name)
    fresh = (f"t{k}" for k in range(1, len(graph) + len(taken) + 2))
    for slot in graph.operations():
        if uses[slot] > 1 and slot not in named:
            named[slot] = next(name for name in fresh if name not in taken)
    return named
