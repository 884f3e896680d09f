"""The reader of command lines: a typed request, or the error in its options and texts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from ..errors import AdcliError
from ..patterns import pattern
from ..records import NamedTuple
from .options import HELP_ALL, A, Command, NothingToRead, Option

_HELP_OPTIONS: tuple[Option[bool], ...] = (Option(("-h", "--help"), False), Option((HELP_ALL,), False))
_LONG_OPTION = pattern(r"--[a-zA-Z][a-zA-Z_-]+(?:=|\Z)")


class _Words(NamedTuple):
    """The words of a command line, sorted: `values` by the fields of options, `lists` of those that may be repeated;
    the words of `options` with those behind them, the options for `help`, and all other `texts`."""

    values: dict[str, object]
    lists: dict[str, tuple[object, ...]]
    options: list[str]
    help: list[str]
    texts: list[str]


def read(command: Command[A], arguments: Sequence[str], name: str) -> A:
    """Return the request of a command line, whose words behind the `name` of the command are `arguments`.

    The last value of an option counts; the values of a repeatable option are gathered in a tuple. Options that are
    missing are not passed to the request's class. Without texts the argument is None, or () if it takes many.

    The first that applies is raised:

    - AdcliError for the first option that is unknown, or whose value is wrong or missing.
    - NothingToRead, with the option, if there is -h, --help or --help-all.
    - AdcliError if there are more texts than the command takes.
    """
    words = _sort_words(command, arguments, name)
    if words.help:
        raise NothingToRead(words.help[0])
    if not command.many and len(words.texts) > 1:
        from .usage_errors import surplus_text_error

        raise surplus_text_error(f"adcli {name}", command, words.options, words.texts)
    texts = tuple(words.texts) if command.many else next(iter(words.texts), None)
    return command.request_class(**words.values, **words.lists, **{command.argument: texts})


def _sort_words(command: Command[A], arguments: Sequence[str], name: str) -> _Words:
    """Return the words of a command line, sorted: values and lists by field of the request, options, help words, texts.

    `values` has the last value of an option, `lists` a tuple of all values of an option with `many`. `options` are the
    words of all options and their values as typed. `help` are the help options, which do nothing else. A value is
    behind an equals sign (long options only) or is the next word, whatever this word is. After `--` all words are
    texts. Each other word is a text too, also with a minus sign as in `-x^2` or `-oFILE`: options are neither
    abbreviated nor joined. Raises AdcliError for an unknown word that looks like a long option (also `--name=…`), with
    a guess from its name and value, and for a value that is missing, superfluous (of a flag) or wrong. `name` is the
    command, for messages.
    """
    options = [*command.options.items(), *(("", option) for option in _HELP_OPTIONS)]
    by_name = {spelling: (field, option) for field, option in options for spelling in option.names}
    words = _Words({}, {}, [], [], [])
    queue = iter(arguments)
    for word in queue:
        spelling, equals, text = word.partition("=") if word.startswith("--") else (word, "", "")
        if word == "--":
            words.texts.extend(queue)
        elif spelling in by_name:
            field, option = by_name[spelling]
            behind = [] if equals or option.is_flag else list(islice(queue, 1))
            value = _read_value(option, spelling, [text] if equals else behind, name)
            words.options.extend((word, *behind))
            if option in _HELP_OPTIONS:
                words.help.append(word)
            elif option.many:
                words.lists[field] = (*words.lists.get(field, ()), value)
            else:
                words.values[field] = value
        elif _LONG_OPTION.match(word):
            from .usage_errors import no_option

            value = text if equals else _guess_value([*queue], words.texts)
            raise no_option(spelling, command, _point_to_help(name), value)
        else:
            words.texts.append(word)
    return words


def _guess_value(rest: Sequence[str], texts: Sequence[str]) -> str:
    """Return the first word of `rest`, those behind an unknown option, if it may be the value of that option; else "".

    A word that begins with `-` is not a value. Nor is the last word of the line if `texts`, those before `rest`, are
    empty, since it is then the argument. With any further word behind it, also an option, it may be a value.
    """
    is_value = rest and not rest[0].startswith("-") and (texts or rest[1:])
    return rest[0] if is_value else ""


def _read_value(option: Option[object], spelling: str, texts: Sequence[str], name: str) -> str | int | bool:
    """Return the value of `option` of the command `name`: what the first of `texts` means, True without a text.

    Raises AdcliError if a flag has a text or another option has none (with the option as typed, `spelling`), and if the
    text is not a value of the option.
    """
    if option.is_flag == bool(texts):
        fact = "does not take a value" if option.is_flag else "requires an argument"
        raise AdcliError(f"option {spelling!r} {fact}", help=_point_to_help(name))
    try:
        return option.read(texts[0]) if texts else True
    except ValueError:
        from .usage_errors import wrong_value

        raise wrong_value(option, texts[0], _point_to_help(name)) from None


def _point_to_help(name: str) -> str:
    """Return the help of errors in options of the command `name`."""
    return f"adcli {name} --help"
