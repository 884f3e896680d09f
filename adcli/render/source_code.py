"""Straight-line programs in other languages: what a language is, and the texts of assignments in it."""

from __future__ import annotations

import math
import re
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, Final

from ..engine.assignments import Operation, Reference, StraightLine, straight_line
from ..errors import RequestError
from ..graph.graph import Graph
from ..graph.order import arranged
from ..records import NamedTuple
from ..trace.labels import node_labels, node_names

# How tightly signs bind, in the languages that have them.
CHOICE, OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(10)
_LONGEST = 60  # characters of a step that stands inside another one
_PLACE = re.compile(r"\{(\d)\}")


class Form(NamedTuple):
    """How an operation is written: `{0}`, `{1}` are its arguments, in brackets where they bind less than `places`.

    Without `places` every argument may be anything, as between the commas of a call.
    """

    text: str
    level: int = ATOM
    places: tuple[int, ...] = (CHOICE, CHOICE, CHOICE)


def infix(sign: str, level: int, right: int | None = None) -> Form:
    """A sign between two arguments; what stands on its right binds at least as `right`, else more than the sign."""
    return Form(f"{{0}} {sign} {{1}}", level, (level, level + 1 if right is None else right))


def calls(**names: str) -> dict[str, Form]:
    """Functions of one argument by what the language calls them."""
    return {name: Form(text + "({0})") for name, text in names.items()}


def functions(*rows: tuple[str, str, int], prefix: str = "") -> dict[str, Form]:
    """Functions of the table by their names elsewhere and how many arguments they take."""
    return {
        name: Form(f"{prefix}{called}({', '.join(f'{{{k}}}' for k in range(count))})") for name, called, count in rows
    }


# What all languages that are written like C have in common.
ARITHMETIC: Final = {
    "add": infix("+", SUM, SUM),
    "sub": infix("-", SUM),
    "mul": infix("*", PRODUCT, PRODUCT),
    "div": infix("/", PRODUCT),
    "neg": Form("-{0}", SIGN, (POWER,)),
    **{name: infix(sign, COMPARISON) for name, sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}.items()},
}


class Assignment(NamedTuple):
    """A name of the program and what it is; `truth` says that it is a truth value.

    `uses` are the names in the text, each as often as it is there.
    """

    name: str
    text: str
    uses: tuple[str, ...]
    truth: bool = False


class Assignments(NamedTuple):
    """A program in a language: the inputs, the steps in order, and the outputs, value first and then the partials.

    `given` are the names of the inputs in the expression, `columns` those of the outputs in every language.  An output
    that is a step of its own name stands among the steps.
    """

    inputs: list[str]
    steps: list[Assignment]
    outputs: list[Assignment]
    given: list[str]
    columns: list[str]

    @property
    def renamed(self) -> list[Assignment]:
        """The outputs that are no step of their own."""
        own = {step.name for step in self.steps}
        return [output for output in self.outputs if output.name not in own]


class Language(ABC):
    """A language: a subclass lays a program out, a file in `targets` registers one of it.

    forms     how operations and functions of the table are written; what is not here is written by its rule
    words     what must not be a name
    reserved  how names begin that are the language's own
    numbers   what stands for infinity, minus infinity and nan
    suffix    of its files
    unicode   whether names may have letters of other alphabets; with `quoted` they may have anything
    cased     whether `x` and `X` are two names
    apart     whether the results stand in a block of their own behind the steps
    """

    name: ClassVar[str]
    suffix: ClassVar[str]
    forms: ClassVar[Mapping[str, Form]]
    words: ClassVar[frozenset[str]] = frozenset()
    reserved: ClassVar[tuple[str, ...]] = ()
    numbers: ClassVar[tuple[str, str, str]]
    unicode: ClassVar[bool] = True
    quoted: ClassVar[bool] = False
    cased: ClassVar[bool] = True
    apart: ClassVar[bool] = False

    def number(self, x: float) -> str:
        """A double as it is written."""
        infinite, negative, undefined = self.numbers
        if math.isnan(x):
            return undefined
        if math.isinf(x):
            return infinite if x > 0 else negative
        return self.finite(x)

    def finite(self, x: float) -> str:
        """A number of the doubles; a whole one without a point."""
        text = repr(x)
        return text[:-2] if text.endswith(".0") and text != "-0.0" else text

    def reference(self, name: str, position: int) -> str:
        """How a later step speaks of the step (or input) at this position."""
        return name

    @abstractmethod
    def laid_out(self, found: Assignments, expression: str) -> str:
        """The source of a program; `expression` is what it came from, for a comment."""


