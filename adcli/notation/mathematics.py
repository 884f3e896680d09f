"""Mathematics in pieces: the one mathematical style that every document format uses. A piece that is being built knows
how tightly it binds (its level); `leaves` maps a slot to what is shown instead of its formula, or None; an origin (slot
and place) is recorded in the piece.

Products stand side by side, quotients are fractions, and functions have their usual mathematical symbols; exceptions
are recorded for each function in the table (`Primitive.notation`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain, repeat

from ..graph.graph import Graph
from ..patterns import pattern
from ..records import NamedTuple
from ..table import primitive
from . import formula_pieces as fp
from .display_formula import Formula
from .formula import OPERAND, Leaf, Leaves, factor_places, leaves_with_names, signed_right, statement_names
from .typeset_names import GREEK, name_parts

_SIGNED = "−-"
_IMAGINARY = pattern(
    r"(?:(?P<real>.*?(?:\d|inf|nan))(?=[+−-]))?(?P<sign>[+−-])?(?P<part>[^+−-]*(?:e[+−-]?\d+)?)i\Z", re.IGNORECASE
)
_PLAIN = pattern(r"\d*\.?\d*(e[+−-]?\d+)?", re.IGNORECASE)
_SHOWN: dict[str, fp.Piece] = {
    "inf": fp.Sign("∞", fp.ALONE),
    "i": fp.NamePiece("i"),
    "NaN": fp.Text("NaN"),
    "nan": fp.Text("NaN"),
    "…": fp.Sign("…", fp.ALONE),
    "true": fp.Text("true"),
    "false": fp.Text("false"),
    "≈ 0": fp.Joined((fp.Sign("≈", fp.BEFORE), fp.NumberPiece("0"))),
}


def number_piece(text: str, origin: fp.Origin | None = None) -> fp.Piece:
    """Return the pieces of a number as it is displayed: `−0.5`, `1/3`, `2.5e-7`, `1+2i`, `inf`, `…`.

    A minus sign is a Sign before the rest, a fraction a Fraction; round brackets around the text become a Fence; a
    number in scientific form, and an empty text, is one NumberPiece. A text that is not a number becomes Text. `origin`
    is recorded in the outer piece (None: nowhere), for a Fence in the piece inside it. Text, signs such as that of
    `inf` and `…`, and an imaginary number without a sign (2i) have none.
    """
    known = _SHOWN.get(text)
    if known is not None:
        return known
    if text.startswith("(") and text.endswith(")"):
        return fp.Fence("(", number_piece(text[1:-1], origin), ")")
    if text.endswith("i") and not text.isalpha():
        return _complex_piece(text, origin)
    if len(text) > 1 and text[0] in _SIGNED:
        return fp.Joined((fp.MINUS_SIGN, number_piece(text[1:], origin)), origin)
    above, over, below = text.partition("/")
    if not (_PLAIN.fullmatch(above) and _PLAIN.fullmatch(below)):
        return fp.Text(text)
    return fp.Fraction(fp.NumberPiece(above), fp.NumberPiece(below), origin) if over else fp.NumberPiece(text, origin)


def _complex_piece(text: str, origin: fp.Origin | None) -> fp.Piece:
    """Return the pieces of a complex number such as `1+2i`, `−i` or `3i`.

    The imaginary part is a product with the name i, or i alone; with a real part it is the right side of a sum or
    difference. A text that ends in i but is not of this form becomes one NumberPiece. `origin` is recorded in the outer
    piece, but not in an imaginary part alone without a sign.
    """
    match = _IMAGINARY.match(text)
    if match is None:
        return fp.NumberPiece(text, origin)
    part, unit = match["part"].strip(), fp.NamePiece("i")
    imaginary: fp.Piece = fp.Joined((number_piece(part), fp.TIMES, unit)) if part else unit
    if match["real"]:
        sign = fp.Sign("−" if match["sign"] in ("−", "-") else "+")
        return fp.Joined((number_piece(match["real"].strip()), sign, imaginary), origin)
    return fp.Joined((fp.MINUS_SIGN, imaginary), origin) if match["sign"] else imaginary


def leaf_piece(leaf: Leaf, origin: fp.Origin | None = None) -> fp.Piece:
    """Return the piece that is shown for a slot: that of a Formula, a number (a substituted value or a text in
    brackets), or a name."""
    if isinstance(leaf.text, Formula):
        return leaf.text.piece
    is_number = leaf.value or leaf.text.startswith("(")
    return number_piece(leaf.text, origin) if is_number else fp.NamePiece(leaf.text, (), origin)


class _Built(NamedTuple):
    """A piece with its binding `level`; `open` if it ends in a function without brackets, `tall` if it is more than
    one line high, `simple` if a function may precede it without brackets."""

    piece: fp.Piece
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


def pieces(graph: Graph, slot: int, leaves: Leaves, first: bool = True, origin: fp.Origin | None = None) -> fp.Piece:
    """Return the formula of `slot` in pieces, with brackets where needed.

    Slots for which `leaves` returns a Leaf are shown by it and not expanded. With `first` an operation or constant in
    `slot` itself is expanded all the same; an input keeps its Leaf. An input without a Leaf is its name. Every piece
    records its own slot and span as origin, or `origin` if that is not None (as for the rule of an operation).
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
        slot_origin = origin or fp.Origin(item.slot, graph.spans[item.slot])
        end = _build_leaf(leaf, slot_origin) if leaf is not None else _build_end(graph, item.slot, leaves, slot_origin)
        if end is not None:
            results.append(_bracket_if_loose(end, item.place))
        else:
            join, visits = _plan_operation(graph, item.slot, item.place, leaves, slot_origin)
            stack += [join, *reversed(visits)]
    return results[0].piece


