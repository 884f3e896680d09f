"""Sweeps over vectors and matrices in sentences: the rule of each row and why it has that form."""

from __future__ import annotations

from typing import Final

from ..arrays.formulas import label, value
from ..arrays.shapes import spoken
from ..arrays.sweeps import AdjointFlow, ArrayTrace, formula, name_of
from ..notation.number_text import Digits
from ..notation.table_formulas import joined
from ..trace.model import SEED
from .array_tables import ArrayTables
from .document_parts import AnyText, Heading, Items, Paragraph, Part, Runs

# What a reverse step of a row says: by position of the operand, the last text for all further ones.  {t} is the target,
# {z} the row, {g} its adjoint, {o} the other factor of a product.
_SENTENCES: Final = {
    "matmul": (
        "Product rule: the gradient with respect to the left factor {t} is {g} times the transpose of {o}.",
        "Product rule: the gradient with respect to the right factor {t} is the transpose of {o} times {g}.",
    ),
    "affine": (
        "Product rule: the gradient with respect to the left factor {t} is {g} times the transpose of {o}.",
        "Product rule: the gradient with respect to the right factor {t} is the transpose of {o} times {g}.",
        "Sum rule: {t} is a term of {z}, so it gets {g} with the sign of the term.",
    ),
    "add": ("Sum rule: {t} is a term of {z}, so it gets {g}.",),
    "sub": ("Sum rule: {t} is a term of {z}, so it gets {g}.", "Sum rule: {t} is subtracted, so it gets {g} negated."),
    "neg": ("Sum rule: {t} is negated, so it gets {g} negated.",),
    "times": ("Product rule, entry by entry: {t} gets {g} times the other factor.",),
    "over": ("Quotient rule, entry by entry.",),
    "power": ("Power rule, entry by entry.",),
    "map": ("Chain rule, entry by entry: each entry of {g} is multiplied by the derivative at that entry.",),
    "sum": ("Every entry of {t} is a term of {z} once, so each gets the number {g}.",),
    "mean": ("Every entry of {t} is a term of {z} once, over their number, so each gets the same number.",),
    "norm": ("The norm grows fastest along {t} itself: {g} times {t} over its length.",),
    "sumsq": ("Power rule: the derivative of each square is twice the entry.",),
    "dot": ("Product rule: the gradient with respect to one vector is the other, times {g}.",),
    "softmax": ("Every entry of {z} depends on every entry of {t}: the Jacobian is diag(z) − z zᵀ.",),
    "logsumexp": ("The gradient of logsumexp is softmax, times {g}.",),
    "det": ("The gradient of a determinant is the determinant times the inverse, transposed.",),
    "logdet": ("The gradient of the logarithm of a determinant is the inverse, transposed.",),
    "inv": ("The differential of an inverse is −A⁻¹ dA A⁻¹.",),
    "tr": ("The trace adds the diagonal, so the gradient is the identity times {g}.",),
    "max": ("Only the largest entry of {t} counts.",),
    "min": ("Only the smallest entry of {t} counts.",),
    "rowsum": ("Each entry of {g} goes to all entries of its row.",),
    "colsum": ("Each entry of {g} goes to all entries of its column.",),
    "list": ("{t} is one entry of {z}, so it gets that entry of {g}.",),
    "entry": ("{z} is one entry of {t}: that entry gets {g}, the others nothing.",),
    "transpose": ("A transpose only moves entries, so the adjoint is transposed back.",),
}


def parts(trace: ArrayTrace, named: bool, digits: Digits) -> list[Part]:
    """Return the sweeps of a trace of arrays as numbered sentences; a heading if the problem is `named` or has a
    label."""
    tables = ArrayTables(trace, digits)
    document: list[Part] = [Heading(tables.heading(), 1)] if named or trace.trace.label else []
    number = 1
    if trace.trace.mode in ("value", "both"):
        items = [_value_item(trace, k, digits) for k in trace.blocks]
        document += [Heading(AnyText("Values")), Items(items, number)]
        number += len(items)
    for key in tables.dots:
        along = "the seed" if key == SEED else key
        steps = [_tangent_item(trace, k, key, digits) for k in trace.blocks]
        document += [Heading(AnyText(f"Tangents along {along}")), Items(steps, number)]
        number += len(steps)
    for key in tables.bars:
        totals = tables.totals(key)
        reverse = [_reverse_item(trace, flow, entries, digits) for flow, entries in totals]
        document.append(Heading(Runs("Adjoints of ", AnyText("the seeded outputs" if key == SEED else key))))
        document += [Items(reverse, number), Paragraph(AnyText(_SHAPES))]
        number += len(reverse)
    return document


_SHAPES: Final = "Each adjoint has the shape of its variable; this decides which factor is transposed."


def _value_item(trace: ArrayTrace, number: int, digits: Digits) -> tuple[str, ...]:
    """Return the equation of the value of the block `number`, and a sentence about its row and shape."""
    block = trace.block(number)
    own = value(trace.values[number], block.shape, digits)
    if block.row is None:
        return joined(label(name_of(block)), " = ", own), AnyText(f"{block.name} {spoken(block.shape)}.")
    equation = joined(label(name_of(block)), " = ", formula(trace.program.blocks, number), " = ", own)
    what = block.call.function or block.row.summary
    return equation, AnyText(f"{what[0].upper()}{what[1:]}; {block.name} {spoken(block.shape)}.")


def _tangent_item(trace: ArrayTrace, number: int, key: str, digits: Digits) -> tuple[str, ...]:
    """Return the equation of a tangent in the forward sweep `key`."""
    block = trace.block(number)
    return (joined(label(name_of(block, "dot")), " = ", value(trace.dots[key][number], block.shape, digits)),)


def _reverse_item(trace: ArrayTrace, flow: AdjointFlow, entries: list[float], digits: Digits) -> tuple[str, ...]:
    """Return the equation of a reverse step, and the sentence of its rule; `entries` are the adjoint so far."""
    target = trace.block(flow.target)
    symbol, own = label(name_of(target, "bar")), value(entries, target.shape, digits)
    equation = joined(symbol, " = ", flow.shown, " = ", own)
    if flow.source is None:
        equation = joined(symbol, " = ", own)
        return equation, AnyText(f"The sweep starts here: the derivative of {target.name} with respect to itself.")
    source = trace.block(flow.source)
    assert source.row is not None  # an input hands nothing over  # noqa: S101
    texts = _SENTENCES.get(source.row.name, (f"{source.row.summary[0].upper()}{source.row.summary[1:]}.",))
    other = ""
    if source.row.name in ("matmul", "affine") and flow.position < 2:
        operand = source.operands[1 - flow.position]
        other = trace.block(operand.block).name + "ᵀ" * operand.is_transposed
    text = texts[min(flow.position, len(texts) - 1)].format(
        t=target.name, z=source.name, g=str(label(name_of(source, "bar"))), o=other
    )
    if not source.shape:
        text = text.replace(", entry by entry", "")
    if any(earlier.target == flow.target for earlier in _before(trace, flow)):
        text += f" {target.name} is used more than once: contributions add up."
    return equation, AnyText(text)


def _before(trace: ArrayTrace, flow: AdjointFlow) -> list[AdjointFlow]:
    """Return the contributions of the same sweep before this one."""
    flows = next(flows for flows in trace.flows.values() if any(each is flow for each in flows))
    return flows[: next(k for k, each in enumerate(flows) if each is flow)]
