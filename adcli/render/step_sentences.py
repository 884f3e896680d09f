"""What a tutor says at each step, in sentences.  What there is to say is found by `trace.explained_sweeps`."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..graph.graph import INPUT
from ..notation.display_formula import Formula
from ..notation.number_text import Digits
from ..notation.table_formulas import barred, bracketed, dotted, joined, named, partial
from ..records import NamedTuple
from ..table.primitive import ROWS, Call
from ..trace.explained_sweeps import FORWARD, REVERSE, VALUE, EdgeFlow, Passage, Search, SweepResult, ToldStep, tell
from ..trace.model import SEED, Trace
from .document_parts import AnyText, Runs
from .trace_tables import number, value_text

_PATH = 6  # rows of a path that are shown


class Line(NamedTuple):
    """One step in words.

    `symbol` is what is computed, `working` how, in names alone, `numbers` the same with numbers and the result last.
    Of the sentences those in `before` give no number away.
    """

    number: int
    symbol: str
    working: tuple[str, ...]
    numbers: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    told: ToldStep

    @property
    def equation(self) -> Formula:
        return joined(self.symbol, *[part for side in (*self.working, *self.numbers) for part in (" = ", side)])

    @property
    def truth(self) -> float | None:
        """The number that can be predicted; None where one is given, or is no finite double."""
        step, row = self.told.step, self.told.row
        given = step.sweep == VALUE and (row.operator == INPUT or row.truth)
        return step.value if not given and isinstance(step.value, float) and math.isfinite(step.value) else None


class Account(NamedTuple):
    """One sweep in words: what comes first, the search (with full detail), the steps, and the results.

    `short` is its title for a tab.
    """

    passage: Passage
    title: str
    short: str
    opening: tuple[str, ...]
    search: tuple[str, ...]
    lines: tuple[Line, ...]
    results: tuple[str, ...]


def accounts(trace: Trace, digits: Digits, detail: str = "short", *, apart: bool = False) -> list[Account]:
    """The sweeps of a trace in words; `detail` is short or full, `apart` as in `tell`."""
    speaker = _Speaker(trace, digits, detail == "full")
    found = tell(trace, digits, apart=apart)
    return [speaker.account(passage) for passage in found if passage.told or passage.results]


def listed(items: Sequence[str]) -> str:
    """Things in a sentence: a, b and c."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


