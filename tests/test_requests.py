"""What a command is asked: a typed request, the same whether the quick reader or click has made it."""

from __future__ import annotations

import pickle
from importlib import import_module

import pytest

from adcli.cli.click_adapter import _WithTexts
from adcli.cli.main import COMMANDS
from adcli.cli.options import Command, CommandRequest, Option, left_out, read, texts
from adcli.cli.stream import Stream
from adcli.overriding import override


def command(name: str) -> Command[CommandRequest]:
    found: Command[CommandRequest] = import_module(f"adcli.cli.commands.{name}").COMMAND
    return found


def by_click(name: str, arguments: list[str]) -> CommandRequest:
    """The request that click makes of a command line."""
    made: list[CommandRequest] = []

    class Keeping(Command[CommandRequest]):
        @override
        def execute(self, stream: Stream, options: CommandRequest) -> int:
            made.append(options)
            return 0

    known = command(name)
    keeping = Keeping(known.help, known.request_class, known.run)
    _WithTexts(name, keeping).main(arguments, standalone_mode=False, obj=Stream())
    return made[0]


def values(request: CommandRequest) -> dict[str, object]:
    return {field: getattr(request, field) for field in type(request).fields()}


def given(option: Option[object]) -> list[str]:
    """The option on a command line, and twice where it may be repeated."""
    name = option.names[-1]
    if option.is_flag:
        return [name]
    value = str(option.between[0]) if option.between else (*option.choices, "x=1")[0]
    return [name, value, f"{name}={value}"] if option.many else [name, value]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_quick_reader_and_click_make_the_same_request(name: str) -> None:
    known = command(name)
    every = [part for option in known.options.values() for part in given(option)]
    lines = [[], ["-x"], every, [*every, "--", "-x"], *(given(option) for option in known.options.values())]
    for arguments in lines:
        request = read(known, arguments)
        assert request is not None
        assert values(by_click(name, arguments)) == values(request)


@pytest.mark.parametrize("name", COMMANDS)
def test_what_is_not_given_is_the_default(name: str) -> None:
    known = command(name)
    request = known.request_class()
    assert {field: option.default for field, option in known.request_class.fields().items()} == values(request)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_request_goes_to_another_process_as_it_is(name: str) -> None:
    known = command(name)
    request = read(known, [part for option in known.options.values() for part in given(option)])
    assert request is not None
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
