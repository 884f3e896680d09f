"""Asks for problems, and keeps a point and definitions between them.

\b
  x1 = 2, x2 = 5        a point for all that follows
  a = x1*x2             a definition, which later lines may use
  log(x1) + a           a problem: its table
  diff log(x1) + a      any other command, with the point if it takes one
  show, forget a        list points and definitions; remove one
  help TOPIC, quit

\b
Examples:
  adcli prompt
  printf 'x = 3\\nx^2\\n' | adcli prompt
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ...errors import AdcliError, RequestError, Source
from ...extras import if_installed
from ..arguments import merge_points, split_words, stdin_is_terminal
from ..inputs import with_points
from ..options import COMMANDS, Command, argument, load_command
from ..shared_options import DECIMAL, AppearanceOptions
from ..stream import Stream

_SIGN = "adcli> "
_WORD = re.compile(r"[^\W\d]\w*'*")
_DEFINITION = re.compile(r"\s*([^\W\d]\w*'*)\s*(\([^()=;]*\))?\s*=(?!=)((?:[^;\[]|\[[^\]]*\])*)")
_WITH_TEXTS = ("help", "functions", "doctor")  # their arguments are not expressions


class PromptRequest(AppearanceOptions):
    """Options of `adcli prompt`."""

    nothing = argument()
    decimal = DECIMAL


def run(stream: Stream, options: PromptRequest) -> None:
    """Answer line after line until there are no more, or one that ends the prompt.

    On a terminal the exit code is 0, else the highest of all lines. Errors are printed and do not end the prompt; an
    interrupt ends only the current line. Raises RequestError for an argument.
    """
    if options.nothing is not None:
        raise RequestError("adcli prompt takes no arguments", help="start adcli prompt alone, then type the problem")
    session = Session(stream, options)
    for line in _read_lines(session):
        try:
            if not session.run_line(_with_points(line.strip()) if options.decimal == "comma" else line.strip()):
                break
        except AdcliError as error:
            stream.error(error)
        except KeyboardInterrupt:
            stream.write("\n")
    if stdin_is_terminal():
        stream.code = 0


def _with_points(line: str) -> str:
    """Return a line with decimal points instead of decimal commas.

    If every piece between semicolons has an equals sign (as in `x=2,5; y=3`, a point), the semicolons become commas;
    otherwise, also if a piece is empty or if there is a semicolon in brackets as in `W=[1;2]`, they stay.
    """
    line = with_points(line)
    return line.replace(";", ",") if all("=" in piece for piece in line.split(";")) else line


class Session:
    """The state between lines: a point and definitions, as they were typed, by name."""

    def __init__(self, stream: Stream, options: PromptRequest) -> None:
        """Begin a session without a point and definitions; --quiet, --ascii, --no-note, --color and --width are passed
        on to every command.
        """
        self.stream = stream
        self.looks = ["--quiet"] * options.quiet + ["--ascii"] * options.ascii_only
        self.looks += [word for text in options.no_note for word in ("--no-note", text)]
        self.looks += [] if options.color == "auto" else ["--color", options.color]
        self.looks += [] if options.width is None else ["--width", str(options.width)]
        self.point: dict[str, str] = {}
        self.definitions: dict[str, str] = {}

    def names(self) -> list[str]:
        """Return all words that completion offers: kept names, functions, commands and the words of the prompt."""
        from ...table.primitive import spellings

        return [*self.point, *self.definitions, *spellings(), *COMMANDS, "show", "forget", "quit"]

    def run_line(self, line: str) -> bool:
        """Execute a line; return False if it ends the prompt (exactly quit, exit or :q), else True.

        `show` alone prints the kept point and definitions, `forget NAMES` (names between blanks or commas) drops them.
        An empty line and one that starts with # do nothing. A point or a definition is kept. Each other line, also
        `forget` alone, is run as a command or evaluated. Raises RequestError for a name to forget that is not kept
        (names before it are dropped by then), and AdcliError for a wrong definition.
        """
        word, _, rest = line.partition(" ")
        if line in ("quit", "exit", ":q"):
            return False
        if line == "show":
            self.stream.write("".join(f"{name} = {text}\n" for name, text in self.point.items()))
            self.stream.write("".join(f"{text}\n" for text in self.definitions.values()))
        elif word == "forget" and rest:
            for name in _WORD.findall(rest):
                if self.point.pop(name, None) is None and self.definitions.pop(name, None) is None:
                    title = f"there is no value or definition called {name}"
                    raise RequestError(title, help="type show to list all of them")
        elif line and not line.startswith("#") and not self._keep(line):
            self._execute(line, word, rest.strip())
        return True

    def _keep(self, line: str) -> bool:
        """Keep a line if it is a point or a definition and return True; else return False.

        A line with a semicolon (outside of brackets), or one without a single `=` behind a name or behind `f(x)`, is
        neither. `x=2, y=pi/2` is a point, since its values contain no variables, kept names included; `a = 2*b` and
        `f(x) = …` are definitions, one on a line. A value replaces a definition of the same name and the reverse; a new
        definition takes the place of an old one in the order. Raises AdcliError for a wrong definition, and keeps
        nothing. A definition is kept without a check if the text after its `=` or a kept value begins with `[` or `@`,
        since shapes are known only when it is used.
        """
        defined = _DEFINITION.fullmatch(line)
        if not defined:
            return False
        from ...language.brackets import parts

        if not defined[2]:
            try:
                merge_points([line], "--at")
            except AdcliError:
                pass
            else:
                for text in parts(line):
                    name, _, value = text.partition("=")
                    self.definitions.pop(name.strip(), None)
                    self.point[name.strip()] = value.strip()
                return True

        from ...language.program import read_program

        result = "0" if defined[2] else defined[1]
        has_arrays = any(text.startswith(("[", "@")) for text in (*self.point.values(), defined[3].strip()))
        if not has_arrays:  # else shapes are known when it is used
            read_program(Source(self._add_definitions(f"{line}; {result}", leaving=defined[1])))  # raises what is wrong
        self.point.pop(defined[1], None)
        self.definitions[defined[1]] = line
        return True

    def _add_definitions(self, text: str, leaving: str = "") -> str:
        """Return `text` after the definitions that it needs, each after those that it uses, separated by `; `.

        A definition is needed if the text, or a needed definition, has its name. That of the name `leaving` is left
        out. Of several that could be next all come in the order in which their names were first defined; definitions
        that use each other keep that order.
        """
        uses = {name: {*_WORD.findall(line)} - {name} for name, line in self.definitions.items() if name != leaving}
        needed, queue = set[str](), _WORD.findall(text)
        while queue:
            name = queue.pop()
            queue += uses[name] if name in uses and name not in needed else ()
            needed |= {name} & uses.keys()
        ordered: list[str] = []
        while needed:
            ready = [name for name in uses if name in needed and needed.isdisjoint(uses[name])]
            ordered += ready or filter(needed.__contains__, uses)
            needed.difference_update(ordered)
        return "; ".join([*map(self.definitions.__getitem__, ordered), text])

    def _make_point_options(self, problem: str) -> list[str]:
        """Return `--at name=value` for each kept value that the problem may use."""
        bindings = [f"{name}={value}" for name, value in self.point.items() if _may_use(problem, name)]
        return [part for binding in bindings for part in ("--at", binding)]

    def _execute(self, line: str, word: str, rest: str) -> None:
        """Run the command of a line, or evaluate the line as a problem; its exit code is recorded in the stream.

        `word` is the first word and `rest` the text after it. `adcli COMMAND …` is run as it is. A word is a command,
        except one that is kept as a name or is followed by one of `+-*/^=),` (but not by `--`); any other line is that
        of `eval`. The problem is the text before the first option (` --`), the rest are options. Definitions that are
        needed go before the problem, unless options come first. Kept values become --at options, if the command has
        --at and `_may_use` finds their names in the problem with its definitions. All get the options of the session
        (`looks`) at the end, except help, functions and doctor, which get nothing added. Raises RequestError for
        `prompt` itself and for an open quotation mark.
        """
        from ..main import main

        is_name = word in self.point or word in self.definitions
        if word == "adcli" and not is_name:
            self.stream.record_exit_code(main([*split_words(rest), *self.looks]))
            return
        if is_name or word not in COMMANDS or (rest[:1] and rest[0] in "+-*/^=)," and rest[:2] != "--"):
            word, rest = "eval", line
        if word == "prompt":
            raise RequestError("adcli prompt is running already", help="type a problem, or quit")
        if word in _WITH_TEXTS:
            self.stream.record_exit_code(main([word, *split_words(rest)]))
            return
        text, dashes, tail = ("", "", rest) if rest.startswith("--") else rest.partition(" --")
        arguments = [word, *([self._add_definitions(text)] if text else []), *split_words(dashes.strip() + tail)]
        if "at" in load_command(word).options:
            arguments += self._make_point_options(arguments[1] if text else rest)
        self.stream.record_exit_code(main([*arguments, *self.looks]))


def _may_use(text: str, name: str) -> bool:
    """Return whether `text` may have the input `name`.

    True if `name` is in `text` as a whole word, even if it is a function's name, such as gamma. True too if it is a
    part of a word that is not a function, since `xy` may be the product of x and y.
    """
    from ...table.primitive import lookup

    if name in _WORD.findall(text):
        return True
    return name in _WORD.sub(lambda match: "" if lookup(match[0]) is not None else match[0], text)


def _read_lines(session: Session) -> Iterator[str]:
    """Yield lines until the end of input: as they are typed on a terminal, otherwise those of standard input.

    Lines of standard input have their line ends. An interrupt while a line is typed drops the line and starts a new
    one. Bytes that are not UTF-8 become U+FFFD. Raises RequestError if standard input is not a terminal and cannot be
    read or has a line that is too long.
    """
    if not stdin_is_terminal():
        yield from (line.decode("utf-8", "replace") for line in session.stream.inputs.read_lines(None))
        return
    ask = _make_line_reader(session)
    while True:
        try:
            yield ask()
        except EOFError:
            return
        except UnicodeDecodeError as error:  # what a terminal sends is not always what it says
            yield error.object.decode("utf-8", "replace")
        except KeyboardInterrupt:
            session.stream.write("\n")


def _make_line_reader(session: Session) -> Callable[[], str]:
    """Return a function that reads a line after the prompt.

    It uses prompt_toolkit, which completes the names of `session`, else `input`, with readline if it is installed. The
    function raises EOFError at the end of input and KeyboardInterrupt.
    """
    toolkit = if_installed("prompt_toolkit")
    if toolkit is None:
        if_installed("readline")  # input() then has a history and arrow keys
        return lambda: input(_SIGN)
    from prompt_toolkit.completion import WordCompleter

    completer = WordCompleter(session.names, WORD=False)
    prompt_session = toolkit.PromptSession(completer=completer, complete_while_typing=False)
    return lambda: str(prompt_session.prompt(_SIGN))


COMMAND = Command(__doc__, PromptRequest, run)