def _bracket_if_loose(part: _Built, place: int) -> _Built:
    """Return the piece, in brackets if it binds less tightly than the level `place` requires."""
    if part.level >= place:
        return part
    return _Built(fp.Fence("(", part.piece, ")", part.tall), primitive.ATOM, tall=part.tall)


def _build_leaf(leaf: Leaf, origin: fp.Origin) -> _Built:
    """Return the built piece of a leaf, with the level at which it binds in mathematics.

    The first that applies:

    - A complex sum, which the leaf has in brackets, loses them and binds as a RELATION, so that it gets brackets back
      inside other pieces.
    - A fraction or imaginary number (2i) without a sign, and a number with a power of ten, binds as a PRODUCT.
    - A leaf of another kind keeps its level: −1/3 and −2i bind as a unary minus.

    `tall` are fractions, also with a sign; `simple` are leaves that bind as an ATOM and have no power of ten.
    """
    piece = leaf_piece(leaf, origin)
    if isinstance(piece, fp.Fence) and leaf.level == primitive.ATOM:  # a complex sum, always in brackets in tables
        return _Built(piece.inside, primitive.RELATION)
    imaginary = isinstance(piece, fp.Joined) and fp.TIMES in piece.parts
    is_factors = imaginary or isinstance(piece, fp.Fraction) or _is_scientific(piece)
    level = primitive.PRODUCT if is_factors else leaf.level
    tall = isinstance(piece, fp.Fraction) or (isinstance(piece, fp.Joined) and isinstance(piece.parts[-1], fp.Fraction))
    return _Built(piece, level, tall=tall, simple=leaf.level == primitive.ATOM and not _is_scientific(piece))


def _is_scientific(piece: fp.Piece) -> bool:
    if isinstance(piece, fp.Joined):
        return any(map(_is_scientific, piece.parts))
    return isinstance(piece, fp.NumberPiece) and "e" in piece.text.lower()


def _build_end(graph: Graph, slot: int, leaves: Leaves, origin: fp.Origin) -> _Built | None:
    """Return the built piece of the constant or input in `slot`; None for an operation.

    A constant is written by its own text (a leaf of it is not looked at); a negative one binds as a unary minus, one in
    scientific form as a product. An input is its leaf, or else its name.
    """
    constant = graph.constants.get(slot)
    if constant is not None:
        if constant.named:
            return _Built(fp.NamePiece(constant.text, (), origin), primitive.ATOM, simple=True)
        minus = constant.text.startswith("-")
        level = primitive.UNARY if minus else primitive.PRODUCT if "e" in constant.text.lower() else primitive.ATOM
        return _Built(number_piece(constant.text, origin), level, simple=level == primitive.ATOM)
    if graph.rows[slot] is not None:
        return None
    leaf = leaves(slot)
    if leaf is not None:
        return _build_leaf(leaf, origin)
    return _Built(fp.NamePiece(graph.inputs.get(slot, "?"), (), origin), primitive.ATOM, simple=True)


