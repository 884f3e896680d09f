"""Higher derivatives as people spell them, `f_xy`, `f''`, `∂²f/∂x∂y`, `H12`, as the output that each of them is."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import permutations

_SIGNS = (
    ("\\partial", "∂"), ("\\mathrm{d}", "d"), ("\\frac", ""), ("\\dfrac", ""), ("𝑑", "d"), ("²", "^2"), ("³", "^3"),
    ("⁴", "^4"), ("}{", "/"), ("{", ""), ("}", ""), (" ", ""), ("\u00a0", ""), ("_", ""), ("*", ""), ("\\", ""),
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


def read_quotient(text: str, inputs: Collection[str]) -> tuple[str, tuple[str, ...]] | None:
    r"""Return (function, sorted inputs) of a derivative of order two or more: ("f", ("x", "x")) for `d^2f/dx^2`.

    Read are d and ∂, also mixed, `\partial`, `\frac{…}{…}`, `^2` and ²; blanks, braces, `_` and `*` are ignored. The
    order is one digit right after the first d or ∂. The function is any text after it, or after the last input below,
    `∂²/∂x∂y f`; "" if none is written. Text from the first `(` on, `∂²f/∂x∂y (2, 3)`, is ignored. The inputs are sorted
    as texts. None for any other text, for over 80 characters, if no order is written (`∂f/∂x∂y`), if it is not the
    number of inputs below, and if text is in both places of the function.
    """
    if len(text) > _LONGEST:
        return None
    plain = text.strip()
    for sign, instead in _SIGNS:
        plain = plain.replace(sign, instead)
    above, _, below = plain.partition("(")[0].partition("/")
    order, name = above[1:].removeprefix("^")[:1], above[1:].removeprefix("^")[1:]
    wrt, rest = split_names(below, inputs, "[d∂]", r"(?:\^?(\d))?")
    if not above.startswith(_D) or order != str(len(wrt)) or len(wrt) < 2 or (name and rest):
        return None
    return name or rest, tuple(sorted(wrt))


def output_of(text: str, inputs: Collection[str], outputs: Sequence[str]) -> str | None:
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
    - With a single input: the function's names, except H, with as many primes as the order.
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
            yield from ((function + "'" * len(wrt), output) for function in functions)
