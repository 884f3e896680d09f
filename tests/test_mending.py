"""One wrong row is one cross: the program is mended in one place, and right rows stay right."""

import pytest
from running import cpu_seconds

from adcli.marking.assessing import assess
from adcli.marking.model import GOOD, Marking, Rules
from adcli.marking.task import task_of

CROSSES = ("error", "formula", "missing", "unreadable")


def marked(answer: str, problem: str, mode: str, name: str = "answer.txt", wrt: str = "") -> Marking:
    task = task_of(problem, mode=mode, wrt=(wrt,) if wrt else ())
    (marking,) = assess(answer.encode(), name, [task], Rules())
    return marking


PAST = (
    # the problem, the mode, the row that goes on from the result
    ("x*y @ x=2, y=3", "value", "b", "a = x*y = 6\nb = -a = -6\n"),
    ("x*y @ x=2, y=3", "reverse", "b", "a = x*y = 6\nb = a^2 = 36\nbbar = 1\nabar = 12\nxbar = 36\nybar = 24\n"),
    ("x*y @ x=2, y=3", "forward", "b", "a = x*y = 6\nb = a^2 = 36\ndx = 1\nda = y = 3\ndb = 2*a*da = 36\n"),
)


@pytest.mark.parametrize(("problem", "mode", "row", "answer"), PAST)
def test_the_last_row_is_the_result_and_going_past_it_is_one_cross(
    problem: str, mode: str, row: str, answer: str
) -> None:
    marking = marked(answer, problem, mode, wrt="x" * (mode == "forward"))
    assert ["error"] == [mark.verdict for mark in marking.marks if mark.verdict in ("error", "formula")]
    assert ("wrong", row) == (marking.verdict, marking.marks[marking.first or 0].row)


@pytest.mark.parametrize("answer", ("a = x*y = 6\ncheck = a/2 = 3\n", "f = x*y = 6\nb = f/2 = 3\n"))
def test_a_check_beside_the_result_costs_nothing(answer: str) -> None:
    assert "right" == marked(answer, "x*y @ x=2, y=3", "value").verdict


def crossed(marking: Marking) -> list[str]:
    return [mark.row for mark in marking.marks if mark.verdict in CROSSES]


