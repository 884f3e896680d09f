"""Single rows as people write them, and what each of them says."""

from __future__ import annotations

import random

import pytest
from answers import read, rows, told
from together import together

from adcli.answers.answer_model import NotGradable, line_of

# The row as written, and what is read: one line for each entry, its symbol and its pieces.
ROWS = [
    (r"v_2 = x_1 \times (-0.05)", "v2 | x1*-0.05"),
    ("v1 = ln (2)", "v1 | log(2)"),
    (r"v_1 = \exp (-0.6)", "v1 | exp(-0.6)"),
    ("v2 = x1 x2 + (5)", "v2 | x1*x2 + 5"),
    ("v1 = x1 x2 = 0.84 | v1' = 0.7", "v1 | x1*x2 | 0.84 (1/100)", "dot v1 | 0.7 (1/10)"),
    ("v1 = | x1 | + | x2 | = 7", "v1 | abs(x1) + abs(x2) | 7 (1)"),
    (r"v_1 = \dfrac1{x_1} = \dfrac3{25}", "v1 | 1/x1 | 3/25"),
    ("v1 = ln(x1) ........ 0.693", "v1 | log(x1) | 0.693 (1/1000)"),
    ("ẋ1 → v̇1 = 1", "dot v1 | 1 (1)"),
    ("v1 → v2 → v4 = 10.693", "v4 | 10.693 (1/1000)"),
    ("v1 → log 2 → 0.693", "v1 | log(2) | 0.693 (1/1000)"),
    ("v1 = ln x1 (0.693)", "v1 | log(x1) | 0.693 (1/1000)"),
    ("v2 = x1 x2 (= 10)", "v2 | x1*x2 | 10 (1)"),
    ("v2 = x1 (5) = 10", "v2 | x1*5 | 10 (1)"),
    ("v3 = sin  x2 = -0.959", "v3 | sin(x2) | -0.959 (1/1000)"),
    ("v4 = v1 +  v2 = 10.693", "v4 | v1 + v2 | 10.693 (1/1000)"),
    ("v2' = x1'x2 + x1x2' = 5", "dot v2 | dot x1*x2 + x1*dot x2 | 5 (1)"),
    ("u = 2, v = 3, y' = u'v + uv'", "u | 2 (1)", "v | 3 (1)", "dot y | dot u*v + u*dot v"),
    (r"v_2' = \cos(v_1)\frac{\mathrm{d}v_1}{\mathrm{d}x_1}", "dot v2 | cos(v1)*dv1/dx1"),
    ("x2 → sin → v3 = -0.959", "v3 | -0.959 (1/1000)"),
    ("v1, v2 → + → v4 = 10.693", "v4 | 10.693 (1/1000)"),
    ("The value of v1 is 0.693", "v1 | 0.693 (1/1000)"),
    ("v̄2 = v̄1 = v̄4 = 1", "bar v4 | 1 (1)", "bar v1 | bar v4 | 1 (1)", "bar v2 | bar v1 | bar v4 | 1 (1)"),
    ("v5 = 3; δ5 = 1", "v5 | 3 (1)", "bar v5 | 1 (1)"),
    ("v1 = np.log(x1)  # 0.693", "v1 | log(x1) | 0.693 (1/1000)"),
    ("v1 = log(x1)  # = 0.693", "v1 | log(x1) | 0.693 (1/1000)"),
    ("v4 = v1 + v2  # 2 rows", "v4 | v1 + v2"),
    ("y = σ(x1) = 0.881", "y | sigmoid(x1) | 0.881 (1/1000)"),
    (r"$y = \sigma(x_1)$", "y | sigmoid(x1)"),
    ("log(x1) -> v1 = 0.693", "v1 | log(x1) | 0.693 (1/1000)"),
    ("ln x1 → v1 = 0.693", "v1 | log(x1) | 0.693 (1/1000)"),
    ("0.693 -> v1", "v1 | 0.693 (1/1000)"),
    ("ln(2) = 0.693 → v1", "v1 | log(2) | 0.693 (1/1000)"),
    (r"$x_1 x_2 \to v_2 = 10$", "v2 | x1*x2 | 10 (1)"),
    ("x2*v̇1 + x1*v̇2 → v̇3 = 5", "dot v3 | x2*dot v1 + x1*dot v2 | 5 (1)"),
    ("~~v2 = 0.087~~ v1 = 10", "v1 | 10 (1)"),
    ("v3 = sin(x2) = ~~0.087~~ -0.959", "v3 | sin(x2) | -0.959 (1/1000)"),
    (r"v_1 = \ln 2 = \cancel{0.301} 0.693", "v1 | log(2) | 0.693 (1/1000)"),
    ("x1 = 2, x2 = 5: y = v5 = 11.652", "x1 | 2 (1)", "x2 | 5 (1)", "y | v5 | 11.652 (1/1000)"),
    ("v1 = ln x1 = 0.693 v̇1 = ẋ1/x1 = 0.5", "v1 | log(x1) | 0.693 (1/1000)", "dot v1 | dot x1/x1 | 0.5 (1/10)"),
    ("v2 = 10 bar v2 = 1", "v2 | 10 (1)", "bar v2 | 1 (1)"),
    ("v2 = 10 dy/dv2 = 1", "v2 | 10 (1)", "dy/dv2 | 1 (1)"),
    ("v̇2 = 5 v̄2 = 1", "dot v2 | 5 (1)", "bar v2 | 1 (1)"),
    ("v1 = log(x1) = 0.693", "v1 | log(x1) | 0.693 (1/1000)"),
    ("v1=log(x1)=0.693", "v1 | log(x1) | 0.693 (1/1000)"),
    ("v_1 := ln x_1 ≈ 0.693", "v1 | log(x1) | 0.693 (1/1000)"),
    ("v₁ = ln x₁ ≈ 0,693", "v1 | log(x1) | ! this number has a decimal comma"),
    ("V1 = Log(X1) = .693", "V1 | log(x1) | 0.693 (1/1000)"),
    ("v1 -> 0.693...", "v1 | 0.693 (1/1000)"),
    ("v1 → log 2 → 0.6931…", "v1 | log(2) | 0.6931 (1/10000)"),
    ("1. v1 = ln 2", "v1 | log(2)"),
    ("(2) v2 = x1 × x2 = 2 × 5 = 10", "v2 | x1*x2 | 2*5 | 10 (1)"),
    ("- v3 = sin x2 = −0.959", "v3 | sin(x2) | -0.959 (1/1000)"),
    ("* v4 = v1 + v2", "v4 | v1 + v2"),
    ("Step 3: v3 = sin(x2) = sin 5", "v3 | sin(x2) | sin(5)"),
    ("Step 4 v4 = v1 + v2", "v4 | v1 + v2"),
    ("therefore y = 11.652", "y | 11.652 (1/1000)"),
    ("So finally, y = v5 = 11.652.", "y | v5 | 11.652 (1/1000)"),
    ("y(2,5) = 11.652", "y | 11.652 (1/1000)"),
    ("f(x1, x2) = v5 = 11.652", "y | v5 | 11.652 (1/1000)"),
    ("F = v5", "F | v5"),
    ("v1: log(x1) = 0.693", "v1 | log(x1) | 0.693 (1/1000)"),
    ("v1: 0.693", "v1 | 0.693 (1/1000)"),
    ("v2 = x1x2 = 10", "v2 | x1*x2 | 10 (1)"),
    ("v2 = x1 x2 = 10 (product)", "v2 | x1*x2 | 10 (1)"),
    ("v2 = x1*x2 = 10 # product", "v2 | x1*x2 | 10 (1)"),
    ("v2 = x1·x2 = 10 ✓", "v2 | x1*x2 | 10 (1)"),
    ("v2 = x1*x2 by the product rule = 10", "v2 | x1*x2 | 10 (1)"),
    ("v2 = x1*x2 = 10 by the product rule", "v2 | x1*x2 | 10 (1)"),
    ("v2 = 10, by the product rule", "v2 | 10 (1)"),
    ("v2 = x1*x2 (product rule) = 10", "v2 | x1*x2 | 10 (1)"),
    ("v1 = 0.693; v2 = 10", "v1 | 0.693 (1/1000)", "v2 | 10 (1)"),
    ("v1 = 0.693, v2 = 10", "v1 | 0.693 (1/1000)", "v2 | 10 (1)"),
    ("v1 = 0.693 and v2 = 10", "v1 | 0.693 (1/1000)", "v2 | 10 (1)"),
    ("x1 = 2, x2 = 5", "x1 | 2 (1)", "x2 | 5 (1)"),
    ("dx1 = 1", "dot x1 | 1 (1)"),
    ("dv1 = dx1/x1 = 1/2 = 0.5", "dot v1 | dot x1/x1 | 1/2 | 0.5 (1/10)"),
    ("dv1 = (1/x1)*dx1 = 0.5", "dot v1 | 1/x1*dot x1 | 0.5 (1/10)"),
    ("dv1/dx1 = 1/x1 = 0.5", "dv1/dx1 | 1/x1 | 0.5 (1/10)"),
    ("d v1 / d x1 = 0.5", "dv1/dx1 | 0.5 (1/10)"),
    ("∂v1/∂x1 = 1/x1 = 0.5", "dv1/dx1 | 1/x1 | 0.5 (1/10)"),
    ("v1' = x1'/x1 = 0.5", "dot v1 | dot x1/x1 | 0.5 (1/10)"),
    ("v1′ = 0.5", "dot v1 | 0.5 (1/10)"),
    ("v̇1 = ẋ1/x1 = 0.5", "dot v1 | dot x1/x1 | 0.5 (1/10)"),
    ("v1̇ = 0.5", "dot v1 | 0.5 (1/10)"),
    ("v̇_1 = 0.5", "dot v1 | 0.5 (1/10)"),
    ("dot(v1) = dot(x1)/x1 = 0.5", "dot v1 | dot x1/x1 | 0.5 (1/10)"),
    ("dot v1 = 0.5", "dot v1 | 0.5 (1/10)"),
    ("v1dot = x1dot/x1", "dot v1 | dot x1/x1"),
    ("v1_dot = 0.5", "dot v1 | 0.5 (1/10)"),
    ("D[v1] = D[x1]/x1", "dot v1 | dot x1/x1"),
    (r"\dot{v}_1 = \frac{\dot{x}_1}{x_1} = 0.5", "dot v1 | dot x1/x1 | 0.5 (1/10)"),
    (r"\dot v_1 = \dot x_1 / x_1", "dot v1 | dot x1/x1"),
    (r"\frac{dv_1}{dx_1} = \frac{1}{x_1}", "dv1/dx1 | 1/x1"),
    (r"\frac{\partial v_1}{\partial x_1} = \frac{1}{2}", "dv1/dx1 | 1/2"),
    (r"\frac{\mathrm{d} v_1}{\mathrm{d} x_1} = 0.5", "dv1/dx1 | 0.5 (1/10)"),
    (r"\partial v_1/\partial x_1 = 0.5", "dv1/dx1 | 0.5 (1/10)"),
    (r"\frac{d}{dx_1} v_1 = 0.5", "dv1/dx1 | 0.5 (1/10)"),
    ("v5bar = 1", "bar v5 | 1 (1)"),
    ("v5_bar = 1", "bar v5 | 1 (1)"),
    ("v̄5 = 1", "bar v5 | 1 (1)"),
    ("v̄5 = ȳ = 1", "bar v5 | bar y | 1 (1)"),
    ("v5̄ = 1", "bar v5 | 1 (1)"),
    ("bar(v5) = 1", "bar v5 | 1 (1)"),
    ("bar v5 = 1", "bar v5 | 1 (1)"),
    ("adj v5 = 1", "bar v5 | 1 (1)"),
    ("adjoint of v5 = 1", "bar v5 | 1 (1)"),
    ("adj(v5) = 1", "bar v5 | 1 (1)"),
    (r"\bar{v}_5 = 1", "bar v5 | 1 (1)"),
    (r"\bar v_5 = \bar y = 1", "bar v5 | bar y | 1 (1)"),
    (r"\overline{v_5} = 1", "bar v5 | 1 (1)"),
    ("dy/dv5 = 1", "dy/dv5 | 1 (1)"),
    ("∂y/∂v4 = ∂y/∂v5 · ∂v5/∂v4 = 1 · 1 = 1", "dy/dv4 | dy/dv5*dv5/dv4 | 1*1 | 1 (1)"),
    ("∂f/∂x1 = 5.5", "dy/dx1 | 5.5 (1/10)"),
    ("seed: v5bar = 1", "bar v5 | 1 (1)"),
    ("v5bar (seed) = 1", "bar v5 | 1 (1)"),
    ("v5bar = seed = 1", "bar v5 | 1 (1)"),
    ("x2bar += v2bar*x1", "bar x2 | bar x2 + bar v2*x1"),
    ("x2bar = x2bar + v2bar*x1 = -0.284 + 2 = 1.716", "bar x2 | bar x2 + bar v2*x1 | -0.284 + 2 | 1.716 (1/1000)"),
    ("x̄2 = v̄3 cos x2 + v̄2 x1", "bar x2 | bar v3*cos(x2) + bar v2*x1"),
    ("x̄₁ = v̄₁/x₁ + v̄₂x₂ = 5.5", "bar x1 | bar v1/x1 + bar v2*x2 | 5.5 (1/10)"),
    (r"\bar{x}_1 \mathrel{+}= \bar{v}_2 x_2", "bar x1 | bar x1 + bar v2*x2"),
    ("dx2/dx1 = 0", "dx2/dx1 | 0 (1)"),
    ("dv2 = x2*dx1 + x1*dx2 = 5*1 + 2*0 = 5", "dot v2 | x2*dot x1 + x1*dot x2 | 5*1 + 2*0 | 5 (1)"),
    ("v3 = 1.2e-3", "v3 | 0.0012 (1/10000)"),
    ("v3 = 1.2·10^-3", "v3 | 0.0012 (1/10000)"),
    ("v3 = 1.2 × 10^{-3}", "v3 | 0.0012 (1/10000)"),
    ("v3 = 1.2×10⁻³", "v3 | 0.0012 (1/10000)"),
    ("v3 = 1,234.5", "v3 | 1234.5 (1/10)"),
    ("v3 = 0,693", "v3 | ! this number has a decimal comma"),
    ("v3 = 1/2", "v3 | 1/2"),
    ("v3 = e^2", "v3 | e^2"),
    ("v3 = √x2 = 2.236", "v3 | sqrt(x2) | 2.236 (1/1000)"),
    ("v3 = |x1|", "v3 | abs(x1)"),
    ("v3 = max(x1, x2) = 5", "v3 | max(x1, x2) | 5 (1)"),
    ("v3 = log(x1 = 0.69", "v3 | ! the bracket ( is never closed | 0.69 (1/100)"),
    ("v3 = sin(5°)", "v3 | sin(5*(pi/180))"),
    ("v3 = x1 + \U000f0000", "v3 | ! this character has no meaning here"),
    (r"v3 = v̇1\sigma(x1)", "v3 | dot v1*sigmoid(x1)"),
    ("v3 = x1 ** 2", "v3 | x1^2"),
    ("v3 = 2x1 + 3", "v3 | 2*x1 + 3"),
    ("v3 = v2(x1)", "v3 | v2*x1"),
    ("v3 = x1(x1+1)", "v3 | x1*(x1 + 1)"),
    ("v3 = sin5", "v3 | sin(5)"),
    ("v3 = inf", "v3 | ! this is not a finite number"),
    ("u = x1*x2", "u | x1*x2"),
    ("du = x2*dx1", "du | x2*dot x1"),
    ("v-1 = x1", "v1 | x1"),
    ("v_{-1} = x1 = 2", "v1 | x1 | 2 (1)"),
    (r"v_{10} = \dot v_{10}", "v10 | dot v10"),
    ("  y = log(x1) + x1*x2 - sin(x2) at x1 = 2, x2 = 5", "y | log(x1) + x1*x2 - sin(x2)", "x1 | 2 (1)", "x2 | 5 (1)"),
    ("v4 == v1 + v2 == 10.693", "v4 | v1 + v2 | 10.693 (1/1000)"),
    ("v4 = v1 + v2 ~ 10.7", "v4 | v1 + v2 | 10.7 (1/10)"),
    (r"v4 = v1 + v2 \approx 10.7", "v4 | v1 + v2 | 10.7 (1/10)"),
    ("v1 = math.log(x1) = 0.693", "v1 | log(x1) | 0.693 (1/1000)"),
    ("v1 = np.log(x1)", "v1 | log(x1)"),
    ("v3 = foo(x2) = 1", "v3 | ! there is no function called foo | 1 (1)"),
    ("v3 = 10.", "v3 | 10 (1)"),
    ("v2=x_1x_2", "v2 | x1*x2"),
    (r"v3 = sin(x_{2}) \cdot 1", "v3 | sin(x2)*1"),
    ("ẏ = v̇5 = 5.5", "dot y | dot v5 | 5.5 (1/10)"),
    ("y' = v5' = 5.5", "dot y | dot v5 | 5.5 (1/10)"),
    ("the derivative is dy/dx1 = 5.5", "dy/dx1 | 5.5 (1/10)"),
    ("v̄1 += v̄4·1 = 1", "bar v1 | bar v1 + bar v4*1 | 1 (1)"),
    ("v4 = v1+v2=0.693+10=10.69, so v5 = 11.65", "v4 | v1 + v2 | 0.693 + 10 | 10.69 (1/100)", "v5 | 11.65 (1/100)"),
    ("v3 = x1 % x2", "v3 | x1 % x2"),
    ("x̄2 := x̄2 + v̄2*x1", "bar x2 | bar x2 + bar v2*x1"),
    ("v1 = ln 2 = 0.6931471805599453 [natural log]", "v1 | log(2) | 0.693147 (1/10000000000000000)"),
    (r"$v_1 = \ln x_1 = 0.693$", "v1 | log(x1) | 0.693 (1/1000)"),
    ("**v1** = 0.693", "v1 | 0.693 (1/1000)"),
    ("`v1 = log(x1)`", "v1 | log(x1)"),
    (r"v1 = \boxed{0.693}", "v1 | 0.693 (1/1000)"),
    ("v1 = {0.693}", "v1 | 0.693 (1/1000)"),
    (r"\frac{\partial y}{\partial v_3} = -1", "dy/dv3 | -1 (1)"),
    ("v₋₁ = 2", "v1 | 2 (1)"),
    ("v1 = 0.693 (3 s.f.)", "v1 | 0.693 (1/1000)"),
    ("v1 = 0.693 rad", "v1 | 0.693 (1/1000)"),
    ("v1 <- log(x1)", "v1 | log(x1)"),
    ("v2 = 2 x 5 = 10", "v2 | 2*5 | 10 (1)"),
    ("v2 = x1 x x2", "v2 | x1*x2"),
    ("v2 = 10 <- product", "v2 | 10 (1)"),
    ("⇒ v1 = 5", "v1 | 5 (1)"),
    (r"\Rightarrow v_1 = 5", "v1 | 5 (1)"),
    ("(dv3/dx1) = 1", "dv3/dx1 | 1 (1)"),
    ("dL/dx1 = 5.5", "dL/dx1 | 5.5 (1/10)"),
    ("v̇_{3} = v̇_{1}·x_2", "dot v3 | dot v1*x2"),
    ("v1 = the log of x1 = 0.693", "v1 | ! these words are not a formula | 0.693 (1/1000)"),
    ("let a = x1*x2, b = sin(a)", "a | x1*x2", "b | sin(a)"),
    ("v1 (log) = 0.693", "v1 | 0.693 (1/1000)"),
]  # fmt: skip


