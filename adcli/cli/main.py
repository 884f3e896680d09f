"""The main program `adcli`: it finds the command, and is the one place that catches errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from ..errors import AdcliError, Ended
from .command_line import read
from .options import COMMANDS, COMPLETE, GROUPS, NothingToRead, load_command
from .stream import Stream, silence

_HELP = """Automatic differentiation, step by step.

\b
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5
  adcli eval "log(x1)+x1*x2-sin(x2)" --at x1=2,x2=5 --mode reverse --style paper
  adcli eval --file problems.txt --no-trace
  adcli check answer.txt --problem "log(x1)+x1*x2-sin(x2) @ x1=2,x2=5"
  adcli functions
  adcli help
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line (default: that of the process) and return its exit code.

    0: done, 1: a wrong answer, 2: an error, 3: outside a domain, 4: not gradable, 128 + n: ended by signal n (130 for
    an interrupt). Errors are printed; so is any other exception, as a defect of the user's module or of adcli, with
    code 2. With --debug both are raised; it may also be the word before the command. If the reader of the output has
    gone, the code so far is returned. An incomplete output file is discarded. `-v` alone is --version.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments[:1] == ["--debug"]:
        arguments[:2] = arguments[1::-1]
    debug = "--debug" in arguments[1:]
    stream = Stream()
    try:
        return _run(["--version"] if arguments == ["-v"] else arguments, stream)
    except AdcliError as error:
        if debug:
            raise
        stream.error(error)
        return error.exit_code
    except KeyboardInterrupt:
        from signal import SIGINT

        return Ended(SIGINT).exit_code
    except Ended as end:
        return end.exit_code
    except BrokenPipeError:
        if sys.stdout is not None:
            silence(sys.stdout)
        return stream.code
    except Exception as error:  # the last resort: a defect of adcli is a message, not a traceback
        if debug:
            raise
        from .user_modules import explain_failure

        stream.error(explain_failure(error))
        return 2
    finally:
        stream.drop()
        _flush_streams()


def _flush_streams() -> None:
    """Flush standard output and error.

    A stream that fails is silenced, so that the interpreter prints no error at its end.
    """
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except (OSError, ValueError):
                silence(stream)


def _run(arguments: list[str], stream: Stream) -> int:
    """Run a command line and return its exit code.

    The first that applies:

    - A shell's request for completions, in the environment, is answered.
    - A command (the first word) is run; if it has nothing to read, click prints its help, and the code is 0.
    - click answers -h, --help, -V and --version as the first word; --debug alone raises AdcliError.
    - Other words are run as `eval`, unless `command_error` finds that they were meant as a command: its error is
      raised.
    - Without words there is a greeting if input and output are a terminal, else the help.

    Raises AdcliError for a usage error, and what the command raises.
    """
    if COMPLETE in os.environ:
        from .click_adapter import complete

        return complete(COMMANDS, os.environ[COMPLETE])
    if arguments and arguments[0] not in COMMANDS and arguments[0] not in _OWN_OPTIONS:
        from .usage_errors import command_error

        if (error := command_error(arguments, COMMANDS)) is not None:
            raise error
        arguments = ["eval", *arguments]
    if arguments and arguments[0] in COMMANDS:
        command = load_command(arguments[0])
        try:
            return command.execute(stream, read(command, arguments[1:], arguments[0]))
        except NothingToRead as request:
            arguments = [arguments[0], *(request.args or ("--help",))]
    elif not arguments and sys.stdin is not None and sys.stdin.isatty() and stream.is_terminal:
        return _print_greeting(stream)
    from .click_adapter import show_help

    return show_help(arguments or ["--help"], COMMANDS, _HELP, GROUPS)


_OWN_OPTIONS = ("-h", "--help", "-V", "--version", "--debug")

_EXAMPLE = ("log(x1)+x1*x2-sin(x2)", "--at", "x1=2,x2=5")


def _print_greeting(stream: Stream) -> int:
    """Print an example with its table, three commands to try and where to read on.

    Returns the exit code of the example.
    """
    shown = f'"{_EXAMPLE[0]}" {" ".join(_EXAMPLE[1:])}'
    stream.write(f"$ adcli {shown}\n")
    code = _run(["eval", *_EXAMPLE, "--quiet"], stream)
    stream.write(_TO_TRY.format(example=shown))
    return code


_TO_TRY = """
Try    adcli explain {example}
       adcli diff "x^2*sin(x)"
       adcli check my-answer.txt --problem "x*sin(x) @ x=2"

Read   adcli help              the manual, page by page
       adcli --help            all commands
"""
