"""Meanings of the formulas of an answer: names that the student has defined, and derivatives inside of formulas. A slot
is the index of a function in a graph; a Viewpoint says at which statement a formula is read, and whether with the
derivatives that the student stated (`own`) or the true ones.

A formula is resolved in one of two readings.  In the true one `u'` is the derivative of what u is; in the student's own
it is what the student claims that it is, so that a slip is followed through the lines after it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from ...answers.formula_reading.derivation_spelling import InnerDerivative, Meaning, NamedCall, NoFormula, Speller
from ...errors import AdcliError, Source
from ...graph.graph import Graph
from ...graph.order import postorder
from ...language.program import read_formula
from ...records import NamedTuple
from ...table.primitive import lookup
from .input_functions import Functions

_EXPANSION = 1_500  # operations of one formula
_DEEPEST = 24  # definitions and derivatives inside one another
CHARACTERS = 60_000  # of formulas of one answer


class NamedPart(NamedTuple):
    """A definition of a name by a student: its parameters, its formula, and the index of its statement.

    `parameters` is empty if the definition has none.
    """

    name: str
    parameters: tuple[str, ...]
    graph: Graph
    place: int


class Stated(NamedTuple):
    """A derivative as the student stated it.

    `of` is the slot of the differentiated function, `name` its name, `wrt` the inputs or symbols to differentiate by,
    `slot` the slot of what the student says the derivative is.
    """

    of: int
    name: str
    wrt: tuple[str, ...]
    slot: int


class Viewpoint(NamedTuple):
    """The settings with which a formula is resolved.

    `place` is the index of the statement in which it is; `wrt` is the input that primes differentiate by (None:
    unknown). `own` selects the student's reading instead of the true one. Names in `symbolic` are symbols, even if they
    are defined.
    """

    place: int
    wrt: str | None = None
    own: bool = False
    symbolic: frozenset[str] = frozenset()


class Meanings:
    """The formulas of one answer: `read` parses a text to a graph, `slot` substitutes the definitions of its names.

    `definitions` has those of each name in order, `stated` the derivatives that the student stated so far, `misread`
    the slot of what the student takes for the problem's function (None: the function itself). `usual` are the names
    that mean this function even if a definition is wrong: the outputs, f, y, F.
    """

    def __init__(self, functions: Functions, speller: Speller, output: str) -> None:
        """Begin with no definitions; `output` is the output of the problem that a function's name such as f means."""
        self.functions = functions
        self.speller = speller
        self.output = output
        self.definitions: dict[str, list[NamedPart]] = {}
        self.stated: list[Stated] = []
        self.usual = {*functions.outputs, "f", "y", "F"}  # names of the problem's function
        self.misread: int | None = None  # what the student takes the problem's function for
        self._read: dict[str, Graph | AdcliError] = {}
        self._left = CHARACTERS

    # --- reading ------------------------------------------------------------------------------------------------------

    def read(self, text: str) -> Graph:
        """Return the graph of the formula `text`, as the student wrote it, over the names in it.

        Definitions are not substituted. Derivatives and calls of unknown functions become inputs of the graph (marks of
        the speller). Raises an AdcliError, at each call, if `text` is not a formula.
        """
        return self._cached(text, self.speller.spell)

    def _cached(self, key: str, spell: Callable[[str], str]) -> Graph:
        """Return the graph of the formula that `spell(key)` returns as text.

        The graph is stored under `key` for the next call. So is an AdcliError of spelling or parsing, which is raised
        again.
        """
        if (result := self._read.get(key)) is None:
            try:
                result = self._parse(spell(key))
            except AdcliError as error:
                result = error
            self._read[key] = result
        if isinstance(result, AdcliError):
            raise result
        return result

    def _parse(self, text: str) -> Graph:
        """Return the graph of a formula in the spelling of the language.

        Counts its characters (at least 20) as read. Raises NoFormula if the answer's 60,000 characters are exceeded or
        if the text is not one formula, and an AdcliError if it cannot be parsed.
        """
        self._left -= max(len(text), 20)
        if self._left < 0:
            raise NoFormula("the answer is too long", label=f"{CHARACTERS:,} characters of formulas are read")
        bound = (*self.speller.inputs, *self.speller.symbols, *self.speller.marks)
        graph = read_formula(Source(text), (), bound, _EXPANSION)
        if len(graph.outputs) != 1:
            raise NoFormula("one formula is expected here")
        return graph

    def unknowns(self, graph: Graph) -> list[str]:
        """Return the names in a formula that nothing explains, in the order of the graph's inputs.

        Explained are inputs of the problem, names that the answer defines anywhere, names that may denote the problem's
        function (`is_function`), and marks. Marks are inputs that represent a derivative or a call; names inside of
        them are not looked at.
        """
        explained = (self.speller.marks, self.speller.inputs, self.definitions)
        names = (name for name in graph.inputs.values() if not any(name in known for known in explained))
        return [name for name in names if not self.is_function(name)]

    def undefined(self, graph: Graph, result: str) -> list[str]:
        """Return the names in a formula that the answer should define: the unknown ones, then those of a function.

        A function called g is taken for the problem's own if nothing defines it; only f, y, F, outputs and `result`,
        the name of what the student differentiates, need no definition. Names in derivatives count, too.
        """
        return self.unknowns(graph) + sorted(filter(self.is_function, self.names(graph) - {*self.usual, result}))

    def names(self, graph: Graph) -> set[str]:
        """Return the names in the formula `graph`: its inputs that are names, and the names in its derivatives and
        calls.

        These are, to every depth, names in the operands and arguments, names that are differentiated by, and names of
        called functions. Left out are called functions of the table, such as sin, and the marks (inputs that represent
        a derivative or call).
        """
        names, queue, seen = set[str](), list(graph.inputs.values()), set[str]()
        while queue:
            name = queue.pop()
            if (meaning := self.speller.marks.get(name)) is None:
                names.add(name)
            elif name not in seen:
                seen.add(name)
                if isinstance(meaning, InnerDerivative):
                    names.update(meaning.wrt)
                elif lookup(meaning.name) is None:
                    names.add(meaning.name)
                texts = [meaning.of] if isinstance(meaning, InnerDerivative) else meaning.arguments
                queue += [inner for text in texts for inner in self.names_in(text)]
        return names

    def names_in(self, text: str) -> list[str]:
        """Return the inputs of the formula `text`, which is in the spelling of the language, each once.

        These are names, but not of functions such as sin, and marks: names that the speller put in for derivatives and
        calls. The text is parsed (cached, and counted in the answer's 60,000 characters); [] if it is not a formula.
        """
        try:
            return list(self.again(text).inputs.values())
        except AdcliError:
            return []

    def is_function(self, name: str) -> bool:
        """Return whether `name` denotes the problem's own function: it may, and is neither an input nor defined by the
        answer."""
        return name in self.speller.functions and name not in self.speller.inputs and name not in self.definitions

    def meaning(self, graph: Graph) -> Meaning | str | None:
        """Return the derivative, call or name that a formula consists of; None for every other formula.

        A name is returned as text, the others as InnerDerivative or NamedCall.
        """
        (_, slot), = graph.outputs  # fmt: skip
        name = graph.inputs.get(slot)
        return None if name is None else self.speller.marks.get(name, name)

    def definition(self, name: str, place: int) -> NamedPart | None:
        """Return the definition of a name that holds in the statement with the index `place`; None if it has none.

        It is the last definition up to that statement (included), or else the first one after it.
        """
        if not (known := self.definitions.get(name)):
            return None
        before = [definition for definition in known if definition.place <= place]
        return before[-1] if before else known[0]

    def definitions_at(self, place: int) -> dict[str, NamedPart]:
        """Return the definition of each defined name that holds in the statement with the index `place`."""
        definitions = ((name, self.definition(name, place)) for name in self.definitions)
        return {name: definition for name, definition in definitions if definition is not None}

    def is_discussion(self, definition: NamedPart, derived: int) -> bool:
        """Return whether a definition called like the problem's function only discusses it: `f = 0`, a tangent.

        All of these must hold:
        - its value in the true reading can be resolved and is not an output;
        - it would be a wrong copy of the function (`is_misread`: its name is in `usual`, and it is no part);
        - its place is after `derived`, the place of the first derivative of an output, or its value depends on no input
          or symbol.

        Its name must be in `definitions`.
        """
        slot, functions = self.value_of_definition(definition), self.functions
        if slot is None or any(functions.same(function, slot) for function in functions.outputs.values()):
            return False
        is_other = definition.place > derived or not functions.depends(slot)
        return is_other and self.is_misread(definition.name, slot)

    def is_misread(self, name: str, slot: int) -> bool:
        """Return whether the answer has copied the problem's function wrongly as `name`, whose value is `slot`.

        True if all of these hold:
        - `name` is in `usual`;
        - `slot` depends on inputs only, and the parameters of all definitions of `name` are inputs;
        - `slot` is not a part of an output (`_is_part`).

        The caller has checked that no definition equals the function. Raises KeyError if `name` is one of these names
        and has no definition.
        """
        functions = self.functions
        if name not in self.usual:
            return False
        parameters = {each for known in self.definitions[name] for each in known.parameters}
        of_inputs = parameters | functions.depends(slot) <= functions.inputs.keys()
        return of_inputs and not self._is_part(name, slot)

    def _is_part(self, name: str, slot: int) -> bool:
        """Return whether `slot`, the value of `name`, agrees at the sample points with a part of an output.

        A part is an operation, an input or a constant in the formula of an output, and also another output inside of
        this one, but not this output itself. False if the names that the answer defines or differentiates are only
        `name` and inputs: none of them could be the problem's function.
        """
        functions = self.functions
        if self.speller.symbols | self.definitions.keys() <= {name, *functions.inputs}:
            return False
        graph, outputs = functions.graph, functions.outputs.values()
        parts = {s for output in outputs for s in postorder(output, graph.parents.__getitem__) if s != output}
        return any(functions.same(part, slot) for part in parts)

    def value_of_definition(self, definition: NamedPart) -> int | None:
        """Return the slot of a definition; None if it cannot be resolved."""
        return self.slot_or_none(definition.graph, Viewpoint(definition.place))

    # --- resolving ----------------------------------------------------------------------------------------------------

    def slot(self, graph: Graph, view: Viewpoint, depth: int = 0) -> int:
        """Return the slot of a formula, seen from `view`; `depth` counts nested definitions and derivatives.

        Names without a definition are symbols. Raises NoFormula if a derivative or function in the formula is
        undefined, or if `depth` is above 24, as it gets with circular definitions. Raises NotGradable if the graph of
        functions gets more than 20,000 slots.
        """
        if depth > _DEEPEST:
            raise NoFormula("the definitions are circular, or nested too deeply")
        leaves = {s: self._slot_of_name(name, view, depth) for s, name in graph.inputs.items()}
        return self.functions.graft(graph, graph.outputs[0][1], leaves)

    def slot_or_none(self, graph: Graph, view: Viewpoint) -> int | None:
        """Return the slot of a formula, seen from `view`; None if it cannot be resolved."""
        try:
            return self.slot(graph, view)
        except AdcliError:
            return None

    def likeliest(self, readings: Sequence[Graph], place: int) -> Graph:
        """Return the first of the `readings` of a formula that is an output of the problem, or else the first of all.

        `place` is the index of the statement in which the formula is. Readings are resolved in the true reading and
        compared at the sample points; one that cannot be resolved is passed over. Raises IndexError for no readings.
        """
        functions, view = self.functions, Viewpoint(place)
        for graph in readings if len(readings) > 1 else ():
            slot = self.slot_or_none(graph, view)
            if slot is not None and any(functions.same(slot, output) for output in functions.outputs.values()):
                return graph
        return readings[0]

    def _slot_of_name(self, name: str, view: Viewpoint, depth: int) -> int:
        """Return the slot of a name in a formula, seen from `view`.

        A mark of the speller gives the derivative or call that it represents (`slope_of`, `_slot_of_application`);
        primes differentiate by `variable(view)`, each once. Every other name is a symbol or defined
        (`_slot_of_symbol`). `depth` counts nested definitions and derivatives. Raises NoFormula if something in it is
        undefined or nested too deep, NotGradable if the graph gets too large.
        """
        meaning = self.speller.marks.get(name)
        if isinstance(meaning, InnerDerivative):
            wrt = meaning.wrt or (self.variable(view),) * meaning.order
            return self.slope_of(self.again(meaning.of), wrt, view, depth + 1)
        if isinstance(meaning, NamedCall):
            return self._slot_of_application(meaning, view, depth + 1)
        return self._slot_of_symbol(name, view, depth)

    def _slot_of_symbol(self, name: str, view: Viewpoint, depth: int) -> int:
        """Return the slot of a name as `view` sees it.

        The first that applies:
        - A name in `view.symbolic`, or an input, is a symbol.
        - A defined name is its definition at `view.place`, seen from its own place; its parameters that are not inputs
          become symbols in addition to `view.symbolic`.
        - A name of the problem's function is what the student takes the function for (`misread`), if `view.own`.
        - Such a name is the output of that name, or else the output `output` of this answer.
        - Every other name is a symbol without a value.

        `depth` counts nested definitions. Raises what `slot` raises for the definition: NoFormula or NotGradable.
        """
        functions = self.functions
        if name in view.symbolic or name in functions.inputs:
            return functions.symbol(name)
        if (definition := self.definition(name, view.place)) is not None:
            symbolic = view.symbolic.union(definition.parameters) - functions.inputs.keys()
            return self.slot(definition.graph, view._replace(place=definition.place, symbolic=symbolic), depth + 1)
        if self.is_function(name):
            if view.own and self.misread is not None:
                return self.misread
            return functions.outputs[name] if name in functions.outputs else functions.outputs[self.output]
        return functions.symbol(name)

    def variable(self, view: Viewpoint) -> str:
        """Return the input that primes differentiate by: `view.wrt`, or else the only input.

        Raises NoFormula if `view.wrt` is None and there are several inputs or no input.
        """
        if view.wrt is not None:
            return view.wrt
        names = list(self.functions.inputs)
        if len(names) != 1:
            raise NoFormula("it does not say with respect to which input it is the derivative")
        return names[0]

    def again(self, text: str) -> Graph:
        """Return the graph of `text`, a part of a formula that is already in the spelling of the language.

        Raises an AdcliError if it is not a formula.
        """
        return self._cached(f"\0{text}", lambda key: key[1:])

    def slope_or_none(self, graph: Graph | None, wrt: Sequence[str], view: Viewpoint) -> int | None:
        """Return the slot of `slope_of` for a formula; None without a formula, and if it cannot be resolved."""
        try:
            return None if graph is None else self.slope_of(graph, wrt, view, 0)
        except AdcliError:
            return None

    def slope_of(self, graph: Graph, wrt: Sequence[str], view: Viewpoint, depth: int) -> int:
        """Return the slot of the derivative of the formula `graph` by each of `wrt` (inputs or symbols) in turn.

        In the student's reading (`view.own`) it is the stated derivative, if there is one: what the student last
        stated, in any line so far, for the derivative with respect to the same names in the same order. It must be the
        derivative of the name that `graph` is or, if all of `wrt` are inputs, of an equal function. Otherwise, and in
        the true reading, it is computed. Names in `wrt` that are not inputs are symbols while differentiating; then
        their definitions are substituted (`_slope_by_symbols`).

        `depth` counts nested definitions and derivatives. Raises an AdcliError if the operand is unknown, also for a
        stated derivative by inputs, or if it is unknown how the operand depends on a symbol.
        """
        functions = self.functions
        symbols = frozenset(name for name in wrt if name not in functions.inputs)
        if symbols:
            return self._slope_by_symbols(graph, wrt, symbols, view, depth)
        operand = self.slot(graph, view, depth + 1)
        stated = self._stated_derivative(wrt, view, self.meaning(graph), operand)
        return functions.differentiate(operand, wrt) if stated is None else stated

    def _stated_derivative(
        self, wrt: Sequence[str], view: Viewpoint, name: object, of: int | None = None
    ) -> int | None:
        """Return the slot of what the student last stated for a derivative with respect to `wrt`, in the student's
        reading.

        All derivatives stated so far are tried, the last one first, wherever `view` is. The first is taken that is by
        the same names in the same order, and about a part called `name` (an object that is not a string equals no name)
        or about a function that equals the slot `of` at the sample points (None: not compared). None if there is no
        such statement, and in the true reading (`view.own` is False).
        """
        alike = [stated for stated in self.stated if stated.wrt == tuple(wrt) and view.own]
        for stated in reversed(alike):
            if stated.name == name or (of is not None and self.functions.same(stated.of, of)):
                return stated.slot
        return None

    def _slope_by_symbols(
        self, graph: Graph, wrt: Sequence[str], symbols: frozenset[str], view: Viewpoint, depth: int
    ) -> int:
        """Return the slot of a derivative with respect to symbols of the answer's own, as `dy/du` of the chain rule
        with `u = x^2`.

        `graph` is the formula of y; `wrt` has the names to differentiate by, of which `symbols` are not inputs; `depth`
        counts nested definitions. The first that applies:
        - In the student's reading: what the student last stated for this derivative of the name that `graph` is,
          wherever in the answer.
        - If y depends on a symbol, u, once all other names in it are replaced by their definitions: its derivative.
        - If parts of y equal the definition of u (`y = sin(x^2)`): the same, with u in place of these parts.

        In a computed derivative each u is then replaced by its definition; without one it stays. Symbols that are
        already in `view.symbolic` do not count as u. Raises NoFormula if y depends on none of the others.
        """
        functions = self.functions
        if (stated := self._stated_derivative(wrt, view, self.meaning(graph))) is not None:
            return stated
        operand = self.slot(graph, view._replace(symbolic=view.symbolic | symbols), depth + 1)
        free = symbols - view.symbolic
        if not free & functions.depends(operand):
            operand = self.replace_definitions(self.slot(graph, view, depth + 1), free, view, depth)
        if not free & functions.depends(operand):
            raise NoFormula(f"the answer does not say how the function depends on {', '.join(sorted(free))}")
        defined = [name for name in free if self.definition(name, view.place) is not None]
        definitions = {functions.symbol(name): self._slot_of_symbol(name, view, depth + 1) for name in defined}
        return functions.substitute(functions.differentiate(operand, wrt), definitions)

    def replace_definitions(self, slot: int, symbols: Collection[str], view: Viewpoint, depth: int) -> int:
        """Return `slot` with each operation that equals the definition of one of `symbols` replaced by that symbol.

        Equal means at the sample points; of operations inside each other the outer one is replaced. Inputs and
        constants stay. If several symbols fit, the first by name counts; symbols without a definition are ignored.
        Definitions are seen from `view`. `depth` counts nested definitions. Raises NoFormula if they are nested too
        deep or have a derivative or call of something undefined, NotGradable if the graph of functions becomes too
        large.
        """
        functions = self.functions
        graph = functions.graph
        leaves: dict[int, int] = {}
        for name in sorted(symbols):
            if self.definition(name, view.place) is None:
                continue
            part = self._slot_of_symbol(name, view, depth + 1)
            for s in range(slot + 1):
                if s not in leaves and graph.rows[s] is not None and functions.same(part, s):
                    leaves[s] = functions.symbol(name)
        return functions.substitute(slot, leaves)

    def _slot_of_application(self, applied: NamedCall, view: Viewpoint, depth: int) -> int:
        """Return the slot of a call such as `g(x)` or `g'(x)`, seen from `view`.

        The first that applies:
        - A function of the table with one argument, unless its name is a symbol of the answer: the function, or its
          derivative.
        - A defined function with as many parameters as there are arguments: `_slot_of_call`.
        - A defined name, a name of the problem's function, or a symbol, if all arguments are inputs: without primes the
          name itself (`y(x)` is y); with primes its derivative with respect to the argument or, if there are several,
          by `variable(view)`.
        - A defined name or a name of the problem's function, without primes: a product, `y(1 - y)`.

        `depth` counts nested definitions. Raises NoFormula for every other call, and what `slot` and `slope_of` raise.
        """
        functions = self.functions
        name, order = applied.name, applied.order
        row = lookup(name) if name not in self.speller.symbols else None
        if row is not None and len(applied.arguments) == 1:
            t = functions.symbol("\0t")
            slot = functions.differentiate(functions.graph.apply(row, (t,)), ["\0t"] * order)
            return functions.substitute(slot, {t: self.slot(self.again(applied.arguments[0]), view, depth + 1)})
        definition = self.definition(name, view.place)
        if definition is not None and definition.parameters and len(definition.parameters) == len(applied.arguments):
            return self._slot_of_call(definition, applied, view, depth)
        is_known = definition is not None or self.is_function(name)
        is_of_inputs = all(text.strip() in functions.inputs for text in applied.arguments)
        if is_of_inputs and (is_known or name in self.speller.symbols):
            if not order:
                return self._slot_of_symbol(name, view, depth + 1)
            single = len(applied.arguments) == 1
            by = applied.arguments[0].strip() if single else self.variable(view)
            return self.slope_of(self.again(name), (by,) * order, view, depth + 1)
        if not order and applied.text and is_known:  # y(1 - y) is a product
            return self.slot(self.again(applied.text), view, depth + 1)
        raise NoFormula(f"the function {name} is not defined")

    def _slot_of_call(self, definition: NamedPart, applied: NamedCall, view: Viewpoint, depth: int) -> int:
        """Return the slot of the function in `definition`, or of its derivative, at the arguments of `applied`.

        `definition` has as many parameters as `applied` arguments. Its body is seen from its own place, with the
        parameters as symbols or inputs, which are then all replaced by the arguments at once. With primes the body is
        differentiated with respect to its only parameter, as often; in the student's reading what the student last
        stated for that derivative, by the parameter, replaces it. `depth` counts nested definitions. Raises NoFormula
        if a function of several parameters is differentiated.
        """
        functions = self.functions
        if applied.order and len(definition.parameters) > 1:
            raise NoFormula(f"it does not say with respect to which argument {definition.name} is differentiated")
        arguments = [self.slot(self.again(text), view, depth + 1) for text in applied.arguments]
        hidden = [name for name in definition.parameters if name in functions.inputs]
        symbolic = view.symbolic.union(definition.parameters) - frozenset(hidden)
        inside = view._replace(place=definition.place, symbolic=symbolic)
        slot = self.slot(definition.graph, inside, depth + 1)
        if applied.order:
            wrt = (definition.parameters[0],) * applied.order
            stated = self._stated_derivative(wrt, view, definition.name)
            slot = functions.differentiate(slot, wrt) if stated is None else stated
        parameters = map(functions.symbol, definition.parameters)
        return functions.substitute(slot, dict(zip(parameters, arguments, strict=True)))