class _Speaker:
    """Finds the words for the sweeps of one trace."""

    def __init__(self, trace: Trace, digits: Digits, full: bool) -> None:
        self.trace, self.digits, self.full = trace, digits, full
        self.labels = {row.name: row.label for row in trace.rows}
        operation = next((row.name for row in trace.rows if row.operator != INPUT), "v")
        self.letter = operation.rstrip("0123456789")

    def account(self, passage: Passage) -> Account:
        title, opening = self._opening(passage)
        short = f"{title.partition(' ')[0]} {passage.about}".strip()
        search = self._searched(passage, passage.search) if self.full and passage.search else ()
        lines = tuple(self._line(passage, told) for told in passage.told)
        return Account(passage, title, short, opening, search, lines, tuple(map(self._result, passage.results)))

    def _result(self, result: SweepResult) -> str:
        parts = dict.fromkeys([result.name, result.symbol, number(result.value, self.digits)])
        first, *others = [part for part in parts if part]
        return Runs(joined(first, *[part for other in others for part in (" = ", other)]), AnyText("."))

    # --- before the steps

    def _opening(self, passage: Passage) -> tuple[str, tuple[str, ...]]:
        v, about = self.letter, passage.about
        seeded = passage.key == SEED
        if passage.sweep == VALUE:
            said = ["Every row is one operation, computed after the rows that it needs."]
            if self.full and self.trace.numbering == "level":
                said.append("Rows are numbered by height above the inputs, and from left to right within a height.")
            elif self.full:
                said.append("Rows are numbered in the order in which nested calls return.")
            return "Values", tuple(said)
        if passage.sweep == FORWARD:
            dot = dotted(v)
            said = [
                f"{dot} is how fast {v} changes along the seed."
                if seeded
                else f"{dot} stands for {partial(v, about)}: how fast {v} changes when only {about} moves."
            ]
            said.append("A row's tangent is a sum over its arguments: partial derivative times the argument's tangent.")
            if self.full:
                said.append("It needs those tangents first, so the order is that of the values.")
            return f"Forward sweep {'along the seed' if seeded else f'by {about}'}", tuple(said)
        bar = barred(v)
        said = [
            f"{bar} is how fast the weighted sum of the outputs changes with {v}."
            if seeded
            else f"{bar} stands for {partial(about, v)}: how fast {about} changes with {v}."
        ]
        said.append(
            "Each row hands each of its arguments a contribution: its own adjoint times the partial derivative. "
            "Contributions to the same row add up."
        )
        if self.full:
            said.append("Rows are taken by decreasing number, so that an adjoint is complete before it is handed on.")
        return f"Reverse sweep {'of the weighted outputs' if seeded else f'of {about}'}", tuple(said)

    def _searched(self, passage: Passage, search: Search) -> tuple[str, ...]:
        """The depth-first search that makes the tape, in sentences."""
        ahead = passage.sweep == FORWARD
        one, many = ("child", "children") if ahead else ("parent", "parents")
        said = [
            f"A depth-first search from {search.root} finds the rows that {'it reaches' if ahead else 'it rests on'}: "
            f"it goes on to the {many} of a row first, and writes the row down when these are written."
        ]
        for place in search.places:
            path = place.path if len(place.path) <= _PATH else ("…", *place.path[-_PATH:])
            row, around = place.path[-1], place.neighbours
            why = f"it has no {many}"
            if around:
                why = f"its {one} {around[0]} is" if len(around) == 1 else f"its {many} {listed(around)} are"
                why += " written"
            said.append(f"{' → '.join(path)}: {row} is written, since {why}.")
        said.append(f"Written: {', '.join(reversed(search.tape))}.")
        said.append(f"Read backwards this is the tape, each row before its {many}: {', '.join(search.tape)}.")
        if search.unreached:
            said.append(f"Not on the tape, so with {'tangent' if ahead else 'adjoint'} 0: {listed(search.unreached)}.")
        return tuple(said)

    # --- the steps

    def _line(self, passage: Passage, told: ToldStep) -> Line:
        step, row = told.step, told.row
        say = {VALUE: self._value, FORWARD: self._tangent, REVERSE: self._adjoint}[passage.sweep]
        symbol, before, after = say(passage, told)
        result = value_text(row, self.digits) if passage.sweep == VALUE else number(step.value, self.digits)
        chain, symbolic, substituted = step.chain, step.symbolic, step.substituted
        if step.value is None:
            substituted = result
        elif passage.sweep == VALUE and row.truth:
            chain, symbolic, substituted = joined(), bracketed(symbolic), bracketed(substituted)
        working = [text for text in dict.fromkeys((chain, symbolic)) if text not in ("", result)]
        numbers = [result] if substituted in (result, *working) else [substituted, result]
        after += [f"{text}." for text in told.notes]
        return Line(told.number, symbol, tuple(working), tuple(numbers), tuple(before), tuple(after), told)

    def _value(self, passage: Passage, told: ToldStep) -> tuple[str, list[str], list[str]]:
        row, needs = told.row, told.needs
        if row.operator == INPUT:
            return named(row.label), ["It is given."], []
        if told.step.value is None:
            return named(row.label), ["It is not computed: a condition has chosen the other branch."], []
        said = []
        found = ROWS[row.operator]
        if self.full and told.rule is not None and told.explained == told.number and isinstance(found.notation, Call):
            call = "" if found.summary.startswith(told.rule.call) else f"{told.rule.call}: "
            said.append(f"{call}{found.summary}.")
        if self.full:
            known = f"{listed(needs)}, which {'is' if len(needs) == 1 else 'are'} known" if needs else "no other row"
            said.append(f"It needs {known}.")
        return named(row.label), said, []

    def _tangent(self, passage: Passage, told: ToldStep) -> tuple[str, list[str], list[str]]:
        row, about = told.row, passage.about
        symbol = dotted(row.label)
        if row.operator == INPUT:
            if passage.key == SEED:
                return symbol, [f"The seed {'moves' if told.reached else 'does not move'} {row.label}."], []
            return symbol, [f"{row.label} {'is what moves' if row.name == passage.key else 'stays where it is'}."], []
        if row.value is None:
            return symbol, [f"{row.label} is not computed and takes no part."], []
        before = self._ruled(told)
        if row.truth:
            return symbol, before, []
        if not told.reached:
            mover = "the seed" if passage.key == SEED else about
            return symbol, [*before, f"{row.label} does not depend on {mover} here."], []
        after = self._partials(told.edges)
        if len(told.edges) > 1:
            given = [f"{number(e.amount, self.digits)} through {self._place(e, told.edges)}" for e in told.edges]
            after.append(f"{'Two' if len(given) == 2 else 'Several'} terms meet: {listed(given)}.")
        return symbol, before, after

    def _adjoint(self, passage: Passage, told: ToldStep) -> tuple[str, list[str], list[str]]:
        step, labels = told.step, self.labels
        symbol = barred(step.label)
        more = f"more will come from {listed(told.waiting)}" if told.waiting else ""
        if not told.edges:
            start = f"The seed gives {step.label} its weight" if passage.key == SEED else "The sweep starts here"
            return symbol, [f"{start}{f'; {more}' if more else ''}."], []
        before = []
        if self.full and told.opens:
            before.append(self._turn(told))
        before += self._ruled(told)
        after = self._partials(told.edges[-1:])
        if len(told.edges) > 1 or told.weight is not None:
            given = [f"{number(edge.amount, self.digits)} from {labels[edge.child]}" for edge in told.edges]
            if told.weight is not None:
                given.insert(0, f"{number(told.weight, self.digits)} from the seed")
            after.append(f"Contributions meet: {listed(given)}{f'; {more}' if more else f'; {symbol} is complete'}.")
        elif more:
            before.append(f"This is the first contribution to {symbol}; {more}.")
        elif self.full:
            before.append(f"It is the only contribution to {symbol}, which is complete.")
        return symbol, before, after

    def _turn(self, told: ToldStep) -> str:
        """Why it is this row's turn to hand its adjoint over."""
        row, needs = told.row, told.needs
        known = (
            f"is complete, since {listed(needs)} {'has' if len(needs) == 1 else 'have'} contributed"
            if needs
            else "is known from the start"
        )
        onward = dict.fromkeys(
            text for text, slope in zip(told.arguments, row.gradient, strict=True) if slope is not None
        )
        return f"{barred(row.label)} {known}; {row.label} = {row.formula} hands it on to {listed(list(onward))}."

    def _ruled(self, told: ToldStep) -> list[str]:
        """The rule, where it is used for the first time; with full detail where it was, and what its letters are."""
        rule = told.rule
        if rule is None:
            return []
        if told.explained != told.number:
            again = self.full and (told.opens or told.step.source is None)
            return [f"Rule: as in step {told.explained}."] if again else []
        if not rule.derivatives:
            return [f"Rule: {rule.call} has no derivative; a condition hands nothing on."]
        said, meant = rule.derivatives[0], []
        if len(rule.arguments) == len(rule.derivatives):
            if len(rule.arguments) > 1:
                conditions = ROWS[rule.name].truth_arguments
                pairs = enumerate(zip(rule.arguments, rule.derivatives, strict=True))
                said = listed([f"{slope} by {letter}" for k, (letter, slope) in pairs if k not in conditions])
            meant = [f"{a} is {text}" for a, text in zip(rule.arguments, told.arguments, strict=True) if a != text]
        here = f"; here {listed(meant)}" if self.full and meant else ""
        return [f"Rule: the derivative of {rule.call} is {said}{here}."]

    def _partials(self, edges: Sequence[EdgeFlow]) -> list[str]:
        """The partial derivatives of a step with their numbers, with full detail."""
        if not self.full:
            return []
        said = []
        for edge in edges:
            parts = dict.fromkeys((edge.symbolic, edge.substituted, number(edge.slope, self.digits)))
            above, below = self.labels[edge.child], self.labels[edge.parent]
            twice = f" (argument {edge.position + 1})" if self._twice(edge, edges) else ""
            said.append(f"{partial(above, below)}{twice} = {' = '.join(parts)}")
        return [f"{listed(said)}."] if said else []

    def _twice(self, edge: EdgeFlow, edges: Sequence[EdgeFlow]) -> bool:
        return sum(1 for other in edges if other.parent == edge.parent) > 1

    def _place(self, edge: EdgeFlow, edges: Sequence[EdgeFlow]) -> str:
        label = self.labels[edge.parent]
        return f"{label} as argument {edge.position + 1}" if self._twice(edge, edges) else label