ONE_WRONG = (
    (
        "log(sin(a) + c)*b @ a=1.1, b=1.5, c=0.5", "reverse", "w4",
        "w1 = sin(a) = 0.89121\nw2 = w1+c = 1.39121\nw3 = ln(w2) = 0.33017\nw4 = w3+b = 1.83017\nadj w3 = 1\n"
        "adj w2 = adj w3*(1/w2) = 0.71880\nadj w1 = adj w2 = 0.71880\nadj c = adj w2 = 0.71880\nadj b = 1\n"
        "adj a = adj w1*cos(a) = 0.32604\n",
    ),
    ("exp(0.2*x*y)+y @ x=2, y=3", "value", "v1", "v1 = 3.5\nv2 = exp(v1) = 33.115\nv3 = v2+y = 36.115\n"),
    # the problem, the mode, the row that is wrong, the answer: an operation, a function, an operand, a constant, …
    (
        "log(w*w*x*w) + w*x*w @ w=1.1, x=1.2", "value", "v1",
        "v1=w+x = 2.3\nv2=v1*w = 2.53\nv3=w*v2 = 2.783\nv4=log(v3)+v2 = 3.5535\n",
    ),
    (
        "w*b/x - x + b @ w=0.5, x=4, b=2.5", "value", "p",
        "p = w*b-x-x = -6.750\nq = p+b = -4.250\n",
    ),
    (
        "2/s/log(sinh(r)) @ r=1.2, s=0.8", "value", "v1",
        "v1 = sin(r) = 0.932\nv2 = ln(v1) = -0.0704\nv4 = 2/s = 2.50\ny = v4/v2 = -35.5\n",
    ),
    (
        "r/q - log(p) @ p=2, q=4, r=3", "value", "v1",
        "v1 = log10(p) = 0.3010\nv2 = r/q = 0.75\nv3 = v2 - v1 = 0.4490\n",
    ),
    (
        "y^1.5/acos(exp(x)^1.5) @ x=-0.5, y=2.5", "value", "t3",
        "t1 = exp(x) = 0.60653\nt2 = y**1.5 = 3.9528\nt3 = acos(t1) = 0.91911\nf = t2/t3 = 4.3007\n",
    ),
    (
        "3*u*v - v @ u=-1.2, v=-1.2", "value", "r",
        "z1 = u*v = 1.440\nr = v - 3*z1 = -5.520\n",
    ),
    (
        "tanh(5*w*log(x)) @ w=0.5, x=0.8", "value", "z1",
        "z1 = 6*w*log(x) = -0.66943\ny = tanh(z1) = -0.58461\n",
    ),
    (
        "cos(sqrt(w))*b*x @ w=1.2, x=1.2, b=-0.5", "reverse", "z",
        "p=x*b=-0.6\nq=w^0.5=1.09545\nr=cos(q)=0.45765\nz=r/p=-0.76275\nzbar=1\nrbar=zbar*(1/p)=-1.66667\n"
        "qbar=-rbar*sin(q)=1.48189\npbar=-zbar*(r/p^2)=-1.27125\nbbar=pbar*x=-1.52550\nxbar=pbar*b=0.63563\n"
        "wbar=qbar*0.5*w^(-0.5)=0.67639\n",
    ),
    (
        "g = b + a; h = a/g + g; sqrt(h) - h @ a=1.1, b=1.5", "reverse", "v2",
        "v1=b+a=2.6\nv2=a/b+v1=3.3333\nv3=v2^0.5=1.8257\nv4=v3-v2=-1.5076\nv4bar=1\nv3bar=1\n"
        "v2bar=-1+v3bar*0.5*v2^(-0.5)=-0.7261\nv1bar=v2bar=-0.7261\nbbar=-v2bar*(a/b^2)+v1bar=-0.3711\n"
        "abar=v2bar*(1/b)+v1bar=-1.2102\n",
    ),
    # either of two rows may be mended: the one that is no part of a sum or product of the problem
    (
        "(r/2 + 3 + (r/2 + p)/q - q)*r @ p=5, q=-2, r=0.8", "value", "w6",
        "w1 = r/2 = 0.400\nw2 = w1 + p = 5.40\nw3 = w2/q = -2.70\nw4 = w3 - q = -0.700\nw5 = w1 + 3 = 3.40\n"
        "w6 = w5 - w4 = 4.10\nw7 = w6*r = 3.28\n",
    ),
    # sums that go on from a wrong contribution
    (
        "exp(tanh((x1 + 0.5)/((x1 + x2)*x1)))/x2 @ x1=1.2, x2=0.8", "reverse", "x̄1",
        "a = x1+0.5 = 1.7\nb = (x1+x2)*x1 = 2.4\nc = tanh(a/b) = 0.610\nz = exp(c)/x2 = 2.301\n"
        "adj c = exp(c)/x2 = 2.301\nadj b = -adj c*(1-tanh(a/b)^2)*(a/b^2) = -0.427\n"
        "adj a = adj c*(1-tanh(a/b)^2)*(1/b) = 0.602\nadj x2 = -exp(c)/x2^2 = -2.876\n"
        "adj x2 = adj x2+adj b*x1 = -3.388\nadj x1 = adj b*(x1/(x1+x2)) = -0.256\n"
        "adj x1 = adj x1+adj a = 0.346\n",
    ),
    # two different numbers alone are an error, which the rows after it may follow
    (
        "y^1.5*z - x @ x=4, y=1.1, z=0.6", "forward", "v̇3",
        "v1 = y^1.5 = 1.15\nv2 = v1*z = 0.69\nv3 = -x = -4\nv4 = v2 + v3 = -3.31\ndv3 = -1 = -5.00\n"
        "dv4 = dv3 = -5\n",
    ),
)  # fmt: skip


@pytest.mark.parametrize(("problem", "mode", "row", "answer"), ONE_WRONG)
def test_a_wrong_row_is_the_only_cross_whatever_the_decomposition(
    problem: str, mode: str, row: str, answer: str
) -> None:
    wrt = "x" if mode == "forward" else ""
    assert [row] == crossed(marked(answer, problem, mode, wrt=wrt))


