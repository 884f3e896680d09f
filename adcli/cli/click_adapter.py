"""Adapter for click: the same commands for help, shell completion, and messages for every usage error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from .. import __version__
from ..errors import AdcliError
from ..overriding import override
from .options import HELP_ALL, A, Command, NothingToRead, Option, load_command, separate_options
from .stream import Stream, unwritable

COMPLETE = "_ADCLI_COMPLETE"  # the variable that the script sets to ask for completions
_HELP_NAMES = {"help_option_names": ["-h", "--help"]}


def run(
    arguments: Sequence[str], stream: Stream, commands: dict[str, str], summary: str,
    groups: Mapping[str, Sequence[str]],
) -> int:  # fmt: skip
    """Run a command line through click and return its exit code; 0 for help and version.

    `commands` maps each command to its summary, `summary` is the help of the program, `groups` maps the titles of its
    sections to commands; without `arguments` the help is printed. Raises AdcliError for a usage error and those of the
    command, KeyboardInterrupt, BrokenPipeError if the pipe of the output was closed, and OutputProblem if the help
    cannot be written.
    """
    group = _Commands(commands, summary, groups)
    version = click.version_option(__version__, "-V", "--version", prog_name="adcli", message="%(prog)s %(version)s")
    try:
        words = list(arguments) or ["--help"]
        code = version(group).main(args=words, prog_name="adcli", standalone_mode=False, obj=stream)
    except click.ClickException as error:
        raise _translate_error(error) from None
    except click.Abort:
        raise KeyboardInterrupt from None
    except SystemExit:  # click's answer to a pipe that was closed
        raise BrokenPipeError from None
    except OSError as error:  # what is left to click is to print help
        raise unwritable(error) from None
    return code if isinstance(code, int) else 0


def completion_script(shell: str) -> str:
    """Return the script with which a shell (bash, zsh or fish) asks adcli for completions."""
    from click.shell_completion import ShellComplete, get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # the shells on offer are click's  # noqa: S101
    # click's source for bash would run a bash to check its version, which need not be the bash that reads the script.
    return ShellComplete.source(kind(click.Group("adcli"), {}, "adcli", COMPLETE))


def complete(commands: dict[str, str], instruction: str) -> int:
    """Answer a shell's request for completions and return the exit code; `instruction` is what its script put into the
    environment."""
    from click.shell_completion import shell_complete

    return shell_complete(_Commands(commands, "", {}), {}, "adcli", COMPLETE, instruction)


def help_text(name: str) -> str:
    """Return the help of a command with all its options, as `adcli COMMAND --help-all` prints it, at most 100 columns
    wide.
    """
    command = _WithTexts(name, load_command(name))
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
        if name not in self.summaries:
            return None
        return _WithTexts(name, load_command(name))

    @override
    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in self.groups.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.summaries[name]) for name in names], col_max=12)


class _WithTexts(click.Command):
    """A click command made from a `Command`, whose arguments may start with a minus sign."""

    def __init__(self, name: str, ours: Command[A]) -> None:
        """Make click's command `name` of a command of ours: its options, its texts, and a callback that runs it or
        prints its help.
        """

        def work(**values: object) -> int:
            context = click.get_current_context()
            try:
                return ours.execute(context.obj, ours.request_class(**values))
            except NothingToRead:
                context.obj.write(context.get_help() + "\n")
                return 0

        texts = click.Argument([ours.argument], required=False, nargs=-1 if ours.many else 1, type=click.Path())
        options = [_option(field, option) for field, option in ours.options.items()]
        options.append(click.Option(
            [HELP_ALL], is_flag=True, is_eager=True, expose_value=False, callback=self._help_all,
            hidden=not ours.common, help="Show all options and exit.",
        ))  # fmt: skip
        super().__init__(name, help=ours.help, callback=work, params=[texts, *options], context_settings=_HELP_NAMES)
        self.ours = ours
        self.shows_all = not ours.common

    def _help_all(self, context: click.Context, _option: click.Parameter, is_given: bool) -> None:
        if is_given and not context.resilient_parsing:
            self.shows_all = True
            click.echo(self.get_help(context))
            context.exit()

    def _write_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in a section of the help: all if `shows_all`, else only those in `common`, --help and
        --help-all; hidden ones are left out.
        """
        shown = {*self.ours.common, "help_all"}
        params = [p for p in self.get_params(ctx) if self.shows_all or p.name in shown or "--help" in p.opts]
        records = [record for param in params if (record := param.get_help_record(ctx)) is not None]
        with formatter.section("Options" if self.shows_all else "Common options"):
            formatter.write_dl(records)

    format_options = _write_options  # as click calls it

    @override
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, options and texts separated, into the parameters of `ctx`, and return what click leaves
        over.

        Raises AdcliError for the first value that an option does not take and for more texts than the command takes,
        click's UsageError (with its context) for any other mistake; while a shell completes, the first two are not
        checked, and the texts too many are dropped.
        """
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
            from .usage_errors import surplus_text_error

            raise surplus_text_error(ctx.command_path, self.ours, options, texts)
        return left

    def _wrong_value(self, options: Sequence[str]) -> tuple[Option[object], str] | None:
        """Return (option, value) of the first option that does not take its value; None if all do.

        `options` are arguments, with values as `--name value` or `--name=value`. Flags, unknown options, other
        arguments and a last option without a value are skipped.
        """
        known = {name: option for option in self.ours.options.values() for name in option.names}
        queue = iter(options)
        for argument in queue:
            name, equals, text = argument.partition("=")
            option = known.get(name)
            if option is None or option.is_flag:
                continue
            value = text if equals else next(queue, None)
            try:
                if value is not None:
                    option.read(value)
            except ValueError:
                return option, value or ""
        return None


def _option(field: str, option: Option[object]) -> click.Option:
    """Return the click option for an option of a command, which click stores under the name `field`.

    Its type is a choice, a whole number within bounds (metavar N), a path (if the metavar starts with FILE or FOLDER)
    or text. The help shows the default unless that is None or the option is a flag or may be repeated; an option that
    may be repeated has no default for click.
    """
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


def _translate_error(error: click.ClickException) -> AdcliError:
    """Return click's error as an AdcliError: for an unknown option with a guess, else with click's message on one line,
    without the final point and with a small first letter.

    The help line names the `--help` of the command, or of adcli if the command is unknown.
    """
    context: click.Context | None = getattr(error, "ctx", None)
    advice = f"{context.command_path if context is not None else 'adcli'} --help"
    if isinstance(error, click.NoSuchOption):
        from .usage_errors import no_option

        command = context.command if context is not None else None
        options = command.ours.options.values() if isinstance(command, _WithTexts) else ()
        group = context.parent.command if context is not None and context.parent is not None else None
        return no_option(error.option_name, options, advice, group.summaries if isinstance(group, _Commands) else ())
    title = error.format_message().rstrip(".").replace("\n", " ")
    title = title[:1].lower() + title[1:]
    return AdcliError(title, help=advice)
