"""`adcli`: the group of commands, and the one place that catches errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from .. import __version__
from ..errors import AdcliError
from .stream import Stream

_COMMANDS = {
    "eval": "value, derivatives and evaluation trace of expressions",
    "functions": "every function of the language, its rule and its domain",
}

_HELP = """Automatic differentiation, step by step.

\b
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode reverse --style paper
  adcli eval --file problems.txt --no-trace
  adcli functions
"""


class _Commands(click.Group):
    """The commands, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(f".{name}", __package__).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Commands, help=_HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="adcli", message="%(prog)s %(version)s")
def group() -> None:
    pass


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command line and returns its exit code (see the contract: 0, 1, 2, 3, 4, 130)."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in arguments
    stream = Stream()
    try:
        code = group.main(args=arguments, prog_name="adcli", standalone_mode=False, obj=stream)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except AdcliError as error:
        if debug:
            raise
        stream.error(error)
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as asked:
        stream.write(asked.ctx.get_help() + "\n")
        return 0
    except click.ClickException as error:
        if debug:
            raise
        stream.error(_usage(error))
        return 2
    except (KeyboardInterrupt, click.Abort):
        return 130
    except BrokenPipeError:
        _silence()
        return stream.code
    except (MemoryError, RecursionError):
        if debug:
            raise
        stream.error(AdcliError("the problem is too large for this machine's memory"))
        return 2
    except Exception as error:  # the last resort: a defect of ours is no traceback of the user's
        if debug:
            raise
        stream.error(
            AdcliError(
                "adcli has made a mistake",
                label=f"{type(error).__name__}: {error}",
                help="run the command again with --debug and report what it prints",
            )
        )
        return 2


def _usage(error: click.ClickException) -> AdcliError:
    """A message of click's in our form."""
    title = error.format_message().rstrip(".").replace("\n", " ")
    title = title[:1].lower() + title[1:]
    help_text = "adcli --help"
    context: Any = getattr(error, "ctx", None)
    if context is not None:
        help_text = f"{context.command_path} --help"
    return AdcliError(title, help=help_text)


def _silence() -> None:
    """Keeps the interpreter from complaining about a pipe that was closed."""
    try:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
    except (OSError, ValueError):
        pass