@together(("text", "expected"), [(text, expected) for text, *expected in ROWS])
def test_a_row_means_what_its_writer_means(text: str, expected: list[str]) -> None:
    assert expected == rows(text)


@pytest.mark.parametrize("blank", ["v3 = ____", "v3 =", "v3 = ?", "v3 = …", "v3:", "v3 = \\ldots"])
def test_a_blank_row_is_an_entry_without_pieces(blank: str) -> None:
    assert ["v2 | 10 (1)", "v3"] == rows(f"v2 = 10\n{blank} =")


@pytest.mark.parametrize("text", ["log(x1) = 0.693", "x1 + x2 = 7", "2*v1 = 3", "v5 - v4 = 1", "= 3"])
def test_a_line_that_names_no_row_is_unread_and_the_rest_stays(text: str) -> None:
    (answer,) = read(f"v2 = 10\n\n{text}\nv3 = 1")
    assert ["v2 | 10 (1)", "v3 | 1 (1)"] == [told(entry) for entry in answer.entries]
    assert [3] * (text != "= 3") == [each.line for each in answer.unread]


LINES = (
    "x1, x2 are given.", "We use that sin has the derivative cos = sin shifted.", "qq: 5", "f' = 1??", "so: 3",
    "| a | b |", "x1*x2", "~~v3 = 9~~", "the answer is 49", "= 3", "12 or 13", "v3", "n/a", "n = ", ": 4", "v3 -> ?",
    "D_z: 3", "δz: 3", "z_b: 3", "∂y/∂z: 3", "wz: 3 = 2", "y = 3 (2)", "and 5", "Δv2 = 1", "v2: = 3", "|v2| 3 |",
    "a; b = 2; c", "# so 12", "adjoints 5.5 and 1.716", "values of 3", "e",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_each_line_is_read_or_quoted(seed: int) -> None:
    lines = ["v2 = 10", *random.Random(seed).sample(LINES, 12)]  # noqa: S311
    (answer,) = read("\n".join(lines))
    quoted = [each.line for each in (*answer.unread, *answer.left_out)]
    taken = {*quoted, *(line_of(piece.span) for entry in answer.entries for piece in entry.pieces)}
    taken.update(entry.line for entry in answer.entries)
    assert [] == [line for number, line in enumerate(lines, 1) if number not in taken]
    (answer,) = read("v2 = 10\n(x1, x2) = (2, 5)\nx1, x2 = 2, 5")  # the point
    assert (["v2 | 10 (1)"], (), ()) == ([told(entry) for entry in answer.entries], answer.unread, answer.left_out)


def test_a_tangent_needs_the_name_of_a_row() -> None:
    assert ["u | x1*x2", "dot u | x2*dot x1", "bar u | 1 (1)"] == rows("u = x1*x2\ndu = x2*dx1\nubar = 1")
    assert ["du | 2 (1)"] == rows("du = 2")
    assert ["dx | x1*x2", "e | dx*x1"] == rows("dx = x1*x2\ne = dx*x1", inputs=("x1", "x2", "dx"))


def test_names_of_the_task_are_spelled_as_the_task_spells_them() -> None:
    names = {"inputs": ("x_1", "θ"), "outputs": ("loss",)}
    assert ["v1 | x_1*θ", "loss | v1", "dot x_1 | 1 (1)", "bar θ | bar v1*x_1"] == rows(
        "v1 = x1*θ\nLoss = v1\ndx1 = 1\nθ̄ = v̄1*x_1", **names
    )


def test_numbered_from_minus_one_as_surveys_do() -> None:
    assert ["v-1 | x1", "v0 | x2", "v1 | log(v-1)", "v2 | v-1*v0"] == rows(
        "v-1 = x1\nv0 = x2\nv1 = ln v-1\nv_2 = v_{-1} v_0"
    )


def test_rows_below_v1_have_tangents_and_adjoints_in_every_spelling() -> None:
    values = "v-1 = x1\nv0 = x2\nv1 = v-1*v0\n"
    for spelling, kind in [
        ("v̇-1", "dot"), ("dv-1", "dot"), ("v-1'", "dot"), ("dot(v-1)", "dot"), ("\\dot v_{-1}", "dot"),
        ("v̄-1", "bar"), ("bar(v-1)", "bar"), ("\\bar{v}_{-1}", "bar"),
    ]:  # fmt: skip
        assert [f"{kind} v-1 | {kind} v-1*v0", "v-1 | x1"] == sorted(
            row for row in rows(f"{values}{spelling} = {spelling}*v0") if row.startswith(("v-1", kind))
        ), spelling
    assert ["v1 | log(v-1)", "v2 | v-1*v0"] == rows("v1 = ln v-1\nv2 = v-1*v0")  # as surveys do without a word
    assert ["v | x1", "u | v - 1"] == rows("v = x1\nu = v-1")


def test_a_derivative_with_a_prime_may_have_its_arguments() -> None:
    assert ["y | x^2", "dy/dx | 2*x"] == rows("f(x) = x^2\nf'(x) = 2x", inputs=("x",))
    assert ["y | x^2", "dy/dx | 2*x"] == rows("f(x) = x^2\nf'(3) = 2x", inputs=("x",))


def test_adjoints_and_radians_as_programs_and_physicists_write_them() -> None:
    for spelling in ("v3.grad", "grad_v3", "v3_grad"):
        assert ["v3 | sin(5) | -0.959 (1/1000)", "bar v3 | -1 (1)", "bar x2 | bar v3*2"] == rows(
            f"v3 = sin(5 rad) = -0.959\n{spelling} = -1\nx2.grad = {spelling} * 2"
        )


def test_what_a_row_comes_from_may_be_said_before_it() -> None:
    assert ["v3 | x1*x2", "bar x2 | bar x2 + bar v3*x1"] == rows("v3 = x1*x2\nfrom v3: x2bar += v3bar*x1")


def test_products_by_brackets_of_names_that_are_rows() -> None:
    assert ["a | x1 + 1", "b | a*(x1 + 1)"] == rows("a = x1 + 1\nb = a(x1+1)")


def test_with_decimal_commas() -> None:
    assert ["v1 | log(x1) | 0.693 (1/1000)", "v2 | 0.5*max(x1, x2)"] == rows(
        "v1 = log(x1) = 0,693; v2 = 0,5*max(x1; x2)", decimal="comma"
    )


def test_the_help_for_a_decimal_comma_is_the_option() -> None:
    (answer,) = read("v1 = 0,693")
    (piece,) = answer.entries[0].pieces
    assert piece.problem is not None
    assert ("--decimal comma", "0,693") == (piece.problem.help, piece.span.text)


@pytest.mark.parametrize(
    ("text", "symbol", "places"),
    [
        ("so v̇2 = ẋ1·x2 = 5", "v̇2", ["ẋ1·x2", "5"]),
        (r"\dot{v}_2 &= \dot x_1 x_2 \approx 5 \\", r"\dot{v}_2", [r"\dot x_1 x_2", "5"]),
        ("| v2 | x1\\*x2 | **10** |\n", "v2", ["x1\\*x2", "**10**"]),
        ("name,formula,value\nv2, x1*x2 ,10", "v2", ["x1*x2", "10"]),
    ],
)
def test_spans_are_the_writers_own_text(text: str, symbol: str, places: list[str]) -> None:
    (answer,) = read(text)
    (entry,) = answer.entries
    assert (symbol, places) == (entry.span.text, [piece.span.text for piece in entry.pieces])
    assert answer.lines[entry.line - 1] == entry.source.text


def test_an_error_points_into_the_formula() -> None:
    (answer,) = read("v̄3 = v̄5 * (x1 + = 3")
    problem = answer.entries[0].pieces[0].problem
    assert problem is not None and problem.span is not None
    assert "(" == problem.span.text


@pytest.mark.parametrize("text", ["", " \n\t\n", "I do not know how to do this.\nSorry!", "v1 = ____\nv2 ="])
def test_without_a_row_there_is_nothing_to_grade(text: str) -> None:
    with pytest.raises(NotGradable) as caught:
        read(text)
    assert 4 == caught.value.exit_code
    assert caught.value.help
