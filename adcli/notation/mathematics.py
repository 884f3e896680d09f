"""Mathematics in pieces: the one mathematical style that every document format uses.

Products stand side by side, quotients are fractions, and functions have their usual mathematical symbols; exceptions
are recorded for each function in the table (`Primitive.notation`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..graph.graph import Graph
from ..records import NamedTuple
from ..table.primitive import (
    APPLICATION,
    ATOM,
    POSTFIX,
    POWER,
    PRODUCT,
    RELATION,
    ROWS,
    SUM,
    UNARY,
    Call,
    Primitive,
    Template,
)
from .display_formula import Formula
from .formula import Leaf, Leaves, factor_places, signed_right, statement_names
from .formula_pieces import (
    AFTER,
    ALONE,
    BEFORE,
    BETWEEN,
    DOTTED_TIMES,
    EQUALS,
    LISTING,
    MINUS_SIGN,
    RELATING,
    TIMES,
    Application,
    Fence,
    Fraction,
    Joined,
    NamePiece,
    NumberPiece,
    Origin,
    Piece,
    Power,
    Root,
    Sign,
    Text,
    first_of,
    last_of,
    listed,
)
from .typeset_names import GREEK, name_parts

_OPERAND = re.compile(r"\{(\d)\}")
_SIGNED = "−-"
_IMAGINARY = re.compile(
    r"(?:(?P<real>.*?(?:\d|inf|nan))(?=[+−-]))?(?P<sign>[+−-])?(?P<part>[^+−-]*(?:e[+−-]?\d+)?)i\Z", re.IGNORECASE
)
_PLAIN = re.compile(r"\d*\.?\d*(e[+−-]?\d+)?", re.IGNORECASE)
_SHOWN: dict[str, Piece] = {
    "inf": Sign("∞", ALONE),
    "i": NamePiece("i"),
    "NaN": Text("NaN"),
    "nan": Text("NaN"),
    "…": Sign("…", ALONE),
    "true": Text("true"),
    "false": Text("false"),
    "≈ 0": Joined((Sign("≈", BEFORE), NumberPiece("0"))),
}


def number_piece(text: str, origin: Origin | None = None) -> Piece:
    """Return the pieces of a number as it is displayed (`−0.5`, `1/3`, `2.5e-7`, `1+2i`, `inf`, `…`); a text that is
    not a number becomes Text.  `origin` is recorded in the outer piece."""
    known = _SHOWN.get(text)
    if known is not None:
        return known
    if text.startswith("(") and text.endswith(")"):
        return Fence("(", number_piece(text[1:-1], origin), ")")
    if text.endswith("i") and not text.isalpha():
        return _complex_piece(text, origin)
    if len(text) > 1 and text[0] in _SIGNED:
        return Joined((MINUS_SIGN, number_piece(text[1:], origin)), origin)
    above, over, below = text.partition("/")
    if not (_PLAIN.fullmatch(above) and _PLAIN.fullmatch(below)):
        return Text(text)
    return Fraction(NumberPiece(above), NumberPiece(below), origin) if over else NumberPiece(text, origin)


def _complex_piece(text: str, origin: Origin | None) -> Piece:
    """Return the pieces of a complex number such as `1+2i`, `−i` or `3i`; the imaginary part is a product with the
    name i.  A text that is not of this form becomes one NumberPiece."""
    match = _IMAGINARY.match(text)
    if match is None:
        return NumberPiece(text, origin)
    part, unit = match["part"].strip(), NamePiece("i")
    imaginary: Piece = Joined((number_piece(part), TIMES, unit)) if part else unit
    if match["real"]:
        sign = Sign("−" if match["sign"] in ("−", "-") else "+")
        return Joined((number_piece(match["real"].strip()), sign, imaginary), origin)
    return Joined((MINUS_SIGN, imaginary), origin) if match["sign"] else imaginary


def leaf_piece(leaf: Leaf, origin: Origin | None = None) -> Piece:
    """Return the piece that is shown for a slot: that of a Formula, a number (a substituted value or a text in
    brackets), or a name."""
    if isinstance(leaf.text, Formula):
        return leaf.text.piece
    is_number = leaf.value or leaf.text.startswith("(")
    return number_piece(leaf.text, origin) if is_number else NamePiece(leaf.text, (), origin)


class _Built(NamedTuple):
    """A piece with its binding `level`; `open` if it ends in a function without brackets, `tall` if it is more than
    one line high, `simple` if a function may precede it without brackets."""

    piece: Piece
    level: int
    open: bool = False
    tall: bool = False
    simple: bool = False


class _Visit(NamedTuple):
    """A slot still to be built, in a position that requires the level `place`; with `expand` even if it has a leaf."""

    slot: int
    place: int
    expand: bool = False


class _Join(NamedTuple):
    """Build one piece of the last `arguments` results by `make`, for a position that requires the level `place`."""

    arguments: int
    place: int
    make: Callable[[Sequence[_Built]], _Built]


def pieces(graph: Graph, slot: int, leaves: Leaves, first: bool = True, origin: Origin | None = None) -> Piece:
    """Return the formula of `slot` in pieces; slots for which `leaves` returns a Leaf are not expanded, except `slot`
    itself with `first`.

    Every piece records its own slot and span as origin, or `origin` if that is not None (as for the rule of an
    operation).
    """
    results: list[_Built] = []
    stack: list[_Visit | _Join] = [_Visit(slot, 0, first)]
    while stack:
        item = stack.pop()
        if isinstance(item, _Join):
            start = len(results) - item.arguments
            built = item.make(results[start:])
            del results[start:]
            results.append(_bracket_if_loose(built, item.place))
            continue
        leaf = None if item.expand else leaves(item.slot)
        slot_origin = origin or Origin(item.slot, graph.spans[item.slot])
        end = _build_leaf(leaf, slot_origin) if leaf is not None else _build_end(graph, item.slot, leaves, slot_origin)
        if end is not None:
            results.append(_bracket_if_loose(end, item.place))
        else:
            join, visits = _plan_operation(graph, item.slot, item.place, leaves, slot_origin)
            stack += [join, *reversed(visits)]
    return results[0].piece


def _bracket_if_loose(built: _Built, place: int) -> _Built:
    """Return the piece, in brackets if it binds less tightly than the level `place` requires."""
    if built.level >= place:
        return built
    return _Built(Fence("(", built.piece, ")", built.tall), ATOM, tall=built.tall)


def _build_leaf(leaf: Leaf, origin: Origin) -> _Built:
    """Return the built piece of a leaf; brackets around a complex sum are removed (they return if the position needs
    them), and a fraction or number with a power of ten binds as a product."""
    piece = leaf_piece(leaf, origin)
    if isinstance(piece, Fence) and leaf.level == ATOM:  # a complex sum, which tables have in brackets everywhere
        return _Built(piece.inside, RELATION)
    level = PRODUCT if _is_factors(piece) else leaf.level
    tall = isinstance(piece, Fraction) or (isinstance(piece, Joined) and isinstance(piece.parts[-1], Fraction))
    return _Built(piece, level, tall=tall, simple=leaf.level == ATOM and not _is_scientific(piece))


def _is_factors(piece: Piece) -> bool:
    """Return whether a displayed number is a fraction or a product: 1/3, 3·10^5, 2i."""
    imaginary = isinstance(piece, Joined) and TIMES in piece.parts
    return imaginary or isinstance(piece, Fraction) or _is_scientific(piece)


def _is_scientific(piece: Piece) -> bool:
    if isinstance(piece, Joined):
        return any(map(_is_scientific, piece.parts))
    return isinstance(piece, NumberPiece) and "e" in piece.text.lower()


def _build_end(graph: Graph, slot: int, leaves: Leaves, origin: Origin) -> _Built | None:
    """Return the built piece of the constant or input in `slot`; None for an operation.

    A constant in scientific form binds as a product.
    """
    constant = graph.constants.get(slot)
    if constant is not None:
        if constant.named:
            return _Built(NamePiece(constant.text, (), origin), ATOM, simple=True)
        minus = constant.text.startswith("-")
        level = UNARY if minus else PRODUCT if "e" in constant.text.lower() else ATOM
        return _Built(number_piece(constant.text, origin), level, simple=level == ATOM)
    if graph.rows[slot] is not None:
        return None
    leaf = leaves(slot)
    if leaf is not None:
        return _build_leaf(leaf, origin)
    return _Built(NamePiece(graph.inputs.get(slot, "?"), (), origin), ATOM, simple=True)


def _plan_operation(graph: Graph, slot: int, place: int, leaves: Leaves, origin: Origin) -> tuple[_Join, list[_Visit]]:
    """Return (join, visits): how to build the piece of the operation in `slot`, and the operands to visit, each with
    the level that its position requires.

    `place` is the level that the operation's own position requires. Special cases are `sin^2 x`, a substituted negative
    right operand (the sign is reversed), fractions and fences (no brackets), powers, words such as `mod`, and products.
    """
    row, parents = graph.row(slot), graph.parents[slot]
    notation = row.notation
    if isinstance(notation, Call):
        loose = [_Visit(parent, 0) for parent in parents]
        return _Join(len(parents), place, lambda built: _build_call(row, notation, built, origin)), loose
    if notation.shape == "power" and _is_raised(graph, parents, leaves):
        return _Join(2, place, lambda built: _build_raised_call(built, origin)), [
            _Visit(parent, 0) for parent in parents
        ]
    if notation.turned and not graph.literal[slot]:
        right = signed_right(parents, leaves)
        if right is not None:
            sign, number = Sign(notation.turned), number_piece(right.text[1:])
            turn = _Join(1, place, lambda built: _build_sum(built[0], sign, _Built(number, ATOM), origin))
            return turn, [_Visit(parents[0], SUM)]
    places: Sequence[int] = notation.table_places
    if notation.brackets:
        places = factor_places(graph, parents, places, leaves, notation.brackets, place >= PRODUCT)
    if notation.shape in ("fraction", "fence"):
        places = (0,) * len(parents)
    elif notation.shape == "power":
        places = (POSTFIX, 0)
    elif _is_word(notation):
        places = (POWER, POWER)
    elif notation.shape == "product" and not _is_product(graph, parents[1], leaves):
        places = (places[0], max(places[1], UNARY))
    visits = [_Visit(parent, level) for parent, level in zip(parents, places, strict=False)]
    visits += [_Visit(parent, 0) for parent in parents[len(visits) :]]
    return _Join(len(parents), place, lambda built: _build_shape(notation, built, origin)), visits


def _is_word(notation: Template) -> bool:
    """Return whether the operator is a word such as `mod`, whose precedence readers do not know; its operands get
    brackets."""
    return notation.level == PRODUCT and not notation.shape


def _is_product(graph: Graph, slot: int, leaves: Leaves) -> bool:
    """Return whether the slot is shown as a product, a fraction or a number (a text that begins with a digit), which
    may follow another factor without brackets."""
    leaf, constant = leaves(slot), graph.constants.get(slot)
    if leaf is not None or constant is not None:
        text = leaf.text if leaf is not None else constant.text if constant is not None else ""
        return text[:1].isdecimal()
    row = graph.rows[slot]
    return row is not None and isinstance(row.notation, Template) and row.notation.shape in ("product", "fraction")


def _is_raised(graph: Graph, parents: Sequence[int], leaves: Leaves) -> bool:
    """Return whether a power is written as `sin^2 x`: the base is a function that has an inverse in the table, the
    exponent a literal whole number above 1, and neither of the operands has a leaf."""
    base, exponent = parents
    row, constant = graph.rows[base], graph.constants.get(exponent)
    if row is None or constant is None or leaves(base) is not None or leaves(exponent) is not None:
        return False
    named = isinstance(row.notation, Call) and not (row.notation.index or row.notation.root)
    return named and row.inverse is not None and constant.text.isdecimal() and int(constant.text) > 1


def _build_raised_call(built: Sequence[_Built], origin: Origin) -> _Built:
    """Return the call with the exponent on its name: `sin^2 x`; `built` is (call, exponent)."""
    call, exponent = built
    assert isinstance(call.piece, Application)  # noqa: S101
    return call._replace(piece=call.piece._replace(raised=exponent.piece, origin=origin))


def _build_call(row: Primitive, notation: Call, built: Sequence[_Built], origin: Origin) -> _Built:
    """Return the built piece of a function: a fence (absolute value, floor), a root, or a symbol with its arguments,
    of which one may be its subscript.  A single simple argument gets no brackets, unless the symbol is a single
    letter."""
    arguments = tuple([argument.piece for argument in built])
    tall = any(argument.tall for argument in built)
    if notation.fence:
        return _Built(Fence(notation.fence[0], arguments[0], notation.fence[1], tall, origin), ATOM, tall=tall)
    if notation.root:
        degree = _index_piece(notation.root, arguments)
        square = degree == NumberPiece("2")
        return _Built(Root(arguments[0], None if square else degree, origin), ATOM, tall=tall)
    index = _index_piece(notation.index, arguments) if notation.index else None
    built = [argument for argument in built if argument.piece is not index]
    symbol = notation.symbol or row.name
    letter = symbol in GREEK or len(symbol) == 1  # before a name it would be a factor
    bare = len(built) == 1 and not letter and _needs_no_brackets(built[0])
    call = Application(notation.text or row.name, symbol, arguments, index, None, bare, tall, origin)
    return _Built(call, APPLICATION if len(built) == 1 else ATOM, bare, tall)


def _index_piece(text: str, arguments: Sequence[Piece]) -> Piece:
    """Return the subscript or degree that the template `text` names: the argument of `{k}`, else the number itself."""
    match = _OPERAND.fullmatch(text)
    return arguments[int(match.group(1))] if match else NumberPiece(text)


def _needs_no_brackets(argument: _Built) -> bool:
    """Return whether a function needs no brackets before this argument: `log x`, `cos x^2`, `sin 2x`, a root or a
    fraction."""
    if isinstance(argument.piece, Fence | Root | Fraction):
        return not (isinstance(argument.piece, Fence) and argument.piece.opening == "(")
    return argument.simple


def _build_shape(notation: Template, built: Sequence[_Built], origin: Origin) -> _Built:
    """Return the built piece of an operation by its `shape` in the table (product, fraction, power, fence), a sum,
    or else operands with signs around them."""
    tall = any(part.tall for part in built)
    if notation.shape == "product":
        return _build_product(built[0], built[1], origin)
    if notation.shape == "fraction":
        return _Built(Fraction(built[0].piece, built[1].piece, origin), PRODUCT, tall=True)
    if notation.shape == "power":
        simple = built[0].simple and isinstance(built[0].piece, NamePiece | NumberPiece)
        return _Built(Power(built[0].piece, built[1].piece, origin), notation.level, tall=tall, simple=simple)
    if notation.shape == "fence":
        opening, _, closing = notation.table.partition("{0}")
        return _Built(Fence(opening, built[0].piece, closing, tall, origin), ATOM, tall=tall)
    if notation.level == SUM and len(built) == 2:
        return _build_sum(built[0], _infix_sign(notation), built[1], origin)
    level = SUM if _is_word(notation) else notation.level
    return _Built(Joined(tuple(_with_signs(notation, built)), origin), level, built[-1].open, tall)


def _infix_sign(notation: Template) -> Sign:
    """Return the sign between the two operands of a template."""
    _, sign, _ = _OPERAND.sub("\0", notation.table).split("\0")
    return Sign(sign.strip())


def _build_sum(left: _Built, sign: Sign, right: _Built, origin: Origin) -> _Built:
    """Return the sum or difference of two pieces; a `right` that begins with a minus sign is put in brackets."""
    if first_of(right.piece) == MINUS_SIGN:
        right = _Built(Fence("(", right.piece, ")", right.tall), ATOM)
    return _Built(Joined((left.piece, sign, right.piece), origin), SUM, right.open, left.tall or right.tall)


def _with_signs(notation: Template, built: Sequence[_Built]) -> list[Piece]:
    """Return the operands in order, with the signs of the table's template before, between and after them."""
    parts: list[Piece] = []
    end = 0
    for match in _OPERAND.finditer(notation.table):
        sign = notation.table[end : match.start()].strip()
        if sign:
            between = RELATING if notation.level == RELATION else BETWEEN
            parts.append(Sign(sign, between if parts else BEFORE))
        parts.append(built[int(match.group(1))].piece)
        end = match.end()
    last = notation.table[end:].strip()
    return [*parts, Sign(last, AFTER)] if last else parts


