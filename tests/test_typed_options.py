"""Command lines as people type them: each error has a cure, and the line with the cure works when it is pasted."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from running import run

# Pairs: what is typed, and the line that works; what is new in it is in the help of the error.
TYPED = [
    ("eval x^2 -x 3", "eval x^2 --at x=3"), ("eval x^2 --x 3", "eval x^2 --at x=3"),
    ("eval x^2 --x=3", "eval x^2 --at x=3"), ("eval x^2 3", "eval x^2 --at x=3"),
    ("eval x^2*y --at 3 2", "eval x^2*y --at x=3,y=2"), ("eval x^2 --point x=3", "eval x^2 --at x=3"),
    ("eval x^2 -p x=3", "eval x^2 --at x=3"), ("eval x^2 --at x=3 -p 3", "eval x^2 --at x=3 --places 3"),
    ("eval x^2*y --var x=3,y=2", "eval x^2*y --at x=3,y=2"), ("eval x^2 --input x=3", "eval x^2 --at x=3"),
    ("eval x^2 --eval x=3", "eval x^2 --at x=3"), ("eval x^2 -v x=pi/2", "eval x^2 --at x=pi/2"),
    ("eval x^2 --at x=3 -m reverse", "eval x^2 --at x=3 --mode reverse"),
    ("eval x^2 --at x=3 --mode all", "eval x^2 --at x=3 --mode both"),
    ("eval x^2 --at x=3 -f json", "eval x^2 --at x=3 --format json"),
    ("eval x^2 --at x=3 -n 5", "eval x^2 --at x=3 --places 5"),
    ("eval x^2 --at x=3 --round 5", "eval x^2 --at x=3 --places 5"),
    ("eval x^2 --at x=3 --out out.txt", "eval x^2 --at x=3 --output out.txt"),
    ("eval x^2 --at x=3 --check", "eval x^2 --at x=3 --verify"),
    ("eval x^2 --at x=3 --dx", "eval x^2 --at x=3 --wrt x"), ("eval x^2 --at x=3 -w x", "eval x^2 --at x=3 --wrt x"),
    ("eval x^2 --direction x=3 --at x=3 --mode forward", "eval x^2 --seed x=3 --at x=3 --mode forward"),
    ("eval x^2 --order 2", "diff --order 2 x^2"), ("eval sin x --at x=1", "eval 'sin x' --at x=1"),
    ("eval x*y -x 3 -y 2", "eval x*y --at x=3,y=2"), ("eval u1*u2 -u1 3 -u2 2", "eval u1*u2 --at u1=3,u2=2"),
    ("diff x^2 -wrt x", "diff x^2 --wrt x"), ("diff x^2*y x y", "diff x^2*y --wrt x,y"),
    ("diff x^3 x 2", "diff x^3 --wrt x --order 2"), ("diff x^3 2", "diff x^3 --order 2"),
    ("diff x^3 x x", "diff x^3 --wrt x,x"), ("diff x^3 -n 2", "diff x^3 --order 2"),
    ("diff x^3 --second", "diff x^3 --order 2"), ("diff x^3 -x", "diff x^3 --wrt x"),
    ("check answer.txt -p 'x^2 @ x=3'", "check answer.txt --problem 'x^2 @ x=3'"),
    ("check answer.txt --expr 'y=x^2 @ x=3'", "check answer.txt --problem 'y=x^2 @ x=3'"),
    ("check answer.txt --solution hw.toml", "check answer.txt --key hw.toml"),
    ("check answer.txt -k hw.toml", "check answer.txt --key hw.toml"),
    ("new -n 2 --level 1", "new --count 2 --level 1"), ("new 2", "new --count 2"),
    ("grade . --lms moodle --key hw.toml", "grade . --for moodle --key hw.toml"),
    ("grade . --gradescope --key hw.toml", "grade . --for gradescope --key hw.toml"),
    ("grade . -k hw.toml", "grade . --key hw.toml"),
    ("eval x^2+y --at 3,4", "eval x^2+y --at x=3,y=4"), ("eval x1*x2 --at (2,5)", "eval x1*x2 --at x1=2,x2=5"),
    ("eval t^2 --at 1,5", "eval t^2 --at t=1.5"), ("eval t^2 --at 3", "eval t^2 --at t=3"),
    ("eval x^2 --at dict(x=3)", "eval x^2 --at x=3"), ("eval x*y --at (x=3,y=4)", "eval x*y --at x=3,y=4"),
    ("eval x^2 --at x=1..5", "eval x^2 --at x=1"), ("eval x^2 --at x=1..5", "map x^2 --over x=1:5:9"),
    ("eval x^2 --at x=1,2,3", "eval x^2 --at x=1"), ("eval x^2 --at x=1,234.5", "eval x^2 --at x=1234.5"),
    ("eval x^2 --at x=1,234,567", "eval x^2 --at x=1234567"), ("eval x^2 --at x=1,000", "eval x^2 --at x=1000"),
    ("eval x^2 --at 'x=10 000'", "eval 10000"),
    ("eval 1.234,5", "eval 1234.5"), ("eval 1.234,5 --decimal comma", "eval 1234.5 --decimal comma"),
    ("eval 1,234.5", "eval 1234.5"), ("eval 1,234,567", "eval 1234567"), ("eval '1 000'", "eval 1000"),
    ("eval '1 000,5'", "eval 1000.5"), ("eval 1.234.567", "eval 1234567"),
    ("eval max(1,5;2)", "eval max(1,5;2) --decimal comma"), ("eval log(2,5;3)", "eval log(2,5;3) --decimal comma"),
    ("eval =IF(A1>0,5;1;0) --at A1=1", "eval =IF(A1>0,5;1;0) --at A1=1 --decimal comma"),
    ("eval 'sin x squared' --at x=1", "eval sin(x)^2 --at x=1"),
    ("eval 'cos x cubed' --at x=1", "eval cos(x^3) --at x=1"),
    ("eval 'ln x to the power of 4' --at x=2", "eval ln(x^4) --at x=2"),
    ("eval SUM(x,y) --at x=1,y=2", "eval sum([x,y]) --at x=1,y=2"),
    ("eval AVERAGE(x;y) --at x=1,y=2", "eval mean([x;y]) --at x=1,y=2"),
    ("eval MEDIAN(x,y,3) --at x=1,y=2", "eval 'max(min(x, y), min(max(x, y), 3))' --at x=1,y=2"),
    ("eval PMT(r,9,P) --at r=1,P=2", "eval '-(P)*(r)/(1 - (1 + r)^(-(9)))' --at r=1,P=2"),
    ("eval 'sum([x y z])' --at x=1,y=2,z=3", "eval '[x, y, z]' --at x=1,y=2,z=3"),
    ("eval 'mean([x y])' --at x=1,y=2", "eval '[x, y]' --at x=1,y=2"),
    ("eval [[a,b],[c,d]] --at a=1,b=2,c=3,d=4", "eval '[a,b; c,d]' --at a=1,b=2,c=3,d=4"),
    ("eval (x*y,x+y) --at x=2,y=3", "eval 'x*y; x+y' --at x=2,y=3"),
    ("eval sum(i^2,i=1..3)", "eval 'sum(i, 1, 3, i^2)'"),
    ("eval exp(x).diff(x) --at x=1", "diff exp(x) --wrt x"), ("eval x^2.subs(x,3)", "eval 'x^2, x=3'"),
    ("diff x^2+y^2=25", "diff 'x^2+y^2 - 25'"), ("diff x^2+y^2=2*x+1", "diff 'x^2+y^2 - (2*x+1)'"),
    ("propagate x^2 --at x=5±0,01", "propagate x^2 --at x=5±0,01 --decimal comma"),
    ("eval x^2 --at x=1+2i", "eval x^2 --at x=1+2i --complex"),
    ("eval x.x --at x=[1,2]", "eval 'dot(x, x)' --at x=[1,2]"),
    ("plot t^2 -3..5 -o p.svg", "plot t^2 --over t=-3:5 -o p.svg"),
]  # fmt: skip


@pytest.fixture
def homework(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to a folder with a key and an answer."""
    monkeypatch.chdir(tmp_path)
    Path("hw.toml").write_text('[[problem]]\ntext = "x^2 @ x=3"\n', encoding="utf-8")
    Path("answer.txt").write_text("v1 = 9\nxbar = 6\n", encoding="utf-8")


