"""Derivatives, integrals, limits, sums in the place of an expression are answered with the command that does them."""

from __future__ import annotations

import re
import shlex
import time
from pathlib import Path

import pytest
from drawn import usually
from running import run
from together import together

import adcli
from adcli.errors import AdcliError, Source
from adcli.language.math_requests import (
    derivative_requests,
    math_answers,
    request_text,
    worded_requests,
)
from adcli.language.program import read_program
from adcli.patterns import _LazyPattern

LENGTH = usually(20_000, thoroughly=50_000)
NOTHING = 'for example adcli diff "x^2" --wrt x'
# What is typed, and the command that does it.
DERIVATIVES = {
    "d/dx x^2": 'adcli diff "x^2" --wrt x',
    "d/dx(x^2)": 'adcli diff "x^2" --wrt x',
    "d/dx [x^2 + 1]": 'adcli diff "x^2 + 1" --wrt x',
    "d/dx (x+1)(x+2)": 'adcli diff "(x+1)(x+2)" --wrt x',
    "d/dx (x^2) + 1": 'adcli diff "x^2" --wrt x',
    "d/dx x^2 + 3x": 'adcli diff "x^2 + 3x" --wrt x',
    "3 + d/dx x^2 + x": 'adcli diff "x^2" --wrt x',
    "(d/dx)(x^2)": 'adcli diff "x^2" --wrt x',
    "(d/dx x^2)": 'adcli diff "x^2" --wrt x',
    "d / dx x^2": 'adcli diff "x^2" --wrt x',
    "d/d x x^2": 'adcli diff "x^2" --wrt x',
    "d/dx: x^2": 'adcli diff "x^2" --wrt x',
    "y = d/dx x^2": 'adcli diff "x^2" --wrt x',
    "d(x^2)/dx": 'adcli diff "x^2" --wrt x',
    "d(x^2)/(dx)": 'adcli diff "x^2" --wrt x',
    "d x^2 / dx": 'adcli diff "x^2" --wrt x',
    "dx^2/dx": 'adcli diff "x^2" --wrt x',
    "d^2/dx^2 x^3": 'adcli diff "x^3" --wrt x --order 2',
    "d²/dx² x³": 'adcli diff "x³" --wrt x --order 2',
    "d**2/dx**2 (x**3)": 'adcli diff "x**3" --wrt x --order 2',
    "d^2(x^3)/dx^2": 'adcli diff "x^3" --wrt x --order 2',
    "d2/dx2 x^3": 'adcli diff "x^3" --wrt x --order 2',
    "d^2/dxdy x^2*y": 'adcli diff "x^2*y" --wrt x,y',
    "d/dt sin(w*t)": 'adcli diff "sin(w*t)" --wrt t',
    "d/dtheta cos(theta)": 'adcli diff "cos(theta)" --wrt theta',
    "d/dx1 x1*x2": 'adcli diff "x1*x2" --wrt x1',
    "dy/dx": NOTHING,
    "dy/dx = 2x": NOTHING,
    "d^2y/dx^2": NOTHING,
    "dy/dx x^2": 'adcli diff "x^2" --wrt x',
    "y = x^2; dy/dx": 'adcli diff "y = x^2; y" --wrt x',
    "f(x) = x^2; df/dx": 'adcli diff "f(x) = x^2; f(x)" --wrt x',
    "a = 2; d/dx a*x^2": 'adcli diff "a = 2; a*x^2" --wrt x',
    "∂/∂x x^2*y": 'adcli diff "x^2*y" --wrt x',
    "∂²/∂x∂y (x^2*y)": 'adcli diff "x^2*y" --wrt x,y',
    "∂(x^2*y)/∂y": 'adcli diff "x^2*y" --wrt y',
    "∂f/∂x": NOTHING,
    "∂_x (x^2*y)": 'adcli diff "x^2*y" --wrt x',
    "∇(x^2*y)": 'adcli diff "x^2*y"',
    "(x^2)'": 'adcli diff "x^2" --wrt x',
    "(x^2 + 1)''": 'adcli diff "x^2 + 1" --wrt x --order 2',
    "[x^2]’": 'adcli diff "x^2" --wrt x',
    "(x*y)'": 'adcli diff "x*y"',
    "sin(x)'": 'adcli diff "sin(x)" --wrt x',
    "x^2'": 'adcli diff "x^2" --wrt x',
    "|x|'": 'adcli diff "|x|" --wrt x',
    "sin'(x)": 'adcli diff "sin(x)" --wrt x',
    "f'(x)": NOTHING,
    "f(x) = x^3; f'(x)": 'adcli diff "f(x) = x^3; f(x)" --wrt x',
    "f(x) = x^3; f''(2)": 'adcli diff "f(x) = x^3; f(x)" --wrt x --order 2 --at x=2',
    "diff(x^2, x)": 'adcli diff "x^2" --wrt x',
    "diff(x^3, x, 2)": 'adcli diff "x^3" --wrt x --order 2',
    "derivative of x^2": 'adcli diff "x^2" --wrt x',
    "differentiate x^2*y with respect to y": 'adcli diff "x^2*y" --wrt y',
    "derivative of x^2 wrt x at x=3": 'adcli diff "x^2" --wrt x --at x=3',
    "D[x^3, {x, 2}]": 'adcli diff "x^3" --wrt x --order 2',
    "grad(x*y)": 'adcli diff "x*y"',
    "gradient of x*y": 'adcli diff "x*y"',
    "d/dx d/dx x^2": NOTHING,
    "d/dx sinx": NOTHING,
    r"\frac{d}{dx} x^2": 'adcli diff "x^2" --wrt x',
    r"\frac{d}{dx}\left(x^2\right)": 'adcli diff "x^2" --wrt x',
    r"\frac{d}{dx}\sin x": r"adcli diff '\sin x' --wrt x",
    r"\frac{\mathrm{d}}{\mathrm{d}x} x^2": 'adcli diff "x^2" --wrt x',
    r"\dfrac{d^2}{dx^2} x^3": 'adcli diff "x^3" --wrt x --order 2',
    r"\frac{\partial}{\partial x} x^2 y": 'adcli diff "x^2 y" --wrt x',
    r"\frac{\partial^2}{\partial x\,\partial y} x^2 y": 'adcli diff "x^2 y" --wrt x,y',
    r"\frac{d}{d\theta} \cos\theta": r"adcli diff '\cos\theta' --wrt theta",
    r"\frac{dy}{dx}": NOTHING,
    r"\frac{d(x^2)}{dx}": 'adcli diff "x^2" --wrt x',
    r"\dv{x} x^2": 'adcli diff "x^2" --wrt x',
    r"\pdv{x^2 y}{y}": 'adcli diff "x^2 y" --wrt y',
    r"\partial_x (x^2 y)": 'adcli diff "x^2 y" --wrt x',
    r"\nabla (x y)": 'adcli diff "x y"',
    r"\left(x^2\right)'": 'adcli diff "x^2" --wrt x',
    r"(x^2)^{\prime}": 'adcli diff "x^2" --wrt x',
}  # fmt: skip
COMMANDS = {
    "taylor(sin(x), x, 0, 3)": 'adcli taylor "sin(x)" --at x=0 --order 3',
    "plot sin(x)": 'adcli plot "sin(x)"',
    "hessian(x^2*y)": 'adcli eval "x^2*y" --hessian',
    "lim x->0 sin(x)/x": 'for a value near the limit: adcli eval "sin(x)/x" --at x=1e-6',
    "lim_{x->0} sin(x)/x": 'for a value near the limit: adcli eval "sin(x)/x" --at x=1e-6',
    "lim x→0 sin x/x": 'for a value near the limit: adcli eval "sin x/x" --at x=1e-6',
    "limit(sin(x)/x, x, 0)": 'for a value near the limit: adcli eval "sin(x)/x" --at x=1e-6',
    "limit of sin(x)/x as x -> 0": 'for a value near the limit: adcli eval "sin(x)/x" --at x=1e-6',
    "lim n->oo (1 + 1/n)^n": 'for a value near the limit: adcli eval "(1 + 1/n)^n" --at n=1e6',
    r"\lim_{x\to 0} \frac{\sin x}{x}": r"for a value near the limit: adcli eval '\frac{\sin x}{x}' --at x=1e-6",
    r"\lim_{x \to \infty} \frac{1}{x}": r"for a value near the limit: adcli eval '\frac{1}{x}' --at x=1e6",
    "sum i=1 to 10 i*x": "write sum(i, 1, 10, i*x)",
    "sum from i=1 to 10 of i*x": "write sum(i, 1, 10, i*x)",
    "sum_{i=1}^{10} i x": "write sum(i, 1, 10, i x)",
    "sum_(i=1)^10 i*x": "write sum(i, 1, 10, i*x)",
    "sum(i*x, i=1..10)": "write sum(i, 1, 10, i*x)",
    "sum(i=1..10, i*x)": "write sum(i, 1, 10, i*x)",
    "sum(i*x, i, 1, 10)": "write sum(i, 1, 10, i*x)",
    "sum(i*x, (i, 1, 10))": "write sum(i, 1, 10, i*x)",
    "sum(i*x for i in range(1, 11))": "write sum(i, 1, 10, i*x)",
    "Sum[i x, {i, 1, 10}]": "write sum(i, 1, 10, i x)",
    "Σ i=1 to 10 i*x": "write sum(i, 1, 10, i*x)",
    "∑ i=1..10 i*x": "write sum(i, 1, 10, i*x)",
    "prod k=1 to 3 (x + k)": "write prod(k, 1, 3, (x + k))",
    "product(k, 1, 3, x + k)": "write prod(k, 1, 3, x + k)",
}
REFUSED = {
    "integral": (
        "int x^2 dx", "int(x^2)", "int(x^2, x, 0, 1)", "int_0^1 x^2 dx", "integral x^2 dx", "integral of x^2",
        "integrate(x^2, x)", "∫ x^2 dx", "∫x^2dx", "∫₀¹ x² dx", "∬ x y dx dy", "∮ x dx", r"\int_0^1 x^2\,dx",
        r"\int \frac{1}{x} dx", r"\iint x y \,dx\,dy", "3 + ∫ x dx", "Integrate[x^2, x]",
    ),
    "limit": ("lim f", r"\lim_{h \to 0} \frac{f(x+h)-f(x)}{h}", "limit of x", r"\limsup x"),
    "algebra": ("solve x^2 = 4", "simplify x^2 + x", "factor(x^2-1)", "expand((x+1)^2)"),
}  # fmt: skip
# The same words and signs where they are names, or nothing at all.
NAMES = (
    "limit*x + 1", "factor*x", "x + int", "sum(i, 1, 3, i*x)", "Int_0*x", "x' + y''", "y' = 2x; y' + 1", "int_max - x",
    "d*x/2", "d/2", "dist/duration", "D*x + d", "plot^2", "lim", "prod(i, 1, 3, x + i)", r"\sum_{i=1}^{3} i x",
    "series/2", r"\dot{x}", "Δy/Δx", "grad + 1", "D1*D2", "2.5*int",
)  # fmt: skip
EVERYWHERE = ("eval", "diff", "graph", "expand", "plot", "taylor", "explain", "step", "check", "template", "map")


