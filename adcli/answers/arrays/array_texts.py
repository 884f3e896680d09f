"""Texts of arrays in answers: symbols of values and adjoints, and formulas without markup."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from unicodedata import normalize

from ...arrays.array_parser import array_name
from ...arrays.array_rows import is_function
from ...arrays.shapes import Shape, places
from ...errors import AdcliError
from ...language.advice import synonyms
from ...language.machine import without_underscore
from ...table.suggest import product_of
from ..answer_model import BAR, VALUE
from ..line_rewriting import replace_all, rewritings, row_pattern
from ..row_tokens import replace_names

Shapes = Mapping[str, Shape]

MARK = "Bar"  # behind a name in a formula: its adjoint
MACRON = "\u0304"
_ADJOINT = row_pattern("{ADJOINT_IN_ARRAYS}")
CALLS = (*synonyms("array_calls"),)  # around lists
_OPERATORS = ("∇_", "grad_", "gradient_", "Grad_", "\\frac{∂}", "\\frac{d}", "∂/∂", "d/d")  # in front of a formula
_GRADIENTS = ("gradient", "grad", "derivative", "∇", "ableitung", "dérivée", "gradiente", "derivada")  # are not names
_FILLERS = synonyms("fillers").keys()
_USES = frozenset(("step", "descent", "ascent", "check", "update", "norm", "method", "step:", "test"))  # of it
_DIFFERENTIALS = ("d", "δ", "g")  # in front of a name: its adjoint
DIGITS = "0123456789"
_LONGEST_LEFT = 200  # characters of a left side with a formula
_SPELLED = {
    "⁻ᵀ": "^-T ", "ᵀ": "^T ", "⊤": "^T ", "\\partial": "∂", "\\nabla": "∇", "−": "-", "\u0305": MACRON,
    "\\overline": "\\bar", "\\tfrac": "\\frac", "\\dfrac": "\\frac",
    "\\[": "[", "\\]": "]", "\\^": "^", "\\*": "*"}  # fmt: skip
_ACCENTS, _BARS = rewritings("accents"), rewritings("bars")
VALUES_WITH_D = ("diff", "dist", "dev", "delta", "den", "denom", "det", "dot", "data")  # not adjoints
_GRADIENT_WORDS = ("grad", "derivative", "adjoint", "ableitung", "dérivée", "jacobi")


def without_markup(text: str) -> str:
    r"""Return a text without what only changes its look: `\mathbf{W}_{1}` is `W_1`, `\bar{z}` is z and a macron.

    The macron comes after the name. Signs get one spelling; `**` becomes `^` unless it encloses the text (bold).
    Commands of fonts and spacing, backticks, prefixes such as `np.`, calls such as `.item()`, braces around one name or
    index, and blanks around `∂` are removed. Offsets change.
    """
    for sign, plain in _SPELLED.items():
        text = text.replace(sign, plain)
    text = text.replace("**", "^") if "**" in text.strip("* ") else text
    for sign in synonyms("array_markup"):
        text = text.replace(sign, "" if sign[0] != "\\" else " ") if sign in text else text
    text = replace_all(text, _ACCENTS)
    text = text if text.isascii() else _with_bars_behind(text)
    for opening, closing in ((" {", " "), ("_{", "_")):  # around one name
        while (start := text.find(opening)) >= 0:
            end = text.find("}", start)
            inside = text[start + len(opening) : end] if end > 0 else ""
            if not inside.replace(MACRON, "").replace(",", "").replace("_", "").strip().isalnum():
                break
            text = f"{text[:start]}{closing}{inside.strip()}{text[end + 1 :]}"
    while "∂ " in text:
        text = text.replace("∂ ", "∂")
    return text.replace("{d ", "{d").replace(" /∂", "/∂").replace(" / ∂", "/∂").strip()


def _with_bars_behind(text: str) -> str:
    """Return a text with plain letters for bold ones, and with bars after the names whose first letter has one."""
    text = normalize("NFD", "".join(normalize("NFKC", sign) if sign > "\U0001d3ff" else sign for sign in text))
    text = text.replace("\u0302", "hat").replace("\u0303", "tilde")
    return replace_all(text, _BARS)


def without_note(text: str) -> str:
    r"""Return a text without the note at its end, and without a full stop there. A note is one of these, in this order:

    - all from `#`, `∈`, `\in `, `<- ` or `←` on, unless nothing is before it: a comment, or a set (`[1, 2] ∈ R^2`);
    - all from ` be ` or ` the ` on if a remark follows: words of two letters or more, one of them of five or more, and
      not a function alone (`_is_remark`);
    - a remark in brackets, as in `[1, 2] (chain rule)`, or a shape in brackets, `v̄1 xᵀ (2×2)`. One in square brackets,
      and a shape of digits alone, `(3)`, must be two blanks away.
    """
    for sign in ("#", "∈", "\\in ", "<- ", "←"):
        text = (text.partition(sign)[0] or text) if sign in text else text
    text = text.strip().removesuffix(".")
    for word in (" be ", " the "):
        before, _, rest = text.partition(word)
        text = before if _is_remark(rest) else text
    start = max(text.rfind("("), text.rfind("  ["))
    note, before = text[start:].strip("[]() "), text[: max(start, 0)].rstrip()
    if not before or text[-1] not in "])" or before in CALLS:
        return text
    digits = note.replace("×", "x").replace("x", ",").replace(" ", "")
    is_marked = digits != note.replace(" ", "") or note[-1:] == "," or before.endswith("shape")
    is_shape = digits.replace(",", "").isdecimal() and (is_marked or "  " in text[len(before) :])
    return before.removesuffix("shape").rstrip(" ,") if is_shape or _is_remark(note) else text


def _is_remark(note: str) -> bool:
    """Return whether a text consists of words of two letters or more, one of them of five or more, and is not a
    function."""
    words = note.replace("-", "").split()
    are_words = all(word.isalpha() and len(word) > 1 for word in words) and max(map(len, words), default=0) > 4
    return are_words and (len(words) > 1 or not is_function(note))


def with_adjoints(text: str, known: Collection[str]) -> str:
    r"""Return a formula with `zBar` for each adjoint of a name z in `known`: `dL/dz * x` gives ` zBar * x`.

    Adjoints are ∂L/∂z, \frac{dL}{dz}, ∇z, grad(z), dz, gz, z_bar, z.grad, f_z and the like (`_ADJOINT`). The new name
    has blanks around it. An adjoint of an entry, `∂L/∂z1` or `dz1`, becomes ` z1Bar `; an index in brackets stays
    behind it, ` zBar [1]`. If the digits are behind the sign of the adjoint, as in `z_bar1`, the text stays. Other
    derivatives stay as well, such as ∂h/∂z if `known` is a mapping with an array h.
    """

    def named(match: re.Match[str]) -> str:
        name = _adjoint_name(match, known)
        is_entry = text[match.end() :].lstrip("_")[:1].isdecimal()
        return match.group() if name is None or is_entry else f" {name}{MARK} "

    return _ADJOINT.sub(named, text)


def _adjoint_name(match: re.Match[str], known: Collection[str]) -> str | None:
    """Return the name whose adjoint a match of `_ADJOINT` is; None if it is not an adjoint.

    That is a name in `known`, or an entry of an array in `known`, as written (z2). None if the name is neither, if the
    match as a whole is itself a name in `known`, and, if `known` is a mapping {name: shape}, for the derivative of an
    array (not a number) in it, such as ∂h/∂z.
    """
    text = match.group()
    name = _known_name(array_name(next(filter(None, match.groups()), "")), known)
    if text[:1] in _DIFFERENTIALS and text[1:].lstrip("_") in known:
        name = text[1:].lstrip("_")
    whole = array_name(text) if text.isidentifier() else ""
    above, bar, _ = text.removeprefix("\\frac{").replace("}{", "/").partition("/")
    is_local = isinstance(known, Mapping) and bar and known.get(above.strip("∂d "))
    return None if whole in known or is_local or not (name in known or _component(name, known)) else name


def _known_name(name: str, known: Collection[str]) -> str:
    """Return the name in `known` that equals `name` but for underscores and Greek letters; if none does, `name`."""
    plain = without_underscore(name).replace("_", "")
    alike = (each for each in known if without_underscore(each).replace("_", "") == plain)
    return name if name in known else next(alike, name)


def _component(name: str, known: Collection[str]) -> tuple[str, tuple[int, ...]] | None:
    """Return (array, index) if `name` is an entry of an array in `known`; None if it is not.

    W_12 is ("W", (1, 2)), x2 is ("x", (2,)). One or two digits at the end of the name are indices of one digit each,
    whatever the shape of the array; three or more give None. If there are two or more and the name without digits is
    not in `known`, the array may have digits of its own: the name without its last digit is tried, then without its
    last two, so W211 of W2 is ("W2", (1, 1)). With two digits, an array in capitals is tried as well: a12 is an entry
    of A.
    """
    base = name.rstrip(DIGITS)
    digits = name[len(base) :]
    if len(digits) > 1 and base not in known:  # W211 of the matrix W2
        base = next((each for each in (name[:-1], name[:-2]) if each in known), base)
        digits = name[len(base) :]
    base = base.rstrip("_") or base
    if base not in known and len(digits) == 2:
        base = base.upper()  # a12 of the matrix A
    if digits and base in known and len(digits) <= 2:
        return base, tuple(map(int, digits))
    return None


def read_symbol(text: str, known: Shapes) -> tuple[str, str, tuple[int, ...]] | None:
    """Return (kind, name, index) of the symbol at the end of a left side; None if it does not end in a symbol.

    `kind` is VALUE or BAR (an adjoint); `index` is as written, () for a whole array. `known` maps names to shapes; a
    value may have any name, the sign of an adjoint counts only with a name in `known`. The longest end that is a symbol
    counts: words before it are skipped (`so dL/dW`); of a value one word may remain, or the whole text. A word such as
    gradient before it makes it an adjoint; but None with a word for a use of gradients, `gradient descent step x`. None
    also for a formula: a value after a function (`det A`), or after words with an operator.
    """
    words = without_note(without_markup(text)).strip(" :-*•>").split()
    words = words[:-1] if words[1:] and words[-1] in ("is", "are", "equals", "ist") else words
    for start in range(len(words)):
        symbol = _symbol(" ".join(words[start:]), known)
        if symbol is None or (start and len(words[start:]) > 1 and symbol[0] == VALUE):
            continue
        if start and symbol[0] == VALUE and _makes_formula(words[start - 1]):
            return None
        is_gradient = any(word in before.casefold() for before in words[:start] for word in _GRADIENT_WORDS)
        if start and not is_gradient and symbol[0] == VALUE and any(sign in "".join(words[:start]) for sign in "*+/@^"):
            return None
        if not is_gradient:
            return symbol
        return None if _USES.intersection(words) else (BAR, *symbol[1:])
    return None


def shortest_symbol(text: str, symbol: tuple[str, str, tuple[int, ...]], known: Shapes) -> str:
    """Return the shortest end of `text` in whole words that `read_symbol` reads as `symbol`.

    Notes and markup are removed first, blanks are single. If no end is read so, it is all words that are left.
    """
    words = without_note(without_markup(text)).split()
    ends = [" ".join(words[k:]) for k in range(len(words))]
    return next((end for end in reversed(ends) if read_symbol(end, known) == symbol), " ".join(words))


def _makes_formula(word: str) -> bool:
    r"""Return whether a symbol after this word is part of a formula, as in \log\det A and ∇_E L."""
    return is_function(word.rpartition("\\")[2]) or word[:1] in ("∇", "∂")


def _symbol(text: str, known: Shapes) -> tuple[str, str, tuple[int, ...]] | None:
    """Return (kind, name, index) of a text that is one symbol; None for every other text.

    The kind is VALUE or BAR. `W[1][2]` and `W[1,2]` have the index (1, 2), whole arrays (); None if an index is not of
    digits. Indices are as written, also 0. An argument in round brackets is ignored, but a call of a function with
    several arguments, `outer(e, x)`, is not a symbol. Digits after the name belong to it, with or without `_`. But z1
    is the entry (1,) of z if `known` {name: shape} has an array z, of whatever shape, and no array z1. If the text
    begins with an operator (`∇_x`, `grad_x`, `∂/∂x[1]`, `d/dx`), every text may follow.
    """
    text = text.strip("{}") if text[:1] == "{" else text
    name, kind, end = _name_at_start(text, known)
    rest = text[end:].strip().replace("][", ",")
    if name is not None and rest[:1] == "(" and "," in rest and is_function(name):  # outer(e, x)
        return None
    if kind == BAR and text.startswith(_OPERATORS):  # what is differentiated follows
        index = rest[1:].partition("]")[0] if rest[:1] == "[" else ""
        rest = f"[{index}]" if index.replace(",", "").replace(" ", "").isdecimal() else ""
    if name is None or (rest and rest[0] not in "[(_" and not rest.isdecimal()):
        return None
    if rest[:1] == "[":
        numbers = rest.strip("[]").split(",")
        return (kind, name, tuple(map(int, numbers))) if all(each.strip().isdecimal() for each in numbers) else None
    if rest and rest[0] != "(":
        name += rest.strip("_{}").replace(",", "")
    component = None if known.get(name) else _component(name, [each for each in known if known[each]])
    return (kind, *component) if component is not None else (kind, name, ())


def _name_at_start(text: str, known: Shapes) -> tuple[str | None, str, int]:
    r"""Return (the name at the start of `text`, its kind VALUE or BAR, the offset after it).

    An adjoint (`_ADJOINT`, as `dL/dz` or `z_bar`) of a name in `known` gives BAR. If there is none, the name is all
    letters, digits, `_`, `'` and `\`; if it differs from a name in `known` only by underscores or Greek letters, it is
    that one. The name is None if the text begins with another sign, a digit, or a command of LaTeX that is not a name;
    the kind is VALUE then, and the offset is after these signs all the same.
    """
    match = _ADJOINT.match(text)
    name = _adjoint_name(match, known) if match else None
    if match is not None and name is not None:
        return name, BAR, match.end()
    end = next((k for k, sign in enumerate(text) if not (sign.isalnum() or sign in "_'\\")), len(text))
    name = _plain_name(text[:end]) if end and not text[0].isdecimal() else None
    return name and _known_name(name, known), VALUE, end


def with_numbered(known: dict[str, Shape], shapes: Shapes) -> dict[str, Shape]:
    """Return `known` with one array z instead of numbers z1, …, zn (or z_1, …), or a matrix Z instead of Z_11, Z_12, ….

    The numbers must be exactly the entries of such an array, its name must not be in `known`, and each of its lengths
    must be a length of an array in `shapes`. Names in `shapes`, and entries of its arrays, stay.
    """
    sizes = {count for shape in shapes.values() for count in shape}
    entries: dict[str, dict[str, str]] = {}
    for name in _free_numbers(known, shapes):
        base = name.rstrip(DIGITS)
        entries.setdefault(base.rstrip("_"), {})[name] = name[len(base) :]
    for base, digits in entries.items():
        shape = _shape_of_numbers({*digits.values()})
        if base and shape and base not in known and sizes.issuperset(shape):
            known = {name: shape for name, shape in known.items() if name not in digits} | {base: shape}
    return known


def _free_numbers(known: Shapes, shapes: Shapes) -> list[str]:
    """Return the names of numbers in `known` that are neither in `shapes` nor entries of an array in `shapes`."""
    arrays = {name for name in shapes if shapes[name]}
    return [name for name in known if not known[name] and name not in shapes and _component(name, arrays) is None]


def _shape_of_numbers(numbers: Collection[str]) -> Shape:
    """Return the shape of the array with exactly these indices, 1, 2, … or 11, 12, …; () if no array has them."""
    largest = tuple(max(map(int, digits)) for digits in zip(*numbers, strict=False))
    candidates = [(len(numbers),), largest if len(largest) == 2 else ()]
    names = {shape: {"".join(filter(str.isdecimal, place)) for place in places(shape)} for shape in candidates if shape}
    return next((shape for shape, each in names.items() if each == {*numbers}), ())


def is_adjoint_of(name: str, names: Collection[str]) -> bool:
    """Return whether `name` is d, δ or g and one of the `names`, with or without an underscore between."""
    return name[:1] in _DIFFERENTIALS and name[1:].strip("_") in names


def is_gradient_alone(text: str, known: Collection[str]) -> bool:
    """Return whether a text is a gradient that does not say by what: `Gradient`, `grad f`, ∇f, ∇f(x), f'(x).

    Fillers are ignored, as in `the gradient of f`. A word for gradients (also ∇ or derivative) may be alone or before
    one word f; more words, except after ∇, give False. f may be every name that is not in `known`; after such a word it
    must not be one for a use of it (`gradient descent`).
    """
    words = [word for word in without_markup(text).split() if word.casefold() not in _FILLERS] or [""]
    is_word = words[0].casefold() in _GRADIENTS
    if is_word and len(words) < 3:
        plain = words[-1].partition("(")[0]
        return len(words) == 1 or (plain.isidentifier() and plain not in known and plain.casefold() not in _USES)
    plain = "".join(words)
    name = plain.removeprefix("∇").partition("(")[0]
    is_marked = (len(words) == 1 or "(" in words[0] or plain[:1] == "∇") and (plain[:1] == "∇" or name.endswith("'"))
    return is_marked and name.removesuffix("'").isidentifier() and name not in known  # not L(w), Let e


def is_gradient_title(text: str) -> bool:
    """Return whether a text is a title such as `gradient of f`.

    It has up to eight words that are not fillers, of which the first is a word for gradients, and none is a use such as
    descent.
    """
    words = [word for word in text.casefold().split() if word not in _FILLERS]
    return 0 < len(words) < 9 and words[0] in _GRADIENTS and not _USES.intersection(words)


def adjoint_bases(texts: Collection[str], shapes: Shapes) -> set[str]:
    """Return the names z, not in `shapes`, of those `texts` that are the symbol of an adjoint of z and nothing else.

    Such symbols are `∂L/∂z`, `∇z`, `z_bar`, `zbar` and `z.grad`; blanks around a text are ignored. Spellings such as
    `dz` may be names themselves and do not count.
    """
    matches = [match for text in texts if (match := _ADJOINT.fullmatch(text.strip())) is not None]
    spelled = [(match, match.lastindex or 0) for match in matches]
    is_clear = [match.start(group) == match.start() or {*match[0]} & {*"/∇\\"} for match, group in spelled]
    names = [match[group] for (match, group), clear in zip(spelled, is_clear, strict=True) if clear]
    plain = {array_name(name) for name in names if not name[0].isdecimal()}
    return {name for name in plain if _known_name(name, shapes) not in shapes}


def without_adjoints(known: Mapping[str, Shape], shapes: Shapes) -> dict[str, Shape]:
    """Return `known` without names of adjoints such as z_bar or dz1.

    A name is dropped if it is the adjoint of another name in `known` or of its entry: dz1 if z1 or z is there. Names in
    `shapes`, those of the problem, are kept.
    """
    adjoints = set()
    for name in known.keys() - shapes.keys():
        match = _ADJOINT.fullmatch(name)
        if match is not None and _adjoint_name(match, known.keys() - {name}):
            adjoints.add(name)
    return {name: shape for name, shape in known.items() if name not in adjoints}


def _plain_name(text: str) -> str | None:
    """Return a name as the language spells it; None if the text is a command of LaTeX that is not a name."""
    try:
        return array_name(text) or None
    except AdcliError:
        return None


def is_product(name: str, shapes: Shapes) -> bool:
    """Return whether a name consists of two or more names of one letter in `shapes`, such as Wx."""
    return len(name) > 1 and all(letter in shapes for letter in name)


def with_entries(text: str, shapes: Shapes) -> str:
    """Return a formula with entries as the language has them: `z[1]` for z1 or z_1, `W[1,2]` for W12 or W_12.

    z and W are arrays in `shapes`; adjoints are spelled so too. A product of names `Wx` becomes `W x`. A word stays in
    these cases:
    - it, or it without underscores, is a name in `shapes`, or it is a function;
    - it is neither a product of names nor has one index for each axis of an array.

    Indices are not compared with the shape.
    """
    arrays, plain = [name for name in shapes if shapes[name]], set(map(without_underscore, shapes))

    def spelled(word: str) -> str:
        """Return `word` as an entry of an array, else as a product of names; unchanged if it is neither."""
        if word in shapes or word.replace("_", "") in shapes or is_function(word):
            return word
        array, entry = _component(word.removesuffix(MARK), arrays) or (word, ())
        if entry and len(entry) == len(shapes.get(array, ())):
            return f"{array}{MARK * word.endswith(MARK)}[{','.join(map(str, entry))}]"
        signs = [sign for sign in word if not sign.isascii() and without_underscore(sign) in plain]  # λ for lam
        return " ".join(product_of(word, [*shapes, *signs]) or [word])

    return replace_names(text, spelled)


def differentiated_in(text: str, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield (formula, name) for each way to read a text as a derivative of a formula by one of `names`.

    `d‖x‖/dx` gives ("‖x‖", "x"), `d/dx ‖x‖` and `∇_x ‖x‖` (" ‖x‖", "x"), `∇‖x‖` too if "x" is the only name. The last
    `/d` or `/∂` counts; each d or ∂ that begins a word before it may begin the derivative; words before are left out.
    Derivatives with respect to an entry, `∂s/∂x[1]`, and texts of more than 200 characters give nothing.
    """
    plain = without_fraction(text) if len(text) <= _LONGEST_LEFT else ""
    _, nabla, formula = plain.partition("∇")
    above, bar, below = plain.replace("/d", "/∂").rpartition("/∂")
    for name in names:
        if nabla and formula.startswith(f"_{name} "):
            yield formula[len(name) + 1 :], name
        elif nabla and len(names) == 1:
            yield formula.lstrip("ₓ"), name
        behind = below.removeprefix(name)
        if bar and behind != below and not _goes_on(behind):
            starts = [k for k, sign in enumerate(above) if sign in "d∂" and not above[k - 1 : k].isalnum()]
            yield from ((above[k + 1 :].strip() or behind, name) for k in starts)


def _goes_on(text: str) -> bool:
    """Return whether a name would go on, or have an index, with this text behind it."""
    return text[:1].isalnum() or text.startswith(("_", "["))


def without_fraction(written: str) -> str:
    r"""Return a symbol for messages: `\frac{\partial L}{\partial W}` as ∂L/∂W; every other text as it is."""
    plain = without_markup(written).replace("\\partial ", "∂").replace("\\partial", "∂")
    return "".join(plain[6:].replace("}{", "/", 1).rpartition("}")[::2]) if plain.startswith("\\frac{") else written
