"""Sessions of an interpreter, or programs with their output: prompts, print calls, and lines of printed numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise, takewhile

from ..language.brackets import parts
from ..records import NamedTuple
from ..table.primitive import lookup
from .answer_model import VALUE
from .collector import PIECES, Collector, Cut
from .line_rewriting import apply_rules, rewritings, row_pattern
from .row_tokens import chunks, is_formula, replace_names, word_sets, words_of
from .symbols import Names


def _call_of_haskell(match: re.Match[str]) -> str:
    """Return `f(2,3)` for `ghci> f 2 3` and `ghci> f [2, 3]`, `grad(f)(2,3)` for `ghci> grad f [2, 3]` (a callback)."""
    arguments = ",".join(match["arguments"].strip("[]").replace(",", " ").split())
    return f"{'grad(f)' if match['grad'] else match['function']}({arguments})"


def _comment_sign(match: re.Match[str]) -> str:
    """Return `#` for the sign of a comment; the match itself for the first % of `2.4 % = 3.8 %`, which begins none."""
    text, start = match.string, match.start()
    is_percentage = match[0][0] == "%" and text.count("%") > 1 and text[:start].rstrip()[-1:].isdecimal()
    return match[0] if is_percentage and "=" in match[0] else "#"


def _typst_in_plain_signs(match: re.Match[str]) -> str:
    """Return a formula of Typst in plain signs, with its dollars (a callback of re.sub): ∂ for `partial`, d for `dif`,
    without the blank behind them, · for `dot`, ≈ for `approx`, and `a/b` for a fraction.

    The first `frac(a, b)` becomes `a/b`, the first `(∂a)/(∂b)` then `∂a/∂b`, and the first `(d a)/(d b)` then `da/db`.
    If a or b has an operator or a blank inside, the result is `(a)/(b)`, without ∂ or d; if one has a bracket, the
    fraction stays. The result may be shorter than the match.
    """
    text = match.group()
    for word, sign in (("partial ", "∂"), ("dif ", "d"), (" dot ", " · "), (" dot.op ", " · "), (" approx ", " ≈ ")):
        text = text.replace(word, sign)
    for opening, between in (("frac(", ","), ("(∂", ")/("), ("(d", ")/(")):
        before, has_opening, inside = text.partition(opening)
        above, has_two, below = inside.partition(between)
        above, (below, closing, rest) = above.strip(), below.strip().partition(")")
        if has_opening and has_two and closing and "(" not in above + below:
            bar, is_sum = opening.removeprefix("frac(").strip("("), not {*"+-* "}.isdisjoint(above + below)
            text = f"{before}({above})/({below}){rest}" if is_sum else f"{before}{bar}{above}/{below}{rest}"
    return text


_MISREAD = str.maketrans("oOlI", "0011")
_PROMPTS = rewritings("prompts", call_of_haskell=_call_of_haskell)
NUMBERS, OUTPUT, _WRAPPED = rewritings("numbers"), rewritings("output"), rewritings("printed")
SPELLINGS = rewritings("program_spellings", typst=_typst_in_plain_signs)
COMMENTS = rewritings("comments", comment_sign=_comment_sign)
STATEMENT = (
    *rewritings(
        "statements",
        digits=lambda match: match[0].translate(_MISREAD),
        definition=lambda match: " = " if "return" in match[0] else "",
    ),
    *COMMENTS,
)
_CALL = row_pattern("{PRINT_CALL}", signs=("print", "disp", "show", "echo", "cat", "console", "puts", "round", "float"))
_COMMENTED = row_pattern(r"(?<=\s){COMMENT}{SHOWS}(?P<comment>\S.*)\Z")
_FIELD, _LITERAL = row_pattern("{PRINTED_FIELD}"), row_pattern("{PRINTED_LITERAL}")
_NAME, _AROUND = row_pattern("{PRINTED_NAME}"), row_pattern("{AROUND_NAMES}")
(_TITLES,) = word_sets("results", "title")
_MOST_STEPS = 60  # between a row and the line that shows its number
_ALONE = row_pattern("{NUMBER_ALONE}")


class Printed(NamedTuple):
    """The output of a line: start and end of each name (none if it prints anything else) and of the comment after it.

    `is_call` is False for names that stand alone in a line, as in an interpreter.
    """

    names: list[tuple[int, int]]
    comment: tuple[int, int] | None
    is_call: bool


def without_prompt(text: str) -> tuple[str, bool]:
    """Return the text with a prompt before it blanked out, and whether there was one; the length stays the same."""
    plain = apply_rules(text, _PROMPTS)
    return plain, plain != text


def is_evaluated(line: str, text: str, after: str) -> bool:
    """Return whether a line begins with > and is a formula, `text` without the prompt, above its number in the line
    `after`: `> 2*x*sin(y)`. False if it shows names, `> round(y, 3)` (`get_print`).
    """
    is_above = line.lstrip()[:1] == ">" and alone(without_prompt(after)[0]) is not None
    if not is_above or not is_formula(text) or not {*text.rstrip("; ")}.isdisjoint("=;←") or "<-" in text:
        return False
    printed = get_print(text)
    return printed is None or not printed.names


def get_print(text: str) -> Printed | None:
    """Return what the line `text` prints, by a call such as `print(y, dy)` or as a bare `y`; None for other lines.

    A call is one of `PRINTERS` as the whole line, with a comment or an arrow behind it or not. The fields of Printed
    are:

    - `names`: the places of the names (`_items`), in an f-string of those in braces; [] if a call prints anything else.
    - `comment`: the place of the text behind the sign of the comment, whatever it is; None if there is none.
    - `is_call`.

    A bare line, which is no call, must be a list of names (`_items`). It gives None if it has `=`, a comment that is
    not one number alone, anything but names, or a single name in brackets.
    """
    call = _CALL.match(text)
    if call is not None:
        start, end = call.span("inside")
        names = _fields(text, start, end) if call["inside"][:2] in ("f'", 'f"') else _items(text, start, end)
        return Printed(names, call.span("comment") if call["comment"] else None, True)
    if "=" in text:
        return None
    comment = _COMMENTED.search(text)
    if comment and alone(comment["comment"]) is None:
        return None
    names = _items(text, 0, comment.start() if comment else len(text))
    if not names or (len(names) == 1 and text.lstrip().startswith("(")):  # (x1) is a title
        return None
    return Printed(names, comment.span("comment") if comment else None, False)


def _fields(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return start and end of the names in the fields of an f-string; empty if a field has anything else."""
    names = [field.span("name") for field in _FIELD.finditer(text, start, end)]
    return names if len(names) == text.count("{", start, end) else []