HONEST = (
    # the last row is the result where it is the same function as a step
    (
        "(-log(t)/t)*t @ t=5", "reverse", "answer.txt",
        "p = ln(t) = 1.6094\nq = p/t = 0.3219\nr = -q = -0.3219\ns = t*r = -1.6094\nds/ds = 1\n"
        "ds/dr = t = 5.0000\nds/dq = -ds/dr = -5.0000\nds/dp = ds/dq*(1/t) = -1.0000\n"
        "ds/dt = r - ds/dq*(p/t^2) + ds/dp*(1/t) = -0.2000\n",
    ),
    (
        "abs(a)*(abs(a)/a) @ a=3", "value", "answer.txt",
        "v_1 = abs(a) = 3.0000\nv_2 = v_1*(v_1/a) = 3.0000\n",
    ),
    # primes inside a cell of a sheet are no guards before a formula
    (
        "a^b + a + a^b @ a=2.5, b=0.6", "forward", "answer.csv",
        "name;formula;value\nv1;a^b;1.733\nv2;v1+a;4.233\nv3;v2+v1;5.966\na';0;0\nb';1;1\n"
        "v1';a^b*ln(a)*b';1.588\nv2';v1';1.588\nv3';v2'+v1';3.176\n",
    ),
    # a number with an operation behind it is a formula, not a number with a remark
    (
        "(2 - abs(a*b))/c @ a=3, b=0.8, c=1", "value", "answer.txt",
        "v1=2 - abs(a*b)=-0.4\nv2=1/c=1\nv3=v1*v2=-0.4\n",
    ),
    (
        "10/(10 - (-a/b)) @ a=-0.5, b=0.5", "value", "answer.txt",
        "t4 = a/b = -1\nt5 = 10 - (-t4) = 9\nt6 = 10/t5 = 1.111\n",
    ),
    # derivatives by other rows are no formulas before their names
    (
        "cos(r*s) @ r=0.5, s=0.6", "reverse", "answer.txt",
        "p = r*s = 0.300\nq = cos(p) = 0.955\ndq/dq = 1\ndq/dp = -sin(p) = -0.296\ndq/ds = dq/dp*r = -0.148\n"
        "dq/dr = dq/dp*s = -0.177\n",
    ),
    # derivatives worked out from what a row was rounded to: 1/(2z) of z = sqrt(x), and 1 - t^2 of t = tanh(x)
    (
        "sqrt(0.5 - x) @ x=-2", "forward", "answer.txt",
        "z1 = 0.5 - x = 2.5\nz2 = sqrt(z1) = 1.581\ndx = 1\ndz1 = -1\ndz2 = -0.3163\n",
    ),
    (
        "tanh(x)*w @ x=-1.2, w=3", "reverse", "answer.txt",
        "t = tanh(x) = -0.83\ny = t*w = -2.49\nybar = 1\nwbar = -0.83\ntbar = 3\nxbar = 0.93\n",
    ),
)  # fmt: skip


@pytest.mark.parametrize(("problem", "mode", "name", "answer"), HONEST)
def test_honest_rows_stay_right(problem: str, mode: str, name: str, answer: str) -> None:
    wrt = {"a^b + a + a^b @ a=2.5, b=0.6": "b", "sqrt(0.5 - x) @ x=-2": "x"}.get(problem, "")
    marking = marked(answer, problem, mode, name, wrt)
    assert ("right", []) == (marking.verdict, [mark for mark in marking.marks if mark.verdict not in GOOD])


def test_rows_that_a_mended_row_needs_are_not_missing() -> None:
    answer = "a = w^x = 0.12500\nb = a + x = 1.62500\nc = w^a = 0.84090\np = b/(-tanh(c)) = -2.36783\n"
    assert ["p"] == crossed(marked(answer, "(w^x + x)/tanh(w^(w^x)) @ w=0.25, x=1.5", "value"))


CHAIN = "w0 = x = 1\n" + "".join(f"w{k} = w{k - 1}+w{k - 1} = {k}\n" for k in range(1, 1900))
CHAOS = "".join(f"u{k} = sin(u{k // 2})*cos(u{k - 1})+u{k // 3} = 0.{k}\n" for k in range(1, 300))


OWN = "s(z) = " + "z+" * 900 + "z\n" + ("v1 = " + "s(1)+" * 399 + "s(1)\n") * 40
WORDS = ("v1 = 2 " + " ".join(f"w{chr(97 + k % 26)}{chr(97 + k // 26)}x" for k in range(400)) + " x1 = 2\n") * 80


@pytest.mark.parametrize("answer", [OWN, WORDS], ids=["calls of own functions", "words before a row"])
def test_long_lines_are_looked_at_once(answer: str) -> None:
    problem = (
        "log(x1)+x1*x2-sin(x2) @ x1=2,x2=5"  # half a second each; more than ten where the work grows with its square
    )
    assert cpu_seconds(lambda: marked(answer, problem, "value"), 5) < 5


