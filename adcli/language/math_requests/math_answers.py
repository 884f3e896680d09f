r"""Answers to mathematical requests instead of an expression: derivatives, integrals, limits, sums in other notations.

`d/dx x^2`, `(x^2)'`, `\frac{\partial}{\partial x}`, `int x dx`, `lim`, `sum i=1 to 10`: none of these is a variable.
Each is answered with the command that does it and the user's own expression, or refused by its name; the messages are
the table `requests` of `grammar/advice.txt`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property
from itertools import islice

from ...errors import AdcliError, ArityProblem, NameProblem, OtherCommand, RequestError, Source, Span, SyntaxProblem
from ...patterns import compile_pattern
from ..advice import entry_for
from ..name_parts import assigned_names, pieces_of
from ..tokens import plain_spelling
from ..worded_points import write_point
from .derivative_requests import DERIVATIVES, PRIMES
from .request_text import DEFINES, MOST, MathRequest, plain, quote_for_shell, statement, statements
from .worded_requests import ALGEBRA, PARTIAL, WORDS, first_sum

# Returns the inputs of a program; raises what is wrong with it.
Reader = Callable[[Source, Collection[str]], Collection[str]]
_UNREADABLE = (SyntaxProblem, NameProblem, ArityProblem, RequestError)
_NOTATIONS = (*DERIVATIVES, *WORDS, *PRIMES, PARTIAL)  # the surest signs first
_OTHER_COMMANDS = ("derivative", "diff", "gradient", "hessian", "taylor", "plot")
_NUMBER = compile_pattern(r"[-+]?[0-9]++(?:\.[0-9]*+)?")
_EXAMPLES = {
    "diff": 'diff "x^2" --wrt x',
    "taylor": 'taylor "sin(x)" --at x=0',
    "plot": 'plot "x^2"',
    "hessian": 'eval "x^2*y" --at x=1,y=2 --hessian',
}


def answer(source: Source, known: Collection[str], read: Reader) -> AdcliError | None:
    """Return the error that answers a text with a mathematical request; None if the text has none.

    An OtherCommand if another command computes it (derivative, gradient, hessian, taylor, plot), else a SyntaxProblem.
    If the text has several requests, the first notation of `_NOTATIONS` (signs such as d/dx, then words, then primes)
    counts, in it the first place, unless a sum in another notation starts earlier. `known` are names that have a value,
    next to those that the text assigns: with these `d/dx` is a quotient. `read(source, names)` returns the inputs of a
    program in which `names` have values, or raises what is wrong with it.
    """
    text = plain_spelling(source.text)
    known = {*known, *assigned_names(text)}
    request = next(_find_requests(text, known), None)
    series = first_sum(text, known)
    if series is not None and (request is None or request.start > series.start):
        request = series
    if request is None:
        return None
    answered = MathAnswer(source, request, known, read)
    notes = tuple(answered.notes)
    kind = OtherCommand if request.kind in _OTHER_COMMANDS else SyntaxProblem
    return entry_for("requests", answered).error(answered, kind, notes)


def _find_requests(text: str, known: Collection[str]) -> Iterator[MathRequest]:
    """Yield the requests in a text, at most MOST for each sign of the table of notations."""
    for notation in _NOTATIONS:
        for match in islice(notation.sign.finditer(text), MOST):
            request = notation.read(text, match, known)
            if request is not None:
                yield request


class MathAnswer:
    """The answer to a request: the command line that does it, notes on what is wrong with it, and its words.

    `read` returns the inputs of a program.
    """

    def __init__(self, source: Source, request: MathRequest, known: Collection[str], read: Reader) -> None:
        """Prepare the answer to `request` in `source`: its `command` and `notes` are set here.

        `known` are names with a value; `read(source, names)` returns the inputs of a program or raises what is wrong
        with it. The command is an example if the operand is missing or cannot be read (a note says why), a sentence if
        the derivative is 0 because a variable does not occur in the operand; it is "" for integrals, limits, algebra
        and sums. `at` is the option --at (with a blank before it) for the point of the text, of the request or at the
        end of the operand (`x*y at (1, 2)`), "" without one. Of a sum with an operand a note says why it cannot be
        read.
        """
        self.source, self.request, self.known, self.read = source, request, known, read
        self.span = Span(request.start, max(request.end, request.start + 1), source)
        self.sign = source.text[request.start : request.end]
        point = write_point(source) or request.at
        self.at = f" --at {quote_for_shell(''.join(point.split()), always=False)}" if point.strip() else ""
        self.notes: list[str] = []
        self.command = ""
        if request.kind in _OTHER_COMMANDS:
            example = f"for example adcli {_EXAMPLES.get(request.kind, _EXAMPLES['diff'])}"
            self.command = self._command_line(self._operand_before_point()) or example
            self._note_rest()
        elif request.kind in ("sum", "prod") and request.operand:
            self._note_problem()

    def has_word(self, word: str) -> bool:
        return self.request.kind == word

    # --- integrals, limits, algebra, sums ---

    @property
    def is_cast(self) -> bool:
        """Return whether `int(` may be meant as in languages where it makes a whole number."""
        return self.sign == "int" and self.source.text[self.request.end :].lstrip()[:1] == "("

    @property
    def algebra(self) -> str:
        """The function of SymPy that the request is for."""
        return ALGEBRA[plain_spelling(self.sign)]

    @property
    def noun(self) -> str:
        return {"sum": "a sum", "prod": "a product"}[self.request.kind]

    @property
    def series(self) -> str:
        """The sum or product as the language writes it, or an example of one."""
        return self.request.operand or f"{self.request.kind}(i, 1, 10, i*x)"

    @cached_property
    def value_near_by(self) -> str:
        """Return the text with the command for a value near the place of a limit: at the place + 1e-6, or at ±1e6 for
        infinity.

        General advice instead if the place is not a number or infinity, or if the operand cannot be read or has other
        inputs than the variable of the limit.
        """
        otherwise = "write the expression alone, and a point near the limit"
        if len(self.request.wrt) != 2:
            return otherwise
        name, where = self.request.wrt
        operand = self.request.operand
        if any(infinity in where for infinity in ("inf", "∞", "oo")):
            point = "-1e6" if where[0] == "-" else "1e6"
        elif _NUMBER.fullmatch(where):
            point = repr(float(where) + 1e-6) if float(where) else "1e-6"
        else:
            return otherwise
        try:
            inputs = self.read(Source(operand), {name, *self.known})
        except _UNREADABLE:
            return otherwise
        command = f"adcli eval {quote_for_shell(operand)} --at {name}={point}"
        return f"for a value near the limit: {command}" if set(inputs) == {name} else otherwise

    def _note_problem(self) -> None:
        """Note what is wrong with a sum as the language writes it."""
        try:
            self.read(Source(self.request.operand), self.known)
        except _UNREADABLE as problem:
            self.notes.append(f"{problem.title}{': ' * bool(problem.label)}{problem.label}")

    # --- command lines ---

    def _operand_before_point(self) -> str:
        """Return the operand without the numbers of its point, which becomes `self.at`.

        For `x*y at (1, 2)` that is `x*y`, and `self.at` is --at x=1,y=2. The operand as it is unless it can be read
        without them and has as many inputs; these get them in the order of the alphabet.
        """
        operand, _, behind = self.request.operand.rpartition(" at ")
        numbers = behind.removeprefix("the point ").strip(" ()?").split(",")
        try:
            inputs = sorted(self.read(Source(operand), self.known)) if operand else ()
        except _UNREADABLE:
            return self.request.operand
        if len(inputs) != len(numbers) or not all(_NUMBER.fullmatch(number.strip()) for number in numbers):
            return self.request.operand
        self.at = f" --at {','.join(f'{name}={x.strip()}' for name, x in zip(inputs, numbers, strict=True))}"
        return operand

    def _command_line(self, operand: str) -> str:
        """Return the command line that answers the request for the expression `operand`, such as `adcli diff "x^2"
        --wrt x`.

        If a variable of the request does not occur in `operand`, the text is a sentence that the derivative is 0. "" if
        `operand` is empty, if it cannot be read (what is wrong is appended to `notes`), or if it is a single name
        without a definition in the text and without a value, as in `df/dx`.
        """
        if not operand:
            return ""
        try:
            line = self._write_command(operand)
        except _UNREADABLE as problem:
            self.notes.append(f"{problem.title}{f': {problem.help}' if problem.help else ''}")
            return ""
        name = plain(operand)
        if name.isidentifier() and name not in {*self.request.wrt, *self.known, *assigned_names(self.source.text)}:
            return ""  # a function that nothing defines, as in `df/dx`
        return line or f"{', '.join(self.request.wrt)} does not occur in {operand[:60]}, the derivative is 0"

    def _note_rest(self) -> None:
        """Note what to do about the rest of the expression, or the command for the first term alone."""
        if self.request.rest:
            self.notes.append("replace it by what the command prints")
        elif self.request.term and (line := self._write_command(self.request.term)):
            self.notes.append(f"for the first term alone: {line}")

    def _write_command(self, operand: str) -> str:
        """Return the shell command for the request: `adcli taylor`, `plot`, `eval --hessian`, or else `diff`, with the
        text's definitions before `operand`, and the order (not of plot and hessian) and point of the request.

        The order is written if it is above 1. A taylor without a point gets 0 for its variable (the request's, else the
        first input, else x). The --wrt of a diff are the request's variables; if it has none, the only input, and
        nothing if there are several inputs. A diff is "" if one of the request's variables is neither an input nor a
        letter of one that means a product (`kx`). If the program cannot be read, raises the AdcliError of `read`.
        """
        kind, wrt = self.request.kind, self.request.wrt
        program = "; ".join([*self._find_definitions(), operand])
        inputs = self.read(Source(program), {*self.known, *wrt})
        order = f" --order {self.request.order}" if self.request.order > 1 else ""
        if kind == "taylor":
            name = (wrt or tuple(inputs) or ("x",))[0]
            return f"adcli taylor {quote_for_shell(program)}{self.at or f' --at {name}=0'}{order}"
        if kind == "plot":
            return f"adcli plot {quote_for_shell(program)}{self.at}"
        if kind == "hessian":
            return f"adcli eval {quote_for_shell(program)}{self.at} --hessian"
        letters = {piece.text for name in inputs if len(pieces := pieces_of(name, wrt)) <= 3 for piece in pieces}
        if not letters.union(inputs).issuperset(wrt):  # kx has x, as in the command
            return ""
        wrt = wrt or (tuple(inputs) if len(inputs) == 1 else ())
        by = f" --wrt {','.join(wrt)}" if wrt else ""
        return f"adcli diff {quote_for_shell(program)}{by}{order}{self.at}"

    def _find_definitions(self) -> list[str]:
        """Return the statements before that of the request that define a name or function, in order."""
        first, _ = statement(self.source.text, self.request.start)
        earlier = [part.strip() for part in statements(self.source.text[:first])]
        return [part for part in earlier if DEFINES.match(part)]
