"""The same commands for click: help, shell completion, and words for every mistake on a command line."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from .. import __version__
from ..errors import AdcliError, RequestError
from .options import Command, Option, sorted_out
from .stream import Stream


def run(arguments: Sequence[str], stream: Stream, commands: dict[str, str], summary: str) -> int:
    """Runs a command line through click and returns its exit code; a mistake on it is an AdcliError."""
    group = _Commands(commands, help=summary, context_settings={"help_option_names": ["-h", "--help"]})
    version = click.version_option(__version__, prog_name="adcli", message="%(prog)s %(version)s")
    try:
        code = version(group).main(args=list(arguments), prog_name="adcli", standalone_mode=False, obj=stream)
    except click.exceptions.NoArgsIsHelpError as asked:
        stream.write((asked.ctx.get_help() if asked.ctx else "") + "\n")
        return 0
    except click.ClickException as error:
        raise _in_our_words(error) from None
    except click.Abort:
        raise KeyboardInterrupt from None
    except SystemExit:  # click's answer to a pipe that was closed
        raise BrokenPipeError from None
    return code if isinstance(code, int) else 0


class _Commands(click.Group):
    """The commands, each imported when it is called."""

    def __init__(self, summaries: dict[str, str], **settings: Any) -> None:
        super().__init__(**settings)
        self.summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.summaries:
            return None
        command: Command = import_module(f".{name}", __package__).COMMAND
        return _clickable(name, command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))


class _WithTexts(click.Command):
    """A command whose texts may start with a minus sign."""

    def __init__(self, command: Command, **settings: Any) -> None:
        super().__init__(**settings)
        self.ours = command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options, texts = sorted_out(self.ours.options, args)
        taken = texts[: self.ours.most]
        try:
            left = super().parse_args(ctx, [*options, "--", *taken] if taken else options)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        if len(taken) < len(texts) and not ctx.resilient_parsing:
            raise RequestError(
                f"{ctx.command_path} takes one {self.ours.argument.upper()}",
                label=f"left over: {texts[len(taken)]}",
                help="quotation marks keep it in one piece",
            )
        return left


def _clickable(name: str, command: Command) -> click.Command:
    many = command.most is None
    argument = click.Argument([command.argument], required=False, nargs=-1 if many else 1)

    def callback(**values: Any) -> int:
        context = click.get_current_context()
        code = command.run(context.obj, values)
        if code is None:
            context.obj.write(context.get_help() + "\n")
        return code or 0

    return _WithTexts(
        command,
        name=name,
        help=command.help,
        callback=callback,
        params=[argument, *(_option(option) for option in command.options)],
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _option(option: Option) -> click.Option:
    settings: dict[str, Any] = {"help": option.help}
    if option.is_flag:
        settings["is_flag"] = True
    elif option.choices:
        settings["type"] = click.Choice(option.choices)
    elif option.between is not None:
        settings |= {"type": _Whole(*option.between), "metavar": option.metavar or "N"}
    else:
        settings["metavar"] = option.metavar
    if option.default is not None:
        settings |= {"default": option.default, "show_default": True}
    if option.many:
        settings["multiple"] = True
    return click.Option([*option.names, option.key], **settings)


class _Whole(click.IntRange):
    name = "whole number"  # as a message says it


def _in_our_words(error: click.ClickException) -> AdcliError:
    context: Any = getattr(error, "ctx", None)
    advice = f"{context.command_path if context is not None else 'adcli'} --help"
    if isinstance(error, click.NoSuchOption):
        from ..table.suggest import similar

        known = [name for option in context.command.params for name in option.opts] if context is not None else []
        guess = similar(error.option_name, known)
        return AdcliError(
            f"there is no option called {error.option_name}", help=f"did you mean {guess}?" if guess else advice
        )
    title = error.format_message().rstrip(".").replace("\n", " ")
    title = title[:1].lower() + title[1:]
    return AdcliError(title, help=advice)