@pytest.mark.parametrize("answer", [CHAIN, "u0 = x = 1\n" + CHAOS], ids=["chain", "chaos"])
def test_thousands_of_rows_that_are_never_ready_and_chaotic_programs_take_seconds(answer: str) -> None:
    verdicts = set()
    # Some seconds each; a minute and more where rows are tried one by one.
    assert cpu_seconds(lambda: verdicts.add(marked(answer, "x*x + sin(x) @ x=1", "value").verdict), 10) < 10
    assert {"wrong"} == verdicts


@pytest.mark.parametrize(
    ("problem", "mode", "answer"),
    [
        ("y+1-x^2 @ x=0.5, y=2", "value", "t1 = 0.25\nt2 = 0.75\nf = 2.75\n"),
        ("x2*x1*x3*x2 @ x1=1.5, x2=2, x3=4", "value", "a = 4\nb = 6\nf = 24\n"),
        ("a+b*c+d @ a=1.1, b=2.3, c=3.7, d=0.4", "value", "p = 8.51\ns = 8.91\nf = 10.01\n"),
        (
            "x*y*z+sin(x) @ x=1.1, y=2.3, z=3.7", "reverse",
            "p = 8.51\nq = 9.361\ns = 0.8912\nf = 10.2522\nsbar=1\nqbar=1\npbar=1.1\n"
            "xbar=8.9636\nybar=4.07\nzbar=2.53\n",
        ),
    ],
)  # fmt: skip
def test_numbers_of_a_sum_or_product_that_is_combined_in_another_order_are_right(
    problem: str, mode: str, answer: str
) -> None:
    assert "right" == marked(answer, problem, mode).verdict


@pytest.mark.parametrize(
    ("problem", "answer", "wrong"),
    [
        ("a+b*c+d-e @ a=1.1, b=2.3, c=3.7, d=0.4, e=3", "p = 8.51\ns = 8.19\nt = 9.29\nf = 6.29\n", "s"),
        ("x*y*z+sin(x) @ x=1.1, y=2.3, z=3.7", "p = 9.51\nq = 10.461\ns = 0.8912\nf = 11.3522\n", "p"),
    ],
)
def test_a_wrong_number_among_them_is_the_only_cross(problem: str, answer: str, wrong: str) -> None:
    assert [wrong] == crossed(marked(answer, problem, "value"))


def test_an_adjoint_as_a_factor_of_its_own_says_nothing_about_it() -> None:
    rows = "d = a*b = 6\nf = d+c = 10\ndf/df = 1\ndf/dd = df/df * df/dd = {}\ndf/da = df/dd*b = 3\n"
    answer = rows + "df/db = df/dd*a = 2\ndf/dc = 1\n"
    assert "right" == marked(answer.format(1), "a*b+c @ a=2, b=3, c=4", "reverse").verdict
    assert "wrong" == marked(answer.format(2), "a*b+c @ a=2, b=3, c=4", "reverse").verdict


def test_names_and_products_that_markdown_escapes_are_read() -> None:
    answer = "v\\_1 = 2\\*3 = 6\nv2 = 10\nv2\\_bar = 1\nv\\_1\\_bar = 1\na\\_bar = 3\nb\\_bar = 2\nc\\_bar = 1\n"
    assert "right" == marked(answer, "a*b+c @ a=2, b=3, c=4", "reverse").verdict


def test_hundreds_of_numbers_without_a_meaning_and_numbers_beyond_doubles_are_answered_soon() -> None:
    answer = "".join(f"r{k} = {k * 1.37:.3f}\n" for k in range(400))
    problem = "a*b*c*d + a*c + b*d + a - b - c - d @ a=1.1, b=2.3, c=3.7, d=0.4"
    assert cpu_seconds(lambda: marked(answer, problem, "value"), 10) < 10  # minutes if all pairs are tried
    assert "right" != marked("a = 1e400\nb = 1e-400\nf = 9e999\n", "x*y*z*x @ x=1e200, y=1e200, z=3", "value").verdict


def test_a_name_that_is_given_another_a_thousand_times_takes_seconds() -> None:
    answer = "v1 = x =\n" * 1000
    assert cpu_seconds(lambda: marked(answer, "x*y + x @ x=2, y=3", "reverse"), 10) < 10  # 13 s by pairs of rows