def _items(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return (start, end) of each name in a list such as `x1, y` between two offsets of `text`, in order.

    A name may have an index, primes and `.grad`, or be `dy/dx`. Skipped are string literals, arguments such as `sep=`
    at the end, brackets, `.item()`, `.numpy()`, `round(` and `float(`, and whole numbers after a comma. Return [] if
    the list has anything else, no names, or two names without a comma between them.
    """
    plain = _LITERAL.sub(lambda match: "," * len(match[0]), text[start:end])
    names = [match.span() for match in _NAME.finditer(plain)]
    between = [plain[last:first] for (_, last), (first, _) in pairwise([(0, 0), *names, (len(plain), 0)])]
    if any(_AROUND.sub("", part) for part in between) or any("," not in part for part in between[1:-1]):
        return []
    return [(start + first, start + last) for first, last in names]


def read_call(text: str, names: Names) -> list[str]:
    """Return the symbols that a line such as `grad(f)(2, 0.6)`, also in a print call, evaluates; [] for other lines.

    With the output y and inputs x1, x2:

    - `f(2, 0.6)` gives ["y"];
    - `grad(f)(2, 0.6)` and `gradient(f, 2, 0.6)` give ["∂y/∂x1", "∂y/∂x2"];
    - `value_and_grad(f)(2, 0.6)` gives all three;
    - `[g.numpy() for g in grad(f)(2, 0.6)]` is read as its list;
    - with one input, `f'(2)`, `f'[2]` and `df(2)` give its derivative.

    There must be one number for each input, or for each input in `wrt` (their values are not compared); numbers are not
    checked in `diff(f, x).subs({x: 2})`. Of a line with `; ` only the text behind the last one is read; but if one
    of the statements before it has an `=`, the line is read as one call. Two to 30 items with commas between, in
    brackets or not, are read one by one and their symbols joined; [] if an item gives none. [] for several outputs,
    whatever is called.
    """
    printed = _CALL.match(text)
    text = (printed["inside"] if printed is not None else text).strip().strip(";")
    text = _list_in_comprehension(text) or text
    first, _, last = text.rpartition("; ")
    text = text if "=" in first else last  # using Zygote; gradient(f, 2, 3)
    listed = text[1:-1] if text[:1] in ("(", "[") and text[-1:] in (")", "]") else text
    items = parts(listed)
    symbols = [_read_one_call(item, names) for item in items] if len(items) <= PIECES else []
    if len(symbols) > 1:
        return [symbol for each in symbols for symbol in each] if all(symbols) else []
    return _read_one_call(text, names)


def _list_in_comprehension(text: str) -> str:
    """Return `grads` for `[g.numpy() for g in grads]`, whose items are those of the list; "" for other texts."""
    item, _, rest = text.strip("[( ").partition(" for ")
    name, _, listed = rest.partition(" in ")
    return listed.removesuffix("]") if name and _AROUND.sub("", item) == name.strip() else ""


def is_loop(text: str) -> bool:
    """Return whether a line is a loop of Python that prints something or shows gradients, or only begins one."""
    begins = text.lstrip().startswith("for ") and text.rstrip().endswith(":")
    return " in " in text.partition("for ")[2] and (begins or "print(" in text or ".grad" in text)


def read_loop(line: Cut, lines: Sequence[str], names: Names, earlier: list[Cut]) -> list[Cut]:
    """Return `w.grad`, `b.grad` for a line such as `for p in (w, b): print(p.grad)` or `[p.grad for p in (w, b)]`, and
    the symbols of a call for `for g in tape.gradient(f, [w, b]):` above `print(g)`.

    The names of the list must be inputs, and the line, or else the first of `lines` below it (the body of the loop),
    must have the variable and `.grad`. The next lines that show numbers alone, one or more each, are counted up to the
    first other line; titles of output are skipped. Their numbers must be exactly as many as the list has names, or as
    these and `earlier`, names printed before, which then come first. [] for every other line. The results have the
    place of the line.
    """
    if not is_loop(line.text):
        return []
    before, _, listed = line.text.partition(" in ")
    variable, symbols = before.rpartition(" ")[2], read_call(listed.rstrip(" :"), names)
    slope = f"print({variable}" if symbols else f"{variable}.grad"
    has_body = slope not in line.text and slope in lines[0]
    if not (has_body or slope in line.text):
        return []
    slopes = [line._replace(text=each) for each in symbols or _slopes_of(listed, names)]
    shown = (below for below in lines[has_body:] if not is_title_of_output(below, slopes))
    size = sum(map(len, takewhile(bool, map(printed_numbers, shown))))
    return next((each for each in (slopes, [*earlier, *slopes]) if len(each) == size and slopes), [])


def _slopes_of(listed: str, names: Names) -> list[str]:
    """Return `w.grad` and `b.grad` for a list of inputs that ends with the first closing bracket or colon, `(w, b):`;
    [] if a name is not an input."""
    listed = listed.strip().lstrip("([")
    for end in ")]:":
        listed = listed.partition(end)[0]
    inputs = [names.own(name.strip()) for name in listed.split(",")]
    return [f"{wrt}.grad" for wrt in inputs] if {*names.inputs}.issuperset(inputs) else []


def _read_one_call(text: str, names: Names) -> list[str]:
    """Return the symbols that `text`, not a tuple, evaluates; [] if it is not a call with numbers for all inputs.

    The first that applies:
    - a call that names the inputs, `tape.gradient(f, [x, y])` (`_named_derivatives`); it needs no numbers;
    - a call with `.subs(` or `.evalf(subs=` (`_read_substituted`);
    - a function with grad or deriv in its name: the derivatives with respect to `names.wrt`, after the output if
      `value_and` or `with` is in the name, too;
    - `fx(2, 3)` and the like (`_input_of_partial`): that derivative;
    - any name with a prime, `f'(2)`, or the symbol of a derivative of the output, `df(2)`: the derivative if `wrt` has
      one input, else [];
    - a call of every other name that is not a function of the table, `f(2, 3)`: the only output.

    There must be one number for each input, or for each in `wrt`. With several outputs nothing applies: [].
    """
    symbols = _named_derivatives(text.strip(), names)
    call = _call_alone(text) if len(names.outputs) == 1 and not symbols else ""
    if not call:
        return symbols
    before, substituted, _ = call.replace(".evalf(subs=", ".subs(").partition(".subs(")
    if substituted:
        return _read_substituted(before, names)
    counts = dict.fromkeys((len(names.inputs), len(names.wrt)))  # data may be left out
    function = next((name for count in counts if (name := _function_of_numbers(call, count))), "")
    (output,), derivatives = names.outputs, [f"∂{names.outputs[0]}/∂{wrt}" for wrt in names.wrt]
    if any(word in function.lower() for word in ("grad", "deriv")):
        return [output, *derivatives] if "value_and" in function or "with" in function else derivatives
    if not function.rstrip("'").isidentifier() or lookup(function) is not None:
        return []
    wrt = _input_of_partial(function, names)
    if wrt is not None:
        return [f"∂{output}/∂{wrt}"]
    symbol = names.quantity(function)  # df(2) after df = diff(f, x)
    is_slope = function.endswith("'") or (symbol is not None and symbol.kind != VALUE and symbol.name == output)
    return (derivatives if len(derivatives) == 1 else []) if is_slope else [output]


def _input_of_partial(function: str, names: Names) -> str | None:
    """Return x for a function called `fx`, `f_x` or `dfdx` that is the derivative of a result; None for other names."""
    symbol = names.quantity(function)
    stems = {wrt: function.removesuffix(wrt).rstrip("_") for wrt in names.wrt if function.endswith(wrt)}
    by_stem = (wrt for wrt, stem in stems.items() if names.result_of(stem) is not None)
    return next(by_stem, symbol.key if symbol is not None and symbol.key in names.inputs else None)


def _named_derivatives(text: str, names: Names) -> list[str]:
    """Return the symbols of derivatives of the only output that a line evaluates by the names of inputs; [] for other
    lines.

    `∂f/∂x`, the whole text, gives that derivative if f means the output and x is an input. A call whose name ends in
    `.gradient` or `.grad`, such as `tape.gradient(f, [x, y])`, gives those by its arguments after the first, which must
    all be inputs (no keyword arguments); f is not checked. `attr(…,"gradient")` gives those by all of `names.wrt`. The
    symbols are spelled `∂y/∂x`, in the order of the arguments. [] also for several outputs.
    """
    if len(names.outputs) != 1:
        return []
    above, _, below = text.partition("/∂")
    if above[:1] == "∂" and names.result_of(above[1:]) and names.own(below) in names.inputs:
        return [f"∂{names.outputs[0]}/∂{names.own(below)}"]
    call, _, arguments = text.partition("(")
    inputs = [names.own(each.strip()) for each in arguments.partition(",")[2].strip("[]() ;").split(",")]
    if call == "attr" and "gradient" in arguments:
        inputs = [*names.wrt]
    is_gradient = "=" not in call and call.endswith((".gradient", ".grad", "attr")) and set(inputs) <= set(names.inputs)
    return [f"∂{names.outputs[0]}/∂{wrt}" for wrt in inputs] if is_gradient else []


def _call_alone(text: str) -> str:
    """Return the call that is the whole line, such as `f(x)`, `f[x]` or `grad(f)(x)`, without a semicolon; "" for
    others.

    It begins with a name, which may have dots and primes, and ends in a bracket. Of an assignment `g = gradient(f, x)`
    the right side is returned, if it has `gradient(` in it; "" for other assignments. "" for a call with a keyword
    argument other than `argnums` and `subs`, which stay in the result.
    """
    call = text.strip().rstrip(";")
    name, equals, assigned = call.partition(" = ")
    call = assigned if equals and name.isidentifier() and "gradient(" in assigned else call
    function = call.replace("[", "(").partition("(")[0].rstrip("'").replace(".", "")
    keywords = call.replace("argnums=", "").replace("subs=", "")
    is_call = call.endswith((")", "]")) and function.isidentifier() and "=" not in keywords
    return call if is_call else ""


def _read_substituted(before: str, names: Names) -> list[str]:
    """Return [symbol] for `f` or `diff(f, x)`, into which numbers are substituted; [] for other texts.

    `before` is the text before `.subs(`; there is one output y. The first that applies:

    - It has `diff` in it, `diff(f, x)` or `f.diff(x)`: [∂y/∂x] if it ends in the input x and `)`, whatever f is, else
      [].
    - It is the symbol of a tangent, adjoint or derivative: [before].
    - It means the output, or begins with `expr`: the output.
    """
    by = before.rstrip(")").replace("(", ",").rpartition(",")[2].strip()
    if "diff" in before:
        return [f"∂{names.outputs[0]}/∂{by}"] if by in names.inputs and before.endswith(f"{by})") else []
    symbol = names.quantity(before)
    if symbol is not None and symbol.kind != VALUE:  # df.subs(x, 2) after df = diff(f, x)
        return [before]
    return [*names.outputs] if names.result_of(before) is not None or before.startswith("expr") else []


def with_derivatives(text: str, derivatives: dict[str, str]) -> str:
    """Return a line with `.subs(`, a call to print, a loop or a name alone with all names g in it replaced by their
    calls in `derivatives`; other lines unchanged.

    `derivatives` is {name: call}, as `diff(f, x)`, `f.diff(x)` or `tape.gradient(f, [x])`. Before that, the assignments
    in this line, whatever else it has, are added in place: each `g = …` between semicolons whose right side has
    `gradient(`, `grad(`, or `diff(` and one bracket, at its end.
    """
    for part in text.split(";"):
        name, _, call = map(str.strip, part.partition("="))
        is_diff = "diff(" in call and call.count("(") == 1
        if name.isidentifier() and (is_diff or "gradient(" in call or "grad(" in call) and call.endswith(")"):
            derivatives[name] = call
    is_used = ".subs(" in text or text.strip() in derivatives or is_loop(text) or _CALL.match(text) is not None
    return replace_names(text, lambda name: derivatives.get(name, name)) if derivatives and is_used else text


def _function_of_numbers(call: str, count: int) -> str:
    """Return the part of `call` before its last `count` numbers: "f" for `f(2, 3)` or `f([2, 3])` and 2, "gradient(f"
    for `gradient(f, 2, 3)`.

    The numbers follow a bracket or comma, which is not in the result, and closing brackets are at the end. "" if the
    call does not end in `count` numbers, or if a number between commas is before them, as in `f(1, 2, 3)` and 1. The
    part is not checked further: `f(2, 3)` and 1 give "f(2".
    """
    first, *others = call.rstrip(")] ").rsplit(",", count - 1)
    begin = max(map(first.rfind, "([,")) + 1
    function = first[: begin - 1].strip().rstrip("([ ")
    item = function.rpartition(",")[2] if first[begin - 1 : begin] == "," else ""
    numbers = [first[begin:], *others]
    is_call = begin > 0 and len(numbers) == count and not alone(item)
    return function if is_call and all(alone(number) is not None for number in numbers) else ""


def show_numbers(collector: Collector, names: Sequence[Cut], numbers: Sequence[Cut]) -> bool:
    """Append each of `numbers`, printed by a program, to the row of the name at its index; return whether it was done.

    Return False, with nothing changed, if there are no numbers or not as many as names. The row is the last one whose
    left side is the text of the name, among the last 60 rows of the section. A new row of the name and the number is
    added if there is none, or if that row has no pieces, 30 pieces or a number as its last piece.
    """
    if not numbers or len(numbers) != len(names):
        return False
    for name, number in zip(names, numbers, strict=True):
        rows = reversed(collector.part.rows[-_MOST_STEPS:])
        row = next((row for row in rows if row.left.text.strip() == name.text), None)
        if row is None or not row.pieces or len(row.pieces) >= PIECES or alone(row.pieces[-1].text) is not None:
            collector.row(name, [number], place=name.span)
        else:
            row.pieces.append(number)
    return True


def numbers_alone(text: str, labels: str) -> list[tuple[int, int]]:
    """Return (start, end) of each number in `text`, which consists of numbers and labels only; [] if it has anything
    else.

    Brackets, commas and semicolons are ignored, and the words tensor, array and `np.float64`. What is between blanks
    must be a number or a part of the string `labels` with whole words of it (signs alone, if `labels` has them, too).
    [] also if there are no numbers.
    """
    plain = apply_rules(text, _WRAPPED)
    numbers: list[tuple[int, int]] = []
    words = set(words_of(labels))
    for start, end in chunks(plain):
        if alone(plain[start:end]) is not None:
            numbers.append((start, end))
        elif plain[start:end] not in labels or not words.issuperset(words_of(plain[start:end])):
            return []
    return numbers


def printed_numbers(line: str) -> list[tuple[int, int]]:
    """Return (start, end) of each number in a line of output, perhaps in a comment; [] for other lines."""
    return numbers_alone(apply_rules(apply_rules(without_prompt(line)[0], NUMBERS), OUTPUT), "")


def numbers_shown(text: str, names: Sequence[Cut]) -> list[tuple[int, int]]:
    """Return (start, end) of each number that a line shows for `names`, or of the only one in it."""
    number = alone(text)
    shown = numbers_alone(text, names[0].span.source.text) if names else []
    return shown or ([number] if number else [])


def order_by_heads(names: Sequence[Cut], text: str) -> list[Cut]:
    """Return `names` in the order in which the line `text` lists their inputs, as R does; [] for any other line.

    `names` are derivatives such as ∂y/∂x1, one for each input, whose numbers are printed below. The line must have
    exactly these inputs, each once, with blanks between them. For a line that only states the type of an array (Julia:
    it has `-element ` and ends in a colon), `names` are returned in their order.
    """
    if text.strip().endswith(":") and "-element " in text:
        return [*names]
    names_by_input = {name.text.rpartition("∂")[2]: name for name in names}
    heads = text.split()
    return [names_by_input[head] for head in heads] if sorted(heads) == sorted(names_by_input) else []


def may_take_lines(names: Sequence[Cut]) -> bool:
    """Return whether the numbers of `names` may be printed over several lines: derivatives, ∂y/∂x or w.grad."""
    return bool(names) and (names[0].text[0] == "∂" or names[-1].text.endswith(".grad"))


def calls_shown(earlier: list[list[Cut]], lines: Sequence[str]) -> list[list[Cut]]:
    """Return `earlier`, the names of calls to print before the last one, if `lines` may begin with the output of all
    calls; else [].

    It may if the first line is not one of numbers alone, or if exactly one line of numbers for each call, also for the
    last one, is at the start of `lines`. [] if `earlier` is empty.
    """
    count = len([*takewhile(bool, map(printed_numbers, lines))]) if earlier else 0
    return earlier if count in (0, len(earlier) + 1) else []


def is_title_of_output(text: str, names: Sequence[Cut]) -> bool:
    """Return whether a line only announces what a program prints of `names`; False without names.

    It has only words such as `output`, and signs, but no digits (`# output:`); or it is blank, as what remains of a
    prompt alone. Signs without words are not a title. An assignment of a gradient is one: `g = tape.gradient(f, [x])`
    may be printed later. Another rule is for a line with `.grad` or `print` in it, as the
    `print(p.grad)` in a loop, if the line of the last name is the head of a loop: True.
    """
    if names and names[-1].span.source.text.rstrip().endswith(":") and is_loop(names[-1].span.source.text):
        return ".grad" in text or "print" in text
    if names and " = " in text and ("gradient(" in text or ".grad(" in text):
        return True
    words = words_of(text.lower())
    has_number = any(map(str.isdecimal, text))
    return bool(names) and not has_number and _TITLES.issuperset(words) and bool(words or not text.strip())


def last_name(text: str) -> tuple[int, int] | None:
    """Return start and end of a name after the last semicolon of a line, whose value is printed next; None if none."""
    _, semicolon, rest = text.rpartition(";")
    name = rest.strip()
    start = len(text) - len(rest.lstrip())
    return (start, start + len(name)) if semicolon and name.rstrip("'").isidentifier() else None


def alone(text: str) -> tuple[int, int] | None:
    """Return start and end of the number that a line consists of, after `ans =` if that is there; None if
    it has more.
    """
    start = text.lstrip()
    match = _ALONE.match(text) if start[:1].isalpha() <= start.startswith("ans") else None
    return match.span("number") if match else None
