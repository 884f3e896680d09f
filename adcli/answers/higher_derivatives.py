"""Higher derivatives as people spell them, `f_xy`, `f''`, `∂²f/∂x∂y`, `H12`, as the output that each of them is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import permutations

_SIGNS = (
    ("\\partial", "∂"), ("\\mathrm{d}", "d"), ("\\frac", ""), ("\\dfrac", ""), ("𝑑", "d"), ("²", "^2"), ("³", "^3"),
    ("⁴", "^4"), ("\\left", ""), ("\\right", ""), ("}{", "/"),
    ("{", ""), ("}", ""), (" ", ""), ("\u00a0", ""), ("_", ""), ("*", ""), ("\\", ""),
)  # fmt: skip
LETTERS = frozenset(map(chr, (*range(ord("a"), ord("z") + 1), *range(ord("A"), ord("Z") + 1))))
_D = ("d", "∂")
_LONGEST = 80
_MOST_ORDERS = 4  # of which every sequence of inputs is a spelling


def split_index(index: str, inputs: Collection[str]) -> tuple[str, ...]:
    """Return the inputs that an index consists of, in its order: ("x", "y") for `xy`, ("x", "x") for `{xx}`.

    Braces and blanks at both ends, blanks and commas between inputs are ignored. At each place the longest input that
    fits is taken, without trying a shorter one later. () for an empty index, and if any part is not an input.
    """
    names, rest = split_names(index.strip("{} "), inputs, "[ ,]*")
    return () if rest.strip(" ,") else tuple(names)


def split_names(text: str, names: Collection[str], before: str, power: str = "()") -> tuple[list[str], str]:
    """Return (those of `names` that begin `text`, the text after them): (["x", "x", "y"], "") for `∂x^2∂y`.

    `before` and `power` are patterns of what must be on both sides of each of them, of which the longest that fits is
    taken. The group in `power` is a digit, so many times the name counts, or empty.
    """
    known = "|".join(map(re.escape, sorted(filter(None, names), key=len, reverse=True))) or "(?!)"
    split: list[str] = []
    while text and (match := re.match(f"{before}({known}){power}", text)):
        split += [match[1]] * int(match[2] or 1)
        text = text[match.end() :]
    return split, text


def read_quotient(text: str, inputs: Sequence[str]) -> tuple[str, tuple[str, ...]] | None:
    r"""Return (function, sorted inputs) of a derivative of order two or more: ("f", ("x", "x")) for `d^2f/dx^2`.

    Read are d and ∂, also mixed, `\partial`, `\frac{…}{…}`, `^2` and ²; blanks, braces, `_` and `*` are ignored. The
    order is one digit right after the first d or ∂. The function is any text after it, or after the last input below,
    `∂²/∂x∂y f`; "" if none is written. Text from the first `(` on, `∂²f/∂x∂y (2, 3)`, is ignored. The inputs are sorted
    as texts. A derivative of a derivative is one, too: `d/dx(df/dx)`, `d/dx f'`, `(f')'`. None for any other text, for
    over 80 characters, if no order is written (`∂f/∂x∂y`), if it is not the number of inputs below, and if text is in
    both places of the function.
    """
    if len(text) > _LONGEST:
        return None
    plain = _plain(text)
    if (nested := _read_nested(plain, inputs)) is not None:
        return nested[0], tuple(sorted(nested[1]))
    above, _, below = plain.partition("(")[0].partition("/")
    order, name = above[1:].removeprefix("^")[:1], above[1:].removeprefix("^")[1:]
    wrt, rest = split_names(below, inputs, "[d∂]", r"(?:\^?(\d))?")
    if not above.startswith(_D) or order != str(len(wrt)) or len(wrt) < 2 or (name and rest):
        return None
    return name or rest, tuple(sorted(wrt))


def _plain(text: str) -> str:
    """Return a text with d or ∂ and / for each derivative, and without blanks, braces, underscores and stars."""
    for sign, instead in _SIGNS:
        text = text.replace(sign, instead)
    return text


def split_operator(text: str, inputs: Collection[str]) -> tuple[str, int] | None:
    """Return (input, offset of the text that is differentiated): ("x", 5) for `d/dx (x^2)`; None for other texts."""
    names = {f"{d}/{d}{name}": name for name in inputs for d in _D}
    ends = [end for end in range(4, min(len(text), _LONGEST)) if _plain(text[:end]) in names]
    return (names[_plain(text[: ends[-1]])], ends[-1]) if ends else None


def _without_arguments(plain: str, inputs: Collection[str]) -> str:
    """Return a text without numbers or inputs in brackets at its end, `(2,3)`, `(x=2)` or `(x)`."""
    before, _, inside = plain.rpartition("(")
    words = inside.removesuffix(")").replace("=", ",").replace(";", ",").split(",")
    are_arguments = all(word in inputs or word.lstrip("-+").replace(".", "", 1).isdecimal() for word in words)
    return before if before and inside.endswith(")") and are_arguments else plain


def _read_nested(text: str, inputs: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return (function, inputs) of a derivative of a derivative: ("f", ["x", "y"]) for `∂/∂y(∂f/∂x)`; else None.

    The text is without blanks and braces. The inner derivative may also be `f_x` or, of a single input, `f'`.
    """
    plain = _without_arguments(text, inputs)
    wrt, inner = split_names(plain[2:], inputs, "[d∂]") if plain[:1] in _D and plain[1:2] == "/" else ([], plain)
    if not wrt and plain[:1] + plain[-2:] == "()'" and len(inputs) == 1:
        wrt, inner = [*inputs], plain[:-1]
    inner = inner[1:-1] if inner[:1] in ("(", "[") else inner
    read = (_read_nested(inner, inputs) or _read_first(_without_arguments(inner, inputs), inputs)) if wrt else None
    return (read[0], [*wrt, *read[1]]) if read else None


