"""Vectors and matrices: values and gradients, formulas of adjoints, errors of shapes, and every format."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from drawn import usually
from running import run

from adcli.arrays.array_blocks import adjoint_tree
from adcli.arrays.array_formulas import write_formula
from adcli.arrays.array_program import ArrayProgram, read_arrays
from adcli.arrays.array_rows import ROWS
from adcli.arrays.formula_equality import compare_gradient
from adcli.arrays.formula_trees import ArrayName
from adcli.arrays.gradient_formulas import ArrayGradient, gradients
from adcli.arrays.shapes import Shape, places
from adcli.arrays.sweeps import ArrayTrace, array_trace, evaluate_formula, letter_names, slips
from adcli.errors import AdcliError, Source
from adcli.trace.trace_model import Request

EACH = usually(2, thoroughly=1)  # case of a corpus is looked at by tests that take long
CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "cases" / "arrays.jsonl").read_text(encoding="utf-8").splitlines()
]  # fmt: skip
BOUND = 1e-13


def entries(name: str, value: Any) -> dict[str, float]:
    """A number, vector or matrix by entry, as `W[1,2]`."""
    if not isinstance(value, list):
        return {name: float(value)}
    if isinstance(value[0], list):
        shape: Shape = len(value), len(value[0])
        return dict(
            zip([name + place for place in places(shape)], [float(x) for row in value for x in row], strict=True)
        )
    return {f"{name}[{k}]": float(x) for k, x in enumerate(value, 1)}


def far(found: float, expected: float) -> float:
    """The error, relative where the number is large."""
    return abs(found - expected) / max(1.0, abs(expected))


@cache
def traced(place: int) -> ArrayTrace:
    """The reverse trace of a case."""
    case = CASES[place]
    shapes = {name: tuple(shape) for name, shape in case["shapes"].items()}
    point = {key: x for name, value in case["point"].items() for key, x in entries(name, value).items()}
    return array_trace(read_arrays(Source(case["expr"]), shapes), point, Request("reverse"), None)


@cache
def printed(place: int) -> list[ArrayGradient]:
    """The gradients of a case as formulas."""
    case = CASES[place]
    shapes = {name: tuple(shape) for name, shape in case["shapes"].items()}
    return gradients(read_arrays(Source(case["expr"]), shapes, cse=True), [])


def test_there_are_enough_problems() -> None:
    assert 240 <= len(CASES) and len(CASES) == len({case["expr"] for case in CASES})


def test_values_and_gradients_are_those_of_jax() -> None:
    for place, case in enumerate(CASES):
        output = traced(place).trace.outputs[0]
        errors = [far(output.value, case["value"])]
        assert output.gradient is not None
        for name, expected in case["gradient"].items():
            errors += [far(output.gradient[key], x) for key, x in entries(name, expected).items()]
        assert max(errors) <= BOUND, case["expr"]


def statements(case: dict[str, Any]) -> str:
    """What a problem assigns, which formulas of its gradients may use."""
    return "".join(f"{part}; " for part in case["expr"].split(";")[:-1])


def test_published_formulas_of_gradients_hold() -> None:
    for place, case in enumerate(CASES):
        values = {
            name: (tuple(case["shapes"][name]), list(entries(name, x).values())) for name, x in case["point"].items()
        }
        for name, text in case["formula"].items():
            shape, found = evaluate_formula(statements(case) + text, values)
            expected = list(entries(name, case["gradient"][name]).values())
            assert shape == tuple(case["shapes"][name]) and max(map(far, found, expected)) <= BOUND, (place, text)


def contributions(trace: ArrayTrace) -> list[tuple[str, str, list[float], list[float]]]:
    """Row, formula as it is printed, its entries, and the entries gathered from the scalar program."""
    blocks, result = trace.program.blocks, []
    for flow in trace.flows[next(iter(trace.flows))]:
        if flow.source is None:
            continue
        block = blocks[flow.source]
        tree = adjoint_tree(blocks, flow.source, flow.position)
        if tree is None:
            continue
        values: dict[str, tuple[Shape, list[float]]] = {}
        names = letter_names(blocks, block)
        places_of = dict(zip(names, (operand.block for operand in block.operands), strict=False))
        for letter, number in (places_of | {"g": flow.source, "z": flow.source}).items():
            other = blocks[number]
            if other.literal is None and not other.is_constant:
                values[f"{letter}q"] = (
                    other.shape,
                    (next(iter(trace.bars.values())) if letter == "g" else trace.values)[number],
                )
        shown = {letter: name if name.is_number else ArrayName(f"{letter}q") for letter, name in names.items()}
        text = str(write_formula(tree, shown)).replace(" = ", " == ")
        assert block.row is not None
        shape, found = evaluate_formula(text, values)
        assert shape == blocks[flow.target].shape, (text, shape)
        result.append((block.row.name, text, found, flow.entries))
    return result


def test_the_printed_formula_of_every_contribution_is_what_the_scalar_program_gathers() -> None:
    seen = set()
    for place in range(len(CASES)):
        for row, text, found, gathered in contributions(traced(place)):
            seen.add(row)
            assert max(map(far, found, gathered)) <= 1e-11, (CASES[place]["expr"], text)
    assert set(ROWS) - seen <= {"ones", "zeros", "eye", "transpose", "adj"}


def test_a_slip_of_every_row_gives_something_else_than_the_rule() -> None:
    different = set()
    for place in range(len(CASES)):
        trace = traced(place)
        for flow in trace.flows[next(iter(trace.flows))]:
            row = None if flow.source is None else trace.block(flow.source).row
            for name, found in slips(trace, next(iter(trace.flows)), flow):
                if row is not None and max(map(far, found, flow.entries)) > 1e-3:
                    different.add((row.name, name))
    assert {(row.name, name) for row in ROWS.values() for name in row.slips} <= different


def test_a_predicted_array_is_judged_entry_by_entry_and_a_slip_is_named() -> None:
    problem = "norm(W x - y)^2 @ W=[1,2;3,4], x=[1,-1], y=[0,2]"
    typed = "-1 -3|3.16|10|1|6.32|[-2, 6]|[-2, -6]|[-2, -6; 2, 6]|-2 2|-2 2; -6 6|-14 -30|-20 -28|"
    done = run("step", problem, "--mode", "reverse", "--predict", stdin=typed.replace("|", "\n"))
    said = [line.strip() for line in done.out.splitlines() if line.startswith("     ")]
    assert "Right." * 5 == "".join(said[:5]) and said[6] == said[9] == "Right."
    assert said[7].startswith("This is the transpose of the gradient") and said[8].endswith("as in [1, 2; 3, 4].")
    assert said[5] == "Not yet: try again, or show it." and said[10].startswith("A transpose is missing")


def test_adjoints_of_inputs_are_the_sums_of_what_they_get() -> None:
    for place in range(len(CASES)):
        trace = traced(place)
        for number in trace.blocks:
            block = trace.block(number)
            if block.is_input:
                parts = [flow.entries for flow in trace.flows[next(iter(trace.flows))] if flow.target == number]
                sums = [sum(column) for column in zip(*parts, strict=True)] or [0.0] * len(block.slots)
                assert max(map(far, sums, next(iter(trace.bars.values()))[number])) <= 1e-11, CASES[place]["expr"]


def test_gradients_as_formulas_evaluate_to_the_gradients() -> None:
    for place, case in [*enumerate(CASES)][::EACH]:
        shapes = {name: tuple(shape) for name, shape in case["shapes"].items()}
        values = {name: (shapes[name], list(entries(name, x).values())) for name, x in case["point"].items()}
        for gradient in printed(place):
            shape, found = evaluate_formula(gradient.text, values)
            expected = list(entries(gradient.wrt, case["gradient"][gradient.wrt]).values())
            assert shape == shapes[gradient.wrt], (case["expr"], gradient.text)
            assert max(map(far, found, expected)) <= 1e-11, (case["expr"], gradient.text)


@pytest.mark.parametrize(
    ("expression", "shapes", "wrt", "formula"),
    [
        ("norm(A x - b)^2", "A=3x2, x=2, b=3", "x", "2 Aᵀ(A x − b)"),
        ("norm(A x - b)^2", "A=3x2, x=2, b=3", "A", "2 (A x − b) xᵀ"),
        ("0.5 x^T A x", "A=2x2, x=2", "A", "0.5 x xᵀ"),
        ("tr(X^2)", "X=3x3", "X", "2 Xᵀ"),
        ("a^T X b", "a=2, X=2x3, b=3", "X", "a bᵀ"),
        ("logsumexp(t) - p^T t", "t=3, p=3", "t", "softmax(t) − p"),
        ("log(1 + x^T x)", "x=3", "x", "2 x/(1 + xᵀ x)"),
        ("sum(x.^-2) + (x^T x)^-3", "x=2", "x", "−6 x/(xᵀ x)^4 − 2 x.^(−3)"),
        ("log(det(A X B))", "A=2x2, X=2x2, B=2x2", "X", "(X⁻¹)ᵀ"),
        ("a^T diag(x x^T)", "a=3, x=3", "a", "x.^2"),
        ("a^T diag(A^T)", "a=3, A=3x3", "a", "diag(A)"),
        ("a^T diag(diag(d) r r^T)", "a=3, d=3, r=3", "r", "2 (a ⊙ d ⊙ r)"),
        ("x^T diag(d) A diag(d) x", "x=3, d=3, A=3x3", "d", "diag(x) (A + Aᵀ) (d ⊙ x)"),
        ("a^T solve(K, a)", "a=2, K=2x2", "a", "(K⁻¹ + (K⁻¹)ᵀ) a"),
        ("tr(I_3 A)", "A=3x3", "A", "eye(3)"),
        ("sum(A .* X .* X)", "A=2x3, X=2x3", "X", "2 (A ⊙ X)"),
        ("sum((x - mean(x)).^2)", "x=4", "x", "2 (x − mean(x))"),
        ("sum(log(cosh(A x)))", "A=3x2, x=2", "x", "Aᵀ tanh(A x)"),
        ("u^T v/(norm(u) norm(v))", "u=3, v=3", "u", "v/(‖u‖ ‖v‖) − uᵀ v u/(‖u‖^3 ‖v‖)"),
    ],
)
def test_formulas_of_gradients_are_as_books_have_them(expression: str, shapes: str, wrt: str, formula: str) -> None:
    done = run("diff", expression, "--shape", shapes, "--wrt", wrt)
    assert (0, f"∂y/∂{wrt}  = {formula}") == (done.code, done.out.partition("  [")[0])


def test_the_document_has_nested_lists_and_arrays_beside_the_scalar_nodes() -> None:
    problem = "z = A x; norm(z - b)^2 @ A=[1,2;3,4], x=[1,-1], b=[0,2]"
    document = json.loads(run("eval", problem, "--mode", "reverse", "--format", "json").out)
    assert {"A": [[1, 2], [3, 4]], "x": [1, -1], "b": [0, 2]} == document["at"]
    (output,) = document["outputs"]
    assert far(output["value"], 10) <= BOUND and [-20, -28] == [round(x, 9) for x in output["gradient"]["x"]]
    z = next(block for block in document["arrays"] if block["name"] == "z")
    assert ([2], "matmul", ["A", "x"], "A x", [-1, -1]) == tuple(
        z[key] for key in ("shape", "operator", "parents", "formula", "value")
    )
    assert [("A", "z̄ xᵀ"), ("x", "Aᵀ z̄")] == [(part["target"], part["formula"]) for part in z["contributions"]]
    assert "A[1,1]" in [node["name"] for node in document["nodes"]]
    short = json.loads(run("eval", problem, "--no-trace", "--format", "json").out)
    assert not {"nodes", "steps", "arrays"} & short.keys() and output["gradient"].keys() == {"A", "x", "b"}


def written_point(case: dict[str, Any]) -> str:
    def text(value: Any) -> str:
        if not isinstance(value, list):
            return repr(value)
        rows = (
            [", ".join(map(repr, row)) for row in value]
            if isinstance(value[0], list)
            else [", ".join(map(repr, value))]
        )
        return f"[{'; '.join(rows)}]"

    return ", ".join(f"{name}={text(value)}" for name, value in case["point"].items())


@pytest.mark.parametrize(
    ("place", "form"), [*enumerate(["plain", "markdown", "latex", "html", "csv", "typst", "json", "rst"])]
)
def test_every_format_writes_problems(place: int, form: str) -> None:
    cases = CASES[place :: 6 * EACH]
    text = "\n".join(f"{case['expr']} @ {written_point(case)}" for case in cases)
    done = run("eval", "-", "--mode", "reverse", "--format", form, stdin=text)
    assert 0 == done.code
    if form == "json":
        documents = json.loads(done.out)
        for case, document in zip(cases, documents, strict=True):
            assert case["point"].keys() == document["at"].keys() and "arrays" in document
            assert far(document["outputs"][0]["value"], case["value"]) <= BOUND


def test_a_program_is_an_array_program() -> None:
    program = read_arrays(Source("z = W x + b; sum(z)"), {"W": (2, 2), "x": (2,), "b": (2,)})
    assert isinstance(program, ArrayProgram) and ["W[1,1]", "x[1]", "b[1]"] == [
        name for name in program.program.graph.inputs.values() if name[1:] in ("[1]", "[1,1]")
    ]


@pytest.mark.parametrize(
    ("shapes", "formula"),
    [("X=3x1", "2 X  [3]"), ("X=1x3", "2 X  [1×3]"), ("X=1x1", "2 X"), ("X=1", "2 X")],
)
def test_one_column_is_a_vector_and_one_entry_a_number(shapes: str, formula: str) -> None:
    assert f"∂y/∂X  = {formula}\n" == run("diff", "sumsq(X)", "--shape", shapes).out


def test_files_of_one_column_and_of_one_entry_are_read_as_such(tmp_path: Path) -> None:
    (tmp_path / "column.json").write_text("[[1], [2]]")
    (tmp_path / "entry.json").write_text("[[7]]")
    at = f"x=@{tmp_path / 'column.json'}, t=@{tmp_path / 'entry.json'}"
    done = run("eval", "t[1,1] x[2,1] + sum(t) + tr(t)", "--at", at, "--no-trace", "--format", "json")
    (output,) = json.loads(done.out)["outputs"]
    assert (28, {"t": 4, "x": [0, 7]}) == (output["value"], output["gradient"])


def test_functions_of_arrays_need_no_array_among_the_values() -> None:
    assert "y = 8 ∂y/∂t = 12" == " ".join(run("eval", "det(t eye(3)) @ t=2", "--no-trace").out.split())


def test_compiled_source_of_arrays_has_valid_names() -> None:
    problem = "norm(W x)^2 @ W=[1,2;3,4], x=[1,-1]"
    source = run("compile", problem, "--to", "numpy").out
    space: dict[str, Any] = {}
    exec(source, space)  # noqa: S102
    gradient = json.loads(run("eval", problem, "--format", "json", "--no-trace").out)["outputs"][0]["gradient"]
    expected = [2, *[x for row in gradient["W"] for x in row], *gradient["x"]]
    assert max(map(far, space["value_and_gradient"](1, 2, 3, 4, 1, -1), expected)) <= BOUND


def test_a_transposed_factor_is_explained_with_its_transpose() -> None:
    said = run("explain", "z = W^T x; z^T z @ W=[1,2;3,4], x=[1,-1]", "--mode", "reverse").out
    assert "left factor Wᵀ is z̄ times the transpose of x. Its transpose is the contribution to W." in said
    assert "z̄ = v̄1 z = [−2, −2]\n     Product rule: the gradient with respect to one vector is the other" in said


@pytest.mark.parametrize(
    ("problem", "title", "caret", "matrix"),
    [
        ("logdet(W) @ W=[1,2;3,4]", "the determinant of W is not positive", "^^^^^^^^^ det(W) is -2 when W[1,1]", "W"),
        ("2 inv(W) @ W=[1,2;2,4]", "W is singular: its determinant is 0", "  ^^^^^^ det(W) is 0 when W[1,1]", "W"),
        ("x^T (W W)^-1 @ W=[1,2;2,4], x=[1,2]", "W W is singular", "    ^^^^^^^^ det(W W) is 0 when", "W W"),
        ("B=2W; solve(B, x) @ W=[1,2;2,4], x=[1,2]", "B is singular", "      ^^^^^^^^^^^ det(B) is 0 when", "B"),
    ],
)
def test_the_error_of_a_singular_matrix_names_its_determinant(
    problem: str, title: str, caret: str, matrix: str
) -> None:
    err = run("eval", problem).err
    assert f"error: {title}" in err and f"| {caret}" in err and f"so that det({matrix}) " in err
    assert "reached while" not in err


def test_the_rule_of_one_entry_of_a_large_array_is_folded(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(json.dumps(list(range(40))))
    done = run("eval", "x[3]^2", "--at", f"x=@{tmp_path / 'x.json'}", "--mode", "reverse")
    assert "v̄1 ∂v1/∂x" in done.out and "0, 0, 0" not in done.out
    assert "has no formula in vectors and matrices" in run("diff", "x[3]^2", "--shape", "x=1200").err
    assert "= [0, 0, 2 x[3], 0" in run("diff", "x[3]^2", "--shape", "x=40").out


@pytest.mark.parametrize(
    ("name", "text"),
    [("x.csv", "1e400,2"), ("x.txt", "2\n-1e400"), ("x.json", "[1e400]"), ("x.json", f"[[2, {'9' * 400}]]")],
)
def test_a_number_of_a_file_that_is_no_double_is_an_error(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    done = run("eval", "sum(sum(x))", "--at", f"x=@{tmp_path / name}")
    assert (2, "") == (done.code, done.out) and "a number in x is too large" in done.err
    (tmp_path / name).write_text(re.sub("1e400|9+", "inf" if name != "x.json" else "Infinity", text))
    assert "inf" in run("eval", "sum(sum(x))", "--at", f"x=@{tmp_path / name}").out


def length(text: str) -> int:
    """Names, numbers and signs of a formula; brackets do not count."""
    return len(re.findall(r"[^\W\d]\w*|\d+(?:\.\d+)?|\.[*/^]|\^T|\^-1|[-+*/^,;]", text))


def test_printed_gradients_are_about_as_short_as_published_ones() -> None:
    count = 0
    for place, case in enumerate(CASES):
        named = {part.partition("=")[0].strip() for part in statements(case).split(";")}
        for gradient in [each for each in printed(place) if each.wrt in case["formula"]]:
            *steps, result = gradient.text.split("; ")
            own = [step for step in steps if step.partition(" = ")[0] not in named]
            assert length("; ".join([*own, result])) <= 1.3 * length(case["formula"][gradient.wrt]), gradient.text
            count += 1
    assert count >= 210


OTHER_SIZES = ({}, {2: 3, 3: 2}, {2: 3, 3: 4, 4: 2})


def test_printed_gradients_hold_for_other_sizes_at_random_points() -> None:
    random, count = Random(5), 0  # noqa: S311
    for place, case in [*enumerate(CASES)][1::EACH]:
        sizes = OTHER_SIZES[place % len(OTHER_SIZES)]
        shapes = {name: tuple([sizes.get(k, k) for k in shape]) for name, shape in case["shapes"].items()}
        point = {name + at: random.uniform(0.2, 1.5) for name, shape in shapes.items() for at in places(shape)}
        try:
            program = read_arrays(Source(case["expr"]), shapes, cse=True)
            trace = array_trace(program, point, Request("reverse"), None).trace
        except AdcliError:  # sizes that the problem has as numbers, and points outside a domain
            continue
        output = trace.outputs[0]
        if any(note.kind == "conditioning" for note in trace.notes):  # XᵀX of a wide matrix is singular
            continue
        values = {name: (shape, [point[name + at] for at in places(shape)]) for name, shape in shapes.items()}
        for gradient in gradients(program, []):
            shape, found = evaluate_formula(gradient.text, values)
            assert output.gradient is not None and shape == shapes[gradient.wrt]
            expected = [output.gradient[gradient.wrt + at] for at in places(shape)]
            assert max(map(far, found, expected)) <= 1e-8 * max(1.0, *map(abs, expected)), (case["expr"], gradient.text)
            count += 1
    assert count >= 450 / EACH


def planted(text: str) -> list[str]:
    """Formulas with a factor transposed, the order of factors, a sign or a coefficient changed; most are wrong."""
    found = [text[: m.start()] + text[m.end() :] for m in re.finditer(r"\^T", text)]
    found += [f"{text[: m.end()]}^T{text[m.end() :]}" for m in re.finditer(r"\b[A-Z]\w*\b(?!\^|\()", text)]
    pairs = re.finditer(r"(\b[a-zA-Z]) ([a-zA-Z])\b", text)
    found += [f"{text[: m.start()]}{m[2]} {m[1]}{text[m.end() :]}" for m in pairs]
    found += [text.replace(" - ", " + ", 1), text.replace(" + ", " - ", 1), f"-({text})", f"2 ({text})"]
    return [each for each in dict.fromkeys(found) if each != text]


def test_a_formula_is_the_gradient_or_is_refuted() -> None:
    refuted = 0
    for case in CASES[::EACH]:
        source, shapes = Source(case["expr"]), {name: tuple(shape) for name, shape in case["shapes"].items()}
        for place, (name, text) in enumerate(case["formula"].items()):
            verdict = compare_gradient(source, shapes, name, Source(text))
            assert verdict.is_right or "only if A is symmetric" in verdict.message, (case["expr"], text)
            values = {key: (shapes[key], list(entries(key, x).values())) for key, x in case["point"].items()}
            for wrong in planted(text)[place % 4 :: 4]:
                try:
                    _, found = evaluate_formula(statements(case) + wrong, values)
                    expected = list(entries(name, case["gradient"][name]).values())
                    is_wrong = len(found) != len(expected) or max(map(far, found, expected)) > 1e-9
                except AdcliError:
                    is_wrong = True
                if is_wrong:
                    refuted += 1
                    assert compare_gradient(source, shapes, name, Source(wrong)).is_right is False, (name, wrong)
    assert refuted >= 250 / EACH


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("2 A^T (A x - b)", ""),
        ("A^T (A x - b)", "a factor 2 is missing"),
        ("-2 A^T (A x - b)", "all signs are reversed"),
        ("2 (A x - b)^T A", "this is the transpose: the gradient of x has 2 entries, as x itself"),
        ("2 (A x - b)", "this has 3 entries, but the gradient of x has 2 entries, as x itself"),
        ("2 A (A x - b)", "2 A is 3×2 and (A x - b) has 3 entries: for 2 A (A x - b), (A x - b) needs 2 entries"),
        ("2 A^T (A x + b)", "this is not the gradient with respect to x"),
    ],
)
def test_a_wrong_formula_of_a_gradient_is_explained(answer: str, message: str) -> None:
    shapes = {"A": (3, 2), "x": (2,), "b": (3,)}
    assert message == compare_gradient(Source("norm(A x - b)^2"), shapes, "x", Source(answer)).message


def test_the_rule_of_a_determinant_holds_where_it_is_0() -> None:
    trace = array_trace(
        read_arrays(Source("det(X)"), {"X": (2, 2)}), entries("X", [[1, 2], [2, 4]]), Request("reverse"), None
    )
    assert [[4, -2, -2, 1]] * 2 == [x for _, _, *both in contributions(trace) for x in both]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["diff", "norm(A x - b)^2", "--shape", "A=3x2, x=2, b=3", "--layout", "numerator"], "2 (A x − b)ᵀ A  [1×2]"),
        (["diff", "norm([t, 1])"], "∂y/∂t"),
        (["diff", "sum((0*x).^(-1))", "--shape", "x=2"], "y has no value at any point"),
        (["diff", "sum(y .* x ./ 0 .* x)", "--shape", "x=2, y=2"], "y has no value at any point"),
        (["diff", "dot(x,y)/0", "--shape", "x=2, y=2"], "y has no value at any point"),
        (["diff", "dot(y, outer(x, t))", "--shape", "x=2, y=2", "--wrt", "y"], "outer(x, t)"),
        (["diff", "1/(0*x)"], "y has no value at any point"),
        (["diff", "log(x-x)"], "y has no value at any point"),
        (["diff", "atan2(x-x, 0)*x"], "y has no value at any point"),
        (["eval", "A x @ A=[1,2;], x=[3,4]"], "[1×2]"),
        (["eval", "@ x=[1,2]"], "there is no expression"),
        (["eval", "norm(x) @ x=[1e400,1]"], "this number is too large"),
        (["eval", "eye(2) @ x=1", "--wrt", "x"], "x does not occur in the expression"),
        (["eval", "sum(if(x > 0, x, -x)) @ x=[1,2]", "--format", "json"], "null"),
        (["eval", "x/y @ x=[1,2], y=[1,2,3]"], "x has 2 entries and y has 3 entries: / divides by numbers only"),
        (["map", "norm(x)", "-"], "5.0,0.6,0.8"),
        (["plot", "sum(x) t^2 @ x=[1,2]", "--over", "t=0:1"], "sum(x) t^2"),
        (["plot", "sumsq(x) @ x=[1,2]", "--over", "x[1]=0:1"], "x[2] = 2"),
        (["taylor", "sumsq(x) @ x=[1,2]", "--along", "x[1]=1, x[2]=0"], "5 + 2 t + t^2"),
        (["compile", "det(X)", "--shape", "X=2x2", "--to", "c"], "X_2_2"),
        (["propagate", "norm(x) @ x=[1±0.1, 2]"], "only numbers have uncertainties"),
        (["functions", "norm"], "norm is for arrays: Euclidean norm"),
        (["eval", "norm(x)"], 'for vectors and matrices give values: --at "x=[1,2]"'),
        (["diff", "norm(x)"], "for vectors and matrices give values"),
        (["eval", "norm(x - bb) @ x=[1,2], b=[1,2]"], "shapes do not fit for the product b b"),
        (["prompt"], "13"),
    ],
)
def test_every_command_reads_arrays_or_says_what_to_do(command: list[str], expected: str) -> None:
    typed = "x[1],x[2]\n3,4\n" if command[0] == "map" else "W=[1,2;3,4]; norm(W)\nx=[2,3]\nh = 1 x\nsumsq(h)\n"
    done = run(*command, stdin=typed)
    assert expected in done.out + done.err


def test_formulas_of_gradients_are_marked_without_a_point() -> None:
    problem = ["check", "--problem", "norm(A x - b)^2", "--shape", "A=3x2, x=2, b=3"]
    right = "r = A x - b\n∂y/∂A = 2 r x^T\nx̄ = 2*A.T @ (A @ x - b) = 2 A^T A x - 2 A^T b\n∇_b y = -2 r\n"
    assert "Correct: 6 of 6 marks." in run(*problem, stdin=right).out
    done = run(*problem, "--wrt", "x", stdin="dy/dx = 2 A^T A x - A^T b\n")
    assert (1, True) == (done.code, "∂y/∂x: this is not the gradient with respect to x" in done.out)
    done = run(*problem, "--wrt", "x", "--disclose", "5", stdin="x = 3\ndy/db = 2\n")
    assert "2 Aᵀ(A x − b)" in done.out and "0 of 2 marks" in done.out
    assert "there is no input called z" in run(*problem, "--wrt", "z", stdin="dy/dz = 2\n").err


@pytest.mark.parametrize(
    ("problem", "typeset"),
    [
        ("h = tanh(W x + b); h^T h @ W=[1,2;3,4], x=[1,2], b=[0,1]", r"\tanh(\mathbf W \mathbf x + \mathbf b)"),
        ("norm(x/2) + tr(inv(A^T)) @ x=[1,2], A=[1,2;3,4]", r"\left\|\frac{\mathbf x}{2}\right\|"),
        ("norm(x/2) + tr(inv(A^T)) @ x=[1,2], A=[1,2;3,4]", r"\mathbf A^{-\top }"),
    ],
)
def test_documents_typeset_programs_of_arrays(problem: str, typeset: str) -> None:
    document = run("eval", problem, "--mode", "value", "--format", "latex", "--standalone").out
    assert typeset in document.partition("tabular")[0]
    assert problem.partition(" @")[0] in run("eval", "--file", "-", "--format", "plain", stdin=f"{problem}\n1\n").out
