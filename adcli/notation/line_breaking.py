"""Line breaking: split a sum that is too long for a line into several lines."""

from __future__ import annotations

from collections.abc import Callable

from .formula_pieces import (
    BETWEEN,
    CLOSING,
    DOTTED_TIMES,
    MINUS_SIGN,
    OPENING,
    RELATING,
    TIMES,
    Application,
    Fence,
    Fraction,
    Joined,
    NamePiece,
    NumberPiece,
    Piece,
    Sign,
    Text,
    inner,
    leaves_of,
)

_LEADING = "leading"  # the kind of the sign before the first term of a sum that continues another one

_SUMS = ("+", "−")


def aligned(piece: Piece, width: int, newline: str, printed: Callable[[Piece], str]) -> str:
    r"""Return a formula for a display in LaTeX; if its right side is wider than `width` characters, it is a sum on
    several aligned lines, which end with `newline`, such as `\\`.

    `printed` writes a piece in LaTeX.
    """
    left, right = _sides(piece)
    head, relation = (printed(Joined(tuple(part))).strip() for part in (left, right[:1] if left else []))
    first, *rest = (printed(line).strip() for line in _lines(Joined(tuple(right[1:] if left else right)), width))
    if not rest:
        return " ".join(filter(None, (head, relation, first)))
    below = "".join(f" {newline}\n&\\quad {{}} {line}" for line in rest)
    return f"\\begin{{aligned}}\n{head} &{relation} {first}{below}\n\\end{{aligned}}"


def _sides(piece: Piece) -> tuple[list[Piece], list[Piece]]:
    """Return the pieces before the first relation sign (`=`, `<`, …) and those from the sign on; ([], all pieces) if
    there is no relation."""
    parts: list[Piece] = [piece]
    if isinstance(piece, Joined):
        parts = [*piece.parts]
    for place, part in enumerate(parts):
        if isinstance(part, Sign) and part.kind == RELATING:
            return parts[:place], parts[place:]
    return [], parts


def _lines(piece: Piece, width: int) -> list[Piece]:
    """Return the sum as one Joined for each line, at most `width` characters wide if its terms allow it.

    Each line but the first begins with the sign of its first term.  A term that is wider than `width` is itself broken
    inside the brackets of its widest sum, if it has one.
    """
    rows: list[list[Piece]] = [[]]
    room = width
    for term in _split_terms(piece, width):
        wide = breadth(Joined(tuple(term)))
        if rows[-1] and wide > room:
            rows.append([])
            room = width
        rows[-1] += term
        room -= wide
    return [Joined(tuple(line)) for line in rows]


def _split_terms(piece: Piece, width: int) -> list[list[Piece]]:
    """Return the terms of the sum, each as a list of pieces that begins with its sign.

    A term wider than `width` with a bracketed sum among its factors is replaced by the terms of that sum; the first and
    last of them carry the other factors and the brackets.  Uses an explicit stack.
    """
    split: list[list[Piece]] = []
    stack: list[tuple[list[Piece], Piece, list[Piece]]] = [([], piece, [])]  # (before, sum, after)
    while stack:
        before, inside, after = stack.pop()
        terms = _sum_terms(inside)
        for place, (sign, term) in enumerate(terms):
            head = [*(before if place == 0 else []), *sign]
            tail = after if place == len(terms) - 1 else []
            opened = _open_widest_sum(term) if breadth(term) > width else None
            if opened is None:
                split.append([*head, term, *tail])
                continue
            factors_before, sum_inside, factors_after = opened
            # the remaining terms come after those of this one
            rest = terms[place + 1 :]
            if rest:
                stack.append(([], _rebuild_sum(rest), after))
                tail = []
            stack.append(([*head, *factors_before], sum_inside, [*factors_after, *tail]))
            break
    return split


