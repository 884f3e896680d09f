"""Wrong rules of differentiation are known by the formula that they lead to, however that is written."""

from __future__ import annotations

import pytest

from adcli.errors import Source
from adcli.graph.graph import Graph
from adcli.language.program import read_program
from adcli.marking.judging.hint_texts import HINTS
from adcli.marking.slips.wrong_rules import wrong_rules


def graph(text: str) -> Graph:
    return read_program(Source(text, None, 1), {"x": 1.0, "y": 1.0}).graph


@pytest.mark.parametrize(
    ("function", "found", "names"),
    [
        ("sin(x^2)", "cos(x^2)", "chain_rule_forgotten"),
        ("sin(x^2)", "cos(2*x)", "chain_rule_forgotten"),
        ("sqrt(1+x^2)", "1/(2*sqrt(1+x^2))", "chain_rule_forgotten"),
        ("log(3*x)", "1/(3*x)", "chain_rule_forgotten"),
        ("x*sin(x^2)", "sin(x^2) + x*cos(x^2)", "chain_rule_forgotten"),
        ("x^2*sin(x)", "2*x*cos(x)", "product_rule"),
        ("x/(1+x^2)", "1/(2*x)", "product_rule"),
        ("x/(1+x^2)", "(1+3*x^2)/(1+x^2)^2", "quotient_sign"),
        ("x/(1+x^2)", "((1+x^2)-2*x^2)/(1+x^2)", "factor_forgotten"),
        ("x^3", "x*x", "factor_forgotten"),
        ("sqrt(1+x^2)", "2*x/sqrt(1+x^2)", "factor_forgotten"),
        ("x^3", "3*x", "power_off_by_one"),
        ("2^x", "x*2^(x-1)", "power_rule_for_exponential"),
        ("x^y", "y*x^(y-1)*log(x)", "power_rules_mixed"),
        ("1/(1+x^2)", "1/(1+x^2)^2", "chain_rule_forgotten+quotient_sign"),
        ("cos(x^2)", "2*x*sin(x^2)", "sign"),
        ("sin(x)*cos(x)", "cos(x)^2 + sin(x)^2", "sign"),
        ("x^3+3", "3*x^2+3", "constant_kept"),
        ("x^2*y", "x^2", "wrong_variable"),
        ("exp(2*x)", "exp(2*x)/2", "integral_for_derivative"),
        ("x*log(x)", "log(x)", "path_missing"),
        ("sin(x^2)", "2*x*sin(x^2)", "value_for_adjoint"),
        ("x^3+2*x", "3*x^2+3", "wrong_constant"),
        ("x^2*y", "2*x", "factor_forgotten"),
        ("sin(x)^2", "2*cos(x)", "factor_forgotten"),
        ("x^2*y+y^3", "2*x*y+y^3", "constant_kept"),
        ("y^2*x", "y^2+x", "constant_kept"),
        ("y*exp(x^2)", "2*x*y*exp(2*x)", "chain_rule_forgotten"),
        ("x*y+x*log(y)", "y", "path_missing"),
        ("cos(x^2)", "sin(x^2)", "chain_rule_forgotten+sign"),
        ("cos(x^3)", "x^2*sin(x^3)", "factor_forgotten+sign"),
        ("exp(2*x)", "2*x*exp(2*x-1)", "chain_rule_forgotten+power_rule_for_exponential"),
    ],
)
def test_a_wrong_rule_is_known_by_its_formula(function: str, found: str, names: str) -> None:
    known = wrong_rules(graph(function), "x", graph(found))
    assert names.split() == sorted(known)
    assert {part for name in known for part in name.split("+")} <= HINTS["slips"].keys()


@pytest.mark.parametrize(
    ("function", "found"),
    [
        ("sin(x^2)", "cos(x^2)*2*x"),
        ("log(x*y)", "1/x"),
        ("sin(x^2)", "7*x"),
        ("exp(sin(x^2))*cos(x*y)", "exp(sin(x^2))*5"),
        ("y^2", "x"),
        ("x^2", "log(-x^2)"),
        ("log(-1-x^2)", "1/x"),
    ],
)
def test_nothing_is_named_where_the_formula_is_right_or_no_rule_leads_to_it(function: str, found: str) -> None:
    assert () == wrong_rules(graph(function), "x", graph(found))


def test_a_formula_in_other_inputs_is_no_wrong_rule() -> None:
    assert () == wrong_rules(read_program(Source("x^2", None, 1), {"x": 1.0}).graph, "x", graph("2*y"))


def test_the_work_is_bounded() -> None:
    long = graph(" + ".join(f"sin({k}*x)*cos(x^{k})" for k in range(2, 90)))
    assert () == wrong_rules(long, "x", graph("x"))