@pytest.mark.parametrize(("typed", "cure"), TYPED, ids=[typed for typed, _ in TYPED])
@pytest.mark.usefixtures("homework")
def test_the_cure_of_a_mistyped_line_is_in_its_help_and_works(typed: str, cure: str) -> None:
    answer = run(*shlex.split(typed))
    assert (2, "") == (answer.code, answer.out)
    words, typed_words = shlex.split(cure), shlex.split(typed)
    new = [word for word in words if word not in typed_words]
    help_line = answer.err.splitlines()[-1]
    assert help_line.startswith("  = help: ") and all(word in help_line for word in new), answer.err
    assert run(*words).code in (0, 4)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("eval --expr x^2 --at x=3", "EXPR needs no option: x^2"),
        ("eval -e x^2 --at x=3", "EXPR needs no option: x^2"),
        ("check --answer answer.txt --problem x", "ANSWER needs no option: answer.txt"),
        ("grade --folder . --key hw.toml", "SUBMISSIONS needs no option: ."),
        ("eval x --at x=3 --lang de", "messages and the manual are in English"),
        ("eval x --at x=3 --trace", "leave it out: the trace is part of the table"),
        ("eval x --at x=3 --degrees", "write 30° for an angle in degrees"),
        ("check answer.txt --problem x --points 10", "marks are set in a key"),
        ("check 2*x --problem x^2", 'echo "2*x" | adcli check -'), ("help derivatve", "adcli help derivative?"),
        ("check x^2 2*x", 'echo "2*x" | adcli check - --problem "x^2"'),
        ("check 2x --problem diff(x^2,x)", 'the problem is the function: --problem "x^2"'),
        ("new --topic chain", "such as --level 3"), ("new --difficulty hard", "did you mean --level"),
    ],
)  # fmt: skip
def test_an_option_that_no_command_has_gets_advice(typed: str, expected: str) -> None:
    answer = run(*typed.split())
    assert (2, "") == (answer.code, answer.out)
    assert expected in answer.err


@pytest.mark.parametrize("text", ["$(id)*x", "`id`=1", "2*$HOME", "$(id).diff(x)", "`id`.diff(x, 2)", 'x=1"; id; "'])
def test_a_suggested_command_runs_nothing_else_when_it_is_pasted(text: str) -> None:
    for words in (["check", text, "--problem", "x^2"], ["eval", text]):
        answer = run(*words)
        pasted = re.sub("'[^']*'", "", answer.err.rpartition("help: ")[2])  # nothing is special in single quotes
        assert 2 == answer.code
        assert "adcli" not in pasted or not any(sign in pasted for sign in ("$", "`", "; id"))


@pytest.mark.parametrize(
    "line", ["eval x --at x=3 --mode Reverse", "eval x --at x=3 --format JSON", "compile x --to C"]
)
def test_a_choice_is_taken_in_any_case(line: str) -> None:
    assert run(*line.split()).code == 0


def test_numbers_behind_at_are_not_named_if_they_are_too_many() -> None:
    assert "help: --at has one value for each of x, y\n" in run("eval", "x*y", "--at", "2", "3", "4").err
