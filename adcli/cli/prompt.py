"""`adcli prompt`: problems one after the other, with a point and definitions that are kept."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator
from importlib import import_module

from ..errors import AdcliError, RequestError, Source
from ..extras import if_installed
from .arguments import stdin_is_terminal
from .options import AppearanceOptions, Command, argument
from .stream import Stream

_HELP = """Asks for problems, and keeps a point and definitions between them.

\b
  x1 = 2, x2 = 5        a point for all that follows
  a = x1*x2             a definition, which later lines may use
  log(x1) + a           a problem: its table
  diff log(x1) + a      any other command, with the point where it takes one
  show, forget a        what is kept; without it
  help TOPIC, quit

\b
Examples:
  adcli prompt
  printf 'x = 3\\nx^2\\n' | adcli prompt
"""

_SIGN = "adcli> "
_WORD = re.compile(r"[^\W\d]\w*'*")
_DEFINITION = re.compile(r"\s*([^\W\d]\w*'*)\s*(\([^()=;]*\))?\s*=(?!=)[^;]*")
_WITH_TEXTS = ("help", "functions", "doctor")  # their arguments are no expression


class PromptRequest(AppearanceOptions):
    """Options of `adcli prompt`."""

    nothing = argument()


def run(stream: Stream, options: PromptRequest) -> int:
    """Answers line after line, until there are no more."""
    if options.nothing is not None:
        raise RequestError("adcli prompt takes no argument", help="type the problem when it asks")
    options.configure(stream)
    session = Session(stream, options)
    for line in _lines(session):
        try:
            if not session.answer(line.strip()):
                break
        except AdcliError as error:
            stream.error(error)
        except KeyboardInterrupt:
            stream.write("\n")
    return 0 if stdin_is_terminal() else stream.code


class Session:
    """What is kept from line to line: a point and definitions, as they were typed, by name."""

    def __init__(self, stream: Stream, options: PromptRequest) -> None:
        self.stream = stream
        self.looks = ["--quiet"] * options.quiet + ["--ascii"] * options.ascii_only
        self.looks += [word for text in options.no_note for word in ("--no-note", text)]
        self.looks += [] if options.color == "auto" else ["--color", options.color]
        self.looks += [] if options.width is None else ["--width", str(options.width)]
        self.point: dict[str, str] = {}
        self.definitions: dict[str, str] = {}

    def names(self) -> list[str]:
        """All that may be typed: commands, functions, and what is kept."""
        from ..table.primitive import spellings
        from .main import COMMANDS

        return [*self.point, *self.definitions, *spellings(), *COMMANDS, "show", "forget", "quit"]

    def answer(self, line: str) -> bool:
        """Does what a line says; whether there is more to do."""
        word, _, rest = line.partition(" ")
        if line in ("quit", "exit", ":q"):
            return False
        if line == "show":
            self.stream.write("".join(f"{name} = {text}\n" for name, text in self.point.items()))
            self.stream.write("".join(f"{text}\n" for text in self.definitions.values()))
        elif word == "forget" and rest:
            for name in _WORD.findall(rest):
                if self.point.pop(name, None) is None and self.definitions.pop(name, None) is None:
                    raise RequestError(f"nothing is kept as {name}", help="show lists what is")
        elif line and not line.startswith("#") and not self._keeps(line):
            self._runs(line, word, rest.strip())
        return True

    def _keeps(self, line: str) -> bool:
        """Whether a line is a point or a definition, which is kept then."""
        defined = _DEFINITION.fullmatch(line)
        if not defined:
            return False
        from ..language.problems import read_point

        if not defined[2]:
            try:
                read_point(Source(line, "--at"))
            except AdcliError:
                pass
            else:
                for text in _apart(line):
                    name, _, value = text.partition("=")
                    self.definitions.pop(name.strip(), None)
                    self.point[name.strip()] = value.strip()
                return True

        from ..language.program import read_program

        result = "0" if defined[2] else defined[1]
        read_program(Source(self._program(f"{line}; {result}", leaving=defined[1])))  # raises what is wrong
        self.point.pop(defined[1], None)
        self.definitions[defined[1]] = line
        return True

    def _program(self, text: str, leaving: str = "") -> str:
        """The text after the definitions that it needs."""
        wanted, needed = set(_WORD.findall(text)), []
        for name, definition in reversed(self.definitions.items()):
            if name in wanted and name != leaving:
                needed.append(definition)
                wanted |= set(_WORD.findall(definition))
        return "; ".join([*reversed(needed), text])

    def _runs(self, line: str, word: str, rest: str) -> None:
        """Runs a command, or evaluates a problem."""
        from .main import COMMANDS, main

        if word == "adcli" and word not in self.point and word not in self.definitions:
            self.stream.answer(main([*_split(rest), *self.looks]))
            return
        is_command = word in COMMANDS and word not in self.point and word not in self.definitions
        if not is_command or (rest[:1] and rest[0] in "+-*/^=)," and rest[:2] != "--"):
            word, rest = "eval", line
        if word == "prompt":
            raise RequestError("this is the prompt", help="type a problem, or quit")
        if word in _WITH_TEXTS:
            self.stream.answer(main([word, *_split(rest)]))
            return
        text, dashes, tail = rest.partition(" --")
        given = [word, *([self._program(text)] if text else []), *_split(dashes.strip() + tail)]
        if "at" in import_module(f".{word}", __package__).COMMAND.options:
            shown = given[1] if text else ""
            given += [
                part for name, value in self.point.items() if name in shown for part in ("--at", f"{name}={value}")
            ]
        self.stream.answer(main([*given, *self.looks]))


def _apart(line: str) -> Iterator[str]:
    """The bindings of a point: a comma inside brackets parts nothing."""
    depth, start = 0, 0
    for place, sign in enumerate(line):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and not depth:
            yield line[start:place]
            start = place + 1
    yield line[start:]


def _split(text: str) -> list[str]:
    """Words as a shell splits them."""
    try:
        return shlex.split(text)
    except ValueError:
        raise RequestError("a quotation mark is never closed", label=text) from None


def _lines(session: Session) -> Iterator[str]:
    """Lines as they are typed; with prompt_toolkit names are completed, otherwise there is what readline has."""
    if not stdin_is_terminal():
        yield from (line.decode("utf-8", "replace") for line in session.stream.inputs.lines(None))
        return
    ask = _line_reader(session)
    while True:
        try:
            yield ask()
        except EOFError:
            return
        except UnicodeDecodeError as error:  # what a terminal sends is not always what it says
            yield error.object.decode("utf-8", "replace")
        except KeyboardInterrupt:
            session.stream.write("\n")


def _line_reader(session: Session) -> Callable[[], str]:
    """What asks for a line."""
    toolkit = if_installed("prompt_toolkit")
    if toolkit is None:
        if_installed("readline")  # input() then has a history and arrow keys
        return lambda: input(_SIGN)
    from prompt_toolkit.completion import WordCompleter

    completer = WordCompleter(session.names, WORD=False)
    prompt_session = toolkit.PromptSession(completer=completer, complete_while_typing=False)
    return lambda: str(prompt_session.prompt(_SIGN))


COMMAND = Command(_HELP, PromptRequest, run)