def multiplied(left: Piece, right: Piece) -> Piece:
    """Return the product of two pieces that need no brackets in it; a function without brackets at the end of `left`
    gets them."""
    return _build_product(_Built(_bracket_last_function(left), ATOM), _Built(right, ATOM)).piece


def unsigned(piece: Piece) -> Piece | None:
    """Return the piece without its leading minus sign, found also in a numerator or in brackets; None if it does not
    begin with one."""
    spine: list[Joined | Fraction] = []
    while piece != MINUS_SIGN:
        if isinstance(piece, Joined) and piece.parts:
            spine.append(piece)
            piece = piece.parts[0]
        elif isinstance(piece, Fraction):
            spine.append(piece)
            piece = piece.above
        elif isinstance(piece, Fence) and isinstance(piece.inside, Joined) and piece.inside.parts[:1] == (MINUS_SIGN,):
            piece = piece.inside
        else:
            return None
    inside: tuple[Piece, ...] = ()
    for outer in reversed(spine):
        if isinstance(outer, Fraction):
            inside = (outer._replace(above=Joined(inside)),)
        else:
            inside = (*inside, *outer.parts[1:])
            inside = inside if len(inside) == 1 else (Joined(inside),)
    return Joined(inside)


def _build_product(left: _Built, right: _Built, origin: Origin | None = None) -> _Built:
    """Return the product of two pieces side by side; with a dot if numbers would run together, if a function at the
    end of `left` would seem to apply to `right`, or if `left` ends in a name that is also a function's letter and
    `right` is in brackets."""
    head, tail = first_of(right.piece), last_of(left.piece)
    dotted = (
        isinstance(head, NumberPiece)
        or (left.open and not isinstance(head, Application))
        or (isinstance(tail, NumberPiece) and isinstance(head, Fraction))
        or (isinstance(head, Fence) and head.opening == "(" and _is_function_letter(tail))
    )
    sign = DOTTED_TIMES if dotted else TIMES
    simple = isinstance(left.piece, NumberPiece) and isinstance(right.piece, NamePiece)
    row = Joined((left.piece, sign, right.piece), origin)
    return _Built(row, PRODUCT, right.open, left.tall or right.tall, simple)