def answer(text: str) -> AdcliError:
    with pytest.raises(AdcliError) as problem:
        read_program(Source(text))
    return problem.value


@pytest.mark.parametrize("notation", math_answers._NOTATIONS, ids=[n.example for n in math_answers._NOTATIONS])
def test_the_example_of_a_notation_is_a_request(notation: request_text.Notation) -> None:
    match = notation.sign.search(notation.example)
    assert match is not None
    request = notation.read(notation.example, match, ())
    assert request is not None
    assert answer(notation.example).span is not None


@together("text", [*DERIVATIVES, *COMMANDS])
def test_what_another_command_does_is_answered_with_its_command_line(text: str) -> None:
    assert {**DERIVATIVES, **COMMANDS}[text] == answer(text).help


@pytest.mark.parametrize("command", sorted({c for c in DERIVATIVES.values() if c != NOTHING}))
def test_the_command_is_valid_as_it_is_printed(command: str) -> None:
    found = run(*shlex.split(command)[1:])
    assert 0 == found.code
    assert "error" not in found.err
    assert re.match(r"∂|d|y =", found.out)


@pytest.mark.parametrize("text", [text for texts in REFUSED.values() for text in texts])
def test_what_no_command_does_is_refused_by_its_name(text: str) -> None:
    kind = next(kind for kind, texts in REFUSED.items() if text in texts)
    assert kind in answer(text).title


