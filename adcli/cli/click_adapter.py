"""Adapter for click: the same commands for help and shell completion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from .. import __version__
from ..typings import override
from .options import COMPLETE, HELP_ALL, A, Command, Option, load_command
from .stream import unwritable

_HELP_NAMES = {"help_option_names": ["-h", "--help"]}
# What the usage line shows for arguments whose name does not say it: two of them, or none that is allowed.
_METAVARS = {"expr_points": "[EXPR] [POINTS]", "nothing": "", "text": ""}


def show_help(words: Sequence[str], commands: dict[str, str], summary: str, groups: Mapping[str, Sequence[str]]) -> int:
    """Print the help or version that `words` request, such as eval --help or --version, and return the exit code.

    `commands` maps each command to its summary, `summary` is the help of the program, `groups` maps the titles of its
    sections to commands. Raises AdcliError for other options, BrokenPipeError if the pipe of the output was closed, and
    OutputProblem if the help cannot be written.
    """
    group = _Commands(commands, summary, groups)
    version = click.version_option(__version__, "-V", "--version", prog_name="adcli", message="%(prog)s %(version)s")
    try:
        code = version(group).main(args=list(words), prog_name="adcli", standalone_mode=False)
    except (click.NoSuchOption, click.BadOptionUsage) as error:
        from .usage_errors import no_option

        raise no_option(error.option_name, None, "adcli --help") from None
    except SystemExit:  # click's answer to a pipe that was closed
        raise BrokenPipeError from None
    except OSError as error:
        raise unwritable(error) from None
    return code if isinstance(code, int) else 0


def completion_script(shell: str) -> str:
    """Return the script with which a shell (bash, zsh or fish) asks adcli for completions.

    Raises AssertionError for another shell.
    """
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # the shells on offer are click's  # noqa: S101
    # click's source for bash would run a bash to check its version, which need not be the bash that reads the script.
    return ShellComplete.source(kind(click.Group("adcli"), {}, "adcli", COMPLETE))


def complete(commands: dict[str, str], instruction: str) -> int:
    """Answer a shell's request for completions and return the exit code.

    `instruction` is what the shell's script put into the environment.
    """
    from click.shell_completion import shell_complete

    return shell_complete(_Commands(commands, "", {}), {}, "adcli", COMPLETE, instruction)


def help_text(name: str) -> str:
    """Return the help of a command with all its options, as `adcli COMMAND --help-all` prints it.

    It is at most 100 columns wide.
    """
    command = _WithOptions(name, load_command(name))
    command.shows_all = True
    return command.get_help(click.Context(command, info_name=f"adcli {name}", max_content_width=100))


class _Commands(click.Group):
    """The commands, each imported when it is called."""

    def __init__(self, summaries: dict[str, str], summary: str, groups: Mapping[str, Sequence[str]]) -> None:
        super().__init__(help=summary, context_settings=_HELP_NAMES)
        self.summaries, self.groups = summaries, groups

    @override
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.summaries)

    @override
    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return None if name not in self.summaries else _WithOptions(name, load_command(name))

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in self.groups.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.summaries[name]) for name in names], col_max=12)


class _WithOptions(click.Command):
    """A click command made from a `Command`, for its help and for completion."""

    def __init__(self, name: str, ours: Command[A]) -> None:
        """Make click's parameters from the options and the argument of `ours`, and --help-all; the command is `name`.

        --help-all is hidden, and all options are shown, if `ours.common` is empty.
        """
        texts = click.Argument(
            [ours.argument], required=False, nargs=-1 if ours.many else 1, type=click.Path(),
            metavar=_METAVARS.get(ours.argument),
        )  # fmt: skip
        options = [_make_option(field, option) for field, option in ours.options.items()]
        options.append(click.Option(
            [HELP_ALL], is_flag=True, is_eager=True, expose_value=False, callback=self._print_whole_help,
            hidden=not ours.common, help="Show all options and exit.",
        ))  # fmt: skip
        super().__init__(name, help=ours.help, params=[texts, *options], context_settings=_HELP_NAMES)
        self.ours = ours
        self.shows_all = not ours.common

    def _print_whole_help(self, context: click.Context, _parameter: click.Parameter, is_given: bool) -> None:
        if is_given and not context.resilient_parsing:
            self.shows_all = True
            click.echo(self.get_help(context))
            context.exit()

    def _write_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in a section of the help.

        They are all options ("Options") if `shows_all`, else only those in `common`, --help and --help-all ("Common
        options"). Hidden ones are left out.
        """
        shown = {*self.ours.common, "help_all"}
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        params = [each for each in options if self.shows_all or each.name in shown or "--help" in each.opts]
        records = [record for param in params if (record := param.get_help_record(ctx)) is not None]
        with formatter.section("Options" if self.shows_all else "Common options"):
            formatter.write_dl(records)

    format_options = _write_options  # as click calls it


def _make_option(field: str, option: Option[object]) -> click.Option:
    """Return the click option for an option of a command, which click stores under the name `field`.

    Its type is a choice, a whole number within bounds (metavar N), a path (if the metavar starts with FILE or FOLDER)
    or text. The help shows the default, except for a flag, an option that may be repeated, and the default None. An
    option that may be repeated has no default for click.
    """
    kind: click.Choice[str] | click.Path[str] | click.IntRange | None
    numbers = click.IntRange(*option.between) if option.between else None
    kind = click.Choice(option.choices) if option.choices else numbers
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