def _is_function_letter(piece: Piece) -> bool:
    """Return whether brackets after this name would look like the argument of a function: σ(x + 1), Γ(x)."""
    base = piece.base if isinstance(piece, Power) else piece
    if not isinstance(base, NamePiece):
        return False
    stem, index, _ = name_parts(base.text)
    calls = [row.notation for row in ROWS.values() if isinstance(row.notation, Call) and row.notation.symbol == stem]
    return any(stem in GREEK or bool(call.index) == bool(index) for call in calls if stem in GREEK or len(stem) == 1)


def _bracket_last_function(piece: Piece) -> Piece:
    """Return the piece with brackets around the argument of the function that it ends in, if it ends in one."""
    outer: list[Joined] = []
    while isinstance(piece, Joined) and piece.parts:
        outer.append(piece)
        piece = piece.parts[-1]
    if isinstance(piece, Application) and piece.bare:
        piece = piece._replace(bare=False)
    for joined in reversed(outer):
        piece = joined._replace(parts=(*joined.parts[:-1], piece))
    return piece


def program_piece(graph: Graph) -> Piece:
    """Return the program in one row separated by `;`: an equation for each slot that the user named or that is used
    more than once, then the outputs that have no name of the user."""
    uses = [len(below) for below in graph.children()]
    named = statement_names(graph, uses)

    def leaves(slot: int) -> Leaf | None:
        name = named.get(slot) or graph.inputs.get(slot)
        return None if name is None else Leaf(name)

    shown: list[Piece] = [
        Joined((NamePiece(name), EQUALS, pieces(graph, slot, leaves))) for slot, name in sorted(named.items())
    ]
    shown += [pieces(graph, slot, leaves) for _, slot in graph.outputs if slot not in graph.aliases]
    return Joined(tuple(listed(shown, Sign(";", LISTING))))
