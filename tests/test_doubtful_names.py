"""A name that may mean something else is told of by every command, with or without a point."""

from __future__ import annotations

import contextlib
import re
import warnings
from pathlib import Path

import pytest
from running import Run, run
from together import together

import adcli
from adcli.errors import AdcliError, NameProblem, Source
from adcli.language.name_parts import functions
from adcli.language.program import read_program
from adcli.table.suggest import near_function

# What clearly means something else, and what has to be written.
CLEAR = {
    "x*sin(30deg)": "°",
    "x^2 + 2xy + y^2": "x*y",
    "xy": "x*y",
    "xyz": "x*y*z",
    "zx + 1": "z*x",
    "x1x2": "x1*x2",
    "3a1a2a3": "a1*a2*a3",
    "x1y1": "x1*y1",
    "x2y": "x2*y",
    "a*b + ab": "a*b",
    "m + c + 2mc": "m*c",
    "k*T + exp(E/kT)": "(k*T)",
    "lnx": "ln(x)",
    "sqtr x": "sqrt(…)",
    "sinn x": "sin(…)",
    "1_000*x": "1000",
    "1_000x": "1000x",
    "s\u0456n x": "type sin again",
    "sinx": "sin(x)",
    "cos(sinx)": "sin(x)",
    "sintheta": "sin(theta)",
    "cosphi": "cos(phi)",
    "sinα": "sin(α)",
    "tan(cosω)": "cos(ω)",
    "sin2x": "sin(2*x)",
    "sin2": "sin(2)",
    "ln10": "ln(10)",
    "sqrt2": "sqrt(2)",
    "sqrtpi": "sqrt(pi)",
    "cos2pix": "cos(2*pi*x)",
    "sinwt": "sin(w*t)",
    "sinkx": None,
    "sinomegat": "sin(omega*t)",
    "sinomegat + omega*t": "sin(omega*t)",
    "logxy": "log(x*y)",
    "sinx1": "sin(x1)",
    "lnx_2": "ln(x_2)",
    "sina": "sin(a)",
    "cosb*tank": "cos(b)",
    "xsin x": "x*sin(…)",
    "xlnx": "x*ln(x)",
    "2xlnx": "x*ln(x)",
    "ycosx": "y*cos(x)",
    "2sinxcosx": "sin(x)*cos(x)",
    "cosxsinx": "cos(x)*sin(x)",
    "sincosx": "sin(cos(x))",
    "lnsinx": "ln(sin(x))",
    "sqrtlnx": "sqrt(ln(x))",
    "r + sinr": "sin(r)",
    "a + lna": "ln(a)",
    "tau0 + lntau0": "ln(tau0)",
    "log2x": "log2(x) or log(2*x), whichever is meant",
    "log10x": "log10(x) or log(10*x), whichever is meant",
    "sinx^2": "sin(x^…) or sin(x)^…, whichever is meant",
    "lnx**2": "ln(x^…) or ln(x)^…, whichever is meant",
    "xe^x": "x*e",
    "te^(-t)": "t*e",
    "xye^x": "x*y*e",
    "ax^2 + bx + c": "a*x",
    "mx + b": "m*x",
    "e^(kx)": "k*x",
    "mgh + 4xy": "x*y",
    "e^xy": "x*y",
    "1/xy": "(x*y)",
    "pir^2": "pi*r",
    "2pix": "pi*x",
    "sin(pit)": "pi*t",
    "πr²": "π*r",
    "2πr": "π*r",
    "PI*r^2": "pi",
    "Pi*r^2": "pi",
    "Sin x": "sin",
    "LN x": None,
    "Exp x + 1": "exp",
    "SQRT x": "sqrt",
    "sin": "the argument in brackets: sin(x)",
    "log + 1": "the argument in brackets: log(x)",
    "2*(tan)": "the argument in brackets: tan(x)",
    "sin * x": "the argument in brackets: sin(x)",
    "sine x": "sin(…)",
    "squareroot x": "sqrt(x)",
    "xsin(x)": "x*sin(…)",
    "xexp(-x)": "x*exp(…)",
    "x1sin(x2)": "x1*sin(…)",
    "lnx(x + 1)": "ln(x)*(…)",
    "cosxsin(x)": "cos(x)*sin(…)",
    "sincos(x)": "sin(cos(…))",
    "xy(x + 1)": "x*y*(…)",
    "x1x2(x1 + x2)": "x1*x2",
    "tsin(t) + t": "t*sin(…)",
}
# What may be a name of its own, and what it is told to be read apart from.
TOLD = {
    "mc^2": "m*c", "mv^2/2": "m*v", "mgh": "m*g*h", "nRT/V": "n*R*T", "ab": "a*b", "PV": "P*V",
    "ae^(b*x)": "a*e", "dt": "d*t", "xx": "x*x", "αβ": "α*β", "ωt": "ω*t",
    "omegat": "omega*t", "alphax": "alpha*x", "kpi": "k*pi", "cost": "cos(t)", "t*cost": "cos(t)", "tank": "tan(k)",
    "sink": "sin(k)", "logp": "log(p)", "lnk": "ln(k)", "expkt": "exp(k*t)", "lnab": "ln(a*b)", "sqrtab": "sqrt(a*b)",
    "sinax": "sin(a*x)", "sinkx": "sin(k*x)", "cosnx": "cos(n*x)", "sin_x": "sin(x)", "log_q + 1": "log(q)",
    "a1b2": "a1*b2", "a + abc": "a*b*c", "max*2": "max(a, b)", "power*t": "power(a, b)", "root + 1": "root(",
    "deg": "30°", "LN x": None, "a*x + ay": "a*y", "signs": "sign(s)",
    "uvw": "u*v*w", "abc": "a*b*c", "mass g": "multiplied by what follows", "2x dx + 3y dy": "d*y",
    "dxdy": "d*x*d*y", "ksin": "k*sin(…)",
}  # fmt: skip
HONEST = [
    "sigma", "alpha", "expected", "maximum_load", "x1", "tan_delta", "rate", "max_x", "using", "lambda", "m_0", "Int_0",
    "mom", "theta1", "omega_0", "hbar", "x_max", "price", "signal", "login", "logic", "since", "Delta", "Δx", "δt",
    "x'", "x10", "x_12", "k_f", "E_n", "sigma_den", "speed", "mass", "energy", "Bx + By + Bz", "vx*vy", "sum",
    "temperature", "xmax - xmin", "tmax", "Volt", "minute", "expense", "cosmetic", "tangible", "interest", "basin",
    "gamma^2", "psi^2", "beta", "zeta", "Gamma", "x", "t", "E", "kappa", "chi", "asset", "exposure", "lnorm",
]  # fmt: skip
WITHOUT_A_POINT = ("diff", "graph", "expand", "map")
EVERYWHERE = ("eval", "diff", "graph", "expand", "plot", "taylor", "explain", "step", "check", "template", "map")