def test_a_part_of_a_sum_under_another_name_of_the_input_does_not_earn_the_marks_of_the_sum() -> None:
    values = "a = x = 2\nb = sin(a) = 0.909\nf = a*b = 1.819\n"
    answer = values + "fbar = 1\nbbar = fbar*a = 2\nabar = fbar*b = 0.909\nxbar = abar = 0.909"
    marking = marked(answer, "x*sin(x) @ x=2", "reverse")
    assert (5, 7, "wrong") == (marking.earned, marking.possible, marking.verdict)
    values = "a = x = 3\nb = y = 0.5\nc = a*b = 1.5\nf = c + a = 4.5\n"
    answer = values + "fbar = 1\ncbar = 1\nbbar = cbar*a = 3\nabar = fbar = 1\nxbar = abar = 1\nybar = bbar = 3"
    assert marked(answer, "x*y + x @ x=3, y=0.5", "reverse").verdict == "wrong"


def test_sweeps_that_show_only_their_own_seed_are_sweeps() -> None:
    answer = "f = x*y = 2.329\ndx = 1\ndf = y*dx = 1.37\ndy = 1\ndf = x*dy = 1.7"
    assert marked(answer, "x*y @ x=1.7, y=1.37", "forward").verdict == "right"


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("c = y*z = 1.98\nf = 3.564", "x*y*z @ x=1.8, y=0.9, z=2.2"),
        ("c = x + z = 4\nf = 3.1", "x - y + z @ x=1.8, y=0.9, z=2.2"),
        ("a = sqrt(y) = 1.304\nb = x*y = 1.36\nc = b - a = 0.056\nz = 0.856", "x - (sqrt(y) - x*y) @ x=0.8, y=1.7"),
    ],
)
def test_rows_with_formulas_also_show_how_terms_are_combined(answer: str, problem: str) -> None:
    assert marked(answer, problem, "value").verdict == "right"


def test_another_name_of_a_wrong_adjoint_follows_from_it() -> None:
    values = "v1 = x = 2\nv2 = y = 3\nf = v1*v2 = 6\nfbar = 1\nv1bar = fbar*v2 = 3\n"
    answer = f"{values}v2bar = -fbar*v1 = -2\nxbar = v1bar = 3\nybar = v2bar = -2"
    marks = marked(answer, "x*y @ x=2, y=3", "reverse").marks
    assert ["error", "correct", "carried"] == [mark.verdict for mark in marks[5:8]]


def test_what_follows_only_from_a_number_with_too_few_digits_has_too_few_itself() -> None:
    values = "a = x - w = 1.3\nh = 2*a = 2.6\nf = h*z = 3.64\nfbar = 1\n"
    answer = f"{values}hbar = fbar*z = 1\nabar = hbar*2 = 2\nxbar = abar = 2\nwbar = -abar = -2\nzbar = fbar*h = 2.6"
    marking = marked(answer, "(x - w)*(2*z) @ x=2.5, w=1.2, z=1.4", "reverse")
    assert marking.verdict == "incomplete"
    assert [mark.verdict for mark in marking.marks[4:]] == [*["precision"] * 4, "correct"]


def test_a_result_follows_from_a_wrong_row_by_way_of_a_step_that_is_not_written() -> None:
    marking = marked("u1 = 0.3350\nu2 = 16.4446\ny = 28.0383", "(s - cos(t))*exp(t) @ s=2.04, t=2.8", "value")
    assert [mark.verdict for mark in marking.marks[:3]] == ["error", "correct", "carried"]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (
            "a = 2.28\nb = 2.4\nc = 2.7\np = 0.9072\nq = 11.0232\nh = -0.42\nk = 0.4872\nf = 11.5104",
            "x - z + sigmoid(x) + exp(y) @ x=2.28, y=2.4, z=2.7",
        ),
        ("a = 0.41\nb = 3.25\nc = 0.640\np = 2.081\nf = -0.489", "cos(y*sqrt(x)) @ x=0.41, y=3.25"),
        ("u1 = 2.5\nu2 = y = 0.6\nu3 = u1*u2 = 1.5\nf = sin(x*y) = 0.997", "sin(x*y) @ x=2.5, y=0.6"),
    ],
)
def test_rows_of_only_a_number_may_give_inputs_another_name(answer: str, problem: str) -> None:
    assert marked(answer, problem, "value").verdict == "right"