def _plan_operation(
    graph: Graph, slot: int, place: int, leaves: Leaves, origin: fp.Origin
) -> tuple[_Join, list[_Visit]]:
    """Return (join, visits): how to build the piece of the operation in `slot`, and the operands to visit.

    Each visit has the level that the position of the operand requires; `place` is the level that the operation's own
    position requires. Operands with a leaf are shown by the leaf. The first that applies: a choice (cases), a function
    call, `sin^2 x`, a substituted negative right operand (the sign is reversed), all other operations
    (`_operand_places`, `_build_shape`).
    """
    row, parents = graph.row(slot), graph.parents[slot]
    notation = row.notation
    loose = [_Visit(parent, 0) for parent in parents]
    if row.route is not None and len(parents) == 3:
        return _Join(3, place, lambda built: _build_cases(*built)), loose
    if isinstance(notation, primitive.Call):
        return _Join(len(parents), place, lambda built: _build_call(row, notation, built, origin)), loose
    if notation.shape == "power" and _is_raised(graph, parents, leaves):
        return _Join(2, place, lambda built: _build_raised_call(built, origin)), loose
    if notation.negated_sign and not graph.literal[slot]:
        right = signed_right(parents, leaves)
        if right is not None:
            sign, number = fp.Sign(notation.negated_sign), number_piece(right.text[1:])
            turn = _Join(1, place, lambda built: _build_sum(built[0], sign, _Built(number, primitive.ATOM), origin))
            return turn, [_Visit(parents[0], primitive.SUM)]
    places = _operand_places(graph, notation, parents, leaves, place >= primitive.PRODUCT)
    levels = chain(places, repeat(0))
    visits = [_Visit(parent, level) for parent, level in zip(parents, levels, strict=False)]
    return _Join(len(parents), place, lambda built: _build_shape(notation, built, origin)), visits


def _operand_places(
    graph: Graph, notation: primitive.Template, parents: Sequence[int], leaves: Leaves, inside: bool
) -> Sequence[int]:
    """Return the level that the position of each operand (slots `parents`) requires; further operands require 0.

    The first that applies:

    - Operands of fractions and fences require no level: ().
    - The base of a power requires POSTFIX, its exponent 0.
    - Operands of words such as `mod` require POWER.
    - Others require the levels of the table. `inside` a product, negative factors are bracketed. The right factor of a
      product requires UNARY at least, unless it is shown as a product, a fraction or a number (`_is_product`).
    """
    if notation.shape in ("fraction", "fence"):
        return ()
    if notation.shape == "power":
        return primitive.POSTFIX, 0
    if _is_word(notation):
        return primitive.POWER, primitive.POWER
    places: Sequence[int] = notation.in_tables[1]
    if notation.brackets:
        places = factor_places(graph, parents, places, leaves, notation.brackets, inside)
    if notation.shape == "product" and not _is_product(graph, parents[1], leaves):
        return places[0], max(places[1], primitive.UNARY)
    return places


def _is_word(notation: primitive.Template) -> bool:
    """Return whether the operator is a word such as `mod`, whose precedence readers do not know; its operands get
    brackets."""
    return notation.level == primitive.PRODUCT and not notation.shape


def _is_product(graph: Graph, slot: int, leaves: Leaves) -> bool:
    """Return whether the slot is shown as a product, a fraction or a number, which may follow another factor without
    brackets.

    A slot with a leaf or constant is one if that text begins with a digit, so names and negative numbers are not; other
    slots are if their operation has the shape of a product or fraction.
    """
    leaf, constant = leaves(slot), graph.constants.get(slot)
    if leaf is not None or constant is not None:
        text = leaf.text if leaf is not None else constant.text if constant is not None else ""
        return text[:1].isdecimal()
    row = graph.rows[slot]
    notation = None if row is None else row.notation
    return isinstance(notation, primitive.Template) and notation.shape in ("product", "fraction")


