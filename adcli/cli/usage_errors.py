"""Usage errors: what a command line that cannot be read may have meant in commands, options, values and the rest."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from ..errors import AdcliError, RequestError
from ..table.suggest import similar
from .options import A, Command, Option

# What other programs, and people, call what a command does.
_OTHER_NAMES = {
    "evaluate": "eval", "calculate": "eval", "run": "eval", "value": "eval", "table": "eval",
    "gradient": "diff", "grad": "diff", "derivative": "diff", "derive": "diff", "differentiate": "diff", "d": "diff",
    "series": "taylor", "hessian": "eval --hessian", "steps": "step", "draw": "graph", "picture": "graph",
    "mark": "check", "correct": "check", "marks": "grade", "exercise": "new", "exercises": "new", "form": "template",
    "list": "functions", "man": "help", "manual": "help", "version": "--version",
}  # fmt: skip
# The same of options, where it is not the beginning of the option's own name.
_OTHER_OPTIONS = {"-m": "--mode", "-s": "--style", "-p": "--places", "-n": "--digits", "-a": "--at", "-w": "--width"}
_BINDING = re.compile(r"[^\W\d]\w*\s*=(?!=)")


def no_command(word: str, commands: Collection[str]) -> RequestError:
    """Return the error for an unknown command, with the one that it may be a misspelling or another name of."""
    guess = _near(word, commands)
    advice = f"did you mean adcli {guess}?" if guess else f"the commands are {', '.join(commands)}"
    return RequestError(f"there is no command called {word}", help=advice)


def is_command_word(word: str, others: Sequence[str], commands: Collection[str]) -> bool:
    """Return whether a word was meant for a command, and not for an expression of one name.

    It was if it is like the name of a command or another text follows it, and none of the `others` gives it a value.
    """
    if not re.fullmatch(r"[A-Za-z][a-z-]+", word):
        return False
    if any(re.search(rf"(?<!\w){re.escape(word)}\s*=", text) for text in others):
        return False
    follows = [text for text, before in zip(others, ["", *others], strict=False) if not before.startswith("-")]
    texts = [text for text in follows if not text.startswith("-")]
    return _near(word, commands) is not None or bool(texts)


def _near(word: str, commands: Collection[str]) -> str | None:
    """Return the command that a word is another name or a misspelling of; None if there is none."""
    from difflib import get_close_matches

    word = word.casefold()
    return _OTHER_NAMES.get(word) or next(iter(get_close_matches(word, commands, n=1, cutoff=0.7)), None)


def no_option(name: str, options: Iterable[Option[object]], advice: str) -> AdcliError:
    """Return the error for the unknown option `name`, with the one that was meant: `--json` is a format, `-m` a mode.

    Without a guess the help is `advice`.
    """
    known = {spelling: option for option in options for spelling in option.names}
    formats = known["--format"].choices if "--format" in known else ()
    guess = _OTHER_OPTIONS.get(name, "") if _OTHER_OPTIONS.get(name, "") in known else ""
    if not guess:
        form = _choice(name.lstrip("-"), formats) if name.startswith("--") else None
        similar_option = similar(name, known) if name.startswith("--") else None
        guess = f"--format {form}" if form and name.lstrip("-") in (form, *_suffixes(form)) else similar_option or ""
    return AdcliError(f"there is no option called {name}", help=f"did you mean {guess}?" if guess else advice)


def wrong_value(option: Option[object], value: str, advice: str) -> AdcliError:
    """Return the error for a value that an option does not take, with the one that it resembles.

    `advice` is the help for options that take a number.
    """
    name = option.names[-1] if option.names[-1].startswith("--") else option.names[0]
    if not option.choices:
        assert option.between is not None  # only these two kinds of option look at their text  # noqa: S101
        low, high = option.between
        return AdcliError(
            f"option {name} takes a whole number from {low} to {high}", label=f"this is {value}", help=advice
        )
    guess = _choice(value, option.choices)
    title = f"option {name} does not take {value}"
    if guess:
        return AdcliError(title, help=f"did you mean {name} {guess}?")
    return AdcliError(title, help=f"{name} takes {', '.join(option.choices)}")


def _choice(value: str, choices: Sequence[str]) -> str | None:
    """Return the one choice that `value` begins, resembles, or is the suffix of; None if that is not one."""
    value = value.casefold().lstrip(".")
    if value in choices:
        return value
    by_suffix = [choice for choice in choices if value in _suffixes(choice)]
    begun = [choice for choice in choices if len(value) > 1 and choice.startswith(value)]
    for matches in (by_suffix, begun):
        if len(matches) == 1:
            return matches[0]
    return similar(value, choices)


def _suffixes(form: str) -> tuple[str, ...]:
    """Return the suffixes of the files of a format, without dots."""
    from ..render.formats import by_suffix

    return tuple(suffix[1:] for suffix, name in by_suffix().items() if name == form)


def left_over(path: str, command: Command[A], options: Sequence[str], texts: Sequence[str]) -> AdcliError:
    """Return the error for more texts than a command takes; `path` is the command as it was called (`adcli eval`).

    The texts are the values of a point, an unknown option, or words of one text; `options` are the words of the
    options.
    """
    extra = texts[1]
    if re.fullmatch(r"-[A-Za-z]", extra):
        return no_option(extra, command.options.values(), f"{path} --help")
    title, label = f"{path} takes one {command.argument.upper()}", f"left over: {extra}"
    bindings = [text.strip(", ") for text in texts[1:] if _BINDING.match(text)]
    if "at" in command.options and bindings and len(bindings) >= len(texts) - 2:
        points = [options[k + 1] for k, text in enumerate(options[:-1]) if text == "--at"]
        points += [text.removeprefix("--at=") for text in options if text.startswith("--at=")]
        point = ",".join([*points, *bindings]).replace(" ", "").replace(",,", ",")
        if points:
            return RequestError(title, label=label, help=f"join the point with commas: --at {point}")
        return RequestError(title, label=label, help=f"a point is an option: --at {point}")
    return RequestError(title, label=label, help="quotation marks keep it in one piece")
