"""What was read of an answer, told in short words that a test can state: `v̇2[x1]`, `x2*dot x1`, `0.693 (1/1000)`."""

from __future__ import annotations

from collections.abc import Collection

from adcli.answers.answer import split_answer
from adcli.answers.answer_model import Answer, Entry, Quantity, RowPiece
from adcli.answers.decoding import check_size
from adcli.answers.symbols import NameSources, shared_names
from adcli.notation.formula import TEXT, Leaf, render

INPUTS, OUTPUTS = ("x1", "x2"), ("y",)


def read_answer(
    data: bytes, *, name: str, inputs: Collection[str], outputs: Collection[str], decimal: str = "point"
) -> tuple[Answer, ...]:
    """The sections of an answer that have rows; a first one without a heading that only gives inputs is left out."""
    check_size(data)
    names = shared_names(NameSources(tuple(inputs), tuple(outputs)))
    script = split_answer(data, name, names, decimal)
    answers = [answer for part in script.parts if (answer := script.read(part, names)).entries or answer.unread]
    gives_inputs = answers[0].section is None and all(e.quantity.name in inputs for e in answers[0].entries)
    return tuple(answers[len(answers) > 1 and gives_inputs :])


def read(
    text: str | bytes,
    *,
    name: str = "answer.txt",
    inputs: tuple[str, ...] = INPUTS,
    outputs: tuple[str, ...] = OUTPUTS,
    decimal: str = "point",
) -> tuple[Answer, ...]:
    """The sections of an answer to the running example."""
    data = text.encode() if isinstance(text, str) else text
    return read_answer(data, name=name, inputs=inputs, outputs=outputs, decimal=decimal)


def symbol(quantity: Quantity) -> str:
    """`v3`, `dot v3`, `dot v3[x1]`, `bar v3`, `dv3/dx1`."""
    kind, name, key = quantity
    if kind == "value":
        return name
    return f"d{name}/d{key}" if kind == "derivative" else f"{kind} {name}" + (f"[{key}]" if key else "")


def piece_text(piece: RowPiece) -> str:
    """A number with its unit, a formula in the answer's symbols, or `!` and what is wrong."""
    if piece.number is not None:
        value, unit, _ = piece.number
        return f"{float(value):g} ({unit})"
    if piece.graph is None:
        assert piece.problem is not None
        return f"! {piece.problem.title}"
    graph = piece.graph
    assert set(graph.inputs.values()) == set(piece.quantities)
    names = {slot: Leaf(f"<{symbol(piece.quantities[name])}>") for slot, name in graph.inputs.items()}
    return render(graph, graph.outputs[0][1], TEXT, names.get).replace("<", "").replace(">", "")


def told(entry: Entry) -> str:
    """An entry as one line: its symbol, then its pieces."""
    return " | ".join([symbol(entry.quantity), *map(piece_text, entry.pieces)])


def rows(text: str | bytes, **changes: object) -> list[str]:
    """The entries of the only section of an answer, each as one line."""
    (answer,) = read(text, **changes)  # type: ignore[arg-type]
    return [told(entry) for entry in answer.entries]