def _is_raised(graph: Graph, parents: Sequence[int], leaves: Leaves) -> bool:
    """Return whether a power is written as `sin^2 x`, with the exponent at the function's name.

    The base is a function by name, not a root or one with an index, that has an inverse in the table; the exponent is a
    literal whole number above 1; and `leaves` has a leaf for neither. `parents` are the slots of base and exponent.
    """
    base, exponent = parents
    row, constant = graph.rows[base], graph.constants.get(exponent)
    if row is None or constant is None or leaves(base) is not None or leaves(exponent) is not None:
        return False
    named = isinstance(row.notation, primitive.Call) and not (row.notation.index or row.notation.root)
    return named and row.inverse is not None and constant.text.isdecimal() and int(constant.text) > 1


def _build_raised_call(built: Sequence[_Built], origin: fp.Origin) -> _Built:
    """Return the call with the exponent on its name: `sin^2 x`; `built` is (call, exponent)."""
    call, exponent = built
    piece = call.piece
    raised = piece._replace(raised=exponent.piece, origin=origin) if isinstance(piece, fp.Application) else piece
    return call._replace(piece=raised)


def _build_call(
    row: primitive.Primitive, notation: primitive.Call, built: Sequence[_Built], origin: fp.Origin
) -> _Built:
    """Return the built piece of a function: a fence (absolute value, floor), a root, or a symbol with its arguments.

    The symbol is that of `notation`, or without one the name of `row`. One argument may be its subscript or the degree
    of the root. A single other argument that is a root, a fraction, bars or simple (`_needs_no_brackets`) gets no
    brackets, unless the symbol is a single letter or Greek. The level is ATOM for fences and roots; for calls it is
    APPLICATION with one argument besides the subscript, else ATOM. `open` (on the right) is True if there are no
    brackets.
    """
    arguments = tuple([argument.piece for argument in built])
    tall = any(argument.tall for argument in built)
    if notation.fence:
        piece = fp.Fence(notation.fence[0], arguments[0], notation.fence[1], tall, origin)
        return _Built(piece, primitive.ATOM, tall=tall)
    if notation.root:
        degree = _index_piece(notation.root, arguments)
        square = degree == fp.NumberPiece("2")
        return _Built(fp.Root(arguments[0], None if square else degree, origin), primitive.ATOM, tall=tall)
    index = _index_piece(notation.index, arguments) if notation.index else None
    built = [argument for argument in built if argument.piece is not index]
    symbol = notation.symbol or row.name
    letter = symbol in GREEK or len(symbol) == 1  # before a name it would be a factor
    bare = len(built) == 1 and not letter and _needs_no_brackets(built[0])
    call = fp.Application(notation.text or row.name, symbol, arguments, index, None, bare, tall, origin)
    return _Built(call, primitive.APPLICATION if len(built) == 1 else primitive.ATOM, bare, tall)


def _build_cases(condition: _Built, value: _Built, other: _Built) -> _Built:
    """Return the choice as cases, one for each row; those of a choice in the last place follow as further rows."""
    held, last = (value.piece, fp.Joined((fp.Text("if "), condition.piece))), other.piece
    rest = last.rows if isinstance(last, fp.Matrix) and last.cases else ((last, fp.Text("otherwise")),)
    return _Built(fp.Matrix((held, *rest), cases=True), primitive.RELATION, tall=True)


def _index_piece(text: str, arguments: Sequence[fp.Piece]) -> fp.Piece:
    """Return the subscript or degree that the template `text` names: the argument of `{k}`, else the number itself."""
    match = OPERAND.fullmatch(text)
    return arguments[int(match.group(1))] if match else fp.NumberPiece(text)


def _needs_no_brackets(argument: _Built) -> bool:
    """Return whether a function needs no brackets before this argument: a root, a fraction, a fence other than round
    brackets (bars, floor), or a `simple` piece.

    So `log x`, `cos x^2`, `sin 2x` are written. False for an argument in round brackets and for everything else.
    """
    if isinstance(argument.piece, fp.Fence | fp.Root | fp.Fraction):
        return not (isinstance(argument.piece, fp.Fence) and argument.piece.opening == "(")
    return argument.simple


