"""Usage errors: what a command line that cannot be read may have meant in commands, options, values and the rest."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from ..errors import AdcliError, RequestError
from ..table.suggest import similar
from .options import A, Command, Option
from .synonyms import command_of, option_of

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
    return command_of(word) or next(iter(get_close_matches(word, commands, n=1, cutoff=0.7)), None)


def no_option(name: str, options: Iterable[Option[object]], advice: str) -> AdcliError:
    """Return the error for the unknown option `name`, with the one that was meant: `--json` is a format, `-m` a mode.

    Without a guess the help is `advice`.
    """
    known = {spelling: option for option in options for spelling in option.names}
    formats = known["--format"].choices if "--format" in known else ()
    form = _choice(name.lstrip("-"), formats) if name.startswith("--") else None
    if form and name.lstrip("-") in (form, *_suffixes(form)):
        guess: str | None = f"--format {form}"
    else:
        guess = option_of(name.casefold(), known) or (similar(name, known) if name.startswith("--") else None)
    if guess is None and re.fullmatch(r"--?[a-z][0-9]?", name) and "--at" in known:
        guess = f"--at {name.lstrip('-')}=…"
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
    options_among = [match[1] for text in texts if (match := re.fullmatch(r"(--?[A-Za-z])(?:=.*)?", text))]
    if options_among and (options_among[0] == extra.partition("=")[0] or option_of(options_among[0], _names(command))):
        return no_option(options_among[0], command.options.values(), f"{path} --help")
    title, label = f"{path} takes one {command.argument.upper()}", f"left over: {extra}"
    bindings = [text.strip(", ") for text in texts[1:] if _BINDING.match(text)]
    if "at" in command.options and bindings and len(bindings) >= len(texts) - 2:
        points = [options[k + 1] for k, text in enumerate(options[:-1]) if text == "--at"]
        points += [text.removeprefix("--at=") for text in options if text.startswith("--at=")]
        point = ",".join([*points, *bindings]).replace(" ", "").replace(",,", ",")
        if points:
            return RequestError(title, label=label, help=f"join the point with commas: --at {point}")
        return RequestError(title, label=label, help=f"a point is an option: --at {point}")
    return RequestError(title, label=label, help=_help_for(extra, texts, command))


def _names(command: Command[A]) -> set[str]:
    return {name for option in command.options.values() for name in option.names}


def _help_for(extra: str, texts: Sequence[str], command: Command[A]) -> str:
    """Return what to do about the first text too many: an option, a file, a format, or quotation marks around pieces of
    one expression.
    """
    fields = command.options
    if "wrt" in fields and re.fullmatch(r"[^\W\d]\w{0,2}", extra) and len(texts) == 2:
        return f"a variable is an option: --wrt {extra}"
    if "order" in fields and re.fullmatch(r"[0-9]{1,2}", extra) and len(texts) == 2:
        return f"an order is an option: --order {extra}"
    if "wanted" in fields and (form := _choice(extra, fields["wanted"].choices)) and extra == form:
        return f"a format is an option: --format {form}"
    file = re.fullmatch(r"[\w./~-]+\.[A-Za-z]\w{0,7}", extra)
    if file and command.argument == "expr":
        is_result = extra.endswith((".svg", ".png", ".pdf", ".tex", ".html", ".md", ".json"))
        return f"{'write to a file with -o' if is_result else 'read problems from a file with -f'} {extra}"
    if command.argument == "answer":
        return f'the problem is an option: --problem "{extra}"' if not file else f"a key is an option: --key {extra}"
    if re.match(r"[-+*/^)=]|[^\W\d]|[0-9(]", extra) and command.argument == "expr":
        whole = " ".join(texts)
        return (
            f'quotation marks keep it in one piece: "{whole}"'
            if len(whole) < 60 and '"' not in whole
            else ("quotation marks keep it in one piece")
        )
    return f"leave it out, or give one {command.argument} at a time"
