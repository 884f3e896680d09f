"""Higher derivatives as people spell them, `f_xy`, `f''`, `∂²f/∂x∂y`, `H12`, as the output that each of them is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import permutations

_SIGNS = (
    ("\\partial", "∂"), ("\\mathrm{d}", "d"), ("\\frac", ""), ("\\dfrac", ""), ("𝑑", "d"), ("²", "^2"), ("³", "^3"),
    ("⁴", "^4"), ("}{", "/"), ("{", ""), ("}", ""), (" ", ""), ("\u00a0", ""), ("_", ""), ("*", ""), ("\\", ""),
)  # fmt: skip
_LONGEST = 80
_MOST_ORDERS = 4  # of which every sequence of inputs is a spelling


def split_index(index: str, inputs: Collection[str]) -> tuple[str, ...]:
    """Return the inputs that an index such as `xy` or `{xx}` is made of, in its order; empty if it has anything else.

    Of inputs that begin alike the longest one is taken.
    """
    rest, found = index.strip("{} "), []
    while own := max((own for own in inputs if own and rest.startswith(own)), key=len, default=""):
        rest = rest.removeprefix(own).lstrip(" ,")
        found.append(own)
    return () if rest else tuple(found)


def read_quotient(text: str, inputs: Collection[str]) -> tuple[str, tuple[str, ...]] | None:
    r"""Return function and inputs (sorted) of a derivative of order two or more, `d^2f/dx^2`, `\frac{\partial^2 f}{…}`.

    Arguments after it, as in `∂²f/∂x∂y (2, 3)`, are ignored; after an operator, `∂²/∂x∂y f`, the function follows. None
    if the text is anything else, or if the order above is not the number of inputs below.
    """
    if len(text) > _LONGEST or "∂" not in text.replace("\\partial", "∂").replace("d", "∂").replace("𝑑", "∂"):
        return None
    plain = text.strip()
    for sign, instead in _SIGNS:
        plain = plain.replace(sign, instead)
    above, _, below = plain.partition("(")[0].partition("/")
    order = above[1:].removeprefix("^")[:1]
    name, wrt = above[1:].removeprefix("^")[1:], []
    while below[:1] in ("d", "∂") and below:
        own = max((own for own in inputs if own and below[1:].startswith(own)), key=len, default="")
        below = below[1 + len(own) :]
        count = below.removeprefix("^")[:1]
        is_power = count.isdigit()
        below = below.removeprefix("^")[1:] if is_power else below
        wrt += [own] * (int(count) if is_power else 1)
    if above[:1] not in ("d", "∂") or order != str(len(wrt)) or len(wrt) < 2 or "" in wrt or (name and below):
        return None
    return name or below, tuple(sorted(wrt))


def output_of(text: str, inputs: Collection[str], outputs: Sequence[str]) -> str | None:
    """Return the output, itself a derivative such as `∂²f/∂x∂y`, that a quotient is in any spelling; None if none is.

    A function of another name is that of the outputs if these are derivatives of a single one.
    """
    read = read_quotient(text, inputs) if any("/" in output for output in outputs) else None
    if read is None:
        return None
    known = {read_quotient(output, inputs): output for output in outputs}
    functions = {each[0] for each in known if each is not None}
    return known.get(read) or (known.get((functions.pop(), read[1])) if len(functions) == 1 else None)


def spellings(inputs: Sequence[str], outputs: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield (plain name, output) for each output that is a derivative of order two or more: `f_xy`, `H12`, `f''`.

    With a single function f, g, h, y and F are spellings of it too; primes are for one input.
    """
    derived = [(output, read_quotient(output, inputs)) for output in outputs if "/" in output]
    functions = {read[0] for _, read in derived if read is not None}
    for output, read in derived:
        if read is None:
            continue
        name, wrt = read
        called = [name, *(letter for letter in "fghyF" if len(functions) == 1 and letter not in inputs)]
        for order in set(permutations(wrt)) if len(wrt) <= _MOST_ORDERS else [wrt]:
            for function in dict.fromkeys(called):
                yield from ((f"{function}_{''.join(order)}", output), (f"{function}{''.join(order)}", output))
            if len(functions) == 1:
                places = "".join(str(inputs.index(own) + 1) for own in order)
                yield from ((f"H{places}", output), (f"H{''.join(order)}", output), (f"H_{''.join(order)}", output))
        if len(inputs) == 1:
            yield from ((f"{function}{chr(39) * len(wrt)}", output) for function in dict.fromkeys(called))
