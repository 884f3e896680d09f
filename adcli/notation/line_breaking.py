"""Line breaking: split a sum that is too long for a line into several lines."""

from __future__ import annotations

from collections.abc import Callable

from . import formula_pieces as fp

_SUMS = ("+", "−")

_Enclosed = tuple[list[fp.Piece], fp.Piece, list[fp.Piece]]  # a piece with the pieces before and after it


def break_lines(piece: fp.Piece, width: int, newline: str, printed: Callable[[fp.Piece], str]) -> str:
    r"""Return a formula for a display in LaTeX, on several aligned lines if its right side is a sum too wide for one.

    `width` is in characters and for the right side, `printed` writes a piece in LaTeX, `newline` (such as `\\`) ends
    each line but the last. The right side is what follows the first relation sign; without one it is all of the
    formula. The first line has its `&` before the relation, the others begin with `&\quad {}`. One line is returned
    without `aligned`, also if it is too wide but cannot be broken.
    """
    left, right = _sides(piece)
    head, relation = (printed(fp.Joined(tuple(part))).strip() for part in (left, right[:1] if left else []))
    first, *rest = (printed(line).strip() for line in _lines(fp.Joined(tuple(right[1:] if left else right)), width))
    if not rest:
        return " ".join(filter(None, (head, relation, first)))
    below = "".join(f" {newline}\n&\\quad {{}} {line}" for line in rest)
    return f"\\begin{{aligned}}\n{head} &{relation} {first}{below}\n\\end{{aligned}}"


def _sides(piece: fp.Piece) -> tuple[list[fp.Piece], list[fp.Piece]]:
    """Return the pieces before the first relation sign (`=`, `<`, …) and those from the sign on; ([], all pieces) if
    there is no relation."""
    parts: list[fp.Piece] = [piece]
    if isinstance(piece, fp.Joined):
        parts = [*piece.parts]
    for place, part in enumerate(parts):
        if isinstance(part, fp.Sign) and part.kind == fp.RELATING:
            return parts[:place], parts[place:]
    return [], parts


def _lines(piece: fp.Piece, width: int) -> list[fp.Piece]:
    """Return the lines of a sum, a Joined for each, filled from the left as far as `width` characters allow.

    Each line but the first begins with the sign of its first term. A term wider than `width` is broken inside the
    brackets of its widest sum. If it has no such brackets, it is a line that is too wide. A piece that is not a sum is
    one line.
    """
    rows: list[list[fp.Piece]] = [[]]
    room = width
    for term in _split_terms(piece, width):
        wide = breadth(fp.Joined(tuple(term)))
        if rows[-1] and wide > room:
            rows.append([])
            room = width
        rows[-1] += term
        room -= wide
    return [fp.Joined(tuple(line)) for line in rows]


def _split_terms(piece: fp.Piece, width: int) -> list[list[fp.Piece]]:
    """Return the terms of the sum, each as a list of pieces that begins with its sign; the first may have none.

    A term wider than `width` with a bracketed sum among its factors is replaced by the terms of that sum; the first and
    last of them carry the other factors and the brackets. These terms are replaced likewise if they are too wide.
    """
    split: list[list[fp.Piece]] = []
    stack = _sum_terms([], piece, [])[::-1]  # the next one last
    while stack:
        head, term, tail = stack.pop()
        opened = _open_widest_sum(term) if breadth(term) > width else None
        if opened is None:
            split.append([*head, term, *tail])
        else:
            before, inside, after = opened
            stack += reversed(_sum_terms([*head, *before], inside, [*after, *tail]))
    return split


def _sum_terms(before: list[fp.Piece], piece: fp.Piece, after: list[fp.Piece]) -> list[_Enclosed]:
    """Return (head, term, tail) for each term of a sum in order.

    `head` is the sign of the term, after `before` for the first one, which has no sign; `tail` is `after` for the last
    one, else []. A piece that is not a sum, also −x, is its only term. Joined pieces of one part are unwrapped.
    """
    terms: list[tuple[list[fp.Piece], fp.Piece]] = []
    while isinstance(piece, fp.Joined) and len(piece.parts) in (1, 3):
        first, *rest = piece.parts
        if rest and not (isinstance(rest[0], fp.Sign) and rest[0].kind == fp.BETWEEN and rest[0].text in _SUMS):
            break
        terms += [(rest[:1], rest[1])] if rest else []
        piece = first
    terms = [(before, piece), *terms[::-1]]
    return [(head, term, after if k == len(terms) else []) for k, (head, term) in enumerate(terms, 1)]


def _open_widest_sum(term: fp.Piece) -> _Enclosed | None:
    """Return (pieces before, sum, pieces after) for the widest factor of a product, or of its negative, that is a sum
    in brackets of any kind (bars too); the first of equals.

    The opening bracket is the last piece of `before`, the closing one the first of `after`; a leading minus is kept in
    `before`. A term that is a bracket itself counts as a product of one factor; numerators are not looked into. None if
    no factor is a sum in brackets.
    """
    factors: list[fp.Piece] = []
    while isinstance(term, fp.Joined) and len(term.parts) == 3 and term.parts[1] in (fp.TIMES, fp.DOTTED_TIMES):
        factors += [term.parts[2], term.parts[1]]
        term = term.parts[0]
    if isinstance(term, fp.Joined) and len(term.parts) == 2 and not factors and term.parts[0] == fp.MINUS_SIGN:
        inside = _open_widest_sum(term.parts[1])
        return None if inside is None else ([fp.MINUS_SIGN, *inside[0]], *inside[1:])
    factors = [*factors, term][::-1]
    fences = [(k, factor) for k, factor in enumerate(factors) if isinstance(factor, fp.Fence)]
    sums = [(k, fence) for k, fence in fences if len(_sum_terms([], fence.inside, [])) > 1]
    if not sums:
        return None
    widest, fence = max(sums, key=lambda place_and_sum: breadth(place_and_sum[1]))
    opening, closing = fp.Sign(fence.opening, fp.OPENING), fp.Sign(fence.closing, fp.CLOSING)
    return [*factors[:widest], opening], fence.inside, [closing, *factors[widest + 1 :]]


def breadth(piece: fp.Piece) -> int:
    """Return the approximate width of a piece in characters, as if all its parts were side by side; of a fraction
    only the wider of numerator and denominator counts."""
    total = 0
    stack: list[fp.Piece] = [piece]
    while stack:
        item = stack.pop()
        if isinstance(item, fp.Fraction):
            stack.append(max(item.above, item.below, key=_leaf_width))
            continue
        stack.extend(fp.inner(item))
        total += _piece_width(item)
    return total


def _leaf_width(piece: fp.Piece) -> int:
    """Return the total width of the leaves of a piece, in characters."""
    return sum(_piece_width(leaf) for leaf in fp.leaves_of(piece))


def _piece_width(piece: fp.Piece) -> int:
    """Return the width of one piece in characters, without the pieces inside it.

    A sign between operands or of a relation counts 3, any other sign (also an empty one) 1. A function counts the
    length of its name + 1, brackets count 2; a name, number or text counts its length. Powers, fractions, roots,
    matrices and rows of pieces count 0.
    """
    if isinstance(piece, fp.Sign):
        return 3 if piece.text and piece.kind in (fp.BETWEEN, fp.RELATING) else 1
    if isinstance(piece, fp.Application):
        return len(piece.symbol) + 1
    if isinstance(piece, fp.Fence):
        return 2
    return len(piece.text) if isinstance(piece, fp.NamePiece | fp.NumberPiece | fp.Text) else 0
