"""Generated answers to problems with arrays: true ones in several spellings, and ones with a single slip."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from adcli.answers.answer_model import BAR, VALUE, Task
from adcli.arrays.shapes import Shape, places, split
from adcli.arrays.sweeps import formula, slips
from adcli.errors import AdcliError
from adcli.marking.programs.array_reference import ArrayReference
from adcli.marking.task import task_of
from adcli.numbers.double_intervals import Spread

PROBLEMS = (
    ("norm(W x + b)^2", {"W": (2, 2), "x": (2,), "b": (2,)}),
    ("h = tanh(W x + b); 0.5 norm(h - t)^2", {"W": (2, 2), "x": (2,), "b": (2,), "t": (2,)}),
    ("0.5 x^T A x + b^T x", {"A": (2, 2), "x": (2,), "b": (2,)}),
    ("mean((X w - t).^2)", {"X": (3, 2), "w": (2,), "t": (3,)}),
    ("p = softmax(W x); -log(p[1])", {"W": (3, 2), "x": (2,)}),
    ("a = sigmoid(W x); sumsq(V a - t)", {"W": (3, 2), "x": (2,), "V": (2, 3), "t": (2,)}),
    ("sum(exp(A x) .* c)", {"A": (2, 3), "x": (3,), "c": (2,)}),
    ("norm(A x - b)^2 + 0.5 x^T x", {"A": (3, 2), "x": (2,), "b": (3,)}),
    ("H = tanh(X W); mean((H u - t).^2)", {"X": (3, 2), "W": (2, 2), "u": (2,), "t": (3,)}),
    ("logdet(A) + x^T A x", {"A": (2, 2), "x": (2,)}),
)
STYLES = ("numpy", "lists", "latex", "components", "grad", "printed")
_NAMES = ("z", "s", "q", "u1", "r", "g", "m", "k1")


class Made:
    """A generated answer: the task, the text, and the line and kind of its slip (0: none)."""

    def __init__(self, task: Task, text: str, line: int = 0, slip: str = "") -> None:
        self.task, self.text, self.line, self.slip = task, text, line, slip


def generated(seed: int, with_slip: bool) -> Made | None:
    """Return a generated answer; None if the slip changes nothing that is shown, or the point is not usable."""
    chance = random.Random(seed)  # noqa: S311
    program, shapes = chance.choice(PROBLEMS)
    point = ", ".join(f"{name}={_given(chance, shape)}" for name, shape in shapes.items())
    try:
        task = task_of(f"{program} @ {point}", mode=chance.choice(("reverse", None)))
    except AdcliError:
        return None
    return _Writer(task, chance).answer(with_slip)


def _given(chance: random.Random, shape: Shape) -> str:
    cells = [str(chance.choice((-3, -2, -1, 1, 2, 3, 0.5, 1.5, -0.5))) for _ in places(shape)]
    return f"[{'; '.join(', '.join(row) for row in split(cells, (shape[-1],) * (len(cells) // shape[-1])))}]"


class _Writer:
    def __init__(self, task: Task, chance: random.Random) -> None:
        self.task, self.chance, self.reference = task, chance, ArrayReference(task)
        for k in self.reference.hidden:
            self.reference.blocks[k].name = f"q{k}"
        self.style = chance.choice(STYLES)
        self.digits = chance.choice((3, 4, 5))
        self.called: dict[int, str] = {}

    def answer(self, with_slip: bool) -> Made | None:
        reference, chance = self.reference, self.chance
        rows = [(VALUE, k) for k in reference.numbers if not reference.blocks[k].is_input]
        rows += [(BAR, k) for k in reversed(reference.numbers) if k != reference.output]
        known = {VALUE: {}, BAR: {}}
        slip_at = chance.randrange(len(rows)) if with_slip else -1
        lines: list[str] = []
        slip_line, slip_name = 0, ""
        for place, (kind, k) in enumerate(rows):
            truth = reference.truth(kind, k)
            entries = [each.middle for each in self._own(known, kind, k)] if known[VALUE] or known[BAR] else truth
            formula_text = self._formula(kind, k)
            if place == slip_at:
                slip_name, entries, formula_text = self._slipped(kind, k, entries, formula_text)
                if not slip_name or self._shown(entries) == self._shown(truth) or not any(entries):
                    return None
                slip_line = len(lines) + 1
            if slip_line:
                if any(abs(x) > 1e4 or x != x for x in entries):
                    return None
                known[kind][k] = [_interval(self._number(x)) for x in entries]
            lines += self._lines(kind, k, entries, formula_text if chance.random() < 0.6 else "")
        return Made(self.task, "\n".join(lines), slip_line, slip_name)

    def _own(self, known: dict[str, dict[int, list[Spread]]], kind: str, k: int) -> Sequence[Spread]:
        return self.reference.sweep(known[VALUE], known[BAR])[kind][k]

    def _slipped(self, kind: str, k: int, entries: Sequence[float], text: str) -> tuple[str, list[float], str]:
        """Return (name, entries, formula) of a slip in one row."""
        chance, reference = self.chance, self.reference
        if kind == BAR and chance.random() < 0.6:
            trace = reference.traces[0]
            key = next(iter(trace.flows))
            flows = [flow for flow in trace.flows[key] if flow.target == k]
            found = [each for each in slips(trace, key, flows[0]) if each[1] != entries] if len(flows) == 1 else []
            if found:
                return (*chance.choice(found), "")
        wrong = list(entries)
        place = chance.randrange(len(wrong))
        wrong[place] = chance.choice((-wrong[place], wrong[place] + 1, wrong[place] * 2))
        return "entry", wrong, text

    def _formula(self, kind: str, k: int) -> str:
        reference = self.reference
        if kind == VALUE:
            return str(formula(reference.blocks, k))
        flows = [flow for flow in next(iter(reference.traces[0].flows.values())) if flow.target == k]
        return " + ".join(str(flow.formula) for flow in flows) if flows and flows[0].source is not None else ""

    # --- texts ---

    def _number(self, x: float) -> str:
        return f"{x:.{self.digits}f}"

    def _shown(self, entries: Sequence[float]) -> list[str]:
        return [self._number(x + 0.0) for x in entries]

    def _lines(self, kind: str, k: int, entries: Sequence[float], text: str) -> list[str]:
        reference = self.reference
        block, output = reference.blocks[k], reference.result
        name = output if k == reference.output else block.name
        joined = f" = {text} = " if text else " = "
        texts, style = self._shown(entries), self.style
        spelled = {
            "numpy": f"d{name}", "lists": f"∂{output}/∂{name}", "components": f"d{output}/d{name}",
            "latex": rf"\frac{{\partial {output}}}{{\partial {name}}}", "grad": f"{name}.grad",
            "printed": f"grad({name})",
        }[style] if kind == BAR else name  # fmt: skip
        if not block.shape:
            return [f"{spelled}{joined}{texts[0]}"]
        if style == "components":
            return [f"{spelled}{place} = {x}" for place, x in zip(places(block.shape), texts, strict=True)]
        return [f"{spelled}{joined}{_listed(style, texts, block.shape)}"]


def _listed(style: str, texts: Sequence[str], shape: Shape) -> str:
    rows = split(texts, (shape[-1],) * (len(texts) // shape[-1]))
    if style == "latex":
        column = [[x] for x in texts] if len(shape) == 1 else rows
        return r"\begin{bmatrix}" + r" \\ ".join(" & ".join(row) for row in column) + r"\end{bmatrix}"
    if style == "printed":
        inner = " ".join("[" + " ".join(row) + "]" for row in rows)
        return inner if len(shape) == 1 else f"[{inner}]"
    inner = ", ".join("[" + ", ".join(row) + "]" for row in rows)
    inner = inner if len(shape) == 1 else f"[{inner}]"
    return {"numpy": f"np.array({inner})", "grad": f"tensor({inner})"}.get(style, inner)


def _interval(text: str) -> Spread:
    half = 0.5 * 10.0 ** -len(text.partition(".")[2])
    return Spread(float(text) - half, float(text) + half)


def many(count: int, with_slip: bool, first: int = 0) -> Iterator[Made]:
    """Yield this many generated answers."""
    seed = first
    while count:
        made = generated(seed, with_slip)
        seed += 1
        if made is not None and bool(made.line) == with_slip:
            count -= 1
            yield made
