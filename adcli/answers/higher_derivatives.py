"""Higher derivatives as people spell them, `f_xy`, `f''`, `∂²f/∂x∂y`, `H12`, as the output that each of them is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import permutations

_SIGNS = (
    ("\\partial", "∂"), ("\\mathrm{d}", "d"), ("\\frac", ""), ("\\dfrac", ""), ("𝑑", "d"), ("²", "^2"), ("³", "^3"),
    ("⁴", "^4"), ("}{", "/"), ("{", ""), ("}", ""), (" ", ""), ("\u00a0", ""), ("_", ""), ("*", ""), ("\\", ""),
)  # fmt: skip
_D = ("d", "∂")
_LONGEST = 80
_MOST_ORDERS = 4  # of which every sequence of inputs is a spelling


def split_index(index: str, inputs: Collection[str]) -> tuple[str, ...]:
    """Return the inputs that an index consists of, in its order: ("x", "y") for `xy`, ("x", "x") for `{xx}`.

    () if any part is not an input. At each place the longest input that fits is taken; blanks and commas after it are
    skipped.
    """
    rest, parts = index.strip("{} "), []
    while own := max((own for own in inputs if own and rest.startswith(own)), key=len, default=""):
        rest = rest.removeprefix(own).lstrip(" ,")
        parts.append(own)
    return () if rest else tuple(parts)


def read_quotient(text: str, inputs: Collection[str]) -> tuple[str, tuple[str, ...]] | None:
    """Return (function, sorted inputs) of a derivative of order two or more: ("f", ("x", "x")) for `d^2f/dx^2`.

    The function may be after the operator, `∂²/∂x∂y f`, and is "" if none is written. Arguments, `∂²f/∂x∂y (2, 3)`, are
    ignored. None for any other text, for over 80 characters, and if the order above is not the number of inputs below.
    """
    if len(text) > _LONGEST:
        return None
    plain = text.strip()
    for sign, instead in _SIGNS:
        plain = plain.replace(sign, instead)
    above, _, below = plain.partition("(")[0].partition("/")
    order, name = above[1:].removeprefix("^")[:1], above[1:].removeprefix("^")[1:]
    wrt, rest = _differentials(below, inputs)
    if not above.startswith(_D) or order != str(len(wrt)) or len(wrt) < 2 or (name and rest):
        return None
    return name or rest, tuple(sorted(wrt))


def _differentials(text: str, inputs: Collection[str]) -> tuple[list[str], str]:
    """Return (inputs of the differentials that begin `text`, the text after them): (["x", "x", "y"], "") for `∂x^2∂y`.

    A differential is d or ∂ and an input, the longest that fits. One digit after it, with or without ^, repeats the
    input. The text after them starts at the first d or ∂ without an input, or at any other character.
    """
    wrt: list[str] = []
    while text.startswith(_D):
        own = max((own for own in inputs if own and text[1:].startswith(own)), key=len, default="")
        rest = text[1 + len(own) :]
        power = rest.removeprefix("^")[:1]
        if not own:
            break
        wrt += [own] * (int(power) if power.isdecimal() else 1)
        text = rest.removeprefix("^")[1:] if power.isdecimal() else rest
    return wrt, text


def output_of(text: str, inputs: Collection[str], outputs: Sequence[str]) -> str | None:
    """Return the output that `text` denotes: "∂²f/∂x∂y" for `d^2f/dxdy`; None if `text` denotes none of `outputs`.

    Only quotients of order two or more are read, so the result is None for `f_xy`, `f''`, `H12` and `dy/dx`, and if no
    output is a quotient. If all outputs that are second or higher derivatives belong to one function, this function may
    have any name in `text`.
    """
    read = read_quotient(text, inputs) if any("/" in output for output in outputs) else None
    if read is None:
        return None
    known = {read_quotient(output, inputs): output for output in outputs}
    functions = {each[0] for each in known if each is not None}
    return known.get(read) or (known.get((functions.pop(), read[1])) if len(functions) == 1 else None)


def spellings(inputs: Sequence[str], outputs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield (spelling, output) for each output that is a derivative of order two or more: `f_xy`, `fxy`, `H12`, `f''`.

    Digits, the numbers of the inputs from 1, follow H alone, whatever the order and the function (no `f_12`). Up to
    order 4 the inputs come in all orders, beyond that only sorted. If all these outputs are derivatives of one
    function, its name may also be f, g, h, y, F (unless these are inputs) or H. Primes are yielded only if there is a
    single input.
    """
    derived = {output: read for output in outputs if "/" in output and (read := read_quotient(output, inputs))}
    is_single = len({name for name, _ in derived.values()}) == 1
    for output, (name, wrt) in derived.items():
        functions = {name, *"fghyF"}.difference(inputs) | {name} if is_single else {name}
        for order in set(permutations(wrt)) if len(wrt) <= _MOST_ORDERS else [wrt]:
            places = "".join(str(inputs.index(own) + 1) for own in order)
            for stem in (*functions, "H") if is_single else functions:
                for name_of_one in (f"{stem}_{''.join(order)}", f"{stem}{''.join(order)}"):
                    yield name_of_one, output
            yield f"H{places}", output
        if len(inputs) == 1:
            yield from ((function + "'" * len(wrt), output) for function in functions)