def advice(text: str) -> str | None:
    """What is to be written in the place of a text that is refused for a name, or what it is read as if it is clear."""
    try:
        readings = read_program(Source(text)).readings
    except NameProblem as problem:
        return problem.help.removeprefix("write ")
    return next((r.text.partition(" is read as ")[2] for r in readings if r.topic == "notation"), None)


def told(text: str) -> list[str]:
    """The notes on names of a text that is read."""
    return [reading.text for reading in read_program(Source(text)).readings if reading.topic == "names"]


def asked(command: str, text: str, folder: Path) -> Run:
    """A command on a text, with all else that it needs."""
    (folder / "points.csv").write_text("x\n1\n", "utf-8")
    (folder / "answer.txt").write_text("v1 = 1\n", "utf-8")
    if command == "check":
        return run("check", str(folder / "answer.txt"), "--problem", f"{text} @ q=1")
    return run(command, text, *([str(folder / "points.csv")] if command == "map" else []))


@together("text", [text for text, meant in CLEAR.items() if meant is not None])
def test_a_name_that_clearly_means_something_else_is_an_error_with_what_to_write(text: str) -> None:
    assert CLEAR[text] == advice(text)


@pytest.mark.parametrize("text", [text for text, meant in TOLD.items() if meant is not None])
def test_a_name_that_may_be_one_of_its_own_is_read_as_one_and_told(text: str) -> None:
    notes = told(text)
    assert any((TOLD[text] or "") in note for note in notes), notes


