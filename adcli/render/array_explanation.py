"""Explanation of sweeps over arrays in sentences: the rule of each row and why it has that form. A block is an input or
operation, a number or an array.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from ..arrays.array_documents import nested_numbers
from ..arrays.array_formulas import label, value
from ..arrays.shapes import shape_in_words
from ..arrays.sweeps import AdjointFlow, ArrayTrace, formula, name_of, slips
from ..grammar_files import read_sections
from ..marking.prediction import ArrayTruth
from ..notation.number_text import Digits
from ..notation.table_formulas import join, write_partial
from ..records import NamedTuple
from ..trace.explained_sweeps import FORWARD, REVERSE, VALUE, ExplainedStep, ExplainedSweep, SweepResult
from ..trace.trace_model import SEED, Row, Step
from ..typings import Any, Final, cast
from .array_tables import ArrayTables
from .document_parts import Runs
from .step_sentences import Account, Line, title_and_opening

# What a reverse step of a row says, by position of the operand; the file says what its fields are.
_SENTENCES: Final = {row: list(filter(None, lines)) for row, lines in read_sections("array_sentences.txt").items()}


_ACCENTS: Final = {VALUE: "", FORWARD: "dot", REVERSE: "bar"}
_SHAPES: Final = "Each adjoint has the shape of its variable; this decides which factor is transposed."
# Messages on an answer that a wrong rule explains, by the name of the slip.
_SLIPS: Final = dict(line.split(": ", 1) for line in _SENTENCES.pop("slips"))


def accounts(trace: ArrayTrace, digits: Digits, restart_numbers: bool = False) -> list[Account]:
    """Return the sweeps of a trace of arrays in words: values, then the tangents and the adjoints that tables show (the
    first 3 of each).

    Steps are numbered from 1 through all sweeps; with `restart_numbers` their numbers start anew in each. Sweeps are
    included even if they have no results (only adjoints have some). `search` is always empty; the opening of adjoints
    ends with a sentence about shapes. `digits` is how numbers are shown.
    """
    tables = ArrayTables(trace, digits)
    result: list[Account] = []
    number = 1
    for sweep, key in ((VALUE, ""), *product([FORWARD], tables.dots), *product([REVERSE], tables.bars)):
        about = tables.shown(key) if sweep == REVERSE else key
        steps = enumerate(_steps(trace, tables, sweep, key), number)
        lines = [_line(tables, count, sweep, key, each) for count, each in steps]
        number = 1 if restart_numbers else number + len(lines)
        results = _results(tables, sweep, key)
        explained = tuple(line.explained for line in lines)
        passage = ExplainedSweep(sweep, key, about, None, explained, tuple(each for each, _ in results))
        title, opening = title_and_opening(passage, tables.symbol)
        opening = (*opening, _SHAPES) if sweep == REVERSE else opening
        short = f"{title.partition(' ')[0]} {about}".strip()
        sentences = tuple(sentence for _, sentence in results)
        result.append(Account(passage, title, short, opening, (), tuple(lines), sentences))
    return result


class _SweepMoment(NamedTuple):
    """One step of a sweep over blocks.

    number   the block that it is about
    entries  its value, tangent or adjoint after the step
    formula  the formula of the step; empty if there is none
    sentence the reason for the formula; empty without one
    flow     the contribution of a reverse step; None in other sweeps and for a seed
    slips    (wrong entries, text about the mistake) of the mistakes that are recognised
    """

    number: int
    entries: Sequence[float]
    formula: str
    sentence: str
    flow: AdjointFlow | None = None
    slips: Sequence[tuple[Sequence[float], str]] = ()


def _steps(trace: ArrayTrace, tables: ArrayTables, sweep: str, key: str) -> Iterator[_SweepMoment]:
    """Yield the steps of one `sweep` (value, dot or bar) for `key`: its input, output or SEED, or "" for values.

    Values and tangents have a step for each block, in the order of the blocks. A step of an operation's value has the
    formula, and a sentence on the function and the shape; that of an input only a sentence on the shape. A step of
    tangents has numbers only: "" for formula and sentence. A reverse sweep has a step for each contribution, in its
    order (`_reverse_step`), with the adjoint so far, which `tables` adds up.
    """
    if sweep == REVERSE:
        before: dict[int, list[float]] = {}
        for flow, entries in tables.totals(key):
            yield _reverse_step(trace, key, flow, entries, before.get(flow.target))
            before[flow.target] = entries
        return
    for number in trace.blocks:
        block = trace.block(number)
        if sweep == FORWARD:
            yield _SweepMoment(number, trace.dots[key][number], "", "")
        elif block.row is None:
            yield _SweepMoment(number, trace.values[number], "", f"{block.name} {shape_in_words(block.shape)}.")
        else:
            what = block.call.function or block.row.summary
            what = what if block.shape else what.partition(" entry by entry")[0]
            sentence = f"{what[0].upper()}{what[1:]}; {block.name} {shape_in_words(block.shape)}."
            yield _SweepMoment(number, trace.values[number], formula(trace.program.blocks, number), sentence)


def _reverse_step(
    trace: ArrayTrace, key: str, flow: AdjointFlow, entries: list[float], before: list[float] | None
) -> _SweepMoment:
    """Return the step of one contribution, `flow`, of the reverse sweep `key` (an output or SEED).

    `entries` are the adjoint after the contribution, `before` the adjoint before it (None: this is the first). The
    start of the sweep (a `flow` without source) has a fixed sentence, formula "" and no slips. Any other step states
    the rule of the operation (Product rule: …; its summary if it has no rule). A second sentence follows if the
    contribution is transposed, a third if it is added to `before`.

    The slips are [(entries, message about the mistake)]: the wrong results of known mistakes, without those that equal
    the right contribution. With `before`, that is then added to each, and one more slip is the contribution alone.
    """
    target = trace.block(flow.target)
    if flow.source is None:
        sentence = f"The sweep starts here: the derivative of {target.name} with respect to itself."
        return _SweepMoment(flow.target, entries, "", sentence, flow)
    source = trace.block(flow.source)
    assert source.row is not None  # an input hands nothing over  # noqa: S101
    texts = _SENTENCES.get(source.row.name, (f"{source.row.summary[0].upper()}{source.row.summary[1:]}.",))
    other = ""
    factor = target.name
    if source.row.name in ("matmul", "affine") and flow.position < 2:
        operands = (source.operands[flow.position], source.operands[1 - flow.position])
        factor, other = [trace.block(x.block).name + "ᵀ" * x.is_transposed for x in operands]
        texts = texts if source.shape else _SENTENCES["dot"]
    names = {"t": factor if source.shape else target.name, "z": source.name, "o": other}
    sentence = texts[min(flow.position, len(texts) - 1)].format(**names, g=str(label(name_of(source, "bar"))))
    if not source.shape:
        sentence = sentence.replace(", entry by entry", "")
    elif factor != target.name:
        sentence += f" Its transpose is the contribution to {target.name}."
    wrong = [(name, amount) for name, amount in slips(trace, key, flow) if amount != flow.entries]
    if before is not None:
        sentence += f" {target.name} is used more than once: contributions add up."
        wrong = [(name, [x + y for x, y in zip(before, amount, strict=True)]) for name, amount in wrong]
        wrong.append(("addend", flow.entries))
    named = [(amount, _SLIPS[name]) for name, amount in wrong]
    return _SweepMoment(flow.target, entries, flow.shown, sentence, flow, named)


def _line(tables: ArrayTables, number: int, sweep: str, key: str, moment: _SweepMoment) -> Line:
    """Return a step in words, for documents and prediction; `number` is shown before it.

    `key` is the input, output or SEED of the `sweep` (value, dot or bar). `moment` has the block, its formula and
    entries at this step, and the sentence that follows. The field `array` of the Line, with which a prediction is
    compared, has shape, entries and recognised mistakes; it is None for single numbers, and for inputs in the sweep of
    values. `explained` has the same step as data, with nested lists as value and without rule, search and edges. Its
    `needs` are the operands in the sweep of values; in other sweeps the block whose adjoint contributes (also
    `source`), or ().
    """
    trace, flow = tables.trace, moment.flow
    block = trace.block(moment.number)
    symbol = label(name_of(block, _ACCENTS[sweep]))
    shown, working = value(moment.entries, block.shape, tables.digits), join(moment.formula)
    source = None if flow is None or flow.source is None else trace.block(flow.source).name
    nested = cast("Any", nested_numbers(block.shape, moment.entries))
    step = Step(block.name, block.name, sweep, key, source, working, working, shown, nested)
    operator = "input" if block.row is None else block.call.function or block.row.name
    parents = tuple([trace.block(operand.block).name for operand in block.operands])
    row = Row(
        moment.number, block.name, block.name, None, 0, operator, parents, working, shown, nested, False, (), {}, {}
    )  # fmt: skip
    needs = parents if sweep == VALUE else (source,) if source else ()
    explained = ExplainedStep(number, step, row, None, None, (), needs)
    truth = ArrayTruth(block.shape, moment.entries, moment.slips) if block.shape else None
    is_given = sweep == VALUE and block.is_input
    sentences = (moment.sentence,) if moment.sentence else ()
    formulas = (working,) if working else ()
    return Line(number, symbol, formulas, (shown,), (), sentences, explained, None if is_given else truth)


def _results(tables: ArrayTables, sweep: str, key: str) -> list[tuple[SweepResult, str]]:
    """Return (result, sentence) for the adjoint of each input at the end of the reverse sweep `key`, in the order of
    the inputs; [] for other kinds of `sweep`.

    The sentence is `∂y/∂x = x̄ = [1, 2].`. Along a seed the derivative has no name, and the sentence begins with x̄.
    `tables` have the trace and the names.
    """
    results: list[tuple[SweepResult, str]] = []
    for number in tables.inputs if sweep == REVERSE else ():
        block, entries = tables.trace.block(number), tables.trace.bars[key][number]
        name = join() if key == SEED else write_partial(tables.shown(key), block.name)
        symbol, nested = label(name_of(block, "bar")), nested_numbers(block.shape, entries)
        sides = [part for side in (name, symbol) if side for part in (side, " = ")]
        sentence = Runs(join(*sides, value(entries, block.shape, tables.digits)), ".")
        results.append((SweepResult(name, symbol, cast("Any", nested)), sentence))
    return results
