"""Formulas of arrays as small trees: parsing, transposing, and the one walk that writes a tree in any style."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache

from ..errors import Source
from ..notation.number_text import MINUS
from ..records import NamedTuple
from ..typings import Final, TypeVar
from .array_parser import parse_arrays
from .array_rows import OPERANDS, RELATIONS, list_text

T = TypeVar("T")

_RELATION, _SUM, _ENTRYWISE, _PRODUCT, _POWER, _ATOM = range(6)  # how tightly operations bind
_VARIABLES: Final = frozenset((*OPERANDS, "g", "z"))


class ArrayName(NamedTuple):
    """The name of an array in a formula, or a number.

    text       the name or the digits
    accent     "bar" for an adjoint, "dot" for a tangent, or empty
    is_array   whether it is an array, which documents write in bold
    is_number  whether it is a number
    """

    text: str
    accent: str = ""
    is_array: bool = False
    is_number: bool = False


class FormulaTree(NamedTuple):
    """A small formula: an operation with its operands, or a leaf.

    `operation` is "name" or "number" for a leaf, else list, index, transpose, neg, a sign ("" for a product written
    side by side) or the name of a function. `leaf` is the text of a leaf (a letter of an operand of the row, another
    name, or a number), for a list the lengths of its rows, and empty for other operations.
    """

    operation: str
    operands: tuple[FormulaTree, ...] = ()
    leaf: str = ""


# --- trees ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def tree_of(text: str) -> FormulaTree:
    """Return the tree of `text`, a formula as in the table of array rows (of several statements the last); cached.

    Brackets are left out. Operands have the letters of `OPERANDS`, `g` is the adjoint of the result and `z` its value.
    Leaves are "name" or "number" with their text; a list has the lengths of its rows as leaf. Raises the errors of
    `parse_arrays`.
    """
    return program_trees(text, _VARIABLES)[-1][1]


def program_trees(text: str, names: Collection[str]) -> list[tuple[str, FormulaTree]]:
    """Return (assigned name or "", tree) for each statement of a program of arrays.

    Brackets are left out, leaves are "name" or "number" with their text, and a list has the lengths of its rows as
    leaf. `*` counts as a product without a sign, and the minus sign of a first factor is moved before the product.
    `names` are those that are not functions. Raises the errors of `parse_arrays`.
    """
    built: list[FormulaTree] = []
    statements = []
    for step in parse_arrays(Source(text), {}, names)[0]:
        operands = tuple([built[k] for k in step.arguments])
        if step.operation in ("name", "number"):
            built.append(FormulaTree(step.operation, (), step.text))
        elif step.operation in ("group", "output", "assign"):
            built.append(operands[0])
            statements += [(step.text, operands[0])] if step.operation != "group" else []
        else:
            operation = "" if step.operation == "*" else step.operation
            built.append(_sign_in_front(FormulaTree(operation, operands, step.text if operation == "list" else "")))
    return statements


def _sign_in_front(tree: FormulaTree) -> FormulaTree:
    """Return the tree with the minus sign of a first factor before the whole product or quotient."""
    if tree.operation in ("", "@", "/", "./", ".*") and tree.operands[0].operation == "neg":
        inside = FormulaTree(tree.operation, (tree.operands[0].operands[0], *tree.operands[1:]))
        return FormulaTree("neg", (inside,))
    return tree


_TRANSPOSED_INSIDE: Final = frozenset(("neg", "+", "-", ".*", "./", "inv"))


def transpose(tree: FormulaTree, numbers: frozenset[str]) -> FormulaTree:
    """Return the transpose of the formula `tree`, moved inward as far as possible.

    `numbers` are the letters of operands that are numbers. The first that applies:

    - a transpose: its operand
    - numbers, dot, sum, det and norm: unchanged
    - a product: its factors exchanged and transposed, unless the left one is a number; signs and numbers come first
    - sums, entrywise operations, negations and inverses: each operand transposed
    - a quotient by a number, an entrywise power: the first operand transposed
    - `transpose` around it
    """
    operation, operands = tree.operation, tree.operands
    if operation == "transpose":
        return operands[0]
    if operation == "number" or tree.leaf in numbers or operation in ("dot", "sum", "det", "norm"):
        return tree
    if operation in ("", "@"):
        left, right = (transpose(each, numbers) for each in operands)
        if is_number(left, numbers):
            return _sign_in_front(FormulaTree("", (left, right)))
        return numbers_first(_sign_in_front(FormulaTree("", (right, left))), numbers)
    if operation in _TRANSPOSED_INSIDE:
        return _sign_in_front(FormulaTree(operation, tuple([transpose(each, numbers) for each in operands])))
    if operation in ("/", ".^"):
        return FormulaTree(operation, (transpose(operands[0], numbers), operands[1]))
    return FormulaTree("transpose", (tree,))


def substitute(tree: FormulaTree, trees: Mapping[str, FormulaTree]) -> FormulaTree:
    """Return a formula with leaves replaced by formulas."""
    if tree.operation == "name":
        return trees.get(tree.leaf, tree)
    return tree._replace(operands=tuple([substitute(each, trees) for each in tree.operands]))


def with_transposes(tree: FormulaTree, letters: frozenset[str], numbers: frozenset[str]) -> FormulaTree:
    """Return the tree with each operand in `letters` replaced by its transpose.

    `numbers` are the letters of operands that are numbers. Transposes of the new operands cancel or move inward
    (`transpose`), and products get numbers first (`numbers_first`).
    """
    if tree.operation == "name":
        return FormulaTree("transpose", (tree,)) if tree.leaf in letters else tree
    operands = tuple([with_transposes(each, letters, numbers) for each in tree.operands])
    if tree.operation == "transpose":
        return transpose(operands[0], numbers)
    return numbers_first(FormulaTree(tree.operation, operands, tree.leaf), numbers)


def numbers_first(tree: FormulaTree, numbers: frozenset[str]) -> FormulaTree:
    """Return a product whose second factor alone is a number with its factors exchanged; every other tree unchanged.

    `numbers` are the letters that are numbers; products, quotients, powers and negations of numbers are numbers, too.
    The number comes after other numbers: `2 A g` with a number g is `2 g A`. If it has a minus sign, the sign comes
    before the product.
    """
    if tree.operation != "" or not is_number(tree.operands[1], numbers) or is_number(tree.operands[0], numbers):
        return tree
    left, right = tree.operands
    if left.operation == "" and is_number(left.operands[0], numbers):  # 2 A g: the number comes after other numbers
        return FormulaTree("", (FormulaTree("", (left.operands[0], right)), left.operands[1]))
    return _sign_in_front(FormulaTree("", (right, left)))


def is_number(tree: FormulaTree, numbers: frozenset[str]) -> bool:
    """Return whether a formula is a product or quotient of numbers; `numbers` are the letters of such operands."""
    if tree.operation in ("", "neg", "/", "^"):
        return all(is_number(each, numbers) for each in tree.operands)
    return tree.operation == "number" or tree.leaf in numbers


# --- texts ------------------------------------------------------------------------------------------------------------

_ACCENTS: Final = {"bar": "\u0304", "dot": "\u0307", "": ""}


def name_text(name: ArrayName) -> str:
    """Return a name with its accent over the first letter, numbers with a typographic minus."""
    if name.is_number:
        return MINUS + name.text[1:] if name.text.startswith("-") else name.text
    return unicodedata.normalize("NFC", name.text[:1] + _ACCENTS[name.accent] + name.text[1:])


Binding = Mapping[str, Sequence[int]]
# How tightly an operation binds, and how tightly each operand must, or is put in brackets (0: never).
BINDING: Final[Binding] = {
    **dict.fromkeys(RELATIONS, (_RELATION,)), "+": (_SUM, _SUM, _SUM), "-": (_SUM, _SUM, _ENTRYWISE),
    ".*": (_ENTRYWISE, _ENTRYWISE, _PRODUCT), "./": (_ENTRYWISE, _ENTRYWISE, _PRODUCT), "neg": (_PRODUCT, _ENTRYWISE),
    "": (_PRODUCT, _PRODUCT, _PRODUCT), "@": (_PRODUCT, _PRODUCT, _PRODUCT), "/": (_PRODUCT, _PRODUCT, _POWER),
    "^": (_POWER, _ATOM, _ATOM), ".^": (_POWER, _ATOM, _ATOM), "transpose": (_POWER, _ATOM), "inv": (_POWER, _ATOM),
    "index": (_ATOM, _ATOM),
}  # fmt: skip
_TEXTS: Final = {
    **{sign: f"{{0}} {sign} {{1}}" for sign in RELATIONS}, "+": "{0} + {1}", "-": f"{{0}} {MINUS} {{1}}",
    ".*": "{0} ⊙ {1}", "./": "{0} ⊘ {1}", "neg": f"{MINUS}{{0}}", "/": "{0}/{1}", "^": "{0}^{1}", ".^": "{0}.^{1}",
    "transpose": "{0}ᵀ", "inv": "{0}⁻¹", "norm": "‖{0}‖",
}  # fmt: skip


# A way to write formulas: functions for names, brackets around an operand, and operations (the operation, its operands,
# and for a list the lengths of its rows), and the binding of operations as in BINDING.
FormulaStyle = tuple[
    Callable[[ArrayName], T],
    Callable[[T], T],
    Callable[[str, Sequence[T], Sequence[int]], T],
    Mapping[str, Sequence[int]],
]


def print_tree(tree: FormulaTree, names: Mapping[str, ArrayName], style: FormulaStyle[T]) -> tuple[T, int]:
    """Return (the tree in `style`, its binding level: the higher, the tighter).

    `style` is (function for a name, function for brackets, function for an operation, binding by operation). `names`
    are the operands by letter; a leaf without an entry is written as a number. An operand gets brackets if its level is
    below the least one of its position. A name with a leading minus binds only as tightly as a product.
    """
    name_of, bracketed, operation_of, binding = style
    if tree.operation in ("name", "number"):
        name = names.get(tree.leaf, ArrayName(tree.leaf, is_number=True))
        return name_of(name), _PRODUCT if name_text(name).startswith(MINUS) else _ATOM
    level, *least = binding.get(tree.operation, (_ATOM,))
    operands = []
    for place, each in enumerate(tree.operands):
        operand, inner = print_tree(each, names, style)
        needs_brackets = place < len(least) and inner < least[place]
        operands.append(bracketed(operand) if needs_brackets else operand)
    lengths = [int(length) for length in tree.leaf.split(",") if length]
    return operation_of(tree.operation, operands, lengths), level


def _text_of(operation: str, operands: Sequence[str], lengths: Sequence[int]) -> str:
    """Return an operation on the texts `operands`, which have their brackets already, as text.

    `operation` is an operator of `_TEXTS` (such as `+`, `.*`, `transpose`, `norm`), "" or "@" for a matrix product (a
    blank, × before a digit, nothing between ᵀ and a bracket; a right operand with a leading minus gets brackets),
    "index", "list" (`lengths` are those of its rows), or the name of a function: `f(a, b)`.
    """
    if operation in _TEXTS:
        return _TEXTS[operation].format(*operands)
    if operation in ("", "@"):
        left, right = operands
        right = f"({right})" if right.startswith(MINUS) else right
        between = " × " if right[0].isdecimal() else "" if left[-1] == "ᵀ" and right[0] == "(" else " "
        return f"{left}{between}{right}"
    if operation == "index":
        return f"{operands[0]}[{','.join(operands[1:])}]"
    return list_text(operands, lengths) if operation == "list" else f"{operation}({', '.join(operands)})"


TEXTS: Final[FormulaStyle[str]] = (name_text, "({})".format, _text_of, BINDING)
