"""Sentences for each step of a sweep, as a tutor would say them; `trace.explained_sweeps` has the facts. A passage is
one explained sweep, `explained` one of its steps; the label of a row is the name that is shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..grammar_files import read_tables
from ..graph.graph import INPUT
from ..marking.prediction import ArrayTruth
from ..notation.display_formula import Formula
from ..notation.number_text import Digits, with_and
from ..notation.table_formulas import bracket, join, write_adjoint, write_name, write_partial, write_tangent
from ..records import NamedTuple
from ..table.primitive import ROWS, SUM, Call, Template
from ..trace import explained_sweeps as es
from ..trace.explained_sweeps import FORWARD, REVERSE, VALUE, ExplainedStep, ExplainedSweep
from ..trace.trace_model import SEED, Trace
from ..trace.written_rules import WrittenRule
from ..typings import Final
from .document_parts import Runs
from .trace_tables import number, value_text

_PATH = 6  # rows of a path that are shown
_RULE_NAMES = {"product": "Product rule", "fraction": "Quotient rule", "power": "Power rule"}  # by shape


# Where rows are numbered in the order of calls, and where by height.
_ORDERS = (
    "Rows are numbered in the order in which nested calls return.",
    "Rows are numbered by height above the inputs, and from left to right within a height.",
)


_OPENINGS: Final = {sweep: texts for sweep, (texts,) in read_tables("sweeps.txt", dict[str, str]).items()}


class Line(NamedTuple):
    """One step in words.

    number         counts from 1
    symbol         the name of the computed number: v1, v̇1, v̄1
    working        its formulas with names alone; `numbers` the formula with numbers, the result last
    before, after  sentences; those in `before` contain no number that a reader is to predict, those in `after` may
    explained      the step with its rule and edges
    array          the array that a reader can predict at a step with one; None at others
    """

    number: int
    symbol: str
    working: tuple[str, ...]
    numbers: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    explained: ExplainedStep
    array: ArrayTruth | None = None

    @property
    def equation(self) -> Formula:
        """Return the step as one chain of equations: symbol = working = numbers = result."""
        return join(self.symbol, *[part for side in (*self.working, *self.numbers) for part in (" = ", side)])

    @property
    def truth(self) -> float | ArrayTruth | None:
        """Return the number or array that a reader can predict at this step; None if there is nothing to predict.

        It is `array` if the step has one (a trace of arrays), otherwise the number of the step. None for inputs and
        conditions in the sweep of values, and for values that are missing, not finite or not doubles.
        """
        if self.array is not None:
            return self.array
        step, row = self.explained.step, self.explained.row
        is_given = step.sweep == VALUE and (row.operator == INPUT or row.truth)
        return step.value if not is_given and isinstance(step.value, float) and math.isfinite(step.value) else None


class Account(NamedTuple):
    """One sweep in words.

    title    its title; `short` the one for a tab
    opening  the sentences before the steps
    search   the depth-first search in sentences, with full detail; else empty
    lines    the steps
    results  sentences on the numbers at its end
    """

    passage: ExplainedSweep
    title: str
    short: str
    opening: tuple[str, ...]
    search: tuple[str, ...]
    lines: tuple[Line, ...]
    results: tuple[str, ...]


def accounts(trace: Trace, digits: Digits, detail: str = "short", *, restart_numbers: bool = False) -> list[Account]:
    """Return the sweeps of a trace in words: values, then forward sweeps, then reverse sweeps, each in the order of
    their keys; sweeps that have neither steps nor results are left out.

    `detail` full adds the search, the order of rows, rules and partial derivatives; any other value is short. Steps are
    numbered through all sweeps, with `restart_numbers` anew in each. Raises RequestError for more than 2000 rows and
    steps together.
    """
    speaker = _SentenceWriter(trace, digits, detail == "full")
    passages = es.explain_steps(trace, digits, restart_numbers=restart_numbers)
    return [speaker.account(passage) for passage in passages if passage.steps or passage.results]


def title_and_opening(
    passage: ExplainedSweep, v: str, full: bool = False, numbering: str = "level"
) -> tuple[str, tuple[str, ...]]:
    """Return (title, opening sentences) of the sweep `passage`.

    The sentences say what its symbols mean and give the chain rule; with `full` also the order of rows. The sweep of
    values has the title `Values` and one sentence (two with `full`). A sweep with key SEED, which starts from a seed of
    the user and not from one input or output, is described as along the seed or of the weighted outputs. `v` is the
    letter of rows. `numbering` is level or call and is used for values only.
    """
    if passage.sweep == VALUE:
        order = [_ORDERS[numbering == "level"]] if full else []
        return "Values", ("Every row is one operation, computed after the rows that it needs.", *order)
    opening, about = _OPENINGS[passage.sweep], passage.about
    is_forward = passage.sweep == FORWARD
    symbol = write_tangent(v) if is_forward else write_adjoint(v)
    slope = write_partial(v, about) if is_forward else write_partial(about, v)
    kinds = ("seeded_title", "seeded") if passage.key == SEED else ("title", "meaning")
    texts = [opening[kind] for kind in (*kinds, "rule", *["order"] * full)]
    title, *sentences = (text.format(symbol=symbol, slope=slope, v=v, about=about) for text in texts)
    before, named, _ = texts[0].partition("{about}")
    return Runs(before, write_name(about)) if named else title, tuple(sentences)


class _SentenceWriter:
    """A writer of the sentences for the sweeps of one trace; `full` adds the search, the rules of each step and the
    partial derivatives.
    """

    def __init__(self, trace: Trace, digits: Digits, full: bool) -> None:
        self.trace, self.digits, self.full = trace, digits, full
        self.labels = {row.name: row.label for row in trace.rows}
        operation = next((row.name for row in trace.rows if row.operator != INPUT), "v")
        self.letter = operation.rstrip("0123456789")

    def account(self, passage: ExplainedSweep) -> Account:
        """Return one sweep in words.

        The search is empty without full detail or if the passage has none. The tab title is the first word of the title
        and what the sweep is about: `Forward x1`; `Values` for values.
        """
        title, opening = title_and_opening(passage, self.letter, self.full, self.trace.numbering)
        short = f"{title.partition(' ')[0]} {passage.about}".strip()
        search = self._search_sentences(passage, passage.search) if self.full and passage.search else ()
        lines = tuple(self._build_line(passage, step) for step in passage.steps)
        results = tuple(map(self._result_sentence, passage.results))
        return Account(passage, title, short, opening, search, lines, results)

    def _result_sentence(self, result: es.SweepResult) -> str:
        """Return a result as a sentence: `∂y/∂x1 = x̄1 = 5.5.`; empty parts are left out, and equal parts
        written once.
        """
        parts = dict.fromkeys([result.name, result.symbol, number(result.value, self.digits)])
        first, *others = [part for part in parts if part]
        return Runs(join(first, *[part for other in others for part in (" = ", other)]), ".")

    # --- before the steps

    def _search_sentences(self, passage: ExplainedSweep, search: es.Search) -> tuple[str, ...]:
        """Return sentences for the depth-first search of the sweep `passage`, which makes the tape.

        The first says how the search works. Then there is one for each row as it is written down, with its path (the
        last 6 rows) and the reason. Then come the rows as written, the tape (the reverse), and, if there are any, the
        rows that are not on the tape. Forward sweeps search children, reverse sweeps parents.
        """
        ahead = passage.sweep == FORWARD
        one, many = ("child", "children") if ahead else ("parent", "parents")
        sentences = [
            f"A depth-first search from {search.root} finds the rows that it {'reaches' if ahead else 'depends on'}: "
            f"it visits the {many} of a row first, and writes the row down after all of them."
        ]
        for place in search.places:
            path = place.path if len(place.path) <= _PATH else ("…", *place.path[-_PATH:])
            row, around = place.path[-1], place.neighbours
            why = f"it has no {many}"
            if around:
                why = f"its {one} {around[0]} is" if len(around) == 1 else f"its {many} {with_and(around)} are"
                why += " written"
            sentences.append(f"{' → '.join(path)}: {row} is written, since {why}.")
        sentences.append(f"Written: {', '.join(reversed(search.tape))}.")
        sentences.append(f"Read backwards this is the tape, each row before its {many}: {', '.join(search.tape)}.")
        if search.unreached:
            kind = "tangent" if ahead else "adjoint"
            sentences.append(f"Not on the tape, so with {kind} 0: {with_and(search.unreached)}.")
        return tuple(sentences)

    # --- the steps

    def _build_line(self, passage: ExplainedSweep, explained: ExplainedStep) -> Line:
        """Return the step `explained` of the sweep `passage` in words.

        `working` holds the chain rule, then the formula in names, without empty texts, repeats and texts equal to the
        result. `numbers` is (formula in numbers, result), or the result alone if that formula is the result or in
        `working`, or if the row is not computed. In the sweep of values, conditions have no chain rule and their
        formulas are bracketed. The step's notes are the last sentences of `after`.
        """
        step, row = explained.step, explained.row
        say = {VALUE: self._value_step, FORWARD: self._tangent_step, REVERSE: self._adjoint_step}[passage.sweep]
        symbol, before, after = say(passage, explained)
        result = value_text(row, self.digits) if passage.sweep == VALUE else number(step.value, self.digits)
        chain, symbolic, substituted = step.chain, step.symbolic, step.substituted
        if step.value is None:
            substituted = result
        elif passage.sweep == VALUE and row.truth:
            chain, symbolic, substituted = join(), bracket(symbolic), bracket(substituted)
        working = [text for text in dict.fromkeys((chain, symbolic)) if text not in ("", result)]
        numbers = [result] if substituted in (result, *working) else [substituted, result]
        after += [f"{text}." for text in explained.notes]
        return Line(explained.number, symbol, tuple(working), tuple(numbers), tuple(before), tuple(after), explained)

    def _value_step(self, passage: ExplainedSweep, explained: ExplainedStep) -> tuple[str, list[str], list[str]]:
        """Return (symbol, sentences before, sentences after) of the step `explained`, which computes a value.

        There are no sentences after; `passage` is not used. The first input says that the point gives the inputs; other
        inputs say nothing. A row of a branch that is not taken says so. For other rows there are sentences only in full
        detail: the summary of the function at its first use (only for functions written as calls), and the rows that it
        needs.
        """
        row, needs = explained.row, explained.needs
        if row.operator == INPUT:
            return write_name(row.label), ["The inputs are given by the point."] if explained.number == 1 else [], []
        if explained.step.value is None:
            return write_name(row.label), ["It is not computed: a condition has chosen the other branch."], []
        sentences = []
        primitive = ROWS[row.operator]
        rule = explained.rule if self.full and explained.explained == explained.number else None
        if rule is not None and isinstance(primitive.notation, Call):
            call = "" if primitive.summary.startswith(rule.call) else f"{rule.call}: "
            sentences.append(f"{call}{primitive.summary}.")
        if self.full:
            known = f"{with_and(needs)}, which {'is' if len(needs) == 1 else 'are'} known" if needs else "no other row"
            sentences.append(f"It needs {known}.")
        return write_name(row.label), sentences, []

    def _tangent_step(self, passage: ExplainedSweep, explained: ExplainedStep) -> tuple[str, list[str], list[str]]:
        """Return (symbol, sentences before, sentences after) of the step `explained` of the forward sweep `passage`.

        The symbol is the written one, such as v̇1. The first that applies:

        - An input: before, whether it changes; nothing after.
        - A row that is not computed: before, that it contributes nothing; nothing after.
        - A condition: its rule before (at most one sentence, `_rule_sentences`); nothing after.
        - A row that the input or seed does not reach: before, its rule and that it is independent; nothing after.
        - Other rows: their rule before. After are the partial derivatives (only in full detail), and then a sentence
          that lists the terms, if there is more than one.
        """
        row, about = explained.row, passage.about
        symbol = write_tangent(row.label)
        if row.operator == INPUT:
            moves = row.name == passage.key
            if passage.key == SEED:
                return symbol, [f"The seed {'changes' if explained.reached else 'does not change'} {row.label}."], []
            return symbol, [f"{'Only ' * moves}{row.label} {'changes' if moves else 'does not change'}."], []
        if row.value is None:
            return symbol, [f"{row.label} is not computed and contributes nothing."], []
        before = self._rule_sentences(explained)
        if row.truth:
            return symbol, before, []
        if not explained.reached:
            mover = "the seed" if passage.key == SEED else about
            return symbol, [*before, f"{row.label} does not depend on {mover} here."], []
        after = self._partial_sentences(explained.edges)
        if len(explained.edges) > 1:
            ways = [(number(e.amount, self.digits), self._argument_label(e, explained.edges)) for e in explained.edges]
            terms = [f"{amount} through {label}" for amount, label in ways]
            after.append(f"{'Two' if len(terms) == 2 else 'Several'} terms add up: {with_and(terms)}.")
        return symbol, before, after

    def _adjoint_step(self, passage: ExplainedSweep, explained: ExplainedStep) -> tuple[str, list[str], list[str]]:
        """Return (symbol, sentences before, sentences after) of the step `explained` of the reverse sweep `passage`.

        The symbol is the adjoint of the step's target, such as v̄1. Without edges the only sentence is before: the
        sweep starts here, or the seed gives a weight. With edges, the sentences before are: in full detail why the
        source row is complete (in its first step); the rule; for a first contribution that more will come, or in full
        detail that it is the only one. The sentences after are: in full detail the partial derivative of the last edge;
        for several contributions (a seed's weight counts) their list and whether the adjoint is complete.
        """
        step, labels = explained.step, self.labels
        symbol = write_adjoint(step.label)
        more = f"more will come from {with_and(explained.pending)}" if explained.pending else ""
        if not explained.edges:
            start = f"The seed gives {step.label} its weight" if passage.key == SEED else "The sweep starts here"
            return symbol, [f"{start}{f'; {more}' if more else ''}."], []
        before = []
        if self.full and explained.opens:
            before.append(self._completion_sentence(explained))
        before += self._rule_sentences(explained)
        after = self._partial_sentences(explained.edges[-1:])
        if len(explained.edges) > 1 or explained.weight is not None:
            terms = [f"{number(edge.amount, self.digits)} from {labels[edge.child]}" for edge in explained.edges]
            if explained.weight is not None:
                terms.insert(0, f"{number(explained.weight, self.digits)} from the seed")
            after.append(f"Contributions add up: {with_and(terms)}; {more or f'{symbol} is complete'}.")
        elif more:
            before.append(f"This is the first contribution to {symbol}; {more}.")
        elif self.full:
            before.append(f"It is the only contribution to {symbol}, which is complete.")
        return symbol, before, after

    def _completion_sentence(self, explained: ExplainedStep) -> str:
        """Return the sentence on the row `explained.row`, the source of the step, before its first contribution.

        It reads `v̄3 is complete, since v4 and v5 have contributed; v3 = x1 × x2 contributes to x1 and x2.` The rows in
        `explained.needs` have contributed; if there are none, the adjoint `is known from the start`. Arguments without
        a slope (None) are left out, repeated ones are named once.
        """
        row, needs = explained.row, explained.needs
        known = "is known from the start"
        if needs:
            known = f"is complete, since {with_and(needs)} {'has' if len(needs) == 1 else 'have'} contributed"
        moving = [text for text, slope in zip(explained.arguments, row.gradient, strict=True) if slope is not None]
        onward = with_and(list(dict.fromkeys(moving)))
        return f"{write_adjoint(row.label)} {known}; {row.label} = {row.formula} contributes to {onward}."

    def _rule_sentences(self, explained: ExplainedStep) -> list[str]:
        """Return at most one sentence, on the derivative rule of the step; [] if it has no rule.

        In the step that explains the rule (its first use) the sentence states the derivative with respect to each
        argument that is not a condition, or `has no derivative`. In full detail it also says which arguments the
        letters of the rule mean, if these have other names. In later steps there is a sentence only in full detail: a
        reference to the explaining step, unless the step continues a row that was opened before.
        """
        rule = explained.rule
        if rule is None:
            return []
        if explained.explained != explained.number:
            again = self.full and (explained.opens or explained.step.source is None)
            return [f"Rule: as in step {explained.explained}."] if again else []
        if not rule.derivatives:
            return [f"Rule: {rule.call} has no derivative; a condition contributes nothing."]
        meant = []
        if len(rule.arguments) == len(rule.derivatives):
            meant = [f"{a} is {text}" for a, text in zip(rule.arguments, explained.arguments, strict=True) if a != text]
        here = f"; here {with_and(meant)}" if self.full and meant else ""
        return [f"{_rule_name(ROWS[rule.name].notation)}: {_state_rule(rule)}{here}."]

    def _partial_sentences(self, edges: Sequence[es.EdgeFlow]) -> list[str]:
        """Return one sentence with the partial derivative of each edge: `∂v3/∂v1 = formula = numbers = value`, equal
        parts once.

        The argument's number is added if two edges come from the same parent. [] without full detail or without edges.
        """
        if not self.full:
            return []
        equations = []
        for edge in edges:
            parts = dict.fromkeys((edge.symbolic, edge.substituted, number(edge.slope, self.digits)))
            above, below = self.labels[edge.child], self.labels[edge.parent]
            twice = f" (argument {edge.position + 1})" if self._is_repeated(edge, edges) else ""
            equations.append(f"{write_partial(above, below)}{twice} = {' = '.join(parts)}")
        return [f"{with_and(equations)}."] if equations else []

    def _is_repeated(self, edge: es.EdgeFlow, edges: Sequence[es.EdgeFlow]) -> bool:
        """Return whether more than one of `edges` comes from the parent of `edge`, that is, whether a row is an
        argument twice.
        """
        return sum(1 for other in edges if other.parent == edge.parent) > 1

    def _argument_label(self, edge: es.EdgeFlow, edges: Sequence[es.EdgeFlow]) -> str:
        """Return the label of the edge's parent; `x1 as argument 2` (counted from 1) if it is an argument several
        times.
        """
        label = self.labels[edge.parent]
        return f"{label} as argument {edge.position + 1}" if self._is_repeated(edge, edges) else label


def _state_rule(rule: WrittenRule) -> str:
    """Return the derivative of a rule, which must have one, as a clause.

    For several arguments with a derivative each it is `∂(ab)/∂a = b and ∂(ab)/∂b = a`, without arguments that are
    conditions or orders. Otherwise, as for one argument, it is `the derivative of sin a is cos a`, with the first
    derivative.
    """
    if not 1 < len(rule.arguments) == len(rule.derivatives):
        return f"the derivative of {rule.call} is {rule.derivatives[0]}"
    row = ROWS[rule.name]
    whole = rule.call if isinstance(row.notation, Call) else f"({rule.call})"
    pairs = enumerate(zip(rule.arguments, rule.derivatives, strict=True))
    unstated = (0,) if row.has_order else row.truth_arguments
    return with_and([f"∂{whole}/∂{a} = {slope}" for k, (a, slope) in pairs if k not in unstated])


def _rule_name(notation: Call | Template) -> str:
    """Return Sum rule (also for −), Product rule, Quotient rule or Power rule by the sign of an operation; `Rule` for
    functions and all other signs.
    """
    if isinstance(notation, Call):
        return "Rule"
    is_sum = notation.level == SUM
    return "Sum rule" if is_sum else _RULE_NAMES.get(notation.shape, "Rule")