@pytest.mark.parametrize("text", HONEST)
def test_nothing_is_said_of_a_name_that_is_nothing_else(text: str) -> None:
    assert [] == told(text)


@pytest.mark.parametrize("text", [*CLEAR, *TOLD])
@together("command", WITHOUT_A_POINT)
def test_no_command_takes_a_doubtful_name_for_a_variable_in_silence(command: str, text: str, tmp_path: Path) -> None:
    answer = asked(command, text, tmp_path)
    assert re.search(r"^error: .*\n(.*\n)*? *= help: |^note: .* is read as ", answer.err, re.MULTILINE), answer.err


@pytest.mark.parametrize("command", EVERYWHERE)
@pytest.mark.parametrize("text", ["sinx", "x^2 + e^xy", "xsin(x)", "2lnx + x"])
def test_every_command_gives_the_same_advice(command: str, text: str, tmp_path: Path) -> None:
    answer = asked(command, text, tmp_path)
    assert 2 == answer.code
    assert f"help: write {advice(text)}\n" in answer.err


@pytest.mark.parametrize("name", sorted(functions()))
def test_every_function_is_known_in_front_of_its_argument_and_behind_a_factor(name: str) -> None:
    for text in (f"{name}x", f"{name}theta", f"x{name} x", f"x{name}(x)", f"{name}xy", name):
        row = functions().get(text.partition(" ")[0])
        assert row is not None or advice(text) is not None or told(text), text


@pytest.mark.parametrize("name", ["sinx", "xy", "lnx", "x1x2", "xe", "πr", "cost", "mc", "max"])
def test_a_name_with_a_value_is_an_input_and_nothing_is_said(name: str, tmp_path: Path) -> None:
    answer = run("eval", f"{name}^2 + 1", "--at", f"{name}=3", "--no-trace")
    assert (0, "") == (answer.code, answer.err)
    assert "10" in answer.out
    assert "" == run("diff", f"{name}^2 + 1", "--wrt", name).err
    assert {name: 6.0} == adcli.parse(f"{name}^2 + 1", [name]).gradient({name: 3.0})
    assert "" == run("diff", f"{name} = x + 1; {name}^2").err


def test_a_subscript_takes_one_token() -> None:
    assert {"x_1": 3.0, "x_2": 2.0} == adcli.parse("x_1x_2").gradient({"x_1": 2.0, "x_2": 3.0})
    assert ["x_1x_2"] == adcli.parse("x_1x_2^2", ["x_1x_2"]).inputs
    assert [] == adcli.parse("x_1x_2 = 3; x_1x_2 + 1").inputs
    assert "" == run("diff", "x_1x_2 = x + 1; x^2").err.partition("x_1x_2 is defined but not used")[0].replace(
        "note: ", ""
    )


def test_python_is_told_as_well() -> None:
    with pytest.raises(NameProblem) as problem:
        adcli.parse("x + sinx")
    assert "write sin(x)" == problem.value.help
    with pytest.warns(UserWarning, match=r"mc is read as one name; a product is m\*c"):
        adcli.parse("mc^2")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expression = adcli.parse("mc^2 + sinx", ["mc", "sinx"])
        assert ["mc", "sinx"] == expression.inputs
        assert "adcli.parse('mc^2 + sinx', ['mc', 'sinx'])" == repr(expression)


