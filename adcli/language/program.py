"""Programs: text to graph. A text is scanned, parsed and run; one that cannot be read is tried again with notations of
other programs, and a mathematical request in it (`d/dx`) is answered.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import NO_EXPRESSION, AdcliError, ArityProblem, NameProblem, Source, Span, SyntaxProblem, pickle_error
from ..graph.gc_pause import pause_gc
from ..graph.graph import Graph
from ..graph.graph import unpack as unpack_graph
from ..records import NamedTuple
from ..table.primitive import ROWS
from ..typings import Any
from .machine import EXPANSION_LIMIT, Machine
from .parser import Recorder, Unparsed, parse
from .scanner import scan
from .spelling import Reading
from .tokens import Foreign


class Program(NamedTuple):
    """A program as a graph in the order of nested calls.

    `readings` are notes on how the text was read, `constants_used` the named constants in it, `bound` the names known
    to be variables when it was read, `foreign` the places of its text in other notations, from left to right.
    """

    source: Source
    graph: Graph
    readings: list[Reading]
    constants_used: frozenset[str]
    bound: Collection[str]
    foreign: Sequence[Foreign] = ()

    def pack(self) -> tuple[object, ...]:
        """Return the program as plain data, in the order of the arguments of `unpack`.

        That is (text, name, first line, shown text) of the source, the readings as tuples, the constants and bound
        names (each sorted), the packed graph, and the foreign places as tuples.
        """
        source = self.source
        text = (source.text, source.name, source.first_line, source.shown)
        readings = tuple([tuple(reading) for reading in self.readings])
        names = tuple(sorted(self.constants_used)), tuple(sorted(self.bound))
        return text, readings, *names, self.graph.pack(), tuple([(*place,) for place in self.foreign])

    def unnamed_arguments(self) -> dict[tuple[int, int], tuple[str, str]]:
        """Return {(start, end) of an operation: (title of its error, name of an argument that is not in the text)};
        here {}.

        Subclasses have entries for operations that the language of numbers does not have.
        """
        return {}

    def argument_places(self) -> dict[tuple[str, int, int], list[tuple[int, int]]]:
        """Return {(row name, start, end of an operation): [(start, end) of each argument]}, by places in the source.

        The text is scanned and run again, because a graph keeps only the first place of a shared node. Sums,
        comparisons and user calls themselves have no entry; of operations at one place (expanded terms) the last
        counts.
        """
        recorder = Recorder(self.source)
        tokens, _ = scan(self.source, self.bound, self.foreign, split=True)
        parse(tokens, recorder)
        machine = Machine(self.source, recorder, {*self.bound, *tokens.spelled.variables})
        machine.places = {}
        machine.run()
        return machine.places


def unpack(*state: object) -> Program:
    """Return the program from the fields of `Program.pack`, given as separate arguments.

    Raises RequestError if they are not those of a program, or use functions that are not declared.
    """
    try:
        return _unpack_columns(state)
    except (TypeError, ValueError) as error:
        raise pickle_error("an expression", str(error)) from None


def _unpack_columns(state: Any) -> Program:
    """Return the program from the fields of `pack`.

    They are (text, name, first line, text as shown, of the same length), the readings, the names of constants that are
    used, the names from the point, the columns of the graph, and the places in another notation with their tokens.
    Raises TypeError or ValueError if they do not fit together, or if nothing is an output.
    """
    (text, name, first_line, shown), notes, constants, bound, columns, places = state
    note_texts = [word for text_of, _, kind, topic in notes for word in (text_of, kind, topic)]
    if not all(isinstance(word, str) for word in (text, shown, name or "", *constants, *bound, *note_texts)):
        raise TypeError("its texts are not strings")
    if type(first_line) is not int or len(text) != len(shown):
        raise ValueError("its text has no place")
    readings = [Reading(text_of, (int(start), int(end)), kind, topic) for text_of, (start, end), kind, topic in notes]
    graph = unpack_graph(*columns)
    if not graph.outputs:
        raise ValueError("it has no output")
    foreign = [Foreign(int(start), int(end), tuple([(str(k), str(t)) for k, t in pair])) for start, end, pair in places]
    return Program(Source(text, name, first_line, shown), graph, readings, frozenset(constants), bound, foreign)


def read_program(
    source: Source, bound: Collection[str] = (), expansion: int = EXPANSION_LIMIT, letters: bool = False
) -> Program:
    """Parse the program in `source` and return it, with notes on how it was read.

    `bound` are names known to be variables, from the point. Calls and sums may expand to `expansion` operations. With
    `letters` all other names of letters are products. A text that cannot be read is tried again in the notations of
    other programs; if it has none, or an error is at one of these, the first error is raised (`_read_otherwise`).

    Raises SyntaxProblem (also for an empty text or one that begins with #), NameProblem or ArityProblem with the place.
    Raises RequestError beyond the expansion. Mathematical requests (`d/dx`, `∫`) are looked for after reading, if it
    fails or if an unbound input is d, D or longer than a letter; their answer is raised, which may be an OtherCommand.
    """
    if not source.text.strip() or source.text.lstrip().startswith("#"):
        end = len(source.text)
        raise SyntaxProblem(NO_EXPRESSION, Span(end, end + 1, source), "write one here, such as log(x1)*x2")
    foreign: Sequence[Foreign] = ()
    notes: Sequence[Reading] = ()
    if letters:
        from .notations import places_in  # only needed for --letters

        foreign, notes = places_in(source.text, bound, ("letters",))
    with pause_gc(len(source.text)):
        try:
            program = _read_text(source, bound, expansion, foreign, split=True)
            if any((len(name) > 1 or name in "dD") and name not in bound for name in program.graph.inputs.values()):
                _refuse_requests(source, bound, expansion)
            refuse_product_lists(source, bound)
            return program._replace(readings=[*notes, *program.readings]) if notes else program
        except (SyntaxProblem, NameProblem, ArityProblem) as problem:
            return _read_otherwise(source, bound, expansion, problem, letters)


def refuse_product_lists(source: Source, bound: Collection[str], tables: Sequence[str] = ("lists", "norms")) -> None:
    """Raise the SyntaxProblem for the first sign in the text of a table in `tables`; return None if there is none.

    "lists" has lists without commas of names in `bound`, as in `mean([x y])`, and indices of arrays in round brackets,
    as in `x(1)`; "norms" has ||…|| around a capital that has no value in `bound`.
    """
    if any(sign in source.text for sign in ("[", "||", "‖")) or any("[" in name for name in bound):
        from .notations import refuse_written  # only needed for lists

        for table in tables:
            refuse_written(source, bound, table)


def _read_otherwise(
    source: Source, bound: Collection[str], expansion: int, problem: AdcliError, letters: bool
) -> Program:
    """Return the program of a text that could not be read, with signs of other programs replaced, and notes on them
    first.

    `problem` is the first error; the other parameters are those of `read_program`. The errors, in this order:

    - that of the table `ambiguous` of grammar/notations.txt, if the text has such a sign
    - the answer to a mathematical request
    - if the text still cannot be read, that of the table `cures`
    - `problem`, if there is no such notation, or if the new error has no place or lies in one
    - the new error, which is elsewhere
    - those of `refuse_product_lists`, after the text was read

    RequestError (too many operations) is never replaced by another error.
    """
    from .notations import places_in, refuse_written  # only needed for what cannot be read

    refuse_written(source, bound, "ambiguous")
    _refuse_requests(source, bound, expansion)
    foreign, notes = places_in(source.text, bound, ("notations", *["letters"] * letters))
    try:
        if not foreign:
            raise problem
        program = _read_text(source, bound, expansion, foreign, split=True)
    except (SyntaxProblem, NameProblem, ArityProblem) as other:
        refuse_written(source, bound, "cures")
        here = other.span
        if here is None or any(place.start < here.end and here.start < place.end for place in foreign):
            raise problem from None
        raise
    refuse_product_lists(source, bound)
    return program._replace(readings=[*notes, *program.readings])


def _refuse_requests(source: Source, bound: Collection[str], expansion: int) -> None:
    """Raise the error that answers a mathematical request in the text; return if the text has none.

    Requests are derivatives, integrals, limits, algebra, and sums in another notation. `bound` are names with a value,
    `expansion` is the limit on operations for reading parts of the text.
    """
    # only needed for new names, and if something is wrong
    from .math_requests.math_answers import answer
    from .notations import places_in

    def inputs(text: Source, known: Collection[str]) -> Collection[str]:
        """Return the inputs of the program `text`; a text that cannot be read is tried once more with notations of
        other programs.

        `known` are names with a value. Raises SyntaxProblem, NameProblem, ArityProblem or RequestError.
        """
        try:
            return _read_text(text, known, expansion).graph.inputs.values()
        except (SyntaxProblem, NameProblem, ArityProblem):
            foreign, _ = places_in(text.text, known)
            if not foreign:
                raise
            return _read_text(text, known, expansion, foreign, split=True).graph.inputs.values()

    error = answer(source, bound, inputs)
    if error is not None:
        raise error from None


def read_formula(source: Source, foreign: Sequence[Foreign], bound: Collection[str], expansion: int) -> Graph:
    """Return the graph of a formula in which the `foreign` places are signs of another notation, with the tokens that
    they mean.

    `bound` are names known to be variables, calls and sums may expand to `expansion` operations. Raises SyntaxProblem,
    NameProblem, ArityProblem or RequestError; mathematical requests are not recognised.
    """
    return _read_text(source, bound, expansion, foreign).graph


def _read_text(
    source: Source, bound: Collection[str], expansion: int, foreign: Sequence[Foreign] = (), split: bool = False
) -> Program:
    """Read a program without a look for requests: scan, parse and run it.

    `bound` are names with a value; `expansion` is the most operations that sums and functions may expand to. `foreign`
    are sorted places with the tokens to put there; with `split` letters of LaTeX around them are a product. Readings
    are those of the scanner, the recorder, the machine and, without `foreign` or with `split`, the names. Raises
    SyntaxProblem, NameProblem, ArityProblem or RequestError.
    """
    tokens, readings = scan(source, bound, foreign, split)
    if not tokens.kinds:
        raise SyntaxProblem(NO_EXPRESSION, Span(0, 1, source), "write one here, such as log(x1)*x2")
    recorder = Recorder(source)
    try:
        parse(tokens, recorder)
    except Unparsed as unparsed:
        from .syntax_errors import explain  # builds its examples, so only when there is something to explain

        raise explain(unparsed.failure, source) from None
    machine = Machine(source, recorder, {*bound, *tokens.spelled.variables}, expansion)
    machine.run()
    readings = [*readings, *_filter_readings(recorder.readings, machine), *machine.readings]
    if not foreign or split:
        readings += _name_readings(machine)
    return Program(source, machine.graph, readings, machine.constants_used, bound, foreign)


def _filter_readings(readings: Sequence[Reading], machine: Machine) -> list[Reading]:
    """Return the readings without those of function names that another function in the program makes clear, as exp does
    log."""
    if all(reading.topic not in ROWS for reading in readings):
        return list(readings)
    used = {row.name for row in machine.graph.rows if row is not None} | machine.constants_used
    return [r for r in readings if r.topic not in ROWS or used.isdisjoint(ROWS[r.topic].clear_beside)]


def _name_readings(machine: Machine) -> list[Reading]:
    """Return notes on the inputs without a value whose names may mean something else, in the order of the inputs.

    Checked (by `name_reading`) are T, names that are not ASCII or begin with an underscore, and names of several
    characters that are not a letter with digits: `x` and `x1` are not checked, `xy` and `x_1` are. Raises NameProblem
    for the first name that the advice table `names` calls something else.
    """
    new = [n for n in machine.inputs if n not in machine.bound]
    names = [n for n in new if (len(n) > 1 and not n[1:].isdecimal()) or not n.isascii() or n[0] == "_" or n == "T"]
    if not names:
        return []
    from .ambiguous_names import name_reading  # most names are those of the point, or letters

    known = {*machine.bound, *machine.assigned, *machine.inputs}
    values = machine.bound.difference(machine.recorder.parameters)
    spans = {name: Span(*machine.graph.spans[machine.inputs[name]], machine.source) for name in names}
    notes = [name_reading(name, spans[name], known, machine.inputs, values) for name in names]
    return [note for note in notes if note is not None]