def _sum_terms(piece: Piece) -> list[tuple[list[Piece], Piece]]:
    """Return (sign, term) for each term of a sum in order; `sign` is a list of one Sign, or [] for a first term
    without a sign.  A piece that is not a sum gives [([], piece)]."""
    terms: list[tuple[list[Piece], Piece]] = []
    while isinstance(piece, Joined):
        if len(piece.parts) == 1:
            piece = piece.parts[0]
            continue
        sign = piece.parts[1] if len(piece.parts) == 3 else None
        if isinstance(sign, Sign) and sign.kind == BETWEEN and sign.text in _SUMS:
            terms.append(([sign], piece.parts[2]))
            piece = piece.parts[0]
        elif len(piece.parts) == 2 and isinstance(piece.parts[0], Sign) and piece.parts[0].kind == _LEADING:
            terms.append(([piece.parts[0]._replace(kind=BETWEEN)], piece.parts[1]))
            return terms[::-1]
        else:
            break
    return [([], piece), *terms[::-1]]


def _open_widest_sum(term: Piece) -> tuple[list[Piece], Piece, list[Piece]] | None:
    """Return (pieces before, sum, pieces after) for the widest factor of a product that is a sum in brackets.

    The opening bracket is the last piece of `before`, the closing one the first of `after`; a leading minus is kept in
    `before`.  None if no factor is a sum in brackets.
    """
    factors: list[Piece] = []
    while isinstance(term, Joined) and len(term.parts) == 3 and term.parts[1] in (TIMES, DOTTED_TIMES):
        factors += [term.parts[2], term.parts[1]]
        term = term.parts[0]
    if isinstance(term, Joined) and len(term.parts) == 2 and not factors and term.parts[0] == MINUS_SIGN:
        inside = _open_widest_sum(term.parts[1])
        return None if inside is None else ([MINUS_SIGN, *inside[0]], *inside[1:])
    factors = [*factors, term][::-1]
    sums = [k for k, factor in enumerate(factors) if isinstance(factor, Fence) and len(_sum_terms(factor.inside)) > 1]
    if not sums:
        return None
    widest = max(sums, key=lambda k: breadth(factors[k]))
    fence = factors[widest]
    assert isinstance(fence, Fence)  # it is one of the sums  # noqa: S101
    opening, closing = Sign(fence.opening, OPENING), Sign(fence.closing, CLOSING)
    return [*factors[:widest], opening], fence.inside, [closing, *factors[widest + 1 :]]


def _rebuild_sum(terms: list[tuple[list[Piece], Piece]]) -> Piece:
    """Return (sign, term) pairs as one sum again; the sign of its first term gets the kind _LEADING."""
    (sign, first), *others = terms
    total: Piece = Joined((*[s._replace(kind=_LEADING) for s in sign if isinstance(s, Sign)], first))
    for between, term in others:
        total = Joined((total, *between, term))
    return total


def breadth(piece: Piece) -> int:
    """Return the approximate width of a piece in characters, as if all its parts were side by side; of a fraction
    only the wider of numerator and denominator counts."""
    total = 0
    stack: list[Piece] = [piece]
    while stack:
        item = stack.pop()
        if isinstance(item, Fraction):
            stack.append(max(item.above, item.below, key=_leaf_width))
            continue
        stack.extend(inner(item))
        total += _piece_width(item)
    return total


def _leaf_width(piece: Piece) -> int:
    """Return the total width of the leaves of a piece, in characters."""
    return sum(_piece_width(leaf) for leaf in leaves_of(piece))


def _piece_width(piece: Piece) -> int:
    """Return the width of one piece in characters, without the pieces inside it: 3 for a sign between operands, 1
    for another sign (also an empty one), name length + 1 for a function, 2 for brackets, 0 for a power, fraction,
    root or row of pieces."""
    if isinstance(piece, Sign):
        return 3 if piece.text and piece.kind in (BETWEEN, RELATING) else 1
    if isinstance(piece, Application):
        return len(piece.symbol) + 1
    if isinstance(piece, Fence):
        return 2
    return len(piece.text) if isinstance(piece, NamePiece | NumberPiece | Text) else 0