@pytest.mark.parametrize("text", NAMES)
def test_a_name_is_nothing_that_is_asked_for(text: str) -> None:
    read_program(Source(text))


@pytest.mark.parametrize("command", EVERYWHERE)
@pytest.mark.parametrize(
    "text", ["d/dx x^2", r"\frac{\partial}{\partial x} x^2", "(x^2)'", "∫ x^2 dx", "sum i=1 to 3 i*x"]
)
def test_every_command_gives_the_same_answer(command: str, text: str, tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text("x\n1\n", "utf-8")
    (tmp_path / "answer.txt").write_text("v1 = 1\n", "utf-8")
    if command == "check":
        found = run("check", str(tmp_path / "answer.txt"), "--problem", text)
    else:
        found = run(command, text, *([str(tmp_path / "points.csv")] if command == "map" else []))
    problem = answer(text)
    assert 2 == found.code
    assert f"error: {problem.title}\n" in found.err
    is_solution = command == "check" and problem.help.startswith("adcli diff")  # which would be the answer
    advice = 'the problem is the function: --problem "x^2"' if is_solution else problem.help
    assert f"help: {advice}\n" in found.err


def test_the_point_goes_with_the_command() -> None:
    expected = 'help: adcli diff "x^2" --wrt x --at x=3\n'
    assert expected in run("eval", "d/dx x^2", "--at", "x=3").err
    assert expected in run("eval", "d/dx x^2 @ x = 3").err


@pytest.mark.parametrize("text", ["d/dx", "dy/dx + 1", "2*dy/dx"])
def test_names_with_values_make_a_quotient(text: str) -> None:
    at = dict.fromkeys(re.findall(r"[a-z]+", text), 2.0)
    assert set(at) == set(adcli.parse(text, list(at)).inputs)
    assert 0 == run("eval", text, "--at", ",".join(f"{name}=2" for name in at)).code
    assert 0 == run("diff", "; ".join([*(f"{name} = x^2" for name in at), text])).code


def test_an_expression_that_cannot_be_read_is_told_in_a_note() -> None:
    assert ("sinx has no value: write sin(x)",) == answer("d/dx sinx").notes
    assert ("the bounds of a sum must be whole numbers: n is not written as a number",) == answer(
        "sum i=1 to n i"
    ).notes


@pytest.mark.parametrize(
    "piece",
    ["d/dx ", "/dx", "x/dx ", "(x)'", "(", "∂", "∂/∂x", "d(", "int ", "lim ", "lim x->", "sum ", "sum i=", "f'(", "dx",
     r"\frac{d}{dx}", r"\frac{d", r"\dv{", "D[", "diff(", "d x", "'", "x' ", "∇", "derivative of ", "|'", "^2'", " "],
)  # fmt: skip
def test_what_is_asked_for_very_often_takes_no_time(piece: str) -> None:
    began = time.process_time()
    with pytest.raises(AdcliError):
        read_program(Source("xq*x + " + piece * (LENGTH // len(piece)) + " + dy @"))
    assert LENGTH * 3e-5 > time.process_time() - began


def test_names_of_several_letters_compile_nothing_of_what_may_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (
        math_answers,
        derivative_requests,
        request_text,
        worded_requests,
    ):
        for found in [found for found in vars(module).values() if isinstance(found, _LazyPattern)]:
            fresh = {name: cell for name, cell in vars(found).items() if name in ("_text", "_flags", "signs")}
            monkeypatch.setattr(found, "__dict__", fresh)

    def refused(found: _LazyPattern) -> None:
        raise AssertionError(found._text)

    monkeypatch.setattr(_LazyPattern, "_compile", refused)
    assert ["x1", "rate"] == adcli.parse("log(x1)/(1 + rate^2) - exp(x1/3)").inputs
