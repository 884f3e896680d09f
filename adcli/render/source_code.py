"""Source code of straight-line programs in other languages: the description of a language, and its assignments. A line
is an input or operation of the program, a step an assignment to a name; a form is how the language writes an operation,
a level how tightly it binds.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from ..engine.assignments import Operation, Reference, StraightLine, straight_line
from ..errors import RequestError
from ..grammar_files import read_sections
from ..graph.graph import Graph
from ..graph.order import arrange
from ..notation.formula import OPERAND
from ..records import NamedTuple
from ..trace.labels import node_labels, node_names
from ..typings import Final

# Precedence of operators, from the loosest to the tightest.
_LEVELS = ("CHOICE", "OR", "AND", "NOT", "COMPARISON", "SUM", "PRODUCT", "SIGN", "POWER", "ATOM")
CHOICE, SIGN, ATOM = (_LEVELS.index(level) for level in ("CHOICE", "SIGN", "ATOM"))
_LONGEST = 60  # characters of a step that is written inside another one


class Form(NamedTuple):
    """The form of an operation in a language: `{0}`, `{1}` are its arguments, bracketed if they bind less tightly than
    `places` requires.

    `level` is the precedence of the whole. By default any argument fits, as between the commas of a call.
    """

    text: str
    level: int = ATOM
    places: tuple[int, ...] = (CHOICE, CHOICE, CHOICE)


_TABLES: Final = read_sections("targets.txt")


def forms(section: str) -> dict[str, Form]:
    """Return the forms {operation: Form} of a section of grammar/targets.txt, such as "c".

    A line has cells with two or more blanks between them: the operations, separated by blanks; the text; and perhaps
    words of `_LEVELS`, that of the whole first, then those required of the arguments (by default ATOM, and CHOICE, that
    is any argument). In the text `{name}` becomes the operation, `{NAME}` the same in capitals. A later line replaces
    an earlier one of the same operation. Raises KeyError for an unknown section.
    """
    result: dict[str, Form] = {}
    for line in filter(None, _TABLES[section]):
        names, text, *levels = [cell.strip() for cell in line.split("  ") if cell.strip()]
        level, *places = [_LEVELS.index(word) for word in levels[0].split()] if levels else [ATOM]
        for name in names.split():
            shown = text.replace("{name}", name).replace("{NAME}", name.upper())
            result[name] = Form(shown, level, tuple(places)) if places else Form(shown, level)
    return result


def words(target: str) -> frozenset[str]:
    """Return the words that a program in `target` must not use as names, those of its section in grammar/targets.txt:
    "c words" for "c"."""
    return frozenset(" ".join(_TABLES[f"{target} words"]).split())


def functions(*rows: tuple[str, str, int], prefix: str = "") -> dict[str, Form]:
    """Return the forms of functions that are written as calls, by their names in the table of functions.

    A row is (name in the table, name in the language, number of arguments); `prefix` is put before the language's name:
    ("log", "ln", 1) with the prefix `np.` gives `np.ln({0})`.
    """
    places = ("", "{0}", "{0}, {1}", "{0}, {1}, {2}")
    return {name: Form(f"{prefix}{called}({places[count]})") for name, called, count in rows}


# Forms that all languages with C's operators share.
ARITHMETIC: Final = forms("arithmetic")


class Assignment(NamedTuple):
    """A name of the program and its expression; `truth` if it is a truth value.

    `uses` are the names in the text, each as often as it occurs.
    """

    name: str
    text: str
    uses: tuple[str, ...]
    truth: bool = False


class Assignments(NamedTuple):
    """A program in a language.

    inputs       the names of the inputs in the language, in order
    steps        the assignments, each after those that it uses
    outputs      values first, then partials; an output that is a step with its own name is among the steps
    input_names  the names of the inputs in the expression
    columns      the names of the outputs, the same in every language
    """

    inputs: list[str]
    steps: list[Assignment]
    outputs: list[Assignment]
    input_names: list[str]
    columns: list[str]

    @property
    def renamed(self) -> list[Assignment]:
        """Return the outputs that are not steps themselves."""
        steps = {step.name for step in self.steps}
        return [output for output in self.outputs if output.name not in steps]


def shortest_decimal(x: float) -> str:
    """Return a finite double as its shortest decimal; a whole number without a point."""
    text = repr(x)
    return text[:-2] if text.endswith(".0") and text != "-0.0" else text


class Language(NamedTuple):
    """A language, which a file in `targets` describes.

    numbers    infinity, minus infinity and NaN in the language
    forms      operations and functions of the table that it has; others are composed by their rules
    lay_out    writes the source of a program, with the original text for a comment; if the source reads a table, it is
               a partial with the name of that table
    words      reserved words, which must not be names
    reserved   prefixes of names that belong to the language
    finite     writes a finite double
    reference  writes how later steps refer to the step or input with a name at a position
    unicode    whether names may have letters of other alphabets; with `quoted` they may have any characters
    cased      whether `x` and `X` are two names
    separate_results  whether the results are in a separate block after the steps
    """

    name: str
    numbers: tuple[str, str, str]
    forms: Mapping[str, Form]
    lay_out: Callable[[Assignments, str], str]
    words: frozenset[str] = frozenset()
    reserved: tuple[str, ...] = ()
    finite: Callable[[float], str] = shortest_decimal
    reference: Callable[[str, int], str] = lambda name, _: name
    unicode: bool = True
    quoted: bool = False
    cased: bool = True
    separate_results: bool = False

    def number(self, x: float) -> str:
        """Return the double `x` as a literal of the language.

        Infinity, minus infinity and nan are written as the three texts of `numbers`, all other doubles by the function
        `finite`.
        """
        infinite, negative, undefined = self.numbers
        if math.isnan(x):
            return undefined
        if math.isinf(x):
            return infinite if x > 0 else negative
        return self.finite(x)

    def reading_table(self, table: str | None, carried: Sequence[str] = ()) -> Language:
        """Return the language with source that reads the table called `table` (None: points).

        The results of the source have the `carried` columns of the table first. If `table` is None and nothing is
        carried, return the language itself. Otherwise RequestError is raised if the language's source reads no table.
        """
        if table is None and not carried:
            return self
        if not isinstance(self.lay_out, partial):
            title = f"code for {self.name} does not read a table"
            raise RequestError(title, help="leave out --table and --carry, which are for --to sql")
        return self._replace(lay_out=partial(self.lay_out.func, table or "points", carried))


class _Writer:
    """A writer of the lines of one program; a short step that is used once is written inside the step that uses it."""

    def __init__(self, program: StraightLine, language: Language) -> None:
        """Prepare to write a straight-line program in a language; nothing is written or named before `write`.

        The names taken are at first the reserved words of the language, in lower case if it ignores case.
        """
        self.language = language
        self.program = program
        self._taken: set[str] = {word if language.cased else word.lower() for word in language.words}
        self._texts: dict[Operation, tuple[str, int, tuple[str, ...]]] = {}
        self._named: dict[Operation, tuple[str, str]] = {}  # the name, and how later steps write it
        self._columns: dict[Operation, str] = {}  # lines that are an output, by its name
        self._steps: list[Assignment] = []
        self._count = 0

    def write(self) -> Assignments:
        """Return the assignments of the program, with its inputs and outputs; to be called once.

        A line becomes a step if it has a name, if it is an output (not in a language with `separate_results`), if it is
        used more than once (in the program or in one form), or if its text is longer than `_LONGEST` (60) characters.
        Other lines are written inside the step that uses them. Outputs are in the program's order.
        """
        inputs = [self._name_line(line, self._fresh_name(line.name)) for line in self.program.inputs]
        columns = [name for name, _ in self.program.outputs]
        results = [(self._fresh_name(column), x) for column, x in self.program.outputs]
        for name, x in () if self.language.separate_results else results:
            if isinstance(x, Operation) and x.operation != "input" and not x.name:
                self._columns.setdefault(x, name)
        for line in self.program.lines:
            self._texts[line] = self._line_text(line)
            if line.name or line in self._columns or line.uses > 1 or len(self._texts[line][0]) > _LONGEST:
                self._assign(line)
        outputs = [Assignment(name, *self._operand(x, CHOICE)) for name, x in results]
        return Assignments(inputs, self._steps, outputs, [line.name for line in self.program.inputs], columns)

    def _line_text(self, line: Operation) -> tuple[str, int, tuple[str, ...]]:
        """Return (text, level, names used) of a line: its expression, its precedence, each name as often as it occurs.

        The form is that of the operation in the language; with two identical operands `NAME_itself`, if there is one.
        An operand that the form writes more than once is made a step first. Raises KeyError for an operand that is an
        operation without a step or a text in `_texts`; so lines must come in the program's order.
        """
        arguments = line.arguments
        form = self.language.forms[line.operation]
        if len(arguments) == 2 and arguments[0] is arguments[1]:  # a number is compared with itself to find nan
            form = self.language.forms.get(f"{line.operation}_itself", form)
        places = OPERAND.findall(form.text)
        for position, x in enumerate(arguments):
            if isinstance(x, Operation) and places.count(str(position)) > 1:
                self._assign(x)  # the form uses it twice
        operands = [self._operand(x, form.places[k]) if str(k) in places else ("", ()) for k, x in enumerate(arguments)]
        uses = tuple([used for _, names in operands for used in names])
        return OPERAND.sub(lambda place: operands[int(place[1])][0], form.text), form.level, uses

    def _operand(self, x: Reference, least: int) -> tuple[str, tuple[str, ...]]:
        """Return (text, names used) of an argument, bracketed if it binds less tightly than the level `least`.

        A number is a literal and uses no names; a negative number has the level of a sign. A step or input is its
        reference, never bracketed. A line that is not a step is its expression.
        """
        if not isinstance(x, Operation):
            text = self.language.number(x)
            level = SIGN if text.startswith("-") else ATOM
            return (f"({text})" if level < least else text), ()
        if x in self._named:
            name, reference = self._named[x]
            return reference, (name,)
        text, level, uses = self._texts[x]
        return (f"({text})" if level < least else text), uses

    def _assign(self, line: Operation) -> None:
        """Make a line a step: name it and append it to the steps; nothing happens if it has such a name already.

        The name is its own or, without one, that of the output it is (in `_columns`, unchanged), otherwise t1, t2, ….
        Its own name and t1, … are changed if they are taken or not valid.
        """
        if line in self._named:
            return
        text, _, uses = self._texts[line]
        name = self._columns.get(line)
        if name is None:
            self._count += not line.name
            name = self._fresh_name(line.name or f"t{self._count}")
        self._steps.append(Assignment(self._name_line(line, name), text, uses, line.truth))

    def _name_line(self, line: Operation, name: str) -> str:
        """Return the name of a line; record it and how later steps refer to it (a cell, in Excel) in `_named`."""
        self._named[line] = name, self.language.reference(name, len(self._named))
        return name

    def _fresh_name(self, preferred: str) -> str:
        """Return a name like `preferred` that is valid in the language and not taken, and mark it as taken.

        One underscore is appended to a name that begins with a reserved prefix, then one after another as long as the
        name is taken. In a language that ignores case names that differ only in case count as equal.
        """
        name = _identifier(preferred, self.language)
        name += "_" * name.startswith(self.language.reserved)
        key = name if self.language.cased else name.lower()
        while key in self._taken:
            name, key = name + "_", key + "_"
        self._taken.add(key)
        return name


def _identifier(name: str, language: Language) -> str:
    """Return the name with every character replaced that the language does not allow in names.

    If names are quoted, `name` is unchanged. `'` becomes `_prime`, the entry `W[1,2]` of an array `W_1_2`. The result
    is then kept if it is ASCII, or any identifier in a language with `unicode`. In other names a single Greek letter
    before the subscript is spelled in ASCII; the subscript follows without an underscore if it begins with a digit
    (`θ_1` is `theta1`), and with one if not (`θ_max` is `theta_max`). All characters that are still not ASCII, Greek
    letters too, become `u` and their code in hexadecimal (`aβ` is `au3b2`). Keywords are not avoided here.
    """
    from ..notation.typeset_names import name_parts

    if language.quoted:
        return name
    name = name.replace("'", "_prime").translate({ord("["): "_", ord(","): "_", ord("]"): None})
    if name.isascii() or (language.unicode and name.isidentifier()):
        return name
    stem, subscript, _ = name_parts(name)
    name = stem + ("_" * (not subscript[:1].isdecimal()) + subscript if subscript else "")
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else f"u{ord(c):x}" for c in name)


def assignments(program: StraightLine, language: Language) -> Assignments:
    """Return a program as assignments of a language, with names that are valid there.

    Raises RequestError if the language ignores case and two inputs differ only in case.
    """
    names = [line.name for line in program.inputs]
    if not language.cased:
        first = {name.lower(): name for name in reversed(names)}
        for name in names:
            if first[name.lower()] != name:
                both = f"{first[name.lower()]} and {name}"
                title = f"{language.name} reads {both} as the same name"
                raise RequestError(title, help="give one of them another name")
    return _Writer(program, language).write()


def comment(mark: str, expression: str, rest: str) -> list[str]:
    """Return the lines of a comment, `expression` and then `rest`, each of at most 110 characters after `mark` and a
    blank (longer words are broken).

    Unprintable characters, backslashes and question marks become blanks, runs of blanks become one. An empty text gives
    no line.
    """
    lines = []
    for text in (expression, rest):
        flat = " ".join("".join(c if c.isprintable() and c not in "\\?" else " " for c in text).split())
        lines += textwrap.wrap(flat, 110)
    return [f"{mark} {line}" for line in lines]


def python_function(comments: Sequence[str], inputs: Sequence[str], body: Sequence[str]) -> list[str]:
    """Return the lines of a Python function `value_and_gradient` with the arguments `inputs`: the `comments`, its head,
    `body` indented by four blanks, and an empty line.
    """
    return [*comments, f"def value_and_gradient({', '.join(inputs)}):", *[f"    {line}" for line in body], ""]


def first_free(name: str, taken: Collection[str], others: Sequence[str]) -> str:
    """Return the first of `name` and `others` that is not in `taken`; if all are taken, `name` with enough underscores
    to be free.
    """
    return next((one for one in (name, *others) if one not in taken), name + "_" * len("".join(taken)))


def count_unshared(program: Assignments) -> int:
    """Return the number of operations of the largest step or output if shared steps were copied to each use; 0 for an
    empty program.

    Every step or output counts as one, and each use of an input or unknown name as one.
    """
    sizes: dict[str, int] = {}
    for step in [*program.steps, *program.outputs]:
        sizes[step.name] = 1 + sum(sizes.get(name, 1) for name in step.uses)
    return max(sizes.values(), default=0)


def source_code(graph: Graph, language: Language, expression: str) -> str:
    """Return source that computes value and gradient of every output of a graph; `expression` is for a comment.

    Steps are named as the rows of a trace. Raises RequestError if the language lacks a function of the program, if the
    program is too long for it, or if two inputs differ only in case in a language that ignores case.
    """
    named = arrange(graph)
    labels = node_labels(named, node_names(named))
    named.aliases = {slot: label for slot, label in enumerate(labels) if label and slot not in named.inputs}
    program = straight_line(named, language.forms, language.name)
    return language.lay_out(assignments(program, language), expression)