def _build_shape(notation: primitive.Template, built: Sequence[_Built], origin: fp.Origin) -> _Built:
    """Return the built piece of an operation by the `shape` of its `notation` in the table.

    The first that applies: a product, fraction, power or fence (the shape), at level PRODUCT, PRODUCT, that of
    `notation`, ATOM; a sum or difference of two operands, SUM; operands with signs around them (a negation, relation,
    factorial, …), at the level of `notation`. In the last case a word such as mod binds as a sum. `tall` is True for a
    fraction, or if an operand is tall. `open` is that of the last operand, False for fractions, powers and fences. The
    power of a simple name or number is `simple`.
    """
    tall = any(part.tall for part in built)
    if notation.shape == "product":
        return _build_product(built[0], built[1], origin)
    if notation.shape == "fraction":
        return _Built(fp.Fraction(built[0].piece, built[1].piece, origin), primitive.PRODUCT, tall=True)
    if notation.shape == "power":
        simple = built[0].simple and isinstance(built[0].piece, fp.NamePiece | fp.NumberPiece)
        return _Built(fp.Power(built[0].piece, built[1].piece, origin), notation.level, tall=tall, simple=simple)
    if notation.shape == "fence":
        opening, _, closing = notation.in_tables[0].partition("{0}")
        return _Built(fp.Fence(opening, built[0].piece, closing, tall, origin), primitive.ATOM, tall=tall)
    if notation.level == primitive.SUM and len(built) == 2:
        return _build_sum(built[0], fp.Sign(OPERAND.sub("", notation.in_tables[0]).strip()), built[1], origin)
    level = primitive.SUM if _is_word(notation) else notation.level
    return _Built(fp.Joined(tuple(_with_signs(notation, built)), origin), level, built[-1].open, tall)


def _build_sum(left: _Built, sign: fp.Sign, right: _Built, origin: fp.Origin) -> _Built:
    """Return the sum or difference of two pieces; brackets enclose a `right` that begins with a minus sign."""
    if fp.first_of(right.piece) == fp.MINUS_SIGN:
        right = _Built(fp.Fence("(", right.piece, ")", right.tall), primitive.ATOM)
    row = fp.Joined((left.piece, sign, right.piece), origin)
    return _Built(row, primitive.SUM, right.open, left.tall or right.tall)


def _with_signs(notation: primitive.Template, built: Sequence[_Built]) -> list[fp.Piece]:
    """Return the operands `built` as pieces in the order of the template in the table, with its signs before, between
    and after them as Sign pieces.

    Blanks around signs are dropped, and empty signs left out. A sign between operands is of kind RELATING in a
    relation, else BETWEEN; before them it is BEFORE, after them AFTER.
    """
    parts: list[fp.Piece] = []
    between = fp.RELATING if notation.level == primitive.RELATION else fp.BETWEEN
    texts = OPERAND.split(notation.in_tables[0])  # signs and positions in turn
    for place, text in enumerate(texts):
        if place % 2:
            parts.append(built[int(text)].piece)
        elif text.strip():
            kind = fp.BEFORE if not parts else between if place < len(texts) - 1 else fp.AFTER
            parts.append(fp.Sign(text.strip(), kind))
    return parts


def multiply(left: fp.Piece, right: fp.Piece) -> fp.Piece:
    """Return the product of two pieces that need no brackets in it; a function without brackets at the end of `left`
    gets them."""
    return _build_product(_Built(_bracket_last_function(left), primitive.ATOM), _Built(right, primitive.ATOM)).piece


def without_minus(piece: fp.Piece) -> fp.Piece | None:
    """Return the piece without its leading minus sign; None if it does not begin with one.

    The sign is also found in a numerator, or in brackets of any kind (bars too, which would change the value), which
    are removed with it: −a/b gives a/b, (−a + b) gives a + b. It is not looked for in the base of a power. The result
    is a Joined, empty for the sign alone. `piece` is not changed.
    """
    spine: list[fp.Joined | fp.Fraction] = []
    while piece != fp.MINUS_SIGN:
        if isinstance(piece, fp.Joined) and piece.parts:
            spine.append(piece)
            piece = piece.parts[0]
        elif isinstance(piece, fp.Fraction):
            spine.append(piece)
            piece = piece.above
        elif isinstance(piece, fp.Fence) and fp.first_of(piece.inside) == fp.MINUS_SIGN:
            piece = piece.inside
        else:
            return None
    inside: tuple[fp.Piece, ...] = ()
    for outer in reversed(spine):
        if isinstance(outer, fp.Fraction):
            inside = (outer._replace(above=fp.Joined(inside)),)
        else:
            inside = (*inside, *outer.parts[1:])
            inside = inside if len(inside) == 1 else (fp.Joined(inside),)
    return fp.Joined(inside)