def test_a_missing_value_comes_with_what_the_name_may_mean() -> None:
    answer = run("eval", "mc^2", "--at", "m=1")
    assert "error: mc has no value\n" in answer.err
    assert "= note: mc is read as one name; a product is m*c\n" in answer.err
    assert "did you mean" not in answer.err


@pytest.mark.parametrize(
    ("typed", "arguments", "meant"),
    [
        ("sinn", 1, "sin"), ("coss", 1, "cos"), ("sqt", 1, "sqrt"), ("sqtr", 1, "sqrt"), ("lgo", 1, "log"),
        ("exq", 1, "exp"), ("arcsine", 1, "arcsin"), ("Sin", 1, "sin"), ("sigmiod", 1, "sigmoid"), ("tahn", 1, "tanh"),
        ("Ei", 1, None), ("asink", 1, None), ("iff", 1, None),
        ("ataan2", 2, "atan2"), ("mim", 2, "min"), ("hipot", 2, "hypot"), ("foo", 1, None), ("bessel", 1, None),
        ("besselh", 2, None), ("bessselj", 2, "besselj"),
        ("Si", 1, None), ("li", 1, None), ("f", 1, None), ("zelu", 1, None),
        ("logsumexp", 2, None),
    ],
)  # fmt: skip
def test_a_function_is_guessed_only_where_name_and_number_of_arguments_are_near(
    typed: str, arguments: int, meant: str | None
) -> None:
    assert meant == near_function(typed, arguments)


@pytest.mark.parametrize("size", [10, 1_000, 100_000])
def test_a_long_name_is_no_work(size: int) -> None:
    for text in ("sin" * size, "x" * size, "xy" * size, "sinx" * size + "(x)"):
        with contextlib.suppress(AdcliError):
            read_program(Source(text))


@pytest.mark.parametrize("letter", ["х", "а", "Α", "ο", "ℓ", "ſin", "ﬁ"])
def test_letters_that_look_like_others_are_told(letter: str) -> None:
    notes = [reading.text for reading in read_program(Source(f"{letter}^2 + 1")).readings if reading.topic == "scripts"]
    assert [True] == [note.startswith(f"{letter} is read as a separate name") for note in notes]


@pytest.mark.parametrize("text", ["Ω*2", "α + ω", "é", "Δx", "x\u0307".replace("x\u0307", "ẋ"), "время", "ñ", "β_1"])
def test_other_alphabets_are_alphabets(text: str) -> None:
    assert [] == [reading for reading in read_program(Source(text)).readings if reading.topic == "scripts"]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("ln sin(x)", "ln(sin(x))"), ("sin cos x", "sin(cos(x))"), ("log sqrt x", "log(sqrt(x))"),
        ("2 exp sin(x)", "2*exp(sin(x))"), ("ln sin(x) y", "ln(sin(x))*y"), ("x ln sin(x)^2", "x*ln(sin(x)^2)"),
        ("sin ln sin(x)", "sin(ln(sin(x)))"), ("log_2 sin(x)", "log2(sin(x))"), ("2^ln sin(x)", "2^(ln(sin(x)))"),
        ("sin x ln cos(x)", "sin(x)*ln(cos(x))"), ("sin^2 cos(x)", "sin(cos(x))^2"), ("ln sin(x)/2", "ln(sin(x))/2"),
        ("2^{x}3^{y}", "2^x*3^y"), ("sin max(x, y)", "sin(max(x, y))"), ("-ln sin(x)", "-(ln(sin(x)))"),
    ],
)  # fmt: skip
def test_a_function_in_front_of_a_call_is_applied_to_it(text: str, same: str) -> None:
    at = {"x": 0.7, "y": 1.3}
    used = {name: at[name] for name in adcli.parse(same).inputs}
    assert adcli.parse(same).value(used) == adcli.parse(text).value(used)