@pytest.mark.parametrize(
    ("answer", "problem", "verdicts"),
    [
        ("a = 3.00\nf = 3.60", "x*(y*z) @ x=1.2, y=2.3, z=0.7", ["error", "carried"]),
        (
            "z1 = 1.2100\nz2 = 0.8777\ny = 3.6977",
            "x1 + sqrt(tanh(x2^2)) @ x1=2.82, x2=1.1",
            ["correct", "error", "carried"],
        ),
        (
            "a = -0.5108\nb = a*exp(t) = -5.6306\ng = -17.1646",
            "exp(s)*exp(t) + exp(s) - exp(t) @ s=0.6, t=2.4",
            ["error", "carried", "carried"],
        ),
        ("s1 = 0.208\nL = 0.705", "u*v - sin(u) @ u=0.52, v=0.4", ["correct", "error"]),
        (
            "h1 = cos(x) = -0.2272\nh2 = exp(y) = 2.4596\nh3 = x^2 = 3.2400\nh4 = h2*h3 = 7.9691\n"
            "h5 = h4 + 1 = 8.9691\nh6 = h5 - h1 = 9.1963\nh7 = 1/h2 = 0.4066\nL = 3.3789",
            "(1 - cos(x) + exp(y)*x^2)*(1/exp(y)) @ x=1.8, y=0.9",
            [*["correct"] * 7, "error"],
        ),
    ],
)
def test_rows_of_only_a_number_follow_from_a_wrong_one(answer: str, problem: str, verdicts: list[str]) -> None:
    assert verdicts == [mark.verdict for mark in marked(answer, problem, "value").marks[: len(verdicts)]]


def test_the_third_sweep_begins_with_the_seed_of_the_first_input() -> None:
    seeds = ["ẋ=1\nẏ=0\nż=0\nḟ=1", "ẋ=0\nẏ=1\nż=0\nḟ=4", "ẋ=0\nẏ=0\nż=1\nḟ=3"]
    marking = marked("\n".join(["f = x + y*z = 14", *seeds]), "x + y*z @ x=2, y=3, z=4", "forward")
    assert {"correct"} == {mark.verdict for mark in marking.marks}


def test_an_adjoint_that_is_not_written_is_granted_if_a_right_number_is_computed_from_it() -> None:
    values = "a = y*x = 0.15\nb = x + a = 0.45\nf = exp(b) = 1.568\nfbar = 1\nbbar = f = 1.568\n"
    answer = f"{values}ybar = abar*x = 0.470\nxbar = bbar + abar*y = 2.352"
    assert marked(answer, "exp(x + y*x) @ x=0.3, y=0.5", "reverse").verdict == "right"


@pytest.mark.parametrize("name", "zL")
def test_partial_derivatives_at_a_point_may_have_the_letter_of_the_result(name: str) -> None:
    answer = f"{name} = s^2*t = 12\n{name}_s(2,3) = 2*s*t = 12\n{name}_t(2,3) = s^2 = 4"
    (marking,) = assess(answer.encode(), "answer.txt", [task_of("s^2*t @ s=2, t=3")], Rules())
    assert marking.verdict == "right"


def test_rounded_numbers_show_how_the_terms_of_a_sum_are_combined() -> None:
    values = "v1 = exp(a) = 11.588\nv2 = sqrt(b) = 1.806\nv3 = sqrt(v2) = 1.344\nv4 = exp(v3) = 3.834\n"
    answer = f"{values}v5 = -7.754\nL = -4.754"
    marking = marked(answer, "3 - exp(a) + exp(sqrt(sqrt(b))) @ a=2.45, b=3.26", "value")
    assert [*["correct"] * 3, *["rounding"] * 3] == [mark.verdict for mark in marking.marks]


def test_an_adjoint_does_not_follow_from_a_wrong_value_on_which_no_slope_of_it_depends() -> None:
    values = "a = x^3 = 4.91\nb = sin(y) = 0.96\nc = b*z = 13.15\nf = a*c = 64.57\nfbar = 1\n"
    marks = marked(
        f"{values}abar = fbar*c = 13.15\ncbar = fbar*a = 4.91", "x^2*(sin(y)*z) @ x=1.7, y=1.3, z=13.7", "reverse"
    ).marks
    assert ["rounding", "carried"] == [mark.verdict for mark in marks[5:7]]
