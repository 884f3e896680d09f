"""What a command is asked: a typed request, made of a command line."""

from __future__ import annotations

import pickle
from importlib import import_module

import pytest

from adcli.cli.command_line import read
from adcli.cli.options import COMMANDS, Command, CommandRequest, NothingToRead, Option, left_out, texts


def command(name: str) -> Command[CommandRequest]:
    found: Command[CommandRequest] = import_module(f"adcli.cli.commands.{name}").COMMAND
    return found


def values(request: CommandRequest) -> dict[str, object]:
    return {field: getattr(request, field) for field in type(request).fields()}


def given(option: Option[object]) -> list[str]:
    """The option on a command line, and twice where it may be repeated."""
    name = option.names[-1]
    if option.is_flag:
        return [name]
    value = str(option.between[0]) if option.between else (*option.choices, "x=1")[0]
    return [name, value, f"{name}={value}"] if option.many else [name, value]


def meant(option: Option[object]) -> object:
    """The value of an option that is on a command line as `given` writes it."""
    value = True if option.is_flag else option.read(given(option)[1])
    return (value, value) if option.many else value


@pytest.mark.parametrize("name", COMMANDS)
def test_a_request_has_what_the_line_says_and_the_defaults(name: str) -> None:
    known = command(name)
    every = [part for option in known.options.values() for part in given(option)]
    options = {field: meant(option) for field, option in known.options.items()}
    for tail, text in (([], None), (["-x"], "-x"), (["--", "--x"], "--x")):
        texts = {known.argument: (() if text is None else (text,)) if known.many else text}
        assert values(read(known, [*every, *tail], name)) == values(known.request_class(**options, **texts))
    for field, option in known.options.items():
        text = {known.argument: () if known.many else None}
        assert values(read(known, given(option), name)) == values(known.request_class(**{field: meant(option)}, **text))


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["x", "--help-all", "y"], ["--mode", "both", "-h"]])
def test_help_is_asked_for(words: list[str]) -> None:
    with pytest.raises(NothingToRead) as request:
        read(command("eval"), words, "eval")
    assert request.value.args[0] in words


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_not_given_is_the_default(name: str) -> None:
    known = command(name)
    request = known.request_class()
    assert {field: option.default for field, option in known.request_class.fields().items()} == values(request)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_request_goes_to_another_process_as_it_is(name: str) -> None:
    known = command(name)
    request = read(known, [part for option in known.options.values() for part in given(option)], name)
    sent = pickle.loads(pickle.dumps(request))  # noqa: S301 - what was just written
    assert (type(request), values(request)) == (type(sent), values(sent))


def test_help_lists_what_a_class_lists_first_and_what_it_leaves_out_not_at_all() -> None:
    class Base(CommandRequest):
        first = texts("--first", metavar="A", help="One.")
        second = texts("--second", metavar="B", help="Another.")
        third = texts("--third", metavar="C", help="A third.")

    class Mine(Base):
        third = Base.third
        own = texts("--own", metavar="D", help="Its own.")
        first = left_out(("kept",))

    assert ["third", "own", "second"] == [name for name, option in Mine.fields().items() if option.names]
    assert ("kept",) == Mine().first