def _read_first(plain: str, inputs: Sequence[str]) -> tuple[str, list[str]] | None:
    """Return (function, inputs) of `df/dx`, `fx` or, for a single input, `f'` and `f''`; None for other texts."""
    above, bar, below = plain.rstrip("'").partition("/")
    name = above[1:] if bar else above[:1]
    by, rest = split_names(below or above[1:], inputs, "[d∂]" if bar else "")
    by += [*inputs] * (len(plain) - len(plain.rstrip("'"))) * (len(inputs) == 1)
    is_derivative = by and not rest and name.isalpha() and name not in inputs and (not bar or above[0] in _D)
    return (name, by) if is_derivative else None


def output_of(text: str, inputs: Sequence[str], outputs: Sequence[str]) -> str | None:
    """Return the output that `text` denotes: "∂²f/∂x∂y" for `d^2f/dxdy`; None if `text` denotes none of `outputs`.

    An output is denoted by a quotient of the same function with the same inputs in any order (`read_quotient`). If all
    outputs that are second or higher derivatives belong to one function, the quotient may have any other function
    instead, or none. Only quotients of order two or more are read: None for `f_xy`, `f''`, `H12` and `dy/dx`, and if no
    output has a `/`.
    """
    read = read_quotient(text, inputs) if any("/" in output for output in outputs) else None
    if read is None:
        return None
    known = {read_quotient(output, inputs): output for output in outputs}
    functions = {each[0] for each in known if each is not None}
    return known.get(read) or (known.get((functions.pop(), read[1])) if len(functions) == 1 else None)


def spellings(inputs: Sequence[str], outputs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield (spelling, output) for each output that is a derivative of order two or more: `f_xy`, `fxy`, `H12`, `f''`.

    - The function's name and the inputs, with and without `_` between. Up to order 4 the inputs come in all orders,
      beyond that only sorted. If all these outputs are derivatives of one function, its name may also be f, g, h, y, F
      (unless these are inputs) or H: `H_xy`, and with `_` any letter that is no input: `u_xy`.
    - H and the numbers of the inputs from 1, in the same orders: `H12`, but neither `H_12` nor `f_12`. It is yielded
      whatever the order, and also if there are several functions.
    - With a single input: the function's names, and if there is one function any letter, with as many primes as the
      order.
    """
    derived = {output: read for output in outputs if "/" in output and (read := read_quotient(output, inputs))}
    is_single = len({name for name, _ in derived.values()}) == 1
    for output, (name, wrt) in derived.items():
        functions = {name, *"fghyF"}.difference(inputs) | {name} if is_single else {name}
        stems, letters = (functions | {"H"}, LETTERS.difference(inputs)) if is_single else (functions, set[str]())
        for order in set(permutations(wrt)) if len(wrt) <= _MOST_ORDERS else [wrt]:
            index = "".join(order)
            yield from ((f"{stem}_{index}", output) for stem in stems | letters)
            yield from ((f"{stem}{index}", output) for stem in stems)
            yield "H" + "".join(str(inputs.index(input_name) + 1) for input_name in order), output
        if len(inputs) == 1:
            yield from ((function + "'" * len(wrt), output) for function in functions | letters)