class _Writer:
    """Writes the lines of one program; a step that is used once and is short stands where it is used."""

    def __init__(self, program: StraightLine, language: Language) -> None:
        self.language = language
        self.program = program
        self._taken: set[str] = {word if language.cased else word.lower() for word in language.words}
        self._texts: dict[Operation, tuple[str, int, tuple[str, ...]]] = {}
        self._named: dict[Operation, tuple[str, str]] = {}  # the name, and how later steps write it
        self._columns: dict[Operation, str] = {}  # lines that are an output, by its name
        self._steps: list[Assignment] = []
        self._count = 0

    def written(self) -> Assignments:
        inputs = [self._name(line, line.name) for line in self.program.inputs]
        reserved = [self._fresh(name) for name, _ in self.program.outputs]
        for name, (_, x) in zip(reserved, self.program.outputs, strict=True):
            if not self.language.apart and isinstance(x, Operation) and x.operation != "input" and not x.name:
                self._columns.setdefault(x, name)
        for line in self.program.lines:
            self._texts[line] = self._text(line)
            if line.name or line in self._columns or line.uses > 1 or len(self._texts[line][0]) > _LONGEST:
                self._assigned(line)
        outputs = []
        for name, (_, x) in zip(reserved, self.program.outputs, strict=True):
            outputs.append(Assignment(name, *self._operand(x, CHOICE)))
        given, columns = [line.name for line in self.program.inputs], [name for name, _ in self.program.outputs]
        return Assignments(inputs, self._steps, outputs, given, columns)

    def _text(self, line: Operation) -> tuple[str, int, tuple[str, ...]]:
        """What a line is, how tightly that binds, and the names in it."""
        arguments = line.arguments
        form = self._form(line)
        places = _PLACE.findall(form.text)
        for position, x in enumerate(arguments):
            if isinstance(x, Operation) and places.count(str(position)) > 1:
                self._assigned(x)  # it stands there twice
        found = [self._operand(x, form.places[k]) if str(k) in places else ("", ()) for k, x in enumerate(arguments)]
        uses = tuple([used for _, names in found for used in names])
        return _PLACE.sub(lambda place: found[int(place[1])][0], form.text), form.level, uses

    def _form(self, line: Operation) -> Form:
        """The form of a line; a comparison of a number with itself asks whether it is one."""
        forms = self.language.forms
        same = len(line.arguments) == 2 and line.arguments[0] is line.arguments[1]
        return forms.get(f"{line.operation} itself", forms[line.operation]) if same else forms[line.operation]

    def _operand(self, x: Reference, least: int) -> tuple[str, tuple[str, ...]]:
        """An argument as text, in brackets where it has to be, and the names in it."""
        if not isinstance(x, Operation):
            text = self.language.number(x)
            level = SIGN if text.startswith("-") else ATOM
            return (f"({text})" if level < least else text), ()
        if x in self._named:
            name, reference = self._named[x]
            return reference, (name,)
        text, level, uses = self._texts[x]
        return (f"({text})" if level < least else text), uses

    def _assigned(self, line: Operation) -> None:
        """Gives a line a name of its own, if it has none yet."""
        if line in self._named:
            return
        text, _, uses = self._texts[line]
        if line in self._columns:
            name = self._columns[line]
            self._named[line] = name, self.language.reference(name, len(self._named))
        else:
            self._count += not line.name
            name = self._name(line, line.name or f"t{self._count}")
        self._steps.append(Assignment(name, text, uses, line.truth))

    def _name(self, line: Operation, wanted: str) -> str:
        name = self._fresh(wanted)
        self._named[line] = name, self.language.reference(name, len(self._named))
        return name

    def _fresh(self, wanted: str) -> str:
        """A name of the language that nothing has yet, like the one that is wanted."""
        name = _identifier(wanted, self.language)
        name += "_" * name.startswith(self.language.reserved)
        key = name if self.language.cased else name.lower()
        while key in self._taken:
            name, key = name + "_", key + "_"
        self._taken.add(key)
        return name


def _identifier(name: str, language: Language) -> str:
    """A name with nothing in it that the language lacks."""
    from ..notation.typeset_names import name_parts

    if language.quoted:
        return name
    name = name.replace("'", "_prime")
    if name.isascii() or (language.unicode and name.isidentifier()):
        return name
    stem, subscript, _ = name_parts(name)
    name = stem + ("_" * (not subscript[:1].isdecimal()) + subscript if subscript else "")
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else f"u{ord(c):x}" for c in name)


def assignments(program: StraightLine, language: Language) -> Assignments:
    """A program in the assignments of a language.

    Raises RequestError for inputs that the language takes for one.
    """
    names = [line.name for line in program.inputs]
    if not language.cased:
        first = {name.lower(): name for name in reversed(names)}
        for name in names:
            if first[name.lower()] != name:
                both = f"{first[name.lower()]} and {name}"
                raise RequestError(f"{language.name} takes {both} for one name", help="give one of them another name")
    return _Writer(program, language).written()


def comment(expression: str, rest: str) -> list[str]:
    """What a program is, for comments of one line each: nothing of a user's text ends such a line."""
    lines = []
    for text in (expression, rest):
        flat = " ".join("".join(c if c.isprintable() and c not in "\\?" else " " for c in text).split())
        lines += textwrap.wrap(flat, 110)
    return lines


def free(name: str, taken: Collection[str], others: Sequence[str]) -> str:
    """A name, or another one where something has that already."""
    return next((one for one in (name, *others) if one not in taken), name + "_" * len("".join(taken)))


def unshared(found: Assignments) -> int:
    """How many operations the largest result is where shared parts are copied to each place that uses them."""
    sizes: dict[str, int] = {}
    for step in [*found.steps, *found.outputs]:
        sizes[step.name] = 1 + sum(sizes.get(name, 1) for name in step.uses)
    return max(sizes.values(), default=0)


def source_code(graph: Graph, language: Language, expression: str) -> str:
    """Value and gradient of every output of a graph as source of a language; `expression` is what a comment says.

    Raises RequestError where a function has no form there, and for programs that are too long.
    """
    named = arranged(graph)
    labels = node_labels(named, node_names(named))
    named.aliases = {slot: label for slot, label in enumerate(labels) if label and slot not in named.inputs}
    program = straight_line(named, language.forms, language.name)
    return language.laid_out(assignments(program, language), expression)
