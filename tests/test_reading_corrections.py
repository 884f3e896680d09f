"""Corrections, digits, unwritten links, data and missing points: what is right is never crossed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from adcli.answers.corrections import corrections
from adcli.marking.assessing import assess, readings
from adcli.marking.model import CROSSED, Marking, Rules
from adcli.marking.task import task_of

PROBLEM = "x^2*y @ x=3, y=2"  # 18, with the partial derivatives 12 and 9
SQUARED = "x^2 @ x=3"


def marked(problem: str, answer: str, mode: str | None = None, wrt: Sequence[str] = ()) -> Marking:
    task = task_of(problem, mode=mode, wrt=tuple(wrt), formulas=True)
    return assess(answer.encode(), "answer.txt", [task], Rules())[0]


@pytest.mark.parametrize(
    ("answer", "problem", "mode"),
    [
        ("f = 18\ndf = 12 dx + 9 dy", PROBLEM, None),
        ("f = 18\nJ = [[12, 9]]", PROBLEM, None),
        ("f = 18\nJ = \\begin{pmatrix} 12 & 9 \\end{pmatrix}", PROBLEM, None),
        ("f(3, 2) = 18\nf_x(3, 2) = 12\nf_y(3, 2) = 9", PROBLEM, None),
        ("f = 18\n∂f/∂x(3, 2) = 12\n∂f/∂y(3, 2) = 9", PROBLEM, None),
        ("Der Funktionswert ist 18.\nDie partielle Ableitung nach x ist 2*3*2 = 12.\nDie Ableitung nach y beträgt 9.",
         PROBLEM, None),
        ("La valeur de la fonction est 18.\nLa dérivée partielle par rapport à x vaut 12.\n"
         "La dérivée de f par rapport à y est égale à 9.", PROBLEM, None),
        ("El valor de f es 18.\nLa derivada parcial respecto a x es 12.\nLa derivada con respecto a y vale 9.",
         PROBLEM, None),
        ("x = (3, 1)\nv1 = x^2 = (9, 6)", SQUARED, "forward"),
        ("x: (3, 1)\nv1: (9, 6)", SQUARED, "forward"),
        ("x = <3, 1>\nv1 = <9, 6>", SQUARED, "forward"),
        ("x = Dual(3, 1)\nv1 = Dual(9, 6)", SQUARED, "forward"),
        ("x: value = 3, grad = 6\nv1: value = 9, grad = 1", SQUARED, "reverse"),
        ("x = Value(data=3, grad=6)\nv1 = Value(data=9, grad=1)", SQUARED, "reverse"),
        ("x = 3 + ε\nv1 = x^2 = 9 + 6ε", SQUARED, "forward"),
        ("x = 3 (x' = 1)\nv1 = x^2 = 9 (v1' = 6)", SQUARED, "forward"),
        ("values = {'v1': 9.0}\nadjoints = {'v1': 1.0, 'x': 6.0}", SQUARED, "reverse"),
        ("Der Wert von v1 ist 9.\nDie Adjungierte von v1 ist 1.\nDie Adjungierte von x ist 6.", SQUARED, "reverse"),
        ("[v1] x^2 = 9\n[v1bar] = 1\n[xbar] = 6", SQUARED, "reverse"),
        ("x^2 gives v1 = 9\nbackprop gives v1bar = 1\nxbar = 6", SQUARED, "reverse"),
        ("x: 3, xdot: 1\na: 9, adot: 6", "a = x^2 @ x=3", "forward"),
        ("v1.data = 9\nv1.grad = 1\nx.grad = 6", SQUARED, "reverse"),
        ("f = 18\nf'_x = 12\nf'_y = 9", PROBLEM, None),
        ("y = 18\ndy wrt x: 12\ndy wrt z: 9", PROBLEM.replace("y", "z"), None),
        ("| 变量 | 值 | 伴随 |\n|---|---|---|\n| x | 3 | 6 |\n| v1 | 9 | 1 |", SQUARED, "reverse"),
        ("v1 9\nv1bar 1\nxbar 6", SQUARED, "reverse"),
        ("v1 = x^2 = 9\nδv1 = 1\nδx = 6", SQUARED, "reverse"),
        ("x = 3; dx = 1\nv1 = x**2; dv1 = 2*x*dx  # 9.0, 6.0", SQUARED, "forward"),
        ("y = 0.05*60% = 3%\ndy/dr = 60%", "r*w @ r=0.05, w=0.6; data w", None),
        ("| | Value | Empfindlichkeit |\n|---|---|---|\n| x | 3 | 6 |\n| v1 | 9 | 1 |", SQUARED, "reverse"),
        ("| | Value | Grad |\n|---|---|---|\n| x | 1 | 6 |\n| y | 2 | 6 |\n| x+y | 3 | 6 |\n| (x+y)^2 | 9 | 1 |\n",
         "(x+y)^2 @ x=1, y=2", "reverse"),
        ("Der Funktionswert ist 18.\nDie Ableitung nach x lautet 2xy, also 12.\n"
         "Für die Ableitung nach y erhalte ich x^2 = 9.", PROBLEM, None),
        ("step | formula | value | bar\nv1 | x^2 | 9 | 1\nx | | 3 | 6", SQUARED, "reverse"),
        (">>> f = lambda x, y: x**2*y\n>>> f(3, 2)\n18\n>>> grad(f)(3, 2)\n(Array(12., dtype=float32), Array(9.))",
         PROBLEM, None),
        ("f(v) = v[1]^2*v[2]\nf(3, 2)\n18\nf_x = 12\nf_y = 9", PROBLEM, None),
        ("f = 18\nf_x(3,2) = 12\nf_y(3,2) = 9\nf_xx(3,2) = 2y = 4\nf_xy(3,2) = 6", PROBLEM, None),
        ("f(3) = 9\nf'(3) = 6\nNewton: x1 = x0 - f(x0)/f'(x0) = 1.5\nf(1.5) = 2.25\nx2 = 0.75", SQUARED, None),
        ("a = x^2 = 9\ndot(x) = 1\ndot(a) = 6\nout = a*x = 27\ndot(out) = dot(a)*x + a = 27", "x^2*x @ x=3", "forward"),
        ("v1 = x^2 = 9\nv1' = 2x x' = 6", SQUARED, "forward"),
        ("a = x + 1 = 4\nh = a*x = 12\ngrad(h) = 1\ngrad(a) = grad(h)*x = 3\ngrad(x) = grad(h)*a + grad(a) = 7",
         "(x+1)*x @ x=3", "reverse"),
        ("u = x*y = 6\nz = u + x = 9\ngrad(z) = 1\ngrad(u) = grad(z) = 1\ngrad(x) = grad(z) + grad(u)*y = 3\n"
         "grad(y) = grad(u)*x = 3", "x*y + x @ x=3, y=2", "reverse"),
        ("z = w*x = 1\ns = 1/(1+exp(-z)) = 0.731\nds = s*(1-s) = 0.197\ndw = ds*x = 0.393\ndx = ds*w = 0.098",
         "1/(1+exp(-w*x)) @ w=0.5, x=2", None),
        ("m = y*w = -0.7\nloss = ln(1+e^0.7) = 1.103\np = sigmoid(-m) = 0.668\ndL/dw = -y p = 0.668",
         "log(1+exp(-y*w)) @ w=0.7, y=-1; data y", None),
        ("z1 = 2 - y = 1.1300\nz2 = exp(z1) = 3.096\nz3 = z2/x = 14.7429\nz3bar = 1\nz2bar = z3bar/x = 4.7619\n"
         "z1bar = z2bar*exp(z1) = 14.743\nxbar = z3bar*(-z2/x^2) = -70.2041\nybar = -z1bar = -14.743",
         "exp(2 - y)/x @ x=0.21, y=0.87", "reverse"),
        ("v1 = x^2 = 9\nv1* = 1\nx* = v1* 2x = 6", SQUARED, "reverse"),
        ("a = 2*x = 6\ny = a*x = 18\ny† = 1\na† = y†*x = 3\nx† = y†·a + 2a† = 12", "(2*x)*x @ x=3", "reverse"),
        ("a = x^2 = 9\nf = a*y = 18\nâ = y = 2\nŷ = a = 9\nx̂ = â*2x = 12", PROBLEM, "reverse"),
        ("a = x^2 = 9\nf = a*y = 18\n∂f = 1\n∂a = y = 2\n∂y = a = 9\n∂x = ∂a*2x = 12", PROBLEM, "reverse"),
        ("a = x^2 = 9\nf = a*y = 18\nG[f] = 1\nG[a] = y = 2\nG[y] = a = 9\nG[x] = 12", PROBLEM, "reverse"),
        ("a = x^2 = 9\nf = a*y = 18\nλ_f = 1\nλ_a = λ_f*y = 2\nλ_y = λ_f*a = 9\nλ_x = λ_a*2x = 12", PROBLEM, "reverse"),
        ("a = x^2 = 9\nf = a*y = 18\nf_ = 1\na_ = y = 2\ny_ = a = 9\nx_ = a_*2x = 12", PROBLEM, "reverse"),
        ("f(3) = 9\nf'(3) = 6\ncheck, h = 0.01:\n(f(3.01) - f(2.99))/0.02 = 6.0001 OK", SQUARED, None),
        ("v1 = cos(x) = 0.7648\nv1' = sin(x) = 0.6442\noops, sign! v1' = -sin(x) = -0.6442",
         "cos(x) @ x=0.7", "forward"),
        ("N = a e^(-k t) = 5*e^(-0.6) = 2.744\ndN/da = e^(-kt) = 0.549\ndN/dk = -t N = -5.488\ndN/dt = -0.823",
         "a*exp(-k*t) @ a=5, k=0.3, t=2", None),
        ("y = m*g*h = 3*9.81*2 = 58.86 J\ndy/dm = g h = 19.62 kJ/(kg K)\ndy/dh = m g = 29.43 kg·m / s²",
         "m*9.81*h @ m=3, h=2", None),
        ("s = 1/(1+exp(-b*x)) = 0.7685\ny = x*s = 1.1528\nWe know s' = s(1-s), so\ny_x = 0.9820\ny_b = 0.4003\n"
         "h = 0.001\nfp = (x+h)*exp(b*h)", "x/(1+exp(-b*x)) @ x=1.5, b=0.8", None),
        ("| i | operation | value | adjoint | how |\n|---|---|---|---|---|\n| 1 | x*z | 6 | 2 | v2bar |\n"
         "| 2 | v1 + z | 9 | 2 | v3bar*2 |\n| 3 | 2*v2 | 18 | 1 | seed |\n\nx̄ = 6\nz̄ = 4 + 2 = 6",
         "2*(x*z+z) @ x=2, z=3", "reverse"),
        ("La salida vale y = 6 V\n(product rule): dy/dU = 2/3 V\ndy/dR1 = -2; dy/dR2 beträgt 1.",
         "U*R2/(R1+R2) @ U=9, R1=1, R2=2", None),
        ("We get pH = pK + log10(B/H) = 4.936\nd pH/d pK = 1\nd pH/d B = 1.448\nd pH/d H = -2.171",
         "pK+log10(B/H) @ pK=4.76, B=0.3, H=0.2", None),
        ("t = y/x = 4/3\nphi = atan(t) = 0.9273\nphi-bar = 1\nt-bar = 1/(1+t^2) = 9/25\ny-bar = t-bar * 1/x = 3/25\n"
         "x-bar = t-bar * (-y/x^2) = -4/25", "atan(y/x) @ x=3, y=4", "reverse"),
        ("n = x^3 = 15.625   n. = 3x^2 = 18.75\nE = e^x = 12.1825  E. = 12.1825\nm = E - 1 = 11.1825  m. = 12.1825\n"
         "B = n/m = 1.3973   B. = (n. - B m.)/m = 0.1545", "x^3/(exp(x)-1) @ x=2.5", "forward"),
        ("$y = E t = 24\\ \\text{Vs}$\n$y_E = t = \\SI{12}{\\second}$\n$y_t = E = 2\\;{\\rm V}.$",
         "E*t @ E=2, t=12", None),
        ("W = 13.68\nDerivative wrt v: W_v = 2v*sin(2a)/g = 2.280\nAbleitung nach a: W_a = 10.64\n"
         "derivative wrt g is W_g = -1.395", "v^2*sin(2*a)/g @ v=12, a=0.6, g=9.81", None),
        ("y = x^2*y0 = 18\ny_x = 12\ny_y0 = 9\n# check with h = 1e-6\nf = lambda x: x**2*2",
         "x^2*y0 @ x=3, y0=2", None),
        ("f = 18\nf_x = 12\nf_y = 9\nEuler: x*f_x + y*f_y = f, so it adds up.", PROBLEM, None),
        (
            "p = nRT/V = 99768\ndp/dn = RT/V = 49884\ndp/dT = nR/V = 332.56\ndp/dV = -nRT/V^2 = -1995360",
            "n*8.314*T/V @ n=2, T=300, V=0.05",
            None,
        ),
        ('{"f": 18, "gradient": [12, 9]}', PROBLEM, None),
        ("tangent plane: z = 18 + 12(x-3) + 9(y-2)\nf = 18\nf_x = 12\nf_y = 9", PROBLEM, None),
        ("f = 18\nf_x = 12\nf_y = 9\nL(x,y) = 18 + 12(x-3) + 9(y-2)\nL(3.1,2) = 19.2", PROBLEM, None),
        ("f = 18\nf_x = 12\nf_y = 9\nunit direction u = (0.8, 0.6)\nlr = 0.1", PROBLEM, None),
        ("Total derivative: df = 12 dx + 9 dy, f = 18", PROBLEM, None),
        ("By hand. f = 18. f_x = 12. f_y = 9. Time: 10 min.\nSection = 3\nnew x = 3 - 0.1*12 = 1.8", PROBLEM, None),
        ("print('f =', 18)\nprint(\"f_x = 12, f_y = 9\")", PROBLEM, None),
        ("printf(\"f = 18\\n\");\ndisp(['f_x = ', num2str(12)])\nprint(f\"f_y = {9:.3f}\")", PROBLEM, None),
        ("The gradient is (12, 9). The value is 18.", PROBLEM, None),
        ("Meine Lösung, endlich.\nDer Wert ist 18. Die Ableitung nach x ist 12, die nach y ist 9.", PROBLEM, None),
        ("number of inputs n = 2\nm = 1 output\npage = 5\nf = 18\nf_x = 12\nf_y = 9\ncheck: Hessian H12 = 6",
         PROBLEM, None),
        ("z = w + b = -0.5\nσ = σ(z) = 0.3775\n∂σ/∂w = σ(1-σ) = 0.235\n∂σ/∂b = σ(1-σ) = 0.235",
         "sigmoid(w + b) @ w=1, b=-1.5", None),
        ("| step | value | derivative | number |\n|---|---|---|---|\n| x | 3 | 1 | 1 |\n| x^2 | 9 | 2x | 6 |",
         "x^2 @ x=3", "forward"),
        ("{'value': 18.0, 'grad': {'x': 12.0, 'y': 9.0}}", PROBLEM, None),
        ("V = 28.27\n(∂V/∂r)_h = 2πrh = 37.70\n(∂V/∂h)_r = πr² = 7.07", "pi*r^2*h @ r=1.5, h=4", None),
        ("∇f|₍₃,₂₎ = ⟨2xy, x²⟩ = ⟨12, 9⟩,  f(3, 2) = 18", PROBLEM, None),
        ("Vale f(3, 2) = 18.\nLa derivada respecto de x es 2xy, que en el punto vale 12.\n"
         "La derivada respecto de y es x², que en el punto vale 9.", PROBLEM, None),
        ("v_1 = 0.9647\nv_2 = 0.5696\nv_3 = -2\nv_4 = -1.195\nout = -1.765", "x3/(1/x2) - cos(tanh(x1)) "
         "@ x1=2.01, x2=-0.5, x3=2.39", "value"),
        (" 1  a = x^2 = 9\n 2  f = a*y = 18\n 3\n 4  abar = y = 2\n 5  ybar = a = 9\n 6  xbar = 12",
         PROBLEM, "reverse"),
        ("08: # by hand\n09: a = x^2 = 9\n10: f = a*y = 18\n11: f_x = 12\n12: f_y = 9", PROBLEM, None),
        ("u = x + y = 5 :-)\nf = u^2 = 25 :D\nubar = 2u = 10 <3\nxbar = ubar = 10 \\o/\nybar = likewise",
         "(x+y)^2 @ x=3, y=2", "reverse"),
        ("10 q = y^2 = 4\n20 f = x q = 12\n30 xbar = q = 4\n40 qbar = x = 3\n50 ybar = 2 y qbar = 12",
         "x*y^2 @ x=3, y=2", "reverse"),
        ("c = x^3 = 8\nf = c y = 40\ncbar = y = 5\nybar = c = 8\nxbar = 3 x^2 cbar = 12 cbar = 60", "x^3*y @ x=2, y=5",
         "reverse"),
        ("r_x = x - 1 = 3\nr_y = y - 2 = 4\nr = sqrt(r_x^2 + r_y^2) = 5\n∂r/∂x = r_x/r = 0.6\n∂r/∂y = r_y/r = 0.8",
         "sqrt((x-1)^2 + (y-2)^2) @ x=4, y=6", "reverse"),
        ("f = 5\nf_x = x/f = 0.6\nf_y: analogously, y/f = 0.8", "sqrt(x^2+y^2) @ x=3, y=4", None),
        ("f = 25\nf_x = 2(x+y) = 10, f_y = idem", "(x+y)^2 @ x=3, y=2", None),
        ("f = x*y*z = 18\nf_x = yz = 6\nf_z = xy = 9\nf_y: same as f_x", "x*y*z @ x=3, y=3, z=2", None),
        ("denominator: D = d^2 + 1 = 5\nf = a/D = 3/5\nD' = 2d = 4, D^2 = 25\ndf/da = 1/5\ndf/dd = -a D'/D^2 = -12/25",
         "a/(d^2+1) @ a=3, d=2", "reverse"),
    ],
)  # fmt: skip
def test_a_notation_is_read(answer: str, problem: str, mode: str | None) -> None:
    marking = marked(problem, answer, mode)
    assert not [mark for mark in marking.marks if mark.verdict in CROSSED]
    assert "right" == marking.verdict


def test_a_subexpression_that_is_written_twice_may_be_one_row() -> None:
    """The rows below it are numbers alone, so that only the derivatives show how it is used."""
    rows = "a = -0.512\nb = 0.288\nc = r - b = 2.712\ng = exp(c) = 15.059\nout = 15.347\n∂out/∂out = 1\n∂out/∂g = 1\n"
    bars = "∂out/∂c = ∂out/∂g exp(c) = 15.059\n∂out/∂b = -(∂out/∂c) + ∂out/∂out = -14.059\n∂out/∂a = -14.059\n"
    ends = "∂out/∂p = ∂out/∂b = -14.059\n∂out/∂q = (∂out/∂a)*3*q^2 = -26.993\n∂out/∂r = 15.059"
    problem = "exp(r - (q^3 + p)) + (q^3 + p) @ p=0.8, q=-0.8, r=3"
    assert "right" == marked(problem, rows + bars + ends, "reverse").verdict
    wrong = bars.replace("-14.059\n∂", "14.059\n∂", 1)
    crossed = [mark.line for mark in marked(problem, rows + wrong + ends, "reverse").marks if mark.verdict in CROSSED]
    assert 9 in crossed


@pytest.mark.parametrize(
    ("problem", "answer", "verdict"),
    [
        ("k*exp(-E/(8.314*T)); data k, E", "dk/dT = k*E/(8.314*T^2)*exp(-E/(8.314*T))", "right"),
        ("k*exp(-E/(8.314*T)); data k, E", "dk/dT = k*E/T^2*exp(-E/(8.314*T))", "wrong"),
        ("x^2+y", "f = 13\nf_x = 6\nf_y = 1", "not_gradable"),
        ("4/3*pi*r^3", "V(r) = (4/3)πr³, thus V'(r) = 4πr².", "right"),
        ("4/3*pi*r^3", "V'(r) = 3πr²", "wrong"),
    ],
)
def test_a_formula_answer_gets_the_verdict(problem: str, answer: str, verdict: str) -> None:
    assert verdict == marked(problem, answer).verdict


def test_a_hessian_may_be_a_matrix_of_latex() -> None:
    task = task_of("x^2*y^3", formulas=True, order=2)
    answer = b"$$H = \\begin{pmatrix} 2y^3 & 6xy^2 \\\\ 6xy^2 & 6x^2y \\end{pmatrix}$$"
    (marking,) = assess(answer, "answer.md", [task], Rules())
    assert "right" == marking.verdict


def test_every_correction_has_a_name_and_an_example_and_is_reported() -> None:
    every = [*corrections()]
    assert len(every) > 5
    assert all(each.name and each.example and (each.of_line or each.of_row) for each in every)
    assert all(each in corrections(each.example) for each in every)
    assert len([*corrections("y = x")]) < 3
    (read,) = readings(b"x = (3, 1)\nv1 = (9, 6)", "a.txt", [task_of(SQUARED)])
    assert "lines 1, 2: pairs are read as a value and its derivative" in read.answers[0].notes


@pytest.mark.parametrize(
    ("last", "verdict"),
    [
        ("2.96", "right"),
        ("2.958", "right"),
        ("2.9581", "right"),
        ("3.0", "right"),
        ("2.94", "wrong"),
        ("2.9", "incomplete"),
    ],
)
def test_the_interval_that_a_number_shows_decides(last: str, verdict: str) -> None:
    rows = "v1 = x*x = 2.250\nv2 = y*3.065 = 17.011\nv3 = v1 + v2 = 19.261\nv4 = log(v3) = "
    assert verdict == marked("log(x*x + y*3.065) @ x=1.5, y=5.55", rows + last, "value").verdict


def test_a_long_number_may_be_cut_off() -> None:
    assert "right" == marked("log(x)*y @ x=2, y=3", "v1 = 0.69314\nv2 = 2.07944", "value").verdict


def test_what_follows_is_carried_through_adjoints_that_are_not_written() -> None:
    rows = "z = 7\nd = 2\ny = 2\ndbar = -2\nwbar = dbar*x = -6\nxbar = -2*2 = -4\nbbar = -2"
    marking = marked("z = w*x+b; d = z - t; d^2/2 @ w=2, x=3, b=1, t=5", rows, "reverse", ("w", "x", "b"))
    verdicts = {mark.row: mark.verdict for mark in marking.marks if mark.line is not None}
    assert ["error", "carried", "carried", "carried"] == [verdicts[row] for row in ("d̄", "w̄", "x̄", "b̄")]


def test_data_are_not_differentiated() -> None:
    answer = "z = 7\ny = 4\ndy/dw = 12\ndy/db = 4"
    marking = marked("z = w*x+b; (z-t)^2 @ w=2, x=3, b=1, t=5; data x, t", answer)
    assert ("right", 6, 6) == (marking.verdict, marking.earned, marking.possible)


@pytest.mark.parametrize("answer", ["f(3) = 9\nf'(3) = 6", "x = 3\nv1 = 9.0\ndy/dx = 6.0", "dy/dx = 6.25"])
def test_a_point_is_asked_for_where_an_answer_has_numbers(answer: str) -> None:
    marking = marked("x^2", answer)
    assert "not_gradable" == marking.verdict
    assert marking.problem is not None
    assert "add the point to the problem: @ x=…" == marking.problem.help
    assert "wrong" == marked("x^2", "f'(x) = x").verdict


def test_a_step_size_before_a_remark_is_not_a_row() -> None:
    answer = "With h = 0.001: (f(x+h) - f(x))/h is about the same.\nf = 18\ndf/dx = 12\ndf/dy = 9"
    assert "right" == marked(PROBLEM, answer).verdict


def test_a_symbol_after_words_for_a_derivative_is_not_its_value() -> None:
    marking = marked(SQUARED, "v1 = x^2 = 9\nThe sensitivity along x = 6\nThe slope for v1 = 1", "reverse")
    assert not [mark for mark in marking.marks if mark.verdict in CROSSED]
