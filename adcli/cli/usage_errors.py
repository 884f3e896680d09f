"""Usage errors: what a command line that cannot be read may have meant in commands, options, values and the rest.
`texts` are, as a rule, the words that are neither options nor their values, the expression first; `known` are a
command's options.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise, takewhile
from os.path import exists

from ..errors import AdcliError, RequestError, Source
from ..table.suggest import similar
from .options import COMMANDS, A, Command, Option, load_command
from .synonyms import POINTS_FILE, meaning_in, option_of

_BINDING = re.compile(r"[^\W\d]\w*\s*=(?!=)")
_FILE_NAME = re.compile(r"[\w./~-]+\.[A-Za-z]\w{0,7}")
_NUMBER = re.compile(r"[+-]*(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
_VALUES = re.compile(r"(?:[^\W\d]\w*\s*:?=\s*[-+]*(?:\.?[0-9]|pi\b)[\w.*/+-]*[,;\s]*)+")
_FILLERS = ("at", "with", "respect", "to", "by", "wrt", "from", "between", "and", "nach", "for", "point", "variable")
_SHORT_OPTION = re.compile(r"--?(?P<letter>[A-Za-z])(?P<digit>[0-9]?)")


def no_command(word: str, others: Sequence[str], commands: Collection[str]) -> AdcliError:
    """Return the error for the unknown command `word`, with the command that was meant or all `commands` as help.

    The help is such as "did you mean adcli eval?", if `word` is another name of a command or similar to one. If not,
    and `word` is a mathematical request, such as `integrate` or `solve`, return the answer to the request instead. It
    is read from `word` and the first of `others`, the arguments after `word`.
    """
    guess = _find_similar_command(word, commands)
    if guess is None:
        from ..language.math_requests.math_answers import answer

        request = answer(Source(" ".join([word, *others[:1]])), (), lambda *_: ())
        if request is not None:
            return request
    line = _make_command_line(word, guess, others) if guess else ""
    advice = f"did you mean adcli {line}?" if guess else f"the commands are {', '.join(commands)}"
    return RequestError(f"there is no command called {word}", help=advice)


def _make_command_line(word: str, guess: str, others: Sequence[str]) -> str:
    """Return the command line that was meant: `guess` (without adcli) and the arguments `others`, quoted for a shell.

    `word` is the unknown command as typed, `others` are the arguments after it. If no text comes before the first
    option, or `others` has --file, return `guess` alone. Texts after the first one become the option that
    `surplus_text_error` advises for them, at the end. For a `word` that begins with "jacobi" the list `[a, b]`, `(a,
    b)` or `a, b` is written as outputs, `a; b`. `eval --hessian` becomes `diff --order 2` if there is neither --at nor
    an @ in the first text.
    """
    from ..language.brackets import closing, parts

    texts = [*takewhile(lambda text: not text.startswith("-"), others)]
    options = others[len(texts) :]
    if not texts or "--file" in options:
        return guess
    if guess == "eval --hessian" and "--at" not in options and "@" not in texts[0]:
        guess = "diff --order 2"
    if word.startswith("jacobi"):
        is_list = texts[0][:1] + texts[0][-1:] in ("[]", "()") and closing(texts[0], 0, len(texts[0])) == len(texts[0])
        texts[0] = "; ".join(part.strip() for part in parts(texts[0][is_list : len(texts[0]) - is_list]))
    further = ""
    if len(texts) > 1:
        advice = surplus_text_error(guess, load_command(guess.partition(" ")[0]), options, texts).help or ""
        further = f" --{advice.partition(': --')[2]}" if ": --" in advice else ""
    return " ".join([guess, _quote(texts[0], always=True), *map(_quote, options)]) + further


def command_error(texts: Sequence[str], commands: Collection[str]) -> AdcliError | None:
    """Return the error for a command line that has its command in the wrong form or place.

    Its first text was meant for a command, since it is another name of one, misspells one or is followed by an
    expression (`_is_command_word`); or it is a long option, and one of `commands` comes after a word that does not
    begin with a hyphen and before any further word (`--at x=3 eval "x^2"`). None otherwise.
    """
    if _is_command_word(texts[0], texts[1:], commands):
        return no_command(texts[0], texts[1:], commands)
    pairs = pairwise(texts[:-1]) if texts[0].startswith("--") else ()
    late = next((word for before, word in pairs if word in commands and not before.startswith("-")), None)
    if late is None:
        return None
    return RequestError(f"the command {late} comes first, then its options", help=f"adcli {late} … {texts[0]} …")


def _is_command_word(word: str, others: Sequence[str], commands: Collection[str]) -> bool:
    """Return whether `word`, the first one, was meant for one of `commands`, and not for an expression of one name.

    The first that applies (`others` are the arguments after it):

    - `word` is a single letter, has signs other than letters and hyphens, begins with a hyphen, or has capitals after
      its first character: False.
    - One of `others` gives it a value, `word=…` anywhere in the text: False.
    - One of `others` is neither an option nor directly behind one: True.
    - True if `word` is another name of a command or similar to one, else False.
    """
    letters = word.replace("-", "")
    if not letters.isalpha() or len(word) == 1 or word[0] == "-" or word[1:] != word[1:].lower():
        return False
    if any(re.search(rf"(?<!\w){re.escape(word)}\s*=", text) for text in others):
        return False
    pairs = zip(others, ["", *others], strict=False)
    follows = any(not text.startswith("-") and not before.startswith("-") for text, before in pairs)
    return follows or _find_similar_command(word, commands) is not None


def _find_similar_command(word: str, commands: Collection[str]) -> str | None:
    """Return the command, perhaps with an option (`eval --hessian`), that a word is another name of, else the one of
    `commands` that it misspells; None if there is none.
    """
    from difflib import get_close_matches

    word = word.casefold()
    return meaning_in("commands", word) or next(iter(get_close_matches(word, commands, n=1, cutoff=0.7)), None)


def no_option(name: str, command: Command[A] | None, advice: str, value: str = "") -> AdcliError:
    """Return the error for the unknown option `name`, with the option that was meant and its value.

    `value` is the text behind it ("" if there is none); both are as typed. `command` is None for adcli itself. The help
    is the first that applies:

    - `name` means the argument of the command: to write the value alone.
    - It means the file of points (--input, -i) in `map` and `propagate`: to name the file after the expression.
    - The option that was meant (`_find_format`, `_find_meant_option`).
    - The text for `name` in the table "advice" of grammar/synonyms.txt.
    - The commands that have the option, and the parameter `advice`; without such commands `advice` alone.
    """
    title = f"there is no option called {name}"
    known = {spelling: option for option in command.options.values() for spelling in option.names} if command else {}
    argument = meaning_in("arguments", name)
    if command and argument == command.argument.upper():
        return AdcliError(title, help=f"{argument} needs no option{f': {_quote(value)}' if value else ''}")
    if name in POINTS_FILE and not known.keys().isdisjoint(("--carry", "--monte-carlo")):
        return AdcliError(title, help="name the file of points after the expression")
    if guess := _find_format(name, known) or _find_meant_option(name, known, value):
        return AdcliError(title, help=f"did you mean {guess}?")
    others = ", ".join(_find_commands_with(name)) if command else ""
    advice = f"this is an option of adcli {others}; here: {advice}" if others else advice
    return AdcliError(title, help=meaning_in("advice", name) or advice)


def _find_meant_option(name: str, known: Mapping[str, Option[object]], value: str) -> str | None:
    """Return the option among `known` that the unknown option `name` was meant for; None if no option is similar.

    The `value` behind `name` is added if the option takes it. The first that applies:

    - --at for values with names (`x=3`), unless `name` is another name of an option that takes such values.
    - An option of which `name` is another name, if possible one that takes the value.
    - An option that has `name` as a choice (`--moodle`), or that is spelled similarly.
    - `--wrt x` or `--at x=…` for a lower-case letter `-x`.

    If the result is --over or --output and the name means an end of an interval (`--from 0`), it is `--over x=0:…`.
    """
    takers = {spelling for spelling, option in known.items() if _takes(option, value)}
    guess = option_of(name.casefold(), {"adcli", *takers}) or option_of(name.casefold(), known)
    if "--at" in known and _VALUES.fullmatch(value) and not (guess in takers and "=" in known[guess or ""].metavar):
        guess = "--at"
    guess = guess or _find_choice_or_similar(name, known) or _find_meaning_of_letter(name, known, value)
    if guess in ("--over", "--output") and "--over" in known and (end := _end_of_interval(name, value)):
        return end
    takes_value = guess is not None and (guess in takers or " --" in guess)  # that of another command
    return f"{guess} {_quote(value)}" if value and takes_value else guess


def _end_of_interval(name: str, value: str) -> str:
    """Return the option --over for the start or the end of an interval, `--over x=0:…` or `--over x=…:2`.

    `value` is the end for the names `--to` and `--xmax`, and the start for every other `name`, since only such names
    are passed. The input is always called x. Without a number as `value` the result is "", except for `--xmin` and
    `--from` with an empty one, which is shown as `…`.
    """
    if not _NUMBER.fullmatch(value) and (value or name not in ("--xmin", "--from")):
        return ""
    return f"--over x=…:{value}" if name in ("--to", "--xmax") else f"--over x={value or '…'}:…"


def _find_format(name: str, known: Mapping[str, Option[object]]) -> str | None:
    """Return `--format json` for the name or suffix of a format as an option, `--json`; None if it is neither."""
    if "--format" not in known or not name.startswith("--"):
        return None
    form = _find_choice(name[2:], known["--format"].choices)
    return f"--format {form}" if form and name[2:] in (form, *_list_suffixes(form)) else None


def _find_choice_or_similar(name: str, known: Mapping[str, Option[object]]) -> str | None:
    """Return the option that an unknown option such as `--moodle` or `--fromat` was meant for.

    It is the first option that has `name` as a choice, `--for moodle`. Without one it is the option with a similar
    spelling, but not for a name in the table `advice`. None if there is no such option, or if `name` does not start
    with two hyphens. `known` has the command's options by their spellings.
    """
    if not name.startswith("--"):
        return None
    bare = name.lstrip("-")
    chosen = (f"{_long_name(o)} {bare}" for o in known.values() if bare in o.choices)
    return next(chosen, None) or (similar(name, known) if meaning_in("advice", name) is None else None)


def _find_meaning_of_letter(name: str, known: Collection[str], value: str) -> str | None:
    """Return what the unknown option `name` with the `value` behind it ("" if missing) may have meant.

    None if `name` is not one lower-case letter, perhaps with a digit, after one or two hyphens. `known` are the options
    of the command. The first that applies:

    - `--wrt` is known and `value` is missing: `--wrt x` for `-x`
    - `--wrt` is known and `value` is a name of up to three characters: `--wrt x` for `-d x` or any other letter than d
    - `--at` is known and `value` is a number: `--at x=3` for `-x 3`
    - `--at` is known: `--at x=…`
    - None
    """
    short = _SHORT_OPTION.fullmatch(name)
    if short is None or not short["letter"].islower():
        return None
    if "--wrt" in known and (not value or _is_short_name(value)):
        return f"--wrt {value or name.lstrip('-')}"
    return f"--at {name.lstrip('-')}={value if _NUMBER.fullmatch(value) else '…'}" if "--at" in known else None


def _takes(option: Option[object], value: str) -> bool:
    """Return whether an option takes the `value`; True without one, False for a flag behind which there is one."""
    try:
        return not value or (not option.is_flag and option.read(value) is not None)
    except ValueError:
        return False


def _quote(text: str, always: bool = False) -> str:
    from ..language.math_requests.request_text import quote_for_shell

    return quote_for_shell(text, always=always)


def _list_texts(texts: Iterable[str]) -> str:
    """Return the texts as on a command line, with blanks between them; '' is an empty one."""
    return " ".join(_quote(text) or "''" for text in texts)


def _long_name(option: Option[object]) -> str:
    return option.names[-1] if option.names[-1].startswith("--") else option.names[0]


def _find_commands_with(name: str) -> list[str]:
    """Return the commands that have an option called `name`."""
    return [c for c in COMMANDS if name in _list_option_names(load_command(c))]


def wrong_value(option: Option[object], value: str, advice: str) -> AdcliError:
    """Return the error for a value that an option with choices or bounds does not take.

    For choices the help is the choice that the value resembles or is another name of; without one, all choices. For a
    whole number the message has the bounds, and the help is `advice`, or --precision for too many --digits.
    """
    name = _long_name(option)
    if not option.choices:
        assert option.between is not None  # only these two kinds of option look at their text  # noqa: S101
        low, high = option.between
        return AdcliError(
            f"option {name} takes a whole number from {low} to {high}",
            label=f"the value is {value}", help="for more digits: --precision 50" if name == "--digits" else advice,
        )  # fmt: skip
    guess = _find_choice(value, option.choices)
    meaning = f"{name} {guess}" if guess else option_of(f"--{value}", option.names)
    advice = f"did you mean {meaning}?" if meaning else f"{name} takes {', '.join(option.choices)}"
    return AdcliError(f"option {name} does not take the value {value}", help=advice)


def _find_choice(value: str, choices: Sequence[str]) -> str | None:
    """Return the one of `choices` that `value` was meant for, compared in small letters and without leading points.

    The first that applies: the choice that equals `value`; the only one whose files have it as a suffix (md: markdown);
    the only one that begins with it (two characters or more); a similar one; otherwise None.
    """
    value = value.casefold().lstrip(".")
    if value in choices:
        return value
    by_suffix = [choice for choice in choices if value in _list_suffixes(choice)]
    completions = [choice for choice in choices if len(value) > 1 and choice.startswith(value)]
    guess = next((matches[0] for matches in (by_suffix, completions) if len(matches) == 1), None)
    return guess or similar(value, choices)


def _list_suffixes(form: str) -> tuple[str, ...]:
    """Return the suffixes of the files of a format, without dots."""
    from ..render.formats import by_suffix

    return tuple(suffix[1:] for suffix, name in by_suffix().items() if name == form)


def _find_mistyped_option(texts: Sequence[str]) -> tuple[str, str]:
    """Return (option, value) for the first of `texts` that looks like an option of one letter, such as `-x` or `--x`.

    The option keeps its hyphens; capitals count, too. The value is the text behind a `=`. Without `=` it is the next
    text, or "" if there is none or it begins with a hyphen. `-x1` does not count, since it may be a negated variable.
    Return ("", "") if no text looks like an option.
    """
    for text, following in pairwise([*texts, ""]):
        name, equals, value = text.partition("=")
        short = _SHORT_OPTION.fullmatch(name)
        if short and (name[1] == "-" or not short["digit"]):
            return name, value if equals or following.startswith("-") else following
    return "", ""


def surplus_text_error(path: str, command: Command[A], options: Sequence[str], texts: Sequence[str]) -> AdcliError:
    """Return the error for more texts than a command takes, about the second of `texts`.

    `path` is the command as it was called (`adcli eval`), `options` are the words of its options. Of more than three
    texts, words such as `at` and `with` are passed over, and texts with blanks are split. The advice is the first that
    applies:

    - --over for the ends of an interval;
    - the advice for an unknown short option among the texts;
    - the values of a point, joined with those of --at;
    - a point in several words (`_advice_on_point`);
    - the option that was meant: `wrt x`, numbers, a choice (`_advice_on_options`);
    - a file, key or problem, quotation marks, or to leave the second text out (`_advice_on_text`, with all texts).
    """
    extra = texts[1]
    title, label = f"{path} takes one {command.argument.upper()}", f"left over: {_list_texts(texts[1:])}"
    whole, behind = texts, [text for text in texts[1:] if text not in _FILLERS] or texts[1:]
    texts = [texts[0], *" ".join(behind).replace(" = ", "=").split()] if len(texts) > 3 else texts
    if "over" in command.options and (ends := _read_interval(texts)):
        return RequestError(title, label=label, help=f"an interval is an option: --over {ends}")
    bindings = _find_bindings(texts[1:])
    among, value = _find_mistyped_option(texts) if len(bindings) < 2 else ("", "")
    is_meant = among == extra.partition("=")[0] or option_of(among, _list_option_names(command))
    if among and (is_meant or meaning_in("arguments", among) == command.argument.upper()):
        return no_option(among, command, f"{path} --help", value)
    if "at" in command.options and bindings:
        return RequestError(title, label=label, help=_join_point(options, bindings))
    further = chain(_advice_on_options(extra, texts, command), _advice_on_text(extra, whole, command))
    return RequestError(title, label=label, help=_advice_on_point(options, texts) or next(further))


def _read_interval(texts: Sequence[str]) -> str:
    """Return an interval, `x=-3:5`, for two numbers behind the expression; "" for other texts.

    The expression is the first of `texts`; the two numbers (also such as 2*pi) are in one text after it (-3..5, x=-3:5,
    [-3,5], `-3 to 5`) or in several. Without a name before a `=` it is the first input of the expression, or x if
    there is none.
    """
    name, _, ends = ":".join(texts[1:]).rpartition("=")
    for sign in ("...", "..", "…", ",", ";", ":to:", "to", "::"):
        ends = ends.replace(sign, ":")
    numbers = ends.strip("[]()").split(":")
    name = name or next(iter(list_inputs(texts[0])), "x")
    are_numbers = all(_NUMBER.fullmatch(text.replace("*", "").replace("pi", "3")) for text in numbers)
    return f"{name}={':'.join(numbers)}" if len(numbers) == 2 and are_numbers else ""


def _find_bindings(texts: Sequence[str]) -> list[str]:
    """Return the values of a point in `texts`, each such as "x1=2"; [] if the texts are not a point.

    For `-x1 2 -x2 3`, names with a hyphen each followed by a number, they are ["x1=2", "x2=3"], or [] if a last name
    has no number. Otherwise, also if the first text is `-at`, they are the texts of the form `x1=2`, if at most one
    text has another form.
    """
    pairs = list(zip(texts[::2], texts[1::2], strict=False))
    are_negated = all(name[:1] == "-" and _is_short_name(name[1:]) and _NUMBER.fullmatch(text) for name, text in pairs)
    if pairs and are_negated and texts[0] != "-at":
        return [f"{name[1:]}={text}" for name, text in pairs] if len(texts) % 2 == 0 else []
    bindings = [text.strip(", ") for text in texts if _BINDING.match(text)]
    return bindings if len(bindings) >= len(texts) - 1 else []


def _is_short_name(text: str) -> bool:
    return text.isidentifier() and len(text) <= 3


def _advice_on_point(options: Sequence[str], texts: Sequence[str]) -> str:
    """Return the advice for `--at x 3`, `--at x = 3` and `--at 2 3`; "" for other command lines.

    `options` are the words of all options and their values; --at has a name or a number alone. `texts` are the
    expression and the words that are left over. Several numbers get the names of the inputs of the expression; if there
    are not as many numbers as inputs, the advice is to give each input a value.
    """
    lone = next((value for name, value in pairwise([*options, ""]) if name == "--at"), "")
    values = [texts[0], lone, *texts[1:]]
    if all(map(_NUMBER.fullmatch, values[1:])):
        inputs = list_inputs(texts[0])
        other = f"--at has one value for each of {', '.join(inputs)}" if inputs else ""
        return next(_advice_on_numbers(values, inputs, ("at",)), other)
    if not lone.isidentifier() or (len(texts) > 2 and texts[1][:1] != "="):
        return ""
    return f"write the point without blanks: --at {lone}={''.join(texts[1:]).lstrip('=')}"


def _join_point(options: Sequence[str], bindings: Sequence[str]) -> str:
    """Return the advice to write `bindings`, such as `x=2`, behind --at, after the values that `options` has there."""
    points = [options[k + 1] for k, text in enumerate(options[:-1]) if text == "--at"]
    points += [text.removeprefix("--at=") for text in options if text.startswith("--at=")]
    point = ",".join([*points, *bindings]).replace(" ", "").replace(",,", ",")
    return f"{'join the point with commas' if points else 'a point is an option'}: --at {point}"


def _list_option_names(command: Command[A]) -> set[str]:
    return {name for option in command.options.values() for name in option.names}


def _advice_on_options(extra: str, texts: Sequence[str], command: Command[A]) -> Iterator[str]:
    """Yield advice, a phrase, if `extra`, the second of the `texts`, was meant for an option of the command.

    In this order: an option without its two hyphens before one value (`wrt x`, `-wrt x`); variables or an order; values
    of all names in the expression or the two ends of an interval; a choice of an option (`--format json`).
    """
    options = command.options
    known = _list_option_names(command)
    word = f"--{extra.removeprefix('-')}"
    meaning = option_of(word, known) or (word if word in known else None)
    if meaning and len(texts) == 3:
        yield f"an option begins with two hyphens: {meaning} {texts[2]}"
    inputs = list_inputs(texts[0]) if command.argument == "expr" else ()
    yield from _advice_on_variables(texts, inputs, options) if inputs else ()
    are_numbers = all(map(_NUMBER.fullmatch, texts[1:]))
    yield from _advice_on_numbers(texts, inputs, options) if are_numbers else ()
    for option in options.values():
        if extra in option.choices:
            yield f"{extra} belongs to an option: {max(option.names)} {extra}"


def _advice_on_variables(texts: Sequence[str], inputs: Sequence[str], options: Collection[str]) -> Iterator[str]:
    """Yield at most one advice, such as `a variable is an option: --wrt x,y --order 2`.

    The texts after the first, of which there must be one at least, are names of up to three letters, and then at most
    one whole number below 100; other texts have no advice. A number alone gives `an order is an option: --order 2`. dx
    means x if x is one of the `inputs`; other names need not be inputs. `options`, the fields of the command, must have
    wrt if there are names, and order if there is a number; otherwise there is no advice.
    """
    names = [text.removeprefix("d") if text[1:] in inputs else text for text in texts[1:]]
    variables = list(takewhile(_is_short_name, names))
    orders = [text for text in texts[1 + len(variables) :] if text in map(str, range(100)) and "order" in options]
    if ("wrt" in options or not variables) and len(texts) == 1 + len(variables) + len(orders) and len(orders) < 2:
        by = [f"--wrt {','.join(variables)}"] if variables else []
        kind = "a variable is an option" if variables else "an order is an option"
        yield f"{kind}: {' '.join([*by, *(f'--order {order}' for order in orders)])}"


def _advice_on_numbers(texts: Sequence[str], inputs: Sequence[str], options: Collection[str]) -> Iterator[str]:
    """Yield advice on the texts after the first of `texts`, which are numbers (not checked here).

    If there are as many numbers as `inputs`, it is --at with the inputs in order. If there are two numbers, it is
    --over for the first input (or x). An option that is not among the command's `options` is not advised.
    """
    if "at" in options and len(texts) == 1 + len(inputs):
        values = zip(inputs, texts[1:], strict=True)
        yield f"a value has a name: --at {','.join(f'{name}={value}' for name, value in values)}"
    if "over" in options and len(texts) == 3:
        yield f"an interval is an option: --over {next(iter(inputs), 'x')}={texts[1]}:{texts[2]}"


def list_inputs(text: str) -> tuple[str, ...]:
    """Return the inputs of an expression, in the order of their first appearance; () if it cannot be read."""
    from ..language.program import read_program

    try:
        return tuple(read_program(Source(text)).graph.inputs.values())
    except AdcliError:
        return ()


def _advice_on_text(extra: str, texts: Sequence[str], command: Command[A]) -> Iterator[str]:
    """Yield advice, a phrase, on `extra`, the second of the `texts`, by what it looks like.

    In this order:

    - `command` takes an expression and `extra` is a file name: write to it with -o (suffix of a picture or document),
      or read problems from it with -f.
    - It takes an answer, and neither `extra` nor the first text is a file, a word of letters, "-" or empty: pass the
      first text to standard input and `extra` to --problem.
    - It takes an answer or submissions: --key for a file name, otherwise --problem.
    - It takes an expression and `extra` begins with a letter, digit, operator or round bracket: semicolons between the
      texts if each has inputs and `extra` has no sign in front; then quotation marks around all.
    - Always, as the last: leave `extra` out.
    """
    is_file = _FILE_NAME.fullmatch(extra) is not None
    if command.argument == "expr" and is_file:
        is_result = extra.endswith((".svg", ".png", ".pdf", ".tex", ".html", ".md", ".json"))
        yield f"{'write to a file with -o' if is_result else 'read problems from a file with -f'} {extra}"
    words = (extra, texts[0])
    if command.argument == "answer" and not any(
        w in ("-", "") or w.isalpha() or exists(w) or _FILE_NAME.fullmatch(w) for w in words
    ):
        line = "echo {} | adcli check - --problem {}".format(*(_quote(word, always=True) for word in words))
        yield f"the answer is a file or standard input, the problem an option: {line}"
    if command.argument in ("answer", "submissions"):
        yield f"a key is an option: --key {extra}" if is_file else f'the problem is an option: --problem "{extra}"'
    if command.argument == "expr" and (extra[:1].isidentifier() or extra.startswith(tuple("-+*/^)=(0123456789"))):
        whole = " ".join(texts)
        example = f': "{whole}"' if len(whole) < 60 and '"' not in whole else ""
        if all(map(list_inputs, texts)) and extra[:1] not in ("+", "-"):
            yield f"separate several outputs by semicolons{example.replace(' '.join(texts), '; '.join(texts))}"
        yield f"quotation marks keep the expression in one piece{example}"
    yield f"leave out {_list_texts(texts[1:])}, or give one {command.argument.upper()} at a time"
