"""The same commands for click: help, shell completion, and words for every mistake on a command line."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import click

from .. import __version__
from ..errors import AdcliError
from ..overriding import override
from .options import A, Command, CommandRequest, Option, separate_options
from .stream import Stream, unwritable

COMPLETE = "_ADCLI_COMPLETE"  # what the script sets where it wants completions
_HELP_NAMES = {"help_option_names": ["-h", "--help"]}


def run(arguments: Sequence[str], stream: Stream, commands: dict[str, str], summary: str) -> int:
    """Runs a command line through click and returns its exit code; a mistake on it is an AdcliError."""
    group = _Commands(commands, summary)
    version = click.version_option(__version__, "-V", "--version", prog_name="adcli", message="%(prog)s %(version)s")
    try:
        words = list(arguments) or ["--help"]
        code = version(group).main(args=words, prog_name="adcli", standalone_mode=False, obj=stream)
    except click.ClickException as error:
        raise _in_our_words(error) from None
    except click.Abort:
        raise KeyboardInterrupt from None
    except SystemExit:  # click's answer to a pipe that was closed
        raise BrokenPipeError from None
    except OSError as error:  # what is left to click is to print help
        raise unwritable(error) from None
    return code if isinstance(code, int) else 0


def completion_script(shell: str) -> str:
    """The script by which a shell asks adcli for completions."""
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # the shells on offer are click's  # noqa: S101
    # That of bash would look for the version of a bash, which need not be the one that reads the script.
    return ShellComplete.source(kind(click.Group("adcli"), {}, "adcli", COMPLETE))


def complete(commands: dict[str, str], instruction: str) -> int:
    """Answers a shell; `instruction` is what its script says in the environment.  Returns the exit code."""
    from click.shell_completion import shell_complete

    return shell_complete(_Commands(commands, ""), {}, "adcli", COMPLETE, instruction)


def help_text(name: str) -> str:
    """The help of a command."""
    command = _WithTexts(name, import_module(f".{name}", __package__).COMMAND)
    return command.get_help(click.Context(command, info_name=f"adcli {name}", max_content_width=100))


class _Commands(click.Group):
    """The commands, each imported when it is called."""

    def __init__(self, summaries: dict[str, str], summary: str) -> None:
        super().__init__(help=summary, context_settings=_HELP_NAMES)
        self.summaries = summaries

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries)

    @override
    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.summaries:
            return None
        command: Command[CommandRequest] = import_module(f".{name}", __package__).COMMAND
        return _WithTexts(name, command)

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))


class _WithTexts(click.Command):
    """A command whose texts may start with a minus sign."""

    def __init__(self, name: str, ours: Command[A]) -> None:
        def work(**values: object) -> int:
            context = click.get_current_context()
            code = ours.run(context.obj, ours.request_class(**values))
            if code is None:
                context.obj.write(context.get_help() + "\n")
            return code or 0

        texts = click.Argument([ours.argument], required=False, nargs=-1 if ours.many else 1, type=click.Path())
        options = [_option(field, option) for field, option in ours.options.items()]
        super().__init__(name, help=ours.help, callback=work, params=[texts, *options], context_settings=_HELP_NAMES)
        self.ours = ours

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options, texts = separate_options(self.ours.options.values(), args)
        taken = texts if self.ours.many else texts[:1]
        wrong = self._wrong_value(options)
        if wrong is not None and not ctx.resilient_parsing:
            from .usage_errors import wrong_value

            raise wrong_value(*wrong, advice=f"{ctx.command_path} --help")
        try:
            left = super().parse_args(ctx, [*options, "--", *taken] if taken else options)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise
        if len(taken) < len(texts) and not ctx.resilient_parsing:
            from .usage_errors import left_over

            raise left_over(ctx.command_path, self.ours, options, texts)
        return left

    def _wrong_value(self, options: Sequence[str]) -> tuple[Option[object], str] | None:
        """The first option that does not take the value that it is given, and the value."""
        known = {name: option for option in self.ours.options.values() for name in option.names}
        waiting = iter(options)
        for argument in waiting:
            name, equals, text = argument.partition("=")
            option = known.get(name)
            if option is None or option.is_flag:
                continue
            value = text if equals else next(waiting, None)
            try:
                if value is not None:
                    option.read(value)
            except ValueError:
                return option, value or ""
        return None


def _option(field: str, option: Option[object]) -> click.Option:
    kind: click.Choice[str] | click.Path[str] | _Whole | None
    kind = click.Choice(option.choices) if option.choices else _Whole(*option.between) if option.between else None
    if kind is None and option.metavar.startswith(("FILE", "FOLDER")):
        kind = click.Path()  # which shells complete
    known = not (option.is_flag or option.many or option.default is None)
    return click.Option(
        [*option.names, field],
        help=option.help,
        is_flag=option.is_flag or None,
        type=kind,
        metavar=option.metavar or ("N" if option.between else None),
        default=option.default if known or option.is_flag else None,
        show_default=known or None,
        multiple=option.many,
    )


class _Whole(click.IntRange):
    name = "whole number"  # as a message says it


def _in_our_words(error: click.ClickException) -> AdcliError:
    context: click.Context | None = getattr(error, "ctx", None)
    advice = f"{context.command_path if context is not None else 'adcli'} --help"
    if isinstance(error, click.NoSuchOption):
        from .usage_errors import no_option

        command = context.command if context is not None else None
        options = command.ours.options.values() if isinstance(command, _WithTexts) else ()
        return no_option(error.option_name, options, advice)
    title = error.format_message().rstrip(".").replace("\n", " ")
    title = title[:1].lower() + title[1:]
    return AdcliError(title, help=advice)
