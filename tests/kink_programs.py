"""Programs with kinks whose function is known otherwise: read here by exact fractions, which know nothing of adcli.

Near a point a program of this kind is a polynomial along every direction, so that its slope on one side is that of the
polynomial through a few values close by, exactly.  `python tests/kink_programs.py 3000 1` runs so many of a seed.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

Tree = tuple[Any, ...]
_DEGREE = 7
_NEAR = Fraction(1, 10**9)
_SIGN: Callable[[Fraction], int] = lambda x: (x > 0) - (x < 0)  # noqa: E731
_RELATIONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip
_FUNCTIONS: dict[str, Callable[..., Fraction]] = {
    "abs": abs, "relu": lambda x: max(x, Fraction(0)), "sign": lambda x: Fraction(_SIGN(x)), "max": max, "min": min,
    "floor": lambda x: Fraction(math.floor(x)), "ceil": lambda x: Fraction(math.ceil(x)),
    "round": lambda x: Fraction(_SIGN(x) * math.floor(abs(x) + Fraction(1, 2))),
}  # fmt: skip
# Ways to write a function that its parts do not show; the number of what they stand for is known.
_TWO_ROOTS = {"cbrt({0})^3": 1, "root({0}, 3)^3": 1, "sqrt(({0})^2)": 0, "hypot({0}, 0)": 0, "root({0}, 5)^5": 1}


def value(tree: Tree, at: dict[str, Fraction]) -> Fraction:
    """The number that a program is at a point."""
    kind, *parts = tree
    if kind == "number":
        return Fraction(parts[0])
    if kind == "input":
        return at[parts[0]]
    if kind == "if":
        relation, a, b, yes, no = parts
        return value(yes if _RELATIONS[relation](value(a, at), value(b, at)) else no, at)
    if kind in _TWO_ROOTS:
        inner = value(parts[0], at)
        return inner if _TWO_ROOTS[kind] else abs(inner)
    numbers = [value(part, at) for part in parts]
    if kind in "+-*":
        a, b = numbers
        return a + b if kind == "+" else a - b if kind == "-" else a * b
    return _FUNCTIONS[kind](*numbers)


def text(tree: Tree) -> str:
    """The program in the language."""
    kind, *parts = tree
    if kind == "number":
        return f"({_decimal(parts[0])})" if parts[0] < 0 else _decimal(parts[0])
    if kind == "input":
        return str(parts[0])
    if kind == "if":
        relation, *rest = parts
        a, b, yes, no = map(text, rest)
        return f"if({a} {relation} {b}, {yes}, {no})"
    written = [text(part) for part in parts]
    if kind in _TWO_ROOTS:
        return kind.format(*written)
    return f"({written[0]} {kind} {written[1]})" if kind in "+-*" else f"{kind}({', '.join(written)})"


def _decimal(x: Fraction | int) -> str:
    """Return the number, an integer or an exact decimal, as its shortest decimal text."""
    return str(x) if Fraction(x).denominator == 1 else repr(float(x))


def python(tree: Tree, at: dict[str, Any], library: Any) -> Any:
    """The program as Python does it, with the functions of a library; None where it has a condition."""
    kind, *parts = tree
    if kind == "number":
        return float(parts[0])
    if kind == "input":
        return at[parts[0]]
    found = [python(part, at, library) for part in parts]
    if kind in "+-*":
        a, b = found
        return a + b if kind == "+" else a - b if kind == "-" else a * b
    if kind == "cbrt({0})^3":
        return library.cbrt(found[0]) ** 3
    if kind.startswith("root"):
        return library.root(found[0], int(kind[-1])) ** int(kind[-1])
    if kind.startswith("sqrt"):
        return library.sqrt(found[0] ** 2)
    if kind.startswith("hypot"):
        return library.hypot(found[0], 0.0)
    return getattr(library, kind)(*found)


def conditions(tree: Tree) -> bool:
    return tree[0] == "if" or any(isinstance(part, tuple) and conditions(part) for part in tree[1:])


class Slope(NamedTuple):
    """The limit and the slope of a program on one side."""

    limit: Fraction
    slope: Fraction


def one_sided(tree: Tree, at: dict[str, Fraction], direction: dict[str, Fraction]) -> Slope:
    """By the polynomial through values at 1, 2, … small steps (forward differences)."""
    steps = [step * _NEAR for step in range(1, _DEGREE + 2)]
    rows = [[value(tree, {k: x + step * direction.get(k, 0) for k, x in at.items()}) for step in steps]]
    while len(rows[-1]) > 1:
        rows.append([b - a for a, b in zip(rows[-1], rows[-1][1:], strict=False)])
    differences = [row[0] for row in rows]
    # p(s) = sum of differences[k] binomial(s - 1, k); its value at 0 and its derivative there
    limit = sum((d * (-1) ** k for k, d in enumerate(differences)), Fraction(0))
    slope = sum((d * (-1) ** (k + 1) * _harmonic(k) for k, d in enumerate(differences)), Fraction(0))
    return Slope(limit, slope / _NEAR)


def _harmonic(k: int) -> Fraction:
    return sum((Fraction(1, j) for j in range(1, k + 1)), Fraction(0))


class Truth(NamedTuple):
    """What a program is around a point: its value, both sides along each input, its gradient where it has one."""

    value: Fraction
    sides: dict[str, tuple[Slope, Slope]]
    gradient: dict[str, Fraction] | None
    jumps: bool


def truth(tree: Tree, at: dict[str, Fraction], rng: random.Random, tried: int = 24) -> Truth:
    here = value(tree, at)
    sides = {name: (one_sided(tree, at, {name: Fraction(-1)}), one_sided(tree, at, {name: Fraction(1)})) for name in at}
    jumps = any(side.limit != here for pair in sides.values() for side in pair)
    gradient = {name: right.slope for name, (_, right) in sides.items()}
    alike = not jumps and all(-left.slope == right.slope for left, right in sides.values())
    for _ in range(tried if alike and len(at) > 1 else 0):
        direction = {name: Fraction(rng.randint(-9, 9)) for name in at}
        if rng.random() < 0.3:
            direction = {name: Fraction(rng.choice((-1, 0, 1))) for name in at}
        found = one_sided(tree, at, direction)
        if found.limit != here or found.slope != sum(gradient[name] * direction[name] for name in at):
            alike = False
    return Truth(here, sides, gradient if alike else None, jumps)


class Case(NamedTuple):
    tree: Tree
    at: dict[str, Fraction]


def case(rng: random.Random, unit: Fraction = Fraction(1)) -> Case:
    """A program of one to three inputs and a point, most often on its kinks; numbers are multiples of `unit`."""
    names = ["x", "y", "z"][: rng.choice((1, 1, 2, 2, 3))]
    most = int(3 / unit)
    at = {name: rng.randint(-most, most) * unit for name in names}
    maker = _Maker(rng, at, unit)
    tree = maker.smooth(rng.randint(1, 2)) if rng.random() < 0.6 else maker.kinked(rng.randint(1, 3))
    for _ in range(rng.randint(0, 2)):
        tree = maker.hidden(tree) if rng.random() < 0.7 else (rng.choice("+-*"), tree, maker.kinked(1))
    return Case(tree, at)


class _Maker:
    def __init__(self, rng: random.Random, at: dict[str, Fraction], unit: Fraction) -> None:
        self.rng = rng
        self.at = at
        self.unit = unit

    def number(self) -> Tree:
        most = int(3 / self.unit)
        return ("number", self.rng.randint(-most, most) * self.unit)

    def linear(self) -> Tree:
        """A linear form that is most often 0 at the point."""
        tree: Tree = ("input", self.rng.choice(list(self.at)))
        if self.rng.random() < 0.5:
            tree = (self.rng.choice("+-"), tree, ("input", self.rng.choice(list(self.at))))
        if self.rng.random() < 0.3:
            tree = ("*", ("number", self.rng.choice((-2, 2, 3))), tree)
        shift = value(tree, self.at) + (self.rng.randint(-1, 1) if self.rng.random() < 0.2 else 0)
        return ("-", tree, ("number", shift)) if shift else tree

    def smooth(self, depth: int) -> Tree:
        if depth == 0:
            return self.linear() if self.rng.random() < 0.8 else self.number()
        a, b = self.smooth(depth - 1), self.smooth(self.rng.randint(0, depth - 1))
        return (self.rng.choice("+-*"), a, b) if self.rng.random() < 0.6 else self.hidden(a)

    def hidden(self, u: Tree) -> Tree:
        """The same function, written with kinks."""
        zero, w, minus = ("number", 0), self.linear(), ("-", ("number", 0), u)
        here = value(u, self.at)
        same: Tree = ("number", here) if here * 1000 % 1 == 0 else u
        ways: list[Tree] = [
            ("-", ("relu", u), ("relu", minus)),
            ("-", ("+", ("max", u, w), ("min", u, w)), w),
            ("*", ("sign", u), ("abs", u)),
            ("*", ("abs", u), ("sign", u)),
            ("if", "==", u, same, same, u),
            ("if", self.rng.choice(("<", "<=", ">", ">=")), w, zero, u, u),
            ("+", ("if", ">=", u, zero, u, zero), ("if", "<=", u, zero, u, zero)),
            ("-", ("+", u, ("abs", w)), ("max", w, ("-", zero, w))),
            ("+", u, ("*", ("floor", w), zero)),
            ("-", ("+", u, ("*", w, w)), ("*", ("abs", w), ("abs", w))),
            ("+", u, ("-", ("ceil", w), ("-", zero, ("floor", ("-", zero, w))))),
            (self.rng.choice(("cbrt({0})^3", "root({0}, 3)^3", "root({0}, 5)^5")), u),
            ("-", ("+", u, (self.rng.choice(("sqrt(({0})^2)", "hypot({0}, 0)")), w)), ("abs", w)),
            # u + w + 0 less the largest, the least and the middle of them
            ("+", u, ("-", ("-", ("+", u, w), ("max", u, w, zero)), ("+", ("min", u, w, zero), _middle(u, w, zero)))),
        ]
        return self.rng.choice(ways)

    def kinked(self, depth: int) -> Tree:
        """A function that has kinks, or hides them by chance."""
        if depth == 0:
            return self.linear()
        u, w = self.kinked(depth - 1), self.kinked(self.rng.randint(0, depth - 1))
        one: Tree = (self.rng.choice(("abs", "relu", "abs", "sign", "floor", "ceil", "round")), u)
        two: Tree = (self.rng.choice(("max", "min", "*", "+", "-", "*")), u, w)
        three: Tree = (self.rng.choice(("max", "min")), u, w, self.linear())
        chosen: Tree = ("if", self.rng.choice(list(_RELATIONS)), self.linear(), ("number", 0), u, w)
        root: Tree = (self.rng.choice(list(_TWO_ROOTS)), u)
        return self.rng.choice([one, one, two, two, two, three, chosen, root])


def _middle(a: Tree, b: Tree, c: Tree) -> Tree:
    return ("max", ("min", a, b), ("min", ("max", a, b), c))


# --- what adcli makes of it ------------------------------------------------------------------------------------------


class Fault(NamedTuple):
    what: str
    case: Case
    seen: Any
    true: Any

    def __str__(self) -> str:
        at = ", ".join(f"{name}={x}" for name, x in self.case.at.items())
        return f"{self.what}: {text(self.case.tree)} @ {at}: {self.seen}, true is {self.true}"


def examined(case: Case, rng: random.Random, *, engines: tuple[str, ...] = ("numpy",)) -> tuple[list[Fault], str]:
    """Where adcli says what is false of a program, and what it says that the result is."""
    import numpy as np

    import adcli
    from adcli.errors import DomainProblem
    from adcli.graph.as_nodes import as_nodes
    from adcli.graph.node import forward, reverse
    from adcli.language.problems import NumberWithSource
    from adcli.trace.derivative_formulas import derivatives
    from adcli.trace.trace_document import as_dict
    from adcli.trace.trace_model import Request

    true = truth(case.tree, case.at, rng)
    at = {name: float(x) for name, x in case.at.items()}
    expression = adcli.parse(text(case.tree))
    used = {name: NumberWithSource(x, _decimal(case.at[name])) for name, x in at.items() if name in expression.inputs}
    found = expression._trace(used, Request("both", certify=True, verify=True, hessian=len(used) == 1))
    (output,) = found.outputs
    faults: list[Fault] = []

    def fault(what: str, seen: Any, expected: Any) -> None:
        faults.append(Fault(what, case, seen, expected))

    def near(a: float, b: Fraction) -> bool:
        return math.isfinite(a) and abs(a - float(b)) <= 1e-9 * (1 + abs(float(b)))

    for note in found.notes:
        if note.kind == "disagreement":
            fault("verify", note.text, true.gradient)
    if not near(output.value, true.value):
        fault("value", output.value, true.value)
    gradient = output.gradient or {}
    decision = found.decision
    around = decision.outcomes.get(output.name) if decision is not None else None
    kind = "plain" if around is None else around.kind
    if true.gradient is not None and kind in ("smooth", "plain"):
        for name in used:
            if not near(gradient[name], true.gradient[name]):
                fault("slope", gradient, true.gradient)
                break
    elif true.gradient is None and kind in ("smooth", "plain", "edge"):
        fault("no slope", gradient, {name: [float(s.slope) for s in pair] for name, pair in true.sides.items()})
    elif kind == "kink" and true.gradient is not None and len(used) > 1:
        if truth(case.tree, case.at, rng, 1000).gradient is not None:  # some directions are rare
            fault("called a kink", gradient, true.gradient)
    elif true.gradient is not None and kind in ("kink", "jump", "edge"):
        fault("called a " + kind, gradient, true.gradient)
    if (kind == "jump") and not true.jumps:
        fault("no jump", kind, true)
    if around is not None and decision is not None and kind != "jump":
        for slot, (left, right) in around.sides.items():
            pair = true.sides[found.graph.inputs[slot]]
            for side, expected in zip((left, right), pair, strict=True):
                if side.slope is not None and not near(float(side.slope), expected.slope):
                    fault("side", side.slope, expected)
    # Nodes, rows, data, kernels, Python: one answer
    if kind == "smooth" and not any(isinstance(g, float) and math.isinf(g) for row in found.gradients for g in row):
        nodes = as_nodes(found.graph, found.values, found.gradients, found.names)
        last: Any = nodes[dict(found.graph.outputs)[output.name]]
        reverse(last)
        for slot, name in found.graph.inputs.items():
            node: Any = nodes[slot]
            if abs(node.partial_derivative - gradient[name]) > 1e-9 * (1 + abs(gradient[name])):
                fault("node reverse", node.partial_derivative, gradient[name])
        for slot, name in found.graph.inputs.items():
            start: Any = nodes[slot]
            forward(start)
            if abs(last.partial_derivative - gradient[name]) > 1e-9 * (1 + abs(gradient[name])):
                fault("node forward", last.partial_derivative, gradient[name])
    data = as_dict(found)["outputs"][0]
    if all(map(math.isfinite, gradient.values())) and data["gradient"] != gradient:
        fault("json", data["gradient"], gradient)
    if expression.gradient(used) != gradient and all(map(math.isfinite, gradient.values())):
        fault("expression", expression.gradient(used), gradient)
    if not near(expression.value(used), true.value):
        fault("expression value", expression.value(used), true.value)
    try:
        expression._trace(used, Request("reverse", kinks="error"))
        refused = False
    except DomainProblem:
        refused = True
    if refused != (kind not in ("smooth", "plain")):
        fault("kinks error", refused, kind)
    for formula in derivatives(expression._program, at=used).derivatives if used else ():
        slope = gradient[formula.wrt[0]]
        if kind in ("smooth", "plain") and not near(formula.value, Fraction(slope) if math.isfinite(slope) else 0):
            fault("diff", formula.value, slope)
    certified = data["certified"]
    bounds = certified["value"]
    if bounds is not None and not Fraction(bounds[0]) <= true.value <= Fraction(bounds[1]):
        fault("certified value", bounds, true.value)
    for name, pair in certified["gradient"].items():
        if pair is None:
            continue
        if true.gradient is None:
            fault("certified slope of none", pair, true.sides)
        elif not Fraction(pair[0]) <= true.gradient[name] <= Fraction(pair[1]):
            fault("certified slope", pair, true.gradient[name])
    for name, sides in certified.get("one_sided", {}).items():
        for sign, side, expected in zip((-1, 1), sides, true.sides[name], strict=True):
            if side is not None and not Fraction(side[0]) <= sign * expected.slope <= Fraction(side[1]):
                fault("certified side", side, expected)
    if used:
        import warnings

        for engine in engines:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                y, slopes = expression.kernel(engine)(**{name: np.array([x, x]) for name, x in used.items()})
            if not near(y[0], true.value):
                fault(f"kernel value {engine}", y[0], true.value)
            for name in used:
                if math.isfinite(gradient[name]) and not np.allclose(slopes[name], gradient[name], 1e-9, 1e-9):
                    fault(f"kernel {engine}", slopes[name][0], gradient[name])
        exact = all(x.denominator == 1 for x in case.at.values())  # functions of Python know their doubles alone
        if exact and not conditions(case.tree) and kind == "smooth" and true.gradient is not None:
            import adcli.python as library

            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                slopes = library.grad(lambda p: python(case.tree, {**at, **p}, library))(
                    {name: at[name] for name in used}
                )
            for name in used:
                if not near(slopes[name], true.gradient[name]):
                    fault("python", slopes, true.gradient)
    if around is not None and kind == "undecided" and true.gradient is not None:
        finite = all(map(math.isfinite, gradient.values()))
        wrong = finite and any(not near(gradient[name], true.gradient[name]) for name in used)
        kind = f"unproven{', convention differs' if wrong else ''}: {around.reason}"
    return faults, kind


def main() -> None:
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    unit = Fraction(1, 10) if "--tenths" in sys.argv else Fraction(1)
    kinds: dict[str, int] = {}
    wrong = 0
    for k in range(count):
        rng = random.Random(f"{seed}.{k}")  # noqa: S311 - programs, not secrets
        one = case(rng, unit)
        try:
            faults, kind = examined(one, rng, engines=("numpy", "native") if k % 25 == 0 else ("numpy",))
        except Exception as error:
            faults, kind = [Fault(f"{type(error).__name__} {error}", one, k, None)], "error"
        kinds[kind] = kinds.get(kind, 0) + 1
        wrong += bool(faults)
        for fault in faults[:1]:
            print(k, fault, flush=True)
        if kind.startswith("unproven") and "-v" in sys.argv:
            print(k, "unproven", text(one.tree), one.at, flush=True)
    print(count, "programs:", kinds, "wrong:", wrong)


if __name__ == "__main__":
    main()