def _build_product(left: _Built, right: _Built, origin: fp.Origin | None = None) -> _Built:
    """Return the product of two pieces side by side, at level PRODUCT; with a dot where blank space would mislead.

    It is a row of three parts, `left`, sign and `right`, which are not opened. A dot is set if `right` begins with a
    number; if `left` ends in a function without brackets, unless `right` begins with a function by name; if `left` ends
    in a number and `right` begins with a fraction; and if `left` ends in a letter that is also a function's and `right`
    begins with a round bracket. A number times a name is `simple`.
    """
    head, tail = fp.first_of(right.piece), fp.last_of(left.piece)
    dotted = (
        isinstance(head, fp.NumberPiece)
        or (left.open and not (isinstance(head, fp.Application) and len(head.symbol) > 1 and head.symbol not in GREEK))
        or (isinstance(tail, fp.NumberPiece) and isinstance(head, fp.Fraction))
        or (isinstance(head, fp.Fence) and head.opening == "(" and _is_function_letter(tail))
    )
    sign = fp.DOTTED_TIMES if dotted else fp.TIMES
    simple = isinstance(left.piece, fp.NumberPiece) and isinstance(right.piece, fp.NamePiece)
    row = fp.Joined((left.piece, sign, right.piece), origin)
    return _Built(row, primitive.PRODUCT, right.open, left.tall or right.tall, simple)


def _is_function_letter(piece: fp.Piece) -> bool:
    """Return whether brackets after this name would look like the argument of a function: σ(x + 1), Γ(x).

    True for a single letter or Greek name, or a power of it, that is the symbol of a call in the table. A Latin letter
    counts only if both name and call have an index or neither has.
    """
    base = piece.base if isinstance(piece, fp.Power) else piece
    if not isinstance(base, fp.NamePiece):
        return False
    stem, index, _ = name_parts(base.text)
    if stem not in GREEK and len(stem) > 1:
        return False
    notations = (row.notation for row in primitive.ROWS.values())
    calls = [notation for notation in notations if isinstance(notation, primitive.Call) and notation.symbol == stem]
    return any(stem in GREEK or bool(call.index) == bool(index) for call in calls)


def _bracket_last_function(piece: fp.Piece) -> fp.Piece:
    """Return `piece` with brackets around the arguments of the function that it ends in.

    Only the last part of rows (Joined) is followed, and only a function written without brackets changes; otherwise the
    piece is returned unchanged. `piece` itself is not modified.
    """
    outer: list[fp.Joined] = []
    while isinstance(piece, fp.Joined) and piece.parts:
        outer.append(piece)
        piece = piece.parts[-1]
    if isinstance(piece, fp.Application) and piece.bare:
        piece = piece._replace(bare=False)
    for joined in reversed(outer):
        piece = joined._replace(parts=(*joined.parts[:-1], piece))
    return piece


@lru_cache(maxsize=2)
def program_piece(graph: Graph) -> fp.Piece:
    """Return the program in one row, separated by `;`: its named steps as equations, then the results.

    An equation is written for each slot in `statement_names` (named by the user, used more than once, or a literal
    output with a name), ordered by where its text, or that of a slot it needs, ends. The outputs follow without a name,
    their own operation written out, except those whose slot has an alias or is a literal with a name, which are among
    the equations: a second name (`h = f`) is not written. Kept for the last two graphs, which the reports of a class
    all show.
    """
    named = statement_names(graph, [len(below) for below in graph.children()])
    leaves = leaves_with_names(graph, named)
    ends: list[int] = []  # where the text of each slot, or of one that it needs, ends
    for (_, end), parents in zip(graph.spans, graph.parents, strict=True):
        ends.append(max([end, *[ends[parent] for parent in parents]]))
    order = sorted(named, key=lambda slot: (ends[slot], slot))
    formulas = ((fp.NamePiece(named[slot]), fp.EQUALS, pieces(graph, slot, leaves)) for slot in order)
    shown: list[fp.Piece] = [*map(fp.Joined, formulas)]
    written = {*graph.aliases, *[slot for slot in named if graph.literal[slot]]}
    shown += [pieces(graph, slot, leaves) for _, slot in graph.outputs if slot not in written]
    return fp.Joined(tuple(fp.separate_by_commas(shown, fp.Sign(";", fp.LISTING))))
